/* Uses of barriers and collectives that PTX leaves undefined. */
#include <stdio.h>

#include "frontend/check/internal.h"
#include "frontend/operation/flags.h"

static void report(struct checked_block *cb, const struct block *b, uint32_t instruction, uint32_t thread,
                   const char *detail)
{
    check_report(cb->check, b,
                 (struct rp_finding){.kind = RP_CHECK_SYNC,
                                     .space = RP_SPACE_NONE,
                                     .here = check_location(b, instruction, thread, RP_ACCESS_KIND_COUNT)},
                 detail);
}

/* ---- aligned barriers -------------------------------------------------------------------------------------------- */

/* PTX ISA, "barrier": "all threads in the warp must execute the same barrier instruction" if it is .aligned. They need
 * not come together: lanes that left a loop one by one arrive one by one. A barrier does not wait for exited threads
 * (CUDA C++ Programming Guide, "Synchronization Functions"), so a lane that returns early is correct. A lane that goes
 * around the barrier is not, though it exits, too. */

/* Whether nothing is executed from here on but the exit. */
static bool leads_to_exit(const struct program *p, const struct uop *pc)
{
    for (unsigned steps = 0; steps < 16; steps++) {
        bool always = !is_register(pc->guard);
        if (pc->kind == UOP_EXIT || pc->kind == UOP_RETURN)
            return always;
        if (pc->kind == UOP_BRANCH && always)
            pc = &p->uops[pc->target];
        else if (pc->kind == UOP_RECONVERGE)
            pc++;
        else
            return false;
    }
    return false;
}

/* Whether the warp's current lanes meet those from which they diverged only at the exit. */
static bool parted_until_exit(const struct warp_state *s)
{
    uint32_t i = s->join;
    while (i && s->joins[i].kind == JOIN_CALL)
        i = s->joins[i].outer;
    return !i || leads_to_exit(s->w.block->program, s->joins[i].pc);
}

static bool has_effect(const struct uop *u)
{
    switch (u->kind) {
    case UOP_LANE:
    case UOP_UNIFORM:
    case UOP_CLOCK:
    case UOP_RECONVERGE:
    case UOP_EXIT:
    case UOP_RETURN: return false;
    case UOP_MEMORY: return u->memory->operand.kind != RP_ACCESS_LOAD;
    default: return true;
    }
}

/* Active lanes whose guard leaves out `u`, and which then do more than lanes that have returned. ptxas may make such
 * guards of a return: then the lanes do nothing until they exit. */
static lanemask goes_around(const struct warp_state *s, const struct uop *u)
{
    lanemask around = s->w.active;
    if (!is_register(u->guard))
        return 0;
    around &= ~guard(&s->w, u);
    for (const struct uop *next = u + 1; around; next++) {
        bool same = next->guard.at == u->guard.at && !((next->flags ^ u->flags) & UF_GUARD_NEGATED);
        if (!same && has_effect(next))
            return around;
        if ((next->kind == UOP_EXIT || next->kind == UOP_RETURN) && !is_register(next->guard))
            return 0;
    }
    return 0;
}

/* No further lanes of its warp will come to this barrier. */
static void part_ends(struct checked_block *cb, const struct warp_state *s, struct check_part *part)
{
    char detail[200];
    lanemask missing = part->expected & ~part->lanes;
    missing &= part->ends ? s->w.live : ~(lanemask)0;
    if (missing && !part->reported) {
        snprintf(detail, sizeof detail,
                 "an aligned barrier is reached by lanes 0x%08x of the warp, but not by lanes 0x%08x", part->lanes,
                 missing);
        report(cb, s->w.block, part->instruction, part->thread, detail);
    }
    part->expected = 0;
}

/* The part waits at one barrier; other lanes of its warp come to another one. */
static void parts_at_two(struct checked_block *cb, const struct warp_state *s, const struct check_part *part,
                         struct check_part *other)
{
    char detail[200];
    snprintf(detail, sizeof detail,
             "an aligned barrier is reached by lanes 0x%08x of the warp, another one by lanes 0x%08x", part->lanes,
             other->lanes);
    other->reported = true;
    check_report(cb->check, s->w.block,
                 (struct rp_finding){
                     .kind = RP_CHECK_SYNC,
                     .space = RP_SPACE_NONE,
                     .here = check_location(s->w.block, part->instruction, part->thread, RP_ACCESS_KIND_COUNT),
                     .two = true,
                     .other = check_location(s->w.block, other->instruction, other->thread, RP_ACCESS_KIND_COUNT)},
                 detail);
}

static void part_at_barrier(struct checked_block *cb, struct warp_state *s, const struct uop *u, lanemask lanes)
{
    struct check_part *part = &cb->parts[s->w.id];
    bool waits = u->barrier->kind != RP_BARRIER_ARRIVE;
    if (!(u->flags & UF_ALIGNED) || !waits)
        return;
    if (part->expected && part->instruction == u->index && !(part->lanes & lanes)) {
        part->lanes |= lanes;
        if (!(part->expected & s->w.live & ~part->lanes))
            part->expected = 0;
        return;
    }
    unsigned thread = s->w.id * RP_WARP_LANES + (unsigned)__builtin_ctz(lanes);
    bool ends = parted_until_exit(s);
    lanemask around = ends ? goes_around(s, u) : 0;
    struct check_part mine = {lanes, s->w.live, u->index, thread, ends && !around, false};
    mine.expected = around ? lanes | around : mine.expected;
    if (part->expected && part->instruction != u->index && !(part->lanes & lanes))
        parts_at_two(cb, s, part, &mine);
    else if (part->expected)
        part_ends(cb, s, part);
    *part = mine;
}

