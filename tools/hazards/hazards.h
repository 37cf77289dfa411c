/* reprise verify --control: whether the control bits of machine code hold back each instruction long enough on a
 * machine. A hazard is a use of a register before an earlier instruction is done with it.
 *
 * Each warp of the trace is followed as if nothing but its control bits held it back, which is the earliest that its
 * instructions can issue: stall counts give the cycles between them. Then
 *
 * - the result of an instruction with a write barrier, or of one that accesses memory, is there once some instruction
 * has waited for a barrier that says so: its own, or that of a later one of the same unit, since results of a unit come
 * back in order, those of global memory apart from others (docs/timing-model.md, "Dependencies");
 *
 * - any other result is there `initiation + latency` of its class after its issue, or as early as the code of NVIDIA's
 * assembler for the machine's compute capability needs it (distance.h); for guards at least `guard_latency` after it,
 * two cycles less for uniform predicates. Guards of the uniform datapath are sources as others;
 *
 * - a predicate that an access writes is there when the access has read its sources: it says what the address is, as
 * that of ATOM.F16x2 does, which is shared memory or not;
 *
 * - a stall count of 0 is 45 cycles from Volta on where the hint allows yielding (Huerta et al., MICRO 2025, 4), which
 * ptxas -O0 writes behind matrix products;
 *
 * - on sm_90 the lower word of a result of 64 bits is there a cycle earlier, and the upper word of such a source is
 * read two cycles later; and results of class fp64 are there two cycles earlier for other classes, and as predicates.
 * So ptxas 12.9 writes code;
 *
 * - the sources of an instruction are read at its issue. Where its unit has a queue, general registers are read once
 * some instruction has waited for a barrier that it, or a later one of the same unit, tells, or at the next fence or
 * barrier of the block. What goes to the same queue comes after it.
 *
 * Only lanes that both instructions execute count, and only paths that the trace has. */
#ifndef REPRISE_TOOLS_HAZARDS_HAZARDS_H
#define REPRISE_TOOLS_HAZARDS_HAZARDS_H

#include "replay/base/machine.h"
#include "tools/lib/json.h"
#include "tracefmt/reader.h"

enum hazard_kind {
    HAZARD_READ,            /* reads a register before its value is there (RAW) */
    HAZARD_OVERWRITE,       /* writes a register whose earlier value comes later (WAW) */
    HAZARD_OVERWRITE_SOURCE /* writes a register before an earlier instruction has read it (WAR) */
};

/* Two instructions of a kernel and a register: executions of the pair are one hazard. */
struct hazard {
    uint32_t kernel, first, second; /* second: the instruction that comes too early; indices */
    rp_register reg;                /* one register */
    uint8_t kind;
    uint32_t cycles; /* that are missing, at most; 0: a barrier is missing */
    uint64_t count;  /* of executions */
    uint32_t launch, warp;
    uint64_t block; /* of the first execution */
};
struct hazards {
    struct hazard *items; /* in the order in which they were found */
    size_t count, capacity;
    uint64_t instructions; /* executed ones that were checked */
    bool any;              /* some kernel has control bits */
};

/* Adds those of a launch. Kernels without control bits have none. */
bool hazards_find(struct rp_trace *, uint32_t launch, const struct machine *, struct hazards *, struct rp_error *);
void hazards_free(struct hazards *);

void hazards_print(const struct rp_trace *, const struct machine *, const struct hazards *);
/* A list with an object for each. */
json_t *hazards_json(const struct rp_trace *, const struct hazards *);

#endif
