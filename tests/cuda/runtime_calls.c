/* Functions of the runtime that the programs of nvcc here do not use. CUDART_MAJOR: the runtime to link with. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "frontend/cuda/runtime/runtime.h"

#define CHECK(condition)                                                                                               \
    do {                                                                                                               \
        if (!(condition)) {                                                                                            \
            printf("line %d: %s\n", __LINE__, #condition);                                                             \
            exit(1);                                                                                                   \
        }                                                                                                              \
    } while (0)
#define WORKS(call) CHECK((call) == cudaSuccess)

static const char text[] = ".version 6.0\n.target sm_61\n.address_size 64\n"
                           ".visible .entry first(.param .u64 p) { ret; }\n"
                           ".visible .entry second(.param .u64 p) { ret; }\n";

/* One texel of a level, by coordinates without a norm. */
static const char level[] =
    ".version 6.0\n.target sm_61\n.address_size 64\n"
    ".visible .entry read(.param .u64 t, .param .u64 p, .param .f32 x, .param .f32 y, .param .f32 l) {\n"
    "  .reg .b64 %rd<3>; .reg .f32 %f<8>;\n"
    "  ld.param.u64 %rd1, [t]; ld.param.u64 %rd2, [p];\n"
    "  ld.param.f32 %f5, [x]; ld.param.f32 %f6, [y]; ld.param.f32 %f7, [l];\n"
    "  tex.level.2d.v4.f32.f32 {%f1, %f2, %f3, %f4}, [%rd1, {%f5, %f6}], %f7;\n"
    "  st.global.f32 [%rd2], %f1; ret; }\n";

static void libraries(void)
{
    cudaLibrary_t library;
    cudaKernel_t kernels[2], first, second;
    unsigned count = 0;
    WORKS(cudaLibraryLoadData(&library, text, NULL, NULL, 0, NULL, NULL, 0));
    WORKS(cudaLibraryGetKernelCount(&count, library));
    CHECK(count == 2);
    WORKS(cudaLibraryEnumerateKernels(kernels, 2, library));
    WORKS(cudaLibraryGetKernel(&first, library, "first"));
    WORKS(cudaLibraryGetKernel(&second, library, "second"));
    CHECK((kernels[0] == first && kernels[1] == second) || (kernels[0] == second && kernels[1] == first));
    WORKS(cudaLibraryUnload(library));
    puts("ok libraries");
}

/* A box of 2 x 2 x 2 bytes out of one of 4 x 3 x 2. */
static void boxes(void)
{
    unsigned char in[24], out[24] = {0}, *from, *to;
    for (int i = 0; i < 24; i++)
        in[i] = (unsigned char)(i + 1);
    WORKS(cudaMalloc((void **)&from, sizeof in));
    WORKS(cudaMalloc((void **)&to, sizeof out));
    WORKS(cudaMemcpy(from, in, sizeof in, KIND_HOST_TO_DEVICE));
    WORKS(cudaMemset(to, 0, sizeof out));
    struct cudaMemcpy3DPeerParms p = {
        .srcPtr = {from, 4, 4, 3}, .srcPos = {1, 1, 0}, .dstPtr = {to, 4, 4, 3}, .extent = {2, 2, 2}};
    WORKS(cudaMemcpy3DPeer(&p));
    p.dstPos.x = 2;
    WORKS(cudaMemcpy3DPeerAsync(&p, NULL));
    WORKS(cudaMemcpy(out, to, sizeof out, KIND_DEVICE_TO_HOST));
    for (int z = 0; z < 2; z++)
        for (int y = 0; y < 3; y++)
            for (int x = 0; x < 4; x++)
                CHECK(out[z * 12 + y * 4 + x] == (y < 2 ? in[z * 12 + (y + 1) * 4 + 1 + x % 2] : 0));
    p.srcDevice = 1;
    CHECK(cudaMemcpy3DPeer(&p) == cudaErrorInvalidDevice);
    WORKS(cudaFree(from));
    WORKS(cudaFree(to));
    puts("ok boxes between devices");
}

