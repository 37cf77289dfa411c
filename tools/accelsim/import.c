/* Reads a kernel's file twice: for its static instructions, and for the instruction streams of its warps. */
#include "tools/accelsim/import.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tools/accelsim/opcodes.h"
#include "tools/accelsim/parse.h"
#include "tools/lib/cleanup.h"
#include "tools/ui/progress.h"
#include "tracefmt/hash.h"
#include "tracefmt/writer.h"

#define CHUNK_BYTES (4u << 20)
#define MOST_MISSING                                                                                                   \
    (1u << 20)             /* consecutive blocks that the file may lack; with more, the grid is taken to be wrong */
#define WINDOW (16u << 20) /* bytes of the generic windows of shared and local memory, from their bases */

struct item { /* a static instruction */
    struct rp_instruction in;
    struct rp_memory_operand memory;
    char *key;
    size_t key_size;
    uint64_t executions;
    bool no_lanes; /* was executed without active lanes */
    bool unknown;
    uint32_t number, index; /* number: in the order of appearance; index: in the kernel */
};

struct statics {
    struct item **items;
    size_t count, room;
    uint32_t *table; /* number + 1 by hash of the key */
    size_t table_size;
};

/* A copy before the next launch. */
struct copy {
    uint64_t address, size;
    bool to_host;
};
struct copies {
    struct copy *items;
    size_t count, room;
};

struct session {
    struct accelsim_import *job;
    struct copies copies;
    struct rp_writer *writer;
    struct rp_chunk *chunk;
    struct source *source;
    struct accelsim_header header;
    struct statics statics;
    struct rp_kernel kernel;
    struct rp_instruction *instructions;
    uint32_t launch, warps;
    uint64_t next_block, block; /* linear indices */
    struct rp_warp_log *logs;   /* of the block */
    uint32_t warp, since;       /* since: instructions since the chunk's size was checked */
    uint64_t local_bytes, bulk;
    uint64_t total_bytes, done_bytes;
    struct progress progress;
};

static bool no_memory(struct rp_error *err) { return rp_fail(err, RP_SYSTEM, "out of memory"); }

/* ---- static instructions ------------------------------------------------------------------------------------------
 */

static void statics_free(struct statics *s)
{
    for (size_t i = 0; i < s->count; i++) {
        free((char *)s->items[i]->in.text);
        free((rp_register *)s->items[i]->in.dst);
        free(s->items[i]->key);
        free(s->items[i]);
    }
    free(s->items);
    free(s->table);
    *s = (struct statics){0};
}

static size_t slot_of(const struct statics *s, const char *key, size_t size)
{
    size_t at = hash_bytes(0, key, size) & (s->table_size - 1);
    for (; s->table[at]; at = (at + 1) & (s->table_size - 1)) {
        const struct item *i = s->items[s->table[at] - 1];
        if (i->key_size == size && !memcmp(i->key, key, size))
            break;
    }
    return at;
}

static bool grow(struct statics *s)
{
    if (s->count == s->room) {
        size_t room = s->room ? 2 * s->room : 64;
        struct item **larger = realloc(s->items, room * sizeof *larger);
        if (!larger)
            return false;
        s->items = larger;
        s->room = room;
    }
    if (2 * (s->count + 1) <= s->table_size)
        return true;
    size_t size = s->table_size ? 2 * s->table_size : 256;
    uint32_t *table = calloc(size, sizeof *table);
    if (!table)
        return false;
    free(s->table);
    s->table = table;
    s->table_size = size;
    for (size_t i = 0; i < s->count; i++)
        s->table[slot_of(s, s->items[i]->key, s->items[i]->key_size)] = (uint32_t)i + 1;
    return true;
}

static size_t print_register(char *to, size_t room, rp_register r)
{
    static const char *const names[] = {"R", "P", "UR", "UP"};
    int n = r == RP_REGISTER_ZERO ? snprintf(to, room, "RZ")
                                  : snprintf(to, room, "%s%u", names[rp_register_file(r)], rp_register_index(r));
    return n > 0 ? (size_t)n : 0;
}

