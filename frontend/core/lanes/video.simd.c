/* Scalar video instructions (PTX ISA, section of that name). They select and extend a part of each source, compute on
 * wider intermediate values, and saturate to the destination's part. Then they apply a second operation with c, or
 * merge the result into c. */
#include "frontend/core/lanes/groups.h"
#include "frontend/core/lanes/loop.h"

static const u8 part_bits[] = {[VIDEO_WORD] = 32, [VIDEO_B0] = 8,  [VIDEO_B1] = 8, [VIDEO_B2] = 8,
                               [VIDEO_B3] = 8,    [VIDEO_H0] = 16, [VIDEO_H1] = 16};
static const u8 part_at[] = {[VIDEO_WORD] = 0, [VIDEO_B0] = 0, [VIDEO_B1] = 8, [VIDEO_B2] = 16,
                             [VIDEO_B3] = 24,  [VIDEO_H0] = 0, [VIDEO_H1] = 16};

static s128 part(u32 x, enum video_select select, bool is_signed)
{
    u32 unused = 32 - part_bits[select];
    u32 field = (x >> part_at[select]) << unused;
    return is_signed ? (s128)((s32)field >> unused) : (s128)(field >> unused);
}

static s128 clamped(s128 x, u32 bits, bool is_signed)
{
    s128 high = ((s128)1 << (bits - is_signed)) - 1, low = is_signed ? -high - 1 : 0;
    return x < low ? low : x > high ? high : x;
}

static u32 merged(u32 x, enum video_select select, u32 into)
{
    u32 mask = ~0u >> (32 - part_bits[select]) << part_at[select];
    return (x << part_at[select] & mask) | (into & ~mask);
}

static u32 second(enum video_second op, u32 x, u32 c, bool is_signed)
{
    bool less = is_signed ? (s32)x < (s32)c : x < c;
    switch (op) {
    case VIDEO_ADD: return x + c;
    case VIDEO_MIN: return less ? x : c;
    default: return less ? c : x;
    }
}

static bool compared(enum compare compare, s128 a, s128 b)
{
    switch (compare) {
    case CMP_EQ: return a == b;
    case CMP_NE: return a != b;
    case CMP_LT:
    case CMP_LO: return a < b;
    case CMP_LE:
    case CMP_LS: return a <= b;
    case CMP_GT:
    case CMP_HI: return a > b;
    default: return a >= b;
    }
}

/* Shift amounts above 32 count as 32 (clamp) or modulo 32 (wrap). */
static s128 shifted(const struct uop *u, s128 a, u32 amount)
{
    amount = u->flags & UF_WRAP ? amount & 31 : amount > 32 ? 32 : amount;
    return u->detail[VIDEO_OP] == VSHL ? (s128)((u128)a << amount) : a >> amount;
}

static s128 operated(const struct uop *u, s128 a, s128 b)
{
    switch (u->detail[VIDEO_OP]) {
    case VADD: return a + b + (u->detail[VIDEO_FLAGS] & VIDEO_PLUS_ONE ? 1 : 0);
    case VSUB: return a - b;
    case VABSDIFF: return a > b ? a - b : b - a;
    case VMIN: return a < b ? a : b;
    case VMAX: return a > b ? a : b;
    case VSET: return compared(u->compare, a, b);
    case VAVRG: return (a + b + (a + b >= 0)) >> 1;
    default: return shifted(u, a, (u32)b);
    }
}

static u32 video_lane(const struct uop *u, u32 x, u32 y, u32 c)
{
    const u8 *detail = u->detail;
    bool is_signed = lane_is_signed(u->type), is_shift = detail[VIDEO_OP] == VSHL || detail[VIDEO_OP] == VSHR;
    s128 a = part(x, detail[VIDEO_SELECT_A], detail[VIDEO_FLAGS] & VIDEO_SIGNED_A);
    s128 b = part(y, detail[VIDEO_SELECT_B], !is_shift && (detail[VIDEO_FLAGS] & VIDEO_SIGNED_B));
    s128 r = operated(u, a, b);
    if (u->flags & UF_SAT)
        r = clamped(r, part_bits[detail[VIDEO_SELECT_D]], is_signed);
    if (detail[VIDEO_SECOND] != VIDEO_NONE)
        return second(detail[VIDEO_SECOND], (u32)r, c, is_signed);
    return detail[VIDEO_SELECT_D] != VIDEO_WORD ? merged((u32)r, detail[VIDEO_SELECT_D], c) : (u32)r;
}

/* vmad: a × b + c in 128 bits. The product or c is negated by its complement plus one. */
static u32 vmad_lane(const struct uop *u, u32 x, u32 y, u32 z)
{
    const u8 *detail = u->detail;
    bool signed_a = detail[VIDEO_FLAGS] & VIDEO_SIGNED_A, signed_b = detail[VIDEO_FLAGS] & VIDEO_SIGNED_B;
    bool negate_product = !(u->flags & UF_NEGATE_A) != !(u->flags & UF_NEGATE_B), negate_c = u->flags & UF_NEGATE_C;
    bool is_signed = signed_a || signed_b || negate_product || negate_c;
    s128 product = part(x, detail[VIDEO_SELECT_A], signed_a) * part(y, detail[VIDEO_SELECT_B], signed_b);
    s128 c = is_signed ? (s128)(s32)z : (s128)z;
    s128 r = (negate_product ? -product : product) + (negate_c && !negate_product ? -c : c);
    r += detail[VIDEO_FLAGS] & VIDEO_PLUS_ONE ? 1 : 0;
    s128 scaled = r >> detail[VIDEO_SCALE];
    return (u32)(u->flags & UF_SAT ? clamped(scaled, 32, is_signed) : scaled);
}

INLINE void video_lanes(struct warp *w, const struct uop *u, lanemask executed,
                        u32 (*lane)(const struct uop *, u32, u32, u32))
{
    const u32 *a = source(w, u->a), *b = source(w, u->b);
    const u32 *c = is_sink(u->c) ? a : source(w, u->c);
    u32 r[LANES] ALIGNED;
    for (int l = 0; l < LANES; l++)
        r[l] = lane(u, a[l], b[l], c[l]);
    STORE_LANES(u32, destination(w, u->d), executed, r[l]);
}
HANDLER(video) { video_lanes(w, u, executed, video_lane); }
HANDLER(vmad) { video_lanes(w, u, executed, vmad_lane); }

static bool is_valid(const struct operation *o)
{
    const u8 *d = o->detail;
    bool scale = d[VIDEO_SCALE] == 0 || d[VIDEO_SCALE] == 7 || d[VIDEO_SCALE] == 15;
    return d[VIDEO_OP] <= VAVRG && d[VIDEO_SECOND] <= VIDEO_MAX && d[VIDEO_SELECT_D] <= VIDEO_H1 &&
           d[VIDEO_SELECT_A] <= VIDEO_H1 && d[VIDEO_SELECT_B] <= VIDEO_H1 && scale;
}

uop_fn SIMD_NAME(lanes_video)(const struct operation *o)
{
    if (o->op != OP_VIDEO || !(TYPE(o->type) & TYPES32) || !is_valid(o))
        return NULL;
    return o->detail[VIDEO_OP] == VMAD ? vmad : video;
}
