#include "tools/timeline/flights.h"

#include <stdlib.h>
#include <string.h>

#define GUESSES (sizeof((struct flight_sm *)0)->guess / sizeof(uint32_t))

bool flights_open(struct flights *f, const struct rp_trace *trace, const struct machine *m, struct rp_error *err)
{
    *f = (struct flights){.trace = trace, .sm_count = (uint32_t)m->sms};
    f->sms = calloc(f->sm_count, sizeof *f->sms);
    return f->sms || rp_fail(err, RP_SYSTEM, "out of memory for a timeline");
}

static void free_slot(struct flight_slot *s)
{
    for (uint32_t w = 0; w < s->warp_room; w++) {
        free(s->warp[w].ring);
        free(s->warp[w].rows);
    }
    free(s->warp);
}

void flights_close(struct flights *f)
{
    for (uint32_t i = 0; f->sms && i < f->sm_count; i++) {
        for (uint32_t s = 0; s < f->sms[i].slot_count; s++)
            free_slot(&f->sms[i].slots[s]);
        free(f->sms[i].slots);
    }
    free(f->sms);
    *f = (struct flights){0};
}

/* ---- blocks ------------------------------------------------------------------------------------------------------ */

/* More elements, which are zero. False: memory ran out. */
static bool grow(void **list, uint32_t *room, uint32_t most, size_t size)
{
    if (most <= *room)
        return true;
    char *more = realloc(*list, most * size);
    if (!more)
        return false;
    memset(more + *room * size, 0, (most - *room) * size);
    *list = more;
    *room = most;
    return true;
}

static struct flight_slot *free_slot_of(struct flight_sm *sm)
{
    uint32_t s = 0;
    while (s < sm->slot_count && sm->slots[s].taken)
        s++;
    void *slots = sm->slots;
    bool fine = grow(&slots, &sm->slot_count, s + 1, sizeof *sm->slots);
    sm->slots = slots;
    return fine ? &sm->slots[s] : NULL;
}

struct flight_slot *flights_place(struct flights *f, const struct observed_block *b)
{
    struct flight_sm *sm = &f->sms[b->sm];
    struct flight_slot *slot = free_slot_of(sm);
    uint32_t warps = rp_launch_warps(rp_trace_launch(f->trace, b->launch));
    void *list = slot ? slot->warp : NULL;
    if (!slot || !grow(&list, &slot->warp_room, warps, sizeof *slot->warp)) {
        f->starved = true;
        return NULL;
    }
    slot->warp = list;
    slot->taken = true;
    slot->launch = b->launch;
    slot->block = b->block;
    slot->since = b->cycle;
    slot->warps = warps;
    for (uint32_t w = 0; w < warps; w++)
        slot->warp[w].first = slot->warp[w].next = 0;
    sm->guess[b->block % GUESSES] = (uint32_t)(slot - sm->slots);
    return slot;
}

static bool has(const struct flight_slot *s, uint32_t launch, uint64_t block)
{
    return s->taken && s->block == block && s->launch == launch;
}

struct flight_slot *flights_find(const struct flights *f, uint32_t sm, uint32_t launch, uint64_t block)
{
    struct flight_sm *of = &f->sms[sm];
    uint32_t guess = of->guess[block % GUESSES];
    if (guess < of->slot_count && has(&of->slots[guess], launch, block))
        return &of->slots[guess];
    for (uint32_t s = 0; s < of->slot_count; s++)
        if (has(&of->slots[s], launch, block)) {
            of->guess[block % GUESSES] = s;
            return &of->slots[s];
        }
    return NULL;
}

void flights_leave(struct flight_slot *s)
{
    s->taken = false;
    for (uint32_t w = 0; w < s->warps; w++)
        for (uint32_t r = 0; r < s->warp[w].row_count; r++)
            s->warp[w].rows[r].free = 0;
}

/* ---- instructions ------------------------------------------------------------------------------------------------ */

static struct flight *at(const struct flight_warp *w, uint64_t number) { return &w->ring[number & (w->size - 1)]; }

static bool grow_ring(struct flight_warp *w)
{
    uint64_t size = w->size ? 2 * w->size : 16;
    struct flight *ring = malloc(size * sizeof *ring);
    if (!ring)
        return false;
    for (uint64_t n = w->first; n < w->next; n++)
        ring[n & (size - 1)] = *at(w, n);
    free(w->ring);
    w->ring = ring;
    w->size = size;
    return true;
}

/* UINT32_MAX: memory ran out. */
static uint32_t take_row(struct flight_warp *w, uint64_t cycle)
{
    uint32_t r = 0;
    while (r < w->row_count && w->rows[r].free > cycle)
        r++;
    void *rows = w->rows;
    if (!grow(&rows, &w->row_count, r + 1, sizeof *w->rows))
        return UINT32_MAX;
    w->rows = rows;
    w->rows[r].free = UINT64_MAX;
    return r;
}

struct flight *flights_issue(struct flights *f, struct flight_slot *s, const struct observed_issue *i)
{
    struct flight_warp *w = &s->warp[i->warp];
    uint32_t row = take_row(w, i->cycle);
    if (row == UINT32_MAX || (w->next - w->first == w->size && !grow_ring(w))) {
        f->starved = true;
        return NULL;
    }
    struct flight *flight = at(w, w->next++);
    *flight = (struct flight){.issue = i->cycle,
                              .initiation = (uint32_t)i->initiation,
                              .index = i->index,
                              .row = row,
                              .unit = (uint8_t)i->unit,
                              .subcore = (uint8_t)i->subcore,
                              .pending = true};
    return flight;
}

struct flight *flights_end(struct flight_slot *s, const struct observed_done *d)
{
    struct flight_warp *w = &s->warp[d->warp];
    if (d->number < w->first || d->number >= w->next)
        return NULL;
    struct flight *flight = at(w, d->number);
    flight->pending = false;
    w->rows[flight->row].free = d->cycle;
    while (w->first < w->next && !at(w, w->first)->pending)
        w->first++;
    return flight;
}
