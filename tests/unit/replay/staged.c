/* The staged pipeline: the fast engine, in which components sleep, equals the reference engine, which steps all of them
 * in every cycle: random traces on random machines, with every queue as short as it may be. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "common.h"
#include "hw-models/dram/counters.h"
#include "replay/base/profile.h"
#include "replay/session/machine_open.h"
#include "replay/session/replay.h"
#include "tests/support/synthetic_trace.h"

#define VALUES 8
static const char *const choices[][VALUES + 1] = {
    {"sms", "1", "2", "3"},
    {"limits.blocks", "1", "2", "16"},
    {"issue.width", "1", "2"},
    {"icache", "perfect", "set-associative", "three-level"},
    {"icache.subcores", "1", "2", "4"},
    {"pipeline.block_rate", "0", "1", "2"},
    {"pipeline.buffer", "1", "2", "8"},
    {"pipeline.defects.first_register", "false", "true"},
    {"pipeline.defects.lowest_collector", "false", "true"},
    {"pipeline.defects.stuck_kind", "false", "true"},
    {"pipeline.defects.long_marks", "false", "true"},
    {"pipeline.defects.one_barrier", "false", "true"},
    {"pipeline.defects.fences", "false", "true"},
    {"pipeline.launch_latency", "0", "0", "13", "700"},
    {"pipeline.fetches", "0", "1", "2", "4", "9"},
    {"pipeline.collectors", "0", "1", "2", "5", "16"},
    {"pipeline.register_banks", "0", "1", "2", "3", "16"},
    {"pipeline.reuse_cache", "0", "1", "1", "1", "0"},
    {"pipeline.register_steps", "1", "2", "3"},
    {"pipeline.result_buses", "0", "1", "2", "8"},
    {"pipeline.shared_latency", "1", "2", "30"},
    {"l1.latency", "1", "2", "32"},
    {"l1.banks", "1", "3", "4"},
    {"l1", "staged", "staged", "staged", "none"},
    {"l1.sets", "1", "4", "64"},
    {"l1.unified", "0", "96K", "128K"},
    {"l1.shared_sizes", "0,64K", "0,8K,16K,32K,64K", "8K,48K,64K"},
    {"l1.mshrs", "1", "2", "256"},
    {"l1.merges", "1", "2", "32"},
    {"l1.misses", "2", "3", "16"},
    {"l1.dirty", "0", "25", "100"},
    {"pipeline.replies", "1", "2"},
    {"pipeline.ejection", "1", "2", "32"},
    {"pipeline.crossbar_buffer", "1", "2", "512"},
    {"l2", "staged", "staged", "staged", "none"},
    {"l2.size", "192K", "384K", "1536K", "3M"},
    {"l2.mshrs", "1", "2", "192"},
    {"l2.merges", "1", "2", "4"},
    {"l2.misses", "2", "3", "32"},
    {"l2.latency", "0", "1", "194"},
    {"l2.queue", "8", "9", "64"},
    {"warm_l2", "true", "false"},
    {"clock_mhz", "1365", "1000", "3500.5"},
    {"interconnect", "crossbar", "crossbar", "direct"},
    {"dram", "staged", "staged", "staged", "ideal"},
    {"dram.clock_mhz", "3500.5", "1000", "1365"},
    {"l2.clock_mhz", "0", "0", "700", "2000"},
    {"interconnect.clock_mhz", "0", "0", "500", "1000", "3000"},
    {"dram.scheduler", "fr-fcfs", "fcfs"},
    {"dram.latency", "0", "1", "96"},
    {"dram.queue", "1", "2", "64"},
    {"dram.returns", "1", "2", "192"},
    {"dram.groups", "1", "4", "16"},
    {"dram.t_ccd", "0", "1", "4"},
    {"dram.t_ccdl", "0", "6"},
    {"dram.t_rcd", "0", "1", "24"},
    {"dram.t_rp", "0", "24"},
    {"dram.t_rc", "0", "78", "300"},
    {"dram.t_cl", "1", "24"},
    {"dram.t_wl", "1", "1", "8"},
    {"dram.t_burst", "1", "4"},
};
#define CHOICES (sizeof choices / sizeof *choices)

/* Whether the key is one of a part that is not there. */
static bool is_of_none(const char *key, const struct machine_setting *settings, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const char *value = settings[i].value;
        size_t n = strlen(settings[i].key);
        if ((!strcmp(value, "none") || !strcmp(value, "ideal") || !strcmp(value, "direct")) &&
            !strncmp(key, settings[i].key, n) && key[n] == '.')
            return true;
    }
    return false;
}

