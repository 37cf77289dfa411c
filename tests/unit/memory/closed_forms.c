/* The memory system against closed forms: the rate of a crossbar's links, Little's law for MSHRs, hits of LRU by stack
 * distance, and cycles of single requests. */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "replay/session/machine_open.h"
#include "tests/support/synthetic_trace.h"
#include "tests/unit/memory/plan.h"

static struct machine *machine_with(const struct machine_setting *settings, size_t count)
{
    struct rp_error err;
    struct machine *m = machine_open(
        &(struct machine_request){.name = "tx2-pastis", .settings = settings, .setting_count = count}, &err);
    cr_assert(m, "%s", err.text);
    return m;
}

static struct outcome run(const struct machine *m, const struct plan *p)
{
    struct outcome o = {.ends = malloc(p->count * sizeof *o.ends)};
    memset(o.ends, 0xff, p->count * sizeof *o.ends);
    plan_run(m, true, p, &o);
    return o;
}

static uint64_t last_end(const struct plan *p, const struct outcome *o)
{
    uint64_t last = 0;
    for (unsigned i = 0; i < p->count; i++)
        last = o->ends[i] > last ? o->ends[i] : last;
    return last;
}

static struct memory_transaction transaction(uint64_t address, enum cache_kind kind, bool bypass_l1)
{
    return (struct memory_transaction){address, (uint8_t)kind, bypass_l1, 1, CACHE_HINT_NONE, CACHE_ALL_BYTES};
}

/* ---- crossbar ---------------------------------------------------------------------------------------------------- */

/* What is unusual about a machine of 8 SMs and 8 slices. */
struct crossing {
    const char *flit, *interval, *links, *l2; /* bytes, cycles, MHz; the core has 1000 */
    const char *sm_flit, *out, *in;           /* bytes; NULL: 0; out, in: of the links of 2 GPCs */
};

/* Sectors in a cycle of 8 SMs, all of them at slices (SM + i × step) modulo slices. */
static double rate(const struct crossing *c, enum cache_kind kind, unsigned step, bool one_slice)
{
    const struct machine_setting settings[] = {{"sms", "8"},
                                               {"clock_mhz", "1000"},
                                               {"l1", "none"},
                                               {"l2", "sectored"},
                                               {"l2.size", "4M"},
                                               {"l2.ways", "16"},
                                               {"l2.write", "back"},
                                               {"l2.write_miss", "validate"},
                                               {"l2.slices", "8"},
                                               {"l2.interleave", "128"},
                                               {"l2.interval", c->interval},
                                               {"l2.clock_mhz", c->l2},
                                               {"dram", "ideal"},
                                               {"interconnect", "crossbar"},
                                               {"interconnect.flit", c->flit},
                                               {"interconnect.sm_flit", c->sm_flit ? c->sm_flit : "0"},
                                               {"interconnect.gpc_out", c->out ? c->out : "0"},
                                               {"interconnect.gpc_in", c->in ? c->in : "0"},
                                               {"gpcs", "2"},
                                               {"interconnect.clock_mhz", c->links},
                                               {"interconnect.header", "8"},
                                               {"port.latency", "30"}};
    struct machine *m = machine_with(settings, MODEL_COUNT_OF(settings));
    struct plan p = {.count = 8 * 500};
    p.accesses = calloc(p.count, sizeof *p.accesses);
    for (unsigned i = 0; i < p.count; i++) {
        struct plan_access *a = &p.accesses[i];
        *a = (struct plan_access){.sm = i % 8, .issue = i / 8, .initiation = 1, .count = PLAN_TRANSACTIONS};
        for (unsigned t = 0; t < PLAN_TRANSACTIONS; t++) {
            unsigned number = i / 8 * PLAN_TRANSACTIONS + t;
            uint64_t slice = one_slice ? 3 : (i % 8 + number * step) % 8;
            a->transactions[t] = transaction((uint64_t)number / 4 * 1024 + slice * 128 + number % 4 * 32, kind, true);
        }
    }
    struct outcome o = run(m, &p);
    double l2 = atof(c->l2) > 0 ? 134 * 1000 / atof(c->l2) : 134;
    double cycles = (double)last_end(&p, &o) - (30 + l2 + 30); /* but for the way of the last one */
    free(o.ends);
    free(p.accesses);
    machine_free(m);
    return 8 * 500 * PLAN_TRANSACTIONS / cycles;
}

