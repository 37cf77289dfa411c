/* The memory system as a whole: making it, and what happens between launches. */
#include "replay/memory/chip.h"

#include <stdlib.h>

#include "replay/base/carveout.h"

static bool open_slice(struct memory_system *m, uint32_t i)
{
    struct slice *s = &m->slices[i];
    s->index = i;
    s->refused_first = NOBODY;
    return level_open(&s->level, ANSWER_L2, &m->layout.l2, &m->layout.slice);
}

static bool open_channel(struct memory_system *m, uint32_t i)
{
    const struct machine_part *part = &m->layout.machine->dram;
    if (!(m->channels[i].state = machine_part_state(part)))
        return false;
    m->channels[i].advance_at = UINT64_MAX;
    m->layout.dram->reset(m->channels[i].state, part->options);
    m->channels[i].fixed = m->layout.dram == &dram_fixed ? m->channels[i].state : NULL;
    return true;
}

static bool open_chip(struct memory_system *m)
{
    const struct memory_layout *l = &m->layout;
    m->next = MEMORY_NEVER;
    m->ports = calloc(l->sms, sizeof *m->ports);
    m->slices = calloc(l->slices.count, sizeof *m->slices);
    m->channels = calloc(l->channels.count, sizeof *m->channels);
    bool fine = m->ports && m->slices && m->channels && translation_open(&m->translation, l);
    for (uint32_t i = 0; fine && i < l->slices.count; i++)
        fine = open_slice(m, i);
    for (uint32_t i = 0; fine && i < l->channels.count; i++)
        fine = open_channel(m, i);
    return fine;
}

static void close_chip(struct memory_system *m)
{
    for (uint32_t i = 0; m->slices && i < m->layout.slices.count; i++)
        level_close(&m->slices[i].level);
    for (uint32_t i = 0; m->channels && i < m->layout.channels.count; i++)
        free(m->channels[i].state);
    translation_close(&m->translation, &m->layout);
    for (uint32_t i = 0; m->ports && i < m->layout.sms; i++) {
        free(m->ports[i].box.items);
        free(m->ports[i].told.items);
    }
    free(m->ports);
    free(m->slices);
    free(m->channels);
    calendar_end(&m->calendar);
    pool_end(&m->requests);
}

static bool open_all(struct memory_system *m)
{
    const struct memory_layout *l = &m->layout;
    m->sms = calloc(l->sms, sizeof *m->sms);
    m->senders = calloc(l->sms, sizeof *m->senders);
    bool fine = m->sms && m->senders;
    for (uint32_t i = 0; fine && i < l->sms; i++)
        fine = sm_memory_open(&m->sms[i], l, m->short_cuts);
    return fine && open_chip(m);
}

struct memory_system *memory_system_new(const struct machine *machine, bool short_cuts, struct rp_error *err)
{
    struct memory_system *m = calloc(1, sizeof *m);
    if (m) {
        memory_layout_of(machine, &m->layout);
        m->layout.l2.part = &m->layout.slice;
        m->requests.size = sizeof(struct chip_request);
        m->short_cuts = short_cuts;
        m->at_once = short_cuts && m->layout.chip_unbounded;
        m->straight = chip_is_straight(m);
        if (open_all(m))
            return m;
    }
    memory_system_free(m);
    rp_fail(err, RP_SYSTEM, "out of memory for the caches of %s", machine->name);
    return NULL;
}

void memory_system_free(struct memory_system *m)
{
    if (!m)
        return;
    for (uint32_t i = 0; m->sms && i < m->layout.sms; i++)
        sm_memory_close(&m->sms[i]);
    close_chip(m);
    free(m->sms);
    free(m->senders);
    free(m);
}

/* SMs that nobody has used are as new but for their clock. */
static bool clear_sm(struct memory_system *m, struct sm_memory *s)
{
    s->origin = 0;
    if (!s->used)
        return true;
    sm_memory_close(s);
    return sm_memory_open(s, &m->layout, m->short_cuts);
}

bool memory_system_clear(struct memory_system *m, struct rp_error *err)
{
    bool fine = true;
    for (uint32_t i = 0; fine && i < m->layout.sms; i++)
        fine = clear_sm(m, &m->sms[i]);
    close_chip(m);
    m->calendar = (struct calendar){0};
    m->clock = 0;
    m->failed = false;
    return (open_chip(m) && fine) ||
           rp_fail(err, RP_SYSTEM, "out of memory for the caches of %s", m->layout.machine->name);
}

