#include <stdlib.h>

#include "tools/live/live.h"

bool live_check(const struct rp_trace *t, struct rp_error *err)
{
    for (uint32_t i = 0; i < rp_trace_kernel_count(t); i++)
        if (!rp_trace_kernel(t, i)->live)
            return rp_fail(
                err, RP_BAD_INPUT,
                "%s: kernel '%s' does not tell its live registers; traces that reprise record makes today do, "
                "unless the machine code says nothing of where its indirect branches go",
                rp_trace_path(t), rp_trace_kernel(t, i)->name);
    return true;
}

static bool count_warp(struct rp_block *b, uint32_t warp, uint64_t *executions, struct rp_error *err)
{
    struct rp_cursor c;
    struct rp_step s;
    int more;
    if (!rp_cursor_open(&c, b, warp, err))
        return false;
    while ((more = rp_cursor_next(&c, &s, err)) == 1)
        executions[s.index]++;
    rp_cursor_close(&c);
    return more == 0;
}

static bool count_executions(struct rp_trace *t, uint32_t launch, struct live_path *p, uint64_t *executions,
                             struct rp_error *err)
{
    uint64_t blocks = rp_trace_launch_totals(t, launch).blocks;
    for (uint64_t i = 0; i < blocks; i++) {
        struct rp_block *b = rp_block_open(t, launch, i, err);
        bool fine = b != NULL;
        uint32_t warps = b ? rp_block_warps(b) : 0;
        for (uint32_t w = 0; fine && w < warps; w++)
            fine = count_warp(b, w, executions, err);
        if (b)
            rp_block_close(b);
        if (!fine)
            return false;
        p->warps += warps;
    }
    return true;
}

bool live_path(struct rp_trace *t, uint32_t launch, struct live_path *p, struct rp_error *err)
{
    const struct rp_kernel *k = rp_trace_kernel(t, rp_trace_launch(t, launch)->kernel);
    uint64_t *executions = calloc(k->instruction_count, sizeof *executions);
    *p = (struct live_path){0};
    if (!executions)
        return rp_fail(err, RP_SYSTEM, "out of memory for counts of instructions");
    bool fine = count_executions(t, launch, p, executions, err);
    for (uint32_t i = 0; fine && i < k->instruction_count; i++) {
        p->instructions += executions[i];
        p->sum += executions[i] * k->live[i].registers;
        if (executions[i] && k->live[i].registers > p->peak) {
            p->peak = k->live[i].registers;
            p->peak_index = i;
        }
    }
    free(executions);
    return fine;
}
