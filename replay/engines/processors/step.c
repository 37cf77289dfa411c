/* Processors in the reference engine: it always steps the processor with the least time, by one instruction. */
#include <stdlib.h>

#include "replay/base/layout.h"
#include "replay/engines/processors/inside.h"
#include "replay/engines/report.h"
#include "tracefmt/plural.h"

struct warp {
    struct rp_block *block;
    struct rp_cursor cursor;
    struct rp_step next;
    struct warp_stream random;
    uint64_t number;
    uint64_t issued; /* instructions, for observers */
};

struct processor {
    uint64_t now;
    uint64_t next;     /* number in the launch of the first warp that may still come to this processor */
    uint64_t resident; /* slots */
    struct warp slots[SCHEDULER_SLOTS];
    void *scheduler;
};

struct stepping {
    const struct processors_launch *launch;
    const struct scheduler_model *scheduler;
    unsigned slots; /* of a processor */
    struct processor *processors;
    struct statistics *statistics;
    struct rp_error *err;
};

/* The next step that takes time. 1: there is one, 0: the warp has ended, -1: the trace is damaged. */
static int advance(struct stepping *s, struct warp *w)
{
    int more;
    while ((more = rp_cursor_next(&w->cursor, &w->next, s->err)) > 0) {
        s->statistics->warp_instructions++;
        s->statistics->thread_instructions += rp_lane_count(w->next.executed);
        if (!costs_nothing(&s->launch->costs, w->next.instruction))
            return 1;
    }
    return more;
}

static void close_warp(struct warp *w)
{
    rp_cursor_close(&w->cursor);
    rp_block_close(w->block);
}

static bool open_warp(struct stepping *s, struct warp *w, uint64_t number)
{
    const struct processors_launch *l = s->launch;
    uint64_t block = number / l->processors.warps;
    uint32_t warp = (uint32_t)(number % l->processors.warps);
    *w = (struct warp){.number = number, .block = rp_block_open(l->trace, l->number, block, s->err)};
    if (!w->block)
        return false;
    if (rp_block_warps(w->block) != l->processors.warps) {
        rp_fail(s->err, RP_BAD_INPUT, "%s: block %llu has %u warp%s where its launch has %u", rp_trace_path(l->trace),
                (unsigned long long)block, rp_block_warps(w->block), rp_plural(rp_block_warps(w->block)),
                (unsigned)l->processors.warps);
        rp_block_close(w->block);
        return false;
    }
    w->random.stream = random_stream(l->random.seed, l->random.batch, l->number, block, warp);
    if (rp_cursor_open(&w->cursor, w->block, warp, s->err))
        return true;
    rp_block_close(w->block);
    return false;
}

/* Fills the free slots of the processor with its next warps. */
static bool place(struct stepping *s, uint64_t number)
{
    const struct processors_launch *l = s->launch;
    struct processor *p = &s->processors[number];
    uint64_t all = l->blocks * l->processors.warps, full = ~0ull >> (64 - s->slots);
    for (; p->next < all && p->resident != full; p->next++) {
        if (processor_of_warp(&l->processors, p->next / l->processors.warps, p->next % l->processors.warps) != number)
            continue;
        unsigned slot = (unsigned)__builtin_ctzll(~p->resident);
        struct warp *w = &p->slots[slot];
        if (!open_warp(s, w, p->next))
            return false;
        s->statistics->blocks += p->next % l->processors.warps == 0;
        s->statistics->warps++;
        int more = advance(s, w);
        if (more <= 0)
            close_warp(w);
        if (more < 0)
            return false;
        if (!more)
            continue;
        p->resident |= 1ull << slot;
        s->scheduler->start(p->scheduler, slot);
    }
    return true;
}

/* Divides the cycles of an instruction among the levels of its samples. An atomic takes two samples. So does an
 * asynchronous copy, whose two sides are concurrent: then the level with the most cycles gets all. */
static void share_out(const uint64_t sampled[SAMPLE_LEVELS], uint64_t cycles, uint64_t share[RESPONSE_LEVELS])
{
    unsigned most = 0;
    uint64_t sum = 0;
    for (unsigned l = 0; l < SAMPLE_LEVELS; l++) {
        most = sampled[l] > sampled[most] ? l : most;
        sum += sampled[l];
    }
    share[RESPONSE_NONE] = sum ? 0 : cycles;
    for (unsigned l = 0; l < SAMPLE_LEVELS; l++)
        share[RESPONSE_L1 + l] = sum == cycles ? sampled[l] : sum && l == most ? cycles : 0;
}

/* Reports the instruction: it issues in the first of its cycles, and its processor stalls in the others. */
static void report(const struct stepping *s, uint64_t number, struct warp *w, unsigned unit,
                   const uint64_t sampled[SAMPLE_LEVELS], uint64_t cycles)
{
    const struct processors_launch *l = s->launch;
    const struct engine_location at = {.launch = l->number,
                                       .warp = (uint32_t)(w->number % l->processors.warps),
                                       .block = w->number / l->processors.warps,
                                       .sm = (uint32_t)(number / l->processors.subcores),
                                       .subcore = (uint32_t)(number % l->processors.subcores)};
    uint64_t share[RESPONSE_LEVELS], now = s->processors[number].now, over = now + 1;
    enum response_level first = RESPONSE_NONE;
    share_out(sampled, cycles, share);
    while (!share[first])
        first++;
    share[first]--;
    engine_report_issue(l->job, &at, &w->next,
                        &(struct engine_issue){.number = w->issued, .initiation = cycles, .unit = unit, .level = first},
                        now);
    for (unsigned level = 0; level < RESPONSE_LEVELS; level++) {
        over += share[level];
        engine_report_stall(l->job, &at, &w->next,
                            &(struct engine_stall){STALL_UNIT, (enum response_level)level, unit, share[level]}, over);
    }
    engine_report_done(l->job, &at, w->issued++, now, now + cycles);
}

