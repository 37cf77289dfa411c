/* Blocks in the reference engine: placing them, advancing their warps, removing them. */
#include <stdlib.h>

#include "replay/base/supported.h"
#include "replay/engines/reference/reference.h"

#include "tracefmt/plural.h"

void ref_free_block(struct ref_block *block)
{
    for (unsigned i = 0; block->warps && i < block->warp_count; i++) {
        rp_cursor_close(&block->warps[i].cursor);
        free(block->warps[i].writes);
        for (unsigned b = 0; b < RP_CONTROL_BARRIERS; b++)
            free(block->warps[i].signals[b].items);
    }
    free(block->warps);
    async_block_free(block->async);
    if (block->trace)
        rp_block_close(block->trace);
    ref_leave_cluster(block);
    free(block);
}

static void end_warp(struct reference *r, struct ref_warp *w)
{
    struct ref_block *block = w->block;
    ref_exit(r, w, ~0u);
    w->ended = true;
    w->waiting = false;
    if (w->completion < r->now + 1)
        w->completion = r->now + 1; /* the latest end that is known */
    r->scheduler->end(r->sms[w->sm].subcores[w->subcore].scheduler, w->slot);
    block->ended |= 1ull << w->number;
    block->live--;
    ref_check_barriers(r, block);
}

static void fetch(struct reference *r, struct ref_warp *w)
{
    w->fetched = sm_memory_fetch(memory_system_sm(r->job->memory, w->sm), w->subcore,
                                 code_address(w->block->grid->of.launch->kernel, w->next.instruction), r->now);
}

bool ref_advance(struct reference *r, struct ref_warp *w, struct rp_error *err)
{
    int more;
    while ((more = rp_cursor_next(&w->cursor, &w->next, err)) > 0) {
        w->block->grid->statistics->warp_instructions++;
        w->block->grid->statistics->thread_instructions += rp_lane_count(w->next.executed);
        if (w->arrival.gathered && !arrival_goes_on(&w->arrival, &w->next))
            ref_arrived(r, w);
        if (w->block->async && !async_check(w->block->grid->of.kernel, &w->next, err))
            return false;
        if (r->machine->issue_exit || !is_plain_exit(w->next.instruction)) {
            fetch(r, w);
            ref_await(r, w);
            return true;
        }
        ref_exit(r, w, w->next.executed);
    }
    if (more < 0)
        return false;
    if (w->arrival.gathered)
        ref_arrived(r, w);
    end_warp(r, w);
    return true;
}

/* The block is placed, or leaves. */
static void report_block(const struct reference *r, const struct ref_block *b, bool leaves)
{
    struct engine_location at = {.launch = b->grid->of.number, .block = b->index, .sm = b->sm};
    engine_report_block(r->job, &at, leaves, r->now);
}

/* With `rotating` the search for the sub-core of a block's first warp begins one further each time; in an empty SM at
 * the first. */
static void turn_subcores(const struct reference *r, struct ref_sm *sm)
{
    unsigned count = (unsigned)r->machine->subcores, resident = 0;
    for (unsigned s = 0; s < count; s++)
        resident += sm->subcores[s].resident;
    if (r->machine->placement == PLACEMENT_ROTATING && resident)
        sm->first_subcore = (sm->first_subcore + 1) % count;
    else
        sm->first_subcore = 0;
}

static unsigned subcore_for(const struct reference *r, const struct ref_sm *sm, unsigned warp)
{
    unsigned count = (unsigned)r->machine->subcores, best = sm->first_subcore;
    if (r->machine->placement == PLACEMENT_WARP_ID)
        return warp % count;
    for (unsigned n = 1; n < count; n++) {
        unsigned s = (sm->first_subcore + n) % count;
        if (sm->subcores[s].resident < sm->subcores[best].resident)
            best = s;
    }
    return best;
}

static void place_warp(struct reference *r, struct ref_warp *w)
{
    struct ref_sm *sm = &r->sms[w->sm];
    w->subcore = subcore_for(r, sm, w->number);
    struct ref_subcore *sc = &sm->subcores[w->subcore];
    while (sc->slots[w->slot])
        w->slot++;
    sc->slots[w->slot] = w;
    if (sc->slot_count <= w->slot)
        sc->slot_count = w->slot + 1;
    sc->resident++;
    w->placed = r->now;
    w->first_issue = r->now + (uint64_t)r->machine->dispatch_latency;
    w->blocked_at = w->yields_at = UINT64_MAX;
    r->scheduler->start(sc->scheduler, w->slot);
}

static bool open_block(struct reference *r, struct ref_block *block, struct rp_error *err)
{
    const struct ref_grid *g = block->grid;
    block->trace = rp_block_open(r->job->trace, g->of.number, block->index, err);
    if (!block->trace)
        return false;
    unsigned warps = rp_block_warps(block->trace);
    block->warps = warps == (unsigned)g->block_room.warps ? calloc(warps, sizeof *block->warps) : NULL;
    if (!block->warps)
        return rp_fail(err, RP_BAD_INPUT, "%s: block %llu has %u warp%s where its launch has %d",
                       rp_trace_path(r->job->trace), (unsigned long long)block->index, warps, rp_plural(warps),
                       (int)g->block_room.warps);
    if (kernel_is_async(g->of.kernel) && !(block->async = async_block_new(warps)))
        return rp_fail(err, RP_SYSTEM, "out of memory for the blocks of a launch");
    if (block->async)
        block->async->rank = block->rank;
    for (; block->warp_count < warps; block->warp_count++, block->live++) {
        struct ref_warp *w = &block->warps[block->warp_count];
        *w = (struct ref_warp){.number = block->warp_count,
                               .sm = block->sm,
                               .block = block,
                               .arrival = arrival_begin(g->of.launch, block->warp_count)};
        if (r->job->sampled)
            w->random.stream =
                random_stream(r->job->random.seed, r->job->random.batch, g->of.number, block->index, w->number);
        if (!rp_cursor_open(&w->cursor, block->trace, w->number, err))
            return false;
    }
    return true;
}

