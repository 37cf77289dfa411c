/* Turns of the lines of loads and stores in shared memory (replay/base/lsu_lines.h), to the cycle, in both engines. */
#include <criterion/criterion.h>

#include "tests/unit/replay/common.h"

/* An access occupies its unit for 1 cycle, and a pass shared memory for 2. */
#define MACHINE "coalescer=segments", "shared=banks", "shared.interval=2"
/* What ends last. */
#define SHARED_ENDS MACHINE, "shared.latency=5000", "l1=none", "l2=none", "dram=ideal"
#define GLOBAL_ENDS MACHINE, "shared.latency=1", "spaces.global.latency=5000"

#define READ(in, dst, apart, at) ACCESS(in, false, dst, apart, at)
#define WRITE(in, apart, at) ACCESS(in, true, NO, apart, at)

/* Cycles that the second access of a warp, which is one to shared memory and ends last, loses by the first. */
static int64_t lost(const struct warp_op *first, const char *load, const char *store)
{
    const struct warp_op ops[] = {*first, READ(SHARED, 1, 4, 0)};
    return (int64_t)RUN(ops, SHARED_ENDS, load, store, NULL).cycles - (int64_t)RUN(ops, SHARED_ENDS, NULL).cycles;
}

#define LOAD_LINE(n) "lsu.load_line=" #n, "lsu.store_line=0"
#define STORE_LINE(n) "lsu.load_line=0", "lsu.store_line=" #n

Test(lsu_lines, shared_memory_waits_for_the_lines_before)
{
    const struct {
        struct warp_op first;
        int64_t lines;
    } accesses[] = {{READ(GLOBAL, 0, 4, 4096), 1},    {READ(GLOBAL, 0, 4, 4096 + 64), 2},
                    {READ(GLOBAL, 0, 128, 4096), 32}, {READ(GLOBAL, 0, 64, 4096), 16},
                    {READ(GLOBAL, 0, 256, 4096), 32}, {READ(GLOBAL, 0, 0, 4096), 1},
                    {WRITE(GLOBAL, 4, 4096), 1},      {WRITE(GLOBAL, 4, 4096 + 64), 2},
                    {WRITE(GLOBAL, 128, 4096), 32},   {READ(LOCAL, 0, 0, 0), 1}};
    for (size_t i = 0; i < sizeof accesses / sizeof *accesses; i++) {
        const struct warp_op *first = &accesses[i].first;
        const int64_t lines = accesses[i].lines;
        cr_expect_eq(lost(first, LOAD_LINE(7)), first->store || lines < 1 ? 0 : 7 * lines - 1, "load %zu", i);
        cr_expect_eq(lost(first, STORE_LINE(9)), first->store ? 9 * lines - 1 : 0, "store %zu", i);
        cr_expect_eq(lost(first, "lsu.load_line=4", "lsu.store_line=4"), 4 * lines - 1, "both %zu", i);
    }
}

/* 32 passes of shared memory take 64 cycles, its unit 1. */
Test(lsu_lines, lines_wait_for_shared_memory)
{
    static const struct warp_op load[] = {READ(SHARED, 1, 128, 0), READ(GLOBAL, 0, 4, 4096)},
                                store[] = {READ(SHARED, 1, 128, 0), WRITE(GLOBAL, 4, 4096)};
    static const char *const caches[][2] = {{"l1=none", "l2=none"}, {"l1=direct-mapped", "l2=direct-mapped"}};
    for (unsigned c = 0; c < 2; c++)
        for (unsigned queued = 0; queued < 2; queued++) {
            const char *const queue = queued ? "lsu.queue=2" : "lsu.queue=-1", *l1 = caches[c][0], *l2 = caches[c][1];
            const uint64_t loads = RUN(load, GLOBAL_ENDS, l1, l2, queue, NULL).cycles,
                           stores = RUN(store, GLOBAL_ENDS, l1, l2, queue, NULL).cycles;
            cr_expect_eq(RUN(load, GLOBAL_ENDS, l1, l2, queue, LOAD_LINE(1), NULL).cycles, loads + 63);
            cr_expect_eq(RUN(load, GLOBAL_ENDS, l1, l2, queue, STORE_LINE(1), NULL).cycles, loads);
            cr_expect_eq(RUN(store, GLOBAL_ENDS, l1, l2, queue, STORE_LINE(2), NULL).cycles, stores + 63);
            cr_expect_eq(RUN(store, GLOBAL_ENDS, l1, l2, queue, LOAD_LINE(2), NULL).cycles, stores);
        }
}

/* A load's turn is one cycle a line: of two loads that touch 32 lines each the second waits for the first. */
Test(lsu_lines, lines_wait_for_lines)
{
    static const struct warp_op ops[] = {READ(GLOBAL, 0, 128, 0), READ(GLOBAL, 1, 4, 8192)};
    const uint64_t without = RUN(ops, GLOBAL_ENDS, "l1=none", "l2=none", "dram=ideal", NULL).cycles;
    cr_expect_eq(RUN(ops, GLOBAL_ENDS, "l1=none", "l2=none", "dram=ideal", LOAD_LINE(1), NULL).cycles, without + 31);
}
