/* Control words in the reference engine: what the warp's barriers say. */
#include <stdlib.h>

#include "replay/reference/reference.h"

/* What the signals of one barrier that are outstanding hold up, STALL_COUNT when there are at most `most`. Said to be
 * the one that comes next. */
static enum stall outstanding(const struct ref_signals *s, size_t most, uint64_t now)
{
    enum stall kind = STALL_COUNT;
    uint64_t next = UINT64_MAX;
    size_t count = 0;
    for (size_t i = 0; i < s->count; i++) {
        const struct ref_signal *signal = &s->items[i];
        if (signal->release <= now)
            continue;
        count++;
        if (signal->release > next || (signal->release == next && signal->kind > kind))
            continue;
        next = signal->release;
        kind = signal->kind;
    }
    return count > most ? kind : STALL_COUNT;
}

enum stall ref_awaited(const struct reference *r, const struct ref_warp *w)
{
    uint64_t control = w->next.instruction->control;
    enum stall kind = STALL_COUNT;
    for (unsigned b = 0; b < RP_CONTROL_BARRIERS; b++) {
        enum stall why = STALL_COUNT;
        if (rp_control_wait(control) >> b & 1)
            why = outstanding(&w->signals[b], 0, r->now);
        else if (rp_control_counts(control) && rp_control_counted_barrier(control) == b)
            why = outstanding(&w->signals[b], rp_control_count(control), r->now);
        kind = why < kind ? why : kind;
    }
    return kind;
}

static bool add(struct ref_signals *s, uint64_t release, enum stall kind, uint64_t now)
{
    size_t kept = 0;
    for (size_t i = 0; i < s->count; i++)
        if (s->items[i].release > now)
            s->items[kept++] = s->items[i];
    s->count = kept;
    if (s->count == s->capacity) {
        size_t capacity = s->capacity ? 2 * s->capacity : 8;
        struct ref_signal *items = realloc(s->items, capacity * sizeof *items);
        if (!items)
            return false;
        s->items = items;
        s->capacity = capacity;
    }
    s->items[s->count++] = (struct ref_signal){release, kind};
    return true;
}

bool ref_obey(struct reference *r, struct ref_warp *w, const struct ref_issued *i, struct rp_error *err)
{
    uint64_t control = w->next.instruction->control, stall = rp_control_stall(control);
    unsigned write = rp_control_write_barrier(control), read = rp_control_read_barrier(control);
    w->control_until = r->now + (rp_control_pairs(control) ? 0 : stall ? stall : 1);
    w->yields_at = rp_control_yields(control) ? r->now + 1 : UINT64_MAX;
    uint64_t *returned = &w->returned[i->timing->unit][i->kind];
    if (w->next.instruction->dst_count && *returned < i->done)
        *returned = i->done;
    bool fine = true;
    if (write < RP_CONTROL_BARRIERS)
        fine = add(&w->signals[write], *returned > i->done ? *returned : i->done, i->kind, r->now);
    if (fine && read < RP_CONTROL_BARRIERS)
        fine = add(&w->signals[read], i->dispatched + i->timing->initiation, STALL_OPERANDS, r->now);
    return fine || rp_fail(err, RP_SYSTEM, "out of memory for the barriers of a warp");
}
