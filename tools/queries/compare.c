/* Two runs, or all runs of one kind beside those of another: ratios, their geometric mean, and the source lines that
 * make the difference. */
#include <stdlib.h>
#include <string.h>

#include "tools/lib/number.h"
#include "tools/queries/queries.h"
#include "tools/store/schema.h"

static const struct query_usage usage = {
    "compare", "give the numbers of two runs, or values as in 'scheduler=gto,l1.size=32K' and 'scheduler=lrr'"};
#define SHOWN 20 /* source lines, unless told otherwise */

/* What one side of the comparison is. */
struct side {
    char *condition; /* on view `runs` */
    char *keys;      /* the columns that it names, each in quotes and between commas */
    bool number;     /* it is one run: */
    int64_t run;
};

static void side_free(struct side *s)
{
    sqlite3_free(s->condition);
    sqlite3_free(s->keys);
}

/* "KEY=VALUE" as a condition: sizes and numbers with a fraction as numbers, all else as text. */
static bool add_value(struct query *q, sqlite3_str *condition, sqlite3_str *keys, const char *key, const char *value,
                      struct rp_error *err)
{
    const char *sign;
    uint64_t number;
    double real;
    struct rp_error unused;
    char *expression = query_value(q, key, &sign, err);
    if (!expression)
        return false;
    if (read_size(value, INT64_MAX, "", &number, &unused))
        sqlite3_str_appendf(condition, " AND %s = %llu", expression, (unsigned long long)number);
    else if (read_size_or_real(value, &real))
        sqlite3_str_appendf(condition, " AND %s IN ('%q', to_real('%q'))", expression, value, value);
    else
        sqlite3_str_appendf(condition, " AND %s = '%q'", expression, value);
    sqlite3_str_appendf(keys, "%s,", expression);
    sqlite3_free(expression);
    return true;
}

static bool add_values(struct query *q, char *text, sqlite3_str *condition, sqlite3_str *keys,
                       const struct query_usage *usage, struct rp_error *err)
{
    for (char *part; (part = strsep(&text, ","));) {
        char *equals = strchr(part, '=');
        if (!equals || equals == part || !equals[1])
            return rp_fail(err, RP_USAGE, "%s: '%.100s': %s", usage->option, part, usage->example);
        *equals = 0;
        if (!add_value(q, condition, keys, part, equals + 1, err))
            return false;
    }
    return true;
}

/* A run's number, or values. */
static bool read_side(struct query *q, const char *text, const struct query_usage *of, struct side *side,
                      struct rp_error *err)
{
    uint64_t run;
    struct rp_error unused;
    char *copy = strdup(text);
    sqlite3_str *condition = sqlite3_str_new(q->store.sql.db), *keys = sqlite3_str_new(q->store.sql.db);
    side->number = read_number(text, INT64_MAX, "", &run, &unused);
    sqlite3_str_appendall(keys, ",");
    bool fine = copy || rp_fail(err, RP_SYSTEM, "out of memory");
    if (side->number) {
        side->run = (int64_t)run;
        sqlite3_str_appendf(condition, "run = %llu", (unsigned long long)run);
    } else {
        sqlite3_str_appendall(condition, q->which);
        fine = fine && add_values(q, copy, condition, keys, of, err);
    }
    free(copy);
    side->condition = sqlite3_str_finish(condition);
    side->keys = sqlite3_str_finish(keys);
    return fine && ((side->condition && side->keys) || rp_fail(err, RP_SYSTEM, "out of memory"));
}

char *query_condition(struct query *q, const char *text, const struct query_usage *of, struct rp_error *err)
{
    struct side side = {.number = false};
    bool fine = read_side(q, text, of, &side, err);
    sqlite3_free(side.keys);
    if (fine)
        return side.condition;
    sqlite3_free(side.condition);
    return NULL;
}

/* ---- pairs ------------------------------------------------------------------------------------------------------- */

