/* Floating-point instructions against exact arithmetic on integers (tests/support/model_float.h); see corpus.h. */
#include <math.h>
#include <string.h>

#include <criterion/criterion.h>

#include "frontend/operation/uop.h"
#include "tests/support/model_float.h"
#include "tests/support/sass_corpus.h"

static struct {
    bool neg[3], abs[2], ftz, sat, bf, cc, not ;
    unsigned round, compare, combine, op;
    const struct format *format;
} m;
static void clear(const struct format *f)
{
    memset(&m, 0, sizeof m);
    m.format = f;
}
static const char *when(bool condition, const char *text) { return condition ? text : ""; }
static const char *const rounds[4] = {"", ".RM", ".RP", ".RZ"};
static const int roundings[4] = {ROUND_N, ROUND_M, ROUND_P, ROUND_Z};

/* An operand with its modifiers; flushed first, which the sign survives. */
static uint64_t operand(uint64_t v, unsigned i)
{
    bool wide = m.format->bits == 64;
    v = wide ? v : (uint32_t)v;
    if (m.ftz)
        v = flushed(v);
    if (i < 2 && m.abs[i])
        v &= ~(1ull << (m.format->bits - 1));
    return m.neg[i] ? negated(m.format, v) : v;
}
/* Zero and sign as a comparison with 0 gives them; both for NaN. */
static uint32_t codes_of_float(const struct format *f, uint64_t r)
{
    bool nan = is_nan(f, r), sign = r >> (f->bits - 1) & 1, zero = !(r & ((1ull << (f->bits - 1)) - 1));
    return (zero || nan ? CC_ZERO : 0) | ((sign && !zero) || nan ? CC_SIGN : 0);
}
static void finish(struct state *s, uint64_t r)
{
    if (m.format->bits == 64) {
        s->d = r;
    } else {
        r = m.ftz ? flushed(r) : r;
        r = m.sat ? saturated(r) : r;
        set_d32(s, (uint32_t)r);
    }
    if (m.cc)
        s->cc = codes_of_float(m.format, r);
}
static void model_add(struct state *s)
{
    finish(s, soft_add(m.format, roundings[m.round], operand(s->a, 0), operand(s->b, 1)));
}
static void model_mul(struct state *s)
{
    finish(s, soft_mul(m.format, roundings[m.round], operand(s->a, 0), operand(s->b, 1)));
}
static void model_fma(struct state *s)
{
    finish(s, soft_fma(m.format, roundings[m.round], operand(s->a, 0), operand(s->b, 1), operand(s->c, 2)));
}
CORPUS(float_, fp32)
{
    const struct subject add = {model_add, V_F32, V_F32, V_F32, SAME_F32, 0};
    const struct subject mul = {model_mul, V_F32, V_F32, V_F32, SAME_F32, 0};
    const struct subject fma = {model_fma, V_F32, V_F32, V_F32, SAME_F32, 0};
    for (unsigned i = 0; i < 16; i++) {
        clear(&FORMAT_F32);
        m.ftz = i & 1;
        m.sat = i >> 1 & 1;
        m.round = i >> 2;
        const char *ftz = when(m.ftz, ".FTZ"), *sat = when(m.sat, ".SAT"), *round = rounds[m.round];
        check(&add, &f32_forms, "FADD%s%s%s R20, R4, %%B", ftz, round, sat);
        check(&mul, &f32_forms, "FMUL%s%s%s R20, R4, %%B", ftz, round, sat);
        check(&fma, &f32_forms, "FFMA%s%s%s R20, R4, %%B, R8", ftz, round, sat);
        m.neg[1] = true;
        check(&mul, &no_immediates, "FMUL%s%s%s R20, R4, -%%B", ftz, round, sat);
        for (unsigned k = 1; k < 4; k++) {
            m.neg[1] = k & 1;
            m.neg[2] = k >> 1;
            check(&fma, &no_immediates, "FFMA%s%s%s R20, R4, %s%%B, %sR8", ftz, round, sat, when(m.neg[1], "-"),
                  when(m.neg[2], "-"));
        }
    }
}
static void choose_modifiers(unsigned i)
{
    for (unsigned k = 0; k < 2; k++) {
        m.neg[k] = i >> (2 * k) & 1;
        m.abs[k] = i >> (2 * k + 1) & 1;
    }
}
#define A_FORMAT "%s%sR4%s"
#define A_TEXT when(m.neg[0], "-"), when(m.abs[0], "|"), when(m.abs[0], "|")
#define B_FORMAT "%s%s%%B%s"
#define B_TEXT when(m.neg[1], "-"), when(m.abs[1], "|"), when(m.abs[1], "|")
CORPUS(float_, signs_of_sums)
{
    const struct subject add = {model_add, V_F32, V_F32, V_F32, SAME_F32, 0};
    const struct subject dadd = {model_add, V_F64, V_F64, V_F64, SAME_F64, 0};
    for (unsigned i = 1; i < 16; i++) {
        clear(&FORMAT_F32);
        choose_modifiers(i);
        check(&add, &no_immediates, "FADD R20, " A_FORMAT ", " B_FORMAT, A_TEXT, B_TEXT);
        m.format = &FORMAT_F64;
        check(&dadd, &no_immediates, "DADD R20, " A_FORMAT ", " B_FORMAT, A_TEXT, B_TEXT);
    }
}
static void model_add32i(struct state *s)
{
    s->b = 0x3f9d70a4; /* 1.23 */
    model_add(s);
}
static void model_mul32i(struct state *s)
{
    s->b = 0x3f9d70a4;
    model_mul(s);
}
CORPUS(float_, long_immediates)
{
    const struct subject add = {model_add32i, V_F32, V_F32, V_F32, SAME_F32, 0};
    const struct subject mul = {model_mul32i, V_F32, V_F32, V_F32, SAME_F32, 0};
    for (unsigned i = 0; i < 8; i++) {
        clear(&FORMAT_F32);
        m.ftz = i & 1;
        m.sat = i >> 1 & 1;
        check(&mul, &only_registers, "FMUL32I%s%s R20, R4, 1.2300000190734863281", when(m.ftz, ".FTZ"),
              when(m.sat, ".SAT"));
        m.sat = false;
        m.neg[0] = i >> 1 & 1;
        m.abs[0] = i >> 2;
        check(&add, &only_registers, "FADD32I%s R20, " A_FORMAT ", 1.2300000190734863281", when(m.ftz, ".FTZ"), A_TEXT);
    }
}
CORPUS(float_, fp64)
{
    const struct subject add = {model_add, V_F64, V_F64, V_F64, SAME_F64, 0};
    const struct subject mul = {model_mul, V_F64, V_F64, V_F64, SAME_F64, 0};
    const struct subject fma = {model_fma, V_F64, V_F64, V_F64, SAME_F64, 0};
    for (unsigned i = 0; i < 16; i++) {
        clear(&FORMAT_F64);
        m.round = i >> 2;
        const char *round = rounds[m.round];
        const struct operand_forms *forms = i & 3 ? &no_immediates : &f64_forms;
        if (!(i & 3))
            check(&add, forms, "DADD%s R20, R4, %%B", round);
        m.neg[1] = i & 1;
        m.neg[2] = i >> 1 & 1;
        check(&fma, forms, "DFMA%s R20, R4, %s%%B, %sR8", round, when(m.neg[1], "-"), when(m.neg[2], "-"));
        if (!m.neg[2])
            check(&mul, forms, "DMUL%s R20, R4, %s%%B", round, when(m.neg[1], "-"));
    }
}

