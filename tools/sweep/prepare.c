/* Which runs of a plan are missing. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "tools/lib/output.h"
#include "tools/results/identity.h"
#include "tools/sweep/sweep.h"

static bool look_at_trace(struct sweep *s, struct sweep_trace *trace, struct rp_error *err)
{
    struct rp_trace *t = trace_of_launches(trace->path, err);
    const char *sha256 = t ? rp_trace_sha256(t, err) : NULL;
    int64_t only = s->args->plan.replay.launch;
    if (sha256)
        snprintf(trace->sha256, sizeof trace->sha256, "%s", sha256);
    if (sha256 && rp_trace_damage(t) && !s->args->quiet)
        fprintf(stderr, "reprise: warning: %s\n", rp_trace_damage(t));
    for (uint32_t l = 0; sha256 && l < rp_trace_launch_count(t); l++)
        if (only < 0 || only == l)
            trace->warp_instructions += rp_trace_launch_totals(t, l).warp_instructions;
    bool fine = sha256 && (only < (int64_t)rp_trace_launch_count(t) ||
                           rp_fail(err, RP_USAGE, "%s: there is no launch %lld; the trace has %u", trace->path,
                                   (long long)only, rp_trace_launch_count(t)));
    if (t)
        rp_trace_close(t);
    return fine;
}

static bool look_at_traces(struct sweep *s, struct rp_error *err)
{
    const struct sweep_plan *plan = &s->args->plan;
    if (!(s->traces = calloc(plan->trace_count, sizeof *s->traces)))
        return rp_fail(err, RP_SYSTEM, "out of memory for the traces of the sweep");
    for (size_t t = 0; t < plan->trace_count; t++) {
        s->traces[t].path = plan->traces[t];
        if (!look_at_trace(s, &s->traces[t], err))
            return false;
    }
    return true;
}

/* Content that the database has under another name goes on under that one. */
static bool say_known_trace(struct sweep *s, const struct sweep_trace *trace, struct rp_error *err)
{
    bool fine = true;
    sqlite3_stmt *row = sql_bind(&s->store.sql, "SELECT file FROM trace WHERE id = ?", err, "i", trace->id);
    if (!row || !sql_row(&s->store.sql, row, &fine, err))
        return false;
    const char *known = (const char *)sqlite3_column_text(row, 0);
    if (!s->args->quiet && strcmp(known, trace->path) && !output_same_file(known, trace->path))
        fprintf(stderr, "reprise: note: %s has the content of trace %s; its runs are in %s under that name\n",
                trace->path, known, s->args->output);
    sqlite3_reset(row);
    return true;
}

static bool put_trace(struct sweep *s, struct sweep_trace *trace, struct rp_error *err)
{
    struct rp_trace *t = rp_trace_open(trace->path, err);
    const char *sha256 = t ? rp_trace_sha256(t, err) : NULL;
    bool fine = sha256 &&
                (!strcmp(sha256, trace->sha256) ||
                 rp_fail(err, RP_SYSTEM, "%s: changed while the sweep began; start it again", trace->path)) &&
                store_put_trace(&s->store, t, &trace->id, err) && say_known_trace(s, trace, err);
    if (t)
        rp_trace_close(t);
    return fine;
}

static bool put_plan(struct sweep *s, struct rp_error *err)
{
    bool fine = store_begin(&s->store, err);
    for (size_t t = 0; fine && t < s->args->plan.trace_count; t++)
        fine = put_trace(s, &s->traces[t], err);
    return fine && sweep_put_points(s, err) && store_end_plan(&s->store, err) && store_commit(&s->store, err);
}

/* ---- tasks ------------------------------------------------------------------------------------------------------- */

static void add_task(struct sweep *s, uint32_t visit, uint32_t point, const char *key, unsigned detail)
{
    struct sweep_task *task = &s->tasks[s->task_count++];
    task->visit = visit;
    task->point = point;
    task->number = s->count.runs - 1;
    task->detail = detail;
    memcpy(task->key, key, sizeof task->key);
    s->visits[visit].left++;
    s->points[point].left++;
    s->warp_instructions += s->traces[s->visits[visit].trace].warp_instructions;
}

static bool same_trace_before(const struct sweep *s, uint32_t trace)
{
    for (uint32_t t = 0; t < trace; t++)
        if (!strcmp(s->traces[t].sha256, s->traces[trace].sha256))
            return true;
    return false;
}

/* Means of batches depend on more than one replay does. */
static void add_batches(const struct repeat_request *q, char identity[RESULT_IDENTITY])
{
    size_t n = strlen(identity);
    snprintf(identity + n, RESULT_IDENTITY - n, "batches %u %u %.17g %.17g\n", q->least, q->most, q->confidence,
             q->width);
}

static bool count_done(struct sweep *s, const char *key, struct rp_error *err)
{
    bool failed;
    if (!store_has_failed(&s->store, key, &failed, err))
        return false;
    s->count.there++;
    s->count.failed += failed;
    return true;
}

