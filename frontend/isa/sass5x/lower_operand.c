/* Where operands are, and how to get at them with their modifiers. */
#include <string.h>

#include "frontend/isa/sass5x/lower.h"

/* The window: predicates, BAR.RED's results, a place that nobody reads, temporaries, registers. */
enum {
    PREDICATES = 0,
    RESULT_PREDICATE = 32,
    RESULT_VALUE = 64,
    NOBODY = RESULT_VALUE + 128,
    FIRST_TEMPORARY = NOBODY + 256,
    REGISTERS = FIRST_TEMPORARY + TEMPORARIES * 256,
};

/* ---- constants and places ---- */

struct operand constant32(struct sass_lowering *l, uint32_t value)
{
    return constants_equal(&l->constants, l->arena, value, 4);
}

struct operand constant64(struct sass_lowering *l, uint64_t value)
{
    return constants_equal(&l->constants, l->arena, value, 8);
}

struct operand sass_temporary(struct sass_lowering *l)
{
    if (l->temporaries == TEMPORARIES)
        sass_not_covered(l, "so much at once");
    return OPERAND_REGISTER(FIRST_TEMPORARY + 256 * l->temporaries++);
}

struct operand hidden_result(bool predicate) { return OPERAND_REGISTER(predicate ? RESULT_PREDICATE : RESULT_VALUE); }

static void note(struct sass_lowering *l, register_list *list, rp_register r)
{
    for (uint32_t i = 0; i < list->count; i++)
        if (list->at[i] == r)
            return;
    VECTOR_PUSH(l->arena, list, r);
}

static struct operand place(unsigned n) { return OPERAND_REGISTER(REGISTERS + 128 * n); }

struct operand read_register(struct sass_lowering *l, unsigned n)
{
    if (n == RZ)
        return constant32(l, 0);
    note(l, &l->src, RP_REGISTER(RP_FILE_GENERAL, n, 1));
    return place(n);
}

struct operand written(struct sass_lowering *l, unsigned n)
{
    if (n == RZ)
        return OPERAND_REGISTER(NOBODY);
    note(l, &l->dst, RP_REGISTER(RP_FILE_GENERAL, n, 1));
    return place(n);
}

struct operand *register_list_at(struct sass_lowering *l, unsigned n, unsigned count, bool write)
{
    struct operand *list = ARENA_ARRAY(l->arena, struct operand, count);
    if (n != RZ && n + count > RZ)
        sass_not_covered(l, "a vector of registers beyond the last one");
    for (unsigned i = 0; i < count; i++)
        list[i] = n == RZ ? (write ? OPERAND_NONE : constant32(l, 0)) : place(n + i);
    if (n != RZ)
        note(l, write ? &l->dst : &l->src, RP_REGISTER(RP_FILE_GENERAL, n, count));
    return list;
}

static struct operand pack(struct sass_lowering *l, struct operand *list)
{
    struct operand t = sass_temporary(l);
    sass_emit(l, (struct operation){
                     .kind = UOP_LANE, .op = OP_PACK, .type = T_B64, .stype = T_B32, .d = t, .lists = {{list, 2}}});
    return t;
}

struct operand read_pair(struct sass_lowering *l, unsigned n)
{
    return n == RZ ? constant64(l, 0) : pack(l, register_list_at(l, n, 2, false));
}

void write_pair(struct sass_lowering *l, unsigned n, struct operand value)
{
    sass_emit(l, (struct operation){.kind = UOP_LANE,
                                    .op = OP_UNPACK,
                                    .type = T_B64,
                                    .stype = T_B32,
                                    .a = value,
                                    .lists = {{register_list_at(l, n, 2, true), 2}}});
}

struct operand read_predicate(struct sass_lowering *l, unsigned at)
{
    unsigned n = bits(l, at, 3);
    if (n == PT)
        return constant32(l, ~0u);
    note(l, &l->src, RP_REGISTER(RP_FILE_PREDICATE, n, 1));
    return OPERAND_REGISTER(PREDICATES + 4 * n);
}

struct operand written_predicate(struct sass_lowering *l, unsigned at)
{
    unsigned n = bits(l, at, 3);
    if (n == PT)
        return OPERAND_NONE;
    note(l, &l->dst, RP_REGISTER(RP_FILE_PREDICATE, n, 1));
    return OPERAND_REGISTER(PREDICATES + 4 * n);
}

/* ---- constant banks ---- */

static struct operand special(struct sass_lowering *l, enum special which)
{
    struct operand t = sass_temporary(l);
    sass_emit(l, (struct operation){.kind = UOP_LANE, .op = OP_SPECIAL, .type = T_U32, .d = t, .imm = which});
    return t;
}

