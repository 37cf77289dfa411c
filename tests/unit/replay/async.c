/* Barrier objects and asynchronous work in time: closed forms, and the fast engine against the reference engine over
 * random programs whose warps wait for one another. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "common.h"
#include "tests/support/synthetic_trace.h"
#include "tracefmt/writer.h"

/* ---- the kernel -------------------------------------------------------------------------------------------------- */

#define R(n) RP_REGISTER(RP_FILE_GENERAL, n, 1)
#define OBJECT(what)                                                                                                   \
    {                                                                                                                  \
        .space = RP_SPACE_SHARED, .kind = RP_ACCESS_OBJECT, .object = RP_OBJECT_##what, .elements = 1, .width = 8      \
    }
static const rp_register token[] = {R(1)}, loaded[] = {R(2)}, sum[] = {R(3)}, product[] = {R(4)}, asked[] = {R(5)};
static const struct rp_memory_operand init[] = {OBJECT(INIT)}, arrive[] = {OBJECT(ARRIVE)}, test[] = {OBJECT(TEST)},
                                      behind[] = {OBJECT(ARRIVE_BEHIND)}, added[] = {OBJECT(ADD_BEHIND)};
static const struct rp_memory_operand
    fetch[] = {{.space = RP_SPACE_SHARED, .kind = RP_ACCESS_BULK_STORE, .width = 16},
               {.space = RP_SPACE_GLOBAL, .kind = RP_ACCESS_BULK_LOAD, .width = 16},
               OBJECT(BYTES)},
    give[] = {{.space = RP_SPACE_GLOBAL, .kind = RP_ACCESS_BULK_STORE, .width = 16},
              {.space = RP_SPACE_SHARED, .kind = RP_ACCESS_BULK_LOAD, .width = 16}},
    copy[] = {{.space = RP_SPACE_GLOBAL, .kind = RP_ACCESS_LOAD, .elements = 4, .width = 16},
              {.space = RP_SPACE_SHARED, .kind = RP_ACCESS_STORE, .elements = 4, .width = 16}},
    load[] = {{.space = RP_SPACE_GLOBAL, .kind = RP_ACCESS_LOAD, .elements = 1, .width = 4}},
    store[] = {{.space = RP_SPACE_GLOBAL, .kind = RP_ACCESS_STORE, .elements = 1, .width = 4}};

enum {
    INIT,
    MEET,
    ARRIVE,
    FETCH,
    WAIT,
    COPY,
    CLOSE,
    WAIT_COPIES,
    ALL_COPIES,
    BEHIND,
    ADDED,
    GIVE,
    CLOSE_GIVEN,
    READ_GIVEN,
    WAIT_GIVEN,
    ADD,
    LOAD,
    USE,
    STORE,
    MULTIPLY,
    MULTIPLY_LAST,
    CLOSE_PRODUCTS,
    WAIT_PRODUCTS,
    FENCE,
    BLOCK_FENCE,
    EXIT,
    OPS
};
#define ASYNC(kind, role, n)                                                                                           \
    {                                                                                                                  \
        RP_ASYNC_##kind, RP_ASYNC_##role, n                                                                            \
    }
