/* PTX statements on floats, one a kernel, through ptxas 12.9 for each target at -O0 and -O3: what the PTX frontend
 * makes of a statement equals what the machine code leaves, bit for bit but for the payload of a NaN, and for the
 * approximate functions within the PTX ISA's bounds. The two share the execution of single operations, but not what
 * these statements are made of: division, roots and logarithms are NVIDIA's sequences. */
#include <criterion/criterion.h>

#include "tests/unit/sass7x/statements.h"

/* ---- statements -------------------------------------------------------------------------------------------------- */

static const char *const roundings[4] = {"rn", "rz", "rm", "rp"}, *const integral[4] = {"rni", "rzi", "rmi", "rpi"};
static const char *const sums[3] = {"add", "sub", "mul"}, *const extremes[2] = {"min", "max"};
static const char *const signs[2] = {"neg", "abs"}, *const flushes[2] = {"", ".ftz"},
                         *const saturations[2] = {"", ".sat"};
static const char *const nans[2] = {"", ".NaN"}, *const relus[2] = {"", ".relu"};
static const char *const combines[3] = {".and", ".or", ".xor"};
static const char *const compares[] = {"eq",  "ne",  "lt",  "le",  "gt",  "ge",  "equ",
                                       "neu", "ltu", "leu", "gtu", "geu", "num", "nan"};
enum { COMPARES = sizeof compares / sizeof *compares };

static void comparisons(enum values values, const char *type, const char *x, const char *y)
{
    for (unsigned i = 0; i < COMPARES; i++) {
        const char *c = compares[i], *with = combines[i % 3], *ftz = values == V_F32 ? flushes[i & 1] : "";
        add(75, values, BITS, "setp.%s%s.%s %%q|%%s, %s, %s; selp.u32 %%d, 1, 0, %%q; @%%s or.b32 %%d, %%d, 2;", c, ftz,
            type, x, y);
        add(75, values, BITS, "setp.%s%s%s.%s %%q|%%s, %s, %s, %%p; selp.u32 %%d, 1, 0, %%q; @%%s or.b32 %%d, %%d, 2;",
            c, with, ftz, type, x, y);
        add(75, values, BITS, "set.%s%s%s.u32.%s %%d, %s, %s, !%%p;", c, with, ftz, type, x, y);
        add(75, values, SINGLE, "set.%s%s%s.f32.%s %%fd, %s, %s, %%p;", c, with, ftz, type, x, y);
        add(75, values, BITS, "set.%s%s.s32.%s %%d, %s, %s;", c, ftz, type, x, y);
    }
}

Test(agree7x, single_arithmetic)
{
    static const char *const powers[] = {"0f40000000", "0f3F000000", "0f41000000",
                                         "0f3E000000", "0f40800000", "0f3E800000"};
    for (unsigned i = 0; i < 16; i++) {
        const char *r = roundings[i % 4], *ftz = flushes[i / 4 % 2], *sat = saturations[i / 8];
        for (unsigned k = 0; k < 3; k++)
            add(75, V_F32, SINGLE, "%s.%s%s%s.f32 %%fd, %%fa, %%fb;", sums[k], r, ftz, sat);
        add(75, V_F32, SINGLE, "fma.%s%s%s.f32 %%fd, %%fa, %%fb, %%fc;", r, ftz, sat);
    }
    for (unsigned i = 0; i < 12; i++)
        add(75, V_F32, SINGLE, "mul.rn%s.f32 %%fd, %%fa, %%fb; mul.rn%s.f32 %%fd, %%fd, %s;", flushes[i & 1],
            flushes[i & 1], powers[i / 2]);
    /* With .ftz, .rm and .rp, NVIDIA's division flushes a quotient that rounds to the least normal number; ours does
     * not. */
    for (unsigned i = 0; i < 8; i++) {
        const char *r = roundings[i % 4], *ftz = flushes[i / 4];
        if (i < 6)
            add(75, V_F32, SINGLE, "div.%s%s.f32 %%fd, %%fa, %%fb;", r, ftz);
        add(75, V_F32, SINGLE, "rcp.%s%s.f32 %%fd, %%fa;", r, ftz);
        add(75, V_F32, SINGLE, "sqrt.%s%s.f32 %%fd, %%fa;", r, ftz);
    }
    compare_all();
}

