/* Which parts of a file without symbols are code, in which encoding: what its control flow comes to.
 *
 * The entry point says its encoding, direct branches say that of their targets, and tables of jumps are found behind
 * the instructions that use them. A register leads where some constant says: every word of the file, and what ADR and
 * pairs of MOVW and MOVT make, is tried if it is an address of code. Such an address must have a bit as its encoding
 * has it, unless T32 jumps to labels (below), and lead to nothing but instructions up to where control goes elsewhere;
 * otherwise it is a number like any other. Code that is only addressed by sums of registers is not found. */
#include <string.h>

#include "frontend/isa/arm/arm.h"
#include "frontend/isa/arm/flags.h"
#include "frontend/isa/arm/table.h"

enum { ENTRIES_MOST = 1 << 20 };    /* of all tables of jumps */
enum { LITERAL = GUEST_SHORT + 1 }; /* what code loads, which is none itself */

struct arm_reach {
    struct guest *guest;
    struct arena *arena;
    const struct guest_code *code; /* the piece at hand */
    uint32_t low, high;
    /* By half word from low on: */
    uint8_t *encoding;          /* enum guest_encoding, or LITERAL; GUEST_DATA: nobody has come there */
    bool *begins;               /* an instruction does */
    bool *fails[2];             /* by encoding, A32 and T32: what begins there ends in what is no instruction */
    uint32_t entries;           /* of tables of jumps, so far */
    VECTOR(uint32_t) ahead;     /* addresses to go on at, with the bit of their encoding */
    VECTOR(uint32_t) made;      /* what ADR, MOVW and MOVT have made */
    uint32_t constants[ARM_PC]; /* of each register: the lower half that MOVW has moved there, or 0 */
    uint32_t places[ARM_PC];    /* of each register: the address that ADR has moved there, or 0 */
    bool jumps_to_labels;       /* T32 does ("goto *p"), whose addresses do not have the bit */
};

static uint32_t arm_half(const struct arm_reach *r, uint32_t address) { return (address - r->low) / 2; }

static bool arm_find_code(struct arm_reach *r, uint32_t address)
{
    for (uint32_t i = 0; i < r->guest->code_count; i++) {
        r->code = &r->guest->code[i];
        if (address >= r->code->low && address < r->code->high)
            return true;
    }
    return false;
}

/* ---- instructions ------------------------------------------------------------------------------------------------ */

static bool arm_decode_at(const struct arm_reach *r, uint32_t pc, bool is_short, uint8_t ahead,
                          struct arm_instruction *i)
{
    struct guest_build b = {.code = r->code};
    return arm_look_ahead(&b, pc, is_short, ahead, i);
}

/* Control always goes elsewhere. */
static bool arm_ends_flow(const struct arm_instruction *i)
{
    const unsigned operation = i->row->operation;
    const bool comes_back = operation == ARM_BL || operation == ARM_BLX || operation == ARM_BLX_REGISTER;
    const bool stops = operation == ARM_UDF || operation == ARM_BKPT;
    return i->cond == ARM_ALWAYS && operation != ARM_CBZ && operation != ARM_CBNZ &&
           (stops || (arm_writes_pc(i) && !comes_back));
}

static uint8_t arm_it_behind(const struct arm_instruction *i, uint8_t ahead)
{
    return i->row->operation == ARM_IT ? (uint8_t)i->imm : arm_it_next(ahead);
}

/* Finds where the flow that begins at `from` ends: *end is behind an instruction that leads elsewhere, or at one that
 * has been found. False: there is none at *end. */
