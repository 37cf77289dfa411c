/* IA-32, an instruction at a time: the plain engine's switch. */
#include "frontend/guest/plain.h"
#include "frontend/isa/ia32/ia32.h"
#include "frontend/isa/ia32/operations.h"
#include "frontend/isa/ia32/table.h"

_Static_assert(sizeof(struct ia32_instruction) <= GUEST_DECODED_BYTES, "it has room in machine.decoded");

struct ia32_step {
    struct guest_machine *machine;
    struct guest_core *core;
    const struct guest_observer *observer;
    const struct ia32_instruction *i;
    uint32_t next;    /* the address of the next instruction */
    uint32_t address; /* of the operand in memory */
    bool failed;      /* an access was not made */
};

/* ---- registers --------------------------------------------------------------------------------------------------- */

static uint32_t *ia32_at(const struct ia32_step *s, unsigned n) { return &s->core->registers[n]; }

static uint32_t ia32_register(const struct ia32_step *s, unsigned n, unsigned bytes)
{
    if (bytes == 1)
        return *ia32_at(s, n & 3) >> (n & 4 ? 8 : 0) & 0xff;
    return bytes == 2 ? *ia32_at(s, n) & 0xffff : *ia32_at(s, n);
}

static void ia32_set_register(struct ia32_step *s, unsigned n, unsigned bytes, uint32_t value)
{
    uint32_t *at = ia32_at(s, bytes == 1 ? n & 3 : n);
    const unsigned shift = bytes == 1 && n & 4 ? 8 : 0;
    const uint32_t mask = (bytes == 1 ? 0xffu : bytes == 2 ? 0xffffu : UINT32_MAX) << shift;
    *at = (*at & ~mask) | (value << shift & mask);
}

/* ---- flags ------------------------------------------------------------------------------------------------------- */

static uint32_t ia32_carry(const struct ia32_step *s) { return s->core->flags & IA32_CF; }

static void ia32_set_flag(struct ia32_step *s, uint32_t flag, bool value)
{
    s->core->flags = (s->core->flags & ~flag) | (value ? flag : 0);
}

static void ia32_set_carries(struct ia32_step *s, const struct ia32_carry *f)
{
    ia32_set_flag(s, IA32_CF, f->c >> 31);
    ia32_set_flag(s, IA32_OF, f->o >> 31);
}

/* ZF, SF and PF of a result; AF. */
static void ia32_set_result(struct ia32_step *s, unsigned bits, uint32_t r, bool adjust)
{
    ia32_set_flag(s, IA32_ZF, !ia32_low_bits(r, bits));
    ia32_set_flag(s, IA32_SF, r >> (bits - 1) & 1);
    ia32_set_flag(s, IA32_PF, ia32_parity(r));
    ia32_set_flag(s, IA32_AF, adjust);
}

static bool ia32_holds(const struct ia32_step *s)
{
    const uint32_t f = s->core->flags;
    return ia32_condition(s->i->condition, f, f >> 6, f >> 7, f >> 11, f >> 2) & 1;
}

/* ---- memory ------------------------------------------------------------------------------------------------------ */

static uint64_t ia32_load(struct ia32_step *s, uint32_t address, uint32_t bytes)
{
    uint64_t value = 0;
    if (s->failed)
        return 0;
    if (s->observer->access)
        s->observer->access(s->observer->data, s->core, address, bytes, false);
    if (!guest_memory_read(&s->machine->memory, address, bytes, GUEST_READ, &value)) {
        s->failed = true;
        guest_fault_access(s->machine, s->core, address, bytes, GUEST_READ);
    }
    return value;
}

static void ia32_store(struct ia32_step *s, uint32_t address, uint32_t bytes, uint64_t value)
{
    if (s->failed)
        return;
    if (s->observer->access)
        s->observer->access(s->observer->data, s->core, address, bytes, true);
    if (!guest_memory_write(&s->machine->memory, address, bytes, &value)) {
        s->failed = true;
        guest_fault_access(s->machine, s->core, address, bytes, GUEST_WRITE);
    }
}

