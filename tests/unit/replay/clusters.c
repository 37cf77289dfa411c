/* Clusters in time: closed forms of the barrier, of the dispatch, of accesses to other blocks' shared memory, and of
 * what one block does to an object of another. equal.c has random ones. The barrier of a launch is at the end. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "common.h"
#include "tracefmt/writer.h"

/* ---- the kernel -------------------------------------------------------------------------------------------------- */

#define R(n) RP_REGISTER(RP_FILE_GENERAL, n, 1)
#define OBJECT(what)                                                                                                   \
    {                                                                                                                  \
        .space = RP_SPACE_SHARED, .kind = RP_ACCESS_OBJECT, .object = RP_OBJECT_##what, .elements = 1, .width = 8      \
    }
static const rp_register sum[] = {R(1)}, loaded[] = {R(2)}, asked[] = {R(3)};
static const struct rp_memory_operand init[] = {OBJECT(INIT)}, tell[] = {OBJECT(ARRIVE)}, test[] = {OBJECT(TEST)},
                                      load[] = {{.space = RP_SPACE_GENERIC, .elements = 1, .width = 4}},
                                      fetch[] = {{.space = RP_SPACE_SHARED, .kind = RP_ACCESS_BULK_STORE, .width = 16},
                                                 {.space = RP_SPACE_GLOBAL, .kind = RP_ACCESS_BULK_LOAD, .width = 16},
                                                 OBJECT(BYTES)};

enum { ADD, ARRIVE, WAIT, LOAD, USE, INIT, TELL, TEST, FETCH, EXIT, OPS };
#define MEMORY(list) .memory = list, .memory_count = sizeof list / sizeof *list
#define AUX(n) .flags = RP_HAS_AUX, .aux_count = n
static const struct rp_instruction ops[OPS] = {
    [ADD] = {.text = "add", .unit_class = RP_CLASS_INT, .dst = sum, .dst_count = 1, .src = sum, .src_count = 1},
    [ARRIVE] = {.text = "arrive", .unit_class = RP_CLASS_BARRIER, .barrier = {.kind = RP_BARRIER_CLUSTER_ARRIVE}},
    [WAIT] = {.text = "wait", .unit_class = RP_CLASS_BARRIER, .barrier = {.kind = RP_BARRIER_CLUSTER_WAIT}},
    [LOAD] = {.text = "load", .unit_class = RP_CLASS_MEMORY, MEMORY(load), .dst = loaded, .dst_count = 1},
    [USE] = {.text = "use", .unit_class = RP_CLASS_INT, .dst = sum, .dst_count = 1, .src = loaded, .src_count = 1},
    [INIT] = {.text = "init", .unit_class = RP_CLASS_ASYNC, MEMORY(init), AUX(3)},
    [TELL] = {.text = "tell", .unit_class = RP_CLASS_ASYNC, MEMORY(tell), AUX(3)},
    [TEST] = {.text = "test", .unit_class = RP_CLASS_ASYNC, MEMORY(test), AUX(3), .dst = asked, .dst_count = 1},
    [FETCH] = {.text = "fetch",
               .unit_class = RP_CLASS_ASYNC,
               MEMORY(fetch),
               AUX(5),
               .async = {RP_ASYNC_BULK, RP_ASYNC_SIGNAL, 0}},
    [EXIT] = {.text = "exit", .unit_class = RP_CLASS_CONTROL, .flags = RP_EXIT}};
static const struct rp_kernel kernel = {
    .name = "k", .isa = "ptx", .instruction_count = OPS, .instructions = ops, .registers = 16, .static_shared = 8192};

static const struct rp_instruction meeting_ops[] = {
    [ADD] = {.text = "add", .unit_class = RP_CLASS_INT, .dst = sum, .dst_count = 1, .src = sum, .src_count = 1},
    [ARRIVE] = {.text = "meet", .unit_class = RP_CLASS_BARRIER, .barrier = {.kind = RP_BARRIER_LAUNCH}},
    [WAIT] = {.text = "bar", .unit_class = RP_CLASS_BARRIER, .barrier = {.kind = RP_BARRIER_SYNC}},
    [LOAD] = {.text = "exit", .unit_class = RP_CLASS_CONTROL, .flags = RP_EXIT}};
