/* The exact worst case against brute force: random tiny blocks on random machines, all schedules one by one, each
 * carried out cycle by cycle by a simulation that shares nothing with the search or with replay; and where they are not
 * too many, by replay's reference engine under a scheduler that does what a script says. */
#include <criterion/criterion.h>
#include <stdio.h>

#include "hw-models/scheduler/scheduler.h"
#include "tests/support/synthetic_trace.h"
#include "tests/unit/wcet/common.h"
#include "tools/wcet/exhaust.h"

#define BLOCKS 2000
#define WARPS 3
#define OPS 6
#define REGISTERS 4
#define UNITS 6
#define FEW_SCHEDULES 300

/* ---- a machine, and the text of it --------------------------------------------------------------------------------
 */

enum kind { K_INT, K_FP32, K_SFU, K_CONTROL, K_FENCE, K_BARRIER, K_SHARED, K_GLOBAL, KINDS };
enum { U_INT, U_FP32, U_SFU, U_CONTROL, U_SHARED, U_GLOBAL };
static const char *const unit_names[UNITS] = {"int", "fp32", "sfu", "control", "shared", "global"};
static const char *const rows[KINDS] = {"classes.int",   "classes.fp32",    "classes.sfu",   "classes.control",
                                        "classes.fence", "classes.barrier", "spaces.shared", "spaces.global"};

struct timings {
    struct {
        int unit, initiation, latency;
    } kind[KINDS];
    bool refuses[UNITS], ideal[UNITS];
    int barrier_latency, control_interval, dispatch_latency;
    bool issue_exit;
    bool conflicts, transactions; /* shared memory's port, and device memory's */
    int shared_interval, dram_interval, dram_latency;
};

struct text {
    struct machine_setting settings[64];
    char key[64][40], value[64][16];
    size_t count;
};

static int below(uint64_t *random, int n) { return (int)((synthetic_random(random) >> 33) % (uint64_t)n); }

static void word(struct text *t, const char *key, const char *value)
{
    snprintf(t->key[t->count], sizeof t->key[0], "%s", key);
    snprintf(t->value[t->count], sizeof t->value[0], "%s", value);
    t->settings[t->count] = (struct machine_setting){t->key[t->count], t->value[t->count]};
    t->count++;
}

static int number(struct text *t, const char *prefix, const char *key, int value)
{
    char name[40], digits[16];
    snprintf(name, sizeof name, "%s%s", prefix, key);
    snprintf(digits, sizeof digits, "%d", value);
    word(t, name, digits);
    return value;
}

static void random_rows(struct timings *m, struct text *t, uint64_t *random)
{
    for (int k = 0; k < KINDS; k++) {
        m->kind[k].unit = k < K_FENCE ? k : k < K_SHARED ? U_CONTROL : k == K_SHARED ? U_SHARED : U_GLOBAL;
        int most = below(random, 2) ? 1 : below(random, 4) ? 5 : 40;
        m->kind[k].initiation = number(t, rows[k], ".initiation", 1 + below(random, most));
        m->kind[k].latency = number(t, rows[k], ".latency", below(random, below(random, 3) ? 6 : 40));
    }
    for (int k = 0; k < K_SHARED; k++) {
        char key[40];
        snprintf(key, sizeof key, "%s.unit", rows[k]);
        if (below(random, 3) == 0)
            word(t, key, unit_names[m->kind[k].unit = below(random, 4)]);
    }
    for (int u = 0; u < UNITS; u++) {
        char key[40];
        snprintf(key, sizeof key, "units.%s", unit_names[u]);
        m->ideal[u] = u < U_SHARED && below(random, 6) == 0;
        m->refuses[u] = !m->ideal[u] && below(random, 2);
        if (m->ideal[u])
            word(t, key, "ideal");
        else
            number(t, key, ".queue", m->refuses[u] ? 0 : -1);
    }
}

