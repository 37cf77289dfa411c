/* Sampled replay beside whole replay: how far estimates are off, how wide their intervals are, and what they save.
 *
 * First launches of 4,096 blocks, at 2 %. Then cases of tests/kernels on several machines: in how many of them the true
 * cycles, and the true value of each other statistic, lie in their intervals; the same with few SMs, so that there are
 * many waves, at 5 %. Then 10^5 launches of 50 kernels, at 3 %. Then how often intervals of 80, 90 and 95 % hold, with
 * several SMs, and of kernels with barriers. "waves" alone says how many waves those launches have, and
 * how they differ. Times are of the processor.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "replay/session/interval.h"
#include "replay/session/machine_open.h"
#include "replay/session/replay.h"
#include "tests/bench/figures/figures.h"
#include "tests/support/many_launches.h"

static _Noreturn void die(const char *what, const char *why)
{
    fprintf(stderr, "sampling: %s: %s\n", what, why);
    exit(1);
}

#define COUNT(list) (sizeof(list) / sizeof *(list))
#define MOST_SETTINGS 3

struct variant {
    const char *machine;
    struct machine_setting settings[MOST_SETTINGS];
};

/* "rtx2060 2/100". */
#define VARIANT_NAME 64
static void name_of(const struct variant *v, char out[VARIANT_NAME])
{
    snprintf(out, VARIANT_NAME, "%s%s%s%s%s", v->machine, v->settings[0].key ? " " : "",
             v->settings[0].key ? v->settings[0].value : "", v->settings[1].key ? "/" : "",
             v->settings[1].key ? v->settings[1].value : "");
}

static struct machine *machine_of(const struct variant *v)
{
    struct rp_error err;
    struct machine_request request = {.name = v->machine, .settings = v->settings};
    while (request.setting_count < MOST_SETTINGS && v->settings[request.setting_count].key)
        request.setting_count++;
    struct machine *m = machine_open(&request, &err);
    if (!m)
        die(v->machine, err.text);
    return m;
}

static bool drop(void *none, const struct replay_launch *launch, struct rp_error *err)
{
    (void)none;
    (void)launch;
    (void)err;
    return true;
}

static double timed(struct rp_trace *t, const struct machine *m, struct sample_request sample,
                    struct replay_result *result)
{
    struct rp_error err;
    const struct replay_options o = {.launch = -1, .sample = sample, .launch_done = drop};
    double began = bench_seconds();
    if (!replay(t, m, &o, result, &err))
        die(rp_trace_path(t), err.text);
    return bench_seconds() - began;
}

static double part(uint64_t of, uint64_t all) { return all ? (double)of / (double)all : 0; }
static uint64_t distance(uint64_t a, uint64_t b) { return a > b ? a - b : b - a; }

static const struct sample_request two_percent = {0.02, 0.95};

/* ---- waves ------------------------------------------------------------------------------------------------------- */

/* The cycles in which the blocks of a launch are placed, in the order of the blocks. */
struct placements {
    uint64_t *cycle, count;
    uint64_t wave; /* blocks that were placed before the first one left */
    bool left;
};

static void note_block(void *data, const struct observed_block *b)
{
    struct placements *p = data;
    p->left |= b->leaves;
    p->wave += !p->left;
    if (!b->leaves)
        p->cycle[b->block] = b->cycle;
}

/* The deviation of the cycles of so many waves, as a part of their mean: from the mean placement of a wave's blocks to
 * that of another's. The first eight waves do not count. */
static double deviation(const struct placements *p, uint64_t waves)
{
    struct running cycles = {0};
    for (uint64_t w = 8; (w + waves + 1) * p->wave <= p->count; w++) {
        double sum = 0;
        for (uint64_t i = w * p->wave; i < (w + 1) * p->wave; i++)
            sum += (double)p->cycle[i + waves * p->wave] - (double)p->cycle[i];
        running_add(&cycles, sum);
    }
    return cycles.count > 1 ? running_deviation(&cycles) / cycles.mean : 0;
}

/* So many waves, each measured by itself, would tell their mean within 2 % at 95 % if nothing else had to be replayed:
 * the least n with t s / sqrt(n) <= 2 %, with t of Student's distribution for n - 1 degrees of freedom. */
static unsigned least_waves(double deviation_of_one)
{
    unsigned n = 2;
    while (interval_student(two_percent.confidence, n - 1) * deviation_of_one > two_percent.error * sqrt(n))
        n++;
    return n;
}

