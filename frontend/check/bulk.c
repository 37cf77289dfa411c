/* Bulk copies into shared memory (PTX: cp.async.bulk, cp.async.bulk.tensor) that complete at a barrier object. This
 * emulator makes them where they are issued; on a GPU they may happen at any time until the object's phase is over (PTX
 * ISA, "Data Movement and Conversion Instructions: Asynchronous copy"). Until some thread of the block has seen that
 * the phase is over, any access to what they store is a race, by any thread. After that, a copy counts as a store of
 * the thread that issued it, which the object orders before other threads. Only copies of a block into its own shared
 * memory are checked. */
#include <stdlib.h>

#include "frontend/check/internal.h"
#include "frontend/core/object.h"

static uint64_t phase_at(const struct block *b, uint64_t object)
{
    return *(const uint64_t *)(const void *)(b->shared + object) >> OBJECT_PHASE_AT;
}

void bulk_start(struct checked_block *cb, const struct touch *t)
{
    struct check_bulk *of = &cb->bulk;
    struct bulk_copy *last = of->count ? &of->list[of->count - 1] : NULL;
    if (last && last->u->index == t->u->index && last->thread == t->thread && !last->has_object &&
        last->at + last->bytes == t->at) { /* the next row of a box */
        last->bytes += t->bytes;
        return;
    }
    if (of->count == of->room) {
        uint32_t room = 2 * of->room + 16;
        struct bulk_copy *more = realloc(of->list, room * sizeof *more);
        if (!more) {
            cb->check->missed |= MISSED_MEMORY;
            return;
        }
        of->list = more;
        of->room = room;
    }
    of->list[of->count++] = (struct bulk_copy){.u = t->u, .thread = t->thread, .at = t->at, .bytes = t->bytes};
}

static void forget(struct check_bulk *of, uint32_t i) { of->list[i] = of->list[--of->count]; }

/* The copies of this instruction by this thread will complete at this object. */
static void attach_object(struct checked_block *cb, const struct block *b, const struct uop *u, uint32_t thread,
                          uint64_t object)
{
    for (uint32_t i = 0; i < cb->bulk.count; i++) {
        struct bulk_copy *c = &cb->bulk.list[i];
        if (c->has_object || c->u->index != u->index || c->thread != thread)
            continue;
        c->has_object = true;
        c->object = object;
        c->phase = phase_at(b, object);
    }
}

/* A thread tests the object: its pending copies end. The same if the object is initialised or invalidated, because
 * nobody can wait for earlier copies then. */
static void object_tested(struct checked_block *cb, const struct block *b, uint64_t object, bool all)
{
    for (uint32_t i = cb->bulk.count; i-- > 0;) {
        const struct bulk_copy *c = &cb->bulk.list[i];
        if (c->has_object && c->object == object && (all || c->phase != phase_at(b, object)))
            forget(&cb->bulk, i);
    }
}

void bulk_objects(struct checked_block *cb, const struct warp_state *s, const struct uop *u,
                  const struct lane_addresses *la, lanemask lanes)
{
    const struct block *b = s->w.block;
    uint8_t what = u->memory->operand.object;
    for (; lanes && !cb->observer.of; lanes &= lanes - 1) {
        unsigned l = (unsigned)__builtin_ctz(lanes);
        uint64_t at = lane_address(la, l);
        if (what == RP_OBJECT_BYTES)
            attach_object(cb, b, u, s->w.id * RP_WARP_LANES + l, at);
        else if (what == RP_OBJECT_TEST || what == RP_OBJECT_INIT || what == RP_OBJECT_INVALIDATE)
            object_tested(cb, b, at, what != RP_OBJECT_TEST);
    }
}

void bulk_look(struct checked_block *cb, const struct touch *t)
{
    uint64_t end = t->at + t->lanes * t->bytes;
    for (uint32_t i = 0; i < cb->bulk.count; i++) {
        const struct bulk_copy *c = &cb->bulk.list[i];
        if (!c->has_object || c->u->index == t->u->index || c->at >= end || t->at >= c->at + c->bytes)
            continue;
        struct touch one = *t;
        while (one.at + one.bytes <= c->at)
            one.at += one.bytes, one.thread++;
        copies_report(cb, &one, c->u, c->thread, RP_ACCESS_BULK_STORE,
                      "and a bulk copy stores there whose barrier object nobody has waited for");
        return;
    }
}
