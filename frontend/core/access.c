/* Memory uops. One handler per space; each computes the lanes' addresses, logs them, checks bounds and natural
 * alignment for the warp as a whole, and moves the data. Only accesses that fail that check, or that touch several
 * allocations or windows, are handled lane by lane. */
#include "frontend/core/access_internal.h"

#include <string.h>

#include "frontend/core/cluster.h"
#include "frontend/core/even_access.h"
#include "frontend/core/lanes/lanes.h"
#include "frontend/core/observe.h"
#include "frontend/core/overrun.h"
#include "frontend/core/tensor.h"
#include "frontend/core/watch.h"
#include "frontend/operation/flags.h"
#include "tracefmt/plural.h"
#include "tracefmt/writer.h"

#define GENERIC_GLOBAL 0x100000000ull /* generic addresses from here on are global */
#define EVERY_LANE (~(lanemask)0)
#define HOST_LINE 64u /* bytes of a line of the host's caches */
#define WARPS_AHEAD 4u

void addresses_constant(struct lane_addresses *o, const void *reg, int64_t offset, lanemask m)
{
    (void)reg;
    if (m == ~(lanemask)0)
        o->at[0] = (uint64_t)offset;
    else
        for (int l = 0; l < RP_WARP_LANES; l++)
            o->at[l] = (uint64_t)offset;
    o->low = o->high = o->bits = (uint64_t)offset;
    o->stride = 0;
    o->affine = m == ~(lanemask)0;
}

void addresses_subset(struct lane_addresses *o, const struct lane_addresses *la, lanemask m, uint64_t shift)
{
    uint64_t first = lane_address(la, (unsigned)__builtin_ctz(m)) - shift;
    o->low = o->high = first;
    o->bits = 0;
    for (unsigned l = 0; l < RP_WARP_LANES; l++) {
        uint64_t at = m >> l & 1 ? lane_address(la, l) - shift : first;
        o->at[l] = at;
        o->low = at < o->low ? at : o->low;
        o->high = at > o->high ? at : o->high;
        o->bits |= at;
    }
    o->affine = false;
}

void find_addresses(struct warp_state *s, const struct uop *u, const void *reg, int64_t offset, lanemask m,
                    struct lane_addresses *la)
{
    u->memory->addresses(la, reg, offset, m);
    if (u->flags & UF_KEEP_STRIDE)
        s->strides[u->mode] = la->affine ? (int32_t)la->stride : STRIDE_UNKNOWN;
}

void record_access(const struct warp *w, const struct uop *u, lanemask m, const struct lane_addresses *la)
{
    if (!(u->flags & UF_LOG_ACCESS))
        return;
    if (la->affine)
        rp_log_affine_access(w->log, u->index, u->memory->access, la->at[0], la->stride);
    else
        rp_log_access(w->log, u->index, u->memory->access, m, la->at);
}

/* Finds the block of the cluster whose shared memory the lowest lane accesses (*of). Returns the lanes that access the
 * same block; *some: their offsets in its memory. 0, with a fault: no block has that offset. */
static lanemask access_of_one(struct warp_state *s, const struct uop *u, lanemask m, const struct lane_addresses *la,
                              struct lane_addresses *some, struct block **of)
{
    unsigned first = (unsigned)__builtin_ctz(m);
    uint64_t at = lane_address(la, first), own = at;
    lanemask part = 0;
    if (!(*of = cluster_owner(s, u, first, &at)))
        return 0;
    FOR_LANES(l, m)
    part |= (lanemask)((lane_address(la, l) ^ own) < CLUSTER_STEP) << l;
    addresses_subset(some, la, part, own - at);
    return part;
}

static void bad_access(struct warp_state *s, const struct uop *u, enum rp_fault_kind kind, unsigned lane,
                       enum rp_space space, uint64_t address, const char *detail)
{
    block_fault(s, u, kind, lane, "%s", detail);
    struct fault *f = &s->w.block->fault;
    f->address = address;
    f->size = u->memory->operand.width;
    f->space = (uint8_t)space;
    f->access = u->memory->operand.kind;
}

/* A fault of an access whose number of bytes comes from a register. */
void bad_bytes(struct warp_state *s, const struct uop *u, enum rp_fault_kind kind, unsigned lane, enum rp_space space,
               uint64_t address, uint64_t bytes, bool stores, const char *detail)
{
    bad_access(s, u, kind, lane, space, address, detail);
    s->w.block->fault.size = (uint32_t)bytes;
    s->w.block->fault.access = stores ? RP_ACCESS_STORE : RP_ACCESS_LOAD;
}

