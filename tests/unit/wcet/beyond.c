/* What goes beyond the paper's assumptions, by hand. Soundness at large is sound.c's matter. */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tests/unit/wcet/common.h"
#include "tools/wcet/attack.h"

static const struct warp_op four[] = {
    OP(INT, 0, NO, NO, NO),
    OP(INT, 1, NO, NO, NO),
    OP(INT, 2, NO, NO, NO),
    OP(INT, 3, NO, NO, NO),
};
static const struct warp_program four_integers[] = {{four, 4}};

static void expect_of(const struct warp_program *p, uint32_t warps, const struct machine_setting *settings,
                      size_t count, uint64_t bound, uint64_t cycles)
{
    struct rp_trace *t = trace_of(p, warps);
    struct machine *m = orin(settings, count);
    struct wcet_bounds b = bounds_of(t, m, ALL_EXTENSIONS);
    cr_expect_eq(b.unit_bound, bound, "bound %llu, not %llu", (unsigned long long)b.unit_bound,
                 (unsigned long long)bound);
    cr_expect_eq(replayed(t, m, REPLAY_REFERENCE), cycles);
    wcet_bounds_free(&b);
    machine_free(m);
    rp_trace_close(t);
}

/* Bound and replay of one warp. */
static void expect(const struct warp_program *p, const struct machine_setting *settings, size_t count, uint64_t bound,
                   uint64_t cycles)
{
    expect_of(p, 1, settings, count, bound, cycles);
}

/* Instructions of 8 bytes, two on a line. Fetches that miss: at 0 and, with the third instruction, at 11. So issues are
 * at 10, 11, 21, 22; the last is dispatched at 23 (initiation 2) and written 6 cycles later. */
Test(beyond, lines_that_stay_are_fetched_once)
{
    const struct machine_setting settings[] = {
        {"icache", "set-associative"}, {"icache.line", "16"},    {"icache.sets", "1"},
        {"icache.ways", "4"},          {"icache.latency", "10"},
    };
    expect(four_integers, settings, MODEL_COUNT_OF(settings), 29, 29);
}

/* With one way, another warp might replace a line at any time, so each fetch is charged: issues at 10, 20, 30, 40. */
Test(beyond, lines_that_may_go_are_fetched_every_time)
{
    const struct machine_setting settings[] = {
        {"icache", "set-associative"}, {"icache.line", "16"},    {"icache.sets", "1"},
        {"icache.ways", "1"},          {"icache.latency", "10"},
    };
    expect(four_integers, settings, MODEL_COUNT_OF(settings), 46, 29);
}

static const struct warp_op twice[] = {
    {.unit_class = RP_CLASS_MEMORY, .space = RP_SPACE_GLOBAL, .destination = 0, .source = {NO, NO, NO}, .stride = 4},
    {.unit_class = RP_CLASS_MEMORY, .space = RP_SPACE_GLOBAL, .destination = 1, .source = {0, NO, NO}, .stride = 4},
};
static const struct warp_program loads[] = {{twice, 2}};

/* The first load misses, and is charged 1 + 5 + 50 and, as ports may be kept by others between any two levels, 1 + 2 of
 * intervals; the second is a hit: 1 of initiation, 1 of L1's interval and 5. In replay, 56 and 1 + 5 from there. */
Test(beyond, ports_of_caches_are_charged_one_after_the_other)
{
    const struct machine_setting settings[] = {
        {"l1", "direct-mapped"},
        {"l1.latency", "5"},
        {"l1.interval", "1"},
        {"l1.write", "through"},
        {"dram", "fixed"},
        {"dram.latency", "50"},
        {"dram.interval", "2"},
        {"spaces.global.latency", "0"},
        {"spaces.global.initiation", "1"},
    };
    expect(loads, settings, MODEL_COUNT_OF(settings), 59 + 7, 62);
}

/* Two instructions for two units at 0, written at 4 + 2 and 4 + 1; alone, one per cycle is charged. */
static const struct warp_op pair[] = {OP(FP32, 0, NO, NO, NO), OP(INT, 1, NO, NO, NO)};
static const struct warp_program pairs[] = {{pair, 2}};

