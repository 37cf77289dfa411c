/* Algorithm 1 equals the reference engine's replay of one warp in the issue, dispatch and writeback of every
 * instruction: random warps on random machines, and warps of the kernels of tests/kernels. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tests/support/issue_log.h"
#include "tests/support/kernel_case.h"
#include "tests/support/one_warp.h"
#include "tests/support/soundness.h"
#include "tests/unit/wcet/common.h"

struct pair {
    const struct wcet_instant *expected;
    size_t at, count;
    uint64_t differences;
};

static void compare(struct pair *p, const struct logged_issue *i)
{
    const struct wcet_instant *e = &p->expected[p->at++];
    p->differences += p->at > p->count || e->index != i->issue.index || e->issue != i->issue.cycle ||
                      e->dispatch != i->dispatch || e->writeback != i->done;
}

struct instants {
    struct wcet_instant *list;
    size_t count, capacity;
};

static void collect(void *data, const struct wcet_instant *i)
{
    struct instants *all = data;
    if (all->count == all->capacity) {
        all->capacity = all->capacity ? 2 * all->capacity : 256;
        all->list = realloc(all->list, all->capacity * sizeof *all->list);
        cr_assert(all->list);
    }
    all->list[all->count++] = *i;
}

/* The warp's times with barriers that only it arrives at. */
static void analyse_alone(struct rp_trace *t, const struct machine *m, struct instants *out)
{
    struct rp_error err;
    struct wcet_model model;
    struct wcet_warp warp;
    struct wcet_sink sink = {.instant = collect, .data = out};
    const struct rp_launch *l = rp_trace_launch(t, 0);
    uint64_t instructions = 0;
    cr_assert(wcet_model_begin(&model, m, rp_trace_kernel(t, l->kernel), l, ALL_EXTENSIONS, &err), "%s", err.text);
    cr_assert(wcet_warp_begin(&warp, &model, &sink, &err));
    warp.sections_run_on = true;
    struct rp_block *b = rp_block_open(t, 0, 0, &err);
    struct wcet_steps steps;
    cr_assert(b && wcet_steps_open(&steps, b, l, 0, &err), "%s", err.text);
    wcet_warp_open(&warp, 0);
    cr_assert_eq(wcet_run_section(&warp, &steps, &instructions, &err), 0);
    wcet_warp_close(&warp, true);
    wcet_steps_close(&steps);
    rp_block_close(b);
    wcet_warp_end(&warp);
    wcet_model_end(&model);
}

/* How many instructions were compared. */
static uint64_t same(struct rp_trace *t, const struct machine *m, const char *what)
{
    struct rp_error err;
    struct instants expected = {0};
    analyse_alone(t, m, &expected);
    struct pair pair = {.expected = expected.list, .count = expected.count};
    struct issue_log log = {0};
    const struct observer observer = issue_log_observer(&log);
    struct replay_options options = {.engine = REPLAY_REFERENCE, .launch = -1, .observer = &observer};
    struct replay_result result;
    cr_assert(replay(t, m, &options, &result, &err), "%s: %s", what, err.text);
    for (size_t i = 0; i < log.count; i++)
        compare(&pair, &log.list[i]);
    issue_log_free(&log);
    cr_expect_eq(pair.at, pair.count, "%s", what);
    cr_expect_eq(pair.differences, 0, "%s: %llu of %zu instructions differ", what, (unsigned long long)pair.differences,
                 pair.count);
    replay_result_free(&result);
    free(expected.list);
    return pair.count;
}

Test(alone, random_warps)
{
    uint64_t compared = 0;
    for (uint64_t seed = 0; seed < 400; seed++) {
        struct rp_error err;
        char what[32];
        snprintf(what, sizeof what, "seed %llu", (unsigned long long)seed);
        struct rp_trace *t = soundness_warp(seed, &err);
        struct machine *m = soundness_machine(seed, &err);
        cr_assert(t && m, "%s", err.text);
        compared += same(t, m, what);
        machine_free(m);
        rp_trace_close(t);
    }
    cr_expect_gt(compared, 2000);
}

/* Warp 0 of the first and warp 0 of the last block, and the last warp of the first: of up to three launches. */
static uint64_t warps_of(struct rp_trace *t, const struct machine *m, const char *name)
{
    struct rp_error err;
    char path[] = "/tmp/reprise-alone-XXXXXX";
    cr_assert_geq(mkstemp(path), 0);
    uint64_t compared = 0;
    uint32_t launches = rp_trace_launch_count(t) < 3 ? rp_trace_launch_count(t) : 3;
    for (uint32_t i = 0; i < 3 * launches; i++) {
        const struct rp_launch *l = rp_trace_launch(t, i / 3);
        uint64_t block = i % 3 == 1 ? rp_launch_blocks(l) - 1 : 0;
        uint32_t warp = i % 3 == 2 ? rp_launch_warps(l) - 1 : 0;
        cr_assert(one_warp_write(path, t, i / 3, block, warp, &err), "%s: %s", name, err.text);
        struct rp_trace *one = rp_trace_open(path, &err);
        cr_assert(one, "%s: %s", name, err.text);
        compared += same(one, m, name);
        rp_trace_close(one);
    }
    unlink(path);
    return compared;
}

/* ptx_memory has barriers of some of its warps, numbered in registers: that is refused. */
static bool refused(struct rp_trace *t, const struct machine *m)
{
    struct rp_error err;
    struct wcet_model model;
    const struct rp_launch *l = rp_trace_launch(t, 0);
    return !wcet_model_begin(&model, m, rp_trace_kernel(t, l->kernel), l, ALL_EXTENSIONS, &err) &&
           strstr(err.text, "only barriers of the whole block are covered");
}

Test(alone, warps_of_every_kernel)
{
    struct machine *m = orin(NULL, 0);
    uint64_t compared = 0;
    unsigned kernels = 0;
    for (const struct kernel_case *const *c = kernel_cases; *c; c++, kernels++) {
        struct rp_error err;
        char path[] = "/tmp/reprise-case-XXXXXX";
        cr_assert_geq(mkstemp(path), 0);
        cr_assert(kernel_run(*c, &(struct kernel_options){.threads = 1, .trace = path, .skip_check = true}, NULL, &err),
                  "%s: %s", (*c)->name, err.text);
        struct rp_trace *t = rp_trace_open(path, &err);
        cr_assert(t, "%s: %s", (*c)->name, err.text);
        if (!strcmp((*c)->name, "ptx_memory"))
            cr_expect(refused(t, m));
        else
            compared += warps_of(t, m, (*c)->name);
        rp_trace_close(t);
        unlink(path);
    }
    cr_expect_gt(kernels, 40);
    cr_expect_gt(compared, 10000);
    machine_free(m);
}
