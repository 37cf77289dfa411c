/* The order in which each scheduler picks, on cases worked out by hand. */
#include <criterion/criterion.h>

#include "hw-models/scheduler/schedulers.h"
#include "hw-models/set/models.h"

static _Alignas(64) unsigned char state[16384];

static void begin(const struct scheduler_model *s, unsigned warps)
{
    int64_t options[8] = {0};
    for (unsigned o = 0; o < s->model.option_count; o++)
        options[o] = s->model.options[o].initial;
    cr_assert_leq(s->model.state_size(options), sizeof state);
    s->reset(state, options);
    for (unsigned slot = 0; slot < warps; slot++)
        s->start(state, slot);
}

Test(schedulers, lrr_takes_turns)
{
    const struct scheduler_model *s = &scheduler_lrr;
    begin(s, 4);
    int expected[] = {0, 1, 2, 3, 0, 1};
    for (size_t i = 0; i < 6; i++)
        cr_expect_eq(s->pick(state, 0xf), expected[i]);
    cr_expect_eq(s->pick(state, 0x9), 3, "after 1 comes 3 when 2 is not ready");
    cr_expect_eq(s->pick(state, 0x8), 3, "the only ready one goes again");
    cr_expect_eq(s->pick(state, 0x6), 1);
    cr_expect_eq(s->pick(state, 1ull << 63 | 1), 63);
    cr_expect_eq(s->pick(state, 1ull << 63 | 1), 0);
}

Test(schedulers, gto_is_greedy_then_takes_the_oldest)
{
    const struct scheduler_model *s = &scheduler_gto;
    begin(s, 3);
    cr_expect_eq(s->pick(state, 0x7), 0);
    cr_expect_eq(s->pick(state, 0x6), 1, "0 stalls: the oldest of the others");
    cr_expect_eq(s->pick(state, 0x7), 1, "greedy: stays with 1 though 0 is older");
    cr_expect_eq(s->pick(state, 0x5), 0, "1 stalls: 0 is older than 2");
    s->end(state, 0);
    s->start(state, 0); /* a new warp in slot 0 is the youngest */
    cr_expect_eq(s->pick(state, 0x5), 2);
    s->end(state, 2);
    cr_expect_eq(s->pick(state, 0x3), 1);
    s->wait(state, 1);
    cr_expect_eq(s->pick(state, 0x1), 0);
}

Test(schedulers, gty_is_greedy_then_takes_the_youngest)
{
    const struct scheduler_model *s = &scheduler_gty;
    begin(s, 4);
    cr_expect_eq(s->pick(state, 0xf), 3);
    cr_expect_eq(s->pick(state, 0x7), 2, "3 stalls: the youngest of the others");
    cr_expect_eq(s->pick(state, 0xf), 2, "greedy: stays with 2 though 3 is younger");
    cr_expect_eq(s->pick(state, 0x3), 1);
    s->end(state, 0);
    s->start(state, 0); /* a new warp in slot 0 is the youngest */
    cr_expect_eq(s->pick(state, 0xd), 0, "1 stalls");
    s->end(state, 0);
    cr_expect_eq(s->pick(state, 0x6), 2);
}

Test(schedulers, grr_is_greedy_then_takes_turns)
{
    const struct scheduler_model *s = &scheduler_grr;
    begin(s, 4);
    cr_expect_eq(s->pick(state, 0xf), 0);
    cr_expect_eq(s->pick(state, 0xf), 0, "greedy");
    cr_expect_eq(s->pick(state, 0xe), 1, "0 stalls: the next");
    cr_expect_eq(s->pick(state, 0xf), 1, "greedy: stays with 1 though 0 is older and 3 is younger");
    cr_expect_eq(s->pick(state, 0x9), 3, "1 stalls, too: the next ready one behind it");
    cr_expect_eq(s->pick(state, 0x7), 0, "3 stalls: round to the first");
}

