/* Carries the tasks of a sweep out. Threads replay. The one that began writes what they have finished and shows the
 * progress, a few times a second: a transaction waits for the disk, which for each short run would cost as much as
 * replaying does. */
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "tools/lib/command.h"
#include "tools/lib/interrupt.h"
#include "tools/lib/names.h"
#include "tools/sweep/claims.h"
#include "tools/sweep/sweep.h"
#include "tools/ui/figure.h"
#include "tools/ui/progress.h"

#define MOST_WAITING 64  /* finished runs that are not written yet */
#define MOST_THREADS 256 /* that replay */
#define TURN 100000000   /* nanoseconds between two transactions, and looks at signals and at the progress */

/* A run that is over. */
struct finished {
    struct finished *next;
    struct sweep_task *task;
    struct machine *machine;       /* the point's */
    struct rp_trace *trace;        /* the visit's */
    struct result result;          /* with `repeated`: the means in its total */
    struct repeat_result repeated; /* of batches; rows NULL: there was one replay */
    struct profile *profile;       /* NULL: none was wanted */
    struct rp_error error;
    bool fine;
    double seconds;
};

struct running {
    struct sweep *sweep;
    pthread_mutex_t lock; /* of all that follows */
    pthread_cond_t arrived, written;
    struct finished *first, **last; /* in the order in which they came */
    size_t waiting, next;           /* finished ones; the first task that may not have been taken */
    struct claims claims;
    struct store seen; /* what others have committed; has_seen: it is open */
    bool has_seen;
    unsigned workers; /* that have not ended */
    bool stop;
    uint64_t instructions;       /* replayed */
    size_t done, failed, broken; /* broken: the system failed, so that the run is still missing */
    size_t wide;                 /* estimates whose interval is wider than was asked for */
    struct rp_error why_broken;
};

/* ---- what runs share --------------------------------------------------------------------------------------------- */

/* Opens what the task needs and is not open. All of it was there when the sweep began: what is not there any more is a
 * failure of the system, and no result. */
static bool hold(struct running *r, const struct sweep_task *task, struct rp_trace **trace, struct machine **machine,
                 struct rp_error *err)
{
    struct sweep *s = r->sweep;
    struct sweep_visit *visit = &s->visits[task->visit];
    struct sweep_point *point = &s->points[task->point];
    pthread_mutex_lock(&r->lock);
    const struct sweep_trace *of = &s->traces[visit->trace];
    bool fine = visit->open || (visit->open = rp_trace_open(of->path, err));
    const char *sha256 = fine ? rp_trace_sha256(visit->open, err) : NULL;
    fine = sha256 && (!strcmp(sha256, of->sha256) ||
                      rp_fail(err, RP_SYSTEM, "%s: changed while the sweep ran; start it again", of->path));
    fine = fine && (point->machine || (point->machine = sweep_open_point(s, point, err)));
    *trace = visit->open;
    *machine = point->machine;
    pthread_mutex_unlock(&r->lock);
    if (!fine)
        err->status = RP_SYSTEM;
    return fine;
}

/* Closes what no task needs any more. The lock is held. */
static void let_go(struct running *r, const struct sweep_task *task)
{
    struct sweep_visit *visit = &r->sweep->visits[task->visit];
    struct sweep_point *point = &r->sweep->points[task->point];
    if (!--visit->left && visit->open) {
        rp_trace_close(visit->open);
        visit->open = NULL;
    }
    if (!--point->left) {
        machine_free(point->machine);
        point->machine = NULL;
    }
}

/* ---- replaying --------------------------------------------------------------------------------------------------- */

struct share {
    struct running *running;
    uint64_t reported;
};

static void add_progress(void *data, uint64_t done, uint64_t total)
{
    struct share *share = data;
    (void)total;
    pthread_mutex_lock(&share->running->lock);
    share->running->instructions += done - share->reported;
    pthread_mutex_unlock(&share->running->lock);
    share->reported = done;
}

static double processor_seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Stalls of instructions are those of a profile, where the machine can report them. */
static bool begin_profile(struct finished *f, struct replay_options *options)
{
    if (!(f->task->detail & STORE_STALLS))
        return true;
    if (!(f->profile = profile_new(f->trace, f->machine, &f->error)))
        return false;
    if (observer_events(&f->profile->observer) & ~replay_events(f->machine, options->engine)) {
        profile_free(f->profile);
        f->profile = NULL;
        return true;
    }
    options->observer = &f->profile->observer;
    return true;
}

