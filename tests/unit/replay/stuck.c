/* Traces that end early, and barriers that nobody completes: an answer every time, the same from both engines. */
#include <criterion/criterion.h>
#include <string.h>
#include <unistd.h>

#include "tests/support/synthetic_trace.h"
#include "tests/unit/replay/common.h"

/* Two blocks of two warps: warp 0 computes and waits at barrier 3 for `expected` threads, warp 1 computes only. */
static struct rp_trace *half_a_barrier(int32_t expected, enum rp_outcome outcome)
{
    static const rp_register r0 = RP_REGISTER(RP_FILE_GENERAL, 0, 1);
    struct rp_instruction in[4] = {
        {.text = "add", .unit_class = RP_CLASS_INT, .dst_count = 1, .dst = &r0},
        {.text = "bar", .unit_class = RP_CLASS_BARRIER, .barrier = {RP_BARRIER_SYNC, 3, expected}},
        {.text = "add", .unit_class = RP_CLASS_INT, .dst_count = 1, .dst = &r0},
        {.text = "exit", .unit_class = RP_CLASS_CONTROL, .flags = RP_EXIT},
    };
    struct rp_kernel kernel = {.name = "half", .isa = "test", .instruction_count = 4, .instructions = in};
    struct rp_launch launch = {.grid = {2, 1, 1}, .block = {64, 1, 1}};
    struct rp_provenance provenance = {.tool = "test", .module_name = "m", .module_sha256 = ""};
    struct rp_launch_end end = {outcome, outcome == RP_OUTCOME_FAULT ? "it hangs" : NULL};
    struct rp_error err;
    uint32_t id;
    char path[] = "/tmp/reprise-stuck-XXXXXX";
    close(mkstemp(path));
    struct rp_writer *w = rp_writer_open(path, &provenance, NULL, &err);
    cr_assert(w && rp_writer_add_kernel(w, &kernel, &launch.kernel, &err) &&
                  rp_writer_begin_launch(w, &launch, &id, &err),
              "%s", err.text);
    struct rp_chunk *chunk = rp_chunk_new(&kernel, id, NULL);
    for (uint64_t b = 0; b < 2; b++) {
        struct rp_warp_log *logs = rp_chunk_begin_block(chunk, b, 2);
        rp_log_run(&logs[0], 0, 4, ~0u);
        rp_log_run(&logs[1], 2, 2, ~0u);
        rp_chunk_end_block(chunk, b);
    }
    struct rp_frame *frame = rp_chunk_finish(chunk, &err);
    rp_chunk_free(chunk);
    cr_assert(frame && rp_writer_commit(w, frame, &err) && rp_writer_end_launch(w, id, &end, &err) &&
                  rp_writer_close(w, &err),
              "%s", err.text);
    struct rp_trace *t = rp_trace_open(path, &err);
    cr_assert(t, "%s", err.text);
    unlink(path);
    return t;
}

Test(stuck, a_barrier_that_nobody_completes_is_an_error)
{
    struct rp_trace *t = half_a_barrier(64, RP_OUTCOME_COMPLETE);
    for (int engine = 0; engine < 2; engine++)
        for (int m = 0; m < 2; m++) {
            struct machine *machine = test_machine(m ? "tx2-pastis" : "orin-wcet", NULL, NULL);
            struct replay_result result;
            struct rp_error err = {0};
            struct replay_options options = {.engine = (enum replay_engine)engine, .launch = -1};
            cr_expect(!replay(t, machine, &options, &result, &err));
            cr_expect_eq(err.status, RP_BAD_INPUT);
            cr_expect(strstr(err.text, "launch 0 (half): block 0, warp 0 waits for ever at barrier 3"), "%s", err.text);
            machine_free(machine);
        }
    rp_trace_close(t);
}

Test(stuck, warps_that_end_complete_barriers_of_the_whole_block)
{
    struct rp_trace *t = half_a_barrier(0, RP_OUTCOME_COMPLETE);
    struct machine *m = test_machine("orin-wcet", NULL, NULL);
    cr_expect_eq(both_engines(t, m).blocks, 2);
    machine_free(m);
    rp_trace_close(t);
}

