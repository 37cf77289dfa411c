/* Launches that repeat others: those that leave memory as it is need not run again, and whatever else happens in
 * between, results are the CPU's. Each part is a run of its own; tests/cli/repeats.sh knows how many launches of it did
 * not run. */
#include <cooperative_groups.h>
#include <cstring>

#include "test.h"

const int N = 4096, BLOCK = 64, GRID = N / BLOCK, LARGE = 1 << 20;

__device__ int place() { return blockIdx.x * blockDim.x + threadIdx.x; }
__global__ void twice(int *out, const int *in) { out[place()] = 2 * in[place()]; }
__global__ void add(int *out, const int *in) { out[place()] += in[place()]; }
__global__ void set(int *out, int value) { out[place()] = value; }

static int host[N], back[N];

static int *memory(int first)
{
    int *at;
    CHECK(cudaMalloc(&at, sizeof host));
    for (int i = 0; i < N; i++)
        host[i] = first + i;
    CHECK(cudaMemcpy(at, host, sizeof host, cudaMemcpyHostToDevice));
    return at;
}

/* Whether out[i] is factor * (first + i). */
static bool holds(const int *out, int factor, int first)
{
    CHECK(cudaMemcpy(back, out, sizeof back, cudaMemcpyDefault));
    for (int i = 0; i < N; i++)
        if (back[i] != factor * (first + i))
            return false;
    return true;
}

static void repeat(int times, int *out, const int *in, cudaStream_t stream = nullptr)
{
    for (int i = 0; i < times; i++)
        twice<<<GRID, BLOCK, 0, stream>>>(out, in);
    CHECK(cudaGetLastError());
}

/* ---- what repeats ------------------------------------------------------------------------------------------------ */

static void same()
{
    int *in = memory(5), *out = memory(0);
    repeat(10, out, in);
    EXPECT(holds(out, 2, 5));
}

static void accumulate()
{
    int *in = memory(1), *out = memory(0);
    CHECK(cudaMemset(out, 0, sizeof host));
    for (int i = 0; i < 10; i++)
        add<<<GRID, BLOCK>>>(out, in);
    EXPECT(holds(out, 10, 1));
}

static void other_parameters()
{
    int *in = memory(5), *out = memory(0), *other = memory(1);
    for (int i = 0; i < 5; i++) {
        repeat(1, out, in);
        repeat(1, other, in);
    }
    EXPECT(holds(out, 2, 5) && holds(other, 2, 5));
    set<<<GRID, BLOCK>>>(out, 1);
    set<<<GRID, BLOCK>>>(out, 1);
    set<<<GRID, BLOCK>>>(out, 0);
    EXPECT(holds(out, 0, 0));
}

__global__ void shape(int *out, int *size)
{
    unsigned shared;
    asm("mov.u32 %0, %%dynamic_smem_size;" : "=r"(shared));
    if (!threadIdx.x)
        out[blockIdx.x] = gridDim.x * 1000 + blockDim.x;
    if (!place())
        *size = (int)shared;
}
static void other_shape()
{
    int *out = memory(0), *size = memory(0), at[2];
    for (int i = 0; i < 3; i++)
        shape<<<4, 32>>>(out, size);
    shape<<<2, 32>>>(out, size);
    CHECK(cudaMemcpy(at, out, sizeof at, cudaMemcpyDeviceToHost));
    EXPECT(at[0] == 2032 && at[1] == 2032);
    shape<<<4, 32>>>(out, size);
    shape<<<4, 32>>>(out, size);
    shape<<<4, 64>>>(out, size);
    CHECK(cudaMemcpy(at, out, sizeof at, cudaMemcpyDeviceToHost));
    EXPECT(at[0] == 4064);
    shape<<<4, 64>>>(out, size);
    shape<<<4, 64, 256>>>(out, size);
    CHECK(cudaMemcpy(at, size, sizeof *at, cudaMemcpyDeviceToHost));
    EXPECT(at[0] == 256);
}

