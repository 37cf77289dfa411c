/* Divergence by immediate post-dominators. The warp runs one path at a time; the stack holds the others.
 *
 * A branch that splits its lanes pushes a join (the lanes that meet again at the RECONVERGE uop) and the side that is
 * not taken, and runs the taken side first. A path that comes to its join ends there. Lanes that are at their join
 * already are in the join's mask and need no entry of their own. Where there is no post-dominator before the function's
 * end, the two sides just run one after the other, and still meet at the join of the branch around them. */
#include <stdlib.h>
#include <string.h>

#include "frontend/core/engine.h"
#include "frontend/core/flags.h"
#include "tracefmt/plural.h"

/* Puts a path of the function that runs on the stack. */
static bool push(struct warp_state *s, const struct uop *u, struct path p)
{
    p.call = s->call;
    if (p.kind != PATH_ENTER) {
        p.window = (uint32_t)(s->w.window - s->registers);
        p.frame = s->w.frame;
    }
    if (s->depth == s->path_capacity) {
        uint32_t capacity = s->path_capacity ? 2 * s->path_capacity : 32;
        struct path *paths = capacity <= MAX_PATHS ? realloc(s->paths, capacity * sizeof *paths) : NULL;
        if (!paths) {
            block_fault(s, u, RP_FAULT_STACK, (unsigned)__builtin_ctz(s->w.active),
                        "the warp has %u calls and divergent branches open, too many", s->depth);
            return false;
        }
        s->paths = paths;
        s->path_capacity = capacity;
    }
    s->paths[s->depth++] = p;
    return true;
}

static void set_frame(struct warp_state *s, const struct path *p)
{
    warp_set_window(&s->w, s->registers + p->window);
    s->w.frame = p->frame;
}

/* Makes `p` the path that runs. */
static void go_on(struct warp_state *s, const struct path *p)
{
    set_frame(s, p);
    s->call = p->call;
    s->w.active = p->mask;
    s->pc = p->pc;
    s->join = p->join;
}

bool paths_pop(struct warp_state *s)
{
    while (s->depth) {
        struct path *p = &s->paths[--s->depth], next = *p;
        next.mask &= s->w.live;
        if (!next.mask)
            continue;
        if (next.kind == PATH_ENTER) { /* its place is taken by the call that it becomes; a join below has its lanes */
            *p = (struct path){.kind = PATH_CALL};
            next.call = ++s->depth;
        }
        go_on(s, &next);
        return true;
    }
    s->w.active = 0;
    return false;
}

/* Where the current path's lanes meet again after a branch with this reconvergence point; NULL: nowhere. Pushes the
 * join unless the path around it ends there, too. */
static bool open_join(struct warp_state *s, const struct uop *u, const struct uop **join)
{
    *join = s->join;
    if (u->reconverge == UOP_NOWHERE)
        return true;
    const struct uop *at = s->w.block->program->uops + u->reconverge;
    if (at == s->join)
        return true;
    *join = at;
    return push(s, u, (struct path){.pc = at + 1, .join = s->join, .mask = s->w.active, .kind = PATH_JOIN});
}

void paths_branch(struct warp_state *s, const struct uop *u, lanemask taken)
{
    const struct uop *target = s->w.block->program->uops + u->target, *join;
    lanemask rest = s->w.active & ~taken;
    if (!open_join(s, u, &join))
        return;
    s->join = join;
    if (target == join) { /* the taken lanes are where they wait */
        s->w.active = rest;
        s->pc = u + 1;
        return;
    }
    if (u + 1 != join && !push(s, u, (struct path){.pc = u + 1, .join = join, .mask = rest, .kind = PATH_SPLIT}))
        return;
    s->w.active = taken;
    s->pc = target;
}

/* The lanes of `mask` whose 32-bit table index equals that of the lowest one. */
static lanemask same_index(const struct warp *w, const struct uop *u, lanemask mask, uint32_t index)
{
    lanemask same = 0;
    FOR_LANES(l, mask)
    same |= (lanemask)(lane_u32(w, u->a, l) == index) << l;
    return same;
}

void paths_branch_table(struct warp_state *s, const struct uop *u, lanemask executed)
{
    const struct uop *uops = s->w.block->program->uops, *join;
    FOR_LANES(l, executed)
    {
        uint32_t index = lane_u32(&s->w, u->a, l);
        if (index >= u->control->table_count) {
            block_fault(s, u, RP_FAULT_BAD_CALL, l, "branch index %u, but the table has %u target%s", index,
                        u->control->table_count, rp_plural(u->control->table_count));
            return;
        }
    }
    lanemask first = same_index(&s->w, u, executed, lane_u32(&s->w, u->a, (unsigned)__builtin_ctz(executed)));
    if (first != s->w.active) {
        if (!open_join(s, u, &join))
            return;
        s->join = join;
        /* below the lanes of the first target: those of the others, and those whose guard lets them fall through */
        lanemask off = s->w.active & ~executed, others = executed & ~first;
        if (off && !push(s, u, (struct path){.pc = u + 1, .join = join, .mask = off, .kind = PATH_SPLIT}))
            return;
        while (others) {
            uint32_t index = lane_u32(&s->w, u->a, 31 - (unsigned)__builtin_clz(others));
            lanemask group = same_index(&s->w, u, others, index);
            const struct uop *target = uops + u->control->table[index];
            if (!push(s, u, (struct path){.pc = target, .join = join, .mask = group, .kind = PATH_SPLIT}))
                return;
            others &= ~group;
        }
    }
    s->pc = uops + u->control->table[lane_u32(&s->w, u->a, (unsigned)__builtin_ctz(first))];
    s->w.active = first;
}

