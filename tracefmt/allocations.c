/* The allocations that exist when a launch begins: from the launch's own list, or from the host operations before it.
 */
#include <stdlib.h>
#include <string.h>

#include "tracefmt/reader_internal.h"

/* Sorts operations by address, and those at one address in the order of the trace: the last one says what is there. */
static int by_address(const void *a, const void *b)
{
    const struct rp_host_operation *x = *(const struct rp_host_operation *const *)a,
                                   *y = *(const struct rp_host_operation *const *)b;
    if (x->address != y->address)
        return x->address < y->address ? -1 : 1;
    return x < y ? -1 : x > y;
}

static bool changes_allocations(const struct rp_host_operation *o)
{
    return o->kind == RP_HOST_ALLOCATE || o->kind == RP_HOST_FREE;
}

static size_t keep_last(const struct rp_host_operation **sorted, size_t count, struct rp_allocation *out)
{
    size_t kept = 0;
    for (size_t i = 0; i < count; i++) {
        const struct rp_host_operation *o = sorted[i];
        bool last = i + 1 == count || sorted[i + 1]->address != o->address;
        if (last && o->kind == RP_HOST_ALLOCATE)
            out[kept++] = (struct rp_allocation){o->address, o->size, o->name, o->initialised, o->device};
    }
    return kept;
}

static bool from_operations(const struct rp_trace *t, uint32_t launch, struct rp_allocation **list, size_t *count)
{
    const struct rp_host_operation *all = t->tables.operations;
    size_t changes = 0, n = 0;
    while (n < t->tables.operation_count && all[n].launch <= launch)
        changes += changes_allocations(&all[n++]);
    const struct rp_host_operation **sorted = malloc((changes + 1) * sizeof *sorted);
    *list = malloc((changes + 1) * sizeof **list);
    if (sorted && *list) {
        changes = 0;
        for (size_t i = 0; i < n; i++)
            if (changes_allocations(&all[i]))
                sorted[changes++] = &all[i];
        qsort(sorted, changes, sizeof *sorted, by_address);
        *count = keep_last(sorted, changes, *list);
    }
    bool ok = sorted && *list;
    free(sorted);
    return ok;
}

bool rp_trace_allocations(const struct rp_trace *t, uint32_t launch, struct rp_allocation **list, size_t *count,
                          struct rp_error *err)
{
    const struct rp_launch *l = rp_trace_launch(t, launch);
    *list = NULL;
    *count = 0;
    bool ok = l != NULL;
    if (l && l->allocation_count) {
        *list = malloc(l->allocation_count * sizeof **list);
        *count = l->allocation_count;
        ok = *list;
        if (ok)
            memcpy(*list, l->allocations, *count * sizeof **list);
        for (size_t i = 0; ok && i < *count; i++)
            (*list)[i].device = l->device;
    } else if (l) {
        ok = from_operations(t, launch, list, count);
    }
    if (ok)
        return true;
    free(*list);
    *list = NULL;
    return rp_fail(err, RP_SYSTEM, "%s: out of memory for the allocations of a launch", t->path);
}
