/* The report of a sweep: its database as the data of a page. */
#include "tools/report/sweep.h"

#include "tools/lib/command.h"
#include "tools/lib/output.h"

#define MOST_FAILURES 50 /* runs that failed, and combinations that could not be: what a page lists of them */

/* ---- queries ----------------------------------------------------------------------------------------------------- */

bool sweep_each(struct sweep_report *s, char *text, sweep_row_fn *row, void *data, struct rp_error *err)
{
    bool fine = text || rp_fail(err, RP_SYSTEM, "out of memory"), more = true;
    sqlite3_stmt *rows = fine ? view_query(&s->query.view, text, err, "") : NULL;
    while (rows && more && sql_row(&s->query.store.sql, rows, &fine, err))
        more = row(data, rows, err);
    sqlite3_finalize(rows);
    sqlite3_free(text);
    return rows && fine && more;
}

static bool add_cells(void *list, sqlite3_stmt *row, struct rp_error *err)
{
    int count = sqlite3_column_count(row);
    json_t *object = count > 1 ? json_object() : NULL;
    (void)err;
    for (int i = 0; object && i < count; i++)
        json_put(object, sqlite3_column_name(row, i), view_value(row, i));
    json_add(list, count > 1 ? object : view_value(row, 0));
    return true;
}

json_t *sweep_list(struct sweep_report *s, char *text, struct rp_error *err)
{
    json_t *list = json_array();
    if (sweep_each(s, text, add_cells, list, err))
        return list;
    json_decref(list);
    return NULL;
}

static bool take_number(void *value, sqlite3_stmt *row, struct rp_error *err)
{
    (void)err;
    *(int64_t *)value = sqlite3_column_int64(row, 0);
    return true;
}

bool sweep_number(struct sweep_report *s, char *text, int64_t *value, struct rp_error *err)
{
    *value = 0;
    return sweep_each(s, text, take_number, value, err);
}

/* ---- where everything comes from --------------------------------------------------------------------------------- */

static bool put_list(struct sweep_report *s, const char *key, char *text, struct rp_error *err)
{
    json_t *list = sweep_list(s, text, err);
    if (list)
        json_put(s->data, key, list);
    return list;
}

static bool put_origins(struct sweep_report *s, struct rp_error *err)
{
    return put_list(
               s, "traces",
               sqlite3_mprintf("SELECT t.id, t.file, t.sha256, t.bytes, t.warp_instructions, t.damage FROM role JOIN "
                               "trace t ON t.id = role.trace ORDER BY t.id"),
               err) &&
           put_list(
               s, "tools",
               sqlite3_mprintf("SELECT t.id, t.version, t.timing, count(*) AS runs, min(r.finished) AS first, "
                               "max(r.finished) AS last, sum(r.seconds) AS seconds FROM chosen c JOIN run r ON r.id = "
                               "c.run JOIN tool t ON t.id = r.tool GROUP BY t.id ORDER BY t.id"),
               err) &&
           put_list(
               s, "machine_names",
               sqlite3_mprintf("SELECT m.name, count(*) AS machines FROM machine m WHERE id IN (SELECT machine FROM "
                               "chosen) GROUP BY m.name ORDER BY m.name"),
               err) &&
           put_list(s, "failed",
                    sqlite3_mprintf(
                        "SELECT run, trace, machine, reason FROM runs WHERE status = 'failed' AND %s ORDER BY run "
                        "LIMIT %d",
                        s->query.which, MOST_FAILURES),
                    err) &&
           put_list(s, "refused",
                    sqlite3_mprintf(
                        "SELECT machine, settings, reason, count(*) OVER () AS all_of_them FROM refusal WHERE %s "
                        "ORDER BY 1, 2 LIMIT %d",
                        s->query.which, MOST_FAILURES),
                    err);
}

static bool put_pareto(struct sweep_report *s)
{
    const char *const *p = s->request->pareto;
    if (p[0])
        json_put(s->data, "pareto",
                 json_pack("[{s:s, s:b}, {s:s, s:b}]", "name", p[0] + (*p[0] == '+'), "more", *p[0] == '+', "name",
                           p[1] + (*p[1] == '+'), "more", *p[1] == '+'));
    return true;
}

int report_sweep(const struct report_request *r)
{
    struct rp_error err;
    struct query_args args = {.top = -1, .all = r->all, .quiet = r->quiet};
    struct sweep_report s = {.request = r, .data = report_begin("sweep", r->input, r->command)};
    if (!output_spares("-o", r->output, r->input, "the database", &err)) {
        json_decref(s.data);
        return command_fail(&err);
    }
    bool open = s.data && query_open(&s.query, r->input, r->wait, &args, &err);
    /* one state of the database, while others may write */
    bool fine = open && sql_script(&s.query.store.sql, "BEGIN", &err) && sweep_choose(&s, &err) &&
                sweep_columns(&s, &err) && put_pareto(&s) && sweep_machines(&s, &err) && sweep_changes(&s, &err) &&
                put_origins(&s, &err);
    if (!s.data)
        rp_fail(&err, RP_SYSTEM, "out of memory");
    if (open)
        query_close(&s.query);
    if (!fine) {
        json_decref(s.data);
        return command_fail(&err);
    }
    if (!report_write(r->output, s.data, &err))
        return command_fail(&err);
    if (!r->quiet)
        report_say(r->output, s.runs, "run", "runs");
    return RP_OK;
}
