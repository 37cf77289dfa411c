/* Turns of programs that poll: what a loop publishes and takes back is seen, and locks whose lanes wait for random
 * times cost little more than others. */
#include <criterion/criterion.h>

#include "rig.h"

/* %r1: thread, %r2: block, %r3: lane, %rd1: argument 0 */
#define HEAD                                                                                                           \
    ".visible .entry k(.param .u64 a)\n{\n"                                                                            \
    ".reg .b32 %r<20>; .reg .b64 %rd<4>; .reg .pred %p<4>; .shared .align 4 .b8 s[64];\n"                              \
    "ld.param.u64 %rd1, [a]; mov.u32 %r1, %tid.x; mov.u32 %r2, %ctaid.x; mov.u32 %r3, %laneid;\n"
#define TAIL "\nret;\n}\n"

static const uint64_t bytes[] = {64};

static struct outcome same_at_any_threads(const char *target, const char *body, uint32_t blocks, uint32_t threads)
{
    rig_target = target;
    struct outcome o = rig_same_at_any_threads(body, 1, bytes, NULL, blocks, threads);
    cr_assert(o.ok, "%s: %s", target, o.err.text);
    return o;
}

/* ---- publications ------------------------------------------------------------------------------------------------ */

/* Who has not 0 in register `who` stores these values one after the other until word 1 is set; the others wait for a 1
 * in word 0 and set it. The only branch of the storing loop is behind a store of 0. */
#define TOGGLE(who, stores)                                                                                            \
    HEAD "setp.eq.u32 %p1, " who ", 0; @%p1 bra WAIT;\n"                                                               \
         "STORE: " stores                                                                                              \
         "ld.volatile.global.u32 %r4, [%rd1 + 4]; setp.eq.u32 %p2, %r4, 0; @%p2 bra STORE; bra DONE;\n"                \
         "WAIT: ld.volatile.global.u32 %r4, [%rd1]; setp.ne.u32 %p2, %r4, 1; @%p2 bra WAIT;\n"                         \
         "st.volatile.global.u32 [%rd1 + 4], 1; DONE:" TAIL
#define VALUE(v) "st.volatile.global.u32 [%rd1], " #v ";\n"
#define EXCHANGED(v) "atom.global.exch.b32 %r5, [%rd1], " #v ";\n"

static void is_seen(const char *target, const char *body, uint32_t blocks, uint32_t threads)
{
    struct outcome o = same_at_any_threads(target, body, blocks, threads);
    cr_expect_lt(o.warp_instructions, 1000000);
    outcome_free(&o);
}

Test(polling, another_block_sees_what_is_taken_back)
{
    static const char *targets[] = {"sm_62", "sm_75"};
    for (int i = 0; i < 2; i++) {
        is_seen(targets[i], TOGGLE("%r2", VALUE(1) VALUE(0)), 2, 32);
        is_seen(targets[i], TOGGLE("%r2", VALUE(1) VALUE(0)), 2, 64);
        is_seen(targets[i], TOGGLE("%r2", VALUE(2) VALUE(1) VALUE(0)), 2, 32);
        is_seen(targets[i], TOGGLE("%r2", VALUE(3) VALUE(2) VALUE(1) VALUE(0)), 2, 32);
        is_seen(targets[i], TOGGLE("%r2", EXCHANGED(1) EXCHANGED(0)), 2, 32);
    }
}

Test(polling, another_lane_sees_what_is_taken_back)
{
    is_seen("sm_75", TOGGLE("%r3", VALUE(1) VALUE(0)), 1, 32);
    is_seen("sm_75", TOGGLE("%r3", VALUE(2) VALUE(1) VALUE(0)), 1, 32);
}

#define SHARED_TOGGLE                                                                                                  \
    HEAD "setp.lt.u32 %p1, %r1, 32; @%p1 bra WAIT;\n"                                                                  \
         "STORE: st.volatile.shared.u32 [s], 1; st.volatile.shared.u32 [s], 0;\n"                                      \
         "ld.volatile.shared.u32 %r4, [s + 4]; setp.eq.u32 %p2, %r4, 0; @%p2 bra STORE; bra DONE;\n"                   \
         "WAIT: ld.volatile.shared.u32 %r4, [s]; setp.ne.u32 %p2, %r4, 1; @%p2 bra WAIT;\n"                            \
         "st.volatile.shared.u32 [s + 4], 1; DONE:" TAIL

Test(polling, another_warp_sees_what_is_taken_back)
{
    is_seen("sm_62", SHARED_TOGGLE, 1, 64);
    is_seen("sm_75", SHARED_TOGGLE, 1, 64);
}

/* ---- time -------------------------------------------------------------------------------------------------------- */

