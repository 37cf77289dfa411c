/* cub::WarpReduce, by shuffles. */
#ifndef REPRISE_CUB_WARP_REDUCE_CUH
#define REPRISE_CUB_WARP_REDUCE_CUH
#pragma GCC system_header

#include <cub/util/common.cuh>

namespace cub
{
template <class T, int Width = 32> class WarpReduce
{
    static_assert(Width > 0 && Width <= 32 && (Width & (Width - 1)) == 0, "a warp is a power of two here");

  public:
    struct TempStorage {
    };
    __device__ __forceinline__ WarpReduce(TempStorage &) {}
    /* The first lane has the result, of the first `valid` lanes. */
    template <class Op> __device__ __forceinline__ T Reduce(T v, Op op, int valid = Width)
    {
        unsigned lane = LaneId(), rank = lane % Width;
        unsigned mask = Width == 32 ? ~0u : ((1u << Width % 32) - 1) << (lane - rank);
#pragma unroll
        for (int by = 1; by < Width; by *= 2) {
            T other = reprise_lane_down(v, (unsigned)by, Width, mask);
            if ((int)rank + by < valid)
                v = op(v, other);
        }
        return v;
    }
    __device__ __forceinline__ T Sum(T v, int valid = Width) { return Reduce(v, cub::Sum(), valid); }
};
} // namespace cub

#endif
