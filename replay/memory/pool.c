#include "replay/memory/pool.h"

#include <stdlib.h>
#include <string.h>

static int make_room(struct pool *p)
{
    if (p->block_count < p->block_room)
        return 1;
    uint32_t room = p->block_room ? 2 * p->block_room : 8;
    char **blocks = realloc(p->blocks, room * sizeof *blocks);
    if (!blocks)
        return 0;
    p->blocks = blocks;
    p->block_room = room;
    return 1;
}

void *pool_grow(struct pool *p)
{
    char *block = make_room(p) ? aligned_alloc(POOL_ALIGNMENT, POOL_BLOCK * p->size) : NULL;
    if (!block)
        return NULL;
    memset(block, 0, POOL_BLOCK * p->size);
    p->blocks[p->block_count] = block;
    for (uint32_t i = POOL_BLOCK; i-- > 0;) {
        struct pool_item *item = (struct pool_item *)(block + i * p->size);
        item->id = p->block_count * POOL_BLOCK + i;
        if (i)
            pool_give(p, item);
    }
    p->block_count++;
    return block;
}

void pool_end(struct pool *p)
{
    for (uint32_t i = 0; i < p->block_count; i++)
        free(p->blocks[i]);
    free(p->blocks);
    *p = (struct pool){.size = p->size};
}
