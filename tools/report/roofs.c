/* The roofs of a machine, from its options. */
#include <stdlib.h>
#include <string.h>

#include "tools/report/report.h"

struct options {
    option_of_fn *of;
    void *data;
};

static double number(const struct options *o, const char *key, double otherwise)
{
    const char *text = o->of(o->data, key);
    return text ? atof(text) : otherwise;
}

static bool is(const struct options *o, const char *key, const char *value)
{
    const char *text = o->of(o->data, key);
    return text && !strcmp(text, value);
}

/* Bytes that a channel moves in a cycle of the core. Each term is that of its model in hw-models/dram/: a sector of
 * `fixed` takes `interval` cycles; `bandwidth` says it; one of `banked` and `staged` takes t_burst cycles of the
 * memory's clock, at least t_ccd apart. */
static double channel(const struct options *o, double sector, double mhz)
{
    double burst = number(o, "dram.t_burst", 0), apart = number(o, "dram.t_ccd", 0),
           each = burst > apart ? burst : apart;
    if (is(o, "dram.model", "fixed"))
        return number(o, "dram.interval", 0) > 0 ? sector / number(o, "dram.interval", 0) : 0;
    if (is(o, "dram.model", "bandwidth"))
        return number(o, "dram.bytes_per_cycle", 0);
    if (is(o, "dram.model", "banked"))
        return each > 0 ? sector * number(o, "dram.clock", 1) / each : 0;
    if (is(o, "dram.model", "staged"))
        return each > 0 && mhz > 0 ? sector * number(o, "dram.clock_mhz", 0) / mhz / each : 0;
    return 0;
}

/* What comes from device memory is a sector of L2, or what the coalescer makes where there is no L2. */
static double sector_of(const struct options *o)
{
    double sector = number(o, "dram.sector", 0);
    sector = sector > 0 ? sector : number(o, "l2.sector", 0);
    sector = sector > 0 ? sector : number(o, "coalescer.size", 0);
    return sector > 0 ? sector : 32;
}

struct roofs roofs_of(option_of_fn *of, void *data)
{
    struct options o = {of, data};
    struct roofs r = {.sector = sector_of(&o), .mhz = number(&o, "clock_mhz", 0)};
    bool cores = is(&o, "kind", "cores");
    r.issue = cores ? number(&o, "cores", 1)
                    : number(&o, "sms", 1) * number(&o, "subcores", 1) * number(&o, "issue.width", 1);
    if (cores || is(&o, "memory.model", "hierarchy"))
        r.memory = number(&o, "dram.channels", 1) * channel(&o, r.sector, r.mhz);
    return r;
}

json_t *roofs_json(const struct roofs *r)
{
    return json_pack("{s:f, s:f, s:f, s:f}", "issue", r->issue, "memory", r->memory, "sector", r->sector, "mhz",
                     r->mhz);
}
