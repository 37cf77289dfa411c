#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <time.h>

#include "frontend/core/track.h"
#include "frontend/host/run.h"

/* Batches that may be done but not yet committed, per thread: bounds memory when one batch takes long. */
#define WINDOW_PER_THREAD 4

/* A block that has so many turns without storing to global memory may wait, with plain loads that no static sign shows,
 * for what a later block stores: the launch then runs in the fixed order. 16 million instructions of each warp, far
 * more than a block computes between two stores. What a block does does not depend on timing unless blocks conflict,
 * and neither does this. */
#define SILENT_TURNS 512

struct batch {
    struct frame_list frames;
    struct rp_chunk *small; /* all that the batch recorded, instead of frames; may share one with its neighbours */
    uint64_t warp_instructions, thread_instructions;
    bool done;
};

struct attempt {
    struct run *run;
    struct track_grid *track;
    pthread_mutex_t lock;
    pthread_cond_t changed; /* a batch is done, one was committed, or all is over */
    struct batch *window;   /* batch i is at i % window_size */
    uint64_t window_size;
    uint64_t claimed, committed; /* batches */
    uint64_t ended;              /* batches that commit has seen; of the same thread */
    struct rp_chunk *joined;     /* what the last small batches recorded, not yet a frame; of the thread that commits */
    struct rp_chunk **spare;     /* empty ones, for workers that gave theirs away */
    size_t spare_count;
    bool over;   /* no further batches are begun */
    bool failed; /* err says why */
    struct rp_error error;
    _Atomic uint64_t blocks_done, warp_instructions; /* for progress */
};

struct worker {
    struct attempt *attempt;
    struct block *block;
    struct rp_chunk *chunk;
    struct tracker *tracker;
    pthread_t thread;
    bool started;
};

/* ---- one batch --------------------------------------------------------------------------------------------------- */

static void fail(struct attempt *a, const struct rp_error *err)
{
    pthread_mutex_lock(&a->lock);
    if (!a->failed)
        a->error = *err;
    a->failed = a->over = true;
    pthread_cond_broadcast(&a->changed);
    pthread_mutex_unlock(&a->lock);
}

static void stop(struct attempt *a)
{
    pthread_mutex_lock(&a->lock);
    a->over = true;
    pthread_cond_broadcast(&a->changed);
    pthread_mutex_unlock(&a->lock);
}

/* Runs one block to its end; false: the attempt is over. */
static bool run_block(struct worker *w, uint64_t index, struct batch *batch)
{
    struct block *b = w->block;
    struct run *r = w->attempt->run;
    block_start(b, index, w->chunk ? rp_chunk_begin_block(w->chunk, index, r->grid.warps) : NULL);
    enum block_status status;
    unsigned silent = 0;
    do {
        status = block_run(b, r->grid.rounds);
        if (track_verdict(w->attempt->track) != TRACK_CLEAN)
            return false;
        silent = tracker_wrote(w->tracker) ? 0 : silent + 1;
    } while (status == BLOCK_SET_ASIDE && silent < SILENT_TURNS);
    if (status == BLOCK_FAULT ||
        status == BLOCK_SET_ASIDE) { /* which block faults first is found by running in order */
        track_give_up(w->attempt->track);
        return false;
    }
    uint64_t before = batch->warp_instructions;
    block_count(b, &batch->warp_instructions, &batch->thread_instructions);
    atomic_fetch_add_explicit(&w->attempt->blocks_done, 1, memory_order_relaxed);
    atomic_fetch_add_explicit(&w->attempt->warp_instructions, batch->warp_instructions - before, memory_order_relaxed);
    if (w->chunk)
        rp_chunk_end_block(w->chunk, index);
    return true;
}

/* A worker that has given its chunk away gets another. */
static bool need_chunk(struct worker *w, struct rp_error *err)
{
    struct attempt *a = w->attempt;
    const struct recorder *r = &a->run->recorder;
    if (w->chunk || !r->writer)
        return true;
    pthread_mutex_lock(&a->lock);
    if (a->spare_count)
        w->chunk = a->spare[--a->spare_count];
    pthread_mutex_unlock(&a->lock);
    if (!w->chunk)
        w->chunk = rp_chunk_new(r->kernel, r->launch, NULL);
    return w->chunk || rp_fail(err, RP_SYSTEM, "out of memory for the trace");
}