static const struct rp_kernel meeting = {
    .name = "meeting", .isa = "ptx", .instruction_count = LOAD + 1, .instructions = meeting_ops, .registers = 16};

/* ---- writing it -------------------------------------------------------------------------------------------------- */

#define WINDOW 0x1000000u
#define SHARED_OF(rank) (0x800000u + (rank)*0x80000u)
#define BYTES 512u

/* Block b runs stories[b % count], one warp each: letters for the instructions. + add, a and w at the barrier, r reads
 * what the next block has and u uses it, i makes the object for one arrival, e arrives there and expects BYTES bytes, t
 * arrives at the one of the next block, f fetches BYTES for all blocks, ? waits for the own one. meets: a is the
 * barrier of the launch, w that of the block, and there are no others. */
struct grid {
    const char *const *stories;
    uint32_t count, blocks, cluster[3];
    bool meets, cooperative;
};

static void log_access(struct rp_warp_log *log, uint32_t op, uint32_t operand, uint64_t base, uint64_t stride,
                       rp_lanemask lanes)
{
    uint64_t address[RP_WARP_LANES];
    for (unsigned l = 0; l < RP_WARP_LANES; l++)
        address[l] = base + l * stride;
    rp_log_access(log, op, operand, lanes, address);
}

static void log_object(struct rp_warp_log *log, uint32_t op, uint32_t operand, uint64_t at, bool waits, int64_t bytes,
                       uint64_t arrivals)
{
    log_access(log, op, operand, at, 0, 1);
    rp_log_aux(log, RP_OBJECT_AUX(0, waits));
    rp_log_aux(log, (uint64_t)bytes);
    rp_log_aux(log, arrivals);
}

static void log_step(struct rp_warp_log *log, char letter, uint32_t next, uint32_t blocks)
{
    static const char letters[] = "+awruit?f";
    uint32_t op = letter == 'e' ? (uint32_t)TELL : (uint32_t)(strchr(letters, letter) - letters);
    rp_log_run(log, op, 1, op < INIT ? ~0u : 1);
    switch (op) {
    case LOAD: log_access(log, op, 0, WINDOW + SHARED_OF(next), 4, ~0u); break;
    case INIT: log_object(log, op, 0, 0, false, 0, 1); break;
    case TELL: log_object(log, op, 0, letter == 'e' ? 0 : SHARED_OF(next), false, letter == 'e' ? BYTES : 0, 1); break;
    case TEST: log_object(log, op, 0, 0, true, 0, 0); break;
    case FETCH:
        log_access(log, op, 0, 1024, 0, 1);
        rp_log_aux(log, RP_BULK_AUX(BYTES, (1u << blocks) - 1));
        log_access(log, op, 1, 0x100000, 0, 1);
        rp_log_aux(log, BYTES);
        log_object(log, op, 2, 0, false, -(int64_t)BYTES, 0);
    }
}

