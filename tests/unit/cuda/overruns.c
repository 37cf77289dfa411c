/* Accesses beyond what was asked for: told, and made as far as a device has memory there; faults beyond that. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common.h"

#define HEAD ".version 6.0\n.target sm_61\n.address_size 64\n"

/* Each loads a word, or four, from what it is about, at an offset in bytes, and stores the last one to out. */
static const char kernels[] = HEAD
    ".visible .entry global(.param .u64 out, .param .u64 from, .param .u32 at)\n"
    "{ .reg .b64 %o, %p, %a; .reg .b32 %x; ld.param.u64 %o, [out]; ld.param.u64 %p, [from]; ld.param.u32 %x, [at];\n"
    "cvt.u64.u32 %a, %x; add.u64 %p, %p, %a; ld.global.u32 %x, [%p]; st.global.u32 [%o], %x; ret; }\n"
    ".visible .entry fixed(.param .u64 out, .param .u64 from, .param .u32 at)\n"
    "{ .reg .b64 %o; .reg .b32 %a, %x, %y, %z, %w; .shared .align 16 .b8 tile[28]; ld.param.u64 %o, [out];\n"
    "ld.param.u32 %a, [at]; mov.u32 %x, tile; add.u32 %a, %a, %x; ld.shared.v4.u32 {%x, %y, %z, %w}, [%a];\n"
    "st.global.u32 [%o], %w; ret; }\n"
    ".extern .shared .align 16 .b8 more[];\n"
    ".visible .entry dynamic(.param .u64 out, .param .u64 from, .param .u32 at)\n"
    "{ .reg .b64 %o; .reg .b32 %a, %x; ld.param.u64 %o, [out];\n"
    "ld.param.u32 %a, [at]; mov.u32 %x, more; add.u32 %a, %a, %x; ld.shared.u32 %x, [%a];\n"
    "st.global.u32 [%o], %x; ret; }\n"
    ".visible .entry parameter(.param .u64 out, .param .u64 from, .param .u16 at)\n"
    "{ .reg .b64 %o; .reg .b32 %x; ld.param.u64 %o, [out]; ld.param.u32 %x, [at];\n"
    "st.global.u32 [%o], %x; ret; }\n";

static char log_path[] = "/tmp/reprise-overruns-XXXXXX";

static void make_log(void)
{
    close(mkstemp(log_path));
    setenv("REPRISE_LOG", log_path, 1);
}
static void remove_log(void) { unlink(log_path); }
TestSuite(cuda_overrun, .init = make_log, .fini = remove_log);

/* How often the text was told. */
static int told(const char *text)
{
    static char log[65536];
    FILE *f = fopen(log_path, "r");

    size_t length = fread(log, 1, sizeof log - 1, f);
    fclose(f);
    log[length] = 0;
    int times = 0;
    for (const char *at = log; (at = strstr(at, text)); at++)
        times++;
    return times;
}

struct rig {
    CUmodule module;
    CUdeviceptr out, from;
};
static struct rig begin(void)
{
    struct rig r;
    unsigned words[10] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10};
    start();
    WORKS(cuModuleLoadData(&r.module, kernels));
    WORKS(cuMemAlloc_v2(&r.out, 4));
    WORKS(cuMemAlloc_v2(&r.from, sizeof words));
    WORKS(cuMemcpyHtoD_v2(r.from, words, sizeof words));
    return r;
}

/* What a later call answers. */
static CUresult load(struct rig *r, const char *name, unsigned at, unsigned shared)
{
    WORKS(cuLaunchKernel(kernel(r->module, name), 1, 1, 1, 1, 1, 1, shared, NULL, (void *[]){&r->out, &r->from, &at},
                         NULL));
    return cuCtxSynchronize();
}

Test(cuda_overrun, of_device_memory_ends_at_512_bytes)
{
    struct rig r = begin();
    WORKS(load(&r, "global", 36, 0));
    cr_assert_eq(told("goes on"), 0);
    WORKS(load(&r, "global", 40, 0));
    WORKS(load(&r, "global", 508, 0));
    cr_assert_eq(told("0 bytes past the end of device memory (40 bytes)"), 1);
    cr_assert_eq(told("(a GPU goes on)"), 1, "an instruction is named once");
    FAILS(load(&r, "global", 512, 0), CUDA_ERROR_ILLEGAL_ADDRESS);
    cr_assert_eq(told("472 bytes past the end of device memory (40 bytes)"), 1);
}

Test(cuda_overrun, of_static_shared_memory_ends_at_256_bytes)
{
    struct rig r = begin();
    WORKS(load(&r, "fixed", 0, 0));
    cr_assert_eq(told("goes on"), 0);
    WORKS(load(&r, "fixed", 16, 0));
    WORKS(load(&r, "fixed", 240, 0));
    cr_assert_eq(told("tile (28 bytes)"), 1);
    FAILS(load(&r, "fixed", 256, 0), CUDA_ERROR_ILLEGAL_ADDRESS);
}

Test(cuda_overrun, of_dynamic_shared_memory_ends_at_256_bytes)
{
    struct rig r = begin();
    WORKS(load(&r, "dynamic", 40, 44));
    cr_assert_eq(told("goes on"), 0);
    WORKS(load(&r, "dynamic", 252, 44));
    cr_assert_eq(told("there are 44 bytes of shared memory"), 1);
    FAILS(load(&r, "dynamic", 256, 44), CUDA_ERROR_ILLEGAL_ADDRESS);
}

Test(cuda_overrun, of_parameters_ends_at_4_bytes)
{
    struct rig r = begin();
    unsigned value;
    WORKS(load(&r, "parameter", 0x12345678, 0));
    WORKS(cuMemcpyDtoH_v2(&value, r.out, 4));
    cr_assert_eq(value, 0x5678);
    cr_assert_eq(told("there are 18 bytes of parameters"), 1);
}

/* Blocks that run side by side: told once, and the same results as one after the other. */
Test(cuda_overrun, of_many_blocks_is_told_once)
{
    struct rig r = begin();
    unsigned n = 1000000;
    CUdeviceptr p;
    setenv("REPRISE_THREADS", "2", 1);
    WORKS(cuMemAlloc_v2(&p, 4 * 256 * 99 + 4));
    WORKS(run(kernel(load_kernels(), "add"), 100, 256 / 2, NULL, (void *[]){&p, &n}));
    WORKS(run(kernel(load_kernels(), "add"), 199, 256 / 2, NULL, (void *[]){&p, &n}));
    WORKS(cuCtxSynchronize());
    cr_assert_eq(told("load of 4 bytes"), 1);
    cr_assert_eq(told("store of 4 bytes"), 1);
    (void)r;
}

static void is_strict(const char *name, unsigned at, unsigned shared)
{
    setenv("REPRISE_STRICT", "1", 1);
    struct rig r = begin();
    FAILS(load(&r, name, at, shared), CUDA_ERROR_ILLEGAL_ADDRESS);
}
Test(cuda_overrun, of_device_memory_is_a_fault_if_strict) { is_strict("global", 40, 0); }
Test(cuda_overrun, of_shared_memory_is_a_fault_if_strict) { is_strict("fixed", 16, 0); }
Test(cuda_overrun, of_dynamic_memory_is_a_fault_if_strict) { is_strict("dynamic", 44, 44); }
Test(cuda_overrun, of_parameters_is_a_fault_if_strict) { is_strict("parameter", 0, 0); }
