/* Instructions at which the lanes of a warp wait for one another: engine.h, "collectives". */
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "frontend/core/engine.h"
#include "frontend/core/observe.h"
#include "frontend/operation/flags.h"
#include "tracefmt/plural.h"

/* The operand that holds the lanes' member masks. */
static struct operand masks_of(const struct uop *u)
{
    if (!u->fn)
        return u->a; /* bar.warp.sync */
    return u->op == OP_SHFL || u->op == OP_VOTE ? u->lane->elements[0] : u->b;
}

/* The member masks of lanes whose registers are at `window`. */
static const uint32_t *member_masks(const struct warp_state *s, uint32_t window, const struct uop *u)
{
#define EIGHT ~0u, ~0u, ~0u, ~0u, ~0u, ~0u, ~0u, ~0u
    static const uint32_t everyone[RP_WARP_LANES] = {EIGHT, EIGHT, EIGHT, EIGHT};
#undef EIGHT
    return u->flags & UF_WHOLE_WARP ? everyone : operand_in(s, window, masks_of(u));
}

/* Those of `lanes` whose member mask is `mask`. */
static lanemask lanes_with(const uint32_t *masks, lanemask lanes, uint32_t mask)
{
    lanemask same = 0;
    for (unsigned l = 0; l < RP_WARP_LANES; l++)
        same |= (lanemask)(masks[l] == mask) << l;
    return same & lanes;
}

/* Whether, for each executed lane, all live lanes that its mask names execute this together with it and have the same
 * mask. */
static bool all_here(const struct warp_state *s, const struct uop *u, lanemask executed)
{
    const uint32_t *masks = member_masks(s, current_window(s), u);
    for (lanemask left = executed; left;) {
        uint32_t mask = masks[__builtin_ctz(left)];
        lanemask same = lanes_with(masks, left, mask);
        if ((mask & s->w.live) != same)
            return false;
        left &= ~same;
    }
    return true;
}

/* The live lanes that the masks of the executed lanes name. */
static lanemask named(const struct warp_state *s, const struct uop *u, lanemask executed)
{
    const uint32_t *masks = member_masks(s, current_window(s), u);
    lanemask all = 0;
    FOR_LANES(l, executed)
    all |= masks[l];
    return all & s->w.live;
}

/* Those of the executed lanes that their mask names. */
static lanemask in_own_mask(const struct warp_state *s, const struct uop *u, lanemask executed)
{
    const uint32_t *masks = member_masks(s, current_window(s), u);
    lanemask in = 0;
    for (unsigned l = 0; l < RP_WARP_LANES; l++)
        in |= masks[l] & (lanemask)1 << l;
    return in & executed;
}

static bool in_own_masks(struct warp_state *s, const struct uop *u, lanemask executed)
{
    const uint32_t *masks = member_masks(s, current_window(s), u);
    FOR_LANES(l, executed)
    {
        if (masks[l] >> l & 1)
            continue;
        block_fault(s, u, RP_FAULT_SYNC, l, "lane %u executes this, but its mask 0x%08x does not name it", l, masks[l]);
        return false;
    }
    return true;
}

/* False, with a fault: the instruction needs the whole warp at once, and `together` lacks some lanes. */
static bool whole_enough(struct warp_state *s, const struct uop *u, lanemask together)
{
    if (!(u->flags & UF_WHOLE_WARP) || !~together)
        return true;
    unsigned lane = (unsigned)__builtin_ctz(together);
    if (s->w.live != ~(lanemask)0)
        block_fault(s, u, RP_FAULT_SYNC, lane, "this takes all 32 lanes of the warp, but lanes 0x%08x are not there",
                    ~s->w.live);
    else
        block_fault(s, u, RP_FAULT_SYNC, lane,
                    "this takes all 32 lanes of the warp together, but lanes 0x%08x come by another path", ~together);
    return false;
}

/* Stops the warp at `u`, which has a fault. */
static enum collective_outcome stop_at(struct warp_state *s, const struct uop *u)
{
    warp_end_run(s, u->index + 1);
    s->pc = u;
    return COLLECTIVE_STOP;
}

static void copy_words(uint32_t *to, const uint32_t *from, lanemask lanes)
{
    FOR_LANES(l, lanes)
    to[l] = from[l];
}

/* A barrier with UF_GATHER: the lanes of a mask come to it at several places and go on together behind one of them.
 * Each notes its own place's `b` in `d`, by which it finds back. */
static void note_way_back(struct warp_state *s, uint32_t window, const struct uop *u, lanemask lanes)
{
    if (u->flags & UF_GATHER)
        copy_words(operand_in(s, window, u->d), operand_in(s, window, u->b), lanes);
}

