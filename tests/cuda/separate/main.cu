/* A program of several objects whose device code is linked (nvcc -rdc=true): functions, variables and constants of other
 * objects, statics of the same name, templates in both, tables of functions. */
#include "../test.h"
#include "other.h"

static __device__ int own = 1;
static __device__ __noinline__ int twice(int x) { return 2 * x + own; }
__device__ int count;

__global__ void calls(int *to)
{
    to[0] = twice(10);          /* of this object */
    to[1] = other_twice(10);    /* through the other object's static of the same name */
    to[2] = table[3];           /* a constant of the other object */
    to[3] = scaled<int>(7);     /* a template that both objects have */
    to[4] = operations[1](5);   /* a pointer to a function of the other object */
    atomicAdd(&count, 5);
}

int main()
{
    int *p, host[5], n = 0, more = 4;
    CHECK(cudaMalloc(&p, sizeof host));
    calls<<<1, 1>>>(p);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy(host, p, sizeof host, cudaMemcpyDefault));
    EXPECT(host[0] == 21 && host[1] == 3 * 10 + 2 && host[2] == 13 && host[3] == 700 && host[4] == 25);
    ok("functions and variables of several objects");
    CHECK(cudaMemcpyToSymbol(count, &more, sizeof more));
    launch_other(p);
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaMemcpyFromSymbol(&n, count, sizeof n));
    EXPECT(n == 4 + 32);
    CHECK(cudaMemcpy(host, p, sizeof host, cudaMemcpyDefault));
    EXPECT(host[0] == 100 * 9);
    ok("kernels of several objects, and a variable of both");
    return 0;
}
