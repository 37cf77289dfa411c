/* Models of sums, products, minima and comparisons of integers. */
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "tests/unit/sass7x/row_model.h"

typedef unsigned __int128 wide;

/* A term of a sum: -x is its complement and one, so that carries come out as those of one long addition. */
static wide term(struct row_value v, unsigned bits)
{
    uint64_t all = bits == 64 ? ~0ull : (1ull << bits) - 1;
    return (wide)((v.negated || v.inverted ? ~v.raw : v.raw) & all) + v.negated;
}

/* The predicates behind the destination: how many there are. */
static unsigned written(const struct row_text *x)
{
    unsigned n = 0;
    while (row_is_predicate(x->operand[1 + n]))
        n++;
    return n;
}
static void write_carries(struct row_thread *t, const struct row_text *x, wide sum, unsigned bits)
{
    for (unsigned i = 0, n = written(x); i < n; i++)
        row_set_predicate(t, x->operand[1 + i], sum >> bits > i);
}
/* The predicates from operand `at` on, as carries. */
static unsigned carries(const struct row_thread *t, const struct row_text *x, unsigned at)
{
    unsigned sum = 0;
    for (; row_has(x, "X") && at < x->count; at++)
        sum += row_predicate(t, x->operand[at]);
    return sum;
}

static void iadd3(struct row_thread *t, const struct row_text *x)
{
    unsigned first = 1 + written(x);
    bool pairs = row_has(x, "64");
    wide sum = carries(t, x, first + 3);
    for (unsigned i = 0; i < 3; i++)
        sum += term(row_operand(t, x->operand[first + i], pairs), pairs ? 64 : 32);
    row_set(t, x->operand[0], (uint32_t)sum);
    if (pairs)
        row_set_at(t, x->operand[0], 1, (uint32_t)(sum >> 32));
    write_carries(t, x, sum, pairs ? 64 : 32);
}

static void viadd(struct row_thread *t, const struct row_text *x)
{
    row_set(t, x->operand[0], row_word(t, x->operand[1]) + row_word(t, x->operand[2]));
}

/* (A << shift) + B. With .HI A is the lower word of a pair that C ends, or with .SX32 its own sign; the upper word is
 * what is added. A minus is that of the whole pair; of .X it inverts what is shifted. */
static void lea(struct row_thread *t, const struct row_text *x)
{
    unsigned at = 1 + written(x);
    bool high = row_has(x, "HI"), sign = row_has(x, "SX32");
    struct row_value a = row_operand(t, x->operand[at], false), b = row_operand(t, x->operand[at + 1], false);
    unsigned behind = at + 2 + (high && !sign);
    uint64_t c = sign ? (uint32_t)((int32_t)a.raw >> 31) : high ? row_operand(t, x->operand[at + 2], false).raw : 0;
    uint64_t pair = (c << 32 | (uint32_t)a.raw) << strtoul(x->operand[behind], NULL, 16);
    if (high && a.negated)
        pair = -pair, a.negated = false;
    a.raw = high ? pair >> 32 : (uint32_t)pair;
    wide sum = term(a, 32) + term(b, 32) + carries(t, x, behind + 1);
    row_set(t, x->operand[0], (uint32_t)sum);
    write_carries(t, x, sum, 32);
}

static uint64_t product(const struct row_text *x, uint32_t a, uint32_t b)
{
    return row_has(x, "U32") ? (uint64_t)a * b : (uint64_t)((int64_t)(int32_t)a * (int32_t)b);
}

/* The lower word of a product plus C; of .WIDE and .HI the product of 64 bits plus a pair. */
static void imad(struct row_thread *t, const struct row_text *x)
{
    unsigned at = 1 + written(x);
    bool pair = row_has(x, "WIDE") || row_has(x, "HI");
    uint64_t p = product(x, row_word(t, x->operand[at]), row_word(t, x->operand[at + 1]));
    struct row_value c = row_operand(t, x->operand[at + 2], pair);
    wide sum = (wide)(pair ? p : (uint32_t)p) + term(c, pair ? 64 : 32) + carries(t, x, at + 3);
    row_set(t, x->operand[0], (uint32_t)(row_has(x, "HI") ? sum >> 32 : sum));
    if (row_has(x, "WIDE"))
        row_set_at(t, x->operand[0], 1, (uint32_t)(sum >> 32));
    write_carries(t, x, sum, 64);
}

static int64_t piece(uint32_t v, unsigned bits, unsigned n, bool is_signed)
{
    int64_t low = v >> bits * n & ((1u << bits) - 1);
    return is_signed && low >> (bits - 1) ? low - (1 << bits) : low;
}
/* Dot products; the first type is that of A, the second of B. */
static void idp(struct row_thread *t, const struct row_text *x)
{
    bool halves = row_has(x, "2A"), upper = row_has(x, "HI");
    bool signs[2] = {row_has(x, halves ? "S16" : "S8"), x->modifiers[strlen(x->modifiers) - 3] == 'S'};
    if (!halves) /* the types are .S8 both: that of A is the first */
        signs[0] = strstr(x->modifiers, "4A.S8");
    uint32_t a = row_word(t, x->operand[1]), b = row_word(t, x->operand[2]);
    uint32_t sum = row_word(t, x->operand[3]);
    for (unsigned i = 0; i < (halves ? 2 : 4); i++)
        sum += (uint32_t)(piece(a, halves ? 16 : 8, i, signs[0]) * piece(b, 8, i + (upper ? 2 : 0), signs[1]));
    row_set(t, x->operand[0], sum);
}

