/* The CUDA driver API as code of the host calls it: its types and constants, and functions that take anything, with the
 * names from the rows that libcuda's own functions are made of. */
#ifndef REPRISE_CUDA_DRIVER_H
#define REPRISE_CUDA_DRIVER_H
#pragma GCC system_header

#include <reprise/cuda.h>

#define __cuda_cuda_h__ /* programs ask for it */

typedef enum cudaError_enum {
#define ERROR(code, driver, runtime, text) driver = code,
#define DRIVER_ERROR(code, name, text) name = code,
#define RUNTIME_ERROR(code, name, text)
#include <reprise/cuda/rows/errors.def>
} CUresult;
typedef enum CUdevice_attribute_enum {
#define ATTRIBUTE(name, number, value) CU_DEVICE_ATTRIBUTE_##name = number,
#include <reprise/cuda/rows/attributes.def>
#undef ATTRIBUTE
} CUdevice_attribute;

typedef int CUdevice;
typedef unsigned long long CUdeviceptr, CUtexObject, CUsurfObject, cuuint64_t, CUmemGenericAllocationHandle;
typedef unsigned cuuint32_t;
typedef struct CUctx_st *CUcontext;
typedef struct CUmod_st *CUmodule;
typedef struct CUfunc_st *CUfunction;
typedef struct CUkern_st *CUkernel;
typedef struct CUlib_st *CUlibrary;
typedef struct CUstream_st *CUstream;
typedef struct CUevent_st *CUevent;
typedef struct CUarray_st *CUarray;
typedef struct CUtexref_st *CUtexref;
typedef struct CUlinkState_st *CUlinkState;
typedef struct CUgraph_st *CUgraph;
typedef struct CUgraphNode_st *CUgraphNode;
typedef struct CUgraphExec_st *CUgraphExec;
typedef struct CUmemPoolHandle_st *CUmemoryPool;
typedef void (*CUhostFn)(void *);

/* clang-format off */
enum { CU_CTX_SCHED_AUTO = 0, CU_CTX_SCHED_SPIN = 1, CU_CTX_SCHED_YIELD = 2, CU_CTX_SCHED_BLOCKING_SYNC = 4, CU_CTX_MAP_HOST = 8 };
enum { CU_STREAM_DEFAULT = 0, CU_STREAM_NON_BLOCKING = 1, CU_EVENT_DEFAULT = 0, CU_EVENT_BLOCKING_SYNC = 1, CU_EVENT_DISABLE_TIMING = 2 };
enum { CU_MEM_ATTACH_GLOBAL = 1, CU_MEM_ATTACH_HOST = 2, CU_MEM_ATTACH_SINGLE = 4 };
enum CUjit_option {
    CU_JIT_MAX_REGISTERS, CU_JIT_THREADS_PER_BLOCK, CU_JIT_WALL_TIME, CU_JIT_INFO_LOG_BUFFER, CU_JIT_INFO_LOG_BUFFER_SIZE_BYTES,
    CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES, CU_JIT_OPTIMIZATION_LEVEL, CU_JIT_TARGET_FROM_CUCONTEXT, CU_JIT_TARGET
};
enum CUjitInputType { CU_JIT_INPUT_CUBIN, CU_JIT_INPUT_PTX, CU_JIT_INPUT_FATBINARY, CU_JIT_INPUT_OBJECT, CU_JIT_INPUT_LIBRARY };
enum CUfunction_attribute {
    CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK, CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES, CU_FUNC_ATTRIBUTE_CONST_SIZE_BYTES,
    CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES, CU_FUNC_ATTRIBUTE_NUM_REGS, CU_FUNC_ATTRIBUTE_PTX_VERSION, CU_FUNC_ATTRIBUTE_BINARY_VERSION,
    CU_FUNC_ATTRIBUTE_CACHE_MODE_CA, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT
};
#define CU_LAUNCH_PARAM_END ((void *)0)
#define CU_LAUNCH_PARAM_BUFFER_POINTER ((void *)1)
#define CU_LAUNCH_PARAM_BUFFER_SIZE ((void *)2)
/* clang-format on */

/* A function may have several rows: older and newer forms. */
#define GROUP(title)
#define FUNCTION(name, ...) __host__ CUresult name(...);
#define REFUSED(name, ...) FUNCTION(name)
#include <reprise/cuda/rows/refused.def>
#include <reprise/cuda/rows/rows_device.def>
#include <reprise/cuda/rows/rows_graph.def>
#include <reprise/cuda/rows/rows_memory.def>
#include <reprise/cuda/rows/rows_module.def>
#include <reprise/cuda/rows/rows_stream.def>
#include <reprise/cuda/rows/rows_texture.def>
#undef GROUP
#undef FUNCTION
#undef REFUSED

#endif
