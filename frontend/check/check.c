/* A launch and its blocks under checks: passes every access of every lane to the checks. */
#include "frontend/check/check.h"

#include <stdlib.h>
#include <string.h>

#include "frontend/check/internal.h"
#include "frontend/operation/flags.h"

/* ---- what accesses do -------------------------------------------------------------------------------------------- */

static bool is_atomic(const struct rp_memory_operand *o)
{
    return o->kind == RP_ACCESS_ATOMIC || o->kind == RP_ACCESS_REDUCTION;
}

/* Volatile and strong accesses. */
static bool is_uncached(const struct rp_memory_operand *o)
{
    return is_atomic(o) || o->order != RP_ORDER_WEAK || o->cache_op == RP_CACHE_CV || o->cache_op == RP_CACHE_WT;
}

bool check_strong(const struct rp_check *c, const struct rp_memory_operand *o)
{
    return c->kinds & RP_CHECK_STRICT ? is_atomic(o) || o->order > RP_ORDER_VOLATILE : is_uncached(o);
}

/* Whether a strong access orders others, beside what a fence does: in strict mode only one that says so. */
static bool orders(const struct rp_check *c, const struct rp_memory_operand *o)
{
    return !(c->kinds & RP_CHECK_STRICT) || o->order >= RP_ORDER_ACQUIRE;
}

static void touch_memory(struct checked_block *cb, const struct touch *t)
{
    bool own = t->cells && t->space == RP_SPACE_SHARED && t->of == cb;
    if (own && cb->copy_count)
        copies_look(cb, t);
    if (own && cb->bulk.count)
        bulk_look(cb, t);
    if (t->cells)
        check_race(cb, t);
    if (t->cells && t->copies)
        copies_start(cb, t);
    if (own && t->stores && touch_kind(t) == RP_ACCESS_BULK_STORE)
        bulk_start(cb, t);
}

/* The lanes whose address is `distance` behind the address of the lane before them. */
static lanemask lanes_behind(const struct rp_check *c, const struct lane_addresses *la, lanemask lanes,
                             uint64_t distance)
{
    lanemask behind = (uint64_t)la->stride == distance ? ~(lanemask)0 : 0;
    return (la->affine ? behind : c->steps(la->at, distance)) & lanes & lanes << 1;
}

/* Handles lanes at arbitrary addresses, grouping neighbours. Of consecutive lanes with the same address two are enough.
 */
static void touch_scattered(struct checked_block *cb, struct touch *t, const struct lane_addresses *la, lanemask lanes)
{
    uint32_t first_thread = t->thread;
    if (t->cells && !copies_pending(cb) && !t->copies)
        lanes &= ~check_race_scattered(cb, t, la, lanes);
    lanemask same = lanes_behind(cb->check, la, lanes, 0),
             starts = lanes & ~lanes_behind(cb->check, la, lanes, t->bytes);
    if (t->cells && !la->affine && t->space == RP_SPACE_GLOBAL)
        race_prefetch(cb, t, la);
    for (starts &= ~(same & same << 1); starts; starts &= starts - 1) {
        unsigned l = (unsigned)__builtin_ctz(starts);
        lanemask rest = ~(lanemask)0 << l << 1, end = (starts | ~lanes | same) & rest;
        t->thread = first_thread + l;
        t->at = lane_address(la, l);
        t->lanes = (end ? (unsigned)__builtin_ctz(end) : RP_WARP_LANES) - l;
        touch_memory(cb, t);
    }
}

static void touch_lanes(struct checked_block *cb, struct touch *t, const struct lane_addresses *la, lanemask lanes)
{
    t->at = la->at[0];
    t->lanes = 1;
    if (!la->affine || (la->stride && (uint64_t)la->stride != t->bytes)) {
        touch_scattered(cb, t, la, lanes);
    } else if (la->stride) {
        t->lanes = RP_WARP_LANES;
        touch_memory(cb, t);
    } else { /* two are enough */
        bool both = t->cells && !copies_pending(cb) && check_race_pair(cb, t);
        t->cells = both ? NULL : t->cells;
        touch_memory(cb, t);
        t->thread++;
        touch_memory(cb, t);
    }
}

void check_lanes(struct checked_block *cb, struct touch *t, const struct lane_addresses *la, lanemask lanes)
{
    t->cells = NULL;
    race_prepare(cb, t);
    touch_lanes(cb, t, la, lanes);
}

