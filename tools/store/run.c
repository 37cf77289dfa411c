/* Runs and their statistics. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "tools/lib/names.h"
#include "tools/replaying/sampling.h"
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
        rows->fine = sql_run(&rows->store->sql, "INSERT INTO run_launch VALUES (?, ?, ?, ?, ?, ?, ?, ?)", err,
                             "iiiiitti", rows->run, rows->launch, (int64_t)l.begin, (int64_t)l.end, (int64_t)l.overlaps,
                             *l.warning ? l.warning : NULL, replay_source_name(l.source), (int64_t)l.half_width);
        if (rows->fine && run->detail & STORE_LAUNCHES)
            (l.overlaps ? statistics_each_own : statistics_each)(run->of, &l.statistics, put_launch_value, rows);
    }
    return rows->fine;
}

/* ---- estimates --------------------------------------------------------------------------------------------------- */

struct estimates {
    struct rows *rows;
    const struct repeat_row *repeated; /* NULL: of a sampled replay */
    uint64_t total[STATISTICS_WORDS];
    size_t count;
};

static void note_total(void *data, const char *name, uint64_t value)
{
    struct estimates *e = data;
    (void)name;
    e->total[e->count++] = value;
}

static bool put_one(struct rows *r, const char *name, double mean, double half_width, double deviation)
{
    return sql_run(&r->store->sql, "INSERT INTO estimate VALUES (?, ?, ?, ?, ?)", r->err, "iirrr", r->run,
                   statistics_number(&r->store->statistics, name), mean, half_width, deviation);
}

/* A statistic that is known has no row. */
static void put_estimate(void *data, const char *name, uint64_t half_width)
{
    struct estimates *e = data;
    size_t i = e->count++;
    if (!e->rows->fine)
        return;
    if (e->repeated && (e->repeated[i].greatest || !i))
        e->rows->fine =
            put_one(e->rows, name, e->repeated[i].mean, e->repeated[i].half_width, e->repeated[i].deviation);
    else if (!e->repeated && half_width)
        e->rows->fine = put_one(e->rows, name, (double)e->total[i], (double)half_width, NAN);
}

static bool put_estimates(struct rows *rows, const struct store_run *run)
{
    struct estimates e = {.rows = rows, .repeated = run->repeated ? run->repeated->rows : NULL};
    if (!run->repeated && !run->result->sample.sampled)
        return true;
    statistics_each(run->of, &run->result->total, note_total, &e);
    e.count = 0;
    statistics_each(run->of, &run->result->sample.half_width, put_estimate, &e);
    return rows->fine;
}

/* ---- stalls ------------------------------------------------------------------------------------------------------ */

static bool instruction_number(struct store *s, const struct store_run *run, uint32_t kernel, uint32_t number,
                               int64_t *id, struct rp_error *err)
{
    char plain[PLAIN_NAME];
    static const char find[] = "SELECT id FROM instruction WHERE trace = ? AND kernel = ? AND number = ?";
    if (!sql_number(&s->sql, find, -1, id, err, "iii", run->trace, (int64_t)kernel, (int64_t)number) || *id >= 0)
        return *id >= 0;
    const struct rp_kernel *k = rp_trace_kernel(run->trace_of, kernel);
    /* the last row is what belongs to no instruction */
    const struct rp_instruction *in = number < k->instruction_count ? &k->instructions[number] : NULL;
    bool fine = sql_run(&s->sql,
                        "INSERT INTO instruction (trace, kernel, number, name, pc, text, file, line)"
                        " VALUES (?, ?, ?, ?, nullif(?, -1), ?, ?, nullif(?, 0))",
                        err, "iiititti", run->trace, (int64_t)kernel, (int64_t)number,
                        plain_kernel_name(k->name, plain), in ? (int64_t)in->pc : (int64_t)-1, in ? in->text : NULL,
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

/* How the statistics are known: "exact", "sample 2%@95%", "batches 100..1000 0.95 0.1". */
#define STORE_METHOD 96
static void store_method(const struct store_run *r, char text[STORE_METHOD])
{
    char sample[SAMPLE_TEXT];
    const struct repeat_request *q = r->batches;
    snprintf(text, STORE_METHOD, "exact");
    if (q)
        snprintf(text, STORE_METHOD, "batches %u..%u %.9g %.9g", q->least, q->most, q->confidence, q->width);
    else if (r->options->sample.error > 0)
        snprintf(text, STORE_METHOD, "sample %s", sample_text(&r->options->sample, sample));
}

static void utc(char text[32])
{
    struct tm tm;
    time_t now = time(NULL);
    strftime(text, 32, "%Y-%m-%dT%H:%M:%SZ", gmtime_r(&now, &tm));
}

static bool put_row_of_run(struct store *s, const struct store_run *r, int64_t *id, struct rp_error *err)
{
    char now[32], method[STORE_METHOD];
    const struct result *result = r->result;
    const struct sample_result *sample = result && result->sample.sampled ? &result->sample : NULL;
    store_method(r, method);
    utc(now);
    bool fine =
        sql_run(&s->sql,
                "INSERT INTO run (key, trace, machine, tool, engine, launch, seed, status, reason, ipc, occupancy,"
                " warnings, detail, seconds, finished, method, replayed, batches)"
                " VALUES (?, ?, ?, ?, ?, nullif(?, -1), ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, nullif(?, 0))",
                err, "tiiitiittrriirttri", r->key, r->trace, r->machine, s->tool,
                r->options->engine == REPLAY_FAST ? "fast" : "reference", r->options->launch, (int64_t)r->options->seed,
                result ? "done" : "failed", r->reason, result ? statistics_ipc(&result->total) : NAN,
                result ? statistics_occupancy(r->of, &result->total) : NAN,
                result ? (int64_t)result->launches.warnings : (int64_t)0, (int64_t)r->detail, r->seconds, now, method,
                sample ? (double)sample->instructions / (double)sample->all : NAN,
                r->repeated ? (int64_t)r->repeated->batches : (int64_t)0);
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
    return rows.fine && put_estimates(&rows, r) && put_launches(&rows, r, err) &&
           (!r->profile || put_stalls(s, id, r, err));
}
