/* What is sure to be in the caches (docs/wcet.md, "Caches"): a must-analysis of the recorded path, whatever the order
 * in which warps run.
 *
 * A first reading of the launch finds the lines that stay: those that no other line touched by the launch can replace.
 * Then each transaction is classified per cache. Always-hit: its sector was asked for before, by its own warp or, in an
 * earlier section, by its block, and stays. First-miss: it stays, but the schedule decides who fetches it; once per
 * launch and cache, somebody does. Always-miss: it may be replaced at any time, so it is charged as a miss each time.
 *
 * Blocks, sections and warps are announced in the order in which they are analysed.
 */
#ifndef REPRISE_TOOLS_WCET_CACHES_H
#define REPRISE_TOOLS_WCET_CACHES_H

#include "tools/wcet/model.h"

enum wcet_level { WCET_L1, WCET_L2, WCET_MEMORY, WCET_LEVELS };

/* Per cache: transactions by class. Counted are those whose answer depends on what is there: reads, and atomics where
 * they are done; in L2, those that L1 does not surely answer. */
struct wcet_cache_counts {
    bool classified; /* there are caches, and addresses are known */
    struct {
        uint64_t hits, first, misses;
    } at[WCET_MEMORY];
    uint64_t requests[WCET_LEVELS]; /* that the launch makes at most, write-backs included */
};

struct wcet_caches;

/* Reads the launch. *out is NULL if the machine has no caches; and if the launch uses local memory, whose addresses
 * depend on where its warps run: then no cache or device memory has an interval above 0, and every access is a miss.
 * False: damage, or an access that is not covered. */
bool wcet_caches_open(struct wcet_caches **out, const struct wcet_model *, struct rp_trace *, uint32_t launch,
                      struct rp_error *);
void wcet_caches_free(struct wcet_caches *);

void wcet_caches_block(struct wcet_caches *);
bool wcet_caches_section(struct wcet_caches *, uint32_t warps, struct rp_error *);
void wcet_caches_warp(struct wcet_caches *, uint32_t warp);

/* What the access of the warp at hand is charged. False when out of memory. */
bool wcet_caches_charge(struct wcet_caches *, const struct wcet_transactions *, struct wcet_op *, struct rp_error *);
/* What the access just charged has asked for is there at `time` in isolation, and on chains of latencies at `chain`. */
void wcet_caches_there(struct wcet_caches *, uint64_t time, uint64_t chain);

/* Cycles of the port that fetches may take in the section at hand: those that only this warp can make, and those that
 * it was the first to ask for, but others can make, too. */
struct wcet_fetches {
    uint64_t alone, shared;
};
struct wcet_fetches wcet_caches_fetches(const struct wcet_caches *, uint32_t warp);
/* Of the launch so far. */
uint64_t wcet_caches_fetches_of_launch(const struct wcet_caches *);
const struct wcet_cache_counts *wcet_caches_counts(const struct wcet_caches *);

#endif
