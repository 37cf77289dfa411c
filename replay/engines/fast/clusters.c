/* Clusters in the fast engine: which SMs get the blocks of one, and their barrier. All SMs are in step (overlap.c), so
 * what one SM does to another happens in the same cycle on both. */
#include <stdlib.h>

#include "replay/engines/fast/advance.h"

/* ---- dispatch ---------------------------------------------------------------------------------------------------- */

/* How the blocks of a cluster are dealt to the SMs of a GPC: one each, in turns. */
struct deal {
    uint8_t blocks[RP_CLUSTER_MOST]; /* of each SM that gets some */
    unsigned sm[RP_CLUSTER_MOST], sms;
    unsigned order[RP_CLUSTER_MOST]; /* of each block: index of its SM in `sm` */
};

/* How many more blocks the SM takes now, up to `most`. */
static unsigned takes(const struct fast_sm *sm, const struct room *block, unsigned most, uint64_t now)
{
    struct room left = sm->left;
    unsigned count = 0;
    if (now < sm->next_place)
        return 0;
    for (; count < most && room_fits(&left, block); count++)
        room_take(&left, block, 1);
    return count;
}

/* Deals `count` blocks to the SMs begin..end - 1, from `first` on. False: they do not fit. */
static bool deal(const struct fast *f, const struct room *block, unsigned begin, unsigned end, unsigned first,
                 unsigned count, uint64_t now, struct deal *d)
{
    unsigned most[RP_CLUSTER_MOST] = {0}, room = 0, dealt = 0;
    d->sms = 0;
    for (unsigned i = 0; i < end - begin && d->sms < count; i++) {
        unsigned s = begin + (first - begin + i) % (end - begin);
        unsigned n = takes(&f->sms[s], block, count, now);
        if (!n)
            continue;
        most[d->sms] = n;
        d->blocks[d->sms] = 0;
        d->sm[d->sms++] = s;
        room += n;
    }
    if (room < count)
        return false;
    for (unsigned i = 0; dealt < count; i = (i + 1) % d->sms)
        if (d->blocks[i] < most[i]) {
            d->blocks[i]++;
            d->order[dealt++] = i;
        }
    return true;
}

static bool deal_anywhere(const struct fast *f, const struct room *block, unsigned count, uint64_t now, struct deal *d)
{
    unsigned gpcs = (unsigned)f->machine->gpcs, own = gpc_of(f->machine, f->next_sm);
    for (unsigned i = 0; i < gpcs; i++) {
        unsigned gpc = (own + i) % gpcs;
        unsigned begin = gpc_first(f->machine, gpc), end = gpc_first(f->machine, gpc + 1);
        if (begin < end && deal(f, block, begin, end, i ? begin : f->next_sm, count, now, d))
            return true;
    }
    return false;
}

/* How many blocks the trace has of the launch's next cluster. */
static unsigned size_of(const struct fast_grid *g)
{
    unsigned count = 0;
    for (uint32_t rank = 0; rank < rp_launch_cluster(g->launch); rank++)
        count += cluster_block(g->launch, g->next_cluster, rank) < g->of.blocks;
    return count;
}

static bool assign_cluster(struct fast *f, struct fast_grid *g, const struct deal *d, unsigned count, uint64_t now,
                           struct rp_error *err)
{
    struct fast_cluster *c = calloc(1, sizeof *c);
    if (!c)
        return rp_fail(err, RP_SYSTEM, "out of memory for the blocks of a launch");
    c->blocks = rp_launch_cluster(g->launch);
    c->unplaced = count;
    for (uint32_t rank = 0, i = 0; rank < c->blocks; rank++) {
        struct fast_assigned a = {.index = cluster_block(g->launch, g->next_cluster, rank), .cluster = c, .rank = rank};
        if (a.index >= g->of.blocks)
            continue;
        struct fast_sm *sm = &f->sms[d->sm[d->order[i++]]];
        sm->now = f->next[sm - f->sms] = now;
        if (!fast_assign(f, g, sm, &a, err)) {
            if (!c->left)
                free(c);
            return false;
        }
        c->left++;
    }
    for (unsigned i = 0; i < d->sms; i++)
        if (d->blocks[i])
            f->sms[d->sm[i]].next_place = now + room_interval(f->machine, &g->block_room) * d->blocks[i];
    f->next_sm = (d->sm[d->order[count - 1]] + 1) % f->sm_count;
    return true;
}

