/* What does not fit is refused with a status and a text that says what, and leaves everything as it was. */
#include <dirent.h>
#include <unistd.h>

#include "common.h"

#define refused(ok, wanted, part)                                                                                      \
    do {                                                                                                               \
        struct rp_error err = {0};                                                                                     \
        cr_assert_not(ok);                                                                                             \
        cr_expect_eq(err.status, wanted, "status %d: %s", (int)err.status, err.text);                                  \
        cr_expect(strstr(err.text, part), "'%s' is not in: %s", part, err.text);                                       \
    } while (0)

static struct reprise_launch fine(int32_t *p) { return add_launch(p, THREADS, 1); }

Test(host, arguments_that_do_not_fit_the_kernel)
{
    int32_t p[THREADS] = {0};
    struct reprise *r = open_with((struct reprise_options){0});
    struct reprise_launch l = fine(p);
    l.kernel = "subtract";
    refused(reprise_run(r, &l, NULL, &err), RP_BAD_INPUT, "no kernel 'subtract'; it has: add, copy");
    l.kernel = NULL;
    refused(reprise_run(r, &l, NULL, &err), RP_BAD_INPUT, "several kernels");
    l = fine(p);
    l.args[2].kind = REPRISE_NONE;
    refused(reprise_run(r, &l, NULL, &err), RP_USAGE, "'add' has 3 parameters, but 2 arguments");
    l = fine(p);
    l.args[3] = reprise_i32(1);
    refused(reprise_run(r, &l, NULL, &err), RP_USAGE, "'add' has 3 parameters, but 4 arguments");
    l = fine(p);
    l.args[1].kind = REPRISE_NONE;
    refused(reprise_run(r, &l, NULL, &err), RP_USAGE, "argument 1 is missing");
    l = fine(p);
    l.args[0] = reprise_i32(1);
    refused(reprise_run(r, &l, NULL, &err), RP_USAGE, "argument 0 (i32) is 4 bytes, but parameter 'p'");
    l = fine(p);
    l.args[1] = reprise_in(p, sizeof p);
    refused(reprise_run(r, &l, NULL, &err), RP_USAGE, "argument 1 (memory) is 8 bytes, but parameter 'n'");
    l = fine(p);
    l.args[1] = reprise_value(p, 3);
    refused(reprise_run(r, &l, NULL, &err), RP_USAGE, "argument 1 (value) is 3 bytes");
    l = fine(p);
    l.args[1] = reprise_value(NULL, 4);
    refused(reprise_run(r, &l, NULL, &err), RP_USAGE, "argument 1: the pointer to the value is NULL");
    l = fine(p);
    l.args[1].kind = (enum reprise_kind)99;
    refused(reprise_run(r, &l, NULL, &err), RP_USAGE, "argument 1 is of no kind");
    for (unsigned i = 0; i < THREADS; i++)
        cr_expect_eq(p[i], 0);
    run(r, fine(p), NULL);
    cr_expect_eq(p[0], 1, "the session goes on after all that");
    reprise_close(r, NULL);
}

Test(host, numbers_of_another_type)
{
    int32_t out[6];
    struct reprise *r = open_with((struct reprise_options){0});
    struct reprise_launch l = {.kernel = "shapes"}, wrong;
    l.args[0] = reprise_out(out, sizeof out);
    l.args[1] = reprise_i32(1);
    l.args[2] = reprise_f32(1);
    l.args[3] = reprise_f64(1);
    l.args[4] = reprise_value(out, 8);
    run(r, l, NULL);
    wrong = l;
    wrong.args[1] = reprise_i32(256);
    refused(reprise_run(r, &wrong, NULL, &err), RP_USAGE, "argument 1 (i32) is 4 bytes");
    wrong = l;
    wrong.args[1] = reprise_i32(-129);
    refused(reprise_run(r, &wrong, NULL, &err), RP_USAGE, "argument 1 (i32) is 4 bytes");
    wrong = l;
    wrong.args[2] = reprise_i32(1);
    refused(reprise_run(r, &wrong, NULL, &err), RP_USAGE, "is floating point: give f32");
    wrong = l;
    wrong.args[3] = reprise_f32(1);
    refused(reprise_run(r, &wrong, NULL, &err), RP_USAGE, "argument 3 (f32) is 4 bytes");
    int32_t p[THREADS] = {0};
    wrong = fine(p);
    wrong.args[2] = reprise_f32(1);
    refused(reprise_run(r, &wrong, NULL, &err), RP_USAGE,
            "argument 2 is f32, but parameter 'v' of kernel 'add' is an integer: give i32 or u32");
    wrong.args[2] = reprise_i32(1);
    wrong.args[0] = reprise_f64(1);
    refused(reprise_run(r, &wrong, NULL, &err), RP_USAGE, "argument 0 is f64, but parameter 'p'");
    reprise_close(r, NULL);
}

