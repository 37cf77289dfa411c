/* What access.c and access_bytes.c share. */
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

/* Computes the addresses and records them. */
static inline void begin_access(struct warp *w, const struct uop *u, lanemask m, int64_t frame,
                                struct lane_addresses *la)
{
    u->memory->addresses(la, operand_at(w, u->a), u->imm + frame, m);
    if (!w->log || !(u->flags & UF_LOG_ACCESS))
        return;
    if (la->affine)
        rp_log_affine_access(w->log, u->index, u->memory->access, la->at[0], la->stride);
    else
        rp_log_access(w->log, u->index, u->memory->access, m, la->at);
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