static bool writes(const struct uop *u) { return u->memory->operand.kind != RP_ACCESS_LOAD; }

/* Sets the lane's destination registers to 0. */
static void clear_lane(struct warp *w, const struct uop *u, unsigned lane)
{
    const struct memory_descriptor *d = u->memory;
    enum lane_type reg = d->dtype ? (enum lane_type)d->dtype : (enum lane_type)u->type;
    size_t bytes = u->type == T_B128 ? 8 : lane_element_bytes(reg);
    for (uint32_t i = 0; i < (d->count ? d->count : 1); i++) {
        struct operand o = d->count ? d->elements[i] : u->d;
        if (is_sink(o))
            continue;
        memset((uint8_t *)operand_at(w, o) + lane * bytes, 0, bytes);
        if (u->type == T_B128)
            memset((uint8_t *)operand_at(w, o) + (RP_WARP_LANES + lane) * bytes, 0, bytes);
    }
}

/* Reports a lane's bad access. True: the observer leaves this access out, and the other lanes go on. */
static bool bad_lane(struct warp_state *s, const struct uop *u, enum rp_fault_kind kind, unsigned lane,
                     enum rp_space space, uint64_t address, const char *detail)
{
    struct block *b = s->w.block;
    struct observer *o = b->observer;
    bad_access(s, u, kind, lane, space, address, detail);
    if (!o || !o->calls->leave_out || !o->calls->leave_out(o, s, u, lane))
        return false;
    b->faulted = false;
    if (!writes(u) || u->memory->operand.kind == RP_ACCESS_ATOMIC)
        clear_lane(&s->w, u, lane);
    return true;
}

/* The function that makes an access in a space. */
typedef void (*access_fn)(struct warp_state *, const struct uop *, lanemask, const struct lane_addresses *);

/* Makes the access for the lanes that are not bad. Always false: the caller has nothing left to do. */
static bool access_without(struct warp_state *s, const struct uop *u, lanemask m, lanemask bad,
                           const struct lane_addresses *la, access_fn access)
{
    struct lane_addresses some;
    if (!(m & ~bad))
        return false;
    addresses_subset(&some, la, m & ~bad, 0);
    access(s, u, m & ~bad, &some);
    return false;
}

static bool misaligned(const struct uop *u, uint64_t bits) { return bits & (u->memory->operand.width - 1); }

/* Moves what is not one element per lane. */
static void move_other(struct warp_state *s, const struct uop *u, lanemask m, const struct lane_addresses *la,
                       uint8_t *host, bool shared)
{
    struct warp *w = &s->w;
    if (u->memory->operand.kind == RP_ACCESS_ATOMIC || u->memory->operand.kind == RP_ACCESS_REDUCTION) {
        atomic_lanes(w, u, la, host, m, shared);
        return;
    }
    if (u->type == T_B128) {
        uint8_t *d = operand_at(w, u->d);
        u->memory->element(d, host, la, m);
        u->memory->element(d + 8 * RP_WARP_LANES, host + 8, la, m);
        return;
    }
    uint32_t bytes = u->memory->operand.width / u->memory->count;
    for (uint32_t i = 0; i < u->memory->count; i++)
        if (!is_sink(u->memory->elements[i]))
            u->memory->element(operand_at(w, u->memory->elements[i]), host + (size_t)i * bytes, la, m);
}

/* Moves all elements of the access; host + address is a lane's first byte. */
static inline void move(struct warp_state *s, const struct uop *u, lanemask m, const struct lane_addresses *la,
                        uint8_t *host, bool shared)
{
    if (u->flags & UF_ONE_ELEMENT)
        u->memory->element(operand_at(&s->w, u->d), host, la, m);
    else
        move_other(s, u, m, la, host, shared);
}

void access_stored(struct warp_state *s, const struct uop *u, unsigned lane, uint8_t *out)
{
    struct lane_addresses la = {.low = 0};
    move(s, u, (lanemask)1 << lane, &la, out, false);
}

static __attribute__((noinline)) bool observe_access(struct warp_state *s, const struct uop *u, lanemask m,
                                                     const struct lane_addresses *la, enum rp_space space,
                                                     const struct allocation *a)
{
    struct observer *o = s->w.block->observer;
    return o->calls->access(o, s, u, space, a, la, m);
}

