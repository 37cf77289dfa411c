/* Matrix multiplications and moves of matrices.
 *
 * Registers of a fragment follow one another in the order of the PTX ISA, so these are the operations that PTX has
 * (lanes/matrix.h, also for the arithmetic). Each needs the whole warp, for which its first operation waits. */
#include <stdio.h>

#include "frontend/isa/sass7x/lower.h"

#include "frontend/core/lanes/matrix.h"

enum { AT_METADATA = 40, AT_SELECTOR = 48 };

struct product {
    unsigned m, k; /* n is 8 */
    enum matrix_format a, b, result;
    unsigned mode; /* enum matrix_mode */
    bool clamp;
};

struct shape {
    uint16_t m, k; /* 0: reserved */
};

static void set_shape(struct sass_lowering *l, struct product *p, struct shape s)
{
    if (!s.k)
        sass_not_covered(l, "this shape");
    p->m = s.m;
    p->k = s.k;
}

/* Refuses what we know no description of: signs of matrices, and the predicate of sm_86 and later. */
static void refuse_modifiers(struct sass_lowering *l)
{
    for (unsigned i = 0; i < l->source_count; i++)
        if (l->source[i].negated || l->source[i].absolute)
            sass_not_covered(l, "the sign of a matrix");
    sass7x_refuse_predicates(l);
}

static void wait_for_warp(struct sass_lowering *l)
{
    struct operation u = {.kind = UOP_LANE, .op = OP_MOV, .type = T_B32, .flags = UF_WHOLE_WARP};
    u.d = written(&l->b, RZ);
    u.a = constant32(&l->b, 0);
    sass_emit(&l->b, u);
}

static struct operation product_operation(const struct product *p)
{
    struct operation u = {.kind = UOP_LANE, .op = OP_MMA, .type = T_B32, .flags = UF_WHOLE_WARP};
    const enum matrix_format formats[] = {p->a, p->b, p->result, p->result};
    matrix_describe(u.detail, p->m, 8, p->k, formats, p->mode);
    u.flags |= p->clamp ? UF_SAT_FINITE : 0;
    return u;
}

/* ---- fragments ---- */

static struct operand_list fragment(struct sass_lowering *l, unsigned n, unsigned count, bool write)
{
    struct operand_list list = {register_list_at(&l->b, n, count, write), count};
    for (unsigned i = 0; write && i < count; i++)
        if (n == RZ)
            list.at[i] = sass_temporary(&l->b);
    return list;
}

static void set_metadata(struct sass_lowering *l, struct product *p, struct operation *u)
{
    unsigned selector = bits(l, AT_SELECTOR, 2);
    if (selector > matrix_last_selector(p->k, p->a))
        sass_not_covered(l, "this selector");
    u->detail[MATRIX_MODE] |= (uint8_t)(MATRIX_SPARSE | selector << MATRIX_SELECTOR);
    u->a = read_register(&l->b, bits(l, AT_METADATA, 8));
}

/* Rows of A have 16 or 32 bytes in registers, in all products that the PTX ISA has. */
static void multiply(struct sass_lowering *l, struct product *p, bool sparse)
{
    unsigned k = sparse ? p->k / 2 : p->k, row = k * matrix_bits[p->a];
    refuse_modifiers(l);
    if ((row != 128 && row != 256) || (sparse && p->m != 16))
        sass_not_covered(l, "this shape");
    struct operation u = product_operation(p);
    unsigned results = matrix_result_registers(p->m, 8, p->result);
    if (sparse)
        set_metadata(l, p, &u);
    u.lists[1] = fragment(l, bits(l, AT_RA, 8), matrix_source_registers(p->m, k, p->a), false);
    u.lists[2] = fragment(l, bits(l, AT_RB, 8), matrix_source_registers(8, p->k, p->b), false);
    u.lists[3] = fragment(l, bits(l, AT_RC, 8), results, false);
    u.lists[0] = fragment(l, bits(l, AT_RD, 8), results, true);
    sass_emit(&l->b, u);
}

/* ---- halves ---- */

