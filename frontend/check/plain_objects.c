/* Barrier objects of machine code before sm_90, which are plain memory (OP_ARRIVE). The code makes one by a store,
 * arrives by an atomic, and tests a phase by a plain load. Such a load polls: it acquires what arrivals have released.
 * ptxas puts a fence before an arrival that releases. */
#include <string.h>

#include "frontend/check/internal.h"
#include "frontend/operation/flags.h"

bool plain_objects_used(const struct program *p)
{
    for (uint32_t i = 0; i < p->uop_count; i++)
        if (p->operations[i].kind == UOP_MEMORY && p->operations[i].op == OP_ARRIVE)
            return true;
    return false;
}

/* Whether the value is an object for 1 to 2^20 - 1 arrivals, none of which has come. */
static bool is_new_object(uint64_t value)
{
    const uint32_t base = UINT32_C(1) << 30, most = (UINT32_C(1) << 20) - 1;
    uint32_t low = (uint32_t)value, high = (uint32_t)(value >> 32), arrivals = base - low;
    return arrivals - 1 < most && high == low + base;
}

static bool makes_object(struct warp_state *s, const struct uop *u, unsigned lane)
{
    uint64_t value;
    if (u->memory->operand.width != sizeof value)
        return false;
    access_stored(s, u, lane, (uint8_t *)&value);
    return is_new_object(value);
}

bool plain_objects_poll(const struct checked_block *cb, const struct touch *t, const struct lane_addresses *la,
                        lanemask lanes)
{
    FOR_LANES(l, lanes)
    {
        uint64_t at = lane_address(la, l);
        if (at % sizeof(uint64_t) + t->bytes > sizeof(uint64_t) || cb->objects[at / sizeof(uint64_t)] != OBJECT_PLAIN)
            return false;
    }
    return true;
}

void plain_objects_store(struct checked_block *cb, struct warp_state *s, const struct touch *t,
                         const struct lane_addresses *la, lanemask lanes)
{
    FOR_LANES(l, lanes)
    {
        uint64_t at = lane_address(la, l), word = at / sizeof(uint64_t), last = (at + t->bytes - 1) / sizeof(uint64_t);
        memset(cb->objects + word, OBJECT_NONE, last - word + 1);
        if (makes_object(s, t->u, l))
            cb->objects[word] = OBJECT_PLAIN;
    }
}

void plain_objects_arrive(struct checked_block *cb, const struct warp_state *s, const struct touch *t,
                          const struct lane_addresses *la, lanemask lanes)
{
    FOR_LANES(l, lanes) { cb->objects[lane_address(la, l) / sizeof(uint64_t)] = OBJECT_PLAIN; }
    if (t->u->flags & UF_BEHIND_COPIES && cb->check->kinds & RP_CHECK_RACE && cb->copy_count)
        copies_arrive(cb, s, lanes);
}
