/* Opaque blocks have the phases they are made of, and what that says about bounds made from phases. */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tests/support/opaque.h"
#include "tests/unit/wcet/common.h"

static struct rp_trace *opaque_of(const struct opaque_phase *phases, size_t count, struct opaque_machine *m)
{
    struct rp_error err;
    char path[] = "/tmp/reprise-opaque-XXXXXX";
    int fd = mkstemp(path);
    cr_assert_geq(fd, 0);
    close(fd);
    cr_assert(opaque_write(path, phases, count, m, &err), "%s", err.text);
    struct rp_trace *t = rp_trace_open(path, &err);
    unlink(path);
    cr_assert(t, "%s", err.text);
    return t;
}

static uint64_t cycles_under(struct rp_trace *t, const struct opaque_machine *base, const char *order, const char *low)
{
    struct machine_setting settings[OPAQUE_SETTINGS + 3];
    size_t n = base->count;
    memcpy(settings, base->settings, n * sizeof *settings);
    settings[n++] = (struct machine_setting){"scheduler", "levels"};
    settings[n++] = (struct machine_setting){"scheduler.order", order};
    settings[n++] = (struct machine_setting){"scheduler.low", low};
    struct machine *m = orin(settings, n);
    uint64_t cycles = replayed(t, m, REPLAY_REFERENCE);
    machine_free(m);
    return cycles;
}

/* Two warps of Figure 2, section 2.1: 7 cycles of execution, 1 idle, 2, 4 idle. By hand, the second of them starved:
 * the first executes in [0,7) and [8,10), the second in 7 and [10,16) and, after a cycle that nobody uses, in [17,19);
 * its last result is there at 23. That is the published bound. */
Test(opaque, the_warps_of_figure_2)
{
    const struct opaque_phase phases[] = {{0, 0, 7, false}, {0, 0, 1, true}, {0, 0, 2, false}, {0, 0, 4, true},
                                          {1, 0, 7, false}, {1, 0, 1, true}, {1, 0, 2, false}, {1, 0, 4, true}};
    struct opaque_machine settings;
    struct rp_trace *t = opaque_of(phases, 8, &settings);
    struct machine *m = orin(settings.settings, settings.count);
    struct wcet_bounds b = bounds_of(t, m, 0);
    cr_expect_eq(b.gub, 14 + 9, "Definition 9, as for the block of Figure 3");
    cr_expect_eq(b.unit_bound, 23);
    cr_expect_eq(b.exec, 18);
    cr_expect_eq(b.idle, 10);
    cr_expect_eq(cycles_under(t, &settings, "turns", "2"), 23);
    wcet_bounds_free(&b);
    machine_free(m);
    rp_trace_close(t);
}

/* Work first, idle last: a schedule takes as long as the published bound says, so that nothing made from the sums of
 * phases can be below it. Three warps: 5 and 30, 4 and 6, 7 and 2 cycles. */
Test(opaque, sums_of_phases_allow_no_less_than_the_published_bound)
{
    const struct opaque_phase phases[] = {{0, 0, 5, false}, {0, 0, 30, true}, {1, 0, 4, false},
                                          {1, 0, 6, true},  {2, 0, 7, false}, {2, 0, 2, true}};
    struct opaque_machine settings;
    struct rp_trace *t = opaque_of(phases, 6, &settings);
    struct machine *m = orin(settings.settings, settings.count);
    struct wcet_bounds b = bounds_of(t, m, 0);
    cr_expect_eq(b.gub, 5 + 30 + 4 + 7);
    cr_expect_eq(cycles_under(t, &settings, "turns", "1"), 46);
    wcet_bounds_free(&b);
    machine_free(m);
    rp_trace_close(t);
}

/* A barrier between two sections: results that are under way do not hold it up. By hand, each warp alone on level:
 * section 0: 3 cycles, 10 idle, 2 with the barrier; section 1: 4 cycles. */
Test(opaque, sections_end_in_barriers)
{
    const struct opaque_phase phases[] = {{0, 0, 3, false}, {0, 0, 10, true}, {0, 0, 2, false}, {0, 1, 4, false},
                                          {1, 0, 3, false}, {1, 0, 10, true}, {1, 0, 2, false}, {1, 1, 4, false}};
    struct opaque_machine settings;
    struct rp_trace *t = opaque_of(phases, 8, &settings);
    struct machine *m = orin(settings.settings, settings.count);
    struct wcet_bounds b = bounds_of(t, m, 0);
    cr_expect_eq(b.section_count, 2);
    cr_expect_eq(b.gub, (15 + 5) + (4 + 4));
    /* warp 1 low: 0 in [0,3), 1 in [3,6), 0 in [13,15), 1 in [16,18); then 8 cycles */
    cr_expect_eq(cycles_under(t, &settings, "turns", "2"), 26);
    wcet_bounds_free(&b);
    machine_free(m);
    rp_trace_close(t);
}
