/* Kernels that launch kernels (CUDA C++ Programming Guide, "CUDA Dynamic Parallelism"), against the CPU's result. */
#include <cstdint>
#include <cstring>
#include <vector>

#include "../test.h"

static unsigned *words; /* managed, of all parts */
enum { WORDS = 1 << 16 };

static void clear() { std::memset(words, 0, WORDS * sizeof *words); }

/* ---- children of several blocks and threads ---------------------------------------------------------------------- */

__global__ void fill(unsigned *to, unsigned value)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    to[i] = value + i;
}

/* Each thread sees what it stored before it launched. */
__global__ void add_first(unsigned *to, const unsigned *first) { to[threadIdx.x] += *first; }

__global__ void launches_fill(unsigned *to, unsigned *first)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    first[i] = 7 * i;
    fill<<<3, 40>>>(to + 120 * i, 1000 * i);
    add_first<<<1, 120>>>(to + 120 * i, first + i);
}

static void blocks_and_threads()
{
    clear();
    launches_fill<<<4, 33>>>(words, words + 120 * 4 * 33);
    CHECK(cudaDeviceSynchronize());
    for (unsigned i = 0; i < 4 * 33; i++)
        for (unsigned j = 0; j < 120; j++)
            EXPECT(words[120 * i + j] == 1000 * i + j + 7 * i);
    ok("children of several blocks and threads");
}

/* ---- parameters -------------------------------------------------------------------------------------------------- */

struct odd {
    char c[5];
};
struct __align__(16) wide {
    float f[4];
};
struct large {
    double d[100];
    odd o;
};

__global__ void takes(char c, odd o, short s, wide w, double d, large l, unsigned *to, bool last)
{
    double sum = c + s + d;
    for (int i = 0; i < 5; i++)
        sum += o.c[i] + l.o.c[i];
    for (int i = 0; i < 4; i++)
        sum += w.f[i];
    for (int i = 0; i < 100; i++)
        sum += l.d[i];
    *to = (unsigned)sum + last;
}
__device__ unsigned calls;
__global__ void counts() { atomicAdd(&calls, 1); }

__global__ void gives(unsigned *to)
{
    odd o;
    large l;
    unsigned n = threadIdx.x;
    for (int i = 0; i < 5; i++)
        o.c[i] = (char)(n + i);
    for (int i = 0; i < 100; i++)
        l.d[i] = n * i;
    l.o = o;
    takes<<<1, 1>>>(1, o, 300, wide{{1, 2, 3, (float)n}}, 2.5 * 2, l, to + n, n % 2);
    counts<<<2, 3>>>();
}

static void parameters()
{
    unsigned count = 0;
    clear();
    CHECK(cudaMemcpyToSymbol(calls, &count, sizeof count));
    gives<<<1, 9>>>(words);
    CHECK(cudaMemcpyFromSymbol(&count, calls, sizeof count));
    for (unsigned n = 0; n < 9; n++)
        EXPECT(words[n] == 1 + 300 + 5 + 2 * (5 * n + 10) + 6 + n + n * 4950 + n % 2);
    EXPECT(count == 9 * 2 * 3);
    ok("parameters of several sizes and alignments, and none");
}

/* ---- order ------------------------------------------------------------------------------------------------------- */

/* Appends a word: list[0] counts them. */
__device__ void append(unsigned *list, unsigned word)
{
    unsigned at = atomicAdd(list, 1);
    list[1 + at] = word;
}
__global__ void says(unsigned *list, unsigned word) { append(list, word); }

__global__ void tree(unsigned *list, unsigned name, unsigned depth)
{
    append(list, name);
    for (unsigned i = 1; i <= 2 && depth; i++)
        tree<<<1, 1>>>(list, 10 * name + i, depth - 1);
}

static std::vector<unsigned> list() { return std::vector<unsigned>(words + 1, words + 1 + words[0]); }

static void grandchildren()
{
    clear();
    tree<<<1, 1>>>(words, 1, 3);
    CHECK(cudaDeviceSynchronize());
    unsigned at[2000] = {0}, order = 1;
    EXPECT(list().size() == 15);
    for (unsigned name : list())
        at[name] = order++;
    for (unsigned name = 11; name < 2000; name++)
        if (at[name]) /* behind its parent, and behind the sibling and the sibling's children in the same stream */
            EXPECT(at[name / 10] < at[name] && (name % 10 == 1 || at[name - 1] < at[name]));
    ok("grandchildren");
}

__global__ void in_one_stream(unsigned *list)
{
    cudaStream_t stream, other;
    cudaEvent_t event;
    cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
    cudaStreamCreateWithFlags(&other, cudaStreamNonBlocking);
    cudaEventCreateWithFlags(&event, cudaEventDisableTiming);
    for (unsigned i = 0; i < 4; i++)
        says<<<1, 1, 0, stream>>>(list, i);
    cudaEventRecord(event, stream);
    cudaStreamWaitEvent(other, event, 0);
    says<<<1, 1, 0, other>>>(list, 4);
    cudaEventDestroy(event);
    cudaStreamDestroy(stream);
    cudaStreamDestroy(other);
    list[10] = stream != other && cudaGetLastError() == cudaSuccess;
}

