/* module_schedule: which instructions change places and which are joined, and random programs that access the same few
 * words through several registers and spaces: they must leave the same memory in both orders. */
#include <criterion/criterion.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "frontend/host/launch.h"
#include "tests/unit/ptx/support.h"

enum { PROGRAMS = 300, LINES = 60, WORDS = 64, REGISTERS = 12, ROOM = 32768 };

struct text {
    char at[ROOM];
    size_t length;
};

/* ---- what the order is ---- */

static const char head[] =
    ".visible .entry k(.param .u64 p, .param .u64 q) { .reg .b32 %r<20>; .reg .f32 %f<20>; .reg .b64 %rd<8>; "
    ".reg .pred %p<4>; .shared .align 16 .b8 s[256];\n"
    "ld.param.u64 %rd1, [p]; ld.param.u64 %rd2, [q]; mov.u64 %rd3, s; mov.u32 %r19, %tid.x; bar.sync 0;\n";

/* The kernel of `head` and this code, scheduled. */
static struct program *scheduled(const char *code, struct module **m)
{
    struct rp_error err;
    char body[4000];
    snprintf(body, sizeof body, "%s%s }", head, code);
    *m = load_body(body);
    cr_assert(module_schedule(*m, &err));
    struct program *p = module_find(*m, "k", &err);
    cr_assert(p, "%s", err.text);
    return p;
}

/* The place of the first instruction that begins so; the test fails if there is none. */
static uint32_t place_of(const struct program *p, const char *begins)
{
    for (uint32_t i = 0; i < p->kernel.instruction_count; i++)
        if (!strncmp(p->kernel.instructions[i].text, begins, strlen(begins)))
            return i;
    cr_assert(false, "no '%s'", begins);
    return 0;
}

static bool has(const struct program *p, const char *begins)
{
    for (uint32_t i = 0; i < p->kernel.instruction_count; i++)
        if (!strncmp(p->kernel.instructions[i].text, begins, strlen(begins)))
            return true;
    return false;
}

/* Whether instruction `a` stands before `b` in the new order. */
static bool is_before(const char *code, const char *a, const char *b)
{
    struct module *m;
    const struct program *p = scheduled(code, &m);
    bool before = place_of(p, a) < place_of(p, b);
    module_free(m);
    return before;
}

Test(scheduled, loads_come_early)
{
    cr_expect(is_before("add.u32 %r1, %r19, 1; add.u32 %r2, %r1, 1; ld.global.u32 %r3, [%rd1]; add.u32 %r4, %r3, %r2; "
                        "st.global.u32 [%rd1], %r4;",
                        "ld.global.u32", "add.u32 %r1"));
}

/* A load and a store, which may be of the same word or not; the load's value is needed late, or the store's at once. */
#define LOAD_AFTER(store, load)                                                                                        \
    "add.u32 %r1, %r19, 1; mul.lo.u32 %r2, %r1, %r1; " store "; " load                                                 \
    "; add.u32 %r4, %r3, 1; st.global.u32 [%rd2+100], %r4;"

Test(scheduled, stores_that_may_meet_a_load)
{
    cr_expect(
        is_before(LOAD_AFTER("st.global.u32 [%rd1], %r2", "ld.global.u32 %r3, [%rd2]"), "st.global", "ld.global"));
    cr_expect(
        is_before(LOAD_AFTER("st.global.u32 [%rd1], %r2", "ld.global.u32 %r3, [%rd1+2]"), "st.global", "ld.global"));
    cr_expect(is_before(LOAD_AFTER("st.u32 [%rd1], %r2", "ld.shared.u32 %r3, [%rd3]"), "st.u32", "ld.shared"));
    cr_expect(is_before(LOAD_AFTER("st.shared.u32 [%rd3], %r2", "ld.u32 %r3, [%rd1]"), "st.shared", "ld.u32"));
    cr_expect(is_before(LOAD_AFTER("st.global.u32 [%rd1], %r2; add.u64 %rd1, %rd1, 4", "ld.global.u32 %r3, [%rd1+-4]"),
                        "st.global", "ld.global"));
}

Test(scheduled, stores_that_cannot_meet_a_load)
{
    cr_expect(
        is_before(LOAD_AFTER("st.global.u32 [%rd1], %r2", "ld.global.u32 %r3, [%rd1+4]"), "ld.global", "st.global"));
    cr_expect(
        is_before(LOAD_AFTER("st.shared.u32 [%rd3], %r2", "ld.global.u32 %r3, [%rd1]"), "ld.global", "st.shared"));
    cr_expect(
        is_before(LOAD_AFTER("st.global.u32 [%rd1], %r2", "ld.global.nc.u32 %r3, [%rd2]"), "ld.global", "st.global"));
}

