/* Models of logic, shifts, bits and permutations. */
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "tests/unit/sass7x/row_model.h"

static unsigned number(const char *operand) { return (unsigned)strtoul(operand, NULL, 16); }

/* A function of three bits as a table. */
static uint32_t table3(unsigned table, uint32_t a, uint32_t b, uint32_t c)
{
    uint32_t r = 0;
    for (unsigned i = 0; i < 32; i++)
        r |= (table >> ((a >> i & 1) * 4 + (b >> i & 1) * 2 + (c >> i & 1)) & 1) << i;
    return r;
}

static void lop3(struct row_thread *t, const struct row_text *x)
{
    unsigned d = row_is_predicate(x->operand[0]);
    uint32_t r = table3(number(x->operand[d + 4]), row_word(t, x->operand[d + 1]), row_word(t, x->operand[d + 2]),
                        row_word(t, x->operand[d + 3]));
    bool p = row_predicate(t, x->operand[d + 5]);
    row_set(t, x->operand[d], r);
    if (d)
        row_set_predicate(t, x->operand[0], row_has(x, "PAND") ? r && p : r || p);
}

static bool truth(const struct row_thread *t, const char *operand)
{
    char name[64];
    if (row_is_predicate(operand))
        return row_predicate(t, operand);
    strcpy(name, operand);
    *strstr(name, ".SIGN") = 0;
    return row_word(t, name) >> 31;
}
static void plop3(struct row_thread *t, const struct row_text *x)
{
    uint32_t a = truth(t, x->operand[2]), b = truth(t, x->operand[3]), c = truth(t, x->operand[4]);
    row_set_predicate(t, x->operand[0], table3(number(x->operand[5]), a, b, c) & 1);
    row_set_predicate(t, x->operand[1], table3(number(x->operand[6]), a, b, c) & 1);
}

static void sel(struct row_thread *t, const struct row_text *x)
{
    row_set(t, x->operand[0], row_word(t, x->operand[row_predicate(t, x->operand[3]) ? 1 : 2]));
}

/* The pair {C, A} shifted: one of its words. The amount ends at the number of bits, or is taken modulo it. */
static void shf(struct row_thread *t, const struct row_text *x)
{
    bool is_64 = row_has(x, "S64") || row_has(x, "U64"), is_signed = row_has(x, "S64") || row_has(x, "S32");
    uint64_t pair = (uint64_t)row_word(t, x->operand[3]) << 32 | row_word(t, x->operand[1]);
    uint32_t amount = row_word(t, x->operand[2]), bits = is_64 ? 64 : 32;
    amount = row_has(x, "W") ? amount % bits : amount < bits ? amount : bits;
    uint64_t fill = is_signed && row_has(x, "R") && pair >> 63 ? ~0ull : 0;
    for (; amount; amount--)
        pair = row_has(x, "L") ? pair << 1 : pair >> 1 | fill << 63;
    row_set(t, x->operand[0], (uint32_t)(row_has(x, "HI") ? pair >> 32 : pair));
}

static void popc(struct row_thread *t, const struct row_text *x)
{
    uint32_t v = row_word(t, x->operand[1]), n = 0;
    for (; v; v &= v - 1)
        n++;
    row_set(t, x->operand[0], n);
}

/* The highest bit that is not the sign; with .SH how far it is from the top. */
static void flo(struct row_thread *t, const struct row_text *x)
{
    uint32_t v = row_word(t, x->operand[x->count - 1]);
    if (!row_has(x, "U32") && v >> 31)
        v = ~v;
    int n = 31;
    while (n >= 0 && !(v >> n & 1))
        n--;
    row_set(t, x->operand[0], n < 0 ? ~0u : (uint32_t)(row_has(x, "SH") ? 31 - n : n));
}

static void brev(struct row_thread *t, const struct row_text *x)
{
    uint32_t v = row_word(t, x->operand[1]), r = 0;
    for (unsigned i = 0; i < 32; i++)
        r |= (v >> i & 1) << (31 - i);
    row_set(t, x->operand[0], r);
}

/* B ones from bit A on (PTX ISA, "bmsk"). */
static void bmsk(struct row_thread *t, const struct row_text *x)
{
    uint64_t a = row_word(t, x->operand[1]), b = row_word(t, x->operand[2]);
    if (row_has(x, "W"))
        a &= 31, b &= 31;
    a = a < 32 ? a : 32;
    b = b < 32 ? b : 32;
    row_set(t, x->operand[0], (uint32_t)(((1ull << b) - 1) << a));
}

/* A's lowest B bits, extended (PTX ISA, "szext"). */
static void sgxt(struct row_thread *t, const struct row_text *x)
{
    uint32_t a = row_word(t, x->operand[1]), n = row_word(t, x->operand[2]);
    n = row_has(x, "W") ? n & 31 : n;
    if (n < 32) {
        uint32_t low = n ? a & ((1u << n) - 1) : 0;
        bool sign = n && low >> (n - 1) & 1 && !row_has(x, "U32");
        a = sign ? low - (1u << n) : low;
    }
    row_set(t, x->operand[0], a);
}

/* Which byte of {C, A} byte i of the result is (PTX ISA, "prmt"); from 8 on with its sign in all bits. */
static unsigned chosen_byte(const struct row_text *x, unsigned selector, unsigned i)
{
    unsigned s = selector & 3;
    if (row_has(x, "F4E"))
        return (i + s) % 8;
    if (row_has(x, "B4E"))
        return (s + 8 - i) % 8;
    if (row_has(x, "RC8"))
        return s;
    if (row_has(x, "ECL"))
        return i < s ? s : i;
    if (row_has(x, "ECR"))
        return i < s ? i : s;
    if (row_has(x, "RC16"))
        return (s & 1) * 2 + (i & 1);
    return selector >> 4 * i & 15;
}
static void prmt(struct row_thread *t, const struct row_text *x)
{
    uint64_t pair = (uint64_t)row_word(t, x->operand[3]) << 32 | row_word(t, x->operand[1]);
    uint32_t r = 0, selector = row_word(t, x->operand[2]);
    for (unsigned i = 0; i < 4; i++) {
        unsigned n = chosen_byte(x, selector, i);
        uint32_t byte = pair >> 8 * (n & 7) & 255;
        r |= (n & 8 ? (byte >> 7) * 255 : byte) << 8 * i;
    }
    row_set(t, x->operand[0], r);
}

const struct row_meaning row_logic[] = {
    {"LOP3", lop3}, {"ULOP3", lop3}, {"PLOP3", plop3}, {"UPLOP3", plop3}, {"SHF", shf},   {"USHF", shf},
    {"POPC", popc}, {"UPOPC", popc}, {"FLO", flo},     {"UFLO", flo},     {"BREV", brev}, {"UBREV", brev},
    {"BMSK", bmsk}, {"UBMSK", bmsk}, {"SGXT", sgxt},   {"USGXT", sgxt},   {"PRMT", prmt}, {"UPRMT", prmt},
    {"SEL", sel},   {"USEL", sel},   {NULL, NULL}};
