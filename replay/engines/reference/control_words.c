/* Control words in the reference engine: the barriers that a warp waits for and signals. */
#include <stdlib.h>

#include "replay/engines/reference/reference.h"

/* Why the warp must wait for the outstanding signals of one barrier; STALL_COUNT: at most `most` are outstanding. The
 * reason is that of the signal that comes next. */
static enum stall outstanding(const struct ref_signals *s, size_t most, uint64_t now, enum response_level *level)
{
    enum stall kind = STALL_COUNT;
    uint64_t next = UINT64_MAX;
    size_t count = 0;
    for (size_t i = 0; i < s->count; i++) {
        const struct ref_signal *signal = &s->items[i];
        uint64_t release = signal->awaits ? UNKNOWN : response_cycle(signal->response);
        enum response_level by = response_level(signal->response);
        if (release <= now)
            continue;
        count++;
        if (release > next || (release == next && signal->kind > kind))
            continue;
        if (release < next || signal->kind < kind || by > *level)
            *level = by;
        next = release;
        kind = signal->kind;
    }
    return count > most ? kind : STALL_COUNT;
}

enum stall ref_awaited(const struct ref_warp *w, uint64_t cycle, enum response_level *level)
{
    uint64_t control = w->next.instruction->control;
    enum stall kind = STALL_COUNT;
    for (unsigned b = 0; b < RP_CONTROL_BARRIERS; b++) {
        enum stall why = STALL_COUNT;
        enum response_level by = RESPONSE_NONE;
        if (rp_control_wait(control) >> b & 1)
            why = outstanding(&w->signals[b], 0, cycle, &by);
        else if (rp_control_counts(control) && rp_control_counted_barrier(control) == b)
            why = outstanding(&w->signals[b], rp_control_count(control), cycle, &by);
        if (why < kind || (why == kind && by > *level))
            *level = by;
        kind = why < kind ? why : kind;
    }
    return kind;
}

static bool add(struct ref_signals *s, const struct ref_signal *signal, uint64_t now)
{
    size_t kept = 0;
    for (size_t i = 0; i < s->count; i++)
        if (s->items[i].awaits || response_cycle(s->items[i].response) > now)
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
    s->items[s->count++] = *signal;
    return true;
}

/* The number of instructions in flight whose results must come before that of an instruction which this warp issues
 * now. */
static unsigned in_flight(const struct reference *r, const struct ref_warp *w, unsigned unit, enum stall kind)
{
    unsigned count = 0;
    for (size_t i = 0; i < r->in_flight_room; i++) {
        const struct ref_in_flight *f = &r->in_flight[i];
        count += f->warp == w && f->result && f->unit == unit && f->kind == kind && f->number < w->issued;
    }
    return count;
}

void ref_signal_known(struct ref_warp *w, const struct ref_in_flight *f, uint64_t response)
{
    uint64_t *returned = &w->returned[f->unit][f->kind];
    if (f->result && *returned < response)
        *returned = response;
    for (unsigned b = 0; b < RP_CONTROL_BARRIERS; b++)
        for (size_t i = 0; i < w->signals[b].count; i++) {
            struct ref_signal *s = &w->signals[b].items[i];
            if (!s->awaits || s->unit != f->unit || s->kind != f->kind || s->number < f->number ||
                (s->number > f->number && !f->result))
                continue;
            s->awaits--;
            s->response = response > s->response ? response : s->response;
        }
}

bool ref_apply_control_word(struct reference *r, struct ref_warp *w, const struct ref_issued *i, struct rp_error *err)
{
    uint64_t control = w->next.instruction->control, stall = rp_control_stall(control);
    unsigned write = rp_control_write_barrier(control), read = rp_control_read_barrier(control);
    w->control_until = r->now + (rp_control_pairs(control) ? 0 : stall ? stall : 1);
    w->yields_at = rp_control_yields(control) ? r->now + 1 : UINT64_MAX;
    bool known = i->token == NO_TOKEN, fine = true;
    uint64_t *returned = &w->returned[i->timing->unit][i->kind], response = known ? response_of(i->done, i->level) : 0;
    if (w->next.instruction->dst_count && *returned < response)
        *returned = response;
    struct ref_signal signal = {.response = *returned > response ? *returned : response,
                                .awaits = in_flight(r, w, i->timing->unit, i->kind) + !known,
                                .number = w->issued,
                                .unit = i->timing->unit,
                                .kind = i->kind};
    if (write < RP_CONTROL_BARRIERS)
        fine = add(&w->signals[write], &signal, r->now);
    signal = (struct ref_signal){.response = response_of(i->dispatched + i->timing->initiation, RESPONSE_NONE),
                                 .kind = STALL_OPERANDS};
    if (fine && read < RP_CONTROL_BARRIERS)
        fine = add(&w->signals[read], &signal, r->now);
    return fine || rp_fail(err, RP_SYSTEM, "out of memory for the barriers of a warp");
}
