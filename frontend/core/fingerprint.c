/* Hashes everything that decides how a block goes on, except for global memory, to 64 bits. It leaves out clocks,
 * registers outside of the slices of the loops in which lanes are, and memory that was never written. Two different
 * states have the same fingerprint with a probability of 2^-64. */
#include <string.h>

#include "frontend/core/engine.h"
#include "frontend/core/slice.h"
#include "frontend/core/stack.h"

/* One step of a multiply-and-fold hash: both halves of the 128-bit product of the state and a word. */
static uint64_t mixed(uint64_t hash, uint64_t word)
{
    unsigned __int128 product = (unsigned __int128)(hash ^ 0x9e3779b97f4a7c15ull) * (word ^ 0xbf58476d1ce4e5b9ull);
    return (uint64_t)product ^ (uint64_t)(product >> 64) ^ (hash << 1 | hash >> 63);
}

static uint64_t mixed_bytes(uint64_t hash, const uint8_t *at, size_t bytes)
{
    uint64_t word = 0;
    for (; bytes >= sizeof word; at += sizeof word, bytes -= sizeof word) {
        memcpy(&word, at, sizeof word);
        hash = mixed(hash, word);
    }
    word = 0;
    memcpy(&word, at, bytes);
    return mixed(hash, word);
}

static uint64_t mixed_place(uint64_t hash, const struct uop *pc, uint32_t window, uint32_t frame, uint32_t call)
{
    hash = mixed(hash, (uintptr_t)pc);
    hash = mixed(hash, (uint64_t)window << 32 | frame);
    return mixed(hash, call);
}

/* Hashes the joins around a split. */
static uint64_t mixed_joins(uint64_t hash, const struct warp_state *s, uint32_t join)
{
    for (; join; join = s->joins[join].outer) {
        const struct join *j = &s->joins[join];
        hash = mixed_place(hash, j->pc, j->window, j->frame, j->call);
        hash = mixed(hash, (uint64_t)(j->lanes & s->w.live) << 32 | j->arrived);
        hash = mixed(hash, (uint32_t)j->kind << 8 | j->token);
    }
    return hash;
}

static uint64_t mixed_split(uint64_t hash, const struct warp_state *s, const struct split *split)
{
    hash = mixed_place(hash, split->pc, split->window, split->frame, split->call);
    hash = mixed(hash, (uint64_t)split->lanes << 32 | (uint32_t)split->waits << 16 | (uint32_t)split->barrier << 8 |
                           split->enters);
    return mixed_joins(hash, s, split->join);
}

/* The register windows of all functions in which lanes of a warp are or wait, lowest first. */
struct windows {
    uint32_t at[64], count;
    bool more; /* there are more than fit */
};

static void note_window(struct windows *all, uint32_t window)
{
    uint32_t i = all->count;
    while (i && all->at[i - 1] >= window)
        i--;
    if (i < all->count && all->at[i] == window)
        return;
    all->more |= all->count == sizeof all->at / sizeof *all->at;
    if (all->more)
        return;
    memmove(all->at + i + 1, all->at + i, (all->count++ - i) * sizeof *all->at);
    all->at[i] = window;
}

static void note_joins(struct windows *all, const struct warp_state *s, uint32_t join)
{
    for (; join && !all->more; join = s->joins[join].outer)
        note_window(all, s->joins[join].window);
}

static struct windows windows_of(const struct warp_state *s)
{
    struct windows all = {.count = 0};
    note_window(&all, current_window(s));
    note_joins(&all, s, s->join);
    for (uint32_t i = 0; i < s->split_count; i++) {
        note_window(&all, s->splits[i].window);
        note_joins(&all, s, s->splits[i].join);
    }
    return all;
}

/* The slices of the loops in which lanes of a warp are or wait. */
struct parts {
    const struct slice_part *at[16];
    uint32_t count;
    bool more; /* there are more than fit */
};

static void note_part(struct parts *all, const struct program *p, const struct uop *pc)
{
    const struct slice_part *part = &p->slice->parts[p->slice->part_of[pc - p->uops]];
    uint32_t i = 0;
    while (i < all->count && all->at[i] != part)
        i++;
    if (i < all->count || part == p->slice->parts)
        return;
    all->more |= all->count == sizeof all->at / sizeof *all->at;
    if (!all->more)
        all->at[all->count++] = part;
}