static void one_stream()
{
    clear();
    in_one_stream<<<1, 1>>>(words);
    says<<<1, 1>>>(words, 5); /* the parent is complete when its children are */
    CHECK(cudaDeviceSynchronize());
    EXPECT((list() == std::vector<unsigned>{0, 1, 2, 3, 4, 5}));
    EXPECT(words[10] == 1);
    ok("one stream, and another one behind an event");
}

__global__ void again(unsigned *list, unsigned left)
{
    append(list, left);
    if (left)
        again<<<1, 1, 0, cudaStreamTailLaunch>>>(list, left - 1);
}

__global__ void with_tails(unsigned *list)
{
    says<<<1, 1, 0, cudaStreamTailLaunch>>>(list, 100);
    again<<<1, 1, 0, cudaStreamTailLaunch>>>(list, 40); /* more than the levels that children may have */
    says<<<1, 1, 0, cudaStreamTailLaunch>>>(list, 101);
    tree<<<1, 1>>>(list, 1, 1);
    append(list, 99);
}

static void tails()
{
    clear();
    with_tails<<<1, 1>>>(words);
    CHECK(cudaDeviceSynchronize());
    std::vector<unsigned> expected{99, 1, 11, 12, 100};
    for (unsigned i = 0; i <= 40; i++)
        expected.push_back(40 - i);
    expected.push_back(101);
    EXPECT(list() == expected);
    ok("tail launches");
}

__global__ void fires(unsigned *count)
{
    for (int i = 0; i < 5; i++)
        says<<<1, 1, 0, cudaStreamFireAndForget>>>(count, 1u << i);
}

static void fire_and_forget()
{
    unsigned sum = 0;
    clear();
    fires<<<2, 3>>>(words);
    CHECK(cudaDeviceSynchronize());
    for (unsigned word : list())
        sum += word;
    EXPECT(list().size() == 30 && sum == 6 * 31);
    ok("fire and forget");
}

/* ---- memory ------------------------------------------------------------------------------------------------------ */

__global__ void in_shared(unsigned *to)
{
    extern __shared__ unsigned shared[];
    unsigned bytes;
    asm("mov.u32 %0, %%dynamic_smem_size;" : "=r"(bytes));
    shared[threadIdx.x] = threadIdx.x + bytes;
    __syncthreads();
    to[threadIdx.x] = shared[blockDim.x - 1 - threadIdx.x];
}
__global__ void gives_shared(unsigned *to) { in_shared<<<1, 64, 256 + 16 * threadIdx.x>>>(to + 64 * threadIdx.x); }

static void shared_memory()
{
    clear();
    gives_shared<<<1, 3>>>(words);
    CHECK(cudaDeviceSynchronize());
    for (unsigned i = 0; i < 3; i++)
        for (unsigned j = 0; j < 64; j++)
            EXPECT(words[64 * i + j] == 63 - j + 256 + 16 * i);
    ok("dynamic shared memory");
}

__global__ void adds(unsigned *to, const unsigned *from) { atomicAdd(to, *from); }

/* Memory of cudaMalloc; copies and fills are launches of the device runtime's kernels. */
__global__ void copies(unsigned *to)
{
    unsigned *own;
    to[3] = cudaMalloc(&own, 64);
    own[0] = 5;
    to[1] = to[2] = 7;
    cudaMemsetAsync(to + 1, 0, 4, 0); /* that of CUDA 13.0 does not look at the value */
    cudaMemcpyAsync(to, own, 4, cudaMemcpyDeviceToDevice, 0);
    adds<<<1, 1>>>(to + 1, to);
}

static void copies_and_fills()
{
    clear();
    copies<<<1, 1>>>(words);
    CHECK(cudaDeviceSynchronize());
    EXPECT(words[0] == 5 && words[1] == 5 && words[2] == 7 && words[3] == cudaSuccess);
    ok("memory, copies and fills");
}

/* ---- launches by functions --------------------------------------------------------------------------------------- */

__device__ cudaError_t launch_adds(unsigned *to, const unsigned *from, unsigned threads)
{
    void **at = (void **)cudaGetParameterBuffer(8, 16);
    at[0] = to;
    at[1] = (void *)from;
    return cudaLaunchDevice((void *)adds, at, dim3(2), dim3(threads), 0, 0);
}

__global__ void by_functions(unsigned *to)
{
    to[1] = 5;
    to[2] = launch_adds(to, to + 1, 3);
    to[3] = launch_adds(to, to + 1, 2000);
    to[4] = cudaGetLastError();
}

static void functions()
{
    clear();
    by_functions<<<1, 1>>>(words);
    CHECK(cudaDeviceSynchronize());
    EXPECT(words[0] == 6 * 5 && words[2] == cudaSuccess);
    EXPECT(words[3] == cudaErrorInvalidConfiguration && words[4] == cudaErrorInvalidConfiguration);
    ok("launches by functions");
}

