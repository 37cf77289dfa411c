/* The data side of memory uops, as loops over 32 lanes. */
#include "frontend/core/access.h"

#include <string.h>

#define LANES RP_WARP_LANES
/* Memory holds whatever types the kernel puts there, and a guest accesses any address. */
#define ALIASING __attribute__((may_alias, aligned(1)))
typedef uint8_t ALIASING m_u8;
typedef int8_t ALIASING m_s8;
typedef uint16_t ALIASING m_u16;
typedef int16_t ALIASING m_s16;
typedef uint32_t ALIASING m_u32;
typedef int32_t ALIASING m_s32;
typedef uint64_t ALIASING m_u64;

static inline void set_affine(struct lane_addresses *o, uint64_t first, int64_t stride)
{
    uint64_t last = first + (uint64_t)((LANES - 1) * stride);
    o->at[0] = first;
    o->low = stride < 0 ? last : first;
    o->high = stride < 0 ? first : last;
    o->bits = first | (uint64_t)stride;
    o->stride = stride;
    o->affine = true;
}

static inline void set_general(struct lane_addresses *o)
{
    uint64_t low = o->at[0], high = o->at[0], bits = 0;
    for (int l = 0; l < LANES; l++) {
        low = o->at[l] < low ? o->at[l] : low;
        high = o->at[l] > high ? o->at[l] : high;
        bits |= o->at[l];
    }
    o->low = low;
    o->high = high;
    o->bits = bits;
    o->affine = false;
}

/* Whether some lane is not at a[0] + l × stride. The comparison extrapolates from the first two lanes instead of
 * comparing neighbours: loads that straddle two recent vector stores would have to wait until both have reached the
 * cache. Every access of every warp comes through here, and the reductions of the plain loops cost more than the
 * comparison; so AVX-512, which compares into masks, has its own version. */
#ifdef __AVX512DQ__
#include <immintrin.h>
static inline bool uneven_u64(const uint64_t *a, int32_t stride)
{
    const __m512i iota = _mm512_set_epi64(7, 6, 5, 4, 3, 2, 1, 0), step = _mm512_set1_epi64(8 * (int64_t)stride);
    __m512i expected =
        _mm512_add_epi64(_mm512_set1_epi64((int64_t)a[0]), _mm512_mul_epi32(iota, _mm512_set1_epi64(stride)));
    unsigned differs = 0;
    for (int l = 0; l < LANES; l += 8) {
        differs |= _mm512_cmpneq_epi64_mask(_mm512_loadu_si512(a + l), expected);
        expected = _mm512_add_epi64(expected, step);
    }
    return differs;
}

static inline bool uneven_u32(const uint32_t *a, int32_t stride)
{
    const __m512i iota = _mm512_set_epi32(15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0);
    __m512i first =
        _mm512_add_epi32(_mm512_set1_epi32((int32_t)a[0]), _mm512_mullo_epi32(iota, _mm512_set1_epi32(stride)));
    __m512i second = _mm512_add_epi32(first, _mm512_set1_epi32(16 * stride));
    return _mm512_cmpneq_epi32_mask(_mm512_loadu_si512(a), first) |
           _mm512_cmpneq_epi32_mask(_mm512_loadu_si512(a + 16), second);
}
#else
static inline bool uneven_u64(const uint64_t *a, int32_t stride)
{
    uint64_t differs = 0;
    for (int32_t l = 0; l < LANES; l++)
        differs |= (a[l] - a[0]) ^ (uint64_t)(int64_t)(l * stride);
    return differs;
}

static inline bool uneven_u32(const uint32_t *a, int32_t stride)
{
    uint32_t differs = 0;
    for (int32_t l = 0; l < LANES; l++)
        differs |= (a[l] - a[0]) ^ (uint32_t)(l * stride);
    return differs;
}
#endif

/* Strides are small in any useful address pattern; the limit keeps 31 × stride within 32 bits. Addresses that wrap
 * around, at 32 or 64 bits, are not affine, because low and high would not bound them. */
