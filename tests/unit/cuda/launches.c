/* Modules, functions, launches, streams and events. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common.h"

Test(cuda_launch, runs_a_kernel)
{
    enum { N = 1000 };
    unsigned host[N], n = N;
    CUdeviceptr p;
    CUstream stream;
    start();
    CUfunction add = kernel(load_kernels(), "add");
    for (unsigned i = 0; i < N; i++)
        host[i] = 3 * i;
    WORKS(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
    WORKS(cuMemAlloc_v2(&p, sizeof host));
    WORKS(cuMemcpyHtoDAsync_v2(p, host, sizeof host, stream));
    WORKS(run(add, 4, 256, stream, (void *[]){&p, &n}));
    WORKS(cuMemcpyDtoHAsync_v2(host, p, sizeof host, stream));
    WORKS(cuStreamSynchronize(stream));
    for (unsigned i = 0; i < N; i++)
        cr_assert_eq(host[i], 4 * i);
    WORKS(cuStreamDestroy_v2(stream));
    FAILS(cuStreamSynchronize(stream), CUDA_ERROR_INVALID_HANDLE);
}

Test(cuda_launch, takes_parameters_in_every_form)
{
    unsigned value = 21, host;
    CUdeviceptr p;
    start();
    CUfunction store = kernel(load_kernels(), "store");
    WORKS(cuMemAlloc_v2(&p, 4));
    struct {
        CUdeviceptr p;
        unsigned v;
    } both = {p, 22};
    size_t bytes = 12;
    void *extra[] = {CU_LAUNCH_PARAM_BUFFER_POINTER, &both, CU_LAUNCH_PARAM_BUFFER_SIZE, &bytes, CU_LAUNCH_PARAM_END};
    WORKS(cuLaunchKernel(store, 1, 1, 1, 1, 1, 1, 0, NULL, NULL, extra));
    WORKS(cuMemcpyDtoH_v2(&host, p, 4));
    cr_assert_eq(host, 22);
    CUlaunchConfig c = {1, 1, 1, 1, 1, 1, 0, NULL, NULL, 0};
    WORKS(cuLaunchKernelEx(&c, store, (void *[]){&p, &value}, NULL));
    WORKS(cuMemcpyDtoH_v2(&host, p, 4));
    cr_assert_eq(host, 21);
    WORKS(cuFuncSetBlockShape(store, 1, 1, 1));
    WORKS(cuParamSetSize(store, 12));
    WORKS(cuParamSetv(store, 0, &p, 8));
    WORKS(cuParamSeti(store, 8, 23));
    WORKS(cuLaunch(store));
    WORKS(cuMemcpyDtoH_v2(&host, p, 4));
    cr_assert_eq(host, 23);
    FAILS(run(store, 1, 1, NULL, NULL), CUDA_ERROR_INVALID_VALUE);
}

Test(cuda_launch, refuses_what_does_not_fit)
{
    start();
    CUmodule m = load_kernels();
    CUfunction empty = kernel(m, "empty"), bounded = kernel(m, "bounded");
    FAILS(run(empty, 0, 1, NULL, NULL), CUDA_ERROR_INVALID_VALUE);
    FAILS(run(empty, 1, 1025, NULL, NULL), CUDA_ERROR_INVALID_VALUE);
    FAILS(cuLaunchKernel(empty, 1, 1, 1, 1, 1, 65, 0, NULL, NULL, NULL), CUDA_ERROR_INVALID_VALUE);
    FAILS(cuLaunchKernel(empty, 1, 1, 1, 1, 1, 1, 49153, NULL, NULL, NULL), CUDA_ERROR_INVALID_VALUE);
    FAILS(run(bounded, 1, 65, NULL, NULL), CUDA_ERROR_INVALID_VALUE);
    WORKS(run(bounded, 1, 64, NULL, NULL));
    FAILS(run((CUfunction)m, 1, 1, NULL, NULL), CUDA_ERROR_INVALID_HANDLE);
    FAILS(run(empty, 1, 1, (CUstream)0x1234, NULL), CUDA_ERROR_INVALID_HANDLE);
    /* 28 SMs with 2 blocks of 1024 threads each */
    FAILS(cuLaunchCooperativeKernel(empty, 57, 1, 1, 1024, 1, 1, 0, NULL, NULL),
          CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE);
    WORKS(cuLaunchCooperativeKernel(empty, 56, 1, 1, 1024, 1, 1, 0, NULL, NULL));
}

