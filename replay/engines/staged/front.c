/* Blocks, fetch, issue (docs/accelsim.md, rules 2 to 5). */
#include <stdlib.h>
#include <string.h>

#include "replay/engines/staged/staged.h"

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

static struct inst *next_of(const struct staged_warp *w) { return w->buffered ? w->buffer[w->buffer_at] : NULL; }

void staged_release(struct staged_sm *sm, struct staged_warp *w, int32_t reg)
{
    if (w->is_pending[reg] && sm->chip->reports_done)
        staged_report_done(sm, w, &w->observed[reg]);
    const struct staged_static *s = w->is_pending[reg] ? &sm->chip->statics[w->writer[reg]] : NULL;
    w->pending -= w->is_pending[reg] != 0;
    w->is_pending[reg] = 0;
    for (unsigned i = 0; s && i < s->also_count; i++) {
        w->pending -= w->is_pending[s->also[i]] != 0;
        w->is_pending[s->also[i]] = 0;
    }
    if (!sm->chip->o[STAGED_LONG_MARKS])
        w->is_long[reg] = 0;
    staged_look(sm, w);
}

/* Whether the warp's next instruction waits for the access that writes the register. */
static bool next_waits_for(const struct staged_sm *sm, const struct staged_warp *w, uint32_t reg)
{
    const struct inst *in = next_of(w);
    const struct staged_static *by = &sm->chip->statics[w->writer[reg]];
    for (unsigned i = 0; in && i < in->s->look_count; i++) {
        bool same = in->s->looks[i] == reg;
        for (unsigned j = 0; !same && j < by->also_count; j++)
            same = in->s->looks[i] == by->also[j];
        if (same)
            return true;
    }
    return false;
}

void staged_data_arrived(struct staged_sm *sm, struct staged_warp *w, int32_t reg, enum response_level level)
{
    if (!sm->chip->reports_stalls ||
        (reg >= 0 && (w->is_pending[reg] != STALL_MEMORY || !next_waits_for(sm, w, (uint32_t)reg))))
        return;
    uint64_t response = response_of(sm->chip->cycle, level);
    w->response = response > w->response ? response : w->response;
}

/* ---- blocks ------------------------------------------------------------------------------------------------------ */

/* Reads ahead in the warp's instruction stream. False: it has ended, or cannot be read. */
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

static void end_warp(struct staged_sm *sm, struct staged_warp *w)
{
    w->done = true;
    sm->unfetched &= ~(1ull << w->warp_slot);
    staged_look(sm, w);
    staged_scheduler(sm->chip)->end(sm->scheduler[w->subcore], w->slot);
    staged_warp_ended(sm, w);
}

static bool begin_warp(struct staged_sm *sm, struct staged_block *b, unsigned number)
{
    struct staged *g = sm->chip;
    unsigned warp_slot = b->slot * g->warps_per_block + number, banks = (unsigned)g->o[STAGED_REGISTER_BANKS];
    struct staged_warp *w = &sm->warps[warp_slot];
    *w = (struct staged_warp){.block = b,
                              .number = number,
                              .warp_slot = warp_slot,
                              .subcore = warp_slot % sm->subcores,
                              .slot = warp_slot / sm->subcores,
                              .bank = banks ? warp_slot % banks : 0,
                              .started = true,
                              .arrival = arrival_begin(g->launch, number),
                              .writer = w->writer,
                              .observed = w->observed,
                              .is_pending = w->is_pending,
                              .is_long = w->is_long,
                              .writes = w->writes};
    memset(w->is_pending, 0, g->registers);
    memset(w->is_long, 0, g->registers);
    memset(w->writes, 0, g->registers * sizeof *w->writes);
    if (!rp_cursor_open(&w->cursor, b->trace, number, g->err) || !look_ahead(g, w))
        return g->failed = true, false;
    sm->unfetched |= 1ull << warp_slot;
    staged_charge_enter(sm, &sm->subcore[w->subcore]);
    staged_scheduler(g)->start(sm->scheduler[w->subcore], w->slot);
    if (w->over)
        end_warp(sm, w);
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
    staged_catch_up(sm);
    sm->wake = 0;
    sm->slots[b->slot] = b;
    b->warps = b->live = rp_block_warps(b->trace);
    sm->live_blocks++;
    sm->live_warps += b->warps;
    g->live_blocks++;
    g->statistics->blocks++;
    g->statistics->warps += b->warps;
    staged_report_block(sm, b, false);
    for (unsigned i = 0; i < b->warps; i++)
        if (!begin_warp(sm, b, i))
            return false;
    return true;
}

