/* A process beside a program that is recorded: it outlives the program, and completes the traces of processes that were
 * killed so that they could not do so themselves (SIGKILL, no memory left). */
#include <errno.h>
#include <fcntl.h>
#include <glob.h>
#include <inttypes.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/pidfd.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tools/program/program.h"
#include "tracefmt/reader.h"

/* ---- which files ------------------------------------------------------------------------------------------------- */

/* What glob(3) finds in the place of a trace's name: %p is any number, what means something to glob means itself. */
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

/* t.wtr.part-*, and t.2.wtr.part-* of further processes of the command. */
static void recover_traces(const char *trace, uint64_t started, bool quiet)
{
    const char *slash = strrchr(trace, '/'), *dot = strrchr(slash ? slash : trace, '.');
    size_t stem = dot ? (size_t)(dot - trace) : strlen(trace);
    char further[256];
    char *one = pattern_of(trace, strlen(trace), ".part-??????"), *others = NULL;
    if (snprintf(further, sizeof further, ".*%s.part-??????", dot ? dot : "") < (int)sizeof further)
        others = pattern_of(trace, stem, further);
    recover_all(one, started, quiet);
    recover_all(others, started, quiet);
    free(one);
    free(others);
}

/* ---- beside the program ------------------------------------------------------------------------------------------ */

/* Nothing but the program's end ends it, and nobody waits for what it holds open. */
static void let_go(void)
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
    let_go();
    while (poll(&end, 1, -1) < 0 && errno == EINTR)
        ;
    recover_traces(p->output, started, p->quiet);
}

void keeper_start(const struct program_options *p, uint64_t started)
{
    int program = pidfd_open(getpid(), 0);
    if (program < 0)
        return;
    fflush(NULL);
    /* a child of a child that has ended is not the program's, which may wait for all of its own */
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
