/* Runs side by side: all of them, the best, and those that no other beats in both of two values. */
#include <stdlib.h>
#include <string.h>

#include "tools/queries/queries.h"

/* The columns of a run, before its statistics. */
static char *identity_columns(struct query *q, struct rp_error *err)
{
    static const char *const sometimes[] = {"launch", "engine", "seed", "tool"};
    char *axes = query_axes(q, "", err);
    if (!axes)
        return NULL;
    sqlite3_str *text = sqlite3_str_new(q->store.sql.db);
    sqlite3_str_appendf(text, "run, trace, machine%s", axes);
    bool fine = true, yes;
    for (size_t i = 0; fine && i < MODEL_COUNT_OF(sometimes); i++)
        if ((fine = query_differs(q, sometimes[i], &yes, err)) && yes)
            sqlite3_str_appendf(text, ", %s", sometimes[i]);
    sqlite3_free(axes);
    char *columns = sqlite3_str_finish(text);
    if (fine)
        return columns;
    sqlite3_free(columns);
    return NULL;
}

/* How many commas: columns that a refused combination has nothing in. */
static int commas(const char *text)
{
    int count = 0;
    for (; *text; text++)
        count += *text == ',';
    return count;
}

bool query_list(struct query *q, struct rp_error *err)
{
    int64_t estimates;
    char *columns = identity_columns(q, err);
    if (!columns)
        return false;
    if (!sql_number(&q->store.sql, "SELECT count(*) FROM estimate", 0, &estimates, err, "")) {
        sqlite3_free(columns);
        return false;
    }
    sqlite3_str *text = sqlite3_str_new(q->store.sql.db);
    sqlite3_str_appendf(text, "SELECT %s, cycles%s, ipc, status, reason FROM runs WHERE %s", columns,
                        estimates ? ", cycles_half_width" : "", q->which);
    sqlite3_str_appendall(text, " UNION ALL SELECT NULL, NULL, machine");
    for (int i = commas(columns) - 2; i > 0; i--)
        sqlite3_str_appendall(text, ", NULL");
    sqlite3_str_appendf(text, ", NULL%s, NULL, 'impossible', settings || ': ' || reason FROM refusal WHERE %s",
                        estimates ? ", NULL" : "", q->which);
    sqlite3_str_appendall(text, " ORDER BY 2 NULLS LAST");
    for (int i = 3; i <= commas(columns) + 1; i++)
        sqlite3_str_appendf(text, ", %d", i);
    sqlite3_free(columns);
    return view_print_query(&q->view, NULL, sqlite3_str_finish(text), err);
}

/* ---- the best ---------------------------------------------------------------------------------------------------- */

/* --top: one unless told otherwise; 0: all. */
static long long how_many(const struct query *q)
{
    return q->args->top < 0 ? 1 : q->args->top ? q->args->top : INT64_MAX;
}

/* Of each machine the geometric mean over traces, if it has a run of all of them. */
static char *best_of_all(struct query *q, const char *value, const char *sign, const char *axes)
{
    const char *name = q->args->best + (*sign == '-');
    return sqlite3_mprintf(
        "WITH p AS (SELECT machine%s, count(*) AS runs, geomean(%s) AS \"%w\" FROM runs WHERE %s AND "
        "status = 'done' GROUP BY machine_id, launch, engine, seed, method, tool) SELECT * FROM p WHERE runs "
        "= (SELECT max(runs) FROM p) ORDER BY %s\"%w\" NULLS LAST LIMIT %lld",
        axes, value, name, q->which, sign, name, how_many(q));
}

/* The column of a value that the query calls `inner`, behind those of the axes: an axis is there already. */
static void add_value(sqlite3_str *text, const char *name, const char *sign, const char *inner, const char *axes)
{
    char *quoted = sqlite3_mprintf("\"%w\"", name);
    if (quoted && !strstr(axes, quoted))
        sqlite3_str_appendf(text, ", %s\"%s\" AS %s", sign, inner, quoted);
    sqlite3_free(quoted);
}

