#include <stdlib.h>
#include <string.h>

#include "frontend/core/cluster.h"
#include "frontend/core/stack.h"
#include "frontend/core/target.h"
#include "tracefmt/writer.h"

static size_t register_bytes(const struct program *p)
{
    size_t bytes = p->register_extent ? p->register_extent : 64;
    for (uint32_t i = 0; i < p->uop_count; i++)
        if (p->uops[i].kind == UOP_CALL)
            return 4 * bytes; /* room for some calls; the stack grows when needed */
    return bytes;
}

static size_t local_bytes(const struct grid *g) { return g->warps * RP_WARP_LANES * g->local_stride; }

size_t block_bytes(const struct grid *g)
{
    return sizeof(struct block) + extents_end(&g->shared) + local_bytes(g) +
           g->warps * (sizeof(struct warp_state) + register_bytes(g->program));
}

/* Sets the threads of warp `id` and everything else that follows from the grid's geometry. */
static void warp_place(struct warp_state *s, struct block *b, uint32_t id)
{
    const struct grid *g = b->grid;
    struct warp *w = &s->w;
    w->id = id;
    w->ntid = g->block;
    w->nctaid = g->dim;
    w->ctaid = b->ctaid;
    w->cluster = g->cluster;
    w->cluster_said = g->cluster_said;
    w->warp_ids = target_warps(g->program->target);
    w->dynamic_shared = g->dynamic_shared;
    w->total_shared = g->total_shared;
    w->local_bytes = g->local_bytes / 16 * 16; /* aligned for any access */
    w->workspace = g->workspace;
    w->sums = g->sums;
    w->block = b;
    if (!memcmp(b->placed, g->block, sizeof b->placed))
        return;
    for (uint32_t l = 0; l < RP_WARP_LANES; l++) {
        uint32_t thread = id * RP_WARP_LANES + l;
        w->tid[0][l] = thread % g->block[0];
        w->tid[1][l] = thread / g->block[0] % g->block[1];
        w->tid[2][l] = thread / g->block[0] / g->block[1];
    }
}

/* Makes room for at least the registers of this grid's program; registers that were never written are zero. */
static bool warp_reserve(struct warp_state *s, const struct grid *g)
{
    size_t bytes = register_bytes(g->program);
    if (s->register_bytes >= bytes)
        return true;
    free(s->registers);
    s->register_high = s->register_bytes = 0;
    if (!(s->registers = aligned_alloc(64, bytes)))
        return false;
    s->register_high = s->register_bytes = bytes;
    return true;
}

static void free_warps(struct block *b)
{
    for (uint32_t i = 0; i < b->warp_capacity; i++) {
        free(b->warps[i].registers);
        free(b->warps[i].joins);
        stack_free(&b->warps[i]);
    }
    free(b->warps);
    b->warps = NULL;
    b->warp_capacity = 0;
}

static bool reserve_warps(struct block *b, const struct grid *g)
{
    if (b->warp_capacity < g->warps) {
        size_t bytes = (g->warps * sizeof *b->warps + 63) / 64 * 64;
        free_warps(b);
        memset(b->placed, 0, sizeof b->placed);
        if (!(b->warps = aligned_alloc(64, bytes)))
            return false;
        memset(b->warps, 0, bytes);
        b->warp_capacity = g->warps;
    }
    for (uint32_t i = 0; i < g->warps; i++)
        if (!warp_reserve(&b->warps[i], g))
            return false;
    return true;
}

/* Registers, shared and local memory are zero when a block starts, whatever ran before: so a kernel that reads what it
 * never wrote behaves the same every time. */
static void clear_local(struct block *b)
{
    for (size_t i = 0; b->local_high && i < (size_t)b->local_warps * RP_WARP_LANES; i++)
        memset(b->local + i * b->local_stride, 0, b->local_high);
    b->local_high = 0;
}

/* Makes room for shared and local memory. Local memory is zero except for what the block's last grid wrote. */
static bool reserve_memory(struct block *b, const struct grid *g)
{
    size_t local = local_bytes(g), shared = (extents_end(&g->shared) + 127) / 64 * 64;
    clear_local(b);
    if (g->program->has_objects && b->phase_capacity < shared / 8) {
        free(b->phases);
        b->phases = malloc(shared / 8 * sizeof *b->phases);
        b->phase_capacity = b->phases ? shared / 8 : 0;
        if (!b->phases)
            return false;
    }
    if (b->shared_capacity < shared) {
        free(b->shared);
        b->shared = aligned_alloc(64, shared);
        b->shared_capacity = b->shared ? shared : 0;
    }
    if (b->local_capacity < local) {
        free(b->local);
        b->local = calloc(1, local);
        b->local_capacity = b->local ? local : 0;
    }
    return b->shared_capacity >= shared && b->local_capacity >= local;
}