static void is_near(double got, double wanted, const char *what)
{
    cr_expect(got > wanted * 0.99 && got <= wanted * 1.0005, "%s: %.4f sectors a cycle, not %.4f", what, got, wanted);
}

/* A read's reply has 40 bytes, a write's request too, all others 8. Each of 8 links moves a flit in a cycle, so 8 SMs
 * get 8 / roundup(40 / flit) sectors in a cycle where they are at different slices, and an eighth of that where all are
 * at one. */
Test(closed_forms, a_crossbar_saturates_at_its_flit_rate)
{
    static const struct {
        const char *flit;
        double flits;
    } rows[] = {{"40", 1}, {"32", 2}, {"10", 4}, {"8", 5}};
    for (size_t i = 0; i < MODEL_COUNT_OF(rows); i++)
        for (enum cache_kind kind = CACHE_READ; kind <= CACHE_WRITE; kind++) {
            const struct crossing c = {.flit = rows[i].flit, .interval = "0", .links = "0", .l2 = "0"};
            is_near(rate(&c, kind, 0, false), 8 / rows[i].flits, "each SM at its slice");
            is_near(rate(&c, kind, 1, false), 8 / rows[i].flits, "each SM at all slices in turns");
            is_near(rate(&c, kind, 0, true), 1 / rows[i].flits, "all SMs at one slice");
        }
}

/* Links out of SMs that are narrower hold up what carries data to L2, and nothing else. */
Test(closed_forms, narrow_links_of_sms_hold_up_writes)
{
    const struct crossing c = {.flit = "40", .interval = "0", .links = "0", .l2 = "0", .sm_flit = "14"};
    is_near(rate(&c, CACHE_READ, 1, false), 8, "reads");
    is_near(rate(&c, CACHE_WRITE, 1, false), 8 / 3.0, "writes, three flits each");
    is_near(rate(&c, CACHE_WRITE, 0, true), 1, "all SMs at one slice, whose link is as wide as before");
}

/* SMs of a GPC share links. Each of 2 GPCs sends 60 bytes in a cycle, so one and a half writes of 40 bytes each, and
 * more reads, of 8 bytes each, than its SMs can send; of replies 100 bytes, two and a half sectors. */
Test(closed_forms, links_of_gpcs_hold_up_all_their_sms)
{
    const struct crossing out = {.flit = "40", .interval = "0", .links = "0", .l2 = "0", .out = "60"};
    is_near(rate(&out, CACHE_READ, 1, false), 8, "reads");
    is_near(rate(&out, CACHE_WRITE, 1, false), 2 * 1.5, "writes, one and a half in a cycle of each GPC");
    const struct crossing in = {.flit = "40", .interval = "0", .links = "0", .l2 = "0", .in = "100"};
    is_near(rate(&in, CACHE_READ, 1, false), 2 * 2.5, "reads, two and a half in a cycle of each GPC");
    is_near(rate(&in, CACHE_WRITE, 1, false), 8, "writes");
    const struct crossing fast = {.flit = "40", .interval = "0", .links = "500", .l2 = "0", .out = "100"};
    is_near(rate(&fast, CACHE_WRITE, 1, false), 2 * 2.5 / 2, "writes, half as many cycles");
}

/* Links of another clock move a flit in a cycle of that, and slices of another clock look up a sector in `interval` of
 * theirs. The core's clock bounds neither; what SMs can send and take does. */
Test(closed_forms, links_and_slices_have_clocks_of_their_own)
{
    static const struct {
        struct crossing crossing;
        double links, slices; /* sectors in a cycle of one of each */
    } rows[] = {{{.flit = "8", .interval = "0", .links = "500", .l2 = "0"}, 0.5 / 5, 9},
                {{.flit = "8", .interval = "0", .links = "2000", .l2 = "0"}, 2.0 / 5, 9},
                {{.flit = "8", .interval = "0", .links = "1234.567", .l2 = "0"}, 1.234567 / 5, 9},
                {{.flit = "8", .interval = "0", .links = "333.5", .l2 = "700"}, 0.3335 / 5, 9},
                {{.flit = "40", .interval = "1", .links = "4000", .l2 = "250"}, 4, 0.25},
                {{.flit = "40", .interval = "4", .links = "4000", .l2 = "3000"}, 4, 0.75},
                {{.flit = "40", .interval = "3", .links = "1000", .l2 = "777.125"}, 1, 0.777125 / 3}};
    for (size_t i = 0; i < MODEL_COUNT_OF(rows); i++) {
        double one = rows[i].links < rows[i].slices ? rows[i].links : rows[i].slices;
        is_near(rate(&rows[i].crossing, CACHE_READ, 0, false), 8 * one, "each SM at its slice");
        is_near(rate(&rows[i].crossing, CACHE_WRITE, 0, true), one, "all SMs at one slice");
    }
}

