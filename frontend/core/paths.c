/* Divergence: branches, calls and returns, and the joins where lanes that diverged go on together (engine.h, "warps").
 *
 * A divergent branch opens a join (of the lanes that meet again at the RECONVERGE uop), puts the side that is not taken
 * into the list, and runs the taken side first. Lanes that jump straight to their join have arrived at once. Where
 * there is no post-dominator before the function's end, the two sides just run one after the other, and meet at the
 * join of the surrounding branch. */
#include <stdlib.h>
#include <string.h>

#include "frontend/core/cluster.h"
#include "frontend/core/stack.h"
#include "frontend/operation/flags.h"
#include "tracefmt/plural.h"

/* ---- joins ------------------------------------------------------------------------------------------------------- */

static bool too_many(struct warp_state *s, const struct uop *u)
{
    block_fault(s, u, RP_FAULT_STACK, (unsigned)__builtin_ctz(s->w.active),
                "the warp has %u calls and divergent branches open, too many", s->joins_open + s->split_count);
    return false;
}

/* Makes room for one more join or split; false with a fault. */
static bool has_room(struct warp_state *s, const struct uop *u)
{
    return s->joins_open + s->split_count < MAX_PATHS || too_many(s, u);
}

static bool grow_joins(struct warp_state *s)
{
    uint32_t capacity = s->join_capacity ? 2 * s->join_capacity : 32;
    struct join *joins = realloc(s->joins, capacity * sizeof *joins);
    if (!joins) {
        block_no_memory(s->w.block);
        return false;
    }
    s->joins = joins;
    s->join_capacity = capacity;
    return true;
}

/* Opens a join for the active lanes inside the current split's join; from now on the current split is inside the new
 * one. */
static struct join *open_join(struct warp_state *s, const struct uop *u, const struct uop *pc, enum join_kind kind)
{
    uint32_t at = s->free_join;
    if (!has_room(s, u) || (!at && s->joins_made + 1 >= s->join_capacity && !grow_joins(s)))
        return NULL;
    if (at)
        s->free_join = s->joins[at].outer;
    else
        at = ++s->joins_made;
    s->joins_open++;
    s->joins[at] = (struct join){.pc = pc,
                                 .lanes = s->w.active,
                                 .window = current_window(s),
                                 .frame = s->w.frame,
                                 .call = s->call,
                                 .outer = s->join,
                                 .kind = (uint8_t)kind,
                                 .order = ++s->top};
    s->join = at;
    s->meet = kind == JOIN_MEET ? pc - 1 : NULL;
    return &s->joins[at];
}

static void free_join(struct warp_state *s, uint32_t i)
{
    s->joins[i].lanes = s->joins[i].arrived = 0;
    s->joins[i].outer = s->free_join;
    s->free_join = i;
    s->joins_open--;
}

static void run_split(struct warp_state *s, const struct split *split)
{
    warp_set_window(&s->w, s->registers + split->window);
    s->w.frame = split->frame;
    s->w.active = split->lanes;
    s->call = split->call;
    s->join = split->join;
    s->meet = s->join && s->joins[s->join].kind == JOIN_MEET ? s->joins[s->join].pc - 1 : NULL;
    s->pc = split->pc;
}

/* All remaining lanes of a join have arrived: they become a split again. It runs at once, unless a younger split can
 * run. (Barriers of threads that are not independent leave such splits.) */
static void complete_join(struct warp_state *s, uint32_t i)
{
    const struct join *j = &s->joins[i];
    struct split all = {j->pc, j->arrived, j->window, j->frame, j->call, j->outer, WAIT_NONE, 0, false, j->order};
    free_join(s, i);
    if (!s->split_count || s->splits[s->split_count - 1].order < all.order) {
        run_split(s, &all);
        return;
    }
    split_insert(s, all);
    splits_next(s);
}

/* To be called when the current split has no lanes left. If all lanes of the innermost join that has any have arrived,
 * they go on; otherwise the next split runs. Joins that all lanes have left are closed. */
static void settle(struct warp_state *s)
{
    uint32_t i = s->join;
    while (i && !(s->joins[i].lanes & s->w.live)) {
        uint32_t outer = s->joins[i].outer;
        free_join(s, i);
        i = outer;
    }
    if (i && (s->joins[i].lanes & s->w.live) == s->joins[i].arrived)
        complete_join(s, i);
    else
        splits_next(s);
}