/* After each block, the batch's last one or not. What becomes a frame follows from geometry and content alone. */
static bool keep_recorded(struct worker *w, struct batch *batch, bool last, struct rp_error *err)
{
    size_t bytes = w->chunk ? rp_chunk_bytes(w->chunk) : 0;
    if (!w->chunk || (!last && bytes <= RECORD_CHUNK_BYTES))
        return true;
    if (bytes >= RECORD_SMALL_BYTES || batch->frames.count || !w->attempt->run->join_small)
        return frames_finish(&batch->frames, w->chunk, err);
    batch->small = w->chunk;
    w->chunk = NULL;
    return true;
}

static bool run_batch(struct worker *w, uint64_t number, struct batch *batch)
{
    struct run *r = w->attempt->run;
    uint64_t first = number * r->batch_blocks, end = first + r->batch_blocks;
    end = end < r->grid.blocks ? end : r->grid.blocks;
    struct rp_error err;
    bool ok = need_chunk(w, &err);
    for (uint64_t i = first; i < end && ok; i++) {
        if (!run_block(w, i, batch))
            return false;
        ok = keep_recorded(w, batch, i + 1 == end, &err);
        if (w->attempt->run->threads == 1)
            run_progress(r, w->attempt->blocks_done, w->attempt->warp_instructions);
    }
    if (!ok)
        fail(w->attempt, &err);
    return ok && tracker_end_batch(w->tracker);
}

/* ---- threads ----------------------------------------------------------------------------------------------------- */

/* The next batch to run; false: there is none. */
static bool claim(struct attempt *a, uint64_t *number)
{
    pthread_mutex_lock(&a->lock);
    while (!a->over && a->claimed < a->run->batches && a->claimed >= a->committed + a->window_size)
        pthread_cond_wait(&a->changed, &a->lock);
    bool got = !a->over && a->claimed < a->run->batches;
    if (got)
        *number = a->claimed++;
    pthread_mutex_unlock(&a->lock);
    return got;
}

static void *work(void *arg)
{
    struct worker *w = arg;
    struct attempt *a = w->attempt;
    uint64_t number;
    while (claim(a, &number)) {
        struct batch *batch = &a->window[number % a->window_size];
        if (!run_batch(w, number, batch)) {
            stop(a);
            break;
        }
        pthread_mutex_lock(&a->lock);
        batch->done = true;
        pthread_cond_broadcast(&a->changed);
        pthread_mutex_unlock(&a->lock);
    }
    return NULL;
}

/* Makes a frame of what small batches recorded. */
static bool commit_joined(struct attempt *a, struct rp_error *err)
{
    struct frame_list frames = {0};
    bool ok = !a->joined || !rp_chunk_bytes(a->joined) ||
              (frames_finish(&frames, a->joined, err) && frames_commit(&frames, &a->run->recorder, err));
    frames_free(&frames);
    return ok;
}

/* Adds a small batch to those before it. */
static bool join(struct attempt *a, struct batch *batch, struct rp_error *err)
{
    struct rp_chunk *small = batch->small;
    batch->small = NULL;
    if (!a->joined) {
        a->joined = small;
    } else {
        rp_chunk_absorb(a->joined, small);
        pthread_mutex_lock(&a->lock);
        a->spare[a->spare_count++] = small;
        pthread_mutex_unlock(&a->lock);
    }
    return rp_chunk_bytes(a->joined) < RECORD_SMALL_BYTES || commit_joined(a, err);
}

static void commit(struct attempt *a, struct batch *batch)
{
    struct run *r = a->run;
    struct rp_error err;
    r->result.warp_instructions += batch->warp_instructions;
    r->result.thread_instructions += batch->thread_instructions;
    batch->warp_instructions = batch->thread_instructions = 0;
    bool ok = batch->small ? join(a, batch, &err)
                           : commit_joined(a, &err) && frames_commit(&batch->frames, &r->recorder, &err);
    bool last = ++a->ended == r->batches;
    if (!ok || (last && !commit_joined(a, &err)))
        fail(a, &err);
}

/* Waits up to a fifth of a second for the next batch to be done; the lock is held. */
static bool wait_for_batch(struct attempt *a, const struct batch *batch)
{
    struct timespec until;
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_nsec += 200000000;
    if (until.tv_nsec >= 1000000000) {
        until.tv_nsec -= 1000000000;
        until.tv_sec++;
    }
    if (!batch->done && !a->over)
        pthread_cond_timedwait(&a->changed, &a->lock, &until);
    return batch->done;
}

