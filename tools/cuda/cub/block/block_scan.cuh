/* cub::BlockScan: each warp by shuffles, then over the warps. */
#ifndef REPRISE_CUB_BLOCK_SCAN_CUH
#define REPRISE_CUB_BLOCK_SCAN_CUH
#pragma GCC system_header

#include <cub/warp/warp_scan.cuh>

namespace cub
{
enum BlockScanAlgorithm { BLOCK_SCAN_RAKING, BLOCK_SCAN_RAKING_MEMOIZE, BLOCK_SCAN_WARP_SCANS };
template <class T, int X, BlockScanAlgorithm = BLOCK_SCAN_RAKING, int Y = 1, int Z = 1, int = 0> class BlockScan
{
    static const int threads = X * Y * Z, warps = (threads + 31) / 32;

    struct Storage {
        T sum[warps], first;
    };
    Storage &storage;
    __device__ __forceinline__ static Storage &own()
    {
        static __shared__ Storage storage;
        return storage;
    }
    /* Of one value in each thread: the sum with it, and the one of all before it, if there are any. */
    template <class Op> __device__ __forceinline__ void scan(T v, T &with, T &before, Op op, T &all)
    {
        int thread = (int)reprise_thread<X, Y, Z>(), lane = thread % 32, warp = thread / 32;
        int in_warp = threads - warp * 32 < 32 ? threads - warp * 32 : 32;
        unsigned mask = in_warp == 32 ? ~0u : (1u << in_warp) - 1;
        with = v;
#pragma unroll
        for (int by = 1; by < 32; by *= 2) {
            T other = reprise_lane_up(with, (unsigned)by, 32, mask);
            if (lane >= by)
                with = op(other, with);
        }
        before = reprise_lane_up(with, 1, 32, mask);
        if (lane == in_warp - 1)
            storage.sum[warp] = with;
        __syncthreads();
        all = storage.sum[0];
        T prefix = all;
        for (int w = 1; w < warps; w++) {
            if (w == warp)
                prefix = all;
            all = op(all, storage.sum[w]);
        }
        if (warp) {
            with = op(prefix, with);
            before = lane ? op(prefix, before) : prefix;
        }
    }

  public:
    struct TempStorage : Storage {
    };
    __device__ __forceinline__ BlockScan() : storage(own()) {}
    __device__ __forceinline__ BlockScan(TempStorage &s) : storage(s) {}

    template <class Op> __device__ __forceinline__ void InclusiveScan(T v, T &to, Op op, T &all)
    {
        T before;
        scan(v, to, before, op, all);
    }
    template <class Op> __device__ __forceinline__ void InclusiveScan(T v, T &to, Op op)
    {
        T all;
        InclusiveScan(v, to, op, all);
    }
    template <class Op> __device__ __forceinline__ void ExclusiveScan(T v, T &to, T first, Op op, T &all)
    {
        T with, before;
        scan(v, with, before, op, all);
        to = reprise_thread<X, Y, Z>() ? op(first, before) : first;
    }
    template <class Op> __device__ __forceinline__ void ExclusiveScan(T v, T &to, T first, Op op)
    {
        T all;
        ExclusiveScan(v, to, first, op, all);
    }
    /* With a function that the first warp calls with the block's sum, for what came before the block. */
    template <class Op, class Prefix> __device__ __forceinline__ void ExclusiveScan(T v, T &to, Op op, Prefix &prefix)
    {
        T with, before, all;
        int thread = (int)reprise_thread<X, Y, Z>();
        scan(v, with, before, op, all);
        if (thread < 32) {
            T first = prefix(all);
            if (thread == 0)
                storage.first = first;
        }
        __syncthreads();
        to = thread ? op(storage.first, before) : storage.first;
    }
    template <class Op, class Prefix> __device__ __forceinline__ void InclusiveScan(T v, T &to, Op op, Prefix &prefix)
    {
        T before;
        ExclusiveScan(v, before, op, prefix);
        to = op(before, v);
    }

    /* ---- several values in each thread ---- */
    template <int N, class Op> __device__ __forceinline__ void InclusiveScan(T (&in)[N], T (&to)[N], Op op, T &all)
    {
        T sum = in[0], with, before;
#pragma unroll
        for (int i = 1; i < N; i++)
            sum = op(sum, in[i]);
        scan(sum, with, before, op, all);
        sum = reprise_thread<X, Y, Z>() ? op(before, in[0]) : in[0];
        to[0] = sum;
#pragma unroll
        for (int i = 1; i < N; i++) {
            sum = op(sum, in[i]);
            to[i] = sum;
        }
    }
    template <int N, class Op> __device__ __forceinline__ void InclusiveScan(T (&in)[N], T (&to)[N], Op op)
    {
        T all;
        InclusiveScan(in, to, op, all);
    }
    template <int N, class Op>
    __device__ __forceinline__ void ExclusiveScan(T (&in)[N], T (&to)[N], T first, Op op, T &all)
    {
        T sum = in[0], with, before;
#pragma unroll
        for (int i = 1; i < N; i++)
            sum = op(sum, in[i]);
        scan(sum, with, before, op, all);
        sum = reprise_thread<X, Y, Z>() ? op(first, before) : first;
#pragma unroll
        for (int i = 0; i < N; i++) {
            T next = op(sum, in[i]);
            to[i] = sum;
            sum = next;
        }
    }
    template <int N, class Op> __device__ __forceinline__ void ExclusiveScan(T (&in)[N], T (&to)[N], T first, Op op)
    {
        T all;
        ExclusiveScan(in, to, first, op, all);
    }

    __device__ __forceinline__ void InclusiveSum(T v, T &to) { InclusiveScan(v, to, cub::Sum()); }
    __device__ __forceinline__ void InclusiveSum(T v, T &to, T &all) { InclusiveScan(v, to, cub::Sum(), all); }
    __device__ __forceinline__ void ExclusiveSum(T v, T &to) { ExclusiveScan(v, to, T(), cub::Sum()); }
    __device__ __forceinline__ void ExclusiveSum(T v, T &to, T &all) { ExclusiveScan(v, to, T(), cub::Sum(), all); }
    template <class Prefix> __device__ __forceinline__ void ExclusiveSum(T v, T &to, Prefix &prefix)
    {
        ExclusiveScan(v, to, cub::Sum(), prefix);
    }
    template <class Prefix> __device__ __forceinline__ void InclusiveSum(T v, T &to, Prefix &prefix)
    {
        InclusiveScan(v, to, cub::Sum(), prefix);
    }
    template <int N> __device__ __forceinline__ void InclusiveSum(T (&in)[N], T (&to)[N])
    {
        InclusiveScan(in, to, cub::Sum());
    }
    template <int N> __device__ __forceinline__ void InclusiveSum(T (&in)[N], T (&to)[N], T &all)
    {
        InclusiveScan(in, to, cub::Sum(), all);
    }
    template <int N> __device__ __forceinline__ void ExclusiveSum(T (&in)[N], T (&to)[N])
    {
        ExclusiveScan(in, to, T(), cub::Sum());
    }
    template <int N> __device__ __forceinline__ void ExclusiveSum(T (&in)[N], T (&to)[N], T &all)
    {
        ExclusiveScan(in, to, T(), cub::Sum(), all);
    }
};
} // namespace cub

#endif
