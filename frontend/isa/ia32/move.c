/* Uops of instructions that move values: moves and exchanges, the stack, strings, the register of flags. */
#include <string.h>

#include "frontend/isa/ia32/uops.h"

#include "frontend/isa/ia32/flags.h"
#include "frontend/isa/ia32/operations.h"

/* ---- moving ------------------------------------------------------------------------------------------------------ */

static void ia32_extending_move_uops(struct ia32_translation *t)
{
    const struct ia32_operand *to = &t->i->operand[0], *from = &t->i->operand[1];
    const struct operand d = ia32_destination(to);
    const bool is_signed = t->i->row->operation == IA32_MOVSX;
    const int64_t imm = 8 * from->bytes | (is_signed ? IA32_SIGNED : 0);
    if (from->kind == IA32_MEMORY) {
        struct operation o = ia32_access(t, RP_ACCESS_LOAD, from->bytes, t->address, t->displacement, d);
        o.type = is_signed ? from->bytes == 1 ? T_S8 : T_S16 : o.type;
        ia32_emit_access(t, o);
    } else if (from->bytes == 1 && from->number >= 4) {
        ia32_lane(t, IA32_LANE_EXTRACT, d, GUEST_REGISTER(from->number - 4), OPERAND_NONE, imm | 8 << IA32_SHIFT_AT);
    } else {
        ia32_lane(t, IA32_LANE_EXTRACT, d, GUEST_REGISTER(from->number), OPERAND_NONE, imm);
    }
    ia32_finish(t, to, d);
}

static void ia32_move_uops(struct ia32_translation *t)
{
    const struct ia32_operand *to = &t->i->operand[0], *from = &t->i->operand[1];
    if (to->kind == IA32_REGISTER && to->bytes == 4 && from->kind == IA32_MEMORY)
        ia32_load(t, GUEST_REGISTER(to->number), t->address, t->displacement, 4);
    else
        ia32_finish(t, to, ia32_source(t, 1, VALUE_TEMPORARY));
}

/* The operand is loaded whatever the condition says. */
static void ia32_conditional_move_uops(struct ia32_translation *t)
{
    const struct operand value = ia32_second(t);
    ia32_test_condition(t);
    ia32_insert(t, t->i->operand[0].number, t->i->bytes, value);
}

void ia32_set_uops(struct ia32_translation *t)
{
    const struct operand d = guest_temporary(RESULT_TEMPORARY);
    ia32_lane(t, IA32_LANE_SET, d, OPERAND_NONE, OPERAND_NONE, t->i->condition);
    ia32_finish(t, &t->i->operand[0], d);
}

static void ia32_address_uops(struct ia32_translation *t)
{
    const struct ia32_operand *o = &t->i->operand[0];
    const struct operand d = ia32_destination(o);
    ia32_lane(t, IA32_LANE_ADDRESS, d, ia32_whole(t->i->base), ia32_whole(t->i->index),
              ia32_address_imm(t->i, t->i->displacement));
    ia32_finish(t, o, d);
}

/* VALUE_TEMPORARY becomes what the first operand was. b: of an atomic operation, which is carried out by that. */
static void ia32_take_old(struct ia32_translation *t, uint8_t atomic, struct operand b)
{
    const struct ia32_operand *to = &t->i->operand[0];
    const struct operand value = guest_temporary(VALUE_TEMPORARY);
    if (ia32_is_atomic(t->i))
        ia32_emit_access(t, ia32_atomic(t, atomic, b));
    else if (to->kind == IA32_MEMORY)
        ia32_load(t, value, t->address, t->displacement, to->bytes);
    else if (to->bytes == 1 && to->number >= 4)
        ia32_register(t, to->number, to->bytes, VALUE_TEMPORARY);
    else
        ia32_move(t, value, GUEST_REGISTER(to->number));
}