/* Visits each SM once, beginning behind the one that got a block last. */
bool staged_place_blocks(struct staged *g)
{
    unsigned sms = (unsigned)g->machine->sms, from = g->next_sm;
    int64_t rate = g->o[STAGED_BLOCK_RATE];
    if (!g->may_place && g->skips)
        return true;
    g->may_place = false;
    for (unsigned i = 0; i < sms && g->next_block < g->blocks; i++) {
        struct staged_sm *sm = &g->sms[(from + i) % sms];
        if (sm->live_blocks >= g->limit)
            continue;
        for (int64_t n = 0; sm->live_blocks < g->limit && g->next_block < g->blocks && (!rate || n < rate); n++)
            if (!place_block(sm))
                return false;
        g->next_sm = (sm->number + 1) % sms;
        g->may_place = true;
    }
    return true;
}

static void leave(struct staged_sm *sm, struct staged_block *b)
{
    for (unsigned i = 0; i < b->warps; i++) {
        struct staged_warp *w = &sm->warps[b->slot * sm->chip->warps_per_block + i];
        rp_cursor_close(&w->cursor);
        sm->subcore[w->subcore].open &= ~(1ull << w->slot);
        staged_charge_leave(sm, w);
        w->block = NULL;
    }
    staged_report_block(sm, b, true);
    rp_block_close(b->trace);
    sm->slots[b->slot] = NULL;
    sm->live_blocks--;
    sm->chip->live_blocks--;
    sm->chip->may_place = true;
    free(b);
}

static void retire(struct staged_sm *sm, struct staged_warp *w)
{
    w->retired = true;
    sm->changed = true;
    sm->may_retire &= ~(1ull << w->warp_slot);
    if (!--sm->live_warps)
        sm->chip->emptied = true;
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
    in->warp = w->warp_slot;
    in->subcore = w->subcore;
    in->active = step.active;
    in->executed = step.executed;
    in->aux = step.aux;
    w->buffer[at] = in;
    w->buffered++;
    w->in_pipeline++;
    g->statistics->warp_instructions++;
    g->statistics->thread_instructions += (uint64_t)__builtin_popcount(step.executed);
    if (!staged_accesses(sm, w, &step, in))
        return fail_memory(g);
    return look_ahead(g, w) || (g->failed = true, false);
}

/* Looks up the buffered instructions of a warp in the instruction cache. If some are missing, w->fetched is the cycle
 * in which the last one comes. */
static void look_up_code(struct staged_sm *sm, struct staged_warp *w)
{
    struct staged *g = sm->chip;
    const struct instruction_cache_model *m = (const struct instruction_cache_model *)g->machine->icache.model;
    struct instruction_cache_reply reply;
    const unsigned group = (unsigned)g->machine->icache_subcores;
    w->fetched = 0;
    for (unsigned i = 0; m->keeps && i < w->buffered; i++) {
        const struct rp_instruction *in = &g->kernel->instructions[w->buffer[i]->s - g->statics];
        m->fetch(sm->icache[w->subcore / group], w->subcore % group, code_address(g->launch->kernel, in), sm->cycle,
                 &reply);
        *(reply.hit ? &g->statistics->memory.icache.hits : &g->statistics->memory.icache.misses) += 1;
        w->fetched = reply.cycle > w->fetched ? reply.cycle : w->fetched;
    }
    if (w->fetched > sm->cycle)
        sm->missing |= 1ull << w->warp_slot;
}

/* Warps whose instructions have arrived may issue. */
static void end_misses(struct staged_sm *sm)
{
    for (uint64_t left = sm->missing; left; left &= left - 1) {
        struct staged_warp *w = &sm->warps[__builtin_ctzll(left)];
        if (w->fetched > sm->cycle)
            continue;
        sm->missing &= ~(1ull << w->warp_slot);
        staged_look(sm, w);
    }
}

