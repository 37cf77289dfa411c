/* How far SMs may run by themselves while launches overlap.
 *
 * While blocks wait, no SM has room for them, except an SM that pauses because a block has just left it. That stays
 * true until
 *
 *  - the last block of a launch is placed, and a smaller block is next: it may fit where the others did not;
 *  - no launch waits any more, and a launch ends for which launches in the queue have waited: their blocks may fit
 *    anywhere;
 *  - a copy of the host ends for which launches have waited. A copy that begins after this was computed does not
 *    matter: it begins when a launch ends, and the launches that waited for that launch come first.
 *
 * Before the first cycle in which one of these can happen, SMs may be ahead of one another. How long blocks stay
 * follows from how many instructions their warps have yet to issue.
 *
 * Blocks of a cluster meet at its barrier and update barrier objects of one another, and those of some launches meet at
 * the launch's: then SMs are always in step.
 */
#include "replay/engines/fast/fast.h"

#define ENOUGH 1024u /* cycles: it does not look further ahead */

/* The least number of cycles in which a warp can issue the rest of its instructions; counted up to `most`. */
static uint64_t cycles_left(const struct fast *f, const struct fast_grid *g, const struct rp_cursor *c, uint64_t most)
{
    uint64_t width = (uint64_t)f->machine->issue_width;
    return rp_cursor_left(c, g->program.free_exits, most * width) / width;
}

/* The first cycle in which the block can leave, within now .. enough. */
static uint64_t first_leave(const struct fast *f, const struct fast_block *b, uint64_t now, uint64_t enough)
{
    if (!b->live)
        return b->unresolved || b->completion < now ? now : b->completion < enough ? b->completion : enough;
    uint64_t first = now;
    for (unsigned i = 0; i < b->warp_count && first < enough; i++) {
        uint64_t end = b->warps[i].ended ? 0 : now + cycles_left(f, b->part->grid, &b->warps[i].cursor, enough - now);
        first = end > first ? end : first;
    }
    return first < enough ? first : enough;
}

/* The first cycle in which an SM can have more room than now. */
static uint64_t first_room(const struct fast *f, uint64_t now)
{
    uint64_t first = now + ENOUGH;
    for (unsigned s = 0; s < f->sm_count; s++) {
        const struct fast_sm *sm = &f->sms[s];
        first = sm->next_room < first ? sm->next_room : first;
        for (const struct fast_block *b = sm->first; b && first > now; b = b->next)
            first = first_leave(f, b, now, first);
    }
    return first;
}

/* The first cycle in which the launch can end. Blocks that are not placed yet are not considered. */
static uint64_t first_end_of(const struct fast *f, const struct fast_grid *g, uint64_t now)
{
    uint64_t last = now;
    for (unsigned s = 0; s < f->sm_count; s++) {
        const struct fast_sm *sm = &f->sms[s];
        if (!g->parts[s] || !g->parts[s]->resident)
            continue;
        for (const struct fast_block *b = sm->first; b && last < now + ENOUGH; b = b->next)
            if (b->part->grid == g) {
                uint64_t leaves = first_leave(f, b, now, now + ENOUGH);
                last = leaves > last ? leaves : last;
            }
    }
    return last;
}

/* The first cycle in which a launch can end. */
static uint64_t first_end(const struct fast *f, uint64_t now)
{
    uint64_t first = NEVER;
    for (const struct fast_grid *g = f->grids; g && first > now; g = g->next) {
        uint64_t end = first_end_of(f, g, now);
        first = end < first ? end : first;
    }
    return first;
}

/* The least number of cycles for which the block stays, by its first warp. 0: the trace is damaged; the error is
 * reported when the block is placed. */
static uint64_t stay(const struct fast *f, const struct fast_grid *g, uint64_t index)
{
    struct rp_cursor c = {0};
    struct rp_block *block = rp_block_open(f->job->trace, g->of.number, index, NULL);
    uint64_t cycles = block && rp_cursor_open(&c, block, 0, NULL) ? cycles_left(f, g, &c, ENOUGH) : 0;
    rp_cursor_close(&c);
    if (block)
        rp_block_close(block);
    return cycles;
}

/* Looks ahead at the launch's blocks before `end`. Returns for how many cycles each block stays, at least, of those
 * that were not placed when the look-ahead began. */
static uint64_t shortest_stay(const struct fast *f, struct fast_grid *g, uint64_t end)
{
    if (g->seen <= g->next_block) {
        g->seen = g->next_block;
        g->stay = ENOUGH;
    }
    for (; g->seen < end && g->stay; g->seen++) {
        uint64_t cycles = stay(f, g, g->seen);
        g->stay = cycles < g->stay ? cycles : g->stay;
    }
    return g->stay;
}

static struct fast_grid *next_waiting(struct fast_grid *g)
{
    do
        g = g->next;
    while (g && g->next_block == g->of.blocks);
    return g;
}

/* The first cycle in which the last block of the waiting launches can be placed, up to the launch that a smaller one
 * follows: then *more. As long as no block that comes can leave again, SMs take no more than they hold. */
static uint64_t first_exhausted(const struct fast *f, uint64_t now, bool *more)
{
    struct fast_grid *g = fast_first_waiting(f), *next;
    uint64_t most = f->sm_count * room_count(f->machine, &g->block_room, UINT64_MAX), blocks = 0, shortest = ENOUGH;
    for (bool go_on = true; go_on; g = next) {
        uint64_t waiting = g->of.blocks - g->next_block, wanted = blocks <= most ? most + 1 - blocks : 0;
        uint64_t stays = shortest_stay(f, g, g->next_block + (waiting < wanted ? waiting : wanted));
        shortest = stays < shortest ? stays : shortest;
        blocks += waiting;
        next = next_waiting(g);
        *more = next && !room_fits(&next->block_room, &g->block_room);
        go_on = next && !*more;
    }
    return blocks > most ? now + shortest : first_room(f, now);
}

/* Whether, of the launches that wait, blocks of a later one may fit where those of an earlier one do not. */
static bool smaller_follows(const struct fast *f)
{
    struct fast_grid *g = fast_first_waiting(f), *next;
    for (; g && (next = next_waiting(g)); g = next)
        if (!room_fits(&next->block_room, &g->block_room))
            return true;
    return false;
}

uint64_t fast_step_from(const struct fast *f, uint64_t now)
{
    if (f->clusters)
        return now;
    bool waits = fast_first_waiting(f), smaller = smaller_follows(f);
    bool left = f->machine->grids > 1 && launch_queue_left(f->job->queue);
    if (!left && !smaller)
        return NEVER;
    bool more = false;
    uint64_t until = waits ? first_exhausted(f, now, &more) : now;
    uint64_t end = more || until >= now + ENOUGH ? now : first_end(f, now);
    uint64_t copy = fast_wakes(f);
    end = end > until ? end : until;
    return end < copy ? end : copy;
}
