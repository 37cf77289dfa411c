/* The chip in the fast engine: it assigns blocks to SMs, and decides how far each SM runs by itself.
 *
 * In a window each SM runs to its horizon, the first cycle in which a response can reach it. The horizon of an SM that
 * waits for no response is far away. For instance, while a block works in shared memory, its SM runs alone, and the
 * SM's state stays in the caches of the host. Then the chip runs, as far as no later request of an SM can reach it.
 * With several threads the chip runs while SMs do, on the requests of earlier windows. A window then asks of SMs only
 * what the chip waits for, the least of their horizons. A thread whose SMs have all reached it lets them run further
 * until the others, and the chip, are done, too. How far they come does not change results.
 *
 * While blocks are left, no SM has room for one, except SMs that a block has just left, and SMs that got one less than
 * dispatch_interval ago. So an SM pauses where a block leaves it or that interval ends. All SMs run to where they pause
 * or to the end of the window. Then the earliest ones that pause get their blocks, as if the chip had run cycle by
 * cycle. With several threads others that pause get theirs, too, before the first ones go on, if these cannot pause
 * again before (leaving.c).
 *
 * Where launches overlap, a block that leaves one SM may let blocks come to others. So a window ends where that can be
 * (overlap.c). Then all SMs run in step, from one cycle in which something happens to the next.
 */
#include <stdatomic.h>
#include <stdlib.h>

#include "replay/engines/fast/fast.h"
#include "replay/engines/fast/round_pool.h"

#define SLICE 512u         /* most cycles that an SM runs at a time beyond what a round asks for */
#define THREADS_FROM 4096u /* warp instructions of launches: fewer are done before the threads have started */
#define IN_STEP 16u        /* least cycles in step before the next test whether a window is possible */

/* Bytes. What one thread writes and others read often is apart from all else, as hosts fetch two lines at a time. */
#define OWN_LINES 128u

/* The state of an SM in a round: done, due, or taken by a thread. */
enum turn_state { TURN_OVER, TURN_DUE, TURN_TAKEN };
struct turn {
    _Alignas(OWN_LINES) atomic_uchar state; /* enum turn_state */
};

struct dispatch {
    struct fast *fast;
    struct round_pool *round_pool;
    unsigned threads;
    uint64_t launches; /* f->launches when `threads` was chosen */
    uint64_t slice;
    struct turn *turns; /* [SMs] */
    uint64_t serve;
    uint64_t ask_again;                  /* the cycle from which f->step_from is computed again, once it has passed */
    struct turn chip;                    /* the chip's turn: it serves the requests before cycle `serve` */
    _Alignas(OWN_LINES) atomic_uint due; /* SMs that have not run as far as they must */
    _Alignas(OWN_LINES) atomic_uint inside; /* helpers that may be at work on an SM */
    atomic_bool over;                       /* helpers must leave the round */
};

/* Whether the SM has reached this cycle, and nothing has issued in it yet. */
static bool is_at(const struct fast *f, const struct fast_sm *sm, uint64_t now)
{
    return f->in_step || (sm->paused && sm->now == now);
}

static bool assign_grid(struct fast *f, struct fast_grid *grid, uint64_t now, struct rp_error *err)
{
    for (unsigned tried = 0; grid->next_block < grid->of.blocks && tried < f->sm_count; tried++) {
        struct fast_sm *sm = &f->sms[f->next_sm];
        unsigned s = f->next_sm;
        f->next_sm = (f->next_sm + 1) % f->sm_count;
        if (!is_at(f, sm, now) || now < sm->next_place || !room_fits(&sm->left, &grid->block_room))
            continue;
        sm->next_place = now + room_interval(f->machine, &grid->block_room);
        sm->now = f->next[s] = now;
        if (!fast_assign(f, grid, sm, &(struct fast_assigned){.index = grid->of.left_out + grid->next_block}, err))
            return false;
        tried = ~0u; /* one was placed: try all SMs again */
    }
    return true;
}

/* Assigns blocks to the SMs that have reached this cycle, launch by launch. */
static bool assign(struct fast *f, uint64_t now, struct rp_error *err)
{
    struct fast_grid *grid;
    for (struct fast_grid *before = NULL; (grid = fast_first_waiting(f)) && grid != before; before = grid)
        if (!(grid->clusters ? fast_assign_clusters : assign_grid)(f, grid, now, err))
            return false;
    for (unsigned s = 0; s < f->sm_count; s++) {
        struct fast_sm *sm = &f->sms[s];
        if (sm->pauses != (grid != NULL)) /* most often it is the same: another thread may have the SM in its caches */
            sm->pauses = grid;
        if (grid && is_at(f, sm, now))
            sm->next_room = sm->next_place > now && room_fits(&sm->left, &grid->block_room) ? sm->next_place : NEVER;
        if (!grid)
            sm->next_room = NEVER;
        if (f->in_step && f->next[s] != now)
            f->next[s] = fast_sm_next(sm);
    }
    return true;
}

