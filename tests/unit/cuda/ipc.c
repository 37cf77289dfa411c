/* Memory, pools and events of another process: a child, which has the device of its own, changes memory of its parent.
 */
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common.h"

struct message {
    CUipcMemHandle memory;
    CUipcEventHandle event;
};

/* Adds 1 to 1 + i for i < n; its status is that. */
static int child(int from, int to)
{
    struct message m;
    CUdeviceptr p;
    CUevent e;
    unsigned n = 8, four = 4;
    cr_assert_eq(read(from, &m, sizeof m), sizeof m);
    start();
    WORKS(cuIpcOpenMemHandle_v2(&p, m.memory, 1));
    WORKS(cuIpcOpenEventHandle(&e, m.event));
    WORKS(cuStreamWaitEvent(NULL, e, 0));
    WORKS(run(kernel(load_kernels(), "add"), 1, n, NULL, (void *[]){&p, &n}));
    FAILS(cuMemFree_v2(p), CUDA_ERROR_INVALID_VALUE);
    WORKS(cuMemsetD32_v2(p, 100, 1));
    cr_assert_eq(write(to, &four, 1), 1);
    cr_assert_eq(read(from, &four, 1), 1);
    WORKS(cuIpcCloseMemHandle(p));
    FAILS(cuIpcCloseMemHandle(p), CUDA_ERROR_INVALID_VALUE);
    return 7;
}

static pid_t begin_child(int (*run_child)(int from, int to), int *from, int *to)
{
    int there[2], back[2];
    cr_assert(!pipe(there) && !pipe(back));
    pid_t pid = fork();
    if (!pid) { /* without the parent's ends, it notices when the parent is gone */
        close(there[1]);
        close(back[0]);
        _exit(run_child(there[0], back[1]));
    }
    *from = back[0];
    *to = there[1];
    return pid;
}

/* Each block copies a word. */
static const char copy_words[] = ".version 7.0\n.target sm_61\n.address_size 64\n"
                                 ".visible .entry copy(.param .u64 to, .param .u64 from) {\n"
                                 ".reg .b64 %a<4>; .reg .b32 %b<3>; ld.param.u64 %a1, [to]; ld.param.u64 %a2, [from];\n"
                                 "mov.u32 %b1, %ctaid.x; mul.wide.u32 %a3, %b1, 4; add.u64 %a1, %a1, %a3;\n"
                                 "add.u64 %a2, %a2, %a3; ld.global.u32 %b2, [%a2]; st.global.u32 [%a1], %b2; ret; }";

/* Copies often, so that the same launch leaves memory as it is; the words are then first + i, but for the first. */
static void copies(CUdeviceptr to, CUdeviceptr from, unsigned zeroth, unsigned first, unsigned step)
{
    static CUfunction copy;
    CUmodule module;
    unsigned out[8];
    if (!copy) {
        WORKS(cuModuleLoadData(&module, copy_words));
        copy = kernel(module, "copy");
    }
    for (int i = 0; i < 4; i++)
        WORKS(run(copy, 8, 1, NULL, (void *[]){&to, &from}));
    WORKS(cuMemcpyDtoH_v2(out, to, sizeof out));
    for (unsigned i = 0; i < 8; i++)
        cr_assert_eq(out[i], i ? first + i * step : zeroth);
}

