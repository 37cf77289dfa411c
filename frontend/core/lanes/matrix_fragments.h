/* Fragments of matrices in registers (matrix.h), as plain rows. Private to the files of matrix instructions. */
#ifndef REPRISE_FRONTEND_CORE_LANES_MATRIX_FRAGMENTS_H
#define REPRISE_FRONTEND_CORE_LANES_MATRIX_FRAGMENTS_H

#include "frontend/core/lanes/loop.h"
#include "frontend/core/lanes/matrix.h"

enum { TILE = 8, MAX_M = 32, MAX_N = 32, MAX_K = 256, MAX_TILES = MAX_M / TILE, MAX_ROW_BYTES = 64 };

/* ---- fragments to rows and back ---------------------------------------------------------------------------------- */

struct shape {
    u32 m, n, k; /* tiles of rows, tiles of columns, elements */
};
INLINE struct shape shape_of(const struct uop *u)
{
    return (struct shape){u->detail[MATRIX_M], u->detail[MATRIX_N], 4u * u->detail[MATRIX_K]};
}
INLINE const void *fragment_register(const struct warp *w, const struct uop *u, unsigned list, u32 i)
{
    return source(w, list_elements(u->lane, list)[i]);
}
/* The register of tile (i, j) of a fragment with `tiles` tiles of rows. Pairs of tiles of rows lie side by side. */
INLINE u32 tile_register(u32 tiles, u32 columns, u32 i, u32 j)
{
    return tiles == 1 ? j : i / 2 * 2 * columns + 2 * j + i % 2;
}

/* The rows of A, `bytes` each (a multiple of a tile's 4 words). */
INLINE void gather_a(u8 rows[MAX_M][MAX_ROW_BYTES], const struct warp *w, const struct uop *u, u32 tiles, u32 bytes,
                     u32 word)
{
    u32 row = 4 * word, columns = bytes / row;
    for (u32 i = 0; i < tiles; i++)
        for (u32 j = 0; j < columns; j++) {
            const u8 *reg = fragment_register(w, u, 1, tile_register(tiles, columns, i, j));
            for (u32 g = 0; g < TILE; g++)
                memcpy(rows[i * TILE + g] + j * row, reg + g * row, row);
        }
}
/* The columns of B, likewise. */
INLINE void gather_b(u8 columns[MAX_N][MAX_ROW_BYTES], const struct warp *w, const struct uop *u, u32 tiles, u32 bytes,
                     u32 word)
{
    u32 row = 4 * word, count = bytes / row;
    for (u32 n = 0; n < tiles; n++)
        for (u32 j = 0; j < count; j++) {
            const u8 *reg = fragment_register(w, u, 2, n * count + j);
            for (u32 g = 0; g < TILE; g++)
                memcpy(columns[n * TILE + g] + j * row, reg + g * row, row);
        }
}

INLINE void *result(const struct warp *w, const struct uop *u, u32 i)
{
    return destination(w, list_elements(u->lane, 0)[i]);
}

/* ---- transposition ----------------------------------------------------------------------------------------------- */

/* Transposes 8 x 8 halves. */
INLINE void transpose_halves(u16 *to, const u16 *from)
{
#ifdef __SSE2__
    __m128i r[TILE], s[TILE];
    for (int i = 0; i < TILE; i++)
        r[i] = _mm_load_si128((const __m128i *)from + i);
    for (int i = 0; i < 4; i++) { /* exchanges elements of rows i and i + 4, then of rows 2 apart, then of neighbours */
        s[2 * i] = _mm_unpacklo_epi16(r[i], r[i + 4]);
        s[2 * i + 1] = _mm_unpackhi_epi16(r[i], r[i + 4]);
    }
    for (int i = 0; i < 4; i++) {
        r[2 * i] = _mm_unpacklo_epi16(s[i], s[i + 4]);
        r[2 * i + 1] = _mm_unpackhi_epi16(s[i], s[i + 4]);
    }
    for (int i = 0; i < 4; i++) {
        _mm_store_si128((__m128i *)to + 2 * i, _mm_unpacklo_epi16(r[i], r[i + 4]));
        _mm_store_si128((__m128i *)to + 2 * i + 1, _mm_unpackhi_epi16(r[i], r[i + 4]));
    }
#else
    for (int g = 0; g < TILE; g++)
        for (int e = 0; e < TILE; e++)
            to[TILE * e + g] = from[TILE * g + e];
#endif
}
INLINE void rows_of_words(u32 *to, const u32 *const words[4])
{
    for (int g = 0; g < TILE; g++)
        for (int x = 0; x < 4; x++)
            to[4 * g + x] = words[x][g];
}
INLINE void words_of_rows(u32 *const words[4], const u32 *from)
{
    for (int x = 0; x < 4; x++)
        for (int g = 0; g < TILE; g++)
            words[x][g] = from[4 * g + x];
}

#endif
