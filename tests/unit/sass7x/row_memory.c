/* Models of memory and atomics. A thread touches no byte but its own. */
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <criterion/criterion.h>

#include "frontend/operation/uop.h"
#include "tests/support/model_float.h"
#include "tests/unit/sass7x/row_model.h"

/* ---- addresses --------------------------------------------------------------------------------------------------- */

static unsigned scale(const char *part)
{
    return strstr(part, ".X16") ? 16 : strstr(part, ".X8") ? 8 : strstr(part, ".X4") ? 4 : 1;
}

/* The sum of what stands in the brackets. A uniform register beside a register of 64 bits, or of 32 with .U32, is a
 * pair, and so is one alone in an instruction with .E. */
static uint64_t address(const struct row_thread *t, const struct row_text *x, const char *operand)
{
    char inside[64];
    const char *open = strrchr(operand, '[');
    bool wide = row_has(x, "E");
    uint64_t sum = 0;
    cr_assert(open, "%s", x->whole);
    strcpy(inside, open + 1);
    *strchr(inside, ']') = 0;
    for (char *rest = inside, *part; (part = strtok_r(rest, "+", &rest));) {
        bool pair = wide && (*part == 'U' || !strstr(part, ".U32"));
        char *dot = strchr(part, '.');
        unsigned by = scale(part);
        if (dot)
            *dot = 0;
        sum += (strchr("-0", *part) ? (uint64_t)strtoll(part, NULL, 16) : row_operand(t, part, pair).raw) * by;
    }
    return wide ? sum : (uint32_t)sum;
}

static uint8_t *at(struct row_thread *t, const struct row_text *x, const char *operand)
{
    bool local = x->name[2] == 'L' && strncmp(x->name, "RED", 3),
         shared = !local && (x->name[2] == 'S' || !strcmp(x->name, "ATOMS"));
    uint64_t base = shared ? t->shared_at : local ? t->local_at : t->global_at, a = address(t, x, operand);
    cr_assert_lt(a - base, (uint64_t)ROW_SCRATCH, "%s", x->whole);
    return (shared ? t->shared : local ? t->local : t->global) + (a - base);
}

/* ---- loads and stores -------------------------------------------------------------------------------------------- */

static unsigned width(const struct row_text *x)
{
    return row_has(x, "U8") || row_has(x, "S8")     ? 1
           : row_has(x, "U16") || row_has(x, "S16") ? 2
           : row_has(x, "64")                       ? 8
           : row_has(x, "128")                      ? 16
                                                    : 4;
}

static void put(struct row_thread *t, const struct row_text *x, const char *d, const uint8_t *from)
{
    unsigned bytes = width(x);
    uint32_t words[4] = {0};
    memcpy(words, from, bytes);
    if (row_has(x, "S8"))
        words[0] = (uint32_t)(int8_t)words[0];
    if (row_has(x, "S16"))
        words[0] = (uint32_t)(int16_t)words[0];
    for (unsigned i = 0; i == 0 || 4 * i < bytes; i++)
        row_set_at(t, d, i, words[i]);
}
static void load(struct row_thread *t, const struct row_text *x)
{
    put(t, x, x->operand[x->count - 2], at(t, x, x->operand[x->count - 1]));
}
static void store(struct row_thread *t, const struct row_text *x)
{
    uint32_t words[4];
    for (unsigned i = 0; i < 4; i++)
        words[i] = row_at(t, x->operand[1], i);
    memcpy(at(t, x, x->operand[0]), words, width(x));
}

/* c[0x0][0x168] or c[0x0][R24+0x8]: bytes of the constants. */
static void load_constant(struct row_thread *t, const struct row_text *x)
{
    const char *index = strrchr(x->operand[1], '[') + 1;
    uint32_t offset =
        strchr("0-", *index) ? (uint32_t)strtoul(index, NULL, 16) : (uint32_t)address(t, x, x->operand[1]);
    offset -= t->constants_at;
    cr_assert_leq(offset + width(x), sizeof t->constants, "%s", x->whole);
    put(t, x, x->operand[0], (const uint8_t *)t->constants + offset);
}

/* From global to shared memory; with a false predicate zeros. */
static void copy(struct row_thread *t, const struct row_text *x)
{
    uint64_t from = address(t, x, x->operand[1]) - t->global_at;
    struct row_text narrow = *x;
    char *extended = strstr(narrow.modifiers, ".E.");
    memcpy(extended, ".-.", 3); /* the address in shared memory has 32 bits */
    uint64_t to = address(t, &narrow, x->operand[0]) - t->shared_at;
    cr_assert(from < ROW_SCRATCH && to < ROW_SCRATCH, "%s", x->whole);
    bool whole = x->count < 3 || row_predicate(t, x->operand[2]);
    if (whole)
        memcpy(t->shared + to, t->global + from, width(x));
    else
        memset(t->shared + to, 0, width(x));
}

