/* Barrier objects: operations on them, and lanes that wait for the end of a phase (engine.h, "objects"). */
#include "frontend/core/object.h"
#include "frontend/core/observe.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "frontend/core/access.h"
#include "frontend/core/cluster.h"
#include "frontend/core/engine.h"
#include "frontend/core/lanes/lanes.h"
#include "frontend/operation/flags.h"
#include "tracefmt/plural.h"
#include "tracefmt/writer.h"

static uint64_t *object_at(const struct block *b, uint64_t offset) { return (uint64_t *)(void *)(b->shared + offset); }
static uint32_t *phases_at(const struct block *b, uint64_t offset) { return &b->phases[offset / sizeof(uint64_t)]; }
static uint32_t phase_of(const struct block *b, uint64_t offset) { return *phases_at(b, offset); }

/* ---- what is recorded -------------------------------------------------------------------------------------------- */

static void log_values(const struct warp *w, const struct uop *u, uint64_t phase, int64_t bytes, uint64_t arrivals)
{
    if (!w->log || !(u->flags & UF_LOG_AUX))
        return;
    rp_log_aux(w->log, phase);
    rp_log_aux(w->log, (uint64_t)bytes);
    rp_log_aux(w->log, arrivals);
}

/* ---- changes ----------------------------------------------------------------------------------------------------- */

struct change {
    uint64_t b, c; /* the lane's operands */
    uint64_t old;
};

/* Applies one lane's change. True: a phase has ended. */
static bool change_object(struct block *b, const struct uop *u, uint64_t at, struct change *c)
{
    uint64_t *object = object_at(b, at), value;
    c->old = *object;
    switch (u->memory->operand.object) {
    case RP_OBJECT_INIT: value = object_made((uint32_t)c->b); break;
    case RP_OBJECT_INVALIDATE: value = 0; break;
    default: value = object_changed(c->old, c->b, (int64_t)c->c); break;
    }
    b->changes += value != c->old;
    *object = value;
    if (u->memory->operand.object == RP_OBJECT_INIT || u->memory->operand.object == RP_OBJECT_INVALIDATE) {
        *phases_at(b, at) = 0;
        return false;
    }
    bool over = value >> OBJECT_PHASE_AT != c->old >> OBJECT_PHASE_AT;
    *phases_at(b, at) += over;
    return over;
}

static uint64_t arrivals_of(const struct uop *u, const struct change *c)
{
    switch (u->memory->operand.object) {
    case RP_OBJECT_ADD_BEHIND: return 1; /* adds one arrival to expect and takes one away */
    case RP_OBJECT_INIT: return c->b;
    default: return c->b & OBJECT_COUNT_MASK;
    }
}

/* Adds up the changes of all lanes. They must name one object, or do the same at different ones; false, with a fault:
 * they do not. */
static bool sum_up(struct warp_state *s, const struct uop *u, lanemask m, const struct lane_addresses *la,
                   const struct change *all, int64_t *bytes, uint64_t *arrivals)
{
    unsigned first = (unsigned)__builtin_ctz(m);
    bool differ = false;
    *bytes = 0;
    *arrivals = 0;
    FOR_LANES(l, m)
    {
        *bytes += (int64_t)all[l].c;
        *arrivals += arrivals_of(u, &all[l]);
        differ |= all[l].b != all[first].b || all[l].c != all[first].c;
    }
    if (u->memory->operand.object == RP_OBJECT_INIT)
        *arrivals = all[first].b;
    if (!differ || la->low == la->high)
        return true;
    block_fault(s, u, RP_FAULT_BARRIER, first,
                "lanes name different barrier objects with different counts or bytes; that cannot be recorded");
    return false;
}

/* Applies the changes of some lanes, all in one block. True: a phase has ended. */
static bool change_objects(struct warp_state *s, const struct uop *u, lanemask m, const struct lane_addresses *la,
                           struct block *of, struct change *all)
{
    struct warp *w = &s->w;
    bool over = false;
    observe_in(w->block, of);
    observe_objects(s, u, la, m);
    observe_in(w->block, NULL);
    FOR_LANES(l, m)
    {
        uint64_t at = lane_address(la, l);
        all[l] = (struct change){.b = lane_u64(w, u->b, l), .c = lane_u64(w, u->c, l)};
        over |= change_object(of, u, at, &all[l]);
        if (!is_sink(u->d))
            ((uint64_t *)operand_at(w, u->d))[l] = all[l].old;
    }
    return over;
}

/* Applies one lane's change to the same object in each block of its mask. Returns the blocks in which a phase has
 * ended, a bit each; *bytes: the change in each. */
