#include "frontend/loader/ptxas.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "frontend/loader/ptxas_folder.h"
#include "frontend/module/module.h"
#include "tracefmt/file_write.h"
#include "tracefmt/sha256.h"

extern char **environ;

struct job {
    const char *name, *text, *sm, *ptxas;
    size_t size;
    bool debug;                 /* PTX of a debug build */
    unsigned version, target;   /* of the PTX: 9 of 9.0, 75 of sm_75; 0: unknown */
    char special[16];           /* the architecture, where the PTX says more than the caller */
    struct ptxas_folder folder; /* its pieces: modules that follow one another in the text, each with a .version */
    uint8_t *code;              /* what was made */
    size_t code_size;
    char said[64 * 1024]; /* what ptxas said */
};

/* ---- files ------------------------------------------------------------------------------------------------------- */

/* False: errno says why. */
static bool write_file(const char *path, const void *bytes, size_t size)
{
    int file = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (file < 0)
        return false;
    bool whole = file_write(file, bytes, size);
    int why = errno;
    if (close(file) && whole) {
        whole = false;
        why = errno;
    }
    if (!whole)
        unlink(path);
    errno = why;
    return whole;
}

/* NULL: there is no such file, or not enough memory. */
static uint8_t *read_file(const char *path, size_t *size)
{
    struct rp_error ignored;
    return (uint8_t *)module_read_file(path, size, &ignored);
}

enum { SUM_BYTES = 32 }; /* SHA-256 */

static void sum_of(const uint8_t *bytes, size_t size, uint8_t sum[SUM_BYTES])
{
    struct sha256 s;
    sha256_begin(&s);
    sha256_add(&s, bytes, size);
    sha256_end(&s, sum);
}

static bool is_elf(const uint8_t *bytes, size_t size)
{
    return size > sizeof(Elf64_Ehdr) && !memcmp(bytes, ELFMAG, SELFMAG);
}

/* Whether the tables, with which ptxas and nvlink end a file, are there: on a full disk they write a part, and ptxas of
 * CUDA 13 ends with 0. */
static bool is_whole(const uint8_t *bytes, size_t size)
{
    Elf64_Ehdr h;
    if (!is_elf(bytes, size))
        return false;
    memcpy(&h, bytes, sizeof h);
    uint64_t sections = (uint64_t)h.e_shnum * h.e_shentsize, segments = (uint64_t)h.e_phnum * h.e_phentsize;
    return h.e_ident[EI_CLASS] != ELFCLASS64 || (h.e_shoff <= size && sections <= size - h.e_shoff &&
                                                 (!segments || (h.e_phoff <= size && segments <= size - h.e_phoff)));
}

/* ---- results that are kept --------------------------------------------------------------------------------------- */

/* Makes the folder below the caches of the user. False: there is no place for it. */
static bool cache_folder(char folder[PATH_MAX])
{
    const char *cache = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
    bool given = cache && *cache == '/';
    if (!given && (!home || *home != '/'))
        return false;
    int length = snprintf(folder, PATH_MAX - 128, "%s%s/reprise/ptxas", given ? cache : home, given ? "" : "/.cache");
    if (length >= PATH_MAX - 128)
        return false;
    for (char *at = folder + 1; *at; at++)
        if (*at == '/') {
            *at = 0;
            mkdir(folder, 0777);
            *at = '/';
        }
    return !mkdir(folder, 0777) || errno == EEXIST;
}

/* Names the file that keeps the result. False: it cannot be kept. */
static bool kept_path(const struct job *j, char path[PATH_MAX])
{
    struct stat st;
    struct sha256 sum;
    uint8_t digest[32];
    char identity[PATH_MAX + 128], hex[65], folder[PATH_MAX];
    if (stat(j->ptxas, &st) || !cache_folder(folder))
        return false;
    int length = snprintf(identity, sizeof identity, "2 %s %lld %lld.%ld %s %d\n", j->ptxas, (long long)st.st_size,
                          (long long)st.st_mtim.tv_sec, (long)st.st_mtim.tv_nsec, j->sm, j->debug);
    sha256_begin(&sum);
    sha256_add(&sum, identity, (size_t)length);
    sha256_add(&sum, j->text, j->size);
    sha256_end(&sum, digest);
    sha256_hex(digest, hex);
    snprintf(path, PATH_MAX, "%.*s/%s.cubin", PATH_MAX - 80, folder, hex);
    return true;
}

