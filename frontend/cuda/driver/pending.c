#include "frontend/cuda/driver/pending.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "frontend/host/thread_pool.h"

#define PATIENCE 10              /* seconds without progress after which other threads are no reason to wait */
#define PAUSE_NANOSECONDS 200000 /* between looks at the memory that launches wait for */

struct pending {
    CUstream stream;
    struct work work;                 /* owns the parameters of a launch */
    struct open_launch *open;         /* NULL: it has not begun */
    unsigned long long number, after; /* after: number of the record that it waits for; 0: none */
    struct pending *next;
};
static struct pending *first; /* in the order of the calls */
static unsigned long long last_number, steps;
static bool advancing; /* a thread does what is pending; it may release the lock */
static bool ended;

/* ---- the order ----------------------------------------------------------------------------------------------------
 */

/* Whether the work of one stream waits for that of another ("CUDA C++ Programming Guide", Implicit Synchronization). */
static bool meet(const struct CUstream_st *a, const struct CUstream_st *b)
{
    bool non_blocking = (a->flags | b->flags) & CU_STREAM_NON_BLOCKING;
    return a == b || (a->device == b->device && (!a->number || !b->number) && !non_blocking);
}

static bool is_record_of(const struct pending *p, CUevent e)
{
    return p->work.kind == WORK_RECORD && p->work.event == e;
}

bool pending_on(CUstream s, CUevent e)
{
    for (const struct pending *p = first; p; p = p->next)
        if ((!s && !e) || (s && meet(p->stream, s)) || (e && is_record_of(p, e)))
            return true;
    return false;
}

/* The pending record that a wait for the event must follow; 0: none. */
static unsigned long long record_of(const struct work *w)
{
    unsigned long long number = 0;
    for (const struct pending *p = first; p && w->kind == WORK_WAIT; p = p->next)
        number = is_record_of(p, w->event) ? p->number : number;
    return number;
}

/* Launches that share checks end one after another. */
static bool check_is_free(const struct work *w)
{
    for (const struct pending *p = first; p && w->kind == WORK_LAUNCH && driver.defaults.check; p = p->next)
        if (p->open)
            return false;
    return true;
}

static bool is_ready(const struct pending *p)
{
    for (const struct pending *q = first; q != p; q = q->next)
        if (meet(q->stream, p->stream) || q->number == p->after)
            return false;
    return p->open || check_is_free(&p->work);
}

/* ---- the list -----------------------------------------------------------------------------------------------------
 */

static void *go_on(void *unused);

/* Starts what goes on without calls of the program. */
static void start_thread(void)
{
    static bool started;
    pthread_t thread;
    if (started)
        return;
    started = true;
    atexit(pending_end);
    if (!pthread_create(&thread, NULL, go_on, NULL))
        pthread_detach(thread);
}

static struct pending *add(CUstream s, const struct work *w)
{
    struct pending *p = calloc(1, sizeof *p), **end = &first;
    if (!p)
        return NULL;
    *p = (struct pending){.stream = s, .work = *w, .number = ++last_number, .after = record_of(w)};
    if (w->kind == WORK_LAUNCH) {
        size_t bytes = w->launch.function->program->parameter_bytes;
        if (!(p->work.launch.params = malloc(bytes + 1))) {
            free(p);
            return NULL;
        }
        memcpy(p->work.launch.params, w->launch.params, bytes);
    }
    while (*end)
        end = &(*end)->next;
    *end = p;
    start_thread();
    return p;
}

static void take_out(struct pending *p)
{
    struct pending **at = &first;
    while (*at != p)
        at = &(*at)->next;
    *at = p->next;
    if (p->work.kind == WORK_LAUNCH)
        free(p->work.launch.params);
    free(p);
}

CUresult pending_open(CUstream s, const struct launch *l, struct open_launch *open)
{
    struct pending *p = add(s, &(struct work){.kind = WORK_LAUNCH, .launch = *l});
    if (!p)
        return launch_end(open, l);
    p->open = open;
    return CUDA_SUCCESS;
}

void pending_forget_event(CUevent e)
{
    for (struct pending *p = first; p; p = p->next)
        if ((p->work.kind == WORK_RECORD || p->work.kind == WORK_WAIT) && p->work.event == e)
            p->work = (struct work){.kind = WORK_EMPTY};
}

