/* Several devices: peer access, copies, streams and events, memory of each, errors of each. Needs two; uses all. */
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <thread>
#include <vector>

#define CHECK(condition)                                                                                               \
    do {                                                                                                               \
        if (!(condition)) {                                                                                            \
            printf("%s:%d: %s\n", __FILE__, __LINE__, #condition);                                                     \
            exit(1);                                                                                                   \
        }                                                                                                              \
    } while (0)
#define WORKS(call) CHECK((call) == cudaSuccess)

static const int n = 1000;
static int count;
static std::vector<int> host(n);

__device__ int own[n];       /* one on each device */
__constant__ int factor = 1; /* likewise */

__global__ void fill(int *x, int value)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        x[i] = value * factor + i;
}

__global__ void add(int *to, const int *from)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        to[i] += from[i];
}

__global__ void fill_own(int value)
{
    if (threadIdx.x < n)
        own[threadIdx.x] = value;
}

static int *array_on(int device)
{
    int *x;
    WORKS(cudaSetDevice(device));
    WORKS(cudaMalloc(&x, n * sizeof *x));
    return x;
}

static void holds(const int *device, int first)
{
    WORKS(cudaMemcpy(host.data(), device, n * sizeof(int), cudaMemcpyDefault));
    for (int i = 0; i < n; i++)
        CHECK(host[i] == first + i);
}

static void queries()
{
    cudaDeviceProp a, b;
    char id[2][20];
    int device, can, bus[2];
    WORKS(cudaGetDeviceProperties(&a, 0));
    WORKS(cudaGetDeviceProperties(&b, 1));
    CHECK(!strcmp(a.name, b.name) && memcmp(&a.uuid, &b.uuid, sizeof a.uuid) && a.pciBusID != b.pciBusID);
    for (int d = 0; d < 2; d++) {
        WORKS(cudaDeviceGetPCIBusId(id[d], sizeof id[d], d));
        WORKS(cudaDeviceGetByPCIBusId(&device, id[d]));
        CHECK(device == d);
        WORKS(cudaDeviceGetAttribute(&bus[d], cudaDevAttrPciBusId, d));
    }
    CHECK(strcmp(id[0], id[1]) && bus[0] == a.pciBusID && bus[1] == b.pciBusID);
    WORKS(cudaDeviceCanAccessPeer(&can, 0, 1));
    CHECK(can == 1);
    WORKS(cudaDeviceCanAccessPeer(&can, 1, 1));
    CHECK(can == 0);
    WORKS(cudaDeviceGetP2PAttribute(&can, cudaDevP2PAttrAccessSupported, 1, 0));
    CHECK(can == 1);
    CHECK(cudaSetDevice(count) == cudaErrorInvalidDevice && cudaGetLastError() == cudaErrorInvalidDevice);
    WORKS(cudaSetDevice(1));
    std::thread([] {
        int d;
        WORKS(cudaGetDevice(&d));
        CHECK(d == 0);
        WORKS(cudaSetDevice(0));
    }).join();
    WORKS(cudaGetDevice(&device));
    CHECK(device == 1);
    puts("ok queries");
}

static void memory()
{
    size_t before[2], now, total;
    cudaPointerAttributes p;
    for (int d = 0; d < 2; d++) {
        WORKS(cudaSetDevice(d));
        WORKS(cudaMemGetInfo(&before[d], &total));
    }
    int *x = array_on(1);
    WORKS(cudaMemGetInfo(&now, &total));
    CHECK(now < before[1]);
    WORKS(cudaSetDevice(0));
    WORKS(cudaMemGetInfo(&now, &total));
    CHECK(now == before[0]);
    WORKS(cudaPointerGetAttributes(&p, x));
    CHECK(p.type == cudaMemoryTypeDevice && p.device == 1);
    WORKS(cudaFree(x)); /* any device may */
    WORKS(cudaSetDevice(1));
    WORKS(cudaMemGetInfo(&now, &total));
    CHECK(now == before[1]);
    puts("ok memory");
}

