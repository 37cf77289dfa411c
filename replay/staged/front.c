/* Blocks, fetch, issue (docs/accelsim.md, rules 2 to 5). */
#include <stdlib.h>
#include <string.h>

#include "replay/staged/staged.h"

static const struct scheduler_model *scheduler_of(const struct staged *g)
{
    return (const struct scheduler_model *)g->machine->scheduler.model;
}

static unsigned subcores(const struct staged_sm *sm) { return (unsigned)sm->chip->machine->subcores; }

static bool fail_memory(struct staged *g)
{
    g->failed = true;
    return rp_fail(g->err, RP_SYSTEM, "out of memory for the blocks of a launch");
}

struct inst *staged_inst(struct staged *g)
{
    struct inst *in = g->spare;
    if (in)
        g->spare = in->next;
    else if (!(in = calloc(1, sizeof *in)))
        return NULL;
    struct access *accesses = in->accesses;
    uint32_t room = in->access_room;
    *in = (struct inst){.accesses = accesses, .access_room = room};
    return in;
}

void staged_inst_free(struct staged *g, struct inst *in)
{
    in->next = g->spare;
    g->spare = in;
}

void staged_release(struct staged_warp *w, int32_t reg)
{
    w->pending -= w->is_pending[reg];
    w->is_pending[reg] = 0;
}

/* ---- blocks ------------------------------------------------------------------------------------------------------ */

/* Whether the warp's story goes on. */
static bool look_ahead(struct staged *g, struct staged_warp *w)
{
    while (w->cursor.run == w->cursor.run_end) {
        int more = rp_cursor_refill(&w->cursor, g->err);
        g->failed |= more < 0;
        if (more <= 0) {
            w->over = true;
            return more == 0;
        }
    }
    return true;
}

static void check_barrier(struct staged_sm *sm, struct staged_block *b)
{
    if (!b->at_barrier || b->at_barrier + b->done < b->warps)
        return;
    b->at_barrier = 0;
    for (unsigned i = 0; i < b->warps; i++)
        sm->warps[b->slot * sm->chip->warps_per_block + i].waits_at_barrier = false;
}

static void end_warp(struct staged_sm *sm, struct staged_warp *w, unsigned place)
{
    w->done = true;
    w->block->done++;
    scheduler_of(sm->chip)->end(sm->scheduler[place % subcores(sm)], place / subcores(sm));
    check_barrier(sm, w->block);
}

static bool begin_warp(struct staged_sm *sm, struct staged_block *b, unsigned number)
{
    struct staged *g = sm->chip;
    unsigned place = b->slot * g->warps_per_block + number;
    struct staged_warp *w = &sm->warps[place];
    *w = (struct staged_warp){.block = b,
                              .number = number,
                              .started = true,
                              .is_pending = w->is_pending,
                              .is_long = w->is_long,
                              .writes = w->writes};
    memset(w->is_pending, 0, g->registers);
    memset(w->is_long, 0, g->registers);
    memset(w->writes, 0, g->registers * sizeof *w->writes);
    if (!rp_cursor_open(&w->cursor, b->trace, number, g->err) || !look_ahead(g, w))
        return g->failed = true, false;
    scheduler_of(g)->start(sm->scheduler[place % subcores(sm)], place / subcores(sm));
    if (w->over)
        end_warp(sm, w, place);
    return true;
}

static bool place_block(struct staged_sm *sm)
{
    struct staged *g = sm->chip;
    struct staged_block *b = calloc(1, sizeof *b);
    if (!b)
        return fail_memory(g);
    while (sm->slots[b->slot])
        b->slot++;
    b->index = g->next_block++;
    b->trace = rp_block_open(g->trace, g->launch_number, b->index, g->err);
    if (!b->trace) {
        free(b);
        return g->failed = true, false;
    }
    sm->slots[b->slot] = b;
    b->warps = b->live = rp_block_warps(b->trace);
    sm->live_blocks++;
    sm->live_warps += b->warps;
    g->live_blocks++;
    g->statistics->blocks++;
    g->statistics->warps += b->warps;
    for (unsigned i = 0; i < b->warps; i++)
        if (!begin_warp(sm, b, i))
            return false;
    return true;
}

