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
 * is computed in leaving.c.
 *
 * Blocks of a cluster meet at its barrier and update barrier objects of one another, and those of some launches meet at
 * the launch's: then SMs are always in step.
 */
#include "replay/engines/fast/fast.h"

#define ENOUGH 1024u /* cycles: it does not look further ahead */

/* The first cycle in which an SM can have more room than now. */
static uint64_t first_room(const struct fast *f, uint64_t now)
{
    uint64_t first = now + ENOUGH;
    for (unsigned s = 0; s < f->sm_count; s++) {
        const struct fast_sm *sm = &f->sms[s];
        first = sm->next_room < first ? sm->next_room : first;
        for (const struct fast_block *b = sm->first; b && first > now; b = b->next)
            first = fast_first_leave(f, b, now, first);
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
                uint64_t leaves = fast_first_leave(f, b, now, now + ENOUGH);
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

/* Looks ahead at the launch's blocks before `end`. Returns for how many cycles each block stays, at least, of those
 * that were not placed when the look-ahead began. */
static uint64_t shortest_stay(const struct fast *f, struct fast_grid *g, uint64_t end)
{
    if (g->seen <= g->next_block) {
        g->seen = g->next_block;
        g->stay = ENOUGH;
    }
    for (; g->seen < end && g->stay; g->seen++) {
        uint64_t cycles = fast_shortest_stay(f, g, g->seen, ENOUGH);
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
