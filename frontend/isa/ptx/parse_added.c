/* Instructions that the parser adds to those of the text: a parameter in a register stands for .param memory, which is
 * loaded and stored; an index is multiplied; a sum of a register and a number is computed. */
#include <string.h>

#include "frontend/isa/ptx/check.h"
#include "frontend/isa/ptx/parser.h"

struct ptx_instruction added_instruction(const struct ptx_instruction *like)
{
    return (struct ptx_instruction){.guard = PTX_NO_REGISTER,
                                    .at = like->at,
                                    .line = like->line,
                                    .source_file = like->source_file,
                                    .source_line = like->source_line,
                                    .keeps_line = like->keeps_line,
                                    .inlined = like->inlined};
}

void add_modifier_to(struct ptx_instruction *in, enum ptx_modifier m)
{
    in->mods.set.word[m / 64] |= 1ull << m % 64;
    if (in->mods.word_count < MAX_LEADING)
        in->mods.leading[in->mods.word_count++] = (int16_t)m;
}

void add_type_to(struct ptx_instruction *in, enum ptx_type type)
{
    in->mods.types[in->mods.type_count++] = (uint8_t)type;
}

void add_instruction(struct parser *p, struct ptx_instruction *in, const char *opcode, uint32_t count,
                     const struct ptx_operand operands[])
{
    uint32_t forms;
    in->form = ptx_opcode(opcode, (uint32_t)strlen(opcode), &forms);
    while (forms && ptx_form_match(in->form, &in->mods, NULL) != FORM_FITS) {
        in->form++;
        forms--;
    }
    if (!forms)
        ptx_error(p->src, in->at, "a parameter of this type is not possible");
    in->operand_count = count;
    in->operands = ARENA_ARRAY(p->arena, struct ptx_operand, count);
    memcpy(in->operands, operands, count * sizeof *operands);
    VECTOR_PUSH(p->arena, &p->function->body, *in);
}

static const char *value_text(struct parser *p, const struct ptx_operand *value)
{
    if (value->kind == PO_REGISTER)
        return p->function->registers.at[value->reg].name;
    return value->kind == PO_VECTOR ? "vector" : "constant";
}

/* Adds "ld.param.TYPE reg, [v+offset]" or "st.param.TYPE [v+offset], value", of a vector if `count` is more than 1. */
static void emit_piece(struct parser *p, bool load, struct ptx_variable *v, uint64_t offset, enum ptx_type type,
                       uint32_t count, struct ptx_operand value, const struct ptx_instruction *like)
{
    struct ptx_instruction in = added_instruction(like);
    in.guard = like->guard;
    in.guard_negated = like->guard_negated;
    struct ptx_operand operands[2], *base = ARENA_NEW(p->arena, struct ptx_operand);
    *base = (struct ptx_operand){.kind = PO_VARIABLE, .at = value.at};
    base->variable = v;
    operands[load] = (struct ptx_operand){.kind = PO_ADDRESS, .at = value.at, .count = 1, .value = (int64_t)offset};
    operands[load].elements = base;
    operands[!load] = value;
    add_modifier_to(&in, M_PARAM);
    if (count > 1)
        add_modifier_to(&in, count == 2 ? M_V2 : M_V4);
    add_type_to(&in, type);
    const char *vector = count == 1 ? "" : count == 2 ? "v2." : "v4.", *name = value_text(p, &value);
    const char *place = offset ? arena_printf(p->arena, "%s+%llu", v->name, (unsigned long long)offset) : v->name;
    in.made = load ? arena_printf(p->arena, "ld.param.%s%s %s, [%s]", vector, ptx_types[type].name, name, place)
                   : arena_printf(p->arena, "st.param.%s%s [%s], %s", vector, ptx_types[type].name, place, name);
    add_instruction(p, &in, load ? "ld" : "st", 2, operands);
    ptx_check_operands(p->src, p->function, &in);
}

/* The same of the whole variable, which has as many elements as the value. */
static void emit_access(struct parser *p, bool load, struct ptx_variable *v, struct ptx_operand value,
                        const struct ptx_instruction *like)
{
    enum ptx_type moved = v->type == PT_F16 ? PT_B16 : v->type == PT_F16X2 ? PT_B32 : (enum ptx_type)v->type;
    emit_piece(p, load, v, 0, moved, (uint32_t)v->count, value, like);
}

