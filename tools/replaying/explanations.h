/* What statistics mean: the table of docs/statistics.md. */
#ifndef REPRISE_TOOLS_REPLAYING_EXPLANATIONS_H
#define REPRISE_TOOLS_REPLAYING_EXPLANATIONS_H

#include "replay/base/statistics.h"

/* Visits all statistics in the order of the table. In "issue.stall.unit.NAME" and "units.NAME.busy" NAME stands for a
 * unit of the machine. */
void explanations_each(void (*visit)(void *, const char *name, const char *unit, const char *definition), void *);

#endif
