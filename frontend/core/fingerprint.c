/* All that decides how a block goes on, but for global memory, in 64 bits. Not in it: clocks and counters, and memory
 * that was never written. Two states that differ have the same fingerprint with a probability of 2^-64. */
#include <string.h>

#include "frontend/core/engine.h"

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

static uint64_t mixed_path(uint64_t hash, const struct path *p)
{
    hash = mixed(hash, (uintptr_t)p->pc);
    hash = mixed(hash, (uintptr_t)p->join);
    hash = mixed(hash, (uint64_t)p->window << 32 | p->frame);
    hash = mixed(hash, p->call);
    return mixed(hash, (uint64_t)p->mask << 32 | (uint32_t)p->kind << 16 | (uint32_t)p->token << 8 | p->at_barrier);
}

static uint64_t mixed_warp(uint64_t hash, const struct warp_state *s)
{
    const struct warp *w = &s->w;
    hash = mixed(hash, (uintptr_t)s->pc);
    hash = mixed(hash, (uintptr_t)s->join);
    hash = mixed(hash, (uintptr_t)(w->window - s->registers) << 32 | w->frame);
    hash = mixed(hash, (uint64_t)w->active << 32 | w->live);
    hash = mixed(hash, (uint64_t)s->call << 1 | s->several_open);
    hash = mixed(hash, (uint64_t)w->carry << 32 | w->second_carry);
    hash = mixed(hash, (uint64_t)w->zero << 32 | w->sign);
    hash = mixed(hash, (uint64_t)w->overflow << 32 | s->status);
    if (s->status == WARP_AT_BARRIER)
        hash = mixed(mixed(hash, (uintptr_t)s->barrier), (uint64_t)s->barrier_lanes << 32 | s->barrier_id);
    for (uint32_t i = 0; i < s->depth; i++)
        hash = mixed_path(hash, &s->paths[i]);
    return mixed_bytes(hash, s->registers, s->register_high);
}

uint64_t block_fingerprint(const struct block *b)
{
    const struct grid *g = b->grid;
    uint64_t hash = mixed(0, b->index);
    for (uint32_t i = 0; i < g->warps; i++)
        hash = mixed_warp(hash, &b->warps[i]);
    for (uint32_t i = 0; i < BARRIERS; i++) {
        const struct barrier *at = &b->barriers[i];
        hash = mixed(hash, (uint64_t)at->arrived << 32 | at->expected);
        hash = mixed(hash, (uint64_t)at->reduced_count << 32 | at->in_use << 2 | at->reduced_and << 1 | at->reduced_or);
    }
    hash = mixed_bytes(hash, b->shared, extents_end(&g->shared));
    for (size_t i = 0; b->local_high && i < (size_t)g->warps * RP_WARP_LANES; i++)
        hash = mixed_bytes(hash, b->local + i * g->local_stride, b->local_high);
    return hash;
}