void emit_param_copy(struct parser *p, struct ptx_variable *to, struct ptx_variable *from,
                     const struct ptx_instruction *like)
{
    uint64_t piece = from->align < 8 ? from->align : 8;
    for (uint64_t at = 0; at < from->size; at += piece) {
        while (at + piece > from->size)
            piece /= 2;
        enum ptx_type type = piece == 8 ? PT_B64 : piece == 4 ? PT_B32 : piece == 2 ? PT_B16 : PT_B8;
        struct ptx_operand copy = {.kind = PO_REGISTER, .at = like->at};
        copy.reg = new_register(p, "%copy", type == PT_B8 ? PT_B16 : (uint8_t)type);
        emit_piece(p, true, from, at, type, 1, copy, like);
        emit_piece(p, false, to, at, type, 1, copy, like);
    }
}

static bool is_predicate(const struct parser *p, const struct ptx_operand *o)
{
    return o->kind == PO_REGISTER && p->function->registers.at[o->reg].type == PT_PRED;
}

static struct ptx_operand word_register(struct parser *p, uint32_t at)
{
    return (struct ptx_operand){.kind = PO_REGISTER, .at = at, .reg = new_register(p, "%predicate", PT_U32)};
}

static struct ptx_operand number(uint32_t at, int64_t value)
{
    return (struct ptx_operand){.kind = PO_INTEGER, .at = at, .value = value};
}

/* A predicate lies in memory as a word: 0 or 1. */
void emit_param_load(struct parser *p, struct ptx_variable *v, struct ptx_operand reg,
                     const struct ptx_instruction *like)
{
    if (!is_predicate(p, &reg)) {
        emit_access(p, true, v, reg, like);
        return;
    }
    struct ptx_operand word = word_register(p, reg.at);
    emit_access(p, true, v, word, like);
    struct ptx_instruction in = added_instruction(like);
    in.guard = like->guard;
    in.guard_negated = like->guard_negated;
    in.made = arena_printf(p->arena, "setp.ne.u32 %s, %%predicate, 0", value_text(p, &reg));
    add_modifier_to(&in, M_NE);
    add_type_to(&in, PT_U32);
    add_instruction(p, &in, "setp", 3, (struct ptx_operand[]){reg, word, number(reg.at, 0)});
}

void emit_param_store(struct parser *p, struct ptx_variable *v, struct ptx_operand value,
                      const struct ptx_instruction *like)
{
    if (!is_predicate(p, &value)) {
        emit_access(p, false, v, value, like);
        return;
    }
    struct ptx_operand word = word_register(p, value.at);
    struct ptx_instruction in = added_instruction(like);
    in.made = arena_printf(p->arena, "selp.u32 %%predicate, 1, 0, %s", value_text(p, &value));
    add_type_to(&in, PT_U32);
    add_instruction(p, &in, "selp", 4, (struct ptx_operand[]){word, number(value.at, 1), number(value.at, 0), value});
    emit_access(p, false, v, word, like);
}

/* Adds "add.TYPE %sum, REGISTER, NUMBER" before `in`. */
static void emit_sum(struct parser *p, const struct ptx_instruction *in, struct ptx_operand *o)
{
    const struct ptx_register *reg = &p->function->registers.at[o->reg];
    unsigned bits = ptx_types[reg->type].bits;
    if (ptx_types[reg->type].kind == 'F' || (bits != 16 && bits != 32 && bits != 64))
        ptx_error(p->src, o->at, "'%s' (.%s) plus a number is no operand: only a register of integers is", reg->name,
                  ptx_types[reg->type].name);
    struct ptx_instruction add = added_instruction(in);
    enum ptx_type type = bits == 16 ? PT_U16 : bits == 32 ? PT_U32 : PT_U64;
    struct ptx_operand from = *o, to = {.kind = PO_REGISTER, .at = o->at};
    from.value = 0;
    add.made = arena_printf(p->arena, "add.%s %%sum, %s, %lld", ptx_types[type].name, reg->name, (long long)o->value);
    to.reg = new_register(p, "%sum", reg->type);
    add_type_to(&add, type);
    add_instruction(p, &add, "add", 3, (struct ptx_operand[]){to, from, number(o->at, o->value)});
    *o = to;
}

void place_sums(struct parser *p, const struct ptx_instruction *in)
{
    for (uint32_t i = 0; i < in->operand_count; i++) {
        struct ptx_operand *o = &in->operands[i];
        if (o->kind != PO_REGISTER || !o->is_sum)
            continue;
        char role = in->form->any_operands ? 'x' : in->form->operands[i].role;
        if (!strchr("abcl", role))
            ptx_error(p->src, o->at, "a register plus a number cannot stand here");
        emit_sum(p, in, o);
    }
}