static void lower_hmma(struct sass_lowering *l)
{
    enum { EARLY = 0x236, AT_SPARSE = 73, AT_F32 = 76, AT_TYPE = 82, SATFINITE = 77 };
    static const uint8_t types[4] = {MATRIX_F16, MATRIX_BF16, MATRIX_TF32, MATRIX_FORMAT_COUNT};
    static const struct shape dense[4] = {{16, 8}, {16, 16}, {16, 4}, {0}},
                              sparse[4] = {{16, 8}, {16, 16}, {0}, {16, 32}};
    struct product p = {.result = bit(l, AT_F32) ? MATRIX_F32 : MATRIX_F16};
    bool is_sparse = l->arch != SASS_75 && bit(l, AT_SPARSE);
    p.a = p.b = l->arch == SASS_75 ? MATRIX_F16 : types[bits(l, AT_TYPE, 2)];
    if (p.a == MATRIX_FORMAT_COUNT || (p.a != MATRIX_F16 && p.result != MATRIX_F32))
        sass_not_covered(l, "this type");
    if (l->arch == SASS_75 && bit(l, SATFINITE))
        sass_not_covered(l, "saturation");
    set_shape(l, &p, (is_sparse ? sparse : dense)[bit(l, 75) | bit(l, 78) << 1]);
    multiply(l, &p, is_sparse);
}

/* Registers of which the step has two, from the pair number `pair` on. */
static struct operand_list pair_of(struct sass_lowering *l, unsigned n, unsigned pair, unsigned count, bool write)
{
    struct operand_list all = {ARENA_ARRAY(l->b.arena, struct operand, count), count};
    struct operand_list two = fragment(l, n, 2, write);
    for (unsigned i = 0; i < count; i++)
        all.at[i] = i / 2 == pair ? two.at[i % 2] : write ? sass_temporary(&l->b) : constant32(&l->b, 0);
    return all;
}

/* m8n8k4: each step writes two of the registers that the whole product has. A step reads two registers of C: its own
 * or, of halves that are added to floats, those of the same columns. */
static void lower_quads(struct sass_lowering *l)
{
    enum { AT_F32 = 76, AT_C_F32 = 78, AT_OTHER_SHAPE = 75, SATFINITE = 77, AT_A_COLUMNS = 73, AT_B_COLUMNS = 74 };
    bool floats = bit(l, AT_F32), floats_in_c = bit(l, AT_C_F32);
    unsigned step = bits(l, 79, 2);
    refuse_modifiers(l);
    if (bit(l, AT_OTHER_SHAPE) || (floats_in_c && !floats) || (!floats && step > 1))
        sass_not_covered(l, "this shape");
    if (bit(l, SATFINITE))
        sass_not_covered(l, "saturation");
    struct operation u = {.kind = UOP_LANE, .op = OP_MMA, .type = T_B32, .flags = UF_WHOLE_WARP};
    const enum matrix_format formats[] = {MATRIX_F16, MATRIX_F16, floats_in_c ? MATRIX_F32 : MATRIX_F16,
                                          floats ? MATRIX_F32 : MATRIX_F16};
    matrix_describe(u.detail, 8, 8, 4, formats,
                    MATRIX_QUADS | (bit(l, AT_A_COLUMNS) ? MATRIX_A_COLUMNS : 0) |
                        (bit(l, AT_B_COLUMNS) ? 0 : MATRIX_B_ROWS));
    u.lists[1] = fragment(l, bits(l, AT_RA, 8), 2, false);
    u.lists[2] = fragment(l, bits(l, AT_RB, 8), 2, false);
    u.lists[3] = pair_of(l, bits(l, AT_RC, 8), floats && !floats_in_c ? step / 2 : step, floats_in_c ? 8 : 4, false);
    u.lists[0] = pair_of(l, bits(l, AT_RD, 8), step, floats ? 8 : 4, true);
    sass_emit(&l->b, u);
}

static void lower_any_hmma(struct sass_lowering *l)
{
    enum { QUADS = 0x236 };
    if (l->row->value == QUADS)
        lower_quads(l);
    else
        lower_hmma(l);
}

