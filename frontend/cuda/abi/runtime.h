/* The binary interface of the CUDA runtime, as in libcudart.so.11.0, .12 and .13 on x86-64 Linux: structures whose
 * layout clients rely on. CUDART_MAJOR selects the version; names and layouts are those of the public API reference
 * (CUDA Runtime API, "Data types used by CUDA Runtime"). tests/cuda/layout.sh compares every size and offset with
 * NVIDIA's headers. Enumerations are int here. Handles are the driver's: cudaStream_t is a CUstream, and so on. */
#ifndef REPRISE_FRONTEND_CUDA_ABI_RUNTIME_H
#define REPRISE_FRONTEND_CUDA_ABI_RUNTIME_H

#ifndef CUDART_MAJOR
#define CUDART_MAJOR 13 /* for tools that read a single file */
#endif

#include <stddef.h>

#include "frontend/cuda/abi/driver.h"

typedef int cudaError_t;
enum {
#define ERROR(code, driver, runtime, text) runtime = code,
#define DRIVER_ERROR(code, name, text)
#define RUNTIME_ERROR(code, name, text) name = code,
#include "frontend/cuda/abi/errors.def"
};

typedef CUstream cudaStream_t;
typedef CUevent cudaEvent_t;
typedef CUgraph cudaGraph_t;
typedef CUgraphNode cudaGraphNode_t;
typedef CUgraphExec cudaGraphExec_t;
typedef CUarray cudaArray_t;
typedef CUmipmappedArray cudaMipmappedArray_t;
typedef CUmemoryPool cudaMemPool_t;
typedef CUlibrary cudaLibrary_t;
typedef CUkernel cudaKernel_t;
typedef CUfunction cudaFunction_t;
typedef unsigned long long cudaTextureObject_t, cudaSurfaceObject_t;
typedef void (*cudaHostFn_t)(void *data);
typedef void (*cudaStreamCallback_t)(cudaStream_t, cudaError_t, void *data);

/* The first is cudaMemcpyHostToHost, the last cudaMemcpyDefault. */
enum { KIND_HOST_TO_HOST, KIND_HOST_TO_DEVICE, KIND_DEVICE_TO_HOST, KIND_DEVICE_TO_DEVICE, KIND_DEFAULT };

struct dim3 {
    unsigned x, y, z;
};
struct cudaExtent {
    size_t width, height, depth;
};
struct cudaPos {
    size_t x, y, z;
};
struct cudaPitchedPtr {
    void *ptr;
    size_t pitch, xsize, ysize;
};

enum { CHANNEL_SIGNED, CHANNEL_UNSIGNED, CHANNEL_FLOAT, CHANNEL_NONE };
struct cudaChannelFormatDesc {
    int x, y, z, w; /* bits */
    int f;          /* CHANNEL_... */
};

struct cudaMemcpy3DParms {
    cudaArray_t srcArray;
    struct cudaPos srcPos;
    struct cudaPitchedPtr srcPtr;
    cudaArray_t dstArray;
    struct cudaPos dstPos;
    struct cudaPitchedPtr dstPtr;
    struct cudaExtent extent;
    int kind;
};

struct cudaMemcpy3DPeerParms {
    cudaArray_t srcArray;
    struct cudaPos srcPos;
    struct cudaPitchedPtr srcPtr;
    int srcDevice;
    cudaArray_t dstArray;
    struct cudaPos dstPos;
    struct cudaPitchedPtr dstPtr;
    int dstDevice;
    struct cudaExtent extent;
};

struct cudaPointerAttributes {
    int type; /* 0 unregistered, 1 host, 2 device, 3 managed */
    int device;
    void *devicePointer, *hostPointer;
#if CUDART_MAJOR >= 13
    long reserved[8];
#endif
};

struct cudaFuncAttributes {
    size_t sharedSizeBytes, constSizeBytes, localSizeBytes;
    int maxThreadsPerBlock, numRegs, ptxVersion, binaryVersion, cacheModeCA;
    int maxDynamicSharedSizeBytes, preferredShmemCarveout;
#if CUDART_MAJOR >= 12
    int clusterDimMustBeSet, requiredClusterWidth, requiredClusterHeight, requiredClusterDepth;
    int clusterSchedulingPolicyPreference, nonPortableClusterSizeAllowed;
    int reserved[16];
#endif
};

struct cudaLaunchConfig {
    struct dim3 gridDim, blockDim;
    size_t dynamicSmemBytes;
    cudaStream_t stream;
    CUlaunchAttribute *attrs; /* with the driver's layout */
    unsigned numAttrs;
};

struct cudaKernelNodeParams {
    void *func;
    struct dim3 gridDim, blockDim;
    unsigned sharedMemBytes;
    void **kernelParams, **extra;
};

/* A node of any kind: cudaGraphAddNode. Except for launches and copies it equals the driver's struct. */
struct cudaGraphNodeParams {
    int type, reserved0[3];
    union {
        long long reserved1[29];
        struct cudaKernelNodeParams kernel;
        struct {
            int flags, reserved[3];
            struct cudaMemcpy3DParms copyParams;
        } memcpy;
        CUDA_MEM_ALLOC_NODE_PARAMS alloc;
        CUDA_CONDITIONAL_NODE_PARAMS conditional;
    };
    long long reserved2;
};

