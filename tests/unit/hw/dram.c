/* Device memory against closed forms: what banks, rows, buses and refresh allow. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "hw-models/set/models.h"
#include "replay/base/machine.h"
#include "replay/session/machine_open.h"

/* ---- a channel, kept full ---------------------------------------------------------------------------------------- */

static struct machine *machine_with(const struct machine_setting *settings, size_t count)
{
    struct rp_error err;
    struct machine_setting all[40];
    for (size_t i = 0; i < count; i++)
        all[i] = settings[i];
    struct machine *m =
        machine_open(&(struct machine_request){.name = "tx2-pastis", .settings = all, .setting_count = count}, &err);
    cr_assert(m, "%s", err.text);
    return m;
}

static uint64_t random_state = 42;
static uint64_t rnd(uint64_t limit)
{
    random_state = random_state * 6364136223846793005u + 1442695040888963407u;
    return (random_state >> 33) % limit;
}

typedef struct dram_request (*request_fn)(uint64_t number);

/* Offers requests as fast as they are taken; returns the cycle in which the last of `count` is done. *first: the first.
 */
static uint64_t keep_full(const struct machine *m, request_fn request, uint64_t count, uint64_t *first)
{
    const struct dram_model *model = (const struct dram_model *)m->dram.model;
    void *state = aligned_alloc(64, (model->model.state_size(m->dram.options) + 63) / 64 * 64);
    memset(state, 0, model->model.state_size(m->dram.options));
    model->reset(state, m->dram.options);
    uint64_t sent = 0, done = 0, last = 0, now = 0, ahead = model->ahead(m->dram.options);
    bool *is_done = calloc(count, sizeof *is_done);
    *first = UINT64_MAX;
    for (; done < count; now++) {
        struct dram_done ends[DRAM_MOST_DONE];
        uint32_t ended = 0;
        bool room = false;
        cr_assert_lt(now, 100000000, "it never ends");
        if (model->advance)
            model->advance(state, now, ends, &ended, &room);
        for (uint32_t i = 0; i < ended; i++) {
            cr_assert_not(is_done[ends[i].name], "a request is done once");
            cr_assert_geq(ends[i].cycle, now + ahead, "the model says how far ahead it answers");
            is_done[ends[i].name] = true;
            *first = ends[i].cycle < *first ? ends[i].cycle : *first;
            last = ends[i].cycle > last ? ends[i].cycle : last;
            done++;
        }
        for (enum dram_status a = DRAM_DONE; sent < count && a != DRAM_FULL;) {
            struct dram_request r = request(sent);
            uint64_t cycle;
            r.name = (uint32_t)sent;
            a = model->offer(state, &r, now, &cycle);
            sent += a != DRAM_FULL;
            if (a != DRAM_DONE)
                continue;
            *first = cycle < *first ? cycle : *first;
            last = cycle > last ? cycle : last;
            done++;
        }
    }
    free(is_done);
    free(state);
    return last;
}

/* Cycles per request in the middle of many. */
static double interval_of(const struct machine_setting *settings, size_t count, request_fn request, uint64_t requests)
{
    struct machine *m = machine_with(settings, count);
    uint64_t first, last = keep_full(m, request, requests, &first);
    machine_free(m);
    return (double)(last - first) / (double)(requests - 1);
}

static void is_within(double got, double wanted, double share, const char *what)
{
    cr_expect(got > wanted * (1 - share) && got < wanted * (1 + share), "%s: %.4f, not %.4f", what, got, wanted);
}

/* ---- streams ----------------------------------------------------------------------------------------------------- */

static struct dram_request stream(uint64_t n) { return (struct dram_request){.address = 32 * n, .sectors = 1}; }
static struct dram_request stream_of_writes(uint64_t n)
{
    return (struct dram_request){.address = 32 * n, .sectors = 1, .write = true};
}