/* Commits batches in order while the workers run them. */
static void commit_all(struct attempt *a)
{
    while (a->committed < a->run->batches) {
        struct batch *batch = &a->window[a->committed % a->window_size];
        pthread_mutex_lock(&a->lock);
        bool ready = wait_for_batch(a, batch), over = a->over;
        pthread_mutex_unlock(&a->lock);
        run_progress(a->run, a->blocks_done, a->warp_instructions);
        if (over)
            return;
        if (!ready)
            continue;
        commit(a, batch);
        pthread_mutex_lock(&a->lock);
        batch->done = false;
        a->committed++;
        pthread_cond_broadcast(&a->changed);
        pthread_mutex_unlock(&a->lock);
    }
}

static void run_alone(struct attempt *a, struct worker *w)
{
    for (uint64_t number = 0; number < a->run->batches && !a->over; number++) {
        if (!run_batch(w, number, &a->window[0])) {
            a->over = true;
            return;
        }
        commit(a, &a->window[0]);
    }
}

static bool worker_init(struct worker *w, struct attempt *a)
{
    struct run *r = a->run;
    w->attempt = a;
    w->block = block_new(&r->grid);
    w->tracker = tracker_new(a->track);
    if (!w->block || !w->tracker)
        return false;
    w->block->tracker = w->tracker;
    return tracker_begin(w->tracker);
}

static void run_together(struct attempt *a, struct worker *workers)
{
    unsigned threads = a->run->threads;
    for (unsigned i = 0; i < threads; i++) {
        workers[i].started = pthread_create(&workers[i].thread, NULL, work, &workers[i]) == 0;
        if (!workers[i].started && i == 0) {
            fail(a, &(struct rp_error){RP_SYSTEM, "cannot start a thread; --threads 1 needs none"});
            return;
        }
    }
    commit_all(a);
    stop(a);
    for (unsigned i = 0; i < threads; i++)
        if (workers[i].started)
            pthread_join(workers[i].thread, NULL);
}

/* ---- attempts ---------------------------------------------------------------------------------------------------- */

static void free_workers(struct worker *workers, unsigned threads)
{
    for (unsigned i = 0; workers && i < threads; i++) {
        block_free(workers[i].block);
        tracker_free(workers[i].tracker);
        rp_chunk_free(workers[i].chunk);
    }
    free(workers);
}

static bool attempt_run(struct run *r, struct track_grid *track, struct rp_error *err)
{
    struct attempt a = {.run = r, .track = track, .window_size = (uint64_t)WINDOW_PER_THREAD * r->threads};
    struct worker *workers = calloc(r->threads, sizeof *workers);
    a.window = calloc(a.window_size, sizeof *a.window);
    a.spare = calloc(a.window_size + r->threads, sizeof *a.spare); /* one of each batch and of each worker */
    pthread_mutex_init(&a.lock, NULL);
    pthread_cond_init(&a.changed, NULL);
    bool ok = workers && a.window && a.spare;
    for (unsigned i = 0; i < r->threads && ok; i++)
        ok = worker_init(&workers[i], &a);
    if (!ok)
        rp_fail(err, RP_SYSTEM, "out of memory for %u threads that run kernel '%s'", r->threads, r->grid.program->name);
    else if (r->threads == 1)
        run_alone(&a, &workers[0]);
    else
        run_together(&a, workers);
    if (a.failed && err)
        *err = a.error;
    for (uint64_t i = 0; a.window && i < a.window_size; i++) {
        frames_free(&a.window[i].frames);
        rp_chunk_free(a.window[i].small);
    }
    for (size_t i = 0; i < a.spare_count; i++)
        rp_chunk_free(a.spare[i]);
    rp_chunk_free(a.joined);
    free(a.spare);
    free_workers(workers, r->threads);
    free(a.window);
    pthread_mutex_destroy(&a.lock);
    pthread_cond_destroy(&a.changed);
    return ok && !a.failed;
}

bool batches_run(struct run *r, bool *again, struct rp_error *err)
{
    *again = false;
    r->grid.parallel = r->threads > 1;
    struct track_grid *track = track_grid_new();
    if (!track || !track_begin(track, r->grid.memory))
        return rp_fail(err, RP_SYSTEM, "out of memory for the launch of kernel '%s'", r->grid.program->name);
    bool ok;
    enum track_verdict verdict;
    do {
        track_again(track);
        ok = attempt_run(r, track, err);
        verdict = track_verdict(track);
        if (ok && verdict == TRACK_CLEAN)
            break;
        track_restore(track);
        r->result = (struct rp_launch_result){0};
        ok = ok && recorder_restart(&r->recorder, err);
    } while (ok && verdict == TRACK_REPEAT);
    track_grid_free(track);
    *again = ok && verdict == TRACK_CONFLICT;
    return ok;
}
