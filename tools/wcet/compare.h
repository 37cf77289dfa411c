/* Compares bounds with replays: how far each bound is from the cycles under real policies. */
#ifndef REPRISE_TOOLS_WCET_COMPARE_H
#define REPRISE_TOOLS_WCET_COMPARE_H

#include "tools/replaying/replaying.h"
#include "tools/wcet/exhaust.h"

#define WCET_POLICIES 8

enum wcet_bound { WCET_GUB, WCET_SERIAL, WCET_UNIT, WCET_BOUNDS };
extern const char *const wcet_bound_names[WCET_BOUNDS]; /* "gub", "serial", "unit" */
uint64_t wcet_bound_of(const struct wcet_bounds *, enum wcet_bound);

struct wcet_policies {
    char *names[WCET_POLICIES];
    size_t count;
};
/* Parses "gto,lrr" and changes the text. Fails for policies that are not work-conserving, and for unknown ones with the
 * nearest name. */
bool wcet_policies_parse(struct wcet_policies *, char *text, struct rp_error *);

/* One launch: its bounds, and its cycles under each policy. */
struct wcet_launch {
    struct wcet_bounds bounds;
    uint64_t cycles[WCET_POLICIES];
};

struct wcet_result {
    struct wcet_launch *launches;
    size_t count, capacity;
    struct wcet_policies policies;
    struct wcet_states_budget exhaust; /* states of schedules that may still be searched */
    bool one_block;                    /* bounds are those of block `block` alone; nothing is replayed */
    uint64_t block;
};

/* Analyses launch `only` of the trace, or all with -1, replays them under the policies, and appends the results. */
bool wcet_compare(struct wcet_result *, struct rp_trace *, const struct machine_args *, int64_t only,
                  unsigned extensions, const struct wcet_watch *, struct rp_error *);
void wcet_result_free(struct wcet_result *);

/* How much larger the bound is than the cycles, in per cent. */
static inline double wcet_overestimation(uint64_t bound, uint64_t cycles)
{
    return cycles ? 100 * ((double)bound / (double)cycles - 1) : 0;
}

/* The paper's summary over launches (Table 3): the weighted mean weighs a launch by its cycles. Standard deviation of
 * the whole population. */
struct wcet_summary {
    uint64_t launches, violations; /* launches that took longer than the bound */
    double mean, greatest, weighted_mean, deviation;
};
struct wcet_summary wcet_summarise(const struct wcet_result *, size_t policy, enum wcet_bound);

#endif