/* From the fault on everything answers it, until the context is reset. */
static void sticks(CUresult error)
{
    CUdeviceptr p;
    CUcontext context;
    FAILS(cuCtxSynchronize(), error);
    FAILS(cuMemAlloc_v2(&p, 4), error);
    FAILS(cuStreamSynchronize(NULL), error);
    WORKS(cuDevicePrimaryCtxReset_v2(0));
    WORKS(cuDevicePrimaryCtxRetain(&context, 0));
    WORKS(cuMemAlloc_v2(&p, 4));
    WORKS(cuCtxSynchronize());
}

Test(cuda_launch, faults_as_on_a_gpu)
{
    CUdeviceptr p;
    unsigned value = 1, n = 256;
    start();
    CUmodule m = load_kernels();
    CUfunction store = kernel(m, "store");
    WORKS(cuMemAlloc_v2(&p, 40));
    WORKS(run(kernel(m, "add"), 1, 128, NULL, (void *[]){&p, &n})); /* to the next 512 bytes */
    WORKS(cuCtxSynchronize());
    p += 512;
    WORKS(run(store, 1, 1, NULL, (void *[]){&p, &value}));
    sticks(CUDA_ERROR_ILLEGAL_ADDRESS);
    m = load_kernels();
    WORKS(cuMemAlloc_v2(&p, 40));
    p += 2;
    WORKS(run(kernel(m, "store"), 1, 1, NULL, (void *[]){&p, &value}));
    sticks(CUDA_ERROR_MISALIGNED_ADDRESS);
    WORKS(run(kernel(load_kernels(), "trap"), 1, 1, NULL, NULL));
    sticks(CUDA_ERROR_LAUNCH_FAILED);
}

Test(cuda_launch, is_strict_where_it_is_asked_for)
{
    CUdeviceptr p;
    unsigned n = 128;
    setenv("REPRISE_STRICT", "1", 1);
    start();
    WORKS(cuMemAlloc_v2(&p, 40));
    WORKS(run(kernel(load_kernels(), "add"), 1, 128, NULL, (void *[]){&p, &n}));
    FAILS(cuCtxSynchronize(), CUDA_ERROR_ILLEGAL_ADDRESS);
}

Test(cuda_launch, tells_dynamic_shared_memory_exactly)
{
    CUdeviceptr p;
    unsigned host;
    start();
    WORKS(cuMemAlloc_v2(&p, 4));
    WORKS(cuLaunchKernel(kernel(load_kernels(), "dynamic"), 1, 1, 1, 1, 1, 1, 13, NULL, (void *[]){&p}, NULL));
    WORKS(cuMemcpyDtoH_v2(&host, p, 4));
    cr_assert_eq(host, 13);
}

Test(cuda_module, has_functions_and_variables)
{
    CUdeviceptr p;
    CUfunction f;
    size_t bytes;
    unsigned value, limits[2];
    int threads;
    start();
    CUmodule m = load_kernels();
    FAILS(cuModuleGetFunction(&f, m, "nothing"), CUDA_ERROR_NOT_FOUND);
    FAILS(cuModuleGetGlobal_v2(&p, &bytes, m, "nothing"), CUDA_ERROR_NOT_FOUND);
    WORKS(cuModuleGetGlobal_v2(&p, &bytes, m, "counter"));
    WORKS(cuMemcpyDtoH_v2(&value, p, bytes));
    cr_assert(bytes == 4 && value == 7);
    WORKS(cuModuleGetGlobal_v2(&p, &bytes, m, "limits"));
    WORKS(cuMemcpyDtoH_v2(limits, p, bytes));
    cr_assert(bytes == 8 && limits[1] == 5);
    WORKS(cuFuncGetAttribute(&threads, CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK, kernel(m, "bounded")));
    cr_assert_eq(threads, 64);
    WORKS(cuModuleUnload(m));
    FAILS(cuModuleGetFunction(&f, m, "empty"), CUDA_ERROR_INVALID_HANDLE);
}