static bool replay_batches(const struct sweep_plan *plan, struct finished *f, const struct replay_options *options)
{
    bool fine = repeat(f->trace, f->machine, options, &plan->batches.request, &f->repeated, &f->error);
    return rp_trace_unchanged(f->trace, &f->error) && fine &&
           repeat_means(f->machine, &f->repeated, &f->result.total, &f->error);
}

static void replay_task(struct running *r, struct finished *f)
{
    struct share share = {r, 0};
    struct replay_options options = r->sweep->args->plan.replay;
    options.progress = add_progress;
    options.progress_data = &share;
    double began = processor_seconds();
    const struct sweep_plan *plan = &r->sweep->args->plan;
    f->fine = hold(r, f->task, &f->trace, &f->machine, &f->error) && begin_profile(f, &options) &&
              (sweep_repeats(plan, r->sweep->points[f->task->point].chance)
                   ? replay_batches(plan, f, &options)
                   : result_replay(f->trace, f->machine, &options, &f->result, &f->error)) &&
              (!f->profile || profile_end(f->profile, &f->error));
    if (!f->fine)
        plain_error(&f->error);
    f->seconds = processor_seconds() - began;
    add_progress(&share, r->sweep->traces[r->sweep->visits[f->task->visit].trace].warp_instructions, 0);
}

/* Whether the task is ours now. What others had claimed is in the database before they give it back. */
static bool claim(struct running *r, struct sweep_task *task)
{
    int64_t there;
    struct rp_error unused;
    if (task->elsewhere || !claims_take(&r->claims, task->key))
        return false;
    task->elsewhere |=
        r->has_seen && store_find_run(&r->seen, task->key, &there, &unused) && store_suffices(there, task->detail);
    if (task->elsewhere)
        claims_give_back(&r->claims, task->key);
    return !task->elsewhere;
}

/* The first task that nobody else has carried out or claimed. *left: there are some that others have claimed. */
static struct sweep_task *find_task(struct running *r, bool *left)
{
    struct sweep_task *tasks = r->sweep->tasks;
    *left = false;
    for (size_t i = r->next; i < r->sweep->task_count; i++) {
        bool ours = !tasks[i].taken && claim(r, &tasks[i]), over = ours || tasks[i].elsewhere;
        if (!ours && !tasks[i].taken && over)
            let_go(r, &tasks[i]);
        *left |= !tasks[i].taken && !over;
        tasks[i].taken |= over;
        r->next += i == r->next && tasks[i].taken;
        if (ours)
            return &tasks[i];
    }
    return NULL;
}

/* The next task. While others have claimed all that are left it waits: a process may be killed. */
static struct sweep_task *take(struct running *r)
{
    bool left = true;
    struct sweep_task *task = NULL;
    pthread_mutex_lock(&r->lock);
    while (!r->stop && left && !task) {
        while (r->waiting >= MOST_WAITING && !r->stop)
            pthread_cond_wait(&r->written, &r->lock);
        task = r->stop ? NULL : find_task(r, &left);
        if (!task && left && !r->stop)
            pthread_cond_wait(&r->written, &r->lock);
    }
    pthread_mutex_unlock(&r->lock);
    return task;
}

static void hand_on(struct running *r, struct finished *f)
{
    pthread_mutex_lock(&r->lock);
    *r->last = f;
    r->last = &f->next;
    if (++r->waiting >= MOST_WAITING)
        pthread_cond_signal(&r->arrived);
    pthread_mutex_unlock(&r->lock);
}

/* A task was taken and cannot be carried out. */
static void without_memory(struct running *r)
{
    pthread_mutex_lock(&r->lock);
    r->broken++;
    rp_fail(&r->why_broken, RP_SYSTEM, "out of memory");
    pthread_mutex_unlock(&r->lock);
}

static void *work(void *data)
{
    struct running *r = data;
    for (struct sweep_task *task; (task = take(r));) {
        struct finished *f = calloc(1, sizeof *f);
        if (!f) {
            without_memory(r);
            break;
        }
        f->task = task;
        replay_task(r, f);
        hand_on(r, f);
    }
    pthread_mutex_lock(&r->lock);
    r->workers--;
    pthread_cond_signal(&r->arrived);
    pthread_mutex_unlock(&r->lock);
    return NULL;
}

/* ---- writing ----------------------------------------------------------------------------------------------------- */

