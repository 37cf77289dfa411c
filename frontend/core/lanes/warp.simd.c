/* Operations across the lanes of a warp: shfl, vote, match, redux, activemask, elect (PTX ISA "Data Movement" and
 * "Parallel Synchronization and Communication"). Executed lanes with the same membermask form a group, and each group
 * is handled by itself. Its members are those of its lanes that the mask names. frontend/core/collective.c decides
 * whether all lanes that a mask names are there. */
#include "frontend/core/lanes/groups.h"
#include "frontend/core/lanes/loop.h"

/* The lanes of `left` with the mask of the lowest one, and the members among them. */
struct group {
    lanemask lanes, members;
};
INLINE struct group lowest_group(const u32 *masks, lanemask left)
{
    u32 mask = masks[__builtin_ctz(left)], q[LANES] ALIGNED;
    for (int l = 0; l < LANES; l++)
        q[l] = masks[l] == mask ? ~0u : 0;
    lanemask lanes = mask_of_words(q) & left;
    return (struct group){lanes, lanes & mask};
}
/* Iterates over all groups `g` of the executed lanes, in the order of their lowest lanes. */
#define FOR_GROUPS(g, masks, executed)                                                                                 \
    for (lanemask left_ = (executed); left_; left_ = 0)                                                                \
        for (struct group g; left_ && (g = lowest_group(masks, left_), 1); left_ &= ~g.lanes)

#define FOR_LANES_OF(l, mask) for (lanemask m_ = (mask), l; m_ && (l = (lanemask)__builtin_ctz(m_), 1); m_ &= m_ - 1)
INLINE void store_everywhere(struct warp *w, const struct uop *u, lanemask executed, u32 value)
{
    STORE_LANES(u32, destination(w, u->d), executed, value);
}

/* ---- shfl: c holds the last lane of a segment (bits 0..4) and the mask of lane bits that name the segment (8..12)
 * ---- */

INLINE s32 partner(enum shfl_mode mode, s32 lane, s32 first, s32 segment, s32 b)
{
    return mode == SHFL_UP     ? lane - b
           : mode == SHFL_DOWN ? lane + b
           : mode == SHFL_BFLY ? lane ^ b
                               : first | (b & ~segment);
}
/* r = a[from] lane by lane; from in 0..31 */
INLINE void gather(u32 *r, const u32 *a, const u32 *from)
{
#ifdef __AVX512F__
    __m512i low = _mm512_load_si512(a), high = _mm512_load_si512(a + 16);
    for (int i = 0; i < LANES; i += 16)
        _mm512_store_si512(r + i, _mm512_permutex2var_epi32(low, _mm512_load_si512(from + i), high));
#else
    for (int l = 0; l < LANES; l++)
        r[l] = a[from[l]];
#endif
}
/* Sets the results of lanes that read from a lane outside of their group's members to 0. */
INLINE void drop_others(u32 *r, const u32 *from, const u32 *masks, lanemask executed)
{
    FOR_GROUPS(g, masks, executed)
    {
        if (g.members == EVERY_LANE)
            return;
        for (int l = 0; l < LANES; l++)
            r[l] = !(g.lanes & lane_bit[l]) || g.members >> from[l] & 1 ? r[l] : 0;
    }
}
INLINE void shuffle(struct warp *w, const struct uop *u, lanemask executed, enum shfl_mode mode)
{
    const u32 *b = source(w, u->b), *c = source(w, u->c);
    u32 r[LANES] ALIGNED, from[LANES] ALIGNED, in_range[LANES] ALIGNED;
    for (s32 l = 0; l < LANES; l++) {
        s32 segment = c[l] >> 8 & 31, first = l & segment, last = first | (c[l] & 31 & ~segment);
        s32 j = partner(mode, l, first, segment, b[l] & 31);
        bool fits = mode == SHFL_UP ? j >= last : j <= last;
        from[l] = (u32)(fits ? j : l);
        in_range[l] = fits ? ~0u : 0;
    }
    gather(r, source(w, u->a), from);
    if (u->flags & UF_MEMBERS)
        drop_others(r, from, source(w, u->lane->elements[0]), executed);
    lanemask p = mask_of_words(in_range);
    STORE_LANES(u32, destination(w, u->d), executed, r[l]);
    write_predicate(w, u->pd, p, executed);
}
HANDLER(shfl_up) { shuffle(w, u, executed, SHFL_UP); }
HANDLER(shfl_down) { shuffle(w, u, executed, SHFL_DOWN); }
HANDLER(shfl_bfly) { shuffle(w, u, executed, SHFL_BFLY); }
HANDLER(shfl_idx) { shuffle(w, u, executed, SHFL_IDX); }

/* ---- vote ---- */

INLINE void count_votes(struct warp *w, const struct uop *u, struct group g)
{
    lanemask yes = predicate(w, u) & g.members;
    bool result;
    switch (u->mode) {
    case VOTE_BALLOT: store_everywhere(w, u, g.lanes, yes); return;
    case VOTE_ALL: result = yes == g.members; break;
    case VOTE_ANY: result = yes != 0; break;
    default: result = yes == g.members || yes == 0; break;
    }
    write_predicate(w, u->pd, -(lanemask)result, g.lanes);
}
HANDLER(vote)
{
    if (!u->lane) {
        count_votes(w, u, (struct group){executed, executed});
        return;
    }
    u32 masks[LANES] ALIGNED; /* a copy, because the result may overwrite the masks */
    memcpy(masks, source(w, u->lane->elements[0]), sizeof masks);
    FOR_GROUPS(g, masks, executed) count_votes(w, u, g);
}