/* Variables of modules are one on each device. */
static void variables()
{
    int *where[2], value;
    for (int d = 0; d < 2; d++) {
        WORKS(cudaSetDevice(d));
        value = 10 + d;
        WORKS(cudaMemcpyToSymbol(factor, &value, sizeof value));
        fill_own<<<1, 32>>>(7 + d);
        WORKS(cudaGetSymbolAddress((void **)&where[d], own));
    }
    CHECK(where[0] != where[1]);
    for (int d = 0; d < 2; d++) {
        int *x = array_on(d);
        fill<<<8, 128>>>(x, 3);
        holds(x, 3 * (10 + d));
        WORKS(cudaMemcpyFromSymbol(&value, own, sizeof value, 4));
        CHECK(value == 7 + d);
        value = 1;
        WORKS(cudaMemcpyToSymbol(factor, &value, sizeof value));
        WORKS(cudaFree(x));
    }
    puts("ok variables");
}

static void copies()
{
    int *a = array_on(0), *b = array_on(1);
    WORKS(cudaSetDevice(0));
    fill<<<8, 128>>>(a, 5);
    WORKS(cudaMemcpyPeer(b, 1, a, 0, n * sizeof *a));
    holds(b, 5);
    fill<<<8, 128>>>(a, 9);
    WORKS(cudaMemcpy(b, a, n * sizeof *a, cudaMemcpyDefault));
    holds(b, 9);
    fill<<<8, 128>>>(a, 11);
    cudaStream_t s;
    WORKS(cudaStreamCreate(&s));
    WORKS(cudaMemcpyPeerAsync(b, 1, a, 0, n * sizeof *a, s));
    WORKS(cudaStreamSynchronize(s));
    holds(b, 11);
    cudaMemcpy3DPeerParms p = {};
    p.srcPtr = make_cudaPitchedPtr(a, 100 * sizeof *a, 100, 10);
    p.dstPtr = make_cudaPitchedPtr(b, 100 * sizeof *b, 100, 10);
    p.srcDevice = 0;
    p.dstDevice = 1;
    p.extent = make_cudaExtent(100 * sizeof *a, 10, 1);
    fill<<<8, 128>>>(a, 13);
    WORKS(cudaMemcpy3DPeer(&p));
    holds(b, 13);
    p.dstDevice = count;
    CHECK(cudaMemcpy3DPeer(&p) == cudaErrorInvalidDevice);
    CHECK(cudaMemcpyPeer(b, count, a, 0, 4) == cudaErrorInvalidDevice);
    cudaGetLastError();
    WORKS(cudaStreamDestroy(s));
    WORKS(cudaFree(a));
    WORKS(cudaFree(b));
    puts("ok copies");
}

static void streams()
{
    int *x = array_on(0), device;
    cudaStream_t s[2];
    cudaEvent_t e[2];
    float ms;
    for (int d = 0; d < 2; d++) {
        WORKS(cudaSetDevice(d));
        WORKS(cudaStreamCreate(&s[d]));
        WORKS(cudaEventCreate(&e[d]));
        WORKS(cudaEventRecord(e[d], s[d]));
    }
    fill<<<8, 128, 0, s[0]>>>(x, 1); /* the stream of another device */
    CHECK(cudaGetLastError() == cudaErrorInvalidResourceHandle);
    CHECK(cudaEventRecord(e[0], s[1]) == cudaErrorInvalidResourceHandle);
    CHECK(cudaEventElapsedTime(&ms, e[0], e[1]) == cudaErrorInvalidResourceHandle);
    cudaGetLastError();
    WORKS(cudaStreamWaitEvent(s[1], e[0], 0));
    WORKS(cudaEventSynchronize(e[0]));
    WORKS(cudaStreamGetDevice(s[0], &device));
    CHECK(device == 0);
    WORKS(cudaMemsetAsync(x, 0, 4, s[0])); /* copies and fills may */
    WORKS(cudaStreamSynchronize(s[0]));
    for (int d = 0; d < 2; d++) {
        WORKS(cudaStreamDestroy(s[d]));
        WORKS(cudaEventDestroy(e[d]));
    }
    WORKS(cudaFree(x));
    puts("ok streams");
}

