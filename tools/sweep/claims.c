#include "tools/sweep/claims.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define SUFFIX "-claims"

void claims_open(struct claims *c, const char *database)
{
    char *real = realpath(database, NULL);
    size_t size = real ? strlen(real) + sizeof SUFFIX : 0;
    *c = (struct claims){.path = real ? malloc(size) : NULL, .file = -1};
    if (c->path) {
        snprintf(c->path, size, "%s" SUFFIX, real);
        c->file = open(c->path, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
    }
    free(real);
}

/* A lock of the opened file, not of the process: SQLite's own are not touched. */
static bool lock(const struct claims *c, short type, long long from, long long count)
{
    struct flock l = {.l_type = type, .l_whence = SEEK_SET, .l_start = from, .l_len = count};
    return !fcntl(c->file, F_OFD_SETLK, &l) || (errno != EAGAIN && errno != EACCES);
}

void claims_close(struct claims *c)
{
    if (c->file >= 0) {
        if (lock(c, F_WRLCK, 0, 0)) /* all of it: nobody else has any */
            unlink(c->path);
        close(c->file);
    }
    free(c->path);
    *c = (struct claims){.file = -1};
}

static long long place_of(const char *key)
{
    char start[16];
    snprintf(start, sizeof start, "%.15s", key);
    return strtoll(start, NULL, 16);
}

bool claims_take(struct claims *c, const char *key) { return c->file < 0 || lock(c, F_WRLCK, place_of(key), 1); }

void claims_give_back(struct claims *c, const char *key)
{
    if (c->file >= 0)
        lock(c, F_UNLCK, place_of(key), 1);
}
