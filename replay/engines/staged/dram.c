/* Channels of device memory (docs/accelsim.md, rule 10). */
#include <stdlib.h>

#include "replay/engines/staged/staged.h"

static uint32_t bank_of(uint64_t a) { return (uint32_t)(a >> 12 & 7) << 1 | (uint32_t)(a >> 7 & 1); }
static uint32_t row_of(uint64_t a) { return (uint32_t)(a >> 15 & 0x1fff); }

static void give_back(struct channel *c, unsigned slice)
{
    *(c->credits[slice] ? &c->credits[slice] : &c->shared) -= 1;
}

static bool borrow(const struct staged *g, struct channel *c, unsigned slice, bool really)
{
    uint64_t most = (uint64_t)(g->dram[STAGED_DRAM_QUEUE] + g->dram[STAGED_DRAM_RETURNS] - g->channel_slices + 1);
    if (c->credits[slice] >= 1 && c->shared >= most)
        return false;
    if (really) {
        c->last = slice;
        *(c->credits[slice] < 1 ? &c->credits[slice] : &c->shared) += 1;
    }
    return true;
}

static bool accept(struct staged *g, struct channel *c, struct slice *slices)
{
    unsigned count = (unsigned)g->channel_slices;
    for (unsigned i = 0, last = c->last; i < count; i++) {
        unsigned at = (i + last + 1) % count;
        struct slice *s = &slices[at];
        if (!s->to_dram.count || s->from_dram.count >= g->slice_queues || !borrow(g, c, at, false))
            continue;
        if (dram_channel_full(c->dram))
            return false;
        struct packet *p = fifo_pop(&s->to_dram);
        p->ready = g->cycle + (uint64_t)g->dram[STAGED_DRAM_LATENCY];
        staged_push(g, &c->waiting, p);
        borrow(g, c, at, true);
        s->wake = 0;
        return true;
    }
    return false;
}

static uint64_t place_of(const struct staged *g, const struct packet *p)
{
    uint64_t slices = (uint64_t)g->channel_slices;
    if (p->kind != PACKET_WRITE_BACK)
        return staged_within_channel(g, p->address);
    return slices == 2 ? p->address << 8 | (uint64_t)(p->slice & 1) << 7 : p->address << 7;
}

static void enter_channel(struct staged *g, struct channel *c)
{
    struct packet *p = fifo_pop(&c->waiting);
    uint64_t place = place_of(g, p);
    const struct dram_command command = {.request = p,
                                         .bank = bank_of(place),
                                         .row = row_of(place),
                                         .sectors = p->kind == PACKET_WRITE_BACK ? p->sectors : 1,
                                         .write = p->kind == PACKET_WRITE_BACK};
    g->statistics->memory.dram.accesses += command.sectors;
    g->statistics->memory.dram.writes += command.write ? command.sectors : 0;
    g->no_memory |= !dram_channel_push(c->dram, &command);
}

static void channel_cycle(struct staged *g, unsigned number)
{
    struct channel *c = &g->channels[number];
    unsigned count = (unsigned)g->channel_slices;
    struct slice *slices = &g->slices[number * count];
    struct packet *p = dram_channel_answer(c->dram);
    bool goes_on = false;
    if (p && slices[p->slice % count].from_dram.count < g->slice_queues) {
        staged_push(g, &slices[p->slice % count].from_dram, p);
        slices[p->slice % count].wake = 0;
        give_back(c, p->slice % count);
        dram_channel_take(c->dram);
    }
    if ((p = dram_channel_cycle(c->dram, g->dram_cycle))) {
        give_back(c, p->slice % count);
        staged_packet_free(g, p);
    }
    goes_on |= accept(g, c, slices);
    p = fifo_top(&c->waiting);
    if (p && g->cycle >= p->ready && !dram_channel_full(c->dram)) {
        enter_channel(g, c);
        goes_on = true;
    }
    p = dram_channel_answer(c->dram);
    goes_on |= p && slices[p->slice % count].from_dram.count < g->slice_queues;
    p = fifo_top(&c->waiting);
    staged_stir(g);
    c->wake = goes_on ? 0 : dram_channel_next(c->dram);
    c->wake_core = p && p->ready > g->cycle ? p->ready : UINT64_MAX;
}

/* Device memory without a time: what a slice asks for comes back, what it writes back is done. */
static void answer_at_once(struct staged *g, struct slice *s)
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
        staged_stir(g);
    }
}

void staged_dram_cycle(struct staged *g)
{
    for (unsigned i = 0; !g->has_dram && i < g->slice_count; i++)
        answer_at_once(g, &g->slices[i]);
    if (!g->has_dram)
        return;
    for (unsigned i = 0; i < (unsigned)g->machine->dram_channels; i++)
        if (g->channels[i].wake <= g->dram_cycle || g->channels[i].wake_core <= g->cycle || !g->skips)
            channel_cycle(g, i);
    g->dram_cycle++;
}

void staged_dram_count(struct staged *g, uint64_t *channels)
{
    for (unsigned i = 0; g->has_dram && i < (unsigned)g->machine->dram_channels; i++)
        move_counters(dram_channel_counts(g->channels[i].dram), DRAM_COMMANDS, g->statistics->memory.dram_counters,
                      channels + i * DRAM_COMMANDS);
}

bool staged_dram_new(struct staged *g)
{
    int64_t count = g->machine->dram_channels;
    g->channels = calloc((size_t)count, sizeof *g->channels);
    if (!g->channels || !g->has_dram)
        return g->channels;
#define T(id) (uint32_t) g->dram[STAGED_DRAM_##id]
    const struct dram_timing timing = {.banks = T(BANKS),
                                       .groups = T(GROUPS),
                                       .queue = T(QUEUE),
                                       .returns = T(RETURNS),
                                       .ccd = T(T_CCD),
                                       .ccdl = T(T_CCDL),
                                       .rrd = T(T_RRD),
                                       .rcd = T(T_RCD),
                                       .ras = T(T_RAS),
                                       .rp = T(T_RP),
                                       .rc = T(T_RC),
                                       .cl = T(T_CL),
                                       .wl = T(T_WL),
                                       .cdlr = T(T_CDLR),
                                       .wr = T(T_WR),
                                       .burst = T(T_BURST),
                                       .rtpl = T(T_RTPL),
                                       .fcfs = T(SCHEDULER)};
#undef T
    for (int64_t i = 0; i < count; i++) {
        g->channels[i].last = (unsigned)g->channel_slices - 1; /* so that the first slice has the first turn */
        if (!(g->channels[i].dram = dram_channel_new(&timing)))
            return false;
    }
    return true;
}

void staged_dram_free(struct staged *g)
{
    for (int64_t i = 0; g->channels && i < g->machine->dram_channels; i++) {
        free(g->channels[i].waiting.item);
        dram_channel_free(g->channels[i].dram);
    }
    free(g->channels);
}
