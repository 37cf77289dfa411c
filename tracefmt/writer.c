#include "tracefmt/writer.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <libgen.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tracefmt/chunk.h"
#include "tracefmt/file_write.h"
#include "tracefmt/frame.h"
#include "tracefmt/output_path.h"
#include "tracefmt/reader_internal.h"
#include "tracefmt/tables.h"

#define WRITE_BYTES ((size_t)256 << 10) /* written at once */
#define TABLE_BYTES ((size_t)64 << 10)  /* the most bytes of small tables in one frame */

struct open_launch {
    uint32_t id, warps;
    uint64_t blocks;
    size_t begun_at; /* chunks in the file when the launch began */
    bool has_blocks;
    uint64_t last_first; /* the first block that begins in the last chunk with any beginning */
};

struct known_kernel {
    uint64_t identity;
    uint32_t registers;
};

struct rp_writer {
    uint64_t identity;
    char *path, *temporary;
    char *target; /* the file that the path leads to */
    int fd, level;
    bool scratch;            /* the file has no name */
    _Atomic bool broken;     /* an operation failed: the file must not get its name */
    pthread_mutex_t writing; /* guards `unwritten` and the file's end: rp_writer_flush comes at any time */
    uint64_t bytes;          /* of the file, including those in `unwritten` */
    uint64_t ahead;          /* a checkpoint has written up to here */
    struct buffer unwritten;
    struct index index;
    ZSTD_CCtx *compressor;
    struct buffer raw, out; /* raw: tables that are waiting for their frame */
    uint64_t announced;     /* features announced so far, a bit each */
    struct known_kernel *kernels;
    uint64_t *modules; /* their identities */
    uint32_t kernel_count, launch_count, module_count;
    struct open_launch *open; /* ascending */
    size_t open_count, open_capacity;
    uint64_t tables; /* written so far, without announcements of features */
};

static bool system_fail(struct rp_writer *w, const char *doing, struct rp_error *err)
{
    w->broken = true;
    return rp_fail(err, RP_SYSTEM, "cannot %s '%s': %s", doing, w->path, file_write_error(errno));
}

static bool write_now(struct rp_writer *w, const uint8_t *data, size_t size, struct rp_error *err)
{
    return file_write(w->fd, data, size) || system_fail(w, "write", err);
}

static bool flush(struct rp_writer *w, struct rp_error *err)
{
    size_t size = w->unwritten.size;
    w->unwritten.size = 0;
    return write_now(w, w->unwritten.data, size, err);
}

bool rp_writer_flush(struct rp_writer *w, struct rp_error *err)
{
    pthread_mutex_lock(&w->writing);
    bool ok = flush(w, err);
    pthread_mutex_unlock(&w->writing);
    return ok;
}

static bool append(struct rp_writer *w, const uint8_t *data, size_t size, struct rp_error *err)
{
    if (w->unwritten.size + size > WRITE_BYTES && !flush(w, err))
        return false;
    if (size > WRITE_BYTES) {
        if (!write_now(w, data, size, err))
            return false;
    } else {
        buffer_append(&w->unwritten, data, size);
        if (w->unwritten.failed)
            return rp_fail(err, RP_SYSTEM, "out of memory while writing '%s'", w->path);
    }
    w->bytes += size;
    return true;
}

static bool write_all(struct rp_writer *w, const uint8_t *data, size_t size, struct rp_error *err)
{
    pthread_mutex_lock(&w->writing);
    bool ok = append(w, data, size, err);
    pthread_mutex_unlock(&w->writing);
    return ok;
}

/* ---- opening ----------------------------------------------------------------------------------------------------- */

static bool create(struct rp_writer *w, struct rp_error *err)
{
    w->fd = mkostemp(w->temporary, O_CLOEXEC);
    if (w->fd < 0)
        return system_fail(w, "create", err);
    if (w->scratch)
        return !unlink(w->temporary) || system_fail(w, "create", err);
    fcntl(w->fd, F_SETLK, &(struct flock){.l_type = F_WRLCK}); /* without locks, rp_trace_recover recovers nothing */
    mode_t mask = umask(0);
    umask(mask);
    return !fchmod(w->fd, 0666 & ~mask) || system_fail(w, "create", err);
}