static uint32_t change_in_all(struct warp_state *s, const struct uop *u, unsigned lane, uint64_t offset, int64_t *bytes)
{
    struct block *b = s->w.block;
    uint32_t over = 0, named = cluster_named(b, lane_u32(&s->w, u->memory->elements[0], lane));
    for (uint32_t left = named; left; left &= left - 1) {
        uint32_t rank = (uint32_t)__builtin_ctz(left);
        uint64_t at = cluster_offset(b, offset, rank);
        struct block *of = cluster_owner(s, u, lane, &at);
        struct change c = {.b = lane_u64(&s->w, u->b, lane), .c = lane_u64(&s->w, u->c, lane)};
        if (!of)
            return over;
        if (at % sizeof(uint64_t) || !extents_cover(&b->grid->shared, at, sizeof(uint64_t))) {
            block_fault(s, u, RP_FAULT_BOUNDS, lane, "there is no barrier object at 0x%llx of shared memory",
                        (unsigned long long)at);
            return over;
        }
        over |= (uint32_t)change_object(of, u, at, &c) << rank;
        *bytes += left == named ? (int64_t)c.c : 0;
    }
    return over;
}

static void handle_objects_of_all(struct warp *w, const struct uop *u, lanemask m)
{
    struct warp_state *s = (struct warp_state *)w;
    struct block *b = w->block;
    struct lane_addresses la;
    uint32_t over = 0;
    int64_t bytes = 0;
    access_addresses(w, u, m, &la);
    access_log(w, u, m, &la);
    uint64_t first = lane_address(&la, (unsigned)__builtin_ctz(m));
    bool known = extents_cover(&b->grid->shared, first, sizeof(uint64_t));
    uint64_t phase = known ? phase_of(b, first) : 0;
    FOR_LANES(l, m)
    over |= b->faulted ? 0 : change_in_all(s, u, l, lane_address(&la, l), &bytes);
    log_values(w, u, RP_OBJECT_AUX(phase, false), bytes, 0);
    observe_event(s, EVENT_FENCE, u, m);
    for (; over; over &= over - 1)
        objects_serve(b->cluster ? b->cluster->block[__builtin_ctz(over)] : b, s, u);
}

void handle_object(struct warp *w, const struct uop *u, lanemask m)
{
    if (u->flags & UF_MULTICAST) {
        handle_objects_of_all(w, u, m);
        return;
    }
    struct warp_state *s = (struct warp_state *)w;
    struct lane_addresses la;
    struct change all[RP_WARP_LANES];
    struct block *over[RP_WARP_LANES];
    uint32_t over_count = 0;
    uint64_t phase = 0;
    access_addresses(w, u, m, &la);
    access_log(w, u, m, &la);
    for (lanemask left = m, part; left; left &= ~part) {
        struct lane_addresses some = la;
        struct block *of;
        if (!(part = access_in_shared(s, u, left, &some, &of))) {
            log_values(w, u, 0, 0, 0);
            return;
        }
        phase = left == m ? phase_of(of, lane_address(&some, (unsigned)__builtin_ctz(m))) : phase;
        if (change_objects(s, u, part, &some, of, all))
            over[over_count++] = of;
    }
    int64_t bytes = 0;
    uint64_t arrivals = 0;
    if (w->log)
        sum_up(s, u, m, &la, all, &bytes, &arrivals);
    log_values(w, u, RP_OBJECT_AUX(phase, false), bytes, arrivals);
    observe_event(s, EVENT_FENCE, u, m);
    for (uint32_t i = 0; i < over_count; i++)
        objects_serve(over[i], s, u);
}

/* ---- tests ------------------------------------------------------------------------------------------------------- */

/* Whether all lanes name objects of their own block: threads can wait for no others. */
static bool in_own_block(struct warp_state *s, const struct uop *u, lanemask m, struct lane_addresses *la)
{
    struct block *of;
    lanemask part = access_in_shared(s, u, m, la, &of);
    if (part == m && of == s->w.block) {
        observe_objects(s, u, la, m);
        return true;
    }
    if (part)
        block_fault(s, u, RP_FAULT_BOUNDS, (unsigned)__builtin_ctz(m),
                    "a thread waits for a barrier object of another block of its cluster");
    return false;
}

/* The tests of the lanes. */
struct object_tests {
    lanemask over;                 /* lanes whose phase is over */
    uint64_t value[RP_WARP_LANES]; /* RP_OBJECT_AUX; for a phase before the first, which is over, a non-waiting test of
                                      phase 0 */
};