Test(scheduled, what_orders_threads_stays)
{
    static const char *const between[] = {"barrier.sync 1",
                                          "membar.gl",
                                          "fence.sc.cta",
                                          "atom.global.add.u32 %r9, [%rd2], 1",
                                          "red.global.add.u32 [%rd2], 1",
                                          "ld.volatile.global.u32 %r9, [%rd2]",
                                          "st.volatile.global.u32 [%rd2], %r1",
                                          "ld.acquire.gpu.global.u32 %r9, [%rd2]",
                                          "shfl.sync.idx.b32 %r9, %r1, 0, 31, -1",
                                          "mov.u32 %r9, %clock",
                                          "bar.warp.sync -1"};
    for (size_t i = 0; i < sizeof between / sizeof *between; i++) {
        char code[600];
        snprintf(code, sizeof code, "%s; %s; %s", "mul.lo.u32 %r1, %r19, %r19", between[i],
                 "ld.global.u32 %r3, [%rd1]; add.u32 %r4, %r3, %r1; st.global.u32 [%rd2+100], %r4;");
        cr_expect(is_before(code, "mul.lo", between[i]) && is_before(code, between[i], "ld.global.u32 %r3"), "%s",
                  between[i]);
    }
}

/* ---- what is joined ---- */

static bool joins(const char *code, const char *to)
{
    struct module *m;
    bool yes = has(scheduled(code, &m), to);
    module_free(m);
    return yes;
}

#define USE "add.f32 %f9, %f1, %f2; add.f32 %f9, %f9, %f3; add.f32 %f9, %f9, %f4; st.global.f32 [%rd1], %f9;"

Test(scheduled, joined)
{
    cr_expect(joins("ld.shared.f32 %f1, [%rd3]; ld.shared.f32 %f2, [%rd3+4]; ld.shared.f32 %f3, [%rd3+8]; "
                    "ld.shared.f32 %f4, [%rd3+12]; " USE,
                    "ld.shared.v4.f32 {%f1, %f2, %f3, %f4}, [%rd3]"));
    /* another order, a known distance from 16 bytes, and an index */
    cr_expect(
        joins("shl.b32 %r1, %r19, 4; cvt.u64.u32 %rd4, %r1; add.u64 %rd5, %rd3, %rd4; ld.shared.f32 %f2, [%rd5+20]; "
              "ld.shared.f32 %f1, [%rd5+16]; mov.f32 %f3, %f1; mov.f32 %f4, %f2; " USE,
              "ld.shared.v2.f32 {%f1, %f2}, [%rd5+16]"));
    cr_expect(joins("mov.f32 %f1, 0f00000000; st.shared.f32 [%rd3+8], %f1; st.shared.f32 [%rd3+12], %f1;",
                    "st.shared.v2.f32 [%rd3+8], {%f1, %f1}"));
    cr_expect(joins("setp.eq.u32 %p1, %r19, 0; @%p1 ld.shared.f32 %f1, [s+24]; @%p1 ld.shared.f32 %f2, [s+28]; "
                    "mov.f32 %f3, %f1; mov.f32 %f4, %f2; " USE,
                    "@%p1 ld.shared.v2.f32 {%f1, %f2}, [s+24]"));
}