/* All SMs are visited once, beginning behind the one that got a block last. */
bool staged_place_blocks(struct staged *g)
{
    unsigned sms = (unsigned)g->machine->sms, from = g->next_sm;
    for (unsigned i = 0; i < sms && g->next_block < g->blocks; i++) {
        struct staged_sm *sm = &g->sms[(from + i) % sms];
        if (sm->live_blocks >= g->limit)
            continue;
        if (!place_block(sm))
            return false;
        g->next_sm = (sm->number + 1) % sms;
    }
    return true;
}

static void leave(struct staged_sm *sm, struct staged_block *b)
{
    for (unsigned i = 0; i < b->warps; i++) {
        struct staged_warp *w = &sm->warps[b->slot * sm->chip->warps_per_block + i];
        rp_cursor_close(&w->cursor);
        w->block = NULL;
    }
    rp_block_close(b->trace);
    sm->slots[b->slot] = NULL;
    sm->live_blocks--;
    sm->chip->live_blocks--;
    free(b);
}

static void retire(struct staged_sm *sm, struct staged_warp *w)
{
    w->retired = true;
    sm->live_warps--;
    if (!--w->block->live)
        leave(sm, w->block);
}

/* ---- fetch ------------------------------------------------------------------------------------------------------- */

static bool decode_one(struct staged_sm *sm, struct staged_warp *w, unsigned at)
{
    struct staged *g = sm->chip;
    struct rp_step step;
    if (w->over)
        return true;
    int more = rp_cursor_next(&w->cursor, &step, g->err);
    if (more <= 0)
        return g->failed = true, false;
    struct inst *in = staged_inst(g);
    if (!in)
        return fail_memory(g);
    in->s = &g->statics[step.index];
    in->warp = (uint32_t)(w - sm->warps);
    w->buffer[at] = in;
    w->buffered++;
    w->in_pipeline++;
    g->statistics->warp_instructions++;
    g->statistics->thread_instructions += (uint64_t)__builtin_popcount(step.executed);
    if (!staged_accesses(sm, w, &step, in))
        return fail_memory(g);
    return look_ahead(g, w) || (g->failed = true, false);
}

static void decode(struct staged_sm *sm)
{
    if (sm->fetched < 0)
        return;
    struct staged_warp *w = &sm->warps[sm->fetched];
    w->buffer_at = 0;
    for (unsigned i = 0; i < STAGED_BUFFER; i++)
        if (!decode_one(sm, w, i))
            break;
    sm->fetched = -1;
}

static void fetch(struct staged_sm *sm)
{
    unsigned places = (unsigned)sm->chip->machine->warps;
    if (sm->fetched >= 0)
        return;
    for (unsigned i = 0; i < places; i++) {
        unsigned place = (sm->last_fetched + 1 + i) % places;
        struct staged_warp *w = &sm->warps[place];
        if (!w->block || w->retired)
            continue;
        if (w->done) {
            if (!w->in_pipeline && !w->stores && !w->pending)
                retire(sm, w);
        } else if (!w->buffered) {
            sm->last_fetched = place;
            sm->fetched = (int)place;
            return;
        }
    }
}

void staged_fetch(struct staged_sm *sm)
{
    for (int64_t n = 0; n < sm->chip->o[STAGED_FETCHES]; n++) {
        decode(sm);
        fetch(sm);
        if (sm->fetched < 0)
            return; /* nor would the next time */
    }
}

/* ---- issue ------------------------------------------------------------------------------------------------------- */

