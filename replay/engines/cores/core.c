/* Cores: their instructions, one after the other. */
#include "replay/engines/cores/chip.h"

/* ---- waiting ------------------------------------------------------------------------------------------------------
 */

static void core_go_on(struct chip *c, struct core *core) { chip_add_event(c, core->time, EVENT_CORE, core->id, 0, 0); }

/* A dirty line leaves for its bank. */
static void core_write_back(struct chip *c, struct core *core, uint32_t line)
{
    uint32_t bank = bank_of(c, line >> (c->l2_shift - c->l1d_shift));
    core->counts.written_back++;
    uint64_t arrives =
        core->time + mesh_send(c, core->id, c->banks[bank].tile, UINT64_C(1) << c->l1d_shift, &core->counts);
    chip_add_event(c, arrives, EVENT_WRITE_BACK, core->id, core->number++, line);
}

/* Asks the bank for the line, or for the right to store there. */
static void core_ask(struct chip *c, struct core *core, enum request_kind kind, uint32_t line)
{
    unsigned shift = kind == REQUEST_FETCH ? c->l1i_shift : c->l1d_shift;
    uint32_t bank = bank_of(c, line >> (c->l2_shift - shift));
    core->request = (struct request){.kind = kind, .line = line, .sent = core->time, .next = NOBODY};
    core->status = CORE_WAITS;
    uint64_t arrives = core->time + mesh_send(c, core->id, c->banks[bank].tile, 0, &core->counts);
    chip_add_event(c, arrives, EVENT_REQUEST, core->id, core->number++, 0);
}

static void core_report_stall(const struct chip *c, const struct core *core, enum stall reason,
                              enum response_level level, uint64_t begin, uint64_t cycles)
{
    const bool missed = core->status == CORE_WAITS && core->request.with_data;
    const struct observer *o = c->job->observer;
    if (!o || !o->stall || !cycles)
        return;
    const struct observed_stall e = {.launch = c->of->number,
                                     .sm = core->id,
                                     .instruction = core->step.instruction,
                                     .index = core->step.index,
                                     .warp = core->id % c->block_cores / RP_WARP_LANES,
                                     .block = core->id / c->block_cores,
                                     .reason = reason,
                                     .level = level,
                                     .begin = c->job->clock + begin,
                                     .cycles = cycles,
                                     .missed = missed};
    o->stall(o->data, &e);
}

/* Time of a look-up that finds its line. */
static void core_spend(const struct chip *c, struct core *core, uint64_t *count, enum stall reason, uint64_t cycles)
{
    core_report_stall(c, core, reason, reason == STALL_MEMORY ? RESPONSE_L1 : RESPONSE_NONE, core->time, cycles);
    core->time += cycles;
    *count += cycles;
}

void core_answered(struct chip *c, struct core *core, uint64_t cycle)
{
    const struct request *r = &core->request;
    uint64_t waited = cycle - r->sent;
    *(r->kind == REQUEST_FETCH  ? &core->counts.fetch
      : r->kind == REQUEST_LOAD ? &core->counts.load
                                : &core->counts.store) += waited;
    core_report_stall(c, core, r->kind == REQUEST_FETCH ? STALL_FETCH : STALL_MEMORY,
                      r->kind == REQUEST_FETCH ? RESPONSE_NONE : r->level, r->sent, waited);
    core->time = cycle;
    core->status = CORE_RUNS;
    core_go_on(c, core);
}

/* ---- the barrier --------------------------------------------------------------------------------------------------
 */

static void release(struct chip *c)
{
    struct barrier *b = &c->barrier;
    if (!b->arrived || b->arrived < b->live)
        return;
    uint64_t cycle = b->latest + 1 + (uint64_t)c->machine->barrier_latency;
    for (uint32_t i = 0; i < c->core_count; i++) {
        struct core *core = &c->cores[i];
        if (core->status != CORE_AT_BARRIER)
            continue;
        core->counts.barrier += cycle - core->time;
        core_report_stall(c, core, STALL_BARRIER, RESPONSE_NONE, core->time, cycle - core->time);
        core->time = cycle;
        core->status = CORE_RUNS;
        core_go_on(c, core);
    }
    b->arrived = 0;
}

/* The core's instruction of the cycle before was the barrier, or its last one. */
static void core_leave(struct chip *c, struct core *core, bool ends)
{
    struct barrier *b = &c->barrier;
    core->status = ends ? CORE_ENDED : CORE_AT_BARRIER;
    b->live -= ends;
    b->arrived += !ends;
    b->latest = core->time && core->time - 1 > b->latest ? core->time - 1 : b->latest;
    if (ends)
        c->end = core->time > c->end ? core->time : c->end;
    release(c);
}

/* A core runs ahead of the others by no more than these cycles, so that all are in the same chunks of the trace, which
 * are decoded once then. */
#define CORE_AHEAD 4096u

/* ---- instructions -------------------------------------------------------------------------------------------------
 */

/* Whether something else comes before this core's next access to its data cache, with coherence, or before anything of
 * it in plain mode. */
static bool core_is_early(const struct chip *c, const struct core *core)
{
    if (core->time == c->now || !(c->plain || c->msi))
        return false;
    if (c->plain)
        return true;
    const struct event mine = {.cycle = core->time, .order = event_order(EVENT_CORE, core->id, 0)};
    return c->agenda.count && event_before(&c->agenda.events[0], &mine);
}

static bool core_next_step(struct chip *c, struct core *core)
{
    int more = rp_cursor_next_of(&core->cursor, core->lane, &core->step, c->err);
    c->failed |= more < 0;
    if (more <= 0)
        return false;
    const struct rp_instruction *in = core->step.instruction;
    core->has_step = true;
    core->operand = 0;
    core->at = in->pc;
    core->end = in->pc + (in->raw_size ? in->raw_size : 1);
    core->counts.instructions++;
    c->counts->thread_instructions += core->step.executed >> core->lane & 1;
    return true;
}

