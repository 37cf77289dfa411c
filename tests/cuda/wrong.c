/* Programs that are wrong, by argument: what the host does with memory, and kernels for --check. The driver API, so
 * that any compiler builds it. */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
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

static const char kernels[] =
    ".version 6.0\n.target sm_70\n.address_size 64\n.file 1 \"wrong.cu\"\n"
    ".visible .entry store(.param .u64 p) { .reg .b64 %p; ld.param.u64 %p, [p]; st.global.u32 [%p], 5; ret; }\n"
    /* all threads of a block store to one word; a word of shared memory that nobody wrote; half a warp shuffles from
       the other half */
    ".visible .entry race(.param .u64 p) { .reg .b64 %p; .reg .b32 %t; ld.param.u64 %p, [p]; mov.u32 %t, %tid.x;\n"
    "  .loc 1 2 0\n  st.global.u32 [%p], %t; ret; }\n"
    ".visible .entry init(.param .u64 p) { .reg .b64 %p; .reg .b32 %t; .shared .b32 word[4]; ld.param.u64 %p, [p];\n"
    "  ld.shared.u32 %t, [word+8]; st.global.u32 [%p], %t; ret; }\n"
    ".visible .entry read(.param .u64 p) { .reg .b64 %p; .reg .b32 %t; ld.param.u64 %p, [p]; mov.u32 %t, %tid.x;\n"
    "  mad.wide.u32 %p, %t, 4, %p; ld.global.u32 %t, [%p]; st.global.u32 [%p], %t; ret; }\n"
    ".visible .entry again(.param .u64 p) { .reg .b64 %p; .reg .b32 %t; .reg .pred %q; ld.param.u64 %p, [p]; mov.u32 "
    "%t, %tid.x;\n"
    "  mad.wide.u32 %p, %t, 4, %p; ld.global.u32 %t, [%p]; setp.eq.u32 %q, %t, 7; @%q bra E; E: ret; }\n"
    ".visible .entry sync(.param .u64 p) { .reg .b64 %p; .reg .b32 %t; .reg .pred %q; mov.u32 %t, %tid.x;\n"
    "  setp.ge.u32 %q, %t, 16; @%q bra END; shfl.sync.down.b32 %t, %t, 8, 31, 0xffff; ld.param.u64 %p, [p];\n"
    "  setp.eq.u32 %q, %t, 8; @%q st.global.u32 [%p], %t; END: ret; }\n"
    /* a __syncwarp() whose mask does not name the lanes of the other half */
    ".visible .entry unnamed(.param .u64 p) { bar.warp.sync 0xffff; ret; }\n"
    ".visible .entry hang(.param .u64 p) { .reg .b64 %p; .reg .b32 %t; .reg .pred %q; ld.param.u64 %p, [p];\n"
    "  mov.u32 %t, %tid.x; st.global.u32 [%p], %t;\n"
    "L: add.u32 %t, %t, 1; setp.ne.u32 %q, %t, 2000000000; @%q bra L; st.global.u32 [%p], %t; ret; }\n"
    /* structures of an int and a double, of a double and an int, of a double2 and a double; each second int of an array
     */
    ".visible .entry int_double(.param .u64 p) { .reg .b64 %p; .reg .b32 %t; .reg .f64 %d; ld.param.u64 %p, [p];\n"
    "  mov.u32 %t, %tid.x; mov.f64 %d, 0d3ff0000000000000; mad.wide.u32 %p, %t, 16, %p; st.global.u32 [%p], %t;\n"
    "  st.global.f64 [%p+8], %d; ret; }\n"
    ".visible .entry double_int_(.param .u64 p) { .reg .b64 %p; .reg .b32 %t; .reg .f64 %d; ld.param.u64 %p, [p];\n"
    "  mov.u32 %t, %tid.x; mov.f64 %d, 0d3ff0000000000000; mad.wide.u32 %p, %t, 16, %p; st.global.f64 [%p], %d;\n"
    "  st.global.u32 [%p+8], %t; ret; }\n"
    ".visible .entry double2_double(.param .u64 p) { .reg .b64 %p; .reg .b32 %t; .reg .f64 %d; .reg .pred %q;\n"
    "  ld.param.u64 %p, [p]; mov.u32 %t, %tid.x; setp.lt.u32 %q, %t, 2; mov.f64 %d, 0d3ff0000000000000;\n"
    "  mad.wide.u32 %p, %t, 32, %p; @%q st.global.v2.f64 [%p], {%d, %d}; @%q st.global.f64 [%p+16], %d; ret; }\n"
    ".visible .entry int_gap_int(.param .u64 p) { .reg .b64 %p; .reg .b32 %t; ld.param.u64 %p, [p];\n"
    "  mov.u32 %t, %tid.x; mad.wide.u32 %p, %t, 16, %p; st.global.u32 [%p], %t; st.global.v2.u32 [%p+8], {%t, %t}; "
    "ret; }\n"
    /* each thread takes the word of another warp's */
    ".visible .entry order(.param .u64 p) { .reg .b64 %p; .reg .b32 %t, %a; .shared .b32 s[64]; ld.param.u64 %p, [p];\n"
    "  mov.u32 %t, %tid.x; mov.u32 %a, s; mad.lo.u32 %a, %t, 4, %a; st.shared.u32 [%a], 1; xor.b32 %t, %t, 32;\n"
    "  mov.u32 %a, s; mad.lo.u32 %a, %t, 4, %a; ld.shared.u32 %a, [%a]; mad.wide.u32 %p, %t, 4, %p;\n"
    "  st.global.u32 [%p], %a; ret; }\n"
    ".visible .entry explode(.param .u64 p) { .reg .b64 %p; .reg .b32 %t; .reg .pred %q; ld.param.u64 %p, [p];\n"
    "  mov.u32 %t, %tid.x;\n"
    "L: st.global.u32 [%p+8000000], %t; add.u32 %t, %t, 1; setp.ne.u32 %q, %t, 2000000000; @%q bra L; ret; }\n"
    /* odd threads store where nothing is, then all where they may, then one beside a word */
    ".visible .entry wild(.param .u64 p) { .reg .b64 %p; .reg .b32 %t, %o; .reg .pred %q; ld.param.u64 %p, [p];\n"
    "  mov.u32 %t, %tid.x; and.b32 %o, %t, 1; setp.ne.u32 %q, %o, 0;\n  .loc 1 2 0\n  @%q st.global.u32 [%p+8000000], "
    "%t;\n"
    "  st.global.u32 [%p], 7; setp.eq.u32 %q, %t, 3;\n  .loc 1 3 0\n  @%q st.global.u32 [%p+2], %t; ret; }\n";

