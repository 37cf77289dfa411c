/* mbarrier: phases against an object that is computed here from the ISA's text; threads that wait for others, for bytes
 * and for copies; bulk copies; barriers of a cluster of one block. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

#include "rig.h"

static void open_rig(struct rig *r, const char *body, uint32_t buffers, const uint64_t *bytes)
{
    rig_target = "sm_90";
    rig_open(r, body, buffers, bytes);
    rig_target = "sm_62";
}

/* ---- one thread: every operation, in a random order -------------------------------------------------------------- */

struct object {
    int64_t pending, expected, bytes;
    uint64_t phase;
};
static void settle(struct object *o)
{
    if (o->pending || o->bytes)
        return;
    o->phase++;
    o->pending = o->expected;
}

/* Argument: out. A step stores what it gives: a pending count from the state, or a predicate. */
struct step {
    const char *text;
    uint32_t result;
};
enum { STEPS = 60 };

static uint32_t choose(uint64_t *state, uint32_t n)
{
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(*state >> 33) % n;
}

static size_t add_step(char *text, size_t size, uint64_t *random, struct object *o, uint32_t *result)
{
    uint32_t n = 1 + choose(random, 3), pending = (uint32_t)o->pending;
    *result = 0;
    uint32_t kind = choose(random, 9);
    if (!pending && (kind < 3 || kind == 5 || kind > 6)) /* more must not arrive */
        return 0;
    switch (kind) {
    case 0:
        o->pending--, settle(o);
        *result = pending;
        return (size_t)snprintf(text, size,
                                "mbarrier.arrive.shared.b64 %%s, [obj]; mbarrier.pending_count.b64 %%r, %%s;\n");
    case 1:
        if (o->pending < n)
            return 0;
        o->pending -= n, settle(o);
        *result = pending;
        return (size_t)snprintf(text, size,
                                "mbarrier.arrive.release.cta.shared::cta.b64 %%s, [obj], %u; "
                                "mbarrier.pending_count.b64 %%r, %%s;\n",
                                n);
    case 2:
        o->bytes += 16, o->pending--, settle(o);
        return (size_t)snprintf(text, size, "mov.b32 %%n, 16; mbarrier.arrive.expect_tx.shared.b64 _, [obj], %%n;\n");
    case 3:
        o->bytes += 64;
        return (size_t)snprintf(text, size, "mbarrier.expect_tx.relaxed.cta.shared::cta.b64 [obj], 64;\n");
    case 4:
        if (o->bytes < 16)
            return 0;
        o->bytes -= 16, settle(o);
        return (size_t)snprintf(text, size, "mbarrier.complete_tx.relaxed.cta.shared::cta.b64 [obj], 16;\n");
    case 5:
        if (o->expected < 3)
            return 0;
        o->expected--, o->pending--, settle(o);
        return (size_t)snprintf(text, size, "mbarrier.arrive_drop.shared.b64 %%s, [obj];\n");
    case 6:
        *result = (o->phase & 1) != (n & 1);
        return (size_t)snprintf(
            text, size, "mbarrier.test_wait.parity.shared.b64 %%p, [obj], %u; selp.u32 %%r, 1, 0, %%p;\n", n & 1);
    case 7:
        if (o->pending < 2)
            return 0;
        o->pending--; /* the phase goes on: the state is one of this phase */
        return (size_t)snprintf(text, size,
                                "mbarrier.arrive.noComplete.shared.b64 %%t, [obj], 1; mbarrier.test_wait.shared.b64 "
                                "%%p, [obj], %%t; selp.u32 %%r, 1, 0, %%p;\n");
    default: /* a state that is over, if this arrival ends its phase */
        *result = o->pending == 1 && !o->bytes;
        o->pending--, settle(o);
        return (size_t)snprintf(text, size,
                                "mbarrier.arrive.shared.b64 %%t, [obj]; mbarrier.try_wait.shared::cta.b64 %%p, [obj], "
                                "%%t, 100; selp.u32 %%r, 1, 0, %%p;\n");
    }
}