#define MEMORY(list) .memory = list, .memory_count = sizeof list / sizeof *list
#define AUX(n) .flags = RP_HAS_AUX, .aux_count = n
static struct rp_instruction ops[OPS] = {
    [INIT] = {.text = "init", .unit_class = RP_CLASS_ASYNC, MEMORY(init), AUX(3)},
    [MEET] = {.text = "bar", .unit_class = RP_CLASS_BARRIER, .barrier = {RP_BARRIER_SYNC, 0, 0}},
    [ARRIVE] = {.text = "arrive", .unit_class = RP_CLASS_ASYNC, MEMORY(arrive), AUX(3), .dst = token, .dst_count = 1},
    [FETCH] = {.text = "fetch", .unit_class = RP_CLASS_ASYNC, MEMORY(fetch), AUX(5), .async = ASYNC(BULK, SIGNAL, 0)},
    [WAIT] = {.text = "wait", .unit_class = RP_CLASS_ASYNC, MEMORY(test), AUX(3), .dst = asked, .dst_count = 1},
    [COPY] = {.text = "copy", .unit_class = RP_CLASS_ASYNC, MEMORY(copy), .async = ASYNC(COPY, START, 0)},
    [CLOSE] = {.text = "commit", .unit_class = RP_CLASS_ASYNC, .async = ASYNC(COPY, COMMIT, 0)},
    [WAIT_COPIES] = {.text = "wait 1", .unit_class = RP_CLASS_ASYNC, .async = ASYNC(COPY, WAIT, 1)},
    [ALL_COPIES] = {.text = "wait all", .unit_class = RP_CLASS_ASYNC, .async = ASYNC(COPY, WAIT_ALL, 0)},
    [BEHIND] = {.text = "arrive behind", .unit_class = RP_CLASS_ASYNC, MEMORY(behind), AUX(3)},
    [ADDED] = {.text = "add behind", .unit_class = RP_CLASS_ASYNC, MEMORY(added), AUX(3)},
    [GIVE] = {.text = "give", .unit_class = RP_CLASS_ASYNC, MEMORY(give), AUX(2), .async = ASYNC(BULK, START, 0)},
    [CLOSE_GIVEN] = {.text = "bulk commit", .unit_class = RP_CLASS_ASYNC, .async = ASYNC(BULK, COMMIT, 0)},
    [READ_GIVEN] = {.text = "bulk read 0", .unit_class = RP_CLASS_ASYNC, .async = ASYNC(BULK, WAIT_READ, 0)},
    [WAIT_GIVEN] = {.text = "bulk wait 1", .unit_class = RP_CLASS_ASYNC, .async = ASYNC(BULK, WAIT, 1)},
    [ADD] = {.text = "add", .unit_class = RP_CLASS_INT, .dst = sum, .dst_count = 1, .src = sum, .src_count = 1},
    [LOAD] = {.text = "load", .unit_class = RP_CLASS_MEMORY, MEMORY(load), .dst = loaded, .dst_count = 1},
    [USE] = {.text = "use", .unit_class = RP_CLASS_INT, .dst = sum, .dst_count = 1, .src = loaded, .src_count = 1},
    [STORE] = {.text = "store", .unit_class = RP_CLASS_MEMORY, MEMORY(store), .src = sum, .src_count = 1},
    [MULTIPLY] = {.text = "wgmma",
                  .unit_class = RP_CLASS_TENSOR,
                  .dst = product,
                  .dst_count = 1,
                  .src = product,
                  .src_count = 1,
                  .async = ASYNC(TENSOR, START, 0)},
    [MULTIPLY_LAST] = {.text = "HGMMA gsb0",
                       .unit_class = RP_CLASS_TENSOR,
                       .dst = product,
                       .dst_count = 1,
                       .async = ASYNC(TENSOR, START, 1)},
    [CLOSE_PRODUCTS] = {.text = "wgmma commit", .unit_class = RP_CLASS_ASYNC, .async = ASYNC(TENSOR, COMMIT, 0)},
    [WAIT_PRODUCTS] = {.text = "wgmma wait", .unit_class = RP_CLASS_ASYNC, .async = ASYNC(TENSOR, WAIT, 0)},
    [FENCE] = {.text = "fence", .unit_class = RP_CLASS_FENCE, .fence_scope = RP_SCOPE_GPU},
    [BLOCK_FENCE] = {.text = "fence", .unit_class = RP_CLASS_FENCE, .fence_scope = RP_SCOPE_CTA},
    [EXIT] = {.text = "exit", .unit_class = RP_CLASS_CONTROL, .flags = RP_EXIT}};
static const struct rp_kernel kernel = {
    .name = "k", .isa = "ptx", .instruction_count = OPS, .instructions = ops, .registers = 16, .static_shared = 8192};

/* ---- writing it -------------------------------------------------------------------------------------------------- */

