/* Recording of a guest's run as one launch: a core is a thread, 32 are a warp, a cluster of cores is a block. */
#ifndef REPRISE_FRONTEND_GUEST_RECORD_H
#define REPRISE_FRONTEND_GUEST_RECORD_H

#include "frontend/guest/lockstep.h"

struct guest_recorder {
    struct rp_writer *writer; /* NULL: nothing is recorded */
    struct rp_kernel kernel;
    struct rp_instruction *instructions; /* the kernel's: with the barrier of the launch, and functions */
    struct rp_inlined_call *functions;   /* as calls from a place that is not known */
    uint32_t launch, blocks, warps;      /* warps: of a block */
    struct rp_chunk *chunk;
    struct rp_warp_log **logs; /* by block */
};

bool guest_recorder_begin(struct guest_recorder *, const struct guest_program *, const struct guest_machine *,
                          const struct guest_run_options *);
/* The log of a group; NULL: nothing is recorded. */
struct rp_warp_log *guest_recorder_log(const struct guest_recorder *, uint32_t group);
/* Puts what has been logged into the file, once it is much: at any time, and when all groups have taken a turn. Groups
 * that do the same are in one chunk then. */
bool guest_recorder_flush(struct guest_recorder *, struct rp_error *);
bool guest_recorder_flush_turn(struct guest_recorder *, struct rp_error *);
/* Ends the launch. completed: all cores have exited; else *err says why they have not. */
bool guest_recorder_end(struct guest_recorder *, bool completed, struct rp_error *);

#endif
