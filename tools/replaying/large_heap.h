/* Large pages of the host for the heap. A replay looks up small things in megabytes of state, in no order. With small
 * pages, many of these look-ups miss the host's TLB. */
#ifndef REPRISE_TOOLS_REPLAYING_LARGE_HEAP_H
#define REPRISE_TOOLS_REPLAYING_LARGE_HEAP_H

/* Extends the heap by address space that asks for large pages; memory is taken when it is used, as before. What the
 * process allocates from now on lies there as far as it fits. Where that is impossible, nothing but time is lost. */
void large_heap(void);

#endif
