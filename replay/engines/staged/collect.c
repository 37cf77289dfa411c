/* Operand collectors, units, and the write-back of units (docs/accelsim.md, rules 6 and 7). */
#include "replay/engines/staged/staged.h"

/* The bank of a register of the warp, from its bank in warp 0. */
static unsigned bank_of(const struct staged_sm *sm, const struct staged_warp *w, unsigned of_warp_0)
{
    unsigned banks = (unsigned)sm->chip->o[STAGED_REGISTER_BANKS], bank = of_warp_0 + w->bank;
    return w->subcore * banks + (bank < banks ? bank : bank - banks);
}

bool staged_write_bank(struct staged_sm *sm, const struct staged_warp *w, int32_t reg)
{
    unsigned banks = (unsigned)sm->chip->o[STAGED_REGISTER_BANKS];
    if (!banks || (uint32_t)reg >= sm->chip->general)
        return true;
    unsigned bank = bank_of(sm, w, (uint32_t)reg % banks);
    if (in_set(sm->written, bank))
        return false;
    set_add(sm->written, bank);
    return true;
}

/* ---- write-back -------------------------------------------------------------------------------------------------- */

static void end_instruction(struct staged_sm *sm, struct inst *in)
{
    struct staged_warp *w = &sm->warps[in->warp];
    if (in->s->dst >= 0) {
        staged_write_bank(sm, w, in->s->dst); /* any number of results may go to the same bank */
        staged_release(sm, w, in->s->dst);
        w->is_long[in->s->dst] = 0;
    }
    sm->buses[in->until & sm->chip->ring_mask]--;
    set_remove(sm->units[in->s->unit][in->subcore].occupied, (unsigned)(in->until & sm->chip->ring_mask));
    w->in_pipeline--;
    if (in->s->dst < 0 && sm->chip->reports_done)
        staged_report_done(sm, w, &in->observed);
    staged_may_leave(sm, w);
    staged_inst_free(sm->chip, in);
}

void staged_write_back(struct staged_sm *sm)
{
    unsigned now = (unsigned)(sm->cycle & sm->chip->ring_mask);
    struct inst *in = sm->ends[now];
    if (!in)
        return;
    sm->ends[now] = NULL;
    set_remove(sm->any_end, now);
    for (struct inst *next; in; in = next) {
        next = in->next;
        end_instruction(sm, in);
    }
}

/* ---- units ------------------------------------------------------------------------------------------------------- */

/* The instruction occupies the unit for its initiation. Its result leaves the last stage at `until`, if no other result
 * does and a bus is free. One cycle later it is in the latch, and then it is written back. */
static bool unit_accept(struct staged_sm *sm, struct unit *u, struct inst *in)
{
    if (sm->cycle < u->free)
        return false;
    unsigned end = (unsigned)((sm->cycle + in->s->latency) & sm->chip->ring_mask);
    int64_t buses = sm->chip->o[STAGED_RESULT_BUSES];
    if (buses && (in_set(u->occupied, end) || sm->buses[end] >= buses)) {
        u->free = sm->cycle + 1;
        u->refused = sm->cycle;
        return false;
    }
    sm->buses[end]++;
    set_add(u->occupied, end);
    in->until = sm->cycle + in->s->latency;
    if (sm->chip->reports_done)
        staged_report_dispatch(sm, in);
    sm->chip->statistics->unit_busy[in->s->unit] += in->s->initiation;
    u->free = sm->cycle + (in->s->initiation ? in->s->initiation : 1);
    unsigned back = (unsigned)((in->until + 2 + !in->s->initiation) & sm->chip->ring_mask);
    in->next = sm->ends[back];
    sm->ends[back] = in;
    set_add(sm->any_end, back);
    return true;
}

static void leave_latch(struct staged_sm *sm, unsigned unit, unsigned subcore)
{
    sm->collected[unit][subcore] = NULL;
    if (!(sm->is_collected[unit] &= ~(1u << subcore)))
        sm->units_collected &= ~(1u << unit);
    sm->changed = true;
}

static unsigned memory_unit(const struct staged_sm *sm) { return sm->chip->machine->spaces[RP_SPACE_GLOBAL].unit; }

/* The load/store unit takes the oldest instruction of all sub-cores. */
static void lsu_accept(struct staged_sm *sm)
{
    unsigned unit = memory_unit(sm);
    struct inst *in = NULL;
    if (sm->dispatch)
        return;
    for (uint32_t left = sm->is_collected[unit]; left; left &= left - 1) {
        struct inst *other = sm->collected[unit][__builtin_ctz(left)];
        in = !in || other->age < in->age ? other : in;
    }
    if (!in)
        return;
    struct staged_warp *w = &sm->warps[in->warp];
    if (in->load && !in->shared && in->s->dst >= 0)
        w->writes[in->s->dst] = (uint16_t)(w->writes[in->s->dst] + in->loads);
    sm->chip->statistics->unit_busy[unit] += in->s->initiation;
    in->until = sm->cycle + in->conflict;
    if (sm->chip->reports_done)
        staged_report_dispatch(sm, in);
    sm->dispatch = in;
    leave_latch(sm, unit, in->subcore);
}

