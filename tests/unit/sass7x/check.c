#include "tests/unit/sass7x/check.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <criterion/criterion.h>

#include "frontend/isa/sass7x/table.h"
#include "tests/support/sass_rig.h"
#include "tests/unit/ptx_forms/reference.h"

static const struct immediate f32_immediates[] = {
    {"1", 0x3f800000}, {"-2.5", 0xc0200000}, {"+INF ", 0x7f800000}, {NULL, 0}};
static const struct immediate f64_immediates[] = {{"1", 0x3ff0000000000000}, {"-2.5", 0xc004000000000000}, {NULL, 0}};
static const struct immediate f16_immediates[] = {{"1, 1", 0x3c003c00}, {"-2, 0.5", 0xc0003800}, {NULL, 0}};
static const struct immediate bf16_immediates[] = {{"1, 1", 0x3f803f80}, {"-2, 0.5", 0xc0003f00}, {NULL, 0}};
static const struct immediate s32_immediates[] = {{"0x7", 7}, {"0x12345678", 0x12345678}, {NULL, 0}};
/* the upper words of long integers, and the bits of two floats of 8 bits, as texts of single precision */
static const struct immediate long_immediates[] = {{"0x7", 0x700000000}, {"0x3ff12345", 0x3ff1234500000000}, {NULL, 0}};
static const struct immediate byte_immediates[] = {
    {"7.9874012466514573043e-44", 0x39}, {"6.6090840771415672333e-41", 0xb83c}, {NULL, 0}};
const struct operand_forms f32_7x = {true, f32_immediates, true}, f64_7x = {true, f64_immediates, true},
                           f16_7x = {true, f16_immediates, true}, bf16_7x = {true, bf16_immediates, true},
                           s32_7x = {true, s32_immediates, true}, long_7x = {true, long_immediates, true},
                           bytes_7x = {true, byte_immediates, true}, no_immediates_7x = {true, NULL, true};

const struct target_7x targets_7x[TARGETS_7X] = {{70, SASS_70_ALONE}, {72, SASS_72}, {75, SASS_75}, {80, SASS_80},
                                                 {86, SASS_86},       {89, SASS_89}, {90, SASS_90}};

/* ---- the reference ----------------------------------------------------------------------------------------------- */

/* "add.rz.ftz.f32": its words after the first are modifiers or types. */
static void parse(const char *ptx, char opcode[32], struct ptx_modifiers *mods)
{
    size_t n = strcspn(ptx, ".");
    snprintf(opcode, 32, "%.*s", (int)n, ptx);
    *mods = (struct ptx_modifiers){.type_count = 0};
    for (ptx += n; *ptx; ptx += n) {
        n = strcspn(++ptx, ".");
        enum ptx_type type = ptx_type_named(ptx, (uint32_t)n);
        int modifier = ptx_modifier_named(ptx, (uint32_t)n);
        cr_assert(type != PT_NONE || modifier >= 0, "%s", ptx);
        if (type != PT_NONE)
            mods->types[mods->type_count++] = (uint8_t)type;
        else
            mods->set.word[modifier / 64] |= 1ull << modifier % 64;
    }
}

static struct answer answer_of(const char *ptx, uint64_t a, uint64_t b, uint64_t c, bool p)
{
    static char last[64], opcode[32];
    static struct ptx_modifiers mods;
    struct answer r;
    if (strcmp(last, ptx)) {
        ptx_table_start();
        snprintf(last, sizeof last, "%s", ptx);
        parse(ptx, opcode, &mods);
    }
    const struct call call = {.opcode = opcode, .mods = &mods, .a = a, .b = b, .c = c, .p = p};
    cr_assert_eq(reference(&call, &r), ANSWERED, "%s has no model", ptx);
    return r;
}

uint64_t ptx_result(const char *ptx, uint64_t a, uint64_t b, uint64_t c, bool p, bool q[2])
{
    struct answer r = answer_of(ptx, a, b, c, p);
    if (q)
        memcpy(q, r.q, sizeof r.q);
    return r.d;
}

/* ---- one check --------------------------------------------------------------------------------------------------- */

static struct subject_7x now;

static uint64_t read(const struct state *s, unsigned i)
{
    const struct source_reading *r = &now.sources[i];
    char of = r->of ? r->of : (char)('a' + i);
    uint64_t v = of == 'a' ? s->a : of == 'b' ? s->b : s->c;
    enum values kind = now.values[of - 'a'];
    bool wide = kind == V_F64 || kind == V_LONG;
    v = wide ? v : (uint32_t)v;
    switch (r->reading) {
    case LOW: v &= 0xffff; break;
    case HIGH: v = v >> 16 & 0xffff; break;
    case LOW_TWICE: v = (v & 0xffff) * 0x10001; break;
    case HIGH_TWICE: v = (v >> 16) * 0x10001; break;
    case BYTE_0:
    case BYTE_1:
    case BYTE_2:
    case BYTE_3: v = v >> 8 * (r->reading - BYTE_0) & 0xff; break;
    default: break;
    }
    uint64_t unit = wide ? 1ull << 32 : 1; /* the bits are those of the upper word of a double */
    return (v & ~(r->absolute * unit)) ^ r->negated * unit;
}

/* The exact result as an f64; with .ftz results below the least normal f32 count as zero. */
static void near_result(struct state *s, const struct answer *r)
{
    float single;
    uint32_t low = (uint32_t)r->d;
    memcpy(&single, &low, 4);
    double exact = r->near ? (double)r->exact : (double)single;
    if (fabs(exact) < 0x1p-126 && strstr(now.ptx, ".ftz"))
        exact = 0;
    memcpy(&s->d, &exact, 8);
    if (r->any)
        s->d = ANY_RESULT;
}

static void by_reference(struct state *s)
{
    bool p = now.predicate == 0 || (s->p >> 1 & 1) == (now.predicate > 0);
    struct answer r = answer_of(now.ptx, read(s, 0), read(s, 1), read(s, 2), p);
    if (now.same == NEAR_F32) {
        near_result(s, &r);
        return;
    }
    switch (now.written) {
    case LOW_32: set_d32(s, (uint32_t)r.d); break;
    case ALL_64: s->d = r.d; break;
    case EXTENDED_16: set_d32(s, r.d & 0xffff); break;
    case SIGNED_16: set_d32(s, (uint32_t)(int16_t)r.d); break;
    default: set_p(s, 2, r.q[0]); set_p(s, 3, r.q[1]);
    }
}

static void substituted(char *to, size_t size, const char *text)
{
    const char *at = strstr(text, "%B");
    if (at)
        snprintf(to, size, "%.*sR6%s", (int)(at - text), text, at + 2);
    else
        snprintf(to, size, "%s", text);
}

void check_7x(const struct subject_7x *subject, const struct operand_forms *forms, const char *format, ...)
{
    static const unsigned targets[] = {86, 70, 72, 75, 80, 89, 90};
    char text[256], plain[256];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    substituted(plain, sizeof plain, text);
    now = *subject;
    const struct subject s = {subject->model ? subject->model : by_reference,
                              subject->values[0],
                              subject->values[1],
                              subject->values[2],
                              subject->same,
                              subject->error};
    unsigned had = 0, before = corpus_sm;
    for (unsigned i = 0; i < sizeof targets / sizeof *targets && (forms || !had); i++) {
        if (!sass_has(targets[i], plain))
            continue;
        had++;
        corpus_sm = targets[i];
        check(&s, forms ? forms : &only_registers, "%s", text);
    }
    corpus_sm = before;
    cr_expect(had, "no target has %s", plain);
}