Test(objects, one_thread_in_any_order)
{
    for (uint64_t seed = 1; seed <= 30; seed++) {
        char body[20000];
        uint32_t expected[STEPS], steps = 0;
        uint64_t random = seed;
        struct object o = {.pending = 4 + (int64_t)seed % 5};
        o.expected = o.pending;
        size_t n = (size_t)snprintf(body, sizeof body,
                                    ".visible .entry k(.param .u64 out) {\n.shared .align 8 .b64 obj;\n"
                                    ".reg .b64 %%o, %%s, %%t; .reg .b32 %%r, %%n; .reg .pred %%p;\n"
                                    "ld.param.u64 %%o, [out]; mov.b32 %%n, %u; mbarrier.init.shared.b64 [obj], %s;\n",
                                    (unsigned)o.pending, seed % 2 ? "%n" : (char[]){(char)('0' + o.pending), 0});
        while (steps < STEPS) {
            size_t more = add_step(body + n, sizeof body - n, &random, &o, &expected[steps]);
            if (!more)
                continue;
            n += more;
            bool tells = strstr(body + n - more, "%r,");
            n += (size_t)snprintf(body + n, sizeof body - n, tells ? "st.global.u32 [%%o+%u], %%r;\n" : "// %u\n",
                                  4 * steps);
            expected[steps] = tells ? expected[steps] : 0;
            steps++;
        }
        snprintf(body + n, sizeof body - n, "mbarrier.inval.shared.b64 [obj];\nret; }\n");
        const uint64_t bytes[] = {sizeof expected};
        struct rig r;
        open_rig(&r, body, 1, bytes);
        cr_assert(rig_run(&r, 1, 1), "%s", r.err.text);
        for (uint32_t i = 0; i < STEPS; i++)
            cr_expect_eq(((uint32_t *)r.host[0])[i], expected[i], "seed %lu, step %u: %u, not %u", seed, i,
                         ((uint32_t *)r.host[0])[i], expected[i]);
        rig_close(&r);
    }
}

/* ---- threads that wait ------------------------------------------------------------------------------------------- */

/* A ring: warp 0 fills, the others take and add, for ROUNDS rounds, with an object for full and one for empty. */
#define RING                                                                                                           \
    ".visible .entry k(.param .u64 out) {\n"                                                                           \
    ".shared .align 8 .b64 full; .shared .align 8 .b64 empty; .shared .align 4 .b32 slot;\n"                           \
    ".reg .b64 %o, %t; .reg .b32 %i, %round, %parity, %v, %sum; .reg .pred %p, %first, %producer;\n"                   \
    "ld.param.u64 %o, [out]; mov.u32 %i, %tid.x; mov.u32 %sum, 0; mov.u32 %round, 0;\n"                                \
    "setp.eq.u32 %first, %i, 0; setp.lt.u32 %producer, %i, 32;\n"                                                      \
    "@%first mbarrier.init.shared.b64 [full], 1; @%first mbarrier.init.shared.b64 [empty], 96;\n"                      \
    "@%first fence.mbarrier_init.release.cluster; bar.sync 0;\n"                                                       \
    "LOOP: and.b32 %parity, %round, 1; @%producer bra PRODUCE;\n"                                                      \
    "FULL: mbarrier.try_wait.parity.acquire.cta.shared::cta.b64 %p, [full], %parity; @!%p bra FULL;\n"                 \
    "ld.shared.u32 %v, [slot]; add.u32 %sum, %sum, %v; mbarrier.arrive.shared::cta.b64 _, [empty]; bra NEXT;\n"        \
    "PRODUCE: @!%first bra NEXT;\n"                                                                                    \
    "add.u32 %v, %round, 5; st.shared.u32 [slot], %v; mbarrier.arrive.shared::cta.b64 _, [full];\n"                    \
    "EMPTY: mbarrier.test_wait.parity.shared::cta.b64 %p, [empty], %parity; @!%p bra EMPTY;\n"                         \
    "NEXT: add.u32 %round, %round, 1; setp.lt.u32 %p, %round, 100; @%p bra LOOP;\n"                                    \
    "mul.wide.u32 %t, %i, 4; add.u64 %o, %o, %t; st.global.u32 [%o], %sum; ret; }\n"