/* Sets whose shared memory the access touches, and whether other blocks access it. */
static void touch_whose(struct checked_block *cb, struct touch *t)
{
    t->of = cb->observer.of ? (struct checked_block *)cb->observer.of->observer : cb;
    t->apart = reached_by_others(cb, t->space);
}

/* Accesses to barrier objects in plain memory. True: a load that polls. */
static bool touch_plain_objects(struct checked_block *cb, struct warp_state *s, const struct touch *t,
                                const struct lane_addresses *la, lanemask lanes)
{
    if (t->u->op == OP_ARRIVE)
        plain_objects_arrive(cb, s, t, la, lanes);
    else if (t->u->memory->operand.kind == RP_ACCESS_STORE)
        plain_objects_store(cb, s, t, la, lanes);
    return !t->stores && plain_objects_poll(cb, t, la, lanes);
}

/* What a strong access orders behind it. */
static void order_others(struct checked_block *cb, const struct warp_state *s, const struct touch *t, bool polls)
{
    const struct rp_memory_operand *m = &t->u->memory->operand;
    bool in_block = polls || m->scope == RP_SCOPE_CTA, behind_copies = t->u->flags & UF_BEHIND_COPIES;
    if (polls || behind_copies || orders(cb->check, m))
        race_fence(cb, s, behind_copies || m->order >= RP_ORDER_RELEASE, in_block);
    else if (m->atomic != RP_ATOMIC_CAS) /* which takes locks, and they want a fence */
        race_seen(cb, s, in_block);
}

static bool check_access(struct observer *o, struct warp_state *s, const struct uop *u, enum rp_space space,
                         const struct allocation *a, const struct lane_addresses *la, lanemask lanes)
{
    struct checked_block *cb = (struct checked_block *)o;
    const struct rp_memory_operand *m = &u->memory->operand;
    struct touch t; /* the other fields are set if there is something to check */
    t.block = s->w.block;
    t.u = u;
    t.space = space;
    t.a = a;
    touch_whose(cb, &t);
    t.thread = s->w.id * RP_WARP_LANES;
    t.bytes = m->width;
    t.loads = m->kind != RP_ACCESS_STORE;
    t.stores = m->kind != RP_ACCESS_LOAD;
    bool polls = cb->check->plain_objects && space == RP_SPACE_SHARED && touch_plain_objects(cb, s, &t, la, lanes);
    bool spins = cb->check->spins && cb->check->spins[u - s->w.block->program->uops];
    polls |= spins;
    bool strong = polls || check_strong(cb->check, m);
    bool in_block = m->scope == RP_SCOPE_CTA;
    bool strict = cb->check->kinds & RP_CHECK_STRICT && cb->check->kinds & RP_CHECK_RACE && space != RP_SPACE_LOCAL;
    t.strong = strong && !(t.apart && in_block);
    t.uncached = polls || is_uncached(m);
    if (strict)
        locks_access(cb, s, &t, la, lanes);
    if (t.stores && space == RP_SPACE_SHARED && t.of == cb && cb->object_count && cb->check->kinds & RP_CHECK_SYNC)
        sync_store(cb, &t, la, lanes);
    if (cb->waiting && t.stores && space == RP_SPACE_SHARED)
        loads_keep(cb);
    bool races = cb->check->kinds & RP_CHECK_RACE && space != RP_SPACE_LOCAL && !stores_never(cb->check, &t) &&
                 !spins && (t.stores || copies_pending(cb) || !race_quiet(cb, &t, la->low, la->high + t.bytes));
    if (cb->observer.of && space == RP_SPACE_SHARED && cb->check->kinds & RP_CHECK_RACE)
        remote_access(cb, &t, la, lanes);
    if (cb->check->kinds & RP_CHECK_INIT)
        check_init_access(cb, s, &t, la, lanes);
    if (races && t.stores && !strong)
        check_together(cb, &t, s, la, lanes);
    if (races && !(loads_may_wait(cb, &t) && loads_wait(cb, &t, la, lanes)))
        check_lanes(cb, &t, la, lanes);
    if (strong && cb->check->kinds & RP_CHECK_RACE)
        order_others(cb, s, &t, polls);
    if (strict)
        locks_taken(cb, s, &t, la, lanes);
    return true;
}

