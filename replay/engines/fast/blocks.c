/* Blocks and warps in the fast engine: placing, advancing, removing. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "replay/engines/fast/advance.h"

#include "tracefmt/plural.h"

void fast_end_warp(struct fast_sm *sm, struct fast_warp *w)
{
    struct fast_block *block = w->block;
    w->op = NULL;
    if (w->arrival.gathered)
        fast_arrive_on(sm, w);
    fast_exit(sm, w, ~0u);
    w->ended = true;
    w->waiting = false;
    block->waiting &= ~(1ull << w->number);
    if (w->completion < sm->now + 1)
        w->completion = sm->now + 1;
    sm->chip->scheduler->end(w->subcore->scheduler, w->slot);
    block->ended |= 1ull << w->number;
    if (block->completion < w->completion)
        block->completion = w->completion;
    if (!--block->live && !block->unresolved && sm->next_leave > block->completion) {
        sm->next_leave = block->completion;
        fast_sm_stop(sm, sm->next_leave);
    }
    fast_check_barriers(sm, block);
}

/* Reports that the block is placed, or leaves. */
static void report_block(const struct fast_sm *sm, const struct fast_block *b, bool leaves)
{
    struct engine_location at = {
        .launch = b->part->grid->of.number, .block = b->index, .sm = (uint32_t)(sm - sm->chip->sms)};
    engine_report_block(sm->chip->job, &at, leaves, sm->now);
}

/* ---- placing ---------------------------------------------------------------------------------------------------- */

/* Where the search for the sub-core of a block's first warp begins: with `rotating`, behind where it did for the block
 * before. An empty SM begins anew. */
static void turn_subcores(struct fast_sm *sm)
{
    bool empty = true;
    for (unsigned s = 0; s < sm->subcore_count; s++)
        empty &= !sm->subcores[s].taken;
    const bool turns = sm->chip->machine->placement == PLACEMENT_ROTATING && !empty;
    sm->first_subcore = turns ? (sm->first_subcore + 1) % sm->subcore_count : 0;
}

static struct fast_subcore *subcore_for(const struct fast_sm *sm, unsigned warp)
{
    struct fast_subcore *first = sm->subcores, *best = &first[sm->first_subcore];
    if (sm->chip->machine->placement == PLACEMENT_WARP_ID)
        return first + warp % sm->subcore_count;
    for (unsigned n = 1; n < sm->subcore_count; n++) {
        struct fast_subcore *s = &first[(sm->first_subcore + n) % sm->subcore_count];
        if (__builtin_popcountll(s->taken) < __builtin_popcountll(best->taken))
            best = s;
    }
    return best;
}

static void place_warp(struct fast_sm *sm, struct fast_warp *w)
{
    struct fast_subcore *sc = w->subcore;
    w->slot = (uint8_t)__builtin_ctzll(~sc->taken);
    if (!sc->taken) {
        sm->idle_cycles += sm->now - sc->accounted;
        sc->accounted = sm->now;
    }
    sc->taken |= 1ull << w->slot;
    sc->slots[w->slot] = w;
    sc->yielding &= ~(1ull << w->slot);
    w->placed = sm->now;
    w->released = w->first_issue = sm->now + (uint64_t)sm->chip->machine->dispatch_latency;
    memset(w->scoreboard, 0, w->part->grid->program.shared_entries * sizeof *w->scoreboard);
    if (w->signals)
        fast_signals_clear(w->signals);
    sm->chip->scheduler->start(sc->scheduler, w->slot);
    sm->next[sc->number] = sm->now; /* the scheduler has a new warp */
}

