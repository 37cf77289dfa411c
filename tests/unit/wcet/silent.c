/* Units for whose results nobody waits (docs/wcet-proofs.md, Theorem 2 and Lemma 4), by hand. orin-wcet's control unit
 * takes a branch every 4 cycles and is through with it 4 cycles later; a global load takes 1 + 200. */
#include <criterion/criterion.h>

#include "tests/unit/wcet/common.h"

static void expect(const struct warp_op *ops, uint32_t count, uint32_t warps, uint64_t serial, uint64_t bound,
                   uint64_t cycles)
{
    struct warp_program programs[8];
    for (uint32_t w = 0; w < warps; w++)
        programs[w] = (struct warp_program){ops, count};
    struct rp_trace *t = trace_of(programs, warps);
    struct machine *m = orin(NULL, 0);
    struct wcet_bounds b = bounds_of(t, m, 0);
    cr_expect_eq(b.serial, serial, "serial bound %llu", (unsigned long long)b.serial);
    cr_expect_eq(b.unit_bound, bound, "unit-aware bound %llu", (unsigned long long)b.unit_bound);
    cr_expect_eq(replayed(t, m, REPLAY_REFERENCE), cycles);
    wcet_bounds_free(&b);
    machine_free(m);
    rp_trace_close(t);
}

#define LOAD                                                                                                           \
    {                                                                                                                  \
        .unit_class = RP_CLASS_MEMORY, .space = RP_SPACE_GLOBAL, .destination = 0, .source = {NO, NO, NO}, .stride = 4 \
    }

/* The load issues at 1 and is there at 202, and the other warp takes two issue slots; the other's branch keeps nobody.
 */
Test(silent, a_branch_costs_others_its_issue)
{
    const struct warp_op ops[] = {OP(CONTROL, NO, NO, NO, NO), LOAD};
    expect(ops, 2, 2, 202 + 4 + 1, 202 + 2, 204);
}

/* The same unit, once an instruction of it writes a register. */
Test(silent, a_unit_that_writes_a_register_is_not_silent)
{
    const struct warp_op ops[] = {OP(CONTROL, 1, NO, NO, NO), LOAD};
    expect(ops, 2, 2, 202 + 4 + 1, 202 + 4 + 1, 204);
}

/* Nobody waits for the branches but the end: eight of them keep the unit for 32 cycles, and the last is over 4 later.
 */
Test(silent, the_end_waits_for_the_queue)
{
    const struct warp_op ops[] = {OP(CONTROL, NO, NO, NO, NO)};
    expect(ops, 1, 8, 36, 36, 36);
}

/* The queue is empty long before the loads are there. */
Test(silent, a_load_outlasts_the_queue)
{
    const struct warp_op ops[] = {LOAD, OP(CONTROL, NO, NO, NO, NO), OP(CONTROL, NO, NO, NO, NO)};
    expect(ops, 3, 4, 201 + 3 * 9, 201 + 3 * 3, 210);
}