/* A stream keeps the data bus busy but for refresh: t_burst of each sector in t_refi - t_rfc of t_refi cycles. */
Test(dram, a_stream_reaches_peak_bandwidth_less_refresh)
{
    static const struct {
        const char *refi, *rfc, *clock;
        double share;
    } rows[] = {{"0", "0", "1", 1},
                {"0", "0", "2.564468864", 1},
                {"13650", "910", "1", (13650.0 - 910) / 13650},
                {"6825", "910", "2.564468864", (6825.0 - 910) / 6825},
                {"6825", "910", "0.7", (6825.0 - 910) / 6825}};
    for (size_t i = 0; i < MODEL_COUNT_OF(rows); i++) {
        const struct machine_setting settings[] = {{"dram", "banked"},
                                                   {"dram.clock", rows[i].clock},
                                                   {"dram.t_refi", rows[i].refi},
                                                   {"dram.t_rfc", rows[i].rfc},
                                                   {"dram.t_ccdl", "4"}};
        double wanted = 4 / strtod(rows[i].clock, NULL) / rows[i].share;
        is_within(interval_of(settings, 5, stream, 60000), wanted, 0.01, rows[i].refi);
        is_within(interval_of(settings, 5, stream_of_writes, 60000), wanted, 0.01, "writes");
    }
}

/* Column commands of one group are t_ccdl apart: a stream that stays in one group is as slow as that. */
Test(dram, a_stream_within_a_group_of_banks_is_bound_by_tccdl)
{
    const struct machine_setting settings[] = {{"dram", "banked"}, {"dram.groups", "1"}, {"dram.t_ccdl", "6"}};
    is_within(interval_of(settings, 3, stream, 20000), 6, 0.01, "one group");
}

/* ---- rows -------------------------------------------------------------------------------------------------------- */

#define MAP "RRRRRRRRRRRRRRRRRBBBBCCCCCSSSSS"
static struct dram_request rows_of_one_bank(uint64_t n)
{
    return (struct dram_request){.address = n << 14, .sectors = 1};
}
static struct dram_request rows_of_all_banks(uint64_t n)
{
    return (struct dram_request){.address = (n / 16) << 14 | (n % 16) << 10, .sectors = 1};
}
static struct dram_request random_rows(uint64_t n)
{
    uint64_t x = (n + 1) * 0x9e3779b97f4a7c15;
    x ^= x >> 31;
    x *= 0xbf58476d1ce4e5b9;
    x ^= x >> 29;
    return (struct dram_request){.address = x % (1ull << 31) / 32 * 32, .sectors = 1};
}
static struct dram_request rows_and_writes(uint64_t n)
{
    struct dram_request r = rows_of_one_bank(n);
    r.write = true;
    return r;
}

/* A new row for each request: one bank opens one in t_rc, or in t_ras + t_rp if that is longer; banks in turns, one in
 * the longest of t_rc / banks, t_rrd and t_faw / 4. */
Test(dram, rows_are_opened_as_fast_as_trc_banks_trrd_and_tfaw_allow)
{
    static const struct {
        const char *rc, *rrd, *faw;
        double one, all;
    } rows[] = {{"78", "12", "0", 79, 12},    /* t_ras + t_rp */
                {"100", "4", "0", 100, 6.25}, /* 100 / 16 */
                {"78", "4", "0", 79, 79.0 / 16},
                {"78", "6", "40", 79, 10},
                {"200", "12", "40", 200, 12.5}};
    for (size_t i = 0; i < MODEL_COUNT_OF(rows); i++) {
        const struct machine_setting settings[] = {
            {"dram", "banked"},          {"dram.map", MAP},           {"dram.t_rc", rows[i].rc},
            {"dram.t_rrd", rows[i].rrd}, {"dram.t_faw", rows[i].faw}, {"dram.scheduler", i % 2 ? "fcfs" : "fr-fcfs"}};
        is_within(interval_of(settings, 6, rows_of_one_bank, 2000), rows[i].one, 0.001, "one bank");
        is_within(interval_of(settings, 6, rows_of_all_banks, 20000), rows[i].all, 0.01, "all banks");
    }
}

/* A write keeps its row open until t_wr after its data. */
Test(dram, rows_that_are_written_stay_open_for_twr)
{
    const struct machine_setting settings[] = {{"dram", "banked"}, {"dram.map", MAP}, {"dram.t_wr", "40"}};
    is_within(interval_of(settings, 3, rows_and_writes, 2000), 15 + 8 + 4 + 40 + 24, 0.001,
              "t_rcdw + WL + burst + WR + RP");
}

