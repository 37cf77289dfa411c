#include <stdlib.h>
#include <string.h>

#include "tools/lib/number.h"
#include "tools/queries/queries.h"
#include "tools/store/schema.h"
#include "tools/ui/nearest.h"

static void geometric_step(sqlite3_context *c, int count, sqlite3_value **values)
{
    (void)count;
    struct sum {
        double logarithms;
        long long count;
    } *sum = sqlite3_aggregate_context(c, sizeof *sum);
    double value = sqlite3_value_double(values[0]);
    if (!sum || sqlite3_value_type(values[0]) == SQLITE_NULL)
        return;
    sum->logarithms += __builtin_log(value);
    sum->count++;
}

static void geometric_end(sqlite3_context *c)
{
    const struct sum {
        double logarithms;
        long long count;
    } *sum = sqlite3_aggregate_context(c, 0);
    if (sum && sum->count)
        sqlite3_result_double(c, __builtin_exp(sum->logarithms / (double)sum->count));
}

/* The number that a text is, read as sweeps read it: SQLite's reading may differ in the last bit. */
static void to_real(sqlite3_context *c, int count, sqlite3_value **values)
{
    double real;
    const char *text = (const char *)sqlite3_value_text(values[0]);
    (void)count;
    if (text && read_size_or_real(text, &real))
        sqlite3_result_double(c, real);
}

/* Runs of one version of the program compare with one another. */
static bool choose_runs(struct query *q, struct rp_error *err)
{
    int64_t tool;
    if (!store_shown_tool(&q->store, &tool, err))
        return false;
    q->which = q->args->all ? sqlite3_mprintf("1") : sqlite3_mprintf("tool = %lld", (long long)tool);
    return q->which || rp_fail(err, RP_SYSTEM, "out of memory");
}

bool query_open(struct query *q, const char *path, unsigned wait, const struct query_args *args, struct rp_error *err)
{
    *q = (struct query){.args = args};
    if (!store_open_read(&q->store, path, wait, err))
        return false;
    if (!store_check_whole(&q->store, err)) {
        store_close(&q->store);
        return false;
    }
    q->view = (struct view){.sql = &q->store.sql, .form = args->form};
    sqlite3_create_function(q->store.sql.db, "geomean", 1, SQLITE_UTF8 | SQLITE_DETERMINISTIC, NULL, NULL,
                            geometric_step, geometric_end);
    sqlite3_create_function(q->store.sql.db, "to_real", 1, SQLITE_UTF8 | SQLITE_DETERMINISTIC, NULL, to_real, NULL,
                            NULL);
    if (choose_runs(q, err))
        return true;
    query_close(q);
    return false;
}

void query_close(struct query *q)
{
    sqlite3_free(q->which);
    store_close(&q->store);
}

bool query_differs(struct query *q, const char *column, bool *yes, struct rp_error *err)
{
    char *text = sqlite3_mprintf("SELECT count(DISTINCT ifnull(%s, '')) > 1 FROM runs WHERE %s", column, q->which);
    sqlite3_stmt *rows = text ? view_query(&q->view, text, err, "") : NULL;
    bool fine = true;
    *yes = rows && sql_row(&q->store.sql, rows, &fine, err) && sqlite3_column_int(rows, 0);
    sqlite3_finalize(rows);
    sqlite3_free(text);
    return rows && fine;
}

#define AREA_COLUMN "\"" STORE_AREA "\""

char *query_axes(struct query *q, const char *table, struct rp_error *err)
{
    bool fine = true, areas = false;
    sqlite3_str *text = sqlite3_str_new(q->store.sql.db);
    sqlite3_stmt *rows = sql_bind(&q->store.sql, "SELECT key FROM option WHERE varied ORDER BY varied", err, "");
    while (rows && sql_row(&q->store.sql, rows, &fine, err))
        sqlite3_str_appendf(text, ", %s\"%w\"", table, sqlite3_column_text(rows, 0));
    bool has_area = sqlite3_str_length(text) && strstr(sqlite3_str_value(text), AREA_COLUMN);
    int64_t others = 0;
    fine = rows && fine &&
           sql_number(&q->store.sql, "SELECT count(*) FROM run WHERE method <> 'exact'", 0, &others, err, "") &&
           (has_area || query_differs(q, STORE_AREA, &areas, err));
    if (areas)
        sqlite3_str_appendf(text, ", %s" AREA_COLUMN, table);
    if (others)
        sqlite3_str_appendf(text, ", %smethod", table);
    if (!sqlite3_str_length(text))
        sqlite3_str_appendall(text, " ");
    char *axes = sqlite3_str_finish(text);
    if (rows && fine && axes)
        return axes;
    if (rows && fine)
        rp_fail(err, RP_SYSTEM, "out of memory");
    sqlite3_free(axes);
    return NULL;
}

