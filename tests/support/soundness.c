#include "tests/support/soundness.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "replay/session/machine_open.h"
#include "replay/session/replay.h"
#include "tests/support/synthetic_trace.h"
#include "tests/support/warp_trace.h"
#include "tools/wcet/exhaust.h"

static const char *const policies[SOUNDNESS_POLICIES] = {"gto", "lrr", "oldest", "two-level", "random", "levels"};

static uint32_t below(uint64_t *random, uint32_t n) { return (uint32_t)(synthetic_random(random) >> 33) % n; }

#define MOST_SETTINGS 96
struct random_machine {
    struct machine_setting settings[MOST_SETTINGS];
    char key[MOST_SETTINGS][48], value[MOST_SETTINGS][24];
    size_t count;
    bool plain;      /* within the paper's assumptions */
    bool blocks;     /* launches may have several blocks */
    bool all_fences; /* each fence waits for all accesses */
};

/* ---- programs ---------------------------------------------------------------------------------------------------- */

#define MOST_WARPS 12
#define MOST_OPS 40
#define MOST_PARTS 12 /* steps at barriers: 4 of 3 each */

struct shape {
    enum rp_class classes[4];
    uint32_t class_count, registers, sections, section_length;
    uint32_t dependence; /* of 100 operands, those that are a register */
    uint32_t spread;     /* accesses begin in one of 2^spread places */
    uint32_t mute;       /* of 100 instructions, those that write no register though they might */
    bool device_memory;  /* nothing but accesses to it */
    bool block_fences;   /* some fences are for the block alone */
    bool stores;
};

static struct shape random_shape(bool all_fences, uint64_t *random)
{
    static const enum rp_class all[] = {RP_CLASS_INT,  RP_CLASS_FP32,   RP_CLASS_INT_DIV, RP_CLASS_FP32_DIV,
                                        RP_CLASS_FP64, RP_CLASS_SFU,    RP_CLASS_CONVERT, RP_CLASS_CONTROL,
                                        RP_CLASS_MOVE, RP_CLASS_MEMORY, RP_CLASS_MEMORY,  RP_CLASS_FENCE};
    struct shape s = {.class_count = 1 + below(random, 4),
                      .registers = 2 + below(random, 10),
                      .sections = below(random, 3) ? 1 : 1 + below(random, 4),
                      .dependence = below(random, 80),
                      .spread = below(random, 6),
                      .mute = below(random, 4) ? 0 : below(random, 101)};
    s.section_length = 1 + below(random, MOST_OPS / s.sections - 1);
    s.device_memory = below(random, 4) == 0;
    s.block_fences = all_fences || below(random, 3) == 0; /* stores that they may leave under way are not covered */
    s.stores = all_fences || !s.block_fences;
    for (uint32_t c = 0; c < s.class_count; c++)
        s.classes[c] = s.device_memory ? RP_CLASS_MEMORY : all[below(random, sizeof all / sizeof *all)];
    return s;
}

static struct warp_op random_op(const struct shape *s, uint64_t *random)
{
    struct warp_op op = {.unit_class = s->classes[below(random, s->class_count)],
                         .space = s->device_memory || below(random, 2) ? RP_SPACE_GLOBAL : RP_SPACE_SHARED,
                         .store = below(random, 4) == 0 && s->stores,
                         .scope = below(random, 2) && s->block_fences ? RP_SCOPE_CTA : RP_SCOPE_GPU,
                         .guarded_off = below(random, 20) == 0,
                         .destination = (int)below(random, s->registers),
                         .stride = below(random, 4) ? 4u << below(random, 6) : 0,
                         .address = 64ull * below(random, 1u << s->spread),
                         .atomic = below(random, 12) == 0,
                         .bypass_l1 = below(random, 8) == 0};
    for (unsigned i = 0; i < WARP_TRACE_SOURCES; i++)
        op.source[i] = below(random, 100) < s->dependence ? (int)below(random, s->registers) : WARP_TRACE_NONE;
    if (op.unit_class == RP_CLASS_CONTROL || op.unit_class == RP_CLASS_FENCE ||
        (op.unit_class == RP_CLASS_MEMORY && op.store) || below(random, 100) < s->mute)
        op.destination = WARP_TRACE_NONE;
    return op;
}