static uint32_t ia32_address(const struct ia32_step *s)
{
    const struct ia32_instruction *i = s->i;
    uint32_t a = i->displacement;
    if (i->base != IA32_NOWHERE)
        a += *ia32_at(s, i->base);
    if (i->index != IA32_NOWHERE)
        a += *ia32_at(s, i->index) << i->scale;
    return a & ia32_address_mask(i);
}

/* ESP changes only if the access was made. */
static void ia32_push(struct ia32_step *s, unsigned bytes, uint32_t value)
{
    const uint32_t to = *ia32_at(s, IA32_ESP) - bytes;
    ia32_store(s, to, bytes, value);
    if (!s->failed)
        *ia32_at(s, IA32_ESP) = to;
}

static uint32_t ia32_pop(struct ia32_step *s, unsigned bytes)
{
    const uint32_t value = (uint32_t)ia32_load(s, *ia32_at(s, IA32_ESP), bytes);
    if (!s->failed)
        *ia32_at(s, IA32_ESP) += bytes;
    return value;
}

/* ---- operands ---------------------------------------------------------------------------------------------------- */

static uint32_t ia32_read(struct ia32_step *s, unsigned n)
{
    const struct ia32_operand *o = &s->i->operand[n];
    switch (o->kind) {
    case IA32_REGISTER: return ia32_register(s, o->number, o->bytes);
    case IA32_MEMORY: return (uint32_t)ia32_load(s, s->address, o->bytes);
    default: return s->i->immediate;
    }
}

static void ia32_write(struct ia32_step *s, unsigned n, uint32_t value)
{
    const struct ia32_operand *o = &s->i->operand[n];
    if (o->kind == IA32_MEMORY)
        ia32_store(s, s->address, o->bytes, value);
    else if (!s->failed)
        ia32_set_register(s, o->number, o->bytes, value);
}

/* ---- computing --------------------------------------------------------------------------------------------------- */

static void ia32_set_data(struct ia32_step *s, unsigned operation, uint32_t a, uint32_t b, uint32_t r,
                          const struct ia32_carry *f)
{
    const uint32_t carry = ia32_carry(s);
    if (s->failed || operation == IA32_NOT)
        return;
    ia32_set_result(s, 8 * s->i->bytes, r, ia32_adjust(operation, a, b, carry));
    ia32_set_carries(s, f);
    if (operation == IA32_INC || operation == IA32_DEC)
        ia32_set_flag(s, IA32_CF, carry);
}

static void ia32_execute_data(struct ia32_step *s)
{
    const unsigned operation = s->i->row->operation;
    struct ia32_carry f;
    const uint32_t a = ia32_read(s, 0), b = s->i->operand[1].kind ? ia32_read(s, 1) : 0;
    const uint32_t r = ia32_data(operation, 8 * s->i->bytes, a, b, ia32_carry(s), &f);
    if (operation != IA32_CMP && operation != IA32_TEST)
        ia32_write(s, 0, r);
    ia32_set_data(s, operation, a, b, r, &f);
}

static void ia32_execute_shift(struct ia32_step *s)
{
    const unsigned operation = s->i->row->operation, bits = 8 * s->i->bytes;
    const bool two = operation >= IA32_SHLD;
    struct ia32_carry f = {0};
    const uint32_t a = ia32_read(s, 0), b = two ? ia32_read(s, 1) : 0;
    const uint32_t n = ia32_amount(operation, bits, ia32_read(s, two ? 2 : 1));
    const uint32_t r = n ? ia32_shift(operation, bits, a, b, n, ia32_carry(s), &f) : a;
    ia32_write(s, 0, r);
    if (!n || s->failed)
        return;
    if (!ia32_rotates(operation))
        ia32_set_result(s, bits, r, false);
    ia32_set_carries(s, &f);
}

static void ia32_set_product(struct ia32_step *s, bool is_signed, uint64_t r)
{
    const unsigned bits = 8 * s->i->bytes;
    const uint32_t carry = ia32_product_carry(is_signed, bits, r);
    const struct ia32_carry f = {carry, carry};
    if (s->failed)
        return;
    ia32_set_result(s, bits, (uint32_t)r, false);
    ia32_set_carries(s, &f);
}

