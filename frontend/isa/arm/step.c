/* ARMv7-A, an instruction at a time: the plain engine's switch. */
#include <stdio.h>
#include <string.h>

#include "frontend/guest/plain.h"
#include "frontend/guest/reservations.h"
#include "frontend/isa/arm/arm.h"
#include "frontend/isa/arm/operations.h"
#include "frontend/isa/arm/table.h"

_Static_assert(sizeof(struct arm_instruction) <= GUEST_DECODED_BYTES, "it has room in machine.decoded");

struct arm_step {
    struct guest_machine *machine;
    struct guest_core *core;
    const struct guest_observer *observer;
    const struct arm_instruction *i;
    uint32_t next; /* the address of the next instruction */
};

/* ---- registers --------------------------------------------------------------------------------------------------- */

static uint32_t arm_read(const struct arm_step *s, unsigned n)
{
    return n == ARM_PC ? arm_pc_value(s->i, s->core->pc) : n < ARM_PC ? s->core->registers[n] : 0;
}

/* Goes to an address whose lowest bit says the encoding. */
static bool arm_go(struct arm_step *s, uint32_t to)
{
    if ((to & 3) == 2) {
        guest_fault(s->machine, s->core, "jump to 0x%x, which is no multiple of 4: A32 code", (unsigned)to);
        return false;
    }
    s->core->thumb = to & 1;
    s->next = to & ~1u;
    return true;
}

/* A write to r15: `interworks` if the lowest bit says the encoding, A2.3.2. */
static bool arm_write(struct arm_step *s, unsigned n, uint32_t value, bool interworks)
{
    if (n < ARM_PC) {
        s->core->registers[n] = value;
        return true;
    }
    return n != ARM_PC || arm_go(s, interworks ? value : s->core->thumb ? value | 1 : value & ~3u);
}

static uint32_t arm_carry(const struct arm_step *s) { return s->core->flags >> 29 & 1; }

/* The operand of data processing, or an offset; *carry: C, then the shifter's carry. */
static uint32_t arm_operand_value(const struct arm_step *s, uint32_t *carry)
{
    const struct arm_instruction *i = s->i;
    if (i->operand == ARM_IMMEDIATE) {
        *carry = i->flags & ARM_ROTATED ? i->imm >> 31 : *carry;
        return i->imm;
    }
    const uint32_t amount = i->operand == ARM_SHIFTED_BY ? arm_read(s, i->a) & 255 : i->amount;
    return arm_shift(arm_read(s, i->m), i->operand == ARM_NO_OPERAND ? ARM_LSL : i->shift, amount, carry);
}

/* ---- computing --------------------------------------------------------------------------------------------------- */

static void arm_set_nz(struct arm_step *s, bool negative, bool zero)
{
    s->core->flags = (s->core->flags & ~(ARM_N | ARM_Z)) | (negative ? ARM_N : 0) | (zero ? ARM_Z : 0);
}

static bool arm_execute_data(struct arm_step *s)
{
    const struct arm_instruction *i = s->i;
    const unsigned operation = i->row->operation;
    uint32_t carry = arm_carry(s);
    struct arm_sum flags = {0};
    const uint32_t in = carry, operand = arm_operand_value(s, &carry);
    if (operation == ARM_ADR) {
        const uint32_t pc = arm_read(s, ARM_PC) & ~3u;
        return arm_write(s, i->d, i->flags & ARM_UP ? pc + operand : pc - operand, false);
    }
    const unsigned n = operation == ARM_MOVT ? i->d : i->n;
    const uint32_t r = arm_data(operation, arm_read(s, n), operand, in, &flags);
    if (i->flags & ARM_SETS) {
        arm_set_nz(s, r >> 31, !r);
        if (arm_is_logical(operation))
            s->core->flags = (s->core->flags & ~ARM_C) | carry << 29;
        else
            s->core->flags =
                (s->core->flags & ~(ARM_C | ARM_V)) | (flags.c >> 31 ? ARM_C : 0) | (flags.v >> 31 ? ARM_V : 0);
    }
    return (operation >= ARM_TST && operation <= ARM_CMN) || arm_write(s, i->d, r, !s->core->thumb);
}