/* Random rows: not better than t_rrd and t_rc / banks allow, and with a long queue within a quarter of it. */
Test(dram, random_rows_come_near_what_trc_and_banks_allow)
{
    const struct machine_setting settings[] = {
        {"dram", "banked"}, {"dram.map", MAP}, {"dram.queue", "1024"}, {"dram.t_rrd", "2"}};
    double got = interval_of(settings, 4, random_rows, 40000), bound = 79.0 / 16;
    cr_expect(got >= bound * 0.999 && got < bound * 1.25, "%.3f, bound %.3f", got, bound);
}

/* Two rows of a bank asked for in turns: in their order each request needs its row opened; with the open row first only
 * each t_rc, with half of the queue of that row. */
static struct dram_request two_rows(uint64_t n)
{
    return (struct dram_request){.address = (n % 2) << 14 | (n / 2 % 32) << 5, .sectors = 1};
}
Test(dram, the_open_row_first)
{
    const struct machine_setting fcfs[] = {{"dram", "banked"}, {"dram.map", MAP}, {"dram.scheduler", "fcfs"}};
    const struct machine_setting ready[] = {{"dram", "banked"}, {"dram.map", MAP}};
    is_within(interval_of(fcfs, 3, two_rows, 2000), 79, 0.001, "fcfs");
    double got = interval_of(ready, 2, two_rows, 20000);
    cr_expect_lt(got, 7, "%.2f", got); /* t_ccdl and few rows */
}

/* ---- one request ------------------------------------------------------------------------------------------------- */

Test(dram, a_request_alone_takes_trcd_and_tcl_and_the_burst)
{
    static const char *const clocks[] = {"1", "2", "0.5", "2.564468864"};
    for (size_t i = 0; i < MODEL_COUNT_OF(clocks); i++) {
        const struct machine_setting settings[] = {
            {"dram", "banked"}, {"dram.clock", clocks[i]}, {"dram.latency", "77"}};
        struct machine *m = machine_with(settings, 3);
        uint64_t first, last = keep_full(m, stream, 1, &first);
        double clock = strtod(clocks[i], NULL), dram = 1 + 24 + 24 + 4; /* looked at from the next DRAM cycle on */
        cr_expect(first == last && (double)last >= dram / clock + 77 && (double)last < dram / clock + 78, "%s: %d",
                  clocks[i], (int)last);
        machine_free(m);
    }
}

/* ---- bandwidth --------------------------------------------------------------------------------------------------- */

Test(dram, bandwidth_is_what_was_given)
{
    static const char *const rates[] = {"32", "46", "7.5", "100.25", "0.5"};
    for (size_t i = 0; i < MODEL_COUNT_OF(rates); i++) {
        const struct machine_setting settings[] = {{"dram", "bandwidth"}, {"dram.bytes_per_cycle", rates[i]}};
        is_within(interval_of(settings, 2, stream, 20000), 32 / strtod(rates[i], NULL), 0.0002, rates[i]);
    }
}

/* ---- counters ---------------------------------------------------------------------------------------------------- */

static uint64_t count_of(const struct dram_model *m, const uint64_t *counts, const char *name)
{
    for (unsigned i = 0; i < m->model.counter_count; i++)
        if (!strcmp(m->model.counters[i].name, name))
            return counts[i];
    cr_assert_fail("%s counts no %s", m->model.name, name);
    return 0;
}

Test(dram, only_models_of_device_memory_count_and_each_row_says_what)
{
    unsigned rows = 0;
    for (unsigned kind = 0; kind < KIND_COUNT; kind++)
        for (const struct model *const *m = built_in_models.of[kind]; m && *m; m++) {
            cr_assert_leq((*m)->counter_count, kind == KIND_DRAM ? MODEL_MOST_COUNTERS : 0u, "%s", (*m)->name);
            for (unsigned i = 0; i < (*m)->counter_count; i++, rows++) {
                const struct model_counter *c = &(*m)->counters[i];
                cr_assert(c->name && c->unit && c->help, "%s, row %u", (*m)->name, i);
                for (unsigned j = 0; j < i; j++)
                    cr_assert_str_neq(c->name, (*m)->counters[j].name);
            }
        }
    cr_assert_gt(rows, 0);
}

