/* Launches. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "frontend/check/names.h"
#include "tools/host/kernel.h"
#include "tools/host/session.h"

static const struct argument_type types[] = {
    [REPRISE_IN] = {"memory", 8, true, false, false, true},    [REPRISE_OUT] = {"memory", 8, true, false, false, true},
    [REPRISE_INOUT] = {"memory", 8, true, false, false, true}, [REPRISE_I32] = {"i32", 4, true, false, true, false},
    [REPRISE_U32] = {"u32", 4, true, false, true, false},      [REPRISE_I64] = {"i64", 8, true, false, false, false},
    [REPRISE_U64] = {"u64", 8, true, false, false, false},     [REPRISE_F32] = {"f32", 4, false, true, false, false},
    [REPRISE_F64] = {"f64", 8, false, true, false, false},     [REPRISE_VALUE] = {"value", 0, true, true, false, false},
};
enum { KINDS = sizeof types / sizeof *types };

static bool check_argument(const struct program *p, uint32_t i, const struct reprise_arg *a, struct rp_error *err)
{
    struct argument_type type = types[a->kind];
    int64_t value = a->kind == REPRISE_I32 ? a->value.i32 : (int64_t)a->value.u32;
    if (a->kind == REPRISE_VALUE) {
        if (!a->pointer)
            return rp_fail(err, RP_USAGE, "argument %u: the pointer to the value is NULL", i);
        type.bytes = a->bytes;
    }
    return kernel_check_argument(p, i, &type, value, err);
}

static uint32_t pointer_bytes(const struct program *p) { return p->narrow ? 4 : 8; }

static bool check_pointers(const struct program *p, const struct reprise_launch *l, struct rp_error *err)
{
    for (uint32_t i = 0; i < REPRISE_POINTERS; i++) {
        const struct reprise_pointer *at = &l->pointers[i];
        if (at->memory.kind == REPRISE_NONE)
            continue;
        if (at->memory.kind < REPRISE_IN || at->memory.kind > REPRISE_INOUT)
            return rp_fail(err, RP_USAGE, "pointer %u is no memory; make it with reprise_in, reprise_out, ...", i);
        if (at->argument >= REPRISE_ARGS || l->args[at->argument].kind != REPRISE_VALUE)
            return rp_fail(err, RP_USAGE, "pointer %u lies in argument %u, which reprise_value did not make", i,
                           at->argument);
        const size_t bytes = l->args[at->argument].bytes;
        if (bytes < pointer_bytes(p) || at->offset > bytes - pointer_bytes(p))
            return rp_fail(err, RP_USAGE, "pointer %u: argument %u has %zu bytes, none for a pointer at offset %u", i,
                           at->argument, bytes, at->offset);
    }
    return true;
}

static bool check_arguments(const struct program *p, const struct reprise_launch *l, struct rp_error *err)
{
    uint32_t count = 0;
    while (count < REPRISE_ARGS && l->args[count].kind != REPRISE_NONE)
        count++;
    for (uint32_t i = count; i < REPRISE_ARGS; i++)
        if (l->args[i].kind != REPRISE_NONE)
            return rp_fail(err, RP_USAGE, "argument %u is missing, but argument %u is given", count, i);
    for (uint32_t i = 0; i < count; i++)
        if ((unsigned)l->args[i].kind >= KINDS)
            return rp_fail(err, RP_USAGE, "argument %u is of no kind; make it with reprise_in, reprise_i32, ...", i);
    if (!kernel_check_count(p, count, err))
        return false;
    for (uint32_t i = 0; i < count; i++)
        if (!check_argument(p, i, &l->args[i], err))
            return false;
    return check_pointers(p, l, err);
}

/* Makes the parameter block; NULL: out of memory. */
static void *parameters(const struct program *p, const struct reprise_launch *l, const uint64_t address[MEMORIES],
                        struct rp_error *err)
{
    uint8_t *block = calloc(1, p->parameter_bytes + 1);
    if (!block) {
        rp_fail(err, RP_SYSTEM, "out of memory for the parameters of kernel '%s'", p->name);
        return NULL;
    }
    for (uint32_t i = 0; i < p->parameter_count; i++) {
        const struct reprise_arg *a = &l->args[i];
        const void *from = a->kind == REPRISE_VALUE   ? a->pointer
                           : a->kind <= REPRISE_INOUT ? (const void *)&address[i]
                                                      : &a->value;
        memcpy(block + p->parameters[i].offset, from, p->parameters[i].size);
    }
    for (uint32_t i = 0; i < REPRISE_POINTERS; i++) {
        const struct reprise_pointer *at = &l->pointers[i];
        if (at->memory.kind != REPRISE_NONE)
            memcpy(block + p->parameters[at->argument].offset + at->offset, &address[REPRISE_ARGS + i],
                   pointer_bytes(p));
    }
    return block;
}

