/* Writing beyond the limit of files' sizes: the caller learns of it, and the process's signals stay as they are. */
#include <criterion/criterion.h>
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "tracefmt/file_write.h"

enum { LIMIT = 1000 };
static volatile sig_atomic_t signals;
static char bytes[LIMIT + 1];

static void count(int number)
{
    (void)number;
    signals++;
}

/* A file without a name that may have LIMIT bytes. */
static int limited_file(void)
{
    char path[] = "/tmp/reprise-limit-XXXXXX";
    int file = mkstemp(path);
    struct rlimit limit = {LIMIT, LIMIT};
    unlink(path);
    cr_assert(file >= 0 && !setrlimit(RLIMIT_FSIZE, &limit));
    return file;
}

static bool is_in(int (*which)(sigset_t *))
{
    sigset_t set;
    cr_assert_eq(which(&set), 0);
    return sigismember(&set, SIGXFSZ);
}

static int blocked(sigset_t *set) { return pthread_sigmask(SIG_BLOCK, NULL, set); }

/* The signal's default is to end the process. */
Test(file_write, fails_beyond_the_limit)
{
    int file = limited_file();
    cr_assert(file_write(file, bytes, LIMIT));
    cr_assert(!file_write(file, bytes, 1));
    cr_assert_eq(errno, EFBIG);
    cr_assert(file_write_at(file, bytes, 10, LIMIT - 10));
    cr_assert(!file_write_at(file, bytes, 11, LIMIT - 10));
    cr_assert_eq(errno, EFBIG);
    cr_assert(strstr(file_write_error(EFBIG), "'ulimit -f'"));
    cr_assert_str_eq(file_write_error(ENOSPC), strerror(ENOSPC));
    cr_assert(!is_in(blocked) && !is_in(sigpending));
}

/* What the process does for its own writes it goes on doing. */
Test(file_write, leaves_the_process_its_handler)
{
    int file = limited_file();
    signal(SIGXFSZ, count);
    cr_assert(!file_write(file, bytes, LIMIT + 1));
    cr_assert_eq(signals, 0);
    cr_assert_eq(write(file, bytes, 1), -1);
    cr_assert_eq(signals, 1);
}

Test(file_write, leaves_a_signal_that_waits)
{
    sigset_t it;
    int file = limited_file();
    sigemptyset(&it);
    sigaddset(&it, SIGXFSZ);
    signal(SIGXFSZ, count);
    sigprocmask(SIG_BLOCK, &it, NULL);
    cr_assert(!file_write(file, bytes, LIMIT + 1));
    cr_assert(is_in(blocked) && !is_in(sigpending));
    cr_assert_eq(write(file, bytes, 1), -1);
    cr_assert(!file_write(file, bytes, 1));
    cr_assert(is_in(sigpending));
    sigprocmask(SIG_UNBLOCK, &it, NULL);
    cr_assert_eq(signals, 1);
}

/* A disk without a limit of the user's may have one of its own. */
Test(file_write, without_a_limit)
{
    struct rlimit limit = {RLIM_INFINITY, RLIM_INFINITY};
    if (setrlimit(RLIMIT_FSIZE, &limit))
        cr_skip_test("the limit cannot be taken off here");
    cr_assert_str_eq(file_write_error(EFBIG), strerror(EFBIG));
}