#define GLOBAL 0x100000u
struct step {
    int op;
    rp_lanemask lanes;
    uint64_t at, other; /* of a copy: shared and global memory; of an object: `at`, and `apart` for each further lane */
    uint64_t apart;
    uint64_t phase, bytes, arrivals;
};

static void log_lanes(struct rp_warp_log *log, const struct step *s, uint32_t operand, uint64_t base, uint64_t apart)
{
    uint64_t address[RP_WARP_LANES];
    for (unsigned l = 0; l < RP_WARP_LANES; l++)
        address[l] = base + l * apart;
    rp_log_access(log, (uint32_t)s->op, operand, s->lanes, address);
}

static void log_step(struct rp_warp_log *log, const struct step *s)
{
    const struct rp_instruction *in = &ops[s->op];
    rp_log_run(log, (uint32_t)s->op, 1, s->lanes);
    for (uint32_t m = 0; m < in->memory_count; m++) {
        const struct rp_memory_operand *o = &in->memory[m];
        bool lanes_apart = o->kind == RP_ACCESS_LOAD || o->kind == RP_ACCESS_STORE;
        if (o->kind == RP_ACCESS_OBJECT)
            log_lanes(log, s, m, s->op == FETCH ? s->phase : s->at, s->apart);
        else
            log_lanes(log, s, m, o->space == RP_SPACE_SHARED ? s->at : GLOBAL + s->other,
                      lanes_apart ? o->width : s->bytes);
        if (o->kind == RP_ACCESS_OBJECT) {
            rp_log_aux(log, RP_OBJECT_AUX(s->op == FETCH ? 0 : s->phase, s->op == WAIT));
            rp_log_aux(log, s->op == FETCH ? -s->bytes * rp_lane_count(s->lanes) : s->bytes);
            rp_log_aux(log, s->arrivals);
        } else if (rp_operand_aux_count(o)) {
            rp_log_aux(log, s->bytes);
        }
    }
}

/* A warp's own steps of all blocks. */
struct story {
    struct step steps[400];
    unsigned count;
};
static void add(struct story *s, struct step step)
{
    step.lanes = step.lanes ? step.lanes : UINT32_MAX;
    cr_assert_lt(s->count, 400);
    s->steps[s->count++] = step;
}

static struct rp_trace *write_trace(const struct story *warps, unsigned count, unsigned blocks)
{
    char path[64];
    struct rp_error err;
    uint32_t id;
    struct rp_provenance p = {.tool = "test", .module_name = "test", .module_sha256 = ""};
    snprintf(path, sizeof path, "/tmp/reprise-async-%d.wtr", getpid());
    struct rp_writer *w = rp_writer_open(path, &p, NULL, &err);
    cr_assert(w && rp_writer_add_kernel(w, &kernel, &id, &err), "%s", err.text);
    struct rp_launch launch = {.grid = {blocks, 1, 1}, .block = {32 * count, 1, 1}};
    cr_assert(rp_writer_begin_launch(w, &launch, &id, &err), "%s", err.text);
    struct rp_chunk *c = rp_chunk_new(&kernel, id, NULL);
    for (unsigned b = 0; b < blocks; b++) {
        struct rp_warp_log *log = rp_chunk_begin_block(c, b, count);
        for (unsigned i = 0; i < count; i++)
            for (unsigned n = 0; n < warps[i].count; n++)
                log_step(&log[i], &warps[i].steps[n]);
        rp_chunk_end_block(c, b);
    }
    struct rp_frame *f = rp_chunk_finish(c, &err);
    struct rp_launch_end end = {.outcome = RP_OUTCOME_COMPLETE};
    cr_assert(f && rp_writer_commit(w, f, &err) && rp_writer_end_launch(w, id, &end, &err) && rp_writer_close(w, &err),
              "%s", err.text);
    rp_chunk_free(c);
    struct rp_trace *t = rp_trace_open(path, &err);
    cr_assert(t, "%s", err.text);
    unlink(path);
    return t;
}

/* ---- to the cycle ------------------------------------------------------------------------------------------------ */

