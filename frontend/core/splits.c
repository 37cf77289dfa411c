/* Splits and the order in which they run: frontend/core/engine.h, "warps". */
#include <string.h>

#include "frontend/core/engine.h"
#include "frontend/core/slice.h"
#include "frontend/operation/flags.h"
#include "tracefmt/writer.h"

void splits_start(struct warp_state *s)
{
    s->pc = s->w.block->program->uops + s->w.block->program->entry;
    s->meet = NULL;
    s->join = s->call = 0;
    s->several_open = s->stuck = false;
    s->ahead = 0;
    s->split_count = 0;
    s->joins_made = s->joins_open = s->free_join = 0;
    s->top = s->bottom = 0;
    s->spin = (struct spin){.distance = SPIN_FIRST, .next = SPIN_FIRST};
    polling_start(s);
    s->vain = (struct vain_tests){0};
    memset(s->arrived, 0, sizeof s->arrived);
}

/* ---- the list ---------------------------------------------------------------------------------------------------- */

void split_insert(struct warp_state *s, struct split split)
{
    uint32_t at = s->split_count++;
    for (; at && s->splits[at - 1].order > split.order; at--)
        s->splits[at] = s->splits[at - 1];
    s->splits[at] = split;
}

struct split split_take(struct warp_state *s, uint32_t at)
{
    struct split split = s->splits[at];
    s->split_count--;
    memmove(&s->splits[at], &s->splits[at + 1], (s->split_count - at) * sizeof split);
    return split;
}

struct split split_of_current(struct warp_state *s, const struct uop *pc, lanemask lanes)
{
    return (struct split){.pc = pc,
                          .lanes = lanes,
                          .window = current_window(s),
                          .frame = s->w.frame,
                          .call = s->call,
                          .join = s->join,
                          .order = ++s->top};
}

/* A split from another call than the current one's may go on before the current call returns: see beside_waiting in
 * paths.c. */
static void note_calls(struct warp_state *s)
{
    for (uint32_t i = 0; i < s->split_count; i++)
        s->several_open |= s->splits[i].call != s->call;
}

/* ---- what runs next ---------------------------------------------------------------------------------------------- */

/* The index of the topmost split that can run and has none of the lanes in `but`; split_count: there is none. A split
 * that waits for the rest of its warp may always check again whether it has arrived. */
static uint32_t topmost(const struct warp_state *s, lanemask but)
{
    for (uint32_t i = s->split_count; i-- > 0;)
        if ((!s->independent || s->splits[i].waits == WAIT_NONE) && !(s->splits[i].lanes & but))
            return i;
    return s->split_count;
}

static bool run_at(struct warp_state *s, uint32_t at)
{
    struct split next = split_take(s, at);
    s->status = WARP_READY;
    return split_run(s, &next);
}

static bool waits_for_block(const struct warp_state *s)
{
    for (uint32_t i = 0; i < s->split_count; i++)
        if (s->splits[i].waits > WAIT_LANES)
            return true;
    return false;
}

bool splits_next(struct warp_state *s)
{
    uint32_t at = topmost(s, 0);
    if (at < s->split_count)
        return run_at(s, at);
    s->w.active = 0;
    s->meet = NULL;
    s->join = s->call = 0;
    if (!s->split_count)
        return false;
    s->status = WARP_WAITING;
    if (waits_for_block(s))
        return false;
    if (warp_go_ahead(s))
        return true;
    collective_deadlock(s);
    return false;
}

/* The state has changed, so the warp is not known to spin: starts the detection anew. */
static void note_progress(struct warp_state *s)
{
    s->spin.since = s->spin.passed = s->w.clock;
    s->spin.at = NULL;
    s->spin.long_running = 0;
    s->spin.distance = SPIN_FIRST;
    s->spin.next = s->w.clock + SPIN_FIRST;
}

/* ---- waiting ----------------------------------------------------------------------------------------------------- */

static bool waits_alike(const struct split *a, const struct split *b)
{
    return a->pc == b->pc && a->waits == b->waits && a->barrier == b->barrier && a->join == b->join &&
           a->call == b->call && a->window == b->window;
}

void split_wait(struct warp_state *s, const struct uop *at, lanemask lanes, enum wait waits, uint32_t barrier)
{
    struct split split = split_of_current(s, at, lanes);
    split.waits = (uint8_t)waits;
    split.barrier = (uint8_t)barrier;
    for (uint32_t i = s->split_count; i-- > 0;)
        if (waits_alike(&s->splits[i], &split))
            split.lanes |= split_take(s, i).lanes;
    note_calls(s);
    split_insert(s, split);
    s->w.active &= ~lanes;
    note_progress(s);
}

