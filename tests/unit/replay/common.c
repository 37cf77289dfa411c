#include "tests/unit/replay/common.h"
#include "replay/session/machine_open.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct machine *test_machine(const char *name, const struct model_set *models, const char *const *settings)
{
    struct machine_setting list[32];
    char text[32][96];
    size_t count = 0;
    for (; settings && settings[count]; count++) {
        snprintf(text[count], sizeof text[count], "%s", settings[count]);
        char *equals = strchr(text[count], '=');
        *equals = 0;
        list[count] = (struct machine_setting){text[count], equals + 1};
    }
    struct rp_error err;
    struct machine *m = machine_open(
        &(struct machine_request){.name = name, .settings = list, .setting_count = count, .models = models}, &err);
    cr_assert(m, "%s", err.text);
    return m;
}

static bool runs_in(const struct model *model, bool staged)
{
    const struct scheduler_model *s = (const struct scheduler_model *)model;
    return staged || (!s->observe && !s->feedback);
}

size_t scheduler_count(bool staged)
{
    size_t count = 0;
    for (const struct model *const *m = built_in_models.of[KIND_SCHEDULER]; *m; m++)
        count += runs_in(*m, staged);
    return count;
}

const char *scheduler_name(uint64_t n, bool staged)
{
    n %= scheduler_count(staged);
    const struct model *const *m = built_in_models.of[KIND_SCHEDULER];
    while (!runs_in(*m, staged) || n--)
        m++;
    return (*m)->name;
}

struct rp_trace *trace_of(const struct warp_program *warps, uint32_t count)
{
    char path[] = "/tmp/reprise-timing-XXXXXX";
    struct rp_error err;
    close(mkstemp(path));
    cr_assert(warp_trace_write(path, warps, count, &err), "%s", err.text);
    struct rp_trace *t = rp_trace_open(path, &err);
    cr_assert(t, "%s", err.text);
    unlink(path);
    return t;
}

struct statistics both_engines(struct rp_trace *t, const struct machine *m)
{
    struct replay_result result[2];
    struct rp_error err;
    for (int i = 0; i < 2; i++)
        cr_assert(replay(t, m, &(struct replay_options){.engine = i ? REPLAY_REFERENCE : REPLAY_FAST, .launch = -1},
                         &result[i], &err),
                  "%s", err.text);
    const char *why = statistics_difference(m, &result[0].total, &result[1].total);
    cr_assert_null(why, "fast and reference differ: %s", why);
    struct statistics s = result[0].total;
    replay_result_free(&result[0]);
    replay_result_free(&result[1]);
    return s;
}

struct statistics run_block(const struct warp_program *warps, uint32_t count, const char *const *settings)
{
    struct machine *m = test_machine("orin-wcet", NULL, settings);
    struct rp_trace *t = trace_of(warps, count);
    struct statistics s = both_engines(t, m);
    rp_trace_close(t);
    machine_free(m);
    return s;
}