static bool named(const struct side *s, const char *column)
{
    char *text = sqlite3_mprintf(",\"%w\",", column);
    bool yes = text && strstr(s->keys, text);
    sqlite3_free(text);
    return yes;
}

/* What is alike in both runs of a pair unless a side names it, and its column. The area affects nothing. */
static const char alike[] =
    "WITH k(name, col, place) AS (VALUES ('trace', 'sha256', -3), ('machine', 'machine', -2), ('machine', 'base:', -1),"
    " ('launch', 'launch', 1e6), ('engine', 'engine', 1e6), ('seed', 'seed', 1e6), ('method', 'method', 1e6),"
    " ('tool', 'tool', 1e6) UNION ALL SELECT key, key, varied FROM option WHERE varied AND key <> '" STORE_AREA
    "') SELECT name, col, place FROM k ORDER BY place, name, col DESC";

/* The next row of the query that is alike; a trace always is. */
static bool next_alike(struct query *q, sqlite3_stmt *rows, const struct side sides[2], bool *fine,
                       struct rp_error *err)
{
    while (sql_row(&q->store.sql, rows, fine, err)) {
        const char *name = (const char *)sqlite3_column_text(rows, 0);
        if (!strcmp(name, "trace") || (!named(&sides[0], name) && !named(&sides[1], name)))
            return true;
    }
    return false;
}

/* A column that pairs have, if it says something. */
static bool show_column(struct query *q, sqlite3_stmt *row, sqlite3_str *show, struct rp_error *err)
{
    const char *name = (const char *)sqlite3_column_text(row, 0), *column = (const char *)sqlite3_column_text(row, 1);
    bool yes = true;
    if (!strcmp(column, "base:"))
        sqlite3_str_appendall(show, ", a.\"machine:\" AS machine");
    else if (strcmp(name, "machine") && strcmp(name, "trace")) {
        if (sqlite3_column_double(row, 2) >= 1e6 && !query_differs(q, column, &yes, err))
            return false;
        if (yes)
            sqlite3_str_appendf(show, ", a.\"%w\"", column);
    }
    return true;
}

/* Names of machines that sides name, where they need what tells them apart. */
static bool show_named_machines(struct query *q, const struct side sides[2], sqlite3_str *show, struct rp_error *err)
{
    static const char ambiguous[] =
        "SELECT EXISTS (SELECT 1 FROM temp.machine_name n JOIN machine m ON m.id = n.machine "
        "WHERE n.shown <> m.name)";
    int64_t yes = 0;
    if (!named(&sides[0], "machine") && !named(&sides[1], "machine"))
        return true;
    if (!sql_number(&q->store.sql, ambiguous, 0, &yes, err, ""))
        return false;
    if (yes)
        sqlite3_str_appendall(show, ", a.\"machine:\" AS \"machine A\", b.\"machine:\" AS \"machine B\"");
    return true;
}

/* What is alike in both runs of a pair. *columns: the same to print. */
static bool likeness(struct query *q, const struct side sides[2], char **condition, char **columns,
                     struct rp_error *err)
{
    bool fine = true, shown = true;
    sqlite3_str *on = sqlite3_str_new(q->store.sql.db), *show = sqlite3_str_new(q->store.sql.db);
    sqlite3_stmt *rows = sql_bind(&q->store.sql, alike, err, "");
    /* a machine that both sides name */
    sqlite3_str_appendall(on, "(a.machine <> b.machine OR a.\"base:\" = b.\"base:\")");
    sqlite3_str_appendall(show, " ");
    while (rows && shown && next_alike(q, rows, sides, &fine, err)) {
        const char *column = (const char *)sqlite3_column_text(rows, 1);
        sqlite3_str_appendf(on, " AND a.\"%w\" IS b.\"%w\"", column, column);
        shown = show_column(q, rows, show, err);
    }
    if (rows)
        sqlite3_reset(rows);
    fine = rows && fine && shown && show_named_machines(q, sides, show, err);
    *condition = sqlite3_str_finish(on);
    *columns = sqlite3_str_finish(show);
    return fine && ((*condition && *columns) || rp_fail(err, RP_SYSTEM, "out of memory"));
}