/* ---- Little's law ------------------------------------------------------------------------------------------------ */

/* An SM with n MSHRs and a latency T from the look-up of one sector to the cycle in which its MSHR is free again serves
 * n / T sectors in a cycle, up to one for each interval of its port. */
Test(closed_forms, loads_bound_by_mshrs_obey_littles_law)
{
    static const char *const mshrs[] = {"1", "7", "64", "256"}, *const models[] = {"direct-mapped", "sectored"},
                             *const latencies[] = {"100", "417"};
    for (unsigned i = 0; i < 16; i++) {
        const struct machine_setting settings[] = {
            {"sms", "1"},          {"l1", models[i % 2]},  {"l1.size", "64K"},
            {"l1.latency", "28"},  {"l1.interval", "0"},   {"l1.mshrs", mshrs[i / 2 % 4]},
            {"l2", "none"},        {"port.latency", "50"}, {"dram.latency", latencies[i / 8]},
            {"dram.interval", "0"}};
        struct machine *m = machine_with(settings, MODEL_COUNT_OF(settings));
        struct plan p = {.count = 4000};
        p.accesses = calloc(p.count, sizeof *p.accesses);
        for (unsigned a = 0; a < p.count; a++) {
            p.accesses[a] = (struct plan_access){.issue = 0, .initiation = 1, .count = PLAN_TRANSACTIONS};
            for (unsigned t = 0; t < PLAN_TRANSACTIONS; t++)
                p.accesses[a].transactions[t] = transaction((a * PLAN_TRANSACTIONS + t) * 32ull, CACHE_READ, false);
        }
        struct outcome o = run(m, &p);
        double latency = 28 + 50 + strtod(latencies[i / 8], NULL) + 50 + 1, sectors = 4000 * PLAN_TRANSACTIONS;
        double got = (double)last_end(&p, &o) / sectors, wanted = latency / strtod(mshrs[i / 2 % 4], NULL);
        cr_expect(got > wanted * 0.99 && got < wanted * 1.01, "%s, %s MSHRs: %.4f cycles for a sector, not %.4f",
                  models[i % 2], mshrs[i / 2 % 4], got, wanted);
        free(o.ends);
        free(p.accesses);
        machine_free(m);
    }
}

/* ---- stack distance ---------------------------------------------------------------------------------------------- */

/* A read hits in a set of `ways` lines under LRU if fewer than `ways` different lines of its set were used since its
 * own was (Mattson et al., "Evaluation Techniques for Storage Hierarchies", 1970). */
#define MOST_LINES 4096
struct stack {
    uint64_t lines[MOST_LINES];
    unsigned count;
};
static unsigned distance(struct stack *s, uint64_t line)
{
    unsigned at = 0;
    while (at < s->count && s->lines[at] != line)
        at++;
    unsigned found = at < s->count ? at : UINT32_MAX;
    s->count += at == s->count;
    cr_assert_leq(s->count, MOST_LINES);
    memmove(s->lines + 1, s->lines, at * sizeof *s->lines);
    s->lines[0] = line;
    return found;
}

static uint64_t random_line(uint64_t *seed, unsigned pattern, unsigned i)
{
    uint64_t r = synthetic_random(seed);
    switch (pattern) {
    case 0: return r % 300;
    case 1: return r % 4 ? r % 40 : r % 2000; /* some are used often */
    case 2: return i % 130;                   /* a loop */
    default: return i % 64 * 17 + r % 3;
    }
}

