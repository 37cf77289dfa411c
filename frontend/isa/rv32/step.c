/* RV32IMAC, an instruction at a time: the plain engine's switch. */
#include "frontend/guest/plain.h"
#include "frontend/guest/reservations.h"
#include "frontend/isa/rv32/rv32.h"
#include "frontend/isa/rv32/table.h"

enum { A0 = 10, A7 = 17 };
_Static_assert(sizeof(struct rv32_instruction) <= GUEST_DECODED_BYTES, "it has room in machine.decoded");

struct rv32_step {
    struct guest_machine *machine;
    struct guest_core *core;
    const struct guest_observer *observer;
    uint32_t next; /* the address of the next instruction */
};

/* ---- memory -------------------------------------------------------------------------------------------------------
 */

static bool rv32_load(const struct rv32_step *s, uint32_t address, uint32_t bytes, uint32_t *value)
{
    *value = 0;
    if (s->observer->access)
        s->observer->access(s->observer->data, s->core, address, bytes, false);
    if (guest_memory_read(&s->machine->memory, address, bytes, GUEST_READ, value))
        return true;
    guest_fault_access(s->machine, s->core, address, bytes, GUEST_READ);
    return false;
}

static bool rv32_store(const struct rv32_step *s, uint32_t address, uint32_t bytes, uint32_t value)
{
    if (s->observer->access)
        s->observer->access(s->observer->data, s->core, address, bytes, true);
    if (!guest_memory_write(&s->machine->memory, address, bytes, &value)) {
        guest_fault_access(s->machine, s->core, address, bytes, GUEST_WRITE);
        return false;
    }
    guest_end_reservations(s->machine, address, bytes);
    return true;
}

static bool rv32_execute_load(struct rv32_step *s, const struct rv32_instruction *i, uint32_t *d)
{
    const uint32_t address = s->core->registers[i->rs1] + (uint32_t)i->imm;
    uint32_t v;
    switch (i->row->operation) {
    case RV32_LB: return rv32_load(s, address, 1, &v) ? *d = (uint32_t)(int8_t)v, true : false;
    case RV32_LH: return rv32_load(s, address, 2, &v) ? *d = (uint32_t)(int16_t)v, true : false;
    case RV32_LBU: return rv32_load(s, address, 1, d);
    case RV32_LHU: return rv32_load(s, address, 2, d);
    default: return rv32_load(s, address, 4, d);
    }
}

static bool rv32_execute_store(struct rv32_step *s, const struct rv32_instruction *i)
{
    const uint32_t bytes = i->row->operation == RV32_SB ? 1 : i->row->operation == RV32_SH ? 2 : 4;
    return rv32_store(s, s->core->registers[i->rs1] + (uint32_t)i->imm, bytes, s->core->registers[i->rs2]);
}

/* ---- atomic instructions: chapter 8 of the manual -----------------------------------------------------------------
 */

static uint32_t rv32_combine(unsigned operation, uint32_t old, uint32_t b)
{
    switch (operation) {
    case RV32_AMOADD: return old + b;
    case RV32_AMOXOR: return old ^ b;
    case RV32_AMOAND: return old & b;
    case RV32_AMOOR: return old | b;
    case RV32_AMOMIN: return (int32_t)old < (int32_t)b ? old : b;
    case RV32_AMOMAX: return (int32_t)old > (int32_t)b ? old : b;
    case RV32_AMOMINU: return old < b ? old : b;
    case RV32_AMOMAXU: return old > b ? old : b;
    default: return b; /* RV32_AMOSWAP */
    }
}

static bool rv32_load_reserved(struct rv32_step *s, uint32_t address, uint32_t *d)
{
    if (!rv32_load(s, address, 4, d))
        return false;
    guest_reserve(s->machine, s->core, address, 4);
    return true;
}

static bool rv32_store_conditional(struct rv32_step *s, uint32_t address, uint32_t value, uint32_t *d)
{
    const bool holds = guest_take_reservation(s->machine, s->core, address);
    *d = !holds;
    return !holds || rv32_store(s, address, 4, value);
}

