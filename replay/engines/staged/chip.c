/* Crossbar and slices of L2 (docs/accelsim.md, rules 9 and 10). */
#include <stdlib.h>

#include "replay/engines/staged/staged.h"

bool fifo_push(struct fifo *f, void *item)
{
    if (f->count == f->room) {
        uint32_t room = f->room ? 2 * f->room : 16;
        void **larger = malloc(room * sizeof *larger);
        if (!larger)
            return false;
        for (uint32_t i = 0; i < f->count; i++)
            larger[i] = f->item[(f->head + i) & (f->room - 1)];
        free(f->item);
        *f = (struct fifo){larger, 0, f->count, room};
    }
    f->item[(f->head + f->count++) & (f->room - 1)] = item;
    return true;
}

#define SLAB 256
struct packet_slab {
    struct packet_slab *next;
    struct packet packets[SLAB];
};

struct packet *staged_packet(struct staged *g)
{
    static struct packet none; /* without host memory the run ends after this cycle */
    if (!g->spare_packets) {
        struct packet_slab *slab = calloc(1, sizeof *slab);
        if (!slab) {
            g->no_memory = true;
            return &none;
        }
        slab->next = g->slabs;
        g->slabs = slab;
        for (unsigned i = 0; i < SLAB; i++)
            staged_packet_free(g, &slab->packets[i]);
    }
    struct packet *p = g->spare_packets;
    g->spare_packets = p->next;
    *p = (struct packet){0};
    return p;
}

void staged_packet_free(struct staged *g, struct packet *p)
{
    p->next = g->spare_packets;
    g->spare_packets = p;
}

/* ---- addresses --------------------------------------------------------------------------------------------------- */

/* Slices are numbered by channel. In other hierarchies the slice (l2.interleave) and the channel (dram.interleave) of
 * an address do not depend on each other; in Accel-Sim the slice is one of the channel's. */
unsigned staged_slice_of(const struct staged *g, uint64_t address)
{
    const struct memory_parts *slices = &g->layout.channel_slices;
    return memory_part_of(&g->layout.channels, address) * slices->count + memory_part_of(slices, address);
}

/* A line's number in its slice. */
static uint64_t line_of(const struct staged *g, uint64_t address)
{
    const struct memory_layout *l = &g->layout;
    return memory_local(&l->channel_slices, memory_local(&l->channels, address)) / STEPPED_LINE;
}

/* Accel-Sim hashes these bits of the number of a line, and ignores those above. */
#define HASHED_BITS 25
static uint32_t set_of(const struct staged *g, uint64_t line)
{
    return set_hash(&g->l2_sets, line & ((1ull << HASHED_BITS) - 1));
}

static unsigned sector_of(uint64_t address) { return (unsigned)(address >> 5 & 3); }

/* ---- crossbar ---------------------------------------------------------------------------------------------------- */

bool staged_crossbar_room(const struct staged *g, const struct crossbar *x, unsigned in)
{
    return !g->has_crossbar || x->in[in].count < (uint64_t)g->o[STAGED_CROSSBAR_BUFFER];
}

/* The input has a new first packet. */
static void new_head(struct crossbar *x, unsigned in)
{
    const struct packet *p = fifo_top(&x->in[in]);
    if (!p)
        return;
    unsigned out = x->requests ? p->slice : p->sm;
    set_add(&x->heads[out * x->words], in);
    set_add(x->asked, out);
}

void staged_crossbar_send(struct staged *g, struct crossbar *x, unsigned in, struct packet *p)
{
    staged_push(g, &x->in[in], p);
    g->statistics->memory.port.requests += x->requests;
    if (x->in[in].count == 1 && g->has_crossbar)
        new_head(x, in);
}

/* Wakes the SM that waits for room at the input, and the slice that waits for packets at the output. */
static void wake_ends(struct staged *g, const struct crossbar *x, unsigned in, unsigned out)
{
    if (!x->requests)
        return; /* SMs look for replies, and slices for room, in every cycle */
    if (x->in[in].count + 1 == (uint64_t)g->o[STAGED_CROSSBAR_BUFFER])
        g->sms[in].wake = 0;
    g->slices[out].wake = 0;
}