__global__ void largest(int *most, const int *in) { atomicMax(most, in[place()]); }
static void maximum()
{
    int *in = memory(5), *most = memory(0), at;
    for (int i = 0; i < 10; i++)
        largest<<<GRID, BLOCK>>>(most, in);
    CHECK(cudaMemcpy(&at, most, sizeof at, cudaMemcpyDeviceToHost));
    EXPECT(at == 5 + N - 1);
}

/* It changes what it reads, and then no more. */
__global__ void at_most(int *out, int most) { out[place()] = out[place()] < most ? out[place()] : most; }
static void in_place()
{
    int *out = memory(0);
    for (int i = 0; i < 10; i++)
        at_most<<<GRID, BLOCK>>>(out, 9);
    CHECK(cudaMemcpy(back, out, sizeof back, cudaMemcpyDeviceToHost));
    EXPECT(back[3] == 3 && back[N - 1] == 9);
}

__global__ void increment(unsigned *out) { atomicInc(&out[place()], 1u << 30); }
static void increments()
{
    int *out = memory(1);
    for (int i = 0; i < 10; i++)
        increment<<<GRID, BLOCK>>>((unsigned *)out);
    EXPECT(holds(out, 1, 11));
}

/* A single block is looked at once it has run for long. */
__global__ void power(int *out, int times)
{
    int x = 1;
    for (int i = 0; i < times; i++)
        x = x * 3 + (int)threadIdx.x;
    out[place()] = x;
}
static void single_block()
{
    int *out = memory(0), x = 1;
    for (int i = 0; i < 10000; i++)
        x = (int)((unsigned)x * 3u + 7u);
    for (int i = 0; i < 10; i++)
        power<<<1, 32>>>(out, 10000);
    CHECK(cudaMemcpy(back, out, sizeof back, cudaMemcpyDeviceToHost));
    EXPECT(back[7] == x);
}

static void graph()
{
    int *in = memory(5), *out = memory(0);
    cudaStream_t stream;
    cudaGraph_t made;
    cudaGraphExec_t ready;
    CHECK(cudaStreamCreate(&stream));
    CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
    repeat(2, out, in, stream);
    CHECK(cudaStreamEndCapture(stream, &made));
    CHECK(cudaGraphInstantiate(&ready, made, 0));
    for (int i = 0; i < 5; i++)
        CHECK(cudaGraphLaunch(ready, stream));
    CHECK(cudaStreamSynchronize(stream));
    EXPECT(holds(out, 2, 5));
}

static void streams()
{
    int *in = memory(5), *out = memory(0), *far = memory(0);
    cudaStream_t one, two;
    CHECK(cudaStreamCreate(&one));
    CHECK(cudaStreamCreate(&two));
    for (int i = 0; i < 5; i++) {
        repeat(1, out, in, one);
        repeat(1, far, out, two);
    }
    CHECK(cudaDeviceSynchronize());
    EXPECT(holds(out, 2, 5) && holds(far, 4, 5));
}

/* Events take place as if all launches had run. */
static void events()
{
    int *out = memory(0);
    float once, often;
    cudaEvent_t at[3];
    for (cudaEvent_t &e : at)
        CHECK(cudaEventCreate(&e));
    power<<<8, 32>>>(out, 100000);
    CHECK(cudaEventRecord(at[0]));
    power<<<8, 32>>>(out, 100000);
    CHECK(cudaEventRecord(at[1]));
    for (int i = 0; i < 100; i++)
        power<<<8, 32>>>(out, 100000);
    CHECK(cudaEventRecord(at[2]));
    CHECK(cudaEventElapsedTime(&once, at[0], at[1]));
    CHECK(cudaEventElapsedTime(&often, at[1], at[2]));
    EXPECT(often > 2 * once);
}

/* ---- what changes in between ----------------------------------------------------------------------------------- */