static bool allocate(struct rp_writer *w, const char *path, struct rp_error *err)
{
    w->target = output_path(path, err);
    if (!w->target)
        return false;
    w->path = strdup(path);
    if (asprintf(&w->temporary, "%s.part-XXXXXX", w->target) < 0)
        w->temporary = NULL;
    w->compressor = ZSTD_createCCtx();
    return (w->path && w->temporary && w->compressor) ||
           rp_fail(err, RP_SYSTEM, "out of memory while opening '%s'", path);
}

/* Compresses w->raw into a frame of tables and writes it. */
static bool write_tables(struct rp_writer *w, struct rp_error *err)
{
    if (!w->raw.size)
        return true;
    uint64_t offset = w->bytes;
    w->out.size = 0;
    bool ok = frame_compress(w->compressor, w->level, &w->raw, &w->out, err) &&
              write_all(w, w->out.data, w->out.size, err) &&
              index_add_tables(&w->index, offset, w->out.size, w->raw.size, err);
    w->raw.size = 0;
    w->broken |= !ok;
    return ok;
}

/* Keeps small tables in memory until there are more, so that they share a frame. */
static bool keep_tables(struct rp_writer *w, struct rp_error *err)
{
    return w->raw.size < TABLE_BYTES || write_tables(w, err);
}

/* Writes that readers must know the feature, before anything that needs it. */
static bool announce(struct rp_writer *w, enum feature feature, struct rp_error *err)
{
    if (w->announced >> feature & 1)
        return true;
    w->announced |= 1ull << feature;
    return tables_pack_feature(&w->raw, feature, err);
}

static void writer_free(struct rp_writer *w)
{
    pthread_mutex_destroy(&w->writing);
    index_free(&w->index);
    buffer_free(&w->unwritten);
    free(w->open);
    buffer_free(&w->raw);
    buffer_free(&w->out);
    ZSTD_freeCCtx(w->compressor);
    free(w->path);
    free(w->target);
    free(w->temporary);
    free(w->kernels);
    free(w->modules);
    free(w);
}

/* The number of writers that this process has had. */
static _Atomic uint64_t identities;

