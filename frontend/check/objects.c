/* Uses of barrier objects that PTX leaves undefined (PTX ISA, "mbarrier"). */
#include <stdio.h>

#include "frontend/check/internal.h"
#include "frontend/core/object.h"
#include "frontend/operation/flags.h"

/* A lane's operation and the object before it. */
struct object_use {
    uint64_t at, object; /* object: its value before the operation */
    uint64_t b, c;       /* operands: struct change of core/objects.c */
    uint8_t operation;   /* enum rp_object_operation */
};

/* PTX ISA, "Contents of the mbarrier object": the ranges of its counts. */
#define MOST OBJECT_COUNT_MASK

static const char *why_undefined(const struct object_use *use, enum object_state state, char *text, size_t size)
{
    uint64_t pending = use->object & OBJECT_COUNT_MASK, arrivals = use->b & OBJECT_COUNT_MASK;
    int64_t bytes = object_bytes(use->object) + (int64_t)use->c;
    if (use->operation == RP_OBJECT_INIT && use->b - 1 >= MOST)
        snprintf(text, size, "it is made for %u arrivals; 1 to %u are possible", (unsigned)use->b, (unsigned)MOST);
    else if (use->operation == RP_OBJECT_INIT && state == OBJECT_MADE)
        return "it is made again, and was not invalidated (mbarrier.inval)";
    else if (use->operation == RP_OBJECT_INIT)
        return NULL;
    else if (state != OBJECT_MADE)
        return state == OBJECT_ENDED ? "it was invalidated" : "it has not been made (mbarrier.init)";
    else if (use->operation == RP_OBJECT_INVALIDATE || use->operation == RP_OBJECT_TEST)
        return NULL;
    else if (arrivals > pending)
        snprintf(text, size, "%u arrive, and its phase waits for %u", (unsigned)arrivals, (unsigned)pending);
    else if (bytes > (int64_t)MOST || bytes < -(int64_t)MOST)
        snprintf(text, size, "it would wait for %lld bytes; %u are possible", (long long)bytes, (unsigned)MOST);
    else
        return NULL;
    return text;
}

static struct object_use use_of_lane(const struct warp *w, const struct block *of, const struct uop *u, unsigned lane,
                                     uint64_t at)
{
    struct object_use use = {.at = at, .operation = u->memory->operand.object};
    use.object = *(const uint64_t *)(const void *)(of->shared + at);
    if (use.operation == RP_OBJECT_TEST)
        return use;
    use.b = lane_u64(w, u->b, lane);
    use.c = lane_u64(w, u->c, lane);
    return use;
}

/* The object's value after the operations of earlier lanes of the same instruction. */
static uint64_t object_behind(const struct object_use *use)
{
    switch (use->operation) {
    case RP_OBJECT_INIT: return object_made((uint32_t)use->b);
    case RP_OBJECT_INVALIDATE: return 0;
    case RP_OBJECT_TEST: return use->object;
    default: return object_changed(use->object, use->b, (int64_t)use->c);
    }
}

static void report(struct checked_block *cb, const struct warp_state *s, const struct uop *u, unsigned lane,
                   const struct object_use *use, const char *why)
{
    char detail[200];
    const struct block *b = s->w.block;
    snprintf(detail, sizeof detail, "the barrier object at 0x%llx of shared memory: %s", (unsigned long long)use->at,
             why);
    check_report(
        cb->check, b,
        (struct rp_finding){.kind = RP_CHECK_SYNC,
                            .space = RP_SPACE_NONE,
                            .here = check_location(b, u->index, s->w.id * RP_WARP_LANES + lane, RP_ACCESS_KIND_COUNT)},
        detail);
}

void sync_objects(struct checked_block *cb, struct warp_state *s, const struct uop *u, const struct lane_addresses *la,
                  lanemask lanes)
{
    struct object_use uses[RP_WARP_LANES];
    char text[120];
    const struct block *of = cb->observer.of ? cb->observer.of : s->w.block;
    uint8_t *states = ((struct checked_block *)of->observer)->objects;
    FOR_LANES(l, lanes)
    {
        uses[l] = use_of_lane(&s->w, of, u, l, lane_address(la, l));
        for (lanemask before = lanes & ((1u << l) - 1); before; before &= before - 1) {
            unsigned e = (unsigned)__builtin_ctz(before);
            if (uses[e].at == uses[l].at)
                uses[l].object = object_behind(&uses[e]);
        }
        uint8_t *state = &states[uses[l].at / sizeof(uint64_t)];
        const char *why = why_undefined(&uses[l], (enum object_state) * state, text, sizeof text);
        if (why)
            report(cb, s, u, l, &uses[l], why);
        uint32_t *count = &((struct checked_block *)of->observer)->object_count;
        if (uses[l].operation == RP_OBJECT_INIT) {
            *count += *state != OBJECT_MADE;
            *state = OBJECT_MADE;
        } else if (uses[l].operation == RP_OBJECT_INVALIDATE && *state == OBJECT_MADE) {
            *count -= 1;
            *state = OBJECT_ENDED;
        }
    }
}

/* PTX ISA, "Size and alignment of mbarrier object": no other operation may be performed on an object that was not
 * invalidated. Stores are checked; loads do no harm. */
void sync_store(struct checked_block *cb, const struct touch *t, const struct lane_addresses *la, lanemask lanes)
{
    char detail[200];
    for (; lanes; lanes &= lanes - 1) {
        unsigned l = (unsigned)__builtin_ctz(lanes);
        uint64_t at = lane_address(la, l), object = at / sizeof(uint64_t),
                 last = (at + t->bytes - 1) / sizeof(uint64_t);
        while (object <= last && cb->objects[object] != OBJECT_MADE)
            object++;
        if (object > last)
            continue;
        snprintf(detail, sizeof detail,
                 "the barrier object at 0x%llx of shared memory: it is stored to, and was not invalidated "
                 "(mbarrier.inval)",
                 (unsigned long long)(object * sizeof(uint64_t)));
        check_report(cb->check, t->block,
                     (struct rp_finding){.kind = RP_CHECK_SYNC,
                                         .space = RP_SPACE_NONE,
                                         .here = check_location(t->block, t->u->index, t->thread + l, touch_kind(t))},
                     detail);
        return;
    }
}