/* Makes the instruction's text: "IADD3 R2, R3, R4", and the unchanged text after the addresses. Destinations and
 * sources need not be told apart in it, as dst and src have the registers. */
static char *text_of(const struct accelsim_instruction *in)
{
    char text[512];
    size_t n = (size_t)snprintf(text, sizeof text, "%.100s", in->opcode);
    for (uint32_t i = 0; i < in->dst_count + in->src_count && n < 400; i++) {
        n += (size_t)snprintf(text + n, sizeof text - n, i ? ", " : " ");
        n += print_register(text + n, sizeof text - n, i < in->dst_count ? in->dst[i] : in->src[i - in->dst_count]);
    }
    if (*in->more)
        snprintf(text + n, sizeof text - n, " ; %.80s", in->more);
    return strdup(text);
}

/* An execution without lanes is that of a guarded instruction; the file does not name its guard. */
#define GUARD RP_REGISTER(RP_FILE_PREDICATE, 7, 1)

static bool fill(struct item *item, const struct accelsim_instruction *in, uint32_t binary)
{
    rp_register *registers = malloc((in->dst_count + in->src_count + 2) * sizeof *registers);
    item->key = malloc(in->fixed_size);
    item->key_size = in->fixed_size;
    item->in.text = text_of(in);
    item->in.dst = registers;
    if (!registers || !item->key || !item->in.text)
        return false;
    memcpy(item->key, in->fixed, in->fixed_size);
    memcpy(registers, in->dst, in->dst_count * sizeof *registers);
    memcpy(registers + in->dst_count, in->src, in->src_count * sizeof *registers);
    item->in.src = registers + in->dst_count;
    item->in.dst_count = in->dst_count;
    item->in.src_count = in->src_count;
    item->in.pc = in->pc;
    item->in.line = in->line;
    item->in.guard = GUARD;
    const struct opcode *o = opcode_find(in->opcode);
    item->unknown = !o;
    opcode_meaning(o, in->opcode, in->width != 0, &item->in, &item->memory);
    if (binary >= 80)
        opcode_async(o, in->more, &item->in);
    item->memory.width = in->width;
    item->in.memory = &item->memory;
    item->in.memory_count = in->width != 0;
    return true;
}

static struct item *find(struct statics *s, const struct accelsim_instruction *in)
{
    if (!s->table_size)
        return NULL;
    uint32_t number = s->table[slot_of(s, in->fixed, in->fixed_size)];
    return number ? s->items[number - 1] : NULL;
}

static struct item *add(struct statics *s, const struct accelsim_instruction *in, uint32_t binary)
{
    struct item *item = grow(s) ? calloc(1, sizeof *item) : NULL;
    if (!item)
        return NULL;
    s->items[s->count] = item;
    item->number = (uint32_t)s->count++; /* from now on statics_free() frees it */
    if (!fill(item, in, binary))
        return NULL;
    s->table[slot_of(s, item->key, item->key_size)] = item->number + 1;
    return item;
}

static void note_unknown(struct session *s, struct item *item)
{
    struct accelsim_import *job = s->job;
    if (item->executions == 0) {
        if (!job->unknown_opcodes)
            snprintf(job->unknown_opcode, sizeof job->unknown_opcode, "%.*s", (int)strcspn(item->in.text, " "),
                     item->in.text);
        job->unknown_opcodes++;
    }
    job->unknown++;
}

static bool collect(void *data, const struct accelsim_instruction *in, struct rp_error *err)
{
    struct session *s = data;
    struct item *item = find(&s->statics, in);
    if (!item && !(item = add(&s->statics, in, s->header.binary)))
        return no_memory(err);
    if (item->unknown)
        note_unknown(s, item);
    item->executions++;
    item->no_lanes |= !in->mask;
    s->bulk += in->bulk;
    if (item->in.memory_count && item->memory.space == RP_SPACE_LOCAL)
        for (rp_lanemask m = in->mask; m; m &= m - 1) {
            uint64_t end = in->address[__builtin_ctz(m)] + in->width;
            s->local_bytes = end > s->local_bytes ? end : s->local_bytes;
        }
    if ((item->executions & 4095) == 0)
        progress_update(&s->progress, s->done_bytes + source_read(s->source), s->total_bytes, 0, NULL);
    return true;
}

