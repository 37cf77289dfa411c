/* Launches that are open at once, and what a device keeps from one launch to the next. */
#include <stdlib.h>
#include <string.h>

#include "common.h"

/* Waits until the word at parameter 0 is not 0 and stores it into the next one. */
#define WAITS                                                                                                          \
    ".visible .entry waits(.param .u64 flag)\n{\n"                                                                     \
    ".reg .b32 %r<2>; .reg .b64 %rd<2>; .reg .pred %p<2>;\n"                                                           \
    "ld.param.u64 %rd1, [flag];\nAGAIN: ld.volatile.global.u32 %r1, [%rd1]; setp.eq.u32 %p1, %r1, 0;\n"                \
    "@%p1 bra AGAIN;\nst.global.u32 [%rd1 + 4], %r1; ret;\n}\n"

static struct rp_running *begin(struct rp_device *d, struct module *m, const struct rp_launch_config *config)
{
    struct rp_error err = {0};
    struct program *p = module_find(m, NULL, &err);
    cr_assert_not_null(p, "%s", err.text);
    struct rp_running *r = rp_launch_begin(d, p, config, &err);
    cr_assert_not_null(r, "%s", err.text);
    return r;
}

static enum rp_launch_state drive(struct rp_running *r)
{
    enum rp_launch_state state;
    while ((state = rp_launch_drive(r)) == RP_LAUNCH_RUNS)
        ;
    return state;
}

/* The first waits for what the second stores. */
static void wait_for_another(struct test_trace *t, unsigned threads)
{
    struct rp_error err = {0};
    struct rp_launch_result result;
    struct rp_device *d = new_device();
    struct module *waits = load_text(d, "waits.ptx", WAITS), *stores = load_text(d, "stores.ptx", STORES("42"));
    uint64_t flag = rp_alloc(d, 8, "flag", &err), other = rp_alloc(d, 4 * 64 * 100, "other", &err);
    struct rp_launch_config first = config_of(1, 1, &flag), second = config_of(1, 1, &flag);
    struct rp_launch_config third = config_of(100, 64, &other);
    begin_trace(t);
    first.writer = second.writer = third.writer = t->writer;
    first.threads = second.threads = third.threads = threads;
    struct rp_running *waiting = begin(d, waits, &first);
    cr_assert_eq(drive(waiting), RP_LAUNCH_WAITS);
    cr_expect_not(rp_device_unload(d, waits, &err), "a launch is open");
    cr_assert_eq(drive(waiting), RP_LAUNCH_WAITS);
    struct rp_running *large = begin(d, stores, &third), *storing = begin(d, stores, &second);
    cr_assert(rp_launch_end(large, &result, &err), "%s", err.text);
    cr_assert_eq(drive(storing), RP_LAUNCH_DONE);
    cr_assert_eq(drive(waiting), RP_LAUNCH_DONE);
    cr_assert(rp_launch_end(waiting, &result, &err), "%s", err.text);
    cr_assert(rp_launch_end(storing, &result, &err), "%s", err.text);
    cr_expect_eq(((uint32_t *)rp_host(d, flag, 8))[1], 42);
    cr_expect(rp_device_unload(d, waits, &err));
    end_trace(t);
    rp_device_free(d);
}

Test(launches, one_waits_for_what_another_stores)
{
    struct test_trace one, many;
    wait_for_another(&one, 1);
    for (unsigned threads = 2; threads <= 5; threads++) {
        wait_for_another(&many, threads);
        cr_assert_eq(many.size, one.size);
        cr_assert_arr_eq(many.bytes, one.bytes, one.size, "%u threads", threads);
        free_trace(&many);
    }
    cr_expect_eq(rp_trace_launch_count(one.trace), 3);
    free_trace(&one);
}

Test(launches, one_that_waits_for_ever_is_a_livelock)
{
    struct rp_error err = {0};
    struct rp_launch_result result;
    struct rp_device *d = new_device();
    struct module *waits = load_text(d, "waits.ptx", WAITS);
    uint64_t flag = rp_alloc(d, 8, "flag", &err);
    struct rp_launch_config config = config_of(3, 32, &flag);
    cr_expect_not(rp_launch_end(begin(d, waits, &config), &result, &err));
    cr_expect_eq(err.status, RP_KERNEL);
    cr_expect_eq(result.fault, RP_FAULT_LIVELOCK);
    begin(d, waits, &config); /* goes with the device */
    rp_device_free(d);
}

