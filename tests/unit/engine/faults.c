/* Every kind of misbehaviour ends in one line that says what, where and by whom. */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "rig.h"
#include "tracefmt/reader.h"

#define HEAD                                                                                                           \
    ".visible .entry k(.param .u64 a, .param .u64 b)\n{\n"                                                             \
    ".reg .b32 %r<30>; .reg .b64 %rd<20>; .reg .pred %p<8>; .shared .align 8 .b8 s[64]; .local .align 8 .b8 l[32];\n"  \
    "ld.param.u64 %rd1, [a]; ld.param.u64 %rd2, [b]; mov.u32 %r1, %tid.x; mov.u32 %r2, %ctaid.x;\n"                    \
    "mov.u32 %r3, %ntid.x; mad.lo.u32 %r4, %r2, %r3, %r1; mad.wide.u32 %rd3, %r4, 4, %rd1;\n"
#define TAIL "\nret;\n}\n"

static const uint64_t bytes[] = {400, 64};

static void faults(const char *body, enum rp_fault_kind kind, const char *text)
{
    struct rig r;
    rig_open(&r, body, 2, bytes);
    r.config.limit = 100000;
    rig_expect_fault(&r, 4, 32, kind, text);
    rig_close(&r);
}

Test(faults, global_memory_has_exact_bounds)
{
    faults(HEAD "st.global.u32 [%rd3], 1;" TAIL, RP_FAULT_BOUNDS,
           "out of bounds: store of 4 bytes at 0x400000190 in global memory, 0 bytes past the end of arg0 (400 bytes)");
    faults(HEAD "ld.global.u32 %r5, [%rd1 + -4];" TAIL, RP_FAULT_BOUNDS, "4 bytes before arg0 (400 bytes)");
    faults(HEAD "ld.global.v4.u32 {%r5,%r6,%r7,%r8}, [%rd1 + 400];" TAIL, RP_FAULT_BOUNDS, "load of 16 bytes");
    faults(HEAD "mov.u64 %rd4, 0; ld.u32 %r5, [%rd4];" TAIL, RP_FAULT_BOUNDS, "a null pointer");
    faults(HEAD "atom.global.add.u32 %r5, [%rd2 + 64], 1;" TAIL, RP_FAULT_BOUNDS,
           "atomic of 4 bytes at 0x400000440 in global memory, 0 bytes past the end of arg1");
}

/* A load before has found the variable. */
Test(faults, shared_memory_has_exact_bounds_behind_other_loads)
{
    const char begin[] = HEAD "mov.u32 %r6, s; and.b32 %r7, %r1, 7; mad.lo.u32 %r8, %r1, 4, %r6; ld.shared.u32 %r9, "
                              "[%r6]; setp.eq.u32 %p1, %r1, 77; @%p1 ret; ld.shared.u32 %r9, [%r6];";
    char body[1024];
    snprintf(body, sizeof body, "%s%s", begin, "ld.shared.u32 %r9, [%r6+60]; ld.shared.u32 %r9, [%r6+64];" TAIL);
    faults(body, RP_FAULT_BOUNDS, "load of 4 bytes at 0x40 in shared memory");
    snprintf(body, sizeof body, "%s%s", begin, "ld.shared.u32 %r9, [%r6+-4];" TAIL);
    faults(body, RP_FAULT_BOUNDS, "load of 4 bytes");
    snprintf(body, sizeof body, "%s%s", begin, "ld.shared.u64 %rd4, [%r6+60];" TAIL);
    faults(body, RP_FAULT_MISALIGNED, "load of 8 bytes");
    snprintf(body, sizeof body, "%s%s", begin, "ld.shared.u32 %r9, [%r6+2];" TAIL);
    faults(body, RP_FAULT_MISALIGNED, "load of 4 bytes");
    snprintf(body, sizeof body, "%s%s", begin, "@!%p1 ld.shared.u32 %r9, [%r8+-64]; ld.shared.u32 %r9, [%r8];" TAIL);
    faults(body, RP_FAULT_BOUNDS, "load of 4 bytes");
}

Test(faults, the_report_names_instruction_line_block_and_thread)
{
    faults(HEAD "st.global.u32 [%rd3], 1;" TAIL, RP_FAULT_BOUNDS, "kernel 'k': ");
    faults(HEAD "st.global.u32 [%rd3], 1;" TAIL, RP_FAULT_BOUNDS, "at 'st.global.u32 [%rd3], 1' (test.ptx:9)");
    faults(HEAD "st.global.u32 [%rd3], 1;" TAIL, RP_FAULT_BOUNDS, "block (3,0,0), thread (4,0,0)");
}

