/* Blocks of which nothing is left but their phases: a trace whose warps have the phases that it is given, on one unit
 * that takes an instruction per cycle. An execution phase of d cycles becomes d instructions that need nothing but the
 * one before the phase; an idle phase becomes the latency of the instruction before it, which the next phase needs.
 *
 * A bound that is made from phases alone cannot tell such a block from the one that its phases come from, so it has to
 * hold for both: what a schedule of the opaque block takes, no such bound of the other can be below
 * (docs/wcet-proofs.md, Theorem 5). */
#ifndef REPRISE_TESTS_OPAQUE_H
#define REPRISE_TESTS_OPAQUE_H

#include "replay/base/machine.h"

struct opaque_phase {
    uint32_t warp, section;
    uint64_t duration;
    bool idle;
};

#define OPAQUE_LATENCIES 16 /* different idle durations of a block, at most */
#define OPAQUE_SETTINGS (3 * OPAQUE_LATENCIES + 8)

/* What makes orin-wcet the machine for the trace. */
struct opaque_machine {
    struct machine_setting settings[OPAQUE_SETTINGS];
    char key[OPAQUE_SETTINGS][48], value[OPAQUE_SETTINGS][24];
    size_t count;
};

/* Phases in the order of warp, section and time, warps and sections counted from 0. A section's last execution phase
 * ends in a barrier if the warp has a section after it. False: too many latencies, or the trace cannot be written. */
bool opaque_write(const char *path, const struct opaque_phase *, size_t count, struct opaque_machine *,
                  struct rp_error *);

#endif
