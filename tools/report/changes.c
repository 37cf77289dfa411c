/* What changes between the baseline and the best run of each trace, by source line. */
#include "tools/lib/names.h"
#include "tools/report/sweep.h"
#include "tracefmt/source_text.h"

#define USUAL_LINES 20

struct lines {
    json_t *list;
    struct source_files *files;
};

static bool put_line(void *data, sqlite3_stmt *row, struct rp_error *err)
{
    struct lines *l = data;
    const char *file = (const char *)sqlite3_column_text(row, 1);
    int64_t line = sqlite3_column_int64(row, 2);
    char kernel[PLAIN_NAME];
    (void)err;
    plain_kernel_name((const char *)sqlite3_column_text(row, 0), kernel);
    json_add(l->list, json_pack("{s:o, s:o, s:I, s:o, s:o, s:o, s:o, s:o}", "kernel", json_text(kernel), "file",
                                json_text(file), "line", (json_int_t)line, "text",
                                json_text(file && line ? source_text_of(l->files, file, (uint32_t)line) : NULL),
                                "baseline", view_value(row, 3), "best", view_value(row, 4), "change",
                                view_value(row, 5), "mostly", view_value(row, 6)));
    return true;
}

/* Null: not both runs have the stalls of their instructions. */
static bool put_lines(struct sweep_report *s, json_t *role, int64_t baseline, int64_t best, const char *trace,
                      struct rp_error *err)
{
    int64_t with, top = s->request->top;
    char *text = sqlite3_mprintf("DELETE FROM temp.pair; INSERT INTO temp.pair VALUES (%lld, %lld)",
                                 (long long)baseline, (long long)best);
    bool fine =
        (text || rp_fail(err, RP_SYSTEM, "out of memory")) && sql_script(&s->query.store.sql, text, err) &&
        sweep_number(s,
                     sqlite3_mprintf("SELECT EXISTS (SELECT 1 FROM stall WHERE run = %lld) AND EXISTS (SELECT 1 FROM "
                                     "stall WHERE run = %lld)",
                                     (long long)baseline, (long long)best),
                     &with, err);
    sqlite3_free(text);
    if (!fine || !with || baseline == best)
        return fine;
    struct lines l = {json_array(), source_files_new(trace)};
    json_put(role, "lines", l.list);
    fine = (l.files || rp_fail(err, RP_SYSTEM, "out of memory")) && sweep_each(s,
                                                                               query_lines(top < 0 ? USUAL_LINES
                                                                                           : top   ? top
                                                                                                   : -1),
                                                                               put_line, &l, err);
    source_files_free(l.files);
    return fine;
}

static bool put_role(void *data, sqlite3_stmt *row, struct rp_error *err)
{
    struct sweep_report *s = data;
    json_t *role = json_pack("{s:I, s:I, s:s, s:s}", "baseline", sqlite3_column_int64(row, 0) - 1, "best",
                             sqlite3_column_int64(row, 1) - 1, "baseline_machine", sqlite3_column_text(row, 4),
                             "best_machine", sqlite3_column_text(row, 5));
    json_add(json_object_get(s->data, "roles"), role);
    return put_lines(s, role, sqlite3_column_int64(row, 2), sqlite3_column_int64(row, 3),
                     (const char *)sqlite3_column_text(row, 6), err);
}

bool sweep_changes(struct sweep_report *s, struct rp_error *err)
{
    json_put(s->data, "roles", json_array());
    return sql_script(&s->query.store.sql, "CREATE TEMP TABLE pair (\"run_a\", \"run_b\")", err) &&
           sweep_each(
               s,
               sqlite3_mprintf("SELECT a.rowid, b.rowid, a.run, b.run, a.machine, b.machine, (SELECT file FROM trace "
                               "WHERE id = role.trace) FROM role JOIN chosen a ON a.run = baseline JOIN chosen b ON "
                               "b.run = best ORDER BY role.trace"),
               put_role, s, err);
}
