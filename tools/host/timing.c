/* Cycles of a launch. */
#include <stdlib.h>
#include <string.h>

#include "replay/base/sampled.h"
#include "replay/session/machine_open.h"
#include "replay/session/replay.h"
#include "tools/host/session.h"
#include "tools/ui/nearest.h"

static bool open_machine(struct reprise *r, const struct reprise_options *o, struct rp_error *err)
{
    char text[REPRISE_SETTINGS][160];
    struct machine_setting settings[REPRISE_SETTINGS];
    size_t count = 0;
    for (; count < REPRISE_SETTINGS && o->set[count]; count++) {
        char *equals, *to = text[count];
        if (strlen(o->set[count]) >= sizeof text[count])
            return rp_fail(err, RP_USAGE, "setting '%.60s...' is too long", o->set[count]);
        equals = strchr(strcpy(to, o->set[count]), '=');
        if (!equals || equals == to)
            return rp_fail(err, RP_USAGE, "setting '%s': give KEY=VALUE, for example scheduler=lrr", to);
        *equals = 0;
        settings[count] = (struct machine_setting){to, equals + 1};
    }
    r->machine = machine_open(
        &(struct machine_request){
            .name = o->machine, .settings = settings, .setting_count = count, .nearest = nearest_name},
        err);
    if (!r->machine || !*machine_samples_from(r->machine))
        return r->machine != NULL;
    return rp_fail(
        err, RP_USAGE,
        "memory.from=%s: the probabilities of a trace are known when it is whole; record it, and let 'reprise "
        "replay --save-machine' write a machine with them",
        machine_samples_from(r->machine));
}

bool timing_open(struct reprise *r, const struct reprise_options *o, struct rp_error *err)
{
    if (!o->machine)
        return !o->set[0] || rp_fail(err, RP_USAGE, "setting '%.60s', but no machine is given", o->set[0]);
    if (!open_machine(r, o, err))
        return false;
    if (r->machine->flush_caches)
        return true;
    r->timed = calloc(r->module->program_count + 1, sizeof *r->timed);
    if (!r->timed)
        return rp_fail(err, RP_SYSTEM, "out of memory for a session");
    return (r->caches = memory_system_new(r->machine, true, err));
}

void timing_close(struct reprise *r)
{
    memory_system_free(r->caches);
    machine_free(r->machine);
    free(r->timed);
}

/* Without a common trace each launch has one of its own, with kernel 0. Caches that keep their content identify kernels
 * by the numbers that they would have in a common trace: the order of their first launches. */
static void number_kernel(struct reprise *r, const struct program *p)
{
    uint32_t i = 0;
    while (i < r->timed_count && r->timed[i] != p)
        i++;
    if (i == r->timed_count)
        r->timed[r->timed_count++] = p;
    memory_system_count_kernels(r->caches, i);
}

static void fill(struct reprise_result *to, const struct machine *m, const struct statistics *s)
{
    to->cycles = s->cycles;
    to->microseconds = (double)s->cycles / fraction_value(m->clock_mhz);
    to->ipc = statistics_ipc(s);
    to->occupancy = statistics_occupancy(m, s);
    to->global_loads = s->global_load_transactions;
    to->global_stores = s->global_store_transactions;
    to->l1_hits = s->memory.l1.hits;
    to->l1_misses = s->memory.l1.misses;
    to->l2_hits = s->memory.l2.hits;
    to->l2_misses = s->memory.l2.misses;
    to->dram_accesses = s->memory.dram.accesses;
    to->shared_conflicts = s->shared_conflicts;
}

bool timing_replay(struct reprise *r, const struct program *p, struct rp_writer *writer, uint32_t launch,
                   struct reprise_result *out, struct rp_error *err)
{
    if (r->caches && !r->writer)
        number_kernel(r, p);
    struct replay_options options = {.launch = launch, .caches = r->caches};
    struct replay_result result;
    struct rp_trace *trace = rp_writer_read(writer, err);
    bool ok = trace && replay(trace, r->machine, &options, &result, err);
    if (ok) {
        r->last = result.total;
        fill(out, r->machine, &r->last);
        replay_result_free(&result);
    }
    rp_trace_close(trace);
    return ok;
}

struct wanted {
    const char *name;
    uint64_t value;
    bool found;
};

static void look(void *data, const char *name, uint64_t value)
{
    struct wanted *w = data;
    if (strcmp(name, w->name))
        return;
    w->value = value;
    w->found = true;
}

bool reprise_statistic(const struct reprise *r, const char *name, uint64_t *value, struct rp_error *err)
{
    struct wanted w = {.name = name};
    if (!r || !name || !value)
        return rp_fail(err, RP_USAGE, "a statistic needs a session, a name and a place for its value: one is NULL");
    if (!r->machine)
        return rp_fail(err, RP_USAGE, "statistic '%.60s': the session has no machine", name);
    statistics_each(r->machine, &r->last, look, &w);
    if (!w.found)
        return rp_fail(err, RP_USAGE, "unknown statistic '%.60s'; 'reprise replay --explain' lists them all", name);
    *value = w.value;
    return true;
}
