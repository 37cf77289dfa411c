/* Adaptive L1 (replay/carveout.h): what a launch's shared memory leaves of the array. */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <unistd.h>

#include "common.h"
#include "replay/carveout.h"
#include "tests/support/synthetic_trace.h"

#define VOLTA "l1.unified=128K", "l1.shared_sizes=0,8K,16K,32K,64K,96K"

/* Shared memory of 7.0: 0, 8, 16, 32, 64 or 96 KB of 128 (CUDA C++ Programming Guide, "Shared Memory", 7.x). */
Test(carveout, least_size_that_holds_the_blocks)
{
    static const struct {
        uint64_t shared;
        int64_t left, ways; /* KB; of 4 sets of lines of 128 bytes */
    } rows[] = {{0, 128, 256},    {1, 120, 240},   {8192, 120, 240}, {8193, 112, 224},
                {40000, 64, 128}, {65537, 32, 64}, {98304, 32, 64},  {200000, 32, 64}};
    struct machine *m = test_machine("titan-v", NULL, (const char *const[]){VOLTA, NULL}), *fitted = malloc(sizeof *m);
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

/* Launches with and without shared memory in turns: each finds its own L1, in both engines and on any number of
 * threads. */
Test(carveout, launch_by_launch)
{
    char path[] = "/tmp/reprise-carveout-XXXXXX";
    struct rp_error err;
    unsigned differ = 0;
    close(mkstemp(path));
    struct machine *divided = test_machine("titan-v", NULL, (const char *const[]){"sms=2", VOLTA, NULL}),
                   *least =
                       test_machine("titan-v", NULL, (const char *const[]){"sms=2", "l1.size=32K", "l1.ways=64", NULL});
    for (uint64_t seed = 1; seed <= 12; seed++) {
        struct synthetic_options options = synthetic_random_options(seed);
        cr_assert(synthetic_trace_write(path, &options, &err), "%s", err.text);
        struct rp_trace *t = rp_trace_open(path, &err);
        cr_assert(t, "%s", err.text);
        struct replay_result result;
        uint64_t cycles = both_engines(t, divided).cycles;
        cr_assert(replay(t, divided, &(struct replay_options){.threads = 3, .launch = -1}, &result, &err));
        cr_expect_eq(result.total.cycles, cycles, "seed %d", (int)seed);
        replay_result_free(&result);
        differ += both_engines(t, least).cycles != cycles;
        rp_trace_close(t);
    }
    cr_expect_gt(differ, 0, "no launch found another L1 than the least one");
    unlink(path);
    machine_free(divided);
    machine_free(least);
}
