/* Checks the values of a machine against one another. */
#include "replay/base/machine_check.h"

#include <stdio.h>
#include <string.h>

#include "replay/base/carveout.h"
#include "replay/base/layout.h"
#include "replay/base/machine_parts.h"

/* Whether it is one of these keys, or begins with one that ends in a dot. */
static bool among(const char *key, const char *const *keys, size_t count)
{
    for (size_t k = 0; k < count; k++) {
        size_t n = strlen(keys[k]);
        if (keys[k][n - 1] == '.' ? !strncmp(key, keys[k], n) : !strcmp(key, keys[k]))
            return true;
    }
    return false;
}

static bool set_again(const struct settings *all, size_t i)
{
    for (size_t later = i + 1; later < all->count; later++)
        if (!strcmp(all->items[later].key, all->items[i].key))
            return true;
    return false;
}

/* Fails: the values of these keys contradict one another. The message names those that --set gave, or the file if it
 * gave none of them. */
static bool inconsistent(const struct machine_check *c, const char *const *keys, size_t count, const char *text,
                         struct rp_error *err)
{
    if (c->inconsistent)
        *c->inconsistent = true;
    char place[400] = "";
    for (size_t i = 0; i < c->settings->count; i++) {
        const struct setting *s = &c->settings->items[i];
        size_t at = strlen(place);
        if (!s->line && among(s->key, keys, count) && !set_again(c->settings, i))
            snprintf(place + at, sizeof place - at, "%s%s %.80s=%.80s", at ? " " : "", s->option,
                     s->typed ? s->typed : s->key, s->value);
    }
    bool set = *place;
    size_t at = strlen(place);
    snprintf(place + at, sizeof place - at, "%s: ", set ? "" : c->settings->file);
    return settings_fail(place, set, text, err);
}

static bool divides(const struct machine_check *c, const char *key, int64_t value, struct rp_error *err)
{
    char text[160];
    int64_t subcores = c->machine->subcores;
    snprintf(text, sizeof text, "%s (%d) does not divide subcores (%d)", key, (int)value, (int)subcores);
    return subcores % value == 0 || inconsistent(c, (const char *const[]){key, "subcores"}, 2, text, err);
}

/* A queue with a bound of 0 would never take anything. */
static bool takes_something(const struct machine_check *c, struct rp_error *err)
{
    const struct machine *m = c->machine;
    const struct {
        const char *key;
        int64_t value;
    } bounds[] = {{"lsu.queue", m->lsu_queue},    {"l1.queue", m->l1_queue}, {"l1.mshrs", m->l1_mshrs},
                  {"port.queue", m->port_queue},  {"l2.queue", m->l2_queue}, {"l2.mshrs", m->l2_mshrs},
                  {"tlb.walkers", m->tlb_walkers}};
    char text[120];
    for (size_t i = 0; i < MODEL_COUNT_OF(bounds); i++) {
        snprintf(text, sizeof text, "%s must not be 0; -1 stands for any number", bounds[i].key);
        if (!bounds[i].value)
            return inconsistent(c, (const char *const[]){bounds[i].key}, 1, text, err);
    }
    return true;
}

