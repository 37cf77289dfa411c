/* Banks of L2, and with coherence msi the directory of their lines. */
#include <stdlib.h>

#include "replay/engines/cores/chip.h"

/* ---- lines that device memory is asked for ------------------------------------------------------------------------
 */

static uint32_t miss_find(const struct chip *c, uint32_t line)
{
    uint32_t m = c->miss_heads[line % MISS_HEADS];
    while (m != NOBODY && c->misses[m].line != line)
        m = c->misses[m].next;
    return m;
}

static bool miss_grow(struct chip *c)
{
    uint32_t room = c->miss_room ? 2 * c->miss_room : 256;
    struct miss *more = realloc(c->misses, room * sizeof *more);
    if (!more) {
        chip_out_of_memory(c);
        return false;
    }
    c->misses = more;
    for (uint32_t m = room; m-- > c->miss_room;) {
        more[m].next = c->miss_free;
        c->miss_free = m;
    }
    c->miss_room = room;
    return true;
}

/* Asks device memory for the line, `cycle` being the end of its look-up. Returns the miss; NOBODY: out of memory. */
static uint32_t miss_begin(struct chip *c, uint32_t line, struct core *core, uint64_t cycle)
{
    if (c->miss_free == NOBODY && !miss_grow(c))
        return NOBODY;
    uint32_t number = c->miss_free, *head = &c->miss_heads[line % MISS_HEADS], bank = bank_of(c, line);
    struct miss *m = &c->misses[number];
    c->miss_free = m->next;
    *m = (struct miss){.line = line, .bank = bank, .core = core->id, .first = NOBODY, .last = NOBODY, .next = *head};
    *head = number;
    uint32_t channel = memory_part_of(&c->parts, (uint64_t)line << c->l2_shift);
    uint64_t arrives = cycle + mesh_send(c, c->banks[bank].tile, c->channels[channel].tile, 0, &core->counts);
    chip_add_event(c, arrives, EVENT_READ, channel, c->number++, number);
    return number;
}

static void miss_end(struct chip *c, uint32_t number)
{
    struct miss *m = &c->misses[number];
    uint32_t *at = &c->miss_heads[m->line % MISS_HEADS];
    while (*at != number)
        at = &c->misses[*at].next;
    *at = m->next;
    m->next = c->miss_free;
    c->miss_free = number;
}

static void miss_wait(struct chip *c, uint32_t number, struct core *core)
{
    struct miss *m = &c->misses[number];
    core->request.next = NOBODY;
    *(m->first == NOBODY ? &m->first : &c->cores[m->last].request.next) = core->id;
    m->last = core->id;
}

/* ---- lines of a bank ----------------------------------------------------------------------------------------------
 */

static uint32_t lines_number(const struct chip *c, uint32_t l2_line) { return l2_line / c->bank_count; }

/* The line comes into its bank; a dirty one that goes for it leaves for device memory. */
static void bank_install(struct chip *c, uint32_t line, enum line_state state, struct core *core, uint64_t cycle)
{
    uint32_t bank = bank_of(c, line), victim = 0;
    struct bank *b = &c->banks[bank];
    enum line_state was = lines_make_room(&b->lines, lines_number(c, line), &victim);
    lines_fill(&b->lines, lines_number(c, line), state);
    if (was != LINE_MODIFIED)
        return;
    victim = victim * c->bank_count + bank;
    c->counts->memory.l2.written_back++;
    uint32_t channel = memory_part_of(&c->parts, (uint64_t)victim << c->l2_shift);
    uint64_t arrives =
        cycle + mesh_send(c, b->tile, c->channels[channel].tile, UINT64_C(1) << c->l2_shift, &core->counts);
    chip_add_event(c, arrives, EVENT_WRITE, channel, c->number++, victim);
}

/* The bank gets dirty data of a core's line. What else its own line has comes from device memory. */
static void bank_receive(struct chip *c, uint32_t line, struct core *core, uint64_t cycle)
{
    struct bank *b = &c->banks[bank_of(c, line)];
    uint32_t slot = lines_use(&b->lines, lines_number(c, line)), miss;
    if (slot != LINES_NONE)
        b->lines.state[slot] = LINE_MODIFIED;
    else if ((miss = miss_find(c, line)) != NOBODY)
        c->misses[miss].dirty = true;
    else if (c->l1d_shift == c->l2_shift)
        bank_install(c, line, LINE_MODIFIED, core, cycle);
    else if ((miss = miss_begin(c, line, core, cycle)) != NOBODY)
        c->misses[miss].dirty = true;
}

/* The bank's next look-up, from now on: returns the cycle in which it ends. */
static uint64_t bank_look_up(const struct chip *c, struct bank *b)
{
    uint64_t start = b->free > c->now ? b->free : c->now;
    b->free = start + (uint64_t)c->machine->l2_interval;
    return start + (uint64_t)c->machine->l2_latency;
}

void bank_write_back(struct chip *c, struct core *core, uint32_t line)
{
    uint32_t l2_line = line >> (c->l2_shift - c->l1d_shift);
    uint64_t cycle = bank_look_up(c, &c->banks[bank_of(c, l2_line)]);
    bank_receive(c, l2_line, core, cycle);
}

/* ---- coherence ----------------------------------------------------------------------------------------------------
 */

/* Takes the line from another core's cache, or leaves it shared there. Returns the time of the messages there and back.
 */