static bool check_bytes(struct observer *o, struct warp_state *s, const struct uop *u, enum rp_space space,
                        const struct allocation *a, unsigned lane, uint64_t at, uint64_t bytes, bool stores)
{
    struct touch t = {
        .block = s->w.block,
        .u = u,
        .space = space,
        .a = a,
        .thread = s->w.id * RP_WARP_LANES + lane,
        .lanes = 1,
        .at = at,
        .bytes = bytes,
        .loads = !stores,
        .stores = stores,
    };
    struct checked_block *cb = (struct checked_block *)o;
    touch_whose(cb, &t);
    if (cb->waiting && stores && space == RP_SPACE_SHARED)
        loads_keep(cb);
    if (cb->check->kinds & RP_CHECK_RACE && space != RP_SPACE_LOCAL && bytes && !stores_never(cb->check, &t))
        race_prepare(cb, &t);
    if (cb->check->kinds & RP_CHECK_INIT)
        check_init(cb, &t);
    touch_memory(cb, &t);
    return true;
}

static bool check_host_call(struct observer *o)
{
    (void)o;
    return true;
}

static bool fence_in_block(const struct warp_state *s, const struct uop *u)
{
    const struct rp_instruction *in = &s->w.block->program->kernel.instructions[u->index];
    return in->unit_class == RP_CLASS_FENCE && in->fence_scope == RP_SCOPE_CTA;
}

static void check_fence(struct checked_block *cb, const struct warp_state *s, const struct uop *u, lanemask lanes)
{
    bool in_block = fence_in_block(s, u);
    race_fence(cb, s, true, in_block);
    locks_fence(cb, s, lanes, in_block);
}

static void check_event(struct observer *o, struct warp_state *s, enum block_event event, const struct uop *u,
                        lanemask lanes)
{
    struct checked_block *cb = (struct checked_block *)o;
    bool orders = event == EVENT_BARRIER || event == EVENT_CLUSTER || event == EVENT_COLLECTIVE || event == EVENT_ORDER;
    if (cb->check->kinds & RP_CHECK_RACE && orders)
        race_event(cb, s, event);
    if (cb->check->kinds & RP_CHECK_RACE && event == EVENT_FENCE)
        check_fence(cb, s, u, lanes);
    if (cb->check->kinds & RP_CHECK_RACE && event == EVENT_GROUP)
        copies_group(cb, s, u, lanes);
    if (cb->check->kinds & RP_CHECK_SYNC)
        sync_event(cb, s, event, u, lanes);
}

static void check_objects(struct observer *o, struct warp_state *s, const struct uop *u,
                          const struct lane_addresses *la, lanemask lanes)
{
    struct checked_block *cb = (struct checked_block *)o;
    if (cb->check->kinds & RP_CHECK_RACE && cb->copy_count)
        copies_object(cb, s, u, lanes);
    if (cb->check->kinds & RP_CHECK_RACE && cb->bulk.count)
        bulk_objects(cb, s, u, la, lanes);
    if (cb->check->kinds & RP_CHECK_SYNC)
        sync_objects(cb, s, u, la, lanes);
}

/* Checks bounds and alignment, which leaves out single lanes. */
static bool check_leave_out(struct observer *o, struct warp_state *s, const struct uop *u, unsigned lane)
{
    struct checked_block *cb = (struct checked_block *)o;
    const struct fault *f = &s->w.block->fault;
    char detail[sizeof f->detail + 40];
    enum rp_access_kind kind = (enum rp_access_kind)u->memory->operand.kind;
    bool plain =
        kind == RP_ACCESS_LOAD || kind == RP_ACCESS_STORE || kind == RP_ACCESS_ATOMIC || kind == RP_ACCESS_REDUCTION;
    if (!(cb->check->kinds & RP_CHECK_MEMORY) || !plain ||
        (f->kind != RP_FAULT_BOUNDS && f->kind != RP_FAULT_MISALIGNED) || cb->check->muted ||
        cb->check->left_out_count++ == RP_CHECK_LEFT_OUT)
        return false;
    snprintf(detail, sizeof detail, "%s: %s", rp_fault_title(f->kind), f->detail);
    check_report(cb->check, s->w.block,
                 (struct rp_finding){
                     .kind = RP_CHECK_MEMORY,
                     .space = f->space,
                     .address = f->address,
                     .size = f->size,
                     .here = check_location(s->w.block, u->index, s->w.id * RP_WARP_LANES + lane, (uint8_t)kind)},
                 detail);
    return true;
}