/* False: the access must not be made. */
static inline bool may_access(struct warp_state *s, const struct uop *u, lanemask m, const struct lane_addresses *la,
                              enum rp_space space, const struct allocation *a)
{
    return !observed(s->w.block, space) || observe_access(s, u, m, la, space, a);
}

/* ---- flat spaces ------------------------------------------------------------------------------------------------- */

/* Checks an access at offset `at` of a space of `size` bytes. RP_FAULT_NONE: it is fine; otherwise `detail` says what
 * is wrong. */
static enum rp_fault_kind flat_wrong(const struct uop *u, uint64_t at, uint64_t size, enum rp_space space, char *detail,
                                     size_t room)
{
    uint64_t bytes = u->memory->operand.width;
    if (misaligned(u, at)) {
        snprintf(detail, room, "not a multiple of %u", u->memory->operand.width);
        return RP_FAULT_MISALIGNED;
    }
    if (size >= bytes && at <= size - bytes)
        return RP_FAULT_NONE;
    /* the stack of machine code grows down to 0; its addresses have 32 bits */
    if (space == RP_SPACE_LOCAL && (u->memory->frame_relative || at >> 31 == 1)) {
        snprintf(detail, room, "the stack of %llu bytes per thread is exhausted", (unsigned long long)size);
        return RP_FAULT_STACK;
    }
    snprintf(detail, room, "there %s %llu byte%s of %s memory", size == 1 ? "is" : "are", (unsigned long long)size,
             rp_plural(size), rp_space_name(space));
    return RP_FAULT_BOUNDS;
}

/* Reports lanes outside of [0, size), and makes the others' access. Always false. */
static __attribute__((noinline)) bool flat_fault(struct warp_state *s, const struct uop *u, lanemask m,
                                                 const struct lane_addresses *la, uint64_t size, enum rp_space space,
                                                 access_fn access)
{
    char detail[128];
    lanemask bad = 0;
    FOR_LANES(l, m)
    {
        uint64_t at = lane_address(la, l);
        enum rp_fault_kind wrong = flat_wrong(u, at, size, space, detail, sizeof detail);
        if (wrong == RP_FAULT_NONE)
            continue;
        if (!bad_lane(s, u, wrong, l, space, at, detail))
            return false;
        bad |= (lanemask)1 << l;
    }
    return access_without(s, u, m, bad, la, access);
}

static inline bool flat_check(struct warp_state *s, const struct uop *u, lanemask m, const struct lane_addresses *la,
                              uint64_t size, enum rp_space space, access_fn access)
{
    uint64_t bytes = u->memory->operand.width;
    if (__builtin_expect(size >= bytes && la->high <= size - bytes && !misaligned(u, la->bits), 1))
        return true;
    return flat_fault(s, u, m, la, size, space, access);
}

/* The same check for memory that consists of variables. OVERRUN_GO: the access is made. */
static enum overrun extents_wrong(struct warp_state *s, const struct uop *u, unsigned lane, uint64_t at,
                                  const struct extents *e, enum rp_space space)
{
    uint32_t bytes = u->memory->operand.width;
    if (misaligned(u, at))
        return OVERRUN_FAULT;
    if (extents_cover(e, at, bytes))
        return OVERRUN_GO;
    return space == RP_SPACE_SHARED ? overrun_shared(s, u, lane, at, bytes) : OVERRUN_FAULT;
}

/* Reports lanes that access no extent. True: each lane accesses some extent, though not all the same one. */
static __attribute__((noinline)) bool extents_check(struct warp_state *s, const struct uop *u, lanemask m,
                                                    const struct lane_addresses *la, const struct extents *e,
                                                    uint64_t all, enum rp_space space, access_fn access)
{
    char detail[256];
    lanemask bad = 0;
    FOR_LANES(l, m)
    {
        uint64_t at = lane_address(la, l);
        enum overrun o = extents_wrong(s, u, l, at, e, space);
        if (o == OVERRUN_GO)
            continue;
        if (o == OVERRUN_STOP)
            return false;
        if (misaligned(u, at))
            snprintf(detail, sizeof detail, "not a multiple of %u", u->memory->operand.width);
        else
            extents_describe(e, at, rp_space_name(space), all, detail, sizeof detail);
        if (!bad_lane(s, u, misaligned(u, at) ? RP_FAULT_MISALIGNED : RP_FAULT_BOUNDS, l, space, at, detail))
            return false;
        bad |= (lanemask)1 << l;
    }
    return !bad || access_without(s, u, m, bad, la, access);
}

