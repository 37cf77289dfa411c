/* Conversions and moves against scalar models; see corpus.h. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include <criterion/criterion.h>

#include "frontend/operation/uop.h"
#include "tests/support/model_float.h"
#include "tests/support/sass_corpus.h"

static struct {
    bool neg, abs, ftz, sat, cc, to_signed, from_signed;
    unsigned round, to, from, part;
} m;
static void clear(void) { memset(&m, 0, sizeof m); }
static const char *when(bool condition, const char *text) { return condition ? text : ""; }
static const int roundings[4] = {ROUND_N, ROUND_M, ROUND_P, ROUND_Z};
static const struct format *const formats[4] = {NULL, &FORMAT_F16, &FORMAT_F32, &FORMAT_F64};
static const char *const float_names[4] = {NULL, "F16", "F32", "F64"};
static const enum values float_values[4] = {V_INT, V_F16, V_F32, V_F64};
static const enum same float_same[4] = {SAME_BITS, SAME_F16, SAME_F32, SAME_F64};

/* ---- between floating-point formats ------------------------------------------------------------------------------ */

static uint64_t float_operand(const struct state *s)
{
    const struct format *f = formats[m.from];
    uint64_t v = f->bits == 64 ? s->b : s->b >> (m.part ? 16 : 0) & ((1ull << f->bits) - 1);
    if (m.ftz && m.from == 2)
        v = flushed(v);
    if (m.abs)
        v &= ~(1ull << (f->bits - 1));
    return m.neg ? negated(f, v) : v;
}
static uint64_t clamped(const struct format *f, uint64_t v)
{
    uint64_t one = (uint64_t)f->bias << f->fraction;
    if (is_nan(f, v) || v >> (f->bits - 1))
        return 0;
    return v > one ? one : v;
}
/* Condition codes: a number's sign, unless it is 0, and zero; both of NaN. */
static void set_float_codes(struct state *s, const struct format *f, uint64_t v)
{
    uint64_t magnitude = v & ((1ull << (f->bits - 1)) - 1);
    if (is_nan(f, v))
        s->cc = CC_ZERO | CC_SIGN;
    else
        s->cc = !magnitude ? CC_ZERO : magnitude != v ? CC_SIGN : 0;
}
static void set_float(struct state *s, uint64_t v)
{
    if (m.ftz && m.to == 2)
        v = flushed(v);
    if (m.sat)
        v = clamped(formats[m.to], v);
    if (m.cc)
        set_float_codes(s, formats[m.to], v);
    if (m.to == 3)
        s->d = v;
    else
        set_d32(s, (uint32_t)v);
}
static void model_f2f(struct state *s)
{
    set_float(s, soft_convert(formats[m.from], formats[m.to], roundings[m.round], float_operand(s)));
}
static void model_integral(struct state *s)
{
    set_float(s, soft_integral(formats[m.from], roundings[m.round], float_operand(s)));
}
#define B_FORMAT "%s%s%%B%s%s"
#define B_TEXT when(m.neg, "-"), when(m.abs, "|"), when(m.part, ".H1"), when(m.abs, "|")
static void check_f2f(unsigned i)
{
    static const char *const rounds[4] = {"", ".RM", ".RP", ".RZ"};
    static const char *const integral[4] = {".ROUND", ".FLOOR", ".CEIL", ".TRUNC"};
    const bool equal = m.from == m.to, widens = m.to > m.from;
    struct subject subject = {
        equal ? model_integral : model_f2f, V_INT, float_values[m.from], V_INT, float_same[m.to], 0};
    m.round = i & 3;
    m.ftz = i >> 2 & 1 && (m.to == 2 || m.from == 2);
    m.sat = i >> 3 & 1;
    m.neg = i >> 4 & 1;
    m.abs = i >> 5 & 1;
    if ((widens && m.round) || (m.from == 1 && m.to == 1))
        return;
    const bool plain = !m.neg && !m.abs && !m.part && m.from != 1;
    m.cc = i % 7 == 4;
    check(&subject,
          !plain        ? &only_registers
          : m.from == 2 ? &f32_forms
                        : &f64_forms,
          "F2F%s.%s.%s%s%s R20%s, " B_FORMAT, when(m.ftz, ".FTZ"), float_names[m.to], float_names[m.from],
          equal ? integral[m.round] : rounds[m.round], when(m.sat, ".SAT"), when(m.cc, ".CC"), B_TEXT);
}
CORPUS(convert, f2f)
{
    for (unsigned to = 1; to < 4; to++)
        for (unsigned from = 1; from < 4; from++)
            for (unsigned i = 0; i < 64; i++) {
                clear();
                m.to = to;
                m.from = from;
                m.part = from == 1 && i & 1;
                check_f2f(i);
            }
}
/* Without a rounding between equal sizes: the value itself, with its modifiers. */
static void model_pass(struct state *s) { set_float(s, float_operand(s)); }
CORPUS(convert, f2f_of_equal_size)
{
    for (unsigned size = 2; size < 4; size++)
        for (unsigned i = 0; i < 16; i++) {
            struct subject subject = {model_pass, V_INT, float_values[size], V_INT, float_same[size], 0};
            clear();
            m.to = m.from = size;
            m.neg = i & 1;
            m.abs = i >> 1 & 1;
            m.sat = i >> 2 & 1;
            m.ftz = i >> 3 && size == 2;
            m.cc = i % 5 == 2;
            check(&subject, &only_registers, "F2F%s.%s.%s%s R20%s, " B_FORMAT, when(m.ftz, ".FTZ"), float_names[size],
                  float_names[size], when(m.sat, ".SAT"), when(m.cc, ".CC"), B_TEXT);
        }
}

