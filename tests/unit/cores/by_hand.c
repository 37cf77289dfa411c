/* What can be counted by hand: hops, waits, barriers, invalidations; and the agenda's order. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "replay/engines/cores/agenda.h"
#include "replay/session/machine_open.h"
#include "replay/session/replay.h"
#include "tests/support/warp_trace.h"

enum { CORES = 32, COLUMNS = 8, LINE = 64, ROUNDS = 5 };

/* Lane by lane `stride` bytes apart, from `at` on. */
#define MEMORY(stores, at, apart, mask)                                                                                \
    {                                                                                                                  \
        .unit_class = RP_CLASS_MEMORY, .space = RP_SPACE_GLOBAL, .store = stores, .destination = -1,                   \
        .source = {-1, -1, -1}, .stride = apart, .address = at, .lanes = mask                                          \
    }
#define BARRIER                                                                                                        \
    {                                                                                                                  \
        .unit_class = RP_CLASS_BARRIER, .destination = -1, .source = { -1, -1, -1 }                                    \
    }

static struct rp_trace *guest_of(const struct warp_op *ops, uint32_t count, bool guest)
{
    char path[] = "/tmp/reprise-cores-XXXXXX";
    struct rp_error err;
    close(mkstemp(path));
    struct warp_trace *w = warp_trace_begin(path, &err);
    bool fine = w && (!guest || warp_trace_guest(w, &err)) &&
                warp_trace_launch(w, &(struct warp_program){ops, count}, 1, 1, &err);
    cr_assert(fine && warp_trace_end(w, true, &err), "%s", err.text);
    struct rp_trace *t = rp_trace_open(path, &err);
    cr_assert(t, "%s", err.text);
    unlink(path);
    return t;
}

/* manycore-32 with rounder figures: no port is ever busy, and device memory takes 100 cycles. */
static struct machine *plain_machine(const char *coherence, const char *barrier)
{
    const struct machine_setting settings[] = {
        {"coherence", coherence}, {"l2.interval", "0"},        {"l2.latency", "29"},    {"l1d.latency", "0"},
        {"l1d.line", "64"},       {"dram.model", "fixed"},     {"dram.latency", "100"}, {"dram.interval", "0"},
        {"l1i.line", "64"},       {"barrier_latency", barrier}};
    struct rp_error err;
    struct machine *m = machine_open(&(struct machine_request){.name = "manycore-32",
                                                               .settings = settings,
                                                               .setting_count = sizeof settings / sizeof *settings},
                                     &err);
    cr_assert(m, "%s", err.text);
    return m;
}

/* Both modes say the same; those of the fast one. */
static struct replay_result replayed(struct rp_trace *t, const struct machine *m)
{
    struct replay_result r[2];
    struct rp_error err;
    for (int e = 0; e < 2; e++)
        cr_assert(replay(t, m, &(struct replay_options){.engine = e ? REPLAY_REFERENCE : REPLAY_FAST, .launch = -1},
                         &r[e], &err),
                  "%s", err.text);
    const char *why = statistics_difference(m, &r[0].total, &r[1].total);
    cr_assert_null(why, "fast and reference differ: %s", why);
    cr_assert_arr_eq(r[0].cores, r[1].cores, CORES * sizeof *r[0].cores);
    replay_result_free(&r[1]);
    return r[0];
}

static uint64_t hops(uint32_t a, uint32_t b)
{
    return (uint64_t)(abs((int)(a % COLUMNS) - (int)(b % COLUMNS)) + abs((int)(a / COLUMNS) - (int)(b / COLUMNS)));
}

/* The code is in line 0, whose bank is that of tile 0, as is the channel. A message of n flits takes hops + n cycles, a
 * line and its header are 9 flits. Core 0 asks first. */
#define CODE_IN_BANK (1 + 29 + 1 + 100 + 9)
static uint64_t fetched(uint32_t core) { return CODE_IN_BANK + hops(core, 0) + 9; }
/* A line of data that nobody has had. */
static uint64_t loaded(uint32_t core, uint32_t bank)
{
    return hops(core, bank) + 1 + 29 + hops(bank, 0) + 1 + 100 + hops(bank, 0) + 9 + hops(bank, core) + 9;
}

