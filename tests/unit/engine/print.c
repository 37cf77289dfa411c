/* printf, assert, malloc and free as kernels use them. */
#include <criterion/criterion.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "rig.h"

#define EXTERNS                                                                                                        \
    ".extern .func (.param .b32 r) vprintf(.param .b64 f, .param .b64 a);\n"                                           \
    ".extern .func __assertfail(.param .b64 m, .param .b64 f, .param .b32 l, .param .b64 n, .param .b64 c);\n"         \
    ".extern .func (.param .b64 r) malloc(.param .b64 n);\n.extern .func free(.param .b64 p);\n"
#define HEAD                                                                                                           \
    ".visible .entry k(.param .u64 a)\n{\n"                                                                            \
    ".reg .b32 %r<30>; .reg .b64 %rd<30>; .reg .f64 %d<4>; .reg .pred %p<4>; .local .align 8 .b8 args[128];\n"         \
    "ld.param.u64 %rd1, [a]; mov.u32 %r1, %tid.x; mov.u32 %r2, %ctaid.x; mov.u32 %r3, %ntid.x;\n"                      \
    "mad.lo.u32 %r4, %r2, %r3, %r1;\n"
#define PRINT                                                                                                          \
    "mov.u64 %rd10, args; cvta.local.u64 %rd10, %rd10; mov.u64 %rd11, format; cvta.global.u64 %rd11, %rd11;\n"         \
    "{ .param .b64 f; .param .b64 v; .param .b32 r; st.param.b64 [f], %rd11; st.param.b64 [v], %rd10;\n"               \
    "call.uni (r), vprintf, (f, v); ld.param.b32 %r20, [r]; }\n"
#define TAIL "ret;\n}\n"

static const uint64_t bytes[] = {4096};

/* A .global string, as bytes. */
static char *global_string(const char *name, const char *text)
{
    char *out = malloc(8 * strlen(text) + 128), *at = out;
    at += sprintf(at, ".global .align 1 .b8 %s[%zu] = {", name, strlen(text) + 1);
    for (const char *c = text; *c; c++)
        at += sprintf(at, "%d, ", (unsigned char)*c);
    sprintf(at, "0};\n");
    return out;
}

/* All of them, one after the other; NULL ends the list. */
static char *join(const char *first, ...)
{
    char *out = NULL;
    size_t size;
    FILE *f = open_memstream(&out, &size);
    va_list args;
    va_start(args, first);
    for (const char *s = first; s; s = va_arg(args, const char *))
        fputs(s, f);
    va_end(args);
    fclose(f);
    return out;
}

/* Runs a kernel that prints `format` once per thread, and returns what it printed. */
static char *printed(const char *format, const char *setup, uint32_t grid, uint32_t block, unsigned threads)
{
    char *string = global_string("format", format), *body, *text = NULL;
    size_t size;
    struct rig r;
    body = join(EXTERNS, string, HEAD, setup, PRINT TAIL, NULL);
    rig_open(&r, body, 1, bytes);
    r.config.output = open_memstream(&text, &size);
    r.config.threads = threads;
    cr_assert(rig_run(&r, grid, block), "%s", r.err.text);
    fclose(r.config.output);
    rig_close(&r);
    free(string);
    free(body);
    return text;
}

static void expect(const char *format, const char *setup, const char *wanted)
{
    char *text = printed(format, setup, 1, 1, 1);
    cr_assert_str_eq(text, wanted);
    free(text);
}

#define U32(n, at) "mov.u32 %r5, " n "; st.local.u32 [args+" at "], %r5;\n"
#define U64(n, at) "mov.u64 %rd5, " n "; st.local.u64 [args+" at "], %rd5;\n"
#define F64(n, at) "mov.f64 %d1, " n "; st.local.f64 [args+" at "], %d1;\n"

Test(print, integers) /* 4-byte arguments lie 4 bytes apart, 8-byte ones at multiples of 8 */
{
    char wanted[300];
    snprintf(wanted, sizeof wanted, "%d|%5u|%-6x|%#o|%+i|%08d|%c|%%\n", -5, 77u, 0xbeefu, 8u, 9, -42, 'z');
    expect("%d|%5u|%-6x|%#o|%+i|%08d|%c|%%\n",
           U32("-5", "0") U32("77", "4") U32("0xbeef", "8") U32("8", "12") U32("9", "16") U32("-42", "20")
               U32("122", "24"),
           wanted);
    snprintf(wanted, sizeof wanted, "%lld %lu %hd %hhu %X", -(1LL << 40), 1ul << 63, (short)-2, (unsigned char)250,
             255u);
    expect("%lld %lu %hd %hhu %X",
           U64("-1099511627776", "0") U64("0x8000000000000000", "8") U32("0x1fffe", "16") U32("0x1fa", "20")
               U32("255", "24"),
           wanted);
    expect("%*d|%-*d|%.*f", U32("6", "0") U32("42", "4") U32("5", "8") U32("7", "12") U32("2", "16") F64("1.5", "24"),
           "    42|7    |1.50");
}

Test(print, floats)
{
    char wanted[300];
    snprintf(wanted, sizeof wanted, "%f %e %g %a %10.3f %-8.1e| %G", 1.5, -2.25e10, 1e-5, 0.1, 3.14159, 12345.0,
             INFINITY);
    expect("%f %e %g %a %10.3f %-8.1e| %G",
           F64("1.5", "0") F64("-2.25e10", "8") F64("1e-5", "16") F64("0d3FB999999999999A", "24") F64("3.14159", "32")
               F64("12345.0", "40") F64("0d7FF0000000000000", "48"),
           wanted);
}

