/* Lists that grow. */
#ifndef REPRISE_TOOLS_WCET_GROW_H
#define REPRISE_TOOLS_WCET_GROW_H

#include <stdbool.h>
#include <stdlib.h>

/* Makes room for `needed` elements of `size` bytes; a list that grows at least doubles. False: out of memory, and the
 * list is unchanged. */
static inline bool wcet_grow(void **list, size_t needed, size_t *capacity, size_t size)
{
    if (needed <= *capacity)
        return true;
    size_t more = *capacity ? 2 * *capacity : 256;
    more = more < needed ? needed : more;
    void *grown = realloc(*list, more * size);
    if (!grown)
        return false;
    *list = grown;
    *capacity = more;
    return true;
}

#endif