uint64_t staged_fetch_next(const struct staged_sm *sm)
{
    uint64_t next = UINT64_MAX;
    for (uint64_t left = sm->missing; left; left &= left - 1) {
        uint64_t at = sm->warps[__builtin_ctzll(left)].fetched;
        next = at < next ? at : next;
    }
    return next;
}

static void fill_buffer(struct staged_sm *sm, struct staged_warp *w)
{
    w->buffer_at = 0;
    for (unsigned i = 0; i < sm->chip->o[STAGED_BUFFER]; i++)
        if (!decode_one(sm, w, i))
            break;
    look_up_code(sm, w);
    staged_look(sm, w);
}

static void decode(struct staged_sm *sm)
{
    if (sm->fetched < 0)
        return;
    fill_buffer(sm, &sm->warps[sm->fetched]);
    sm->fetched = -1;
}

/* Fetches for the next warp without instructions, in the order of warp slots, from the one behind the last fetch on.
 * Warps that are passed retire if they may. */
static void fetch(struct staged_sm *sm)
{
    unsigned warp_slots = (unsigned)sm->chip->machine->warps, from = sm->last_fetched + 1;
    if (sm->fetched >= 0 || !(sm->unfetched | sm->may_retire))
        return;
    from = from < warp_slots ? from : 0;
    unsigned next = sm->unfetched ? set_round(sm->unfetched, from) : 0;
    while (sm->may_retire) {
        unsigned warp_slot = set_round(sm->may_retire, from);
        if (sm->unfetched && (warp_slot + warp_slots - from) % warp_slots > (next + warp_slots - from) % warp_slots)
            break;
        retire(sm, &sm->warps[warp_slot]);
    }
    if (!sm->unfetched)
        return;
    sm->unfetched &= ~(1ull << next);
    sm->last_fetched = next;
    sm->fetched = (int)next;
    sm->changed = true;
}

/* Without a limit on fetches: all warps retire if they may, and get their instructions. */
static void fetch_all(struct staged_sm *sm)
{
    for (uint64_t left = sm->may_retire; left; left &= left - 1)
        retire(sm, &sm->warps[__builtin_ctzll(left)]);
    for (; sm->unfetched; sm->unfetched &= sm->unfetched - 1)
        fill_buffer(sm, &sm->warps[__builtin_ctzll(sm->unfetched)]);
}

void staged_fetch(struct staged_sm *sm)
{
    if (!sm->chip->o[STAGED_FETCHES])
        fetch_all(sm);
    for (int64_t n = 0; n < sm->chip->o[STAGED_FETCHES]; n++) {
        decode(sm);
        fetch(sm);
        if (sm->fetched < 0)
            return; /* the next fetch would find nothing either */
    }
}

/* ---- issue ------------------------------------------------------------------------------------------------------- */

/* A fence waits until no register of its warp is pending. Beyond the block it also waits until its stores are
 * acknowledged, and then L1 is emptied. */
static bool waits_at_fence(struct staged_sm *sm, struct staged_warp *w)
{
    if (!w->waits_at_fence || w->pending || (w->waits_for_stores && (w->stores || w->unsent)))
        return w->waits_at_fence;
    w->waits_at_fence = false;
    sm->changed = true;
    if (w->empties_l1)
        staged_empty_l1(sm);
    return false;
}

static bool waits(struct staged_sm *sm, struct staged_warp *w)
{
    return !w->block || w->done || w->waits_at_barrier || w->atomics || waits_at_fence(sm, w);
}

/* Why the next instruction of the warp could not issue even if the latch of its unit were free; STALL_COUNT: it could.
 */
