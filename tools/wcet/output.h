/* Results of reprise wcet as JSON and as tables. */
#ifndef REPRISE_TOOLS_WCET_OUTPUT_H
#define REPRISE_TOOLS_WCET_OUTPUT_H

#include "tools/wcet/attack.h"
#include "tools/wcet/compare.h"
#include "tools/wcet/profile.h"

/* One launch: {"launch", "kernel", "warps", "gub", "serial_bound", "unit_bound", "exact", "caches", "sections",
 * "replay", "overestimation", "warps"}; profile and attack may be NULL. */
json_t *wcet_launch_json(const struct rp_trace *, const struct wcet_result *, const struct wcet_launch *,
                         const struct wcet_profile *, const struct wcet_attack *);
/* Per policy and bound: launches, mean, max, weighted_mean, standard_deviation, violations. */
json_t *wcet_summary_json(const struct wcet_result *);

void wcet_print_launches(const struct rp_trace *, const struct wcet_result *, const struct wcet_attack *);
/* What "exact" means, if any launch is. */
void wcet_print_exact(const struct wcet_result *);
/* The classes of accesses to caches, if there are any. */
void wcet_print_caches(const struct wcet_result *, const struct machine *);
void wcet_print_summary(const struct wcet_result *);

#endif
