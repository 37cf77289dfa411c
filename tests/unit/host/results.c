/* Results come back in place, and nothing else is touched. */
#include <pthread.h>

#include <stdio.h>
#include <unistd.h>

#include "common.h"
#include "tracefmt/reader.h"

Test(host, results_are_in_place)
{
    int32_t p[100];
    for (int i = 0; i < 100; i++)
        p[i] = i * i;
    struct reprise *r = open_with((struct reprise_options){0});
    struct reprise_result result;
    run(r, add_launch(p, 100, -5), &result);
    for (int i = 0; i < 100; i++)
        cr_assert_eq(p[i], i * i - 5, "%d", i);
    cr_expect_eq(result.cycles, 0, "no machine, no cycles");
    cr_expect_gt(result.thread_instructions, result.warp_instructions);
    run(r, add_launch(p, 100, 5), NULL);
    for (int i = 0; i < 100; i++)
        cr_assert_eq(p[i], i * i);
    cr_expect(reprise_close(r, NULL));
}

Test(host, in_is_only_read_and_out_begins_with_zeros)
{
    int32_t from[80], to[80];
    for (int i = 0; i < 80; i++)
        from[i] = 1000 + i, to[i] = -1;
    struct reprise *r = open_with((struct reprise_options){0});
    run(r, copy_launch(reprise_out(to, sizeof to), reprise_in(from, sizeof from), 70), NULL);
    for (int i = 0; i < 80; i++)
        cr_assert_eq(to[i], i < 70 ? 1000 + i : 0, "%d", i);
    /* the same buffer again: what the launch before left on the device is gone */
    run(r, copy_launch(reprise_out(to, sizeof to), reprise_in(from, sizeof from), 10), NULL);
    for (int i = 0; i < 80; i++)
        cr_assert_eq(to[i], i < 10 ? 1000 + i : 0, "%d", i);
    /* inout keeps what the kernel leaves alone */
    to[79] = 5;
    run(r, copy_launch(reprise_inout(to, sizeof to), reprise_in(from, sizeof from), 20), NULL);
    cr_expect_eq(to[19], 1019);
    cr_expect_eq(to[20], 0);
    cr_expect_eq(to[79], 5);
    /* writing to what is only read changes the device's copy, not ours, and not the next launch's */
    run(r, copy_launch(reprise_in(to, sizeof to), reprise_in(from, sizeof from), 80), NULL);
    cr_expect_eq(to[79], 5);
    int32_t seen[80];
    run(r, copy_launch(reprise_out(seen, sizeof seen), reprise_in(to, sizeof to), 80), NULL);
    cr_expect_arr_eq(seen, to, sizeof to);
    reprise_close(r, NULL);
}

/* The argument of shift. */
struct shift {
    const int32_t *from;
    int32_t n;
    int32_t *to;
};
static struct reprise_launch shift_launch(const struct shift *s)
{
    struct reprise_launch l = {.kernel = "shift", .block = {THREADS}, .args = {reprise_value(s, sizeof *s)}};
    l.pointers[0] = (struct reprise_pointer){0, offsetof(struct shift, from), reprise_in(s->from, 4 * THREADS)};
    l.pointers[1] = (struct reprise_pointer){0, offsetof(struct shift, to), reprise_out(s->to, 4 * THREADS)};
    return l;
}
Test(host, pointers_within_structures)
{
    int32_t from[THREADS], to[THREADS] = {0};
    const struct shift s = {from, -7, to}, in_place = {to, 1, to};
    for (unsigned i = 0; i < THREADS; i++)
        from[i] = (int32_t)(i * i);
    struct reprise *r = open_with((struct reprise_options){0});
    run(r, shift_launch(&s), NULL);
    for (unsigned i = 0; i < THREADS; i++)
        cr_assert_eq(to[i], (int32_t)(i * i) - 7, "%u: %d", i, to[i]);
    struct reprise_launch l = shift_launch(&in_place);
    run(r, l, NULL);
    for (unsigned i = 0; i < THREADS; i++)
        cr_assert_eq(to[i], (int32_t)(i * i) - 6, "%u: %d", i, to[i]);
    cr_expect_eq(in_place.to, to, "the program's structure stays as it is");
    struct rp_error err = {0};
    l.pointers[1].memory.kind = REPRISE_NONE; /* what the launch does not list is a number, no address */
    cr_expect_not(reprise_run(r, &l, NULL, &err));
    cr_expect_eq(err.status, RP_KERNEL, "%s", err.text);
    reprise_close(r, NULL);
}

