#include "frontend/record/recorder.h"

#include "frontend/core/cluster.h"
#include "frontend/core/target.h"

#include <stdlib.h>
#include <string.h>

static bool write_allocations(struct rp_writer *w, const struct memory *m, struct rp_error *err)
{
    bool ok = true;
    for (const struct allocation *a = memory_from(m, 0); a && ok; a = memory_from(m, a->base + 1)) {
        struct rp_host_operation o = {.kind = RP_HOST_ALLOCATE,
                                      .address = a->base,
                                      .size = a->size,
                                      .name = a->name,
                                      .initialised = a->initialised,
                                      .managed = a->kind == ALLOCATION_HOST};
        ok = rp_writer_add_host_operation(w, &o, err);
    }
    return ok;
}

static bool write_log(struct rp_writer *w, const struct memory *m, struct rp_error *err)
{
    bool ok = !m->log_lost || rp_fail(err, RP_SYSTEM, "out of memory for what the host did");
    for (size_t i = 0; i < m->log_count && ok; i++)
        ok = rp_writer_add_host_operation(w, &m->log[i], err);
    return ok;
}

bool recorder_write_operations(struct rp_writer *w, struct memory *m, uint64_t *logged_to, struct rp_error *err)
{
    bool knows = *logged_to == rp_writer_identity(w) || m->log_whole;
    bool ok = knows ? write_log(w, m, err) : write_allocations(w, m, err);
    *logged_to = ok ? rp_writer_identity(w) : 0;
    memory_log(m);
    return ok;
}

bool recorder_add_kernel(struct recorder *r, struct rp_writer *writer, const struct program *p, const struct module *m,
                         const uint32_t block[3], struct rp_error *err)
{
    *r = (struct recorder){.writer = writer, .kernel = &p->kernel};
    if (!writer)
        return true;
    struct rp_module module = {.name = m->file_name,
                               .sha256 = m->sha256,
                               .isa = m->machine_code ? "sass" : "ptx",
                               .target = m->target ? m->target->name : "",
                               .identity = m->identity};
    struct rp_kernel kernel = p->kernel;
    if (!rp_writer_add_module(writer, &module, &kernel.module, err))
        return false;
    kernel.module++;
    uint32_t fit = registers_that_fit((uint64_t)block[0] * block[1] * block[2], 1);
    if (!m->machine_code && kernel.registers > fit)
        kernel.registers = fit;
    return rp_writer_add_kernel(writer, &kernel, &r->number, err);
}

bool recorder_begin(struct recorder *r, const struct grid *g, const struct rp_launch *like, struct rp_error *err)
{
    struct rp_launch launch = {
        .kernel = r->number,
        .stream = like->stream,
        .parent = like->parent,
        .device = g->device,
        .dependency_count = like->dependency_count,
        .dependencies = like->dependencies,
        .cluster_shared = CLUSTER_SHARED,
        .cluster_step = CLUSTER_STEP,
        .cooperative = g->workspace != 0,
        .dynamic_shared = g->dynamic_shared,
        .shared_window = SHARED_WINDOW,
        .shared_window_size = SHARED_WINDOW_SIZE,
        .local_window = LOCAL_WINDOW,
        .local_window_size = LOCAL_WINDOW_SIZE,
        .const_window = CONST_WINDOW,
        .const_window_size = CONST_WINDOW_SIZE,
        .param_window = PARAM_WINDOW,
        .param_window_size = PARAM_WINDOW_SIZE,
        .param_size = g->program->parameter_bytes,
        .params = g->params,
    };
    if (!r->writer)
        return true;
    memcpy(launch.grid, g->dim, sizeof launch.grid);
    memcpy(launch.block, g->block, sizeof launch.block);
    memcpy(launch.cluster, g->cluster, sizeof launch.cluster);
    return rp_writer_begin_launch(r->writer, &launch, &r->launch, err);
}

void recorder_mark(struct recorder *r)
{
    if (r->writer)
        r->start = rp_writer_mark(r->writer);
}

bool recorder_restart(struct recorder *r, struct rp_error *err)
{
    return !r->writer || rp_writer_rollback(r->writer, r->start, err);
}

bool recorder_end(struct recorder *r, const char *fault, struct rp_error *err)
{
    struct rp_launch_end end = {.outcome = fault ? RP_OUTCOME_FAULT : RP_OUTCOME_COMPLETE, .fault = fault};
    return !r->writer || rp_writer_end_launch(r->writer, r->launch, &end, err);
}

bool frames_finish(struct frame_list *l, struct rp_chunk *chunk, struct rp_error *err)
{
    if (l->count == l->capacity) {
        size_t capacity = l->capacity ? 2 * l->capacity : 4;
        struct rp_frame **frames = realloc(l->frames, capacity * sizeof *frames);
        if (!frames)
            return rp_fail(err, RP_SYSTEM, "out of memory for the trace");
        l->frames = frames;
        l->capacity = capacity;
    }
    l->frames[l->count] = rp_chunk_finish(chunk, err);
    return l->frames[l->count] && ++l->count;
}

bool frames_commit(struct frame_list *l, struct recorder *r, struct rp_error *err)
{
    bool ok = true;
    for (size_t i = 0; i < l->count; i++) {
        if (ok)
            ok = rp_writer_commit(r->writer, l->frames[i], err);
        else
            rp_frame_free(l->frames[i]);
    }
    l->count = 0;
    return ok;
}

void frames_free(struct frame_list *l)
{
    for (size_t i = 0; i < l->count; i++)
        rp_frame_free(l->frames[i]);
    free(l->frames);
    *l = (struct frame_list){0};
}