/* Executes the instruction, unless waiting was all. False: the block faulted. */
static bool carry_out_here(struct warp_state *s, const struct uop *u, lanemask executed)
{
    note_way_back(s, current_window(s), u, executed);
    if (!(u->flags & UF_CONVERGENCE))
        observe_event(s, EVENT_COLLECTIVE, u, executed);
    if (u->fn)
        observe_values(s, u, executed);
    if (u->op == OP_WGMMA && u->fn)
        return wgmma(s, u);
    if (u->fn)
        u->fn(&s->w, u, executed);
    return true;
}

enum collective_outcome collective(struct warp_state *s, const struct uop *u)
{
    lanemask executed = s->w.active;
    if (is_register(u->guard))
        executed &= guard(&s->w, u);
    if (u->flags & UF_CONVERGENCE)
        executed = in_own_mask(s, u, executed);
    bool whole = u->flags & UF_WHOLE_WARP && !~executed;
    if (!executed || whole || all_here(s, u, executed)) {
        warp_log_guard(s, u, executed);
        if (executed && !whole_enough(s, u, executed))
            return stop_at(s, u);
        if (executed && !carry_out_here(s, u, executed))
            return stop_at(s, u);
        return COLLECTIVE_DONE;
    }
    if (!in_own_masks(s, u, executed))
        return stop_at(s, u);
    warp_end_run(s, run_start_at(u)); /* the instruction is counted when it is executed */
    if (!(u->flags & UF_CONVERGENCE))
        observe_event(s, EVENT_AWAIT, u, named(s, u, executed) & ~executed);
    split_wait(s, u, executed, WAIT_LANES, 0);
    collectives_serve(s);
    if (s->w.block->faulted)
        return COLLECTIVE_STOP;
    if (s->w.active) { /* lanes whose guard is false go on alone */
        warp_log_guard(s, u, 0);
        s->pc = u + 1;
        s->run_start = run_start_at(u);
        return COLLECTIVE_ELSEWHERE;
    }
    if (!splits_next(s))
        return COLLECTIVE_STOP;
    s->run_start = run_start_at(s->pc);
    return COLLECTIVE_ELSEWHERE;
}

/* ---- groups that come together from several splits --------------------------------------------------------------- */

/* Whether lanes at these two instructions may serve one another: all but the registers is the same. Lanes converge by
 * the same register. */
static bool same_qualifiers(const struct uop *a, const struct uop *b)
{
    if ((a->flags ^ b->flags) & (UF_CONVERGENCE | UF_GATHER) || (a->flags & UF_CONVERGENCE && a->a.at != b->a.at))
        return false;
    return a->fn == b->fn && a->op == b->op && a->mode == b->mode && a->type == b->type;
}

/* The lanes of split `i` that wait at an instruction like `u` with this mask. */
static lanemask part_of(const struct warp_state *s, uint32_t i, const struct uop *u, uint32_t mask)
{
    const struct split *split = &s->splits[i];
    if (split->waits != WAIT_LANES || !same_qualifiers(split->pc, u))
        return 0;
    return lanes_with(member_masks(s, split->window, split->pc), split->lanes, mask);
}

static lanemask come(const struct warp_state *s, const struct uop *u, uint32_t mask)
{
    lanemask all = 0;
    for (uint32_t i = 0; i < s->split_count; i++)
        all |= part_of(s, i, u, mask);
    return all;
}

/* Copies of the operands of an instruction whose lanes have them in different registers, in a register window of their
 * own. */
struct exchange {
    uint64_t a[RP_WARP_LANES];
    uint32_t b[RP_WARP_LANES], c[RP_WARP_LANES], masks[RP_WARP_LANES], d[RP_WARP_LANES];
    lanemask p, pd;
} __attribute__((aligned(64)));
#define EXCHANGED(field) OPERAND_REGISTER(offsetof(struct exchange, field))

static void gather_operands(struct exchange *x, const struct warp_state *s, const struct split *split, lanemask lanes)
{
    const struct uop *u = split->pc;
    const void *a = operand_in(s, split->window, u->a);
    if (u->op == OP_MATCH && lane_type_bits(u->type) == 64) {
        FOR_LANES(l, lanes)
        x->a[l] = ((const uint64_t *)a)[l];
    } else {
        copy_words((uint32_t *)x->a, a, lanes);
    }
    copy_words(x->b, operand_in(s, split->window, u->b), lanes);
    copy_words(x->c, operand_in(s, split->window, u->c), lanes);
    copy_words(x->masks, operand_in(s, split->window, masks_of(u)), lanes);
    x->p |= (*(const lanemask *)operand_in(s, split->window, u->p) ^ flag_mask(u->flags, UF_P_NEGATED)) & lanes;
}

