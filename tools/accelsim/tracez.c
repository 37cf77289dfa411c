#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zstd.h>

#include "tools/accelsim/source.h"

#define MOST_HEADER (1u << 20)
#define MOST_DICTIONARY (64u << 20)
#define MOST_PIECE (1u << 30)

/* Text is made piece by piece: the header, then for each block its head, its warps and its end; for each warp its head
 * and its pieces. */
enum state { HEADER, BLOCK, WARP, PIECE, OVER };

struct tracez {
    char *path;
    FILE *file;
    uint64_t size, index, at; /* size: of the file; index: offset of the index; at: in the index, after what was read */
    ZSTD_DCtx *context;
    ZSTD_DDict *dictionary;
    enum state state;
    uint32_t blocks, warps, warp,
        pieces;     /* blocks: left; warps: of the block; warp: the next one; pieces: left of the warp */
    uint64_t piece; /* offset of the next piece */
    char *text;     /* to be returned */
    size_t from, to, room;
    uint8_t *packed;
    size_t packed_room;
};

static bool broken(const struct tracez *t, const char *what, struct rp_error *err)
{
    return rp_fail(err, RP_BAD_INPUT, "%s: %s; the file is damaged or cut short", t->path, what);
}

static bool no_memory(const struct tracez *t, struct rp_error *err)
{
    return rp_fail(err, RP_SYSTEM, "%s: out of memory", t->path);
}

static bool get(struct tracez *t, uint64_t at, void *to, size_t size, struct rp_error *err)
{
    if (at > t->size || size > t->size - at || fseeko(t->file, (off_t)at, SEEK_SET) ||
        fread(to, 1, size, t->file) != size)
        return broken(t, "it ends too early", err);
    return true;
}

static bool number32(struct tracez *t, uint64_t at, uint32_t *n, struct rp_error *err)
{
    uint8_t b[4];
    if (!get(t, at, b, 4, err))
        return false;
    *n = (uint32_t)b[0] | (uint32_t)b[1] << 8 | (uint32_t)b[2] << 16 | (uint32_t)b[3] << 24;
    return true;
}

static bool number64(struct tracez *t, uint64_t at, uint64_t *n, struct rp_error *err)
{
    uint32_t low, high;
    if (!number32(t, at, &low, err) || !number32(t, at + 4, &high, err))
        return false;
    *n = (uint64_t)high << 32 | low;
    return true;
}

static bool make_room(struct tracez *t, size_t size, struct rp_error *err)
{
    if (size <= t->room)
        return true;
    char *larger = realloc(t->text, size);
    if (!larger)
        return no_memory(t, err);
    t->text = larger;
    t->room = size;
    return true;
}

/* ---- opening ----------------------------------------------------------------------------------------------------- */

static bool read_header(struct tracez *t, struct rp_error *err)
{
    size_t n = t->size < MOST_HEADER ? (size_t)t->size : MOST_HEADER;
    if (!make_room(t, n + 256, err) || !get(t, 0, t->text, n, err))
        return false;
    const char *end = memchr(t->text, 0, n);
    if (!end)
        return broken(t, "its header has no end", err);
    t->to = (size_t)(end - t->text);
    return true;
}

static bool read_dictionary(struct tracez *t, struct rp_error *err)
{
    uint32_t size;
    uint64_t at = t->to + 1;
    if (!number32(t, at, &size, err))
        return false;
    if (!size)
        return true;
    if (size > MOST_DICTIONARY)
        return broken(t, "its dictionary is too large", err);
    void *bytes = malloc(size);
    bool fine = (bytes || no_memory(t, err)) && get(t, at + 8, bytes, size, err);
    if (fine)
        fine = (t->dictionary = ZSTD_createDDict(bytes, size)) || no_memory(t, err);
    free(bytes);
    return fine;
}

static bool begin(struct tracez *t, struct rp_error *err)
{
    if (fseeko(t->file, 0, SEEK_END) || ftello(t->file) < 0)
        return broken(t, "it has no end", err);
    t->size = (uint64_t)ftello(t->file);
    if (!read_header(t, err) || !read_dictionary(t, err))
        return false;
    if (t->size < 8 || !number64(t, t->size - 8, &t->index, err))
        return broken(t, "it has no index", err);
    t->at = t->index + 4;
    return number32(t, t->index, &t->blocks, err);
}

