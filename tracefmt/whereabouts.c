#include "tracefmt/whereabouts.h"

#include <string.h>
#ifdef __x86_64__
#include <immintrin.h>
#endif

#include "tracefmt/buffer.h"

/* ---- bits ----------------------------------------------------------------------------------------------------------
 */

#ifdef __x86_64__
__attribute__((target("bmi2"))) static uint32_t pack_bmi2(rp_lanemask lanes, rp_lanemask among)
{
    return __builtin_ia32_pext_si(lanes, among);
}
#endif

uint32_t lanes_pack(rp_lanemask lanes, rp_lanemask among)
{
#ifdef __x86_64__
    if (__builtin_cpu_supports("bmi2"))
        return pack_bmi2(lanes, among);
#endif
    uint32_t packed = 0;
    for (unsigned n = 0; among; among &= among - 1, n++)
        packed |= (lanes >> __builtin_ctz(among) & 1) << n;
    return packed;
}

rp_lanemask lanes_unpack(uint64_t packed, rp_lanemask among)
{
    rp_lanemask lanes = 0;
    for (; among; among &= among - 1, packed >>= 1)
        lanes |= packed & 1 ? among & -among : 0;
    return lanes;
}

/* ---- lanes ---------------------------------------------------------------------------------------------------------
 */

/* Compilers do not vectorise these on their own at -O2, hence the vector types (GCC and clang: "Vector Extensions").
 * They are compiled with what calls them, once for each width of vectors. */
typedef uint32_t words __attribute__((vector_size(32), aligned(4), may_alias));
#define WORDS 8
#define INLINED static inline __attribute__((always_inline))

/* The lanes whose word is `wanted`. */
INLINED rp_lanemask equal_anywhere(const uint32_t word[RP_WARP_LANES], uint32_t wanted)
{
    words found = {0}, bit = {1, 2, 4, 8, 16, 32, 64, 128};
#pragma GCC unroll 4
    for (unsigned i = 0; i < RP_WARP_LANES / WORDS; i++, bit <<= WORDS)
        found |= (words)(((const words *)word)[i] == wanted) & bit;
    rp_lanemask mask = 0;
    for (unsigned i = 0; i < WORDS; i++)
        mask |= found[i];
    return mask;
}

/* Sets the ends of these lanes, and where they and others are thought to go on. */
INLINED void set_anywhere(struct whereabouts *p, rp_lanemask lanes, uint32_t end, uint32_t next, rp_lanemask others,
                          uint32_t next_of_others)
{
    words bit = {1, 2, 4, 8, 16, 32, 64, 128};
#pragma GCC unroll 4
    for (unsigned i = 0; i < RP_WARP_LANES / WORDS; i++, bit <<= WORDS) {
        const words in = (words)((lanes & bit) == bit), out = (words)((others & bit) == bit);
        words *ends = (words *)p->end + i, *nexts = (words *)p->next + i;
        *ends = (*ends & ~in) | (end & in);
        *nexts = (*nexts & ~(in | out)) | (next & in) | (next_of_others & out);
    }
}

#ifdef __x86_64__
typedef float floats __attribute__((vector_size(32)));
#define AVX2 __attribute__((target("avx2,bmi2,lzcnt")))
INLINED AVX2 rp_lanemask equal_avx2(const uint32_t word[RP_WARP_LANES], uint32_t wanted)
{
    rp_lanemask mask = 0;
#pragma GCC unroll 4
    for (unsigned i = 0; i < RP_WARP_LANES / WORDS; i++)
        mask |= (rp_lanemask)__builtin_ia32_movmskps256((floats)(((const words *)word)[i] == wanted)) << WORDS * i;
    return mask;
}
#define set_avx2 set_anywhere

/* These compare into masks, and store by masks. */
#define AVX512 __attribute__((target("avx512f,bmi2,lzcnt")))
INLINED AVX512 rp_lanemask equal_avx512(const uint32_t word[RP_WARP_LANES], uint32_t wanted)
{
    const __m512i each = _mm512_set1_epi32((int32_t)wanted);
    return (rp_lanemask)_mm512_cmpeq_epi32_mask(_mm512_loadu_si512(word), each) |
           (rp_lanemask)_mm512_cmpeq_epi32_mask(_mm512_loadu_si512(word + 16), each) << 16;
}
INLINED AVX512 void write_avx512(uint32_t word[RP_WARP_LANES], rp_lanemask lanes, uint32_t value)
{
    const __m512i each = _mm512_set1_epi32((int32_t)value);
    /* whole vectors are written: those who read them soon need not wait for the cache */
    _mm512_storeu_si512(word, _mm512_mask_blend_epi32((__mmask16)lanes, _mm512_loadu_si512(word), each));
    _mm512_storeu_si512(word + 16,
                        _mm512_mask_blend_epi32((__mmask16)(lanes >> 16), _mm512_loadu_si512(word + 16), each));
}
INLINED AVX512 void set_avx512(struct whereabouts *p, rp_lanemask lanes, uint32_t end, uint32_t next,
                               rp_lanemask others, uint32_t next_of_others)
{
    write_avx512(p->end, lanes, end);
    write_avx512(p->next, others, next_of_others);
    write_avx512(p->next, lanes, next);
}
#endif

