/* The lock-step engine of guests: 32 neighbouring cores are a group, as the lanes of a warp, and execute an instruction
 * together where they are at the same one.
 *
 * Cores are independent and call through registers, so nothing is known of where they meet again. The cores of a group
 * that are at the same instruction are a split. The split with the deepest stack runs, of these the first one in the
 * program's order (order.h); it stops where another split waits and takes that in, and where the order lets it wait for
 * one that comes before. A split that has waited for `patience` instructions of its group runs next, so that cores that
 * spin cannot hold up those they wait for.
 *
 * Groups take turns of GUEST_QUANTUM instructions, or up to an eighth less in some rounds. Nothing depends on host
 * threads or time: a guest always runs the same way, also where its cores race. */
#ifndef REPRISE_FRONTEND_GUEST_LOCKSTEP_H
#define REPRISE_FRONTEND_GUEST_LOCKSTEP_H

#include "frontend/guest/machine.h"
#include "frontend/guest/program.h"
#include "tracefmt/writer.h"

#define GUEST_QUANTUM 4096u
#define GUEST_PATIENCE 256u

/* Cores of a block of the trace, a multiple of 32 or all. `cluster` 0 or more than there are cores: all, at most 1,024.
 */
static inline uint32_t guest_cluster(uint32_t cluster, uint32_t cores)
{
    const uint32_t most = cores < 1024 ? cores : 1024;
    return cluster && cluster < most ? cluster : most;
}

struct guest_run_options {
    uint64_t limit;           /* instructions of a core, a guard against endless loops; 0: none */
    uint32_t patience;        /* 0: GUEST_PATIENCE */
    uint32_t cluster;         /* as of guest_cluster() */
    struct rp_writer *writer; /* NULL: nothing is recorded */
    const char *sha256;       /* of the guest's file, for the trace */
};

struct guest_run_result {
    uint64_t instructions; /* of all cores */
    uint64_t steps;        /* instructions of all groups: 32 × steps / instructions is 1 where no core ever diverges */
    uint64_t most_steps;   /* of one group */
};

/* Runs until all cores have exited. machine.core has their registers then. False: machine.err says why. */
bool guest_run_lockstep(struct guest_machine *, const struct guest_program *, const struct guest_run_options *,
                        struct guest_run_result *);

#endif
