/* The data of a sweep's report, from its database. The chosen runs are in temporary table `chosen`, by trace, machine
 * and number; a run's place there is its place in every list of the data. */
#ifndef REPRISE_TOOLS_REPORT_SWEEP_H
#define REPRISE_TOOLS_REPORT_SWEEP_H

#include "tools/queries/queries.h"
#include "tools/report/report.h"

struct sweep_report {
    const struct report_request *request;
    struct query query;
    json_t *data;
    size_t runs; /* in `chosen`: rowid 1 to this, with run, trace, machine, launch, engine, seed, tool, value */
};

/* choose.c: makes `chosen`, and table `role` with the baseline and the best run of each trace: trace, baseline, best.
 * Puts "counts" and "value". RP_USAGE: there is nothing to show. */
bool sweep_choose(struct sweep_report *, struct rp_error *);

/* columns.c: puts "axes", with a value's number for each run, and "statistics", each with a list of values. */
bool sweep_columns(struct sweep_report *, struct rp_error *);

/* machines.c: puts "roofs", and "machines", the resolved options of the machines of table `role`. */
bool sweep_machines(struct sweep_report *, struct rp_error *);

/* changes.c: puts "roles": of each trace its baseline, its best run, and what changes between them by source line. */
bool sweep_changes(struct sweep_report *, struct rp_error *);

/* Runs a query and gives each of its rows to `row`, which may fail. Frees the text; NULL: memory ran out. */
typedef bool sweep_row_fn(void *data, sqlite3_stmt *, struct rp_error *);
bool sweep_each(struct sweep_report *, char *text, sweep_row_fn *row, void *data, struct rp_error *);
/* The rows as a list of values, for one column, or of objects. NULL: err says why. */
json_t *sweep_list(struct sweep_report *, char *text, struct rp_error *);
/* The first value of the first row; 0 for none. */
bool sweep_number(struct sweep_report *, char *text, int64_t *value, struct rp_error *);

#endif
