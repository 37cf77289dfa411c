#include "replay/base/layout.h"

#include <stdlib.h>
#include <string.h>

#include "hw-models/dram/stepped.h"

void *machine_part_state(const struct machine_part *part)
{
    size_t size = (part->model->state_size(part->options) + 63) / 64 * 64;
    size = size ? size : 64;
    void *state = aligned_alloc(64, size);
    if (state)
        memset(state, 0, size);
    return state;
}

static uint64_t bound(int64_t option) { return option < 0 ? MEMORY_ANY : (uint64_t)option; }

static struct memory_level level_of(const struct machine_part *part, int64_t queue, int64_t mshrs)
{
    struct memory_level l = {.model = (const struct cache_model *)part->model,
                             .part = part,
                             .clock = {1, 1},
                             .queue = bound(queue),
                             .mshrs = bound(mshrs)};
    l.keeps = l.model->keeps;
    l.tracks = l.mshrs != MEMORY_ANY || l.model->released;
    l.model->shape(part->options, &l.shape);
    return l;
}

/* The L2 part with the size of one slice. */
static struct machine_part slice_of(const struct machine_part *l2, int64_t slices)
{
    struct machine_part slice = *l2;
    for (unsigned o = 0; o < l2->model->option_count; o++)
        if (!strcmp(l2->model->options[o].key, "size"))
            slice.options[o] /= slices;
    return slice;
}

static struct memory_parts parts_of(int64_t count, int64_t interleave, int64_t hash)
{
    struct memory_parts p = {.count = (uint32_t)count,
                             .shift = (unsigned)__builtin_ctzll((uint64_t)interleave),
                             .interleave = (uint64_t)interleave,
                             .per_round = divisor_of((uint64_t)count)};
    unsigned bits = count > 1 ? 64 - (unsigned)__builtin_clzll((uint64_t)count - 1) : 0;
    if (hash != SET_HASH_NONE)
        set_hash_begin(&p.hash, (unsigned)hash, bits);
    return p;
}

/* The flits of requests to L2 and of their replies. */
static void shape_packets(struct memory_layout *l)
{
    const struct interconnect_shape *x = &l->interconnect;
    for (unsigned kind = CACHE_READ; x->flit && kind <= CACHE_ATOMIC; kind++)
        for (unsigned n = 1; n <= REQUEST_SECTORS; n++) {
            const uint64_t data = (uint64_t)n << l->sector_shift;
            const uint64_t out = kind == CACHE_READ ? 0 : data, back = kind == CACHE_WRITE ? 0 : data;
            l->departure[kind][n] = interconnect_flits(x, x->sm_flit, out);
            l->packet[kind][n] = interconnect_flits(x, x->flit, out);
            l->reply[kind][n] = interconnect_flits(x, x->flit, back);
            l->request_bytes[kind][n] = x->header + out;
            l->reply_bytes[kind][n] = x->header + back;
        }
}

static uint64_t least(uint64_t a, uint64_t b) { return a < b ? a : b; }

static uint64_t lookahead_of(const struct memory_layout *l, uint64_t dram)
{
    uint64_t l2 = clock_in_core(&l->l2.clock, l->l2.shape.latency);
    uint64_t responses = l->port_latency + (l->l2.keeps ? least(l2, dram) : dram);
    if (l->interconnect.flit) /* the link sends a reply once its data is there */
        responses = l->port_latency;
    uint64_t credits = l->port_queue == MEMORY_ANY ? UINT64_MAX : l->port_latency ? l->port_latency : 1;
    return l->immediate ? UINT64_MAX : least(responses, credits);
}