/* ---- places --------------------------------------------------------------------------------------------------------
 */

bool whereabouts_new(struct whereabouts *p, struct pool *pool, uint32_t instructions)
{
    p->count = instructions + 1;
    p->after = pool_alloc(pool, p->count, sizeof *p->after);
    return p->after != NULL;
}

void whereabouts_forget(struct whereabouts *p)
{
    for (uint32_t i = 0; i < p->count; i++)
        p->after[i] = (struct place_after){i, i};
}

void whereabouts_begin(struct whereabouts *p)
{
    memset(p->end, 0, sizeof p->end);
    memset(p->next, 0xff, sizeof p->next);
}

/* The run goes on from `from`, the end that its lanes had. Returns its own end, and at which instruction its lanes are
 * thought to go on; *other: at which others with the end `from` are. */
INLINED uint32_t learn(struct whereabouts *p, const struct rp_run *r, uint32_t from, uint32_t *next, uint32_t *other)
{
    struct place_after *a = &p->after[from];
    a->before = a->last != r->start ? a->last : a->before;
    a->last = r->start;
    const uint32_t end = r->length < p->count - r->start ? r->start + r->length : p->count - 1;
    *next = p->after[end].last;
    *other = a->before;
    return end;
}

/* Whether a mask is part of those with the same end: all ones, or 0. */
INLINED rp_lanemask is_part(rp_lanemask active, rp_lanemask same) { return -(rp_lanemask) !(active & ~same); }

/* The code of a mask that is not the predicted one. Which one it is cannot be predicted: all are computed, and one is
 * chosen. packed: of those with the same end above the lowest lane, which are in the mask. */
INLINED uint64_t unforeseen(rp_lanemask active, rp_lanemask predicted, rp_lanemask same, uint32_t packed)
{
    const uint32_t lane = (uint32_t)__builtin_ctz(active);
    const uint64_t part = (uint64_t)packed << PLACE_LANE_BITS | lane;
    uint64_t code = PLACE_OTHER | (uint64_t)(active ^ predicted) << PLACE_CODE_BITS;
    code = is_part(active, same) ? PLACE_PART | part << PLACE_CODE_BITS : code;
    return active == same ? PLACE_WHOLE | lane << PLACE_CODE_BITS : code;
}

INLINED rp_lanemask above(rp_lanemask lanes, uint32_t lane) { return lanes & ~(rp_lanemask)1 << lane; }