Test(cores, hops_and_waits)
{
    for (uint32_t core = 0; core < CORES; core += 5) {
        const uint32_t bank = (core * 7 + 3) % CORES;
        const struct warp_op ops[] = {MEMORY(false, 0x10000 + bank * LINE, 0, UINT32_C(1) << core)};
        struct rp_trace *t = guest_of(ops, 1, true);
        struct machine *m = plain_machine(core % 2 ? "none" : "msi", "0");
        struct replay_result r = replayed(t, m);
        uint64_t all = 0;
        for (uint32_t i = 0; i < CORES; i++) {
            const uint64_t its = 2 * hops(i, 0) + (i == core ? 2 * hops(i, bank) + 2 * hops(bank, 0) : 0);
            cr_expect_eq(r.cores[i].fetch, fetched(i));
            cr_expect_eq(r.cores[i].load, i == core ? loaded(i, bank) : 0);
            cr_expect_eq(r.cores[i].hops, its);
            cr_expect_eq(r.cores[i].base, i == core ? 2 : 1);
            all += its;
        }
        cr_expect_eq(r.total.cores.hops, all);
        cr_expect_eq(r.total.cores.messages, 2 * CORES + 2 + 2 + 2);
        replay_result_free(&r);
        machine_free(m);
        rp_trace_close(t);
    }
}

/* A core comes late, as it has loaded something: the others wait for it. */
Test(cores, the_barrier_waits_for_the_last_core)
{
    const struct warp_op ops[] = {MEMORY(false, 0x10000 + 9 * LINE, 0, UINT32_C(1) << 20), BARRIER};
    struct rp_trace *t = guest_of(ops, 2, true);
    struct machine *m = plain_machine("msi", "17");
    struct replay_result r = replayed(t, m);
    const uint64_t last = fetched(20) + loaded(20, 9) + 1, goes_on = last + 1 + 17;
    for (uint32_t i = 0; i < CORES; i++)
        cr_expect_eq(r.cores[i].barrier, goes_on - (i == 20 ? last : fetched(i)) - 1, "core %u: %llu", i,
                     (unsigned long long)r.cores[i].barrier);
    cr_expect_eq(r.total.cycles, goes_on + 1);
    const struct core_counts *c = &r.total.cores;
    cr_expect_eq(c->base + c->fetch + c->load + c->store + c->barrier + c->idle, CORES * r.total.cycles);
    replay_result_free(&r);
    machine_free(m);
    rp_trace_close(t);
}

/* The barrier is of all cores: those of the other block wait, too. Blocks run the program alike, so both have a late
 * core, but that of the second one is farther away. */
Test(cores, the_barrier_spans_blocks)
{
    const struct warp_op ops[] = {MEMORY(false, 0x10000, 0, UINT32_C(1) << 31), BARRIER};
    char path[] = "/tmp/reprise-cores-XXXXXX";
    struct rp_error err;
    close(mkstemp(path));
    struct warp_trace *w = warp_trace_begin(path, &err);
    cr_assert(w && warp_trace_guest(w, &err) && warp_trace_launch(w, &(struct warp_program){ops, 2}, 1, 2, &err) &&
              warp_trace_end(w, true, &err));
    struct rp_trace *t = rp_trace_open(path, &err);
    unlink(path);
    const struct machine_setting more[] = {{"cores", "64"}, {"l2.banks", "32"}};
    struct machine *m =
        machine_open(&(struct machine_request){.name = "manycore-32", .settings = more, .setting_count = 2}, &err);
    struct replay_result r;
    cr_assert(t && m && replay(t, m, &(struct replay_options){.launch = -1}, &r, &err), "%s", err.text);
    uint64_t until = 0;
    for (uint32_t i = 0; i < 64; i++) {
        const struct core_counts *c = &r.cores[i];
        const uint64_t its = c->fetch + c->load + c->barrier + c->base;
        cr_expect(!i || its == until, "core %u goes on at %llu, core 0 at %llu", i, (unsigned long long)its,
                  (unsigned long long)until);
        until = its;
        cr_expect((c->load > 0) == (i % 32 == 31));
    }
    cr_expect_gt(r.cores[0].barrier, r.cores[63].barrier);
    cr_expect_eq(r.cores[31].barrier < r.cores[63].barrier ? r.cores[31].barrier : r.cores[63].barrier, 0);
    replay_result_free(&r);
    machine_free(m);
    rp_trace_close(t);
}

/* In each round every core stores to a line of its own and, after a barrier, loads that of the core before it. From the
 * second round on a store takes the line away from the one core that shares it, and each load from its owner. */