/* ---- values ------------------------------------------------------------------------------------------------------ */

static bool fail_unknown(struct query *q, const char *name, struct rp_error *err)
{
    int64_t runs = 0;
    if (!sql_number(&q->store.sql, "SELECT count(*) FROM run", 0, &runs, err, ""))
        return false;
    if (!runs)
        return rp_fail(
            err, RP_USAGE,
            "%s: there is no run yet, and nothing known of '%s'; 'reprise results %s' lists the combinations "
            "that are impossible",
            q->store.sql.path, name, q->store.sql.path);
    static const char all[] = "SELECT name FROM statistic UNION SELECT key FROM option UNION SELECT 'ipc' UNION "
                              "SELECT 'occupancy' ORDER BY 1";
    const char *names[4096], *near;
    char *copies[4096];
    size_t count = 0;
    bool fine = true;
    sqlite3_stmt *rows = sql_bind(&q->store.sql, all, err, "");
    while (rows && count < MODEL_COUNT_OF(names) && sql_row(&q->store.sql, rows, &fine, err))
        if ((copies[count] = strdup((const char *)sqlite3_column_text(rows, 0))))
            names[count] = copies[count], count++;
    near = nearest_name(name, names, count);
    if (near)
        rp_fail(err, RP_USAGE, "there is no statistic or option '%s'; did you mean '%s'?", name, near);
    else
        rp_fail(err, RP_USAGE,
                "there is no statistic or option '%s'; 'reprise replay --explain' and 'reprise machine "
                "options' list them",
                name);
    while (count)
        free(copies[--count]);
    return false;
}

/* NULL: there is none of this name, or, with *fine false, something failed. */
static char *find_value(struct query *q, const char *name, bool *fine, struct rp_error *err)
{
    bool has;
    int64_t option;
    *fine = schema_has_column(&q->store.sql, name, &has, err) &&
            sql_number(&q->store.sql, "SELECT id FROM option WHERE key = ?", -1, &option, err, "t", name);
    if (!*fine || (!has && option < 0))
        return NULL;
    char *text =
        has ? sqlite3_mprintf("\"%w\"", name)
            : sqlite3_mprintf("(SELECT value FROM machine_option WHERE machine = machine_id AND option = %lld)",
                              (long long)option);
    *fine = text || rp_fail(err, RP_SYSTEM, "out of memory");
    return text;
}

#define NAMED_MACHINES 3

/* "machine A has", "machines A and B have", "machines A, B, C and 2 more have": those of the runs without an area, one
 * row each. To be freed with sqlite3_free. */
static char *machines_have(struct query *q, sqlite3_stmt *rows, bool *fine, struct rp_error *err)
{
    int64_t count = 0;
    sqlite3_str *text = sqlite3_str_new(q->store.sql.db);
    for (; sql_row(&q->store.sql, rows, fine, err); count++) {
        int64_t all = sqlite3_column_int64(rows, 1);
        if (count >= NAMED_MACHINES)
            continue;
        sqlite3_str_appendf(text, "%s%s",
                            !count             ? all > 1 ? "machines " : "machine "
                            : count == all - 1 ? " and "
                                               : ", ",
                            sqlite3_column_text(rows, 0));
    }
    if (count > NAMED_MACHINES)
        sqlite3_str_appendf(text, " and %lld more", (long long)count - NAMED_MACHINES);
    sqlite3_str_appendall(text, count > 1 ? " have" : " has");
    char *said = sqlite3_str_finish(text);
    if (*fine && !said)
        *fine = rp_fail(err, RP_SYSTEM, "out of memory");
    return said;
}

