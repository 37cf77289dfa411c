#include "frontend/isa/ptx/check.h"

#include <string.h>

#include "frontend/isa/ptx/matrix.h"
#include "frontend/isa/ptx/special.h"
#include "tracefmt/plural.h"

static enum ptx_type twice_as_wide(enum ptx_type t)
{
    switch (t) {
    case PT_U16: return PT_U32;
    case PT_S16: return PT_S32;
    case PT_U32: return PT_U64;
    case PT_S32: return PT_S64;
    default: return t;
    }
}

enum ptx_type ptx_operand_type(const struct operand_form *f, const struct ptx_modifiers *mods)
{
    if (f->role == 'p' || f->role == 'q')
        return PT_PRED;
    if (f->role == 'm' || f->role == 'L' || f->role == 'x' || f->role == 'i')
        return PT_NONE;
    switch (f->typing) {
    case 'u': return PT_U32;
    case 'n': return PT_NONE;
    case 'w': return twice_as_wide(mods->types[0]);
    case '1':
    case '2':
    case '3': return mods->types[f->typing - '0'];
    default: return mods->type_count ? mods->types[0] : PT_NONE;
    }
}

struct checker {
    struct ptx_source *src;
    const struct ptx_function *function;
    const struct ptx_instruction *in;
    const struct operand_form *form;
};

static bool is_destination(const struct checker *c) { return c->form->role == 'd' || c->form->role == 'q'; }

/* ld, st and cvt take registers that are wider than their type. check_vector handles the mov of vectors, element by
 * element. */
static bool takes_wider(const struct checker *c)
{
    uint8_t low = c->in->form->lowering;
    return low == LOW_LOAD || low == LOW_STORE || low == LOW_CONVERT || low == LOW_SURFACE_LOAD ||
           low == LOW_SURFACE_STORE;
}

static bool is_float(const struct ptx_type_info *t) { return t->kind == 'F'; }

/* Small floats and pairs: no number stands for one. */
static bool is_small(enum ptx_type t)
{
    return (is_float(&ptx_types[t]) && t != PT_F32 && t != PT_F64) || t == PT_U16X2 || t == PT_S16X2;
}

/* ptxas takes bits for them, and registers that are declared so: .f16, and .f16x2 for any pair but of .bf16. */
static bool holds_small(enum ptx_type have, enum ptx_type want)
{
    bool pair = want == PT_F16X2 || want == PT_U16X2 || want == PT_S16X2;
    return ptx_types[have].kind == 'B' || (have == PT_F16 && want == PT_F16) || (have == PT_F16X2 && pair);
}

/* Whether a register that is wide enough is of the right kind. Bits (.b32) fit everything; floats and integers do not
 * fit each other, but .f16x2 goes for 32 bits of an integer. */
static bool fits_kind(enum ptx_type has, enum ptx_type want)
{
    const struct ptx_type_info *have = &ptx_types[has], *type = &ptx_types[want];
    if (is_small(want))
        return holds_small(has, want);
    if (have->kind == 'B' || type->kind == 'B')
        return true;
    if (has == PT_F16X2)
        return !is_float(type);
    return is_float(have) == is_float(type) && (!is_float(have) || have->bits == type->bits);
}

static void check_register(const struct checker *c, const struct ptx_operand *o, enum ptx_type want)
{
    const struct ptx_register *r = &c->function->registers.at[o->reg];
    const struct ptx_type_info *have = &ptx_types[r->type], *type = &ptx_types[want];
    bool pred = r->type == PT_PRED;
    bool video = c->in->form->lowering == LOW_VIDEO, simd = c->in->form->lowering == LOW_VIDEO_SIMD;
    if (o->negated && !(pred && c->form->role == 'p') && !video)
        ptx_error(c->src, o->at, "'!' goes with a predicate source only");
    if (o->select && !simd && (!video || o->select == PTX_SELECT_OTHER))
        ptx_error(c->src, o->at, "'%s' has no such part here", r->name);
    if (want == PT_NONE) {
        if (pred && c->form->role != 'x')
            ptx_error(c->src, o->at, "'%s' is a predicate", r->name);
        return;
    }
    if (pred != (want == PT_PRED))
        ptx_error(c->src, o->at, pred ? "'%s' is a predicate, not a number" : "'%s' is no predicate", r->name);
    if (have->bits < type->bits || (have->bits > type->bits && !takes_wider(c) && have->bits != 8 && type->bits != 8))
        ptx_error(c->src, o->at, "'%s' has %u bit%s where .%s belongs", r->name, have->bits, rp_plural(have->bits),
                  type->name);
    if (!fits_kind((enum ptx_type)r->type, want))
        ptx_error(c->src, o->at, "'%s' is .%s where .%s belongs", r->name, have->name, type->name);
}

