/* The pipeline `one-at-a-time`: a sub-core is a processor that executes one instruction to its end before it begins the
 * next (Terrosi et al., "Modeling of GPGPU architectures for performance analysis of CUDA programs", 2023, section 4).
 *
 * No instruction overlaps another of its processor, registers are never waited for, and a barrier costs its time and
 * waits for nobody. Warps are dealt to processors before the launch begins (`placement`). So the time of a processor is
 * a sum: over the instructions of its warps, of the costs of their classes and of what their accesses draw
 * (replay/base/sampled.h). It does not depend on the scheduler. Launches run one after the other.
 *
 * An instruction costs, with the timing of its class or, for memory instructions, of its space; the barrier of a warp
 * is of class fence
 *
 *     initiation                                        if its guard is false in all lanes
 *     initiation + latency                              without memory operands
 *     max(initiation, its accesses' cycles) + latency   with memory operands
 *
 * The engine asked for decides how it is computed: the reference engine goes from instruction to instruction of each
 * processor, as its scheduler picks them; the fast one adds up costs, of many batches in one pass over the trace.
 *
 * A launch takes as long as its last processor (`measure = grid`), or as the mean of the processors that have a warp,
 * rounded (`measure = processor`). Statistics: an instruction that costs n cycles is 1 cycle of issue and n - 1 of the
 * stall unit.NAME; its unit is busy for n cycles; a warp is resident while it executes.
 */
#ifndef REPRISE_REPLAY_ENGINES_PROCESSORS_PROCESSORS_H
#define REPRISE_REPLAY_ENGINES_PROCESSORS_PROCESSORS_H

#include "replay/engines/period.h"

extern const struct model pipeline_one_at_a_time;

/* How warps are dealt. */
struct processors {
    uint64_t count, replayed;                 /* of the chip; of these, the first ones are replayed */
    uint64_t sms, subcores, placement, warps; /* warps: of a block */
};
/* only: how many to replay, 0 for all. */
void processors_of(const struct machine *, const struct rp_launch *, uint64_t only, struct processors *);
uint64_t processor_of_warp(const struct processors *, uint64_t block, uint64_t warp);

#endif