/* Makes the table of pairs: what each has, the two runs, and the two values. */
static bool make_pairs(struct query *q, const struct side sides[2], const char *value, struct rp_error *err)
{
    char *on = NULL, *columns = NULL;
    bool numbers = sides[0].number && sides[1].number;
    bool fine = likeness(q, sides, &on, &columns, err);
    char *text = fine ? sqlite3_mprintf(
                            "CREATE TEMP TABLE pair AS WITH a AS (SELECT *, %s AS \"value:\" FROM asked WHERE %s "
                            "AND status = 'done'), b AS (SELECT *, %s AS \"value:\" FROM asked WHERE %s AND "
                            "status = 'done') SELECT a.\"trace:\" AS trace%s, a.run AS \"run_a\", b.run AS \"run_b\", "
                            "a.\"value:\" AS a, b.\"value:\" AS b, 1.0 * b.\"value:\" / a.\"value:\" AS ratio "
                            "FROM a JOIN b ON %s WHERE a.run <> b.run ORDER BY a.run, b.run",
                            value, sides[0].condition, value, sides[1].condition, numbers ? "" : columns,
                            numbers ? "a.sha256 = b.sha256" : on)
                      : NULL;
    fine = fine && (text || rp_fail(err, RP_SYSTEM, "out of memory")) && sql_script(&q->store.sql, text, err);
    sqlite3_free(text);
    sqlite3_free(on);
    sqlite3_free(columns);
    return fine;
}

static bool print_mean(struct query *q, struct rp_error *err)
{
    bool fine = true;
    sqlite3_stmt *row = view_query(&q->view, "SELECT geomean(ratio), count(*) FROM pair", err, "");
    if (!row || !sql_row(q->view.sql, row, &fine, err)) {
        sqlite3_finalize(row);
        return false;
    }
    if (q->view.form == VIEW_JSON)
        json_part(&q->view.json, "geometric_mean", view_value(row, 0));
    else if (q->view.form == VIEW_TEXT)
        printf("\ngeometric mean of the ratios of %d pair%s: %.4f\n", sqlite3_column_int(row, 1),
               sqlite3_column_int(row, 1) == 1 ? "" : "s", sqlite3_column_double(row, 0));
    sqlite3_finalize(row);
    return fine;
}

/* ---- source lines ------------------------------------------------------------------------------------------------ */

/* Cycles of the machine: those of sub-cores, or of cores, divided by how many there are. */
#define LINES                                                                                                          \
    "WITH size AS (SELECT r.id AS run, coalesce((SELECT value FROM machine_option JOIN option o ON o.id = option"      \
    "   WHERE machine = r.machine AND o.key = 'cores'), (SELECT value FROM machine_option JOIN option o"               \
    "   ON o.id = option WHERE machine = r.machine AND o.key = 'sms') * (SELECT value FROM machine_option"             \
    "   JOIN option o ON o.id = option WHERE machine = r.machine AND o.key = 'subcores')) AS subcores FROM run r),"    \
    " part AS (SELECT p.\"run_a\" AS run, -1 AS sign FROM pair p UNION ALL SELECT p.\"run_b\", 1 FROM pair p),"        \
    " change AS (SELECT i.name, i.file, i.line, s.reason,"                                                             \
    "   sum(CASE sign WHEN -1 THEN 1.0 * s.cycles / z.subcores END) AS a,"                                             \
    "   sum(CASE sign WHEN 1 THEN 1.0 * s.cycles / z.subcores END) AS b,"                                              \
    "   sum(1.0 * sign * s.cycles / z.subcores) AS change"                                                             \
    "   FROM part JOIN stall s ON s.run = part.run JOIN size z ON z.run = part.run"                                    \
    "   JOIN instruction i ON i.id = s.instruction GROUP BY i.name, i.file, i.line, s.reason)"                         \
    " SELECT c.name AS kernel, c.file, c.line, sum(c.a) AS a, sum(c.b) AS b, sum(c.change) AS change,"                 \
    "   (SELECT m.reason FROM change m WHERE m.name = c.name AND m.file IS c.file AND m.line IS c.line"                \
    "   ORDER BY abs(m.change) DESC LIMIT 1) AS mostly"                                                                \
    " FROM change c GROUP BY c.name, c.file, c.line ORDER BY abs(sum(c.change)) DESC LIMIT %lld"