const struct observer_calls check_calls = {check_access,  check_bytes,     check_host_call, check_event,
                                           check_objects, check_leave_out, check_values,    false};

/* ---- allocations ------------------------------------------------------------------------------------------------- */

static bool grow_allocations(struct rp_check *c, uint32_t id)
{
    if (id < c->allocation_count)
        return true;
    uint32_t count = 2 * id + 16;
    struct checked_allocation *more = realloc(c->allocations, count * sizeof *more);
    if (!more)
        return false;
    memset(more + c->allocation_count, 0, (count - c->allocation_count) * sizeof *more);
    c->allocations = more;
    c->allocation_count = count;
    return true;
}

struct checked_allocation *check_allocation(struct rp_check *c, const struct allocation *a)
{
    if (!grow_allocations(c, a->id)) {
        c->missed |= MISSED_MEMORY;
        return NULL;
    }
    struct checked_allocation *mine = &c->allocations[a->id];
    if (mine->base != a->base || mine->size != a->size) {
        cells_free(c, &mine->cells);
        free(mine->written);
        free(mine->wide);
        free(mine->moved);
        *mine = (struct checked_allocation){.base = a->base, .size = a->size};
    }
    return mine;
}

/* ---- launches and blocks ----------------------------------------------------------------------------------------- */

static bool may_be_in(uint8_t declared, enum rp_space space)
{
    if (space == RP_SPACE_SHARED)
        return declared == RP_SPACE_SHARED || declared == RP_SPACE_SHARED_CLUSTER || declared == RP_SPACE_GENERIC;
    return declared != RP_SPACE_SHARED && declared != RP_SPACE_SHARED_CLUSTER && declared != RP_SPACE_PARAM &&
           declared != RP_SPACE_CONST;
}

/* The width of the narrowest element that the kernel accesses in a space, at most 4 bytes. */
static unsigned narrowest(const struct program *p, enum rp_space space)
{
    unsigned shift = 2;
    for (uint32_t i = 0; i < p->uop_count; i++) {
        const struct operation *o = &p->operations[i];
        bool there = o->kind == UOP_MEMORY && may_be_in(o->memory.space, space);
        while (there && shift && o->memory.width < 1u << shift)
            shift--;
    }
    return shift;
}

/* Clears the cells of earlier launches, because times start again. */
static void forget_cells(struct rp_check *c)
{
    for (uint32_t i = 0; i < c->allocation_count; i++)
        cells_free(c, &c->allocations[i].cells);
    c->now = 0;
}

bool check_launch_begin(struct rp_check *c, const struct grid *g)
{
    unsigned shift = narrowest(g->program, RP_SPACE_GLOBAL);
    if (shift != c->global_shift ||
        c->now > UINT32_MAX / 2) /* cells have another size, or times are about to run out */
        forget_cells(c);
    c->left_out_count = 0;
    c->launch++;
    c->grid = g;
    c->begin = ++c->now;
    c->current = NULL;
    c->plain_objects = plain_objects_used(g->program);
    bool volatile_counts = c->kinds & RP_CHECK_RACE && !(c->kinds & RP_CHECK_STRICT);
    if (volatile_counts && !spins_find(g->program, &c->spins))
        return false;
    c->global_shift = shift;
    c->shared_shift = narrowest(g->program, RP_SPACE_SHARED);
    if (c->kinds & RP_CHECK_RACE && g->program->kernel.instruction_count > AGENT_INSTRUCTIONS)
        c->missed |= MISSED_INSTRUCTIONS;
    c->released = calloc(g->blocks, sizeof *c->released);
    c->fenced = calloc(g->blocks, sizeof *c->fenced);
    c->acquired = calloc(g->blocks, sizeof *c->acquired);
    c->seen = calloc(g->blocks, sizeof *c->seen);
    c->section_count = 0;
    return c->released && c->fenced && c->acquired && c->seen && (!(c->kinds & RP_CHECK_RACE) || stores_begin(c, g)) &&
           (!(c->kinds & RP_CHECK_INIT) || holds_begin(c, g));
}