static bool note_header(void *data, const struct accelsim_header *h, struct rp_error *err)
{
    struct session *s = data;
    (void)err;
    s->header = *h;
    s->warps = (h->block[0] * h->block[1] * h->block[2] + RP_WARP_LANES - 1) / RP_WARP_LANES;
    return true;
}

/* Sorts by program counter. Equal ones stay in the order of appearance, which is that of execution. */
static int by_pc(const void *a, const void *b)
{
    const struct item *x = *(struct item *const *)a, *y = *(struct item *const *)b;
    if (x->in.pc != y->in.pc)
        return x->in.pc < y->in.pc ? -1 : 1;
    return x->number < y->number ? -1 : x->number > y->number;
}

static bool make_kernel(struct session *s, struct rp_error *err)
{
    static const char *const files[] = {"(unknown)"};
    static char isa[16];
    size_t count = s->statics.count;
    struct item **sorted = malloc((count + 1) * sizeof *sorted);
    s->instructions = calloc(count + 1, sizeof *s->instructions);
    if (!sorted || !s->instructions) {
        free(sorted);
        return no_memory(err);
    }
    if (count)
        memcpy(sorted, s->statics.items, count * sizeof *sorted);
    qsort(sorted, count, sizeof *sorted, by_pc);
    uint64_t identity = hash_bytes(s->header.binary, s->header.name, strlen(s->header.name));
    identity = hash_word(hash_word(identity, s->header.registers), s->header.shared);
    for (size_t i = 0; i < count; i++) {
        struct item *item = sorted[i];
        item->index = (uint32_t)i;
        if (item->no_lanes) {
            item->in.flags |= RP_GUARDED;
            ((rp_register *)item->in.src)[item->in.src_count++] = GUARD;
        }
        s->instructions[i] = item->in;
        identity = hash_word(hash_bytes(identity, item->key, item->key_size), item->no_lanes);
    }
    free(sorted);
    uint64_t local = s->local_bytes ? (s->local_bytes + 15) / 16 * 16 : 0;
    snprintf(isa, sizeof isa, "sm_%" PRIu32, s->header.binary % 1000);
    s->kernel = (struct rp_kernel){.name = s->header.name,
                                   .isa = isa,
                                   .instruction_count = (uint32_t)count,
                                   .instructions = s->instructions,
                                   .file_count = s->header.lines,
                                   .files = files,
                                   .registers = s->header.registers,
                                   .static_shared = s->header.shared,
                                   .local_bytes = local > UINT32_MAX ? UINT32_MAX : (uint32_t)local,
                                   .identity = identity ? identity : 1};
    return true;
}

/* ---- instruction streams ----------------------------------------------------------------------------------------- */

static bool flush(struct session *s, struct rp_error *err)
{
    struct rp_frame *frame = rp_chunk_finish(s->chunk, err);
    return frame && rp_writer_commit(s->writer, frame, err);
}

static bool open_block(struct session *s, uint64_t block, struct rp_error *err)
{
    if (rp_chunk_bytes(s->chunk) > CHUNK_BYTES && !flush(s, err))
        return false;
    s->logs = rp_chunk_begin_block(s->chunk, block, s->warps);
    return s->logs || no_memory(err);
}

