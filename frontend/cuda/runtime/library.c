/* Libraries of kernels that a program loads itself (CUDA 12 and later). */
#include "frontend/cuda/runtime/runtime.h"

#if CUDART_MAJOR >= 12
cudaError_t cudaLibraryLoadData(cudaLibrary_t *library, const void *image, CUjit_option *jit_options, void **jit_values,
                                unsigned jit_count, CUlibraryOption *options, void **values, unsigned count)
{
    return ready() ? done(cuLibraryLoadData(library, image, jit_options, jit_values, jit_count, options, values, count))
                   : last_error();
}

cudaError_t cudaLibraryLoadFromFile(cudaLibrary_t *library, const char *path, CUjit_option *jit_options,
                                    void **jit_values, unsigned jit_count, CUlibraryOption *options, void **values,
                                    unsigned count)
{
    return ready()
               ? done(cuLibraryLoadFromFile(library, path, jit_options, jit_values, jit_count, options, values, count))
               : last_error();
}

cudaError_t cudaLibraryUnload(cudaLibrary_t library) { return ready() ? done(cuLibraryUnload(library)) : last_error(); }

cudaError_t cudaLibraryGetKernel(cudaKernel_t *kernel, cudaLibrary_t library, const char *name)
{
    return ready() ? done(cuLibraryGetKernel(kernel, library, name)) : last_error();
}

cudaError_t cudaLibraryGetGlobal(void **pointer, size_t *bytes, cudaLibrary_t library, const char *name)
{
    return ready() ? done(cuLibraryGetGlobal((CUdeviceptr *)pointer, bytes, library, name)) : last_error();
}

cudaError_t cudaLibraryGetManaged(void **pointer, size_t *bytes, cudaLibrary_t library, const char *name)
{
    return ready() ? done(cuLibraryGetManaged((CUdeviceptr *)pointer, bytes, library, name)) : last_error();
}

cudaError_t cudaLibraryGetKernelCount(unsigned *count, cudaLibrary_t library)
{
    return ready() ? done(cuLibraryGetKernelCount(count, library)) : last_error();
}

cudaError_t cudaLibraryEnumerateKernels(cudaKernel_t *kernels, unsigned count, cudaLibrary_t library)
{
    return ready() ? done(cuLibraryEnumerateKernels(kernels, count, library)) : last_error();
}
#endif
