// Structures that have padding, for --check init: kernels make, copy and pass them in all ways, and copy whole arrays
// of them to the host. All that is used is written, and nothing is found, optimised or not (padding_unoptimised is made
// by nvcc -G). With an argument it is wrong in one way: see `wrongs`.
#include <cstdio>
#include <cstdlib>
#include <cstring>

struct Pair {
    int a, b;
};
struct Tail {
    double a;
    bool b;
    short c;
};
struct Front {
    char a;
    double b;
};
struct Middle {
    int a;
    double b;
    char c;
};
struct Pointer {
    const void *a;
    char b;
};
struct Vectors {
    float4 a;
    float b;
};
struct Behind {
    char b;
    float2 a;
    char c;
};
struct alignas(16) Three {
    float a, b, c;
};
struct Far {
    int a;
    alignas(16) int b;
};
struct alignas(32) Wide {
    int a, b;
};
struct alignas(16) Shorts {
    short a, b[3];
};
struct Nested {
    struct {
        char a;
        double b;
    } x;
    Tail t[2];
    char c;
};
struct Bits {
    unsigned a : 3, b : 7;
    double c;
};

template <class T> struct With {
    T x;
    int n;
};

#define BOTH __host__ __device__ inline
BOTH void set(Pair &s, int i) { s.a = i, s.b = -i; }
BOTH void set(Tail &s, int i) { s.a = i, s.b = i & 1, s.c = (short)i; }
BOTH void set(Front &s, int i) { s.a = (char)i, s.b = i; }
BOTH void set(Middle &s, int i) { s.a = i, s.b = i, s.c = (char)i; }
BOTH void set(Pointer &s, int i) { s.a = &s, s.b = (char)i; }
BOTH void set(Vectors &s, int i) { s.a.x = i, s.a.y = i, s.a.z = i, s.a.w = i, s.b = i; }
BOTH void set(Behind &s, int i) { s.a.x = i, s.a.y = i, s.b = (char)i, s.c = (char)i; }
BOTH void set(Three &s, int i) { s.a = i, s.b = i, s.c = i; }
BOTH void set(Far &s, int i) { s.a = i, s.b = i; }
BOTH void set(Wide &s, int i) { s.a = i, s.b = i; }
BOTH void set(Shorts &s, int i) { s.a = (short)i, s.b[0] = s.b[1] = s.b[2] = (short)i; }
BOTH void set(Nested &s, int i) { s.x.a = (char)i, s.x.b = i, set(s.t[0], i), set(s.t[1], i), s.c = (char)i; }
BOTH void set(Bits &s, int i) { s.a = i & 7, s.b = i & 127, s.c = i; }
template <class T> BOTH void set(With<T> &s, int i) { set(s.x, i), s.n = i; }

enum { BLOCKS = 2, THREADS = 32, COUNT = BLOCKS * THREADS };
#define AT (threadIdx.x + blockIdx.x * blockDim.x)

template <class T> __global__ void fields(T *o) { set(o[AT], AT); }
template <class T> __global__ void from_local(T *o)
{
    T x[2];
    set(x[0], AT), set(x[1], -1);
    o[AT] = x[AT & 1];
}
template <class T> __global__ void from_shared(T *o)
{
    __shared__ T s[THREADS];
    set(s[threadIdx.x], AT);
    __syncthreads();
    o[AT] = s[THREADS - 1 - threadIdx.x];
}
template <class T> __global__ void through_shared(T *o)
{
    __shared__ T s[THREADS];
    s[threadIdx.x] = o[AT];
    __syncthreads();
    o[AT] = s[THREADS - 1 - threadIdx.x];
}
template <class T> __global__ void from_parameter(T *o, T p)
{
    T x = p;
    set(x, AT);
    o[AT] = AT & 1 ? x : p;
}
template <class T> __device__ __noinline__ T made(int i)
{
    T x;
    set(x, i);
    return x;
}
template <class T> __device__ __noinline__ T passed(T x, int n) { return n ? x : made<T>(n); }
template <class T> __global__ void from_function(T *o) { o[AT] = passed(made<T>(AT), AT & 1); }
template <class T> __global__ void copy(T *o, const T *from, unsigned n)
{
    T mine;
    set(mine, 1);
    if (AT < n)
        o[AT] = from[AT];
    else
        o[AT] = mine;
}

static void check(cudaError_t e)
{
    if (e)
        printf("%s\n", cudaGetErrorString(e)), exit(1);
}

template <class T> static void show(const T *o, size_t count = COUNT)
{
    T *host = (T *)calloc(count, sizeof(T));
    check(cudaGetLastError());
    check(cudaMemcpy(host, o, count * sizeof(T), cudaMemcpyDeviceToHost));
    free(host);
}

