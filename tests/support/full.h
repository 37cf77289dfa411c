/* Sweeps of which a run of the tests takes a part. */
#ifndef REPRISE_TESTS_SUPPORT_FULL_H
#define REPRISE_TESTS_SUPPORT_FULL_H

#include <stdbool.h>

/* Whether all of each sweep is asked for: make check FULL=1. */
bool full_sweep(void);

#endif