/* The products and dividends of one operand are in AX, DX:AX or EDX:EAX. */
static void ia32_set_wide(struct ia32_step *s, uint32_t high, uint32_t low)
{
    const unsigned bytes = s->i->bytes;
    if (s->failed)
        return;
    ia32_set_register(s, IA32_EAX, bytes, low);
    ia32_set_register(s, bytes == 1 ? 4 : IA32_EDX, bytes, high); /* 4: AH */
}

static void ia32_execute_multiply(struct ia32_step *s)
{
    const bool is_signed = s->i->row->operation != IA32_MUL;
    const unsigned bytes = s->i->bytes, bits = 8 * bytes;
    if (s->i->row->operation == IA32_MULTIPLY) {
        const bool three = s->i->operand[2].kind;
        const uint32_t a = ia32_read(s, three ? 1 : 0), b = ia32_read(s, three ? 2 : 1);
        const uint64_t r = ia32_product(true, bits, a, b);
        ia32_write(s, 0, (uint32_t)r);
        ia32_set_product(s, true, r);
        return;
    }
    const uint64_t r = ia32_product(is_signed, bits, ia32_register(s, IA32_EAX, bytes), ia32_read(s, 0));
    ia32_set_wide(s, (uint32_t)(r >> bits), (uint32_t)r);
    ia32_set_product(s, is_signed, r);
}

static void ia32_execute_divide(struct ia32_step *s)
{
    const unsigned bytes = s->i->bytes;
    uint32_t quotient = 0, remainder = 0;
    const uint32_t high = ia32_register(s, bytes == 1 ? 4 : IA32_EDX, bytes), low = ia32_register(s, IA32_EAX, bytes);
    const uint32_t divisor = ia32_read(s, 0);
    if (s->failed)
        return;
    if (ia32_divide(s->i->row->operation == IA32_IDIV, 8 * bytes, high, low, divisor, &quotient, &remainder)) {
        ia32_set_wide(s, remainder, quotient);
        return;
    }
    s->failed = true;
    char text[160];
    ia32_print(s->i, s->core->pc, text, sizeof text);
    guest_fault(s->machine, s->core, "%s: " GUEST_BAD_DIVISION, text);
}

/* ---- bits -------------------------------------------------------------------------------------------------------- */

/* A register counts beyond the word in memory: the manual's table 3-2. */
static void ia32_execute_bit(struct ia32_step *s)
{
    const struct ia32_instruction *i = s->i;
    const unsigned bits = 8 * i->bytes;
    const uint32_t n = ia32_read(s, 1);
    if (i->operand[0].kind == IA32_MEMORY && i->operand[1].kind == IA32_REGISTER)
        s->address += (uint32_t)((int32_t)ia32_signed(n, bits) >> (bits == 16 ? 4 : 5)) * i->bytes;
    const uint32_t a = ia32_read(s, 0), mask = 1u << (n & (bits - 1));
    if (i->row->operation != IA32_BT)
        ia32_write(s, 0, ia32_bit(i->row->operation, a, mask));
    if (!s->failed)
        ia32_set_flag(s, IA32_CF, a & mask);
}

/* ZF is that of the source, of TZCNT that of the result, and the other flags follow it, undefined as they are. */
static void ia32_execute_scan(struct ia32_step *s)
{
    const unsigned bits = 8 * s->i->bytes, operation = s->i->row->operation;
    struct ia32_carry f = {0};
    const uint32_t a = ia32_read(s, 1), r = ia32_scan(operation, bits, a, ia32_read(s, 0));
    ia32_write(s, 0, r);
    if (s->failed)
        return;
    ia32_set_result(s, bits, operation == IA32_TZCNT ? r : a, false);
    if (operation == IA32_TZCNT) {
        f.c = a ? 0 : 1u << 31;
        ia32_set_flag(s, IA32_PF, false);
    }
    ia32_set_carries(s, &f);
}