/* Three sectors of a row are read, then two of another row of the bank written with one request: each row is opened
 * once, and the first closed for the second. A row's first sector is no hit: (3 - 1) + (2 - 1) are. It is over within
 * 500 cycles of the channel: 1 + 24 + 2 × 6 until the last read, a row closed after 55 at least, 24 + 15 + 6 + 8 + 4
 * for the writes. By core cycle 1750, cycle 3500 of the channel, there are refreshes in its cycles 500, 1000, ... 3500.
 */
Test(dram, two_rows_of_a_bank_are_two_activates_and_one_precharge)
{
    const struct machine_setting settings[] = {{"dram", "banked"},     {"dram.map", MAP},     {"dram.clock", "2"},
                                               {"dram.t_refi", "500"}, {"dram.t_rfc", "100"}, {"dram.latency", "0"}};
    struct machine *m = machine_with(settings, 6);
    void *state = calloc(1, dram_banked.model.state_size(m->dram.options));
    dram_banked.reset(state, m->dram.options);
    const struct dram_request asked[] = {{.address = 0, .sectors = 1},
                                         {.address = 32, .sectors = 1},
                                         {.address = 64, .sectors = 1},
                                         {.address = 1 << 14, .sectors = 2, .write = true}};
    uint32_t ended = 0;
    for (unsigned i = 0; i < 4; i++) {
        uint64_t cycle;
        cr_assert_eq(dram_banked.offer(state, &asked[i], 0, &cycle), DRAM_PENDING);
    }
    for (uint64_t now = 0; ended < 4; now++) {
        struct dram_done done[DRAM_MOST_DONE];
        bool room;
        cr_assert_lt(now, 250);
        dram_banked.advance(state, now, done, &ended, &room);
    }
    const uint64_t *counts = dram_banked.model.counted(state, 1750);
    static const struct {
        const char *name;
        uint64_t count;
    } wanted[] = {{"reads", 3}, {"writes", 2}, {"activates", 2}, {"precharges", 1}, {"row_hits", 3}, {"refreshes", 7}};
    cr_assert_eq(MODEL_COUNT_OF(wanted), dram_banked.model.counter_count);
    for (size_t i = 0; i < MODEL_COUNT_OF(wanted); i++)
        cr_expect_eq(count_of(&dram_banked, counts, wanted[i].name), wanted[i].count, "%s", wanted[i].name);
    cr_expect_eq(count_of(&dram_banked, dram_banked.model.counted(state, 1999), "refreshes"), 7, "cycle 3998");
    cr_expect_eq(count_of(&dram_banked, dram_banked.model.counted(state, 2000), "refreshes"), 8, "cycle 4000");
    free(state);
    machine_free(m);
}

/* What is refused is not counted, and what is taken is, by its sectors. */
Test(dram, bandwidth_counts_the_sectors_that_it_takes)
{
    const struct machine_setting settings[] = {
        {"dram", "bandwidth"}, {"dram.bytes_per_cycle", "1"}, {"dram.queue", "2"}};
    struct machine *m = machine_with(settings, 3);
    void *state = calloc(1, dram_bandwidth.model.state_size(m->dram.options));
    dram_bandwidth.reset(state, m->dram.options);
    uint64_t cycle, taken[2] = {0}, refused = 0;
    for (uint64_t n = 0; n < 400; n++) {
        struct dram_request r = {.address = 32 * n, .sectors = 1 + (uint32_t)n % 4, .write = n % 3 == 0};
        if (dram_bandwidth.offer(state, &r, 40 * n, &cycle) == DRAM_FULL)
            refused++;
        else
            taken[r.write] += r.sectors;
    }
    const uint64_t *counts = dram_bandwidth.model.counted(state, 16000);
    cr_assert(refused && taken[0] && taken[1]);
    cr_expect_eq(count_of(&dram_bandwidth, counts, "reads"), taken[0]);
    cr_expect_eq(count_of(&dram_bandwidth, counts, "writes"), taken[1]);
    free(state);
    machine_free(m);
}