/* A fence waits until no register of its warp is pending; then L1 is empty. */
static bool waits_at_fence(struct staged_sm *sm, struct staged_warp *w)
{
    if (!w->waits_at_fence || w->pending)
        return w->waits_at_fence;
    w->waits_at_fence = false;
    sector_cache_clear(sm->l1, sm->l1_ways);
    return false;
}

static bool waits(struct staged_sm *sm, struct staged_warp *w)
{
    return !w->block || w->done || w->waits_at_barrier || w->atomics || waits_at_fence(sm, w);
}

static struct inst *next_of(const struct staged_warp *w) { return w->buffered ? w->buffer[w->buffer_at] : NULL; }

static bool is_ready(struct staged_sm *sm, struct staged_warp *w)
{
    const struct inst *in = waits(sm, w) ? NULL : next_of(w);
    if (!in || (in->s->dst >= 0 && w->is_pending[in->s->dst]))
        return false;
    for (unsigned i = 0; i < in->s->src_count; i++)
        if (w->is_pending[in->s->src[i]])
            return false;
    return !sm->issued[in->s->unit][in->warp % subcores(sm)];
}

static bool waits_long(const struct staged_warp *w)
{
    const struct inst *in = next_of(w);
    for (unsigned i = 0; in && i < in->s->src_count; i++)
        if (w->is_long[in->s->src[i]])
            return true;
    return false;
}

static uint32_t atomic_lanes(const struct inst *in)
{
    uint32_t lanes = 0;
    if (in->shared)
        return in->any_lane ? in->lanes : 0;
    for (uint32_t i = 0; i < in->access_count; i++)
        lanes += in->accesses[i].lanes;
    return lanes;
}

static void issue(struct staged_sm *sm, struct staged_warp *w, unsigned place)
{
    struct staged *g = sm->chip;
    struct inst *in = next_of(w);
    w->buffer_at++;
    w->buffered--;
    in->age = g->age++;
    sm->issued[in->s->unit][place % subcores(sm)] = in;
    if (in->s->dst >= 0) {
        w->is_pending[in->s->dst] = 1;
        w->pending++;
        if (in->s->is_memory && in->load && !in->shared)
            w->is_long[in->s->dst] = 1;
    }
    if (in->atomic && in->s->is_memory)
        w->atomics += atomic_lanes(in);
    w->waits_at_fence = in->s->is_fence && in->any_lane;
    if (in->s->is_barrier && in->any_lane) {
        w->waits_at_barrier = true;
        w->block->at_barrier++;
        scheduler_of(g)->wait(sm->scheduler[place % subcores(sm)], place / subcores(sm));
    }
    if (w->over && !w->buffered)
        end_warp(sm, w, place);
    else if (w->waits_at_barrier)
        check_barrier(sm, w->block);
}

static void run_scheduler(struct staged_sm *sm, unsigned s)
{
    const struct scheduler_model *m = scheduler_of(sm->chip);
    unsigned count = (unsigned)sm->chip->machine->warps / subcores(sm);
    uint64_t ready = 0, waiting = 0;
    for (unsigned slot = 0; slot < count; slot++) {
        struct staged_warp *w = &sm->warps[slot * subcores(sm) + s];
        if (m->observe && (waits(sm, w) || waits_long(w)))
            waiting |= 1ull << slot;
        if (is_ready(sm, w))
            ready |= 1ull << slot;
    }
    if (m->observe)
        m->observe(sm->scheduler[s], waiting);
    int slot = ready ? m->pick(sm->scheduler[s], ready) : -1;
    sm->chip->statistics->issue_cycles += slot >= 0;
    if (slot < 0)
        return;
    unsigned place = (unsigned)slot * subcores(sm) + s;
    issue(sm, &sm->warps[place], place);
}

void staged_front(struct staged_sm *sm)
{
    unsigned all = subcores(sm);
    for (unsigned i = 0; i < all; i++)
        run_scheduler(sm, (sm->first_scheduler + i) % all);
    sm->first_scheduler = (sm->first_scheduler + 1) % all;
}