/* XCHG with memory is atomic always. */
static void ia32_exchange_uops(struct ia32_translation *t)
{
    const struct ia32_operand *to = &t->i->operand[0], *from = &t->i->operand[1];
    const struct operand b = ia32_source(t, 1, OTHER_TEMPORARY);
    ia32_take_old(t, RP_ATOMIC_EXCH, b);
    if (to->kind == IA32_REGISTER)
        ia32_insert(t, to->number, to->bytes, b);
    ia32_insert(t, from->number, from->bytes, guest_temporary(VALUE_TEMPORARY));
}

static void ia32_exchange_add_uops(struct ia32_translation *t)
{
    const struct ia32_operand *to = &t->i->operand[0], *from = &t->i->operand[1];
    const struct operand b = ia32_source(t, 1, OTHER_TEMPORARY), value = guest_temporary(VALUE_TEMPORARY);
    const struct operand result = guest_temporary(RESULT_TEMPORARY);
    ia32_take_old(t, RP_ATOMIC_ADD, b);
    ia32_know_result(t, result, false);
    ia32_compute(t, IA32_ADD, result, value, b, t->live != 0);
    if (to->kind == IA32_MEMORY && !ia32_is_atomic(t->i))
        ia32_finish(t, to, result);
    ia32_insert(t, from->number, from->bytes, value);
    if (to->kind == IA32_REGISTER)
        ia32_insert(t, to->number, to->bytes, result);
}

/* Memory is always stored, as processors do: what it was, where it is not EAX. */
static void ia32_compare_exchange_uops(struct ia32_translation *t)
{
    const struct ia32_operand *to = &t->i->operand[0];
    const struct operand old = guest_temporary(VALUE_TEMPORARY), result = guest_temporary(RESULT_TEMPORARY);
    const struct operand b = ia32_source(t, 1, OTHER_TEMPORARY), eax = GUEST_REGISTER(IA32_EAX);
    const struct operand equal = GUEST_PREDICATE(IA32_P_CONDITION);
    if (ia32_is_atomic(t->i)) {
        struct operation o = ia32_atomic(t, RP_ATOMIC_CAS, b);
        o.c = eax;
        ia32_emit_access(t, o);
    } else if (to->kind == IA32_MEMORY) {
        ia32_load(t, old, t->address, t->displacement, to->bytes);
    } else {
        ia32_move(t, old, ia32_register(t, to->number, to->bytes, VALUE_TEMPORARY));
    }
    t->live = IA32_ZF | ia32_flags_live(t->build, t->build->pc + t->i->length, IA32_STATUS);
    ia32_compute(t, IA32_CMP, result, eax, old, true);
    ia32_lane(t, IA32_LANE_CONDITION, OPERAND_NONE, OPERAND_NONE, OPERAND_NONE, 4); /* e */
    if (!ia32_is_atomic(t->i)) {
        ia32_move(t, result, old);
        t->guard = equal;
        ia32_move(t, result, b);
        t->guard = OPERAND_NONE;
        if (to->kind == IA32_MEMORY)
            ia32_finish(t, to, result);
    }
    ia32_lane(t, IA32_LANE_CONDITION, OPERAND_NONE, OPERAND_NONE, OPERAND_NONE, 5); /* ne */
    t->guard = equal;
    ia32_insert(t, IA32_EAX, to->bytes, old);
    t->guard = OPERAND_NONE;
    if (to->kind == IA32_REGISTER)
        ia32_insert(t, to->number, to->bytes, result);
}