Test(objects, producer_and_consumers)
{
    const uint64_t bytes[] = {4 * 128};
    rig_target = "sm_90";
    struct outcome o = rig_same_at_any_threads(RING, 1, bytes, NULL, 1, 128);
    rig_target = "sm_62";
    cr_assert(o.ok, "%s", o.err.text);
    for (int t = 0; t < 128; t++)
        cr_expect_eq(((uint32_t *)o.memory[0])[t], t < 32 ? 0 : 100 * 5 + 99 * 100 / 2);
    outcome_free(&o);
}

Test(objects, a_phase_that_never_ends)
{
    struct rig r;
    open_rig(&r,
             ".visible .entry k() {\n.shared .align 8 .b64 obj; .reg .pred %p, %f; .reg .b32 %i;\n"
             "mov.u32 %i, %tid.x; setp.eq.u32 %f, %i, 0; @%f mbarrier.init.shared.b64 [obj], 65; bar.sync 0;\n"
             "mbarrier.arrive.shared.b64 _, [obj];\n"
             "WAIT: mbarrier.try_wait.parity.shared.b64 %p, [obj], 0; @!%p bra WAIT;\nret; }\n",
             0, NULL);
    rig_expect_fault(&r, 1, 64, RP_FAULT_DEADLOCK, "(test.ptx:8), whose phase 0 waits for 1 arrival and 0 bytes");
    cr_expect_lt(r.result.warp_instructions, 40, "it was found out at once");
    rig_close(&r);
}

/* ---- waiting ----------------------------------------------------------------------------------------------------- */

/* Double buffering on sm_90: warps 0 and 1 copy four words per thread and round into two buffers, whose objects hear
 * when the copies are complete; the others add them up and give the buffer back. */
#define BUFFERS(order)                                                                                                 \
    ".visible .entry k(.param .u64 in, .param .u64 out) {\n"                                                           \
    ".shared .align 8 .b64 full[2]; .shared .align 8 .b64 empty[2]; .shared .align 16 .b8 data[2048];\n"               \
    ".reg .b64 %a, %o, %t; .reg .b32 %i, %l, %round, %b, %f, %e, %s, %parity, %v<4>, %sum;\n"                          \
    ".reg .pred %p, %first, %producer;\n"                                                                              \
    "ld.param.u64 %a, [in]; ld.param.u64 %o, [out]; mov.u32 %i, %tid.x;\n" order " and.b32 %l, %i, 63;\n"              \
    "mov.u32 %sum, 0;\n"                                                                                               \
    "setp.eq.u32 %first, %i, 0; setp.lt.u32 %producer, %i, 64; mov.u32 %round, 0;\n"                                   \
    "@%first mbarrier.init.shared.b64 [full], 64; @%first mbarrier.init.shared.b64 [full+8], 64;\n"                    \
    "@%first mbarrier.init.shared.b64 [empty], 64; @%first mbarrier.init.shared.b64 [empty+8], 64; bar.sync 0;\n"      \
    "LOOP: and.b32 %b, %round, 1; mov.u32 %f, full; mad.lo.u32 %f, %b, 8, %f;\n"                                       \
    "mov.u32 %e, empty; mad.lo.u32 %e, %b, 8, %e; mov.u32 %s, data; mad.lo.u32 %s, %b, 1024, %s;\n"                    \
    "mad.lo.u32 %s, %l, 16, %s; shr.u32 %parity, %round, 1; and.b32 %parity, %parity, 1; @%producer bra PRODUCE;\n"    \
    "FULL: mbarrier.try_wait.parity.shared.b64 %p, [%f], %parity; @!%p bra FULL;\n"                                    \
    "ld.shared.v4.u32 {%v0, %v1, %v2, %v3}, [%s]; add.u32 %sum, %sum, %v0; add.u32 %sum, %sum, %v1;\n"                 \
    "add.u32 %sum, %sum, %v2; add.u32 %sum, %sum, %v3; mbarrier.arrive.shared.b64 _, [%e]; bra NEXT;\n"                \
    "PRODUCE: xor.b32 %parity, %parity, 1;\n"                                                                          \
    "EMPTY: mbarrier.test_wait.parity.shared.b64 %p, [%e], %parity; selp.u32 %v0, 1, 0, %p;\n"                         \
    "setp.ne.u32 %p, %v0, 0; @%p bra FILL; bra EMPTY;\n"                                                               \
    "FILL: mad.lo.u32 %v1, %round, 64, %l; mul.wide.u32 %t, %v1, 16; add.u64 %t, %a, %t;\n"                            \
    "cp.async.cg.shared.global [%s], [%t], 16; cp.async.mbarrier.arrive.noinc.shared.b64 [%f];\n"                      \
    "NEXT: add.u32 %round, %round, 1; setp.lt.u32 %p, %round, 10; @%p bra LOOP;\n"                                     \
    "mul.wide.u32 %t, %i, 4; add.u64 %o, %o, %t; st.global.u32 [%o], %sum; ret; }\n"