#define ADDRESSES(name, type, signed_type, uneven)                                                                     \
    static __attribute__((noinline)) void name##_general(struct lane_addresses *restrict o, const type *restrict a,    \
                                                         type offset, lanemask m)                                      \
    {                                                                                                                  \
        uint64_t first = (type)(a[__builtin_ctz(m)] + offset);                                                         \
        for (int l = 0; l < LANES; l++)                                                                                \
            o->at[l] = m >> l & 1 ? (type)(a[l] + offset) : first;                                                     \
        set_general(o);                                                                                                \
    }                                                                                                                  \
    void SIMD_NAME(name)(struct lane_addresses *restrict o, const void *reg, int64_t offset, lanemask m)               \
    {                                                                                                                  \
        const type *restrict a = reg;                                                                                  \
        type first = (type)(a[0] + (type)offset);                                                                      \
        signed_type stride = (signed_type)(a[1] - a[0]);                                                               \
        bool affine = m == ~(lanemask)0 && stride < 1 << 24 && stride > -(1 << 24) && !uneven(a, (int32_t)stride);     \
        uint64_t last = first + (LANES - 1) * (uint64_t)(int64_t)stride;                                               \
        bool wraps = (type)last != last || (stride < 0 ? last > first : last < first);                                 \
        if (affine && !wraps)                                                                                          \
            set_affine(o, first, stride);                                                                              \
        else                                                                                                           \
            name##_general(o, a, (type)offset, m);                                                                     \
    }
ADDRESSES(addresses_wide, uint64_t, int64_t, uneven_u64)
ADDRESSES(addresses_narrow, uint32_t, int32_t, uneven_u32)

/* Loops over addresses that are not side by side stay scalar, and branch predictors miss the ends of short loops. */
#define UNROLL _Pragma("GCC unroll 32")

/* Loads of words that are not side by side. AVX-512 gathers them: a register that is written lane by lane could be read
 * as a vector only when all of it has reached the cache. False: this must be done lane by lane. */
#ifdef __AVX512DQ__
static inline bool gather_words(m_u32 *restrict d, const uint8_t *host, const struct lane_addresses *la, lanemask m)
{
    if (la->affine) {
        const __m512i iota = _mm512_set_epi32(15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0);
        const __m512i offset = _mm512_mullo_epi32(iota, _mm512_set1_epi32((int32_t)la->stride));
        const uint8_t *first = host + la->at[0], *second = first + 16 * la->stride;
        _mm512_storeu_si512(d, _mm512_i32gather_epi32(offset, first, 1));
        _mm512_storeu_si512(d + 16, _mm512_i32gather_epi32(offset, second, 1));
        return true;
    }
    for (int l = 0; l < LANES; l += 8) {
        const __m256i before = _mm256_loadu_si256((const __m256i *)(d + l));
        const __m256i now =
            _mm512_mask_i64gather_epi32(before, (__mmask8)(m >> l), _mm512_loadu_si512(la->at + l), host, 1);
        _mm256_storeu_si256((__m256i *)(d + l), now);
    }
    return true;
}
#else
static inline bool gather_words(const m_u32 *d, const uint8_t *host, const struct lane_addresses *la, lanemask m)
{
    (void)d, (void)host, (void)la, (void)m;
    return false;
}
#endif

#define LOAD(name, mem, elem)                                                                                          \
    static void name(void *reg, uint8_t *host, const struct lane_addresses *la, lanemask m)                            \
    {                                                                                                                  \
        elem *restrict d = reg;                                                                                        \
        if (sizeof(mem) == 4 && sizeof(elem) == 4 && (!la->affine || (la->stride != 0 && la->stride != 4)) &&          \
            gather_words(reg, host, la, m))                                                                            \
            return;                                                                                                    \
        if (m != ~(lanemask)0) {                                                                                       \
            UNROLL                                                                                                     \
            for (int l = 0; l < LANES; l++) {                                                                          \
                elem v = (elem) * (const mem *)(host + la->at[l]);                                                     \
                d[l] = m >> l & 1 ? v : d[l];                                                                          \
            }                                                                                                          \
        } else if (la->affine && la->stride == 0) {                                                                    \
            elem v = (elem) * (const mem *)(host + la->at[0]);                                                         \
            for (int l = 0; l < LANES; l++)                                                                            \
                d[l] = v;                                                                                              \
        } else if (la->affine && la->stride == sizeof(mem)) {                                                          \
            const mem *restrict s = (const mem *)(host + la->at[0]);                                                   \
            for (int l = 0; l < LANES; l++)                                                                            \
                d[l] = (elem)s[l];                                                                                     \
        } else if (la->affine) {                                                                                       \
            const uint8_t *s = host + la->at[0];                                                                       \
            const int64_t stride = la->stride;                                                                         \
            UNROLL                                                                                                     \
            for (int l = 0; l < LANES; l++, s += stride)                                                               \
                d[l] = (elem) * (const mem *)s;                                                                        \
        } else {                                                                                                       \
            UNROLL                                                                                                     \
            for (int l = 0; l < LANES; l++)                                                                            \
                d[l] = (elem) * (const mem *)(host + la->at[l]);                                                       \
        }                                                                                                              \
    }
