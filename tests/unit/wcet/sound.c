/* No replay under any work-conserving policy exceeds its bound, over random blocks on random machines; and the same
 * test catches bounds that are wrong. */
#include <criterion/criterion.h>

#include "tests/support/soundness.h"
#include "tests/unit/wcet/common.h"

#define SMALL_ROUNDS 20
#define ROUNDS 50 /* of 50 launches; four tests make 10,000 launches and 60,000 runs */

static void sound(uint64_t first)
{
    struct soundness s = {0};
    struct rp_error err;
    for (uint64_t r = first; r < first + ROUNDS; r++)
        cr_assert(soundness_round(&s, r, &err), "round %llu: %s", (unsigned long long)r, err.text);
    cr_expect_eq(s.runs, ROUNDS * SOUNDNESS_LAUNCHES * SOUNDNESS_POLICIES);
    cr_expect_eq(s.violations, 0, "%llu violations, the first: %s", (unsigned long long)s.violations, s.first);
    cr_expect_eq(s.incomparable, 0, "the unit-aware bound exceeds the serial one");
    cr_expect_gt(s.exact, 0);
    cr_expect_gt(s.attained, 0, "runs come up to the exact worst case");
}

/* Criterion runs tests side by side, so the rounds are dealt to several. */
Test(sound, random_blocks_0) { sound(0 * ROUNDS); }
Test(sound, random_blocks_1) { sound(1 * ROUNDS); }
Test(sound, random_blocks_2) { sound(2 * ROUNDS); }
Test(sound, random_blocks_3) { sound(3 * ROUNDS); }

/* Where all schedules can be gone through, no run takes longer than the longest of them, and that is within the bound.
 */
static void sound_small(uint64_t first)
{
    struct soundness s = {.small = true};
    struct rp_error err;
    for (uint64_t r = first; r < first + SMALL_ROUNDS; r++)
        cr_assert(soundness_round(&s, r, &err), "round %llu: %s", (unsigned long long)r, err.text);
    cr_expect_eq(s.violations, 0, "%llu violations, the first: %s", (unsigned long long)s.violations, s.first);
    cr_expect_gt(s.exact, s.launches / 10 * 9, "it comes to an end for most");
    cr_expect_gt(s.attained, s.exact / 2, "six policies find a worst schedule of most launches this small");
    cr_expect_lt(s.attained, s.exact, "but not of all");
}

Test(sound, small_blocks_0) { sound_small(0); }
Test(sound, small_blocks_1) { sound_small(SMALL_ROUNDS); }

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

/* The exact figure tells of bounds that six policies say nothing against. */
Test(sound, what_is_below_the_exact_worst_case_is_caught)
{
    struct soundness s = {.small = true, .bound = one_less};
    struct rp_error err;
    for (uint64_t r = 0; r < 5; r++)
        cr_assert(soundness_round(&s, r, &err), "%s", err.text);
    cr_expect_gt(s.beyond, 25, "%llu of %llu launches", (unsigned long long)s.beyond, (unsigned long long)s.exact);
}
