#include "tests/support/sass_corpus.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <criterion/criterion.h>

#include "tests/support/cubin_image.h"
#include "tests/support/kernel_case.h"
#include "tests/support/sass_rig.h"

enum { CELLS = 1024, BLOCK = BLOCK_THREADS, TEXT = 768, PREDICATES = 0x7f, CODES = 15 };

struct corpus_test *corpus_tests;
void (*look)(unsigned sm, const char *text);
unsigned corpus_sm = 61;

/* ---- values ------------------------------------------------------------------------------------------------------ */

static const uint64_t integers[] = {
    0,          1,          2,          3,          7,          31,         32,         33,
    63,         64,         255,        256,        0x0803,     0x1f00,     0x7fff,     0x8000,
    0xffff,     0x10000,    0x00ff00ff, 0x7ffffffe, 0x7fffffff, 0x80000000, 0x80000001, 0x8000ffff,
    0xaaaa5555, 0xffff0000, 0xffff8000, 0xfffffffe, 0xffffffff,
};
static const uint64_t longs[] = {
    0,
    1,
    2,
    0x7fffffff,
    0x80000000,
    0xffffffff,
    0x100000000,
    0x1000000000001,
    0x20000000000001,
    0x7fffffffffffffff,
    0x8000000000000000,
    0x8000000000000001,
    0xfffffffffffffffe,
    0xffffffffffffffff,
    0x7ffffffffffffdff,
};
static const uint64_t floats[] = {
    0,          0x80000000, 1,          0x80000001, 0x007fffff, 0x807fffff, 0x00800000, 0x80800000,
    0x00800001, 0x3f800000, 0xbf800000, 0x3f800001, 0x3f7fffff, 0x3f000000, 0x3fc00000, 0xc0200000,
    0x4b000001, 0x4b7fffff, 0x4effffff, 0x4f000000, 0xcf000000, 0x4f7fffff, 0x5effffff, 0x5f800000,
    0x7f7fffff, 0xff7fffff, 0x7f800000, 0xff800000, 0x7fc00000, 0xffc00001, 0x7f800001, 0x477fff00,
};
static const uint64_t doubles[] = {
    0,
    0x8000000000000000,
    1,
    0x8000000000000001,
    0x000fffffffffffff,
    0x0010000000000000,
    0x8010000000000000,
    0x3ff0000000000000,
    0xbff0000000000000,
    0x3ff0000000000001,
    0x3fe0000000000000,
    0x3ff8000000000000,
    0xc004000000000000,
    0x36a0000000000000, /* half of f32's least subnormal */
    0x36a0000000000001,
    0x3810000000000000,
    0x380fffffffffffff,
    0x47efffffefffffff, /* just what still rounds to f32's greatest */
    0x47effffff0000000,
    0x41dfffffffc00000,
    0x41e0000000000000,
    0xc1e0000000100000,
    0x43dfffffffffffff,
    0x43e0000000000000,
    0x43f0000000000000,
    0x7fefffffffffffff,
    0xffefffffffffffff,
    0x7ff0000000000000,
    0xfff0000000000000,
    0x7ff8000000000000,
    0xfff8000000000001,
    0x7ff0000000000001,
};
static const uint64_t halves[] = {0,      0x8000, 1,      0x8001, 0x03ff, 0x0400, 0x3c00, 0xbc00, 0x3bff,
                                  0x3800, 0x3e00, 0x7bff, 0xfbff, 0x7c00, 0xfc00, 0x7e00, 0x7c01, 0x6400};
static const uint64_t pairs_of_halves[] = {0x00003c00, 0x80000000, 0x00018000, 0x80010001, 0x03ff8001, 0x040003ff,
                                           0x3c000400, 0xbc003c00, 0x3bffbc00, 0x38003bff, 0x3e003800, 0x7bff3e00,
                                           0xfbff7bff, 0x7c00fbff, 0xfc007c00, 0x7e00fc00, 0x7c017e00, 0x64006400};
static const uint64_t pairs_of_brains[] = {0x00003f80, 0x80000000, 0x00018000, 0x80010001, 0x007f8001, 0x0080007f,
                                           0x3f800080, 0xbf803f80, 0x3f7fbf80, 0x3f003f7f, 0x3fc03f00, 0x7f7f3fc0,
                                           0xff7f7f7f, 0x7f80ff7f, 0xff807f80, 0x7fc0ff80, 0x7f817fc0, 0x43004300};
