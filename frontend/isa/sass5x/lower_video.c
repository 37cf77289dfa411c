/* Video instructions. They compare, add or shift parts of words, and merge the result into a third operand or add it.
 * Each corresponds to one of PTX's scalar video instructions. */
#include "frontend/core/lanes/lanes.h"
#include "frontend/isa/sass5x/lower.h"

static void no_codes(struct sass_lowering *l)
{
    if (bit(l, 47))
        sass_not_covered(l, "the condition code");
}

static uint8_t part(struct sass_lowering *l, unsigned at)
{
    static const uint8_t selects[8] = {VIDEO_B0, VIDEO_B1, VIDEO_B2, VIDEO_B3, VIDEO_H0, VIDEO_H1, VIDEO_WORD, 255};
    uint8_t select = selects[bits(l, at, 3)];
    if (select == 255)
        sass_not_covered(l, "a reserved part");
    return select;
}

/* Begins the operation. All of them write Rd, and all but VSETP read Rc. */
static struct operation video(struct sass_lowering *l, enum video_op op)
{
    struct operation u = {.kind = UOP_LANE, .op = OP_VIDEO, .type = T_U32};
    bool signed_b = bit(l, 49) && op != VSHL && op != VSHR;
    no_codes(l);
    u.detail[VIDEO_OP] = (uint8_t)op;
    u.detail[VIDEO_FLAGS] = (bit(l, 48) ? VIDEO_SIGNED_A : 0) | (signed_b ? VIDEO_SIGNED_B : 0);
    u.a = read_register(&l->b, bits(l, 8, 8));
    u.detail[VIDEO_SELECT_A] = part(l, 36);
    if (bit(l, 50)) {
        u.b = read_register(&l->b, bits(l, 20, 8));
        u.detail[VIDEO_SELECT_B] = part(l, 28);
    } else {
        uint32_t value = bits(l, 20, 16);
        u.b = constant32(&l->b, signed_b ? (uint32_t)(int16_t)value : value);
    }
    return u;
}

/* Sets what is done with the result, and its type: it is saturated to that type, inserted in a part of Rc, or combined
 * with Rc. */
static void set_result(struct sass_lowering *l, struct operation *u, bool is_signed, bool saturates)
{
    static const struct {
        uint8_t select, second;
    } modes[8] = {{VIDEO_H1, VIDEO_NONE},  {VIDEO_H0, VIDEO_NONE},  {VIDEO_B0, VIDEO_NONE},  {VIDEO_B2, VIDEO_NONE},
                  {VIDEO_WORD, VIDEO_ADD}, {VIDEO_WORD, VIDEO_MIN}, {VIDEO_WORD, VIDEO_MAX}, {VIDEO_WORD, VIDEO_NONE}};
    unsigned mode = bits(l, 51, 3);
    u->type = is_signed ? T_S32 : T_U32;
    u->flags |= saturates ? UF_SAT : 0;
    u->detail[VIDEO_SELECT_D] = modes[mode].select;
    u->detail[VIDEO_SECOND] = modes[mode].second;
    if (mode != 7)
        u->c = read_register(&l->b, bits(l, 39, 8));
    u->d = written(&l->b, bits(l, 0, 8));
    sass_emit(&l->b, *u);
}

static void swap_operands(struct operation *u)
{
    uint8_t select = u->detail[VIDEO_SELECT_A], *flags = &u->detail[VIDEO_FLAGS];
    struct operand a = u->a;
    u->a = u->b;
    u->b = a;
    u->detail[VIDEO_SELECT_A] = u->detail[VIDEO_SELECT_B];
    u->detail[VIDEO_SELECT_B] = select;
    *flags = (*flags & VIDEO_SIGNED_A ? VIDEO_SIGNED_B : 0) | (*flags & VIDEO_SIGNED_B ? VIDEO_SIGNED_A : 0);
}

