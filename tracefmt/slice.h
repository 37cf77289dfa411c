/* Cuts a chunk in time. A chunk whose content does not repeat would take much memory in readers: it becomes several
 * frames, each with the next part of what every warp did. So a reader with many blocks open holds only a part of each.
 */
#ifndef REPRISE_TRACEFMT_SLICE_H
#define REPRISE_TRACEFMT_SLICE_H

#include "tracefmt/chunk.h"

/* A chunk that takes more when decoded is cut into slices of about SLICE_BYTES. */
#define SLICE_LIMIT ((size_t)1 << 20)
#define SLICE_BYTES ((size_t)512 << 10)

struct slicer;
/* While the slicer exists, the chunk's logs expose one slice at a time, none at first. NULL: out of memory. */
struct slicer *slicer_new(struct rp_chunk *, uint32_t slices);
/* Exposes the next slice. Blocks that end do so in the last one. */
void slicer_next(struct slicer *);
/* To be called after the slice has been encoded. */
void slicer_done(struct slicer *);
/* Restores the chunk's logs, so that they can be emptied. */
void slicer_free(struct slicer *);

#endif