static void note_parts_of_joins(struct parts *all, const struct warp_state *s, uint32_t join)
{
    for (; join; join = s->joins[join].outer)
        if (s->joins[join].arrived)
            note_part(all, s->w.block->program, s->joins[join].pc);
}

static struct parts parts_of(const struct warp_state *s)
{
    const struct program *p = s->w.block->program;
    struct parts all = {.count = 0};
    if (!s->w.live)
        return all;
    note_part(&all, p, s->pc);
    note_parts_of_joins(&all, s, s->join);
    for (uint32_t i = 0; i < s->split_count; i++) {
        note_part(&all, p, s->splits[i].pc);
        note_parts_of_joins(&all, s, s->splits[i].join);
    }
    return all;
}

/* local_high only grows: if it is 0 at both ends of a round, no thread has stored to local memory in it. */
bool block_is_bare(const struct block *b) { return !extents_end(&b->grid->shared) && !b->local_high && !b->cluster; }

static bool have_memory(const struct parts *parts, const struct block *b)
{
    bool have = parts->more;
    for (uint32_t i = 0; i < parts->count; i++)
        have |= parts->at[i]->memory;
    return have && !block_is_bare(b);
}

static bool have_clock(const struct parts *parts, bool memory)
{
    bool have = parts->more;
    for (uint32_t i = 0; i < parts->count; i++)
        have |= (memory ? &parts->at[i]->with_memory : &parts->at[i]->alone)->clock;
    return have;
}

static bool in_slice(const struct parts *parts, bool memory, uint32_t word)
{
    bool in = false;
    for (uint32_t i = 0; i < parts->count; i++)
        in |= slice_has(memory ? &parts->at[i]->with_memory : &parts->at[i]->alone, word);
    return in;
}

/* Hashes the registers of all windows that are in the slices; all registers if there are too many windows or slices.
 * memory: whether the slices include memory. */
static uint64_t mixed_slice(uint64_t hash, const struct warp_state *s, bool memory)
{
    const struct program *p = s->w.block->program;
    const struct windows all = windows_of(s);
    const struct parts parts = parts_of(s);
    if (all.more || parts.more)
        return mixed_bytes(hash, s->registers, s->register_high);
    for (uint32_t i = 0; i < all.count && parts.count; i++) {
        uint32_t begin = all.at[i], end = begin + p->register_extent;
        end = i + 1 < all.count && all.at[i + 1] < end ? all.at[i + 1] : end;
        end = end < s->register_bytes
                  ? end
                  : (uint32_t)s->register_bytes; /* the window of a call that has not been made yet */
        for (uint32_t at = begin; at < end; at += 4) {
            uint32_t word;
            if (!in_slice(&parts, memory, (at - begin) / 4))
                continue;
            memcpy(&word, s->registers + at, sizeof word);
            hash = mixed(hash, word);
        }
    }
    return hash;
}

static uint64_t patience(const struct warp_state *s, uint64_t since)
{
    uint64_t age = s->w.clock - since;
    return age < SPIN_LIMIT ? age : SPIN_LIMIT;
}

/* Hashes how long the current split may still spin while others could run. */
static uint64_t mixed_patience(uint64_t hash, const struct warp_state *s)
{
    if (s->split_count)
        hash = mixed(mixed(hash, s->spin.long_running), patience(s, s->spin.since) << 32 | patience(s, s->spin.passed));
    return mixed(hash, (uint64_t)s->ahead << 1 | s->stuck);
}

/* Hashes the state that decides where turns end after polls and publications. */
static uint64_t mixed_polls(uint64_t hash, const struct warp_state *s)
{
    const struct poll *k = &s->poll;
    hash = mixed(mixed(hash, (uint64_t)k->known << 32 | k->vain), (uint64_t)k->turn << 32 | k->in_vain);
    FOR_LANES(l, k->known)
    hash = mixed(hash, k->last[l]);
    return hash;
}