static CUdeviceptr allocate(size_t bytes)
{
    CUdeviceptr p;
    WORKS(cuMemAlloc_v2(&p, bytes));
    return p;
}

static void launch(const char *name, unsigned threads, CUdeviceptr p)
{
    CUmodule module;
    CUfunction function;
    WORKS(cuModuleLoadData(&module, kernels));
    WORKS(cuModuleGetFunction(&function, module, name));
    WORKS(cuLaunchKernel(function, 1, 1, 1, threads, 1, 1, 0, NULL, (void *[]){&p}, NULL));
}

static void expect(CUresult got, CUresult wanted)
{
    if (got != wanted) {
        printf("%d, not %d\n", (int)got, (int)wanted);
        exit(1);
    }
}

/* What a call returns after a bad access: with --check memory it is left out. */
static CUresult bad_access(void)
{
    const char *checks = getenv("REPRISE_CHECK");
    return checks && (strstr(checks, "memory") || strstr(checks, "all")) ? CUDA_SUCCESS : CUDA_ERROR_ILLEGAL_ADDRESS;
}

static void give_back(CUdeviceptr p) { WORKS(cuMemFree_v2(p)); }

/* Memory that a launch of the graph allocates. The graph does not free it. */
static CUgraph memory_of_graph(void)
{
    CUstream stream;
    CUgraph graph;
    CUdeviceptr p;
    WORKS(cuStreamCreate(&stream, 0));
    WORKS(cuStreamBeginCapture_v2(stream, CU_STREAM_CAPTURE_MODE_GLOBAL));
    WORKS(cuMemAllocAsync(&p, 80, stream));
    WORKS(cuStreamEndCapture(stream, &graph));
    return graph;
}

/* Four words from the n-th 16 bytes of 80 on, of which the host has written the first 16, and 8 each of the third and
 * the fourth. */
