#include "frontend/guest/stacks.h"

#include "frontend/core/access.h"
#include "frontend/core/lanes/loop.h"
#include "frontend/guest/lanes.h"
#include "frontend/guest/reservations.h"
#include "tracefmt/writer.h"

#define ALL_LANES for (int l = 0; l < LANES; l++)
/* Loops that do not become vectors: branch predictors miss the ends of short ones. */
#define UNROLL _Pragma("GCC unroll 32")

/* ---- elements of words ------------------------------------------------------------------------------------------- */

/* The element whose lowest byte is at bit `up` of `low`, and whose highest ones may be in the next word. */
INLINE u32 element_of(u32 low, u32 next, u32 up, unsigned width, bool sign)
{
    const unsigned above = 32 - 8 * width;
    const u32 word = low >> up | next << 1 << (31 - up);
    return sign ? (u32)((s32)(word << above) >> above) : word << above >> above;
}

INLINE u32 bits_of(unsigned width) { return UINT32_MAX >> (32 - 8 * width); }

/* A word, and the next one, with the element put in. */
INLINE u32 with_low(u32 word, u32 value, u32 up, u32 bits) { return (word & ~(bits << up)) | (value & bits) << up; }
INLINE u32 with_next(u32 word, u32 value, u32 up, u32 bits)
{
    const u32 mask = bits >> 1 >> (31 - up);
    return (word & ~mask) | (value >> 1 >> (31 - up) & mask);
}

/* ---- all lanes at one place -------------------------------------------------------------------------------------- */

INLINE u32 *row_at(const struct guest_stacks *s, u32 offset)
{
    return __builtin_assume_aligned(s->host + (size_t)(offset / 4) * 4 * LANES, 64);
}

INLINE bool is_split(u32 offset, unsigned width) { return (offset & 3) + width > 4; }

INLINE void load_row(u32 *d, const struct guest_stacks *s, u32 offset, unsigned width, bool sign, lanemask executed)
{
    const u32 *low = row_at(s, offset), up = (offset & 3) * 8;
    if (width == 4 && !up)
        STORE_LANES(u32, d, executed, low[l]);
    else if (is_split(offset, width))
        STORE_LANES(u32, d, executed, element_of(low[l], low[l + LANES], up, width, sign));
    else
        STORE_LANES(u32, d, executed, element_of(low[l], 0, up, width, sign));
}

INLINE void store_row(const u32 *from, const struct guest_stacks *s, u32 offset, unsigned width, lanemask executed)
{
    u32 *low = row_at(s, offset), *next = low + LANES;
    const u32 up = (offset & 3) * 8, bits = bits_of(width);
    if (width == 4 && !up) {
        STORE_LANES(u32, low, executed, from[l]);
        return;
    }
    STORE_LANES(u32, low, executed, with_low(low[l], from[l], up, bits));
    if (is_split(offset, width))
        STORE_LANES(u32, next, executed, with_next(next[l], from[l], up, bits));
}

/* ---- each lane at its own place ---------------------------------------------------------------------------------- */

/* The words from which lanes load, and which they store. */
struct words {
    u32 at[LANES] ALIGNED; /* by lane: the number of its word in the host's memory for the stacks */
    u32 word[LANES] ALIGNED;
};

INLINE void find_words(struct words *w, const struct guest_stacks *s, const u32 *offset, u32 beyond)
{
    const u32 *host = (const u32 *)s->host;
    ALL_LANES w->at[l] = (offset[l] + beyond) / 4 * LANES + (u32)l;
#ifdef __AVX512DQ__
    for (int l = 0; l < LANES; l += 16)
        _mm512_store_si512(w->word + l, _mm512_i32gather_epi32(_mm512_load_si512(w->at + l), host, 4));
#else
    ALL_LANES w->word[l] = host[w->at[l]];
#endif
}

/* The words behind those, of lanes whose element lies in two; of others their own. */
INLINE void find_next_words(struct words *w, const struct guest_stacks *s, const u32 *offset, u32 beyond,
                            unsigned width)
{
    u32 at[LANES] ALIGNED;
    ALL_LANES at[l] = offset[l] + (is_split(offset[l], width) ? 4 : 0);
    find_words(w, s, at, beyond);
}

