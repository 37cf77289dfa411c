/* What fails on a GPU fails alike: the code, its text, and what later calls answer. The argument says which error of a
 * kernel the program ends with. */
#include <cassert>
#include <cstring>

#include "test.h"

__global__ void nothing() {}
__global__ void __launch_bounds__(64) bounded(int *p) { p[threadIdx.x] = 1; }
__global__ void store(int *p, long long at) { p[at] = 1; }
__global__ void trap() { asm volatile("trap;"); }
__global__ void claim(int n) { assert(threadIdx.x + n < 3); }
__global__ void load_shared(int *out, int at)
{
    extern __shared__ int words[];
    *out = words[at];
}

static void expect_last(cudaError_t wanted)
{
    cudaError_t error = cudaGetLastError();
    if (error != wanted) {
        std::printf("%s, not %s\n", cudaGetErrorName(error), cudaGetErrorName(wanted));
        std::exit(1);
    }
    EXPECT(cudaGetLastError() == cudaSuccess);
}

static void launches()
{
    nothing<<<1, 2048>>>();
    expect_last(cudaErrorInvalidConfiguration);
    nothing<<<0, 32>>>();
    expect_last(cudaErrorInvalidConfiguration);
    nothing<<<dim3(1, 70000), 32>>>();
    expect_last(cudaErrorInvalidConfiguration);
    nothing<<<1, 32, 1 << 20>>>();
    expect_last(cudaErrorInvalidValue);
    bounded<<<1, 128>>>(nullptr);
    expect_last(cudaErrorInvalidValue);
    nothing<<<1, dim3(2, 2, 128)>>>();
    expect_last(cudaErrorInvalidConfiguration);
    nothing<<<1, 32>>>();
    expect_last(cudaSuccess);
    ok("launches");
}

static void calls()
{
    void *p = &p;
    EXPECT(cudaMalloc(nullptr, 4) == cudaErrorInvalidValue);
    expect_last(cudaErrorInvalidValue);
    EXPECT(cudaMalloc(&p, (size_t)1 << 60) == cudaErrorMemoryAllocation);
    EXPECT(cudaPeekAtLastError() == cudaErrorMemoryAllocation);
    expect_last(cudaErrorMemoryAllocation);
    EXPECT(cudaMalloc(&p, 0) == cudaSuccess && !p);
    EXPECT(cudaFree(nullptr) == cudaSuccess);
    int here;
    EXPECT(cudaFree(&here) == cudaErrorInvalidValue);
    expect_last(cudaErrorInvalidValue);
    EXPECT(cudaMemcpy(&here, &here, 4, (cudaMemcpyKind)9) == cudaErrorInvalidMemcpyDirection);
    expect_last(cudaErrorInvalidMemcpyDirection);
    EXPECT(cudaSetDevice(77) == cudaErrorInvalidDevice);
    expect_last(cudaErrorInvalidDevice);
    EXPECT(cudaFuncSetAttribute(nothing, cudaFuncAttributeMaxDynamicSharedMemorySize, 1 << 24) ==
           cudaErrorInvalidValue);
    expect_last(cudaErrorInvalidValue);
    EXPECT(cudaMemcpyToSymbol("no symbol", &here, 4) == cudaErrorInvalidSymbol);
    expect_last(cudaErrorInvalidSymbol);
    EXPECT(!std::strcmp(cudaGetErrorString(cudaErrorInvalidValue), "invalid argument"));
    EXPECT(!std::strcmp(cudaGetErrorName((cudaError_t)12345), "unrecognized error code"));
    ok("calls");
}

/* The error comes with the next call that waits, and stays. */
static void sticky(cudaError_t wanted)
{
    void *p;
    cudaError_t error = cudaDeviceSynchronize();
    std::printf("%s: %s\n", cudaGetErrorName(error), cudaGetErrorString(error));
    EXPECT(error == wanted);
    EXPECT(cudaMalloc(&p, 16) == wanted);
    cudaGetLastError();
    nothing<<<1, 1>>>();
    EXPECT(cudaGetLastError() == wanted);
    EXPECT(cudaDeviceSynchronize() == wanted);
}

int main(int argc, char **argv)
{
    const char *which = argc > 1 ? argv[1] : "";
    int *p;
    CHECK(cudaMalloc(&p, 1024));
    launches();
    calls();
    if (!std::strcmp(which, "illegal")) {
        store<<<1, 1>>>(p, 1ll << 40);
        sticky(cudaErrorIllegalAddress);
    } else if (!std::strcmp(which, "misaligned")) {
        store<<<1, 1>>>((int *)((char *)p + 2), 0);
        sticky(cudaErrorMisalignedAddress);
    } else if (!std::strcmp(which, "trap")) {
        trap<<<1, 1>>>();
        sticky(cudaErrorLaunchFailure);
    } else if (!std::strcmp(which, "assert")) {
        claim<<<1, 4>>>(0);
        sticky(cudaErrorAssert);
    } else if (!std::strcmp(which, "shared")) {
        load_shared<<<1, 1, 16>>>(p, 1 << 20);
        sticky(cudaErrorIllegalAddress);
    } else if (!std::strcmp(which, "reset")) {
        trap<<<1, 1>>>();
        sticky(cudaErrorLaunchFailure);
        CHECK(cudaDeviceReset());
        CHECK(cudaMalloc(&p, 1024));
        bounded<<<1, 64>>>(p);
        CHECK(cudaDeviceSynchronize());
    }
    if (*which)
        ok(which);
    return 0;
}
