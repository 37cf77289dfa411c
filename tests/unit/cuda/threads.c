/* Threads of the program that use the driver at once: each has its stream, its memory and its module. `make tsan` runs
 * this. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common.h"

enum { THREADS = 4, ROUNDS = 20, N = 500 };

static CUcontext shared;
static CUmodule common;

static void *work(void *result)
{
    unsigned host[N] = {0}, n = N;
    CUdeviceptr p;
    CUstream stream;
    CUevent event;
    bool fine =
        !cuCtxSetCurrent(shared) && !cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING) && !cuEventCreate(&event, 0);
    for (unsigned round = 0; fine && round < ROUNDS; round++) {
        CUmodule own = round % 5 == 0 ? load_kernels() : common;
        CUfunction add;
        fine = !cuMemAlloc_v2(&p, sizeof host) && !cuModuleGetFunction(&add, own, "add") &&
               !cuMemcpyHtoDAsync_v2(p, host, sizeof host, stream) && !run(add, 4, 128, stream, (void *[]){&p, &n}) &&
               !cuMemcpyDtoHAsync_v2(host, p, sizeof host, stream) && !cuEventRecord(event, stream) &&
               !cuEventSynchronize(event) && !cuMemFree_v2(p) && (own == common || !cuModuleUnload(own));
    }
    for (unsigned i = 0; i < N; i++)
        fine = fine && host[i] == i * ROUNDS;
    fine = fine && !cuStreamDestroy_v2(stream) && !cuEventDestroy_v2(event);
    *(bool *)result = fine;
    return NULL;
}

static void run_threads(void)
{
    pthread_t threads[THREADS];
    bool fine[THREADS] = {false};
    start();
    WORKS(cuCtxGetCurrent(&shared));
    common = load_kernels();
    for (unsigned t = 0; t < THREADS; t++)
        cr_assert_eq(pthread_create(&threads[t], NULL, work, &fine[t]), 0);
    for (unsigned t = 0; t < THREADS; t++) {
        pthread_join(threads[t], NULL);
        cr_expect(fine[t], "thread %u", t);
    }
}

Test(cuda_threads, launch_at_once) { run_threads(); }

Test(cuda_threads, are_recorded)
{
    char folder[] = "/tmp/reprise-threads-XXXXXX", path[64];
    struct stat file;
    cr_assert(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/t.wtr", folder);
    pid_t child = fork();
    if (!child) {
        setenv("REPRISE_TRACE", path, 1);
        setenv("REPRISE_QUIET", "1", 1);
        run_threads();
        exit(0);
    }
    int status;
    cr_assert_eq(waitpid(child, &status, 0), child);
    cr_assert(WIFEXITED(status) && !WEXITSTATUS(status));
    cr_assert(!stat(path, &file) && file.st_size > 0);
    unlink(path);
    rmdir(folder);
}
