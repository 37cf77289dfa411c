/* Processes that outlive the program's first one. Those that use CUDA have a log, named by their number; others may
 * begin to. */
#include <dirent.h>
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "tools/program/program.h"

static int64_t milliseconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

/* False: it still runs, or a signal came. */
static bool ends_until(long process, int64_t until)
{
    struct pollfd end = {.fd = (int)syscall(SYS_pidfd_open, process, 0), .events = POLLIN};
    int64_t left = until - milliseconds();
    if (end.fd < 0)
        return true; /* it has ended, or the system cannot say */
    bool ended = poll(&end, 1, left > 0 ? (int)left : 0) > 0;
    close(end.fd);
    return ended;
}

/* Waits for the processes that come from this one, which is the subreaper of those whose parents have ended. False:
 * some run on. */
static bool all_end_until(int64_t until)
{
    sigset_t child, before;
    pid_t ended;
    sigemptyset(&child);
    sigaddset(&child, SIGCHLD);
    sigprocmask(SIG_BLOCK, &child, &before);
    for (;;) {
        while ((ended = waitpid(-1, NULL, WNOHANG)) > 0)
            ;
        int64_t left = until - milliseconds();
        struct timespec t = {left / 1000, left % 1000 * 1000000};
        if (ended < 0 || left <= 0 || (sigtimedwait(&child, NULL, &t) < 0 && errno == EINTR))
            break;
    }
    sigprocmask(SIG_SETMASK, &before, NULL);
    return ended < 0;
}

enum { OUTLIVING_MS = 10000 }; /* how long processes may outlive the program's first one */

/* The tests have less patience. */
static int64_t patience(void)
{
    const char *text = getenv("REPRISE_OUTLIVING");
    return text ? strtol(text, NULL, 10) : OUTLIVING_MS;
}

enum outliving program_outlived_by(const char *folder, long *process)
{
    int64_t until = milliseconds() + patience();
    bool all = all_end_until(until);
    *process = 0;
    DIR *d = opendir(folder);
    for (struct dirent *e; d && !*process && (e = readdir(d));) {
        long one = strtol(e->d_name, NULL, 10);
        if (one > 0 && !ends_until(one, until))
            *process = one;
    }
    if (d)
        closedir(d);
    return *process ? OUTLIVES_WITH_CUDA : all ? OUTLIVES_NONE : OUTLIVES;
}
