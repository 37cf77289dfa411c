/* Allocations, copies, fills, pools, pointers. */
#include <stdlib.h>
#include <string.h>

#include "common.h"

Test(cuda_memory, lies_at_the_same_address_every_time)
{
    CUdeviceptr p, q;
    size_t bytes, free_bytes, total;
    start();
    WORKS(cuMemAlloc_v2(&p, 1000));
    cr_assert(p % 512 == 0 && p >> 32);
    WORKS(cuMemGetAddressRange_v2(&q, &bytes, p + 999));
    cr_assert(q == p && bytes == 1000);
    WORKS(cuMemGetInfo_v2(&free_bytes, &total));
    cr_assert_eq(total - free_bytes, 1024);
    WORKS(cuMemFree_v2(p));
    WORKS(cuMemGetInfo_v2(&free_bytes, &total));
    cr_assert_eq(total, free_bytes);
}

Test(cuda_memory, says_what_cannot_be)
{
    CUdeviceptr p;
    void *host;
    start();
    FAILS(cuMemAlloc_v2(&p, 0), CUDA_ERROR_INVALID_VALUE);
    FAILS(cuMemAlloc_v2(&p, (size_t)1 << 50), CUDA_ERROR_OUT_OF_MEMORY);
    WORKS(cuMemAlloc_v2(&p, 512));
    FAILS(cuMemFree_v2(p + 4), CUDA_ERROR_INVALID_VALUE);
    FAILS(cuMemFreeHost((void *)(uintptr_t)p), CUDA_ERROR_INVALID_VALUE);
    FAILS(cuMemcpyDtoH_v2(&host, p + 510, 8), CUDA_ERROR_INVALID_VALUE);
    WORKS(cuMemFree_v2(p));
    FAILS(cuMemFree_v2(p), CUDA_ERROR_INVALID_VALUE);
    FAILS(cuMemsetD8_v2(p, 0, 1), CUDA_ERROR_INVALID_VALUE);
    WORKS(cuMemFree_v2(0));
}

Test(cuda_memory, is_copied_and_filled)
{
    CUdeviceptr p;
    unsigned host[64];
    start();
    WORKS(cuMemAlloc_v2(&p, sizeof host));
    WORKS(cuMemsetD32_v2(p, 0x01020304, 64));
    WORKS(cuMemsetD16_v2(p + 4, 0xffff, 1));
    WORKS(cuMemsetD8_v2(p + 8, 0xee, 1));
    FAILS(cuMemsetD32_v2(p + 2, 0, 1), CUDA_ERROR_INVALID_VALUE);
    WORKS(cuMemcpyDtoD_v2(p + 128, p, 128));
    WORKS(cuMemcpyDtoH_v2(host, p, sizeof host));
    cr_assert(host[32] == 0x01020304 && host[33] == 0x0102ffff && host[34] == 0x010203ee);
    host[0] = 5;
    WORKS(cuMemcpy(p, (uintptr_t)host, 4));
    WORKS(cuMemcpy((uintptr_t)&host[1], p, 4));
    cr_assert_eq(host[1], 5);
}

/* A box of 3 × 2 bytes out of rows of 16 and slices of 64. */
Test(cuda_memory, is_copied_in_boxes)
{
    CUdeviceptr p;
    uint8_t in[256], out[12];
    start();
    for (int i = 0; i < 256; i++)
        in[i] = (uint8_t)i;
    WORKS(cuMemAlloc_v2(&p, sizeof in));
    WORKS(cuMemcpyHtoD_v2(p, in, sizeof in));
    CUDA_MEMCPY3D c = {.srcMemoryType = CU_MEMORYTYPE_DEVICE,
                       .srcDevice = p,
                       .srcPitch = 16,
                       .srcHeight = 4,
                       .srcXInBytes = 5,
                       .srcY = 1,
                       .srcZ = 1,
                       .dstMemoryType = CU_MEMORYTYPE_HOST,
                       .dstHost = out,
                       .dstPitch = 3,
                       .dstHeight = 2,
                       .WidthInBytes = 3,
                       .Height = 2,
                       .Depth = 2};
    WORKS(cuMemcpy3D_v2(&c));
    for (int z = 0; z < 2; z++)
        for (int y = 0; y < 2; y++)
            for (int x = 0; x < 3; x++)
                cr_assert_eq(out[z * 6 + y * 3 + x], in[(z + 1) * 64 + (y + 1) * 16 + x + 5]);
    c.srcZ = 3;
    FAILS(cuMemcpy3D_v2(&c), CUDA_ERROR_INVALID_VALUE);
}

