/* Control words in the fast engine. The cycle of a signal is mostly known when its instruction issues. So a barrier is
 * a list of cycles, and also keeps the latest. If the cycle is not known, the instruction leaves a record. */
#include <stdlib.h>

#include "replay/engines/fast/control_words.h"

static inline uint64_t later(uint64_t a, uint64_t b) { return a > b ? a : b; }

/* ---- waiting ---------------------------------------------------------------------------------------------------- */

/* The first cycle, not before `from`, in which at most `most` signals are outstanding. */
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

enum stall fast_awaited_reason(const struct fast_sm *sm, const struct fast_warp *w, enum response_level *level)
{
    uint64_t control = w->next.instruction->control;
    unsigned awaited = rp_control_wait(control), counted = rp_control_counted_barrier(control);
    bool counts = rp_control_counts(control) && counted < RP_CONTROL_BARRIERS && !(awaited >> counted & 1) &&
                  few_left(&w->signals->barrier[counted], rp_control_count(control), sm->now - 1) == sm->now;
    awaited |= counts ? 1u << counted : 0;
    enum stall kind = STALL_COUNT;
    for (; awaited; awaited &= awaited - 1) {
        const struct fast_barrier_signals *s = &w->signals->barrier[__builtin_ctz(awaited)];
        for (uint32_t i = 0; i < s->count; i++) {
            const struct fast_signal *signal = &s->items[i];
            if (signal->release != sm->now || (enum stall)signal->kind > kind)
                continue;
            if ((enum stall)signal->kind < kind || signal->level > *level)
                *level = signal->level;
            kind = signal->kind;
        }
    }
    return kind;
}

/* ---- issue ------------------------------------------------------------------------------------------------------ */

/* Adds a signal to the barrier. */
static bool add(struct fast_barrier_signals *s, const struct fast_signal *signal, uint64_t now)
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
    s->items[s->count++] = *signal;
    s->latest = later(s->latest, signal->release);
    return true;
}

/* Whether a result of the unit and kind has an unknown end. */
static bool open_results(const struct fast_signals *s, unsigned unit, unsigned producer)
{
    for (uint32_t i = 0; i < s->record_count; i++)
        if (s->records[i].writes && s->records[i].unit == unit && s->records[i].producer == producer)
            return true;
    return false;
}

static bool add_record(struct fast_signals *s, const struct fast_record *r)
{
    if (s->record_count == s->record_capacity) {
        uint32_t capacity = s->record_capacity ? 2 * s->record_capacity : 8;
        struct fast_record *records = realloc(s->records, capacity * sizeof *records);
        if (!records)
            return false;
        s->records = records;
        s->record_capacity = capacity;
    }
    s->records[s->record_count++] = *r;
    return true;
}

static const enum stall kinds[] = {
    [PRODUCER_OTHER] = STALL_SCOREBOARD, [PRODUCER_SHARED] = STALL_SHARED, [PRODUCER_MEMORY] = STALL_MEMORY};

static void set_end(struct fast_signal *s, uint64_t entry)
{
    s->release = entry >> PRODUCER_BITS;
    s->level = (uint8_t)producer_level(entry & PRODUCER_MASK);
}

