/* Bounds as CSV, in columns that are named as in JSON, after those that all commands have: trace, machine, launch,
 * kernel, grid, block. */
#ifndef REPRISE_TOOLS_WCET_CSV_H
#define REPRISE_TOOLS_WCET_CSV_H

#include <jansson.h>

#include "tools/ui/table.h"
#include "tools/wcet/attack.h"
#include "tools/wcet/compare.h"

struct wcet_csv {
    const struct machine *machine;
    const struct wcet_policies *policies; /* a column of cycles for each */
    bool attacked;
    const char *relaxed; /* what --relax has set: "tlb=none l2_tlb=none"; empty: nothing */
};

/* The table with its heading, which the caller prints. */
struct table *wcet_csv_new(const struct wcet_csv *);
/* A row for each launch of a trace. skipped: a list of {"launch", "reason"} of those without a bound, in ascending
 * order; NULL: there are none. attacks: NULL without. */
void wcet_csv_rows(struct table *, const struct wcet_csv *, const struct rp_trace *, const struct wcet_result *,
                   const struct wcet_attack *attacks, const json_t *skipped);
/* A row for a trace that cannot be read. */
void wcet_csv_no_trace(struct table *, const struct wcet_csv *, const char *path, const char *why);

#endif
