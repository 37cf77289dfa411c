/* Units, and the initiation and latency of each class of instructions on them. */
#include "tools/gpgpusim/making.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "hw-models/set/models.h"

/* Initiation and latency of a group of instructions. */
struct latency {
    const struct gpgpusim_option *from;
    int64_t latency, initiation;
};

static int64_t initiation_of(struct making *m, const struct gpgpusim_option *from, int64_t cycles)
{
    if (!cycles)
        making_fail(m, from, "an initiation is at least one cycle");
    return cycles;
}

/* From trace.config: "latency,initiation". */
static struct latency trace_latency(struct making *m, const char *name)
{
    struct latency l = {.from = making_find(m, name)};
    int64_t list[2] = {1, 1};
    if (l.from && making_numbers(m, l.from, ",", list, 2) != 2)
        making_fail(m, l.from, "this is not LATENCY,INITIATION");
    l.latency = list[0];
    l.initiation = initiation_of(m, l.from, list[1]);
    return l;
}

/* From a specialised unit, by its name: "-specialized_unit_3 1,4,16,4,4,TENSOR". */
static struct latency special_latency(struct making *m, const char *unit)
{
    for (unsigned i = 1; i <= 8; i++) {
        char name[64];
        snprintf(name, sizeof name, "-specialized_unit_%u", i);
        const struct gpgpusim_option *o = making_find(m, name);
        const char *comma = o ? strrchr(o->value, ',') : NULL;
        if (!comma || o->value[0] != '1' || strcmp(comma + 1, unit))
            continue;
        snprintf(name, sizeof name, "-trace_opcode_latency_initiation_spec_op_%u", i);
        return trace_latency(m, name);
    }
    return (struct latency){0};
}

/* From the options for PTX: one of "ADD,MAX,MUL,MAD,DIV". */
static struct latency ptx_latency(struct making *m, const struct gpgpusim_group *g)
{
    enum { MOST = 8 };
    struct latency l = {.from = g->ptx_latency ? making_find(m, g->ptx_latency) : NULL};
    const struct gpgpusim_option *initiation = l.from ? making_find(m, g->ptx_initiation) : NULL;
    int64_t latencies[MOST] = {0}, initiations[MOST] = {0};
    if (!initiation)
        return (struct latency){0};
    size_t a = making_numbers(m, l.from, ",", latencies, MOST),
           b = making_numbers(m, initiation, ",", initiations, MOST);
    if (g->index >= a || g->index >= b)
        making_fail(m, l.from, "there is no number %u of these latencies or initiations", g->index + 1);
    else
        l = (struct latency){l.from, latencies[g->index], initiation_of(m, initiation, initiations[g->index])};
    return l;
}

static struct latency latency_of(struct making *m, const struct gpgpusim_group *g, bool traces)
{
    struct latency l = {0};
    if (traces && g->trace)
        l = *g->trace == '-' ? trace_latency(m, g->trace) : special_latency(m, g->trace);
    else if (!traces)
        l = ptx_latency(m, g);
    if (!l.from && !g->latency && g->otherwise)
        return latency_of(m, g->otherwise, traces);
    if (!l.from)
        l = (struct latency){NULL, g->latency ? g->latency : 1, g->initiation ? g->initiation : 1};
    return l;
}

/* The unit that executes the group: its specialised unit if there is one. */
static const char *unit_of(struct making *m, const struct gpgpusim_group *g, bool traces)
{
    bool special = g->trace && *g->trace != '-';
    if (special && (!traces || !special_latency(m, g->trace).from) && g->otherwise)
        return unit_of(m, g->otherwise, traces);
    return g->unit;
}

void making_timings(struct making *m, const char *what, const struct gpgpusim_class *list, size_t count, bool traces)
{
    making_line(m, NULL, "%s: {", what);
    for (size_t i = 0; i < count; i++) {
        const struct gpgpusim_group *g = &gpgpusim_groups[list[i].group];
        struct latency l = latency_of(m, g, traces);
        /* HFMA2 has an initiation of 1, and the same total time as others of its unit */
        int64_t initiation = g->initiation_of_trace ? g->initiation_of_trace : l.initiation;
        making_line(m, l.from, "    %s: { unit = \"%s\"; initiation = %" PRId64 "; latency = %" PRId64 "; };",
                    list[i].name, unit_of(m, g, traces), initiation,
                    l.latency > initiation ? l.latency - initiation : 0);
    }
    making_line(m, NULL, "};");
}

void making_units(struct making *m)
{
    static const char *const names[] = {"sp", "sfu", "mem", "dp", "int", "branch", "tex", "tensor", "udp"};
    making_line(m, NULL, "units: {");
    for (size_t i = 0; i < MODEL_COUNT_OF(names); i++)
        making_line(m, NULL, "    %s: { model = \"pipelined\"; };", names[i]);
    making_line(m, NULL, "};");
}
