/* Memory and events of another process: a child, which has the device of its own, changes memory of its parent. */
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

static pid_t begin_child(int *from, int *to)
{
    int there[2], back[2];
    cr_assert(!pipe(there) && !pipe(back));
    pid_t pid = fork();
    if (!pid)
        _exit(child(there[0], back[1]));
    *from = back[0];
    *to = there[1];
    return pid;
}

Test(cuda_ipc, a_child_uses_memory_of_its_parent, .timeout = 60)
{
    struct message m;
    CUdeviceptr before, p, after;
    CUevent e;
    unsigned out[8], same[2], byte = 0;
    int from, to, status;
    pid_t pid = begin_child(&from, &to);
    start();
    WORKS(cuMemAlloc_v2(&before, 8));
    WORKS(cuMemAlloc_v2(&p, sizeof out));
    WORKS(cuMemAlloc_v2(&after, 8));
    WORKS(cuMemsetD32_v2(before, 3, 2));
    WORKS(cuMemsetD32_v2(p, 1, 8));
    WORKS(cuIpcGetMemHandle(&m.memory, p + 4));
    WORKS(cuMemsetD32_v2(after, 5, 2));
    FAILS(cuEventCreate(&e, CU_EVENT_INTERPROCESS), CUDA_ERROR_INVALID_VALUE);
    WORKS(cuEventCreate(&e, CU_EVENT_INTERPROCESS | CU_EVENT_DISABLE_TIMING));
    WORKS(cuIpcGetEventHandle(&m.event, e));
    cr_assert_eq(write(to, &m, sizeof m), sizeof m);
    cr_assert_eq(read(from, &byte, 1), 1);
    WORKS(cuMemcpyDtoH_v2(out, p, sizeof out));
    for (unsigned i = 0; i < 8; i++)
        cr_assert_eq(out[i], i ? 1 + i : 100);
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