struct seen {
    uint64_t issue[8][OPS]; /* of a warp's last instruction of the kind */
};
static void see(void *data, const struct observed_issue *i)
{
    ((struct seen *)data)->issue[i->warp][i->index] = i->cycle;
}

static struct seen watch(const struct story *warps, unsigned count, const char *const *settings, struct statistics *s)
{
    struct seen seen = {0};
    struct replay_result result;
    struct rp_error err;
    struct rp_trace *t = write_trace(warps, count, 1);
    struct machine *m = test_machine("orin-wcet", NULL, settings);
    const struct observer observer = {.data = &seen, .issue = see};
    struct replay_options options = {.engine = REPLAY_REFERENCE, .launch = -1, .observer = &observer};
    cr_assert(replay(t, m, &options, &result, &err), "%s", err.text);
    replay_result_free(&result);
    *s = both_engines(t, m);
    machine_free(m);
    rp_trace_close(t);
    return seen;
}

static const char *const settings[] = {"subcores=2", "barrier_latency=14", "classes.async.latency=100", NULL};

/* init at 0, bar at 1: complete, and on from 1 + 1 + 14 = 16. The arrival at 16 ends the phase: the wait issues at 16 +
 * 1 + 14 = 31, and what follows comes a cycle later. */
Test(async, an_arrival_lets_a_warp_go)
{
    static struct story w[2];
    struct statistics s;
    add(&w[0], (struct step){INIT, 1, 64, .arrivals = 1});
    for (int i = 0; i < 2; i++)
        add(&w[i], (struct step){.op = MEET});
    add(&w[0], (struct step){ARRIVE, 1, 64, .arrivals = 1});
    add(&w[1], (struct step){WAIT, 1, 64, .phase = 0});
    add(&w[1], (struct step){.op = ADD});
    struct seen seen = watch(w, 2, settings, &s);
    cr_expect_eq(seen.issue[0][ARRIVE], 16);
    cr_expect_eq(seen.issue[1][WAIT], 31);
    cr_expect_eq(seen.issue[1][ADD], 32);
    cr_expect_eq(s.stall[STALL_ASYNC], 30, "all of its sub-core's cycles but the first");
}

/* A copy that issues at c is complete at c + 1 + 100. One group may be pending: the wait issues when the first copy is
 * complete; the other waits for all. The third copy is in no group. */
Test(async, groups_of_copies)
{
    static struct story w;
    struct statistics s;
    for (int i = 0; i < 2; i++) {
        add(&w, (struct step){.op = COPY, .at = 1024});
        add(&w, (struct step){.op = CLOSE});
    }
    add(&w, (struct step){.op = ADD});
    add(&w, (struct step){.op = COPY, .at = 1024});
    add(&w, (struct step){.op = WAIT_COPIES});
    add(&w, (struct step){.op = USE});
    add(&w, (struct step){.op = ALL_COPIES});
    struct seen seen = watch(&w, 1, settings, &s);
    cr_expect_eq(seen.issue[0][ADD], 4);
    cr_expect_eq(seen.issue[0][COPY], 5);
    cr_expect_eq(seen.issue[0][WAIT_COPIES], 0 + 101);
    cr_expect_eq(seen.issue[0][ALL_COPIES], 5 + 101);
}

/* Groups belong to lanes: one that has closed none waits for nothing. */
Test(async, groups_of_other_lanes)
{
    static struct story w;
    struct statistics s;
    add(&w, (struct step){.op = COPY, .lanes = 0xffff, .at = 1024});
    add(&w, (struct step){.op = CLOSE, .lanes = 0xffff});
    add(&w, (struct step){.op = ALL_COPIES, .lanes = 0xffff0000});
    add(&w, (struct step){.op = ALL_COPIES, .lanes = 0xff});
    add(&w, (struct step){.op = ADD});
    struct seen seen = watch(&w, 1, settings, &s);
    cr_expect_eq(seen.issue[0][ALL_COPIES], 101);
    cr_expect_lt(s.cycles, 101 + 1 + 101 + 3);
}