static void fill_words(struct rig *r)
{
    for (uint32_t i = 0; i < 10 * 64 * 4; i++)
        ((uint32_t *)r->host[0])[i] = i * 7 + i / 11;
}

/* Whichever of them run first, the results are the same, and so is what is recorded: no poll more. */
Test(objects, double_buffering_in_two_orders)
{
    static const char *const bodies[] = {BUFFERS(""), BUFFERS("xor.b32 %i, %i, 64;")};
    const uint64_t bytes[] = {10 * 64 * 16, 4 * 128};
    struct outcome o[2];
    rig_target = "sm_90";
    for (int order = 0; order < 2; order++) {
        o[order] = rig_same_at_any_threads(bodies[order], 2, bytes, fill_words, 3, 128);
        cr_assert(o[order].ok, "%s", o[order].err.text);
        const uint32_t *in = o[order].memory[0], *out = o[order].memory[1];
        for (uint32_t i = 0; i < 128; i++) {
            uint32_t sum = 0;
            for (uint32_t n = 0; i >= 64 && n < 40; n++)
                sum += in[(n / 4 * 64 + i - 64) * 4 + n % 4];
            cr_assert_eq(out[i], sum, "thread %u", i);
        }
    }
    rig_target = "sm_62";
    cr_expect_eq(o[1].warp_instructions, o[0].warp_instructions + 3 * 4, "one instruction more per warp");
    outcome_free(&o[0]);
    outcome_free(&o[1]);
}

/* One thread per row: what it does to wait, and what it stores. */
static uint32_t run_waits(const char *waits, uint32_t threads)
{
    const uint64_t bytes[] = {4 * 64};
    char body[1500];
    struct rig r;
    snprintf(body, sizeof body,
             ".visible .entry k(.param .u64 out) {\n.shared .align 8 .b64 obj; .shared .align 8 .b64 more;\n"
             ".reg .b64 %%o, %%t; .reg .b32 %%i, %%n, %%a; .reg .pred %%p, %%f, %%q;\n"
             "ld.param.u64 %%o, [out]; mov.u32 %%i, %%tid.x; setp.eq.u32 %%f, %%i, 0; mov.u32 %%n, 0;\n"
             "@%%f mbarrier.init.shared.b64 [obj], 1; @%%f mbarrier.init.shared.b64 [more], 1; bar.sync 0;\n%s\n"
             "mul.wide.u32 %%t, %%i, 4; add.u64 %%o, %%o, %%t; st.global.u32 [%%o], %%n; ret; }\n",
             waits);
    open_rig(&r, body, 1, bytes);
    cr_assert(rig_run(&r, 1, threads), "%s: %s", waits, r.err.text);
    uint32_t sum = 0;
    for (uint32_t i = 0; i < threads; i++)
        sum += ((uint32_t *)r.host[0])[i];
    rig_close(&r);
    return sum;
}