/* An addend that is also the destination. */
static void model_fma32i(struct state *s)
{
    s->b = 0x3f9d70a4;
    s->c = (uint32_t)s->d;
    model_fma(s);
}
CORPUS(float_, ffma32i)
{
    const struct subject fma = {model_fma32i, V_F32, V_F32, V_F32, SAME_F32, 0};
    for (unsigned i = 0; i < 16; i++) {
        clear(&FORMAT_F32);
        m.ftz = i & 1;
        m.sat = i >> 1 & 1;
        m.neg[0] = i >> 2 & 1;
        m.neg[2] = i >> 3;
        m.cc = i == 5;
        check(&fma, &only_registers, "FFMA32I%s%s R20%s, %sR4, 1.2300000190734863281, %sR20", when(m.ftz, ".FTZ"),
              when(m.sat, ".SAT"), when(m.cc, ".CC"), when(m.neg[0], "-"), when(m.neg[2], "-"));
    }
}
CORPUS(float_, operands_in_constants)
{
    const struct subject fma = {model_fma, V_F32, V_F32, V_F32, SAME_F32, 0};
    const struct subject dfma = {model_fma, V_F64, V_F64, V_F64, SAME_F64, 0};
    for (unsigned i = 0; i < 4; i++) {
        clear(&FORMAT_F32);
        m.neg[1] = i & 1;
        m.neg[2] = i >> 1;
        check_c(&fma, "FFMA R20, R4, %sR6, %s%%C", when(m.neg[1], "-"), when(m.neg[2], "-"));
        m.format = &FORMAT_F64;
        check_c(&dfma, "DFMA R20, R4, %sR6, %s%%C", when(m.neg[1], "-"), when(m.neg[2], "-"));
    }
}
/* The sign and zero of a result, and that it is no number. */
CORPUS(float_, condition_codes)
{
    const struct subject add = {model_add, V_F32, V_F32, V_F32, SAME_F32, 0};
    const struct subject mul = {model_mul, V_F32, V_F32, V_F32, SAME_F32, 0};
    const struct subject fma = {model_fma, V_F32, V_F32, V_F32, SAME_F32, 0};
    const struct subject add32i = {model_add32i, V_F32, V_F32, V_F32, SAME_F32, 0};
    const struct subject mul32i = {model_mul32i, V_F32, V_F32, V_F32, SAME_F32, 0};
    const struct subject dadd = {model_add, V_F64, V_F64, V_F64, SAME_F64, 0};
    const struct subject dmul = {model_mul, V_F64, V_F64, V_F64, SAME_F64, 0};
    const struct subject dfma = {model_fma, V_F64, V_F64, V_F64, SAME_F64, 0};
    for (unsigned i = 0; i < 2; i++) {
        clear(&FORMAT_F32);
        m.cc = true;
        m.ftz = i;
        const char *ftz = when(m.ftz, ".FTZ");
        check(&add, &only_registers, "FADD%s R20.CC, R4, R6", ftz);
        check(&mul, &only_registers, "FMUL%s R20.CC, R4, R6", ftz);
        check(&fma, &only_registers, "FFMA%s R20.CC, R4, R6, R8", ftz);
        check(&add32i, &only_registers, "FADD32I%s R20.CC, R4, 1.2300000190734863281", ftz);
        check(&mul32i, &only_registers, "FMUL32I%s R20.CC, R4, 1.2300000190734863281", ftz);
    }
    clear(&FORMAT_F64);
    m.cc = true;
    check(&dadd, &only_registers, "DADD R20.CC, R4, R6");
    check(&dmul, &only_registers, "DMUL R20.CC, R4, R6");
    check(&dfma, &only_registers, "DFMA R20.CC, R4, R6, R8");
}

