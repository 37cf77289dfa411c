/* cub::BlockReduce: each warp by shuffles, then the first thread over the warps. */
#ifndef REPRISE_CUB_BLOCK_REDUCE_CUH
#define REPRISE_CUB_BLOCK_REDUCE_CUH
#pragma GCC system_header

#include <cub/warp/warp_reduce.cuh>

namespace cub
{
enum BlockReduceAlgorithm { BLOCK_REDUCE_RAKING_COMMUTATIVE_ONLY, BLOCK_REDUCE_RAKING, BLOCK_REDUCE_WARP_REDUCTIONS };
template <class T, int X, BlockReduceAlgorithm = BLOCK_REDUCE_WARP_REDUCTIONS, int Y = 1, int Z = 1, int = 0>
class BlockReduce
{
    static const int threads = X * Y * Z, warps = (threads + 31) / 32;

    struct Storage {
        T sum[warps];
    };
    Storage &storage;
    __device__ __forceinline__ static Storage &own()
    {
        static __shared__ Storage storage;
        return storage;
    }

  public:
    struct TempStorage : Storage {
    };
    __device__ __forceinline__ BlockReduce() : storage(own()) {}
    __device__ __forceinline__ BlockReduce(TempStorage &s) : storage(s) {}
    /* The first thread has the result, of the first `valid` threads. */
    template <class Op> __device__ __forceinline__ T Reduce(T v, Op op, int valid = threads)
    {
        int thread = (int)reprise_thread<X, Y, Z>(), lane = thread % 32, first = thread - lane;
        int in_warp = threads - first < 32 ? threads - first : 32;
        unsigned mask = in_warp == 32 ? ~0u : (1u << in_warp) - 1;
#pragma unroll
        for (int by = 1; by < 32; by *= 2) {
            T other = reprise_lane_down(v, (unsigned)by, 32, mask);
            if (lane + by < in_warp && thread + by < valid)
                v = op(v, other);
        }
        if (lane == 0)
            storage.sum[thread / 32] = v;
        __syncthreads();
        if (thread == 0)
            for (int w = 1; w < warps && w * 32 < valid; w++)
                v = op(v, storage.sum[w]);
        return v;
    }
    template <int N, class Op> __device__ __forceinline__ T Reduce(T (&items)[N], Op op)
    {
        T v = items[0];
#pragma unroll
        for (int i = 1; i < N; i++)
            v = op(v, items[i]);
        return Reduce(v, op);
    }
    __device__ __forceinline__ T Sum(T v, int valid = threads) { return Reduce(v, cub::Sum(), valid); }
    template <int N> __device__ __forceinline__ T Sum(T (&items)[N]) { return Reduce(items, cub::Sum()); }
};
} // namespace cub

#endif
