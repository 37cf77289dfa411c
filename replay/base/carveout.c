#include "replay/base/carveout.h"

#include <stdlib.h>
#include <string.h>

/* The index of an option of L1's model; -1: it has no such option. */
static int row_of(const struct machine *m, const char *key)
{
    const struct model *l1 = m->l1.model;
    for (unsigned o = 0; o < l1->option_count; o++)
        if (!strcmp(l1->options[o].key, key))
            return (int)o;
    return -1;
}

static int64_t size_of_l1(const struct machine *m)
{
    int size = row_of(m, "size");
    return size < 0 ? 0 : m->l1.options[size];
}

int64_t carveout_l1(const struct machine *m, uint64_t shared)
{
    size_t count;
    const int64_t *sizes = machine_option_list(m, m->l1_shared_sizes, &count);
    if (!m->l1_unified || !size_of_l1(m))
        return size_of_l1(m);
    size_t i = 0;
    while (i + 1 < count && (uint64_t)sizes[i] < shared)
        i++;
    return m->l1_unified - sizes[i];
}

int64_t carveout_most(const struct machine *m) { return carveout_l1(m, 0); }

void carveout_part(const struct machine *m, int64_t bytes, struct machine_part *l1)
{
    int size = row_of(m, "size"), line = row_of(m, "line"), ways = row_of(m, "ways");
    *l1 = m->l1;
    if (size < 0 || line < 0)
        return;
    int64_t of_line = m->l1.options[line], sets = ways < 0 ? 1 : m->l1.options[size] / of_line / m->l1.options[ways];
    int64_t now = bytes / of_line / (sets ? sets : 1);
    now = now ? now : 1;
    if (ways >= 0)
        l1->options[ways] = now;
    l1->options[size] = now * sets * of_line;
}

void carveout_apply(const struct machine *m, int64_t bytes, struct machine *out)
{
    *out = *m;
    carveout_part(m, bytes, &out->l1);
}

/* Has L1's model check each of its sizes. */
static const char *check_sizes(const struct machine *m, const int64_t *sizes, size_t count)
{
    const char *why = NULL;
    struct machine *fitted = m->l1.model->check ? malloc(sizeof *fitted) : NULL;
    for (size_t i = 0; fitted && i < count && !why; i++) {
        carveout_apply(m, m->l1_unified - sizes[i], fitted);
        why = m->l1.model->check(fitted->l1.options);
    }
    free(fitted);
    return why;
}

const char *carveout_check(const struct machine *m)
{
    size_t count;
    const int64_t *sizes = machine_option_list(m, m->l1_shared_sizes, &count);
    if (!m->l1_unified || !((const struct cache_model *)m->l1.model)->keeps)
        return NULL;
    for (size_t i = 0; i < count; i++)
        if (sizes[i] >= m->l1_unified || (i && sizes[i] <= sizes[i - 1]))
            return "l1.shared_sizes must ascend, and leave some of l1.unified";
    if (m->l1_subcores != m->subcores)
        return "l1.unified is one array: l1.subcores must be subcores, or l1.unified 0";
    if (sizes[count - 1] < m->shared_bytes)
        return "the last of l1.shared_sizes must hold all shared memory, limits.shared";
    return check_sizes(m, sizes, count);
}
