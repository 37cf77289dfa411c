/* Every kind of memory and how a pointer may reach it: dynamic shared memory, tables in constant memory, module
 * variables with initial values and with addresses of others in them, and generic pointers whose space is known only
 * when the kernel runs. */
#include "cuda_min.cuh"

__constant__ int squares[16] = {0, 1, 4, 9, 16, 25, 36, 49, 64, 81, 100, 121, 144, 169, 196, 225};
__constant__ double weights[4] = {0.5, -0.25, 0x1p-40, 3.0};
__device__ unsigned char codes[8] = {3, 1, 4, 1, 5, 9, 2, 6};
__device__ int counters[4] = {10, 20, 30, 40};
__device__ int *const second_counter = &counters[1];

KERNEL dynamic_shared(const int *in, int *out)
{
    extern __attribute__((shared)) int mine[];
    int x = threadIdx.x, n = blockDim.x, base = blockIdx.x * n;
    long long *wide = (long long *)(mine + n);
    mine[x] = in[base + x];
    wide[x] = (long long)in[base + x] << 20;
    __syncthreads();
    out[base + x] = mine[n - 1 - x] + (int)(wide[(x + 1) % n] >> 20);
}

KERNEL constant_tables(const int *in, double *out)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x, v = in[i] & 15;
    out[i] = squares[v] * weights[v & 3] + codes[v & 7] + squares[5];
}

KERNEL module_variables(int *out)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    atomicAdd(&counters[i & 3], i);
    atomicAdd(second_counter, 1);
    if (i == 0)
        out[0] = codes[0];
}

/* After module_variables: reads what it left. */
KERNEL module_variables_read(int *out) { out[1 + threadIdx.x] = counters[threadIdx.x]; }

static __device__ __noinline__ int sum_through(const int *p, int n)
{
    int sum = 0;
    for (int i = 0; i < n; i++)
        sum += p[i];
    return sum;
}

KERNEL generic_pointers(const int *in, int *out)
{
    __shared__ int near[64];
    int x = threadIdx.x, i = blockIdx.x * blockDim.x + x;
    int own[8];
    for (int j = 0; j < 8; j++)
        own[j] = i * j - 3;
    near[x] = in[i] * 2;
    __syncthreads();
    const int *from[4] = {in + i % 32, near + x % 32, own, squares + x % 8};
    int sum = sum_through(from[(i / 3) % 4], 8);
    __syncthreads();
    int *to = i % 2 ? &near[x] : &own[x % 8];
    *to = sum;
    out[i] = near[x] + own[x % 8];
}
