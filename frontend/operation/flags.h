/* Flags of uops that packing and program_prepare set, above the flags of an operation. */
#ifndef REPRISE_FRONTEND_OPERATION_FLAGS_H
#define REPRISE_FRONTEND_OPERATION_FLAGS_H

#include "frontend/operation/warp.h"

#define UF_GUARDED UOP_FLAG(UF_ENGINE)           /* the guard is a register */
#define UF_GUARD_NEGATED UOP_FLAG(UF_ENGINE + 1) /* guard_flip */
#define UF_P_NEGATED UOP_FLAG(UF_ENGINE + 2)     /* p_flip */
#define UF_LOG_ACCESS UOP_FLAG(UF_ENGINE + 3)    /* the static table has a memory operand for this uop */
#define UF_LOG_AUX UOP_FLAG(UF_ENGINE + 4)       /* every execution records an aux value */
#define UF_ONE_ELEMENT UOP_FLAG(UF_ENGINE + 5)   /* a load or store of one element per lane */
#define UF_SLICE UOP_FLAG(UF_ENGINE + 6)         /* a load or atomic whose result is in the slice */
#define UF_EQUAL_B UOP_FLAG(UF_ENGINE + 7)       /* b is the constant equal_b in all lanes */
#define UF_SLICE_BARE UOP_FLAG(UF_ENGINE + 8)    /* UF_SLICE in blocks without shared and local memory */
#define UF_KEEP_STRIDE UOP_FLAG(UF_ENGINE + 9)   /* keeps the stride of its addresses in slot `mode` (strides.h) */
#define UF_KNOWN_STRIDE UOP_FLAG(UF_ENGINE + 10) /* its address register's stride is in slot `mode` */
#define UF_TOGETHER UOP_FLAG(UF_ENGINE + 11)     /* its handler may execute the next uops, too: warp_state.also */
#define UF_PLAIN UOP_FLAG(63) /* of guests: UOP_LANE or UOP_MEMORY, without a guard; the bit that is tested fastest */

/* ~0 if `flag` is set in flags, else 0. */
static inline lanemask flag_mask(uint64_t flags, uint64_t flag) { return flags & flag ? ~(lanemask)0 : 0; }
static inline lanemask mask_at(const struct warp *w, struct operand o) { return *(const lanemask *)operand_at(w, o); }
/* The lanes in which p holds; the lanes in which the guard of a guarded uop holds. */
static inline lanemask predicate(const struct warp *w, const struct uop *u)
{
    return mask_at(w, u->p) ^ flag_mask(u->flags, UF_P_NEGATED);
}
static inline lanemask guard(const struct warp *w, const struct uop *u)
{
    return mask_at(w, u->guard) ^ flag_mask(u->flags, UF_GUARD_NEGATED);
}

/* The second predicate destination. */
static inline struct operand second_predicate(const struct uop *u) { return u->lane ? u->lane->pd2 : OPERAND_NONE; }

/* The value of a 32-bit operand in a lane. */
static inline uint32_t lane_u32(const struct warp *w, struct operand o, unsigned lane)
{
    return ((const uint32_t *)operand_at(w, o))[lane];
}
static inline uint64_t lane_u64(const struct warp *w, struct operand o, unsigned lane)
{
    return ((const uint64_t *)operand_at(w, o))[lane];
}

/* The id and the thread count of a barrier, for one lane. */
static inline uint32_t barrier_id(const struct warp *w, const struct uop *u, unsigned lane)
{
    return u->barrier->id < 0 ? lane_u32(w, u->a, lane) : (uint32_t)u->barrier->id;
}
static inline uint32_t barrier_count(const struct warp *w, const struct uop *u, unsigned lane)
{
    return u->barrier->count < 0 ? lane_u32(w, u->b, lane) : (uint32_t)u->barrier->count;
}
static inline uint64_t barrier_aux(const struct warp *w, const struct uop *u, unsigned lane)
{
    return RP_BARRIER_AUX(barrier_id(w, u, lane) & 0xffff, barrier_count(w, u, lane));
}

#endif
