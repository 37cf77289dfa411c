#include "tools/store/statistics.h"

#include <stdlib.h>
#include <string.h>

int64_t statistics_number(struct store_statistics *s, const char *name)
{
    for (size_t tried = 0; tried < s->count; tried++) {
        size_t i = (s->at + tried) % s->count;
        if (strcmp(s->names[i], name))
            continue;
        s->at = i + 1;
        return s->ids[i];
    }
    return -1;
}

static bool add(struct store_statistics *s, int64_t id, const char *name, struct rp_error *err)
{
    char **names = realloc(s->names, (s->count + 1) * sizeof *names);
    if (!names)
        return rp_fail(err, RP_SYSTEM, "out of memory");
    s->names = names;
    int64_t *ids = realloc(s->ids, (s->count + 1) * sizeof *ids);
    if (!ids)
        return rp_fail(err, RP_SYSTEM, "out of memory");
    s->ids = ids;
    if (!(names[s->count] = strdup(name)))
        return rp_fail(err, RP_SYSTEM, "out of memory");
    s->ids[s->count++] = id;
    return true;
}

bool statistics_load(struct store *s, struct rp_error *err)
{
    bool fine = true;
    statistics_free(&s->statistics);
    sqlite3_stmt *rows = sql_bind(&s->sql, "SELECT id, name FROM statistic ORDER BY id", err, "");
    while (rows && fine && sql_row(&s->sql, rows, &fine, err))
        fine = add(&s->statistics, sqlite3_column_int64(rows, 0), (const char *)sqlite3_column_text(rows, 1), err);
    if (rows)
        sqlite3_reset(rows);
    return rows && fine;
}

struct names {
    struct store *store;
    struct rp_error *err;
    bool fine;
};

static void put_name(void *data, const char *name, uint64_t value)
{
    struct names *n = data;
    struct sql *s = &n->store->sql;
    (void)value;
    if (!n->fine || statistics_number(&n->store->statistics, name) >= 0)
        return;
    int64_t id;
    n->fine = sql_run(s, "INSERT OR IGNORE INTO statistic (name) VALUES (?)", n->err, "t", name) &&
              sql_number(s, "SELECT id FROM statistic WHERE name = ?", 0, &id, n->err, "t", name) &&
              add(&n->store->statistics, id, name, n->err);
}

bool statistics_put_names(struct store *s, const struct machine *m, struct rp_error *err)
{
    struct names names = {s, err, true};
    statistics_each(m, &(struct statistics){0}, put_name, &names);
    return names.fine;
}

void statistics_free(struct store_statistics *s)
{
    for (size_t i = 0; i < s->count; i++)
        free(s->names[i]);
    free(s->names);
    free(s->ids);
    *s = (struct store_statistics){.count = 0};
}