Test(objects, waits_of_all_kinds)
{
    /* a loop that counts is told "not yet" only when nobody else can go on; then the thread helps itself */
    cr_expect_eq(run_waits("A: mbarrier.try_wait.parity.shared.b64 %p, [obj], 0; @%p bra DONE; add.u32 %n, %n, 1;\n"
                           "mbarrier.arrive.shared.b64 _, [obj]; bra A; DONE:",
                           1),
                 1);
    /* so does one that only asks; here warp 1 arrives late */
    cr_expect_geq(
        run_waits("@%f bra A; setp.ne.u32 %p, %i, 32; @%p bra DONE; mbarrier.arrive.shared.b64 _, [obj]; bra DONE;\n"
                  "A: add.u32 %n, %n, 1; mbarrier.test_wait.parity.shared.b64 %p, [obj], 0; @!%p bra A; DONE:",
                  64),
        1);
    /* lanes of a warp wait for two objects, of which its lane 0 ends one, and another warp the other */
    cr_expect_eq(run_waits("setp.gt.u32 %q, %i, 31; @%q bra OTHER; @%f bra FIRST;\n"
                           "and.b32 %a, %i, 1; setp.eq.u32 %p, %a, 1; mov.u32 %a, obj; @%p mov.u32 %a, more;\n"
                           "W: mbarrier.try_wait.parity.shared.b64 %p, [%a], 0; @!%p bra W; mov.u32 %n, 1; bra DONE;\n"
                           "FIRST: mbarrier.arrive.shared.b64 _, [obj]; bra DONE;\n"
                           "OTHER: setp.eq.u32 %p, %i, 40; @%p mbarrier.arrive.shared.b64 _, [more]; DONE:",
                           64),
                 31);
    /* a phase before the first is over; a state is that of its phase */
    cr_expect_eq(
        run_waits("A: mbarrier.try_wait.parity.shared.b64 %p, [obj], 1; @!%p bra A; @%f add.u32 %n, %n, 1;\n"
                  "@%f mbarrier.arrive.shared.b64 %t, [obj]; B: @%f mbarrier.test_wait.shared.b64 %p, [obj], %t;\n"
                  "@!%p bra B; @%f add.u32 %n, %n, 1;",
                  32),
        2);
}

/* ---- copies ------------------------------------------------------------------------------------------------------ */

enum { THREADS = 64, PIECE = 192 };

/* cp.async and an arrival of each thread; the last one of all ends the phase. */
Test(objects, threads_whose_copies_are_done_arrive)
{
    const uint64_t bytes[] = {THREADS * 4, THREADS * 4};
    for (int noinc = 0; noinc < 2; noinc++) {
        char body[2000];
        snprintf(
            body, sizeof body,
            ".visible .entry k(.param .u64 in, .param .u64 out) {\n"
            ".shared .align 8 .b64 obj; .shared .align 16 .b8 data[256];\n"
            ".reg .b64 %%a, %%o, %%t; .reg .b32 %%i, %%s, %%v; .reg .pred %%p, %%f;\n"
            "ld.param.u64 %%a, [in]; ld.param.u64 %%o, [out]; mov.u32 %%i, %%tid.x; setp.eq.u32 %%f, %%i, 0;\n"
            "mul.wide.u32 %%t, %%i, 4; add.u64 %%a, %%a, %%t; add.u64 %%o, %%o, %%t;\n"
            "@%%f mbarrier.init.shared.b64 [obj], %d; bar.sync 0; mov.u32 %%s, data; mad.lo.u32 %%s, %%i, 4, %%s;\n"
            "cp.async.ca.shared.global [%%s], [%%a], 4;\ncp.async.mbarrier.arrive%s.shared.b64 [obj];\n%s"
            "W: mbarrier.try_wait.parity.shared.b64 %%p, [obj], 0; @!%%p bra W;\n"
            "xor.b32 %%i, %%i, 32; mov.u32 %%s, data; mad.lo.u32 %%s, %%i, 4, %%s; ld.shared.b32 %%v, [%%s]; "
            "st.global.b32 [%%o], %%v; ret; }\n",
            THREADS, noinc ? ".noinc" : "", noinc ? "" : "mbarrier.arrive.shared.b64 _, [obj];\n");
        struct rig r;
        open_rig(&r, body, 2, bytes);
        for (uint32_t t = 0; t < THREADS; t++)
            ((uint32_t *)r.host[0])[t] = t * 1000 + 1;
        cr_assert(rig_run(&r, 1, THREADS), "%s", r.err.text);
        for (uint32_t t = 0; t < THREADS; t++)
            cr_expect_eq(((uint32_t *)r.host[1])[t], (t ^ 32) * 1000 + 1);
        rig_close(&r);
    }
}