static const struct {
    const uint64_t *at;
    unsigned count, bits;
} corners[] = {
    [V_INT] = {integers, sizeof integers / 8, 32},
    [V_LONG] = {longs, sizeof longs / 8, 64},
    [V_F32] = {floats, sizeof floats / 8, 32},
    [V_F64] = {doubles, sizeof doubles / 8, 64},
    [V_F16] = {halves, sizeof halves / 8, 16},
    [V_F16X2] = {pairs_of_halves, sizeof pairs_of_halves / 8, 32},
    [V_BF16X2] = {pairs_of_brains, sizeof pairs_of_brains / 8, 32},
};
uint64_t corner(enum values v, unsigned i) { return corners[v].at[i % corners[v].count]; }
unsigned corner_count(enum values v) { return corners[v].count; }

/* Noise above the value. */
static uint64_t widened(enum values v, uint64_t x, uint64_t *seed)
{
    return corners[v].bits == 64 ? x : x | random_next(seed) << corners[v].bits;
}
static uint64_t any_value(enum values v, uint64_t *seed)
{
    uint64_t r = random_next(seed);
    if (r % 4 == 0)
        return widened(v, corner(v, (unsigned)(r >> 8 & 0xffff)), seed);
    r = random_next(seed);
    if (v == V_F32 && r >> 63) /* exponents near each other */
        r = (r & ~0x7f800000ull) | (0x3a800000 + (r >> 40 & 15) * 0x800000);
    if (v == V_F16X2 && r >> 63) /* near 1 */
        r = (r & ~0x78007800ull) | 0x38003800;
    if (v == V_BF16X2 && r >> 63)
        r = (r & ~0x7f007f00ull) | 0x3f003f00;
    if (v == V_F64 && r >> 62 & 1)
        r = (r & ~0x7ff0000000000000ull) | (0x3fa0000000000000 + (r & 15) * 0x10000000000000ull);
    return r;
}

/* All pairs of corners of a and b as far as there is room, then anything. */
static void fill(struct state *s, const struct subject *subject)
{
    uint64_t seed = 5;
    unsigned na = corners[subject->a].count, nb = corners[subject->b].count;
    for (unsigned i = 0; i < CELLS; i++) {
        bool pair = i < na * nb;
        s[i].a = pair ? widened(subject->a, corner(subject->a, i % na), &seed) : any_value(subject->a, &seed);
        s[i].b = pair ? widened(subject->b, corner(subject->b, i / na), &seed) : any_value(subject->b, &seed);
        s[i].c = any_value(subject->c, &seed);
        s[i].d = random_next(&seed);
        s[i].p = (uint32_t)random_next(&seed) & PREDICATES;
        s[i].cc = corpus_sm < 70 ? (uint32_t)random_next(&seed) & CODES : 0;
    }
}

/* ---- one program ------------------------------------------------------------------------------------------------- */

struct cell {
    uint64_t a, b, c, d;
    uint32_t flags, unused[3];
    uint64_t d_after;
    uint32_t p_after, cc_after;
};

static const char program_5x[] =
    "S2R R0, SR_TID.X\nS2R R1, SR_CTAID.X\nSHL R1, R1, 0x8\nLOP.OR R0, R0, R1\nSHL R0, R0, 0x6\n"
    "MOV R3, c[0x0][0x144]\nIADD R2.CC, R0, c[0x0][0x140]\nIADD.X R3, R3, RZ\n"
    "LDG.E.128 R4, [R2]\nLDG.E.128 R8, [R2+0x10]\nLDG.E R12, [R2+0x20]\nMOV R20, R10\nMOV R21, R11\n"
    "R2P PR, R12, 0x7f\nR2P CC, R12.B1, 0xf\n%s\nP2R R22, PR, RZ, 0x7f\nP2R R23, CC, RZ, 0xf\n"
    "STG.E.128 [R2+0x30], R20\nEXIT\n";

/* UR6 and UR7 hold the words behind the buffer's address, too. */
static void write_7x(char *text, size_t size, const char *instruction)
{
    unsigned sm = corpus_sm, at = cubin_parameters(sm);
    const char *system = sm < 80 ? ".SYS" : "";
    const char *before = sm < 80 ? "[R2" : sm < 90 ? "[R2.64" : "desc[UR4][R2.64";
    const char *descriptor = sm < 90 ? "" : "ULDC.64 UR4, c[0x0][0x208]\n";
    char uniform[64] = "";
    if (sm >= 75)
        snprintf(uniform, sizeof uniform, "%sULDC.64 UR6, c[0x0][0x%x]\n", descriptor, at + 8);
    snprintf(text, size,
             "S2R R0, SR_TID.X\nS2R R1, SR_CTAID.X\nIMAD R0, R1, 0x100, R0\nMOV R2, c[0x0][0x%x]\n"
             "MOV R3, c[0x0][0x%x]\nIMAD.WIDE.U32 R2, R0, 0x40, R2\n%sLDG.E.128%s R4, %s]\nLDG.E.128%s R8, "
             "%s+0x10]\nLDG.E%s R12, %s+0x20]\nMOV R20, R10\nMOV R21, R11\nR2P PR, R12, 0x7f\n%s\n"
             "P2R R22, PR, RZ, 0x7f\nMOV R23, RZ\nSTG.E.128%s %s+0x30], R20\nEXIT\n",
             at, at + 4, uniform, system, before, system, before, system, before, instruction, system, before);
}

