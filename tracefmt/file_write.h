/* Writing files in a process that belongs to someone else, a CUDA program with libcuda.so.1 of ours for one.
 *
 * A write beyond the limit of files' sizes (RLIMIT_FSIZE, `ulimit -f`) ends a process by SIGXFSZ, unless the signal is
 * blocked, ignored or handled: then the write fails with EFBIG (POSIX, write). What the process wants for its own
 * writes is not ours to change. So the calling thread, which alone gets the signal, blocks it while it writes and takes
 * back one that came of it. */
#ifndef REPRISE_TRACEFMT_FILE_WRITE_H
#define REPRISE_TRACEFMT_FILE_WRITE_H

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

/* What the thread had before. */
struct file_limit {
    sigset_t mask;
    bool pending;
};

/* Between these two the thread's writes may go beyond the limit. errno stays. */
void file_limit_hold(struct file_limit *);
void file_limit_release(const struct file_limit *);

/* Writes all bytes, at the file's position or at an offset. False: errno says why. */
bool file_write(int file, const void *data, size_t size);
bool file_write_at(int file, const void *data, size_t size, off_t at);

/* Whether the process has a limit of files' sizes. */
bool file_size_is_limited(void);

/* Why a write failed, by its errno, with the way out where there is a limit of files' sizes. Not to be freed. */
const char *file_write_error(int number);

#endif
