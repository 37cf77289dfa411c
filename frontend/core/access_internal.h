/* What access.c, access_bytes.c and even_access.c share. */
#ifndef REPRISE_FRONTEND_CORE_ACCESS_INTERNAL_H
#define REPRISE_FRONTEND_CORE_ACCESS_INTERNAL_H

#include "frontend/core/access.h"
#include "frontend/core/memory.h"
#include "frontend/core/watch.h"
#include "frontend/operation/flags.h"
#include "tracefmt/writer.h"

static inline bool covers(const struct allocation *a, uint64_t low, uint64_t high, uint64_t bytes)
{
    return low >= a->base && a->size >= bytes && high - a->base <= a->size - bytes && high >= low;
}

/* The addresses of all lanes from the first and the stride. False: they wrap around, so that they are not affine. */
static inline bool addresses_of_stride(struct lane_addresses *la, const struct uop *u, const void *reg, int64_t offset,
                                       int64_t stride)
{
    bool wide = u->stype == T_U64;
    uint64_t mask = wide ? UINT64_MAX : UINT32_MAX;
    uint64_t first = ((wide ? *(const uint64_t *)reg : *(const uint32_t *)reg) + (uint64_t)offset) & mask;
    uint64_t last = first + (RP_WARP_LANES - 1) * (uint64_t)stride;
    if (last > mask || (stride < 0 ? last > first : last < first))
        return false;
    la->low = stride < 0 ? last : first;
    la->high = stride < 0 ? first : last;
    la->bits = first | (uint64_t)stride;
    la->stride = stride;
    la->affine = true;
    la->at[0] = first;
    return true;
}

/* Computes the addresses from the register, and keeps the stride for later uops. */
void find_addresses(struct warp_state *, const struct uop *, const void *reg, int64_t offset, lanemask,
                    struct lane_addresses *);
void record_access(const struct warp *, const struct uop *, lanemask, const struct lane_addresses *);

/* Computes the addresses and records them. */
static inline __attribute__((always_inline)) void begin_access(struct warp *w, const struct uop *u, lanemask m,
                                                               int64_t frame, struct lane_addresses *la)
{
    struct warp_state *s = (struct warp_state *)w;
    const void *reg = operand_at(w, u->a);
    int64_t offset = u->imm + frame;
    bool known = u->flags & UF_KNOWN_STRIDE && m == ~(lanemask)0 && s->strides[u->mode] != STRIDE_UNKNOWN;
    if (!known || !addresses_of_stride(la, u, reg, offset, s->strides[u->mode]))
        find_addresses(s, u, reg, offset, m, la);
    if (w->log)
        record_access(w, u, m, la);
}

/* The addresses of some of the lanes, each reduced by `shift`. */
void addresses_subset(struct lane_addresses *, const struct lane_addresses *, lanemask, uint64_t shift);
/* Reports a fault of an access whose number of bytes comes from a register. */
void bad_bytes(struct warp_state *, const struct uop *, enum rp_fault_kind, unsigned lane, enum rp_space,
               uint64_t address, uint64_t bytes, bool stores, const char *detail);
/* How the watch notes a load of global memory (watch.h); 0: it does not. */
static inline unsigned watched_read(const struct block *b, const struct uop *u)
{
    return u->flags & (block_is_bare(b) ? UF_SLICE_BARE : UF_SLICE) ? WATCH_READ : 0;
}

/* Handlers in access_bytes.c: a partial load; the side of a bulk copy that is only recorded; the side that copies. */
void handle_limited(struct warp *, const struct uop *, lanemask);
void handle_bulk_side(struct warp *, const struct uop *, lanemask);
void handle_bulk(struct warp *, const struct uop *, lanemask);

#endif
