/* Control words in the fast engine. A signal's cycle is known when its instruction issues; so a barrier is a list of
 * cycles, of which the latest is kept at hand. */
#include <stdlib.h>

#include "replay/fast/control_words.h"

static inline uint64_t later(uint64_t a, uint64_t b) { return a > b ? a : b; }

/* ---- waiting ---------------------------------------------------------------------------------------------------- */

/* The first cycle in which at most `most` signals are outstanding: at least `from`, and exact from there on. */
static uint64_t few_left(const struct fast_barrier_signals *s, uint32_t most, uint64_t from)
{
    for (uint64_t at = from;;) {
        uint32_t outstanding = 0;
        uint64_t next = NEVER;
        for (uint32_t i = 0; i < s->count; i++)
            if (s->items[i].release > at) {
                outstanding++;
                next = s->items[i].release < next ? s->items[i].release : next;
            }
        if (outstanding <= most)
            return at;
        at = next;
    }
}

uint64_t fast_awaited(const struct fast_sm *sm, const struct fast_warp *w)
{
    uint64_t control = w->next.instruction->control, wake = 0;
    for (unsigned wait = rp_control_wait(control); wait; wait &= wait - 1)
        wake = later(wake, w->signals->barrier[__builtin_ctz(wait)].latest);
    unsigned counted = rp_control_counted_barrier(control);
    if (rp_control_counts(control) && counted < RP_CONTROL_BARRIERS)
        wake = later(wake, few_left(&w->signals->barrier[counted], rp_control_count(control), sm->now));
    return wake;
}

enum stall fast_awaited_reason(const struct fast_sm *sm, const struct fast_warp *w)
{
    uint64_t control = w->next.instruction->control;
    unsigned awaited = rp_control_wait(control), counted = rp_control_counted_barrier(control);
    bool counts = rp_control_counts(control) && counted < RP_CONTROL_BARRIERS && !(awaited >> counted & 1) &&
                  few_left(&w->signals->barrier[counted], rp_control_count(control), sm->now - 1) == sm->now;
    awaited |= counts ? 1u << counted : 0;
    enum stall kind = STALL_COUNT;
    for (; awaited; awaited &= awaited - 1) {
        const struct fast_barrier_signals *s = &w->signals->barrier[__builtin_ctz(awaited)];
        for (uint32_t i = 0; i < s->count; i++)
            if (s->items[i].release == sm->now && (enum stall)s->items[i].kind < kind)
                kind = s->items[i].kind;
    }
    return kind;
}

/* ---- issue ------------------------------------------------------------------------------------------------------ */

static bool add(struct fast_barrier_signals *s, uint64_t release, enum stall kind, uint64_t now)
{
    if (s->count == s->capacity) {
        uint32_t kept = 0;
        for (uint32_t i = 0; i < s->count; i++)
            if (s->items[i].release > now)
                s->items[kept++] = s->items[i];
        s->count = kept;
    }
    if (s->count == s->capacity) {
        uint32_t capacity = s->capacity ? 2 * s->capacity : 8;
        struct fast_signal *items = realloc(s->items, capacity * sizeof *items);
        if (!items)
            return false;
        s->items = items;
        s->capacity = capacity;
    }
    s->items[s->count++] = (struct fast_signal){release, (uint8_t)kind};
    s->latest = later(s->latest, release);
    return true;
}

bool fast_obey(struct fast_sm *sm, struct fast_subcore *sc, struct fast_warp *w, uint64_t dispatched, uint64_t done,
               struct rp_error *err)
{
    static const enum stall kinds[] = {
        [PRODUCER_OTHER] = STALL_SCOREBOARD, [PRODUCER_SHARED] = STALL_SHARED, [PRODUCER_MEMORY] = STALL_MEMORY};
    const struct rp_instruction *in = w->next.instruction;
    uint64_t control = in->control, stall = rp_control_stall(control);
    unsigned write = rp_control_write_barrier(control), read = rp_control_read_barrier(control);
    w->control_until = sm->now + (stall ? stall : 1);
    sc->yielding = rp_control_yields(control) ? 1ull << w->slot : 0;
    sc->yields_at = sm->now + 1;
    uint64_t *returned = &w->signals->returned[w->unit][w->producer];
    if (in->dst_count)
        *returned = later(*returned, done);
    bool fine = true;
    if (write < RP_CONTROL_BARRIERS)
        fine = add(&w->signals->barrier[write], later(*returned, done), kinds[w->producer], sm->now);
    if (fine && read < RP_CONTROL_BARRIERS)
        fine = add(&w->signals->barrier[read], dispatched + w->initiation, STALL_OPERANDS, sm->now);
    return fine || rp_fail(err, RP_SYSTEM, "out of memory for the barriers of a warp");
}

void fast_signals_clear(struct fast_signals *s)
{
    for (unsigned b = 0; b < RP_CONTROL_BARRIERS; b++) {
        s->barrier[b].count = 0;
        s->barrier[b].latest = 0;
    }
    for (unsigned u = 0; u < MACHINE_UNITS; u++)
        for (unsigned p = 0; p < PRODUCERS; p++)
            s->returned[u][p] = 0;
}

void fast_signals_free(struct fast_signals *s)
{
    for (unsigned b = 0; b < RP_CONTROL_BARRIERS; b++)
        free(s->barrier[b].items);
}
