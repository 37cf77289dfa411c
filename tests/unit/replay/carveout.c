/* Adaptive L1 (replay/base/carveout.h): what a launch's shared memory leaves of the array. */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <unistd.h>

#include "common.h"
#include "replay/base/carveout.h"
#include "tests/support/synthetic_trace.h"

/* Shared memory of 7.0: 0, 8, 16, 32, 64 or 96 KB of 128 (CUDA C++ Programming Guide, "Shared Memory", 7.x). */
Test(carveout, least_size_that_holds_the_blocks)
{
    static const struct {
        uint64_t shared;
        int64_t left, ways; /* KB; of 4 sets of lines of 128 bytes */
    } rows[] = {{0, 128, 256},    {1, 120, 240},   {8192, 120, 240}, {8193, 112, 224},
                {40000, 64, 128}, {65537, 32, 64}, {98304, 32, 64},  {200000, 32, 64}};
    struct machine *m = test_machine("titan-v", NULL, NULL), *fitted = malloc(sizeof *m);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        cr_expect_eq(carveout_l1(m, rows[i].shared), rows[i].left << 10, "row %zu", i);
        struct cache_shape shape;
        carveout_apply(m, rows[i].left << 10, fitted);
        ((const struct cache_model *)fitted->l1.model)->shape(fitted->l1.options, &shape);
        cr_expect(shape.sets == 4 && (int64_t)shape.ways == rows[i].ways, "row %zu: %d ways", i, (int)shape.ways);
    }
    cr_expect_eq(carveout_most(m), 128 << 10);
    free(fitted);
    machine_free(m);
}

/* What both engines count, on one thread and on three. */
static struct statistics counted(struct rp_trace *t, const struct machine *m)
{
    struct rp_error err;
    struct replay_result result;
    struct statistics one = both_engines(t, m);
    cr_assert(replay(t, m, &(struct replay_options){.threads = 3, .launch = -1}, &result, &err));
    cr_expect_eq(result.total.cycles, one.cycles);
    replay_result_free(&result);
    return one;
}

/* Launches with and without shared memory in turns: each finds its own L1, in both engines and on any number of
 * threads. Where caches are kept, it is another one, but L2 is the same. */
Test(carveout, launch_by_launch)
{
    char path[] = "/tmp/reprise-carveout-XXXXXX";
    struct rp_error err;
    unsigned differ = 0;
    uint64_t flushed = 0, kept = 0;
    close(mkstemp(path));
    struct machine *divided = test_machine("titan-v", NULL, (const char *const[]){"sms=2", "warm_l2=false", NULL}),
                   *keeps = test_machine("titan-v", NULL,
                                         (const char *const[]){"sms=2", "warm_l2=false", "flush_caches=false", NULL}),
                   *least =
                       test_machine("titan-v", NULL,
                                    (const char *const[]){"sms=2", "warm_l2=false", "l1.size=32K", "l1.ways=64", NULL});
    for (uint64_t seed = 1; seed <= 12; seed++) {
        struct synthetic_options options = synthetic_random_options(seed);
        cr_assert(synthetic_trace_write(path, &options, &err), "%s", err.text);
        struct rp_trace *t = rp_trace_open(path, &err);
        cr_assert(t, "%s", err.text);
        struct statistics all = counted(t, divided);
        flushed += all.memory.dram.accesses;
        kept += counted(t, keeps).memory.dram.accesses;
        differ += both_engines(t, least).cycles != all.cycles;
        rp_trace_close(t);
    }
    cr_expect_gt(differ, 0, "no launch found another L1 than the least one");
    cr_expect_lt(kept, flushed, "no launch found anything in L2");
    unlink(path);
    machine_free(divided);
    machine_free(keeps);
    machine_free(least);
}

/* L1 without shared memory, and with all of it (CUDA C++ Programming Guide, compute capabilities 7.0 to 9.0), in KB. */
Test(carveout, machines_have_the_published_sizes)
{
    static const struct {
        const char *name;
        int64_t most, least;
    } rows[] = {{"titan-v", 128, 32},       {"v100", 128, 32},    {"rtx2060", 64, 32},
                {"rtx2080", 64, 32},        {"rtx3070", 128, 28}, {"orin", 192, 28},
                {"quadro-rtx6000", 64, 32}, {"a100", 192, 28},    {"h100", 256, 28}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct machine *m = test_machine(rows[i].name, NULL, NULL);
        cr_expect_eq(carveout_most(m), rows[i].most << 10, "%s", rows[i].name);
        cr_expect_eq(carveout_l1(m, (uint64_t)m->shared_bytes), rows[i].least << 10, "%s", rows[i].name);
        machine_free(m);
    }
}

/* l1.size on top of a machine with a unified array fixes the size, unless l1.unified comes with it. */
Test(carveout, a_size_of_ones_own)
{
    struct machine *fixed = test_machine("titan-v", NULL, (const char *const[]){"l1.size=64K", NULL});
    cr_expect_eq(fixed->l1_unified, 0);
    cr_expect_eq(carveout_l1(fixed, 98304), 64 << 10);
    struct machine *both = test_machine("titan-v", NULL, (const char *const[]){"l1.size=64K", "l1.unified=128K", NULL});
    cr_expect_eq(carveout_l1(both, 98304), 32 << 10);
    machine_free(fixed);
    machine_free(both);
}