/* Room for a callee above the caller's window. Moves the register stack, so windows are kept as offsets. */
static bool grow_registers(struct warp_state *s, const struct uop *u, size_t need)
{
    if (need <= s->register_bytes)
        return true;
    size_t bytes = s->register_bytes;
    while (bytes < need)
        bytes *= 2;
    uint8_t *grown = bytes <= MAX_REGISTER_STACK ? aligned_alloc(64, bytes) : NULL;
    if (!grown) {
        block_fault(s, u, RP_FAULT_STACK, (unsigned)__builtin_ctz(s->w.active),
                    "calls are nested too deeply: the registers of the open calls need %zu bytes per warp", need);
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

/* Whether all of the callee's frame, its local variables too, has room on the stack; false with a fault. */
static bool frame_fits(struct warp_state *s, const struct uop *u, const struct uop *entry)
{
    const struct program *p = s->w.block->program;
    uint32_t room = s->w.block->grid->local_bytes, needed = p->operations[entry - p->uops].frame_bytes;
    if ((uint64_t)s->w.frame + u->control->frame_bytes + needed <= room)
        return true;
    block_fault(s, u, RP_FAULT_STACK, (unsigned)__builtin_ctz(s->w.active),
                "the stack of %u bytes per thread is exhausted (--stack BYTES gives more)", room);
    return false;
}

/* The least offset from `window` on that is above the registers of all functions in which lanes wait: those of another
 * call may wait in one that is no caller of the current function. */
static size_t above_waiting(const struct warp_state *s, size_t window)
{
    for (uint32_t i = 0; i < s->depth; i++) {
        const struct path *p = &s->paths[i];
        size_t end = (size_t)p->window + s->w.block->program->register_extent;
        if (p->mask & s->w.live && s->registers + p->window > s->w.window && end > window)
            window = end;
    }
    return window;
}

/* Makes room for a callee above the current function; false with a fault. */
static bool open_frame(struct warp_state *s, const struct uop *u, struct path *callee)
{
    size_t window = (size_t)(s->w.window - s->registers) + u->control->window_bytes;
    if (s->several_open)
        window = above_waiting(s, window);
    size_t end = window + s->w.block->program->register_extent;
    uint64_t frame = (uint64_t)s->w.frame + u->control->frame_bytes;
    if (!grow_registers(s, u, end))
        return false;
    if (end > s->register_high)
        s->register_high = end;
    callee->window = (uint32_t)window;
    callee->frame = (uint32_t)frame;
    return true;
}

/* The first uop of the function at `address`, or NULL: no function of this program is there. */
static const struct uop *function_at(const struct warp_state *s, const struct uop *u, uint64_t address)
{
    uint64_t number = address / FUNCTION_STEP;
    if (address % FUNCTION_STEP || number >= u->control->table_count || u->control->table[number] == UOP_NOWHERE)
        return NULL;
    return s->w.block->program->uops + u->control->table[number];
}

/* The lanes of `mask` that call what the lowest one calls. */
static lanemask same_callee(const struct warp *w, const struct uop *u, lanemask mask)
{
    uint64_t address = lane_u64(w, u->a, (unsigned)__builtin_ctz(mask));
    lanemask same = 0;
    FOR_LANES(l, mask)
    same |= (lanemask)(lane_u64(w, u->a, l) == address) << l;
    return same;
}

/* Calls one after the other whatever the lanes call: those yet to come wait as enters, and all lanes meet in a join
 * after the call. */
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
    struct path callee = {.kind = PATH_ENTER};
    if (!open_frame(s, u, &callee) ||
        !push(s, u, (struct path){.pc = u + 1, .join = s->join, .mask = s->w.active, .kind = PATH_JOIN}))
        return;
    for (lanemask left = executed; left; left &= ~callee.mask) {
        callee.mask = same_callee(&s->w, u, left);
        callee.pc = function_at(s, u, lane_u64(&s->w, u->a, (unsigned)__builtin_ctz(left)));
        if (!push(s, u, callee))
            return;
    }
    paths_pop(s);
}

void paths_call(struct warp_state *s, const struct uop *u, lanemask executed)
{
    if (u->target == UOP_NOWHERE) {
        call_indirect(s, u, executed);
        return;
    }
    struct path callee, call = {.pc = u + 1, .join = s->join, .mask = s->w.active, .kind = PATH_CALL};
    const struct uop *entry = s->w.block->program->uops + u->target;
    if (!frame_fits(s, u, entry) || !open_frame(s, u, &callee) || !push(s, u, call))
        return;
    callee.call = s->depth;
    callee.mask = executed;
    callee.pc = entry;
    callee.join = NULL;
    go_on(s, &callee);
}

/* The current path loses lanes; without any left the next path runs. */
static void leave(struct warp_state *s, const struct uop *u, lanemask lanes)
{
    s->w.active &= ~lanes;
    s->pc = u + 1;
    if (!s->w.active)
        paths_pop(s);
}

void paths_return(struct warp_state *s, const struct uop *u, lanemask executed)
{
    if (!s->call) { /* the kernel itself returns */
        paths_exit(s, u, executed);
        return;
    }
    for (uint32_t i = s->call; i < s->depth; i++)
        s->paths[i].mask &= ~executed;
    leave(s, u, executed);
}

void paths_exit(struct warp_state *s, const struct uop *u, lanemask executed)
{
    s->w.live &= ~executed;
    leave(s, u, executed);
}

void paths_push_token(struct warp_state *s, const struct uop *u)
{
    struct path p = {.pc = s->w.block->program->uops + u->target, .mask = s->w.active, .kind = PATH_JOIN};
    p.token = (uint8_t)u->mode;
    push(s, u, p);
}

/* Sides of branches above the entry hold other lanes, so taking these off changes only entries that they leave early,
 * as a BRK does out of an SSY. */
void paths_pop_token(struct warp_state *s, const struct uop *u, lanemask executed)
{
    uint32_t entry = s->depth;
    while (entry && s->paths[entry - 1].token != u->mode)
        entry--;
    if (!entry) {
        block_fault(s, u, RP_FAULT_BAD_CALL, (unsigned)__builtin_ctz(executed),
                    "nothing on the stack of divergence and calls that this could return to");
        return;
    }
    for (uint32_t i = entry; i < s->depth; i++)
        s->paths[i].mask &= ~executed;
    leave(s, u, executed);
}

/* Takes the lanes that wait at the barrier `at` on paths of their own into the current path, if they are to meet it
 * anyway; returns all lanes that wait there. */
static lanemask gather_waiting(struct warp_state *s, const struct uop *at)
{
    lanemask all = s->w.active;
    for (uint32_t i = s->depth; i-- > 0;) {
        struct path *p = &s->paths[i];
        if (!p->at_barrier || p->pc != at)
            continue;
        all |= p->mask & s->w.live;
        if (p->join == s->join && p->call == s->call) {
            s->w.active |= p->mask & s->w.live;
            p->mask = 0;
        }
    }
    return all;
}

/* A path that can run while the current one waits: another side of a branch, or lanes that wait in a join or behind a
 * call for the others and may as well go ahead alone. Those of the same call come first, as they are further up. Its
 * lanes are taken out of the stack. */
static bool take_other(struct warp_state *s, struct path *other)
{
    lanemask above = s->w.active;
    for (uint32_t i = s->depth; i-- > 0;) {
        struct path *p = &s->paths[i];
        lanemask lanes = p->mask & s->w.live & ~above; /* a join or call has the lanes above it, too */
        if (lanes && !p->at_barrier && p->kind != PATH_ENTER) {
            *other = *p;
            other->mask = lanes;
            p->mask &= ~lanes;
            return true;
        }
        above |= lanes;
    }
    return false;
}

/* The whole warp goes on: paths that could not join the current one continue behind the barrier, too. */
static void release_waiting(struct warp_state *s, const struct uop *at)
{
    const struct path current = {.window = (uint32_t)(s->w.window - s->registers), .frame = s->w.frame};
    for (uint32_t i = s->depth; i-- > 0;) {
        struct path *p = &s->paths[i];
        if (!p->at_barrier || p->pc != at)
            continue;
        p->at_barrier = false;
        p->pc = at + 1;
        if (!(p->mask & s->w.live))
            continue;
        set_frame(s, p);
        warp_count_barrier(s, at, p->mask & s->w.live);
    }
    set_frame(s, &current);
}

/* Whether lanes of another call wait at the reduction `at`: their operands are not where the current path's are. */
static bool reduces_across_calls(const struct warp_state *s, const struct uop *at)
{
    for (uint32_t i = 0; at->barrier->kind == RP_BARRIER_REDUCE && i < s->depth; i++) {
        const struct path *p = &s->paths[i];
        if (p->at_barrier && p->pc == at && p->mask & s->w.live && p->call != s->call)
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
    struct path other, waiting = {.pc = at, .join = s->join, .mask = s->w.active, .kind = PATH_SPLIT};
    waiting.at_barrier = true;
    if (!take_other(s, &other)) {
        block_fault(s, at, RP_FAULT_BARRIER, (unsigned)__builtin_ctz(missing),
                    "a barrier is reached by %d thread%s of warp %u while %d other%s of it %s elsewhere",
                    __builtin_popcount(all), rp_plural((unsigned)__builtin_popcount(all)), s->w.id,
                    __builtin_popcount(missing), rp_plural((unsigned)__builtin_popcount(missing)),
                    __builtin_popcount(missing) == 1 ? "is" : "are");
        return false;
    }
    if (!push(s, at, waiting))
        return false;
    s->several_open |= other.call != s->call;
    go_on(s, &other);
    return false;
}
