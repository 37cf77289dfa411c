/* Products of matrices by a warp, for clang; CUDA C++ Programming Guide, "Warp Matrix Functions", and the layouts of
 * PTX ISA, "wmma". */
#ifndef REPRISE_CUDA_MMA_H
#define REPRISE_CUDA_MMA_H
#pragma GCC system_header

#include <cuda_bf16.h>
#include <cuda_fp16.h>

namespace nvcuda
{
namespace wmma
{
struct matrix_a;
struct matrix_b;
struct accumulator;
struct row_major;
struct col_major;
enum layout_t { mem_row_major, mem_col_major };
namespace precision
{
struct tf32;
}

/* The elements of a matrix that a thread holds. */
template <class T, int n> struct reprise_elements {
    static const int num_elements = n, num_storage_elements = n;
    typedef T element_type, storage_element_type;
    alignas(8) T x[n];
};
template <class Use, int M, int N, int K, class T, class Layout = void> class fragment;
#define REPRISE_FRAGMENT(Use, M, N, K, T, S, n)                                                                        \
    template <class Layout> class fragment<Use, M, N, K, T, Layout> : public reprise_elements<S, n>                    \
    {                                                                                                                  \
    };
template <class Use, int M, int N, int K, class T, class Layout, class V>
REPRISE_FN void fill_fragment(fragment<Use, M, N, K, T, Layout> &f, const V &v)
{
#pragma unroll
    for (int i = 0; i < f.num_elements; i++)
        f.x[i] = v;
}
REPRISE_FN float __float_to_tf32(float a)
{
    unsigned to;
    asm("cvt.rna.tf32.f32 %0, %1;" : "=r"(to) : "f"(a));
    return __nvvm_bitcast_i2f((int)to);
}

/* Lists of n registers, from operand 0 and from operand 1, and what follows them. */
#define REPRISE_LOAD_1 " {%0}, [%1], %2;"
#define REPRISE_LOAD_2 " {%0, %1}, [%2], %3;"
#define REPRISE_LOAD_4 " {%0, %1, %2, %3}, [%4], %5;"
#define REPRISE_LOAD_8 " {%0, %1, %2, %3, %4, %5, %6, %7}, [%8], %9;"
#define REPRISE_STORE_2 " [%0], {%1, %2}, %3;"
#define REPRISE_STORE_4 " [%0], {%1, %2, %3, %4}, %5;"
#define REPRISE_STORE_8 " [%0], {%1, %2, %3, %4, %5, %6, %7, %8}, %9;"
#define REPRISE_R1(c, r) c(r[0])
#define REPRISE_R2(c, r) REPRISE_R1(c, r), c(r[1])
#define REPRISE_R4(c, r) REPRISE_R2(c, r), c(r[2]), c(r[3])
#define REPRISE_R8(c, r) REPRISE_R4(c, r), c(r[4]), c(r[5]), c(r[6]), c(r[7])

#define REPRISE_LOAD_LAYOUT(Use, letter, M, N, K, T, S, Layout, layout, type, n, W, c)                                 \
    REPRISE_FN void load_matrix_sync(fragment<Use, M, N, K, T, Layout> &f, const S *p, unsigned stride)                \
    {                                                                                                                  \
        W *r = (W *)f.x;                                                                                               \
        asm volatile("wmma.load." letter ".sync.aligned." layout ".m" #M "n" #N "k" #K "." type REPRISE_LOAD_##n       \
                     : REPRISE_R##n("=" c, r)                                                                          \
                     : "l"(p), "r"(stride)                                                                             \
                     : "memory");                                                                                      \
    }
/* A factor: `elements` of type T, in n registers. */
#define REPRISE_FACTOR(Use, letter, M, N, K, T, S, elements, type, n, W, c)                                            \
    REPRISE_FRAGMENT(Use, M, N, K, T, S, elements)                                                                     \
    REPRISE_LOAD_LAYOUT(Use, letter, M, N, K, T, S, row_major, "row", type, n, W, c)                                   \
    REPRISE_LOAD_LAYOUT(Use, letter, M, N, K, T, S, col_major, "col", type, n, W, c)
#define REPRISE_FACTORS(M, N, K, T, S, type, per, na, nb, W, c)                                                        \
    REPRISE_FACTOR(matrix_a, "a", M, N, K, T, S, na *per, type, na, W, c)                                              \
    REPRISE_FACTOR(matrix_b, "b", M, N, K, T, S, nb *per, type, nb, W, c)
/* A sum, whose layout in memory is an argument. */
#define REPRISE_MEMORY(M, N, K, T, layout, type, n, W, c)                                                              \
    asm volatile("wmma.load.c.sync.aligned." layout ".m" #M "n" #N "k" #K "." type REPRISE_LOAD_##n                    \
                 : REPRISE_R##n("=" c, r)                                                                              \
                 : "l"(p), "r"(stride)                                                                                 \
                 : "memory")
#define REPRISE_TO_MEMORY(M, N, K, T, layout, type, n, W, c)                                                           \
    asm volatile("wmma.store.d.sync.aligned." layout ".m" #M "n" #N "k" #K "." type REPRISE_STORE_##n                  \
                 :                                                                                                     \
                 : "l"(p), REPRISE_R##n(c, r), "r"(stride)                                                             \
                 : "memory")
#define REPRISE_SUM(M, N, K, T, elements, type, n, W, c)                                                               \
    REPRISE_FRAGMENT(accumulator, M, N, K, T, T, elements)                                                             \
    REPRISE_FN void load_matrix_sync(fragment<accumulator, M, N, K, T> &f, const T *p, unsigned stride, layout_t at)   \
    {                                                                                                                  \
        W *r = (W *)f.x;                                                                                               \
        if (at == mem_row_major)                                                                                       \
            REPRISE_MEMORY(M, N, K, T, "row", type, n, W, c);                                                          \
        else                                                                                                           \
            REPRISE_MEMORY(M, N, K, T, "col", type, n, W, c);                                                          \
    }                                                                                                                  \
    REPRISE_FN void store_matrix_sync(T *p, const fragment<accumulator, M, N, K, T> &f, unsigned stride, layout_t at)  \
    {                                                                                                                  \
        const W *r = (const W *)f.x;                                                                                   \
        if (at == mem_row_major)                                                                                       \
            REPRISE_TO_MEMORY(M, N, K, T, "row", type, n, W, c);                                                       \
        else                                                                                                           \
            REPRISE_TO_MEMORY(M, N, K, T, "col", type, n, W, c);                                                       \
    }
/* One layout of each factor; `registers` numbers the operands. */
#define REPRISE_MULTIPLY(M, N, K, T, LA, la, LB, lb, D, types, registers, nd, na, nb, Wd, cd, W, c, C, nc, Wc, cc)     \
    REPRISE_FN void mma_sync(fragment<accumulator, M, N, K, D> &d, const fragment<matrix_a, M, N, K, T, LA> &a,        \
                             const fragment<matrix_b, M, N, K, T, LB> &b, const fragment<accumulator, M, N, K, C> &s,  \
                             bool = false)                                                                             \
    {                                                                                                                  \
        Wd *to = (Wd *)d.x;                                                                                            \
        const W *left = (const W *)a.x, *right = (const W *)b.x;                                                       \
        const Wc *sum = (const Wc *)s.x;                                                                               \
        asm volatile("wmma.mma.sync.aligned." la "." lb ".m" #M "n" #N "k" #K "." types registers                      \
                     : REPRISE_R##nd("=" cd, to)                                                                       \
                     : REPRISE_R##na(c, left), REPRISE_R##nb(c, right), REPRISE_R##nc(cc, sum));                       \
    }
#define REPRISE_PRODUCT(M, N, K, T, ...)                                                                               \
    REPRISE_MULTIPLY(M, N, K, T, row_major, "row", row_major, "row", __VA_ARGS__)                                      \
    REPRISE_MULTIPLY(M, N, K, T, row_major, "row", col_major, "col", __VA_ARGS__)                                      \
    REPRISE_MULTIPLY(M, N, K, T, col_major, "col", row_major, "row", __VA_ARGS__)                                      \
    REPRISE_MULTIPLY(M, N, K, T, col_major, "col", col_major, "col", __VA_ARGS__)
#define REPRISE_D4 " {%0, %1, %2, %3}, "
#define REPRISE_D8 " {%0, %1, %2, %3, %4, %5, %6, %7}, "

/* ---- halves ------------------------------------------------------------------------------------------------------ */

#define REPRISE_AB_4 "{%4, %5, %6, %7, %8, %9, %10, %11}, {%12, %13, %14, %15, %16, %17, %18, %19}, "
#define REPRISE_AB_8 "{%8, %9, %10, %11, %12, %13, %14, %15}, {%16, %17, %18, %19, %20, %21, %22, %23}, "
#define REPRISE_HALVES(M, N, K)                                                                                        \
    REPRISE_FACTORS(M, N, K, __half, __half, "f16", 2, 8, 8, reprise_word, "r")                                        \
    REPRISE_SUM(M, N, K, __half, 8, "f16", 4, reprise_word, "r")                                                       \
    REPRISE_SUM(M, N, K, float, 8, "f32", 8, float, "f")                                                               \
    REPRISE_PRODUCT(M, N, K, __half, __half, "f16.f16", REPRISE_D4 REPRISE_AB_4 "{%20, %21, %22, %23};", 4, 8, 8,      \
                    reprise_word, "r", reprise_word, "r", __half, 4, reprise_word, "r")                                \
    REPRISE_PRODUCT(M, N, K, __half, __half, "f16.f32",                                                                \
                    REPRISE_D4 REPRISE_AB_4 "{%20, %21, %22, %23, %24, %25, %26, %27};", 4, 8, 8, reprise_word, "r",   \
                    reprise_word, "r", float, 8, float, "f")                                                           \
    REPRISE_PRODUCT(M, N, K, __half, float, "f32.f16", REPRISE_D8 REPRISE_AB_8 "{%24, %25, %26, %27};", 8, 8, 8,       \
                    float, "f", reprise_word, "r", __half, 4, reprise_word, "r")                                       \
    REPRISE_PRODUCT(M, N, K, __half, float, "f32.f32",                                                                 \
                    REPRISE_D8 REPRISE_AB_8 "{%24, %25, %26, %27, %28, %29, %30, %31};", 8, 8, 8, float, "f",          \
                    reprise_word, "r", float, 8, float, "f")
#if __CUDA_ARCH__ >= 700
REPRISE_HALVES(16, 16, 16)
REPRISE_HALVES(32, 8, 16)
REPRISE_HALVES(8, 32, 16)
#endif

/* ---- bytes ------------------------------------------------------------------------------------------------------- */

#define REPRISE_AB_2_2 "{%8, %9}, {%10, %11}, {%12, %13, %14, %15, %16, %17, %18, %19};"
#define REPRISE_AB_4_1 "{%8, %9, %10, %11}, {%12}, {%13, %14, %15, %16, %17, %18, %19, %20};"
#define REPRISE_AB_1_4 "{%8}, {%9, %10, %11, %12}, {%13, %14, %15, %16, %17, %18, %19, %20};"
#define REPRISE_BYTES(M, N, K, na, nb)                                                                                 \
    REPRISE_SUM(M, N, K, int, 8, "s32", 8, int, "r")                                                                   \
    REPRISE_FACTORS(M, N, K, signed char, signed char, "s8", 4, na, nb, reprise_word, "r")                             \
    REPRISE_FACTORS(M, N, K, unsigned char, unsigned char, "u8", 4, na, nb, reprise_word, "r")                         \
    REPRISE_PRODUCT(M, N, K, signed char, int, "s32.s8.s8.s32", REPRISE_D8 REPRISE_AB_##na##_##nb, 8, na, nb, int,     \
                    "r", reprise_word, "r", int, 8, int, "r")                                                          \
    REPRISE_PRODUCT(M, N, K, unsigned char, int, "s32.u8.u8.s32", REPRISE_D8 REPRISE_AB_##na##_##nb, 8, na, nb, int,   \
                    "r", reprise_word, "r", int, 8, int, "r")
#if __CUDA_ARCH__ >= 720
REPRISE_BYTES(16, 16, 16, 2, 2)
REPRISE_BYTES(32, 8, 16, 4, 1)
REPRISE_BYTES(8, 32, 16, 1, 4)
#endif

/* ---- bfloat16, tf32, doubles ------------------------------------------------------------------------------------- */

#define REPRISE_AB_4_4 "{%8, %9, %10, %11}, {%12, %13, %14, %15}, {%16, %17, %18, %19, %20, %21, %22, %23};"
#define REPRISE_AB_8_2 "{%8, %9, %10, %11, %12, %13, %14, %15}, {%16, %17}, {%18, %19, %20, %21, %22, %23, %24, %25};"
#define REPRISE_AB_2_8 "{%8, %9}, {%10, %11, %12, %13, %14, %15, %16, %17}, {%18, %19, %20, %21, %22, %23, %24, %25};"
#define REPRISE_BF16(M, N, K, na, nb)                                                                                  \
    REPRISE_FACTORS(M, N, K, __nv_bfloat16, __nv_bfloat16, "bf16", 2, na, nb, reprise_word, "r")                       \
    REPRISE_PRODUCT(M, N, K, __nv_bfloat16, float, "f32.bf16.bf16.f32", REPRISE_D8 REPRISE_AB_##na##_##nb, 8, na, nb,  \
                    float, "f", reprise_word, "r", float, 8, float, "f")
#if __CUDA_ARCH__ >= 800
REPRISE_BF16(16, 16, 16, 4, 4)
REPRISE_BF16(32, 8, 16, 8, 2)
REPRISE_BF16(8, 32, 16, 2, 8)
REPRISE_FACTORS(16, 16, 8, precision::tf32, float, "tf32", 1, 4, 4, reprise_word, "r")
REPRISE_SUM(16, 16, 8, float, 8, "f32", 8, float, "f")
REPRISE_PRODUCT(16, 16, 8, precision::tf32, float, "f32.tf32.tf32.f32", REPRISE_D8 REPRISE_AB_4_4, 8, 4, 4, float, "f",
                reprise_word, "r", float, 8, float, "f")
REPRISE_FACTORS(8, 8, 4, double, double, "f64", 1, 1, 1, double, "d")
REPRISE_SUM(8, 8, 4, double, 2, "f64", 2, double, "d")
REPRISE_PRODUCT(8, 8, 4, double, double, "f64.f64.f64.f64", " {%0, %1}, {%2}, {%3}, {%4, %5};", 2, 1, 1, double, "d",
                double, "d", double, 2, double, "d")
#endif

#undef REPRISE_AB_2_8
#undef REPRISE_AB_8_2
#undef REPRISE_AB_4_4
#undef REPRISE_AB_1_4
#undef REPRISE_AB_4_1
#undef REPRISE_AB_2_2
#undef REPRISE_AB_8
#undef REPRISE_AB_4
#undef REPRISE_BF16
#undef REPRISE_BYTES
#undef REPRISE_HALVES
#undef REPRISE_D8
#undef REPRISE_D4
#undef REPRISE_PRODUCT
#undef REPRISE_MULTIPLY
#undef REPRISE_SUM
#undef REPRISE_TO_MEMORY
#undef REPRISE_MEMORY
#undef REPRISE_FACTORS
#undef REPRISE_FACTOR
#undef REPRISE_LOAD_LAYOUT
#undef REPRISE_FRAGMENT
} // namespace wmma
} // namespace nvcuda

#endif