void staged_execute(struct staged_sm *sm)
{
    for (uint32_t units = sm->units_collected & ~(1u << memory_unit(sm)); units; units &= units - 1) {
        unsigned u = (unsigned)__builtin_ctz(units);
        for (uint32_t left = sm->is_collected[u]; left; left &= left - 1) {
            unsigned s = (unsigned)__builtin_ctz(left);
            if (unit_accept(sm, &sm->units[u][s], sm->collected[u][s]))
                leave_latch(sm, u, s);
        }
    }
    staged_lsu_cycle(sm);
    lsu_accept(sm);
}

/* The cycle of the first write-back after this cycle. */
static uint64_t next_end(const struct staged_sm *sm)
{
    unsigned now = (unsigned)(sm->cycle & sm->chip->ring_mask);
    unsigned words = (sm->chip->ring_mask + 1) / 64;
    for (unsigned i = 0; i <= words; i++) {
        unsigned word = (now / 64 + i) & (words - 1);
        uint64_t bits = sm->any_end[word];
        if (i == 0)
            bits &= ~0ull << (now % 64);
        if (bits)
            return sm->cycle + ((word * 64 + (unsigned)__builtin_ctzll(bits) - now) & sm->chip->ring_mask);
    }
    return UINT64_MAX;
}

uint64_t staged_units_next(const struct staged_sm *sm)
{
    uint64_t next = next_end(sm);
    for (uint32_t units = sm->units_collected & ~(1u << memory_unit(sm)); units; units &= units - 1) {
        unsigned u = (unsigned)__builtin_ctz(units);
        for (uint32_t left = sm->is_collected[u]; left; left &= left - 1) {
            uint64_t free = sm->units[u][__builtin_ctz(left)].free;
            next = free < next ? free : next;
        }
    }
    return next;
}

/* ---- operand collectors -------------------------------------------------------------------------------------------
 */

static unsigned per_subcore(const struct staged_sm *sm) { return (unsigned)sm->chip->o[STAGED_COLLECTORS]; }

static uint64_t collectors_of(const struct staged_sm *sm, unsigned subcore)
{
    unsigned each = per_subcore(sm);
    return (each == 64 ? ~0ull : (1ull << each) - 1) << subcore * each;
}

bool staged_reads(const struct staged_sm *sm, unsigned subcore)
{
    uint64_t all = collectors_of(sm, subcore);
    return !(all & ~sm->taken) && all & ~sm->ready;
}

/* Collectors that have read all operands and whose latch is free. */
static uint64_t may_leave(const struct staged_sm *sm)
{
    uint64_t may = sm->ready;
    for (uint32_t units = may ? sm->units_collected : 0; units; units &= units - 1) {
        unsigned u = (unsigned)__builtin_ctz(units);
        for (uint32_t left = may & sm->for_unit[u] ? sm->is_collected[u] : 0; left; left &= left - 1)
            may &= ~(sm->for_unit[u] & collectors_of(sm, (unsigned)__builtin_ctz(left)));
    }
    return may;
}

static void into_unit_latch(struct staged_sm *sm, struct inst *in)
{
    unsigned unit = in->s->unit;
    sm->collected[unit][in->subcore] = in;
    sm->is_collected[unit] |= 1u << in->subcore;
    sm->units_collected |= 1u << unit;
    sm->changed = true;
}

/* The collector with the oldest instruction. */
static unsigned oldest_of(const struct staged_sm *sm, uint64_t collectors)
{
    unsigned best = (unsigned)__builtin_ctzll(collectors);
    for (uint64_t left = collectors; left; left &= left - 1) {
        unsigned c = (unsigned)__builtin_ctzll(left);
        best = sm->collectors[c].inst->age < sm->collectors[best].inst->age ? c : best;
    }
    return best;
}

/* There are as many dispatchers as collectors. Each begins its search behind the sub-core that it served last. */
static void dispatch_collectors(struct staged_sm *sm)
{
    unsigned each = per_subcore(sm), all = each * sm->subcores;
    uint64_t may = may_leave(sm);
    for (unsigned d = 0; may && d < all; d++) {
        unsigned last = sm->last_dispatched[d], from = last + each - last % each;
        unsigned c = sm->chip->o[STAGED_LOWEST_COLLECTOR] ? set_round(may, from < all ? from : 0) : oldest_of(sm, may);
        struct inst *in = sm->collectors[c].inst;
        unsigned u = in->s->unit, s = in->subcore;
        sm->collectors[c].inst = NULL;
        into_unit_latch(sm, in);
        sm->last_dispatched[d] = c;
        may &= ~(sm->for_unit[u] & collectors_of(sm, s));
        sm->for_unit[u] &= ~(1ull << c);
        sm->taken &= ~(1ull << c);
        sm->ready &= ~(1ull << c);
    }
}