/* In bulk to shared memory, all wait for the bytes, each turns its word around, and in bulk back. Twice. */
#define BULK                                                                                                           \
    ".visible .entry k(.param .u64 in, .param .u64 out) {\n"                                                           \
    ".shared .align 8 .b64 obj; .shared .align 16 .b8 data[192]; .shared .align 16 .b8 other[192];\n"                  \
    ".reg .b64 %a, %o, %t; .reg .b32 %i, %s, %d, %v, %n, %b; .reg .pred %p, %f, %w;\n"                                 \
    "ld.param.u64 %a, [in]; ld.param.u64 %o, [out]; mov.u32 %i, %tid.x; setp.eq.u32 %f, %i, 0;\n"                      \
    "mov.u32 %b, %ctaid.x; mul.wide.u32 %t, %b, 192; add.u64 %a, %a, %t; add.u64 %o, %o, %t; mov.u32 %n, 192;\n"       \
    "@%f mbarrier.init.shared.b64 [obj], 1; bar.sync 0; mov.u32 %s, data; mov.u32 %d, other; mov.u32 %b, obj;\n"       \
    "@%f mbarrier.arrive.expect_tx.shared.b64 _, [obj], %n;\n"                                                         \
    "@%f cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%s], [%a], %n, [%b];\n"                    \
    "W: mbarrier.try_wait.parity.shared.b64 %p, [obj], 0; @!%p bra W; bar.sync 0;\n"                                   \
    "@%f cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes [%d], [%s], 192, [obj];\n"             \
    "@%f mbarrier.arrive.expect_tx.shared.b64 _, [obj], 192;\n"                                                        \
    "V: mbarrier.try_wait.parity.shared.b64 %p, [obj], 1; @!%p bra V;\n"                                               \
    "setp.lt.u32 %w, %i, 48; mad.lo.u32 %i, %i, 4, %d; @%w ld.shared.u32 %v, [%i]; @%w not.b32 %v, %v;\n"              \
    "@%w st.shared.u32 [%i], %v; bar.sync 0; fence.proxy.async.shared::cta;\n"                                         \
    "@%f cp.async.bulk.global.shared::cta.bulk_group [%o], [%d], %n;\n"                                                \
    "cp.async.bulk.commit_group; cp.async.bulk.wait_group.read 0; ret; }\n"

static void fill(struct rig *r)
{
    for (int i = 0; i < 6 * PIECE; i++)
        ((uint8_t *)r->host[0])[i] = (uint8_t)(i * 11 + i / 256);
}
Test(objects, bulk_copies)
{
    const uint64_t bytes[] = {6 * PIECE, 6 * PIECE};
    rig_target = "sm_90";
    struct outcome o = rig_same_at_any_threads(BULK, 2, bytes, fill, 6, THREADS);
    rig_target = "sm_62";
    cr_assert(o.ok, "%s", o.err.text);
    for (int i = 0; i < 6 * PIECE; i++)
        cr_assert_eq(((uint8_t *)o.memory[1])[i], (uint8_t) ~((uint8_t *)o.memory[0])[i], "byte %d", i);
    outcome_free(&o);
}

