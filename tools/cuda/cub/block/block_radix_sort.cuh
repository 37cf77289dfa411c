/* cub::BlockRadixSort, one bit at a time: those with a 0 before those with a 1, each in order. */
#ifndef REPRISE_CUB_BLOCK_RADIX_SORT_CUH
#define REPRISE_CUB_BLOCK_RADIX_SORT_CUH
#pragma GCC system_header

#include <cub/block/block_scan.cuh>

namespace cub
{
template <class Key, int X, int N, class Value = NullType, int = 4, bool = true,
          BlockScanAlgorithm = BLOCK_SCAN_WARP_SCANS, int = 0, int Y = 1, int Z = 1>
class BlockRadixSort
{
    static const int threads = X * Y * Z;
    typedef BlockScan<int, X, BLOCK_SCAN_RAKING, Y, Z> Scan;

    struct Storage {
        typename Scan::TempStorage scan;
        Key keys[threads * N];
        Value values[threads * N];
    };
    Storage &storage;
    __device__ __forceinline__ static Storage &own()
    {
        static __shared__ Storage storage;
        return storage;
    }
    /* Bits that are ordered as the keys are: a float's or an integer's sign changes places. */
    __device__ __forceinline__ static unsigned long long ordered(Key key)
    {
        unsigned long long bits = 0, sign = 1ull << (8 * sizeof(Key) - 1);
        __builtin_memcpy(&bits, &key, sizeof key);
        if ((Key)0.5 != (Key)0) /* a floating-point number */
            return bits & sign ? ~bits & (sign | (sign - 1)) : bits | sign;
        return (Key)-1 < (Key)0 ? bits ^ sign : bits;
    }
    __device__ __forceinline__ void sort(Key (&keys)[N], Value (&values)[N], int from, int to, bool down, bool striped)
    {
        int thread = (int)reprise_thread<X, Y, Z>();
        for (int bit = from; bit < to; bit++) {
            int place[N], zeros, count[N];
#pragma unroll
            for (int i = 0; i < N; i++)
                count[i] = (int)(ordered(keys[i]) >> bit & 1) == (down ? 1 : 0);
            Scan(storage.scan).ExclusiveSum(count, place, zeros);
#pragma unroll
            for (int i = 0; i < N; i++) {
                int at = count[i] ? place[i] : zeros + thread * N + i - place[i];
                storage.keys[at] = keys[i];
                storage.values[at] = values[i];
            }
            __syncthreads();
            bool last = striped && bit == to - 1;
#pragma unroll
            for (int i = 0; i < N; i++) {
                int at = last ? thread + i * threads : thread * N + i;
                keys[i] = storage.keys[at];
                values[i] = storage.values[at];
            }
            __syncthreads();
        }
    }

  public:
    struct TempStorage : Storage {
    };
    __device__ __forceinline__ BlockRadixSort() : storage(own()) {}
    __device__ __forceinline__ BlockRadixSort(TempStorage &s) : storage(s) {}
#define REPRISE_SORT(name, down, striped)                                                                              \
    __device__ __forceinline__ void name(Key(&keys)[N], int from = 0, int to = 8 * sizeof(Key))                        \
    {                                                                                                                  \
        Value none[N];                                                                                                 \
        sort(keys, none, from, to, down, striped);                                                                     \
    }                                                                                                                  \
    __device__ __forceinline__ void name(Key(&keys)[N], Value(&values)[N], int from = 0, int to = 8 * sizeof(Key))     \
    {                                                                                                                  \
        sort(keys, values, from, to, down, striped);                                                                   \
    }
    REPRISE_SORT(Sort, false, false)
    REPRISE_SORT(SortDescending, true, false)
    REPRISE_SORT(SortBlockedToStriped, false, true)
    REPRISE_SORT(SortDescendingBlockedToStriped, true, true)
#undef REPRISE_SORT
};
} // namespace cub

#endif
