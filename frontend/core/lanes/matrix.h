/* OP_MMA: D = A × B + C of one warp, and how its matrices lie in registers.
 *
 * A is M x K, B is K x N, C and D are M x N. Tiles of 8 rows are the unit: a register holds a tile of 8 rows of 4
 * words, lane 4·g + t word t of row g, as PTX ISA draws it for every shape of mma but m8n8k4 of f16 (section "Matrix
 * multiply-accumulate operation using mma instruction"). A word holds E elements along the row, the first in the low
 * bits: 8 of 4 bits, 32 of 1 bit, 1 of tf32; a word of f64 has 64 bits. With g, t, e as above:
 *
 *   A   row 8·i + g, column 4E·j + E·t + e     i < M/8, j < K/4E     register (i & 1) + 2j, then those of i >= 2;
 *                                                                    M = 8: register j
 *   B   row 4E·j + E·t + e, column 8·n + g     a column lies like a row of A: register n·K/4E + j
 *   C, D of 32 or 64 bits   row 8·i + g, column 8·n + 2·t + e, e < 2, a register each: 4·n + 2·(i & 1) + e, then those
 *                           of i >= 2; M = 8: 2·n + e
 *   C, D of f16   pairs of columns 2·t, 2·t + 1 in one register: 2·n + (i & 1), then those of i >= 2; M = 8: n
 *
 * Fragments of wmma, which the ISA leaves open, are the same; where the ISA gives a fragment more registers than it
 * needs (f16), the rest are copies: register r of these is register r modulo what is needed. Of a sparse A only the
 * elements that are there lie in registers, as a matrix of half as many columns; metadata below.
 *
 * m8n8k4 of f16 (MATRIX_QUADS) is four products at once, of lanes 4·q .. 4·q + 3 and 16 + 4·q .. for q < 4 each; see
 * PTX ISA "Matrix Fragments for mma.m8n8k4 with .f16 floating point type".
 *
 * Arithmetic. The ISA leaves order and precision of the sums open ("at least single precision", "at least half
 * precision"). Here
 *   - f16, bf16, tf32, fp8: products are exact. Starting with C, products are added in the order of k in double
 *     precision, and the sum is rounded once, to nearest even, to the type of D. So a result is the nearest one unless
 *     the sum needs more than 53 bits, at any width of vectors, and does not depend on how a GPU cuts k into pieces.
 *     Subnormals count. NaN results are 0x7fffffff or 0x7fff. Of a tf32 source the low 13 bits are ignored.
 *   - f64: d = c, then d = fma(a, b, d) in the order of k, each rounded as the instruction says.
 *   - integers: exact, and wrapped around or (UF_SAT_FINITE) clamped to 32 bits once, at the end.
 *   - b1: the sum of the bits of a xor b, or a and b. */
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

/* detail of OP_MMA: M/8, N/8, K/4, formats of A, B, C, D, and modes. */
enum matrix_detail { MATRIX_M, MATRIX_N, MATRIX_K, MATRIX_A, MATRIX_B, MATRIX_C, MATRIX_D, MATRIX_MODE };
enum matrix_mode {
    MATRIX_QUADS = 1,
    MATRIX_A_COLUMNS = 2, /* of MATRIX_QUADS: A is .col, B is .row */
    MATRIX_B_ROWS = 4,
    MATRIX_AND = 8,    /* of b1, else xor */
    MATRIX_SPARSE = 16 /* A has K/2 columns; the selector is in the bits from MATRIX_SELECTOR on */
};
#define MATRIX_SELECTOR 5

/* OP_WGMMA: a warp's 16 rows of the 64 of A, and all of B; M is 2 here. detail as of OP_MMA, modes below; 32 bytes of
 * each row of A and each column of B, along K, in the order of K. D and C lie as those of m16n8 side by side. A
 * descriptor (PTX ISA "Matrix descriptor format") says where in shared memory they are:
 *
 *   bits 0..13 start, 16..29 leading and 32..45 stride byte offset, in units of 16 bytes; 49..51 base offset;
 *   62..63 swizzle: 0 none, 1 of 128 bytes, 2 of 64, 3 of 32
 *
 * Rows along K: 8 rows are a group, `stride` apart from the next. Without swizzle a group has its first 16 bytes of
 * each row one after the other, the next 16 bytes `leading` further on; with a swizzle of W bytes rows are W bytes
 * apart. Transposed (16 bits only): 16 bytes are 8 rows at one k. Without swizzle 8 of these, k by k, are a group;
 * groups are `leading` apart along K and `stride` along the rows. With a swizzle of W bytes, W/16 of them lie side by
 * side, k by k; groups of 8 k are `stride` apart, what lies beyond W bytes of rows `leading`. A swizzle of W bytes
 * exchanges bits 4 and up of an address with their exclusive or with bits 7 and up (as many as tell W/16), counted from
 * the base offset. Of a sparse A the 32 bytes are the elements that are there, and columns of B have 64 bytes; the
 * metadata of the warp's rows lie as those of m16n8, in lists[2]. (These are the canonical layouts that the PTX ISA
 * draws in "Strides" and "Swizzling modes".) */
enum wgmma_mode { WGMMA_A_TURNED = 1, WGMMA_B_TURNED = 2 };
enum { WGMMA_ROWS = 16, WGMMA_COLUMNS = 256, WGMMA_ROW_BYTES = 32, WGMMA_COLUMN_BYTES = 64 /* 32 of a dense A */ };
struct matrix_rows {
    uint8_t a[WGMMA_ROWS][WGMMA_ROW_BYTES]; /* unless A is in registers */
    uint8_t b[WGMMA_COLUMNS][WGMMA_COLUMN_BYTES];
};

/* Registers that a tile-wise fragment needs (without the copies of wmma): of A or of B (rows: M or N), of C or D. */
static inline unsigned matrix_source_registers(unsigned rows, unsigned k, enum matrix_format f)
{
    return f == MATRIX_F64 ? rows / 8 * (k / 4) : rows / 8 * (k * matrix_bits[f] / 128);
}
static inline unsigned matrix_result_registers(unsigned m, unsigned n, enum matrix_format f)
{
    return f == MATRIX_F16 ? m / 8 * (n / 8) : 2 * (m / 8) * (n / 8);
}

/* imm of OP_MATRIX_LOAD and OP_MATRIX_STORE: matrices are 8 x 8 of 16 bits; row g of matrix i is in lane 8·i + g's four
 * words. Turned, a matrix's rows become its columns. */
enum matrix_move { MATRIX_STRAIGHT, MATRIX_TURNED };

#endif
