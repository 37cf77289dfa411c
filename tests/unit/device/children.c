/* Launches by kernels, in PTX that calls the device runtime by name; programs of nvcc: tests/cuda/nested. */
#include <stdio.h>
#include <string.h>

#include "common.h"

#define RUNTIME                                                                                                        \
    ".extern .func (.param .b64 at) __cudaCDP2GetParameterBufferV2(.param .b64 kernel,\n"                              \
    " .param .align 4 .b8 grid[12], .param .align 4 .b8 block[12], .param .b32 shared);\n"                             \
    ".extern .func (.param .b32 error) __cudaCDP2LaunchDeviceV2(.param .b64 at, .param .b64 stream);\n"                \
    ".extern .func (.param .b32 error) __cudaCDP2GetLastError();\n"                                                    \
    ".extern .func (.param .b32 error) __cudaCDP2PeekAtLastError();\n"
#define REGISTERS ".reg .b32 %r<9>; .reg .b64 %rd<9>; .reg .pred %p<3>;\n"
/* %rd2 = parameters for a launch of the kernel in %rd1: %r1 blocks of %r2 threads */
#define GIVE                                                                                                           \
    "{ .param .align 4 .b8 g[12]; .param .align 4 .b8 b[12];\n"                                                        \
    "st.param.b32 [g], %r1; st.param.b32 [g+4], 1; st.param.b32 [g+8], 1;\n"                                           \
    "st.param.b32 [b], %r2; st.param.b32 [b+4], 1; st.param.b32 [b+8], 1;\n"                                           \
    "call (%rd2), __cudaCDP2GetParameterBufferV2, (%rd1, g, b, 0); }\n"
#define LAUNCH(stream) "call (%r3), __cudaCDP2LaunchDeviceV2, (%rd2, " stream ");\n"

/* Adds its word to a list, whose first word counts them. */
#define SAYS                                                                                                           \
    ".visible .entry says(.param .u64 list, .param .u64 word)\n{\n" REGISTERS                                          \
    "ld.param.u64 %rd3, [list]; ld.param.u32 %r5, [word]; atom.global.add.u32 %r4, [%rd3], 1;\n"                       \
    "mul.wide.u32 %rd4, %r4, 4; add.u64 %rd3, %rd3, %rd4; st.global.u32 [%rd3+4], %r5; ret;\n}\n"
/* Thread t of block b launches `says` with 100 b + 10 t and, as a tail launch, with 1 more. */
#define PARENT                                                                                                         \
    ".visible .entry parent(.param .u64 list)\n{\n" REGISTERS                                                          \
    "ld.param.u64 %rd3, [list]; mov.u32 %r5, %ctaid.x; mov.u32 %r6, %tid.x; mul.lo.u32 %r5, %r5, 100;\n"               \
    "mad.lo.u32 %r5, %r6, 10, %r5; cvt.u64.u32 %rd5, %r5; mov.u32 %r1, 1; mov.u32 %r2, 1; mov.u64 %rd1, says;\n" GIVE  \
    "st.u64 [%rd2], %rd3; st.u64 [%rd2+8], %rd5;\n" LAUNCH(                                                            \
        "0") "add.u64 %rd5, %rd5, 1;\n" GIVE "st.u64 [%rd2], %rd3; st.u64 [%rd2+8], %rd5;\n" LAUNCH("3") "ret;\n}\n"

static struct program *find(struct module *m, const char *name)
{
    struct rp_error err = {0};
    struct program *p = module_find(m, name, &err);
    cr_assert_not_null(p, "%s", err.text);
    return p;
}

static void record(struct test_trace *t, unsigned threads, uint32_t list[16])
{
    struct rp_error err = {0};
    struct rp_launch_result result;
    struct rp_device *d = new_device();
    struct module *m = load_text(d, "parent.ptx", RUNTIME SAYS PARENT);
    uint64_t params[] = {rp_alloc(d, 64, "list", &err), 7};
    struct rp_launch_config config = config_of(2, 3, params);
    begin_trace(t);
    config.writer = t->writer;
    config.threads = threads;
    cr_assert(rp_launch_kernel(d, find(m, "parent"), &config, &result, &err), "%s", err.text);
    cr_expect_eq(result.children, 12);
    cr_expect_str_eq(result.program->name, "parent");
    config.grid[0] = config.block[0] = 1;
    cr_assert(rp_launch_kernel(d, find(m, "says"), &config, &result, &err), "%s", err.text);
    cr_expect_eq(result.children, 0);
    memcpy(list, rp_host_read(d, params[0], 64), 64);
    end_trace(t);
    rp_device_free(d);
}

