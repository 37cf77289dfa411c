/* C and D: reading them from the registers that matrix.h names, and writing them. */
#ifndef REPRISE_FRONTEND_CORE_LANES_MATRIX_RESULTS_H
#define REPRISE_FRONTEND_CORE_LANES_MATRIX_RESULTS_H

#include "frontend/core/lanes/matrix_elements.h"

/* The types in which sums are kept, by kind of matrix: all rows of a tile of columns. */
typedef f64 float_rows[MAX_M][TILE];
typedef s32 integer_rows[MAX_M][TILE];

/* The first of the `each` registers that hold tile (i, n) of C or D. */
INLINE u32 result_register(const struct shape *s, u32 i, u32 n, u32 each)
{
    if (s->m == 1)
        return each * n;
    return each * (i / 2 * 2 * s->n + 2 * n + i % 2);
}

#define READ_PAIRS(name, type, to_type)                                                                                \
    INLINE void name(to_type(*rows)[TILE], const struct warp *w, const struct uop *u, u32 first)                       \
    {                                                                                                                  \
        const type *even = fragment_register(w, u, 3, first), *odd = fragment_register(w, u, 3, first + 1);            \
        to_type *to = rows[0];                                                                                         \
        for (int l = 0; l < LANES; l++) {                                                                              \
            to[2 * l] = (to_type)even[l];                                                                              \
            to[2 * l + 1] = (to_type)odd[l];                                                                           \
        }                                                                                                              \
    }
READ_PAIRS(read_f64, f64, f64)
READ_PAIRS(read_s32, s32, s32)

INLINE void read_f32(f64 (*rows)[TILE], const struct warp *w, const struct uop *u, u32 first)
{
    const f32 *even = fragment_register(w, u, 3, first), *odd = fragment_register(w, u, 3, first + 1);
    for (u32 g = 0; g < TILE; g++) {
#ifdef __AVX2__
        __m128 e = _mm_load_ps(even + 4 * g), o = _mm_load_ps(odd + 4 * g);
        put_row(rows[g], _mm256_set_m128(_mm_unpackhi_ps(e, o), _mm_unpacklo_ps(e, o)));
#else
        for (u32 t = 0; t < 4; t++) {
            rows[g][2 * t] = (f64)even[4 * g + t];
            rows[g][2 * t + 1] = (f64)odd[4 * g + t];
        }
#endif
    }
}
INLINE void read_f16(f64 (*rows)[TILE], const struct warp *w, const struct uop *u, u32 at)
{
    const u16 *from = fragment_register(w, u, 3, at);
    for (u32 g = 0; g < TILE; g++)
        put_row(rows[g], floats_of_f16(from + TILE * g));
}

#define WRITE_PAIRS(name, type, from_type, expression)                                                                 \
    INLINE void name(const struct warp *w, const struct uop *u, u32 first, const from_type(*rows)[TILE])               \
    {                                                                                                                  \
        type *even = result(w, u, first), *odd = result(w, u, first + 1);                                              \
        const from_type *from = rows[0];                                                                               \
        for (int l = 0; l < LANES; l++) {                                                                              \
            from_type x = from[2 * l];                                                                                 \
            even[l] = (expression);                                                                                    \
        }                                                                                                              \
        for (int l = 0; l < LANES; l++) {                                                                              \
            from_type x = from[2 * l + 1];                                                                             \
            odd[l] = (expression);                                                                                     \
        }                                                                                                              \
    }
WRITE_PAIRS(write_f64, f64, f64, canonical_f64(x))
WRITE_PAIRS(write_s32, s32, s32, x)
INLINE void write_f32(const struct warp *w, const struct uop *u, u32 first, const f64 (*rows)[TILE])
{
    f32 *even = result(w, u, first), *odd = result(w, u, first + 1);
    for (u32 g = 0; g < TILE; g++) {
        eight_floats v = take_row(rows[g]);
#ifdef __AVX2__
        __m128 low = _mm256_castps256_ps128(v), high = _mm256_extractf128_ps(v, 1);
        _mm_store_ps(even + 4 * g, _mm_shuffle_ps(low, high, 0x88));
        _mm_store_ps(odd + 4 * g, _mm_shuffle_ps(low, high, 0xdd));
#else
        for (u32 t = 0; t < 4; t++) {
            even[4 * g + t] = v.at[2 * t];
            odd[4 * g + t] = v.at[2 * t + 1];
        }
#endif
    }
}
INLINE void write_f16(const struct warp *w, const struct uop *u, u32 at, const f64 (*rows)[TILE])
{
    u16 *to = result(w, u, at);
    for (u32 g = 0; g < TILE; g++)
        halves_of(to + g * TILE, rows[g]);
}

INLINE void read_floats(float_rows *c, const struct warp *w, const struct uop *u, const struct shape *s)
{
    u32 each = u->detail[MATRIX_C] == MATRIX_F16 ? 1 : 2;
    for (u32 n = 0; n < s->n; n++)
        for (u32 i = 0; i < s->m; i++) {
            u32 at = result_register(s, i, n, each);
            switch (u->detail[MATRIX_C]) {
            case MATRIX_F16: read_f16(c[n] + i * TILE, w, u, at); break;
            case MATRIX_F32: read_f32(c[n] + i * TILE, w, u, at); break;
            default: read_f64(c[n] + i * TILE, w, u, at); break;
            }
        }
}
INLINE void write_floats(const struct warp *w, const struct uop *u, const struct shape *s, const float_rows *d)
{
    u32 each = u->detail[MATRIX_D] == MATRIX_F16 ? 1 : 2;
    for (u32 n = 0; n < s->n; n++)
        for (u32 i = 0; i < s->m; i++) {
            u32 at = result_register(s, i, n, each);
            const f64(*rows)[TILE] = (const f64(*)[TILE])d[n] + i * TILE;
            switch (u->detail[MATRIX_D]) {
            case MATRIX_F16: write_f16(w, u, at, rows); break;
            case MATRIX_F32: write_f32(w, u, at, rows); break;
            default: write_f64(w, u, at, rows); break;
            }
        }
}

#endif
