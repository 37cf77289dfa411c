/* One run: where it comes from, its statistics, its launches; and queries as the user writes them. */
#include <string.h>

#include "tools/queries/queries.h"
#include "tools/replaying/replaying.h"

#define ORIGIN                                                                                                         \
    "SELECT r.id AS run, r.key, t.file AS trace, t.sha256, m.name AS machine, m.hash, o.version AS reprise, o.timing," \
    " r.engine, r.launch, r.seed, r.method, r.replayed, r.batches, "                                                   \
    "(SELECT reached FROM runs WHERE runs.run = r.id) AS reached, r.status, r.reason, r.warnings, r.ipc, "             \
    "r.occupancy, r.seconds, r.finished FROM run r"                                                                    \
    " JOIN trace t ON t.id = r.trace JOIN machine m ON m.id = r.machine JOIN tool o ON o.id = r.tool WHERE r.id = ?"
#define LAUNCHES                                                                                                       \
    "SELECT l.launch, s.kernel, s.grid, s.block, l.begin, l.end, l.end - l.begin AS cycles, l.overlaps, l.warning,"    \
    " l.source, l.half_width"                                                                                          \
    " FROM run_launch l JOIN run r ON r.id = l.run LEFT JOIN launch s ON s.trace = r.trace AND s.launch = l.launch"    \
    " WHERE l.run = ? ORDER BY l.launch"
#define STATISTICS_OF                                                                                                  \
    "SELECT s.name AS statistic, v.value FROM value v JOIN statistic s ON s.id = v.statistic WHERE v.run = ?"          \
    " ORDER BY s.id"
#define ESTIMATES_OF                                                                                                   \
    "SELECT s.name AS statistic, e.half_width, e.mean, e.deviation FROM estimate e"                                    \
    " JOIN statistic s ON s.id = e.statistic WHERE e.run = ? ORDER BY s.id"
#define OPTIONS_OF                                                                                                     \
    "SELECT o.key AS option, v.value FROM run r JOIN machine_option v ON v.machine = r.machine"                        \
    " JOIN option o ON o.id = v.option WHERE r.id = ? ORDER BY o.id"

/* One row, printed as lines of name and value; in JSON as members of the document. */
static bool print_row(struct query *q, sqlite3_stmt *rows, struct rp_error *err)
{
    bool fine = true;
    if (!sql_row(q->view.sql, rows, &fine, err))
        return fine && rp_fail(err, RP_USAGE, "%s: there is no such run; 'reprise results %s' lists them",
                               q->store.sql.path, q->store.sql.path);
    for (int c = 0; c < sqlite3_column_count(rows); c++) {
        const char *name = sqlite3_column_name(rows, c), *text = (const char *)sqlite3_column_text(rows, c);
        if (q->view.form == VIEW_JSON)
            json_part(&q->view.json, name, view_value(rows, c));
        else if (text)
            printf("%-10s %s\n", name, text);
    }
    return fine;
}

/* Names and values as members of an object. */
static bool print_members(struct query *q, const char *key, sqlite3_stmt *rows, struct rp_error *err)
{
    bool fine = true;
    json_open(&q->view.json, key, '{');
    while (sql_row(q->view.sql, rows, &fine, err))
        json_part(&q->view.json, (const char *)sqlite3_column_text(rows, 0), view_value(rows, 1));
    json_close(&q->view.json, '}');
    return fine;
}

static bool print_part(struct query *q, const char *key, const char *text, int64_t run, struct rp_error *err)
{
    sqlite3_stmt *rows = view_query(&q->view, text, err, "i", run);
    if (!rows)
        return false;
    bool json = q->view.form == VIEW_JSON, fine;
    if (key && q->view.form == VIEW_TEXT)
        putchar('\n');
    if (!key)
        fine = print_row(q, rows, err);
    else if (json && strcmp(key, "launches"))
        fine = print_members(q, key, rows, err);
    else
        fine = view_print(&q->view, key, rows, err);
    sqlite3_finalize(rows);
    return fine;
}

bool query_show(struct query *q, const char *text, struct rp_error *err)
{
    long long run;
    bool json = q->view.form == VIEW_JSON;
    if (!parse_number("show", text, 1, INT64_MAX, &run, err))
        return false;
    if (q->view.form == VIEW_CSV)
        return print_part(q, "statistics", STATISTICS_OF, run, err);
    if (json)
        json_open(&q->view.json, NULL, '{');
    int64_t estimates = 0;
    bool fine = sql_number(&q->store.sql, "SELECT count(*) FROM estimate WHERE run = ?", 0, &estimates, err, "i",
                           (int64_t)run) &&
                print_part(q, NULL, ORIGIN, run, err) && print_part(q, "launches", LAUNCHES, run, err) &&
                print_part(q, "statistics", STATISTICS_OF, run, err) &&
                (!estimates || print_part(q, "half_widths", ESTIMATES_OF, run, err)) &&
                (!json || print_part(q, "options", OPTIONS_OF, run, err));
    if (json)
        json_close(&q->view.json, '}');
    return fine;
}

bool query_sql(struct query *q, const char *text, struct rp_error *err)
{
    const char *rest;
    sqlite3_stmt *rows = NULL;
    if (sqlite3_prepare_v2(q->store.sql.db, text, -1, &rows, &rest) != SQLITE_OK)
        return rp_fail(err, RP_USAGE, "sql: %s", sqlite3_errmsg(q->store.sql.db));
    bool fine = true;
    if (rows && !sqlite3_stmt_readonly(rows))
        fine = rp_fail(err, RP_USAGE, "sql: only queries; nothing here changes the database");
    else if (!rows || rest[strspn(rest, " \t\r\n;")] || !sqlite3_column_count(rows))
        fine = rp_fail(err, RP_USAGE,
                       "sql: give one query, for example 'SELECT trace, min(cycles) FROM runs GROUP BY trace'");
    bool fails = fine && !view_print(&q->view, NULL, rows, err);
    if (fails && (sqlite3_errcode(q->store.sql.db) & 0xff) == SQLITE_ERROR) /* of a function, for example */
        rp_fail(err, RP_USAGE, "sql: %s", sqlite3_errmsg(q->store.sql.db));
    sqlite3_finalize(rows);
    return fine && !fails;
}
