/* What is replayed on what. */
#include <stdlib.h>
#include <string.h>

#include "tools/lib/names.h"
#include "tools/machine/option_line.h"
#include "tools/store/schema.h"
#include "tools/store/statistics.h"
#include "tools/store/store.h"

static uint64_t warp_instructions(const struct rp_trace *t)
{
    uint64_t all = 0;
    for (uint32_t l = 0; l < rp_trace_launch_count(t); l++)
        all += rp_trace_launch_totals(t, l).warp_instructions;
    return all;
}

static bool put_launch(struct store *s, const struct rp_trace *t, int64_t trace, uint32_t number, struct rp_error *err)
{
    char plain[PLAIN_NAME], grid[40], block[40];
    const struct rp_launch *l = rp_trace_launch(t, number);
    struct rp_launch_totals totals = rp_trace_launch_totals(t, number);
    return sql_run(&s->sql, "INSERT INTO launch VALUES (?, ?, ?, ?, ?, ?, ?)", err, "iitttii", trace, (int64_t)number,
                   plain_kernel_name(rp_trace_kernel(t, l->kernel)->name, plain), dimensions(l->grid, grid),
                   dimensions(l->block, block), (int64_t)totals.warp_instructions, (int64_t)totals.thread_instructions);
}

bool store_put_trace(struct store *s, struct rp_trace *t, int64_t *id, struct rp_error *err)
{
    static const char find[] = "SELECT id FROM trace WHERE sha256 = ?";
    const char *sha256 = rp_trace_sha256(t, err);
    if (!sha256 || !sql_number(&s->sql, find, -1, id, err, "t", sha256))
        return false;
    if (*id >= 0)
        return true;
    bool fine =
        sql_run(&s->sql, "INSERT INTO trace (sha256, file, bytes, warp_instructions, damage) VALUES (?, ?, ?, ?, ?)",
                err, "ttiit", sha256, rp_trace_path(t), (int64_t)rp_trace_file_bytes(t), (int64_t)warp_instructions(t),
                rp_trace_damage(t));
    *id = sqlite3_last_insert_rowid(s->sql.db);
    for (uint32_t l = 0; fine && l < rp_trace_launch_count(t); l++)
        fine = put_launch(s, t, *id, l, err);
    return fine;
}

/* ---- machines ---------------------------------------------------------------------------------------------------- */

static bool option_number(struct store *s, const char *key, int64_t *id, struct rp_error *err)
{
    static const char find[] = "SELECT id FROM option WHERE key = ?";
    if (!sql_number(&s->sql, find, -1, id, err, "t", key))
        return false;
    return *id >= 0 || (sql_run(&s->sql, "INSERT INTO option (key) VALUES (?)", err, "t", key) &&
                        sql_number(&s->sql, find, -1, id, err, "t", key));
}

/* Numbers as numbers, so that they sort as such. */
static bool put_option(struct store *s, int64_t machine, const struct option_line *line, struct rp_error *err)
{
    static const char put[] = "INSERT INTO machine_option VALUES (?, ?, ?)";
    int64_t option;
    char *end, *end_of_real;
    if (!option_number(s, line->key, &option, err))
        return false;
    long long number = strtoll(line->value, &end, 10);
    double real = strtod(line->value, &end_of_real);
    bool decimal = *line->value && !line->value[strspn(line->value, "-.0123456789")] && !*end_of_real;
    if (*line->value && !*end)
        return sql_run(&s->sql, put, err, "iii", machine, option, (int64_t)number);
    if (decimal)
        return sql_run(&s->sql, put, err, "iir", machine, option, real);
    return sql_run(&s->sql, put, err, "iit", machine, option, line->value);
}

static bool insert_machine(struct store *s, const struct machine *m, int64_t *id, struct rp_error *err)
{
    struct option_line line;
    bool fine = sql_run(&s->sql, "INSERT INTO machine (hash, name) VALUES (?, ?)", err, "tt", m->hash, m->name);
    *id = sqlite3_last_insert_rowid(s->sql.db);
    for (const char *text = m->text; fine && option_line_next(&text, &line);)
        fine = put_option(s, *id, &line, err);
    return fine;
}

static bool has_area(struct store *s, int64_t machine, bool *has, struct rp_error *err)
{
    int64_t count;
    bool fine = sql_number(&s->sql,
                           "SELECT count(*) FROM machine_option WHERE machine = ?"
                           " AND option = (SELECT id FROM option WHERE key = '" STORE_AREA "')",
                           0, &count, err, "i", machine);
    *has = count;
    return fine;
}

/* The area is in no hash: a machine that is there already gets the one that this sweep gives, or loses its own. A sweep
 * that gives none leaves it. */
static bool put_area(struct store *s, const struct machine *m, int64_t id, bool given, struct rp_error *err)
{
    bool has;
    if (!has_area(s, id, &has, err))
        return false;
    if (has && !given)
        return true;
    struct option_line line;
    const char *text = m->device_text;
    while (option_line_next(&text, &line))
        if (!strcmp(line.key, STORE_AREA))
            return sql_run(&s->sql,
                           "DELETE FROM machine_option WHERE machine = ?"
                           " AND option = (SELECT id FROM option WHERE key = ?)",
                           err, "it", id, line.key) &&
                   (!m->area || put_option(s, id, &line, err));
    return true;
}

bool store_put_machine(struct store *s, const struct machine *m, bool area_given, int64_t *id, struct rp_error *err)
{
    return sql_number(&s->sql, "SELECT id FROM machine WHERE hash = ?", -1, id, err, "t", m->hash) &&
           (*id >= 0 || insert_machine(s, m, id, err)) && put_area(s, m, *id, area_given, err) &&
           statistics_put_names(s, m, err);
}

bool store_put_axis(struct store *s, const char *option, struct rp_error *err)
{
    int64_t id;
    return option_number(s, option, &id, err) &&
           sql_run(&s->sql,
                   "UPDATE option SET varied = (SELECT max(varied) + 1 FROM option) WHERE id = ? AND NOT varied", err,
                   "i", id);
}

bool store_put_refusal(struct store *s, const char *machine, const char *settings, const char *reason,
                       struct rp_error *err)
{
    return sql_run(&s->sql, "INSERT OR REPLACE INTO refusal VALUES (?, ?, ?, ?)", err, "ittt", s->tool, machine,
                   settings, reason);
}

bool store_end_plan(struct store *s, struct rp_error *err) { return schema_make_view(&s->sql, err); }
