#include "other.h"

__constant__ int table[8] = {10, 11, 12, 13, 14, 15, 16, 17};
static __device__ int own = 2;
static __device__ __noinline__ int twice(int x) { return 3 * x + own; }
__device__ int other_twice(int x) { return twice(x); }

static __device__ int negated(int x) { return -x; }
static __device__ int squared(int x) { return x * x; }
__device__ operation *operations[2] = {negated, squared};

__global__ void other(int *to)
{
    atomicAdd(&count, 1);
    to[0] = scaled<int>(9);
}

void launch_other(int *to) { other<<<1, 32>>>(to); }