/* The host's memory is the device's, at the same address. */
Test(memory, of_the_host_is_shared)
{
    struct rp_error err = {0};
    struct rp_device *d = new_device();
    struct module *stores = load_text(d, "stores.ptx", STORES("%ctaid.x"));
    enum { COUNT = 1000 };
    uint32_t *host = calloc(COUNT + 2, sizeof *host);
    cr_assert(rp_share(d, host + 1, COUNT * sizeof *host, "managed", &err), "%s", err.text);
    cr_expect_not(rp_share(d, host + 10, 4, "again", &err));
    cr_expect_not(rp_share(d, host, 8, "overlapping", &err));
    cr_expect_not(rp_share(d, (void *)4096, 8, "low", &err));
    cr_expect_eq(err.status, RP_USAGE);
    uint64_t to = (uintptr_t)(host + 1);
    struct rp_launch_config config = config_of(100, 10, &to);
    struct test_trace t;
    begin_trace(&t);
    config.writer = t.writer;
    launch(d, stores, &config);
    end_trace(&t);
    cr_assert_eq(rp_trace_host_operation_count(t.trace), 1);
    const struct rp_host_operation *shares = rp_trace_host_operation(t.trace, 0);
    cr_expect(shares->kind == RP_HOST_ALLOCATE && shares->managed && shares->address == to);
    free_trace(&t);
    for (int i = 0; i < COUNT; i++)
        cr_assert_eq(host[i + 1], (uint32_t)i / 10);
    cr_expect(!host[0] && !host[COUNT + 1]);
    struct rp_launch_result result;
    config = config_of(101, 10, &to);
    cr_expect_not(rp_launch_kernel(d, module_find(stores, NULL, &err), &config, &result, &err));
    cr_expect_eq(result.fault, RP_FAULT_BOUNDS);
    cr_expect(rp_free(d, to, &err), "%s", err.text);
    host[1] = 7; /* still the host's */
    config = config_of(1, 1, &to);
    cr_expect_not(rp_launch_kernel(d, module_find(stores, NULL, &err), &config, &result, &err));
    free(host);
    rp_device_free(d);
}

/* What one kernel allocates another uses and frees, and the heap has room again. */
Test(memory, the_heap_lives_as_long_as_the_device)
{
    static const char take[] = ".extern .func (.param .b64 r) malloc(.param .b64 n);\n"
                               ".visible .entry take(.param .u64 to)\n{\n.reg .b64 %rd<4>;\n"
                               "ld.param.u64 %rd1, [to]; mov.u64 %rd2, 6000000;\n"
                               "{ .param .b64 n; .param .b64 r; st.param.b64 [n], %rd2; call.uni (r), malloc, (n); "
                               "ld.param.b64 %rd3, [r]; }\nst.global.u64 [%rd1], %rd3; ret;\n}\n";
    static const char give[] = ".extern .func free(.param .b64 p);\n"
                               ".visible .entry give(.param .u64 to)\n{\n.reg .b64 %rd<4>;\n"
                               "ld.param.u64 %rd1, [to]; ld.global.u64 %rd2, [%rd1]; st.global.u64 [%rd2], %rd1;\n"
                               "{ .param .b64 p; st.param.b64 [p], %rd2; call.uni free, (p); }\nret;\n}\n";
    struct rp_error err = {0};
    struct rp_device *d = new_device();
    struct module *taker = load_text(d, "take.ptx", take), *giver = load_text(d, "give.ptx", give);
    uint64_t to = rp_alloc(d, 8, "to", &err);
    struct rp_launch_config config = config_of(1, 1, &to);
    for (int i = 0; i < 3; i++) {
        launch(d, taker, &config);
        uint64_t first = *(uint64_t *)rp_host(d, to, 8);
        cr_assert_neq(first, 0);
        cr_expect_not(rp_free(d, first, &err), "the host does not free what is the kernel's");
        launch(d, taker, &config);
        cr_expect_eq(*(uint64_t *)rp_host(d, to, 8), 0, "8 MB are what the heap has");
        *(uint64_t *)rp_host(d, to, 8) = first;
        launch(d, giver, &config);
    }
    struct rp_launch_result result;
    cr_expect_not(rp_launch_kernel(d, module_find(giver, NULL, &err), &config, &result, &err), "freed twice");
    rp_device_free(d);
}

/* Launches of all sizes after each other on one device, which keeps blocks, chunks and threads: the same bytes at any
 * number of threads. */