static bool arm_measure(struct arm_reach *r, uint32_t from, bool is_short, uint32_t *end)
{
    const uint8_t encoding = is_short ? GUEST_SHORT : GUEST_LONG;
    struct arm_instruction i;
    uint8_t ahead = 0;
    uint32_t pc = from;
    for (; pc < r->code->high; pc += i.length) {
        const uint32_t at = arm_half(r, pc);
        *end = pc;
        if (r->begins[at] && r->encoding[at] == encoding)
            return true;
        if (r->encoding[at] != GUEST_DATA || r->fails[is_short][at] || !arm_decode_at(r, pc, is_short, ahead, &i) ||
            (i.length == 4 && r->encoding[at + 1] != GUEST_DATA))
            break;
        ahead = arm_it_behind(&i, ahead);
        *end = pc + i.length;
        if (arm_ends_flow(&i) && !ahead)
            return true;
    }
    memset(r->fails[is_short] + arm_half(r, from), true, (*end - from) / 2);
    return false;
}

/* ---- where instructions lead ------------------------------------------------------------------------------------- */

static void arm_go_on_at(struct arm_reach *r, uint32_t address) { VECTOR_PUSH(r->arena, &r->ahead, address); }

/* Bytes of the code at hand that code loads. */
static void arm_note_literal(struct arm_reach *r, uint32_t address, uint32_t bytes)
{
    if (address < r->code->low || address >= r->code->high || r->code->high - address < bytes)
        return;
    for (uint32_t at = arm_half(r, address); at <= arm_half(r, address + bytes - 1); at++)
        r->encoding[at] = r->encoding[at] == GUEST_DATA ? LITERAL : r->encoding[at];
}

/* The address at a distance from pc. */
static uint32_t arm_place(const struct arm_instruction *i, uint32_t pc)
{
    const uint32_t base = arm_pc_value(i, pc) & ~3u;
    return i->flags & ARM_UP || i->row->operation == ARM_ADD ? base + i->imm : base - i->imm;
}

/* TBB and TBH: the table ends where the first of its targets begins, if not before. */
static void arm_add_offsets(struct arm_reach *r, uint32_t pc, unsigned bytes)
{
    const uint32_t base = pc + 4;
    uint32_t first = r->code->high;
    for (uint32_t at = base; at + bytes <= first && r->entries++ < ENTRIES_MOST; at += bytes) {
        const uint8_t *entry = r->code->bytes + (at - r->code->low);
        const uint32_t target = base + 2 * (uint32_t)(bytes == 1 ? entry[0] : entry[0] | entry[1] << 8);
        if (target <= at || target >= r->code->high)
            return;
        first = target < first ? target : first;
        arm_note_literal(r, at, bytes);
        arm_go_on_at(r, target | 1);
    }
}

/* "adr r0, 1f", "ldr r1, [r0, r1, lsl #2]": the table has distances from its own address, also to code before it. It
 * ends where TBB's does. */
static void arm_add_distances(struct arm_reach *r, uint32_t base, bool is_short)
{
    uint32_t first = r->code->high;
    if (base < r->code->low || base >= first)
        return;
    for (uint32_t at = base; at + 4 <= first && r->entries++ < ENTRIES_MOST; at += 4) {
        uint32_t distance;
        memcpy(&distance, r->code->bytes + (at - r->code->low), 4);
        const uint32_t target = (base + distance) & ~1u;
        if (target < r->code->low || target >= r->code->high || (target >= base && target <= at))
            return;
        first = target > at && target < first ? target : first;
        arm_note_literal(r, at, 4);
        arm_go_on_at(r, target | is_short);
    }
}

/* "addls pc, pc, r0, lsl #2": what is two words behind, and others in a row with it: code that is entered in its midst,
 * or a table of branches. */
static void arm_add_branches(struct arm_reach *r, uint32_t pc)
{
    struct arm_instruction i;
    arm_go_on_at(r, pc + 8);
    for (uint32_t at = pc + 8; arm_decode_at(r, at, false, 0, &i) && i.row->operation == ARM_B && i.cond == ARM_ALWAYS;
         at += 4)
        arm_go_on_at(r, at);
}

/* ADR. T32 stays T32 where such an address is moved to pc. */
static void arm_note_place(struct arm_reach *r, const struct arm_instruction *i, uint32_t pc, bool is_short)
{
    if (i->d >= ARM_PC)
        return;
    r->places[i->d] = arm_place(i, pc);
    VECTOR_PUSH(r->arena, &r->made, r->places[i->d] | is_short);
}

