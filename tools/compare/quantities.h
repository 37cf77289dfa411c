/* Quantities that GPUs measure and replays count: one table (quantities.def) names them, says which metrics of Nsight
 * Compute they are, and computes them of a launch's statistics. */
#ifndef REPRISE_TOOLS_COMPARE_QUANTITIES_H
#define REPRISE_TOOLS_COMPARE_QUANTITIES_H

#include "replay/base/machine.h"
#include "replay/base/statistics.h"
#include "tracefmt/trace.h"

enum quantity {
#define QUANTITY(id, name, unit, known, value, help) QUANTITY_##id,
#define METRIC(metric, id, factor)
#include "tools/compare/quantities.def"
    QUANTITY_COUNT
};

struct quantity_row {
    const char *name, *unit, *help; /* unit: "%" for shares, whose errors are differences in points */
};
const struct quantity_row *quantity(enum quantity);

/* A launch that was replayed. */
struct quantity_source {
    const struct machine *machine;
    const struct statistics *statistics;
    const struct rp_kernel *kernel;
    double clock; /* MHz, by which cycles are a time; 0: not known */
};
/* False: the machine or the launch has no such quantity. */
bool quantity_replayed(enum quantity, const struct quantity_source *, double *value);

/* The quantity that a metric of ncu is, by its name ("sm__cycles_active.avg") or its label on the page of details ("SM
 * Active Cycles"); *factor: of the metric's value in base units; *rank: its place in the table. QUANTITY_COUNT: none.
 */
enum quantity quantity_of_metric(const char *metric, double *factor, unsigned *rank);

/* The replayed value's error: a part of the measured one, 0.1 for 10 % too much, or for quantities in % the difference
 * in points / 100. Both 0: 0; the measured one alone 0: infinite. */
double quantity_error(enum quantity, double measured, double replayed);

#endif
