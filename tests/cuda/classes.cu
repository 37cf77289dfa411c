/* C++ in kernels: classes with virtual functions, templates, operators, functions as arguments, recursion, printf. */
#include <cmath>

#include "test.h"

/* ---- virtual functions ------------------------------------------------------------------------------------------- */

class shape {
public:
    __device__ virtual ~shape() {}
    __device__ virtual float area() const = 0;
    __device__ virtual int corners() const { return 0; }
};

class circle : public shape {
    float r;

public:
    __device__ circle(float radius) : r(radius) {}
    __device__ float area() const override { return 3.0f * r * r; }
};

class rectangle : public shape {
protected:
    float a, b;

public:
    __device__ rectangle(float width, float height) : a(width), b(height) {}
    __device__ float area() const override { return a * b; }
    __device__ int corners() const override { return 4; }
};

class square final : public rectangle {
public:
    __device__ square(float side) : rectangle(side, side) {}
};

__global__ void measure(float *areas, int *corners)
{
    int t = threadIdx.x;
    float size = (float)(t + 1);
    shape *s;
    if (t % 3 == 0)
        s = new circle(size);
    else if (t % 3 == 1)
        s = new rectangle(size, 2);
    else
        s = new square(size);
    areas[t] = s->area();
    corners[t] = s->corners();
    delete s;
}

static void virtual_functions()
{
    const int n = 48;
    float *areas, on_host[n];
    int *corners, counted[n];
    CHECK(cudaMalloc(&areas, sizeof on_host));
    CHECK(cudaMalloc(&corners, sizeof counted));
    measure<<<1, n>>>(areas, corners);
    CHECK(cudaMemcpy(on_host, areas, sizeof on_host, cudaMemcpyDeviceToHost));
    CHECK(cudaMemcpy(counted, corners, sizeof counted, cudaMemcpyDeviceToHost));
    for (int t = 0; t < n; t++) {
        float size = (float)(t + 1), area = t % 3 == 0 ? 3.0f * size * size : t % 3 == 1 ? size * 2 : size * size;
        EXPECT(on_host[t] == area && counted[t] == (t % 3 ? 4 : 0));
    }
    CHECK(cudaFree(areas));
    CHECK(cudaFree(corners));
    ok("virtual functions");
}

/* ---- templates --------------------------------------------------------------------------------------------------- */

template <typename T, int N> struct vec {
    T v[N];
    __host__ __device__ T &operator[](int i) { return v[i]; }
    __host__ __device__ const T &operator[](int i) const { return v[i]; }
    __host__ __device__ vec operator+(const vec &o) const
    {
        vec r;
        for (int i = 0; i < N; i++)
            r[i] = v[i] + o[i];
        return r;
    }
    __host__ __device__ T dot(const vec &o) const
    {
        T sum = 0;
        for (int i = 0; i < N; i++)
            sum += v[i] * o[i];
        return sum;
    }
};

template <typename T> struct add_scaled {
    T scale;
    __host__ __device__ T operator()(T a, T b) const { return a + scale * b; }
};

template <typename V, typename F> __global__ void apply(const V *a, const V *b, V *out, F f)
{
    int t = threadIdx.x;
    V sum = a[t] + b[t];
    for (int i = 0; i < (int)(sizeof(V) / sizeof(sum[0])); i++)
        sum[i] = f(sum[i], a[t].dot(b[t]));
    out[t] = sum;
}

template <typename T, int N> static void vectors(const char *name)
{
    const int n = 40;
    using V = vec<T, N>;
    V a[n], b[n], back[n], *d;
    for (int t = 0; t < n; t++)
        for (int i = 0; i < N; i++) {
            a[t][i] = (T)(t - i);
            b[t][i] = (T)(2 * t + i);
        }
    add_scaled<T> f = {(T)3};
    CHECK(cudaMalloc(&d, 3 * sizeof a));
    CHECK(cudaMemcpy(d, a, sizeof a, cudaMemcpyHostToDevice));
    CHECK(cudaMemcpy(d + n, b, sizeof b, cudaMemcpyHostToDevice));
    apply<<<1, n>>>(d, d + n, d + 2 * n, f);
    CHECK(cudaMemcpy(back, d + 2 * n, sizeof back, cudaMemcpyDeviceToHost));
    for (int t = 0; t < n; t++)
        for (int i = 0; i < N; i++)
            EXPECT(back[t][i] == f(a[t][i] + b[t][i], a[t].dot(b[t])));
    CHECK(cudaFree(d));
    ok(name);
}

/* ---- functions ---------------------------------------------------------------------------------------------------- */

__device__ unsigned ackermann(unsigned m, unsigned n)
{
    if (!m)
        return n + 1;
    return ackermann(m - 1, n ? ackermann(m, n - 1) : 1);
}

typedef float (*function)(float);
__device__ float half_of(float x) { return x / 2; }
__device__ float square_of(float x) { return x * x; }
__device__ function half_pointer = half_of;

__global__ void call(function first, unsigned *numbers, float *out)
{
    function f = threadIdx.x % 2 ? square_of : first;
    out[threadIdx.x] = f((float)threadIdx.x);
    numbers[threadIdx.x] = ackermann(threadIdx.x % 3, threadIdx.x % 4);
}

static unsigned ackermann_on_host(unsigned m, unsigned n)
{
    return !m ? n + 1 : ackermann_on_host(m - 1, n ? ackermann_on_host(m, n - 1) : 1);
}

static void functions()
{
    const int n = 32;
    function first;
    unsigned *numbers, counted[n];
    float *out, back[n];
    CHECK(cudaMemcpyFromSymbol(&first, half_pointer, sizeof first)); // from one kernel's module to another launch
    CHECK(cudaMalloc(&numbers, sizeof counted));
    CHECK(cudaMalloc(&out, sizeof back));
    call<<<1, n>>>(first, numbers, out);
    CHECK(cudaMemcpy(counted, numbers, sizeof counted, cudaMemcpyDeviceToHost));
    CHECK(cudaMemcpy(back, out, sizeof back, cudaMemcpyDeviceToHost));
    for (unsigned t = 0; t < n; t++)
        EXPECT(back[t] == (t % 2 ? t * t : t / 2.0f) && counted[t] == ackermann_on_host(t % 3, t % 4));
    CHECK(cudaFree(numbers));
    CHECK(cudaFree(out));
    ok("pointers to functions and recursion");
}

__global__ void speak(const char *what, double x) { printf("%s %d of %u: %.3f %c\n", what, threadIdx.x, blockDim.x, x, 'z'); }

int main()
{
    virtual_functions();
    vectors<float, 3>("templates: 3 floats");
    vectors<long long, 2>("templates: 2 long integers");
    functions();
    char *text;
    CHECK(cudaMallocManaged(&text, 8));
    text[0] = 'i', text[1] = 0;
    speak<<<1, 2>>>(text, 2.5);
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaFree(text));
    return 0;
}
