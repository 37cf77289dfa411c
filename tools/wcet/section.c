/* The bounds of one barrier section: docs/wcet-proofs.md, Definition 3 (gub), Theorem 1 (serial), Theorem 2 (sections).
 */
#include "tools/wcet/analysis.h"

static uint64_t later(uint64_t a, uint64_t b) { return a > b ? a : b; }

/* The sums of all warps at ports. */
struct ports {
    uint64_t kept[WCET_PORTS];
    struct wcet_fetches fetches;
};

/* The sums of all warps of a sub-core. */
struct totals {
    uint64_t exec, initiation[MACHINE_UNITS], count[MACHINE_UNITS];
};

#define MOST_SUBCORES 16

static void add(struct totals *t, const struct wcet_sums *s, uint32_t units)
{
    t->exec += s->exec;
    for (uint32_t u = 0; u < units; u++) {
        t->initiation[u] += s->initiation[u];
        t->count[u] += s->count[u];
    }
}

/* Cycles for which other warps may occupy the ports for which the warp waits. */
static uint64_t at_ports(const struct wcet_sums *s, const struct ports *all)
{
    uint64_t kept = 0;
    for (unsigned p = WCET_NO_PORT + 1; p < WCET_PORTS; p++)
        kept += s->waits[p] ? all->kept[p] - s->port[p] : 0;
    if (s->waits[WCET_PORT_DRAM])
        kept += all->fetches.shared + all->fetches.alone - s->fetches.alone;
    return kept;
}

/* `last`: this is the last section. After any other section a port may still be occupied. */
static void bound_warp(const struct wcet_model *m, const struct wcet_sums *s, const struct totals *t,
                       const struct ports *ports, bool last, struct wcet_section *out)
{
    uint64_t serial = last ? s->alone : s->kept, interference = at_ports(s, ports), through_ports = interference;
    for (uint32_t u = 0; u < m->machine->unit_count; u++) {
        uint64_t busy = t->initiation[u] - s->initiation[u];
        serial += busy;
        interference += s->count[u] && !m->silent[u] ? busy : t->count[u] - s->count[u];
    }
    out->alone = later(out->alone, s->alone);
    out->gub = later(out->gub, s->alone + t->exec - s->exec);
    out->serial = later(out->serial, serial + through_ports);
    out->sections = later(out->sections, (last ? s->waited : s->waited_kept) + interference);
    if (s->silent)
        out->silent = later(out->silent, s->silent + interference);
}

void wcet_section_bounds(const struct wcet_model *m, const struct wcet_sums *warps, uint32_t count,
                         struct wcet_section *out)
{
    uint32_t subcores = (uint32_t)m->machine->subcores;
    struct totals totals[MOST_SUBCORES] = {0};
    struct ports ports = {0};
    bool barrier = false;
    *out = (struct wcet_section){0};
    for (uint32_t w = 0; w < count; w++) {
        add(&totals[w % subcores], &warps[w], m->machine->unit_count);
        for (unsigned p = 0; p < WCET_PORTS; p++)
            ports.kept[p] += warps[w].port[p];
        ports.fetches.alone += warps[w].fetches.alone;
        ports.fetches.shared += warps[w].fetches.shared;
        out->warps += !warps[w].empty;
        out->issues += warps[w].issues;
        barrier |= warps[w].barrier;
    }
    for (uint32_t w = 0; w < count; w++)
        if (!warps[w].empty)
            bound_warp(m, &warps[w], &totals[w % subcores], &ports, !barrier, out);
    uint64_t release = barrier ? (uint64_t)m->machine->barrier_latency : 0;
    out->gub += release;
    out->serial += release;
    out->sections += release;
}
