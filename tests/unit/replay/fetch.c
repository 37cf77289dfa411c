/* What the microbenchmark of instruction fetch of Jia et al. (arXiv:1804.06826, 3.3, Figure 3.3) says of the machines
 * with instruction caches: cycles per instruction of one thread in a long stretch of additions that do not wait for one
 * another, run again and again. Figures are read off the plot, within 5 %. */
#include <criterion/criterion.h>
#include <stdlib.h>

#include "tests/unit/replay/common.h"

/* Machine code of Maxwell and Pascal: three instructions behind a control word. Since Volta: 16 bytes each. */
static uint64_t place(uint32_t i, bool maxwell) { return maxwell ? i / 3 * 32 + 8 + i % 3 * 8 : (uint64_t)i * 16; }

static uint64_t cycles(const char *machine, uint32_t bytes, bool maxwell, uint32_t rounds)
{
    uint32_t count = maxwell ? bytes / 32 * 3 : bytes / 16;
    struct warp_op *ops = calloc((size_t)count * rounds, sizeof *ops);
    cr_assert(ops);
    for (uint32_t i = 0; i < count * rounds; i++)
        ops[i] = (struct warp_op){.unit_class = RP_CLASS_FP32,
                                  .destination = (int)(i % 24),
                                  .source = {NO, NO, NO},
                                  .pc = place(i % count, maxwell) + 1};
    struct machine *m = test_machine(machine, NULL, NULL);
    struct rp_trace *t = trace_of(&(struct warp_program){ops, count * rounds}, 1);
    struct statistics s = both_engines(t, m);
    rp_trace_close(t);
    machine_free(m);
    free(ops);
    return s.cycles;
}

/* Of an instruction of the fourth round. With three and with four the exit lies behind the code, too far to be fetched
 * ahead. */
static double cost(const char *machine, uint32_t kib, bool maxwell)
{
    uint32_t bytes = kib << 10, count = maxwell ? bytes / 32 * 3 : bytes / 16;
    return (double)(cycles(machine, bytes, maxwell, 4) - cycles(machine, bytes, maxwell, 3)) / count;
}

static void volta(const char *machine)
{
    double l0 = cost(machine, 8, false), l1 = cost(machine, 64, false);
    cr_expect_float_eq(l0, 2, .05, "in L0 of 12 KiB: %g", l0);
    cr_expect_float_eq(l1, 3.5, 3.5 * .05, "in L1 of 128 KiB: %g", l1);
    double l2 = cost(machine, 160, false);
    cr_expect(l2 > 6.5 && l2 < 7.5, "in L2: %g", l2);
}

Test(fetch, volta)
{
    volta("v100");
    volta("titan-v");
    volta("gv100");
}

Test(fetch, pascal)
{
    double l1 = cost("jetson-tx2", 6, true);
    cr_expect_float_eq(l1, 1, .05, "in L1 of 8 KiB: %g", l1);
    cr_expect_float_eq(cost("jetson-tx2", 24, true), 5.5, 5.5 * .05, "in L1.5 of 32 KiB");
    double l2 = cost("jetson-tx2", 64, true);
    cr_expect(l2 > 9 && l2 < 9.5, "in L2: %g", l2);
    cr_expect_float_eq(cost("tx2-pastis", 64, true), 1, .05, "always at hand");
}