void paths_meet(struct warp_state *s)
{
    s->joins[s->join].arrived |= s->w.active;
    settle(s);
}

/* Removes lanes from the current split; if none remain, another split runs. */
static void remove_lanes(struct warp_state *s, const struct uop *u, lanemask lanes)
{
    s->w.active &= ~lanes;
    s->pc = u + 1;
    if (!s->w.active)
        settle(s);
}

/* Puts lanes of the current split into the list, to go on at `pc`. */
static bool put_aside(struct warp_state *s, const struct uop *u, const struct uop *pc, lanemask lanes)
{
    if (!has_room(s, u))
        return false;
    s->splits[s->split_count++] = split_of_current(s, pc, lanes);
    return true;
}

/* ---- branches ---------------------------------------------------------------------------------------------------- */

/* Opens the join at the branch's reconvergence point. If there is none, the lanes meet at the surrounding branch's
 * join. If that join is at the same point, it serves both branches. */
static bool open_meet(struct warp_state *s, const struct uop *u)
{
    if (u->reconverge == UOP_NOWHERE)
        return true;
    const struct uop *at = s->w.block->program->uops + u->reconverge;
    return at == s->meet || open_join(s, u, at + 1, JOIN_MEET);
}

void paths_branch(struct warp_state *s, const struct uop *u, lanemask taken)
{
    const struct uop *target = s->w.block->program->uops + u->target;
    lanemask rest = s->w.active & ~taken;
    if (!open_meet(s, u))
        return;
    if (target == s->meet) {
        s->joins[s->join].arrived |= taken;
        s->w.active = rest;
        s->pc = u + 1;
        return;
    }
    if (u + 1 == s->meet)
        s->joins[s->join].arrived |= rest;
    else if (!put_aside(s, u, u + 1, rest))
        return;
    s->w.active = taken;
    s->pc = target;
}

/* The lanes of `mask` whose 32-bit table index is `index`. */
static lanemask same_index(const struct warp *w, const struct uop *u, lanemask mask, uint32_t index)
{
    lanemask same = 0;
    FOR_LANES(l, mask)
    same |= (lanemask)(lane_u32(w, u->a, l) == index) << l;
    return same;
}

void paths_branch_table(struct warp_state *s, const struct uop *u, lanemask executed)
{
    const struct uop *uops = s->w.block->program->uops;
    /* machine code, whose tables are by addresses */
    const bool in_code = u->control->table_count && u->control->table[0] == UOP_NOWHERE;
    FOR_LANES(l, executed)
    {
        uint32_t index = lane_u32(&s->w, u->a, l);
        if (in_code && (index >= u->control->table_count || u->control->table[index] == UOP_NOWHERE)) {
            block_fault(s, u, RP_FAULT_BAD_CALL, l, "to %s",
                        index ? "an address that is none of this code" : "a null pointer");
            return;
        }
        if (index >= u->control->table_count) {
            block_fault(s, u, RP_FAULT_BAD_CALL, l, "branch index %u, but the table has %u target%s", index,
                        u->control->table_count, rp_plural(u->control->table_count));
            return;
        }
    }
    lanemask first = same_index(&s->w, u, executed, lane_u32(&s->w, u->a, (unsigned)__builtin_ctz(executed)));
    if (first != s->w.active) {
        if (!open_meet(s, u))
            return;
        /* below the lanes of the first target: lanes with other targets, and those whose guard is false */
        lanemask off = s->w.active & ~executed, others = executed & ~first;
        if (off && !put_aside(s, u, u + 1, off))
            return;
        while (others) {
            uint32_t index = lane_u32(&s->w, u->a, 31 - (unsigned)__builtin_clz(others));
            lanemask group = same_index(&s->w, u, others, index);
            if (!put_aside(s, u, uops + u->control->table[index], group))
                return;
            others &= ~group;
        }
    }
    s->pc = uops + u->control->table[lane_u32(&s->w, u->a, (unsigned)__builtin_ctz(first))];
    s->w.active = first;
}

/* ---- calls ------------------------------------------------------------------------------------------------------- */

