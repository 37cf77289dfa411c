/* Several devices: which the program sees, contexts and modules of each, access to one another's memory. */
#include <stdlib.h>
#include <string.h>

#include "common.h"

static CUcontext contexts[2];

/* Device 1 is current, then device 0. */
static void start_two(void)
{
    setenv("REPRISE_DEVICES", "2", 1);
    WORKS(cuInit(0));
    for (int d = 1; d >= 0; d--) {
        WORKS(cuDevicePrimaryCtxRetain(&contexts[d], d));
        WORKS(cuCtxSetCurrent(contexts[d]));
    }
}

static CUresult store(CUfunction f, CUdeviceptr to, unsigned value)
{
    CUresult r = run(f, 1, 1, NULL, (void *[]){&to, &value});
    return r ? r : cuCtxSynchronize();
}

static unsigned word_at(CUdeviceptr at)
{
    unsigned word;
    WORKS(cuMemcpyDtoH_v2(&word, at, sizeof word));
    return word;
}

static void buses(int expected, const int *bus)
{
    int count, value;
    WORKS(cuInit(0));
    WORKS(cuDeviceGetCount(&count));
    cr_assert_eq(count, expected);
    for (int d = 0; d < count; d++) {
        WORKS(cuDeviceGetAttribute(&value, CU_DEVICE_ATTRIBUTE_PCI_BUS_ID, d));
        cr_assert_eq(value, bus[d]);
    }
}

Test(cuda_peers, all_devices_are_visible)
{
    setenv("REPRISE_DEVICES", "3", 1);
    buses(3, (int[]){1, 2, 3});
    FAILS(cuDeviceGet(&(CUdevice){0}, 3), CUDA_ERROR_INVALID_DEVICE);
}

Test(cuda_peers, the_environment_orders_them)
{
    setenv("REPRISE_DEVICES", "4", 1);
    setenv("CUDA_VISIBLE_DEVICES", "2,0,7,1", 1); /* device 7 does not exist: CUDA ignores it and all behind it */
    buses(2, (int[]){3, 1});
}

Test(cuda_peers, the_environment_names_them)
{
    CUuuid id;
    CUdevice d;
    setenv("REPRISE_DEVICES", "4", 1);
    setenv("CUDA_VISIBLE_DEVICES", "GPU-72657072-6973-6520-6465-766963650003,1", 1);
    buses(2, (int[]){4, 2});
    WORKS(cuDeviceGetUuid_v2(&id, 0));
    cr_assert(!memcmp(id.bytes, "reprise device\0\3", 16));
    WORKS(cuDeviceGetByPCIBusId(&d, "0000:02:00.0"));
    cr_assert_eq(d, 1);
    FAILS(cuDeviceGetByPCIBusId(&d, "0000:03:00.0"), CUDA_ERROR_INVALID_DEVICE);
}

Test(cuda_peers, one_named_twice_leaves_none)
{
    setenv("REPRISE_DEVICES", "4", 1);
    setenv("CUDA_VISIBLE_DEVICES", "1,1", 1);
    FAILS(cuInit(0), CUDA_ERROR_NO_DEVICE);
}

Test(cuda_peers, there_are_at_most_16)
{
    setenv("REPRISE_DEVICES", "17", 1);
    FAILS(cuInit(0), CUDA_ERROR_INVALID_VALUE);
}

Test(cuda_peers, a_context_is_of_a_device)
{
    CUcontext c;
    CUdevice d;
    start_two();
    WORKS(cuCtxCreate_v2(&c, 0, 1));
    WORKS(cuCtxGetDevice(&d));
    cr_assert_eq(d, 1);
    WORKS(cuCtxDestroy_v2(c));
    WORKS(cuCtxSetCurrent(contexts[0]));
    WORKS(cuCtxGetDevice(&d));
    cr_assert_eq(d, 0);
    FAILS(cuCtxCreate_v2(&c, 0, 2), CUDA_ERROR_INVALID_DEVICE);
    FAILS(cuDevicePrimaryCtxRetain(&c, 2), CUDA_ERROR_INVALID_DEVICE);
}