/* At some barriers the warp's lanes arrive in two or three steps. */
static uint32_t random_barrier(struct warp_op *ops, uint64_t *random)
{
    uint32_t parts = below(random, 3) ? 1 : 2 + below(random, 2);
    rp_lanemask left = ~0u;
    for (uint32_t p = 0; p < parts; p++) {
        rp_lanemask some = left & (rp_lanemask)synthetic_random(random);
        if (p + 1 == parts)
            some = left;
        else if (!some || some == left)
            some = left & -left;
        left &= ~some;
        ops[p] =
            (struct warp_op){.unit_class = RP_CLASS_BARRIER, .destination = -1, .source = {-1, -1, -1}, .lanes = some};
        if (!left)
            return p + 1;
    }
    return parts;
}

/* Sections of random length, a barrier after each; some warps end before the last. */
static uint32_t random_program(const struct shape *s, struct warp_op *ops, uint64_t *random)
{
    uint32_t n = 0, sections = below(random, 6) ? s->sections : 1 + below(random, s->sections);
    for (uint32_t i = 0; i < sections; i++) {
        uint32_t length = below(random, s->section_length + 1);
        for (uint32_t k = 0; k < length; k++)
            ops[n++] = random_op(s, random);
        if (i + 1 < sections || (sections < s->sections && below(random, 2)))
            n += random_barrier(&ops[n], random);
    }
    return n;
}

/* So few warps and instructions that all schedules can be gone through. */
static void make_small(struct shape *s, uint32_t *warps, uint64_t *random)
{
    *warps = 2 + below(random, 3);
    s->sections = 1 + below(random, 3);
    s->section_length = 1 + below(random, 24 / *warps);
}

/* Half of the blocks have warps that all do the same, as most kernels have. */
static bool random_launch(struct warp_trace *w, const struct random_machine *d, bool small, uint64_t *random,
                          struct rp_error *err)
{
    struct warp_op ops[MOST_WARPS][MOST_OPS + MOST_PARTS];
    struct warp_program programs[MOST_WARPS];
    uint32_t warps = 1 + below(random, below(random, 3) ? 4 : MOST_WARPS);
    bool alike = below(random, 2);
    struct shape shape = random_shape(d->all_fences, random);
    if (small)
        make_small(&shape, &warps, random);
    for (uint32_t i = 0; i < warps; i++) {
        struct shape own = shape;
        if (!alike && below(random, 2)) {
            own = random_shape(d->all_fences, random);
            own.stores = shape.stores;
            own.block_fences = shape.block_fences;
            own.sections = shape.sections;
            own.section_length = shape.section_length;
        }
        if (alike && i)
            programs[i] = programs[0];
        else
            programs[i] = (struct warp_program){ops[i], random_program(&own, ops[i], random)};
    }
    return warp_trace_launch(w, programs, warps, d->blocks ? 1 + below(random, 8) : 1, err);
}

static bool random_trace(const char *path, const struct random_machine *d, bool small, uint64_t *random,
                         struct rp_error *err)
{
    struct warp_trace *t = warp_trace_begin(path, err);
    bool fine = t;
    for (uint32_t i = 0; fine && i < SOUNDNESS_LAUNCHES; i++)
        fine = random_launch(t, d, small, random, err);
    return t && warp_trace_end(t, fine, err);
}

/* ---- machines ---------------------------------------------------------------------------------------------------- */

static void set_option(struct random_machine *d, const char *key, const char *value)
{
    snprintf(d->key[d->count], sizeof d->key[0], "%s", key);
    snprintf(d->value[d->count], sizeof d->value[0], "%s", value);
    d->settings[d->count] = (struct machine_setting){d->key[d->count], d->value[d->count]};
    d->count++;
}

