/* Sampled replay: what is replayed, what it says of the rest, and whether intervals hold what they promise. */
#include <criterion/criterion.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "replay/session/classes.h"
#include "replay/session/interval.h"
#include "replay/session/pages.h"
#include "replay/session/strata.h"
#include "tests/support/many_launches.h"
#include "tests/support/synthetic_trace.h"
#include "tests/unit/replay/common.h"

#define TWO_PERCENT                                                                                                    \
    {                                                                                                                  \
        0.02, 0.95                                                                                                     \
    }

static struct rp_trace *written(const struct many_launches *o)
{
    struct rp_error err;
    char path[] = "/tmp/sample-XXXXXX";
    close(mkstemp(path));
    cr_assert(many_launches_write(path, o, &err), "%s", err.text);
    struct rp_trace *t = rp_trace_open(path, &err);
    unlink(path);
    cr_assert(t, "%s", err.text);
    return t;
}

static struct replay_result replayed(struct rp_trace *t, const struct machine *m, struct replay_options o)
{
    struct rp_error err;
    struct replay_result result;
    cr_assert(replay(t, m, &o, &result, &err), "%s", err.text);
    return result;
}

static struct replay_result whole(struct rp_trace *t, const struct machine *m)
{
    return replayed(t, m, (struct replay_options){.launch = -1, .threads = 2});
}
static struct replay_result sampled(struct rp_trace *t, const struct machine *m)
{
    return replayed(t, m, (struct replay_options){.launch = -1, .sample = TWO_PERCENT});
}

static uint64_t distance(uint64_t a, uint64_t b) { return a > b ? a - b : b - a; }
static bool holds(const struct replay_result *estimate, const struct replay_result *truth)
{
    return distance(estimate->total.cycles, truth->total.cycles) <= estimate->sample.half_width.cycles;
}

static struct machine *small_machine(void) { return test_machine("jetson-tx2", NULL, (const char *const[]){NULL}); }

/* ---- strata ------------------------------------------------------------------------------------------------------ */

static void draw(struct stratum *s, double x, uint64_t y)
{
    stratum_add(s, x, 1, &(struct statistics){.cycles = y}, NULL);
}

/* Cochran 1977, section 6.4, by hand: ratio 310 / 31 = 10; residuals 2, -2, 1, -1 of x = 4, 8, 9, 10. */
Test(sample, ratio_by_hand)
{
    struct stratum s = {.items = 10, .size = 80, .cost = 10};
    draw(&s, 4, 42);
    draw(&s, 8, 78);
    draw(&s, 9, 91);
    draw(&s, 10, 99);
    double t = interval_student(0.95, 3), half = t * sqrt(10.0 / 3) * 10 * sqrt(0.6 / 4) * (80.0 / 10) / (31.0 / 4);
    cr_expect_float_eq(stratum_total(&s, 0), 800, 1e-9);
    cr_expect_float_eq(stratum_deviation(&s, 0), sqrt(10.0 / 3), 1e-9);
    cr_expect_float_eq(stratum_half_width(&s, 0, 0.95), half, 1e-9);
}

Test(sample, without_information)
{
    struct stratum s = {.items = 2, .size = 20, .cost = 10};
    draw(&s, 10, 100);
    cr_expect(isinf(stratum_half_width(&s, 0, 0.95)), "one of two says nothing of the other");
    draw(&s, 10, 300);
    cr_expect_eq(stratum_half_width(&s, 0, 0.95), 0, "all are known");
    cr_expect_eq(stratum_total(&s, 0), 400);
}