/* The constants that ptxas takes; of other instructions, any. */
static void check_range(const struct checker *c, const struct ptx_operand *o)
{
    static const struct {
        const char *opcode, *what;
        int64_t least, most, step;
        enum ptx_modifier modifier; /* that the instruction has; M_COUNT: any */
    } ranges[] = {{"bfe", "a position or length of bits", 0, 255, 1, M_COUNT},
                  {"bfi", "a position or length of bits", 0, 255, 1, M_COUNT},
                  {"pmevent", "a mask of events", 0, UINT16_MAX, 1, M_MASK},
                  {"pmevent", "an event", 0, 15, 1, M_COUNT},
                  {"setmaxnreg", "a number of registers", 24, 256, 8, M_COUNT},
                  {"discard", "a size in bytes", 128, 128, 1, M_COUNT},
                  {"applypriority", "a size in bytes", 128, 128, 1, M_COUNT},
                  {"fence", "a size in bytes", 128, 128, 1, M_COUNT},
                  {"wgmma", "a number of groups", 0, INT64_MAX, 1, M_WAIT_GROUP}};
    for (unsigned i = 0; i < sizeof ranges / sizeof *ranges; i++) {
        if (strcmp(c->in->form->opcode, ranges[i].opcode) != 0 ||
            (ranges[i].modifier != M_COUNT && !mods_have(&c->in->mods, ranges[i].modifier)))
            continue;
        if (o->value < ranges[i].least || o->value > ranges[i].most)
            ptx_error(c->src, o->at, "%s is from %lld to %lld, not %lld", ranges[i].what, (long long)ranges[i].least,
                      (long long)ranges[i].most, (long long)o->value);
        if (o->value % ranges[i].step)
            ptx_error(c->src, o->at, "%s is a multiple of %lld, not %lld", ranges[i].what, (long long)ranges[i].step,
                      (long long)o->value);
        return;
    }
}

/* A float stands for its bits only where these have its size: 0f in .b32; 0d, and decimals, in .b64. ptxas takes no
 * other. */
static void check_number(const struct checker *c, const struct ptx_operand *o, enum ptx_type want)
{
    const struct ptx_type_info *t = &ptx_types[want];
    if (is_small(want))
        ptx_error(c->src, o->at, "a register belongs here: no number is of type .%s", t->name);
    if (o->kind == PO_INTEGER && want != PT_NONE && is_float(t))
        ptx_error(c->src, o->at, "an integer where .%s belongs; floating-point numbers have a point, as 1.0", t->name);
    if (o->kind == PO_INTEGER) {
        if ((c->in->form->op == OP_BFE || c->in->form->op == OP_BFI) && c->form->typing == 'u')
            check_range(c, o);
        return;
    }
    if (c->form->role == 'p')
        ptx_error(c->src, o->at, "a predicate belongs here");
    if (want != PT_NONE && t->kind != 'F' && (t->kind != 'B' || t->bits != (o->kind == PO_SINGLE ? 32 : 64)))
        ptx_error(c->src, o->at, "a floating-point number where .%s belongs", t->name);
}

/* ptxas takes integers in a vector of floats, though no floats in one of integers. */
static bool takes_in_vector(const struct checker *c, const struct ptx_operand *e, enum ptx_type want)
{
    const struct ptx_type_info *have = &ptx_types[c->function->registers.at[e->reg].type], *type = &ptx_types[want];
    return is_float(type) && (have->kind == 'U' || have->kind == 'S') && have->bits == type->bits;
}

/* What the elements of a vector are: registers by their declaration, and numbers. One register of bits lets ptxas take
 * the others for such, too. */
struct element_kinds {
    bool bits, floats, integers;
};

static struct element_kinds kinds_of(const struct checker *c, const struct ptx_operand *e, uint32_t count)
{
    struct element_kinds k = {false, false, false};
    for (uint32_t i = 0; i < count; i++) {
        char kind = e[i].kind == PO_REGISTER ? ptx_types[c->function->registers.at[e[i].reg].type].kind : 0;
        k.bits |= kind == 'B';
        k.floats |= kind == 'F' || e[i].kind == PO_FLOAT || e[i].kind == PO_SINGLE;
        k.integers |= kind == 'U' || kind == 'S' || e[i].kind == PO_INTEGER;
    }
    if (k.floats && k.integers)
        ptx_error(c->src, e->at, "a vector has floating-point numbers or integers, not both");
    return k;
}