Test(beyond, two_at_once_take_no_longer_than_one_after_the_other)
{
    const struct machine_setting two[] = {{"issue.width", "2"}}, one[] = {{"issue.width", "1"}};
    expect(pairs, two, 1, 7, 6);
    expect(pairs, one, 1, 7, 7);
}

#define BAR                                                                                                            \
    {                                                                                                                  \
        .unit_class = RP_CLASS_BARRIER, .destination = NO, .source = { NO, NO, NO }                                    \
    }
#define TO_SHARED(s)                                                                                                   \
    {                                                                                                                  \
        .unit_class = RP_CLASS_MEMORY, .space = RP_SPACE_SHARED, .store = true, .destination = NO,                     \
        .source = {NO, NO, NO}, .stride = (s)                                                                          \
    }
static const struct warp_op late[] = {BAR, TO_SHARED(4)}, early[] = {TO_SHARED(128), BAR};
static const struct warp_program left_over[] = {{late, 2}, {early, 2}};

/* All lanes of the second warp go to one bank: 32 transactions keep the port for 32 * 64 cycles, though the access
 * takes 22 + 1 + 2 * 31 only. It issues at 1, the barrier opens at 3, and the first warp's access starts at 1 + 2048
 * and takes 23 cycles. The bound: 2048 and the other warp's barrier in the first section, 23 in the second. */
Test(beyond, what_keeps_a_port_over_a_barrier_is_in_the_bound)
{
    const struct machine_setting settings[] = {
        {"shared", "pastis"}, {"shared.interval", "64"}, {"spaces.shared.latency", "0"}};
    expect_of(left_over, 2, settings, MODEL_COUNT_OF(settings), 2048 + 1 + 23, 2049 + 23);
}

/* Six and one integer operation before the barrier on sub-core 0, one and six after it on the other. Issue slots and
 * what the unit has still to do then: 7 + 5 of warp 0, then 6 + 6 of warp 1, and 4 of latency. In replay the barrier
 * issues at 6, and warp 1 from 7 on, the last at 12: dispatched at 17. */
static const struct warp_op before[] = {
    OP(INT, 0, NO, NO, NO),
    OP(INT, 1, NO, NO, NO),
    OP(INT, 2, NO, NO, NO),
    OP(INT, 3, NO, NO, NO),
    OP(INT, 4, NO, NO, NO),
    OP(INT, 5, NO, NO, NO),
    BAR,
    OP(INT, 6, NO, NO, NO),
};
static const struct warp_op after[] = {
    OP(INT, 0, NO, NO, NO), BAR,
    OP(INT, 1, NO, NO, NO), OP(INT, 2, NO, NO, NO),
    OP(INT, 3, NO, NO, NO), OP(INT, 4, NO, NO, NO),
    OP(INT, 5, NO, NO, NO), OP(INT, 6, NO, NO, NO),
};
static const struct warp_program in_turn[] = {{before, 8}, {after, 8}};

Test(beyond, a_chain_goes_on_at_another_sub_core)
{
    const struct machine_setting settings[] = {{"subcores", "2"}};
    expect_of(in_turn, 2, settings, MODEL_COUNT_OF(settings), 12 + 12 + 4, 7 + 12 + 4);
}

/* Requests of different initiations on two sub-cores. The copy of warp 0 issues first and comes to device memory at 50,
 * the load of warp 1 issues in the same cycle and comes there at 1, but is served after the copy, at 52: nobody keeps
 * anything that it waits for until then. */
static const struct warp_op slow_copy[] = {
    {.unit_class = RP_CLASS_ASYNC, .space = RP_SPACE_GLOBAL, .destination = NO, .source = {NO, NO, NO}, .stride = 4}};
static const struct warp_program overtaken[] = {{slow_copy, 1}, {twice, 2}};