/* Thread i sleeps 10 i nanoseconds: the warp sleeps 310. Then all sleep, 1000 at a time, until 50000 have passed. */
Test(polling, time_passes_in_sleep)
{
    struct rig r;
    rig_target = "sm_75";
    rig_open(&r,
             ".visible .entry k(.param .u64 p) {\n"
             ".reg .u64 %d<6>; .reg .u32 %r<4>; .reg .pred %p1;\n"
             "ld.param.u64 %d1, [p]; mov.u32 %r1, %tid.x; mul.lo.u32 %r2, %r1, 10; mov.u32 %r3, 0;\n"
             "mov.u64 %d2, %globaltimer; nanosleep.u32 %r2; mov.u64 %d3, %globaltimer; mov.u64 %d4, %clock64;\n"
             "sub.u64 %d4, %d4, %d2; sub.u64 %d3, %d3, %d2; st.global.v2.u64 [%d1], {%d3, %d4};\n"
             "MORE: nanosleep.u32 1000; add.u32 %r3, %r3, 1; mov.u64 %d3, %globaltimer; sub.u64 %d3, %d3, %d2;\n"
             "setp.lt.u64 %p1, %d3, 50000; @%p1 bra MORE; st.global.u32 [%d1+16], %r3; ret; }\n",
             1, (uint64_t[]){24});
    cr_assert(rig_run(&r, 1, 32), "%s", r.err.text);
    const uint64_t *slept = r.host[0];
    cr_expect_eq(slept[0], 312);
    cr_expect_eq(slept[1], 313);
    cr_expect_eq(slept[2], 50);
    rig_close(&r);
}

/* ---- polls in vain ----------------------------------------------------------------------------------------------- */

/* Each thread takes the lock in word 0, adds 3 to word 1, and gives the lock back; who fails waits as `wait` says, and
 * %r7 is a random number of its lane (Marsaglia, "Xorshift RNGs", Journal of Statistical Software 8, 2003). */
#define LOCK(wait)                                                                                                     \
    HEAD "add.u32 %r7, %r1, 77;\n"                                                                                     \
         "TRY: atom.global.cas.b32 %r4, [%rd1], 0, 1; setp.eq.u32 %p1, %r4, 0; @%p1 bra TAKEN;\n" wait "bra TRY;\n"    \
         "TAKEN: ld.volatile.global.u32 %r5, [%rd1 + 4]; add.u32 %r5, %r5, 3; st.volatile.global.u32 [%rd1 + 4], %r5;" \
         "membar.gl; atom.global.exch.b32 %r6, [%rd1], 0;" TAIL
#define RANDOM                                                                                                         \
    "shl.b32 %r8, %r7, 13; xor.b32 %r7, %r7, %r8; shr.u32 %r8, %r7, 17; xor.b32 %r7, %r7, %r8;\n"                      \
    "shl.b32 %r8, %r7, 5; xor.b32 %r7, %r7, %r8; and.b32 %r9, %r7, 63;\n"
#define SLEEP "nanosleep.u32 %r9;\n"
#define COUNT "COUNT: sub.u32 %r9, %r9, 1; setp.gt.s32 %p2, %r9, 0; @%p2 bra COUNT;\n"

static uint64_t locked(const char *body, uint32_t blocks, uint32_t threads)
{
    struct outcome o = same_at_any_threads("sm_75", body, blocks, threads);
    uint64_t executed = o.warp_instructions;
    cr_expect_eq(((uint32_t *)o.memory[0])[1], 3 * blocks * threads);
    outcome_free(&o);
    return executed;
}

Test(polling, a_lock_with_back_off)
{
    static const struct {
        uint32_t blocks, threads;
    } sizes[] = {{1, 32}, {1, 64}, {2, 64}, {4, 128}};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        uint64_t plain = locked(LOCK(""), sizes[i].blocks, sizes[i].threads);
        uint64_t sleeps = locked(LOCK(RANDOM SLEEP), sizes[i].blocks, sizes[i].threads);
        uint64_t counts = locked(LOCK(RANDOM COUNT), sizes[i].blocks, sizes[i].threads);
        cr_expect_lt(sleeps, 6 * plain, "%llu, not %llu", (unsigned long long)sleeps, (unsigned long long)plain);
        cr_expect_lt(counts, 200 * plain, "%llu, not %llu", (unsigned long long)counts, (unsigned long long)plain);
    }
}

/* Lanes that give up after a time do so, whoever waits for them. */
#define GIVES_UP                                                                                                       \
    HEAD "mov.u32 %r7, 0; setp.eq.u32 %p1, %r3, 0; @%p1 bra DONE;\n"                                                   \
         "WAIT: add.u32 %r7, %r7, 1; setp.gt.u32 %p2, %r7, 20000; @%p2 bra DONE;\n"                                    \
         "ld.volatile.global.u32 %r4, [%rd1]; setp.eq.u32 %p3, %r4, 0; @%p3 bra WAIT;\n"                               \
         "DONE: bar.sync 0; mov.u32 %r8, 1; st.global.u32 [%rd1 + 8], %r8; red.global.max.u32 [%rd1 + 4], %r7;" TAIL

Test(polling, lanes_that_give_up_end)
{
    struct outcome o = same_at_any_threads("sm_75", GIVES_UP, 2, 64);
    cr_expect_eq(((uint32_t *)o.memory[0])[1], 20001);
    outcome_free(&o);
}