static void ia32_execute_extend(struct ia32_step *s)
{
    const unsigned bytes = s->i->bytes;
    if (s->i->row->operation == IA32_EXTEND_A)
        ia32_set_register(s, IA32_EAX, bytes, ia32_signed(*ia32_at(s, IA32_EAX), 4 * bytes));
    else
        ia32_set_register(s, IA32_EDX, bytes, -(*ia32_at(s, IA32_EAX) >> (8 * bytes - 1) & 1));
}

/* ---- moving ------------------------------------------------------------------------------------------------------ */

static void ia32_execute_exchange(struct ia32_step *s)
{
    const unsigned operation = s->i->row->operation;
    struct ia32_carry f;
    const uint32_t a = ia32_read(s, 0), b = ia32_read(s, 1);
    const uint32_t r = ia32_data(IA32_ADD, 8 * s->i->bytes, a, b, 0, &f);
    if (operation == IA32_XCHG) {
        ia32_write(s, 0, b);
        ia32_write(s, 1, a);
        return;
    }
    if (s->i->operand[0].kind == IA32_MEMORY) { /* a bad access leaves the register alone */
        ia32_write(s, 0, r);
        ia32_write(s, 1, a);
    } else {
        ia32_write(s, 1, a);
        ia32_write(s, 0, r);
    }
    ia32_set_data(s, IA32_ADD, a, b, r, &f);
}

/* It always stores, as processors do. */
static void ia32_execute_compare_exchange(struct ia32_step *s)
{
    const unsigned bytes = s->i->bytes;
    struct ia32_carry f;
    const uint32_t old = ia32_read(s, 0), a = ia32_register(s, IA32_EAX, bytes);
    const uint32_t r = ia32_data(IA32_CMP, 8 * bytes, a, old, 0, &f);
    ia32_write(s, 0, r ? old : ia32_read(s, 1));
    if (s->failed)
        return;
    if (r)
        ia32_set_register(s, IA32_EAX, bytes, old);
    ia32_set_data(s, IA32_CMP, a, old, r, &f);
}

static void ia32_execute_compare_exchange8(struct ia32_step *s)
{
    const uint64_t old = ia32_load(s, s->address, 8);
    const uint32_t low = (uint32_t)old, high = (uint32_t)(old >> 32);
    const bool same = low == *ia32_at(s, IA32_EAX) && high == *ia32_at(s, IA32_EDX);
    ia32_store(s, s->address, 8, same ? (uint64_t)*ia32_at(s, IA32_ECX) << 32 | *ia32_at(s, IA32_EBX) : old);
    if (s->failed)
        return;
    *ia32_at(s, IA32_EAX) = low;
    *ia32_at(s, IA32_EDX) = high;
    ia32_set_flag(s, IA32_ZF, same);
}

/* PUSHA stores ESP as it was; POPA does not load it. */
static void ia32_execute_stack_of_all(struct ia32_step *s)
{
    const uint32_t esp = *ia32_at(s, IA32_ESP), bytes = s->i->bytes;
    if (s->i->row->operation == IA32_PUSHA) {
        for (unsigned n = 0; n < 8; n++)
            ia32_store(s, esp - bytes * (n + 1), bytes, n == IA32_ESP ? esp : *ia32_at(s, n));
        *ia32_at(s, IA32_ESP) -= s->failed ? 0 : 8 * bytes;
        return;
    }
    for (unsigned n = 0; n < 8; n++)
        if (7 - n != IA32_ESP) {
            const uint32_t value = (uint32_t)ia32_load(s, esp + bytes * n, bytes);
            if (!s->failed)
                ia32_set_register(s, 7 - n, bytes, value);
        }
    *ia32_at(s, IA32_ESP) += s->failed ? 0 : 8 * bytes;
}

