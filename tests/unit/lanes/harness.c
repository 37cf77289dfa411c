#include "harness.h"

#include <stdlib.h>

#include "frontend/core/lanes/groups.h"

static uint64_t state = 0x9e3779b97f4a7c15ull;
uint64_t next_random(void) /* splitmix64 */
{
    uint64_t z = state += 0x9e3779b97f4a7c15ull;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9ull;
    z = (z ^ z >> 27) * 0x94d049bb133111ebull;
    return z ^ z >> 31;
}

int widest_level(void) { return simd_level(); }

uop_fn bind_at(struct operation *u, int level)
{
#ifdef __x86_64__
#define ALL_LEVELS(g) {lanes_##g##_v2, lanes_##g##_v3, lanes_##g##_v4},
#else
#define ALL_LEVELS(g) {lanes_##g##_v2, 0, 0},
#endif
    static uop_fn (*const groups[][3])(const struct operation *) = {LANE_GROUPS(ALL_LEVELS)};
    for (size_t i = 0; i < sizeof groups / sizeof *groups; i++) {
        uop_fn fn = groups[i][level - 2](u);
        if (fn)
            return fn;
    }
    return NULL;
}

void execute(const struct operation *o, struct warp *w, lanemask executed)
{
    static uint64_t descriptor[64];
    struct uop u;
    cr_assert_leq(uop_descriptor_bytes(o), sizeof descriptor);
    uop_pack(&u, o, descriptor);
    u.fn(w, &u, executed);
}

/* ---- values ---- */

#define COUNT(a) ((int)(sizeof(a) / sizeof *(a)))
struct corners corners_of(enum lane_type t)
{
    static const uint64_t c16[] = {0,    1,    2,     15,     16,     17,     31,     32,    0x7f,
                                   0x80, 0xff, 0x100, 0x7fff, 0x8000, 0x8001, 0xfffe, 0xffff};
    static const uint64_t c32[] = {0,          1,          2,          7,          15,         16,        24,
                                   31,         32,         33,         63,         64,         127,       128,
                                   255,        256,        0xffff,     0x10000,    0x7fffff,   0x800000,  0xffffff,
                                   0x7ffffffe, 0x7fffffff, 0x80000000, 0x80000001, 0xfffffffe, 0xffffffff};
    static const uint64_t c64[] = {0,
                                   1,
                                   2,
                                   31,
                                   32,
                                   33,
                                   63,
                                   64,
                                   65,
                                   255,
                                   0x7fffffff,
                                   0x80000000,
                                   0xffffffff,
                                   0x100000000,
                                   0x1fffffffffffff,
                                   0x20000000000001,
                                   0x7ffffffffffffc00,
                                   0x7fffffffffffffff,
                                   0x8000000000000000,
                                   0x8000000000000001,
                                   0xfffffffffffff800,
                                   0xfffffffffffffffe,
                                   0xffffffffffffffff};
    static const uint64_t f32[] = {
        0,          0x80000000, 1,          0x80000001, 0x007fffff, 0x807fffff, 0x00800000, 0x80800000, 0x00800001,
        0x3f800000, 0xbf800000, 0x3f800001, 0x3f7fffff, 0x3f000000, 0xbf000000, 0x3effffff, 0x3fc00000, 0x40200000,
        0xc0200000, 0x4b7fffff, 0x4b800001, 0x4effffff, 0x4f000000, 0xcf000000, 0xcf000001, 0x4f7fffff, 0x4f800000,
        0x5f000000, 0x5f800000, 0xdf000000, 0x33800000, 0x7e800000, 0x7e800001, 0xfe800001, 0x7f000000, 0x7f7fffff,
        0xff7fffff, 0x7f800000, 0xff800000, 0x7fc00000, 0xffc12345, 0x7f800001, 0xffbfffff};
    static const uint64_t f64[] = {0,
                                   1ull << 63,
                                   1,
                                   0x8000000000000001,
                                   0x000fffffffffffff,
                                   0x800fffffffffffff,
                                   0x0010000000000000,
                                   0x3ff0000000000000,
                                   0xbff0000000000000,
                                   0x3ff0000000000001,
                                   0x3fefffffffffffff,
                                   0x3fe0000000000000,
                                   0xbfe0000000000000,
                                   0x3ff8000000000000,
                                   0x4004000000000000,
                                   0x41dfffffffc00000,
                                   0x41e0000000000000,
                                   0xc1e0000000000000,
                                   0xc1e0000000200000,
                                   0x41efffffffe00000,
                                   0x41f0000000000000,
                                   0x43e0000000000000,
                                   0xc3e0000000000000,
                                   0x43f0000000000000,
                                   0x36a0000000000000,
                                   0x3690000000000000,
                                   0x380fffffffffffff,
                                   0x47efffffe0000000,
                                   0x47effffff0000000,
                                   0x40effc0000000000,
                                   0x7fefffffffffffff,
                                   0xffefffffffffffff,
                                   0x7ff0000000000000,
                                   0xfff0000000000000,
                                   0x7ff8000000000000,
                                   0xfff8000000012345,
                                   0x7ff0000000000001};
    static const uint64_t f16[] = {0,      0x8000, 1,      0x8001, 0x3ff,  0x83ff, 0x400,  0x3c00, 0xbc00,
                                   0x3800, 0x3e00, 0x7bff, 0xfbff, 0x7c00, 0xfc00, 0x7e00, 0xfd55, 0x7c01};
    switch (t) {
    case T_F32: return (struct corners){f32, COUNT(f32)};
    case T_F64: return (struct corners){f64, COUNT(f64)};
    case T_F16:
    case T_BF16: return (struct corners){f16, COUNT(f16)};
    default: break;
    }
    unsigned bits = lane_type_bits(t);
    return bits <= 16   ? (struct corners){c16, COUNT(c16)}
           : bits == 32 ? (struct corners){c32, COUNT(c32)}
                        : (struct corners){c64, COUNT(c64)};
}

