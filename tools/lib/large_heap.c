#include "tools/lib/large_heap.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#ifdef __GLIBC__
#include <malloc.h>
#include <sys/mman.h>
#include <unistd.h>

#define LARGE_PAGE (UINT64_C(2) << 20) /* bytes; of x86-64, and of AArch64 with small pages of 4 KB */
#define HEAP (256 << 20)
#define LARGEST (32 << 20) /* the largest allocation in the heap: glibc allows no more */
#define USUAL_PAD (128 << 10)

static void extend(void)
{
    mallopt(M_TRIM_THRESHOLD, 2 * HEAP); /* it stays this large */
    mallopt(M_MMAP_THRESHOLD, LARGEST);
    mallopt(M_TOP_PAD, HEAP);
    void *first = malloc(LARGE_PAGE); /* the heap grows by this and HEAP */
    mallopt(M_TOP_PAD, USUAL_PAD);
    uintptr_t begin = ((uintptr_t)first + LARGE_PAGE - 1) / LARGE_PAGE * LARGE_PAGE,
              end = (uintptr_t)sbrk(0) / LARGE_PAGE * LARGE_PAGE;
    if (first && begin < end)
        madvise((void *)begin, end - begin, MADV_HUGEPAGE);
    free(first);
}
#endif

void large_heap(void)
{
    static bool extended;
#ifdef __GLIBC__
    if (!extended)
        extend();
#endif
    extended = true;
}
