#include "tests/support/one_warp.h"

#include "tracefmt/writer.h"

static void copy_step(struct rp_warp_log *log, const struct rp_step *step)
{
    rp_log_run(log, step->index, 1, step->active);
    if (step->instruction->flags & RP_GUARDED)
        rp_log_guard(log, step->executed);
    if (!step->executed)
        return;
    if (step->instruction->flags & RP_HAS_AUX)
        rp_log_aux(log, step->aux);
    for (uint32_t o = 0; o < step->instruction->memory_count; o++) {
        uint64_t address[RP_WARP_LANES] = {0};
        rp_access_addresses(&step->accesses[o], address);
        rp_log_access(log, step->index, o, step->accesses[o].pattern->mask, address);
    }
}

static bool copy_warp(struct rp_warp_log *log, struct rp_trace *t, uint32_t launch, uint64_t block, uint32_t warp,
                      struct rp_error *err)
{
    struct rp_block *b = rp_block_open(t, launch, block, err);
    struct rp_cursor cursor;
    if (!b)
        return false;
    bool fine = rp_cursor_open(&cursor, b, warp, err);
    if (fine) {
        struct rp_step step;
        int more;
        while ((more = rp_cursor_next(&cursor, &step, err)) > 0)
            copy_step(log, &step);
        fine = more == 0;
        rp_cursor_close(&cursor);
    }
    rp_block_close(b);
    return fine;
}

static bool write_launch(struct rp_writer *w, struct rp_trace *t, uint32_t from, uint64_t block, uint32_t warp,
                         struct rp_error *err)
{
    struct rp_launch launch = *rp_trace_launch(t, from);
    const struct rp_kernel *kernel = rp_trace_kernel(t, launch.kernel);
    struct rp_kernel of_no_module = *kernel;
    of_no_module.module = 0;
    launch.dependency_count = 0; /* the launches before it are not there */
    for (unsigned i = 0; i < 3; i++)
        launch.grid[i] = launch.block[i] = 1;
    launch.block[0] = RP_WARP_LANES;
    uint32_t id;
    if (!rp_writer_add_kernel(w, &of_no_module, &launch.kernel, err) || !rp_writer_begin_launch(w, &launch, &id, err))
        return false;
    struct rp_chunk *chunk = rp_chunk_new(kernel, id, NULL);
    struct rp_warp_log *log = rp_chunk_begin_block(chunk, 0, 1);
    bool fine = copy_warp(log, t, from, block, warp, err);
    rp_chunk_end_block(chunk, 0);
    struct rp_frame *frame = fine ? rp_chunk_finish(chunk, err) : NULL;
    rp_chunk_free(chunk);
    return frame && rp_writer_commit(w, frame, err) &&
           rp_writer_end_launch(w, id, &(struct rp_launch_end){.outcome = RP_OUTCOME_COMPLETE}, err);
}

bool one_warp_write(const char *path, struct rp_trace *t, uint32_t launch, uint64_t block, uint32_t warp,
                    struct rp_error *err)
{
    struct rp_provenance provenance = {.tool = "test", .module_name = "one warp", .module_sha256 = ""};
    struct rp_writer *w = rp_writer_open(path, &provenance, NULL, err);
    if (w && write_launch(w, t, launch, block, warp, err))
        return rp_writer_close(w, err);
    rp_writer_abandon(w);
    return false;
}
