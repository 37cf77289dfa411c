#include "frontend/guest/stepping.h"

#include <stdlib.h>

#include "frontend/guest/splits.h"

/* A group's only split, which is in no slot: its lanes are the active ones. */
struct guest_united {
    const struct uop *at; /* NULL: the group's splits are in slots */
    uint64_t steps;       /* instructions that the group's counts do not have yet */
};

/* What most steps of most groups need lies side by side. */
struct guest_stepper {
    struct guest_engine engine;
    struct guest_observer observer;
    struct guest_united *united; /* by group */
};

struct guest_stepper *guest_stepper_open(struct guest_machine *m, const struct guest_program *p)
{
    const struct guest_run_options none = {0};
    struct guest_stepper *s = calloc(1, sizeof *s);
    const bool open = s && guest_engine_open(&s->engine, m, p, &none);
    if (open && (s->united = calloc(s->engine.group_count, sizeof *s->united)))
        return s;
    if (!s || open)
        rp_fail(m->err, RP_SYSTEM, "out of memory");
    guest_stepper_close(s);
    return NULL;
}

void guest_stepper_close(struct guest_stepper *s)
{
    if (s) {
        guest_engine_close(&s->engine);
        free(s->united);
    }
    free(s);
}

/* ---- an instruction of a split -------------------------------------------------------------------------------------
 */

/* The encoding of the instruction to which a uop belongs. */
static bool guest_is_short(const struct guest_program *p, const struct uop *u)
{
    const uint32_t address = (uint32_t)p->instructions[u->index].pc | 1;
    const uint32_t at = p->guest->isa->interworks ? guest_uop_at(p, address) : UOP_NOWHERE;
    return at != UOP_NOWHERE && p->uops[at].index == u->index;
}

static void guest_tell_instruction(struct guest_warp *w, const struct uop *u)
{
    const struct guest_observer *o = w->g.observer;
    const bool is_short = guest_is_short(w->g.program, u);
    for (lanemask m = w->g.w.active; m; m &= m - 1) {
        struct guest_core *c = guest_core_at(w, u, (unsigned)__builtin_ctz(m));
        c->thumb = is_short;
        if (o->instruction)
            o->instruction(o->data, c);
    }
}

static void guest_count_instruction(struct guest_warp *w, lanemask lanes)
{
    w->steps++;
    if (lanes == w->g.w.live)
        w->together++;
    else
        w->engine->add(w->apart, lanes, 1);
}

/* As guest_wait, for those that another step will take: who runs first does not matter. */
static void guest_put(struct guest_warp *w, uint32_t at, lanemask lanes)
{
    struct guest_waiting *q = &w->waiting;
    if (q->slot_at[at]) {
        q->lanes[q->slot_at[at] - 1] |= lanes;
        return;
    }
    const unsigned slot = (unsigned)__builtin_ctz(~q->used);
    guest_take_slot(q, slot, at);
    q->lanes[slot] = lanes;
}

/* Uops of the instruction at hand that compute and access. Returns the first other one; an access that was not made
 * stays. */
static const struct uop *guest_execute_lanes(struct guest_warp *w, const struct uop *u)
{
    const uint32_t index = u->index;
    for (; u->index == index && u->kind <= UOP_MEMORY && !w->g.failed; u++) {
        const lanemask executed = guest_executed(w, u);
        if (executed)
            u->fn(&w->g.w, u, executed);
    }
    return u;
}

/* Carries out a uop of another kind. Returns where the instruction goes on; NULL: it is done and counted. */
static const struct uop *guest_execute_control(struct guest_warp *w, const struct uop *u)
{
    uint32_t to;
    w->g.in_place = 0;
    switch (u->kind) {
    case UOP_FENCE: break;
    case UOP_HOST_CALL:
        w->run_start = u->index;
        guest_environment_call(w, u);
        return NULL;
    case UOP_BRANCH: /* the last uop, or one that says where else the others go on */
    case UOP_BRANCH_TABLE:
        guest_count_instruction(w, w->g.w.active);
        to = guest_transfer(w, w->engine, u);
        if (to != UOP_NOWHERE)
            guest_put(w, to, w->g.w.active);
        return NULL;
    default: /* UOP_TRAP */
        if (guest_executed(w, u))
            guest_trap(w, u);
        break;
    }
    return u + 1;
}

