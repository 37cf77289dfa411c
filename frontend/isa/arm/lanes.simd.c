#include "frontend/isa/arm/lanes.h"

#include "frontend/guest/flag_lanes.h"
#include "frontend/isa/arm/operations.h"
#include "tracefmt/writer.h"

INLINE void set_nz(struct warp *w, const u32 *result, lanemask executed)
{
    u32 zero[LANES] ALIGNED;
    FOR_LANES zero[l] = result[l] ? 0 : UINT32_MAX;
    merge(&w->sign, mask_of_words(result), executed);
    merge(&w->zero, mask_of_words(zero), executed);
}

/* ---- data processing --------------------------------------------------------------------------------------------- */

INLINE void data_lanes(struct warp *w, const struct uop *u, lanemask executed, unsigned operation,
                       enum arm_data_form form)
{
    const u32 *a = source(w, u->a), *b = source(w, u->b);
    const u32 by = form == ARM_LEFT ? (u32)u->imm & 31 : 0;
    const lanemask carry = w->carry;
    u32 r[LANES] ALIGNED, c[LANES] ALIGNED, v[LANES] ALIGNED;
    FOR_LANES
    {
        struct arm_sum flags = {0};
        r[l] = arm_data(operation, a[l], b[l] << by, carry & lane_bit[l] ? 1 : 0, &flags);
        c[l] = flags.c;
        v[l] = flags.v;
    }
    store_lanes(destination(w, u->d), r, executed);
    if (form != ARM_WITH_FLAGS)
        return;
    set_nz(w, r, executed);
    if (arm_is_logical(operation))
        return;
    merge(&w->carry, mask_of_words(c), executed);
    merge(&w->overflow, mask_of_words(v), executed);
}

