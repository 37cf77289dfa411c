/* Opening a trace and reading its tables. */
#include "tracefmt/reader.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tracefmt/reader_internal.h"
#include "tracefmt/sha256.h"

bool trace_read(const struct rp_trace *t, uint64_t offset, void *data, size_t size, struct rp_error *err)
{
    uint8_t *to = data;
    while (size) {
        ssize_t n = pread(t->fd, to, size, (off_t)offset);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return rp_fail(err, RP_SYSTEM, "cannot read: %s", strerror(errno));
        if (n == 0)
            return rp_fail(err, RP_BAD_INPUT, "the file ends early");
        to += n;
        offset += (uint64_t)n;
        size -= (size_t)n;
    }
    return true;
}

bool trace_add_maps(struct rp_trace *t, struct rp_error *err)
{
    while (t->map_count < t->tables.kernel_count) {
        if (t->map_count == t->map_capacity) {
            uint32_t capacity = t->map_capacity * 2 + 16;
            struct kernel_map **maps = realloc(t->maps, capacity * sizeof *maps);
            if (!maps)
                return rp_fail(err, RP_SYSTEM, "out of memory while reading the trace");
            t->maps = maps;
            t->map_capacity = capacity;
        }
        struct kernel_map *map = kernel_map_new(&t->pool, t->tables.kernels[t->map_count]);
        if (!map)
            return rp_fail(err, RP_SYSTEM, "out of memory while reading the trace");
        t->maps[t->map_count++] = map;
    }
    return true;
}

struct decode_context trace_context(struct rp_trace *t)
{
    return (struct decode_context){t->tables.launch_count, t->tables.launches, t->maps, &t->budget};
}

bool trace_index_chunk(struct rp_trace *t, uint64_t offset, uint64_t bytes, uint64_t raw_bytes, const struct chunk *c,
                       struct rp_error *err)
{
    struct chunk_entry e = {
        .launch = c->launch, .warp_instructions = c->warp_instructions, .thread_instructions = c->thread_instructions};
    uint64_t *carried = malloc(((size_t)c->block_count + 1) * sizeof *carried);
    if (!carried)
        return rp_fail(err, RP_SYSTEM, "out of memory while reading the trace");
    for (uint32_t i = 0; i < c->block_count; i++) {
        const struct chunk_block *b = &c->blocks[i];
        if (b->piece)
            carried[e.carried_count++] = b->index;
        else if (!e.blocks++)
            e.first_block = b->index;
    }
    bool ok = index_add_chunk(&t->index, offset, bytes, raw_bytes, &e, carried, err);
    free(carried);
    return ok;
}

/* ---- with an index ----------------------------------------------------------------------------------------------- */

static uint32_t little32(const uint8_t *p)
{
    return p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
}

static bool read_at(const void *trace, uint64_t offset, void *data, size_t size, struct rp_error *err)
{
    return trace_read(trace, offset, data, size, err);
}

static bool read_index(struct rp_trace *t, struct rp_error *err)
{
    uint8_t footer[INDEX_FOOTER_BYTES], header[INDEX_HEADER_BYTES];
    uint64_t size, around = INDEX_FOOTER_BYTES + INDEX_HEADER_BYTES;
    if (t->bytes < around || !trace_read(t, t->bytes - sizeof footer, footer, sizeof footer, err) ||
        !index_footer_size(footer, &size) || size > t->bytes - around)
        return rp_fail(err, RP_BAD_INPUT, "the index at the end is missing");
    uint64_t at = t->bytes - around - size;
    if (!trace_read(t, at, header, sizeof header, err))
        return false;
    if (little32(header) != INDEX_SKIPPABLE_MAGIC || little32(header + 4) != size + INDEX_FOOTER_BYTES)
        return rp_fail(err, RP_BAD_INPUT, "the index at the end is damaged");
    struct index_source source = {read_at, t, at + sizeof header, size};
    return index_unpack(&t->index, &source, footer, at, err);
}

