/* Loops that wait for ever are found out whatever else they do; loops that end are let end. */
#include <stdlib.h>

#include "common.h"

/* %rd1: the buffer, of WORDS words; %r9: the block; %r0 counts. Word 0 is what loops wait for. */
enum { WORDS = 1 << 18, BLOCKS = 3, THREADS = 64 };
#define KERNEL(body)                                                                                                   \
    ".visible .entry k(.param .u64 to)\n{\n"                                                                           \
    ".reg .b32 %r<10>; .reg .b64 %rd<8>; .reg .pred %p<4>; .shared .align 4 .b8 s[64];\n"                              \
    "ld.param.u64 %rd1, [to]; mov.u32 %r0, 0; mov.u32 %r9, %ctaid.x; mov.u64 %rd2, %rd1;\n" body "ret;\n}\n"
#define UNTIL_SET(load) load " %r1, [%rd1]; setp.eq.u32 %p1, %r1, 0; @%p1 bra AGAIN;\n"

static enum rp_fault_kind run(const char *text, unsigned threads)
{
    struct rp_error err = {0};
    struct rp_launch_result result;
    struct rp_device *d = new_device();
    struct module *m = load_text(d, "wait.ptx", text);
    uint64_t to = rp_alloc(d, 4 * WORDS, "to", &err);
    struct rp_launch_config config = config_of(BLOCKS, THREADS, &to);
    config.threads = threads;
    config.limit = 100000000; /* instructions of a warp; loops that go round are found out long before */
    bool ok = rp_launch_kernel(d, module_find(m, NULL, &err), &config, &result, &err);
    cr_expect_eq(ok, !result.fault, "%s", err.text);
    rp_device_free(d);
    return result.fault;
}

#define LIVELOCK(name, body)                                                                                           \
    Test(livelock, name)                                                                                               \
    {                                                                                                                  \
        for (unsigned threads = 1; threads <= 3; threads += 2)                                                         \
            cr_expect_eq(run(KERNEL(body), threads), RP_FAULT_LIVELOCK, "%u threads", threads);                        \
    }
#define ENDS(name, body)                                                                                               \
    Test(livelock, name)                                                                                               \
    {                                                                                                                  \
        for (unsigned threads = 1; threads <= 3; threads += 2)                                                         \
            cr_expect_eq(run(KERNEL(body), threads), RP_FAULT_NONE, "%u threads", threads);                            \
    }

LIVELOCK(of_a_loop_that_only_looks, "AGAIN: " UNTIL_SET("ld.volatile.global.u32"))
LIVELOCK(of_a_loop_that_counts, "AGAIN: add.u32 %r0, %r0, 1;\n" UNTIL_SET("ld.volatile.global.u32"))
LIVELOCK(of_a_plain_loop_that_counts, "AGAIN: add.u32 %r0, %r0, 1;\n" UNTIL_SET("ld.global.u32"))
LIVELOCK(of_a_loop_that_stores,
         "AGAIN: add.u32 %r0, %r0, 1; st.global.u32 [%rd1 + 64], %r0;\n" UNTIL_SET("ld.volatile.global.u32"))
LIVELOCK(of_a_plain_loop_that_stores,
         "mul.wide.u32 %rd3, %r9, 4; add.u64 %rd3, %rd3, %rd1;\n"
         "AGAIN: add.u32 %r0, %r0, 1; st.global.u32 [%rd3 + 64], %r0;\n" UNTIL_SET("ld.global.u32"))
LIVELOCK(of_a_loop_with_a_heartbeat, "AGAIN: red.global.add.u32 [%rd1 + 64], 1;\n" UNTIL_SET("ld.volatile.global.u32"))
LIVELOCK(of_a_loop_that_stores_into_shared_memory,
         "AGAIN: add.u32 %r0, %r0, 1; st.shared.u32 [s], %r0;\n" UNTIL_SET("ld.volatile.global.u32"))