char *query_lines(long long most) { return sqlite3_mprintf(LINES, most); }

static bool have_stalls(struct query *q, bool *have, struct rp_error *err)
{
    int64_t without;
    bool fine = sql_number(&q->store.sql,
                           "SELECT count(*) FROM pair p WHERE NOT EXISTS (SELECT 1 FROM stall WHERE run = p.\"run_a\") "
                           "OR NOT EXISTS (SELECT 1 FROM stall WHERE run = p.\"run_b\")",
                           1, &without, err, "");
    *have = fine && !without;
    return fine;
}

static bool print_lines(struct query *q, struct rp_error *err)
{
    bool have;
    if (!have_stalls(q, &have, err))
        return false;
    if (!have && q->view.form == VIEW_TEXT)
        puts("\nWhat changed by source line is known where 'reprise sweep --stalls' kept it.");
    if (!have)
        return true;
    if (q->view.form == VIEW_TEXT)
        puts("\nCycles by source line, summed over the pairs; the largest changes first:\n");
    return view_print_query(&q->view, "lines",
                            query_lines(q->args->top > 0 ? q->args->top
                                        : q->args->top   ? SHOWN
                                                         : -1),
                            err);
}

static bool print_all(struct query *q, struct rp_error *err)
{
    bool json = q->view.form == VIEW_JSON;
    if (json)
        json_open(&q->view.json, NULL, '{');
    bool fine = view_print_query(&q->view, "pairs", sqlite3_mprintf("SELECT * FROM pair"), err) && print_mean(q, err) &&
                (q->view.form == VIEW_CSV || print_lines(q, err));
    if (json)
        json_close(&q->view.json, '}');
    return fine;
}

/* ---- no pairs ---------------------------------------------------------------------------------------------------- */

#define NO_PAIRS "compare: no run of one side has a counterpart"

/* Whether no run of one side has the value of one of the other. */
static bool values_differ(struct query *q, const struct side sides[2], const char *column, bool *yes,
                          struct rp_error *err)
{
    bool fine = true;
    char *text = sqlite3_mprintf("SELECT NOT EXISTS (SELECT \"%w\" FROM asked WHERE %s AND status = 'done' INTERSECT "
                                 "SELECT \"%w\" FROM asked WHERE %s AND status = 'done')",
                                 column, sides[0].condition, column, sides[1].condition);
    sqlite3_stmt *row = text ? view_query(&q->view, text, err, "") : NULL;
    *yes = row && sql_row(&q->store.sql, row, &fine, err) && sqlite3_column_int(row, 0);
    sqlite3_finalize(row);
    sqlite3_free(text);
    return row ? fine : text || rp_fail(err, RP_SYSTEM, "out of memory");
}

