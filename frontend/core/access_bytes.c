/* Accesses whose size is in a register: partial loads, in which each lane reads its own number of bytes, and bulk
 * copies. */
#include "frontend/core/access_internal.h"

#include <string.h>

#include "frontend/core/cluster.h"
#include "frontend/core/observe.h"
#include "frontend/core/overrun.h"
#include "frontend/core/tensor.h"

#define EVERY_LANE (~(lanemask)0)

/* ---- partial loads ----------------------------------------------------------------------------------------------- */

uint8_t *global_bytes(struct warp_state *s, const struct uop *u, unsigned lane, uint64_t at, uint64_t bytes,
                      uint64_t align, bool stores)
{
    struct block *b = s->w.block;
    char detail[256];
    if (at % align) {
        snprintf(detail, sizeof detail, "not a multiple of %llu", (unsigned long long)align);
        bad_bytes(s, u, RP_FAULT_MISALIGNED, lane, RP_SPACE_GLOBAL, at, bytes, stores, detail);
        return NULL;
    }
    struct allocation **cached = &b->last[u->index % ALLOCATION_CACHE], *a = *cached;
    if (!a || !covers(a, at, at, bytes))
        a = memory_seen(b->grid->memory, b->grid->device, at);
    if (!a || !covers(a, at, at, bytes)) {
        enum overrun o = overrun_global(s, u, lane, at, bytes, &a);
        if (o == OVERRUN_GO)
            return a->host + (at - a->base);
        if (o == OVERRUN_STOP)
            return NULL;
        memory_describe(b->grid->memory, b->grid->device, at, detail, sizeof detail);
        bad_bytes(s, u, RP_FAULT_BOUNDS, lane, RP_SPACE_GLOBAL, at, bytes, stores, detail);
        return NULL;
    }
    *cached = a;
    if (observed(b, RP_SPACE_GLOBAL) &&
        !b->observer->calls->bytes(b->observer, s, u, RP_SPACE_GLOBAL, a, lane, at, bytes, stores))
        return NULL;
    b->changes += stores;
    unsigned how = stores ? WATCH_CHANGED : b->watch ? watched_read(b, u) : 0;
    for (uint64_t i = 0; b->watch && how && i < bytes; i += 4)
        watch_note(b->watch, at + i, bytes - i < 4 ? (uint32_t)(bytes - i) : 4, how);
    return a->host + (at - a->base);
}

/* The lanes of m that read nothing, some, and all of the bytes. */
struct shares {
    lanemask some, all;
};
static struct shares shares_of(const struct warp *w, const struct uop *u, lanemask m)
{
    struct shares r = {0, 0};
    FOR_LANES(l, m)
    {
        uint32_t bytes = lane_u32(w, u->b, l);
        r.some |= (lanemask)(bytes != 0) << l;
        r.all |= (lanemask)(bytes >= u->memory->operand.width) << l;
    }
    return r;
}

/* An element is a 32-bit word. */
static void load_part(struct warp_state *s, const struct uop *u, unsigned lane, uint64_t at)
{
    const struct memory_descriptor *d = u->memory;
    uint32_t bytes = lane_u32(&s->w, u->b, lane), words[4] = {0};
    const uint8_t *from = global_bytes(s, u, lane, at, bytes, d->operand.width, false);
    if (!from)
        return;
    memcpy(words, from, bytes);
    for (uint32_t i = 0; i < d->count; i++)
        ((uint32_t *)operand_at(&s->w, d->elements[i]))[lane] = words[i];
}

/* Each lane reads as many bytes as operand b says and fills the rest with 0. Even if no lane reads any byte, the
 * addresses are recorded: the trace has them for every execution. */
void handle_limited(struct warp *w, const struct uop *u, lanemask m)
{
    struct warp_state *s = (struct warp_state *)w;
    const struct shares shares = shares_of(w, u, m);
    struct lane_addresses la, some;
    begin_access(w, u, shares.some ? shares.some : m, 0, &la);
    for (uint32_t i = 0; i < u->memory->count; i++)
        FOR_LANES(l, m)
    ((uint32_t *)operand_at(w, u->memory->elements[i]))[l] = 0;
    if (shares.all == EVERY_LANE || (shares.all && shares.all == shares.some)) {
        access_global(s, u, shares.all, &la);
        return;
    }
    FOR_LANES(l, shares.some & ~shares.all)
    if (!s->w.block->faulted)
        load_part(s, u, l, lane_address(&la, l));
    if (!shares.all || s->w.block->faulted)
        return;
    addresses_subset(&some, &la, shares.all, 0);
    access_global(s, u, shares.all, &some);
}

/* ---- bulk copies ------------------------------------------------------------------------------------------------- */

/* Records one side of a bulk copy: the addresses, the number of bytes (the greatest of all lanes), and the blocks that
 * it goes to. */