Test(agree7x, single_choice)
{
    static const char *const classes[] = {"finite", "infinite", "number", "notanumber", "normal", "subnormal"};
    for (unsigned i = 0; i < 4; i++) {
        const char *op = extremes[i & 1], *ftz = flushes[i / 2];
        add(75, V_F32, SINGLE, "%s%s.f32 %%fd, %%fa, %%fb;", op, ftz);
        add(80, V_F32, SINGLE, "%s%s.NaN.f32 %%fd, %%fa, %%fb;", op, ftz);
        add(86, V_F32, SINGLE, "%s%s.xorsign.abs.f32 %%fd, %%fa, 0f3FC00000;", op, ftz);
        add(86, V_F32, SINGLE, "%s%s.NaN.xorsign.abs.f32 %%fd, %%fa, 0fBFC00000;", op, ftz);
        add(86, V_F32, SINGLE, "%s%s.xorsign.abs.f32 %%fd, %%fa, %%fb;", op, ftz);
        add(86, V_F32, SINGLE, "%s%s.NaN.xorsign.abs.f32 %%fd, %%fa, %%fb;", op, ftz);
        add(75, V_F32, SINGLE, "%s%s.f32 %%fd, %%fa;", signs[i & 1], ftz);
    }
    comparisons(V_F32, "f32", "%fa", "%fb");
    add(75, V_F32, SINGLE, "selp.f32 %%fd, %%fa, %%fb, %%p;");
    for (unsigned i = 0; i < 2; i++)
        add(75, V_F32, SINGLE, "slct%s.f32.f32 %%fd, %%fa, %%fb, %%fc;", flushes[i]);
    add(75, V_F32, SINGLE, "copysign.f32 %%fd, %%fa, %%fb;");
    for (unsigned i = 0; i < 6; i++)
        add(75, V_F32, BITS, "testp.%s.f32 %%q, %%fa; selp.u32 %%d, 1, 0, %%q;", classes[i]);
    compare_all();
}

Test(agree7x, doubles)
{
    for (unsigned i = 0; i < 4; i++) {
        const char *r = roundings[i];
        for (unsigned k = 0; k < 3; k++)
            add(75, V_F64, DOUBLE, "%s.%s.f64 %%dd, %%da, %%db;", sums[k], r);
        add(75, V_F64, DOUBLE, "fma.%s.f64 %%dd, %%da, %%db, %%dc;", r);
        add(75, V_F64, DOUBLE, "div.%s.f64 %%dd, %%da, %%db;", r);
        add(75, V_F64, DOUBLE, "rcp.%s.f64 %%dd, %%da;", r);
        add(75, V_F64, DOUBLE, "sqrt.%s.f64 %%dd, %%da;", r);
        add(75, V_F64, DOUBLE, "%s.f64 %%dd, %%da, %%db;", extremes[i & 1]);
        add(75, V_F64, DOUBLE, "%s.f64 %%dd, %%da;", signs[i & 1]);
    }
    comparisons(V_F64, "f64", "%da", "%db");
    add(75, V_F64, DOUBLE, "copysign.f64 %%dd, %%da, %%db;");
    add(75, V_F64, DOUBLE, "selp.f64 %%dd, %%da, %%db, %%p;");
    compare_all();
}

/* ---- halves ------------------------------------------------------------------------------------------------------ */

/* f16, or bf16, which has no .ftz. */
struct kind {
    const char *name;
    enum values values;
    enum result one, two;
    unsigned from, flushed; /* first target of sums and comparisons; forms with .ftz */
};
static const struct kind kinds[2] = {{"f16", V_F16X2, HALF, HALF_PAIR, 75, 2},
                                     {"bf16", V_BF16X2, BRAIN, BRAIN_PAIR, 90, 1}};