static inline bool extent_check(struct warp_state *s, const struct uop *u, lanemask m, const struct lane_addresses *la,
                                const struct extents *e, uint64_t all, enum rp_space space, access_fn access)
{
    const struct extent *in = extents_find(e, la->low);
    if (__builtin_expect(
            in && extent_covers(in, la->low, la->high, u->memory->operand.width) && !misaligned(u, la->bits), 1))
        return true;
    return extents_check(s, u, m, la, e, all, space, access);
}

static bool may_write(struct warp_state *s, const struct uop *u, lanemask m, const struct lane_addresses *la,
                      enum rp_space space)
{
    if (!writes(u))
        return true;
    unsigned lane = (unsigned)__builtin_ctz(m);
    bad_access(s, u, RP_FAULT_READ_ONLY, lane, space, lane_address(la, lane), "this memory cannot be written");
    return false;
}

static void shared_again(struct warp_state *s, const struct uop *u, lanemask m, const struct lane_addresses *la);
static inline void shared_access(struct warp_state *s, const struct uop *u, lanemask m, const struct lane_addresses *la)
{
    struct block *b = s->w.block;
    const struct grid *g = b->grid;
    if (extent_check(s, u, m, la, &g->shared, g->total_shared, RP_SPACE_SHARED, shared_again) &&
        may_access(s, u, m, la, RP_SPACE_SHARED, NULL))
        move(s, u, m, la, b->shared, false);
}

static __attribute__((noinline)) void shared_again(struct warp_state *s, const struct uop *u, lanemask m,
                                                   const struct lane_addresses *la)
{
    shared_access(s, u, m, la);
}

/* Accesses the shared memory of several blocks of the cluster, one block after the other. */
static __attribute__((noinline)) void far_access(struct warp_state *s, const struct uop *u, lanemask m,
                                                 const struct lane_addresses *la)
{
    const struct grid *g = s->w.block->grid;
    for (lanemask part; m && !s->w.block->faulted; m &= ~part) {
        struct lane_addresses some;
        struct block *of;
        part = access_of_one(s, u, m, la, &some, &of);
        observe_in(s->w.block, part ? of : NULL);
        if (part && extent_check(s, u, part, &some, &g->shared, g->total_shared, RP_SPACE_SHARED, shared_again) &&
            may_access(s, u, part, &some, RP_SPACE_SHARED, NULL))
            move(s, u, part, &some, of->shared, false);
        observe_in(s->w.block, NULL);
    }
}

/* An access to shared memory whose addresses may belong to any block of the cluster. */
static inline void cluster_access(struct warp_state *s, const struct uop *u, lanemask m,
                                  const struct lane_addresses *la)
{
    if (la->high < CLUSTER_SHARED)
        shared_access(s, u, m, la);
    else
        far_access(s, u, m, la);
}

static void const_access(struct warp_state *s, const struct uop *u, lanemask m, const struct lane_addresses *la)
{
    const struct grid *g = s->w.block->grid;
    if (may_write(s, u, m, la, RP_SPACE_CONST) &&
        extent_check(s, u, m, la, &g->constants, extents_end(&g->constants), RP_SPACE_CONST, const_access))
        move(s, u, m, la, (uint8_t *)g->consts, false);
}

static void param_access(struct warp_state *s, const struct uop *u, lanemask m, const struct lane_addresses *la);
static bool parameter_check(struct warp_state *s, const struct uop *u, lanemask m, const struct lane_addresses *la)
{
    uint64_t size = s->w.block->grid->program->parameter_bytes, bytes = u->memory->operand.width;
    bool beyond = bytes > size || la->high > size - bytes;
    if (__builtin_expect(!beyond || misaligned(u, la->bits), 1))
        return flat_check(s, u, m, la, size, RP_SPACE_PARAM, param_access);
    FOR_LANES(l, m)
    {
        uint64_t at = lane_address(la, l);
        enum overrun o = bytes <= size && at <= size - bytes ? OVERRUN_GO : overrun_parameter(s, u, l, at, bytes);
        if (o != OVERRUN_GO)
            return o == OVERRUN_FAULT && flat_fault(s, u, m, la, size, RP_SPACE_PARAM, param_access);
    }
    return true;
}

static void param_access(struct warp_state *s, const struct uop *u, lanemask m, const struct lane_addresses *la)
{
    const struct grid *g = s->w.block->grid;
    if (may_write(s, u, m, la, RP_SPACE_PARAM) && parameter_check(s, u, m, la))
        move(s, u, m, la, (uint8_t *)g->params, false);
}