Test(cuda_peers, access_is_enabled_and_disabled)
{
    CUdeviceptr there;
    int can;
    start_two();
    CUfunction f = kernel(load_kernels(), "store");
    WORKS(cuDeviceCanAccessPeer(&can, 0, 1));
    cr_assert_eq(can, 1);
    FAILS(cuCtxEnablePeerAccess(contexts[0], 0), CUDA_ERROR_INVALID_CONTEXT);
    FAILS(cuCtxEnablePeerAccess(contexts[1], 1), CUDA_ERROR_INVALID_VALUE);
    FAILS(cuCtxDisablePeerAccess(contexts[1]), CUDA_ERROR_PEER_ACCESS_NOT_ENABLED);
    WORKS(cuCtxEnablePeerAccess(contexts[1], 0));
    FAILS(cuCtxEnablePeerAccess(contexts[1], 0), CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED);
    WORKS(cuCtxSetCurrent(contexts[1]));
    WORKS(cuMemAlloc_v2(&there, 4));
    WORKS(cuCtxSetCurrent(contexts[0]));
    WORKS(store(f, there, 5));
    cr_assert_eq(word_at(there), 5);
    WORKS(cuCtxDisablePeerAccess(contexts[1]));
    FAILS(store(f, there, 6), CUDA_ERROR_ILLEGAL_ADDRESS);
    WORKS(cuCtxSetCurrent(contexts[1])); /* whose device has not failed */
    cr_assert_eq(word_at(there), 5);
}

/* Variables of a module are memory of its device, too. */
Test(cuda_peers, variables)
{
    CUdeviceptr counter;
    start_two();
    CUfunction f = kernel(load_kernels(), "store");
    WORKS(cuCtxSetCurrent(contexts[1]));
    WORKS(cuModuleGetGlobal_v2(&counter, NULL, load_kernels(), "counter"));
    WORKS(cuCtxSetCurrent(contexts[0]));
    WORKS(cuCtxEnablePeerAccess(contexts[1], 0));
    WORKS(store(f, counter, 9));
    cr_assert_eq(word_at(counter), 9);
    WORKS(cuCtxDisablePeerAccess(contexts[1]));
    FAILS(store(f, counter, 9), CUDA_ERROR_ILLEGAL_ADDRESS);
}

/* A module belongs to a context; a library is there on every device, and its variables on each anew. */
Test(cuda_peers, modules_and_libraries)
{
    static const char source[] =
        ".version 9.5\n.target sm_61\n.address_size 64\n.visible .global .u32 last = 1;\n"
        ".visible .entry note(.param .u32 v) { .reg .u32 r; ld.param.u32 r, [v]; st.global.u32 [last], r; ret; }\n";
    CUlibrary library;
    CUkernel note;
    CUdeviceptr last[2];
    unsigned value = 3;
    start_two();
    CUfunction f = kernel(load_kernels(), "empty");
    WORKS(cuLibraryLoadData(&library, source, NULL, NULL, 0, NULL, NULL, 0));
    WORKS(cuLibraryGetKernel(&note, library, "note"));
    WORKS(cuLibraryGetGlobal(&last[0], NULL, library, "last"));
    WORKS(cuCtxSetCurrent(contexts[1]));
    FAILS(run(f, 1, 1, NULL, NULL), CUDA_ERROR_INVALID_HANDLE);
    WORKS(run((CUfunction)note, 1, 1, NULL, (void *[]){&value}));
    WORKS(cuLibraryGetGlobal(&last[1], NULL, library, "last"));
    cr_assert(last[0] != last[1]);
    cr_assert_eq(word_at(last[0]), 1);
    cr_assert_eq(word_at(last[1]), 3);
    WORKS(cuLibraryUnload(library));
}

Test(cuda_peers, copies_name_contexts)
{
    CUdeviceptr here, there;
    start_two();
    WORKS(cuMemAlloc_v2(&here, 4));
    WORKS(cuMemsetD32_v2(here, 77, 1));
    WORKS(cuCtxSetCurrent(contexts[1]));
    WORKS(cuMemAlloc_v2(&there, 4));
    WORKS(cuMemcpyPeer(there, contexts[1], here, contexts[0], 4));
    cr_assert_eq(word_at(there), 77);
    FAILS(cuMemcpyPeer(there, NULL, here, contexts[0], 4), CUDA_ERROR_INVALID_CONTEXT);
    FAILS(cuMemcpyPeerAsync(there, contexts[1], here, (CUcontext)&here, 4, NULL), CUDA_ERROR_INVALID_CONTEXT);
}
