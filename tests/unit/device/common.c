#include "common.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct rp_device *new_device(void)
{
    struct rp_error err = {0};
    struct rp_device *d = rp_device_new(&err);
    cr_assert_not_null(d, "%s", err.text);
    return d;
}

struct module *load_text(struct rp_device *d, const char *name, const char *body)
{
    struct rp_error err = {0};
    char *text;
    int size = asprintf(&text, ".version 7.0\n.target sm_62\n.address_size 64\n%s", body);
    cr_assert_gt(size, 0);
    struct module *m = rp_device_load_bytes(d, name, text, (size_t)size, &err);
    cr_assert_not_null(m, "%s", err.text);
    free(text);
    return m;
}

struct rp_launch_config config_of(uint32_t grid, uint32_t block, const uint64_t *params)
{
    return (struct rp_launch_config){.grid = {grid, 1, 1}, .block = {block, 1, 1}, .params = params, .threads = 1};
}

struct rp_launch_result launch(struct rp_device *d, struct module *m, const struct rp_launch_config *config)
{
    struct rp_error err = {0};
    struct rp_launch_result result;
    struct program *p = module_find(m, NULL, &err);
    cr_assert_not_null(p, "%s", err.text);
    cr_assert(rp_launch_kernel(d, p, config, &result, &err), "%s", err.text);
    return result;
}

void begin_trace(struct test_trace *t)
{
    struct rp_provenance from = {.tool = "test", .module_name = "", .module_sha256 = ""};
    struct rp_error err = {0};
    *t = (struct test_trace){.path = "/tmp/reprise-device-XXXXXX"};
    int file = mkstemp(t->path);
    cr_assert_geq(file, 0);
    close(file);
    t->writer = rp_writer_open(t->path, &from, NULL, &err);
    cr_assert_not_null(t->writer, "%s", err.text);
}

void end_trace(struct test_trace *t)
{
    struct rp_error err = {0};
    cr_assert(rp_writer_close(t->writer, &err), "%s", err.text);
    t->trace = rp_trace_open(t->path, &err);
    cr_assert_not_null(t->trace, "%s", err.text);
    cr_assert(rp_trace_verify(t->trace, NULL, NULL, &err), "%s", err.text);
    FILE *f = fopen(t->path, "rb");
    cr_assert_not_null(f);
    cr_assert_eq(fseek(f, 0, SEEK_END), 0);
    t->size = (size_t)ftell(f);
    rewind(f);
    cr_assert_not_null(t->bytes = malloc(t->size));
    cr_assert_eq(fread(t->bytes, 1, t->size, f), t->size);
    fclose(f);
    unlink(t->path);
}

void free_trace(struct test_trace *t)
{
    rp_trace_close(t->trace);
    free(t->bytes);
}
