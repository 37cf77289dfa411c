/* Matrices between registers and what memory operations move (matrix.h): ldmatrix, stmatrix, movmatrix. */
#include "frontend/core/lanes/groups.h"
#include "frontend/core/lanes/matrix_fragments.h"

HANDLER(matrix_load)
{
    u32 words[4][LANES] ALIGNED;
    u32 count = list_count(u->lane, 0);
    (void)executed;
    for (u32 x = 0; x < 4; x++)
        memcpy(words[x], fragment_register(w, u, 1, x), sizeof words[x]);
    for (u32 i = 0; i < count; i++) {
        u32 rows[LANES] ALIGNED, *to = result(w, u, i);
        const u32 *const at[] = {words[0] + 8 * i, words[1] + 8 * i, words[2] + 8 * i, words[3] + 8 * i};
        rows_of_words(u->mode == MATRIX_TRANSPOSED ? rows : to, at);
        if (u->mode == MATRIX_TRANSPOSED)
            transpose_halves((u16 *)to, (const u16 *)rows);
    }
}
HANDLER(matrix_store)
{
    u32 words[4][LANES] ALIGNED = {{0}};
    u32 count = list_count(u->lane, 1);
    for (u32 i = 0; i < count; i++) {
        const u32 *from = fragment_register(w, u, 1, i);
        u32 transposed[LANES] ALIGNED, *const at[] = {words[0] + 8 * i, words[1] + 8 * i, words[2] + 8 * i,
                                                      words[3] + 8 * i};
        transpose_halves((u16 *)transposed, (const u16 *)from);
        words_of_rows(at, u->mode == MATRIX_TRANSPOSED ? transposed : from);
    }
    for (u32 x = 0; x < 4; x++)
        STORE_LANES(u32, result(w, u, x), executed, words[x][l]);
}
HANDLER(matrix_transpose)
{
    u32 r[LANES] ALIGNED;
    transpose_halves((u16 *)r, source(w, u->a));
    STORE_LANES(u32, destination(w, u->d), executed, r[l]);
}

uop_fn SIMD_NAME(lanes_matrix_move)(const struct operation *o)
{
    switch (o->op) {
    case OP_MATRIX_LOAD: return matrix_load;
    case OP_MATRIX_STORE: return matrix_store;
    case OP_MATRIX_TRANSPOSE: return matrix_transpose;
    default: return NULL;
    }
}