static bool rv32_execute_atomic(struct rv32_step *s, const struct rv32_instruction *i, uint32_t *d)
{
    const uint32_t address = s->core->registers[i->rs1], b = s->core->registers[i->rs2];
    if (address & 3) {
        guest_fault(s->machine, s->core, "access to 0x%x, which is no multiple of 4", (unsigned)address);
        return false;
    }
    if (i->row->operation == RV32_LR)
        return rv32_load_reserved(s, address, d);
    if (i->row->operation == RV32_SC)
        return rv32_store_conditional(s, address, b, d);
    return rv32_load(s, address, 4, d) && rv32_store(s, address, 4, rv32_combine(i->row->operation, *d, b));
}

/* ---- environment calls --------------------------------------------------------------------------------------------
 */

/* Linux's numbers of these calls on RV32: include/uapi/asm-generic/unistd.h. */
static enum guest_call rv32_call_of(uint32_t number)
{
    switch (number) {
    case 64: return GUEST_CALL_WRITE;
    case 93: return GUEST_CALL_EXIT;
    case 94: return GUEST_CALL_EXIT_GROUP;
    case 214: return GUEST_CALL_BRK;
    default:
        return number - GUEST_CALL_FIRST_OWN < 4 ? (enum guest_call)(GUEST_CALL_CORE + (number - GUEST_CALL_FIRST_OWN))
                                                 : GUEST_CALL_UNKNOWN;
    }
}

bool rv32_call(struct guest_machine *m, struct guest_core *c)
{
    uint32_t *x = c->registers, result;
    if (!guest_call(m, c, rv32_call_of(x[A7]), x[A7], x + A0, &result))
        return false;
    x[A0] = result;
    return true;
}

/* ---- everything else ----------------------------------------------------------------------------------------------
 */

/* M: chapter 7 of the manual. A quotient by zero is all ones, its remainder the dividend. */
static uint32_t rv32_divide(unsigned operation, uint32_t a, uint32_t b)
{
    const bool overflow = a == 0x80000000u && b == UINT32_MAX;
    switch (operation) {
    case RV32_DIV: return !b ? UINT32_MAX : overflow ? a : (uint32_t)((int32_t)a / (int32_t)b);
    case RV32_DIVU: return !b ? UINT32_MAX : a / b;
    case RV32_REM: return !b ? a : overflow ? 0 : (uint32_t)((int32_t)a % (int32_t)b);
    default: return !b ? a : a % b; /* RV32_REMU */
    }
}

static uint32_t rv32_compute(unsigned operation, uint32_t a, uint32_t b)
{
    switch (operation) {
    case RV32_ADDI:
    case RV32_ADD: return a + b;
    case RV32_SUB: return a - b;
    case RV32_SLTI:
    case RV32_SLT: return (int32_t)a < (int32_t)b;
    case RV32_SLTIU:
    case RV32_SLTU: return a < b;
    case RV32_XORI:
    case RV32_XOR: return a ^ b;
    case RV32_ORI:
    case RV32_OR: return a | b;
    case RV32_ANDI:
    case RV32_AND: return a & b;
    case RV32_SLLI:
    case RV32_SLL: return a << (b & 31);
    case RV32_SRLI:
    case RV32_SRL: return a >> (b & 31);
    case RV32_SRAI:
    case RV32_SRA: return (uint32_t)((int32_t)a >> (b & 31));
    case RV32_MUL: return a * b;
    case RV32_MULH: return (uint32_t)((int64_t)(int32_t)a * (int32_t)b >> 32);
    case RV32_MULHSU: return (uint32_t)((int64_t)(int32_t)a * b >> 32);
    case RV32_MULHU: return (uint32_t)((uint64_t)a * b >> 32);
    default: return rv32_divide(operation, a, b);
    }
}

static bool rv32_condition(unsigned operation, uint32_t a, uint32_t b)
{
    switch (operation) {
    case RV32_BEQ: return a == b;
    case RV32_BNE: return a != b;
    case RV32_BLT: return (int32_t)a < (int32_t)b;
    case RV32_BGE: return (int32_t)a >= (int32_t)b;
    case RV32_BLTU: return a < b;
    default: return a >= b; /* RV32_BGEU */
    }
}

/* Whether the second operand of an operation of class INT is the immediate. */
static bool rv32_takes_immediate(unsigned operation) { return operation >= RV32_ADDI && operation <= RV32_SRAI; }

