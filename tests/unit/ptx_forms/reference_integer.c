/* Integers, bits and logic. */
#include <string.h>

#include "tests/unit/ptx_forms/reference.h"

typedef __int128 wide;
typedef unsigned __int128 uwide;

static wide number(enum ptx_type t, uint64_t x)
{
    return is_signed_type(t) ? (wide)signed_of(x, bits_of(t)) : (wide)low_bits(x, bits_of(t));
}
static wide clamp(wide x, wide low, wide high) { return x < low ? low : x > high ? high : x; }
static wide clamp_s32(wide x) { return clamp(x, -(wide)0x80000000, 0x7fffffff); }

static bool is(const struct call *c, const char *name) { return strcmp(c->opcode, name) == 0; }

static uint64_t halves(const struct call *c, wide (*of)(const struct call *, wide, wide))
{
    enum ptx_type t = type_of(c, 0) == PT_S16X2 ? PT_S16 : PT_U16;
    uint64_t r = 0;
    for (int i = 0; i < 2; i++) {
        wide x = of(c, number(t, c->a >> 16 * i & 0xffff), number(t, c->b >> 16 * i & 0xffff));
        r |= ((uint64_t)x & 0xffff) << 16 * i;
    }
    return r;
}

static wide sum(const struct call *c, wide a, wide b) { return is(c, "add") ? a + b : a - b; }
static wide extreme(const struct call *c, wide a, wide b)
{
    wide r = (a < b) == is(c, "min") ? a : b;
    return has(c, M_RELU) && r < 0 ? 0 : r;
}

static bool is_pair(enum ptx_type t) { return t == PT_U16X2 || t == PT_S16X2; }

/* A half of a product as a number of the type's width, or all of it. */
static wide product(const struct call *c, wide a, wide b)
{
    unsigned bits = bits_of(type_of(c, 0));
    wide p = (wide)((uwide)a * (uwide)b); /* 64 bits without a sign do not fit else */
    if (!has(c, M_HI))
        return p;
    return is_signed_type(type_of(c, 0)) ? p >> bits : (wide)((uwide)a * (uwide)b >> bits);
}

static wide product24(const struct call *c)
{
    bool s = is_signed_type(type_of(c, 0));
    wide a = s ? signed_of(c->a & 0xffffff, 24) : (wide)(c->a & 0xffffff);
    wide b = s ? signed_of(c->b & 0xffffff, 24) : (wide)(c->b & 0xffffff);
    wide p = a * b & (((wide)1 << 48) - 1);
    uint64_t r = has(c, M_HI) ? (uint64_t)(p >> 16) & 0xffffffff : (uint64_t)p & 0xffffffff;
    return number(type_of(c, 0), r);
}

static uint64_t dot(const struct call *c)
{
    bool four = is(c, "dp4a");
    wide r = is_signed_type(type_of(c, 0)) || is_signed_type(type_of(c, 1)) ? (wide)signed_of(c->c, 32) : (wide)c->c;
    for (unsigned i = 0; i < (four ? 4u : 2u); i++) {
        unsigned bits = four ? 8 : 16, at = four ? 8 * i : 8 * i + (has(c, M_HI) ? 16 : 0);
        uint64_t x = c->a >> bits * i & ((1u << bits) - 1), y = c->b >> at & 0xff;
        wide left = is_signed_type(type_of(c, 0)) ? (wide)signed_of(x, bits) : (wide)x;
        wide right = is_signed_type(type_of(c, 1)) ? (wide)signed_of(y, 8) : (wide)y;
        r += left * right;
    }
    return (uint64_t)r & 0xffffffff;
}

