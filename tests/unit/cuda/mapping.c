/* Reserved addresses, and memory that is mapped there; the memory of graphs. */
#include "common.h"

enum { MB = 1 << 20 };
static const CUmemAllocationProp on_device = {.type = 1, .location = {1, 0}};

static CUmemGenericAllocationHandle memory(size_t bytes)
{
    CUmemGenericAllocationHandle m;
    WORKS(cuMemCreate(&m, bytes, &on_device, 0));
    return m;
}

/* Copies and kernels cross the border between two memories. */
Test(cuda_mapping, grows_in_place)
{
    CUdeviceptr p;
    size_t granularity;
    unsigned n = 64, out[64];
    start();
    WORKS(cuMemGetAllocationGranularity(&granularity, &on_device, 0));
    cr_assert_eq(granularity, 2 * MB);
    WORKS(cuMemAddressReserve(&p, 64 * (size_t)MB, 0, 0, 0));
    CUmemGenericAllocationHandle first = memory(2 * MB), second = memory(2 * MB);
    CUmemAccessDesc access = {{1, 0}, 3};
    WORKS(cuMemMap(p, 2 * MB, 0, first, 0));
    WORKS(cuMemMap(p + 2 * MB, 2 * MB, 0, second, 0));
    WORKS(cuMemSetAccess(p, 4 * MB, &access, 1));
    CUdeviceptr across = p + 2 * MB - 128;
    WORKS(cuMemsetD32_v2(across, 5, n));
    WORKS(run(kernel(load_kernels(), "add"), 1, 64, NULL, (void *[]){&across, &n}));
    WORKS(cuMemcpyDtoH_v2(out, across, sizeof out));
    for (unsigned i = 0; i < n; i++)
        cr_assert_eq(out[i], 5 + i);
    FAILS(cuMemAddressFree(p, 64 * (size_t)MB), CUDA_ERROR_INVALID_VALUE);
    WORKS(cuMemRelease(first));
    WORKS(cuMemUnmap(p, 4 * MB));
    FAILS(cuMemRelease(first), CUDA_ERROR_INVALID_VALUE);
    WORKS(cuMemRelease(second));
    WORKS(cuMemAddressFree(p, 64 * (size_t)MB));
}

Test(cuda_mapping, memory_keeps_its_content)
{
    CUdeviceptr p;
    unsigned out = 0;
    start();
    WORKS(cuMemAddressReserve(&p, 8 * MB, 0, 0, 0));
    CUmemGenericAllocationHandle m = memory(2 * MB), again;
    WORKS(cuMemMap(p, 2 * MB, 0, m, 0));
    WORKS(cuMemsetD32_v2(p + 64, 9, 1));
    FAILS(cuMemMap(p + 4 * MB, 2 * MB, 0, m, 0), CUDA_ERROR_NOT_SUPPORTED);
    WORKS(cuMemRetainAllocationHandle(&again, (void *)(uintptr_t)(p + 100)));
    cr_assert_eq(again, m);
    WORKS(cuMemUnmap(p, 2 * MB));
    WORKS(cuMemMap(p + 4 * MB, 2 * MB, 0, m, 0));
    WORKS(cuMemcpyDtoH_v2(&out, p + 4 * MB + 64, 4));
    cr_assert_eq(out, 9);
}

Test(cuda_mapping, refuses_what_a_gpu_refuses)
{
    CUdeviceptr p;
    CUmemGenericAllocationHandle m;
    size_t before, after, total;
    start();
    FAILS(cuMemAddressReserve(&p, 1000, 0, 0, 0), CUDA_ERROR_INVALID_VALUE);
    FAILS(cuMemCreate(&m, 1000, &on_device, 0), CUDA_ERROR_INVALID_VALUE);
    WORKS(cuMemGetInfo_v2(&before, &total));
    FAILS(cuMemCreate(&m, (total / MB + 2) / 2 * 2 * MB, &on_device, 0), CUDA_ERROR_OUT_OF_MEMORY);
    WORKS(cuMemAddressReserve(&p, 2 * total, 0, 0, 0));
    m = memory(4 * MB);
    WORKS(cuMemGetInfo_v2(&after, &total));
    cr_assert_eq(before - after, 4 * MB);
    FAILS(cuMemMap(p + 1 * MB, 4 * MB, 0, m, 0), CUDA_ERROR_INVALID_VALUE);
    FAILS(cuMemMap(p, 2 * MB, 0, m, 0), CUDA_ERROR_INVALID_VALUE);
    FAILS(cuMemFree_v2(p), CUDA_ERROR_INVALID_VALUE);
    WORKS(cuMemRelease(m));
    WORKS(cuMemGetInfo_v2(&after, &total));
    cr_assert_eq(before, after);
}

static cuuint64_t figure(int attribute)
{
    cuuint64_t value;
    WORKS(cuDeviceGetGraphMemAttribute(0, attribute, &value));
    return value;
}

Test(cuda_mapping, counts_the_memory_of_graphs)
{
    enum { USED, USED_HIGH, RESERVED, RESERVED_HIGH };
    CUDA_MEM_ALLOC_NODE_PARAMS allocation = {.poolProps = {.allocType = 1, .location = {1, 0}}, .bytesize = 4096};
    CUgraph g;
    CUgraphNode n, last;
    CUgraphExec exec;
    cuuint64_t zero = 0, one = 1;
    start();
    WORKS(cuGraphCreate(&g, 0));
    WORKS(cuGraphAddMemAllocNode(&n, g, NULL, 0, &allocation));
    WORKS(cuGraphAddMemFreeNode(&last, g, &n, 1, allocation.dptr));
    WORKS(cuGraphInstantiateWithFlags(&exec, g, 0));
    cr_assert_eq(figure(RESERVED), 0);
    WORKS(cuGraphLaunch(exec, NULL));
    cr_assert(figure(USED) == 0 && figure(USED_HIGH) == 4096 && figure(RESERVED) == 4096);
    WORKS(cuDeviceGraphMemTrim(0));
    cr_assert(figure(RESERVED) == 0 && figure(RESERVED_HIGH) == 4096);
    FAILS(cuDeviceSetGraphMemAttribute(0, RESERVED_HIGH, &one), CUDA_ERROR_INVALID_VALUE);
    WORKS(cuDeviceSetGraphMemAttribute(0, RESERVED_HIGH, &zero));
    cr_assert_eq(figure(RESERVED_HIGH), 0);
}

/* What a graph allocates and the program frees is there again at the graph's next launch. */
Test(cuda_mapping, a_graph_allocates_again_what_the_program_has_freed)
{
    CUDA_MEM_ALLOC_NODE_PARAMS allocation = {.poolProps = {.allocType = 1, .location = {1, 0}}, .bytesize = 4};
    CUgraph g;
    CUgraphNode n;
    CUgraphExec exec;
    unsigned out = 0;
    start();
    WORKS(cuGraphCreate(&g, 0));
    WORKS(cuGraphAddMemAllocNode(&n, g, NULL, 0, &allocation));
    WORKS(cuGraphInstantiateWithFlags(&exec, g, 0));
    for (unsigned i = 0; i < 2; i++) {
        WORKS(cuGraphLaunch(exec, NULL));
        WORKS(cuMemsetD32_v2(allocation.dptr, 6, 1));
        WORKS(cuMemcpyDtoH_v2(&out, allocation.dptr, 4));
        cr_assert_eq(out, 6);
        WORKS(cuMemFree_v2(allocation.dptr));
    }
}