static void serve_output(struct staged *g, struct crossbar *x, unsigned out)
{
    uint64_t *heads = &x->heads[out * x->words];
    unsigned in = set_next(heads, x->next[out], x->ins);
    in = in < x->ins ? in : set_next(heads, 0, x->ins);
    staged_push(g, &x->out[out], fifo_pop(&x->in[in]));
    x->next[out] = in + 1 < x->ins ? in + 1 : 0;
    set_remove(heads, in);
    if (set_next(heads, 0, x->ins) == x->ins)
        set_remove(x->asked, out);
    new_head(x, in);
    wake_ends(g, x, in, out);
    staged_mark_busy(g);
}

/* Moves all packets to their outputs. */
static void pass_through(struct staged *g, struct crossbar *x)
{
    for (unsigned in = 0; in < x->ins; in++)
        for (struct packet *p; (p = fifo_pop(&x->in[in]));) {
            unsigned out = x->requests ? p->slice : p->sm;
            staged_push(g, &x->out[out], p);
            wake_ends(g, x, in, out);
            staged_mark_busy(g);
        }
}

/* Each output takes the first packet of one input; inputs take turns. One input may serve several outputs, in their
 * order. */
void staged_crossbar_cycle(struct staged *g, struct crossbar *x)
{
    if (!g->has_crossbar) {
        pass_through(g, x);
        return;
    }
    for (unsigned out = 0; (out = set_next(x->asked, out, x->outs)) < x->outs; out++)
        if (x->out[out].count < (uint64_t)g->o[STAGED_CROSSBAR_BUFFER])
            serve_output(g, x, out);
}

/* ---- slices ------------------------------------------------------------------------------------------------------ */

void staged_slices_reply(struct staged *g)
{
    for (unsigned i = 0; i < g->slice_count; i++) {
        if (!g->slices[i].out.count || !staged_crossbar_room(g, &g->replies, i))
            continue;
        staged_crossbar_send(g, &g->replies, i, fifo_pop(&g->slices[i].out));
        g->slices[i].wake = 0;
        staged_mark_busy(g);
    }
}

static void send_back(struct staged *g, struct slice *s, const struct sector_victim *v, const struct packet *because)
{
    if (!v->sectors)
        return;
    struct packet *p = staged_packet(g);
    *p = (struct packet){.kind = PACKET_WRITE_BACK, .sectors = v->sectors, .slice = because->slice};
    p->address = v->line; /* the number of the line in the slice: device memory needs no more */
    g->statistics->memory.l2.written_back += v->sectors;
    staged_push(g, &s->misses, p);
}

/* Reports that the packet ends here. Writes do, whether they hit or not. */
static void report_end(const struct staged *g, const struct packet *p, enum sector_find found)
{
    enum cache_kind kind = p->kind == PACKET_READ ? CACHE_READ : p->kind == PACKET_WRITE ? CACHE_WRITE : CACHE_ATOMIC;
    bool ends_here = g->l2 && (p->kind == PACKET_WRITE || found != SECTOR_MISS);
    if (p->kind != PACKET_WRITE_BACK)
        staged_report_access(g, p, kind, ends_here ? RESPONSE_L2 : RESPONSE_DRAM);
}

/* False: nothing was done. */
static bool look_up(struct staged *g, struct slice *s)
{
    struct packet *p = fifo_top(&s->in);
    struct sector_victim victim;
    uint64_t queues = g->slice_queues, room = g->l2_misses;
    if (!p || s->to_dram.count >= queues || s->out.count >= queues || g->l2_cycle < s->port_free)
        return false;
    uint64_t line = line_of(g, p->address), now = g->cycle + s->copies;
    enum sector_find found;
    if (p->kind == PACKET_WRITE)
        found = g->l2->write(s->l2, line, set_of(g, line), sector_of(p->address), p->bytes, now, s->misses.count < room,
                             &victim);
    else
        found = g->l2->read(s->l2, line, set_of(g, line), sector_of(p->address), now, s->misses.count + 1 < room,
                            p->kind == PACKET_ATOMIC, p, &victim);
    if (found == SECTOR_REFUSED)
        return false;
    fifo_pop(&s->in);
    g->statistics->memory.l2.hits += found == SECTOR_HIT || found == SECTOR_MERGED;
    g->statistics->memory.l2.misses += found == SECTOR_MISS;
    g->statistics->memory.l2.fetches += found == SECTOR_MISS && p->kind != PACKET_WRITE;
    report_end(g, p, found);
    p->level = p->kind == PACKET_WRITE || found == SECTOR_HIT ? RESPONSE_L2 : RESPONSE_DRAM;
    if (found == SECTOR_HIT)
        s->port_free = g->l2_cycle + 1;
    if (p->kind == PACKET_WRITE) {
        if (found != SECTOR_HIT)
            s->port_free = g->l2_cycle + victim.sectors;
        staged_push(g, &s->out, p);
    } else if (found == SECTOR_HIT)
        staged_push(g, &s->out, p);
    else if (found == SECTOR_MISS)
        staged_push(g, &s->misses, p);
    send_back(g, s, &victim, p);
    return true;
}

