/* Arrays, textures and surfaces. */
#include "common.h"

static const char kernels[] =
    ".version 7.0\n.target sm_61\n.address_size 64\n"
    ".visible .entry fetch(.param .u64 t, .param .u64 p) {\n"
    "  .reg .b64 %rd<3>; .reg .b32 %r<3>; .reg .f32 %f<7>;\n"
    "  ld.param.u64 %rd1, [t]; ld.param.u64 %rd2, [p]; mov.u32 %r1, %tid.x; cvt.rn.f32.u32 %f5, %r1;\n"
    "  add.f32 %f5, %f5, 0f3F800000; mov.f32 %f6, 0f3FC00000;\n"
    "  tex.2d.v4.f32.f32 {%f1, %f2, %f3, %f4}, [%rd1, {%f5, %f6}]; st.global.f32 [%rd2], %f1; ret; }\n";

/* Between the texels (0, 1) and (1, 1) of a 4 × 2 array. */
Test(cuda_texture, reads_an_array)
{
    CUDA_ARRAY3D_DESCRIPTOR d = {4, 2, 0, CU_AD_FORMAT_FLOAT, 1, 0}, back;
    float texels[8] = {0, 1, 2, 3, 10, 20, 30, 40}, out[8];
    CUarray array;
    CUtexObject texture;
    CUdeviceptr p;
    CUmodule m;
    float value;
    start();
    WORKS(cuArray3DCreate_v2(&array, &d));
    WORKS(cuArray3DGetDescriptor_v2(&back, array));
    cr_assert(back.Width == 4 && back.Height == 2 && back.Format == CU_AD_FORMAT_FLOAT);
    CUDA_MEMCPY2D c = {.srcMemoryType = CU_MEMORYTYPE_HOST,
                       .srcHost = texels,
                       .dstMemoryType = CU_MEMORYTYPE_ARRAY,
                       .dstArray = array,
                       .WidthInBytes = 16,
                       .Height = 2};
    WORKS(cuMemcpy2D_v2(&c));
    WORKS(cuMemcpyAtoH_v2(out, array, 4, 8));
    cr_assert(out[0] == 1 && out[1] == 2);
    c.WidthInBytes = 20;
    FAILS(cuMemcpy2D_v2(&c), CUDA_ERROR_INVALID_VALUE);
    CUDA_RESOURCE_DESC resource = {.resType = CU_RESOURCE_TYPE_ARRAY, .res.array.hArray = array};
    CUDA_TEXTURE_DESC sampler = {.addressMode = {CU_TR_ADDRESS_MODE_CLAMP, CU_TR_ADDRESS_MODE_CLAMP},
                                 .filterMode = CU_TR_FILTER_MODE_LINEAR};
    WORKS(cuTexObjectCreate(&texture, &resource, &sampler, NULL));
    WORKS(cuMemAlloc_v2(&p, 4));
    WORKS(cuModuleLoadData(&m, kernels));
    WORKS(run(kernel(m, "fetch"), 1, 1, NULL, (void *[]){&texture, &p}));
    WORKS(cuMemcpyDtoH_v2(&value, p, 4));
    cr_assert_eq(value, 15);
    WORKS(cuTexObjectDestroy(texture));
    FAILS(cuTexObjectDestroy(texture), CUDA_ERROR_INVALID_VALUE);
    WORKS(cuArrayDestroy(array));
    FAILS(cuArrayDestroy(array), CUDA_ERROR_INVALID_HANDLE);
}

Test(cuda_texture, has_levels)
{
    CUDA_ARRAY3D_DESCRIPTOR d = {16, 8, 0, CU_AD_FORMAT_UNSIGNED_INT8, 4, 0};
    CUmipmappedArray array;
    CUarray level, again;
    start();
    WORKS(cuMipmappedArrayCreate(&array, &d, 3));
    WORKS(cuMipmappedArrayGetLevel(&level, array, 2));
    WORKS(cuMipmappedArrayGetLevel(&again, array, 2));
    cr_assert_eq(level, again);
    WORKS(cuArray3DGetDescriptor_v2(&d, level));
    cr_assert(d.Width == 4 && d.Height == 2 && d.Depth == 0);
    FAILS(cuMipmappedArrayGetLevel(&level, array, 3), CUDA_ERROR_INVALID_VALUE);
    FAILS(cuArrayDestroy(level), CUDA_ERROR_INVALID_HANDLE);
    WORKS(cuMipmappedArrayDestroy(array));
}
