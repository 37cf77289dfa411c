/* Channels of device memory, each with the machine's model of it. Requests that it refuses wait in their order. */
#include <stdlib.h>

#include "replay/engines/cores/chip.h"

/* The data of a read are there in this cycle, and go to the bank. */
static void channel_answer(struct chip *c, uint32_t channel, uint32_t number, uint64_t cycle)
{
    const struct miss *m = &c->misses[number];
    uint64_t bytes = UINT64_C(1) << c->l2_shift;
    uint64_t arrives =
        cycle + mesh_send(c, c->channels[channel].tile, c->banks[m->bank].tile, bytes, &c->cores[m->core].counts);
    chip_add_event(c, arrives, EVENT_FILL, m->bank, c->number++, number);
}

static void advance_at(struct chip *c, uint32_t channel, uint64_t cycle)
{
    struct channel *ch = &c->channels[channel];
    if (cycle == DRAM_UNKNOWN || ch->advance <= cycle)
        return;
    ch->advance = cycle;
    chip_add_event(c, cycle, EVENT_ADVANCE, channel, c->number++, 0);
}

/* Offers a request to the model. False: it has no room. */
static bool channel_offer(struct chip *c, uint32_t channel, const struct refused *r)
{
    struct channel *ch = &c->channels[channel];
    const struct dram_request request = {.address = memory_local(&c->parts, r->address),
                                         .sectors = (uint32_t)((UINT64_C(1) << c->l2_shift) / c->dram_sector),
                                         .name = r->miss,
                                         .write = r->miss == NOBODY};
    uint64_t cycle;
    enum dram_status status = c->dram->offer(ch->state, &request, c->now, &cycle);
    if (status == DRAM_FULL) {
        advance_at(c, channel, cycle == DRAM_UNKNOWN || cycle > c->now ? cycle : c->now + 1);
        return false;
    }
    c->counts->memory.dram.accesses += request.sectors;
    c->counts->memory.dram.writes += request.write ? request.sectors : 0;
    if (status == DRAM_PENDING)
        advance_at(c, channel, cycle > c->now ? cycle : c->now + 1);
    else if (!request.write)
        channel_answer(c, channel, r->miss, cycle);
    return true;
}

static void channel_wait(struct chip *c, struct channel *ch, struct refused r)
{
    if (ch->waiting_count == ch->waiting_room) {
        size_t room = ch->waiting_room ? 2 * ch->waiting_room : 64;
        struct refused *more = realloc(ch->waiting, room * sizeof *more);
        if (!more) {
            chip_out_of_memory(c);
            return;
        }
        ch->waiting = more;
        ch->waiting_room = room;
    }
    ch->waiting[ch->waiting_count++] = r;
}

static void channel_take(struct chip *c, uint32_t channel, struct refused r)
{
    struct channel *ch = &c->channels[channel];
    if (ch->waiting_first < ch->waiting_count || !channel_offer(c, channel, &r))
        channel_wait(c, ch, r);
}

void channel_read(struct chip *c, uint32_t channel, uint32_t number)
{
    channel_take(c, channel,
                 (struct refused){.address = (uint64_t)c->misses[number].line << c->l2_shift, .miss = number});
}

void channel_write(struct chip *c, uint32_t channel, uint32_t line)
{
    channel_take(c, channel, (struct refused){.address = (uint64_t)line << c->l2_shift, .miss = NOBODY});
}

static void channel_retry(struct chip *c, uint32_t channel)
{
    struct channel *ch = &c->channels[channel];
    while (ch->waiting_first < ch->waiting_count && channel_offer(c, channel, &ch->waiting[ch->waiting_first]))
        ch->waiting_first++;
    if (ch->waiting_first == ch->waiting_count)
        ch->waiting_first = ch->waiting_count = 0;
}

void channel_advance(struct chip *c, uint32_t channel)
{
    struct channel *ch = &c->channels[channel];
    if (ch->advance != c->now)
        return; /* another event of this channel came instead */
    ch->advance = ENGINE_NEVER;
    struct dram_done done[DRAM_MOST_DONE];
    uint32_t count = 0;
    bool room = true;
    uint64_t next = DRAM_UNKNOWN;
    if (c->dram->advance)
        next = c->dram->advance(ch->state, c->now, done, &count, &room);
    for (uint32_t i = 0; i < count; i++)
        if (done[i].name != NOBODY)
            channel_answer(c, channel, done[i].name, done[i].cycle);
    advance_at(c, channel, next == DRAM_UNKNOWN || next > c->now ? next : c->now + 1);
    channel_retry(c, channel);
}