Test(stuck, a_recording_that_ended_in_a_fault_is_replayed_as_far_as_it_goes)
{
    struct rp_trace *t = half_a_barrier(64, RP_OUTCOME_FAULT);
    static const char *const limits[][3] = {
        {"limits.blocks=1", NULL}, {"limits.blocks=2", NULL}, {"scheduler=lrr", "dispatch_latency=100", NULL}};
    for (int i = 0; i < 6; i++) {
        struct machine *m = test_machine(i / 3 ? "tx2-pastis" : "orin-wcet", NULL, limits[i % 3]);
        struct statistics s = both_engines(t, m);
        cr_expect_eq(s.blocks, 2);
        cr_expect_geq(s.cycles, 6);
        struct replay_result result;
        struct rp_error err;
        cr_assert(replay(t, m, &(struct replay_options){.launch = -1}, &result, &err), "%s", err.text);
        cr_expect(strstr(result.launches[0].warning, "the recording ended early: block"), "%s",
                  result.launches[0].warning);
        replay_result_free(&result);
        machine_free(m);
    }
    rp_trace_close(t);
}

/* A synthetic trace cut anywhere: replayed with a warning, or refused with a message, by both engines alike. */
Test(stuck, traces_cut_short)
{
    char path[] = "/tmp/reprise-cut-XXXXXX";
    close(mkstemp(path));
    struct synthetic_options options = synthetic_random_options(77);
    options.blocks = 12;
    options.barriers = true;
    options.launches = 2;
    options.chunk_bytes = 600;
    struct rp_error err;
    cr_assert(synthetic_trace_write(path, &options, &err), "%s", err.text);
    struct rp_trace *t = rp_trace_open(path, &err);
    uint64_t bytes = rp_trace_file_bytes(t);
    rp_trace_close(t);
    struct machine *m = test_machine("tx2-pastis", NULL, NULL);
    unsigned replayed = 0;
    for (int cut = 1; cut < 40; cut++) {
        cr_assert_eq(truncate(path, (off_t)(bytes - bytes * (uint64_t)cut / 40)), 0);
        t = rp_trace_open(path, &err);
        if (!t)
            continue;
        struct replay_result result[2];
        bool fine[2];
        for (int e = 0; e < 2; e++) {
            struct rp_error why = {0};
            fine[e] =
                replay(t, m, &(struct replay_options){.engine = (enum replay_engine)e, .launch = -1}, &result[e], &why);
            cr_assert(fine[e] || *why.text);
        }
        cr_assert_eq(fine[0], fine[1]);
        for (uint32_t l = 0; fine[0] && l < result[0].count; l++) {
            cr_assert_null(
                statistics_difference(m, &result[0].launches[l].statistics, &result[1].launches[l].statistics));
            replayed += *result[0].launches[l].warning != 0;
        }
        for (int e = 0; e < 2; e++)
            if (fine[e])
                replay_result_free(&result[e]);
        rp_trace_close(t);
    }
    cr_expect_gt(replayed, 5);
    machine_free(m);
    unlink(path);
}

/* Launches replayed side by side give what they give one after the other. */
Test(stuck, threads_change_nothing)
{
    char path[] = "/tmp/reprise-threads-XXXXXX";
    close(mkstemp(path));
    struct synthetic_options options = synthetic_random_options(5);
    options.launches = 6;
    struct rp_error err;
    cr_assert(synthetic_trace_write(path, &options, &err), "%s", err.text);
    struct rp_trace *t = rp_trace_open(path, &err);
    for (int kept = 0; kept < 2; kept++) {
        struct machine *m = test_machine(
            "tx2-pastis", NULL, (const char *const[]){kept ? "flush_caches=false" : "flush_caches=true", NULL});
        struct replay_result one, many;
        cr_assert(replay(t, m, &(struct replay_options){.launch = -1}, &one, &err));
        cr_assert(replay(t, m, &(struct replay_options){.launch = -1, .threads = 4}, &many, &err));
        for (uint32_t l = 0; l < 6; l++)
            cr_expect_null(statistics_difference(m, &one.launches[l].statistics, &many.launches[l].statistics));
        replay_result_free(&one);
        replay_result_free(&many);
        machine_free(m);
    }
    rp_trace_close(t);
    unlink(path);
}
