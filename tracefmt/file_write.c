#include "tracefmt/file_write.h"

#include <errno.h>
#include <pthread.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

static bool is_pending(void)
{
    sigset_t pending;
    return !sigpending(&pending) && sigismember(&pending, SIGXFSZ) == 1;
}

static void only_limit(sigset_t *set)
{
    sigemptyset(set);
    sigaddset(set, SIGXFSZ);
}

void file_limit_hold(struct file_limit *l)
{
    sigset_t it;
    int number = errno;
    only_limit(&it);
    l->pending = is_pending();
    pthread_sigmask(SIG_BLOCK, &it, &l->mask);
    errno = number;
}

void file_limit_release(const struct file_limit *l)
{
    sigset_t it;
    int number = errno, taken;
    only_limit(&it);
    if (!l->pending && is_pending())
        sigwait(&it, &taken);
    pthread_sigmask(SIG_SETMASK, &l->mask, NULL);
    errno = number;
}

/* at < 0: at the file's position. */
static bool write_all(int file, const char *data, size_t size, off_t at)
{
    for (size_t done = 0; done < size;) {
        ssize_t n =
            at < 0 ? write(file, data + done, size - done) : pwrite(file, data + done, size - done, at + (off_t)done);
        if (n < 0 && errno == EINTR)
            continue;
        if (n == 0)
            errno = EIO;
        if (n <= 0)
            return false;
        done += (size_t)n;
    }
    return true;
}

bool file_write_at(int file, const void *data, size_t size, off_t at)
{
    struct file_limit limit;
    file_limit_hold(&limit);
    bool ok = write_all(file, data, size, at);
    file_limit_release(&limit);
    return ok;
}

bool file_write(int file, const void *data, size_t size) { return file_write_at(file, data, size, -1); }

bool file_size_is_limited(void)
{
    struct rlimit most;
    return !getrlimit(RLIMIT_FSIZE, &most) && most.rlim_cur != RLIM_INFINITY;
}

const char *file_write_error(int number)
{
    bool limited = number == EFBIG && file_size_is_limited();
    return limited ? "File too large: 'ulimit -f' limits the size of files; raise the limit" : strerror(number);
}
