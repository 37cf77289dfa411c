/* Time that runs a hundred times as fast, for what appears after a second or ten. */
#define _GNU_SOURCE
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

int clock_gettime(clockid_t clock, struct timespec *t)
{
    if (syscall(SYS_clock_gettime, clock, t))
        return -1;
    long long ns = (t->tv_sec * 1000000000LL + t->tv_nsec) * 100;
    t->tv_sec = ns / 1000000000;
    t->tv_nsec = ns % 1000000000;
    return 0;
}