Test(scheduled, not_joined)
{
#define ALONE "mov.f32 %f3, %f1; mov.f32 %f4, %f2; " USE
    /* nothing is known of a parameter's bits */
    cr_expect(!joins("ld.global.f32 %f1, [%rd2]; ld.global.f32 %f2, [%rd2+4]; " ALONE, "ld.global.v2"));
    /* not a multiple of 8 bytes */
    cr_expect(!joins("ld.shared.f32 %f1, [%rd3+4]; ld.shared.f32 %f2, [%rd3+8]; " ALONE, "ld.shared.v2"));
    cr_expect(!joins("shl.b32 %r1, %r19, 2; cvt.u64.u32 %rd4, %r1; add.u64 %rd5, %rd3, %rd4; "
                     "ld.shared.f32 %f1, [%rd5]; ld.shared.f32 %f2, [%rd5+4]; " ALONE,
                     "ld.shared.v2"));
    /* a store in between, a barrier, another type, another guard */
    cr_expect(
        !joins("ld.shared.f32 %f1, [%rd3]; st.u32 [%rd2], %r19; ld.shared.f32 %f2, [%rd3+4]; " ALONE, "ld.shared.v2"));
    cr_expect(!joins("ld.shared.f32 %f1, [%rd3]; bar.sync 0; ld.shared.f32 %f2, [%rd3+4]; " ALONE, "ld.shared.v2"));
    cr_expect(
        !joins("ld.shared.f32 %f1, [%rd3]; ld.shared.u32 %r2, [%rd3+4]; mov.b32 %f2, %r2; " ALONE, "ld.shared.v2"));
    cr_expect(!joins("setp.eq.u32 %p1, %r19, 0; mov.f32 %f1, 0f00000000; @%p1 ld.shared.f32 %f1, [s]; "
                     "ld.shared.f32 %f2, [s+4]; " ALONE,
                     "@%p1 ld.shared.v2"));
    /* the second one's result is read in between; the base changes */
    cr_expect(!joins("mov.f32 %f2, 0f3f800000; ld.shared.f32 %f1, [%rd3]; st.global.f32 [%rd1+8], %f2; "
                     "ld.shared.f32 %f2, [%rd3+4]; " ALONE,
                     "ld.shared.v2"));
    cr_expect(!joins("ld.shared.f32 %f1, [%rd3]; add.u64 %rd3, %rd3, 16; ld.shared.f32 %f2, [%rd3+4]; " ALONE,
                     "ld.shared.v2"));
}

/* ---- registers ---- */

static void add(struct text *t, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    t->length += (size_t)vsnprintf(t->at + t->length, ROOM - t->length, format, list);
    va_end(list);
    cr_assert(t->length < ROOM);
}

/* The estimate for a kernel that loads `values` values, and adds them up in the order in which it loads them, or behind
 * a barrier. */
static uint32_t registers_of(uint32_t values, bool barrier)
{
    static struct text t;
    struct module *m;
    t.length = 0;
    add(&t, ".visible .entry k(.param .u64 p) { .reg .f32 %%f<300>; .reg .b64 %%rd<2>; ld.param.u64 %%rd1, [p];\n");
    for (uint32_t i = 0; i < values; i++)
        add(&t, "ld.global.f32 %%f%u, [%%rd1+%u];\n", i, 4 * i);
    add(&t, barrier ? "bar.sync 0;\n" : "");
    for (uint32_t i = 1; i < values; i++)
        add(&t, "add.f32 %%f0, %%f0, %%f%u;\n", i);
    add(&t, "st.global.f32 [%%rd1], %%f0; }");
    uint32_t registers = only_program(t.at, &m)->kernel.registers;
    module_free(m);
    return registers;
}

/* Assemblers load values when they need them rather than run out of registers. */
Test(scheduled, estimate)
{
    cr_expect_eq(registers_of(40, false), 40 + 2 + 2); /* the values, the address, and two that compilers keep */
    cr_expect_eq(registers_of(200, false), 64);
    cr_expect_eq(registers_of(200, true), 200 + 2 + 2);
    cr_expect_eq(registers_of(290, true), 255);
}

/* ---- what kernels compute ---- */

/* Random accesses: rd1 and rd2 are 16 bytes apart in global memory, rd3 and rd4 in shared memory; rd5 is rd4 in the
 * generic space. */
static void add_access(struct text *t, uint64_t *seed)
{
    static const struct {
        const char *space, *base;
    } ways[] = {{".global", "%rd1"}, {".global", "%rd2"}, {".shared", "%rd3"},
                {".shared", "%rd4"}, {".shared", "s"},    {"", "%rd5"}};
    uint32_t way = next_random(seed, sizeof ways / sizeof *ways), r = 1 + next_random(seed, REGISTERS);
    uint32_t offset = 4 * next_random(seed, 8);
    if (next_random(seed, 4) == 0)
        add(t, "@%s%%p1 ", next_random(seed, 2) ? "!" : "");
    if (next_random(seed, 2))
        add(t, "ld%s.u32 %%r%u, [%s+%u];\n", ways[way].space, r, ways[way].base, offset);
    else
        add(t, "st%s.u32 [%s+%u], %%r%u;\n", ways[way].space, ways[way].base, offset, r);
}

