#include "tools/record/data_file.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Reads up to `bytes`, fewer at the end of the file; SIZE_MAX after an error. */
static size_t read_up_to(int fd, void *to, size_t bytes)
{
    size_t done = 0;
    while (done < bytes) {
        ssize_t n = read(fd, (char *)to + done, bytes - done);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return SIZE_MAX;
        if (!n)
            break;
        done += (size_t)n;
    }
    return done;
}

static bool read_header(struct data_file *f, const char *path, struct rp_error *err)
{
    uint8_t *head = malloc(NPY_LARGEST_HEADER);
    if (!head)
        return rp_fail(err, RP_SYSTEM, "out of memory");
    size_t n = read_up_to(f->fd, head, NPY_LARGEST_HEADER);
    bool ok = n != SIZE_MAX ? npy_read(path, head, n, f->bytes, &f->npy, err)
                            : rp_fail(err, RP_BAD_INPUT, "%s: %s", path, strerror(errno));
    free(head);
    if (!ok)
        return false;
    f->bytes -= f->npy.offset;
    if (!f->bytes)
        return rp_fail(err, RP_BAD_INPUT, "%s: an array of no elements", path);
    return lseek(f->fd, (off_t)f->npy.offset, SEEK_SET) >= 0 ||
           rp_fail(err, RP_BAD_INPUT, "%s: %s", path, strerror(errno));
}

bool data_file_open(struct data_file *f, const char *path, const char *what, struct rp_error *err)
{
    struct stat st;
    *f = (struct data_file){.fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)}; /* a pipe would wait for its writer */
    if (f->fd < 0)
        return rp_fail(err, RP_BAD_INPUT, "cannot read '%s' for %s: %s", path, what, strerror(errno));
    bool regular = fstat(f->fd, &st) == 0 && S_ISREG(st.st_mode), ok = regular && st.st_size > 0;
    if (!ok)
        rp_fail(err, RP_BAD_INPUT, "cannot read '%s' for %s: it is %s", path, what,
                regular               ? "empty"
                : S_ISDIR(st.st_mode) ? "a folder, not a regular file"
                                      : "not a regular file");
    f->bytes = ok ? (uint64_t)st.st_size : 0;
    if (ok && npy_is_named(path))
        ok = read_header(f, path, err);
    if (!ok)
        data_file_close(f);
    return ok;
}

bool data_file_read(struct data_file *f, const char *path, void *to, struct rp_error *err)
{
    bool ok = read_up_to(f->fd, to, f->bytes) == f->bytes;
    data_file_close(f);
    return ok || rp_fail(err, RP_BAD_INPUT, "cannot read all %" PRIu64 " bytes of '%s'", f->bytes, path);
}

static bool read_lines(FILE *from, const char *path, enum element e, uint64_t count, uint8_t *to, struct rp_error *err)
{
    char *line = NULL;
    size_t room = 0;
    uint64_t number = 0, read = 0;
    bool ok = true;
    for (ssize_t n; ok && (n = getline(&line, &room, from)) >= 0;) {
        number++;
        while (n && isspace((unsigned char)line[n - 1]))
            line[--n] = 0;
        if (!n)
            continue;
        uint8_t value[8];
        ok = element_read(e, line, value) || rp_fail(err, RP_BAD_INPUT, "%s:%" PRIu64 ": '%.40s' is not of type %s",
                                                     path, number, line, element_name(e));
        if (ok && read < count)
            memcpy(to + read * element_width(e), value, element_width(e));
        read++;
    }
    free(line);
    return ok && (read == count ||
                  rp_fail(err, RP_BAD_INPUT, "%s: holds %" PRIu64 " elements, not %" PRIu64, path, read, count));
}

bool text_file_read(const char *path, const char *what, enum element e, uint64_t count, void *to, struct rp_error *err)
{
    struct data_file f;
    if (!data_file_open(&f, path, what, err))
        return false;
    FILE *from = fdopen(f.fd, "r");
    if (!from) {
        data_file_close(&f);
        return rp_fail(err, RP_SYSTEM, "out of memory");
    }
    bool ok = read_lines(from, path, e, count, to, err);
    fclose(from);
    return ok;
}

void data_file_close(struct data_file *f)
{
    close(f->fd);
    f->fd = -1;
}