static bool arm_execute_compute(struct arm_step *s)
{
    const struct arm_instruction *i = s->i;
    uint32_t ignored = 0, q = 0, ge = s->core->flags >> ARM_GE_SHIFT & 15;
    const uint32_t m = arm_operand_value(s, &ignored);
    const uint32_t r =
        arm_compute(i->row->operation, arm_read(s, i->n), m, arm_read(s, i->a), arm_read(s, i->d), i->imm, &q, &ge);
    s->core->flags = (s->core->flags & ~(15u << ARM_GE_SHIFT)) | ge << ARM_GE_SHIFT | (q ? ARM_Q_FLAG : 0);
    if (i->flags & ARM_SETS)
        arm_set_nz(s, r >> 31, !r);
    return arm_write(s, i->d, r, false);
}

static bool arm_execute_long(struct arm_step *s)
{
    const struct arm_instruction *i = s->i;
    const uint64_t r = arm_compute_long(i->row->operation, arm_read(s, i->n), arm_read(s, i->m), arm_read(s, i->d),
                                        arm_read(s, i->a), i->imm);
    if (i->flags & ARM_SETS)
        arm_set_nz(s, r >> 63, !r);
    return arm_write(s, i->a, (uint32_t)r, false) && arm_write(s, i->d, (uint32_t)(r >> 32), false);
}

/* ---- memory ------------------------------------------------------------------------------------------------------ */

static bool arm_load(const struct arm_step *s, uint32_t address, uint32_t bytes, void *to)
{
    if (s->observer->access)
        s->observer->access(s->observer->data, s->core, address, bytes, false);
    if (guest_memory_read(&s->machine->memory, address, bytes, GUEST_READ, to))
        return true;
    guest_fault_access(s->machine, s->core, address, bytes, GUEST_READ);
    return false;
}

static bool arm_store(const struct arm_step *s, uint32_t address, uint32_t bytes, const void *from)
{
    if (s->observer->access)
        s->observer->access(s->observer->data, s->core, address, bytes, true);
    if (!guest_memory_write(&s->machine->memory, address, bytes, from)) {
        guest_fault_access(s->machine, s->core, address, bytes, GUEST_WRITE);
        return false;
    }
    guest_end_reservations(s->machine, address, bytes);
    return true;
}

/* Accesses of pairs, lists and exclusives must be aligned, A3.2.1. */
static bool arm_aligned(const struct arm_step *s, uint32_t address, uint32_t bytes)
{
    if (!(address & (bytes - 1)))
        return true;
    guest_fault(s->machine, s->core, "access to 0x%x, which is no multiple of %u", (unsigned)address, (unsigned)bytes);
    return false;
}

static unsigned arm_access_bytes(unsigned operation)
{
    switch (operation) {
    case ARM_LDRB:
    case ARM_LDRSB:
    case ARM_LDREXB:
    case ARM_STREXB:
    case ARM_STRB: return 1;
    case ARM_LDRH:
    case ARM_LDRSH:
    case ARM_LDREXH:
    case ARM_STREXH:
    case ARM_STRH: return 2;
    case ARM_LDRD:
    case ARM_LDREXD:
    case ARM_STREXD:
    case ARM_STRD: return 8;
    default: return 4;
    }
}

/* The address of an access, and what the base register is afterwards. */
static uint32_t arm_address(const struct arm_step *s, uint32_t *base)
{
    const struct arm_instruction *i = s->i;
    uint32_t carry = arm_carry(s);
    const uint32_t n = i->n == ARM_PC ? arm_read(s, ARM_PC) & ~3u : arm_read(s, i->n);
    const uint32_t offset = arm_operand_value(s, &carry), moved = i->flags & ARM_UP ? n + offset : n - offset;
    *base = i->flags & ARM_WRITES_BACK ? moved : n;
    return i->flags & ARM_PRE ? moved : n;
}

