/* What no document says, settled by machine code that ptxas made of PTX whose meaning is known. */
#include <math.h>
#include <string.h>

#include <criterion/criterion.h>

#include "tests/support/kernel_case.h"
#include "tests/support/ptxas.h"
#include "tests/support/sass_corpus.h"

static void run(struct rp_device *c, struct module *m, const char *kernel, uint32_t grid, uint32_t block,
                const void *params)
{
    struct rp_launch_config config = {.params = params};
    struct rp_launch_result result;
    struct rp_error err;
    bool ok = ptxas_run(c, m, kernel, grid, block, &config, &result, &err);
    cr_assert(ok, "%s", ok ? "" : err.text);
}

/* ---- FCHK, MUFU.RCP64H and the refinements around them ----------------------------------------------------------- */

#define BINARY(name, type, shift, op)                                                                                  \
    ".visible .entry " name "(.param .u64 p)\n{\n.reg .b64 %rd<8>; .reg .b32 %r<8>; .reg ." type " %x<4>;\n"           \
    "ld.param.u64 %rd1, [p];\nmov.u32 %r1, %tid.x; mov.u32 %r2, %ctaid.x; mov.u32 %r3, %ntid.x;\n"                     \
    "mad.lo.u32 %r4, %r2, %r3, %r1;\nmul.wide.u32 %rd2, %r4, 24;\nadd.s64 %rd3, %rd1, %rd2;\n"                         \
    "ld.global." type " %x1, [%rd3]; ld.global." type " %x2, [%rd3+8];\n" op "\nst.global." type " [%rd3+16], %x3;\n"  \
    "ret;\n}\n"
struct quotient {
    uint64_t a, b, r;
};
enum { QUOTIENTS = 1 << 16 };

static uint64_t value(enum values v, unsigned i, unsigned corners, uint64_t *seed)
{
    if (i < corners * corners)
        return corner(v, i);
    uint64_t r = random_next(seed); /* any exponent */
    return v == V_F32 ? (uint32_t)r : r;
}
static void fill(struct quotient *q, enum values v)
{
    uint64_t seed = 17;
    unsigned n = corner_count(v);
    for (unsigned i = 0; i < QUOTIENTS; i++) {
        q[i].a = value(v, i, n, &seed);
        q[i].b = value(v, i < n * n ? i / n : i, n, &seed);
    }
}
static void expect_f32(const struct quotient *q, float (*model)(float, float), const char *what)
{
    for (unsigned i = 0; i < QUOTIENTS; i++) {
        float a, b, r;
        memcpy(&a, &q[i].a, 4);
        memcpy(&b, &q[i].b, 4);
        memcpy(&r, &q[i].r, 4);
        float want = model(a, b);
        cr_assert((isnan(r) && isnan(want)) || !memcmp(&r, &want, 4), "%s of %a and %a is %a, not %a", what, (double)a,
                  (double)b, (double)r, (double)want);
    }
}
static void expect_f64(const struct quotient *q, double (*model)(double, double), const char *what)
{
    for (unsigned i = 0; i < QUOTIENTS; i++) {
        double a, b, r;
        memcpy(&a, &q[i].a, 8);
        memcpy(&b, &q[i].b, 8);
        memcpy(&r, &q[i].r, 8);
        double want = model(a, b);
        cr_assert((isnan(r) && isnan(want)) || !memcmp(&r, &want, 8), "%s of %a and %a is %a, not %a", what, a, b, r,
                  want);
    }
}
static float div32(float a, float b) { return a / b; }
static float rcp32(float a, float b) { return (void)b, 1 / a; }
static float sqrt32(float a, float b) { return (void)b, sqrtf(a); }
static double div64(double a, double b) { return a / b; }
static double rcp64(double a, double b) { return (void)b, 1 / a; }
static double sqrt64(double a, double b) { return (void)b, sqrt(a); }

/* Division, reciprocal and root as ptxas builds them are rounded correctly, for operands of any exponent: so FCHK sends
 * to the slow path all that the fast one cannot do, and MUFU is as exact as the refinement needs. */