static void read_part(unsigned n)
{
    CUdeviceptr p = allocate(80);
    char bytes[64] = {0};
    const CUDA_MEMCPY2D copy = {.srcMemoryType = CU_MEMORYTYPE_HOST,
                                .srcHost = bytes,
                                .srcPitch = 8,
                                .dstMemoryType = CU_MEMORYTYPE_DEVICE,
                                .dstDevice = p + 32,
                                .dstPitch = 16,
                                .WidthInBytes = 8,
                                .Height = 2};
    WORKS(cuMemsetD8_v2(p, 1, 16));
    WORKS(cuMemcpy2D_v2(&copy));
    WORKS(cuMemcpyHtoD_v2(p + 64, bytes, 16));
    launch("read", 4, p + 16 * n);
    WORKS(cuCtxSynchronize());
    give_back(p);
}

/* ---- cases: a buffer of 40 bytes, which those give back that do not say otherwise ---------------------------------
 */

static char bytes[64];

static int leak(CUdeviceptr p)
{
    (void)p;
    memory_of_graph();
    return 0;
}

static int graph_leak(CUdeviceptr p)
{
    CUgraph graph = memory_of_graph();
    CUgraphExec exec;
    WORKS(cuGraphInstantiateWithFlags(&exec, graph, 0));
    WORKS(cuGraphLaunch(exec, NULL));
    WORKS(cuGraphExecDestroy(exec));
    WORKS(cuGraphDestroy(graph));
    give_back(p);
    return 0;
}

static int twice(CUdeviceptr p)
{
    give_back(p);
    expect(cuMemFree_v2(p), CUDA_ERROR_INVALID_VALUE);
    return 0;
}

static int middle(CUdeviceptr p)
{
    expect(cuMemFree_v2(p + 8), CUDA_ERROR_INVALID_VALUE);
    give_back(p);
    return 0;
}

static int beyond(CUdeviceptr p)
{
    expect(cuMemcpyHtoD_v2(p, bytes, sizeof bytes), CUDA_ERROR_INVALID_VALUE);
    give_back(p);
    return 0;
}

static int copied(CUdeviceptr p)
{
    give_back(p);
    expect(cuMemcpyDtoH_v2(bytes, p, 40), CUDA_ERROR_INVALID_VALUE);
    return 0;
}

static int used(CUdeviceptr p)
{
    give_back(p);
    launch("store", 1, p);
    expect(cuCtxSynchronize(), bad_access());
    expect(cuMemAlloc_v2(&p, 4), bad_access());
    if (!bad_access())
        give_back(p);
    return 0;
}

/* More threads than a block may have. */
static int refused(CUdeviceptr p)
{
    CUmodule module;
    CUfunction function;
    WORKS(cuModuleLoadData(&module, kernels));
    WORKS(cuModuleGetFunction(&function, module, "store"));
    for (int i = 0; i < 2; i++)
        expect(cuLaunchKernel(function, 1, 1, 1, 2048, 1, 1, 0, NULL, (void *[]){&p}, NULL), CUDA_ERROR_INVALID_VALUE);
    give_back(p);
    return 0;
}

/* Is right: the second launch reads what the first one has written. */
static int written(CUdeviceptr p)
{
    launch("race", 1, p);
    launch("again", 1, p);
    give_back(p);
    return 0;
}

/* Finds itself that the result is wrong. */
static int order(CUdeviceptr p)
{
    int words[64];
    CUdeviceptr q = allocate(sizeof words);
    launch("order", 64, q);
    WORKS(cuMemcpyDtoH_v2(words, q, sizeof words));
    give_back(q);
    give_back(p);
    for (int i = 0; i < 64; i++)
        if (words[i] != 1)
            return 4;
    return 0;
}

static int crash(CUdeviceptr p)
{
    launch("race", 64, p);
    abort();
}

/* A finding, and then a kernel that does not end. */
static int hang(CUdeviceptr p)
{
    launch("race", 64, p);
    launch("hang", 64, p);
    give_back(p);
    return 0;
}

static int fails(CUdeviceptr p)
{
    launch("race", 64, p);
    return 7;
}

/* Behind the buffer, where a GPU goes on. */
static int granule(CUdeviceptr p)
{
    launch("store", 1, p + 40);
    expect(cuCtxSynchronize(), CUDA_SUCCESS);
    give_back(p);
    return 0;
}