#define DATA(operation)                                                                                                \
    HANDLER(data_##operation) { data_lanes(w, u, executed, ARM_##operation, ARM_PLAIN); }                              \
    HANDLER(data_left_##operation) { data_lanes(w, u, executed, ARM_##operation, ARM_LEFT); }                          \
    HANDLER(data_sets_##operation) { data_lanes(w, u, executed, ARM_##operation, ARM_WITH_FLAGS); }
#define ALL_DATA(X) X(AND) X(EOR) X(SUB) X(RSB) X(ADD) X(ADC) X(SBC) X(RSC) X(ORR) X(MOV) X(BIC) X(MVN) X(ORN) X(MOVT)
ALL_DATA(DATA)

uop_fn SIMD_NAME(arm_data_handler)(unsigned operation, enum arm_data_form form)
{
    switch (operation) {
#define CASE(operation)                                                                                                \
    case ARM_##operation:                                                                                              \
        return form == ARM_PLAIN ? data_##operation : form == ARM_LEFT ? data_left_##operation : data_sets_##operation;
        ALL_DATA(CASE)
#undef CASE
    case ARM_TST: return data_sets_AND;
    case ARM_TEQ: return data_sets_EOR;
    case ARM_CMP: return data_sets_SUB;
    default: return data_sets_ADD; /* ARM_CMN */
    }
}

/* ---- shifts ------------------------------------------------------------------------------------------------------ */

INLINE void shift_lanes(struct warp *w, const struct uop *u, lanemask executed, unsigned type, bool for_carry)
{
    const u32 *a = source(w, u->a), *b = source(w, u->b);
    const lanemask in = w->carry;
    u32 r[LANES] ALIGNED, carry[LANES] ALIGNED;
    FOR_LANES
    {
        carry[l] = in & lane_bit[l] ? 1 : 0;
        r[l] = arm_shift(a[l], type, b[l] & 255, &carry[l]);
    }
    if (for_carry)
        merge(&w->carry, mask_of_ones(carry), executed);
    else
        store_lanes(destination(w, u->d), r, executed);
}

#define SHIFT(type)                                                                                                    \
    HANDLER(shift_##type) { shift_lanes(w, u, executed, ARM_##type, false); }                                          \
    HANDLER(carry_##type) { shift_lanes(w, u, executed, ARM_##type, true); }
SHIFT(LSL)
SHIFT(LSR)
SHIFT(ASR)
SHIFT(ROR)
SHIFT(RRX)

/* ---- computing --------------------------------------------------------------------------------------------------- */

INLINE void write_ge(struct warp *w, const u32 *ge, lanemask executed)
{
    u32 words[LANES] ALIGNED;
    for (unsigned n = 0; n < 4; n++) {
        FOR_LANES words[l] = ge[l] << (31 - n);
        merge(predicate_at(w, ARM_P_GE + n), mask_of_words(words), executed);
    }
}

INLINE void read_ge(const struct warp *w, u32 *ge)
{
    FOR_LANES ge[l] = 0;
    for (unsigned n = 0; n < 4; n++) {
        const lanemask m = *predicate_at(w, ARM_P_GE + n);
        FOR_LANES ge[l] |= m & lane_bit[l] ? 1u << n : 0;
    }
}

INLINE bool may_set_q(unsigned operation)
{
    return (operation >= ARM_SMLAXY && operation <= ARM_SMLSD) || (operation >= ARM_QADD && operation <= ARM_USAT16);
}

INLINE void compute_lanes(struct warp *w, const struct uop *u, lanemask executed, unsigned operation, u32 imm)
{
    const u32 *a = source(w, u->a), *b = source(w, u->b), *c = source(w, u->c), *old = source(w, u->d);
    u32 r[LANES] ALIGNED, q[LANES] ALIGNED, ge[LANES] ALIGNED;
    if (operation == ARM_SEL)
        read_ge(w, ge);
    FOR_LANES
    {
        u32 saturated = 0, select = operation == ARM_SEL ? ge[l] : 0;
        r[l] = operation == ARM_CLZ ? b[l] ? 31 - highest_bit(b[l]) : 32
                                    : arm_compute(operation, a[l], b[l], c[l], old[l], imm, &saturated, &select);
        q[l] = saturated;
        ge[l] = select;
    }
    store_lanes(destination(w, u->d), r, executed);
    if (may_set_q(operation))
        *predicate_at(w, ARM_P_Q) |= mask_of_ones(q) & executed;
    if (operation == ARM_PARALLEL && arm_sets_ge(imm))
        write_ge(w, ge, executed);
}

/* clang-format would arrange this list anew each time. */
/* clang-format off */
#define ALL_COMPUTE(X) \
    X(MUL) X(MLA) X(MLS) X(SMULXY) X(SMLAXY) X(SMULW) X(SMLAW) X(SMUAD) X(SMLAD) X(SMUSD) X(SMLSD) \
    X(SMMUL) X(SMMLA) X(SMMLS) X(USAD8) X(USADA8) X(SDIV) X(UDIV) X(QADD) X(QSUB) X(QDADD) X(QDSUB) \
    X(SSAT) X(USAT) X(SSAT16) X(USAT16) X(SEL) X(PKHBT) X(PKHTB) X(SXTB) X(SXTH) \
    X(SXTB16) X(UXTB) X(UXTH) X(UXTB16) X(SXTAB) X(SXTAH) X(SXTAB16) X(UXTAB) X(UXTAH) X(UXTAB16) \
    X(REV) X(REV16) X(REVSH) X(RBIT) X(CLZ) X(BFI) X(BFC) X(SBFX) X(UBFX)
/* clang-format on */
#define COMPUTE(operation)                                                                                             \
    HANDLER(compute_##operation) { compute_lanes(w, u, executed, ARM_##operation, (u32)u->imm); }
ALL_COMPUTE(COMPUTE)

/* Parallel additions have a handler each: where the operation is a constant, the loop has no branches. */
#define VARIANTS(X, operation)                                                                                         \
    X(SIGNED, operation) X(Q, operation) X(SH, operation) X(UNSIGNED, operation) X(UQ, operation) X(UH, operation)
#define ALL_PARALLEL(X)                                                                                                \
    VARIANTS(X, ADD16) VARIANTS(X, ASX) VARIANTS(X, SAX) VARIANTS(X, SUB16) VARIANTS(X, ADD8) VARIANTS(X, SUB8)
#define PARALLEL(variant, operation)                                                                                   \
    HANDLER(parallel_##variant##_##operation)                                                                          \
    {                                                                                                                  \
        compute_lanes(w, u, executed, ARM_PARALLEL, ARM_PARALLEL_OPERATION(ARM_##variant, ARM_##operation));           \
    }
ALL_PARALLEL(PARALLEL)

static uop_fn parallel_handler(u32 imm)
{
    switch (imm) {
#define CASE(variant, operation)                                                                                       \
    case ARM_PARALLEL_OPERATION(ARM_##variant, ARM_##operation): return parallel_##variant##_##operation;
        ALL_PARALLEL(CASE)
#undef CASE
    default: return NULL;
    }
}

uop_fn SIMD_NAME(arm_compute_handler)(unsigned operation, u32 imm)
{
    switch (operation) {
#define CASE(operation)                                                                                                \
    case ARM_##operation: return compute_##operation;
        ALL_COMPUTE(CASE)
#undef CASE
    case ARM_PARALLEL: return parallel_handler(imm);
    default: return NULL;
    }
}

/* ---- products of 64 bits ----------------------------------------------------------------------------------------- */

INLINE void long_lanes(struct warp *w, const struct uop *u, lanemask executed, unsigned operation)
{
    const u32 *a = source(w, u->a), *b = source(w, u->b);
    u32 *high = destination(w, u->d), *low = destination(w, u->c);
    const u32 imm = (u32)u->imm;
    u32 h[LANES] ALIGNED, o[LANES] ALIGNED;
    FOR_LANES
    {
        const u64 r = arm_compute_long(operation, a[l], b[l], high[l], low[l], imm);
        h[l] = (u32)(r >> 32);
        o[l] = (u32)r;
    }
    store_lanes(high, h, executed);
    store_lanes(low, o, executed);
}

#define ALL_LONG(X) X(UMULL) X(UMLAL) X(UMAAL) X(SMULL) X(SMLAL) X(SMLALXY) X(SMLALD) X(SMLSLD)
#define LONG(operation)                                                                                                \
    HANDLER(long_##operation) { long_lanes(w, u, executed, ARM_##operation); }
ALL_LONG(LONG)

uop_fn SIMD_NAME(arm_long_handler)(unsigned operation)
{
    switch (operation) {
#define CASE(operation)                                                                                                \
    case ARM_##operation: return long_##operation;
        ALL_LONG(CASE)
#undef CASE
    default: return NULL;
    }
}

/* ---- flags and conditions ---------------------------------------------------------------------------------------- */

HANDLER(nothing) { (void)w, (void)u, (void)executed; }

HANDLER(set_carry) { merge(&w->carry, u->imm ? EVERY_LANE : 0, executed); }

HANDLER(compare_c)
{
    const u32 *a = source(w, u->a), *b = source(w, u->b), by = (u32)u->imm & 31;
    u32 c[LANES] ALIGNED;
    FOR_LANES c[l] = a[l] >= b[l] << by ? UINT32_MAX : 0;
    merge(&w->carry, mask_of_words(c), executed);
}

HANDLER(nz) { set_nz(w, source(w, u->a), executed); }

HANDLER(nz_long)
{
    const u32 *high = source(w, u->a), *low = source(w, u->b);
    u32 zero[LANES] ALIGNED;
    FOR_LANES zero[l] = high[l] | low[l] ? 0 : UINT32_MAX;
    merge(&w->sign, mask_of_words(high), executed);
    merge(&w->zero, mask_of_words(zero), executed);
}

INLINE lanemask set_condition(struct warp *w, lanemask executed, unsigned condition)
{
    const lanemask holds = arm_condition(condition, w->sign, w->zero, w->carry, w->overflow);
    return *predicate_at(w, ARM_P_CONDITION) = holds & executed;
}

/* Each condition has its handlers: most instructions of A32 may have one. */
#define CONDITION(condition)                                                                                           \
    HANDLER(condition_##condition)                                                                                     \
    {                                                                                                                  \
        (void)u;                                                                                                       \
        set_condition(w, executed, condition);                                                                         \
    }                                                                                                                  \
    HANDLER(recorded_##condition)                                                                                      \
    {                                                                                                                  \
        (void)u;                                                                                                       \
        const lanemask holds = set_condition(w, executed, condition);                                                  \
        if (w->log)                                                                                                    \
            rp_log_guard(w->log, holds);                                                                               \
    }
#define ALL_CONDITIONS(X) X(0) X(1) X(2) X(3) X(4) X(5) X(6) X(7) X(8) X(9) X(10) X(11) X(12) X(13)
ALL_CONDITIONS(CONDITION)

uop_fn SIMD_NAME(arm_condition_handler)(unsigned condition, bool recorded)
{
    static const uop_fn handlers[][2] = {
#define ROW(condition) {condition_##condition, recorded_##condition},
        ALL_CONDITIONS(ROW)
#undef ROW
    };
    return handlers[condition][recorded];
}

HANDLER(get_status)
{
    u32 r[LANES] ALIGNED;
    const lanemask n = w->sign, z = w->zero, c = w->carry, v = w->overflow, q = *predicate_at(w, ARM_P_Q);
    read_ge(w, r);
    FOR_LANES r[l] = r[l] << ARM_GE_SHIFT | ARM_USER_MODE | (n & lane_bit[l] ? ARM_N : 0) |
                     (z & lane_bit[l] ? ARM_Z : 0) | (c & lane_bit[l] ? ARM_C : 0) | (v & lane_bit[l] ? ARM_V : 0) |
                     (q & lane_bit[l] ? ARM_Q_FLAG : 0);
    store_lanes(destination(w, u->d), r, executed);
}

HANDLER(set_status)
{
    const u32 *a = source(w, u->a);
    u32 words[LANES] ALIGNED;
    lanemask *const flags[] = {&w->sign, &w->zero, &w->carry, &w->overflow, predicate_at(w, ARM_P_Q)};
    for (unsigned n = 0; u->imm & ARM_N && n < 5; n++) {
        FOR_LANES words[l] = a[l] << n;
        merge(flags[n], mask_of_words(words), executed);
    }
    FOR_LANES words[l] = a[l] >> ARM_GE_SHIFT;
    if (u->imm & 15u << ARM_GE_SHIFT)
        write_ge(w, words, executed);
}

uop_fn SIMD_NAME(arm_lane_handler)(unsigned lane)
{
    static const uop_fn handlers[ARM_LANES] = {
        [ARM_LANE_NOTHING] = nothing,           [ARM_LANE_SHIFT + ARM_LSL] = shift_LSL,
        [ARM_LANE_SHIFT + ARM_LSR] = shift_LSR, [ARM_LANE_SHIFT + ARM_ASR] = shift_ASR,
        [ARM_LANE_SHIFT + ARM_ROR] = shift_ROR, [ARM_LANE_SHIFT + ARM_RRX] = shift_RRX,
        [ARM_LANE_CARRY + ARM_LSL] = carry_LSL, [ARM_LANE_CARRY + ARM_LSR] = carry_LSR,
        [ARM_LANE_CARRY + ARM_ASR] = carry_ASR, [ARM_LANE_CARRY + ARM_ROR] = carry_ROR,
        [ARM_LANE_CARRY + ARM_RRX] = carry_RRX, [ARM_LANE_SET_CARRY] = set_carry,
        [ARM_LANE_COMPARE_C] = compare_c,       [ARM_LANE_NZ] = nz,
        [ARM_LANE_NZ_LONG] = nz_long,           [ARM_LANE_GET_STATUS] = get_status,
        [ARM_LANE_SET_STATUS] = set_status,
    };
    return handlers[lane];
}