INLINE void store_words(const struct words *w, const struct guest_stacks *s, lanemask executed)
{
    u32 *host = (u32 *)s->host;
#ifdef __AVX512DQ__
    for (int l = 0; l < LANES; l += 16)
        _mm512_mask_i32scatter_epi32(host, (__mmask16)(executed >> l), _mm512_load_si512(w->at + l),
                                     _mm512_load_si512(w->word + l), 4);
#else
    if (executed == EVERY_LANE)
        UNROLL ALL_LANES host[w->at[l]] = w->word[l];
    else
        for (lanemask m = executed; m; m &= m - 1)
            host[w->at[__builtin_ctz(m)]] = w->word[__builtin_ctz(m)];
#endif
}

INLINE void load_apart(u32 *d, const struct guest_offsets *o, const struct guest_stacks *s, u32 beyond, unsigned width,
                       bool sign, lanemask executed)
{
    struct words low, next;
    find_words(&low, s, o->at, beyond);
    if (o->split) {
        find_next_words(&next, s, o->at, beyond, width);
        STORE_LANES(u32, d, executed, element_of(low.word[l], next.word[l], (o->at[l] & 3) * 8, width, sign));
    } else {
        STORE_LANES(u32, d, executed, element_of(low.word[l], 0, (o->at[l] & 3) * 8, width, sign));
    }
}

INLINE void store_apart(const u32 *from, const struct guest_offsets *o, const struct guest_stacks *s, u32 beyond,
                        unsigned width, lanemask executed)
{
    const u32 bits = bits_of(width);
    struct words w;
    u32 split[LANES] ALIGNED;
    find_words(&w, s, o->at, beyond);
    ALL_LANES w.word[l] = with_low(w.word[l], from[l], (o->at[l] & 3) * 8, bits);
    store_words(&w, s, executed);
    if (!o->split)
        return;
    find_next_words(&w, s, o->at, beyond, width);
    ALL_LANES w.word[l] = with_next(w.word[l], from[l], (o->at[l] & 3) * 8, bits);
    ALL_LANES split[l] = is_split(o->at[l], width) ? UINT32_MAX : 0;
    store_words(&w, s, executed & mask_of_words(split));
}

/* ---- any accesses to stacks -------------------------------------------------------------------------------------- */

/* The words that are not 0. */
INLINE lanemask mask_of_others(const u32 *x)
{
    u32 words[LANES] ALIGNED;
    ALL_LANES words[l] = x[l] ? UINT32_MAX : 0;
    return mask_of_words(words);
}

bool SIMD_NAME(guest_find_in_stacks)(struct guest_offsets *restrict to, const struct lane_addresses *restrict la,
                                     const struct guest_stacks *s, uint32_t bytes, uint32_t width, lanemask executed)
{
    const uint32_t first = (uint32_t)__builtin_ctz(executed), highest = s->bytes - bytes;
    const uint32_t start = (uint32_t)lane_address(la, first) - s->low + first * s->pitch;
    u32 outside[LANES] ALIGNED, elsewhere[LANES] ALIGNED, split[LANES] ALIGNED;
    if (la->affine)
        ALL_LANES to->at[l] = (u32)la->at[0] + (u32)la->stride * (u32)l - s->low + (u32)l * s->pitch;
    else
        ALL_LANES to->at[l] = executed & lane_bit[l] ? (u32)la->at[l] - s->low + (u32)l * s->pitch : start;
    ALL_LANES
    {
        outside[l] = to->at[l] > highest;
        elsewhere[l] = to->at[l] ^ start;
        split[l] = is_split(to->at[l], width);
    }
    to->same = !mask_of_others(elsewhere);
    to->split = mask_of_others(split);
    return !mask_of_others(outside);
}

void SIMD_NAME(guest_load_stacks)(uint32_t *d, const struct guest_offsets *o, const struct guest_stacks *s,
                                  uint32_t beyond, uint32_t width, bool sign, lanemask executed)
{
    if (o->same)
        load_row(d, s, o->at[0] + beyond, width, sign, executed);
    else if (width == 4)
        load_apart(d, o, s, beyond, 4, false, executed);
    else if (sign)
        load_apart(d, o, s, beyond, width, true, executed);
    else
        load_apart(d, o, s, beyond, width, false, executed);
}