static void half_arithmetic(const struct kind *k, const char *ftz, const char *sat)
{
    unsigned fma = k->from == 75 ? 75 : 80;
    for (unsigned i = 0; i < 3; i++) {
        add(k->from, k->values, k->one, "%s.rn%s%s.%s %%hd, %%ha, %%hB;", sums[i], ftz, sat, k->name);
        add(k->from, k->values, k->two, "%s.rn%s%s.%sx2 %%d, %%a, %%b;", sums[i], ftz, sat, k->name);
    }
    for (unsigned i = 0; i < 2; i++) {
        if (i && *sat)
            continue;
        unsigned from = i ? 80 : fma;
        add(from, k->values, k->one, "fma.rn%s%s%s.%s %%hd, %%hA, %%hb, %%hc;", ftz, sat, relus[i], k->name);
        add(from, k->values, k->two, "fma.rn%s%s%s.%sx2 %%d, %%a, %%b, %%c;", ftz, sat, relus[i], k->name);
        if (!*sat && !*ftz)
            add(90, k->values, k->two, "fma.rn.oob%s.%sx2 %%d, %%a, %%b, %%c;", relus[i], k->name);
    }
}
static void half_choice(const struct kind *k, const char *ftz)
{
    for (unsigned i = 0; i < 4; i++) {
        const char *op = extremes[i & 1], *nan = nans[i / 2];
        add(80, k->values, k->one, "%s%s%s.%s %%hd, %%hA, %%hb;", op, ftz, nan, k->name);
        add(80, k->values, k->two, "%s%s%s.%sx2 %%d, %%a, %%b;", op, ftz, nan, k->name);
        add(86, k->values, k->two, "%s%s%s.xorsign.abs.%sx2 %%d, %%a, %%b;", op, ftz, nan, k->name);
        add(80, k->values, k->two, "%s%s%s.%sx2 %%d, %%a, %%b; %s%s%s.%sx2 %%d, %%d, %%c;", op, ftz, nan, k->name, op,
            ftz, nan, k->name);
    }
    for (unsigned i = 0; i < 2; i++) {
        unsigned from = k->from == 75 ? 75 : 80;
        add(from, k->values, k->one, "%s%s.%s %%hd, %%hA;", signs[i], ftz, k->name);
        add(from, k->values, k->two, "%s%s.%sx2 %%d, %%a;", signs[i], ftz, k->name);
    }
}
static void half_comparison(const struct kind *k, unsigned i)
{
    const char *c = compares[i], *with = combines[i % 3], *ftz = k->flushed == 2 ? flushes[i & 1] : "", *t = k->name;
    add(k->from, k->values, BITS, "setp.%s%s.%s %%q, %%ha, %%hB; selp.u32 %%d, 1, 0, %%q;", c, ftz, t);
    add(k->from, k->values, BITS, "setp.%s%s%s.%s %%q, %%ha, %%hB, !%%p; selp.u32 %%d, 1, 0, %%q;", c, with, ftz, t);
    add(k->from, k->values, BITS,
        "setp.%s%s%s.%sx2 %%q|%%s, %%a, %%b, %%p; selp.u32 %%d, 1, 0, %%q; @%%s or.b32 %%d, %%d, 2;", c, with, ftz, t);
    add(k->from, k->values, BITS, "set.%s%s%s.u32.%sx2 %%d, %%a, %%b, %%p;", c, with, ftz, t);
    add(k->from, k->values, k->two, "set.%s%s%s.%sx2.%sx2 %%d, %%a, %%b, !%%p;", c, with, ftz, t, t);
    add(k->from, k->values, k->one, "set.%s%s.%s.%s %%hd, %%ha, %%hB;", c, ftz, t, t);
}
Test(agree7x, halves)
{
    for (unsigned i = 0; i < 2; i++) {
        for (unsigned f = 0; f < kinds[i].flushed; f++) {
            half_arithmetic(&kinds[i], flushes[f], "");
            if (kinds[i].flushed == 2)
                half_arithmetic(&kinds[i], flushes[f], ".sat");
            half_choice(&kinds[i], flushes[f]);
        }
        for (unsigned c = 0; c < COMPARES; c++)
            half_comparison(&kinds[i], c);
    }
    compare_all();
}

/* ---- conversions ------------------------------------------------------------------------------------------------- */

