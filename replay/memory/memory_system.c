/* The memory system as a whole: making it, and what happens between launches. */
#include "replay/memory/chip.h"

#include <stdlib.h>

#include "replay/base/carveout.h"

static bool open_slice(struct memory_system *m, uint32_t i)
{
    struct slice *s = &m->slices[i];
    s->index = i;
    s->refused_first = NO_ID;
    return level_open(&s->level, RESPONSE_L2, &m->layout.l2, &m->layout.slice);
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
    m->gpcs = calloc((size_t)l->machine->gpcs, sizeof *m->gpcs);
    bool fine = m->ports && m->slices && m->channels && m->gpcs && translation_open(&m->translation, l);
    for (uint32_t i = 0; fine && i < l->sms; i++)
        m->ports[i].gpc = i % (uint32_t)l->machine->gpcs;
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
        free(m->ports[i].replies.items);
    }
    free(m->ports);
    free(m->gpcs);
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
        fine = sm_memory_open(&m->sms[i], l, i, m->short_cuts);
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
        m->on_arrival = short_cuts && m->layout.chip_unbounded;
        m->analytic = chip_is_analytic(m);
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

/* An SM that was not used needs a new clock only. */
static bool clear_sm(struct memory_system *m, struct sm_memory *s)
{
    s->origin = 0;
    if (!s->used)
        return true;
    sm_memory_close(s);
    return sm_memory_open(s, &m->layout, s->number, m->short_cuts);
}

bool memory_system_clear(struct memory_system *m, struct rp_error *err)
{
    bool fine = true;
    for (uint32_t i = 0; fine && i < m->layout.sms; i++)
        fine = clear_sm(m, &m->sms[i]);
    close_chip(m);
    m->clock = 0;
    m->asked = m->taken = m->touched = 0;
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

/* Fills chunk after chunk of the interleaving, each in its slice. */
void memory_system_warm_bytes(struct memory_system *m, uint64_t address, uint64_t size)
{
    const struct memory_parts *parts = &m->layout.slices;
    const struct cache_model *model = m->layout.l2.model;
    uint64_t lines, line = memory_system_l2_line(m, &lines), capacity = lines * line;
    if (parts->count == 1) {
        model->preload(m->slices[0].level.state, address, size);
        return;
    }
    if (size > capacity) { /* the bytes before would be replaced by these */
        address += size - capacity;
        size = capacity;
    }
    for (uint64_t at = address, end = address + size, next; at < end; at = next) {
        next = (at / parts->interleave + 1) * parts->interleave;
        next = next < end ? next : end;
        model->preload(m->slices[memory_part_of(parts, at)].level.state, memory_local(parts, at), next - at);
    }
}

uint64_t memory_system_l2_sector(const struct memory_system *m)
{
    return m->layout.l2.keeps ? m->layout.l2.shape.sector : 0;
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
    if (!m->analytic || !l->l2.keeps || l->port_queue != MEMORY_ANY)
        return l->lookahead;
    return l->port_latency + l->l2.shape.latency; /* responses to misses of L2 are known on arrival, too */
}

bool memory_system_is_light(const struct memory_system *m) { return m->analytic; }
uint64_t memory_system_request_latency(const struct memory_system *m) { return m->layout.port_latency; }
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

/* Advances SMs and chip to this cycle. Returns the next cycle in which something happens. */
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

/* ---- observers --------------------------------------------------------------------------------------------------- */

static void report_command(void *data, enum dram_command_kind what, uint32_t bank, uint64_t row, uint64_t cycle)
{
    const struct channel *c = data;
    const struct memory_listener *to = c->to;
    to->observer->dram(
        to->observer->data,
        &(struct observed_dram){
            .channel = c->index, .bank = bank, .command = what, .row = row, .cycle = cycle - to->origin});
}

static void observe_channel(struct memory_system *m, uint32_t index, const struct memory_listener *to)
{
    struct channel *c = &m->channels[index];
    c->index = index;
    c->to = to;
    c->listener = (struct dram_listener){report_command, c};
    if (m->layout.dram->listen)
        m->layout.dram->listen(c->state, to ? &c->listener : NULL);
}

void memory_system_observe(struct memory_system *m, const struct observer *o, uint64_t now)
{
    m->listener = (struct memory_listener){o, m->clock - now};
    const struct memory_listener *accesses = o && o->access ? &m->listener : NULL;
    const struct memory_listener *commands = o && o->dram ? &m->listener : NULL;
    for (uint32_t i = 0; i < m->layout.sms; i++)
        for (uint32_t c = 0; c < m->layout.l1_count; c++) {
            m->sms[i].l1[c].level.listener = m->layout.l1.keeps ? accesses : NULL;
            m->sms[i].l1[c].level.last = !m->layout.l2.keeps;
        }
    for (uint32_t i = 0; i < m->layout.slices.count; i++) {
        m->slices[i].level.listener = m->layout.l2.keeps ? accesses : NULL;
        m->slices[i].level.last = true;
    }
    for (uint32_t i = 0; i < m->layout.channels.count; i++)
        observe_channel(m, i, commands);
}

/* Adds a component's counts, a structure of numbers only, and resets them. */
static void add_counts(void *to, void *from, size_t size)
{
    uint64_t *sum = to, *count = from;
    for (size_t i = 0; i < size / sizeof *sum; i++) {
        sum[i] += count[i];
        count[i] = 0;
    }
}
#define ADD_COUNTS(to, from) add_counts(&(to), &(from), sizeof(to))

/* Adds the counts of the channels' models up to the end of the launch. With sampled latencies there are none, as
 * nothing reaches the channels. */
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
    m->asked = m->taken = m->touched = 0;
    calendar_reset(&m->calendar, m->clock);
    for (uint32_t i = 0; i < m->layout.sms; i++) {
        sm_memory_settle(&m->sms[i]);
        m->sms[i].origin = m->clock;
        m->sms[i].stepped_to = 0;
    }
    return !memory_system_failed(m) || rp_fail(err, RP_SYSTEM, "out of memory for requests to memory");
}
