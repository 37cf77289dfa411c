/* Races between blocks that run on different host threads.
 *
 * Blocks run in parallel in batches. Each host thread notes which 4-byte words of global memory its current batch
 * loaded, stored, and updated by commuting atomics, in bitmaps of its own, one for each page of 4 KB that it touches;
 * after the batch they are compared with the union of all batches before. A word that one batch stores and another
 * loads, stores or updates is a conflict: then the result may depend on the order, and the launch is started over in
 * the fixed order. If no two batches conflict, every batch saw only what was there before the launch and what it wrote
 * itself, so result and trace are the same at any number of threads; and whether there is a conflict does not depend on
 * timing either.
 *
 * Loads from buffers that the launch never stores to need no bitmap: at first only the fact of a load is noted. When a
 * buffer turns out to be both loaded and stored, the launch starts over with that buffer's loads noted word by word. */
#ifndef REPRISE_FRONTEND_CORE_TRACK_H
#define REPRISE_FRONTEND_CORE_TRACK_H

#include "frontend/core/access.h"
#include "frontend/core/observe.h"

struct tracker;
/* What all host threads share; lives as long as the memory, and serves one launch at a time. */
struct track_grid;
struct track_grid *track_grid_new(void);
void track_grid_free(struct track_grid *);
/* Begins a launch. False: no memory. */
bool track_begin(struct track_grid *, const struct memory *);
/* Ends it, after all trackers: forgets everything. */
void track_end(struct track_grid *);
/* Puts memory back to what it was before the launch. */
void track_restore(struct track_grid *);
/* Forgets all accesses, but not which buffers need their loads noted, for another attempt. */
void track_again(struct track_grid *);

enum track_verdict {
    TRACK_CLEAN,
    TRACK_CONFLICT, /* batches conflict: run in the fixed order */
    TRACK_REPEAT,   /* start over with more loads noted */
};
enum track_verdict track_verdict(const struct track_grid *);
/* Ends the attempt as a conflict does: for memory that runs out, faults, and calls whose order shows. */
void track_give_up(struct track_grid *);
void tracker_give_up(struct tracker *);

/* Whether the thread stored to or updated global memory since it was last asked. */
bool tracker_wrote(struct tracker *);

/* One host thread's part; it may serve many launches. NULL: no memory. */
struct tracker *tracker_new(struct track_grid *);
void tracker_free(struct tracker *);
/* Before an attempt: forgets what an attempt that was given up left. False: no memory. */
bool tracker_begin(struct tracker *);
/* After a launch. One thread at a time. */
void tracker_end(struct tracker *);
/* Ends the thread's batch: compares and merges. False: the attempt is over, see track_verdict. */
bool tracker_end_batch(struct tracker *);

/* What a block observes itself with: notes accesses to global memory. An access must not be made when the attempt is
 * over. */
struct observer *tracker_observer(struct tracker *);

#endif