static void scatter_results(const struct exchange *x, const struct warp_state *s, const struct split *split,
                            lanemask lanes)
{
    const struct uop *u = split->pc;
    if (!is_sink(u->d))
        copy_words(operand_in(s, split->window, u->d), x->d, lanes);
    if (!is_sink(u->pd)) {
        lanemask *pd = operand_in(s, split->window, u->pd);
        *pd = (*pd & ~lanes) | (x->pd & lanes);
    }
}

/* Calls u's handler with another register window. */
static void execute_in(struct warp_state *s, uint8_t *window, const struct uop *u, lanemask lanes)
{
    uint8_t *current = s->w.window;
    warp_set_window(&s->w, window);
    carry_out_here(s, u, lanes);
    warp_set_window(&s->w, current);
}

/* Executes the instruction for lanes whose operands are in different windows. */
static void carry_out_apart(struct warp_state *s, const struct uop *u, const lanemask *parts, lanemask all)
{
    struct exchange x = {.p = 0};
    uint64_t room[(sizeof(struct lane_descriptor) + sizeof(struct operand) + 7) / 8];
    struct lane_descriptor *lists = (struct lane_descriptor *)room;
    *lists = (struct lane_descriptor){.imm = u->mode};
    for (unsigned n = 0; n < UOP_LISTS; n++)
        lists->list_end[n] = 1;
    lists->elements[0] = EXCHANGED(masks);
    struct uop copy = *u;
    for (uint32_t i = 0; i < s->split_count; i++)
        if (parts[i])
            gather_operands(&x, s, &s->splits[i], parts[i]);
    copy.a = EXCHANGED(a);
    copy.b = u->op == OP_SHFL ? EXCHANGED(b) : EXCHANGED(masks);
    copy.c = EXCHANGED(c);
    copy.d = EXCHANGED(d);
    copy.p = EXCHANGED(p);
    copy.pd = EXCHANGED(pd);
    copy.flags &= ~UF_P_NEGATED;
    copy.lane = lists;
    execute_in(s, (uint8_t *)&x, &copy, all);
    for (uint32_t i = 0; i < s->split_count; i++)
        if (parts[i])
            scatter_results(&x, s, &s->splits[i], parts[i]);
}

/* Executes the instruction at which the lanes `all` wait, parts[i] of them in split i; `at` is one of these splits. */
static void carry_out(struct warp_state *s, uint32_t at, const lanemask *parts, lanemask all)
{
    const struct split *first = &s->splits[at];
    const struct uop *u = first->pc;
    if (!u->fn) { /* a warp barrier: waiting was all */
        if (!(u->flags & UF_CONVERGENCE))
            observe_event(s, EVENT_COLLECTIVE, u, all);
        for (uint32_t i = 0; i < s->split_count; i++)
            note_way_back(s, s->splits[i].window, s->splits[i].pc, parts[i]);
        return;
    }
    for (uint32_t i = 0; i < s->split_count; i++)
        if (parts[i] && (s->splits[i].pc != u || s->splits[i].window != first->window)) {
            carry_out_apart(s, u, parts, all);
            return;
        }
    execute_in(s, s->registers + first->window, u, all);
}

/* Makes one split, behind `u`, of lanes that have been released. */
static void go_on_together(struct warp_state *s, const struct uop *u, lanemask lanes)
{
    struct split together = {.lanes = 0};
    for (uint32_t i = s->split_count; i-- > 0;) {
        if (!(s->splits[i].lanes & lanes))
            continue;
        struct split part = split_take(s, i);
        part.lanes |= together.lanes;
        together = part;
    }
    together.pc = u + 1;
    split_insert(s, together);
}

/* If all lanes of the mask have come, executes the instruction at which those of split `at` wait. */
static bool serve(struct warp_state *s, uint32_t at, uint32_t mask)
{
    const struct uop *u = s->splits[at].pc;
    lanemask parts[MAX_SPLITS], all = 0;
    uint32_t count = s->split_count;
    for (uint32_t i = 0; i < count; i++)
        all |= parts[i] = part_of(s, i, u, mask);
    if (mask & s->w.live & ~all || !whole_enough(s, u, parts[at]))
        return false;
    carry_out(s, at, parts, all);
    for (uint32_t i = count; i-- > 0;) /* splits that a release inserts come above split i */
        if (parts[i])
            split_release(s, i, parts[i]);
    if (u->flags & UF_GATHER)
        go_on_together(s, u, all);
    return true;
}

static bool serve_one(struct warp_state *s)
{
    for (uint32_t i = s->split_count; i-- > 0;) {
        const struct split *split = &s->splits[i];
        if (split->waits != WAIT_LANES)
            continue;
        const uint32_t *masks = member_masks(s, split->window, split->pc);
        for (lanemask left = split->lanes; left;) {
            uint32_t mask = masks[__builtin_ctz(left)];
            left &= ~part_of(s, i, split->pc, mask);
            if (serve(s, i, mask))
                return true;
        }
    }
    return false;
}