uint64_t random_value(enum lane_type t)
{
    uint64_t r = next_random(), bits = next_random();
    struct corners c = corners_of(t);
    if (r % 8 == 0)
        return c.values[next_random() % (unsigned)c.count];
    if (t == T_F32 && r % 4) /* exponents near each other, few bits set: halfway cases */
        return (bits & 0x80000000) | (127 - 26 + next_random() % 52) << 23 |
               (bits & 0x7fffff & -(1ull << next_random() % 24));
    if (t == T_F64 && r % 4)
        return (bits & 1ull << 63) | (1023 - 55 + next_random() % 110) << 52 |
               (bits & 0xfffffffffffff & -(1ull << next_random() % 53));
    if (!lane_is_float(t) && r % 4 == 0)
        bits >>= next_random() % 64;
    return lane_type_bits(t) == 64 ? bits : zext(bits, lane_element_bytes(t) * 8);
}

/* ---- registers ---- */

void put_element(void *reg, enum lane_type t, int lane, uint64_t bits)
{
    unsigned bytes = lane_element_bytes(t);
    memcpy((uint8_t *)reg + bytes * (unsigned)lane, &bits, bytes);
}
uint64_t get_element(const void *reg, enum lane_type t, int lane)
{
    unsigned bytes = lane_element_bytes(t);
    uint64_t bits = 0;
    memcpy(&bits, (const uint8_t *)reg + bytes * (unsigned)lane, bytes);
    return bits;
}

struct bench_warp *new_warp(void)
{
    static struct bench_warp w;
    static uint8_t slots[SLOT * SLOTS] __attribute__((aligned(64)));
    static uint8_t constants[4 * CONSTANTS_START] __attribute__((aligned(64)));
    static uint32_t ntid[3] = {64, 2, 3}, ctaid[3] = {7, 8, 9}, nctaid[3] = {10, 11, 12};
    static uint32_t cluster[3] = {5, 11, 4};
    memset(&w, 0, sizeof w);
    for (int i = 0; i < SLOT * SLOTS; i++)
        slots[i] = (uint8_t)next_random();
    w.slots = slots;
    w.constants = constants;
    w.constant_bytes = CONSTANTS_START;
    w.warp = (struct warp){.active = ~0u,
                           .live = ~0u,
                           .ntid = ntid,
                           .ctaid = ctaid,
                           .nctaid = nctaid,
                           .cluster = cluster,
                           .cluster_said = true};
    warp_set_window(&w.warp, slots);
    warp_set_constants(&w.warp, constants);
    return &w;
}

struct operand put_constant(struct bench_warp *w, const void *bytes, uint32_t size)
{
    struct operand o = OPERAND_CONSTANT(w->constant_bytes);
    cr_assert_leq(w->constant_bytes + size, 4 * CONSTANTS_START);
    memcpy(w->constants + w->constant_bytes, bytes, size);
    w->constant_bytes += (size + 63) / 64 * 64;
    return o;
}

/* ---- cases ---- */

/* Where the destination lies: apart, on a source, or partly over one. */
enum placement { APART, ON_A, ON_B, ON_C, ABOVE_A, BELOW_A, ABOVE_B, PLACEMENTS };
enum { SLOT_D = 1, SLOT_A = 4, SLOT_B = 7, SLOT_C = 10 };
static uintptr_t destination_offset(enum placement p)
{
    static const int slot[PLACEMENTS] = {SLOT_D, SLOT_A, SLOT_B, SLOT_C, SLOT_A, SLOT_A, SLOT_B};
    int shift = p == ABOVE_A || p == ABOVE_B ? 64 : p == BELOW_A ? -64 : 0;
    return (uintptr_t)(slot[p] * SLOT + shift);
}

