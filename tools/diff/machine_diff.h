/* The options in which two machines differ. */
#ifndef REPRISE_TOOLS_DIFF_MACHINE_DIFF_H
#define REPRISE_TOOLS_DIFF_MACHINE_DIFF_H

#include "replay/base/machine.h"

enum machine_diff_form { MACHINE_DIFF_TABLE, MACHINE_DIFF_CSV, MACHINE_DIFF_JSON };

/* Prints each option whose values differ, and those that only one machine has. Returns the exit status. */
int machine_diff(const struct machine *a, const struct machine *b, enum machine_diff_form);

#endif
