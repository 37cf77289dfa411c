#include "frontend/isa/sass/number.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* exponent bits, mantissa bits */
static const struct {
    uint8_t exponent, mantissa;
} shape[] = {[FLOAT_16] = {5, 10}, [FLOAT_BF16] = {8, 7}, [FLOAT_32] = {8, 23}, [FLOAT_64] = {11, 52}};

static uint64_t exponent_mask(enum sass_float f) { return ((1ull << shape[f].exponent) - 1) << shape[f].mantissa; }
static uint64_t sign_mask(enum sass_float f) { return 1ull << (shape[f].exponent + shape[f].mantissa); }
static uint64_t quiet_bit(enum sass_float f) { return 1ull << (shape[f].mantissa - 1); }

static double value_of(enum sass_float f, uint64_t bits)
{
    unsigned m = shape[f].mantissa;
    uint64_t exponent = (bits & exponent_mask(f)) >> m, mantissa = bits & ((1ull << m) - 1);
    int bias = (1 << (shape[f].exponent - 1)) - 1;
    double v = exponent ? ldexp((double)(mantissa | 1ull << m), (int)exponent - bias - (int)m)
                        : ldexp((double)mantissa, 1 - bias - (int)m);
    return bits & sign_mask(f) ? -v : v;
}

void sass_float_print(char *out, size_t size, enum sass_float f, uint64_t bits)
{
    uint64_t magnitude = bits & (sign_mask(f) - 1), infinity = exponent_mask(f);
    char sign = bits & sign_mask(f) ? '-' : '+';
    double v = magnitude < infinity ? value_of(f, bits) : 0;
    if (magnitude == infinity)
        snprintf(out, size, "%cINF", sign);
    else if (magnitude == (infinity | quiet_bit(f)))
        snprintf(out, size, "%cQNAN", sign);
    else if (magnitude > infinity)
        snprintf(out, size, "%cQNAN:0x%" PRIx64, sign, bits);
    else if (!magnitude)
        snprintf(out, size, bits ? "-0.0" : "0");
    else
        snprintf(out, size, fabs(v) >= 1e9 ? "%.20e" : "%.20g", v);
}

/* Finds the bits of v. False: the format has no such value. */
static bool bits_of(enum sass_float f, double v, uint64_t *bits)
{
    unsigned m = shape[f].mantissa;
    int bias = (1 << (shape[f].exponent - 1)) - 1, exponent;
    uint64_t sign = signbit(v) ? sign_mask(f) : 0;
    v = fabs(v);
    *bits = sign;
    if (v == 0)
        return true;
    frexp(v, &exponent); /* v = [1, 2) × 2^(exponent-1) */
    int unit = exponent - 1 - (int)m, least = 1 - bias - (int)m;
    if (unit < least)
        unit = least;
    double scaled = nearbyint(ldexp(v, -unit));
    if (scaled >= ldexp(1, (int)m + 1)) {
        scaled /= 2;
        unit++;
    }
    uint64_t mantissa = (uint64_t)scaled;
    uint64_t biased = (uint64_t)(unit - least) + (mantissa >> m ? 1 : 0);
    if (biased >= (1ull << shape[f].exponent) - 1)
        return false;
    *bits |= biased << m | (mantissa & ((1ull << m) - 1));
    return true;
}

bool sass_float_parse(const char **text, enum sass_float f, uint64_t *bits)
{
    const char *p = *text;
    if (*p == '+' || *p == '-') {
        uint64_t sign = *p == '-' ? sign_mask(f) : 0;
        if (!strncmp(p + 1, "INF", 3)) {
            *bits = sign | exponent_mask(f);
            *text = p + 4;
            return true;
        }
        if (!strncmp(p + 1, "QNAN", 4)) {
            char *end = (char *)p + 5;
            *bits = sign | exponent_mask(f) | quiet_bit(f);
            if (*end == ':') {
                *bits = strtoull(end + 1, &end, 16);
                if ((*bits & (sign_mask(f) - 1)) <= exponent_mask(f) || *bits >> 1 >= sign_mask(f))
                    return false;
            }
            *text = end;
            return true;
        }
    }
    if (!(*p == '-' || (*p >= '0' && *p <= '9')))
        return false;
    char *end;
    double v = strtod(p, &end);
    if (end == p || !isfinite(v))
        return false;
    *text = end[-1] == '.' ? end - 1 : end; /* in 2.NEG the point belongs to the modifier */
    return bits_of(f, v, bits);
}
