#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <time.h>

#include "frontend/check/check.h"
#include "frontend/core/watch.h"
#include "frontend/host/internal.h"
#include "frontend/host/repeats.h"
#include "frontend/host/run.h"

/* Batches per thread that may be done but not committed. This bounds memory when one batch takes long. */
#define WINDOW_PER_THREAD 4

/* A block that has so many turns without a store to global memory may be waiting for a later block's store, by plain
 * loads that no static sign shows: the launch then runs in the fixed order. These are 16 million instructions of each
 * warp, far more than a block computes between two stores. A block's behaviour does not depend on timing unless blocks
 * conflict, so neither does this. */
#define SILENT_TURNS 512

/* Warp instructions that the caller executes alone before it asks other threads to help: waking them takes longer than
 * a small launch. */
#define ALONE_INSTRUCTIONS 8192

struct batch {
    struct frame_list frames;
    struct rp_chunk *small; /* everything that the batch recorded, if that is not yet a frame; it may share one with its
                               neighbours */
    uint64_t warp_instructions, thread_instructions;
    bool done;
};

struct attempt {
    struct rp_running *run;
    struct track_grid *track;
    pthread_mutex_t lock;   /* guards all of the following once there are helpers */
    pthread_cond_t changed; /* a batch is done or was committed, or the attempt is over */
    struct batch own;       /* the caller's batches while it is alone; later the batch `helped_at` */
    uint64_t helped_at;     /* the batch during which the caller asked for help; undefined before */
    struct batch *window;   /* batch i is at i % window_size; used once there are helpers */
    uint64_t window_size;
    uint64_t claimed, committed; /* batches */
    bool committing;             /* a thread is committing; only one at a time does */
    unsigned workers;            /* threads that take part, including the caller */
    bool helped;                 /* other threads were asked for help */
    bool over;                   /* no further batch begins */
    bool failed;                 /* err says why */
    struct rp_error error;
    struct rp_chunk
        *joined; /* what the last small batches recorded, not yet a frame; belongs to the committing thread */
    _Atomic uint64_t blocks_done, warp_instructions; /* for progress */
};

