#include "hw-models/dram-channel/dram-channel.h"

#include <stdlib.h>
#include <string.h>

#define BANKS 64u

struct entry {
    struct dram_command command;
    uint64_t age;            /* how many came before it */
    uint32_t sent, received; /* sectors that were commanded, and that went over the bus */
    struct entry *next;      /* younger, of its bank */
};

struct bank {
    struct entry *first, *last; /* waiting, by age */
    struct entry *current;
    bool fresh;           /* no sector of the open row was read or written yet */
    bool active, follows; /* follows: goes on with row `followed` until none of the list wants it */
    uint32_t row, followed;
    uint64_t rcd, rcd_write, ras, rp, rc, write_to_close, read_to_close; /* the cycles in which they are over */
};

/* The data bus: a pipe of `length` slots, at least `least` of them, one of which comes out in a cycle. Those that are
 * taken stand in a ring, each with the number of slots that come out before it, counted from the begin of time. */
struct pipe {
    struct {
        struct entry *entry;
        uint64_t before;
    } * taken;
    uint32_t head, count, room;
    uint32_t length, least;
    uint64_t out;
};

struct dram_channel {
    struct dram_timing t;
    struct bank banks[BANKS];
    uint64_t group_ccdl[BANKS], group_rtpl[BANKS];
    uint64_t ccd, rrd, read_to_write, write_to_read;
    uint64_t now;              /* the next cycle */
    uint64_t asked, commanded; /* banks with requests that wait, and with a current one */
    uint32_t first;            /* bank to look at first */
    uint32_t pending;
    uint64_t came;
    bool writing;
    struct pipe bus;
    struct entry *arrived[8]; /* not in the lists yet */
    uint32_t arrived_count;
    void **answers; /* a ring */
    uint32_t answer_head, answer_count;
    bool stalled;        /* the bus stood still in the last cycle: nobody takes the answers */
    uint64_t command_at; /* the first cycle in which a bank may get its next command, as far as is known */
    struct entry *spare;
    uint64_t counts[DRAM_COMMANDS];
};

/* Takes the last slot if that is free and there are enough, else one more. */
static void bus_push(struct pipe *p, struct entry *e)
{
    uint32_t last = (p->head + p->count + p->room - 1) % p->room;
    bool last_taken = p->count && p->taken[last].before == p->out + p->length - 1;
    p->length += p->length < p->least || !p->length || last_taken;
    uint32_t at = (p->head + p->count++) % p->room;
    p->taken[at].entry = e;
    p->taken[at].before = p->out + p->length - 1;
}

/* So many slots come out, none of them taken but perhaps the last, which is returned. */
static struct entry *bus_pop(struct pipe *p, uint64_t slots)
{
    p->out += slots;
    p->length = p->length > slots + p->least ? (uint32_t)(p->length - slots) : p->least;
    if (!p->count || p->taken[p->head].before >= p->out)
        return NULL;
    struct entry *e = p->taken[p->head].entry;
    p->head = (p->head + 1) % p->room;
    p->count--;
    return e;
}

static void bus_set_least(struct pipe *p, uint32_t least)
{
    uint32_t used = p->count ? (uint32_t)(p->taken[(p->head + p->count - 1) % p->room].before - p->out + 1) : 0;
    p->least = least;
    p->length = p->length < least ? least : used > least ? used : least;
}

struct dram_channel *dram_channel_new(const struct dram_timing *t)
{
    struct dram_channel *c = calloc(1, sizeof *c);
    if (!c)
        return NULL;
    c->t = *t;
    c->bus.room = (t->cl > t->wl ? t->cl : t->wl) + 2;
    c->bus.taken = calloc(c->bus.room, sizeof *c->bus.taken);
    c->answers = calloc(t->returns, sizeof *c->answers);
    if (c->bus.taken && c->answers) {
        bus_set_least(&c->bus, t->cl);
        return c;
    }
    dram_channel_free(c);
    return NULL;
}

static void free_list(struct entry *e)
{
    for (struct entry *next; e; e = next) {
        next = e->next;
        free(e);
    }
}

/* Requests all of whose sectors were commanded are nowhere else any more. */
static void free_bus(struct pipe *p)
{
    for (uint32_t i = 0; i < p->count; i++) {
        struct entry *e = p->taken[(p->head + i) % p->room].entry;
        if (++e->received == e->command.sectors)
            free(e);
    }
    free(p->taken);
}

void dram_channel_free(struct dram_channel *c)
{
    if (!c)
        return;
    free_bus(&c->bus);
    for (uint32_t b = 0; b < BANKS; b++) {
        free_list(c->banks[b].first);
        free(c->banks[b].current);
    }
    for (uint32_t i = 0; i < c->arrived_count; i++)
        free(c->arrived[i]);
    free_list(c->spare);
    free(c->answers);
    free(c);
}