/* The rest of an instruction at uop `at`, whose uops before `u` have been executed. Lanes for which it fails stay. */
static void guest_finish_instruction(struct guest_warp *w, uint32_t at, const struct uop *u)
{
    const lanemask lanes = w->g.w.active;
    const uint32_t index = w->g.program->uops[at].index;
    while (!w->g.failed && u && u->index == index) {
        u = guest_execute_control(w, u);
        if (u && u->index == index && !w->g.failed)
            u = guest_execute_lanes(w, u);
    }
    if (w->g.failed) {
        guest_put(w, at, lanes);
    } else if (u) {
        guest_count_instruction(w, lanes);
        guest_put(w, (uint32_t)(u - w->g.program->uops), lanes);
    }
}

/* These lanes are at a uop: executes its instruction as far as guest_execute_lanes does. */
static const struct uop *guest_begin_instruction(struct guest_warp *w, uint32_t at, lanemask lanes)
{
    const struct uop *first = &w->g.program->uops[at];
    w->g.w.active = lanes;
    if (w->g.observer)
        guest_tell_instruction(w, first);
    return guest_execute_lanes(w, first);
}

/* Executes one instruction of these lanes, which are in no slot. Where it fails they stay at it. */
static void guest_step_split(struct guest_warp *w, uint32_t at, lanemask lanes)
{
    w->g.in_place = 0;
    guest_finish_instruction(w, at, guest_begin_instruction(w, at, lanes));
}

/* ---- a group in one split ------------------------------------------------------------------------------------------
 */

static void guest_count_united(struct guest_warp *w, struct guest_united *t)
{
    w->steps += t->steps;
    if (w->g.w.active == w->g.w.live)
        w->together += t->steps;
    else
        w->engine->add(w->apart, w->g.w.active, t->steps);
    t->steps = 0;
}

/* Takes a split out of its slot, if the group has no other one. */
static void guest_unite(struct guest_warp *w, struct guest_united *t)
{
    struct guest_waiting *q = &w->waiting;
    if (!q->used || q->used & (q->used - 1) || q->barrier)
        return;
    const unsigned slot = (unsigned)__builtin_ctz(q->used);
    t->at = &w->g.program->uops[q->at[slot]];
    w->g.w.active = q->lanes[slot];
    w->g.in_place = 0;
    guest_free_slot(q, slot);
}

/* Puts it into a slot, before its next instruction. */
static void guest_separate(struct guest_warp *w, struct guest_united *t)
{
    if (!t->at)
        return;
    guest_count_united(w, t);
    guest_put(w, (uint32_t)(t->at - w->g.program->uops), w->g.w.active);
    t->at = NULL;
}

/* The instruction at hand transfers control. */
static void guest_transfer_united(struct guest_warp *w, struct guest_united *t, const struct uop *u)
{
    const struct uop *uops = w->g.program->uops;
    const uint32_t at = (uint32_t)(t->at - uops), to = guest_transfer(w, w->engine, u);
    w->g.in_place = 0;
    t->steps++;
    t->at = to == UOP_NOWHERE ? NULL : &uops[to];
    if (t->at)
        return;
    guest_count_united(w, t);
    if (w->g.failed)
        guest_put(w, at, w->g.w.active);
}

/* Executes its instruction. Where that fails, the split stays at it. */
static void guest_step_united(struct guest_warp *w, struct guest_united *t)
{
    const struct uop *first = t->at, *u = first;
    const lanemask active = w->g.w.active;
    do {
        if (!(u->flags & UF_PLAIN))
            break;
        u->fn(&w->g.w, u, active);
        u++;
    } while (!(u->flags & UF_FIRST) && !w->g.failed);
    if (w->g.failed)
        return;
    if (u != first && u->flags & UF_FIRST) {
        t->at = u;
        t->steps++;
    } else if (u->kind == UOP_BRANCH || u->kind == UOP_BRANCH_TABLE) {
        guest_transfer_united(w, t, u);
    } else {
        guest_count_united(w, t);
        t->at = NULL;
        u = guest_execute_lanes(w, u);
        guest_finish_instruction(w, (uint32_t)(first - w->g.program->uops), u);
    }
}

