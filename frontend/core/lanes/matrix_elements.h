/* Elements of matrices: conversion from their formats to doubles, and back. */
#ifndef REPRISE_FRONTEND_CORE_LANES_MATRIX_ELEMENTS_H
#define REPRISE_FRONTEND_CORE_LANES_MATRIX_ELEMENTS_H

#include "frontend/core/lanes/float.h"
#include "frontend/core/lanes/matrix_fragments.h"
#include "frontend/core/lanes/small.h"

/* ---- to numbers -------------------------------------------------------------------------------------------------- */

/* A row of a tile: 8 elements. It stays in vector registers: a vector load of two narrower stores would wait until both
 * have reached the cache. */
#ifdef __AVX2__
typedef __m256 eight_floats;
INLINE void put_row(f64 *to, eight_floats v)
{
#ifdef __AVX512F__
    _mm512_storeu_pd(to, _mm512_cvtps_pd(v));
#else
    _mm256_storeu_pd(to, _mm256_cvtps_pd(_mm256_castps256_ps128(v)));
    _mm256_storeu_pd(to + 4, _mm256_cvtps_pd(_mm256_extractf128_ps(v, 1)));
#endif
}
/* Rounds a row to f32. A NaN becomes the canonical one. */
INLINE eight_floats take_row(const f64 *from)
{
#ifdef __AVX512F__
    __m256 v = _mm512_cvtpd_ps(_mm512_loadu_pd(from));
#else
    __m256 v = _mm256_set_m128(_mm256_cvtpd_ps(_mm256_loadu_pd(from + 4)), _mm256_cvtpd_ps(_mm256_loadu_pd(from)));
#endif
    __m256 nan = _mm256_castsi256_ps(_mm256_set1_epi32(F32_NAN));
    return _mm256_blendv_ps(v, nan, _mm256_cmp_ps(v, v, _CMP_UNORD_Q));
}
#else
typedef struct {
    f32 at[TILE];
} eight_floats;
INLINE void put_row(f64 *to, eight_floats v)
{
    for (int i = 0; i < TILE; i++)
        to[i] = (f64)v.at[i];
}
INLINE eight_floats take_row(const f64 *from)
{
    eight_floats v;
    for (int i = 0; i < TILE; i++)
        v.at[i] = canonical_f32((f32)from[i]);
    return v;
}
#endif

/* Exact. */
INLINE eight_floats floats_of_f16(const u16 *from)
{
#ifdef __AVX2__
    return _mm256_cvtph_ps(_mm_loadu_si128((const __m128i *)from));
#else
    eight_floats v;
    for (int i = 0; i < TILE; i++)
        v.at[i] = f32_of_f16(from[i]);
    return v;
#endif
}
INLINE eight_floats floats_of_words(const u32 *bits)
{
    eight_floats v;
    memcpy(&v, bits, sizeof v);
    return v;
}
/* e4m3 has no infinity; all ones is NaN. e5m2 is the upper half of an f16 (OCP 8-bit floating point). */
INLINE f32 f32_of_e4m3(u8 x)
{
    u32 magnitude = x & 0x7fu, sign = (x & 0x80u) << 24;
    f32 number = float_of(magnitude << 20) * 0x1p120f;
    return float_of((magnitude == 0x7f ? F32_NAN : bits_f32(number)) | sign);
}
INLINE u32 bits_of_tf32(u32 x)
{
    return (x & 0x7fffffff) > 0x7f800000 ? F32_NAN : x & ~0x1fffu; /* stays a NaN, whatever its low bits are */
}
/* 8 elements from element `i` of a row on. */
INLINE eight_floats floats_of(const u8 *row, u32 i, enum matrix_format format)
{
    const u16 *half = (const u16 *)row + i;
    const u32 *word = (const u32 *)row + i;
    u32 bits[TILE] ALIGNED;
    switch (format) {
    case MATRIX_F16: return floats_of_f16(half);
    case MATRIX_BF16:
        for (int e = 0; e < TILE; e++)
            bits[e] = (u32)half[e] << 16;
        return floats_of_words(bits);
    case MATRIX_TF32:
        for (int e = 0; e < TILE; e++)
            bits[e] = bits_of_tf32(word[e]);
        return floats_of_words(bits);
    case MATRIX_E4M3:
        for (int e = 0; e < TILE; e++)
            bits[e] = bits_f32(f32_of_e4m3(row[i + (u32)e]));
        return floats_of_words(bits);
    default: {
        u16 upper[TILE];
        for (int e = 0; e < TILE; e++)
            upper[e] = (u16)(row[i + (u32)e] << 8);
        return floats_of_f16(upper);
    }
    }
}
/* Converts one row of k elements to doubles. `to` has room for a multiple of 8. */
INLINE void row_of_floats(f64 *to, const u8 *from, u32 k, enum matrix_format format)
{
    for (u32 i = 0; i < k; i += TILE)
        put_row(to + i, floats_of(from, i, format));
}
INLINE void row_of_integers(s16 *to, const u8 *from, u32 k, enum matrix_format format)
{
    switch (format) {
    case MATRIX_U8:
        for (u32 i = 0; i < k; i++)
            to[i] = from[i];
        break;
    case MATRIX_S8:
        for (u32 i = 0; i < k; i++)
            to[i] = (s8)from[i];
        break;
    case MATRIX_U4:
        for (u32 i = 0; i < k; i++)
            to[i] = from[i / 2] >> 4 * (i % 2) & 15;
        break;
    default:
        for (u32 i = 0; i < k; i++)
            to[i] = (s16)(((from[i / 2] >> 4 * (i % 2) & 15) ^ 8) - 8);
        break;
    }
}

/* ---- back ------------------------------------------------------------------------------------------------------- */

/* Rounded to an odd fraction, so that the next rounding, to half precision, is as if it were the only one (Boldo and
 * Melquiond, "When double rounding is odd", 2005). */
INLINE f32 odd_f32(f64 x)
{
    f32 y = (f32)x;
    u32 bits = bits_f32(y);
    bool away = __builtin_fabs((f64)y) > __builtin_fabs(x);
    return float_of((f64)y == x || x != x ? bits : (bits - away) | 1);
}
/* 8 results as halves. */
INLINE void halves_of(u16 *to, const f64 *from)
{
#ifdef __F16C__
    f32 r[TILE] ALIGNED;
    u16 nan[TILE];
    for (int i = 0; i < TILE; i++) {
        r[i] = odd_f32(from[i]);
        nan[i] = from[i] != from[i] ? 0xffff : 0;
    }
    _mm_storeu_si128((__m128i *)to, _mm256_cvtps_ph(_mm256_load_ps(r), _MM_FROUND_TO_NEAREST_INT));
    for (int i = 0; i < TILE; i++)
        to[i] = (u16)((to[i] & ~nan[i]) | (nan[i] & 0x7fff));
#else
    for (int i = 0; i < TILE; i++)
        to[i] = narrowed(from[i], ROUND_N, &f16_format);
#endif
}

#endif
