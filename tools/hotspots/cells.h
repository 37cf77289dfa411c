/* Cells that tables of places have in common. */
#ifndef REPRISE_TOOLS_HOTSPOTS_CELLS_H
#define REPRISE_TOOLS_HOTSPOTS_CELLS_H

#include <string.h>

#include "tools/hotspots/hotspots.h"

/* "1,234.5", or, with its sign, "+1,234.5" */
void cycles_cell(struct table *, double cycles, bool sign);
/* "memory 62 %, unit 10 %": the two largest of the row's cycles. */
void stalls_cell(struct table *, const struct profile_row *);

/* Of CSV: what a place is. */
#define PLACE_CELLS 7
void place_cells_heading(struct table *);
void place_cells(struct table *, const struct hotspots *, size_t place, struct source_files *);
void place_cells_named(struct table *, const char *name);

/* Ends the program, as tables do. */
_Noreturn void *no_memory(void);

#endif
