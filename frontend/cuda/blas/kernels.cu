/* The kernels of libcublas: plain ones of ours, where NVIDIA's library has tuned ones. The build
 * makes PTX of this file with clang, which is part of the library. Matrices and vectors are addressed by steps, so that one kernel serves every
 * transposition. Sums of 16-bit and 32-bit floats are 32-bit floats, as CUBLAS_COMPUTE_32F asks. */
#include "frontend/cuda/blas/arguments.h"

#define DEVICE static __device__ __forceinline__

typedef blas_size size;
struct f16 {
    unsigned short bits;
};
struct bf16 {
    unsigned short bits;
};

/* ---- values ------------------------------------------------------------------------------------------------------- */

DEVICE float load(float v) { return v; }
DEVICE double load(double v) { return v; }
DEVICE int load(signed char v) { return v; }
DEVICE int load(int v) { return v; }
DEVICE float load(bf16 v) { return __uint_as_float((unsigned)v.bits << 16); }
DEVICE float load(f16 v)
{
    float f;
    asm("cvt.f32.f16 %0, %1;" : "=f"(f) : "h"(v.bits));
    return f;
}

DEVICE void store(float *to, float v) { *to = v; }
DEVICE void store(double *to, double v) { *to = v; }
DEVICE void store(int *to, int v) { *to = v; }
DEVICE void store(f16 *to, float v) { asm("cvt.rn.f16.f32 %0, %1;" : "=h"(to->bits) : "f"(v)); }
/* To nearest even; NaN stays one. */
DEVICE void store(bf16 *to, float v)
{
    unsigned bits = __float_as_uint(v);
    to->bits = v != v ? 0x7fff : (bits + 0x7fff + (bits >> 16 & 1)) >> 16;
}

template <class T> DEVICE T scalar_of(const blas_scalar &s)
{
    if (!s.at)
        return (T)s.value;
    switch (s.type) {
    case BLAS_F64: return (T) * (const double *)s.at;
    case BLAS_F16: return (T)load(*(const f16 *)s.at);
    case BLAS_S32: return (T) * (const int *)s.at;
    default: return (T) * (const float *)s.at;
    }
}

template <class T> DEVICE T &element(const blas_vector &v, size i) { return ((T *)v.at)[i * v.step]; }
template <class T> DEVICE T *batch_of(const blas_matrix &m, unsigned b)
{
    return m.pointers ? ((T **)m.pointers)[b] : (T *)m.at + b * m.batch;
}

#define FOR_EACH(i, n)                                                                                                 \
    for (size i = (size)blockIdx.x * blockDim.x + threadIdx.x; i < (n); i += (size)gridDim.x * blockDim.x)

/* ---- level 1: elementwise ------------------------------------------------------------------------------------------ */

template <class T> DEVICE void axpy(size n, const blas_scalar &alpha, const blas_vector &x, const blas_vector &y)
{
    T a = scalar_of<T>(alpha);
    FOR_EACH (i, n)
        element<T>(y, i) += a * element<T>(x, i);
}

template <class T> DEVICE void scal(size n, const blas_scalar &alpha, const blas_vector &x)
{
    T a = scalar_of<T>(alpha);
    FOR_EACH (i, n)
        element<T>(x, i) *= a;
}

template <class T> DEVICE void swap(size n, const blas_vector &x, const blas_vector &y)
{
    FOR_EACH (i, n) {
        T t = element<T>(x, i);
        element<T>(x, i) = element<T>(y, i);
        element<T>(y, i) = t;
    }
}

template <class T> DEVICE void copy(size n, const blas_vector &x, const blas_vector &y)
{
    FOR_EACH (i, n)
        element<T>(y, i) = element<T>(x, i);
}

/* ---- level 1: reductions ------------------------------------------------------------------------------------------- */

/* Each block reduces its part to one blas_partial (reduce_part), and one block those to the result (reduce_rest). */