/* How many waves the launch has, how they differ, and how many of them are the least for an interval. */
static void print_waves(struct rp_trace *t, const char *name, const struct variant *v)
{
    struct rp_error err;
    char machine[VARIANT_NAME];
    struct machine *m = machine_of(v);
    struct placements p = {.count = rp_launch_blocks(rp_trace_launch(t, 0))};
    p.cycle = calloc(p.count, sizeof *p.cycle);
    const struct observer o = {.data = &p, .block = note_block};
    const struct replay_options options = {.launch = 0, .threads = 1, .observer = &o};
    struct replay_result result;
    if (!p.cycle || !replay(t, m, &options, &result, &err))
        die(name, p.cycle ? err.text : "out of memory");
    name_of(v, machine);
    printf("%-18s %-18s %8.0f %9.2f %% %9.2f %% %9.2f %% %9u\n", name, machine, (double)p.count / (double)p.wave,
           100 * deviation(&p, 1), 100 * deviation(&p, 4), 100 * deviation(&p, 16), least_waves(deviation(&p, 1)));
    fflush(stdout);
    replay_result_free(&result);
    machine_free(m);
    free(p.cycle);
}

/* ---- launches ---------------------------------------------------------------------------------------------------- */

/* A trace of the case; the caller closes it. */
static struct rp_trace *recorded(const char *name, uint32_t size)
{
    struct rp_error err;
    char file[128], path[512];
    snprintf(file, sizeof file, "sampling-%s", name);
    snprintf(path, sizeof path, "%s", bench_path(file));
    struct kernel_options options = {.size = size, .skip_check = true, .trace = path, .threads = 1};
    if (!kernel_run(kernel_case_find(name), &options, NULL, &err))
        die(name, err.text);
    struct rp_trace *t = rp_trace_open(path, &err);
    unlink(path);
    if (!t)
        die(name, err.text);
    return t;
}

struct coverage {
    unsigned replays, held, wide, more, statistics, statistics_held;
};

static void cover(struct coverage *c, const struct replay_result *all, const struct replay_result *some)
{
    uint64_t truth[STATISTICS_WORDS], estimate[STATISTICS_WORDS], width[STATISTICS_WORDS];
    memcpy(truth, &all->total, sizeof truth);
    memcpy(estimate, &some->total, sizeof estimate);
    memcpy(width, &some->sample.half_width, sizeof width);
    c->replays++;
    c->wide += !some->sample.reached;
    c->more += some->sample.instructions > some->sample.all;
    c->held += distance(all->total.cycles, some->total.cycles) <= some->sample.half_width.cycles;
    for (size_t w = 0; w < STATISTICS_WORDS; w++) {
        c->statistics += truth[w] > 0;
        c->statistics_held += truth[w] > 0 && distance(truth[w], estimate[w]) <= width[w];
    }
}

/* The replay is not printed if all was replayed. */
static void print(const char *name, const struct variant *v, const struct replay_result *all,
                  const struct replay_result *some, double faster)
{
    char machine[VARIANT_NAME];
    name_of(v, machine);
    if (some->sample.instructions < some->sample.all)
        printf("%-18s %-18s %12llu %+8.2f %% %7.2f %% %10.1f %9.1f%s%s\n", name, machine,
               (unsigned long long)all->total.cycles,
               100 * ((double)some->total.cycles / (double)all->total.cycles - 1),
               100 * part(some->sample.half_width.cycles, some->total.cycles),
               1 / part(some->sample.instructions, some->sample.all), faster, some->sample.reached ? "" : "   wide",
               distance(all->total.cycles, some->total.cycles) <= some->sample.half_width.cycles ? "" : "   outside");
    fflush(stdout);
}

static void compare(struct rp_trace *t, const char *name, const struct variant *v, struct sample_request sample,
                    struct coverage *c)
{
    struct machine *m = machine_of(v);
    struct replay_result all, some;
    double whole = timed(t, m, (struct sample_request){0}, &all), sampled = timed(t, m, sample, &some);
    cover(c, &all, &some);
    print(name, v, &all, &some, whole / sampled);
    replay_result_free(&all);
    replay_result_free(&some);
    machine_free(m);
}

static void heading(const char *text)
{
    printf("\n%s\n%-18s %-18s %12s %10s %9s %10s %9s\n", text, "", "", "cycles", "error", "interval", "instr. /",
           "time /");
}

/* A launch of a case. */
struct launch_case {
    const char *name;
    uint32_t size;
};

static const struct launch_case of_4096_blocks[] = {
    {"stream_copy", 4096 * 256},      {"vector_add", 4096 * 256},  {"reduce_tree", 4096 * 512},
    {"transpose_padded", 64 * 32},    {"matmul", 64 * 16},         {"mandelbrot", 64 * 16},
    {"histogram_shared", 4096 * 256}, {"spmv_scalar", 4096 * 128}, {"stream_gather", 4096 * 256}};

