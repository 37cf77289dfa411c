/* The approximate functions on many inputs, on the engine and, through judge.c, on a GPU: f32 on 2^20 drawn ones (the
 * upper 20 bits are all there are, the lower ones drawn), f16 and bf16 on all. GPU_DISTANCES=0 has found.c keep how far
 * the GPU's results are from the engine's. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <criterion/criterion.h>

#include "frontend/host/launch.h"

enum { COUNT = 1 << 20, HALVES = 1 << 16, THREADS = 256, TEXT = 65536 };

static const char head[] = ".version 8.0\n.target sm_90\n.address_size 64\n";
/* %x is the input's bits and %y the result's. */
static const char kernel[] =
    ".visible .entry %s(.param .u64 out) {\n.reg .b64 %%o, %%a; .reg .b32 %%i, %%t, %%n, %%x, %%y, %%h; .reg .f32 %%f, "
    "%%g; "
    ".reg .f64 %%d, %%e; .reg .b16 %%b, %%c;\n"
    "ld.param.u64 %%o, [out]; mov.u32 %%i, %%ctaid.x; mov.u32 %%n, %%ntid.x; mov.u32 %%t, %%tid.x;\n"
    "mad.lo.u32 %%i, %%i, %%n, %%t; mul.wide.u32 %%a, %%i, 4; add.u64 %%o, %%o, %%a;\n%s\nst.global.b32 [%%o], %%y; "
    "ret; }\n";
static const char draw[] =
    "mul.lo.u32 %h, %i, 0x9e3779b1; shr.u32 %x, %h, 15; xor.b32 %h, %h, %x; mul.lo.u32 %h, %h, 0x85ebca77; "
    "shr.u32 %h, %h, 20; shl.b32 %x, %i, 12; or.b32 %x, %x, %h; mov.b32 %f, %x;";

static const char *const singles[] = {"ex2.approx",  "ex2.approx.ftz",  "lg2.approx",   "lg2.approx.ftz",
                                      "rcp.approx",  "rcp.approx.ftz",  "rsqrt.approx", "rsqrt.approx.ftz",
                                      "sqrt.approx", "sqrt.approx.ftz", "sin.approx",   "sin.approx.ftz",
                                      "cos.approx",  "cos.approx.ftz",  "tanh.approx"};
static const char *const halves[] = {"ex2.approx.f16", "tanh.approx.f16", "ex2.approx.ftz.bf16", "tanh.approx.bf16"};
static const char *const doubles[] = {"rcp.approx.ftz.f64", "rsqrt.approx.ftz.f64", "rsqrt.approx.f64"};

static void name_of(char name[64], char kind, const char *op)
{
    snprintf(name, 64, "%c_%s", kind, op);
    for (char *at = name; (at = strchr(at, '.'));)
        *at = '_';
}

static void run(const char *name, const char *body, uint32_t count)
{
    static char text[TEXT];
    struct rp_error err = {0};
    int n = snprintf(text, TEXT, "%s", head);
    n += snprintf(text + n, TEXT - (size_t)n, kernel, name, body);
    struct rp_device *d = rp_device_new(&err);
    struct module *m = d ? rp_device_load_bytes(d, "functions.ptx", text, (size_t)n, &err) : NULL;
    struct program *p = m ? module_find(m, name, &err) : NULL;
    cr_assert(p, "%s: %s", name, err.text);
    uint64_t out = rp_alloc(d, 4ull * count, "out", &err);
    const struct rp_launch_config c = {
        .grid = {count / THREADS, 1, 1}, .block = {THREADS, 1, 1}, .params = &out, .threads = 1};
    struct rp_launch_result r;
    cr_expect(rp_launch_kernel(d, p, &c, &r, &err), "%s: %s", name, err.text);
    rp_device_free(d);
}

#define EACH(list, i) for (size_t i = 0; i < sizeof list / sizeof *list; i++)

Test(functions, single)
{
    char name[64], body[1024];
    EACH(singles, i)
    {
        name_of(name, 's', singles[i]);
        snprintf(body, sizeof body, "%s %s.f32 %%g, %%f; mov.b32 %%y, %%g;", draw, singles[i]);
        run(name, body, COUNT);
    }
}

Test(functions, half)
{
    char name[64], body[1024];
    EACH(halves, i)
    {
        name_of(name, 'h', halves[i]);
        snprintf(body, sizeof body, "cvt.u16.u32 %%b, %%i; %s %%c, %%b; cvt.u32.u16 %%y, %%c;", halves[i]);
        run(name, body, HALVES);
    }
}

/* The upper word of a double is drawn, the lower one is 0: so are the results. */
Test(functions, double_)
{
    char name[64], body[1024];
    EACH(doubles, i)
    {
        name_of(name, 'd', doubles[i]);
        snprintf(body, sizeof body, "%s mov.b64 %%d, {0, %%x}; %s %%e, %%d; mov.b64 {%%h, %%y}, %%e;", draw,
                 doubles[i]);
        run(name, body, COUNT);
    }
}