static void copy()
{
    int *in = memory(5), *out = memory(0);
    repeat(3, out, in);
    CHECK(cudaMemcpy(in, host, sizeof host, cudaMemcpyHostToDevice));
    repeat(3, out, in);
    EXPECT(holds(out, 2, 0));
    CHECK(cudaMemcpy(in, host, sizeof host, cudaMemcpyHostToDevice)); /* what is there */
    repeat(1, out, in);
    host[N - 1]++;
    CHECK(cudaMemcpy2D(in, 256, host, 256, 256, sizeof host / 256, cudaMemcpyHostToDevice));
    repeat(1, out, in);
    CHECK(cudaMemcpy(back, out, sizeof back, cudaMemcpyDeviceToHost));
    EXPECT(back[N - 1] == 2 * N);
}

static void fill()
{
    int *in = memory(5), *out = memory(0);
    CHECK(cudaMemset(in, 0, sizeof host));
    repeat(3, out, in);
    CHECK(cudaMemset(in, 0, sizeof host)); /* what is there */
    repeat(1, out, in);
    CHECK(cudaMemset(out, 1, sizeof host));
    repeat(1, out, in);
    EXPECT(holds(out, 0, 0));
    repeat(1, out, in);
    CHECK(cudaMemset2D((char *)in + 4, 8, 1, 4, N / 2));
    repeat(1, out, in);
    CHECK(cudaMemcpy(back, out, sizeof back, cudaMemcpyDeviceToHost));
    EXPECT(back[0] == 0 && back[1] == 0x02020202);
}

static void other_kernel()
{
    int *in = memory(5), *out = memory(0), *apart = memory(0);
    for (int i = 0; i < 5; i++) { /* another's memory */
        repeat(1, out, in);
        add<<<GRID, BLOCK>>>(apart, in);
    }
    EXPECT(holds(apart, 1, 0) == false);
    add<<<GRID, BLOCK>>>(in, in);
    repeat(1, out, in);
    EXPECT(holds(out, 4, 5));
    for (int i = 0; i < 2; i++) {
        repeat(2, out, in);
        set<<<1, 1>>>(apart, i); /* a single block: what it has done, nobody knows */
    }
    set<<<1, 1>>>(in, 100);
    repeat(1, out, in);
    CHECK(cudaMemcpy(back, out, sizeof back, cudaMemcpyDeviceToHost));
    EXPECT(back[0] == 200);
}

/* A kernel waits meanwhile for the host, and then stores. */
__global__ void wait_and_set(volatile int *flag, int *out, int value)
{
    while (!*flag)
        ;
    *out = value;
}
static void waiting()
{
    int *in = memory(5), *out = memory(0), *flag;
    cudaStream_t one, two;
    CHECK(cudaStreamCreateWithFlags(&one, cudaStreamNonBlocking));
    CHECK(cudaStreamCreateWithFlags(&two, cudaStreamNonBlocking));
    CHECK(cudaMallocHost(&flag, sizeof *flag));
    *flag = 0;
    wait_and_set<<<1, 1, 0, one>>>(flag, in, 100);
    repeat(5, out, in, two);
    CHECK(cudaStreamSynchronize(two));
    *(volatile int *)flag = 1;
    CHECK(cudaStreamSynchronize(one));
    repeat(1, out, in, two);
    CHECK(cudaStreamSynchronize(two));
    CHECK(cudaMemcpy(back, out, sizeof back, cudaMemcpyDeviceToHost));
    EXPECT(back[0] == 200 && back[1] == 12);
}

