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

/* Neighbours are compared within registers, which takes less time than to multiply the stride. */
static inline bool uneven_u32(const uint32_t *a, int32_t stride)
{
    const __m512i low = _mm512_loadu_si512(a), high = _mm512_loadu_si512(a + 16);
    const __m512i each = _mm512_set1_epi32(stride);
    const __m512i first = _mm512_sub_epi32(_mm512_alignr_epi32(high, low, 1), low);
    const __m512i second = _mm512_sub_epi32(_mm512_alignr_epi32(high, high, 1), high);
    return _mm512_cmpneq_epi32_mask(first, each) | (_mm512_cmpneq_epi32_mask(second, each) & 0x7fff);
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
#define GENERAL(name, type)                                                                                            \
    static __attribute__((noinline)) void name(struct lane_addresses *restrict o, const type *restrict a, type offset, \
                                               lanemask m)                                                             \
    {                                                                                                                  \
        uint64_t first = (type)(a[__builtin_ctz(m)] + offset);                                                         \
        for (int l = 0; l < LANES; l++)                                                                                \
            o->at[l] = m >> l & 1 ? (type)(a[l] + offset) : first;                                                     \
        set_general(o);                                                                                                \
    }
GENERAL(general_u64, uint64_t)
#ifdef __AVX512DQ__
/* Minimum, maximum and or are those of 32 bits. */
static __attribute__((noinline)) void general_u32(struct lane_addresses *restrict o, const uint32_t *restrict a,
                                                  uint32_t offset, lanemask m)
{
    const __m512i more = _mm512_set1_epi32((int32_t)offset);
    const __m512i first = _mm512_set1_epi32((int32_t)(a[__builtin_ctz(m)] + offset));
    const __m512i x = _mm512_mask_add_epi32(first, (__mmask16)m, _mm512_loadu_si512(a), more);
    const __m512i y = _mm512_mask_add_epi32(first, (__mmask16)(m >> 16), _mm512_loadu_si512(a + 16), more);
    _mm512_storeu_si512(o->at, _mm512_cvtepu32_epi64(_mm512_castsi512_si256(x)));
    _mm512_storeu_si512(o->at + 8, _mm512_cvtepu32_epi64(_mm512_extracti64x4_epi64(x, 1)));
    _mm512_storeu_si512(o->at + 16, _mm512_cvtepu32_epi64(_mm512_castsi512_si256(y)));
    _mm512_storeu_si512(o->at + 24, _mm512_cvtepu32_epi64(_mm512_extracti64x4_epi64(y, 1)));
    o->low = _mm512_reduce_min_epu32(_mm512_min_epu32(x, y));
    o->high = _mm512_reduce_max_epu32(_mm512_max_epu32(x, y));
    o->bits = (uint32_t)_mm512_reduce_or_epi32(_mm512_or_si512(x, y));
    o->affine = false;
}
#else
GENERAL(general_u32, uint32_t)
#endif

#define ADDRESSES(name, type, signed_type, uneven, general)                                                            \
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
            general(o, a, (type)offset, m);                                                                            \
    }
ADDRESSES(addresses_wide, uint64_t, int64_t, uneven_u64, general_u64)
ADDRESSES(addresses_narrow, uint32_t, int32_t, uneven_u32, general_u32)

/* Loops over addresses that are not side by side stay scalar, and branch predictors miss the ends of short loops. */
#define UNROLL _Pragma("GCC unroll 32")

/* Loads to registers of 32 bits from places that are not side by side. AVX-512 gathers them: a register that is written
 * lane by lane could be read as a vector only when all of it has reached the cache. */
#ifdef __AVX512DQ__
static inline bool gather_even(m_u32 *restrict d, const uint8_t *host, const struct lane_addresses *la, unsigned bytes)
{
    const __m512i iota = _mm512_set_epi32(15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0);
    const __m512i offset = _mm512_mullo_epi32(iota, _mm512_set1_epi32((int32_t)la->stride));
    const uint8_t *first = host + la->at[0], *second = first + 16 * la->stride;
    if (bytes < 4)
        return false;
    _mm512_storeu_si512(d, _mm512_i32gather_epi32(offset, first, 1));
    _mm512_storeu_si512(d + 16, _mm512_i32gather_epi32(offset, second, 1));
    return true;
}

/* The `bytes` of words from bit `from` on. */
static inline __m256i part_of_words(__m256i words, __m256i from, unsigned bytes, bool sign)
{
    const int above = (int)(32 - 8 * bytes);
    const __m256i high = _mm256_sllv_epi32(words, _mm256_sub_epi32(_mm256_set1_epi32(above), from));
    return sign ? _mm256_srai_epi32(high, above) : _mm256_srli_epi32(high, above);
}

/* A byte or two are taken from the word around them, which is on the same page. False: two are of two words. */
static inline bool gather(m_u32 *restrict d, const uint8_t *host, const struct lane_addresses *la, lanemask m,
                          unsigned bytes, bool sign)
{
    const __m512i base = _mm512_set1_epi64((int64_t)(uintptr_t)host), three = _mm512_set1_epi64(3);
    __m512i at[LANES / 8];
    unsigned across = 0;
    for (int i = 0; i < LANES / 8; i++) {
        at[i] = _mm512_add_epi64(base, _mm512_loadu_si512(la->at + 8 * i));
        across |= _mm512_cmpeq_epi64_mask(_mm512_and_si512(at[i], three), three);
    }
    if (bytes == 2 && across)
        return false;
    for (int i = 0; i < LANES / 8; i++) {
        const __mmask8 lanes = (__mmask8)(m >> 8 * i);
        const __m256i before = _mm256_loadu_si256((const __m256i *)(d + 8 * i));
        const __m512i word = bytes == 4 ? at[i] : _mm512_andnot_si512(three, at[i]);
        __m256i now = _mm512_mask_i64gather_epi32(before, lanes, word, NULL, 1);
        if (bytes < 4) {
            const __m256i from = _mm512_cvtepi64_epi32(_mm512_slli_epi64(_mm512_and_si512(at[i], three), 3));
            now = _mm256_mask_blend_epi32(lanes, before, part_of_words(now, from, bytes, sign));
        }
        _mm256_storeu_si256((__m256i *)(d + 8 * i), now);
    }
    return true;
}

/* False: this must be done lane by lane. */
static inline bool gather_apart(void *d, const uint8_t *host, const struct lane_addresses *la, lanemask m,
                                unsigned bytes, bool sign)
{
    return la->affine ? gather_even(d, host, la, bytes) : gather(d, host, la, m, bytes, sign);
}
#else
static inline bool gather_apart(void *d, const uint8_t *host, const struct lane_addresses *la, lanemask m,
                                unsigned bytes, bool sign)
{
    (void)d, (void)host, (void)la, (void)m, (void)bytes, (void)sign;
    return false;
}
#endif

#define LOAD(name, mem, elem)                                                                                          \
    static void name(void *reg, uint8_t *host, const struct lane_addresses *la, lanemask m)                            \
    {                                                                                                                  \
        elem *restrict d = reg;                                                                                        \
        if (sizeof(mem) <= 4 && sizeof(elem) == 4 && (!la->affine || (la->stride && la->stride != sizeof(mem))) &&     \
            gather_apart(reg, host, la, m, sizeof(mem), (mem)-1 < (mem)1))                                             \
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
