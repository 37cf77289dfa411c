/* What calls of the driver cost, measured within a program that the command line starts: a line NAME VALUE each.
 *
 *     calls launch        microseconds for an empty launch
 *     calls crowded       the same with 10,000 modules and 100,000 allocations
 *     calls copy          a copy to the device of 64 MB, bytes per second, as a ratio to memcpy's
 *     calls start         ends after cuInit and the making of a context */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "frontend/cuda/abi/driver.h"

#define WORKS(call)                                                                                                    \
    do {                                                                                                               \
        CUresult result_ = (call);                                                                                     \
        if (result_) {                                                                                                 \
            fprintf(stderr, "%s: %d\n", #call, (int)result_);                                                          \
            exit(1);                                                                                                   \
        }                                                                                                              \
    } while (0)
enum { RUNS = 5, LAUNCHES = 2000, MODULES = 10000, ALLOCATIONS = 100000, COPY = 64 << 20 };

static const char text[] = ".version 6.0\n.target sm_61\n.address_size 64\n.visible .entry k() { ret; }\n";

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static CUfunction load(void)
{
    CUmodule module;
    CUfunction k;
    WORKS(cuModuleLoadData(&module, text));
    WORKS(cuModuleGetFunction(&k, module, "k"));
    return k;
}

static void crowd(void)
{
    CUdeviceptr p;
    for (int i = 0; i < MODULES; i++)
        load();
    for (int i = 0; i < ALLOCATIONS; i++)
        WORKS(cuMemAlloc_v2(&p, 256));
}

static double launches(CUfunction k)
{
    double best = 1e9;
    for (int r = 0; r < RUNS; r++) {
        double begun = now();
        for (int i = 0; i < LAUNCHES; i++)
            WORKS(cuLaunchKernel(k, 1, 1, 1, 1, 1, 1, 0, NULL, NULL, NULL));
        double took = (now() - begun) / LAUNCHES;
        best = took < best ? took : best;
    }
    return best * 1e6;
}

/* Both in turns. */
static double copies(void)
{
    CUdeviceptr p;
    char *from = malloc(COPY), *to = malloc(COPY);
    double ours = 1e9, plain = 1e9;
    WORKS(cuMemAlloc_v2(&p, COPY));
    memset(from, 1, COPY);
    memset(to, 2, COPY);
    for (int r = 0; r < RUNS + 1; r++) { /* the first one takes the pages */
        double begun = now();
        WORKS(cuMemcpyHtoD_v2(p, from, COPY));
        double middle = now();
        memcpy(to, from, COPY);
        __asm__ volatile("" : : "r"(to) : "memory");
        double done = now();
        ours = r && middle - begun < ours ? middle - begun : ours;
        plain = r && done - middle < plain ? done - middle : plain;
    }
    return plain / ours;
}

int main(int argc, char **argv)
{
    CUcontext context;
    const char *what = argc > 1 ? argv[1] : "";
    WORKS(cuInit(0));
    WORKS(cuDevicePrimaryCtxRetain(&context, 0));
    WORKS(cuCtxSetCurrent(context));
    if (!strcmp(what, "crowded"))
        crowd();
    if (!strcmp(what, "launch") || !strcmp(what, "crowded"))
        printf("%.2f\n", launches(load()));
    if (!strcmp(what, "copy"))
        printf("%.2f\n", copies());
    return 0;
}