/* ---- order ------------------------------------------------------------------------------------------------------- */

/* Numbers as integers that compare alike; -0 below +0, which only minima notice. */
static int64_t rank(uint64_t v)
{
    int64_t magnitude = (int64_t)(v & ((1ull << (m.format->bits - 1)) - 1));
    return v >> (m.format->bits - 1) ? -magnitude - 1 : magnitude;
}
static void model_minmax(struct state *s)
{
    uint64_t a = operand(s->a, 0), b = operand(s->b, 1), r;
    if (is_nan(m.format, a) || is_nan(m.format, b))
        r = is_nan(m.format, a) ? (is_nan(m.format, b) ? m.format->nan : b) : a;
    else
        r = ((s->p >> 5 & 1) ^ m.not ) == (rank(a) < rank(b)) ? a : b;
    finish(s, r);
}
CORPUS(float_, minima)
{
    const struct subject f = {model_minmax, V_F32, V_F32, V_F32, SAME_F32, 0};
    const struct subject d = {model_minmax, V_F64, V_F64, V_F64, SAME_F64, 0};
    for (unsigned i = 0; i < 64; i++) {
        clear(&FORMAT_F32);
        choose_modifiers(i & 15);
        m.not = i >> 4 & 1;
        m.ftz = i >> 5;
        m.cc = i % 7 == 3;
        check(&f, i & 12 ? &no_immediates : &f32_forms, "FMNMX%s R20%s, " A_FORMAT ", " B_FORMAT ", %sP5",
              when(m.ftz, ".FTZ"), when(m.cc, ".CC"), A_TEXT, B_TEXT, when(m.not, "!"));
        m.format = &FORMAT_F64;
        if (!m.ftz)
            check(&d, i & 12 ? &no_immediates : &f64_forms, "DMNMX R20%s, " A_FORMAT ", " B_FORMAT ", %sP5",
                  when(m.cc, ".CC"), A_TEXT, B_TEXT, when(m.not, "!"));
    }
}
static const char *const compares[16] = {"F",   "LT",  "EQ",  "LE",  "GT",  "NE",  "GE",  "NUM",
                                         "NAN", "LTU", "EQU", "LEU", "GTU", "NEU", "GEU", "T"};
