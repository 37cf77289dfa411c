#include "tests/unit/wcet/common.h"
#include "replay/session/machine_open.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <unistd.h>

struct machine *orin(const struct machine_setting *settings, size_t count)
{
    struct rp_error err;
    struct machine *m = machine_open(
        &(struct machine_request){.name = "orin-wcet", .settings = settings, .setting_count = count}, &err);
    cr_assert(m, "%s", err.text);
    return m;
}

struct rp_trace *trace_of_blocks(const struct warp_program *programs, uint32_t warps, uint32_t blocks)
{
    struct rp_error err;
    char path[] = "/tmp/reprise-wcet-XXXXXX";
    int fd = mkstemp(path);
    cr_assert_geq(fd, 0);
    close(fd);
    struct warp_trace *w = warp_trace_begin(path, &err);
    cr_assert(w && warp_trace_end(w, warp_trace_launch(w, programs, warps, blocks, &err), &err), "%s", err.text);
    struct rp_trace *t = rp_trace_open(path, &err);
    unlink(path);
    cr_assert(t, "%s", err.text);
    return t;
}

struct rp_trace *trace_of(const struct warp_program *programs, uint32_t warps)
{
    return trace_of_blocks(programs, warps, 1);
}

uint64_t replayed(struct rp_trace *t, const struct machine *m, enum replay_engine engine)
{
    struct rp_error err;
    struct replay_result result;
    struct replay_options options = {.engine = engine, .launch = -1};
    cr_assert(replay(t, m, &options, &result, &err), "%s", err.text);
    uint64_t cycles = result.total.cycles;
    replay_result_free(&result);
    return cycles;
}

struct wcet_bounds bounds_of(struct rp_trace *t, const struct machine *m, unsigned extensions)
{
    struct rp_error err;
    struct wcet_bounds b;
    cr_assert(wcet_analyse(t, 0, m, extensions, NULL, &b, &err), "%s", err.text);
    return b;
}

static const struct warp_op held_up[] = {
    OP(FP32_DIV, 0, NO, NO, NO), /* FU1, 11 cycles */
    OP(INT, 1, NO, NO, NO),      /* FU0, 1 */
    OP(SFU, 2, 1, NO, NO),       /* FU2, 1 and a latency of 8 */
};
static const struct warp_op holding_up[] = {
    OP(INT_DIV, 0, NO, NO, NO), /* FU0, 10 */
    OP(FP32, 1, NO, NO, NO),    /* FU1, 1 */
    OP(CONVERT, 2, 1, NO, NO),  /* FU2, 10 */
};
const struct warp_program counterexample[] = {{held_up, 3}, {holding_up, 3}};

struct machine *counterexample_machine(const struct machine_setting *more, size_t count)
{
    struct machine_setting settings[16] = {
        {"classes.fp32-div.initiation", "11"}, {"classes.fp32-div.latency", "0"},    {"classes.int.initiation", "1"},
        {"classes.int.latency", "0"},          {"classes.sfu.initiation", "1"},      {"classes.sfu.latency", "8"},
        {"classes.int-div.initiation", "10"},  {"classes.int-div.latency", "0"},     {"classes.fp32.latency", "0"},
        {"classes.convert.unit", "sfu"},       {"classes.convert.initiation", "10"}, {"classes.convert.latency", "0"},
    };
    cr_assert_leq(count, 4);
    for (size_t i = 0; i < count; i++)
        settings[12 + i] = more[i];
    return orin(settings, 12 + count);
}
