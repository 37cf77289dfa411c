/* Moves: between registers, from special registers, packing and unpacking, selection (PTX ISA "Data Movement" and
 * "Comparison and Selection"). Bits are copied as they are, NaN payloads included. */
#include "frontend/core/lanes/groups.h"
#include "frontend/core/lanes/loop.h"
#include "frontend/operation/address_map.h"

LANES1(mov16, u16, u16, a)
LANES1(mov32, u32, u32, a)
LANES1(mov64, u64, u64, a)
HANDLER(mov128)
{
    const u64 *a = source(w, u->a);
    u64 *d = destination(w, u->d), low[LANES] ALIGNED, high[LANES] ALIGNED;
    memcpy(low, a, sizeof low);
    memcpy(high, a + LANES, sizeof high);
    STORE_LANES(u64, d, executed, low[l]);
    STORE_LANES(u64, d + LANES, executed, high[l]);
}
HANDLER(mov_predicate) { write_predicate(w, u->d, mask_at(w, u->a), executed); }

/* ---- special registers ---- */

static void store_uniform(struct warp *w, const struct uop *u, lanemask executed, u64 value)
{
    switch (lane_element_bytes(u->type)) {
    case 2: STORE_LANES(u16, destination(w, u->d), executed, value); break;
    case 4: STORE_LANES(u32, destination(w, u->d), executed, value); break;
    default: STORE_LANES(u64, destination(w, u->d), executed, value); break;
    }
}
static void store_words(struct warp *w, const struct uop *u, lanemask executed, const u32 *values)
{
    switch (lane_element_bytes(u->type)) {
    case 2: STORE_LANES(u16, destination(w, u->d), executed, values[l]); break;
    case 4: STORE_LANES(u32, destination(w, u->d), executed, values[l]); break;
    default: STORE_LANES(u64, destination(w, u->d), executed, values[l]); break;
    }
}

/* The bits of lanes from..to-1, counted from each lane. */
static u32 lanemask_register(enum special which, int lane)
{
    u32 own = 1u << lane;
    switch (which) {
    case SR_LANEMASK_EQ: return own;
    case SR_LANEMASK_LE: return own | (own - 1);
    case SR_LANEMASK_LT: return own - 1;
    case SR_LANEMASK_GE: return -own;
    case SR_LANEMASK_GT: return -own & ~own;
    default: return (u32)lane; /* SR_LANEID */
    }
}

static u64 cluster_register(const struct warp *w, enum special which)
{
    const uint32_t *c = w->cluster, *id = w->ctaid;
    bool alone = c[0] * c[1] * c[2] == 1;
    switch (which) {
    case SR_CLUSTER_CTAID_X:
    case SR_CLUSTER_CTAID_Y:
    case SR_CLUSTER_CTAID_Z: return id[which - SR_CLUSTER_CTAID_X] % c[which - SR_CLUSTER_CTAID_X];
    case SR_CLUSTER_NCTAID_X:
    case SR_CLUSTER_NCTAID_Y:
    case SR_CLUSTER_NCTAID_Z: return c[which - SR_CLUSTER_NCTAID_X];
    case SR_CLUSTERID_X:
    case SR_CLUSTERID_Y:
    case SR_CLUSTERID_Z: return id[which - SR_CLUSTERID_X] / c[which - SR_CLUSTERID_X];
    case SR_NCLUSTERID_X:
    case SR_NCLUSTERID_Y:
    case SR_NCLUSTERID_Z: return w->nctaid[which - SR_NCLUSTERID_X] / c[which - SR_NCLUSTERID_X];
    case SR_CLUSTER_RANK: return id[0] % c[0] + c[0] * (id[1] % c[1] + c[1] * (id[2] % c[2]));
    case SR_CLUSTER_BLOCKS: return c[0] * c[1] * c[2];
    case SR_CLUSTER_EXPLICIT: return w->cluster_said;
    case SR_CLUSTER_SHARED: return alone ? 0 : CLUSTER_SHARED;
    case SR_CLUSTER_MASK: return alone ? ~(u64)0 : ~(u64)CLUSTER_RANKS;
    default: return 0; /* SR_SMID, SR_GRIDID, SR_PM */
    }
}

/* Special registers that are the same in every lane. */
static u64 uniform_register(const struct warp *w, enum special which)
{
    switch (which) {
    case SR_NTID_X:
    case SR_NTID_Y:
    case SR_NTID_Z: return w->ntid[which - SR_NTID_X];
    case SR_CTAID_X:
    case SR_CTAID_Y:
    case SR_CTAID_Z: return w->ctaid[which - SR_CTAID_X];
    case SR_NCTAID_X:
    case SR_NCTAID_Y:
    case SR_NCTAID_Z: return w->nctaid[which - SR_NCTAID_X];
    case SR_WARPID: return w->id;
    case SR_NWARPID: return w->warp_ids;
    case SR_NSMID: return 1;
    case SR_CLOCK:
    case SR_GLOBALTIMER_LO: return (u32)(w->clock + w->slept);
    case SR_CLOCK_HI:
    case SR_GLOBALTIMER_HI: return (w->clock + w->slept) >> 32;
    case SR_CLOCK64:
    case SR_GLOBALTIMER: return w->clock + w->slept;
    case SR_DYNAMIC_SMEM_SIZE: return w->dynamic_shared;
    case SR_TOTAL_SMEM_SIZE: return w->total_shared;
    case SR_LOCAL_BYTES: return w->local_bytes;
    case SR_WORKSPACE_HIGH: return w->workspace >> 32;
    case SR_WORKSPACE_LOW: return (u32)w->workspace;
    default: return cluster_register(w, which);
    }
}

