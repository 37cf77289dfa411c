/* Memory that is freed all at once, with a limit on its sum: what a damaged file can make us allocate is bounded. */
#ifndef REPRISE_TRACEFMT_ARENA_H
#define REPRISE_TRACEFMT_ARENA_H

#include <stdbool.h>
#include <stddef.h>

struct arena {
    struct arena_slab *slabs;
    size_t used, limit; /* bytes; limit 0: none */
    bool over;          /* an allocation failed because of the limit, not for lack of memory */
};

/* count × size zeroed bytes, aligned for any type; NULL when over the limit or out of memory. Never NULL for 0 bytes.
 */
void *arena_alloc(struct arena *, size_t count, size_t size);
char *arena_string(struct arena *, const char *);
void *arena_copy(struct arena *, const void *data, size_t count, size_t size);
void arena_free(struct arena *);

#endif
