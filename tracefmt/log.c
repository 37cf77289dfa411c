/* Logging what warps do: growing the logs, and turning addresses into patterns. */
#include <stdlib.h>
#include <string.h>

#include "tracefmt/chunk.h"
#include "tracefmt/pattern.h"
#include "tracefmt/shape.h"

/* Doubles an array. Without memory it empties the array instead; the log then goes on in `reserve`. */
static void *grow(struct rp_chunk *c, void *array, size_t *count, size_t *capacity, size_t element, void *reserve)
{
    size_t wanted = *capacity ? *capacity * 2 : 64;
    void *larger = c->failed || wanted > SIZE_MAX / element ? NULL : realloc(array, wanted * element);
    if (larger) {
        *capacity = wanted;
        return larger;
    }
    c->failed = true;
    *count = 0;
    if (array)
        return array;
    *capacity = 1;
    return reserve;
}

void rp_log_grow_runs(struct rp_warp_log *log)
{
    log->runs = grow(log->chunk, log->runs, &log->run_count, &log->run_capacity, sizeof *log->runs, &log->reserve->run);
}
void rp_log_grow_guards(struct rp_warp_log *log)
{
    log->guards = grow(log->chunk, log->guards, &log->guard_count, &log->guard_capacity, sizeof *log->guards,
                       &log->reserve->guard);
}
void rp_log_grow_aux(struct rp_warp_log *log)
{
    log->aux = grow(log->chunk, log->aux, &log->aux_count, &log->aux_capacity, sizeof *log->aux, &log->reserve->aux);
}
static void grow_accesses(struct rp_warp_log *log)
{
    log->accesses = grow(log->chunk, log->accesses, &log->access_count, &log->access_capacity, sizeof *log->accesses,
                         &log->reserve->access);
}

/* ---- patterns ---------------------------------------------------------------------------------------------------- */

static bool rehash(struct rp_chunk *c)
{
    uint32_t size = c->pattern_table_size ? c->pattern_table_size * 2 : 256;
    uint32_t *table = calloc(size, sizeof *table);
    if (!table)
        return false;
    for (uint32_t i = 0; i < c->pattern_count; i++) {
        uint32_t at = (uint32_t)c->patterns[i].hash & (size - 1);
        while (table[at])
            at = (at + 1) & (size - 1);
        table[at] = i + 1;
    }
    free(c->pattern_table);
    c->pattern_table = table;
    c->pattern_table_size = size;
    return true;
}

static bool grow_patterns(struct rp_chunk *c)
{
    uint32_t capacity = c->pattern_capacity ? 2 * c->pattern_capacity : 64;
    struct wide_pattern *larger = realloc(c->patterns, capacity * sizeof *larger);
    if (!larger)
        return false;
    c->patterns = larger;
    c->pattern_capacity = capacity;
    return true;
}

/* Makes room for a pattern behind those there are. NULL: out of memory. */
static struct wide_pattern *next_pattern(struct rp_chunk *c)
{
    if (c->failed || (2 * ((uint64_t)c->pattern_count + 1) > c->pattern_table_size && !rehash(c)) ||
        (c->pattern_count == c->pattern_capacity && !grow_patterns(c))) {
        c->failed = true;
        return NULL;
    }
    return &c->patterns[c->pattern_count];
}

/* Adds what next_pattern() made room for, unless it is there already. Returns its number. */
static uint32_t intern_next(struct rp_chunk *c)
{
    const struct wide_pattern *p = &c->patterns[c->pattern_count];
    uint32_t mask = c->pattern_table_size - 1, at = (uint32_t)p->hash & mask;
    for (; c->pattern_table[at]; at = (at + 1) & mask)
        if (pattern_equal(&c->patterns[c->pattern_table[at] - 1], p))
            return c->pattern_table[at] - 1;
    c->pattern_bytes += pattern_decoded_bytes(p);
    c->pattern_table[at] = ++c->pattern_count;
    return c->pattern_count - 1;
}

uint32_t chunk_intern(struct rp_chunk *c, const struct wide_pattern *p)
{
    struct wide_pattern *next = next_pattern(c);
    if (!next)
        return NO_PATTERN;
    *next = *p;
    return intern_next(c);
}

static __attribute__((noinline)) uint32_t find_pattern(struct rp_chunk *c, rp_lanemask mask, uint64_t base,
                                                       const uint64_t address[RP_WARP_LANES])
{
    struct wide_pattern *p = next_pattern(c);
    if (!p)
        return NO_PATTERN;
    p->mask = mask;
    pattern_of(p, base, address);
    return intern_next(c);
}

/* Of a lane alone the address does not matter. */
static uint32_t find_pattern_alone(struct rp_chunk *c, rp_lanemask mask, uint64_t base,
                                   const uint64_t address[RP_WARP_LANES])
{
    uint32_t *known = &c->alone[__builtin_ctz(mask)];
    if (!*known)
        *known = find_pattern(c, mask, base, address) + 1; /* NO_PATTERN: 0 */
    return *known - 1;
}