static void large_launches(struct coverage *c)
{
    heading("Launches of 4,096 blocks, 2 % at 95 %");
    for (size_t i = 0; i < COUNT(of_4096_blocks); i++) {
        struct rp_trace *t = recorded(of_4096_blocks[i].name, of_4096_blocks[i].size);
        compare(t, of_4096_blocks[i].name, &(struct variant){"jetson-tx2", {{0}}}, two_percent, c);
        rp_trace_close(t);
    }
}

static void large_waves(void)
{
    printf("\nWaves of launches of 4,096 blocks, how much the cycles of 1, 4 and 16 of them deviate, and how many "
           "single ones "
           "are the least for 2 %% at 95 %%\n");
    for (size_t i = 0; i < COUNT(of_4096_blocks); i++) {
        struct rp_trace *t = recorded(of_4096_blocks[i].name, of_4096_blocks[i].size);
        print_waves(t, of_4096_blocks[i].name, &(struct variant){"jetson-tx2", {{0}}});
        rp_trace_close(t);
    }
}

static const struct {
    const char *name;
    uint32_t size;
} cases[] = {{"vector_add", 1 << 19},
             {"matmul", 256},
             {"sgemm_naive", 384},
             {"sgemm_double", 384},
             {"stencil", 512},
             {"scan", 1 << 17},
             {"reduce_tree", 1 << 19},
             {"reduce_shuffle", 1 << 19},
             {"histogram_shared", 1 << 19},
             {"histogram_global", 1 << 17},
             {"stream_copy", 1 << 19},
             {"stream_gather", 1 << 18},
             {"transpose_conflicts", 768},
             {"transpose_padded", 768},
             {"spmv_scalar", 1 << 17},
             {"spmv_vector", 1 << 14},
             {"bfs_level", 1 << 13},
             {"bitonic", 1 << 13},
             {"kmeans", 1 << 14},
             {"nbody", 1 << 11},
             {"mandelbrot", 256},
             {"needleman_wunsch", 512}};

static void all_cases(struct coverage *c)
{
    static const struct variant machines[] = {
        {"jetson-tx2", {{0}}}, {"tx2-pastis", {{0}}}, {"orin", {{0}}}, {"rtx2060", {{0}}}};
    heading("Cases of tests/kernels that are replayed in part, 2 % at 95 %");
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct rp_trace *t = recorded(cases[i].name, cases[i].size);
        for (size_t m = 0; m < sizeof machines / sizeof *machines; m++)
            compare(t, cases[i].name, &machines[m], two_percent, c);
        rp_trace_close(t);
    }
}

/* Few SMs make many waves. Device memory with refresh, whose period is some of them. */
static void small_machines(struct coverage *c)
{
    static const char *const sms[] = {"2", "3", "4", "6"}, *const latencies[] = {"100", "200"};
    heading("The same on rtx2060 with few SMs and varied latency of L2, 5 % at 90 %");
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct rp_trace *t = recorded(cases[i].name, cases[i].size);
        for (size_t n = 0; n < 8; n++) {
            struct variant v = {"rtx2060", {{"sms", sms[n / 2]}, {"l2.latency", latencies[n % 2]}}};
            compare(t, cases[i].name, &v, (struct sample_request){0.05, 0.9}, c);
        }
        rp_trace_close(t);
    }
}

/* How often the true cycles lie in intervals of several confidences, of replays in part. */
static void cover_confidences(const struct launch_case *launches, size_t launch_count, const struct variant *machines,
                              size_t machine_count)
{
    static const struct sample_request samples[] = {{0.02, 0.95}, {0.03, 0.9}, {0.05, 0.8}};
    unsigned in_part[3] = {0}, held[3] = {0}, wide[3] = {0};
    double replayed[3] = {0};
    for (size_t i = 0; i < launch_count; i++) {
        struct rp_trace *t = recorded(launches[i].name, launches[i].size);
        for (size_t n = 0; n < machine_count; n++) {
            struct machine *m = machine_of(&machines[n]);
            struct replay_result all, some;
            timed(t, m, (struct sample_request){0}, &all);
            for (size_t k = 0; k < 3; k++) {
                timed(t, m, samples[k], &some);
                bool part_of = some.sample.instructions < some.sample.all;
                in_part[k] += part_of;
                held[k] += part_of && distance(all.total.cycles, some.total.cycles) <= some.sample.half_width.cycles;
                wide[k] += part_of && !some.sample.reached;
                replayed[k] += part_of ? part(some.sample.instructions, some.sample.all) : 0;
                replay_result_free(&some);
            }
            replay_result_free(&all);
            machine_free(m);
        }
        rp_trace_close(t);
    }
    for (size_t k = 0; k < 3; k++)
        printf("at %.0f %% with %.0f %%: the true cycles lie in the interval in %u of %u replays in part; %u are wider "
               "than was asked for; %.0f %% of the instructions were replayed\n",
               100 * samples[k].error, 100 * samples[k].confidence, held[k], in_part[k], wide[k],
               in_part[k] ? 100 * replayed[k] / in_part[k] : 0);
    fflush(stdout);
}