/* Where the lanes' own addresses lie in the warp's local memory, in which each lane has `stride` bytes. */
static void own_addresses(struct lane_addresses *o, const struct lane_addresses *la, lanemask m, uint64_t stride)
{
    unsigned first = (unsigned)__builtin_ctz(m), last = 31 - (unsigned)__builtin_clz(m);
    o->affine = la->affine;
    o->at[0] = la->at[0];
    o->stride = la->stride + (int64_t)stride;
    for (unsigned l = 0; !la->affine && l < RP_WARP_LANES; l++)
        o->at[l] = la->at[l] + (m >> l & 1 ? l : first) * stride;
    o->low = la->low + first * stride; /* bounds of all lanes, and the address of a single one */
    o->high = la->high + last * stride;
}

static void local_access(struct warp_state *s, const struct uop *u, lanemask m, const struct lane_addresses *la)
{
    struct block *b = s->w.block;
    const struct grid *g = b->grid;
    if (!flat_check(s, u, m, la, g->local_bytes, RP_SPACE_LOCAL, local_access) ||
        !may_access(s, u, m, la, RP_SPACE_LOCAL, NULL))
        return;
    if (writes(u) && la->high + u->memory->operand.width > b->local_high)
        b->local_high = la->high + u->memory->operand.width;
    struct lane_addresses per_lane;
    own_addresses(&per_lane, la, m, g->local_stride);
    move(s, u, m, &per_lane, b->local + s->w.id * RP_WARP_LANES * g->local_stride, false);
}

/* ---- global ------------------------------------------------------------------------------------------------------ */

/* Notes the access for the watch. changed: a store, or an atomic that may have changed memory. */
static __attribute__((noinline)) void watch_access(struct block *b, const struct uop *u, lanemask m,
                                                   const struct lane_addresses *la, bool changed)
{
    bool load = u->memory->operand.kind == RP_ACCESS_LOAD;
    unsigned how = watched_read(b, u) | (changed && !load ? WATCH_CHANGED : 0);
    if (how)
        FOR_LANES(l, m)
    watch_note(b->watch, lane_address(la, l), u->memory->operand.width, how);
}

static inline void global_part(struct warp_state *s, const struct uop *u, lanemask m, const struct lane_addresses *la,
                               struct allocation *a)
{
    struct block *b = s->w.block;
    if (!may_access(s, u, m, la, RP_SPACE_GLOBAL, a))
        return; /* this attempt to run the grid is abandoned */
    uint64_t changes = b->changes;
    b->changes += u->memory->operand.kind == RP_ACCESS_STORE;
    move(s, u, m, la, a->host - a->base, b->grid->parallel);
    if (__builtin_expect(b->watch != NULL, 0))
        watch_access(b, u, m, la, b->changes != changes || b->grid->parallel);
}

/* An access beyond the end of the allocation, in its slack. */
static void global_beyond(struct warp_state *s, const struct uop *u, lanemask m, const struct lane_addresses *la,
                          const struct allocation *a)
{
    s->w.block->changes += u->memory->operand.kind == RP_ACCESS_STORE;
    move(s, u, m, la, a->host - a->base, false);
}

/* Machine code makes a generic address of its stack pointer by adding the window's, and the pointer has 32 bits: one
 * below 0 is that far above the window. */
static bool is_below_stack(const struct warp_state *s, const struct uop *u, uint64_t at)
{
    return u->memory->operand.space == RP_SPACE_GENERIC && !s->w.block->program->narrow &&
           (at - LOCAL_WINDOW) >> 31 == 1;
}

/* Reports a lane outside of all allocations. False: that ends the launch. */
static bool global_outside(struct warp_state *s, const struct uop *u, unsigned lane, uint64_t at)
{
    const struct grid *g = s->w.block->grid;
    char detail[256];
    if (is_below_stack(s, u, at)) {
        snprintf(detail, sizeof detail, "the stack of %u bytes per thread is exhausted", g->local_bytes);
        return bad_lane(s, u, RP_FAULT_STACK, lane, RP_SPACE_LOCAL, (uint32_t)(at - LOCAL_WINDOW), detail);
    }
    memory_describe(g->memory, g->device, at, detail, sizeof detail);
    return bad_lane(s, u, RP_FAULT_BOUNDS, lane, RP_SPACE_GLOBAL, at, detail);
}