static void peers()
{
    int *a = array_on(0), *b = array_on(1);
    fill<<<8, 128>>>(b, 20);
    WORKS(cudaSetDevice(0));
    CHECK(cudaDeviceEnablePeerAccess(0, 0) == cudaErrorInvalidDevice);
    CHECK(cudaDeviceEnablePeerAccess(count, 0) == cudaErrorInvalidDevice);
    CHECK(cudaDeviceEnablePeerAccess(1, 1) == cudaErrorInvalidValue);
    CHECK(cudaDeviceDisablePeerAccess(1) == cudaErrorPeerAccessNotEnabled);
    WORKS(cudaDeviceEnablePeerAccess(1, 0));
    CHECK(cudaDeviceEnablePeerAccess(1, 0) == cudaErrorPeerAccessAlreadyEnabled);
    cudaGetLastError();
    int *later = array_on(1);
    WORKS(cudaSetDevice(0));
    fill<<<8, 128>>>(a, 1);
    add<<<8, 128>>>(a, b);
    fill<<<8, 128>>>(later, 4);
    WORKS(cudaMemcpy(host.data(), a, n * sizeof *a, cudaMemcpyDefault));
    for (int i = 0; i < n; i++)
        CHECK(host[i] == 21 + 2 * i);
    holds(later, 4);
    WORKS(cudaDeviceDisablePeerAccess(1));
    WORKS(cudaFree(a));
    WORKS(cudaFree(b));
    WORKS(cudaFree(later));
    puts("ok peers");
}

/* Pinned and managed memory is everybody's. A pool's is its device's, until others get access. */
static void shared()
{
    int *pinned, *managed, *pooled, device;
    cudaMemPool_t pool;
    WORKS(cudaSetDevice(0));
    WORKS(cudaMallocHost(&pinned, n * sizeof *pinned));
    WORKS(cudaMallocManaged(&managed, n * sizeof *managed));
    WORKS(cudaDeviceGetDefaultMemPool(&pool, 0));
    WORKS(cudaMallocAsync(&pooled, n * sizeof *pooled, 0));
    fill<<<8, 128>>>(pooled, 30);
    WORKS(cudaDeviceSynchronize());
    cudaMemAccessDesc access = {};
    access.location.type = cudaMemLocationTypeDevice;
    access.location.id = 1;
    access.flags = cudaMemAccessFlagsProtReadWrite;
    cudaMemAccessFlags flags;
    WORKS(cudaMemPoolGetAccess(&flags, pool, &access.location));
    CHECK(flags == cudaMemAccessFlagsProtNone);
    WORKS(cudaMemPoolSetAccess(pool, &access, 1));
    WORKS(cudaMemPoolGetAccess(&flags, pool, &access.location));
    CHECK(flags == cudaMemAccessFlagsProtReadWrite);
    WORKS(cudaMemPrefetchAsync(managed, n * sizeof *managed, access.location, 0, 0));
    WORKS(cudaMemRangeGetAttribute(&device, sizeof device, cudaMemRangeAttributeLastPrefetchLocation, managed,
                                   n * sizeof *managed));
    CHECK(device == 1);
    WORKS(cudaSetDevice(1));
    fill<<<8, 128>>>(pinned, 2);
    fill<<<8, 128>>>(managed, 40);
    add<<<8, 128>>>(managed, pooled);
    WORKS(cudaDeviceSynchronize());
    for (int i = 0; i < n; i++)
        CHECK(pinned[i] == 2 + i && managed[i] == 70 + 2 * i);
    WORKS(cudaFreeHost(pinned));
    WORKS(cudaFree(managed));
    WORKS(cudaFree(pooled));
    puts("ok shared");
}

