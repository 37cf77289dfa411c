/* Conversions. */
#include <stdio.h>
#include <string.h>

#include <criterion/criterion.h>

#include "frontend/operation/uop.h"
#include "tests/support/model_float.h"
#include "tests/unit/sass7x/check.h"

static const char *const rounds[4] = {"", ".RM", ".RP", ".RZ"}, *const ptx_rounds[4] = {"rn", "rm", "rp", "rz"};
static const char *const wholes[4] = {"", ".FLOOR", ".CEIL", ".TRUNC"}, *const ptx_wholes[4] = {"rni", "rmi", "rpi",
                                                                                                "rzi"};

/* Types of numbers, as the two sides call them, and a subject's fields. */
static const struct number {
    const char *sass, *ptx;
    enum values values;
    enum written written;
    enum same same;
    const struct operand_forms *forms;
} floats[] = {{"F16", "f16", V_F16X2, EXTENDED_16, SAME_F16, NULL},
              {"F32", "f32", V_F32, LOW_32, SAME_F32, &f32_7x},
              {"F64", "f64", V_F64, ALL_64, SAME_F64, &f64_7x},
              {"BF16", "bf16", V_BF16X2, EXTENDED_16, SAME_BITS, NULL}};
static const struct operand_forms f16_words = {true, (const struct immediate[]){{"1", 0x3c00}, {NULL, 0}}, true};
static const struct operand_forms *forms_of(const struct number *n)
{
    return n == &floats[0] ? &f16_words : n->forms ? n->forms : &no_immediates_7x;
}

static struct subject_7x of_b(const char *ptx, const struct number *from, const struct number *to)
{
    struct subject_7x s = {
        .ptx = ptx, .values = {V_INT, from->values, V_INT}, .same = to->same, .written = to->written};
    s.sources[0] = (struct source_reading){
        .of = 'b', .reading = from->values == V_F16X2 || from->values == V_BF16X2 ? LOW : WHOLE};
    return s;
}

CORPUS(convert7x, floats_to_floats)
{
    static const unsigned char pairs[][2] = {{1, 0}, {1, 2}, {2, 0}, {2, 1}, {0, 2}, {1, 3},
                                             {2, 3}, {3, 2}, {3, 0}, {0, 3}, {3, 1}};
    char name[64];
    for (unsigned i = 0; i < sizeof pairs / sizeof *pairs; i++)
        for (unsigned r = 0; r < 4; r++) {
            const struct number *from = &floats[pairs[i][0]], *to = &floats[pairs[i][1]];
            bool widens = to == &floats[2] || (from == &floats[3] && to == &floats[1]);
            struct subject_7x s = of_b(name, from, to);
            if (widens && r)
                continue;
            snprintf(name, sizeof name, "cvt%s%s.%s.%s", widens ? "" : ".", widens ? "" : ptx_rounds[r], to->ptx,
                     from->ptx);
            check_7x(&s, r ? NULL : forms_of(from), "F2F.%s.%s%s R20, %%B", to->sass, from->sass, rounds[r]);
        }
}

CORPUS(convert7x, integral_floats)
{
    char name[64];
    for (unsigned i = 0; i < 16; i++) {
        const struct number *f = &floats[i / 4];
        struct subject_7x s = of_b(name, f, f);
        snprintf(name, sizeof name, "cvt.%s.%s.%s", ptx_wholes[i % 4], f->ptx, f->ptx);
        check_7x(&s, i % 4 ? NULL : forms_of(f), "FRND%s%s%s R20, %%B", f == &floats[1] ? "" : ".",
                 f == &floats[1] ? "" : f->sass, wholes[i % 4]);
    }
    struct subject_7x upper = of_b("cvt.rni.f16.f16", &floats[0], &floats[0]);
    upper.sources[0].reading = HIGH;
    check_7x(&upper, NULL, "FRND.F16 R20, R6.H1");
}

static const struct number integers[] = {
    {".U8", "u8", V_INT, LOW_32, SAME_BITS, &s32_7x},   {".S8", "s8", V_INT, SIGNED_16, SAME_BITS, &s32_7x},
    {".U16", "u16", V_INT, LOW_32, SAME_BITS, &s32_7x}, {".S16", "s16", V_INT, SIGNED_16, SAME_BITS, &s32_7x},
    {".U32", "u32", V_INT, LOW_32, SAME_BITS, &s32_7x}, {"", "s32", V_INT, LOW_32, SAME_BITS, &s32_7x},
    {".U64", "u64", V_LONG, ALL_64, SAME_BITS, NULL},   {".S64", "s64", V_LONG, ALL_64, SAME_BITS, NULL}};