struct sum {
    DEVICE blas_partial nothing() { return {0, 0}; }
    DEVICE blas_partial both(blas_partial a, blas_partial b) { return {a.value + b.value, 0}; }
};
/* The first of the largest, or of the smallest, magnitudes; index -1 is nothing. */
struct largest {
    DEVICE blas_partial nothing() { return {0, -1}; }
    DEVICE blas_partial both(blas_partial a, blas_partial b)
    {
        bool second = a.index < 0 || (b.index >= 0 && (b.value > a.value || (b.value == a.value && b.index < a.index)));
        return second ? b : a;
    }
};
struct smallest {
    DEVICE blas_partial nothing() { return {0, -1}; }
    DEVICE blas_partial both(blas_partial a, blas_partial b)
    {
        bool second = a.index < 0 || (b.index >= 0 && (b.value < a.value || (b.value == a.value && b.index < a.index)));
        return second ? b : a;
    }
};

template <class Op> DEVICE blas_partial block_reduce(blas_partial mine)
{
    __shared__ double values[BLAS_BLOCK];
    __shared__ size indices[BLAS_BLOCK];
    unsigned t = threadIdx.x;
    values[t] = mine.value;
    indices[t] = mine.index;
    for (unsigned half = blockDim.x / 2; half; half /= 2) {
        __syncthreads();
        if (t < half) {
            mine = Op::both(mine, {values[t + half], indices[t + half]});
            values[t] = mine.value;
            indices[t] = mine.index;
        }
    }
    return mine;
}

template <class Op, class Value> DEVICE void reduce_part(size n, blas_address partials, Value value)
{
    blas_partial mine = Op::nothing();
    FOR_EACH (i, n)
        mine = Op::both(mine, {value(i), i});
    mine = block_reduce<Op>(mine);
    if (threadIdx.x == 0)
        ((blas_partial *)partials)[blockIdx.x] = mine;
}

template <class Op> DEVICE blas_partial reduce_rest(blas_address partials, unsigned count)
{
    blas_partial mine = Op::nothing();
    for (unsigned i = threadIdx.x; i < count; i += blockDim.x)
        mine = Op::both(mine, ((const blas_partial *)partials)[i]);
    return block_reduce<Op>(mine);
}

/* What the value of a dot product's element, of an absolute sum's, of a scaled sum of squares' is. */
template <class T> struct dot_value {
    blas_vector x, y;
    DEVICE double of(const dot_value &d, size i)
    {
        return (double)element<const T>(d.x, i) * element<const T>(d.y, i);
    }
};

template <class T> DEVICE double magnitude(const blas_vector &x, size i)
{
    double v = element<const T>(x, i);
    return v < 0 ? -v : v;
}

/* ---- level 2 -------------------------------------------------------------------------------------------------------- */

/* y = alpha a x + beta y; a thread has a row. With alpha 0 neither a nor x is read, with beta 0 not y. */
template <class T>
DEVICE void gemv(size m, size n, const blas_scalar &alpha, const blas_matrix &a, const blas_vector &x,
                     const blas_scalar &beta, const blas_vector &y)
{
    T by = scalar_of<T>(alpha), keep = scalar_of<T>(beta);
    const T *at = (const T *)a.at;
    FOR_EACH (r, m) {
        T s = 0;
        for (size c = 0; by != 0 && c < n; c++)
            s += at[r * a.row + c * a.column] * element<T>(x, c);
        T &to = element<T>(y, r);
        to = keep == 0 ? by * s : by * s + keep * to;
    }
}

/* The same where elements of a row are neighbours in memory: a block has a row. */
template <class T>
DEVICE void gemv_by_block(size n, const blas_scalar &alpha, const blas_matrix &a, const blas_vector &x,
                              const blas_scalar &beta, const blas_vector &y)
{
    __shared__ T sums[BLAS_BLOCK];
    T by = scalar_of<T>(alpha), keep = scalar_of<T>(beta), s = 0;
    const T *at = (const T *)a.at + blockIdx.x * a.row;
    for (size c = threadIdx.x; by != 0 && c < n; c += blockDim.x)
        s += at[c * a.column] * element<T>(x, c);
    sums[threadIdx.x] = s;
    for (unsigned half = blockDim.x / 2; half; half /= 2) {
        __syncthreads();
        if (threadIdx.x < half)
            sums[threadIdx.x] = s = s + sums[threadIdx.x + half];
    }
    if (threadIdx.x == 0) {
        T &to = element<T>(y, blockIdx.x);
        to = keep == 0 ? by * s : by * s + keep * to;
    }
}