/* ---- integers, bits, fp8 ---- */

static enum matrix_format narrow_integer(struct sass_lowering *l, unsigned type)
{
    static const uint8_t types[8] = {MATRIX_U8, MATRIX_S8, MATRIX_FORMAT_COUNT, MATRIX_FORMAT_COUNT,
                                     MATRIX_U4, MATRIX_S4, MATRIX_FORMAT_COUNT, MATRIX_FORMAT_COUNT};
    if (types[type] == MATRIX_FORMAT_COUNT)
        sass_not_covered(l, "this type");
    return types[type];
}

static void lower_imma(struct sass_lowering *l)
{
    enum { AT_SPARSE = 72, SAT = 82 };
    static const struct shape dense[8] = {{8, 16}, {0}, {8, 32}, {0}, {16, 16}, {16, 32}, {16, 64}, {0}};
    static const struct shape sparse[8] = {{0}, {0}, {8, 32}, {8, 64}, {0}, {16, 32}, {16, 64}, {16, 128}};
    struct product p = {.result = MATRIX_S32, .clamp = bit(l, SAT)};
    bool is_sparse = l->arch & FROM_80 && bit(l, AT_SPARSE);
    p.a = narrow_integer(l, bits(l, 76, 2) | bits(l, 83, 1) << 2);
    p.b = narrow_integer(l, bits(l, 78, 2) | bits(l, 84, 1) << 2);
    if (matrix_bits[p.a] != matrix_bits[p.b])
        sass_not_covered(l, "a product of 8 and 4 bits");
    set_shape(l, &p, (is_sparse ? sparse : dense)[bits(l, 75, 1) | bits(l, 85, 2) << 1]);
    multiply(l, &p, is_sparse);
}

static void lower_bmma(struct sass_lowering *l)
{
    enum { XOR = 0, AND = 2, AT_POPC = 80 };
    static const struct shape shapes[4] = {{8, 128}, {16, 128}, {16, 256}, {0}};
    struct product p = {.a = MATRIX_B1, .b = MATRIX_B1, .result = MATRIX_S32};
    unsigned operation = bits(l, 77, 2);
    if ((operation != XOR && operation != AND) || !bit(l, AT_POPC))
        sass_not_covered(l, "this operation on bits");
    p.mode = operation == AND ? MATRIX_AND : 0;
    set_shape(l, &p, shapes[bits(l, 75, 2)]);
    multiply(l, &p, false);
}

static void lower_qmma(struct sass_lowering *l)
{
    enum { AT_F32 = 77, AT_A = 78, AT_B = 79, AT_SPARSE = 80, AT_REGOFFSET = 81 };
    static const struct shape dense[4] = {{16, 16}, {16, 32}, {0}, {0}}, sparse[4] = {{0}, {0}, {16, 64}, {0}};
    struct product p = {.result = bit(l, AT_F32) ? MATRIX_F32 : MATRIX_F16};
    p.a = bit(l, AT_A) ? MATRIX_E5M2 : MATRIX_E4M3;
    p.b = bit(l, AT_B) ? MATRIX_E5M2 : MATRIX_E4M3;
    if (bit(l, AT_SPARSE) && bit(l, AT_REGOFFSET))
        sass_not_covered(l, "an offset of registers");
    set_shape(l, &p, (bit(l, AT_SPARSE) ? sparse : dense)[bits(l, 75, 2)]);
    multiply(l, &p, bit(l, AT_SPARSE));
}

/* ---- doubles ---- */

static struct operand_list doubles(struct sass_lowering *l, unsigned n, unsigned count)
{
    struct operand_list list = {ARENA_ARRAY(l->b.arena, struct operand, count), count};
    for (unsigned i = 0; i < count; i++)
        list.at[i] = read_pair(&l->b, n == RZ ? RZ : n + 2 * i);
    return list;
}