static bool open_block(const struct engine_job *job, struct fast_block *block, unsigned warps, struct rp_error *err)
{
    struct rp_trace *trace = job->trace;
    block->trace = rp_block_open(trace, block->part->grid->of.number, block->index, err);
    if (!block->trace)
        return false;
    if (rp_block_warps(block->trace) != warps)
        return rp_fail(err, RP_BAD_INPUT, "%s: block %" PRIu64 " has %u warp%s where its launch has %u",
                       rp_trace_path(trace), block->index, rp_block_warps(block->trace),
                       rp_plural(rp_block_warps(block->trace)), warps);
    for (; block->warp_count < warps; block->warp_count++, block->live++) {
        struct fast_warp *w = &block->warps[block->warp_count];
        *w = (struct fast_warp){.number = block->warp_count,
                                .part = block->part,
                                .block = block,
                                .arrival = arrival_begin(block->part->grid->launch, block->warp_count),
                                .scoreboard = w->scoreboard,
                                .ops = block->part->grid->program.ops,
                                .next = {.index = UINT32_MAX},
                                .signals = w->signals};
        if (job->sampled)
            w->random.stream = random_stream(job->random.seed, job->random.batch, block->part->grid->of.number,
                                             block->index, w->number);
        if (!rp_cursor_open(&w->cursor, block->trace, w->number, err))
            return false;
    }
    return true;
}

static void free_block(struct fast_block *block)
{
    for (size_t w = 0; block->signals && w < (size_t)block->part->grid->block_room.warps; w++)
        fast_signals_free(&block->signals[w]);
    free(block->signals);
    async_block_free(block->async);
    free(block->scoreboards);
    free(block->warps);
    free(block);
}

/* Allocates a block with arrays for its warps. */
static struct fast_block *new_block(struct fast_part *part)
{
    size_t warps = (size_t)part->grid->block_room.warps, entries = part->grid->program.entry_count;
    struct fast_block *block = calloc(1, sizeof *block);
    if (!block)
        return NULL;
    block->part = part;
    block->warps = aligned_alloc(HOST_LINE, warps * sizeof *block->warps);
    block->scoreboards = aligned_alloc(HOST_LINE, warps * entries * sizeof *block->scoreboards);
    block->signals = part->grid->control_words ? calloc(warps, sizeof *block->signals) : NULL;
    block->async = part->grid->async ? async_block_new((unsigned)warps) : NULL;
    if (!block->warps || !block->scoreboards || (part->grid->control_words && !block->signals) ||
        (part->grid->async && !block->async)) {
        free_block(block);
        return NULL;
    }
    memset(block->warps, 0, warps * sizeof *block->warps);
    for (size_t w = 0; w < warps; w++) {
        block->warps[w].scoreboard = block->scoreboards + w * entries;
        block->warps[w].signals = block->signals ? &block->signals[w] : NULL;
    }
    return block;
}

_Static_assert(MOST_BLOCKS <= MEMORY_GROUPS, "each resident block has a group of accesses");

/* Takes a free block or a new one for the SM. It is resident, and has no warps yet. */
static struct fast_block *take_block(struct fast_sm *sm, const struct fast_assigned *a)
{
    struct fast_part *part = a->part;
    struct fast_block *block = part->free ? part->free : new_block(part);
    if (!block)
        return NULL;
    part->free = part->free ? block->next : NULL;
    *block = (struct fast_block){.index = a->index,
                                 .cluster = a->cluster,
                                 .rank = a->rank,
                                 .sm = sm,
                                 .part = part,
                                 .warps = block->warps,
                                 .scoreboards = block->scoreboards,
                                 .signals = block->signals,
                                 .async = block->async,
                                 .number = (uint8_t)__builtin_ctzll(~sm->numbers),
                                 .next = sm->first};
    sm->numbers |= 1ull << block->number;
    if (block->async)
        async_block_clear(block->async, a->rank);
    sm->first = block;
    return block;
}

