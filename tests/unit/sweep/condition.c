/* Conditions of --exclude. */
#include <criterion/criterion.h>
#include <string.h>

#include "tools/sweep/condition.h"

static struct axes axes;
static const char *values[MOST_KEYS];

static void setup(void)
{
    struct rp_error err;
    cr_assert(axes_add(&axes, "l1.size=64K,64,128K,8K", &err) && axes_add(&axes, "scheduler=lrr,gto", &err) &&
              axes_add(&axes, "subcores=4,64", &err) && axes_add(&axes, "left.out=9,2", &err));
    axes_values(&axes, 0, values);
    values[3] = NULL;
}
static void teardown(void) { axes_free(&axes); }

static bool holds(const char *text)
{
    struct conditions all = {.count = 0};
    struct rp_error err;
    cr_assert(conditions_add(&all, text, &err), "%s", err.text);
    cr_assert(conditions_check(&all, &axes, &err), "%s", err.text);
    bool yes = conditions_hold(&all, &axes, values, "mm.wtr");
    conditions_free(&all);
    return yes;
}

Test(conditions, hold, .init = setup, .fini = teardown)
{
    static const char *const yes[] = {"l1.size=65536",  "l1.size>8K",
                                      "l1.size >= 64K", "l1.size<=64K",
                                      "l1.size!=64",    "scheduler=lrr",
                                      "scheduler!=gto", "subcores<l1.size",
                                      "trace=mm.wtr",   "scheduler = lrr and subcores >= 4 and trace != x.wtr"};
    static const char *const no[] = {
        "l1.size=64", "l1.size>64K", "l1.size<64K",       "scheduler=gto",     "trace=x.wtr",
        "left.out=9", "left.out!=9", "subcores>left.out", "subcores>=l1.size", "scheduler=lrr and subcores>4"};
    for (size_t i = 0; i < sizeof yes / sizeof *yes; i++)
        cr_expect(holds(yes[i]), "%s", yes[i]);
    for (size_t i = 0; i < sizeof no / sizeof *no; i++)
        cr_expect(!holds(no[i]), "%s", no[i]);
}

Test(conditions, one_of_several_suffices, .init = setup, .fini = teardown)
{
    struct conditions all = {.count = 0};
    struct rp_error err;
    cr_expect(!conditions_hold(&all, &axes, values, "mm.wtr"), "none holds of none");
    cr_assert(conditions_add(&all, "scheduler=gto", &err) && conditions_add(&all, "subcores=4", &err));
    cr_expect(conditions_hold(&all, &axes, values, "mm.wtr"));
    cr_expect(!conditions_ask_for_trace(&all));
    cr_assert(conditions_add(&all, "subcores=4 and trace=x", &err));
    cr_expect(conditions_ask_for_trace(&all));
    conditions_free(&all);
}

Test(conditions, refuses, .init = setup, .fini = teardown)
{
    static const char *const wrong[] = {"", "l1.size", "=3", "l1.size=", "l1.size=3 and ", "l1.size=3 and x"};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        struct conditions all = {.count = 0};
        struct rp_error err;
        cr_expect(!conditions_add(&all, wrong[i], &err) && err.status == RP_USAGE, "'%s'", wrong[i]);
        conditions_free(&all);
    }
    struct conditions all = {.count = 0};
    struct rp_error err;
    cr_assert(conditions_add(&all, "sms=3", &err));
    cr_expect(!conditions_check(&all, &axes, &err));
    cr_expect_str_eq(err.text, "--exclude sms=3: sms does not vary; name a key of --vary, machine, or trace");
    conditions_free(&all);
    static const char *const never[] = {"scheduler=lru", "l1.size>1G", "subcores=4 and l1.size<64", "trace=y.wtr",
                                        "scheduler=subcores"};
    for (size_t i = 0; i < sizeof never / sizeof *never; i++) {
        all = (struct conditions){.traces = (char *const[]){"x.wtr"}, .trace_count = 1};
        cr_assert(conditions_add(&all, never[i], &err));
        cr_expect(!conditions_check(&all, &axes, &err) && strstr(err.text, "never holds"), "%s", never[i]);
        conditions_free(&all);
    }
}