/* ---- to and from integers ---------------------------------------------------------------------------------------- */

static const char *const int_names[2][4] = {{"U8", "U16", "U32", "U64"}, {"S8", "S16", "S32", "S64"}};

/* Saturates; NaN is 0, but the middle of the range where either side has 64 bits (PTX ISA, cvt). */
static void model_f2i(struct state *s)
{
    const struct format *f = formats[m.from];
    uint64_t v = float_operand(s);
    unsigned bits = 8u << m.to;
    __int128 top = ((__int128)1 << (m.to_signed ? bits - 1 : bits)) - 1, bottom = m.to_signed ? -top - 1 : 0, r;
    if (is_nan(f, v))
        r = m.to == 3 || m.from == 3 ? (__int128)1 << (bits - 1) : 0;
    else if (is_infinite(f, v) || (f->bits == 64 && (v >> 52 & 2047) > 1023 + 70) ||
             (f->bits == 32 && (v >> 23 & 255) > 127 + 70))
        r = v >> (f->bits - 1) ? bottom : top;
    else
        r = soft_to_integer(f, roundings[m.round], v);
    if (!is_nan(f, v))
        r = r > top ? top : r < bottom ? bottom : r;
    if (m.to == 1 && m.to_signed)
        r = (int16_t)r;
    if (m.cc)
        s->cc = !r ? CC_ZERO : (uint64_t)r >> (m.to == 3 ? 63 : 31) & 1 ? CC_SIGN : 0;
    if (m.to == 3)
        s->d = (uint64_t)r;
    else
        set_d32(s, m.to == 1 && m.to_signed ? (uint32_t)(int16_t)r : (uint32_t)r & (uint32_t)((1ull << bits) - 1));
}
CORPUS(convert, f2i)
{
    static const char *const rounds[4] = {"", ".FLOOR", ".CEIL", ".TRUNC"};
    for (unsigned i = 0; i < 3 * 2 * 3 * 4 * 2; i++) {
        clear();
        m.to = 1 + i % 3;
        m.to_signed = i / 3 & 1;
        m.from = 1 + i / 6 % 3;
        m.round = i / 18 % 4;
        m.ftz = i / 72 && m.from == 2;
        m.neg = i / 72;
        m.abs = m.neg && m.round & 1;
        m.part = m.from == 1 && m.round == 2;
        struct subject subject = {model_f2i, V_INT, float_values[m.from], V_INT, SAME_BITS, 0};
        const bool plain = !m.neg && !m.part && m.from != 1;
        m.cc = i % 5 == 3;
        check(&subject,
              !plain        ? &only_registers
              : m.from == 2 ? &f32_forms
                            : &f64_forms,
              "F2I%s.%s.%s%s R20%s, " B_FORMAT, when(m.ftz, ".FTZ"), int_names[m.to_signed][m.to], float_names[m.from],
              rounds[m.round], when(m.cc, ".CC"), B_TEXT);
    }
}
/* Part of a register, extended as its type says. Magnitude and sign are those of PTX's abs and neg of 32 or 64 bits. */
static __int128 integer_operand(const struct state *s)
{
    unsigned bits = 8u << m.from;
    uint64_t v = m.from == 3 ? s->b : (uint32_t)s->b;
    if (m.from < 2)
        v = v >> (8 * m.part) & ((1u << bits) - 1);
    __int128 r = m.from_signed && v >> (bits - 1) ? (__int128)v - ((__int128)1 << bits) : (__int128)v;
    if (m.abs && r < 0)
        r = -r;
    if (m.neg)
        r = -r;
    if (m.from_signed && m.from >= 2 && r == (__int128)1 << (bits - 1))
        r = -r;
    return r;
}
static void model_i2f(struct state *s)
{
    set_float(s, soft_of_integer(formats[m.to], roundings[m.round], integer_operand(s)));
}
static const char *part_name(void)
{
    static const char *const bytes[4] = {"", ".B1", ".B2", ".B3"};
    return m.from == 0 ? bytes[m.part] : m.from == 1 && m.part ? ".H1" : "";
}
CORPUS(convert, i2f)
{
    static const char *const rounds[4] = {"", ".RM", ".RP", ".RZ"};
    for (unsigned i = 0; i < 3 * 4 * 2 * 4 * 2; i++) {
        clear();
        m.to = 1 + i % 3;
        m.from = i / 3 & 3;
        m.from_signed = i / 12 & 1;
        m.round = i / 24 % 4;
        m.neg = i / 96 && m.from_signed;
        m.abs = m.neg && m.round & 1;
        m.part = m.from == 0 ? m.round : m.from == 1 ? m.round & 2 : 0;
        struct subject subject = {model_i2f, V_INT, m.from == 3 ? V_LONG : V_INT, V_INT, float_same[m.to], 0};
        m.cc = i % 5 == 1;
        check(&subject, m.neg || m.part || m.from == 3 ? &only_registers : &integer_forms,
              "I2F.%s.%s%s R20%s, %s%s%%B%s%s", float_names[m.to], int_names[m.from_signed][m.from], rounds[m.round],
              when(m.cc, ".CC"), when(m.neg, "-"), when(m.abs, "|"), part_name(), when(m.abs, "|"));
    }
}
/* A narrow result has zeros above it, also when it is negative. */
static void model_i2i(struct state *s)
{
    unsigned bits = 8u << m.to;
    __int128 v = integer_operand(s);
    int64_t top = (int64_t)((1ull << (m.to_signed ? bits - 1 : bits)) - 1), bottom = m.to_signed ? -top - 1 : 0;
    if (m.sat)
        v = v > top ? top : v < bottom ? bottom : v;
    uint32_t r = (uint32_t)v;
    if (bits < 32)
        r &= (1u << bits) - 1;
    set_d32(s, r);
}
CORPUS(convert, i2i)
{
    for (unsigned i = 0; i < 3 * 2 * 3 * 2 * 2 * 2; i++) {
        clear();
        m.to = i % 3;
        m.to_signed = i / 3 & 1;
        m.from = i / 6 % 3;
        m.from_signed = i / 18 & 1;
        m.sat = i / 36 & 1;
        m.neg = i / 72 && m.from_signed && !m.sat;
        m.abs = m.neg && i & 1;
        m.part = m.from == 0 ? i & 3 : m.from == 1 ? i & 2 : 0;
        const struct subject subject = {model_i2i, V_INT, V_INT, V_INT, SAME_BITS, 0};
        check(&subject, m.neg || m.part || m.from < 2 ? &no_immediates : &integer_forms, "I2I.%s.%s%s R20, %s%s%%B%s%s",
              int_names[m.to_signed][m.to], int_names[m.from_signed][m.from], when(m.sat, ".SAT"), when(m.neg, "-"),
              when(m.abs, "|"), part_name(), when(m.abs, "|"));
    }
}