/* The registers of a vector in memory have the same width. */
static void check_widths(const struct checker *c, const struct ptx_operand *o)
{
    uint8_t bits = 0;
    for (uint32_t i = 0; i < o->count; i++) {
        const struct ptx_operand *e = &o->elements[i];
        if (e->kind != PO_REGISTER)
            continue;
        uint8_t own = ptx_types[c->function->registers.at[e->reg].type].bits;
        if (bits && own != bits)
            ptx_error(c->src, e->at, "registers of %u and of %u bits in a vector", bits, own);
        bits = own;
    }
}

static void check_vector(const struct checker *c, const struct ptx_operand *o, enum ptx_type want)
{
    uint32_t wanted = (uint32_t)mods_value(&c->in->mods, G_VECTOR, 1);
    bool move = c->in->form->lowering == LOW_MOVE;
    if (!move && (c->form->typing != 'v' || wanted != o->count))
        ptx_error(c->src, o->at, "%u value%s where %u belong%s", o->count, rp_plural(o->count), wanted,
                  wanted == 1 ? "s" : "");
    if (move && (o->count < 2 || ptx_types[want].bits % o->count || ptx_types[want].bits / o->count < 8))
        ptx_error(c->src, o->at, ".%s does not consist of %u element%s", ptx_types[want].name, o->count,
                  rp_plural(o->count));
    if (!move)
        check_widths(c, o);
    (void)kinds_of(c, o->elements, o->count);
    for (uint32_t i = 0; i < o->count; i++) {
        const struct ptx_operand *e = &o->elements[i];
        if (e->kind == PO_SINK && is_destination(c))
            continue;
        if (e->kind != PO_REGISTER && (is_destination(c) || e->kind < PO_INTEGER || e->kind > PO_SINGLE))
            ptx_error(c->src, e->at,
                      is_destination(c) ? "a register or '_' belongs here" : "a register or number belongs here");
        if (e->kind != PO_REGISTER) {
            if (!move)
                check_number(c, e, want);
            continue;
        }
        if (!move && takes_in_vector(c, e, want))
            continue;
        if (!move)
            check_register(c, e, want);
        else if (ptx_types[c->function->registers.at[e->reg].type].bits != ptx_types[want].bits / o->count)
            ptx_error(c->src, e->at, "'%s' is not %u bits wide", c->function->registers.at[e->reg].name,
                      ptx_types[want].bits / o->count);
    }
}

static bool is_one_of(const struct ptx_variable *v, struct ptx_variable *const *list, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        if (list[i] == v)
            return true;
    return false;
}

/* A function reads its parameters and writes its results. */
static void check_direction(const struct checker *c, const struct ptx_operand *o)
{
    const struct ptx_signature *s = &c->function->signature;
    const struct ptx_variable *v = o->variable;
    uint8_t how = c->in->form->lowering;
    if (how == LOW_STORE && is_one_of(v, s->params, s->param_count))
        ptx_error(c->src, o->at, "'%s' is a parameter, which is only read: copy it to a .local variable", v->name);
    if (how == LOW_LOAD && is_one_of(v, s->results, s->result_count))
        ptx_error(c->src, o->at, "'%s' is the function's result, which is only written: keep its value in a register",
                  v->name);
}

static void check_address(const struct checker *c, const struct ptx_operand *o)
{
    if (o->kind != PO_ADDRESS || o->count > 1)
        ptx_error(c->src, o->at, "an address in [] belongs here");
    if (o->count == 0 && !mods_have(&c->in->mods, M_LOCAL))
        ptx_error(c->src, o->at, "an address that is a number is in .local alone");
    if (o->count && o->elements[0].kind == PO_VARIABLE)
        check_direction(c, &o->elements[0]);
    if (o->count == 0 || o->elements[0].kind != PO_REGISTER)
        return;
    const struct ptx_register *r = &c->function->registers.at[o->elements[0].reg];
    const struct ptx_type_info *t = &ptx_types[r->type];
    if ((t->bits != 32 && t->bits != 64) || t->kind == 'F')
        ptx_error(c->src, o->elements[0].at, "'%s' (.%s) cannot hold an address", r->name, t->name);
}

/* %reserved_smem_offset_begin and the like, which parse_operand.c makes variables of. */
static bool is_special_address(const struct ptx_operand *o)
{
    return o->kind == PO_VARIABLE && o->variable->is_reserved;
}

