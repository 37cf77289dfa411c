/* Packed half precision against exact arithmetic on integers (tests/support/model_float.h); see corpus.h. */
#include <stdio.h>
#include <string.h>

#include <criterion/criterion.h>

#include "frontend/operation/uop.h"
#include "tests/support/model_float.h"
#include "tests/support/sass_corpus.h"

enum { ADD, MUL, FMA };
enum { PACKED, ONE_F32, LOW_TWICE, HIGH_TWICE };       /* how an operand is read */
enum { MERGE_NONE, MERGE_F32, MERGE_LOW, MERGE_HIGH }; /* what becomes of the result */
enum { NO_FLUSH, FTZ, FMZ };
static struct {
    unsigned op, merge, flush, swizzle[3], compare, combine;
    bool sat, neg[3], abs[2], bf, both, not ;
} m;
static void clear(unsigned op)
{
    memset(&m, 0, sizeof m);
    m.op = op;
}
static const char *when(bool condition, const char *text) { return condition ? text : ""; }
static const char *const merges[4] = {"", ".F32", ".MRG_H0", ".MRG_H1"}, *const flushes[3] = {"", ".FTZ", ".FMZ"},
                         *const swizzles[4] = {"", ".F32", ".H0_H0", ".H1_H1"};

/* ---- values ------------------------------------------------------------------------------------------------------ */

static uint64_t flush16(uint64_t v) { return v & 0x7c00 ? v : v & 0x8000; }
/* A word as operand i of one half of the result. An f32 is cut. */
static uint64_t half(uint32_t word, unsigned i, unsigned part)
{
    uint64_t v = m.swizzle[i] == LOW_TWICE    ? word & 0xffff
                 : m.swizzle[i] == HIGH_TWICE ? word >> 16
                                              : word >> 16 * part & 0xffff;
    if (m.swizzle[i] == ONE_F32)
        v = soft_convert(&FORMAT_F32, &FORMAT_F16, ROUND_Z, word);
    if (i < 2 && m.abs[i])
        v &= 0x7fff;
    return m.neg[i] ? v ^ 0x8000 : v;
}
static uint64_t in_format(const struct format *f, uint64_t v)
{
    v = m.flush ? flush16(v) : v;
    return f == &FORMAT_F32 ? soft_convert(&FORMAT_F16, &FORMAT_F32, ROUND_N, v) : v;
}
static bool is_zero(const struct format *f, uint64_t v) { return !(v & ((1ull << (f->bits - 1)) - 1)); }
static uint64_t result(const struct format *f, const uint32_t words[3], unsigned part)
{
    uint64_t v[3], r;
    for (unsigned i = 0; i < 3; i++)
        v[i] = in_format(f, half(words[i], i, part));
    if (m.flush == FMZ && (is_zero(f, v[0]) || is_zero(f, v[1])))
        v[0] = v[1] = 0;
    if (m.op == ADD)
        r = soft_add(f, ROUND_N, v[0], v[1]);
    else
        r = m.op == MUL ? soft_mul(f, ROUND_N, v[0], v[1]) : soft_fma(f, ROUND_N, v[0], v[1], v[2]);
    if (m.flush)
        r = f == &FORMAT_F32 ? flushed(r) : flush16(r);
    uint64_t one = (uint64_t)f->bias << f->fraction;
    if (m.sat)
        r = is_nan(f, r) || r >> (f->bits - 1) ? 0 : r > one ? one : r;
    return r;
}
static void of_words(struct state *s, const uint32_t words[3])
{
    if (m.merge == MERGE_F32) {
        set_d32(s, (uint32_t)result(&FORMAT_F32, words, 0));
        return;
    }
    uint32_t low = m.merge == MERGE_HIGH ? (uint32_t)s->d & 0xffff : (uint32_t)result(&FORMAT_F16, words, 0);
    uint32_t high = m.merge == MERGE_LOW ? (uint32_t)s->d >> 16 & 0xffff : (uint32_t)result(&FORMAT_F16, words, 1);
    set_d32(s, low | high << 16);
}
static void model_registers(struct state *s)
{
    of_words(s, (const uint32_t[3]){(uint32_t)s->a, (uint32_t)s->b, (uint32_t)s->c});
}
/* c[0x0][0x148] is the second operand, an f32. */
static void model_constant(struct state *s)
{
    m.swizzle[1] = ONE_F32;
    of_words(s, (const uint32_t[3]){(uint32_t)s->a, (uint32_t)s->c, (uint32_t)s->b});
}
static void model_constant_addend(struct state *s)
{
    m.swizzle[2] = ONE_F32;
    model_registers(s);
}
/* -2 above 1.5 */
static void model_immediate(struct state *s)
{
    of_words(s, (const uint32_t[3]){(uint32_t)s->a, 0xc0003e00, (uint32_t)s->c});
}
/* -0.0999755859375 above 1.5009765625, which the short immediate does not hold; c is the destination. */
static void model_long_immediate(struct state *s)
{
    of_words(s, (const uint32_t[3]){(uint32_t)s->a, 0xae663e01, (uint32_t)s->d});
}
static struct subject of(model f, enum values c)
{
    return (struct subject){f, V_F16X2, V_F16X2, c, m.merge == MERGE_F32 ? SAME_F32 : SAME_F16X2, 0};
}

