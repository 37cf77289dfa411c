/* CUB: blocks and warps, and the whole device; against the C++ library's results. */
#include <algorithm>
#include <functional>
#include <numeric>
#include <vector>

#include <cub/cub.cuh>

#include "test.h"

static std::vector<int> random_numbers(int n, int range)
{
    std::vector<int> v(n);
    unsigned x = 12345;
    for (int &i : v) {
        x = x * 1664525u + 1013904223u;
        i = (int)(x >> 8) % range;
    }
    return v;
}

template <typename T> static T *on_device(const std::vector<T> &v)
{
    T *p;
    CHECK(cudaMalloc(&p, v.size() * sizeof(T)));
    CHECK(cudaMemcpy(p, v.data(), v.size() * sizeof(T), cudaMemcpyHostToDevice));
    return p;
}

template <typename T> static std::vector<T> from_device(const T *p, size_t n)
{
    std::vector<T> v(n);
    CHECK(cudaMemcpy(v.data(), p, n * sizeof(T), cudaMemcpyDeviceToHost));
    return v;
}

/* ---- blocks and warps -------------------------------------------------------------------------------------------- */

template <int THREADS> __global__ void in_block(const int *in, int *sum, int *scanned, int *warp_maxima)
{
    using reduce = cub::BlockReduce<int, THREADS>;
    using scan = cub::BlockScan<int, THREADS>;
    using warp = cub::WarpReduce<int>;
    __shared__ union {
        typename reduce::TempStorage reduce;
        typename scan::TempStorage scan;
        typename warp::TempStorage warp[THREADS / 32];
    } space;
    int t = threadIdx.x, value = in[t], result = reduce(space.reduce).Sum(value);
    if (t == 0)
        *sum = result;
    __syncthreads();
    scan(space.scan).ExclusiveSum(value, result);
    scanned[t] = result;
    __syncthreads();
    result = warp(space.warp[t / 32]).Reduce(value, ::cuda::maximum<int>());
    if (t % 32 == 0)
        warp_maxima[t / 32] = result;
}

static void blocks()
{
    const int n = 128;
    std::vector<int> values = random_numbers(n, 1000);
    int *in = on_device(values), *out;
    CHECK(cudaMalloc(&out, (1 + n + n / 32) * sizeof(int)));
    in_block<n><<<1, n>>>(in, out, out + 1, out + 1 + n);
    std::vector<int> back = from_device(out, 1 + n + n / 32);
    int sum = 0;
    for (int i = 0; i < n; i++) {
        EXPECT(back[1 + i] == sum);
        sum += values[i];
    }
    EXPECT(back[0] == sum);
    for (int w = 0; w < n / 32; w++)
        EXPECT(back[1 + n + w] == *std::max_element(values.begin() + 32 * w, values.begin() + 32 * w + 32));
    CHECK(cudaFree(in));
    CHECK(cudaFree(out));
    ok("blocks and warps");
}

/* ---- the device -------------------------------------------------------------------------------------------------- */

/* Calls an algorithm twice, as CUB wants it: for the size of its memory, and with that. */
template <typename F> static void with_memory(F algorithm)
{
    void *space = nullptr;
    size_t bytes = 0;
    CHECK(algorithm(space, bytes));
    CHECK(cudaMalloc(&space, bytes ? bytes : 1));
    CHECK(algorithm(space, bytes));
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaFree(space));
}

int main()
{
    const int n = 6000;
    blocks();
    std::vector<int> values = random_numbers(n, 50000);
    int *in = on_device(values), *out;
    CHECK(cudaMalloc(&out, n * sizeof(int)));
    with_memory([&](void *s, size_t &b) { return cub::DeviceReduce::Sum(s, b, in, out, n); });
    EXPECT(from_device(out, 1)[0] == std::accumulate(values.begin(), values.end(), 0));
    ok("device reduce");

    std::vector<int> sums(n);
    std::partial_sum(values.begin(), values.end(), sums.begin());
    with_memory([&](void *s, size_t &b) { return cub::DeviceScan::InclusiveSum(s, b, in, out, n); });
    EXPECT(from_device(out, n) == sums);
    ok("device scan");

    std::vector<int> order(n), sorted(n);
    std::iota(order.begin(), order.end(), 0);
    int *numbers = on_device(order), *numbers_out;
    CHECK(cudaMalloc(&numbers_out, n * sizeof(int)));
    with_memory([&](void *s, size_t &b) {
        return cub::DeviceRadixSort::SortPairs(s, b, in, out, numbers, numbers_out, n);
    });
    std::stable_sort(order.begin(), order.end(), [&](int a, int b) { return values[a] < values[b]; });
    for (int i = 0; i < n; i++)
        sorted[i] = values[order[i]];
    EXPECT(from_device(out, n) == sorted);
    EXPECT(from_device(numbers_out, n) == order); // equal keys stay in order
    ok("device sort of pairs");

    CHECK(cudaFree(in));
    CHECK(cudaFree(out));
    CHECK(cudaFree(numbers));
    CHECK(cudaFree(numbers_out));
    return 0;
}
