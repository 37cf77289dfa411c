/* Uops that translations of all kinds consist of: accesses of memory, reading and writing operands. */
#include <string.h>

#include "frontend/isa/ia32/uops.h"

#include "frontend/isa/ia32/operations.h"

/* ---- emitting ---------------------------------------------------------------------------------------------------- */

void ia32_emit(struct ia32_translation *t, struct operation o)
{
    o.guard = t->guard;
    guest_emit(t->build, o);
}

struct operation ia32_operation(uop_fn fn, struct operand d, struct operand a, struct operand b, int64_t imm)
{
    return (struct operation){.kind = UOP_LANE, .op = OP_GUEST, .fn = fn, .d = d, .a = a, .b = b, .imm = imm};
}

void ia32_lane(struct ia32_translation *t, enum ia32_lane lane, struct operand d, struct operand a, struct operand b,
               int64_t imm)
{
    ia32_emit(t, ia32_operation(SIMD_SELECT(ia32_lane_handler)(lane, imm), d, a, b, imm));
}

void ia32_move(struct ia32_translation *t, struct operand d, struct operand a)
{
    ia32_emit(t, (struct operation){.kind = UOP_LANE, .op = OP_MOV, .type = T_B32, .d = d, .a = a});
}

void ia32_add(struct ia32_translation *t, struct operand d, struct operand a, uint32_t distance)
{
    ia32_emit(
        t, (struct operation){
               .kind = UOP_LANE, .op = OP_ADD, .type = T_B32, .d = d, .a = a, .b = guest_constant(t->build, distance)});
}

struct operand ia32_constant(const struct ia32_translation *t, uint32_t value)
{
    return guest_constant(t->build, value);
}

unsigned ia32_bits(const struct ia32_translation *t) { return 8u * t->i->bytes; }

int64_t ia32_wants(const struct ia32_translation *t)
{
    return ia32_bits(t) | (t->live & IA32_PF ? IA32_WANTS_PARITY : 0) | (t->live & IA32_AF ? IA32_WANTS_ADJUST : 0) |
           (t->live ? IA32_WANTS_FLAGS : 0) | (t->live == IA32_CF ? IA32_CARRY_ALONE : 0);
}

/* ---- memory ------------------------------------------------------------------------------------------------------ */

static enum lane_type ia32_type(unsigned bytes) { return bytes == 1 ? T_U8 : bytes == 2 ? T_U16 : T_B32; }

struct operation ia32_access(struct ia32_translation *t, uint8_t kind, unsigned bytes, struct operand address,
                             int64_t displacement, struct operand d)
{
    const struct rp_memory_operand m = {.kind = kind, .space = RP_SPACE_GLOBAL, .elements = 1, .width = bytes};
    return (struct operation){.kind = UOP_MEMORY,
                              .type = (uint8_t)ia32_type(bytes),
                              .a = address,
                              .imm = displacement,
                              .d = d,
                              .memory = m,
                              .access = (uint8_t)t->accesses.count};
}

void ia32_emit_access(struct ia32_translation *t, struct operation o)
{
    t->accesses.at[t->accesses.count++] = o.memory;
    ia32_emit(t, o);
}

void ia32_load(struct ia32_translation *t, struct operand d, struct operand address, int64_t displacement,
               unsigned bytes)
{
    ia32_emit_access(t, ia32_access(t, RP_ACCESS_LOAD, bytes, address, displacement, d));
}

/* What is stored must be a register. */
void ia32_store(struct ia32_translation *t, struct operand value, struct operand address, int64_t displacement,
                unsigned bytes)
{
    if (!is_register(value)) {
        ia32_move(t, guest_temporary(OTHER_TEMPORARY), value);
        value = guest_temporary(OTHER_TEMPORARY);
    }
    ia32_emit_access(t, ia32_access(t, RP_ACCESS_STORE, bytes, address, displacement, value));
}

void ia32_move_stack(struct ia32_translation *t, uint32_t distance)
{
    struct operation *o = &t->build->operations.at[t->build->operations.count - 1];
    o->op = GUEST_MOVING_ACCESS;
    o->c = ia32_constant(t, distance);
}

