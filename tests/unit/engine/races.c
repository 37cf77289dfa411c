/* Random kernels whose blocks may or may not get in each other's way: loads, stores and atomics of all widths, to
 * words of their own and of others, with addresses that depend on what was loaded. Whatever they do, memory and trace
 * are the same at any number of threads, and memory is what the blocks leave when they run one after the other (which
 * reading the clock enforces). */
#include <criterion/criterion.h>
#include <stdarg.h>
#include <string.h>

#include "rig.h"
#include "tests/support/kernel_case.h"

enum { BLOCKS = 130, THREADS = 32, COUNT = BLOCKS * THREADS, ROUNDS = 90 };
static const uint64_t bytes[] = {8 * COUNT, 8 * COUNT};

struct text {
    char at[8192];
    size_t used;
};

__attribute__((format(printf, 2, 3))) static void say(struct text *t, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    t->used += (size_t)vsnprintf(t->at + t->used, sizeof t->at - t->used, format, args);
    va_end(args);
    cr_assert_lt(t->used, sizeof t->at);
}

/* %r8: a number below COUNT that chooses a place. %r1: thread in the grid, %r2: block, %r3: thread in the block,
 * %r10: depends on what was loaded so far. */
static void choose_place(struct text *t, uint64_t *seed, uint32_t risk)
{
    if (random_below(seed, 100) >= risk) {
        say(t, "mov.u32 %%r8, %%r1;\n");
        return;
    }
    switch (random_below(seed, 6)) {
    case 0: say(t, "mov.u32 %%r8, %u;\n", random_below(seed, COUNT)); break;
    case 1: say(t, "add.u32 %%r8, %%r1, %d; rem.u32 %%r8, %%r8, %d;\n", THREADS, COUNT); break;
    case 2: say(t, "mul.lo.u32 %%r8, %%r2, %u; rem.u32 %%r8, %%r8, %d;\n", random_below(seed, 9), COUNT); break;
    case 3: say(t, "sub.u32 %%r8, %d, %%r1;\n", COUNT - 1); break;
    case 4: say(t, "mad.lo.u32 %%r8, %%r2, %d, %%r10; rem.u32 %%r8, %%r8, %d;\n", THREADS, COUNT); break;
    default: say(t, "mad.lo.u32 %%r8, %%r1, 7, %u; rem.u32 %%r8, %%r8, %d;\n", random_below(seed, 64), COUNT); break;
    }
}

static const struct {
    const char *type, *value;
    unsigned bytes;
} widths[] = {{"u8", "%r9", 1},
              {"u16", "%r9", 2},
              {"u32", "%r9", 4},
              {"u64", "%rd9", 8},
              {"v2.u32", "{%r9, %r11}", 8},
              {"v4.u16", "{%rs1, %rs2, %rs1, %rs2}", 8}};

/* One access by the lanes of some blocks. */
static void add_access(struct text *t, uint64_t *seed, uint32_t risk)
{
    static const char *const operations[] = {"add.u32", "min.s32", "or.b32", "inc.u32", "add.u64"};
    uint32_t w = random_below(seed, 6), step = random_below(seed, 2) ? 8 : widths[w].bytes;
    const char *space = random_below(seed, 3) ? ".global" : "";
    choose_place(t, seed, risk);
    say(t, "mad.wide.u32 %%rd3, %%r8, %u, %%rd%u;\n", step, 1 + random_below(seed, 2));
    say(t, "setp.%s.u32 %%p1, %%r%u, %u;\n", random_below(seed, 2) ? "lt" : "ge", 2 + random_below(seed, 2),
        random_below(seed, 64));
    const char *guard = random_below(seed, 2) ? "@%p1 " : "";
    switch (random_below(seed, 5)) {
    case 0:
    case 1:
        say(t, "%sld%s.%s %s, [%%rd3];\nadd.u32 %%r10, %%r9, %%r10; and.b32 %%r10, %%r10, 31;\n", guard, space,
            widths[w].type, widths[w].value);
        break;
    case 2:
    case 3:
        say(t,
            "mad.lo.u32 %%r9, %%r1, 5, %%r10; add.u32 %%r11, %%r9, 3; cvt.u64.u32 %%rd9, %%r9;\n"
            "cvt.u16.u32 %%rs1, %%r9; cvt.u16.u32 %%rs2, %%r11;\n%sst%s.%s [%%rd3], %s;\n",
            guard, space, widths[w].type, widths[w].value);
        break;
    default: {
        uint32_t operation = random_below(seed, 5);
        say(t, "and.b64 %%rd3, %%rd3, -8;\n%sred%s.%s [%%rd3], %s;\n", guard, space, operations[operation],
            operation == 4 ? "%rd9" : "%r1");
    }
    }
}

