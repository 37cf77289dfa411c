/* A state is all that the future of a block depends on, in cycles relative to the present one: for each unit and port,
 * how much longer it is occupied; for each warp its next op, the time until that may issue, and the time until its
 * results in flight are there. States are taken in the first cycle in which some warp may issue. Level n holds all
 * states after n issues, each with the latest cycle in which it can be reached: of two schedules that lead to the same
 * state, the later one ends later.
 *
 * The launch is over when its last result is written. That is the maximum over all issues, so states do not contain
 * results for which no instruction waits.
 */
#include "tools/wcet/exhaust.h"

#include <stdlib.h>
#include <string.h>

#include "tools/lib/interrupt.h"
#include "tools/wcet/paths.h"
#include "tools/wcet/states.h"

/* The fields of a warp: its next op, cycles until that may issue, and by place the cycles until the result is there. */
enum { NEXT, READY, PLACES };

struct search {
    const struct wcet_paths *paths;
    const struct wcet_path **path; /* by warp; warps with the same path are adjacent */
    uint32_t record;               /* fields of a warp */
    struct wcet_states now, next;
    uint64_t longest;
    bool too_long; /* a time exceeds what a field holds */
};

static uint64_t later(uint64_t a, uint64_t b) { return a > b ? a : b; }

static uint16_t *warp_of(const struct search *s, uint16_t *state, uint32_t w)
{
    return state + s->paths->kept + (size_t)w * s->record;
}

static const struct wcet_path_op *op_of(const struct search *s, const uint16_t *warp, uint32_t w)
{
    const struct wcet_path *path = s->path[w];
    return warp[NEXT] < path->count ? &path->ops[warp[NEXT]] : NULL;
}

static uint16_t field(struct search *s, uint64_t cycles)
{
    s->too_long |= cycles > UINT16_MAX;
    return (uint16_t)cycles;
}

/* ---- an issue ------------------------------------------------------------------------------------------------------
 */

/* The warp reaches its next op, which issues `pause` cycles from now at the earliest. */
static void arrive(struct search *s, uint16_t *warp, uint32_t w, uint32_t pause)
{
    const struct wcet_path_op *op = op_of(s, warp, w);
    warp[READY] = 0;
    if (!op)
        memset(warp + PLACES, 0, s->paths->places * sizeof *warp);
    else if (!op->wait)
        warp[READY] = field(s, pause);
    if (!op || op->takes == WCET_PATH_NONE)
        return;
    uint16_t result = warp[PLACES + op->takes];
    warp[READY] = result > warp[READY] ? result : warp[READY];
}

/* Opens the barrier if each warp waits at it or has ended. */
static void open_barrier(struct search *s, uint16_t *state)
{
    for (uint32_t w = 0; w < s->paths->warps; w++) {
        const struct wcet_path_op *op = op_of(s, warp_of(s, state, w), w);
        if (op && !op->wait)
            return;
    }
    for (uint32_t w = 0; w < s->paths->warps; w++) {
        uint16_t *warp = warp_of(s, state, w);
        if (!op_of(s, warp, w))
            continue;
        warp[NEXT]++;
        arrive(s, warp, w, s->paths->release);
    }
}

/* Warp w issues now. Returns the cycles until its result is there. */
static uint64_t issue(struct search *s, uint16_t *state, uint32_t w)
{
    uint16_t *warp = warp_of(s, state, w);
    const struct wcet_path_op *op = op_of(s, warp, w), *next;
    uint64_t dispatch = 0;
    if (op->unit != WCET_PATH_NONE) {
        dispatch = state[op->unit];
        state[op->unit] = field(s, dispatch + op->initiation);
    }
    uint64_t start = dispatch + op->arrival;
    if (op->port != WCET_PATH_NONE) {
        start = later(start, state[op->port]);
        state[op->port] = field(s, start + op->occupancy);
    }
    uint64_t done = later(dispatch + op->initiation, start + op->duration) + op->latency;
    if (op->gives != WCET_PATH_NONE)
        warp[PLACES + op->gives] = field(s, later(warp[PLACES + op->gives], done));
    warp[NEXT]++;
    arrive(s, warp, w, op->pause);
    next = op_of(s, warp, w);
    if (!next || next->wait)
        open_barrier(s, state);
    return done;
}

/* ---- the state after it --------------------------------------------------------------------------------------------
 */