Test(host, what_the_program_changes_between_launches_is_seen)
{
    int32_t p[THREADS] = {0};
    struct reprise *r = open_with((struct reprise_options){0});
    for (int i = 0; i < 5; i++) {
        p[i] = 100;
        run(r, add_launch(p, THREADS, 1), NULL);
    }
    for (int i = 0; i < 8; i++)
        cr_expect_eq(p[i], i < 5 ? 105 - i : 5, "%d is %d", i, p[i]);
    reprise_close(r, NULL);
}

Test(host, overlapping_arguments_are_one_piece_of_memory)
{
    int32_t p[200];
    for (int i = 0; i < 200; i++)
        p[i] = i;
    struct reprise *r = open_with((struct reprise_options){0});
    /* the second half over the first, through pointers into the middle */
    run(r, copy_launch(reprise_inout(p, sizeof p), reprise_in(p + 100, 100 * sizeof *p), 100), NULL);
    for (int i = 0; i < 200; i++)
        cr_assert_eq(p[i], i < 100 ? i + 100 : i, "%d", i);
    /* neither holds the other: p[0..120) and p[80..200); all threads of a warp load before they store */
    for (int i = 0; i < 200; i++)
        p[i] = i;
    struct reprise_launch l =
        copy_launch(reprise_inout(p, 120 * sizeof *p), reprise_inout(p + 80, 120 * sizeof *p), 32);
    run(r, l, NULL);
    for (int i = 0; i < 200; i++)
        cr_assert_eq(p[i], i < 32 ? i + 80 : i, "%d", i);
    /* and a range that earlier launches knew in other pieces */
    run(r, add_launch(p + 50, 100, 1), NULL);
    cr_expect_eq(p[49], 49);
    cr_expect_eq(p[50], 51);
    cr_expect_eq(p[149], 150);
    cr_expect_eq(p[150], 150);
    reprise_close(r, NULL);
}

Test(host, parameters_of_every_form)
{
    struct {
        int32_t low, high;
    } pair = {11, 22};
    int32_t out[6];
    struct reprise *r = open_with((struct reprise_options){0});
    struct reprise_launch l = {.kernel = "shapes"};
    l.args[0] = reprise_out(out, sizeof out);
    l.args[1] = reprise_i32(-3);
    l.args[2] = reprise_f32(0.1f);
    l.args[3] = reprise_f64(-0.3);
    l.args[4] = reprise_value(&pair, sizeof pair);
    run(r, l, NULL);
    float f = 0.1f;
    double d = -0.3;
    cr_expect_eq(out[0], -3);
    cr_expect(!memcmp(&out[1], &f, sizeof f));
    cr_expect(!memcmp(&out[2], &d, sizeof d));
    cr_expect_eq(out[4], 11);
    cr_expect_eq(out[5], 22);
    /* 255 fits an 8-bit parameter, too */
    l.args[1] = reprise_u32(255);
    run(r, l, NULL);
    cr_expect_eq(out[0], -1);
    reprise_close(r, NULL);
}

Test(host, variables_of_the_module_live_as_long_as_the_session)
{
    int32_t out = 0;
    struct reprise_launch l = {.kernel = "count"};
    l.args[0] = reprise_out(&out, sizeof out);
    for (int session = 0; session < 2; session++) {
        struct reprise *r = open_with((struct reprise_options){0});
        for (int i = 1; i < 4; i++) {
            run(r, l, NULL);
            cr_expect_eq(out, 7 + i);
        }
        reprise_close(r, NULL);
    }
}

