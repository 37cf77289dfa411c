/* What runs have: the values that vary, and statistics. */
#include <stdlib.h>
#include <string.h>

#include "replay/session/machine_open.h"
#include "tools/replaying/explanations.h"
#include "tools/report/sweep.h"
#include "tools/store/schema.h"

/* Values that a report holds at most, so that a browser reads it within seconds. */
#define MOST_VALUES 3000000

/* ---- axes -------------------------------------------------------------------------------------------------------- */

struct option_search {
    const char *key;
    const struct model_option *found;
};

static void chip_option(void *data, const struct model_option *option)
{
    struct option_search *s = data;
    if (!strcmp(option->key, s->key))
        s->found = option;
}

static void model_options(void *data, const char *part, const struct model *model)
{
    struct option_search *s = data;
    size_t n = strlen(part);
    for (unsigned i = 0; i < model->option_count; i++)
        if (!strncmp(s->key, part, n) && s->key[n] == '.' && !strcmp(s->key + n + 1, model->options[i].key))
            s->found = &model->options[i];
}

/* An option of machines; one without a text if there is none of this key. */
static const struct model_option *option_of_key(const char *key)
{
    static const struct model_option none = {.unit = "", .help = ""};
    struct option_search s = {key, &none};
    struct model_set models = machine_models(NULL);
    machine_each_option(chip_option, &s);
    machine_each_model(&models, model_options, &s);
    return s.found;
}

/* Puts an axis if not all runs have the same value. Frees the expression, which is on table `chosen`. */
static bool put_axis(struct sweep_report *s, const char *name, char *expression, struct rp_error *err)
{
    if (!expression)
        return rp_fail(err, RP_SYSTEM, "out of memory");
    json_t *values =
        sweep_list(s, sqlite3_mprintf("SELECT DISTINCT %s AS value FROM chosen ORDER BY value", expression), err);
    json_t *of = values
                     ? sweep_list(s,
                                  sqlite3_mprintf("WITH v AS (SELECT rowid AS at, %s AS value FROM chosen), n AS "
                                                  "(SELECT at, dense_rank() OVER (ORDER BY value) - 1 AS number FROM "
                                                  "v) SELECT number FROM n ORDER BY at",
                                                  expression),
                                  err)
                     : NULL;
    sqlite3_free(expression);
    if (of && json_array_size(values) > 1)
        json_add(json_object_get(s->data, "axes"), json_pack("{s:s, s:s, s:O, s:O}", "name", name, "unit",
                                                             option_of_key(name)->unit, "values", values, "of", of));
    bool fine = of;
    json_decref(values);
    json_decref(of);
    return fine;
}

static bool put_option(void *data, sqlite3_stmt *row, struct rp_error *err)
{
    return put_axis(
        data, (const char *)sqlite3_column_text(row, 1),
        sqlite3_mprintf("(SELECT value FROM machine_option o WHERE o.machine = chosen.machine AND option = %d)",
                        sqlite3_column_int(row, 0)),
        err);
}

static bool put_axes(struct sweep_report *s, struct rp_error *err)
{
    json_put(s->data, "axes", json_array());
    return put_axis(s, "machine", sqlite3_mprintf("(SELECT name FROM machine WHERE id = chosen.machine)"), err) &&
           sweep_each(s, sqlite3_mprintf("SELECT id, key FROM option WHERE varied ORDER BY varied"), put_option, s,
                      err) &&
           put_axis(s, "launch", sqlite3_mprintf("launch"), err) &&
           put_axis(s, "engine", sqlite3_mprintf("engine"), err) && put_axis(s, "seed", sqlite3_mprintf("seed"), err) &&
           put_axis(s, "tool", sqlite3_mprintf("tool"), err) &&
           put_axis(s, "method", sqlite3_mprintf("(SELECT method FROM run WHERE id = chosen.run)"), err);
}

/* ---- statistics -------------------------------------------------------------------------------------------------- */

struct explanation {
    const char *name, *unit, *text;
};