/* Adds empty blocks for those that the file lacks. */
static bool skip_to(struct session *s, uint64_t block, struct rp_error *err)
{
    if (block > s->next_block && block - s->next_block > MOST_MISSING)
        return rp_fail(err, RP_BAD_INPUT,
                       "%s: kernel '%s' has %" PRIu64 " blocks fewer than its grid of %" PRIu32 " × %" PRIu32
                       " × %" PRIu32 ", the limit is %u: trace them, too, or correct its '-grid dim'",
                       s->job->list, s->header.name, block - s->next_block, s->header.grid[0], s->header.grid[1],
                       s->header.grid[2], MOST_MISSING);
    for (; s->next_block < block; s->next_block++) {
        if (!open_block(s, s->next_block, err))
            return false;
        rp_chunk_end_block(s->chunk, s->next_block);
        s->job->missing_blocks++;
    }
    return true;
}

static bool begin_block(void *data, const uint32_t at[3], struct rp_error *err)
{
    struct session *s = data;
    const uint32_t *grid = s->header.grid;
    s->block = at[0] + (uint64_t)grid[0] * (at[1] + (uint64_t)grid[1] * at[2]);
    if (s->block < s->next_block)
        return accelsim_fail(s->source, err,
                             "block %" PRIu32 ",%" PRIu32 ",%" PRIu32
                             " comes behind a later one, or twice; blocks must be in order, x first",
                             at[0], at[1], at[2]);
    if (!skip_to(s, s->block, err) || !open_block(s, s->block, err))
        return false;
    s->next_block = s->block + 1;
    s->job->blocks++;
    return true;
}

static bool end_block(void *data, struct rp_error *err)
{
    struct session *s = data;
    if (!s->logs)
        return accelsim_fail(s->source, err, "the block has no line 'thread block = x,y,z'");
    rp_chunk_end_block(s->chunk, s->block);
    s->logs = NULL;
    return true;
}

static bool begin_warp(void *data, uint32_t warp, struct rp_error *err)
{
    struct session *s = data;
    s->warp = warp;
    return s->logs || accelsim_fail(s->source, err, "the block has no line 'thread block = x,y,z'");
}

static bool look_at_chunk(struct session *s, struct rp_error *err)
{
    s->since = 0;
    progress_update(&s->progress, s->done_bytes + source_read(s->source), s->total_bytes, s->job->warp_instructions,
                    "warp instructions");
    if (rp_chunk_failed(s->chunk))
        return no_memory(err);
    return rp_chunk_bytes(s->chunk) <= CHUNK_BYTES || flush(s, err);
}

static bool log_instruction(void *data, const struct accelsim_instruction *in, struct rp_error *err)
{
    struct session *s = data;
    const struct item *item = find(&s->statics, in);
    if (!item)
        return accelsim_fail(s->source, err, "the file changed while it was read");
    struct rp_warp_log *log = &s->logs[s->warp];
    rp_lanemask active = in->mask ? in->mask : ~(rp_lanemask)0;
    rp_log_run(log, item->index, 1, active);
    if (item->in.flags & RP_GUARDED)
        rp_log_guard(log, in->mask);
    if (in->width && in->mask)
        rp_log_access(log, item->index, 0, in->mask, in->address);
    s->job->warp_instructions++;
    return ++s->since < 4096 || look_at_chunk(s, err);
}

/* ---- copies ------------------------------------------------------------------------------------------------------ */

static bool add_copies(struct session *s, struct rp_error *err)
{
    for (size_t i = 0; i < s->copies.count; i++) {
        const struct copy *c = &s->copies.items[i];
        const struct rp_host_operation o = {.kind = RP_HOST_COPY,
                                            .direction = c->to_host ? RP_COPY_TO_HOST : RP_COPY_TO_DEVICE,
                                            .address = c->to_host ? 0 : c->address,
                                            .source = c->to_host ? c->address : 0,
                                            .size = c->size};
        if (!rp_writer_add_host_operation(s->writer, &o, err))
            return false;
    }
    s->copies.count = 0;
    return true;
}

/* ---- a launch ---------------------------------------------------------------------------------------------------- */

