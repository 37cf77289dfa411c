/* The eviction priority in L2 that a cache policy asks for (PTX ISA, "createpolicy", "Cache Eviction Priority Hints").
 * It is known only if the function itself shows it: every policy that reaches the register has the same priority, for
 * all accesses.
 *
 * Programs also write policies as numbers, as CUTLASS does. They are those that ptxas makes of createpolicy for sm_80.
 * Bits 60 to 52 are 0x12f for evict_first, 0x14f for evict_last and 0x10f for evict_unchanged; the f says that the
 * priority is for sixteen sixteenths of the accesses. */
#include <string.h>

#include "frontend/isa/ptx/lower.h"

#define UNKNOWN UINT8_MAX /* several priorities, or one that the function does not show */
#define MOST_PASSES 8     /* the most moves between registers that are followed from a policy to an access */

static uint8_t eviction_of_number(uint64_t policy)
{
    switch (policy >> 52) {
    case 0x10f: return RP_EVICT_UNCHANGED;
    case 0x12f: return RP_EVICT_FIRST;
    case 0x14f: return RP_EVICT_LAST;
    default: return RP_EVICT_NORMAL;
    }
}

static bool is_one(const struct ptx_operand *fraction)
{
    const double one = 1;
    const float single = 1;
    return (fraction->kind == PO_FLOAT && !memcmp(&fraction->value, &one, sizeof one)) ||
           (fraction->kind == PO_SINGLE && !memcmp(&fraction->value, &single, sizeof single));
}

static uint8_t eviction_created(const struct ptx_instruction *in)
{
    if (!mods_have(&in->mods, M_FRACTIONAL) || (in->operand_count > 1 && !is_one(&in->operands[1])))
        return UNKNOWN;
    return mods_have(&in->mods, M_L2_FIRST)    ? RP_EVICT_FIRST
           : mods_have(&in->mods, M_L2_LAST)   ? RP_EVICT_LAST
           : mods_have(&in->mods, M_L2_NORMAL) ? RP_EVICT_NORMAL
                                               : RP_EVICT_UNCHANGED;
}

/* The priority of the policy that the instruction returns. RP_EVICT_NORMAL also means that it is not known yet. */
static uint8_t eviction_given(const struct ptx_instruction *in, const uint8_t *policies)
{
    if (!strcmp(in->form->opcode, "createpolicy"))
        return eviction_created(in);
    if (strcmp(in->form->opcode, "mov") != 0 || in->operand_count != 2)
        return UNKNOWN;
    const struct ptx_operand *from = &in->operands[1];
    return from->kind == PO_INTEGER    ? eviction_of_number((uint64_t)from->value)
           : from->kind == PO_REGISTER ? policies[from->reg]
                                       : UNKNOWN;
}

/* Adds a priority to those that reach the register. RP_EVICT_NORMAL adds nothing: some code sets the register to 0
 * before it makes the policy. */
static bool add(uint8_t *policy, uint8_t eviction)
{
    uint8_t before = *policy;
    *policy = eviction == RP_EVICT_NORMAL || eviction == before ? before
              : before == RP_EVICT_NORMAL                       ? eviction
                                                                : UNKNOWN;
    return *policy != before;
}

static bool give(uint8_t *policies, const struct ptx_operand *result, uint8_t eviction)
{
    bool changed = false;
    if (result->kind == PO_REGISTER)
        return add(&policies[result->reg], eviction);
    for (uint32_t i = 0;
         (result->kind == PO_VECTOR || result->kind == PO_PAIR || result->kind == PO_LIST) && i < result->count; i++)
        changed |= give(policies, &result->elements[i], UNKNOWN);
    return changed;
}

static bool find_policies(const struct ptx_function *f, uint8_t *policies)
{
    bool changed = false;
    for (uint32_t i = 0; i < f->body.count; i++) {
        const struct ptx_instruction *in = &f->body.at[i];
        for (uint32_t j = 0; j < in->operand_count; j++) {
            const struct ptx_form *form = in->form;
            if (form->any_operands || form->operands[j].role == 'd' || form->operands[j].role == 'q')
                changed |= give(policies, &in->operands[j], eviction_given(in, policies));
        }
    }
    return changed;
}

uint8_t cache_policy_of(struct lowering *l)
{
    const struct ptx_instruction *in = l->in;
    const struct ptx_operand *last = in->operand_count ? &in->operands[in->operand_count - 1] : NULL;
    if (!last || !mods_have(&in->mods, M_L2_HINT))
        return RP_EVICT_NORMAL;
    if (last->kind == PO_INTEGER)
        return eviction_of_number((uint64_t)last->value);
    if (last->kind != PO_REGISTER)
        return RP_EVICT_NORMAL;
    if (!l->policies) {
        l->policies = ARENA_ARRAY(l->arena, uint8_t, (size_t)l->function->registers.count + 1);
        for (unsigned i = 0; i < MOST_PASSES && find_policies(l->function, l->policies); i++)
            ;
    }
    uint8_t policy = l->policies[last->reg];
    return policy == UNKNOWN ? RP_EVICT_NORMAL : policy;
}