Test(children, come_after_their_parent_in_order_and_tails_after_them)
{
    static const uint32_t expected[] = {13, 0, 10, 20, 100, 110, 120, 1, 11, 21, 101, 111, 121, 7};
    struct test_trace one, two;
    uint32_t list[16];
    record(&one, 1, list);
    cr_expect_arr_eq(list, expected, sizeof expected);
    record(&two, 2, list);
    cr_expect(one.size == two.size && !memcmp(one.bytes, two.bytes, one.size));
    free_trace(&one);
    free_trace(&two);
}

/* Children of one block share a stream. Tail launches are in the stream of their parent. All begin after the parent has
 * ended. The next launch of the parent's stream begins after them. */
Test(children, are_in_streams_of_the_trace)
{
    struct test_trace t;
    uint32_t list[16];
    record(&t, 1, list);
    cr_assert_eq(rp_trace_launch_count(t.trace), 14);
    uint32_t first = rp_trace_launch(t.trace, 1)->stream, second = rp_trace_launch(t.trace, 4)->stream;
    cr_expect(first && second && first != second);
    for (uint32_t i = 0; i < 14; i++) {
        const struct rp_launch *l = rp_trace_launch(t.trace, i);
        cr_expect_eq(l->parent, i && i < 13, "launch %u", i);
        cr_expect_eq(l->stream, i == 0 || i > 6 ? 0 : i < 4 ? first : second, "launch %u", i);
        if (i == 1 || i == 4)
            cr_expect(l->dependency_count == 1 && l->dependencies[0] == 0);
        else if (i == 7)
            cr_expect(l->dependency_count == 2 && l->dependencies[0] == 3 && l->dependencies[1] == 6);
        else
            cr_expect_eq(l->dependency_count, 0, "launch %u", i);
    }
    free_trace(&t);
}

static char ran[40]; /* the kernel that the last result names, whose module is freed */

/* Runs a kernel of one thread whose only parameter is the address of 64 bytes, which it returns. */
static bool run(const char *text, uint32_t out[16], struct rp_launch_result *result, struct rp_error *err)
{
    struct rp_device *d = new_device();
    struct module *m = load_text(d, "kernels.ptx", text);
    uint64_t to = rp_alloc(d, 64, "words", err);
    struct rp_launch_config config = config_of(1, 1, &to);
    bool ok = rp_launch_kernel(d, find(m, "k"), &config, result, err);
    memcpy(out, rp_host_read(d, to, 64), 64);
    snprintf(ran, sizeof ran, "%s", result->program->name);
    rp_device_free(d);
    return ok;
}

#define KERNEL(body) ".visible .entry k(.param .u64 to)\n{\n" REGISTERS "ld.param.u64 %rd3, [to];\n" body "ret;\n}\n"
#define NOTHING ".visible .entry nothing()\n{\nret;\n}\n"

Test(children, what_cannot_be_launched_is_an_error_of_the_thread)
{
    static const uint32_t expected[] = {98, 98, 0, 1, 9, 9, 0};
    struct rp_launch_result result;
    struct rp_error err = {0};
    uint32_t out[16];
    cr_assert(run(RUNTIME NOTHING KERNEL(
                      "mov.u32 %r1, 1; mov.u32 %r2, 1; mov.u64 %rd1, 4;\n" GIVE /* no kernel is there */
                      "call (%r3), __cudaCDP2PeekAtLastError, (); st.u32 [%rd3], %r3;\n"
                      "call (%r3), __cudaCDP2GetLastError, (); st.u32 [%rd3+4], %r3;\n"
                      "call (%r3), __cudaCDP2GetLastError, (); st.u32 [%rd3+8], %r3;\n" LAUNCH("0") /* no parameters */
                      "st.u32 [%rd3+12], %r3;\n"
                      "mov.u32 %r2, 2000; mov.u64 %rd1, nothing;\n" GIVE LAUNCH("0") /* too many threads */
                      "st.u32 [%rd3+16], %r3;\n"
                      "call (%r3), __cudaCDP2GetLastError, (); st.u32 [%rd3+20], %r3;\n" LAUNCH("0") /* once more */
                      "mov.u32 %r2, 1;\n" GIVE LAUNCH("0") "st.u32 [%rd3+24], %r3;\n" GIVE),
                  out, &result, &err),
              "%s", err.text);
    cr_expect_arr_eq(out, expected, sizeof expected);
    cr_expect_eq(result.children, 1);
}

