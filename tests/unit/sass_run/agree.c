/* PTX that ptxas turns into sequences of machine code: what the PTX frontend makes of a statement equals, bit for bit,
 * what the machine code that ptxas makes of it leaves. The two share the execution of single operations, but not what
 * these instructions are made of: the sequences are NVIDIA's. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <criterion/criterion.h>

#include "tests/support/kernel_case.h"
#include "tests/support/ptxas.h"
#include "tests/support/sass_corpus.h"

enum { THREADS = 1024, TEXT = 1 << 20, MAX_KERNELS = 1024 };

/* Kernels k0, k1, ...: a thread loads a, b and c into %a, %b, %c (32 bits), their halves into %ha %hA (lower, upper)
 * and so on, floats %fa and %fb, a predicate %p of c's lowest bit, executes a statement, and stores %d. */
static char body[TEXT];
static size_t length;
static unsigned kernels;
static const char *statements[MAX_KERNELS];

static void clear(void) { length = kernels = 0; }
static void add(const char *format, ...) __attribute__((format(printf, 1, 2)));
static void add(const char *format, ...)
{
    char statement[256];
    va_list args;
    va_start(args, format);
    vsnprintf(statement, sizeof statement, format, args);
    va_end(args);
    cr_assert_lt(kernels, (unsigned)MAX_KERNELS);
    statements[kernels] = strdup(statement);
    length += (size_t)snprintf(
        body + length, TEXT - length,
        ".visible .entry k%u(.param .u64 cells)\n{\n.reg .b32 %%a, %%b, %%c, %%d, %%t, %%u, %%v; .reg .b64 %%r<4>; "
        ".reg .b16 %%ha, %%hA, %%hb, %%hB, %%hc, %%hC, %%hd; .reg .f32 %%fa, %%fb; .reg .pred %%p, %%q, %%s;\n"
        "ld.param.u64 %%r1, [cells];\nmov.u32 %%t, %%tid.x; mov.u32 %%u, %%ctaid.x; mov.u32 %%v, %%ntid.x;\n"
        "mad.lo.u32 %%t, %%u, %%v, %%t;\nmul.wide.u32 %%r2, %%t, 16;\nadd.s64 %%r3, %%r1, %%r2;\n"
        "ld.global.u32 %%a, [%%r3]; ld.global.u32 %%b, [%%r3+4]; ld.global.u32 %%c, [%%r3+8];\n"
        "mov.b32 {%%ha, %%hA}, %%a; mov.b32 {%%hb, %%hB}, %%b; mov.b32 {%%hc, %%hC}, %%c;\n"
        "mov.b32 %%fa, %%a; mov.b32 %%fb, %%b; and.b32 %%t, %%c, 1; setp.ne.u32 %%p, %%t, 0; mov.u32 %%d, 0;\n"
        "%s\nst.global.u32 [%%r3+12], %%d;\nret;\n}\n",
        kernels++, statement);
    cr_assert_lt(length, (size_t)TEXT);
}

struct cell {
    uint32_t a, b, c, d;
};
/* The kernels in one form, with cells of their own. */
struct engine {
    struct rp_device *device;
    struct module *module;
    uint64_t address;
    struct cell *cells;
};
static void set_cells(struct engine *e, enum values kind)
{
    struct rp_error err;
    uint64_t seed = 3;
    unsigned n = corner_count(kind);
    e->address = rp_alloc(e->device, THREADS * sizeof(struct cell), "cells", &err);
    e->cells = rp_host(e->device, e->address, THREADS * sizeof(struct cell));
    for (unsigned i = 0; i < THREADS; i++) {
        bool corners = i < n * n;
        e->cells[i].a = (uint32_t)(corners ? corner(kind, i) : random_next(&seed));
        e->cells[i].b = (uint32_t)(corners ? corner(kind, i / n) : random_next(&seed));
        e->cells[i].c = (uint32_t)random_next(&seed);
    }
}
static void run(struct engine *e, unsigned kernel)
{
    struct rp_launch_config config = {.params = &e->address};
    struct rp_launch_result result;
    struct rp_error err;
    char name[16];
    snprintf(name, sizeof name, "k%u", kernel);
    bool ok = ptxas_run(e->device, e->module, name, THREADS / 256, 256, &config, &result, &err);
    cr_assert(ok, "%s: %s", statements[kernel], ok ? "" : err.text);
}
static struct engine ptx_engine(void)
{
    const struct ptxas_target target = {62, "6.5", "12.3", 3};
    struct engine e;
    e.module = ptx_module_for(&e.device, &target, body);
    return e;
}

