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

struct rp_trace *trace_of(const struct warp_program *programs, uint32_t warps)
{
    struct rp_error err;
    char path[] = "/tmp/reprise-wcet-XXXXXX";
    int fd = mkstemp(path);
    cr_assert_geq(fd, 0);
    close(fd);
    cr_assert(warp_trace_write(path, programs, warps, &err), "%s", err.text);
    struct rp_trace *t = rp_trace_open(path, &err);
    unlink(path);
    cr_assert(t, "%s", err.text);
    return t;
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