/* mov takes a special register in its own width, cvt in that or a part of it, to an integer; nothing else takes it. */
static void check_special(const struct checker *c, const struct ptx_operand *o, enum ptx_type want)
{
    static const struct ptx_special reserved = {.name = "%reserved_smem_offset", .type = PT_U32};
    const struct ptx_special *s = o->kind == PO_SPECIAL ? ptx_special((int)o->value) : &reserved;
    const struct ptx_type_info *own = &ptx_types[s->type], *type = &ptx_types[want];
    uint8_t how = c->in->form->lowering;
    bool converts = how == LOW_CONVERT;
    unsigned least = converts ? 8 : s->least_bits ? s->least_bits : own->bits;
    if (!converts && how != LOW_MOVE && how != LOW_MOVE_VECTOR)
        ptx_error(c->src, o->at, "special registers are sources of mov and cvt only");
    if (is_float(type) || (converts && is_float(&ptx_types[c->in->mods.types[0]])))
        ptx_error(c->src, o->at,
                  "%s is no floating-point number: mov.%s takes it, and cvt of that register converts it", s->name,
                  own->name);
    if (type->bits < least || type->bits > own->bits)
        ptx_error(c->src, o->at, "%s has %u bit%s where .%s belongs: mov.%s takes it%s", s->name, own->bits,
                  rp_plural(own->bits), type->name, own->name,
                  own->bits == 1           ? ""
                  : own->bits < type->bits ? ", cvt.u64.u32 extends it"
                                           : ", cvt.u32.u64 its lower half");
}

static void check_source(const struct checker *c, const struct ptx_operand *o, enum ptx_type want)
{
    bool address = c->in->form->lowering == LOW_MOVE || c->in->form->lowering == LOW_CVTA ||
                   c->in->form->lowering == LOW_ISSPACEP || c->in->form->lowering == LOW_CLUSTER;
    switch (o->kind) {
    case PO_REGISTER: check_register(c, o, want); return;
    case PO_INTEGER:
    case PO_FLOAT:
    case PO_SINGLE: check_number(c, o, want); return;
    case PO_SPECIAL: check_special(c, o, want); return;
    case PO_VECTOR: check_vector(c, o, want); return;
    case PO_VARIABLE:
    case PO_FUNCTION:
        if (is_special_address(o)) {
            check_special(c, o, want);
            return;
        }
        if (address && (want == PT_NONE || ptx_types[want].bits >= (c->in->form->lowering == LOW_MOVE ? 16 : 32)))
            return;
        break;
    case PO_SINK: ptx_error(c->src, o->at, "'_' can only be a destination");
    default: break;
    }
    ptx_error(c->src, o->at, "an operand of this kind cannot stand here");
}

static void check_destination(const struct checker *c, const struct ptx_operand *o, enum ptx_type want)
{
    if (c->in->form->op == OP_ELECT && o->kind != PO_PAIR)
        ptx_error(c->src, o->at, "elect.sync has two results, as in %%r1|%%p1 or _|%%p1");
    if (o->kind == PO_PAIR) {
        if (!c->form->pair)
            ptx_error(c->src, o->at, "this destination is no pair");
        for (int i = 0; i < 2; i++)
            if (o->elements[i].kind == PO_VECTOR && i == 0)
                check_vector(c, &o->elements[i], want);
            else if (o->elements[i].kind == PO_REGISTER)
                check_register(c, &o->elements[i], i ? PT_PRED : want);
            else if (o->elements[i].kind != PO_SINK)
                ptx_error(c->src, o->elements[i].at, "a register or '_' belongs here");
        return;
    }
    if (o->kind == PO_REGISTER)
        check_register(c, o, want);
    else if (o->kind == PO_VECTOR)
        check_vector(c, o, want);
    else if (o->kind != PO_SINK)
        ptx_error(c->src, o->at, "the destination must be a register");
}

/* Whether ptxas takes a register of this type, which has 32 bits, for elements of a matrix. */
static bool holds_elements(const struct ptx_form *form, enum ptx_type type, enum matrix_format format)
{
    bool moves = form->lowering == LOW_LDMATRIX || form->lowering == LOW_STMATRIX;
    bool integer = ptx_types[type].kind == 'U' || ptx_types[type].kind == 'S';
    switch (moves || ptx_types[type].kind == 'B' ? MATRIX_F32 : format) {
    case MATRIX_F16: return type == PT_F16X2;
    case MATRIX_BF16:
    case MATRIX_TF32: return false;
    case MATRIX_S8:
    case MATRIX_U8:
    case MATRIX_S4:
    case MATRIX_U4:
    case MATRIX_B1:
    case MATRIX_S32: return integer;
    default: return true; /* by the type of the fragment's registers */
    }
}

