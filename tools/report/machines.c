/* The machines of a sweep: what bounds each, and the options of those that are compared. */
#include <stdlib.h>
#include <string.h>

#include "tools/report/sweep.h"

/* ---- roofs ------------------------------------------------------------------------------------------------------- */

struct search {
    struct sweep_report *report;
    int64_t machine;
    struct rp_error *err;
    bool fine;
    char text[64];
};

static const char *option_of(void *data, const char *key)
{
    struct search *s = data;
    static const char find[] =
        "SELECT value FROM machine_option WHERE machine = ? AND option = (SELECT id FROM option WHERE "
        "key = ?)";
    struct sql *sql = &s->report->query.store.sql;
    bool fine = true;
    sqlite3_stmt *row = s->fine ? sql_bind(sql, find, s->err, "it", s->machine, key) : NULL;
    bool there = row && sql_row(sql, row, &fine, s->err) && sqlite3_column_type(row, 0) != SQLITE_NULL;
    if (there)
        snprintf(s->text, sizeof s->text, "%s", (const char *)sqlite3_column_text(row, 0));
    s->fine = row && fine;
    if (row)
        sqlite3_reset(row);
    return there ? s->text : NULL;
}

struct roof_list {
    struct sweep_report *report;
    struct roofs *all;
    size_t count;
    json_t *of; /* for each run, in their order */
    int64_t last;
    size_t last_number;
};

/* The number of equal roofs; new ones are added. SIZE_MAX: out of memory. */
static size_t number_of(struct roof_list *list, const struct roofs *r)
{
    for (size_t i = 0; i < list->count; i++)
        if (!memcmp(&list->all[i], r, sizeof *r))
            return i;
    struct roofs *more = realloc(list->all, (list->count + 1) * sizeof *more);
    if (!more)
        return SIZE_MAX;
    list->all = more;
    list->all[list->count] = *r;
    return list->count++;
}

static bool add_roof(void *data, sqlite3_stmt *row, struct rp_error *err)
{
    struct roof_list *list = data;
    struct search s = {.report = list->report, .machine = sqlite3_column_int64(row, 0), .err = err, .fine = true};
    if (s.machine != list->last) {
        struct roofs r = roofs_of(option_of, &s);
        list->last = s.machine;
        list->last_number = number_of(list, &r);
    }
    if (s.fine && list->last_number == SIZE_MAX)
        return rp_fail(err, RP_SYSTEM, "out of memory");
    json_add(list->of, json_integer((json_int_t)list->last_number));
    return s.fine;
}

static bool put_roofs(struct sweep_report *s, struct rp_error *err)
{
    struct roof_list list = {.report = s, .of = json_array(), .last = -1};
    bool fine = sweep_each(s, sqlite3_mprintf("SELECT machine FROM chosen ORDER BY rowid"), add_roof, &list, err);
    json_t *all = json_array();
    for (size_t i = 0; i < list.count; i++)
        json_add(all, roofs_json(&list.all[i]));
    free(list.all);
    json_put(s->data, "roofs", all);
    json_put(s->data, "roof_of", list.of);
    return fine;
}

/* ---- options ----------------------------------------------------------------------------------------------------- */

static bool put_option(void *options, sqlite3_stmt *row, struct rp_error *err)
{
    (void)err;
    json_put(options, (const char *)sqlite3_column_text(row, 0), view_value(row, 1));
    return true;
}

static bool put_machine(void *data, sqlite3_stmt *row, struct rp_error *err)
{
    struct sweep_report *s = data;
    json_t *options = json_object();
    json_put(json_object_get(s->data, "machines"), (const char *)sqlite3_column_text(row, 0),
             json_pack("{s:o, s:s, s:o}", "name", json_text((const char *)sqlite3_column_text(row, 1)), "hash",
                       (const char *)sqlite3_column_text(row, 2), "options", options));
    return sweep_each(
        s,
        sqlite3_mprintf("SELECT key, value FROM machine_option JOIN option o ON o.id = option WHERE machine = "
                        "%lld ORDER BY o.id",
                        sqlite3_column_int64(row, 0)),
        put_option, options, err);
}

bool sweep_machines(struct sweep_report *s, struct rp_error *err)
{
    json_put(s->data, "machines", json_object());
    return put_roofs(s, err) &&
           sweep_each(
               s,
               sqlite3_mprintf("SELECT DISTINCT m.id, m.name, m.hash FROM role JOIN run r ON r.id IN (baseline, best) "
                               "JOIN machine m ON m.id = r.machine ORDER BY m.id"),
               put_machine, s, err);
}
