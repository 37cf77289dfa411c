/* What the parts of the memory system owe one another: a DRAM model that answers late and refuses, machines that scale,
 * what goes on from launch to launch. */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "replay/session/machine_open.h"
#include "tests/support/synthetic_trace.h"
#include "tests/unit/memory/plan.h"

/* ---- the model `fixed`, but it says of no request when it is done before it is, and of no refusal how long it lasts -
 */

#define LATE_MOST 4096

struct late {
    uint64_t latency, interval, queue, free;
    bool refused;
    unsigned count;
    struct {
        uint64_t start, done;
        uint32_t name;
        bool told;
    } request[LATE_MOST];
};

enum { LATENCY, INTERVAL, QUEUE };
static const struct model_option late_options[] = {
    {"latency", OPTION_INTEGER, "cycles", 0, 1000, 100, NULL, "as of fixed"},
    {"interval", OPTION_INTEGER, "cycles", 0, 1000, 1, NULL, "as of fixed"},
    {"queue", OPTION_INTEGER, "requests", -1, 256, -1, NULL, "as of fixed"},
};

static size_t late_size(const int64_t *o)
{
    (void)o;
    return sizeof(struct late);
}

static void late_reset(void *state, const int64_t *o)
{
    memset(state, 0, sizeof(struct late));
    struct late *l = state;
    l->latency = (uint64_t)o[LATENCY];
    l->interval = (uint64_t)o[INTERVAL];
    l->queue = o[QUEUE] < 0 ? UINT64_MAX : (uint64_t)o[QUEUE];
}

static uint64_t waiting(const struct late *l, uint64_t now)
{
    uint64_t count = 0;
    for (unsigned i = 0; i < l->count; i++)
        count += l->request[i].start >= now;
    return count;
}

static enum dram_status late_offer(void *state, const struct dram_request *r, uint64_t now, uint64_t *cycle)
{
    struct late *l = state;
    *cycle = DRAM_UNKNOWN;
    if (waiting(l, now) >= l->queue) {
        l->refused = true;
        return DRAM_FULL;
    }
    cr_assert_lt(l->count, LATE_MOST);
    uint64_t start = now > l->free ? now : l->free;
    l->free = start + l->interval * r->sectors;
    l->request[l->count].start = start;
    l->request[l->count].done = start + l->latency;
    l->request[l->count].told = false;
    l->request[l->count++].name = r->name;
    *cycle = now + 1;
    return DRAM_PENDING;
}

static uint64_t late_advance(void *state, uint64_t now, struct dram_done *done, uint32_t *count, bool *room)
{
    struct late *l = state;
    bool more = false;
    for (unsigned i = 0; i < l->count; i++) {
        if (l->request[i].told)
            continue;
        if (l->request[i].done > now || *count == DRAM_MOST_DONE) {
            more = true;
            continue;
        }
        l->request[i].told = true;
        done[(*count)++] = (struct dram_done){l->request[i].name, now};
    }
    *room = l->refused && waiting(l, now) < l->queue;
    l->refused &= !*room;
    return more || l->refused ? now + 1 : DRAM_UNKNOWN;
}

static uint64_t late_ahead(const int64_t *o)
{
    (void)o;
    return 0;
}
static bool late_refuses(const int64_t *o) { return o[QUEUE] > 0; }
static bool late_fixed(const int64_t *o)
{
    (void)o;
    return false;
}

static const struct dram_model late = {
    .model = {.name = "late", .help = "x", .options = late_options, .option_count = 3, .state_size = late_size},
    .reset = late_reset,
    .offer = late_offer,
    .advance = late_advance,
    .ahead = late_ahead,
    .may_refuse = late_refuses,
    .is_fixed = late_fixed,
};

static struct machine *machine_with(const char *dram, const struct machine_setting *settings, size_t count)
{
    static const struct model *drams[] = {&dram_ideal.model, &dram_fixed.model, &late.model, NULL};
    struct model_set set = built_in_models;
    set.of[KIND_DRAM] = drams;
    struct machine_setting all[16] = {{"dram", dram}};
    for (size_t i = 0; i < count; i++)
        all[i + 1] = settings[i];
    struct rp_error err;
    struct machine *m = machine_open(
        &(struct machine_request){.name = "tx2-pastis", .settings = all, .setting_count = count + 1, .models = &set},
        &err);
    cr_assert(m, "%s", err.text);
    return m;
}