/* ---- every cycle ------------------------------------------------------------------------------------------------- */

/* The same stated as distances from every earlier command, looked at in every DRAM cycle; the clock is the core's. */
enum { ACTIVATE, PRECHARGE, READ, WRITE };
struct command {
    int64_t cycle;
    int what;
    unsigned bank;
};
struct asked {
    uint64_t row, from, end;
    unsigned bank, sectors;
    bool write, done;
};
struct plain {
    int64_t burst, ccd, ccdl, rrd, rcd, rcdw, ras, rp, rc, cl, wl, cdlr, wr, rtp, faw, refi, rfc;
    unsigned banks, groups, queue;
    bool fcfs;
    struct command *commands;
    size_t count;
    struct asked *asked;
    size_t asked_count;
    uint64_t closed;          /* rows, by refreshes */
    int64_t refreshed, ready; /* rows may be opened from then on */
    int64_t row[16];          /* -1: closed */
};

static int64_t distance(const struct plain *p, const struct command *a, int what, unsigned bank)
{
    bool same = a->bank == bank, group = a->bank % p->groups == bank % p->groups;
    bool column = a->what >= READ, columns = column && what >= READ;
    int64_t most = 0;
#define AT_LEAST(condition, cycles) most = (condition) && (cycles) > most ? (cycles) : most
    AT_LEAST(columns, p->ccd);
    AT_LEAST(columns, p->burst);
    AT_LEAST(columns && group, p->ccdl);
    AT_LEAST(a->what == READ && what == WRITE, p->cl + p->burst + 2 - p->wl);
    AT_LEAST(a->what == WRITE && what == READ, p->wl + p->burst + p->cdlr);
    AT_LEAST(a->what == ACTIVATE && what == ACTIVATE, p->rrd);
    AT_LEAST(a->what == ACTIVATE && what == ACTIVATE && same, p->rc);
    AT_LEAST(a->what == ACTIVATE && what == READ && same, p->rcd);
    AT_LEAST(a->what == ACTIVATE && what == WRITE && same, p->rcdw);
    AT_LEAST(a->what == ACTIVATE && what == PRECHARGE && same, p->ras);
    AT_LEAST(a->what == READ && what == PRECHARGE && same, p->rtp);
    AT_LEAST(a->what == WRITE && what == PRECHARGE && same, p->wl + p->burst + p->wr);
    AT_LEAST(a->what == PRECHARGE && what == ACTIVATE && same, p->rp);
    AT_LEAST(column == (what >= READ), 1); /* one of each kind in a cycle */
    return most;
}

static bool allowed(const struct plain *p, int what, unsigned bank, int64_t now)
{
    int64_t fourth = -1;
    unsigned opened = 0;
    for (size_t i = p->count; i-- > 0 && p->count - i < 300;) {
        if (p->commands[i].cycle + distance(p, &p->commands[i], what, bank) > now)
            return false;
        if (p->commands[i].what == ACTIVATE && ++opened == 4)
            fourth = p->commands[i].cycle;
    }
    return what != ACTIVATE || (now >= p->ready && (fourth < 0 || fourth + p->faw <= now));
}

/* Whether the bank's row may be closed as far as the bank itself is concerned: refresh needs no row command. */
static bool allowed_by_bank(const struct plain *p, unsigned bank, int64_t now)
{
    for (size_t i = 0; i < p->count; i++)
        if (p->commands[i].bank == bank && p->commands[i].cycle + distance(p, &p->commands[i], PRECHARGE, bank) > now)
            return false;
    return true;
}

static void refresh(struct plain *p, int64_t now)
{
    if (!p->refi || now < p->refreshed + p->refi)
        return;
    int64_t closed = p->refreshed += p->refi;
    bool open = false;
    for (unsigned b = 0; b < p->banks; b++) {
        for (int64_t t = closed; p->row[b] >= 0 && !allowed_by_bank(p, b, t); t++)
            closed = t + 1;
        open |= p->row[b] >= 0;
        p->closed += p->row[b] >= 0;
        p->row[b] = -1;
    }
    p->ready = closed + (open ? p->rp : 0) + p->rfc;
}