Test(closed_forms, hits_of_lru_are_those_of_stack_distance)
{
    static const struct {
        const char *size, *ways;
        unsigned sets, way_count;
    } shapes[] = {
        {"1K", "8", 1, 8}, {"8K", "4", 16, 4}, {"16K", "128", 1, 128}, {"6K", "3", 16, 3}, {"16K", "1", 128, 1}};
    for (unsigned i = 0; i < 4 * MODEL_COUNT_OF(shapes); i++) {
        const struct machine_setting settings[] = {{"sms", "1"},
                                                   {"l1", "sectored"},
                                                   {"l1.size", shapes[i / 4].size},
                                                   {"l1.ways", shapes[i / 4].ways},
                                                   {"l1.sector", "128"},
                                                   {"l1.replacement", "lru"}};
        struct machine *m = machine_with(settings, MODEL_COUNT_OF(settings));
        struct stack *stacks = calloc(shapes[i / 4].sets, sizeof *stacks);
        struct plan p = {.count = 5000, .accesses = calloc(5000, sizeof *p.accesses)};
        uint64_t seed = i + 1, hits = 0;
        for (unsigned a = 0; a < p.count; a++) {
            uint64_t line = random_line(&seed, i % 4, a);
            p.accesses[a] = (struct plan_access){.issue = a * 400ull, .initiation = 1, .count = 1};
            p.accesses[a].transactions[0] = transaction(line * 128, CACHE_READ, false);
            hits += distance(&stacks[line % shapes[i / 4].sets], line) < shapes[i / 4].way_count;
        }
        struct outcome o = run(m, &p);
        cr_expect_eq(o.l1_hits, hits, "%s in %s ways: %d hits, not %d", shapes[i / 4].size, shapes[i / 4].ways,
                     (int)o.l1_hits, (int)hits);
        cr_expect_eq(o.l1_misses, p.count - hits);
        free(o.ends);
        free(p.accesses);
        free(stacks);
        machine_free(m);
    }
}

/* ---- requests of several sectors --------------------------------------------------------------------------------- */

/* An access of neighbouring sectors of one line. */
struct of_line {
    uint64_t issue;
    unsigned first, count;
    enum cache_kind kind;
    bool bypass_l1;
    uint64_t end;
};

/* Every cycle is counted by hand: a request leaves in cycle 1, is on its way for 20 cycles, L2 looks a sector up in 100
 * and begins with the next one 2 later, and device memory has it 200 after that. L1, if any, needs 28. */
static void end_at(const char *what, const struct machine_setting *more, size_t more_count,
                   const struct of_line *wanted, unsigned count)
{
    struct machine_setting settings[24] = {{"sms", "1"},           {"l1", "none"},
                                           {"l2", "sectored"},     {"l2.size", "64K"},
                                           {"l2.write", "back"},   {"l2.write_miss", "validate"},
                                           {"l2.latency", "100"},  {"l2.interval", "2"},
                                           {"port.latency", "20"}, {"dram.latency", "200"},
                                           {"dram.interval", "3"}, {"port.sectors", "4"}};
    size_t n = 12;
    for (size_t i = 0; i < more_count; i++)
        settings[n++] = more[i];
    struct machine *m = machine_with(settings, n);
    struct plan p = {.count = count, .accesses = calloc(count, sizeof *p.accesses)};
    for (unsigned i = 0; i < count; i++) {
        p.accesses[i] = (struct plan_access){.issue = wanted[i].issue, .initiation = 1, .count = wanted[i].count};
        for (unsigned t = 0; t < wanted[i].count; t++)
            p.accesses[i].transactions[t] =
                transaction((wanted[i].first + t) * 32ull, wanted[i].kind, wanted[i].bypass_l1);
    }
    struct outcome o = run(m, &p);
    for (unsigned i = 0; i < count; i++)
        cr_expect_eq(o.ends[i], wanted[i].end, "%s: access %u ends at %d, not %d", what, i, (int)o.ends[i],
                     (int)wanted[i].end);
    free(o.ends);
    free(p.accesses);
    machine_free(m);
}
#define END_AT(what, wanted, ...)                                                                                      \
    do {                                                                                                               \
        const struct machine_setting more[] = {__VA_ARGS__};                                                           \
        end_at(what, more, MODEL_COUNT_OF(more), wanted, MODEL_COUNT_OF(wanted));                                      \
    } while (0)
#define CROSSBAR                                                                                                       \
    {"interconnect", "crossbar"}, {"interconnect.flit", "40"}, { "interconnect.header", "8" }