static bool walk_file(struct session *s, const char *path, const struct accelsim_visitor *v, struct rp_error *err)
{
    s->source = source_open(path, err);
    bool fine = s->source && accelsim_walk(s->source, v, s, err);
    if (s->source)
        s->done_bytes += source_size(s->source);
    source_close(s->source);
    s->source = NULL;
    return fine;
}

static bool open_writer(struct session *s, struct rp_error *err)
{
    char tracer[24];
    snprintf(tracer, sizeof tracer, "%" PRIu32, s->header.tracer);
    const char *slash = strrchr(s->job->list, '/');
    const struct rp_option options[] = {
        {"import", "accelsim"}, {"accelsim.tracer", tracer}, {"accelsim.nvbit", s->header.nvbit}};
    const struct rp_provenance provenance = {.tool = "reprise " REPRISE_VERSION,
                                             .module_name = slash ? slash + 1 : s->job->list,
                                             .module_sha256 = "",
                                             .option_count = 3,
                                             .options = options};
    cleanup_hold();
    s->writer = rp_writer_open(s->job->output, &provenance, NULL, err);
    if (s->writer)
        cleanup_register(CLEANUP_TRACE, rp_writer_temporary(s->writer));
    cleanup_expect(s->job->output);
    cleanup_release();
    return s->writer;
}

static bool begin_launch(struct session *s, struct rp_error *err)
{
    const struct accelsim_header *h = &s->header;
    struct rp_launch launch = {.stream = h->stream <= UINT32_MAX ? (uint32_t)h->stream
                                                                 : (uint32_t)(h->stream ^ h->stream >> 32) | 1u << 31,
                               .shared_window = h->shared_base,
                               .shared_window_size = h->shared_base ? WINDOW : 0,
                               .local_window = h->local_base,
                               .local_window_size = h->local_base ? WINDOW : 0};
    memcpy(launch.grid, h->grid, sizeof launch.grid);
    memcpy(launch.block, h->block, sizeof launch.block);
    if (!rp_writer_add_kernel(s->writer, &s->kernel, &launch.kernel, err) ||
        !rp_writer_begin_launch(s->writer, &launch, &s->launch, err))
        return false;
    s->job->kernels = launch.kernel + 1 > s->job->kernels ? launch.kernel + 1 : s->job->kernels;
    s->chunk = rp_chunk_new(&s->kernel, s->launch, NULL);
    return s->chunk || no_memory(err);
}

static bool log_launch(struct session *s, const char *path, struct rp_error *err)
{
    static const struct accelsim_visitor log = {
        .block = begin_block, .warp = begin_warp, .instruction = log_instruction, .block_end = end_block};
    const uint32_t *grid = s->header.grid;
    s->next_block = 0;
    s->logs = NULL;
    return begin_launch(s, err) && walk_file(s, path, &log, err) &&
           skip_to(s, (uint64_t)grid[0] * grid[1] * grid[2], err) && flush(s, err) &&
           rp_writer_end_launch(s->writer, s->launch, &(struct rp_launch_end){.outcome = RP_OUTCOME_COMPLETE}, err);
}

static bool import_kernel(struct session *s, const char *path, struct rp_error *err)
{
    static const struct accelsim_visitor first = {.header = note_header, .instruction = collect};
    memset(&s->header, 0, sizeof s->header);
    s->local_bytes = 0;
    bool fine = walk_file(s, path, &first, err);
    if (fine && !s->statics.count)
        fine = rp_fail(err, RP_BAD_INPUT, "%s: the kernel has no instructions", path);
    fine = fine && make_kernel(s, err) && (s->writer || open_writer(s, err)) && add_copies(s, err) &&
           log_launch(s, path, err);
    s->job->launches += fine;
    rp_chunk_free(s->chunk);
    s->chunk = NULL;
    free(s->instructions);
    s->instructions = NULL;
    statics_free(&s->statics);
    return fine;
}

/* ---- the list ---------------------------------------------------------------------------------------------------- */

