/* Macros for writing lane handlers. For *.simd.c files only, which are compiled once per vector width: those of this
 * folder, and those of instruction sets of guests.
 *
 * LANES1..LANES4(name, result, sources..., expression) define a handler `name` from an expression over one lane, with
 * sources a, b, c, e. A handler has two loops: one for a full warp, and one that blends the results into the executed
 * lanes. Both compute all lanes into a local array before they write. (This costs nothing, because the array stays in
 * registers.) Lanes that are not executed compute with whatever their registers hold, so an expression must be safe for
 * any bits.
 *
 * Each file ends in a table of rows, from which the binder chooses by operation, types and flags. */
#ifndef REPRISE_FRONTEND_CORE_LANES_LOOP_H
#define REPRISE_FRONTEND_CORE_LANES_LOOP_H

#include <string.h>
#ifdef __x86_64__
#include <immintrin.h>
#endif

#include "frontend/core/lanes/lanes.h"
#include "frontend/core/lanes/simd.h"
#include "frontend/operation/flags.h"
#include "frontend/operation/warp.h"

/* Copying the local array to the destination must stay a vector loop: a call of memcpy would write the array to memory
 * first. */
#if defined __GNUC__ && !defined __clang__
#pragma GCC optimize("no-tree-loop-distribute-patterns")
#endif

#define LANES 32
#define EVERY_LANE (~(lanemask)0)
#define INLINE static inline __attribute__((always_inline, unused))
#define NOINLINE static __attribute__((noinline))
#define ALIGNED __attribute__((aligned(64)))

/* Registers hold any type. A handler may read bytes as one type and write them as another. */
#define ANY_ALIAS __attribute__((may_alias))
typedef uint8_t u8;
typedef int8_t s8;
typedef uint16_t ANY_ALIAS u16;
typedef int16_t ANY_ALIAS s16;
typedef uint32_t ANY_ALIAS u32;
typedef int32_t ANY_ALIAS s32;
typedef uint64_t ANY_ALIAS u64;
typedef int64_t ANY_ALIAS s64;
typedef float ANY_ALIAS f32;
typedef double ANY_ALIAS f64;
typedef unsigned __int128 u128;
typedef __int128 s128;

/* ---- operands ---- */

INLINE const void *source(const struct warp *w, struct operand o)
{
    return __builtin_assume_aligned(operand_at(w, o), 64);
}
INLINE void *destination(const struct warp *w, struct operand o)
{
    return __builtin_assume_aligned(register_at(w, o), 64);
}
INLINE void write_predicate(const struct warp *w, struct operand o, lanemask value, lanemask executed)
{
    if (is_sink(o))
        return;
    lanemask *p = register_at(w, o);
    *p = (*p & ~executed) | (value & executed);
}
INLINE lanemask combine_masks(enum combine combine, lanemask value, lanemask with)
{
    return combine == COMBINE_AND   ? value & with
           : combine == COMBINE_OR  ? value | with
           : combine == COMBINE_XOR ? value ^ with
                                    : value;
}

/* ---- from masks to lanes and back ---- */

static const u32 lane_bit[LANES] ALIGNED = {
    1u << 0,  1u << 1,  1u << 2,  1u << 3,  1u << 4,  1u << 5,  1u << 6,  1u << 7,  1u << 8,  1u << 9,  1u << 10,
    1u << 11, 1u << 12, 1u << 13, 1u << 14, 1u << 15, 1u << 16, 1u << 17, 1u << 18, 1u << 19, 1u << 20, 1u << 21,
    1u << 22, 1u << 23, 1u << 24, 1u << 25, 1u << 26, 1u << 27, 1u << 28, 1u << 29, 1u << 30, 1u << 31};

