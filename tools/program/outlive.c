/* Processes that use CUDA and outlive the program's first one: each has a log, named by its number. */
#include <dirent.h>
#include <poll.h>
#include <stdlib.h>
#include <sys/syscall.h>
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

long program_outlived_by(const char *folder, int wait_ms)
{
    int64_t until = milliseconds() + wait_ms;
    long still = 0;
    DIR *d = opendir(folder);
    for (struct dirent *e; d && !still && (e = readdir(d));) {
        long process = strtol(e->d_name, NULL, 10);
        if (process > 0 && !ends_until(process, until))
            still = process;
    }
    if (d)
        closedir(d);
    return still;
}