Test(inferences, division_and_roots)
{
    struct rp_device *c;
    struct module *m = ptxas_module(
        &c,
        BINARY("div32", "f32", 4, "div.rn.f32 %x3, %x1, %x2;") BINARY("rcp32", "f32", 4, "rcp.rn.f32 %x3, %x1;")
            BINARY("sqrt32", "f32", 4, "sqrt.rn.f32 %x3, %x1;") BINARY("div64", "f64", 8, "div.rn.f64 %x3, %x1, %x2;")
                BINARY("rcp64", "f64", 8, "rcp.rn.f64 %x3, %x1;") BINARY("sqrt64", "f64", 8, "sqrt.rn.f64 %x3, %x1;"));
    struct rp_error err;
    uint64_t p = rp_alloc(c, QUOTIENTS * sizeof(struct quotient), "q", &err);
    struct quotient *q = rp_host(c, p, QUOTIENTS * sizeof *q);
    static float (*const f32[])(float, float) = {div32, rcp32, sqrt32};
    static double (*const f64[])(double, double) = {div64, rcp64, sqrt64};
    static const char *const names[2][3] = {{"div32", "rcp32", "sqrt32"}, {"div64", "rcp64", "sqrt64"}};
    for (unsigned i = 0; i < 3; i++) {
        fill(q, V_F32);
        run(c, m, names[0][i], QUOTIENTS / 256, 256, &p);
        expect_f32(q, f32[i], names[0][i]);
        fill(q, V_F64);
        run(c, m, names[1][i], QUOTIENTS / 256, 256, &p);
        expect_f64(q, f64[i], names[1][i]);
    }
    rp_device_free(c);
}

/* ---- LEA's predicate --------------------------------------------------------------------------------------------- */

/* A generic atomic becomes LEA RZ.CC, LEA.HI.X with a predicate, and a branch: to RED where the predicate holds, to
 * ATOMS, of the address's lower 24 bits, elsewhere. So it says that an address lies outside of the shared window. */
static const char generic_atomic[] =
    ".visible .entry k(.param .u64 p)\n{\n.shared .align 4 .b8 mine[128];\n.reg .b64 %rd<8>; .reg .b32 %r<8>; .reg "
    ".pred %q<2>;\n"
    "ld.param.u64 %rd1, [p];\nmov.u32 %r1, %tid.x;\nmov.u32 %r5, 0;\nmov.u64 %rd5, mine;\nst.shared.u32 [mine], %r5;\n"
    "bar.sync 0;\ncvta.shared.u64 %rd2, %rd5;\nand.b32 %r2, %r1, 1;\nsetp.eq.u32 %q1, %r2, 0;\n"
    "selp.b64 %rd3, %rd1, %rd2, %q1;\nmov.u32 %r3, 1;\natom.add.u32 %r4, [%rd3], %r3;\nbar.sync 0;\n"
    "ld.shared.u32 %r4, [mine];\nst.global.u32 [%rd1+4], %r4;\nret;\n}\n";
static const struct program *find(struct module *m, const char *kernel)
{
    struct rp_error err;
    struct program *p = module_find(m, kernel, &err);
    cr_assert_not_null(p, "%s", p ? "" : err.text);
    return p;
}
/* Static index of the first instruction whose text has this; -1: none. */
static int index_of(const struct program *p, const char *text)
{
    for (uint32_t i = 0; i < p->kernel.instruction_count; i++)
        if (strstr(p->kernel.instructions[i].text, text))
            return (int)i;
    return -1;
}
Test(inferences, generic_atomics_choose_their_window)
{
    struct rp_device *c;
    struct module *m = ptxas_module(&c, generic_atomic);
    struct rp_error err;
    uint64_t p = rp_alloc(c, 8, "p", &err);
    uint32_t *host = rp_host(c, p, 8);
    const struct program *k = find(m, "k");
    cr_assert(index_of(k, "LEA.HI.X P") >= 0, "ptxas does it otherwise");
    cr_assert(index_of(k, "ATOMS") >= 0 && index_of(k, "RED.E") >= 0);
    run(c, m, "k", 1, 32, &p);
    cr_expect_eq(host[0], 16u);
    cr_expect_eq(host[1], 16u);
    /* an address that is nowhere is no shared one: the fault is the RED's */
    uint64_t nowhere = 0;
    struct rp_launch_config config = {.params = &nowhere};
    struct rp_launch_result result;
    cr_assert(!ptxas_run(c, m, "k", 1, 32, &config, &result, &err));
    cr_expect_eq(result.fault, RP_FAULT_BOUNDS);
    cr_expect_eq((int)result.fault_instruction, index_of(k, "RED.E"), "%s", err.text);
    rp_device_free(c);
}

/* ---- constant banks of several kernels --------------------------------------------------------------------------- */

#define WITH_LITERAL(name, literal)                                                                                    \
    ".visible .entry " name "(.param .u64 p)\n{\n.reg .b64 %rd<4>; .reg .f64 %x<4>; .reg .b32 %r<4>;\n"                \
    "ld.param.u64 %rd1, [p];\nld.global.f64 %x1, [%rd1];\nfma.rn.f64 %x2, %x1, " literal ", " literal ";\n"            \
    "st.global.f64 [%rd1], %x2;\nld.const.u32 %r1, [table+4];\nst.global.u32 [%rd1+8], %r1;\nret;\n}\n"