bool dram_channel_full(const struct dram_channel *c) { return c->pending >= c->t.queue; }

bool dram_channel_push(struct dram_channel *c, const struct dram_command *command)
{
    struct entry *e = c->spare;
    if (e)
        c->spare = e->next;
    else if (!(e = malloc(sizeof *e)))
        return false;
    *e = (struct entry){.command = *command, .age = c->came++};
    c->arrived[c->arrived_count++] = e;
    return true;
}

void *dram_channel_answer(const struct dram_channel *c) { return c->answer_count ? c->answers[c->answer_head] : NULL; }
void dram_channel_take(struct dram_channel *c)
{
    c->answer_head = (c->answer_head + 1) % c->t.returns;
    c->answer_count--;
}

uint64_t *dram_channel_counts(struct dram_channel *c) { return c->counts; }

/* ---- the data bus ------------------------------------------------------------------------------------------------ */

static void *transfer(struct dram_channel *c)
{
    void *written = NULL;
    if (c->stalled)
        return NULL;
    struct entry *e = bus_pop(&c->bus, 1);
    if (!e || ++e->received < e->command.sectors)
        return NULL;
    if (e->command.write)
        written = e->command.request;
    else
        c->answers[(c->answer_head + c->answer_count++) % c->t.returns] = e->command.request;
    e->next = c->spare;
    c->spare = e;
    return written;
}

/* ---- times ------------------------------------------------------------------------------------------------------- */

static uint64_t later(uint64_t a, uint64_t b) { return a > b ? a : b; }
static uint64_t sooner(uint64_t a, uint64_t b) { return a < b ? a : b; }

/* The first cycle in which the bank, which has a request at hand, may get its next command if no other command is
 * given until then; for a column command there must be room on the bus, too. */
static uint64_t time_of_command(const struct dram_channel *c, uint32_t number)
{
    const struct bank *b = &c->banks[number];
    const struct dram_command *r = &b->current->command;
    uint32_t group = number % c->t.groups;
    if (!b->active)
        return later(c->rrd, later(b->rp, b->rc));
    if (b->row != r->row)
        return later(later(b->ras, b->write_to_close), later(b->read_to_close, c->group_rtpl[group]));
    uint64_t bus = later(c->ccd, c->group_ccdl[group]);
    return later(bus, r->write ? later(b->rcd_write, c->read_to_write) : later(b->rcd, c->write_to_read));
}

/* ---- choosing ---------------------------------------------------------------------------------------------------- */

static void take_arrivals(struct dram_channel *c)
{
    for (uint32_t i = 0; i < c->arrived_count; i++) {
        struct entry *e = c->arrived[i];
        struct bank *b = &c->banks[e->command.bank];
        e->next = NULL;
        *(b->last ? &b->last->next : &b->first) = e;
        b->last = e;
        c->asked |= 1ull << e->command.bank;
        c->pending++;
    }
    c->arrived_count = 0;
}

static struct entry *oldest_of_row(const struct bank *b, uint32_t row)
{
    for (struct entry *e = b->first; e; e = e->next)
        if (e->command.row == row)
            return e;
    return NULL;
}

static void unlink_entry(struct bank *b, struct entry *e)
{
    struct entry *before = NULL;
    for (struct entry *at = b->first; at != e; at = at->next)
        before = at;
    *(before ? &before->next : &b->first) = e->next;
    if (b->last == e)
        b->last = before;
}

/* Goes on with the row that it chose until no request wants it; then the open row, then that of the oldest. */
static struct entry *choose(struct dram_channel *c, struct bank *b)
{
    struct entry *e = c->t.fcfs ? NULL : oldest_of_row(b, b->follows ? b->followed : b->row);
    e = e ? e : b->first;
    unlink_entry(b, e);
    b->followed = e->command.row;
    b->follows = oldest_of_row(b, b->followed);
    c->pending--;
    return e;
}

/* Those without a request at hand whose turn it may be; first-come: that of the oldest request, or none. */
static uint64_t banks_to_take(const struct dram_channel *c)
{
    uint32_t oldest = BANKS;
    for (uint64_t left = c->t.fcfs ? c->asked : 0; left; left &= left - 1) {
        uint32_t bank = (uint32_t)__builtin_ctzll(left);
        if (oldest == BANKS || c->banks[bank].first->age < c->banks[oldest].first->age)
            oldest = bank;
    }
    return (oldest < BANKS ? 1ull << oldest : c->asked) & ~c->commanded;
}