static void ia32_execute_stack(struct ia32_step *s)
{
    const struct ia32_instruction *i = s->i;
    uint32_t value;
    switch (i->row->operation) {
    case IA32_PUSH: ia32_push(s, i->bytes, ia32_read(s, 0)); break;
    case IA32_POP: /* an address by ESP is that behind the pop */
        value = ia32_pop(s, i->bytes);
        s->address = ia32_address(s);
        ia32_write(s, 0, value);
        break;
    case IA32_PUSHF: ia32_push(s, i->bytes, s->core->flags | IA32_FLAGS_ON); break;
    case IA32_POPF:
        value = ia32_pop(s, i->bytes);
        if (!s->failed)
            s->core->flags = value & (IA32_STATUS | IA32_DF);
        break;
    case IA32_ENTER:
        ia32_push(s, i->bytes, *ia32_at(s, IA32_EBP));
        if (s->failed)
            break;
        ia32_set_register(s, IA32_EBP, i->bytes, *ia32_at(s, IA32_ESP));
        *ia32_at(s, IA32_ESP) -= i->immediate & 0xffff;
        break;
    case IA32_LEAVE:
        value = (uint32_t)ia32_load(s, *ia32_at(s, IA32_EBP), i->bytes);
        if (s->failed)
            break;
        *ia32_at(s, IA32_ESP) = *ia32_at(s, IA32_EBP) + i->bytes;
        ia32_set_register(s, IA32_EBP, i->bytes, value);
        break;
    default: ia32_execute_stack_of_all(s); break; /* PUSHA, POPA */
    }
}

/* ---- strings ----------------------------------------------------------------------------------------------------- */

/* The part of a register that addresses and counts with the prefix 67 have. */
static uint32_t ia32_index(const struct ia32_step *s, unsigned n) { return *ia32_at(s, n) & ia32_address_mask(s->i); }

static void ia32_add_to_index(struct ia32_step *s, unsigned n, uint32_t distance)
{
    const uint32_t mask = ia32_address_mask(s->i);
    *ia32_at(s, n) = (*ia32_at(s, n) & ~mask) | ((*ia32_at(s, n) + distance) & mask);
}

static void ia32_compare_strings(struct ia32_step *s, uint32_t a, uint32_t b)
{
    struct ia32_carry f;
    const uint32_t r = ia32_data(IA32_CMP, 8 * s->i->bytes, a, b, 0, &f);
    ia32_set_data(s, IA32_CMP, a, b, r, &f);
}

/* One step of a string instruction. */
static void ia32_string_step(struct ia32_step *s)
{
    const unsigned operation = s->i->row->operation, bytes = s->i->bytes;
    const uint32_t from = ia32_index(s, IA32_ESI), to = ia32_index(s, IA32_EDI);
    const uint32_t distance = s->core->flags & IA32_DF ? -bytes : bytes, a = ia32_register(s, IA32_EAX, bytes);
    uint32_t value = 0;
    if (operation == IA32_MOVS || operation == IA32_LODS || operation == IA32_CMPS)
        value = ia32_load(s, from, bytes);
    switch (operation) {
    case IA32_MOVS: ia32_store(s, to, bytes, value); break;
    case IA32_STOS: ia32_store(s, to, bytes, a); break;
    case IA32_CMPS: ia32_compare_strings(s, value, ia32_load(s, to, bytes)); break;
    case IA32_SCAS: ia32_compare_strings(s, a, ia32_load(s, to, bytes)); break;
    default: break; /* IA32_LODS */
    }
    if (s->failed)
        return;
    if (operation == IA32_LODS)
        ia32_set_register(s, IA32_EAX, bytes, value);
    if (operation == IA32_MOVS || operation == IA32_LODS || operation == IA32_CMPS)
        ia32_add_to_index(s, IA32_ESI, distance);
    if (operation != IA32_LODS)
        ia32_add_to_index(s, IA32_EDI, distance);
}

/* A repeated one goes to itself as long as there is more to do. */
static void ia32_execute_string(struct ia32_step *s)
{
    const unsigned operation = s->i->row->operation;
    if (!ia32_repeats(s->i)) {
        ia32_string_step(s);
        return;
    }
    if (!ia32_index(s, IA32_ECX))
        return;
    ia32_string_step(s);
    if (s->failed)
        return;
    ia32_add_to_index(s, IA32_ECX, UINT32_MAX);
    const bool compares = operation == IA32_CMPS || operation == IA32_SCAS;
    const bool wanted = s->i->prefixes & IA32_REP, equal = s->core->flags & IA32_ZF;
    if (ia32_index(s, IA32_ECX) && (!compares || equal == wanted))
        s->next = s->core->pc;
}

