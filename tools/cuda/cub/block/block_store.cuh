/* cub::BlockStore and the functions that store: see block_load.cuh. */
#ifndef REPRISE_CUB_BLOCK_STORE_CUH
#define REPRISE_CUB_BLOCK_STORE_CUH
#pragma GCC system_header

#include <cub/util/common.cuh>

namespace cub
{
enum BlockStoreAlgorithm {
    BLOCK_STORE_DIRECT,
    BLOCK_STORE_STRIPED,
    BLOCK_STORE_VECTORIZE,
    BLOCK_STORE_TRANSPOSE,
    BLOCK_STORE_WARP_TRANSPOSE,
    BLOCK_STORE_WARP_TRANSPOSE_TIMESLICED
};
template <class T, int N, class To> REPRISE_FN void StoreDirectBlocked(int thread, To to, T (&from)[N])
{
#pragma unroll
    for (int i = 0; i < N; i++)
        to[thread * N + i] = from[i];
}
template <class T, int N, class To> REPRISE_FN void StoreDirectBlocked(int thread, To to, T (&from)[N], int valid)
{
#pragma unroll
    for (int i = 0; i < N; i++)
        if (thread * N + i < valid)
            to[thread * N + i] = from[i];
}
template <int Threads, class T, int N, class To> REPRISE_FN void StoreDirectStriped(int thread, To to, T (&from)[N])
{
#pragma unroll
    for (int i = 0; i < N; i++)
        to[thread + i * Threads] = from[i];
}
template <int Threads, class T, int N, class To>
REPRISE_FN void StoreDirectStriped(int thread, To to, T (&from)[N], int valid)
{
#pragma unroll
    for (int i = 0; i < N; i++)
        if (thread + i * Threads < valid)
            to[thread + i * Threads] = from[i];
}
template <class T, int X, int N, BlockStoreAlgorithm Algorithm = BLOCK_STORE_DIRECT, int Y = 1, int Z = 1, int = 0>
class BlockStore
{
    static const int step = Algorithm == BLOCK_STORE_STRIPED ? X * Y * Z : 1;
    static const int own = Algorithm == BLOCK_STORE_STRIPED ? 1 : N;

  public:
    struct TempStorage {
    };
    __device__ __forceinline__ BlockStore() {}
    __device__ __forceinline__ BlockStore(TempStorage &) {}
    template <class To> __device__ __forceinline__ void Store(To to, T (&from)[N])
    {
#pragma unroll
        for (int i = 0; i < N; i++)
            to[(int)reprise_thread<X, Y, Z>() * own + i * step] = from[i];
    }
    template <class To> __device__ __forceinline__ void Store(To to, T (&from)[N], int valid)
    {
#pragma unroll
        for (int i = 0; i < N; i++)
            if ((int)reprise_thread<X, Y, Z>() * own + i * step < valid)
                to[(int)reprise_thread<X, Y, Z>() * own + i * step] = from[i];
    }
};
} // namespace cub

#endif