/* Opens the writer for a launch: the trace; for timing alone a file without a name; NULL for neither. */
static bool open_writer(struct reprise *r, struct rp_writer **writer, struct rp_error *err)
{
    static const struct rp_writer_options scratch = {.scratch = true};
    static const struct rp_provenance nothing = {0};
    char path[4096];
    *writer = r->writer;
    if (r->writer || !r->machine)
        return true;
    const char *folder = getenv("TMPDIR");
    snprintf(path, sizeof path, "%s/reprise", folder && *folder ? folder : "/tmp");
    *writer = rp_writer_open(path, &nothing, &scratch, err);
    return *writer != NULL;
}

/* The same error with names as they are in the source. Always false. */
static bool fail_readable(const struct rp_error *own, struct rp_error *err)
{
    char *text = NULL;
    size_t size;
    FILE *to = open_memstream(&text, &size);
    if (to)
        print_readable(to, own->text);
    bool whole = to && !fclose(to);
    rp_fail(err, own->status, "%s", whole ? text : own->text);
    free(text);
    return false;
}

/* Copies memory and runs the kernel, after all other errors have been found: later launches see its effects. */
static bool launch(struct reprise *r, struct program *p, const struct reprise_launch *l,
                   struct rp_launch_config *config, struct reprise_result *result, struct rp_error *err)
{
    uint64_t address[MEMORIES] = {0};
    struct rp_launch_result done;
    void *params = memory_send(r, l, address, err) ? parameters(p, l, address, err) : NULL;
    if (!params)
        return false;
    config->params = params;
    struct rp_error own = {0};
    bool ok = rp_launch_kernel(r->device, p, config, &done, &own);
    free(params);
    r->dead = !ok && own.status == RP_KERNEL;
    if (!ok)
        return fail_readable(&own, err);
    result->warp_instructions = done.warp_instructions;
    result->thread_instructions = done.thread_instructions;
    uint32_t index = r->writer ? r->launches : 0;
    r->launches += 1 + (uint32_t)done.children;
    if (r->machine && done.children)
        return rp_fail(err, RP_USAGE, "kernel '%s' launches kernels, which a session does not time: replay its trace",
                       p->name);
    if (r->machine && !timing_replay(r, p, config->writer, index, result, err))
        return false;
    return memory_fetch(r, l, address, err);
}

bool reprise_run(struct reprise *r, const struct reprise_launch *l, struct reprise_result *result, struct rp_error *err)
{
    struct reprise_result unused = {0};
    result = result ? result : &unused;
    *result = (struct reprise_result){0};
    if (!r || !l)
        return rp_fail(err, RP_USAGE, "no %s to run: NULL", r ? "launch" : "session");
    if (r->dead)
        return rp_fail(err, RP_USAGE, "a kernel of this session has misbehaved; nothing more can run in it");
    struct program *p = kernel_find(r->module, l->kernel, err);
    if (!p || !check_arguments(p, l, err))
        return false;
    struct rp_launch_config config = r->defaults;
    config.dynamic_shared = l->shared;
    config.stream = l->stream;
    for (int i = 0; i < 3; i++) {
        config.grid[i] = l->grid[i] ? l->grid[i] : 1;
        config.block[i] = l->block[i] ? l->block[i] : 1;
        config.cluster[i] = l->cluster[i];
    }
    if (!open_writer(r, &config.writer, err))
        return false;
    bool ok = launch(r, p, l, &config, result, err);
    if (config.writer != r->writer)
        rp_writer_abandon(config.writer);
    return ok;
}