/* ---- minima, distances, comparisons ------------------------------------------------------------------------------ */

static bool less(const struct row_text *x, uint32_t a, uint32_t b)
{
    return row_has(x, "U32") ? a < b : (int32_t)a < (int32_t)b;
}
static uint32_t extreme(const struct row_text *x, bool least, uint32_t a, uint32_t b)
{
    return less(x, a, b) == least ? a : b;
}
/* Of two words or three, or of their halves each by itself. */
static uint32_t extreme_of_all(const struct row_thread *t, const struct row_text *x)
{
    bool least = row_predicate(t, x->operand[x->count - 1]);
    uint32_t r = row_word(t, x->operand[1]);
    for (unsigned i = 2; i + 1 < x->count; i++)
        r = extreme(x, least, r, row_word(t, x->operand[i]));
    return row_has(x, "RELU") && less(x, r, 0) ? 0 : r;
}
static uint32_t half_of_all(const struct row_thread *t, const struct row_text *x, unsigned half)
{
    bool least = row_predicate(t, x->operand[x->count - 1]), is_signed = row_has(x, "S16x2");
    int64_t r = piece(row_word(t, x->operand[1]), 16, half, is_signed);
    for (unsigned i = 2; i + 1 < x->count; i++) {
        int64_t next = piece(row_word(t, x->operand[i]), 16, half, is_signed);
        r = (next < r) == least ? next : r;
    }
    return (row_has(x, "RELU") && r < 0 ? 0 : (uint32_t)r & 0xffff) << 16 * half;
}
static void imnmx(struct row_thread *t, const struct row_text *x)
{
    bool halves = row_has(x, "U16x2") || row_has(x, "S16x2");
    row_set(t, x->operand[0], halves ? half_of_all(t, x, 0) | half_of_all(t, x, 1) : extreme_of_all(t, x));
}
static void viaddmnmx(struct row_thread *t, const struct row_text *x)
{
    bool least = row_predicate(t, x->operand[x->count - 1]);
    uint32_t sum = row_word(t, x->operand[1]) + row_word(t, x->operand[2]);
    uint32_t r = extreme(x, least, sum, row_word(t, x->operand[3]));
    if (row_has(x, "RELU") && less(x, r, 0))
        r = 0;
    row_set(t, x->operand[0], r);
}
static void iabs(struct row_thread *t, const struct row_text *x)
{
    uint32_t v = row_word(t, x->operand[1]);
    row_set(t, x->operand[0], v >> 31 ? -v : v);
}
static void vabsdiff(struct row_thread *t, const struct row_text *x)
{
    uint32_t a = row_word(t, x->operand[1]), b = row_word(t, x->operand[2]);
    row_set(t, x->operand[0], (less(x, a, b) ? b - a : a - b) + row_word(t, x->operand[3]));
}
/* Of four bytes: the distances beside each other, or with .ACC their sum and C. */
static void vabsdiff4(struct row_thread *t, const struct row_text *x)
{
    uint32_t r = row_has(x, "ACC") ? row_word(t, x->operand[3]) : 0;
    for (unsigned i = 0; i < 4; i++) {
        int64_t d = piece(row_word(t, x->operand[1]), 8, i, false) - piece(row_word(t, x->operand[2]), 8, i, false);
        r += (uint32_t)(d < 0 ? -d : d) << (row_has(x, "ACC") ? 0 : 8 * i);
    }
    row_set(t, x->operand[0], r);
}

/* Of .EX the words are the upper ones of long numbers, and the last predicate compares the lower ones. */
static bool compared(const struct row_text *x, uint32_t a, uint32_t b, bool lower)
{
    bool above = less(x, b, a), below = less(x, a, b), equal = a == b;
    bool ex = row_has(x, "EX"), rest = !ex || lower;
    if (row_has(x, "LT"))
        return below || (equal && ex && lower);
    if (row_has(x, "GT"))
        return above || (equal && ex && lower);
    if (row_has(x, "LE"))
        return below || (equal && rest);
    if (row_has(x, "GE"))
        return above || (equal && rest);
    if (row_has(x, "EQ"))
        return equal && rest;
    if (row_has(x, "NE"))
        return !equal || (ex && lower);
    return row_has(x, "T");
}
static bool combined(const struct row_text *x, bool a, bool b)
{
    return row_has(x, "AND") ? a && b : row_has(x, "OR") ? a || b : a != b;
}
static void isetp(struct row_thread *t, const struct row_text *x)
{
    bool lower = x->count < 6 || row_predicate(t, x->operand[5]), p = row_predicate(t, x->operand[4]);
    bool r = compared(x, row_word(t, x->operand[2]), row_word(t, x->operand[3]), lower);
    row_set_predicate(t, x->operand[0], combined(x, r, p));
    row_set_predicate(t, x->operand[1], combined(x, !r, p));
}

const struct row_meaning row_integers[] = {{"IADD3", iadd3},
                                           {"UIADD3", iadd3},
                                           {"VIADD", viadd},
                                           {"LEA", lea},
                                           {"ULEA", lea},
                                           {"IMAD", imad},
                                           {"UIMAD", imad},
                                           {"IDP", idp},
                                           {"IMNMX", imnmx},
                                           {"VIMNMX", imnmx},
                                           {"VIMNMX3", imnmx},
                                           {"VABSDIFF4", vabsdiff4},
                                           {"VIADDMNMX", viaddmnmx},
                                           {"IABS", iabs},
                                           {"VABSDIFF", vabsdiff},
                                           {"ISETP", isetp},
                                           {"UISETP", isetp},
                                           {NULL, NULL}};