/* Makes room for a callee above the caller's window. This may move the register stack, so windows are kept as offsets.
 */
static bool grow_registers(struct warp_state *s, const struct uop *u, size_t need)
{
    if (need <= s->register_bytes)
        return true;
    size_t bytes = s->register_bytes;
    while (bytes < need)
        bytes *= 2;
    if (bytes > MAX_REGISTER_STACK) {
        block_fault(s, u, RP_FAULT_STACK, (unsigned)__builtin_ctz(s->w.active),
                    "calls are nested too deeply: the registers of the open calls need %zu bytes per warp", need);
        return false;
    }
    uint8_t *grown = aligned_alloc(64, bytes);
    if (!grown) {
        block_no_memory(s->w.block);
        return false;
    }
    memcpy(grown, s->registers, s->register_bytes);
    memset(grown + s->register_bytes, 0, bytes - s->register_bytes);
    warp_set_window(&s->w, grown + (s->w.window - s->registers));
    free(s->registers);
    s->registers = grown;
    s->register_bytes = bytes;
    return true;
}

/* Whether the callee's whole frame, including its local variables, fits on the stack; false with a fault. */
static bool frame_fits(struct warp_state *s, const struct uop *u, const struct uop *entry)
{
    const struct program *p = s->w.block->program;
    uint32_t needed = p->operations[entry - p->uops].frame_bytes;
    if ((uint64_t)s->w.frame + u->control->frame_bytes + needed <= stack_room(s))
        return true;
    block_fault(s, u, RP_FAULT_STACK, (unsigned)__builtin_ctz(s->w.active),
                "the stack of %u bytes per thread is exhausted", s->w.block->grid->local_bytes);
    return false;
}

/* Whether the window at `at`, of a function in which lanes wait, overlaps the one at `window` and is above the
 * caller's. */
static bool in_the_way(const struct warp_state *s, size_t at, size_t caller, size_t window)
{
    uint32_t extent = s->w.block->program->register_extent;
    return at > caller && at + extent > window && at < window + extent;
}

/* The lowest of these windows; SIZE_MAX: there is none. */
static size_t lowest_in_the_way(const struct warp_state *s, size_t caller, size_t window)
{
    size_t lowest = SIZE_MAX;
    for (uint32_t i = 0; i < s->split_count; i++) {
        size_t at = s->splits[i].window;
        if (!s->splits[i].enters && at < lowest && in_the_way(s, at, caller, window))
            lowest = at;
    }
    for (uint32_t i = 1; i <= s->joins_made; i++) {
        size_t at = s->joins[i].window;
        if (s->joins[i].lanes & s->w.live && at < lowest && in_the_way(s, at, caller, window))
            lowest = at;
    }
    return lowest;
}

/* The lowest free offset for a callee's window from `window` on. Lanes of another call may wait in functions that do
 * not call the current one; their windows stay untouched. Gaps are used, so that splits that call in turns take bounded
 * room. */
static size_t beside_waiting(const struct warp_state *s, size_t caller, size_t window)
{
    for (size_t at; (at = lowest_in_the_way(s, caller, window)) != SIZE_MAX;)
        window = at + s->w.block->program->register_extent;
    return window;
}

/* Makes room for a callee at `window` or above; false with a fault. */
static bool place_window(struct warp_state *s, const struct uop *u, size_t caller, size_t window, struct split *callee)
{
    if (s->several_open)
        window = beside_waiting(s, caller, window);
    size_t end = window + s->w.block->program->register_extent;
    if (!grow_registers(s, u, end))
        return false;
    if (end > s->register_high)
        s->register_high = end;
    callee->window = (uint32_t)window;
    return true;
}

/* Makes room for a callee of the current split above its function; false with a fault. */
static bool open_frame(struct warp_state *s, const struct uop *u, struct split *callee)
{
    size_t caller = current_window(s);
    callee->frame = s->w.frame + u->control->frame_bytes;
    return place_window(s, u, caller, caller + u->control->window_bytes, callee);
}

bool split_run(struct warp_state *s, const struct split *split)
{
    struct split placed = *split;
    if (split->enters && s->several_open &&
        !place_window(s, split->pc, s->joins[split->call].window, split->window, &placed))
        return false;
    run_split(s, &placed);
    return true;
}

