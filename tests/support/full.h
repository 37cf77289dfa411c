/* Exhaustive tests. make check runs a part of their cases, make check FULL=1 all. */
#ifndef REPRISE_TESTS_SUPPORT_FULL_H
#define REPRISE_TESTS_SUPPORT_FULL_H

#include <stdbool.h>

/* Whether FULL is set. */
bool full_sweep(void);

#endif