static enum verdict arithmetic(const struct call *c, struct answer *r)
{
    enum ptx_type t = type_of(c, 0);
    unsigned bits = bits_of(t);
    wide a = number(t, c->a), b = number(t, c->b), x;
    if (is_float_type(t))
        return NO_MODEL;
    if ((is(c, "add") || is(c, "sub") || is(c, "min") || is(c, "max")) && is_pair(t)) {
        r->d = halves(c, is(c, "add") || is(c, "sub") ? sum : extreme);
        return ANSWERED;
    }
    if (is(c, "add") || is(c, "sub"))
        x = has(c, M_SAT) ? clamp_s32(sum(c, a, b)) : sum(c, a, b);
    else if (is(c, "addc"))
        x = a + b + c->p;
    else if (is(c, "subc")) /* the carry of a + ~b + 1: 1 where nothing was borrowed */
        x = a - b - !c->p;
    else if (is(c, "min") || is(c, "max"))
        x = extreme(c, a, b);
    else if (is(c, "mul"))
        x = product(c, a, b);
    else if (is(c, "mad") || is(c, "madc"))
        x = product(c, a, b) +
            (has(c, M_WIDE) ? (is_signed_type(t) ? (wide)signed_of(c->c, 2 * bits) : (wide)c->c) : number(t, c->c));
    else if (is(c, "mul24"))
        x = product24(c);
    else if (is(c, "mad24"))
        x = product24(c) + number(t, c->c);
    else if (is(c, "sad"))
        x = number(t, c->c) + (a < b ? b - a : a - b);
    else if (is(c, "div") || is(c, "rem")) {
        r->any = b == 0 || (is_signed_type(t) && b == -1);
        x = r->any ? 0 : is(c, "div") ? a / b : a % b;
    } else if (is(c, "abs"))
        x = a < 0 ? -a : a;
    else if (is(c, "neg"))
        x = -a;
    else
        return NO_MODEL;
    if (is(c, "madc"))
        x += c->p;
    if ((is(c, "mad") || is(c, "mad24")) && has(c, M_SAT))
        x = clamp_s32(x);
    r->d = low_bits((uint64_t)x, has(c, M_WIDE) ? 2 * bits : bits);
    return ANSWERED;
}

static uint64_t find_nth(uint32_t mask, uint32_t base, int32_t offset)
{
    int step = offset < 0 ? -1 : 1;
    uint32_t wanted = offset < 0 ? 0 - (uint32_t)offset : (uint32_t)offset;
    if (offset == 0)
        return mask >> base & 1 ? base : 0xffffffff;
    for (int at = (int)base; at >= 0 && at < 32; at += step)
        if ((mask >> at & 1) && --wanted == 0)
            return (uint64_t)at;
    return 0xffffffff;
}

static uint64_t reversed(uint64_t x, unsigned bits)
{
    uint64_t r = 0;
    for (unsigned i = 0; i < bits; i++)
        r |= (x >> i & 1) << (bits - 1 - i);
    return r;
}

static uint64_t extracted(const struct call *c)
{
    enum ptx_type t = type_of(c, 0);
    unsigned msb = bits_of(t) - 1, at = c->b & 0xff, length = c->c & 0xff;
    unsigned last = at + length - 1 < msb ? at + length - 1 : msb;
    bool sign = is_signed_type(t) && length && (c->a >> last & 1);
    uint64_t r = 0;
    for (unsigned i = 0; i <= msb; i++)
        r |= (uint64_t)(i < length && at + i <= msb ? c->a >> (at + i) & 1 : sign) << i;
    return r;
}

static uint64_t inserted(const struct call *c)
{
    unsigned msb = bits_of(type_of(c, 0)) - 1, at = c->c & 0xff, length = c->l & 0xff;
    uint64_t r = c->b;
    for (unsigned i = 0; i < length && at + i <= msb; i++)
        r = (r & ~(1ull << (at + i))) | (c->a >> i & 1) << (at + i);
    return r;
}

static uint64_t permuted(const struct call *c)
{
    uint64_t both = c->b << 32 | c->a, r = 0;
    unsigned n = c->c & 3;
    for (unsigned i = 0; i < 4; i++) {
        unsigned pick;
        switch (mods_value(c->mods, G_PRMT, PRMT_DEFAULT)) {
        case PRMT_F4E: pick = n + i; break;
        case PRMT_B4E: pick = (n - i) & 7; break;
        case PRMT_RC8: pick = n; break;
        case PRMT_ECL: pick = i < n ? n : i; break;
        case PRMT_ECR: pick = i < n ? i : n; break;
        case PRMT_RC16: pick = (n & 1) * 2 + (i & 1); break;
        default: pick = c->c >> 4 * i & 15; break;
        }
        uint64_t byte = both >> 8 * (pick & 7) & 0xff;
        r |= (pick & 8 ? (byte & 0x80 ? 0xffu : 0u) : byte) << 8 * i;
    }
    return r;
}

