/* A pool of numbered objects of one size, allocated in blocks and reused. Numbers depend only on the order of calls. */
#ifndef REPRISE_REPLAY_MEMORY_POOL_H
#define REPRISE_REPLAY_MEMORY_POOL_H

#include <stddef.h>
#include <stdint.h>

/* The first member of an object. */
struct pool_item {
    uint32_t id;
    struct pool_item *next_free;
};

#define POOL_BLOCK 256u
#define POOL_ALIGNMENT 64u /* of blocks: a line of the host's caches; divides POOL_BLOCK */

struct pool {
    size_t size; /* of an object */
    char **blocks;
    uint32_t block_count, block_room;
    struct pool_item *free;
};

/* Takes an object; NULL: out of memory. Apart from the id its contents are undefined: those of its last use. */
void *pool_grow(struct pool *);
static inline void *pool_take(struct pool *p)
{
    struct pool_item *item = p->free;
    if (!item)
        return pool_grow(p);
    p->free = item->next_free;
    __builtin_prefetch(p->free, 1); /* the next one to be taken */
    return item;
}
static inline void pool_give(struct pool *p, void *object)
{
    struct pool_item *item = object;
    item->next_free = p->free;
    p->free = item;
}
static inline void *pool_at(const struct pool *p, uint32_t id)
{
    return p->blocks[id / POOL_BLOCK] + id % POOL_BLOCK * p->size;
}
void pool_end(struct pool *);

#endif
