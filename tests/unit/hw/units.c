/* Functional units: dispatch and acceptance against a list of everything that was issued. */
#include <criterion/criterion.h>

#include "hw-models/set/models.h"

struct issued {
    uint64_t issue, dispatch, initiation;
};

/* Plain statement of the model: in order, each after the last one's initiation; at most `queue` wait at any time. */
static bool may_issue(const struct issued *all, size_t count, int64_t queue, uint64_t now)
{
    int64_t waiting = 0;
    bool busy = false;
    for (size_t i = 0; i < count; i++) {
        waiting += all[i].dispatch > now;
        busy |= all[i].dispatch + all[i].initiation > now;
    }
    return queue < 0 || !busy || waiting < queue;
}

Test(units, pipelined_with_any_queue)
{
    static _Alignas(64) unsigned char state[4096];
    static struct issued all[400];
    const struct unit_model *u = &unit_pipelined;
    cr_assert_leq(u->model.state_size(NULL), sizeof state);
    for (int64_t queue = -1; queue < 6; queue++) {
        size_t count = 0;
        uint64_t random = 7 + (uint64_t)queue;
        u->reset(state, &queue);
        for (uint64_t now = 0; now < 600 && count < 400; now++) {
            uint64_t from = u->accepts(state, now);
            cr_assert_geq(from, now);
            cr_assert_eq(from == now, may_issue(all, count, queue, now), "queue %d, cycle %d", (int)queue, (int)now);
            for (uint64_t c = now; c < from && c < now + 50; c++)
                cr_assert(!may_issue(all, count, queue, c));
            random = random * 6364136223846793005u + 1442695040888963407u;
            if (from != now || random >> 62 == 0)
                continue;
            uint32_t initiation = 1 + (random >> 40) % 5;
            uint64_t last = count ? all[count - 1].dispatch + all[count - 1].initiation : 0;
            uint64_t expected = last > now ? last : now;
            cr_assert_eq(u->dispatch(state, now, initiation), expected);
            all[count++] = (struct issued){now, expected, initiation};
        }
        cr_assert_gt(count, 50);
    }
}

Test(units, ideal_is_never_busy)
{
    cr_expect_eq(unit_ideal.dispatch(NULL, 5, 100), 5);
    cr_expect_eq(unit_ideal.accepts(NULL, 5), 5);
}
