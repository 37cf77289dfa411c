/* Sparse A (PTX ISA "Warp-level matrix instructions: mma.sp").
 *
 * Half of each chunk of a row of A is stored: 2 of 4 elements (f16, bf16, fp8, 8 bits), 1 of 2 (tf32), or 2 of 4 pairs
 * (4 bits). Per chunk 4 bits of metadata give the positions of the stored elements: two indices of 2 bits, the lower
 * one first. For tf32, 0100 means the first position and 1110 the second.
 *
 * Lanes 4·g to 4·g + 3 hold the metadata of rows g and g + 8:
 *   - Elements of 16 and 32 bits: the low half of a lane's word is for 16 columns (tf32: 8) of row g, the high half for
 *     those of row g + 8.
 *   - Narrower elements: a word is for 32 columns (4 bits: 64), in even lanes of row g, in odd lanes of row g + 8.
 * If fewer than four lanes are needed, the selector gives the first one. */
#ifndef REPRISE_FRONTEND_CORE_LANES_MATRIX_SPARSE_H
#define REPRISE_FRONTEND_CORE_LANES_MATRIX_SPARSE_H

#include "frontend/core/lanes/matrix_fragments.h"

INLINE u32 chunk_metadata(const u32 *words, const struct uop *u, u32 chunks, u32 row, u32 chunk)
{
    u32 selector = u->detail[MATRIX_MODE] >> MATRIX_SELECTOR, upper = row / 8 % 2, first = 4 * (row % 8);
    if (matrix_bits[u->detail[MATRIX_A]] >= 16) {
        u32 lane = first + (chunks > 4 ? 2 * selector + chunk / 4 : selector);
        return words[lane] >> (16 * upper + 4 * (chunk % 4)) & 15;
    }
    u32 lane = first + 2 * (chunks > 8 ? chunk / 8 : selector) + upper;
    return words[lane] >> 4 * (chunk % 8) & 15;
}
/* Spreads a row of k/2 elements over k, in chunks of `size`. */
#define SPREAD(name, type)                                                                                             \
    INLINE void name(type *row, const u32 *metadata, const struct uop *u, const struct shape *s, u32 at)               \
    {                                                                                                                  \
        u32 size = u->detail[MATRIX_A] == MATRIX_TF32 ? 2 : matrix_bits[u->detail[MATRIX_A]] == 4 ? 8 : 4;             \
        u32 chunks = s->k / size, run = size == 8 ? 2 : 1;                                                             \
        type from[MAX_K];                                                                                              \
        memcpy(from, row, s->k / 2 * sizeof *row);                                                                     \
        for (u32 i = 0; i < s->k; i++)                                                                                 \
            row[i] = 0;                                                                                                \
        for (u32 c = 0; c < chunks; c++) {                                                                             \
            u32 meta = chunk_metadata(metadata, u, chunks, at, c);                                                     \
            for (u32 i = 0; i < size / 2; i++) {                                                                       \
                u32 place = size == 2 ? meta >> 3 : (meta >> 2 * (i / run) & 3) * run + i % run;                       \
                row[c * size + place] = from[c * size / 2 + i];                                                        \
            }                                                                                                          \
        }                                                                                                              \
    }
SPREAD(spread_floats, f64)
SPREAD(spread_integers, s16)
#undef SPREAD

#endif