/* Writes the whole file or none: other processes may read it at any time. Its sum follows the machine code. */
static void keep(const struct job *j, const char *path)
{
    char part[PATH_MAX + 32];
    uint8_t *bytes = malloc(j->code_size + SUM_BYTES);
    if (!bytes)
        return;
    memcpy(bytes, j->code, j->code_size);
    sum_of(bytes, j->code_size, bytes + j->code_size);
    snprintf(part, sizeof part, "%s.%ld", path, (long)getpid());
    if (write_file(part, bytes, j->code_size + SUM_BYTES) && rename(part, path))
        unlink(part);
    free(bytes);
}

/* False: there is none, or it is damaged. */
static bool take_kept(struct job *j, const char *path)
{
    uint8_t sum[SUM_BYTES];
    size_t size;
    uint8_t *bytes = read_file(path, &size);
    if (bytes && size > SUM_BYTES && is_whole(bytes, size - SUM_BYTES)) {
        sum_of(bytes, size - SUM_BYTES, sum);
        if (!memcmp(sum, bytes + size - SUM_BYTES, SUM_BYTES)) {
            j->code = bytes;
            j->code_size = size - SUM_BYTES;
            return true;
        }
    }
    free(bytes);
    return false;
}

/* ---- running ptxas ----------------------------------------------------------------------------------------------- */

static const char *in_folder(const struct job *j, const char *name, char path[256])
{
    snprintf(path, 256, "%s/%s", j->folder.path, name);
    return path;
}

/* Names the input after the module. */
static void name_input(struct job *j)
{
    const char *slash = strrchr(j->name, '/'), *from = slash ? slash + 1 : j->name;
    char *input = j->folder.input;
    size_t n = 0;
    for (; *from && n < 60; from++)
        input[n++] = (char)(strchr("._-", *from) || (*from >= '0' && *from <= '9') ||
                                    ((*from | 32) >= 'a' && (*from | 32) <= 'z')
                                ? *from
                                : '_');
    input[n] = 0;
    if (n < 5 || strcmp(input + n - 4, ".ptx") || *input == '-')
        strcat(*input == '-' ? strcpy(input, "module") : input, ".ptx");
}

/* ---- several modules in one text --------------------------------------------------------------------------------- */

/* A .version at the begin of a line, or the end of the text. */
static const char *find_version(const struct job *j, const char *from)
{
    static const char begins[] = ".version";
    const char *end = j->text + j->size;
    while ((from = memmem(from, (size_t)(end - from), begins, sizeof begins - 1)) && from > j->text && from[-1] != '\n')
        from += sizeof begins - 1;
    return from ? from : end;
}

/* Where the module behind the one at `from` begins, or the end of the text. Comments may stand before its .version. */
static const char *next_piece(const struct job *j, const char *from)
{
    const char *version = find_version(j, from);
    return version < j->text + j->size ? find_version(j, version + 1) : version;
}

static unsigned count_pieces(const struct job *j)
{
    unsigned count = 0;
    for (const char *at = j->text; at < j->text + j->size; at = next_piece(j, at))
        count++;
    return count;
}

static bool write_pieces(const struct job *j)
{
    char path[256], name[32];
    const char *at = j->text;
    for (unsigned i = 0; i < j->folder.pieces; i++) {
        const char *next = next_piece(j, at);
        if (!write_file(in_folder(j, ptxas_piece_name(i, "ptx", name), path), at, (size_t)(next - at)))
            return false;
        at = next;
    }
    return true;
}

/* What is to be in the folder cannot be written; errno says why. */
static enum ptxas_result unwritten(const struct job *j, struct rp_error *err)
{
    const char *temporary = getenv("TMPDIR");
    rp_fail(err, RP_SYSTEM, "%s: no file for ptxas can be written in %s: %s", j->name,
            *j->folder.path                  ? j->folder.path
            : temporary && *temporary == '/' ? temporary
                                             : "/tmp",
            file_write_error(errno));
    return PTXAS_FAILED;
}

static bool make_folder(struct job *j)
{
    char path[256];
    if (*j->folder.path)
        return true;
    name_input(j);
    return ptxas_folder_make(&j->folder) &&
           (j->folder.pieces > 1 ? write_pieces(j) : write_file(in_folder(j, j->folder.input, path), j->text, j->size));
}

