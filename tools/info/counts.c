#include "tools/info/counts.h"

#include "tools/ui/progress.h"

struct info_sums info_add_up(const struct rp_trace *t)
{
    struct info_sums s = {0};
    for (uint32_t l = 0; l < rp_trace_launch_count(t); l++) {
        struct rp_launch_totals totals = rp_trace_launch_totals(t, l);
        s.blocks += totals.blocks;
        s.warp_instructions += totals.warp_instructions;
        s.thread_instructions += totals.thread_instructions;
    }
    return s;
}

struct info_host_counts info_count_host(const struct rp_trace *t)
{
    struct info_host_counts c = {0};
    for (size_t i = 0; i < rp_trace_host_operation_count(t); i++) {
        const struct rp_host_operation *o = rp_trace_host_operation(t, i);
        c.count[o->kind]++;
        c.bytes[o->kind] += o->size;
    }
    return c;
}

static void show(void *progress, uint64_t done, uint64_t total) { progress_update(progress, done, total, 0, NULL); }

bool info_count_classes(struct rp_trace *t, uint32_t launch, struct rp_class_counts *counts, struct rp_error *err)
{
    struct progress progress;
    progress_begin(&progress, "counting", "chunks", false);
    bool fine = rp_trace_class_counts(t, launch, counts, show, &progress, err);
    progress_end(&progress);
    return fine;
}

double info_bits(uint64_t bytes, uint64_t instructions)
{
    return instructions ? 8.0 * (double)bytes / (double)instructions : 0;
}

const char *info_outcome(const struct rp_launch_end *end)
{
    return !end ? "cut short" : end->outcome == RP_OUTCOME_FAULT ? "fault" : "complete";
}