/* ---- all cores -----------------------------------------------------------------------------------------------------
 */

/* Takes the splits that can run out of their slots, by their lowest lanes. Returns how many there are. */
static unsigned guest_take_splits(struct guest_waiting *q, uint32_t at[RP_WARP_LANES], lanemask lanes[RP_WARP_LANES])
{
    unsigned count = 0;
    for (uint32_t m = q->used & ~q->barrier; m; m &= m - 1) {
        const unsigned slot = (unsigned)__builtin_ctz(m);
        unsigned n = count++;
        for (; n && __builtin_ctz(lanes[n - 1]) > __builtin_ctz(q->lanes[slot]); n--) {
            at[n] = at[n - 1];
            lanes[n] = lanes[n - 1];
        }
        at[n] = q->at[slot];
        lanes[n] = q->lanes[slot];
        guest_free_slot(q, slot);
    }
    return count;
}

void guest_stepper_observe(struct guest_stepper *s, const struct guest_observer *o)
{
    s->observer = *o;
    for (uint32_t i = 0; i < s->engine.group_count; i++) {
        guest_separate(&s->engine.groups[i], &s->united[i]);
        s->engine.groups[i].g.observer = o->access ? &s->observer : NULL;
    }
}

static void guest_step_splits(struct guest_warp *w)
{
    uint32_t at[RP_WARP_LANES];
    lanemask lanes[RP_WARP_LANES];
    const unsigned count = guest_take_splits(&w->waiting, at, lanes);
    for (unsigned n = 0; n < count; n++) {
        if (w->g.failed || w->g.machine->ended)
            guest_put(w, at[n], lanes[n]);
        else
            guest_step_split(w, at[n], lanes[n]);
    }
}

/* False: all of its cores have ended, or wait for the barrier. */
static bool guest_step_group(struct guest_warp *w, struct guest_united *t)
{
    if (!t->at && !w->g.observer)
        guest_unite(w, t);
    if (t->at)
        guest_step_united(w, t);
    else
        guest_step_splits(w);
    return t->at || w->waiting.used & ~w->waiting.barrier;
}

bool guest_stepper_step(struct guest_stepper *s)
{
    struct guest_engine *e = &s->engine;
    const struct guest_machine *m = e->machine;
    bool some = false;
    for (uint32_t i = 0; i < e->group_count && !m->failed && !m->ended; i++)
        some |= guest_step_group(&e->groups[i], &s->united[i]);
    if (!some && !m->failed && !m->ended)
        guest_open_barrier(e);
    return !m->failed;
}

uint32_t guest_stepper_running(const struct guest_stepper *s) { return s->engine.machine->live; }

const struct guest_core *guest_stepper_core(struct guest_stepper *s, uint32_t core)
{
    struct guest_warp *w = &s->engine.groups[core / RP_WARP_LANES];
    const unsigned lane = core % RP_WARP_LANES;
    const struct guest_waiting *q = &w->waiting;
    struct guest_core *c = guest_lane_core(&w->g, lane);
    guest_separate(w, &s->united[core / RP_WARP_LANES]);
    guest_settle(w);
    guest_registers_out(w, lane, c);
    for (uint32_t m = q->used; m; m &= m - 1) {
        const unsigned slot = (unsigned)__builtin_ctz(m);
        if (!(q->lanes[slot] >> lane & 1))
            continue;
        const struct uop *u = &w->g.program->uops[q->barrier >> slot & 1 ? q->behind[slot] : q->at[slot]];
        c->thumb = guest_is_short(w->g.program, u);
        guest_core_at(w, u, lane);
    }
    return c;
}