/* Reports lanes that access memory that no device would have. False: the access must not be made; true: without the
 * lanes in *bad. */
static bool global_bad(struct warp_state *s, const struct uop *u, lanemask m, const struct lane_addresses *la,
                       lanemask *bad)
{
    const struct grid *g = s->w.block->grid;
    uint64_t bytes = u->memory->operand.width;
    char detail[32];
    *bad = 0;
    FOR_LANES(l, m)
    {
        uint64_t at = lane_address(la, l);
        struct allocation *a = memory_seen(g->memory, g->device, at);
        enum overrun o = misaligned(u, at)               ? OVERRUN_FAULT
                         : a && covers(a, at, at, bytes) ? OVERRUN_GO
                                                         : overrun_global(s, u, l, at, bytes, &a);
        if (o == OVERRUN_GO)
            continue;
        if (o == OVERRUN_STOP)
            return false;
        snprintf(detail, sizeof detail, "not a multiple of %u", u->memory->operand.width);
        if (!(misaligned(u, at) ? bad_lane(s, u, RP_FAULT_MISALIGNED, l, RP_SPACE_GLOBAL, at, detail)
                                : global_outside(s, u, l, at)))
            return false;
        *bad |= (lanemask)1 << l;
    }
    return true;
}

/* Lane by lane: first reports bad lanes, then makes the access in one part per allocation. */
static void global_scattered(struct warp_state *s, const struct uop *u, lanemask m, const struct lane_addresses *la)
{
    const struct memory *memory = s->w.block->grid->memory;
    uint64_t bytes = u->memory->operand.width;
    lanemask bad;
    if (!global_bad(s, u, m, la, &bad))
        return;
    for (m &= ~bad; m;) {
        unsigned first = (unsigned)__builtin_ctz(m);
        uint64_t at = lane_address(la, first);
        struct allocation *a = memory_below(memory, at);
        lanemask part = 0;
        struct lane_addresses some;
        FOR_LANES(l, m)
        part |= (lanemask)covers(a, lane_address(la, l), lane_address(la, l), bytes) << l;
        bool beyond = !(part >> first & 1);
        part = beyond ? (lanemask)1 << first : part;
        addresses_subset(&some, la, part, 0);
        if (beyond)
            global_beyond(s, u, part, &some, a);
        else
            global_part(s, u, part, &some, a);
        m &= ~part;
    }
}

/* Asks the host's caches for what a later warp accesses by this uop, if warps are as far apart as this one and the one
 * before. Neighbours come by themselves. */
static inline void fetch_ahead(struct block *b, const struct uop *u, const struct lane_addresses *la,
                               const struct allocation *a)
{
    uint64_t *last = &b->last_at[u->index % ALLOCATION_CACHE], step = la->low - *last;
    *last = la->low;
    if (step + HOST_LINE <= 3 * HOST_LINE)
        return;
    const uint8_t *ahead = (const uint8_t *)((uintptr_t)a->host + (la->low - a->base) + WARPS_AHEAD * step);
    __builtin_prefetch(ahead);
    __builtin_prefetch(ahead + HOST_LINE);
    __builtin_prefetch(ahead + (la->high - la->low)); /* the third line of 128 bytes that begin within one */
}

static inline void global_access(struct warp_state *s, const struct uop *u, lanemask m, const struct lane_addresses *la)
{
    struct block *b = s->w.block;
    struct allocation **cached = &b->last[u->index % ALLOCATION_CACHE], *a = *cached;
    if (!a || !covers(a, la->low, la->high, u->memory->operand.width)) {
        a = memory_seen(b->grid->memory, b->grid->device, la->low);
        if (!a || !covers(a, la->low, la->high, u->memory->operand.width)) {
            global_scattered(s, u, m, la);
            return;
        }
        *cached = a;
    }
    if (la->affine)
        fetch_ahead(b, u, la, a);
    if (__builtin_expect(misaligned(u, la->bits), 0))
        global_scattered(s, u, m, la);
    else
        global_part(s, u, m, la, a);
}

/* ---- generic ----------------------------------------------------------------------------------------------------- */

static const struct {
    uint64_t base, size;
    access_fn access;
} windows[] = {
    {SHARED_WINDOW, SHARED_WINDOW_SIZE, cluster_access},
    {LOCAL_WINDOW, LOCAL_WINDOW_SIZE, local_access},
    {CONST_WINDOW, CONST_WINDOW_SIZE, const_access},
    {PARAM_WINDOW, PARAM_WINDOW_SIZE, param_access},
    {0, UINT64_MAX, global_scattered}, /* the global space: addresses in no window */
};
#define WINDOWS (sizeof windows / sizeof *windows)

