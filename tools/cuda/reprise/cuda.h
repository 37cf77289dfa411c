/* CUDA C++ for clang without a CUDA installation, on clang's builtins: the language and the functions of device code.
 * Names and meanings are those of the CUDA C++ Programming Guide. Code of the host is parsed, with <cuda_runtime.h>,
 * and not kept. nvcc does not need this header and ignores it.
 *
 *   clang -x cuda --cuda-device-only --cuda-gpu-arch=sm_75 -nocudainc -nocudalib -include reprise/cuda.h -O2 -S k.cu
 */
#ifndef REPRISE_CUDA_H
#define REPRISE_CUDA_H
#ifndef __NVCC__
#pragma GCC system_header

typedef decltype(sizeof 0) size_t;
#include "cuda/language.h"

#include "cuda/atomics.h"
#include "cuda/elementary.h"
#include "cuda/integers.h"
#include "cuda/rounded.h"
#include "cuda/threads.h"
#include "cuda/vectors.h"
#include "cuda/warp.h"

REPRISE_FN long clock() { return __nvvm_read_ptx_sreg_clock(); }
extern "C" __device__ int printf(const char *format, ...);
extern "C" __device__ void *malloc(size_t);
extern "C" __device__ void free(void *);
extern "C" __device__ void __assertfail(const char *text, const char *file, unsigned line, const char *function,
                                        size_t character_bytes);
REPRISE_FN void __assert_fail(const char *text, const char *file, unsigned line, const char *function)
{
    __assertfail(text, file, line, function, 1);
}

#include "cuda/runtime.h"

#endif
#endif
