/* Databases of results into one. */
#ifndef REPRISE_TOOLS_STORE_MERGE_H
#define REPRISE_TOOLS_STORE_MERGE_H

#include "tools/store/store.h"

/* Whether there is a database of ours at `path`, and whole as far as its tables go. */
bool store_check(const char *path, unsigned wait, struct rp_error *);
/* Adds everything in the database at `path`, in one transaction; nothing if it is the same one. A run that is in both
 * is there once, with the detail of both; a machine that is in both gets the area of the one at `path`, if it has one
 * there. One without tables, of a process that was stopped while it made it, has nothing to add. */
bool store_merge(struct store *, const char *path, struct rp_error *);

#endif
