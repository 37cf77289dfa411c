/* A warp in a crowd: one warp of a section beside many copies of the section's other warps, by a plain simulation of
 * the model of docs/wcet-proofs.md, in which any number of warps may run (a machine's SM holds 64 at most). From that,
 * how small a bound can be that charges k copies of the others with at most k times what it charges one (Theorem 6). */
#ifndef REPRISE_TESTS_CROWD_H
#define REPRISE_TESTS_CROWD_H

#include "tools/wcet/model.h"

struct crowd;

/* The sections of a launch of one block. False: the trace is damaged, or the machine has what the simulation does not
 * know: several sub-cores, ports, units that refuse instructions, and all that needs an --assume. */
struct crowd *crowd_open(struct rp_trace *, uint32_t launch, const struct machine *, struct rp_error *);
void crowd_free(struct crowd *);
uint32_t crowd_sections(const struct crowd *);
uint32_t crowd_warps(const struct crowd *);

/* How the other warps go before one another; the warp itself issues when none of them is ready. As in scheduler
 * "levels". */
enum crowd_order { CROWD_TURNS, CROWD_AGE, CROWD_BEHIND, CROWD_AHEAD, CROWD_ORDERS };

/* Cycles from the beginning of the section, in which all before is written, until this warp has issued its barrier or,
 * without one, its last instruction and has its last result, but for those of silent units (docs/wcet-proofs.md,
 * Theorem 2); beside `copies` copies of all others. 0: the warp was over before. */
uint64_t crowd_cycles(const struct crowd *, uint32_t section, uint32_t warp, uint32_t copies, enum crowd_order);

/* Theorem 6, for crowds of at most `warps` warps: cycles that no such bound on the launch is below. */
double crowd_least(const struct crowd *, uint32_t warps);

#endif
