/* Occupancy against the formula of the CUDA C++ programming guide, and what follows from it for launches. */
#include <algorithm>

#include "test.h"

__global__ void small(int *p) { p[threadIdx.x] = 1; }
__global__ void __launch_bounds__(128) bounded(int *p) { p[threadIdx.x] = 1; }
__global__ void with_shared(int *p)
{
    __shared__ int part[3000];
    part[threadIdx.x] = p[threadIdx.x];
    __syncthreads();
    p[threadIdx.x] = part[(threadIdx.x * 7) % blockDim.x];
}

static cudaDeviceProp properties;

/* Blocks of an SM: what threads, blocks, registers and shared memory allow. Registers come by 256 a warp. */
static int blocks_by_formula(const cudaFuncAttributes &a, int threads, size_t dynamic_bytes)
{
    int warps = (threads + 31) / 32;
    size_t per_warp = (size_t)(a.numRegs * 32 + 255) / 256 * 256;
    size_t shared = a.sharedSizeBytes + dynamic_bytes + properties.reservedSharedMemPerBlock;
    shared = (shared + 127) / 128 * 128;
    int blocks = std::min(properties.maxBlocksPerMultiProcessor, properties.maxThreadsPerMultiProcessor / 32 / warps);
    blocks = std::min(blocks, (int)(properties.regsPerMultiprocessor / (per_warp * warps)));
    if (shared)
        blocks = std::min(blocks, (int)(properties.sharedMemPerMultiprocessor / shared));
    return blocks;
}

template <typename F> static void compare(F kernel, int threads, size_t bytes)
{
    cudaFuncAttributes a;
    int blocks = -1;
    CHECK(cudaFuncGetAttributes(&a, kernel));
    CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, kernel, threads, bytes));
    if (blocks != blocks_by_formula(a, threads, bytes)) {
        std::printf("%d threads, %zu bytes: %d blocks, not %d\n", threads, bytes, blocks,
                    blocks_by_formula(a, threads, bytes));
        std::exit(1);
    }
}

static void attributes()
{
    cudaFuncAttributes a;
    CHECK(cudaFuncGetAttributes(&a, bounded));
    EXPECT(a.maxThreadsPerBlock == 128);
    CHECK(cudaFuncGetAttributes(&a, with_shared));
    EXPECT(a.sharedSizeBytes == 12000);
    CHECK(cudaFuncGetAttributes(&a, small));
    EXPECT(a.maxThreadsPerBlock == 1024 && a.sharedSizeBytes == 0 && a.numRegs > 0 && a.numRegs <= 255);
    ok("attributes of functions");
}

__host__ __device__ static size_t bytes_for(int threads) { return threads * 64; }

static void sizes_for_launches()
{
    int blocks = 0, threads = 0;
    size_t bytes = 0;
    CHECK(cudaOccupancyMaxPotentialBlockSize(&blocks, &threads, small));
    EXPECT(threads % 32 == 0 && threads >= 128 && threads <= 1024);
    EXPECT(blocks % properties.multiProcessorCount == 0 && blocks >= properties.multiProcessorCount);
    CHECK(cudaOccupancyMaxPotentialBlockSize(&blocks, &threads, bounded));
    EXPECT(threads <= 128);
    CHECK(cudaOccupancyMaxPotentialBlockSizeVariableSMem(&blocks, &threads, small, bytes_for));
    EXPECT(threads > 0 && bytes_for(threads) <= properties.sharedMemPerBlock);
    CHECK(cudaOccupancyAvailableDynamicSMemPerBlock(&bytes, small, 2, 128));
    EXPECT(bytes > 0 && bytes <= properties.sharedMemPerBlock);
    int with = 0;
    CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&with, small, 128, bytes));
    EXPECT(with >= 2);
    ok("sizes for launches");
}

/* More than 48 KB of shared memory must be asked for. */
static void much_shared_memory()
{
    int *p, most = 0;
    CHECK(cudaMalloc(&p, 4096));
    CHECK(cudaDeviceGetAttribute(&most, cudaDevAttrMaxSharedMemoryPerBlockOptin, 0));
    EXPECT(most >= 48 << 10);
    if (most > 48 << 10) {
        small<<<1, 32, most>>>(p);
        EXPECT(cudaGetLastError() == cudaErrorInvalidValue);
        CHECK(cudaFuncSetAttribute(small, cudaFuncAttributeMaxDynamicSharedMemorySize, most));
        small<<<1, 32, most>>>(p);
        CHECK(cudaGetLastError());
        CHECK(cudaDeviceSynchronize());
    }
    EXPECT(cudaFuncSetAttribute(small, cudaFuncAttributeMaxDynamicSharedMemorySize, most + 1) == cudaErrorInvalidValue);
    EXPECT(cudaGetLastError() == cudaErrorInvalidValue);
    CHECK(cudaFree(p));
    ok("much shared memory");
}

int main()
{
    CHECK(cudaGetDeviceProperties(&properties, 0));
    attributes();
    const int threads[] = {1, 32, 33, 64, 128, 250, 512, 768, 1024};
    for (int t : threads)
        for (size_t bytes = 0; bytes <= 40960; bytes += 2560) {
            compare(small, t, bytes);
            if (bytes + 12000 <= 48 << 10)
                compare(with_shared, t, bytes);
        }
    for (int t : {32, 96, 128})
        compare(bounded, t, 0);
    ok("blocks of an SM");
    sizes_for_launches();
    much_shared_memory();
    return 0;
}