template <class T>
DEVICE void ger(size m, size n, const blas_scalar &alpha, const blas_vector &x, const blas_vector &y,
                    const blas_matrix &a)
{
    T by = scalar_of<T>(alpha);
    FOR_EACH (i, m * n) {
        size r = i % m, c = i / m;
        ((T *)a.at)[r * a.row + c * a.column] += by * element<T>(x, r) * element<T>(y, c);
    }
}

/* A block solves for one right-hand side, column by column of a. */
template <class T> DEVICE void trsm(const blas_trsm &s)
{
    const T *a = (const T *)s.a.at;
    T *x = (T *)s.x.at + blockIdx.x * s.between, by = scalar_of<T>(s.alpha);
    for (size i = threadIdx.x; i < s.n; i += blockDim.x)
        x[i * s.x.step] = by == 0 ? 0 : by * x[i * s.x.step];
    for (size done = 0; done < s.n; done++) {
        size k = s.lower ? done : s.n - 1 - done;
        __syncthreads();
        if (threadIdx.x == 0 && !s.unit)
            x[k * s.x.step] /= a[k * (s.a.row + s.a.column)];
        __syncthreads();
        T known = x[k * s.x.step];
        size from = s.lower ? k + 1 : 0, to = s.lower ? s.n : k;
        for (size i = from + threadIdx.x; i < to; i += blockDim.x)
            x[i * s.x.step] -= a[i * s.a.row + k * s.a.column] * known;
    }
}

/* ---- level 3 -------------------------------------------------------------------------------------------------------- */

enum { DEEP = 8 }; /* columns of a, rows of b, that a block holds at a time */

/* A tile of `a` (64 rows from `first`, 8 columns from `k`) into shared memory, zero beyond its ends. Threads lie along
 * the direction in which elements are neighbours. */
template <class In, class Acc>
DEVICE void tile_load(Acc (*tile)[BLAS_TILE], const In *a, size row, size column, size first, size rows, size k,
                          size columns)
{
    for (unsigned i = threadIdx.x; i < DEEP * BLAS_TILE; i += blockDim.x) {
        unsigned r = row == 1 ? i % BLAS_TILE : i / DEEP, c = row == 1 ? i / BLAS_TILE : i % DEEP;
        bool inside = first + r < rows && k + c < columns;
        tile[c][r] = inside ? (Acc)load(a[(first + r) * row + (k + c) * column]) : (Acc)0;
    }
}

template <class Acc> DEVICE void tile_multiply(Acc (*sum)[4], Acc (*as)[BLAS_TILE], Acc (*bs)[BLAS_TILE])
{
    unsigned tr = threadIdx.x % 16 * 4, tc = threadIdx.x / 16 * 4;
#pragma unroll 4
    for (int k = 0; k < DEEP; k++)
#pragma unroll
        for (int r = 0; r < 4; r++)
#pragma unroll
            for (int c = 0; c < 4; c++)
                sum[r][c] += as[k][tr + r] * bs[k][tc + c];
}

template <class Out, class Acc>
DEVICE void tile_store(const blas_gemm &g, Out *c, Acc (*sum)[4], size first_row, size first_column)
{
    Acc by = scalar_of<Acc>(g.alpha), keep = scalar_of<Acc>(g.beta);
#pragma unroll
    for (int i = 0; i < 16; i++) {
        size row = first_row + i % 4, column = first_column + i / 4;
        if (row >= g.m || column >= g.n || (g.part == BLAS_LOWER && row < column) ||
            (g.part == BLAS_UPPER && row > column))
            continue;
        Out *to = &c[row * g.c.row + column * g.c.column];
        Acc v = by == 0 ? 0 : by * sum[i % 4][i / 4];
        store(to, keep == 0 ? v : (Acc)(v + keep * (Acc)load(*to)));
    }
}