static void batches(void)
{
    int in[8] = {1, 2, 3, 4, 5, 6, 7, 8}, out[8] = {0}, *on;
    cudaStream_t stream;
    WORKS(cudaStreamCreate(&stream));
    WORKS(cudaMalloc((void **)&on, sizeof in));
    void *there[] = {on + 4, on}, *here[] = {in, in + 4};
    size_t bytes[] = {16, 16}, first = 0;
    CUmemcpyAttributes a = {.srcAccessOrder = 1};
#if CUDART_MAJOR == 12
    size_t failed;
    WORKS(cudaMemcpyBatchAsync(there, here, bytes, 2, &a, &first, 1, &failed, stream));
    CHECK(cudaMemcpyBatchAsync(there, here, bytes, 2, &a, &first, 1, &failed, NULL) == cudaErrorInvalidValue);
#else
    WORKS(cudaMemcpyBatchAsync(there, (const void *const *)here, bytes, 2, &a, &first, 1, stream));
    CHECK(cudaMemcpyBatchAsync(there, (const void *const *)here, bytes, 2, &a, &first, 1, NULL) ==
          cudaErrorInvalidValue);
#endif
    WORKS(cudaStreamSynchronize(stream));
    WORKS(cudaMemcpy(out, on, sizeof out, KIND_DEVICE_TO_HOST));
    for (int i = 0; i < 8; i++)
        CHECK(out[i] == in[(i + 4) % 8]);
    WORKS(cudaFree(on));
    puts("ok batches of copies");
}

static void host_function(void) {}

/* What nvcc has a program do for each of its kernels, before main. */
static void nodes(void)
{
    static struct {
        unsigned magic, version;
        const void *data, *unused;
    } wrapper = {0x466243b1, 1, text, NULL};
    void **module = __cudaRegisterFatBinary(&wrapper), *pointer = NULL;
    cudaGraph_t graph;
    cudaGraphNode_t node;
    struct cudaKernelNodeParams asked = {.func = (void *)host_function,
                                         .gridDim = {1, 1, 1},
                                         .blockDim = {32, 1, 1},
                                         .kernelParams = (void *[]){&pointer}},
                                answer;
    __cudaRegisterFunction(module, (const char *)host_function, NULL, "first", -1, NULL, NULL, NULL, NULL, NULL);
    WORKS(cudaGraphCreate(&graph, 0));
    WORKS(cudaGraphAddKernelNode(&node, graph, NULL, 0, &asked));
    WORKS(cudaGraphKernelNodeGetParams(node, &answer));
    CHECK(answer.func == asked.func && answer.blockDim.x == 32);
    WORKS(cudaGraphKernelNodeSetParams(node, &answer));
    WORKS(cudaGraphDebugDotPrint(graph, "/dev/null", 0));
    WORKS(cudaGraphDestroy(graph));
    puts("ok nodes give host functions");
}

/* A child of a process that has initialised CUDA cannot use it, not even for a kernel that was never looked up. */
static void forked(void)
{
    struct {
        unsigned magic, version;
        const void *data, *unused;
    } wrapper = {0x466243b1, 1, text, NULL};
    void **module = __cudaRegisterFatBinary(&wrapper), *pointer = NULL;
    struct dim3 one = {1, 1, 1};
    int status;
    __cudaRegisterFunction(module, (const char *)forked, NULL, "first", -1, NULL, NULL, NULL, NULL, NULL);
    fflush(stdout);
    pid_t child = fork();
    if (!child)
        _exit(cudaLaunchKernel((const void *)forked, one, one, (void *[]){&pointer}, 0, NULL) !=
              cudaErrorInitializationError);
    CHECK(waitpid(child, &status, 0) == child && !status);
    puts("ok the child of a fork");
}

