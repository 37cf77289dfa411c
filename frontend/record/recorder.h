/* What recording adds to a launch: its entry in the trace, and chunks that become frames. */
#ifndef REPRISE_FRONTEND_RECORD_RECORDER_H
#define REPRISE_FRONTEND_RECORD_RECORDER_H

#include "frontend/core/engine.h"
#include "tracefmt/writer.h"

/* A chunk that holds this much becomes a frame before its blocks are done. */
#define RECORD_CHUNK_BYTES (16u << 20)
/* One that holds less shares a frame with its neighbours: every frame has some hundred bytes of its own. */
#define RECORD_SMALL_BYTES (256u << 10)

struct recorder {
    struct rp_writer *writer; /* NULL: nothing is recorded */
    const struct rp_kernel *kernel;
    uint32_t number, launch; /* the kernel's and the launch's in the trace */
    struct rp_writer_mark start;
};

/* Tells the trace what happened since it was last told: what the memory's log has, or all that is allocated. *told: the
 * writer, by its identity, that was told when the log was last forgotten; 0: none. */
bool recorder_tell(struct rp_writer *, struct memory *, uint64_t *told, struct rp_error *);
/* Enters the kernel and its module into the trace. */
bool recorder_add_kernel(struct recorder *, struct rp_writer *, const struct program *, const struct module *,
                         struct rp_error *);
/* Then the launch; of `like`, stream and dependencies count. */
bool recorder_begin(struct recorder *, const struct grid *, const struct rp_launch *like, struct rp_error *);
/* Marks the point to which a restart goes back. */
void recorder_mark(struct recorder *);
/* Drops what was committed since recorder_mark. */
bool recorder_restart(struct recorder *, struct rp_error *);
/* Ends the launch; `fault` is the report, or NULL. */
bool recorder_end(struct recorder *, const char *fault, struct rp_error *);

/* The frames of one batch of blocks, in order. */
struct frame_list {
    struct rp_frame **frames;
    size_t count, capacity;
};
/* Makes a frame of what the chunk holds and appends it. */
bool frames_finish(struct frame_list *, struct rp_chunk *, struct rp_error *);
/* Commits and forgets them; on failure the rest is dropped. */
bool frames_commit(struct frame_list *, struct recorder *, struct rp_error *);
void frames_free(struct frame_list *);

#endif
