/* A channel of device memory: banks with open rows, first-ready first-come-first-served (Rixner et al., "Memory Access
 * Scheduling", ISCA 2000) or plain first-come-first-served, the usual timing parameters, no refresh. Rules:
 * docs/accelsim.md; Accel-Sim's dram.cc was read for them. */
#include "hw-models/dram/staged.h"

#include <stdlib.h>
#include <string.h>

#include "hw-models/dram/counters.h"
#include "hw-models/dram/dram.h"
#include "hw-models/dram/stepped.h"

static const char *const schedulers[] = {"fr-fcfs", "fcfs", NULL};

static const struct model_option options_of[] = {
    [STAGED_DRAM_CLOCK] = {"clock_mhz", OPTION_FRACTION, "MHz", FRACTION(1) / 1000, FRACTION(100000),
                           FRACTION(7001) / 2, NULL, "clock of device memory; the core's is clock_mhz"},
    [STAGED_DRAM_SCHEDULER] = {"scheduler", OPTION_CHOICE, "", 0, 1, 0, schedulers,
                               "which request a bank takes: first of its open row, or in the order of the channel"},
#define X(id, key, unit, least, most, initial, help)                                                                   \
    [STAGED_DRAM_##id] = {key, OPTION_INTEGER, unit, least, most, initial, NULL, help},
    STAGED_DRAM_OPTIONS(X)
#undef X
};

static const struct model_counter counters_of[DRAM_COMMANDS] = {DRAM_COMMAND_COUNTERS(DRAM_COUNTER_ROW)};

#define BANKS 64u

struct timing {
    uint32_t banks, groups, queue, returns; /* at most BANKS; queue: requests that wait; returns: responses that wait */
    uint32_t ccd, ccdl, rrd, rcd, ras, rp, rc, cl, wl, cdlr, wr, burst, rtpl;
    bool fcfs; /* requests go to their banks in the order of arrival, each when its bank serves none */
};

struct entry {
    struct dram_command command;
    uint32_t bank, row;
    uint64_t age;            /* the number of requests before it */
    uint32_t sent, received; /* sectors with a column command; sectors that went over the bus */
    struct entry *next;      /* the next younger one of its bank */
};

struct bank {
    struct entry *first, *last; /* waiting, by age */
    struct entry *current;
    bool fresh;           /* no sector of the open row was read or written yet */
    bool active, follows; /* follows: stays with row `followed` while a waiting request needs it */
    uint32_t row, followed;
    uint64_t rcd, rcd_write, ras, rp, rc, write_to_close, read_to_close; /* the cycles in which these delays end */
};

/* The data bus: a pipe of `length` slots, at least `least`. One slot leaves it in each cycle. Taken slots are in a
 * ring, each with the number of slots that leave before it, counted since the channel was opened. */
struct pipe {
    struct {
        struct entry *entry;
        uint64_t before;
    } * taken;
    uint32_t head, count, room;
    uint32_t length, least;
    uint64_t out;
};

struct staged_channel {
    struct timing t;
    struct bank banks[BANKS];
    uint64_t group_ccdl[BANKS], group_rtpl[BANKS];
    uint64_t ccd, rrd, read_to_write, write_to_read;
    uint64_t now;              /* the next cycle */
    uint64_t asked, commanded; /* banks with waiting requests, and banks that serve one, a bit each */
    uint32_t first;            /* bank to look at first */
    uint32_t pending;
    uint64_t came;
    bool writing;
    struct pipe bus;
    struct entry *arrived[8]; /* not in the lists yet */
    uint32_t arrived_count;
    void **responses; /* a ring */
    uint32_t response_head, response_count;
    bool stalled;        /* the bus stood still in the last cycle: the queue of responses was full */
    uint64_t command_at; /* no bank gets its next command before this cycle */
    struct entry *spare;
    const struct dram_listener *listener; /* NULL: none */
    uint64_t counts[DRAM_COMMANDS];
};

/* Takes the last slot. Adds one if the last is taken, or there are fewer than `least`. */
static void bus_push(struct pipe *p, struct entry *e)
{
    uint32_t last = (p->head + p->count + p->room - 1) % p->room;
    bool last_taken = p->count && p->taken[last].before == p->out + p->length - 1;
    p->length += p->length < p->least || !p->length || last_taken;
    uint32_t at = (p->head + p->count++) % p->room;
    p->taken[at].entry = e;
    p->taken[at].before = p->out + p->length - 1;
}

/* Lets `slots` slots leave the pipe. Only the last of them may be taken: its entry is returned, else NULL. */
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

static void free_list(struct entry *e)
{
    for (struct entry *next; e; e = next) {
        next = e->next;
        free(e);
    }
}

/* Frees the requests that are only on the bus: all their sectors had their commands. */
static void free_bus(struct pipe *p)
{
    for (uint32_t i = 0; i < p->count; i++) {
        struct entry *e = p->taken[(p->head + i) % p->room].entry;
        if (++e->received == e->command.sectors)
            free(e);
    }
    free(p->taken);
}

static void close_channel(void *channel)
{
    struct staged_channel *c = channel;
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
    free(c->responses);
    free(c);
}

static struct timing timing_of(const int64_t *o)
{
#define T(id) (uint32_t) o[STAGED_DRAM_##id]
    return (struct timing){.banks = T(BANKS),
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
}

static void *open_channel(const int64_t *options)
{
    struct staged_channel *c = calloc(1, sizeof *c);
    if (!c)
        return NULL;
    c->t = timing_of(options);
    c->bus.room = (c->t.cl > c->t.wl ? c->t.cl : c->t.wl) + 2;
    c->bus.taken = calloc(c->bus.room, sizeof *c->bus.taken);
    c->responses = calloc(c->t.returns, sizeof *c->responses);
    if (c->bus.taken && c->responses) {
        bus_set_least(&c->bus, c->t.cl);
        return c;
    }
    close_channel(c);
    return NULL;
}

static bool full(const void *channel)
{
    const struct staged_channel *c = channel;
    return c->pending >= c->t.queue;
}

static uint32_t bank_of(uint64_t a) { return (uint32_t)(a >> 12 & 7) << 1 | (uint32_t)(a >> 7 & 1); }
static uint32_t row_of(uint64_t a) { return (uint32_t)(a >> 15 & 0x1fff); }

static bool push(void *channel, const struct dram_command *command)
{
    struct staged_channel *c = channel;
    struct entry *e = c->spare;
    if (e)
        c->spare = e->next;
    else if (!(e = malloc(sizeof *e)))
        return false;
    *e = (struct entry){
        .command = *command, .bank = bank_of(command->address), .row = row_of(command->address), .age = c->came++};
    c->arrived[c->arrived_count++] = e;
    return true;
}

static void *response(const void *channel)
{
    const struct staged_channel *c = channel;
    return c->response_count ? c->responses[c->response_head] : NULL;
}

static void take(void *channel)
{
    struct staged_channel *c = channel;
    c->response_head = (c->response_head + 1) % c->t.returns;
    c->response_count--;
}

/* ---- the data bus ------------------------------------------------------------------------------------------------ */

static void *transfer(struct staged_channel *c)
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
        c->responses[(c->response_head + c->response_count++) % c->t.returns] = e->command.request;
    e->next = c->spare;
    c->spare = e;
    return written;
}

/* ---- times ------------------------------------------------------------------------------------------------------- */

static uint64_t later(uint64_t a, uint64_t b) { return a > b ? a : b; }
static uint64_t sooner(uint64_t a, uint64_t b) { return a < b ? a : b; }

/* The first cycle in which the bank, which serves a request, may get its next command if no other command issues until
 * then. A column command also needs room on the bus. */
static uint64_t time_of_command(const struct staged_channel *c, uint32_t number)
{
    const struct bank *b = &c->banks[number];
    const struct entry *r = b->current;
    uint32_t group = number % c->t.groups;
    if (!b->active)
        return later(c->rrd, later(b->rp, b->rc));
    if (b->row != r->row)
        return later(later(b->ras, b->write_to_close), later(b->read_to_close, c->group_rtpl[group]));
    uint64_t bus = later(c->ccd, c->group_ccdl[group]);
    return later(bus, r->command.write ? later(b->rcd_write, c->read_to_write) : later(b->rcd, c->write_to_read));
}

/* ---- choosing ---------------------------------------------------------------------------------------------------- */

static void take_arrivals(struct staged_channel *c)
{
    for (uint32_t i = 0; i < c->arrived_count; i++) {
        struct entry *e = c->arrived[i];
        struct bank *b = &c->banks[e->bank];
        e->next = NULL;
        *(b->last ? &b->last->next : &b->first) = e;
        b->last = e;
        c->asked |= 1ull << e->bank;
        c->pending++;
    }
    c->arrived_count = 0;
}

static struct entry *oldest_of_row(const struct bank *b, uint32_t row)
{
    for (struct entry *e = b->first; e; e = e->next)
        if (e->row == row)
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

/* Chooses the bank's next request: of the row that it follows as long as one needs that, else of the open row, else the
 * oldest. */
static struct entry *choose(struct staged_channel *c, struct bank *b)
{
    struct entry *e = c->t.fcfs ? NULL : oldest_of_row(b, b->follows ? b->followed : b->row);
    e = e ? e : b->first;
    unlink_entry(b, e);
    b->followed = e->row;
    b->follows = oldest_of_row(b, b->followed);
    c->pending--;
    return e;
}

/* The banks that may begin a request: all that serve none. With fcfs only the bank of the oldest request. */
static uint64_t banks_to_take(const struct staged_channel *c)
{
    uint32_t oldest = BANKS;
    for (uint64_t left = c->t.fcfs ? c->asked : 0; left; left &= left - 1) {
        uint32_t bank = (uint32_t)__builtin_ctzll(left);
        if (oldest == BANKS || c->banks[bank].first->age < c->banks[oldest].first->age)
            oldest = bank;
    }
    return (oldest < BANKS ? 1ull << oldest : c->asked) & ~c->commanded;
}

/* The first of these banks, from c->first on, begins a request. */
static void schedule(struct staged_channel *c)
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

static bool wants_column(const struct bank *b) { return b->active && b->row == b->current->row; }

static void report(const struct staged_channel *c, enum dram_command_kind what, uint32_t bank)
{
    if (c->listener)
        c->listener->command(c->listener->data, what, bank, c->banks[bank].row, c->now);
}

static void column_command(struct staged_channel *c, uint32_t number)
{
    struct bank *b = &c->banks[number];
    struct entry *e = b->current;
    if (c->writing != e->command.write) {
        c->writing = e->command.write;
        bus_set_least(&c->bus, c->writing ? c->t.wl : c->t.cl);
    }
    bus_push(&c->bus, e);
    report(c, e->command.write ? DRAM_WRITE : DRAM_READ, number);
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

static void row_command(struct staged_channel *c, uint32_t number)
{
    struct bank *b = &c->banks[number];
    c->counts[b->active ? DRAM_PRECHARGES : DRAM_ACTIVATES]++;
    b->fresh = true;
    if (b->active) {
        report(c, DRAM_PRECHARGE, number);
        b->active = false;
        b->rp = c->now + c->t.rp;
    } else {
        b->row = b->current->row;
        b->active = true;
        c->rrd = c->now + c->t.rrd;
        b->rcd = c->now + c->t.rcd;
        b->rcd_write = c->now + (c->t.rcd > c->t.wl + 1 ? c->t.rcd - c->t.wl - 1 : 0);
        b->ras = c->now + c->t.ras;
        b->rc = c->now + c->t.rc;
        report(c, DRAM_ACTIVATE, number);
    }
    c->first = (number + 1) % c->t.banks;
}

/* Issues at most one column command, and at most one row command before it. A row command changes c->first, and the
 * rest of the loop counts from the new value: as in Accel-Sim. */
static void command(struct staged_channel *c)
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

static void *cycle(void *channel, uint64_t now)
{
    struct staged_channel *c = channel;
    if (now > c->now && !c->stalled)
        bus_pop(&c->bus, now - c->now);
    c->now = now;
    c->stalled = c->response_count == c->t.returns;
    void *written = transfer(c);
    take_arrivals(c);
    schedule(c);
    command(c);
    c->now++;
    return written;
}

static uint64_t next(const void *channel)
{
    const struct staged_channel *c = channel;
    if (c->arrived_count || banks_to_take(c))
        return c->now;
    uint64_t next = c->command_at;
    if (c->bus.count && !c->stalled)
        next = sooner(next, c->now + (c->bus.taken[c->bus.head].before - c->bus.out));
    return later(next, c->now);
}

/* ---- the model --------------------------------------------------------------------------------------------------- */

static size_t state_size(const int64_t *options)
{
    (void)options;
    return 0;
}

static void reset(void *state, const int64_t *options)
{
    (void)state;
    (void)options;
}

static const char *check(const int64_t *o)
{
    return o[STAGED_DRAM_T_WL] > o[STAGED_DRAM_T_CL] + o[STAGED_DRAM_T_BURST] + 2
               ? "t_wl is more than t_cl + t_burst + 2"
               : NULL;
}

static uint64_t ahead(const int64_t *o) { return (uint64_t)o[STAGED_DRAM_LATENCY]; }

static bool may_refuse(const int64_t *o)
{
    (void)o;
    return true;
}

static bool is_fixed(const int64_t *o)
{
    (void)o;
    return false;
}

static int64_t clock_of(const int64_t *o) { return o[STAGED_DRAM_CLOCK]; }
static uint64_t holds(const int64_t *o) { return (uint64_t)(o[STAGED_DRAM_QUEUE] + o[STAGED_DRAM_RETURNS]); }

static void listen(void *channel, const struct dram_listener *to) { ((struct staged_channel *)channel)->listener = to; }

static uint64_t *counted(void *channel, uint64_t now)
{
    struct staged_channel *c = channel;
    (void)now;
    return c->counts;
}

static const struct stepped_dram stepped = {
    .clock = clock_of,
    .holds = holds,
    .open = open_channel,
    .close = close_channel,
    .full = full,
    .push = push,
    .response = response,
    .take = take,
    .cycle = cycle,
    .next = next,
    .listen = listen,
};

const struct dram_model dram_staged = {
    .model = {.name = "staged",
              .help = "the one of pipeline staged: channels with banks and open rows, stepped in cycles of their clock",
              .options = options_of,
              .option_count = MODEL_COUNT_OF(options_of),
              .state_size = state_size,
              .check = check,
              .counters = counters_of,
              .counter_count = DRAM_COMMANDS,
              .counted = counted},
    .reset = reset,
    .ahead = ahead,
    .may_refuse = may_refuse,
    .is_fixed = is_fixed,
    .stepped = &stepped,
};
