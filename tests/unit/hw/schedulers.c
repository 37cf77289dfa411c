/* The order in which each scheduler picks, on cases worked out by hand. */
#include <criterion/criterion.h>

#include "hw-models/models.h"

static _Alignas(64) unsigned char state[4096];

static void begin(const struct scheduler_model *s, unsigned warps)
{
    cr_assert_leq(s->model.state_size(NULL), sizeof state);
    s->reset(state, NULL);
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