static void add_line(struct text *t, uint64_t *seed)
{
    uint32_t d = 1 + next_random(seed, REGISTERS), a = 1 + next_random(seed, REGISTERS),
             b = 1 + next_random(seed, REGISTERS);
    switch (next_random(seed, 14)) {
    case 0: add(t, "mad.lo.u32 %%r%u, %%r%u, %%r%u, %u;\n", d, a, b, a); break;
    case 1: add(t, "setp.lt.u32 %%p1, %%r%u, %%r%u;\n", a, b); break;
    case 2: add(t, "add.cc.u32 %%r%u, %%r%u, %%r%u; addc.u32 %%r%u, %%r%u, 0;\n", d, a, b, a, b); break;
    case 3: add(t, "@%%p1 xor.b32 %%r%u, %%r%u, %%r%u;\n", d, a, b); break;
    case 4: add(t, next_random(seed, 2) ? "add.u64 %%rd2, %%rd1, 16;\n" : "add.u64 %%rd2, %%rd1, 8;\n"); break;
    case 5:
        add(t, next_random(seed, 8) ? "mov.u32 %%r%u, %%r%u;\n" : "bar.sync 0; mov.u32 %%r%u, %%r%u;\n", d, a);
        break;
    case 6: add(t, "atom.global.add.u32 %%r%u, [%%rd1+%u], %%r%u;\n", d, 4 * next_random(seed, 8), b); break;
    default: add_access(t, seed);
    }
}

static const char *random_body(struct text *t, uint64_t *seed)
{
    t->length = 0;
    add(t, ".visible .entry k(.param .u64 p) { .reg .b32 %%r<20>; .reg .b64 %%rd<8>; .reg .pred %%p<4>; "
           ".shared .align 16 .b8 s[256];\nld.param.u64 %%rd1, [p]; add.u64 %%rd2, %%rd1, 16; mov.u64 %%rd3, s; "
           "add.u64 %%rd4, %%rd3, 16; cvta.shared.u64 %%rd5, %%rd4; setp.eq.u64 %%p1, %%rd1, 0;\n");
    for (uint32_t i = 0; i < 16; i++)
        add(t, "st.shared.u32 [s+%u], %u;\n", 4 * i, 1000 + i);
    for (uint32_t r = 1; r <= REGISTERS; r++)
        add(t, "mov.u32 %%r%u, %u;\n", r, 77 * r);
    for (uint32_t i = 0; i < LINES; i++)
        add_line(t, seed);
    for (uint32_t r = 1; r <= REGISTERS; r++)
        add(t, "st.global.u32 [%%rd1+%u], %%r%u;\n", 128 + 4 * r, r);
    for (uint32_t i = 0; i < 16; i++)
        add(t, "ld.shared.u32 %%r1, [s+%u]; st.global.u32 [%%rd1+%u], %%r1;\n", 4 * i, 192 + 4 * i);
    add(t, "}");
    return t->at;
}

/* Runs the kernel with one thread on words 0, 1, 2, ..., which become what it leaves. */
static void run(const char *body, bool in_order, uint32_t *words)
{
    struct rp_error err;
    struct rp_device *d = rp_device_new(&err);
    char *text = malloc(strlen(HEADER) + strlen(body) + 1);
    strcat(strcpy(text, HEADER), body);
    struct module *m = rp_device_load_bytes(d, "k.ptx", text, strlen(text), &err);
    cr_assert(m && (in_order || module_schedule(m, &err)), "%s\n%s", err.text, body);
    struct program *p = module_find(m, "k", &err);
    cr_assert(p, "%s\n%s", err.text, body);
    uint64_t at = rp_alloc(d, WORDS * sizeof *words, "words", &err);
    for (uint32_t i = 0; i < WORDS; i++)
        words[i] = i;
    memcpy(rp_host(d, at, WORDS * sizeof *words), words, WORDS * sizeof *words);
    const struct rp_launch_config config = {.grid = {1, 1, 1}, .block = {1, 1, 1}, .params = &at, .threads = 1};
    struct rp_launch_result result;
    cr_assert(rp_launch_kernel(d, p, &config, &result, &err), "%s\n%s", err.text, body);
    memcpy(words, rp_host(d, at, WORDS * sizeof *words), WORDS * sizeof *words);
    rp_device_free(d);
    free(text);
}

Test(scheduled, random_programs)
{
    static struct text t;
    uint64_t seed = 32;
    for (uint32_t i = 0; i < PROGRAMS; i++) {
        uint32_t expected[WORDS], found[WORDS];
        const char *body = random_body(&t, &seed);
        run(body, true, expected);
        run(body, false, found);
        cr_assert_arr_eq(found, expected, sizeof found, "program %u:\n%s", i, body);
    }
}
