#include "frontend/record/recorder.h"

#include <stdlib.h>
#include <string.h>

/* What is at the address now: the last operation at an address says what is there. */
static bool tell(struct rp_writer *w, const struct memory *m, uint64_t address, struct rp_error *err)
{
    struct rp_host_operation o = {.kind = RP_HOST_FREE, .address = address, .name = ""};
    const struct allocation *a = memory_from(m, address);
    if (a && a->base == address) {
        o.kind = RP_HOST_ALLOCATE;
        o.size = a->size;
        o.name = a->name;
        o.initialised = a->initialised;
    }
    return rp_writer_add_host_operation(w, &o, err);
}

/* Tells the trace what has changed in memory since it was last told, or all that there is. */
static bool tell_memory(struct rp_writer *w, struct memory *m, uint64_t *told, struct rp_error *err)
{
    bool ok = true;
    if (*told == rp_writer_identity(w)) {
        if (m->log_lost)
            return rp_fail(err, RP_SYSTEM, "out of memory for what is allocated");
        for (size_t i = 0; i < m->change_count && ok; i++)
            ok = tell(w, m, m->changes[i], err);
    } else {
        for (const struct allocation *a = memory_from(m, 0); a && ok; a = memory_from(m, a->base + 1))
            ok = tell(w, m, a->base, err);
    }
    *told = ok ? rp_writer_identity(w) : 0;
    memory_log(m);
    return ok;
}

static bool begin_launch(struct recorder *r, const struct grid *g, uint32_t kernel, struct rp_error *err)
{
    struct rp_launch launch = {
        .kernel = kernel,
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
    memcpy(launch.grid, g->dim, sizeof launch.grid);
    memcpy(launch.block, g->block, sizeof launch.block);
    return rp_writer_begin_launch(r->writer, &launch, &r->launch, err);
}

bool recorder_begin(struct recorder *r, struct rp_writer *writer, const struct grid *g, uint64_t *told,
                    struct rp_error *err)
{
    *r = (struct recorder){.writer = writer, .kernel = &g->program->kernel};
    uint32_t kernel;
    if (!writer)
        return true;
    return rp_writer_add_kernel(writer, r->kernel, &kernel, err) && tell_memory(writer, g->memory, told, err) &&
           begin_launch(r, g, kernel, err);
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
