/* The pipeline `one-at-a-time`: a sub-core is a processor that executes one instruction to its end before it begins the
 * next (Terrosi et al., "Modeling of GPGPU architectures for performance analysis of CUDA programs", 2023, section 4).
 *
 * Instructions of a processor never overlap or wait for registers. A barrier takes its time and waits for no other
 * warp. Warps are assigned to processors before the launch begins (`placement`). So the time of a processor is a sum
 * over the instructions of its warps: the times of their classes, and the sampled latencies of their accesses
 * (replay/base/sampled.h). It does not depend on the scheduler. Launches run one after the other.
 *
 * The cost of an instruction comes from the timing of its class or, for memory instructions, of its space. The barrier
 * of a warp has the class fence.
 *
 *     initiation                                        if its guard is false in all lanes
 *     initiation + latency                              without memory operands
 *     max(initiation, its accesses' cycles) + latency   with memory operands
 *
 * The mode decides how this is computed. The reference engine steps each processor from instruction to instruction, as
 * its scheduler picks them. The fast engine adds up costs, for many batches in one pass over the trace.
 *
 * A launch takes as long as its last processor (`measure = grid`), or as the mean of the processors that have a warp,
 * rounded (`measure = processor`). Statistics: an instruction that costs n cycles is 1 cycle of issue and n - 1 cycles
 * of the stall unit.NAME. Its unit is busy for n cycles. A warp is resident while it executes.
 */
#ifndef REPRISE_REPLAY_ENGINES_PROCESSORS_PROCESSORS_H
#define REPRISE_REPLAY_ENGINES_PROCESSORS_PROCESSORS_H

#include "replay/engines/period.h"

extern const struct model pipeline_one_at_a_time;

/* How warps are assigned to processors. */
struct processors {
    uint64_t count, replayed; /* processors of the chip; how many of them are replayed, from the first on */
    uint64_t sms, subcores, placement, warps; /* warps: of a block */
};
/* only: the number of processors to replay, 0 for all. */
void processors_of(const struct machine *, const struct rp_launch *, uint64_t only, struct processors *);
uint64_t processor_of_warp(const struct processors *, uint64_t block, uint64_t warp);

#endif