static void note(struct stepping *s, uint64_t number, struct warp *w, const struct sampled_cost *cost,
                 const uint64_t sampled[SAMPLE_LEVELS], uint64_t cycles)
{
    struct statistics *to = s->statistics;
    to->issue_cycles++;
    to->stall[STALL_UNIT] += cycles - 1;
    to->unit_stall[cost->unit] += cycles - 1;
    to->unit_busy[cost->unit] += cycles;
    if (s->launch->job->observer)
        report(s, number, w, cost->unit, sampled, cycles);
}

static bool execute(struct stepping *s, uint64_t number, struct warp *w, uint64_t *cycles)
{
    const struct costs *c = &s->launch->costs;
    struct sampled_cost cost;
    bool failed = false, samples = cost_of_step(c, &w->next, &cost, s->statistics, s->err, &failed);
    const struct statistics *to = s->statistics;
    const uint64_t before[SAMPLE_LEVELS] = {to->sampled_l1_cycles, to->sampled_l2_cycles, to->sampled_dram_cycles};
    *cycles = cost.least;
    for (unsigned a = 0; samples && a < cost.accesses; a++) {
        uint64_t access = response_cycle(sampled_response(c->sampled, &cost.access[a], &w->random, s->statistics));
        *cycles = access > *cycles ? access : *cycles;
    }
    *cycles += samples ? cost.latency : 0;
    const uint64_t sampled[SAMPLE_LEVELS] = {to->sampled_l1_cycles - before[LEVEL_L1],
                                             to->sampled_l2_cycles - before[LEVEL_L2],
                                             to->sampled_dram_cycles - before[LEVEL_DRAM]};
    if (!failed)
        note(s, number, w, &cost, sampled, *cycles);
    return !failed;
}

static bool step(struct stepping *s, uint64_t number)
{
    struct processor *p = &s->processors[number];
    int slot = s->scheduler->pick(p->scheduler, p->resident);
    if (slot < 0)
        return rp_fail(s->err, RP_BAD_INPUT, "machine %s: scheduler '%s' picks no warp of a processor",
                       s->launch->costs.machine->name, s->scheduler->model.name);
    struct warp *w = &p->slots[slot];
    uint64_t cycles;
    if (!execute(s, number, w, &cycles))
        return false;
    p->now += cycles;
    int more = advance(s, w);
    if (more > 0)
        return true;
    s->scheduler->end(p->scheduler, (unsigned)slot);
    p->resident &= ~(1ull << slot);
    close_warp(w);
    return more == 0 && place(s, number);
}

/* The processor with the least time; processors.replayed: none has a warp. */
static uint64_t first_of(const struct stepping *s)
{
    uint64_t count = s->launch->processors.replayed, first = count;
    for (uint64_t p = 0; p < count; p++)
        if (s->processors[p].resident && (first == count || s->processors[p].now < s->processors[first].now))
            first = p;
    return first;
}

static bool step_all(struct stepping *s)
{
    uint64_t count = s->launch->processors.replayed, reported = 0;
    for (uint64_t p = 0; p < count; p++)
        if (!place(s, p))
            return false;
    for (uint64_t p; (p = first_of(s)) < count;) {
        if (!step(s, p))
            return false;
        uint64_t done = s->statistics->warp_instructions - reported;
        if (done >= PROGRESS_EVERY && s->launch->job->progress) {
            s->launch->job->progress(s->launch->job->progress_data, done);
            reported += done;
        }
    }
    uint64_t *time = calloc(count, sizeof *time);
    for (uint64_t p = 0; time && p < count; p++)
        time[p] = s->processors[p].now;
    if (time)
        processors_close(s->launch->costs.machine, &s->launch->processors, time, s->statistics);
    free(time);
    return time || rp_fail(s->err, RP_SYSTEM, "out of memory for a launch");
}

static bool begin(struct stepping *s)
{
    const struct machine *m = s->launch->costs.machine;
    bool fine = s->processors;
    for (uint64_t p = 0; fine && p < s->launch->processors.replayed; p++) {
        fine = (s->processors[p].scheduler = machine_part_state(&m->scheduler));
        if (fine)
            s->scheduler->reset(s->processors[p].scheduler, m->scheduler.options);
    }
    return fine || rp_fail(s->err, RP_SYSTEM, "out of memory for machine %s", m->name);
}

bool processors_step(const struct processors_launch *l, struct statistics *statistics, struct rp_error *err)
{
    const struct machine *m = l->costs.machine;
    uint64_t slots = (uint64_t)m->warps / l->processors.subcores;
    struct stepping s = {.launch = l,
                         .scheduler = (const struct scheduler_model *)m->scheduler.model,
                         .slots = slots ? (unsigned)slots : 1,
                         .processors = calloc(l->processors.replayed, sizeof *s.processors),
                         .statistics = statistics,
                         .err = err};
    bool fine = begin(&s) && step_all(&s);
    for (uint64_t p = 0; s.processors && p < l->processors.replayed; p++) {
        for (uint64_t left = s.processors[p].resident; left; left &= left - 1)
            close_warp(&s.processors[p].slots[__builtin_ctzll(left)]);
        free(s.processors[p].scheduler);
    }
    free(s.processors);
    return fine;
}