static void lower_dmma(struct sass_lowering *l)
{
    static const struct shape shapes[4] = {{8, 4}, {16, 4}, {16, 8}, {16, 16}};
    struct product p = {.a = MATRIX_F64, .b = MATRIX_F64, .result = MATRIX_F64};
    unsigned d = bits(l, AT_RD, 8);
    refuse_modifiers(l);
    set_shape(l, &p, shapes[bits(l, 76, l->arch == SASS_90 ? 2 : 1)]);
    if (l->arch != SASS_90 && p.m != 8)
        sass_not_covered(l, "this shape");
    wait_for_warp(l);
    struct operation u = product_operation(&p);
    u.type = T_F64;
    u.rounding = (uint8_t)sass_rounding(bits(l, 78, 2));
    unsigned results = matrix_result_registers(p.m, 8, MATRIX_F64);
    u.lists[1] = doubles(l, bits(l, AT_RA, 8), matrix_source_registers(p.m, p.k, MATRIX_F64));
    u.lists[2] = doubles(l, bits(l, AT_RB, 8), matrix_source_registers(8, p.k, MATRIX_F64));
    u.lists[3] = doubles(l, bits(l, AT_RC, 8), results);
    u.lists[0] = (struct operand_list){ARENA_ARRAY(l->b.arena, struct operand, results), results};
    for (unsigned i = 0; i < results; i++)
        u.lists[0].at[i] = sass_temporary(&l->b);
    sass_emit(&l->b, u);
    for (unsigned i = 0; i < results; i++)
        write_pair(&l->b, d == RZ ? RZ : d + 2 * i, u.lists[0].at[i]);
}

/* ---- products of a warpgroup ---- */

/* "64x<n>x<k>", a modifier of the row. */
static void set_group_shape(struct sass_lowering *l, unsigned *n, unsigned *k)
{
    enum { AT_SHAPE = 53 };
    for (const struct sass_item *i = l->row->items; i->kind != SI_END; i++) {
        unsigned value = (unsigned)sass_value(l->word, i);
        if (i->kind != SI_MODIFIER || i->f.at != AT_SHAPE)
            continue;
        if (value < i->count && i->names[value] && sscanf(i->names[value], "64x%ux%u", n, k) == 2)
            return;
    }
    sass_not_covered(l, "this shape");
}

/* The predicate says whether C is added. */
static void set_addition(struct sass_lowering *l, struct operation *u)
{
    u->c = uniform_predicate(&l->b, PT - bits(l, AT_PC, 3));
    u->flags |= bit(l, AT_PC + 3) ? UF_NEGATE_C : 0;
}

/* Descriptors are pairs of uniform registers: that of A, which means nothing where A is in registers, then that of B.
 */
static void set_sides(struct sass_lowering *l, struct operation *u)
{
    enum { A_IN_REGISTERS = 0xdf0 };
    bool registers = (l->row->value & 0xff0) == A_IN_REGISTERS;
    unsigned descriptors = bits(l, registers ? AT_RB : AT_RA, 6);
    if (descriptors + 4 > URZ)
        sass_not_covered(l, "descriptors beyond the last register");
    if (registers)
        u->lists[1] = fragment(l, bits(l, AT_RA, 8), 4, false);
    else
        u->a = read_uniform_pair(&l->b, descriptors);
    u->b = read_uniform_pair(&l->b, descriptors + 2);
}

static void set_group_metadata(struct sass_lowering *l, struct operation *u, enum matrix_format a)
{
    enum { AT_REGOFFSET = 74 };
    unsigned selector = bits(l, AT_SELECTOR, 2);
    if (bit(l, AT_REGOFFSET) || selector > (matrix_bits[a] >= 16))
        sass_not_covered(l, "this place of metadata");
    u->detail[MATRIX_MODE] |= (uint8_t)(MATRIX_SPARSE | selector << MATRIX_SELECTOR);
    u->lists[2] = fragment(l, bits(l, AT_METADATA, 8), 1, false);
}

/* `modes`: enum wgmma_mode. Each warp multiplies its 16 rows. The product is complete at once. ptxas marks the last
 * product of each group, that before wgmma.commit_group, with gsb0. */