#define DEFINE_PUT(suffix, attribute, pack)                                                                            \
    INLINED attribute void go_##suffix(struct whereabouts *p, const struct rp_run *r, rp_lanemask others)              \
    {                                                                                                                  \
        uint32_t next, other;                                                                                          \
        const uint32_t end = learn(p, r, p->end[__builtin_ctz(r->active)], &next, &other);                             \
        set_##suffix(p, r->active, end, next, others, other);                                                          \
    }                                                                                                                  \
    INLINED attribute uint64_t code_##suffix(struct whereabouts *p, const struct rp_run *r)                            \
    {                                                                                                                  \
        const rp_lanemask predicted = equal_##suffix(p->next, r->start);                                               \
        if (predicted == r->active) {                                                                                  \
            go_##suffix(p, r, 0);                                                                                      \
            return PLACE_PREDICTED;                                                                                    \
        }                                                                                                              \
        const uint32_t lane = (uint32_t)__builtin_ctz(r->active);                                                      \
        const rp_lanemask same = equal_##suffix(p->end, p->end[lane]), part = is_part(r->active, same);                \
        go_##suffix(p, r, same & ~r->active & part);                                                                   \
        return unforeseen(r->active, predicted, same, pack(r->active, above(same, lane) & part));                      \
    }                                                                                                                  \
    attribute static uint8_t *put_##suffix(struct whereabouts *p, const struct rp_run *r, size_t count, uint8_t *at)   \
    {                                                                                                                  \
        for (size_t i = 0; i < count; i++)                                                                             \
            at = varint_put_short(at, code_##suffix(p, &r[i]));                                                        \
        return at;                                                                                                     \
    }
DEFINE_PUT(anywhere, , lanes_pack)
#ifdef __x86_64__
DEFINE_PUT(avx2, AVX2, __builtin_ia32_pext_si)
DEFINE_PUT(avx512, AVX512, __builtin_ia32_pext_si)

/* The same of words of 16 bits, which stay in registers from run to run. */
#define SHORT_ENDS UINT16_MAX /* so many do not fit */
struct short_places {
    __m256i end[2], next[2];
    uint16_t one_end[RP_WARP_LANES]; /* the ends once more, to look for that of one lane */
};

INLINED AVX2 rp_lanemask equal_short(const __m256i word[2], uint32_t wanted)
{
    const __m256i each = _mm256_set1_epi16((int16_t)wanted);
    const __m256i low = _mm256_cmpeq_epi16(word[0], each), high = _mm256_cmpeq_epi16(word[1], each);
    const __m256i bytes = _mm256_permute4x64_epi64(_mm256_packs_epi16(low, high), 0xd8); /* from low lanes to high */
    return (rp_lanemask)_mm256_movemask_epi8(bytes);
}
INLINED AVX2 void set_short(__m256i word[2], rp_lanemask lanes, uint32_t value)
{
    const __m256i bit = _mm256_setr_epi16(1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024, 2048, 4096, 8192, 16384, -32768);
    const __m256i low = _mm256_and_si256(_mm256_set1_epi16((int16_t)lanes), bit);
    const __m256i high = _mm256_and_si256(_mm256_set1_epi16((int16_t)(lanes >> 16)), bit);
    const __m256i each = _mm256_set1_epi16((int16_t)value);
    word[0] = _mm256_blendv_epi8(word[0], each, _mm256_cmpeq_epi16(low, bit));
    word[1] = _mm256_blendv_epi8(word[1], each, _mm256_cmpeq_epi16(high, bit));
}
INLINED AVX2 uint64_t code_short(struct whereabouts *p, struct short_places *s, const struct rp_run *r)
{
    const rp_lanemask active = r->active, predicted = equal_short(s->next, r->start);
    const uint32_t lane = (uint32_t)__builtin_ctz(active), from = s->one_end[lane];
    uint32_t next, other;
    uint64_t code = PLACE_PREDICTED;
    const uint32_t end = learn(p, r, from, &next, &other);
    if (predicted != active) {
        const rp_lanemask same = equal_short(s->end, from);
        set_short(s->next, same & is_part(active, same), other);
        code = unforeseen(active, predicted, same, __builtin_ia32_pext_si(active, above(same, lane)));
    }
    set_short(s->next, active, next);
    set_short(s->end, active, end);
    _mm256_storeu_si256((__m256i *)s->one_end, s->end[0]);
    _mm256_storeu_si256((__m256i *)(s->one_end + 16), s->end[1]);
    return code;
}
AVX2 static uint8_t *put_short(struct whereabouts *p, const struct rp_run *r, size_t count, uint8_t *at)
{
    struct short_places s;
    for (unsigned i = 0; i < 2; i++) {
        s.end[i] = _mm256_loadu_si256((const __m256i *)p->short_end + i);
        s.next[i] = _mm256_loadu_si256((const __m256i *)p->short_next + i);
    }
    memcpy(s.one_end, p->short_end, sizeof s.one_end);
    for (size_t i = 0; i < count; i++)
        at = varint_put_short(at, code_short(p, &s, &r[i]));
    for (unsigned i = 0; i < 2; i++) {
        _mm256_storeu_si256((__m256i *)p->short_end + i, s.end[i]);
        _mm256_storeu_si256((__m256i *)p->short_next + i, s.next[i]);
    }
    return at;
}
#endif

uint8_t *whereabouts_put(struct whereabouts *p, const struct rp_run *r, size_t count, uint8_t *at)
{
#ifdef __x86_64__
    const bool bits = __builtin_cpu_supports("bmi2"); /* all CPUs with AVX2 that have it have lzcnt, too */
    if (__builtin_cpu_supports("avx512f") && bits)
        return put_avx512(p, r, count, at);
    if (__builtin_cpu_supports("avx2") && bits)
        return p->count < SHORT_ENDS ? put_short(p, r, count, at) : put_avx2(p, r, count, at);
#endif
    return put_anywhere(p, r, count, at);
}

bool whereabouts_decode(struct whereabouts *p, struct rp_run *r, uint64_t code)
{
    const rp_lanemask predicted = equal_anywhere(p->next, r->start);
    const uint64_t value = code >> PLACE_CODE_BITS;
    const uint32_t lane = value % RP_WARP_LANES;
    const rp_lanemask same = equal_anywhere(p->end, p->end[lane]), above = same & ~(rp_lanemask)1 << lane;
    rp_lanemask others = 0;
    switch (code % (1 << PLACE_CODE_BITS)) {
    case PLACE_PREDICTED: r->active = value ? 0 : predicted; break;
    case PLACE_WHOLE: r->active = value < RP_WARP_LANES ? same : 0; break;
    case PLACE_PART:
        r->active = (rp_lanemask)1 << lane | lanes_unpack(value >> PLACE_LANE_BITS, above);
        others = same & ~r->active;
        break;
    default: r->active = value <= UINT32_MAX ? predicted ^ (rp_lanemask)value : 0; break;
    }
    if (!r->active)
        return false;
    go_anywhere(p, r, others);
    return true;
}