Test(faults, the_result_names_the_place_too)
{
    struct rig r;
    rig_open(&r, HEAD "st.global.u32 [%rd3], 1;" TAIL, 2, bytes);
    rig_expect_fault(&r, 4, 32, RP_FAULT_BOUNDS, "");
    cr_assert_eq(r.result.fault_block[0], 3);
    cr_assert_eq(r.result.fault_thread[0], 4);
    cr_assert_eq(r.result.fault_address, r.address[0] + 400);
    cr_assert_not_null(strstr(r.program->kernel.instructions[r.result.fault_instruction].text, "st.global.u32"));
    rig_close(&r);
}

Test(faults, addresses_must_be_aligned)
{
    faults(HEAD "ld.global.u32 %r5, [%rd1 + 2];" TAIL, RP_FAULT_MISALIGNED, "misaligned address: load of 4 bytes");
    faults(HEAD "ld.global.v2.u32 {%r5,%r6}, [%rd1 + 4];" TAIL, RP_FAULT_MISALIGNED, "not a multiple of 8");
    faults(HEAD "ld.shared.u64 %rd5, [s + 4];" TAIL, RP_FAULT_MISALIGNED, "in shared memory");
    faults(HEAD "ld.local.u16 %r5, [l + 1];" TAIL, RP_FAULT_MISALIGNED, "in local memory");
}

Test(faults, other_spaces_have_bounds_too)
{
    faults(HEAD "ld.shared.u32 %r5, [s + 64];" TAIL, RP_FAULT_BOUNDS, "0 bytes past the end of s (64 bytes)");
    faults(HEAD "mov.u64 %rd4, l; ld.local.u32 %r5, [%rd4 + 4096];" TAIL, RP_FAULT_BOUNDS, "of local memory");
    faults(HEAD "mov.u64 %rd4, 50; ld.param.u32 %r5, [%rd4 + 2];" TAIL, RP_FAULT_BOUNDS, "of param memory");
}

/* Shared arrays have gaps between them, of which sizes and banks show nothing; lanes may use different ones at once. */
#define ARRAYS                                                                                                         \
    ".extern .shared .align 16 .b8 dynamic[]; .shared .align 4 .b8 t[20];\n" HEAD                                      \
    "mov.u32 %r5, s; mov.u32 %r6, t; setp.lt.u32 %p1, %r1, 3; selp.u32 %r5, %r5, %r6, %p1;\n"                          \
    "mad.lo.u32 %r5, %r1, 4, %r5; mov.u32 %r7, dynamic;\n"

Test(faults, shared_arrays_are_apart)
{
    faults(ARRAYS "st.shared.u32 [%r5], %r1;" TAIL, RP_FAULT_BOUNDS, "0 bytes past the end of t (20 bytes)");
    faults(ARRAYS "ld.shared.u64 %rd5, [t+16];" TAIL, RP_FAULT_BOUNDS, "at byte 16 of t (20 bytes)");
    faults(ARRAYS "ld.shared.u32 %r8, [s+76];" TAIL, RP_FAULT_BOUNDS, "12 bytes past the end of s (64 bytes)");
    faults(ARRAYS "st.shared.u32 [%r7], %r1;" TAIL, RP_FAULT_BOUNDS,
           "0 bytes past the end of dynamic shared memory (0 bytes)");
    faults(HEAD ".shared .b32 alone[4]; st.shared.u32 [alone+4112], %r1;" TAIL, RP_FAULT_BOUNDS,
           "4096 bytes past the end of alone (16 bytes)");
}

Test(faults, shared_arrays_are_as_large_as_without_gaps)
{
    struct rig r;
    rig_open(
        &r,
        ARRAYS
        "st.shared.u32 [%r5], %r1; ld.shared.u32 %r8, [%r5];\n"
        "mad.lo.u32 %r7, %r1, 4, %r7; st.shared.u32 [%r7], %r8; ld.shared.u32 %r9, [%r7];\n"
        "mov.u32 %r10, %total_smem_size; mov.u32 %r11, %dynamic_smem_size; mov.u32 %r12, s; sub.u32 %r12, %r6, %r12;\n"
        "and.b32 %r12, %r12, 511; st.global.v4.u32 [%rd1], {%r9, %r10, %r11, %r12};\nDONE:" TAIL,
        2, bytes);
    r.config.dynamic_shared = 32;
    cr_assert(rig_run(&r, 1, 5), "%s", r.err.text);
    const uint32_t *out = r.host[0];
    cr_expect(out[0] == 4 && out[1] == 96 + 32 && out[2] == 32, "%u %u %u", out[0], out[1], out[2]);
    cr_expect(out[3] == 64, "t lies 64 bytes behind s, and a multiple of the gap: %u", out[3]);
    rig_expect_fault(&r, 1, 6, RP_FAULT_BOUNDS, "0 bytes past the end of t (20 bytes)");
    rig_close(&r);
}

