/* What looking for uninitialised reads or races costs. */
#ifndef REPRISE_TESTS_SUPPORT_CHECK_COST_H
#define REPRISE_TESTS_SUPPORT_CHECK_COST_H

#include <stdbool.h>
#include <stdint.h>

#include "tracefmt/error.h"

/* Processor time of a kernel case with a check, of races or else of uninitialised reads, in parts of that without, each
 * the best of `runs` that take turns; on one thread, of launches only. size 0: the case's for tests. */
bool check_cost(const char *kernel, uint32_t size, bool races, unsigned runs, double *times, struct rp_error *);

#endif