/* Cycles until the first warp may issue; UINT32_MAX: all warps have ended. */
static uint32_t soonest(const struct search *s, uint16_t *state)
{
    uint32_t soon = UINT32_MAX;
    for (uint32_t w = 0; w < s->paths->warps; w++) {
        const uint16_t *warp = warp_of(s, state, w);
        const struct wcet_path_op *op = op_of(s, warp, w);
        if (!op || op->wait)
            continue;
        uint32_t ready = warp[READY];
        if (op->refused && state[op->unit] > ready)
            ready = state[op->unit];
        soon = ready < soon ? ready : soon;
    }
    return soon;
}

static uint16_t less(uint16_t cycles, uint32_t passed) { return cycles > passed ? (uint16_t)(cycles - passed) : 0; }

static void pass(const struct search *s, uint16_t *state, uint32_t cycles)
{
    for (uint32_t k = 0; k < s->paths->kept; k++)
        state[k] = less(state[k], cycles);
    for (uint32_t w = 0; w < s->paths->warps; w++) {
        uint16_t *warp = warp_of(s, state, w);
        for (uint32_t i = READY; i < s->record; i++)
            warp[i] = less(warp[i], cycles);
    }
}

/* Clears times that end before any warp can depend on them: states that differ only in these have the same future. */
static void forget(const struct search *s, uint16_t *state)
{
    uint32_t kept = s->paths->kept, places = s->paths->places;
    for (uint32_t k = 0; k < kept; k++) {
        if (!state[k])
            continue;
        bool met = false;
        for (uint32_t w = 0; !met && w < s->paths->warps; w++) {
            const uint16_t *warp = warp_of(s, state, w);
            uint32_t least = wcet_path_least(s->paths, s->path[w], warp[NEXT])[k];
            met = least != WCET_PATH_NEVER && warp[READY] + least < state[k];
        }
        if (!met)
            state[k] = 0;
    }
    for (uint32_t w = 0; w < s->paths->warps; w++) {
        uint16_t *warp = warp_of(s, state, w);
        const uint16_t *least = wcet_path_least(s->paths, s->path[w], warp[NEXT]) + kept;
        for (uint32_t i = 0; i < places; i++)
            if (warp[PLACES + i] <= (uint32_t)warp[READY] + least[i])
                warp[PLACES + i] = 0;
    }
}

static int compare(const struct search *s, const uint16_t *a, const uint16_t *b)
{
    for (uint32_t i = 0; i < s->record; i++)
        if (a[i] != b[i])
            return a[i] < b[i] ? -1 : 1;
    return 0;
}

/* Sorts warps with the same path, so that states that differ only by a permutation of them become equal. */
static void sort(const struct search *s, uint16_t *state)
{
    for (uint32_t i = 1; i < s->paths->warps; i++)
        for (uint32_t w = i; w && s->path[w] == s->path[w - 1]; w--) {
            uint16_t *warp = warp_of(s, state, w), *before = warp_of(s, state, w - 1);
            if (compare(s, before, warp) <= 0)
                break;
            for (uint32_t k = 0; k < s->record; k++) {
                uint16_t swap = warp[k];
                warp[k] = before[k];
                before[k] = swap;
            }
        }
}

/* ---- levels --------------------------------------------------------------------------------------------------------
 */

/* Warp w issues in the state, which is in level `now`. */
static bool follow(struct search *s, const uint16_t *from, uint64_t cycle, uint32_t w, struct rp_error *err)
{
    uint16_t *state = wcet_states_room(&s->next, err);
    if (!state)
        return false;
    memcpy(state, from, s->next.fields * sizeof *state);
    s->longest = later(s->longest, cycle + issue(s, state, w));
    uint32_t passed = soonest(s, state);
    if (passed == UINT32_MAX)
        return true;
    passed = passed ? passed : 1;
    pass(s, state, passed);
    forget(s, state);
    sort(s, state);
    wcet_states_keep(&s->next, cycle + passed);
    return true;
}

static bool expand(struct search *s, uint32_t index, struct rp_error *err)
{
    uint16_t *state = wcet_state(&s->now, index);
    for (uint32_t w = 0; w < s->paths->warps; w++) {
        const uint16_t *warp = warp_of(s, state, w);
        const struct wcet_path_op *op = op_of(s, warp, w);
        if (!op || op->wait || warp[READY] || (op->refused && state[op->unit]))
            continue;
        if (w && s->path[w] == s->path[w - 1] && !compare(s, warp_of(s, state, w - 1), warp))
            continue;
        if (!follow(s, state, s->now.cycle[index], w, err))
            return false;
    }
    return true;
}