/* Collects the sign bits of 32 words: bit l from lane l. Compilers do not find these instructions themselves. */
INLINE lanemask mask_of_words(const u32 *q)
{
    lanemask r = 0;
#if defined __AVX512DQ__
    r = _cvtmask32_u32(
        _mm512_kunpackw(_mm512_movepi32_mask(_mm512_load_si512(q + 16)), _mm512_movepi32_mask(_mm512_load_si512(q))));
#elif defined __AVX2__
    for (int i = 0; i < 4; i++)
        r |= (lanemask)_mm256_movemask_ps(_mm256_load_ps((const float *)q + 8 * i)) << 8 * i;
#elif defined __SSE2__
    for (int i = 0; i < 8; i++)
        r |= (lanemask)_mm_movemask_ps(_mm_load_ps((const float *)q + 4 * i)) << 4 * i;
#else
    for (int i = 0; i < LANES; i++)
        r |= (lanemask)(q[i] >> 31) << i;
#endif
    return r;
}
INLINE lanemask mask_of_doublewords(const u64 *q)
{
    lanemask r = 0;
#if defined __AVX512DQ__
    for (int i = 0; i < 4; i++)
        r |= (lanemask)_mm512_movepi64_mask(_mm512_load_si512(q + 8 * i)) << 8 * i;
#elif defined __AVX2__
    for (int i = 0; i < 8; i++)
        r |= (lanemask)_mm256_movemask_pd(_mm256_load_pd((const double *)q + 4 * i)) << 4 * i;
#elif defined __SSE2__
    for (int i = 0; i < 16; i++)
        r |= (lanemask)_mm_movemask_pd(_mm_load_pd((const double *)q + 2 * i)) << 2 * i;
#else
    for (int i = 0; i < LANES; i++)
        r |= (lanemask)(q[i] >> 63) << i;
#endif
    return r;
}

/* ---- bits of floats ---- */

INLINE u32 bits_f32(f32 x)
{
    u32 r;
    memcpy(&r, &x, sizeof r);
    return r;
}
INLINE f32 float_of(u32 x)
{
    f32 r;
    memcpy(&r, &x, sizeof r);
    return r;
}
INLINE u64 bits_f64(f64 x)
{
    u64 r;
    memcpy(&r, &x, sizeof r);
    return r;
}
INLINE f64 double_of(u64 x)
{
    f64 r;
    memcpy(&r, &x, sizeof r);
    return r;
}
INLINE f32 canonical_f32(f32 x) { return float_of(x != x ? F32_NAN : bits_f32(x)); }
INLINE f64 canonical_f64(f64 x) { return double_of(x != x ? F64_NAN : bits_f64(x)); }
/* ftz: flushes subnormals to zero of the same sign. A limit of 0 flushes nothing. */
#define SMALLEST_NORMAL 0x00800000u
INLINE f32 flush_below(f32 x, u32 limit)
{
    u32 bits = bits_f32(x), magnitude = bits & 0x7fffffffu;
    return float_of(magnitude < limit ? bits & 0x80000000u : bits);
}
INLINE f32 flush(f32 x) { return flush_below(x, SMALLEST_NORMAL); }
INLINE u32 flush_limit(const struct uop *u) { return u->flags & UF_FTZ ? SMALLEST_NORMAL : 0; }

/* Conversions for which only AVX-512 has instructions, made of those that every width has. Exact for whole x in
 * range. */
INLINE f64 f64_of_u32(u32 x) { return (f64)(s32)(x ^ 0x80000000u) + 2147483648.0; }
INLINE u32 u32_of_f64(f64 x) { return (u32)(s32)(x - 2147483648.0) ^ 0x80000000u; }

/* ---- loops ---- */

/* Computes `expression` (over int l, the lane) for all lanes, and stores it in the executed ones. */
#define STORE_LANES(type, to, executed, expression)                                                                    \
    do {                                                                                                               \
        type r_[LANES] ALIGNED, *to_ = (to);                                                                           \
        if ((executed) == EVERY_LANE) {                                                                                \
            for (int l = 0; l < LANES; l++)                                                                            \
                r_[l] = (type)(expression);                                                                            \
            for (int l = 0; l < LANES; l++)                                                                            \
                to_[l] = r_[l];                                                                                        \
        } else {                                                                                                       \
            for (int l = 0; l < LANES; l++)                                                                            \
                r_[l] = (type)(expression);                                                                            \
            for (int l = 0; l < LANES; l++)                                                                            \
                to_[l] = (executed)&lane_bit[l] ? r_[l] : to_[l];                                                      \
        }                                                                                                              \
    } while (0)

#define HANDLER(name) static void name(struct warp *w, const struct uop *u, lanemask executed)

