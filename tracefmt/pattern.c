#include "tracefmt/pattern.h"

#include <string.h>

#include "tracefmt/hash.h"
#include "tracefmt/reader.h"

/* A sum of products of each offset, folded to 32 bits, with an odd number of its lane. Compilers do not vectorise it on
 * their own at -O2, hence the vector types. */
#define DEFINE_HASH(name, attribute)                                                                                   \
    attribute static uint64_t name(const struct wide_pattern *p)                                                       \
    {                                                                                                                  \
        typedef uint64_t words __attribute__((vector_size(32), aligned(8), may_alias));                                \
        const words *offset = (const words *)p->offset;                                                                \
        words sum = {0}, factor = {0x9e3779b9, 0x85ebca6b, 0xc2b2ae35, 0x27d4eb2f};                                    \
        for (unsigned i = 0; i < RP_WARP_LANES / 4; i++) {                                                             \
            sum += ((offset[i] ^ offset[i] >> 32) & UINT32_MAX) * factor;                                              \
            factor = (factor + 0x61c88646) & UINT32_MAX;                                                               \
        }                                                                                                              \
        return hash_word(hash_word(p->mask, sum[0] ^ sum[1] << 16), sum[2] ^ sum[3] << 16);                            \
    }
DEFINE_HASH(hash_anywhere, )
#ifdef __x86_64__
DEFINE_HASH(hash_avx2, __attribute__((target("avx2"))))
#endif

static uint64_t pattern_hash(const struct wide_pattern *p)
{
#ifdef __x86_64__
    if (__builtin_cpu_supports("avx2"))
        return hash_avx2(p);
#endif
    return hash_anywhere(p);
}

/* What lies between neighbouring lanes if the addresses are affine: by the two lowest lanes. */
static uint64_t stride_of(rp_lanemask mask, uint64_t base, const uint64_t address[RP_WARP_LANES])
{
    const rp_lanemask others = mask & (mask - 1);
    if (!others)
        return 0;
    const int second = __builtin_ctz(others), apart = second - __builtin_ctz(mask);
    return (uint64_t)((int64_t)(address[second] - base) / apart);
}

/* Sets the offsets, which may be the addresses; nonzero if those of the mask are not affine. Compilers do not vectorise
 * it on their own at -O2, hence the vector types (GCC and clang: "Vector Extensions"). */
typedef uint64_t lanes __attribute__((vector_size(32), aligned(8), may_alias));
#define DEFINE_OFFSETS(name, attribute)                                                                                \
    attribute static uint64_t name(struct wide_pattern *p, uint64_t base, uint64_t stride,                             \
                                   const uint64_t address[RP_WARP_LANES])                                              \
    {                                                                                                                  \
        const uint64_t mask = p->mask, first = stride * (uint64_t)__builtin_ctz(p->mask);                              \
        const lanes *at = (const lanes *)address;                                                                      \
        lanes *offset = (lanes *)p->offset;                                                                            \
        lanes expected = {0 - first, stride - first, 2 * stride - first, 3 * stride - first};                          \
        lanes uneven = {0}, bit = {1, 2, 4, 8};                                                                        \
        for (unsigned i = 0; i < RP_WARP_LANES / 4; i++, bit <<= 4, expected += 4 * stride) {                          \
            const lanes in = (lanes)((mask & bit) == bit), apart = at[i] - base;                                       \
            uneven |= (apart ^ expected) & in;                                                                         \
            offset[i] = apart & in;                                                                                    \
        }                                                                                                              \
        return uneven[0] | uneven[1] | uneven[2] | uneven[3];                                                          \
    }
DEFINE_OFFSETS(offsets_anywhere, )
#ifdef __x86_64__
DEFINE_OFFSETS(offsets_avx2, __attribute__((target("avx2"))))
#endif

void pattern_of(struct wide_pattern *p, uint64_t base, const uint64_t address[RP_WARP_LANES])
{
    const uint64_t stride = stride_of(p->mask, base, address);
#ifdef __x86_64__
    const bool general = __builtin_cpu_supports("avx2") ? offsets_avx2(p, base, stride, address)
                                                        : offsets_anywhere(p, base, stride, address);
#else
    const bool general = offsets_anywhere(p, base, stride, address);
#endif
    p->kind = general ? RP_PATTERN_GENERAL : stride ? RP_PATTERN_AFFINE : RP_PATTERN_UNIFORM;
    p->stride = p->kind == RP_PATTERN_AFFINE ? (int64_t)stride : 0;
    p->hash = pattern_hash(p);
}

void pattern_classify(struct wide_pattern *p) { pattern_of(p, 0, (const uint64_t *)p->offset); }

void pattern_expand(struct wide_pattern *p)
{
    if (p->kind != RP_PATTERN_GENERAL) {
        unsigned lowest = (unsigned)__builtin_ctz(p->mask);
        for (unsigned l = lowest; l < RP_WARP_LANES; l++)
            p->offset[l] = p->mask >> l & 1 ? (int64_t)((uint64_t)p->stride * (l - lowest)) : 0;
    }
    p->hash = pattern_hash(p);
}

bool pattern_equal(const struct wide_pattern *a, const struct wide_pattern *b)
{
    return a->hash == b->hash && a->mask == b->mask && !memcmp(a->offset, b->offset, sizeof a->offset);
}

