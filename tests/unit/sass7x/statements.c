#include "tests/unit/sass7x/statements.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <criterion/criterion.h>

#include "tests/support/kernel_case.h"
#include "tests/support/ptxas.h"

enum { THREADS = 1024, TEXT = 1 << 21, MAX_STATEMENTS = 512 };

struct statement {
    unsigned from; /* the first target that has it */
    enum values values;
    enum result result;
    char text[700];
    double relative, absolute; /* of NEAR_SINGLE and NEAR_DOUBLE: either bound does */
};
static struct statement statements[MAX_STATEMENTS];
static unsigned count;

void add(unsigned from, enum values values, enum result result, const char *format, ...)
{
    va_list args;
    cr_assert_lt(count, (unsigned)MAX_STATEMENTS);
    struct statement *s = &statements[count++];
    *s = (struct statement){.from = from, .values = values, .result = result};
    va_start(args, format);
    int length = vsnprintf(s->text, sizeof s->text, format, args);
    va_end(args);
    cr_assert_lt(length, (int)sizeof s->text);
}

void set_bounds(double relative, double absolute)
{
    statements[count - 1].relative = relative;
    statements[count - 1].absolute = absolute;
}

/* ---- kernels ----------------------------------------------------------------------------------------------------- */

static const char prologue[] =
    ".reg .b32 %a, %b, %c, %d, %t, %u, %v; .reg .b64 %r<4>, %la, %lb, %lc, %ld; .reg .b16 %ha, %hA, %hb, "
    "%hB, %hc, %hC, %hd; .reg .f32 %fa, %fb, %fc, %fd; .reg .f64 %da, %db, %dc, %dd; .reg .pred %p, %q, "
    "%s;\nld.param.u64 %r1, [cells];\nmov.u32 %t, %tid.x; mov.u32 %u, %ctaid.x; mov.u32 %v, %ntid.x;\n"
    "mad.lo.u32 %t, %u, %v, %t;\nmul.wide.u32 %r2, %t, 32;\nadd.s64 %r3, %r1, %r2;\n"
    "ld.global.u64 %la, [%r3]; ld.global.u64 %lb, [%r3+8]; ld.global.u64 %lc, [%r3+16];\n"
    "cvt.u32.u64 %a, %la; cvt.u32.u64 %b, %lb; cvt.u32.u64 %c, %lc;\n"
    "mov.b32 {%ha, %hA}, %a; mov.b32 {%hb, %hB}, %b; mov.b32 {%hc, %hC}, %c; mov.b32 %fa, %a; mov.b32 %fb, "
    "%b; mov.b32 %fc, %c; mov.b64 %da, %la; mov.b64 %db, %lb; mov.b64 %dc, %lc;\nand.b32 %t, %c, 1; "
    "setp.ne.u32 %p, %t, 0; mov.u32 %d, 0; mov.u64 %ld, 0;\n";
static const char *const epilogues[] = {[BITS] = "cvt.u64.u32 %ld, %d;",
                                        [HALF] = "cvt.u64.u16 %ld, %hd;",
                                        [BRAIN] = "cvt.u64.u16 %ld, %hd;",
                                        [HALF_PAIR] = "cvt.u64.u32 %ld, %d;",
                                        [BRAIN_PAIR] = "cvt.u64.u32 %ld, %d;",
                                        [SINGLE] = "mov.b32 %d, %fd; cvt.u64.u32 %ld, %d;",
                                        [DOUBLE] = "mov.b64 %ld, %dd;",
                                        [LONG] = "",
                                        [NEAR_SINGLE] = "mov.b32 %d, %fd; cvt.u64.u32 %ld, %d;",
                                        [NEAR_DOUBLE] = "mov.b64 %ld, %dd;"};

static char body[TEXT];
static void write_kernels(unsigned sm)
{
    size_t length = 0;
    for (unsigned i = 0; i < count; i++) {
        const struct statement *s = &statements[i];
        if (s->from > sm)
            continue;
        length += (size_t)snprintf(body + length, TEXT - length, ".visible .entry k%u(.param .u64 cells)\n{\n%s", i,
                                   prologue);
        length += (size_t)snprintf(body + length, TEXT - length, "%s\n%s\nst.global.u64 [%%r3+24], %%ld;\nret;\n}\n",
                                   s->text, epilogues[s->result]);
        cr_assert_lt(length, (size_t)TEXT);
    }
}

/* ---- values and results ------------------------------------------------------------------------------------------ */

struct cell {
    uint64_t a, b, c, d;
};
struct engine {
    struct rp_device *device;
    struct module *module;
    uint64_t address;
    struct cell *cells;
};