static struct operand silent_load(struct sass_lowering *l, enum rp_space space, uint32_t offset)
{
    struct operation u = {
        .kind = UOP_MEMORY, .type = T_B32, .dtype = T_B32, .stype = T_U32, .flags = UF_SILENT, .imm = offset};
    u.memory = (struct rp_memory_operand){.space = (uint8_t)space, .kind = RP_ACCESS_LOAD, .elements = 1, .width = 4};
    u.d = sass_temporary(l);
    sass_emit(l, u);
    return u.d;
}

/* What the driver leaves below the parameters. */
static struct operand launch_word(struct sass_lowering *l, uint32_t offset)
{
    enum { ENVIRONMENT = 0x30, ENVIRONMENT_END = 0xb0 };
    if (offset >= ENVIRONMENT && offset < ENVIRONMENT_END)
        return constant32(l, 0); /* %envreg, which CUDA does not use */
    switch (offset) {
    case 0x00: return constant32(l, (uint32_t)SHARED_WINDOW);
    case 0x04: return constant32(l, (uint32_t)LOCAL_WINDOW);
    case 0x08: return special(l, SR_NTID_X);
    case 0x0c: return special(l, SR_NTID_Y);
    case 0x10: return special(l, SR_NTID_Z);
    case 0x14: return special(l, SR_NCTAID_X);
    case 0x18: return special(l, SR_NCTAID_Y);
    case 0x1c: return special(l, SR_NCTAID_Z);
    case 0x20: return special(l, SR_LOCAL_BYTES);
    case 0x28: return special(l, SR_GRIDID);
    case 0xd0: return constant32(l, (uint32_t)CONST_WINDOW + l->banks->at[3]);
    case 0xfc: return special(l, SR_DYNAMIC_SMEM_SIZE);
    case 0x2c:
    case 0xd4:
    case 0x100:
    case 0x104:                            /* upper words */
    case 0x108: return constant32(l, 0);   /* whether the numbers of SMs and warps are to be converted (sm_60) */
    case 0x10c: return constant32(l, ~0u); /* how often %clock64 tries again when its upper word changes */
    default: sass_not_covered(l, "this word of constant bank 0");
    }
}

struct operand bank_word(struct sass_lowering *l, unsigned bank, uint32_t offset)
{
    if (bank == 0)
        return offset < LAUNCH_PARAMETERS ? launch_word(l, offset)
                                          : silent_load(l, RP_SPACE_PARAM, offset - LAUNCH_PARAMETERS);
    if (l->banks->at[bank] == CUBIN_UNKNOWN)
        sass_not_covered(l, "a constant bank that the file does not have");
    const struct cubin_bytes *own = &l->kernel->constant[bank];
    if (own->size >= 4 && offset <= own->size - 4) {
        const uint8_t *p = own->at + offset;
        return constant32(l, (uint32_t)p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24);
    }
    return silent_load(l, RP_SPACE_CONST, l->banks->at[bank] + offset);
}

/* ---- sources ---- */

static bool is_source(const struct sass_item *i)
{
    switch (i->kind) {
    case SI_REGISTER: return i->reuse != 0;
    case SI_CONSTANT:
    case SI_IMMEDIATE: return true;
    default: return false;
    }
}

void find_sources(struct sass_lowering *l)
{
    l->source_count = 0;
    l->plus_one = false;
    for (const struct sass_item *i = l->row->items; i->kind != SI_END; i++) {
        if (!is_source(i) || l->source_count == 4)
            continue;
        struct sass_source *s = &l->source[l->source_count++];
        bool both = i->po && bits(l, i->po, 2) == 3;
        l->plus_one |= both;
        *s = (struct sass_source){i, i->neg && bit(l, i->neg) && !both, i->abs && bit(l, i->abs),
                                  i->inv && bit(l, i->inv)};
    }
}

static uint64_t immediate(const struct sass_lowering *l, const struct sass_item *i)
{
    uint64_t v = sass_value(l->word, i), low = sass_field(l->word, i->f), sign = sass_field(l->word, i->g);
    unsigned source_size = bits(l, 10, 2);
    switch (i->style) {
    case IMM_S20:
    case IMM_U20:
    case IMM_U20_MASK: return (uint32_t)(low - (sign ? 0x80000 : 0));
    case IMM_F20: return low << 12 | sign << 31;
    case IMM_D20: return low << 44 | sign << 63;
    case IMM_BY_SOURCE:
        return source_size == 3 ? low << 44 | sign << 63 : source_size == 2 ? low << 12 | sign << 31 : low;
    default: return v;
    }
}

