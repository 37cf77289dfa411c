/* reprise results: what one asks of a database of results. Each question is a query on view `runs`
 * (tools/store/schema.h), printed as a table, CSV or JSON. */
#ifndef REPRISE_TOOLS_QUERIES_QUERIES_H
#define REPRISE_TOOLS_QUERIES_QUERIES_H

#include "tools/queries/view.h"
#include "tools/store/store.h"

struct query_args {
    enum view_form form;
    const char *best, *by, *stat; /* NULL: not given */
    long long top;
    bool all;   /* runs of earlier versions of the program, too */
    bool quiet; /* no warnings */
};

struct query {
    const struct query_args *args;
    struct store store;
    struct view view;
    char *which; /* a condition on view `runs`: those that are asked about */
};

/* These print, and return false with err where they cannot. */
bool query_list(struct query *, struct rp_error *);
bool query_best(struct query *, struct rp_error *);
bool query_pareto(struct query *, const char *one, const char *other, struct rp_error *);
bool query_show(struct query *, const char *run, struct rp_error *);
bool query_compare(struct query *, const char *one, const char *other, struct rp_error *);
bool query_sql(struct query *, const char *text, struct rp_error *);

/* ---- columns.c: what queries are made of ------------------------------------------------------------------------- */

/* Opens the database, which must be whole, and fills in `which`. False: nothing need be freed. */
bool query_open(struct query *, const char *path, unsigned wait, const struct query_args *, struct rp_error *);
void query_close(struct query *);

/* Whether the column says something: not all runs that are asked about are alike in it. */
bool query_differs(struct query *, const char *column, bool *yes, struct rp_error *);
/* The columns of the options that vary, and the area where it differs, each with a comma before it, in quotes, behind
 * `table.` where that is not "". To be freed with sqlite3_free. */
char *query_axes(struct query *, const char *table, struct rp_error *);
/* A statistic, a ratio or an option as an expression on view `runs`; "l1" is "l1.model"; a "+" before it: more of it is
 * better, and *sign is "-". To be freed with sqlite3_free; NULL: there is none of this name, and err says which is
 * near. */
char *query_value(struct query *, const char *name, const char **sign, struct rp_error *);
/* The same, of what is no text. */
char *query_number(struct query *, const char *name, const char **sign, struct rp_error *);
/* False: there is no run of this number, or the database cannot be read. */
bool query_has_run(struct query *, int64_t run, struct rp_error *);

/* ---- names.c ----------------------------------------------------------------------------------------------------- */

/* Makes view `asked`: that of runs with "trace:" and "machine:", their names, behind which the first digits of a hash
 * are where another trace, or a machine with other options that do not vary, has the same; and "base:", a hash of the
 * machine's options that do not vary. Aggregate function digest(name, value) is a hash of rows in any order. Once for
 * each database that is opened. */
bool query_names(struct query *, struct rp_error *);

/* ---- compare.c --------------------------------------------------------------------------------------------------- */

/* Whose argument a text is, and what to write instead, for messages. */
struct query_usage {
    const char *option, *example;
};
/* "12", the number of a run, or "KEY=VALUE,...", as a condition on view `runs`. To be freed with sqlite3_free. */
char *query_condition(struct query *, const char *text, const struct query_usage *, struct rp_error *);
/* A query: what changes by source line from "run_a" to "run_b" of table `pair`, in cycles of the machine: kernel, file,
 * line, A, B, change, and in `mostly` the reason that changes most; `most` rows, the largest changes first. -1: all. To
 * be freed with sqlite3_free; NULL: memory ran out. */
char *query_lines(long long most);

#endif