bool block_fit(struct block *b, struct grid *g)
{
    if (!reserve_memory(b, g) || !reserve_warps(b, g))
        return false;
    b->grid = g;
    b->program = g->program;
    b->local_warps = g->warps;
    b->local_stride = g->local_stride;
    b->changes = b->calls = 0;
    b->watch = NULL;
    memset(b->last, 0, sizeof b->last);
    for (uint32_t i = 0; i < g->warps; i++)
        warp_place(&b->warps[i], b, i);
    memcpy(b->placed, g->block, sizeof b->placed);
    return true;
}

struct block *block_new(struct grid *g)
{
    struct block *b = calloc(1, sizeof *b);
    if (!b || block_fit(b, g))
        return b;
    block_free(b);
    return NULL;
}

void block_free(struct block *b)
{
    if (!b)
        return;
    cluster_leave(b);
    free_warps(b);
    free(b->shared);
    free(b->phases);
    free(b->last_errors);
    free(b->local);
    free(b->text);
    free(b);
}

static void warp_start(struct warp_state *s, struct rp_warp_log *log)
{
    const struct grid *g = s->w.block->grid;
    struct warp *w = &s->w;
    memset(s->registers, 0, s->register_high);
    s->register_high = g->program->register_extent;
    uint32_t left = g->threads - w->id * RP_WARP_LANES;
    w->live = left >= RP_WARP_LANES ? ~(lanemask)0 : ((lanemask)1 << left) - 1;
    w->active = w->live;
    warp_set_window(w, s->registers);
    warp_set_constants(w, g->program->constants);
    w->frame = 0;
    w->carry = w->second_carry = w->low_in_shared = w->zero = w->sign = w->overflow = 0;
    w->clock = w->slept = 0;
    w->log = log;
    s->undefined = s->begun = false;
    s->independent = g->program->target && g->program->target->independent_threads;
    splits_start(s);
    s->lanes_run = s->lanes_off = 0;
    s->cluster_arrived = s->cluster_passed = 0;
    stack_clear(s);
    s->status = WARP_READY;
}

void block_start(struct block *b, uint64_t index, struct rp_warp_log *logs)
{
    const struct grid *g = b->grid;
    b->index = index;
    b->ctaid[0] = (uint32_t)(index % g->dim[0]);
    b->ctaid[1] = (uint32_t)(index / g->dim[0] % g->dim[1]);
    b->ctaid[2] = (uint32_t)(index / g->dim[0] / g->dim[1]);
    memset(b->shared, 0, extents_end(&g->shared));
    if (g->program->has_objects)
        memset(b->phases, 0, b->phase_capacity * sizeof *b->phases);
    b->objects_awaited = false;
    free(b->last_errors);
    b->last_errors = NULL;
    clear_local(b);
    b->barriers_in_use = 0;
    b->cluster_awaited = false;
    b->live_warps = g->warps;
    b->faulted = b->no_memory = false;
    b->text_bytes = 0;
    for (uint32_t i = 0; i < g->warps; i++)
        warp_start(&b->warps[i], logs ? &logs[i] : NULL);
}

/* Gives each warp that can run a turn. False: no warp made progress; *ran: whether any ran. */
static bool run_round(struct block *b, bool *ran)
{
    bool moved = false;
    *ran = false;
    for (uint32_t i = 0; i < b->grid->warps && !b->faulted; i++) {
        struct warp_state *s = &b->warps[i];
        if (s->status != WARP_READY)
            continue;
        warp_run(s);
        *ran = true;
        moved |= !s->stuck;
    }
    return moved;
}

enum block_status block_run(struct block *b, uint64_t rounds)
{
    for (uint64_t round = 0; !rounds || round < rounds; round++) {
        bool ran, moved = run_round(b, &ran);
        if (b->faulted)
            return BLOCK_FAULT;
        if (ran && b->cluster)
            b->cluster->idle = 0;
        if (!b->live_warps)
            return BLOCK_DONE;
        if (moved || block_go_ahead(b))
            continue;
        if (!ran && !cluster_stuck(b))
            return BLOCK_SET_ASIDE;
        if (objects_time_out(b) && !b->faulted)
            continue;
        if (b->faulted)
            return BLOCK_FAULT;
        if (!ran) {
            block_deadlock(b);
            return BLOCK_FAULT;
        }
    }
    return BLOCK_SET_ASIDE;
}

void block_count(const struct block *b, uint64_t *warp_instructions, uint64_t *thread_instructions)
{
    for (uint32_t i = 0; i < b->grid->warps; i++) {
        *warp_instructions += b->warps[i].w.clock;
        *thread_instructions += b->warps[i].lanes_run - b->warps[i].lanes_off;
    }
}

uint64_t block_executed(const struct block *b)
{
    uint64_t warp_instructions = 0, thread_instructions = 0;
    block_count(b, &warp_instructions, &thread_instructions);
    return warp_instructions;
}