static bool covered(const struct warp_program *p, const struct machine_setting *settings, size_t count,
                    struct rp_error *err)
{
    struct rp_trace *t = trace_of(p, 2);
    struct machine *m = orin(settings, count);
    struct wcet_bounds b;
    bool fine = wcet_analyse(t, 0, m, ALL_EXTENSIONS, NULL, &b, err);
    if (fine) {
        uint64_t cycles = replayed(t, m, REPLAY_REFERENCE);
        cr_expect_leq(cycles, b.unit_bound, "%llu cycles, bound %llu", (unsigned long long)cycles,
                      (unsigned long long)b.unit_bound);
        wcet_bounds_free(&b);
    }
    machine_free(m);
    rp_trace_close(t);
    return fine;
}

static void copy_beside_loads(const char *initiation, const char *why)
{
    const struct machine_setting settings[] = {{"subcores", "2"},
                                               {"units.global.queue", "0"},
                                               {"classes.async.initiation", initiation},
                                               {"dram", "fixed"},
                                               {"dram.interval", "2"}};
    struct rp_error err = {0};
    cr_expect_eq(covered(overtaken, settings, MODEL_COUNT_OF(settings), &err), !why, "%s", err.text);
    cr_expect(!why || strstr(err.text, why), "%s", err.text);
}

Test(beyond, a_copy_that_comes_to_memory_in_time) { copy_beside_loads("1", NULL); }
Test(beyond, a_copy_that_is_overtaken_is_refused) { copy_beside_loads("50", "later or earlier than others"); }

/* A fence for the block does not wait for a store's end: that is not covered, unless the machine has it wait, or the
 * store goes to shared memory, for whose end it waits. */
static void fence_behind_store(enum rp_space space, const char *fences, const char *why)
{
    const struct warp_op ops[] = {
        {.unit_class = RP_CLASS_MEMORY,
         .space = space,
         .store = true,
         .destination = NO,
         .source = {NO, NO, NO},
         .stride = 4},
        {.unit_class = RP_CLASS_FENCE, .scope = RP_SCOPE_CTA, .destination = NO, .source = {NO, NO, NO}},
    };
    const struct warp_program program[] = {{ops, 2}, {twice, 2}};
    const struct machine_setting settings[] = {{"fences", fences}, {"dram", "fixed"}};
    struct rp_error err = {0};
    cr_expect_eq(covered(program, settings, MODEL_COUNT_OF(settings), &err), !why, "%s", err.text);
    cr_expect(!why || strstr(err.text, why), "%s", err.text);
}

Test(beyond, a_fence_for_the_block_behind_a_store_is_refused)
{
    fence_behind_store(RP_SPACE_GLOBAL, "scope", "--set fences=all");
}
Test(beyond, a_fence_for_the_block_that_waits_for_all) { fence_behind_store(RP_SPACE_GLOBAL, "all", NULL); }
Test(beyond, a_fence_for_the_block_behind_shared_memory) { fence_behind_store(RP_SPACE_SHARED, "scope", NULL); }

/* The same within one sub-core: a unit that is never busy lets both go at once. */
static const struct warp_op slow_access[] = {
    {.unit_class = RP_CLASS_MEMORY, .space = RP_SPACE_SURFACE, .destination = NO, .source = {NO, NO, NO}, .stride = 4}};
static const struct warp_program overtaken_at_once[] = {{slow_access, 1}, {twice, 2}};

static void access_beside_loads(const char *unit, const char *why)
{
    const struct machine_setting settings[] = {
        {"units.global", unit}, {"spaces.surface.initiation", "50"}, {"dram", "fixed"}, {"dram.interval", "2"}};
    struct rp_error err = {0};
    cr_expect_eq(covered(overtaken_at_once, settings, MODEL_COUNT_OF(settings), &err), !why, "%s", err.text);
    cr_expect(!why || strstr(err.text, why), "%s", err.text);
}

Test(beyond, a_busy_unit_keeps_accesses_in_order) { access_beside_loads("pipelined", NULL); }
Test(beyond, an_ideal_unit_lets_accesses_overtake) { access_beside_loads("ideal", "may overtake one another"); }