#define WITHOUT_LITERAL(name)                                                                                          \
    ".visible .entry " name "(.param .u64 p)\n{\n.reg .b64 %rd<4>; .reg .b32 %r<4>;\n"                                 \
    "ld.param.u64 %rd1, [p];\nld.const.u32 %r1, [table];\nst.global.u32 [%rd1+8], %r1;\nret;\n}\n"
Test(inferences, every_kernel_has_its_own_banks)
{
    struct rp_device *c;
    struct module *m = ptxas_module(
        &c, ".const .align 4 .u32 table[2] = {11, 22};\n" WITHOUT_LITERAL("a") WITH_LITERAL("b", "0d3FF3333333333333")
                WITH_LITERAL("c", "0d400921FB54442D18") WITHOUT_LITERAL("d") WITH_LITERAL("e", "0d3FB999999999999A"));
    struct rp_error err;
    uint64_t p = rp_alloc(c, 16, "p", &err);
    double *x = rp_host(c, p, 16);
    uint32_t *r = (uint32_t *)(x + 1);
    static const struct {
        const char *name;
        double literal;
    } kernels[] = {{"a", 0}, {"b", 1.2}, {"c", 3.14159265358979311600}, {"d", 0}, {"e", 0.1}};
    for (unsigned i = 0; i < 2 * 5; i++) {
        const char *name = kernels[i % 5].name;
        double literal = kernels[i % 5].literal;
        x[0] = 0.75;
        r[0] = 0;
        run(c, m, name, 1, 1, &p);
        cr_expect_eq(x[0], literal != 0 ? fma(0.75, literal, literal) : 0.75, "%s: %a", name, x[0]);
        cr_expect_eq(r[0], literal != 0 ? 22u : 11u, "%s: %u", name, r[0]);
    }
    rp_device_free(c);
}

/* ---- the stack of recursive functions ---------------------------------------------------------------------------- */

/* Each call keeps 256 bytes; n of them need a stack of n × 256 and more. */
static const char recursive[] =
    ".func (.param .b32 out) down(.param .b32 n)\n{\n.local .align 8 .b8 frame[256];\n.reg .b32 %r<8>; .reg .b64 "
    "%rd<8>; "
    ".reg .pred %q<2>;\nld.param.u32 %r1, [n];\nmov.u64 %rd1, frame;\nand.b32 %r5, %r1, 63;\nmul.wide.u32 %rd2, %r5, "
    "4;\nadd.s64 %rd3, %rd1, %rd2;\nst.local.u32 [%rd3], %r1;\nmov.u32 %r3, 0;\nsetp.eq.u32 %q1, %r1, 0;\n@%q1 bra "
    "done;\nsub.u32 %r2, %r1, 1;\n{\n.param .b32 a;\n.param .b32 b;\nst.param.b32 [a], %r2;\ncall.uni (b), down, "
    "(a);\nld.param.b32 %r3, [b];\n}\ndone:\nld.local.u32 %r4, [%rd3];\nadd.u32 %r4, %r4, %r3;\nst.param.b32 [out], "
    "%r4;\nret;\n}\n"
    ".visible .entry k(.param .u64 p)\n{\n.reg .b32 %r<4>; .reg .b64 %rd<4>;\nld.param.u64 %rd1, [p];\nld.global.u32 "
    "%r1, [%rd1];\n{\n.param .b32 a;\n.param .b32 b;\nst.param.b32 [a], %r1;\ncall.uni (b), down, (a);\nld.param.b32 "
    "%r2, [b];\n}\nst.global.u32 [%rd1], %r2;\nret;\n}\n";
Test(inferences, recursion_takes_the_stack_that_it_is_given)
{
    struct rp_device *c;
    struct module *m = ptxas_module(&c, recursive);
    struct rp_error err;
    struct rp_launch_result result;
    uint64_t p = rp_alloc(c, 4, "p", &err);
    uint32_t *r = rp_host(c, p, 4);
    struct rp_launch_config config = {.params = &p};
    *r = 20;
    cr_assert(ptxas_run(c, m, "k", 1, 1, &config, &result, &err), "%s", err.text);
    cr_expect_eq(*r, 210u);
    *r = 200; /* 50 KiB are more than the stack that there is without asking */
    cr_assert(!ptxas_run(c, m, "k", 1, 1, &config, &result, &err));
    cr_expect_eq(result.fault, RP_FAULT_STACK, "%s", err.text);
    cr_expect_not_null(strstr(err.text, "is exhausted"), "%s", err.text);
    *r = 200;
    config.stack_bytes = 128 << 10;
    cr_assert(ptxas_run(c, m, "k", 1, 1, &config, &result, &err), "%s", err.text);
    cr_expect_eq(*r, 20100u);
    rp_device_free(c);
}