static void arm_note_load(struct arm_reach *r, const struct arm_instruction *i, uint32_t pc, bool is_short)
{
    const unsigned operation = i->row->operation;
    if (i->n == ARM_PC && i->operand == ARM_IMMEDIATE)
        arm_note_literal(r, arm_place(i, pc), operation == ARM_LDRD ? 8 : operation == ARM_LDR ? 4 : 2);
    else if (operation == ARM_LDR && i->operand == ARM_REGISTER && i->amount == 2 && i->n < ARM_PC && r->places[i->n])
        arm_add_distances(r, r->places[i->n], is_short);
}

static void arm_note_constant(struct arm_reach *r, const struct arm_instruction *i)
{
    if (i->d >= ARM_PC)
        return;
    if (i->row->operation == ARM_MOVT)
        VECTOR_PUSH(r->arena, &r->made, r->constants[i->d] | i->imm << 16);
    else if (i->row->operation == ARM_MOV)
        r->constants[i->d] = i->operand == ARM_IMMEDIATE ? i->imm & 0xffff : 0;
}

/* "mov pc, r3" of clang; "orr r3, r3, #1" of gcc, and then "bx r3". */
static bool arm_jumps_to_label(const struct arm_instruction *i)
{
    const unsigned operation = i->row->operation;
    return (operation == ARM_MOV && i->d == ARM_PC) ||
           (operation == ARM_ORR && i->operand == ARM_IMMEDIATE && i->imm == 1);
}

static void arm_note_targets(struct arm_reach *r, const struct arm_instruction *i, uint32_t pc, bool is_short)
{
    const uint32_t base = arm_pc_value(i, pc);
    r->jumps_to_labels |= is_short && arm_jumps_to_label(i);
    switch (i->row->operation) {
    case ARM_B:
    case ARM_BL:
    case ARM_CBZ:
    case ARM_CBNZ: arm_go_on_at(r, (base + i->imm) | is_short); break;
    case ARM_BLX: arm_go_on_at(r, ((base & ~3u) + i->imm) | !is_short); break;
    case ARM_LDR:
    case ARM_LDRB:
    case ARM_LDRH:
    case ARM_LDRSB:
    case ARM_LDRSH:
    case ARM_LDRD: arm_note_load(r, i, pc, is_short); break;
    case ARM_TBB:
    case ARM_TBH:
        if (i->n == ARM_PC)
            arm_add_offsets(r, pc, i->row->operation == ARM_TBB ? 1 : 2);
        break;
    case ARM_BX: /* "bx pc", from T32 to A32 */
        if (i->m == ARM_PC)
            arm_go_on_at(r, base & ~3u);
        break;
    case ARM_ADD:
        if (!is_short && i->d == ARM_PC && i->n == ARM_PC)
            arm_add_branches(r, pc);
        else if (i->n == ARM_PC && i->operand == ARM_IMMEDIATE)
            arm_note_place(r, i, pc, is_short);
        break;
    case ARM_ADR: arm_note_place(r, i, pc, is_short); break;
    default: arm_note_constant(r, i); break;
    }
}

/* Instructions from `from` to `end` are code. */
static void arm_take(struct arm_reach *r, uint32_t from, uint32_t end, bool is_short)
{
    struct arm_instruction i;
    uint8_t ahead = 0;
    for (uint32_t pc = from; pc < end && arm_decode_at(r, pc, is_short, ahead, &i); pc += i.length) {
        ahead = arm_it_behind(&i, ahead);
        r->begins[arm_half(r, pc)] = true;
        memset(r->encoding + arm_half(r, pc), is_short ? GUEST_SHORT : GUEST_LONG, i.length / 2);
        arm_note_targets(r, &i, pc, is_short);
    }
}