/* A slice without a cache: it sends reads and atomics to device memory. Writes, and the writes of atomics, it sends
 * there as write-backs. False: nothing was done. */
static bool pass_on(struct staged *g, struct slice *s)
{
    struct packet *p = fifo_top(&s->in);
    if (!p || s->misses.count + 2 > g->slice_queues || s->out.count >= g->slice_queues)
        return false;
    fifo_pop(&s->in);
    p->level = RESPONSE_DRAM;
    report_end(g, p, SECTOR_MISS);
    staged_push(g, p->kind == PACKET_WRITE ? &s->out : &s->misses, p);
    if (p->kind == PACKET_READ)
        return true;
    struct packet *w = staged_packet(g);
    *w = (struct packet){.kind = PACKET_WRITE_BACK, .sectors = 1, .slice = p->slice, .address = line_of(g, p->address)};
    staged_push(g, &s->misses, w);
    return true;
}

static struct channel *channel_of(struct staged *g, unsigned slice)
{
    return &g->channels[slice / g->layout.channel_slices.count];
}

/* The next cycle of the core in which the slice may do something by itself. */
static uint64_t next_of_slice(const struct staged *g, const struct slice *s)
{
    const struct packet *p = fifo_top(&s->rop);
    uint64_t next = p && p->ready > g->cycle ? p->ready : UINT64_MAX;
    if (!s->in.count || s->port_free <= g->l2_cycle)
        return next;
    uint64_t port = g->one_clock ? g->cycle + (s->port_free - g->l2_cycle) : 0;
    return port < next ? port : next;
}

/* Sends a reply for data that is there, and fills the cache with data from device memory. */
static bool fill(struct staged *g, struct slice *s)
{
    struct packet *p = s->out.count < g->slice_queues ? g->l2->ready(s->l2) : NULL;
    bool changed = p != NULL;
    if (p)
        staged_push(g, &s->out, p);
    if (!(p = fifo_pop(&s->from_dram)))
        return changed;
    g->l2->fill(s->l2, line_of(g, p->address), sector_of(p->address), p->kind == PACKET_ATOMIC);
    return true;
}

/* Sends a reply for data from device memory. */
static bool hand_back(struct staged *g, struct slice *s)
{
    if (!s->from_dram.count || s->out.count >= g->slice_queues)
        return false;
    staged_push(g, &s->out, fifo_pop(&s->from_dram));
    return true;
}

static void slice_cycle(struct staged *g, unsigned number)
{
    struct slice *s = &g->slices[number];
    struct packet *p;
    uint64_t queues = g->slice_queues;
    uint32_t came = s->from_dram.count;
    bool changed = false;
    if (s->in.count + 4 <= queues && (p = fifo_pop(&g->requests.out[number]))) {
        p->ready = g->cycle + g->layout.l2.shape.latency;
        staged_push(g, &s->rop, p);
        changed = true;
    }
    changed |= g->l2 ? fill(g, s) : hand_back(g, s);
    if (s->from_dram.count < came)
        channel_of(g, number)->wake = 0;
    if (s->misses.count && s->to_dram.count < queues) {
        staged_push(g, &s->to_dram, fifo_pop(&s->misses));
        channel_of(g, number)->wake = 0;
        changed = true;
    }
    changed |= g->l2 ? look_up(g, s) : pass_on(g, s);
    p = fifo_top(&s->rop);
    if (p && g->cycle >= p->ready && s->in.count < queues) {
        staged_push(g, &s->in, fifo_pop(&s->rop));
        changed = true;
    }
    staged_mark_busy(g);
    s->wake = changed ? 0 : next_of_slice(g, s);
}