/* Registers of each type: what a statement reads and writes. */
struct number {
    const char *name, *source, *destination;
    enum values values;
    enum result result;
    unsigned bits, from;
};
static const struct number floats[] = {{"f16", "%hA", "%hd", V_F16X2, HALF, 16, 75},
                                       {"f32", "%fa", "%fd", V_F32, SINGLE, 32, 75},
                                       {"f64", "%da", "%dd", V_F64, DOUBLE, 64, 75},
                                       {"bf16", "%hA", "%hd", V_BF16X2, BRAIN, 16, 90}};
static const struct number integers[] = {
    {"u8", "%hA", "%hd", V_INT, BITS, 8, 75},    {"s8", "%hA", "%hd", V_INT, BITS, 8, 75},
    {"u16", "%hA", "%hd", V_INT, BITS, 16, 75},  {"s16", "%hA", "%hd", V_INT, BITS, 16, 75},
    {"u32", "%a", "%d", V_INT, BITS, 32, 75},    {"s32", "%a", "%d", V_INT, BITS, 32, 75},
    {"u64", "%la", "%ld", V_LONG, LONG, 64, 75}, {"s64", "%la", "%ld", V_LONG, LONG, 64, 75}};

/* To an integer; what is narrower than a word is extended. */
static void to_integer(const struct number *f, const struct number *n, const char *how, const char *ftz)
{
    if (n->bits > 16)
        add(f->from, f->values, n->result, "cvt.%s%s.%s.%s %s, %s;", how, ftz, n->name, f->name, n->destination,
            f->source);
    else
        add(f->from, f->values, BITS, "cvt.%s%s.%s.%s %%hd, %s; cvt.%c32.%s %%d, %%hd;", how, ftz, n->name, f->name,
            f->source, n->name[0], n->name);
}
Test(agree7x, integers_and_floats)
{
    for (unsigned i = 0; i < 8 * 4 * 4; i++) {
        const struct number *n = &integers[i % 8], *f = &floats[i / 8 % 4];
        unsigned r = i / 32;
        if (f->from == 90 && n->bits == 8) /* PTX has no such cvt */
            continue;
        add(f->from, n->values, f->result, "cvt.%s.%s.%s %s, %s;", roundings[r], f->name, n->name, f->destination,
            n->source);
        to_integer(f, n, integral[r], "");
        if (f == &floats[1])
            to_integer(f, n, integral[r], ".ftz");
    }
    for (unsigned at = 0; at < 32; at += 8) {
        add(75, V_INT, SINGLE, "bfe.u32 %%t, %%a, %u, 8; cvt.rn.f32.u32 %%fd, %%t;", at);
        add(75, V_INT, SINGLE, "bfe.s32 %%t, %%a, %u, 8; cvt.rn.f32.s32 %%fd, %%t;", at);
        add(75, V_INT, DOUBLE, "bfe.u32 %%t, %%a, %u, 8; cvt.rn.f64.u32 %%dd, %%t;", at);
    }
    compare_all();
}

Test(agree7x, floats_and_floats)
{
    for (unsigned i = 0; i < 4; i++) {
        const char *r = roundings[i];
        for (unsigned k = 0; k < 4; k++)
            add(floats[k].from, floats[k].values, floats[k].result, "cvt.%s.%s.%s %s, %s;", integral[i], floats[k].name,
                floats[k].name, floats[k].destination, floats[k].source);
        add(75, V_F32, SINGLE, "cvt.%s.ftz.sat.f32.f32 %%fd, %%fa;", integral[i]);
        add(75, V_F64, SINGLE, "cvt.%s.f32.f64 %%fd, %%da;", r);
        add(75, V_F64, SINGLE, "cvt.%s.ftz.sat.f32.f64 %%fd, %%da;", r);
        add(75, V_F64, HALF, "cvt.%s.f16.f64 %%hd, %%da;", r);
        add(75, V_F32, HALF, "cvt.%s.f16.f32 %%hd, %%fa;", r);
        add(75, V_F32, HALF, "cvt.%s.sat.f16.f32 %%hd, %%fa;", r);
        add(90, V_F64, BRAIN, "cvt.%s.bf16.f64 %%hd, %%da;", r);
        add(i < 2 ? 80 : 90, V_F32, BRAIN, "cvt.%s.bf16.f32 %%hd, %%fa;", r);
        add(90, V_F16X2, BRAIN, "cvt.%s.bf16.f16 %%hd, %%hA;", r);
        add(90, V_BF16X2, HALF, "cvt.%s.f16.bf16 %%hd, %%hA;", r);
    }
    static const char *const ways[] = {"", ".sat", ".ftz"};
    for (unsigned i = 0; i < 3; i++) {
        add(75, V_F16X2, SINGLE, "cvt%s.f32.f16 %%fd, %%hA;", ways[i]);
        add(75, V_F32, DOUBLE, "cvt%s.f64.f32 %%dd, %%fa;", ways[i]);
        if (i < 2)
            add(75, V_F16X2, DOUBLE, "cvt%s.f64.f16 %%dd, %%ha;", ways[i]);
    }
    add(80, V_BF16X2, SINGLE, "cvt.f32.bf16 %%fd, %%hA;");
    add(90, V_BF16X2, DOUBLE, "cvt.f64.bf16 %%dd, %%hA;");
    compare_all();
}