static void random_machine(struct timings *m, struct text *t, uint64_t *random)
{
    *m = (struct timings){0};
    t->count = 0;
    random_rows(m, t, random);
    m->barrier_latency = number(t, "barrier_latency", "", below(random, 2) ? 0 : below(random, 6));
    m->control_interval = number(t, "control_interval", "", below(random, 2) ? 1 : 1 + below(random, 6));
    m->dispatch_latency = number(t, "dispatch_latency", "", below(random, 3) ? 0 : below(random, 5));
    m->issue_exit = below(random, 4) == 0;
    word(t, "issue_exit", m->issue_exit ? "true" : "false");
    m->conflicts = below(random, 2);
    if (m->conflicts) {
        word(t, "shared", "pastis");
        m->shared_interval = number(t, "shared.interval", "", below(random, 6));
    }
    m->transactions = below(random, 2);
    if (m->transactions) {
        word(t, "dram", "fixed");
        m->dram_latency = number(t, "dram.latency", "", below(random, 20));
        m->dram_interval = number(t, "dram.interval", "", below(random, 8));
    }
}

/* ---- blocks ------------------------------------------------------------------------------------------------------ */

struct op {
    enum kind kind;
    bool guarded_off;
    int destination, source; /* -1: none */
    int conflict;            /* of an access to shared memory */
};
struct block {
    struct op op[WARPS][OPS + 1];
    int count[WARPS], warps;
};

/* A block has few kinds of instructions, so that they meet at units, and often one waits for the one before. */
static struct op random_op(const enum kind *kinds, int before, uint64_t *random)
{
    struct op op = {.kind = below(random, 8) ? kinds[below(random, 3)] : (enum kind)below(random, KINDS),
                    .destination = below(random, 3) ? below(random, REGISTERS) : -1,
                    .source = below(random, 2)   ? before
                              : below(random, 2) ? below(random, REGISTERS)
                                                 : -1,
                    .conflict = below(random, 3)};
    if (op.kind == K_BARRIER || op.kind == K_CONTROL || op.kind == K_FENCE)
        op.destination = -1;
    op.guarded_off = op.kind != K_BARRIER && below(random, 8) == 0;
    return op;
}

/* Two warps of up to six instructions, or three of up to four, exits that issue among them: for more, there are too
 * many schedules. Half of the blocks have warps that are alike. */
static void random_block(struct block *b, bool issue_exit, uint64_t *random)
{
    b->warps = below(random, 12) ? 2 + (below(random, 3) == 0) : 1;
    bool alike = below(random, 2);
    enum kind kinds[3];
    for (int k = 0; k < 3; k++)
        kinds[k] = (enum kind)below(random, KINDS);
    int most = (b->warps == WARPS ? 4 : OPS) - issue_exit;
    for (int w = 0; w < b->warps; w++) {
        b->count[w] = alike && w ? b->count[0] : below(random, 4) ? most : below(random, most + 1);
        for (int i = 0; i < b->count[w]; i++)
            b->op[w][i] = alike && w ? b->op[0][i] : random_op(kinds, i ? b->op[w][i - 1].destination : -1, random);
    }
}

static struct warp_op written(const struct op *op)
{
    static const enum rp_class classes[KINDS] = {RP_CLASS_INT,   RP_CLASS_FP32,    RP_CLASS_SFU,    RP_CLASS_CONTROL,
                                                 RP_CLASS_FENCE, RP_CLASS_BARRIER, RP_CLASS_MEMORY, RP_CLASS_MEMORY};
    return (struct warp_op){.unit_class = classes[op->kind],
                            .space = op->kind == K_SHARED ? RP_SPACE_SHARED : RP_SPACE_GLOBAL,
                            .store = op->destination < 0,
                            .guarded_off = op->guarded_off,
                            .destination = op->destination,
                            .source = {op->source, WARP_TRACE_NONE, WARP_TRACE_NONE},
                            .stride = 4u << op->conflict};
}

static struct rp_trace *trace_of_block(const struct block *b)
{
    struct warp_op ops[WARPS][OPS];
    struct warp_program programs[WARPS];
    for (int w = 0; w < b->warps; w++) {
        for (int i = 0; i < b->count[w]; i++)
            ops[w][i] = written(&b->op[w][i]);
        programs[w] = (struct warp_program){ops[w], (uint32_t)b->count[w]};
    }
    return trace_of(programs, (uint32_t)b->warps);
}

/* ---- all schedules -------------------------------------------------------------------------------------------------
 */

struct sim {
    int now, end;
    int unit_free[UNITS], shared_free, dram_free;
    struct {
        int at, may_issue, memory_done, written[REGISTERS];
        bool waits;
    } warp[WARPS];
};

struct brute {
    const struct timings *machine;
    const struct block *block;
    int longest;
    long schedules;
};

static int max(int a, int b) { return a > b ? a : b; }

