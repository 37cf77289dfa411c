/* The data side of memory uops, as loops over 32 lanes. */
#include "frontend/core/access.h"

#include <string.h>

#define LANES RP_WARP_LANES
/* Memory holds whatever types the kernel puts there. */
#define ALIASING __attribute__((may_alias))
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

/* Neighbouring lanes are compared in two overlapping stretches so that no element past the last one is read. Strides
 * are small where an address pattern means anything; the limit keeps 31 × stride from overflowing. */
#define ADDRESSES(name, type, signed_type, half)                                                                       \
    void SIMD_NAME(name)(struct lane_addresses *restrict o, const void *reg, int64_t offset, lanemask m)               \
    {                                                                                                                  \
        const type *restrict a = reg;                                                                                  \
        if (m != ~(lanemask)0) {                                                                                       \
            uint64_t first = (type)(a[__builtin_ctz(m)] + (type)offset);                                               \
            for (int l = 0; l < LANES; l++)                                                                            \
                o->at[l] = m >> l & 1 ? (type)(a[l] + (type)offset) : first;                                           \
            set_general(o);                                                                                            \
            return;                                                                                                    \
        }                                                                                                              \
        type stride = (type)(a[1] - a[0]), differs = 0;                                                                \
        for (int l = 0; l < half; l++)                                                                                 \
            differs |= (type)(a[l + 1] - a[l]) ^ stride;                                                               \
        for (int l = LANES - 1 - half; l < LANES - 1; l++)                                                             \
            differs |= (type)(a[l + 1] - a[l]) ^ stride;                                                               \
        for (int l = 0; l < LANES; l++)                                                                                \
            o->at[l] = (type)(a[l] + (type)offset);                                                                    \
        if (!differs && (signed_type)stride < 1 << 24 && (signed_type)stride > -(1 << 24) &&                           \
            (o->at[LANES - 1] >= o->at[0]) == ((signed_type)stride >= 0))                                              \
            set_affine(o, o->at[0], (signed_type)stride);                                                              \
        else                                                                                                           \
            set_general(o);                                                                                            \
    }
ADDRESSES(addresses_wide, uint64_t, int64_t, 24)
ADDRESSES(addresses_narrow, uint32_t, int32_t, 16)

#define LOAD(name, mem, elem)                                                                                          \
    static void name(void *reg, uint8_t *host, const struct lane_addresses *la, lanemask m)                            \
    {                                                                                                                  \
        elem *restrict d = reg;                                                                                        \
        if (m != ~(lanemask)0) {                                                                                       \
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
        } else {                                                                                                       \
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
        } else {                                                                                                       \
            FOR_LANES(l, m)                                                                                            \
            *(mem *)(host + la->at[l]) = (mem)s[l];                                                                    \
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
