/* The recorded paths of one block's warps, instruction by instruction, for the search of exhaust.h: the unit and port
 * that each instruction occupies, for how long, and which later instruction waits for its result.
 *
 * Supported are launches of one block on one sub-core that issues one instruction at a time. There are no paths for
 * machines with caches or an instruction cache with misses, for warps of more than 65,000 instructions, and for warps
 * with hundreds of results in flight.
 *
 * A result matters until the first instruction that waits for it has issued: later ones find it written. From its issue
 * until then it has a *place* in its warp, which all results share for which the same instruction waits. Each barrier
 * at which warps wait is followed by an op that is no instruction: it is the warp's next op while the warp waits.
 */
#ifndef REPRISE_TOOLS_WCET_PATHS_H
#define REPRISE_TOOLS_WCET_PATHS_H

#include "tools/wcet/model.h"

#define WCET_PATH_NONE UINT16_MAX

struct wcet_path_op {
    uint16_t unit, port;   /* numbers among the `kept`; WCET_PATH_NONE: the op neither waits for one nor occupies one */
    uint16_t gives, takes; /* places of its result, and of the results for which it waits; WCET_PATH_NONE: none */
    bool refused;          /* it cannot issue while its unit is occupied */
    bool wait;             /* no instruction: waits at the barrier before it */
    /* Cycles. It arrives at its port `arrival` after dispatch, occupies it for `occupancy`, and has passed it after
     * `duration`: see struct wcet_op. */
    uint32_t initiation, latency, arrival, occupancy, duration;
    uint32_t pause; /* at least, from its issue to that of the warp's next instruction */
};

/* A path, of one or several warps of the block. */
struct wcet_path {
    uint32_t alike; /* warps with this path */
    uint32_t count;
    struct wcet_path_op *ops;
    /* For each op and for the end, kept + places lower bounds in cycles, at most WCET_PATH_NEVER: from its issue until
     * the warp may next reach each unit or port, and until it issues the instruction that waits for each place. */
    uint16_t *least;
};
#define WCET_PATH_NEVER UINT16_MAX

struct wcet_paths {
    uint32_t warps, count; /* count: different paths */
    uint32_t kept;         /* number of units that may be occupied for more than a cycle, and of ports */
    uint32_t places;       /* the largest number of places of a warp */
    uint64_t start;        /* cycles before the first instruction */
    uint32_t release;      /* cycles from the last arrival at a barrier to the next instruction */
    struct wcet_path *paths;
};

/* False: failure. If the launch is not supported, *out has no paths; else wcet_paths_free frees them. */
bool wcet_paths_read(struct wcet_paths *out, const struct wcet_model *, struct rp_trace *, uint32_t launch,
                     struct rp_error *);
void wcet_paths_free(struct wcet_paths *);

static inline const uint16_t *wcet_path_least(const struct wcet_paths *p, const struct wcet_path *path, uint32_t op)
{
    return path->least + (size_t)op * (p->kept + p->places);
}

#endif