CORPUS(convert7x, floats_to_integers)
{
    char name[64];
    for (unsigned i = 0; i < 4 * 8 * 4; i++) {
        const struct number *f = &floats[i / 32], *n = &integers[i / 4 % 8];
        unsigned r = i % 4;
        bool zero = f != &floats[2] && n < &integers[6];
        if (f == &floats[3] && n < &integers[2]) /* PTX has no such cvt */
            continue;
        struct subject_7x s = of_b(name, f, n);
        s.sources[0].reading = s.sources[0].reading == LOW && r & 1 ? HIGH : s.sources[0].reading;
        const char *half = s.sources[0].reading == HIGH ? ".H1" : "", *type = f == &floats[1] ? "" : f->sass;
        snprintf(name, sizeof name, "cvt.%s.%s.%s", ptx_wholes[r], n->ptx, f->ptx);
        check_7x(&s, r ? NULL : forms_of(f), "F2I%s%s%s%s%s R20, %%B%s", n->sass, *type ? "." : "", type, wholes[r],
                 zero ? ".NTZ" : "", half);
    }
    struct subject_7x s = of_b("cvt.rpi.ftz.s32.f32", &floats[1], &integers[5]);
    check_7x(&s, NULL, "F2I.FTZ.CEIL.NTZ R20, R6");
}

CORPUS(convert7x, integers_to_floats)
{
    char name[64];
    for (unsigned i = 0; i < 4 * 8 * 4; i++) {
        const struct number *f = &floats[i / 32], *n = &integers[i / 4 % 8];
        unsigned r = i % 4, part = 0;
        const char *type = f == &floats[1] ? "" : f->sass;
        if (f == &floats[3] && n < &integers[2])
            continue;
        struct subject_7x s = of_b(name, n, f);
        if (n < &integers[2])
            part = r, s.sources[0].reading = (enum reading)(BYTE_0 + r);
        else if (n < &integers[4])
            part = r & 1, s.sources[0].reading = part ? HIGH : LOW;
        static const char *const bytes[4] = {"", ".B1", ".B2", ".B3"};
        const char *at = n < &integers[2] ? bytes[part] : part ? ".H1" : "";
        snprintf(name, sizeof name, "cvt.%s.%s.%s", ptx_rounds[r], f->ptx, n->ptx);
        const struct operand_forms *forms = r ? NULL : n < &integers[6] ? &s32_7x : &long_7x;
        check_7x(&s, forms, "I2F%s%s%s%s R20, %%B%s", *type ? "." : "", type, n->sass, rounds[r], at);
    }
    for (unsigned i = 0; i < 4; i++) {
        struct subject_7x s = of_b(name, &integers[4 + (i & 1)], &floats[1]);
        snprintf(name, sizeof name, "cvt.%s.f32.%s", i & 2 ? "rz" : "rn", i & 1 ? "s32" : "u32");
        check_7x(&s, i & 2 ? NULL : &s32_7x, "I2FP.F32.%s%s R20, %%B", i & 1 ? "S32" : "U32", i & 2 ? ".RZ" : "");
    }
}

/* ---- narrower ---------------------------------------------------------------------------------------------------- */

CORPUS(convert7x, integers_to_narrower_ones)
{
    static const char *const types[] = {"U8", "S8", "U16", "S16", "U4", "S4", "U2", "S2"};
    static const char *const ptx_types[] = {"u8", "s8", "u16", "s16", "u4", "s4", "u2", "s2"};
    char name[64];
    for (unsigned i = 0; i < 8; i++) {
        struct subject_7x s = {.ptx = name, .values = {V_INT, V_INT, V_INT}};
        const char *third = i < 2 ? "R8" : i < 4 ? "RZ" : i < 6 ? "R8.24" : "R8.28";
        snprintf(name, sizeof name, "cvt.pack.sat.%s.s32%s", ptx_types[i], i == 2 || i == 3 ? "" : ".b32");
        check_7x(&s, &s32_7x, "I2IP.%s.S32.SAT R20, R4, %%B, %s", types[i], third);
        if (i < 2) {
            struct subject_7x upper = s;
            upper.sources[2].reading = HIGH;
            check_7x(&upper, NULL, "I2IP.%s.S32.SAT R20, R4, R6, R8.H1", types[i]);
        }
        if (i >= 4)
            continue;
        s.sources[0].of = 'b';
        s.written = i & 1 ? SIGNED_16 : LOW_32;
        snprintf(name, sizeof name, "cvt.sat.%s.s32", ptx_types[i]);
        check_7x(&s, &s32_7x, "I2I.%s.S32.SAT R20, %%B", types[i]);
    }
}