static void run_tests(const struct warp *w, const struct uop *u, lanemask m, const struct lane_addresses *la,
                      struct object_tests *q)
{
    const struct block *b = w->block;
    bool wide = lane_element_bytes((enum lane_type)u->memory->dtype) == 8;
    q->over = 0;
    FOR_LANES(l, m)
    {
        uint64_t asked = wide ? lane_u64(w, u->b, l) : lane_u32(w, u->b, l), at = lane_address(la, l);
        uint64_t phase = phase_of(b, at);
        /* how many phases ago the requested phase began, derived from its parity or from the object's state then */
        uint64_t ago = u->op == OP_OBJECT_PARITY ? (phase ^ asked) & 1 : (phase - (asked >> OBJECT_PHASE_AT)) & 7;
        q->over |= (lanemask)(ago != 0) << l;
        q->value[l] = ago > phase ? 0 : RP_OBJECT_AUX(phase - ago, ago != 0);
    }
}

static void write_results(const struct warp *w, const struct uop *u, lanemask m, bool over)
{
    uint64_t *d = operand_at(w, u->d);
    FOR_LANES(l, m)
    d[l] = over;
}

static lanemask same_test(const struct object_tests *q, lanemask left)
{
    unsigned first = (unsigned)__builtin_ctz(left);
    lanemask same = 0;
    FOR_LANES(l, left)
    same |= (lanemask)(q->value[l] == q->value[first]) << l;
    return same;
}

/* Logs the test of these lanes, which is the same for all. */
static void log_test(const struct warp *w, const struct uop *u, lanemask m, const struct lane_addresses *la,
                     const struct object_tests *q)
{
    access_log(w, u, m, la);
    log_values(w, u, q->value[__builtin_ctz(m)], 0, 0);
}

/* A test that does not wait: the threads are not independent. */
void handle_object_test(struct warp *w, const struct uop *u, lanemask m)
{
    struct lane_addresses la;
    struct object_tests q = {.over = 0};
    access_addresses(w, u, m, &la);
    if (in_own_block((struct warp_state *)w, u, m, &la))
        run_tests(w, u, m, &la, &q);
    write_results(w, u, m, false);
    write_results(w, u, q.over, true);
    log_test(w, u, m, &la, &q);
    observe_event((struct warp_state *)w, EVENT_FENCE, u, m);
}

/* ---- loops that poll --------------------------------------------------------------------------------------------- */

enum { LOOP_MOST = 256 }; /* uops */

/* Executes the uops after the test as lanes would whose phase is not over, as long as they only compute. True: this
 * returns to the test. */
static bool returns_to_test(struct warp_state *s, const struct uop *test, lanemask lanes)
{
    struct warp *w = &s->w;
    const struct uop *u = test + 1;
    write_results(w, test, lanes, false);
    for (unsigned n = 0; n < LOOP_MOST; n++) {
        lanemask executed = u->flags & UF_GUARDED ? w->active & guard(w, u) : w->active;
        if (u == test)
            return true;
        switch (u->kind) {
        case UOP_LANE:
            if (executed)
                u->fn(w, u, executed);
            break;
        case UOP_RECONVERGE:
            if (u == s->meet)
                return false;
            break;
        case UOP_BRANCH:
            if (executed && executed != w->active)
                return false;
            if (executed) {
                u = w->block->program->uops + u->target;
                continue;
            }
            break;
        default: return false;
        }
        u++;
    }
    return false;
}

/* Whether the lanes do nothing but repeat the test until the phase is over. Tries the loop out on a copy of their
 * registers; the second pass must leave them unchanged. */
static bool only_polls(struct warp_state *s, const struct uop *test, lanemask lanes)
{
    size_t bytes = s->w.block->program->register_extent;
    uint8_t *copy = aligned_alloc(64, 2 * bytes);
    if (!copy)
        return false;
    struct warp saved = s->w;
    memcpy(copy, s->w.window, bytes);
    s->w.log = NULL;
    s->w.active = lanes;
    warp_set_window(&s->w, copy);
    bool polls = returns_to_test(s, test, lanes);
    memcpy(copy + bytes, copy, bytes);
    polls = polls && returns_to_test(s, test, lanes) && !memcmp(copy, copy + bytes, bytes);
    s->w = saved;
    free(copy);
    return polls;
}

/* ---- tests in vain ----------------------------------------------------------------------------------------------- */

static bool waits_for_a_time(const struct split *s)
{
    return s->waits == WAIT_OBJECT && s->barrier == OBJECT_FOR_A_TIME;
}

static lanemask ready_lanes(const struct warp_state *s)
{
    lanemask ready = s->status == WARP_READY ? s->w.active : 0;
    for (uint32_t i = 0; i < s->split_count; i++)
        ready |= s->splits[i].waits == WAIT_NONE || waits_for_a_time(&s->splits[i]) ? s->splits[i].lanes : 0;
    return ready;
}