static size_t window_of(uint64_t address)
{
    size_t i = 0;
    while (i < WINDOWS - 1 && address - windows[i].base >= windows[i].size)
        i++;
    return i;
}

static void generic_access(struct warp_state *s, const struct uop *u, lanemask m, const struct lane_addresses *la)
{
    if (la->low >= GENERIC_GLOBAL) {
        global_access(s, u, m, la);
        return;
    }
    while (m && !s->w.block->faulted) {
        size_t window = window_of(lane_address(la, (unsigned)__builtin_ctz(m)));
        lanemask part = 0;
        FOR_LANES(l, m)
        part |= (lanemask)(window_of(lane_address(la, l)) == window) << l;
        struct lane_addresses some;
        addresses_subset(&some, la, part, windows[window].base);
        windows[window].access(s, u, part, &some);
        m &= ~part;
    }
}

/* ---- handlers ---------------------------------------------------------------------------------------------------- */

/* The offset that is added to the addresses of an access that may be frame-relative. */
static inline int64_t frame_of(const struct warp *w, const struct uop *u)
{
    return u->memory->frame_relative ? (int64_t)w->frame : 0;
}

void access_addresses(struct warp *w, const struct uop *u, lanemask m, struct lane_addresses *la)
{
    u->memory->addresses(la, operand_at(w, u->a), u->imm + frame_of(w, u), m);
}

void access_log(const struct warp *w, const struct uop *u, lanemask m, const struct lane_addresses *la)
{
    if (!w->log || !(u->flags & UF_LOG_ACCESS))
        return;
    uint64_t at[RP_WARP_LANES];
    for (unsigned l = 0; l < RP_WARP_LANES; l++)
        at[l] = lane_address(la, l);
    rp_log_access(w->log, u->index, u->memory->access, m, at);
}

void access_record_rest(struct warp *w, const struct uop *u, lanemask m)
{
    struct lane_addresses la;
    for (u++; !(u->flags & UF_FIRST); u++) {
        if (u->kind != UOP_MEMORY)
            continue;
        if (access_is_image(u)) {
            image_record_none(w, u, m);
            continue;
        }
        begin_access(w, u, m, frame_of(w, u), &la);
        for (unsigned n = 0; w->log && u->flags & UF_LOG_AUX && n < rp_operand_aux_count(&u->memory->operand); n++)
            rp_log_aux(w->log, 0);
    }
}

void access_global(struct warp_state *s, const struct uop *u, lanemask m, const struct lane_addresses *la)
{
    global_access(s, u, m, la);
}

lanemask access_in_shared(struct warp_state *s, const struct uop *u, lanemask m, struct lane_addresses *la,
                          struct block **of)
{
    const struct grid *g = s->w.block->grid;
    *of = s->w.block;
    if (u->memory->operand.space == RP_SPACE_GENERIC) {
        struct lane_addresses generic = *la;
        FOR_LANES(l, m)
        if (lane_address(la, l) - SHARED_WINDOW >= SHARED_WINDOW_SIZE) {
            bad_access(s, u, RP_FAULT_BOUNDS, l, RP_SPACE_GENERIC, lane_address(la, l),
                       "a barrier object must be in shared memory");
            return 0;
        }
        addresses_subset(la, &generic, m, SHARED_WINDOW);
    }
    if (la->high >= CLUSTER_SHARED) {
        struct lane_addresses any = *la;
        m = access_of_one(s, u, m, &any, la, of);
    }
    return m && extent_check(s, u, m, la, &g->shared, g->total_shared, RP_SPACE_SHARED, NULL) ? m : 0;
}

/* A handler computes and records the addresses, then the space makes the access. */
#define HANDLER(name, frame, do_access)                                                                                \
    static void name(struct warp *w, const struct uop *u, lanemask m)                                                  \
    {                                                                                                                  \
        struct lane_addresses la;                                                                                      \
        begin_access(w, u, m, frame, &la);                                                                             \
        do_access((struct warp_state *)w, u, m, &la);                                                                  \
    }
HANDLER(handle_cluster, 0, cluster_access)
HANDLER(handle_const, 0, const_access)
HANDLER(handle_param, 0, param_access)
HANDLER(handle_local, frame_of(w, u), local_access)
HANDLER(handle_global, 0, global_access)
HANDLER(handle_generic, 0, generic_access)

