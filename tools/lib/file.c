#include "tools/lib/file.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FILE_MOST ((size_t)256 << 20)

static uint8_t *read_stream(FILE *f, const char *path, size_t *size, struct rp_error *err)
{
    size_t room = 1 << 16, n = 0;
    uint8_t *bytes = malloc(room);
    while (bytes) {
        n += fread(bytes + n, 1, room - 1 - n, f);
        if (n < room - 1)
            break;
        if (room > FILE_MOST) {
            rp_fail(err, RP_BAD_INPUT, "%s: larger than 256 MiB", path);
            free(bytes);
            return NULL;
        }
        uint8_t *grown = realloc(bytes, room *= 2);
        if (!grown)
            free(bytes);
        bytes = grown;
    }
    if (!bytes) {
        rp_fail(err, RP_SYSTEM, "%s: out of memory", path);
        return NULL;
    }
    if (ferror(f)) {
        if (errno == EISDIR)
            rp_fail(err, RP_BAD_INPUT, "%s is a folder", path);
        else
            rp_fail(err, RP_SYSTEM, "%s: %s", path, strerror(errno));
        free(bytes);
        return NULL;
    }
    bytes[n] = 0;
    *size = n;
    return bytes;
}

uint8_t *file_read(const char *path, size_t *size, struct rp_error *err)
{
    if (!strcmp(path, "-"))
        return read_stream(stdin, "standard input", size, err);
    FILE *f = fopen(path, "rb");
    if (!f) {
        rp_fail(err, RP_BAD_INPUT, "%s: %s", path, strerror(errno));
        return NULL;
    }
    uint8_t *bytes = read_stream(f, path, size, err);
    fclose(f);
    return bytes;
}
