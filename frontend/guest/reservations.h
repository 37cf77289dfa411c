/* Reservations of words, by LR or LDREX, which any store to the word ends. A program whose compare-and-swap has failed
 * may keep one for good, so that a store must find out fast that nobody has reserved what it changes. */
#ifndef REPRISE_FRONTEND_GUEST_RESERVATIONS_H
#define REPRISE_FRONTEND_GUEST_RESERVATIONS_H

#include "frontend/guest/machine.h"

static inline uint16_t *guest_reserved_at(struct guest_reservations *r, uint32_t address)
{
    return &r->at[address / 8 % GUEST_RESERVED_PLACES];
}

static inline void guest_no_reservations(struct guest_reservations *r)
{
    r->low = UINT32_MAX;
    r->high = 0;
}

/* The core has one, and loses it. */
static inline void guest_end_reservation(struct guest_machine *m, struct guest_core *c)
{
    struct guest_reservations *r = &m->reservations;
    const uint32_t last = r->holders[--r->count];
    r->holders[c->holder] = last;
    m->core[last].holder = c->holder;
    --*guest_reserved_at(r, c->reservation);
    c->reservation = GUEST_NO_RESERVATION;
    if (!r->count)
        guest_no_reservations(r);
}

/* The core reserves this word, or pair of words. */
static inline void guest_reserve(struct guest_machine *m, struct guest_core *c, uint32_t address, uint32_t bytes)
{
    struct guest_reservations *r = &m->reservations;
    if (c->reservation != GUEST_NO_RESERVATION)
        guest_end_reservation(m, c);
    c->holder = r->count;
    r->holders[r->count++] = c->id;
    c->reservation = address;
    c->reserved = bytes > 4 ? 8 : 4;
    ++*guest_reserved_at(r, address);
    r->low = address < r->low ? address : r->low;
    r->high = address + c->reserved > r->high ? address + c->reserved : r->high;
}

/* True: the core held a reservation that begins here. It has none afterwards. */
static inline bool guest_take_reservation(struct guest_machine *m, struct guest_core *c, uint32_t address)
{
    const bool holds = c->reservation == address;
    if (c->reservation != GUEST_NO_RESERVATION)
        guest_end_reservation(m, c);
    return holds;
}

/* False: nobody has reserved any of the bytes from `low` on and below `high`. */
static inline bool guest_may_be_reserved(const struct guest_machine *m, uint64_t low, uint64_t high)
{
    return low < m->reservations.high && high > m->reservations.low;
}

/* The same of stacks, which lie above all else. */
static inline bool guest_stacks_reserved(const struct guest_machine *m)
{
    return m->reservations.high > GUEST_HEAP_LIMIT;
}

/* A store to these bytes ends the reservations of all cores that have any of them. */
static inline void guest_end_reservations(struct guest_machine *m, uint32_t address, uint32_t bytes)
{
    struct guest_reservations *r = &m->reservations;
    if (!guest_may_be_reserved(m, address, (uint64_t)address + bytes) ||
        (bytes <= 8 && !*guest_reserved_at(r, address) && !*guest_reserved_at(r, address + bytes - 1)))
        return;
    for (uint32_t i = r->count; i-- > 0;) {
        struct guest_core *c = &m->core[r->holders[i]];
        if (c->reservation < address + bytes && address < c->reservation + c->reserved)
            guest_end_reservation(m, c);
    }
}

#endif
