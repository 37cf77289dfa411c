/* Launches that stand in a file twice. */
#include <stdlib.h>
#include <string.h>

#include "tools/compare/ncu.h"

static int compare_names(const char *a, const char *b) { return a == b ? 0 : strcmp(a, b); }

/* By what names a launch; 0: the same launch. */
static int compare_identity(const struct measured_launch *a, const struct measured_launch *b)
{
    int order = compare_names(a->id, b->id);
    order = order ? order : compare_names(a->process, b->process);
    order = order ? order : compare_names(a->host, b->host);
    order = order ? order : compare_names(a->kernel, b->kernel);
    order = order ? order : memcmp(a->grid, b->grid, sizeof a->grid);
    return order ? order : memcmp(a->block, b->block, sizeof a->block);
}

static int by_identity(const void *a, const void *b)
{
    const struct measured_launch *one = *(const struct measured_launch *const *)a;
    const struct measured_launch *other = *(const struct measured_launch *const *)b;
    int order = compare_identity(one, other);
    return order ? order : (one > other) - (one < other);
}

bool ncu_check_repeated(const struct measured *m, struct rp_error *err)
{
    const struct measured_launch **sorted = calloc(m->count + 1, sizeof *sorted), *first = NULL, *again = NULL;
    if (!sorted)
        return rp_fail(err, RP_SYSTEM, "%s: out of memory", m->path);
    for (size_t i = 0; i < m->count; i++)
        sorted[i] = &m->launches[i];
    qsort(sorted, m->count, sizeof *sorted, by_identity);
    for (size_t i = 1; i < m->count; i++)
        if ((!again || sorted[i] < again) && !compare_identity(sorted[i - 1], sorted[i])) {
            first = sorted[i - 1];
            again = sorted[i];
        }
    free(sorted);
    return !again ||
           rp_fail(err, RP_BAD_INPUT,
                   "%s, line %zu: launch %s again%s%s, which line %zu has: rows or the whole output stand in "
                   "the file twice; give each launch once",
                   m->path, again->line, again->id, *again->process ? " of process " : "", again->process, first->line);
}

bool measured_same_values(const struct measured_launch *a, const struct measured_launch *b)
{
    for (int q = 0; q < QUANTITY_COUNT; q++)
        if (a->has[q] != b->has[q] || (a->has[q] && (a->value[q] < b->value[q] || a->value[q] > b->value[q])))
            return false;
    return true;
}
