/* The parts of the machine on which a replay spends its cycles: the shares of Figure 14 of the SAN paper, for every
 * machine. */
#ifndef REPRISE_TOOLS_HOTSPOTS_UNITS_H
#define REPRISE_TOOLS_HOTSPOTS_UNITS_H

#include "tools/hotspots/hotspots.h"

/* X(identifier, name). Every sub-core cycle belongs to one share. docs/statistics.md explains them. */
#define SHARES(X)                                                                                                      \
    X(ALU, "alu")       /* an instruction that is no access issued, its unit was busy, or its result was waited for */ \
    X(SHARED, "shared") /* an access to shared memory issued, found its unit busy, or was waited for */                \
    X(L1, "l1")     /* an access issued or found the load/store unit busy, or one that ended in L1 was waited for */   \
    X(L2, "l2")     /* an access that ended in L2 was waited for */                                                    \
    X(DRAM, "dram") /* an access that ended in device memory was waited for */                                         \
    X(CONSTANT, "constant") /* an access without a cache was waited for: to constants, or without lanes */             \
    X(MEMORY, "memory")     /* a fence waited for accesses */                                                          \
    X(BARRIER, "barrier")   /* a barrier issued, or was waited for */                                                  \
    X(FRONT, "front-end") /* dispatch, instruction fetch, control, control words, and warps that the scheduler held */ \
    X(DRAIN, "drain")     /* all warps had ended and waited for the end of their block */                              \
    X(IDLE, "idle")       /* no warp was there */
enum share {
#define X(id, name) SHARE_##id,
    SHARES(X)
#undef X
        SHARE_COUNT
};
const char *share_name(enum share);

struct unit_shares {
    uint64_t cycles[SHARE_COUNT]; /* sub-core cycles; IDLE only for a whole replay */
};
/* Adds the row of an instruction, or of cycles without one (NULL). */
void unit_shares_add(struct unit_shares *, const struct hotspots *, const struct rp_instruction *,
                     const struct profile_row *);
/* The shares of a whole replay, whose places are instructions. */
struct unit_shares unit_shares_of(const struct hotspots *);

void unit_shares_print(const struct hotspots *);
void unit_shares_print_csv(const struct hotspots *, const struct csv_origin *);
/* [{"unit", "subcore_cycles", "share", "busy_share"}]: shares of all cycles, and of those with a warp. */
json_t *unit_shares_json(const struct hotspots *);

#endif
