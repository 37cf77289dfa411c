/* set, setp, slct. */
#include <math.h>
#include <string.h>

#include "tests/support/model_float.h"
#include "tests/unit/ptx_forms/reference.h"

static bool is(const struct call *c, const char *name) { return strcmp(c->opcode, name) == 0; }

static int comparison(const struct call *c)
{
    return has(c, M_LO) ? CMP_LO : has(c, M_HI) ? CMP_HI : mods_value(c->mods, G_COMPARE, -1);
}

/* Which comparisons a type has. */
static bool goes_with(int compare, enum ptx_type t)
{
    switch (ptx_types[t].kind) {
    case 'B': return compare == CMP_EQ || compare == CMP_NE;
    case 'S': return compare <= CMP_GE;
    case 'U': return compare <= CMP_HS;
    default: return compare <= CMP_GE || (compare >= CMP_EQU && compare <= CMP_NAN);
    }
}

static bool holds(int compare, bool less, bool equal, bool ordered)
{
    switch (compare) {
    case CMP_EQ: return ordered && equal;
    case CMP_NE: return ordered && !equal;
    case CMP_LT:
    case CMP_LO: return ordered && less;
    case CMP_LE:
    case CMP_LS: return ordered && (less || equal);
    case CMP_GT:
    case CMP_HI: return ordered && !less && !equal;
    case CMP_GE:
    case CMP_HS: return ordered && !less;
    case CMP_EQU: return !ordered || equal;
    case CMP_NEU: return !ordered || !equal;
    case CMP_LTU: return !ordered || less;
    case CMP_LEU: return !ordered || less || equal;
    case CMP_GTU: return !ordered || (!less && !equal);
    case CMP_GEU: return !ordered || !less;
    case CMP_NUM: return ordered;
    default: return !ordered;
    }
}

static bool compared(const struct call *c, enum ptx_type t, uint64_t a, uint64_t b)
{
    const struct format *f = format_named(t);
    int compare = comparison(c);
    if (f) {
        long double x = value_of(f, has(c, M_FTZ) ? without_subnormals(f, a) : a);
        long double y = value_of(f, has(c, M_FTZ) ? without_subnormals(f, b) : b);
        return holds(compare, x < y, x == y, !isnan(x) && !isnan(y));
    }
    if (is_signed_type(t))
        return holds(compare, signed_of(a, bits_of(t)) < signed_of(b, bits_of(t)), a == b, true);
    return holds(compare, a < b, a == b, true);
}

static bool combined(const struct call *c, bool t)
{
    return has(c, M_AND) ? t && c->p : has(c, M_OR) ? t || c->p : has(c, M_XOR) ? t != c->p : t;
}

static uint64_t truth(enum ptx_type d, enum ptx_type compared)
{
    switch (d) {
    case PT_F32: return 0x3f800000;
    case PT_F16:
    case PT_F16X2: return 0x3c00;
    case PT_BF16:
    case PT_BF16X2: return 0x3f80;
    default: return is_pair_type(compared) || bits_of(d) == 16 ? 0xffff : 0xffffffff;
    }
}

enum verdict reference_compare(const struct call *c, struct answer *r)
{
    if (is(c, "slct")) {
        uint64_t x = c->c;
        bool at_least_0 = !(x >> 31);
        if (has(c, M_FTZ) && type_of(c, 1) != PT_F32)
            return NOT_PTX;
        if (type_of(c, 1) == PT_F32) {
            x = has(c, M_FTZ) ? without_subnormals(&FORMAT_F32, x) : x;
            at_least_0 = value_of(&FORMAT_F32, x) >= 0;
        }
        r->d = at_least_0 ? c->a : c->b;
        return ANSWERED;
    }
    if (!is(c, "set") && !is(c, "setp"))
        return NO_MODEL;
    enum ptx_type t = type_of(c, c->mods->type_count - 1u);
    if (!goes_with(comparison(c), t))
        return NOT_PTX;
    if (has(c, M_FTZ) && t != PT_F32 && t != PT_F16 && t != PT_F16X2)
        return NOT_PTX;
    bool pair = is_pair_type(t);
    bool low = compared(c, t, pair ? c->a & 0xffff : c->a, pair ? c->b & 0xffff : c->b);
    bool high = pair ? compared(c, t, c->a >> 16, c->b >> 16) : !low;
    if (is(c, "setp")) {
        r->q[0] = combined(c, low);
        r->q[1] = combined(c, high);
        return ANSWERED;
    }
    uint64_t yes = truth(type_of(c, 0), t);
    r->d = (combined(c, low) ? yes : 0) | (pair && combined(c, high) ? yes << 16 : 0);
    return ANSWERED;
}