/* Two words at once, whether it is locked or not. */
static void ia32_compare_exchange8_uops(struct ia32_translation *t)
{
    const struct operand low = guest_temporary(VALUE_TEMPORARY), high = guest_temporary(OTHER_TEMPORARY);
    struct operation o = ia32_atomic(t, RP_ATOMIC_CAS, OPERAND_NONE);
    const struct operand old[] = {low, high};
    const struct operand values[] = {GUEST_REGISTER(IA32_EAX), GUEST_REGISTER(IA32_EDX), GUEST_REGISTER(IA32_EBX),
                                     GUEST_REGISTER(IA32_ECX)};
    struct operand *copy = ARENA_ARRAY(t->build->arena, struct operand, 6);
    memcpy(copy, old, sizeof old);
    memcpy(copy + 2, values, sizeof values);
    o.op = GUEST_COMPARE_EXCHANGE_PAIR;
    o.type = T_B32;
    o.d = OPERAND_NONE;
    o.lists[0] = (struct operand_list){copy, 2};
    o.lists[1] = (struct operand_list){copy + 2, 4};
    o.memory.width = 4;
    o.memory.elements = 2;
    ia32_emit_access(t, o);
    ia32_lane(t, IA32_LANE_EQUAL, OPERAND_NONE, low, high, 32);
    ia32_move(t, GUEST_REGISTER(IA32_EAX), low);
    ia32_move(t, GUEST_REGISTER(IA32_EDX), high);
}

static void ia32_translate_byte_uops(struct ia32_translation *t)
{
    const struct operand at = guest_temporary(ADDRESS_TEMPORARY), value = guest_temporary(VALUE_TEMPORARY);
    ia32_lane(t, IA32_LANE_EXTRACT, at, GUEST_REGISTER(IA32_EAX), OPERAND_NONE, 8);
    ia32_lane(t, IA32_LANE_ADDRESS, at, GUEST_REGISTER(IA32_EBX), at, ia32_address_imm(t->i, 0));
    ia32_load(t, value, at, 0, 1);
    ia32_insert(t, IA32_EAX, 1, value);
}

/* ---- the stack --------------------------------------------------------------------------------------------------- */

void ia32_push(struct ia32_translation *t, struct operand value, unsigned bytes)
{
    ia32_store(t, value, ESP, -(int64_t)bytes, bytes);
    ia32_move_stack(t, -bytes);
}

/* An address by ESP is that behind the pop. */
static void ia32_pop_uops(struct ia32_translation *t)
{
    const struct ia32_operand *to = &t->i->operand[0];
    const struct operand value = guest_temporary(VALUE_TEMPORARY);
    const bool whole = to->kind == IA32_REGISTER && to->bytes == 4;
    ia32_load(t, whole ? GUEST_REGISTER(to->number) : value, ESP, 0, to->bytes);
    if (!whole || to->number != IA32_ESP)
        ia32_move_stack(t, to->bytes);
    if (to->kind == IA32_MEMORY)
        ia32_find_address(t);
    if (!whole)
        ia32_finish(t, to, value);
}

static void ia32_stack_of_all_uops(struct ia32_translation *t)
{
    const unsigned bytes = t->i->bytes;
    if (t->i->row->operation == IA32_PUSHA) {
        for (unsigned n = 0; n < 8; n++)
            ia32_store(t, GUEST_REGISTER(n), ESP, -(int64_t)(bytes * (n + 1)), bytes);
        ia32_move_stack(t, -8 * bytes);
        return;
    }
    for (unsigned n = 0; n < 8; n++)
        if (7 - n != IA32_ESP) {
            const struct operand value = bytes == 4 ? GUEST_REGISTER(7 - n) : guest_temporary(VALUE_TEMPORARY);
            ia32_load(t, value, ESP, bytes * n, bytes);
            if (bytes == 2)
                ia32_insert(t, 7 - n, bytes, value);
        }
    ia32_add(t, ESP, ESP, 8 * bytes);
}

static void ia32_flags_on_stack_uops(struct ia32_translation *t)
{
    const struct operand value = guest_temporary(VALUE_TEMPORARY);
    if (t->i->row->operation == IA32_PUSHF) {
        ia32_lane(t, IA32_LANE_GET_FLAGS, value, OPERAND_NONE, OPERAND_NONE, 0);
        ia32_push(t, value, t->i->bytes);
        return;
    }
    ia32_load(t, value, ESP, 0, t->i->bytes);
    ia32_move_stack(t, t->i->bytes);
    ia32_lane(t, IA32_LANE_SET_FLAGS, OPERAND_NONE, value, OPERAND_NONE, IA32_STATUS | IA32_DF);
}