/* Of device memory, and slices of L2 at them: each two go together. */
static const char *const channels[][2] = {{"1", "1"}, {"1", "2"},   {"2", "2"},  {"2", "4"},
                                          {"3", "6"}, {"12", "12"}, {"12", "24"}};

struct machine *random_staged_machine(uint64_t seed)
{
    struct machine_setting settings[CHOICES + 3];
    struct rp_error err;
    size_t count = 0;
    for (size_t i = 0; i < CHOICES; i++) {
        size_t values = 0;
        while (values < VALUES && choices[i][values + 1])
            values++;
        const char *key = choices[i][0], *value = choices[i][1 + synthetic_random(&seed) % values];
        if (synthetic_random(&seed) % 2 && !is_of_none(key, settings, count))
            settings[count++] = (struct machine_setting){.key = key, .value = value};
        if (!strcmp(key, "l2") && count && !strcmp(settings[count - 1].key, "l2") && !strcmp(value, "none"))
            settings[count++] = (struct machine_setting){.key = "warm_l2", .value = "false"};
    }
    const char *const *pair = channels[synthetic_random(&seed) % (sizeof channels / sizeof *channels)];
    settings[count++] = (struct machine_setting){.key = "dram.channels", .value = pair[0]};
    settings[count++] = (struct machine_setting){.key = "l2.slices", .value = pair[1]};
    settings[count++] = (struct machine_setting){"scheduler", scheduler_name(synthetic_random(&seed), true)};
    return machine_open(
        &(struct machine_request){.name = "rtx2060-accelsim", .settings = settings, .setting_count = count}, &err);
}

struct outcome {
    struct replay_result result;
    struct profile *profile;
};

static void replay_with(struct rp_trace *trace, const struct machine *m, enum replay_engine engine, uint64_t seed,
                        struct outcome *out)
{
    struct rp_error err;
    out->profile = profile_new(trace, m, &err);
    cr_assert(out->profile, "%s", err.text);
    struct replay_options options = {.engine = engine, .launch = -1, .observer = &out->profile->observer};
    cr_assert(replay(trace, m, &options, &out->result, &err), "seed %llu, machine:\n%s\n%s", (unsigned long long)seed,
              m->text, err.text);
}

/* Every sub-core cycle is an issue, a stall or idle, also by instruction and by sub-core. */
static void check_cycles(const struct machine *m, const struct outcome *o)
{
    const struct statistics *s = &o->result.total;
    uint64_t busy = s->issue_cycles, by_instruction = 0, by_subcore = 0;
    for (unsigned i = 0; i < STALL_COUNT; i++)
        busy += s->stall[i];
    cr_assert_eq(busy + s->idle_cycles, s->cycles * (uint64_t)(m->sms * m->subcores));
    for (uint32_t k = 0; k < o->profile->kernel_count; k++)
        for (uint32_t i = 0; i <= o->profile->kernels[k].count; i++)
            by_instruction += profile_row_cycles(&o->profile->kernels[k].rows[i]);
    for (uint32_t i = 0; i < o->profile->subcore_count; i++)
        by_subcore += profile_row_cycles(&o->profile->subcores[i]);
    cr_assert_eq(by_instruction, busy);
    cr_assert_eq(by_subcore, busy);
}

static void check_same_rows(const struct profile *a, const struct profile *b, uint64_t seed)
{
    for (uint32_t k = 0; k < a->kernel_count; k++)
        cr_assert(
            !memcmp(a->kernels[k].rows, b->kernels[k].rows, (a->kernels[k].count + 1) * sizeof(struct profile_row)),
            "seed %llu: rows of instructions differ", (unsigned long long)seed);
    cr_assert(!memcmp(a->subcores, b->subcores, a->subcore_count * sizeof(struct profile_row)),
              "seed %llu: rows of sub-cores differ", (unsigned long long)seed);
}

/* Both have the same counts for each channel, and their sums are statistics. What was sent to a channel has been read
 * or written, but for what waits in its queue when the last launch ends. */
static void check_channels(const struct machine *m, const struct replay_result *a, const struct replay_result *b)
{
    size_t count = replay_channel_counters(m);
    uint64_t sums[MODEL_MOST_COUNTERS] = {0};
    const struct memory_counts *total = &a->total.memory;
    cr_assert(!count || !memcmp(a->channels, b->channels, count * sizeof *a->channels));
    for (size_t i = 0; i < count; i++)
        sums[i % m->dram.model->counter_count] += a->channels[i];
    cr_assert_arr_eq(sums, total->dram_counters, sizeof sums);
    uint64_t sectors = sums[DRAM_READS] + sums[DRAM_WRITES];
    cr_assert(sectors <= total->dram.accesses && sums[DRAM_WRITES] <= total->dram.writes);
    cr_assert(!count || !total->dram.accesses || sectors);
    cr_assert(sums[DRAM_ROW_HITS] <= sectors && sums[DRAM_ROW_HITS] + sums[DRAM_ACTIVATES] >= sectors);
    cr_assert_leq(sums[DRAM_PRECHARGES], sums[DRAM_ACTIVATES]);
}

