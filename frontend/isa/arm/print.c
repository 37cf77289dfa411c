/* Instructions as text. A row's syntax is copied; in it %d is register d, and so on: print_operand has them all. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "frontend/isa/arm/table.h"

static const char *const register_names[16] = {"r0", "r1", "r2", "r3", "r4", "r5", "r6", "r7",
                                               "r8", "r9", "sl", "fp", "ip", "sp", "lr", "pc"};
static const char *const conditions[15] = {"eq", "ne", "cs", "cc", "mi", "pl", "vs", "vc",
                                           "hi", "ls", "ge", "lt", "gt", "le", ""};
static const char *const shifts[] = {"lsl", "lsr", "asr", "ror", "rrx"};

struct arm_text {
    char *at, *end;
    const struct arm_instruction *i;
    uint32_t pc;
};

static void put(struct arm_text *t, const char *text)
{
    while (*text && t->at + 1 < t->end)
        *t->at++ = *text++;
    *t->at = '\0';
}

static void put_number(struct arm_text *t, const char *format, uint32_t value)
{
    char text[32];
    snprintf(text, sizeof text, format, value);
    put(t, text);
}

static void put_register(struct arm_text *t, unsigned n) { put(t, n < 16 ? register_names[n] : "?"); }

static void put_shift(struct arm_text *t)
{
    const struct arm_instruction *i = t->i;
    if (i->operand == ARM_REGISTER && i->shift == ARM_LSL && !i->amount)
        return;
    put(t, ", ");
    put(t, shifts[i->shift]);
    if (i->operand == ARM_SHIFTED_BY)
        put(t, " "), put_register(t, i->a);
    else if (i->shift != ARM_RRX)
        put_number(t, " #%" PRIu32, i->amount);
}

static void put_immediate(struct arm_text *t, uint32_t value)
{
    put_number(t, t->i->flags & ARM_THUMB ? "#%" PRIu32 : "#%" PRId32, value);
}

static void put_operand(struct arm_text *t)
{
    if (t->i->operand == ARM_IMMEDIATE) {
        put_immediate(t, t->i->imm);
        return;
    }
    put_register(t, t->i->m);
    put_shift(t);
}

/* The offset of a memory access, after a comma; nothing if it is 0 and says nothing. */
static void put_offset(struct arm_text *t)
{
    const struct arm_instruction *i = t->i;
    const char *sign = i->flags & ARM_UP ? "" : "-";
    if (i->operand == ARM_IMMEDIATE) {
        if (!i->imm && i->flags & ARM_UP && i->flags & ARM_PRE && !(i->flags & ARM_WRITES_BACK) && i->length == 4)
            return;
        put(t, ", #");
        put(t, sign);
        put_number(t, "%" PRIu32, i->imm);
    } else if (i->operand != ARM_NO_OPERAND) {
        put(t, ", ");
        put(t, sign);
        put_operand(t);
    }
}

static void put_address(struct arm_text *t)
{
    put(t, "[");
    put_register(t, t->i->n);
    if (!(t->i->flags & ARM_PRE))
        put(t, "]");
    put_offset(t);
    if (t->i->flags & ARM_PRE)
        put(t, t->i->flags & ARM_WRITES_BACK ? "]!" : "]");
}

static void put_list(struct arm_text *t)
{
    const char *between = "";
    put(t, "{");
    for (unsigned r = 0; r < 16; r++)
        if (t->i->imm >> r & 1) {
            put(t, between);
            put_register(t, r);
            between = ", ";
        }
    put(t, "}");
}

static void put_barrier(struct arm_text *t)
{
    static const char *const names[16] = {
        [1] = "oshld", [2] = "oshst",  [3] = "osh",  [5] = "nshld", [6] = "unst", [7] = "un",
        [9] = "ishld", [10] = "ishst", [11] = "ish", [13] = "ld",   [14] = "st",  [15] = "sy"};
    const bool any = t->i->imm == 15 || strcmp(t->i->row->name, "isb") != 0;
    if (any && names[t->i->imm & 15])
        put(t, names[t->i->imm & 15]);
    else
        put_number(t, "#%" PRIu32, t->i->imm);
}

