#include "frontend/isa/arm/table.h"

#define ROW(name, mask, value, fields, syntax, operation, class)                                                       \
    {name, mask, value, fields, syntax, ARM_##operation, ARM_CLASS_##class},
const struct arm_row arm_a32_rows[] = {
#include "frontend/isa/arm/a32.def"
};
const struct arm_row arm_t32_rows[] = {
#include "frontend/isa/arm/t32.def"
};
#undef ROW
const unsigned arm_a32_row_count = sizeof arm_a32_rows / sizeof *arm_a32_rows;
const unsigned arm_t32_row_count = sizeof arm_t32_rows / sizeof *arm_t32_rows;

/* ---- fields ------------------------------------------------------------------------------------------------------ */

/* `count` bits of w from bit `at` on. */
static uint32_t bits(uint32_t w, unsigned at, unsigned count) { return w >> at & ((1u << count) - 1); }
static uint8_t reg(uint32_t w, unsigned at) { return (uint8_t)(w >> at & 15); }
static uint8_t short_reg(uint32_t w, unsigned at) { return (uint8_t)(w >> at & 7); }
static uint32_t sign_extend(uint32_t value, unsigned width)
{
    return (uint32_t)((int32_t)(value << (32 - width)) >> (32 - width));
}
static uint8_t flag_if(uint32_t w, unsigned bit, unsigned flag) { return w >> bit & 1 ? (uint8_t)flag : 0; }
static uint32_t rotate_right(uint32_t x, unsigned n) { return n ? x >> n | x << (32 - n) : x; }

static void immediate(struct arm_instruction *i, uint32_t value)
{
    i->operand = ARM_IMMEDIATE;
    i->imm = value;
}

/* DecodeImmShift, A8.4.3 */
static void constant_shift(struct arm_instruction *i, unsigned type, unsigned amount)
{
    i->operand = ARM_REGISTER;
    i->shift = (uint8_t)(type == ARM_ROR && !amount ? ARM_RRX : type);
    i->amount = (uint8_t)(amount ? amount : type == ARM_LSL ? 0 : type == ARM_ROR ? 1 : 32);
}

static void shift_by_register(struct arm_instruction *i, unsigned type)
{
    i->operand = ARM_SHIFTED_BY;
    i->shift = (uint8_t)type;
}

static void rotation(struct arm_instruction *i, unsigned bytes)
{
    constant_shift(i, bytes ? ARM_ROR : ARM_LSL, 8 * bytes);
}

static void bit_field(struct arm_instruction *i, uint32_t first, uint32_t width) { i->imm = ARM_FIELD(first, width); }

/* ARMExpandImm, A5.2.4 */
static void expand_a32(struct arm_instruction *i, uint32_t w)
{
    immediate(i, rotate_right(w & 255, 2 * bits(w, 8, 4)));
    i->flags |= bits(w, 8, 4) ? ARM_ROTATED : 0;
}

/* ThumbExpandImm, A6.3.2 */
static uint32_t t32_imm12(uint32_t w) { return bits(w, 26, 1) << 11 | bits(w, 12, 3) << 8 | (w & 255); }
static void expand_t32(struct arm_instruction *i, uint32_t w)
{
    const uint32_t imm12 = t32_imm12(w), byte = w & 255;
    if (imm12 >> 10) {
        immediate(i, rotate_right((imm12 & 127) | 128, imm12 >> 7));
        i->flags |= ARM_ROTATED;
        return;
    }
    static const uint32_t times[] = {1, 0x00010001, 0x01000100, 0x01010101};
    immediate(i, byte * times[imm12 >> 8 & 3]);
}

/* Operations of rows whose fields end in two digits: P56 */
static void parallel(struct arm_instruction *i, const char *digits)
{
    i->imm = ARM_PARALLEL_OPERATION((uint32_t)(digits[0] - '0'), (uint32_t)(digits[1] - '0'));
}

/* ---- A32 --------------------------------------------------------------------------------------------------------- */

static void a32_indexing(struct arm_instruction *i, uint32_t w)
{
    i->flags |= flag_if(w, 23, ARM_UP) | flag_if(w, 24, ARM_PRE) | flag_if(w, 21, ARM_WRITES_BACK);
    if (i->row->class == ARM_CLASS_NOTHING)
        i->flags = (uint8_t)((i->flags & ~ARM_WRITES_BACK) | ARM_PRE);
    else if (i->row->class != ARM_CLASS_MULTIPLE && !(i->flags & ARM_PRE))
        i->flags |= ARM_WRITES_BACK;
}

/* Registers, by a letter. False: the letter is none of these. */
static bool a32_register(struct arm_instruction *i, uint32_t w, char field)
{
    switch (field) {
    case 'n': i->n = reg(w, 16); return true;
    case 'd': i->d = reg(w, 12); return true;
    case 'm': i->m = reg(w, 0); return true;
    case 'N': i->n = reg(w, 0); return true;
    case 'D': i->d = reg(w, 16); return true;
    case 'M': i->m = reg(w, 8); return true;
    case 'A': i->a = reg(w, 12); return true;
    case 'E': i->m = reg(w, 0); return true;
    case 'p': i->a = (uint8_t)(i->d + 1); return true; /* the second register of a pair */
    case 'q': i->a = (uint8_t)(i->m + 1); return true;
    case 'g': i->a = reg(w, 16); return true; /* fields of the status register */
    default: return false;
    }
}

static void a32_operand(struct arm_instruction *i, uint32_t w, char field)
{
    switch (field) {
    case 'i': expand_a32(i, w); break;
    case 'o': constant_shift(i, bits(w, 5, 2), bits(w, 7, 5)); break;
    case 'r': shift_by_register(i, bits(w, 5, 2)), i->a = reg(w, 8); break;
    case 'w': immediate(i, bits(w, 16, 4) << 12 | bits(w, 0, 12)); break;
    case 'I': immediate(i, bits(w, 0, 12)); break;
    case 'H': immediate(i, bits(w, 8, 4) << 4 | bits(w, 0, 4)); break;
    case 'R': constant_shift(i, ARM_LSL, 0); break;
    case 'e': rotation(i, bits(w, 10, 2)); break;
    case 'l': i->imm = bits(w, 0, 16); break;
    case 'b': i->imm = sign_extend(w, 24) << 2; break;
    case 'h': i->imm = sign_extend(w, 24) << 2 | bits(w, 24, 1) << 1; break;
    case 'c': i->imm = bits(w, 0, 4); break;
    case 'k': i->imm = bits(w, 8, 12) << 4 | bits(w, 0, 4); break;
    case 'v': i->imm = bits(w, 0, 24); break;
    case 's': i->imm += bits(w, 16, 5); break;
    case 'f': bit_field(i, bits(w, 7, 5), bits(w, 16, 5) + 1); break;
    case 'B': bit_field(i, bits(w, 7, 5), bits(w, 16, 5) + 1 - bits(w, 7, 5)); break;
    case '1':
    case '2':
    case '3': i->imm = (uint32_t)(field - '0'); break;
    default: break;
    }
}

static void a32_fields(struct arm_instruction *i, uint32_t w)
{
    for (const char *f = i->row->fields; *f; f++) {
        if (*f == 'P') {
            parallel(i, f + 1);
            return;
        }
        if (*f == 'S')
            i->flags |= flag_if(w, 20, ARM_SETS);
        else if (*f == 'F')
            i->flags |= ARM_SETS;
        else if (*f == '+')
            a32_indexing(i, w);
        else if (!a32_register(i, w, *f))
            a32_operand(i, w, *f);
    }
}

/* ---- T32, 16 bits ------------------------------------------------------------------------------------------------ */

static bool t16_register(struct arm_instruction *i, uint32_t w, char field)
{
    switch (field) {
    case 'd': i->d = short_reg(w, 0); return true;
    case 'n': i->n = short_reg(w, 3); return true;
    case 'C': i->n = short_reg(w, 0); return true;
    case 'e': i->d = i->n = short_reg(w, 0); return true;
    case 'B': i->d = i->n = short_reg(w, 8); return true;
    case 'x': i->m = short_reg(w, 0); return true;
    case 'h': i->d = i->n = (uint8_t)(short_reg(w, 0) | (w >> 4 & 8)); return true;
    case 'P': i->n = ARM_PC; return true;
    case 'Q': i->n = ARM_SP; return true;
    default: return false;
    }
}

/* Operands of data processing and offsets. False: the letter is none of these. */
static bool t16_operand(struct arm_instruction *i, uint32_t w, char field)
{
    switch (field) {
    case 'm': constant_shift(i, ARM_LSL, 0), i->m = short_reg(w, 6); return true;
    case '>': constant_shift(i, ARM_LSL, 0), i->m = short_reg(w, 3); return true;
    case 'H': constant_shift(i, ARM_LSL, 0), i->m = reg(w, 3); return true;
    case '3': immediate(i, bits(w, 6, 3)); return true;
    case '8': immediate(i, bits(w, 0, 8)); return true;
    case '5': immediate(i, bits(w, 6, 5)); return true;
    case 'z': immediate(i, 0); return true;
    case '1':
    case '2':
    case '4': i->imm *= (uint32_t)(field - '0'); return true;
    case 'U': i->flags |= ARM_UP | ARM_PRE; return true;
    case 'j': immediate(i, bits(w, 0, 8) << 2), i->flags |= ARM_UP | ARM_PRE; return true;
    case 'q': immediate(i, bits(w, 0, 7) << 2), i->d = i->n = ARM_SP; return true;
    default: return false;
    }
}

static void t16_other(struct arm_instruction *i, uint32_t w, char field)
{
    switch (field) {
    case 'I': i->flags |= i->flags & ARM_IN_IT ? 0 : ARM_SETS; break;
    case 'F': i->flags |= ARM_SETS; break;
    case 'c': i->imm = bits(w, 9, 1) << 6 | bits(w, 3, 5) << 1; break;
    case 'L': i->imm = bits(w, 0, 8); break;
    case '<': i->imm |= bits(w, 8, 1) << ARM_LR, i->n = ARM_SP, i->flags |= ARM_PRE | ARM_WRITES_BACK; break;
    case ')': i->imm |= bits(w, 8, 1) << ARM_PC, i->n = ARM_SP, i->flags |= ARM_UP | ARM_WRITES_BACK; break;
    case '*':
        i->flags |= ARM_UP;
        i->flags |= i->row->operation == ARM_LDM && i->imm >> i->n & 1 ? 0 : ARM_WRITES_BACK;
        break;
    case 'v': i->imm = bits(w, 0, 8); break;
    case 't': i->imm = bits(w, 0, 8); break;
    case 'J': i->cond = reg(w, 8); break;
    case 'b': i->imm = sign_extend(w, 8) << 1; break;
    case 'G': i->imm = sign_extend(w, 11) << 1; break;
    default: break;
    }
}

static void t16_fields(struct arm_instruction *i, uint32_t w)
{
    for (const char *f = i->row->fields; *f; f++) {
        if (*f == 'k') {
            constant_shift(i, (unsigned)(*++f - '0'), bits(w, 6, 5));
        } else if (*f == 'y') {
            shift_by_register(i, (unsigned)(*++f - '0'));
            i->m = short_reg(w, 0), i->a = short_reg(w, 3);
        } else if (!t16_register(i, w, *f) && !t16_operand(i, w, *f)) {
            t16_other(i, w, *f);
        }
    }
}

/* ---- T32, 32 bits ------------------------------------------------------------------------------------------------ */

static bool t32_register(struct arm_instruction *i, uint32_t w, char field)
{
    switch (field) {
    case 'd': i->d = reg(w, 8); return true;
    case 'n': i->n = reg(w, 16); return true;
    case 'm': i->m = reg(w, 0); return true;
    case 't': i->d = reg(w, 12); return true;
    case 'a': i->a = reg(w, 8); return true;
    case 'A': i->a = reg(w, 12); return true;
    case 'g': i->a = reg(w, 8); return true; /* fields of the status register */
    case 'p': i->n = ARM_PC; return true;
    case 'N':
    case 'M':
    case '=': i->m = reg(w, 16); return true;
    default: return false;
    }
}

/* Shift amount and first bit of fields. */
static uint32_t t32_imm5(uint32_t w) { return bits(w, 12, 3) << 2 | bits(w, 6, 2); }

static bool t32_operand(struct arm_instruction *i, uint32_t w, char field)
{
    switch (field) {
    case 'o': constant_shift(i, bits(w, 4, 2), t32_imm5(w)); return true;
    case 'Q': constant_shift(i, bits(w, 21, 1) ? ARM_ASR : ARM_LSL, t32_imm5(w)), i->m = reg(w, 16); return true;
    case 'X': rotation(i, bits(w, 4, 2)); return true;
    case 'i': expand_t32(i, w); return true;
    case 'w': immediate(i, t32_imm12(w)), i->flags |= ARM_UP; return true;
    case '-': i->flags &= (uint8_t)~ARM_UP; return true;
    case 'W': immediate(i, bits(w, 16, 4) << 12 | t32_imm12(w)); return true;
    case 'I': immediate(i, bits(w, 0, 12)), i->flags |= ARM_PRE | flag_if(w, 23, ARM_UP); return true;
    case '8':
        immediate(i, bits(w, 0, 8));
        i->flags |= flag_if(w, 10, ARM_PRE) | flag_if(w, 9, ARM_UP) | flag_if(w, 8, ARM_WRITES_BACK);
        return true;
    case 'R': constant_shift(i, ARM_LSL, bits(w, 4, 2)), i->flags |= ARM_UP | ARM_PRE; return true;
    case 'Z':
        immediate(i, bits(w, 0, 8) << 2);
        i->flags |= flag_if(w, 24, ARM_PRE) | flag_if(w, 23, ARM_UP) | flag_if(w, 21, ARM_WRITES_BACK);
        return true;
    case '4': immediate(i, bits(w, 0, 8) << 2), i->flags |= ARM_UP | ARM_PRE; return true;
    default: return false;
    }
}

/* Distances of BL, BLX and B, A8.8.25: two of the bits are exclusive-or'ed with the sign. */
static uint32_t t32_far(uint32_t w)
{
    const uint32_t s = bits(w, 26, 1), i1 = !(bits(w, 13, 1) ^ s), i2 = !(bits(w, 11, 1) ^ s);
    return sign_extend(s << 24 | i1 << 23 | i2 << 22 | bits(w, 16, 10) << 12 | bits(w, 0, 11) << 1, 25);
}

static uint32_t t32_near(uint32_t w)
{
    return sign_extend(bits(w, 26, 1) << 20 | bits(w, 11, 1) << 19 | bits(w, 13, 1) << 18 | bits(w, 16, 6) << 12 |
                           bits(w, 0, 11) << 1,
                       21);
}

static void t32_other(struct arm_instruction *i, uint32_t w, char field)
{
    switch (field) {
    case 'S': i->flags |= flag_if(w, 20, ARM_SETS); break;
    case 'F': i->flags |= ARM_SETS; break;
    case 's': i->imm += bits(w, 0, 5); break;
    case 'f': bit_field(i, t32_imm5(w), bits(w, 0, 5) + 1); break;
    case 'B': bit_field(i, t32_imm5(w), bits(w, 0, 5) + 1 - t32_imm5(w)); break;
    case 'c': i->imm = bits(w, 0, 4); break;
    case 'v': i->imm = bits(w, 16, 4) << 12 | bits(w, 0, 12); break;
    case 'j': i->imm = t32_far(w); break;
    case 'b': i->imm = t32_near(w), i->cond = reg(w, 22); break;
    case 'l': i->imm = bits(w, 0, 16), i->flags |= flag_if(w, 21, ARM_WRITES_BACK); break;
    case '(': i->flags |= ARM_UP; break;
    case ')': i->flags |= ARM_PRE; break;
    case '1':
    case '2':
    case '3': i->imm = (uint32_t)(field - '0'); break;
    default: break;
    }
}

static void t32_fields(struct arm_instruction *i, uint32_t w)
{
    for (const char *f = i->row->fields; *f; f++) {
        if (*f == 'P') {
            parallel(i, f + 1);
            return;
        }
        if (*f == 'Y') {
            shift_by_register(i, (unsigned)(*++f - '0'));
            i->a = reg(w, 0);
        } else if (*f == 'E') { /* exclusive stores: the status, what is stored, and for words an offset */
            i->m = reg(w, 12);
            i->d = f[1] == '4' ? reg(w, 8) : reg(w, 0);
        } else if (!t32_register(i, w, *f) && !t32_operand(i, w, *f)) {
            t32_other(i, w, *f);
        }
    }
}

/* ---- what no mask can state -------------------------------------------------------------------------------------- */

static bool names_pc(const struct arm_instruction *i)
{
    return i->d == ARM_PC || i->n == ARM_PC || i->m == ARM_PC || i->a == ARM_PC;
}

static bool data_fits(const struct arm_instruction *i)
{
    if (i->operand == ARM_SHIFTED_BY)
        return !names_pc(i);
    if (i->d != ARM_PC)
        return true;
    return !(i->flags & ARM_SETS) && (!(i->flags & ARM_THUMB) || i->length == 2) && i->row->operation != ARM_MOVT;
}

static bool access_fits(const struct arm_instruction *i)
{
    const bool load = i->row->class == ARM_CLASS_LOAD, pair = i->a != ARM_NOWHERE;
    const bool word = i->row->operation == ARM_LDR;
    if (i->flags & ARM_THUMB && (!(i->flags & (ARM_PRE | ARM_WRITES_BACK)) || (!load && i->n == ARM_PC)))
        return false;
    if (i->operand == ARM_REGISTER && i->m == ARM_PC)
        return false;
    if (pair && (i->d == ARM_PC || i->a == ARM_PC || (load && i->d == i->a) || (!(i->flags & ARM_THUMB) && i->d & 1)))
        return false;
    if (i->flags & ARM_WRITES_BACK && (i->n == ARM_PC || i->n == i->d || (pair && i->n == i->a)))
        return false;
    return i->d != ARM_PC || word || (i->row->operation == ARM_STR && !(i->flags & ARM_THUMB));
}

static bool multiple_fits(const struct arm_instruction *i)
{
    const bool load = i->row->operation == ARM_LDM;
    if (!i->imm || i->n == ARM_PC || (i->flags & ARM_THUMB && i->imm >> ARM_SP & 1))
        return false;
    if (i->flags & ARM_THUMB && i->length == 4 && (!(i->imm & (i->imm - 1)) || (!load && i->imm >> ARM_PC)))
        return false;
    if (!load) /* a base that is written back and is not the first stored has no defined value */
        return !(i->flags & ARM_WRITES_BACK && i->imm >> i->n & 1 && i->imm & ((1u << i->n) - 1));
    return !(i->flags & ARM_WRITES_BACK && i->imm >> i->n & 1);
}

static bool exclusive_fits(const struct arm_instruction *i)
{
    const bool store = i->row->operation >= ARM_STREX && i->row->operation <= ARM_STREXD;
    const uint8_t first = store ? i->m : i->d;
    if (i->row->operation == ARM_CLREX)
        return true;
    if (!(i->flags & ARM_THUMB) && i->a != ARM_NOWHERE && first & 1)
        return false;
    return !names_pc(i) && !(store && (i->d == i->n || i->d == i->m || i->d == i->a)) && !(!store && i->d == i->a);
}

/* The width of BFI and BFC is at least 1; an IT instruction's condition is none of 15, and has no opposite if it is
 * "always". */
static bool other_fits(const struct arm_instruction *i)
{
    const uint32_t first = i->imm & 255, width = i->imm >> 8;
    switch (i->row->operation) {
    case ARM_BFI:
    case ARM_BFC:
    case ARM_SBFX:
    case ARM_UBFX: return width - 1 < 32 && first + width <= 32 && !names_pc(i);
    case ARM_IT:
        return i->imm & 15 && i->imm >> 4 != 15 && !(i->flags & ARM_IN_IT) &&
               !(i->imm >> 4 == ARM_ALWAYS && i->imm & (i->imm - 1) & 15);
    case ARM_B: /* one with a condition of its own is not in an IT block */
        return !(i->flags & ARM_IN_IT && (i->row->fields[0] == 'J' || i->row->fields[0] == 'b'));
    case ARM_CBZ:
    case ARM_CBNZ: return !(i->flags & ARM_IN_IT);
    case ARM_MSR: return i->a && !(i->a & 3) && (i->operand == ARM_IMMEDIATE || i->m != ARM_PC);
    case ARM_BLX_REGISTER: return i->m != ARM_PC;
    case ARM_TBB:
    case ARM_TBH: return i->m != ARM_PC;
    default: return true;
    }
}

static bool fits(const struct arm_instruction *i)
{
    switch (i->row->class) {
    case ARM_CLASS_DATA: return data_fits(i);
    case ARM_CLASS_COMPUTE: return !names_pc(i) && other_fits(i);
    case ARM_CLASS_LONG: return !names_pc(i) && i->d != i->a;
    case ARM_CLASS_LOAD:
    case ARM_CLASS_STORE: return access_fits(i);
    case ARM_CLASS_MULTIPLE: return multiple_fits(i);
    case ARM_CLASS_EXCLUSIVE: return exclusive_fits(i);
    case ARM_CLASS_STATUS: return i->d != ARM_PC && other_fits(i);
    default: return other_fits(i);
    }
}

/* ---- decoders ---------------------------------------------------------------------------------------------------- */

static struct arm_instruction nothing_of(const struct arm_row *row, unsigned length)
{
    return (struct arm_instruction){.row = row,
                                    .length = (uint8_t)length,
                                    .cond = ARM_ALWAYS,
                                    .d = ARM_NOWHERE,
                                    .n = ARM_NOWHERE,
                                    .m = ARM_NOWHERE,
                                    .a = ARM_NOWHERE};
}

bool arm_decode_a32(uint32_t w, struct arm_instruction *i)
{
    const bool unconditional = w >> 28 == 15;
    for (const struct arm_row *r = arm_a32_rows; r < arm_a32_rows + arm_a32_row_count; r++) {
        if ((w & r->mask) != r->value || (r->mask >> 28 == 15) < unconditional)
            continue;
        *i = nothing_of(r, 4);
        i->cond = r->mask >> 28 ? ARM_ALWAYS : (uint8_t)(w >> 28);
        a32_fields(i, w);
        return fits(i);
    }
    return false;
}

unsigned arm_t32_length(uint16_t first_half) { return first_half >> 11 > 0x1c ? 4 : 2; }

/* Conditions 14 and 15 of a branch are other instructions, and so is a saturation after ASR by 0. */
static bool t32_row_fits(const struct arm_row *r, uint32_t w)
{
    if (r->operation == ARM_SSAT || r->operation == ARM_USAT)
        return t32_imm5(w) || !bits(w, 21, 1);
    return r->fields[0] != 'b' || reg(w, 22) < 14;
}

bool arm_decode_t32(uint32_t word, uint8_t it, struct arm_instruction *i)
{
    const bool is_long = word >> 16 && arm_t32_length((uint16_t)(word >> 16)) == 4;
    const uint32_t w = is_long ? word : word & 0xffff;
    for (const struct arm_row *r = arm_t32_rows; r < arm_t32_rows + arm_t32_row_count; r++) {
        if ((w & r->mask) != r->value || (r->mask > 0xffff) != is_long || (is_long && !t32_row_fits(r, w)))
            continue;
        *i = nothing_of(r, is_long ? 4 : 2);
        i->flags = it & 15 ? ARM_THUMB | ARM_IN_IT : ARM_THUMB;
        i->cond = it & 15 ? it >> 4 : ARM_ALWAYS;
        if (is_long)
            t32_fields(i, w);
        else
            t16_fields(i, w);
        return fits(i);
    }
    return false;
}