static uint64_t value(enum values kind, unsigned i, uint64_t *seed)
{
    uint64_t r = random_next(seed);
    bool wide = kind == V_F64 || kind == V_LONG;
    return (wide ? corner(kind, i) : (corner(kind, i) & 0xffffffff) | (r << 32));
}
static void set_cells(struct engine *e, enum values kind)
{
    uint64_t seed = 3;
    unsigned n = corner_count(kind);
    for (unsigned i = 0; i < THREADS; i++) {
        struct cell *c = &e->cells[i];
        bool corners = i < n * n && i < THREADS * 3 / 4;
        c->a = corners ? value(kind, i, &seed) : random_next(&seed);
        c->b = corners ? value(kind, i / n, &seed) : random_next(&seed);
        c->c = i % 3 ? value(kind, i / 3 % n, &seed) : random_next(&seed);
        c->d = 0;
    }
}
static void run(struct engine *e, const struct statement *s, unsigned number, const char *what)
{
    struct rp_launch_config config = {.params = &e->address};
    struct rp_launch_result result;
    struct rp_error err;
    char name[16];
    snprintf(name, sizeof name, "k%u", number);
    set_cells(e, s->values);
    bool ok = ptxas_run(e->device, e->module, name, THREADS / 256, 256, &config, &result, &err);
    cr_assert(ok, "%s: %s: %s", what, s->text, ok ? "" : err.text);
}
static void open_cells(struct engine *e)
{
    struct rp_error err;
    e->address = rp_alloc(e->device, THREADS * sizeof(struct cell), "cells", &err);
    e->cells = rp_host(e->device, e->address, THREADS * sizeof(struct cell));
}

static double double_of(uint64_t bits, bool single)
{
    double d;
    float f;
    uint32_t low = (uint32_t)bits;
    memcpy(&d, &bits, 8);
    memcpy(&f, &low, 4);
    return single ? (double)f : d;
}
static bool same_small(uint64_t x, uint64_t y, unsigned infinity)
{
    x &= 0xffff, y &= 0xffff;
    return x == y || ((x & 0x7fff) > infinity && (y & 0x7fff) > infinity);
}
static bool same(const struct statement *s, uint64_t x, uint64_t y)
{
    double p = double_of(x, s->result == SINGLE || s->result == NEAR_SINGLE);
    double q = double_of(y, s->result == SINGLE || s->result == NEAR_SINGLE);
    if (x == y)
        return true;
    switch (s->result) {
    case HALF: return same_small(x, y, 0x7c00);
    case BRAIN: return same_small(x, y, 0x7f80);
    case HALF_PAIR: return same_small(x, y, 0x7c00) && same_small(x >> 16, y >> 16, 0x7c00);
    case BRAIN_PAIR: return same_small(x, y, 0x7f80) && same_small(x >> 16, y >> 16, 0x7f80);
    case SINGLE:
    case DOUBLE: return isnan(p) && isnan(q);
    case NEAR_SINGLE:
    case NEAR_DOUBLE:
        return (isnan(p) && isnan(q)) || fabs(p - q) <= s->relative * fabs(p) || fabs(p - q) <= s->absolute;
    default: return false;
    }
}

static void compare_on(const struct ptxas_target *target)
{
    struct engine machine, ptx;
    char what[32];
    snprintf(what, sizeof what, "sm_%u -O%d", target->sm, target->level);
    write_kernels(target->sm);
    machine.module = ptxas_module_for(&machine.device, target, body);
    ptx.module = ptx_module_for(&ptx.device, target, body);
    open_cells(&machine);
    open_cells(&ptx);
    for (unsigned k = 0; k < count; k++) {
        const struct statement *s = &statements[k];
        if (s->from > target->sm)
            continue;
        run(&machine, s, k, what);
        run(&ptx, s, k, "PTX");
        for (unsigned i = 0; i < THREADS; i++) {
            const struct cell *got = &ptx.cells[i], *want = &machine.cells[i];
            if (same(s, got->d, want->d))
                continue;
            cr_expect_fail("%s: %s: a %016" PRIx64 " b %016" PRIx64 " c %016" PRIx64 ": PTX gives %016" PRIx64
                           ", ptxas %016" PRIx64,
                           what, s->text, got->a, got->b, got->c, got->d, want->d);
            break;
        }
    }
    rp_device_free(machine.device);
    rp_device_free(ptx.device);
}
void compare_all(void)
{
    static const unsigned targets[] = {75, 80, 86, 89, 90};
    for (unsigned i = 0; i < sizeof targets / sizeof *targets; i++)
        for (int level = 0; level <= 3; level += 3)
            compare_on(&(struct ptxas_target){targets[i], "8.6", "12.9", level});
}