/* Each line must lie in one slice and one channel, and slices must be equal. */
static bool fits_together(const struct machine_check *c, struct rp_error *err)
{
    const struct machine *m = c->machine;
    struct memory_layout l;
    memory_layout_of(m, &l);
    uint64_t line = l.l2.shape.line > l.l1.shape.line ? l.l2.shape.line : l.l1.shape.line;
    const char *const slices[] = {"l2."}, *const channels[] = {"l2.", "l1.", "dram."};
    char text[160];
    if (l.slices.interleave & (l.slices.interleave - 1))
        return inconsistent(c, slices, 1, "l2.interleave must be a power of two", err);
    if (l.channels.interleave & (l.channels.interleave - 1))
        return inconsistent(c, channels + 2, 1, "dram.interleave must be a power of two", err);
    const char *why = l.slice.model->check ? l.slice.model->check(l.slice.options) : NULL;
    why = l.l2.keeps && !l.l2.shape.sets ? "size is less than a line" : why;
    if (why) {
        snprintf(text, sizeof text, "l2: in each of %d slices, %s", (int)m->l2_slices, why);
        return inconsistent(c, slices, 1, text, err);
    }
    bool fills = l.l2.keeps && m->l2_fill;
    if (fills && (l.fill & (l.fill - 1) || l.fill < l.l2.shape.sector || l.fill > l.l2.shape.line))
        return inconsistent(c, slices, 1, "l2.fill must be a power of two, at least a sector and at most a line", err);
    snprintf(text, sizeof text, "a line (%d) must lie in one slice (l2.interleave) and one channel (dram.interleave)",
             (int)line);
    bool apart =
        (l.slices.count > 1 && l.slices.interleave < line) || (l.channels.count > 1 && l.channels.interleave < line);
    return !apart || inconsistent(c, channels, 3, text, err);
}

/* The sectors of a request lie in a line, a slice and a channel. */
static bool requests_fit(const struct machine_check *c, struct rp_error *err)
{
    const char *const keys[] = {"port.sectors", "l1.", "l2.", "dram."};
    const int64_t n = c->machine->port_sectors;
    struct memory_layout l;
    memory_layout_of(c->machine, &l);
    const uint64_t sector = 1ull << l.sector_shift, bytes = (uint64_t)n * sector;
    char text[160];
    if (n == 1)
        return true;
    if (n & (n - 1))
        return inconsistent(c, keys, 1, "port.sectors must be 1, 2 or 4", err);
    if (l.l1.keeps && l.l2.keeps && l.l1.shape.sector != l.l2.shape.sector)
        return inconsistent(c, keys, 3, "with port.sectors, L1 and L2 must have sectors of one size", err);
    snprintf(text, sizeof text, "port.sectors (%d of %d bytes) must lie in one line, slice and channel", (int)n,
             (int)sector);
    bool fits = (!l.l1.keeps || bytes <= l.l1.shape.line) && (!l.l2.keeps || bytes <= l.l2.shape.line) &&
                (l.slices.count == 1 || bytes <= l.slices.interleave) &&
                (l.channels.count == 1 || bytes <= l.channels.interleave);
    return fits || inconsistent(c, keys, 4, text, err);
}

/* Checks options that only some hierarchies and engines support. */
static bool fits_engine(const struct machine_check *c, struct rp_error *err)
{
    const struct machine *m = c->machine;
    struct machine_misfit misfit = {0};
    if (!c->fits(m, &misfit))
        return inconsistent(c, misfit.keys, misfit.keys[1] ? 2 : 1, misfit.text, err);
    if (((const struct tlb_model *)m->l2_tlb.model)->keeps && !((const struct tlb_model *)m->tlb.model)->keeps)
        return inconsistent(c, (const char *const[]){"l2_tlb.model", "tlb.model"}, 2,
                            "nothing reaches l2_tlb, for SMs have no TLB: choose a model for tlb, or l2_tlb=none", err);
    if (m->interconnect_clock && m->interconnect.model == &interconnect_direct.model)
        return inconsistent(c, (const char *const[]){"interconnect.clock_mhz", "interconnect.model"}, 2,
                            "interconnect.clock_mhz is that of links: choose interconnect 'crossbar', or leave it 0",
                            err);
    return true;
}

static uint64_t size_of(const struct machine_part *cache) { return (uint64_t)machine_part_value(cache, "size", 0); }

/* To simulate a cache takes memory: a tenth to a fourth of its size. */
static bool caches_can_be(const struct machine_check *c, struct rp_error *err)
{
    enum { MOST_GIB = 4 };
    const struct machine *m = c->machine;
    uint64_t l1 = size_of(&m->l1) * (uint64_t)(m->sms * m->subcores / m->l1_subcores), l2 = size_of(&m->l2);
    char text[160];
    snprintf(text, sizeof text, "the caches of all SMs and L2 have %.1f GiB; at most %d are simulated",
             (double)(l1 + l2) / (1 << 30), MOST_GIB);
    return l1 + l2 <= (uint64_t)MOST_GIB << 30 ||
           inconsistent(c, (const char *const[]){"l1.", "l2.", "sms"}, 3, text, err);
}

