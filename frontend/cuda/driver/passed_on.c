#include "frontend/cuda/driver/passed_on.h"

#include <elf.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "frontend/cuda/driver/driver.h"
#include "tracefmt/file_write.h"

extern char **environ;

/* Of this process, as reprise has made them: "NAME=VALUE". */
static char *ours[128];
static size_t count;
static pid_t process;

/* Lists of libraries and folders, which must have ours: in the order of struct passed_on. */
static const char *const lists[PASSED_LISTS] = {"LD_PRELOAD=", "LD_AUDIT=", "LD_LIBRARY_PATH="};
static const char *list_of[PASSED_LISTS]; /* the variable in `ours`; NULL: none */

static bool is_ours(const char *variable)
{
    static const char *const names[] = {"REPRISE_",
                                        "LD_PRELOAD=",
                                        "LD_AUDIT=",
                                        "LD_LIBRARY_PATH=",
                                        "TRITON_",
                                        "CUPY_",
                                        "NUMBA_",
                                        "DISABLE_ADDMM_CUDA_LT=",
                                        "NVTX_INJECTION64_PATH="};
    bool is = false;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        is |= !strncmp(variable, names[i], strlen(names[i]));
    return is;
}

static void child_of_fork(void) { process = getpid(); }

__attribute__((constructor)) static void remember(void)
{
    const char *audit = getenv("LD_AUDIT");
    process = getpid();
    pthread_atfork(NULL, NULL, child_of_fork);
    for (char **e = environ; audit && strstr(audit, "libreprise-redirect.so") && e && *e; e++) {
        if (!is_ours(*e) || count == sizeof ours / sizeof *ours || !(ours[count] = strdup(*e)))
            continue;
        for (int i = 0; i < PASSED_LISTS; i++)
            if (!strncmp(ours[count], lists[i], strlen(lists[i])))
                list_of[i] = ours[count];
        count++;
    }
}

bool passed_on_is_borrowed(void) { return getpid() != process; }

/* ---- programs that are linked statically ------------------------------------------------------------------------- */

static bool find(char path[PATH_MAX], const char *file, bool searched)
{
    const char *at = searched && !strchr(file, '/') ? getenv("PATH") : NULL;
    snprintf(path, PATH_MAX, "%s", file);
    for (; at && *at; at += strspn(at, ":")) {
        int length = (int)strcspn(at, ":");
        snprintf(path, PATH_MAX, "%.*s/%s", length, at, file);
        if (!access(path, X_OK))
            return true;
        at += length;
    }
    return !searched || strchr(file, '/');
}

/* As program_is_static() has it, without memory of the heap. */
static bool has_no_linker(const uint8_t *bytes, size_t size)
{
    static const char section[] = ".nvFatBinSegment";
    const Elf64_Ehdr *e = (const void *)bytes;
    if (size < sizeof *e || memcmp(e->e_ident, ELFMAG, SELFMAG) != 0 || e->e_ident[EI_CLASS] != ELFCLASS64 ||
        e->e_phoff > size || (size - e->e_phoff) / sizeof(Elf64_Phdr) < e->e_phnum || e->e_phoff % 8)
        return false;
    const Elf64_Phdr *p = (const void *)(bytes + e->e_phoff);
    for (int i = 0; i < e->e_phnum; i++)
        if (p[i].p_type == PT_INTERP)
            return false;
    return memmem(bytes, size, section, sizeof section);
}

static bool is_static(const char *file, bool searched, char path[PATH_MAX])
{
    struct stat s;
    int from = find(path, file, searched) ? open(path, O_RDONLY | O_CLOEXEC) : -1;
    bool regular = from >= 0 && !fstat(from, &s) && S_ISREG(s.st_mode) && s.st_size > 0;
    void *bytes = regular ? mmap(NULL, (size_t)s.st_size, PROT_READ, MAP_PRIVATE, from, 0) : MAP_FAILED;
    bool is = bytes != MAP_FAILED && has_no_linker(bytes, (size_t)s.st_size);
    if (bytes != MAP_FAILED)
        munmap(bytes, (size_t)s.st_size);
    if (from >= 0)
        close(from);
    return is;
}