/* "MemcpyHtoD,0x00007f3c00000000,65536" */
static bool parse_copy(const char *line, struct copy *c)
{
    int used = 0;
    if (!strncmp(line, "MemcpyHtoD,", 11) || !strncmp(line, "MemcpyDtoH,", 11)) {
        c->to_host = line[6] == 'D';
        return sscanf(line + 11, "%" SCNx64 ",%" SCNu64 "%n", &c->address, &c->size, &used) == 2 && used &&
               c->size <= UINT64_MAX - c->address;
    }
    return false;
}

/* The path of a file that the list names, in the list's folder. The caller frees it. */
static char *path_beside(const char *list, const char *name)
{
    const char *slash = strrchr(list, '/');
    char *path = NULL;
    if (*name == '/' || !slash)
        return strdup(name);
    return asprintf(&path, "%.*s%s", (int)(slash - list + 1), list, name) < 0 ? NULL : path;
}

static bool keep_copy(struct copies *l, const struct copy *c)
{
    if (l->count == l->room) {
        size_t room = l->room ? 2 * l->room : 64;
        struct copy *larger = realloc(l->items, room * sizeof *larger);
        if (!larger)
            return false;
        l->items = larger;
        l->room = room;
    }
    l->items[l->count++] = *c;
    return true;
}

/* Adds the size of a file of the list, twice, as it is read twice. A missing file is reported when it is read. */
static void add_size(struct session *s, const char *name)
{
    struct stat st;
    char *path = path_beside(s->job->list, name);
    if (path && !stat(path, &st))
        s->total_bytes += 2 * (uint64_t)st.st_size;
    free(path);
}

/* `sizes`: only adds up the sizes of the files. */
static bool list_line(struct session *s, struct source *list, const char *line, bool sizes, struct rp_error *err)
{
    struct copy c;
    if (!*line)
        return true;
    if (!strncmp(line, "kernel", 6) && sizes) {
        add_size(s, line);
        return true;
    }
    if (!strncmp(line, "kernel", 6)) {
        char *path = path_beside(s->job->list, line);
        bool fine =
            path ? !access(path, R_OK) || accelsim_fail(list, err, "%s: %s", path, strerror(errno)) : no_memory(err);
        fine = fine && import_kernel(s, path, err);
        free(path);
        return fine;
    }
    if (strncmp(line, "Memcpy", 6))
        return accelsim_fail(
            list, err, "'%.60s' is neither a kernel's file nor a copy; give the kernelslist.g of Accel-Sim", line);
    if (!parse_copy(line, &c))
        return accelsim_fail(list, err, "'%.60s' is not of the form MemcpyHtoD,0xADDRESS,BYTES", line);
    return sizes || keep_copy(&s->copies, &c) || no_memory(err);
}

static bool walk_list(struct session *s, bool sizes, struct rp_error *err)
{
    char *line;
    int more;
    bool fine = true;
    struct source *list = source_open(s->job->list, err);
    if (!list)
        return false;
    while (fine && (more = source_line(list, &line, err)) != 0)
        fine = more > 0 && list_line(s, list, line, sizes, err);
    source_close(list);
    return fine;
}

bool accelsim_import(struct accelsim_import *job, struct rp_error *err)
{
    struct session s = {.job = job};
    struct stat st;
    progress_begin(&s.progress, "importing", "bytes", job->quiet);
    bool fine = walk_list(&s, true, err) && walk_list(&s, false, err);
    progress_end(&s.progress);
    if (fine && !s.writer)
        fine = rp_fail(err, RP_BAD_INPUT, "%s: it names no kernel", job->list);
    fine = fine && add_copies(&s, err);
    job->bulk_copies = s.bulk;
    free(s.copies.items);
    if (fine) {
        fine = rp_writer_close(s.writer, err);
        s.writer = NULL;
    }
    cleanup_register(CLEANUP_TRACE, NULL);
    cleanup_written(job->output);
    rp_writer_abandon(s.writer);
    if (fine && !stat(job->output, &st))
        job->bytes = (uint64_t)st.st_size;
    return fine;
}