HANDLER(special_tid) { store_words(w, u, executed, w->tid[u->mode - SR_TID_X]); }
HANDLER(special_lane)
{
    u32 values[LANES];
    for (int l = 0; l < LANES; l++)
        values[l] = lanemask_register(u->mode, l);
    store_words(w, u, executed, values);
}
HANDLER(special_uniform) { store_uniform(w, u, executed, uniform_register(w, u->mode)); }
HANDLER(frame_address) { store_uniform(w, u, executed, (u64)w->frame + (u64)u->imm); }

static uop_fn find_special(const struct operation *o)
{
    if (!(TYPE(o->type) & (WIDE16 | WIDE32 | WIDE64)) || o->imm < 0 || o->imm >= SR_COUNT)
        return NULL;
    if (o->imm <= SR_TID_Z)
        return special_tid;
    if (o->imm == SR_LANEID || (o->imm >= SR_LANEMASK_EQ && o->imm <= SR_LANEMASK_GT))
        return special_lane;
    return special_uniform;
}

/* ---- packing: mov.b64 %rd, {%r0, %r1} and back ---- */

#define PACKING(D, E)                                                                                                  \
    HANDLER(pack_##E##_to_##D)                                                                                         \
    {                                                                                                                  \
        D r[LANES] ALIGNED = {0};                                                                                      \
        for (u32 k = 0; k < list_count(u->lane, 0); k++) {                                                             \
            const E *e = source(w, u->lane->elements[k]);                                                              \
            for (int l = 0; l < LANES; l++)                                                                            \
                r[l] |= (D)((D)e[l] << 8 * sizeof(E) * k);                                                             \
        }                                                                                                              \
        STORE_LANES(D, destination(w, u->d), executed, r[l]);                                                          \
    }                                                                                                                  \
    HANDLER(unpack_##D##_to_##E)                                                                                       \
    {                                                                                                                  \
        D a[LANES] ALIGNED;                                                                                            \
        memcpy(a, source(w, u->a), sizeof a);                                                                          \
        for (u32 k = 0; k < list_count(u->lane, 0); k++)                                                               \
            if (!is_sink(u->lane->elements[k]))                                                                        \
                STORE_LANES(E, destination(w, u->lane->elements[k]), executed, (E)(a[l] >> 8 * sizeof(E) * k));        \
    }
PACKING(u64, u32)
PACKING(u64, u16)
PACKING(u32, u16)

/* Elements of 8 bits have registers of 16 (uop.h). */
#define PACKING_BYTES(D)                                                                                               \
    HANDLER(pack_u8_to_##D)                                                                                            \
    {                                                                                                                  \
        D r[LANES] ALIGNED = {0};                                                                                      \
        for (u32 k = 0; k < list_count(u->lane, 0); k++) {                                                             \
            const u16 *e = source(w, u->lane->elements[k]);                                                            \
            for (int l = 0; l < LANES; l++)                                                                            \
                r[l] |= (D)((D)(u8)e[l] << 8 * k);                                                                     \
        }                                                                                                              \
        STORE_LANES(D, destination(w, u->d), executed, r[l]);                                                          \
    }                                                                                                                  \
    HANDLER(unpack_##D##_to_u8)                                                                                        \
    {                                                                                                                  \
        D a[LANES] ALIGNED;                                                                                            \
        memcpy(a, source(w, u->a), sizeof a);                                                                          \
        bool extend = u->stype == T_S8;                                                                                \
        for (u32 k = 0; k < list_count(u->lane, 0); k++)                                                               \
            if (!is_sink(u->lane->elements[k]))                                                                        \
                STORE_LANES(u16, destination(w, u->lane->elements[k]), executed,                                       \
                            extend ? (u16)(s8)(a[l] >> 8 * k) : (u8)(a[l] >> 8 * k));                                  \
    }
PACKING_BYTES(u32)
PACKING_BYTES(u16)

HANDLER(pack_u64_to_u128)
{
    u64 *d = destination(w, u->d), low[LANES] ALIGNED, high[LANES] ALIGNED;
    memcpy(low, source(w, u->lane->elements[0]), sizeof low);
    memcpy(high, source(w, u->lane->elements[1]), sizeof high);
    STORE_LANES(u64, d, executed, low[l]);
    STORE_LANES(u64, d + LANES, executed, high[l]);
}
HANDLER(unpack_u128_to_u64)
{
    u64 a[2][LANES] ALIGNED;
    memcpy(a, source(w, u->a), sizeof a);
    for (int k = 0; k < 2; k++)
        if (!is_sink(u->lane->elements[k]))
            STORE_LANES(u64, destination(w, u->lane->elements[k]), executed, a[k][l]);
}

HANDLER(pack_u32_to_u128)
{
    u64 r[2][LANES] ALIGNED;
    for (int k = 0; k < 2; k++) {
        const u32 *low = source(w, u->lane->elements[2 * k]), *high = source(w, u->lane->elements[2 * k + 1]);
        for (int l = 0; l < LANES; l++)
            r[k][l] = (u64)high[l] << 32 | low[l];
    }
    u64 *d = destination(w, u->d);
    STORE_LANES(u64, d, executed, r[0][l]);
    STORE_LANES(u64, d + LANES, executed, r[1][l]);
}
HANDLER(unpack_u128_to_u32)
{
    u64 a[2][LANES] ALIGNED;
    memcpy(a, source(w, u->a), sizeof a);
    for (int k = 0; k < 4; k++)
        if (!is_sink(u->lane->elements[k]))
            STORE_LANES(u32, destination(w, u->lane->elements[k]), executed, (u32)(a[k / 2][l] >> 32 * (k % 2)));
}

/* ---- selection ---- */

#define SELECTION(t)                                                                                                   \
    INLINE t choose_##t(u32 first, t a, t b) { return first ? a : b; }                                                 \
    HANDLER(selp_##t)                                                                                                  \
    {                                                                                                                  \
        const t *a = source(w, u->a), *b = source(w, u->b);                                                            \
        lanemask p = predicate(w, u);                                                                                  \
        STORE_LANES(t, destination(w, u->d), executed, choose_##t(p &lane_bit[l], a[l], b[l]));                        \
    }                                                                                                                  \
    LANES3(slct_##t##_s32, t, t, t, s32, c >= 0 ? a : b)                                                               \
    LANES3(slct_##t##_f32, t, t, t, f32, c >= 0 ? a : b)                                                               \
    LANES3(slct_##t##_f32_ftz, t, t, t, f32, flush(c) >= 0 ? a : b)
SELECTION(u16)
SELECTION(u32)
SELECTION(u64)

/* ---- rows ---- */

#define ROW(op, types, stypes, flags, fn)                                                                              \
    {                                                                                                                  \
        OP_##op, types, stypes, SEMANTIC_FLAGS, flags, 0, fn                                                           \
    }
#define PACK_ROWS(types, stypes, D, E)                                                                                 \
    ROW(PACK, types, stypes, 0, pack_##E##_to_##D), ROW(UNPACK, types, stypes, 0, unpack_##D##_to_##E)
#define SELECT_ROWS(types, t)                                                                                          \
    ROW(SELP, types, 0, 0, selp_##t), ROW(SLCT, types, TYPES32, 0, slct_##t##_s32),                                    \
        ROW(SLCT, types, TYPE(T_F32), 0, slct_##t##_f32), ROW(SLCT, types, TYPE(T_F32), UF_FTZ, slct_##t##_f32_ftz)
#define BYTES (TYPE(T_B8) | TYPE(T_U8) | TYPE(T_S8))
#define HALVES (WIDE16 & ~BYTES)
static const struct lane_row rows[] = {
    ROW(MOV, WIDE16, 0, 0, mov16),
    ROW(MOV, WIDE32, 0, 0, mov32),
    ROW(MOV, WIDE64, 0, 0, mov64),
    ROW(MOV, TYPE(T_B128), 0, 0, mov128),
    ROW(MOV, TYPE(T_PRED), 0, 0, mov_predicate),
    ROW(FRAME, WIDE32 | WIDE64, 0, 0, frame_address),
    PACK_ROWS(WIDE64, WIDE32, u64, u32),
    PACK_ROWS(WIDE64, HALVES, u64, u16),
    PACK_ROWS(WIDE32, HALVES, u32, u16),
    PACK_ROWS(WIDE32, BYTES, u32, u8),
    PACK_ROWS(HALVES, BYTES, u16, u8),
    PACK_ROWS(TYPE(T_B128), WIDE64, u128, u64),
    PACK_ROWS(TYPE(T_B128), WIDE32, u128, u32),
    SELECT_ROWS(WIDE16, u16),
    SELECT_ROWS(WIDE32, u32),
    SELECT_ROWS(WIDE64, u64),
};

/* A list that does not fill the whole register is no packing. */
static bool list_fits(const struct operation *o)
{
    if (o->op != OP_PACK && o->op != OP_UNPACK)
        return true;
    return lane_type_bits(o->stype) * o->lists[0].count == lane_type_bits(o->type);
}

uop_fn SIMD_NAME(lanes_move)(const struct operation *o)
{
    if (o->op == OP_SPECIAL)
        return find_special(o);
    return list_fits(o) ? FIND_ROW(rows, o) : NULL;
}