static void write_trace(const struct grid *g, const char *path)
{
    struct rp_error err;
    struct rp_provenance provenance = {.tool = "test", .module_name = "by_hand", .module_sha256 = ""};
    struct rp_writer *w = rp_writer_open(path, &provenance, NULL, &err);
    const struct rp_kernel *k = g->meets ? &meeting : &kernel;
    struct rp_launch launch = {.grid = {g->blocks, 1, 1},
                               .cooperative = g->cooperative,
                               .block = {RP_WARP_LANES, 1, 1},
                               .shared_window = WINDOW,
                               .shared_window_size = WINDOW,
                               .cluster_shared = SHARED_OF(0),
                               .cluster_step = SHARED_OF(1) - SHARED_OF(0)};
    uint32_t id, size = g->cluster[0] ? g->cluster[0] : 1;
    memcpy(launch.cluster, g->cluster, sizeof launch.cluster);
    cr_assert(w && rp_writer_add_kernel(w, k, &launch.kernel, &err) && rp_writer_begin_launch(w, &launch, &id, &err),
              "%s", err.text);
    struct rp_chunk *chunk = rp_chunk_new(k, id, NULL);
    for (uint32_t b = 0; b < g->blocks; b++) {
        struct rp_warp_log *log = rp_chunk_begin_block(chunk, b, 1);
        for (const char *at = g->stories[b % g->count]; *at; at++)
            log_step(log, *at, (b + 1) % size, size);
        rp_log_run(log, k->instruction_count - 1, 1, ~0u);
        rp_chunk_end_block(chunk, b);
    }
    cr_assert(rp_writer_commit(w, rp_chunk_finish(chunk, &err), &err) &&
                  rp_writer_end_launch(w, id, &(struct rp_launch_end){0}, &err) && rp_writer_close(w, &err),
              "%s", err.text);
    rp_chunk_free(chunk);
}

static struct rp_trace *trace_of_grid(const struct grid *g)
{
    char path[] = "/tmp/reprise-clusters-XXXXXX";
    struct rp_error err;
    close(mkstemp(path));
    write_trace(g, path);
    struct rp_trace *t = rp_trace_open(path, &err);
    cr_assert(t, "%s", err.text);
    unlink(path);
    return t;
}

static uint64_t cycles(const struct grid *g, const char *const *settings)
{
    struct rp_trace *t = trace_of_grid(g);
    struct machine *m = test_machine("orin-wcet", NULL, settings);
    uint64_t c = both_engines(t, m).cycles;
    machine_free(m);
    rp_trace_close(t);
    return c;
}
#define SETTINGS(...)                                                                                                  \
    (const char *const[]) { __VA_ARGS__, NULL }
#define GRID(blocks, cluster, ...)                                                                                     \
    &(struct grid)                                                                                                     \
    {                                                                                                                  \
        (const char *const[]){__VA_ARGS__}, sizeof((const char *const[]){__VA_ARGS__}) / sizeof(char *), blocks,       \
            {cluster, 1, 1}, false, false                                                                              \
    }
#define LONG "++++++++++++++++++++"

/* ---- the barrier ------------------------------------------------------------------------------------------------- */

/* Who waits goes on when the last one has arrived: as late as that one, alone. */
Test(clusters, waits_for_the_last_block)
{
    const char *const *two = SETTINGS("sms=2", "cluster.barrier_latency=0");
    uint64_t last = cycles(GRID(1, 1, LONG "aw+"), two);
    cr_expect_eq(cycles(GRID(2, 2, "aw+", LONG "aw+"), two), last);
    cr_expect_eq(cycles(GRID(2, 2, LONG "aw+", "aw+"), two), last);
    cr_expect_eq(cycles(GRID(2, 2, "+", LONG "aw+"), two), last, "nobody waits for one that has exited");
}

/* Blocks that are alone, or in another cluster, wait for nobody. */
Test(clusters, waits_for_its_cluster_only)
{
    const char *const *four = SETTINGS("sms=4", "limits.blocks=1", "dispatch_latency=0");
    uint64_t last = cycles(GRID(1, 1, LONG "aw+"), four), quick = cycles(GRID(1, 1, "aw" LONG LONG), four);
    cr_assert_gt(quick, last);
    cr_expect_eq(cycles(GRID(4, 2, "aw" LONG LONG, "aw", LONG "aw+", "aw+"), four), quick);
    cr_expect_gt(cycles(GRID(4, 4, "aw" LONG LONG, "aw", LONG "aw+", "aw+"), four), quick);
}

