/* Launches that need not run: the same launch has run before, has not changed what it read, and none of the memory that
 * it accessed has changed since. A kernel whose result does not depend on the order of its blocks reads and computes
 * the same again, and stores what is there.
 *
 * The same launch is: kernel, grid, block, cluster, dynamic shared memory, stack, parameters, device. What it accessed
 * is known of launches that run in batches (core/track.h), by allocation; what they changed, too, because the pages
 * that they store to are copied before (core/undo.h). Whether an allocation has changed since, its version tells
 * (core/memory.h). Memory that the host may write to without a call has no such version: a copy of it is kept and
 * compared. A launch may keep MOST_UNANNOUNCED bytes, or as many as it executed warp instructions if that is more. All
 * launches together keep at most MOST_KEPT bytes.
 *
 * All others run each time: those that print, read a clock, wait for stores of others, use old values of atomics or add
 * floating-point numbers by atomics, have clusters or grid-wide barriers, fail, or whose blocks conflict. After them
 * all memory counts as changed, unless the kernel only reads. */
#ifndef REPRISE_FRONTEND_HOST_REPEATS_H
#define REPRISE_FRONTEND_HOST_REPEATS_H

#include "frontend/host/run.h"

struct repeats;
struct track_grid;

#define MOST_UNANNOUNCED 65536u
#define MOST_KEPT (UINT64_C(256) << 20)

/* To be called when a launch begins. True: it need not run. *nanoseconds: what it took when it ran. */
bool repeats_known(struct rp_running *, uint64_t *nanoseconds);
/* Notes what the launch has done: after a clean attempt in batches, before the trackers forget it. Blocks that run
 * otherwise may change all memory (memory_all_changed). */
void repeats_note(struct rp_running *, struct track_grid *);
void repeats_free(struct repeats *);

#endif