static void ia32_stack_uops(struct ia32_translation *t)
{
    switch (t->i->row->operation) {
    case IA32_PUSH: ia32_push(t, ia32_first(t), t->i->bytes); break;
    case IA32_POP: ia32_pop_uops(t); break;
    case IA32_PUSHF:
    case IA32_POPF: ia32_flags_on_stack_uops(t); break;
    case IA32_ENTER:
        ia32_push(t, EBP, t->i->bytes);
        ia32_insert(t, IA32_EBP, t->i->bytes, ESP);
        ia32_add(t, ESP, ESP, -(t->i->immediate & 0xffff));
        break;
    case IA32_LEAVE:
        ia32_load(t, guest_temporary(VALUE_TEMPORARY), EBP, 0, t->i->bytes);
        ia32_add(t, ESP, EBP, t->i->bytes);
        ia32_insert(t, IA32_EBP, t->i->bytes, guest_temporary(VALUE_TEMPORARY));
        break;
    default: ia32_stack_of_all_uops(t); break; /* PUSHA, POPA */
    }
}

void ia32_moving_uops(struct ia32_translation *t)
{
    switch (t->i->row->operation) {
    case IA32_MOV: ia32_move_uops(t); break;
    case IA32_MOVZX:
    case IA32_MOVSX: ia32_extending_move_uops(t); break;
    case IA32_CMOV: ia32_conditional_move_uops(t); break;
    case IA32_LEA: ia32_address_uops(t); break;
    case IA32_XCHG: ia32_exchange_uops(t); break;
    case IA32_XADD: ia32_exchange_add_uops(t); break;
    case IA32_CMPXCHG: ia32_compare_exchange_uops(t); break;
    case IA32_CMPXCHG8B: ia32_compare_exchange8_uops(t); break;
    case IA32_XLAT: ia32_translate_byte_uops(t); break;
    default: ia32_stack_uops(t); break;
    }
}

/* ---- strings ----------------------------------------------------------------------------------------------------- */

int64_t ia32_address_bits(const struct ia32_translation *t) { return t->i->prefixes & IA32_ADDRESS_SIZE ? 16 : 32; }

/* ESI, EDI or ECX as addresses and counts have it. */
struct operand ia32_index(struct ia32_translation *t, unsigned n, unsigned temporary)
{
    if (ia32_address_bits(t) == 32)
        return GUEST_REGISTER(n);
    ia32_lane(t, IA32_LANE_EXTRACT, guest_temporary(temporary), GUEST_REGISTER(n), OPERAND_NONE, 16);
    return guest_temporary(temporary);
}

static void ia32_advance(struct ia32_translation *t, unsigned n)
{
    ia32_lane(t, IA32_LANE_ADVANCE, GUEST_REGISTER(n), GUEST_REGISTER(n), ia32_constant(t, t->i->bytes),
              ia32_address_bits(t));
}

void ia32_count_down(struct ia32_translation *t)
{
    if (ia32_address_bits(t) == 32) {
        ia32_add(t, GUEST_REGISTER(IA32_ECX), GUEST_REGISTER(IA32_ECX), UINT32_MAX);
    } else {
        ia32_add(t, guest_temporary(RESULT_TEMPORARY), GUEST_REGISTER(IA32_ECX), UINT32_MAX);
        ia32_insert(t, IA32_ECX, 2, guest_temporary(RESULT_TEMPORARY));
    }
}