static void begin_bulk(struct warp *w, const struct uop *u, lanemask m, struct lane_addresses *la)
{
    begin_access(w, u, m, 0, la);
    if (!w->log || !(u->flags & UF_LOG_AUX))
        return;
    uint32_t most = 0;
    FOR_LANES(l, m)
    most = lane_u32(w, u->b, l) > most ? lane_u32(w, u->b, l) : most;
    bool all = u->flags & UF_MULTICAST && u->memory->operand.kind == RP_ACCESS_BULK_STORE;
    uint32_t blocks = all ? cluster_recorded((struct warp_state *)w, u, u->memory->elements[0], m) : 0;
    rp_log_aux(w->log, RP_BULK_AUX(all && w->block->cluster && !blocks ? 0 : most, blocks));
}

void handle_bulk_side(struct warp *w, const struct uop *u, lanemask m)
{
    struct lane_addresses la;
    begin_bulk(w, u, m, &la);
}

bool observe_shared(struct warp_state *s, const struct uop *u, struct block *of, unsigned lane, uint64_t at,
                    uint64_t bytes, bool stores)
{
    struct block *b = s->w.block;
    if (!observed(b, RP_SPACE_SHARED))
        return true;
    observe_in(b, of);
    bool may = b->observer->calls->bytes(b->observer, s, u, RP_SPACE_SHARED, NULL, lane, at, bytes, stores);
    observe_in(b, NULL);
    return may;
}

/* The host address of the lane's bytes in a space. NULL: a fault, or the attempt is abandoned. */
static uint8_t *bulk_bytes(struct warp_state *s, const struct uop *u, unsigned lane, enum rp_space space, uint64_t at,
                           uint64_t bytes, bool stores)
{
    enum { UNIT = 16 };
    const struct grid *g = s->w.block->grid;
    char detail[256];
    if (space == RP_SPACE_GLOBAL && bytes % UNIT == 0)
        return global_bytes(s, u, lane, at, bytes, UNIT, stores);
    struct block *of = space == RP_SPACE_SHARED ? cluster_owner(s, u, lane, &at) : NULL;
    if (space == RP_SPACE_SHARED && !of)
        return NULL;
    if ((at | bytes) % UNIT) {
        snprintf(detail, sizeof detail, "address and number must be multiples of %d", UNIT);
        bad_bytes(s, u, RP_FAULT_MISALIGNED, lane, space, at, bytes, stores, detail);
        return NULL;
    }
    if (extents_cover(&g->shared, at, bytes)) {
        return observe_shared(s, u, of, lane, at, bytes, stores) ? of->shared + at : NULL;
    }
    enum overrun o = overrun_shared(s, u, lane, at, bytes);
    if (o != OVERRUN_FAULT)
        return o == OVERRUN_GO ? of->shared + at : NULL;
    extents_describe(&g->shared, at, rp_space_name(space), g->total_shared, detail, sizeof detail);
    bad_bytes(s, u, RP_FAULT_BOUNDS, lane, space, at, bytes, stores, detail);
    return NULL;
}

static bool copy_bulk(struct warp_state *s, const struct uop *u, unsigned lane, const uint8_t *from, uint64_t to,
                      uint32_t bytes)
{
    enum rp_space space = u->op == OP_COPY_TO_SHARED ? RP_SPACE_SHARED : RP_SPACE_GLOBAL;
    uint8_t *target = bulk_bytes(s, u, lane, space, to, bytes, true);
    if (target && u->combine)
        bulk_reduce((enum rp_atomic)u->combine, (enum lane_type)u->type, target, from, bytes);
    else if (target)
        memmove(target, from, bytes);
    return target;
}

/* Copies to the same offset in each block of the lane's mask. */
static bool copy_bulk_to_all(struct warp_state *s, const struct uop *u, unsigned lane, const uint8_t *from, uint64_t to,
                             uint32_t bytes)
{
    const struct block *b = s->w.block;
    bool ok = true;
    for (uint32_t left = cluster_named(b, lane_u32(&s->w, u->memory->elements[0], lane)); left; left &= left - 1)
        ok = ok && copy_bulk(s, u, lane, from, cluster_offset(b, to, (uint32_t)__builtin_ctz(left)), bytes);
    return ok;
}

void handle_bulk(struct warp *w, const struct uop *u, lanemask m)
{
    struct warp_state *s = (struct warp_state *)w;
    enum rp_space from = (enum rp_space)u->memory->operand.space;
    struct lane_addresses la;
    begin_bulk(w, u, m, &la);
    FOR_LANES(l, m)
    {
        uint32_t bytes = lane_u32(w, u->b, l);
        if (!bytes)
            continue;
        const uint8_t *source = bulk_bytes(s, u, l, from, lane_address(&la, l), bytes, false);
        bool all = u->flags & UF_MULTICAST;
        if (!source || !(all ? copy_bulk_to_all : copy_bulk)(s, u, l, source, lane_u64(w, u->c, l), bytes))
            return;
    }
}
