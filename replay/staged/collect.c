/* Operand collectors, units, and the write-back of units (docs/accelsim.md, rules 6 and 7). */
#include "replay/staged/staged.h"

static unsigned subcores(const struct staged_sm *sm) { return (unsigned)sm->chip->machine->subcores; }
static unsigned subcore_of(const struct staged_sm *sm, const struct inst *in) { return in->warp % subcores(sm); }

unsigned staged_bank(const struct staged_sm *sm, const struct inst *in, int32_t reg)
{
    unsigned banks = (unsigned)sm->chip->o[STAGED_REGISTER_BANKS];
    return subcore_of(sm, in) * banks + ((uint32_t)reg + in->warp) % banks;
}

/* ---- write-back -------------------------------------------------------------------------------------------------- */

void staged_write_back(struct staged_sm *sm)
{
    struct inst *in = sm->ends[sm->cycle % STAGED_RING];
    sm->ends[sm->cycle % STAGED_RING] = NULL;
    sm->ends_last[sm->cycle % STAGED_RING] = NULL;
    for (struct inst *next; in; in = next) {
        struct staged_warp *w = &sm->warps[in->warp];
        next = in->next;
        if (in->s->dst >= 0) {
            sm->banks[staged_bank(sm, in, in->s->dst)].written = true;
            staged_release(w, in->s->dst);
            w->is_long[in->s->dst] = 0;
        }
        w->in_pipeline--;
        staged_inst_free(sm->chip, in);
    }
}

/* The result is written back `after` cycles from now. */
static void plan_end(struct staged_sm *sm, struct inst *in, uint64_t after)
{
    unsigned at = (unsigned)((sm->cycle + after) % STAGED_RING);
    in->next = NULL;
    *(sm->ends_last[at] ? sm->ends_last[at] : &sm->ends[at]) = in;
    sm->ends_last[at] = &in->next;
}

/* ---- units ------------------------------------------------------------------------------------------------------- */

static bool is_set(const struct unit *u, uint64_t cycle)
{
    return u->occupied[cycle % STAGED_RING / 64] >> (cycle % 64) & 1;
}

static void unit_cycle(struct staged_sm *sm, struct unit *u)
{
    struct inst *in = u->dispatch;
    u->occupied[sm->cycle % STAGED_RING / 64] &= ~(1ull << (sm->cycle % 64)); /* that time is over */
    if (!in)
        return;
    in->delay -= in->delay != 0;
    if (in->delay)
        return;
    /* into stage latency - initiation, at stage 0 that many cycles later, then a cycle to the latch, and one back */
    plan_end(sm, in, (uint64_t)(in->s->latency - in->s->initiation) + 2);
    u->dispatch = NULL;
}

static void unit_accept(struct staged_sm *sm, struct unit *u, struct inst **latch)
{
    struct inst *in = *latch;
    if (!in || u->dispatch)
        return;
    uint64_t end = sm->cycle + in->s->latency;
    uint8_t *bus = &sm->buses[end % STAGED_RING];
    if (is_set(u, end) || *bus >= sm->chip->o[STAGED_RESULT_BUSES])
        return;
    ++*bus;
    u->occupied[end % STAGED_RING / 64] |= 1ull << (end % 64);
    in->delay = in->s->initiation;
    u->dispatch = in;
    *latch = NULL;
}

static unsigned memory_unit(const struct staged_sm *sm) { return sm->chip->machine->spaces[RP_SPACE_GLOBAL].unit; }

/* The load/store unit takes the oldest of all sub-cores. */
static void lsu_accept(struct staged_sm *sm)
{
    struct inst **oldest = NULL;
    for (unsigned s = 0; s < subcores(sm); s++) {
        struct inst **latch = &sm->collected[memory_unit(sm)][s];
        if (*latch && (!oldest || (*latch)->age < (*oldest)->age))
            oldest = latch;
    }
    if (!oldest || sm->dispatch)
        return;
    struct inst *in = *oldest;
    struct staged_warp *w = &sm->warps[in->warp];
    if (in->load && !in->shared && in->s->dst >= 0)
        w->writes[in->s->dst] = (uint16_t)(w->writes[in->s->dst] + in->access_count);
    in->delay = in->conflict;
    sm->dispatch = in;
    *oldest = NULL;
}

