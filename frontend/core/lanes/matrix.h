/* OP_MMA: D = A × B + C of one warp, and the layout of its matrices in registers.
 *
 * A is M x K, B is K x N, C and D are M x N. A register holds a tile: 8 rows of 4 words. Lane 4·g + t holds word t of
 * row g, as the PTX ISA draws it for every shape of mma except m8n8k4 of f16 (section "Matrix multiply-accumulate
 * operation using mma instruction"). A word holds E elements of the row, the first in the low bits: for example 8 of 4
 * bits, 32 of 1 bit, or 1 of tf32. A word of f64 has 64 bits. Element e of word t of row g is:
 *
 *   A   row 8·i + g, column 4E·j + E·t + e     i < M/8, j < K/4E     register (i & 1) + 2j, then those of i >= 2;
 *                                                                    M = 8: register j
 *   B   row 4E·j + E·t + e, column 8·n + g     a column lies like a row of A: register n·K/4E + j
 *   C, D of 32 or 64 bits   row 8·i + g, column 8·n + 2·t + e, e < 2, a register each: 4·n + 2·(i & 1) + e, then those
 *                           of i >= 2; M = 8: 2·n + e
 *   C, D of f16   pairs of columns 2·t, 2·t + 1 in one register: 2·n + (i & 1), then those of i >= 2; M = 8: n
 *
 * The ISA leaves fragments of wmma open; they have the same layout here. If the ISA gives a fragment more registers
 * than it needs (f16), the others are copies: of n needed registers, register r repeats register r modulo n. Registers
 * of a sparse A hold only the elements that are stored, as a matrix of half as many columns (matrix_sparse.h).
 *
 * m8n8k4 of f16 (MATRIX_QUADS) is four products at once. Product q is computed by lanes 4·q to 4·q + 3 and the lanes 16
 * above these; see PTX ISA "Matrix Fragments for mma.m8n8k4 with .f16 floating point type".
 *
 * Arithmetic. The ISA leaves order and precision of the sums open ("at least single precision", "at least half
 * precision"). Here:
 *   - f16, bf16, tf32, fp8: products are exact. They are added to C in the order of k, in double precision. The sum is
 *     rounded once, to nearest even, to the type of D. So unless the sum needs more than 53 bits, the result is the
 *     nearest one. It does not depend on the vector width, nor on how a GPU divides k into pieces. Subnormals are not
 *     flushed. NaN results are 0x7fffffff or 0x7fff. The low 13 bits of a tf32 source are ignored.
 *     enum tensor_sums (frontend/operation/tensor_sums.h) does as GPUs of a generation do instead: matrix_sums.h.
 *   - f64: d = c, then d = fma(a, b, d) in the order of k, each rounded as the instruction says.
 *   - integers: exact; at the end wrapped around or, with UF_SAT_FINITE, clamped to 32 bits.
 *   - b1: the number of set bits in a xor b, or in a and b. */
#ifndef REPRISE_FRONTEND_CORE_LANES_MATRIX_H
#define REPRISE_FRONTEND_CORE_LANES_MATRIX_H

#include <stdint.h>

/* X(identifier, bits of an element, name in PTX) */
#define MATRIX_FORMATS(X)                                                                                              \
    X(F16, 16, "f16")                                                                                                  \
    X(BF16, 16, "bf16")                                                                                                \
    X(TF32, 32, "tf32")                                                                                                \
    X(F32, 32, "f32")                                                                                                  \
    X(F64, 64, "f64")                                                                                                  \
    X(E4M3, 8, "e4m3")                                                                                                 \
    X(E5M2, 8, "e5m2")                                                                                                 \
    X(S8, 8, "s8")                                                                                                     \
    X(U8, 8, "u8")                                                                                                     \
    X(S4, 4, "s4")                                                                                                     \
    X(U4, 4, "u4")                                                                                                     \
    X(B1, 1, "b1")                                                                                                     \
    X(S32, 32, "s32")
enum matrix_format {
#define X(id, bits, name) MATRIX_##id,
    MATRIX_FORMATS(X)
#undef X
        MATRIX_FORMAT_COUNT
};
extern const uint8_t matrix_bits[MATRIX_FORMAT_COUNT];

/* detail of OP_MMA: M/8, N/8, K/4, the formats of A, B, C, D, and the modes. */
enum matrix_detail { MATRIX_M, MATRIX_N, MATRIX_K, MATRIX_A, MATRIX_B, MATRIX_C, MATRIX_D, MATRIX_MODE };
enum matrix_mode {
    MATRIX_QUADS = 1,
    MATRIX_A_COLUMNS = 2, /* with MATRIX_QUADS: A is .col, B is .row */
    MATRIX_B_ROWS = 4,
    MATRIX_AND = 8,    /* of b1, else xor */
    MATRIX_SPARSE = 16 /* A has K/2 columns; the selector is in the bits from MATRIX_SELECTOR on */
};
#define MATRIX_SELECTOR 5