static void bytes_and_pairs(const char *type)
{
    for (unsigned i = 0; i < 2; i++) {
        const char *relu = relus[i];
        add(89, V_F32, BITS, "cvt.rn.satfinite%s.%s.f32 %%hd, %%fa, %%fb; cvt.u32.u16 %%d, %%hd;", relu, type);
        add(89, V_F16X2, BITS, "cvt.rn.satfinite%s.%s.f16x2 %%hd, %%a; cvt.u32.u16 %%d, %%hd;", relu, type);
        add(89, V_INT, HALF_PAIR, "cvt.rn%s.f16x2.%s %%d, %%hA;", relu, type);
        add(89, V_INT, HALF_PAIR, "cvt.rn%s.f16x2.%s %%d, %%ha;", relu, type);
    }
    add(89, V_F32, BITS,
        "cvt.rn.satfinite.%s.f32 %%ha, %%fa, %%fb; cvt.rn.satfinite.%s.f32 %%hb, %%fb, %%fc; mov.b32 %%d, {%%ha, "
        "%%hb};",
        type, type);
    add(89, V_F16X2, BITS,
        "cvt.rn.satfinite.%s.f16x2 %%ha, %%a; cvt.rn.satfinite.%s.f16x2 %%hb, %%b; mov.b32 %%d, {%%ha, %%hb};", type,
        type);
}
Test(agree7x, packed)
{
    static const char *const finite[2] = {"", ".satfinite"};
    for (unsigned i = 0; i < 8; i++) {
        const char *r = roundings[i & 1], *relu = relus[i / 2 & 1], *sat = finite[i / 4];
        add(80, V_F32, HALF_PAIR, "cvt.%s%s%s.f16x2.f32 %%d, %%fa, %%fb;", r, relu, sat);
        add(80, V_F32, BRAIN_PAIR, "cvt.%s%s%s.bf16x2.f32 %%d, %%fa, %%fb;", r, relu, sat);
        add(80, V_F32, HALF, "cvt.%s%s%s.f16.f32 %%hd, %%fa;", r, relu, sat);
        add(80, V_F32, BRAIN, "cvt.%s%s%s.bf16.f32 %%hd, %%fa;", r, relu, sat);
        if (i < 4)
            add(90, V_F32, SINGLE, "cvt.%s%s.tf32.f32 %%d, %%fa; mov.b32 %%fd, %%d;", r, relu);
    }
    /* of no NaN, of which NVIDIA's code keeps the upper bits, so that some become infinite */
    add(80, V_F32, SINGLE, "min.f32 %%fa, %%fa, 0f7F800000; cvt.rna.tf32.f32 %%d, %%fa; mov.b32 %%fd, %%d;");
    bytes_and_pairs("e4m3x2");
    bytes_and_pairs("e5m2x2");
    static const char *const narrow[] = {"u16", "s16", "u8", "s8", "u4", "s4", "u2", "s2"};
    for (unsigned i = 0; i < 8; i++) {
        const char *t = narrow[i];
        if (i < 2)
            add(75, V_INT, BITS, "cvt.pack.sat.%s.s32 %%d, %%a, %%b;", t);
        else
            add(75, V_INT, BITS, "cvt.pack.sat.%s.s32.b32 %%d, %%a, %%b, %%c;", t);
        if (i < 4) {
            add(75, V_INT, BITS, "cvt.sat.%s.s32 %%hd, %%a; cvt.%c32.%s %%d, %%hd;", t, t[0], t);
            add(75, V_F32, BITS, "cvt.rni.sat.%s.f32 %%hd, %%fa; cvt.%c32.%s %%d, %%hd;", t, t[0], t);
        }
        if (i == 2 || i == 3)
            add(75, V_F32, BITS,
                "cvt.rzi.sat.%s.f32 %%t, %%fa; cvt.rni.sat.%s.f32 %%u, %%fb; prmt.b32 %%d, %%t, %%u, 0x7340; and.b32 "
                "%%d, %%d, 0xffff;",
                t, t);
    }
    compare_all();
}

