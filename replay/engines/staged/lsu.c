/* The load/store unit and L1 (docs/accelsim.md, rule 8). */
#include "replay/engines/staged/staged.h"

static struct staged_warp *warp_of(struct staged_sm *sm, uint32_t warp) { return &sm->warps[warp]; }

/* A sector that the register waits for has arrived. */
static void sector_done(struct staged_sm *sm, uint32_t warp, int32_t dst, enum response_level level)
{
    struct staged_warp *w = warp_of(sm, warp);
    if (dst >= 0)
        staged_data_arrived(sm, w, dst, level);
    if (dst >= 0 && w->writes[dst] && !--w->writes[dst])
        staged_release(sm, w, dst);
}

/* ---- results ----------------------------------------------------------------------------------------------------- */

static void write_result(struct staged_sm *sm)
{
    if (!sm->result.full)
        return;
    sm->changed = true;
    if (sm->result.dst >= 0) {
        struct staged_warp *w = warp_of(sm, sm->result.warp);
        if (!staged_write_bank(sm, w, sm->result.dst))
            return;
        if (sm->result.shared)
            staged_release(sm, w, sm->result.dst);
        else
            sector_done(sm, sm->result.warp, sm->result.dst, sm->result.level);
    }
    sm->result.full = false;
}

static void set_result(struct staged_sm *sm, uint32_t warp, int32_t dst, bool shared, enum response_level level)
{
    sm->result.full = true;
    sm->result.shared = shared;
    sm->result.warp = warp;
    sm->result.dst = dst;
    sm->result.level = level;
}

static struct packet *ready_in_l1(struct staged_sm *sm) { return sm->l1 ? sm->chip->l1->ready(sm->l1) : NULL; }

enum { CLIENT_SHARED, CLIENT_TEXTURE, CLIENT_CONSTANT, CLIENT_BYPASS, CLIENT_L1, CLIENTS };

static bool serve(struct staged_sm *sm, unsigned client)
{
    struct inst *in = client == CLIENT_SHARED ? stages_top(&sm->shared_pipe, sm->cycle) : NULL;
    if (in) {
        struct staged_warp *w = warp_of(sm, in->warp);
        set_result(sm, in->warp, in->s->dst, true, RESPONSE_NONE);
        if (in->atomic) {
            w->atomics -= in->lanes;
            staged_look(sm, w);
        }
        w->in_pipeline--;
        if (in->s->dst < 0 && sm->chip->reports_done)
            staged_report_done(sm, w, &in->observed);
        staged_may_leave(sm, w);
        staged_inst_free(sm->chip, in);
        stages_pop(&sm->shared_pipe);
        return true;
    }
    struct packet *p = NULL;
    if (client == CLIENT_BYPASS && (p = sm->bypassed)) {
        if (p->kind == PACKET_ATOMIC) {
            warp_of(sm, p->warp)->atomics -= p->lanes;
            staged_data_arrived(sm, warp_of(sm, p->warp), -1, p->level);
            staged_look(sm, warp_of(sm, p->warp));
        }
        sm->bypassed = NULL;
    } else if (client == CLIENT_L1)
        p = ready_in_l1(sm);
    if (!p)
        return false;
    if (client == CLIENT_L1 && p->level)
        sm->filled = p->level; /* the request that was sent to L2; requests that were merged with it follow */
    set_result(sm, p->warp, p->dst, false, client == CLIENT_L1 ? sm->filled : p->level);
    staged_packet_free(sm->chip, p);
    return true;
}

static void write_back(struct staged_sm *sm)
{
    write_result(sm);
    if (sm->result.full)
        return;
    for (unsigned c = 0; c < CLIENTS; c++) {
        unsigned client = (sm->next_client + c) % CLIENTS;
        if (!serve(sm, client))
            continue;
        sm->next_client = (client + 1) % CLIENTS;
        sm->changed = true;
        return;
    }
}

/* ---- replies ----------------------------------------------------------------------------------------------------- */

static uint32_t l1_set(const struct staged_sm *sm, uint64_t address)
{
    return (uint32_t)(address >> 7) % (uint32_t)sm->chip->layout.l1.shape.sets;
}

static void fill_l1(struct staged_sm *sm, const struct packet *p)
{
    sm->chip->l1->fill(sm->l1, p->address >> 7, (unsigned)(p->address >> 5 & 3), false);
}

/* Drops a reply to an SM whose warps have all ended: a load without a destination asked for it. */
static void drop_reply(struct staged_sm *sm)
{
    struct packet *p = fifo_pop(&sm->replies);
    if (p && p->bypass)
        staged_packet_free(sm->chip, p);
    else if (p)
        fill_l1(sm, p);
    while (p && (p = ready_in_l1(sm)))
        staged_packet_free(sm->chip, p);
}