/* Neyman: twice the deviation, twice the sample; four times the cost, half the sample. */
Test(sample, sizes)
{
    struct stratum s[3];
    uint32_t sizes[3];
    for (unsigned h = 0; h < 3; h++) {
        s[h] = (struct stratum){.items = 100000, .size = 1e5, .cost = h == 2 ? 4e5 : 1e5};
        for (unsigned i = 0; i < 10; i++)
            draw(&s[h], 1, 1000 + (i % 2 ? 1 : -1) * (h == 1 ? 200 : 100));
    }
    strata_sizes(s, 3, 0, 3e6 * 0.01 * 10, 0.95, sizes);
    cr_expect_float_eq((double)sizes[1] / sizes[0], 2, 0.05, "%u %u", sizes[0], sizes[1]);
    cr_expect_float_eq((double)sizes[0] / sizes[2], 2, 0.05, "%u %u", sizes[0], sizes[2]);
    strata_sizes(s, 3, 0, 0, 0.95, sizes);
    for (unsigned h = 0; h < 3; h++)
        cr_expect_eq(sizes[h], 100000, "without a width all are drawn");
}

/* ---- launches ---------------------------------------------------------------------------------------------------- */

Test(sample, equal_launches_are_exact)
{
    struct rp_trace *t = written(&(struct many_launches){
        .kernels = 3, .launches = 90, .blocks = 4, .warps = 2, .loops = 6, .random_percent = 20, .repeats = 30});
    struct machine *m = small_machine();
    struct replay_result all = whole(t, m), some = sampled(t, m);
    cr_expect_eq(some.sample.count[REPLAY_REPLAYED], 3);
    cr_expect_eq(some.sample.count[REPLAY_EQUAL], 87);
    const char *difference = statistics_difference(m, &all.total, &some.total);
    cr_expect_null(difference, "%s", difference);
    cr_expect_eq(some.sample.half_width.cycles, 0);
    for (uint32_t l = 0; l < all.count; l++) {
        cr_expect_eq(all.launches[l].begin, some.launches[l].begin);
        cr_expect_eq(all.launches[l].end, some.launches[l].end);
        cr_expect_null(statistics_difference(m, &all.launches[l].statistics, &some.launches[l].statistics));
        cr_expect(some.launches[l].source == REPLAY_REPLAYED || some.launches[l].equal == l % 3);
    }
    replay_result_free(&all);
    replay_result_free(&some);
    machine_free(m);
    rp_trace_close(t);
}

/* One lane's address more or less makes another launch. */
Test(sample, other_addresses_are_not_equal)
{
    struct rp_trace *t = written(&(struct many_launches){
        .kernels = 1, .launches = 8, .blocks = 4, .warps = 2, .loops = 6, .random_percent = 1, .repeats = 2});
    struct rp_launch_hash hash[8];
    struct rp_error err;
    uint32_t launches[8], first[8];
    for (uint32_t l = 0; l < 8; l++) {
        launches[l] = l;
        cr_assert(rp_trace_launch_hash(t, l, &hash[l], &err));
    }
    struct machine *m = small_machine();
    cr_assert(classes_find(t, m, launches, 8, first, &err));
    for (uint32_t l = 0; l < 8; l++)
        for (uint32_t k = 0; k < l; k++)
            cr_expect_eq(!memcmp(&hash[l], &hash[k], sizeof *hash), first[l] == first[k]);
    for (uint32_t l = 0; l < 8; l += 2)
        cr_expect_eq(first[l + 1], first[l]);
    machine_free(m);
    rp_trace_close(t);
}

/* Where caches are kept, an equal launch finds other caches: it is one of a stratum. */
Test(sample, kept_caches_know_no_equal_launches)
{
    struct rp_trace *t = written(&(struct many_launches){
        .kernels = 1, .launches = 300, .blocks = 4, .warps = 2, .loops = 6, .random_percent = 20, .repeats = 150});
    struct machine *m = test_machine("jetson-tx2", NULL, (const char *const[]){"flush_caches=false", NULL});
    struct replay_result all = whole(t, m), some = sampled(t, m);
    cr_expect_eq(some.sample.count[REPLAY_EQUAL], 0);
    cr_expect_gt(some.sample.count[REPLAY_ESTIMATED], 30);
    cr_expect_leq(some.sample.instructions, some.sample.all);
    cr_expect_leq(distance(all.total.cycles, some.total.cycles) * 50, all.total.cycles);
    replay_result_free(&all);
    replay_result_free(&some);
    machine_free(m);
    rp_trace_close(t);
}

