/* A program of the driver API, with NVIDIA's header: contexts, modules from PTX, launches in all ways, memory, streams,
 * linking, occupancy, and errors; each against the CPU's result. */
#include <cuda.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CHECK(call)                                                                                                    \
    do {                                                                                                               \
        CUresult error_ = (call);                                                                                      \
        const char *name_ = "";                                                                                        \
        if (error_) {                                                                                                  \
            cuGetErrorName(error_, &name_);                                                                            \
            printf("%s:%d: %s: %s\n", __FILE__, __LINE__, #call, name_);                                               \
            exit(1);                                                                                                   \
        }                                                                                                              \
    } while (0)
#define EXPECT(condition)                                                                                              \
    do {                                                                                                               \
        if (!(condition)) {                                                                                            \
            printf("%s:%d: not so: %s\n", __FILE__, __LINE__, #condition);                                             \
            exit(1);                                                                                                   \
        }                                                                                                              \
    } while (0)

/* y[i] = factor * x[i] + y[i], and a variable that scales the factor. */
static const char ptx[] = ".version 6.0\n.target sm_50\n.address_size 64\n"
                          ".visible .global .align 4 .u32 scale = 1;\n"
                          ".visible .entry axpy(.param .u64 px, .param .u64 py, .param .u32 factor, .param .u32 n)\n{\n"
                          " .reg .pred %p;\n .reg .b32 %r<9>;\n .reg .b64 %d<6>;\n"
                          " ld.param.u64 %d1, [px];\n ld.param.u64 %d2, [py];\n"
                          " ld.param.u32 %r1, [factor];\n ld.param.u32 %r2, [n];\n"
                          " mov.u32 %r3, %ctaid.x;\n mov.u32 %r4, %ntid.x;\n mov.u32 %r5, %tid.x;\n"
                          " mad.lo.u32 %r3, %r3, %r4, %r5;\n setp.ge.u32 %p, %r3, %r2;\n @%p ret;\n"
                          " ld.global.u32 %r4, [scale];\n mul.lo.u32 %r1, %r1, %r4;\n"
                          " mul.wide.u32 %d3, %r3, 4;\n add.u64 %d1, %d1, %d3;\n add.u64 %d2, %d2, %d3;\n"
                          " ld.global.u32 %r5, [%d1];\n ld.global.u32 %r6, [%d2];\n"
                          " mad.lo.u32 %r6, %r5, %r1, %r6;\n st.global.u32 [%d2], %r6;\n ret;\n}\n";

enum { N = 1000 };
static CUdevice device;
static CUmodule module;
static CUfunction axpy;
static CUdeviceptr x, y;
static unsigned from[N], to[N];

static void ok(const char *what)
{
    printf("ok %s\n", what);
    fflush(stdout);
}

static void fill_and_copy(void)
{
    for (unsigned i = 0; i < N; i++)
        from[i] = i * 3;
    CHECK(cuMemcpyHtoD(x, from, sizeof from));
    CHECK(cuMemsetD32(y, 5, N));
}

static void expect_axpy(unsigned factor)
{
    memset(to, 0xff, sizeof to);
    CHECK(cuMemcpyDtoH(to, y, sizeof to));
    for (unsigned i = 0; i < N; i++)
        EXPECT(to[i] == 5 + factor * i * 3);
}

static void devices_and_contexts(void)
{
    CUcontext context, current;
    CUdevice here;
    char name[100] = "";
    int count = 0, major = 0, version = 0;
    size_t bytes = 0;
    EXPECT(cuCtxGetCurrent(&current) == CUDA_ERROR_NOT_INITIALIZED);
    CHECK(cuInit(0));
    CHECK(cuDriverGetVersion(&version));
    CHECK(cuDeviceGetCount(&count));
    CHECK(cuDeviceGet(&device, 0));
    CHECK(cuDeviceGetName(name, sizeof name, device));
    CHECK(cuDeviceTotalMem(&bytes, device));
    CHECK(cuDeviceGetAttribute(&major, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, device));
    EXPECT(version >= 11000 && count == 1 && name[0] && bytes > 1 << 28 && major >= 5);
    EXPECT(cuDeviceGet(&device, 5) == CUDA_ERROR_INVALID_DEVICE);
    EXPECT(cuMemAlloc(&x, 4) == CUDA_ERROR_INVALID_CONTEXT);
    CHECK(cuDevicePrimaryCtxRetain(&context, device));
    CHECK(cuCtxSetCurrent(context));
    CHECK(cuCtxPushCurrent(context));
    CHECK(cuCtxPopCurrent(&current));
    CHECK(cuCtxGetDevice(&here));
    EXPECT(current == context && here == device);
    ok("devices and contexts");
}

static void modules(void)
{
    CUdeviceptr scale;
    CUmodule bad;
    size_t bytes = 0;
    char log[300] = "";
    CUjit_option options[] = {CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES};
    void *values[] = {log, (void *)(uintptr_t)sizeof log};
    CHECK(cuModuleLoadData(&module, ptx));
    CHECK(cuModuleGetFunction(&axpy, module, "axpy"));
    CHECK(cuModuleGetGlobal(&scale, &bytes, module, "scale"));
    EXPECT(bytes == 4 && scale);
    EXPECT(cuModuleGetFunction(&axpy, module, "axpz") == CUDA_ERROR_NOT_FOUND);
    EXPECT(cuModuleLoadDataEx(&bad, ".version 6.0\n.target sm_50\nnonsense\n", 2, options, values) ==
           CUDA_ERROR_INVALID_PTX);
    EXPECT(log[0]);
    EXPECT(cuModuleLoad(&bad, "/no/such/file") == CUDA_ERROR_FILE_NOT_FOUND);
    CHECK(cuModuleGetFunction(&axpy, module, "axpy"));
    ok("modules");
}

static void launches(void)
{
    unsigned factor = 7, n = N;
    void *arguments[] = {&x, &y, &factor, &n};
    fill_and_copy();
    CHECK(cuLaunchKernel(axpy, 4, 1, 1, 256, 1, 1, 0, NULL, arguments, NULL));
    expect_axpy(7);
    struct {
        CUdeviceptr x, y;
        unsigned factor, n;
    } packed = {x, y, 2, N};
    size_t size = sizeof packed;
    void *extra[] = {CU_LAUNCH_PARAM_BUFFER_POINTER, &packed, CU_LAUNCH_PARAM_BUFFER_SIZE, &size, CU_LAUNCH_PARAM_END};
    CHECK(cuLaunchKernel(axpy, 4, 1, 1, 256, 1, 1, 0, NULL, NULL, extra));
    expect_axpy(9);
    CUlaunchConfig how = {
        .gridDimX = 8, .gridDimY = 1, .gridDimZ = 1, .blockDimX = 128, .blockDimY = 1, .blockDimZ = 1};
    CHECK(cuLaunchKernelEx(&how, axpy, arguments, NULL));
    expect_axpy(16);
    CUdeviceptr scale;
    CHECK(cuModuleGetGlobal(&scale, NULL, module, "scale"));
    CHECK(cuMemsetD32(scale, 10, 1));
    factor = 1;
    CHECK(cuLaunchKernel(axpy, 4, 1, 1, 256, 1, 1, 0, NULL, arguments, NULL));
    expect_axpy(26);
    CHECK(cuMemsetD32(scale, 1, 1));
    EXPECT(cuLaunchKernel(axpy, 0, 1, 1, 256, 1, 1, 0, NULL, arguments, NULL) == CUDA_ERROR_INVALID_VALUE);
    EXPECT(cuLaunchKernel(axpy, 1, 1, 1, 2000, 1, 1, 0, NULL, arguments, NULL) == CUDA_ERROR_INVALID_VALUE);
    EXPECT(cuLaunchKernel(NULL, 1, 1, 1, 1, 1, 1, 0, NULL, arguments, NULL) == CUDA_ERROR_INVALID_HANDLE);
    ok("launches");
}

static void libraries_and_links(void)
{
    CUlibrary library;
    CUkernel kernel;
    CUlinkState link;
    CUmodule linked;
    CUfunction f;
    void *image;
    size_t bytes;
    int threads = 0;
    unsigned factor = 4, n = N;
    void *arguments[] = {&x, &y, &factor, &n};
    CHECK(cuLibraryLoadData(&library, ptx, NULL, NULL, 0, NULL, NULL, 0));
    CHECK(cuLibraryGetKernel(&kernel, library, "axpy"));
    CHECK(cuKernelGetAttribute(&threads, CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK, kernel, device));
    EXPECT(threads == 1024);
    fill_and_copy();
    CHECK(cuLaunchKernel((CUfunction)kernel, 4, 1, 1, 256, 1, 1, 0, NULL, arguments, NULL));
    expect_axpy(4);
    CHECK(cuLibraryUnload(library));
    CHECK(cuLinkCreate(0, NULL, NULL, &link));
    CHECK(cuLinkAddData(link, CU_JIT_INPUT_PTX, (void *)ptx, sizeof ptx, "axpy.ptx", 0, NULL, NULL));
    CHECK(cuLinkComplete(link, &image, &bytes));
    CHECK(cuModuleLoadData(&linked, image));
    CHECK(cuLinkDestroy(link));
    CHECK(cuModuleGetFunction(&f, linked, "axpy"));
    CHECK(cuLaunchKernel(f, 4, 1, 1, 256, 1, 1, 0, NULL, arguments, NULL));
    expect_axpy(8);
    CHECK(cuModuleUnload(linked));
    ok("libraries and links");
}

static void memory(void)
{
    CUdeviceptr begin, rows;
    CUmemorytype type;
    size_t size, pitch;
    unsigned *pinned;
    CHECK(cuMemGetAddressRange(&begin, &size, x + 100));
    EXPECT(begin == x && size == sizeof from);
    CHECK(cuPointerGetAttribute(&type, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, x));
    EXPECT(type == CU_MEMORYTYPE_DEVICE);
    EXPECT(cuPointerGetAttribute(&type, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, (CUdeviceptr)&type) ==
           CUDA_ERROR_INVALID_VALUE);
    CHECK(cuMemHostAlloc((void **)&pinned, sizeof from, CU_MEMHOSTALLOC_DEVICEMAP));
    memcpy(pinned, from, sizeof from);
    CHECK(cuMemAllocPitch(&rows, &pitch, 100, 10, 4));
    CHECK(cuMemsetD2D16(rows, pitch, 0x1234, 50, 10));
    CUDA_MEMCPY2D copy = {
        .srcMemoryType = CU_MEMORYTYPE_HOST, .srcHost = pinned, .srcPitch = 80, .dstMemoryType = CU_MEMORYTYPE_DEVICE};
    copy.dstDevice = rows, copy.dstPitch = pitch, copy.WidthInBytes = 80, copy.Height = 10;
    CHECK(cuMemcpy2D(&copy));
    unsigned char row[100];
    for (unsigned i = 0; i < 10; i++) {
        CHECK(cuMemcpyDtoH(row, rows + i * pitch, 100));
        EXPECT(!memcmp(row, (char *)from + 80 * i, 80) && row[80] == 0x34 && row[99] == 0x12);
    }
    CHECK(cuMemFree(rows));
    CHECK(cuMemFreeHost(pinned));
    EXPECT(cuMemAlloc(&begin, 0) == CUDA_ERROR_INVALID_VALUE);
    EXPECT(cuMemAlloc(&begin, (size_t)1 << 50) == CUDA_ERROR_OUT_OF_MEMORY);
    EXPECT(cuMemFree(x + 4) == CUDA_ERROR_INVALID_VALUE);
    ok("memory");
}

static void streams(void)
{
    CUstream stream;
    CUevent begin, end;
    float milliseconds = -1;
    unsigned factor = 6, n = N;
    void *arguments[] = {&x, &y, &factor, &n};
    CHECK(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
    CHECK(cuEventCreate(&begin, CU_EVENT_DEFAULT));
    CHECK(cuEventCreate(&end, CU_EVENT_DEFAULT));
    fill_and_copy();
    CHECK(cuEventRecord(begin, stream));
    CHECK(cuLaunchKernel(axpy, 4, 1, 1, 256, 1, 1, 0, stream, arguments, NULL));
    CHECK(cuEventRecord(end, stream));
    CHECK(cuMemcpyDtoHAsync(to, y, sizeof to, stream));
    CHECK(cuStreamSynchronize(stream));
    CHECK(cuEventElapsedTime(&milliseconds, begin, end));
    EXPECT(milliseconds >= 0 && to[N - 1] == 5 + 6 * 3 * (N - 1));
    CHECK(cuEventDestroy(begin));
    CHECK(cuEventDestroy(end));
    CHECK(cuStreamDestroy(stream));
    ok("streams and events");
}

static void occupancy_and_entry_points(void)
{
    int blocks = 0, grid = 0, block = 0;
    CUresult (*get_count)(int *) = NULL;
    CUdriverProcAddressQueryResult status;
    CHECK(cuOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, axpy, 1024, 0));
    EXPECT(blocks >= 1);
    CHECK(cuOccupancyMaxPotentialBlockSize(&grid, &block, axpy, NULL, 0, 128));
    EXPECT(block > 0 && block <= 128 && grid > 0);
    CHECK(cuGetProcAddress("cuDeviceGetCount", (void **)&get_count, 12000, CU_GET_PROC_ADDRESS_DEFAULT, &status));
    EXPECT(status == CU_GET_PROC_ADDRESS_SUCCESS && !get_count(&block) && block == 1);
    cuGetProcAddress("cuNoSuchThing", (void **)&get_count, 12000, CU_GET_PROC_ADDRESS_DEFAULT, &status);
    EXPECT(status == CU_GET_PROC_ADDRESS_SYMBOL_NOT_FOUND && !get_count);
    ok("occupancy and entry points");
}

int main(void)
{
    devices_and_contexts();
    CHECK(cuMemAlloc(&x, sizeof from));
    CHECK(cuMemAlloc(&y, sizeof to));
    modules();
    launches();
    libraries_and_links();
    memory();
    streams();
    occupancy_and_entry_points();
    CHECK(cuMemFree(x));
    CHECK(cuMemFree(y));
    CHECK(cuModuleUnload(module));
    CHECK(cuDevicePrimaryCtxRelease(device));
    return 0;
}