/* Moves replies from the crossbar into the SM. */
void staged_lsu_receive(struct staged_sm *sm)
{
    struct staged *g = sm->chip;
    if (!sm->live_warps && sm->replies.count) {
        drop_reply(sm);
        staged_mark_busy(g);
    }
    if (sm->ejected.count && sm->replies.count < (uint64_t)g->o[STAGED_REPLIES]) {
        staged_push(g, &sm->replies, fifo_pop(&sm->ejected));
        sm->wake = 0;
        staged_mark_busy(g);
    }
    struct fifo *from = &g->replies.out[sm->number];
    if (from->count && sm->ejected.count < (uint64_t)g->o[STAGED_EJECTION]) {
        staged_push(g, &sm->ejected, fifo_pop(from));
        staged_mark_busy(g);
    }
}

static void take_reply(struct staged_sm *sm)
{
    struct packet *p = fifo_top(&sm->replies);
    if (!p || (p->kind != PACKET_WRITE && p->bypass && sm->bypassed))
        return;
    fifo_pop(&sm->replies);
    sm->changed = true;
    if (p->kind == PACKET_WRITE) {
        struct staged_warp *w = warp_of(sm, p->warp);
        w->stores--;
        if (w->waits_at_fence)
            staged_look(sm, w);
        staged_may_leave(sm, w);
        staged_packet_free(sm->chip, p);
    } else if (p->bypass)
        sm->bypassed = p;
    else
        fill_l1(sm, p);
}

/* ---- L1 ---------------------------------------------------------------------------------------------------------- */

static void send_miss(struct staged_sm *sm)
{
    struct staged *g = sm->chip;
    if (!sm->misses.count || !staged_crossbar_room(g, &g->requests, sm->number))
        return;
    staged_crossbar_send(g, &g->requests, sm->number, fifo_pop(&sm->misses));
    sm->changed = true;
}

void staged_empty_l1(struct staged_sm *sm)
{
    if (sm->l1)
        sm->chip->l1->clear(sm->l1, sm->l1_ways);
}

/* Reports a look-up in L1 to the scheduler: `p` missed or wrote a sector, and `victim` is the line that it replaced. */
static void report_to_scheduler(struct staged_sm *sm, const struct packet *p, const struct sector_victim *victim)
{
    const struct scheduler_feedback *f = staged_scheduler(sm->chip)->feedback;
    if (!f)
        return;
    const struct staged_warp *w = warp_of(sm, p->warp);
    sm->chip->l1->own(sm->l1, p->address >> 7, p->warp + 1);
    if (victim->replaced && victim->owner) {
        const struct staged_warp *loser = warp_of(sm, victim->owner - 1);
        f->replaced(sm->scheduler[loser->subcore], loser->slot, victim->line);
    }
    if (p->kind == PACKET_READ)
        f->missed(sm->scheduler[w->subcore], w->slot, p->address >> 7, sm->cycle);
}

/* False: refused. */
static bool look_up(struct staged_sm *sm, struct packet *p)
{
    struct staged *g = sm->chip;
    struct sector_victim victim;
    sm->l1_used = true;
    uint64_t line = p->address >> 7, queue = g->l1_misses;
    unsigned sector = (unsigned)(p->address >> 5 & 3);
    enum sector_find found;
    if (p->kind == PACKET_WRITE) {
        found = g->l1->write(sm->l1, line, l1_set(sm, p->address), sector, p->bytes, g->cycle, sm->misses.count < queue,
                             &victim);
        if (found != SECTOR_REFUSED)
            staged_push(g, &sm->misses, p);
    } else {
        found = g->l1->read(sm->l1, line, l1_set(sm, p->address), sector, g->cycle, sm->misses.count + 1 < queue, false,
                            p, &victim);
        if (found == SECTOR_MISS)
            staged_push(g, &sm->misses, p);
        if (found == SECTOR_HIT) {
            sector_done(sm, p->warp, p->dst, RESPONSE_L1);
            staged_packet_free(g, p);
        }
    }
    if (found == SECTOR_MISS || found == SECTOR_MERGED)
        report_to_scheduler(sm, p, &victim);
    g->statistics->memory.l1.hits += found == SECTOR_HIT || found == SECTOR_MERGED;
    g->statistics->memory.l1.misses += found == SECTOR_MISS;
    g->statistics->memory.l1.fetches += found == SECTOR_MISS && p->kind != PACKET_WRITE;
    if (p->kind == PACKET_READ && (found == SECTOR_HIT || found == SECTOR_MERGED))
        staged_report_access(g, p, CACHE_READ, RESPONSE_L1);
    return found != SECTOR_REFUSED;
}

static void l1_cycle(struct staged_sm *sm)
{
    const struct staged *g = sm->chip;
    for (uint64_t b = 0; b < g->layout.l1.shape.banks; b++) {
        struct packet *p = stages_top(&sm->l1_queue[b], sm->cycle);
        struct refusal *r = &sm->refusal[b], here = {g->l1->changes(sm->l1), sm->misses.count, p};
        if (!p || (g->skips && r->p == p && r->changes == here.changes && r->misses == here.misses))
            continue;
        if (!look_up(sm, p)) {
            *r = here;
            continue;
        }
        r->p = NULL;
        stages_pop(&sm->l1_queue[b]);
        sm->in_l1--;
        sm->changed = true;
    }
}