/* ---- match ---- */

#define MATCHES(bits, extract)                                                                                         \
    INLINE lanemask equal_to##bits(const u##bits *a, u##bits value)                                                    \
    {                                                                                                                  \
        u##bits q[LANES] ALIGNED;                                                                                      \
        for (int l = 0; l < LANES; l++)                                                                                \
            q[l] = a[l] == value ? ~(u##bits)0 : 0;                                                                    \
        return extract(q);                                                                                             \
    }                                                                                                                  \
    HANDLER(match_any##bits)                                                                                           \
    {                                                                                                                  \
        const u##bits *a = source(w, u->a);                                                                            \
        u32 r[LANES] ALIGNED = {0};                                                                                    \
        FOR_GROUPS(g, source(w, u->b), executed)                                                                       \
        FOR_LANES_OF(l, g.lanes)                                                                                       \
        r[l] = equal_to##bits(a, a[l]) & g.members;                                                                    \
        STORE_LANES(u32, destination(w, u->d), executed, r[l]);                                                        \
    }                                                                                                                  \
    HANDLER(match_all##bits)                                                                                           \
    {                                                                                                                  \
        u##bits a[LANES] ALIGNED;                                                                                      \
        u32 masks[LANES] ALIGNED;                                                                                      \
        memcpy(a, source(w, u->a), sizeof a);                                                                          \
        memcpy(masks, source(w, u->b), sizeof masks);                                                                  \
        FOR_GROUPS(g, masks, executed)                                                                                 \
        {                                                                                                              \
            lanemask all = g.members;                                                                                  \
            bool same = !all || (equal_to##bits(a, a[__builtin_ctz(all)]) & all) == all;                               \
            if (!is_sink(u->d))                                                                                        \
                store_everywhere(w, u, g.lanes, same ? all : 0);                                                       \
            write_predicate(w, u->pd, -(lanemask)same, g.lanes);                                                       \
        }                                                                                                              \
    }
MATCHES(32, mask_of_words)
MATCHES(64, mask_of_doublewords)

/* ---- redux ---- */

static u32 reduced(enum rp_atomic op, enum lane_type type, u32 x, u32 y)
{
    bool is_signed = lane_is_signed(type);
    switch (op) {
    case RP_ATOMIC_ADD: return x + y;
    case RP_ATOMIC_AND: return x & y;
    case RP_ATOMIC_OR: return x | y;
    case RP_ATOMIC_XOR: return x ^ y;
    case RP_ATOMIC_MIN: return (is_signed ? (s32)x < (s32)y : x < y) ? x : y;
    default: return (is_signed ? (s32)x > (s32)y : x > y) ? x : y;
    }
}
HANDLER(redux)
{
    u32 a[LANES] ALIGNED, masks[LANES] ALIGNED;
    memcpy(a, source(w, u->a), sizeof a);
    memcpy(masks, source(w, u->b), sizeof masks);
    FOR_GROUPS(g, masks, executed)
    {
        lanemask left = g.members;
        u32 result = left ? a[__builtin_ctz(left)] : 0;
        for (left &= left - 1; left; left &= left - 1)
            result = reduced(u->mode, u->type, result, a[__builtin_ctz(left)]);
        store_everywhere(w, u, g.lanes, result);
    }
}

HANDLER(activemask) { store_everywhere(w, u, executed, executed); }

/* The lowest member is elected. */
HANDLER(elect)
{
    u32 masks[LANES] ALIGNED;
    lanemask chosen = 0;
    memcpy(masks, source(w, u->b), sizeof masks);
    FOR_GROUPS(g, masks, executed)
    {
        lanemask elected = g.members & -g.members;
        if (!is_sink(u->d))
            store_everywhere(w, u, g.lanes, elected ? (u32)__builtin_ctz(elected) : 0);
        chosen |= elected;
    }
    write_predicate(w, u->pd, chosen, executed);
}

/* ---- nanosleep ---- */

HANDLER(sleep_lanes)
{
    const u32 *time = source(w, u->a);
    u32 longest = 0;
    for (int l = 0; l < LANES; l++)
        longest = executed >> l & 1 && time[l] > longest ? time[l] : longest;
    w->slept += longest;
}

/* ---- binding ---- */

static uop_fn find_redux(const struct operation *o)
{
    bool arithmetic = o->imm >= RP_ATOMIC_ADD && o->imm <= RP_ATOMIC_MAX;
    bool logic = o->imm >= RP_ATOMIC_AND && o->imm <= RP_ATOMIC_XOR;
    return (TYPE(o->type) & TYPES32) && (arithmetic || logic) ? redux : NULL;
}
uop_fn SIMD_NAME(lanes_warp)(const struct operation *o)
{
    static const uop_fn shuffles[] = {shfl_up, shfl_down, shfl_bfly, shfl_idx};
    bool word = TYPE(o->type) & WIDE32, doubleword = TYPE(o->type) & WIDE64;
    switch (o->op) {
    case OP_SHFL: return word && o->imm >= 0 && o->imm <= SHFL_IDX ? shuffles[o->imm] : NULL;
    case OP_VOTE: return o->imm >= 0 && o->imm <= VOTE_BALLOT ? vote : NULL;
    case OP_MATCH:
        if (o->imm)
            return word ? match_all32 : doubleword ? match_all64 : NULL;
        return word ? match_any32 : doubleword ? match_any64 : NULL;
    case OP_REDUX: return find_redux(o);
    case OP_ACTIVEMASK: return activemask;
    case OP_ELECT: return elect;
    case OP_SLEEP: return word ? sleep_lanes : NULL;
    default: return NULL;
    }
}