/* What lies between arrival and wait costs nothing that the others do not take; the latency is added once per round. */
Test(clusters, latency_of_the_barrier)
{
    uint64_t none = cycles(GRID(2, 2, "awawaw+"), SETTINGS("sms=2", "cluster.barrier_latency=10"));
    cr_expect_eq(cycles(GRID(2, 2, "awawaw+"), SETTINGS("sms=2", "cluster.barrier_latency=110")), none + 300);
    uint64_t hidden = cycles(GRID(2, 2, "a" LONG LONG "w+"), SETTINGS("sms=2", "cluster.barrier_latency=0"));
    cr_expect_eq(cycles(GRID(2, 2, "a" LONG LONG "w+"), SETTINGS("sms=2", "cluster.barrier_latency=20")), hidden);
}

/* ---- the dispatch ------------------------------------------------------------------------------------------------ */

Test(clusters, come_whole_or_not_at_all)
{
    const char *const *one_each = SETTINGS("sms=4", "limits.blocks=1", "dispatch_interval=0", "dispatch_latency=0");
    uint64_t once = cycles(GRID(1, 1, LONG), one_each);
    cr_expect_eq(cycles(GRID(12, 1, LONG), one_each), 3 * once, "four at a time");
    cr_expect_eq(cycles(GRID(12, 3, LONG), one_each), 4 * once, "three at a time: one SM stays empty");
    cr_expect_eq(cycles(GRID(12, 4, LONG), one_each), 3 * once);
    cr_expect_eq(cycles(GRID(8, 2, LONG), one_each), 2 * once);
}

Test(clusters, run_within_a_gpc)
{
#define EACH(gpcs) SETTINGS("sms=6", gpcs, "limits.blocks=1", "dispatch_interval=0", "dispatch_latency=0")
    uint64_t once = cycles(GRID(1, 1, LONG), EACH("gpcs=1"));
    cr_expect_eq(cycles(GRID(6, 2, LONG), EACH("gpcs=1")), once, "three clusters of two SMs");
    cr_expect_eq(cycles(GRID(6, 2, LONG), EACH("gpcs=2")), 2 * once, "two GPCs of three SMs hold one each");
    cr_expect_eq(cycles(GRID(6, 2, LONG), EACH("gpcs=3")), once);
    cr_expect_eq(cycles(GRID(12, 4, LONG), SETTINGS("sms=6", "gpcs=3", "limits.blocks=2", "dispatch_interval=0",
                                                    "dispatch_latency=0", "subcores=2")),
                 cycles(GRID(2, 1, LONG), SETTINGS("sms=1", "limits.blocks=2", "dispatch_latency=0", "subcores=2")),
                 "an SM may hold two blocks of one");
}

/* An SM that gets two blocks of a cluster is the later ready for the next. */
Test(clusters, interval_of_the_dispatch)
{
#define AFTER(interval) SETTINGS("sms=1", "limits.blocks=32", interval, "dispatch_latency=0", "limits.shared=1M")
    uint64_t at_once = cycles(GRID(4, 2, "+"), AFTER("dispatch_interval=0"));
    cr_expect_eq(cycles(GRID(2, 2, "+"), AFTER("dispatch_interval=1000")),
                 cycles(GRID(2, 2, "+"), AFTER("dispatch_interval=0")), "the blocks of a cluster come together");
    uint64_t late = cycles(GRID(4, 2, "+"), AFTER("dispatch_interval=1000"));
    cr_expect(late > 2000 && late <= 2000 + at_once, "%llu", (unsigned long long)late);
}

Test(clusters, that_fit_nowhere)
{
    static const char *const settings[][4] = {{"sms=2", "limits.blocks=1", "gpcs=1", NULL},
                                              {"sms=6", "limits.blocks=1", "gpcs=3", NULL}};
    for (int i = 0; i < 2; i++)
        for (int e = 0; e < 2; e++) {
            struct rp_trace *t = trace_of_grid(GRID(8, 4, "+"));
            struct machine *m = test_machine("orin-wcet", NULL, settings[i]);
            struct replay_options o = {.engine = e ? REPLAY_REFERENCE : REPLAY_FAST, .launch = -1};
            struct replay_result result;
            struct rp_error err;
            cr_assert(!replay(t, m, &o, &result, &err));
            cr_expect_str_eq(err.text, "kernel k: a cluster of 4 blocks does not fit on orin-wcet: 2 SMs (sms, gpcs) "
                                       "hold 1 of its blocks each");
            machine_free(m);
            rp_trace_close(t);
        }
}