static bool arm_execute_load(struct arm_step *s)
{
    const struct arm_instruction *i = s->i;
    const unsigned bytes = arm_access_bytes(i->row->operation);
    uint32_t base, words[2] = {0};
    const uint32_t address = arm_address(s, &base);
    if ((bytes == 8 && !arm_aligned(s, address, 4)) || !arm_load(s, address, bytes, words))
        return false;
    if (i->row->operation == ARM_LDRSB)
        words[0] = (uint32_t)(int8_t)words[0];
    if (i->row->operation == ARM_LDRSH)
        words[0] = (uint32_t)(int16_t)words[0];
    if (i->flags & ARM_WRITES_BACK)
        arm_write(s, i->n, base, false);
    return arm_write(s, i->d, words[0], true) && (bytes < 8 || arm_write(s, i->a, words[1], false));
}

static bool arm_execute_store(struct arm_step *s)
{
    const struct arm_instruction *i = s->i;
    const unsigned bytes = arm_access_bytes(i->row->operation);
    const uint32_t words[2] = {arm_read(s, i->d), arm_read(s, i->a)};
    uint32_t base;
    const uint32_t address = arm_address(s, &base);
    if ((bytes == 8 && !arm_aligned(s, address, 4)) || !arm_store(s, address, bytes, words))
        return false;
    if (i->flags & ARM_WRITES_BACK)
        arm_write(s, i->n, base, false);
    return true;
}

/* The registers of a list, in accesses of 8, 4, 2 and 1 words. */
static bool arm_execute_multiple(struct arm_step *s)
{
    const struct arm_instruction *i = s->i;
    const bool load = i->row->operation == ARM_LDM;
    const unsigned count = (unsigned)__builtin_popcount(i->imm);
    const uint32_t n = arm_read(s, i->n), base = i->flags & ARM_UP ? n + 4 * count : n - 4 * count;
    uint32_t address = arm_list_address(i, n), list = i->imm, words[16], values[16];
    if (!arm_aligned(s, address, 4))
        return false;
    for (unsigned r = 0, at = 0; r < 16; r++)
        if (list >> r & 1)
            values[at++] = arm_read(s, r);
    for (unsigned at = 0; at < count; at += arm_list_part(count - at)) {
        const uint32_t bytes = 4 * arm_list_part(count - at);
        if (!(load ? arm_load(s, address + 4 * at, bytes, words + at)
                   : arm_store(s, address + 4 * at, bytes, values + at)))
            return false;
    }
    if (i->flags & ARM_WRITES_BACK)
        arm_write(s, i->n, base, false);
    for (unsigned r = 0, at = 0; load && r < 16; r++)
        if (list >> r & 1 && !arm_write(s, r, words[at++], true))
            return false;
    return true;
}

static bool arm_execute_exclusive(struct arm_step *s)
{
    const struct arm_instruction *i = s->i;
    const unsigned operation = i->row->operation, bytes = arm_access_bytes(operation);
    uint32_t words[2] = {0}, base;
    if (operation == ARM_CLREX) {
        guest_take_reservation(s->machine, s->core, GUEST_NO_RESERVATION);
        return true;
    }
    const uint32_t address = i->operand == ARM_IMMEDIATE ? arm_address(s, &base) : arm_read(s, i->n);
    if (!arm_aligned(s, address, bytes))
        return false;
    if (operation <= ARM_LDREXD) {
        if (!arm_load(s, address, bytes, words))
            return false;
        guest_reserve(s->machine, s->core, address, bytes);
        return arm_write(s, i->d, words[0], false) && (bytes < 8 || arm_write(s, i->a, words[1], false));
    }
    const bool holds = guest_take_reservation(s->machine, s->core, address);
    const uint32_t values[2] = {arm_read(s, i->m), arm_read(s, i->a)};
    arm_write(s, i->d, !holds, false);
    return holds ? arm_store(s, address, bytes, values) : true;
}