static void set_number(struct random_machine *d, const char *key, uint32_t value)
{
    char text[16];
    snprintf(text, sizeof text, "%" PRIu32, value);
    set_option(d, key, text);
}

static void random_units(struct random_machine *d, uint64_t *random)
{
    static const char *const units[] = {"int", "fp32", "fp64", "sfu", "control"};
    for (size_t u = 0; u < sizeof units / sizeof *units; u++) {
        char key[40];
        snprintf(key, sizeof key, "units.%s.queue", units[u]);
        if (below(random, 4) == 0)
            set_option(d, key, "0");
        else if (!strcmp(units[u], "fp32") && below(random, 6) == 0)
            set_option(d, "units.fp32", "ideal");
    }
}

static void random_timings(struct random_machine *d, uint64_t *random)
{
    static const char *const rows[] = {
        "classes.int",   "classes.fp32",    "classes.int-div", "classes.fp32-div", "classes.fp64",
        "classes.sfu",   "classes.convert", "classes.control", "classes.move",     "classes.barrier",
        "classes.fence", "spaces.global",   "spaces.shared",
    };
    static const char *const units[] = {"int", "fp32", "fp64", "sfu"};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char key[48];
        snprintf(key, sizeof key, "%s.initiation", rows[i]);
        if (below(random, 2))
            set_number(d, key, 1 + below(random, below(random, 3) ? 4 : 24));
        snprintf(key, sizeof key, "%s.latency", rows[i]);
        if (below(random, 2))
            set_number(d, key, below(random, below(random, 3) ? 8 : 80));
        snprintf(key, sizeof key, "%s.unit", rows[i]);
        if (strncmp(rows[i], "spaces", 6) && below(random, 4) == 0)
            set_option(d, key, units[below(random, 4)]);
    }
}

static void random_cache(struct random_machine *d, const char *level, uint64_t *random)
{
    char key[6][24];
    static const char *const options[] = {"size", "latency", "interval", "write", "line", "sector"};
    for (unsigned i = 0; i < 6; i++)
        snprintf(key[i], sizeof key[i], "%s.%s", level, options[i]);
    set_option(d, level, "direct-mapped");
    uint32_t line = 64u << below(random, 4), sector = line >> below(random, 3);
    set_number(d, key[0], line << below(random, 7));
    set_number(d, key[1], below(random, 40));
    set_number(d, key[2], below(random, below(random, 4) ? 3 : 60));
    set_option(d, key[3], below(random, 2) ? "through" : "back");
    set_number(d, key[4], line);
    set_number(d, key[5], sector < 32 ? 32 : sector);
}

static void random_coalescer(struct random_machine *d, uint64_t *random)
{
    bool segments = below(random, 2);
    set_option(d, "coalescer", segments ? "segments" : "ideal");
    if (segments)
        set_number(d, "coalescer.size", 32u << below(random, 5));
}

/* Device memory that takes time by addresses, caches, instruction cache, two instructions at once. */
static void random_memory(struct random_machine *d, bool single, uint64_t *random)
{
    bool dram = below(random, 2), l1 = below(random, 2), l2 = below(random, 2);
    if (dram) {
        set_option(d, "dram", "fixed");
        set_number(d, "dram.latency", below(random, 100));
        set_number(d, "dram.interval", below(random, below(random, 2) ? 4 : 200));
    }
    if (l1)
        random_cache(d, "l1", random);
    if (l2)
        random_cache(d, "l2", random);
    if (dram || l1 || l2)
        random_coalescer(d, random);
    if (l2 && below(random, 3) == 0)
        set_option(d, "warm_l2", "true");
    if (l1 && !single && below(random, 2))
        set_option(d, "l1_subcores", "2");
    if (!single && below(random, 2))
        set_option(d, "icache_subcores", "2");
    d->blocks = below(random, 3) == 0;
    uint32_t sms = d->blocks ? 1 + below(random, 5) : 1;
    set_number(d, "sms", sms);
    if ((!single || sms > 1) && (dram || l1 || l2)) /* else accesses might overtake one another */
        set_option(d, "units.global.queue", "0");
    if (d->blocks)
        set_number(d, "limits.blocks", 1 + below(random, 4));
    if (below(random, 3) == 0)
        set_option(d, "issue.width", "2");
    if (below(random, 3))
        return;
    set_option(d, "icache", "set-associative");
    set_number(d, "icache.line", 8u << below(random, 5));
    set_number(d, "icache.sets", 1 + below(random, 6));
    set_number(d, "icache.ways", 1 + below(random, 6));
    set_number(d, "icache.latency", below(random, 60));
}

