/* Databases of results into one. */
#ifndef REPRISE_TOOLS_STORE_MERGE_H
#define REPRISE_TOOLS_STORE_MERGE_H

#include "tools/store/store.h"

/* Adds everything in the database at `path`, in one transaction. A run that is in both is there once, with the greater
 * detail. */
bool store_merge(struct store *, const char *path, struct rp_error *);

#endif