void SIMD_NAME(guest_store_stacks)(const uint32_t *from, const struct guest_offsets *o, const struct guest_stacks *s,
                                   uint32_t beyond, uint32_t width, lanemask executed)
{
    if (o->same)
        store_row(from, s, o->at[0] + beyond, width, executed);
    else
        store_apart(from, o, s, beyond, width, executed);
}

/* ---- handlers ---------------------------------------------------------------------------------------------------- */

/* Whether all lanes are as far apart as their stacks are. */
INLINE bool is_one_place(const u32 *a, const u32 *down)
{
#ifdef __AVX512DQ__
    const __m512i first = _mm512_set1_epi32((s32)a[0]);
    const __m512i low = _mm512_add_epi32(_mm512_load_si512(a), _mm512_loadu_si512(down));
    const __m512i high = _mm512_add_epi32(_mm512_load_si512(a + 16), _mm512_loadu_si512(down + 16));
    return _kortestz_mask16_u8(_mm512_cmpneq_epi32_mask(low, first), _mm512_cmpneq_epi32_mask(high, first));
#elif defined __AVX2__
    const __m256i first = _mm256_set1_epi32((s32)a[0]);
    __m256i differs = _mm256_setzero_si256();
    for (int l = 0; l < LANES; l += 8) {
        const __m256i place = _mm256_add_epi32(_mm256_load_si256((const __m256i *)(a + l)),
                                               _mm256_loadu_si256((const __m256i *)(down + l)));
        differs = _mm256_or_si256(differs, _mm256_xor_si256(place, first));
    }
    return _mm256_testz_si256(differs, differs);
#else
    u32 differs = 0;
    ALL_LANES differs |= (a[l] + down[l]) ^ a[0];
    return !differs;
#endif
}

/* Strides beyond this are recorded as any addresses (access.simd.c). */
#define STRIDE_MOST (1u << 24)

INLINE void forget_place(struct guest_group *g, const struct uop *u)
{
    g->in_place &= ~((u64)1 << guest_place_bit(u->a));
}

/* Whether these are all 32 cores, the first of them accesses `bytes` of its stack, and nobody need be told. */
INLINE bool is_in_stack(const struct guest_group *g, const struct uop *u, u32 bytes, lanemask executed)
{
    const u32 *a = source(&g->w, u->a);
    return executed == EVERY_LANE && a[0] + (u32)u->imm - g->stacks.low <= g->stacks.bytes - bytes && !g->observer;
}

/* Whether then all do at one place: *offset. Keeps the answer. */
INLINE bool find_place(struct guest_group *g, const struct uop *u, u32 *offset)
{
    const u32 *a = source(&g->w, u->a);
    const struct guest_stacks *s = &g->stacks;
    const bool same = s->pitch < STRIDE_MOST && is_one_place(a, s->down);
    *offset = a[0] + (u32)u->imm - s->low;
    forget_place(g, u);
    g->in_place |= (u64)same << guest_place_bit(u->a);
    return same;
}

/* Whether the answer was kept, and these are `bytes` of the stack. */
INLINE bool knows_place(const struct guest_group *g, const struct uop *u, u32 bytes, u32 *offset)
{
    const u32 *a = source(&g->w, u->a);
    *offset = a[0] + (u32)u->imm - g->stacks.low;
    return g->in_place >> guest_place_bit(u->a) & 1 && *offset <= g->stacks.bytes - bytes;
}

/* Whether each accesses `bytes`, of one element, anywhere in its stack. */
INLINE bool find_places(const struct guest_group *g, const struct uop *u, u32 bytes, struct guest_offsets *o)
{
    const u32 *a = source(&g->w, u->a), *down = g->stacks.down;
    const u32 from = (u32)u->imm - g->stacks.low, highest = g->stacks.bytes - bytes;
    u32 outside[LANES] ALIGNED, split[LANES] ALIGNED;
    ALL_LANES
    {
        o->at[l] = a[l] + from + down[l];
        outside[l] = o->at[l] > highest;
        split[l] = is_split(o->at[l], bytes);
    }
    o->split = mask_of_others(split);
    return !mask_of_others(outside);
}

INLINE void log_place(const struct guest_group *g, const struct uop *u, u32 offset)
{
    if (g->w.log)
        rp_log_affine_access(g->w.log, u->index, u->mode, g->stacks.low + offset, -(int64_t)g->stacks.pitch);
}

