#include "tracefmt/writer.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <libgen.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tracefmt/chunk.h"
#include "tracefmt/frame.h"
#include "tracefmt/reader_internal.h"
#include "tracefmt/tables.h"

struct rp_writer {
    char *path, *temporary;
    int fd, level;
    bool scratch; /* the file has no name any more */
    bool broken;  /* something failed: the file must not get its name */
    uint64_t bytes;
    struct index index;
    ZSTD_CCtx *compressor;
    struct buffer raw, out;
    const struct rp_kernel **kernels; /* as given; only their addresses matter */
    uint32_t kernel_count, launch_count;
    bool launch_open;
    uint64_t launch_blocks; /* of the open launch */
    uint32_t launch_warps;
};

static bool system_fail(struct rp_writer *w, const char *doing, struct rp_error *err)
{
    w->broken = true;
    return rp_fail(err, RP_SYSTEM, "cannot %s '%s': %s", doing, w->path, strerror(errno));
}

static bool write_all(struct rp_writer *w, const uint8_t *data, size_t size, struct rp_error *err)
{
    while (size) {
        ssize_t n = write(w->fd, data, size);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return system_fail(w, "write", err);
        data += n;
        size -= (size_t)n;
        w->bytes += (uint64_t)n;
    }
    return true;
}

/* ---- opening ----------------------------------------------------------------------------------------------------- */

static bool create(struct rp_writer *w, struct rp_error *err)
{
    struct stat st;
    if (!stat(w->path, &st) && !S_ISREG(st.st_mode))
        return rp_fail(err, RP_USAGE, "cannot write a trace to '%s': it exists and is not a regular file", w->path);
    w->fd = mkostemp(w->temporary, O_CLOEXEC);
    if (w->fd < 0)
        return system_fail(w, "create", err);
    if (w->scratch)
        return !unlink(w->temporary) || system_fail(w, "create", err);
    mode_t mask = umask(0);
    umask(mask);
    return !fchmod(w->fd, 0666 & ~mask) || system_fail(w, "create", err);
}

static bool allocate(struct rp_writer *w, const char *path)
{
    static const char suffix[] = ".part-XXXXXX";
    size_t size = strlen(path);
    w->path = strdup(path);
    w->temporary = malloc(size + sizeof suffix);
    w->compressor = ZSTD_createCCtx();
    if (!w->path || !w->temporary || !w->compressor)
        return false;
    memcpy(w->temporary, path, size);
    memcpy(w->temporary + size, suffix, sizeof suffix);
    return true;
}

/* Compresses w->raw into a frame of tables and writes it. */
static bool write_tables(struct rp_writer *w, struct rp_error *err)
{
    uint64_t offset = w->bytes;
    w->out.size = 0;
    bool ok = frame_compress(w->compressor, w->level, &w->raw, &w->out, err) &&
              write_all(w, w->out.data, w->out.size, err) &&
              index_add_tables(&w->index, offset, w->out.size, w->raw.size, err);
    w->raw.size = 0;
    w->broken |= !ok;
    return ok;
}

static void writer_free(struct rp_writer *w)
{
    index_free(&w->index);
    buffer_free(&w->raw);
    buffer_free(&w->out);
    ZSTD_freeCCtx(w->compressor);
    free(w->path);
    free(w->temporary);
    free(w->kernels);
    free(w);
}

struct rp_writer *rp_writer_open(const char *path, const struct rp_provenance *provenance,
                                 const struct rp_writer_options *options, struct rp_error *err)
{
    struct rp_writer *w = calloc(1, sizeof *w);
    if (!w || !allocate(w, path)) {
        rp_fail(err, RP_SYSTEM, "out of memory while opening '%s'", path);
        if (w)
            writer_free(w);
        return NULL;
    }
    w->fd = -1;
    w->level = options ? options->level : 0;
    w->scratch = options && options->scratch;
    if (!create(w, err) || !tables_pack_head(&w->raw, provenance, err) || !write_tables(w, err)) {
        rp_writer_abandon(w);
        return NULL;
    }
    return w;
}

void rp_writer_abandon(struct rp_writer *w)
{
    if (!w)
        return;
    if (w->fd >= 0) {
        close(w->fd);
        if (!w->scratch)
            unlink(w->temporary);
    }
    writer_free(w);
}

const char *rp_writer_temporary(const struct rp_writer *w) { return w->temporary; }
uint64_t rp_writer_bytes(const struct rp_writer *w) { return w->bytes; }

/* ---- tables ------------------------------------------------------------------------------------------------------ */

bool rp_writer_add_kernel(struct rp_writer *w, const struct rp_kernel *kernel, uint32_t *id, struct rp_error *err)
{
    for (*id = 0; *id < w->kernel_count; (*id)++)
        if (w->kernels[*id] == kernel)
            return true;
    const struct rp_kernel **kernels = realloc(w->kernels, (w->kernel_count + 1) * sizeof *kernels);
    if (!kernels)
        return rp_fail(err, RP_SYSTEM, "out of memory for kernel '%s'", kernel->name);
    w->kernels = kernels;
    if (!tables_check_kernel(kernel, err) || !tables_pack_kernel(&w->raw, w->kernel_count, kernel, err) ||
        !write_tables(w, err))
        return false;
    w->kernels[w->kernel_count++] = kernel;
    return true;
}

bool rp_writer_begin_launch(struct rp_writer *w, const struct rp_launch *launch, uint32_t *id, struct rp_error *err)
{
    if (w->launch_open)
        return rp_fail(err, RP_SYSTEM, "launch %" PRIu32 " of the trace has not ended yet", w->launch_count - 1);
    if (!tables_check_launch(launch, w->kernel_count, err) ||
        !tables_pack_launch(&w->raw, w->launch_count, launch, err) || !write_tables(w, err))
        return false;
    w->launch_open = true;
    w->launch_blocks = rp_launch_blocks(launch);
    w->launch_warps = rp_launch_warps(launch);
    *id = w->launch_count++;
    return true;
}