/* Any NaN is as good as another in the halves of a result that `halves` has a bit for. */
static bool same(uint32_t x, uint32_t y, unsigned halves)
{
    for (unsigned h = 0; h < 2; h++) {
        uint32_t a = x >> 16 * h & 0xffff, b = y >> 16 * h & 0xffff;
        if (a != b && !(halves >> h & 1 && (a & 0x7fff) > 0x7c00 && (b & 0x7fff) > 0x7c00))
            return false;
    }
    return true;
}
/* Of values of one kind. */
static void compare_all(enum values kind, unsigned halves)
{
    struct engine machine, ptx;
    machine.module = ptxas_module(&machine.device, body);
    ptx = ptx_engine();
    set_cells(&machine, kind);
    set_cells(&ptx, kind);
    for (unsigned k = 0; k < kernels; k++) {
        run(&machine, k);
        run(&ptx, k);
        for (unsigned i = 0; i < THREADS; i++) {
            const struct cell *got = &ptx.cells[i], *want = &machine.cells[i];
            if (same(got->d, want->d, halves))
                continue;
            cr_expect_fail("%s: a %08x b %08x c %08x: PTX gives %08x, ptxas %08x", statements[k], got->a, got->b,
                           got->c, got->d, want->d);
            break;
        }
        free((void *)statements[k]);
    }
    rp_device_free(machine.device);
    rp_device_free(ptx.device);
}

/* ---- half precision ---------------------------------------------------------------------------------------------- */

static const char *const compares[] = {"eq",  "ne",  "lt",  "le",  "gt",  "ge",  "equ",
                                       "neu", "ltu", "leu", "gtu", "geu", "num", "nan"};
enum { COMPARES = sizeof compares / sizeof *compares };
static const char *const combines[] = {"", ".and", ".or", ".xor"};
static const char *const ftz_texts[] = {"", ".ftz"};

Test(agree, half_comparisons)
{
    clear();
    for (unsigned i = 0; i < COMPARES * 4; i++) {
        const char *how = combines[i % 4], *with = i % 4 ? i & 1 ? ", %p" : ", !%p" : "", *ftz = ftz_texts[i / 4 % 2];
        const char *cmp = compares[i / 4];
        add("setp.%s%s%s.f16 %%q, %%ha, %%hb%s; selp.u32 %%d, 1, 0, %%q;", cmp, how, ftz, with);
        add("setp.%s%s%s.f16x2 %%q|%%s, %%a, %%b%s; selp.u32 %%d, 1, 0, %%q; @%%s or.b32 %%d, %%d, 2;", cmp, how, ftz,
            with);
        add("set.%s%s%s.u32.f16 %%d, %%ha, %%hb%s;", cmp, how, ftz, with);
        add("set.%s%s%s.s32.f16x2 %%d, %%a, %%b%s;", cmp, how, ftz, with);
        add("set.%s%s%s.f16x2.f16x2 %%d, %%a, %%b%s;", cmp, how, ftz, with);
        add("set.%s%s%s.f16.f16 %%hd, %%ha, %%hb%s; mov.b32 %%d, {%%hd, %%hc};", cmp, how, ftz, with);
        add("set.%s%s%s.u16.f16 %%hd, %%ha, %%hb%s; mov.b32 %%d, {%%hd, %%hc};", cmp, how, ftz, with);
        add("set.%s%s%s.f16.f32 %%hd, %%fa, %%fb%s; mov.b32 %%d, {%%hd, %%hc};", cmp, how, ftz, with);
        if (i / 4 < 6 && !*ftz) {
            add("set.%s%s.f16.s32 %%hd, %%a, %%b%s; mov.b32 %%d, {%%hd, %%hc};", cmp, how, with);
            add("set.%s%s.f16.u16 %%hd, %%ha, %%hB%s; mov.b32 %%d, {%%hd, %%hc};", cmp, how, with);
        }
    }
    compare_all(V_F16X2, 0);
}
Test(agree, half_signs)
{
    clear();
    for (unsigned i = 0; i < 2; i++) {
        add("neg%s.f16 %%hd, %%ha; mov.b32 %%d, {%%hd, %%hc};", ftz_texts[i]);
        add("neg%s.f16x2 %%d, %%a;", ftz_texts[i]);
        add("abs%s.f16 %%hd, %%ha; mov.b32 %%d, {%%hd, %%hc};", ftz_texts[i]);
        add("abs%s.f16x2 %%d, %%a;", ftz_texts[i]);
    }
    compare_all(V_F16X2, 3);
}

/* Of a thread's own word, c. */
Test(agree, half_atomics)
{
    clear();
    add("red.global.add.noftz.f16x2 [%%r3+8], %%a; ld.global.u32 %%d, [%%r3+8];");
    add("atom.global.add.noftz.f16x2 %%t, [%%r3+8], %%b; ld.global.u32 %%d, [%%r3+8];");
    add("atom.add.noftz.f16x2 %%d, [%%r3+8], %%a;");
    compare_all(V_F16X2, 3);
}

