/* Instructions as text, in AT&T's syntax as binutils has it. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "frontend/isa/ia32/table.h"

static const char *const names8[8] = {"al", "cl", "dl", "bl", "ah", "ch", "dh", "bh"};
static const char *const names16[8] = {"ax", "cx", "dx", "bx", "sp", "bp", "si", "di"};
static const char *const names32[8] = {"eax", "ecx", "edx", "ebx", "esp", "ebp", "esi", "edi"};
static const char *const segments[IA32_NO_SEGMENT] = {"es", "cs", "ss", "ds", "fs", "gs"};
static const char *const conditions[16] = {"o", "no", "b", "ae", "e", "ne", "be", "a",
                                           "s", "ns", "p", "np", "l", "ge", "le", "g"};

struct ia32_text {
    char *at, *end;
    const struct ia32_instruction *i;
    uint32_t pc;
};

static void put(struct ia32_text *t, const char *text)
{
    while (*text && t->at + 1 < t->end)
        *t->at++ = *text++;
    *t->at = '\0';
}

/* A number in base 16, behind `before`. */
static void put_number(struct ia32_text *t, const char *before, uint32_t value)
{
    char text[12];
    put(t, before);
    snprintf(text, sizeof text, "%" PRIx32, value);
    put(t, text);
}

static void put_register(struct ia32_text *t, unsigned number, unsigned bytes)
{
    put(t, "%");
    put(t, (bytes == 1 ? names8 : bytes == 2 ? names16 : names32)[number & 7]);
}

/* ---- addresses --------------------------------------------------------------------------------------------------- */

static unsigned address_bytes(const struct ia32_instruction *i) { return i->prefixes & IA32_ADDRESS_SIZE ? 2 : 4; }

static void put_segment(struct ia32_text *t, unsigned segment)
{
    put(t, "%");
    put(t, segments[segment]);
    put(t, ":");
}

static void put_displacement(struct ia32_text *t, bool alone)
{
    const struct ia32_instruction *i = t->i;
    const uint32_t mask = ia32_address_mask(i);
    if (alone)
        put_number(t, "0x", i->displacement & mask);
    else if ((int32_t)i->displacement < 0)
        put_number(t, "-0x", -i->displacement);
    else
        put_number(t, "0x", i->displacement);
}

/* binutils shows an index that says nothing, where a base alone would not need the SIB byte. */
static void put_index(struct ia32_text *t)
{
    const struct ia32_instruction *i = t->i;
    if (i->index == IA32_NOWHERE && (!i->sib || (i->base == IA32_ESP && !i->scale)))
        return;
    put(t, ",");
    if (i->index == IA32_NOWHERE)
        put(t, "%eiz");
    else
        put_register(t, i->index, address_bytes(i));
    if (address_bytes(i) == 4)
        put_number(t, ",", 1u << i->scale);
}

static void put_address(struct ia32_text *t)
{
    const struct ia32_instruction *i = t->i;
    const bool alone = i->base == IA32_NOWHERE && i->index == IA32_NOWHERE && !i->sib;
    if (i->segment != IA32_NO_SEGMENT)
        put_segment(t, i->segment);
    if (i->has_displacement)
        put_displacement(t, alone);
    if (alone)
        return;
    put(t, "(");
    if (i->base != IA32_NOWHERE)
        put_register(t, i->base, address_bytes(i));
    put_index(t);
    put(t, ")");
}

/* What ESI and EDI point to; EDI's segment is always ES. */
static void put_string(struct ia32_text *t, unsigned number)
{
    put_segment(t, number == IA32_EDI ? IA32_ES : t->i->segment == IA32_NO_SEGMENT ? IA32_DS : t->i->segment);
    put(t, "(");
    put_register(t, number, address_bytes(t->i));
    put(t, ")");
}

/* ---- operands ---------------------------------------------------------------------------------------------------- */

static void put_immediate(struct ia32_text *t, unsigned n)
{
    const struct ia32_instruction *i = t->i;
    const uint32_t value = i->row->operation == IA32_ENTER && n ? i->displacement : i->immediate;
    const unsigned bytes = i->operand[n].bytes;
    put_number(t, "$0x", bytes == 1 ? value & 0xff : bytes == 2 ? value & 0xffff : value);
}

static void put_operand(struct ia32_text *t, unsigned n)
{
    const struct ia32_instruction *i = t->i;
    const struct ia32_operand *o = &i->operand[n];
    if (i->row->operation == IA32_JMP_TO || i->row->operation == IA32_CALL_TO)
        put(t, "*");
    switch (o->kind) {
    case IA32_REGISTER: put_register(t, o->number, o->bytes); break;
    case IA32_IMMEDIATE: put_immediate(t, n); break;
    case IA32_TARGET: put_number(t, "", ia32_target(i, t->pc)); break;
    default:
        if (i->row->flags & IA32_STRING)
            put_string(t, o->number);
        else
            put_address(t);
    }
}