/* Leaves its buffer, without running destructors. */
static int leaves(CUdeviceptr p)
{
    (void)p;
    _Exit(0);
}

/* Allocates two buffers, makes a kernel fail, and tries to free one of them. */
static int sticky(CUdeviceptr p)
{
    (void)allocate(48);
    launch("store", 1, p + 8000000);
    expect(cuCtxSynchronize(), CUDA_ERROR_ILLEGAL_ADDRESS);
    expect(cuMemFree_v2(p), CUDA_ERROR_ILLEGAL_ADDRESS);
    return 0;
}

/* A GPU hangs there, or goes on. */
static int unnamed(CUdeviceptr p)
{
    launch("unnamed", 32, p);
    expect(cuCtxSynchronize(), CUDA_ERROR_LAUNCH_FAILED);
    expect(cuMemFree_v2(p), CUDA_ERROR_LAUNCH_FAILED);
    return 0;
}

static CUarray made(size_t width)
{
    CUarray a = NULL;
    const CUDA_ARRAY3D_DESCRIPTOR d = {
        .Width = width, .Height = 4, .Format = CU_AD_FORMAT_FLOAT, .NumChannels = 2, .Flags = 0};
    WORKS(cuArray3DCreate_v2(&a, &d));
    return a;
}

/* Leaves one array of two, and a mipmapped one. */
static int arrays(CUdeviceptr p)
{
    CUarray one = made(8);
    CUmipmappedArray levels;
    const CUDA_ARRAY3D_DESCRIPTOR d = {.Width = 4, .Height = 4, .Format = CU_AD_FORMAT_UNSIGNED_INT8, .NumChannels = 4};
    WORKS(cuMipmappedArrayCreate(&levels, &d, 2));
    (void)made(16);
    WORKS(cuArrayDestroy(one));
    give_back(p);
    return 0;
}

static int array_twice(CUdeviceptr p)
{
    CUarray a = made(8);
    WORKS(cuArrayDestroy(a));
    expect(cuArrayDestroy(a), CUDA_ERROR_INVALID_HANDLE);
    give_back(p);
    return 0;
}

static int array_used(CUdeviceptr p)
{
    CUarray a = made(8);
    WORKS(cuArrayDestroy(a));
    expect(cuMemcpyAtoH_v2(bytes, a, 0, 8), CUDA_ERROR_INVALID_HANDLE);
    give_back(p);
    return 0;
}

/* Frees pinned memory as that of the device, and the other way around. */
static int pinned(CUdeviceptr p)
{
    void *host;
    WORKS(cuMemAllocHost_v2(&host, 40));
    expect(cuMemFree_v2((CUdeviceptr)(uintptr_t)host), CUDA_ERROR_INVALID_VALUE);
    expect(cuMemFreeHost((void *)(uintptr_t)p), CUDA_ERROR_INVALID_VALUE);
    WORKS(cuMemFreeHost(host));
    give_back(p);
    return 0;
}

static int taken(CUdeviceptr p)
{
    WORKS(cuMemsetD8_v2(p, 1, 16));
    WORKS(cuMemcpyDtoH_v2(bytes, p, 40));
    WORKS(cuMemcpyDtoH_v2(bytes, p, 16));
    give_back(p);
    return 0;
}

static int passed(CUdeviceptr p)
{
    CUdeviceptr q = allocate(40);
    WORKS(cuMemsetD8_v2(p, 1, 16));
    WORKS(cuMemcpyDtoD_v2(q, p, 32));
    launch("again", 8, q);
    launch("read", 8, q);
    WORKS(cuCtxSynchronize());
    give_back(q);
    give_back(p);
    return 0;
}

/* Copies that say another direction than theirs, the first three times, and some that are right: of memory that is the
 * host's and the device's. */
