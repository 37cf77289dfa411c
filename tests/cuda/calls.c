/* What calls of the driver cost, measured within a program that the command line starts: a line NAME VALUE each.
 *
 *     calls launch        microseconds for an empty launch
 *     calls crowded       the same with 10,000 modules and 100,000 allocations
 *     calls copy          a copy to the device of 64 MB, bytes per second, as a ratio to memcpy's
 *     calls point         a fetch from a 2D texture with point filtering, as a ratio to a load from global memory
 *     calls linear        the same with linear filtering
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

/* 256 fetches, or loads, of each thread, at neighbouring places. */
static const char reading[] =
    ".version 6.0\n.target sm_61\n.address_size 64\n"
    ".visible .entry fetch(.param .u64 t) {\n"
    "  .reg .b64 %t; .reg .b32 %r<4>; .reg .f32 %f<7>; .reg .pred %p;\n"
    "  ld.param.u64 %t, [t]; mov.u32 %r1, %tid.x; cvt.rn.f32.u32 %f1, %r1; mov.f32 %f2, 0f3F800000;\n"
    "  mov.u32 %r2, 0;\n"
    "AGAIN: tex.2d.v4.f32.f32 {%f3, %f4, %f5, %f6}, [%t, {%f1, %f2}]; add.f32 %f1, %f1, %f2;\n"
    "  add.u32 %r2, %r2, 1; setp.lt.u32 %p, %r2, 256; @%p bra AGAIN; ret; }\n"
    ".visible .entry read(.param .u64 a) {\n"
    "  .reg .b64 %a<3>; .reg .b32 %r<4>; .reg .f32 %f1; .reg .pred %p;\n"
    "  ld.param.u64 %a1, [a]; mov.u32 %r1, %tid.x; mul.wide.u32 %a2, %r1, 4; add.u64 %a1, %a1, %a2; mov.u32 %r2, 0;\n"
    "AGAIN: ld.global.f32 %f1, [%a1]; add.u64 %a1, %a1, 4;\n"
    "  add.u32 %r2, %r2, 1; setp.lt.u32 %p, %r2, 256; @%p bra AGAIN; ret; }\n";

static CUfunction find(const char *ptx, const char *name)
{
    CUmodule module;
    CUfunction k;
    WORKS(cuModuleLoadData(&module, ptx));
    WORKS(cuModuleGetFunction(&k, module, name));
    return k;
}
static CUfunction load(void) { return find(text, "k"); }

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

/* The best time of a launch of many threads. */
static double reads(CUfunction k, void *argument)
{
    double best = 1e9;
    for (int r = 0; r < RUNS; r++) {
        double begun = now();
        WORKS(cuLaunchKernel(k, 256, 1, 1, 256, 1, 1, 0, NULL, (void *[]){argument}, NULL));
        double took = now() - begun;
        best = took < best ? took : best;
    }
    return best;
}

static double fetches(CUfilter_mode filter)
{
    CUarray array;
    CUtexObject texture;
    CUdeviceptr p;
    WORKS(cuArrayCreate_v2(&array, &(CUDA_ARRAY_DESCRIPTOR){512, 8, CU_AD_FORMAT_FLOAT, 1}));
    WORKS(cuMemAlloc_v2(&p, 4096));
    CUDA_RESOURCE_DESC resource = {.resType = CU_RESOURCE_TYPE_ARRAY, .res.array.hArray = array};
    CUDA_TEXTURE_DESC sampler = {.addressMode = {CU_TR_ADDRESS_MODE_CLAMP, CU_TR_ADDRESS_MODE_CLAMP},
                                 .filterMode = filter};
    WORKS(cuTexObjectCreate(&texture, &resource, &sampler, NULL));
    return reads(find(reading, "fetch"), &texture) / reads(find(reading, "read"), &p);
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
    if (!strcmp(what, "point"))
        printf("%.1f\n", fetches(CU_TR_FILTER_MODE_POINT));
    if (!strcmp(what, "linear"))
        printf("%.1f\n", fetches(CU_TR_FILTER_MODE_LINEAR));
    return 0;
}