static void run_all_sizes(struct test_trace *t, unsigned threads, uint32_t *content)
{
    static const uint32_t sizes[][2] = {{1, 1}, {64, 32}, {300, 32}, {7, 1024}, {1000, 100}, {2, 33}, {100, 256}};
    struct rp_error err = {0};
    struct rp_device *d = new_device();
    struct module *a = load_text(d, "a.ptx", STORES("%tid.x")), *b = load_text(d, "b.ptx", STORES("%ctaid.x"));
    uint64_t to = rp_alloc(d, 4 * 100000, "to", &err);
    begin_trace(t);
    for (size_t i = 0; i < 3 * sizeof sizes / sizeof *sizes; i++) {
        const uint32_t *size = sizes[i * 2 % (sizeof sizes / sizeof *sizes)];
        struct rp_launch_config config = config_of(size[0], size[1], &to);
        config.threads = threads;
        config.writer = t->writer;
        launch(d, i % 3 ? a : b, &config);
    }
    memcpy(content, rp_host(d, to, 4 * 100000), 4 * 100000);
    end_trace(t);
    rp_device_free(d);
}

Test(launches, of_all_sizes_leave_the_same_at_any_number_of_threads)
{
    static uint32_t expected[100000], content[100000];
    struct test_trace one, many;
    run_all_sizes(&one, 1, expected);
    for (unsigned threads = 2; threads <= 5; threads++) {
        run_all_sizes(&many, threads, content);
        cr_assert_eq(many.size, one.size, "%u threads", threads);
        cr_assert_arr_eq(many.bytes, one.bytes, one.size, "%u threads", threads);
        cr_assert_arr_eq(content, expected, sizeof expected);
        free_trace(&many);
    }
    free_trace(&one);
}

/* A block whose warps record more than a chunk may hold: it is cut within the block. Each lane leaves the loop's body
 * by another way, so that nothing repeats: 1.7 million divergent iterations in each of two blocks. */
#define LONG                                                                                                           \
    ".visible .entry long_one(.param .u64 to)\n{\n"                                                                    \
    ".reg .b32 %r<8>; .reg .b64 %rd<4>; .reg .pred %p<4>;\n"                                                           \
    "ld.param.u64 %rd1, [to]; mov.u32 %r1, %ctaid.x; mov.u32 %r2, %laneid; mul.wide.u32 %rd2, %r1, 4;\n"               \
    "add.u64 %rd3, %rd1, %rd2; mov.u32 %r3, 0; mov.u32 %r4, %r2;\n"                                                    \
    "LOOP: mad.lo.u32 %r4, %r4, 1664525, 1013904223; and.b32 %r5, %r4, 65536; setp.eq.u32 %p1, %r5, 0;\n"              \
    "@%p1 bra SKIP;\nadd.u32 %r6, %r6, %r4;\nSKIP: add.u32 %r3, %r3, 1; setp.lt.u32 %p2, %r3, 1700000;\n"              \
    "@%p2 bra LOOP;\natom.global.add.u32 %r7, [%rd3], %r6; ret;\n}\n"

Test(launches, blocks_may_be_of_any_length)
{
    struct rp_error err = {0};
    struct test_trace one = {0};
    for (unsigned threads = 1; threads <= 2; threads++)
        for (int ordered = 0; ordered < (threads == 1 ? 2 : 1); ordered++) {
            char *text = strdup(LONG);
            char *atom = strstr(text, "atom.global.add.u32 %r7, [%rd3], %r6;");
            if (!ordered) /* nothing uses the old value: blocks run in parallel */
                memcpy(atom, "red.global.add.u32       [%rd3], %r6;", 37);
            struct rp_device *d = new_device();
            struct module *m = load_text(d, "long.ptx", text);
            uint64_t to = rp_alloc(d, 8, "to", &err);
            struct rp_launch_config config = config_of(2, 32, &to);
            struct test_trace t;
            begin_trace(&t);
            config.threads = threads;
            config.writer = t.writer;
            struct rp_launch_result result = launch(d, m, &config);
            end_trace(&t);
            cr_expect_gt(result.warp_instructions, 2 * 10000000);
            cr_expect_eq(rp_trace_launch_totals(t.trace, 0).warp_instructions, result.warp_instructions);
            if (threads == 2 && !ordered) {
                cr_assert_eq(t.size, one.size);
                cr_assert_arr_eq(t.bytes, one.bytes, t.size);
            }
            if (threads == 1 && !ordered)
                one = t;
            else
                free_trace(&t);
            rp_device_free(d);
            free(text);
        }
    free_trace(&one);
}
