/* Warps that come to barriers in parts: lanes with independent threads arrive in steps of their own. */
#include <criterion/criterion.h>
#include <string.h>

#include "common.h"
#include "tests/support/synthetic_trace.h"

static struct warp_op at_barrier(enum rp_barrier_kind kind, int id, int count, rp_lanemask lanes)
{
    return (struct warp_op){.unit_class = RP_CLASS_BARRIER,
                            .destination = NO,
                            .source = {NO, NO, NO},
                            .barrier = kind,
                            .id = id,
                            .count = count,
                            .lanes = lanes};
}

static struct warp_op work(rp_lanemask lanes)
{
    return (struct warp_op){.unit_class = RP_CLASS_FP32, .destination = 0, .source = {NO, NO, NO}, .lanes = lanes};
}

static struct warp_op leave(rp_lanemask lanes)
{
    return (struct warp_op){
        .unit_class = RP_CLASS_CONTROL, .destination = NO, .source = {NO, NO, NO}, .lanes = lanes, .exits = true};
}

/* Warp 1 has nothing but a barrier of 64 threads and an add of 6 cycles behind it. */
static uint64_t cycles_with(const struct warp_op *first, uint32_t count)
{
    const struct warp_op other[] = {at_barrier(RP_BARRIER_SYNC, 1, 64, ~0u), OP(INT, 0, NO, NO)};
    const struct warp_program warps[] = {{first, count}, {other, 2}};
    struct statistics s = run_block(warps, 2, NULL);
    return s.cycles;
}

enum { LOW = 0x0000ffff, HIGH = (int)0xffff0000u };
#define WHOLE at_barrier(RP_BARRIER_ARRIVE, 1, 64, ~0u)
#define LOWER at_barrier(RP_BARRIER_ARRIVE, 1, 64, LOW)
#define UPPER at_barrier(RP_BARRIER_ARRIVE, 1, 64, 0xffff0000u)

/* Five writes of a register of 6 cycles each lie between the arrivals of the two parts. */
Test(parts, a_warp_has_arrived_when_its_last_part_has)
{
    const struct warp_op late[] = {work(0), work(0), work(0), work(0), work(0), WHOLE};
    const struct warp_op soon[] = {WHOLE, work(0), work(0), work(0), work(0), work(0)};
    const struct warp_op parts[] = {LOWER, work(LOW), work(LOW), work(LOW), work(LOW), work(LOW), UPPER};
    const struct warp_op swapped[] = {UPPER, work(LOW), work(LOW), work(LOW), work(LOW), work(LOW), LOWER};
    uint64_t whole = cycles_with(late, 6);
    cr_expect_eq(cycles_with(parts, 7), whole + 1, "one instruction more");
    cr_expect_eq(cycles_with(swapped, 7), whole + 1);
    cr_expect_lt(cycles_with(soon, 6), whole);
}

Test(parts, lanes_that_exit_need_not_arrive)
{
    const struct warp_op before[] = {leave(LOW), work(0), work(0), UPPER};
    const struct warp_op whole[] = {work(0), work(0), work(0), WHOLE};
    const struct warp_op after[] = {UPPER, work(0), work(0), leave(LOW)};
    uint64_t all = cycles_with(whole, 4);
    cr_expect_geq(cycles_with(before, 4), all - 8);
    cr_expect_leq(cycles_with(before, 4), all);
    cr_expect_leq(cycles_with(after, 4), all);
    cr_expect_gt(cycles_with(after, 4), cycles_with(&whole[3], 1), "not before the others have left");
}

/* Those that wait stand one after the other: the warp waits at the last. */
Test(parts, a_warp_that_waits_in_parts_arrives_once)
{
    const struct warp_op both[] = {at_barrier(RP_BARRIER_SYNC, 1, 64, LOW),
                                   at_barrier(RP_BARRIER_SYNC, 1, 64, 0xffff0000u), work(0)};
    const struct warp_op one[] = {at_barrier(RP_BARRIER_SYNC, 1, 64, ~0u), work(0)};
    cr_expect_eq(cycles_with(both, 3), cycles_with(one, 2) + 1, "its second step");
}