Test(schedulers, limited_lets_the_oldest_issue)
{
    const struct scheduler_model *s = &scheduler_swl;
    int64_t two[] = {2};
    s->reset(state, two);
    for (unsigned slot = 0; slot < 4; slot++)
        s->start(state, slot);
    cr_expect_eq(s->pick(state, 0xf), 0);
    cr_expect_eq(s->pick(state, 0xe), 1, "0 stalls: the other of the two");
    cr_expect_eq(s->pick(state, 0xd), 0);
    cr_expect_eq(s->pick(state, 0xc), -1, "2 and 3 may not");
    cr_expect_eq(s->pick(state, 0xc), -1, "asked again, the same answer");
    s->wait(state, 0);
    cr_expect_eq(s->pick(state, 0xc), 2, "0 is at a barrier and makes way for 2");
    cr_expect_eq(s->pick(state, 0x8), -1);
    cr_expect_eq(s->pick(state, 0x5), 0, "the barrier is complete: 0 may again, and 2 not");
    cr_expect_eq(s->pick(state, 0x4), -1);
    s->end(state, 1);
    cr_expect_eq(s->pick(state, 0xc), 2, "1 has ended");
}

Test(schedulers, serial_keeps_the_warp_until_it_ends_or_waits)
{
    const struct scheduler_model *s = &scheduler_serial;
    begin(s, 3);
    cr_expect_eq(s->pick(state, 0x6), 1, "the oldest that is ready");
    cr_expect_eq(s->pick(state, 0x5), -1, "1 stalls and keeps the sub-core");
    cr_expect_eq(s->pick(state, 0x5), -1, "asked again, the same answer");
    cr_expect_eq(s->pick(state, 0x7), 1);
    s->wait(state, 1);
    cr_expect_eq(s->pick(state, 0x7), 0, "after a barrier the oldest is elected");
    s->end(state, 0);
    cr_expect_eq(s->pick(state, 0x6), 1);
    s->end(state, 1);
    cr_expect_eq(s->pick(state, 0x4), 2);
}

static void begin_levels(int64_t high, int64_t low, int64_t order, int64_t from, int64_t until, unsigned warps)
{
    const struct scheduler_model *s = &scheduler_strict_priority;
    const int64_t options[] = {high, low, order, from, until};
    cr_assert_leq(s->model.state_size(options), sizeof state);
    s->reset(state, options);
    for (unsigned slot = 0; slot < warps; slot++)
        s->start(state, slot);
}

Test(schedulers, levels_starve_the_low_ones)
{
    const struct scheduler_model *s = &scheduler_strict_priority;
    begin_levels(1 << 2, 1 << 0, 0, 0, INT64_MAX, 4);
    cr_expect_eq(s->pick(state, 0xf), 2, "the only high one");
    cr_expect_eq(s->pick(state, 0xf), 2);
    int turns[] = {3, 1, 3, 1};
    for (size_t i = 0; i < 4; i++)
        cr_expect_eq(s->pick(state, 0xb), turns[i], "the middle ones take turns, 0 waits");
    cr_expect_eq(s->pick(state, 0x1), 0, "nobody else is ready");
}

Test(schedulers, levels_order_by_progress_within_a_section)
{
    const struct scheduler_model *s = &scheduler_strict_priority;
    begin_levels(0, 0, 2, 0, INT64_MAX, 2); /* behind: the one that has issued least */
    cr_expect_eq(s->pick(state, 0x2), 1);
    cr_expect_eq(s->pick(state, 0x2), 1);
    cr_expect_eq(s->pick(state, 0x3), 0);
    cr_expect_eq(s->pick(state, 0x3), 0);
    cr_expect_eq(s->pick(state, 0x2), 1, "three against two");
    s->wait(state, 1);
    cr_expect_eq(s->pick(state, 0x3), 0, "0 is not at the barrier yet");
    s->wait(state, 0); /* a new section: both begin again */
    cr_expect_eq(s->pick(state, 0x2), 1);
    cr_expect_eq(s->pick(state, 0x3), 0);
    begin_levels(0, 0, 3, 0, INT64_MAX, 2); /* ahead */
    cr_expect_eq(s->pick(state, 0x2), 1);
    cr_expect_eq(s->pick(state, 0x3), 1);
}

