#include "frontend/core/large_pages.h"

#include <sys/mman.h>

void large_pages_ask(uintptr_t begin, uintptr_t end)
{
    uintptr_t first = (begin + LARGE_PAGE - 1) / LARGE_PAGE * LARGE_PAGE, past = end / LARGE_PAGE * LARGE_PAGE;
    if (first < past)
        madvise((void *)first, past - first, MADV_HUGEPAGE);
}