/* ---- shared memory and objects of other blocks ------------------------------------------------------------------- */

Test(clusters, accesses_to_other_blocks)
{
#define AWAY(latency, bandwidth) SETTINGS("sms=2", "limits.blocks=1", latency, bandwidth)
    const char *const *near = AWAY("spaces.shared-cluster.latency=50", "cluster.bandwidth=0"),
                      *const *far = AWAY("spaces.shared-cluster.latency=150", "cluster.bandwidth=0"),
                      *const *narrow = AWAY("spaces.shared-cluster.latency=50", "cluster.bandwidth=0.64"),
                      *const *wider = AWAY("spaces.shared-cluster.latency=50", "cluster.bandwidth=1.28"),
                      *const *wide = AWAY("spaces.shared-cluster.latency=50", "cluster.bandwidth=128");
    uint64_t once = cycles(GRID(2, 2, "ru"), near);
    cr_expect_eq(cycles(GRID(2, 2, "ru"), far), once + 100);
    cr_expect_eq(cycles(GRID(2, 2, "ruru"), far), cycles(GRID(2, 2, "ruru"), near) + 200);
    cr_expect_eq(cycles(GRID(1, 1, "ru"), far), cycles(GRID(1, 1, "ru"), near), "alone in a cluster it is its own");
    cr_expect_eq(cycles(GRID(2, 2, "ru"), wide), once);
    cr_expect_eq(cycles(GRID(2, 2, "rrrru"), wide), cycles(GRID(2, 2, "rrrru"), near));
    uint64_t hundred = cycles(GRID(2, 2, "ru"), wider);
    cr_expect_eq(cycles(GRID(2, 2, "ru"), narrow), hundred + 100, "128 bytes in 200 cycles instead of 100");
    const char *const *two_each =
        SETTINGS("sms=2", "limits.blocks=2", "spaces.shared-cluster.latency=50", "cluster.bandwidth=1.28");
    cr_expect_eq(cycles(GRID(4, 4, "ru"), two_each), hundred + 100, "two on the way of each SM");
}

/* An arrival from another block takes as long as an access there. */
Test(clusters, objects_of_other_blocks)
{
    const char *const *near = AWAY("spaces.shared-cluster.latency=50", "cluster.bandwidth=0"),
                      *const *far = AWAY("spaces.shared-cluster.latency=150", "cluster.bandwidth=0");
    uint64_t once = cycles(GRID(2, 2, "iaw?+", "aw" LONG "t"), near);
    cr_expect_eq(cycles(GRID(2, 2, "iaw?+", "aw" LONG "t"), far), once + 100);
    cr_expect_eq(cycles(GRID(2, 2, "iaw?+", "aw" LONG LONG "t"), near) - once,
                 cycles(GRID(1, 1, LONG LONG), near) - cycles(GRID(1, 1, LONG), near));
}

/* A copy to all blocks tells the object of each. */
Test(clusters, copies_to_several_blocks)
{
    const char *const *near = AWAY("spaces.shared-cluster.latency=50", "cluster.bandwidth=0"),
                      *const *narrow = AWAY("spaces.shared-cluster.latency=50", "cluster.bandwidth=1");
    uint64_t all = cycles(GRID(2, 2, "ieawf?+", "ieaw?+"), near);
    cr_expect_eq(cycles(GRID(2, 2, "ieaw?+", "ieawf?+"), near), all, "whoever fetches");
    cr_expect_gt(cycles(GRID(2, 2, "ieawf?+", "ieaw?+"), narrow), BYTES, "to the other block, a byte a cycle");
}