static void compare_name(void *data, const char *name, const char *unit, const char *text)
{
    struct explanation *e = data;
    const char *mark = strstr(name, "NAME");
    size_t before = mark ? (size_t)(mark - name) : 0, after = mark ? strlen(mark + 4) : 0, n = strlen(e->name);
    if (mark ? n > before + after && !strncmp(name, e->name, before) && !strcmp(mark + 4, e->name + n - after)
             : !strcmp(name, e->name)) {
        e->unit = unit;
        e->text = text;
    }
}

static json_t *new_column(const char *name, json_t *values)
{
    struct explanation e = {strcmp(name, "occupancy") ? name : "occupancy.achieved", "", ""};
    explanations_each(compare_name, &e);
    if (!*e.text) {
        const struct model_option *option = option_of_key(name);
        e.unit = option->unit;
        e.text = option->help;
    }
    return json_pack("{s:s, s:s, s:s, s:o}", "name", name, "unit", e.unit, "text", e.text, "values", values);
}

static bool has_name(json_t *list, const char *name)
{
    size_t i;
    json_t *one;
    json_array_foreach(list, i, one) if (!strcmp(json_string_value(json_object_get(one, "name")), name)) return true;
    return false;
}

/* The values of a statistic, a ratio or an option; all of runs, in their order. A "+" before the name means nothing. */
static bool put_value(struct sweep_report *s, const char *name, struct rp_error *err)
{
    const char *sign;
    json_t *list = json_object_get(s->data, "statistics");
    if (!name || has_name(list, name + (*name == '+')) ||
        has_name(json_object_get(s->data, "axes"), name + (*name == '+')))
        return true;
    char *expression = query_value(&s->query, name, &sign, err);
    if (!expression)
        return false;
    json_t *values = sweep_list(
        s,
        sqlite3_mprintf("SELECT (SELECT %s FROM runs WHERE run = chosen.run) FROM chosen ORDER BY rowid", expression),
        err);
    sqlite3_free(expression);
    if (values)
        json_add(list, new_column(name + (*name == '+'), values));
    return values;
}

struct matrix {
    int64_t *values; /* [statistic × runs + run]; those that are 0 have no row in the database */
    size_t runs;
};

static bool fill(void *data, sqlite3_stmt *row, struct rp_error *err)
{
    struct matrix *m = data;
    (void)err;
    m->values[(size_t)sqlite3_column_int64(row, 1) * m->runs + (size_t)sqlite3_column_int64(row, 0) - 1] =
        sqlite3_column_int64(row, 2);
    return true;
}

/* The statistics of table `wanted`, whose rowids are 1 to `count`. */
static bool put_wanted(struct sweep_report *s, json_t *names, struct rp_error *err)
{
    json_t *list = json_object_get(s->data, "statistics");
    size_t count = json_array_size(names);
    struct matrix m = {calloc((count + 1) * s->runs, sizeof *m.values), s->runs};
    bool fine = m.values || rp_fail(err, RP_SYSTEM, "out of memory for the statistics of %zu runs", s->runs);
    fine = fine &&
           sweep_each(s,
                      sqlite3_mprintf("SELECT c.rowid, w.rowid, v.value FROM chosen c CROSS JOIN value v ON v.run = "
                                      "c.run JOIN wanted w ON w.id = v.statistic"),
                      fill, &m, err);
    for (size_t i = 0; fine && i < count; i++) {
        json_t *values = json_array();
        for (size_t r = 0; r < s->runs; r++)
            json_add(values, json_integer(m.values[(i + 1) * s->runs + r]));
        json_add(list, new_column(json_string_value(json_array_get(names, i)), values));
    }
    free(m.values);
    return fine;
}