/* The bank's request: its oldest, or the oldest of the open row. */
static struct asked *chosen(const struct plain *p, unsigned bank, uint64_t now)
{
    struct asked *first = NULL;
    for (size_t i = 0; i < p->asked_count; i++) {
        struct asked *a = &p->asked[i];
        if (a->done || a->bank != bank || a->from > now)
            continue;
        if (!p->fcfs && p->row[bank] == (int64_t)a->row)
            return a;
        first = first ? first : a;
    }
    return first;
}

static void cycle(struct plain *p, int64_t now)
{
    struct asked *column = NULL, *row = NULL;
    refresh(p, now);
    for (unsigned b = 0; b < p->banks; b++) {
        struct asked *a = chosen(p, b, (uint64_t)now);
        if (!a)
            continue;
        int what = p->row[b] < 0 ? ACTIVATE : p->row[b] != (int64_t)a->row ? PRECHARGE : a->write ? WRITE : READ;
        struct asked **best = what >= READ ? &column : &row;
        if (allowed(p, what, b, now) && (!*best || a < *best))
            *best = a;
    }
    if (row) {
        bool opens = p->row[row->bank] < 0;
        p->row[row->bank] = opens ? (int64_t)row->row : -1;
        p->commands[p->count++] = (struct command){now, opens ? ACTIVATE : PRECHARGE, row->bank};
    }
    if (column) {
        p->commands[p->count++] = (struct command){now, column->write ? WRITE : READ, column->bank};
        column->done = !--column->sectors;
        column->end = (uint64_t)(now + (column->write ? p->wl : p->cl) + p->burst);
    }
}

/* What the commands come to. */
static void same_counts(const struct plain *p, const uint64_t *counts)
{
    uint64_t of[4] = {0}, hits = 0;
    bool used[16] = {false}; /* the open row of a bank */
    for (size_t i = 0; i < p->count; i++) {
        const struct command *c = &p->commands[i];
        of[c->what]++;
        hits += c->what >= READ && used[c->bank];
        used[c->bank] = c->what >= READ;
    }
    cr_assert_eq(count_of(&dram_banked, counts, "activates"), of[ACTIVATE]);
    cr_assert_eq(count_of(&dram_banked, counts, "precharges"), of[PRECHARGE] + p->closed);
    cr_assert_eq(count_of(&dram_banked, counts, "reads"), of[READ]);
    cr_assert_eq(count_of(&dram_banked, counts, "writes"), of[WRITE]);
    cr_assert_eq(count_of(&dram_banked, counts, "row_hits"), hits);
    cr_assert_eq(count_of(&dram_banked, counts, "refreshes"), p->refi ? (uint64_t)(p->refreshed / p->refi) : 0);
}

#define RANDOM_REQUESTS 300
static struct plain random_settings(struct machine_setting *settings, char text[24][24], size_t *count)
{
#define RANDOM(field, key, ...)                                                                                        \
    p.field = (const int64_t[]){__VA_ARGS__}[rnd(sizeof((const int64_t[]){__VA_ARGS__}) / sizeof(int64_t))];           \
    snprintf(text[*count], 24, "%d", (int)p.field);                                                                    \
    settings[*count] = (struct machine_setting){"dram." key, text[*count]};                                            \
    ++*count
    struct plain p = {.banks = 16, .ready = 0};
    RANDOM(burst, "t_burst", 1, 2, 4);
    RANDOM(ccd, "t_ccd", 1, 4);
    RANDOM(ccdl, "t_ccdl", 2, 6);
    RANDOM(rrd, "t_rrd", 0, 4, 12);
    RANDOM(rcd, "t_rcd", 1, 10, 24);
    RANDOM(rcdw, "t_rcdw", 5, 15);
    RANDOM(ras, "t_ras", 1, 20, 55);
    RANDOM(rp, "t_rp", 1, 11, 24);
    RANDOM(rc, "t_rc", 30, 78);
    RANDOM(cl, "t_cl", 7, 24);
    RANDOM(wl, "t_wl", 1, 8);
    RANDOM(cdlr, "t_cdlr", 0, 10);
    RANDOM(wr, "t_wr", 0, 24);
    RANDOM(rtp, "t_rtp", 1, 4);
    RANDOM(faw, "t_faw", 0, 60);
    RANDOM(refi, "t_refi", 0, 500, 3000);
    RANDOM(rfc, "t_rfc", 10, 100);
    RANDOM(groups, "groups", 1, 4, 16);
    return p;
}

