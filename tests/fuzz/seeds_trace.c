/* seeds_trace FOLDER: inputs of fuzz_trace: the frames of traces with several modules, inlined calls, launches in
 * streams, barrier objects, scattered patterns; and the tables and chunks among them one by one. */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "tests/support/remade_trace.h"
#include "tests/support/synthetic_trace.h"

enum { CHUNK_TARGET = 1, TABLES_TARGET = 3, FRAMES_TARGET = 5 }; /* fuzz_trace.c: the first byte */

static bool put(const char *folder, const char *name, unsigned number, uint8_t target, const struct buffer *b)
{
    char path[4096];
    snprintf(path, sizeof path, "%s/%s-%u", folder, name, number);
    FILE *f = fopen(path, "wb");
    bool ok = f && fputc(target, f) != EOF && fwrite(b->data, 1, b->size, f) == b->size;
    if (f && fclose(f))
        ok = false;
    if (!ok)
        perror(path);
    return ok;
}

static bool put_trace(const char *folder, const char *name, const struct remade_trace *r)
{
    struct buffer all = {0};
    bool ok = true;
    for (size_t i = 0; ok && i < r->count; i++) {
        const struct remade_frame *f = &r->frames[i];
        uint8_t size[] = {(uint8_t)f->raw.size, (uint8_t)(f->raw.size >> 8)};
        buffer_append(&all, size, sizeof size);
        buffer_append(&all, f->raw.data, f->raw.size);
        ok = put(folder, name, (unsigned)i, f->kind == FRAME_CHUNK ? CHUNK_TARGET : TABLES_TARGET, &f->raw);
    }
    ok = ok && put(folder, name, (unsigned)r->count, FRAMES_TARGET, &all);
    buffer_free(&all);
    return ok;
}

int main(int argc, char **argv)
{
    static const char *const names[] = {"plain", "objects", "streams", "scattered"};
    char path[] = "/tmp/reprise-seeds-XXXXXX";
    struct rp_error err = {0};
    bool ok = argc == 2;
    struct synthetic_options o = {.seed = 1, .launches = 4, .blocks = 2, .streams = 3, .memory_percent = 30};
    o.random_percent = 20;
    o.inlined = o.aux = o.objects = o.several_operands = true;
    close(mkstemp(path));
    for (int i = 0; ok && i < 4; i++) {
        struct remade_trace r;
        o.scattered = i == 3;
        ok = i < 2 ? rich_trace_write(path, i == 1, &err) : synthetic_trace_write(path, &o, &err);
        if (ok && (ok = remade_take(&r, path, &err))) {
            ok = put_trace(argv[1], names[i], &r);
            remade_free(&r);
        }
        if (*err.text)
            fprintf(stderr, "%s\n", err.text);
    }
    unlink(path);
    return !ok;
}
