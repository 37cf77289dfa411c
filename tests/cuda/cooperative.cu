/* Cooperative launches: barriers across the grid, against the CPU's result, and what a GPU answers when the blocks are
 * too many to be resident together. */
#include <cooperative_groups.h>
#include <cstring>
#include <vector>

#include "test.h"

namespace cg = cooperative_groups;

/* Every cell becomes the sum of itself and its right neighbour, `rounds` times; cells of other blocks are read and
 * written between two barriers. */
__global__ void sums(unsigned *a, int n, int rounds)
{
    cg::grid_group grid = cg::this_grid();
    for (int r = 0; r < rounds; r++) {
        unsigned next[4];
        int count = 0;
        for (int i = (int)grid.thread_rank(); i < n; i += (int)grid.size())
            next[count++] = a[(i + 1) % n];
        grid.sync();
        count = 0;
        for (int i = (int)grid.thread_rank(); i < n; i += (int)grid.size())
            a[i] += next[count++];
        grid.sync();
    }
}

static std::vector<unsigned> sums_on_host(std::vector<unsigned> a, int rounds)
{
    for (int r = 0; r < rounds; r++) {
        std::vector<unsigned> before = a;
        for (size_t i = 0; i < a.size(); i++)
            a[i] += before[(i + 1) % a.size()];
    }
    return a;
}

static void grid_barrier(int blocks, int threads, int n, int rounds, const char *name)
{
    std::vector<unsigned> a(n), back(n);
    for (int i = 0; i < n; i++)
        a[i] = (unsigned)i * 2654435761u;
    unsigned *device;
    CHECK(cudaMalloc(&device, n * sizeof *device));
    CHECK(cudaMemcpy(device, a.data(), n * sizeof *device, cudaMemcpyHostToDevice));
    void *args[] = {&device, &n, &rounds};
    CHECK(cudaLaunchCooperativeKernel((void *)sums, dim3(blocks), dim3(threads), args, 0, 0));
    CHECK(cudaMemcpy(back.data(), device, n * sizeof *device, cudaMemcpyDeviceToHost));
    EXPECT(back == sums_on_host(a, rounds));
    CHECK(cudaFree(device));
    ok(name);
}

/* The same through cudaLaunchKernelExC, and twice in a row: the barrier's word is new for each launch. */
static void by_attribute()
{
    const int n = 96, rounds = 3;
    std::vector<unsigned> a(n, 1), back(n);
    unsigned *device;
    CHECK(cudaMalloc(&device, n * sizeof *device));
    CHECK(cudaMemcpy(device, a.data(), n * sizeof *device, cudaMemcpyHostToDevice));
    cudaLaunchAttribute cooperative = {};
    cooperative.id = cudaLaunchAttributeCooperative;
    cooperative.val.cooperative = 1;
    cudaLaunchConfig_t config = {};
    config.gridDim = dim3(3);
    config.blockDim = dim3(32);
    config.attrs = &cooperative;
    config.numAttrs = 1;
    CHECK(cudaLaunchKernelEx(&config, sums, device, n, rounds));
    CHECK(cudaLaunchKernelEx(&config, sums, device, n, rounds));
    CHECK(cudaMemcpy(back.data(), device, n * sizeof *device, cudaMemcpyDeviceToHost));
    EXPECT(back == sums_on_host(a, 2 * rounds));
    CHECK(cudaFree(device));
    ok("cooperative by attribute");
}

/* A grid of as many blocks as are resident runs; with one more it does not. */
static void too_large()
{
    int device = 0, sms, per_sm, n = 64, rounds = 1;
    unsigned *a;
    CHECK(cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, device));
    CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&per_sm, sums, 1024, 0));
    EXPECT(per_sm >= 1);
    CHECK(cudaMalloc(&a, n * sizeof *a));
    void *args[] = {&a, &n, &rounds};
    CHECK(cudaLaunchCooperativeKernel((void *)sums, dim3(sms * per_sm), dim3(1024), args, 0, 0));
    CHECK(cudaDeviceSynchronize());
    EXPECT(cudaLaunchCooperativeKernel((void *)sums, dim3(sms * per_sm + 1), dim3(1024), args, 0, 0) ==
           cudaErrorCooperativeLaunchTooLarge);
    EXPECT(cudaGetLastError() == cudaErrorCooperativeLaunchTooLarge);
    EXPECT(!std::strcmp(cudaGetErrorString(cudaErrorCooperativeLaunchTooLarge), "too many blocks in cooperative launch"));
    CHECK(cudaFree(a));
    ok("too many blocks for a cooperative launch");
}

/* Without a cooperative launch there is no barrier: the kernel stops itself. */
static void plain_launch()
{
    int n = 32;
    unsigned *a;
    CHECK(cudaMalloc(&a, n * sizeof *a));
    sums<<<1, 32>>>(a, n, 1);
    EXPECT(cudaDeviceSynchronize() == cudaErrorLaunchFailure);
    ok("a grid barrier in a plain launch traps");
}

int main(int argc, char **argv)
{
    grid_barrier(7, 64, 7 * 64, 5, "grid barrier, one cell a thread");
    grid_barrier(5, 96, 1000, 4, "grid barrier, cells left over");
    by_attribute();
    too_large();
    if (argc > 1 && !std::strcmp(argv[1], "plain"))
        plain_launch();
    return 0;
}