static void compare(const char *path, const struct machine *m, uint64_t seed)
{
    struct rp_error err;
    struct rp_trace *trace = rp_trace_open(path, &err);
    cr_assert(trace, "%s", err.text);
    struct outcome fast = {0}, reference = {0};
    replay_with(trace, m, REPLAY_FAST, seed, &fast);
    replay_with(trace, m, REPLAY_REFERENCE, seed, &reference);
    cr_assert_eq(fast.result.count, reference.result.count);
    for (uint32_t i = 0; i < fast.result.count; i++) {
        const struct statistics *s = &fast.result.launches[i].statistics;
        const char *why = statistics_difference(m, s, &reference.result.launches[i].statistics);
        cr_assert_null(why, "seed %llu, machine:\n%s\nlaunch %u: fast and reference differ: %s",
                       (unsigned long long)seed, m->text, i, why);
        struct rp_launch_totals totals = rp_trace_launch_totals(trace, i);
        cr_assert_eq(s->warp_instructions, totals.warp_instructions);
        cr_assert_eq(s->blocks, totals.blocks);
    }
    check_cycles(m, &fast);
    check_same_rows(fast.profile, reference.profile, seed);
    check_channels(m, &fast.result, &reference.result);
    profile_free(fast.profile);
    profile_free(reference.profile);
    replay_result_free(&fast.result);
    replay_result_free(&reference.result);
    rp_trace_close(trace);
}

/* Random launches that a machine stepped cycle by cycle replays in some milliseconds. */
static struct synthetic_options short_options(uint64_t seed)
{
    struct synthetic_options options = synthetic_random_options(seed);
    options.threads = options.threads > 150 ? 150 : options.threads;
    options.blocks = options.blocks > 5 ? 5 : options.blocks;
    options.iterations = options.iterations > 2 ? 2 : options.iterations;
    options.phase_length = options.phase_length > 10 ? 10 : options.phase_length;
    return options;
}

static void compare_seeds(uint64_t first, uint64_t count)
{
    char path[] = "/tmp/reprise-staged-XXXXXX";
    cr_assert_geq(mkstemp(path), 0);
    struct rp_error err;
    uint64_t compared = 0;
    for (uint64_t seed = first; seed < first + count; seed++) {
        struct synthetic_options options = short_options(seed);
        struct machine *m = random_staged_machine(seed * 7919);
        if (!m)
            continue;
        cr_assert(synthetic_trace_write(path, &options, &err), "%s", err.text);
        compare(path, m, seed);
        machine_free(m);
        compared++;
    }
    unlink(path);
    cr_assert_gt(compared, count / 2);
}

#define SEEDS 25
Test(staged, random_traces_0) { compare_seeds(0 * SEEDS, SEEDS); }
Test(staged, random_traces_1) { compare_seeds(1 * SEEDS, SEEDS); }
Test(staged, random_traces_2) { compare_seeds(2 * SEEDS, SEEDS); }
Test(staged, random_traces_3) { compare_seeds(3 * SEEDS, SEEDS); }

/* A launch begins while device memory still works for the one before: its blocks come in the same cycle whether all
 * else sleeps or not. */
Test(staged, a_launch_begins_while_the_chip_sleeps)
{
    char path[] = "/tmp/reprise-staged-XXXXXX", latency[32];
    cr_assert_geq(mkstemp(path), 0);
    struct rp_error err;
    const struct synthetic_options options = short_options(34);
    cr_assert(synthetic_trace_write(path, &options, &err), "%s", err.text);
    const char *settings[] = {"l2.slices=6", "dram.channels=3", "dram.clock_mhz=1365", "dram.t_rc=300", latency, NULL};
    for (unsigned cycles = 600; cycles < 720; cycles++) {
        snprintf(latency, sizeof latency, "pipeline.launch_latency=%u", cycles);
        struct machine *m = test_machine("rtx2060-accelsim", NULL, settings);
        compare(path, m, cycles);
        machine_free(m);
    }
    unlink(path);
}

/* ---- parts that are ideal, and what Accel-Sim does otherwise, on cases worked out by hand ------------------------ */

