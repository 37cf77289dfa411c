/* Kernels that wait for a store of the host or of another stream. The host goes on meanwhile. */
#include <stdint.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common.h"

static const char waiting[] = ".version 9.5\n.target sm_61\n.address_size 64\n"
                              /* waits until *f = 1, then doubles *p */
                              ".visible .entry wait(.param .u64 f, .param .u64 p) {\n"
                              "  .reg .b64 %rd<3>; .reg .b32 %r<3>; .reg .pred %p<2>;\n"
                              "  ld.param.u64 %rd1, [f]; ld.param.u64 %rd2, [p];\n"
                              "AGAIN: ld.volatile.global.u32 %r1, [%rd1]; setp.ne.u32 %p1, %r1, 1; @%p1 bra AGAIN;\n"
                              "  ld.global.u32 %r2, [%rd2]; add.u32 %r2, %r2, %r2; st.global.u32 [%rd2], %r2; ret; }\n"
                              /* for i = 1 to 5: waits until f[0] = i, then f[1] = i */
                              ".visible .entry echo(.param .u64 f) {\n"
                              "  .reg .b64 %rd<2>; .reg .b32 %r<3>; .reg .pred %p<2>;\n"
                              "  ld.param.u64 %rd1, [f]; mov.u32 %r1, 1;\n"
                              "AGAIN: ld.volatile.global.u32 %r2, [%rd1]; setp.ne.u32 %p1, %r2, %r1; @%p1 bra AGAIN;\n"
                              "  st.volatile.global.u32 [%rd1 + 4], %r1; add.u32 %r1, %r1, 1;\n"
                              "  setp.le.u32 %p1, %r1, 5; @%p1 bra AGAIN; ret; }\n";

static CUmodule load_waiting(void)
{
    CUmodule m;
    WORKS(cuModuleLoadData(&m, waiting));
    return m;
}

/* Host memory of two words: 0 and 3. */
static volatile unsigned *words(void)
{
    unsigned *w;
    WORKS(cuMemAllocHost_v2((void **)&w, 8));
    w[0] = 0;
    w[1] = 3;
    return w;
}

static CUstream stream(unsigned flags)
{
    CUstream s;
    WORKS(cuStreamCreate(&s, flags));
    return s;
}

static void launch_wait(CUmodule m, CUstream s, volatile unsigned *w)
{
    uint64_t f = (uintptr_t)w, p = (uintptr_t)(w + 1);
    WORKS(run(kernel(m, "wait"), 1, 1, s, (void *[]){&f, &p}));
}

Test(cuda_pending, a_kernel_waits_for_the_host)
{
    start();
    volatile unsigned *w = words();
    launch_wait(load_waiting(), NULL, w);
    cr_assert_eq(w[1], 3);
    FAILS(cuStreamQuery(NULL), CUDA_ERROR_NOT_READY);
    w[0] = 1;
    WORKS(cuCtxSynchronize());
    cr_assert_eq(w[1], 6);
    WORKS(cuStreamQuery(NULL));
}

Test(cuda_pending, the_host_waits_for_the_kernel_without_a_call, .timeout = 60)
{
    start();
    volatile unsigned *w = words();
    uint64_t f = (uintptr_t)w;
    w[1] = 0;
    WORKS(run(kernel(load_waiting(), "echo"), 1, 1, NULL, (void *[]){&f}));
    for (unsigned i = 1; i <= 5; i++) {
        w[0] = i;
        while (w[1] != i)
            ;
    }
    WORKS(cuCtxSynchronize());
}

/* Work of the same stream and of those that wait for its event keeps its place; other streams go on. */
Test(cuda_pending, streams_keep_their_order)
{
    CUevent e;
    unsigned one = 1, seven = 7;
    start();
    CUmodule m = load_waiting(), plain = load_kernels();
    volatile unsigned *w = words();
    uint64_t f = (uintptr_t)w, p = (uintptr_t)(w + 1);
    CUstream a = stream(CU_STREAM_NON_BLOCKING), b = stream(CU_STREAM_NON_BLOCKING), c = stream(CU_STREAM_NON_BLOCKING);
    WORKS(cuEventCreate(&e, 0));
    launch_wait(m, a, w);
    WORKS(run(kernel(plain, "store"), 1, 1, a, (void *[]){&p, &seven}));
    launch_wait(m, a, w);
    WORKS(cuEventRecord(e, a));
    WORKS(cuStreamWaitEvent(b, e, 0));
    launch_wait(m, b, w);
    FAILS(cuEventQuery(e), CUDA_ERROR_NOT_READY);
    FAILS(cuStreamQuery(b), CUDA_ERROR_NOT_READY);
    WORKS(cuStreamQuery(c));
    WORKS(cuEventDestroy_v2(e));
    cr_assert_eq(w[1], 3);
    WORKS(run(kernel(plain, "store"), 1, 1, c, (void *[]){&f, &one}));
    WORKS(cuStreamSynchronize(b));
    cr_assert_eq(w[1], 28);
}

/* The default stream comes after all streams that are not non-blocking. */
Test(cuda_pending, the_default_stream_waits)
{
    start();
    CUmodule m = load_waiting();
    volatile unsigned *w = words();
    launch_wait(m, stream(0), w);
    WORKS(cuMemsetD32Async((uintptr_t)(w + 1), 5, 1, NULL));
    cr_assert_eq(w[1], 3);
    w[0] = 1;
    WORKS(cuStreamSynchronize(NULL));
    cr_assert_eq(w[1], 5);
}

/* In a process with one thread: others might store. */
Test(cuda_pending, what_nobody_ends_is_a_livelock, .timeout = 60)
{
    int status;
    pid_t child = fork();
    if (!child) {
        start();
        launch_wait(load_waiting(), NULL, words());
        _exit(cuCtxSynchronize() == CUDA_ERROR_LAUNCH_TIMEOUT ? 7 : 1);
    }
    cr_assert_eq(waitpid(child, &status, 0), child);
    cr_assert(WIFEXITED(status) && WEXITSTATUS(status) == 7);
}