Test(schedulers, levels_hold_for_a_stretch_of_the_section)
{
    const struct scheduler_model *s = &scheduler_strict_priority;
    begin_levels(0, 1 << 0, 1, 1, 3, 2); /* by age; 0 is low for the second and third issue */
    int picked[] = {0, 1, 1, 0};
    for (size_t i = 0; i < 4; i++)
        cr_expect_eq(s->pick(state, 0x3), picked[i]);
}

/* Ages under random starts and ends, against a plain list. */
Test(schedulers, oldest_of_any_mask)
{
    struct scheduler_ages ages = {0};
    unsigned order[64], count = 0;
    uint64_t random = 1;
    for (int step = 0; step < 20000; step++) {
        random = random * 6364136223846793005u + 1442695040888963407u;
        unsigned slot = random >> 58;
        if (ages.present >> slot & 1) {
            scheduler_ages_end(&ages, slot);
            unsigned kept = 0;
            for (unsigned i = 0; i < count; i++)
                if (order[i] != slot)
                    order[kept++] = order[i];
            count = kept;
        } else {
            scheduler_ages_start(&ages, slot);
            order[count++] = slot;
        }
        uint64_t mask = ages.present & (random ^ random << 21);
        int expected = -1;
        for (unsigned i = 0; i < count && expected < 0; i++)
            if (mask >> order[i] & 1)
                expected = (int)order[i];
        if (mask)
            cr_assert_eq(scheduler_ages_oldest(&ages, mask), expected);
    }
}

Test(schedulers, gto_may_stay_with_a_slot)
{
    /* as in Accel-Sim: the warp that comes to the slot which issued last is preferred, though it is the youngest */
    const struct scheduler_model *s = &scheduler_gto;
    _Alignas(64) unsigned char memory[4096] = {0};
    const int64_t by_slot[] = {1};
    s->reset(memory, by_slot);
    s->start(memory, 3);
    s->start(memory, 5);
    cr_assert_eq(s->pick(memory, 1u << 3 | 1u << 5), 3);
    s->end(memory, 3);
    s->start(memory, 3);
    cr_assert_eq(s->pick(memory, 1u << 3 | 1u << 5), 3);
}

Test(schedulers, two_level_active_makes_way_for_others)
{
    const struct scheduler_model *s = &scheduler_two_level_active;
    _Alignas(64) unsigned char memory[4096] = {0};
    const int64_t two[] = {2};
    s->reset(memory, two);
    s->limit(memory, 4);
    s->observe(memory, 0);
    cr_assert_eq(s->pick(memory, 15), 0); /* active: 0, 1 */
    cr_assert_eq(s->pick(memory, 15), 1); /* they take turns */
    cr_assert_eq(s->pick(memory, 12), -1, "2 and 3 are not active");
    s->observe(memory, 1); /* 0 waits: 2 takes its place, and comes last */
    cr_assert_eq(s->pick(memory, 14), 1);
    cr_assert_eq(s->pick(memory, 14), 2);
    s->observe(memory, 6); /* 1 and 2 wait: 3 is next, then 0 */
    cr_assert_eq(s->pick(memory, 15), 3);
    cr_assert_eq(s->pick(memory, 15), 0);
}

/* Four warps with a base of 100 have a cutoff of 400. One line lost in ten issues, eightfold: 1 / 10 × 8 × 400 = 320,
 * one less in each cycle. The warps whose sum stays within 400 may load: with a score of 301 to 320 the one that lost
 * alone, with 201 to 300 one more, with 101 to 200 two more, then all. */