static void write_program(char *text, size_t size, const char *instruction)
{
    if (corpus_sm < 70)
        snprintf(text, size, program_5x, instruction);
    else
        write_7x(text, size, instruction);
}

static double f32_value(uint64_t bits)
{
    uint32_t low = (uint32_t)bits;
    float f;
    memcpy(&f, &low, 4);
    return f;
}
static double f64_value(uint64_t bits)
{
    double d;
    memcpy(&d, &bits, 8);
    return d;
}
static bool near(const struct subject *subject, uint64_t got, uint64_t want)
{
    double g = subject->same == NEAR_UPPER ? f64_value(got << 32) : f32_value(got), w = f64_value(want);
    return want == ANY_RESULT || (isnan(g) && isnan(w)) || (subject->same == NEAR_F32 && g == (double)(float)w) ||
           g == w || fabs(g - w) <= subject->error * fabs(w);
}
static bool same_half(uint32_t got, uint32_t want)
{
    got &= 0xffff, want &= 0xffff;
    return got == want || ((got & 0x7fff) > 0x7c00 && (want & 0x7fff) > 0x7c00);
}
static bool same(const struct subject *subject, uint64_t got, uint64_t want)
{
    bool low = (uint32_t)got == (uint32_t)want, high = got >> 32 == want >> 32;
    switch (subject->same) {
    case SAME_F32: return high && (low || (isnan(f32_value(got)) && isnan(f32_value(want))));
    case SAME_F64: return (low && high) || (isnan(f64_value(got)) && isnan(f64_value(want)));
    case SAME_F16: return high && (low || (((got & 0x7fff) > 0x7c00) && ((want & 0x7fff) > 0x7c00)));
    case SAME_F16X2:
        return high && same_half((uint32_t)got, (uint32_t)want) && same_half((uint32_t)got >> 16, (uint32_t)want >> 16);
    case NEAR_F32:
    case NEAR_UPPER: return near(subject, got, want);
    default: return low && high;
    }
}

static group_model of_group; /* instead of the subject's, with `group` threads each */
static unsigned group;

static struct state expected(const struct subject *subject, const struct state *start, unsigned i)
{
    static struct state threads[BLOCK];
    if (!of_group) {
        struct state one = start[i];
        subject->model(&one);
        return one;
    }
    if (i % group == 0) {
        memcpy(threads, start + i, group * sizeof *threads);
        of_group(start + i, threads);
    }
    return threads[i % group];
}
static bool compare(const struct subject *subject, const char *text, const struct state *start,
                    const struct cell *cells)
{
    for (unsigned i = 0; i < CELLS; i++) {
        const struct state *s = &start[i];
        const struct state w = expected(subject, start, i);
        const struct cell *got = &cells[i];
        if (same(subject, got->d_after, w.d) && got->p_after == w.p && got->cc_after == w.cc)
            continue;
        cr_expect_fail("%s of a %016" PRIx64 " b %016" PRIx64 " c %016" PRIx64 " d %016" PRIx64 " p %02x cc %x gives d "
                       "%016" PRIx64 " p %02x cc %x, not %016" PRIx64 " %02x %x",
                       text, s->a, s->b, s->c, s->d, s->p, s->cc, got->d_after, got->p_after, got->cc_after, w.d, w.p,
                       w.cc);
        return false;
    }
    return true;
}

static bool run(const struct subject *subject, const char *text, struct state *start, uint64_t constant)
{
    char program[2 * TEXT + 512];
    struct sass_rig r;
    if (look) {
        look(corpus_sm, text);
        return true;
    }
    write_program(program, sizeof program, text);
    if (!sass_rig_load(&r, corpus_sm, program, CELLS * sizeof(struct cell))) {
        cr_expect_fail("%s: %s", text, r.err.text);
        sass_rig_close(&r);
        return false;
    }
    struct cell *cells = r.buffer;
    for (unsigned i = 0; i < CELLS; i++)
        cells[i] = (struct cell){
            .a = start[i].a, .b = start[i].b, .c = start[i].c, .d = start[i].d, .flags = start[i].p | start[i].cc << 8};
    if (subject->same >= NEAR_F32) /* the whole of d is the model's */
        for (unsigned i = 0; i < CELLS; i++)
            cells[i].d = start[i].d = 0;
    r.config.dynamic_shared = 16 * BLOCK; /* 16 bytes for each thread, and some local memory */
    r.config.stack_bytes = 64;
    bool ok = sass_rig_run(&r, CELLS / BLOCK, BLOCK, (uint32_t[4]){(uint32_t)constant, (uint32_t)(constant >> 32)});
    if (!ok)
        cr_expect_fail("%s: %s", text, r.err.text);
    ok = ok && compare(subject, text, start, cells);
    sass_rig_close(&r);
    return ok;
}