template <class T> static T *fresh()
{
    T *p;
    check(cudaMalloc(&p, COUNT * sizeof(T)));
    return p;
}

template <class T> static void right()
{
    const bool mixed =
        alignof(T) < 16; // what is wider is found if nothing else in the array has its padding (docs/checks.md)
    T *p[7], *all, one;
    memset(&one, 0, sizeof one);
    for (T *&each : p)
        each = fresh<T>();
    fields<<<BLOCKS, THREADS>>>(p[0]);
    from_local<<<BLOCKS, THREADS>>>(p[1]);
    from_shared<<<BLOCKS, THREADS>>>(p[2]);
    from_parameter<<<BLOCKS, THREADS>>>(p[3], one);
    from_function<<<BLOCKS, THREADS>>>(p[4]);
    copy<<<BLOCKS, THREADS>>>(p[5], p[1], mixed ? 17 : COUNT);
    check(cudaMemcpy(p[6], p[0], COUNT * sizeof(T), cudaMemcpyDeviceToDevice));
    for (T *each : p)
        show(each);
    through_shared<<<BLOCKS, THREADS>>>(p[1]);
    show(p[1]);
    show(p[1], mixed ? 1 : COUNT);
    // what the host has written as a whole, and kernels in part; what the host sees at once
    check(cudaMemset(p[2], 0, COUNT * sizeof(T)));
    copy<<<1, THREADS>>>(p[2], p[1], mixed ? 17 : COUNT);
    show(p[2]);
    check(cudaMallocManaged(&all, COUNT * sizeof(T)));
    from_local<<<BLOCKS, THREADS>>>(all);
    check(cudaDeviceSynchronize());
    check(cudaFree(all));
    for (T *each : p)
        check(cudaFree(each));
}

template <class T> static void both()
{
    right<T>();
    right<With<T>>();
}

// ---- what is wrong
// -----------------------------------------------------------------------------------------------------

template <class T> __global__ void lacks(T *o, unsigned which)
{
    if (AT != which)
        set(o[AT], AT);
}
template <class T> __global__ void lacks_in_shared(T *o, unsigned which)
{
    __shared__ T s[THREADS];
    if (threadIdx.x != which)
        set(s[threadIdx.x], AT);
    __syncthreads();
    o[AT] = s[threadIdx.x];
}
__global__ void lacks_number(int *o, unsigned which)
{
    if (AT != which)
        o[AT] = AT;
}
__global__ void each_second(float *o)
{
    if (AT % 2 == 0)
        o[AT] = AT;
}
__global__ void half_in_shared(int *o)
{
    __shared__ int s[THREADS];
    if (threadIdx.x < THREADS / 2)
        s[threadIdx.x] = AT;
    __syncthreads();
    o[AT] = s[threadIdx.x];
}
__global__ void moves(Pair *o, const Pair *from) { o[AT] = from[AT]; }
__global__ void sums(int *o, const Pair *from) { o[AT] = from[AT].a + from[AT].b; }

static const char *const wrongs[] = {"element", "pair", "shared", "number", "second", "half", "later"};

static int wrong(const char *how)
{
    int which = 0, *numbers = fresh<int>();
    while (strcmp(wrongs[which], how))
        which++;
    Tail *tails = fresh<Tail>();
    Pair *pairs = fresh<Pair>(), *others = fresh<Pair>();
    switch (which) {
    case 0: lacks<<<BLOCKS, THREADS>>>(tails, 5), show(tails); break;
    case 1: lacks<<<BLOCKS, THREADS>>>(pairs, 5), show(pairs); break;
    case 2: lacks_in_shared<<<BLOCKS, THREADS>>>(tails, 5), show(tails); break;
    case 3: lacks_number<<<BLOCKS, THREADS>>>(numbers, 5), show(numbers); break;
    case 4: each_second<<<BLOCKS, THREADS>>>((float *)numbers), show(numbers); break;
    case 5: half_in_shared<<<BLOCKS, THREADS>>>(numbers), show(numbers); break;
    default: // another launch uses what one has moved
        lacks_in_shared<<<BLOCKS, THREADS>>>(pairs, 5);
        moves<<<BLOCKS, THREADS>>>(others, pairs);
        sums<<<BLOCKS, THREADS>>>(numbers, others);
    }
    check(cudaGetLastError());
    check(cudaDeviceSynchronize());
    return 0;
}

int main(int argc, char **argv)
{
    if (argc > 1)
        return wrong(argv[1]);
    both<Pair>(), both<Tail>(), both<Front>(), both<Middle>(), both<Pointer>(), both<Vectors>(), both<Behind>();
    both<Three>(), both<Far>(), both<Wide>(), both<Shorts>(), both<Nested>(), both<Bits>();
}
