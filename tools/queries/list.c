/* Runs side by side: all of them, the best, and those that no other beats in both of two values. */
#include <stdlib.h>
#include <string.h>

#include "tools/queries/queries.h"

#define NAMES "run, \"trace:\" AS trace, \"machine:\" AS machine"
/* Runs that differ in one of these do not compete. */
#define KIND "launch, engine, seed, method, tool"

/* What distinguishes runs, besides trace and machine, each with a comma before it. NULL: err says why. */
static char *distinctions(struct query *q, struct rp_error *err)
{
    static const char *const sometimes[] = {"launch", "engine", "seed", "tool"};
    char *axes = query_axes(q, "", err);
    if (!axes)
        return NULL;
    sqlite3_str *text = sqlite3_str_new(q->store.sql.db);
    sqlite3_str_appendall(text, axes);
    bool fine = true, yes;
    for (size_t i = 0; fine && i < MODEL_COUNT_OF(sometimes); i++)
        if ((fine = query_differs(q, sometimes[i], &yes, err)) && yes)
            sqlite3_str_appendf(text, ", %s", sometimes[i]);
    sqlite3_free(axes);
    char *columns = sqlite3_str_finish(text);
    if (fine && (columns || rp_fail(err, RP_SYSTEM, "out of memory")))
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
    char *columns = query_names(q, err) ? distinctions(q, err) : NULL;
    if (!columns)
        return false;
    if (!sql_number(&q->store.sql, "SELECT count(*) FROM estimate", 0, &estimates, err, "")) {
        sqlite3_free(columns);
        return false;
    }
    sqlite3_str *text = sqlite3_str_new(q->store.sql.db);
    sqlite3_str_appendf(text, "SELECT " NAMES "%s, cycles%s, ipc, status, reason FROM asked WHERE %s", columns,
                        estimates ? ", cycles_half_width, reached" : "", q->which);
    sqlite3_str_appendall(text, " UNION ALL SELECT NULL, NULL, machine");
    for (int i = commas(columns); i > 0; i--)
        sqlite3_str_appendall(text, ", NULL");
    sqlite3_str_appendf(text, ", NULL%s, NULL, 'impossible', settings || ': ' || reason FROM refusal WHERE %s",
                        estimates ? ", NULL, NULL" : "", q->which);
    sqlite3_str_appendall(text, " ORDER BY 2 NULLS LAST");
    for (int i = 3; i <= commas(columns) + 3; i++)
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

/* Whether machines have runs of different traces. */
static bool traces_differ(struct query *q, bool *yes, struct rp_error *err)
{
    bool fine = true;
    char *text =
        sqlite3_mprintf("WITH p AS (SELECT digest(sha256, '') AS traces FROM runs WHERE %s AND status = 'done' "
                        "GROUP BY machine_id, " KIND ") SELECT min(traces) <> max(traces) FROM p",
                        q->which);
    sqlite3_stmt *row = text ? view_query(&q->view, text, err, "") : NULL;
    *yes = row && sql_row(&q->store.sql, row, &fine, err) && sqlite3_column_int(row, 0);
    sqlite3_finalize(row);
    sqlite3_free(text);
    return row ? fine : text || rp_fail(err, RP_SYSTEM, "out of memory");
}

/* Says how many machines best_of_all() leaves out. */
static bool say_left_out(struct query *q, struct rp_error *err)
{
    bool fine = true;
    char *text = sqlite3_mprintf("WITH p AS (SELECT count(*) AS runs, dense_rank() OVER (ORDER BY " KIND
                                 ") AS kind FROM runs WHERE %s AND status = 'done' GROUP BY machine_id, " KIND
                                 "), m AS (SELECT runs, max(runs) OVER (PARTITION BY kind) AS most FROM p) SELECT "
                                 "sum(runs < most), count(*) FROM m",
                                 q->which);
    sqlite3_stmt *row = text ? view_query(&q->view, text, err, "") : NULL;
    if (row && sql_row(&q->store.sql, row, &fine, err) && sqlite3_column_int(row, 0))
        fprintf(stderr, "reprise: note: %d of %d machines have no run of some trace, and are left out\n",
                sqlite3_column_int(row, 0), sqlite3_column_int(row, 1));
    sqlite3_finalize(row);
    sqlite3_free(text);
    return row ? fine : text || rp_fail(err, RP_SYSTEM, "out of memory");
}

/* Of each machine the geometric mean over traces, if it has a run of as many as any. */
static char *best_of_all(struct query *q, const char *value, const char *sign, const char *columns, bool differ)
{
    const char *name = q->args->best + (*sign == '-'), *traces = differ ? ", traces" : "";
    return sqlite3_mprintf(
        "WITH p AS (SELECT \"machine:\" AS machine%s, count(*) AS \"runs:\", digest(sha256, '') AS \"set:\", "
        "group_concat(\"trace:\", ', ') AS traces, geomean(%s) AS \"value:\", dense_rank() OVER (ORDER BY " KIND
        ") AS \"kind:\" FROM asked WHERE %s AND status = 'done' GROUP BY machine_id, " KIND
        "), m AS (SELECT *, max(\"runs:\") OVER (PARTITION BY \"kind:\") AS \"most:\" FROM p), o AS (SELECT *, "
        "row_number() OVER (PARTITION BY \"kind:\", \"set:\" ORDER BY %s\"value:\" NULLS LAST) AS place FROM m WHERE "
        "\"runs:\" = \"most:\") SELECT machine%s%s, \"value:\" AS \"%w\" FROM o WHERE place <= %lld ORDER BY "
        "\"kind:\", "
        "\"set:\", place",
        columns, value, q->which, sign, columns, traces, name, how_many(q));
}

/* The column of a value that the query calls `inner`, behind those of the axes: an axis is there already. */
static void add_value(sqlite3_str *text, const char *name, const char *sign, const char *inner, const char *axes)
{
    char *quoted = sqlite3_mprintf("\"%w\"", name);
    if (quoted && !strstr(axes, quoted))
        sqlite3_str_appendf(text, ", %s\"%s\" AS %s", sign, inner, quoted);
    sqlite3_free(quoted);
}

static char *best_by(struct query *q, const char *by, const char *value, const char *sign, const char *columns)
{
    sqlite3_str *text = sqlite3_str_new(NULL);
    sqlite3_str_appendf(text,
                        "WITH p AS (SELECT " NAMES
                        "%s, %s AS \"value:\", %s AS \"by:\", dense_rank() OVER (ORDER BY " KIND
                        ") AS \"kind:\", row_number() OVER (PARTITION BY %s, " KIND
                        " ORDER BY %s%s NULLS LAST, run) AS place FROM asked WHERE %s AND status = 'done') SELECT run, "
                        "trace, machine%s",
                        columns, value, by, by, sign, value, q->which, columns);
    add_value(text, q->args->best + (*sign == '-'), "", "value:", columns);
    sqlite3_str_appendf(text, " FROM p WHERE place <= %lld ORDER BY \"by:\", \"kind:\", place", how_many(q));
    return sqlite3_str_finish(text);
}

/* --by as an expression on view `asked`. */
static char *by_value(struct query *q, const char *by, struct rp_error *err)
{
    const char *unused;
    if (!strcmp(by, "trace") || !strcmp(by, "machine"))
        return sqlite3_mprintf("\"%s:\"", by);
    return query_value(q, by, &unused, err);
}

bool query_best(struct query *q, struct rp_error *err)
{
    const char *sign, *wanted = q->args->by ? q->args->by : "trace";
    bool all = !strcmp(wanted, "all"), differ = false;
    char *value = query_names(q, err) ? query_number(q, q->args->best, &sign, err) : NULL;
    char *by = value && !all ? by_value(q, wanted, err) : NULL;
    char *columns = value && (by || all) ? distinctions(q, err) : NULL;
    bool fine = columns && (!all || (traces_differ(q, &differ, err) && say_left_out(q, err)));
    if (fine)
        fine = view_print_query(
            &q->view, NULL, all ? best_of_all(q, value, sign, columns, differ) : best_by(q, by, value, sign, columns),
            err);
    sqlite3_free(value);
    sqlite3_free(by);
    sqlite3_free(columns);
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
static char *pareto(struct query *q, const char *const values[2], const char *const signs[2], const char *columns,
                    const char *shown)
{
    return sqlite3_mprintf(
        "WITH p AS (SELECT " NAMES "%s, %s%s AS \"one:\", %s%s AS \"other:\", dense_rank() OVER (ORDER BY " KIND
        ") AS \"kind:\" FROM asked WHERE %s"
        " AND status = 'done'), o AS (SELECT *, min(\"other:\") OVER (PARTITION BY trace, \"kind:\" ORDER BY"
        " \"one:\", \"other:\" GROUPS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS \"least:\" FROM p"
        " WHERE \"one:\" IS NOT NULL AND \"other:\" IS NOT NULL) SELECT run, trace, machine%s%s FROM o"
        " WHERE \"least:\" IS NULL OR \"other:\" < \"least:\" ORDER BY trace, \"kind:\", \"one:\", run",
        columns, signs[0], values[0], signs[1], values[1], q->which, columns, shown);
}

bool query_pareto(struct query *q, const char *one, const char *other, struct rp_error *err)
{
    const char *signs[2] = {"", ""};
    const char *const names[2] = {one + (*one == '+'), other + (*other == '+')};
    if (!strcmp(names[0], names[1]))
        return rp_fail(err, RP_USAGE, "pareto: both values are '%s'; give two that differ, for example cycles l1.size",
                       names[0]);
    char *values[2] = {query_names(q, err) ? query_number(q, one, &signs[0], err) : NULL, NULL};
    values[1] = values[0] ? query_number(q, other, &signs[1], err) : NULL;
    char *columns = values[1] ? distinctions(q, err) : NULL;
    char *shown = columns ? value_columns(names, signs, columns) : NULL;
    bool fine = shown || (columns && rp_fail(err, RP_SYSTEM, "out of memory"));
    if (fine)
        fine = view_print_query(&q->view, NULL,
                                pareto(q, (const char *const[2]){values[0], values[1]}, signs, columns, shown), err);
    for (int i = 0; i < 2; i++)
        sqlite3_free(values[i]);
    sqlite3_free(columns);
    sqlite3_free(shown);
    return fine;
}