Test(closed_forms, a_line_is_read_by_one_request)
{
    /* It leaves L2 when its first look-up ends, at 1 + 20 + 100; sectors that are there go back when the last one does,
     * 3 × 2 later. A link has 4 flits for 8 + 128 bytes, and begins with the first sector. */
    static const struct of_line direct[] = {{0, 0, 4, CACHE_READ, true, 121 + 200 + 20},
                                            {1000, 0, 4, CACHE_READ, true, 1121 + 6 + 20},
                                            {2000, 1, 2, CACHE_READ, true, 2121 + 2 + 20}};
    static const struct of_line links[] = {{0, 0, 4, CACHE_READ, true, 121 + 200 + 3 + 20},
                                           {1000, 0, 4, CACHE_READ, true, 1121 + 3 + 20},
                                           {2000, 1, 2, CACHE_READ, true, 2121 + 1 + 20}};
    /* By one request each, the last leaves L2 6 later, but device memory begins with it 3 × 3 after the first. */
    static const struct of_line single[] = {{0, 0, 4, CACHE_READ, true, 121 + 9 + 200 + 20},
                                            {1000, 0, 4, CACHE_READ, true, 1121 + 6 + 20}};
    END_AT("direct", direct, {"l1", "none"});
    END_AT("links", links, CROSSBAR);
    END_AT("one by one", single, {"port.sectors", "1"});
    END_AT("one by one, links", single, {"port.sectors", "1"}, CROSSBAR);
}

/* A write of n sectors has (8 + 32 n) / 40 flits, rounded up: those after the first are on the SM's link for a cycle
 * each. Its reply has one, and begins when the first look-up ends. */
Test(closed_forms, a_write_has_flits_for_all_of_its_sectors)
{
    static const struct of_line wanted[] = {{0, 0, 4, CACHE_WRITE, true, 121 + 3 + 20},
                                            {1000, 0, 2, CACHE_WRITE, true, 1121 + 1 + 20},
                                            {2000, 3, 1, CACHE_WRITE, true, 2121 + 20}};
    END_AT("flits of 40 bytes", wanted, CROSSBAR);
    static const struct of_line narrow[] = {{0, 0, 4, CACHE_WRITE, true, 121 + 16 + 20},
                                            {1000, 0, 2, CACHE_WRITE, true, 1121 + 8 + 20}};
    END_AT("flits of 8 bytes on the SM's link", narrow, CROSSBAR, {"interconnect.sm_flit", "8"});
}

/* L2 has sectors 1 and 2 of a line, so they come before the others, and a read of one of them in between does not wait
 * for these. */
Test(closed_forms, each_sector_comes_when_it_is_there)
{
    static const struct of_line wanted[] = {
        {0, 1, 2, CACHE_READ, true, 121 + 200 + 1 + 20},           /* L2 keeps them, L1 does not */
        {1000, 0, 4, CACHE_READ, false, 1121 + 28 + 200 + 1 + 20}, /* two flits each time */
        {1050, 1, 1, CACHE_READ, false, 1121 + 28 + 2 + 1 + 20},
        {1051, 3, 1, CACHE_READ, false, 1121 + 28 + 200 + 1 + 20},
        {1052, 2, 2, CACHE_READ, false, 1121 + 28 + 200 + 1 + 20}};
    END_AT("partial hits", wanted, CROSSBAR, {"l1", "sectored"}, {"l1.latency", "28"}, {"l1.interval", "0"},
           {"l1.mshrs", "64"});
}

/* Three MSHRs: the fourth sector is looked up in the cycle after the others came. */
Test(closed_forms, sectors_without_an_mshr_are_a_request_of_their_own)
{
    const uint64_t came = 1 + 28 + 20 + 100 + 200 + 20;
    const struct of_line three[] = {{0, 0, 4, CACHE_READ, false, 2 * came}};
    const struct of_line four[] = {{0, 0, 4, CACHE_READ, false, came}};
    END_AT("3 MSHRs", three, {"l1", "sectored"}, {"l1.latency", "28"}, {"l1.interval", "0"}, {"l1.mshrs", "3"});
    END_AT("4 MSHRs", four, {"l1", "sectored"}, {"l1.latency", "28"}, {"l1.interval", "0"}, {"l1.mshrs", "4"});
    /* In L2, one MSHR is free at 121 + 200 + 1, and the look-up of the second sector ends 100 later. */
    const struct of_line slice[] = {{0, 0, 2, CACHE_READ, true, 322 + 100 + 200 + 20}};
    END_AT("1 MSHR of L2", slice, {"l2.mshrs", "1"});
}

/* ---- translation ------------------------------------------------------------------------------------------------- */

