/* Loads, stores and atomics against scalar models; see corpus.h. Each thread works on 16 bytes of its own. */
#include <stdio.h>
#include <string.h>

#include <criterion/criterion.h>

#include "frontend/operation/uop.h"
#include "tests/support/model_float.h"
#include "tests/support/sass_corpus.h"

static struct {
    unsigned store, load, at, op, type;
} m;

/* How to reach the 16 bytes: what computes the address, and how instructions name it. */
struct place {
    const char *setup, *load, *store, *address;
};
static const struct place places[] = {
    {"S2R R13, SR_TID.X\nSHL R13, R13, 0x4\n", "LDS", "STS", "R13"},
    {"MOV32I R13, 0x20\n", "LDL", "STL", "R13"},
    {"IADD R14.CC, R2, 0x30\nIADD.X R15, R3, RZ\n", "LDG.E", "STG.E", "R14"},
    {"IADD R14.CC, R2, 0x30\nIADD.X R15, R3, RZ\n", "LD.E", "ST.E", "R14"},
    /* the shared window through generic addresses */
    {"S2R R13, SR_TID.X\nISCADD R14, R13, c[0x0][0x0], 0x4\nMOV R15, RZ\n", "LD.E", "ST.E", "R14"},
    {"MOV R14, c[0x0][0x4]\nIADD32I R14, R14, 0x20\nMOV R15, RZ\n", "LD.E", "ST.E", "R14"},
};
enum { PLACES = sizeof places / sizeof *places };
#define RESTORE "\nR2P CC, R12.B1, 0xf" /* what the address took */

/* ---- sizes ------------------------------------------------------------------------------------------------------- */

/* The last one only of loads. */
static const char *const sizes[8] = {".U8", ".S8", ".U16", ".S16", "", ".64", ".128", ".U.128"};
static const unsigned widths[8] = {1, 1, 2, 2, 4, 8, 16, 16};

static void model_sizes(struct state *s)
{
    uint8_t bytes[16] = {0};
    uint64_t from[2] = {s->a, s->b};
    uint32_t word;
    memcpy(bytes + m.at, from, widths[m.store]);
    switch (m.load) {
    case 0: set_d32(s, bytes[m.at]); break;
    case 1: set_d32(s, (uint32_t)(int8_t)bytes[m.at]); break;
    case 2: set_d32(s, bytes[m.at] | (uint32_t)bytes[m.at + 1] << 8); break;
    case 3: set_d32(s, (uint32_t)(int16_t)(bytes[m.at] | bytes[m.at + 1] << 8)); break;
    case 4: memcpy(&word, bytes + m.at, 4), set_d32(s, word); break;
    default: memcpy(&s->d, bytes + m.at, 8); break;
    }
}
CORPUS(memory, sizes)
{
    const struct subject subject = {model_sizes, V_LONG, V_LONG, V_LONG, SAME_BITS, 0};
    for (unsigned p = 0; p < PLACES; p++)
        for (unsigned i = 0; i < 56; i++) {
            m.store = i / 8;
            m.load = i % 8;
            if (m.load == 7 && strcmp(places[p].load, "LDL") == 0)
                continue;
            unsigned wider = widths[m.store] > widths[m.load] ? widths[m.store] : widths[m.load];
            m.at = 16 - wider;
            char offset[8];
            snprintf(offset, sizeof offset, "+0x%x", m.at);
            if (!m.at)
                offset[0] = 0;
            check(&subject, &only_registers, "%s%s.128 [%s], RZ\n%s%s [%s%s], R4\n%s%s R20, [%s%s]" RESTORE,
                  places[p].setup, places[p].store, places[p].address, places[p].store, sizes[m.store],
                  places[p].address, offset, places[p].load, sizes[m.load], places[p].address, offset);
        }
}
static void model_const(struct state *s)
{
    const uint32_t word = 0x89abcdef;
    switch (m.load) {
    case 0: set_d32(s, 0xcd); break;
    case 1: set_d32(s, 0xffffffcd); break;
    case 2: set_d32(s, 0x89ab); break;
    case 3: set_d32(s, 0xffff89ab); break;
    default: set_d32(s, word); break;
    }
}
static void model_const_long(struct state *s) { s->d = 0x0123456789abcdef; }
/* The word that run() puts at c[0x0][0x148] is the operand b of the form with a constant. */
CORPUS(memory, constants)
{
    const struct subject subject = {model_const, V_INT, V_INT, V_INT, SAME_BITS, 0};
    static const unsigned at[5] = {0x149, 0x149, 0x14a, 0x14a, 0x148};
    for (m.load = 0; m.load < 5; m.load++)
        for (unsigned base = 0; base < 2; base++)
            check_with_words(&subject, 0x89abcdef, "MOV32I R13, 0x40\nLDC%s R20, c[0x0][%s0x%x]", sizes[m.load],
                             base ? "R13+" : "", at[m.load] - (base ? 0x40 : 0));
    const struct subject two = {model_const_long, V_INT, V_INT, V_INT, SAME_BITS, 0};
    check_with_words(&two, 0x0123456789abcdef, "LDC.64 R20, c[0x0][0x148]");
    check_with_words(&two, 0x0123456789abcdef, "MOV32I R13, 0x150\nLDC.64 R20, c[0x0][R13+-0x8]");
}