/* ---- the current instruction ------------------------------------------------------------------------------------- */

static struct packet *packet_of(struct staged_sm *sm, const struct inst *in)
{
    const struct access *a = &in->accesses[in->access_count - 1];
    struct packet *p = staged_packet(sm->chip);
    p->address = a->address;
    p->bytes = a->bytes;
    p->lanes = a->lanes;
    p->warp = in->warp;
    p->dst = a->store ? -1 : in->s->dst;
    p->sm = (uint16_t)sm->number;
    p->slice = (uint16_t)staged_slice_of(sm->chip, a->address);
    p->kind = in->atomic ? PACKET_ATOMIC : a->store ? PACKET_WRITE : PACKET_READ;
    p->bypass = in->bypass;
    return p;
}

static void bypass_l1(struct staged_sm *sm, struct inst *in)
{
    struct staged *g = sm->chip;
    if (!staged_crossbar_room(g, &g->requests, sm->number))
        return;
    staged_crossbar_send(g, &g->requests, sm->number, packet_of(sm, in));
    sm->changed = true;
    warp_of(sm, in->warp)->stores += in->accesses[--in->access_count].store;
}

/* The next accesses enter L1, at most as many as it has banks, until the bank of one is full. */
static void enter_l1(struct staged_sm *sm, struct inst *in)
{
    uint64_t banks = sm->chip->layout.l1.shape.banks;
    for (uint64_t n = 0; n < banks && in->access_count; n++) {
        uint64_t address = in->accesses[in->access_count - 1].address;
        struct stages *queue = &sm->l1_queue[(address >> 5) % banks];
        if (stages_full(queue, sm->cycle))
            return;
        stages_push(queue, packet_of(sm, in), sm->cycle);
        sm->in_l1++;
        sm->changed = true;
        warp_of(sm, in->warp)->stores += in->accesses[--in->access_count].store;
    }
}

static bool is_served(struct staged_sm *sm, struct inst *in)
{
    if (!in->any_lane)
        return true;
    if (in->shared)
        return sm->cycle >= in->until;
    if (in->access_count) {
        if (in->bypass)
            bypass_l1(sm, in);
        else
            enter_l1(sm, in);
    }
    return !in->access_count;
}

static void work(struct staged_sm *sm)
{
    struct inst *in = sm->dispatch;
    if (!in || !is_served(sm, in))
        return;
    if (in->load && in->shared) {
        if (stages_full(&sm->shared_pipe, sm->cycle))
            return;
        stages_push(&sm->shared_pipe, in, sm->cycle);
        sm->changed = true;
        sm->dispatch = NULL;
        return;
    }
    struct staged_warp *w = warp_of(sm, in->warp);
    /* A load without lanes; or a store that writes a register, the address that it counts on, as guests' have. */
    if (in->s->dst >= 0 && !w->writes[in->s->dst]) {
        staged_data_arrived(sm, w, in->s->dst, RESPONSE_NONE);
        staged_release(sm, w, in->s->dst);
        w->is_long[in->s->dst] = 0;
    }
    w->in_pipeline--;
    if (in->s->dst < 0 && sm->chip->reports_done)
        staged_report_done(sm, w, &in->observed);
    w->unsent -= in->store && !in->shared;
    if (w->waits_at_fence)
        staged_look(sm, w);
    staged_may_leave(sm, w);
    sm->dispatch = NULL;
    staged_inst_free(sm->chip, in);
}

static bool is_idle(const struct staged_sm *sm)
{
    return !(sm->result.full || sm->bypassed || sm->dispatch) &&
           !(sm->shared_pipe.count | sm->replies.count | sm->misses.count | sm->in_l1) &&
           !(sm->l1 && sm->chip->l1->has_ready(sm->l1));
}

void staged_lsu_cycle(struct staged_sm *sm)
{
    if (is_idle(sm))
        return;
    write_back(sm);
    take_reply(sm);
    send_miss(sm);
    if (sm->in_l1)
        l1_cycle(sm);
    work(sm);
}

static uint64_t next_out(const struct staged_sm *sm, const struct stages *p)
{
    return p->count && p->entry[p->head].out > sm->cycle ? p->entry[p->head].out : UINT64_MAX;
}

uint64_t staged_lsu_next(const struct staged_sm *sm)
{
    uint64_t next = next_out(sm, &sm->shared_pipe);
    if (sm->dispatch && sm->dispatch->until > sm->cycle && sm->dispatch->until < next)
        next = sm->dispatch->until;
    for (uint64_t b = 0; sm->in_l1 && b < sm->chip->layout.l1.shape.banks; b++) {
        uint64_t out = next_out(sm, &sm->l1_queue[b]);
        next = out < next ? out : next;
    }
    return next;
}