static void random_reads(uint64_t *seed, struct plan *p, unsigned sms)
{
    uint64_t now = 0;
    for (unsigned i = 0; i < p->count; i++) {
        struct plan_access *a = &p->accesses[i];
        now += synthetic_random(seed) % 6;
        *a = (struct plan_access){.sm = (unsigned)(synthetic_random(seed) % sms), .issue = now, .initiation = 4};
        a->count = (unsigned)(synthetic_random(seed) % (PLAN_TRANSACTIONS + 1));
        for (unsigned t = 0; t < a->count; t++)
            a->transactions[t] = (struct memory_transaction){synthetic_random(seed) % 1024 * 32,
                                                             (uint8_t)(synthetic_random(seed) % 2),
                                                             false,
                                                             1,
                                                             CACHE_HINT_NONE,
                                                             CACHE_ALL_BYTES};
    }
}

Test(contract, a_dram_that_answers_late_gives_the_same_cycles)
{
    for (uint64_t seed = 1; seed <= 60; seed++) {
        static const char *const queues[] = {"-1", "1", "3"}, *const mshrs[] = {"-1", "1", "4"};
        const struct machine_setting settings[] = {{"l2.size", "4K"},
                                                   {"dram.queue", queues[seed % 3]},
                                                   {"dram.latency", seed % 2 ? "30" : "1"},
                                                   {"l2.slices", "2"},
                                                   {"dram.interval", "3"},
                                                   {"l2.mshrs", mshrs[seed / 3 % 3]},
                                                   {"l2.queue", seed % 4 ? "-1" : "2"},
                                                   {"dram.channels", seed % 5 ? "1" : "2"}};
        struct machine *m[2] = {machine_with("fixed", settings, 8), machine_with("late", settings, 8)};
        uint64_t state = seed;
        struct plan p = {.count = 200, .accesses = calloc(200, sizeof *p.accesses)};
        random_reads(&state, &p, 2);
        struct outcome o[2] = {0};
        for (int i = 0; i < 2; i++) {
            o[i].ends = malloc(p.count * sizeof *o[i].ends);
            memset(o[i].ends, 0xff, p.count * sizeof *o[i].ends);
            plan_run(m[i], true, &p, &o[i]);
        }
        for (unsigned i = 0; i < p.count; i++)
            cr_assert_eq(o[0].ends[i], o[1].ends[i], "seed %d, access %u: %d against %d", (int)seed, i,
                         (int)o[0].ends[i], (int)o[1].ends[i]);
        cr_assert_eq(o[0].dram, o[1].dram);
        for (int i = 0; i < 2; i++) {
            free(o[i].ends);
            machine_free(m[i]);
        }
        free(p.accesses);
    }
}

/* ---- many SMs ---------------------------------------------------------------------------------------------------- */

/* Cycles of a stream of `per_sm` transactions by each of the SMs. */
static uint64_t stream(const char *sms, const char *slices, const char *channels)
{
    const struct machine_setting settings[] = {
        {"sms", sms}, {"l2.slices", slices}, {"dram.channels", channels}, {"port.width", "1"}, {"port.latency", "20"}};
    struct machine *m = machine_with("fixed", settings, 5);
    unsigned count = (unsigned)m->sms, per_sm = 64, n = 0;
    struct plan p = {.count = count * per_sm, .accesses = calloc(count * per_sm, sizeof *p.accesses)};
    for (unsigned i = 0; i < per_sm; i++)
        for (unsigned s = 0; s < count; s++, n++) {
            p.accesses[n] = (struct plan_access){.sm = s, .issue = i, .initiation = 4, .count = 4};
            for (unsigned t = 0; t < 4; t++)
                p.accesses[n].transactions[t] = (struct memory_transaction){
                    (i * count + s) * 128 + t * 32, CACHE_READ, true, 1, CACHE_HINT_NONE, CACHE_ALL_BYTES};
        }
    struct outcome o = {.ends = malloc(p.count * sizeof *o.ends)};
    memset(o.ends, 0xff, p.count * sizeof *o.ends);
    plan_run(m, true, &p, &o);
    uint64_t last = 0;
    for (unsigned i = 0; i < p.count; i++)
        last = o.ends[i] > last ? o.ends[i] : last;
    free(o.ends);
    free(p.accesses);
    machine_free(m);
    return last;
}

/* Each SM streams 256 sectors. One slice and one channel serve a sector per cycle, whoever asks; with as many of them
 * as SMs, all take as long as one. */