/* 2,000 bytes to shared memory, in 63 sectors of 32 bytes, one each 5 cycles; device memory takes 300 for each. The
 * copy arrives at 1 + 1, and is complete 100 cycles after its last sector; the wait issues a cycle later. The other way
 * round, sources have been read when shared memory has been; that is all at once here. */
Test(async, bulk_copies_go_through_memory)
{
    static const char *const slow[] = {"classes.async.latency=100",
                                       "coalescer=segments",
                                       "coalescer.size=32",
                                       "dram=fixed",
                                       "dram.latency=300",
                                       "dram.interval=5",
                                       NULL};
    static struct story w;
    struct statistics s;
    add(&w, (struct step){INIT, 1, 64, .arrivals = 1});
    add(&w, (struct step){FETCH, 1, 1024, 0, .phase = 64, .bytes = 2000});
    add(&w, (struct step){ARRIVE, 1, 64, .bytes = 2000, .arrivals = 1});
    add(&w, (struct step){.op = ADD});
    add(&w, (struct step){WAIT, 1, 64, .phase = 0});
    add(&w, (struct step){GIVE, 1, 1024, 4096, .bytes = 64});
    add(&w, (struct step){.op = CLOSE_GIVEN});
    add(&w, (struct step){.op = READ_GIVEN});
    add(&w, (struct step){.op = ALL_COPIES});
    struct seen seen = watch(&w, 1, slow, &s);
    uint64_t done = 2 + 62 * 5 + 300 + 100;
    cr_expect_eq(seen.issue[0][ADD], 3);
    cr_expect_eq(seen.issue[0][WAIT], done + 1, "%lu, not %lu", seen.issue[0][WAIT], done + 1);
    cr_expect_eq(seen.issue[0][READ_GIVEN], seen.issue[0][GIVE] + 1 + 100);
    cr_expect_eq(s.global_load_transactions, 63);
    cr_expect_eq(s.global_store_transactions, 2);
    cr_expect_geq(s.cycles, seen.issue[0][GIVE] + 300, "the block stays until its copies are complete");
}

/* Nobody waits for a product's registers but who waits for its group. */
Test(async, products)
{
    static const char *const slow[] = {"classes.tensor.latency=500", "classes.tensor.initiation=1", NULL};
    static struct story w;
    struct statistics s;
    for (int i = 0; i < 3; i++)
        add(&w, (struct step){.op = MULTIPLY});
    add(&w, (struct step){.op = CLOSE_PRODUCTS});
    add(&w, (struct step){.op = FENCE});
    add(&w, (struct step){.op = WAIT_PRODUCTS});
    struct seen seen = watch(&w, 1, slow, &s);
    cr_expect_eq(seen.issue[0][MULTIPLY], 2);
    cr_expect_eq(seen.issue[0][FENCE], 4);
    cr_expect_eq(seen.issue[0][WAIT_PRODUCTS], 2 + 1 + 500);
}

/* As in machine code, where the last product of a group closes it. */
Test(async, products_that_close_their_group)
{
    static const char *const slow[] = {"classes.tensor.latency=500", "classes.tensor.initiation=1", NULL};
    static struct story w;
    struct statistics s;
    add(&w, (struct step){.op = MULTIPLY});
    add(&w, (struct step){.op = MULTIPLY_LAST});
    add(&w, (struct step){.op = WAIT_PRODUCTS});
    struct seen seen = watch(&w, 1, slow, &s);
    cr_expect_eq(seen.issue[0][MULTIPLY_LAST], 1);
    cr_expect_eq(seen.issue[0][WAIT_PRODUCTS], 1 + 1 + 500);
}

