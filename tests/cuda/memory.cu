/* Kinds of memory that runtime.cu does not have: boxes, pools, hints, the heap of the device, local and constant memory,
 * large parameters; each against the CPU's result. */
#include <cstring>
#include <vector>

#include "test.h"

/* ---- boxes ------------------------------------------------------------------------------------------------------- */

static void boxes()
{
    const size_t w = 13, h = 5, d = 3;
    unsigned char from[d][h][w], to[d][h][w];
    for (size_t i = 0; i < sizeof from; i++)
        ((unsigned char *)from)[i] = (unsigned char)(i * 7);
    cudaPitchedPtr box;
    CHECK(cudaMalloc3D(&box, make_cudaExtent(w, h, d)));
    EXPECT(box.pitch >= w && box.xsize == w && box.ysize == h);
    CHECK(cudaMemset3D(box, 0x55, make_cudaExtent(w, h, d)));
    cudaMemcpy3DParms copy = {};
    copy.srcPtr = make_cudaPitchedPtr(from, w, w, h);
    copy.dstPtr = box;
    copy.dstPos = make_cudaPos(2, 1, 1);
    copy.extent = make_cudaExtent(w - 2, h - 1, d - 1);
    copy.kind = cudaMemcpyHostToDevice;
    CHECK(cudaMemcpy3D(&copy));
    cudaMemcpy3DParms back = {};
    back.srcPtr = box;
    back.dstPtr = make_cudaPitchedPtr(to, w, w, h);
    back.extent = make_cudaExtent(w, h, d);
    back.kind = cudaMemcpyDeviceToHost;
    CHECK(cudaMemcpy3DAsync(&back, 0));
    CHECK(cudaStreamSynchronize(0));
    for (size_t z = 0; z < d; z++)
        for (size_t y = 0; y < h; y++)
            for (size_t x = 0; x < w; x++) {
                bool inside = x >= 2 && y >= 1 && z >= 1;
                EXPECT(to[z][y][x] == (inside ? from[z - 1][y - 1][x - 2] : 0x55));
            }
    CHECK(cudaFree(box.ptr));
    ok("boxes");
}

/* ---- pools ------------------------------------------------------------------------------------------------------- */

__global__ void fill(unsigned *p, int n, unsigned value)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        p[i] = value + i;
}

static void pools()
{
    const int n = 5000;
    cudaMemPool_t pool;
    cudaMemPoolProps how = {};
    how.allocType = cudaMemAllocationTypePinned;
    how.location.type = cudaMemLocationTypeDevice;
    CHECK(cudaMemPoolCreate(&pool, &how));
    unsigned long long keep = 1 << 20, read = 0;
    CHECK(cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &keep));
    CHECK(cudaMemPoolGetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &read));
    EXPECT(read == keep);
    cudaStream_t stream;
    CHECK(cudaStreamCreate(&stream));
    unsigned *p, *q;
    CHECK(cudaMallocFromPoolAsync(&p, n * sizeof *p, pool, stream));
    CHECK(cudaMallocAsync(&q, n * sizeof *q, stream));
    CHECK(cudaMemPoolGetAttribute(pool, cudaMemPoolAttrUsedMemCurrent, &read));
    EXPECT(read >= n * sizeof *p);
    fill<<<3, 100, 0, stream>>>(p, n, 11);
    CHECK(cudaMemcpyAsync(q, p, n * sizeof *p, cudaMemcpyDeviceToDevice, stream));
    std::vector<unsigned> back(n);
    CHECK(cudaMemcpyAsync(back.data(), q, n * sizeof *q, cudaMemcpyDeviceToHost, stream));
    CHECK(cudaFreeAsync(p, stream));
    CHECK(cudaFreeAsync(q, stream));
    CHECK(cudaStreamSynchronize(stream));
    for (int i = 0; i < n; i++)
        EXPECT(back[i] == 11u + i);
    CHECK(cudaMemPoolTrimTo(pool, 0));
    CHECK(cudaMemPoolDestroy(pool));
    CHECK(cudaStreamDestroy(stream));
    ok("pools");
}

/* ---- managed and host memory ------------------------------------------------------------------------------------- */

static void hints()
{
    const int n = 2000;
    unsigned *p;
    CHECK(cudaMallocManaged(&p, n * sizeof *p));
    cudaMemLocation device = {cudaMemLocationTypeDevice, 0}, host = {cudaMemLocationTypeHost, 0};
    CHECK(cudaMemAdvise(p, n * sizeof *p, cudaMemAdviseSetPreferredLocation, device));
    CHECK(cudaMemPrefetchAsync(p, n * sizeof *p, device, 0, 0));
    fill<<<2, 128>>>(p, n, 5);
    CHECK(cudaMemPrefetchAsync(p, n * sizeof *p, host, 0, 0));
    CHECK(cudaDeviceSynchronize());
    for (int i = 0; i < n; i++)
        EXPECT(p[i] == 5u + i);
    CHECK(cudaFree(p));
    CHECK(cudaHostAlloc(&p, n * sizeof *p, cudaHostAllocMapped | cudaHostAllocWriteCombined | cudaHostAllocPortable));
    unsigned flags;
    CHECK(cudaHostGetFlags(&flags, p));
    EXPECT(flags & cudaHostAllocMapped && flags & cudaHostAllocWriteCombined);
    fill<<<2, 128>>>(p, n, 8); // by its own address, as unified addressing has it
    CHECK(cudaDeviceSynchronize());
    EXPECT(p[0] == 8 && p[n - 1] == 8u + n - 1);
    CHECK(cudaFreeHost(p));
    ok("managed and mapped memory");
}

