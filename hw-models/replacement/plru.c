/* Pseudo-LRU by a tree of bits. A node's bit names the half of its ways that was not used last: the victim is there
 * (Al-Zoubi, Milenkovic, Milenkovic, "Performance evaluation of cache replacement policies for the SPEC CPU2000
 * benchmark suite", ACM-SE 2004: PLRUt). If the number of ways is no power of two, the tree is that of the next power,
 * and halves without ways are skipped. If the victim may not be replaced, the next way that may be is the victim.
 *
 * Node 1 is the root, nodes 2n and 2n + 1 are the lower and upper half of node n. A set has a bit for each node.
 */
#include "hw-models/replacement/replacement.h"

static uint32_t leaves_of(uint32_t ways)
{
    uint32_t leaves = 1;
    while (leaves < ways)
        leaves *= 2;
    return leaves;
}

static uint64_t *tree_of(const struct replacement *r, uint64_t set)
{
    return (uint64_t *)r->state + set * replacement_words(leaves_of(r->ways));
}

static size_t state_size(uint64_t sets, uint32_t ways)
{
    return sets * replacement_words(leaves_of(ways)) * sizeof(uint64_t);
}

/* Sets the bits on the path to this way so that they point away from it. */
static void use(const struct replacement *r, uint64_t set, uint32_t way, uint64_t time, enum cache_hint hint)
{
    uint64_t *tree = tree_of(r, set);
    uint32_t node = 1;
    (void)time;
    (void)hint;
    for (uint32_t half = leaves_of(r->ways) / 2; half; half /= 2) {
        bool upper = way & half;
        uint64_t bit = 1ull << node % 64;
        tree[node / 64] = upper ? tree[node / 64] & ~bit : tree[node / 64] | bit;
        node = 2 * node + upper;
    }
}

static uint32_t victim(const struct replacement *r, uint64_t set, const uint64_t *kept)
{
    const uint64_t *tree = tree_of(r, set);
    uint32_t node = 1, way = 0;
    for (uint32_t half = leaves_of(r->ways) / 2; half; half /= 2) {
        bool upper = (tree[node / 64] >> node % 64 & 1) && way + half < r->ways;
        way += upper ? half : 0;
        node = 2 * node + upper;
    }
    return replacement_next_free(kept, r->ways, way);
}

const struct replacement_policy replacement_plru = {
    .name = "plru",
    .state_size = state_size,
    .use = use,
    .fill = use,
    .victim = victim,
};
