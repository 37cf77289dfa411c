/* Random blocks on random machines under every work-conserving policy: is each replay within its bound?
 *
 * A round is a trace of SOUNDNESS_LAUNCHES random launches, one block each or, on some machines, up to eight, analysed
 * and replayed on one random machine under six policies. Everything follows from the seed. */
#ifndef REPRISE_TESTS_SOUNDNESS_H
#define REPRISE_TESTS_SOUNDNESS_H

#include "tools/wcet/analysis.h"

#define SOUNDNESS_LAUNCHES 50
#define SOUNDNESS_POLICIES 6

struct soundness {
    /* Launches of few instructions on machines where all their schedules can be gone through; else this is tried on a
     * part of the rounds. */
    bool small;
    /* The bound on trial, in cycles; NULL: the unit-aware one and the serial one, both. */
    uint64_t (*bound)(const struct wcet_bounds *);
    uint64_t launches, runs;     /* done: a run is a replay of a launch under a policy */
    uint64_t violations;         /* runs that took longer than the bound, or made requests that it does not allow */
    uint64_t classified;         /* runs whose accesses are classified by what caches hold */
    uint64_t plain_runs;         /* runs on machines within the paper's assumptions, */
    uint64_t published;          /* and of these, those that took longer than the published bound */
    uint64_t published_launches; /* launches of one block, which have a published bound */
    uint64_t above_published;    /* of these, launches whose unit-aware bound is larger than the published one */
    uint64_t incomparable;       /* launches whose unit-aware bound is larger than the serial one: must not be */
    double slack;                /* bound / longest run - 1, summed over launches; for the unit-aware one */
    double published_slack;
    uint64_t exact;    /* launches whose exact worst case is known */
    uint64_t beyond;   /* of these, those where it is beyond the bound or a run beyond it; violations, too */
    uint64_t attained; /* of these, those where some run took as long */
    /* The same within the paper's assumptions, and of these, launches whose worst case is beyond the published bound */
    uint64_t plain_exact, published_exact;
    char first[512]; /* the first violation, "": none */
};

/* Runs round number `round`. False: something failed besides a bound; err says what. */
bool soundness_round(struct soundness *, uint64_t round, struct rp_error *);

/* Parts of it: a trace of one random warp, and a random machine on which Algorithm 1 is exact: no
 * caches, one instruction per cycle, a dispatch latency of 0. */
struct rp_trace *soundness_warp(uint64_t seed, struct rp_error *);
struct machine *soundness_machine(uint64_t seed, struct rp_error *);

#endif
