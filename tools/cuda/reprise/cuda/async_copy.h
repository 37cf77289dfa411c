/* Copies from global to shared memory that run on, as cuda/barrier and cuda/pipeline know them. */
#ifndef REPRISE_CUDA_ASYNC_COPY_H
#define REPRISE_CUDA_ASYNC_COPY_H
#pragma GCC system_header

#include <cstddef>
#include <new>

#include <cuda_pipeline_primitives.h>

namespace cuda
{
enum thread_scope { thread_scope_system, thread_scope_device, thread_scope_block, thread_scope_thread };
template <size_t alignment> struct aligned_size_t {
    size_t value;
    REPRISE_MEMBER explicit aligned_size_t(size_t n) : value(n) {}
    REPRISE_MEMBER operator size_t() const { return value; }
};
/* In pieces that are as large as the alignment allows, of 16, 8 or 4 bytes; else bytewise and at once. */
template <size_t alignment> REPRISE_FN void reprise_copy(void *to, const void *from, size_t bytes)
{
    const size_t step = alignment >= 16 ? 16 : alignment >= 8 ? 8 : alignment >= 4 ? 4 : 1;
#pragma unroll 4
    for (size_t i = 0; i < bytes; i += step)
        if (step == 1)
            ((char *)to)[i] = ((const char *)from)[i];
        else
            __pipeline_memcpy_async((char *)to + i, (const char *)from + i, step);
}
/* All threads of a group take part. */
template <class Group, class T> REPRISE_FN void reprise_copy_of(const Group &group, T *to, const T *from, size_t bytes)
{
    for (size_t i = group.thread_rank(); i < bytes / sizeof(T); i += group.size())
        reprise_copy<alignof(T)>(to + i, from + i, sizeof(T));
}
} // namespace cuda

#endif