static bool read_tables(struct rp_trace *t, struct rp_error *err)
{
    struct buffer raw = {0};
    bool ok = true;
    for (size_t i = 0; ok && i < t->index.frame_count; i++)
        if (t->index.frames[i].kind == FRAME_TABLES)
            ok = trace_read_frame(t, i, &raw, err) && tables_unpack(&t->tables, raw.data, raw.size, err);
    buffer_free(&raw);
    return ok && trace_add_maps(t, err);
}

/* ---- finding blocks ---------------------------------------------------------------------------------------------- */

static int by_block(const void *a, const void *b)
{
    const struct carried *x = a, *y = b;
    if (x->block != y->block)
        return x->block < y->block ? -1 : 1;
    return x->chunk < y->chunk ? -1 : x->chunk > y->chunk;
}

/* Lists the chunks of each launch in file order: chunks of different launches may be interleaved. */
static bool sort_chunks(struct rp_trace *t, struct rp_error *err)
{
    const struct index *x = &t->index;
    for (size_t i = 0; i < x->chunk_count; i++) {
        if (x->chunks[i].launch >= t->tables.launch_count)
            return rp_fail(err, RP_BAD_INPUT, "a chunk belongs to launch %" PRIu32 ", which is not in the trace",
                           x->chunks[i].launch);
        t->launches[x->chunks[i].launch].chunk_count++;
    }
    size_t at = 0;
    for (uint32_t l = 0; l < t->tables.launch_count; l++) {
        t->launches[l].chunk_at = at;
        at += t->launches[l].chunk_count;
        t->launches[l].chunk_count = 0;
    }
    for (size_t i = 0; i < x->chunk_count; i++) {
        struct launch_chunks *of = &t->launches[x->chunks[i].launch];
        t->chunks[of->chunk_at + of->chunk_count++] = (uint32_t)i;
    }
    return true;
}

/* Sorts the chunks by launch, and the carried blocks by block. */
static bool link_chunks(struct rp_trace *t, struct rp_error *err)
{
    const struct index *x = &t->index;
    t->launches = calloc((size_t)t->tables.launch_count + 1, sizeof *t->launches);
    t->chunks = calloc(x->chunk_count + 1, sizeof *t->chunks);
    t->begun = calloc(x->chunk_count + 1, sizeof *t->begun);
    t->carried = calloc(x->carried_count + 1, sizeof *t->carried);
    if (!t->launches || !t->chunks || !t->begun || !t->carried)
        return rp_fail(err, RP_SYSTEM, "out of memory while reading the trace");
    if (!sort_chunks(t, err))
        return false;
    size_t begun = 0, carried = 0;
    for (uint32_t l = 0; l < t->tables.launch_count; l++) {
        struct launch_chunks *of = &t->launches[l];
        of->begun_at = begun;
        of->carried_at = carried;
        for (size_t k = 0; k < of->chunk_count; k++) {
            uint32_t chunk = t->chunks[of->chunk_at + k];
            const struct chunk_entry *e = &x->chunks[chunk];
            if (e->blocks && begun > of->begun_at && x->chunks[t->begun[begun - 1]].first_block >= e->first_block)
                return rp_fail(err, RP_BAD_INPUT, "the blocks of launch %" PRIu32 " do not ascend", l);
            if (e->blocks)
                t->begun[begun++] = chunk;
            for (size_t i = 0; i < e->carried_count; i++)
                t->carried[carried++] = (struct carried){x->carried[e->carried_at + i], chunk};
        }
        of->begun_count = begun - of->begun_at;
        of->carried_count = carried - of->carried_at;
        qsort(t->carried + of->carried_at, of->carried_count, sizeof *t->carried, by_block);
    }
    return true;
}

static void unlink_chunks(struct rp_trace *t)
{
    free(t->launches);
    free(t->chunks);
    free(t->begun);
    free(t->carried);
    t->launches = NULL;
    t->chunks = NULL;
    t->begun = NULL;
    t->carried = NULL;
}

/* ---- opening ----------------------------------------------------------------------------------------------------- */