Test(cuda_memory, of_the_host_is_the_devices)
{
    unsigned *pinned, *managed, own[256] = {0};
    CUdeviceptr p;
    unsigned value = 9;
    start();
    CUfunction store = kernel(load_kernels(), "store");
    WORKS(cuMemHostAlloc((void **)&pinned, 64, CU_MEMHOSTALLOC_DEVICEMAP));
    WORKS(cuMemHostGetDevicePointer_v2(&p, pinned, 0));
    WORKS(run(store, 1, 1, NULL, (void *[]){&p, &value}));
    WORKS(cuCtxSynchronize());
    cr_assert_eq(*pinned, 9);
    WORKS(cuMemAllocManaged(&p, 64, CU_MEM_ATTACH_GLOBAL));
    managed = (unsigned *)(uintptr_t)p;
    WORKS(run(store, 1, 1, NULL, (void *[]){&p, &value}));
    cr_assert_eq(*managed, 9);
    WORKS(cuMemHostRegister_v2(own, sizeof own, 0));
    FAILS(cuMemHostRegister_v2(own, sizeof own, 0), CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED);
    p = (uintptr_t)&own[3];
    WORKS(run(store, 1, 1, NULL, (void *[]){&p, &value}));
    cr_assert_eq(own[3], 9);
    WORKS(cuMemHostUnregister(own));
    FAILS(cuMemHostUnregister(own), CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED);
    WORKS(cuMemFreeHost(pinned));
    WORKS(cuMemFree_v2((uintptr_t)managed));
}

Test(cuda_memory, pointers_are_known)
{
    CUdeviceptr p;
    void *pinned;
    unsigned type, ordinal = 7;
    int local;
    start();
    WORKS(cuMemAlloc_v2(&p, 64));
    WORKS(cuMemAllocHost_v2(&pinned, 64));
    WORKS(cuPointerGetAttribute(&type, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, p + 63));
    cr_assert_eq(type, CU_MEMORYTYPE_DEVICE);
    WORKS(cuPointerGetAttribute(&type, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, (uintptr_t)pinned));
    cr_assert_eq(type, CU_MEMORYTYPE_HOST);
    FAILS(cuPointerGetAttribute(&type, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, (uintptr_t)&local), CUDA_ERROR_INVALID_VALUE);
    CUpointer_attribute wanted[] = {CU_POINTER_ATTRIBUTE_MEMORY_TYPE, CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL};
    WORKS(cuPointerGetAttributes(2, wanted, (void *[]){&type, &ordinal}, (uintptr_t)&local));
    cr_assert_eq(type, 0);
    cr_assert_eq((int)ordinal, CU_DEVICE_INVALID);
}

Test(cuda_memory, pools_count)
{
    CUmemoryPool pool;
    CUdeviceptr p;
    uint64_t value = 12345, used;
    start();
    WORKS(cuDeviceGetMemPool(&pool, 0));
    WORKS(cuMemPoolSetAttribute(pool, CU_MEMPOOL_ATTR_RELEASE_THRESHOLD, &value));
    WORKS(cuMemPoolGetAttribute(pool, CU_MEMPOOL_ATTR_RELEASE_THRESHOLD, &used));
    cr_assert_eq(used, 12345);
    WORKS(cuMemAllocFromPoolAsync(&p, 700, pool, NULL));
    WORKS(cuMemPoolGetAttribute(pool, CU_MEMPOOL_ATTR_USED_MEM_CURRENT, &used));
    cr_assert_eq(used, 1024);
    WORKS(cuMemFreeAsync(p, NULL));
    WORKS(cuMemPoolGetAttribute(pool, CU_MEMPOOL_ATTR_USED_MEM_CURRENT, &used));
    cr_assert_eq(used, 0);
    FAILS(cuMemFreeAsync(p, NULL), CUDA_ERROR_INVALID_VALUE);
}

/* CUDA 13 asks for the pools of a device by its place and the type of memory. */
Test(cuda_memory, pools_of_a_place)
{
    CUmemoryPool pool, own, given;
    CUmemLocation device = {CU_MEM_LOCATION_TYPE_DEVICE, 0}, host = {CU_MEM_LOCATION_TYPE_HOST, 0};
    CUmemLocation none = {CU_MEM_LOCATION_TYPE_NONE, 0}, other = {CU_MEM_LOCATION_TYPE_DEVICE, 99};
    CUmemPoolProps properties = {.allocType = CU_MEM_ALLOCATION_TYPE_PINNED, .location = device};
    start();
    WORKS(cuDeviceGetDefaultMemPool(&own, 0));
    WORKS(cuMemGetDefaultMemPool(&given, &device, CU_MEM_ALLOCATION_TYPE_PINNED));
    cr_assert_eq(given, own);
    WORKS(cuMemPoolCreate(&pool, &properties));
    WORKS(cuMemSetMemPool(&device, CU_MEM_ALLOCATION_TYPE_PINNED, pool));
    WORKS(cuMemGetMemPool(&given, &device, CU_MEM_ALLOCATION_TYPE_PINNED));
    cr_assert_eq(given, pool);
    WORKS(cuDeviceGetMemPool(&given, 0));
    cr_assert_eq(given, pool);
    WORKS(cuMemGetDefaultMemPool(&given, &device, CU_MEM_ALLOCATION_TYPE_PINNED));
    cr_assert_eq(given, own);
    FAILS(cuMemGetMemPool(&given, &other, CU_MEM_ALLOCATION_TYPE_PINNED), CUDA_ERROR_INVALID_DEVICE);
    FAILS(cuMemGetMemPool(&given, &none, CU_MEM_ALLOCATION_TYPE_PINNED), CUDA_ERROR_INVALID_VALUE);
    FAILS(cuMemGetMemPool(&given, &device, 0), CUDA_ERROR_INVALID_VALUE);
    FAILS(cuMemGetMemPool(&given, &host, CU_MEM_ALLOCATION_TYPE_PINNED), CUDA_ERROR_NOT_SUPPORTED);
    FAILS(cuMemGetDefaultMemPool(&given, &none, CU_MEM_ALLOCATION_TYPE_MANAGED), CUDA_ERROR_NOT_SUPPORTED);
}

