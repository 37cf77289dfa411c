/* What is recorded of a program: which launches, and the same bytes every time, also when a signal ends it. */
#include <criterion/criterion.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common.h"
#include "tracefmt/reader.h"

/* Runs `program` in a process of its own, recorded with one filter more; gives back the trace's name. */
static void record(const char *path, const char *variable, const char *value, void (*program)(void))
{
    int status;
    pid_t child = fork();
    if (!child) {
        setenv("REPRISE_TRACE", path, 1);
        if (variable)
            setenv(variable, value, 1);
        program();
        exit(0);
    }
    waitpid(child, &status, 0);
}

static void three_launches(void)
{
    CUdeviceptr p;
    CUstream stream;
    unsigned n = 64;
    start();
    CUmodule m = load_kernels();
    CUfunction add = kernel(m, "add"), empty = kernel(m, "empty");
    cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING);
    cuMemAlloc_v2(&p, 256);
    cuMemsetD32Async(p, 1, 64, stream);
    run(add, 2, 32, stream, (void *[]){&p, &n});
    run(empty, 1, 32, NULL, NULL);
    run(add, 2, 32, stream, (void *[]){&p, &n});
    cuProfilerStart();
    run(empty, 1, 64, NULL, NULL);
    cuProfilerStop();
}

static void killed(void)
{
    three_launches();
    raise(SIGTERM);
    pause();
}

static char folder[] = "/tmp/reprise-cuda-XXXXXX";
static char *path_of(char text[64], const char *name)
{
    snprintf(text, 64, "%s/%s.wtr", folder, name);
    return text;
}

static void make_folder(void) { cr_assert_not_null(mkdtemp(folder)); }
static void remove_folder(void)
{
    char command[100];
    snprintf(command, sizeof command, "rm -rf %s", folder);
    cr_assert_eq(system(command), 0);
}
TestSuite(cuda_record, .init = make_folder, .fini = remove_folder);

/* "add empty add": the names of the kernels in the order of launches. */
static void check_launches(const char *name, const char *expected)
{
    char path[64], text[200] = "";
    struct rp_error err = {0};
    struct rp_trace *t = rp_trace_open(path_of(path, name), &err);
    cr_assert_not_null(t, "%s", err.text);
    for (uint32_t i = 0; i < rp_trace_launch_count(t); i++) {
        const struct rp_launch *l = rp_trace_launch(t, i);
        strcat(text, i ? " " : "");
        strcat(text, rp_trace_kernel(t, l->kernel)->name);
    }
    cr_assert_str_eq(text, expected);
    rp_trace_close(t);
}

Test(cuda_record, has_what_is_asked_for)
{
    static const struct {
        const char *name, *variable, *value, *launches;
    } cases[] = {
        {"all", NULL, NULL, "add empty add empty"},
        {"name", "REPRISE_KERNELS", "^a", "add add"},
        {"number", "REPRISE_LAUNCHES", "0,2..", "add add empty"},
        {"range", "REPRISE_LAUNCHES", "1..2", "empty add"},
        {"first", "REPRISE_FIRST", "1", "add empty"},
        {"profiler", "REPRISE_PROFILER", "1", "empty"},
    };
    char path[64];
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        record(path_of(path, cases[i].name), cases[i].variable, cases[i].value, three_launches);
        check_launches(cases[i].name, cases[i].launches);
    }
}

static size_t read_file(const char *name, char **bytes)
{
    char path[64];
    FILE *f = fopen(path_of(path, name), "rb");
    cr_assert_not_null(f, "%s", path);
    *bytes = malloc(1 << 20);
    size_t size = fread(*bytes, 1, 1 << 20, f);
    fclose(f);
    return size;
}

Test(cuda_record, is_the_same_every_time)
{
    char path[64], *one, *other;
    record(path_of(path, "one"), "REPRISE_THREADS", "1", three_launches);
    record(path_of(path, "other"), "REPRISE_THREADS", "2", three_launches);
    record(path_of(path, "killed"), NULL, NULL, killed);
    size_t size = read_file("one", &one);
    cr_assert(size > 100 && read_file("other", &other) == size && !memcmp(one, other, size));
    cr_assert(read_file("killed", &other) == size && !memcmp(one, other, size));
    check_launches("killed", "add empty add empty");
}