static void nothing(struct row_thread *t, const struct row_text *x) { (void)t, (void)x; }

/* The thread's address is one of global memory. */
static void space_of(struct row_thread *t, const struct row_text *x)
{
    row_set_predicate(t, x->operand[0], row_has(x, "G"));
}

/* ---- atomics ----------------------------------------------------------------------------------------------------- */

static uint64_t sum_of(const struct row_text *x, uint64_t a, uint64_t b)
{
    if (row_has(x, "F32")) {
        bool ftz = row_has(x, "FTZ");
        uint64_t r = soft_add(&FORMAT_F32, ROUND_N, ftz ? flushed(a) : a, ftz ? flushed(b) : b);
        return ftz ? flushed(r) : r;
    }
    if (row_has(x, "F64"))
        return soft_add(&FORMAT_F64, ROUND_N, a, b);
    const struct format *f = row_has(x, "F16x2") ? &FORMAT_F16 : row_has(x, "BF16x2") ? &FORMAT_BF16 : NULL;
    if (!f)
        return a + b;
    return soft_add(f, ROUND_N, a & 0xffff, b & 0xffff) | soft_add(f, ROUND_N, a >> 16 & 0xffff, b >> 16 & 0xffff)
                                                              << 16;
}
static bool below(const struct row_text *x, uint64_t a, uint64_t b)
{
    if (row_has(x, "S64"))
        return (int64_t)a < (int64_t)b;
    return row_has(x, "S32") ? (int32_t)a < (int32_t)b : a < b;
}
static uint64_t changed(const struct row_text *x, uint64_t old, uint64_t b)
{
    if (row_has(x, "ADD"))
        return sum_of(x, old, b);
    if (row_has(x, "MIN"))
        return below(x, b, old) ? b : old;
    if (row_has(x, "MAX"))
        return below(x, old, b) ? b : old;
    if (row_has(x, "INC"))
        return old >= b ? 0 : old + 1;
    if (row_has(x, "DEC"))
        return !old || old > b ? b : old - 1;
    if (row_has(x, "AND"))
        return old & b;
    if (row_has(x, "OR"))
        return old | b;
    return row_has(x, "XOR") ? old ^ b : b; /* .EXCH */
}

static void atomic(struct row_thread *t, const struct row_text *x)
{
    bool reduces = !strncmp(x->name, "RED", 3), compares = row_has(x, "CAS") || row_has(x, "CAST");
    bool pair = row_has(x, "64") || row_has(x, "S64") || row_has(x, "F64");
    unsigned n = row_is_predicate(x->operand[0]), address = n + !reduces;
    uint8_t *place = at(t, x, x->operand[address]);
    uint64_t old = 0, b = 1, next;
    memcpy(&old, place, pair ? 8 : 4);
    if (address + 1 < x->count)
        b = row_operand(t, x->operand[address + 1], pair).raw;
    next = compares             ? (old == b ? row_operand(t, x->operand[address + 2], pair).raw : old)
           : row_has(x, "POPC") ? old + 1
                                : changed(x, old, b);
    memcpy(place, &next, pair ? 8 : 4);
    if (row_has(x, "CAST")) /* whether it was done */
        old = old == b;
    if (!reduces) {
        row_set(t, x->operand[n], (uint32_t)old);
        if (pair)
            row_set_at(t, x->operand[n], 1, (uint32_t)(old >> 32));
    }
    if (n)
        row_set_predicate(t, x->operand[0], true);
}

const struct row_meaning row_memory[] = {
    {"LDG", load},        {"LD", load},           {"LDS", load},       {"LDL", load},          {"STG", store},
    {"ST", store},        {"STS", store},         {"STL", store},      {"LDC", load_constant}, {"ULDC", load_constant},
    {"LDGSTS", copy},     {"QSPC", space_of},     {"ATOM", atomic},    {"ATOMG", atomic},      {"ATOMS", atomic},
    {"RED", atomic},      {"REDG", atomic},       {"CCTL", nothing},   {"CCTLL", nothing},     {"CCTLT", nothing},
    {"MEMBAR", nothing},  {"FENCE", nothing},     {"ERRBAR", nothing}, {"CGAERRBAR", nothing}, {"NOP", nothing},
    {"YIELD", nothing},   {"NANOSLEEP", nothing}, {"PMTRIG", nothing}, {"DEPBAR", nothing},    {"LDGDEPBAR", nothing},
    {"PREEXIT", nothing}, {"ACQBULK", nothing},   {NULL, NULL}};