static void run_sm(const struct dispatch *d, unsigned thread, unsigned s)
{
    d->fast->next[s] = fast_sm_run(&d->fast->sms[s], d->fast->memos[thread]);
}

/* ---- rounds: threads run SMs ------------------------------------------------------------------------------------- */

static bool take_turn(struct turn *t, enum turn_state state)
{
    unsigned char is = (unsigned char)state;
    return atomic_load_explicit(&t->state, memory_order_relaxed) == state &&
           atomic_compare_exchange_strong(&t->state, &is, TURN_TAKEN);
}

static void end_turn(struct turn *t) { atomic_store(&t->state, TURN_OVER); }

/* Runs the SM as far as it must run. False: it is done, or another thread has it. */
static bool run_due(struct dispatch *d, unsigned thread, unsigned s)
{
    if (!take_turn(&d->turns[s], TURN_DUE))
        return false;
    run_sm(d, thread, s);
    end_turn(&d->turns[s]);
    atomic_fetch_sub(&d->due, 1);
    return true;
}

/* The cycle up to which the SM may run, whatever happens beyond it. */
static uint64_t limit_of(const struct fast *f, const struct fast_sm *sm)
{
    uint64_t most = f->from + f->most_ahead, horizon = fast_sm_horizon(sm);
    most = f->step_from < most ? f->step_from : most;
    return horizon < most ? horizon : most;
}

/* Runs the SM by a slice, if it may run further. */
static bool run_slice(struct dispatch *d, unsigned thread, unsigned s)
{
    struct fast *f = d->fast;
    struct fast_sm *sm = &f->sms[s];
    if (!take_turn(&d->turns[s], TURN_OVER))
        return false;
    uint64_t limit = limit_of(f, sm), from = f->next[s] > sm->until ? f->next[s] : sm->until;
    bool may = !sm->paused && !sm->failed && sm->until < limit;
    if (may)
        sm->until = from < limit && limit - from > d->slice ? from + d->slice : limit;
    if (may && f->next[s] < sm->until)
        run_sm(d, thread, s);
    end_turn(&d->turns[s]);
    return may;
}

/* Each thread has SMs of its own, whose state is in the caches of its processor. It first runs those that are due.
 * While another thread still runs a due one, the thread runs its own SMs as far as they may; when none may, it takes
 * due SMs of others. False: there was nothing to do. */
static bool run_some(struct dispatch *d, unsigned thread)
{
    unsigned sms = d->fast->sm_count, step = d->threads;
    bool any = false, more = true;
    for (unsigned s = thread; s < sms; s += step)
        any |= run_due(d, thread, s);
    for (; more && atomic_load(&d->due); any |= more) {
        more = false;
        for (unsigned s = thread; s < sms && atomic_load(&d->due); s += step)
            more |= run_slice(d, thread, s);
        for (unsigned s = sms; s-- > 0 && !more;)
            more = run_due(d, thread, s);
    }
    return any;
}

static void serve_chip(struct dispatch *d)
{
    if (!take_turn(&d->chip, TURN_DUE))
        return;
    d->fast->chip_next = memory_system_serve(d->fast->memory, d->serve - 1);
    end_turn(&d->chip);
}

/* A helper's part of a round: it serves the chip and runs SMs, until the round is over or there is nothing to do for a
 * while. */
static void help(void *data, unsigned thread)
{
    struct dispatch *d = data;
    serve_chip(d);
    for (unsigned idle = 0; !atomic_load(&d->over) && idle <= round_pool_patience(d->round_pool); idle++) {
        round_pool_pause(idle);
        if (!atomic_load(&d->due))
            continue;
        atomic_fetch_add(&d->inside, 1);
        if (atomic_load(&d->due) && run_some(d, thread))
            idle = 0;
        atomic_fetch_sub(&d->inside, 1);
    }
}

/* Runs all SMs that are due. When it returns no other thread accesses an SM, until some are due again. */
static void run(struct dispatch *d)
{
    for (unsigned looks = 0; atomic_load(&d->due); looks++)
        if (run_some(d, 0))
            looks = 0;
        else
            round_pool_pause(looks);
    for (unsigned looks = 0; atomic_load(&d->inside); looks++)
        round_pool_pause(looks);
}

