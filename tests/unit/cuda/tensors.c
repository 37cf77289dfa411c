/* Tensor maps: a kernel copies a box of what the host describes. */
#include <stdlib.h>

#include "common.h"

/* A box of 8 × 4 words out of a matrix of 32 × 16, whose corner is at (8, 4), in the order of its rows. */
static const char kernel_text[] =
    ".version 8.0\n.target sm_90\n.address_size 64\n"
    ".visible .entry k(.param .align 64 .b8 map[128], .param .u64 out) {\n"
    ".shared .align 128 .b8 data[128]; .shared .align 8 .b64 obj;\n"
    ".reg .b64 %m, %p, %o; .reg .b32 %i, %s, %v; .reg .pred %f, %q;\n"
    "ld.param.u64 %p, [out]; mov.u64 %m, map; cvta.param.u64 %m, %m; mov.u32 %i, %tid.x; setp.eq.u32 %f, %i, 0;\n"
    "@%f mbarrier.init.shared.b64 [obj], 1; bar.sync 0;\n"
    "@%f mbarrier.arrive.expect_tx.shared.b64 _, [obj], 128;\n"
    "@%f cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [data], [%m, {8, 4}], "
    "[obj];\n"
    "W: mbarrier.try_wait.parity.shared.b64 %q, [obj], 0; @!%q bra W;\n"
    "mov.u32 %s, data; mad.lo.u32 %s, %i, 4, %s; ld.shared.u32 %v, [%s]; mad.wide.u32 %o, %i, 4, %p;\n"
    "st.global.u32 [%o], %v; ret; }\n";

Test(cuda_tensor, boxes_are_copied)
{
    enum { WIDTH = 32, HEIGHT = 16, U32 = 2 }; /* CU_TENSOR_MAP_DATA_TYPE_UINT32 */
    const uint64_t sizes[] = {WIDTH, HEIGHT}, strides[] = {4 * WIDTH};
    const uint32_t box[] = {8, 4}, steps[] = {1, 1}, wrong[] = {9, 1};
    unsigned matrix[WIDTH * HEIGHT], back[32];
    _Alignas(64) char map[128];
    CUmodule module;
    CUdeviceptr p, out;
    setenv("REPRISE_DEVICE", "capability=90", 1);
    start();
    for (unsigned i = 0; i < WIDTH * HEIGHT; i++)
        matrix[i] = i * 77;
    WORKS(cuMemAlloc_v2(&p, sizeof matrix));
    WORKS(cuMemAlloc_v2(&out, sizeof back));
    WORKS(cuMemcpyHtoD_v2(p, matrix, sizeof matrix));
    FAILS(cuTensorMapEncodeTiled(map, U32, 2, (void *)(uintptr_t)p, sizes, strides, box, wrong, 0, 0, 0, 0),
          CUDA_ERROR_INVALID_VALUE);
    FAILS(cuTensorMapEncodeTiled(map, U32, 2, NULL, sizes, strides, box, steps, 0, 0, 0, 0), CUDA_ERROR_INVALID_VALUE);
    WORKS(cuTensorMapEncodeTiled(map, U32, 2, (void *)(uintptr_t)p, sizes, strides, box, steps, 0, 0, 0, 0));
    WORKS(cuModuleLoadData(&module, kernel_text));
    WORKS(run(kernel(module, "k"), 1, 32, NULL, (void *[]){map, &out}));
    WORKS(cuMemcpyDtoH_v2(back, out, sizeof back));
    for (unsigned i = 0; i < 32; i++)
        cr_assert_eq(back[i], matrix[(4 + i / 8) * WIDTH + 8 + i % 8], "%u", i);
}