void split_count(struct warp_state *s, const struct uop *u, lanemask active, lanemask executed)
{
    s->w.clock++;
    s->lanes_run += (unsigned)__builtin_popcount(active);
    s->lanes_off += (unsigned)__builtin_popcount(active & ~executed);
    if (!s->w.log)
        return;
    if (is_register(u->guard))
        rp_log_guard(s->w.log, executed);
    rp_log_run(s->w.log, u->index, 1, active);
}

/* Counts and logs one step of lanes that are not in the current split. Barrier objects log theirs with the result of
 * the test. */
static void count_step(struct warp_state *s, const struct split *split, lanemask lanes)
{
    const struct uop *u = split->pc;
    uint8_t *window = s->w.window;
    if (!(u->flags & UF_FIRST))
        return; /* counted at its first uop */
    split_count(s, u, lanes, lanes);
    if (!s->w.log || u->kind == UOP_OBJECT_WAIT)
        return;
    warp_set_window(&s->w, s->registers + split->window);
    if (u->flags & UF_LOG_AUX)
        rp_log_aux(s->w.log, barrier_aux(&s->w, u, (unsigned)__builtin_ctz(lanes)));
    warp_set_window(&s->w, window);
}

void split_release(struct warp_state *s, uint32_t i, lanemask lanes)
{
    struct split *split = &s->splits[i], ahead = *split;
    count_step(s, split, lanes);
    note_progress(s);
    if (lanes == split->lanes) {
        split->waits = WAIT_NONE;
        split->pc++;
        return;
    }
    split->lanes &= ~lanes;
    ahead.lanes = lanes;
    ahead.waits = WAIT_NONE;
    ahead.pc++;
    split_insert(s, ahead);
}

/* ---- going ahead ------------------------------------------------------------------------------------------------- */

/* The join that was opened last, or first, among those where lanes wait; 0: there is none. */
static uint32_t join_with_arrived(const struct warp_state *s, bool first)
{
    uint32_t found = 0;
    for (uint32_t i = 1; i <= s->joins_made; i++)
        if (s->joins[i].arrived && (!found || (s->joins[i].order < s->joins[found].order) == first))
            found = i;
    return found;
}

/* Lanes that wait at a convergence barrier instead of a join. */
static bool go_ahead_from_barrier(struct warp_state *s)
{
    if (!convergence_go_ahead(s))
        return false;
    note_progress(s);
    if (s->w.active) {
        struct split current = split_of_current(s, s->pc, s->w.active);
        current.order = --s->bottom;
        split_insert(s, current);
    }
    return run_at(s, topmost(s, 0));
}

bool warp_go_ahead(struct warp_state *s)
{
    uint32_t i = join_with_arrived(s, s->ahead == AHEAD_CYCLE - 1);
    if (!i)
        return go_ahead_from_barrier(s);
    s->ahead = (uint8_t)((s->ahead + 1) % AHEAD_CYCLE);
    struct join *j = &s->joins[i];
    struct split ahead = {j->pc, j->arrived, j->window, j->frame, j->call, j->outer, WAIT_NONE, 0, false, ++s->top};
    j->lanes &= ~j->arrived;
    j->arrived = 0;
    s->several_open = true;
    note_progress(s);
    if (s->w.active) {
        struct split current = split_of_current(s, s->pc, s->w.active);
        current.order = --s->bottom;
        split_insert(s, current);
    }
    s->status = WARP_READY;
    return split_run(s, &ahead);
}

bool block_go_ahead(struct block *b)
{
    bool some = false;
    for (uint32_t i = 0; i < b->grid->warps; i++) {
        struct warp_state *s = &b->warps[i];
        if (s->independent && (s->status == WARP_READY || s->status == WARP_WAITING))
            some |= warp_go_ahead(s);
    }
    return some;
}

/* ---- spinning ---------------------------------------------------------------------------------------------------- */

/* Moves the current split to the bottom and runs the one at index `at`. */
static const struct uop *exchange(struct warp_state *s, const struct uop *pc, uint32_t at)
{
    struct split other = split_take(s, at), current = split_of_current(s, pc, s->w.active);
    current.order = --s->bottom;
    split_insert(s, current);
    s->several_open |= other.call != s->call;
    return split_run(s, &other) ? s->pc : NULL;
}

/* The current split spins: its state came again (`repeats`), or it has run SPIN_LIMIT instructions. It gives way to the
 * topmost split that has done neither. If there is none, the warp is stuck, and the topmost split whose state has not
 * come again in this turn runs. Splits that merely ran long may count while they wait, so the first of them gives way
 * once per turn. NULL: the states of all splits repeat, and the turn is over. */