void access_shared(struct warp *w, const struct uop *u, lanemask m)
{
    struct warp_state *s = (struct warp_state *)w;
    struct lane_addresses la;
    begin_access(w, u, m, 0, &la);
    if (u->flags & UF_KEEP_STRIDE)
        keep_even(s, u, &la);
    shared_access(s, u, m, &la);
}

/* A prefetch only records its addresses, valid or not. */
static void no_access(struct warp_state *s, const struct uop *u, lanemask m, const struct lane_addresses *la)
{
    (void)s, (void)u, (void)m, (void)la;
}
HANDLER(handle_prefetch, frame_of(w, u), no_access)

bool access_has_stride(const struct uop *u)
{
    static const uop_fn handlers[] = {access_shared, handle_cluster, handle_const,   handle_param,
                                      handle_local,  handle_global,  handle_generic, handle_prefetch};
    bool found = false;
    for (size_t i = 0; i < sizeof handlers / sizeof *handlers; i++)
        found |= u->fn == handlers[i];
    return found && is_register(u->a);
}

static uop_fn handler(const struct uop *u)
{
    if (access_is_image(u))
        return image_handler(u);
    if (u->memory->operand.kind == RP_ACCESS_PREFETCH)
        return handle_prefetch;
    if (u->memory->operand.kind == RP_ACCESS_OBJECT)
        return u->memory->operand.object == RP_OBJECT_TEST ? handle_object_test : handle_object;
    if (u->op == OP_TENSOR_TO_SHARED || u->op == OP_TENSOR_TO_GLOBAL)
        return handle_tensor;
    if (u->memory->operand.kind == RP_ACCESS_BULK_STORE)
        return handle_bulk_side;
    if (u->memory->operand.kind == RP_ACCESS_BULK_LOAD)
        return handle_bulk;
    if (u->memory->operand.kind == RP_ACCESS_LOAD && !is_sink(u->b))
        return u->type == T_B32 && u->memory->count && u->memory->count <= 4 ? handle_limited : NULL;
    if (u->memory->frame_relative)
        return handle_local;
    switch (u->memory->operand.space) {
    case RP_SPACE_GLOBAL: return handle_global;
    case RP_SPACE_SHARED: return access_shared;
    case RP_SPACE_SHARED_CLUSTER: return handle_cluster;
    case RP_SPACE_LOCAL: return handle_local;
    case RP_SPACE_CONST: return handle_const;
    case RP_SPACE_PARAM: return handle_param;
    case RP_SPACE_GENERIC: return handle_generic;
    default: return NULL;
    }
}

static bool choose_element(struct uop *u, struct memory_descriptor *d)
{
    enum lane_type reg = d->dtype ? (enum lane_type)d->dtype : (enum lane_type)u->type;
    unsigned bytes = lane_type_bits((enum lane_type)u->type) / 8, reg_bytes = lane_element_bytes(reg);
    if (u->type == T_B128)
        bytes = reg_bytes = 8;
    if (d->operand.kind == RP_ACCESS_LOAD)
        d->element = SIMD_SELECT(element_load)(bytes, reg_bytes, lane_is_signed((enum lane_type)u->type));
    else
        d->element = SIMD_SELECT(element_store)(bytes, reg_bytes);
    uint32_t elements = d->count ? d->count : 1;
    if (!d->count && is_sink(u->d))
        return false;
    if (!d->count && u->type != T_B128)
        u->flags |= UF_ONE_ELEMENT;
    uint32_t width = elements * (u->type == T_B128 ? 16 : bytes);
    return d->element && d->operand.width == width && (width & (width - 1)) == 0;
}

bool access_prepare(struct uop *u, struct memory_descriptor *d)
{
    u->fn = handler(u);
    if (access_is_image(u) && u->op != OP_SURFACE)
        return u->fn != NULL;
    if (is_sink(u->a))
        d->addresses = addresses_constant;
    else if (lane_type_bits((enum lane_type)u->stype) == 64)
        d->addresses = SIMD_SELECT(addresses_wide);
    else
        d->addresses = SIMD_SELECT(addresses_narrow);
    switch (d->operand.kind) {
    case RP_ACCESS_LOAD:
    case RP_ACCESS_STORE: return u->fn && choose_element(u, d);
    case RP_ACCESS_ATOMIC:
    case RP_ACCESS_REDUCTION: return u->fn && atomic_known(u);
    default: return u->fn != NULL;
    }
}
