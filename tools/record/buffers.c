#include "tools/record/buffers.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <libgen.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tracefmt/sha256.h"

/* ---- cleaning up after signals ----------------------------------------------------------------------------------- */

static _Atomic(const char *) temporary[CLEANUP_SLOTS];

void cleanup_register(unsigned slot, const char *path) { temporary[slot] = path; }

static void on_signal(int number)
{
    for (int i = 0; i < CLEANUP_SLOTS; i++) {
        const char *path = temporary[i];
        if (path)
            unlink(path);
    }
    signal(number, SIG_DFL);
    raise(number);
}

void cleanup_install(void)
{
    static const int signals[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGPIPE, SIGXFSZ, SIGXCPU};
    struct sigaction action = {.sa_handler = on_signal};
    struct sigaction before;
    for (size_t i = 0; i < sizeof signals / sizeof *signals; i++)
        if (!sigaction(signals[i], NULL, &before) && before.sa_handler != SIG_IGN) /* nohup's wish is respected */
            sigaction(signals[i], &action, NULL);
}

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

static bool write_all(int fd, const uint8_t *from, uint64_t bytes)
{
    while (bytes) {
        ssize_t n = write(fd, from, bytes);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return false;
        from += n;
        bytes -= (uint64_t)n;
    }
    return true;
}

bool buffer_can_save(const char *path, struct rp_error *err)
{
    struct stat st;
    if (stat(path, &st) == 0 && !S_ISREG(st.st_mode))
        return rp_fail(err, RP_USAGE, "cannot save to '%s': it exists and is not a regular file", path);
    char *copy = plan_copy(path), *folder = dirname(copy);
    bool ok =
        access(folder, W_OK | X_OK) == 0 || rp_fail(err, RP_USAGE, "cannot save to '%s': %s", path, strerror(errno));
    free(copy);
    return ok;
}

bool buffer_save(const struct plan_buffer *b, struct rp_context *c, const char *path, struct rp_error *err)
{
    const void *content = rp_host(c, b->address, b->bytes);
    char *name;
    if (asprintf(&name, "%s.XXXXXX", path) < 0)
        return rp_fail(err, RP_SYSTEM, "out of memory while saving %s", b->name);
    int fd = mkostemp(name, O_CLOEXEC);
    if (fd < 0) {
        rp_fail(err, RP_SYSTEM, "cannot save %s to '%s': %s", b->name, path, strerror(errno));
        free(name);
        return false;
    }
    cleanup_register(CLEANUP_SAVE, name);
    mode_t mask = umask(0);
    umask(mask);
    bool ok = write_all(fd, content, b->bytes) && fchmod(fd, 0666 & ~mask) == 0;
    ok = close(fd) == 0 && ok;
    if (!ok || rename(name, path) != 0) {
        ok = rp_fail(err, RP_SYSTEM, "cannot save %s to '%s': %s", b->name, path, strerror(errno));
        unlink(name);
    }
    cleanup_register(CLEANUP_SAVE, NULL);
    free(name);
    return ok;
}
