/* The content of global memory before a launch, page by page: the first host thread that stores into a page of 4 KB
 * during the launch copies it before. The cost depends on how much a launch stores, not on the size of its buffers. */
#ifndef REPRISE_FRONTEND_CORE_UNDO_H
#define REPRISE_FRONTEND_CORE_UNDO_H

#include "frontend/core/memory.h"

#define PAGE_BYTES 4096u

/* Lives as long as the memory; serves one launch at a time. */
struct undo;
struct undo *undo_new(void);
void undo_free(struct undo *);
/* To be called before a launch: makes room for the existing allocations. False: out of memory. */
bool undo_begin(struct undo *, const struct memory *);
/* To be called before the first store into page `page` of `a` (offset / PAGE_BYTES), by any thread. False: out of
 * memory. */
bool undo_save(struct undo *, const struct allocation *a, uint64_t page);
/* Restores the saved pages. The copies stay: later stores need no new ones. */
void undo_restore(struct undo *);
/* Compares the saved pages with what is there now, for undo_changed. */
void undo_compare(struct undo *);
/* Whether the comparison has found other content in a page of the allocation. */
bool undo_changed(const struct undo *, const struct allocation *);
/* To be called after a launch: forgets the copies. */
void undo_forget(struct undo *);

#endif