static bool is_hidden(const struct ia32_instruction *i, unsigned n)
{
    return !i->operand[n].kind || strchr("1RB", i->row->operands[2 * n]);
}

static void put_operands(struct ia32_text *t)
{
    const struct ia32_instruction *i = t->i;
    const char *between = " ";
    for (unsigned k = 0; k < IA32_OPERANDS; k++) {
        const unsigned n = i->row->flags & IA32_INTEL ? k : IA32_OPERANDS - 1 - k;
        if (is_hidden(i, n))
            continue;
        put(t, between);
        put_operand(t, n);
        between = ",";
    }
}

/* ---- names ------------------------------------------------------------------------------------------------------- */

static const char *suffix(unsigned bytes) { return bytes == 1 ? "b" : bytes == 2 ? "w" : "l"; }

/* What has no operands that say its size, and a suffix for 16 bits. */
static bool is_narrow_stack(const struct ia32_instruction *i)
{
    const unsigned operation = i->row->operation;
    return i->bytes == 2 && operation >= IA32_PUSHA && operation <= IA32_LEAVE;
}

/* Whether no register says the size of what lies in memory. */
static bool needs_suffix(const struct ia32_instruction *i)
{
    if (i->row->flags & IA32_NO_SUFFIX)
        return i->bytes == 2 && i->operand[0].kind != IA32_REGISTER &&
               (i->row->operation == IA32_PUSH || i->row->operation == IA32_POP);
    if (!ia32_memory(i) || i->operand[0].kind != IA32_MEMORY)
        return false;
    return i->operand[1].kind != IA32_REGISTER || i->row->operands[2] == 'C';
}

static void put_name(struct ia32_text *t)
{
    const struct ia32_instruction *i = t->i;
    const bool narrow = i->prefixes & IA32_OPERAND_SIZE;
    switch (i->row->operation) {
    case IA32_EXTEND_A: put(t, narrow ? "cbtw" : "cwtl"); return;
    case IA32_EXTEND_D: put(t, narrow ? "cwtd" : "cltd"); return;
    case IA32_JECXZ: put(t, i->prefixes & IA32_ADDRESS_SIZE ? "jcxz" : "jecxz"); return;
    case IA32_MOVZX:
    case IA32_MOVSX:
        put(t, i->row->name);
        put(t, suffix(i->operand[1].bytes));
        put(t, suffix(i->bytes));
        return;
    default: put(t, i->row->name);
    }
    if (i->row->operation >= IA32_LOOP && i->row->operation <= IA32_LOOPNE && i->prefixes & IA32_ADDRESS_SIZE)
        put(t, "w");
    if (i->row->flags & IA32_CONDITION)
        put(t, conditions[i->condition]);
    if (i->row->flags & IA32_SUFFIX || needs_suffix(i) || is_narrow_stack(i) ||
        (i->row->operation == IA32_NOP && ia32_memory(i) && !(i->row->flags & IA32_NO_SUFFIX)))
        put(t, suffix(i->bytes));
}

/* A prefix by its name, where it is no part of the instruction's. */
static void put_prefixes(struct ia32_text *t)
{
    const struct ia32_instruction *i = t->i;
    const bool compares = i->row->operation == IA32_CMPS || i->row->operation == IA32_SCAS || !ia32_repeats(i);
    const unsigned repeat = ia32_repeats(i) || i->row->operation == IA32_RET ? i->prefixes : i->spare;
    if (i->prefixes & IA32_LOCK)
        put(t, "lock ");
    if (repeat & IA32_REP)
        put(t, compares ? "repz " : "rep ");
    if (repeat & IA32_REPNE)
        put(t, "repnz ");
    if (i->spare & IA32_OPERAND_SIZE)
        put(t, "data16 ");
    if (i->spare & IA32_ADDRESS_SIZE)
        put(t, "addr16 ");
    if (i->segment != IA32_NO_SEGMENT && !ia32_memory(i)) {
        if (i->segment == IA32_DS && i->row->operation >= IA32_JCC && i->row->operation <= IA32_RET)
            put(t, "notrack ");
        else
            put(t, segments[i->segment]), put(t, " ");
    }
}

void ia32_print(const struct ia32_instruction *i, uint32_t pc, char *text, size_t size)
{
    struct ia32_text t = {text, text + size, i, pc};
    put(&t, "");
    put_prefixes(&t);
    if (i->row->operation == IA32_REFUSED) {
        put(&t, i->row->name);
        put(&t, " (");
        put(&t, i->row->why);
        put(&t, ")");
    } else if (i->row->operation == IA32_NOP && !i->operand[0].kind && i->prefixes & IA32_OPERAND_SIZE) {
        put(&t, "xchg %ax,%ax");
    } else {
        put_name(&t);
        put_operands(&t);
        if (i->row->operation == IA32_XLAT)
            put(&t, " %ds:(%ebx)");
    }
}