/* Warps of which each waits for the other: a trace that no emulator records. */
Test(async, a_trace_that_cannot_go_on)
{
    static struct story w[2];
    struct replay_result result;
    add(&w[0], (struct step){INIT, 1, 64, .arrivals = 2});
    for (int i = 0; i < 2; i++) {
        add(&w[i], (struct step){.op = MEET});
        add(&w[i], (struct step){WAIT, 1, 64, .phase = 0});
        add(&w[i], (struct step){ARRIVE, 1, 64, .arrivals = 1});
    }
    struct rp_trace *t = write_trace(w, 2, 1);
    struct machine *m = test_machine("orin-wcet", NULL, (const char *const[]){NULL});
    for (int engine = 0; engine < 2; engine++) {
        struct rp_error err;
        struct replay_options options = {.engine = engine ? REPLAY_REFERENCE : REPLAY_FAST, .launch = -1};
        cr_assert(!replay(t, m, &options, &result, &err));
        cr_expect(
            strstr(err.text, "block 0, warp 0 waits for ever for the end of phase 0 of the barrier object at 0x40"),
            "%s", err.text);
    }
    machine_free(m);
    rp_trace_close(t);
}

/* ---- random programs --------------------------------------------------------------------------------------------- */

/* Objects at which any warp arrives, and one per filling warp that counts the bytes that it fetches. */
enum { MOST_WARPS = 5, COMMON = 3, OBJECTS = COMMON + MOST_WARPS, MOST_STEPS = 120 };
struct plan {
    uint64_t random;
    struct story warps[MOST_WARPS];
    unsigned count;
    uint64_t expected[COMMON], arrived[COMMON], filled[MOST_WARPS];
};

static uint32_t below(struct plan *p, uint32_t n) { return (uint32_t)(synthetic_random(&p->random) % n); }
static uint64_t object_of(unsigned i) { return 64 + 8 * i; }

static void begin_all(struct plan *p)
{
    p->count = 1 + below(p, MOST_WARPS);
    for (unsigned i = 0; i < COMMON; i++)
        p->expected[i] = 1 + below(p, 4);
    for (unsigned i = 0; i < OBJECTS; i++)
        add(&p->warps[0], (struct step){INIT, 1, object_of(i), .arrivals = i < COMMON ? p->expected[i] : 1});
    for (unsigned w = 0; w < p->count; w++)
        add(&p->warps[w], (struct step){.op = MEET});
}

static rp_lanemask random_lanes(struct plan *p)
{
    return below(p, 2) ? UINT32_MAX : 1u << below(p, 32) | below(p, 65536);
}

static void arrive_at(struct plan *p, struct story *w)
{
    unsigned i = below(p, COMMON), kind = below(p, 3), lanes = 1 + below(p, 3);
    if (!kind) {
        add(w, (struct step){COPY, random_lanes(p), 1024 + 512 * below(p, 4), 512 * below(p, 64), 0, 0, 0, 0});
        if (below(p, 2))
            add(w, (struct step){ADDED, 0, object_of(i), .phase = p->arrived[i] / p->expected[i], .arrivals = 32});
        add(w, (struct step){BEHIND, 1, object_of(i), .phase = p->arrived[i] / p->expected[i], .arrivals = 1});
        p->arrived[i]++;
        return;
    }
    add(w, (struct step){ARRIVE, (1u << lanes) - 1, object_of(i), .phase = p->arrived[i] / p->expected[i],
                         .arrivals = lanes});
    p->arrived[i] += lanes;
}

/* What is over as the programs go on step by step: each of them can wait for it, in whatever order they run. */
static void wait_for(struct plan *p, struct story *w)
{
    unsigned i = below(p, COMMON + p->count);
    uint64_t over = i < COMMON ? p->arrived[i] / p->expected[i] : p->filled[i - COMMON];
    if (over)
        add(w, (struct step){WAIT, random_lanes(p), object_of(i),
                             .phase = over - 1 - below(p, 2) * below(p, (uint32_t)over)});
}

