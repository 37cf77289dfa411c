#include "tools/compare/quantities.h"

#include <math.h>
#include <string.h>

#include "hw-models/coalescer/coalescer.h"

static const struct quantity_row rows[] = {
#define QUANTITY(id, name, unit, known, value, help) [QUANTITY_##id] = {name, unit, help},
#define METRIC(metric, id, factor)
#include "tools/compare/quantities.def"
};

static const struct {
    const char *metric;
    enum quantity quantity;
    double factor;
} metrics[] = {
#define QUANTITY(id, name, unit, known, value, help)
#define METRIC(metric, id, factor) {metric, QUANTITY_##id, factor},
#include "tools/compare/quantities.def"
};

const struct quantity_row *quantity(enum quantity q) { return &rows[q]; }

enum quantity quantity_of_metric(const char *metric, double *factor, unsigned *rank)
{
    for (unsigned i = 0; i < MODEL_COUNT_OF(metrics); i++)
        if (!strcmp(metrics[i].metric, metric)) {
            *factor = metrics[i].factor;
            *rank = i;
            return metrics[i].quantity;
        }
    return QUANTITY_COUNT;
}

static bool coalesces_into_sectors(const struct machine *m)
{
    return ((const struct coalescer_model *)m->coalescer.model)->period(m->coalescer.options) == COALESCER_FINEST;
}

static bool has_device_memory(const struct machine *m) { return strcmp(m->dram.model->name, "none"); }

bool quantity_replayed(enum quantity q, const struct quantity_source *of, double *value)
{
    const struct machine *m = of->machine;
    const struct statistics *s = of->statistics;
    const struct rp_kernel *k = of->kernel;
    const double clock = of->clock;
    switch (q) {
#define QUANTITY(id, name, unit, known, given, help)                                                                   \
    case QUANTITY_##id:                                                                                                \
        return (known) ? *value = (double)(given), true : false;
#define METRIC(metric, id, factor)
#include "tools/compare/quantities.def"
    default: return false;
    }
}

double quantity_error(enum quantity q, double measured, double replayed)
{
    if (!strcmp(rows[q].unit, "%"))
        return (replayed - measured) / 100;
    if (measured == 0)
        return replayed == 0 ? 0 : INFINITY;
    return replayed / measured - 1;
}