static int direction(CUdeviceptr p)
{
    void *pinned;
    CUdeviceptr managed;
    const CUDA_MEMCPY2D rows = {.srcMemoryType = CU_MEMORYTYPE_HOST,
                                .srcHost = (void *)p,
                                .dstMemoryType = CU_MEMORYTYPE_HOST,
                                .dstHost = bytes,
                                .WidthInBytes = 8,
                                .Height = 2};
    WORKS(cuMemHostAlloc(&pinned, 40, 0));
    WORKS(cuMemAllocManaged(&managed, 40, CU_MEM_ATTACH_GLOBAL));
    memset(pinned, 1, 40);
    WORKS(cuMemcpyHtoD_v2(p, pinned, 40));
    for (int i = 0; i < 3; i++)
        WORKS(cuMemcpyHtoD_v2((uintptr_t)bytes, (void *)p, 40)); /* two ends */
    expect((CUresult)bytes[39], (CUresult)1);
    WORKS(cuMemcpyDtoH_v2((void *)p, p, 40));
    WORKS(cuMemcpyDtoH_v2(bytes, (uintptr_t)bytes, 40));
    WORKS(cuMemcpyDtoDAsync_v2(p, (uintptr_t)bytes, 40, NULL));
    WORKS(cuMemcpy2D_v2(&rows));
    WORKS(cuMemcpyHtoD_v2((uintptr_t)pinned, (void *)(uintptr_t)managed, 0));
    WORKS(cuMemcpyHtoD_v2(managed, pinned, 40));
    WORKS(cuMemcpyHtoD_v2((uintptr_t)pinned, (void *)(uintptr_t)managed, 40));
    WORKS(cuMemcpyDtoH_v2((void *)(uintptr_t)managed, (uintptr_t)pinned, 40));
    WORKS(cuMemcpyDtoD_v2((uintptr_t)pinned, managed, 40));
    WORKS(cuMemcpy((uintptr_t)bytes, p, 40));
    give_back(managed);
    WORKS(cuMemFreeHost(pinned));
    give_back(p);
    return 0;
}

/* The child of a vfork() ends in the memory of its parent. */
static int borrows(CUdeviceptr p)
{
    if (!vfork())
        _exit(execl("/nonexistent", "/nonexistent", (char *)NULL));
    give_back(p);
    return 0;
}

static const struct {
    const char *name;
    int (*run)(CUdeviceptr);
} cases[] = {{"leak", leak},
             {"graph_leak", graph_leak},
             {"twice", twice},
             {"middle", middle},
             {"beyond", beyond},
             {"copied", copied},
             {"used", used},
             {"refused", refused},
             {"written", written},
             {"order", order},
             {"crash", crash},
             {"hang", hang},
             {"fails", fails},
             {"taken", taken},
             {"leaves", leaves},
             {"sticky", sticky},
             {"unnamed", unnamed},
             {"passed", passed},
             {"direction", direction},
             {"borrows", borrows},
             {"arrays", arrays},
             {"array_twice", array_twice},
             {"array_used", array_used},
             {"pinned", pinned}};

/* Structures that a kernel writes, taken from a copy of them, too. */
static void take_structures(const char *kernel)
{
    CUdeviceptr q = allocate(64), s = allocate(64);
    launch(kernel, 4, q);
    WORKS(cuMemcpyDtoH_v2(bytes, q, 64));
    WORKS(cuMemcpyDtoD_v2(s, q, 64));
    WORKS(cuMemcpyDtoH_v2(bytes, s, 64));
    give_back(q);
    give_back(s);
}

/* A kernel of this name. */
static int of_kernel(const char *name, CUdeviceptr p)
{
    const bool wild = !strcmp(name, "wild"), explode = !strcmp(name, "explode"); /* more than may be left out */
    if (strstr(name, "int_") || strstr(name, "double2_")) {
        take_structures(name);
    } else if (!strncmp(name, "part", 4)) {
        read_part((unsigned)atoi(name + 4));
    } else {
        launch(name, 64, p);
        expect(cuCtxSynchronize(), wild ? bad_access() : explode ? CUDA_ERROR_ILLEGAL_ADDRESS : CUDA_SUCCESS);
    }
    if (!explode && !(wild && bad_access()))
        give_back(p);
    return 0;
}

int main(int argc, char **argv)
{
    CUcontext context;
    const char *what = argc > 1 ? argv[1] : "";
    WORKS(cuInit(0));
    WORKS(cuDevicePrimaryCtxRetain(&context, 0));
    WORKS(cuCtxSetCurrent(context));
    CUdeviceptr p = allocate(40);
    if (!strcmp(what, "granule"))
        return granule(p);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        if (!strcmp(what, cases[i].name))
            return cases[i].run(p);
    return of_kernel(what, p);
}
