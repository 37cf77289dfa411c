/* Flags that program_prepare adds to a uop, above those of enum uop_flag. */
#ifndef REPRISE_FRONTEND_CORE_FLAGS_H
#define REPRISE_FRONTEND_CORE_FLAGS_H

#include "frontend/core/warp.h"

enum prepared_flag {
    UF_GUARDED = 1 << 24,     /* the guard is a register */
    UF_LOG_ACCESS = 1 << 25,  /* the static table has a memory operand for it */
    UF_LOG_AUX = 1 << 26,     /* every execution records an aux value */
    UF_ONE_ELEMENT = 1 << 27, /* a load or store of one element per lane */
};

/* The value of a 32-bit operand in a lane. */
static inline uint32_t lane_u32(const struct warp *w, struct operand o, unsigned lane)
{
    return ((const uint32_t *)operand_at(w->window, o))[lane];
}
static inline uint64_t lane_u64(const struct warp *w, struct operand o, unsigned lane)
{
    return ((const uint64_t *)operand_at(w->window, o))[lane];
}
static inline bool is_sink(struct operand o) { return !o.keep && !o.at; }

/* A barrier's id and count as `lane` gives them. */
static inline uint32_t barrier_id(const struct warp *w, const struct uop *u, unsigned lane)
{
    return u->barrier.id < 0 ? lane_u32(w, u->a, lane) : (uint32_t)u->barrier.id;
}
static inline uint32_t barrier_count(const struct warp *w, const struct uop *u, unsigned lane)
{
    return u->barrier.count < 0 ? lane_u32(w, u->b, lane) : (uint32_t)u->barrier.count;
}
static inline uint64_t barrier_aux(const struct warp *w, const struct uop *u, unsigned lane)
{
    return RP_BARRIER_AUX(barrier_id(w, u, lane) & 0xffff, barrier_count(w, u, lane));
}

#endif
