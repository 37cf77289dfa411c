#include "rig.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tracefmt/reader_internal.h"

const char *rig_target = "sm_62";

void rig_open(struct rig *r, const char *body, uint32_t buffers, const uint64_t *bytes)
{
    char *text;
    *r = (struct rig){.buffers = buffers};
    cr_assert_gt(asprintf(&text, ".version 8.3\n.target %s\n.address_size 64\n%s", rig_target, body), 0);
    struct module *m = ptx_load_text("test.ptx", text, strlen(text), 0, &r->err);
    free(text);
    cr_assert_not_null(m, "%s", r->err.text);
    cr_assert_not_null(r->device = rp_device_new(&r->err), "%s", r->err.text);
    cr_assert(rp_device_adopt(r->device, m, &r->err), "%s", r->err.text);
    cr_assert_not_null(r->program = module_find(m, NULL, &r->err), "%s", r->err.text);
    for (uint32_t i = 0; i < buffers; i++) {
        char name[16];
        snprintf(name, sizeof name, "arg%u", i);
        r->address[i] = r->params[i] = rp_alloc(r->device, bytes[i], name, &r->err);
        r->host[i] = rp_host(r->device, r->address[i], bytes[i]);
        cr_assert_not_null(r->host[i]);
    }
    r->config.params = r->params;
    r->config.threads = 1;
}

void rig_close(struct rig *r) { rp_device_free(r->device); }

bool rig_run(struct rig *r, uint32_t grid, uint32_t block)
{
    r->config.grid[0] = grid;
    r->config.block[0] = block;
    r->config.grid[1] = r->config.grid[2] = r->config.block[1] = r->config.block[2] = 1;
    return rp_launch_kernel(r->device, r->program, &r->config, &r->result, &r->err);
}

void rig_expect_fault(struct rig *r, uint32_t grid, uint32_t block, enum rp_fault_kind kind, const char *text)
{
    cr_assert(!rig_run(r, grid, block), "the kernel should fail: %s", text);
    cr_assert_eq(r->err.status, RP_KERNEL, "%s", r->err.text);
    cr_assert_eq(r->result.fault, kind, "fault %d: %s", r->result.fault, r->err.text);
    cr_assert_not_null(strstr(r->err.text, text), "'%s' lacks '%s'", r->err.text, text);
    cr_assert_null(strchr(r->err.text, '\n'));
}

static void read_trace(struct outcome *o, const char *path)
{
    FILE *f = fopen(path, "rb");
    cr_assert_not_null(f);
    cr_assert_eq(fseek(f, 0, SEEK_END), 0);
    o->trace_bytes = (size_t)ftell(f);
    rewind(f);
    o->trace = malloc(o->trace_bytes);
    cr_assert_eq(fread(o->trace, 1, o->trace_bytes, f), o->trace_bytes);
    fclose(f);
}

/* The trace is whole and holds exactly the instructions that the launch counted. */
static void check_trace(struct outcome *o, const char *path, const struct rp_launch_result *result)
{
    struct rp_error err;
    struct rp_trace *t = rp_trace_open(path, &err);
    cr_assert_not_null(t, "%s", err.text);
    cr_assert(rp_trace_verify(t, NULL, NULL, &err), "%s", err.text);
    struct rp_launch_totals totals = rp_trace_launch_totals(t, 0);
    cr_assert_eq(totals.warp_instructions, result->warp_instructions);
    cr_assert_eq(totals.thread_instructions, result->thread_instructions);
    const struct rp_launch_end *end = rp_trace_launch_end(t, 0);
    cr_assert_not_null(end);
    cr_assert_eq(end->outcome, result->fault ? RP_OUTCOME_FAULT : RP_OUTCOME_COMPLETE);
    for (size_t i = 0; i < t->index.frame_count; i++) {
        const struct frame_entry *f = &t->index.frames[i];
        if (f->kind != FRAME_CHUNK)
            continue;
        o->chunks_begin = o->chunks_begin ? o->chunks_begin : f->offset;
        o->chunks_end = f->offset + f->bytes;
    }
    rp_trace_close(t);
}

struct outcome rig_record(const char *body, uint32_t buffers, const uint64_t *bytes, void (*fill)(struct rig *),
                          uint32_t grid, uint32_t block, unsigned threads)
{
    struct rig r;
    struct outcome o = {0};
    char path[] = "/tmp/reprise-engine-XXXXXX";
    int fd = mkstemp(path);
    cr_assert_geq(fd, 0);
    close(fd);
    rig_open(&r, body, buffers, bytes);
    if (fill)
        fill(&r);
    struct rp_provenance from = {.tool = "test", .module_name = "test.ptx", .module_sha256 = ""};
    r.config.writer = rp_writer_open(path, &from, NULL, &r.err);
    cr_assert_not_null(r.config.writer, "%s", r.err.text);
    r.config.threads = threads;
    o.ok = rig_run(&r, grid, block);
    o.err = r.err;
    o.racy = r.program->racy;
    o.warp_instructions = r.result.warp_instructions;
    cr_assert(o.ok || r.result.fault, "%s", r.err.text);
    cr_assert(rp_writer_close(r.config.writer, &r.err), "%s", r.err.text);
    check_trace(&o, path, &r.result);
    read_trace(&o, path);
    unlink(path);
    for (uint32_t i = 0; i < buffers; i++) {
        o.memory[i] = malloc(bytes[i]);
        memcpy(o.memory[i], r.host[i], bytes[i]);
    }
    rig_close(&r);
    return o;
}

void outcome_free(struct outcome *o)
{
    free(o->trace);
    for (int i = 0; i < RIG_BUFFERS; i++)
        free(o->memory[i]);
}

struct outcome rig_same_at_any_threads(const char *body, uint32_t buffers, const uint64_t *bytes,
                                       void (*fill)(struct rig *), uint32_t grid, uint32_t block)
{
    static const unsigned threads[] = {2, 3, 8};
    struct outcome one = rig_record(body, buffers, bytes, fill, grid, block, 1);
    for (unsigned i = 0; i < 3; i++) {
        struct outcome many = rig_record(body, buffers, bytes, fill, grid, block, threads[i]);
        cr_assert_eq(many.ok, one.ok);
        cr_assert_eq(many.racy, one.racy);
        cr_assert_str_eq(many.err.text, one.err.text);
        cr_assert_eq(many.trace_bytes, one.trace_bytes, "%u threads", threads[i]);
        cr_assert_arr_eq(many.trace, one.trace, one.trace_bytes, "%u threads", threads[i]);
        for (uint32_t b = 0; b < buffers; b++)
            cr_assert_arr_eq(many.memory[b], one.memory[b], bytes[b], "%u threads, buffer %u", threads[i], b);
        outcome_free(&many);
    }
    return one;
}
