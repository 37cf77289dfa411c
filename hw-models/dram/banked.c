/* A channel of DRAM: banks with row buffers, a scheduler, the usual timing parameters, refresh.
 *
 * The channel has a clock of its own: core cycle c is DRAM cycle floor(c × clock), `clock` rounded to 2^-40. A request
 * that arrives in core cycle c is considered from DRAM cycle floor(c × clock) + 1 on. In each DRAM cycle one column
 * command (a read or a write of one sector) and one row command (activate or precharge) may issue. Each bank
 * serves its oldest request, or with `fr-fcfs` its oldest row hit if there is one (Rixner et al., "Memory Access
 * Scheduling", ISCA 2000). Of the banks' commands that may issue, the one of the oldest request issues. A row stays
 * open until its bank needs another one.
 *
 * Least distances between commands (JEDEC's names, in DRAM cycles; burst: of a sector on the data bus):
 *     column to column                max(t_ccd, t_burst); in one group of banks max(t_ccdl, t_burst)
 *     read to write                   t_cl + t_burst + 2 - t_wl
 *     write to read                   t_wl + t_burst + t_cdlr
 *     activate to activate            t_rrd, t_rc in one bank, the fifth t_faw after the first
 *     activate to read, to write      t_rcd, t_rcdw
 *     activate, read, write to precharge   t_ras; t_rtp; t_wl + t_burst + t_wr
 *     precharge to activate           t_rp
 * The data of a read is there t_cl + t_burst after its last column command, and a write is done t_wl + t_burst after
 * it. The response comes `latency` core cycles later. Every t_refi, from t_refi on, all banks are refreshed: no command
 * issues, open rows are closed as soon as all of them may be, and t_rfc later (plus t_rp, if any was open) rows may be
 * opened again.
 *
 * `map` says which bits of an address within the channel choose row (R), bank (B) and column (C, S), from the highest
 * to the lowest; dots mean nothing. Address bits above those of `map` belong to the row. A bank's group is its number
 * modulo `groups`. With `bank_hash = xor` the lowest bits of the row are exclusive-ored into the bank.
 */
#include "hw-models/dram/counters.h"
#include "hw-models/dram/dram.h"

#include <string.h>

#define MOST_BANKS 64
#define MOST_QUEUE 1024
#define NOBODY UINT16_MAX
#define NEVER UINT64_MAX
#define MAP "RRRRRRRRRRRRRBBBCCCCBCCSSSSS"

enum { FR_FCFS, FCFS };
static const char *const schedulers[] = {"fr-fcfs", "fcfs", NULL};
static const char *const bank_hashes[] = {"none", "xor", NULL};

/* DRAM timing: X(id, key, least, most, initial, help). The values of a GDDR6 chip in Accel-Sim's RTX 2060. */
#define TIMES(X)                                                                                                       \
    X(BURST, "t_burst", 1, 1000, 4, "a sector on the data bus")                                                        \
    X(CCD, "t_ccd", 0, 1000, 4, "between two column commands")                                                         \
    X(CCDL, "t_ccdl", 0, 1000, 6, "the same within a group of banks")                                                  \
    X(RRD, "t_rrd", 0, 1000, 12, "between the opening of two rows")                                                    \
    X(RCD, "t_rcd", 1, 1000, 24, "from the opening of a row to a read")                                                \
    X(RCDW, "t_rcdw", 1, 1000, 15, "from the opening of a row to a write")                                             \
    X(RAS, "t_ras", 1, 1000, 55, "a row stays open at least")                                                          \
    X(RP, "t_rp", 1, 1000, 24, "to close a row")                                                                       \
    X(RC, "t_rc", 0, 1000, 78, "between two openings in a bank")                                                       \
    X(CL, "t_cl", 1, 1000, 24, "from a read to its data")                                                              \
    X(WL, "t_wl", 0, 1000, 8, "from a write to its data")                                                              \
    X(CDLR, "t_cdlr", 0, 1000, 10, "from the end of written data to a read")                                           \
    X(WR, "t_wr", 0, 1000, 24, "from the end of written data to the closing of its row")                               \
    X(RTP, "t_rtp", 1, 1000, 4, "from a read to the closing of its row")                                               \
    X(FAW, "t_faw", 0, 1000, 0, "in which at most four rows are opened")                                               \
    X(REFI, "t_refi", 0, 10000000, 0, "between two refreshes; 0: none")                                                \
    X(RFC, "t_rfc", 0, 100000, 0, "that a refresh takes")

