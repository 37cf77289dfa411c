// Matrix products as programs write them: with the fragments of mma.h, and with ldmatrix and mma as inline PTX.
// nvcc -arch=compute_75 -ptx -o matrices-75.ptx matrices.cu; likewise 80.
#include <mma.h>
using namespace nvcuda;

// C (m x n) = A (m x k) B (k x n) + 2 C, a tile per warp; N: B is stored by columns where COLUMNS.
template <int M, int N, int K, class T, class S, class L>
__device__ void product(const T *a, const T *b, S *c, int n, int k)
{
    int row = blockIdx.y * M, column = blockIdx.x * N;
    wmma::fragment<wmma::matrix_a, M, N, K, T, wmma::row_major> fa;
    wmma::fragment<wmma::matrix_b, M, N, K, T, L> fb;
    wmma::fragment<wmma::accumulator, M, N, K, S> sum, old;
    wmma::fill_fragment(sum, S(0));
#pragma unroll 1
    for (int i = 0; i < k; i += K) {
        wmma::load_matrix_sync(fa, a + row * k + i, k);
        if constexpr (std::is_same<L, wmma::row_major>::value)
            wmma::load_matrix_sync(fb, b + i * n + column, n);
        else
            wmma::load_matrix_sync(fb, b + column * k + i, k);
        wmma::mma_sync(sum, fa, fb, sum);
    }
    wmma::load_matrix_sync(old, c + row * n + column, n, wmma::mem_row_major);
    for (int i = 0; i < sum.num_elements; i++)
        sum.x[i] = sum.x[i] + old.x[i] + old.x[i];
    wmma::store_matrix_sync(c + row * n + column, sum, n, wmma::mem_row_major);
}
#define PRODUCT(name, M, N, K, T, S, L)                                                                                \
    extern "C" __global__ void name(const T *a, const T *b, S *c, int n, int k)                                        \
    {                                                                                                                  \
        product<M, N, K, T, S, wmma::L>(a, b, c, n, k);                                                                \
    }
PRODUCT(half_square, 16, 16, 16, __half, float, row_major)
PRODUCT(half_tall, 32, 8, 16, __half, float, col_major)
PRODUCT(half_wide, 8, 32, 16, __half, float, row_major)
PRODUCT(half_half, 16, 16, 16, __half, __half, col_major)
PRODUCT(bytes_square, 16, 16, 16, signed char, int, col_major)
PRODUCT(bytes_tall, 32, 8, 16, unsigned char, int, row_major)
#if __CUDA_ARCH__ >= 800
PRODUCT(brain_square, 16, 16, 16, __nv_bfloat16, float, row_major)
PRODUCT(brain_wide, 8, 32, 16, __nv_bfloat16, float, col_major)
PRODUCT(doubles, 8, 8, 4, double, double, row_major)
#endif

// 64 x 64 of C per block of 4 warps, each 32 x 32; tiles of A and B (both by rows) in shared memory.
#if __CUDA_ARCH__ >= 800
__device__ unsigned shared_address(const void *p) { return (unsigned)__cvta_generic_to_shared(p); }
__device__ void load4(unsigned (&r)[4], const void *p)
{
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];"
                 : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3])
                 : "r"(shared_address(p)));
}
__device__ void load4_turned(unsigned (&r)[4], const void *p)
{
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0,%1,%2,%3}, [%4];"
                 : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3])
                 : "r"(shared_address(p)));
}
__device__ void multiply(float (&c)[4], const unsigned (&a)[4], unsigned b0, unsigned b1)
{
    asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, "
                 "{%0,%1,%2,%3};"
                 : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
                 : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
}
extern "C" __global__ void __launch_bounds__(128) tiled(const __half *a, const __half *b, float *c, int n, int k)
{
    constexpr int TILE = 64, DEPTH = 32, PAD = 8;
    __shared__ __align__(16) __half ta[TILE][DEPTH + PAD], tb[DEPTH][TILE + PAD];
    int lane = threadIdx.x % 32, warp = threadIdx.x / 32, row = warp / 2 * 32, column = warp % 2 * 32;
    float sum[2][4][4] = {};
#pragma unroll 1
    for (int i = 0; i < k; i += DEPTH) {
        for (int x = threadIdx.x; x < TILE * DEPTH / 8; x += 128) {
            int r = x / (DEPTH / 8), q = x % (DEPTH / 8) * 8, s = x / (TILE / 8), t = x % (TILE / 8) * 8;
            *(uint4 *)&ta[r][q] = *(const uint4 *)&a[(blockIdx.y * TILE + r) * k + i + q];
            *(uint4 *)&tb[s][t] = *(const uint4 *)&b[(i + s) * n + blockIdx.x * TILE + t];
        }
        __syncthreads();
        for (int d = 0; d < DEPTH; d += 16) {
            unsigned fa[2][4], fb[2][4];
            for (int m = 0; m < 2; m++)
                load4(fa[m], &ta[row + 16 * m + lane % 16][d + lane / 16 * 8]);
            for (int x = 0; x < 2; x++)
                load4_turned(fb[x], &tb[d + lane % 16][column + 16 * x + lane / 16 * 8]);
            for (int m = 0; m < 2; m++)
                for (int x = 0; x < 4; x++)
                    multiply(sum[m][x], fa[m], fb[x / 2][x % 2 * 2], fb[x / 2][x % 2 * 2 + 1]);
        }
        __syncthreads();
    }
    for (int m = 0; m < 2; m++)
        for (int x = 0; x < 4; x++)
            for (int e = 0; e < 4; e++)
                c[(blockIdx.y * TILE + row + 16 * m + lane / 4 + e / 2 * 8) * n + blockIdx.x * TILE + column + 8 * x +
                  lane % 4 * 2 + e % 2] = sum[m][x][e];
}
#endif
