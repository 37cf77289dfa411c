/* Launches as CSV, a row each with all statistics. Columns have the names that JSON gives these values, so that rows of
 * several traces, machines and commands can be put together. */
#ifndef REPRISE_TOOLS_REPLAYING_LAUNCH_CSV_H
#define REPRISE_TOOLS_REPLAYING_LAUNCH_CSV_H

#include "tools/replaying/replaying.h"

struct launch_csv;

struct launch_csv *launch_csv_new(void); /* NULL: out of memory */
void launch_csv_free(struct launch_csv *);
/* Adds columns for the statistics that the machine has; before the heading. */
void launch_csv_machine(struct launch_csv *, const struct machine *);
/* Adds a column of the caller's, behind "block"; before the heading. The name must stay valid. */
void launch_csv_column(struct launch_csv *, const char *name);
/* Prints the heading. */
void launch_csv_heading(const struct launch_csv *);
/* Prints a row of launch `number`, or of LAUNCH_CSV_TOTAL. own: the values of the caller's columns, NULL for none.
 * launch: NULL if it was not replayed; the text of `error` stands in the last column then. */
#define LAUNCH_CSV_TOTAL UINT32_MAX
void launch_csv_row(struct launch_csv *, const struct rp_trace *, const struct machine *, uint32_t number,
                    const char *const *own, const struct replay_launch *launch, const char *error);

#endif