Test(schedulers, ccws_holds_loads_back_as_long_as_a_score_says)
{
    const struct scheduler_model *s = &scheduler_ccws;
    static _Alignas(64) unsigned char memory[16384];
    const int64_t options[] = {2, 8, 100};
    cr_assert_leq(s->model.state_size(options), sizeof memory);
    s->reset(memory, options);
    for (unsigned slot = 0; slot < 4; slot++)
        s->start(memory, slot);
    for (unsigned i = 0; i < 9; i++)
        cr_assert_eq(s->pick(memory, 15), 0, "greedy");
    cr_assert_eq(s->pick(memory, 14), 1, "then the oldest");
    for (uint64_t line = 6; line < 9; line++)
        s->feedback->replaced(memory, 2, line);
    s->feedback->missed(memory, 2, 6, 1000);
    cr_assert_eq(s->feedback->held(memory, 15, 1000), 0, "the oldest of three lines has made way for the third");
    s->feedback->missed(memory, 1, 7, 1000);
    cr_assert_eq(s->feedback->held(memory, 15, 1000), 0, "it is another's");
    s->feedback->missed(memory, 2, 7, 1000);
    const unsigned until[] = {20, 120, 220, 320};
    const uint64_t held[] = {8 + 2 + 1, 8 + 2, 8, 0}; /* the older may before the younger */
    for (unsigned now = 0; now < 320; now++) {
        unsigned phase = 0;
        while (now >= until[phase])
            phase++;
        cr_assert_eq(s->feedback->held(memory, 15, 1000 + now), held[phase], "%u cycles later", now);
    }
    s->wait(memory, 2);
    cr_assert_eq(s->feedback->held(memory, 11, 1000), 0, "who waits at a barrier holds nobody back");
    cr_assert_eq(s->feedback->held(memory, 15, 1000), held[0], "the barrier is complete");
    s->feedback->missed(memory, 2, 7, 1400);
    cr_assert_eq(s->feedback->held(memory, 15, 1400), 0, "found once: it is in L1 again");
}

/* Whether the scheduler ever lets ready warps wait: over random ready warps, barriers and ends, or by holding loads. */
static bool lets_warps_wait(const struct scheduler_model *s)
{
    enum { WARPS = 16, STEPS = 5000 };
    uint64_t present = (1u << WARPS) - 1, random = 1;
    bool idle = s->feedback;
    begin(s, WARPS);
    for (unsigned step = 0; step < STEPS; step++) {
        random = random * 6364136223846793005u + 1442695040888963407u;
        uint64_t ready = present & random >> 33;
        if (s->observe)
            s->observe(state, present & random >> 45);
        int slot = ready ? s->pick(state, ready) : -1;
        idle |= ready && slot < 0;
        if (slot < 0)
            continue;
        cr_assert(ready >> slot & 1, "%s", s->model.name);
        if (random >> 60 == 0)
            s->wait(state, (unsigned)slot);
        if (random >> 60 == 1) {
            s->end(state, (unsigned)slot);
            s->start(state, (unsigned)slot);
        }
    }
    return idle;
}

/* Whether four warps that stay ready issue as often as one another, and none of them twice in a row. */
static bool lets_warps_take_turns(const struct scheduler_model *s)
{
    enum { WARPS = 4, ROUNDS = 8 };
    unsigned issued[WARPS] = {0};
    int last = -1;
    bool fair = true;
    begin(s, WARPS);
    for (unsigned step = 0; step < WARPS * ROUNDS; step++) {
        int slot = s->pick(state, (1u << WARPS) - 1);
        cr_assert(slot >= 0 && slot < WARPS, "%s", s->model.name);
        fair &= slot != last;
        issued[slot]++;
        last = slot;
    }
    for (unsigned slot = 0; slot < WARPS; slot++)
        fair &= issued[slot] == ROUNDS;
    return fair;
}

Test(schedulers, those_that_take_turns_say_so)
{
    for (const struct model *const *m = built_in_models.of[KIND_SCHEDULER]; *m; m++) {
        const struct scheduler_model *s = (const struct scheduler_model *)*m;
        cr_expect_eq(lets_warps_take_turns(s), s->takes_turns, "%s", s->model.name);
    }
}

Test(schedulers, conserving_ones_never_let_ready_warps_wait)
{
    for (const struct model *const *m = built_in_models.of[KIND_SCHEDULER]; *m; m++) {
        const struct scheduler_model *s = (const struct scheduler_model *)*m;
        cr_expect_neq(lets_warps_wait(s), s->conserving, "%s", s->model.name);
    }
}
