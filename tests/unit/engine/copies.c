/* cp.async: each lane's bytes arrive, what it does not read is 0, and what it does not read may be anywhere. */
#include <criterion/criterion.h>
#include <string.h>

#include "rig.h"

enum { THREADS = 96, SLOT = 16 };

/* Arguments: source, out, sizes. A thread copies from source + 16 × thread to its slot of shared memory, unless its
 * number is a multiple of 7, and stores what is there. */
#define KERNEL(copy)                                                                                                   \
    ".visible .entry k(.param .u64 source, .param .u64 out, .param .u64 sizes) {\n"                                    \
    ".shared .align 16 .b8 slots[1536];\n"                                                                             \
    ".reg .b64 %a, %o, %n, %t; .reg .b32 %s, %i, %size, %w<4>, %m; .reg .pred %some, %ignore;\n"                       \
    "ld.param.u64 %a, [source]; ld.param.u64 %o, [out]; ld.param.u64 %n, [sizes];\n"                                   \
    "mov.u32 %i, %tid.x; mul.wide.u32 %t, %i, 16; add.u64 %a, %a, %t; add.u64 %o, %o, %t;\n"                           \
    "mul.wide.u32 %t, %i, 4; add.u64 %n, %n, %t; ld.global.u32 %size, [%n];\n"                                         \
    "setp.eq.u32 %ignore, %size, 0; @%ignore mov.u64 %a, 0x123450;\n"                                                  \
    "mov.u32 %s, slots; mad.lo.u32 %s, %i, 16, %s;\n"                                                                  \
    "mov.b32 %m, 0x55555555; st.shared.v4.b32 [%s], {%m, %m, %m, %m};\n"                                               \
    "rem.u32 %m, %i, 7; setp.ne.u32 %some, %m, 0;\n" copy "\n"                                                         \
    "cp.async.commit_group; cp.async.wait_group 0; cp.async.wait_all; bar.sync 0;\n"                                   \
    "ld.shared.v4.b32 {%w0, %w1, %w2, %w3}, [%s]; st.global.v4.b32 [%o], {%w0, %w1, %w2, %w3};\n"                      \
    "ret; }\n"

static const uint32_t *sizes;
static void fill(struct rig *r)
{
    uint8_t *source = r->host[0];
    for (int i = 0; i < THREADS * SLOT; i++)
        source[i] = (uint8_t)(i * 37 + 11);
    memcpy(r->host[2], sizes, sizeof(uint32_t) * THREADS);
}

static void expect_copies(const char *body, const uint32_t *each, uint32_t width)
{
    const uint64_t bytes[] = {(THREADS - 1) * SLOT + each[THREADS - 1], THREADS * SLOT, sizeof(uint32_t) * THREADS};
    uint8_t source[THREADS * SLOT];
    rig_target = "sm_80";
    sizes = each;
    struct rig r;
    rig_open(&r, body, 3, bytes);
    for (uint64_t i = 0; i < bytes[0]; i++)
        source[i] = ((uint8_t *)r.host[0])[i] = (uint8_t)(i * 37 + 11);
    memcpy(r.host[2], each, sizeof(uint32_t) * THREADS);
    cr_assert(rig_run(&r, 1, THREADS), "%s", r.err.text);
    for (uint32_t t = 0; t < THREADS; t++) {
        uint8_t expected[SLOT];
        memset(expected, 0x55, SLOT);
        if (t % 7) {
            memset(expected, 0, width);
            memcpy(expected, source + t * SLOT, each[t] < width ? each[t] : width);
        }
        cr_expect_arr_eq((uint8_t *)r.host[1] + t * SLOT, expected, SLOT, "thread %u of width %u: %.60s", t, width,
                         strstr(body, "cp.async"));
    }
    rig_close(&r);
    rig_target = "sm_62";
}

