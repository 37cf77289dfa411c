/* Results of reprise wcet as JSON and as tables. */
#ifndef REPRISE_TOOLS_WCET_OUTPUT_H
#define REPRISE_TOOLS_WCET_OUTPUT_H

#include "tools/ui/table.h"
#include "tools/wcet/attack.h"
#include "tools/wcet/compare.h"
#include "tools/wcet/profile.h"
#include "tools/wcet/relax.h"

/* One launch: {"launch", "kernel", "symbol", "grid", "block", "gub", "serial_bound", "unit_bound", "exact",
 * "assumptions", "caches", "sections", "replay", "overestimation", "warps"}; profile and attack may be NULL. */
json_t *wcet_launch_json(const struct rp_trace *, const struct machine *, const struct wcet_result *,
                         const struct wcet_launch *, const struct wcet_profile *, const struct wcet_attack *);
/* The cycles of the longest schedule found, in per cent of the unit-aware bound. */
double wcet_attack_closeness(const struct wcet_bounds *, const struct wcet_attack *);
/* Per policy and bound: launches, mean, greatest, weighted_mean, deviation, violations. */
json_t *wcet_summary_json(const struct wcet_result *);

/* What tables show: one trace, or several in one table. */
struct wcet_view {
    const struct rp_trace *trace;
    const struct machine *machine;
    bool several;
};
/* A table of bounds with a row per launch. The caller prints it. */
struct table *wcet_launch_table(bool several, bool attacked);
void wcet_launch_rows(struct table *, const struct wcet_view *, const struct wcet_result *, const struct wcet_attack *);
/* A table of cycles with a row for each policy. */
struct table *wcet_replay_table(bool several);
void wcet_replay_rows(struct table *, const struct wcet_view *, const struct wcet_result *);
/* Prints the longest schedules that attacks found. */
void wcet_print_attacks(const struct wcet_result *, const struct wcet_attack *);
/* Prints the bounds of sections, of launches with 2 to WCET_SECTIONS_SHOWN sections. */
#define WCET_SECTIONS_SHOWN 32
void wcet_print_sections(const struct machine *, const struct wcet_result *);
/* The number of launches, of one trace or of several, and how many of them have an exact figure. */
struct wcet_exactness {
    size_t launches, exact, too_many, stopped;
    bool tried; /* --exhaust is not 0 */
};
void wcet_count_exact(struct wcet_exactness *, const struct wcet_result *);
/* Prints what "exact" means, if a launch has an exact figure, and why others have none. */
void wcet_print_exact(const struct wcet_exactness *, bool one_block);
/* Prints the classes of accesses to caches, if there are any. */
void wcet_print_caches(const struct wcet_result *, const struct machine *);
void wcet_print_summary(const struct wcet_result *);

/* What bounds are valid for: the recorded path, the machine as it is defined, and what goes beyond the paper. */
struct wcet_validity {
    const struct machine *machine;
    unsigned assumed;                    /* a bit per enum wcet_extension, of all launches */
    const struct wcet_relaxed *relaxed;  /* NULL or without settings: the machine is as it was */
    const struct machine_args *settings; /* which holds the relaxed ones */
};
void wcet_print_validity(const struct wcet_validity *);
/* "tlb=none l2_tlb=none": what was relaxed. The caller frees it; NULL: out of memory. */
char *wcet_relaxed_text(const struct wcet_validity *);
/* {"path": "recorded", "machine", "hash", "assumptions", "relaxed": {"tlb": "none", ...}} */
json_t *wcet_validity_json(const struct wcet_validity *);
json_t *wcet_assumptions_json(unsigned assumed);

#endif
