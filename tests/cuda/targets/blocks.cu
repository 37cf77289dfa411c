/* CUB within a block and a warp: reduce, scan, sort, exchange, histogram, discontinuity, merge sort, load and store. */
#include <algorithm>
#include <cub/block/block_discontinuity.cuh>
#include <cub/block/block_exchange.cuh>
#include <cub/block/block_histogram.cuh>
#include <cub/block/block_load.cuh>
#include <cub/block/block_merge_sort.cuh>
#include <cub/block/block_radix_sort.cuh>
#include <cub/block/block_reduce.cuh>
#include <cub/block/block_scan.cuh>
#include <cub/block/block_store.cuh>
#include <cub/warp/warp_reduce.cuh>
#include <cub/warp/warp_scan.cuh>

#include "../test.h"

enum { BLOCK = 128, ITEMS = 4, N = BLOCK * ITEMS, BINS = 16 };

struct results {
    int sorted[N], merged[N], prefix[N], striped[N], heads[N], warp_prefix[BLOCK], histogram[BINS], sum, least, warp_sum[BLOCK / 8];
};

struct smaller {
    __device__ bool operator()(int a, int b) const { return a < b; }
};

struct differs {
    __device__ bool operator()(int a, int b) const { return a != b; }
};

__global__ void primitives(const int *in, results *to)
{
    using load = cub::BlockLoad<int, BLOCK, ITEMS, cub::BLOCK_LOAD_TRANSPOSE>;
    using store = cub::BlockStore<int, BLOCK, ITEMS, cub::BLOCK_STORE_WARP_TRANSPOSE>;
    using sort = cub::BlockRadixSort<int, BLOCK, ITEMS>;
    using merge = cub::BlockMergeSort<int, BLOCK, ITEMS>;
    using scan = cub::BlockScan<int, BLOCK, cub::BLOCK_SCAN_WARP_SCANS>;
    using reduce = cub::BlockReduce<int, BLOCK>;
    using exchange = cub::BlockExchange<int, BLOCK, ITEMS>;
    using histogram = cub::BlockHistogram<unsigned char, BLOCK, ITEMS, BINS, cub::BLOCK_HISTO_SORT>;
    using heads = cub::BlockDiscontinuity<int, BLOCK>;
    using tile_reduce = cub::WarpReduce<int, 8>;
    using warp_scan = cub::WarpScan<int>;
    __shared__ union {
        load::TempStorage load;
        store::TempStorage store;
        sort::TempStorage sort;
        merge::TempStorage merge;
        scan::TempStorage scan;
        reduce::TempStorage reduce;
        exchange::TempStorage exchange;
        histogram::TempStorage histogram;
        heads::TempStorage heads;
        tile_reduce::TempStorage tile[BLOCK / 8];
        warp_scan::TempStorage warp[BLOCK / 32];
    } memory;
    __shared__ int bins[BINS];
    int item[ITEMS], work[ITEMS], flag[ITEMS];
    unsigned char small[ITEMS];
    load(memory.load).Load(in, item);
    __syncthreads();
    for (int i = 0; i < ITEMS; i++)
        work[i] = item[i];
    sort(memory.sort).Sort(work);
    __syncthreads();
    heads(memory.heads).FlagHeads(flag, work, differs());
    __syncthreads();
    store(memory.store).Store(to->sorted, work); /* which leaves them in another order */
    __syncthreads();
    store(memory.store).Store(to->heads, flag);
    __syncthreads();
    for (int i = 0; i < ITEMS; i++)
        work[i] = item[i];
    merge(memory.merge).Sort(work, smaller());
    __syncthreads();
    store(memory.store).Store(to->merged, work);
    __syncthreads();
    scan(memory.scan).InclusiveSum(item, work);
    __syncthreads();
    store(memory.store).Store(to->prefix, work);
    __syncthreads();
    exchange(memory.exchange).BlockedToStriped(item, work);
    for (int i = 0; i < ITEMS; i++)
        to->striped[threadIdx.x * ITEMS + i] = work[i];
    __syncthreads();
    for (int i = 0; i < ITEMS; i++)
        small[i] = (unsigned char)(item[i] & (BINS - 1));
    histogram(memory.histogram).Histogram(small, bins);
    __syncthreads();
    if (threadIdx.x < BINS)
        to->histogram[threadIdx.x] = bins[threadIdx.x];
    int sum = reduce(memory.reduce).Sum(item);
    __syncthreads();
    int least = reduce(memory.reduce).Reduce(item[0], [](int a, int b) { return a < b ? a : b; });
    __syncthreads();
    if (threadIdx.x == 0) {
        to->sum = sum;
        to->least = least;
    }
    sum = tile_reduce(memory.tile[threadIdx.x / 8]).Sum(item[1]);
    if (threadIdx.x % 8 == 0)
        to->warp_sum[threadIdx.x / 8] = sum;
    __syncthreads();
    int prefix;
    warp_scan(memory.warp[threadIdx.x / 32]).ExclusiveSum(item[2], prefix);
    to->warp_prefix[threadIdx.x] = prefix;
}

int main()
{
    static int in[N], sorted[N];
    static results got;
    int *from, sum = 0, least = 1 << 30;
    results *to;
    for (int i = 0; i < N; i++)
        in[i] = sorted[i] = (int)((unsigned)i * 2654435761u >> 23) - 200;
    std::sort(sorted, sorted + N);
    CHECK(cudaMalloc(&from, sizeof in));
    CHECK(cudaMalloc(&to, sizeof got));
    CHECK(cudaMemcpy(from, in, sizeof in, cudaMemcpyDefault));
    primitives<<<1, BLOCK>>>(from, to);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy(&got, to, sizeof got, cudaMemcpyDefault));
    for (int i = 0; i < N; i++) {
        sum += in[i];
        EXPECT(got.sorted[i] == sorted[i] && got.merged[i] == sorted[i] && got.prefix[i] == sum);
        EXPECT(got.heads[i] == (i == 0 || sorted[i] != sorted[i - 1]));
        EXPECT(got.striped[i] == in[i % ITEMS * BLOCK + i / ITEMS]);
        least = i % ITEMS == 0 && in[i] < least ? in[i] : least;
    }
    EXPECT(got.sum == sum && got.least == least);
    ok("blocks sort, scan, exchange and reduce");
    for (int b = 0; b < BINS; b++) {
        int count = 0;
        for (int i = 0; i < N; i++)
            count += (in[i] & (BINS - 1)) == b;
        EXPECT(got.histogram[b] == count);
    }
    ok("histogram of a block");
    for (int t = 0; t < BLOCK; t++) {
        int tile = 0, prefix = 0;
        for (int k = t / 8 * 8; k < t / 8 * 8 + 8; k++)
            tile += in[k * ITEMS + 1];
        for (int k = t / 32 * 32; k < t; k++)
            prefix += in[k * ITEMS + 2];
        EXPECT(got.warp_sum[t / 8] == tile && got.warp_prefix[t] == prefix);
    }
    ok("warps reduce and scan");
    return 0;
}
