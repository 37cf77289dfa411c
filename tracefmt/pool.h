/* Memory that is freed all at once, with a limit on its total: this bounds what a damaged file can make us allocate. */
#ifndef REPRISE_TRACEFMT_POOL_H
#define REPRISE_TRACEFMT_POOL_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

/* A common limit for several pools and other buffers. */
struct budget {
    atomic_size_t used;
    size_t limit;
};
/* False: this would exceed the limit; nothing is charged. Without a budget (NULL) it succeeds. */
bool budget_charge(struct budget *, size_t bytes);
void budget_refund(struct budget *, size_t bytes);

struct pool {
    struct pool_slab *slabs;
    size_t used, limit;    /* bytes asked for; limit 0: none */
    size_t held;           /* bytes taken from the system, at least `used` */
    struct budget *budget; /* is charged with `held`; NULL: none */
    bool over;             /* an allocation failed because of a limit, not for lack of memory */
    bool out_of_memory;    /* one failed for lack of memory */
};

/* count × size zeroed bytes, aligned for any type; NULL when over the limit or out of memory. Never NULL for 0 bytes.
 */
void *pool_alloc(struct pool *, size_t count, size_t size);
/* A copy of the text, in which bytes that are not UTF-8 become '?'. */
char *pool_string(struct pool *, const char *);
void *pool_copy(struct pool *, const void *data, size_t count, size_t size);
void pool_free(struct pool *);

#endif