bool ref_place_block(struct reference *r, struct ref_grid *g, const struct ref_block *like, struct rp_error *err)
{
    struct ref_sm *sm = &r->sms[like->sm];
    struct ref_block *block = calloc(1, sizeof *block);
    if (!block)
        return rp_fail(err, RP_SYSTEM, "out of memory for the blocks of a launch");
    *block = *like;
    block->next = sm->blocks;
    sm->blocks = block;
    g->next_block++;
    if (block->cluster) {
        block->cluster->block[block->rank] = block;
        block->cluster->unplaced--;
    }
    if (g->of.begin == ENGINE_NEVER)
        engine_began(&r->period, &g->of, r->now);
    engine_placed(&r->period, &g->of, g->next_block, r->now);
    if (!open_block(r, block, err))
        return false;
    report_block(r, block, false);
    room_take(&sm->left, &g->block_room, 1);
    g->resident++;
    g->statistics->blocks++;
    g->statistics->warps += block->warp_count;
    turn_subcores(r, sm);
    for (unsigned i = 0; i < block->warp_count; i++)
        place_warp(r, &block->warps[i]);
    for (unsigned i = 0; i < block->warp_count; i++)
        if (!ref_advance(r, &block->warps[i], err))
            return false;
    return true;
}

static bool place_blocks(struct reference *r, struct ref_grid *g, struct rp_error *err)
{
    unsigned count = (unsigned)r->machine->sms, tried = 0;
    while (g->next_block < g->of.blocks && tried < count) {
        unsigned s = r->next_sm;
        r->next_sm = (s + 1) % count;
        tried++;
        if (r->now < r->sms[s].next_place || !room_fits(&r->sms[s].left, &g->block_room))
            continue;
        r->sms[s].next_place = r->now + room_interval(r->machine, &g->block_room);
        if (!ref_place_block(r, g, &(struct ref_block){.grid = g, .sm = s, .index = g->of.left_out + g->next_block},
                             err))
            return false;
        tried = 0;
    }
    return true;
}

struct ref_grid *ref_first_waiting(const struct reference *r)
{
    struct ref_grid *g = r->grids;
    while (g && g->next_block == g->of.blocks)
        g = g->next;
    return g;
}

bool ref_place_blocks(struct reference *r, struct rp_error *err)
{
    for (struct ref_grid *g, *before = NULL; (g = ref_first_waiting(r)) && g != before; before = g)
        if (!(g->clusters ? ref_place_clusters : place_blocks)(r, g, err))
            return false;
    return true;
}

bool ref_take_launches(struct reference *r, struct rp_error *err)
{
    struct engine_launch l;
    struct ref_grid **last = &r->grids;
    while (*last)
        last = &(*last)->next;
    while (r->grid_count < r->machine->grids && engine_take(&r->period, &l, r->now)) {
        struct ref_grid *g = calloc(1, sizeof *g);
        if (!g)
            return rp_fail(err, RP_SYSTEM, "out of memory for a launch");
        *g = (struct ref_grid){.of = l,
                               .statistics = &l.out->statistics,
                               .clusters = cluster_matters(l.kernel, l.launch),
                               .meets = launch_meets(l.kernel, l.launch)};
        *last = g;
        last = &g->next;
        r->grid_count++;
        if (!launch_is_supported(l.kernel, l.launch, !r->job->sampled, err) ||
            !room_of_block(r->machine, l.kernel, l.launch, &g->block_room, err) ||
            !cooperative_fits(r->machine, l.kernel, l.launch, room_count(r->machine, &g->block_room, UINT64_MAX),
                              err) ||
            !cluster_fits(r->machine, l.kernel, l.launch, &g->block_room, err))
            return false;
    }
    return true;
}

static void leave(struct reference *r, struct ref_block *block)
{
    struct ref_sm *sm = &r->sms[block->sm];
    for (unsigned i = 0; i < block->warp_count; i++) {
        struct ref_warp *w = &block->warps[i];
        struct ref_subcore *sc = &sm->subcores[w->subcore];
        sc->slots[w->slot] = NULL;
        block->grid->statistics->warp_cycles += w->completion - w->placed;
        if (--sc->resident)
            continue;
        block->grid->statistics->stall[STALL_DRAIN] += sc->gap;
        struct engine_location at = ref_location(w);
        engine_report_drain(r->job, &at, sc->gap, r->now);
        sc->gap = 0;
    }
    report_block(r, block, true);
    room_take(&sm->left, &block->grid->block_room, -1);
    block->grid->resident--;
    ref_free_block(block);
}

static bool is_complete(const struct ref_block *block, uint64_t now)
{
    for (unsigned i = 0; i < block->warp_count; i++)
        if (!block->warps[i].ended || block->warps[i].in_flight || block->warps[i].copies ||
            block->warps[i].completion > now)
            return false;
    return true;
}

void ref_leave_blocks(struct reference *r)
{
    for (int64_t s = 0; s < r->machine->sms; s++)
        for (struct ref_block **at = &r->sms[s].blocks; *at;) {
            struct ref_block *block = *at;
            if (!is_complete(block, r->now)) {
                at = &block->next;
                continue;
            }
            *at = block->next;
            leave(r, block);
        }
}