/* Where latencies are sampled (memory = stochastic), there is no hierarchy below the load/store units. */
static void leave_out_hierarchy(struct memory_layout *l)
{
    static const struct machine_part none = {.model = &cache_none.model};
    l->l1 = l->l2 = level_of(&none, -1, -1);
    l->slice = none;
    l->slices.count = l->channels.count = 1;
    l->dram = &dram_ideal;
    l->interconnect = (struct interconnect_shape){.replies = -1};
    l->translates = false;
    l->lsu_queue = l->port_queue = MEMORY_ANY;
    l->port_width = l->port_latency = l->fill = 0;
    l->request_sectors = 1;
}

void memory_layout_of(const struct machine *m, struct memory_layout *l)
{
    const int64_t *dram = m->dram.options;
    *l = (struct memory_layout){
        .machine = m,
        .sms = (uint32_t)m->sms,
        .subcores = (uint32_t)m->subcores,
        .l1_subcores = (uint32_t)m->l1_subcores,
        .l1_count = (uint32_t)(m->subcores / m->l1_subcores),
        .icache_subcores = (uint32_t)m->icache_subcores,
        .icache_count = (uint32_t)(m->subcores / m->icache_subcores),
        .slices = parts_of(m->l2_slices, m->l2_interleave, m->l2_slice_hash),
        .channels = parts_of(m->dram_channels, m->dram_interleave, m->dram_channel_hash),
        .channel_slices = parts_of(m->l2_slices / m->dram_channels, m->l2_interleave, SET_HASH_NONE),
        .dram = (const struct dram_model *)m->dram.model,
        .lsu_queue = bound(m->lsu_queue),
        .port_queue = bound(m->port_queue),
        .port_width = (uint64_t)m->port_width,
        .request_sectors = (uint32_t)m->port_sectors,
        .port_latency = (uint64_t)m->port_latency,
        .slice = slice_of(&m->l2, m->l2_slices),
        .links = clock_domain_of(m->interconnect_clock, m->clock_mhz),
        .translates = ((const struct tlb_model *)m->tlb.model)->keeps,
        .walkers = bound(m->tlb_walkers),
        .walk = (uint64_t)m->tlb_walk,
    };
    l->l1 = level_of(&m->l1, m->l1_queue, m->l1_mshrs);
    l->l2 = level_of(&l->slice, m->l2_queue, m->l2_mshrs);
    l->l2.clock = clock_domain_of(m->l2_clock, m->clock_mhz);
    l->fill = m->l2_fill && l->l2.keeps ? (uint64_t)m->l2_fill : l->l2.shape.sector;
    ((const struct interconnect_model *)m->interconnect.model)->shape(m->interconnect.options, &l->interconnect);
    uint64_t sector = l->l1.keeps ? l->l1.shape.sector : l->l2.keeps ? l->l2.shape.sector : COALESCER_FINEST;
    l->sector_shift = (unsigned)__builtin_ctzll(sector);
    shape_packets(l);
    if (((const struct memory_model *)m->memory.model)->sampled)
        leave_out_hierarchy(l);
    l->dram_clock = clock_domain_of(l->dram->stepped ? l->dram->stepped->clock(dram) : 0, m->clock_mhz);
    uint64_t ahead = l->dram->ahead(dram);
    bool links = l->interconnect.flit;
    bool single = l->request_sectors == 1;
    l->sm_unbounded = single && l->lsu_queue == MEMORY_ANY && l->port_queue == MEMORY_ANY &&
                      l->l1.queue == MEMORY_ANY && !l->l1.tracks && !links;
    l->chip_unbounded = single && l->l2.queue == MEMORY_ANY && !l->l2.tracks && !l->dram->may_refuse(dram) && !links;
    l->immediate = single && !l->l1.keeps && !l->l2.keeps && l->dram->is_fixed(dram) && !l->port_width && !links &&
                   !l->translates && l->lsu_queue == MEMORY_ANY && l->port_queue == MEMORY_ANY &&
                   l->l2.queue == MEMORY_ANY;
    l->orders_blocks = l->l1_count == 1 || !l->l1.keeps;
    l->delay = 2 * l->port_latency + ahead;
    l->lookahead = lookahead_of(l, ahead);
}