/* A block of 256 threads has a tile of 64 × 64 of c, a thread 4 × 4 of it; blockIdx.z is the matrix of a batch. */
template <class In, class Out, class Acc> DEVICE void gemm(const blas_gemm &g)
{
    __shared__ Acc as[DEEP][BLAS_TILE], bs[DEEP][BLAS_TILE];
    size row = (size)blockIdx.x * BLAS_TILE, column = (size)blockIdx.y * BLAS_TILE;
    if ((g.part == BLAS_LOWER && row + BLAS_TILE <= column) || (g.part == BLAS_UPPER && column + BLAS_TILE <= row))
        return;
    const In *a = batch_of<const In>(g.a, blockIdx.z), *b = batch_of<const In>(g.b, blockIdx.z);
    Acc sum[4][4] = {};
    size depth = scalar_of<Acc>(g.alpha) == 0 ? 0 : g.k;
    for (size k = 0; k < depth; k += DEEP) {
        tile_load(as, a, g.a.row, g.a.column, row, g.m, k, g.k);
        tile_load(bs, b, g.b.column, g.b.row, column, g.n, k, g.k);
        __syncthreads();
        tile_multiply(sum, as, bs);
        __syncthreads();
    }
    tile_store(g, batch_of<Out>(g.c, blockIdx.z), sum, row + threadIdx.x % 16 * 4, column + threadIdx.x / 16 * 4);
}

/* c = alpha a + beta b. */
template <class T>
DEVICE void geam(size m, size n, const blas_scalar &alpha, const blas_matrix &a, const blas_scalar &beta,
                     const blas_matrix &b, const blas_matrix &c)
{
    T by = scalar_of<T>(alpha), keep = scalar_of<T>(beta);
    FOR_EACH (i, m * n) {
        size row = i % m, column = i / m;
        T v = by == 0 ? 0 : by * ((const T *)a.at)[row * a.row + column * a.column];
        if (keep != 0)
            v += keep * ((const T *)b.at)[row * b.row + column * b.column];
        ((T *)c.at)[row * c.row + column * c.column] = v;
    }
}

/* c = a with each row (or each column) multiplied by an element of x. */
template <class T>
DEVICE void dgmm(size m, size n, const blas_matrix &a, const blas_vector &x, int by_row, const blas_matrix &c)
{
    FOR_EACH (i, m * n) {
        size row = i % m, column = i / m;
        ((T *)c.at)[row * c.row + column * c.column] =
            ((const T *)a.at)[row * a.row + column * a.column] * element<T>(x, by_row ? row : column);
    }
}

/* ---- the kernels ----------------------------------------------------------------------------------------------------- */

#define KERNEL(name) extern "C" __global__ void __launch_bounds__(BLAS_BLOCK) reprise_cublas_##name