void staged_execute(struct staged_sm *sm)
{
    sm->buses[(sm->cycle + STAGED_RING - 1) % STAGED_RING] = 0;
    for (unsigned u = 0; u < sm->chip->machine->unit_count; u++)
        for (unsigned s = 0; s < subcores(sm) && u != memory_unit(sm); s++) {
            unit_cycle(sm, &sm->units[u][s]);
            unit_accept(sm, &sm->units[u][s], &sm->collected[u][s]);
        }
    staged_lsu_cycle(sm);
    lsu_accept(sm);
}

/* ---- operand collectors -------------------------------------------------------------------------------------------
 */

static unsigned per_subcore(const struct staged_sm *sm) { return (unsigned)sm->chip->o[STAGED_COLLECTORS]; }

static bool is_ready(struct staged_sm *sm, unsigned c)
{
    const struct collector *k = &sm->collectors[c];
    return k->inst && !k->unread && !sm->collected[k->inst->s->unit][c / per_subcore(sm)];
}

/* As many dispatchers as collectors, each with a place of its own to begin at: behind the sub-core that it served. */
/* The first ready one from `from` on, going round; UINT32_MAX: none. */
static unsigned find_ready(struct staged_sm *sm, unsigned from, unsigned all)
{
    for (unsigned n = 0; n < all; n++)
        if (is_ready(sm, (from + n) % all))
            return (from + n) % all;
    return UINT32_MAX;
}

static void dispatch_collectors(struct staged_sm *sm)
{
    unsigned each = per_subcore(sm), all = each * subcores(sm);
    for (unsigned d = 0; d < all; d++) {
        unsigned last = sm->last_dispatched[d], c = find_ready(sm, last + each - last % each, all);
        if (c == UINT32_MAX)
            return; /* nor will the others find one */
        struct collector *k = &sm->collectors[c];
        sm->collected[k->inst->s->unit][c / each] = k->inst;
        k->inst = NULL;
        sm->last_dispatched[d] = c;
    }
}

#define QUEUE (STAGED_MOST_COLLECTORS * STAGED_SOURCES)

static void read_banks(struct staged_sm *sm)
{
    unsigned banks = (unsigned)sm->chip->o[STAGED_REGISTER_BANKS] * subcores(sm);
    for (unsigned b = 0; b < banks; b++) {
        struct bank *k = &sm->banks[b];
        if (k->count && !k->written) {
            sm->collectors[k->queue[k->head]].unread--;
            k->head = (k->head + 1) % QUEUE;
            k->count--;
        }
    }
}

static void collect(struct staged_sm *sm, unsigned c, struct inst *in)
{
    struct collector *k = &sm->collectors[c];
    *k = (struct collector){in, in->s->src_count};
    for (unsigned i = 0; i < in->s->src_count; i++) {
        struct bank *b = &sm->banks[staged_bank(sm, in, in->s->src[i])];
        b->queue[(b->head + b->count++) % QUEUE] = (uint8_t)c;
    }
}

/* The oldest of a kind, in the latches of all sub-cores, into a collector of its sub-core. Where that has none free,
 * the kind is stuck for all. */
static bool allocate_kind(struct staged_sm *sm, unsigned unit)
{
    unsigned each = per_subcore(sm), oldest = UINT32_MAX;
    for (unsigned s = 0; s < subcores(sm); s++)
        if (sm->issued[unit][s] && (oldest == UINT32_MAX || sm->issued[unit][s]->age < sm->issued[unit][oldest]->age))
            oldest = s;
    if (oldest == UINT32_MAX)
        return false;
    for (unsigned c = oldest * each; c < (oldest + 1) * each; c++)
        if (!sm->collectors[c].inst) {
            collect(sm, c, sm->issued[unit][oldest]);
            sm->issued[unit][oldest] = NULL;
            return true;
        }
    return false;
}

/* As many ports as collectors, each of which goes over all kinds. */
static void allocate_collectors(struct staged_sm *sm)
{
    unsigned ports = per_subcore(sm) * subcores(sm);
    bool any = true;
    for (unsigned p = 0; p < ports && any; p++) {
        any = false;
        for (unsigned u = 0; u < sm->chip->machine->unit_count; u++)
            any |= allocate_kind(sm, u);
    }
}

void staged_read_operands(struct staged_sm *sm)
{
    unsigned banks = (unsigned)sm->chip->o[STAGED_REGISTER_BANKS] * subcores(sm);
    for (int64_t step = 0; step < sm->chip->o[STAGED_REGISTER_STEPS]; step++) {
        dispatch_collectors(sm);
        read_banks(sm);
        allocate_collectors(sm);
        for (unsigned b = 0; b < banks; b++)
            sm->banks[b].written = false;
    }
}
