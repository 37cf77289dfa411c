/* Repeated replays: the SAN paper's examples, intervals that hold what they promise, and the rule that ends them. */
#include "replay/session/repeat.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "replay/session/interval.h"
#include "tests/unit/replay/common.h"

/* NIST/SEMATECH e-Handbook of Statistical Methods, tables 1.3.6.7.1 and 1.3.6.7.2 (two-sided). */
Test(repeat, quantiles)
{
    static const struct {
        double confidence;
        uint64_t degrees;
        double t;
    } table[] = {{0.9, 1, 6.314},  {0.95, 1, 12.706}, {0.95, 2, 4.303},   {0.95, 10, 2.228},
                 {0.99, 5, 4.032}, {0.99, 30, 2.750}, {0.95, 100, 1.984}, {0.998, 60, 3.232}};
    for (size_t i = 0; i < MODEL_COUNT_OF(table); i++)
        cr_expect_float_eq(interval_student(table[i].confidence, table[i].degrees), table[i].t, 0.0006);
    cr_expect_float_eq(interval_normal(0.95), 1.95996, 0.00001);
    cr_expect_float_eq(interval_normal(0.99), 2.57583, 0.00001);
}

Test(repeat, deviation)
{
    struct running r = {0};
    static const double numbers[] = {2, 4, 4, 4, 5, 5, 7, 9};
    cr_expect(isinf(running_half_width(&r, 0.95)));
    for (size_t i = 0; i < MODEL_COUNT_OF(numbers); i++)
        running_add(&r, numbers[i]);
    cr_expect_float_eq(r.mean, 5, 1e-12);
    cr_expect_float_eq(running_deviation(&r), sqrt(32.0 / 7), 1e-12);
}

/* The instructions of the paper's examples. */
static const struct warp_op integer_store[] = {OP(INT, NO, NO, NO), ACCESS(GLOBAL, true, NO, 4, WARP_TRACE_OUTPUT)};
static const struct warp_op one_load[] = {ACCESS(GLOBAL, false, 1, 4, WARP_TRACE_INPUT)};
static const struct warp_op seven[] = {ACCESS(GLOBAL, false, 1, 4, WARP_TRACE_INPUT),
                                       ACCESS(GLOBAL, false, 2, 4, WARP_TRACE_INPUT),
                                       OP(INT, 3, 1, 2),
                                       OP(FP32, 4, NO, NO),
                                       {.unit_class = RP_CLASS_BARRIER, .destination = NO, .source = {NO, NO, NO}},
                                       ACCESS(SHARED, true, NO, 4, 0)};

struct example {
    const struct warp_op *ops;
    uint32_t count, warps;
    const char *setting;
    double mean, deviation; /* by hand */
};
static const struct example pair = {integer_store, 2, 1, "memory.global_store=0.5,0.3,0.2", 218.0, 228.9454};
static const struct example rare = {one_load, 1, 1, "memory.global_load=0.99,0,0.01", 17.88, 58.5047};
static const struct example certain = {seven, 6, 3, "memory.global_load=1,0,0", 9120, 0};

static struct machine *machine_for(const struct example *e)
{
    return test_machine("san-rtx2080", NULL, (const char *const[]){"sms=1", "subcores=1", e->setting, NULL});
}

static struct rp_trace *trace_for(const struct example *e)
{
    const struct warp_program programs[] = {{e->ops, e->count}, {e->ops, e->count}, {e->ops, e->count}};
    return trace_of(programs, e->warps);
}

static void repeated(struct rp_trace *t, const struct machine *m, const struct repeat_request *q, uint64_t seed,
                     unsigned threads, struct repeat_result *result)
{
    struct rp_error err;
    struct replay_options options = {.launch = -1, .seed = seed, .threads = threads};
    cr_assert(repeat(t, m, &options, q, result, &err), "%s", err.text);
}

static const struct repeat_request papers = {100, 1000, 0.95, 0.1};

Test(repeat, papers_examples)
{
    static const struct {
        const struct example *e;
        uint32_t least, most;
        bool reached;
    } cases[] = {{&pair, 290, 580, true}, {&rare, 1000, 1000, false}, {&certain, 100, 100, true}};
    for (size_t i = 0; i < MODEL_COUNT_OF(cases); i++) {
        struct machine *m = machine_for(cases[i].e);
        struct rp_trace *t = trace_for(cases[i].e);
        struct repeat_request q = papers;
        struct repeat_result r;
        q.width = cases[i].e == &certain ? 0 : q.width;
        repeated(t, m, &q, 1, 1, &r);
        cr_expect(r.known && r.chance);
        cr_expect_float_eq(r.exact.mean, cases[i].e->mean, 1e-3);
        cr_expect_float_eq(sqrt(r.exact.variance), cases[i].e->deviation, 1e-3);
        cr_expect(r.batches >= cases[i].least && r.batches <= cases[i].most, "%u batches", r.batches);
        cr_expect_eq(r.reached, cases[i].reached);
        cr_expect_lt(fabs(r.rows[0].mean - cases[i].e->mean), 4 * sqrt(r.exact.variance / r.batches) + 1e-9);
        repeat_result_free(&r);
        rp_trace_close(t);
        machine_free(m);
    }
}

