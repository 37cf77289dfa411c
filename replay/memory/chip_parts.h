/* What the parts of the chip share: chip.c (ports and the loop over events), slice.c, channel.c and replies.c. */
#ifndef REPRISE_REPLAY_MEMORY_CHIP_PARTS_H
#define REPRISE_REPLAY_MEMORY_CHIP_PARTS_H

#include "replay/memory/chip.h"

static inline uint64_t later(uint64_t a, uint64_t b) { return a > b ? a : b; }

/* The order of the events of one kind in a cycle: channels and slices by number; requests by (SM, sequence), what has
 * become of their sectors (a part) by the first of these, with the fetches around them (fill_around) behind each, and a
 * write-back before the request that caused it. */
#define KEYS_OF_PART 16
#define KEYS_OF_REQUEST (REQUEST_SECTORS * KEYS_OF_PART)
static inline void chip_order_as_part(struct chip_request *r)
{
    const uint64_t of_request = r->event.key / KEYS_OF_REQUEST * KEYS_OF_REQUEST | 1;
    r->event.key = of_request + (unsigned)__builtin_ctz(r->of.sectors) * KEYS_OF_PART;
}

/* ---- events and requests, for all parts -------------------------------------------------------------------------- */

static inline void chip_add_event(struct memory_system *m, struct event *e, enum chip_event what, uint64_t cycle)
{
    e->what = (uint8_t)what;
    e->kind = what == CHIP_LEAVE ? e->kind : (uint8_t)what;
    if (!calendar_add(&m->calendar, e, cycle))
        m->failed = true;
}

/* The event of a slice or a channel with this index, unless it is in the calendar already. */
static inline void chip_add_own_event(struct memory_system *m, struct event *e, bool *is_added, enum chip_event what,
                                      uint32_t index, uint64_t cycle)
{
    if (*is_added)
        return;
    *is_added = true;
    e->key = index;
    chip_add_event(m, e, what, cycle);
}

static inline void queue_put(struct request_queue *q, struct chip_request *r)
{
    r->next = NULL;
    *(q->first ? &q->last->next : &q->first) = r;
    q->last = r;
}

static inline void queue_put_first(struct request_queue *q, struct chip_request *r)
{
    r->next = q->first;
    q->last = q->first ? q->last : r;
    q->first = r;
}

static inline struct chip_request *queue_take(struct request_queue *q)
{
    struct chip_request *r = q->first;
    q->first = r->next;
    return r;
}

/* NULL: out of memory; the memory system has failed. */
static inline struct chip_request *chip_new_request(struct memory_system *m)
{
    struct chip_request *r = pool_take(&m->requests);
    if (!r)
        m->failed = true;
    return r;
}

static inline unsigned sectors_in(uint32_t mask) { return (unsigned)__builtin_popcount(mask); }

static inline uint64_t sector_address(const struct memory_system *m, const struct chip_request *r, unsigned sector)
{
    return r->of.address + ((uint64_t)sector << m->layout.sector_shift);
}

/* These sectors of the request become one of their own. NULL: out of memory. */
static inline struct chip_request *chip_split(struct memory_system *m, struct chip_request *r, uint32_t sectors)
{
    struct chip_request *part = chip_new_request(m);
    if (!part)
        return NULL;
    const struct pool_item item = part->item;
    *part = *r;
    part->item = item;
    part->waiters = NULL;
    part->fetched = 0;
    part->of.sectors = (uint8_t)sectors;
    r->of.sectors &= (uint8_t)~sectors;
    return part;
}

/* A packet of so many bytes comes to a link of a GPC, which moves `width` bytes in a cycle and is free from *free on.
 * Returns the cycle in which its last byte has passed. */
static inline uint64_t chip_over_gpc(const struct memory_system *m, uint64_t *free, uint64_t width, uint64_t bytes,
                                     uint64_t now)
{
    const struct clock_domain *links = &m->layout.links;
    if (!width)
        return now;
    *free = later(clock_from_core(links, now) * width, *free) + bytes;
    return clock_after_core(links, (*free - 1) / width);
}

/* ---- slice.c ----------------------------------------------------------------------------------------------------- */

/* Whether the queue of the slice takes no further request now. */
bool slice_is_full(const struct memory_system *, const struct slice *, uint64_t now);
/* The slice takes a request. */
void slice_accept(struct memory_system *, struct slice *, struct chip_request *, uint64_t now);
/* Starts the requests that wait and may start now. */
void slice_start_waiting(struct memory_system *, struct slice *, uint64_t now);
/* A fetch of the slice is complete. */
void slice_release(struct memory_system *, struct chip_request *, uint64_t now);
/* The slice sees an access that takes no time (memory_system_touch()). */
void slice_touch(struct memory_system *, struct slice *, const struct memory_touch *);

/* ---- channel.c --------------------------------------------------------------------------------------------------- */

/* A request or a write-back leaves its slice for device memory. */
void chip_leave(struct memory_system *, struct chip_request *, uint64_t now);
/* Slices that the channel refused offer again, one request each, in the order in which they were refused. */
void chip_room_in_channel(struct memory_system *, struct channel *, uint32_t index, uint64_t now);
/* Calls the channel's model. */
void chip_advance_channel(struct memory_system *, struct channel *, uint32_t index, uint64_t now);

/* ---- replies.c --------------------------------------------------------------------------------------------------- */

/* Responds to the request, whose sectors are all there. */
void chip_respond(struct memory_system *, struct chip_request *, uint64_t response);
/* The link of the slice is free for the next reply. */
void chip_send_next(struct memory_system *, struct slice *, uint64_t now);
/* The data of a reply is there: sends it, or puts it behind those that wait. */
void chip_send_when_free(struct memory_system *, struct slice *, struct chip_request *, uint64_t now);

#endif
