/* Cache contents that are certain (docs/wcet-proofs.md, "Caches"): a must-analysis of the recorded path, valid for any
 * order in which warps run.
 *
 * A first pass over the launch finds the lines that stay: no other line that the launch accesses can replace them. Then
 * each transaction is classified per cache. Always-hit: its sector stays and was requested before, by its own warp or,
 * in an earlier section, by its block. First-miss: its sector stays, but the schedule decides which warp fetches it;
 * that happens once per launch and cache. Always-miss: its sector may be replaced at any time, so each access is
 * charged as a miss.
 *
 * The caller announces blocks, sections and warps in the order in which it analyses them.
 */
#ifndef REPRISE_TOOLS_WCET_CACHES_H
#define REPRISE_TOOLS_WCET_CACHES_H

#include "tools/wcet/model.h"

enum wcet_level { WCET_L1, WCET_L2, WCET_MEMORY, WCET_LEVELS };

/* Per cache, transactions by class. It counts those whose time depends on the content of the cache: reads, and atomics
 * in the level that executes them; in L2, those that are no certain hits in L1. */
struct wcet_cache_counts {
    bool classified; /* there are caches, and addresses are known */
    struct {
        uint64_t hits, first, misses;
    } at[WCET_MEMORY];
    uint64_t requests[WCET_LEVELS]; /* upper bound for the launch, write-backs included */
};

struct wcet_caches;

/* Reads the launch. *out is NULL if the machine has no caches, or if the launch uses local memory, whose addresses
 * depend on where its warps run. In the second case no cache or device memory has an interval above 0, and each access
 * is charged as a miss. False: the trace is damaged, or an access is not supported. */
bool wcet_caches_open(struct wcet_caches **out, const struct wcet_model *, struct rp_trace *, uint32_t launch,
                      struct rp_error *);
void wcet_caches_free(struct wcet_caches *);

void wcet_caches_block(struct wcet_caches *);
bool wcet_caches_section(struct wcet_caches *, uint32_t warps, struct rp_error *);
void wcet_caches_warp(struct wcet_caches *, uint32_t warp);

/* Charges an access of the present warp: writes its times to the op. False: out of memory. */
bool wcet_caches_charge(struct wcet_caches *, const struct wcet_transactions *, struct wcet_op *, struct rp_error *);
/* Sets when the sectors that the last charged access fetches arrive: at `time` in isolation, at `chain` along chains of
 * latencies. */
void wcet_caches_arrived(struct wcet_caches *, uint64_t time, uint64_t chain);

/* Cycles for which fetches may occupy the port in the present section. alone: fetches that only this warp can make;
 * shared: fetches that this warp requested first and that others can make, too. */
struct wcet_fetches {
    uint64_t alone, shared;
};
struct wcet_fetches wcet_caches_fetches(const struct wcet_caches *, uint32_t warp);
/* The same, of the launch so far. */
uint64_t wcet_caches_fetches_of_launch(const struct wcet_caches *);
const struct wcet_cache_counts *wcet_caches_counts(const struct wcet_caches *);

#endif