/* ---- narrow -------------------------------------------------------------------------------------------------------
 */

static uint8_t narrowest(const struct wide_pattern *p)
{
    uint64_t bits = 0; /* the bits in which any offset differs from its sign extension */
    for (unsigned l = 0; l < RP_WARP_LANES; l++)
        bits |= (uint64_t)(p->offset[l] ^ p->offset[l] >> 63);
    return bits < 0x80 ? 1 : bits < 0x8000 ? 2 : bits < 0x80000000 ? 4 : 8;
}

/* The offsets of the lanes, one after the other, each as a `type`. */
#define DEFINE_NARROW(type)                                                                                            \
    static void narrow_##type(uint8_t *out, const struct wide_pattern *p)                                              \
    {                                                                                                                  \
        for (rp_lanemask rest = p->mask; rest; rest &= rest - 1, out += sizeof(type)) {                                \
            type offset = (type)p->offset[__builtin_ctz(rest)];                                                        \
            memcpy(out, &offset, sizeof offset);                                                                       \
        }                                                                                                              \
    }
DEFINE_NARROW(int8_t)
DEFINE_NARROW(int16_t)
DEFINE_NARROW(int32_t)
DEFINE_NARROW(int64_t)

bool pattern_narrow(struct rp_pattern *out, const struct wide_pattern *p, struct pool *pool)
{
    *out = (struct rp_pattern){.mask = p->mask, .kind = p->kind, .stride = p->stride, .hash = p->hash};
    if (p->kind != RP_PATTERN_GENERAL)
        return true;
    out->width = narrowest(p);
    uint8_t *at = pool_alloc(pool, rp_pattern_bytes(out), 1);
    out->offset = at;
    if (!at)
        return false;
    switch (out->width) {
    case 1: narrow_int8_t(at, p); break;
    case 2: narrow_int16_t(at, p); break;
    case 4: narrow_int32_t(at, p); break;
    default: narrow_int64_t(at, p); break;
    }
    return true;
}

/* Adds n offsets, of any width, to the values in `to`. */
#define DEFINE_WIDEN(type)                                                                                             \
    static void widen_##type(uint64_t *out, const type *from, unsigned n, uint64_t base)                               \
    {                                                                                                                  \
        for (unsigned i = 0; i < n; i++)                                                                               \
            out[i] = base + (uint64_t)(int64_t)from[i];                                                                \
    }
DEFINE_WIDEN(int8_t)
DEFINE_WIDEN(int16_t)
DEFINE_WIDEN(int32_t)
DEFINE_WIDEN(int64_t)

static void widen(uint64_t *out, const struct rp_pattern *p, unsigned n, uint64_t base)
{
    switch (p->width) {
    case 1: widen_int8_t(out, p->offset, n, base); break;
    case 2: widen_int16_t(out, p->offset, n, base); break;
    case 4: widen_int32_t(out, p->offset, n, base); break;
    default: widen_int64_t(out, p->offset, n, base); break;
    }
}

/* Sets out[l] = base + offset for the lanes in the mask; leaves other entries alone. */
static void place_lanes(const struct rp_pattern *p, uint64_t base, uint64_t *out)
{
    unsigned lowest = (unsigned)__builtin_ctz(p->mask);
    if (p->kind != RP_PATTERN_GENERAL) {
        for (rp_lanemask rest = p->mask; rest; rest &= rest - 1) {
            unsigned l = (unsigned)__builtin_ctz(rest);
            out[l] = base + (uint64_t)p->stride * (l - lowest);
        }
    } else if (!~p->mask) {
        widen(out, p, RP_WARP_LANES, base);
    } else {
        uint64_t list[RP_WARP_LANES], *at = list;
        widen(list, p, rp_lane_count(p->mask), base);
        for (rp_lanemask rest = p->mask; rest; rest &= rest - 1)
            out[__builtin_ctz(rest)] = *at++;
    }
}

void rp_pattern_offsets(const struct rp_pattern *p, int64_t offset[RP_WARP_LANES])
{
    memset(offset, 0, RP_WARP_LANES * sizeof *offset);
    place_lanes(p, 0, (uint64_t *)offset);
}

void rp_access_addresses(const struct rp_dynamic_access *access, uint64_t address[RP_WARP_LANES])
{
    place_lanes(access->pattern, access->base, address);
}

uint64_t rp_access_address(const struct rp_dynamic_access *access, unsigned lane)
{
    const struct rp_pattern *p = access->pattern;
    unsigned before = rp_lane_count(p->mask & ((UINT32_C(1) << lane) - 1));
    if (p->kind != RP_PATTERN_GENERAL)
        return access->base + (uint64_t)p->stride * (lane - (unsigned)__builtin_ctz(p->mask));
    switch (p->width) {
    case 1: return access->base + (uint64_t)(int64_t)((const int8_t *)p->offset)[before];
    case 2: return access->base + (uint64_t)(int64_t)((const int16_t *)p->offset)[before];
    case 4: return access->base + (uint64_t)(int64_t)((const int32_t *)p->offset)[before];
    default: return access->base + (uint64_t)((const int64_t *)p->offset)[before];
    }
}
