/* What global memory held before a launch, page by page: each page of 4 KB is copied before the launch first stores
 * into it, by whichever host thread comes first. A launch costs as much as it stores, however large its buffers are. */
#ifndef REPRISE_FRONTEND_CORE_UNDO_H
#define REPRISE_FRONTEND_CORE_UNDO_H

#include "frontend/core/memory.h"

#define PAGE_BYTES 4096u

/* Lives as long as the memory; used by one launch at a time. */
struct undo;
struct undo *undo_new(void);
void undo_free(struct undo *);
/* Before a launch: makes room for the allocations that there are. False: no memory. */
bool undo_begin(struct undo *, const struct memory *);
/* Before anything is stored into page `page` of `a` (offset / PAGE_BYTES). Any thread. False: no memory. */
bool undo_save(struct undo *, const struct allocation *a, uint64_t page);
/* Puts back what was saved. The copies stay: what is stored later needs none. */
void undo_restore(struct undo *);
/* After a launch: forgets the copies. */
void undo_forget(struct undo *);

#endif
