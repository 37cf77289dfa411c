#include "tools/accelsim/source.h"

#include <errno.h>
#include <inttypes.h>
#include <lzma.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define PIECE 65536u
#define LONGEST_LINE (1u << 20)
#define XZ_MEMORY (512ull << 20) /* bytes, several times the need of xz -9 */

struct source {
    char *path;
    FILE *file; /* NULL with `packed` */
    struct tracez *packed;
    bool compressed, decoding, over;
    lzma_stream xz;
    uint8_t in[PIECE];
    char *text;
    size_t from, to, room; /* from, to: text that was not returned yet */
    uint64_t number, size, read;
};

static bool system_error(const struct source *s, struct rp_error *err)
{
    return rp_fail(err, RP_SYSTEM, "%s: %s", s->path, strerror(errno ? errno : EIO));
}

static bool ends_in(const char *path, const char *end)
{
    size_t n = strlen(path), m = strlen(end);
    return n >= m && !strcmp(path + n - m, end);
}

static bool begin_xz(struct source *s, struct rp_error *err)
{
    s->xz = (lzma_stream)LZMA_STREAM_INIT;
    s->decoding = lzma_stream_decoder(&s->xz, XZ_MEMORY, LZMA_CONCATENATED) == LZMA_OK;
    return s->decoding || rp_fail(err, RP_SYSTEM, "%s: out of memory", s->path);
}

static bool open_file(struct source *s, struct rp_error *err)
{
    struct stat st;
    s->file = fopen(s->path, "rbe");
    if (!s->file || fstat(fileno(s->file), &st))
        return rp_fail(err, RP_BAD_INPUT, "%s: %s", s->path, strerror(errno));
    if (S_ISDIR(st.st_mode))
        return rp_fail(err, RP_BAD_INPUT, "%s is a folder", s->path);
    s->size = (uint64_t)st.st_size;
    if (ends_in(s->path, ".tracez")) {
        fclose(s->file);
        s->file = NULL;
        return (s->packed = tracez_open(s->path, err));
    }
    s->to = fread(s->text, 1, 6, s->file);
    s->compressed = s->to == 6 && !memcmp(s->text,
                                          "\xfd"
                                          "7zXZ",
                                          6); /* The .xz File Format, 2.1.1.1 */
    if (s->compressed || ends_in(s->path, ".xz")) {
        s->compressed = true;
        s->to = 0;
        rewind(s->file);
        return begin_xz(s, err);
    }
    return true;
}

struct source *source_open(const char *path, struct rp_error *err)
{
    struct source *s = calloc(1, sizeof *s);
    if (s) {
        s->path = strdup(path);
        s->text = malloc(s->room = 2 * PIECE);
    }
    bool fine = (s && s->path && s->text) || rp_fail(err, RP_SYSTEM, "%s: out of memory", path);
    if (fine && open_file(s, err))
        return s;
    source_close(s);
    return NULL;
}

void source_close(struct source *s)
{
    if (!s)
        return;
    if (s->decoding)
        lzma_end(&s->xz);
    tracez_close(s->packed);
    if (s->file)
        fclose(s->file);
    free(s->text);
    free(s->path);
    free(s);
}

/* ---- bytes ------------------------------------------------------------------------------------------------------- */

static long plain(struct source *s, char *to, size_t room, struct rp_error *err)
{
    size_t n = fread(to, 1, room, s->file);
    s->read += n;
    return n || !ferror(s->file) ? (long)n : (system_error(s, err), -1);
}

static long bad_xz(const struct source *s, lzma_ret why, struct rp_error *err)
{
    const char *text = why == LZMA_FORMAT_ERROR     ? "it is not compressed by xz"
                       : why == LZMA_MEMLIMIT_ERROR ? "it takes more than 512 MiB to decompress"
                       : why == LZMA_MEM_ERROR      ? "out of memory"
                                                    : "the compressed data is damaged or cut short";
    rp_fail(err, why == LZMA_MEM_ERROR ? RP_SYSTEM : RP_BAD_INPUT, "%s: %s; 'xz -t' tests it", s->path, text);
    return -1;
}

static long decompressed(struct source *s, char *to, size_t room, struct rp_error *err)
{
    s->xz.next_out = (uint8_t *)to;
    s->xz.avail_out = room;
    while (s->xz.avail_out == room) {
        if (!s->xz.avail_in && !feof(s->file)) {
            s->xz.next_in = s->in;
            s->xz.avail_in = fread(s->in, 1, sizeof s->in, s->file);
            s->read += s->xz.avail_in;
            if (ferror(s->file))
                return system_error(s, err), -1;
        }
        lzma_ret ret = lzma_code(&s->xz, feof(s->file) ? LZMA_FINISH : LZMA_RUN);
        if (ret == LZMA_STREAM_END)
            break;
        if (ret != LZMA_OK)
            return bad_xz(s, ret, err);
    }
    return (long)(room - s->xz.avail_out);
}

static bool fill(struct source *s, struct rp_error *err)
{
    memmove(s->text, s->text + s->from, s->to - s->from);
    s->to -= s->from;
    s->from = 0;
    if (s->room - s->to <= PIECE) {
        char *larger = realloc(s->text, s->room * 2);
        if (!larger)
            return rp_fail(err, RP_SYSTEM, "%s: out of memory", s->path);
        s->text = larger;
        s->room *= 2;
    }
    long n = s->packed       ? tracez_text(s->packed, s->text + s->to, PIECE, err)
             : s->compressed ? decompressed(s, s->text + s->to, PIECE, err)
                             : plain(s, s->text + s->to, PIECE, err);
    s->over = n == 0;
    s->to += n > 0 ? (size_t)n : 0;
    return n >= 0;
}

/* ---- lines ------------------------------------------------------------------------------------------------------- */

int source_line(struct source *s, char **line, struct rp_error *err)
{
    size_t seen = 0;
    for (;;) {
        char *at = s->text + s->from, *end = memchr(at + seen, '\n', s->to - s->from - seen);
        bool last = !end && s->over && s->to > s->from;
        if (end || last) {
            end = end ? end : s->text + s->to;
            *end = 0; /* the buffer has room for the NUL */
            s->from = (size_t)(end - s->text) + !last;
            if (end > at && end[-1] == '\r')
                end[-1] = 0;
            s->number++;
            *line = at;
            return 1;
        }
        if (s->over)
            return 0;
        seen = s->to - s->from;
        if (seen > LONGEST_LINE) {
            rp_fail(err, RP_BAD_INPUT, "%s:%" PRIu64 ": the line has no end; this is no trace of Accel-Sim", s->path,
                    s->number + 1);
            return -1;
        }
        if (!fill(s, err))
            return -1;
    }
}

uint64_t source_number(const struct source *s) { return s->number; }
const char *source_path(const struct source *s) { return s->path; }
uint64_t source_size(const struct source *s) { return s->size; }
uint64_t source_read(const struct source *s) { return s->packed ? tracez_read(s->packed) : s->read; }