static bool ended(const struct brute *f, const struct sim *s, int w) { return s->warp[w].at == f->block->count[w]; }

static bool ready(const struct brute *f, const struct sim *s, int w)
{
    if (ended(f, s, w) || s->warp[w].waits || s->warp[w].may_issue > s->now)
        return false;
    const struct op *op = &f->block->op[w][s->warp[w].at];
    if (op->source >= 0 && s->warp[w].written[op->source] > s->now)
        return false;
    if (op->destination >= 0 && s->warp[w].written[op->destination] > s->now)
        return false;
    if (op->kind == K_FENCE && s->warp[w].memory_done > s->now)
        return false;
    int unit = f->machine->kind[op->kind].unit;
    return !f->machine->refuses[unit] || s->unit_free[unit] <= s->now;
}

/* Shared memory (docs/timing-model.md): a stride of 4, 8 or 16 bytes makes 1, 2 or 4 words per bank. */
static int access_end(const struct timings *m, struct sim *s, const struct op *op, int dispatched, int accepted)
{
    if (op->kind == K_SHARED && m->conflicts) {
        int worst = (1 << op->conflict) - 1, occupancy = (1 + worst) * m->shared_interval;
        int start = occupancy ? max(dispatched, s->shared_free) : dispatched;
        if (occupancy)
            s->shared_free = start + occupancy;
        return start + 22 + 1 + 2 * worst;
    }
    if (op->kind == K_GLOBAL && m->transactions) {
        int start = m->dram_interval ? max(accepted, s->dram_free) : accepted;
        if (m->dram_interval)
            s->dram_free = start + m->dram_interval;
        return start + m->dram_latency;
    }
    return accepted;
}

static void open_barrier(const struct brute *f, struct sim *s)
{
    bool any = false;
    for (int w = 0; w < f->block->warps; w++) {
        if (!s->warp[w].waits && !ended(f, s, w))
            return;
        any |= s->warp[w].waits;
    }
    for (int w = 0; any && w < f->block->warps; w++)
        if (s->warp[w].waits) {
            s->warp[w].waits = false;
            s->warp[w].may_issue = max(s->warp[w].may_issue, s->now + 1 + f->machine->barrier_latency);
        }
}

static void issue(const struct brute *f, struct sim *s, int w)
{
    const struct timings *m = f->machine;
    const struct op *op = &f->block->op[w][s->warp[w].at++];
    int unit = m->kind[op->kind].unit;
    int dispatched = m->ideal[unit] ? s->now : max(s->now, s->unit_free[unit]);
    int done = dispatched + m->kind[op->kind].initiation;
    s->unit_free[unit] = done;
    if (!op->guarded_off) {
        done = max(done, access_end(m, s, op, dispatched, done)) + m->kind[op->kind].latency;
        if (op->kind == K_SHARED || op->kind == K_GLOBAL)
            s->warp[w].memory_done = max(s->warp[w].memory_done, done);
    }
    if (op->destination >= 0)
        s->warp[w].written[op->destination] = done;
    s->warp[w].may_issue = s->now + (op->kind == K_CONTROL ? m->control_interval : 1);
    s->end = max(s->end, max(done, s->now + 1));
    s->warp[w].waits = op->kind == K_BARRIER && !ended(f, s, w);
    if (s->warp[w].waits || ended(f, s, w))
        open_barrier(f, s);
}

static void all_schedules(struct brute *f, struct sim s)
{
    bool over = true;
    for (int w = 0; w < f->block->warps; w++)
        over &= ended(f, &s, w);
    if (over) {
        f->schedules++;
        f->longest = max(f->longest, s.end);
        return;
    }
    bool any = false;
    for (int w = 0; w < f->block->warps; w++) {
        if (!ready(f, &s, w))
            continue;
        any = true;
        struct sim next = s;
        issue(f, &next, w);
        next.now++;
        all_schedules(f, next);
    }
    if (!any) {
        s.now++;
        all_schedules(f, s);
    }
}

static struct brute brute_force(const struct timings *m, struct block *b)
{
    struct brute f = {.machine = m, .block = b};
    struct sim s = {.now = 0, .end = 1};
    for (int w = 0; w < b->warps; w++) {
        if (m->issue_exit)
            b->op[w][b->count[w]++] = (struct op){.kind = K_CONTROL, .destination = -1, .source = -1};
        s.warp[w].may_issue = m->dispatch_latency;
    }
    all_schedules(&f, s);
    return f;
}