/* Threads take the SM once `due` counts it. */
static void make_due(struct dispatch *d, unsigned s) { atomic_store(&d->turns[s].state, TURN_DUE); }

/* Whether an SM has failed: the failure of the earliest cycle, and in it of the lowest SM. It is reported once all SMs
 * have run past that cycle. */
static bool failed(const struct fast *f, struct rp_error *err)
{
    const struct fast_sm *first = NULL;
    for (unsigned s = 0; s < f->sm_count; s++)
        if (f->sms[s].failed && (!first || f->sms[s].now < first->now))
            first = &f->sms[s];
    if (!first || f->from < first->now)
        return false;
    if (err)
        *err = first->error;
    return true;
}

/* Ends the pauses at `now`: these SMs become due. Returns their number. */
static unsigned end_pauses(struct dispatch *d, uint64_t now)
{
    struct fast *f = d->fast;
    unsigned due = 0;
    for (unsigned s = 0; s < f->sm_count; s++)
        if (f->next[s] == now && f->sms[s].paused) {
            f->sms[s].paused = false;
            f->sms[s].pauses_from = now;
            make_due(d, s);
            due++;
        }
    return due;
}

static uint64_t plus(uint64_t cycle, uint64_t more) { return cycle < NEVER - more ? cycle + more : NEVER; }

/* Whether the chip runs while SMs do. */
static bool is_beside(const struct dispatch *d) { return d->threads > 1 && !d->fast->light; }

/* The cycle that all SMs must reach before the chip can run: the first of their limits. If that is no further than a
 * round trip to the chip, it is half of that: else SMs would wait for the chip in one window, and the chip for SMs in
 * the next. */
static uint64_t first_limit(const struct dispatch *d)
{
    const struct fast *f = d->fast;
    uint64_t first = NEVER, round_trip = is_beside(d) ? plus(f->lookahead, f->chip_delay) : 0;
    for (unsigned s = 0; s < f->sm_count; s++) {
        uint64_t limit = limit_of(f, &f->sms[s]);
        first = limit < first ? limit : first;
    }
    uint64_t half = round_trip - round_trip / 2;
    return first - f->from <= round_trip && first - f->from > half ? f->from + half : first;
}

/* Makes the SMs due that have something to do in the window that begins at f->from, and do not pause. With one thread
 * each runs as far as it may; with several, no further than all must. */
static void choose_all(struct dispatch *d)
{
    struct fast *f = d->fast;
    uint64_t most = d->threads > 1 ? first_limit(d) : NEVER;
    unsigned due = 0;
    for (unsigned s = 0; s < f->sm_count; s++) {
        struct fast_sm *sm = &f->sms[s];
        uint64_t limit = d->threads > 1 ? most : limit_of(f, sm);
        sm->until = limit > sm->until ? limit : sm->until;
        if (f->next[s] >= sm->until || sm->paused || sm->failed)
            continue;
        make_due(d, s);
        due++;
    }
    atomic_store(&d->due, due);
}

/* All cycles before it are over on the SM. */
static uint64_t reached(const struct fast_sm *sm) { return sm->paused || sm->failed ? sm->now : sm->until; }

/* All cycles before it are over on all SMs. */
static uint64_t all_reached(const struct fast *f)
{
    uint64_t least = NEVER;
    for (unsigned s = 0; s < f->sm_count; s++)
        least = reached(&f->sms[s]) < least ? reached(&f->sms[s]) : least;
    return least;
}

/* The cycle of the earliest SMs that pause, if all others have run past it; else NEVER. */
static uint64_t first_pause(const struct fast *f)
{
    uint64_t first = all_reached(f);
    for (unsigned s = 0; s < f->sm_count; s++)
        if (!f->sms[s].paused && reached(&f->sms[s]) == first)
            return NEVER;
    return first;
}

static bool is_due(const struct dispatch *d, unsigned s)
{
    return atomic_load_explicit(&d->turns[s].state, memory_order_relaxed) == TURN_DUE;
}

/* While SMs are due, and none runs: the cycle of the earliest SMs that pause; NEVER: an SM that is due may pause again
 * before, or no SM pauses. */
