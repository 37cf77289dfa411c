/* The memory system, with short cuts and without, against a direct statement of it, on random machines. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "replay/session/machine_open.h"
#include "tests/support/synthetic_trace.h"
#include "tests/unit/memory/plan.h"

static uint64_t least(uint64_t a, uint64_t b) { return a < b ? a : b; }

static uint64_t advance(struct memory_system *m, unsigned sms, uint64_t now)
{
    uint64_t next = MEMORY_NEVER;
    for (unsigned s = 0; s < sms; s++)
        next = least(next, sm_memory_advance(memory_system_sm(m, s), now));
    next = least(next, memory_system_advance(m, now));
    for (unsigned s = 0; s < sms; s++)
        if (sm_memory_replied(memory_system_sm(m, s)))
            next = least(next, sm_memory_advance(memory_system_sm(m, s), now));
    return next;
}

static void begin(struct memory_system *m, const struct plan_access *a, uint32_t token, uint64_t now, uint64_t *end)
{
    struct sm_memory *sm = memory_system_sm(m, a->sm);
    sm_memory_begin(sm, a->subcore, now + a->initiation, token, 0);
    for (unsigned t = 0; t < a->count; t++) {
        sm_memory_wait(sm, t ? 1000 : a->waits); /* behind the first transaction it has no effect */
        sm_memory_add(sm, &a->transactions[t]);
    }
    enum response_level level;
    *end = sm_memory_commit(sm, NULL, &level);
}

/* From one cycle in which something happens to the next. */
void plan_run(const struct machine *machine, bool short_cuts, const struct plan *plan, struct outcome *out)
{
    struct rp_error err;
    struct memory_system *m = memory_system_new(machine, short_cuts, &err);
    cr_assert(m, "%s", err.text);
    unsigned sms = (unsigned)machine->sms, begun = 0;
    uint64_t now = 0, last = 0;
    for (; now != MEMORY_NEVER;) {
        struct memory_completion c;
        uint64_t next = advance(m, sms, now);
        for (unsigned s = 0; s < sms; s++)
            while (sm_memory_completed(memory_system_sm(m, s), &c)) {
                cr_assert_eq(out->ends[c.token], MEMORY_PENDING, "an access completes once");
                cr_assert_geq(c.cycle, now);
                out->ends[c.token] = c.cycle;
            }
        for (; begun < plan->count && plan->accesses[begun].issue <= now; begun++) {
            const struct plan_access *a = &plan->accesses[begun];
            if (!sm_memory_accepts(memory_system_sm(m, a->sm)))
                break;
            begin(m, a, begun, now, &out->ends[begun]);
            next = least(next, now + 1);
        }
        if (begun < plan->count && plan->accesses[begun].issue > now)
            next = least(next, plan->accesses[begun].issue);
        last = now;
        cr_assert(next > now, "time goes on");
        now = next;
    }
    cr_assert_eq(begun, plan->count, "all were taken");
    struct statistics s = {0};
    cr_assert(memory_system_end_launch(m, last + 1, &s, &err));
    for (unsigned i = 0; i < plan->count; i++)
        cr_assert_neq(out->ends[i], MEMORY_PENDING, "access %u never completes", i);
    out->l1_hits = s.memory.l1.hits;
    out->l1_misses = s.memory.l1.misses;
    out->l2_hits = s.memory.l2.hits;
    out->l2_misses = s.memory.l2.misses;
    out->dram = s.memory.dram.accesses;
    out->tlb = s.memory.tlb;
    out->tlb_counted = true;
    memory_system_free(m);
}

/* ---- random ------------------------------------------------------------------------------------------------------ */

struct random_settings {
    uint64_t seed;
    struct machine_setting settings[96];
    size_t count;
};

static const char *one_of(struct random_settings *d, const char *const *values)
{
    size_t n = 0;
    while (values[n])
        n++;
    return values[synthetic_random(&d->seed) % n];
}
#define SET(d, key, ...)                                                                                               \
    ((d)->settings[(d)->count++] = (struct machine_setting){key, one_of(d, (const char *const[]){__VA_ARGS__, NULL})})