static struct dram_request random_request(void)
{
    uint64_t row = rnd(3), bank = rnd(rnd(2) ? 16 : 3);
    return (struct dram_request){.address = row << 14 | bank << 10 | rnd(32) << 5,
                                 .sectors = 1 + (uint32_t)rnd(2) * (uint32_t)rnd(4),
                                 .write = rnd(3) == 0};
}

Test(dram, banked_is_what_a_simulation_of_each_cycle_gives)
{
    for (int run = 0; run < 150; run++) {
        char text[24][24];
        struct machine_setting settings[40] = {
            {"dram", "banked"}, {"dram.map", MAP}, {"dram.latency", "0"}, {"dram.queue", "1024"}};
        size_t count = 4;
        struct plain p = random_settings(settings, text, &count);
        p.fcfs = rnd(2);
        settings[count++] = (struct machine_setting){"dram.scheduler", p.fcfs ? "fcfs" : "fr-fcfs"};
        struct machine *m = machine_with(settings, count);
        void *state = calloc(1, dram_banked.model.state_size(m->dram.options));
        dram_banked.reset(state, m->dram.options);
        p.commands = calloc(RANDOM_REQUESTS * 16, sizeof *p.commands);
        p.asked = calloc(RANDOM_REQUESTS, sizeof *p.asked);
        memset(p.row, 0xff, sizeof p.row);
        uint64_t ends[RANDOM_REQUESTS] = {0}, pause = 1 + rnd(30), next = 0, done = 0, wake = 0;
        uint64_t now = 0;
        for (; done < RANDOM_REQUESTS; now++) {
            struct dram_done out[DRAM_MOST_DONE];
            uint32_t ended = 0;
            bool room;
            cr_assert_lt(now, 1000000);
            cycle(&p, (int64_t)now);
            if (now == wake) /* only when it asks for it */
                wake = dram_banked.advance(state, now, out, &ended, &room);
            for (uint32_t i = 0; i < ended; i++, done++)
                ends[out[i].name] = out[i].cycle;
            for (; p.asked_count < RANDOM_REQUESTS && next <= now; next += rnd(pause)) {
                struct dram_request r = random_request();
                uint64_t again;
                r.name = (uint32_t)p.asked_count;
                cr_assert_eq(dram_banked.offer(state, &r, now, &again), DRAM_PENDING);
                wake = again < wake ? again : wake;
                p.asked[p.asked_count++] = (struct asked){.row = r.address >> 14,
                                                          .from = now + 1,
                                                          .bank = r.address >> 10 & 15,
                                                          .sectors = r.sectors,
                                                          .write = r.write};
            }
        }
        for (unsigned i = 0; i < RANDOM_REQUESTS; i++)
            cr_assert_eq(ends[i], p.asked[i].end, "run %d, request %u: %d, not %d\n%s", run, i, (int)ends[i],
                         (int)p.asked[i].end, m->text);
        same_counts(&p, dram_banked.model.counted(state, now - 1));
        free(p.commands);
        free(p.asked);
        free(state);
        machine_free(m);
    }
}

/* ---- options ----------------------------------------------------------------------------------------------------- */

Test(dram, maps_that_make_no_sense_are_refused)
{
    static const struct machine_setting bad[][2] = {{{"dram", "banked"}, {"dram.map", "RRBBCCSSSSS"}},
                                                    {{"dram", "banked"}, {"dram.map", "RRBBBBXSSSSS"}},
                                                    {{"dram", "banked"}, {"dram.banks", "12"}},
                                                    {{"dram", "banked"}, {"dram.groups", "17"}}};
    for (size_t i = 0; i < MODEL_COUNT_OF(bad); i++) {
        struct rp_error err;
        struct machine *m =
            machine_open(&(struct machine_request){.name = "tx2-pastis", .settings = bad[i], .setting_count = 2}, &err);
        cr_expect_null(m, "row %zu", i);
        machine_free(m);
    }
}