static void free_block(struct rp_check *c, struct checked_block *b)
{
    cells_free(c, &b->shared);
    copies_free(b);
    locks_free(b);
    free(b->bulk.list);
    free(b->loads);
    free(b->objects);
    free(b->quiet);
    for (unsigned i = 0; i < BLOCK_WARPS; i++)
        undefined_free(b->undefined[i]);
    free(b->shared_written);
    free(b->local_written);
    free(b);
}

void check_launch_end(struct rp_check *c)
{
    while (c->free_blocks) {
        struct checked_block *b = c->free_blocks;
        c->free_blocks = b->next;
        free_block(c, b);
    }
    free(c->spins);
    c->spins = NULL;
    free(c->released);
    free(c->fenced);
    free(c->acquired);
    free(c->seen);
    free(c->slices);
    free(c->use);
    c->use = NULL;
    c->released = c->fenced = c->acquired = c->seen = NULL;
    c->slices = NULL;
    c->slice_count = c->slice_room = 0;
    c->grid = NULL;
}

static struct checked_block *new_block(struct rp_check *c)
{
    const struct grid *g = c->grid;
    struct checked_block *b = calloc(1, sizeof *b);
    if (!b)
        return NULL;
    b->shared_bytes = extents_end(&g->shared);
    b->local_bytes = (size_t)g->threads * g->local_bytes;
    const size_t words = b->shared_bytes / sizeof(uint64_t) + 1;
    b->objects = malloc(words);
    b->shared_written = malloc(b->shared_bytes + 1);
    b->local_written = malloc(b->local_bytes + 1);
    bool cells = cells_make(&b->shared, (b->shared_bytes >> c->shared_shift) + 1);
    b->quiet = calloc(b->shared.count / ROW_CELLS + 1, sizeof *b->quiet);
    if (b->objects && b->shared_written && b->local_written && cells && b->quiet)
        return b;
    free_block(c, b);
    return NULL;
}

bool check_block_begin(struct rp_check *c, struct block *b)
{
    struct checked_block *mine = c->free_blocks ? c->free_blocks : new_block(c);
    if (!mine)
        return false;
    if (mine == c->free_blocks)
        c->free_blocks = mine->next;
    const uint32_t every = 1u << RP_SPACE_GLOBAL | 1u << RP_SPACE_SHARED | 1u << RP_SPACE_LOCAL;
    const size_t words = mine->shared_bytes / sizeof(uint64_t) + 1;
    memset(mine->objects, 0, words);
    mine->object_count = 0;
    copies_begin(mine);
    locks_block_begin(mine);
    mine->waiting = 0;
    mine->bulk.count = 0;
    check_nothing_written(mine, c->grid);
    memset(mine->local_written, 0, mine->local_bytes);
    for (unsigned i = 0; i < BLOCK_WARPS; i++)
        undefined_clear(mine->undefined[i]);
    mine->check = c;
    mine->next = NULL;
    mine->index = (uint32_t)b->index;
    mine->stored = 0;
    mine->remote.there = false;
    mine->begun = mine->barrier = ++c->now; /* cells hold accesses of another block */
    memset(mine->parts, 0, sizeof mine->parts);
    memset(mine->awaited, 0, sizeof mine->awaited);
    memset(mine->collective, 0, sizeof mine->collective);
    memset(mine->released, 0, sizeof mine->released);
    memset(mine->fenced, 0, sizeof mine->fenced);
    memset(mine->acquired, 0, sizeof mine->acquired);
    memset(mine->seen, 0, sizeof mine->seen);
    mine->observer = (struct observer){.calls = c->timed ? &check_timed_calls : &check_calls,
                                       .spaces = c->kinds & ~RP_CHECK_MEMORY ? every : 0};
    block_observe(b, &mine->observer);
    return true;
}

void check_block_end(struct rp_check *c, struct block *b)
{
    struct checked_block *mine = (struct checked_block *)b->observer;
    if (!mine)
        return;
    if (c->kinds & RP_CHECK_SYNC && !b->faulted)
        sync_block_end(mine, b);
    if (c->kinds & RP_CHECK_RACE && !b->faulted)
        remote_block_end(mine, b);
    block_observe(b, NULL);
    mine->next = c->free_blocks;
    c->free_blocks = mine;
    c->current = c->current == mine ? NULL : c->current;
}