static void random_sectored_l1(struct random_settings *d)
{
    SET(d, "l1.size", "512", "1K");
    SET(d, "l1.ways", "1", "2", "4");
    d->settings[d->count++] = (struct machine_setting){"l1.replacement", one_of(d, replacement_names)};
    SET(d, "l1.allocate", "miss", "fill");
    SET(d, "l1.latency", "1", "5", "32");
    SET(d, "l1.interval", "0", "1", "3");
    SET(d, "l1.write", "through", "through", "back");
    bool back = !strcmp(d->settings[d->count - 1].value, "back");
    if (back)
        SET(d, "l1.write_miss", "around", "validate", "fetch");
    else
        SET(d, "l1.write_miss", "around", "validate");
    SET(d, "l1.banks", "1", "2", "4");
    SET(d, "l1.merges", "-1", "1", "2");
}

static void random_sectored_l2(struct random_settings *d)
{
    SET(d, "l2.size", "2K", "4K");
    SET(d, "l2.ways", "1", "2", "4");
    d->settings[d->count++] = (struct machine_setting){"l2.replacement", one_of(d, replacement_names)};
    SET(d, "l2.allocate", "miss", "fill");
    SET(d, "l2.latency", "1", "20", "134");
    SET(d, "l2.interval", "0", "1", "2");
    SET(d, "l2.write", "back", "back", "through");
    bool back = strcmp(d->settings[d->count - 1].value, "through");
    if (back)
        SET(d, "l2.write_miss", "around", "validate", "fetch");
    else
        SET(d, "l2.write_miss", "around", "validate");
    SET(d, "l2.atomic_interval", "0", "7");
    SET(d, "l2.merges", "-1", "1", "4");
    SET(d, "l2.fill", "0", "0", "64", "128");
}

/* Small TLBs, so that entries go. */
static void random_translation(struct random_settings *d)
{
    SET(d, "tlb", "none", "set-associative");
    if (!strcmp(d->settings[d->count - 1].value, "none"))
        return;
    SET(d, "tlb.page", "4096");
    SET(d, "tlb.entries", "2", "4");
    SET(d, "tlb.ways", "0", "1", "2");
    SET(d, "tlb.latency", "0", "0", "3");
    SET(d, "tlb.walkers", "-1", "1", "2");
    SET(d, "tlb.walk", "0", "75", "400");
    SET(d, "l2_tlb", "none", "set-associative");
    if (!strcmp(d->settings[d->count - 1].value, "none"))
        return;
    SET(d, "l2_tlb.page", "4096", "8192");
    SET(d, "l2_tlb.entries", "2", "8");
    SET(d, "l2_tlb.ways", "1", "2");
    SET(d, "l2_tlb.latency", "0", "11");
}

/* The value of a setting. NULL: it is not set. */
static const char *setting(const struct random_settings *d, const char *key)
{
    for (size_t i = 0; i < d->count; i++)
        if (!strcmp(d->settings[i].key, key))
            return d->settings[i].value;
    return NULL;
}

/* Small caches, so that lines go; with bounds or without. `rich`: caches in sets, and links; 2: banks of device memory,
 * too.
 */