/* Checks the registers of a matrix, which stand in braces. Numbers alone are one of .s32 or .f64, or 0f. */
static void check_fragment(const struct checker *c, const struct ptx_operand *o)
{
    const struct ptx_form *form = c->in->form;
    char matrix = ptx_matrix_of(form, &c->in->mods, c->form->role);
    struct ptx_fragment f = ptx_fragment_of(form, &c->in->mods, matrix);
    bool typed = false;
    if (o->kind != PO_VECTOR)
        ptx_error(c->src, o->at, "the registers of a matrix stand in braces, also a single one");
    if (o->count != f.count)
        ptx_error(c->src, o->at, "matrix %c has %u register%s here, not %u", matrix, f.count, rp_plural(f.count),
                  o->count);
    const struct element_kinds kinds = kinds_of(c, o->elements, f.count);
    for (uint32_t i = 0; i < f.count; i++) {
        const struct ptx_operand *e = &o->elements[i];
        typed |= e->kind == PO_REGISTER || e->kind == PO_SINGLE;
        if (e->kind == PO_REGISTER) {
            const struct ptx_register *r = &c->function->registers.at[e->reg];
            check_register(c, e, kinds.bits && ptx_types[f.type].bits == 32 ? PT_B32 : f.type);
            if (!kinds.bits && !holds_elements(form, (enum ptx_type)r->type, f.format))
                ptx_error(c->src, e->at, "'%s' is .%s: registers of this matrix are .b32", r->name,
                          ptx_types[r->type].name);
        } else if (!(is_destination(c) ? e->kind == PO_SINK : e->kind >= PO_INTEGER && e->kind <= PO_SINGLE))
            ptx_error(c->src, e->at, "a register belongs here");
    }
    if (!typed && (is_destination(c) || (f.format != MATRIX_S32 && f.format != MATRIX_F64)))
        ptx_error(c->src, o->at, "a register belongs here");
}

/* PTX ISA, "setp": lo, ls, hi, hs are of unsigned integers, equ to nan of floats; bits are equal or not. */
static void check_comparison(struct ptx_source *src, const struct ptx_instruction *in)
{
    const struct ptx_type_info *t = &ptx_types[in->mods.types[in->form->type_count - 1]];
    bool lo_or_hi = mods_have(&in->mods, M_LO) || mods_have(&in->mods, M_HI);
    int compare = lo_or_hi ? CMP_LS : mods_value(&in->mods, G_COMPARE, CMP_EQ);
    bool equality = compare == CMP_EQ || compare == CMP_NE;
    bool of_unsigned = compare == CMP_LS || compare == CMP_HS;
    bool of_order = compare == CMP_LT || compare == CMP_LE || compare == CMP_GT || compare == CMP_GE;
    bool fits = equality || (of_order ? t->kind != 'B' : of_unsigned ? t->kind == 'U' : t->kind == 'F');
    if (!fits)
        ptx_error(src, in->at, "'%s' does not compare .%s this way", in->form->opcode, t->name);
}

void ptx_check_operands(struct ptx_source *src, const struct ptx_function *function, const struct ptx_instruction *in)
{
    if (in->form->any_operands)
        return;
    if (in->form->op == OP_SET || in->form->op == OP_SETP)
        check_comparison(src, in);
    for (uint32_t i = 0; i < in->operand_count; i++) {
        const struct ptx_operand *o = &in->operands[i];
        struct checker c = {src, function, in, &in->form->operands[i]};
        if (c.form->typing == 'f') {
            check_fragment(&c, o);
            continue;
        }
        enum ptx_type want = ptx_operand_type(c.form, &in->mods);
        switch (c.form->role) {
        case 'm': check_address(&c, o); break;
        case 'd':
        case 'q': check_destination(&c, o, want); break;
        case 'i':
            if (o->kind != PO_INTEGER)
                ptx_error(src, o->at, "a constant belongs here");
            check_range(&c, o);
            break;
        case 'L':
            if (o->kind != PO_LABEL)
                ptx_error(src, o->at, "a label belongs here");
            break;
        case 'x': break;
        default: check_source(&c, o, want);
        }
    }
    uint8_t how = in->form->lowering;
    if (how == LOW_TEXTURE || how == LOW_SURFACE_LOAD || how == LOW_SURFACE_STORE || how == LOW_SURFACE_REDUCE ||
        how == LOW_IMAGE_QUERY)
        ptx_check_image(src, function, in);
}