Test(cuda_ipc, a_child_uses_memory_of_its_parent, .timeout = 60)
{
    struct message m;
    CUdeviceptr before, p, after, copied;
    CUevent e;
    unsigned out[8], same[2], byte = 0;
    int from, to, status;
    pid_t pid = begin_child(child, &from, &to);
    start();
    WORKS(cuMemAlloc_v2(&before, 8));
    WORKS(cuMemAlloc_v2(&p, sizeof out));
    WORKS(cuMemAlloc_v2(&after, 8));
    WORKS(cuMemsetD32_v2(before, 3, 2));
    WORKS(cuMemsetD32_v2(p, 1, 8));
    WORKS(cuIpcGetMemHandle(&m.memory, p + 4));
    WORKS(cuMemsetD32_v2(after, 5, 2));
    WORKS(cuMemAlloc_v2(&copied, sizeof out));
    copies(copied, p, 1, 1, 0);
    FAILS(cuEventCreate(&e, CU_EVENT_INTERPROCESS), CUDA_ERROR_INVALID_VALUE);
    WORKS(cuEventCreate(&e, CU_EVENT_INTERPROCESS | CU_EVENT_DISABLE_TIMING));
    WORKS(cuIpcGetEventHandle(&m.event, e));
    cr_assert_eq(write(to, &m, sizeof m), sizeof m);
    cr_assert_eq(read(from, &byte, 1), 1);
    WORKS(cuMemcpyDtoH_v2(out, p, sizeof out));
    for (unsigned i = 0; i < 8; i++)
        cr_assert_eq(out[i], i ? 1 + i : 100);
    copies(copied, p, 100, 1, 1);
    WORKS(cuMemFree_v2(p));
    WORKS(cuMemcpyDtoH_v2(same, before, 8));
    cr_assert(same[0] == 3 && same[1] == 3);
    WORKS(cuMemcpyDtoH_v2(same, after, 8));
    cr_assert(same[0] == 5 && same[1] == 5);
    cr_assert_eq(write(to, &byte, 1), 1);
    cr_assert_eq(waitpid(pid, &status, 0), pid);
    cr_assert(WIFEXITED(status) && WEXITSTATUS(status) == 7);
}

Test(cuda_ipc, refuses_what_is_no_handle)
{
    CUdeviceptr p;
    CUevent e;
    struct message m;
    start();
    memset(&m, 0, sizeof m);
    FAILS(cuIpcOpenMemHandle_v2(&p, m.memory, 1), CUDA_ERROR_INVALID_VALUE);
    FAILS(cuIpcOpenEventHandle(&e, m.event), CUDA_ERROR_INVALID_VALUE);
    FAILS(cuIpcGetMemHandle(&m.memory, 64), CUDA_ERROR_INVALID_VALUE);
    WORKS(cuEventCreate(&e, 0));
    FAILS(cuIpcGetEventHandle(&m.event, e), CUDA_ERROR_INVALID_HANDLE);
    WORKS(cuMemAlloc_v2(&p, 64));
    WORKS(cuIpcGetMemHandle(&m.memory, p));
    FAILS(cuIpcOpenMemHandle_v2(&p, m.memory, 1), CUDA_ERROR_INVALID_CONTEXT);
}

/* ---- pools ------------------------------------------------------------------------------------------------------- */

struct pool_message {
    int descriptors[2];
    CUmemPoolPtrExportData memory[2];
};
enum { DESCRIPTOR = 1 }; /* CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR */

static CUmemoryPool take_pool(int descriptor)
{
    char path[64];
    CUmemoryPool pool;
    snprintf(path, sizeof path, "/proc/%d/fd/%d", getppid(), descriptor);
    int handle = open(path, O_RDWR);
    cr_assert_geq(handle, 0);
    WORKS(cuMemPoolImportFromShareableHandle(&pool, (void *)(intptr_t)handle, DESCRIPTOR, 0));
    close(handle);
    return pool;
}

/* Adds 1 to 1 + i for i < n in memory of the second pool; its status is that. */
static int child_of_pools(int from, int to)
{
    struct pool_message m;
    CUmemoryPool pools[2];
    CUdeviceptr p, own;
    unsigned n = 8, byte = 1;
    int flags;
    CUmemLocation here = {.type = CU_MEM_LOCATION_TYPE_DEVICE};
    cr_assert_eq(read(from, &m, sizeof m), sizeof m);
    start();
    for (int i = 0; i < 2; i++)
        pools[i] = take_pool(m.descriptors[i]);
    WORKS(cuMemPoolGetAccess(&flags, pools[1], &here));
    cr_assert_eq(flags, 3);
    FAILS(cuMemAllocFromPoolAsync(&own, 64, pools[1], NULL), CUDA_ERROR_INVALID_VALUE);
    FAILS(cuDeviceSetMemPool(0, pools[1]), CUDA_ERROR_INVALID_VALUE);
    FAILS(cuMemPoolImportPointer(&p, pools[0], &m.memory[1]), CUDA_ERROR_INVALID_VALUE);
    WORKS(cuMemPoolImportPointer(&p, pools[1], &m.memory[1]));
    WORKS(run(kernel(load_kernels(), "add"), 1, n, NULL, (void *[]){&p, &n}));
    FAILS(cuIpcCloseMemHandle(p), CUDA_ERROR_INVALID_VALUE);
    FAILS(cuMemFreeAsync(p + 4, NULL), CUDA_ERROR_INVALID_VALUE);
    WORKS(cuMemFreeAsync(p, NULL));
    FAILS(cuMemFreeAsync(p, NULL), CUDA_ERROR_INVALID_VALUE);
    WORKS(cuMemPoolImportPointer(&p, pools[1], &m.memory[1]));
    for (int i = 0; i < 2; i++)
        WORKS(cuMemPoolDestroy(pools[i]));
    WORKS(cuMemFree_v2(p));
    cr_assert_eq(write(to, &byte, 1), 1);
    return 7;
}