static void make_kernel(struct text *t, uint64_t seed, bool in_order)
{
    uint32_t accesses = 2 + random_below(&seed, 5), risk = random_below(&seed, 2) ? 50 : 8;
    t->used = 0;
    say(t,
        ".visible .entry k(.param .u64 a, .param .u64 b)\n{\n"
        ".reg .b16 %%rs<4>; .reg .b32 %%r<30>; .reg .b64 %%rd<12>; .reg .pred %%p<4>;\n"
        "ld.param.u64 %%rd1, [a]; ld.param.u64 %%rd2, [b];\n"
        "mov.u32 %%r3, %%tid.x; mov.u32 %%r2, %%ctaid.x; mad.lo.u32 %%r1, %%r2, %d, %%r3;\n"
        "mov.u32 %%r9, 0; mov.u32 %%r10, 0; mov.u64 %%rd9, 0; mov.u16 %%rs1, 0; mov.u16 %%rs2, 0;\n",
        THREADS);
    if (in_order)
        say(t, "mov.u32 %%r20, %%clock;\n");
    for (uint32_t i = 0; i < accesses; i++)
        add_access(t, &seed, risk);
    say(t, "ret;\n}\n");
}

static bool aliased; /* both parameters are the first buffer */

static void fill(struct rig *r)
{
    for (uint32_t b = 0; b < 2; b++)
        for (uint32_t i = 0; i < 2 * COUNT; i++)
            ((uint32_t *)r->host[b])[i] = i * 2654435761u >> 7;
    if (aliased)
        r->params[1] = r->params[0];
}

/* Returns whether the blocks conflicted. */
static bool try(uint64_t seed)
{
    static struct text parallel, ordered;
    make_kernel(&parallel, seed, false);
    make_kernel(&ordered, seed, true);
    struct outcome wanted = rig_record(ordered.at, 2, bytes, fill, BLOCKS, THREADS, 1);
    struct outcome got = rig_same_at_any_threads(parallel.at, 2, bytes, fill, BLOCKS, THREADS);
    cr_assert(wanted.ok && got.ok, "%s%s\n%s", wanted.err.text, got.err.text, parallel.at);
    for (int b = 0; b < 2; b++)
        cr_assert(!memcmp(got.memory[b], wanted.memory[b], bytes[b]), "buffer %d differs:\n%s", b, parallel.at);
    bool racy = got.racy;
    outcome_free(&wanted);
    outcome_free(&got);
    return racy;
}

static void try_many(uint64_t seed)
{
    unsigned racy = 0;
    for (unsigned i = 0; i < ROUNDS; i++)
        racy += try(random_next(&seed));
    cr_assert(racy >= ROUNDS / 10 && racy <= ROUNDS * 9 / 10, "%u of %d conflict: the test shows little", racy, ROUNDS);
}

/* Block 0 waits with plain loads for what the last block stores: with one thread it would wait forever, were blocks not
 * set aside in time. */
static void without_limit(struct rig *r) { r->config.limit = UINT64_MAX; }

Test(races, a_block_that_polls_with_plain_loads_gets_what_it_waits_for, .timeout = 300)
{
    static const uint64_t bytes[] = {8};
    struct outcome o = rig_same_at_any_threads(
        ".visible .entry k(.param .u64 a)\n{ .reg .b32 %r<4>; .reg .b64 %rd<2>; .reg .pred %p<4>;\n"
        "ld.param.u64 %rd1, [a]; mov.u32 %r1, %ctaid.x; setp.ne.u32 %p1, %r1, 0; @%p1 bra OTHER;\n"
        "WAIT: ld.global.u32 %r2, [%rd1]; setp.eq.u32 %p2, %r2, 0; @%p2 bra WAIT;\n"
        "st.global.u32 [%rd1+4], %r2; ret;\n"
        "OTHER: setp.ne.u32 %p3, %r1, 2; @%p3 ret; st.global.u32 [%rd1], 9; ret; }\n",
        1, bytes, without_limit, 3, 32);
    cr_expect(o.ok, "%s", o.err.text);
    cr_expect_arr_eq(o.memory[0], ((uint32_t[]){9, 9}), 8);
    outcome_free(&o);
}

Test(races, random_kernels_leave_what_blocks_in_order_leave) { try_many(1); }

Test(races, random_kernels_with_one_buffer_twice)
{
    aliased = true;
    try_many(2);
}