Test(objects, bulk_copies_that_do_not_fit)
{
    static const struct {
        const char *copy;
        enum rp_fault_kind kind;
        const char *said;
    } cases[] = {
        {"cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [data], [%a+16], 192, [obj];",
         RP_FAULT_BOUNDS, "load of 192 bytes"},
        {"cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [data+16], [%a], 192, [obj];",
         RP_FAULT_BOUNDS, "store of 192 bytes"},
        {"cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [data], [%a+8], 16, [obj];",
         RP_FAULT_MISALIGNED, "load of 16 bytes"},
        {"cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [data], [%a], 24, [obj];",
         RP_FAULT_MISALIGNED, "load of 24 bytes"},
        {"cp.async.bulk.global.shared::cta.bulk_group [%a+48], [data], 160;", RP_FAULT_BOUNDS, "store of 160 bytes"},
    };
    for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
        const uint64_t bytes[] = {192};
        char body[1000];
        struct rig r;
        snprintf(body, sizeof body,
                 ".visible .entry k(.param .u64 in) {\n.shared .align 8 .b64 obj; .shared .align 16 .b8 data[192];\n"
                 ".reg .b64 %%a; ld.param.u64 %%a, [in]; mbarrier.init.shared.b64 [obj], 1;\n%s\nret; }\n",
                 cases[i].copy);
        open_rig(&r, body, 1, bytes);
        rig_expect_fault(&r, 1, 1, cases[i].kind, cases[i].said);
        rig_close(&r);
    }
}

/* Stores and reductions that tell an object, and barriers of the cluster. */
Test(objects, stores_that_tell_an_object)
{
    const uint64_t bytes[] = {64 * 16};
    struct rig r;
    open_rig(
        &r,
        ".visible .entry k(.param .u64 out) {\n"
        ".shared .align 8 .b64 obj; .shared .align 16 .b8 data[1024]; .shared .align 4 .b32 sum;\n"
        ".reg .b64 %o, %t; .reg .b32 %i, %s, %m, %v<4>, %a, %rank; .reg .pred %p, %f;\n"
        "ld.param.u64 %o, [out]; mov.u32 %i, %tid.x; setp.eq.u32 %f, %i, 0; mov.u32 %v0, 0;\n"
        "@%f mbarrier.init.shared.b64 [obj], 1; @%f st.shared.u32 [sum], %v0;\n"
        "@%f mbarrier.arrive.expect_tx.shared.b64 _, [obj], 1280;\n"
        "barrier.cluster.arrive.release.aligned; barrier.cluster.wait.acquire.aligned;\n"
        "mov.u32 %s, data; xor.b32 %v1, %i, 63; mad.lo.u32 %s, %v1, 16, %s; mov.u32 %m, obj; mov.u32 %a, sum;\n"
        "mapa.shared::cluster.u32 %s, %s, 0; mapa.shared::cluster.u32 %m, %m, 0;\n"
        "getctarank.shared::cluster.u32 %rank, %s; add.u32 %v0, %i, %rank; add.u32 %v1, %i, 1; add.u32 %v2, %i, 2;\n"
        "add.u32 %v3, %i, 3;\n"
        "st.async.shared::cluster.mbarrier::complete_tx::bytes.v4.b32 [%s], {%v0, %v1, %v2, %v3}, [%m];\n"
        "red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.add.u32 [%a], %i, [%m];\n"
        "W: mbarrier.try_wait.parity.shared.b64 %p, [obj], 0; @!%p bra W;\n"
        "mov.u32 %s, data; mad.lo.u32 %s, %i, 16, %s; ld.shared.v4.b32 {%v0, %v1, %v2, %v3}, [%s];\n"
        "ld.shared.u32 %v3, [sum]; mul.wide.u32 %t, %i, 16; add.u64 %o, %o, %t;\n"
        "st.global.v4.b32 [%o], {%v0, %v1, %v2, %v3}; ret; }\n",
        1, bytes);
    cr_assert(rig_run(&r, 1, 64), "%s", r.err.text);
    for (uint32_t t = 0; t < 64; t++) {
        const uint32_t *v = (uint32_t *)r.host[0] + 4 * t;
        cr_expect(v[0] == 63 - t && v[1] == 64 - t && v[2] == 65 - t && v[3] == 63 * 64 / 2, "thread %u", t);
    }
    rig_close(&r);
}