static void put_status_fields(struct arm_text *t)
{
    put(t, "CPSR_");
    for (unsigned n = 0; n < 4; n++)
        if (t->i->a >> (3 - n) & 1)
            put(t, (const char *[]){"f", "s", "x", "c"}[n]);
}

/* The letters behind "it", and the first condition. */
static const char *it_letters(const struct arm_instruction *i, char out[4])
{
    unsigned n = 0;
    for (unsigned bit = 3; i->imm & ((1u << bit) - 1); bit--)
        out[n++] = (i->imm >> bit & 1) == (i->imm >> 4 & 1) ? 't' : 'e';
    out[n] = '\0';
    return out;
}

static uint32_t branch_target(const struct arm_instruction *i, uint32_t pc)
{
    const uint32_t base = arm_pc_value(i, pc);
    return (i->row->operation == ARM_BLX ? base & ~3u : base) + i->imm;
}

/* Returns how many letters it took. */
static size_t print_operand(struct arm_text *t, const char *letter)
{
    const struct arm_instruction *i = t->i;
    switch (*letter) {
    case 'd': put_register(t, i->d); return 1;
    case 'D': put_number(t, "r%" PRIu32, i->d); return 1;
    case 'n': put_register(t, i->n); return 1;
    case 'm': put_register(t, i->m); return 1;
    case 'a': put_register(t, i->a); return 1;
    case 'o': put_operand(t); return 1;
    case 'A': put_address(t); return 1;
    case 'l': put_list(t); return 1;
    case '!': put(t, i->flags & ARM_WRITES_BACK ? "!" : ""); return 1;
    case 's': put_number(t, "%" PRIu32, i->amount); return 1;
    case 'i': put_number(t, "#%" PRIu32, i->imm); return 1;
    case 'u': put_number(t, "%" PRIu32, i->imm); return 1;
    case 'x': put_number(t, letter[1] == '8' ? "0x%08" PRIx32 : "0x%04" PRIx32, i->imm); return 2;
    case 'f':
        put_number(t, "#%" PRIu32, i->imm & 255);
        put_number(t, ", #%" PRIu32, i->imm >> 8);
        return 1;
    case 'b': put_number(t, "%" PRIx32, branch_target(i, t->pc)); return 1;
    case 'c': put_barrier(t); return 1;
    case 'g': put_status_fields(t); return 1;
    default: put(t, conditions[i->imm >> 4 < 15 ? i->imm >> 4 : 14]); return 1; /* 't' */
    }
}

/* The name, with what flags and condition add to it, which stands before a full stop. */
static void print_name(struct arm_text *t, const char *name)
{
    const struct arm_instruction *i = t->i;
    char base[24];
    const char *suffix = strchr(name, '.');
    snprintf(base, sizeof base, "%.*s", suffix ? (int)(suffix - name) : (int)strlen(name), name);
    put(t, base);
    if (i->row->operation == ARM_IT)
        put(t, it_letters(i, base));
    const bool test = i->row->operation >= ARM_TST && i->row->operation <= ARM_CMN;
    put(t, i->flags & ARM_SETS && !test ? "s" : "");
    put(t, conditions[i->cond]);
    put(t, suffix ? suffix : "");
}

/* A32 has shifts as MOV; their own names say more. */
static const char *shift_syntax(const struct arm_instruction *i)
{
    if (i->flags & ARM_THUMB || i->row->operation != ARM_MOV || i->operand < ARM_REGISTER)
        return NULL;
    if (i->operand == ARM_SHIFTED_BY)
        return "%d, %m, %a";
    return i->shift == ARM_RRX ? "%d, %m" : i->shift == ARM_LSL && !i->amount ? NULL : "%d, %m, #%s";
}

void arm_print(const struct arm_instruction *i, uint32_t pc, char *text, size_t size)
{
    struct arm_text t = {text, text + size, i, pc};
    const char *as_shift = shift_syntax(i), *syntax = as_shift ? as_shift : i->row->syntax;
    print_name(&t, as_shift ? shifts[i->shift] : i->row->name);
    put(&t, *syntax ? " " : "");
    while (*syntax) {
        const char letter[2] = {*syntax++, '\0'};
        if (*letter == '%')
            syntax += print_operand(&t, syntax);
        else
            put(&t, letter);
    }
}