static struct machine *random_machine(struct random_settings *d, bool bounded, unsigned rich)
{
    SET(d, "sms", "1", "2", "3", "5");
    if (rich) {
        SET(d, "l1", "none", "sectored", "sectored", "direct-mapped");
        SET(d, "l2", "none", "sectored", "sectored", "direct-mapped");
        SET(d, "interconnect", "direct", "crossbar");
        if (!strcmp(d->settings[3].value, "crossbar")) {
            SET(d, "interconnect.flit", "8", "32", "40");
            SET(d, "interconnect.sm_flit", "0", "0", "14");
            SET(d, "interconnect.header", "8");
            SET(d, "interconnect.gpc_out", "0", "0", "13", "80");
            SET(d, "interconnect.gpc_in", "0", "0", "13", "80");
            SET(d, "gpcs", "1", "2");
            SET(d, "interconnect.replies", "-1", "1", "2");
            SET(d, "interconnect.clock_mhz", "0", "700", "3000.7");
        }
        SET(d, "l2.slice_hash", "none", "xor", "ipoly");
    } else {
        SET(d, "l1", "none", "direct-mapped");
        SET(d, "l2", "none", "direct-mapped");
    }
    const char *l1 = d->settings[1].value, *l2 = d->settings[2].value;
    if (!strcmp(l1, "sectored"))
        random_sectored_l1(d);
    if (!strcmp(l2, "sectored"))
        random_sectored_l2(d);
    if (!strcmp(l1, "direct-mapped")) {
        SET(d, "l1.size", "256", "1K");
        SET(d, "l1.sector", "32", "64");
        SET(d, "l1.latency", "0", "5", "78");
        SET(d, "l1.interval", "0", "1", "3");
        SET(d, "l1.write", "through", "back");
        SET(d, "l1.atomic_interval", "0", "2");
    }
    if (!strcmp(l2, "direct-mapped")) {
        SET(d, "l2.size", "2K", "4K");
        SET(d, "l2.latency", "1", "20", "134");
        SET(d, "l2.interval", "0", "1", "2");
        SET(d, "l2.write", "through", "back");
        SET(d, "l2.atomic_interval", "0", "7");
    }
    SET(d, "l2.slices", "1", "2", "4");
    if (strcmp(l2, "none"))
        SET(d, "l2.clock_mhz", "0", "0", "600", "2345.5");
    SET(d, "l2.interleave", "128", "256");
    if (rich == 2)
        SET(d, "dram", "fixed", "banked", "banked", "bandwidth");
    SET(d, "dram.latency", "0", "9", "100");
    if (!strcmp(d->settings[d->count - 2].value, "banked")) {
        SET(d, "dram.clock", "0.5", "1", "2.7");
        SET(d, "dram.scheduler", "fcfs", "fr-fcfs");
        SET(d, "dram.t_refi", "0", "700");
    } else if (!strcmp(d->settings[d->count - 2].value, "bandwidth")) {
        SET(d, "dram.bytes_per_cycle", "0.7", "32", "100");
    } else {
        SET(d, "dram.interval", "0", "1", "5");
    }
    SET(d, "dram.channels", "1", "2", "3");
    SET(d, "port.latency", "0", "1", "12");
    SET(d, "port.width", "0", "1", "2");
    SET(d, "spaces.texture.initiation", "4", "9");
    random_translation(d);
    if (bounded) {
        SET(d, "lsu.queue", "-1", "1", "2");
        SET(d, "l1.queue", "-1", "1", "3");
        SET(d, "l1.mshrs", "-1", "1", "4");
        SET(d, "port.queue", "-1", "1", "2", "8");
        SET(d, "l2.queue", "-1", "1", "2");
        SET(d, "l2.mshrs", "-1", "1", "3");
        SET(d, "dram.queue", rich == 2 ? "3" : "-1", "1", "2");
    }
    const char *sector = setting(d, "l1.sector"); /* transactions have 32 bytes */
    if (!sector || !strcmp(sector, "32"))
        SET(d, "port.sectors", "1", "2", "4", "4");
    struct rp_error err;
    struct machine *m = machine_open(
        &(struct machine_request){.name = "tx2-pastis", .settings = d->settings, .setting_count = d->count}, &err);
    cr_assert(m, "%s", err.text);
    return m;
}

static uint32_t random_bytes(uint64_t *seed)
{
    static const uint32_t masks[] = {CACHE_ALL_BYTES, CACHE_ALL_BYTES, 0xffff, 0xffff0000, 0xf0, 1};
    return masks[synthetic_random(seed) % 6];
}

static void random_plan(uint64_t *seed, const struct machine *m, struct plan *p)
{
    uint64_t now = 0,
             space = synthetic_random(seed) % 2   ? 2048
                     : synthetic_random(seed) % 2 ? 16384
                                                  : 65536,
             pause = synthetic_random(seed) % 4 ? 3 : 60;
    bool one_initiation = m->spaces[RP_SPACE_TEXTURE].initiation == 4, plain = synthetic_random(seed) % 3 == 0;
    for (unsigned i = 0; i < p->count; i++) {
        struct plan_access *a = &p->accesses[i];
        now += synthetic_random(seed) % pause;
        *a = (struct plan_access){.sm = (unsigned)(synthetic_random(seed) % (uint64_t)m->sms),
                                  .subcore = (unsigned)(synthetic_random(seed) % 4),
                                  .issue = now,
                                  .initiation = one_initiation || synthetic_random(seed) % 2 ? 4 : 9,
                                  .waits = synthetic_random(seed) % 4 ? 0 : synthetic_random(seed) % 40,
                                  .count = (unsigned)(synthetic_random(seed) % (PLAN_TRANSACTIONS + 1))};
        static const int64_t steps[] = {0, 32, 32, -32, 64};
        const int64_t step = steps[synthetic_random(seed) % MODEL_COUNT_OF(steps)]; /* 0: no neighbours */
        uint8_t hint = 0;
        bool beside = synthetic_random(seed) % 8 == 0;
        uint8_t kind = plain ? CACHE_READ : (uint8_t)(synthetic_random(seed) % 3);
        for (unsigned t = 0; t < a->count; t++) {
            const bool next = t && step && synthetic_random(seed) % 8;
            hint = t && synthetic_random(seed) % 8 ? hint : (uint8_t)(synthetic_random(seed) % 16);
            a->transactions[t] =
                (struct memory_transaction){next ? (a->transactions[t - 1].address + (uint64_t)step) % space
                                                 : synthetic_random(seed) % (space / 32) * 32,
                                            kind,
                                            beside || kind == CACHE_ATOMIC,
                                            (uint8_t)(1 + synthetic_random(seed) % 4),
                                            hint,
                                            random_bytes(seed)};
        }
    }
}