Test(faults, constants_cannot_be_stored_to)
{
    faults(".const .u32 c = 5;\n" HEAD "mov.u64 %rd4, c; cvta.const.u64 %rd4, %rd4; st.u32 [%rd4], 1;" TAIL,
           RP_FAULT_READ_ONLY, "store to read-only memory");
}

/* Only the lanes that are active and whose guard holds count. */
Test(faults, lanes_that_are_off_may_hold_any_address)
{
    struct rig r;
    rig_open(&r,
             HEAD "setp.ge.u32 %p1, %r4, 100; mov.u64 %rd4, 3; @!%p1 mov.u64 %rd4, %rd3;\n"
                  "@!%p1 st.global.u32 [%rd4], 1; @%p1 bra E; st.global.u32 [%rd4], 2;\nE:" TAIL,
             2, bytes);
    cr_assert(rig_run(&r, 4, 32), "%s", r.err.text);
    for (int i = 0; i < 100; i++)
        cr_assert_eq(((uint32_t *)r.host[0])[i], 2);
    rig_close(&r);
}

Test(faults, endless_loops_end_at_the_limit)
{
    faults(HEAD "L: add.u32 %r5, %r5, 1; bra L;" TAIL, RP_FAULT_LIMIT,
           "endless loop? the warp has executed 100001 instructions, more than the limit of 100000");
    faults(HEAD "L: ld.volatile.global.u32 %r5, [%rd1]; setp.eq.u32 %p1, %r5, 0; @%p1 bra L;" TAIL, RP_FAULT_LIVELOCK,
           "the threads of 4 blocks");
}

Test(faults, traps_end_the_launch)
{
    faults(HEAD "setp.eq.u32 %p1, %r1, 7; @%p1 trap;" TAIL, RP_FAULT_TRAP, "thread (7,0,0)");
}

#define RECURSIVE                                                                                                      \
    ".func (.param .b32 r) f(.param .b32 n)\n{\n.reg .b32 %r<5>; .reg .pred %p<2>; .local .align 4 .b8 big[64];\n"     \
    "ld.param.u32 %r1, [n]; st.local.u32 [big], %r1; add.u32 %r2, %r1, -1; setp.eq.u32 %p1, %r1, 0; @%p1 bra Z;\n"     \
    "{ .param .b32 x; .param .b32 y; st.param.b32 [x], %r2; call.uni (y), f, (x); ld.param.b32 %r3, [y]; }\n"          \
    "ld.local.u32 %r4, [big]; add.u32 %r3, %r3, %r4; st.param.b32 [r], %r3; ret;\nZ: st.param.b32 [r], 0; ret;\n}\n"
/* The same with its local variable used through a pointer, as compilers do. */
#define POINTING                                                                                                       \
    ".func (.param .b32 r) f(.param .b32 n)\n{\n.reg .b32 %r<5>; .reg .b64 %d<2>; .local .align 4 .b8 big[64];\n"      \
    "mov.u64 %d1, big; ld.param.u32 %r1, [n]; st.local.u32 [%d1 + 60], %r1; add.u32 %r2, %r1, -1;\n"                   \
    "{ .param .b32 x; .param .b32 y; st.param.b32 [x], %r2; call.uni (y), f, (x); ld.param.b32 %r3, [y]; }\n"          \
    "ld.local.u32 %r4, [%d1 + 60]; add.u32 %r3, %r3, %r4; st.param.b32 [r], %r3; ret;\n}\n"
#define CALL(n)                                                                                                        \
    "{ .param .b32 x; .param .b32 y; st.param.b32 [x], " n "; call.uni (y), f, (x); ld.param.b32 %r5, [y]; }\n"