static void multiply_group(struct sass_lowering *l, enum matrix_format a, enum matrix_format b,
                           enum matrix_format result, unsigned modes, uint64_t flags)
{
    enum { AT_SPARSE = 73, AT_GROUP = 84, GROUP_ENDS = 0, ROWS = 16 };
    const enum matrix_format formats[] = {a, b, result, result};
    unsigned n, k;
    set_group_shape(l, &n, &k);
    wait_for_warp(l);
    struct operation u = {.kind = UOP_LANE, .op = OP_WGMMA, .type = T_B64, .flags = UF_WHOLE_WARP | flags};
    matrix_describe(u.detail, ROWS, n, k, formats, modes);
    set_sides(l, &u);
    if (a != MATRIX_B1 && bit(l, AT_SPARSE))
        set_group_metadata(l, &u, a);
    set_addition(l, &u);
    unsigned results = matrix_result_registers(ROWS, n, result);
    u.lists[3] = fragment(l, bits(l, AT_RC, 8), results, false);
    u.lists[0] = fragment(l, bits(l, AT_RD, 8), results, true);
    l->async = (struct rp_async){RP_ASYNC_TENSOR, RP_ASYNC_START, bits(l, AT_GROUP, 3) == GROUP_ENDS};
    sass_emit(&l->b, u);
}

/* Barriers between products, and the wait until at most so many groups are incomplete (DEPBAR). */
static void lower_warpgroup(struct sass_lowering *l)
{
    enum { AT_DEPBAR = 80, AT_LE = 47, AT_MOST = 72 };
    wait_for_warp(l);
    if (bit(l, AT_DEPBAR))
        l->async = (struct rp_async){RP_ASYNC_TENSOR, RP_ASYNC_WAIT, bit(l, AT_LE) ? bits(l, AT_MOST, 3) : 0};
}

/* The factors of A and B: 1 or -1. */
static uint64_t factors(const struct sass_lowering *l)
{
    return (bit(l, 72) ? UF_NEGATE_A : 0) | (bit(l, 63) ? UF_NEGATE_B : 0);
}
static enum matrix_format float_result(const struct sass_lowering *l) { return bit(l, 75) ? MATRIX_F32 : MATRIX_F16; }

static void lower_hgmma(struct sass_lowering *l)
{
    static const uint8_t types[4] = {MATRIX_F16, MATRIX_BF16, MATRIX_TF32, MATRIX_FORMAT_COUNT};
    enum matrix_format a = types[bits(l, 76, 2)];
    if (a == MATRIX_FORMAT_COUNT || (a != MATRIX_F16 && float_result(l) == MATRIX_F16))
        sass_not_covered(l, "this type");
    unsigned modes = (bit(l, 61) ? WGMMA_A_TRANSPOSED : 0) | (bit(l, 62) ? WGMMA_B_TRANSPOSED : 0);
    multiply_group(l, a, a, float_result(l), modes, factors(l));
}
static void lower_qgmma(struct sass_lowering *l)
{
    multiply_group(l, bit(l, 76) ? MATRIX_E5M2 : MATRIX_E4M3, bit(l, 77) ? MATRIX_E5M2 : MATRIX_E4M3, float_result(l),
                   0, factors(l));
}
static void lower_igmma(struct sass_lowering *l)
{
    enum { SAT = 75 };
    multiply_group(l, bit(l, 76) ? MATRIX_S8 : MATRIX_U8, bit(l, 82) ? MATRIX_S8 : MATRIX_U8, MATRIX_S32, 0,
                   bit(l, SAT) ? UF_SAT_FINITE : 0);
}
static void lower_bgmma(struct sass_lowering *l)
{
    enum { AND = 2, AT_POPC = 80 };
    if (bits(l, 77, 2) != AND || !bit(l, AT_POPC))
        sass_not_covered(l, "this operation on bits");
    multiply_group(l, MATRIX_B1, MATRIX_B1, MATRIX_S32, 0, 0);
}

/* ---- moves ---- */

