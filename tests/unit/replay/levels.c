/* Which level answered what a stall waited for: by hand, in both engines. */
#include <criterion/criterion.h>
#include <string.h>

#include "replay/base/profile.h"
#include "tests/unit/replay/common.h"

struct levels {
    uint64_t of[RESPONSE_LEVELS];
};

static struct levels levels_with(struct rp_trace *t, const struct machine *m, enum replay_engine engine)
{
    struct rp_error err;
    struct replay_result result;
    struct levels l = {{0}};
    struct profile *p = profile_new(t, m, &err);
    cr_assert(p, "%s", err.text);
    struct replay_options o = {.engine = engine, .threads = 1, .launch = -1, .observer = &p->observer};
    cr_assert(replay(t, m, &o, &result, &err), "%s", err.text);
    for (unsigned i = 0; i < RESPONSE_LEVELS; i++)
        for (uint32_t s = 0; s < p->subcore_count; s++)
            l.of[i] += p->subcores[s].level[i];
    replay_result_free(&result);
    profile_free(p);
    return l;
}

/* Of one warp on a machine whose L1 answers at once, L2 after 20 cycles, device memory after 250 cycles, and a load
 * takes 200 more. */
static struct levels levels_of(const struct warp_op *ops, uint32_t count, const char *l1, const char *dependencies)
{
    const char *const settings[] = {
        l1, "l2=direct-mapped", "dram=fixed", dependencies, "l2.latency=20", "dram.latency=250", NULL};
    struct machine *m = test_machine("orin-wcet", NULL, settings);
    struct rp_trace *t = trace_of(&(struct warp_program){ops, count}, 1);
    struct levels fast = levels_with(t, m, REPLAY_FAST), reference = levels_with(t, m, REPLAY_REFERENCE);
    cr_expect_arr_eq(&fast, &reference, sizeof fast);
    rp_trace_close(t);
    machine_free(m);
    return fast;
}

#define LOAD(d) ACCESS(GLOBAL, false, d, 4, 4096)

/* Loads the same bytes twice, each time waiting for them. */
static const struct warp_op twice[] = {LOAD(0), OP(INT, 1, 0, NO), LOAD(2), OP(INT, 3, 2, NO)};

Test(levels, a_load_is_answered_where_its_bytes_are)
{
    struct levels l2 = levels_of(twice, 4, "l1=none", "dependencies=scoreboard");
    cr_expect_eq(l2.of[RESPONSE_L1], 0);
    cr_expect_eq(l2.of[RESPONSE_DRAM], l2.of[RESPONSE_L2] + 250, "the first misses in L2, the second hits");
    struct levels l1 = levels_of(twice, 4, "l1=direct-mapped", "dependencies=scoreboard");
    cr_expect_eq(l1.of[RESPONSE_L2], 0);
    cr_expect_eq(l1.of[RESPONSE_L1], 200);
    cr_expect_eq(l2.of[RESPONSE_L2], 220);
    cr_expect_eq(l1.of[RESPONSE_DRAM], l2.of[RESPONSE_DRAM]);
}

/* The second load comes while the first is on its way. */
Test(levels, a_sector_on_its_way_is_answered_where_it_comes_from)
{
    static const struct warp_op ops[] = {LOAD(0), LOAD(2), OP(INT, 3, 2, NO)};
    struct levels l = levels_of(ops, 3, "l1=direct-mapped", "dependencies=scoreboard");
    cr_expect_eq(l.of[RESPONSE_L1] + l.of[RESPONSE_L2], 0);
    cr_expect_gt(l.of[RESPONSE_DRAM], 400);
}

/* Stall 2, write barrier 0; then waiting for that. */
#define SENDS (2u | 16 | 0 << 5 | 7 << 8)
#define WAITS (1u | 16 | 7 << 5 | 7 << 8 | 1 << 11)

