/* Blocks and warps in the fast engine: placing, moving on, letting go. */
#include <inttypes.h>
#include <string.h>

#include "replay/fast/advance.h"

#include "tracefmt/plural.h"

void fast_end_warp(struct fast *f, struct fast_warp *w)
{
    struct fast_block *block = w->block;
    w->ended = true;
    w->waiting = false;
    block->waiting &= ~(1ull << w->number);
    if (w->completion < f->now + 1)
        w->completion = f->now + 1;
    f->scheduler->end(f->subcores[w->subcore].scheduler, w->slot);
    block->ended |= 1ull << w->number;
    if (block->completion < w->completion)
        block->completion = w->completion;
    if (!--block->live && f->next_leave > block->completion)
        f->next_leave = block->completion;
    fast_check_barriers(f, block);
}

static unsigned subcore_for(const struct fast *f, unsigned sm, unsigned warp)
{
    unsigned count = (unsigned)f->machine->subcores, first = sm * count, best = 0;
    if (f->machine->placement == PLACEMENT_WARP_ID)
        return first + warp % count;
    for (unsigned s = 1; s < count; s++)
        if (__builtin_popcountll(f->subcores[first + s].taken) < __builtin_popcountll(f->subcores[first + best].taken))
            best = s;
    return first + best;
}

static void place_warp(struct fast *f, struct fast_warp *w)
{
    struct fast_subcore *sc = &f->subcores[w->subcore];
    w->slot = (uint8_t)__builtin_ctzll(~sc->taken);
    if (!sc->taken) {
        f->statistics->idle_cycles += f->now - sc->accounted;
        sc->accounted = f->now;
    }
    sc->taken |= 1ull << w->slot;
    sc->slots[w->slot] = w;
    sc->yielding &= ~(1ull << w->slot);
    w->placed = f->now;
    w->released = w->first_issue = f->now + (uint64_t)f->machine->dispatch_latency;
    memset(w->scoreboard, 0, f->program.register_count * sizeof *w->scoreboard);
    if (w->signals)
        fast_signals_clear(w->signals);
    f->scheduler->start(sc->scheduler, w->slot);
    f->next[w->subcore] = f->now; /* the scheduler was told something */
}

static bool open_block(struct fast *f, struct fast_block *block, unsigned warps, struct rp_error *err)
{
    block->trace = rp_block_open(f->job->trace, f->job->launch, block->index, err);
    if (!block->trace)
        return false;
    if (rp_block_warps(block->trace) != warps)
        return rp_fail(err, RP_BAD_INPUT, "%s: block %" PRIu64 " has %u warp%s where its launch has %u",
                       rp_trace_path(f->job->trace), block->index, rp_block_warps(block->trace),
                       rp_plural(rp_block_warps(block->trace)), warps);
    for (; block->warp_count < warps; block->warp_count++, block->live++) {
        struct fast_warp *w = &block->warps[block->warp_count];
        *w = (struct fast_warp){.number = block->warp_count,
                                .sm = block->sm,
                                .block = block,
                                .scoreboard = w->scoreboard,
                                .signals = w->signals};
        if (!rp_cursor_open(&w->cursor, block->trace, w->number, err))
            return false;
    }
    return true;
}

static bool place_block(struct fast *f, unsigned s, struct rp_error *err)
{
    struct fast_sm *sm = &f->sms[s];
    unsigned place = 0, warps = (unsigned)f->block_room.warps;
    while (sm->blocks[place].used)
        place++;
    struct fast_block *block = &sm->blocks[place];
    *block = (struct fast_block){
        .index = f->next_block++, .sm = (uint16_t)s, .used = true, .warps = sm->warps + place * warps};
    room_take(&sm->left, &f->block_room, 1);
    if (!sm->resident++)
        sm->occupied_since = f->now;
    f->resident_blocks++;
    f->statistics->blocks++;
    f->statistics->warps += warps;
    if (!open_block(f, block, warps, err))
        return false;
    for (unsigned i = 0; i < warps; i++) {
        block->warps[i].subcore = (uint16_t)subcore_for(f, s, i);
        place_warp(f, &block->warps[i]);
    }
    for (unsigned i = 0; i < warps; i++)
        if (!advance(f, &block->warps[i], err))
            return false;
    return true;
}

bool fast_place_blocks(struct fast *f, struct rp_error *err)
{
    for (unsigned tried = 0; f->next_block < f->job->blocks && tried < f->sm_count; tried++) {
        unsigned s = f->next_sm;
        f->next_sm = (s + 1) % f->sm_count;
        if (!room_fits(&f->sms[s].left, &f->block_room))
            continue;
        if (!place_block(f, s, err))
            return false;
        tried = ~0u; /* one was placed: all SMs have their turn again */
    }
    return true;
}

static void leave(struct fast *f, struct fast_block *block)
{
    struct fast_sm *sm = &f->sms[block->sm];
    for (unsigned i = 0; i < block->warp_count; i++) {
        struct fast_warp *w = &block->warps[i];
        struct fast_subcore *sc = &f->subcores[w->subcore];
        sc->taken &= ~(1ull << w->slot);
        sc->uses[w->unit] &= ~(1ull << w->slot);
        f->statistics->warp_cycles += w->completion - w->placed;
        rp_cursor_close(&w->cursor);
        if (sc->taken)
            continue;
        f->statistics->stall[STALL_DRAIN] += f->now - sc->accounted;
        sc->accounted = f->now;
    }
    rp_block_close(block->trace);
    block->used = false;
    room_take(&sm->left, &f->block_room, -1);
    if (!--sm->resident)
        f->statistics->sm_cycles += f->now - sm->occupied_since;
    f->resident_blocks--;
}

void fast_leave_blocks(struct fast *f)
{
    f->next_leave = NEVER;
    for (unsigned s = 0; s < f->sm_count; s++)
        for (unsigned b = 0; b < f->block_places; b++) {
            struct fast_block *block = &f->sms[s].blocks[b];
            if (!block->used || block->live)
                continue;
            if (block->completion <= f->now)
                leave(f, block);
            else if (block->completion < f->next_leave)
                f->next_leave = block->completion;
        }
}