static void hosts_memory(int *in)
{
    int *out = memory(0);
    for (int turn = 0; turn < 2; turn++) {
        for (int i = 0; i < N; i++)
            in[i] = turn + i;
        repeat(4, out, in);
        CHECK(cudaDeviceSynchronize());
        EXPECT(holds(out, 2, turn));
    }
}
static void managed()
{
    int *in;
    CHECK(cudaMallocManaged(&in, sizeof host));
    hosts_memory(in);
}
static void pinned()
{
    int *in;
    CHECK(cudaMallocHost(&in, sizeof host));
    hosts_memory(in);
}
static int registered_memory[N];
static void registered()
{
    CHECK(cudaHostRegister(registered_memory, sizeof registered_memory, 0));
    hosts_memory(registered_memory);
}
static void large_managed()
{
    int *in;
    CHECK(cudaMallocManaged(&in, LARGE));
    hosts_memory(in);
}
__host__ __device__ int worked(int value, int times)
{
    for (int i = 0; i < times; i++)
        value = 1664525 * value + 1013904223;
    return value;
}
__global__ void work(int *out, const int *in, int times) { out[place()] = worked(in[place()], times); }
static void large_managed_long()
{
    const int times = 10000;
    int *in, *out = memory(0);
    CHECK(cudaMallocManaged(&in, LARGE));
    for (int turn = 0; turn < 2; turn++) {
        for (int i = 0; i < N; i++)
            in[i] = turn + i;
        for (int i = 0; i < 4; i++)
            work<<<GRID, BLOCK>>>(out, in, times);
        CHECK(cudaMemcpy(back, out, sizeof back, cudaMemcpyDefault));
        EXPECT(back[0] == worked(turn, times) && back[N - 1] == worked(turn + N - 1, times));
    }
}
__global__ void await(const volatile int *flag)
{
    while (!*flag)
        ;
}
static void only_reads()
{
    int *in = memory(5), *out = memory(0), *flag;
    CHECK(cudaMallocHost(&flag, sizeof *flag));
    for (int turn = 0; turn < 4; turn++) {
        *flag = 0;
        await<<<1, 1>>>(flag);
        repeat(1, out, in);
        *(volatile int *)flag = 1;
        CHECK(cudaDeviceSynchronize());
    }
    EXPECT(holds(out, 2, 5));
}
__managed__ int shared_table[N];
static void managed_variable() { hosts_memory(shared_table); }

__device__ int table[N], counter;
__constant__ int constants[16];
__global__ void from_table(int *out) { out[place()] = table[place()] + constants[place() % 16]; }
__global__ void count()
{
    if (!threadIdx.x)
        atomicAdd(&counter, 1);
}
static void variables()
{
    int *out = memory(0), few[16] = {}, counted;
    CHECK(cudaMemcpyToSymbol(table, host, sizeof host));
    for (int i = 0; i < 3; i++)
        from_table<<<GRID, BLOCK>>>(out);
    EXPECT(holds(out, 1, 0));
    for (int &x : host)
        x += 3;
    CHECK(cudaMemcpyToSymbol(table, host, sizeof host));
    for (int i = 0; i < 3; i++)
        from_table<<<GRID, BLOCK>>>(out);
    EXPECT(holds(out, 1, 3));
    CHECK(cudaMemcpyToSymbol(constants, few, sizeof few)); /* what is there */
    from_table<<<GRID, BLOCK>>>(out);
    for (int &x : few)
        x = 4;
    CHECK(cudaMemcpyToSymbol(constants, few, sizeof few));
    from_table<<<GRID, BLOCK>>>(out);
    EXPECT(holds(out, 1, 7));
    for (int i = 0; i < 5; i++)
        count<<<GRID, BLOCK>>>();
    CHECK(cudaMemcpyFromSymbol(&counted, counter, sizeof counted));
    EXPECT(counted == 5 * GRID);
}

static void freed()
{
    int *in = memory(5), *out = memory(0);
    repeat(3, out, in);
    CHECK(cudaFree(in));
    memory(7); /* perhaps in its place */
    twice<<<GRID, BLOCK>>>(out, in);
    EXPECT(cudaDeviceSynchronize() == cudaErrorIllegalAddress);
}

static void peers()
{
    int *in = memory(5), *out;
    CHECK(cudaSetDevice(1));
    CHECK(cudaDeviceEnablePeerAccess(0, 0));
    out = memory(0);
    repeat(3, out, in);
    EXPECT(holds(out, 2, 5));
    CHECK(cudaDeviceDisablePeerAccess(0));
    twice<<<GRID, BLOCK>>>(out, in);
    EXPECT(cudaDeviceSynchronize() == cudaErrorIllegalAddress);
}

/* ---- textures --------------------------------------------------------------------------------------------------- */