static const char *const combines[3] = {"AND", "OR", "XOR"};
/* Bit 0 of the code: less; 1: equal; 2: greater; 3: not ordered. */
static bool compared(uint64_t a, uint64_t b)
{
    if (is_nan(m.format, a) || is_nan(m.format, b))
        return m.compare >> 3;
    int64_t x = rank(a), y = rank(b);
    x = x < 0 ? x + 1 : x; /* -0 is 0 */
    y = y < 0 ? y + 1 : y;
    return x < y ? m.compare & 1 : x == y ? m.compare >> 1 & 1 : m.compare >> 2 & 1;
}
static bool combined(const struct state *s, bool t)
{
    bool with = (s->p >> 5 & 1) ^ m.not ;
    return m.combine == 0 ? t && with : m.combine == 1 ? t || with : t != with;
}
static void model_setp(struct state *s)
{
    bool t = compared(operand(s->a, 0), operand(s->b, 1)), first = combined(s, t), second = combined(s, !t);
    set_p(s, 1, first);
    set_p(s, 2, second);
}
static void model_set(struct state *s)
{
    bool t = combined(s, compared(operand(s->a, 0), operand(s->b, 1)));
    set_d32(s, !t ? 0 : m.bf ? 0x3f800000 : 0xffffffff);
    if (m.cc)
        s->cc = t ? (m.bf ? 0 : CC_SIGN) : CC_ZERO;
}
static void check_comparison(enum values v, const struct operand_forms *forms)
{
    const char *kind = v == V_F64 ? "D" : "F", *name = compares[m.compare], *combine = combines[m.combine];
    const char *ftz = when(m.ftz, ".FTZ"), *not = when(m.not, "!");
    const struct subject setp = {model_setp, v, v, v, SAME_BITS, 0}, set = {model_set, v, v, v, SAME_BITS, 0};
    check(&setp, forms, "%sSETP.%s%s.%s P1, P2, " A_FORMAT ", " B_FORMAT ", %sP5", kind, name, ftz, combine, A_TEXT,
          B_TEXT, not );
    if (v == V_F32)
        check(&set, forms, "FSET%s.%s%s.%s R20%s, " A_FORMAT ", " B_FORMAT ", %sP5", when(m.bf, ".BF"), name, ftz,
              combine, when(m.cc, ".CC"), A_TEXT, B_TEXT, not );
    else
        check(&set, forms, "DSET%s.%s.%s R20, " A_FORMAT ", " B_FORMAT ", %sP5", when(m.bf, ".BF"), name, combine,
              A_TEXT, B_TEXT, not );
}
CORPUS(float_, comparisons)
{
    for (unsigned i = 0; i < 16; i++)
        for (unsigned k = 0; k < 6; k++) {
            clear(&FORMAT_F32);
            m.compare = i;
            m.combine = k % 3;
            m.not = k / 3;
            m.bf = k & 1;
            m.ftz = k >> 1 & 1;
            m.cc = k == 4;
            choose_modifiers(k == 5 ? i : 0);
            const bool plain = k == 0;
            check_comparison(V_F32, plain ? &f32_forms : &no_immediates);
            clear(&FORMAT_F64);
            m.compare = i;
            m.combine = k % 3;
            m.not = k / 3;
            m.bf = k & 1;
            choose_modifiers(k == 5 ? i : 0);
            check_comparison(V_F64, plain ? &f64_forms : &no_immediates);
        }
}
static void model_fcmp(struct state *s)
{
    uint64_t c = operand(s->c, 2);
    set_d32(s, compared(c, 0) ? (uint32_t)s->a : (uint32_t)s->b);
}
CORPUS(float_, fcmp)
{
    const struct subject subject = {model_fcmp, V_F32, V_F32, V_F32, SAME_BITS, 0};
    for (unsigned i = 0; i < 32; i++) {
        clear(&FORMAT_F32);
        m.compare = i & 15;
        m.ftz = i >> 4;
        const char *name = m.compare == 4 ? "" : compares[m.compare]; /* GT is not written */
        check(&subject, &f32_forms, "FCMP%s%s%s R20, R4, %%B, R8", when(*name, "."), name, when(m.ftz, ".FTZ"));
        check_c(&subject, "FCMP%s%s%s R20, R4, R6, %%C", when(*name, "."), name, when(m.ftz, ".FTZ"));
    }
}

