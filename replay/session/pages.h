/* How often a launch comes to pages of memory that none of its blocks have accessed before.
 *
 * Where a machine walks page tables, all blocks wait then, in one wave out of many. A sample of single waves would miss
 * that.
 */
#ifndef REPRISE_REPLAY_SESSION_PAGES_H
#define REPRISE_REPLAY_SESSION_PAGES_H

#include "replay/base/machine.h"
#include "tracefmt/reader.h"

/* Cycles of a walk, and bytes of the page that it brings. 0 cycles: the machine walks no page tables. */
uint64_t pages_walk(const struct machine *, uint64_t *page);

/* Counts the waves of the launch, besides the first, that come to a page that is new, as the first blocks of waves
 * tell: of all waves, or of at most 1,024 that are evenly apart. blocks, wave: of the launch, and as many as run at the
 * same time. False: the trace is damaged, or memory ran out. */
bool pages_count_waves(struct rp_trace *, uint32_t launch, uint64_t blocks, uint64_t wave, uint64_t page,
                       uint64_t *count, struct rp_error *);

#endif
