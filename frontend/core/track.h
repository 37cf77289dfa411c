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
 * buffer turns out to be both loaded and stored, the launch starts over and notes that buffer's loads word by word. */
#ifndef REPRISE_FRONTEND_CORE_TRACK_H
#define REPRISE_FRONTEND_CORE_TRACK_H

#include "frontend/core/access.h"
#include "frontend/core/observe.h"

struct tracker;
/* State that all host threads share. It lives as long as the memory, and serves one launch at a time. */
struct track_grid;
struct track_grid *track_grid_new(void);
void track_grid_free(struct track_grid *);
/* Begins a launch. False: out of memory. */
bool track_begin(struct track_grid *, const struct memory *);
/* Ends the launch, after all trackers: forgets everything. */
void track_end(struct track_grid *);
/* Restores memory to its content before the launch. */
void track_restore(struct track_grid *);
/* Forgets all accesses for another attempt, but not which buffers' loads must be noted. */
void track_again(struct track_grid *);

/* After a clean attempt: compares what was stored with what was there before. */
void track_compare(struct track_grid *);
/* What the attempt did to an allocation. */
struct track_effect {
    bool read;    /* loaded some of it, or updated it, which depends on what was there */
    bool changed; /* its content differs from before, according to track_compare */
};
/* The allocations that it loaded, stored or updated, one after another from *next = 0 on; NULL: no more. */
const struct allocation *track_accessed(const struct track_grid *, uint32_t *next, struct track_effect *);

enum track_verdict {
    TRACK_CLEAN,
    TRACK_CONFLICT, /* batches conflict: run in the fixed order */
    TRACK_REPEAT,   /* start over with more loads noted */
};
enum track_verdict track_verdict(const struct track_grid *);
/* Ends the attempt as a conflict does: for lack of memory, faults, and calls whose order is visible. */
void track_give_up(struct track_grid *);
void tracker_give_up(struct tracker *);

/* Whether the thread has stored to or updated global memory since the last call. */
bool tracker_wrote(struct tracker *);

/* State of one host thread; it may serve many launches. NULL: out of memory. */
struct tracker *tracker_new(struct track_grid *);
void tracker_free(struct tracker *);
/* To be called before an attempt: forgets what an abandoned attempt left. False: out of memory. */
bool tracker_begin(struct tracker *);
/* To be called after a launch, by one thread at a time. */
void tracker_end(struct tracker *);
/* Ends the thread's batch: compares its accesses with all others' and merges them. False: the attempt is over, see
 * track_verdict. */
bool tracker_end_batch(struct tracker *);

/* The observer of the thread's blocks: notes accesses to global memory. An access must not be made when the attempt is
 * over. */
struct observer *tracker_observer(struct tracker *);

#endif
