#include "tools/wcet/blocks.h"

#include <stdlib.h>

bool wcet_resident(const struct wcet_model *m, uint64_t *blocks, struct rp_error *err)
{
    struct room block;
    if (!room_of_block(m->machine, m->kernel, m->launch, &block, err))
        return false;
    *blocks = room_count(m->machine, &block, UINT64_MAX);
    return cooperative_fits(m->machine, m->kernel, m->launch, *blocks, err);
}

static int descending(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return x > y ? -1 : x < y;
}

static uint64_t sum(const uint64_t *values, uint64_t count)
{
    uint64_t total = 0;
    for (uint64_t i = 0; i < count; i++)
        total += values[i];
    return total;
}

static uint64_t smaller(uint64_t a, uint64_t b) { return a < b ? a : b; }

/* The most work of the first blocks that one SM gets: block i goes to SM i modulo `sms`. */
static uint64_t most_at_first(const struct wcet_block *blocks, uint64_t first, uint64_t sms)
{
    uint64_t most = 0;
    for (uint64_t s = 0; s < sms && s < first; s++) {
        uint64_t work = 0;
        for (uint64_t i = s; i < first; i += sms)
            work += blocks[i].work;
        most = work > most ? work : most;
    }
    return most;
}

bool wcet_blocks_bound(const struct wcet_block *blocks, uint64_t count, uint64_t resident, uint64_t sms,
                       uint64_t *bound, struct rp_error *err)
{
    uint64_t first = count / sms < resident ? count : resident * sms, later = count - first;
    uint64_t *work = calloc(2 * count, sizeof *work), all = 0;
    if (!work)
        return rp_fail(err, RP_SYSTEM, "out of memory for the blocks of a launch");
    uint64_t *chain = work + count, at_first = most_at_first(blocks, first, sms);
    for (uint64_t i = 0; i < count; i++) {
        work[i] = blocks[i].work;
        chain[i] = blocks[i].chain;
        all += work[i];
    }
    uint64_t to_one = all - sum(work, first); /* all later blocks may come to the same SM */
    qsort(work, count, sizeof *work, descending);
    qsort(chain, count, sizeof *chain, descending);
    *bound = at_first + to_one + sum(chain, later + 1);
    if (later) { /* but while blocks wait, each SM is full */
        uint64_t shared = all + sum(chain, later + sms) + (sms - 1) * (sum(work, resident) + chain[0]);
        *bound = smaller(*bound, shared / sms);
    }
    free(work);
    return true;
}