/* ---- environment calls ------------------------------------------------------------------------------------------- */

/* Linux's numbers of these calls in the EABI of ARM: arch/arm/tools/syscall.tbl. */
static enum guest_call arm_call_of(uint32_t number)
{
    switch (number) {
    case 1: return GUEST_CALL_EXIT;
    case 4: return GUEST_CALL_WRITE;
    case 45: return GUEST_CALL_BRK;
    case 248: return GUEST_CALL_EXIT_GROUP;
    default:
        return number - GUEST_CALL_FIRST_OWN < 4 ? (enum guest_call)(GUEST_CALL_CORE + (number - GUEST_CALL_FIRST_OWN))
                                                 : GUEST_CALL_UNKNOWN;
    }
}

bool arm_call(struct guest_machine *m, struct guest_core *c)
{
    uint32_t *r = c->registers, result;
    if (!guest_call(m, c, arm_call_of(r[7]), r[7], r, &result))
        return false;
    r[0] = result;
    return true;
}

/* ---- control and state ------------------------------------------------------------------------------------------- */

void arm_describe_refusal(const struct arm_instruction *i, const struct guest *g, uint32_t pc, char *text, size_t size)
{
    const struct guest_symbol *f = guest_function(g, pc);
    arm_print(i, 0, text, size);
    const size_t length = strlen(text);
    if (i->row->class != ARM_CLASS_REFUSED)
        return;
    snprintf(text + length, size - length,
             f && !strncmp(f->name, "__", 2)
                 ? ": guests compute in integers, and this function of libgcc does not; define it in the program"
                 : ": guests compute in integers; compile with -mfloat-abi=soft");
}

static bool arm_link(struct arm_step *s) { return arm_write(s, ARM_LR, s->next | s->core->thumb, false); }

static bool arm_branch_by_table(struct arm_step *s)
{
    const struct arm_instruction *i = s->i;
    const uint32_t bytes = i->row->operation == ARM_TBH ? 2 : 1, at = arm_read(s, i->n) + bytes * arm_read(s, i->m);
    uint32_t distance = 0;
    if (!arm_load(s, at, bytes, &distance))
        return false;
    s->next = s->core->pc + 4 + 2 * distance;
    return true;
}

static bool arm_execute_control(struct arm_step *s)
{
    const struct arm_instruction *i = s->i;
    const uint32_t target = arm_read(s, ARM_PC) + i->imm;
    char text[128];
    switch (i->row->operation) {
    case ARM_BL: arm_link(s); /* fall through */
    case ARM_B: s->next = target; return true;
    case ARM_BLX: arm_link(s); return arm_go(s, s->core->thumb ? target & ~3u : target | 1);
    case ARM_BX: return arm_go(s, arm_read(s, i->m));
    case ARM_BLX_REGISTER: {
        const uint32_t to = arm_read(s, i->m);
        arm_link(s);
        return arm_go(s, to);
    }
    case ARM_CBZ:
    case ARM_CBNZ:
        if (!arm_read(s, i->n) == (i->row->operation == ARM_CBZ))
            s->next = target;
        return true;
    case ARM_TBB:
    case ARM_TBH: return arm_branch_by_table(s);
    case ARM_SVC: return arm_call(s->machine, s->core);
    default:
        arm_describe_refusal(i, s->machine->guest, s->core->pc, text, sizeof text);
        guest_fault(s->machine, s->core, "%s%s", text, i->row->class == ARM_CLASS_REFUSED ? "" : " (" GUEST_STOPS ")");
        return false;
    }
}