/* Sets the detail of a product. formats: of A, B, C, D. */
static inline void matrix_describe(uint8_t detail[8], unsigned m, unsigned n, unsigned k,
                                   const enum matrix_format formats[4], unsigned mode)
{
    detail[MATRIX_M] = (uint8_t)(m / 8);
    detail[MATRIX_N] = (uint8_t)(n / 8);
    detail[MATRIX_K] = (uint8_t)(k / 4);
    for (unsigned i = 0; i < 4; i++)
        detail[MATRIX_A + i] = (uint8_t)formats[i];
    detail[MATRIX_MODE] = (uint8_t)mode;
}

/* The greatest selector of a sparse OP_MMA, 0 if all lanes' metadata are used. */
static inline unsigned matrix_last_selector(unsigned k, enum matrix_format a)
{
    unsigned bits = matrix_bits[a], width = k * bits / (bits >= 16 ? 256 : 128);
    if (bits >= 16)
        return width == 1 ? 3 : 1;
    return bits == 8 ? k == 32 : k == 64;
}

/* OP_WGMMA: the product of a warp's 16 of the 64 rows of A and all of B; M is 2 here. `detail` is as for OP_MMA, with
 * the modes below. An instruction takes 32 bytes of each row of A and each column of B, along K. D and C have the
 * layout of m16n8, side by side. A descriptor (PTX ISA "Matrix descriptor format") says where A and B are in shared
 * memory:
 *
 *   bits 0..13 start, 16..29 leading and 32..45 stride byte offset, in units of 16 bytes; 49..51 base offset;
 *   62..63 swizzle: 0 none, 1 of 128 bytes, 2 of 64, 3 of 32
 *
 * These are the canonical layouts that the PTX ISA draws in "Strides" and "Swizzling modes":
 *   - Rows along K. 8 rows are a group, and groups are `stride` apart. Without swizzle a group consists of the first 16
 *     bytes of each row, one row after another; the next 16 bytes of each row are `leading` further on. With a swizzle
 *     of W bytes, rows are W bytes apart.
 *   - Transposed (16 bits only). 16 bytes hold 8 rows at one k. Without swizzle 8 of these, one k after another, are a
 *     group. Groups are `leading` apart along K, and `stride` apart along the rows. With a swizzle of W bytes, W/16 of
 *     them lie side by side at each k. Groups of 8 k are `stride` apart; rows beyond W bytes are `leading` further on.
 *   - A swizzle of W bytes changes the lowest log2(W/16) bits of an address from bit 4 on: it XORs them with as many
 *     bits from bit 7 on, counted from the base offset.
 *
 * If A is sparse, its 32 bytes are the stored elements, and columns of B have 64 bytes. The metadata of the warp's rows
 * are in lists[2], with the layout of m16n8. */
enum wgmma_mode { WGMMA_A_TRANSPOSED = 1, WGMMA_B_TRANSPOSED = 2 };
enum { WGMMA_ROWS = 16, WGMMA_COLUMNS = 256, WGMMA_ROW_BYTES = 32, WGMMA_COLUMN_BYTES = 64 /* 32 of a dense A */ };
struct matrix_rows {
    uint8_t a[WGMMA_ROWS][WGMMA_ROW_BYTES]; /* unless A is in registers */
    uint8_t b[WGMMA_COLUMNS][WGMMA_COLUMN_BYTES];
};

/* Registers of a fragment that consists of tiles, without the copies of wmma. source: of A or of B (rows: M or N);
 * result: of C or D. */
static inline unsigned matrix_source_registers(unsigned rows, unsigned k, enum matrix_format f)
{
    return f == MATRIX_F64 ? rows / 8 * (k / 4) : rows / 8 * (k * matrix_bits[f] / 128);
}
static inline unsigned matrix_result_registers(unsigned m, unsigned n, enum matrix_format f)
{
    return f == MATRIX_F16 ? m / 8 * (n / 8) : 2 * (m / 8) * (n / 8);
}

/* imm of OP_MATRIX_LOAD and OP_MATRIX_STORE. A matrix has 8 x 8 elements of 16 bits; row g of matrix i is in the four
 * words of lane 8·i + g. Transposed: the rows of a matrix become its columns. */
enum matrix_move { MATRIX_STRAIGHT, MATRIX_TRANSPOSED };

#endif