static void lower_vadd(struct sass_lowering *l)
{
    bool negate_a = bit(l, 57), negate_b = bit(l, 56);
    struct operation u = video(l, negate_a == negate_b ? VADD : VSUB);
    if (negate_a && negate_b)
        u.detail[VIDEO_FLAGS] |= VIDEO_PLUS_ONE;
    else if (negate_a)
        swap_operands(&u);
    set_result(l, &u, bit(l, 54), bit(l, 55));
}
static void lower_vabsdiff(struct sass_lowering *l)
{
    struct operation u = video(l, VABSDIFF);
    set_result(l, &u, bit(l, 54), bit(l, 55));
}
static void lower_vmnmx(struct sass_lowering *l)
{
    struct operation u = video(l, bit(l, 56) ? VMAX : VMIN);
    set_result(l, &u, bit(l, 54), bit(l, 55));
}
static void shift(struct sass_lowering *l, enum video_op op)
{
    struct operation u = video(l, op);
    u.flags = bit(l, 49) ? UF_WRAP : 0;
    set_result(l, &u, bit(l, 54), bit(l, 55));
}
static void lower_vshl(struct sass_lowering *l) { shift(l, VSHL); }
static void lower_vshr(struct sass_lowering *l) { shift(l, VSHR); }

/* Sets the comparison. One that is always or never true compares equal operands. */
static void compare(struct sass_lowering *l, struct operation *u, unsigned code)
{
    u->compare = (uint8_t)int_compare(code);
    if (u->compare != CMP_FALSE && u->compare != CMP_TRUE)
        return;
    u->compare = u->compare == CMP_TRUE ? CMP_EQ : CMP_NE;
    u->a = u->b = constant32(&l->b, 0);
    u->detail[VIDEO_SELECT_A] = u->detail[VIDEO_SELECT_B] = VIDEO_WORD;
}
static void lower_vset(struct sass_lowering *l)
{
    struct operation u = video(l, VSET);
    compare(l, &u, bits(l, 54, 3));
    set_result(l, &u, false, false);
}
static void lower_vsetp(struct sass_lowering *l)
{
    struct isa_word word = l->word;
    sass_clear(&l->word, SASS_BITS(47, 1)); /* here this is the upper bit of the comparison */
    struct operation u = video(l, VSET), p = {.kind = UOP_LANE, .op = OP_SETP, .type = T_U32, .compare = CMP_NE};
    l->word = word;
    compare(l, &u, bits(l, 43, 2) | bits(l, 47, 1) << 2);
    p.a = u.d = sass_temporary(&l->b);
    p.b = constant32(&l->b, 0);
    sass_emit(&l->b, u);
    set_predicates(l, &p, 45);
    p.pd = written_predicate(l, 3);
    p.pd2 = written_predicate(l, 0);
    sass_emit(&l->b, p);
}

static void lower_vmad(struct sass_lowering *l)
{
    static const uint8_t scales[4] = {0, 7, 15, 255};
    struct operation u = video(l, VMAD);
    u.detail[VIDEO_SCALE] = scales[bits(l, 51, 2)];
    if (u.detail[VIDEO_SCALE] == 255)
        sass_not_covered(l, "a reserved scale");
    if (bits(l, 53, 2) == 3)
        u.detail[VIDEO_FLAGS] |= VIDEO_PLUS_ONE;
    else
        u.flags = (bit(l, 53) ? UF_NEGATE_C : 0) | (bit(l, 54) ? UF_NEGATE_A : 0);
    u.flags |= bit(l, 55) ? UF_SAT : 0;
    u.c = read_register(&l->b, bits(l, 39, 8));
    u.d = written(&l->b, bits(l, 0, 8));
    sass_emit(&l->b, u);
}

/* ---- four bytes at once ---- */

/* Bytes chosen from the eight of {b, a}, one digit per byte, as rows_video.def names them. */
enum { A_CHOICES = 14, B_CHOICES = 11 };
static const uint16_t a_bytes[A_CHOICES] = {0x0000, 0x1111, 0x2222, 0x3333, 0x3210, 0x4321, 0x5432,
                                            0x6543, 0x3201, 0x3012, 0x0213, 0x3120, 0x1230, 0x2310};
