/* cub::BlockLoad and the functions that load: neighbouring items in a thread (blocked), or neighbouring threads
 * (striped). All algorithms read each item where it is, without an exchange in shared memory. */
#ifndef REPRISE_CUB_BLOCK_LOAD_CUH
#define REPRISE_CUB_BLOCK_LOAD_CUH
#pragma GCC system_header

#include <cub/util/common.cuh>

namespace cub
{
enum BlockLoadAlgorithm {
    BLOCK_LOAD_DIRECT,
    BLOCK_LOAD_STRIPED,
    BLOCK_LOAD_VECTORIZE,
    BLOCK_LOAD_TRANSPOSE,
    BLOCK_LOAD_WARP_TRANSPOSE,
    BLOCK_LOAD_WARP_TRANSPOSE_TIMESLICED
};
template <class T, int N, class From> REPRISE_FN void LoadDirectBlocked(int thread, From from, T (&to)[N])
{
#pragma unroll
    for (int i = 0; i < N; i++)
        to[i] = from[thread * N + i];
}
template <class T, int N, class From> REPRISE_FN void LoadDirectBlocked(int thread, From from, T (&to)[N], int valid)
{
#pragma unroll
    for (int i = 0; i < N; i++)
        if (thread * N + i < valid)
            to[i] = from[thread * N + i];
}
template <class T, int N, class From, class D>
REPRISE_FN void LoadDirectBlocked(int thread, From from, T (&to)[N], int valid, D otherwise)
{
#pragma unroll
    for (int i = 0; i < N; i++)
        to[i] = thread * N + i < valid ? (T)from[thread * N + i] : (T)otherwise;
}
template <int Threads, class T, int N, class From> REPRISE_FN void LoadDirectStriped(int thread, From from, T (&to)[N])
{
#pragma unroll
    for (int i = 0; i < N; i++)
        to[i] = from[thread + i * Threads];
}
template <int Threads, class T, int N, class From>
REPRISE_FN void LoadDirectStriped(int thread, From from, T (&to)[N], int valid)
{
#pragma unroll
    for (int i = 0; i < N; i++)
        if (thread + i * Threads < valid)
            to[i] = from[thread + i * Threads];
}
template <class T, int X, int N, BlockLoadAlgorithm Algorithm = BLOCK_LOAD_DIRECT, int Y = 1, int Z = 1, int = 0>
class BlockLoad
{
    static const int step = Algorithm == BLOCK_LOAD_STRIPED ? X * Y * Z : 1;
    static const int own = Algorithm == BLOCK_LOAD_STRIPED ? 1 : N;

  public:
    struct TempStorage {
    };
    __device__ __forceinline__ BlockLoad() {}
    __device__ __forceinline__ BlockLoad(TempStorage &) {}
    template <class From> __device__ __forceinline__ void Load(From from, T (&to)[N])
    {
#pragma unroll
        for (int i = 0; i < N; i++)
            to[i] = from[(int)reprise_thread<X, Y, Z>() * own + i * step];
    }
    template <class From> __device__ __forceinline__ void Load(From from, T (&to)[N], int valid)
    {
#pragma unroll
        for (int i = 0; i < N; i++)
            if ((int)reprise_thread<X, Y, Z>() * own + i * step < valid)
                to[i] = from[(int)reprise_thread<X, Y, Z>() * own + i * step];
    }
    template <class From, class D> __device__ __forceinline__ void Load(From from, T (&to)[N], int valid, D otherwise)
    {
#pragma unroll
        for (int i = 0; i < N; i++)
            to[i] = otherwise;
        Load(from, to, valid);
    }
};
} // namespace cub

#endif
