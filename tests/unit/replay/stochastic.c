/* Memory that draws, and the pipeline one-at-a-time: engines, batches, threads and closed form against one another. */
#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "replay/engines/processors/processors.h"
#include "replay/session/engines.h"
#include "replay/session/machine_open.h"
#include "replay/session/replay.h"
#include "tests/support/full.h"
#include "tests/support/synthetic_trace.h"

/* The known answers of Random123's kat_vectors for philox4x32, 10 rounds, given as words 0, 1 and 2, 3 of 32 bits. */
Test(stochastic, generator)
{
    struct random_bits zero = random_philox(0, 0, 0), ones = random_philox(~0ull, ~0ull, ~0ull),
                       pi = random_philox(0x299f31d0a4093822ull, 0x85a308d3243f6a88ull, 0x0370734413198a2eull);
    cr_assert(zero.word[0] == 0xe169c58d6627e8d5ull && zero.word[1] == 0x9b00dbd8bc57ac4cull);
    cr_assert(ones.word[0] == 0x41c83b0e408f276dull && ones.word[1] == 0x6d5451fda20bc7c6ull);
    cr_assert(pi.word[0] == 0x94fdccebd16cfe09ull && pi.word[1] == 0x24126ea15001e420ull);
}

static struct machine *open_machine(const char *name, const struct machine_setting *settings, size_t count)
{
    struct rp_error err;
    struct machine *m =
        machine_open(&(struct machine_request){.name = name, .settings = settings, .setting_count = count}, &err);
    cr_assert(m, "%s", err.text);
    return m;
}

/* Probabilities are 0 or not small, so that 10,000 batches say something of deviations. */
static struct machine *random_machine(uint64_t seed)
{
    static const char *const choices[][6] = {
        {"scheduler", "serial", "lrr", "gto", "random", "oldest"},
        {"placement", "even", "warp-id", "balanced"},
        {"measure", "processor", "grid"},
        {"sms", "1", "2", "3"},
        {"subcores", "1", "2", "4"},
        {"limits.warps", "1", "4", "64"},
        {"issue_exit", "true", "false"},
        {"shared", "ideal", "pastis"},
        {"memory.draw", "warp", "transaction"},
        {"memory.shared", "local", "separate"},
        {"memory.global_load", "1,0,0", "0.3,0.6,0.1", "0,0,1", "0.5,0.25,0.25"},
        {"memory.global_store", "1,0,0", "0.3,0.6,0.1", "0,0,1", "0.5,0.25,0.25"},
        {"memory.local_load", "1,0,0", "0.3,0.6,0.1", "0,0,1", "0.5,0.25,0.25"},
        {"memory.local_store", "1,0,0", "0.3,0.6,0.1", "0,0,1", "0.5,0.25,0.25"},
        {"memory.cost.l1", "12", "400", "700"},
        {"spaces.global.initiation", "1", "50"},
        {"spaces.shared.latency", "0", "9"},
    };
    struct machine_setting settings[MODEL_COUNT_OF(choices)];
    for (size_t i = 0; i < MODEL_COUNT_OF(choices); i++) {
        size_t values = 0;
        while (values < 5 && choices[i][values + 1])
            values++;
        settings[i] = (struct machine_setting){choices[i][0], choices[i][1 + synthetic_random(&seed) % values]};
    }
    return open_machine("san-rtx2080", settings, MODEL_COUNT_OF(choices));
}

static struct rp_trace *random_trace(const char *path, uint64_t seed, bool small)
{
    struct rp_error err;
    struct synthetic_options o = synthetic_random_options(seed);
    o.threads = o.threads > 200 ? 200 : o.threads;
    o.blocks = o.blocks > 7 ? 7 : o.blocks;
    o.iterations = small ? 1 : 2;
    o.phase_length = small ? 4 : 8;
    o.memory_percent = o.memory_percent < 20 ? 20 : o.memory_percent;
    if (small) {
        o.launches = 1 + seed % 2;
        o.threads = o.threads > 64 ? 64 : o.threads;
        o.blocks = o.blocks > 3 ? 3 : o.blocks;
        o.phases = 2;
    }
    cr_assert(synthetic_trace_write(path, &o, &err), "%s", err.text);
    struct rp_trace *t = rp_trace_open(path, &err);
    cr_assert(t, "%s", err.text);
    return t;
}

static struct statistics replay_with(struct rp_trace *t, const struct machine *m, const struct replay_options *o)
{
    struct rp_error err;
    struct replay_result result;
    cr_assert(replay(t, m, o, &result, &err), "%s", err.text);
    struct statistics total = result.total;
    replay_result_free(&result);
    return total;
}

static void same(const struct machine *m, const struct statistics *a, const struct statistics *b, uint64_t seed,
                 const char *what)
{
    const char *why = statistics_difference(m, a, b);
    cr_assert_null(why, "seed %llu, machine:\n%s\n%s differ: %s", (unsigned long long)seed, m->text, what, why);
}