struct tracez *tracez_open(const char *path, struct rp_error *err)
{
    struct tracez *t = calloc(1, sizeof *t);
    if (t) {
        t->path = strdup(path);
        t->file = fopen(path, "rbe");
        t->context = ZSTD_createDCtx();
    }
    if (t && t->path && t->file && t->context && begin(t, err))
        return t;
    if (!t || !t->path || !t->context)
        rp_fail(err, RP_SYSTEM, "%s: out of memory", path);
    else if (!t->file)
        rp_fail(err, RP_BAD_INPUT, "%s: it cannot be opened", path);
    tracez_close(t);
    return NULL;
}

void tracez_close(struct tracez *t)
{
    if (!t)
        return;
    ZSTD_freeDDict(t->dictionary);
    ZSTD_freeDCtx(t->context);
    if (t->file)
        fclose(t->file);
    free(t->packed);
    free(t->text);
    free(t->path);
    free(t);
}

/* ---- text -------------------------------------------------------------------------------------------------------- */

#define SAY(t, ...) ((t)->from = 0, (t)->to = (size_t)snprintf((t)->text, (t)->room, __VA_ARGS__))

static bool next_block(struct tracez *t, struct rp_error *err)
{
    uint32_t x, y, z;
    if (!t->blocks) {
        t->state = OVER;
        return true;
    }
    t->blocks--;
    if (!number32(t, t->at, &x, err) || !number32(t, t->at + 4, &y, err) || !number32(t, t->at + 8, &z, err) ||
        !number32(t, t->at + 40, &t->warps, err))
        return false;
    t->at += 44;
    t->warp = 0;
    t->state = WARP;
    SAY(t, "#BEGIN_TB\nthread block = %" PRIu32 ",%" PRIu32 ",%" PRIu32 "\n", x, y, z);
    return true;
}

static bool next_warp(struct tracez *t, struct rp_error *err)
{
    uint32_t instructions;
    if (t->warp == t->warps) {
        t->state = BLOCK;
        SAY(t, "#END_TB\n");
        return true;
    }
    if (!number32(t, t->at, &instructions, err) || !number32(t, t->at + 4, &t->pieces, err) ||
        !number64(t, t->at + 8, &t->piece, err))
        return false;
    t->at += 16 + 4 * (uint64_t)t->pieces;
    t->piece += 8;
    t->state = PIECE;
    SAY(t, "warp = %" PRIu32 "\ninsts = %" PRIu32 "\n", t->warp++, instructions);
    return true;
}

static bool next_piece(struct tracez *t, struct rp_error *err)
{
    uint32_t packed;
    if (!t->pieces) {
        t->state = WARP;
        return true;
    }
    t->pieces--;
    if (!number32(t, t->piece, &packed, err))
        return false;
    if (packed > t->size)
        return broken(t, "a piece is longer than the file", err);
    if (packed > t->packed_room) {
        uint8_t *larger = realloc(t->packed, packed);
        if (!larger)
            return no_memory(t, err);
        t->packed = larger;
        t->packed_room = packed;
    }
    if (!get(t, t->piece + 4, t->packed, packed, err))
        return false;
    t->piece += 4 + (uint64_t)packed;
    unsigned long long size = ZSTD_getFrameContentSize(t->packed, packed);
    if (size > MOST_PIECE) /* zstd returns its largest numbers for unknown and invalid sizes */
        return broken(t, "a piece does not say how long it is, or is longer than 1 GiB", err);
    if (!make_room(t, (size_t)size + 1, err))
        return false;
    size_t n = ZSTD_decompress_usingDDict(t->context, t->text, (size_t)size, t->packed, packed, t->dictionary);
    if (ZSTD_isError(n))
        return broken(t, ZSTD_getErrorName(n), err);
    t->from = 0;
    t->to = n;
    if (n && t->text[n - 1] != '\n')
        t->text[t->to++] = '\n';
    return true;
}

long tracez_text(struct tracez *t, char *to, size_t room, struct rp_error *err)
{
    while (t->from == t->to) {
        bool fine = true;
        switch (t->state) {
        case HEADER:
            t->state = BLOCK;
            SAY(t, "\n");
            break;
        case BLOCK: fine = next_block(t, err); break;
        case WARP: fine = next_warp(t, err); break;
        case PIECE: fine = next_piece(t, err); break;
        default: return 0;
        }
        if (!fine)
            return -1;
    }
    size_t n = t->to - t->from < room ? t->to - t->from : room;
    memcpy(to, t->text + t->from, n);
    t->from += n;
    return (long)n;
}

uint64_t tracez_read(const struct tracez *t) { return t->state == HEADER ? 0 : t->piece; }
