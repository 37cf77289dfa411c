/* What the trace says of an instruction of IA-32: class, registers, memory operands, text. */
#include "frontend/isa/ia32/describe.h"

#include <string.h>

#include "frontend/isa/ia32/flags.h"
#include "frontend/isa/ia32/ia32.h"

static uint8_t ia32_unit_class(const struct ia32_instruction *i, bool accesses)
{
    const unsigned operation = i->row->operation;
    if (accesses)
        return RP_CLASS_MEMORY;
    if (operation == IA32_DIV || operation == IA32_IDIV)
        return RP_CLASS_INT_DIV;
    if (operation == IA32_MUL || operation == IA32_IMUL || operation == IA32_MULTIPLY)
        return RP_CLASS_INT_MUL;
    if (operation == IA32_FENCE)
        return RP_CLASS_FENCE;
    return (operation >= IA32_JCC && operation <= IA32_INT) || ia32_is_refused(i) ? RP_CLASS_CONTROL : RP_CLASS_INT;
}

static uint16_t ia32_branch_flags(const struct ia32_instruction *i)
{
    const unsigned operation = i->row->operation;
    if (operation == IA32_CALL || operation == IA32_CALL_TO)
        return RP_BRANCH | RP_CALL;
    if (operation == IA32_RET)
        return RP_BRANCH | RP_RETURN;
    if (ia32_repeats(i))
        return RP_BRANCH | RP_GUARDED;
    return operation >= IA32_JCC && operation <= IA32_JECXZ ? RP_BRANCH : 0;
}

/* ---- registers --------------------------------------------------------------------------------------------------- */

enum { REGISTERS_MOST = 9 }; /* and the flags */

/* Bit n: register n; bit 8: the flags. */
static const rp_register *ia32_registers(struct guest_build *b, unsigned set, uint32_t *count)
{
    rp_register *list = ARENA_ARRAY(b->arena, rp_register, REGISTERS_MOST);
    *count = 0;
    for (unsigned n = 0; n < 8; n++)
        if (set >> n & 1)
            list[(*count)++] = RP_REGISTER(RP_FILE_GENERAL, n, 1);
    if (set >> 8)
        list[(*count)++] = RP_REGISTER(RP_FILE_CARRY, 0, 1);
    return list;
}

static unsigned ia32_bit_of(const struct ia32_operand *o)
{
    return o->kind == IA32_REGISTER ? 1u << (o->bytes == 1 ? o->number & 3 : o->number) : 0;
}

static unsigned ia32_bit_of_address(const struct ia32_instruction *i)
{
    return (i->base < 8 ? 1u << i->base : 0) | (i->index < 8 ? 1u << i->index : 0);
}

/* What an instruction reads and writes without naming it. */
static void ia32_implied(const struct ia32_instruction *i, unsigned *reads, unsigned *writes)
{
    enum { A = 1 << IA32_EAX, C = 1 << IA32_ECX, D = 1 << IA32_EDX, B = 1 << IA32_EBX, SI = 1 << IA32_ESI };
    enum { SP = 1 << IA32_ESP, BP = 1 << IA32_EBP, DI = 1 << IA32_EDI };
    const unsigned operation = i->row->operation, wide = i->bytes == 1 ? A : A | D;
    *reads = *writes = i->row->flags & IA32_STACK ? SP : 0;
    switch (operation) {
    case IA32_MUL:
    case IA32_IMUL: *reads = A, *writes = wide; break;
    case IA32_DIV:
    case IA32_IDIV: *reads = *writes = wide; break;
    case IA32_EXTEND_A: *reads = *writes = A; break;
    case IA32_EXTEND_D: *reads = A, *writes = D; break;
    case IA32_XLAT: *reads = A | B, *writes = A; break;
    case IA32_CMPXCHG: *reads = *writes = A; break;
    case IA32_CMPXCHG8B: *reads = A | B | C | D, *writes = A | D; break;
    case IA32_PUSHA: *reads = 0xff; break;
    case IA32_POPA: *writes = 0xff; break;
    case IA32_ENTER: *reads |= BP, *writes |= BP; break;
    case IA32_LEAVE: *reads = BP, *writes |= BP; break;
    case IA32_MOVS:
    case IA32_CMPS: *reads = *writes = SI | DI; break;
    case IA32_STOS:
    case IA32_SCAS: *reads = *writes = DI; break;
    case IA32_LODS: *reads = *writes = SI; break;
    case IA32_LOOP:
    case IA32_LOOPE:
    case IA32_LOOPNE: *reads = *writes = C; break;
    case IA32_JECXZ: *reads = C; break;
    case IA32_LAHF: *writes = A; break;
    case IA32_SAHF: *reads = A; break;
    case IA32_INT: *reads = A | B | C | D, *writes = A; break;
    default: break;
    }
    if (ia32_repeats(i))
        *reads |= C, *writes |= C;
}

