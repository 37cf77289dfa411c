/* The report of one replay. */
#include <stdlib.h>
#include <string.h>

#include "tools/hotspots/hotspots.h"
#include "tools/lib/command.h"
#include "tools/lib/names.h"
#include "tools/lib/output.h"
#include "tools/machine/option_line.h"
#include "tools/replaying/explanations.h"
#include "tools/replaying/shares.h"
#include "tools/replaying/timeless.h"
#include "tools/report/report.h"
#include "tools/results/cache.h"
#include "tools/ui/progress.h"

#define MOST_LAUNCHES 2000 /* the longest ones */
#define USUAL_LINES 20

struct replayed {
    struct rp_trace *trace;
    struct machine *machine;
    struct shares shares; /* of memory.from; the machine has them as options */
    struct result result;
    struct profile *profile; /* NULL: the result was stored, or the machine does not report it */
};

/* ---- replaying --------------------------------------------------------------------------------------------------- */

static void show(void *bar, uint64_t done, uint64_t total)
{
    progress_update(bar, done, total, done, "warp instructions");
}

/* Without a cache the replay is watched, so that the report has source lines. */
static bool watch(struct report_request *r, struct replayed *o, struct rp_error *err)
{
    if (r->cache)
        return true;
    if (!(o->profile = profile_new(o->trace, o->machine, err)))
        return false;
    if (observer_events(&o->profile->observer) & ~replay_events(o->machine, r->replay.engine)) {
        profile_free(o->profile);
        o->profile = NULL;
    } else {
        r->replay.observer = &o->profile->observer;
    }
    return true;
}

static bool replay_it(struct report_request *r, struct replayed *o, struct rp_error *err)
{
    struct progress bar;
    struct result_cache cache;
    if (!watch(r, o, err))
        return false;
    r->replay.progress = show;
    r->replay.progress_data = &bar;
    result_cache_begin(&cache, r->cache, r->quiet);
    progress_begin(&bar, "replaying", "warp instructions", r->quiet);
    bool fine = result_get(&cache, o->trace, o->machine, &r->replay, &o->result, err);
    progress_end(&bar);
    result_cache_end(&cache);
    return fine;
}

/* ---- data -------------------------------------------------------------------------------------------------------- */

static void put_value(void *object, const char *name, uint64_t value)
{
    if (value)
        json_put(object, name, json_number(value));
}

static json_t *values_json(const struct machine *m, const struct statistics *s, bool own)
{
    json_t *values = json_object();
    (own ? statistics_each_own : statistics_each)(m, s, put_value, values);
    json_put(values, "ipc", json_real(statistics_ipc(s)));
    json_put(values, "occupancy", json_real(statistics_occupancy(m, s)));
    return values;
}

static json_t *launch_row(const struct replayed *o, const struct replay_launch *l)
{
    const struct rp_launch *launch = rp_trace_launch(o->trace, l->launch);
    char kernel[PLAIN_NAME], grid[40], block[40];
    plain_kernel_name(rp_trace_kernel(o->trace, launch->kernel)->name, kernel);
    return json_pack("{s:I, s:o, s:s, s:s, s:I, s:I, s:b, s:o, s:o}", "launch", (json_int_t)l->launch, "kernel",
                     json_text(kernel), "grid", dimensions(launch->grid, grid), "block",
                     dimensions(launch->block, block), "begin", (json_int_t)l->begin, "end", (json_int_t)l->end,
                     "overlaps", (int)l->overlaps, "warning", json_text(*l->warning ? l->warning : NULL), "values",
                     values_json(o->machine, &l->statistics, l->overlaps));
}

static int longest_first(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x < y) - (x > y);
}

/* Which launches are shown: those longer than `cycles`, and of the `equal` ones that are as long `room`, evenly. */
struct shown {
    uint64_t cycles;
    size_t equal, room, seen; /* seen: of the equal ones */
};

static bool is_shown(struct shown *s, uint64_t cycles)
{
    if (cycles != s->cycles)
        return cycles > s->cycles;
    size_t i = s->seen++;
    return (i + 1) * s->room / s->equal > i * s->room / s->equal;
}

/* The `most` longest. */
static bool choose_shown(const struct launch_log *log, size_t most, struct shown *s, struct rp_error *err)
{
    struct replay_launch l;
    size_t count = 0;
    *s = (struct shown){.cycles = 0, .equal = 1, .room = 1};
    if (log->count <= most)
        return true;
    uint64_t *all = malloc(log->count * sizeof *all);
    if (!all)
        return rp_fail(err, RP_SYSTEM, "out of memory");
    for (struct launch_reader r = launch_log_read(log); launch_log_next(&r, &l);)
        all[count++] = l.statistics.cycles;
    qsort(all, count, sizeof *all, longest_first);
    s->cycles = all[most - 1];
    size_t first = most - 1, behind = most; /* of the equal ones */
    while (first && all[first - 1] == s->cycles)
        first--;
    while (behind < count && all[behind] == s->cycles)
        behind++;
    s->equal = behind - first;
    s->room = most - first;
    free(all);
    return true;
}