static bool batches_of(struct rp_trace *t, const struct machine *m, const struct replay_options *o, uint32_t first,
                       uint32_t count, struct statistics *totals, struct engine_exact *exact, struct rp_error *err)
{
    const struct engine_batches batches = {.trace = t,
                                           .machine = m,
                                           .launch = o->launch,
                                           .seed = o->seed,
                                           .processors = o->processors,
                                           .threads = o->threads,
                                           .first = first,
                                           .count = count};
    return engine_of(m, REPLAY_FAST)->batches(&batches, totals, exact, err);
}

/* The engine that steps, the one that adds up, on one thread and on three, and several batches in one pass. */
static void compare_sums(struct rp_trace *t, const struct machine *m, uint64_t seed)
{
    enum { BATCHES = 3 };
    struct rp_error err;
    struct statistics batches[BATCHES] = {{0}}, threads[BATCHES] = {{0}};
    struct replay_options o = {.launch = -1, .seed = seed, .processors = seed % 3, .batch = 7};
    cr_assert(batches_of(t, m, &o, 7, BATCHES, batches, NULL, &err), "%s", err.text);
    for (; o.batch < 7 + BATCHES; o.batch++) {
        o.engine = REPLAY_FAST;
        struct statistics fast = replay_with(t, m, &o);
        o.engine = REPLAY_REFERENCE;
        struct statistics reference = replay_with(t, m, &o);
        same(m, &fast, &reference, seed, "fast and reference engine");
        same(m, &fast, &batches[o.batch - 7], seed, "a replay and a batch");
    }
    o.threads = 3;
    cr_assert(batches_of(t, m, &o, 7, BATCHES, threads, NULL, &err), "%s", err.text);
    for (unsigned b = 0; b < BATCHES; b++)
        same(m, &batches[b], &threads[b], seed, "one thread and three");
}

/* Mean within 4 standard errors, deviation within 5 %. */
static void compare_exact(struct rp_trace *t, const struct machine *m, uint64_t seed)
{
    enum { BATCHES = 10000 };
    struct rp_error err;
    struct engine_exact exact, threads;
    struct statistics *batches = calloc(BATCHES, sizeof *batches);
    struct replay_options o = {.launch = -1, .seed = seed, .threads = 1};
    cr_assert(batches && batches_of(t, m, &o, 0, BATCHES, batches, &exact, &err), "%s", err.text);
    o.threads = 3;
    cr_assert(batches_of(t, m, &o, 0, 0, NULL, &threads, &err), "%s", err.text);
    cr_assert(exact.mean == threads.mean && exact.variance == threads.variance && exact.known == threads.known);
    double mean = 0, variance = 0;
    for (unsigned b = 0; b < BATCHES; b++)
        mean += (double)batches[b].cycles / BATCHES;
    for (unsigned b = 0; b < BATCHES; b++)
        variance += ((double)batches[b].cycles - mean) * ((double)batches[b].cycles - mean) / (BATCHES - 1);
    /* cycles of a launch are rounded to whole ones, at random by at most a half */
    double rounding = 0.501 * rp_trace_launch_count(t), error = 4 * sqrt(exact.variance / BATCHES) + rounding;
    if (exact.known) {
        cr_assert(fabs(mean - exact.mean) <= error, "seed %llu, machine:\n%s\nmean %.3f, known is %.3f",
                  (unsigned long long)seed, m->text, mean, exact.mean);
        cr_assert(fabs(sqrt(variance) - sqrt(exact.variance)) <= 0.05 * sqrt(exact.variance) + rounding,
                  "seed %llu, machine:\n%s\ndeviation %.3f, known is %.3f", (unsigned long long)seed, m->text,
                  sqrt(variance), sqrt(exact.variance));
    } else {
        cr_assert(mean >= exact.mean - error, "the slowest is faster than the mean");
    }
    free(batches);
}

static void random_programs(uint64_t first, uint64_t count, bool small,
                            void (*compare)(struct rp_trace *, const struct machine *, uint64_t seed))
{
    char path[] = "/tmp/reprise-stochastic-XXXXXX";
    cr_assert_geq(mkstemp(path), 0);
    for (uint64_t seed = first; seed < first + count; seed++) {
        struct rp_trace *t = random_trace(path, seed, small);
        struct machine *m = random_machine(seed * 104729);
        compare(t, m, seed);
        machine_free(m);
        rp_trace_close(t);
    }
    unlink(path);
}
Test(stochastic, engines_agree) { random_programs(0, 300, false, compare_sums); }
static uint64_t exact_programs(void) { return full_sweep() ? 500 : 250; }
Test(stochastic, closed_form_0) { random_programs(0, exact_programs(), true, compare_exact); }
Test(stochastic, closed_form_1) { random_programs(500, exact_programs(), true, compare_exact); }