static void random_options(struct random_machine *d, uint64_t *random)
{
    static const char *const subcores[] = {"1", "1", "1", "2", "4"};
    d->count = 0;
    d->blocks = false;
    d->all_fences = below(random, 2);
    if (d->all_fences)
        set_option(d, "fences", "all");
    d->plain = below(random, 3) == 0;
    if (below(random, 8))
        random_timings(d, random);
    if (d->plain)
        return;
    const char *number = subcores[below(random, 5)];
    bool single = !strcmp(number, "1");
    set_option(d, "subcores", number);
    random_units(d, random);
    set_number(d, "launch_latency", below(random, 4) ? 0 : 1 + below(random, 300));
    set_number(d, "barrier_latency", below(random, 2) ? 0 : below(random, 20));
    set_number(d, "control_interval", below(random, 3) ? 1 : 1 + below(random, 12));
    set_number(d, "dispatch_latency", below(random, 3) ? 0 : below(random, 12));
    set_option(d, "issue_exit", below(random, 2) ? "true" : "false");
    if (below(random, 2)) {
        set_option(d, "shared", "pastis");
        set_number(d, "shared.interval", below(random, below(random, 2) ? 4 : 65));
        if (!single || below(random, 2)) /* several sub-cores reach shared memory in order only without queues */
            set_option(d, "units.shared.queue", "0");
    }
    random_memory(d, single, random);
}

static struct machine *with_policy(struct random_machine *d, const char *policy, uint64_t seed, struct rp_error *err)
{
    size_t count = d->count;
    set_option(d, "scheduler", policy);
    if (!strcmp(policy, "random")) {
        set_number(d, "scheduler.seed", (uint32_t)seed);
        set_number(d, "scheduler.greed", (uint32_t)(seed % 4 * 30));
    }
    if (!strcmp(policy, "levels")) {
        static const char *const orders[] = {"turns", "age", "behind", "ahead"};
        set_option(d, "scheduler.order", orders[seed % 4]);
        set_number(d, "scheduler.high", (uint32_t)(seed * 0x9e3779b97f4a7c15ull >> 52));
        set_number(d, "scheduler.low", 1u << seed % 3);
        set_number(d, "scheduler.from", (uint32_t)(seed % 5));
    }
    if (!strcmp(policy, "two-level"))
        set_number(d, "scheduler.group", 1 + (uint32_t)(seed % 4));
    struct machine *m = machine_open(
        &(struct machine_request){.name = "orin-wcet", .settings = d->settings, .setting_count = d->count}, err);
    d->count = count;
    return m;
}

/* Leaves out what makes Algorithm 1 inexact, and what wcet_exhaust does not cover. */
static void keep_exact(struct random_machine *d, const struct random_machine *all, bool one_slot)
{
    static const char *const out[] = {"l1", "l2", "icache", "warm_l2", "issue.width"};
    *d = (struct random_machine){.plain = all->plain, .all_fences = all->all_fences};
    for (size_t i = 0; i < all->count; i++) {
        bool keep = !one_slot || (strcmp(all->key[i], "subcores") && strcmp(all->key[i], "sms"));
        for (size_t k = 0; k < sizeof out / sizeof *out; k++)
            keep &= strncmp(all->key[i], out[k], strlen(out[k])) != 0;
        if (keep)
            set_option(d, all->key[i], all->value[i]);
    }
}

/* ---- a round ----------------------------------------------------------------------------------------------------- */