bool rp_writer_end_launch(struct rp_writer *w, const struct rp_launch_end *end, struct rp_error *err)
{
    if (!w->launch_open)
        return rp_fail(err, RP_SYSTEM, "no launch of the trace is open");
    w->launch_open = false;
    return tables_pack_launch_end(&w->raw, w->launch_count - 1, end, err) && write_tables(w, err);
}

/* ---- chunks ------------------------------------------------------------------------------------------------------ */

/* The last chunk of the open launch in which a block begins. */
static const struct chunk_entry *last_begun(const struct rp_writer *w)
{
    for (size_t i = w->index.chunk_count; i-- > 0 && w->index.chunks[i].launch == w->launch_count - 1;)
        if (w->index.chunks[i].blocks)
            return &w->index.chunks[i];
    return NULL;
}

static bool check_frame(const struct rp_writer *w, const struct rp_frame *f, struct rp_error *err)
{
    const struct chunk_entry *s = &f->summary;
    if (!w->launch_open || s->launch != w->launch_count - 1)
        return rp_fail(err, RP_SYSTEM, "a chunk belongs to launch %" PRIu32 ", which is not open", s->launch);
    if (!s->blocks)
        return true;
    const struct chunk_entry *before = last_begun(w);
    if (before && before->first_block >= s->first_block)
        return rp_fail(err, RP_SYSTEM, "block %" PRIu64 " is committed after block %" PRIu64, s->first_block,
                       before->first_block);
    if (f->last_block >= w->launch_blocks || f->warps != w->launch_warps)
        return rp_fail(err, RP_SYSTEM, "block %" PRIu64 " with %" PRIu32 " warps does not fit the launch",
                       f->last_block, f->warps);
    return true;
}

bool rp_writer_commit(struct rp_writer *w, struct rp_frame *f, struct rp_error *err)
{
    uint64_t offset = w->bytes;
    bool nothing = !f->summary.blocks && !f->summary.carried_count;
    bool ok = nothing || (check_frame(w, f, err) && write_all(w, f->data, f->bytes, err) &&
                          index_add_chunk(&w->index, offset, f->bytes, f->raw_bytes, &f->summary, f->carried, err));
    w->broken |= !ok;
    rp_frame_free(f);
    return ok;
}

struct rp_writer_mark rp_writer_mark(const struct rp_writer *w)
{
    return (struct rp_writer_mark){w->bytes, w->index.frame_count};
}

bool rp_writer_rollback(struct rp_writer *w, struct rp_writer_mark mark, struct rp_error *err)
{
    if (mark.offset > w->bytes || mark.state > w->index.frame_count)
        return rp_fail(err, RP_SYSTEM, "the trace cannot be taken back to a point that lies ahead");
    if (ftruncate(w->fd, (off_t)mark.offset) || lseek(w->fd, (off_t)mark.offset, SEEK_SET) < 0)
        return system_fail(w, "take back", err);
    index_truncate(&w->index, mark.state);
    w->bytes = mark.offset;
    return true;
}

/* ---- reading back ------------------------------------------------------------------------------------------------ */

/* With an index at the end for as long as opening takes. */
struct rp_trace *rp_writer_read(struct rp_writer *w, struct rp_error *err)
{
    if (w->broken || w->launch_open) {
        rp_fail(err, RP_SYSTEM, "the trace '%s' cannot be read yet", w->path);
        return NULL;
    }
    struct rp_writer_mark mark = rp_writer_mark(w);
    struct rp_trace *trace = NULL;
    w->out.size = 0;
    if (index_pack(&w->index, &w->out, err) && write_all(w, w->out.data, w->out.size, err)) {
        int fd = fcntl(w->fd, F_DUPFD_CLOEXEC, 0);
        if (fd < 0)
            system_fail(w, "read", err);
        else
            trace = trace_open_fd(fd, w->path, err);
    }
    if (rp_writer_rollback(w, mark, trace ? err : NULL))
        return trace;
    rp_trace_close(trace);
    return NULL;
}

/* ---- closing ----------------------------------------------------------------------------------------------------- */

/* The rename itself must survive a crash of the system. A directory that cannot be opened or synced (some network file
 * systems) is no reason to lose the trace. */
static void sync_directory(const struct rp_writer *w)
{
    char *copy = strdup(w->path);
    int fd = copy ? open(dirname(copy), O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1;
    if (fd >= 0) {
        fsync(fd);
        close(fd);
    }
    free(copy);
}

static bool finish(struct rp_writer *w, struct rp_error *err)
{
    if (w->broken)
        return rp_fail(err, RP_SYSTEM, "the trace '%s' is incomplete because writing failed before", w->path);
    if (w->launch_open)
        return rp_fail(err, RP_SYSTEM, "launch %" PRIu32 " of the trace has not ended yet", w->launch_count - 1);
    if (w->scratch)
        return true;
    w->out.size = 0;
    if (!index_pack(&w->index, &w->out, err) || !write_all(w, w->out.data, w->out.size, err))
        return false;
    if (fsync(w->fd))
        return system_fail(w, "sync", err);
    int fd = w->fd;
    w->fd = -1;
    if (close(fd) || rename(w->temporary, w->path)) {
        system_fail(w, "complete", err);
        unlink(w->temporary);
        return false;
    }
    sync_directory(w);
    return true;
}

bool rp_writer_close(struct rp_writer *w, struct rp_error *err)
{
    bool ok = finish(w, err);
    rp_writer_abandon(w);
    return ok;
}
