/* Memory that is freed all at once, with a limit on its sum: what a damaged file can make us allocate is bounded. */
#ifndef REPRISE_TRACEFMT_POOL_H
#define REPRISE_TRACEFMT_POOL_H

#include <stdbool.h>
#include <stddef.h>

struct pool {
    struct pool_slab *slabs;
    size_t used, limit; /* bytes; limit 0: none */
    bool over;          /* an allocation failed because of the limit, not for lack of memory */
};

/* count × size zeroed bytes, aligned for any type; NULL when over the limit or out of memory. Never NULL for 0 bytes.
 */
void *pool_alloc(struct pool *, size_t count, size_t size);
char *pool_string(struct pool *, const char *);
void *pool_copy(struct pool *, const void *data, size_t count, size_t size);
void pool_free(struct pool *);

#endif