/* Whether the first operand is only read; whether it is only written, as a whole. */
static bool ia32_reads_only(unsigned operation)
{
    return operation == IA32_CMP || operation == IA32_TEST || operation == IA32_BT || operation == IA32_PUSH ||
           (operation >= IA32_MUL && operation <= IA32_IDIV) || (operation >= IA32_MOVS && operation <= IA32_SCAS) ||
           operation >= IA32_JCC;
}
static bool ia32_writes_only(const struct ia32_instruction *i)
{
    const unsigned operation = i->row->operation;
    const bool moves = (operation >= IA32_MOV && operation <= IA32_MOVSX) || operation == IA32_LEA ||
                       operation == IA32_POP || operation == IA32_SET ||
                       (operation == IA32_MULTIPLY && i->operand[2].kind);
    return moves && i->operand[0].bytes == 4;
}

static void ia32_describe_registers(struct guest_build *b, const struct ia32_instruction *i, struct rp_instruction *in)
{
    const unsigned operation = i->row->operation;
    unsigned reads, writes;
    ia32_implied(i, &reads, &writes);
    reads |= ia32_bit_of(&i->operand[1]) | ia32_bit_of(&i->operand[2]) | ia32_bit_of_address(i);
    if (!ia32_writes_only(i))
        reads |= ia32_bit_of(&i->operand[0]);
    if (!ia32_reads_only(operation) || operation == IA32_LODS)
        writes |= ia32_bit_of(&i->operand[0]);
    if (operation == IA32_XCHG || operation == IA32_XADD)
        writes |= ia32_bit_of(&i->operand[1]);
    if (ia32_is_refused(i))
        reads = writes = 0;
    reads |= ia32_flags_read(i) || ia32_repeats(i) ? 0x100 : 0;
    writes |= ia32_flags_changed(i) ? 0x100 : 0;
    in->src = ia32_registers(b, reads, &in->src_count);
    in->dst = ia32_registers(b, writes, &in->dst_count);
}

/* ---- all --------------------------------------------------------------------------------------------------------- */

void ia32_describe(struct guest_build *b, const struct ia32_instruction *i, const uint8_t *bytes,
                   const struct ia32_accesses *accesses)
{
    char text[200];
    if (ia32_is_refused(i))
        ia32_describe_refusal(i, b->pc, text, sizeof text);
    else
        ia32_print(i, b->pc, text, sizeof text);
    struct rp_instruction in = {.pc = b->pc,
                                .raw = bytes,
                                .raw_size = i->length,
                                .text = arena_string(b->arena, text, strlen(text)),
                                .unit_class = ia32_unit_class(i, accesses->count),
                                .flags = ia32_branch_flags(i)};
    struct rp_memory_operand *memory = ARENA_ARRAY(b->arena, struct rp_memory_operand, accesses->count + 1);
    memcpy(memory, accesses->at, accesses->count * sizeof *memory);
    in.memory = memory;
    in.memory_count = accesses->count;
    ia32_describe_registers(b, i, &in);
    if (in.flags & RP_GUARDED)
        in.guard = RP_REGISTER(RP_FILE_CARRY, 0, 1);
    in.fence_scope = in.unit_class == RP_CLASS_FENCE ? RP_SCOPE_SYSTEM : RP_SCOPE_NONE;
    VECTOR_PUSH(b->arena, &b->instructions, in);
}
