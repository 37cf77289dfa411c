/* The runtime from all sides, each part against the CPU's result. */
#include <thread>
#include <vector>

#include "test.h"

/* ---- memory ------------------------------------------------------------------------------------------------------ */

__global__ void add_one(int *p, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        p[i] += 1;
}

static void kinds_of_memory()
{
    const int n = 300;
    int *pinned, *mapped, *managed, *device;
    std::vector<int> own(n, 7), back(n);
    CHECK(cudaMallocHost(&pinned, n * sizeof(int)));
    CHECK(cudaHostAlloc(&mapped, n * sizeof(int), cudaHostAllocMapped));
    CHECK(cudaMallocManaged(&managed, n * sizeof(int)));
    CHECK(cudaHostRegister(own.data(), n * sizeof(int), cudaHostRegisterMapped));
    for (int i = 0; i < n; i++)
        pinned[i] = mapped[i] = managed[i] = i;
    int *mapped_on_device, *own_on_device;
    CHECK(cudaHostGetDevicePointer(&mapped_on_device, mapped, 0));
    CHECK(cudaHostGetDevicePointer(&own_on_device, own.data(), 0));
    add_one<<<2, 256>>>(mapped_on_device, n);
    add_one<<<2, 256>>>(own_on_device, n);
    add_one<<<2, 256>>>(managed, n);
    CHECK(cudaMallocAsync(&device, n * sizeof(int), 0));
    CHECK(cudaMemcpyAsync(device, pinned, n * sizeof(int), cudaMemcpyHostToDevice, 0));
    add_one<<<2, 256>>>(device, n);
    CHECK(cudaMemcpyAsync(back.data(), device, n * sizeof(int), cudaMemcpyDefault, 0));
    CHECK(cudaFreeAsync(device, 0));
    CHECK(cudaDeviceSynchronize());
    for (int i = 0; i < n; i++)
        EXPECT(mapped[i] == i + 1 && managed[i] == i + 1 && own[i] == 8 && back[i] == i + 1);
    cudaPointerAttributes a;
    CHECK(cudaPointerGetAttributes(&a, managed));
    EXPECT(a.type == cudaMemoryTypeManaged);
    CHECK(cudaPointerGetAttributes(&a, pinned));
    EXPECT(a.type == cudaMemoryTypeHost && a.hostPointer == pinned);
    CHECK(cudaPointerGetAttributes(&a, &a));
    EXPECT(a.type == cudaMemoryTypeUnregistered);
    CHECK(cudaHostUnregister(own.data()));
    CHECK(cudaFree(managed));
    CHECK(cudaFreeHost(mapped));
    CHECK(cudaFreeHost(pinned));
    ok("kinds of memory");
}

static void rectangles()
{
    const int w = 37, h = 11;
    unsigned char from[h][w], to[h][w], *device;
    size_t pitch;
    for (int y = 0; y < h; y++)
        for (int x = 0; x < w; x++)
            from[y][x] = (unsigned char)(y * 16 + x);
    CHECK(cudaMallocPitch(&device, &pitch, w, h));
    EXPECT(pitch >= w && pitch % 32 == 0);
    CHECK(cudaMemset2D(device, pitch, 0xee, w, h));
    CHECK(cudaMemcpy2D(device, pitch, from, w, w - 2, h, cudaMemcpyHostToDevice));
    CHECK(cudaMemcpy2D(to, w, device, pitch, w, h, cudaMemcpyDeviceToHost));
    for (int y = 0; y < h; y++)
        for (int x = 0; x < w; x++)
            EXPECT(to[y][x] == (x < w - 2 ? from[y][x] : 0xee));
    EXPECT(cudaMemcpy2D(device, pitch, from, w - 1, w, h, cudaMemcpyHostToDevice) == cudaErrorInvalidPitchValue);
    EXPECT(cudaGetLastError() == cudaErrorInvalidPitchValue);
    CHECK(cudaFree(device));
    ok("rectangles");
}

/* ---- variables --------------------------------------------------------------------------------------------------- */

__constant__ int table[16];
__device__ int counter = 5;
__managed__ int shared_with_host = 3;

__global__ void use_variables(int *out)
{
    out[threadIdx.x] = table[threadIdx.x] * counter + shared_with_host;
    if (threadIdx.x == 0)
        shared_with_host = 44;
}