static void fill(struct plan *p, unsigned warp)
{
    struct story *w = &p->warps[warp];
    uint64_t bytes = 16 * (1 + below(p, 200)), at = object_of(COMMON + warp), phase = p->filled[warp]++;
    struct step expect = {ARRIVE, 1, at, .phase = phase, .bytes = 2 * bytes, .arrivals = 1};
    if (phase)
        add(w, (struct step){WAIT, 1, at, .phase = phase - 1});
    bool first = below(p, 2);
    if (first)
        add(w, expect);
    for (unsigned i = 0; i < 2; i++)
        add(w, (struct step){FETCH, 1, 2048 + 16 * below(p, 64), 16 * below(p, 4096), .phase = at, .bytes = bytes});
    if (!first)
        add(w, expect);
}

static void one_more(struct plan *p)
{
    static const int plain[] = {ADD,           ADD,        LOAD,        USE,          USE,
                                STORE,         CLOSE,      WAIT_COPIES, ALL_COPIES,   CLOSE_GIVEN,
                                READ_GIVEN,    WAIT_GIVEN, MULTIPLY,    MULTIPLY,     CLOSE_PRODUCTS,
                                WAIT_PRODUCTS, FENCE,      BLOCK_FENCE, MULTIPLY_LAST};
    unsigned warp = below(p, p->count);
    struct story *w = &p->warps[warp];
    switch (below(p, 8)) {
    case 0: arrive_at(p, w); return;
    case 1: wait_for(p, w); return;
    case 2: fill(p, warp); return;
    case 3:
        add(w, (struct step){COPY, random_lanes(p), 1024 + 512 * below(p, 4), 512 * below(p, 64), 0, 0, 0, 0});
        return;
    case 4:
        add(w, (struct step){GIVE, 1u << below(p, 3) | 1, 2048, 16 * below(p, 4096), .bytes = 16 * (1 + below(p, 60))});
        return;
    default:
        add(w, (struct step){plain[below(p, sizeof plain / sizeof *plain)], random_lanes(p), 0, 4096 * below(p, 64), 0,
                             0, 0, 0});
    }
}

static struct rp_trace *random_trace(uint64_t seed)
{
    static struct plan p;
    p = (struct plan){.random = seed};
    begin_all(&p);
    for (unsigned steps = below(&p, MOST_STEPS); steps; steps--)
        one_more(&p);
    for (unsigned w = 0; w < p.count; w++)
        if (below(&p, 4))
            add(&p.warps[w], (struct step){.op = EXIT});
    return write_trace(p.warps, p.count, 1 + below(&p, 4));
}

static bool replay_with(struct rp_trace *t, const struct machine *m, enum replay_engine engine, unsigned threads,
                        struct replay_result *result, struct rp_error *err)
{
    struct replay_options options = {.engine = engine, .threads = threads, .launch = -1};
    return replay(t, m, &options, result, err);
}

Test(async, random_programs_on_random_machines)
{
    unsigned fine = 0, all = 0;
    uint64_t waited = 0;
    for (uint64_t seed = 1; seed <= 400; seed++, all++) {
        struct rp_trace *t = random_trace(seed);
        struct machine *m = random_machine(seed * 77);
        struct replay_result slow, fast;
        struct rp_error err[2] = {0};
        bool ok = replay_with(t, m, REPLAY_REFERENCE, 1, &slow, &err[0]);
        bool too = replay_with(t, m, REPLAY_FAST, 1 + seed % 2, &fast, &err[1]);
        cr_assert_eq(ok, too, "seed %lu: %s | %s", seed, err[0].text, err[1].text);
        if (ok) {
            const char *difference = statistics_difference(m, &slow.total, &fast.total);
            cr_assert(!difference, "seed %lu: %s", seed, difference);
            waited += slow.total.stall[STALL_ASYNC];
            replay_result_free(&slow);
            replay_result_free(&fast);
        } else {
            cr_assert_str_eq(err[0].text, err[1].text, "seed %lu", seed);
            cr_assert(strstr(err[0].text, "there is no model of"), "seed %lu: %s", seed, err[0].text);
        }
        fine += ok;
        machine_free(m);
        rp_trace_close(t);
    }
    cr_expect(fine > all * 3 / 4 && waited > 1000, "%u of %u ran to their end; %lu cycles of waits", fine, all, waited);
}