static uint64_t next_pause(const struct dispatch *d)
{
    struct fast *f = d->fast;
    uint64_t next = NEVER, others = NEVER;
    for (unsigned s = 0; s < f->sm_count; s++) {
        const struct fast_sm *sm = &f->sms[s];
        if (sm->paused)
            next = sm->now < next ? sm->now : next;
        else if (!is_due(d, s))
            others = reached(sm) < others ? reached(sm) : others;
    }
    if (next >= others)
        return NEVER;
    for (unsigned s = 0; s < f->sm_count && next != NEVER; s++) {
        struct fast_sm *sm = &f->sms[s];
        if (is_due(d, s) && sm->pauses_from <= next)
            sm->pauses_from = fast_pauses_from(sm, NEVER);
        if (is_due(d, s) && sm->pauses_from <= next)
            next = NEVER;
    }
    return next;
}

/* Removes complete blocks, before anything issues, on all SMs. True: an SM pauses. */
static bool leave(struct fast *f, uint64_t now)
{
    bool pauses = false;
    for (unsigned s = 0; s < f->sm_count; s++) {
        if (f->next[s] != now)
            continue;
        struct fast_sm *sm = &f->sms[s];
        if (!sm->paused && (sm->next_leave == now || sm->next_room == now))
            fast_sm_leave(sm, now);
        pauses |= sm->paused;
    }
    return pauses;
}

/* Delivers the chip's responses. An SM sees them when it runs next. */
static void deliver_responses(struct fast *f)
{
    memory_system_deliver(f->memory);
    for (unsigned s = 0; s < f->sm_count; s++) {
        if (!sm_memory_replied(f->sms[s].memory))
            continue;
        uint64_t delivered = reached(&f->sms[s]);
        f->sms[s].memory_next = delivered;
        f->next[s] = f->next[s] < delivered ? f->next[s] : delivered;
    }
}

/* Runs the chip up to `now`. */
static void advance_chip(struct fast *f, uint64_t now)
{
    memory_system_take(f->memory);
    f->chip_next = memory_system_serve(f->memory, now);
    deliver_responses(f);
}

static void advance_sms(struct fast *f, uint64_t now)
{
    for (unsigned s = 0; s < f->sm_count; s++) {
        struct fast_sm *sm = &f->sms[s];
        if (f->next[s] != now || sm->memory_next > now || sm->paused)
            continue;
        fast_advance_memory(sm, now);
        f->next[s] = fast_sm_next(sm);
    }
}

static bool any_without_blocks(const struct fast *f)
{
    for (const struct fast_grid *g = f->grids; g; g = g->next)
        if (!g->of.blocks)
            return true;
    return false;
}

/* Threads and memos are kept for later periods. */
static bool take_threads(struct dispatch *d, unsigned threads)
{
    struct fast *f = d->fast;
    if (threads > 1 && !f->round_pool && !(f->round_pool = round_pool_new(threads)))
        return false;
    d->round_pool = threads > 1 ? f->round_pool : NULL;
    d->threads = threads > 1 ? round_pool_threads(f->round_pool) : 1;
    f->shared = d->threads > 1;
    if (f->memo_count >= d->threads)
        return true;
    struct memo **memos = realloc(f->memos, d->threads * sizeof(struct memo *));
    f->memos = memos ? memos : f->memos;
    while (memos && f->memo_count < d->threads && (memos[f->memo_count] = memo_new()))
        f->memo_count++;
    return f->memo_count >= d->threads;
}

/* Takes as many threads as pay for the launches on the machine: small ones end before threads have started. */
static bool need_threads(struct dispatch *d, struct rp_error *err)
{
    struct fast *f = d->fast;
    uint64_t instructions = 0;
    if (d->threads && d->launches == f->launches)
        return true;
    d->launches = f->launches;
    for (const struct fast_grid *g = f->job->threads > 1 ? f->grids : NULL; g; g = g->next)
        instructions += rp_trace_launch_totals(f->job->trace, g->of.number).warp_instructions;
    bool large = instructions >= THREADS_FROM;
    unsigned threads = large && f->lookahead ? f->job->threads : 1;
    threads = threads < f->sm_count ? threads : f->sm_count;
    return d->threads >= threads || take_threads(d, threads) ||
           rp_fail(err, RP_SYSTEM, "out of memory for machine %s", f->machine->name);
}

/* Blocks have left: ends launches, takes others, and assigns blocks. */
static bool exchange(struct dispatch *d, uint64_t now, struct rp_error *err)
{
    struct fast *f = d->fast;
    do { /* launches without blocks end at once */
        fast_end_launches(f, now);
        if (!f->grids)
            return true;
        if (!fast_take_launches(f, now, err))
            return false;
    } while (any_without_blocks(f));
    return need_threads(d, err) && assign(f, now, err);
}

