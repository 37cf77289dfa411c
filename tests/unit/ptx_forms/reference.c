#include "tests/unit/ptx_forms/reference.h"

#include <math.h>
#include <string.h>

#include "tests/support/model_float.h"

bool is_pair_type(enum ptx_type t) { return t == PT_F16X2 || t == PT_BF16X2; }

const struct format *format_named(enum ptx_type t)
{
    switch (t) {
    case PT_F64: return &FORMAT_F64;
    case PT_F32: return &FORMAT_F32;
    case PT_F16:
    case PT_F16X2: return &FORMAT_F16;
    case PT_BF16:
    case PT_BF16X2: return &FORMAT_BF16;
    default: return NULL;
    }
}

int rounding_of(const struct call *c) { return mods_value(c->mods, G_ROUND, ROUND_DEFAULT); }

uint64_t without_subnormals(const struct format *f, uint64_t x)
{
    uint64_t sign = 1ull << (f->bits - 1), magnitude = x & (sign - 1);
    return magnitude >> f->fraction ? x : x & sign;
}

uint64_t clamped_to_one(const struct format *f, uint64_t x)
{
    uint64_t one = (uint64_t)f->bias << f->fraction;
    return is_nan(f, x) || x >> (f->bits - 1) & 1 ? 0 : x > one ? one : x;
}

long double value_of(const struct format *f, uint64_t x)
{
    uint64_t wide = f->bits == 64 ? x : soft_convert(f, &FORMAT_F64, ROUND_N, x);
    double d;
    if (is_nan(f, x))
        return NAN;
    memcpy(&d, &wide, sizeof d);
    return d;
}

enum verdict reference(const struct call *c, struct answer *r)
{
    static enum verdict (*const parts[])(const struct call *, struct answer *) = {
        reference_video, reference_convert, reference_compare, reference_float, reference_integer};
    *r = (struct answer){0};
    enum verdict v = NO_MODEL;
    for (unsigned i = 0; i < sizeof parts / sizeof *parts && v == NO_MODEL; i++)
        v = parts[i](c, r);
    return v;
}

static bool is_near(const struct format *f, const struct answer *r, uint64_t d)
{
    long double smallest = ldexpl(1, 1 - f->bias), greatest = ldexpl(2 - ldexpl(1, -f->fraction), f->bias);
    if (isnan(r->exact))
        return is_nan(f, d);
    if (fabsl(r->exact) >= greatest * (1 - r->bound))
        return value_of(f, d) == r->exact || (is_infinite(f, d) && !signbit(r->exact) == !(d >> (f->bits - 1) & 1)) ||
               fabsl(value_of(f, d)) >= greatest * (1 - 2 * r->bound);
    if (fabsl(r->exact) < smallest) /* may be flushed */
        return fabsl(value_of(f, d)) <= smallest * (1 + r->bound);
    long double error = fabsl(value_of(f, d) - r->exact);
    return error <= r->bound * (r->relative ? fabsl(r->exact) : 1);
}

bool answer_holds(const struct call *c, const struct answer *r, uint64_t d)
{
    enum ptx_type t = c->mods->type_count ? type_of(c, 0) : PT_B32;
    if (r->any)
        return true;
    return r->near ? is_near(format_named(t), r, d) : d == r->d;
}
