#include "tracefmt/shape.h"

#include <stdlib.h>
#include <string.h>

#define SHAPE_WORDS RP_WARP_LANES /* at most */
#define SHAPES_FIRST EVEN_WORDS   /* behind SHAPE_UNIFORM */

/* Room for `more` words. False: out of memory. */
static bool reserve(struct rp_chunk *c, size_t more)
{
    size_t capacity = c->shape_capacity ? c->shape_capacity : 1024;
    while (capacity < c->shape_words + SHAPES_FIRST + more)
        capacity *= 2;
    if (capacity > c->shape_capacity) {
        uint64_t *larger = c->failed ? NULL : realloc(c->shapes, capacity * sizeof *larger);
        if (!larger) {
            c->failed = true;
            return false;
        }
        c->shapes = larger;
        c->shape_capacity = capacity;
    }
    if (!c->shape_words) {
        c->shapes[SHAPE_UNIFORM] = c->shapes[SHAPE_UNIFORM + 1] = 0;
        c->shape_words = SHAPES_FIRST;
    }
    return true;
}

/* Nonzero if lanes 1 to 31 do not have these offsets. Compilers do not vectorise it on their own at -O2, hence the
 * vector types (GCC and clang: "Vector Extensions"). */
typedef uint64_t lanes __attribute__((vector_size(32), aligned(8), may_alias));
#define DEFINE_DIFFERS(name, attribute)                                                                                \
    attribute static uint64_t name(const uint64_t *shape, uint64_t base, const uint64_t address[RP_WARP_LANES])        \
    {                                                                                                                  \
        const lanes *at = (const lanes *)address, *offset = (const lanes *)shape, but_first = {0, -1, -1, -1};         \
        lanes different = ((at[0] - base) ^ offset[0]) & but_first;                                                    \
        for (unsigned i = 1; i < RP_WARP_LANES / 4; i++)                                                               \
            different |= (at[i] - base) ^ offset[i];                                                                   \
        return different[0] | different[1] | different[2] | different[3];                                              \
    }
DEFINE_DIFFERS(differs_anywhere, )
#ifdef __x86_64__
DEFINE_DIFFERS(differs_avx2, __attribute__((target("avx2"))))
#endif

static bool differs(const uint64_t *shape, uint64_t base, const uint64_t address[RP_WARP_LANES])
{
#ifdef __x86_64__
    if (__builtin_cpu_supports("avx2"))
        return differs_avx2(shape, base, address);
#endif
    return differs_anywhere(shape, base, address);
}

/* Whether offsets of lanes are even. If so, sets the stride. */
static bool even(const uint64_t *offset, rp_lanemask mask, uint64_t *stride)
{
    const unsigned lowest = (unsigned)__builtin_ctz(mask);
    rp_lanemask rest = mask & (mask - 1);
    const uint64_t apart = (unsigned)__builtin_ctz(rest) - lowest, first = offset[0];
    rest &= rest - 1;
    if (rest && offset[1] * apart != first * ((unsigned)__builtin_ctz(rest) - lowest))
        return false; /* most are not, and a division takes long */
    *stride = (uint64_t)((int64_t)first / (int64_t)apart);
    uint64_t uneven = first ^ *stride * apart;
    for (; rest; rest &= rest - 1)
        uneven |= *++offset ^ *stride * ((unsigned)__builtin_ctz(rest) - lowest);
    return !uneven;
}

static void count(struct rp_chunk *c, unsigned words)
{
    c->shape_count++;
    c->pattern_bytes += sizeof(struct rp_pattern) + (words - 1) * sizeof(int32_t);
}

static uint32_t add(struct rp_chunk *c, unsigned words)
{
    const size_t shape = c->shape_words;
    c->shape_words += words;
    count(c, words);
    return (uint32_t)shape;
}

/* The even shape, which its operand has not had before. Most operands have the same one: then rp_log_affine_access
 * need not look into it. */
static uint32_t find_even(struct rp_chunk *c, uint64_t stride)
{
    if (c->last_even != NO_PATTERN && c->even_stride == stride) {
        c->shapes_shared++;
        count(c, EVEN_WORDS);
        return c->last_even - 1;
    }
    c->shapes[c->shape_words] = 0;
    c->shapes[c->shape_words + 1] = stride;
    c->even_stride = stride;
    c->last_even = add(c, EVEN_WORDS) + 1;
    return c->last_even - 1;
}

uint32_t shape_find(struct rp_chunk *c, uint32_t last, rp_lanemask mask, uint64_t base,
                    const uint64_t address[RP_WARP_LANES])
{
    const rp_lanemask others = mask & (mask - 1);
    if (!reserve(c, SHAPE_WORDS))
        return NO_PATTERN;
    if (!others)
        return SHAPE_UNIFORM;
    const uint64_t *before = &c->shapes[last ? last - 1 : SHAPE_UNIFORM];
    if (!~mask && *before == mask && !differs(before, base, address))
        return last - 1;
    uint64_t *shape = &c->shapes[c->shape_words], stride;
    unsigned words = 1;
    for (rp_lanemask rest = others; rest; rest &= rest - 1)
        shape[words++] = address[__builtin_ctz(rest)] - base;
    if (even(shape + 1, mask, &stride)) {
        if (!*before && before[1] == stride)
            return last ? last - 1 : SHAPE_UNIFORM;
        return find_even(c, stride);
    }
    if (*before == mask && !memcmp(before + 1, shape + 1, (words - 1) * sizeof *shape))
        return last - 1;
    shape[0] = mask;
    return add(c, words);
}

bool shape_absorb(struct rp_chunk *to, const struct rp_chunk *from, uint32_t *greater)
{
    const size_t words = from->shape_words > SHAPES_FIRST ? from->shape_words - SHAPES_FIRST : 0;
    if (!reserve(to, words))
        return false;
    *greater = (uint32_t)(to->shape_words - SHAPES_FIRST);
    if (words)
        memcpy(to->shapes + to->shape_words, from->shapes + SHAPES_FIRST, words * sizeof *to->shapes);
    to->shape_words += words;
    to->shape_count += from->shape_count;
    to->shapes_shared += from->shapes_shared;
    to->pattern_bytes += from->pattern_bytes;
    return true;
}

bool shape_same_content(const struct rp_chunk *c, uint32_t a, uint32_t b)
{
    if (c->shapes[a] != c->shapes[b])
        return false;
    const unsigned words = c->shapes[a] ? rp_lane_count((rp_lanemask)c->shapes[a]) : EVEN_WORDS;
    return !memcmp(&c->shapes[a], &c->shapes[b], words * sizeof *c->shapes);
}
