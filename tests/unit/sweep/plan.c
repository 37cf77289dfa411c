/* Plans: a file means what the same options mean, and what is wrong in it is named with its line. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tools/sweep/plan.h"

static char path[] = "/tmp/reprise-plan-XXXXXX";

static void setup(void)
{
    int file = mkstemp(path);
    cr_assert(file >= 0);
    close(file);
}
static void teardown(void) { unlink(path); }

static bool read_plan(struct sweep_plan *p, const char *text, struct rp_error *err)
{
    FILE *f = fopen(path, "w");
    cr_assert(f && fputs(text, f) >= 0 && !fclose(f));
    *p = (struct sweep_plan)SWEEP_PLAN;
    return sweep_plan_read(p, path, err);
}

Test(plans, a_file_is_as_the_command_line, .init = setup, .fini = teardown)
{
    struct sweep_plan file, line = SWEEP_PLAN;
    struct rp_error err;
    cr_assert(read_plan(&file,
                        "trace = (\"a.wtr\", \"b.wtr\"); machine = \"m1,m2\"; set = [\"sms=2\"]; stalls = true;\n"
                        "vary = [\"scheduler=gto,lrr\", \"l1.size=8K..32K:x2\"]; exclude = \"sms=2 and trace=b.wtr\";\n"
                        "launch = 3; seed = 9; engine = \"reference\"; launches = false;\n",
                        &err),
              "%s", err.text);
    static const char *const options[][2] = {{"trace", "a.wtr"},
                                             {"trace", "b.wtr"},
                                             {"machine", "m1,m2"},
                                             {"set", "sms=2"},
                                             {"stalls", NULL},
                                             {"vary", "scheduler=gto,lrr"},
                                             {"vary", "l1.size=8K..32K:x2"},
                                             {"exclude", "sms=2 and trace=b.wtr"},
                                             {"launch", "3"},
                                             {"seed", "9"},
                                             {"engine", "reference"}};
    for (size_t i = 0; i < sizeof options / sizeof *options; i++)
        cr_assert(sweep_plan_add(&line, options[i][0], options[i][1], &err), "%s", err.text);
    cr_expect_eq(file.trace_count, 2);
    cr_expect_eq(file.machine_count, 2);
    cr_expect_str_eq(file.traces[1], line.traces[1]);
    cr_expect_str_eq(file.machines[1], line.machines[1]);
    cr_expect_eq(file.detail, line.detail);
    cr_expect_eq(file.replay.launch, line.replay.launch);
    cr_expect_eq(file.replay.seed, line.replay.seed);
    cr_expect_eq(file.replay.engine, line.replay.engine);
    cr_expect_eq(file.axes.key_count, line.axes.key_count);
    cr_expect_eq(sweep_plan_variants(&file, &err), 6);
    cr_expect_str_eq(file.base.settings[0].value, line.base.settings[0].value);
    cr_expect_str_eq(file.excluded.list[0].text, line.excluded.list[0].text);
    sweep_plan_free(&file);
    sweep_plan_free(&line);
}

Test(plans, several_machines_are_the_slowest_axis, .init = setup, .fini = teardown)
{
    struct sweep_plan p;
    struct rp_error err;
    const char *values[MOST_KEYS];
    cr_assert(read_plan(
        &p, "trace = \"a\"; machine = [\"m1\", \"m2\"]; vary = \"sms=1,2\"; exclude = \"machine=m2 and sms=1\";",
        &err));
    cr_assert(sweep_plan_finish(&p, &err), "%s", err.text);
    cr_expect_eq(sweep_plan_variants(&p, &err), 4);
    axes_values(&p.axes, 1, values);
    cr_expect_str_eq(values[0], "2");
    cr_expect_str_eq(values[1], "m1");
    for (size_t v = 0; v < 4; v++)
        cr_expect_eq(sweep_plan_excludes(&p, v, "a"), v == 2);
    sweep_plan_free(&p);
}

Test(plans, refuses, .init = setup, .fini = teardown)
{
    static const char *const rows[][2] = {
        {"trace = \"a\"\nmachine = 3;", ":2: this is no text; write it in quotes"},
        {"\nvari = \"sms=1\";", ":2: a plan has no 'vari'; did you mean 'vary'?"},
        {"threads = 3;",
         ":1: a plan has no 'threads'; it has trace, machine, set, vary, exclude, launch, seed, sample, batches, "
         "confidence, width, engine, launches and stalls"},
        {"launch = -1;", ":1: --launch: '-1' is negative; the least is 0"},
        {"launch = 1.5;", ":1: this is no whole number"},
        {"stalls = 1;", ":1: this is neither true nor false"},
        {"engine = \"slow\";", ":1: --engine slow: there are fast and reference"},
        {"set = \"sms\";", ":1: --set sms: give KEY=VALUE, for example --set scheduler=lrr"},
        {"machine = \"a,,b\";", ":1: --machine: a name is missing; write --machine rtx2060,v100"},
        {"@include \"x\"", ":1: @include is not allowed here"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct sweep_plan p;
        struct rp_error err;
        cr_expect(!read_plan(&p, rows[i][0], &err), "%s", rows[i][0]);
        cr_expect_str_eq(err.text + strlen(path), rows[i][1], "%s", err.text);
        sweep_plan_free(&p);
    }
}
