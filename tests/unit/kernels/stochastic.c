/* The kernels on machines with chance: closed form against 10,000 batches, and differences of one random stream. */
#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>
#include <unistd.h>

#include "replay/session/interval.h"
#include "replay/session/machine_open.h"
#include "replay/session/repeat.h"
#include "tests/support/kernel_case.h"

static struct rp_trace *trace_of(const struct kernel_case *c)
{
    char path[] = "/tmp/reprise-stochastic-XXXXXX";
    struct rp_error err;
    close(mkstemp(path));
    bool fine = kernel_run(c, &(struct kernel_options){.threads = 1, .trace = path, .skip_check = true}, NULL, &err);
    cr_assert(fine, "%s", err.text);
    struct rp_trace *t = rp_trace_open(path, &err);
    cr_assert(t, "%s", err.text);
    unlink(path);
    return t;
}

static struct machine *open_machine(const char *key, const char *value)
{
    struct rp_error err;
    struct machine_setting setting = {key, value};
    struct machine *m =
        machine_open(&(struct machine_request){.name = "san-rtx2080", .settings = &setting, .setting_count = 1}, &err);
    cr_assert(m, "%s", err.text);
    return m;
}

/* One processor: mean within 4 standard errors, deviation within 5 %. */
Test(stochastic, closed_form)
{
    struct machine *m = open_machine("scheduler", "serial");
    unsigned drew = 0;
    for (size_t i = 0; kernel_cases[i]; i++) {
        struct rp_trace *t = trace_of(kernel_cases[i]);
        struct repeat_request q = {10000, 10000, 0.95, 0};
        struct replay_options o = {.launch = -1, .seed = 1, .processors = 1, .threads = 1};
        struct repeat_result r;
        struct rp_error err;
        cr_assert(repeat(t, m, &o, &q, &r, &err), "%s", err.text);
        double deviation = sqrt(r.exact.variance);
        cr_expect(r.known);
        cr_expect(fabs(r.rows[0].mean - r.exact.mean) <= 4 * deviation / 100 + 1e-6 * r.exact.mean,
                  "%s: mean %.3f, known is %.3f", kernel_cases[i]->name, r.rows[0].mean, r.exact.mean);
        cr_expect(fabs(r.rows[0].deviation - deviation) <= 0.05 * deviation, "%s: deviation %.3f, known is %.3f",
                  kernel_cases[i]->name, r.rows[0].deviation, deviation);
        drew += deviation > 0;
        repeat_result_free(&r);
        rp_trace_close(t);
    }
    cr_assert_geq(drew, 40);
    machine_free(m);
}

static uint64_t *cycles_with(struct rp_trace *t, const char *key, const char *value, uint64_t seed, uint32_t batches)
{
    struct machine *m = open_machine(key, value);
    struct repeat_request q = {batches, batches, 0.95, 0};
    struct replay_options o = {.launch = -1, .seed = seed, .threads = 1};
    struct repeat_result r;
    struct rp_error err;
    cr_assert(repeat(t, m, &o, &q, &r, &err), "%s", err.text);
    uint64_t *cycles = r.cycles;
    r.cycles = NULL;
    repeat_result_free(&r);
    machine_free(m);
    return cycles;
}

static double half_width(const uint64_t *a, const uint64_t *b, uint32_t batches)
{
    struct running r = {0};
    for (uint32_t i = 0; i < batches; i++)
        running_add(&r, (double)a[i] - (double)b[i]);
    return running_half_width(&r, 0.95);
}

/* With one random stream intervals of differences are at most a third as wide as with a stream each. */
Test(stochastic, paired_differences)
{
    static const char *const names[] = {"matmul", "gemm", "histogram_shared", "stencil", "transpose_padded"};
    static const struct {
        const char *key, *a, *b;
    } pairs[] = {{"scheduler", "serial", "gto"}, {"memory.cost.dram", "600", "660"}};
    enum { BATCHES = 400 };
    for (size_t k = 0; k < 5; k++) {
        struct rp_trace *t = trace_of(kernel_case_find(names[k]));
        for (size_t p = 0; p < sizeof pairs / sizeof *pairs; p++) {
            uint64_t *a = cycles_with(t, pairs[p].key, pairs[p].a, 1, BATCHES),
                     *same = cycles_with(t, pairs[p].key, pairs[p].b, 1, BATCHES),
                     *other = cycles_with(t, pairs[p].key, pairs[p].b, 2, BATCHES);
            double paired = half_width(a, same, BATCHES), apart = half_width(a, other, BATCHES);
            cr_expect(apart > 0 && paired <= apart / 3, "%s, %s: %.1f against %.1f", names[k], pairs[p].key, paired,
                      apart);
            free(a);
            free(same);
            free(other);
        }
        rp_trace_close(t);
    }
}
