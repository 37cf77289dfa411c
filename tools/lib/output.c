#include "tools/lib/output.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tools/lib/cleanup.h"
#include "tracefmt/file_write.h"
#include "tracefmt/output_path.h"

/* ---- names ------------------------------------------------------------------------------------------------------- */

/* The folder of a path as it was given; the caller frees it. NULL: out of memory. */
static char *folder_of(const char *path)
{
    char *copy = strdup(path), *folder = copy ? strdup(dirname(copy)) : NULL;
    free(copy);
    return folder;
}

/* The path with its folder resolved, so that all spellings of a file's name become equal. The caller frees it. NULL:
 * out of memory, or the folder does not exist. */
static char *resolved(const char *path)
{
    char *whole = realpath(path, NULL), *joined = NULL;
    if (whole)
        return whole;
    char *folder = folder_of(path), *real = folder ? realpath(folder, NULL) : NULL, *copy = strdup(path);
    if (real && copy && asprintf(&joined, "%s/%s", real, basename(copy)) < 0)
        joined = NULL;
    free(folder);
    free(real);
    free(copy);
    return joined;
}

bool output_same_file(const char *a, const char *b)
{
    char *x = resolved(a), *y = resolved(b);
    bool same = x && y ? !strcmp(x, y) : !strcmp(a, b);
    free(x);
    free(y);
    return same;
}

/* ---- what is not written over ------------------------------------------------------------------------------------ */

static bool has_suffix_of_source(const char *path, enum input written)
{
    static const char *const suffixes[] = {".c", ".cc", ".cfg",  ".config", ".cpp",  ".cu",     ".cuh",  ".cxx",
                                           ".g", ".h",  ".hh",   ".hpp",    ".md",   ".ptx",    ".py",   ".rs",
                                           ".S", ".s",  ".sass", ".sh",     ".toml", ".traceg", ".yaml", ".yml"};
    const char *suffix = strrchr(path, '.');
    bool is = false;
    for (size_t i = 0; suffix && i < sizeof suffixes / sizeof *suffixes; i++)
        is |= !strcmp(suffix, suffixes[i]);
    return is && !(written == INPUT_MACHINE && input_kind(path) == INPUT_MACHINE);
}

/* Whether the file is text with the suffix of a source (matrix.c may be data), a script, or an ELF file that is no
 * machine code of a GPU. */
static bool is_source_or_program(const char *path, enum input written)
{
    unsigned char head[512] = {0};
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    ssize_t n = fd >= 0 ? read(fd, head, sizeof head) : 0;
    if (fd >= 0)
        close(fd);
    int machine = head[18] | head[19] << 8; /* e_machine */
    bool is_host_elf = n >= 20 && !memcmp(head, ELFMAG, SELFMAG) && machine != EM_CUDA;
    bool is_script = n >= 2 && !memcmp(head, "#!", 2);
    return is_host_elf || is_script || (n > 0 && has_suffix_of_source(path, written) && !memchr(head, 0, (size_t)n));
}

/* The file that the path leads to, as of output_path(), if it can be written. The caller frees it. */
static char *writable(const char *path, struct rp_error *err)
{
    if (!*path) {
        rp_fail(err, RP_USAGE, "an output needs the name of a file");
        return NULL;
    }
    if (!strcmp(path, "-")) {
        rp_fail(err, RP_USAGE, "cannot write to '-': an output is a file, never stdout; ./- is a file of that name");
        return NULL;
    }
    char *target = output_path(path, err), *folder = target ? folder_of(target) : NULL;
    bool ok = folder && access(folder, W_OK | X_OK) == 0;
    if (folder && !ok)
        rp_fail(err, RP_USAGE, "cannot write '%s': %s", path, strerror(errno));
    else if (target && !folder)
        rp_fail(err, RP_SYSTEM, "out of memory for '%s'", path);
    free(folder);
    if (ok)
        return target;
    free(target);
    return NULL;
}

