/* CUB's algorithms for the whole device, as code of the host calls them: parsed, and left out with that code. */
#ifndef REPRISE_CUB_DEVICE_CUH
#define REPRISE_CUB_DEVICE_CUH
#pragma GCC system_header

#include <cub/util/common.cuh>

namespace cub
{
#define REPRISE_ANY(name)                                                                                              \
    template <class... A> __host__ static cudaError_t name(A &&...) { return cudaError_t(); }
/* clang-format off */
struct DeviceReduce { REPRISE_ANY(Reduce) REPRISE_ANY(Sum) REPRISE_ANY(Min) REPRISE_ANY(Max) REPRISE_ANY(ArgMin) REPRISE_ANY(ArgMax) REPRISE_ANY(ReduceByKey) };
struct DeviceSegmentedReduce { REPRISE_ANY(Reduce) REPRISE_ANY(Sum) REPRISE_ANY(Min) REPRISE_ANY(Max) REPRISE_ANY(ArgMin) REPRISE_ANY(ArgMax) };
struct DeviceScan { REPRISE_ANY(ExclusiveSum) REPRISE_ANY(InclusiveSum) REPRISE_ANY(ExclusiveScan) REPRISE_ANY(InclusiveScan) };
struct DeviceRadixSort { REPRISE_ANY(SortKeys) REPRISE_ANY(SortPairs) REPRISE_ANY(SortKeysDescending) REPRISE_ANY(SortPairsDescending) };
struct DeviceSegmentedRadixSort { REPRISE_ANY(SortKeys) REPRISE_ANY(SortPairs) REPRISE_ANY(SortKeysDescending) REPRISE_ANY(SortPairsDescending) };
struct DeviceSelect { REPRISE_ANY(Flagged) REPRISE_ANY(If) REPRISE_ANY(Unique) };
struct DevicePartition { REPRISE_ANY(Flagged) REPRISE_ANY(If) };
struct DeviceHistogram { REPRISE_ANY(HistogramEven) REPRISE_ANY(HistogramRange) };
struct DeviceRunLengthEncode { REPRISE_ANY(Encode) REPRISE_ANY(NonTrivialRuns) };
/* clang-format on */
#undef REPRISE_ANY
template <class T> struct DoubleBuffer {
    T *d_buffers[2];
    int selector;
    __host__ DoubleBuffer();
    __host__ DoubleBuffer(T *, T *);
    __host__ T *Current();
    __host__ T *Alternate();
};
} // namespace cub

#endif
