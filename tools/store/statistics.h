/* The numbers that stand for the names of statistics in a database. */
#ifndef REPRISE_TOOLS_STORE_STATISTICS_H
#define REPRISE_TOOLS_STORE_STATISTICS_H

#include "tools/store/store.h"

/* Reads those that are there. */
bool statistics_load(struct store *, struct rp_error *);
/* Adds those of the machine that are missing. */
bool statistics_put_names(struct store *, const struct machine *, struct rp_error *);
/* -1: there is none of this name. Fast where names are asked for in the same order again. */
int64_t statistics_number(struct store_statistics *, const char *name);
void statistics_free(struct store_statistics *);

#endif