static bool place_block(struct fast_sm *sm, struct fast_assigned *a, struct rp_error *err)
{
    struct fast_part *part = a->part;
    unsigned warps = (unsigned)part->grid->block_room.warps;
    struct fast_block *block = take_block(sm, a);
    if (!block)
        return rp_fail(err, RP_SYSTEM, "out of memory for the blocks of a launch");
    if (a->cluster) {
        a->cluster->block[a->rank] = block;
        a->cluster->unplaced--;
        a->cluster = NULL; /* now the block owns it */
    }
    if (!sm->resident++)
        sm->occupied_since = sm->now;
    if (!part->resident++)
        part->occupied_since = sm->now;
    part->statistics.blocks++;
    part->statistics.warps += warps;
    if (!open_block(sm->chip->job, block, warps, err))
        return false;
    report_block(sm, block, false);
    turn_subcores(sm);
    for (unsigned i = 0; i < warps; i++) {
        block->warps[i].subcore = subcore_for(sm, i);
        place_warp(sm, &block->warps[i]);
    }
    for (unsigned i = 0; i < warps; i++)
        if (!advance(sm, &block->warps[i], err))
            return false;
    return true;
}

bool fast_place_blocks(struct fast_sm *sm, struct rp_error *err)
{
    for (unsigned i = 0; i < sm->assigned_count; i++)
        if (!place_block(sm, &sm->assigned[i], err))
            return false;
    sm->assigned_count = 0;
    return true;
}

/* ---- removing ---------------------------------------------------------------------------------------------------- */

static void close_block(struct fast_sm *sm, struct fast_block *block)
{
    for (unsigned i = 0; i < block->warp_count; i++)
        rp_cursor_close(&block->warps[i].cursor);
    if (block->trace)
        rp_block_close(block->trace);
    if (block->cluster)
        fast_leave_cluster(block->cluster, block->rank);
    block->next = block->part->free;
    block->part->free = block;
    block->part->resident--;
    sm->numbers &= ~(1ull << block->number);
    sm->resident--;
}

static void leave(struct fast_sm *sm, struct fast_block *block)
{
    struct statistics *statistics = &block->part->statistics;
    for (unsigned i = 0; i < block->warp_count; i++) {
        struct fast_warp *w = &block->warps[i];
        struct fast_subcore *sc = w->subcore;
        sc->taken &= ~(1ull << w->slot);
        sc->uses[w->unit] &= ~(1ull << w->slot);
        sc->caches &= ~(1ull << w->slot);
        statistics->warp_cycles += w->completion - w->placed;
        if (sc->taken)
            continue;
        statistics->stall[STALL_DRAIN] += sm->now - sc->accounted;
        struct engine_location at = fast_location(sm, w);
        engine_report_drain(sm->chip->job, &at, sm->now - sc->accounted, sm->now);
        sc->accounted = sm->now;
    }
    report_block(sm, block, true);
    room_take(&sm->left, &block->part->grid->block_room, -1);
    struct fast_part *part = block->part;
    close_block(sm, block);
    if (!sm->resident)
        sm->occupied_cycles += sm->now - sm->occupied_since;
    if (!part->resident)
        statistics->sm_cycles += sm->now - part->occupied_since;
    part->last_leave = sm->last_leave = sm->now;
}

void fast_leave_blocks(struct fast_sm *sm)
{
    sm->next_leave = NEVER;
    for (struct fast_block **at = &sm->first; *at;) {
        struct fast_block *block = *at;
        bool over = !block->live && !block->unresolved;
        if (over && block->completion <= sm->now) {
            *at = block->next;
            leave(sm, block);
            continue;
        }
        if (over && block->completion < sm->next_leave)
            sm->next_leave = block->completion;
        at = &block->next;
    }
}

void fast_close_blocks(struct fast_sm *sm)
{
    for (unsigned i = 0; i < sm->assigned_count; i++)
        if (sm->assigned[i].cluster)
            fast_leave_cluster(sm->assigned[i].cluster, sm->assigned[i].rank);
    while (sm->first) {
        struct fast_block *block = sm->first;
        sm->first = block->next;
        close_block(sm, block);
    }
}

void fast_free_blocks(struct fast_part *part)
{
    while (part->free) {
        struct fast_block *block = part->free;
        part->free = block->next;
        free_block(block);
    }
}