/* ---- control ----------------------------------------------------------------------------------------------------- */

static void ia32_execute_call(struct ia32_step *s, uint32_t to)
{
    ia32_push(s, 4, s->next);
    s->next = to;
}

static void ia32_execute_return(struct ia32_step *s)
{
    const uint32_t to = ia32_pop(s, 4);
    if (s->failed)
        return;
    *ia32_at(s, IA32_ESP) += s->i->operand[0].kind ? s->i->immediate & 0xffff : 0;
    s->next = to;
}

/* LOOP and the like, JECXZ: flags stay as they are. */
static bool ia32_counts_on(struct ia32_step *s)
{
    const bool equal = s->core->flags & IA32_ZF;
    if (s->i->row->operation == IA32_JECXZ)
        return !ia32_index(s, IA32_ECX);
    ia32_add_to_index(s, IA32_ECX, UINT32_MAX);
    return ia32_index(s, IA32_ECX) &&
           (s->i->row->operation == IA32_LOOP || equal == (s->i->row->operation == IA32_LOOPE));
}

static void ia32_execute_control(struct ia32_step *s)
{
    const uint32_t target = ia32_target(s->i, s->core->pc);
    switch (s->i->row->operation) {
    case IA32_JCC: s->next = ia32_holds(s) ? target : s->next; break;
    case IA32_JMP: s->next = target; break;
    case IA32_JMP_TO: s->next = ia32_read(s, 0); break;
    case IA32_CALL: ia32_execute_call(s, target); break;
    case IA32_CALL_TO: ia32_execute_call(s, ia32_read(s, 0)); break;
    case IA32_RET: ia32_execute_return(s); break;
    case IA32_INT: s->failed = !ia32_call(s->machine, s->core); break;
    default: s->next = ia32_counts_on(s) ? target : s->next; break; /* LOOP, LOOPE, LOOPNE, JECXZ */
    }
}

/* ---- all --------------------------------------------------------------------------------------------------------- */

static void ia32_execute_flags(struct ia32_step *s)
{
    const uint32_t kept = IA32_OF | IA32_DF;
    switch (s->i->row->operation) {
    case IA32_CLC: ia32_set_flag(s, IA32_CF, false); break;
    case IA32_STC: ia32_set_flag(s, IA32_CF, true); break;
    case IA32_CMC: ia32_set_flag(s, IA32_CF, !ia32_carry(s)); break;
    case IA32_CLD: ia32_set_flag(s, IA32_DF, false); break;
    case IA32_STD: ia32_set_flag(s, IA32_DF, true); break;
    case IA32_LAHF: ia32_set_register(s, 4, 1, (s->core->flags & ~kept) | 2); break; /* 4: AH */
    default:                                                                         /* SAHF */
        s->core->flags = (s->core->flags & kept) | (ia32_register(s, 4, 1) & IA32_STATUS & ~kept);
        break;
    }
}

static void ia32_execute_move(struct ia32_step *s)
{
    const struct ia32_instruction *i = s->i;
    const uint32_t a = ia32_read(s, 0);
    switch (i->row->operation) {
    case IA32_BSWAP: ia32_write(s, 0, ia32_swapped(a)); break;
    case IA32_XLAT:
        ia32_set_register(
            s, IA32_EAX, 1,
            ia32_load(s, (*ia32_at(s, IA32_EBX) + ia32_register(s, IA32_EAX, 1)) & ia32_address_mask(i), 1));
        break;
    default: break;
    }
}