static bool put(struct running *r, const struct finished *f, struct rp_error *err)
{
    struct sweep *s = r->sweep;
    bool batches = sweep_repeats(&s->args->plan, s->points[f->task->point].chance);
    const struct store_run run = {.key = f->task->key,
                                  .trace = s->traces[s->visits[f->task->visit].trace].id,
                                  .machine = s->points[f->task->point].id,
                                  .of = f->machine,
                                  .trace_of = f->trace,
                                  .options = &s->args->plan.replay,
                                  .result = f->fine ? &f->result : NULL,
                                  .reason = f->fine ? NULL : f->error.text,
                                  .profile = f->fine ? f->profile : NULL,
                                  .batches = batches ? &s->args->plan.batches.request : NULL,
                                  .repeated = f->fine && batches ? &f->repeated : NULL,
                                  .detail = f->task->detail,
                                  .seconds = f->seconds};
    return store_put_run(&s->store, &run, err);
}

static bool is_wide(const struct finished *f)
{
    return f->fine && (f->repeated.rows ? !f->repeated.reached : f->result.sample.sampled && !f->result.sample.reached);
}

static bool is_broken(const struct finished *f) { return !f->fine && f->error.status == RP_SYSTEM; }

/* One transaction for all that are there. What the system did not let run is still missing. */
static bool put_all(struct running *r, const struct finished *list, struct rp_error *err)
{
    bool fine = store_begin(&r->sweep->store, err);
    for (const struct finished *f = list; fine && f; f = f->next)
        fine = is_broken(f) || put(r, f, err);
    fine = fine && store_commit(&r->sweep->store, err) && store_check_file(&r->sweep->store, err);
    if (!fine)
        store_rollback(&r->sweep->store);
    return fine;
}

static void count_and_free(struct running *r, struct finished *list)
{
    pthread_mutex_lock(&r->lock);
    for (struct finished *f = list, *next; f; f = next) {
        next = f->next;
        r->waiting--;
        r->done += !is_broken(f);
        r->failed += !f->fine && !is_broken(f);
        r->broken += is_broken(f);
        r->wide += is_wide(f);
        if (is_broken(f))
            r->why_broken = f->error;
        let_go(r, f->task);
        claims_give_back(&r->claims, f->task->key);
        result_free(&f->result);
        repeat_result_free(&f->repeated);
        profile_free(f->profile);
        free(f);
    }
    pthread_cond_broadcast(&r->written);
    pthread_mutex_unlock(&r->lock);
}

/* What is finished and not written. The lock is held. */
static struct finished *take_finished(struct running *r)
{
    struct finished *list = r->first;
    r->first = NULL;
    r->last = &r->first;
    return list;
}

/* Waits until a turn is over, all are done, or no more may wait; *over: no worker is left, and nothing will come. */
static struct finished *wait_for_some(struct running *r, bool *over)
{
    struct timespec until;
    clock_gettime(CLOCK_MONOTONIC, &until);
    until.tv_nsec += TURN;
    until.tv_sec += until.tv_nsec / 1000000000;
    until.tv_nsec %= 1000000000;
    pthread_mutex_lock(&r->lock);
    while (r->waiting < MOST_WAITING && r->workers &&
           !pthread_cond_clockwait(&r->arrived, &r->lock, CLOCK_MONOTONIC, &until))
        ;
    struct finished *list = take_finished(r);
    *over = !list && !r->workers;
    pthread_mutex_unlock(&r->lock);
    return list;
}

/* Another sweep writes into the same database: what it has done need not be done here. */
static bool look_for_others(struct running *r, struct rp_error *err)
{
    struct sweep *s = r->sweep;
    bool others;
    if (!store_changed(&s->store, &others, err))
        return false;
    pthread_mutex_lock(&r->lock);
    size_t next = r->next;
    pthread_mutex_unlock(&r->lock);
    for (size_t i = next; others && i < s->task_count; i++) {
        int64_t there;
        if (!store_find_run(&s->store, s->tasks[i].key, &there, err))
            return false;
        pthread_mutex_lock(&r->lock);
        s->tasks[i].elsewhere |= store_suffices(there, s->tasks[i].detail);
        pthread_mutex_unlock(&r->lock);
    }
    return true;
}

/* ---- the whole --------------------------------------------------------------------------------------------------- */