/* ---- questions and errors ---------------------------------------------------------------------------------------- */

__global__ void __launch_bounds__(64) small(unsigned *to) { *to += 1; }

__global__ void asks(unsigned *to)
{
    int value = 0, device = -1;
    size_t bytes = 0;
    cudaFuncAttributes of;
    to[0] = cudaDeviceGetAttribute(&value, cudaDevAttrWarpSize, 0);
    to[1] = value;
    to[2] = cudaGetDevice(&device) + device;
    to[3] = cudaGetDeviceCount(&value);
    to[4] = value;
    to[5] = cudaDeviceGetLimit(&bytes, cudaLimitMallocHeapSize);
    to[6] = (unsigned)bytes;
    to[7] = cudaFuncGetAttributes(&of, small);
    to[8] = of.maxThreadsPerBlock;
    to[9] = cudaOccupancyMaxActiveBlocksPerMultiprocessor(&value, small, 64, 0);
    to[10] = value;
    to[11] = cudaDeviceGetAttribute(&value, cudaDevAttrWarpSize, 77);
}

static void questions()
{
    int blocks;
    clear();
    CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, small, 64, 0));
    asks<<<1, 1>>>(words);
    CHECK(cudaDeviceSynchronize());
    const unsigned expected[] = {0, 32, 0, 0, 1, 0, 8 << 20, 0, 64, 0, (unsigned)blocks, cudaErrorInvalidDevice};
    EXPECT(!std::memcmp(words, expected, sizeof expected));
    ok("questions about the device");
}

__global__ void errs(unsigned *to)
{
    unsigned i = threadIdx.x;
    if (i == 0)
        small<<<1, 1025>>>(to);
    else if (i == 1)
        small<<<1, 65>>>(to);
    else if (i == 2)
        small<<<0, 1>>>(to);
    else if (i == 3)
        small<<<1, 1, 1 << 20>>>(to);
    else
        small<<<1, 1>>>(to);
    to[1 + 4 * i] = cudaPeekAtLastError();
    to[2 + 4 * i] = cudaGetLastError();
    to[3 + 4 * i] = cudaGetLastError();
    /* what cannot be launched is left out, and the rest of the kernel goes on */
    if (i == 0)
        small<<<dim3(1, 65536), 1>>>(to);
}

__global__ void deep(unsigned *list, unsigned depth)
{
    append(list, depth);
    deep<<<1, 1>>>(list, depth + 1);
    if (cudaGetLastError() == cudaErrorLaunchMaxDepthExceeded)
        append(list, 1000);
}

static void errors()
{
    clear();
    errs<<<1, 5>>>(words);
    CHECK(cudaDeviceSynchronize());
    EXPECT(words[0] == 1);
    for (unsigned i = 0; i < 5; i++) {
        unsigned error = i < 4 ? cudaErrorInvalidConfiguration : cudaSuccess;
        EXPECT(words[1 + 4 * i] == error && words[2 + 4 * i] == error && words[3 + 4 * i] == cudaSuccess);
    }
    clear();
    deep<<<1, 1>>>(words, 0);
    CHECK(cudaDeviceSynchronize());
    EXPECT(words[0] == 26 && words[25] == 24 && words[26] == 1000);
    ok("errors");
}

/* ---- more launches than can be pending --------------------------------------------------------------------------- */

__global__ void many(unsigned *to, unsigned n)
{
    unsigned failed = 0;
    for (unsigned i = 0; i < n; i++) {
        small<<<1, 1>>>(to);
        failed += cudaGetLastError() == cudaErrorLaunchPendingCountExceeded;
    }
    to[1] = failed;
}

static void too_many()
{
    clear();
    many<<<1, 1>>>(words, 65536 + 10);
    CHECK(cudaDeviceSynchronize());
    EXPECT(words[0] == 65536 && words[1] == 10);
    ok("too many launches");
}

/* ---- a fault in a child ------------------------------------------------------------------------------------------ */

__global__ void wrong(unsigned *to) { to[threadIdx.x + WORDS] = 1; }
__global__ void launches_wrong(unsigned *to) { wrong<<<1, 2>>>(to); }

int main(int argc, char **argv)
{
    CHECK(cudaMallocManaged(&words, WORDS * sizeof *words));
    if (argc > 1 && !std::strcmp(argv[1], "fault")) {
        launches_wrong<<<1, 1>>>(words);
        return cudaDeviceSynchronize() == cudaErrorIllegalAddress ? 3 : 1;
    }
    if (argc > 1 && !std::strcmp(argv[1], "many")) {
        too_many();
        return 0;
    }
    blocks_and_threads();
    parameters();
    grandchildren();
    one_stream();
    tails();
    fire_and_forget();
    shared_memory();
    copies_and_fills();
    functions();
    questions();
    errors();
    return 0;
}