static void rv32_jump(struct rv32_step *s, const struct rv32_instruction *i, uint32_t *d)
{
    const uint32_t after = s->next;
    s->next = i->row->operation == RV32_JAL ? s->core->pc + (uint32_t)i->imm
                                            : (s->core->registers[i->rs1] + (uint32_t)i->imm) & ~1u;
    *d = after;
}

static bool rv32_execute_control(struct rv32_step *s, const struct rv32_instruction *i, uint32_t *d)
{
    const uint32_t *x = s->core->registers;
    switch (i->row->operation) {
    case RV32_JAL:
    case RV32_JALR: rv32_jump(s, i, d); return true;
    case RV32_ECALL: return rv32_call(s->machine, s->core);
    case RV32_EBREAK: guest_fault(s->machine, s->core, "%s (" GUEST_STOPS ")", i->row->name); return false;
    default:
        if (rv32_condition(i->row->operation, x[i->rs1], x[i->rs2]))
            s->next = s->core->pc + (uint32_t)i->imm;
        return true;
    }
}

/* *d: what goes to rd. */
static bool rv32_execute(struct rv32_step *s, const struct rv32_instruction *i, uint32_t *d)
{
    const uint32_t *x = s->core->registers, operation = i->row->operation;
    switch (i->row->class) {
    case RV32_CLASS_LOAD: return rv32_execute_load(s, i, d);
    case RV32_CLASS_STORE: return rv32_execute_store(s, i);
    case RV32_CLASS_ATOMIC: return rv32_execute_atomic(s, i, d);
    case RV32_CLASS_CONTROL: return rv32_execute_control(s, i, d);
    case RV32_CLASS_FENCE: return true;
    default: break;
    }
    if (operation == RV32_LUI || operation == RV32_AUIPC)
        *d = (uint32_t)i->imm + (operation == RV32_AUIPC ? s->core->pc : 0);
    else
        *d = rv32_compute(operation, x[i->rs1], rv32_takes_immediate(operation) ? (uint32_t)i->imm : x[i->rs2]);
    return true;
}

/* The instruction at the core's pc. */
static bool rv32_fetch(struct guest_machine *m, const struct guest_core *c, struct rv32_instruction *i)
{
    uint32_t word = 0;
    char text[128];
    if (!guest_memory_read(&m->memory, c->pc, 2, GUEST_EXECUTE, &word)) {
        guest_fault_access(m, c, c->pc, 2, GUEST_EXECUTE);
        return false;
    }
    if (rv32_length((uint16_t)word) == 4 && !guest_memory_read(&m->memory, c->pc, 4, GUEST_EXECUTE, &word))
        word = 0;
    if (!rv32_decode(word, i))
        guest_fault_unknown(m, c, &word, sizeof word, false);
    else if (i->row->class == RV32_CLASS_REFUSED) {
        rv32_describe_refusal(i, c->pc, text, sizeof text);
        guest_fault(m, c, "%s", text);
    }
    return !m->failed;
}

/* Code does not change, so each instruction is decoded once. NULL: a fault. */
static const struct rv32_instruction *rv32_fetch_once(struct guest_machine *m, const struct guest_core *c)
{
    struct rv32_instruction *known = m->decoded, *i = known + c->pc % GUEST_DECODED;
    uint32_t *at = m->decoded_at + c->pc % GUEST_DECODED;
    if (*at == c->pc)
        return i;
    if (!rv32_fetch(m, c, i)) {
        *at = GUEST_NOT_DECODED;
        return NULL;
    }
    *at = c->pc;
    return i;
}

bool rv32_step(struct guest_machine *m, struct guest_core *c, const struct guest_observer *o)
{
    struct rv32_step s = {m, c, o, 0};
    const struct rv32_instruction *i = rv32_fetch_once(m, c);
    uint32_t d = 0;
    if (!i)
        return false;
    if (o->instruction)
        o->instruction(o->data, c);
    s.next = c->pc + i->length;
    if (!rv32_execute(&s, i, &d))
        return false;
    if (i->rd)
        c->registers[i->rd] = d;
    c->pc = s.next;
    return true;
}