/* Hashes everything in a warp except for its registers. */
static uint64_t mixed_control(uint64_t hash, const struct warp_state *s)
{
    const struct warp *w = &s->w;
    hash = mixed_place(hash, s->pc, (uint32_t)(w->window - s->registers), w->frame, s->call);
    hash = mixed_joins(hash, s, s->join);
    hash = mixed(hash, (uint64_t)w->active << 32 | w->live);
    hash = mixed(hash, s->several_open);
    hash = mixed(hash, (uint64_t)w->carry << 32 | w->second_carry);
    hash = mixed(hash, (uint64_t)w->zero << 32 | w->sign);
    hash = mixed(hash, (uint64_t)w->overflow << 32 | s->status);
    hash = mixed(hash, w->low_in_shared);
    if (s->status == WARP_AT_BARRIER)
        hash = mixed(mixed(hash, (uintptr_t)s->barrier), (uint64_t)s->barrier_lanes << 32 | s->barrier_id);
    for (uint32_t i = 0; i < s->split_count; i++)
        hash = mixed_split(hash, s, &s->splits[i]);
    for (uint32_t i = 0; i < BARRIERS; i++)
        if (s->arrived[i])
            hash = mixed(hash, (uint64_t)i << 32 | s->arrived[i]);
    return stack_fingerprint(s, hash, mixed);
}

static uint64_t mixed_local(uint64_t hash, const struct block *b, uint32_t first_warp, uint32_t warps)
{
    size_t lane = (size_t)first_warp * RP_WARP_LANES, end = lane + (size_t)warps * RP_WARP_LANES;
    for (; b->local_high && lane < end; lane++)
        hash = mixed_bytes(hash, b->local + lane * b->grid->local_stride, b->local_high);
    return hash;
}

uint64_t warp_fingerprint(const struct warp_state *s)
{
    const struct block *b = s->w.block;
    const struct slice *slice = b->program->slice;
    const struct parts parts = parts_of(s);
    uint64_t hash = mixed(mixed_control(b->changes, s), b->text_bytes);
    bool memory = have_memory(&parts, b),
         whole = have_clock(&parts, memory); /* with a clock in the slice only the whole state can repeat */
    hash = whole ? mixed_bytes(hash, s->registers, s->register_high) : mixed_slice(hash, s, memory);
    if (whole || (memory && slice->shared))
        hash = mixed_bytes(hash, b->shared, extents_end(&b->grid->shared));
    return whole || (memory && slice->local) ? mixed_local(hash, b, s->w.id, 1) : hash;
}

static bool block_has_memory(const struct block *b)
{
    bool have = false;
    for (uint32_t i = 0; i < b->grid->warps && !have; i++) {
        const struct parts parts = parts_of(&b->warps[i]);
        have = have_memory(&parts, b);
    }
    return have;
}

bool block_reads_clock(const struct block *b)
{
    if (!b->program->slice->clock)
        return false;
    bool memory = block_has_memory(b), reads = false;
    for (uint32_t i = 0; i < b->grid->warps && !reads; i++) {
        const struct parts parts = parts_of(&b->warps[i]);
        reads = have_clock(&parts, memory);
    }
    return reads;
}

uint64_t block_fingerprint(const struct block *b)
{
    const struct grid *g = b->grid;
    const struct slice *slice = b->program->slice;
    bool memory = block_has_memory(b);
    uint64_t hash = mixed(0, b->index);
    for (uint32_t i = 0; i < g->warps; i++) {
        const struct warp_state *s = &b->warps[i];
        hash = mixed_slice(mixed_polls(mixed_patience(mixed_control(hash, s), s), s), s, memory);
    }
    hash = mixed(hash, b->barriers_in_use);
    for (uint32_t left = b->barriers_in_use; left; left &= left - 1) {
        const struct barrier *at = &b->barriers[__builtin_ctz(left)];
        hash = mixed(hash, (uint64_t)at->arrived << 32 | at->expected);
        hash = mixed(hash, at->part);
        hash = mixed(hash, (uint64_t)at->reduced_count << 32 | at->reduced_and << 1 | at->reduced_or);
    }
    if ((memory && slice->shared) || b->cluster) /* blocks of the cluster may read it */
        hash = mixed_bytes(hash, b->shared, extents_end(&g->shared));
    return memory && slice->local ? mixed_local(hash, b, 0, g->warps) : hash;
}