static const char *format_name(bool brain, bool new)
{
    return new ? brain ? "BF16.F32" : "F16.F32" : brain ? "BF16" : "";
}

/* The low half converted, the high half of c's chosen one. */
static const char *single_name;
static unsigned single_part;
static void model_single(struct state *s)
{
    uint64_t low = ptx_result(single_name, (uint32_t)s->b, 0, 0, false, NULL);
    set_d32(s, (uint32_t)(low & 0xffff) | (uint32_t)(s->c >> 16 * single_part & 0xffff) << 16);
}
CORPUS(convert7x, pairs_of_floats)
{
    char name[64], single[64];
    for (unsigned i = 0; i < 32; i++) {
        bool brain = i & 1, zero = i & 2, relu = i & 4, finite = i & 8, new = i & 16;
        const char *dot = *format_name(brain, new) ? "." : "", *f = format_name(brain, new), *rz = zero ? ".RZ" : "";
        const char *before = finite ? relu ? ".SATFINITE.RELU" : ".SATFINITE" : relu ? ".RELU" : "";
        struct subject_7x s = {.ptx = name, .values = {V_F32, V_F32, V_INT}, .same = brain ? SAME_BITS : SAME_F16X2};
        snprintf(name, sizeof name, "cvt.%s%s%s.%sx2.f32", zero ? "rz" : "rn", relu ? ".relu" : "",
                 finite ? ".satfinite" : "", brain ? "bf16" : "f16");
        check_7x(&s, i & 12 ? NULL : &f32_7x, "F2FP%s%s%s.PACK_AB%s R20, R4, %%B", before, dot, f, rz);
        snprintf(single, sizeof single, "cvt.%s%s%s.%s.f32", zero ? "rz" : "rn", relu ? ".relu" : "",
                 finite ? ".satfinite" : "", brain ? "bf16" : "f16");
        single_name = single;
        s.model = model_single;
        s.same = SAME_BITS;
        for (single_part = 0; single_part < 2; single_part++)
            check_7x(&s, i & 12 ? NULL : &f32_7x, "F2FP%s%s%s.MERGE_C%s R20, %%B, R8%s", before, dot, f, rz,
                     single_part ? ".H1" : "");
    }
}

/* ptxas makes cvt.sat of it with RZ for the first source. */
static bool signed_bytes, cuts;
static void model_f2ip(struct state *s)
{
    char name[64];
    snprintf(name, sizeof name, "cvt.%s.sat.%s.f32", cuts ? "rzi" : "rni", signed_bytes ? "s8" : "u8");
    uint64_t a = ptx_result(name, (uint32_t)s->a, 0, 0, false, NULL) & 0xff;
    uint64_t b = ptx_result(name, (uint32_t)s->b, 0, 0, false, NULL) & 0xff;
    set_d32(s, (uint32_t)(b | a << 8 | (s->c >> 16 * single_part & 0xffff) << 16));
}
/* The third source in all forms, an f32 where it is an immediate: b takes its place here. */
static void model_third(struct state *s)
{
    struct state turned = *s;
    turned.b = s->c;
    turned.c = s->b;
    single_name ? model_single(&turned) : model_f2ip(&turned);
    s->d = turned.d;
}
CORPUS(convert7x, third_sources)
{
    const struct subject_7x s = {.values = {V_F32, V_F32, V_F32}, .same = SAME_BITS, .model = model_third};
    for (single_part = 0; single_part < 2; single_part++) {
        const char *part = single_part ? ".H1" : "";
        single_name = "cvt.rn.f16.f32";
        check_7x(&s, &f32_7x, "F2FP.MERGE_C R20, R8, %%B%s", part);
        single_name = NULL;
        signed_bytes = cuts = false;
        check_7x(&s, &f32_7x, "F2IP.U8.F32.NTZ R20, R4, R8, %%B%s", part);
    }
}

/* ---- of the uniform datapath ------------------------------------------------------------------------------------- */

