/* Prints what a program of the runtime sees of its device: name, capability, SMs, bytes of memory, kHz of the memory's
 * clock, bits of its bus, whether it says that three quarters of L2 can be set aside; and whether all of the memory and
 * a byte more can be allocated. */
#include <stdbool.h>
#include <stdio.h>

#include "frontend/cuda/runtime/runtime.h"

enum { MEMORY_CLOCK_RATE = 36, MEMORY_BUS_WIDTH = 37 }; /* enum cudaDeviceAttr */

int main(void)
{
    struct cudaDeviceProp p;
    int clock, bits;
    void *memory;
#if CUDART_MAJOR == 12
    cudaError_t e = cudaGetDeviceProperties_v2(&p, 0);
#else
    cudaError_t e = cudaGetDeviceProperties(&p, 0);
#endif
    if (e || cudaDeviceGetAttribute(&clock, MEMORY_CLOCK_RATE, 0) || cudaDeviceGetAttribute(&bits, MEMORY_BUS_WIDTH, 0))
        return 1;
    cudaError_t more = cudaMalloc(&memory, p.totalGlobalMem + 1);
    bool three_quarters = p.persistingL2CacheMaxSize == p.l2CacheSize / 4 * 3 && p.accessPolicyMaxWindowSize;
    printf("%s|%d.%d|%d|%zu|%d|%d|%s|%s\n", p.name, p.major, p.minor, p.multiProcessorCount, p.totalGlobalMem, clock,
           bits,
           three_quarters               ? "persisting"
           : p.persistingL2CacheMaxSize ? "?"
                                        : "-",
           cudaGetErrorName(more));
    return 0;
}
