/* Runs and their statistics. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "tools/store/statistics.h"
#include "tools/store/store.h"

struct rows {
    struct store *store;
    int64_t run, launch;
    struct rp_error *err;
    bool fine;
};

/* A statistic that is 0 has no row. */
static void put_value(void *data, const char *name, uint64_t value)
{
    struct rows *r = data;
    if (r->fine && value)
        r->fine = sql_run(&r->store->sql, "INSERT INTO value VALUES (?, ?, ?)", r->err, "iii", r->run,
                          statistics_number(&r->store->statistics, name), (int64_t)value);
}

static void put_launch_value(void *data, const char *name, uint64_t value)
{
    struct rows *r = data;
    if (r->fine && value)
        r->fine = sql_run(&r->store->sql, "INSERT INTO launch_value VALUES (?, ?, ?, ?)", r->err, "iiii", r->run,
                          r->launch, statistics_number(&r->store->statistics, name), (int64_t)value);
}

static bool put_launches(struct rows *rows, const struct store_run *run, struct rp_error *err)
{
    struct replay_launch l;
    struct launch_reader reader = launch_log_read(&run->result->launches);
    while (rows->fine && launch_log_next(&reader, &l)) {
        rows->launch = l.launch;
        rows->fine =
            sql_run(&rows->store->sql, "INSERT INTO run_launch VALUES (?, ?, ?, ?, ?, ?)", err, "iiiiit", rows->run,
                    rows->launch, (int64_t)l.begin, (int64_t)l.end, (int64_t)l.overlaps, *l.warning ? l.warning : NULL);
        if (rows->fine && run->detail & STORE_LAUNCHES)
            (l.overlaps ? statistics_each_own : statistics_each)(run->of, &l.statistics, put_launch_value, rows);
    }
    return rows->fine;
}

/* ---- stalls ------------------------------------------------------------------------------------------------------ */

static bool instruction_number(struct store *s, const struct store_run *run, uint32_t kernel, uint32_t number,
                               int64_t *id, struct rp_error *err)
{
    static const char find[] = "SELECT id FROM instruction WHERE trace = ? AND kernel = ? AND number = ?";
    if (!sql_number(&s->sql, find, -1, id, err, "iii", run->trace, (int64_t)kernel, (int64_t)number) || *id >= 0)
        return *id >= 0;
    const struct rp_kernel *k = rp_trace_kernel(run->trace_of, kernel);
    /* the last row is what belongs to no instruction */
    const struct rp_instruction *in = number < k->instruction_count ? &k->instructions[number] : NULL;
    bool fine = sql_run(&s->sql,
                        "INSERT INTO instruction (trace, kernel, number, name, pc, text, file, line)"
                        " VALUES (?, ?, ?, ?, nullif(?, -1), ?, ?, nullif(?, 0))",
                        err, "iiititti", run->trace, (int64_t)kernel, (int64_t)number, k->name,
                        in ? (int64_t)in->pc : (int64_t)-1, in ? in->text : NULL,
                        in && in->line ? k->files[in->file] : NULL, in ? (int64_t)in->line : (int64_t)0);
    *id = sqlite3_last_insert_rowid(s->sql.db);
    return fine;
}

static bool put_stall(struct store *s, int64_t run, int64_t instruction, const char *reason, uint64_t cycles,
                      struct rp_error *err)
{
    return !cycles || sql_run(&s->sql, "INSERT INTO stall VALUES (?, ?, ?, ?)", err, "iiti", run, instruction, reason,
                              (int64_t)cycles);
}

static bool put_row(struct store *s, int64_t id, const struct store_run *run, uint32_t kernel, uint32_t number,
                    const struct profile_row *row, struct rp_error *err)
{
    int64_t instruction;
    if (!profile_row_cycles(row))
        return true;
    if (!instruction_number(s, run, kernel, number, &instruction, err) ||
        !put_stall(s, id, instruction, "issue", row->issue_cycles, err))
        return false;
    bool fine = true;
    for (unsigned stall = 0; fine && stall < STALL_COUNT; stall++)
        fine = put_stall(s, id, instruction, statistics_stall_name(stall), row->stall[stall], err);
    return fine;
}

static bool put_stalls(struct store *s, int64_t id, const struct store_run *run, struct rp_error *err)
{
    bool fine = true;
    for (uint32_t k = 0; fine && k < run->profile->kernel_count; k++)
        for (uint32_t i = 0; fine && i <= run->profile->kernels[k].count; i++)
            fine = put_row(s, id, run, k, i, &run->profile->kernels[k].rows[i], err);
    return fine;
}

/* ---- a run ------------------------------------------------------------------------------------------------------- */

static void utc(char text[32])
{
    struct tm tm;
    time_t now = time(NULL);
    strftime(text, 32, "%Y-%m-%dT%H:%M:%SZ", gmtime_r(&now, &tm));
}

static bool put_row_of_run(struct store *s, const struct store_run *r, int64_t *id, struct rp_error *err)
{
    char now[32];
    const struct result *result = r->result;
    utc(now);
    bool fine = sql_run(
        &s->sql,
        "INSERT INTO run (key, trace, machine, tool, engine, launch, seed, status, reason, ipc, occupancy,"
        " warnings, detail, seconds, finished) VALUES (?, ?, ?, ?, ?, nullif(?, -1), ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        err, "tiiitiittrriirt", r->key, r->trace, r->machine, s->tool,
        r->options->engine == REPLAY_FAST ? "fast" : "reference", r->options->launch, (int64_t)r->options->seed,
        result ? "done" : "failed", r->reason, result ? statistics_ipc(&result->total) : NAN,
        result ? statistics_occupancy(r->of, &result->total) : NAN,
        result ? (int64_t)result->launches.warnings : (int64_t)0, (int64_t)r->detail, r->seconds, now);
    *id = sqlite3_last_insert_rowid(s->sql.db);
    return fine;
}

bool store_put_run(struct store *s, const struct store_run *r, struct rp_error *err)
{
    int64_t there, id;
    if (!store_find_run(s, r->key, &there, err))
        return false;
    if (store_suffices(there, r->detail))
        return true;
    if (!sql_run(&s->sql, "DELETE FROM run WHERE key = ?", err, "t", r->key) || !put_row_of_run(s, r, &id, err))
        return false;
    if (!r->result)
        return true;
    struct rows rows = {s, id, 0, err, true};
    statistics_each(r->of, &r->result->total, put_value, &rows);
    return rows.fine && put_launches(&rows, r, err) && (!r->profile || put_stalls(s, id, r, err));
}
