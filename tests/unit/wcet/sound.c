/* No replay under any work-conserving policy exceeds its bound, over random blocks on random machines; and the same
 * test catches bounds that are wrong. */
#include <criterion/criterion.h>

#include "tests/support/soundness.h"
#include "tests/unit/wcet/common.h"

#define ROUNDS 50 /* of 50 launches; four tests make 10,000 launches and 50,000 runs */

static void sound(uint64_t first)
{
    struct soundness s = {0};
    struct rp_error err;
    for (uint64_t r = first; r < first + ROUNDS; r++)
        cr_assert(soundness_round(&s, r, &err), "round %llu: %s", (unsigned long long)r, err.text);
    cr_expect_eq(s.runs, ROUNDS * SOUNDNESS_LAUNCHES * SOUNDNESS_POLICIES);
    cr_expect_eq(s.violations, 0, "%llu violations, the first: %s", (unsigned long long)s.violations, s.first);
    cr_expect_eq(s.incomparable, 0, "the unit-aware bound exceeds the serial one");
}

/* Criterion runs tests side by side, so the rounds are dealt to several. */
Test(sound, random_blocks_0) { sound(0 * ROUNDS); }
Test(sound, random_blocks_1) { sound(1 * ROUNDS); }
Test(sound, random_blocks_2) { sound(2 * ROUNDS); }
Test(sound, random_blocks_3) { sound(3 * ROUNDS); }

/* ---- broken bounds ------------------------------------------------------------------------------------------------
 */

static uint64_t violations_of(uint64_t (*bound)(const struct wcet_bounds *))
{
    struct soundness s = {.bound = bound};
    struct rp_error err;
    for (uint64_t r = 0; r < 10; r++)
        cr_assert(soundness_round(&s, r, &err), "%s", err.text);
    return s.violations;
}

static uint64_t one_less(const struct wcet_bounds *b) { return b->unit_bound - 1; }
static uint64_t nobody_waits(const struct wcet_bounds *b)
{
    uint64_t sum = 0;
    for (uint64_t i = 0; i < b->section_count; i++)
        sum += b->sections[i].alone;
    return sum;
}
static uint64_t a_part_less(const struct wcet_bounds *b) { return b->unit_bound - b->unit_bound / 8; }

Test(sound, a_bound_one_cycle_too_small_is_caught) { cr_expect_gt(violations_of(one_less), 0); }
Test(sound, a_bound_without_interference_is_caught) { cr_expect_gt(violations_of(nobody_waits), 100); }
Test(sound, a_bound_an_eighth_too_small_is_caught) { cr_expect_gt(violations_of(a_part_less), 0); }

/* ---- Algorithm 1 against replay of one warp ------------------------------------------------------------------------
 */

struct pair {
    const struct wcet_instant *expected;
    size_t at, count;
    uint64_t differences;
};

static void compare(void *data, const struct replay_issue *i)
{
    struct pair *p = data;
    const struct wcet_instant *e = &p->expected[p->at++];
    p->differences += p->at > p->count || e->index != i->step->index || e->issue != i->issue ||
                      e->dispatch != i->dispatch || e->writeback != i->done;
}

struct instants {
    struct wcet_instant list[256];
    size_t count;
};

static void collect(void *data, const struct wcet_instant *i)
{
    struct instants *all = data;
    cr_assert_lt(all->count, 256);
    all->list[all->count++] = *i;
}

/* The warp's times with barriers that only it arrives at. */
static void alone(struct rp_trace *t, const struct machine *m, struct instants *out)
{
    struct rp_error err;
    struct wcet_model model;
    struct wcet_warp warp;
    struct wcet_sink sink = {.instant = collect, .data = out};
    const struct rp_launch *l = rp_trace_launch(t, 0);
    uint64_t instructions = 0;
    cr_assert(wcet_model_begin(&model, m, rp_trace_kernel(t, l->kernel), l, ALL_EXTENSIONS, &err), "%s", err.text);
    cr_assert(wcet_warp_begin(&warp, &model, &sink, &err));
    warp.sections_run_on = true;
    struct rp_block *b = rp_block_open(t, 0, 0, &err);
    struct rp_cursor cursor;
    cr_assert(b && rp_cursor_open(&cursor, b, 0, &err), "%s", err.text);
    wcet_warp_open(&warp, 0);
    cr_assert_eq(wcet_run_section(&warp, &cursor, &instructions, &err), 0);
    wcet_warp_close(&warp, true);
    rp_cursor_close(&cursor);
    rp_block_close(b);
    wcet_warp_end(&warp);
    wcet_model_end(&model);
}

Test(sound, algorithm_1_equals_the_reference_engine_on_every_instruction)
{
    uint64_t compared = 0;
    for (uint64_t seed = 0; seed < 400; seed++) {
        struct rp_error err;
        struct rp_trace *t = soundness_warp(seed, &err);
        struct machine *m = soundness_machine(seed, &err);
        cr_assert(t && m, "%s", err.text);
        struct instants expected = {.count = 0};
        alone(t, m, &expected);
        struct pair pair = {.expected = expected.list, .count = expected.count};
        struct replay_options options = {
            .engine = REPLAY_REFERENCE, .launch = -1, .issued = compare, .issued_data = &pair};
        struct replay_result result;
        cr_assert(replay(t, m, &options, &result, &err), "%s", err.text);
        cr_expect_eq(pair.at, pair.count, "seed %llu", (unsigned long long)seed);
        cr_expect_eq(pair.differences, 0, "seed %llu: %llu of %zu instructions differ", (unsigned long long)seed,
                     (unsigned long long)pair.differences, pair.count);
        compared += pair.count;
        replay_result_free(&result);
        machine_free(m);
        rp_trace_close(t);
    }
    cr_expect_gt(compared, 2000);
}