struct rp_trace *trace_new(int fd, const char *path, struct rp_error *err)
{
    struct stat st;
    struct rp_trace *t = calloc(1, sizeof *t);
    if (!t || !(t->path = strdup(path))) {
        rp_fail(err, RP_SYSTEM, "%s: out of memory", path);
        close(fd);
        free(t);
        return NULL;
    }
    t->fd = fd;
    pthread_mutex_init(&t->lock, NULL);
    pthread_cond_init(&t->loaded, NULL);
    if (fstat(fd, &st) || !S_ISREG(st.st_mode)) {
        rp_fail(err, RP_BAD_INPUT, "%s: not a regular file; a trace must be one", path);
        rp_trace_close(t);
        return NULL;
    }
    t->bytes = (uint64_t)st.st_size;
    t->modified = st.st_mtim;
    uint64_t share = t->bytes < SIZE_MAX / 2 / TRACE_MEMORY_PER_BYTE ? t->bytes * TRACE_MEMORY_PER_BYTE : SIZE_MAX / 2;
    t->budget.limit = TRACE_MEMORY + (size_t)share;
    t->index.limit = INDEX_MEMORY;
    t->pool.budget = t->tables.pool.budget = t->index.budget = &t->budget;
    return t;
}

static void forget(struct rp_trace *t)
{
    unlink_chunks(t);
    index_free(&t->index);
    tables_free(&t->tables);
    pool_free(&t->pool);
    t->map_count = 0;
    t->tables.pool.budget = &t->budget;
}

struct rp_trace *trace_open_fd(int fd, const char *path, struct rp_error *err)
{
    struct rp_trace *t = trace_new(fd, path, err);
    if (!t)
        return NULL;
    struct rp_error why = {0};
    if (read_index(t, &why) && read_tables(t, &why) && link_chunks(t, &why))
        return t;
    if (t->tables.refused || t->index.over || why.status == RP_SYSTEM) {
        rp_fail(err, why.status, "%s: %s", path, why.text);
        rp_trace_close(t);
        return NULL;
    }
    forget(t);
    bool ok = trace_scan(t, why.text, err);
    if (ok && !link_chunks(t, &why))
        ok = rp_fail(err, why.status, "%s: %s", path, why.text);
    if (ok)
        return t;
    rp_trace_close(t);
    return NULL;
}

struct rp_trace *rp_trace_open(const char *path, struct rp_error *err)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0) {
        rp_fail(err, RP_BAD_INPUT, "cannot open '%s': %s", path, strerror(errno));
        return NULL;
    }
    return trace_open_fd(fd, path, err);
}

void rp_trace_close(struct rp_trace *t)
{
    if (!t)
        return;
    trace_free_cache(t);
    forget(t);
    free(t->maps);
    free(t->damage);
    free(t->path);
    close(t->fd);
    ZSTD_freeDCtx(t->decompressor);
    pthread_mutex_destroy(&t->lock);
    pthread_cond_destroy(&t->loaded);
    free(t);
}

/* ---- looking ----------------------------------------------------------------------------------------------------- */

const char *rp_trace_damage(const struct rp_trace *t) { return t->damage; }
const char *rp_trace_path(const struct rp_trace *t) { return t->path; }
const struct rp_provenance *rp_trace_provenance(const struct rp_trace *t) { return &t->tables.provenance; }
uint64_t rp_trace_file_bytes(const struct rp_trace *t) { return t->bytes; }
uint32_t rp_trace_kernel_count(const struct rp_trace *t) { return t->tables.kernel_count; }
uint32_t rp_trace_launch_count(const struct rp_trace *t) { return t->tables.launch_count; }

const struct rp_kernel *rp_trace_kernel(const struct rp_trace *t, uint32_t kernel)
{
    return kernel < t->tables.kernel_count ? t->tables.kernels[kernel] : NULL;
}

const struct rp_launch *rp_trace_launch(const struct rp_trace *t, uint32_t launch)
{
    return launch < t->tables.launch_count ? t->tables.launches[launch] : NULL;
}

const struct rp_launch_end *rp_trace_launch_end(const struct rp_trace *t, uint32_t launch)
{
    return launch < t->tables.launch_count ? t->tables.ends[launch] : NULL;
}