/* ---- its forms --------------------------------------------------------------------------------------------------- */

static const struct immediate integer_immediates[] = {
    {"0x0", 0},         {"0x1", 1},           {"-0x1", 0xffffffff},     {"0x1f", 31}, {"0x21", 33},
    {"0x1003", 0x1003}, {"0x7ffff", 0x7ffff}, {"-0x80000", 0xfff80000}, {NULL, 0}};
static const struct immediate f32_immediates[] = {{"1", 0x3f800000},
                                                  {"-2.5", 0xc0200000},
                                                  {"+INF ", 0x7f800000},
                                                  {"1.175494350822287508e-38", 0x00800000},
                                                  {NULL, 0}};
static const struct immediate f64_immediates[] = {{"1", 0x3ff0000000000000},
                                                  {"-2.5", 0xc004000000000000},
                                                  {"-INF ", 0xfff0000000000000},
                                                  {"2.2250738585072013831e-308", 0x0010000000000000},
                                                  {NULL, 0}};
const struct operand_forms only_registers = {false, NULL, false}, no_immediates = {true, NULL, false},
                           integer_forms = {true, integer_immediates, false}, f32_forms = {true, f32_immediates, false},
                           f64_forms = {true, f64_immediates, false};

static void substitute(char *to, size_t size, const char *text, const char *name, const char *operand)
{
    const char *at = strstr(text, name);
    if (at)
        snprintf(to, size, "%.*s%s%s", (int)(at - text), text, operand, at + 2);
    else
        snprintf(to, size, "%s", text);
}

static bool run_with_b(const struct subject *subject, const char *text, const char *operand, uint64_t b)
{
    static struct state s[CELLS];
    char with[TEXT];
    fill(s, subject);
    for (unsigned i = 0; i < CELLS; i++)
        s[i].b = b;
    substitute(with, sizeof with, text, "%B", operand);
    return (corpus_sm >= 70 && !sass_has(corpus_sm, with)) || run(subject, with, s, b);
}

void check(const struct subject *subject, const struct operand_forms *forms, const char *format, ...)
{
    static struct state s[CELLS];
    char text[TEXT], with[TEXT], constant[32];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    snprintf(constant, sizeof constant, "c[0x0][0x%x]", cubin_parameters(corpus_sm) + 8);
    fill(s, subject);
    substitute(with, sizeof with, text, "%B", "R6");
    if (!run(subject, with, s, 0))
        return;
    for (unsigned i = 0; forms->constants && i < corners[subject->b].count; i += 5)
        if (!run_with_b(subject, text, constant, corner(subject->b, i)))
            return;
    for (unsigned i = 0; forms->uniform && i < corners[subject->b].count; i += 7)
        if (!run_with_b(subject, text, "UR6", corner(subject->b, i)))
            return;
    for (const struct immediate *i = forms->immediates; i && i->text; i++)
        if (!run_with_b(subject, text, i->text, i->value))
            return;
}

void check_with_words(const struct subject *subject, uint64_t words, const char *format, ...)
{
    static struct state s[CELLS];
    char text[TEXT];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    fill(s, subject);
    run(subject, text, s, words);
}

void check_c(const struct subject *subject, const char *format, ...)
{
    static struct state s[CELLS];
    char text[TEXT], with[TEXT], constant[32];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    snprintf(constant, sizeof constant, "c[0x0][0x%x]", cubin_parameters(corpus_sm) + 8);
    substitute(with, sizeof with, text, "%C", constant);
    for (unsigned i = 0; i < corners[subject->c].count; i += 3) {
        fill(s, subject);
        for (unsigned k = 0; k < CELLS; k++)
            s[k].c = corner(subject->c, i);
        if (!run(subject, with, s, corner(subject->c, i)))
            return;
    }
}

static void check_group(group_model model, unsigned size, const char *text)
{
    static struct state s[CELLS];
    static const struct subject subject = {NULL, V_INT, V_INT, V_INT, SAME_BITS, 0};
    fill(s, &subject);
    of_group = model;
    group = size;
    run(&subject, text, s, 0);
    of_group = NULL;
}
#define CHECK_GROUP(size)                                                                                              \
    char text[TEXT];                                                                                                   \
    va_list args;                                                                                                      \
    va_start(args, format);                                                                                            \
    vsnprintf(text, sizeof text, format, args);                                                                        \
    va_end(args);                                                                                                      \
    check_group(model, size, text)
void check_warp(group_model model, const char *format, ...) { CHECK_GROUP(32); }
void check_block(group_model model, const char *format, ...) { CHECK_GROUP(BLOCK); }