static void variables()
{
    int values[16], back[16], one, *out;
    size_t bytes;
    for (int i = 0; i < 16; i++)
        values[i] = i * i;
    shared_with_host = 1000;
    CHECK(cudaMemcpyToSymbol(table, values, sizeof values));
    CHECK(cudaMemcpyFromSymbol(&one, counter, sizeof one));
    EXPECT(one == 5);
    one = 9;
    CHECK(cudaMemcpyToSymbol(counter, &one, sizeof one));
    CHECK(cudaGetSymbolSize(&bytes, table));
    EXPECT(bytes == sizeof table);
    void *address;
    CHECK(cudaGetSymbolAddress(&address, counter));
    CHECK(cudaMalloc(&out, sizeof back));
    use_variables<<<1, 16>>>(out);
    CHECK(cudaMemcpy(back, out, sizeof back, cudaMemcpyDeviceToHost));
    for (int i = 0; i < 16; i++)
        EXPECT(back[i] == i * i * 9 + 1000);
    EXPECT(shared_with_host == 44);
    CHECK(cudaMemcpy(&one, address, sizeof one, cudaMemcpyDeviceToHost));
    EXPECT(one == 9);
    EXPECT(cudaMemcpyToSymbol(table, values, sizeof values, 4) == cudaErrorInvalidValue);
    EXPECT(cudaGetLastError() == cudaErrorInvalidValue);
    CHECK(cudaFree(out));
    ok("variables");
}

/* ---- streams, events, host functions ----------------------------------------------------------------------------- */

static void host_adds(void *data) { *(int *)data += 100; }

static void streams_and_events()
{
    const int n = 1024;
    cudaStream_t one, two;
    cudaEvent_t begin, middle, end;
    int *p, on_host = 0;
    std::vector<int> back(n);
    CHECK(cudaStreamCreate(&one));
    CHECK(cudaStreamCreateWithFlags(&two, cudaStreamNonBlocking));
    CHECK(cudaEventCreate(&begin));
    CHECK(cudaEventCreate(&end));
    CHECK(cudaEventCreateWithFlags(&middle, cudaEventDisableTiming));
    CHECK(cudaMalloc(&p, n * sizeof(int)));
    CHECK(cudaMemset(p, 0, n * sizeof(int)));
    CHECK(cudaEventRecord(begin, one));
    add_one<<<n / 128, 128, 0, one>>>(p, n);
    CHECK(cudaEventRecord(middle, one));
    CHECK(cudaStreamWaitEvent(two, middle, 0));
    add_one<<<n / 128, 128, 0, two>>>(p, n);
    CHECK(cudaLaunchHostFunc(two, host_adds, &on_host));
    CHECK(cudaEventRecord(end, two));
    CHECK(cudaEventSynchronize(end));
    CHECK(cudaEventQuery(end));
    float milliseconds = -1;
    CHECK(cudaEventElapsedTime(&milliseconds, begin, end));
    EXPECT(milliseconds >= 0 && on_host == 100);
    EXPECT(cudaEventElapsedTime(&milliseconds, begin, middle) == cudaErrorInvalidResourceHandle);
    EXPECT(cudaGetLastError() == cudaErrorInvalidResourceHandle);
    CHECK(cudaMemcpyAsync(back.data(), p, n * sizeof(int), cudaMemcpyDeviceToHost, two));
    CHECK(cudaStreamSynchronize(two));
    for (int i = 0; i < n; i++)
        EXPECT(back[i] == 2);
    CHECK(cudaFree(p));
    CHECK(cudaEventDestroy(begin));
    CHECK(cudaStreamDestroy(one));
    CHECK(cudaStreamDestroy(two));
    ok("streams and events");
}

/* ---- graphs ------------------------------------------------------------------------------------------------------ */

static void graphs()
{
    const int n = 256;
    int *p, back[n];
    cudaStream_t stream;
    cudaGraph_t graph;
    cudaGraphExec_t exec;
    CHECK(cudaMalloc(&p, sizeof back));
    CHECK(cudaStreamCreate(&stream));
    CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
    CHECK(cudaMemsetAsync(p, 0, sizeof back, stream));
    for (int i = 0; i < 3; i++)
        add_one<<<1, n, 0, stream>>>(p, n);
    CHECK(cudaStreamEndCapture(stream, &graph));
    size_t nodes = 0;
    CHECK(cudaGraphGetNodes(graph, nullptr, &nodes));
    EXPECT(nodes == 4);
    CHECK(cudaGraphInstantiate(&exec, graph, 0));
    for (int i = 0; i < 2; i++)
        CHECK(cudaGraphLaunch(exec, stream));
    CHECK(cudaStreamSynchronize(stream));
    CHECK(cudaMemcpy(back, p, sizeof back, cudaMemcpyDeviceToHost));
    for (int i = 0; i < n; i++)
        EXPECT(back[i] == 3);
    CHECK(cudaGraphExecDestroy(exec));
    CHECK(cudaGraphDestroy(graph));
    CHECK(cudaFree(p));
    ok("graphs");
}