struct rp_launch_totals rp_trace_launch_totals(const struct rp_trace *t, uint32_t launch)
{
    struct rp_launch_totals totals = {0};
    if (launch >= t->tables.launch_count)
        return totals;
    totals.chunks = t->launches[launch].chunk_count;
    for (size_t i = 0; i < totals.chunks; i++) {
        const struct chunk_entry *e = &t->index.chunks[t->chunks[t->launches[launch].chunk_at + i]];
        totals.blocks += e->blocks;
        totals.warp_instructions += e->warp_instructions;
        totals.thread_instructions += e->thread_instructions;
        totals.compressed_bytes += t->index.frames[e->frame].bytes;
        totals.raw_bytes += t->index.frames[e->frame].raw_bytes;
    }
    return totals;
}

double rp_trace_instructions_before(const struct rp_trace *t, uint32_t launch, uint64_t block)
{
    const struct launch_chunks *l = &t->launches[launch];
    struct rp_launch_totals totals = rp_trace_launch_totals(t, launch);
    if (block >= totals.blocks)
        return (double)totals.warp_instructions;
    if (l->carried_count)
        return (double)totals.warp_instructions * (double)block / (double)totals.blocks;
    double sum = 0;
    for (size_t i = 0; i < l->begun_count; i++) {
        const struct chunk_entry *e = &t->index.chunks[t->begun[l->begun_at + i]];
        if (e->first_block >= block)
            break;
        uint64_t before = block - e->first_block < e->blocks ? block - e->first_block : e->blocks;
        sum += (double)e->warp_instructions * (double)before / e->blocks;
    }
    return sum;
}

uint32_t rp_trace_module_count(const struct rp_trace *t) { return t->tables.module_count; }

const struct rp_module *rp_trace_module(const struct rp_trace *t, uint32_t module)
{
    return module < t->tables.module_count ? &t->tables.modules[module] : NULL;
}

size_t rp_trace_host_operation_count(const struct rp_trace *t) { return t->tables.operation_count; }

const struct rp_host_operation *rp_trace_host_operation(const struct rp_trace *t, size_t operation)
{
    return operation < t->tables.operation_count ? &t->tables.operations[operation] : NULL;
}

bool rp_trace_unchanged(const struct rp_trace *t, struct rp_error *err)
{
    struct stat st;
    if (fstat(t->fd, &st))
        return rp_fail(err, RP_SYSTEM, "%s: cannot read: %s", t->path, strerror(errno));
    return ((uint64_t)st.st_size == t->bytes && st.st_mtim.tv_sec == t->modified.tv_sec &&
            st.st_mtim.tv_nsec == t->modified.tv_nsec) ||
           rp_fail(err, RP_SYSTEM, "%s: somebody wrote into it while it was read; start again", t->path);
}

static bool hash_file(const struct rp_trace *t, char text[65], struct rp_error *err)
{
    struct sha256 sha;
    uint8_t digest[32], *buffer = malloc(1 << 16);
    bool ok = buffer || rp_fail(err, RP_SYSTEM, "out of memory");
    sha256_begin(&sha);
    for (uint64_t at = 0; ok && at < t->bytes;) {
        size_t part = t->bytes - at < 1 << 16 ? (size_t)(t->bytes - at) : 1 << 16;
        if ((ok = trace_read(t, at, buffer, part, err)))
            sha256_add(&sha, buffer, part);
        at += part;
    }
    free(buffer);
    sha256_end(&sha, digest);
    sha256_hex(digest, text);
    return ok;
}

const char *rp_trace_sha256(struct rp_trace *t, struct rp_error *err)
{
    char text[65];
    struct rp_error why = {0};
    pthread_mutex_lock(&t->lock);
    bool ok = t->sha256[0];
    if (!ok && (ok = hash_file(t, text, &why)))
        memcpy(t->sha256, text, sizeof text);
    pthread_mutex_unlock(&t->lock);
    if (!ok)
        rp_fail(err, why.status, "%s: %s", t->path, why.text);
    return ok ? t->sha256 : NULL;
}