/* A kernel that frees the parameters has a fault; so has one whose child has. */
Test(children, faults)
{
    struct rp_launch_result result;
    struct rp_error err = {0};
    uint32_t out[16];
    cr_expect_not(run(RUNTIME NOTHING ".extern .func free(.param .b64 at);\n" KERNEL(
                          "mov.u32 %r1, 1; mov.u32 %r2, 1; mov.u64 %rd1, nothing;\n" GIVE "call free, (%rd2);\n"),
                      out, &result, &err));
    cr_expect(strstr(err.text, "bad free"), "%s", err.text);
    cr_expect_not(run(RUNTIME ".visible .entry bad()\n{\n.reg .b64 %rd<2>; mov.u64 %rd1, 8; st.global.u64 [%rd1], %rd1;"
                              " ret;\n}\n" KERNEL("mov.u32 %r1, 2; mov.u32 %r2, 1; mov.u64 %rd1, bad;\n" GIVE LAUNCH(
                                  "0") "st.u32 [%rd3], 5;\n"),
                      out, &result, &err));
    cr_expect(strstr(err.text, "kernel 'bad'"), "%s", err.text);
    cr_expect_str_eq(ran, "bad");
    cr_expect_eq(out[0], 5);
}

/* The kernel is not compiled before it is launched. */
Test(children, one_that_cannot_be_compiled_is_named)
{
    struct rp_launch_result result;
    struct rp_error err = {0};
    uint32_t out[16];
    cr_expect_not(run(RUNTIME ".extern .func missing();\n.visible .entry bad()\n{\ncall missing; ret;\n}\n" KERNEL(
                          "mov.u32 %r1, 1; mov.u32 %r2, 1; mov.u64 %rd1, bad;\n" GIVE),
                      out, &result, &err));
    cr_expect(strstr(err.text, "kernel 'k' launches 'bad': kernels.ptx:"), "%s", err.text);
    cr_expect_eq(err.status, RP_KERNEL);
}

/* A child that waits for another launch, and one that waits for ever. */
#define WAITS                                                                                                          \
    ".visible .entry waits(.param .u64 to)\n{\n" REGISTERS "ld.param.u64 %rd3, [to];\n"                                \
    "AGAIN: ld.volatile.global.u32 %r1, [%rd3]; setp.eq.u32 %p1, %r1, 0; @%p1 bra AGAIN;\n"                            \
    "st.global.u32 [%rd3+4], %r1; ret;\n}\n"
#define LAUNCHES_WAITS                                                                                                 \
    RUNTIME WAITS KERNEL("mov.u32 %r1, 1; mov.u32 %r2, 1; mov.u64 %rd1, waits;\n" GIVE                                 \
                         "st.u64 [%rd2], %rd3;\n" LAUNCH("0"))

static enum rp_launch_state drive(struct rp_running *r)
{
    enum rp_launch_state state;
    while ((state = rp_launch_drive(r)) == RP_LAUNCH_RUNS)
        ;
    return state;
}

Test(children, wait_as_launches_of_the_host_do)
{
    struct rp_launch_result result;
    struct rp_error err = {0};
    uint64_t memory;
    struct rp_device *d = new_device();
    struct module *m = load_text(d, "kernels.ptx", LAUNCHES_WAITS), *stores = load_text(d, "stores.ptx", STORES("42"));
    uint64_t to = rp_alloc(d, 64, "words", &err);
    struct rp_launch_config config = config_of(1, 1, &to);
    struct rp_running *r = rp_launch_begin(d, find(m, "k"), &config, &err);
    cr_assert_not_null(r, "%s", err.text);
    cr_assert_eq(drive(r), RP_LAUNCH_WAITS);
    cr_expect(rp_launch_listens(r, &memory));
    launch(d, stores, &config);
    cr_assert_eq(drive(r), RP_LAUNCH_DONE);
    cr_assert(rp_launch_end(r, &result, &err), "%s", err.text);
    cr_expect_eq(((const uint32_t *)rp_host_read(d, to, 64))[1], 42);
    memset(rp_host(d, to, 64), 0, 64);
    cr_expect_not(rp_launch_kernel(d, find(m, "k"), &config, &result, &err));
    cr_expect_eq(result.fault, RP_FAULT_LIVELOCK);
    memset(rp_host(d, to, 64), 0, 64); /* one that is open when the device ends */
    r = rp_launch_begin(d, find(m, "k"), &config, &err);
    cr_assert_eq(drive(r), RP_LAUNCH_WAITS);
    rp_device_free(d);
}
