#include "replay/carveout.h"

#include <string.h>

static int64_t size_of_l1(const struct machine *m)
{
    const struct model *l1 = m->l1.model;
    for (unsigned o = 0; o < l1->option_count; o++)
        if (!strcmp(l1->options[o].key, "size"))
            return m->l1.options[o];
    return 0;
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

const char *carveout_check(const struct machine *m)
{
    size_t count;
    const int64_t *sizes = machine_option_list(m, m->l1_shared_sizes, &count);
    if (!m->l1_unified || !((const struct cache_model *)m->l1.model)->keeps)
        return NULL;
    for (size_t i = 0; i < count; i++)
        if (sizes[i] >= m->l1_unified || (i && sizes[i] <= sizes[i - 1]))
            return "l1.shared_sizes must ascend, and leave some of l1.unified";
    return m->l1_subcores == m->subcores ? NULL : "l1.unified is one array: l1.subcores must be subcores";
}