/* Whether a tool that has made nothing, or a part, had no room for more; then errno says why. */
static bool had_no_room(const struct job *j, int status)
{
    static const uint8_t some[64 * 1024];
    char path[256];
    unlink(in_folder(j, "said", path));
    bool room = write_file(path, some, sizeof some);
    if (room)
        unlink(path);
    if (room && status == 128 + SIGXFSZ)
        errno = EFBIG;
    return !room || status == 128 + SIGXFSZ;
}

/* The environment without our own libraries, which ptxas shall not load. */
static char **environment_of_child(void)
{
    size_t count = 0, used = 0;
    while (environ[count])
        count++;
    char **list = malloc((count + 2) * sizeof *list);
    static char alone[] = "REPRISE_ALONE=1"; /* frontend/cuda/session.h */
    for (size_t i = 0; list && i < count; i++)
        if (strncmp(environ[i], "LD_PRELOAD=", 11) && strncmp(environ[i], "LD_AUDIT=", 9))
            list[used++] = environ[i];
    if (list) {
        list[used++] = alone;
        list[used] = NULL;
    }
    return list;
}

/* The exit status, or 128 and the number of a signal; -1: it did not start, or the program that we are in took its
 * status away from us, as one that ignores SIGCHLD does. */
static int start_and_wait(struct job *j, const char *program, char *const *arguments, int *why)
{
    pid_t child;
    posix_spawn_file_actions_t actions;
    char **environment = environment_of_child();
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addchdir_np(&actions, j->folder.path);
    posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "said", O_WRONLY | O_CREAT | O_TRUNC, 0600);
    posix_spawn_file_actions_adddup2(&actions, STDOUT_FILENO, STDERR_FILENO);
    *why = environment ? posix_spawn(&child, program, &actions, NULL, arguments, environment) : ENOMEM;
    posix_spawn_file_actions_destroy(&actions);
    free(environment);
    if (*why)
        return -1;
    j->folder.child = child;
    int status = ptxas_folder_wait(&j->folder);
    if (status < 0)
        return -1;
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

/* Takes what ptxas said. Returns its first line with an error, or "". */
static const char *first_error(struct job *j)
{
    char path[256];
    size_t size = 0;
    uint8_t *bytes = read_file(in_folder(j, "said", path), &size);
    snprintf(j->said, sizeof j->said, "%.*s", (int)size, bytes ? (char *)bytes : "");
    free(bytes);
    const char *fatal = strstr(j->said, "fatal"), *error = strstr(j->said, "error");
    char *at = (char *)(!error || (fatal && fatal < error) ? fatal : error);
    at = at ? at : j->said;
    while (at > j->said && at[-1] != '\n')
        at--;
    at[strcspn(at, "\n")] = 0;
    return at;
}

/* Whether the PTX may be right all the same: this ptxas is too old for it, or knows no such architecture, or the
 * architecture is older than the PTX. */
static bool may_be_right(const char *error)
{
    return strstr(error, "Unsupported .version") || strstr(error, "gpu-name") ||
           strstr(error, "SM version specified by");
}

/* What helps where this ptxas cannot, "" if nothing is known. CUDA 13 has PTX 9, and begins at sm_75. */
static void way_out(const struct job *j, const char *error, char *text, size_t size)
{
    enum { PTX_OF_13 = 9, FIRST_OF_13 = 75 };
    unsigned sm = (unsigned)strtoul(j->sm + strlen("sm_"), NULL, 10);
    *text = 0;
    if (j->target > sm)
        snprintf(text, size,
                 "; its PTX is for sm_%u and later, so no ptxas makes code for sm_%u of it: compile with -arch=sm_%u%s",
                 j->target, sm, sm, sm < FIRST_OF_13 ? ", of CUDA 12" : "");
    else if (j->version >= PTX_OF_13 && sm < FIRST_OF_13)
        snprintf(text, size,
                 "; CUDA 13 begins at sm_75, and ptxas of CUDA 12 does not take its PTX: compile with CUDA 12");
    else if (strstr(error, "gpu-name"))
        snprintf(text, size,
                 "; another version of ptxas knows it (CUDA 13 begins at sm_75): REPRISE_PTXAS names one, pip install "
                 "nvidia-cuda-nvcc-cu12 brings one");
}

