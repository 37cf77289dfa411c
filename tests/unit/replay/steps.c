#include "steps.h"

#include <criterion/criterion.h>
#include <unistd.h>

static struct rp_trace *trace_of_steps(const struct step *steps, size_t count)
{
    static struct warp_op ops[LONGEST];
    char path[] = "/tmp/reprise-streams-XXXXXX";
    struct rp_error err;
    close(mkstemp(path));
    struct warp_trace *w = warp_trace_begin(path, &err);
    bool fine = w;
    for (unsigned i = 0; i < LONGEST; i++)
        ops[i] = (struct warp_op)OP(INT, 1, 1, NO);
    for (size_t i = 0; fine && i < count; i++) {
        struct warp_program program = {ops, steps[i].ops};
        warp_trace_device(w, steps[i].host.device);
        warp_trace_stream(w, steps[i].stream);
        fine = steps[i].ops ? warp_trace_launch(w, &program, 1, steps[i].blocks, &err)
                            : warp_trace_host(w, &steps[i].host, &err);
    }
    cr_assert(fine && warp_trace_end(w, true, &err), "%s", err.text);
    struct rp_trace *t = rp_trace_open(path, &err);
    cr_assert(t, "%s", err.text);
    unlink(path);
    return t;
}

uint64_t run_steps(const struct step *steps, size_t count, const char *const *settings, uint64_t (*times)[2])
{
    struct rp_trace *t = trace_of_steps(steps, count);
    struct machine *m = test_machine("orin-wcet", NULL, settings);
    uint64_t total = 0;
    static const unsigned threads[] = {1, 1, 2, 3, 5};
    for (int e = 0; e < 5; e++) {
        struct replay_options options = {
            .engine = e == 1 ? REPLAY_REFERENCE : REPLAY_FAST, .threads = threads[e], .launch = -1};
        struct replay_result r;
        struct rp_error err;
        cr_assert(replay(t, m, &options, &r, &err), "%s", err.text);
        for (uint32_t i = 0; i < r.count; i++) {
            cr_assert(!e || (times[i][0] == r.launches[i].begin && times[i][1] == r.launches[i].end));
            times[i][0] = r.launches[i].begin;
            times[i][1] = r.launches[i].end;
        }
        cr_assert(!e || total == r.total.cycles);
        total = r.total.cycles;
        replay_result_free(&r);
    }
    machine_free(m);
    rp_trace_close(t);
    return total;
}

uint64_t alone(uint32_t ops)
{
    uint64_t times[1][2];
    return run_steps(STEPS(LAUNCH(ops, 1, 0)), SETTINGS(TWO_SMS), times);
}