INLINE void log_places(const struct guest_group *g, const struct uop *u)
{
    const u32 *a = source(&g->w, u->a);
    u64 at[LANES] ALIGNED;
    if (!g->w.log)
        return;
    ALL_LANES at[l] = a[l] + (u32)u->imm;
    rp_log_access(g->w.log, u->index, u->mode, EVERY_LANE, at);
}

INLINE void load_element(struct warp *w, const struct uop *u, unsigned width, bool sign)
{
    struct guest_group *g = (struct guest_group *)w;
    struct guest_offsets o;
    u32 offset;
    if (find_place(g, u, &offset)) {
        log_place(g, u, offset);
        load_row(destination(w, u->d), &g->stacks, offset, width, sign, EVERY_LANE);
    } else if (find_places(g, u, width, &o)) {
        log_places(g, u);
        load_apart(destination(w, u->d), &o, &g->stacks, 0, width, sign, EVERY_LANE);
    } else {
        guest_access(w, u, EVERY_LANE);
    }
}

INLINE void store_element(struct warp *w, const struct uop *u, unsigned width)
{
    struct guest_group *g = (struct guest_group *)w;
    struct guest_offsets o;
    u32 offset;
    if (find_place(g, u, &offset)) {
        log_place(g, u, offset);
        store_row(destination(w, u->d), &g->stacks, offset, width, EVERY_LANE);
        g->stored = true;
    } else if (find_places(g, u, width, &o)) {
        log_places(g, u);
        store_apart(destination(w, u->d), &o, &g->stacks, 0, width, EVERY_LANE);
        g->stored = true;
    } else {
        guest_access(w, u, EVERY_LANE);
    }
}

/* What all others do: is_in_stack has not looked at their places. */
NOINLINE void access_elsewhere(struct warp *w, const struct uop *u, lanemask executed)
{
    forget_place((struct guest_group *)w, u);
    guest_access(w, u, executed);
}

/* What is done in stacks is a function of its own: other accesses need no frame. What is done last needs none, either.
 */
