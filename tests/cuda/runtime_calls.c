/* Functions of the runtime that the programs of nvcc here do not use. CUDART_MAJOR: the runtime to link with. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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

int main(void)
{
    libraries();
    boxes();
    batches();
    nodes();
    return 0;
}