struct cudaMemLocation {
    int type, id; /* 1: a device, 2: the host */
};
struct cudaMemAccessDesc {
    struct cudaMemLocation location;
    int flags;
};

struct cudaResourceDesc {
    int resType; /* as in the driver */
    union {
        cudaArray_t array;
        cudaMipmappedArray_t mipmap;
        struct {
            void *devPtr;
            struct cudaChannelFormatDesc desc;
            size_t sizeInBytes;
        } linear;
        struct {
            void *devPtr;
            struct cudaChannelFormatDesc desc;
            size_t width, height, pitchInBytes;
        } pitch2D;
#if CUDART_MAJOR >= 13
        int reserved[32];
#endif
    } res;
#if CUDART_MAJOR >= 13
    unsigned flags;
#endif
};

struct cudaTextureDesc {
    int addressMode[3], filterMode;
    int readMode; /* 1: integers are read as normalised floats */
    int sRGB;
    float borderColor[4];
    int normalizedCoords;
    unsigned maxAnisotropy;
    int mipmapFilterMode;
    float mipmapLevelBias, minMipmapLevelClamp, maxMipmapLevelClamp;
    int disableTrilinearOptimization;
#if CUDART_MAJOR >= 12
    int seamlessCubemap;
#endif
};

/* frontend/cuda/runtime/properties.c fills cudaDeviceProp from a table of attributes. */
struct cudaDeviceProp {
    char name[256];
    char uuid[16];
    char luid[8];
    unsigned luidDeviceNodeMask;
    size_t totalGlobalMem, sharedMemPerBlock;
    int regsPerBlock, warpSize;
    size_t memPitch;
    int maxThreadsPerBlock, maxThreadsDim[3], maxGridSize[3];
#if CUDART_MAJOR < 13
    int clockRate;
#endif
    size_t totalConstMem;
    int major, minor;
    size_t textureAlignment, texturePitchAlignment;
#if CUDART_MAJOR < 13
    int deviceOverlap;
#endif
    int multiProcessorCount;
#if CUDART_MAJOR < 13
    int kernelExecTimeoutEnabled;
#endif
    int integrated, canMapHostMemory;
#if CUDART_MAJOR < 13
    int computeMode;
#endif
    int maxTexture1D, maxTexture1DMipmap;
#if CUDART_MAJOR < 13
    int maxTexture1DLinear;
#endif
    int maxTexture2D[2], maxTexture2DMipmap[2], maxTexture2DLinear[3], maxTexture2DGather[2];
    int maxTexture3D[3], maxTexture3DAlt[3], maxTextureCubemap, maxTexture1DLayered[2], maxTexture2DLayered[3];
    int maxTextureCubemapLayered[2], maxSurface1D, maxSurface2D[2], maxSurface3D[3], maxSurface1DLayered[2];
    int maxSurface2DLayered[3], maxSurfaceCubemap, maxSurfaceCubemapLayered[2];
    size_t surfaceAlignment;
    int concurrentKernels, ECCEnabled, pciBusID, pciDeviceID, pciDomainID, tccDriver, asyncEngineCount;
    int unifiedAddressing;
#if CUDART_MAJOR < 13
    int memoryClockRate;
#endif
    int memoryBusWidth, l2CacheSize, persistingL2CacheMaxSize, maxThreadsPerMultiProcessor;
    int streamPrioritiesSupported, globalL1CacheSupported, localL1CacheSupported;
    size_t sharedMemPerMultiprocessor;
    int regsPerMultiprocessor, managedMemory, isMultiGpuBoard, multiGpuBoardGroupID, hostNativeAtomicSupported;
#if CUDART_MAJOR < 13
    int singleToDoublePrecisionPerfRatio;
#endif
    int pageableMemoryAccess, concurrentManagedAccess, computePreemptionSupported;
    int canUseHostPointerForRegisteredMem, cooperativeLaunch;
#if CUDART_MAJOR < 13
    int cooperativeMultiDeviceLaunch;
#endif
    size_t sharedMemPerBlockOptin;
    int pageableMemoryAccessUsesHostPageTables, directManagedMemAccessFromHost, maxBlocksPerMultiProcessor;
    int accessPolicyMaxWindowSize;
    size_t reservedSharedMemPerBlock;
#if CUDART_MAJOR >= 12
    int hostRegisterSupported, sparseCudaArraySupported, hostRegisterReadOnlySupported;
    int timelineSemaphoreInteropSupported, memoryPoolsSupported, gpuDirectRDMASupported;
    unsigned gpuDirectRDMAFlushWritesOptions;
    int gpuDirectRDMAWritesOrdering;
    unsigned memoryPoolSupportedHandleTypes;
    int deferredMappingCudaArraySupported, ipcEventSupported, clusterLaunch, unifiedFunctionPointers;
    int reserved[63]; /* CUDA 13 names some of these; they are not used here */
#endif
};

#endif