static void confidences(void)
{
    static const struct launch_case fresh[] = {
        {"reduce_tree", 1 << 19}, {"scan", 1 << 18}, {"stream_copy", 1 << 19},   {"vector_add", 1 << 19},
        {"spmv_vector", 8192},    {"stencil", 384},  {"stream_gather", 1 << 17}, {"transpose_conflicts", 512}};
    static const struct variant machines[] = {{"jetson-tx2", {{"l2.latency", "150"}}},
                                              {"tx2-pastis", {{"l2.latency", "50"}}},
                                              {"rtx2060", {{"sms", "2"}}},
                                              {"rtx2060", {{"sms", "4"}}},
                                              {"gv100", {{"sms", "3"}}}};
    printf("\nMachines of several SMs\n");
    cover_confidences(fresh, COUNT(fresh), machines, COUNT(machines));
}

/* Kernels with barriers: where warps take turns, blocks of an SM come apart slowly, and on few SMs all are replayed. */
static void with_barriers(void)
{
    static const struct launch_case launches[] = {{"reduce_tree", 1 << 22},
                                                  {"scan", 1 << 18},
                                                  {"stencil", 1280},
                                                  {"transpose_padded", 2048},
                                                  {"histogram_shared", 1 << 22}};
    static const struct variant machines[] = {{"v100", {{"sms", "4"}, {"scheduler", "lrr"}}},
                                              {"v100", {{"sms", "9"}, {"scheduler", "lrr"}}},
                                              {"v100", {{"sms", "16"}, {"scheduler", "lrr"}}},
                                              {"orin", {{"sms", "12"}, {"scheduler", "lrr"}}},
                                              {"rtx2060", {{"sms", "10"}, {"scheduler", "two-level"}}},
                                              {"jetson-tx2", {{"sms", "10"}, {"scheduler", "lrr"}}},
                                              {"v100", {{"sms", "3"}, {"scheduler", "gto"}}},
                                              {"jetson-tx2", {{"sms", "4"}, {"scheduler", "oldest"}}}};
    printf("\nKernels with barriers\n");
    cover_confidences(launches, COUNT(launches), machines, COUNT(machines));
}

static void many(struct coverage *c)
{
    struct rp_error err;
    char path[512];
    snprintf(path, sizeof path, "%s", bench_path("sampling-many"));
    const struct many_launches o = {.kernels = 50,
                                    .launches = 100000,
                                    .blocks = 16,
                                    .warps = 4,
                                    .loops = 16,
                                    .launch_spread = 10,
                                    .block_spread = 20,
                                    .random_percent = 20};
    if (!many_launches_write(path, &o, &err))
        die(path, err.text);
    double began = bench_seconds();
    struct rp_trace *t = rp_trace_open(path, &err);
    unlink(path);
    if (!t)
        die(path, err.text);
    double opened = bench_seconds() - began;
    heading("100,000 launches of 50 kernels, 3 % at 95 %");
    compare(t, "many", &(struct variant){"jetson-tx2", {{0}}}, (struct sample_request){0.03, 0.95}, c);
    printf("opening the trace takes %.2f s, with either\n", opened);
    rp_trace_close(t);
}

int main(int argc, char **argv)
{
    struct coverage c = {0};
    const char *which = argc > 1 ? argv[1] : "all";
    bool all = !strcmp(which, "all");
    if (all || !strcmp(which, "blocks"))
        large_launches(&c);
    if (all || !strcmp(which, "cases"))
        all_cases(&c);
    if (all || !strcmp(which, "small"))
        small_machines(&c);
    if (all || !strcmp(which, "launches"))
        many(&c);
    if (all || !strcmp(which, "confidences"))
        confidences();
    if (all || !strcmp(which, "barriers"))
        with_barriers();
    if (!strcmp(which, "waves"))
        large_waves();
    if (!c.replays)
        return 0;
    printf("\nThe true cycles lie in the interval in %u of %u replays, the other statistics in %.1f %% of %u.\n",
           c.held, c.replays, 100 * part(c.statistics_held, c.statistics), c.statistics);
    printf("In %u the interval is wider than was asked for. %u replayed more instructions than there are.\n", c.wide,
           c.more);
    return 0;
}