/* ---- arithmetic -------------------------------------------------------------------------------------------------- */

static const char *name(void)
{
    static const char *const names[3] = {"HADD2", "HMUL2", "HFMA2"};
    static char text[40];
    snprintf(text, sizeof text, "%s%s%s%s", names[m.op], merges[m.merge], flushes[m.flush], when(m.sat, ".SAT"));
    return text;
}
/* Operand i with its modifiers. */
static const char *operand(unsigned i, const char *word)
{
    static char text[3][40];
    const char *bar = when(i < 2 && m.abs[i], "|"), *swizzle = strchr(word, '[') ? "" : swizzles[m.swizzle[i]];
    snprintf(text[i], sizeof text[i], "%s%s%s%s%s", when(m.neg[i], "-"), bar, word, swizzle, bar);
    return text[i];
}
static const char *addend(void) { return m.op == FMA ? operand(2, "R8") : ""; }
static void check_registers(void)
{
    const struct subject s = of(model_registers, V_F16X2);
    check(&s, &only_registers, "%s R20, %s, %s%s%s", name(), operand(0, "R4"), operand(1, "R6"),
          when(m.op == FMA, ", "), addend());
}
/* Each modifier at a time, and then several. */
CORPUS(half, arithmetic_on_registers)
{
    for (unsigned op = 0; op < 3; op++) {
        for (unsigned i = 0; i < 4 * 4 * 3; i++) {
            clear(op);
            m.swizzle[0] = i & 3;
            m.swizzle[1] = i >> 2 & 3;
            m.swizzle[2] = op == FMA ? (i >> 2) % 4 : 0;
            m.merge = i % 5 & 3;
            m.flush = i / 16;
            if (m.flush == FMZ && op == ADD)
                continue;
            m.sat = i % 7 == 2;
            check_registers();
        }
        for (unsigned i = 0; i < 16; i++) {
            clear(op);
            m.neg[0] = op == ADD && i & 1;
            m.neg[1] = i >> 1 & 1;
            m.neg[2] = op == FMA && i & 1;
            m.abs[0] = op != FMA && i >> 2 & 1;
            m.abs[1] = op != FMA && i >> 3 & 1;
            check_registers();
        }
    }
}
CORPUS(half, arithmetic_with_constants)
{
    for (unsigned op = 0; op < 3; op++)
        for (unsigned i = 0; i < 8; i++) {
            clear(op);
            m.swizzle[0] = i & 3;
            m.swizzle[2] = op == FMA ? (i + 1) & 3 : 0;
            m.merge = i % 5 & 3;
            m.flush = i == 5;
            m.sat = i == 6;
            m.neg[1] = i >> 2;
            const char *comma = when(op == FMA, ", ");
            const struct subject c = of(model_constant, V_F32), i9 = of(model_immediate, V_F16X2);
            check_c(&c, "%s R20, %s, %s%s%s", name(), operand(0, "R4"), operand(1, "c[0x0][0x148]"), comma,
                    op == FMA ? operand(2, "R6") : "");
            m.neg[1] = false;
            m.swizzle[1] = PACKED;
            check(&i9, &only_registers, "%s R20, %s, -2, 1.5%s%s", name(), operand(0, "R4"), comma, addend());
        }
    for (unsigned i = 0; i < 4; i++) {
        clear(FMA);
        m.neg[1] = i & 1;
        m.neg[2] = i >> 1;
        const struct subject rc = of(model_constant_addend, V_F32);
        check_c(&rc, "HFMA2 R20, R4, %s, %s", operand(1, "R6"), operand(2, "c[0x0][0x148]"));
    }
}
CORPUS(half, long_immediates)
{
    const struct subject s = of(model_long_immediate, V_F16X2);
    static const char *const names[3] = {"HADD2_32I", "HMUL2_32I", "HFMA2_32I"};
    for (unsigned op = 0; op < 3; op++)
        for (unsigned i = 0; i < 8; i++) {
            clear(op);
            m.swizzle[0] = i & 3;
            m.flush = i >> 2;
            m.sat = op != FMA && i % 3 == 1;
            m.neg[op == FMA ? 2 : 0] = op != MUL && i & 1;
            check(&s, &only_registers, "%s%s%s R20, %s, -0.0999755859375, 1.5009765625%s%s", names[op],
                  flushes[m.flush], when(m.sat, ".SAT"), operand(0, "R4"), when(op == FMA, ", "),
                  op == FMA ? operand(2, "R20") : "");
        }
}

/* ---- comparison -------------------------------------------------------------------------------------------------- */

static const char *const compares[16] = {"F",   "LT",  "EQ",  "LE",  "GT",  "NE",  "GE",  "NUM",
                                         "NAN", "LTU", "EQU", "LEU", "GTU", "NEU", "GEU", "T"};