#define MOST 400
static struct statistics run_warps(const struct warp_program *warps, uint32_t count, const char *const *settings)
{
    struct machine *m = test_machine("rtx2060-accelsim", NULL, settings);
    struct rp_trace *t = trace_of(warps, count);
    struct statistics s = both_engines(t, m);
    rp_trace_close(t);
    machine_free(m);
    return s;
}
#define SET(...) ((const char *const[]){"sms=1", "pipeline.launch_latency=0", __VA_ARGS__, NULL})

/* A warp with `count` times these two instructions, in turns. */
static uint64_t cycles_of(struct warp_op a, struct warp_op b, uint32_t count, const char *const *settings)
{
    struct warp_op ops[MOST];
    for (uint32_t i = 0; i < count; i++)
        ops[i] = i % 2 ? b : a;
    return run_warps(&(struct warp_program){ops, count}, 1, settings).cycles;
}

static uint64_t distance(struct warp_op a, struct warp_op b, const char *const *settings)
{
    return (cycles_of(a, b, MOST, settings) - cycles_of(a, b, MOST / 2, settings)) / (MOST / 2);
}

/* initiation + latency + 4 cycles, and one more for an operand to be read */
Test(staged, collectors_and_banks_cost_a_cycle)
{
    struct warp_op chain = OP(FP32, 1, 1, NO);
    cr_assert_eq(distance(chain, chain, SET("pipeline.collectors=2")), 7);
    cr_assert_eq(distance(chain, chain, SET("pipeline.register_banks=0")), 6);
    cr_assert_eq(distance(chain, chain, SET("pipeline.collectors=0")), 6);
}

/* One bank, read once a cycle: as many cycles as the instruction has sources that are not kept from the one before. */
Test(staged, what_is_marked_reuse_is_read_once)
{
#define ONE_BANK                                                                                                       \
    "pipeline.collectors=1", "pipeline.register_banks=1", "pipeline.register_steps=1", "classes.fp32.initiation=1",    \
        "issue.width=1"
    enum { KEEP_A = 1 << 17, KEEP_B = 2 << 17, A_B = 0x21, B_A = 0x12 };
    struct warp_op op = OP(FP32, NO, 4, 8), marked = op, crossed = op, other = OP(FP32, NO, 5, 9);
    op.slots = marked.slots = other.slots = A_B;
    crossed.slots = B_A;
    uint64_t two = distance(op, op, SET(ONE_BANK, "pipeline.reuse_cache=1"));
    marked.control = KEEP_A;
    cr_expect_eq(distance(marked, marked, SET(ONE_BANK, "pipeline.reuse_cache=1")), two - 1, "one is kept");
    cr_expect_eq(distance(marked, marked, SET(ONE_BANK)), two, "without the cache none is");
    marked.control = KEEP_A | KEEP_B;
    cr_expect_eq(distance(marked, marked, SET(ONE_BANK, "pipeline.reuse_cache=1")), two - 2, "both are kept");
    cr_expect_eq(distance(marked, other, SET(ONE_BANK, "pipeline.reuse_cache=1")), two, "other registers");
    cr_expect_eq(distance(marked, crossed, SET(ONE_BANK, "pipeline.reuse_cache=1")), two, "other slots");
    const struct warp_op ops[] = {marked, marked, marked, marked};
    const struct warp_program warps[] = {{ops, 4}, {ops, 4}};
    const char *const settings[] = {ONE_BANK,
                                    "pipeline.reuse_cache=1",
                                    "scheduler=lrr",
                                    "sms=1",
                                    "subcores=1",
                                    "l1.subcores=1",
                                    "pipeline.launch_latency=0",
                                    NULL},
                      *const without[] = {ONE_BANK,     "scheduler=lrr", "sms=1",
                                          "subcores=1", "l1.subcores=1", "pipeline.launch_latency=0",
                                          NULL};
    cr_expect_eq(run_warps(warps, 2, settings).cycles, run_warps(warps, 2, without).cycles,
                 "warps in turns keep nothing for one another, nor for themselves");
}

/* Straight code that does not come again: a line of 128 bytes is 16 instructions, of which the first misses. */
Test(staged, instruction_cache)
{
    struct warp_op first = OP(FP32, NO, NO, NO), second = OP(INT, NO, NO, NO);
    uint64_t perfect = cycles_of(first, second, MOST, SET("icache=perfect")),
             missing = cycles_of(first, second, MOST, SET("icache=set-associative", "icache.latency=100"));
    cr_assert_geq(missing - perfect, (MOST / 16) * 90);
    cr_assert_leq(missing - perfect, (MOST / 16 + 1) * 100);
}