static const uint16_t b_bytes[B_CHOICES] = {0x4444, 0x5555, 0x6666, 0x7777, 0x7654, 0x6543,
                                            0x5432, 0x4321, 0x4567, 0x6745, 0x5476};

static struct operand gathered(struct sass_lowering *l, const uint16_t *names, unsigned count, unsigned select,
                               struct operand a, struct operand b)
{
    if (select >= count)
        sass_not_covered(l, "a reserved choice of bytes");
    struct operation u = {.kind = UOP_LANE, .op = OP_PRMT, .type = T_B32, .imm = PRMT_DEFAULT, .a = a, .b = b};
    u.c = constant32(&l->b, names[select]);
    u.d = sass_temporary(&l->b);
    sass_emit(&l->b, u);
    return u.d;
}

static void lower_vabsdiff4(struct sass_lowering *l)
{
    unsigned lanes = bits(l, 51, 2) | bits(l, 36, 2) << 2, how = bits(l, 53, 2);
    struct operand a = read_register(&l->b, bits(l, 8, 8)), b = read_register(&l->b, bits(l, 20, 8));
    struct operand c = read_register(&l->b, bits(l, 39, 8)), y;
    struct operand x = gathered(l, a_bytes, A_CHOICES, bits(l, 32, 4), a, b);
    no_codes(l);
    if (how > 1)
        sass_not_covered(l, "a reserved mode");
    if (bits(l, 28, 4) == 15)
        y = constant32(&l->b, bits(l, 20, 8) * 0x01010101u);
    else
        y = gathered(l, b_bytes, B_CHOICES, bits(l, 28, 4), a, b);
    for (unsigned i = 0; i < 4; i++) {
        if (!(lanes >> i & 1))
            continue;
        struct operation u = {
            .kind = UOP_LANE, .op = OP_VIDEO, .type = bit(l, 38) ? T_S32 : T_U32, .a = x, .b = y, .c = c};
        u.flags = bit(l, 50) ? UF_SAT : 0;
        u.detail[VIDEO_OP] = VABSDIFF;
        u.detail[VIDEO_FLAGS] = (bit(l, 48) ? VIDEO_SIGNED_A : 0) | (bit(l, 49) ? VIDEO_SIGNED_B : 0);
        u.detail[VIDEO_SELECT_A] = u.detail[VIDEO_SELECT_B] = (uint8_t)(VIDEO_B0 + i);
        u.detail[VIDEO_SELECT_D] = how ? VIDEO_WORD : (uint8_t)(VIDEO_B0 + i);
        u.detail[VIDEO_SECOND] = how ? VIDEO_ADD : VIDEO_NONE;
        c = u.d = sass_temporary(&l->b);
        sass_emit(&l->b, u);
    }
    move32(&l->b, written(&l->b, bits(l, 0, 8)), c);
}

/* ---- dot products of bytes and halves ---- */

static void lower_idp(struct sass_lowering *l)
{
    unsigned type = bits(l, 48, 3);
    if (type == 4 || type == 6)
        sass_not_covered(l, "a reserved type");
    struct operation u = {.kind = UOP_LANE, .op = type & 1 ? OP_DP2A : OP_DP4A, .flags = type & 4 ? UF_HI : 0};
    u.type = type & 2 ? T_S32 : T_U32;
    u.stype = bit(l, 47) ? T_S32 : T_U32;
    u.a = source_raw(l, 0);
    u.b = source_raw(l, 1);
    u.c = source_raw(l, 2);
    u.d = written(&l->b, bits(l, 0, 8));
    sass_emit(&l->b, u);
}

const struct sass_meaning sass_video[] = {{"VADD", lower_vadd},
                                          {"VABSDIFF", lower_vabsdiff},
                                          {"VMNMX", lower_vmnmx},
                                          {"VSHL", lower_vshl},
                                          {"VSHR", lower_vshr},
                                          {"VSET", lower_vset},
                                          {"VSETP", lower_vsetp},
                                          {"VMAD", lower_vmad},
                                          {"IDP", lower_idp},
                                          {"VABSDIFF4", lower_vabsdiff4},
                                          {NULL, NULL}};