static char *best_by(struct query *q, const char *by, const char *value, const char *sign, const char *axes)
{
    sqlite3_str *text = sqlite3_str_new(NULL);
    sqlite3_str_appendf(text,
                        "WITH p AS (SELECT run, trace, machine%s, %s AS \"value:\", row_number() OVER (PARTITION BY %s "
                        "ORDER BY %s%s NULLS LAST, run) AS place FROM runs WHERE %s AND status = 'done') SELECT run, "
                        "trace, machine%s",
                        axes, value, by, sign, value, q->which, axes);
    add_value(text, q->args->best + (*sign == '-'), "", "value:", axes);
    sqlite3_str_appendf(text, " FROM p WHERE place <= %lld ORDER BY %s, place", how_many(q), by);
    return sqlite3_str_finish(text);
}

bool query_best(struct query *q, struct rp_error *err)
{
    const char *sign, *unused, *wanted = q->args->by ? q->args->by : "trace";
    bool all = !strcmp(wanted, "all");
    char *value = query_number(q, q->args->best, &sign, err);
    char *by = value && !all ? query_value(q, wanted, &unused, err) : NULL;
    char *axes = value && (by || all) ? query_axes(q, "", err) : NULL;
    bool fine = axes;
    if (fine)
        fine = view_print_query(&q->view, NULL,
                                all ? best_of_all(q, value, sign, axes) : best_by(q, by, value, sign, axes), err);
    sqlite3_free(value);
    sqlite3_free(by);
    sqlite3_free(axes);
    return fine;
}

/* ---- the Pareto front -------------------------------------------------------------------------------------------- */

static char *value_columns(const char *const names[2], const char *const signs[2], const char *axes)
{
    sqlite3_str *text = sqlite3_str_new(NULL);
    sqlite3_str_appendall(text, " ");
    add_value(text, names[0], signs[0], "one:", axes);
    add_value(text, names[1], signs[1], "other:", axes);
    return sqlite3_str_finish(text);
}

/* In the order of the first value, a run is on the front if its second is better than that of all before it. */
static char *pareto(struct query *q, const char *const values[2], const char *const signs[2], const char *axes,
                    const char *columns)
{
    return sqlite3_mprintf(
        "WITH p AS (SELECT run, trace, machine%s, %s%s AS \"one:\", %s%s AS \"other:\" FROM runs WHERE %s"
        " AND status = 'done'), o AS (SELECT *, min(\"other:\") OVER (PARTITION BY trace ORDER BY"
        " \"one:\", \"other:\" GROUPS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS \"least:\" FROM p"
        " WHERE \"one:\" IS NOT NULL AND \"other:\" IS NOT NULL) SELECT run, trace, machine%s%s FROM o"
        " WHERE \"least:\" IS NULL OR \"other:\" < \"least:\" ORDER BY trace, \"one:\", run",
        axes, signs[0], values[0], signs[1], values[1], q->which, axes, columns);
}

bool query_pareto(struct query *q, const char *one, const char *other, struct rp_error *err)
{
    const char *signs[2] = {"", ""};
    const char *const names[2] = {one + (*one == '+'), other + (*other == '+')};
    char *values[2] = {query_number(q, one, &signs[0], err), NULL};
    values[1] = values[0] ? query_number(q, other, &signs[1], err) : NULL;
    char *axes = values[1] ? query_axes(q, "", err) : NULL;
    char *columns = axes ? value_columns(names, signs, axes) : NULL;
    bool fine = columns || (axes && rp_fail(err, RP_SYSTEM, "out of memory"));
    if (fine)
        fine = view_print_query(&q->view, NULL,
                                pareto(q, (const char *const[2]){values[0], values[1]}, signs, axes, columns), err);
    for (int i = 0; i < 2; i++)
        sqlite3_free(values[i]);
    sqlite3_free(axes);
    sqlite3_free(columns);
    return fine;
}
