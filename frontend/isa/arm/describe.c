/* What the trace says of an instruction of ARMv7-A: class, registers, memory operands, text. */
#include "frontend/isa/arm/describe.h"

#include <string.h>

#include "frontend/isa/arm/arm.h"
#include "frontend/isa/arm/flags.h"
#include "frontend/isa/arm/operations.h"

enum lane_type arm_memory_type(unsigned operation)
{
    switch (operation) {
    case ARM_LDRB:
    case ARM_LDREXB:
    case ARM_TBB: return T_U8;
    case ARM_LDRSB: return T_S8;
    case ARM_STREXB:
    case ARM_STRB: return T_B8;
    case ARM_LDRH:
    case ARM_LDREXH:
    case ARM_TBH: return T_U16;
    case ARM_LDRSH: return T_S16;
    case ARM_STREXH:
    case ARM_STRH: return T_B16;
    default: return T_B32;
    }
}

struct rp_memory_operand arm_memory_operand(const struct arm_instruction *i, unsigned words)
{
    const unsigned operation = i->row->operation;
    const bool stores = i->row->class == ARM_CLASS_STORE || operation == ARM_STM;
    struct rp_memory_operand m = {.kind = stores ? RP_ACCESS_STORE : RP_ACCESS_LOAD,
                                  .space = RP_SPACE_GLOBAL,
                                  .elements = (uint8_t)words,
                                  .width = lane_type_bits(arm_memory_type(operation)) / 8};
    if (i->row->class != ARM_CLASS_EXCLUSIVE)
        return m;
    m.order = RP_ORDER_RELAXED;
    m.scope = RP_SCOPE_SYSTEM;
    if (operation >= ARM_STREX) {
        m.kind = RP_ACCESS_ATOMIC;
        m.atomic = RP_ATOMIC_CAS;
        m.value = RP_VALUE_UNSIGNED;
    }
    return m;
}

static uint8_t arm_unit_class(const struct arm_instruction *i)
{
    const unsigned operation = i->row->operation;
    switch (i->row->class) {
    case ARM_CLASS_LONG: return RP_CLASS_INT_MUL;
    case ARM_CLASS_COMPUTE:
        return operation == ARM_SDIV || operation == ARM_UDIV ? RP_CLASS_INT_DIV
               : operation <= ARM_USADA8                      ? RP_CLASS_INT_MUL
                                                              : RP_CLASS_INT;
    case ARM_CLASS_LOAD:
    case ARM_CLASS_STORE:
    case ARM_CLASS_MULTIPLE: return RP_CLASS_MEMORY;
    case ARM_CLASS_EXCLUSIVE: return operation == ARM_CLREX ? RP_CLASS_INT : RP_CLASS_MEMORY;
    case ARM_CLASS_CONTROL: return operation == ARM_TBB || operation == ARM_TBH ? RP_CLASS_MEMORY : RP_CLASS_CONTROL;
    case ARM_CLASS_REFUSED: return RP_CLASS_CONTROL;
    default: return operation == ARM_BARRIER ? RP_CLASS_FENCE : RP_CLASS_INT;
    }
}

static uint16_t arm_branch_flags(const struct arm_instruction *i)
{
    const unsigned operation = i->row->operation;
    if (!arm_writes_pc(i))
        return 0;
    if (operation == ARM_BL || operation == ARM_BLX || operation == ARM_BLX_REGISTER)
        return RP_BRANCH | RP_CALL;
    const bool returns = (operation == ARM_BX && i->m == ARM_LR) || (operation == ARM_MOV && i->m == ARM_LR) ||
                         ((operation == ARM_LDM || operation == ARM_LDR) && i->n == ARM_SP);
    return returns ? RP_BRANCH | RP_RETURN : RP_BRANCH;
}

struct arm_registers {
    rp_register list[20];
    uint32_t count;
};

static void arm_add_register(struct arm_registers *r, unsigned n)
{
    if (n >= ARM_PC)
        return;
    for (uint32_t k = 0; k < r->count; k++)
        if (r->list[k] == RP_REGISTER(RP_FILE_GENERAL, n, 1))
            return;
    r->list[r->count++] = RP_REGISTER(RP_FILE_GENERAL, n, 1);
}

static void arm_add_list(struct arm_registers *r, uint32_t list)
{
    for (unsigned n = 0; n < ARM_PC; n++)
        if (list >> n & 1)
            arm_add_register(r, n);
}

static void arm_add_flags(struct arm_registers *r, unsigned flags)
{
    if (flags)
        r->list[r->count++] = RP_REGISTER(RP_FILE_CARRY, 0, 1);
}