Test(host, variables_are_written_and_read)
{
    int32_t out[3], counter = 0, wanted[3] = {10, -20, 30};
    struct rp_error err = {0};
    struct reprise *r = open_with((struct reprise_options){0});
    struct reprise_launch count = {.kernel = "count"}, lookup = {.kernel = "lookup", .block = {3}};
    count.args[0] = lookup.args[0] = reprise_out(out, sizeof out);
    cr_assert(reprise_read(r, "counter", &counter, sizeof counter, &err), "%s", err.text);
    cr_expect_eq(counter, 7);
    counter = 100;
    cr_assert(reprise_write(r, "counter", &counter, sizeof counter, &err), "%s", err.text);
    run(r, count, NULL);
    cr_expect_eq(out[0], 101);
    cr_assert(reprise_read(r, "counter", &counter, sizeof counter, &err), "%s", err.text);
    cr_expect_eq(counter, 101);
    run(r, lookup, NULL);
    cr_expect(out[0] == 4 && out[1] == 5 && out[2] == 6);
    cr_assert(reprise_write(r, "table", wanted, sizeof wanted, &err), "%s", err.text);
    run(r, lookup, NULL);
    cr_expect_arr_eq(out, wanted, sizeof wanted);
    cr_assert(reprise_read(r, "before", &counter, sizeof counter, &err), "%s", err.text);
    cr_expect_eq(counter, 1);
    cr_expect_not(reprise_write(r, "table", wanted, 8, &err));
    cr_expect(strstr(err.text, "'table' has 12 bytes, not 8"), "%s", err.text);
    cr_expect_not(reprise_read(r, "tabel", wanted, 12, &err));
    cr_expect(strstr(err.text, "no variable 'tabel'"), "%s", err.text);
    reprise_close(r, NULL);
}

/* The tiles need a second dimension, shared memory and barriers; the module comes from a file. */
Test(host, a_module_from_a_file)
{
    enum { N = 32 };
    static float a[N * N], b[N * N], c[N * N];
    char path[512];
    const char *build = getenv("BUILD");
    snprintf(path, sizeof path, "%s/kernels/matmul.ptx", build ? build : "build");
    struct rp_error err = {0};
    struct reprise_options options = {.module = path, .threads = 2};
    struct reprise *r = reprise_open(&options, &err);
    cr_assert(r, "%s", err.text);
    for (int i = 0; i < N * N; i++)
        a[i] = (float)(i % 9), b[i] = (float)(i % 11);
    struct reprise_launch l = {.grid = {N / 16, N / 16}, .block = {16, 16}};
    l.args[0] = reprise_in(a, sizeof a);
    l.args[1] = reprise_in(b, sizeof b);
    l.args[2] = reprise_out(c, sizeof c);
    l.args[3] = reprise_i32(N);
    run(r, l, NULL);
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++) {
            int sum = 0;
            for (int k = 0; k < N; k++)
                sum += (i * N + k) % 9 * ((k * N + j) % 11);
            cr_assert_eq(c[i * N + j], (float)sum, "%d %d", i, j);
        }
    reprise_close(r, NULL);
}

/* Threads 5 and 21 of print.cu print their text and number. */
Test(host, what_a_kernel_prints)
{
    char path[512], text[] = "words", *printed = NULL;
    size_t bytes = 0;
    const char *build = getenv("BUILD");
    snprintf(path, sizeof path, "%s/kernels/print.ptx", build ? build : "build");
    FILE *output = open_memstream(&printed, &bytes);
    struct rp_error err = {0};
    struct reprise *r = reprise_open(&(struct reprise_options){.module = path, .output = output}, &err);
    cr_assert(r, "%s", err.text);
    struct reprise_launch l = {
        .kernel = "print", .block = {32}, .args = {reprise_in(text, sizeof text), reprise_f32(2.5f)}};
    run(r, l, NULL);
    reprise_close(r, NULL);
    fclose(output);
    cr_expect(strstr(printed, "thread 5 of") && strstr(printed, "words % 2.5"), "%s", printed);
    free(printed);
}