/* Waits for the whole warp. Returns a predicate that is true in its first `lanes` lanes if the guard is. */
static struct operand first_lanes(struct sass_lowering *l, unsigned lanes)
{
    struct operation u = {.kind = UOP_LANE, .op = OP_MOV, .type = T_PRED, .flags = UF_WHOLE_WARP};
    u.d = sass_temporary(&l->b);
    u.a = constant32(&l->b, lanes == 32 ? ~0u : (1u << lanes) - 1);
    sass_emit(&l->b, u);
    sass_limit_to_guard(l, u.d);
    return u.d;
}

static struct operand_list row_words(struct sass_lowering *l)
{
    struct operand_list words = {ARENA_ARRAY(l->b.arena, struct operand, 4), 4};
    for (unsigned i = 0; i < 4; i++)
        words.at[i] = sass_temporary(&l->b);
    return words;
}

/* Moves rows of 16 bytes between shared memory and `words`, one row in each of these lanes. */
static void move_rows(struct sass_lowering *l, uint8_t kind, struct operand_list words, struct operand lanes)
{
    struct operation u = {.kind = UOP_MEMORY, .type = T_B32, .dtype = T_B32};
    u.memory = (struct rp_memory_operand){.space = RP_SPACE_SHARED, .kind = kind, .elements = 4, .width = 16};
    sass7x_set_address(l, &u, 0, false);
    u.lists[0] = words;
    sass_access_where(l, &u, lanes);
}

static unsigned matrices(struct sass_lowering *l)
{
    unsigned code = bits(l, 72, 2);
    if (code == 3 || bits(l, 78, 2) > 1)
        sass_not_covered(l, "this shape");
    return 1u << code;
}
static uint8_t way(const struct sass_lowering *l) { return bit(l, 78) ? MATRIX_TRANSPOSED : MATRIX_STRAIGHT; }

static void lower_ldsm(struct sass_lowering *l)
{
    unsigned count = matrices(l);
    struct operand lanes = first_lanes(l, 8 * count);
    struct operand_list words = row_words(l);
    move_rows(l, RP_ACCESS_LOAD, words, lanes);
    struct operation u = {.kind = UOP_LANE, .op = OP_MATRIX_LOAD, .type = T_B32, .imm = way(l)};
    u.lists[1] = words;
    u.lists[0] = fragment(l, bits(l, AT_RD, 8), count, true);
    sass_emit(&l->b, u);
}

static void lower_stsm(struct sass_lowering *l)
{
    unsigned count = matrices(l);
    struct operand lanes = first_lanes(l, 8 * count);
    struct operation u = {.kind = UOP_LANE, .op = OP_MATRIX_STORE, .type = T_B32, .imm = way(l)};
    u.lists[0] = row_words(l);
    u.lists[1] = fragment(l, bits(l, AT_RB, 8), count, false);
    struct operand_list words = u.lists[0];
    sass_emit(&l->b, u);
    move_rows(l, RP_ACCESS_STORE, words, lanes);
}

static void lower_movm(struct sass_lowering *l)
{
    struct operation u = {.kind = UOP_LANE, .op = OP_MATRIX_TRANSPOSE, .type = T_B32, .flags = UF_WHOLE_WARP};
    if (bits(l, 78, 2))
        sass_not_covered(l, "this shape");
    u.a = read_register(&l->b, bits(l, AT_RA, 8));
    u.d = written(&l->b, bits(l, AT_RD, 8));
    sass_emit(&l->b, u);
}

const struct sass_meaning sass7x_tensor[] = {{"HMMA", lower_any_hmma},       {"IMMA", lower_imma},
                                             {"BMMA", lower_bmma},           {"QMMA", lower_qmma},
                                             {"DMMA", lower_dmma},           {"LDSM", lower_ldsm},
                                             {"STSM", lower_stsm},           {"MOVM", lower_movm},
                                             {"HGMMA", lower_hgmma},         {"QGMMA", lower_qgmma},
                                             {"IGMMA", lower_igmma},         {"BGMMA", lower_bgmma},
                                             {"WARPGROUP", lower_warpgroup}, {NULL, NULL}};