/* Signals the write barrier of the issuing instruction, and keeps the order of results. */
static bool send(struct fast_sm *sm, struct fast_warp *w, unsigned barrier, uint64_t done)
{
    struct fast_signals *s = w->signals;
    bool writes = w->next.instruction->dst_count, sends = barrier < RP_CONTROL_BARRIERS;
    uint8_t producer = w->producer < PRODUCER_MEMORY ? w->producer : PRODUCER_MEMORY;
    uint64_t *returned = &s->returned[w->unit][producer], entry = done << PRODUCER_BITS | w->producer;
    if (!writes && !sends)
        return true;
    if (done < UNKNOWN && !open_results(s, w->unit, producer)) {
        if (writes)
            *returned = later(*returned, entry);
        struct fast_signal signal = {.kind = (uint8_t)kinds[producer]};
        set_end(&signal, later(*returned, entry));
        return !sends || add(&s->barrier[barrier], &signal, sm->now);
    }
    struct fast_record r = {.done = done < UNKNOWN ? entry : UNKNOWN,
                            .returned = *returned,
                            .number = ++s->numbers,
                            .unit = w->unit,
                            .producer = producer,
                            .barrier = (uint8_t)barrier,
                            .writes = writes};
    if (done == UNKNOWN)
        sm->accesses[sm->token].record = r.number;
    struct fast_signal signal = {UNKNOWN, (uint8_t)kinds[producer], RESPONSE_NONE, r.number};
    return add_record(s, &r) && (!sends || add(&s->barrier[barrier], &signal, sm->now));
}

bool fast_apply_control_word(struct fast_sm *sm, struct fast_subcore *sc, struct fast_warp *w, uint64_t dispatched,
                             uint64_t done, struct rp_error *err)
{
    uint64_t control = w->next.instruction->control, stall = rp_control_stall(control);
    unsigned read = rp_control_read_barrier(control);
    w->control_until = sm->now + (stall ? stall : 1);
    sc->yielding = rp_control_yields(control) ? 1ull << w->slot : 0;
    sc->yields_at = sm->now + 1;
    bool fine = send(sm, w, rp_control_write_barrier(control), done);
    struct fast_signal operands = {.release = dispatched + w->initiation, .kind = STALL_OPERANDS};
    if (fine && read < RP_CONTROL_BARRIERS)
        fine = add(&w->signals->barrier[read], &operands, sm->now);
    return fine || rp_fail(err, RP_SYSTEM, "out of memory for the barriers of a warp");
}

/* ---- ends that are not known at issue ------------------------------------------------------------------------------
 */

static void set_release(struct fast_barrier_signals *s, uint32_t record, uint64_t entry)
{
    s->latest = 0;
    for (uint32_t i = 0; i < s->count; i++) {
        if (s->items[i].record == record) {
            set_end(&s->items[i], entry);
            s->items[i].record = 0;
        }
        s->latest = later(s->latest, s->items[i].release);
    }
}

/* All that the record waited for is known. `later_ones`: the records after it. */
static void settle(struct fast_signals *s, const struct fast_record *r, struct fast_record *later_ones, uint32_t count)
{
    if (r->barrier < RP_CONTROL_BARRIERS)
        set_release(&s->barrier[r->barrier], r->number, later(r->returned, r->done));
    if (!r->writes)
        return;
    uint64_t *returned = &s->returned[r->unit][r->producer];
    *returned = later(*returned, r->done);
    for (uint32_t i = 0; i < count; i++)
        if (later_ones[i].unit == r->unit && later_ones[i].producer == r->producer)
            later_ones[i].returned = later(later_ones[i].returned, r->done);
}

void fast_resolve(struct fast_warp *w, uint32_t record, uint64_t entry)
{
    struct fast_signals *s = w->signals;
    uint64_t open = 0; /* units and kinds with an earlier result of unknown end, PRODUCERS bits per unit */
    uint32_t kept = 0;
    for (uint32_t i = 0; i < s->record_count; i++) {
        struct fast_record *r = &s->records[i];
        uint64_t bit = 1ull << (r->unit * PRODUCERS + r->producer);
        if (r->number == record)
            r->done = entry;
        if (r->done == UNKNOWN || (open & bit)) {
            open |= r->writes ? bit : 0;
            s->records[kept++] = *r;
        } else {
            settle(s, r, r + 1, s->record_count - i - 1);
        }
    }
    s->record_count = kept;
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
    s->record_count = 0;
}

void fast_signals_free(struct fast_signals *s)
{
    for (unsigned b = 0; b < RP_CONTROL_BARRIERS; b++)
        free(s->barrier[b].items);
    free(s->records);
}