/* Blocks of one warp of four integer operations, one on an SM at a time: each takes 8 cycles of the unit and 4 of
 * latency. Bound (a) of Theorem 4 charges the first SM with all blocks but the other SMs' first; bound (b) with its
 * share of all, and of what the others may do while the last block runs. */
static void expect_blocks(uint32_t blocks, const char *sms, uint64_t cycles)
{
    const struct machine_setting settings[] = {{"sms", sms}, {"limits.blocks", "1"}};
    struct rp_trace *t = trace_of_blocks(four_integers, 1, blocks);
    struct machine *m = orin(settings, MODEL_COUNT_OF(settings));
    struct wcet_bounds b = bounds_of(t, m, ALL_EXTENSIONS);
    cr_expect_eq(b.unit_bound, cycles, "%u blocks on %s SMs: %llu", blocks, sms, (unsigned long long)b.unit_bound);
    cr_expect_eq(replayed(t, m, REPLAY_REFERENCE), cycles);
    wcet_bounds_free(&b);
    machine_free(m);
    rp_trace_close(t);
}

Test(beyond, blocks_on_one_sm) { expect_blocks(3, "1", 3 * 12); }
Test(beyond, a_last_block_may_come_to_any_sm) { expect_blocks(3, "2", 2 * 12); }
Test(beyond, while_blocks_wait_every_sm_is_full) { expect_blocks(9, "2", 5 * 12); }
Test(beyond, as_many_blocks_as_sms) { expect_blocks(3, "3", 12); }

Test(beyond, a_launch_that_is_not_covered_is_named)
{
    struct rp_error err = {0};
    char path[] = "/tmp/reprise-wcet-XXXXXX";
    int fd = mkstemp(path);
    cr_assert_geq(fd, 0);
    close(fd);
    struct warp_trace *w = warp_trace_begin(path, &err);
    cr_assert(w && warp_trace_end(w,
                                  warp_trace_launch(w, four_integers, 1, 1, &err) &&
                                      warp_trace_launch(w, four_integers, 1, 2, &err),
                                  &err));
    struct rp_trace *t = rp_trace_open(path, &err);
    unlink(path);
    struct machine *m = orin(NULL, 0);
    struct wcet_bounds b;
    cr_assert(t && wcet_analyse(t, 0, m, 0, NULL, &b, &err), "%s", err.text);
    wcet_bounds_free(&b);
    cr_expect(!wcet_analyse(t, 1, m, 0, NULL, &b, &err));
    cr_expect(strstr(err.text, "launch 1: ") && strstr(err.text, "several blocks"), "%s", err.text);
    machine_free(m);
    rp_trace_close(t);
}

Test(beyond, a_replay_beyond_its_bound_is_an_error)
{
    char lrr[] = "lrr";
    struct wcet_launch launch = {.bounds = {.launch = 7, .unit_bound = 100}, .cycles = {100}};
    struct wcet_result r = {.launches = &launch, .count = 1, .policies = {.names = {lrr}, .count = 1}};
    struct wcet_attack attack = {.longest = 100, .schedule = "scheduler=levels"};
    struct rp_error err;
    cr_expect(wcet_holds(&r, NULL, &err));
    cr_expect(wcet_holds(&r, &attack, &err));
    attack.longest = 102;
    cr_expect(!wcet_holds(&r, &attack, &err));
    cr_expect(strstr(err.text, "launch 7 took 102 cycles under scheduler=levels"), "%s", err.text);
    launch.cycles[0] = 101;
    cr_expect(!wcet_holds(&r, NULL, &err));
    cr_expect(strstr(err.text, "launch 7 took 101 cycles under lrr"), "%s", err.text);
    launch.bounds.exact = 103; /* the theorems said 100 */
    cr_expect(!wcet_holds(&r, NULL, &err));
    cr_expect(strstr(err.text, "launch 7 takes 103 cycles under the worst of all schedules"), "%s", err.text);
}
