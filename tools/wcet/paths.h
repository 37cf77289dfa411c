/* The recorded paths of one block's warps, instruction by instruction, as exhaust.h goes through them: what each
 * instruction keeps, for how long, and which later one waits for its result.
 *
 * Covered: launches of one block on one sub-core, one instruction at a time, without caches, instruction cache with
 * misses, warps of more than 65,000 instructions, or hundreds of results under way in one. Of the rest, paths are not
 * made.
 *
 * A result matters until the first instruction that waits for it has issued: later ones find it written. From its
 * issue until then it has a *place* in its warp, shared by all results that the same instruction waits for. After every
 * barrier that warps wait at comes an op that is no instruction: the warp is at it while it waits.
 */
#ifndef REPRISE_TOOLS_WCET_PATHS_H
#define REPRISE_TOOLS_WCET_PATHS_H

#include "tools/wcet/model.h"

#define WCET_PATH_NONE UINT16_MAX

struct wcet_path_op {
    uint16_t unit,
        port; /* numbers among what can be kept; WCET_PATH_NONE: this one neither waits nor keeps others out */
    uint16_t gives, takes; /* places: of its result, and of those that it waits for; WCET_PATH_NONE: nobody, nothing */
    bool refused;          /* while its unit is kept, it cannot issue */
    bool wait;             /* at the barrier before; no instruction */
    /* Cycles. It gets to its port `arrival` after dispatch, keeps it for `occupancy` and is through after `duration`:
     * see struct wcet_op. */
    uint32_t initiation, latency, arrival, occupancy, duration;
    uint32_t pause; /* from its issue to that of the warp's next instruction, at least */
};

/* What some of the block's warps do, all the same. */
struct wcet_path {
    uint32_t alike; /* warps */
    uint32_t count;
    struct wcet_path_op *ops;
    /* For each op, `kept` and `places` lower bounds: from its issue to when the warp may next come to what can be kept,
     * and to when it issues the instruction that takes from the place. For the op behind the last, too. At most
     * WCET_PATH_NEVER. */
    uint16_t *least;
};
#define WCET_PATH_NEVER UINT16_MAX

struct wcet_paths {
    uint32_t warps, count; /* count: of different paths */
    uint32_t kept;         /* units that are busy for more than a cycle at a time, and ports */
    uint32_t places;       /* of a warp at most */
    uint64_t start;        /* cycles before the first instruction */
    uint32_t release;      /* cycles from the last arrival at a barrier to the next instruction */
    struct wcet_path *paths;
};

/* False: failure. Not covered: *out has no paths. Otherwise wcet_paths_free frees them. */
bool wcet_paths_read(struct wcet_paths *out, const struct wcet_model *, struct rp_trace *, uint32_t launch,
                     struct rp_error *);
void wcet_paths_free(struct wcet_paths *);

static inline const uint16_t *wcet_path_least(const struct wcet_paths *p, const struct wcet_path *path, uint32_t op)
{
    return path->least + (size_t)op * (p->kept + p->places);
}

#endif