Test(host, pointers_that_lie_nowhere)
{
    int32_t p[THREADS] = {0};
    uint64_t s[3] = {0};
    struct reprise *r = open_with((struct reprise_options){0});
    const struct reprise_launch shift = {
        .kernel = "shift", .args = {reprise_value(s, sizeof s)}, .pointers = {{0, 0, reprise_in(p, sizeof p)}}};
    struct reprise_launch l = shift;
    l.pointers[0].offset = 17;
    refused(reprise_run(r, &l, NULL, &err), RP_USAGE,
            "pointer 0: argument 0 has 24 bytes, none for a pointer at offset 17");
    l.pointers[0].offset = UINT32_MAX;
    refused(reprise_run(r, &l, NULL, &err), RP_USAGE, "none for a pointer at offset 4294967295");
    l = shift;
    l.pointers[0].argument = 1;
    refused(reprise_run(r, &l, NULL, &err), RP_USAGE, "pointer 0 lies in argument 1, which reprise_value did not make");
    l.pointers[0].argument = REPRISE_ARGS;
    refused(reprise_run(r, &l, NULL, &err), RP_USAGE, "pointer 0 lies in argument 64");
    l = shift;
    l.pointers[0].memory = reprise_i32(1);
    refused(reprise_run(r, &l, NULL, &err), RP_USAGE, "pointer 0 is no memory");
    l.pointers[0].memory = reprise_in(NULL, 4);
    refused(reprise_run(r, &l, NULL, &err), RP_USAGE, "pointer 0: the pointer is NULL");
    l.pointers[0].memory = reprise_in(p, 0);
    refused(reprise_run(r, &l, NULL, &err), RP_USAGE, "pointer 0: 0 bytes of memory");
    reprise_close(r, NULL);
}

Test(host, memory_that_is_none)
{
    int32_t p[THREADS] = {0};
    struct reprise *r = open_with((struct reprise_options){0});
    struct reprise_launch l = fine(p);
    l.args[0] = reprise_inout(NULL, 256);
    refused(reprise_run(r, &l, NULL, &err), RP_USAGE, "argument 0: the pointer is NULL");
    l.args[0] = reprise_inout(p, 0);
    refused(reprise_run(r, &l, NULL, &err), RP_USAGE, "argument 0: 0 bytes");
    l.args[0] = reprise_inout(p, SIZE_MAX);
    refused(reprise_run(r, &l, NULL, &err), RP_USAGE, "do not fit into memory");
    reprise_close(r, NULL);
}

Test(host, geometry)
{
    int32_t p[THREADS] = {0};
    struct reprise *r = open_with((struct reprise_options){0});
    struct reprise_launch l = fine(p);
    l.block[0] = 1025;
    refused(reprise_run(r, &l, NULL, &err), RP_USAGE, "block dimension x is 1025");
    l = fine(p);
    l.shared = 50000;
    refused(reprise_run(r, &l, NULL, &err), RP_USAGE, "50000 bytes of shared memory");
    reprise_close(r, NULL);
}