/* PTX ISA, "barrier": .red must not be mixed with .sync and .arrive at one barrier. */
static void mixed(struct checked_block *cb, const struct warp_state *s, const struct uop *u, lanemask lanes)
{
    const struct block *b = s->w.block;
    unsigned lane = (unsigned)__builtin_ctz(lanes);
    uint32_t id = barrier_id(&s->w, u, lane);
    const struct barrier *bar = &b->barriers[id];
    const struct rp_instruction *other = &b->program->kernel.instructions[bar->instruction];
    bool reduces = u->barrier->kind == RP_BARRIER_REDUCE;
    char detail[160];
    if (!(b->barriers_in_use >> id & 1) || reduces == (other->barrier.kind == RP_BARRIER_REDUCE))
        return;
    snprintf(detail, sizeof detail, "barrier %u is used with and without a reduction at the same time", id);
    check_report(
        cb->check, b,
        (struct rp_finding){.kind = RP_CHECK_SYNC,
                            .space = RP_SPACE_NONE,
                            .here = check_location(b, u->index, s->w.id * RP_WARP_LANES + lane, RP_ACCESS_KIND_COUNT),
                            .two = true,
                            .other = check_location(b, bar->instruction, bar->thread, RP_ACCESS_KIND_COUNT)},
        detail);
}

/* ---- collectives ------------------------------------------------------------------------------------------------- */

static void await(struct checked_block *cb, const struct warp_state *s, const struct uop *u, lanemask others)
{
    if (parted_until_exit(s))
        others &= goes_around(s, u);
    if (others)
        cb->awaited[s->w.id] = (struct check_awaited){others, u->index};
}

/* PTX ISA, "bar.warp.sync": all threads that a mask names must execute it. */
static void come_without(struct checked_block *cb, const struct warp_state *s, const struct uop *u, lanemask lanes)
{
    struct check_awaited *a = &cb->awaited[s->w.id];
    lanemask gone = a->lanes & ~s->w.live & ~lanes;
    char detail[200];
    if (a->instruction != u->index)
        return;
    a->lanes = 0;
    if (!gone)
        return;
    snprintf(detail, sizeof detail,
             "lanes 0x%08x wait here for lanes 0x%08x, which their masks name, and which have exited without coming",
             lanes, gone);
    report(cb, s->w.block, u->index, s->w.id * RP_WARP_LANES + (unsigned)__builtin_ctz(lanes), detail);
}

/* ---- shuffles ---------------------------------------------------------------------------------------------------- */

/* The lane whose value a lane of shfl receives; itself if the source is out of range. PTX ISA, "shfl.sync". */
static unsigned shuffle_source(const struct warp *w, const struct uop *u, unsigned lane)
{
    uint32_t b = lane_u32(w, u->b, lane) & 31, c = lane_u32(w, u->c, lane);
    uint32_t segment = c >> 8 & 31, first = lane & segment, last = first | (c & 31 & ~segment);
    int32_t j;
    switch ((enum shfl_mode)u->mode) {
    case SHFL_UP: j = (int32_t)lane - (int32_t)b; break;
    case SHFL_DOWN: j = (int32_t)(lane + b); break;
    case SHFL_BFLY: j = (int32_t)(lane ^ b); break;
    default: j = (int32_t)(first | (b & ~segment)); break;
    }
    bool fits = u->mode == SHFL_UP ? j >= (int32_t)last : j <= (int32_t)last;
    return fits ? (unsigned)j : lane;
}

static void shuffle(struct checked_block *cb, struct warp_state *s, const struct uop *u, lanemask lanes)
{
    char detail[160];
    FOR_LANES(l, lanes)
    {
        unsigned from = shuffle_source(&s->w, u, l);
        if (lanes >> from & 1)
            continue;
        snprintf(detail, sizeof detail, "lane %u reads from lane %u, which takes no part: its value is undefined", l,
                 from);
        report(cb, s->w.block, u->index, s->w.id * RP_WARP_LANES + l, detail);
        return;
    }
}

void sync_event(struct checked_block *cb, struct warp_state *s, enum block_event event, const struct uop *u,
                lanemask lanes)
{
    if (event == EVENT_ARRIVE)
        mixed(cb, s, u, lanes);
    if (event == EVENT_PART)
        part_at_barrier(cb, s, u, lanes);
    if (event == EVENT_AWAIT)
        await(cb, s, u, lanes);
    if (event == EVENT_COLLECTIVE)
        come_without(cb, s, u, lanes);
    if (event == EVENT_SHUFFLE || (event == EVENT_COLLECTIVE && u->op == OP_SHFL && u->fn))
        shuffle(cb, s, u, lanes);
}

void sync_block_end(struct checked_block *cb, struct block *b)
{
    char detail[120];
    for (uint32_t i = 0; i < b->grid->warps; i++)
        if (cb->parts[i].expected)
            part_ends(cb, &b->warps[i], &cb->parts[i]);
    for (uint32_t id = 0; id < NAMED_BARRIERS; id++) {
        const struct barrier *bar = &b->barriers[id];
        if (!(b->barriers_in_use >> id & 1))
            continue;
        snprintf(detail, sizeof detail, "the block ends, and barrier %u has %u of %u threads", id,
                 bar->arrived + bar->part, bar->expected);
        report(cb, b, bar->instruction, bar->thread, detail);
    }
}