Test(print, strings_pointers_and_nonsense)
{
    expect("[%s] [%5s] [%.2s]",
           "mov.u64 %rd5, format; cvta.global.u64 %rd5, %rd5; st.local.u64 [args], %rd5; add.u64 %rd5, %rd5, 14;\n"
           "st.local.u64 [args+8], %rd5; add.u64 %rd5, %rd5, -12; st.local.u64 [args+16], %rd5;\n",
           "[[%s] [%5s] [%.2s]] [  2s]] [s]]"); /* the string itself, its end, two letters of its middle */
    expect("%s", U64("0", "0"), "(null)");
    expect("%p", U64("0x1234", "0"), "0x1234");
    expect("100%", "", "100%");
    expect("%y %d", U32("3", "0"), "%y 3");
    expect("", "", "");
}

Test(print, blocks_and_threads_print_in_order)
{
    char wanted[8192], *at = wanted;
    for (int i = 0; i < 4 * 40; i++)
        at += sprintf(at, "%d.%d\n", i / 40, i % 40);
    for (unsigned threads = 1; threads <= 3; threads += 2) {
        char *text = printed("%d.%d\n", "st.local.u32 [args], %r2; st.local.u32 [args+4], %r1;\n", 4, 40, threads);
        cr_assert_str_eq(text, wanted);
        free(text);
    }
}

Test(print, assertions_fail_with_their_message)
{
    char *m = global_string("message", "x > 0"), *f = global_string("file", "a.cu"),
         *n = global_string("fn", "void k()");
    char *body;
    struct rig r;
    body = join(EXTERNS, m, f, n, HEAD,
                "setp.ne.u32 %p1, %r4, 70; @%p1 ret;\n"
                "mov.u64 %rd2, message; cvta.global.u64 %rd2, %rd2; mov.u64 %rd3, file;\n"
                "cvta.global.u64 %rd3, %rd3; mov.u64 %rd4, fn; cvta.global.u64 %rd4, %rd4;\n"
                "{ .param .b64 m; .param .b64 f; .param .b32 l; .param .b64 n; .param .b64 c;\n"
                "st.param.b64 [m], %rd2; st.param.b64 [f], %rd3; st.param.b32 [l], 12;\n"
                "st.param.b64 [n], %rd4; st.param.b64 [c], 1; call.uni __assertfail, (m, f, l, n, c); }\n" TAIL,
                NULL);
    rig_open(&r, body, 1, bytes);
    r.config.threads = 2;
    rig_expect_fault(&r, 4, 32, RP_FAULT_ASSERT, "assertion failed: a.cu:12: void k(): assertion 'x > 0'");
    cr_assert_not_null(strstr(r.err.text, "block (2,0,0), thread (6,0,0)"));
    rig_close(&r);
    free(m), free(f), free(n), free(body);
}

#define MALLOC(n, to)                                                                                                  \
    "{ .param .b64 n; .param .b64 r; st.param.b64 [n], " n "; call.uni (r), malloc, (n); ld.param.b64 " to ", [r]; "   \
    "}\n"
#define FREE(p) "{ .param .b64 p; st.param.b64 [p], " p "; call.uni free, (p); }\n"

Test(print, the_device_heap_gives_and_takes_back)
{
    struct rig r;
    rig_open(&r,
             EXTERNS HEAD MALLOC(
                 "64", "%rd2") "st.u32 [%rd2+60], %r4; ld.u32 %r5, [%rd2+60]; mad.wide.u32 %rd3, %r4, 4, %rd1;\n"
                               "st.global.u32 [%rd3], %r5;\n" FREE("%rd2")
                                   MALLOC("100000000", "%rd4") "setp.ne.u64 %p1, %rd4, 0; @%p1 trap;\n" TAIL,
             1, bytes);
    cr_assert(rig_run(&r, 4, 64), "%s", r.err.text);
    for (uint32_t i = 0; i < 256; i++)
        cr_assert_eq(((uint32_t *)r.host[0])[i], i);
    rig_close(&r);
    rig_open(&r, EXTERNS HEAD MALLOC("64", "%rd2") "st.u32 [%rd2+64], 1;\n" TAIL, 1, bytes);
    rig_expect_fault(&r, 1, 1, RP_FAULT_BOUNDS, "0 bytes past the end of device heap (64 bytes)");
    rig_close(&r);
    rig_open(&r, EXTERNS HEAD MALLOC("64", "%rd2") FREE("%rd2") "ld.u32 %r5, [%rd2+8];\n" TAIL, 1, bytes);
    rig_expect_fault(&r, 1, 1, RP_FAULT_BOUNDS, "at byte 8 of 64 bytes of the device heap that were freed");
    rig_close(&r);
    rig_open(&r, EXTERNS HEAD MALLOC("64", "%rd2") FREE("%rd2") FREE("%rd2") TAIL, 1, bytes);
    rig_expect_fault(&r, 1, 1, RP_FAULT_FREE, "which was freed before");
    rig_close(&r);
    rig_open(&r, EXTERNS HEAD MALLOC("64", "%rd2") "add.u64 %rd2, %rd2, 8;" FREE("%rd2") TAIL, 1, bytes);
    rig_expect_fault(&r, 1, 1, RP_FAULT_FREE, "which malloc never gave");
    rig_close(&r);
    rig_open(&r, EXTERNS HEAD FREE("%rd1") TAIL, 1, bytes);
    rig_expect_fault(&r, 1, 1, RP_FAULT_FREE, "which malloc never gave");
    rig_close(&r);
}