static const char *const combines[3] = {"AND", "OR", "XOR"};
static int rank(uint64_t v) { return v & 0x8000 ? -(int)(v & 0x7fff) : (int)(v & 0x7fff); }
/* Bit 0 of the code: less; 1: equal; 2: greater; 3: not ordered. */
static bool compared(uint32_t a, uint32_t b, unsigned part)
{
    uint64_t x = in_format(&FORMAT_F16, half(a, 0, part)), y = in_format(&FORMAT_F16, half(b, 1, part));
    if (is_nan(&FORMAT_F16, x) || is_nan(&FORMAT_F16, y))
        return m.compare >> 3;
    return m.compare >> (rank(x) < rank(y) ? 0 : rank(x) == rank(y) ? 1 : 2) & 1;
}
static bool combined(const struct state *s, bool t)
{
    bool with = (s->p >> 5 & 1) ^ m.not ;
    return m.combine == 0 ? t && with : m.combine == 1 ? t || with : t != with;
}
static void set_of(struct state *s, uint32_t b)
{
    uint32_t yes = m.bf ? 0x3c00 : 0xffff;
    uint32_t low = combined(s, compared((uint32_t)s->a, b, 0)) ? yes : 0;
    uint32_t high = combined(s, compared((uint32_t)s->a, b, 1)) ? yes : 0;
    set_d32(s, low | high << 16);
}
/* A predicate for each half, as PTX's setp.f16x2 p|q; or (H_AND) for both, and its complement. */
static void setp_of(struct state *s, uint32_t b)
{
    bool low = compared((uint32_t)s->a, b, 0), high = compared((uint32_t)s->a, b, 1), all = low && high;
    bool first = combined(s, m.both ? all : low), second = combined(s, m.both ? !all : high);
    set_p(s, 1, first);
    set_p(s, 2, second);
}
static void set_registers(struct state *s) { set_of(s, (uint32_t)s->b); }
static void setp_registers(struct state *s) { setp_of(s, (uint32_t)s->b); }
static void set_immediate(struct state *s) { set_of(s, 0xc0003e00); }
static void setp_immediate(struct state *s) { setp_of(s, 0xc0003e00); }
static void set_constant(struct state *s)
{
    m.swizzle[1] = ONE_F32;
    set_of(s, (uint32_t)s->c);
}
static void setp_constant(struct state *s)
{
    m.swizzle[1] = ONE_F32;
    setp_of(s, (uint32_t)s->c);
}
static struct subject bits_of(model f, enum values c) { return (struct subject){f, V_F16X2, V_F16X2, c, SAME_BITS, 0}; }
CORPUS(half, comparisons)
{
    const struct subject set = bits_of(set_registers, V_F16X2), setp = bits_of(setp_registers, V_F16X2);
    const struct subject set_i = bits_of(set_immediate, V_F16X2), setp_i = bits_of(setp_immediate, V_F16X2);
    const struct subject set_c = bits_of(set_constant, V_F32), setp_c = bits_of(setp_constant, V_F32);
    for (unsigned i = 0; i < 16 * 3; i++) {
        clear(ADD);
        m.compare = i & 15;
        m.combine = i >> 4;
        m.not = i % 5 == 2;
        m.bf = i & 1;
        m.both = i >> 1 & 1;
        m.flush = i % 3 == 1;
        m.swizzle[0] = i % 4;
        m.swizzle[1] = (i >> 2) % 4;
        m.neg[0] = i % 7 == 3;
        m.abs[0] = i % 7 == 4;
        m.neg[1] = i % 7 == 5;
        m.abs[1] = i % 7 == 6;
        const char *name = compares[m.compare], *ftz = flushes[m.flush], *how = combines[m.combine],
                   *bf = when(m.bf, ".BF"), *both = when(m.both, ".H_AND"), *not = when(m.not, "!"),
                   *a = operand(0, "R4"), *b = operand(1, "R6");
        check(&set, &only_registers, "HSET2%s.%s%s.%s R20, %s, %s, %sP5", bf, name, ftz, how, a, b, not );
        check(&setp, &only_registers, "HSETP2.%s%s%s.%s P1, P2, %s, %s, %sP5", name, both, ftz, how, a, b, not );
        m.neg[1] = m.abs[1] = false;
        m.swizzle[1] = PACKED;
        check(&set_i, &only_registers, "HSET2%s.%s%s.%s R20, %s, -2, 1.5, %sP5", bf, name, ftz, how, a, not );
        check(&setp_i, &only_registers, "HSETP2.%s%s%s.%s P1, P2, %s, -2, 1.5, %sP5", name, both, ftz, how, a, not );
        if (i % 6 != 1)
            continue;
        m.neg[1] = i % 12 == 1;
        b = operand(1, "c[0x0][0x148]");
        check_c(&set_c, "HSET2%s.%s%s.%s R20, %s, %s, %sP5", bf, name, ftz, how, a, b, not );
        check_c(&setp_c, "HSETP2.%s%s%s.%s P1, P2, %s, %s, %sP5", name, both, ftz, how, a, b, not );
    }
}
