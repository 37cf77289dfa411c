/* Cutting a chunk in time: where its logs would take readers much memory, because their content does not repeat, it
 * becomes several frames, each with the next part of what every warp did. So a reader with many blocks open holds a
 * part of each.
 */
#ifndef REPRISE_TRACEFMT_SLICE_H
#define REPRISE_TRACEFMT_SLICE_H

#include "tracefmt/chunk.h"

/* A chunk that takes more when decoded is cut into slices of about SLICE_BYTES. */
#define SLICE_LIMIT ((size_t)1 << 20)
#define SLICE_BYTES ((size_t)512 << 10)

struct slicer;
/* Of a chunk that was encoded, and so is known to be well formed. While it exists the chunk's logs show one slice at a
 * time, at first none. NULL: out of memory. */
struct slicer *slicer_new(struct rp_chunk *, uint32_t slices);
/* Shows the next slice: blocks that end do so in the last one. */
void slicer_next(struct slicer *);
/* To be called when the slice was encoded. */
void slicer_done(struct slicer *);
/* Gives the chunk its logs back, in order to be emptied. */
void slicer_free(struct slicer *);

#endif
