#include "tools/hazards/hazards.h"

#include <stdlib.h>
#include <string.h>

#include "hw-models/unit/unit.h"
#include "replay/base/async.h"
#include "replay/base/class_timing.h"
#include "replay/base/cluster.h"
#include "replay/base/layout.h"
#include "replay/base/machine_parts.h"
#include "replay/base/trace_semantics.h"
#include "tools/hazards/distance.h"

enum { MOST_SIGNALS = 64, KINDS = 2, NO_RANK = 0, LONGEST_LATENCY = 32 };

/* A register that an instruction will write, or has yet to read. */
struct pending {
    rp_register reg; /* one register */
    uint32_t instruction;
    uint64_t number; /* in its warp's order of issue */
    uint64_t issued;
    uint64_t ready; /* of a timed result: the cycle in which it is there */
    rp_lanemask lanes;
    uint8_t unit, kind;
    bool timed, lower; /* lower: the first of two registers of a result */
    bool with_sources; /* there once the sources have been read */
};
struct pending_list {
    struct pending *items;
    size_t count, capacity;
};

/* Outstanding at a barrier. */
struct signal {
    uint64_t number;
    uint8_t unit, kind;
    bool result; /* else: the sources have been read */
};
struct signals {
    struct signal items[MOST_SIGNALS]; /* the last ones */
    unsigned count;
};

struct state {
    const struct machine *machine;
    const struct rp_launch *launch;
    const struct rp_kernel *kernel;
    struct hazards *found;
    bool queues[MACHINE_UNITS];
    bool of_sm_90;
    unsigned capability; /* of the machine; 0: unknown */
    uint64_t block;
    uint32_t launch_number, warp;
    struct rp_error *err;
    bool out_of_memory;
    /* of the warp */
    uint64_t now, number;
    struct pending_list writes, reads;
    struct signals signals[RP_CONTROL_BARRIERS];
    uint64_t returned[MACHINE_UNITS][KINDS]; /* results of instructions before this number are there */
    uint64_t read[MACHINE_UNITS];            /* sources of instructions before this number have been read */
};

/* ---- what instructions take -------------------------------------------------------------------------------------- */

static bool unit_queues(const struct machine *m, unsigned unit)
{
    enum { LONG = 100 };
    const struct unit_model *model = (const struct unit_model *)m->units[unit].model;
    void *u = machine_part_state(&m->units[unit]);
    bool queues = false;
    if (u) {
        model->reset(u, m->units[unit].options);
        model->dispatch(u, 0, LONG);
        queues = model->accepts(u, 1) == 1 && model->dispatch(u, 1, LONG) > 1;
    }
    free(u);
    return queues;
}

/* The timing of a step, and whether its result comes from caches or device memory, which takes an order of its own. */
static struct machine_timing timing_of(const struct state *s, const struct rp_step *step, uint8_t *kind)
{
    const struct rp_instruction *in = step->instruction;
    unsigned space = timing_space(s->launch, NO_RANK, in, step);
    *kind = in->memory_count && !(timed_by_space(in) && path_of_space(space) == PATH_SHARED);
    return timed_by_space(in) ? space_timing(s->machine, in, space) : class_timing(s->machine, in);
}

/* ---- barriers ---------------------------------------------------------------------------------------------------- */

static void raise_to(uint64_t *number, uint64_t to) { *number = *number < to ? to : *number; }

static void clear(struct state *s, const struct signal *signal)
{
    if (signal->result)
        raise_to(&s->returned[signal->unit][signal->kind], signal->number + 1);
    raise_to(&s->read[signal->unit], signal->number + 1);
}

/* Waits until at most `most` signals are outstanding. */
static void await(struct state *s, unsigned barrier, unsigned most)
{
    struct signals *b = &s->signals[barrier];
    unsigned over = b->count > most ? b->count - most : 0;
    for (unsigned i = 0; i < over; i++)
        clear(s, &b->items[i]);
    memmove(b->items, b->items + over, (b->count - over) * sizeof *b->items);
    b->count -= over;
}

static void await_barriers(struct state *s, uint64_t control)
{
    for (unsigned wait = rp_control_wait(control); wait; wait &= wait - 1)
        await(s, (unsigned)__builtin_ctz(wait), 0);
    if (rp_control_counts(control) && rp_control_counted_barrier(control) < RP_CONTROL_BARRIERS)
        await(s, rp_control_counted_barrier(control), rp_control_count(control));
}

