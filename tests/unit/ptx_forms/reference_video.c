/* Video instructions without parts of operands; those are tests/unit/lanes's. */
#include <string.h>

#include "tests/unit/ptx_forms/reference.h"

typedef __int128 wide;

static wide part(enum ptx_type t, uint64_t x, unsigned at, unsigned bits)
{
    uint64_t field = low_bits(x >> at, bits);
    return is_signed_type(t) ? (wide)signed_of(field, bits) : (wide)field;
}
static wide limited(bool is_signed, unsigned bits, wide x)
{
    wide high = ((wide)1 << (bits - is_signed)) - 1, low = is_signed ? -high - 1 : 0;
    return x < low ? low : x > high ? high : x;
}

static bool holds(const struct call *c, wide a, wide b)
{
    switch (mods_value(c->mods, G_COMPARE, CMP_EQ)) {
    case CMP_EQ: return a == b;
    case CMP_NE: return a != b;
    case CMP_LT: return a < b;
    case CMP_LE: return a <= b;
    case CMP_GT: return a > b;
    default: return a >= b;
    }
}

static wide operated(const struct call *c, const char *what, wide a, wide b)
{
    if (strncmp(what, "add", 3) == 0)
        return a + b;
    if (strncmp(what, "sub", 3) == 0)
        return a - b;
    if (strncmp(what, "avrg", 4) == 0) /* rounded away from zero */
        return (a + b + (a + b >= 0)) >> 1;
    if (strncmp(what, "absdiff", 7) == 0)
        return a < b ? b - a : a - b;
    if (strncmp(what, "min", 3) == 0)
        return a < b ? a : b;
    if (strncmp(what, "max", 3) == 0)
        return a < b ? b : a;
    if (strncmp(what, "set", 3) == 0)
        return holds(c, a, b);
    uint64_t amount = (uint64_t)b & 0xffffffff;
    amount = has(c, M_WRAP) ? amount & 31 : amount > 32 ? 32 : amount;
    return strncmp(what, "shl", 3) == 0 ? a * ((wide)1 << amount) : a >> amount;
}

static enum verdict several(const struct call *c, const char *what, unsigned ways, struct answer *r)
{
    bool set = strncmp(what, "set", 3) == 0;
    enum ptx_type ta = type_of(c, set ? 0 : 1), tb = type_of(c, set ? 1 : 2);
    bool is_signed = !set && is_signed_type(type_of(c, 0));
    unsigned bits = 32 / ways;
    wide sum = has(c, M_ADD) ? (wide)c->c : 0;
    for (unsigned i = 0; i < ways; i++) {
        wide x = operated(c, what, part(ta, c->a, bits * i, bits), part(tb, c->b, bits * i, bits));
        if (has(c, M_SAT))
            x = limited(is_signed, bits, x);
        if (has(c, M_ADD))
            sum += x;
        else
            r->d |= low_bits((uint64_t)x, bits) << bits * i;
    }
    if (has(c, M_ADD))
        r->d = (uint64_t)sum & 0xffffffff;
    return ANSWERED;
}

static enum verdict multiplied(const struct call *c, struct answer *r)
{
    enum ptx_type ta = type_of(c, 1), tb = type_of(c, 2);
    bool is_signed = is_signed_type(ta) || is_signed_type(tb);
    wide product = part(ta, c->a, 0, 32) * part(tb, c->b, 0, 32);
    wide x = product + (is_signed ? (wide)signed_of(c->c, 32) : (wide)c->c) + has(c, M_PO);
    x >>= mods_value(c->mods, G_SCALE, 0);
    r->d = (uint64_t)(has(c, M_SAT) ? limited(is_signed, 32, x) : x) & 0xffffffff;
    return ANSWERED;
}

enum verdict reference_video(const struct call *c, struct answer *r)
{
    size_t length = strlen(c->opcode);
    const char *what = c->opcode + 1;
    if (c->opcode[0] != 'v' || strcmp(c->opcode, "vote") == 0)
        return NO_MODEL;
    if (c->opcode[length - 1] == '2' || c->opcode[length - 1] == '4')
        return several(c, what, (unsigned)(c->opcode[length - 1] - '0'), r);
    if (strcmp(what, "mad") == 0)
        return multiplied(c, r);
    bool set = strcmp(what, "set") == 0;
    bool is_signed = !set && is_signed_type(type_of(c, 0));
    enum ptx_type ta = type_of(c, set ? 0 : 1), tb = type_of(c, set ? 1 : 2);
    wide x = operated(c, what, part(ta, c->a, 0, 32), part(tb, c->b, 0, 32));
    if (has(c, M_SAT))
        x = limited(is_signed, 32, x);
    uint32_t first = (uint32_t)(uint64_t)x, third = (uint32_t)c->c;
    bool less = is_signed ? (int32_t)first < (int32_t)third : first < third;
    if (has(c, M_ADD))
        first += third;
    else if (has(c, M_MIN) || has(c, M_MAX))
        first = less == has(c, M_MIN) ? first : third;
    r->d = first;
    return ANSWERED;
}