static uint64_t bank_ask(struct chip *c, const struct bank *b, struct core *core, uint32_t other, bool dirty,
                         enum line_state to)
{
    struct core *holder = &c->cores[other];
    uint32_t slot = lines_find(&holder->l1d, core->request.line);
    if (slot != LINES_NONE)
        holder->l1d.state[slot] = (uint8_t)to;
    *(to == LINE_INVALID ? &holder->counts.invalidations : &holder->counts.downgrades) += 1;
    holder->counts.written_back += dirty;
    return mesh_send(c, b->tile, other, 0, &core->counts) +
           mesh_send(c, other, b->tile, dirty ? UINT64_C(1) << c->l1d_shift : 0, &core->counts);
}

/* Everybody but the core loses the line. Returns the time until the last one has answered. */
static uint64_t bank_invalidate(struct chip *c, const struct bank *b, struct core *core, struct holders *h)
{
    uint64_t *sharers = directory_sharers(&c->directory, h), longest = 0;
    for (uint32_t word = 0; word < c->directory.words; word++)
        for (uint64_t left = sharers[word]; left; left &= left - 1) {
            uint32_t other = word * 64 + (uint32_t)__builtin_ctzll(left);
            if (other == core->id)
                continue;
            uint64_t time = bank_ask(c, b, core, other, other == h->owner, LINE_INVALID);
            longest = time > longest ? time : longest;
            sharers[word] &= ~(UINT64_C(1) << other % 64);
        }
    return longest;
}

/* Makes the core a holder of the line. Returns whether another core has its data, so that L2 need not. */
static bool bank_cohere(struct chip *c, const struct bank *b, struct core *core, struct holders *h)
{
    struct request *r = &core->request;
    bool stores = r->kind == REQUEST_STORE, owned = h->owner != NOBODY && h->owner != core->id;
    uint32_t slot = lines_find(&core->l1d, r->line);
    r->with_data = slot == LINES_NONE;
    if (stores) {
        r->apart = bank_invalidate(c, b, core, h);
        h->owner = core->id;
    } else if (owned) {
        r->apart = bank_ask(c, b, core, h->owner, true, LINE_SHARED);
        h->owner = NOBODY;
        bank_receive(c, r->line >> (c->l2_shift - c->l1d_shift), core, r->ready);
    }
    directory_sharers(&c->directory, h)[core->id / 64] |= UINT64_C(1) << core->id % 64;
    if (slot != LINES_NONE)
        core->l1d.state[slot] = stores ? LINE_MODIFIED : LINE_SHARED;
    else
        lines_fill(&core->l1d, r->line, stores ? LINE_MODIFIED : LINE_SHARED);
    return owned;
}

/* The data, if it needs any, are at the bank in cycle `cycle`: the answer leaves. */
static void bank_answer(struct chip *c, const struct bank *b, struct core *core, uint64_t cycle)
{
    struct request *r = &core->request;
    bool coherent = c->msi && r->kind != REQUEST_FETCH;
    struct holders *h = coherent ? directory_of(&c->directory, r->line) : NULL;
    uint64_t bytes = UINT64_C(1) << (r->kind == REQUEST_FETCH ? c->l1i_shift : c->l1d_shift);
    cycle = r->ready > cycle ? r->ready : cycle;
    if (h && h->owned_from > cycle)
        cycle = h->owned_from;
    if (h && r->kind == REQUEST_STORE && h->shared_from > cycle)
        cycle = h->shared_from;
    cycle += r->apart;
    cycle += mesh_send(c, b->tile, core->id, r->with_data ? bytes : 0, &core->counts);
    if (h && r->kind == REQUEST_STORE)
        h->owned_from = cycle;
    else if (h && h->shared_from < cycle)
        h->shared_from = cycle;
    core_answered(c, core, cycle);
}

void bank_request(struct chip *c, struct core *core)
{
    struct request *r = &core->request;
    bool coherent = c->msi && r->kind != REQUEST_FETCH, elsewhere = false;
    uint32_t line = r->line >> (c->l2_shift - (r->kind == REQUEST_FETCH ? c->l1i_shift : c->l1d_shift));
    struct bank *b = &c->banks[bank_of(c, line)];
    r->ready = bank_look_up(c, b);
    r->apart = 0;
    r->with_data = true;
    r->level = RESPONSE_L2;
    if (coherent) {
        struct holders *h = directory_of(&c->directory, r->line);
        if (!h) {
            chip_out_of_memory(c);
            return;
        }
        elsewhere = bank_cohere(c, b, core, h);
    }
    uint32_t miss = miss_find(c, line);
    if (!r->with_data || (miss == NOBODY && elsewhere)) {
        bank_answer(c, b, core, 0);
        return;
    }
    if (miss == NOBODY && lines_use(&b->lines, lines_number(c, line)) != LINES_NONE) {
        c->counts->memory.l2.hits++;
        bank_answer(c, b, core, 0);
        return;
    }
    r->level = RESPONSE_DRAM;
    *(miss == NOBODY ? &c->counts->memory.l2.misses : &c->counts->memory.l2.hits) += 1;
    c->counts->memory.l2.fetches += miss == NOBODY;
    if (miss == NOBODY)
        miss = miss_begin(c, line, core, r->ready);
    if (miss != NOBODY)
        miss_wait(c, miss, core);
}

void bank_filled(struct chip *c, uint32_t number)
{
    struct miss m = c->misses[number];
    miss_end(c, number);
    bank_install(c, m.line, m.dirty ? LINE_MODIFIED : LINE_SHARED, &c->cores[m.core], c->now);
    for (uint32_t waits = m.first; waits != NOBODY;) {
        struct core *core = &c->cores[waits];
        waits = core->request.next;
        bank_answer(c, &c->banks[m.bank], core, c->now);
    }
}