/* One cycle of SMs that cannot be ahead of one another: memory, blocks, issue in the order of SMs. */
static bool run_cycle(struct dispatch *d, uint64_t now, struct rp_error *err)
{
    struct fast *f = d->fast;
    f->in_step = true;
    for (unsigned s = 0; s < f->sm_count; s++) {
        f->sms[s].until = now;
        f->sms[s].pauses = true;
    }
    advance_sms(f, now);
    advance_chip(f, now);
    advance_sms(f, now);
    if ((leave(f, now) || !now || fast_wakes(f) <= now) && !exchange(d, now, err))
        return false;
    for (unsigned s = 0; s < f->sm_count; s++) {
        struct fast_sm *sm = &f->sms[s];
        if (f->next[s] != now)
            continue;
        sm->paused = false;
        sm->until = now + 1;
        run_sm(d, 0, s);
        if (sm->failed && err)
            *err = sm->error;
        if (sm->failed)
            return false;
    }
    return true;
}

static uint64_t next_cycle(const struct fast *f)
{
    uint64_t next = f->chip_next;
    for (unsigned s = 0; s < f->sm_count; s++)
        next = f->next[s] < next ? f->next[s] : next;
    return next;
}

/* All cycles before `from` are over, and the chip has taken the requests that SMs sent in them. */
static void begin_at(struct fast *f, uint64_t from)
{
    uint64_t sent = plus(from, f->chip_delay);
    f->from = from;
    f->delivered = f->chip_next < sent ? f->chip_next : sent;
}

/* Chooses the cycle before which the chip may serve requests while SMs run: no request that an SM sends from now on can
 * reach the chip earlier, whatever responses it gets. */
static void choose_chip(struct dispatch *d)
{
    struct fast *f = d->fast;
    uint64_t first = plus(f->delivered, f->lookahead);
    for (unsigned s = 0; s < f->sm_count; s++)
        first = f->next[s] < first ? f->next[s] : first;
    d->serve = plus(first, f->chip_delay);
    atomic_store(&d->chip.state, f->chip_next < d->serve ? TURN_DUE : TURN_OVER);
}

/* Begins a round of the other threads if they have something to do. False: they have not. */
static bool begin_round(struct dispatch *d)
{
    bool chip = atomic_load(&d->chip.state) == TURN_DUE;
    if (!d->round_pool || atomic_load(&d->due) + chip < 2)
        return false;
    atomic_store(&d->over, false);
    round_pool_begin(d->round_pool, help, d);
    return true;
}

/* Whether SMs whose pauses have ended may wait while those of later pauses get their blocks, so that all run at once.
 */
static bool may_gather(const struct dispatch *d, const struct fast_grid *waited)
{
    return d->threads > 1 && d->fast->step_from == NEVER && waited && fast_first_waiting(d->fast) == waited;
}

/* The earliest SMs that pause, at `now`, get blocks. With several threads, so do those that pause later, as long as the
 * order of pauses is certain. */
static bool serve_pauses(struct dispatch *d, uint64_t now, struct rp_error *err)
{
    unsigned due = 0;
    do {
        const struct fast_grid *waited = fast_first_waiting(d->fast);
        if (!exchange(d, now, err))
            return false;
        due += end_pauses(d, now);
        now = may_gather(d, waited) ? next_pause(d) : NEVER;
    } while (now != NEVER);
    atomic_store(&d->due, due);
    return true;
}

static bool run_sms(struct dispatch *d, struct rp_error *err)
{
    run(d);
    for (uint64_t now; (now = first_pause(d->fast)) != NEVER; run(d))
        if (!serve_pauses(d, now, err))
            return false;
    return true;
}

/* Serves the chip or, while another thread does, lets SMs run as far as they may. */
static void end_chip(struct dispatch *d)
{
    serve_chip(d);
    for (bool more = true; more && atomic_load(&d->chip.state) != TURN_OVER;) {
        more = false;
        for (unsigned s = 0; s < d->fast->sm_count && atomic_load(&d->chip.state) != TURN_OVER; s++)
            more |= run_slice(d, 0, s);
    }
}