void pending_drop(void)
{
    while (first) {
        struct pending *p = first;
        struct open_launch *open = p->open;
        p->open = NULL;
        if (open)
            launch_end(open, &p->work.launch);
        take_out(p);
    }
}

void pending_progress(void) { steps++; }

/* ---- going on -----------------------------------------------------------------------------------------------------
 */

/* True: the work is done. */
static bool step(struct pending *p)
{
    struct open_launch *open = p->open;
    if (!open && p->work.kind == WORK_LAUNCH)
        launch_start(p->stream, &p->work.launch, &p->open);
    else if (!open)
        work_run(p->stream, &p->work);
    else if (!launch_waits(open)) {
        p->open = NULL;
        launch_end(open, &p->work.launch);
    }
    return !p->open;
}

void pending_advance(void)
{
    if (advancing)
        return;
    advancing = true;
    for (struct pending *p = first; p && !driver.failed;)
        if (is_ready(p) && step(p)) {
            take_out(p);
            steps++;
            p = first;
        } else {
            p = p->next;
        }
    advancing = false;
    if (driver.failed)
        pending_drop();
}

CUresult pending_submit(CUstream s, const struct work *w)
{
    if (!first)
        return work_run(s, w);
    pending_advance();
    if (!driver.failed && (w->call == BLOCKING || (w->kind == WORK_COPY && copy_is_pageable(&w->copy))))
        pending_wait(s, NULL);
    if (failed_for_good())
        return failed_for_good();
    if (!pending_on(s, NULL) && !record_of(w) && check_is_free(w))
        return work_run(s, w);
    return add(s, w) ? CUDA_SUCCESS : CUDA_ERROR_OUT_OF_MEMORY;
}

/* ---- waiting ------------------------------------------------------------------------------------------------------
 */

static bool is_ours(const char *task)
{
    char path[64], name[32] = "";
    snprintf(path, sizeof path, "/proc/self/task/%.20s/comm", task);
    FILE *f = fopen(path, "re");
    if (!f)
        return true; /* it has ended */
    bool read = fgets(name, sizeof name, f);
    fclose(f);
    return read && !strncmp(name, REPRISE_THREAD "\n", sizeof REPRISE_THREAD);
}

bool others_run(void)
{
    char own[16] = "";
    if (ipc_used())
        return true;
    DIR *tasks = opendir("/proc/self/task");
    pthread_getname_np(pthread_self(), own, sizeof own);
    int others = strcmp(own, REPRISE_THREAD) ? -1 : 0;
    for (const struct dirent *d; tasks && (d = readdir(tasks));)
        others += *d->d_name != '.' && !is_ours(d->d_name);
    if (tasks)
        closedir(tasks);
    return others > 0;
}

static void pause_unlocked(void)
{
    pthread_mutex_unlock(&driver.lock);
    nanosleep(&(struct timespec){.tv_nsec = PAUSE_NANOSECONDS}, NULL);
    pthread_mutex_lock(&driver.lock);
}

static time_t seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC_COARSE, &t);
    return t.tv_sec;
}

CUresult pending_wait(CUstream s, CUevent e)
{
    unsigned long long before = steps;
    time_t since = first ? seconds() : 0;
    while (!driver.failed && pending_on(s, e)) {
        pending_advance();
        if (steps != before || advancing) {
            before = steps;
            since = seconds();
        } else if (pending_on(s, e) && (!others_run() || seconds() - since > PATIENCE)) {
            pending_drop();
            break;
        }
        if (pending_on(s, e))
            pause_unlocked();
    }
    return failed_for_good();
}

static void *go_on(void *unused)
{
    pthread_setname_np(pthread_self(), REPRISE_THREAD);
    pthread_mutex_lock(&driver.lock);
    while (!ended) {
        pending_advance();
        pause_unlocked();
    }
    pthread_mutex_unlock(&driver.lock);
    return unused;
}

void pending_end(void)
{
    struct timespec until;
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_sec += 2; /* a crashed thread may hold the lock */
    if (!first || driver.failed == CUDA_ERROR_NOT_INITIALIZED || pthread_mutex_timedlock(&driver.lock, &until))
        return;
    ended = true;
    pending_advance();
    if (!advancing)
        pending_drop();
    pthread_mutex_unlock(&driver.lock);
}
