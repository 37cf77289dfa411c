/* cub::BlockExchange, through shared memory. */
#ifndef REPRISE_CUB_BLOCK_EXCHANGE_CUH
#define REPRISE_CUB_BLOCK_EXCHANGE_CUH
#pragma GCC system_header

#include <cub/util/common.cuh>

namespace cub
{
template <class T, int X, int N, bool = false, int Y = 1, int Z = 1, int = 0> class BlockExchange
{
    static const int threads = X * Y * Z;

    struct Storage {
        T item[threads * N];
    };
    Storage &storage;
    __device__ __forceinline__ static Storage &own()
    {
        static __shared__ Storage storage;
        return storage;
    }
    __device__ __forceinline__ static int blocked(int i) { return (int)reprise_thread<X, Y, Z>() * N + i; }
    __device__ __forceinline__ static int striped(int i) { return (int)reprise_thread<X, Y, Z>() + i * threads; }
    template <class To, class Put, class Take>
    __device__ __forceinline__ void exchange(const T (&in)[N], To (&out)[N], Put put, Take take)
    {
#pragma unroll
        for (int i = 0; i < N; i++)
            storage.item[put(i)] = in[i];
        __syncthreads();
#pragma unroll
        for (int i = 0; i < N; i++)
            out[i] = storage.item[take(i)];
    }

  public:
    struct TempStorage : Storage {
    };
    __device__ __forceinline__ BlockExchange() : storage(own()) {}
    __device__ __forceinline__ BlockExchange(TempStorage &s) : storage(s) {}
    template <class To> __device__ __forceinline__ void StripedToBlocked(const T (&in)[N], To (&out)[N])
    {
        exchange(in, out, striped, blocked);
    }
    template <class To> __device__ __forceinline__ void BlockedToStriped(const T (&in)[N], To (&out)[N])
    {
        exchange(in, out, blocked, striped);
    }
    template <class To, class Rank>
    __device__ __forceinline__ void ScatterToBlocked(const T (&in)[N], To (&out)[N], Rank (&ranks)[N])
    {
        exchange(
            in, out, [&](int i) { return (int)ranks[i]; }, blocked);
    }
    template <class To, class Rank>
    __device__ __forceinline__ void ScatterToStriped(const T (&in)[N], To (&out)[N], Rank (&ranks)[N])
    {
        exchange(
            in, out, [&](int i) { return (int)ranks[i]; }, striped);
    }
};
} // namespace cub

#endif