static void tell(struct state *s, unsigned barrier, struct signal signal)
{
    if (barrier >= RP_CONTROL_BARRIERS)
        return;
    struct signals *b = &s->signals[barrier];
    if (b->count == MOST_SIGNALS) /* the oldest is forgotten: it counts as outstanding */
        memmove(b->items, b->items + 1, --b->count * sizeof *b->items);
    b->items[b->count++] = signal;
}

/* ---- registers --------------------------------------------------------------------------------------------------- */

static void add_pending(struct state *s, struct pending_list *list, const struct pending *p)
{
    if (list->count == list->capacity) {
        size_t capacity = list->capacity ? 2 * list->capacity : 64;
        struct pending *items = realloc(list->items, capacity * sizeof *items);
        if (!items) {
            s->out_of_memory = true;
            return;
        }
        list->items = items;
        list->capacity = capacity;
    }
    list->items[list->count++] = *p;
}

static bool is_read(const struct state *s, const struct pending *p) { return p->number < s->read[p->unit]; }
static bool is_returned(const struct state *s, const struct pending *p)
{
    return p->number < s->returned[p->unit][p->kind] || (p->with_sources && is_read(s, p));
}

/* When a timed result is there for an instruction. */
static uint64_t ready_for(const struct state *s, const struct pending *p, const struct rp_instruction *in)
{
    uint32_t distance = distance_of(s->capability, &s->kernel->instructions[p->instruction], in);
    return distance && p->issued + distance < p->ready ? p->issued + distance : p->ready;
}

enum use { USE_PLAIN, USE_UPPER /* the second of two registers of a source */, USE_GUARD };

/* How much earlier than its time a result is there for this use, on sm_90. */
static uint64_t earlier(const struct state *s, const struct pending *p, const struct rp_instruction *in, enum use use)
{
    enum { LOWER_EARLIER = 1, UPPER_LATER = 2, DOUBLE_EARLIER = 2 };
    if (!s->of_sm_90)
        return 0;
    if (s->kernel->instructions[p->instruction].unit_class == RP_CLASS_FP64)
        return in->unit_class == RP_CLASS_FP64 && rp_register_file(p->reg) == RP_FILE_GENERAL ? 0 : DOUBLE_EARLIER;
    return use == USE_UPPER ? UPPER_LATER : p->lower ? LOWER_EARLIER : 0;
}

static uint64_t guard_latency(const struct state *s, rp_register guard)
{
    enum { UNIFORM_EARLIER = 2 };
    uint64_t latency = (uint64_t)s->machine->guard_latency;
    bool uniform = rp_register_file(guard) == RP_FILE_UNIFORM_PREDICATE;
    return uniform && latency > UNIFORM_EARLIER ? latency - UNIFORM_EARLIER : latency;
}

/* The first cycle in which an instruction may issue that uses a timed result. */
static uint64_t usable(const struct state *s, const struct pending *p, const struct rp_instruction *in, enum use use)
{
    uint64_t from = p->issued + (use == USE_GUARD ? guard_latency(s, p->reg) : 0);
    uint64_t early = earlier(s, p, in, use), ready = ready_for(s, p, in), there = ready > early ? ready - early : 0;
    return from > there ? from : there;
}

static void drop_done(struct state *s)
{
    size_t kept = 0;
    for (size_t i = 0; i < s->writes.count; i++) {
        const struct pending *p = &s->writes.items[i];
        if (!is_returned(s, p) && (!p->timed || p->ready > s->now || p->issued + LONGEST_LATENCY > s->now))
            s->writes.items[kept++] = *p;
    }
    s->writes.count = kept;
    kept = 0;
    for (size_t i = 0; i < s->reads.count; i++)
        if (!is_read(s, &s->reads.items[i]))
            s->reads.items[kept++] = s->reads.items[i];
    s->reads.count = kept;
}

static void add_hazard(struct state *s, enum hazard_kind kind, const struct pending *p, uint32_t second,
                       uint64_t cycles)
{
    struct hazards *f = s->found;
    uint32_t kernel = s->launch->kernel;
    for (size_t i = 0; i < f->count; i++) {
        struct hazard *h = &f->items[i];
        if (h->kernel != kernel || h->first != p->instruction || h->second != second || h->reg != p->reg ||
            h->kind != kind)
            continue;
        h->count++;
        h->cycles = h->cycles && cycles > h->cycles ? (uint32_t)cycles : h->cycles;
        return;
    }
    if (f->count == f->capacity) {
        size_t capacity = f->capacity ? 2 * f->capacity : 16;
        struct hazard *items = realloc(f->items, capacity * sizeof *items);
        if (!items) {
            s->out_of_memory = true;
            return;
        }
        f->items = items;
        f->capacity = capacity;
    }
    f->items[f->count++] = (struct hazard){.kernel = kernel,
                                           .first = p->instruction,
                                           .second = second,
                                           .reg = p->reg,
                                           .kind = (uint8_t)kind,
                                           .cycles = (uint32_t)cycles,
                                           .count = 1,
                                           .launch = s->launch_number,
                                           .warp = s->warp,
                                           .block = s->block};
}

