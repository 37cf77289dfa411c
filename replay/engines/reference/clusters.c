/* Clusters in the reference engine: placing all blocks of one, and their barrier. */
#include <stdlib.h>

#include "replay/engines/reference/reference.h"

/* ---- placing ----------------------------------------------------------------------------------------------------- */

/* Writes the ranks of the blocks that the trace has of the next cluster. Returns their number. */
static unsigned ranks_of(const struct ref_grid *g, uint32_t ranks[RP_CLUSTER_MOST])
{
    unsigned count = 0;
    for (uint32_t rank = 0; rank < rp_launch_cluster(g->of.launch); rank++)
        if (cluster_block(g->of.launch, g->next_cluster, rank) < g->of.blocks)
            ranks[count++] = rank;
    return count;
}

/* Finds SMs of one GPC for `count` blocks: from `first` on, in rounds, as long as a block fits. any_time: an SM that
 * got a block less than dispatch_interval ago counts, too. */
static bool find_in(struct reference *r, const struct ref_grid *g, unsigned first, unsigned count, bool any_time,
                    unsigned sms[RP_CLUSTER_MOST])
{
    unsigned gpc = gpc_of(r->machine, first), begin = gpc_first(r->machine, gpc), end = gpc_first(r->machine, gpc + 1);
    unsigned found = 0, in_vain = 0;
    for (unsigned s = first; found < count && in_vain < end - begin; s = s + 1 < end ? s + 1 : begin) {
        struct ref_sm *sm = &r->sms[s];
        bool fits = (any_time || r->now >= sm->next_place) && room_fits(&sm->left, &g->block_room);
        in_vain = fits ? 0 : in_vain + 1;
        if (!fits)
            continue;
        room_take(&sm->left, &g->block_room, 1);
        sms[found++] = s;
    }
    for (unsigned i = 0; i < found; i++)
        room_take(&r->sms[sms[i]].left, &g->block_room, -1);
    return found == count;
}

/* Tries the GPC of the SM whose turn it is first, then the GPCs behind it, each from its first SM on. */
static bool find_sms(struct reference *r, const struct ref_grid *g, unsigned count, bool any_time,
                     unsigned sms[RP_CLUSTER_MOST])
{
    unsigned gpcs = (unsigned)r->machine->gpcs, gpc = gpc_of(r->machine, r->next_sm);
    bool found = find_in(r, g, r->next_sm, count, any_time, sms);
    for (unsigned i = 1; i < gpcs && !found; i++)
        if (gpc_first(r->machine, (gpc + i) % gpcs) < gpc_first(r->machine, (gpc + i) % gpcs + 1))
            found = find_in(r, g, gpc_first(r->machine, (gpc + i) % gpcs), count, any_time, sms);
    return found;
}

bool ref_cluster_has_room(struct reference *r, const struct ref_grid *g)
{
    uint32_t ranks[RP_CLUSTER_MOST];
    unsigned sms[RP_CLUSTER_MOST];
    return find_sms(r, g, ranks_of(g, ranks), true, sms);
}

static bool place_cluster(struct reference *r, struct ref_grid *g, const uint32_t *ranks, unsigned count,
                          const unsigned *sms, struct rp_error *err)
{
    struct ref_cluster *c = calloc(1, sizeof *c);
    if (!c)
        return rp_fail(err, RP_SYSTEM, "out of memory for the blocks of a launch");
    c->blocks = rp_launch_cluster(g->of.launch);
    c->unplaced = count;
    bool fine = true;
    for (unsigned i = 0; i < count && fine; i++) {
        struct ref_sm *sm = &r->sms[sms[i]];
        struct ref_block block = {.grid = g, .cluster = c, .rank = ranks[i], .sm = sms[i]};
        block.index = cluster_block(g->of.launch, g->next_cluster, ranks[i]);
        sm->next_place =
            (sm->next_place > r->now ? sm->next_place : r->now) + room_interval(r->machine, &g->block_room);
        c->left++;
        fine = ref_place_block(r, g, &block, err);
    }
    g->next_cluster++;
    return fine;
}

bool ref_place_clusters(struct reference *r, struct ref_grid *g, struct rp_error *err)
{
    unsigned sms[RP_CLUSTER_MOST], all = (unsigned)r->machine->sms;
    while (g->next_block < g->of.blocks) {
        uint32_t ranks[RP_CLUSTER_MOST];
        unsigned count = ranks_of(g, ranks);
        if (!count) {
            g->next_cluster++;
            continue;
        }
        if (!find_sms(r, g, count, false, sms))
            return true;
        r->next_sm = (sms[count - 1] + 1) % all;
        if (!place_cluster(r, g, ranks, count, sms, err))
            return false;
    }
    return true;
}

void ref_leave_cluster(struct ref_block *b)
{
    struct ref_cluster *c = b->cluster;
    if (!c)
        return;
    c->block[b->rank] = NULL;
    if (!--c->left)
        free(c);
}

/* ---- the barrier ------------------------------------------------------------------------------------------------- */

static bool complete(const struct ref_cluster *c)
{
    for (unsigned b = 0; b < c->blocks; b++)
        for (unsigned i = 0; c->block[b] && i < c->block[b]->warp_count; i++) {
            const struct ref_warp *w = &c->block[b]->warps[i];
            if (!w->ended && w->arrival.live & ~w->arrived)
                return false;
        }
    return c->awaited && !c->unplaced;
}

static void release(struct reference *r, struct ref_cluster *c, struct ref_warp *w)
{
    w->arrived = 0;
    if (!w->waiting || w->barrier != AT_CLUSTER)
        return;
    w->waiting = false;
    w->barrier_until = c->over;
    ref_await(r, w);
}

void ref_check_cluster(struct reference *r, struct ref_cluster *c)
{
    if (!c || !complete(c))
        return;
    c->awaited = false;
    c->over = r->now + 1 + (uint64_t)r->machine->cluster_barrier;
    for (unsigned b = 0; b < c->blocks; b++)
        for (unsigned i = 0; c->block[b] && i < c->block[b]->warp_count; i++)
            release(r, c, &c->block[b]->warps[i]);
}

void ref_cluster_barrier(struct reference *r, struct ref_warp *w)
{
    struct ref_cluster *c = w->block->cluster;
    rp_lanemask lanes = w->next.executed;
    if (w->next.instruction->barrier.kind == RP_BARRIER_CLUSTER_ARRIVE) {
        w->arrived |= lanes;
        c->awaited = true;
        ref_check_cluster(r, c);
    } else if (lanes & w->arrived) {
        w->waiting = true;
        w->barrier = AT_CLUSTER;
        r->scheduler->wait(r->sms[w->sm].subcores[w->subcore].scheduler, w->slot);
    } else if (c->over > r->now + 1 && c->over > w->barrier_until) {
        w->barrier = AT_CLUSTER;
        w->barrier_until = c->over;
    }
}

struct ref_block *ref_updated_block(const struct async_update *t)
{
    struct ref_block *b = t->block;
    return t->rank == b->rank || !b->cluster ? b : b->cluster->block[t->rank];
}