/* Text is known by its suffix: a log or a report may hold lines of any source. */
static bool is_binary(enum input kind)
{
    return kind == INPUT_TRACE || kind == INPUT_CODE || kind == INPUT_NPY || kind == INPUT_DATABASE;
}

bool output_check(const char *path, enum input written, struct rp_error *err)
{
    if (is_source_or_program(path, written))
        return rp_fail(err, RP_USAGE, "'%s' is a source or a program, and is not written over; give another name",
                       path);
    enum input is = input_kind(path);
    if (is_binary(is) && is != written)
        return rp_fail(err, RP_USAGE, "'%s' is %s, and is not written over; give another name", path, input_name(is));
    char *target = writable(path, err);
    free(target);
    return target != NULL;
}

bool output_spares(const char *option, const char *output, const char *input, const char *role, struct rp_error *err)
{
    return !output || !input || !output_same_file(output, input) ||
           rp_fail(err, RP_USAGE, "%s '%s' would be written over %s; give it another name", option, output, role);
}

/* ---- files ------------------------------------------------------------------------------------------------------- */

static void release(struct output *o)
{
    cleanup_register(CLEANUP_FILE, NULL);
    free(o->temporary);
    free(o->target);
    free(o->path);
    free(o);
}

/* A folder that takes no file is the user's mistake, as in output_check; a full disk is not. */
static enum rp_status creation_status(int why)
{
    return why == ENOENT || why == EACCES || why == EPERM || why == EROFS || why == ENOTDIR ? RP_USAGE : RP_SYSTEM;
}

/* Creates the file with the permissions that open(2) would give it. */
static FILE *create(char *temporary)
{
    int fd = mkostemp(temporary, O_CLOEXEC);
    if (fd < 0)
        return NULL;
    mode_t mask = umask(0);
    umask(mask);
    FILE *to = fchmod(fd, 0666 & ~mask) == 0 ? fdopen(fd, "wb") : NULL;
    if (!to) {
        close(fd);
        unlink(temporary);
    }
    return to;
}

/* Takes the target over in every case. */
static struct output *allocate(const char *path, char *target)
{
    struct output *o = calloc(1, sizeof *o);
    if (!o) {
        free(target);
        return NULL;
    }
    o->target = target;
    o->path = strdup(path);
    if (asprintf(&o->temporary, "%s.XXXXXX", target) < 0)
        o->temporary = NULL;
    if (o->path && o->temporary)
        return o;
    release(o);
    return NULL;
}

struct output *output_open(const char *path, struct rp_error *err)
{
    char *target = writable(path, err);
    if (!target)
        return NULL;
    struct output *o = allocate(path, target);
    if (!o) {
        rp_fail(err, RP_SYSTEM, "out of memory for '%s'", path);
        return NULL;
    }
    cleanup_hold();
    o->to = create(o->temporary);
    if (o->to)
        cleanup_register(CLEANUP_FILE, o->temporary);
    else
        rp_fail(err, creation_status(errno), "cannot write '%s': %s", path, strerror(errno));
    cleanup_release();
    if (o->to)
        return o;
    release(o);
    return NULL;
}

bool output_close(struct output *o, bool keep, struct rp_error *err)
{
    if (!o)
        return false;
    bool fine = !ferror(o->to);
    if (fclose(o->to))
        fine = false;
    cleanup_hold();
    bool kept = keep && fine && rename(o->temporary, o->target) == 0;
    if (kept)
        cleanup_written(o->path);
    cleanup_release();
    if (keep && !kept)
        rp_fail(err, RP_SYSTEM, "cannot write '%s': %s", o->path, file_write_error(errno));
    if (!kept)
        unlink(o->temporary);
    release(o);
    return kept || !keep;
}

bool output_write(const char *path, const void *bytes, size_t size, struct rp_error *err)
{
    struct output *o = output_open(path, err);
    if (o && fwrite(bytes, 1, size, o->to) != size) {
        rp_fail(err, RP_SYSTEM, "cannot write '%s': %s", path, file_write_error(errno));
        output_close(o, false, NULL);
        return false;
    }
    return output_close(o, true, err);
}
