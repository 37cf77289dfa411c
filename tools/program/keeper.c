/* A process that outlives a recorded program. It completes the traces of processes that were killed and could not do so
 * themselves (SIGKILL, out of memory). */
#include <errno.h>
#include <fcntl.h>
#include <glob.h>
#include <inttypes.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tools/program/program.h"
#include "tracefmt/output_path.h"
#include "tracefmt/reader.h"

/* ---- which files ------------------------------------------------------------------------------------------------- */

/* Makes a pattern for glob(3) from a trace's name: %p matches any number, and special characters of glob are escaped.
 */
static char *pattern_of(const char *trace, size_t length, const char *rest)
{
    char *pattern = malloc(2 * length + strlen(rest) + 1), *to = pattern;
    for (size_t i = 0; pattern && i < length; i++) {
        if (trace[i] == '%' && i + 1 < length && trace[i + 1] == 'p') {
            *to++ = '*';
            i++;
            continue;
        }
        if (strchr("*?[]\\", trace[i]))
            *to++ = '\\';
        *to++ = trace[i];
    }
    if (pattern)
        strcpy(to, rest);
    return pattern;
}

static bool is_of_command(const char *part, uint64_t started)
{
    struct stat s;
    return !stat(part, &s) && (uint64_t)s.st_mtim.tv_sec * 1000000000u + (uint64_t)s.st_mtim.tv_nsec >= started;
}

static void recover(const char *part, bool quiet)
{
    struct rp_error err;
    uint32_t launches;
    char *path = strdup(part), *suffix = path ? strstr(path, ".part-") : NULL;
    for (char *next = suffix; next; next = strstr(suffix + 1, ".part-"))
        suffix = next;
    if (suffix) {
        *suffix = 0;
        if (rp_trace_recover(part, path, &launches, &err)) {
            if (!quiet && launches)
                fprintf(stderr, "reprise: %s: the program was killed; %" PRIu32 " launch%s saved\n", path, launches,
                        launches == 1 ? " is" : "es are");
        } else if (err.status != RP_USAGE) {
            fprintf(stderr, "reprise: %s\n", err.text);
        }
    }
    free(path);
}

static void recover_all(const char *pattern, uint64_t started, bool quiet)
{
    glob_t found = {0};
    if (pattern && !glob(pattern, 0, NULL, &found))
        for (size_t i = 0; i < found.gl_pathc; i++)
            if (is_of_command(found.gl_pathv[i], started))
                recover(found.gl_pathv[i], quiet);
    globfree(&found);
}

/* Completes t.wtr.part-* and, for further processes of the command, t.2.wtr.part-*. */
static void recover_traces(const char *trace, uint64_t started, bool quiet)
{
    const char *slash = strrchr(trace, '/'), *dot = strrchr(slash ? slash : trace, '.');
    size_t stem = dot ? (size_t)(dot - trace) : strlen(trace);
    char further[256];
    struct rp_error err;
    char *target = output_path(trace, &err); /* a trace that is a link is written beside the file it leads to */
    char *one = target ? pattern_of(target, strlen(target), ".part-??????") : NULL, *others = NULL;
    if (snprintf(further, sizeof further, ".*%s.part-??????", dot ? dot : "") < (int)sizeof further)
        others = pattern_of(trace, stem, further);
    recover_all(one, started, quiet);
    recover_all(others, started, quiet);
    free(target);
    free(one);
    free(others);
}

/* ---- beside the program ------------------------------------------------------------------------------------------ */

/* Detaches this process: no signal ends it before the program does, and no reader waits for its standard streams. */
static void detach(void)
{
    sigset_t all;
    sigfillset(&all);
    sigprocmask(SIG_SETMASK, &all, NULL);
    setsid();
    int null = open("/dev/null", O_RDWR);
    if (null >= 0) {
        dup2(null, STDIN_FILENO);
        dup2(null, STDOUT_FILENO);
    }
}

static void keep(int program, const struct program_options *p, uint64_t started)
{
    struct pollfd end = {.fd = program, .events = POLLIN};
    detach();
    while (poll(&end, 1, -1) < 0 && errno == EINTR)
        ;
    recover_traces(p->output, started, p->quiet);
}

void keeper_start(const struct program_options *p, uint64_t started)
{
    int program = (int)syscall(SYS_pidfd_open, getpid(), 0); /* glibc has the call from 2.36 on only */
    if (program < 0)
        return;
    fflush(NULL);
    /* The program may wait for all of its children. A grandchild whose parent has ended is none of them. */
    pid_t child = fork();
    if (!child) {
        if (!fork())
            keep(program, p, started);
        _exit(0);
    }
    if (child > 0)
        waitpid(child, NULL, 0);
    close(program);
}