struct round {
    struct soundness *s;
    uint64_t number;
    struct rp_trace *trace;
    struct random_machine random_machine;
    struct wcet_bounds bounds[SOUNDNESS_LAUNCHES];
    uint64_t longest[SOUNDNESS_LAUNCHES];
};

static uint64_t smaller(uint64_t a, uint64_t b) { return a < b ? a : b; }

/* What replay counts in the caches is no more, and no less, than the analysis says. */
static void judge_caches(struct round *r, const char *policy, const struct wcet_bounds *b,
                         const struct statistics *seen)
{
    const struct wcet_cache_counts *c = &b->caches;
    struct soundness *s = r->s;
    s->classified += c->classified;
    if (!c->classified || (seen->memory.l1.hits >= c->at[WCET_L1].hits &&
                           seen->memory.l2.hits + seen->memory.l2.misses <= c->requests[WCET_L2] &&
                           seen->memory.dram.accesses <= c->requests[WCET_MEMORY]))
        return;
    if (!s->violations++)
        snprintf(s->first, sizeof s->first,
                 "round %" PRIu64 ", launch %" PRIu32 ", %s: L1 hits %" PRIu64 " for at least %" PRIu64
                 ", L2 accesses %" PRIu64 " for at most %" PRIu64 ", device memory %" PRIu64 " for at most %" PRIu64,
                 r->number, b->launch, policy, seen->memory.l1.hits, c->at[WCET_L1].hits,
                 seen->memory.l2.hits + seen->memory.l2.misses, c->requests[WCET_L2], seen->memory.dram.accesses,
                 c->requests[WCET_MEMORY]);
}

static void judge(struct round *r, const char *policy, const struct wcet_bounds *b, uint64_t cycles)
{
    struct soundness *s = r->s;
    uint64_t bound = s->bound ? s->bound(b) : smaller(b->unit_bound, b->serial);
    s->runs++;
    s->plain_runs += r->random_machine.plain;
    s->published += r->random_machine.plain && cycles > b->gub;
    if (cycles > r->longest[b->launch])
        r->longest[b->launch] = cycles;
    if (cycles <= bound)
        return;
    if (!s->violations++)
        snprintf(s->first, sizeof s->first,
                 "round %" PRIu64 ", launch %" PRIu32 ", %s: %" PRIu64 " cycles; bounds: published %" PRIu64
                 ", serial %" PRIu64 ", sections %" PRIu64 ", overlap %" PRIu64,
                 r->number, b->launch, policy, cycles, b->gub, b->serial, b->sections_bound, b->overlap);
}

/* The exact worst case is within the bound, too. */
static void judge_exact(struct round *r, const struct wcet_bounds *b)
{
    struct soundness *s = r->s;
    uint64_t bound = s->bound ? s->bound(b) : b->unit_bound;
    if (!b->exact)
        return;
    s->exact++;
    s->attained += b->exact == r->longest[b->launch];
    s->plain_exact += r->random_machine.plain;
    s->published_exact += r->random_machine.plain && b->exact > b->gub;
    if (b->exact <= bound && r->longest[b->launch] <= b->exact)
        return;
    s->beyond++;
    if (!s->violations++)
        snprintf(s->first, sizeof s->first,
                 "round %" PRIu64 ", launch %" PRIu32 ": %" PRIu64 " cycles under the longest schedule, %" PRIu64
                 " in the longest run; bounds: serial %" PRIu64 ", sections %" PRIu64 ", overlap %" PRIu64,
                 r->number, b->launch, b->exact, r->longest[b->launch], b->serial, b->sections_bound, b->overlap);
}

#define SOME_STATES 2000
#define ALL_STATES 50000

static bool exhaust(struct round *r, const struct machine *m, struct wcet_bounds *b, struct rp_error *err)
{
    unsigned all = (1u << WCET_EXTENSION_COUNT) - 1;
    uint64_t states = r->s->small ? ALL_STATES : r->number % 4 ? 0 : SOME_STATES;
    struct wcet_states_budget left = {states, states};
    struct wcet_exact exact;
    if (!wcet_exhaust(r->trace, b->launch, m, all, &left, NULL, &exact, err))
        return false;
    b->exact = exact.cycles;
    return true;
}