/* Refuses caches of the first level that no sub-core would use. */
static bool caches_are_used(const struct machine_check *c, struct rp_error *err)
{
    const struct machine *m = c->machine;
    char text[160];
    int64_t caches = machine_part_value(&m->icache, "caches", 1);
    snprintf(text, sizeof text, "icache.caches (%d) are more than icache.subcores (%d) use", (int)caches,
             (int)m->icache_subcores);
    if (caches > m->icache_subcores)
        return inconsistent(c, (const char *const[]){"icache.caches", "icache.subcores"}, 2, text, err);
    return machine_part_value(&m->constants, "caches", 1) == 1 ||
           inconsistent(c, (const char *const[]){"constants.caches"}, 1,
                        "constants.caches must be 1: all of an SM shares its constant caches", err);
}

/* Of a chip of many cores the engine checks all but device memory. */
static bool cores_consistent(const struct machine_check *c, struct rp_error *err)
{
    const struct machine *m = c->machine;
    struct machine_misfit misfit = {0};
    const char *const dram[] = {"dram."};
    const char *why = m->dram.model->check ? m->dram.model->check(m->dram.options) : NULL;
    char text[300];
    snprintf(text, sizeof text, "dram: %s", why ? why : "");
    if (why)
        return inconsistent(c, dram, 1, text, err);
    if (m->dram_interleave & (m->dram_interleave - 1))
        return inconsistent(c, dram, 1, "dram.interleave must be a power of two", err);
    return c->fits(m, &misfit) || inconsistent(c, misfit.keys, misfit.keys[1] ? 2 : 1, misfit.text, err);
}

static bool units_are_shared_evenly(const struct machine_check *c, struct rp_error *err)
{
    for (uint32_t u = 0; u < c->machine->unit_count; u++) {
        char key[60];
        snprintf(key, sizeof key, "units.%s.subcores", c->machine->unit_name[u]);
        if (!divides(c, key, machine_unit_sharers(c->machine, u), err))
            return false;
    }
    return true;
}

bool machine_consistent(const struct machine_check *c, struct rp_error *err)
{
    struct machine *m = c->machine;
    char text[300], key[40], below[48];
    if (machine_is_cores(m))
        return cores_consistent(c, err);
    if (!divides(c, "l1.subcores", m->l1_subcores, err) || !divides(c, "icache.subcores", m->icache_subcores, err) ||
        !units_are_shared_evenly(c, err) || !takes_something(c, err) || !caches_are_used(c, err) ||
        !caches_can_be(c, err) || !fits_engine(c, err))
        return false;
    const char *uneven = carveout_check(m);
    if (uneven)
        return inconsistent(c, (const char *const[]){"l1.", "subcores", "limits.shared"}, 3, uneven, err);
    if (m->warm_l2 && !((const struct cache_model *)m->l2.model)->keeps) {
        snprintf(text, sizeof text, "warm_l2 warms nothing: l2.model is '%s'", m->l2.model->name);
        return inconsistent(c, (const char *const[]){"warm_l2", "l2.model"}, 2, text, err);
    }
    for (size_t p = 0; p < machine_part_count(m); p++) {
        enum model_kind kind;
        const struct machine_part *part = machine_part_of(m, p, &kind, key);
        const char *why = part->model->check ? part->model->check(part->options) : NULL;
        if (!why || part == &m->l2) /* its slices are checked */
            continue;
        snprintf(text, sizeof text, "%s: %s", key, why);
        snprintf(below, sizeof below, "%s.", key);
        return inconsistent(c, (const char *const[]){below}, 1, text, err);
    }
    return fits_together(c, err) && requests_fit(c, err);
}
