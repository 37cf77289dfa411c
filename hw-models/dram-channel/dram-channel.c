#include "hw-models/dram-channel/dram-channel.h"

#include <stdlib.h>
#include <string.h>

#define BANKS 64u

struct entry {
    struct dram_command command;
    uint32_t sent, received; /* sectors that were commanded, and that went over the bus */
    struct entry *next;      /* younger, of its bank */
};

struct bank {
    struct entry *first, *last; /* waiting, by age */
    struct entry *current;
    bool active, follows; /* follows: goes on with row `followed` until none of the list wants it */
    uint32_t row, followed;
    uint32_t rcd, rcd_write, ras, rp, rc, write_to_close, read_to_close;
};

/* The data bus: slots ahead, at least `least` of them. */
struct pipe {
    struct entry **slot;
    uint32_t head, length, most, least;
};

struct dram_channel {
    struct dram_timing t;
    struct bank banks[BANKS];
    uint32_t group_ccdl[BANKS], group_rtpl[BANKS];
    uint32_t ccd, rrd, read_to_write, write_to_read;
    uint32_t first; /* bank to look at first */
    uint32_t pending;
    bool writing;
    struct pipe bus;
    struct entry *arrived[8]; /* not in the lists yet */
    uint32_t arrived_count;
    void **answers; /* a ring */
    uint32_t answer_head, answer_count;
    struct entry *spare;
    uint32_t entries;       /* in use */
    uint32_t quiet, settle; /* cycles with none; after how many of them nothing changes any more */
};

/* Takes the last slot if that is free and there are enough, else one more. */
static void bus_push(struct pipe *p, struct entry *e)
{
    uint32_t last = (p->head + p->length + p->most) % (p->most + 1);
    if (p->length && p->length >= p->least && !p->slot[last])
        p->slot[last] = e;
    else
        p->slot[(p->head + p->length++) % (p->most + 1)] = e;
}

static struct entry *bus_pop(struct pipe *p)
{
    if (!p->length)
        return NULL;
    struct entry *e = p->slot[p->head];
    p->head = (p->head + 1) % (p->most + 1);
    p->length--;
    if (p->length < p->least)
        bus_push(p, NULL);
    return e;
}

static void bus_set_least(struct pipe *p, uint32_t least)
{
    p->least = least;
    while (p->length < least)
        bus_push(p, NULL);
    while (p->length > least && !p->slot[(p->head + p->length - 1) % (p->most + 1)])
        p->length--;
}