/* Logs that the process will be a program that is not checked. */
static void log_static(const char *path)
{
    const char *folder = session_value(SESSION_FINDINGS);
    char name[PATH_MAX], line[2 * PATH_MAX];
    if (!folder || strpbrk(path, "\"\\"))
        return;
    snprintf(name, sizeof name, "%s/.static-%ld", folder, (long)getpid());
    int length = snprintf(line, sizeof line, "%s\n", path),
        file = open(name, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
    if (file >= 0 && !file_write(file, line, (size_t)length))
        unlink(name);
    if (file >= 0)
        close(file);
}

/* ---- the environment --------------------------------------------------------------------------------------------- */

static size_t name_length(const char *variable) { return strcspn(variable, "=") + 1; }

static const char *value_in(char *const given[], const char *variable)
{
    size_t length = name_length(variable);
    for (size_t i = 0; given && given[i]; i++)
        if (!strncmp(given[i], variable, length))
            return given[i] + length;
    return NULL;
}

static int list_number(const char *variable)
{
    int number = -1;
    for (int i = 0; i < PASSED_LISTS; i++)
        number = !strncmp(variable, lists[i], strlen(lists[i])) ? i : number;
    return number;
}

/* Whether a list has what ours begins with. */
static bool has_ours(const char *value, int number)
{
    const char *mine = list_of[number] + name_length(list_of[number]);
    char first[PASSED_LONG];
    snprintf(first, sizeof first, "%.*s", (int)strcspn(mine, ": "), mine);
    return value && strstr(value, first);
}

/* Whether an environment without the variable is as the program wants it: it has the session's, so the program has
 * taken out this one, which is for compilers at run time and their caches. */
static bool is_taken_out(char *const given[], const char *variable)
{
    static const char session[] = "REPRISE_";
    bool of_session = !strncmp(variable, session, strlen(session)) || list_number(variable) >= 0, has = false;
    for (size_t i = 0; !of_session && given && given[i]; i++)
        has |= !strncmp(given[i], session, strlen(session));
    return has;
}

static bool is_complete(char *const given[])
{
    bool complete = true;
    for (size_t i = 0; i < count && complete; i++) {
        int number = list_number(ours[i]);
        if (is_taken_out(given, ours[i]))
            continue;
        const char *value = value_in(given, ours[i]);
        complete = number < 0 ? value != NULL : number == PASSED_LISTS - 1 || has_ours(value, number);
    }
    return complete;
}

/* The program's own list behind ours. */
static char *join(struct passed_on *to, int number, const char *value)
{
    int length = snprintf(to->joined[number], PASSED_LONG, "%s:%s", list_of[number], value);
    return length < PASSED_LONG ? to->joined[number] : (char *)list_of[number];
}

char *const *passed_on(struct passed_on *to, const char *file, bool searched, char *const given[])
{
    char path[PATH_MAX];
    if (!count || value_in(given, "REPRISE_ALONE="))
        return given;
    bool alone = file && is_static(file, searched, path);
    size_t n = 0;
    if (!alone && is_complete(given))
        return given;
    for (size_t i = 0; given && given[i] && n < PASSED_MOST - sizeof ours / sizeof *ours - 1; i++) {
        int number = list_number(given[i]);
        if (number < 0 || !list_of[number] || (has_ours(given[i], number) && !alone))
            to->list[n++] = given[i];
    }
    for (size_t i = 0; i < count; i++) {
        int number = list_number(ours[i]);
        const char *value = value_in(given, ours[i]);
        if (number < 0 ? !value && !is_taken_out(given, ours[i]) : !alone && !has_ours(value, number))
            to->list[n++] = number >= 0 && value && *value ? join(to, number, value) : ours[i];
    }
    to->list[n] = NULL;
    if (alone)
        log_static(path);
    return to->list;
}