static CUmemoryPool new_pool(int handles)
{
    CUmemoryPool pool;
    CUmemPoolProps properties = {.allocType = CU_MEM_ALLOCATION_TYPE_PINNED,
                                 .handleTypes = handles,
                                 .location.type = CU_MEM_LOCATION_TYPE_DEVICE};
    WORKS(cuMemPoolCreate(&pool, &properties));
    return pool;
}

Test(cuda_ipc, a_child_uses_pools_of_its_parent, .timeout = 60)
{
    struct pool_message m;
    CUdeviceptr p[2];
    unsigned out[8], byte = 0;
    int from, to, status, types;
    pid_t pid = begin_child(child_of_pools, &from, &to);
    start();
    WORKS(cuDeviceGetAttribute(&types, CU_DEVICE_ATTRIBUTE_MEMPOOL_SUPPORTED_HANDLE_TYPES, 0));
    cr_assert_eq(types, DESCRIPTOR);
    for (int i = 0; i < 2; i++) {
        CUmemoryPool pool = new_pool(DESCRIPTOR);
        WORKS(cuMemAllocFromPoolAsync(&p[i], sizeof out, pool, NULL));
        WORKS(cuMemsetD32_v2(p[i], 1, 8));
        WORKS(cuMemPoolExportToShareableHandle(&m.descriptors[i], pool, DESCRIPTOR, 0));
        WORKS(cuMemPoolExportPointer(&m.memory[i], p[i]));
    }
    cr_assert_eq(write(to, &m, sizeof m), sizeof m);
    cr_assert_eq(read(from, &byte, 1), 1);
    for (int k = 0; k < 2; k++) {
        WORKS(cuMemcpyDtoH_v2(out, p[k], sizeof out));
        for (unsigned i = 0; i < 8; i++)
            cr_assert_eq(out[i], 1 + (k ? i : 0));
    }
    cr_assert_eq(waitpid(pid, &status, 0), pid);
    cr_assert(WIFEXITED(status) && WEXITSTATUS(status) == 7);
}

Test(cuda_ipc, refuses_what_is_no_pool)
{
    CUdeviceptr p;
    CUmemoryPool pool, shared;
    struct pool_message m = {0};
    int handle, null = open("/dev/null", O_RDWR);
    start();
    pool = new_pool(0);
    shared = new_pool(DESCRIPTOR);
    FAILS(cuMemPoolExportToShareableHandle(&handle, pool, DESCRIPTOR, 0), CUDA_ERROR_INVALID_VALUE);
    FAILS(cuMemPoolExportToShareableHandle(&handle, shared, 2, 0), CUDA_ERROR_INVALID_VALUE);
    WORKS(cuMemAllocFromPoolAsync(&p, 64, pool, NULL));
    FAILS(cuMemPoolExportPointer(m.memory, p), CUDA_ERROR_INVALID_VALUE);
    FAILS(cuMemPoolImportFromShareableHandle(&pool, (void *)(intptr_t)null, DESCRIPTOR, 0), CUDA_ERROR_INVALID_VALUE);
    FAILS(cuMemPoolImportPointer(&p, shared, m.memory), CUDA_ERROR_INVALID_VALUE);
}
