/* Completes the trace that a killed process has left. */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tracefmt/file_write.h"
#include "tracefmt/index.h"
#include "tracefmt/output_path.h"
#include "tracefmt/reader.h"
#include "tracefmt/reader_internal.h"

/* Whether no process holds the writer's lock. If the lock cannot be queried, the writer may be alive: false. */
static bool is_left_over(int fd)
{
    struct flock lock = {.l_type = F_WRLCK};
    return !fcntl(fd, F_GETLK, &lock) && lock.l_type == F_UNLCK;
}

/* Keeps in the index only the frames that follow one another without a gap from the start. Returns where they end. */
static uint64_t keep_whole(struct index *x)
{
    uint64_t end = 0;
    size_t frames = 0;
    while (frames < x->frame_count && x->frames[frames].offset == end)
        end += x->frames[frames++].bytes;
    index_truncate(x, frames);
    return end;
}

static bool write_index(int fd, const struct rp_trace *t, uint64_t end, struct rp_error *err)
{
    struct buffer out = {0};
    bool ok = index_pack(&t->index, &out, err);
    if (ok && (ftruncate(fd, (off_t)end) || !file_write_at(fd, out.data, out.size, (off_t)end) || fsync(fd)))
        ok = rp_fail(err, RP_SYSTEM, "cannot write '%s': %s", rp_trace_path(t), file_write_error(errno));
    buffer_free(&out);
    return ok;
}

static bool recover(int fd, const char *part, uint32_t *launches, struct rp_error *err)
{
    struct rp_trace *t = rp_trace_open(part, err);
    if (!t)
        return false;
    *launches = rp_trace_launch_count(t);
    bool ok = !rp_trace_damage(t) || write_index(fd, t, keep_whole(&t->index), err);
    rp_trace_close(t);
    return ok;
}

bool rp_trace_recover(const char *part, const char *path, uint32_t *launches, struct rp_error *err)
{
    int fd = open(part, O_RDWR | O_CLOEXEC);
    *launches = 0;
    if (fd < 0)
        return rp_fail(err, RP_SYSTEM, "cannot open '%s': %s", part, strerror(errno));
    bool empty = !lseek(fd, 0, SEEK_END);
    bool ok = is_left_over(fd) || rp_fail(err, RP_USAGE, "'%s' is still being written", part);
    ok = ok && (empty || recover(fd, part, launches, err));
    close(fd);
    char *target = ok ? output_path(path, err) : NULL;
    ok = target != NULL;
    if (ok && (empty ? unlink(part) : rename(part, target)))
        ok = rp_fail(err, RP_SYSTEM, "cannot complete '%s': %s", path, strerror(errno));
    free(target);
    return ok;
}