__global__ void from_texture(int *out, cudaTextureObject_t t)
{
    out[place()] = tex2D<int>(t, place() % 64, place() / 64);
}
__global__ void to_surface(cudaSurfaceObject_t s, int value)
{
    surf2Dwrite(value, s, threadIdx.x * (int)sizeof(int), blockIdx.x);
}
static cudaResourceDesc array_of(cudaArray_t array)
{
    cudaResourceDesc r = {};
    r.resType = cudaResourceTypeArray;
    r.res.array.array = array;
    return r;
}
static cudaArray_t new_array()
{
    cudaArray_t array;
    cudaChannelFormatDesc format = cudaCreateChannelDesc<int>();
    CHECK(cudaMallocArray(&array, &format, 64, 64, cudaArraySurfaceLoadStore));
    return array;
}
static void texture()
{
    int *out = memory(0);
    cudaArray_t array = new_array();
    cudaResourceDesc resource = array_of(array);
    cudaTextureDesc how = {};
    cudaTextureObject_t t;
    CHECK(cudaCreateTextureObject(&t, &resource, &how, nullptr));
    for (int turn = 0; turn < 2; turn++) {
        for (int i = 0; i < N; i++)
            host[i] = turn + i;
        CHECK(cudaMemcpy2DToArray(array, 0, 0, host, 256, 256, 64, cudaMemcpyHostToDevice));
        for (int i = 0; i < 4; i++)
            from_texture<<<GRID, BLOCK>>>(out, t);
        EXPECT(holds(out, 1, turn));
    }
    CHECK(cudaDestroyTextureObject(t));
    from_texture<<<GRID, BLOCK>>>(out, t);
    EXPECT(cudaDeviceSynchronize() != cudaSuccess);
}
static void surface()
{
    cudaArray_t array = new_array();
    cudaResourceDesc resource = array_of(array);
    cudaSurfaceObject_t s;
    CHECK(cudaCreateSurfaceObject(&s, &resource));
    for (int i = 0; i < 5; i++)
        to_surface<<<64, 64>>>(s, 7);
    memset(host, 0, sizeof host);
    CHECK(cudaMemcpy2DToArray(array, 0, 0, host, 256, 256, 64, cudaMemcpyHostToDevice));
    to_surface<<<64, 64>>>(s, 7);
    CHECK(cudaMemcpy2DFromArray(back, 256, array, 0, 0, 256, 64, cudaMemcpyDeviceToHost));
    for (int x : back)
        EXPECT(x == 7);
}

/* ---- what always runs ------------------------------------------------------------------------------------------- */

__global__ void print()
{
    if (!place())
        printf("printed\n");
}
static void prints()
{
    for (int i = 0; i < 5; i++)
        print<<<GRID, BLOCK>>>();
    CHECK(cudaDeviceSynchronize());
}

__global__ void time_of(int *out) { out[place()] = clock64() != 0; }
static void clocks()
{
    int *out = memory(0);
    for (int i = 0; i < 5; i++)
        time_of<<<GRID, BLOCK>>>(out);
    EXPECT(holds(out, 0, 0) == false && back[0] == 1 && back[N - 1] == 1);
}

__global__ void old_value(int *out, int *at) { out[place()] = atomicMax(at, 0) > 0; }
static void order()
{
    int *out = memory(0), *at = memory(1);
    for (int i = 0; i < 5; i++)
        old_value<<<GRID, BLOCK>>>(out, at);
    EXPECT(holds(out, 0, 0) == false && back[0] == 1 && back[N - 1] == 1);
}

__global__ void together(int *out)
{
    cooperative_groups::this_grid().sync();
    out[place()] = 1;
}
/* Whether it can synchronise depends on how it is launched. */
__global__ void is_together(int *out) { out[place()] = cooperative_groups::this_grid().is_valid(); }
static void cooperative()
{
    int *out = memory(0);
    void *args[] = {&out};
    for (int i = 0; i < 5; i++)
        CHECK(cudaLaunchCooperativeKernel(together, dim3(4), dim3(32), args, 0, nullptr));
    CHECK(cudaMemcpy(back, out, sizeof back, cudaMemcpyDeviceToHost));
    EXPECT(back[0] == 1 && back[127] == 1 && back[128] == 128);
    for (int i = 0; i < 3; i++)
        is_together<<<4, 32>>>(out);
    CHECK(cudaMemcpy(back, out, sizeof back, cudaMemcpyDeviceToHost));
    EXPECT(back[0] == 0 && back[127] == 0);
    CHECK(cudaLaunchCooperativeKernel(is_together, dim3(4), dim3(32), args, 0, nullptr));
    CHECK(cudaMemcpy(back, out, sizeof back, cudaMemcpyDeviceToHost));
    EXPECT(back[0] == 1 && back[127] == 1);
}

