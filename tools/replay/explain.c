#include <stdio.h>

#include "tools/replay/replay.h"
#include "tools/ui/table.h"

static const struct explanation {
    const char *name, *unit, *help;
} explanations[] = {
#define X(field, name, unit, help) {name, unit, help},
    STATISTICS(X)
#undef X
};
static const struct explanation stall_explanations[] = {
#define X(id, name, help)                                                                                              \
    {STALL_##id == STALL_UNIT ? "issue.stall." name ".NAME" : "issue.stall." name, "sub-core cycles",                  \
     STALL_##id == STALL_DRAIN ? "nothing issued any more: " help                                                      \
                               : "nothing issued; the warp that issued next had to wait: " help},
    STALLS(X)
#undef X
        {"units.NAME.busy", "cycles", "cycles of initiation in the machine's unit NAME, summed over its instances"},
    {"ipc", "instructions per cycle", "(issue.issued + issue.dual) / cycles"},
    {"occupancy.achieved", "", "occupancy.warp_cycles / (occupancy.sm_cycles × limits.warps)"},
};

static void explain_one(void *data, const char *name, const char *unit, const char *help)
{
    struct table *table = data;
    if (!table) {
        printf("| `%s` | %s | %s |\n", name, unit, help);
        return;
    }
    table_cell(table, "%s", name);
    table_cell(table, "%s", unit);
    table_cell(table, "%s", help);
}

int replay_explain(bool markdown, bool csv)
{
    struct table *table = markdown ? NULL : table_new("llw");
    if (csv && table)
        explain_one(table, "statistic", "unit", "definition");
    if (markdown)
        puts("| statistic | unit | definition |\n|---|---|---|");
    for (size_t i = 0; i < MODEL_COUNT_OF(explanations); i++)
        explain_one(table, explanations[i].name, explanations[i].unit, explanations[i].help);
    statistics_each_count(explain_one, table);
    for (size_t i = 0; i < MODEL_COUNT_OF(stall_explanations); i++)
        explain_one(table, stall_explanations[i].name, stall_explanations[i].unit, stall_explanations[i].help);
    if (table)
        (csv ? table_print_csv : table_print)(table, stdout);
    return RP_OK;
}