struct operation operation_of(const struct lane_case *c)
{
    return (struct operation){.kind = UOP_LANE,
                              .op = c->op,
                              .type = c->type,
                              .stype = c->stype,
                              .flags = c->flags | UF_FIRST,
                              .rounding = c->rounding,
                              .compare = c->op == OP_SET ? (uint8_t)c->imm : 0,
                              .imm = c->imm,
                              .a = REG(SLOT_A),
                              .b = REG(SLOT_B),
                              .c = REG(SLOT_C),
                              .d = REG(SLOT_D)};
}

static void check_batch(const struct lane_case *c, uint64_t in[3][LANES], int level, enum placement place,
                        lanemask mask)
{
    static struct bench_warp *w;
    w = w ? w : new_warp();
    struct operation u = operation_of(c);
    u.d = OPERAND_REGISTER(destination_offset(place));
    u.fn = bind_at(&u, level);
    cr_assert(u.fn, "%s: no handler at level %d", c->name, level);
    const uint8_t types[3] = {c->a, c->b, c->c};
    const int slots[3] = {SLOT_A, SLOT_B, SLOT_C};
    for (int l = 0; l < LANES; l++)
        put_element(w->slots + destination_offset(place), c->d, l, 0x5a5a5a5a5a5a5a5aull * (unsigned)(l + 1));
    for (int k = 0; k < 3; k++)
        for (int l = 0; types[k] && l < LANES; l++)
            put_element(w->slots + slots[k] * SLOT, types[k], l, in[k][l]);
    uint8_t before[SLOT];
    const uint8_t *d = w->slots + destination_offset(place);
    memcpy(before, d, SLOT);
    execute(&u, &w->warp, mask);
    for (int l = 0; l < LANES; l++) {
        bool executed = mask >> l & 1;
        uint64_t expected = executed ? c->model(c, in[0][l], in[1][l], in[2][l]) : get_element(before, c->d, l);
        uint64_t got = get_element(d, c->d, l);
        cr_assert(got == expected,
                  "%s level v%d mask %08x placement %d lane %d: (%#lx, %#lx, %#lx) gives %#lx, not %#lx", c->name,
                  level, mask, place, l, in[0][l], in[1][l], in[2][l], got, expected);
    }
    size_t size = LANES * lane_element_bytes(c->d);
    cr_assert(!memcmp(before + size, d + size, SLOT - size), "%s: wrote past the destination", c->name);
}

static void check_everywhere(const struct lane_case *c, uint64_t in[3][LANES])
{
    static const lanemask masks[] = {1, 0x80000000, 0x55555555, 0xaaaaaaaa, 0xffff, 0xffff0000, 0x7fffffff, 0xfffffffe};
    for (int level = 2; level <= widest_level(); level++) {
        check_batch(c, in, level, APART, ~0u);
        lanemask mask = next_random() % 4 ? masks[next_random() % COUNT(masks)] : (lanemask)next_random() | 4;
        enum placement place = next_random() % PLACEMENTS;
        if ((place == ON_B || place == ABOVE_B) && !c->b)
            place = ON_A;
        if (place == ON_C && !c->c)
            place = ABOVE_A;
        check_batch(c, in, level, place, mask);
        check_batch(c, in, level, place, ~0u);
    }
}

void run_case(const struct lane_case *c, int random)
{
    static const uint64_t no_value = 0; /* of a source that the case does not have */
    const uint8_t types[3] = {c->a, c->b, c->c};
    struct corners corners[3];
    uint64_t in[3][LANES] = {{0}}, total = 1;
    int filled = 0;
    for (int k = 0; k < 3; k++) {
        corners[k] = types[k] ? corners_of(types[k]) : (struct corners){&no_value, 1};
        total *= (unsigned)corners[k].count;
    }
    uint64_t step = total > 4096 ? total / 4096 | 1 : 1; /* of three sources a sample; an odd step meets all values */
    for (uint64_t i = 0; i < total; i += step) {
        in[0][filled] = corners[0].values[i % (unsigned)corners[0].count];
        in[1][filled] = corners[1].values[i / (unsigned)corners[0].count % (unsigned)corners[1].count];
        in[2][filled] =
            corners[2].values[i / (unsigned)(corners[0].count * corners[1].count) % (unsigned)corners[2].count];
        if (++filled == LANES || i + step >= total)
            check_everywhere(c, in), filled = 0;
    }
    for (int i = 0; i < random; i += LANES) {
        for (int l = 0; l < LANES; l++)
            for (int k = 0; k < 3; k++)
                in[k][l] = types[k] ? random_value(types[k]) : 0;
        check_everywhere(c, in);
    }
}