/* Entries in the queue of a bank: one for each operand of the collectors of its sub-core. */
static unsigned queue_room(const struct staged_sm *sm) { return per_subcore(sm) * STAGED_SOURCES; }

static void read_bank(struct staged_sm *sm, unsigned bank)
{
    struct bank *b = &sm->banks[bank];
    unsigned c = b->queue[b->head];
    if (!--sm->collectors[c].unread)
        sm->ready |= 1ull << c;
    b->head = b->head + 1u < queue_room(sm) ? b->head + 1 : 0;
    if (!--b->count)
        set_remove(sm->asked, bank);
}

static void read_banks(struct staged_sm *sm)
{
    unsigned banks = (unsigned)sm->chip->o[STAGED_REGISTER_BANKS] * sm->subcores;
    for (unsigned word = 0; word * 64 < banks; word++) {
        sm->changed |= sm->asked[word] != 0;
        for (uint64_t left = sm->asked[word] & ~sm->written[word]; left; left &= left - 1)
            read_bank(sm, word * 64 + (unsigned)__builtin_ctzll(left));
        sm->written[word] = 0;
    }
}

static void collect(struct staged_sm *sm, unsigned c, struct inst *in)
{
    const struct staged_warp *w = &sm->warps[in->warp];
    unsigned sources = sm->chip->o[STAGED_REGISTER_BANKS] ? in->s->src_count : 0;
    unsigned reads = sources - (unsigned)__builtin_popcount(in->kept & ((1u << sources) - 1));
    sm->collectors[c] = (struct collector){in, reads};
    sm->taken |= 1ull << c;
    sm->for_unit[in->s->unit] |= 1ull << c;
    if (!reads)
        sm->ready |= 1ull << c;
    for (unsigned i = 0; i < sources; i++) {
        if (in->kept >> i & 1)
            continue;
        unsigned bank = bank_of(sm, w, in->s->src_bank[i]);
        struct bank *b = &sm->banks[bank];
        unsigned at = b->head + b->count++;
        b->queue[at < queue_room(sm) ? at : at - queue_room(sm)] = (uint8_t)c;
        set_add(sm->asked, bank);
    }
}

static void leave_issue_latch(struct staged_sm *sm, struct inst *in)
{
    unsigned unit = in->s->unit;
    sm->issued[unit][in->subcore] = NULL;
    sm->subcore[in->subcore].latched &= ~(1ull << unit);
    if (!(sm->is_issued[unit] &= ~(1u << in->subcore)))
        sm->units_issued &= ~(1u << unit);
    sm->changed = true;
}

/* The oldest instruction of a kind, in the latches of all sub-cores, enters a collector of its sub-core. If that
 * sub-core has no free collector, the next oldest instruction may enter its own; or, with STAGED_STUCK_KIND, none of
 * the kind may. */
static bool allocate_kind(struct staged_sm *sm, unsigned unit)
{
    struct inst *in = NULL;
    for (uint32_t left = sm->is_issued[unit]; left; left &= left - 1) {
        struct inst *other = sm->issued[unit][__builtin_ctz(left)];
        if (!sm->chip->o[STAGED_STUCK_KIND] && !(collectors_of(sm, other->subcore) & ~sm->taken))
            continue;
        in = !in || other->age < in->age ? other : in;
    }
    uint64_t free = in ? collectors_of(sm, in->subcore) & ~sm->taken : 0;
    if (!free)
        return false;
    collect(sm, (unsigned)__builtin_ctzll(free), in);
    leave_issue_latch(sm, in);
    return true;
}

/* There are as many ports as collectors. Each port tries all kinds. */
static void allocate_collectors(struct staged_sm *sm)
{
    unsigned ports = per_subcore(sm) * sm->subcores;
    bool any = true;
    for (unsigned p = 0; p < ports && any; p++) {
        any = false;
        for (uint32_t units = sm->units_issued; units; units &= units - 1)
            any |= allocate_kind(sm, (unsigned)__builtin_ctz(units));
    }
}

/* Without collectors, instructions go from the issue latches to the latches of units. */
static void pass_latches(struct staged_sm *sm)
{
    for (uint32_t units = sm->units_issued; units; units &= units - 1) {
        unsigned u = (unsigned)__builtin_ctz(units);
        for (uint32_t left = sm->is_issued[u] & ~sm->is_collected[u]; left; left &= left - 1) {
            unsigned s = (unsigned)__builtin_ctz(left);
            struct inst *in = sm->issued[u][s];
            into_unit_latch(sm, in);
            leave_issue_latch(sm, in);
        }
    }
}

void staged_read_operands(struct staged_sm *sm)
{
    if (!per_subcore(sm)) {
        pass_latches(sm);
        read_banks(sm); /* nothing is read; it clears the banks that were written */
        return;
    }
    for (int64_t step = 0; step < sm->chip->o[STAGED_REGISTER_STEPS]; step++) {
        dispatch_collectors(sm);
        read_banks(sm);
        allocate_collectors(sm);
    }
}