static void model_launch_part(struct state *s) { set_d32(s, m.load == 0 ? BLOCK_THREADS >> 8 : BLOCK_THREADS); }
/* ntid.x lies below the parameters; ptxas reads its lower half where only that is stored. */
CORPUS(memory, parts_of_launch_words)
{
    const struct subject subject = {model_launch_part, V_INT, V_INT, V_INT, SAME_BITS, 0};
    for (m.load = 0; m.load < 5; m.load += 2)
        check_with_words(&subject, 0, "LDC%s R20, c[0x0][0x%x]", sizes[m.load], m.load ? 8 : 9);
}

/* ---- atomics ----------------------------------------------------------------------------------------------------- */

enum { ADD, MIN, MAX, INC, DEC, AND, OR, XOR, EXCH, OPS };
static const char *const ops[OPS] = {"ADD", "MIN", "MAX", "INC", "DEC", "AND", "OR", "XOR", "EXCH"};
enum { U32, S32, U64, F32, F16X2, S64, F64, TYPES };
static const char *const types[TYPES] = {"", ".S32", ".U64", ".F32.FTZ.RN", ".F16x2.RN", ".S64", ".F64.RN"};
static bool is_wide(void) { return m.type == U64 || m.type >= S64; }
static uint64_t added_half(uint64_t x, uint64_t y) { return soft_add(&FORMAT_F16, ROUND_N, x & 0xffff, y & 0xffff); }