/* The next operand with bytes that the core accesses. False: there is none. */
static bool core_next_operand(struct core *core)
{
    const struct rp_instruction *in = core->step.instruction;
    if (!(core->step.executed >> core->lane & 1))
        return false;
    while (core->operand < in->memory_count) {
        const struct rp_memory_operand *o = &in->memory[core->operand];
        const struct rp_dynamic_access *a = &core->step.accesses[core->operand++];
        if (o->space == RP_SPACE_NONE || !(a->pattern->mask >> core->lane & 1))
            continue;
        uint64_t bytes = (uint64_t)o->width;
        core->at = rp_access_address(a, core->lane) & UINT32_MAX;
        core->end = core->at + (bytes ? bytes : 1);
        return true;
    }
    return false;
}

/* Fetches the rest of the instruction. False: it waits. */
static bool core_fetch(struct chip *c, struct core *core)
{
    while (core->at < core->end) {
        uint32_t line = (uint32_t)(core->at >> c->l1i_shift), victim;
        core->counts.l1i_accesses++;
        core->at = ((uint64_t)line + 1) << c->l1i_shift;
        if (lines_is_recent(&core->l1i, line) || lines_use(&core->l1i, line) != LINES_NONE) {
            core_spend(c, core, &core->counts.fetch, STALL_FETCH, (uint64_t)c->machine->l1i_latency);
            continue;
        }
        core->counts.l1i_misses++;
        lines_make_room(&core->l1i, line, &victim);
        lines_fill(&core->l1i, line, LINE_SHARED);
        core_ask(c, core, REQUEST_FETCH, line);
        return false;
    }
    return true;
}

/* The line is not there, or a store finds it shared. */
static void core_miss(struct chip *c, struct core *core, uint32_t line, bool stores, bool there)
{
    *(there ? &core->counts.upgrades : stores ? &core->counts.store_misses : &core->counts.load_misses) += 1;
    if (!there) {
        uint32_t victim;
        enum line_state was = lines_make_room(&core->l1d, line, &victim);
        if (was == LINE_MODIFIED)
            core_write_back(c, core, victim);
        if (was != LINE_INVALID && c->msi)
            directory_forget(&c->directory, victim, core->id);
        if (!c->msi)
            lines_fill(&core->l1d, line, stores ? LINE_MODIFIED : LINE_SHARED);
    }
    core_ask(c, core, stores ? REQUEST_STORE : REQUEST_LOAD, line);
}

/* Makes the rest of the operand's accesses. False: it waits, or it is not its turn. */
static bool core_access(struct chip *c, struct core *core)
{
    const struct rp_memory_operand *o = &core->step.instruction->memory[core->operand - 1];
    bool stores = cache_kind_of(o) != CACHE_READ;
    while (core->at < core->end) {
        if (core_is_early(c, core)) {
            core_go_on(c, core);
            return false;
        }
        uint32_t line = (uint32_t)(core->at >> c->l1d_shift);
        *(stores ? &core->counts.stores : &core->counts.loads) += 1;
        core->at = ((uint64_t)line + 1) << c->l1d_shift;
        uint32_t slot = lines_use(&core->l1d, line);
        bool there = slot != LINES_NONE, hit = there && (!stores || !c->msi || core->l1d.state[slot] == LINE_MODIFIED);
        if (!hit) {
            core_miss(c, core, line, stores, there);
            return false;
        }
        if (stores)
            core->l1d.state[slot] = LINE_MODIFIED;
        core_spend(c, core, stores ? &core->counts.store : &core->counts.load, STALL_MEMORY,
                   (uint64_t)c->machine->l1d_latency);
    }
    return true;
}

static void core_report_issue(const struct chip *c, struct core *core)
{
    const struct observer *o = c->job->observer;
    if (!o || !o->issue)
        return;
    const rp_lanemask lane = UINT32_C(1) << core->lane;
    const struct observed_issue e = {.launch = c->of->number,
                                     .warp = core->id % c->block_cores / RP_WARP_LANES,
                                     .block = core->id / c->block_cores,
                                     .number = core->issued++,
                                     .sm = core->id,
                                     .index = core->step.index,
                                     .instruction = core->step.instruction,
                                     .active = lane,
                                     .executed = core->step.executed & lane,
                                     .cycle = c->job->clock + core->time,
                                     .initiation = 1};
    o->issue(o->data, &e);
}

/* Its last cycle. Returns whether the core goes on with another instruction at once. */
static bool core_retire(struct chip *c, struct core *core)
{
    const struct rp_instruction *in = core->step.instruction;
    bool executed = core->step.executed >> core->lane & 1;
    core_report_issue(c, core);
    core->time++;
    core->counts.base++;
    core->has_step = false;
    bool ends = executed && in->flags & RP_EXIT, arrives = executed && is_block_barrier(in);
    if (ends || arrives)
        core_leave(c, core, ends);
    return !ends && !arrives;
}

void core_run(struct chip *c, struct core *core)
{
    while (!c->failed) {
        if (!core->has_step) {
            if (c->plain ? core->time != c->now : core->time > c->now + CORE_AHEAD) {
                core_go_on(c, core);
                return;
            }
            if (!core_next_step(c, core)) {
                core_leave(c, core, true); /* the recording ended early */
                return;
            }
        }
        bool waits = core->operand ? !core_access(c, core) : !core_fetch(c, core);
        while (!waits && core_next_operand(core))
            waits = !core_access(c, core);
        if (waits || !core_retire(c, core))
            return;
    }
}