/* Nonzero if the address of a lane in the mask is not base + offset. This runs once per recorded access; compilers do
 * not vectorise it on their own at -O2, hence the vector types (GCC and clang: "Vector Extensions"). */
typedef uint64_t lanes __attribute__((vector_size(32), aligned(8), may_alias));
#define DEFINE_DIFFERS(name, attribute)                                                                                \
    attribute static uint64_t name(const struct wide_pattern *p, uint64_t base, const uint64_t address[RP_WARP_LANES]) \
    {                                                                                                                  \
        const lanes *at = (const lanes *)address, *offset = (const lanes *)p->offset;                                  \
        lanes different = {0}, bit = {1, 2, 4, 8};                                                                     \
        for (unsigned i = 0; i < RP_WARP_LANES / 4; i++, bit <<= 4)                                                    \
            different |= ((at[i] - base) ^ offset[i]) & (lanes)((p->mask & bit) == bit);                               \
        return different[0] | different[1] | different[2] | different[3];                                              \
    }
DEFINE_DIFFERS(differs_anywhere, )
#ifdef __x86_64__
DEFINE_DIFFERS(differs_avx2, __attribute__((target("avx2"))))
#endif

pattern_differs_fn pattern_differs(void)
{
#ifdef __x86_64__
    __builtin_cpu_init();
    if (__builtin_cpu_supports("avx2"))
        return differs_avx2;
#endif
    return differs_anywhere;
}

static void append_access(struct rp_warp_log *log, uint64_t base, uint32_t pattern)
{
    if (log->access_count == log->access_capacity)
        grow_accesses(log);
    log->accesses[log->access_count++] = (struct rp_access){base, pattern};
}

/* Lanes alone leave the last shape of their slot as it is. */
static void log_scattered(struct rp_warp_log *log, uint32_t *last, rp_lanemask mask,
                          const uint64_t address[RP_WARP_LANES])
{
    const uint64_t base = address[__builtin_ctz(mask)];
    const uint32_t shape = shape_find(log->chunk, *last, mask, base, address);
    if (shape == NO_PATTERN)
        return;
    if (mask & (mask - 1))
        *last = shape + 1;
    append_access(log, base, shape);
}

void rp_log_access(struct rp_warp_log *log, uint32_t instruction, uint32_t operand, rp_lanemask mask,
                   const uint64_t address[RP_WARP_LANES])
{
    struct rp_chunk *c = log->chunk;
    uint64_t base = address[__builtin_ctz(mask)];
    uint32_t *last = &c->last_pattern[c->map->slot[instruction] + operand];
    uint32_t pattern = *last - 1;
    if (c->scattered) {
        log_scattered(log, last, mask, address);
        return;
    }
    if (!*last || c->patterns[pattern].mask != mask || c->differs(&c->patterns[pattern], base, address)) {
        pattern = mask & (mask - 1) ? find_pattern(c, mask, base, address) : find_pattern_alone(c, mask, base, address);
        if (pattern == NO_PATTERN)
            return;
        *last = pattern + 1;
    }
    append_access(log, base, pattern);
}

/* Whether the pattern or shape `last` - 1 is that of all lanes at this distance. */
static inline bool is_affine(const struct rp_chunk *c, uint32_t last, int64_t stride)
{
    if (!last)
        return false;
    if (c->scattered)
        return !shape_lanes(c, last - 1) && shape_stride(c, last - 1) == (uint64_t)stride;
    const struct wide_pattern *p = &c->patterns[last - 1];
    return !~p->mask && p->kind != RP_PATTERN_GENERAL && p->stride == stride;
}

/* For so many accesses ahead, 256 bytes, the cache makes room. */
#define ACCESSES_AHEAD 16

/* Without memory for more, or where it is another shape than the last time. */
static __attribute__((noinline)) void log_new_affine(struct rp_warp_log *log, uint32_t instruction, uint32_t operand,
                                                     uint64_t base, int64_t stride)
{
    uint64_t address[RP_WARP_LANES];
    for (unsigned l = 0; l < RP_WARP_LANES; l++)
        address[l] = base + (uint64_t)(stride * l);
    rp_log_access(log, instruction, operand, ~(rp_lanemask)0, address);
}

void rp_log_affine_access(struct rp_warp_log *log, uint32_t instruction, uint32_t operand, uint64_t base,
                          int64_t stride)
{
    const struct rp_chunk *c = log->chunk;
    const uint32_t last = c->last_pattern[c->map->slot[instruction] + operand];
    const bool even = last == c->last_even && (uint64_t)stride == c->even_stride; /* most often, in a scattered chunk */
    if ((!even && !is_affine(c, last, stride)) || log->access_count == log->access_capacity) {
        log_new_affine(log, instruction, operand, base, stride);
        return;
    }
    struct rp_access *next = &log->accesses[log->access_count++];
    __builtin_prefetch(next + ACCESSES_AHEAD, 1);
    *next = (struct rp_access){base, last - 1};
}