bool fast_assign_clusters(struct fast *f, struct fast_grid *g, uint64_t now, struct rp_error *err)
{
    struct deal d;
    for (; g->next_block < g->of.blocks; g->next_cluster++) {
        unsigned count = size_of(g);
        if (!count)
            continue;
        if (!deal_anywhere(f, &g->block_room, count, now, &d))
            return true;
        if (!assign_cluster(f, g, &d, count, now, err))
            return false;
    }
    return true;
}

void fast_leave_cluster(struct fast_cluster *c, uint32_t rank)
{
    c->block[rank] = NULL;
    if (!--c->left)
        free(c);
}

void fast_sm_look(struct fast_sm *sm)
{
    uint64_t *next = &sm->chip->next[sm - sm->chip->sms], at = fast_sm_next(sm);
    *next = at < *next ? at : *next;
}

/* ---- the barrier ------------------------------------------------------------------------------------------------- */

static bool has_arrived(const struct fast_block *b)
{
    for (unsigned i = 0; i < b->warp_count; i++)
        if (b->warps[i].arrival.live & ~b->warps[i].arrival.at_cluster)
            return false;
    return true;
}

static bool is_complete(const struct fast_cluster *c)
{
    for (unsigned i = 0; i < c->blocks; i++)
        if (c->block[i] && !has_arrived(c->block[i]))
            return false;
    return true;
}

/* Releases the waiting warps of the block in cycle `over`. */
static void release(struct fast_block *b, uint64_t over, uint64_t now)
{
    struct fast_sm *sm = b->sm;
    fast_sm_come(sm, now);
    for (unsigned i = 0; i < b->warp_count; i++)
        b->warps[i].arrival.at_cluster = 0;
    for (uint64_t waiting = b->waiting; waiting; waiting &= waiting - 1) {
        struct fast_warp *w = &b->warps[__builtin_ctzll(waiting)];
        if (w->barrier != AT_CLUSTER)
            continue;
        b->waiting &= ~(1ull << w->number);
        w->waiting = false;
        w->barrier_until = over;
        w->released = w->released < over ? over : w->released;
        if (w->op && !(w->op->flags & OP_TESTS && fast_await(sm, w)))
            schedule(sm, w);
    }
    fast_sm_look(sm);
}

void fast_check_cluster(struct fast_cluster *c, uint64_t now)
{
    if (!c->awaited || c->unplaced || !is_complete(c))
        return;
    c->awaited = false;
    for (unsigned i = 0; i < c->blocks; i++)
        if (c->block[i]) {
            c->over = now + 1 + (uint64_t)c->block[i]->sm->chip->machine->cluster_barrier;
            release(c->block[i], c->over, now);
        }
}

void fast_cluster_barrier(struct fast_sm *sm, struct fast_warp *w)
{
    struct fast_cluster *c = w->block->cluster;
    bool arrives = w->next.instruction->barrier.kind == RP_BARRIER_CLUSTER_ARRIVE;
    w->op = NULL; /* the instruction after it is not fetched yet */
    if (arrives) {
        w->arrival.at_cluster |= w->next.executed;
        c->awaited = true;
        fast_check_cluster(c, sm->now);
    } else if (w->next.executed & w->arrival.at_cluster) {
        w->waiting = true;
        w->barrier = AT_CLUSTER;
        w->block->waiting |= 1ull << w->number;
        sm->chip->scheduler->wait(w->subcore->scheduler, w->slot);
    } else if (c->over > sm->now + 1 && c->over > w->barrier_until) {
        w->barrier = AT_CLUSTER;
        w->barrier_until = c->over;
        w->released = w->released < c->over ? c->over : w->released;
    }
}