Test(cores, a_ring_of_producers_and_consumers)
{
    static const struct warp_op round[] = {MEMORY(true, 0x10000, LINE, 0), BARRIER,
                                           MEMORY(false, 0x10000 - LINE, LINE, ~UINT32_C(1)),
                                           MEMORY(false, 0x10000 + (CORES - 1) * LINE, 0, 1), BARRIER};
    enum { STEPS = sizeof round / sizeof *round };
    struct warp_op ops[ROUNDS * STEPS];
    for (unsigned i = 0; i < ROUNDS * STEPS; i++)
        ops[i] = round[i % STEPS];
    struct rp_trace *t = guest_of(ops, ROUNDS * STEPS, true);
    struct machine *m = plain_machine("msi", "0"), *apart = plain_machine("none", "0");
    struct replay_result r = replayed(t, m), none = replayed(t, apart);
    for (uint32_t i = 0; i < CORES; i++) {
        const struct core_counts *c = &r.cores[i];
        cr_expect_eq(c->store_misses, 1);
        cr_expect_eq(c->upgrades, ROUNDS - 1);
        cr_expect_eq(c->load_misses, ROUNDS);
        cr_expect_eq(c->invalidations, ROUNDS - 1); /* of the line before its own */
        cr_expect_eq(c->downgrades, ROUNDS);
        cr_expect_eq(c->written_back, ROUNDS);
        cr_expect_eq(none.cores[i].load_misses, 1);
        cr_expect_eq(none.cores[i].store_misses, 1);
        cr_expect_eq(none.cores[i].invalidations + none.cores[i].downgrades + none.cores[i].upgrades, 0);
    }
    cr_expect_eq(r.total.cores.invalidations, CORES * (ROUNDS - 1));
    replay_result_free(&r);
    replay_result_free(&none);
    machine_free(m);
    machine_free(apart);
    rp_trace_close(t);
}

/* All cores share a line, and one stores to it: each of the others loses it, and its next load finds the owner. */
Test(cores, a_store_takes_a_line_from_all_who_share_it)
{
    const struct warp_op ops[] = {MEMORY(false, 0x10000, 0, 0), BARRIER, MEMORY(true, 0x10000, 0, 1), BARRIER,
                                  MEMORY(false, 0x10000, 0, 0)};
    struct rp_trace *t = guest_of(ops, 5, true);
    struct machine *m = plain_machine("msi", "0");
    struct replay_result r = replayed(t, m);
    cr_expect_eq(r.total.cores.invalidations, CORES - 1);
    cr_expect_eq(r.total.cores.upgrades, 1);
    cr_expect_eq(r.total.cores.downgrades, 1);
    cr_expect_eq(r.total.cores.load_misses, CORES + CORES - 1);
    cr_expect_eq(r.total.memory.dram.accesses, 2, "the line of code and that of data");
    replay_result_free(&r);
    machine_free(m);
    rp_trace_close(t);
}

Test(cores, the_agenda_gives_events_in_order_whatever_the_order_in_which_they_came)
{
    enum { COUNT = 500 };
    struct agenda a = {0};
    uint64_t draw = 1, cycle = 0, order = 0;
    for (unsigned i = 0; i < COUNT; i++) {
        draw = draw * 6364136223846793005u + 1442695040888963407u;
        cr_assert(agenda_add(&a, (struct event){draw >> 60, event_order((enum event_kind)(i % 7), i % 4096, i), i}));
    }
    for (unsigned i = 0; i < COUNT; i++) {
        struct event e = agenda_take(&a);
        cr_assert(e.cycle > cycle || (e.cycle == cycle && e.order >= order));
        cr_assert_eq((unsigned)event_kind(&e), e.what % 7);
        cr_assert_eq(event_who(&e), e.what % 4096);
        cycle = e.cycle;
        order = e.order;
    }
    cr_assert_eq(a.count, 0);
    agenda_free(&a);
}

Test(cores, traces_that_are_no_guests_are_refused)
{
    const struct warp_op ops[] = {BARRIER};
    struct machine *m = plain_machine("none", "0");
    struct replay_result r;
    struct rp_error err;
    struct rp_trace *t = guest_of(ops, 1, false);
    cr_assert_not(replay(t, m, &(struct replay_options){.launch = -1}, &r, &err));
    cr_expect(strstr(err.text, "is of a GPU's kernel, but machine manycore-32 has cores"), "%s", err.text);
    rp_trace_close(t);
    machine_free(m);
}