static bool put_launches(json_t *data, const struct replayed *o, struct rp_error *err)
{
    struct replay_launch l;
    struct shown shown;
    json_t *list = json_array();
    json_put(data, "launches", list);
    json_put(data, "launch_count", json_integer(o->result.launches.count));
    if (!choose_shown(&o->result.launches, MOST_LAUNCHES, &shown, err))
        return false;
    for (struct launch_reader r = launch_log_read(&o->result.launches); launch_log_next(&r, &l);)
        if (is_shown(&shown, l.statistics.cycles))
            json_add(list, launch_row(o, &l));
    return true;
}

static void explain(void *list, const char *name, const char *unit, const char *text)
{
    json_add(list, json_pack("[s, s, s]", name, unit, text));
}

static bool put_hotspots(const struct report_request *r, json_t *data, const struct replayed *o, struct rp_error *err)
{
    struct hotspots hot;
    if (!o->profile)
        return true;
    bool lines = places_have_lines(o->trace);
    struct places *places = places_new(o->trace, lines ? BY_LINE : BY_INSTRUCTION, 0, err);
    struct source_files *files = source_files_new(rp_trace_path(o->trace));
    bool fine = places && (files || rp_fail(err, RP_SYSTEM, "out of memory")) &&
                hotspots_sum(&hot, places, o->profile, o->result.total.cycles, o->machine, err);
    if (fine) {
        json_t *json = hotspots_json(&hot, r->top < 0 ? USUAL_LINES : r->top ? (size_t)r->top : EVERY, files);
        json_put(data, "hotspots", json);
        hotspots_free(&hot);
    }
    source_files_free(files);
    places_free(places);
    return fine;
}

static const char *option_of(void *data, const char *key)
{
    static struct option_line line;
    const struct machine *m = data;
    for (const char *text = m->text; option_line_next(&text, &line);)
        if (!strcmp(line.key, key))
            return line.value;
    return NULL;
}

static json_t *data_of(const struct report_request *r, struct replayed *o, struct rp_error *err)
{
    json_t *data = report_begin("replay", r->input, r->command), *trace = data ? trace_json(o->trace, err) : NULL;
    struct roofs roofs = roofs_of(option_of, o->machine);
    json_t *explanations = json_array();
    explanations_each(explain, explanations);
    json_put(data, "explanations", explanations);
    json_put(data, "trace", trace ? trace : json_null());
    json_put(data, "damage", json_text(rp_trace_damage(o->trace)));
    json_put(data, "machine", machine_json(o->machine));
    json_put(data, "engine", json_string(r->replay.engine == REPLAY_FAST ? "fast" : "reference"));
    json_put(data, "stored", json_boolean(r->cache != NULL));
    json_put(data, "roofs", roofs_json(&roofs));
    json_put(data, "total", values_json(o->machine, &o->result.total, false));
    if (trace && put_launches(data, o, err) && put_hotspots(r, data, o, err))
        return data;
    json_decref(data);
    return NULL;
}

/* ---- the command ------------------------------------------------------------------------------------------------- */

static bool open_input(const struct report_request *r, struct replayed *o, struct rp_error *err)
{
    struct machine *m = machine_args_open(&r->machine, NULL, 0, err); /* its errors come before those of the trace */
    bool fine = m && (o->trace = trace_of_launches(r->input, err));
    machine_free(m);
    if (!fine || !(o->machine = shares_machine_open(&r->machine, NULL, 0, o->trace, r->replay.launch, r->replay.threads,
                                                    &o->shares, err)))
        return false;
    if (!output_spares("-o", r->output, r->input, "the trace", err))
        return false;
    if (rp_trace_damage(o->trace) && !r->quiet)
        fprintf(stderr, "reprise: warning: %s\n", rp_trace_damage(o->trace));
    unsigned told = 0;
    if (!r->quiet)
        timeless_warn(o->machine, &told);
    return true;
}

int report_replay(struct report_request *r)
{
    struct rp_error err;
    struct replayed o = {.profile = NULL};
    bool replayed = open_input(r, &o, &err) && replay_it(r, &o, &err);
    json_t *data = replayed ? data_of(r, &o, &err) : NULL;
    bool written = data && report_write(r->output, data, &err);
    int status = written ? replay_status(o.trace, &o.result.launches) : command_fail(&err);
    if (written && !r->quiet)
        report_say(r->output, o.result.launches.count, "launch", "launches");
    if (replayed)
        result_free(&o.result);
    profile_free(o.profile);
    machine_free(o.machine);
    if (o.trace)
        rp_trace_close(o.trace);
    return status;
}