/* A session runs launches by kernels, and times none that has some. */
Test(host, kernels_launch_kernels)
{
    int32_t out = 0;
    struct rp_error err = {0};
    struct reprise_launch l = {.kernel = "twice", .args = {reprise_out(&out, sizeof out)}};
    struct reprise *r = open_with((struct reprise_options){0});
    run(r, l, NULL);
    cr_expect_eq(out, 9);
    run(r, l, NULL);
    cr_expect_eq(out, 11);
    reprise_close(r, NULL);
    r = open_with((struct reprise_options){.machine = "jetson-tx2"});
    cr_expect_not(reprise_run(r, &l, NULL, &err));
    cr_expect(strstr(err.text, "kernel 'twice' launches kernels, which a session does not time"), "%s", err.text);
    reprise_close(r, NULL);
}

static void *work(void *data)
{
    int32_t *p = data;
    struct reprise *r = open_with((struct reprise_options){.machine = "jetson-tx2", .threads = 1});
    struct reprise_result result = {0};
    for (int i = 0; i < 20; i++)
        run(r, add_launch(p, 256, p[256]), &result);
    p[257] = (int32_t)result.cycles;
    reprise_close(r, NULL);
    return NULL;
}

Test(host, sessions_in_several_threads)
{
    enum { COUNT = 4 };
    static int32_t data[COUNT][258];
    pthread_t thread[COUNT];
    for (int i = 0; i < COUNT; i++) {
        data[i][256] = i + 1;
        cr_assert_eq(pthread_create(&thread[i], NULL, work, data[i]), 0);
    }
    for (int i = 0; i < COUNT; i++) {
        pthread_join(thread[i], NULL);
        for (int j = 0; j < 256; j++)
            cr_assert_eq(data[i][j], 20 * (i + 1));
        cr_expect_gt(data[i][257], 0);
        cr_expect_eq(data[i][257], data[0][257]);
    }
}

/* Two launches in streams of their own and one after both of them; all that the host does is in the trace, in order. */
static void record_streams(const char *path, unsigned threads)
{
    struct rp_error err = {0};
    int32_t p[100] = {0}, q[100] = {0}, out[3];
    struct reprise *r = open_with((struct reprise_options){.trace = path, .threads = threads});
    struct reprise_launch first = add_launch(p, 100, 1), second = add_launch(q, 100, 2);
    struct reprise_launch third = copy_launch(reprise_out(q, sizeof q), reprise_in(p, sizeof p), 100);
    struct reprise_launch last = {.kernel = "lookup", .block = {3}, .args = {reprise_out(out, sizeof out)}};
    static const int32_t table[] = {7, 8, 9};
    first.stream = 1;
    second.stream = third.stream = 2;
    run(r, first, NULL);
    cr_assert(reprise_record_event(r, 5, 1, &err), "%s", err.text);
    run(r, second, NULL);
    cr_assert(reprise_wait_event(r, 2, 5, &err) && reprise_wait_event(r, 2, 6, &err), "%s", err.text);
    run(r, third, NULL);
    cr_assert(reprise_synchronise_stream(r, 2, &err) && reprise_synchronise(r, &err), "%s", err.text);
    cr_assert(reprise_write(r, "table", table, sizeof table, &err), "%s", err.text);
    run(r, last, NULL);
    cr_expect(out[0] == 7 && out[2] == 9 && q[99] == 1);
    cr_assert(reprise_close(r, &err), "%s", err.text);
}

static char *bytes_of(const char *path, size_t *size)
{
    FILE *f = fopen(path, "rb");
    char *bytes = malloc(1 << 20);
    cr_assert(f && bytes);
    *size = fread(bytes, 1, 1 << 20, f);
    fclose(f);
    return bytes;
}