bool source_immediate(const struct sass_lowering *l, unsigned i, uint64_t *value)
{
    if (i >= l->source_count || l->source[i].item->kind != SI_IMMEDIATE)
        return false;
    *value = immediate(l, l->source[i].item);
    return true;
}

static const struct sass_item *item_of(struct sass_lowering *l, unsigned i)
{
    if (i >= l->source_count)
        sass_not_covered(l, NULL);
    return l->source[i].item;
}

struct operand source_raw(struct sass_lowering *l, unsigned i)
{
    const struct sass_item *item = item_of(l, i);
    uint64_t value = sass_value(l->word, item);
    switch (item->kind) {
    case SI_REGISTER: return read_register(l, (unsigned)value);
    case SI_CONSTANT: return bank_word(l, bits(l, item->g.at, item->g.width), 4 * bits(l, item->f.at, item->f.width));
    default: return constant32(l, (uint32_t)immediate(l, item));
    }
}

struct operand source_64(struct sass_lowering *l, unsigned i)
{
    const struct sass_item *item = item_of(l, i);
    if (item->kind == SI_REGISTER)
        return read_pair(l, (unsigned)sass_value(l->word, item));
    if (item->kind == SI_IMMEDIATE)
        return constant64(l, immediate(l, item));
    unsigned bank = bits(l, item->g.at, item->g.width), offset = 4 * bits(l, item->f.at, item->f.width);
    struct operand *list = ARENA_ARRAY(l->arena, struct operand, 2);
    list[0] = bank_word(l, bank, offset);
    list[1] = bank_word(l, bank, offset + 4);
    return pack(l, list);
}

struct operand source_int(struct sass_lowering *l, unsigned i)
{
    struct operand v = source_raw(l, i);
    const struct sass_source *s = &l->source[i];
    if (s->inverted)
        v = lane2(l, OP_NOT, T_B32, v, v);
    if (s->absolute)
        v = lane2(l, OP_ABS, T_S32, v, v);
    if (s->negated)
        v = lane2(l, OP_NEG, T_S32, v, v);
    return v;
}

struct operand source_f32(struct sass_lowering *l, unsigned i)
{
    struct operand v = source_raw(l, i);
    const struct sass_source *s = &l->source[i];
    if (s->absolute)
        v = lane2(l, OP_AND, T_B32, v, constant32(l, 0x7fffffff));
    if (s->negated)
        v = lane2(l, OP_XOR, T_B32, v, constant32(l, 0x80000000));
    return v;
}

struct operand source_f64(struct sass_lowering *l, unsigned i)
{
    struct operand v = source_64(l, i);
    const struct sass_source *s = &l->source[i];
    if (s->absolute)
        v = lane2(l, OP_AND, T_B64, v, constant64(l, ~0ull >> 1));
    if (s->negated)
        v = lane2(l, OP_XOR, T_B64, v, constant64(l, 1ull << 63));
    return v;
}

/* ---- operations ---- */

void sass_emit_where(struct sass_lowering *l, struct operation u, struct operand guard, bool negated)
{
    u.index = l->index;
    u.guard = guard;
    u.guard_flip = negated ? ~0u : 0;
    if (u.stype == T_NONE)
        u.stype = u.type;
    if (!l->started)
        u.flags |= UF_FIRST;
    l->started = true;
    if (u.kind == UOP_LANE && u.flags & UF_CARRY_IN)
        note(l, &l->src, RP_REGISTER(RP_FILE_CARRY, 0, 1));
    if (u.kind == UOP_LANE && u.flags & UF_CARRY_OUT)
        note(l, &l->dst, RP_REGISTER(RP_FILE_CARRY, 0, 1));
    if (u.kind == UOP_LANE && !operation_bind(&u))
        sass_not_covered(l, NULL);
    VECTOR_PUSH(l->arena, &l->operations, u);
}

/* @!PT: a predicate that nobody writes, and so is never true. */
static struct operand never(void) { return OPERAND_REGISTER(PREDICATES + 4 * PT); }

struct operand sass_guard(struct sass_lowering *l, bool *negated)
{
    bool has = !(l->row->flags & SASS_NO_GUARD);
    *negated = has && bit(l, 19) && bits(l, 16, 3) != PT;
    return has && bits(l, 16, 4) == (PT | 8) ? never() : has ? read_predicate(l, 16) : constant32(l, ~0u);
}

void sass_emit(struct sass_lowering *l, struct operation u)
{
    bool negated;
    struct operand guard = sass_guard(l, &negated);
    sass_emit_where(l, u, guard, negated);
}

struct operand lane2(struct sass_lowering *l, enum lane_op op, enum lane_type type, struct operand a, struct operand b)
{
    struct operand t = sass_temporary(l);
    sass_emit(l,
              (struct operation){.kind = UOP_LANE, .op = (uint8_t)op, .type = (uint8_t)type, .d = t, .a = a, .b = b});
    return t;
}

