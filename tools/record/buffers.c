#include "tools/record/buffers.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tools/output.h"
#include "tracefmt/sha256.h"

/* ---- filling ----------------------------------------------------------------------------------------------------- */

static uint64_t splitmix64(uint64_t *state)
{
    uint64_t z = *state += 0x9e3779b97f4a7c15u;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return z ^ z >> 31;
}

static void generate(const struct plan_buffer *b, void *to)
{
    uint64_t state = b->seed;
    float *f = to;
    double *d = to;
    int32_t *n = to;
    for (uint64_t i = 0; i < b->count; i++) {
        switch (b->content) {
        case CONTENT_RAND_F32: f[i] = (float)(splitmix64(&state) >> 40) * 0x1p-23f - 1; break;
        case CONTENT_RAND_F64: d[i] = (double)(splitmix64(&state) >> 11) * 0x1p-52 - 1; break;
        case CONTENT_RAND_I32: n[i] = (int32_t)(splitmix64(&state) >> 32); break;
        case CONTENT_IOTA_I32: n[i] = (int32_t)i; break;
        default: return; /* zeros */
        }
    }
}

static bool read_all(int fd, uint8_t *to, uint64_t bytes)
{
    while (bytes) {
        ssize_t n = read(fd, to, bytes);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return false;
        to += n;
        bytes -= (uint64_t)n;
    }
    return true;
}

static bool allocate(struct plan_buffer *b, struct rp_context *c, struct rp_error *err)
{
    b->address = rp_alloc(c, b->bytes, b->name, err);
    return b->address != 0;
}

/* The provenance says what a file held, not where it lay. */
static void describe_file(struct plan_buffer *b, const void *content)
{
    char hash[65], text[128];
    uint8_t digest[32];
    struct sha256 sum;
    sha256_begin(&sum);
    sha256_add(&sum, content, b->bytes);
    sha256_end(&sum, digest);
    sha256_hex(digest, hash);
    snprintf(text, sizeof text, "file:%" PRIu64 ":sha256=%s", b->bytes, hash);
    b->described = plan_copy(text);
}

static bool fill_from_file(struct plan_buffer *b, struct rp_context *c, struct rp_error *err)
{
    struct stat st;
    int fd = open(b->path, O_RDONLY | O_CLOEXEC | O_NONBLOCK); /* a pipe would wait for its writer */
    if (fd < 0)
        return rp_fail(err, RP_BAD_INPUT, "cannot read '%s' for %s: %s", b->path, b->name, strerror(errno));
    bool regular = fstat(fd, &st) == 0 && S_ISREG(st.st_mode), ok = regular && st.st_size > 0;
    if (!ok) {
        rp_fail(err, RP_BAD_INPUT, "cannot read '%s' for %s: it is %s", b->path, b->name,
                regular ? "empty" : "not a regular file");
    } else {
        b->bytes = (uint64_t)st.st_size;
        ok = allocate(b, c, err);
        if (ok && !read_all(fd, rp_host(c, b->address, b->bytes), b->bytes))
            ok = rp_fail(err, RP_BAD_INPUT, "cannot read all %" PRIu64 " bytes of '%s'", b->bytes, b->path);
    }
    close(fd);
    if (ok)
        describe_file(b, rp_host(c, b->address, b->bytes));
    return ok;
}

bool buffer_fill(struct plan_buffer *b, struct rp_context *c, struct rp_error *err)
{
    if (b->content == CONTENT_FILE)
        return fill_from_file(b, c, err);
    if (!allocate(b, c, err))
        return false;
    if (b->content != CONTENT_ZEROS)
        generate(b, rp_host(c, b->address, b->bytes));
    return true;
}

/* ---- saving ------------------------------------------------------------------------------------------------------ */

bool buffer_save(const struct plan_buffer *b, struct rp_context *c, const char *path, struct rp_error *err)
{
    return output_write(path, rp_host(c, b->address, b->bytes), b->bytes, err) ||
           rp_fail(err, err->status, "saving %s: %s", b->name, err->text);
}
