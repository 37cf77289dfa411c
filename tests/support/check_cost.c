#include "tests/support/check_cost.h"

#include "frontend/check/check.h"
#include "tests/support/kernel_case.h"

/* kinds 0: no check at all. */
static bool run_checked(const char *kernel, uint32_t size, unsigned kinds, double *seconds, struct rp_error *err)
{
    struct kernel_options o = {.threads = 1, .size = size, .skip_check = true};
    struct kernel_totals totals;
    if (kinds && !(o.check = rp_check_new(kinds, RP_CHECK_FINDINGS)))
        return rp_fail(err, RP_SYSTEM, "no memory for checks");
    bool ok = kernel_run(kernel_case_find(kernel), &o, &totals, err);
    if (ok && o.check && rp_check_incomplete(o.check))
        ok = rp_fail(err, RP_SYSTEM, "%s: %s", kernel, rp_check_incomplete(o.check));
    rp_check_free(o.check);
    *seconds = totals.cpu_seconds;
    return ok;
}

bool check_cost(const char *kernel, uint32_t size, bool races, unsigned runs, double *times, struct rp_error *err)
{
    const unsigned kinds = races ? RP_CHECK_RACE : RP_CHECK_INIT;
    double best[2] = {0, 0};
    for (unsigned i = 0; i < 2 * runs; i++) {
        double seconds = 0;
        if (!run_checked(kernel, size, i % 2 ? kinds : 0, &seconds, err))
            return false;
        best[i % 2] = i < 2 || seconds < best[i % 2] ? seconds : best[i % 2];
    }
    *times = best[1] / best[0];
    return true;
}