/* What the trace says is exact, whatever is estimated; and the launches add up to the total. */
Test(sample, counts_of_the_trace_are_exact)
{
    struct rp_trace *t = written(&(struct many_launches){.kernels = 4,
                                                         .launches = 400,
                                                         .blocks = 4,
                                                         .warps = 2,
                                                         .loops = 10,
                                                         .launch_spread = 60,
                                                         .block_spread = 30,
                                                         .random_percent = 30});
    struct machine *m = small_machine();
    struct replay_result all = whole(t, m), some = sampled(t, m);
    cr_expect_eq(all.total.warp_instructions, some.total.warp_instructions);
    cr_expect_eq(all.total.thread_instructions, some.total.thread_instructions);
    cr_expect_eq(all.total.blocks, some.total.blocks);
    cr_expect_eq(all.total.warps, some.total.warps);
    cr_expect_eq(some.sample.all, all.total.warp_instructions);
    cr_expect_lt(some.sample.instructions, some.sample.all);
    cr_expect_gt(some.sample.count[REPLAY_ESTIMATED], 100);
    uint64_t cycles = 0, clock = 0;
    for (uint32_t l = 0; l < some.count; l++) {
        cr_expect_eq(some.launches[l].begin, clock);
        clock = some.launches[l].end;
        cycles += some.launches[l].statistics.cycles;
        cr_expect_eq(some.launches[l].statistics.warp_instructions, all.launches[l].statistics.warp_instructions);
        cr_expect_eq(some.launches[l].half_width > 0, some.launches[l].source == REPLAY_ESTIMATED);
    }
    cr_expect_leq(distance(cycles, some.total.cycles), some.count, "rounding of each launch");
    cr_expect(holds(&some, &all));
    replay_result_free(&all);
    replay_result_free(&some);
    machine_free(m);
    rp_trace_close(t);
}

/* Of many random traces the true value lies in as many intervals as their confidence says, and in more, as Student's t
 * and the sum of halves are on the safe side. */
Test(sample, intervals_hold)
{
    enum { TRACES = 60 };
    struct machine *m = small_machine();
    unsigned held = 0, estimated = 0;
    for (unsigned i = 0; i < TRACES; i++) {
        uint64_t r = i;
        struct rp_trace *t = written(&(struct many_launches){.seed = i + 1,
                                                             .kernels = 1 + (uint32_t)(synthetic_random(&r) % 4),
                                                             .launches = 150,
                                                             .blocks = 1 + (uint32_t)(synthetic_random(&r) % 6),
                                                             .warps = 1 + (uint32_t)(synthetic_random(&r) % 3),
                                                             .loops = 4 + (uint32_t)(synthetic_random(&r) % 8),
                                                             .launch_spread = (uint32_t)(synthetic_random(&r) % 80),
                                                             .block_spread = (uint32_t)(synthetic_random(&r) % 80),
                                                             .random_percent = (uint32_t)(synthetic_random(&r) % 60)});
        struct replay_result all = whole(t, m), some = sampled(t, m);
        held += holds(&some, &all);
        estimated += some.sample.count[REPLAY_ESTIMATED] > 0;
        cr_expect(some.sample.reached);
        replay_result_free(&all);
        replay_result_free(&some);
        rp_trace_close(t);
    }
    cr_expect_gt(estimated, TRACES / 2);
    cr_expect_geq(held * 100, TRACES * 95, "%u of %u", held, (unsigned)TRACES);
    machine_free(m);
}

/* ---- blocks ------------------------------------------------------------------------------------------------------ */

static const struct many_launches long_launch = {
    .kernels = 1, .launches = 1, .blocks = 2500, .warps = 8, .loops = 6, .block_spread = 10, .random_percent = 20};