static cudaTextureObject_t texture_of_levels(cudaMipmappedArray_t array)
{
    struct cudaResourceDesc resource = {.resType = CU_RESOURCE_TYPE_MIPMAPPED_ARRAY, .res.mipmap = array};
    struct cudaTextureDesc how = {.addressMode = {CU_TR_ADDRESS_MODE_CLAMP, CU_TR_ADDRESS_MODE_CLAMP},
                                  .filterMode = CU_TR_FILTER_MODE_POINT,
                                  .mipmapFilterMode = CU_TR_FILTER_MODE_LINEAR,
                                  .normalizedCoords = 1,
                                  .maxMipmapLevelClamp = 2};
    cudaTextureObject_t texture;
    WORKS(cudaCreateTextureObject(&texture, &resource, &how, NULL));
    return texture;
}

static float texel(cudaKernel_t kernel, cudaTextureObject_t texture, float x, float y, float lod)
{
    float *place, value;
    WORKS(cudaMalloc((void **)&place, sizeof value));
    WORKS(cudaLaunchKernel(kernel, (struct dim3){1, 1, 1}, (struct dim3){1, 1, 1},
                           (void *[]){&texture, &place, &x, &y, &lod}, 0, NULL));
    WORKS(cudaMemcpy(&value, place, sizeof value, KIND_DEVICE_TO_HOST));
    WORKS(cudaFree(place));
    return value;
}

/* Levels of 8 x 4, 4 x 2 and 2 x 1 texels: 100 * level + 10 * row + column. */
static void levels(void)
{
    struct cudaChannelFormatDesc channel = cudaCreateChannelDesc(32, 0, 0, 0, CHANNEL_FLOAT), wrong = {.x = 7};
    struct cudaExtent extent = {8, 4, 0}, of;
    cudaMipmappedArray_t array;
    cudaLibrary_t library;
    cudaKernel_t kernel;
    cudaArray_t part;
    CHECK(cudaMallocMipmappedArray(&array, &wrong, extent, 3, 0) == cudaErrorInvalidChannelDescriptor);
    CHECK(cudaMallocMipmappedArray(&array, NULL, extent, 3, 0) == cudaErrorInvalidValue);
    CHECK(cudaMallocMipmappedArray(NULL, &channel, extent, 3, 0) == cudaErrorInvalidValue);
    WORKS(cudaMallocMipmappedArray(&array, &channel, extent, 3, 0));
    for (unsigned i = 0; i < 3; i++) {
        float texels[4][8];
        for (int k = 0; k < 32; k++)
            texels[k / 8][k % 8] = 100.f * (float)i + 10.f * (float)(k / 8) + (float)(k % 8);
        WORKS(cudaGetMipmappedArrayLevel(&part, array, i));
        WORKS(cudaArrayGetInfo(NULL, &of, NULL, part));
        CHECK(of.width == 8 >> i && of.height == 4 >> i && of.depth == 0);
        WORKS(cudaMemcpy2DToArray(part, 0, 0, texels, 32, of.width * 4, of.height, KIND_HOST_TO_DEVICE));
    }
    CHECK(cudaGetMipmappedArrayLevel(&part, array, 3) == cudaErrorInvalidValue);
    WORKS(cudaLibraryLoadData(&library, level, NULL, NULL, 0, NULL, NULL, 0));
    WORKS(cudaLibraryGetKernel(&kernel, library, "read"));
    cudaTextureObject_t texture = texture_of_levels(array);
    CHECK(texel(kernel, texture, .95f, .95f, 0) == 37);
    CHECK(texel(kernel, texture, .95f, .95f, 1) == 113);
    CHECK(texel(kernel, texture, .95f, .95f, 2) == 201);
    CHECK(texel(kernel, texture, .95f, .95f, 0.5f) == 75);
    WORKS(cudaDestroyTextureObject(texture));
    WORKS(cudaFreeMipmappedArray(array));
    CHECK(cudaFreeMipmappedArray(array) == cudaErrorInvalidResourceHandle);
    WORKS(cudaFreeMipmappedArray(NULL));
    WORKS(cudaLibraryUnload(library));
    puts("ok levels of an array");
}

int main(void)
{
    levels();
    libraries();
    boxes();
    batches();
    nodes();
    forked();
    return 0;
}
