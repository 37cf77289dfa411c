/* The size of addresses of a module without .address_size, which came with PTX 2.3. The PTX ISA says 32 bits; today's
 * ptxas and drivers take 64 unless an address of global memory is in 32 bits, and so does this. */
#include "frontend/isa/ptx/parser.h"

static bool is_narrow(const struct ptx_function *f, const struct ptx_operand *o)
{
    return o->kind == PO_REGISTER && ptx_types[f->registers.at[o->reg].type].bits == 32;
}

/* Addresses in .shared, .local, .const and .param have 32 bits in wide modules, too. */
static bool is_global_access(const struct ptx_instruction *in)
{
    uint8_t how = in->form->lowering;
    if (how != LOW_LOAD && how != LOW_STORE && how != LOW_ATOMIC)
        return false;
    return !mods_have(&in->mods, M_SHARED) && !mods_have(&in->mods, M_LOCAL) && !mods_have(&in->mods, M_CONST) &&
           !mods_have(&in->mods, M_PARAM);
}

static bool has_narrow_address(const struct ptx_function *f, const struct ptx_instruction *in)
{
    for (uint32_t i = 0; i < in->operand_count; i++) {
        const struct ptx_operand *o = &in->operands[i];
        if (is_global_access(in) && o->kind == PO_ADDRESS && o->count && is_narrow(f, &o->elements[0]))
            return true;
        if (in->form->lowering == LOW_MOVE && o->kind == PO_VARIABLE && o->variable->space == RP_SPACE_GLOBAL &&
            is_narrow(f, &in->operands[0]))
            return true;
    }
    return false;
}

uint32_t ptx_infer_address_bits(const struct ptx_unit *u)
{
    for (const struct ptx_function *f = u->functions; f; f = f->next)
        for (uint32_t i = 0; i < f->body.count; i++)
            if (has_narrow_address(f, &f->body.at[i]))
                return 32;
    return 64;
}