Test(levels, control_words_tell_the_same)
{
    struct warp_op ops[4];
    for (unsigned i = 0; i < 4; i++) {
        ops[i] = twice[i];
        ops[i].control = i % 2 ? WAITS : SENDS;
    }
    struct levels by_words = levels_of(ops, 4, "l1=direct-mapped", "dependencies=control-words"),
                  by_registers = levels_of(twice, 4, "l1=direct-mapped", "dependencies=scoreboard");
    for (unsigned i = RESPONSE_L1; i < RESPONSE_LEVELS; i++)
        cr_expect_eq(by_words.of[i], by_registers.of[i], "level %u", i);
}

Test(levels, what_asks_no_cache_is_none_of_them)
{
    struct warp_op ops[] = {LOAD(0), OP(INT, 1, 0, NO)};
    ops[0].guarded_off = true;
    struct levels l = levels_of(ops, 2, "l1=direct-mapped", "dependencies=scoreboard");
    cr_expect_eq(l.of[RESPONSE_L1] + l.of[RESPONSE_L2] + l.of[RESPONSE_DRAM], 0);
}

static struct levels staged_levels(const struct warp_op *ops, uint32_t count)
{
    static const char *const settings[] = {"sms=1", NULL};
    struct machine *m = test_machine("rtx2060-accelsim", NULL, settings);
    struct rp_trace *t = trace_of(&(struct warp_program){ops, count}, 1);
    struct levels fast = levels_with(t, m, REPLAY_FAST), reference = levels_with(t, m, REPLAY_REFERENCE);
    cr_expect_arr_eq(&fast, &reference, sizeof fast);
    rp_trace_close(t);
    machine_free(m);
    return fast;
}

/* L1 takes l1_latency, 32 cycles, L2 l2_latency, 194 more, device memory dram_latency, 96 more at least; the rest is
 * queues and the crossbar. */
Test(levels, the_staged_pipeline_tells_who_answered)
{
    struct warp_op ops[4];
    memcpy(ops, twice, sizeof ops);
    struct levels l1 = staged_levels(ops, 4);
    ops[2].bypass_l1 = true;
    struct levels l2 = staged_levels(ops, 4);
    cr_expect_eq(l1.of[RESPONSE_L2] + l2.of[RESPONSE_L1] + l1.of[RESPONSE_NONE] + l2.of[RESPONSE_NONE], 0);
    cr_expect(l1.of[RESPONSE_L1] >= 30 && l1.of[RESPONSE_L1] < 60, "L1: %lu", l1.of[RESPONSE_L1]);
    cr_expect(l2.of[RESPONSE_L2] >= 194 && l2.of[RESPONSE_L2] < 280, "L2: %lu", l2.of[RESPONSE_L2]);
    cr_expect(l1.of[RESPONSE_DRAM] >= 322 && l1.of[RESPONSE_DRAM] < 600, "DRAM: %lu", l1.of[RESPONSE_DRAM]);
    cr_expect_eq(l1.of[RESPONSE_DRAM], l2.of[RESPONSE_DRAM]);
}

Test(levels, a_sector_on_its_way_in_the_staged_pipeline)
{
    static const struct warp_op ops[] = {LOAD(0), LOAD(2), OP(INT, 3, 2, NO)};
    struct levels l = staged_levels(ops, 3);
    cr_expect_eq(l.of[RESPONSE_NONE] + l.of[RESPONSE_L1] + l.of[RESPONSE_L2], 0);
    cr_expect_gt(l.of[RESPONSE_DRAM], 300);
}

/* Behind a load that device memory answers. */
Test(levels, a_staged_load_of_no_lane_asks_no_cache)
{
    struct warp_op ops[4];
    memcpy(ops, twice, sizeof ops);
    struct levels one = staged_levels(ops, 2);
    ops[2].guarded_off = true;
    struct levels l = staged_levels(ops, 4);
    cr_expect_eq(l.of[RESPONSE_DRAM], one.of[RESPONSE_DRAM]);
    cr_expect_eq(l.of[RESPONSE_L1] + l.of[RESPONSE_L2], 0);
    cr_expect_gt(l.of[RESPONSE_NONE], 0);
}