void move32(struct sass_lowering *l, struct operand d, struct operand a)
{
    sass_emit(l, (struct operation){.kind = UOP_LANE, .op = OP_MOV, .type = T_B32, .d = d, .a = a});
}

void set_codes(struct sass_lowering *l, struct operand value)
{
    if (bit(l, 47))
        sass_emit(
            l, (struct operation){.kind = UOP_LANE, .op = OP_FLAGS, .type = T_U32, .flags = UF_CARRY_OUT, .a = value});
}

/* Condition code `code` where the value compares with zero. */
static struct operand code_where(struct sass_lowering *l, enum lane_type type, enum compare compare,
                                 struct operand value, uint32_t code)
{
    struct operation u = {
        .kind = UOP_LANE, .op = OP_SETP, .type = (uint8_t)type, .compare = (uint8_t)compare, .a = value};
    u.b = type == T_F64 ? constant64(l, 0) : constant32(l, 0);
    u.pd = sass_temporary(l);
    sass_emit(l, u);
    u = (struct operation){.kind = UOP_LANE, .op = OP_SELP, .type = T_B32, .p = u.pd};
    u.a = constant32(l, code);
    u.b = constant32(l, 0);
    u.d = sass_temporary(l);
    sass_emit(l, u);
    return u.d;
}
void set_float_codes(struct sass_lowering *l, unsigned at, enum lane_type type, struct operand value)
{
    enum { ZERO = 1, SIGN = 2, ALL = 15 };
    if (!bit(l, at))
        return;
    struct operand zero = code_where(l, type, CMP_EQU, value, ZERO);
    struct operand sign = code_where(l, type, CMP_LTU, value, SIGN);
    struct operation u = {.kind = UOP_LANE, .op = OP_SET_CC, .type = T_U32, .flags = UF_CARRY_OUT};
    u.a = lane2(l, OP_OR, T_B32, zero, sign);
    u.b = constant32(l, ALL);
    sass_emit(l, u);
}

void sass_set(struct sass_lowering *l, struct operation u, bool as_float)
{
    struct operand value = sass_temporary(l);
    u.pd = sass_temporary(l);
    sass_emit(l, u);
    sass_emit(l, (struct operation){.kind = UOP_LANE,
                                    .op = OP_SELP,
                                    .type = T_B32,
                                    .d = value,
                                    .p = u.pd,
                                    .a = constant32(l, as_float ? 0x3f800000 : ~0u),
                                    .b = constant32(l, 0)});
    move32(l, written(l, bits(l, 0, 8)), value);
    set_codes(l, value);
}

void set_predicates(struct sass_lowering *l, struct operation *u, unsigned combine_at)
{
    static const uint8_t combines[4] = {COMBINE_AND, COMBINE_OR, COMBINE_XOR, COMBINE_NONE};
    u->combine = combines[bits(l, combine_at, 2)];
    if (u->combine == COMBINE_NONE)
        sass_not_covered(l, "this combination of predicates");
    u->p = read_predicate(l, 39);
    u->p_flip = bit(l, 42);
}

static void move_predicate(struct sass_lowering *l, struct operand d, struct operand value)
{
    sass_emit(l, (struct operation){.kind = UOP_LANE, .op = OP_MOV, .type = T_PRED, .d = d, .a = value});
}
void write_predicates(struct sass_lowering *l, struct operand first, struct operand second)
{
    struct operand d = written_predicate(l, 3), d2 = written_predicate(l, 0);
    bool first_last = bits(l, 3, 3) == bits(l, 16, 3);
    if (is_register(d) && !first_last)
        move_predicate(l, d, first);
    if (is_register(d2))
        move_predicate(l, d2, second);
    if (is_register(d) && first_last)
        move_predicate(l, d, first);
}
enum compare float_compare(unsigned code)
{
    static const uint8_t compares[16] = {CMP_FALSE, CMP_LT,  CMP_EQ,  CMP_LE,  CMP_GT,  CMP_NE,  CMP_GE,  CMP_NUM,
                                         CMP_NAN,   CMP_LTU, CMP_EQU, CMP_LEU, CMP_GTU, CMP_NEU, CMP_GEU, CMP_TRUE};
    return compares[code & 15];
}

enum compare int_compare(unsigned code) { return code == 7 ? CMP_TRUE : float_compare(code & 7); }

enum rounding sass_rounding(unsigned code)
{
    static const uint8_t roundings[4] = {ROUND_N, ROUND_M, ROUND_P, ROUND_Z};
    return roundings[code & 3];
}