/* A pair of trace and machine: is it ours, and is it missing? */
static bool consider(struct sweep *s, uint32_t visit, uint32_t point, struct rp_error *err)
{
    char identity[RESULT_IDENTITY], key[65];
    const struct sweep_plan *plan = &s->args->plan;
    const struct sweep_trace *trace = &s->traces[s->visits[visit].trace];
    const struct sweep_point *p = &s->points[point];
    int64_t there = -1;
    unsigned detail = plan->detail;
    if (sweep_plan_excludes(plan, p->variant, trace->path)) {
        s->count.excluded_runs++;
        return true;
    }
    if (s->count.runs++ % s->args->shards != s->args->shard) {
        s->count.others++;
        return true;
    }
    result_identity_text(trace->sha256, p->hash, p->chance, &plan->replay, identity);
    if (sweep_repeats(plan, p->chance))
        add_batches(&plan->batches.request, identity);
    result_key(identity, key);
    if (s->has_store && !store_find_run(&s->store, key, &there, err))
        return false;
    if (store_suffices(there, detail))
        return count_done(s, key, err);
    add_task(s, visit, point, key, detail | (there > 0 ? (unsigned)there : 0));
    return true;
}

/* Groups one after the other; within a group the traces with the most instructions first, so that threads end together
 * in short runs; then as in the plan. */
static int in_order(const void *one, const void *other, void *data)
{
    const struct sweep *s = data;
    const struct sweep_task *a = one, *b = other;
    uint32_t group = a->point / SWEEP_GROUP, other_group = b->point / SWEEP_GROUP;
    uint64_t length = s->traces[s->visits[a->visit].trace].warp_instructions;
    uint64_t other_length = s->traces[s->visits[b->visit].trace].warp_instructions;
    if (group != other_group)
        return group < other_group ? -1 : 1;
    if (length != other_length)
        return length > other_length ? -1 : 1;
    return a->number < b->number ? -1 : a->number > b->number;
}

/* A group of machines after the other, within it a trace after the other. */
static bool make_tasks(struct sweep *s, struct rp_error *err)
{
    size_t traces = s->args->plan.trace_count, groups = (s->point_count + SWEEP_GROUP - 1) / SWEEP_GROUP;
    s->visits = calloc(traces * groups + 1, sizeof *s->visits);
    s->tasks = calloc(traces * s->point_count + 1, sizeof *s->tasks);
    if (!s->visits || !s->tasks)
        return rp_fail(err, RP_SYSTEM, "out of memory for the runs of the sweep");
    for (size_t g = 0; g < groups; g++)
        for (uint32_t t = 0; t < traces; t++) {
            if (same_trace_before(s, t))
                continue;
            uint32_t visit = (uint32_t)s->visit_count++;
            s->visits[visit].trace = t;
            for (size_t p = g * SWEEP_GROUP; p < s->point_count && p < (g + 1) * SWEEP_GROUP; p++)
                if (!consider(s, visit, (uint32_t)p, err))
                    return false;
        }
    qsort_r(s->tasks, s->task_count, sizeof *s->tasks, in_order, s);
    return true;
}

/* Machines that nobody needs any more: all that is wanted of them is in the database. */
static void close_idle_points(struct sweep *s)
{
    for (size_t p = 0; p < s->point_count; p++)
        if (!s->points[p].left) {
            machine_free(s->points[p].machine);
            s->points[p].machine = NULL;
        }
}

/* An empty file is a database without tables. */
static bool is_empty(const char *path)
{
    struct stat st;
    return stat(path, &st) || (S_ISREG(st.st_mode) && !st.st_size);
}

static bool open_store(struct sweep *s, struct rp_error *err)
{
    const struct sweep_args *a = s->args;
    if (a->dry_run && (!a->output || is_empty(a->output)))
        return true;
    if (a->array && !a->dry_run && !sweep_jobs_are_over(s, err))
        return false;
    s->has_store = a->dry_run ? store_open_read(&s->store, a->output, a->wait, err)
                              : store_open(&s->store, a->output, a->wait, err);
    return s->has_store && (a->dry_run || ((!a->array || sweep_gather(s, err)) && put_plan(s, err)));
}

bool sweep_prepare(struct sweep *s, struct rp_error *err)
{
    bool fine = sweep_make_points(s, err) && look_at_traces(s, err) && open_store(s, err) && make_tasks(s, err);
    if (fine)
        close_idle_points(s);
    return fine;
}

void sweep_free(struct sweep *s)
{
    for (size_t p = 0; p < s->point_count; p++)
        machine_free(s->points[p].machine);
    if (s->has_store)
        store_close(&s->store);
    for (size_t i = 0; i < s->count.refused; i++) {
        free(s->refusals[i].settings);
        free(s->refusals[i].reason);
    }
    free(s->refusals);
    free(s->points);
    free(s->traces);
    free(s->visits);
    free(s->tasks);
}