/* 16 lanes of each of two warps are half of what a barrier of 64 waits for: the third warp is the other. */
Test(parts, threads_count)
{
    const struct warp_op half[] = {at_barrier(RP_BARRIER_SYNC, 2, 64, LOW), work(LOW), leave(LOW), work(0)};
    const struct warp_op last[] = {work(0), work(0), work(0), work(0), at_barrier(RP_BARRIER_SYNC, 2, 64, ~0u)};
    const struct warp_program warps[] = {{half, 4}, {half, 4}, {last, 5}};
    const struct warp_program two[] = {{half, 4}, {last, 5}, {last, 5}};
    uint64_t cycles = run_block(warps, 3, NULL).cycles;
    cr_expect_gt(cycles, 12);
    cr_expect_eq(cycles, run_block(two, 3, NULL).cycles, "80 threads: the third one is not late for it");
}

/* ---- at random ----------------------------------------------------------------------------------------------------
 */

enum { WARPS = 4, ROUNDS = 5, OPS = 160 };

struct story {
    struct warp_op ops[OPS];
    uint32_t count;
    rp_lanemask live;
};

static uint32_t below(uint64_t *random, uint32_t n) { return (uint32_t)(synthetic_random(random) >> 33) % n; }

static void add(struct story *s, struct warp_op op)
{
    cr_assert_lt(s->count, OPS);
    s->ops[s->count++] = op;
}

static rp_lanemask some_of(rp_lanemask lanes, uint64_t *random)
{
    rp_lanemask some = lanes & (rp_lanemask)synthetic_random(random);
    return some ? some : lanes & -lanes;
}

/* All live lanes, in up to four parts. */
static void arrive(struct story *s, enum rp_barrier_kind kind, int id, int count, uint64_t *random)
{
    rp_lanemask left = s->live;
    for (uint32_t parts = 1 + below(random, 4); left; parts--) {
        rp_lanemask some = parts > 1 ? some_of(left, random) : left;
        bool leaves = kind == RP_BARRIER_ARRIVE && some != s->live && below(random, 8) == 0;
        left &= ~some;
        add(s, leaves ? leave(some) : at_barrier(kind, id, count, some));
        s->live &= leaves ? ~some : ~0u;
        for (uint32_t n = kind == RP_BARRIER_ARRIVE ? below(random, 4) : 0; n; n--)
            add(s, work(some_of(s->live, random)));
    }
}

/* In each round some warps arrive at a barrier and go on, the others wait there; then all wait for all. */
static struct rp_trace *random_trace(uint64_t *random)
{
    static struct story stories[WARPS];
    struct warp_program programs[WARPS];
    uint32_t warps = 2 + below(random, WARPS - 1);
    memset(stories, 0, sizeof stories);
    for (uint32_t w = 0; w < warps; w++)
        stories[w].live = ~0u;
    for (int round = 0; round < ROUNDS; round++) {
        uint32_t waiter = below(random, warps);
        for (uint32_t w = 0; w < warps; w++) {
            bool waits = w == waiter || below(random, 2);
            for (uint32_t n = below(random, 5); n; n--)
                add(&stories[w], work(stories[w].live));
            arrive(&stories[w], waits ? RP_BARRIER_SYNC : RP_BARRIER_ARRIVE, 1 + round % 3, (int)(32 * warps), random);
            arrive(&stories[w], RP_BARRIER_SYNC, 0, 0, random);
        }
    }
    for (uint32_t w = 0; w < warps; w++)
        programs[w] = (struct warp_program){stories[w].ops, stories[w].count};
    return trace_of(programs, warps);
}

Test(parts, both_engines_agree)
{
    static const char *const settings[][4] = {{NULL},
                                              {"issue_exit=false", "barrier_latency=14", NULL},
                                              {"subcores=4", "scheduler=lrr", NULL},
                                              {"issue.width=2", "control_interval=13", "issue_exit=true", NULL}};
    for (uint64_t seed = 0; seed < 400; seed++) {
        uint64_t random = seed;
        struct machine *m = test_machine("orin-wcet", NULL, settings[seed % 4]);
        struct rp_trace *t = random_trace(&random);
        both_engines(t, m);
        rp_trace_close(t);
        machine_free(m);
    }
}