/* The kernel writes p[0..32) and then past the end: no number has changed, and the session is over. */
Test(host, a_kernel_that_misbehaves)
{
    int32_t p[THREADS];
    for (unsigned i = 0; i < THREADS; i++)
        p[i] = 3;
    struct reprise *r = open_with((struct reprise_options){.threads = 1});
    struct reprise_launch l = fine(p);
    l.args[0].bytes = 32 * sizeof *p;
    refused(reprise_run(r, &l, NULL, &err), RP_KERNEL, "past the end of arg0 (128 bytes)");
    for (unsigned i = 0; i < THREADS; i++)
        cr_expect_eq(p[i], 3);
    l = fine(p);
    refused(reprise_run(r, &l, NULL, &err), RP_USAGE, "has misbehaved");
    cr_expect(reprise_close(r, NULL));

    r = open_with((struct reprise_options){.limit = 1000});
    l = (struct reprise_launch){.kernel = "forever"};
    refused(reprise_run(r, &l, NULL, &err), RP_KERNEL, "1000");
    reprise_close(r, NULL);
}

Test(host, sessions_that_cannot_be)
{
    struct reprise_options o = {0};
    refused(reprise_open(&o, &err), RP_USAGE, "give the session a module");
    o = (struct reprise_options){.module = "a.ptx", .image = module_text, .image_bytes = strlen(module_text)};
    refused(reprise_open(&o, &err), RP_USAGE, "one of them");
    o = (struct reprise_options){.module = "/nowhere/k.ptx"};
    refused(reprise_open(&o, &err), RP_BAD_INPUT, "/nowhere/k.ptx: No such file");
    o = (struct reprise_options){.image = "no module", .image_bytes = 9};
    refused(reprise_open(&o, &err), RP_BAD_INPUT, "module in memory");
    o = (struct reprise_options){.image = module_text, .image_bytes = strlen(module_text), .machine = "jetson-tx3"};
    refused(reprise_open(&o, &err), RP_USAGE, "did you mean 'jetson-tx2'");
    o.machine = "san-rtx2080";
    o.set[0] = "memory.from=rtx2080";
    refused(reprise_open(&o, &err), RP_USAGE,
            "memory.from=rtx2080: the probabilities of a trace are known when it is whole");
    o.machine = "jetson-tx2";
    o.set[0] = "scheduler";
    refused(reprise_open(&o, &err), RP_USAGE, "give KEY=VALUE");
    o.set[0] = "schedular=lrr";
    refused(reprise_open(&o, &err), RP_USAGE, "did you mean 'scheduler'");
    o.set[0] = "scheduler=lrr";
    o.machine = NULL;
    refused(reprise_open(&o, &err), RP_USAGE, "no machine is given");
    o.set[0] = NULL;
    o.trace = "/nowhere/a.wtr";
    refused(reprise_open(&o, &err), RP_USAGE, "cannot write '/nowhere/a.wtr'");
    o.trace = "";
    refused(reprise_open(&o, &err), RP_USAGE, "name of a file");
    cr_expect_null(reprise_open(&o, NULL), "without an error to fill");
    cr_expect(reprise_close(NULL, NULL));
    refused(reprise_open(NULL, &err), RP_USAGE, "no options");
    struct reprise_launch l = {0};
    refused(reprise_run(NULL, &l, NULL, &err), RP_USAGE, "no session");
    struct reprise *r = open_with((struct reprise_options){0});
    refused(reprise_run(r, NULL, NULL, &err), RP_USAGE, "no launch");
    uint64_t value;
    refused(reprise_statistic(NULL, "cycles", &value, &err), RP_USAGE, "one is NULL");
    refused(reprise_statistic(r, NULL, &value, &err), RP_USAGE, "one is NULL");
    refused(reprise_statistic(r, "cycles", NULL, &err), RP_USAGE, "one is NULL");
    refused(reprise_read(NULL, "counter", &value, 4, &err), RP_USAGE, "one is NULL");
    refused(reprise_read(r, NULL, &value, 4, &err), RP_USAGE, "one is NULL");
    refused(reprise_write(r, "counter", NULL, 4, &err), RP_USAGE, "one is NULL");
    reprise_close(r, NULL);
}

Test(host, a_trace_is_not_written_over_the_module)
{
    char path[] = "/tmp/reprise-host-XXXXXX";
    int fd = mkstemp(path);
    cr_assert(fd >= 0 && write(fd, module_text, strlen(module_text)) == (ssize_t)strlen(module_text));
    close(fd);
    struct reprise_options o = {.module = path, .trace = path};
    refused(reprise_open(&o, &err), RP_USAGE, "written over the module");
    unlink(path);
}
