#include "tools/record/elements.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum kind { SIGNED, UNSIGNED, FLOAT };
static const struct {
    const char *name, *numpy;
    uint8_t bytes, kind;
} rows[ELEMENT_COUNT] = {
    [ELEMENT_UNKNOWN] = {"", "", 0, UNSIGNED},   [ELEMENT_I8] = {"i8", "|i1", 1, SIGNED},
    [ELEMENT_U8] = {"u8", "|u1", 1, UNSIGNED},   [ELEMENT_I16] = {"i16", "<i2", 2, SIGNED},
    [ELEMENT_U16] = {"u16", "<u2", 2, UNSIGNED}, [ELEMENT_I32] = {"i32", "<i4", 4, SIGNED},
    [ELEMENT_U32] = {"u32", "<u4", 4, UNSIGNED}, [ELEMENT_I64] = {"i64", "<i8", 8, SIGNED},
    [ELEMENT_U64] = {"u64", "<u8", 8, UNSIGNED}, [ELEMENT_F16] = {"f16", "<f2", 2, FLOAT},
    [ELEMENT_F32] = {"f32", "<f4", 4, FLOAT},    [ELEMENT_F64] = {"f64", "<f8", 8, FLOAT},
};

const char *element_name(enum element e) { return rows[e].name; }
size_t element_width(enum element e) { return rows[e].bytes; }
bool element_is_float(enum element e) { return rows[e].kind == FLOAT; }
const char *element_numpy(enum element e) { return rows[e].numpy; }

enum element element_named(const char *name, size_t length)
{
    enum element e = ELEMENT_COUNT;
    while (--e > ELEMENT_UNKNOWN && (strlen(rows[e].name) != length || memcmp(rows[e].name, name, length)))
        ;
    return e;
}

enum element element_of_numpy(const char *name, size_t length)
{
    enum element e = ELEMENT_COUNT;
    if (length == 3 && !memcmp(name, "|b1", 3))
        return ELEMENT_U8;
    while (--e > ELEMENT_UNKNOWN && (strlen(rows[e].numpy) != length || memcmp(rows[e].numpy, name, length)))
        ;
    return e;
}

/* The element's bits; those of a signed integer are sign-extended. */
static uint64_t bits_of(enum element e, const void *at)
{
    uint64_t bits = 0;
    unsigned unused = 64 - 8u * rows[e].bytes;
    memcpy(&bits, at, rows[e].bytes);
    return rows[e].kind == SIGNED ? (uint64_t)((int64_t)(bits << unused) >> unused) : bits;
}

/* IEEE 754 binary16: 1 bit of sign, 5 of exponent, 10 of fraction. */
static double half_value(uint64_t bits)
{
    int exponent = bits >> 10 & 31, fraction = bits & 1023;
    double magnitude = exponent == 31 ? (fraction ? (double)NAN : (double)INFINITY)
                       : exponent     ? ldexp(1024 + fraction, exponent - 25)
                                      : ldexp(fraction, -24);
    return bits >> 15 ? -magnitude : magnitude;
}

double element_value(enum element e, const void *at)
{
    float f;
    double d;
    if (e == ELEMENT_F16)
        return half_value(bits_of(e, at));
    if (e == ELEMENT_F32)
        return (double)*(float *)memcpy(&f, at, sizeof f);
    return *(double *)memcpy(&d, at, sizeof d);
}

void element_text(enum element e, const void *at, char out[32])
{
    if (rows[e].kind == FLOAT)
        snprintf(out, 32, "%.*g", e == ELEMENT_F64 ? 17 : e == ELEMENT_F32 ? 9 : 5, element_value(e, at));
    else if (rows[e].kind == SIGNED)
        snprintf(out, 32, "%" PRId64, (int64_t)bits_of(e, at));
    else
        snprintf(out, 32, "%" PRIu64, bits_of(e, at));
}

/* The half nearest to a number; of two, the even one. Halves of one sign have the order of their bits. */
static uint64_t half_bits(double value)
{
    if (isnan(value))
        return 0x7e00;
    double magnitude = fabs(value);
    uint64_t below = 0, infinite = 0x7c00, above = infinite;
    while (above - below > 1) {
        uint64_t middle = (below + above) / 2;
        *(half_value(middle) <= magnitude ? &below : &above) = middle;
    }
    double next = above == infinite ? 65536 : half_value(above), half = (half_value(below) + next) / 2;
    bool up = magnitude > half || (magnitude >= half && (below & 1));
    return (up ? above : below) | (signbit(value) ? 0x8000u : 0);
}

static bool float_read(enum element e, const char *text, void *to)
{
    char *end;
    float f = strtof(text, &end);
    double d = strtod(text, &end);
    uint64_t half = half_bits(d);
    memcpy(to, e == ELEMENT_F64 ? (void *)&d : e == ELEMENT_F32 ? (void *)&f : (void *)&half, rows[e].bytes);
    return *text && !*end;
}

bool element_read(enum element e, const char *text, void *to)
{
    if (rows[e].kind == FLOAT)
        return float_read(e, text, to);
    char *end;
    errno = 0;
    bool is_signed = rows[e].kind == SIGNED;
    uint64_t bits = is_signed ? (uint64_t)strtoll(text, &end, 10) : strtoull(text, &end, 10);
    memcpy(to, &bits, rows[e].bytes);
    return *text && !*end && !errno && (is_signed || !strchr(text, '-')) && bits_of(e, to) == bits;
}

/* Maps floats to integers in the same order: positive ones to their bits, negative ones below 0. */
static int64_t rank(enum element e, uint64_t bits)
{
    uint64_t sign = UINT64_C(1) << (8u * rows[e].bytes - 1);
    return bits & sign ? -(int64_t)(bits & ~sign) : (int64_t)bits;
}

uint64_t element_steps(enum element e, const void *a, const void *b)
{
    uint64_t x = bits_of(e, a), y = bits_of(e, b);
    if (rows[e].kind == UNSIGNED)
        return x > y ? x - y : y - x;
    if (rows[e].kind == FLOAT) {
        bool nan_a = isnan(element_value(e, a)), nan_b = isnan(element_value(e, b));
        if (nan_a || nan_b)
            return nan_a && nan_b ? 0 : UINT64_MAX;
        x = (uint64_t)rank(e, x);
        y = (uint64_t)rank(e, y);
    }
    return (int64_t)x > (int64_t)y ? x - y : y - x;
}

static double as_double(enum element e, const void *at)
{
    if (rows[e].kind == FLOAT)
        return element_value(e, at);
    return rows[e].kind == SIGNED ? (double)(int64_t)bits_of(e, at) : (double)bits_of(e, at);
}

double element_difference(enum element e, const void *a, const void *b)
{
    return fabs(as_double(e, a) - as_double(e, b));
}

double element_magnitude(enum element e, const void *at) { return fabs(as_double(e, at)); }