static rp_register part(rp_register r, unsigned i)
{
    return RP_REGISTER(rp_register_file(r), rp_register_index(r) + i, 1);
}

static void check_read(struct state *s, const struct rp_step *step, rp_register reg, enum use use)
{
    rp_lanemask lanes = use == USE_GUARD ? step->active : step->executed;
    for (size_t i = 0; i < s->writes.count; i++) {
        const struct pending *p = &s->writes.items[i];
        uint64_t from = usable(s, p, step->instruction, use);
        bool there = is_returned(s, p) || (p->timed && from <= s->now);
        if (p->reg == reg && p->lanes & lanes && !there)
            add_hazard(s, HAZARD_READ, p, step->index, p->timed ? from - s->now : 0);
    }
}

/* The step writes the register; `there`: when its value is there, at the earliest. What is behind another instruction
 * in the queue of a unit writes after that has read. */
static void check_write(struct state *s, const struct rp_step *step, rp_register reg, unsigned unit, uint64_t there)
{
    for (size_t i = 0; i < s->writes.count; i++) {
        const struct pending *p = &s->writes.items[i];
        uint64_t ready = ready_for(s, p, step->instruction);
        bool over = is_returned(s, p) || (p->timed && ready <= there);
        if (p->reg == reg && p->lanes & step->executed && !over)
            add_hazard(s, HAZARD_OVERWRITE, p, step->index, p->timed ? ready - there : 0);
    }
    for (size_t i = 0; i < s->reads.count; i++) {
        const struct pending *p = &s->reads.items[i];
        if (p->reg == reg && p->lanes & step->executed && p->unit != unit && !is_read(s, p))
            add_hazard(s, HAZARD_OVERWRITE_SOURCE, p, step->index, 0);
    }
}

/* ---- a warp ------------------------------------------------------------------------------------------------------ */

/* What earlier instructions had to do with this register in these lanes does not matter any more. */
static void forget(struct pending_list *list, rp_register reg, rp_lanemask lanes)
{
    size_t kept = 0;
    for (size_t i = 0; i < list->count; i++) {
        struct pending p = list->items[i];
        p.lanes &= p.reg == reg ? ~lanes : ~(rp_lanemask)0;
        if (p.lanes)
            list->items[kept++] = p;
    }
    list->count = kept;
}

static void check_registers(struct state *s, const struct rp_step *step, const struct machine_timing *t)
{
    const struct rp_instruction *in = step->instruction;
    for (uint32_t i = 0; i < in->src_count; i++) {
        bool uniform = in->unit_class == RP_CLASS_UNIFORM; /* its guards are sources as others */
        bool guard = in->flags & RP_GUARDED && in->src[i] == in->guard && !uniform;
        bool pair = rp_register_count(in->src[i]) == 2;
        for (unsigned r = 0; r < rp_register_waits(in->src[i]); r++)
            check_read(s, step, part(in->src[i], r), guard ? USE_GUARD : pair && r ? USE_UPPER : USE_PLAIN);
    }
    for (uint32_t i = 0; step->executed && i < in->dst_count; i++)
        for (unsigned r = 0; r < rp_register_waits(in->dst[i]); r++)
            check_write(s, step, part(in->dst[i], r), t->unit, s->now + t->initiation + t->latency);
}

