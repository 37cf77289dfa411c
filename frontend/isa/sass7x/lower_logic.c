/* Logic, shifts, bits, permutations, functions of predicates. */
#include "frontend/isa/sass7x/lower.h"

/* The predicate: the result is not 0, or-ed with a predicate, or with .PAND and-ed. */
static void lower_lop3(struct sass_lowering *l)
{
    enum { AT_TABLE = 72, AT_PAND = 80 };
    struct operation u = {.op = OP_LOP3, .type = T_B32, .imm = bits(l, AT_TABLE, 8)};
    u.a = source_raw(l, 0);
    u.b = source_raw(l, 1);
    u.c = source_raw(l, 2);
    u.pd = written_predicate(l, AT_PD);
    if (is_register(u.pd)) {
        u.combine = bit(l, AT_PAND) ? COMBINE_AND : COMBINE_OR;
        sass7x_set_p(l, &u, AT_PC);
    }
    sass7x_to_result(l, u);
}

static struct operand sign_of(struct sass_lowering *l, unsigned source)
{
    struct operation u = {
        .kind = UOP_LANE, .op = OP_SETP, .type = T_S32, .compare = CMP_LT, .a = source_raw(l, source)};
    u.b = constant32(&l->b, 0);
    u.pd = sass_temporary(&l->b);
    sass_emit(&l->b, u);
    return u.pd;
}

/* The third predicate may be uniform in a row that is not. */
static struct operand third_predicate(struct sass_lowering *l)
{
    enum { AT_C = 68, AT_UNIFORM_C = 67, OF_PREDICATES = 0x81c };
    if (l->row->value != OF_PREDICATES || !bit(l, AT_UNIFORM_C))
        return sass7x_predicate(l, AT_C);
    struct operand c = uniform_predicate(&l->b, bits(l, AT_C, 3));
    return lane2(&l->b, OP_XOR, T_PRED, c, constant32(&l->b, bit(l, AT_C + 3) ? ~0u : 0));
}

/* How many of the three are the signs of words. */
static unsigned signs_of(const struct sass_lowering *l)
{
    enum { OF_PREDICATES = 0xc };
    return (l->row->value & 0xf) - OF_PREDICATES;
}

/* Predicates and words in the order in which the row has them. */
static void find_inputs(struct sass_lowering *l, unsigned signs, struct operand in[3])
{
    enum { AT_B = 77 };
    in[0] = signs == 3 ? sign_of(l, 0) : sass7x_predicate(l, AT_PC);
    in[1] = signs ? sign_of(l, signs == 3) : sass7x_predicate(l, AT_B);
    in[2] = signs >= 2 ? sign_of(l, signs - 1) : third_predicate(l);
}

/* Two functions of three predicates. A word in the place of a predicate stands for its sign. */
static void lower_plop3(struct sass_lowering *l)
{
    struct operand in[3], results[2];
    unsigned signs = signs_of(l);
    find_inputs(l, signs, in);
    const unsigned tables[2] = {signs ? bits(l, 72, 8) : bits(l, 64, 3) | bits(l, 72, 5) << 3, bits(l, 16, 8)};
    for (unsigned i = 0; i < 2; i++)
        results[i] = sass_value_of(
            l, (struct operation){
                   .op = OP_PREDICATE_TABLE, .type = T_PRED, .imm = tables[i], .a = in[0], .b = in[1], .c = in[2]});
    sass7x_write_predicates(l, results[0], results[1]);
}

/* ---- shifts ---- */

enum { AT_RIGHT = 76, AT_WRAP = 75, AT_TYPE = 73, AT_HIGH = 80 };

/* The amount: with .W modulo the number of bits. */
static struct operand amount(struct sass_lowering *l, bool wide)
{
    struct operand n = source_raw(l, 1);
    return bit(l, AT_WRAP) ? lane2(&l->b, OP_AND, T_B32, n, constant32(&l->b, wide ? 63 : 31)) : n;
}

/* Of {C, A}: the lower word of a shift to the left is that of A alone, the upper word of one to the right that of C
 * alone. Amounts beyond the number of bits shift everything out. */
