/* Cycles are those of replaying the trace, and traces are whole. */
#include <dirent.h>
#include <unistd.h>

#include "common.h"
#include "replay/session/machine_open.h"
#include "replay/session/replay.h"

static char folder[] = "/tmp/reprise-host-XXXXXX";
static char path[64];

static void make_folder(void)
{
    cr_assert(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/a.wtr", folder);
    setenv("TMPDIR", folder, 1);
}

static void remove_folder(void)
{
    unlink(path);
    cr_expect_eq(rmdir(folder), 0, "something was left behind");
}

TestSuite(host_timing, .init = make_folder, .fini = remove_folder);

enum { COUNT = 2048, LAUNCHES = 4 };
static int32_t p[COUNT], q[COUNT];

/* The same four launches in every session: two alike, one on another buffer, one on both. */
static void run_all(struct reprise *r, struct reprise_result result[LAUNCHES])
{
    run(r, add_launch(p, COUNT, 1), &result[0]);
    run(r, add_launch(p, COUNT, 1), &result[1]);
    run(r, add_launch(q, COUNT / 2, 1), &result[2]);
    run(r, copy_launch(reprise_out(q, sizeof q), reprise_in(p, sizeof p), COUNT), &result[3]);
}

static struct replay_result replay_file(const char *setting, const char *value)
{
    struct rp_error err = {0};
    struct machine_setting set = {setting, value};
    struct machine *m = machine_open(
        &(struct machine_request){.name = "jetson-tx2", .settings = &set, .setting_count = setting ? 1 : 0}, &err);
    cr_assert(m, "%s", err.text);
    struct rp_trace *t = rp_trace_open(path, &err);
    cr_assert(t && !rp_trace_damage(t), "%s", err.text);
    cr_expect(rp_trace_verify(t, NULL, NULL, &err), "%s", err.text);
    struct replay_result result;
    cr_assert(replay(t, m, &(struct replay_options){.launch = -1}, &result, &err), "%s", err.text);
    rp_trace_close(t);
    machine_free(m);
    return result;
}

static void compare(const struct reprise_result result[LAUNCHES], const struct replay_result *replayed)
{
    cr_assert_eq(replayed->count, LAUNCHES);
    for (int i = 0; i < LAUNCHES; i++) {
        const struct statistics *s = &replayed->launches[i].statistics;
        cr_expect_gt(s->cycles, 0);
        cr_expect_eq(result[i].cycles, s->cycles, "launch %d: %llu cycles, replay says %llu", i,
                     (unsigned long long)result[i].cycles, (unsigned long long)s->cycles);
        cr_expect_eq(result[i].warp_instructions, s->warp_instructions);
        cr_expect_eq(result[i].thread_instructions, s->thread_instructions);
        cr_expect_eq(result[i].l1_hits, s->memory.l1.hits);
        cr_expect_eq(result[i].l2_misses, s->memory.l2.misses);
        cr_expect_eq(result[i].dram_accesses, s->memory.dram.accesses);
        cr_expect_float_eq(result[i].microseconds, (double)s->cycles / 1300, 1e-9);
    }
}

/* Caches that are emptied, and caches that live on between launches: with a trace, and without one. */
static void with_and_without_trace(const char *set, const char *setting, const char *value)
{
    struct reprise_result traced[LAUNCHES], alone[LAUNCHES];
    struct reprise *r = open_with((struct reprise_options){.trace = path, .machine = "jetson-tx2", .set = {set}});
    run_all(r, traced);
    struct rp_error err = {0};
    cr_assert(reprise_close(r, &err), "%s", err.text);
    r = open_with((struct reprise_options){.machine = "jetson-tx2", .set = {set}});
    run_all(r, alone);
    reprise_close(r, NULL);
    struct replay_result replayed = replay_file(setting, value);
    compare(traced, &replayed);
    compare(alone, &replayed);
    replay_result_free(&replayed);
}

Test(host_timing, cycles_are_those_of_replay) { with_and_without_trace(NULL, NULL, NULL); }
Test(host_timing, caches_live_on)
{
    with_and_without_trace("flush_caches=false", "flush_caches", "false");
    /* or the two settings would not be told apart */
    struct reprise *r = open_with((struct reprise_options){.machine = "jetson-tx2", .set = {"flush_caches=false"}});
    struct reprise_result result[LAUNCHES];
    run_all(r, result);
    cr_expect_lt(result[1].cycles, result[0].cycles);
    reprise_close(r, NULL);
}

Test(host_timing, statistics_by_name)
{
    struct rp_error err = {0};
    struct reprise_result result;
    uint64_t value = 0;
    struct reprise *r = open_with((struct reprise_options){.machine = "jetson-tx2"});
    run(r, add_launch(p, COUNT, 1), &result);
    cr_expect(reprise_statistic(r, "cycles", &value, &err));
    cr_expect_eq(value, result.cycles);
    cr_expect(reprise_statistic(r, "blocks", &value, &err));
    cr_expect_eq(value, COUNT / THREADS);
    cr_expect_not(reprise_statistic(r, "bloks", &value, &err));
    cr_expect(strstr(err.text, "unknown statistic 'bloks'"));
    reprise_close(r, NULL);
    r = open_with((struct reprise_options){0});
    cr_expect_not(reprise_statistic(r, "cycles", &value, &err));
    cr_expect(strstr(err.text, "no machine"));
    reprise_close(r, NULL);
}

Test(host_timing, a_trace_appears_when_the_session_is_closed)
{
    struct reprise *r = open_with((struct reprise_options){.trace = path});
    run(r, add_launch(p, COUNT, 1), NULL);
    cr_expect(access(path, F_OK) != 0);
    cr_expect(reprise_close(r, NULL));
    cr_expect_eq(access(path, F_OK), 0);
    struct replay_result replayed = replay_file(NULL, NULL);
    cr_expect_eq(replayed.count, 1);
    replay_result_free(&replayed);
}

static uint64_t first_parameter(struct rp_trace *t, uint32_t launch)
{
    uint64_t address;
    memcpy(&address, rp_trace_launch(t, launch)->params, sizeof address);
    return address;
}

static size_t allocations_at(const struct rp_trace *t, uint32_t launch)
{
    struct rp_error err = {0};
    struct rp_allocation *list;
    size_t count;
    cr_assert(rp_trace_allocations(t, launch, &list, &count, &err), "%s", err.text);
    free(list);
    return count;
}

/* The same range is at the same address; ranges that are cut otherwise replace those that they overlap. */
Test(host_timing, device_memory_in_the_trace)
{
    struct rp_error err = {0};
    struct reprise *r = open_with((struct reprise_options){.trace = path});
    run(r, add_launch(p, 1000, 1), NULL);
    run(r, add_launch(q, 1000, 1), NULL);
    run(r, add_launch(p, 1000, 1), NULL);
    run(r, add_launch(p + 500, 700, 1), NULL);
    cr_assert(reprise_close(r, &err), "%s", err.text);
    struct rp_trace *t = rp_trace_open(path, &err);
    cr_assert(t, "%s", err.text);
    cr_expect_eq(first_parameter(t, 0), first_parameter(t, 2));
    cr_expect_neq(first_parameter(t, 0), first_parameter(t, 1));
    cr_expect_neq(first_parameter(t, 0), first_parameter(t, 3));
    size_t before = allocations_at(t, 0); /* p, and the module's variables */
    for (uint32_t l = 1; l < 4; l++)
        cr_expect_eq(allocations_at(t, l), before + 1);
    rp_trace_close(t);
}

/* Kept up to there, and the fault is in it. */
Test(host_timing, the_trace_of_a_kernel_that_misbehaves)
{
    struct rp_error err = {0};
    struct reprise *r = open_with((struct reprise_options){.trace = path, .machine = "jetson-tx2"});
    run(r, add_launch(p, COUNT, 1), NULL);
    struct reprise_launch l = add_launch(p, COUNT, 1);
    l.args[0].bytes -= 4;
    cr_expect_not(reprise_run(r, &l, NULL, &err));
    cr_expect_eq(err.status, RP_KERNEL);
    cr_expect(reprise_close(r, &err), "%s", err.text);
    struct rp_trace *t = rp_trace_open(path, &err);
    cr_assert(t, "%s", err.text);
    cr_expect_eq(rp_trace_launch_count(t), 2);
    cr_expect_eq(rp_trace_launch_end(t, 0)->outcome, RP_OUTCOME_COMPLETE);
    cr_expect_eq(rp_trace_launch_end(t, 1)->outcome, RP_OUTCOME_FAULT);
    rp_trace_close(t);
}

/* The machine refuses the launch, which was recorded all the same: the next one is timed as itself. */
Test(host_timing, a_launch_that_does_not_fit_on_the_machine)
{
    struct rp_error err = {0};
    struct reprise_result result;
    struct reprise *r =
        open_with((struct reprise_options){.trace = path, .machine = "jetson-tx2", .set = {"limits.shared=1024"}});
    struct reprise_launch l = add_launch(p, COUNT, 1);
    int32_t before = p[0];
    l.shared = 2048;
    cr_expect_not(reprise_run(r, &l, &result, &err));
    cr_expect(strstr(err.text, "shared"), "%s", err.text);
    cr_expect_eq(p[0], before);
    run(r, add_launch(p, THREADS, 1), &result);
    uint64_t blocks = 0;
    cr_expect(reprise_statistic(r, "blocks", &blocks, &err));
    cr_expect_eq(blocks, 1);
    reprise_close(r, NULL);
}