/* The tool did not start. What is wrong with its file may be right with that of another one. */
static enum ptxas_result cannot_start(const struct job *j, const char *program, int why, struct rp_error *err)
{
    bool ours = why == ENOSPC || why == EDQUOT || why == ENOMEM || why == EAGAIN;
    rp_fail(err, RP_SYSTEM, "%s: cannot run '%s': %s", j->name, program, strerror(why));
    return ours ? PTXAS_FAILED : PTXAS_NONE;
}

/* The tool has made no machine code, or a part of it. */
static enum ptxas_result made_nothing(struct job *j, const char *program, int status, bool part, struct rp_error *err)
{
    char hint[256] = "";
    const char *error = first_error(j);
    if ((part || !*error) && had_no_room(j, status))
        return unwritten(j, err);
    if (may_be_right(error))
        way_out(j, error, hint, sizeof hint);
    if (!*error)
        rp_fail(err, RP_SYSTEM, "%s: %s made %s and said nothing (status %d)", j->name, program,
                part ? "a part of it" : "nothing of it", status);
    else
        rp_fail(err, RP_BAD_INPUT, "%s: for %s, %s says: %.600s%s", j->name, j->sm, program, error, hint);
    return *error && !may_be_right(error) ? PTXAS_REFUSED : PTXAS_NONE;
}

/* Runs a tool that makes `output`. */
static enum ptxas_result run_tool(struct job *j, const char *program, char *const *arguments, const char *output,
                                  struct rp_error *err)
{
    char path[256];
    int why = 0, status = start_and_wait(j, program, arguments, &why);
    if (why)
        return cannot_start(j, program, why, err);
    j->code = read_file(in_folder(j, output, path), &j->code_size);
    if (status <= 0 && j->code && is_whole(j->code, j->code_size))
        return PTXAS_MADE;
    bool part = j->code && j->code_size;
    free(j->code);
    j->code = NULL;
    return made_nothing(j, program, status, part, err);
}

static enum ptxas_result run_ptxas(struct job *j, const char *input, const char *output, struct rp_error *err)
{
    char *const arguments[] = {(char *)"ptxas",
                               (char *)(j->debug ? "-g" : "-lineinfo"),
                               (char *)"-w",
                               (char *)"-arch",
                               (char *)j->sm,
                               (char *)"-o",
                               (char *)output,
                               (char *)input,
                               (char *)(j->folder.pieces > 1 ? "-c" : NULL),
                               NULL};
    return run_tool(j, j->ptxas, arguments, output, err);
}

/* Joins the objects of the pieces by the nvlink that lies beside this ptxas. */
static enum ptxas_result run_nvlink(struct job *j, struct rp_error *err)
{
    enum { BEFORE = 6 };
    char nvlink[PATH_MAX];
    const char *slash = strrchr(j->ptxas, '/');
    snprintf(nvlink, sizeof nvlink, "%.*snvlink", slash ? (int)(slash + 1 - j->ptxas) : 0, j->ptxas);
    if (access(nvlink, X_OK)) {
        rp_fail(err, RP_BAD_INPUT, "%s: %u modules of PTX in one; to join their machine code there is no %s", j->name,
                j->folder.pieces, nvlink);
        return PTXAS_NONE;
    }
    char **arguments = calloc(BEFORE + (size_t)j->folder.pieces + 1, sizeof *arguments);
    char(*names)[32] = calloc(j->folder.pieces, sizeof *names);
    enum ptxas_result r = PTXAS_NONE;
    if (arguments && names) {
        memcpy(arguments,
               (char *[BEFORE]){(char *)"nvlink", (char *)"-arch", (char *)j->sm, (char *)"-o", (char *)"out.cubin",
                                (char *)(j->debug ? "-g" : "-w")},
               BEFORE * sizeof *arguments);
        for (unsigned i = 0; i < j->folder.pieces; i++)
            arguments[BEFORE + i] = (char *)ptxas_piece_name(i, "o", names[i]);
        r = run_tool(j, nvlink, arguments, "out.cubin", err);
    } else {
        r = PTXAS_FAILED;
        rp_fail(err, RP_SYSTEM, "out of memory for %s", j->name);
    }
    free(arguments);
    free(names);
    return r;
}