/* Whether a loop may read what threads of other blocks write, and then go on, by a load that polling.c does not see. */
static bool reads_others(const struct program *p)
{
    bool reads = false;
    for (uint32_t i = 0; i < p->uop_count && !reads; i++) {
        const struct operation *o = &p->operations[i];
        bool loads = o->kind == UOP_MEMORY && o->memory.kind != RP_ACCESS_OBJECT && p->uops[i].kind != UOP_STRONG &&
                     p->uops[i].flags & UF_SLICE;
        reads = loads && (o->memory.atomic != RP_ATOMIC_NONE || o->memory.order != RP_ORDER_WEAK);
    }
    return reads;
}

static bool all_in_vain(const struct block *b)
{
    bool vain = !b->cluster && !reads_others(b->program);
    for (uint32_t i = 0; i < b->grid->warps && vain; i++) {
        const struct warp_state *s = &b->warps[i];
        vain = !ready_lanes(s) || (s->vain.rounds >= VAIN_ROUNDS && s->vain.changes == b->changes);
    }
    return vain;
}

/* A test that some lanes have failed, and in which the phases of others were over. */
static void note_tests(struct warp_state *s, const struct uop *u, lanemask failed, lanemask over,
                       const struct lane_addresses *la)
{
    struct vain_tests *v = &s->vain;
    struct block *b = s->w.block;
    if (v->changes != b->changes || over)
        *v = (struct vain_tests){.changes = b->changes};
    v->failed |= failed;
    if (!failed || ++v->tests < VAIN_TESTS)
        return;
    v->rounds = ready_lanes(s) & ~v->failed ? 0 : v->rounds + 1;
    v->failed = 0;
    v->tests = 0;
    if (v->rounds < VAIN_ROUNDS || !all_in_vain(b))
        return;
    uint64_t at = lane_address(la, (unsigned)__builtin_ctz(failed)), left = *object_at(b, at) & OBJECT_COUNT_MASK;
    block_fault(s, u, RP_FAULT_BARRIER, (unsigned)__builtin_ctz(failed),
                "the threads of the block test barrier objects for ever, and nobody is left to arrive: phase %u of the "
                "one at 0x%llx of shared memory waits for %llu more arrival%s",
                phase_of(b, at), (unsigned long long)at, (unsigned long long)left, rp_plural(left));
}

/* ---- lanes that wait --------------------------------------------------------------------------------------------- */

/* Executes the test for lanes of the current split, one step for each phase that they name. */
static void step_apart(struct warp_state *s, const struct uop *u, lanemask m, const struct lane_addresses *la,
                       const struct object_tests *q)
{
    for (lanemask left = m, some; left; left &= ~some) {
        some = same_test(q, left);
        split_count(s, u, some, some);
        log_test(&s->w, u, some, la, q);
        observe_event(s, EVENT_FENCE, u, some);
    }
}

/* Suspends those of the lanes that may wait: they leave the current split. */
static void suspend(struct warp_state *s, const struct uop *u, lanemask m)
{
    bool polls = only_polls(s, u, m);
    if (!polls && !(u->flags & UF_SUSPENDS))
        return;
    s->w.block->objects_awaited = true;
    split_wait(s, u, m, WAIT_OBJECT, polls ? OBJECT_FOR_EVER : OBJECT_FOR_A_TIME);
}

static enum collective_outcome not_an_object(struct warp_state *s, const struct uop *u, lanemask executed,
                                             const struct lane_addresses *la)
{
    warp_log_guard(s, u, executed);
    access_log(&s->w, u, executed, la);
    log_values(&s->w, u, 0, 0, 0);
    warp_end_run(s, u->index + 1);
    s->pc = u;
    return COLLECTIVE_STOP;
}