Test(sample, a_launch_of_many_waves)
{
    struct rp_trace *t = written(&long_launch);
    struct machine *m = small_machine();
    struct replay_options five_percent = {.launch = -1, .sample = {0.05, 0.95}};
    struct replay_result all = whole(t, m), some = replayed(t, m, five_percent);
    cr_expect_eq(some.sample.count[REPLAY_IN_PART], 1);
    cr_expect_lt(some.sample.instructions, some.sample.all / 2);
    cr_expect(holds(&some, &all), "%lu, not %lu with %lu", (unsigned long)all.total.cycles,
              (unsigned long)some.total.cycles, (unsigned long)some.sample.half_width.cycles);
    uint64_t sum = some.total.issue_cycles + some.total.idle_cycles;
    for (unsigned s = 0; s < STALL_COUNT; s++)
        sum += some.total.stall[s];
    cr_expect_leq(distance(sum, some.total.cycles * (uint64_t)(m->sms * m->subcores)), STALL_COUNT + 1);
    replay_result_free(&all);
    replay_result_free(&some);
    machine_free(m);
    rp_trace_close(t);
}

/* Blocks leave in an order that changes from wave to wave: the mean over the blocks of a wave tells its time, a single
 * one does not. Of blocks that are alike a tenth is enough. */
Test(sample, a_tenth_of_4096_blocks)
{
    static const struct {
        uint32_t block_spread, random_percent;
        double part;
    } launches[] = {{0, 0, 0.1}, {0, 20, 0.1}, {10, 0, 0.3}};
    struct machine *m = small_machine();
    for (size_t i = 0; i < MODEL_COUNT_OF(launches); i++) {
        struct rp_trace *t = written(&(struct many_launches){.kernels = 1,
                                                             .launches = 1,
                                                             .blocks = 4096,
                                                             .warps = 8,
                                                             .loops = 6,
                                                             .block_spread = launches[i].block_spread,
                                                             .random_percent = launches[i].random_percent});
        struct replay_result all = whole(t, m), some = sampled(t, m);
        double part = (double)some.sample.instructions / (double)some.sample.all;
        cr_expect(some.sample.reached);
        cr_expect_leq(part, launches[i].part, "%zu", i);
        cr_expect(holds(&some, &all), "%zu", i);
        replay_result_free(&all);
        replay_result_free(&some);
        rp_trace_close(t);
    }
    machine_free(m);
}

/* Device memory that is refreshed stands still every some waves, which windows must not miss. */
Test(sample, refresh_is_in_the_interval)
{
    static const char *const sms[] = {"sms=2", "sms=3"}, *const latencies[] = {"l2.latency=50", "l2.latency=100",
                                                                               "l2.latency=150", "l2.latency=200"};
    struct rp_trace *t = written(&(struct many_launches){
        .kernels = 1, .launches = 1, .blocks = 2400, .warps = 8, .loops = 1, .block_spread = 0, .random_percent = 0});
    unsigned held = 0, replays = 0;
    uint32_t in_part = 0;
    for (size_t i = 0; i < MODEL_COUNT_OF(sms) * MODEL_COUNT_OF(latencies); i++) {
        struct machine *m = test_machine("rtx2060", NULL, (const char *const[]){sms[i % 2], latencies[i / 2], NULL});
        struct replay_result all = whole(t, m),
                             some = replayed(t, m, (struct replay_options){.launch = -1, .sample = {0.05, 0.9}});
        held += holds(&some, &all);
        replays++;
        in_part += some.sample.count[REPLAY_IN_PART];
        cr_expect_leq(some.sample.instructions, some.sample.all);
        replay_result_free(&all);
        replay_result_free(&some);
        machine_free(m);
    }
    cr_expect_gt(in_part * 2, replays, "%u", in_part);
    cr_expect_geq(held * 10, replays * 9, "%u of %u", held, replays);
    rp_trace_close(t);
}

/* Blocks of 1 KB of a buffer that is read and of one that is written, one behind another. */
static const struct many_launches stream = {
    .kernels = 1, .launches = 1, .blocks = 12000, .warps = 8, .loops = 1, .block_spread = 0, .random_percent = 0};

