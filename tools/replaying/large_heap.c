#include "tools/replaying/large_heap.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#ifdef __GLIBC__
#include <malloc.h>
#include <unistd.h>

#include "frontend/core/large_pages.h"

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
    if (first)
        large_pages_ask((uintptr_t)first, (uintptr_t)sbrk(0));
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