/* Follows control from an address that leads to code for certain, or perhaps. */
static void arm_follow(struct arm_reach *r, uint32_t address, bool certain)
{
    arm_go_on_at(r, address);
    while (r->ahead.count) {
        const uint32_t next = r->ahead.at[--r->ahead.count], from = next & ~1u;
        const bool is_short = next & 1;
        uint32_t end = from;
        if (!arm_find_code(r, from) || (!is_short && from & 2) || r->encoding[arm_half(r, from)] != GUEST_DATA)
            continue;
        if (arm_measure(r, from, is_short, &end) || certain)
            arm_take(r, from, end, is_short);
    }
}

/* ---- constants --------------------------------------------------------------------------------------------------- */

/* Follows each word of the file that is an address of code in this encoding, which the lowest bit says: `bit`. */
static void arm_try_words(struct arm_reach *r, bool is_short, uint32_t bit)
{
    for (uint32_t i = 0; i < r->guest->segment_count; i++) {
        const struct guest_segment *s = &r->guest->segments[i];
        for (uint32_t at = -s->address & 3; at + 4 <= s->file_size; at += 4) {
            uint32_t word;
            memcpy(&word, s->bytes + at, 4);
            if ((word & 1) == bit && word >= r->low && word < r->high)
                arm_follow(r, word | is_short, false);
        }
    }
}

static void arm_try_made(struct arm_reach *r)
{
    for (uint32_t i = 0; i < r->made.count; i++) {
        const uint32_t address = r->made.at[i];
        if (address >= r->low && address < r->high)
            arm_follow(r, address, false);
    }
}

/* ---- marks ------------------------------------------------------------------------------------------------------- */

static void arm_write_marks(struct arm_reach *r)
{
    struct guest *g = r->guest;
    const uint32_t halves = arm_half(r, r->high);
    VECTOR(struct guest_mark) marks = {0};
    VECTOR_PUSH(r->arena, &marks, ((struct guest_mark){r->low, GUEST_DATA}));
    for (uint32_t h = 0; h < halves; h++) {
        const uint8_t encoding = r->encoding[h] == LITERAL ? GUEST_DATA : r->encoding[h];
        if (encoding != marks.at[marks.count - 1].encoding)
            VECTOR_PUSH(r->arena, &marks, ((struct guest_mark){r->low + 2 * h, encoding}));
    }
    g->marks = marks.at;
    g->mark_count = marks.count;
}

/* The encoding that most of the code has is tried first: numbers may look like addresses of the other one. */
static bool arm_is_mostly_short(const struct arm_reach *r, uint32_t halves)
{
    uint32_t count[LITERAL + 1] = {0};
    for (uint32_t h = 0; h < halves; h++)
        count[r->encoding[h]]++;
    return count[GUEST_SHORT] > count[GUEST_LONG];
}

void arm_find_marks(struct guest *g)
{
    struct arm_reach r = {.guest = g, .arena = g->owner};
    if (!g->code_count)
        return;
    r.low = g->code[0].low & ~3u;
    for (uint32_t i = 0; i < g->code_count; i++)
        r.high = g->code[i].high > r.high ? g->code[i].high : r.high;
    const uint32_t halves = arm_half(&r, r.high) + 2;
    r.encoding = ARENA_ARRAY(r.arena, uint8_t, halves);
    r.begins = ARENA_ARRAY(r.arena, bool, halves);
    r.fails[0] = ARENA_ARRAY(r.arena, bool, halves);
    r.fails[1] = ARENA_ARRAY(r.arena, bool, halves);
    arm_follow(&r, g->entry, true);
    const bool mostly_short = arm_is_mostly_short(&r, halves);
    arm_try_made(&r);
    arm_try_words(&r, mostly_short, mostly_short);
    if (r.jumps_to_labels && mostly_short)
        arm_try_words(&r, true, 0);
    arm_try_made(&r);
    arm_try_words(&r, !mostly_short, !mostly_short);
    arm_write_marks(&r);
}
