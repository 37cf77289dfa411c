/* Elements of arrays as operands of ld, st and mov: PTX ISA "Arrays as Operands". a[1] is a place in memory; for mov,
 * the address of that place. The index counts elements of the declared type. An index in a register is multiplied by an
 * additional instruction, as on a GPU. */
#include <string.h>

#include "frontend/isa/ptx/parser.h"

static unsigned element_bytes(const struct ptx_operand *o) { return ptx_types[o->variable->type].bits / 8; }

static uint32_t index_register(struct parser *p)
{
    struct token t = expect_name(p, "an index");
    const struct symbol *s = lookup(p, &t);
    if (!s)
        unknown_name(p, &t);
    const struct ptx_type_info *type = &ptx_types[s->type];
    if (s->kind != SYM_REGISTER || s->vector != 1 || (type->bits != 32 && type->bits != 64) || type->kind == 'F')
        ptx_error(p->src, t.at, "an index is a number, or a register of 32 or 64 bits");
    return s->reg;
}

void parse_index(struct parser *p, struct ptx_operand *o)
{
    bool constant = p->tok.kind != TOK_NAME || token_is(&p->tok, "WARP_SZ");
    o->is_element = true;
    o->reg = constant ? PTX_NO_REGISTER : index_register(p);
    o->value = (int64_t)((uint64_t)(constant ? parse_integer(p) : parse_offsets(p)) * element_bytes(o));
    expect_punct(p, ']', "after the index");
}

/* Adds "mad.lo.TYPE %element, INDEX, BYTES, variable" before `in`, or mad.wide.u32 for a longer address. Returns the
 * register. */
static uint32_t emit_index(struct parser *p, const struct ptx_instruction *in, const struct ptx_operand *o,
                           enum ptx_type type)
{
    const struct ptx_register *index = &p->function->registers.at[o->reg];
    bool wide = ptx_types[type].bits > ptx_types[index->type].bits;
    uint32_t to;
    if (ptx_types[type].bits < ptx_types[index->type].bits)
        ptx_error(p->src, o->at, "'%s' is too wide for the index of an address of %u bits", index->name,
                  ptx_types[type].bits);
    struct ptx_instruction mad = added_instruction(in);
    const char *how = wide ? "wide.u32" : ptx_types[type].bits == 32 ? "lo.u32" : "lo.u64";
    mad.made =
        arena_printf(p->arena, "mad.%s %%element, %s, %u, %s", how, index->name, element_bytes(o), o->variable->name);
    to = new_register(p, "%element", (uint8_t)type);
    add_modifier_to(&mad, wide ? M_WIDE : M_LO);
    add_type_to(&mad, wide ? PT_U32 : type);
    struct ptx_operand base = *o;
    base.is_element = false;
    add_instruction(p, &mad, "mad", 4,
                    (struct ptx_operand[]){{.kind = PO_REGISTER, .at = o->at, .reg = to},
                                           {.kind = PO_REGISTER, .at = o->at, .reg = o->reg},
                                           {.kind = PO_INTEGER, .at = o->at, .value = element_bytes(o)},
                                           base});
    return to;
}

void place_elements(struct parser *p, const struct ptx_instruction *in)
{
    uint8_t how = in->form->lowering;
    for (uint32_t i = 0; i < in->operand_count; i++) {
        struct ptx_operand *o = &in->operands[i];
        if (o->kind != PO_VARIABLE || !o->is_element)
            continue;
        if (how != LOW_LOAD && how != LOW_STORE && how != LOW_MOVE)
            ptx_error(p->src, o->at, "an element of an array is an operand of ld, st and mov alone");
        enum ptx_type type = how == LOW_MOVE && ptx_types[in->mods.types[0]].bits == 32 ? PT_U32 : PT_U64;
        struct ptx_operand base = *o;
        if (o->reg != PTX_NO_REGISTER)
            base = (struct ptx_operand){.kind = PO_REGISTER, .at = o->at, .reg = emit_index(p, in, o, type)};
        base.is_element = false;
        if (how != LOW_MOVE) {
            struct ptx_operand *of = ARENA_NEW(p->arena, struct ptx_operand);
            *of = base;
            base = (struct ptx_operand){.kind = PO_ADDRESS, .at = o->at, .value = base.value, .count = 1};
            of->value = 0;
            base.elements = of;
        }
        *o = base;
    }
}