static const struct uop *give_way(struct warp_state *s, const struct uop *pc, bool repeats)
{
    struct spin *k = &s->spin;
    k->spun |= s->w.active;
    k->long_running |= repeats ? 0 : s->w.active;
    uint32_t at = topmost(s, k->spun | k->long_running);
    if (at < s->split_count) {
        k->since = s->w.clock;
        return exchange(s, pc, at);
    }
    if (s->stuck && !repeats)
        return pc;
    s->stuck = true;
    at = topmost(s, k->spun);
    if (at < s->split_count)
        return exchange(s, pc, at);
    return repeats ? NULL : pc;
}

static void look_again(struct warp_state *s, uint64_t distance)
{
    s->spin.at = NULL;
    s->spin.distance = distance;
    s->spin.next = s->w.clock + distance;
}

/* A hash of one lane's word of each register in the slice of the current loop. It differs from iteration to iteration
 * in nearly all loops that end. */
static uint64_t sample(const struct warp_state *s)
{
    uint64_t hash = (uint64_t)s->w.active << 32 ^ s->w.block->changes;
    const struct program *p = s->w.block->program;
    const struct slice_part *part = &p->slice->parts[p->slice->part_of[s->pc - p->uops]];
    uint32_t extent = p->register_extent, word;
    for (uint32_t at = 4 * (uint32_t)__builtin_ctz(s->w.active); at + 4 <= extent; at += 4 * RP_WARP_LANES) {
        if (!slice_has(&part->alone, at / 4) && !part->alone.clock)
            continue;
        memcpy(&word, s->w.window + at, sizeof word);
        hash = (hash ^ word) * 0x9e3779b97f4a7c15ull;
    }
    return hash;
}

/* Compares the state with an earlier one at the same uop. After some comparisons it keeps another state, at twice the
 * distance each time. The whole state is compared only if its sample matches. */
static bool comes_back(struct warp_state *s, const struct uop *pc)
{
    struct spin *k = &s->spin;
    uint64_t window = 4 * k->distance < SPIN_WINDOW ? 4 * k->distance : SPIN_WINDOW;
    if (!k->at) {
        k->at = pc;
        k->sample = sample(s);
        k->whole = false;
        k->compared = 0;
        k->kept = s->w.clock;
        return false;
    }
    if (pc == k->at) {
        bool same = sample(s) == k->sample;
        uint64_t fingerprint = same ? warp_fingerprint(s) : 0;
        if (same && k->whole && fingerprint == k->fingerprint)
            return true;
        k->compared += k->whole || !same;
        if (same && !k->whole) {
            k->whole = true;
            k->fingerprint = fingerprint;
        }
    }
    if (k->compared == SPIN_COMPARED || s->w.clock - k->kept >= window)
        look_again(s, 2 * k->distance);
    return false;
}

void split_turn(struct warp_state *s)
{
    s->stuck = false;
    s->spin.spun = 0;
    if (s->w.active == s->w.live) {
        s->spin.since = s->w.clock;
        s->spin.long_running = 0;
    }
    if (s->spin.next < s->turn_end && (s->w.active != s->w.live || s->w.block->program->polls))
        s->stop_at = s->spin.next;
}

const struct uop *split_look(struct warp_state *s, const struct uop *pc)
{
    bool polls = s->w.block->program->polls, diverged = s->w.active != s->w.live;
    if (s->w.clock >= s->turn_end) {
        s->stuck |= s->independent && polls && polling_stuck(s);
        return NULL;
    }
    if (!diverged && !polls) {
        s->stop_at = s->turn_end;
        return pc;
    }
    s->pc = pc;
    bool spins = comes_back(s, pc);
    if (spins || (polls && s->w.clock - (diverged ? s->spin.since : s->spin.passed) >= SPIN_LIMIT)) {
        look_again(s, SPIN_FIRST);
        if ((pc = give_way(s, pc, spins)))
            s->stop_at = s->spin.next < s->turn_end ? s->spin.next : s->turn_end;
        return pc;
    }
    s->stop_at = s->spin.next < s->turn_end ? s->spin.next : s->turn_end;
    return pc;
}

const struct uop *split_spins(struct warp_state *s, const struct uop *pc)
{
    look_again(s, SPIN_FIRST);
    if (s->w.clock >= s->turn_end) {
        s->stuck |= polling_stuck(s);
        return NULL;
    }
    if ((pc = give_way(s, pc, true)))
        s->stop_at = s->spin.next < s->turn_end ? s->spin.next : s->turn_end;
    return pc;
}

void split_give_way(struct warp_state *s, const struct uop *pc)
{
    uint32_t at = s->independent ? topmost(s, 0) : s->split_count;
    if (at < s->split_count)
        exchange(s, pc, at);
}