Test(cuda_module, says_why_it_cannot_be_loaded)
{
    char log[200] = "unchanged";
    CUjit_option options[] = {CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES};
    void *values[] = {log, (void *)sizeof log};
    CUmodule m;
    const char made[] = ".version 7.0\n.target sm_61\nnonsense";        /* at run time */
    static const char part[] = ".version 7.0\n.target sm_61\nnonsense"; /* of this program */
    start();
    FAILS(cuModuleLoadDataEx(&m, made, 2, options, values), CUDA_ERROR_INVALID_PTX);
    cr_assert(strstr(log, "module-1:3"), "%s", log);
    FAILS(cuModuleLoadDataEx(&m, part, 2, options, values), CUDA_ERROR_INVALID_PTX);
    cr_assert(strstr(log, program_invocation_short_name) && strstr(log, ":3"), "%s", log);
    FAILS(cuModuleLoadData(&m, "nothing at all"), CUDA_ERROR_INVALID_IMAGE);
    FAILS(cuModuleLoad(&m, "/nonexistent"), CUDA_ERROR_FILE_NOT_FOUND);
}

Test(cuda_module, may_be_a_library)
{
    CUlibrary library;
    CUkernel k;
    CUfunction f;
    start();
    WORKS(cuLibraryLoadData(&library, ".version 7.0\n.target sm_61\n.address_size 64\n.visible .entry one() { ret; }",
                            NULL, NULL, 0, NULL, NULL, 0));
    WORKS(cuLibraryGetKernel(&k, library, "one"));
    WORKS(cuKernelGetFunction(&f, k));
    WORKS(run((CUfunction)k, 1, 32, NULL, NULL));
    WORKS(run(f, 1, 32, NULL, NULL));
    WORKS(cuLibraryUnload(library));
}

static int called;
static void call(void *data) { called += *(int *)data; }

Test(cuda_stream, calls_the_host_and_knows_events)
{
    CUevent a, b, plain;
    CUstream stream;
    float ms;
    int two = 2;
    start();
    WORKS(cuStreamCreate(&stream, 0));
    WORKS(cuLaunchHostFunc(stream, call, &two));
    cr_assert_eq(called, 2);
    WORKS(cuEventCreate(&a, 0));
    WORKS(cuEventCreate(&b, 0));
    WORKS(cuEventCreate(&plain, CU_EVENT_DISABLE_TIMING));
    FAILS(cuEventElapsedTime(&ms, a, b), CUDA_ERROR_INVALID_HANDLE);
    WORKS(cuEventRecord(a, stream));
    WORKS(cuEventRecord(b, stream));
    WORKS(cuEventRecord(plain, stream));
    WORKS(cuStreamWaitEvent(NULL, b, 0));
    WORKS(cuEventSynchronize(b));
    WORKS(cuEventElapsedTime(&ms, a, b));
    cr_assert_geq(ms, 0);
    FAILS(cuEventElapsedTime(&ms, a, plain), CUDA_ERROR_INVALID_HANDLE);
    WORKS(cuEventDestroy_v2(a));
    FAILS(cuEventQuery(a), CUDA_ERROR_INVALID_HANDLE);
}

Test(cuda_process, ends_in_a_forked_child)
{
    start();
    pid_t child = fork();
    if (!child)
        _exit(cuCtxSynchronize() == CUDA_ERROR_NOT_INITIALIZED ? 0 : 1);
    int status;
    waitpid(child, &status, 0);
    cr_assert_eq(status, 0);
    WORKS(cuCtxSynchronize());
}
