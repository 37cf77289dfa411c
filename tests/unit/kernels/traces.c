/* Traces of the kernels: the same bytes whatever the number of threads, and the same timing from both engines. */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <unistd.h>

#include "replay/session/machine_open.h"
#include "replay/session/replay.h"
#include "tests/support/kernel_case.h"

static char directory[] = "/tmp/reprise-kernels-XXXXXX";

static void make_directory(void) { cr_assert(mkdtemp(directory)); }
static void remove_directory(void) { rmdir(directory); }
TestSuite(traces, .init = make_directory, .fini = remove_directory);

static void record(const struct kernel_case *c, uint32_t size, unsigned threads, char path[128])
{
    struct rp_error err;
    snprintf(path, 128, "%s/%s-%u.wtr", directory, c->name, threads);
    bool ok = kernel_run(c, &(struct kernel_options){.threads = threads, .size = size, .trace = path}, NULL, &err);
    cr_assert(ok, "%s", ok ? "" : err.text);
}

static char *contents(const char *path, size_t *size)
{
    FILE *f = fopen(path, "rb");
    cr_assert(f, "%s", path);
    cr_assert(fseek(f, 0, SEEK_END) == 0);
    *size = (size_t)ftell(f);
    rewind(f);
    char *bytes = malloc(*size);
    cr_assert(bytes && fread(bytes, 1, *size, f) == *size);
    fclose(f);
    return bytes;
}

Test(traces, bytes_do_not_depend_on_threads)
{
    static const unsigned threads[] = {1, 2, 5};
    for (size_t i = 0; kernel_cases[i]; i++) {
        char path[128], *first = NULL, *bytes;
        size_t first_size = 0, size;
        for (size_t t = 0; t < sizeof threads / sizeof *threads; t++) {
            record(kernel_cases[i], 0, threads[t], path);
            bytes = contents(path, &size);
            unlink(path);
            if (t == 0) {
                first = bytes;
                first_size = size;
                continue;
            }
            cr_expect(size == first_size && !memcmp(bytes, first, size), "%s: the trace of %u threads differs",
                      kernel_cases[i]->name, threads[t]);
            free(bytes);
        }
        free(first);
    }
}

/* ---- replay ------------------------------------------------------------------------------------------------------ */

static struct rp_trace *open_trace(const char *path)
{
    struct rp_error err;
    struct rp_trace *trace = rp_trace_open(path, &err);
    cr_assert(trace, "%s", err.text);
    cr_assert_null(rp_trace_damage(trace));
    return trace;
}

static struct machine *open_machine(const char *name, const char *scheduler)
{
    struct rp_error err;
    const struct machine_setting setting = {"scheduler", scheduler};
    struct machine *m =
        machine_open(&(struct machine_request){.name = name, .settings = &setting, .setting_count = 1}, &err);
    cr_assert(m, "%s", err.text);
    return m;
}

static struct replay_result replay_with(struct rp_trace *trace, const struct machine *m, enum replay_engine engine)
{
    struct rp_error err;
    struct replay_result result;
    bool ok = replay(trace, m, &(struct replay_options){.engine = engine, .launch = -1}, &result, &err);
    cr_assert(ok, "%s on %s: %s", rp_trace_path(trace), m->name, ok ? "" : err.text);
    return result;
}

static void compare_engines(struct rp_trace *trace, const char *machine, const char *scheduler)
{
    struct machine *m = open_machine(machine, scheduler);
    struct replay_result fast = replay_with(trace, m, REPLAY_FAST), plain = replay_with(trace, m, REPLAY_REFERENCE);
    cr_assert_eq(fast.count, rp_trace_launch_count(trace));
    cr_assert_eq(plain.count, fast.count);
    for (uint32_t l = 0; l < fast.count; l++) {
        const char *difference = statistics_difference(m, &fast.launches[l].statistics, &plain.launches[l].statistics);
        cr_expect_null(difference, "%s on %s, %s, launch %u: %s", rp_trace_path(trace), machine, scheduler, l,
                       difference);
        cr_expect_eq(fast.launches[l].statistics.warp_instructions, rp_trace_launch_totals(trace, l).warp_instructions);
        cr_expect_gt(fast.launches[l].statistics.cycles, 0);
    }
    replay_result_free(&fast);
    replay_result_free(&plain);
    machine_free(m);
}

Test(traces, fast_engine_equals_reference)
{
    static const char *const machines[] = {"jetson-tx2", "orin-wcet"}, *const schedulers[] = {"serial", "lrr", "gto"};
    for (size_t i = 0; kernel_cases[i]; i++) {
        char path[128];
        record(kernel_cases[i], 0, 2, path);
        struct rp_trace *trace = open_trace(path);
        for (int m = 0; m < 2; m++)
            for (int s = 0; s < 3; s++)
                compare_engines(trace, machines[m], schedulers[s]);
        rp_trace_close(trace);
        unlink(path);
    }
}

/* ---- published figures ------------------------------------------------------------------------------------------- */

/* PasTiS (ERTS 2022, V): shared-memory transactions of the integer matrix multiplication in the simulator, equal to
 * those measured on the Jetson TX2. */
Test(traces, matmul_transactions_of_pastis)
{
    static const struct {
        uint32_t size;
        uint64_t reads, writes;
    } published[] = {{4, 8, 2}, {8, 32, 4}, {11, 88, 8}};
    for (size_t i = 0; i < sizeof published / sizeof *published; i++) {
        char path[128];
        record(kernel_case_find("matmul_int"), published[i].size, 1, path);
        struct rp_trace *trace = open_trace(path);
        struct machine *m = open_machine("tx2-pastis", "serial");
        struct replay_result result = replay_with(trace, m, REPLAY_FAST);
        cr_expect_eq(result.total.shared_load_transactions, published[i].reads);
        cr_expect_eq(result.total.shared_store_transactions, published[i].writes);
        cr_expect_eq(result.total.shared_conflicts, 0);
        replay_result_free(&result);
        machine_free(m);
        rp_trace_close(trace);
        unlink(path);
    }
}

static uint64_t conflicts(const char *name, uint32_t size)
{
    char path[128];
    record(kernel_case_find(name), size, 1, path);
    struct rp_trace *trace = open_trace(path);
    struct machine *m = open_machine("tx2-pastis", "gto");
    struct replay_result result = replay_with(trace, m, REPLAY_FAST);
    uint64_t count = result.total.shared_conflicts;
    replay_result_free(&result);
    machine_free(m);
    rp_trace_close(trace);
    unlink(path);
    return count;
}

/* Reading a column of a 32-word wide tile puts 32 words into one bank: 31 extra transactions for each of its reads, 32
 * warp reads per tile; with one word of padding there are none. */
Test(traces, transposition_conflicts)
{
    cr_expect_eq(conflicts("transpose_conflicts", 64), 4u * 32 * 31);
    cr_expect_eq(conflicts("transpose_padded", 64), 0);
}