Test(contract, slices_and_channels_serve_side_by_side)
{
    uint64_t one = stream("1", "1", "1");
    cr_expect_eq(one, 4 + 256 + 20 + 134 + 100 + 20 - 1, "%d", (int)one);
    uint64_t jam = stream("16", "1", "1");
    cr_expect_geq(jam, 16 * 256, "%d", (int)jam);
    uint64_t free_flow = stream("16", "16", "16");
    cr_expect_leq(free_flow, one + one / 2, "%d", (int)free_flow);
    cr_expect_leq(stream("128", "128", "128"), 2 * one);
}

/* ---- launches ---------------------------------------------------------------------------------------------------- */

/* A launch of 2000 cycles with one read through L1. Returns its end. */
static uint64_t launch_a_read(struct memory_system *system, struct statistics *s)
{
    struct rp_error err;
    struct sm_memory *sm = memory_system_sm(system, 1);
    uint64_t end = MEMORY_PENDING;
    uint32_t away = 0;
    struct memory_completion c;
    for (uint64_t now = 0; now < 2000; now++) {
        sm_memory_advance(sm, now);
        away = sm_memory_away(sm, 5) > away ? sm_memory_away(sm, 5) : away;
        memory_system_advance(system, now);
        sm_memory_advance(sm, now);
        if (sm_memory_completed(sm, &c))
            end = c.cycle;
        if (now)
            continue;
        sm_memory_begin(sm, 3, 4, 77, 5);
        sm_memory_add(sm, &(struct memory_transaction){4096, CACHE_READ, false, 1, CACHE_HINT_NONE, CACHE_ALL_BYTES});
        enum response_level level;
        uint64_t at_once = sm_memory_commit(sm, NULL, &level);
        end = at_once == MEMORY_PENDING ? end : at_once;
    }
    *s = (struct statistics){0};
    cr_expect_eq(sm_memory_away(sm, 5), 0);
    cr_assert(memory_system_end_launch(system, 2000, s, &err));
    cr_expect_eq(away, s->memory.l1.misses);
    return end;
}

Test(contract, the_next_launch_finds_what_the_last_one_left)
{
    struct machine *m = machine_with("fixed", NULL, 0);
    for (int short_cuts = 0; short_cuts < 2; short_cuts++) {
        struct rp_error err;
        struct memory_system *system = memory_system_new(m, short_cuts, &err);
        cr_assert(system);
        static const uint64_t ends[] = {4 + 78 + 134 + 100, 4 + 78};
        for (unsigned launch = 0; launch < 2; launch++) {
            struct statistics s;
            cr_expect_eq(launch_a_read(system, &s), ends[launch]);
            cr_expect_eq(s.memory.l1.hits, launch);
            cr_expect_eq(s.memory.l1.misses, 1 - launch);
            cr_expect_eq(s.memory.dram.accesses, 1 - launch);
        }
        memory_system_free(system);
    }
    machine_free(m);
}

/* A launch that divides the SM's array as the one before finds L1 as that left it; one that divides it in another way
 * finds what is in L2. */
Test(contract, l1_is_kept_while_it_has_its_size)
{
    static const struct {
        int64_t kib;
        uint64_t l1_hits, l2_hits, dram;
    } launches[] = {{128, 0, 0, 1}, {128, 1, 0, 0}, {32, 0, 1, 0}, {32, 1, 0, 0}, {128, 0, 1, 0}};
    struct rp_error err;
    struct machine *m =
        machine_open(&(struct machine_request){.name = "titan-v",
                                               .settings = (const struct machine_setting[]){{"flush_caches", "false"}},
                                               .setting_count = 1},
                     &err);
    cr_assert(m, "%s", err.text);
    for (int short_cuts = 0; short_cuts < 2; short_cuts++) {
        struct memory_system *system = memory_system_new(m, short_cuts, &err);
        cr_assert(system);
        for (size_t i = 0; i < sizeof launches / sizeof *launches; i++) {
            struct statistics s;
            cr_assert(memory_system_divide_l1(system, launches[i].kib << 10, &err));
            cr_expect_lt(launch_a_read(system, &s), 2000);
            cr_expect_eq(s.memory.l1.hits, launches[i].l1_hits, "launch %zu", i);
            cr_expect_eq(s.memory.l2.hits, launches[i].l2_hits, "launch %zu", i);
            cr_expect_eq(s.memory.dram.accesses, launches[i].dram, "launch %zu", i);
        }
        memory_system_free(system);
    }
    machine_free(m);
}
