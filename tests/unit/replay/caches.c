/* Instruction caches and warm L2 caches, to the cycle, on traces written by hand. */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "replay/session/machine_open.h"
#include "tests/unit/replay/common.h"

static struct statistics run(const char *machine, const struct warp_program *warps, uint32_t count,
                             const char *const *settings)
{
    struct machine *m = test_machine(machine, NULL, settings);
    struct rp_trace *t = trace_of(warps, count);
    struct statistics s = both_engines(t, m);
    rp_trace_close(t);
    machine_free(m);
    return s;
}

/* ---- instruction caches: orin-wcet, fp32 takes 1 + 4 ------------------------------------------------------------- */

/* Two instructions to a line. */
#define SMALL "icache=set-associative", "icache.line=16", "icache.ways=1", "icache.latency=20"

Test(icache, a_miss_holds_up_its_instruction)
{
    static const struct warp_op ops[] = {OP(FP32, 0, NO, NO), OP(FP32, 1, NO, NO), OP(FP32, 2, NO, NO),
                                         OP(FP32, 3, NO, NO), OP(FP32, 4, NO, NO)};
    static const struct warp_program warp = {ops, 5};
    struct statistics s = run("orin-wcet", &warp, 1, (const char *const[]){SMALL, NULL});
    /* fetched at 0, 20, 21, 41, 42; lines come at 20, 41, 62; issue at 20, 21, 41, 42, 62 */
    cr_expect_eq(s.cycles, 62 + 5);
    cr_expect_eq(s.memory.icache.misses, 3);
    cr_expect_eq(s.memory.icache.hits, 2, "the exit, which takes no issue slot, is not fetched");
    cr_expect_eq(s.stall[STALL_FETCH], 20 + 19 + 19);
    s = run("orin-wcet", &warp, 1, (const char *const[]){NULL});
    cr_expect_eq(s.cycles, 4 + 5);
    cr_expect_eq(s.memory.icache.hits + s.memory.icache.misses, 0, "a perfect one counts nothing");
}

Test(icache, sub_cores_share_one_or_not)
{
    static const struct warp_op ops[] = {OP(FP32, 0, NO, NO)};
    static const struct warp_program warps[] = {{ops, 1}, {ops, 1}}; /* in one line of 64 bytes */
    struct statistics s =
        run("orin-wcet", warps, 2, (const char *const[]){SMALL, "icache.line=64", "subcores=2", NULL});
    cr_expect_eq(s.memory.icache.misses, 2);
    s = run("orin-wcet", warps, 2,
            (const char *const[]){SMALL, "icache.line=64", "subcores=2", "icache_subcores=2", NULL});
    cr_expect_eq(s.memory.icache.misses, 1);
    cr_expect_eq(s.memory.icache.hits, 1);
    cr_expect_eq(s.cycles, 20 + 5, "both wait for the line");
}

Test(icache, does_not_share_with_those_it_cannot)
{
    struct rp_error err = {0};
    struct machine_setting settings[] = {{"icache_subcores", "3"}};
    cr_expect_null(
        machine_open(&(struct machine_request){.name = "tx2-pastis", .settings = settings, .setting_count = 1}, &err));
    cr_expect(strstr(err.text, "icache.subcores (3) does not divide subcores (4)"), "%s", err.text);
}

/* ---- warm L2: tx2-pastis, L1 hit 82, L2 hit 216, else 316, and 1 for each further sector of four ------------------
 */

static const struct warp_op reads_input[] = {ACCESS(GLOBAL, false, 0, 4, WARP_TRACE_INPUT), OP(INT, 1, 0, NO)};
static const struct warp_op reads_output[] = {ACCESS(GLOBAL, false, 0, 4, WARP_TRACE_OUTPUT), OP(INT, 1, 0, NO)};

Test(warm_l2, what_the_host_wrote_is_there)
{
    static const struct warp_program input = {reads_input, 2}, output = {reads_output, 2};
    static const char *const warm[] = {"warm_l2=true", NULL};
    struct statistics s = run("tx2-pastis", &input, 1, NULL);
    cr_expect_eq(s.cycles, 316 + 3 + 6);
    cr_expect_eq(s.memory.l2.misses, 4);
    s = run("tx2-pastis", &input, 1, warm);
    cr_expect_eq(s.cycles, 216 + 3 + 6);
    cr_expect_eq(s.memory.l2.hits, 4);
    cr_expect_eq(s.memory.dram.accesses, 0);
    cr_expect_eq(run("tx2-pastis", &output, 1, warm).cycles, 316 + 3 + 6, "the rest is not");
    static const char *const small[] = {"warm_l2=true", "l2.size=2K", NULL};
    cr_expect_eq(run("tx2-pastis", &input, 1, small).cycles, 316 + 3 + 6, "of 4 KiB the last 2 are left");
}