/* ---- all schedules by replay ---------------------------------------------------------------------------------------
 */

/* Wherever several warps are ready: how many, and which of them goes. Choices beyond `known` are the first warp's. */
#define CHOICES 64
static struct {
    int of[CHOICES], choice[CHOICES], at, known;
} script;

static size_t no_state(const int64_t *options)
{
    (void)options;
    return 1;
}

static void no_reset(void *state, const int64_t *options)
{
    (void)state;
    (void)options;
}

static void not_told(void *state, unsigned slot)
{
    (void)state;
    (void)slot;
}

static int follow_script(void *state, uint64_t ready)
{
    (void)state;
    int count = __builtin_popcountll(ready);
    if (count > 1) {
        cr_assert_lt(script.at, CHOICES);
        if (script.at == script.known)
            script.choice[script.known++] = 0;
        script.of[script.at] = count;
        for (int skip = script.choice[script.at++]; skip; skip--)
            ready &= ready - 1;
    }
    return __builtin_ctzll(ready);
}

static const struct scheduler_model scripted = {
    .model = {.name = "scripted", .help = "", .state_size = no_state},
    .reset = no_reset,
    .start = not_told,
    .wait = not_told,
    .end = not_told,
    .pick = follow_script,
};

/* The last choice that can be another one is the next one; what came after it is forgotten. */
static bool next_script(void)
{
    while (script.known && script.choice[script.known - 1] + 1 == script.of[script.known - 1])
        script.known--;
    if (script.known)
        script.choice[script.known - 1]++;
    return script.known;
}

static void replay_all(struct rp_trace *t, struct machine *m, const struct brute *f)
{
    const struct model *own = m->scheduler.model;
    uint64_t longest = 0;
    long schedules = 0;
    m->scheduler.model = &scripted.model;
    script.known = 0;
    do {
        script.at = 0;
        uint64_t cycles = replayed(t, m, REPLAY_REFERENCE);
        longest = cycles > longest ? cycles : longest;
        schedules++;
    } while (next_script());
    m->scheduler.model = own;
    cr_expect_eq(schedules, f->schedules, "%ld schedules in replay, %ld in the simulation", schedules, f->schedules);
    cr_expect_eq(longest, (uint64_t)f->longest, "%llu cycles in replay, %d in the simulation",
                 (unsigned long long)longest, f->longest);
}

/* ---- both ----------------------------------------------------------------------------------------------------------
 */

static void compare(uint64_t seed, long *schedules)
{
    struct timings m;
    struct text text;
    struct block b;
    struct rp_error err;
    struct wcet_exact exact;
    struct wcet_states_budget left = {1000000, 1000000};
    random_machine(&m, &text, &seed);
    random_block(&b, m.issue_exit, &seed);
    struct machine *machine = orin(text.settings, text.count);
    struct rp_trace *t = trace_of_block(&b);
    cr_assert(wcet_exhaust(t, 0, machine, ALL_EXTENSIONS, &left, NULL, &exact, &err), "%s", err.text);
    struct wcet_bounds bounds = bounds_of(t, machine, ALL_EXTENSIONS);
    struct brute f = brute_force(&m, &b);
    cr_expect_eq(exact.cycles, (uint64_t)f.longest,
                 "block %llu: %llu cycles, but the longest of %ld schedules takes %d", (unsigned long long)seed,
                 (unsigned long long)exact.cycles, f.schedules, f.longest);
    cr_expect_leq((uint64_t)f.longest, bounds.unit_bound);
    if (f.schedules <= FEW_SCHEDULES)
        replay_all(t, machine, &f);
    *schedules += f.schedules;
    wcet_bounds_free(&bounds);
    rp_trace_close(t);
    machine_free(machine);
}

/* Criterion runs tests side by side. */
static void quarter(int which)
{
    long schedules = 0;
    for (int i = which; i < BLOCKS; i += 4)
        compare((uint64_t)i * 0x9e3779b97f4a7c15u, &schedules);
    cr_expect_gt(schedules, 10 * BLOCKS / 4, "there is a choice");
}
Test(every_schedule, blocks_0) { quarter(0); }
Test(every_schedule, blocks_1) { quarter(1); }
Test(every_schedule, blocks_2) { quarter(2); }
Test(every_schedule, blocks_3) { quarter(3); }