/* How many of the runs that are asked about have no area, and which machines these are, as machines_have says it. */
static bool count_without_area(struct query *q, int64_t *without, int64_t *with, char **machines, struct rp_error *err)
{
    bool fine = true;
    *machines = NULL;
    char *counts = sqlite3_mprintf("SELECT count(*) - count(" STORE_AREA "), count(" STORE_AREA
                                   ") FROM runs WHERE status = 'done' AND %s",
                                   q->which);
    char *names = sqlite3_mprintf("SELECT machine, count(*) OVER () FROM runs WHERE status = 'done' AND " STORE_AREA
                                  " IS NULL AND %s GROUP BY machine ORDER BY machine",
                                  q->which);
    sqlite3_stmt *row = counts && names ? view_query(&q->view, counts, err, "") : NULL;
    sqlite3_stmt *rows = row ? view_query(&q->view, names, err, "") : NULL;
    if (rows && sql_row(&q->store.sql, row, &fine, err)) {
        *without = sqlite3_column_int64(row, 0);
        *with = sqlite3_column_int64(row, 1);
        *machines = machines_have(q, rows, &fine, err);
    }
    if (!counts || !names)
        rp_fail(err, RP_SYSTEM, "out of memory");
    sqlite3_finalize(row);
    sqlite3_finalize(rows);
    sqlite3_free(counts);
    sqlite3_free(names);
    return rows && fine;
}

#define GIVE_AREA                                                                                                      \
    "give it with --set area=MM2, in a machine file, or with what varies ('l1.size=64K,128K with area=430,445'), and " \
    "start the sweep again: no run is repeated"

/* Not all machines have an area: that of some GPUs is not published. */
static bool check_area(struct query *q, struct rp_error *err)
{
    int64_t without = 0, with = 0;
    char *machines;
    bool fine = count_without_area(q, &without, &with, &machines, err);
    if (fine && without && !with)
        fine = rp_fail(err, RP_USAGE, "%s no area; " GIVE_AREA, machines);
    else if (fine && without && !q->args->quiet)
        fprintf(stderr,
                "reprise: warning: %lld run%s left out where areas are compared, as %s no area; " GIVE_AREA "\n",
                (long long)without, without == 1 ? " is" : "s are", machines);
    sqlite3_free(machines);
    return fine;
}

char *query_value(struct query *q, const char *name, const char **sign, struct rp_error *err)
{
    char model[160];
    bool fine;
    *sign = *name == '+' ? "-" : "";
    name += *name == '+';
    snprintf(model, sizeof model, "%s.model", name);
    char *text = find_value(q, name, &fine, err);
    if (!text && fine)
        text = find_value(q, model, &fine, err);
    if (!text && fine)
        fail_unknown(q, name, err);
    if (!text || strcmp(name, STORE_AREA) || check_area(q, err))
        return text;
    sqlite3_free(text);
    return NULL;
}

char *query_number(struct query *q, const char *name, const char **sign, struct rp_error *err)
{
    bool fine = true;
    char *value = query_value(q, name, sign, err);
    char *text = value ? sqlite3_mprintf("SELECT 1 FROM runs WHERE typeof(%s) = 'text' LIMIT 1", value) : NULL;
    sqlite3_stmt *rows = text ? view_query(&q->view, text, err, "") : NULL;
    if (value && !text)
        rp_fail(err, RP_SYSTEM, "out of memory");
    if (rows && sql_row(&q->store.sql, rows, &fine, err))
        fine = rp_fail(err, RP_USAGE, "%s is a text; give something that is a number, for example cycles or ipc", name);
    sqlite3_finalize(rows);
    sqlite3_free(text);
    if (rows && fine)
        return value;
    sqlite3_free(value);
    return NULL;
}

bool query_has_run(struct query *q, int64_t run, struct rp_error *err)
{
    int64_t count;
    return sql_number(&q->store.sql, "SELECT count(*) FROM run WHERE id = ?", 0, &count, err, "i", run) &&
           (count || rp_fail(err, RP_USAGE, "run %lld: there is no such run; 'reprise results %s' lists them",
                             (long long)run, q->store.sql.path));
}