/* Runs all SMs up to their horizons, and the chip: beside them with several threads, else after them. */
static bool run_window(struct dispatch *d, struct rp_error *err)
{
    struct fast *f = d->fast;
    bool waits = fast_first_waiting(f), beside = is_beside(d);
    f->in_step = false;
    for (unsigned s = 0; s < f->sm_count; s++)
        f->sms[s].pauses = waits;
    if (beside)
        choose_chip(d);
    choose_all(d);
    bool helped = begin_round(d), fine = run_sms(d, err);
    end_chip(d);
    atomic_store(&d->over, true);
    if (helped)
        round_pool_end(d->round_pool);
    if (!fine || failed(f, err))
        return false;
    uint64_t over = all_reached(f);
    if (beside)
        deliver_responses(f);
    else if (over != NEVER)
        advance_chip(f, over + f->chip_delay - 1);
    return true;
}

static bool resident(const struct fast *f)
{
    for (unsigned s = 0; s < f->sm_count; s++)
        if (f->sms[s].resident)
            return true;
    return false;
}

/* Whether SMs may be ahead of one another from cycle `from` on. */
static bool window_opens(struct dispatch *d, uint64_t from)
{
    struct fast *f = d->fast;
    if (!f->lookahead || (from >= f->step_from && from < d->ask_again))
        return false;
    if (from >= f->step_from) {
        f->step_from = fast_step_from(f, from);
        d->ask_again = from + IN_STEP;
    }
    return from < f->step_from;
}

static bool run_all(struct dispatch *d, struct rp_error *err)
{
    struct fast *f = d->fast;
    while (fast_first_waiting(f) || resident(f)) {
        f->chip_next = memory_system_take(f->memory);
        uint64_t from = next_cycle(f);
        if (from == NEVER && memory_system_failed(f->memory))
            return rp_fail(err, RP_SYSTEM, "out of memory for the accesses of a launch");
        if (from == NEVER) {
            if (!fast_stuck(f, err))
                return false;
            f->step_from = f->step_from == NEVER ? NEVER : 0;
            continue;
        }
        if (fast_wakes(f) < from && fast_wakes(f) >= f->step_from) /* in a window it can wait (overlap.c) */
            from = fast_wakes(f);
        begin_at(f, from);
        if (window_opens(d, from) ? !run_window(d, err) : !run_cycle(d, from, err))
            return false;
    }
    f->from = NEVER;
    return !failed(f, err);
}

static bool begin(struct dispatch *d, struct rp_error *err)
{
    struct fast *f = d->fast;
    d->turns = aligned_alloc(_Alignof(struct turn), f->sm_count * sizeof *d->turns);
    d->slice = f->lookahead < SLICE ? f->lookahead : SLICE;
    for (unsigned s = 0; d->turns && s < f->sm_count; s++)
        atomic_init(&d->turns[s].state, TURN_OVER);
    for (unsigned s = 0; s < f->sm_count; s++) { /* blocks may come */
        f->sms[s].paused = true;
        f->next[s] = 0;
    }
    return (d->turns && need_threads(d, err)) ||
           rp_fail(err, RP_SYSTEM, "out of memory for machine %s", f->machine->name);
}

/* Whether a launch of the period has clusters or blocks that meet, or one may join it that has. */
static bool clusters_may_come(const struct fast *f, bool overlaps)
{
    bool found = false;
    for (const struct fast_grid *g = f->grids; g; g = g->next)
        found |= g->clusters || g->meets;
    struct rp_trace *trace = f->job->trace;
    for (uint32_t i = 0; overlaps && !found && i < rp_trace_launch_count(trace); i++) {
        const struct rp_launch *l = rp_trace_launch(trace, i);
        const struct rp_kernel *k = rp_trace_kernel(trace, l->kernel);
        found = cluster_matters(k, l) || launch_meets(k, l);
    }
    return found;
}

bool fast_run_period(struct fast *f, uint64_t *cycles, struct rp_error *err)
{
    struct dispatch d = {.fast = f, .ask_again = 1};
    if (!fast_take_launches(f, 0, err))
        return false;
    bool overlaps = f->machine->grids > 1 && (f->grid_count > 1 || launch_queue_left(f->job->queue));
    f->clusters = clusters_may_come(f, overlaps);
    f->step_from = overlaps || f->clusters ? 0 : NEVER;
    f->stepped |= overlaps || f->clusters; /* in step, the chip knows its next cycle only once a request arrives */
    bool fine = begin(&d, err) && run_all(&d, err);
    free(d.turns);
    for (unsigned s = 0; s < f->sm_count; s++)
        *cycles = f->sms[s].last_leave > *cycles ? f->sms[s].last_leave : *cycles;
    if (fine)
        fast_end_launches(f, *cycles);
    return fine;
}