static void same(const struct plan *p, const struct outcome *a, const struct outcome *b, const char *what,
                 const struct machine *m, uint64_t seed)
{
    for (unsigned i = 0; i < p->count; i++)
        cr_assert_eq(a->ends[i], b->ends[i], "seed %llu, %s: access %u of SM %u ends at %llu against %llu\n%s",
                     (unsigned long long)seed, what, i, p->accesses[i].sm, (unsigned long long)a->ends[i],
                     (unsigned long long)b->ends[i], m->text);
    cr_assert(a->l1_hits == b->l1_hits && a->l1_misses == b->l1_misses,
              "seed %llu, %s: L1: %d hits and %d misses against %d and %d\n%s", (unsigned long long)seed, what,
              (int)a->l1_hits, (int)a->l1_misses, (int)b->l1_hits, (int)b->l1_misses, m->text);
    cr_assert(a->l2_hits == b->l2_hits && a->l2_misses == b->l2_misses,
              "seed %llu, %s: L2: %d hits and %d misses against %d and %d\n%s", (unsigned long long)seed, what,
              (int)a->l2_hits, (int)a->l2_misses, (int)b->l2_hits, (int)b->l2_misses, m->text);
    cr_assert(!memcmp(&a->tlb, &b->tlb, sizeof a->tlb) || !b->tlb_counted, "%s: TLBs", what);
    cr_assert_eq(a->dram, b->dram, "seed %llu %s: device memory %d %d", (unsigned long long)seed, what, (int)a->dram,
                 (int)b->dram);
}

static struct outcome nothing(unsigned count)
{
    struct outcome o = {.ends = malloc(count * sizeof *o.ends)};
    for (unsigned i = 0; i < count; i++)
        o.ends[i] = MEMORY_PENDING;
    return o;
}

static void compare(uint64_t first, uint64_t count, bool bounded, unsigned rich, bool simulate)
{
    for (uint64_t seed = first; seed < first + count; seed++) {
        struct random_settings d = {.seed = seed * 977 + 1};
        struct machine *m = random_machine(&d, bounded, rich);
        struct plan p = {.count = simulate ? 60 : 400};
        p.accesses = calloc(p.count, sizeof *p.accesses);
        random_plan(&d.seed, m, &p);
        struct outcome fast = nothing(p.count), plain = nothing(p.count), direct = nothing(p.count);
        plan_run(m, true, &p, &fast);
        plan_run(m, false, &p, &plain);
        same(&p, &fast, &plain, "with short cuts and without", m, seed);
        if (simulate) {
            plan_simulate(m, &p, &direct);
            same(&p, &plain, &direct, "events and simulation", m, seed);
        }
        free(fast.ends);
        free(plain.ends);
        free(direct.ends);
        free(p.accesses);
        machine_free(m);
    }
}

Test(memory, short_cuts_change_nothing) { compare(0, 1500, false, 0, false); }
Test(memory, short_cuts_change_nothing_where_things_are_full) { compare(10000, 1500, true, 0, false); }
Test(memory, events_are_what_a_simulation_of_each_cycle_gives) { compare(20000, 300, false, 0, true); }
Test(memory, refusals_are_what_a_simulation_of_each_cycle_gives) { compare(30000, 300, true, 0, true); }
Test(memory, short_cuts_change_nothing_with_sectored_caches_and_links) { compare(40000, 1000, true, 2, false); }
Test(memory, sectored_caches_and_links_are_what_a_simulation_of_each_cycle_gives)
{
    compare(50000, 300, false, 1, true);
    compare(60000, 300, true, 1, true);
}
