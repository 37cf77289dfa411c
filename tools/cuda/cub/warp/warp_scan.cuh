/* cub::WarpScan, by shuffles. */
#ifndef REPRISE_CUB_WARP_SCAN_CUH
#define REPRISE_CUB_WARP_SCAN_CUH
#pragma GCC system_header

#include <cub/util/common.cuh>

namespace cub
{
template <class T, int Width = 32> class WarpScan
{
    static_assert(Width > 0 && Width <= 32 && (Width & (Width - 1)) == 0, "a warp is a power of two here");

    __device__ __forceinline__ static unsigned rank() { return LaneId() % Width; }
    __device__ __forceinline__ static unsigned mask()
    {
        return Width == 32 ? ~0u : ((1u << Width % 32) - 1) << (LaneId() - rank());
    }

  public:
    struct TempStorage {
    };
    __device__ __forceinline__ WarpScan(TempStorage &) {}
    template <class Op> __device__ __forceinline__ void InclusiveScan(T v, T &to, Op op)
    {
#pragma unroll
        for (unsigned by = 1; by < Width; by *= 2) {
            T other = reprise_lane_up(v, by, Width, mask());
            if (rank() >= by)
                v = op(other, v);
        }
        to = v;
    }
    template <class Op> __device__ __forceinline__ void InclusiveScan(T v, T &to, Op op, T &all)
    {
        InclusiveScan(v, to, op);
        all = reprise_lane(to, Width - 1, Width, mask());
    }
    /* The first lane's result without a first value is undefined. */
    template <class Op> __device__ __forceinline__ void ExclusiveScan(T v, T &to, Op op)
    {
        T sum;
        InclusiveScan(v, sum, op);
        to = reprise_lane_up(sum, 1, Width, mask());
    }
    template <class Op> __device__ __forceinline__ void ExclusiveScan(T v, T &to, T first, Op op)
    {
        T sum;
        ExclusiveScan(v, sum, op);
        to = rank() ? op(first, sum) : first;
    }
    template <class Op> __device__ __forceinline__ void ExclusiveScan(T v, T &to, T first, Op op, T &all)
    {
        T sum;
        InclusiveScan(v, sum, op, all);
        sum = reprise_lane_up(sum, 1, Width, mask());
        to = rank() ? op(first, sum) : first;
    }
    __device__ __forceinline__ void InclusiveSum(T v, T &to) { InclusiveScan(v, to, cub::Sum()); }
    __device__ __forceinline__ void InclusiveSum(T v, T &to, T &all) { InclusiveScan(v, to, cub::Sum(), all); }
    __device__ __forceinline__ void ExclusiveSum(T v, T &to) { ExclusiveScan(v, to, T(), cub::Sum()); }
    __device__ __forceinline__ void ExclusiveSum(T v, T &to, T &all) { ExclusiveScan(v, to, T(), cub::Sum(), all); }
    __device__ __forceinline__ T Broadcast(T v, unsigned from) { return reprise_lane(v, (int)from, Width, mask()); }
};
} // namespace cub

#endif
