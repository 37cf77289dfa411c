/* Device functions that stay functions: recursion to a depth that differs between lanes, mutual recursion, calls
 * through pointers, and a result returned through memory of the caller's frame. */
#include "cuda_min.cuh"

static __device__ __noinline__ int ackermann(int m, int n)
{
    if (m == 0)
        return n + 1;
    return ackermann(m - 1, n == 0 ? 1 : ackermann(m, n - 1));
}

static __device__ int odd(unsigned n);
static __device__ __noinline__ int even(unsigned n) { return n == 0 ? 1 : odd(n - 1); }
static __device__ __noinline__ int odd(unsigned n) { return n == 0 ? 0 : even(n - 1) * 3; }

struct pair {
    long long sum;
    int steps, largest;
};
static __device__ __noinline__ void collatz(unsigned n, pair *p)
{
    p->sum = n;
    p->steps = 0;
    p->largest = (int)n;
    while (n != 1) {
        n = n % 2 ? 3 * n + 1 : n / 2;
        p->sum += n;
        p->steps++;
        if ((int)n > p->largest)
            p->largest = (int)n;
    }
}

static __device__ __noinline__ int twice(int v) { return 2 * v; }
static __device__ __noinline__ int square(int v) { return v * v; }
static __device__ __noinline__ int negate(int v) { return -v; }

KERNEL calls_recursive(int *out)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[2 * i] = ackermann(i % 3, i % 5);
    out[2 * i + 1] = even(i % 13);
}

KERNEL calls_struct(long long *out)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    pair p;
    collatz(i + 1, &p);
    out[3 * i] = p.sum;
    out[3 * i + 1] = p.steps;
    out[3 * i + 2] = p.largest;
}

KERNEL calls_indirect(int *out)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int (*choice[3])(int) = {twice, square, negate};
    out[i] = choice[i % 3](i) + choice[i / 8 % 3](i + 1);
}