static uint64_t updated(uint64_t old, uint64_t v)
{
    switch (m.op) {
    case ADD:
        if (m.type == F32)
            return flushed(soft_add(&FORMAT_F32, ROUND_N, flushed(old), flushed(v)));
        if (m.type == F16X2)
            return added_half(old, v) | added_half(old >> 16, v >> 16) << 16;
        return m.type == F64 ? soft_add(&FORMAT_F64, ROUND_N, old, v) : old + v;
    case MIN:
    case MAX: {
        bool less = m.type == S32 ? (int32_t)v < (int32_t)old : m.type == S64 ? (int64_t)v < (int64_t)old : v < old;
        return less == (m.op == MIN) ? v : old;
    }
    case INC: return old >= v ? 0 : old + 1;
    case DEC: return old == 0 || old > v ? v : old - 1;
    case AND: return old & v;
    case OR: return old | v;
    case XOR: return old ^ v;
    default: return v;
    }
}
/* R8:R9 is there before, R6:R7 the operand. */
static uint64_t model_update(const struct state *s)
{
    return is_wide() ? updated(s->c, s->b) : (uint32_t)updated((uint32_t)s->c, (uint32_t)s->b);
}
static void model_old(struct state *s)
{
    if (is_wide())
        s->d = s->c;
    else
        set_d32(s, (uint32_t)s->c);
}
static void model_new(struct state *s)
{
    uint64_t r = model_update(s);
    if (is_wide())
        s->d = r;
    else
        set_d32(s, (uint32_t)r);
}
static bool exists(bool shared)
{
    if (m.op == INC || m.op == DEC)
        return m.type == U32;
    if (m.op == MIN || m.op == MAX)
        return m.type == U32 || m.type == S32 || ((m.type == U64 || m.type == S64) && !shared);
    if (m.op == ADD)
        return m.type == U32 || m.type == S32 ||
               ((m.type == U64 || m.type == F32 || m.type == F16X2 || m.type == F64) && !shared);
    return m.type == U32 || (m.type == U64 && !shared);
}
static void check_atomic(const struct place *p, const char *name)
{
    static const enum values kinds[TYPES] = {V_INT, V_INT, V_LONG, V_F32, V_F16X2, V_LONG, V_F64};
    static const enum same sames[TYPES] = {[F32] = SAME_F32, [F16X2] = SAME_F16X2, [F64] = SAME_F64};
    const enum values v = kinds[m.type];
    const struct subject old = {model_old, V_INT, v, v, SAME_BITS, 0};
    const struct subject new = {model_new, V_INT, v, v, sames[m.type], 0};
    const char *size = is_wide() ? ".64" : "";
    bool shared = p == places;
    if (!exists(shared))
        return;
    check(&old, &only_registers, "%s%s%s [%s], R8\n%s.%s%s R20, [%s], R6" RESTORE, p->setup, p->store, size, p->address,
          name, ops[m.op], types[m.type], p->address);
    check(&new, &only_registers, "%s%s%s [%s], R8\n%s.%s%s RZ, [%s], R6\n%s%s R20, [%s]" RESTORE, p->setup, p->store,
          size, p->address, name, ops[m.op], types[m.type], p->address, p->load, size, p->address);
    if (!shared && m.op != EXCH)
        check(&new, &only_registers, "%s%s%s [%s], R8\nRED.E.%s%s [%s], R6\n%s%s R20, [%s]" RESTORE, p->setup, p->store,
              size, p->address, ops[m.op], types[m.type], p->address, p->load, size, p->address);
}
CORPUS(memory, atomics)
{
    for (m.op = 0; m.op < OPS; m.op++)
        for (m.type = 0; m.type < TYPES; m.type++) {
            check_atomic(&places[0], "ATOMS");
            check_atomic(&places[2], "ATOM.E");
            static const unsigned older[] = {50, 52}; /* whose types have other numbers */
            for (unsigned i = 0; i < 2 && m.type != F64 && m.type != F16X2 && m.op % 3 == 0; i++) {
                corpus_sm = older[i];
                check_atomic(&places[2], "ATOM.E");
                corpus_sm = 61;
            }
        }
}
/* Compares R16 with what is there, c, and swaps R17 in; R16 equals c in every other thread. */
static void model_cas(struct state *s)
{
    bool equal = !(s->a & 1) || (uint32_t)s->b == (uint32_t)s->c;
    set_d32(s, equal ? (uint32_t)s->a : (uint32_t)s->c);
}
static void model_swapped(struct state *s)
{
    set_d32(s, !(s->a & 1) || (uint32_t)s->b == (uint32_t)s->c); /* whether R16 is what is there */
}
CORPUS(memory, compare_and_swap)
{
    const struct subject swapped = {model_swapped, V_INT, V_INT, V_INT, SAME_BITS, 0};
    const struct subject old = {model_old, V_INT, V_INT, V_INT, SAME_BITS, 0};
    const struct subject new = {model_cas, V_INT, V_INT, V_INT, SAME_BITS, 0};
    static const char choose[] = "LOP32I.AND R16, R4, 0x1\nICMP.EQ R16, R8, R6, R16\nMOV R17, R4\n";
    m.type = U32;
    for (unsigned k = 0; k < 2; k++) {
        const struct place *p = &places[k ? 2 : 0];
        const char *name = k ? "ATOM.E.CAS" : "ATOMS.CAS";
        if (!k) {
            static const char *const casts[] = {"CAST", "CAST.SPIN"};
            for (unsigned i = 0; i < 2; i++) {
                check(&swapped, &only_registers, "%s%sSTS [R13], R8\nATOMS.%s R20, [R13], R16, R17" RESTORE, p->setup,
                      choose, casts[i]);
                check(&new, &only_registers, "%s%sSTS [R13], R8\nATOMS.%s RZ, [R13], R16, R17\nLDS R20, [R13]" RESTORE,
                      p->setup, choose, casts[i]);
            }
        }
        check(&old, &only_registers, "%s%s%s [%s], R8\n%s R20, [%s], R16, R17" RESTORE, p->setup, choose, p->store,
              p->address, name, p->address);
        check(&new, &only_registers, "%s%s%s [%s], R8\n%s RZ, [%s], R16, R17\n%s R20, [%s]" RESTORE, p->setup, choose,
              p->store, p->address, name, p->address, p->load, p->address);
    }
}