struct operand ia32_whole(unsigned n) { return n < 8 ? GUEST_REGISTER(n) : OPERAND_NONE; }

int64_t ia32_address_imm(const struct ia32_instruction *i, uint32_t displacement)
{
    return (int64_t)displacement | (int64_t)i->scale << IA32_SCALE_AT |
           (i->prefixes & IA32_ADDRESS_SIZE ? (int64_t)1 << IA32_SHORT_ADDRESS : 0);
}

/* The operand in memory: a register, or a sum in a temporary, and a displacement. */
void ia32_find_address(struct ia32_translation *t)
{
    const struct ia32_instruction *i = t->i;
    const bool is_short = i->prefixes & IA32_ADDRESS_SIZE;
    t->displacement = is_short ? 0 : (int32_t)i->displacement;
    if (!is_short && i->index == IA32_NOWHERE) {
        t->address = ia32_whole(i->base);
    } else if (!is_short && i->base == IA32_NOWHERE && !i->scale) {
        t->address = ia32_whole(i->index);
    } else {
        t->address = guest_temporary(ADDRESS_TEMPORARY);
        ia32_lane(t, IA32_LANE_ADDRESS, t->address, ia32_whole(i->base), ia32_whole(i->index),
                  ia32_address_imm(i, is_short ? i->displacement : 0));
    }
}

/* ---- operands ---------------------------------------------------------------------------------------------------- */

struct operand ia32_register(struct ia32_translation *t, unsigned n, unsigned bytes, unsigned temporary)
{
    if (bytes != 1 || n < 4)
        return GUEST_REGISTER(n);
    const struct operand d = guest_temporary(temporary);
    ia32_lane(t, IA32_LANE_EXTRACT, d, GUEST_REGISTER(n - 4), OPERAND_NONE, 8 | 8 << IA32_SHIFT_AT);
    return d;
}

struct operand ia32_source(struct ia32_translation *t, unsigned n, unsigned temporary)
{
    const struct ia32_operand *o = &t->i->operand[n];
    const struct operand d = guest_temporary(temporary);
    switch (o->kind) {
    case IA32_REGISTER: return ia32_register(t, o->number, o->bytes, temporary);
    case IA32_MEMORY: ia32_load(t, d, t->address, t->displacement, o->bytes); return d;
    case IA32_IMMEDIATE: return ia32_constant(t, ia32_low_bits(t->i->immediate, 8u * o->bytes));
    default: return OPERAND_NONE;
    }
}

/* The temporaries of the first two operands: what is loaded is in VALUE, the other one in OTHER. */
unsigned ia32_temporary(const struct ia32_translation *t, unsigned n)
{
    const bool second_in_memory = t->i->operand[1].kind == IA32_MEMORY;
    return (n == 1) == second_in_memory ? VALUE_TEMPORARY : OTHER_TEMPORARY;
}
struct operand ia32_first(struct ia32_translation *t) { return ia32_source(t, 0, ia32_temporary(t, 0)); }
struct operand ia32_second(struct ia32_translation *t) { return ia32_source(t, 1, ia32_temporary(t, 1)); }

struct operand ia32_destination(const struct ia32_operand *o)
{
    return o->kind == IA32_REGISTER && o->bytes == 4 ? GUEST_REGISTER(o->number) : guest_temporary(RESULT_TEMPORARY);
}

void ia32_insert(struct ia32_translation *t, unsigned n, unsigned bytes, struct operand value)
{
    const bool high = bytes == 1 && n >= 4;
    if (bytes == 4)
        ia32_move(t, GUEST_REGISTER(n), value);
    else
        ia32_lane(t, IA32_LANE_INSERT, GUEST_REGISTER(high ? n - 4 : n), value, OPERAND_NONE,
                  8 * (int64_t)bytes | (high ? 8 << IA32_SHIFT_AT : 0));
}

void ia32_finish(struct ia32_translation *t, const struct ia32_operand *o, struct operand value)
{
    if (o->kind == IA32_MEMORY)
        ia32_store(t, value, t->address, t->displacement, o->bytes);
    else if (value.at != ia32_destination(o).at || o->bytes < 4)
        ia32_insert(t, o->number, o->bytes, value);
}