#define LOAD(name, width, sign)                                                                                        \
    NOINLINE void name##_in_stack(struct warp *w, const struct uop *u) { load_element(w, u, width, sign); }            \
    HANDLER(name)                                                                                                      \
    {                                                                                                                  \
        if (is_in_stack((struct guest_group *)w, u, width, executed))                                                  \
            name##_in_stack(w, u);                                                                                     \
        else                                                                                                           \
            access_elsewhere(w, u, executed);                                                                          \
    }                                                                                                                  \
    HANDLER(name##_known)                                                                                              \
    {                                                                                                                  \
        const struct guest_group *g = (struct guest_group *)w;                                                         \
        u32 offset;                                                                                                    \
        if (!knows_place(g, u, width, &offset)) {                                                                      \
            name(w, u, executed);                                                                                      \
            return;                                                                                                    \
        }                                                                                                              \
        load_row(destination(w, u->d), &g->stacks, offset, width, sign, EVERY_LANE);                                   \
        log_place(g, u, offset);                                                                                       \
    }
#define STORE(name, width)                                                                                             \
    NOINLINE void name##_in_stack(struct warp *w, const struct uop *u) { store_element(w, u, width); }                 \
    HANDLER(name)                                                                                                      \
    {                                                                                                                  \
        const struct guest_group *g = (struct guest_group *)w;                                                         \
        if (is_in_stack(g, u, width, executed) && !guest_stacks_reserved(g->machine))                                  \
            name##_in_stack(w, u);                                                                                     \
        else                                                                                                           \
            access_elsewhere(w, u, executed);                                                                          \
    }                                                                                                                  \
    HANDLER(name##_known)                                                                                              \
    {                                                                                                                  \
        struct guest_group *g = (struct guest_group *)w;                                                               \
        u32 offset;                                                                                                    \
        if (!knows_place(g, u, width, &offset) || guest_stacks_reserved(g->machine)) {                                 \
            name(w, u, executed);                                                                                      \
            return;                                                                                                    \
        }                                                                                                              \
        store_row(destination(w, u->d), &g->stacks, offset, width, EVERY_LANE);                                        \
        g->stored = true;                                                                                              \
        log_place(g, u, offset);                                                                                       \
    }
LOAD(load_u8, 1, false)
LOAD(load_s8, 1, true)
LOAD(load_u16, 2, false)
LOAD(load_s16, 2, true)
LOAD(load_32, 4, false)
STORE(store_8, 1)
STORE(store_16, 2)
STORE(store_32, 4)

/* Adds c to the address register, unless the access has failed. */
INLINE void move_address(struct warp *w, const struct uop *u, lanemask executed)
{
    const u32 *by = source(w, u->c);
    u32 *a = destination(w, u->a);
    if (!((struct guest_group *)w)->failed)
        STORE_LANES(u32, a, executed, a[l] + by[l]);
}

#define MOVING(name)                                                                                                   \
    HANDLER(name##_moving)                                                                                             \
    {                                                                                                                  \
        name(w, u, executed);                                                                                          \
        move_address(w, u, executed);                                                                                  \
    }
MOVING(load_u16)
MOVING(load_u16_known)
MOVING(load_32)
MOVING(load_32_known)
MOVING(store_16)
MOVING(store_16_known)
MOVING(store_32)
MOVING(store_32_known)

uop_fn SIMD_NAME(guest_access_handler)(unsigned op, bool store, unsigned width, bool sign, bool known)
{
    static const uop_fn plain[][2] = {
        {load_u8, load_u8_known},   {load_s8, load_s8_known},   {store_8, store_8_known},
        {load_u16, load_u16_known}, {load_s16, load_s16_known}, {store_16, store_16_known},
        {load_32, load_32_known},   {load_32, load_32_known},   {store_32, store_32_known}};
    static const uop_fn moving[][2] = {[3] = {load_u16_moving, load_u16_known_moving},
                                       [5] = {store_16_moving, store_16_known_moving},
                                       [6] = {load_32_moving, load_32_known_moving},
                                       [8] = {store_32_moving, store_32_known_moving}};
    const unsigned row = (width == 1 ? 0 : width == 2 ? 3 : 6) + (store ? 2 : sign);
    return op == GUEST_MOVING_ACCESS ? moving[row][known] : plain[row][known];
}

/* ---- lists of words ---------------------------------------------------------------------------------------------- */

INLINE void load_words(struct warp *w, const struct uop *u, u32 offset)
{
    const struct guest_group *g = (struct guest_group *)w;
    log_place(g, u, offset);
    for (u32 i = 0; i < u->memory->count; i++)
        load_row(destination(w, u->memory->elements[i]), &g->stacks, offset + 4 * i, 4, false, EVERY_LANE);
}

INLINE void store_words_of(struct warp *w, const struct uop *u, u32 offset)
{
    struct guest_group *g = (struct guest_group *)w;
    log_place(g, u, offset);
    for (u32 i = 0; i < u->memory->count; i++)
        store_row(destination(w, u->memory->elements[i]), &g->stacks, offset + 4 * i, 4, EVERY_LANE);
    g->stored = true;
}

INLINE void list_elsewhere(struct warp *w, const struct uop *u, lanemask executed)
{
    forget_place((struct guest_group *)w, u);
    guest_access_list(w, u, executed);
}

HANDLER(load_list)
{
    struct guest_group *g = (struct guest_group *)w;
    u32 offset;
    if (is_in_stack(g, u, 4 * u->memory->count, executed) && find_place(g, u, &offset) && !(offset & 3))
        load_words(w, u, offset);
    else
        list_elsewhere(w, u, executed);
}

HANDLER(load_list_known)
{
    u32 offset;
    if (knows_place((struct guest_group *)w, u, 4 * u->memory->count, &offset) && !(offset & 3))
        load_words(w, u, offset);
    else
        load_list(w, u, executed);
}

HANDLER(store_list)
{
    struct guest_group *g = (struct guest_group *)w;
    u32 offset;
    if (!guest_stacks_reserved(g->machine) && is_in_stack(g, u, 4 * u->memory->count, executed) &&
        find_place(g, u, &offset) && !(offset & 3))
        store_words_of(w, u, offset);
    else
        list_elsewhere(w, u, executed);
}

HANDLER(store_list_known)
{
    struct guest_group *g = (struct guest_group *)w;
    u32 offset;
    if (!guest_stacks_reserved(g->machine) && knows_place(g, u, 4 * u->memory->count, &offset) && !(offset & 3))
        store_words_of(w, u, offset);
    else
        store_list(w, u, executed);
}

uop_fn SIMD_NAME(guest_list_handler)(bool store, bool known)
{
    return store ? known ? store_list_known : store_list : known ? load_list_known : load_list;
}