static const uint64_t uniform_words = 0x3f9e0651c0490fdb;
static bool uniform_zero;
static void model_uniform(struct state *s)
{
    const char *name = uniform_zero ? "cvt.rz.f16x2.f32" : "cvt.rn.f16x2.f32";
    set_d32(s, (uint32_t)ptx_result(name, uniform_words >> 32, (uint32_t)uniform_words, 0, false, NULL));
}
CORPUS(convert7x, uniform_pairs)
{
    static const unsigned targets[] = {86, 89, 90};
    const struct subject s = {model_uniform, V_INT, V_INT, V_INT, SAME_BITS, 0};
    unsigned before = corpus_sm;
    for (unsigned i = 0; i < 6; i++) {
        corpus_sm = targets[i / 2];
        uniform_zero = i & 1;
        const char *rz = uniform_zero ? ".RZ" : "";
        check_with_words(&s, uniform_words, "UF2FP.PACK_AB%s UR8, UR7, UR6\nMOV R20, UR8", rz);
        check_with_words(&s, uniform_words, "UF2FP.PACK_AB%s UR8, UR7, -3.1415927410125732422\nMOV R20, UR8", rz);
    }
    corpus_sm = before;
}

CORPUS(convert7x, tf32)
{
    char name[64];
    for (unsigned i = 0; i < 4; i++) {
        struct subject_7x s = {.ptx = name, .values = {V_INT, V_F32, V_INT}, .same = SAME_F32};
        s.sources[0].of = 'b';
        snprintf(name, sizeof name, "cvt.%s%s.tf32.f32", i & 1 ? "rz" : "rn", i & 2 ? ".relu" : "");
        check_7x(&s, &no_immediates_7x, "F2FP%s.TF32.F32.PACK_B%s R20, R6", i & 2 ? ".RELU" : "", i & 1 ? ".RZ" : "");
    }
}

static const char *bytes_name;
static bool of_pair;
static void model_bytes(struct state *s)
{
    uint64_t low = ptx_result(bytes_name, of_pair ? (uint32_t)s->b : (uint32_t)s->a, (uint32_t)s->b, 0, false, NULL);
    set_d32(s, (uint32_t)(low & 0xffff) | (uint32_t)(s->c >> 16 * single_part & 0xffff) << 16);
}
CORPUS(convert7x, eight_bits)
{
    char name[64];
    for (unsigned i = 0; i < 8; i++) {
        const char *type = i & 1 ? "E4M3" : "E5M2", *ptx = i & 1 ? "e4m3x2" : "e5m2x2", *relu = i & 2 ? ".RELU" : "";
        struct subject_7x s = {.values = {V_F32, V_F32, V_INT}, .same = SAME_BITS, .model = model_bytes};
        const char *ptx_relu = i & 2 ? ".relu" : "", *part = i & 4 ? ".H1" : "";
        bytes_name = name;
        single_part = i >> 2;
        of_pair = false;
        snprintf(name, sizeof name, "cvt.rn%s.satfinite.%s.f32", ptx_relu, ptx);
        check_7x(&s, &no_immediates_7x, "F2FP.SATFINITE%s.%s.F32.PACK_AB_MERGE_C R20, R4, %%B, R8%s", relu, type, part);
        of_pair = true;
        s.values[1] = V_F16X2;
        snprintf(name, sizeof name, "cvt.rn%s.satfinite.%s.f16x2", ptx_relu, ptx);
        check_7x(&s, &no_immediates_7x, "F2FP.SATFINITE%s.%s.F16.UNPACK_B_MERGE_C R20, %%B, R8%s", relu, type, part);
        struct subject_7x u = {.ptx = name, .values = {V_INT, V_INT, V_INT}, .same = SAME_F16X2};
        u.sources[0] = (struct source_reading){.of = 'b', .reading = i & 4 ? HIGH : LOW};
        snprintf(name, sizeof name, "cvt.rn%s.f16x2.%s", ptx_relu, ptx);
        check_7x(&u, *part ? &no_immediates_7x : &bytes_7x, "F2FP%s.F16.%s.UNPACK_B R20, %%B%s", relu, type, part);
    }
}

CORPUS(convert7x, bytes_of_floats)
{
    for (unsigned i = 0; i < 8; i++) {
        const struct subject_7x s = {.values = {V_F32, V_F32, V_INT}, .same = SAME_BITS, .model = model_f2ip};
        signed_bytes = i & 1;
        cuts = i & 2;
        single_part = i >> 2;
        check_7x(&s, &f32_7x, "F2IP.%s.F32%s.NTZ R20, R4, %%B, R8%s", signed_bytes ? "S8" : "U8", cuts ? ".TRUNC" : "",
                 single_part ? ".H1" : "");
    }
}