#define KERNELS(s, T)                                                                                                  \
    KERNEL(s##axpy)(size n, blas_scalar alpha, blas_vector x, blas_vector y) { axpy<T>(n, alpha, x, y); }              \
    KERNEL(s##scal)(size n, blas_scalar alpha, blas_vector x) { scal<T>(n, alpha, x); }                                \
    KERNEL(s##swap)(size n, blas_vector x, blas_vector y) { swap<T>(n, x, y); }                                        \
    KERNEL(s##copy)(size n, blas_vector x, blas_vector y) { copy<T>(n, x, y); }                                        \
    KERNEL(s##dot)(size n, blas_vector x, blas_vector y, blas_address partials)                                        \
    {                                                                                                                  \
        reduce_part<sum>(n, partials, [=] __device__(size i) { return dot_value<T>::of({x, y}, i); });                 \
    }                                                                                                                  \
    KERNEL(s##asum)(size n, blas_vector x, blas_address partials)                                                      \
    {                                                                                                                  \
        reduce_part<sum>(n, partials, [=] __device__(size i) { return magnitude<T>(x, i); });                          \
    }                                                                                                                  \
    KERNEL(s##amax)(size n, blas_vector x, blas_address partials)                                                      \
    {                                                                                                                  \
        reduce_part<largest>(n, partials, [=] __device__(size i) { return magnitude<T>(x, i); });                      \
    }                                                                                                                  \
    KERNEL(s##amin)(size n, blas_vector x, blas_address partials)                                                      \
    {                                                                                                                  \
        reduce_part<smallest>(n, partials, [=] __device__(size i) { return magnitude<T>(x, i); });                     \
    }                                                                                                                  \
    /* squares of x, each divided by the magnitude at `largest` first, so that none is too large */                    \
    KERNEL(s##squares)(size n, blas_vector x, blas_address largest, blas_address partials)                             \
    {                                                                                                                  \
        double most = ((const blas_partial *)largest)->value, scale = most > 0 ? most : 1;                             \
        reduce_part<sum>(n, partials, [=] __device__(size i) {                                                         \
            double v = most == 1 / 0. ? magnitude<T>(x, i) : magnitude<T>(x, i) / scale;                               \
            return v * v;                                                                                              \
        });                                                                                                            \
    }                                                                                                                  \
    KERNEL(s##total)(blas_address partials, unsigned count, blas_address out)                                          \
    {                                                                                                                  \
        blas_partial all = reduce_rest<sum>(partials, count);                                                          \
        if (threadIdx.x == 0)                                                                                          \
            *(T *)out = all.value;                                                                                     \
    }                                                                                                                  \
    KERNEL(s##norm)(blas_address partials, unsigned count, blas_address largest, blas_address out)                     \
    {                                                                                                                  \
        blas_partial all = reduce_rest<sum>(partials, count);                                                          \
        double most = ((const blas_partial *)largest)->value;                                                          \
        if (threadIdx.x == 0)                                                                                          \
            *(T *)out = most == 0 || most == 1 / 0. ? sqrt(all.value) : most * sqrt(all.value);                        \
    }                                                                                                                  \
    KERNEL(s##gemv)(size m, size n, blas_scalar alpha, blas_matrix a, blas_vector x, blas_scalar beta, blas_vector y)  \
    {                                                                                                                  \
        gemv<T>(m, n, alpha, a, x, beta, y);                                                                           \
    }                                                                                                                  \
    KERNEL(s##gemv_t)(size n, blas_scalar alpha, blas_matrix a, blas_vector x, blas_scalar beta, blas_vector y)        \
    {                                                                                                                  \
        gemv_by_block<T>(n, alpha, a, x, beta, y);                                                                     \
    }                                                                                                                  \
    KERNEL(s##ger)(size m, size n, blas_scalar alpha, blas_vector x, blas_vector y, blas_matrix a)                     \
    {                                                                                                                  \
        ger<T>(m, n, alpha, x, y, a);                                                                                  \
    }                                                                                                                  \
    KERNEL(s##trsm)(blas_trsm s) { trsm<T>(s); }                                                                       \
    KERNEL(s##geam)(size m, size n, blas_scalar alpha, blas_matrix a, blas_scalar beta, blas_matrix b, blas_matrix c)  \
    {                                                                                                                  \
        geam<T>(m, n, alpha, a, beta, b, c);                                                                           \
    }                                                                                                                  \
    KERNEL(s##dgmm)(size m, size n, blas_matrix a, blas_vector x, int by_row, blas_matrix c)                           \
    {                                                                                                                  \
        dgmm<T>(m, n, a, x, by_row, c);                                                                                \
    }

KERNELS(s, float)
KERNELS(d, double)

/* The place of the largest or smallest magnitude, counted from 1, in `bytes` (4 or 8) at `out`; or as a partial, for
 * the norm. */
DEVICE void place_store(blas_partial all, int bytes, blas_address out)
{
    if (threadIdx.x != 0)
        return;
    if (bytes == 4)
        *(int *)out = (int)(all.index + 1);
    else if (bytes == 8)
        *(size *)out = all.index + 1;
    else
        *(blas_partial *)out = all;
}
KERNEL(largest)(blas_address partials, unsigned count, int bytes, blas_address out)
{
    place_store(reduce_rest<largest>(partials, count), bytes, out);
}
KERNEL(smallest)(blas_address partials, unsigned count, int bytes, blas_address out)
{
    place_store(reduce_rest<smallest>(partials, count), bytes, out);
}

#define GEMM(name, In, Out, Acc)                                                                                       \
    KERNEL(name)(blas_gemm g) { gemm<In, Out, Acc>(g); }
GEMM(sgemm, float, float, float)
GEMM(dgemm, double, double, double)
GEMM(hgemm, f16, f16, float)
GEMM(hsgemm, f16, float, float)
GEMM(bgemm, bf16, bf16, float)
GEMM(bsgemm, bf16, float, float)
GEMM(igemm, signed char, int, int)
GEMM(isgemm, signed char, float, float)
