/* Bytes into instructions. */
#include <string.h>

#include "frontend/isa/ia32/table.h"

#define ROW(name, opcode, mask, digit, prefix, operands, operation, flags)                                             \
    {name, opcode, mask, digit, prefix, operands, IA32_##operation, flags, NULL},
#define REFUSED_ROW(name, opcode, mask, digit, prefix, operands, why)                                                  \
    {name, opcode, mask, digit, prefix, operands, IA32_REFUSED, 0, why},
const struct ia32_row ia32_rows[] = {
#include "frontend/isa/ia32/rows.def"
};
const unsigned ia32_row_count = sizeof ia32_rows / sizeof *ia32_rows;

enum { LENGTH_MOST = 15 };

struct ia32_reader {
    const uint8_t *bytes;
    uint32_t at, available;
    bool ended; /* it has read beyond what there is */
    uint32_t opcode;
    uint8_t modrm;
    bool has_modrm;
};

static uint8_t next_byte(struct ia32_reader *r)
{
    if (r->at >= r->available || r->at >= LENGTH_MOST) {
        r->ended = true;
        return 0;
    }
    return r->bytes[r->at++];
}

static uint32_t next_number(struct ia32_reader *r, unsigned bytes)
{
    uint32_t value = 0;
    for (unsigned n = 0; n < bytes; n++)
        value |= (uint32_t)next_byte(r) << 8 * n;
    return value;
}

static uint32_t next_signed_byte(struct ia32_reader *r) { return (uint32_t)(int8_t)next_byte(r); }

/* ---- prefixes and opcode ----------------------------------------------------------------------------------------- */

/* Adds a prefix. False: the byte is none. */
static bool add_prefix(struct ia32_instruction *i, uint8_t byte)
{
    static const uint8_t segments[IA32_NO_SEGMENT] = {0x26, 0x2e, 0x36, 0x3e, 0x64, 0x65};
    for (unsigned s = 0; s < IA32_NO_SEGMENT; s++)
        if (segments[s] == byte) {
            i->segment = (uint8_t)s;
            return true;
        }
    switch (byte) {
    case 0x66:
        i->spare |= i->prefixes & IA32_OPERAND_SIZE; /* a second one */
        i->prefixes |= IA32_OPERAND_SIZE;
        return true;
    case 0x67: i->prefixes |= IA32_ADDRESS_SIZE; return true;
    case 0xf0: i->prefixes |= IA32_LOCK; return true;
    case 0xf2: i->prefixes = (uint8_t)((i->prefixes & ~IA32_REP) | IA32_REPNE); return true;
    case 0xf3: i->prefixes = (uint8_t)((i->prefixes & ~IA32_REPNE) | IA32_REP); return true;
    default: return false;
    }
}

/* The byte behind those that have been read. */
static uint8_t peek(const struct ia32_reader *r) { return r->at < r->available ? r->bytes[r->at] : 0; }

/* VEX of two (c5) and three bytes (c4) and EVEX (62), and the opcode behind. Without the two highest bits of the next
 * byte these are LDS, LES and BOUND. False: the byte begins none. */
static bool read_vex(struct ia32_reader *r, uint8_t byte)
{
    static const uint32_t maps[8] = {[1] = 0x0f00, [2] = 0x0f3800, [3] = 0x0f3a00};
    const bool is_long = byte == 0x62;
    uint32_t map = 1;
    if ((byte != 0xc4 && byte != 0xc5 && !is_long) || peek(r) < 0xc0)
        return false;
    const uint8_t first = next_byte(r);
    if (byte != 0xc5) {
        map = first & (is_long ? 7 : 31);
        next_byte(r);
    }
    if (is_long)
        next_byte(r);
    r->opcode = IA32_VEX | (map < 8 ? maps[map] : 0) | next_byte(r);
    return true;
}

static void read_opcode(struct ia32_reader *r, struct ia32_instruction *i)
{
    uint8_t byte = next_byte(r);
    while (!r->ended && add_prefix(i, byte))
        byte = next_byte(r);
    r->opcode = byte;
    if (read_vex(r, byte) || byte != 0x0f)
        return;
    r->opcode = 0x0f00u | next_byte(r);
    if (r->opcode == 0x0f38 || r->opcode == 0x0f3a)
        r->opcode = r->opcode << 8 | next_byte(r);
}

static bool takes_memory_only(const struct ia32_row *row) { return strchr(row->operands, 'M') != NULL; }
static bool takes_registers_only(const struct ia32_row *row) { return strchr(row->operands, 'R') != NULL; }

static bool row_fits(const struct ia32_row *row, const struct ia32_reader *r, const struct ia32_instruction *i)
{
    const uint8_t modrm = peek(r);
    if ((r->opcode & row->mask) != row->opcode || (row->opcode > 0xff) != (r->opcode > 0xff) ||
        ((row->opcode ^ r->opcode) & IA32_VEX))
        return false;
    if ((row->digit >= 0 && (modrm >> 3 & 7) != row->digit) || (row->prefix && !(i->prefixes & row->prefix)))
        return false;
    if (*row->operands == 'B')
        return (modrm & 0xc7) == 0xc3;
    return !(takes_memory_only(row) && modrm >> 6 == 3) && !(takes_registers_only(row) && modrm >> 6 != 3);
}

static const struct ia32_row *find_row(const struct ia32_reader *r, const struct ia32_instruction *i)
{
    for (const struct ia32_row *row = ia32_rows; row < ia32_rows + ia32_row_count; row++)
        if (row_fits(row, r, i))
            return row;
    return NULL;
}

/* ---- addresses --------------------------------------------------------------------------------------------------- */

static void read_displacement(struct ia32_reader *r, struct ia32_instruction *i, unsigned bytes)
{
    const uint32_t value = next_number(r, bytes), up = 32 - 8 * bytes;
    i->displacement = (uint32_t)((int32_t)(value << up) >> up);
    i->has_displacement = true;
}

/* The manual's table 2-1: addresses of 16 bits. */
static void read_short_address(struct ia32_reader *r, struct ia32_instruction *i)
{
    static const uint8_t bases[8] = {IA32_EBX, IA32_EBX, IA32_EBP, IA32_EBP, IA32_ESI, IA32_EDI, IA32_EBP, IA32_EBX};
    static const uint8_t indices[8] = {IA32_ESI,     IA32_EDI,     IA32_ESI,     IA32_EDI,
                                       IA32_NOWHERE, IA32_NOWHERE, IA32_NOWHERE, IA32_NOWHERE};
    const unsigned mode = r->modrm >> 6, rm = r->modrm & 7;
    i->base = bases[rm];
    i->index = indices[rm];
    if (mode == 0 && rm == 6)
        i->base = IA32_NOWHERE;
    if (mode == 2 || i->base == IA32_NOWHERE)
        read_displacement(r, i, 2);
    else if (mode == 1)
        read_displacement(r, i, 1);
}

/* Tables 2-2 and 2-3. */
static void read_address(struct ia32_reader *r, struct ia32_instruction *i)
{
    const unsigned mode = r->modrm >> 6;
    i->base = r->modrm & 7;
    if (i->base == IA32_ESP) {
        const uint8_t sib = next_byte(r);
        i->sib = true;
        i->base = sib & 7;
        i->index = (sib >> 3 & 7) == IA32_ESP ? IA32_NOWHERE : sib >> 3 & 7;
        i->scale = sib >> 6;
    }
    if (mode == 0 && i->base == IA32_EBP)
        i->base = IA32_NOWHERE;
    if (mode == 2 || (mode == 0 && i->base == IA32_NOWHERE))
        read_displacement(r, i, 4);
    else if (mode == 1)
        read_displacement(r, i, 1);
}

static void read_modrm(struct ia32_reader *r, struct ia32_instruction *i)
{
    r->modrm = next_byte(r);
    r->has_modrm = true;
    if (r->modrm >> 6 == 3)
        return;
    if (i->prefixes & IA32_ADDRESS_SIZE)
        read_short_address(r, i);
    else
        read_address(r, i);
}

/* ---- operands ---------------------------------------------------------------------------------------------------- */

static uint8_t operand_bytes(const struct ia32_instruction *i, char size)
{
    switch (size) {
    case 'b': return 1;
    case 'w': return 2;
    case 'd': return 4;
    case 'q': return 8;
    default: return i->prefixes & IA32_OPERAND_SIZE ? 2 : 4; /* 'v', 's' */
    }
}

static struct ia32_operand a_register(unsigned number, unsigned bytes)
{
    return (struct ia32_operand){IA32_REGISTER, (uint8_t)bytes, (uint8_t)number};
}

/* An immediate; ENTER's second one is the displacement. */
static void read_immediate(struct ia32_reader *r, struct ia32_instruction *i, unsigned n, char size)
{
    const unsigned bytes = i->operand[n].bytes;
    const uint32_t value = size == 's' ? next_signed_byte(r) : next_number(r, bytes);
    if (i->row->operation == IA32_ENTER && n)
        i->displacement = value;
    else
        i->immediate = value;
}

static void read_operand(struct ia32_reader *r, struct ia32_instruction *i, unsigned n, char kind, char size)
{
    struct ia32_operand *o = &i->operand[n];
    const uint8_t bytes = operand_bytes(i, size);
    *o = a_register(0, bytes);
    switch (kind) {
    case 'A': break;
    case 'C': o->number = IA32_ECX; break;
    case 'G': o->number = r->modrm >> 3 & 7; break;
    case 'Z': o->number = r->opcode & 7; break;
    case 'I':
        o->kind = IA32_IMMEDIATE;
        read_immediate(r, i, n, size);
        break;
    case '1':
        o->kind = IA32_IMMEDIATE;
        i->immediate = 1;
        break;
    case 'J':
        o->kind = IA32_TARGET;
        i->immediate = size == 'b' ? next_signed_byte(r) : next_number(r, 4);
        break;
    case 'O':
        o->kind = IA32_MEMORY;
        read_displacement(r, i, i->prefixes & IA32_ADDRESS_SIZE ? 2 : 4);
        break;
    case 'X': o->kind = IA32_MEMORY, o->number = IA32_ESI; break;
    case 'Y': o->kind = IA32_MEMORY, o->number = IA32_EDI; break;
    default: /* E, M, R, B */
        o->kind = r->modrm >> 6 == 3 ? IA32_REGISTER : IA32_MEMORY;
        o->number = r->modrm & 7;
        break;
    }
}

static void read_operands(struct ia32_reader *r, struct ia32_instruction *i)
{
    const char *letters = i->row->operands;
    if (i->row->digit >= 0 || strpbrk(letters, "EMRBG"))
        read_modrm(r, i);
    for (unsigned n = 0; letters[2 * n]; n++)
        read_operand(r, i, n, letters[2 * n], letters[2 * n + 1]);
}

/* ---- what the manual forbids ------------------------------------------------------------------------------------- */

/* Prefixes that say nothing to this instruction. */
static uint8_t spare_prefixes(const struct ia32_instruction *i)
{
    const struct ia32_row *row = i->row;
    uint8_t spare = i->prefixes & (uint8_t)~row->prefix;
    if (row->flags & IA32_STRING || (row->operation == IA32_RET && spare & IA32_REP))
        spare &= (uint8_t) ~(IA32_REP | IA32_REPNE);
    if (strchr(row->operands, 'v') || strchr(row->operands, 's') || !*row->operands || row->operation == IA32_REFUSED ||
        row->operation == IA32_ENTER)
        spare &= (uint8_t)~IA32_OPERAND_SIZE;
    if ((ia32_memory(i) && !strchr(row->operands, 'O')) || row->operation == IA32_XLAT ||
        (row->operation >= IA32_LOOP && row->operation <= IA32_JECXZ))
        spare &= (uint8_t)~IA32_ADDRESS_SIZE;
    return spare & (uint8_t)~IA32_LOCK;
}

static bool fits(const struct ia32_instruction *i)
{
    const unsigned operation = i->row->operation;
    const bool goes16 = operation >= IA32_JCC && operation <= IA32_JECXZ;
    if (i->prefixes & IA32_OPERAND_SIZE && goes16)
        return false;
    if (i->prefixes & IA32_LOCK && !(i->row->flags & IA32_LOCKABLE && i->operand[0].kind == IA32_MEMORY))
        return false;
    return operation != IA32_ENTER || !(i->displacement & 31);
}

bool ia32_decode(const uint8_t *bytes, uint32_t available, struct ia32_instruction *i)
{
    struct ia32_reader r = {.bytes = bytes, .available = available};
    *i = (struct ia32_instruction){.base = IA32_NOWHERE, .index = IA32_NOWHERE, .segment = IA32_NO_SEGMENT};
    read_opcode(&r, i);
    i->row = r.ended ? NULL : find_row(&r, i);
    if (!i->row)
        return false;
    i->condition = r.opcode & 15;
    read_operands(&r, i);
    i->length = (uint8_t)r.at;
    i->bytes = i->operand[0].kind && i->row->operation != IA32_ENTER ? i->operand[0].bytes : operand_bytes(i, 'v');
    i->spare |= spare_prefixes(i);
    return !r.ended && fits(i);
}