bool memory_system_divide_l1(struct memory_system *m, int64_t bytes, struct rp_error *err)
{
    struct memory_level *l1 = &m->layout.l1;
    bool fine = true;
    if (m->l1_bytes == bytes)
        return true;
    m->l1_bytes = bytes;
    carveout_part(m->layout.machine, bytes, &m->divided_l1);
    l1->part = &m->divided_l1;
    l1->model->shape(l1->part->options, &l1->shape);
    for (uint32_t i = 0; i < m->layout.sms; i++)
        for (uint32_t c = 0; fine && c < m->layout.l1_count; c++)
            fine = level_remake(&m->sms[i].l1[c].level, l1->part);
    return fine || rp_fail(err, RP_SYSTEM, "out of memory for the caches of %s", m->layout.machine->name);
}

uint64_t memory_system_l2_line(const struct memory_system *m, uint64_t *lines)
{
    const struct cache_shape *shape = &m->layout.l2.shape;
    *lines = shape->sets * shape->ways * m->layout.slices.count;
    return shape->line;
}

/* Part by part of the interleaving. */
void memory_system_warm_bytes(struct memory_system *m, uint64_t address, uint64_t size)
{
    const struct memory_parts *parts = &m->layout.slices;
    const struct cache_model *model = m->layout.l2.model;
    uint64_t lines, line = memory_system_l2_line(m, &lines), capacity = lines * line;
    if (parts->count == 1) {
        model->preload(m->slices[0].level.state, address, size);
        return;
    }
    if (size > capacity) { /* what comes before makes room for the rest */
        address += size - capacity;
        size = capacity;
    }
    for (uint64_t at = address, end = address + size, next; at < end; at = next) {
        next = (at / parts->interleave + 1) * parts->interleave;
        next = next < end ? next : end;
        model->preload(m->slices[memory_part_of(parts, at)].level.state, memory_local(parts, at), next - at);
    }
}

bool memory_system_failed(const struct memory_system *m)
{
    bool failed = m->failed;
    for (uint32_t i = 0; i < m->layout.sms; i++)
        failed |= m->sms[i].failed;
    return failed;
}

uint64_t memory_system_lookahead(const struct memory_system *m)
{
    const struct memory_layout *l = &m->layout;
    if (!m->straight || !l->l2.keeps || l->port_queue != MEMORY_ANY)
        return l->lookahead;
    return l->port_latency + l->l2.shape.latency; /* what L2 lacks is answered on arrival, too */
}

bool memory_system_is_light(const struct memory_system *m) { return m->straight; }
uint64_t memory_system_way(const struct memory_system *m) { return m->layout.port_latency; }
bool memory_system_is_immediate(const struct memory_system *m) { return m->layout.immediate; }
uint64_t memory_system_sector(const struct memory_system *m)
{
    const struct memory_layout *l = &m->layout;
    return l->l2.model->released ? l->l2.shape.sector : l->l1.model->released ? l->l1.shape.sector : 0;
}
bool memory_system_is_stepped(const struct memory_system *m) { return m->sms[0].stepped; }
bool memory_system_orders_blocks(const struct memory_system *m) { return m->layout.orders_blocks; }
uint64_t memory_system_delay(const struct memory_system *m) { return m->layout.delay; }
bool memory_system_may_refuse(const struct memory_system *m) { return m->layout.lsu_queue != MEMORY_ANY; }
struct sm_memory *memory_system_sm(struct memory_system *m, unsigned sm) { return &m->sms[sm]; }

void memory_system_count_kernels(struct memory_system *m, uint32_t first)
{
    for (uint32_t i = 0; i < m->layout.sms; i++)
        m->sms[i].kernels = (uint64_t)first << 32;
}

/* One cycle of everything; returns the next one. */
static uint64_t advance_all(struct memory_system *m, uint64_t now)
{
    uint64_t next = MEMORY_NEVER, of;
    for (uint32_t i = 0; i < m->layout.sms; i++)
        next = (of = sm_memory_advance(&m->sms[i], now)) < next ? of : next;
    next = (of = memory_system_advance(m, now)) < next ? of : next;
    for (uint32_t i = 0; i < m->layout.sms; i++)
        if (m->sms[i].replied)
            next = (of = sm_memory_advance(&m->sms[i], now)) < next ? of : next;
    return next;
}

