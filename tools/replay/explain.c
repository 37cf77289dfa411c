#include <stdio.h>

#include "tools/replay/replay.h"
#include "tools/replaying/explanations.h"
#include "tools/ui/table.h"

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
    explanations_each(explain_one, table);
    if (table)
        (csv ? table_print_csv : table_print)(table, stdout);
    return RP_OK;
}
