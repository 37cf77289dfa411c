/* Bounds for the launches of a trace, computed from each block's warps, section by section.
 *
 * Four figures, all in cycles from the launch's first cycle to its last result. docs/wcet-proofs.md has definitions,
 * proofs, and an example where the first is too small:
 *
 *   gub       as published: the sum over sections of the largest WUB. For comparison; it is not always a bound
 *   serial    the same with every initiation of other warps counted in full (Theorem 1)
 *   sections  the same, but where a warp waits in no queue, others cost it issue slots only (Theorem 2)
 *   overlap   issue slots, initiation that no issue hides, and one chain of latencies (Theorem 3)
 *
 * The unit-aware bound is the smallest of the last three, and of the exact worst case where that is known (exhaust.h).
 */
#ifndef REPRISE_TOOLS_WCET_ANALYSIS_H
#define REPRISE_TOOLS_WCET_ANALYSIS_H

#include "tools/wcet/steps.h"
#include "tools/wcet/warp.h"

struct wcet_section {
    uint64_t warps;  /* that had not ended before */
    uint64_t issues; /* warp instructions that take an issue slot */
    uint64_t alone;  /* the longest warp in isolation */
    uint64_t gub, serial, sections;
    uint64_t silent; /* `sections` for results of silent units, without what is in their queues; 0: none */
};

struct wcet_bounds {
    uint32_t launch;
    uint64_t blocks, warps, instructions, section_count;
    uint64_t resident;             /* blocks that an SM holds at a time, at most `blocks` */
    struct wcet_section *sections; /* of all blocks, one block after the other */
    bool gub_applies; /* the launch has one block; else gub is 0, and the other bounds are those of Theorem 4 */
    uint64_t gub, serial, sections_bound, overlap;
    uint64_t unit_bound;
    /* The longest of all schedules; 0: not known. too_many: because there are too many (exhaust.h); stopped: because a
     * signal ended the search. Set by wcet_compare, not by wcet_analyse. */
    uint64_t exact;
    bool too_many, stopped;
    uint64_t exec, idle; /* cycles of phases, summed over warps */
    struct wcet_cache_counts caches;
    unsigned assumed; /* a bit per enum wcet_extension: what the bounds need beyond the paper */
};

/* Callbacks of an analysis; each may be NULL. struct wcet_location: the block, warp and section that they are about. */
struct wcet_location {
    uint64_t block;
    uint32_t warp, section;
};
struct wcet_watch {
    void (*phase)(void *, const struct wcet_location *, const struct wcet_phase *);
    void (*instant)(void *, const struct wcet_location *, const struct wcet_instant *);
    void *data;
    void (*progress)(void *progress_data, uint64_t instructions); /* analysed so far in this launch */
    /* By wcet_exhaust: states of schedules, and how many instructions have issued in all of them. */
    void (*searched)(void *progress_data, uint64_t states, uint64_t issues);
    void *progress_data;
};

/* Whether the proofs cover the launch; or block `block` of it alone, unless that is NULL. Else err says what keeps it
 * from having a bound. */
bool wcet_covers(struct rp_trace *, uint32_t launch, const char *block, const struct machine *, unsigned extensions,
                 struct rp_error *);
/* `extensions`: a bit per enum wcet_extension. False: the launch is not supported, the trace is damaged, or a signal
 * asks the program to end (interrupt.h). */
bool wcet_analyse(struct rp_trace *, uint32_t launch, const struct machine *, unsigned extensions,
                  const struct wcet_watch *, struct wcet_bounds *, struct rp_error *);
/* The same for one block of the launch, as if it were the only one: it has the SM to itself, and the content of caches
 * is unknown. RP_USAGE: there is no such block. */
bool wcet_analyse_block(struct rp_trace *, uint32_t launch, uint64_t block, const struct machine *, unsigned extensions,
                        const struct wcet_watch *, struct wcet_bounds *, struct rp_error *);
void wcet_bounds_free(struct wcet_bounds *);

/* Computes the bounds of one section from the sums of its warps; warp w runs on sub-core w modulo `subcores`. */
void wcet_section_bounds(const struct wcet_model *, const struct wcet_sums *warps, uint32_t count,
                         struct wcet_section *);

/* Steps one warp to the end of its section: 1 at a barrier, 0 at its end, -1 on failure. */
int wcet_run_section(struct wcet_warp *, struct wcet_steps *, uint64_t *instructions, struct rp_error *);

#endif