static bool begin(struct search *s, const struct wcet_paths *p, struct rp_error *err)
{
    uint32_t fields;
    *s = (struct search){.paths = p, .record = PLACES + p->places, .longest = 1};
    s->path = calloc(p->warps + 1, sizeof(struct wcet_path *));
    fields = p->kept + p->warps * s->record;
    if (!s->path || !wcet_states_begin(&s->now, fields) || !wcet_states_begin(&s->next, fields))
        return rp_fail(err, RP_SYSTEM, "out of memory for the states of a launch");
    uint32_t w = 0;
    for (uint32_t i = 0; i < p->count; i++)
        for (uint32_t n = 0; n < p->paths[i].alike; n++)
            s->path[w++] = &p->paths[i];
    uint16_t *state = wcet_states_room(&s->now, err);
    if (!state)
        return false;
    memset(state, 0, s->now.fields * sizeof *state);
    if (soonest(s, state) != UINT32_MAX)
        wcet_states_keep(&s->now, p->start);
    return true;
}

static void end(struct search *s)
{
    free(s->path);
    wcet_states_end(&s->now);
    wcet_states_end(&s->next);
}

#define REPORT_EVERY 65536

/* Finds the states of the next level; *fits: there are not too many. */
static bool next_level(struct search *s, uint64_t most, bool *fits, struct rp_error *err)
{
    wcet_states_clear(&s->next);
    *fits = true;
    for (uint32_t i = 0; *fits && !interrupted() && i < s->now.count; i++) {
        if (!expand(s, i, err))
            return false;
        *fits = !s->too_long && s->next.count <= most;
    }
    return true;
}

static bool run(struct search *s, uint64_t budget, const struct wcet_watch *watch, struct wcet_exact *out,
                struct rp_error *err)
{
    uint64_t reported = 0, issues = 0;
    bool fits;
    out->states = s->now.count;
    fits = out->states <= budget;
    while (fits && !interrupted() && s->now.count) {
        if (!next_level(s, budget - out->states, &fits, err))
            return false;
        out->states += s->next.count;
        issues++;
        if (watch && watch->searched && out->states - reported >= REPORT_EVERY) {
            reported = out->states;
            watch->searched(watch->progress_data, out->states, issues);
        }
        struct wcet_states done = s->now;
        s->now = s->next;
        s->next = done;
    }
    out->stopped = fits && s->now.count;
    out->cycles = fits && !out->stopped ? s->longest : 0;
    out->too_many = !fits && !s->too_long;
    return true;
}

bool wcet_exhaust(struct rp_trace *t, uint32_t launch, const struct machine *machine, unsigned extensions,
                  struct wcet_states_budget *left, const struct wcet_watch *watch, struct wcet_exact *out,
                  struct rp_error *err)
{
    uint64_t budget = left->launch < left->all ? left->launch : left->all;
    const struct rp_launch *l = rp_trace_launch(t, launch);
    struct wcet_model model;
    struct wcet_paths paths;
    struct search search;
    *out = (struct wcet_exact){0};
    out->too_many = rp_trace_launch_totals(t, launch).warp_instructions > budget;
    out->stopped = interrupted();
    if (out->too_many || out->stopped || !budget)
        return true;
    if (!wcet_model_begin(&model, machine, rp_trace_kernel(t, l->kernel), l, extensions, err))
        return false;
    bool fine = wcet_paths_read(&paths, &model, t, launch, err);
    wcet_model_end(&model);
    if (!fine || !paths.paths)
        return fine;
    fine = begin(&search, &paths, err);
    uint64_t several = ((uint64_t)search.now.fields + WCET_STATE_FIELDS - 1) / WCET_STATE_FIELDS;
    fine = fine && run(&search, budget / several, watch, out, err);
    out->cycles += out->cycles ? (uint64_t)machine->launch_latency : 0;
    end(&search);
    wcet_paths_free(&paths);
    uint64_t taken = out->states * several;
    left->all -= taken < left->all ? taken : left->all;
    return fine;
}