/* libcu++ makes a stream in a context, takes that off the thread and allocates on the stream. */
Test(cuda_memory, pools_without_a_current_context)
{
    CUmemoryPool pool;
    CUstream stream;
    CUcontext context;
    CUdeviceptr p, q;
    start();
    WORKS(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
    WORKS(cuDeviceGetDefaultMemPool(&pool, 0));
    WORKS(cuCtxPopCurrent_v2(&context));
    WORKS(cuMemAllocFromPoolAsync(&p, 64, pool, stream));
    WORKS(cuMemAllocAsync(&q, 64, stream));
    WORKS(cuMemFreeAsync(p, stream));
    WORKS(cuMemFreeAsync(q, stream));
    WORKS(cuStreamSynchronize(stream));
    FAILS(cuMemAllocFromPoolAsync(&p, 64, pool, NULL), CUDA_ERROR_INVALID_CONTEXT);
    FAILS(cuStreamSynchronize(NULL), CUDA_ERROR_INVALID_CONTEXT);
}

/* Many allocations, freed out of order: their pages come and go, and what is allocated is zero. */
Test(cuda_memory, comes_back_as_zeros)
{
    enum { COUNT = 2000 };
    static CUdeviceptr p[COUNT];
    unsigned char byte;
    start();
    for (int round = 0; round < 3; round++) {
        for (int i = 0; i < COUNT; i++) {
            WORKS(cuMemAlloc_v2(&p[i], (size_t)(1 + i * 97 % 70000)));
            WORKS(cuMemcpyDtoH_v2(&byte, p[i] + (unsigned)(i * 97 % 70000), 1));
            cr_assert_eq(byte, 0);
            WORKS(cuMemsetD8_v2(p[i], 0xff, (size_t)(1 + i * 97 % 70000)));
        }
        for (int i = 0; i < COUNT; i++)
            WORKS(cuMemFree_v2(p[(i * 7) % COUNT]));
    }
}

Test(cuda_memory, is_copied_in_batches)
{
    CUdeviceptr p, to[2], from[2];
    CUstream stream;
    char in[8] = "abcdefg", out[8] = "";
    size_t bytes[2] = {4, 4}, first[2] = {0, 1}, failed;
    CUmemcpyAttributes a[2] = {{.srcAccessOrder = 1}, {.srcAccessOrder = 3}};
    start();
    WORKS(cuStreamCreate(&stream, 0));
    WORKS(cuMemAlloc_v2(&p, 8));
    to[0] = p + 4, to[1] = p;
    from[0] = (uintptr_t)(in + 4), from[1] = (uintptr_t)in;
    WORKS(cuMemcpyBatchAsync_v2(to, from, bytes, 2, a, first, 2, stream));
    WORKS(cuMemcpyDtoH_v2(out, p, 8));
    cr_assert_str_eq(out, in);
    to[1] = p + 5; /* the second one goes beyond */
    FAILS(cuMemcpyBatchAsync(to, from, bytes, 2, a, first, 2, &failed, stream), CUDA_ERROR_INVALID_VALUE);
    cr_assert_eq(failed, 1);
    FAILS(cuMemcpyBatchAsync(to, from, bytes, 2, a, first, 3, &failed, stream), CUDA_ERROR_INVALID_VALUE);
    cr_assert_eq(failed, SIZE_MAX);
    first[0] = 1; /* the first copy has no attributes */
    FAILS(cuMemcpyBatchAsync_v2(to, from, bytes, 2, a, first, 1, stream), CUDA_ERROR_INVALID_VALUE);
    FAILS(cuMemcpyBatchAsync_v2(to, from, bytes, 2, a, first, 0, stream), CUDA_ERROR_INVALID_VALUE);
}