Test(sample, waves_that_come_to_new_pages)
{
    struct rp_trace *t = written(&stream);
    static const uint64_t wave_page_count[][3] = {
        {100, 2 << 20, 5}, {3000, 2 << 20, 3}, {100, 1 << 30, 0}, {100, 4096, 119}, {5, 2 << 20, 5}};
    for (size_t i = 0; i < MODEL_COUNT_OF(wave_page_count); i++) {
        const uint64_t *c = wave_page_count[i];
        uint64_t count;
        struct rp_error err;
        cr_assert(pages_count_waves(t, 0, stream.blocks, c[0], c[1], &count, &err), "%s", err.text);
        cr_expect_eq(count, c[2], "waves of %" PRIu64 ", pages of %" PRIu64 ": %" PRIu64, c[0], c[1], count);
    }
    rp_trace_close(t);
}

/* All blocks wait for the walk of a new page, every some waves, which windows must not miss. */
Test(sample, new_pages_are_in_the_interval)
{
    static const char *const sms[] = {"sms=10", "sms=16"}, *const schedulers[] = {"scheduler=gto", "scheduler=random"};
    struct rp_trace *t = written(&stream);
    for (size_t i = 0; i < MODEL_COUNT_OF(sms) * MODEL_COUNT_OF(schedulers); i++) {
        struct machine *m = test_machine("gv100", NULL, (const char *const[]){sms[i / 2], schedulers[i % 2], NULL});
        struct replay_result all = whole(t, m),
                             some = replayed(t, m, (struct replay_options){.launch = -1, .sample = {0.02, 0.95}});
        cr_expect(holds(&some, &all), "%s, %s: %" PRIu64 ", %" PRIu64 " in %u", sms[i / 2], schedulers[i % 2],
                  all.total.cycles, some.total.cycles, some.sample.count[REPLAY_IN_PART]);
        replay_result_free(&all);
        replay_result_free(&some);
        machine_free(m);
    }
    rp_trace_close(t);
}

/* On few SMs windows that are alike do not make the interval narrow. On one nothing is sampled: no other evens out what
 * its blocks do. */
Test(sample, few_sms_make_no_narrow_interval)
{
    static const struct sample_request requests[] = {{0.05, 0.8}, {0.1, 0.9}};
    struct rp_trace *t = written(&(struct many_launches){
        .kernels = 1, .launches = 1, .blocks = 3000, .warps = 8, .loops = 1, .block_spread = 0, .random_percent = 0});
    for (size_t i = 0; i < MODEL_COUNT_OF(requests); i++)
        for (unsigned sms = 1; sms <= 2; sms++) {
            struct machine *m =
                test_machine("jetson-tx2", NULL, (const char *const[]){sms == 1 ? "sms=1" : "sms=2", NULL});
            struct replay_result all = whole(t, m),
                                 some = replayed(t, m, (struct replay_options){.launch = -1, .sample = requests[i]});
            double part = (double)some.sample.half_width.cycles / (double)some.total.cycles;
            cr_expect_eq(some.sample.count[REPLAY_IN_PART], sms > 1);
            cr_expect(some.sample.reached);
            cr_expect(sms == 1 ? part == 0 : part >= 0.98 * requests[i].error && part <= requests[i].error, "%f", part);
            cr_expect(holds(&some, &all));
            replay_result_free(&all);
            replay_result_free(&some);
            machine_free(m);
        }
    rp_trace_close(t);
}

/* Where waves are not alike, the search for a stable one becomes the replay of the whole launch. */
Test(sample, an_unstable_launch_is_exact)
{
    struct rp_trace *t = written(&(struct many_launches){
        .kernels = 1, .launches = 1, .blocks = 800, .warps = 8, .loops = 6, .block_spread = 90, .random_percent = 40});
    struct machine *m = test_machine("rtx2060", NULL, (const char *const[]){"sms=2", "dram.t_refi=100000", NULL});
    struct replay_result all = whole(t, m),
                         some = replayed(t, m, (struct replay_options){.launch = -1, .sample = {0.0001, 0.999}});
    const char *difference = statistics_difference(m, &all.total, &some.total);
    cr_expect_null(difference, "%s", difference);
    cr_expect_eq(memcmp(&all.launches[0], &some.launches[0], sizeof all.launches[0]), 0);
    cr_expect_eq(some.sample.count[REPLAY_REPLAYED], 1);
    cr_expect_eq(some.sample.instructions, some.sample.all);
    cr_expect_eq(some.sample.half_width.cycles, 0);
    replay_result_free(&all);
    replay_result_free(&some);
    machine_free(m);
    rp_trace_close(t);
}