static enum ptxas_result run(struct job *j, struct rp_error *err)
{
    char input[32], output[32];
    if (!make_folder(j))
        return unwritten(j, err);
    if (j->folder.pieces <= 1)
        return run_ptxas(j, j->folder.input, "out.cubin", err);
    for (unsigned i = 0; i < j->folder.pieces; i++) {
        enum ptxas_result r = run_ptxas(j, ptxas_piece_name(i, "ptx", input), ptxas_piece_name(i, "o", output), err);
        free(j->code);
        j->code = NULL;
        if (r != PTXAS_MADE)
            return r;
    }
    return run_nvlink(j, err);
}

/* ---- the whole --------------------------------------------------------------------------------------------------- */

static enum ptxas_result assemble_by(struct job *j, struct rp_error *err)
{
    char path[PATH_MAX];
    bool kept = kept_path(j, path);
    if (kept && take_kept(j, path))
        return PTXAS_MADE;
    enum ptxas_result r = run(j, err);
    if (r == PTXAS_MADE && kept)
        keep(j, path);
    return r;
}

static void missing(const struct job *j, struct rp_error *err)
{
    const char *given = getenv("REPRISE_PTXAS");
    rp_fail(err, RP_SYSTEM,
            "%s: machine code for %s wants NVIDIA's ptxas; %s%.400s %s; pip install nvidia-cuda-nvcc-cu12, or make "
            "toolchain, brings one",
            j->name, j->sm, given && *given ? "REPRISE_PTXAS=" : "", given && *given ? given : "none",
            given && *given ? "cannot be run" : "is found");
}

/* The number behind the word at `at`, in a line that ends; else 0. */
static unsigned number_behind(const struct job *j, const char *at, const char *word)
{
    size_t length = strlen(word), left = (size_t)(j->text + j->size - at);
    bool here = left > length && memchr(at, '\n', left) && !strncmp(at, word, length);
    return here ? (unsigned)strtoul(at + length, NULL, 10) : 0;
}

/* Reads the module's .version and .target: whether it is of a debug build; and where it is for one architecture alone
 * (sm_90a), which the caller knows as sm_90, that one. */
static void read_target(struct job *j)
{
    const char *target = memmem(j->text, j->size, "\n.target", 8);
    const char *end = target ? memchr(target + 1, '\n', j->size - (size_t)(target + 1 - j->text)) : NULL;
    if (!end)
        return;
    size_t length = strlen(j->sm);
    const char *name = target + 8 + strspn(target + 8, " \t");
    j->version = number_behind(j, find_version(j, j->text), ".version");
    j->target = number_behind(j, name, "sm_");
    j->debug = memmem(target, (size_t)(end - target), "debug", 5);
    bool special = length < sizeof j->special - 2 && !strncmp(name, j->sm, length) && strchr("af", name[length]);
    if (special && name[length]) {
        snprintf(j->special, sizeof j->special, "%s%c", j->sm, name[length]);
        j->sm = j->special;
    }
}

enum ptxas_result ptxas_assemble(const char *name, const char *text, size_t size, const char *sm, uint8_t **code,
                                 size_t *code_size, struct rp_error *err)
{
    struct job *j = calloc(1, sizeof *j);
    if (!j) {
        rp_fail(err, RP_SYSTEM, "out of memory for %s", name);
        return PTXAS_FAILED;
    }
    size = strnlen(text, size);
    *j = (struct job){.name = name, .text = text, .sm = sm, .size = size, .folder.module = name};
    j->folder.pieces = count_pieces(j);
    read_target(j);
    enum ptxas_result r = PTXAS_NONE;
    const char *const *all = ptxas_found();
    if (!*all)
        missing(j, err);
    struct rp_error other;
    for (size_t i = 0; all[i] && r == PTXAS_NONE && !ptxas_stopped(); i++) {
        j->ptxas = all[i];
        r = assemble_by(j, i ? &other : err);
        if ((r == PTXAS_REFUSED || r == PTXAS_FAILED) && i)
            *err = other;
    }
    if (ptxas_stopped() && r != PTXAS_MADE) {
        r = PTXAS_NONE;
        rp_fail(err, RP_SYSTEM, "%s: ptxas was stopped by a signal", name);
    }
    if (*j->folder.path)
        ptxas_folder_remove(&j->folder);
    *code = j->code;
    *code_size = j->code_size;
    free(j);
    return r;
}