static enum stall what_for(struct staged_sm *sm, struct staged_warp *w)
{
    bool waiting = waits(sm, w), late = w->fetched > sm->cycle;
    const struct inst *in = next_of(w);
    if (w->gathers && in) {
        staged_gathered(sm, w, in);
        waiting = waits(sm, w);
    }
    if (!waiting && in && !late) {
        enum stall why = STALL_COUNT;
        for (unsigned i = 0; i < in->s->look_count; i++) {
            enum stall of = w->is_pending[in->s->looks[i]];
            why = of && of < why ? of : why;
        }
        return why;
    }
    if (!w->block || w->done)
        return STALL_DRAIN;
    if (w->waits_at_barrier)
        return STALL_BARRIER;
    if (!in || late)
        return STALL_FETCH;
    return w->waits_at_fence ? STALL_FENCE : w->atomics_shared ? STALL_SHARED : STALL_MEMORY;
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

static void into_latch(struct staged_sm *sm, struct inst *in)
{
    unsigned unit = in->s->unit;
    sm->issued[unit][in->subcore] = in;
    sm->is_issued[unit] |= 1u << in->subcore;
    sm->units_issued |= 1u << unit;
    sm->subcore[in->subcore].latched |= 1ull << unit;
}

/* The sources that are still in their operand slots: the last instruction that issued in this sub-core was of the same
 * warp, read them in the same slots, and kept them there. */
static unsigned kept_sources(const struct staged_subcore *c, const struct inst *in)
{
    const struct staged_static *last = c->last, *s = in->s;
    unsigned kept = 0;
    for (unsigned i = 0; last && c->last_warp == in->warp && i < s->src_count; i++)
        for (unsigned j = 0; j < last->src_count; j++)
            kept |= (unsigned)(last->src[j] == s->src[i] && last->slots[j] & last->keeps & s->slots[i]) << i;
    return kept;
}

static void look_into_reuse_cache(struct staged_sm *sm, struct inst *in)
{
    struct staged_subcore *c = &sm->subcore[in->subcore];
    in->kept = kept_sources(c, in);
    c->last = in->s;
    c->last_warp = in->warp;
}

/* second: in the same cycle as the one before it. */
static void issue(struct staged_sm *sm, struct staged_warp *w, bool second)
{
    struct staged *g = sm->chip;
    struct inst *in = next_of(w);
    w->buffer_at++;
    if (!--w->buffered)
        sm->unfetched |= 1ull << w->warp_slot;
    in->age = g->age++;
    if (g->job->observer)
        staged_report_issue(sm, w, in, second);
    if (g->o[STAGED_REUSE_CACHE])
        look_into_reuse_cache(sm, in);
    into_latch(sm, in);
    staged_look(sm, w);
    if (in->s->dst >= 0) {
        w->is_pending[in->s->dst] = in->s->is_memory ? in->shared ? STALL_SHARED : STALL_MEMORY : STALL_SCOREBOARD;
        w->writer[in->s->dst] = (uint32_t)(in->s - g->statics);
        w->pending++;
        for (unsigned i = 0; i < in->s->also_count; i++) {
            w->pending += !w->is_pending[in->s->also[i]];
            w->is_pending[in->s->also[i]] = w->is_pending[in->s->dst];
        }
        if (in->s->is_memory && in->load && !in->shared)
            w->is_long[in->s->dst] = 1;
    }
    if (in->atomic && in->s->is_memory) {
        w->atomics += atomic_lanes(in);
        w->atomics_shared = in->shared;
    }
    w->unsent += in->s->is_memory && in->store && !in->shared;
    w->waits_at_fence = in->s->is_fence && in->any_lane;
    w->waits_for_stores = !g->o[STAGED_FENCES] && !in->s->is_block_fence;
    w->empties_l1 = g->o[STAGED_FENCES] || !in->s->is_block_fence;
    if (in->s->is_exit && !g->o[STAGED_ONE_BARRIER])
        staged_exit(sm, w, in->executed);
    if (in->s->is_barrier && in->any_lane)
        staged_arrive(sm, w, in);
    if (!w->over || w->buffered)
        return;
    if (w->gathers)
        staged_gathered(sm, w, NULL);
    end_warp(sm, w);
}

static void look(struct staged_sm *sm, struct staged_subcore *c, unsigned slot, struct staged_warp *w)
{
    uint64_t bit = 1ull << slot;
    enum stall why = what_for(sm, w);
    c->open &= ~bit;
    if (why != STALL_COUNT) {
        w->why = (uint8_t)why;
        return;
    }
    unsigned unit = next_of(w)->s->unit;
    c->open |= bit;
    for (unsigned u = 0; u < sm->chip->machine->unit_count; u++)
        c->next[u] &= ~bit;
    c->next[unit] |= bit;
}

/* Reports to the scheduler which slots wait. */
static void report_waiting(struct staged_sm *sm, unsigned s)
{
    unsigned count = (unsigned)sm->chip->machine->warps / sm->subcores;
    uint64_t waiting = 0;
    for (unsigned slot = 0; slot < count; slot++) {
        struct staged_warp *w = &sm->warps[slot * sm->subcores + s];
        if (waits(sm, w) || waits_long(w))
            waiting |= 1ull << slot;
    }
    staged_scheduler(sm->chip)->observe(sm->scheduler[s], waiting);
    sm->changed = true; /* the scheduler may change its state in every cycle */
}

/* The slots of `ready` that the scheduler may pick. A load that it holds back may issue in the next cycle. */
static uint64_t offered(struct staged_sm *sm, unsigned s, uint64_t ready)
{
    const struct scheduler_feedback *f = staged_scheduler(sm->chip)->feedback;
    uint64_t held = f ? ready & f->held(sm->scheduler[s], ready, sm->cycle) : 0, loads = 0;
    for (; held; held &= held - 1) {
        const struct inst *in = next_of(&sm->warps[(unsigned)__builtin_ctzll(held) * sm->subcores + s]);
        bool from_l1 = in->s->is_memory && in->load && !in->shared && !in->bypass;
        loads |= from_l1 ? held & -held : 0;
    }
    sm->changed |= loads != 0;
    return ready & ~loads;
}

/* Issues the warp's next instruction, too, if that goes to another unit. */
static void issue_second(struct staged_sm *sm, struct staged_subcore *c, struct staged_warp *w, unsigned unit)
{
    const struct inst *in = w->done || w->waits_at_barrier ? NULL : next_of(w);
    if (!in || in->s->unit == unit || c->latched >> in->s->unit & 1 || what_for(sm, w) != STALL_COUNT ||
        !offered(sm, w->subcore, 1ull << w->slot))
        return;
    sm->chip->statistics->dual_issues++;
    issue(sm, w, true);
}

/* Why the warp, which issues now, did not issue in the cycle before. `before`: the slots that were open then. */
static enum stall stall_of(const struct staged_subcore *c, const struct staged_warp *w, uint64_t before)
{
    uint64_t bit = 1ull << w->slot;
    if (!(before & bit))
        return w->why;
    return c->ready & bit ? STALL_SCHEDULER : c->why[w->buffer[w->buffer_at]->s->unit];
}

static void run_scheduler(struct staged_sm *sm, unsigned s)
{
    const struct scheduler_model *m = staged_scheduler(sm->chip);
    struct staged_subcore *c = &sm->subcore[s];
    if (m->observe)
        report_waiting(sm, s);
    else if (!(c->look | c->open)) {
        c->ready = 0;
        return;
    }
    uint64_t before = c->open;
    for (; c->look; c->look &= c->look - 1) {
        unsigned slot = (unsigned)__builtin_ctzll(c->look);
        look(sm, c, slot, &sm->warps[slot * sm->subcores + s]);
    }
    uint64_t ready = c->open;
    for (uint64_t units = ready ? c->latched : 0; units; units &= units - 1)
        ready &= ~c->next[__builtin_ctzll(units)];
    uint64_t may = offered(sm, s, ready);
    int slot = may ? m->pick(sm->scheduler[s], may) : -1;
    if (slot < 0) {
        c->ready = ready;
        staged_note_latches(sm, s);
        return;
    }
    struct staged_warp *w = &sm->warps[(unsigned)slot * sm->subcores + s];
    staged_charge_issue(sm, c, next_of(w), stall_of(c, w, before), response_level(w->response));
    c->ready = ready;
    unsigned unit = next_of(w)->s->unit;
    issue(sm, w, false);
    if (sm->chip->machine->issue_width == 2)
        issue_second(sm, c, w, unit);
}

void staged_front(struct staged_sm *sm)
{
    end_misses(sm);
    unsigned all = sm->subcores, first = (unsigned)((sm->cycle - 1) % all);
    for (unsigned i = 0; i < all; i++)
        run_scheduler(sm, first + i < all ? first + i : first + i - all);
}