void collectives_serve(struct warp_state *s)
{
    while (serve_one(s))
        ;
}

/* ---- convergence barriers ---------------------------------------------------------------------------------------- */

/* The lanes leave their masks, for all lanes that have the same mask. */
static void leave_masks(uint32_t *masks, lanemask lanes)
{
    for (lanemask left = lanes; left;) {
        uint32_t mask = masks[__builtin_ctz(left)];
        lanemask leaving = lanes_with(masks, left, mask), all = lanes_with(masks, ~(lanemask)0, mask);
        FOR_LANES(l, all)
        masks[l] = mask & ~leaving;
        left &= ~leaving;
    }
}

void convergence_break(struct warp_state *s, const struct uop *u, lanemask executed)
{
    leave_masks(operand_in(s, current_window(s), u->a), executed);
    collectives_serve(s);
}

/* The split that waits at the convergence barrier whose meeting point comes first in the program; split_count: none
 * does. Of two barriers, one inside the other, that is the inner one: its lanes come to the other one afterwards. */
static uint32_t at_inner_convergence(const struct warp_state *s)
{
    uint32_t inner = s->split_count;
    for (uint32_t i = s->split_count; i-- > 0;) {
        const struct split *split = &s->splits[i];
        bool waits = split->waits == WAIT_LANES && split->pc->flags & UF_CONVERGENCE;
        if (waits && (inner == s->split_count || split->pc < s->splits[inner].pc))
            inner = i;
    }
    return inner;
}

bool convergence_go_ahead(struct warp_state *s)
{
    uint32_t i = at_inner_convergence(s);
    if (i == s->split_count)
        return false;
    const struct split *split = &s->splits[i];
    lanemask lanes = split->lanes;
    leave_masks(operand_in(s, split->window, split->pc->a), lanes);
    split_release(s, i, lanes);
    collectives_serve(s);
    return true;
}

/* ---- reports ----------------------------------------------------------------------------------------------------- */

/* The first lane of split `i` whose group is incomplete; *missing: the first lane that it waits for. */
static unsigned waiting_lane(const struct warp_state *s, uint32_t i, unsigned *missing)
{
    const struct split *split = &s->splits[i];
    const uint32_t *masks = member_masks(s, split->window, split->pc);
    unsigned lane = (unsigned)__builtin_ctz(split->lanes);
    *missing = (unsigned)__builtin_ctz(masks[lane] & s->w.live & ~come(s, split->pc, masks[lane]));
    return lane;
}

size_t describe_split(const struct warp_state *s, const struct split *split, char *text, size_t size)
{
    const struct rp_instruction *in = &s->w.block->program->kernel.instructions[split->pc->index];
    char line[300] = "";
    int used;
    if (in->line)
        describe_source(&s->w.block->program->kernel, in, line, sizeof line);
    if (split->waits == WAIT_BARRIER)
        used = snprintf(text, size, "barrier %u%s", split->barrier, line);
    else if (split->waits == WAIT_CLUSTER)
        used = snprintf(text, size, "the barrier of the cluster%s", line);
    else if (split->waits == WAIT_OBJECT) {
        char object[80];
        object_describe(s, split, object, sizeof object);
        used = snprintf(text, size, "'%.60s'%s, %s", in->text ? in->text : "?", line, object);
    } else {
        const uint32_t *masks = member_masks(s, split->window, split->pc);
        used = snprintf(text, size, "'%.60s'%s with mask 0x%08x", in->text ? in->text : "?", line,
                        masks[__builtin_ctz(split->lanes)]);
    }
    return used < 0 ? 0 : (size_t)used < size ? (size_t)used : size - 1;
}

/* Describes where a lane is that others wait for. */
static void describe_lane(const struct warp_state *s, unsigned lane, char *text, size_t size)
{
    snprintf(text, size, "another path");
    for (uint32_t i = 0; i < s->split_count; i++)
        if (s->splits[i].lanes >> lane & 1 && s->splits[i].waits != WAIT_NONE)
            describe_split(s, &s->splits[i], text, size);
}

void collective_deadlock(struct warp_state *s)
{
    uint32_t at = s->split_count - 1;
    unsigned missing, lane = waiting_lane(s, at, &missing);
    const struct split *split = &s->splits[at];
    char where[160];
    describe_lane(s, missing, where, sizeof where);
    const uint32_t *masks = member_masks(s, split->window, split->pc);
    block_fault(s, split->pc, RP_FAULT_DEADLOCK, lane,
                "lane %u of warp %u waits here forever for lane %u, which its mask 0x%08x names: lane %u waits at %s",
                lane, s->w.id, missing, masks[lane], missing, where);
}