/* Both engines pass over the same blocks, and L2 sees their footprint at the same time: in one slice and in several,
 * with queues that have bounds and without. */
Test(sample, engines_and_threads_agree)
{
    static const char *const machines[][3] = {
        {"jetson-tx2", NULL}, {"tx2-pastis", "sms=3", NULL}, {"rtx2060", "sms=2", NULL}, {"v100", "sms=2", NULL}};
    struct rp_trace *t = written(&(struct many_launches){
        .kernels = 1, .launches = 1, .blocks = 2400, .warps = 8, .loops = 3, .block_spread = 1, .random_percent = 0});
    uint32_t in_part = 0;
    for (size_t i = 0; i < MODEL_COUNT_OF(machines); i++) {
        struct machine *m = test_machine(machines[i][0], NULL, machines[i] + 1);
        struct replay_options o = {.launch = -1, .sample = {0.2, 0.95}};
        struct replay_result fast = replayed(t, m, o);
        o.threads = 4;
        struct replay_result threads = replayed(t, m, o);
        o.engine = REPLAY_REFERENCE;
        struct replay_result reference = replayed(t, m, o);
        in_part += fast.sample.count[REPLAY_IN_PART];
        cr_expect_null(statistics_difference(m, &fast.total, &reference.total), "%s", machines[i][0]);
        cr_expect_null(statistics_difference(m, &fast.total, &threads.total), "%s", machines[i][0]);
        cr_expect_eq(memcmp(&fast.sample, &reference.sample, sizeof fast.sample), 0, "%s", machines[i][0]);
        cr_expect_eq(memcmp(&fast.sample, &threads.sample, sizeof fast.sample), 0, "%s", machines[i][0]);
        replay_result_free(&fast);
        replay_result_free(&threads);
        replay_result_free(&reference);
        machine_free(m);
    }
    cr_expect_eq(in_part, MODEL_COUNT_OF(machines), "%u", in_part);
    rp_trace_close(t);
}

/* ---- what cannot be sampled -------------------------------------------------------------------------------------- */

Test(sample, launches_that_overlap_are_replayed)
{
    struct rp_error err;
    char path[] = "/tmp/sample-XXXXXX";
    close(mkstemp(path));
    struct synthetic_options o = {.seed = 5, .launches = 40, .blocks = 3, .streams = 3, .memory_percent = 30};
    cr_assert(synthetic_trace_write(path, &o, &err));
    struct rp_trace *t = rp_trace_open(path, &err);
    unlink(path);
    struct machine *m = test_machine("v100", NULL, (const char *const[]){"sms=4", NULL});
    struct replay_result all = whole(t, m), some = sampled(t, m);
    const char *difference = statistics_difference(m, &all.total, &some.total);
    cr_expect_null(difference, "%s", difference);
    cr_expect_eq(some.sample.half_width.cycles, 0);
    for (uint32_t l = 0; l < all.count; l++)
        cr_expect_eq(all.launches[l].end, some.launches[l].end);
    replay_result_free(&all);
    replay_result_free(&some);
    machine_free(m);
    rp_trace_close(t);
}

Test(sample, machines_that_keep_state_are_refused)
{
    struct rp_error err;
    struct replay_result result;
    struct rp_trace *t =
        written(&(struct many_launches){.kernels = 1, .launches = 2, .blocks = 1, .warps = 1, .loops = 2});
    struct machine *m = test_machine("rtx2060-accelsim", NULL, (const char *const[]){NULL});
    const struct replay_options o = {.launch = -1, .sample = TWO_PERCENT};
    cr_expect_not(replay(t, m, &o, &result, &err));
    cr_expect(strstr(err.text, "pipeline 'staged' keeps its state"), "%s", err.text);
    machine_free(m);
    rp_trace_close(t);
}