/* The first of them from c->first on takes a request. */
static void schedule(struct dram_channel *c)
{
    uint64_t free_banks = banks_to_take(c);
    if (!free_banks)
        return;
    uint64_t behind = free_banks >> c->first << c->first;
    uint32_t bank = (uint32_t)__builtin_ctzll(behind ? behind : free_banks);
    struct bank *b = &c->banks[bank];
    b->current = choose(c, b);
    c->commanded |= 1ull << bank;
    c->asked = b->first ? c->asked : c->asked & ~(1ull << bank);
    c->first = (c->first + 1) % c->t.banks;
    c->command_at = sooner(c->command_at, time_of_command(c, bank));
}

/* ---- commands ---------------------------------------------------------------------------------------------------- */

static bool wants_column(const struct bank *b) { return b->active && b->row == b->current->command.row; }

static void column_command(struct dram_channel *c, uint32_t number)
{
    struct bank *b = &c->banks[number];
    struct entry *e = b->current;
    if (c->writing != e->command.write) {
        c->writing = e->command.write;
        bus_set_least(&c->bus, c->writing ? c->t.wl : c->t.cl);
    }
    bus_push(&c->bus, e);
    c->counts[DRAM_READS + e->command.write]++;
    c->counts[DRAM_ROW_HITS] += !b->fresh;
    b->fresh = false;
    c->ccd = c->now + c->t.ccd;
    c->group_ccdl[number % c->t.groups] = c->now + c->t.ccdl;
    if (e->command.write) {
        c->write_to_read = c->now + c->t.wl + c->t.burst + c->t.cdlr;
        b->write_to_close = c->now + c->t.wl + c->t.burst + c->t.wr;
    } else {
        c->read_to_write = c->now + c->t.cl + c->t.burst + 2 - c->t.wl;
        b->read_to_close = c->now + c->t.burst;
        c->group_rtpl[number % c->t.groups] = c->now + c->t.rtpl;
    }
    if (++e->sent < e->command.sectors)
        return;
    b->current = NULL;
    c->commanded &= ~(1ull << number);
}

static void row_command(struct dram_channel *c, uint32_t number)
{
    struct bank *b = &c->banks[number];
    c->counts[b->active ? DRAM_PRECHARGES : DRAM_ACTIVATES]++;
    b->fresh = true;
    if (b->active) {
        b->active = false;
        b->rp = c->now + c->t.rp;
    } else {
        b->row = b->current->command.row;
        b->active = true;
        c->rrd = c->now + c->t.rrd;
        b->rcd = c->now + c->t.rcd;
        b->rcd_write = c->now + (c->t.rcd > c->t.wl + 1 ? c->t.rcd - c->t.wl - 1 : 0);
        b->ras = c->now + c->t.ras;
        b->rc = c->now + c->t.rc;
    }
    c->first = (number + 1) % c->t.banks;
}

/* At most one column command, and one row command before it. The bank to begin with may change on the way, and what
 * comes next counts from there: as in Accel-Sim. */
static void command(struct dram_channel *c)
{
    bool column = false, row = false;
    if (c->now < c->command_at)
        return;
    for (uint32_t i = 0; i < c->t.banks && !column; i++) {
        uint32_t bank = i + c->first;
        bank -= bank >= c->t.banks ? c->t.banks : 0;
        if (!(c->commanded >> bank & 1) || time_of_command(c, bank) > c->now)
            continue;
        if (wants_column(&c->banks[bank])) {
            if ((column = c->bus.length <= c->t.cl))
                column_command(c, bank);
        } else if (!row) {
            row_command(c, bank);
            row = true;
        }
    }
    c->command_at = UINT64_MAX;
    for (uint64_t left = c->commanded; left; left &= left - 1)
        c->command_at = sooner(c->command_at, time_of_command(c, (uint32_t)__builtin_ctzll(left)));
}

void *dram_channel_cycle(struct dram_channel *c, uint64_t now)
{
    if (now > c->now && !c->stalled)
        bus_pop(&c->bus, now - c->now);
    c->now = now;
    c->stalled = c->answer_count == c->t.returns;
    void *written = transfer(c);
    take_arrivals(c);
    schedule(c);
    command(c);
    c->now++;
    return written;
}

uint64_t dram_channel_next(const struct dram_channel *c)
{
    if (c->arrived_count || banks_to_take(c))
        return c->now;
    uint64_t next = c->command_at;
    if (c->bus.count && !c->stalled)
        next = sooner(next, c->now + (c->bus.taken[c->bus.head].before - c->bus.out));
    return later(next, c->now);
}
