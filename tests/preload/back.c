/* The clock on the wall is set back, an hour each time that somebody looks at it. */
#define _GNU_SOURCE
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static long hours;

int clock_gettime(clockid_t clock, struct timespec *t)
{
    if (syscall(SYS_clock_gettime, clock, t))
        return -1;
    if (clock == CLOCK_REALTIME)
        t->tv_sec -= 3600 * ++hours;
    return 0;
}

time_t time(time_t *out)
{
    struct timespec t;
    clock_gettime(CLOCK_REALTIME, &t);
    if (out)
        *out = t.tv_sec;
    return t.tv_sec;
}
