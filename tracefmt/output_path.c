#include "tracefmt/output_path.h"

#include <errno.h>
#include <libgen.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { MOST_LINKS = 40 }; /* as Linux follows (path_resolution(7)) */

static bool is_same(const struct stat *a, const struct stat *b)
{
    return a->st_dev == b->st_dev && a->st_ino == b->st_ino;
}

static bool is_stream(const struct stat *file)
{
    struct stat out, error;
    return (!fstat(STDOUT_FILENO, &out) && is_same(file, &out)) ||
           (!fstat(STDERR_FILENO, &error) && is_same(file, &error));
}

/* Frees `path`. NULL: out of memory. */
static char *behind_link(char *path, const char *link)
{
    char *joined = NULL;
    if (*link == '/')
        joined = strdup(link);
    else if (asprintf(&joined, "%s/%s", dirname(path), link) < 0)
        joined = NULL;
    free(path);
    return joined;
}

static char *follow(const char *path)
{
    char link[PATH_MAX], *to = strdup(path);
    for (int links = 0; to && links < MOST_LINKS; links++) {
        ssize_t length = readlink(to, link, sizeof link - 1);
        if (length < 0)
            break;
        link[length] = 0;
        to = behind_link(to, link);
    }
    return to;
}

char *output_path(const char *path, struct rp_error *err)
{
    struct stat there, found;
    bool exists = !stat(path, &there);
    const char *why = NULL;
    if (!exists && (errno == ENAMETOOLONG || errno == ELOOP || errno == ENOTDIR))
        why = strerror(errno);
    else if (exists && !S_ISREG(there.st_mode))
        why = "it exists and is not a regular file";
    else if (exists && is_stream(&there))
        why = "stdout or stderr go there; give the output a file of its own";
    char *to = why ? NULL : follow(path);
    if (to && exists && (stat(to, &found) || !is_same(&there, &found)))
        why = "it is a link to a file without a name";
    else if (to && *to && to[strlen(to) - 1] == '/')
        why = "a name that ends in '/' is that of a folder";
    if (why) {
        free(to);
        to = NULL;
    }
    if (why)
        rp_fail(err, RP_USAGE, "cannot write '%s': %s", path, why);
    else if (!to)
        rp_fail(err, RP_SYSTEM, "out of memory for '%s'", path);
    return to;
}