enum {
    CLOCK,
    LATENCY,
    SCHEDULER,
    QUEUE,
    BANKS,
    GROUPS,
    ADDRESS_MAP,
    BANK_HASH,
#define X(id, ...) T_##id,
    TIMES(X)
#undef X
};
static const struct model_option options_of[] = {
    [CLOCK] = {"clock", OPTION_FRACTION, "DRAM cycles", FRACTION_ONE / 1000, FRACTION(16), FRACTION_ONE, NULL,
               "in a cycle of the core"},
    [LATENCY] = {"latency", OPTION_INTEGER, "cycles", 0, 1000000, 100, NULL,
                 "of the core, on the way to the channel and back"},
    [SCHEDULER] = {"scheduler", OPTION_CHOICE, "", 0, 1, FR_FCFS, schedulers,
                   "of a bank's requests: those of the open row first, or in their order"},
    [QUEUE] = {"queue", OPTION_INTEGER, "requests", 1, MOST_QUEUE, 64, NULL, "that a channel chooses among"},
    [BANKS] = {"banks", OPTION_INTEGER, "banks", 1, MOST_BANKS, 16, NULL, "of a channel, a power of two"},
    [GROUPS] = {"groups", OPTION_INTEGER, "groups", 1, MOST_BANKS, 4, NULL, "of banks"},
    [ADDRESS_MAP] = {"map", OPTION_TEXT, "", 0, 0, OPTION_LENGTH(1, 100), (const char *const[]){MAP, NULL},
                     "bits of an address within the channel, from the highest: row R, bank B, column C and S"},
    [BANK_HASH] = {"bank_hash", OPTION_CHOICE, "", 0, 1, 0, bank_hashes, "the lowest bits of the row go into the bank"},
#define X(id, key, least, most, initial, help)                                                                         \
    [T_##id] = {key, OPTION_INTEGER, "DRAM cycles", least, most, initial, NULL, help},
    TIMES(X)
#undef X
};

enum { REFRESHES = DRAM_COMMANDS, COUNTERS };
static const struct model_counter counters_of[COUNTERS] = {
    [REFRESHES] = {"refreshes", "refreshes", "of all banks of a channel, also while it had nothing else to do"},
    DRAM_COMMAND_COUNTERS(DRAM_COUNTER_ROW)};

struct waiting {
    uint64_t age; /* order of arrival */
    uint32_t name, sectors;
    uint64_t row, from; /* from: the first DRAM cycle in which it is considered */
    uint16_t next;      /* the next younger request of its bank, or the next of the free list */
    bool write;
};

struct bank {
    uint64_t row;
    uint64_t activate_at, precharge_at, column_at[2]; /* [write] */
    uint64_t own, age;                                /* see plan() */
    uint16_t first, last, hit;                        /* hit: the oldest row hit */
    uint8_t wants, group;
    bool open, fresh; /* fresh: no sector of the row was read or written yet */
};

/* The next DRAM cycle with commands. [0]: the row command that issues in it, [1]: the column command. */
struct found {
    uint64_t cycle, age[2]; /* NEVER: none */
    uint8_t bank[2];
};

/* A field of an address: pieces of its bits, joined. */
#define MOST_PIECES 8
struct field {
    unsigned count;
    struct {
        uint8_t from, bits, to;
    } piece[MOST_PIECES];
};

struct banked {
    uint64_t clock, back; /* DRAM cycles per core cycle, core cycles per DRAM cycle; in 2^-40 */
    uint64_t latency, count, arrivals;
    uint32_t t[T_RFC + 1]; /* by T_ */
    uint32_t banks, room;
    bool fcfs, hash, refused;
    struct field row_of, bank_of;
    unsigned map_bits;
    struct found found; /* valid while is_found */
    bool is_found;
    uint64_t used;                               /* banks with requests, a bit each */
    uint64_t column_at[2];                       /* [write]: when the channel may issue its next column command */
    uint64_t group_at[MOST_BANKS];               /* the same for a group of banks */
    uint64_t activate_at, last_column, last_row; /* last_: the DRAM cycle after the last command */
    uint64_t activated[4];                       /* DRAM cycles of the last four activates, + 1 */
    unsigned activations;
    uint64_t refresh;                     /* the next one */
    const struct dram_listener *listener; /* NULL: none */
    uint64_t counted;                     /* refreshes up to the last call of counted() */
    uint64_t counts[COUNTERS];
    uint16_t free;
    struct bank bank[MOST_BANKS];
    struct waiting waiting[MOST_QUEUE];
};

static uint64_t later(uint64_t a, uint64_t b) { return a > b ? a : b; }

/* ---- options ----------------------------------------------------------------------------------------------------- */

/* The address bits of `letter`, the lowest first. False: they are in too many pieces. */
static bool field_of(const char *map, char letter, struct field *f, unsigned *bits)
{
    unsigned at = 0, to = 0;
    *f = (struct field){0};
    for (size_t i = strlen(map); i-- > 0;) {
        if (map[i] == '.')
            continue;
        if (map[i] == letter) {
            bool joins = f->count && f->piece[f->count - 1].from + f->piece[f->count - 1].bits == at;
            if (!joins && f->count == MOST_PIECES)
                return false;
            if (!joins)
                f->piece[f->count++] = (__typeof__(f->piece[0])){(uint8_t)at, 0, (uint8_t)to};
            f->piece[f->count - 1].bits++;
            to++;
        }
        at++;
    }
    *bits = to;
    return true;
}

static unsigned map_length(const char *map)
{
    unsigned n = 0;
    for (; *map; map++)
        n += *map != '.';
    return n;
}

static const char *check(const int64_t *o)
{
    const char *map = option_text(o, ADDRESS_MAP);
    struct field f;
    unsigned bits;
    if (o[BANKS] & (o[BANKS] - 1))
        return "banks must be a power of two";
    if (o[GROUPS] > o[BANKS])
        return "there are more groups than banks";
    if (o[BANKS] % o[GROUPS])
        return "groups must divide banks";
    if (map[strspn(map, "RBCS.")])
        return "map may have the letters R, B, C, S, and dots";
    if (map_length(map) > 63)
        return "map has more than 63 bits";
    if (!field_of(map, 'R', &f, &bits) || !field_of(map, 'B', &f, &bits))
        return "map has row or bank in more than 8 pieces";
    if (1ll << bits != o[BANKS])
        return "map must have as many bits B as choose among the banks";
    if (o[T_CL] + o[T_BURST] + 2 < o[T_WL])
        return "t_wl is longer than a read";
    return o[T_REFI] && o[T_REFI] < 2 * (o[T_RFC] + o[T_RC]) ? "t_refi is too short for t_rfc" : NULL;
}

static size_t state_size(const int64_t *options)
{
    (void)options;
    return sizeof(struct banked);
}

static void reset(void *state, const int64_t *o)
{
    struct banked *c = state;
    unsigned ignored;
    const char *map = option_text(o, ADDRESS_MAP);
    memset(c, 0, sizeof *c);
    c->clock = (uint64_t)(((unsigned __int128)o[CLOCK] << 40) / FRACTION_ONE);
    c->back = (uint64_t)(((unsigned __int128)FRACTION_ONE << 40) / (uint64_t)o[CLOCK]);
    c->latency = (uint64_t)o[LATENCY];
    for (unsigned i = T_BURST; i <= T_RFC; i++)
        c->t[i] = (uint32_t)o[i];
    c->banks = (uint32_t)o[BANKS];
    c->room = (uint32_t)o[QUEUE];
    c->fcfs = o[SCHEDULER] == FCFS;
    c->hash = o[BANK_HASH];
    field_of(map, 'R', &c->row_of, &ignored);
    field_of(map, 'B', &c->bank_of, &ignored);
    c->map_bits = map_length(map);
    c->refresh = o[T_REFI] ? (uint64_t)o[T_REFI] : NEVER;
    for (unsigned b = 0; b < MOST_BANKS; b++)
        c->bank[b] =
            (struct bank){.first = NOBODY, .last = NOBODY, .hit = NOBODY, .group = (uint8_t)(b % (unsigned)o[GROUPS])};
    for (unsigned i = 0; i < MOST_QUEUE; i++)
        c->waiting[i].next = (uint16_t)(i + 1 < MOST_QUEUE ? i + 1 : NOBODY);
}

/* ---- clocks ------------------------------------------------------------------------------------------------------ */

static uint64_t dram_cycle(const struct banked *c, uint64_t core)
{
    return (uint64_t)((unsigned __int128)core * c->clock >> 40);
}

/* The first core cycle that is DRAM cycle `dram` or later. */
static uint64_t core_cycle(const struct banked *c, uint64_t dram)
{
    uint64_t core = (uint64_t)((unsigned __int128)dram * c->back >> 40);
    while (core && dram_cycle(c, core - 1) >= dram)
        core--;
    while (dram_cycle(c, core) < dram)
        core++;
    return core;
}

/* ---- requests of a bank ------------------------------------------------------------------------------------------ */

static uint64_t bits_of(const struct field *f, uint64_t address)
{
    uint64_t value = 0;
    for (unsigned i = 0; i < f->count; i++)
        value |= (address >> f->piece[i].from & ((1ull << f->piece[i].bits) - 1)) << f->piece[i].to;
    return value;
}

static void find_hit(struct banked *c, struct bank *b)
{
    uint16_t r = b->open ? b->first : NOBODY;
    while (r != NOBODY && c->waiting[r].row != b->row && !c->fcfs)
        r = c->waiting[r].next;
    b->hit = r != NOBODY && c->waiting[r].row == b->row ? r : NOBODY;
}

static void drop(struct banked *c, struct bank *b, uint16_t r)
{
    uint16_t before = NOBODY;
    for (uint16_t i = b->first; i != r; i = c->waiting[i].next)
        before = i;
    *(before == NOBODY ? &b->first : &c->waiting[before].next) = c->waiting[r].next;
    if (b->last == r)
        b->last = before;
    if (b->first == NOBODY)
        c->used &= ~(1ull << (b - c->bank));
    c->waiting[r].next = c->free;
    c->free = r;
    c->count--;
    find_hit(c, b);
}

/* ---- commands ---------------------------------------------------------------------------------------------------- */

/* A bank's next command: its DRAM cycle, the age of its request, and its kind. */
struct next {
    uint64_t cycle, age;
    bool column;
};

/* The first DRAM cycle in which the channel allows a command of each kind. */
enum { READ, WRITE, ACTIVATE, PRECHARGE, COMMANDS };
static void channel_allows(const struct banked *c, uint64_t from[COMMANDS])
{
    uint64_t fifth = c->activated[c->activations % 4], window = fifth ? fifth - 1 + c->t[T_FAW] : 0;
    from[READ] = later(c->column_at[0], c->last_column);
    from[WRITE] = later(c->column_at[1], c->last_column);
    from[ACTIVATE] = later(later(c->activate_at, window), c->last_row);
    from[PRECHARGE] = c->last_row;
}

/* Finds the bank's next command, and the first DRAM cycle in which the bank's own timing allows it (`own`). */
static void plan(struct banked *c, struct bank *b)
{
    if (b->first == NOBODY)
        return;
    const struct waiting *w = &c->waiting[b->hit != NOBODY ? b->hit : b->first];
    b->wants = (uint8_t)(b->hit != NOBODY ? w->write : b->open ? PRECHARGE : ACTIVATE);
    b->age = w->age;
    b->own = later(w->from, b->hit != NOBODY ? b->column_at[w->write] : b->open ? b->precharge_at : b->activate_at);
}

static inline struct next next_of(const struct banked *c, unsigned bank, const uint64_t from[COMMANDS])
{
    const struct bank *b = &c->bank[bank];
    struct next n = {later(b->own, from[b->wants]), b->age, b->wants <= WRITE};
    if (n.column)
        n.cycle = later(n.cycle, c->group_at[b->group]);
    return n;
}

/* Reports a command in DRAM cycle `cycle`. */
static void report(const struct banked *c, enum dram_command_kind what, unsigned bank, uint64_t row, uint64_t cycle)
{
    if (c->listener)
        c->listener->command(c->listener->data, what, bank, row, core_cycle(c, cycle));
}

static void column_command(struct banked *c, unsigned bank, uint64_t now, struct dram_done *done, uint32_t *count)
{
    const uint32_t *t = c->t;
    struct bank *b = &c->bank[bank];
    uint16_t r = b->hit;
    struct waiting *w = &c->waiting[r];
    uint64_t any = now + (t[T_CCD] > t[T_BURST] ? t[T_CCD] : t[T_BURST]), end;
    c->counts[DRAM_READS + w->write]++;
    c->counts[DRAM_ROW_HITS] += !b->fresh;
    b->fresh = false;
    report(c, w->write ? DRAM_WRITE : DRAM_READ, bank, b->row, now);
    c->last_column = now + 1;
    c->group_at[b->group] = now + (t[T_CCDL] > t[T_BURST] ? t[T_CCDL] : t[T_BURST]);
    if (w->write) {
        end = now + t[T_WL] + t[T_BURST];
        c->column_at[1] = any;
        c->column_at[0] = later(any, end + t[T_CDLR]);
        b->precharge_at = later(b->precharge_at, end + t[T_WR]);
    } else {
        end = now + t[T_CL] + t[T_BURST];
        c->column_at[0] = any;
        c->column_at[1] = later(any, end + 2 - t[T_WL]);
        b->precharge_at = later(b->precharge_at, now + t[T_RTP]);
    }
    if (!--w->sectors) {
        done[(*count)++] = (struct dram_done){w->name, core_cycle(c, end) + c->latency};
        drop(c, b, r);
    }
    plan(c, b);
}

static void row_command(struct banked *c, unsigned bank, uint64_t now)
{
    struct bank *b = &c->bank[bank];
    c->last_row = now + 1;
    if (b->open) {
        c->counts[DRAM_PRECHARGES]++;
        report(c, DRAM_PRECHARGE, bank, b->row, now);
        b->open = false;
        b->activate_at = later(b->activate_at, now + c->t[T_RP]);
        plan(c, b);
        return;
    }
    c->counts[DRAM_ACTIVATES]++;
    b->open = b->fresh = true;
    b->row = c->waiting[b->first].row;
    report(c, DRAM_ACTIVATE, bank, b->row, now);
    b->column_at[0] = now + c->t[T_RCD];
    b->column_at[1] = now + c->t[T_RCDW];
    b->precharge_at = now + c->t[T_RAS];
    b->activate_at = now + c->t[T_RC];
    c->activate_at = now + c->t[T_RRD];
    c->activated[c->activations++ % 4] = now + 1;
    find_hit(c, b);
    plan(c, b);
}

/* Carries out all refreshes that are due by `now`. Of several, only the last still affects the banks. */
static void refresh_all(struct banked *c, uint64_t now)
{
    uint64_t interval = c->t[T_REFI], due = c->refresh + (now - c->refresh) / interval * interval, closed = due;
    bool open = false;
    for (uint64_t at = c->refresh; c->listener && at <= due; at += interval)
        report(c, DRAM_REFRESH, 0, 0, at);
    for (unsigned i = 0; i < c->banks; i++) {
        open |= c->bank[i].open;
        c->counts[DRAM_PRECHARGES] += c->bank[i].open;
        closed = c->bank[i].open ? later(closed, c->bank[i].precharge_at) : closed;
    }
    uint64_t ready = closed + (open ? c->t[T_RP] : 0) + c->t[T_RFC];
    for (unsigned i = 0; i < c->banks; i++) {
        c->bank[i].open = false;
        c->bank[i].hit = NOBODY;
        c->bank[i].activate_at = later(c->bank[i].activate_at, ready);
        plan(c, &c->bank[i]);
    }
    c->refresh = due + interval;
}

/* Updates `f` with the bank's next command. */
static inline void consider(const struct banked *c, struct found *f, unsigned bank, const uint64_t from[COMMANDS])
{
    struct next n = next_of(c, bank, from);
    if (n.cycle > f->cycle)
        return;
    if (n.cycle < f->cycle)
        *f = (struct found){.cycle = n.cycle, .age = {NEVER, NEVER}};
    if (n.age < f->age[n.column]) {
        f->age[n.column] = n.age;
        f->bank[n.column] = (uint8_t)bank;
    }
}

static void find_next(struct banked *c)
{
    uint64_t from[COMMANDS];
    struct found f = {.cycle = NEVER, .age = {NEVER, NEVER}};
    channel_allows(c, from);
    for (uint64_t m = c->used; m; m &= m - 1)
        consider(c, &f, (unsigned)__builtin_ctzll(m), from);
    c->found = f;
    c->is_found = true;
}

static uint64_t advance(void *state, uint64_t now, struct dram_done *done, uint32_t *count, bool *room)
{
    struct banked *c = state;
    uint64_t until = dram_cycle(c, now), cycle, first = c->count;
    for (;;) {
        if (!c->is_found)
            find_next(c);
        struct found f = c->found;
        cycle = f.cycle;
        if (cycle != NEVER && cycle >= c->refresh) {
            if (c->refresh > until) {
                cycle = c->refresh;
                break;
            }
            refresh_all(c, cycle < until ? cycle : until);
            c->is_found = false;
            continue;
        }
        if (cycle > until || *count == DRAM_MOST_DONE)
            break;
        c->is_found = false;
        if (f.age[0] != NEVER)
            row_command(c, f.bank[0], cycle);
        if (f.age[1] != NEVER)
            column_command(c, f.bank[1], cycle, done, count);
    }
    *room = c->refused && c->count < first;
    c->refused &= !*room;
    if (cycle == NEVER)
        return DRAM_UNKNOWN;
    return later(core_cycle(c, cycle), now + 1);
}

/* Updates c->found after the bank's next command changed. */
static void find_again(struct banked *c, unsigned bank)
{
    uint64_t from[COMMANDS];
    const struct found *f = &c->found;
    bool was_next = (f->age[0] != NEVER && f->bank[0] == bank) || (f->age[1] != NEVER && f->bank[1] == bank);
    if (!c->is_found || was_next) {
        c->is_found = false;
        return;
    }
    channel_allows(c, from);
    consider(c, &c->found, bank, from);
}

static enum dram_status offer(void *state, const struct dram_request *request, uint64_t now, uint64_t *cycle)
{
    struct banked *c = state;
    if (c->count == c->room) {
        c->refused = true;
        *cycle = DRAM_UNKNOWN;
        return DRAM_FULL;
    }
    uint64_t row = bits_of(&c->row_of, request->address);
    unsigned bank = (unsigned)bits_of(&c->bank_of, request->address), row_bits = 0;
    for (unsigned i = 0; i < c->row_of.count; i++)
        row_bits += c->row_of.piece[i].bits;
    row |= request->address >> c->map_bits << row_bits;
    if (c->hash)
        bank ^= (unsigned)row & (c->banks - 1);
    struct bank *b = &c->bank[bank];
    uint16_t r = c->free;
    struct waiting *w = &c->waiting[r];
    c->free = w->next;
    *w = (struct waiting){c->arrivals++,          request->name, request->sectors, row,
                          dram_cycle(c, now) + 1, NOBODY,        request->write};
    *(b->first == NOBODY ? &b->first : &c->waiting[b->last].next) = r;
    b->last = r;
    c->used |= 1ull << bank;
    c->count++;
    if (b->open && b->hit == NOBODY)
        find_hit(c, b);
    plan(c, b);
    find_again(c, bank);
    if (!c->is_found)
        find_next(c);
    *cycle = later(core_cycle(c, c->found.cycle), now + 1);
    return DRAM_PENDING;
}

/* Refreshes are due even while no request waits; refresh_all() carries those out with the next request. So they are
 * counted by the clock. */
static uint64_t *counted(void *state, uint64_t now)
{
    struct banked *c = state;
    uint64_t interval = c->t[T_REFI], due = interval ? dram_cycle(c, now) / interval : 0;
    c->counts[REFRESHES] += due - c->counted;
    c->counted = due;
    return c->counts;
}

static uint64_t ahead(const int64_t *o)
{
    int64_t least = (o[T_CL] < o[T_WL] ? o[T_CL] : o[T_WL]) + o[T_BURST];
    uint64_t core = (uint64_t)((unsigned __int128)least * FRACTION_ONE / (uint64_t)o[CLOCK]);
    return (uint64_t)o[LATENCY] + (core ? core - 1 : 0);
}

static double period(const int64_t *o) { return (double)o[T_REFI] * FRACTION_ONE / (double)o[CLOCK]; }

static bool may_refuse(const int64_t *options)
{
    (void)options;
    return true;
}

static bool is_fixed(const int64_t *options)
{
    (void)options;
    return false;
}

static void listen(void *state, const struct dram_listener *to) { ((struct banked *)state)->listener = to; }

const struct dram_model dram_banked = {
    .model = {.name = "banked",
              .help = "banks with open rows, FR-FCFS, timing parameters, refresh",
              .options = options_of,
              .option_count = MODEL_COUNT_OF(options_of),
              .state_size = state_size,
              .check = check,
              .counters = counters_of,
              .counter_count = COUNTERS,
              .counted = counted},
    .reset = reset,
    .offer = offer,
    .advance = advance,
    .ahead = ahead,
    .period = period,
    .may_refuse = may_refuse,
    .is_fixed = is_fixed,
    .listen = listen,
};