/* The first uop of the function at `address`. NULL: no function of this program is there. */
static const struct uop *function_at(const struct warp_state *s, const struct uop *u, uint64_t address)
{
    uint64_t number = address / FUNCTION_STEP;
    if (address % FUNCTION_STEP || number >= u->control->table_count || u->control->table[number] == UOP_NOWHERE)
        return NULL;
    return s->w.block->program->uops + u->control->table[number];
}

/* The lanes of `mask` that call the same function as the lowest one. */
static lanemask same_callee(const struct warp *w, const struct uop *u, lanemask mask)
{
    uint64_t address = lane_u64(w, u->a, (unsigned)__builtin_ctz(mask));
    lanemask same = 0;
    FOR_LANES(l, mask)
    same |= (lanemask)(lane_u64(w, u->a, l) == address) << l;
    return same;
}

/* Makes the lanes' calls, one function after another; all lanes meet in a join after the call. */
static void call_indirect(struct warp_state *s, const struct uop *u, lanemask executed)
{
    FOR_LANES(l, executed)
    {
        uint64_t to = lane_u64(&s->w, u->a, l);
        const struct uop *entry = function_at(s, u, to);
        if (!entry) {
            block_fault(s, u, RP_FAULT_BAD_CALL, l, "call of 0x%llx, where no function begins", (unsigned long long)to);
            return;
        }
        if (!frame_fits(s, u, entry))
            return;
    }
    struct split callee = {.enters = true};
    struct join *j;
    if (!open_frame(s, u, &callee) || !(j = open_join(s, u, u + 1, JOIN_CALL)))
        return;
    j->arrived = s->w.active & ~executed;
    callee.join = callee.call = s->join;
    for (lanemask left = executed; left; left &= ~callee.lanes) {
        if (!has_room(s, u))
            return;
        callee.lanes = same_callee(&s->w, u, left);
        callee.pc = function_at(s, u, lane_u64(&s->w, u->a, (unsigned)__builtin_ctz(left)));
        callee.order = ++s->top;
        split_insert(s, callee);
    }
    splits_next(s);
}

void paths_call(struct warp_state *s, const struct uop *u, lanemask executed)
{
    if (u->target == UOP_NOWHERE) {
        call_indirect(s, u, executed);
        return;
    }
    struct split callee = {.pc = s->w.block->program->uops + u->target, .lanes = executed};
    struct join *j;
    if (!frame_fits(s, u, callee.pc) || !open_frame(s, u, &callee) || !(j = open_join(s, u, u + 1, JOIN_CALL)))
        return;
    j->arrived = s->w.active & ~executed;
    callee.join = callee.call = s->join;
    run_split(s, &callee);
}

/* Lanes of the current split arrive at a join around it, and leave all joins in between. */
static void arrive_past(struct warp_state *s, uint32_t join, lanemask lanes)
{
    for (uint32_t i = s->join; i != join; i = s->joins[i].outer)
        s->joins[i].lanes &= ~lanes;
    s->joins[join].arrived |= lanes;
}

void paths_return(struct warp_state *s, const struct uop *u, lanemask executed)
{
    if (!s->call) { /* the kernel itself returns */
        paths_exit(s, u, executed);
        return;
    }
    stack_return(s, executed);
    arrive_past(s, s->call, executed);
    remove_lanes(s, u, executed);
}

void paths_exit(struct warp_state *s, const struct uop *u, lanemask executed)
{
    s->w.live &= ~executed;
    stack_exit(s, executed);
    if (s->independent) { /* others may have waited for these lanes */
        barrier_lanes_exited(s);
        cluster_lanes_exited(s);
        collectives_serve(s);
    }
    remove_lanes(s, u, executed);
}

void paths_push_token(struct warp_state *s, const struct uop *u)
{
    struct join *j = open_join(s, u, s->w.block->program->uops + u->target, JOIN_TOKEN);
    if (j)
        j->token = (uint8_t)u->mode;
}