LIVELOCK(of_a_lock_that_is_never_free, "st.global.u32 [%rd1], 1;\n"
                                       "AGAIN: add.u32 %r0, %r0, 1; atom.global.cas.b32 %r1, [%rd1], 0, 2;\n"
                                       "setp.ne.u32 %p1, %r1, 0; @%p1 bra AGAIN;\n")

/* Functions have registers, windows and counts of their own. */
#define CALLING(body)                                                                                                  \
    ".func (.param .b32 o) same(.param .b32 i)\n{\n.reg .b32 %a, %b; ld.param.b32 %a, [i]; add.u32 %b, %a, 1;\n"       \
    "st.param.b32 [o], %a; ret;\n}\n"                                                                                  \
    ".func wait(.param .b64 to)\n{\n.reg .b32 %n, %v; .reg .b64 %d; .reg .pred %p; ld.param.b64 %d, [to];\n"           \
    "mov.u32 %n, 0;\nAGAIN: add.u32 %n, %n, 1; ld.volatile.global.u32 %v, [%d];\n" body                                \
    "setp.eq.u32 %p, %v, 0; @%p bra AGAIN; st.volatile.global.u32 [%d + 8], %n; ret;\n}\n" KERNEL(                     \
        "{ .param .b64 to; st.param.b64 [to], %rd1; call wait, (to); }\n")
Test(livelock, of_a_loop_that_counts_in_a_function)
{
    cr_expect_eq(run(CALLING(""), 1), RP_FAULT_LIVELOCK);
    cr_expect_eq(run(CALLING(""), 3), RP_FAULT_LIVELOCK);
}
Test(livelock, of_a_loop_that_counts_and_calls)
{
    cr_expect_eq(
        run(CALLING("{ .param .b32 i, o; st.param.b32 [i], %v; call (o), same, (i); ld.param.b32 %v, [o]; }\n"), 1),
        RP_FAULT_LIVELOCK);
}

/* What counts has had, or could have, the place of a register that decides, or the place behind it. */
LIVELOCK(of_a_counter_beside_registers_that_decide,
         "mov.u32 %r4, %tid.x; setp.ne.u32 %p2, %r4, 0; @%p2 bra DONE; mul.wide.u32 %rd3, %r9, 4;\n"
         "add.u64 %rd3, %rd3, %rd1; mov.u32 %r5, 0;\n"
         "AGAIN: mov.u32 %r2, %r5; ld.volatile.global.u32 %r6, [%rd1]; setp.eq.u32 %p1, %r6, 0;\n"
         "add.u32 %r5, %r2, 1; @%p1 bra AGAIN; st.volatile.global.u32 [%rd3 + 64], %r2; DONE:\n")
LIVELOCK(of_a_heartbeat_whose_value_nobody_reads,
         "AGAIN: atom.global.add.u32 %r2, [%rd1 + 64], 1;\n" UNTIL_SET("ld.volatile.global.u32"))

/* What decides before the loop or behind it does not decide how the loop goes on. */
LIVELOCK(of_a_loop_that_stores_what_was_read_before,
         "ld.shared.u32 %r3, [s]; setp.ne.u32 %p2, %r3, 0; @%p2 bra DONE;\n"
         "AGAIN: add.u32 %r0, %r0, 1; st.shared.u32 [s], %r0;\n" UNTIL_SET("ld.volatile.global.u32") "DONE:\n")
LIVELOCK(of_a_loop_that_stores_what_is_read_later,
         "AGAIN: add.u32 %r0, %r0, 1; mul.lo.u32 %r4, %r0, 3; st.shared.u32 [s], %r4;\n" UNTIL_SET(
             "ld.volatile.global.u32") "ld.shared.u32 %r3, [s]; setp.ne.u32 %p2, %r3, 0;\n"
                                       "@%p2 st.global.u32 [%rd1 + 64], %r3;\n")