static void arm_results(const struct arm_instruction *i, struct arm_registers *r)
{
    const unsigned operation = i->row->operation, class = i->row->class;
    const bool test = operation >= ARM_TST && operation <= ARM_CMN;
    if (i->flags & ARM_WRITES_BACK)
        arm_add_register(r, i->n);
    if (class == ARM_CLASS_MULTIPLE) {
        arm_add_list(r, operation == ARM_LDM ? i->imm : 0);
        return;
    }
    if (class != ARM_CLASS_STORE && class != ARM_CLASS_CONTROL && class != ARM_CLASS_NOTHING && !test)
        arm_add_register(r, i->d);
    if (class == ARM_CLASS_LONG || operation == ARM_LDRD || operation == ARM_LDREXD)
        arm_add_register(r, i->a);
    if (operation == ARM_BL || operation == ARM_BLX || operation == ARM_BLX_REGISTER)
        arm_add_register(r, ARM_LR);
    arm_add_flags(r, arm_flags_written(i));
}

static void arm_sources(const struct arm_instruction *i, struct arm_registers *r)
{
    const unsigned operation = i->row->operation, class = i->row->class;
    const bool accumulates = class == ARM_CLASS_LONG && operation != ARM_UMULL && operation != ARM_SMULL;
    arm_add_register(r, i->n);
    arm_add_register(r, i->m);
    if (class == ARM_CLASS_MULTIPLE)
        arm_add_list(r, operation == ARM_STM ? i->imm : 0);
    if (class == ARM_CLASS_STORE || accumulates || operation == ARM_MOVT || operation == ARM_BFI ||
        operation == ARM_BFC)
        arm_add_register(r, i->d);
    if ((class == ARM_CLASS_COMPUTE || class == ARM_CLASS_DATA || class == ARM_CLASS_STORE || accumulates ||
         operation == ARM_STREXD))
        arm_add_register(r, i->a);
    arm_add_flags(r, arm_flags_read(i));
}

static const rp_register *arm_keep(struct guest_build *b, const struct arm_registers *r, uint32_t *count)
{
    rp_register *list = ARENA_ARRAY(b->arena, rp_register, r->count + 1);
    memcpy(list, r->list, r->count * sizeof *list);
    *count = r->count;
    return list;
}

static void arm_memory_operands(struct guest_build *b, const struct arm_instruction *i, struct rp_instruction *in)
{
    const bool pair = i->a != ARM_NOWHERE && i->row->class != ARM_CLASS_CONTROL && i->operand != ARM_SHIFTED_BY;
    unsigned left = i->row->class == ARM_CLASS_MULTIPLE ? (unsigned)__builtin_popcount(i->imm) : pair ? 2 : 1;
    struct rp_memory_operand *m = ARENA_ARRAY(b->arena, struct rp_memory_operand, 5);
    in->memory = m;
    while (left) {
        const unsigned words = arm_list_part(left);
        m[in->memory_count] = arm_memory_operand(i, words);
        m[in->memory_count++].width *= words; /* of a lane, all elements together */
        left -= words;
    }
}

void arm_describe(struct guest_build *b, const struct arm_instruction *i, const uint8_t *bytes, bool guarded)
{
    struct arm_registers results = {.count = 0}, sources = {.count = 0};
    char text[160];
    if (i->row->class == ARM_CLASS_REFUSED)
        arm_describe_refusal(i, b->program->guest, b->pc, text, sizeof text);
    else
        arm_print(i, b->pc, text, sizeof text);
    struct rp_instruction in = {.pc = b->pc,
                                .raw = bytes,
                                .raw_size = i->length,
                                .text = arena_string(b->arena, text, strlen(text)),
                                .unit_class = arm_unit_class(i),
                                .flags = arm_branch_flags(i)};
    arm_results(i, &results);
    arm_sources(i, &sources);
    in.dst = arm_keep(b, &results, &in.dst_count);
    in.src = arm_keep(b, &sources, &in.src_count);
    if (in.unit_class == RP_CLASS_MEMORY)
        arm_memory_operands(b, i, &in);
    if (guarded && i->row->operation != ARM_B && i->row->operation != ARM_SVC) {
        in.flags |= RP_GUARDED;
        in.guard = RP_REGISTER(RP_FILE_CARRY, 0, 1);
    }
    in.fence_scope = in.unit_class == RP_CLASS_FENCE ? RP_SCOPE_SYSTEM : RP_SCOPE_NONE;
    VECTOR_PUSH(b->arena, &b->instructions, in);
}