Test(host, the_trace_tells_what_the_host_did)
{
    static const struct {
        uint8_t kind, direction;
        uint32_t launch, stream, event;
        uint64_t size;
    } wanted[] = {
        {RP_HOST_ALLOCATE, 0, 0, 0, 0, 4}, /* counter */
        {RP_HOST_ALLOCATE, 0, 0, 0, 0, 400},
        {RP_HOST_COPY, RP_COPY_TO_DEVICE, 0, 1, 0, 400},
        {RP_HOST_COPY, RP_COPY_TO_HOST, 1, 1, 0, 400},
        {RP_HOST_RECORD_EVENT, 0, 1, 1, 5, 0},
        {RP_HOST_ALLOCATE, 0, 1, 0, 0, 400},
        {RP_HOST_COPY, RP_COPY_TO_DEVICE, 1, 2, 0, 400},
        {RP_HOST_COPY, RP_COPY_TO_HOST, 2, 2, 0, 400},
        {RP_HOST_WAIT_EVENT, 0, 2, 2, 5, 0}, /* of an event that nobody recorded there is none */
        {RP_HOST_SET, 0, 2, 2, 0, 400},
        {RP_HOST_COPY, RP_COPY_TO_DEVICE, 2, 2, 0, 400},
        {RP_HOST_COPY, RP_COPY_TO_HOST, 3, 2, 0, 400},
        {RP_HOST_SYNCHRONISE_STREAM, 0, 3, 2, 0, 0},
        {RP_HOST_SYNCHRONISE, 0, 3, 0, 0, 0},
        {RP_HOST_COPY, RP_COPY_TO_DEVICE, 3, 0, 0, 12},
        {RP_HOST_ALLOCATE, 0, 3, 0, 0, 12},
        {RP_HOST_SET, 0, 3, 0, 0, 12},
        {RP_HOST_COPY, RP_COPY_TO_HOST, 4, 0, 0, 12},
    };
    struct rp_error err = {0};
    char one[] = "/tmp/reprise-host-XXXXXX", four[] = "/tmp/reprise-host-XXXXXX";
    close(mkstemp(one));
    close(mkstemp(four));
    record_streams(one, 1);
    record_streams(four, 4);
    size_t sizes[2];
    char *bytes[] = {bytes_of(one, &sizes[0]), bytes_of(four, &sizes[1])};
    cr_expect(sizes[0] == sizes[1] && !memcmp(bytes[0], bytes[1], sizes[0]), "the same bytes on any number of threads");
    struct rp_trace *t = rp_trace_open(one, &err);
    cr_assert(t && rp_trace_verify(t, NULL, NULL, &err), "%s", err.text);
    cr_assert_eq(rp_trace_host_operation_count(t), sizeof wanted / sizeof *wanted);
    for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++) {
        const struct rp_host_operation *o = rp_trace_host_operation(t, i);
        cr_expect(o->kind == wanted[i].kind && o->direction == wanted[i].direction && o->launch == wanted[i].launch &&
                      o->stream == wanted[i].stream && o->event == wanted[i].event && o->size == wanted[i].size,
                  "%zu: %s, launch %u, stream %u, event %u, %llu bytes", i,
                  rp_host_kind_name((enum rp_host_kind)o->kind), o->launch, o->stream, o->event,
                  (unsigned long long)o->size);
    }
    static const uint32_t streams[] = {1, 2, 2, 0}, counts[] = {0, 0, 1, 2};
    cr_assert_eq(rp_trace_launch_count(t), 4);
    for (uint32_t l = 0; l < 4; l++) {
        cr_expect_eq(rp_trace_launch(t, l)->stream, streams[l]);
        cr_expect_eq(rp_trace_launch(t, l)->dependency_count, counts[l], "launch %u", l);
    }
    cr_expect(rp_trace_launch(t, 2)->dependencies[0] == 0 && rp_trace_launch(t, 3)->dependencies[1] == 2);
    cr_assert_eq(rp_trace_module_count(t), 1);
    cr_expect_str_eq(rp_trace_module(t, 0)->isa, "ptx");
    for (uint32_t k = 0; k < rp_trace_kernel_count(t); k++)
        cr_expect_eq(rp_trace_kernel(t, k)->module, 1);
    rp_trace_close(t);
    for (int i = 0; i < 2; i++)
        free(bytes[i]);
    unlink(one);
    unlink(four);
}