static bool arm_execute_status(struct arm_step *s)
{
    const struct arm_instruction *i = s->i;
    uint32_t ignored = 0;
    if (i->row->operation == ARM_MRS)
        return arm_write(s, i->d, s->core->flags | ARM_USER_MODE, false);
    if (i->row->operation == ARM_THREAD_ID)
        return arm_write(s, i->d, 0, false);
    const uint32_t mask = arm_status_mask(i->a);
    s->core->flags = (s->core->flags & ~mask) | (arm_operand_value(s, &ignored) & mask);
    return true;
}

static bool arm_condition_holds(const struct arm_step *s)
{
    const uint32_t f = s->core->flags;
    return arm_condition(s->i->cond, -(f >> 31 & 1), -(f >> 30 & 1), -(f >> 29 & 1), -(f >> 28 & 1));
}

static bool arm_execute(struct arm_step *s)
{
    switch (s->i->row->class) {
    case ARM_CLASS_DATA: return arm_execute_data(s);
    case ARM_CLASS_COMPUTE: return arm_execute_compute(s);
    case ARM_CLASS_LONG: return arm_execute_long(s);
    case ARM_CLASS_LOAD: return arm_execute_load(s);
    case ARM_CLASS_STORE: return arm_execute_store(s);
    case ARM_CLASS_MULTIPLE: return arm_execute_multiple(s);
    case ARM_CLASS_EXCLUSIVE: return arm_execute_exclusive(s);
    case ARM_CLASS_STATUS: return arm_execute_status(s);
    case ARM_CLASS_NOTHING: return true;
    default: return arm_execute_control(s); /* and what is refused */
    }
}

/* ---- fetching ---------------------------------------------------------------------------------------------------- */

/* The instruction at the core's pc. */
static bool arm_fetch(struct guest_machine *m, const struct guest_core *c, struct arm_instruction *i)
{
    uint16_t halves[2] = {0};
    uint32_t bytes = c->thumb ? 2 : 4;
    bool ok = guest_memory_read(&m->memory, c->pc, bytes, GUEST_EXECUTE, halves);
    if (ok && c->thumb && arm_t32_length(halves[0]) == 4)
        ok = guest_memory_read(&m->memory, c->pc, bytes = 4, GUEST_EXECUTE, halves);
    if (!ok) {
        guest_fault_access(m, c, c->pc, bytes, GUEST_EXECUTE);
        return false;
    }
    const uint32_t word = !c->thumb    ? halves[0] | (uint32_t)halves[1] << 16
                          : bytes == 4 ? (uint32_t)halves[0] << 16 | halves[1]
                                       : halves[0];
    if (!(c->thumb ? arm_decode_t32(word, c->ahead, i) : arm_decode_a32(word, i)))
        guest_fault_unknown(m, c, halves, bytes, c->thumb);
    return !m->failed;
}

/* Code does not change, so each instruction is decoded once. NULL: a fault. */
static const struct arm_instruction *arm_fetch_once(struct guest_machine *m, const struct guest_core *c)
{
    const uint32_t key = c->pc | c->thumb;
    struct arm_instruction *known = m->decoded, *i = known + key % GUEST_DECODED;
    uint32_t *at = m->decoded_at + key % GUEST_DECODED;
    if (*at == key)
        return i;
    if (!arm_fetch(m, c, i)) {
        *at = GUEST_NOT_DECODED;
        return NULL;
    }
    *at = key;
    return i;
}

bool arm_step(struct guest_machine *m, struct guest_core *c, const struct guest_observer *o)
{
    struct arm_step s = {m, c, o, arm_fetch_once(m, c), 0};
    if (!s.i)
        return false;
    if (o->instruction)
        o->instruction(o->data, c);
    s.next = c->pc + s.i->length;
    if (arm_condition_holds(&s) && !arm_execute(&s))
        return false;
    c->ahead = s.i->row->operation == ARM_IT ? (uint8_t)s.i->imm : arm_it_next(c->ahead);
    c->pc = s.next;
    return true;
}