#define LANES1(name, D, A, expression)                                                                                 \
    INLINE D name##_lane(A a) { return (D)(expression); }                                                              \
    HANDLER(name)                                                                                                      \
    {                                                                                                                  \
        const A *a = source(w, u->a);                                                                                  \
        STORE_LANES(D, destination(w, u->d), executed, name##_lane(a[l]));                                             \
    }
#define LANES2(name, D, A, B, expression)                                                                              \
    INLINE D name##_lane(A a, B b) { return (D)(expression); }                                                         \
    NOINLINE void name##_equal_b(struct warp *w, const struct uop *u, lanemask executed)                               \
    {                                                                                                                  \
        const A *a = source(w, u->a);                                                                                  \
        B b;                                                                                                           \
        memcpy(&b, &u->equal_b, sizeof b);                                                                             \
        STORE_LANES(D, destination(w, u->d), executed, name##_lane(a[l], b));                                          \
    }                                                                                                                  \
    HANDLER(name)                                                                                                      \
    {                                                                                                                  \
        if (u->flags & UF_EQUAL_B) {                                                                                   \
            name##_equal_b(w, u, executed);                                                                            \
            return;                                                                                                    \
        }                                                                                                              \
        const A *a = source(w, u->a);                                                                                  \
        const B *b = source(w, u->b);                                                                                  \
        STORE_LANES(D, destination(w, u->d), executed, name##_lane(a[l], b[l]));                                       \
    }
#define LANES3(name, D, A, B, C, expression)                                                                           \
    INLINE D name##_lane(A a, B b, C c) { return (D)(expression); }                                                    \
    NOINLINE void name##_equal_b(struct warp *w, const struct uop *u, lanemask executed)                               \
    {                                                                                                                  \
        const A *a = source(w, u->a);                                                                                  \
        B b;                                                                                                           \
        memcpy(&b, &u->equal_b, sizeof b);                                                                             \
        const C *c = source(w, u->c);                                                                                  \
        STORE_LANES(D, destination(w, u->d), executed, name##_lane(a[l], b, c[l]));                                    \
    }                                                                                                                  \
    HANDLER(name)                                                                                                      \
    {                                                                                                                  \
        if (u->flags & UF_EQUAL_B) {                                                                                   \
            name##_equal_b(w, u, executed);                                                                            \
            return;                                                                                                    \
        }                                                                                                              \
        const A *a = source(w, u->a);                                                                                  \
        const B *b = source(w, u->b);                                                                                  \
        const C *c = source(w, u->c);                                                                                  \
        STORE_LANES(D, destination(w, u->d), executed, name##_lane(a[l], b[l], c[l]));                                 \
    }

/* ---- binding ---- */

/* A row fits an operation if the op is the same, the types are among those allowed (no stypes: any), the flags in
 * `care` are exactly `flags`, and the rounding is among those allowed. */
struct lane_row {
    uint8_t op;
    u64 types, stypes; /* bit t for enum lane_type t */
    u64 care, flags;   /* UF_... */
    u32 roundings;     /* bit r for enum rounding r; 0: any */
    uop_fn fn;
};
#define TYPE(t) (1ull << (t))
#define TYPES8 (TYPE(T_B8) | TYPE(T_U8) | TYPE(T_S8))
#define TYPES16 (TYPE(T_B16) | TYPE(T_U16) | TYPE(T_S16))
#define TYPES32 (TYPE(T_B32) | TYPE(T_U32) | TYPE(T_S32))
#define TYPES64 (TYPE(T_B64) | TYPE(T_U64) | TYPE(T_S64))
#define UNSIGNED16 (TYPE(T_B16) | TYPE(T_U16))
#define UNSIGNED32 (TYPE(T_B32) | TYPE(T_U32))
#define UNSIGNED64 (TYPE(T_B64) | TYPE(T_U64))
#define SIGNED16 TYPE(T_S16)
#define SIGNED32 TYPE(T_S32)
#define SIGNED64 TYPE(T_S64)
/* registers by width, whatever they hold */
#define WIDE16 (TYPES8 | TYPES16 | TYPE(T_F16) | TYPE(T_BF16) | TYPE(T_E4M3X2) | TYPE(T_E5M2X2))
#define WIDE32 (TYPES32 | TYPE(T_F32) | TYPE(T_TF32) | TYPE(T_F16X2) | TYPE(T_BF16X2) | TYPE(T_U16X2) | TYPE(T_S16X2))
#define WIDE64 (TYPES64 | TYPE(T_F64))
#define NEAREST (1u << ROUND_DEFAULT | 1u << ROUND_N)
/* Flags that change what an operation computes; UF_FIRST, UF_UNI and UF_WHOLE_WARP do not. */
#define SEMANTIC_FLAGS (~(UF_FIRST | UF_UNI | UF_WHOLE_WARP))

INLINE uop_fn find_row(const struct lane_row *rows, u32 count, const struct operation *o)
{
    for (const struct lane_row *r = rows; r < rows + count; r++)
        if (r->op == o->op && (r->types & TYPE(o->type)) && (!r->stypes || (r->stypes & TYPE(o->stype))) &&
            (o->flags & r->care) == r->flags && (!r->roundings || (r->roundings & 1u << o->rounding)))
            return r->fn;
    return NULL;
}
#define FIND_ROW(rows, u) find_row(rows, sizeof(rows) / sizeof *(rows), u)

#endif