/* Two units that take an instruction in each cycle. */
Test(staged, two_instructions_in_a_cycle)
{
    struct warp_op first = OP(FP32, NO, NO, NO), second = OP(INT, NO, NO, NO);
#define QUICK "classes.fp32.initiation=1", "classes.int.initiation=1"
    uint64_t one = cycles_of(first, second, MOST, SET(QUICK, "issue.width=1")),
             two = cycles_of(first, second, MOST, SET(QUICK, "issue.width=2")),
             same = cycles_of(first, first, MOST, SET(QUICK, "issue.width=2"));
    cr_assert_eq(one - two, MOST / 2);
    cr_assert_eq(same, one, "the second must go to another unit");
}

/* Without a bus, two units may end in one cycle; with one, they take turns. */
Test(staged, one_result_bus)
{
    struct warp_op first = OP(FP32, NO, NO, NO), second = OP(INT, NO, NO, NO);
    uint64_t none = cycles_of(first, second, MOST, SET(QUICK, "issue.width=2", "pipeline.result_buses=0")),
             one = cycles_of(first, second, MOST, SET(QUICK, "issue.width=2", "pipeline.result_buses=1"));
    cr_assert_geq(one - none, MOST / 2 - 10);
}

/* Two warps meet at a barrier of 64 threads; a third has a long chain and does not come. */
Test(staged, barriers_by_number)
{
    struct warp_op meet = {
        .unit_class = RP_CLASS_BARRIER, .destination = NO, .source = {NO, NO, NO}, .id = 1, .count = 64};
    struct warp_op chain[MOST];
    for (uint32_t i = 0; i < MOST; i++)
        chain[i] = (struct warp_op)OP(FP32, 1, 1, NO);
    const struct warp_op met[] = {meet, OP(FP32, 1, 1, NO)};
    const struct warp_program warps[] = {{met, 2}, {met, 2}, {chain, MOST}};
    cr_assert_lt(run_warps(warps, 3, SET("pipeline.defects.one_barrier=false")).stall[STALL_BARRIER], 20);
    cr_assert_gt(run_warps(warps, 3, SET("pipeline.defects.one_barrier=true")).stall[STALL_BARRIER], 2 * MOST);
}

/* A store, a fence, and a chain: which waits for the store's way to L2 and back (237 cycles from its issue), or not. */
Test(staged, fences_wait_for_stores)
{
    struct warp_op ops[100] = {
        ACCESS(GLOBAL, true, NO, 4, WARP_TRACE_OUTPUT),
        {.unit_class = RP_CLASS_FENCE, .destination = NO, .source = {NO, NO, NO}, .scope = RP_SCOPE_GPU}};
    for (uint32_t i = 2; i < 100; i++)
        ops[i] = (struct warp_op)OP(FP32, 1, 1, NO);
    const struct warp_program warp = {ops, 100};
    uint64_t waits = run_warps(&warp, 1, SET("pipeline.defects.fences=false")).cycles,
             without = run_warps(&warp, 1, SET("pipeline.defects.fences=true")).cycles;
    cr_assert_geq(waits - without, 230);
    cr_assert_leq(waits - without, 245);
    ops[1].scope = RP_SCOPE_CTA;
    cr_assert_eq(run_warps(&warp, 1, SET("pipeline.defects.fences=false")).cycles, without);
}

/* 32 warps that go round four lines each, in an L1 of 64 lines, half of what all need at once. */
Test(staged, ccws_keeps_lines_for_warps_that_come_back)
{
    static struct warp_op ops[32][80];
    struct warp_program warps[32];
    for (uint32_t w = 0; w < 32; w++) {
        for (uint32_t i = 0; i < 80; i++)
            ops[w][i] = i % 2 ? (struct warp_op)OP(FP32, 1, 1, NO)
                              : (struct warp_op)ACCESS(GLOBAL, false, 1, 4, (w * 4 + i / 2 % 4) * 128);
        warps[w] = (struct warp_program){ops[w], 80};
    }
#define SMALL_L1 "l1.unified=0", "l1.shared_sizes=0", "l1.size=8K"
    uint64_t greedy = run_warps(warps, 32, SET(SMALL_L1, "scheduler=gto")).memory.l1.misses,
             calm = run_warps(warps, 32, SET(SMALL_L1, "scheduler=ccws", "scheduler.throttle=0")).memory.l1.misses,
             conscious = run_warps(warps, 32, SET(SMALL_L1, "scheduler=ccws")).memory.l1.misses;
    cr_assert_eq(calm, greedy, "without throttle nobody is held");
    cr_assert_lt(2 * conscious, greedy, "%d of %d", (int)conscious, (int)greedy);
    cr_assert_geq(conscious, 32 * 4 * 4, "each sector comes once");
}