struct dram_channel *dram_channel_new(const struct dram_timing *t)
{
    struct dram_channel *c = calloc(1, sizeof *c);
    if (!c)
        return NULL;
    c->t = *t;
    c->settle = t->ccd + t->ccdl + t->rrd + t->rcd + t->ras + t->rp + t->rc + 2 * (t->cl + t->wl) + t->cdlr + t->wr +
                2 * t->burst + t->rtpl + 2;
    c->bus.most = t->cl > t->wl ? t->cl + 1 : t->wl + 1;
    c->bus.slot = calloc(c->bus.most + 1, sizeof *c->bus.slot);
    c->answers = calloc(t->returns, sizeof *c->answers);
    if (c->bus.slot && c->answers) {
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

void dram_channel_free(struct dram_channel *c)
{
    if (!c)
        return;
    for (uint32_t b = 0; b < BANKS; b++) {
        free_list(c->banks[b].first);
        free(c->banks[b].current);
    }
    for (uint32_t i = 0; i < c->arrived_count; i++)
        free(c->arrived[i]);
    free_list(c->spare);
    free(c->bus.slot);
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
    *e = (struct entry){.command = *command};
    c->entries++;
    c->arrived[c->arrived_count++] = e;
    return true;
}

void *dram_channel_answer(const struct dram_channel *c) { return c->answer_count ? c->answers[c->answer_head] : NULL; }
void dram_channel_take(struct dram_channel *c)
{
    c->answer_head = (c->answer_head + 1) % c->t.returns;
    c->answer_count--;
}

/* ---- the data bus ------------------------------------------------------------------------------------------------ */

static void *transfer(struct dram_channel *c)
{
    void *written = NULL;
    if (c->answer_count == c->t.returns)
        return NULL;
    struct entry *e = bus_pop(&c->bus);
    if (!e || ++e->received < e->command.sectors)
        return NULL;
    if (e->command.write)
        written = e->command.request;
    else
        c->answers[(c->answer_head + c->answer_count++) % c->t.returns] = e->command.request;
    e->next = c->spare;
    c->spare = e;
    c->entries--;
    return written;
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
    if (!b->first)
        return NULL;
    struct entry *e = oldest_of_row(b, b->follows ? b->followed : b->row);
    e = e ? e : b->first;
    unlink_entry(b, e);
    b->followed = e->command.row;
    b->follows = oldest_of_row(b, b->followed);
    c->pending--;
    return e;
}

static void schedule(struct dram_channel *c)
{
    for (uint32_t i = 0; i < c->t.banks; i++) {
        struct bank *b = &c->banks[(i + c->first) % c->t.banks];
        if (b->current || !(b->current = choose(c, b)))
            continue;
        c->first = (c->first + 1) % c->t.banks;
        return;
    }
}

/* ---- commands ---------------------------------------------------------------------------------------------------- */

static bool column_command(struct dram_channel *c, uint32_t number)
{
    struct bank *b = &c->banks[number];
    uint32_t group = number % c->t.groups;
    struct entry *e = b->current;
    if (!e || c->ccd || c->group_ccdl[group] || !b->active || b->row != e->command.row || c->bus.length >= c->t.cl + 1)
        return false;
    if (e->command.write ? b->rcd_write || c->read_to_write : b->rcd || c->write_to_read)
        return false;
    if (c->writing != e->command.write) {
        c->writing = e->command.write;
        bus_set_least(&c->bus, c->writing ? c->t.wl : c->t.cl);
    }
    bus_push(&c->bus, e);
    c->ccd = c->t.ccd;
    c->group_ccdl[group] = c->t.ccdl;
    if (e->command.write) {
        c->write_to_read = c->t.wl + c->t.burst + c->t.cdlr;
        b->write_to_close = c->t.wl + c->t.burst + c->t.wr;
    } else {
        c->read_to_write = c->t.cl + c->t.burst + 2 - c->t.wl;
        b->read_to_close = c->t.burst;
        c->group_rtpl[group] = c->t.rtpl;
    }
    if (++e->sent == e->command.sectors)
        b->current = NULL;
    return true;
}

static bool row_command(struct dram_channel *c, uint32_t number)
{
    struct bank *b = &c->banks[number];
    if (!b->current)
        return false;
    if (!b->active) {
        if (c->rrd || b->rp || b->rc)
            return false;
        b->row = b->current->command.row;
        b->active = true;
        c->rrd = c->t.rrd;
        b->rcd = c->t.rcd;
        b->rcd_write = c->t.rcd > c->t.wl + 1 ? c->t.rcd - c->t.wl - 1 : 0;
        b->ras = c->t.ras;
        b->rc = c->t.rc;
    } else {
        if (b->row == b->current->command.row || b->ras || b->write_to_close || b->read_to_close ||
            c->group_rtpl[number % c->t.groups])
            return false;
        b->active = false;
        b->rp = c->t.rp;
    }
    c->first = (number + 1) % c->t.banks;
    return true;
}

/* The bank to begin with may change on the way, and what comes next counts from there: as in Accel-Sim. */
static void command(struct dram_channel *c)
{
    bool column = false, row = false;
    for (uint32_t i = 0; i < c->t.banks && !column; i++) {
        uint32_t bank = (i + c->first) % c->t.banks;
        column = column_command(c, bank);
        row = row || (!column && row_command(c, bank));
    }
}

static void count_down(uint32_t *n) { *n -= *n != 0; }

static void count_all_down(struct dram_channel *c)
{
    count_down(&c->rrd);
    count_down(&c->ccd);
    count_down(&c->read_to_write);
    count_down(&c->write_to_read);
    for (uint32_t i = 0; i < c->t.banks; i++) {
        struct bank *b = &c->banks[i];
        count_down(&b->rcd);
        count_down(&b->rcd_write);
        count_down(&b->ras);
        count_down(&b->rp);
        count_down(&b->rc);
        count_down(&b->write_to_close);
        count_down(&b->read_to_close);
    }
    for (uint32_t g = 0; g < c->t.groups; g++) {
        count_down(&c->group_ccdl[g]);
        count_down(&c->group_rtpl[g]);
    }
}

void *dram_channel_cycle(struct dram_channel *c)
{
    c->quiet = c->entries ? 0 : c->quiet + 1;
    if (c->quiet > c->settle) {
        c->quiet--;
        return NULL;
    }
    void *written = transfer(c);
    take_arrivals(c);
    schedule(c);
    command(c);
    count_all_down(c);
    return written;
}