Test(copies, bytes_that_are_read)
{
    uint32_t all[THREADS], some[THREADS], none_or_all[THREADS];
    for (uint32_t t = 0; t < THREADS; t++) {
        all[t] = 16;
        some[t] = t * 5 % 17;
        none_or_all[t] = t % 3 ? 16 : 0;
    }
    expect_copies(KERNEL("@%some cp.async.cg.shared.global [%s], [%a], 16;"), all, 16);
    expect_copies(KERNEL("@%some cp.async.cg.shared.global [%s], [%a], 16, %size;"), all, 16);
    expect_copies(KERNEL("@%some cp.async.cg.shared.global.L2::128B [%s], [%a], 16, %size;"), some, 16);
    expect_copies(KERNEL("@%some cp.async.ca.shared.global [%s], [%a], 16, %size;"), none_or_all, 16);
    expect_copies(KERNEL("@%some cp.async.ca.shared::cta.global.L2::cache_hint [%s], [%a], 16, %ignore, %t;"),
                  none_or_all, 16);
    expect_copies(KERNEL("@%some cp.async.ca.shared.global [%s], [%a], 8;"), all, 8);
    expect_copies(KERNEL("@%some cp.async.ca.shared.global [%s+0], [%a+0], 4;"), all, 4);
    for (uint32_t t = 0; t < THREADS; t++)
        some[t] = t * 3 % 5;
    expect_copies(KERNEL("@%some cp.async.ca.shared.global [%s], [%a], 4, %size;"), some, 4);
}

Test(copies, the_same_on_any_number_of_threads_and_in_the_trace)
{
    static uint32_t each[THREADS];
    const uint64_t bytes[] = {THREADS * SLOT, THREADS * SLOT, sizeof each};
    for (uint32_t t = 0; t < THREADS; t++)
        each[t] = t % 5 ? 16 : t % 2;
    sizes = each;
    rig_target = "sm_80";
    const char *body = KERNEL("@%some cp.async.cg.shared.global [%s], [%a], 16, %size;");
    struct outcome one = rig_record(body, 3, bytes, fill, 5, THREADS, 1);
    struct outcome four = rig_record(body, 3, bytes, fill, 5, THREADS, 4);
    cr_expect(one.ok && four.ok && one.trace_bytes == four.trace_bytes);
    cr_expect(!memcmp(one.trace, four.trace, one.trace_bytes));
    outcome_free(&one);
    outcome_free(&four);
    rig_target = "sm_62";
}

Test(copies, faults)
{
    static const struct {
        const char *copy;
        enum rp_fault_kind kind;
        const char *said;
    } cases[] = {
        {"mov.u32 %size, 16; cp.async.cg.shared.global [%s], [%a+16], 16, %size;", RP_FAULT_BOUNDS, "global"},
        {"mov.u32 %size, 5; cp.async.cg.shared.global [%s], [%a+16], 16, %size;", RP_FAULT_BOUNDS, "global"},
        {"cp.async.cg.shared.global [%s], [%a+8], 16;", RP_FAULT_MISALIGNED, "not a multiple of 16"},
        {"mov.u32 %size, 5; cp.async.cg.shared.global [%s], [%a+8], 16, %size;", RP_FAULT_MISALIGNED,
         "not a multiple of 16"},
        {"cp.async.cg.shared.global [%s+16], [%a], 16;", RP_FAULT_BOUNDS, "shared"},
    };
    for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
        const uint64_t bytes[] = {THREADS * SLOT, THREADS * SLOT, sizeof(uint32_t) * THREADS};
        char body[3000];
        struct rig r;
        snprintf(body, sizeof body, "%s%s%s", KERNEL("// "), "", "");
        const char *mark = strstr(body, "// ");
        char whole[3200];
        snprintf(whole, sizeof whole, "%.*s%s%s", (int)(mark - body), body, cases[i].copy, mark + 3);
        rig_target = "sm_80";
        rig_open(&r, whole, 3, bytes);
        for (int t = 0; t < THREADS; t++)
            ((uint32_t *)r.host[2])[t] = 1;
        rig_expect_fault(&r, 1, THREADS, cases[i].kind, cases[i].said);
        rig_close(&r);
        rig_target = "sm_62";
    }
}