static void add_registers(struct state *s, const struct rp_step *step, const struct machine_timing *t, uint8_t kind)
{
    const struct rp_instruction *in = step->instruction;
    bool timed = !in->memory_count && rp_control_write_barrier(in->control) >= RP_CONTROL_BARRIERS;
    struct pending p = {.instruction = step->index,
                        .number = s->number,
                        .issued = s->now,
                        .ready = s->now + t->initiation + t->latency,
                        .lanes = step->executed,
                        .unit = t->unit,
                        .kind = kind,
                        .timed = timed};
    for (uint32_t i = 0; i < in->dst_count; i++)
        for (unsigned r = 0; r < rp_register_waits(in->dst[i]); r++) {
            p.reg = part(in->dst[i], r);
            p.lower = !r && rp_register_count(in->dst[i]) == 2;
            p.with_sources = in->memory_count && rp_register_file(p.reg) == RP_FILE_PREDICATE;
            forget(&s->writes, p.reg, p.lanes);
            forget(&s->reads, p.reg, p.lanes);
            add_pending(s, &s->writes, &p);
        }
    for (uint32_t i = 0; s->queues[t->unit] && i < in->src_count; i++)
        for (unsigned r = 0; r < rp_register_waits(in->src[i]); r++) {
            if (rp_register_file(in->src[i]) != RP_FILE_GENERAL) /* read at issue */
                continue;
            p.reg = part(in->src[i], r);
            add_pending(s, &s->reads, &p);
        }
}

/* Cycles until the next instruction. */
static unsigned stall_of(const struct state *s, uint64_t control)
{
    enum { LONG_STALL = 45, VOLTA = 70 };
    if (rp_control_pairs(control))
        return 0;
    if (!rp_control_stall(control))
        return s->capability >= VOLTA ? LONG_STALL : 1;
    return rp_control_stall(control);
}

static void take_step(struct state *s, const struct rp_step *step)
{
    const struct rp_instruction *in = step->instruction;
    uint64_t control = in->control;
    uint8_t kind;
    struct machine_timing t = timing_of(s, step, &kind);
    await_barriers(s, control);
    if (in->unit_class == RP_CLASS_FENCE || (is_block_barrier(in) && waits_at_barrier(in)))
        for (unsigned u = 0; u < MACHINE_UNITS; u++)
            s->read[u] = s->number;
    drop_done(s);
    check_registers(s, step, &t);
    if (step->executed && !async_starts(in))
        add_registers(s, step, &t, kind);
    tell(s, rp_control_write_barrier(control), (struct signal){s->number, t.unit, kind, true});
    tell(s, rp_control_read_barrier(control), (struct signal){s->number, t.unit, kind, false});
    s->number++;
    s->now += stall_of(s, control);
}

/* Nothing is outstanding. */
static void begin_warp(struct state *s)
{
    s->writes.count = s->reads.count = 0;
    memset(s->signals, 0, sizeof s->signals);
    memset(s->returned, 0, sizeof s->returned);
    memset(s->read, 0, sizeof s->read);
    s->now = s->number = 0;
}

static bool walk_warp(struct state *s, struct rp_block *block)
{
    struct rp_cursor c;
    struct rp_step step;
    int more;
    if (!rp_cursor_open(&c, block, s->warp, s->err))
        return false;
    begin_warp(s);
    while ((more = rp_cursor_next(&c, &step, s->err)) > 0) {
        if (step.instruction->control)
            take_step(s, &step);
        else /* a function of the runtime is no machine code: when it returns all is done */
            begin_warp(s);
        s->found->instructions++;
    }
    rp_cursor_close(&c);
    return more == 0;
}

bool hazards_find(struct rp_trace *t, uint32_t launch, const struct machine *m, struct hazards *found,
                  struct rp_error *err)
{
    const struct rp_launch *l = rp_trace_launch(t, launch);
    struct state s = {.machine = m,
                      .launch = l,
                      .kernel = rp_trace_kernel(t, l->kernel),
                      .found = found,
                      .launch_number = launch,
                      .err = err};
    if (!has_control_words(s.kernel))
        return true;
    found->any = true;
    s.capability = (unsigned)strtoul(machine_capabilities[m->device_capability], NULL, 10); /* "unknown" is 0 */
    s.of_sm_90 = !strcmp(s.kernel->isa, "sm_90");
    for (uint32_t u = 0; u < m->unit_count; u++)
        s.queues[u] = unit_queues(m, u);
    bool fine = true;
    uint64_t blocks = rp_trace_launch_totals(t, launch).blocks;
    for (s.block = 0; fine && s.block < blocks; s.block++) {
        struct rp_block *b = rp_block_open(t, launch, s.block, err);
        fine = b;
        for (s.warp = 0; fine && s.warp < rp_block_warps(b); s.warp++)
            fine = walk_warp(&s, b);
        if (b)
            rp_block_close(b);
    }
    free(s.writes.items);
    free(s.reads.items);
    if (fine && s.out_of_memory)
        return rp_fail(err, RP_SYSTEM, "out of memory for hazards");
    return fine;
}

void hazards_free(struct hazards *h)
{
    free(h->items);
    *h = (struct hazards){0};
}
