#include "tools/lib/input.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tools/ui/nearest.h"

#define HEAD 4096 /* bytes that input_kind() reads */

/* ---- what a file is ---------------------------------------------------------------------------------------------- */

/* Reads the beginning of a regular file and appends a NUL. Returns the number of bytes. */
static size_t read_head(const char *path, char head[HEAD + 1])
{
    struct stat st;
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    ssize_t n = fd >= 0 && fstat(fd, &st) == 0 && S_ISREG(st.st_mode) ? read(fd, head, HEAD) : 0;
    if (fd >= 0)
        close(fd);
    n = n > 0 ? n : 0;
    head[n] = 0;
    return (size_t)n;
}

/* Whether a line begins with the word. */
static bool line_begins(const char *text, const char *word)
{
    for (const char *at = text; (at = strstr(at, word)); at++) {
        const char *before = at;
        while (before > text && (before[-1] == ' ' || before[-1] == '\t'))
            before--;
        if (before == text || before[-1] == '\n')
            return true;
    }
    return false;
}

static enum input kind_of_text(const char *path, const char *text)
{
    size_t n = strlen(path);
    const bool source = n > 3 && !strcmp(path + n - 3, ".cu");
    if (!source && (line_begins(text, "Function : ") || line_begins(text, ".headerflags")))
        return INPUT_LISTING;
    if (line_begins(text, ".version ") || line_begins(text, ".target "))
        return INPUT_PTX;
    if (source || strstr(text, "__global__") || line_begins(text, "#include"))
        return INPUT_CUDA;
    if (line_begins(text, "launches"))
        return INPUT_LAUNCH_FILE;
    if (line_begins(text, "base =") || line_begins(text, "subcores ="))
        return INPUT_MACHINE;
    return INPUT_OTHER;
}

enum input input_kind(const char *path)
{
    char head[HEAD + 1];
    size_t n = read_head(path, head);
    if (n >= 4 && !memcmp(head, "\x28\xb5\x2f\xfd", 4)) /* zstd, RFC 8878, 3.1.1 */
        return INPUT_TRACE;
    if (n >= 4 && (!memcmp(head, "\177ELF", 4) || !memcmp(head, "\x50\xed\x55\xba", 4)))
        return INPUT_CODE;
    if (n >= 6 && !memcmp(head, "\x93NUMPY", 6))
        return INPUT_NPY;
    if (n >= 16 && !memcmp(head, "SQLite format 3", 16)) /* SQLite, "Database File Format", 1.3; with its NUL */
        return INPUT_DATABASE;
    return memchr(head, 0, n) ? INPUT_OTHER : kind_of_text(path, head);
}

/* ---- what to say ------------------------------------------------------------------------------------------------- */

static const char *const names[] = {
    [INPUT_OTHER] = "a file",
    [INPUT_TRACE] = "a trace",
    [INPUT_PTX] = "PTX",
    [INPUT_CODE] = "machine code",
    [INPUT_LISTING] = "machine code as text",
    [INPUT_CUDA] = "CUDA source",
    [INPUT_LAUNCH_FILE] = "a launch file",
    [INPUT_MACHINE] = "a machine file",
    [INPUT_NPY] = "an array of numpy",
    [INPUT_DATABASE] = "a database of results",
    [INPUT_KERNELS_LIST] = "a list of kernels of Accel-Sim (kernelslist.g)",
};

const char *input_name(enum input kind) { return names[kind]; }

static const char *wanted_name(enum input wanted)
{
    return wanted == INPUT_PTX ? "a module (PTX, a cubin, a fat binary, CUDA source)" : names[wanted];
}

/* Says which command or option takes a file of this kind. */
static const char *way_out(enum input is)
{
    switch (is) {
    case INPUT_TRACE: return "'reprise info', 'replay' and others take it";
    case INPUT_PTX:
    case INPUT_CODE:
    case INPUT_CUDA: return "'reprise record --module' takes it and makes a trace";
    case INPUT_LISTING: return "'reprise asm -o FILE.cubin' makes a cubin of it";
    case INPUT_LAUNCH_FILE: return "'reprise record --launch-file' takes it";
    case INPUT_MACHINE: return "'reprise replay --machine' takes it";
    case INPUT_DATABASE: return "'reprise results' and 'reprise report' take it";
    default: return "'reprise record --arg buf=file:' takes it";
    }
}

static bool fits(enum input is, enum input wanted)
{
    if (is == INPUT_OTHER || is == wanted || wanted == INPUT_OTHER)
        return true;
    return wanted == INPUT_PTX && (is == INPUT_CODE || is == INPUT_CUDA);
}

/* The path of the file in the same folder whose name is nearest; NULL: none is near. The caller frees it. */
static char *similar_file(const char *path)
{
    char *copy = strdup(path), *copy2 = strdup(path), *found = NULL;
    const char *name = copy ? basename(copy) : NULL, *folder = copy2 ? dirname(copy2) : NULL;
    DIR *dir = folder ? opendir(folder) : NULL;
    const char *all[1024];
    size_t count = 0;
    for (struct dirent *e; dir && name && count < 1024 && (e = readdir(dir));)
        if (*e->d_name != '.' && strcmp(e->d_name, name) && (all[count] = strdup(e->d_name)))
            count++;
    const char *near = name ? nearest_name(name, all, count) : NULL;
    if (near && asprintf(&found, "%.*s%s", (int)(strlen(path) - strlen(name)), path, near) < 0)
        found = NULL;
    for (size_t i = 0; i < count; i++)
        free((char *)all[i]);
    if (dir)
        closedir(dir);
    free(copy);
    free(copy2);
    return found;
}

bool input_check(const char *path, enum input wanted, struct rp_error *err)
{
    struct stat st;
    if (stat(path, &st)) {
        int why = errno;
        if (!strcmp(path, "-"))
            return rp_fail(err, RP_USAGE, "'-': standard input is not read here; name a file");
        if (!lstat(path, &st) && why == ENOENT)
            return rp_fail(err, RP_BAD_INPUT, "%s is a link to a file that does not exist", path);
        char *near = why == ENOENT ? similar_file(path) : NULL;
        bool ok = !near || rp_fail(err, RP_BAD_INPUT, "%s: no such file; did you mean '%s'?", path, near);
        free(near);
        return ok;
    }
    if (S_ISDIR(st.st_mode))
        return rp_fail(err, RP_BAD_INPUT, "%s is a folder; give %s", path, wanted_name(wanted));
    enum input is = input_kind(path);
    return fits(is, wanted) ||
           rp_fail(err, RP_BAD_INPUT, "%s is %s, not %s; %s", path, names[is], wanted_name(wanted), way_out(is));
}