/* It fails with a smaller stack. */
__device__ __noinline__ int deep(int n, const int *in)
{
    volatile int x[32];
    x[n % 32] = in[n];
    return n ? deep(n - 1, in) + x[n % 32] : x[0];
}
__global__ void recurse(int *out, const int *in, int n) { out[place()] = deep(n, in); }
static void stack()
{
    int *in = memory(0), *out = memory(0);
    CHECK(cudaDeviceSetLimit(cudaLimitStackSize, 65536));
    for (int i = 0; i < 3; i++)
        recurse<<<4, 32>>>(out, in, 100);
    CHECK(cudaMemcpy(back, out, sizeof back, cudaMemcpyDeviceToHost));
    EXPECT(back[0] == 5050 && back[127] == 5050);
    CHECK(cudaDeviceSetLimit(cudaLimitStackSize, 1024));
    recurse<<<4, 32>>>(out, in, 100);
    EXPECT(cudaDeviceSynchronize() != cudaSuccess);
}

/* Another module may have what a freed one had: addresses of its kernel, and sizes. */
static const char *const code = ".version 7.0\n.target sm_75\n.address_size 64\n.visible .entry k(.param .u64 p) {\n"
                                ".reg .b64 %%a<3>; .reg .b32 %%b<2>; ld.param.u64 %%a1, [p];\n"
                                "mov.u32 %%b1, %%ctaid.x; mul.wide.u32 %%a2, %%b1, 4; add.u64 %%a1, %%a1, %%a2;\n"
                                "st.global.u32 [%%a1], %d; ret; }\n";
static void modules()
{
    int *out = memory(0), at;
    void *args[] = {&out};
    for (int value = 1; value < 9; value++) {
        char text[1024];
        cudaLibrary_t library;
        cudaKernel_t kernel;
        snprintf(text, sizeof text, code, value);
        CHECK(cudaLibraryLoadData(&library, text, nullptr, nullptr, 0, nullptr, nullptr, 0));
        CHECK(cudaLibraryGetKernel(&kernel, library, "k"));
        for (int i = 0; i < 3; i++)
            CHECK(cudaLaunchKernel((const void *)kernel, dim3(64), dim3(32), args, 0, nullptr));
        CHECK(cudaMemcpy(&at, out, sizeof at, cudaMemcpyDeviceToHost));
        EXPECT(at == value);
        CHECK(cudaLibraryUnload(library));
    }
}

#define PART(name)                                                                                                     \
    {                                                                                                                  \
#name, name                                                                                                    \
    }
static const struct {
    const char *name;
    void (*run)();
} parts[] = {
    PART(same),
    PART(accumulate),
    PART(other_parameters),
    PART(other_shape),
    PART(maximum),
    PART(in_place),
    PART(increments),
    PART(single_block),
    PART(graph),
    PART(streams),
    PART(events),
    PART(copy),
    PART(fill),
    PART(other_kernel),
    PART(waiting),
    PART(managed),
    PART(pinned),
    PART(registered),
    PART(large_managed),
    PART(large_managed_long),
    PART(only_reads),
    PART(managed_variable),
    PART(variables),
    PART(freed),
    PART(peers),
    PART(texture),
    PART(surface),
    PART(prints),
    PART(clocks),
    PART(order),
    PART(cooperative),
    PART(stack),
    PART(modules),
};

int main(int argc, char **argv)
{
    for (const auto &p : parts)
        if (argc == 2 && !strcmp(p.name, argv[1])) {
            p.run();
            ok(p.name);
            return 0;
        }
    std::printf("usage: repeats PART\n");
    return 1;
}
