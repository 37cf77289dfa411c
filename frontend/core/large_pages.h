/* Large pages of the host, for buffers that kernels walk through in steps of more than a small page: the columns of a
 * matrix with rows of 4 KB take as many entries of the host's TLB as they have rows. */
#ifndef REPRISE_FRONTEND_CORE_LARGE_PAGES_H
#define REPRISE_FRONTEND_CORE_LARGE_PAGES_H

#include <stdbool.h>
#include <stdint.h>

#define LARGE_PAGE (UINT64_C(2) << 20) /* bytes; of x86-64, and of AArch64 with small pages of 4 KB */

/* Whether a buffer of this size gets large pages. A smaller buffer would waste memory. A buffer larger than LARGE_MOST
 * could waste much: programs may use few bytes of each page. */
#define LARGE_MOST (UINT64_C(1) << 30)
static inline bool large_pages_fit(uint64_t bytes) { return bytes >= LARGE_PAGE && bytes <= LARGE_MOST; }

/* Asks for large pages for all that lie within [begin, end). Without them only time is lost. */
void large_pages_ask(uintptr_t begin, uintptr_t end);

#endif