/* The keys in which the sides differ besides those that they name, with commas. To be freed with sqlite3_free. */
static char *differing_keys(struct query *q, const struct side sides[2], struct rp_error *err)
{
    bool fine = true, asked = true, differ = false, machine = false;
    char *keys = sqlite3_mprintf("");
    sqlite3_stmt *rows = sql_bind(&q->store.sql, alike, err, "");
    while (rows && keys && asked && next_alike(q, rows, sides, &fine, err)) {
        const char *name = (const char *)sqlite3_column_text(rows, 0);
        bool is_machine = !strcmp(name, "machine"); /* two rows: its name and its base; it is listed once */
        asked = values_differ(q, sides, (const char *)sqlite3_column_text(rows, 1), &differ, err);
        if (asked && differ && !(is_machine && machine))
            keys = sqlite3_mprintf("%z%s%s", keys, *keys ? ", " : "", name);
        machine = machine || (is_machine && differ);
    }
    if (rows)
        sqlite3_reset(rows);
    if (rows && fine && asked && (keys || rp_fail(err, RP_SYSTEM, "out of memory")))
        return keys;
    sqlite3_free(keys);
    return NULL;
}

/* Fails if a side has no run. */
static bool check_side(struct query *q, const struct side *side, const char *text, struct rp_error *err)
{
    bool fine = true, has;
    char *query = sqlite3_mprintf("SELECT EXISTS (SELECT 1 FROM asked WHERE %s AND status = 'done')", side->condition);
    sqlite3_stmt *row = query ? view_query(&q->view, query, err, "") : NULL;
    has = row && sql_row(&q->store.sql, row, &fine, err) && sqlite3_column_int(row, 0);
    sqlite3_finalize(row);
    sqlite3_free(query);
    if (!query)
        return rp_fail(err, RP_SYSTEM, "out of memory");
    if (!row || !fine || has)
        return row && fine;
    return rp_fail(err, RP_USAGE,
                   side->number ? NO_PAIRS ": run %s is not done" : NO_PAIRS ": none that is done has %s", text);
}

/* Always false. */
static bool fail_without_pairs(struct query *q, const struct side sides[2], const char *one, const char *other,
                               struct rp_error *err)
{
    if (!check_side(q, &sides[0], one, err) || !check_side(q, &sides[1], other, err))
        return false;
    if (sides[0].number)
        return rp_fail(err, RP_USAGE, NO_PAIRS ": runs %s and %s are of different traces", one, other);
    char *keys = differing_keys(q, sides, err);
    if (keys && !strncmp(keys, "trace", 5))
        rp_fail(err, RP_USAGE, NO_PAIRS ": the sides differ in %s, and only runs of one trace are compared", keys);
    else if (keys && *keys)
        rp_fail(err, RP_USAGE, NO_PAIRS ": the sides differ in %s, too; name on both sides what is to differ", keys);
    else if (keys)
        rp_fail(err, RP_USAGE, NO_PAIRS ": no two runs are alike in all that neither side names");
    sqlite3_free(keys);
    return false;
}

bool query_compare(struct query *q, const char *one, const char *other, struct rp_error *err)
{
    struct side sides[2] = {{.number = false}, {.number = false}};
    const char *sign;
    char *value = query_names(q, err) ? query_number(q, q->args->stat ? q->args->stat : "cycles", &sign, err) : NULL;
    bool fine = value && read_side(q, one, &usage, &sides[0], err) && read_side(q, other, &usage, &sides[1], err);
    if (fine && sides[0].number != sides[1].number)
        fine = rp_fail(err, RP_USAGE, "%s: %s", usage.option, usage.example);
    for (int i = 0; fine && i < 2 && sides[i].number; i++)
        fine = query_has_run(q, sides[i].run, err);
    if (fine && !strcmp(sides[0].condition, sides[1].condition))
        fine = rp_fail(err, RP_USAGE, "compare: both sides are the same, %s", one);
    int64_t pairs = 0;
    fine = fine && make_pairs(q, sides, value, err) &&
           sql_number(&q->store.sql, "SELECT count(*) FROM pair", 0, &pairs, err, "") &&
           (pairs || fail_without_pairs(q, sides, one, other, err)) && print_all(q, err);
    side_free(&sides[0]);
    side_free(&sides[1]);
    sqlite3_free(value);
    return fine;
}
