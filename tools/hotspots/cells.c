#include "tools/hotspots/cells.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#include "tools/lib/names.h"
#include "tools/ui/figure.h"

void *no_memory(void)
{
    fputs("reprise: out of memory\n", stderr);
    exit(RP_SYSTEM);
}

void cycles_cell(struct table *t, double cycles, bool sign)
{
    char text[FIGURE];
    uint64_t tenths = (uint64_t)(fabs(cycles) * 10 + 0.5);
    table_cell(t, "%s%s.%u",
               !tenths || !sign ? ""
               : cycles < 0     ? "-"
                                : "+",
               figure(tenths / 10, text), (unsigned)(tenths % 10));
}

void stalls_cell(struct table *t, const struct profile_row *r)
{
    uint64_t all = profile_row_cycles(r);
    unsigned first = 0, second = STALL_COUNT;
    for (unsigned i = 1; i < STALL_COUNT; i++)
        if (r->stall[i] > r->stall[first]) {
            second = first;
            first = i;
        } else if (second == STALL_COUNT || r->stall[i] > r->stall[second]) {
            second = i;
        }
    char text[100] = "";
    if (r->stall[first])
        snprintf(text, sizeof text, "%s %.0f %%", statistics_stall_name((enum stall)first),
                 100 * (double)r->stall[first] / (double)all);
    size_t n = strlen(text);
    if (r->stall[second] * 100 >= all && r->stall[second])
        snprintf(text + n, sizeof text - n, ", %s %.0f %%", statistics_stall_name((enum stall)second),
                 100 * (double)r->stall[second] / (double)all);
    table_cell(t, "%s", text);
}

/* ---- CSV --------------------------------------------------------------------------------------------------------- */

void place_cells_heading(struct table *t)
{
    static const char *const heading[PLACE_CELLS] = {"place", "kernel", "pc", "text", "file", "line", "source_text"};
    for (size_t i = 0; i < PLACE_CELLS; i++)
        table_cell(t, "%s", heading[i]);
}

void place_cells_named(struct table *t, const char *name)
{
    table_cell(t, "%s", name);
    for (size_t i = 1; i < PLACE_CELLS; i++)
        table_cell(t, "%s", "");
}

void place_cells(struct table *t, const struct hotspots *h, size_t number, struct source_files *files)
{
    char name[PLACE_TEXT], plain[PLAIN_NAME];
    enum place_kind kind = h->places->kind;
    const struct place *at = kind == BY_SUBCORE ? NULL : &h->places->list[number];
    place_name(h->places, number, h->subcores_per_sm, name);
    if (!at || !at->kernel) {
        place_cells_named(t, name);
        return;
    }
    const struct rp_instruction *in = at->instruction;
    table_cell(t, "%s", name);
    table_cell(t, "%s", plain_kernel_name(at->kernel->name, plain));
    if (kind == BY_INSTRUCTION) {
        table_cell(t, "%" PRIu64, in->pc);
        table_cell(t, "%s", in->text);
    } else {
        table_cell(t, "%s", "");
        table_cell(t, "%s", "");
    }
    bool line = kind != BY_FUNCTION && in->line;
    const char *text = line ? source_text_of(files, at->kernel->files[in->file], in->line) : NULL;
    table_cell(t, "%s", line ? at->kernel->files[in->file] : "");
    table_cell(t, line ? "%" PRIu32 : "%.0" PRIu32, line ? in->line : 0);
    table_cell(t, "%s", text ? text : "");
}
