#include "tools/diff/machine_diff.h"

#include <stdio.h>
#include <string.h>

#include "tools/lib/json.h"
#include "tools/machine/option_line.h"
#include "tools/replaying/replaying.h"
#include "tools/ui/table.h"

/* The option's value on the machine; NULL: it has none. */
static const char *value_of(const struct machine *m, const char *key, struct option_line *found)
{
    for (struct option_lines lines = option_lines_of(m); option_lines_next(&lines, found);)
        if (!strcmp(found->key, key))
            return found->value;
    return NULL;
}

struct output {
    json_t *json; /* NULL: the table */
    struct table *table;
};

static void add_row(const struct output *out, const char *key, const char *a, const char *b)
{
    if (out->json) {
        json_add(out->json, json_pack("{s:s, s:o, s:o}", "key", key, "a", a ? option_json(a) : json_null(), "b",
                                      b ? option_json(b) : json_null()));
        return;
    }
    table_cell(out->table, "%s", key);
    table_cell(out->table, "%s", a ? a : "-");
    table_cell(out->table, "%s", b ? b : "-");
}

/* Options come in the order of the first machine; those that only the second one has follow. */
static void add_rows(const struct output *out, const struct machine *a, const struct machine *b)
{
    struct option_line o, other;
    for (struct option_lines lines = option_lines_of(a); option_lines_next(&lines, &o);) {
        const char *value = value_of(b, o.key, &other);
        if (!value || strcmp(value, o.value))
            add_row(out, o.key, o.value, value);
    }
    for (struct option_lines lines = option_lines_of(b); option_lines_next(&lines, &o);)
        if (!value_of(a, o.key, &other))
            add_row(out, o.key, NULL, o.value);
}

int machine_diff(const struct machine *a, const struct machine *b, enum machine_diff_form form)
{
    bool json = form == MACHINE_DIFF_JSON;
    struct output out = {json ? json_array() : NULL, json ? NULL : table_new("lll")};
    if (!json) {
        table_cell(out.table, form == MACHINE_DIFF_CSV ? "key" : "option");
        table_cell(out.table, "%s", a->name);
        table_cell(out.table, "%s", b->name);
    }
    add_rows(&out, a, b);
    if (json)
        return json_finish(
            json_pack("{s:o, s:o, s:o}", "a", json_text(a->name), "b", json_text(b->name), "options", out.json));
    (form == MACHINE_DIFF_CSV ? table_print_csv : table_print)(out.table, stdout);
    return RP_OK;
}
