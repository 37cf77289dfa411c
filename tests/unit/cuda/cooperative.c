/* Barriers across the grid of a cooperative launch. */
#include "common.h"

#define HEAD ".version 6.0\n.target sm_61\n.address_size 64\n"

/* p[i] = i; barrier; q[i] = p[n - 1 - i]; p[i] = what the barrier answered. Through functions of libcudadevrt, which a
 * compiler links with and which are not here. */
static const char grid_barrier[] =
    HEAD ".extern .func (.param .b64 h) cudaCGGetIntrinsicHandle(.param .b32 scope);\n"
         ".extern .func (.param .b32 e) cudaCGSynchronize(.param .b64 h, .param .b32 flags);\n"
         ".visible .entry k(.param .u64 p, .param .u64 q)\n"
         "{ .reg .b64 %p, %q, %h, %at; .reg .b32 %i, %n, %m, %k; .reg .pred %z; .param .b32 s; .param .b64 a; .param "
         ".b64 b; .param .b32 f; .param .b32 e;\n"
         "mov.u32 %i, %tid.x; mov.u32 %n, %ntid.x; mov.u32 %m, %ctaid.x; mad.lo.u32 %i, %m, %n, %i;\n"
         "mov.u32 %m, %nctaid.x; mul.lo.u32 %n, %n, %m; ld.param.u64 %p, [p]; ld.param.u64 %q, [q];\n"
         "mul.wide.u32 %at, %i, 4; add.u64 %q, %q, %at; add.u64 %at, %p, %at; st.global.u32 [%at], %i;\n"
         "st.param.b32 [s], 1; call (a), cudaCGGetIntrinsicHandle, (s); ld.param.b64 %h, [a];\n"
         "st.param.b64 [b], %h; st.param.b32 [f], 0; call (e), cudaCGSynchronize, (b, f); ld.param.b32 %k, [e];\n"
         "sub.u32 %n, %n, 1; sub.u32 %n, %n, %i; mul.wide.u32 %h, %n, 4; add.u64 %h, %p, %h;\n"
         "ld.global.u32 %m, [%h]; st.global.u32 [%q], %m;\n"
         "setp.eq.u32 %z, %i, 0; @%z st.global.u32 [%q+0x1000], %k; ret; }\n";

static CUresult launch(CUfunction f, unsigned grid, unsigned block, bool cooperative, CUdeviceptr p, CUdeviceptr q)
{
    CUlaunchAttribute a = {.id = CU_LAUNCH_ATTRIBUTE_COOPERATIVE, .value = {.cooperative = cooperative}};
    CUlaunchConfig c = {.gridDimX = grid,
                        .gridDimY = 1,
                        .gridDimZ = 1,
                        .blockDimX = block,
                        .blockDimY = 1,
                        .blockDimZ = 1,
                        .attrs = &a,
                        .numAttrs = 1};
    return cuLaunchKernelEx(&c, f, (void *[]){&p, &q}, NULL);
}

Test(cuda_cooperative, has_a_barrier_of_the_grid)
{
    enum { BLOCKS = 13, THREADS = 48, ALL = BLOCKS * THREADS };
    unsigned back[0x404];
    CUmodule module;
    CUdeviceptr p, q;
    start();
    WORKS(cuModuleLoadData(&module, grid_barrier));
    WORKS(cuMemAlloc_v2(&p, 4 * ALL));
    WORKS(cuMemAlloc_v2(&q, sizeof back));
    WORKS(launch(kernel(module, "k"), BLOCKS, THREADS, true, p, q));
    WORKS(cuMemcpyDtoH_v2(back, q, sizeof back));
    for (unsigned i = 0; i < ALL; i++)
        cr_assert_eq(back[i], ALL - 1 - i, "%u: %u", i, back[i]);
    cr_assert_eq(back[0x400], 0);
    WORKS(launch(kernel(module, "k"), BLOCKS, THREADS, false, p, q));
    WORKS(cuMemcpyDtoH_v2(back, q, sizeof back));
    cr_assert_eq(back[0x400], 999, "there is no barrier in a plain launch");
}

/* 28 SMs with 2,048 threads each: CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE from 57 blocks of 1,024 on. */
Test(cuda_cooperative, refuses_more_blocks_than_are_resident)
{
    CUmodule module;
    CUdeviceptr p;
    start();
    WORKS(cuModuleLoadData(&module, grid_barrier));
    WORKS(cuMemAlloc_v2(&p, 4 * 56 * 1024 + 0x2000));
    WORKS(launch(kernel(module, "k"), 56, 1024, true, p, p));
    FAILS(launch(kernel(module, "k"), 57, 1024, true, p, p), CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE);
    WORKS(cuCtxSynchronize());
}