LIVELOCK(of_a_loop_whose_count_decides_later, "AGAIN: add.u32 %r0, %r0, 1;\n" UNTIL_SET(
                                                  "ld.volatile.global.u32") "MORE: sub.u32 %r0, %r0, 1;\n"
                                                                            "setp.ne.u32 %p2, %r0, 0; @%p2 bra MORE;\n")
LIVELOCK(of_a_loop_in_which_a_clock_does_not_decide,
         "mov.u32 %r3, %clock; setp.eq.u32 %p2, %r3, 0; @%p2 bra DONE;\n"
         "AGAIN: mov.u32 %r4, %clock; add.u32 %r0, %r0, %r4;\n" UNTIL_SET("ld.volatile.global.u32") "DONE:\n")
/* One warp stores what the other one's loop waits for, at last: the values of its stores do decide. */
ENDS(ends_by_what_another_loop_stores,
     "mov.u32 %r4, %tid.x; setp.ge.u32 %p2, %r4, 32; @%p2 bra AGAIN; mov.u32 %r3, %clock;\n"
     "STORE: add.u32 %r0, %r0, 1; st.volatile.shared.u32 [s], %r0; ld.volatile.shared.u32 %r5, [s + 4];\n"
     "setp.eq.u32 %p3, %r5, 0; @%p3 bra STORE; bra DONE;\n"
     "AGAIN: ld.volatile.shared.u32 %r1, [s]; setp.lt.u32 %p1, %r1, 300000; @%p1 bra AGAIN;\n"
     "st.volatile.shared.u32 [s + 4], 1; DONE:\n")

/* The flag comes after so long a time that everything else has come again before. */
#define LATE                                                                                                           \
    "setp.ne.u32 %p2, %r9, 2; @%p2 bra AGAIN;\n"                                                                       \
    "WORK: add.u32 %r0, %r0, 1; setp.lt.u32 %p3, %r0, 500000; @%p3 bra WORK;\nst.global.u32 [%rd1], 1; ret;\n"
ENDS(comes_late_to_one_that_looks, LATE "AGAIN: " UNTIL_SET("ld.volatile.global.u32"))
ENDS(comes_late_to_one_that_stores,
     LATE "AGAIN: add.u32 %r0, %r0, 1; st.global.u32 [%rd1 + 64], %r0;\n" UNTIL_SET("ld.volatile.global.u32"))
ENDS(comes_late_to_a_plain_loop, LATE "AGAIN: add.u32 %r0, %r0, 1;\n" UNTIL_SET("ld.global.u32"))
/* The loop's own stores end it, at last. */
ENDS(ends_by_a_store_whose_address_grows,
     "add.u64 %rd2, %rd1, 1000000;\n"
     "AGAIN: st.global.u32 [%rd2], 1; sub.u64 %rd2, %rd2, 4;\n" UNTIL_SET("ld.volatile.global.u32"))
ENDS(ends_by_a_counter_in_memory, "AGAIN: red.global.add.u32 [%rd1 + 64], 1; ld.volatile.global.u32 %r1, [%rd1 + 64];\n"
                                  "setp.lt.u32 %p1, %r1, 6000000; @%p1 bra AGAIN;\n")
ENDS(ends_by_a_counter, "AGAIN: add.u32 %r0, %r0, 1; ld.volatile.global.u32 %r1, [%rd1];\n"
                        "add.u32 %r1, %r1, %r0; setp.lt.u32 %p1, %r1, 300000; @%p1 bra AGAIN;\n")
ENDS(ends_by_a_counter_in_shared_memory,
     "AGAIN: ld.volatile.global.u32 %r1, [%rd1]; ld.shared.u32 %r2, [s]; add.u32 %r2, %r2, 1; st.shared.u32 [s], %r2;\n"
     "setp.lt.u32 %p1, %r2, 300000; @%p1 bra AGAIN;\n")