static const struct warp_op writes_output[] = {ACCESS(GLOBAL, true, 0, 4, WARP_TRACE_OUTPUT)};

/* Nsight Compute's misses of L2: no writes, and no sector that is on its way, even if nobody asked for it. */
Test(l2, fetches_are_the_misses_that_a_gpu_counts)
{
    static const struct warp_program input = {reads_input, 2}, output = {writes_output, 1};
    static const char *const together[] = {"l2.fill=64", "warm_l2=no", NULL}, *const single[] = {
                                                                                  "l2.fill=64", "warm_l2=no",
                                                                                  "port.sectors=1", NULL};
    struct statistics s = run("titan-v", &input, 1, together);
    cr_expect_eq(s.memory.l2.misses, 4);
    cr_expect_eq(s.memory.l2.fetches, 4, "a request fetches each of its sectors");
    s = run("titan-v", &input, 1, single);
    cr_expect_eq(s.memory.l2.misses, 4);
    cr_expect_eq(s.memory.l2.fetches, 2, "each brings the next one, too");
    s = run("titan-v", &output, 1, together);
    cr_expect_eq(s.memory.l2.misses, 4);
    cr_expect_eq(s.memory.l2.fetches, 0);
}

/* Traces of other simulators, and of programs, have copies in place of buffers with a content. */
Test(warm_l2, copies_count)
{
    static const struct warp_program output = {reads_output, 2};
    static const struct {
        enum rp_copy_direction direction;
        uint64_t address, size, cycles;
        const char *l2;
    } copies[] = {{RP_COPY_TO_DEVICE, WARP_TRACE_OUTPUT, 128, 216, "l2.size=256K"},
                  {RP_COPY_TO_DEVICE, WARP_TRACE_OUTPUT, 4096, 316, "l2.size=2K"},
                  {RP_COPY_TO_DEVICE, WARP_TRACE_OUTPUT + 128, 128, 316, "l2.size=256K"},
                  {RP_COPY_TO_HOST, WARP_TRACE_OUTPUT, 128, 316, "l2.size=256K"}};
    for (size_t i = 0; i < sizeof copies / sizeof *copies; i++) {
        char path[] = "/tmp/reprise-warm-XXXXXX";
        struct rp_error err;
        struct rp_host_operation o = {.kind = RP_HOST_COPY,
                                      .direction = (uint8_t)copies[i].direction,
                                      .address = copies[i].address,
                                      .size = copies[i].size};
        close(mkstemp(path));
        struct warp_trace *w = warp_trace_begin(path, &err);
        cr_assert(w && warp_trace_host(w, &o, &err) && warp_trace_launch(w, &output, 1, 1, &err) &&
                      warp_trace_host(w, &o, &err) && warp_trace_end(w, true, &err),
                  "%s", err.text);
        struct rp_trace *t = rp_trace_open(path, &err);
        unlink(path);
        struct machine *m = test_machine("tx2-pastis", NULL, (const char *const[]){"warm_l2=true", copies[i].l2, NULL});
        cr_expect_eq(both_engines(t, m).cycles, copies[i].cycles + 3 + 6, "copy %zu", i);
        rp_trace_close(t);
        machine_free(m);
    }
}

static uint64_t two_launches(const char *const *settings)
{
    static const struct warp_program warp = {reads_input, 2};
    char path[] = "/tmp/reprise-warm-XXXXXX";
    struct rp_error err;
    close(mkstemp(path));
    struct warp_trace *w = warp_trace_begin(path, &err);
    cr_assert(w && warp_trace_launch(w, &warp, 1, 1, &err) && warp_trace_launch(w, &warp, 1, 1, &err) &&
                  warp_trace_end(w, true, &err),
              "%s", err.text);
    struct rp_trace *t = rp_trace_open(path, &err);
    unlink(path);
    struct machine *m = test_machine("tx2-pastis", NULL, settings);
    uint64_t cycles = both_engines(t, m).cycles;
    rp_trace_close(t);
    machine_free(m);
    return cycles;
}

Test(warm_l2, before_each_launch_or_the_first)
{
    cr_expect_eq(two_launches((const char *const[]){"warm_l2=true", NULL}), 2 * (216 + 3 + 6));
    cr_expect_eq(two_launches((const char *const[]){"warm_l2=true", "flush_caches=false", NULL}),
                 216 + 3 + 6 + 82 + 3 + 6, "the second one finds it in L1");
}

Test(warm_l2, needs_an_l2)
{
    struct rp_error err = {0};
    struct machine_setting settings[] = {{"warm_l2", "true"}};
    cr_expect_null(
        machine_open(&(struct machine_request){.name = "orin-wcet", .settings = settings, .setting_count = 1}, &err));
    cr_expect(strstr(err.text, "warm_l2 warms nothing: l2.model is 'none'"), "%s", err.text);
}
