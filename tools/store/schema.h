/* The tables of a database of results, as docs/sweep.md describes them. */
#ifndef REPRISE_TOOLS_STORE_SCHEMA_H
#define REPRISE_TOOLS_STORE_SCHEMA_H

#include "tools/store/sql.h"

/* PRAGMA user_version. 1 had neither run.method nor table estimate; 2 had no areas, and view `runs` no such column. */
#define SCHEMA_VERSION 3
/* Key of the option of machines that view `runs` has a column of, whether it varies or not. */
#define STORE_AREA "area"

/* The database is empty, or has all the tables, in a version that schema_make() takes; else RP_BAD_INPUT. Changes
 * nothing. */
bool schema_is_ours(struct sql *, struct rp_error *);
/* Makes the tables in an empty database, or checks those that are there, and brings those of older versions up to date.
 * RP_BAD_INPUT: a database of something else, or of another version. */
bool schema_make(struct sql *, struct rp_error *);
/* Of a database that is read: a view of version 2, or of a sweep that put no machine, is made up to date for this
 * connection. RP_BAD_INPUT: as above, or a table or the view is missing. */
bool schema_check(struct sql *, struct rp_error *);

/* Makes view `runs` again: a column for each option that sweeps vary, and for each statistic; cycles is always there.
 */
bool schema_make_view(struct sql *, struct rp_error *);

/* Whether view `runs` has the column. */
bool schema_has_column(struct sql *, const char *column, bool *has, struct rp_error *);

#endif
