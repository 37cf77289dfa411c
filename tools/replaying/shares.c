#include "tools/replaying/shares.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "replay/session/machine_open.h"
#include "tools/lib/output.h"
#include "tools/machine/machine_file.h"
#include "tools/ui/nearest.h"
#include "tools/ui/table.h"

static const char *const kinds[SAMPLE_KINDS] = {"global_load", "global_store", "local_load", "local_store"};

/* Rounds the shares to billionths that sum to 1; the largest gets the remainder. */
static void billionths(const uint64_t count[SAMPLE_LEVELS], int64_t part[SAMPLE_LEVELS])
{
    uint64_t all = count[0] + count[1] + count[2];
    int64_t left = FRACTION_ONE;
    unsigned largest = 0;
    for (unsigned l = 0; l < SAMPLE_LEVELS; l++) {
        part[l] = (int64_t)((unsigned __int128)count[l] * FRACTION_ONE / all);
        left -= part[l];
        largest = count[l] > count[largest] ? l : largest;
    }
    part[largest] += left;
}

static void print_fraction(char *to, size_t size, int64_t part)
{
    snprintf(to, size, "%" PRId64 ".%09" PRId64, part / FRACTION_ONE, part % FRACTION_ONE);
}

static void settings_of(struct shares *s)
{
    static const char *const keys[SAMPLE_KINDS] = {"memory.global_load", "memory.global_store", "memory.local_load",
                                                   "memory.local_store"};
    for (unsigned k = 0; k < SAMPLE_KINDS; k++) {
        const uint64_t *count = s->served.count[k];
        int64_t part[SAMPLE_LEVELS];
        if (!(count[0] + count[1] + count[2]))
            continue;
        billionths(count, part);
        size_t at = 0;
        for (unsigned l = 0; l < SAMPLE_LEVELS; l++) {
            at += (size_t)snprintf(s->value[k] + at, sizeof s->value[k] - at, "%s", l ? "," : "");
            print_fraction(s->value[k] + at, sizeof s->value[k] - at, part[l]);
            at += strlen(s->value[k] + at);
        }
        s->settings[s->count++] = (struct machine_setting){keys[k], s->value[k]};
    }
    s->settings[s->count++] = (struct machine_setting){"memory.from", ""};
}

static bool replay_there(const struct machine *there, struct rp_trace *t, int64_t launch, unsigned threads,
                         struct shares *s, struct rp_error *err)
{
    struct replay_result result;
    const struct observer observer = served_observer(&s->served);
    struct replay_options options = {.launch = launch, .threads = threads, .observer = &observer};
    if (!replay(t, there, &options, &result, err))
        return false;
    replay_result_free(&result);
    for (unsigned k = 0; k < SAMPLE_KINDS; k++)
        for (unsigned l = 0; l < SAMPLE_LEVELS; l++)
            if (s->served.count[k][l])
                return true;
    return rp_fail(err, RP_USAGE,
                   "memory.from=%s: no access of the trace reaches a cache of this machine, so there are no shares",
                   s->from);
}

bool shares_of(const struct machine *m, struct rp_trace *t, int64_t launch, unsigned threads, struct shares *s,
               struct rp_error *err)
{
    *s = (struct shares){.count = 0};
    snprintf(s->from, sizeof s->from, "%s", machine_samples_from(m));
    if (!*s->from)
        return true;
    struct rp_error why;
    struct machine *there = machine_open(&(struct machine_request){.name = s->from, .nearest = nearest_name}, &why);
    if (!there)
        return rp_fail(err, why.status, "memory.from: %s", why.text);
    bool fine = !machine_samples(there) ||
                rp_fail(err, RP_USAGE,
                        "memory.from=%s: this machine has no caches, its latencies are sampled; name "
                        "one with memory 'hierarchy'",
                        s->from);
    fine = fine && replay_there(there, t, launch, threads, s, err);
    machine_free(there);
    if (fine)
        settings_of(s);
    return fine;
}

struct machine *shares_machine_open(const struct machine_args *a, const struct machine_setting *extra,
                                    size_t extra_count, struct rp_trace *t, int64_t launch, unsigned threads,
                                    struct shares *s, struct rp_error *err)
{
    struct machine_setting all[MOST_SETTINGS];
    struct machine *m = machine_args_open(a, extra, extra_count, err);
    if (!m || !shares_of(m, t, launch, threads, s, err)) {
        machine_free(m);
        return NULL;
    }
    if (!s->count)
        return m;
    machine_free(m);
    if (extra_count + s->count > MODEL_COUNT_OF(all)) {
        rp_fail(err, RP_USAGE, "too many settings");
        return NULL;
    }
    if (extra_count)
        memcpy(all, extra, extra_count * sizeof *all);
    memcpy(all + extra_count, s->settings, s->count * sizeof *all);
    return machine_args_open(a, all, extra_count + s->count, err);
}

void shares_print(const struct shares *s)
{
    if (!*s->from)
        return;
    struct table *t = table_new("lrrrr");
    static const char *const heading[] = {"", "transactions", "L1", "L2", "DRAM"};
    printf("Where transactions end on %s\n", s->from);
    for (size_t i = 0; i < MODEL_COUNT_OF(heading); i++)
        table_cell(t, "%s", heading[i]);
    for (unsigned k = 0; k < SAMPLE_KINDS; k++) {
        const uint64_t *count = s->served.count[k], all = count[0] + count[1] + count[2];
        table_cell(t, "%s", kinds[k]);
        table_number(t, all);
        for (unsigned l = 0; l < SAMPLE_LEVELS; l++)
            table_cell(t, all ? "%.4f" : "-", all ? (double)count[l] / (double)all : 0.0);
    }
    table_print(t, stdout);
    puts("");
}

json_t *shares_json(const struct shares *s)
{
    static const char *const levels[SAMPLE_LEVELS] = {"l1", "l2", "dram"};
    json_t *all = json_pack("{s:s}", "machine", s->from);
    for (unsigned k = 0; k < SAMPLE_KINDS; k++) {
        json_t *kind = json_object();
        for (unsigned l = 0; l < SAMPLE_LEVELS; l++)
            json_put(kind, levels[l], json_number(s->served.count[k][l]));
        json_put(all, kinds[k], kind);
    }
    return all;
}

bool shares_write(const struct machine *m, const struct shares *s, const char *path, struct rp_error *err)
{
    struct output *o = output_open(path, err);
    if (!o)
        return false;
    fprintf(o->to, "# %s%s%s\n\n", m->name, *s->from ? ", with the probabilities that a trace had on " : "", s->from);
    machine_file_print(m, o->to);
    return output_close(o, true, err);
}