Test(faults, stacks_end)
{
    faults(RECURSIVE HEAD CALL("100000") TAIL, RP_FAULT_STACK, "stack exhausted");
    faults(POINTING HEAD CALL("100000") TAIL, RP_FAULT_STACK, "stack exhausted");
    struct rig r;
    rig_open(&r, RECURSIVE HEAD "and.b32 %r6, %r1, 15;\n" CALL("%r6") "st.global.u32 [%rd3], %r5;" TAIL, 2, bytes);
    cr_assert(rig_run(&r, 3, 32), "%s", r.err.text);
    for (uint32_t i = 0; i < 96; i++) /* each lane recurs as deep as it likes */
        cr_assert_eq(((uint32_t *)r.host[0])[i], (i & 15) * ((i & 15) + 1) / 2);
    r.config.stack_bytes = 128;
    rig_expect_fault(&r, 3, 32, RP_FAULT_STACK, "per thread is exhausted");
    rig_close(&r);
}

Test(faults, calls_and_tables_have_valid_targets_only)
{
    faults(".func f()\n{\nret;\n}\n" HEAD "mov.u64 %rd4, f; add.u64 %rd4, %rd4, 4;\n"
           "p: .callprototype _ ();\ncall %rd4, (), p;" TAIL,
           RP_FAULT_BAD_CALL, "where no function begins");
    faults(HEAD "ts: .branchtargets A, B; brx.idx %r1, ts;\nA: ret;\nB:" TAIL, RP_FAULT_BAD_CALL,
           "branch index 2, but the table has 2 targets");
}

/* ---- what is left of a run that failed --------------------------------------------------------------------------- */

Test(faults, the_trace_ends_with_the_instruction_at_fault)
{
    struct rig r;
    char path[] = "/tmp/reprise-fault-XXXXXX";
    close(mkstemp(path));
    rig_open(&r, HEAD "setp.eq.u32 %p1, %r2, 2; @%p1 add.u64 %rd3, %rd3, 4096; @%p1 st.global.u32 [%rd3], 1;" TAIL, 2,
             bytes);
    struct rp_provenance from = {.tool = "test", .module_name = "test.ptx", .module_sha256 = ""};
    r.config.writer = rp_writer_open(path, &from, NULL, &r.err);
    rig_expect_fault(&r, 3, 32, RP_FAULT_BOUNDS, "block (2,0,0)");
    cr_assert(rp_writer_close(r.config.writer, &r.err), "%s", r.err.text);
    struct rp_trace *t = rp_trace_open(path, &r.err);
    cr_assert_not_null(t, "%s", r.err.text);
    cr_assert(rp_trace_verify(t, NULL, NULL, &r.err), "%s", r.err.text);
    cr_assert_eq(rp_trace_launch_totals(t, 0).blocks, 3);
    cr_assert_not_null(strstr(rp_trace_launch_end(t, 0)->fault, "out of bounds"));
    struct rp_block *b = rp_block_open(t, 0, 2, &r.err);
    struct rp_cursor c;
    struct rp_step step = {0};
    uint32_t last = 0;
    cr_assert(b && rp_cursor_open(&c, b, 0, &r.err), "%s", r.err.text);
    while (rp_cursor_next(&c, &step, &r.err) > 0)
        last = step.index;
    cr_assert_eq(last, r.result.fault_instruction);
    cr_assert_eq(step.executed, ~(rp_lanemask)0);
    uint64_t at[32];
    rp_access_addresses(step.accesses, at);
    cr_assert_eq(at[0], r.result.fault_address);
    rp_cursor_close(&c);
    rp_block_close(b);
    rp_trace_close(t);
    unlink(path);
    rig_close(&r);
}

Test(faults, launches_that_no_device_takes_are_refused)
{
    struct rig r;
    rig_open(&r, HEAD "ld.shared.u32 %r5, [s];" TAIL, 2, bytes);
    static const struct {
        uint32_t grid[3], block[3], shared;
        const char *text;
    } bad[] = {
        {{0, 1, 1}, {32, 1, 1}, 0, "grid dimension x is 0"},
        {{1, 65536, 1}, {32, 1, 1}, 0, "grid dimension y is 65536; it must be 1 to 65535"},
        {{1, 1, 1}, {32, 1, 65}, 0, "block dimension z is 65"},
        {{1, 1, 1}, {64, 32, 1}, 0, "has 2048 threads; at most 1024"},
        {{1, 1, 1}, {32, 1, 1}, 49152, "49216 bytes of shared memory per block; at most 49152"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        memcpy(r.config.grid, bad[i].grid, sizeof r.config.grid);
        memcpy(r.config.block, bad[i].block, sizeof r.config.block);
        r.config.dynamic_shared = bad[i].shared;
        cr_assert(!rp_launch_kernel(r.device, r.program, &r.config, &r.result, &r.err));
        cr_assert_eq(r.err.status, RP_USAGE);
        cr_assert_not_null(strstr(r.err.text, bad[i].text), "%s", r.err.text);
    }
    rig_close(&r);
}
