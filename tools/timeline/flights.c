#include "tools/timeline/flights.h"

#include <stdlib.h>
#include <string.h>

#define GUESSES (sizeof((struct flight_sm *)0)->guess / sizeof(uint32_t))

bool flights_open(struct flights *f, const struct rp_trace *trace, const struct machine *m, bool rows,
                  struct rp_error *err)
{
    *f = (struct flights){.trace = trace, .rows = rows, .sm_count = (uint32_t)m->sms};
    f->sms = calloc(f->sm_count, sizeof *f->sms);
    return f->sms || rp_fail(err, RP_SYSTEM, "out of memory for a timeline");
}

static void free_slot(struct flight_slot *s)
{
    for (uint32_t w = 0; w < s->warp_room; w++) {
        free(s->warp[w].list);
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

/* Puts the last instruction into its warp's list. */
static void put_last(struct flights *f)
{
    struct flight_warp *w = &f->last_slot->warp[f->last.warp];
    void *list = w->list;
    bool fine = w->count < w->room || grow(&list, &w->room, 2 * w->room + 4, sizeof *w->list);
    w->list = list;
    f->last_slot = NULL;
    if (fine)
        w->list[w->count++] = f->last;
    else
        f->starved = true;
}

/* The slots may move. */
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
    if (f->last_slot)
        put_last(f);
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
    slot->labels = NULL;
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

void flights_leave(struct flights *f, struct flight_slot *s)
{
    if (f->last_slot == s)
        f->last_slot = NULL;
    s->taken = false;
    for (uint32_t w = 0; w < s->warps; w++) {
        s->warp[w].count = 0;
        for (uint32_t r = 0; r < s->warp[w].row_count; r++)
            s->warp[w].rows[r].free = 0;
    }
}

/* ---- instructions ------------------------------------------------------------------------------------------------ */

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

void flights_issue(struct flights *f, const struct observed_issue *i)
{
    if (f->last_slot)
        put_last(f);
    struct flight_slot *s = flights_find(f, i->sm, i->launch, i->block);
    uint32_t row = s && f->rows ? take_row(&s->warp[i->warp], i->cycle) : 0;
    if (!s || row == UINT32_MAX) {
        f->starved |= row == UINT32_MAX;
        return;
    }
    f->last_slot = s;
    f->last.number = i->number;
    f->last.issue = i->cycle;
    f->last.initiation = (uint32_t)i->initiation;
    f->last.index = i->index;
    f->last.row = row;
    f->last.warp = (uint16_t)i->warp;
    f->last.unit = (uint8_t)i->unit;
    f->last.subcore = i->subcore & 0x7f;
    f->last.second = i->second;
}

static bool is_last(const struct flights *f, const struct observed_done *d)
{
    return f->last_slot && f->last.number == d->number && f->last.warp == d->warp &&
           has(f->last_slot, d->launch, d->block);
}

/* Takes it out of its warp's list. */
static bool take(struct flight_warp *w, uint64_t number, struct flight *out)
{
    for (uint32_t n = 0; n < w->count; n++)
        if (w->list[n].number == number) {
            *out = w->list[n];
            w->list[n] = w->list[--w->count];
            return true;
        }
    return false;
}

const struct flight *flights_end(struct flights *f, const struct observed_done *d, struct flight_slot **slot)
{
    const struct flight *flight = &f->last;
    if (is_last(f, d)) {
        *slot = f->last_slot;
        f->last_slot = NULL;
    } else if ((*slot = flights_find(f, d->sm, d->launch, d->block)) &&
               take(&(*slot)->warp[d->warp], d->number, &f->ended)) {
        flight = &f->ended;
    } else {
        return NULL;
    }
    if (f->rows)
        (*slot)->warp[d->warp].rows[flight->row].free = d->cycle;
    return flight;
}