static void amounts()
{
    size_t before, after, total;
    void *p;
    CHECK(cudaMemGetInfo(&before, &total));
    CHECK(cudaMalloc(&p, 64 << 20));
    CHECK(cudaMemGetInfo(&after, &total));
    EXPECT(before <= total && before - after >= (64 << 20) && before - after < (80 << 20));
    CHECK(cudaFree(p));
    CHECK(cudaMemGetInfo(&after, &total));
    EXPECT(after == before);
    EXPECT((size_t)p % 256 == 0);
    ok("amounts");
}

/* ---- memory of kernels ------------------------------------------------------------------------------------------- */

struct item {
    item *next;
    int value;
};

/* A list per thread on the device's heap, that a second kernel takes apart. */
__global__ void grow(item **lists, int length)
{
    item *head = nullptr;
    for (int i = 0; i < length; i++) {
        item *one = (item *)malloc(sizeof(item));
        one->next = head;
        one->value = i * (threadIdx.x + 1);
        head = one;
    }
    lists[threadIdx.x] = head;
}

__global__ void shrink(item **lists, int *sums)
{
    int sum = 0;
    for (item *one = lists[threadIdx.x], *next; one; one = next) {
        next = one->next;
        sum += one->value;
        free(one);
    }
    sums[threadIdx.x] = sum;
}

static void heap()
{
    const int n = 40, length = 9;
    item **lists;
    int *sums, back[n];
    size_t bytes;
    CHECK(cudaDeviceSetLimit(cudaLimitMallocHeapSize, 16 << 20));
    CHECK(cudaDeviceGetLimit(&bytes, cudaLimitMallocHeapSize));
    EXPECT(bytes >= 16 << 20);
    CHECK(cudaMalloc(&lists, n * sizeof *lists));
    CHECK(cudaMalloc(&sums, sizeof back));
    grow<<<1, n>>>(lists, length);
    shrink<<<1, n>>>(lists, sums);
    CHECK(cudaMemcpy(back, sums, sizeof back, cudaMemcpyDeviceToHost));
    for (int i = 0; i < n; i++)
        EXPECT(back[i] == (i + 1) * length * (length - 1) / 2);
    CHECK(cudaFree(lists));
    CHECK(cudaFree(sums));
    ok("heap of the device");
}

struct big {
    int values[1000];
};

__constant__ short weights[64];

/* Parameters of 4 KB, an array in local memory that is indexed by data, and constants. */
__global__ void mix(big parameters, const int *where, int *out)
{
    int local[32];
    for (int i = 0; i < 32; i++)
        local[(i * 5 + threadIdx.x) % 32] = parameters.values[(i * 31 + threadIdx.x) % 1000];
    out[threadIdx.x] = local[where[threadIdx.x] % 32] * weights[threadIdx.x];
}

static void memory_of_kernels()
{
    const int n = 64;
    static big parameters;
    short on_host[n];
    int where[n], back[n], *d_where, *out;
    for (int i = 0; i < 1000; i++)
        parameters.values[i] = i * i % 977;
    for (int i = 0; i < n; i++) {
        on_host[i] = (short)(i - 30);
        where[i] = i * 11;
    }
    CHECK(cudaMemcpyToSymbol(weights, on_host, sizeof on_host));
    CHECK(cudaMalloc(&d_where, sizeof where));
    CHECK(cudaMalloc(&out, sizeof back));
    CHECK(cudaMemcpy(d_where, where, sizeof where, cudaMemcpyHostToDevice));
    mix<<<1, n>>>(parameters, d_where, out);
    CHECK(cudaMemcpy(back, out, sizeof back, cudaMemcpyDeviceToHost));
    for (int t = 0; t < n; t++) {
        int local[32];
        for (int i = 0; i < 32; i++)
            local[(i * 5 + t) % 32] = parameters.values[(i * 31 + t) % 1000];
        EXPECT(back[t] == local[where[t] % 32] * on_host[t]);
    }
    CHECK(cudaFree(d_where));
    CHECK(cudaFree(out));
    ok("parameters, local and constant memory");
}

int main()
{
    boxes();
    pools();
    hints();
    amounts();
    heap();
    memory_of_kernels();
    return 0;
}
