/* Programs that end, fork and launch in every way, by argument; the driver API, so that any compiler builds it. Each
 * launches `first` and `second` three times in turns before it does so. */
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "frontend/cuda/abi/driver.h"

#define WORKS(call)                                                                                                    \
    do {                                                                                                               \
        CUresult result_ = (call);                                                                                     \
        if (result_) {                                                                                                 \
            printf("%s: %d\n", #call, (int)result_);                                                                   \
            exit(1);                                                                                                   \
        }                                                                                                              \
    } while (0)

#define KERNEL(name)                                                                                                   \
    ".visible .entry " name "(.param .u64 p) { .reg .b64 %p; .reg .b32 %v; ld.param.u64 %p, [p];\n"                    \
    "  atom.global.add.u32 %v, [%p], 1; ret; }\n"
#define KERNEL_LOOP                                                                                                    \
    ".visible .entry endless(.param .u64 p) { .reg .b64 %p; .reg .b32 %v; ld.param.u64 %p, [p];\n"                     \
    "L: atom.global.add.u32 %v, [%p], 1; bra L; }\n"                                                                   \
    ".visible .entry eternal(.param .u64 p) { .reg .b64 %p, %c; .reg .b32 %v; .reg .pred %q; ld.param.u64 %p, [p];\n"  \
    "  mov.u64 %c, 0;\n"                                                                                               \
    "L: atom.global.add.u32 %v, [%p], 1; add.u64 %c, %c, 1; setp.ne.u64 %q, %c, 0; @%q bra L; ret; }\n"                \
    ".visible .entry blocks(.param .u64 p) { .reg .b64 %p, %c; .reg .b32 %v; .reg .pred %q; ld.param.u64 %p, [p];\n"   \
    "  mov.u64 %c, 0;\n"                                                                                               \
    "L: atom.global.add.u32 %v, [%p], 1; add.u64 %c, %c, 1; setp.ne.u64 %q, %c, 500; @%q bra L; ret; }\n"
static const char text[] = ".version 6.0\n.target sm_61\n.address_size 64\n" KERNEL("_Z5firstPi") KERNEL("_Z6secondPi");

static CUfunction first, second;
static CUdeviceptr counter;

static void start(void)
{
    CUcontext context;
    CUmodule module;
    WORKS(cuInit(0));
    WORKS(cuDevicePrimaryCtxRetain(&context, 0));
    WORKS(cuCtxSetCurrent(context));
    WORKS(cuModuleLoadData(&module, text));
    WORKS(cuModuleGetFunction(&first, module, "_Z5firstPi"));
    WORKS(cuModuleGetFunction(&second, module, "_Z6secondPi"));
    WORKS(cuMemAlloc_v2(&counter, 4));
    WORKS(cuMemsetD32_v2(counter, 0, 1));
}

static void launch(CUfunction f, CUdeviceptr p)
{
    WORKS(cuLaunchKernel(f, 1, 1, 1, 32, 1, 1, 0, NULL, (void *[]){&p}, NULL));
}

static void six_launches(void)
{
    for (int i = 0; i < 6; i++)
        launch(i % 2 ? second : first, counter);
}

/* Memory of the program itself, which a kernel counts in. */
static void registered(void)
{
    unsigned *own = calloc(1000, sizeof *own);
    WORKS(cuMemHostRegister_v2(own, 4000, 0));
    launch(first, (CUdeviceptr)(uintptr_t)(own + 500));
    WORKS(cuMemHostUnregister(own));
    if (own[500] != 32)
        exit(1);
    free(own);
}

/* Each of another length: pinned memory to the device, the device to registered memory, on the device, of the host;
 * then asynchronous ones of pinned and pageable memory; memsets of the device's and the host's memory. */
static void copies(void)
{
    static _Alignas(4096) char own[4096], other[4096];
    void *pinned;
    CUdeviceptr p;
    WORKS(cuMemAllocHost_v2(&pinned, 4096));
    WORKS(cuMemHostRegister_v2(own, sizeof own, 0));
    WORKS(cuMemAlloc_v2(&p, 4096));
    WORKS(cuMemcpyHtoD_v2(p, pinned, 1001));
    WORKS(cuMemcpyDtoH_v2(own, p, 1002));
    WORKS(cuMemcpyDtoD_v2(p + 2048, p, 1003));
    WORKS(cuMemcpy((CUdeviceptr)(uintptr_t)own, (CUdeviceptr)(uintptr_t)pinned, 1004));
    WORKS(cuMemcpyHtoD_v2(p, other, 1005));
    WORKS(cuMemcpyHtoDAsync_v2(p, pinned, 1006, NULL));
    WORKS(cuMemcpyHtoDAsync_v2(p, other, 1007, NULL));
    WORKS(cuMemsetD8_v2(p, 0, 1008));
    WORKS(cuMemsetD8_v2((CUdeviceptr)(uintptr_t)pinned, 0, 1009));
}

static void forked(void)
{
    fflush(stdout);
    pid_t child = fork();
    if (!child) {
        CUdeviceptr p;
        _exit(cuMemAlloc_v2(&p, 4) == CUDA_ERROR_NOT_INITIALIZED ? 0 : 1);
    }
    int status;
    waitpid(child, &status, 0);
    if (status)
        exit(1);
    launch(first, counter);
}

static void *often(void *context)
{
    WORKS(cuCtxSetCurrent(context));
    for (int i = 0; i < 50; i++)
        launch(first, counter);
    return NULL;
}

static void threads(void)
{
    pthread_t others[3];
    CUcontext context;
    unsigned count;
    WORKS(cuCtxGetCurrent(&context));
    for (int i = 0; i < 3; i++)
        pthread_create(&others[i], NULL, often, context);
    often(context);
    for (int i = 0; i < 3; i++)
        pthread_join(others[i], NULL);
    WORKS(cuMemcpyDtoH_v2(&count, counter, 4));
    if (count != 32 * 206)
        exit(1);
}

/* With REPORT_WRITES set, each write to a file is followed by a line on standard output: what was written is there for
 * others to read. The recorder writes its trace by these two. */
static void wrote(int fd)
{
    if (fd > STDERR_FILENO && getenv("REPORT_WRITES"))
        syscall(SYS_write, STDOUT_FILENO, "wrote\n", 6);
}

ssize_t write(int fd, const void *data, size_t size)
{
    ssize_t n = syscall(SYS_write, fd, data, size);
    wrote(fd);
    return n;
}

ssize_t pwrite(int fd, const void *data, size_t size, off_t at)
{
    ssize_t n = syscall(SYS_pwrite64, fd, data, size, at);
    wrote(fd);
    return n;
}

static void wait_for_signal(void)
{
    puts("ready");
    fflush(stdout);
    for (;;)
        pause();
}

/* The kernel runs from when its counter is not 0. */
static void *await_kernel(void *set)
{
    while (!*(volatile unsigned *)set)
        sched_yield();
    puts("ready");
    fflush(stdout);
    return NULL;
}

/* `endless` does the same for ever; `eternal` counts and would end; `blocks` has so many that it takes long. */
static void run_on(const char *kernel)
{
    CUfunction f;
    CUmodule module;
    pthread_t waiting;
    void *set;
    WORKS(cuModuleLoadData(&module, ".version 6.0\n.target sm_61\n.address_size 64\n" KERNEL_LOOP));
    WORKS(cuModuleGetFunction(&f, module, kernel));
    WORKS(cuMemAllocHost_v2(&set, 4));
    *(volatile unsigned *)set = 0;
    pthread_create(&waiting, NULL, await_kernel, set);
    CUdeviceptr p = (CUdeviceptr)(uintptr_t)set;
    unsigned blocks = strcmp(kernel, "blocks") ? 1 : 1 << 24;
    WORKS(cuLaunchKernel(f, blocks, 1, 1, 1, 1, 1, 0, NULL, (void *[]){&p}, NULL));
    WORKS(cuCtxSynchronize());
    pthread_join(waiting, NULL);
}

/* Until a limit of files' sizes ends the program; for ever without one. */
static void grow(const char *path)
{
    static const char some[4096];
    int file = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0666);
    while (write(file, some, sizeof some) > 0)
        ;
}

int main(int argc, char **argv)
{
    const char *how = argc > 1 ? argv[1] : "";
    start();
    six_launches();
    if (!strcmp(how, "exit"))
        _exit(3);
    else if (!strcmp(how, "abort"))
        abort();
    else if (!strcmp(how, "crash"))
        *(volatile int *)8 = 1;
    else if (!strcmp(how, "exec"))
        execv(argv[0], (char *[]){argv[0], NULL});
    else if (!strcmp(how, "fork"))
        forked();
    else if (!strcmp(how, "threads"))
        threads();
    else if (!strcmp(how, "many"))
        for (int i = 0; i < 2000; i++)
            launch(first, counter);
    else if (!strcmp(how, "copies"))
        copies();
    else if (!strcmp(how, "registered"))
        registered();
    else if (!strcmp(how, "endless") || !strcmp(how, "eternal") || !strcmp(how, "blocks"))
        run_on(how);
    else if (!strcmp(how, "wait"))
        wait_for_signal();
    else if (!strcmp(how, "grow"))
        grow(argv[2]);
    return 0;
}