/* ---- special functions: within the errors that the PTX ISA and the CUDA programming guide state --------------------
 */

static double as_double(uint32_t v)
{
    float f;
    memcpy(&f, &v, 4);
    return f;
}
static void model_mufu(struct state *s)
{
    double x = as_double((uint32_t)operand(s->a, 0)), r;
    switch (m.op) {
    case 0: r = cos(x); break;
    case 1: r = sin(x); break;
    case 2: r = exp2(x); break;
    case 3: r = log2(x); break;
    case 4: r = 1 / x; break;
    case 5: r = x == 0 ? 1 / x : 1 / sqrt(x); break;
    default: r = sqrt(x); break;
    }
    if (fabs(r) < 0x1p-126) /* no subnormal results */
        r = copysign(0, r);
    if (m.sat)
        r = isnan(r) || r < 0 ? 0 : r > 1 ? 1 : r;
    memcpy(&s->d, &r, 8);
    if (m.op < 2 && fabs(x) > 100 * 3.14159 && isfinite(x)) /* nothing is said of such arguments */
        s->d = ANY_RESULT;
}
CORPUS(float_, mufu)
{
    /* relative errors: ex2 2^-22, rcp 2^-23, rsqrt 2^-22.9 (PTX ISA); lg2, sin and cos are bounded absolutely there,
     * and are as good as the others here, also near their zeros */
    const struct subject subject = {model_mufu, V_F32, V_F32, V_F32, NEAR_F32, 0x1p-22};
    static const char *const functions[9] = {"COS", "SIN", "EX2", "LG2", "RCP", "RSQ", NULL, NULL, "SQRT"};
    for (unsigned i = 0; i < 9 * 5; i++) {
        clear(&FORMAT_F32);
        m.op = i % 9;
        m.neg[0] = i / 9 & 1;
        m.abs[0] = i / 9 >> 1 & 1;
        m.sat = i / 9 == 4;
        m.ftz = true;
        if (!functions[m.op])
            continue;
        corpus_sm = i / 9 == 2 && m.op < 8 ? 50 : 61; /* sm_50 has no SQRT */
        check(&subject, &only_registers, "MUFU.%s%s R20, " A_FORMAT, functions[m.op], when(m.sat, ".SAT"), A_TEXT);
    }
}
/* The upper word of a double's reciprocal or reciprocal root, to 20 bits; ptxas refines it. */
static void model_upper(struct state *s)
{
    uint64_t bits = (uint64_t)(uint32_t)s->a << 32;
    double x, r;
    memcpy(&x, &bits, 8);
    if (fabs(x) < 0x1p-1022)
        x = copysign(0, x);
    r = m.op ? 1 / sqrt(x) : 1 / x;
    if (m.op && x == 0)
        r = 1 / x;
    memcpy(&s->d, &r, 8);
}
/* Compared as a number: see SAME_UPPER. */
CORPUS(float_, mufu_upper_words)
{
    const struct subject subject = {model_upper, V_F32, V_F32, V_F32, NEAR_UPPER, 0x1p-20};
    clear(&FORMAT_F64);
    check(&subject, &only_registers, "MUFU.RCP64H R20, R4");
    m.op = 1;
    check(&subject, &only_registers, "MUFU.RSQ64H R20, R4");
}
/* Range reduction leaves an argument that the MUFU behind it takes. */
static void model_reduced(struct state *s)
{
    m.ftz = true;
    s->a = s->b;
    model_mufu(s);
}
CORPUS(float_, range_reduction)
{
    const struct subject subject = {model_reduced, V_F32, V_F32, V_F32, NEAR_F32, 0x1p-22};
    static const char *const functions[3] = {"COS", "SIN", "EX2"};
    static const struct immediate some[] = {{"0.5", 0x3f000000}, {"-2.5", 0xc0200000}, {NULL, 0}};
    const struct operand_forms forms = {true, some, false};
    clear(&FORMAT_F32);
    for (m.op = 0; m.op < 3; m.op++)
        check(&subject, &forms, "RRO.%s R20, %%B\nMUFU.%s R20, R20", m.op < 2 ? "SINCOS" : "EX2", functions[m.op]);
}
