/* Table cells that several tables of places have. */
#ifndef REPRISE_TOOLS_HOTSPOTS_CELLS_H
#define REPRISE_TOOLS_HOTSPOTS_CELLS_H

#include <string.h>

#include "tools/hotspots/hotspots.h"

/* "1,234.5"; `sign`: "+1,234.5". */
void cycles_cell(struct table *, double cycles, bool sign);
/* "memory 62 %, unit 10 %": the two largest parts of the row's cycles. */
void stalls_cell(struct table *, const struct profile_row *);

/* The columns of CSV that describe a place. */
#define PLACE_CELLS 7
void place_cells_heading(struct table *);
void place_cells(struct table *, const struct hotspots *, size_t place, struct source_files *);
void place_cells_named(struct table *, const char *name);

/* Reports that memory ran out, and ends the program, as the functions of tables do. */
_Noreturn void *no_memory(void);

#endif