static void show(struct running *r, struct progress *bar)
{
    char label[160], done[FIGURE], all[FIGURE], failed[FIGURE];
    pthread_mutex_lock(&r->lock);
    uint64_t instructions = r->instructions;
    figure(r->done, done);
    figure(r->failed + r->broken, failed);
    pthread_mutex_unlock(&r->lock);
    snprintf(label, sizeof label, "%s of %s runs, %s failed:", done, figure(r->sweep->task_count, all), failed);
    bar->label = label;
    progress_update(bar, instructions, r->sweep->warp_instructions, instructions, "warp instructions");
}

/* Until all is done, a signal comes, or the database cannot be written. */
static bool write_until_done(struct running *r, struct rp_error *err)
{
    struct progress bar;
    bool fine = true;
    progress_begin(&bar, "sweeping", "warp instructions", r->sweep->args->quiet);
    for (bool over = false; fine && !over && !interrupted();) {
        struct finished *list = wait_for_some(r, &over);
        fine = (!list || put_all(r, list, err)) && look_for_others(r, err);
        count_and_free(r, list);
        show(r, &bar);
    }
    progress_end(&bar);
    return fine;
}

/* No task is taken any more. */
static void end_claims(struct running *r)
{
    pthread_mutex_lock(&r->lock);
    r->stop = true;
    claims_close(&r->claims);
    if (r->has_seen)
        store_close(&r->seen);
    r->has_seen = false;
    pthread_mutex_unlock(&r->lock);
}

/* What is finished is kept; what is replayed is dropped, with the threads that do so. */
static _Noreturn void stop(struct running *r, bool fine, const struct rp_error *err)
{
    struct rp_error unused;
    pthread_mutex_lock(&r->lock);
    struct finished *list = fine ? take_finished(r) : NULL;
    pthread_mutex_unlock(&r->lock);
    if (list && put_all(r, list, &unused))
        count_and_free(r, list);
    end_claims(r);
    store_close(&r->sweep->store);
    if (!fine)
        _exit(command_fail(err));
    fprintf(stderr, "reprise: stopped: %zu of %zu runs are in %s, and the same command goes on from there\n", r->done,
            r->sweep->task_count, r->sweep->args->output);
    interrupt_end();
}

static void warn_wide(const struct running *r)
{
    const struct sweep_args *a = r->sweep->args;
    if (r->wide && !a->quiet)
        fprintf(stderr,
                "reprise: warning: %s: the interval of the cycles is wider than was asked for in %zu of them; 'reprise "
                "results %s' says in which (reached: 0)\n",
                a->output, r->wide, a->output);
}

static int end(const struct running *r)
{
    const struct sweep_args *a = r->sweep->args;
    char before[64] = "";
    if (r->sweep->count.failed)
        snprintf(before, sizeof before, "; %zu that %s there before %s failed", r->sweep->count.failed,
                 r->sweep->count.failed == 1 ? "was" : "were", r->sweep->count.failed == 1 ? "has" : "have");
    if (!a->quiet)
        fprintf(stderr, "reprise: %s: %zu run%s done, %zu of them failed%s\n", a->output, r->done,
                r->done == 1 ? "" : "s", r->failed, before);
    warn_wide(r);
    if (!r->broken)
        return RP_OK;
    fprintf(stderr, "reprise: %zu runs are missing, and the same command tries them again; the last one: ", r->broken);
    fprintf(stderr, "%s\n", r->why_broken.text);
    return RP_SYSTEM;
}

int sweep_run(struct sweep *s)
{
    struct rp_error err;
    struct running r = {.sweep = s,
                        .lock = PTHREAD_MUTEX_INITIALIZER,
                        .arrived = PTHREAD_COND_INITIALIZER,
                        .written = PTHREAD_COND_INITIALIZER};
    pthread_t threads[MOST_THREADS];
    unsigned wanted = s->args->threads < MOST_THREADS ? s->args->threads : MOST_THREADS;
    r.last = &r.first;
    claims_open(&r.claims, s->args->output);
    r.has_seen = store_open_read(&r.seen, s->args->output, s->args->wait, &err);
    interrupt_watch();
    pthread_mutex_lock(&r.lock);
    while (r.workers < wanted && r.workers < s->task_count && !pthread_create(&threads[r.workers], NULL, work, &r))
        r.workers++;
    unsigned started = r.workers;
    pthread_mutex_unlock(&r.lock);
    bool fine = write_until_done(&r, &err);
    if (!fine || interrupted())
        stop(&r, fine, &err);
    for (unsigned i = 0; i < started; i++)
        pthread_join(threads[i], NULL);
    end_claims(&r);
    if (!store_check_file(&s->store, &err))
        return command_fail(&err);
    return end(&r);
}
