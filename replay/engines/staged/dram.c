/* Channels of device memory (docs/accelsim.md, rule 10). */
#include <stdlib.h>

#include "replay/engines/staged/staged.h"

static void give_back(struct channel *c, unsigned slice)
{
    *(c->credits[slice] ? &c->credits[slice] : &c->shared) -= 1;
}

static bool borrow(const struct staged *g, struct channel *c, unsigned slice, bool really)
{
    if (c->credits[slice] >= 1 && c->shared >= g->channel_most)
        return false;
    if (really) {
        c->last = slice;
        *(c->credits[slice] < 1 ? &c->credits[slice] : &c->shared) += 1;
    }
    return true;
}

static bool accept(struct staged *g, struct channel *c, struct slice *slices)
{
    unsigned count = g->layout.channel_slices.count;
    for (unsigned i = 0, last = c->last; i < count; i++) {
        unsigned at = (i + last + 1) % count;
        struct slice *s = &slices[at];
        if (!s->to_dram.count || s->from_dram.count >= g->slice_queues || !borrow(g, c, at, false))
            continue;
        if (g->dram->full(c->dram))
            return false;
        struct packet *p = fifo_pop(&s->to_dram);
        p->ready = g->cycle + g->channel_latency;
        staged_push(g, &c->waiting, p);
        borrow(g, c, at, true);
        s->wake = 0;
        return true;
    }
    return false;
}

static uint64_t place_of(const struct staged *g, const struct packet *p)
{
    const struct memory_parts *slices = &g->layout.channel_slices;
    if (p->kind != PACKET_WRITE_BACK)
        return memory_local(&g->layout.channels, p->address);
    return memory_global(slices, p->slice % slices->count, p->address * STEPPED_LINE);
}

static void enter_channel(struct staged *g, struct channel *c)
{
    struct packet *p = fifo_pop(&c->waiting);
    const struct dram_command command = {.request = p,
                                         .address = place_of(g, p),
                                         .sectors = p->kind == PACKET_WRITE_BACK ? p->sectors : 1,
                                         .write = p->kind == PACKET_WRITE_BACK};
    g->statistics->memory.dram.accesses += command.sectors;
    g->statistics->memory.dram.writes += command.write ? command.sectors : 0;
    g->no_memory |= !g->dram->push(c->dram, &command);
}

static void channel_cycle(struct staged *g, unsigned number)
{
    struct channel *c = &g->channels[number];
    unsigned count = g->layout.channel_slices.count;
    struct slice *slices = &g->slices[number * count];
    struct packet *p = g->dram->response(c->dram);
    bool goes_on = false;
    if (p && slices[p->slice % count].from_dram.count < g->slice_queues) {
        staged_push(g, &slices[p->slice % count].from_dram, p);
        slices[p->slice % count].wake = 0;
        give_back(c, p->slice % count);
        g->dram->take(c->dram);
    }
    if ((p = g->dram->cycle(c->dram, g->dram_cycle))) {
        give_back(c, p->slice % count);
        staged_packet_free(g, p);
    }
    goes_on |= accept(g, c, slices);
    p = fifo_top(&c->waiting);
    if (p && g->cycle >= p->ready && !g->dram->full(c->dram)) {
        enter_channel(g, c);
        goes_on = true;
    }
    p = g->dram->response(c->dram);
    goes_on |= p && slices[p->slice % count].from_dram.count < g->slice_queues;
    p = fifo_top(&c->waiting);
    staged_mark_busy(g);
    c->wake = goes_on ? 0 : g->dram->next(c->dram);
    c->wake_core = p && p->ready > g->cycle ? p->ready : UINT64_MAX;
}

/* Device memory that takes no time: reads come back at once, and write-backs are done. */
static void respond_at_once(struct staged *g, struct slice *s)
{
    while (s->to_dram.count && s->from_dram.count < g->slice_queues) {
        struct packet *p = fifo_pop(&s->to_dram);
        bool write = p->kind == PACKET_WRITE_BACK;
        uint32_t sectors = write ? p->sectors : 1;
        g->statistics->memory.dram.accesses += sectors;
        g->statistics->memory.dram.writes += write ? sectors : 0;
        if (write)
            staged_packet_free(g, p);
        else
            staged_push(g, &s->from_dram, p);
        s->wake = 0;
        staged_mark_busy(g);
    }
}

void staged_dram_cycle(struct staged *g)
{
    for (unsigned i = 0; !g->dram && i < g->slice_count; i++)
        respond_at_once(g, &g->slices[i]);
    if (!g->dram)
        return;
    for (unsigned i = 0; i < g->layout.channels.count; i++)
        if (g->channels[i].wake <= g->dram_cycle || g->channels[i].wake_core <= g->cycle || !g->skips)
            channel_cycle(g, i);
    g->dram_cycle++;
}

void staged_dram_count(struct staged *g, uint64_t *channels)
{
    const struct model *m = g->machine->dram.model;
    for (unsigned i = 0; g->dram && m->counted && i < g->layout.channels.count; i++)
        move_counters(m->counted(g->channels[i].dram, g->dram_cycle), m->counter_count,
                      g->statistics->memory.dram_counters, channels + i * m->counter_count);
}

bool staged_dram_new(struct staged *g)
{
    uint32_t count = g->layout.channels.count;
    g->channels = calloc(count, sizeof *g->channels);
    if (!g->channels || !g->dram)
        return g->channels;
    for (uint32_t i = 0; i < count; i++) {
        g->channels[i].last = g->layout.channel_slices.count - 1; /* so that the first slice has the first turn */
        if (!(g->channels[i].dram = g->dram->open(g->machine->dram.options)))
            return false;
    }
    return true;
}

void staged_dram_free(struct staged *g)
{
    for (uint32_t i = 0; g->channels && i < g->layout.channels.count; i++) {
        free(g->channels[i].waiting.item);
        if (g->dram)
            g->dram->close(g->channels[i].dram);
    }
    free(g->channels);
}