static enum verdict bit_fields(const struct call *c, struct answer *r)
{
    enum ptx_type t = type_of(c, 0);
    unsigned bits = bits_of(t);
    uint64_t a = c->a;
    if (is(c, "popc"))
        r->d = (unsigned)__builtin_popcountll(a);
    else if (is(c, "clz"))
        for (r->d = 0; r->d < bits && !(a >> (bits - 1 - r->d) & 1);)
            r->d++;
    else if (is(c, "bfind")) {
        uint64_t x = is_signed_type(t) && a >> (bits - 1) ? low_bits(~a, bits) : a;
        int at = x ? 63 - __builtin_clzll(x) : -1;
        r->d = at < 0 ? 0xffffffff : has(c, M_SHIFTAMT) ? bits - 1 - (unsigned)at : (unsigned)at;
    } else if (is(c, "fns")) {
        r->any = c->b > 31;
        r->d = r->any ? 0 : find_nth((uint32_t)a, (uint32_t)c->b, (int32_t)c->c);
    } else if (is(c, "brev"))
        r->d = reversed(a, bits);
    else if (is(c, "bfe"))
        r->d = extracted(c);
    else if (is(c, "bfi"))
        r->d = inserted(c);
    else if (is(c, "szext")) {
        uint64_t n = has(c, M_WRAP) ? c->b & 31 : c->b;
        r->d = n == 0              ? 0
               : n >= 32           ? a
               : is_signed_type(t) ? (uint64_t)signed_of(a, (unsigned)n)
                                   : low_bits(a, (unsigned)n);
        r->d &= 0xffffffff;
    } else if (is(c, "bmsk")) {
        uint64_t at = has(c, M_WRAP) ? a & 31 : a, n = has(c, M_WRAP) ? c->b & 31 : c->b;
        for (uint64_t i = 0; i < 32; i++)
            r->d |= (uint64_t)(i >= at && i - at < n) << i;
    } else if (is(c, "prmt"))
        r->d = permuted(c);
    else if (is(c, "dp4a") || is(c, "dp2a"))
        r->d = dot(c);
    else
        return NO_MODEL;
    return ANSWERED;
}

static enum verdict logic(const struct call *c, struct answer *r)
{
    enum ptx_type t = type_of(c, 0);
    unsigned bits = bits_of(t);
    uint64_t a = c->a, b = c->b, n = b & 0xffffffff;
    if (is(c, "and"))
        r->d = a & b;
    else if (is(c, "or"))
        r->d = a | b;
    else if (is(c, "xor"))
        r->d = a ^ b;
    else if (is(c, "not"))
        r->d = low_bits(~a, bits);
    else if (is(c, "cnot"))
        r->d = a == 0;
    else if (is(c, "shl"))
        r->d = n >= bits ? 0 : low_bits(a << n, bits);
    else if (is(c, "shr")) {
        bool sign = is_signed_type(t) && a >> (bits - 1) & 1;
        r->d = n >= bits ? (sign ? low_bits(~0ull, bits) : 0)
                         : low_bits(is_signed_type(t) ? (uint64_t)(signed_of(a, bits) >> n) : a >> n, bits);
    } else if (is(c, "shf")) {
        uint64_t amount = c->c & 0xffffffff, both = b << 32 | a;
        amount = has(c, M_WRAP) ? amount & 31 : amount > 32 ? 32 : amount;
        r->d = (has(c, M_L) ? both << amount >> 32 : both >> amount) & 0xffffffff;
    } else if (is(c, "lop3")) {
        for (int i = 0; i < 32; i++)
            r->d |= (uint64_t)(c->imm >> ((a >> i & 1) << 2 | (b >> i & 1) << 1 | (c->c >> i & 1)) & 1) << i;
        r->q[0] = has(c, M_OR) ? r->d || c->p : r->d && c->p;
    } else if (is(c, "selp")) {
        r->d = c->p ? a : b;
    } else {
        return NO_MODEL;
    }
    return ANSWERED;
}

enum verdict reference_integer(const struct call *c, struct answer *r)
{
    enum verdict v = arithmetic(c, r);
    if (v == NO_MODEL)
        v = bit_fields(c, r);
    return v == NO_MODEL ? logic(c, r) : v;
}