/* ---- where transactions end -------------------------------------------------------------------------------------- */

static bool count_level(struct level *l, enum draw_level here, bool last)
{
    l->here = here;
    l->last = last;
    return l->served || (l->served = calloc(1, sizeof *l->served));
}

bool memory_system_count_served(struct memory_system *m)
{
    bool fine = true, l1 = m->layout.l1.keeps, l2 = m->layout.l2.keeps;
    for (uint32_t i = 0; fine && l1 && i < m->layout.sms; i++)
        for (uint32_t c = 0; fine && c < m->layout.l1_count; c++)
            fine = count_level(&m->sms[i].l1[c].level, LEVEL_L1, !l2);
    for (uint32_t i = 0; fine && l2 && i < m->layout.slices.count; i++)
        fine = count_level(&m->slices[i].level, LEVEL_L2, true);
    return fine;
}

static void take_served(struct level *l, struct served *to)
{
    if (l->served)
        served_move(to, l->served);
}

void memory_system_served(struct memory_system *m, struct served *to)
{
    for (uint32_t i = 0; i < m->layout.sms; i++)
        for (uint32_t c = 0; c < m->layout.l1_count; c++)
            take_served(&m->sms[i].l1[c].level, to);
    for (uint32_t i = 0; i < m->layout.slices.count; i++)
        take_served(&m->slices[i].level, to);
}

/* Adds the fields of a component's counts, all of them numbers, and sets them to 0. */
static void add_counts(void *to, void *from, size_t size)
{
    uint64_t *sum = to, *count = from;
    for (size_t i = 0; i < size / sizeof *sum; i++) {
        sum[i] += count[i];
        count[i] = 0;
    }
}
#define ADD_COUNTS(to, from) add_counts(&(to), &(from), sizeof(to))

/* Those of the channels' models, until the end of the launch. A memory that draws has none: nothing reaches it. */
static void count_channels(struct memory_system *m, uint64_t cycle, struct memory_counts *sum)
{
    const struct model *model = &m->layout.dram->model;
    for (uint32_t i = 0; i < m->layout.channels.count; i++) {
        ADD_COUNTS(sum->dram, m->channels[i].counts);
        if (model->counted)
            move_counters(model->counted(m->channels[i].state, cycle), model->counter_count, sum->dram_counters,
                          m->channels[i].counters);
    }
}

void memory_system_move_counters(struct memory_system *m, uint64_t *to)
{
    unsigned count = m->layout.machine->dram.model->counter_count;
    for (uint32_t i = 0; i < m->layout.channels.count; i++)
        add_counts(to + i * count, m->channels[i].counters, count * sizeof *to);
}

static void count(struct memory_system *m, uint64_t cycle, struct memory_counts *sum)
{
    for (uint32_t i = 0; i < m->layout.sms; i++) {
        struct sm_memory *sm = &m->sms[i];
        ADD_COUNTS(sum->icache, sm->icache_counts);
        ADD_COUNTS(sum->constants, sm->constant_counts);
        ADD_COUNTS(sum->dram, sm->dram_counts);
        ADD_COUNTS(sum->port, sm->port_counts);
        for (uint32_t c = 0; c < m->layout.l1_count; c++)
            ADD_COUNTS(sum->l1, sm->l1[c].level.counts);
    }
    for (uint32_t i = 0; m->layout.l2.keeps && i < m->layout.slices.count; i++)
        ADD_COUNTS(sum->l2, m->slices[i].level.counts);
    ADD_COUNTS(sum->tlb, m->translation.counts);
    count_channels(m, cycle, sum);
}

bool memory_system_end_launch(struct memory_system *m, uint64_t cycles, struct statistics *s, struct rp_error *err)
{
    for (uint64_t now = cycles; now != MEMORY_NEVER && !m->failed;)
        now = advance_all(m, now);
    count(m, m->clock + cycles, &s->memory);
    m->clock += cycles;
    calendar_reset(&m->calendar, m->clock);
    for (uint32_t i = 0; i < m->layout.sms; i++) {
        m->sms[i].origin = m->clock;
        m->sms[i].stepped_to = 0;
    }
    return !memory_system_failed(m) || rp_fail(err, RP_SYSTEM, "out of memory for requests to memory");
}