static void ia32_execute_moves(struct ia32_step *s)
{
    const struct ia32_instruction *i = s->i;
    uint32_t value;
    switch (i->row->operation) {
    case IA32_MOV:
    case IA32_MOVZX: ia32_write(s, 0, ia32_read(s, 1)); break;
    case IA32_MOVSX: ia32_write(s, 0, ia32_signed(ia32_read(s, 1), 8 * i->operand[1].bytes)); break;
    case IA32_CMOV: /* it always loads */
        value = ia32_read(s, 1);
        ia32_write(s, 0, ia32_holds(s) ? value : ia32_read(s, 0));
        break;
    case IA32_SET: ia32_write(s, 0, ia32_holds(s)); break;
    case IA32_LEA: ia32_write(s, 0, s->address); break;
    default: ia32_execute_move(s); break;
    }
}

static void ia32_execute(struct ia32_step *s)
{
    const unsigned operation = s->i->row->operation;
    if (operation <= IA32_NOT)
        ia32_execute_data(s);
    else if (operation <= IA32_SHRD)
        ia32_execute_shift(s);
    else if (operation == IA32_DIV || operation == IA32_IDIV)
        ia32_execute_divide(s);
    else if (operation <= IA32_MULTIPLY)
        ia32_execute_multiply(s);
    else if (operation <= IA32_BTC)
        ia32_execute_bit(s);
    else if (operation <= IA32_TZCNT)
        ia32_execute_scan(s);
    else if (operation == IA32_EXTEND_A || operation == IA32_EXTEND_D)
        ia32_execute_extend(s);
    else if (operation == IA32_XCHG || operation == IA32_XADD)
        ia32_execute_exchange(s);
    else if (operation == IA32_CMPXCHG)
        ia32_execute_compare_exchange(s);
    else if (operation == IA32_CMPXCHG8B)
        ia32_execute_compare_exchange8(s);
    else if (operation >= IA32_PUSH && operation <= IA32_LEAVE)
        ia32_execute_stack(s);
    else if (operation >= IA32_MOVS && operation <= IA32_SCAS)
        ia32_execute_string(s);
    else if (operation >= IA32_CLC && operation <= IA32_SAHF)
        ia32_execute_flags(s);
    else if (operation >= IA32_JCC && operation <= IA32_INT)
        ia32_execute_control(s);
    else if (operation < IA32_NOP)
        ia32_execute_moves(s);
}

/* ---- fetching ---------------------------------------------------------------------------------------------------- */

/* The instruction at the core's pc, of which not all 15 bytes need be there. */
static bool ia32_fetch(struct guest_machine *m, const struct guest_core *c, struct ia32_instruction *i)
{
    uint8_t bytes[15];
    uint32_t available = 0;
    char text[256];
    while (available < sizeof bytes &&
           guest_memory_read(&m->memory, c->pc + available, 1, GUEST_EXECUTE, bytes + available))
        available++;
    if (!available)
        guest_fault_access(m, c, c->pc, 1, GUEST_EXECUTE);
    else if (!ia32_decode(bytes, available, i))
        guest_fault_unknown(m, c, bytes, available, false);
    else if (ia32_is_refused(i)) {
        ia32_describe_refusal(i, c->pc, text, sizeof text);
        guest_fault(m, c, "%s", text);
    }
    return !m->failed;
}

/* Code does not change, so each instruction is decoded once. NULL: a fault. */
static const struct ia32_instruction *ia32_fetch_once(struct guest_machine *m, const struct guest_core *c)
{
    struct ia32_instruction *known = m->decoded, *i = known + c->pc % GUEST_DECODED;
    uint32_t *at = m->decoded_at + c->pc % GUEST_DECODED;
    if (*at == c->pc)
        return i;
    if (!ia32_fetch(m, c, i)) {
        *at = GUEST_NOT_DECODED;
        return NULL;
    }
    *at = c->pc;
    return i;
}

bool ia32_step(struct guest_machine *m, struct guest_core *c, const struct guest_observer *o)
{
    struct ia32_step s = {.machine = m, .core = c, .observer = o, .i = ia32_fetch_once(m, c)};
    if (!s.i)
        return false;
    if (o->instruction)
        o->instruction(o->data, c);
    s.next = c->pc + s.i->length;
    s.address = ia32_address(&s);
    ia32_execute(&s);
    if (s.failed)
        return false;
    c->pc = s.next;
    return true;
}