void staged_slices_cycle(struct staged *g)
{
    for (unsigned i = 0; i < g->slice_count; i++)
        if (g->slices[i].wake <= g->cycle || !g->skips)
            slice_cycle(g, i);
    g->l2_cycle++;
}

/* ---- sleep, and copies --------------------------------------------------------------------------------------------
 */

void staged_chip_next(const struct staged *g, struct staged_wake *wake)
{
    *wake = (struct staged_wake){UINT64_MAX, UINT64_MAX, UINT64_MAX, UINT64_MAX};
    for (unsigned i = 0; i < g->slice_count; i++)
        wake->l2 = g->slices[i].wake < wake->l2 ? g->slices[i].wake : wake->l2;
    for (unsigned i = 0; g->dram && i < g->layout.channels.count; i++) {
        const struct channel *c = &g->channels[i];
        wake->dram = c->wake < wake->dram ? c->wake : wake->dram;
        wake->dram_core = c->wake_core < wake->dram_core ? c->wake_core : wake->dram_core;
    }
}

/* The host has copied this to the device: it is in L2 now. */
void staged_copy(struct staged *g, uint64_t address, uint64_t size)
{
    uint64_t mask = ~0ull >> (64 - g->o[STAGED_COPY_BITS]);
    for (uint64_t at = 0; g->l2 && at < size; at += 32) {
        uint64_t a = (address + at) & mask, line = line_of(g, a);
        struct slice *s = &g->slices[staged_slice_of(g, a)];
        g->l2->preload(s->l2, line, set_of(g, line), sector_of(a), g->cycle + s->copies++);
    }
}

/* ---- all of it --------------------------------------------------------------------------------------------------- */

static bool crossbar_new(struct crossbar *x, bool requests, unsigned ins, unsigned outs)
{
    unsigned words = (ins + 63) / 64;
    *x = (struct crossbar){.ins = ins,
                           .outs = outs,
                           .requests = requests,
                           .words = words,
                           .in = calloc(ins, sizeof *x->in),
                           .out = calloc(outs, sizeof *x->out),
                           .next = calloc(outs, sizeof *x->next),
                           .heads = calloc((size_t)outs * words, sizeof *x->heads),
                           .asked = calloc((outs + 63) / 64, sizeof *x->asked)};
    return x->in && x->out && x->next && x->heads && x->asked;
}

static void crossbar_free(struct crossbar *x)
{
    for (unsigned i = 0; x->in && i < x->ins; i++)
        free(x->in[i].item);
    for (unsigned i = 0; x->out && i < x->outs; i++)
        free(x->out[i].item);
    free(x->in);
    free(x->out);
    free(x->next);
    free(x->heads);
    free(x->asked);
}

static bool caches_new(struct staged *g)
{
    const struct memory_level *l2 = &g->layout.l2;
    struct cache_shape shape = l2->shape;
    shape.back = true;
    set_hash_begin(&g->l2_sets, SET_HASH_IPOLY, (unsigned)__builtin_ctzll(shape.sets));
    for (unsigned i = 0; i < g->slice_count; i++)
        if (!(g->slices[i].l2 = g->l2->open(l2->part->options, &shape, staged_bound(l2->mshrs))))
            return false;
    return true;
}

bool staged_chip_new(struct staged *g)
{
    g->slice_count = g->layout.slices.count;
    g->slices = calloc(g->slice_count, sizeof *g->slices);
    unsigned sms = (unsigned)g->machine->sms;
    if (!g->slices || !crossbar_new(&g->requests, true, sms, g->slice_count) ||
        !crossbar_new(&g->replies, false, g->slice_count, sms))
        return false;
    if (g->l2 && !caches_new(g))
        return false;
    return staged_dram_new(g);
}

void staged_chip_free(struct staged *g)
{
    for (unsigned i = 0; g->slices && i < g->slice_count; i++) {
        struct slice *s = &g->slices[i];
        struct fifo *all[] = {&s->rop, &s->in, &s->out, &s->to_dram, &s->from_dram, &s->misses};
        for (unsigned f = 0; f < sizeof all / sizeof *all; f++)
            free(all[f]->item);
        if (g->l2)
            g->l2->close(s->l2);
    }
    staged_dram_free(g);
    crossbar_free(&g->requests);
    crossbar_free(&g->replies);
    free(g->slices);
    for (struct packet_slab *slab = g->slabs, *next; slab; slab = next) {
        next = slab->next;
        free(slab);
    }
}
