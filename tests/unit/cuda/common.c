#include "common.h"

static const char kernels[] =
    ".version 9.5\n.target sm_61\n.address_size 64\n"
    ".global .u32 counter = 7;\n.const .u32 limits[2] = {3, 5};\n"
    ".visible .entry empty() { ret; }\n"
    ".visible .entry trap() { trap; }\n"
    ".visible .entry bounded() .maxntid 64, 1, 1 { ret; }\n"
    ".visible .entry store(.param .u64 p, .param .u32 v) {\n"
    "  .reg .b64 %rd<2>; .reg .b32 %r<2>;\n"
    "  ld.param.u64 %rd1, [p]; ld.param.u32 %r1, [v]; st.global.u32 [%rd1], %r1; ret; }\n"
    ".visible .entry dynamic(.param .u64 p) {\n"
    "  .reg .b64 %rd<2>; .reg .b32 %r<2>;\n"
    "  ld.param.u64 %rd1, [p]; mov.u32 %r1, %dynamic_smem_size; st.global.u32 [%rd1], %r1; ret; }\n"
    ".visible .entry add(.param .u64 p, .param .u32 n) {\n"
    "  .reg .b64 %rd<3>; .reg .b32 %r<6>; .reg .pred %p<2>;\n"
    "  ld.param.u64 %rd1, [p]; ld.param.u32 %r1, [n]; mov.u32 %r2, %tid.x; mov.u32 %r3, %ctaid.x;\n"
    "  mov.u32 %r4, %ntid.x; mad.lo.u32 %r2, %r3, %r4, %r2; setp.ge.u32 %p1, %r2, %r1; @%p1 bra END;\n"
    "  mul.wide.u32 %rd2, %r2, 4; add.u64 %rd1, %rd1, %rd2;\n"
    "  ld.global.u32 %r5, [%rd1]; add.u32 %r5, %r5, %r2; st.global.u32 [%rd1], %r5;\nEND: ret; }\n";

void start(void)
{
    CUcontext context;
    WORKS(cuInit(0));
    WORKS(cuDevicePrimaryCtxRetain(&context, 0));
    WORKS(cuCtxSetCurrent(context));
}

CUmodule load_kernels(void)
{
    CUmodule m;
    WORKS(cuModuleLoadData(&m, kernels));
    return m;
}

CUfunction kernel(CUmodule m, const char *name)
{
    CUfunction f;
    WORKS(cuModuleGetFunction(&f, m, name));
    return f;
}

CUresult run(CUfunction f, unsigned grid, unsigned block, CUstream stream, void **params)
{
    return cuLaunchKernel(f, grid, 1, 1, block, 1, 1, 0, stream, params, NULL);
}

CUgraphNode add_thread(CUgraph g, const CUgraphNode *before, CUfunction f, void **params)
{
    CUgraphNode n;
    CUDA_KERNEL_NODE_PARAMS p = {.func = f,
                                 .gridDimX = 1,
                                 .gridDimY = 1,
                                 .gridDimZ = 1,
                                 .blockDimX = 1,
                                 .blockDimY = 1,
                                 .blockDimZ = 1,
                                 .kernelParams = params};
    WORKS(cuGraphAddKernelNode_v2(&n, g, before, before && *before, &p));
    return n;
}