static void ia32_string_step(struct ia32_translation *t)
{
    const unsigned operation = t->i->row->operation, bytes = t->i->bytes;
    const bool from = operation == IA32_MOVS || operation == IA32_LODS || operation == IA32_CMPS;
    const struct operand value = guest_temporary(VALUE_TEMPORARY), other = guest_temporary(OTHER_TEMPORARY);
    const struct operand eax = GUEST_REGISTER(IA32_EAX);
    if (from)
        ia32_load(t, value, ia32_index(t, IA32_ESI, ADDRESS_TEMPORARY), 0, bytes);
    const struct operand to = operation == IA32_LODS ? OPERAND_NONE : ia32_index(t, IA32_EDI, ADDRESS_TEMPORARY);
    if (operation == IA32_MOVS || operation == IA32_STOS)
        ia32_store(t, from ? value : eax, to, 0, bytes);
    if (operation == IA32_CMPS || operation == IA32_SCAS) {
        ia32_load(t, other, to, 0, bytes);
        t->live = IA32_ZF | ia32_flags_live(t->build, t->build->pc + t->i->length, IA32_STATUS);
        ia32_compute(t, IA32_CMP, guest_temporary(RESULT_TEMPORARY), from ? value : eax, other, true);
    }
    if (operation == IA32_LODS)
        ia32_insert(t, IA32_EAX, bytes, value);
    if (from)
        ia32_advance(t, IA32_ESI);
    if (operation != IA32_LODS)
        ia32_advance(t, IA32_EDI);
}

void ia32_branch_by_count(struct ia32_translation *t, unsigned compare, uint32_t target)
{
    struct operation o = ia32_branch_to(target);
    o.a = ia32_index(t, IA32_ECX, RESULT_TEMPORARY);
    o.compare = (uint8_t)compare;
    ia32_emit(t, o);
}

/* A repeated one goes to itself as long as there is more to do. */
void ia32_string_uops(struct ia32_translation *t)
{
    const unsigned operation = t->i->row->operation;
    if (!ia32_repeats(t->i)) {
        ia32_string_step(t);
        return;
    }
    ia32_lane(t, IA32_LANE_REPEAT, OPERAND_NONE, GUEST_REGISTER(IA32_ECX), OPERAND_NONE, ia32_address_bits(t));
    t->guard = GUEST_PREDICATE(IA32_P_CONDITION);
    ia32_string_step(t);
    ia32_count_down(t);
    if (operation == IA32_CMPS || operation == IA32_SCAS)
        ia32_lane(t, IA32_LANE_CONDITION, OPERAND_NONE, OPERAND_NONE, OPERAND_NONE,
                  t->i->prefixes & IA32_REP ? 4 : 5); /* e, ne */
    ia32_branch_by_count(t, CMP_NE, t->build->pc);
}

/* ---- flags ------------------------------------------------------------------------------------------------------- */

void ia32_flag_uops(struct ia32_translation *t)
{
    const struct operand value = guest_temporary(VALUE_TEMPORARY);
    const unsigned operation = t->i->row->operation;
    switch (operation) {
    case IA32_CLC:
    case IA32_STC:
    case IA32_CMC: ia32_lane(t, IA32_LANE_CARRY, OPERAND_NONE, OPERAND_NONE, OPERAND_NONE, operation - IA32_CLC); break;
    case IA32_CLD:
    case IA32_STD:
        ia32_lane(t, IA32_LANE_DIRECTION, OPERAND_NONE, OPERAND_NONE, OPERAND_NONE, operation - IA32_CLD);
        break;
    case IA32_LAHF: /* AH: register 4 of 8 bits */
        ia32_lane(t, IA32_LANE_GET_FLAGS, value, OPERAND_NONE, OPERAND_NONE, 0);
        ia32_insert(t, 4, 1, value);
        break;
    default: /* SAHF */
        ia32_lane(t, IA32_LANE_SET_FLAGS, OPERAND_NONE, ia32_register(t, 4, 1, VALUE_TEMPORARY), OPERAND_NONE,
                  IA32_STATUS & ~IA32_OF);
        break;
    }
}