static void lower_shf(struct sass_lowering *l)
{
    static const uint8_t types[4] = {T_S64, T_U64, T_S32, T_U32};
    enum lane_type type = types[bits(l, AT_TYPE, 2)];
    bool right = bit(l, AT_RIGHT), high = bit(l, AT_HIGH), wide = type == T_S64 || type == T_U64;
    bool is_signed = type == T_S64 || type == T_S32;
    struct operand a = source_raw(l, 0), n = amount(l, wide), c = source_raw(l, 2);
    if (right == high) {
        struct operation u = {.op = right ? OP_SHR : OP_SHL, .type = is_signed && right ? T_S32 : T_U32};
        u.a = right ? c : a;
        u.b = n;
        sass7x_to_result(l, u);
        return;
    }
    if (!wide) {
        struct operation u = {.op = OP_SHF, .type = T_B32, .flags = right ? 0 : UF_LEFT, .a = a, .b = c, .c = n};
        sass7x_to_result(l, u);
        return;
    }
    struct operand words[2], v = sass7x_pack(l, a, c);
    v = lane2(&l->b, right ? OP_SHR : OP_SHL, type, v, n);
    sass7x_split(l, v, words);
    move32(&l->b, sass7x_result(l), words[high]);
}

/* ---- bits ---- */

static void lower_popc(struct sass_lowering *l)
{
    sass7x_to_result(l, (struct operation){.op = OP_POPC, .type = T_B32, .a = source_int(l, 0)});
}
static void lower_flo(struct sass_lowering *l)
{
    if (bits(l, AT_PD, 3) != PT)
        sass_not_covered(l, "a result in a predicate");
    struct operation u = {.op = OP_BFIND, .flags = bit(l, 74) ? UF_SHIFTAMT : 0, .a = source_int(l, 0)};
    u.type = bit(l, 73) ? T_S32 : T_U32;
    sass7x_to_result(l, u);
}
static void lower_brev(struct sass_lowering *l)
{
    sass7x_to_result(l, (struct operation){.op = OP_BREV, .type = T_B32, .a = source_raw(l, 0)});
}

static void lower_extension(struct sass_lowering *l, enum lane_op op, enum lane_type type)
{
    struct operation u = {.op = (uint8_t)op, .type = (uint8_t)type, .flags = bit(l, AT_WRAP) ? UF_WRAP : 0};
    u.a = source_raw(l, 0);
    u.b = source_raw(l, 1);
    sass7x_to_result(l, u);
}
static void lower_bmsk(struct sass_lowering *l) { lower_extension(l, OP_BMSK, T_B32); }
static void lower_sgxt(struct sass_lowering *l) { lower_extension(l, OP_SZEXT, bit(l, 73) ? T_S32 : T_U32); }

static void lower_prmt(struct sass_lowering *l)
{
    static const uint8_t modes[8] = {PRMT_DEFAULT, PRMT_F4E, PRMT_B4E, PRMT_RC8, PRMT_ECL, PRMT_ECR, PRMT_RC16, 255};
    struct operation u = {.op = OP_PRMT, .type = T_B32, .imm = modes[bits(l, 72, 3)]};
    if (u.imm == 255)
        sass_not_covered(l, "this mode");
    u.a = source_raw(l, 0);
    u.c = source_raw(l, 1);
    u.b = source_raw(l, 2);
    sass7x_to_result(l, u);
}

static void lower_sel(struct sass_lowering *l)
{
    struct operation u = {.op = OP_SELP, .type = T_B32};
    u.a = source_raw(l, 0);
    u.b = source_raw(l, 1);
    sass7x_set_p(l, &u, AT_PC);
    sass7x_to_result(l, u);
}

const struct sass_meaning sass7x_logic[] = {
    {"LOP3", lower_lop3},  {"ULOP3", lower_lop3}, {"PLOP3", lower_plop3}, {"UPLOP3", lower_plop3}, {"SHF", lower_shf},
    {"USHF", lower_shf},   {"POPC", lower_popc},  {"UPOPC", lower_popc},  {"FLO", lower_flo},      {"UFLO", lower_flo},
    {"BREV", lower_brev},  {"UBREV", lower_brev}, {"BMSK", lower_bmsk},   {"UBMSK", lower_bmsk},   {"SGXT", lower_sgxt},
    {"USGXT", lower_sgxt}, {"PRMT", lower_prmt},  {"UPRMT", lower_prmt},  {"SEL", lower_sel},      {"USEL", lower_sel},
    {NULL, NULL}};