static bool analyse(struct round *r, const struct machine *m, struct rp_error *err)
{
    unsigned all = (1u << WCET_EXTENSION_COUNT) - 1;
    for (uint32_t l = 0; l < SOUNDNESS_LAUNCHES; l++) {
        struct wcet_bounds *b = &r->bounds[l];
        if (!wcet_analyse(r->trace, l, m, all, NULL, b, err) || !exhaust(r, m, b, err))
            return false;
        r->s->launches++;
        r->s->published_launches += b->gub_applies;
        r->s->above_published += b->gub_applies && b->unit_bound > b->gub;
        r->s->incomparable += b->unit_bound > b->serial;
    }
    return true;
}

static bool policy_run(struct round *r, unsigned p, struct rp_error *err)
{
    struct replay_options options = {.engine = r->number % 64 ? REPLAY_FAST : REPLAY_REFERENCE, .launch = -1};
    struct replay_result result;
    struct machine *m = with_policy(&r->random_machine, policies[p], r->number, err);
    bool fine = m && (p || analyse(r, m, err)) && replay(r->trace, m, &options, &result, err);
    for (uint32_t l = 0; fine && l < result.count; l++) {
        judge(r, policies[p], &r->bounds[l], result.launches[l].statistics.cycles);
        judge_caches(r, policies[p], &r->bounds[l], &result.launches[l].statistics);
    }
    if (fine)
        replay_result_free(&result);
    if (m)
        machine_free(m);
    return fine;
}

static const char *folder(void) { return access("/dev/shm", W_OK) ? "/tmp" : "/dev/shm"; }

bool soundness_round(struct soundness *s, uint64_t number, struct rp_error *err)
{
    struct round r = {.s = s, .number = number};
    uint64_t random = number * 0x2545f4914f6cdd1dull + 1;
    char path[64];
    snprintf(path, sizeof path, "%s/reprise-sound-%d", folder(), (int)getpid());
    random_options(&r.random_machine, &random);
    if (s->small) {
        struct random_machine all = r.random_machine;
        keep_exact(&r.random_machine, &all, true);
    }
    bool fine = random_trace(path, &r.random_machine, s->small, &random, err) && (r.trace = rp_trace_open(path, err));
    unlink(path);
    for (unsigned p = 0; fine && p < SOUNDNESS_POLICIES; p++)
        fine = policy_run(&r, p, err);
    for (uint32_t l = 0; l < SOUNDNESS_LAUNCHES; l++) {
        if (fine)
            judge_exact(&r, &r.bounds[l]);
        if (fine && r.longest[l]) {
            s->slack += (double)r.bounds[l].unit_bound / (double)r.longest[l] - 1;
            s->published_slack += !r.bounds[l].gub_applies ? 0 : (double)r.bounds[l].gub / (double)r.longest[l] - 1;
        }
        wcet_bounds_free(&r.bounds[l]);
    }
    if (r.trace)
        rp_trace_close(r.trace);
    return fine;
}

struct rp_trace *soundness_warp(uint64_t seed, struct rp_error *err)
{
    struct warp_op ops[MOST_OPS + MOST_PARTS];
    char path[64];
    snprintf(path, sizeof path, "%s/reprise-warp-%d", folder(), (int)getpid());
    struct shape shape = random_shape(false, &seed);
    struct warp_program program = {ops, random_program(&shape, ops, &seed)};
    if (!warp_trace_write(path, &program, 1, err))
        return NULL;
    struct rp_trace *t = rp_trace_open(path, err);
    unlink(path);
    return t;
}

struct machine *soundness_machine(uint64_t seed, struct rp_error *err)
{
    struct random_machine all, exact;
    random_options(&all, &seed);
    set_number(&all, "dispatch_latency", 0);
    keep_exact(&exact, &all, false);
    return with_policy(&exact, "gto", 1, err);
}