enum collective_outcome object_wait(struct warp_state *s, const struct uop *u)
{
    struct warp *w = &s->w;
    struct lane_addresses la;
    struct object_tests q;
    lanemask executed = w->active, off;
    if (is_register(u->guard))
        executed &= guard(w, u);
    if (!executed) {
        warp_log_guard(s, u, 0);
        return COLLECTIVE_DONE;
    }
    access_addresses(w, u, executed, &la);
    if (!in_own_block(s, u, executed, &la))
        return not_an_object(s, u, executed, &la);
    run_tests(w, u, executed, &la, &q);
    if (q.over == executed && same_test(&q, executed) == executed) {
        write_results(w, u, executed, true);
        warp_log_guard(s, u, executed);
        log_test(w, u, executed, &la, &q);
        observe_event(s, EVENT_FENCE, u, executed);
        return COLLECTIVE_DONE;
    }
    warp_end_run(s, run_start_at(u)); /* the instruction is counted when the wait is over */
    off = w->active & ~executed;
    if (executed & ~q.over)
        suspend(s, u, executed & ~q.over);
    executed &= w->active;
    write_results(w, u, executed, false);
    write_results(w, u, q.over, true);
    step_apart(s, u, executed, &la, &q);
    note_tests(s, u, executed & ~q.over, q.over, &la);
    if (off)
        split_count(s, u, off, 0);
    s->pc = u + 1;
    s->run_start = u->index + 1;
    if (w->block->faulted)
        return COLLECTIVE_STOP;
    if (w->active)
        return COLLECTIVE_ELSEWHERE;
    if (!splits_next(s))
        return COLLECTIVE_STOP;
    s->run_start = run_start_at(s->pc);
    return COLLECTIVE_ELSEWHERE;
}

/* ---- the end of a wait ------------------------------------------------------------------------------------------- */

/* Releases lanes of split `i`: those whose phase is over or, with `time_out`, those that wait for a limited time only.
 * True: there were some. `running`: the uop of the warp's current split; NULL: none runs. */
static bool release(struct warp_state *s, uint32_t i, bool time_out, const struct uop *running)
{
    const struct split split = s->splits[i];
    struct lane_addresses la;
    struct object_tests q;
    struct warp *w = &s->w;
    uint8_t *window = w->window;
    warp_set_window(w, s->registers + split.window);
    access_addresses(w, split.pc, split.lanes, &la);
    bool there = in_own_block(s, split.pc, split.lanes, &la);
    run_tests(w, split.pc, there ? split.lanes : 0, &la, &q);
    lanemask go = time_out ? split.lanes & ~q.over : q.over;
    if (go && running) {
        warp_end_run(s, running->index + 1);
        s->run_start = running->index + 1;
    }
    for (lanemask left = go, some; left; left &= ~some) {
        some = same_test(&q, left);
        write_results(w, split.pc, some, !time_out);
        log_test(w, split.pc, some, &la, &q);
        observe_event(s, EVENT_FENCE, split.pc, some);
        split_release(s, i, some);
    }
    if (time_out && go)
        note_tests(s, split.pc, go, 0, &la);
    warp_set_window(w, window);
    return go;
}

/* The same for all splits of a warp. */
static bool release_splits(struct warp_state *s, bool time_out, const struct uop *running)
{
    bool some = false;
    for (uint32_t i = s->split_count; i-- > 0;)
        if (s->splits[i].waits == WAIT_OBJECT && (!time_out || waits_for_a_time(&s->splits[i])))
            some |= release(s, i, time_out, running);
    if (some && s->status == WARP_WAITING)
        splits_next(s);
    return some;
}

static bool awaits_object(const struct warp_state *s)
{
    for (uint32_t i = 0; i < s->split_count; i++)
        if (s->splits[i].waits == WAIT_OBJECT)
            return true;
    return false;
}

void objects_serve(struct block *b, struct warp_state *current, const struct uop *u)
{
    if (!b->objects_awaited)
        return;
    b->objects_awaited = false;
    for (uint32_t i = 0; i < b->grid->warps; i++) {
        struct warp_state *s = &b->warps[i];
        if (!awaits_object(s))
            continue;
        release_splits(s, false, s == current ? u : NULL);
        b->objects_awaited |= awaits_object(s);
    }
}

bool objects_time_out(struct block *b)
{
    bool some = false;
    for (uint32_t i = 0; b->objects_awaited && i < b->grid->warps; i++)
        if (awaits_object(&b->warps[i]))
            some |= release_splits(&b->warps[i], true, NULL);
    return some;
}

/* ---- reports ----------------------------------------------------------------------------------------------------- */

void object_describe(const struct warp_state *s, const struct split *split, char *text, size_t size)
{
    struct warp w = s->w;
    struct lane_addresses la;
    warp_set_window(&w, s->registers + split->window);
    access_addresses(&w, split->pc, split->lanes, &la);
    uint64_t at = lane_address(&la, (unsigned)__builtin_ctz(split->lanes));
    at -= split->pc->memory->operand.space == RP_SPACE_GENERIC ? SHARED_WINDOW : 0;
    uint64_t object = *object_at(w.block, at);
    snprintf(text, size, "whose phase %u waits for %u arrival%s and %lld bytes", phase_of(w.block, at),
             (unsigned)(object & OBJECT_COUNT_MASK), rp_plural(object & OBJECT_COUNT_MASK),
             (long long)object_bytes(object));
}