/* The sum over all devices, as NCCL's ring does it: each hands a part to the next, first to add, then to keep. */
static void ring()
{
    const int part = n / count;
    std::vector<int *> x(count), in(count);
    std::vector<cudaStream_t> s(count);
    std::vector<cudaEvent_t> e(count);
    for (int d = 0; d < count; d++) {
        x[d] = array_on(d);
        in[d] = array_on(d);
        WORKS(cudaStreamCreate(&s[d]));
        WORKS(cudaEventCreateWithFlags(&e[d], cudaEventDisableTiming));
        fill<<<8, 128, 0, s[d]>>>(x[d], d);
        WORKS(cudaMemsetAsync(in[d], 0, n * sizeof(int), s[d]));
        WORKS(cudaEventRecord(e[d], s[d]));
    }
    for (int step = 0; step < 2 * (count - 1); step++) {
        bool adds = step < count - 1;
        for (int d = 0; d < count; d++) {
            int next = (d + 1) % count, at = (d - step + 2 * count) % count * part;
            WORKS(cudaSetDevice(d));
            WORKS(cudaStreamWaitEvent(s[d], e[next], 0));
            WORKS(cudaMemcpyPeerAsync((adds ? in[next] : x[next]) + at, next, x[d] + at, d, part * sizeof(int), s[d]));
            WORKS(cudaEventRecord(e[d], s[d]));
        }
        for (int d = 0; d < count; d++) {
            int before = (d + count - 1) % count;
            WORKS(cudaSetDevice(d));
            WORKS(cudaStreamWaitEvent(s[d], e[before], 0));
            if (adds) {
                int at = (before - step + 2 * count) % count * part;
                WORKS(cudaMemsetAsync(in[d], 0, at * sizeof(int), s[d]));
                WORKS(cudaMemsetAsync(in[d] + at + part, 0, (n - at - part) * sizeof(int), s[d]));
                add<<<8, 128, 0, s[d]>>>(x[d], in[d]);
            }
            WORKS(cudaEventRecord(e[d], s[d]));
        }
    }
    for (int d = 0; d < count; d++) {
        WORKS(cudaSetDevice(d));
        WORKS(cudaStreamSynchronize(s[d]));
        WORKS(cudaMemcpy(host.data(), x[d], n * sizeof(int), cudaMemcpyDefault));
        for (int i = 0; i < part * count; i++)
            CHECK(host[i] == count * (count - 1) / 2 + count * i);
        WORKS(cudaFree(x[d]));
        WORKS(cudaFree(in[d]));
        WORKS(cudaStreamDestroy(s[d]));
        WORKS(cudaEventDestroy(e[d]));
    }
    puts("ok ring");
}

/* Without peer access: an error of the device that ran the kernel, and of no other. */
static void denied()
{
    int *b = array_on(1), *a = array_on(0);
    fill<<<8, 128>>>(b, 1);
    CHECK(cudaDeviceSynchronize() == cudaErrorIllegalAddress);
    CHECK(cudaMemset(a, 0, 4) == cudaErrorIllegalAddress);
    WORKS(cudaSetDevice(1));
    CHECK(cudaGetLastError() == cudaErrorIllegalAddress);
    fill<<<8, 128>>>(b, 50);
    holds(b, 50);
    WORKS(cudaSetDevice(0));
    WORKS(cudaDeviceReset());
    a = array_on(0);
    fill<<<8, 128>>>(a, 60);
    holds(a, 60);
    puts("ok denied");
}

int main()
{
    WORKS(cudaGetDeviceCount(&count));
    if (count < 2) {
        puts("one device");
        return 1;
    }
    queries();
    memory();
    variables();
    copies();
    streams();
    peers();
    shared();
    ring();
    denied();
}