#define STORE(name, mem, elem)                                                                                         \
    static void name(void *reg, uint8_t *host, const struct lane_addresses *la, lanemask m)                            \
    {                                                                                                                  \
        const elem *restrict s = reg;                                                                                  \
        if (m == ~(lanemask)0 && la->affine && la->stride == sizeof(mem)) {                                            \
            mem *restrict d = (mem *)(host + la->at[0]);                                                               \
            for (int l = 0; l < LANES; l++)                                                                            \
                d[l] = (mem)s[l];                                                                                      \
        } else if (m == ~(lanemask)0 && la->affine) {                                                                  \
            uint8_t *d = host + la->at[0];                                                                             \
            const int64_t stride = la->stride;                                                                         \
            UNROLL                                                                                                     \
            for (int l = 0; l < LANES; l++, d += stride)                                                               \
                *(mem *)d = (mem)s[l];                                                                                 \
        } else {                                                                                                       \
            FOR_LANES(l, m)                                                                                            \
            *(mem *)(host + lane_address(la, l)) = (mem)s[l];                                                          \
        }                                                                                                              \
    }
/* clang-format off */
LOAD(load_u8_16, m_u8, m_u16) LOAD(load_u8_32, m_u8, m_u32) LOAD(load_u8_64, m_u8, m_u64)
LOAD(load_s8_16, m_s8, m_s16) LOAD(load_s8_32, m_s8, m_s32) LOAD(load_s8_64, m_s8, int64_t)
LOAD(load_u16_16, m_u16, m_u16) LOAD(load_u16_32, m_u16, m_u32) LOAD(load_u16_64, m_u16, m_u64)
LOAD(load_s16_32, m_s16, m_s32) LOAD(load_s16_64, m_s16, int64_t)
LOAD(load_u32_32, m_u32, m_u32) LOAD(load_u32_64, m_u32, m_u64) LOAD(load_s32_64, m_s32, int64_t)
LOAD(load_u64_64, m_u64, m_u64)
STORE(store_8_16, m_u8, m_u16) STORE(store_8_32, m_u8, m_u32) STORE(store_8_64, m_u8, m_u64)
STORE(store_16_16, m_u16, m_u16) STORE(store_16_32, m_u16, m_u32) STORE(store_16_64, m_u16, m_u64)
STORE(store_32_32, m_u32, m_u32) STORE(store_32_64, m_u32, m_u64)
STORE(store_64_64, m_u64, m_u64)
    /* clang-format on */

    static const struct {
    uint8_t bytes, reg_bytes;
    element_fn zero, sign, store;
} moves[] = {
    {1, 2, load_u8_16, load_s8_16, store_8_16},    {1, 4, load_u8_32, load_s8_32, store_8_32},
    {1, 8, load_u8_64, load_s8_64, store_8_64},    {2, 2, load_u16_16, load_u16_16, store_16_16},
    {2, 4, load_u16_32, load_s16_32, store_16_32}, {2, 8, load_u16_64, load_s16_64, store_16_64},
    {4, 4, load_u32_32, load_u32_32, store_32_32}, {4, 8, load_u32_64, load_s32_64, store_32_64},
    {8, 8, load_u64_64, load_u64_64, store_64_64},
};

element_fn SIMD_NAME(element_load)(unsigned bytes, unsigned reg_bytes, bool sign)
{
    for (size_t i = 0; i < sizeof moves / sizeof *moves; i++)
        if (moves[i].bytes == bytes && moves[i].reg_bytes == reg_bytes)
            return sign ? moves[i].sign : moves[i].zero;
    return NULL;
}

element_fn SIMD_NAME(element_store)(unsigned bytes, unsigned reg_bytes)
{
    for (size_t i = 0; i < sizeof moves / sizeof *moves; i++)
        if (moves[i].bytes == bytes && moves[i].reg_bytes == reg_bytes)
            return moves[i].store;
    return NULL;
}
