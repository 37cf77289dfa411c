#include "frontend/isa/rv32/table.h"

const struct rv32_row rv32_rows[] = {
#define ROW(name, mask, value, format, operation, class)                                                               \
    {name, mask, value, RV32_FORMAT_##format, RV32_##operation, RV32_CLASS_##class},
#include "frontend/isa/rv32/rows.def"
#undef ROW
};
const unsigned rv32_row_count = sizeof rv32_rows / sizeof *rv32_rows;

enum { RA = 1, SP = 2 };

unsigned rv32_length(uint16_t first_half)
{
    if ((first_half & 3) != 3)
        return 2;
    if ((first_half & 0x1c) != 0x1c)
        return 4;
    return first_half & 0x20 ? 8 : 6;
}

/* ---- fields ------------------------------------------------------------------------------------------------------ */

/* `count` bits of w from bit `at` on, moved to bit `to`. */
static uint32_t bits(uint32_t w, unsigned at, unsigned count, unsigned to)
{
    return (w >> at & ((1u << count) - 1)) << to;
}

static int32_t sign_extend(uint32_t value, unsigned width) { return (int32_t)(value << (32 - width)) >> (32 - width); }

/* Immediates of instructions of 32 bits: figure 2.4 of the manual. */
static int32_t immediate_i(uint32_t w) { return (int32_t)w >> 20; }
static int32_t immediate_s(uint32_t w) { return sign_extend(bits(w, 7, 5, 0) | bits(w, 25, 7, 5), 12); }
static int32_t immediate_b(uint32_t w)
{
    return sign_extend(bits(w, 8, 4, 1) | bits(w, 25, 6, 5) | bits(w, 7, 1, 11) | bits(w, 31, 1, 12), 13);
}
static int32_t immediate_j(uint32_t w)
{
    return sign_extend(bits(w, 21, 10, 1) | bits(w, 20, 1, 11) | bits(w, 12, 8, 12) | bits(w, 31, 1, 20), 21);
}

/* Immediates of compressed instructions: tables 16.5 to 16.7. */
static int32_t immediate_ci(uint32_t w) { return sign_extend(bits(w, 2, 5, 0) | bits(w, 12, 1, 5), 6); }
static uint32_t shift_amount(uint32_t w) { return bits(w, 2, 5, 0) | bits(w, 12, 1, 5); }
static int32_t immediate_ci16sp(uint32_t w)
{
    return sign_extend(bits(w, 6, 1, 4) | bits(w, 2, 1, 5) | bits(w, 5, 1, 6) | bits(w, 3, 2, 7) | bits(w, 12, 1, 9),
                       10);
}
static uint32_t immediate_ciw(uint32_t w)
{
    return bits(w, 6, 1, 2) | bits(w, 5, 1, 3) | bits(w, 11, 2, 4) | bits(w, 7, 4, 6);
}
static uint32_t immediate_cl(uint32_t w) { return bits(w, 6, 1, 2) | bits(w, 10, 3, 3) | bits(w, 5, 1, 6); }
static uint32_t immediate_clwsp(uint32_t w) { return bits(w, 4, 3, 2) | bits(w, 12, 1, 5) | bits(w, 2, 2, 6); }
static uint32_t immediate_cswsp(uint32_t w) { return bits(w, 9, 4, 2) | bits(w, 7, 2, 6); }
static int32_t immediate_cj(uint32_t w)
{
    return sign_extend(bits(w, 3, 3, 1) | bits(w, 11, 1, 4) | bits(w, 2, 1, 5) | bits(w, 7, 1, 6) | bits(w, 6, 1, 7) |
                           bits(w, 9, 2, 8) | bits(w, 8, 1, 10) | bits(w, 12, 1, 11),
                       12);
}
static int32_t immediate_cb(uint32_t w)
{
    return sign_extend(bits(w, 3, 2, 1) | bits(w, 10, 2, 3) | bits(w, 2, 1, 5) | bits(w, 5, 2, 6) | bits(w, 12, 1, 8),
                       9);
}

/* The eight registers that three bits can name: x8 to x15. */
static uint8_t short_register(uint32_t w, unsigned at) { return (uint8_t)(8 + bits(w, at, 3, 0)); }

/* ---- formats ----------------------------------------------------------------------------------------------------- */

static void decode_long(uint32_t w, struct rv32_instruction *i)
{
    const uint8_t rd = (uint8_t)bits(w, 7, 5, 0), rs1 = (uint8_t)bits(w, 15, 5, 0), rs2 = (uint8_t)bits(w, 20, 5, 0);
    switch (i->row->format) {
    case RV32_FORMAT_R: i->rd = rd, i->rs1 = rs1, i->rs2 = rs2; break;
    case RV32_FORMAT_I:
    case RV32_FORMAT_JALR:
    case RV32_FORMAT_LOAD: i->rd = rd, i->rs1 = rs1, i->imm = immediate_i(w); break;
    case RV32_FORMAT_SHIFT: i->rd = rd, i->rs1 = rs1, i->imm = rs2; break;
    case RV32_FORMAT_STORE: i->rs1 = rs1, i->rs2 = rs2, i->imm = immediate_s(w); break;
    case RV32_FORMAT_B: i->rs1 = rs1, i->rs2 = rs2, i->imm = immediate_b(w); break;
    case RV32_FORMAT_U: i->rd = rd, i->imm = (int32_t)(w & 0xfffff000); break;
    case RV32_FORMAT_J: i->rd = rd, i->imm = immediate_j(w); break;
    case RV32_FORMAT_FENCE: i->imm = (int32_t)bits(w, 20, 8, 0); break;
    case RV32_FORMAT_LR: i->rd = rd, i->rs1 = rs1, i->ordering = (uint8_t)bits(w, 25, 2, 0); break;
    case RV32_FORMAT_AMO: i->rd = rd, i->rs1 = rs1, i->rs2 = rs2, i->ordering = (uint8_t)bits(w, 25, 2, 0); break;
    default: break;
    }
}

/* False: a field holds what the manual reserves. Hints (rd zero) are instructions. */
static bool decode_short(uint32_t w, struct rv32_instruction *i)
{
    const uint8_t full1 = (uint8_t)bits(w, 7, 5, 0), full2 = (uint8_t)bits(w, 2, 5, 0);
    const uint8_t short1 = short_register(w, 7), short2 = short_register(w, 2);
    switch (i->row->format) {
    case RV32_FORMAT_CIW: i->rd = short2, i->rs1 = SP, i->imm = (int32_t)immediate_ciw(w); return i->imm;
    case RV32_FORMAT_CL: i->rd = short2, i->rs1 = short1, i->imm = (int32_t)immediate_cl(w); return true;
    case RV32_FORMAT_CS: i->rs2 = short2, i->rs1 = short1, i->imm = (int32_t)immediate_cl(w); return true;
    case RV32_FORMAT_CI: i->rd = i->rs1 = full1, i->imm = immediate_ci(w); return true;
    case RV32_FORMAT_CLI: i->rd = full1, i->imm = immediate_ci(w); return true;
    case RV32_FORMAT_CI16SP: i->rd = i->rs1 = SP, i->imm = immediate_ci16sp(w); return i->imm;
    case RV32_FORMAT_CLUI: i->rd = full1, i->imm = (int32_t)((uint32_t)immediate_ci(w) << 12); return i->imm;
    case RV32_FORMAT_CSHIFT: i->rd = i->rs1 = short1, i->imm = (int32_t)shift_amount(w); return i->imm < 32;
    case RV32_FORMAT_CSLLI: i->rd = i->rs1 = full1, i->imm = (int32_t)shift_amount(w); return i->imm < 32;
    case RV32_FORMAT_CANDI: i->rd = i->rs1 = short1, i->imm = immediate_ci(w); return true;
    case RV32_FORMAT_CA: i->rd = i->rs1 = short1, i->rs2 = short2; return true;
    case RV32_FORMAT_CJ: i->imm = immediate_cj(w); return true;
    case RV32_FORMAT_CJAL: i->rd = RA, i->imm = immediate_cj(w); return true;
    case RV32_FORMAT_CB: i->rs1 = short1, i->imm = immediate_cb(w); return true;
    case RV32_FORMAT_CLWSP: i->rd = full1, i->rs1 = SP, i->imm = (int32_t)immediate_clwsp(w); return full1;
    case RV32_FORMAT_CSWSP: i->rs2 = full2, i->rs1 = SP, i->imm = (int32_t)immediate_cswsp(w); return true;
    case RV32_FORMAT_CJR: i->rs1 = full1; return full1;
    case RV32_FORMAT_CJALR: i->rs1 = full1, i->rd = RA; return full1;
    case RV32_FORMAT_CMV: i->rd = full1, i->rs2 = full2; return full2;
    case RV32_FORMAT_CADD: i->rd = i->rs1 = full1, i->rs2 = full2; return full2;
    default: return true;
    }
}

static const struct rv32_row *find_row(uint32_t w, bool is_short)
{
    for (const struct rv32_row *r = rv32_rows; r < rv32_rows + rv32_row_count; r++)
        if ((w & r->mask) == r->value && ((r->value & 3) != 3) == is_short)
            return r;
    return NULL;
}

bool rv32_decode(uint32_t word, struct rv32_instruction *i)
{
    const unsigned length = rv32_length((uint16_t)word);
    if (length > 4)
        return false;
    const uint32_t w = length == 2 ? word & 0xffff : word;
    *i = (struct rv32_instruction){.row = find_row(w, length == 2), .length = (uint8_t)length};
    if (!i->row)
        return false;
    if (length == 2)
        return decode_short(w, i);
    decode_long(w, i);
    return true;
}