/* ---- approximate functions --------------------------------------------------------------------------------------- */

static void add_near(enum values values, enum result result, double relative, double absolute, const char *text,
                     const char *ftz)
{
    add(75, values, result, text, ftz);
    set_bounds(relative, absolute);
}
#define UPPER_WORD "mov.b64 {%%t, %%u}, %%da; mov.b64 %%da, {0, %%u}; "
Test(agree7x, approximate_functions)
{
    for (unsigned i = 0; i < 2; i++) {
        const char *ftz = flushes[i];
        add_near(V_F32, NEAR_SINGLE, 0x1p-23, 0, "rcp.approx%s.f32 %%fd, %%fa;", ftz);
        add_near(V_F32, NEAR_SINGLE, 0x1p-22, 0, "sqrt.approx%s.f32 %%fd, %%fa;", ftz);
        add_near(V_F32, NEAR_SINGLE, 0x1p-22, 0, "rsqrt.approx%s.f32 %%fd, %%fa;", ftz);
        add_near(V_F32, NEAR_SINGLE, 0x1p-22, 0x1p-22, "lg2.approx%s.f32 %%fd, %%fa;", ftz);
        add_near(V_F32, NEAR_SINGLE, 0x1p-21, 0, "ex2.approx%s.f32 %%fd, %%fa;", ftz);
        add_near(V_F32, NEAR_SINGLE, 0x1p-21, 0, "div.approx%s.f32 %%fd, %%fa, %%fb;", ftz);
        add_near(V_F32, NEAR_SINGLE, 0x1p-21, 0, "div.full%s.f32 %%fd, %%fa, %%fb;", ftz);
        /* of arguments below 2 pi */
        add_near(V_F32, NEAR_SINGLE, 0, 0x1p-20,
                 "and.b32 %%t, %%a, 0xc07fffff; mov.b32 %%fa, %%t; sin.approx%s.f32 %%fd, %%fa;", ftz);
        add_near(V_F32, NEAR_SINGLE, 0, 0x1p-20,
                 "and.b32 %%t, %%a, 0xc07fffff; mov.b32 %%fa, %%t; cos.approx%s.f32 %%fd, %%fa;", ftz);
    }
    add_near(V_F32, NEAR_SINGLE, 0x1p-11, 0, "tanh.approx.f32 %%fd, %%fa;", "");
    /* of no NaN that the lower word alone makes one, which NVIDIA's code does not look at */
    add_near(V_F64, NEAR_DOUBLE, 0x1p-19, 0, UPPER_WORD "rcp.approx.ftz.f64 %%dd, %%da;", "");
    add_near(V_F64, NEAR_DOUBLE, 0x1p-19, 0, UPPER_WORD "rsqrt.approx.ftz.f64 %%dd, %%da;", "");
    for (unsigned i = 0; i < 2; i++) {
        const struct kind *k = &kinds[i];
        add(k->from, k->values, k->one, "ex2.approx%s.%s %%hd, %%hA;", i ? ".ftz" : "", k->name);
        add(k->from, k->values, k->two, "ex2.approx%s.%sx2 %%d, %%a;", i ? ".ftz" : "", k->name);
        add(k->from, k->values, k->one, "tanh.approx.%s %%hd, %%hA;", k->name);
        add(k->from, k->values, k->two, "tanh.approx.%sx2 %%d, %%a;", k->name);
    }
    compare_all();
}