struct worker {
    struct attempt *attempt;
    struct block *block;
    struct rp_chunk *chunk;
    struct tracker *tracker;
    struct watch watch;
    bool caller;
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

static void help(void *data);

static struct batch *batch_at(struct attempt *a, uint64_t number)
{
    return number == a->helped_at ? &a->own : &a->window[number % a->window_size];
}

/* Asks other threads to help if the launch turns out to be large and there are batches left. The caller has already
 * claimed its own batch. */
static void consider_help(struct attempt *a, uint64_t warp_instructions)
{
    struct rp_running *r = a->run;
    if (a->helped || r->threads == 1 || warp_instructions < ALONE_INSTRUCTIONS || a->claimed == r->batches)
        return;
    uint64_t left = r->batches - a->claimed;
    a->window_size = (uint64_t)WINDOW_PER_THREAD * r->threads;
    if (!(a->window = calloc(a->window_size, sizeof *a->window)))
        return; /* the caller goes on alone */
    a->helped_at = a->claimed - 1;
    a->helped = r->grid.parallel = true;
    thread_pool_begin(r->device->thread_pool, left < r->threads - 1 ? (unsigned)left : r->threads - 1, help, a);
}

/* One turn of the block. A caller that is alone checks after each round whether it needs help. */
static enum block_status run_turn(struct worker *w, struct block *b)
{
    struct attempt *a = w->attempt;
    uint64_t rounds = a->run->grid.rounds;
    enum block_status status = BLOCK_SET_ASIDE;
    for (; status == BLOCK_SET_ASIDE && rounds && !a->helped && a->run->threads > 1; rounds--) {
        status = block_run(b, 1);
        consider_help(a, a->warp_instructions + block_executed(b));
    }
    return status == BLOCK_SET_ASIDE && rounds ? block_run(b, rounds) : status;
}

/* Makes a frame of what has been recorded if that is enough for one. This also happens within a block, because the size
 * of a chunk is limited. */
static bool keep_long(struct worker *w, struct batch *batch, struct rp_error *err)
{
    if (!w->chunk || (rp_chunk_bytes(w->chunk) <= RECORD_CHUNK_BYTES && !rp_chunk_failed(w->chunk)))
        return true;
    return frames_finish(&batch->frames, w->chunk, err);
}

/* Counts a finished block. */
static void count_done(struct attempt *a, uint64_t warp_instructions)
{
    if (a->helped) {
        atomic_fetch_add_explicit(&a->blocks_done, 1, memory_order_relaxed);
        atomic_fetch_add_explicit(&a->warp_instructions, warp_instructions, memory_order_relaxed);
    } else { /* no other thread counts */
        atomic_store_explicit(&a->blocks_done, a->blocks_done + 1, memory_order_relaxed);
        atomic_store_explicit(&a->warp_instructions, a->warp_instructions + warp_instructions, memory_order_relaxed);
    }
}

static uint64_t state_of(void *block) { return block_fingerprint(block); }

/* Runs one block to its end. False: the attempt is over. */
static bool run_through(struct worker *w, uint64_t index, struct batch *batch)
{
    struct block *b = w->block;
    struct attempt *a = w->attempt;
    struct rp_error err;
    struct rp_warp_log *logs = w->chunk ? rp_chunk_begin_block(w->chunk, index, a->run->grid.warps) : NULL;
    if (w->chunk && !logs) {
        rp_fail(&err, RP_SYSTEM, "out of memory for the trace");
        fail(a, &err);
        return false;
    }
    block_start(b, index, logs);
    if (a->run->config.sample)
        check_sample_begin(a->run->config.sample, &a->run->grid, b);
    enum block_status status;
    unsigned silent = 0;
    bool round = false; /* the block repeats the same steps: perhaps it waits for a later block */
    struct turns turns = {0};
    w->watch.met = w->watch.lost = false; /* the watch is cleared before it is used */
    do {
        b->watch = turns_watch(&turns, &w->watch) ? &w->watch : NULL;
        status = run_turn(w, b);
        if (w->caller && status == BLOCK_SET_ASIDE)
            run_progress(a->run, a->blocks_done, a->warp_instructions + block_executed(b));
        if (track_verdict(a->track) != TRACK_CLEAN)
            return false;
        if (status == BLOCK_SET_ASIDE && !keep_long(w, batch, &err)) {
            fail(a, &err);
            return false;
        }
        silent = tracker_wrote(w->tracker) ? 0 : silent + 1;
        round = status == BLOCK_SET_ASIDE && !block_reads_clock(b) && turns_end(&turns, &w->watch, state_of, b);
        if (round && block_go_ahead(b)) { /* as in the fixed order */
            round = false;
            turns = (struct turns){0};
            watch_clear(&w->watch);
        }
    } while (status == BLOCK_SET_ASIDE && silent < SILENT_TURNS && !round);
    if (status != BLOCK_DONE) { /* running in order finds which block faults first */
        track_give_up(a->track);
        return false;
    }
    uint64_t before = batch->warp_instructions;
    block_count(b, &batch->warp_instructions, &batch->thread_instructions);
    count_done(a, batch->warp_instructions - before);
    if (w->chunk)
        rp_chunk_end_block(w->chunk, index);
    return true;
}

static bool run_block(struct worker *w, uint64_t index, struct batch *batch)
{
    bool ok = run_through(w, index, batch);
    if (!index && w->attempt->run->config.sample)
        check_sample_end(w->attempt->run->config.sample, w->block);
    return ok;
}

/* Gets a new chunk for a worker that has passed its chunk on. */
static bool need_chunk(struct worker *w, struct rp_error *err)
{
    const struct recorder *r = &w->attempt->run->recorder;
    if (!w->chunk && r->writer)
        w->chunk = device_take_chunk(w->attempt->run->device, r->kernel, r->launch);
    return w->chunk || !r->writer || rp_fail(err, RP_SYSTEM, "out of memory for the trace");
}

/* Ends the recording of a batch. What becomes a frame depends on geometry and content only. */
static bool keep_batch(struct worker *w, struct batch *batch, struct rp_error *err)
{
    if (!w->chunk)
        return true;
    if (rp_chunk_bytes(w->chunk) >= RECORD_SMALL_BYTES || batch->frames.count || !w->attempt->run->join_small)
        return frames_finish(&batch->frames, w->chunk, err);
    batch->small = w->chunk;
    w->chunk = NULL;
    return true;
}

static bool run_batch(struct worker *w, uint64_t number, struct batch *batch)
{
    struct attempt *a = w->attempt;
    struct rp_running *r = a->run;
    uint64_t first = number * r->batch_blocks, end = first + r->batch_blocks;
    end = end < r->grid.blocks ? end : r->grid.blocks;
    struct rp_error err;
    bool ok = need_chunk(w, &err);
    for (uint64_t i = first; i < end && ok; i++) {
        if (!run_block(w, i, batch))
            return false;
        ok = i + 1 == end ? keep_batch(w, batch, &err) : keep_long(w, batch, &err);
        if (w->caller)
            run_progress(r, a->blocks_done, a->warp_instructions);
    }
    if (!ok)
        fail(a, &err);
    return ok && tracker_end_batch(w->tracker);
}

/* ---- committing -------------------------------------------------------------------------------------------------- */

/* Makes a frame of what small batches have recorded. */
static bool commit_joined(struct attempt *a, struct rp_error *err)
{
    struct frame_list frames = {0};
    bool ok = !a->joined || !rp_chunk_bytes(a->joined) ||
              (frames_finish(&frames, a->joined, err) && frames_commit(&frames, &a->run->recorder, err));
    frames_free(&frames);
    return ok;
}

/* Adds a small batch to the small batches before it. */
static bool join(struct worker *w, struct batch *batch, struct rp_error *err)
{
    struct attempt *a = w->attempt;
    struct rp_chunk *small = batch->small;
    batch->small = NULL;
    if (!a->joined) {
        a->joined = small;
    } else {
        rp_chunk_absorb(a->joined, small);
        if (w->chunk)
            device_give_chunk(a->run->device, small);
        else
            w->chunk = small;
    }
    return rp_chunk_bytes(a->joined) < RECORD_SMALL_BYTES || commit_joined(a, err);
}

static bool commit(struct worker *w, struct batch *batch)
{
    struct attempt *a = w->attempt;
    struct rp_running *r = a->run;
    struct rp_error err;
    r->result.warp_instructions += batch->warp_instructions;
    r->result.thread_instructions += batch->thread_instructions;
    batch->warp_instructions = batch->thread_instructions = 0;
    bool ok = batch->small ? join(w, batch, &err)
                           : commit_joined(a, &err) && frames_commit(&batch->frames, &r->recorder, &err);
    bool last = a->committed + 1 == r->batches;
    ok = ok && (!last || commit_joined(a, &err));
    if (!ok)
        fail(a, &err);
    return ok;
}

/* ---- threads ----------------------------------------------------------------------------------------------------- */

/* Waits up to a fifth of a second for a change. Called with the lock held. */
static void wait_for_change(struct worker *w)
{
    struct attempt *a = w->attempt;
    struct timespec until;
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_nsec += 200000000;
    if (until.tv_nsec >= 1000000000) {
        until.tv_nsec -= 1000000000;
        until.tv_sec++;
    }
    pthread_cond_timedwait(&a->changed, &a->lock, &until);
    if (w->caller) {
        pthread_mutex_unlock(&a->lock);
        run_progress(a->run, a->blocks_done, a->warp_instructions);
        pthread_mutex_lock(&a->lock);
    }
}

/* Commits the next batch in order if it is done and no other thread commits. Called with the lock held. */
static bool try_commit(struct worker *w)
{
    struct attempt *a = w->attempt;
    struct batch *batch = batch_at(a, a->committed);
    if (a->committing || a->committed == a->run->batches || !batch->done)
        return false;
    a->committing = true;
    pthread_mutex_unlock(&a->lock);
    bool ok = commit(w, batch);
    pthread_mutex_lock(&a->lock);
    a->committing = batch->done = false;
    a->committed += ok;
    pthread_cond_broadcast(&a->changed);
    return true;
}

/* Runs the next batch if there is one and the window has room for it. Called with the lock held. */
static bool try_run(struct worker *w)
{
    struct attempt *a = w->attempt;
    if (a->claimed == a->run->batches || a->claimed >= a->committed + a->window_size)
        return false;
    uint64_t number = a->claimed++;
    struct batch *batch = batch_at(a, number);
    pthread_mutex_unlock(&a->lock);
    bool ok = run_batch(w, number, batch);
    pthread_mutex_lock(&a->lock);
    batch->done = ok;
    a->over |= !ok;
    pthread_cond_broadcast(&a->changed);
    return true;
}

static void run_together(struct worker *w)
{
    struct attempt *a = w->attempt;
    pthread_mutex_lock(&a->lock);
    while (!a->over && a->committed < a->run->batches)
        if (!try_commit(w) && !try_run(w))
            wait_for_change(w);
    pthread_mutex_unlock(&a->lock);
}

/* Runs batches while the caller is alone. */
static void run_alone(struct worker *w)
{
    struct attempt *a = w->attempt;
    while (!a->helped && a->claimed < a->run->batches) {
        if (!run_batch(w, a->claimed++, &a->own)) {
            stop(a);
            return;
        }
        if (a->helped) {
            pthread_mutex_lock(&a->lock);
            a->own.done = true;
            pthread_mutex_unlock(&a->lock);
            return;
        }
        if (!commit(w, &a->own))
            return;
        a->committed++;
        consider_help(a, a->warp_instructions);
    }
}

/* The tracker of thread `index`, which stays for the next launch. */
static struct tracker *take_tracker(struct attempt *a, unsigned index)
{
    struct tracker **at = &a->run->device->trackers[index];
    if (!*at)
        *at = tracker_new(a->track);
    return *at && tracker_begin(*at) ? *at : NULL;
}

static bool worker_init(struct worker *w, struct attempt *a)
{
    struct rp_running *r = a->run;
    pthread_mutex_lock(&a->lock);
    unsigned index = a->workers++;
    pthread_mutex_unlock(&a->lock);
    w->attempt = a;
    w->caller = index == 0;
    w->chunk = NULL;
    w->watch.count = WATCH_ENTRIES; /* so that clearing clears every entry */
    w->block = device_take_block(r->device, &r->grid);
    w->tracker = take_tracker(a, index);
    if (!w->block || !w->tracker) {
        struct rp_error err;
        rp_fail(&err, RP_SYSTEM, "out of memory for %u threads that run kernel '%s'", r->threads, r->program->name);
        fail(a, &err);
        return false;
    }
    block_observe(w->block, tracker_observer(w->tracker));
    return true;
}

static void worker_end(struct worker *w)
{
    device_give_block(w->attempt->run->device, w->block);
    device_give_chunk(w->attempt->run->device, w->chunk);
}

static void help(void *data)
{
    struct worker w;
    if (worker_init(&w, data))
        run_together(&w);
    worker_end(&w);
}

/* ---- attempts ---------------------------------------------------------------------------------------------------- */

static void batch_end(struct attempt *a, struct batch *batch)
{
    frames_free(&batch->frames);
    device_give_chunk(a->run->device, batch->small);
}

static void attempt_end(struct attempt *a)
{
    batch_end(a, &a->own);
    for (uint64_t i = 0; a->window && i < a->window_size; i++)
        batch_end(a, &a->window[i]);
    device_give_chunk(a->run->device, a->joined);
    if (a->warp_instructions > SPARE_LAUNCH_INSTRUCTIONS)
        device_drop_chunks(a->run->device);
    free(a->window);
    pthread_mutex_destroy(&a->lock);
    pthread_cond_destroy(&a->changed);
}

static bool attempt_run(struct rp_running *r, struct track_grid *track, struct rp_error *err)
{
    struct attempt a = {.run = r, .track = track};
    struct worker caller;
    r->grid.parallel = false;
    pthread_mutex_init(&a.lock, NULL);
    pthread_cond_init(&a.changed, NULL);
    if (worker_init(&caller, &a))
        run_alone(&caller);
    if (a.helped) {
        run_together(&caller);
        stop(&a);
        thread_pool_end(r->device->thread_pool);
    }
    worker_end(&caller);
    for (unsigned i = 0; i < a.workers; i++)
        if (r->device->trackers[i])
            tracker_end(r->device->trackers[i]);
    if (a.failed && err)
        *err = a.error;
    attempt_end(&a);
    return !a.failed;
}

/* Creates what the device keeps for running in batches. */
static bool need_thread_pool(struct rp_running *r, struct rp_error *err)
{
    struct rp_device *d = r->device;
    if (!d->track)
        d->track = track_grid_new();
    if (!d->thread_pool && r->threads > 1)
        d->thread_pool = thread_pool_new();
    return (d->track && (d->thread_pool || r->threads == 1)) ||
           rp_fail(err, RP_SYSTEM, "out of memory for the launch of kernel '%s'", r->program->name);
}

bool batches_run(struct rp_running *r, bool *again, struct rp_error *err)
{
    *again = false;
    if (!need_thread_pool(r, err))
        return false;
    struct track_grid *track = r->device->track;
    recorder_mark(&r->recorder);
    if (!track_begin(track, &r->device->memory)) {
        track_end(track);
        return rp_fail(err, RP_SYSTEM, "out of memory for the launch of kernel '%s'", r->program->name);
    }
    bool ok;
    enum track_verdict verdict;
    do {
        track_again(track);
        ok = attempt_run(r, track, err);
        verdict = track_verdict(track);
        if (ok && verdict == TRACK_CLEAN) {
            if (r->config.spare_repeats)
                repeats_note(r, track);
            break;
        }
        track_restore(track);
        running_clear_result(r);
        ok = ok && recorder_restart(&r->recorder, err);
    } while (ok && verdict == TRACK_REPEAT);
    track_end(track);
    *again = ok && verdict == TRACK_CONFLICT;
    return ok;
}