/* ---- the barrier of a launch ------------------------------------------------------------------------------------- */

#define MEETING(blocks, ...)                                                                                           \
    &(struct grid)                                                                                                     \
    {                                                                                                                  \
        (const char *const[]){__VA_ARGS__}, sizeof((const char *const[]){__VA_ARGS__}) / sizeof(char *), blocks,       \
            {1, 1, 1}, true, true                                                                                      \
    }

/* All blocks go on when the last one has arrived: as late as that one, alone. What is before the barrier of one block
 * and behind that of another adds up, as the block's own barrier does not make it. */
Test(launch_barrier, waits_for_the_last_block)
{
    const char *const *two = SETTINGS("sms=2", "limits.blocks=1");
    uint64_t last = cycles(MEETING(1, LONG "a+"), two);
    uint64_t add = cycles(MEETING(1, "++"), two) - cycles(MEETING(1, "+"), two);
    cr_expect_eq(cycles(MEETING(2, "a+", LONG "a+"), two), last);
    cr_expect_eq(cycles(MEETING(2, LONG "a+", "a+"), two), last);
    cr_expect_eq(cycles(MEETING(2, "+a" LONG, LONG "+a"), two), cycles(MEETING(2, "+a" LONG, LONG "a"), two) + add);
    cr_expect_eq(cycles(MEETING(2, "+w" LONG, LONG "+w"), two), cycles(MEETING(2, "+w" LONG, LONG "w"), two));
}

/* Each meeting is one: whoever is late at any of them delays all. */
Test(launch_barrier, meets_again_and_again)
{
    const char *const *three = SETTINGS("sms=3", "limits.blocks=1");
    uint64_t add = cycles(MEETING(1, "++"), three) - cycles(MEETING(1, "+"), three);
    uint64_t all = cycles(MEETING(3, LONG "a+a+", "+a" LONG "a+", "+a+a" LONG), three);
    cr_expect_eq(cycles(MEETING(3, LONG "+a+a+", "+a" LONG "a+", "+a+a" LONG), three), all + add);
    cr_expect_eq(cycles(MEETING(3, LONG "a+a+", "+a" LONG "+a+", "+a+a" LONG), three), all + add);
    cr_expect_eq(cycles(MEETING(3, LONG "a+a+", "+a" LONG "a+", "+a+a" LONG "+"), three), all + add);
}

Test(launch_barrier, nobody_waits_for_blocks_that_have_exited)
{
    const char *const *two = SETTINGS("sms=2", "limits.blocks=1");
    cr_expect_eq(cycles(MEETING(2, "+", LONG "a+"), two), cycles(MEETING(1, LONG "a+"), two));
    cr_expect_eq(cycles(MEETING(2, "a+", LONG), two), cycles(MEETING(2, "a+", LONG "a"), two) - 1,
                 "the end of a block opens it, too");
}

/* Blocks that do not all fit at a time could never meet. */
static void expect_refused(const struct grid *g, const char *const *settings, const char *why)
{
    struct rp_trace *t = trace_of_grid(g);
    struct machine *m = test_machine("orin-wcet", NULL, settings);
    for (int engine = 0; engine < 2; engine++) {
        struct replay_result result;
        struct rp_error err = {0};
        const struct replay_options o = {.engine = engine ? REPLAY_REFERENCE : REPLAY_FAST, .launch = -1};
        cr_expect(!replay(t, m, &o, &result, &err) && err.status == RP_BAD_INPUT && strstr(err.text, why), "%s",
                  err.text);
    }
    machine_free(m);
    rp_trace_close(t);
}

Test(launch_barrier, blocks_that_do_not_fit_at_a_time_are_refused)
{
    const char *const *two = SETTINGS("sms=2", "limits.blocks=1");
    struct grid *g = MEETING(3, "a+");
    expect_refused(g, two, "a cooperative launch of 3 blocks");
    g->cooperative = false; /* a damaged trace */
    expect_refused(g, two, "waits for ever at barrier 0");
}