struct rp_writer *rp_writer_open(const char *path, const struct rp_provenance *provenance,
                                 const struct rp_writer_options *options, struct rp_error *err)
{
    struct rp_writer *w = calloc(1, sizeof *w);
    if (w)
        pthread_mutex_init(&w->writing, NULL);
    else
        rp_fail(err, RP_SYSTEM, "out of memory while opening '%s'", path);
    if (!w || !allocate(w, path, err)) {
        if (w)
            writer_free(w);
        return NULL;
    }
    w->identity = atomic_fetch_add(&identities, 1) + 1;
    w->fd = -1;
    w->index.limit = INDEX_MEMORY;
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
uint64_t rp_writer_identity(const struct rp_writer *w) { return w->identity; }

/* ---- tables ------------------------------------------------------------------------------------------------------ */

static bool has_aux_counts(const struct rp_kernel *k)
{
    for (uint32_t i = 0; i < k->instruction_count; i++)
        if (k->instructions[i].aux_count > 1)
            return true;
    return false;
}

static bool has_memory_objects(const struct rp_kernel *k)
{
    for (uint32_t i = 0; i < k->instruction_count; i++)
        for (uint32_t m = 0; m < k->instructions[i].memory_count; m++)
            if (rp_operand_aux_count(&k->instructions[i].memory[m]))
                return true;
    return false;
}

static bool has_object_operations(const struct rp_kernel *k)
{
    for (uint32_t i = 0; i < k->instruction_count; i++)
        for (uint32_t m = 0; m < k->instructions[i].memory_count; m++)
            if (k->instructions[i].memory[m].object)
                return true;
    return false;
}

static bool has_barriers(const struct rp_kernel *k, enum rp_barrier_kind first, enum rp_barrier_kind last)
{
    for (uint32_t i = 0; i < k->instruction_count; i++)
        if (k->instructions[i].barrier.kind >= first && k->instructions[i].barrier.kind <= last)
            return true;
    return false;
}

/* The index with which the kernel was added last, unless it now has fewer registers; else that of a new one. */
static uint32_t find_kernel(const struct rp_writer *w, const struct rp_kernel *kernel)
{
    for (uint32_t i = w->kernel_count; kernel->identity && i-- > 0;)
        if (w->kernels[i].identity == kernel->identity)
            return w->kernels[i].registers <= kernel->registers ? i : w->kernel_count;
    return w->kernel_count;
}

bool rp_writer_add_kernel(struct rp_writer *w, const struct rp_kernel *kernel, uint32_t *id, struct rp_error *err)
{
    *id = find_kernel(w, kernel);
    if (*id < w->kernel_count)
        return true;
    struct known_kernel *kernels = realloc(w->kernels, (w->kernel_count + 1) * sizeof *kernels);
    if (!kernels)
        return rp_fail(err, RP_SYSTEM, "out of memory for kernel '%s'", kernel->name);
    w->kernels = kernels;
    if (!tables_check_kernel(kernel, w->module_count, err) ||
        (has_aux_counts(kernel) && !announce(w, FEATURE_AUX_COUNTS, err)) ||
        (has_memory_objects(kernel) && !announce(w, FEATURE_MEMORY_OBJECTS, err)) ||
        (has_object_operations(kernel) && !announce(w, FEATURE_OBJECT_OPERATIONS, err)) ||
        (has_barriers(kernel, RP_BARRIER_CLUSTER_ARRIVE, RP_BARRIER_CLUSTER_WAIT) &&
         !announce(w, FEATURE_CLUSTERS, err)) ||
        (has_barriers(kernel, RP_BARRIER_LAUNCH, RP_BARRIER_LAUNCH) && !announce(w, FEATURE_LAUNCH_BARRIERS, err)) ||
        !tables_pack_kernel(&w->raw, w->kernel_count, kernel, err) || !write_tables(w, err))
        return false;
    w->tables++;
    w->kernels[w->kernel_count++] = (struct known_kernel){kernel->identity, kernel->registers};
    return true;
}

bool rp_writer_begin_launch(struct rp_writer *w, const struct rp_launch *launch, uint32_t *id, struct rp_error *err)
{
    if (w->open_count == w->open_capacity) {
        size_t capacity = w->open_capacity * 2 + 4;
        struct open_launch *larger = realloc(w->open, capacity * sizeof *larger);
        if (!larger)
            return rp_fail(err, RP_SYSTEM, "out of memory for a launch of '%s'", w->path);
        w->open = larger;
        w->open_capacity = capacity;
    }
    if (!tables_check_launch(launch, w->launch_count, w->kernel_count, err) ||
        (rp_launch_cluster(launch) > 1 && !announce(w, FEATURE_CLUSTERS, err)) ||
        !tables_pack_launch(&w->raw, w->launch_count, launch, err) || !write_tables(w, err))
        return false;
    w->open[w->open_count++] = (struct open_launch){.id = w->launch_count,
                                                    .blocks = rp_launch_blocks(launch),
                                                    .warps = rp_launch_warps(launch),
                                                    .begun_at = w->index.chunk_count};
    w->tables++;
    *id = w->launch_count++;
    return true;
}

static struct open_launch *find_open(struct rp_writer *w, uint32_t launch)
{
    for (size_t i = w->open_count; i-- > 0;)
        if (w->open[i].id == launch)
            return &w->open[i];
    return NULL;
}

bool rp_writer_end_launch(struct rp_writer *w, uint32_t launch, const struct rp_launch_end *end, struct rp_error *err)
{
    struct open_launch *l = find_open(w, launch);
    if (!l)
        return rp_fail(err, RP_SYSTEM, "launch %" PRIu32 " of the trace is not open", launch);
    memmove(l, l + 1, (size_t)(w->open + --w->open_count - l) * sizeof *l);
    w->tables++;
    return tables_pack_launch_end(&w->raw, launch, end, err) && keep_tables(w, err);
}

bool rp_writer_add_module(struct rp_writer *w, const struct rp_module *module, uint32_t *id, struct rp_error *err)
{
    for (*id = 0; *id < w->module_count; (*id)++)
        if (module->identity && w->modules[*id] == module->identity)
            return true;
    uint64_t *modules = realloc(w->modules, (w->module_count + 1) * sizeof *modules);
    if (!modules)
        return rp_fail(err, RP_SYSTEM, "out of memory for module '%s'", module->name);
    w->modules = modules;
    if (!tables_pack_module(&w->raw, *id, module, err) || !keep_tables(w, err))
        return false;
    w->tables++;
    w->modules[w->module_count++] = module->identity;
    return true;
}

bool rp_writer_add_host_operation(struct rp_writer *w, const struct rp_host_operation *operation, struct rp_error *err)
{
    struct rp_host_operation o = *operation;
    o.launch = w->launch_count;
    w->tables++;
    return tables_check_host_operation(&o, err) &&
           (o.kind != RP_HOST_CREATE_STREAM || announce(w, FEATURE_CREATED_STREAMS, err)) &&
           tables_pack_host_operation(&w->raw, &o, err) && keep_tables(w, err);
}

/* ---- chunks ------------------------------------------------------------------------------------------------------ */

static bool check_frame(const struct open_launch *l, const struct rp_frame *f, struct rp_error *err)
{
    const struct chunk_entry *s = &f->summary;
    if (!l)
        return rp_fail(err, RP_SYSTEM, "a chunk belongs to launch %" PRIu32 ", which is not open", s->launch);
    if (!s->blocks)
        return true;
    if (l->has_blocks && l->last_first >= s->first_block)
        return rp_fail(err, RP_SYSTEM, "block %" PRIu64 " is committed after block %" PRIu64, s->first_block,
                       l->last_first);
    if (f->last_block >= l->blocks || f->warps != l->warps)
        return rp_fail(err, RP_SYSTEM, "block %" PRIu64 " with %" PRIu32 " warps does not fit the launch",
                       f->last_block, f->warps);
    return true;
}

static void note_blocks(struct open_launch *l, const struct chunk_entry *e)
{
    if (!e->blocks)
        return;
    l->has_blocks = true;
    l->last_first = e->first_block;
}

/* Whether the chunk belongs to an earlier launch than the last chunk in the file. */
static bool goes_back(const struct rp_writer *w, uint32_t launch)
{
    return w->index.chunk_count && w->index.chunks[w->index.chunk_count - 1].launch > launch;
}

static bool commit(struct rp_writer *w, const struct rp_frame *f, struct rp_error *err)
{
    struct open_launch *l = find_open(w, f->summary.launch);
    if (!check_frame(l, f, err) ||
        (goes_back(w, f->summary.launch) && !announce(w, FEATURE_INTERLEAVED_LAUNCHES, err)) ||
        (f->scattered && !announce(w, FEATURE_SCATTERED_LANES, err)) || !write_tables(w, err))
        return false;
    uint64_t offset = w->bytes;
    if (!write_all(w, f->data, f->bytes, err) ||
        !index_add_chunk(&w->index, offset, f->bytes, f->raw_bytes, &f->summary, f->carried, err))
        return false;
    note_blocks(l, &f->summary);
    return true;
}

bool rp_writer_commit(struct rp_writer *w, struct rp_frame *f, struct rp_error *err)
{
    bool ok = true;
    for (const struct rp_frame *part = f; ok && part; part = part->next)
        if (part->summary.blocks || part->summary.carried_count)
            ok = commit(w, part, err);
    w->broken |= !ok;
    rp_frame_free(f);
    return ok;
}

struct rp_writer_mark rp_writer_mark(struct rp_writer *w)
{
    write_tables(w, NULL); /* an error is reported when the file is completed */
    return (struct rp_writer_mark){w->bytes, w->index.frame_count, w->tables, w->announced};
}

/* Truncates the file at an offset. */
static bool cut(struct rp_writer *w, uint64_t offset, struct rp_error *err)
{
    if (!rp_writer_flush(w, err))
        return false;
    if (ftruncate(w->fd, (off_t)offset) || lseek(w->fd, (off_t)offset, SEEK_SET) < 0)
        return system_fail(w, "take back", err);
    w->bytes = w->ahead = offset;
    return true;
}

bool rp_writer_rollback(struct rp_writer *w, struct rp_writer_mark mark, struct rp_error *err)
{
    if (mark.offset > w->bytes || mark.state > w->index.frame_count || mark.tables != w->tables)
        return rp_fail(err, RP_SYSTEM, "the trace cannot be taken back to a point before its last table");
    if (!write_tables(w, err) || !cut(w, mark.offset, err))
        return false;
    index_truncate(&w->index, mark.state);
    w->announced = mark.features;
    for (size_t i = 0; i < w->open_count; i++) {
        struct open_launch *l = &w->open[i];
        l->has_blocks = false;
        for (size_t c = w->index.chunk_count; c-- > l->begun_at && !l->has_blocks;)
            if (w->index.chunks[c].launch == l->id)
                note_blocks(l, &w->index.chunks[c]);
    }
    return true;
}

/* Writes the tables in memory at the position of the next frame. */
static bool write_ahead(struct rp_writer *w, struct rp_error *err)
{
    w->out.size = 0;
    if (!frame_compress(w->compressor, w->level, &w->raw, &w->out, err))
        return false;
    if (!file_write_at(w->fd, w->out.data, w->out.size, (off_t)w->bytes))
        return system_fail(w, "write", err);
    w->ahead = w->ahead > w->bytes + w->out.size ? w->ahead : w->bytes + w->out.size;
    return true;
}

bool rp_writer_checkpoint(struct rp_writer *w, struct rp_error *err)
{
    return rp_writer_flush(w, err) && (!w->raw.size || write_ahead(w, err));
}

/* ---- reading back ------------------------------------------------------------------------------------------------ */

/* Appends an index for as long as opening takes. */
struct rp_trace *rp_writer_read(struct rp_writer *w, struct rp_error *err)
{
    if (w->broken || w->open_count) {
        rp_fail(err, RP_SYSTEM, "the trace '%s' cannot be read yet", w->path);
        return NULL;
    }
    struct rp_trace *trace = NULL;
    if (!write_tables(w, err))
        return NULL;
    uint64_t end = w->bytes;
    w->out.size = 0;
    if (index_pack(&w->index, &w->out, err) && write_all(w, w->out.data, w->out.size, err) && rp_writer_flush(w, err)) {
        int fd = fcntl(w->fd, F_DUPFD_CLOEXEC, 0);
        if (fd < 0)
            system_fail(w, "read", err);
        else
            trace = trace_open_fd(fd, w->path, err);
    }
    if (cut(w, end, trace ? err : NULL))
        return trace;
    rp_trace_close(trace);
    return NULL;
}

/* ---- closing ----------------------------------------------------------------------------------------------------- */

/* A rename must survive a crash of the system, too. A directory that cannot be opened or synced (some network file
 * systems) is no reason to lose the trace. */
static void sync_directory(const struct rp_writer *w)
{
    char *copy = strdup(w->target);
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
    if (w->open_count)
        return rp_fail(err, RP_SYSTEM, "launch %" PRIu32 " of the trace has not ended yet", w->open->id);
    if (w->scratch)
        return true;
    if (!write_tables(w, err))
        return false;
    w->out.size = 0;
    if (!index_pack(&w->index, &w->out, err) || !write_all(w, w->out.data, w->out.size, err) ||
        !rp_writer_flush(w, err))
        return false;
    if (w->ahead > w->bytes && !cut(w, w->bytes, err))
        return false;
    if (fsync(w->fd))
        return system_fail(w, "sync", err);
    int fd = w->fd;
    w->fd = -1;
    if (close(fd) || rename(w->temporary, w->target)) {
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
