/* Copies from global to shared memory that run on, for clang; CUDA C++ Programming Guide, "Pipeline Primitives
 * Interface". Before sm_80 they are done at once. */
#ifndef REPRISE_CUDA_PIPELINE_PRIMITIVES_H
#define REPRISE_CUDA_PIPELINE_PRIMITIVES_H
#pragma GCC system_header

#include <reprise/cuda.h>

REPRISE_FN void __pipeline_memcpy_async(void *to, const void *from, size_t bytes, size_t zeros = 0)
{
#if __CUDA_ARCH__ >= 800
    unsigned at = (unsigned)__cvta_generic_to_shared(to), left = (unsigned)(bytes - zeros);
    if (bytes == 16)
        asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(at), "l"(from), "r"(left) : "memory");
    else if (bytes == 8)
        asm volatile("cp.async.ca.shared.global [%0], [%1], 8, %2;" ::"r"(at), "l"(from), "r"(left) : "memory");
    else
        asm volatile("cp.async.ca.shared.global [%0], [%1], 4, %2;" ::"r"(at), "l"(from), "r"(left) : "memory");
#else
    for (size_t i = 0; i < bytes; i += 4)
        ((reprise_word *)to)[i / 4] = i < bytes - zeros ? ((const reprise_word *)from)[i / 4] : 0;
#endif
}
REPRISE_FN void __pipeline_commit()
{
#if __CUDA_ARCH__ >= 800
    asm volatile("cp.async.commit_group;" ::: "memory");
#endif
}
/* Waits until at most `prior` of the newest groups are not done. */
REPRISE_FN void __pipeline_wait_prior(size_t prior)
{
#if __CUDA_ARCH__ >= 800
    switch (prior) {
    case 0: asm volatile("cp.async.wait_group 0;" ::: "memory"); break;
    case 1: asm volatile("cp.async.wait_group 1;" ::: "memory"); break;
    case 2: asm volatile("cp.async.wait_group 2;" ::: "memory"); break;
    case 3: asm volatile("cp.async.wait_group 3;" ::: "memory"); break;
    case 4: asm volatile("cp.async.wait_group 4;" ::: "memory"); break;
    default: asm volatile("cp.async.wait_group 0;" ::: "memory"); break; /* more than asked for */
    }
#endif
}

#endif