/* Lanes may leave a join early, as BRK does inside an SSY. */
void paths_pop_token(struct warp_state *s, const struct uop *u, lanemask executed)
{
    uint32_t join = s->join;
    while (join && s->joins[join].token != u->mode)
        join = s->joins[join].outer;
    if (!join) {
        block_fault(s, u, RP_FAULT_BAD_CALL, (unsigned)__builtin_ctz(executed),
                    "nothing on the stack of divergence and calls that this could return to");
        return;
    }
    arrive_past(s, join, executed);
    remove_lanes(s, u, executed);
}

/* ---- barriers of warps whose threads are not independent --------------------------------------------------------- */

/* Merges lanes that wait at the barrier `at` by themselves into the current split, if they are in the same join and
 * call. Returns all lanes that wait there. */
static lanemask gather_waiting(struct warp_state *s, const struct uop *at)
{
    lanemask all = s->w.active;
    for (uint32_t i = s->split_count; i-- > 0;) {
        const struct split *split = &s->splits[i];
        if (split->waits != WAIT_BARRIER || split->pc != at)
            continue;
        all |= split->lanes;
        if (split->join == s->join && split->call == s->call)
            s->w.active |= split_take(s, i).lanes;
    }
    return all;
}

/* Removes and returns the youngest group of lanes that can run while the current ones wait: the other side of a branch,
 * or lanes that wait at a join for others and may go ahead alone. */
static bool take_other(struct warp_state *s, struct split *other)
{
    uint32_t split = s->split_count, join = 0;
    for (uint32_t i = s->split_count; i-- > 0 && split == s->split_count;)
        if (s->splits[i].waits == WAIT_NONE && !s->splits[i].enters)
            split = i;
    for (uint32_t i = 1; i <= s->joins_made; i++)
        if (s->joins[i].arrived && (!join || s->joins[i].order > s->joins[join].order))
            join = i;
    if (split < s->split_count && (!join || s->splits[split].order > s->joins[join].order)) {
        *other = split_take(s, split);
        return true;
    }
    if (!join)
        return false;
    struct join *j = &s->joins[join];
    *other = (struct split){j->pc, j->arrived, j->window, j->frame, j->call, j->outer, WAIT_NONE, 0, false, 0};
    j->lanes &= ~j->arrived;
    j->arrived = 0;
    return true;
}

/* The whole warp goes on: splits that could not be merged with the current one continue after the barrier, too. */
static void release_waiting(struct warp_state *s, const struct uop *at)
{
    for (uint32_t i = s->split_count; i-- > 0;)
        if (s->splits[i].waits == WAIT_BARRIER && s->splits[i].pc == at)
            split_release(s, i, s->splits[i].lanes);
}

/* Whether lanes of another call wait at the reduction `at`: their operands are in another window than the current
 * split's. */
static bool reduces_across_calls(const struct warp_state *s, const struct uop *at)
{
    for (uint32_t i = 0; at->barrier->kind == RP_BARRIER_REDUCE && i < s->split_count; i++) {
        const struct split *split = &s->splits[i];
        if (split->waits == WAIT_BARRIER && split->pc == at && split->call != s->call)
            return true;
    }
    return false;
}

bool paths_gather(struct warp_state *s, const struct uop *at)
{
    lanemask all = gather_waiting(s, at), missing = s->w.live & ~all;
    if (!missing && reduces_across_calls(s, at)) {
        block_fault(s, at, RP_FAULT_BARRIER, (unsigned)__builtin_ctz(s->w.active),
                    "threads of warp %u reach a reducing barrier by different calls of its function", s->w.id);
        return false;
    }
    if (!missing) {
        release_waiting(s, at);
        return true;
    }
    struct split other;
    if (!take_other(s, &other)) {
        block_fault(s, at, RP_FAULT_BARRIER, (unsigned)__builtin_ctz(missing),
                    "a barrier is reached by %d thread%s of warp %u while %d other%s of it %s elsewhere",
                    __builtin_popcount(all), rp_plural((unsigned)__builtin_popcount(all)), s->w.id,
                    __builtin_popcount(missing), rp_plural((unsigned)__builtin_popcount(missing)),
                    __builtin_popcount(missing) == 1 ? "is" : "are");
        return false;
    }
    if (!put_aside(s, at, at, s->w.active))
        return false;
    s->splits[s->split_count - 1].waits = WAIT_BARRIER;
    s->several_open |= other.call != s->call;
    run_split(s, &other);
    return false;
}