/* A chain of reads, each of another page, round and round. L1 TLB: 16 entries of 2 MiB; L2 TLB: 4 of 32 MiB. */
static struct outcome chase(unsigned pages, uint64_t *latency, uint64_t *first)
{
    const struct machine_setting settings[] = {{"sms", "1"},
                                               {"l1", "none"},
                                               {"l2", "none"},
                                               {"port.latency", "20"},
                                               {"dram.latency", "200"},
                                               {"dram.interval", "0"},
                                               {"tlb", "set-associative"},
                                               {"tlb.entries", "16"},
                                               {"tlb.walk", "300"},
                                               {"l2_tlb", "set-associative"},
                                               {"l2_tlb.page", "32M"},
                                               {"l2_tlb.entries", "4"},
                                               {"l2_tlb.latency", "11"}};
    struct machine *m = machine_with(settings, MODEL_COUNT_OF(settings));
    struct plan p = {.count = 4 * pages, .accesses = calloc(4 * pages, sizeof *p.accesses)};
    for (unsigned a = 0; a < p.count; a++) {
        p.accesses[a] = (struct plan_access){.issue = a * 1000ull, .initiation = 1, .count = 1};
        p.accesses[a].transactions[0] = transaction(a % pages * (2ull << 20), CACHE_READ, false);
    }
    struct outcome o = run(m, &p);
    *first = o.ends[0] - 1;
    *latency = 0; /* of the last round, the slowest */
    for (unsigned a = 3 * pages; a < p.count; a++)
        *latency = o.ends[a] - a * 1000ull - 1 > *latency ? o.ends[a] - a * 1000ull - 1 : *latency;
    free(o.ends);
    free(p.accesses);
    machine_free(m);
    return o;
}

/* Mei and Chu's steps (arXiv:1509.02308, Figure 14): within the reach of the SM's TLB an access takes 20 + 200 + 20
 * cycles; beyond it, 11 more for a look-up in the L2 TLB; beyond the reach of that one, too, 300 more for a walk. */
Test(closed_forms, reads_beyond_the_reach_of_tlbs_take_a_look_up_and_a_walk_more)
{
    static const struct {
        unsigned pages;
        uint64_t latency, misses, walks; /* of four rounds */
    } rows[] = {{16, 240, 16, 1}, {17, 251, 4 * 17, 2}, {64, 251, 4 * 64, 4}, {80, 551, 4 * 80, 4 * 5}};
    for (size_t i = 0; i < MODEL_COUNT_OF(rows); i++) {
        uint64_t latency, first;
        struct outcome o = chase(rows[i].pages, &latency, &first);
        cr_expect_eq(first, 551, "the first access walks");
        cr_expect_eq(latency, rows[i].latency, "%u pages: %d cycles", rows[i].pages, (int)latency);
        cr_expect_eq(o.tlb.misses, rows[i].misses, "%u pages: %d misses", rows[i].pages, (int)o.tlb.misses);
        cr_expect_eq(o.tlb.hits, 4 * rows[i].pages - rows[i].misses);
        cr_expect_eq(o.tlb.walks, rows[i].walks, "%u pages: %d walks", rows[i].pages, (int)o.tlb.walks);
        cr_expect_eq(o.tlb.l2_hits, rows[i].misses - rows[i].walks);
        cr_expect_eq(o.tlb.waited, 11 * rows[i].misses + 300 * rows[i].walks);
    }
}

/* n requests of different pages at once, w walkers: the last walk ends after roundup(n / w) walks. */
Test(closed_forms, walks_wait_for_walkers)
{
    static const char *const walkers[] = {"1", "3", "8", "-1"};
    static const uint64_t rounds[] = {8, 3, 1, 1};
    for (size_t i = 0; i < MODEL_COUNT_OF(rounds); i++) {
        const struct machine_setting settings[] = {{"sms", "8"},           {"l1", "none"},
                                                   {"l2", "none"},         {"dram.latency", "100"},
                                                   {"dram.interval", "0"}, {"tlb", "set-associative"},
                                                   {"tlb.walk", "300"},    {"tlb.walkers", walkers[i]}};
        struct machine *m = machine_with(settings, MODEL_COUNT_OF(settings));
        struct plan p = {.count = 8, .accesses = calloc(8, sizeof *p.accesses)};
        for (unsigned a = 0; a < p.count; a++) {
            p.accesses[a] = (struct plan_access){.sm = a, .initiation = 1, .count = 1};
            p.accesses[a].transactions[0] = transaction(a * (2ull << 20), CACHE_READ, false);
        }
        struct outcome o = run(m, &p);
        cr_expect_eq(last_end(&p, &o), 1 + rounds[i] * 300 + 100, "%s walkers: %d", walkers[i], (int)last_end(&p, &o));
        free(o.ends);
        free(p.accesses);
        machine_free(m);
    }
}