/* Those that are not 0 everywhere, the ones that charts show first. */
static bool want(struct sweep_report *s, size_t most, int64_t *all, struct rp_error *err)
{
    char *text = sqlite3_mprintf(
        "CREATE TEMP TABLE present AS SELECT id, name FROM statistic WHERE id IN (SELECT v.statistic FROM chosen c "
        "CROSS JOIN "
        "value v ON v.run = c.run); CREATE TEMP TABLE wanted (id INTEGER UNIQUE); INSERT INTO wanted SELECT id FROM "
        "present "
        "ORDER BY name <> 'cycles', name NOT IN ('warp_instructions', 'thread_instructions', 'dram.accesses', "
        "'issue.issued', 'issue.idle') AND name NOT LIKE 'issue.stall.%%', id LIMIT %lld",
        (long long)most);
    bool fine = (text || rp_fail(err, RP_SYSTEM, "out of memory")) && sql_script(&s->query.store.sql, text, err) &&
                sweep_number(s, sqlite3_mprintf("SELECT count(*) FROM present"), all, err);
    sqlite3_free(text);
    return fine;
}

static bool put_statistics(struct sweep_report *s, struct rp_error *err)
{
    int64_t all;
    size_t most = MOST_VALUES / s->runs;
    json_put(s->data, "statistics", json_array());
    if (!want(s, most > 12 ? most : 12, &all, err))
        return false;
    json_t *names = sweep_list(
        s, sqlite3_mprintf("SELECT (SELECT name FROM statistic WHERE id = wanted.id) FROM wanted ORDER BY rowid"), err);
    bool fine = names && put_wanted(s, names, err);
    json_put(s->data, "left_out", json_integer(names ? all - (json_int_t)json_array_size(names) : 0));
    json_decref(names);
    return fine;
}

/* Half the widths of the cycles' intervals, where some are estimates, and "wider": those wider than was asked for. */
static bool put_half_widths(struct sweep_report *s, struct rp_error *err)
{
    static const char half_width[] = "(SELECT half_width FROM estimate WHERE run = chosen.run AND statistic ="
                                     " (SELECT id FROM statistic WHERE name = 'cycles'))";
    int64_t some;
    if (!sweep_number(s, sqlite3_mprintf("SELECT count(%s) FROM chosen", half_width), &some, err))
        return false;
    if (!some)
        return true;
    json_t *wider =
        sweep_list(s,
                   sqlite3_mprintf("SELECT rowid - 1 FROM chosen WHERE (SELECT reached FROM runs WHERE run = "
                                   "chosen.run) = 0"),
                   err);
    if (!wider)
        return false;
    json_put(s->data, "wider", wider);
    json_t *values =
        sweep_list(s, sqlite3_mprintf("SELECT coalesce(%s, 0) FROM chosen ORDER BY rowid", half_width), err);
    if (values)
        json_add(json_object_get(s->data, "statistics"),
                 json_pack("{s:s, s:s, s:s, s:o}", "name", "cycles_half_width", "unit", "cycles", "text",
                           "half the width of the interval of the cycles; 0: they are exact", "values", values));
    return values;
}

/* The area of the machines, where it is known, whether it varies or not. */
static bool put_area(struct sweep_report *s, struct rp_error *err)
{
    int64_t known;
    return sweep_number(s,
                        sqlite3_mprintf("SELECT count(%s) FROM runs WHERE run IN (SELECT run FROM chosen)", STORE_AREA),
                        &known, err) &&
           (!known || put_value(s, STORE_AREA, err));
}

bool sweep_columns(struct sweep_report *s, struct rp_error *err)
{
    json_t *runs = sweep_list(s, sqlite3_mprintf("SELECT run FROM chosen ORDER BY rowid"), err);
    json_t *traces =
        runs ? sweep_list(s,
                          sqlite3_mprintf("SELECT (SELECT count(*) FROM role r WHERE r.trace < chosen.trace) "
                                          "FROM chosen ORDER BY rowid"),
                          err)
             : NULL;
    json_put(s->data, "runs", runs ? runs : json_null());
    json_put(s->data, "trace_of", traces ? traces : json_null());
    return traces && put_axes(s, err) && put_statistics(s, err) && put_half_widths(s, err) &&
           put_value(s, "ipc", err) && put_value(s, "occupancy", err) && put_area(s, err) &&
           put_value(s, s->request->value, err) && put_value(s, s->request->pareto[0], err) &&
           put_value(s, s->request->pareto[1], err);
}