/* ---- two and four at once ---------------------------------------------------------------------------------------- */

static const char *const video_ops[] = {"vadd", "vsub", "vavrg", "vabsdiff", "vmin", "vmax"};
static const char *const video_types[] = {"u32", "s32"};
/* Selectors of the destination, and of both sources; the first says nothing. */
static const char *const masks[2][8] = {{"", ".h10", ".h0", ".h1"},
                                        {"", ".b3210", ".b0", ".b31", ".b210", ".b3", ".b20", ".b321"}};
static const char *const choices[2][8] = {{"", ".h10", ".h32", ".h01", ".h23", ".h00", ".h31", ".h13"},
                                          {"", ".b3210", ".b7654", ".b0123", ".b7531", ".b0000", ".b6420", ".b4051"}};
static void add_video(bool four, unsigned i)
{
    const char *d = masks[four][i % (four ? 8 : 4)], *a = choices[four][i / 3 % 8], *b = choices[four][i / 5 % 8];
    const char *ta = video_types[i & 1], *tb = video_types[i >> 1 & 1], *td = video_types[i >> 2 & 1];
    static const char *const ends[] = {"", ".sat", ".add"}, *const set_ends[] = {"", ".add"};
    static const char *const cmp[] = {"eq", "ne", "lt", "le", "gt", "ge"};
    const unsigned ways = four ? 4 : 2;
    add("%s%u.%s.%s.%s%s %%d%s, %%a%s, %%b%s, %%c;", video_ops[i % 6], ways, td, ta, tb, ends[i / 6 % 3], d, a, b);
    add("vset%u.%s.%s.%s%s %%d%s, %%a%s, %%b%s, %%c;", ways, ta, tb, cmp[i / 2 % 6], set_ends[i % 2], d, a, b);
}
Test(agree, two_halves_at_once)
{
    clear();
    for (unsigned i = 0; i < 180; i++)
        add_video(false, i);
    compare_all(V_INT, 0);
}
Test(agree, four_bytes_at_once)
{
    clear();
    for (unsigned i = 0; i < 180; i++)
        add_video(true, i);
    compare_all(V_INT, 0);
}

/* ---- condition codes --------------------------------------------------------------------------------------------- */

/* What IMNMX.XHI passes on to IMNMX.XLO, and what XMAD and IADD leave in the carry that .X takes. */
#define LONGS "{.reg .b64 %%x, %%y, %%z; mov.b64 %%x, {%%a, %%b}; mov.b64 %%y, {%%c, %%a}; "
#define FOLDED " mov.b64 {%%t, %%u}, %%z; shf.l.wrap.b32 %%u, %%u, %%u, 7; xor.b32 %%d, %%t, %%u;}"
Test(agree, words_of_long_numbers)
{
    static const char *const types[] = {"u64", "s64"}, *const extremes[] = {"min", "max"};
    clear();
    for (unsigned i = 0; i < 4; i++) {
        add(LONGS "%s.%s %%z, %%x, %%y;" FOLDED, extremes[i & 1], types[i >> 1]);
        add(LONGS "mov.b64 %%y, {%%c, %%b}; %s.%s %%z, %%x, %%y;" FOLDED, extremes[i & 1], types[i >> 1]);
    }
    for (unsigned i = 0; i < 12; i++)
        add(LONGS "setp.%s.%s %%q, %%x, %%y; selp.u32 %%d, 1, 2, %%q;}", compares[i % 6], types[i / 6]);
    add(LONGS "mul.lo.u64 %%z, %%x, %%y;" FOLDED);
    add(LONGS "mul.hi.u64 %%z, %%x, %%y;" FOLDED);
    add(LONGS "mul.hi.s64 %%z, %%x, %%y;" FOLDED);
    add(LONGS "mad.lo.s64 %%z, %%x, %%y, %%x;" FOLDED);
    add("add.cc.u32 %%t, %%a, %%b; addc.cc.u32 %%u, %%b, %%c; addc.u32 %%d, %%t, %%u;");
    add("sub.cc.u32 %%t, %%a, %%b; subc.cc.u32 %%u, %%b, %%c; subc.u32 %%d, %%t, %%u;");
    add("mad.lo.cc.u32 %%t, %%a, %%b, %%c; madc.hi.cc.u32 %%u, %%a, %%b, %%c; addc.u32 %%d, %%t, %%u;");
    add("mad.lo.cc.s32 %%t, %%a, %%b, %%c; madc.hi.s32 %%u, %%a, %%b, %%c; xor.b32 %%d, %%t, %%u;");
    add("mad.hi.sat.s32 %%d, %%a, %%b, %%c;");
    add("mul.hi.s32 %%t, %%a, %%b; mul.hi.u32 %%u, %%b, %%c; xor.b32 %%d, %%t, %%u;");
    compare_all(V_INT, 0);
}