/* Of 10,000 seeds, 94 to 97 % have the known mean in their interval. */
static void honest(const struct example *e)
{
    struct machine *m = machine_for(e);
    struct rp_trace *t = trace_for(e);
    unsigned within = 0, seeds = 10000;
    for (uint64_t seed = 1; seed <= seeds; seed++) {
        struct repeat_result r;
        repeated(t, m, &papers, seed, 1, &r);
        within += fabs(r.rows[0].mean - r.exact.mean) <= r.rows[0].half_width;
        repeat_result_free(&r);
    }
    cr_assert(within >= 0.94 * seeds && within <= 0.97 * seeds, "%u of %u", within, seeds);
    rp_trace_close(t);
    machine_free(m);
}
Test(repeat, honest_pair) { honest(&pair); }
Test(repeat, honest_rare) { honest(&rare); }

/* nwarps of section 5.1, of N x N threads. */
Test(repeat, warps_of_a_processor)
{
    static const struct {
        const char *machine;
        uint32_t n[5], most[5];
    } table[] = {{"san-rtx2080", {32, 64, 128, 256, 512}, {1, 1, 3, 12, 45}},
                 {"san-quadro-rtx6000", {32, 64, 128, 256, 512}, {1, 1, 2, 8, 29}}};
    for (size_t i = 0; i < MODEL_COUNT_OF(table); i++)
        for (size_t n = 0; n < 5; n++) {
            char path[] = "/tmp/reprise-repeat-XXXXXX";
            struct rp_error err;
            struct engine_exact exact;
            struct warp_program program = {integer_store, 2};
            close(mkstemp(path));
            struct warp_trace *w = warp_trace_begin(path, &err);
            cr_assert(w && warp_trace_launch(w, &program, 1, table[i].n[n] * table[i].n[n] / 32, &err) &&
                          warp_trace_end(w, true, &err),
                      "%s", err.text);
            struct rp_trace *t = rp_trace_open(path, &err);
            struct machine *m = test_machine(table[i].machine, NULL, NULL);
            cr_assert(t && repeat_exact(t, m, &(struct replay_options){.launch = -1}, &exact, &err), "%s", err.text);
            cr_expect_eq(exact.most_warps, table[i].most[n]);
            rp_trace_close(t);
            machine_free(m);
            unlink(path);
        }
}

static void same_results(const struct repeat_result *a, const struct repeat_result *b)
{
    cr_assert_eq(a->batches, b->batches);
    cr_assert_eq(a->row_count, b->row_count);
    cr_assert(!memcmp(a->rows, b->rows, a->row_count * sizeof *a->rows));
    cr_assert(!memcmp(a->cycles, b->cycles, a->batches * sizeof *a->cycles));
}

/* Threads and engines make no difference, seeds do; with the known deviation and without. */
static void check_repeats(const char *name, const char *const *settings)
{
    struct machine *m = test_machine(name, NULL, settings);
    struct rp_trace *t = trace_for(&certain);
    struct repeat_request q = {10, 2000, 0.95, 0.02};
    struct repeat_result one, three, other, reference;
    struct replay_options options = {.launch = -1, .seed = 1, .engine = REPLAY_REFERENCE};
    struct rp_error err;
    repeated(t, m, &q, 1, 1, &one);
    repeated(t, m, &q, 1, 3, &three);
    repeated(t, m, &q, 2, 1, &other);
    cr_assert(repeat(t, m, &options, &q, &reference, &err), "%s", err.text);
    same_results(&one, &three);
    same_results(&one, &reference);
    cr_assert(one.batches > 10 && one.batches < 2000 && one.reached, "%u batches", one.batches);
    cr_assert(other.batches != one.batches || memcmp(other.cycles, one.cycles, one.batches * sizeof *one.cycles));
    repeat_result_free(&one);
    repeat_result_free(&three);
    repeat_result_free(&other);
    repeat_result_free(&reference);
    rp_trace_close(t);
    machine_free(m);
}

Test(repeat, threads_and_engines)
{
    check_repeats("san-rtx2080", (const char *const[]){"sms=1", "subcores=1", NULL});
    check_repeats("san-rtx2080", (const char *const[]){"measure=grid", "classes.barrier.initiation=1", NULL});
    check_repeats("orin-wcet", (const char *const[]){"memory=stochastic", "memory.global_load=0.3,0.6,0.1", NULL});
}

/* No deviation among the first batches does not end the run, unless there can be none. */
Test(repeat, rare_and_unknown)
{
    struct rp_trace *t = trace_for(&rare);
    struct repeat_result r;
    struct repeat_request q = {5, 60, 0.95, 0.1};
    struct machine *m = test_machine(
        "orin-wcet", NULL, (const char *const[]){"memory=stochastic", "memory.global_load=0.999999,0,0.000001", NULL});
    repeated(t, m, &q, 1, 1, &r);
    cr_expect(r.batches == 60 && !r.reached && r.rows[0].deviation == 0);
    repeat_result_free(&r);
    machine_free(m);
    m = test_machine("orin-wcet", NULL, (const char *const[]){"memory=stochastic", NULL});
    repeated(t, m, &q, 1, 1, &r);
    cr_expect(r.batches == 5 && r.reached && r.chance);
    repeat_result_free(&r);
    machine_free(m);
    m = test_machine("orin-wcet", NULL, NULL);
    repeated(t, m, &q, 1, 1, &r);
    cr_expect(r.batches == 1 && r.reached && !r.chance);
    repeat_result_free(&r);
    machine_free(m);
    m = test_machine("orin-wcet", NULL, (const char *const[]){"scheduler=random", NULL});
    repeated(t, m, &q, 1, 1, &r);
    cr_expect(r.chance);
    repeat_result_free(&r);
    machine_free(m);
    rp_trace_close(t);
}