/* ---- kernels ----------------------------------------------------------------------------------------------------- */

template <typename T, int N> __global__ void scaled_sum(T *out, const T *in, T scale)
{
    extern __shared__ char bytes[];
    T *part = (T *)bytes;
    part[threadIdx.x] = in[threadIdx.x] * scale;
    __syncthreads();
    for (int half = N / 2; half; half /= 2) {
        if ((int)threadIdx.x < half)
            part[threadIdx.x] += part[threadIdx.x + half];
        __syncthreads();
    }
    if (!threadIdx.x)
        *out = part[0];
}

static void templates_and_shared_memory()
{
    const int n = 128;
    double in[n], sum = 0, result, *device;
    for (int i = 0; i < n; i++) {
        in[i] = i;
        sum += 3.0 * i;
    }
    CHECK(cudaMalloc(&device, (n + 1) * sizeof(double)));
    CHECK(cudaMemcpy(device + 1, in, sizeof in, cudaMemcpyHostToDevice));
    scaled_sum<double, n><<<1, n, n * sizeof(double)>>>(device, device + 1, 3.0);
    CHECK(cudaMemcpy(&result, device, sizeof result, cudaMemcpyDeviceToHost));
    EXPECT(result == sum);
    cudaFuncAttributes a;
    CHECK(cudaFuncGetAttributes(&a, scaled_sum<double, n>));
    EXPECT(a.maxThreadsPerBlock >= n && a.maxThreadsPerBlock <= 1024);
    int blocks = 0, size = 0, least = 0;
    CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, scaled_sum<double, n>, n, n * sizeof(double)));
    EXPECT(blocks >= 1);
    CHECK(cudaOccupancyMaxPotentialBlockSize(&least, &size, add_one, 0, 0));
    EXPECT(size >= 32 && least >= 1);
    CHECK(cudaFree(device));
    ok("templates and shared memory");
}

typedef int (*binary)(int, int);
__device__ int plus(int a, int b) { return a + b; }
__device__ int times(int a, int b) { return a * b; }
__device__ binary functions[2] = {plus, times};

__global__ void call(int which, int a, int b, int *out) { *out = functions[which](a, b); }

static void function_pointers()
{
    int *out, result;
    CHECK(cudaMalloc(&out, sizeof(int)));
    for (int i = 0; i < 2; i++) {
        call<<<1, 1>>>(i, 6, 7, out);
        CHECK(cudaMemcpy(&result, out, sizeof result, cudaMemcpyDeviceToHost));
        EXPECT(result == (i ? 42 : 13));
    }
    CHECK(cudaFree(out));
    ok("function pointers");
}

static void launch_often(int *p, int times)
{
    for (int i = 0; i < times; i++)
        add_one<<<1, 64>>>(p, 64);
    CHECK(cudaDeviceSynchronize());
}

static void two_threads()
{
    int *p, back[128];
    CHECK(cudaMalloc(&p, sizeof back));
    CHECK(cudaMemset(p, 0, sizeof back));
    std::thread other(launch_often, p + 64, 20);
    launch_often(p, 30);
    other.join();
    CHECK(cudaMemcpy(back, p, sizeof back, cudaMemcpyDeviceToHost));
    for (int i = 0; i < 128; i++)
        EXPECT(back[i] == (i < 64 ? 30 : 20));
    CHECK(cudaFree(p));
    ok("two threads");
}

static void device_properties()
{
    cudaDeviceProp p;
    int count = 0, major = 0, version = 0;
    CHECK(cudaGetDeviceCount(&count));
    CHECK(cudaGetDeviceProperties(&p, 0));
    CHECK(cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, 0));
    CHECK(cudaRuntimeGetVersion(&version));
    EXPECT(count >= 1 && p.major == major && p.warpSize == 32 && p.maxThreadsPerBlock == 1024);
    EXPECT(p.name[0] && p.multiProcessorCount > 0 && p.totalGlobalMem > 0 && version / 1000 == CUDART_VERSION / 1000);
    EXPECT(cudaGetDeviceProperties(&p, 999) == cudaErrorInvalidDevice);
    EXPECT(cudaGetLastError() == cudaErrorInvalidDevice && cudaGetLastError() == cudaSuccess);
    ok("device properties");
}

int main()
{
    device_properties();
    kinds_of_memory();
    rectangles();
    variables();
    streams_and_events();
    graphs();
    templates_and_shared_memory();
    function_pointers();
    two_threads();
    return 0;
}
