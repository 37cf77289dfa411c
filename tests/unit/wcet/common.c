#include "tests/unit/wcet/common.h"

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
