/* A real GPU beside the engine: linked into a test's program with --wrap, it repeats each launch of the test on the GPU
 * with the same code, parameters and device memory, and compares what both leave, bit for bit.
 *
 * Machine code for sm_90 is repeated as it is, PTX as the driver compiles it, a kernel at a time. Left out are launches
 * that fail in the engine, and those that need what only the engine has (grid barriers, host memory).
 *
 * GPU_RESULTS is the folder for what is found; without it nothing is repeated. Each process adds to
 *   found.PID       a line for each launch that differs, and at the end how much was compared
 *   kernel-HASH.ptx the PTX of a kernel that differs
 * GPU_PART=I/N repeats the I-th of N parts of the kernels. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "frontend/host/internal.h"
#include "frontend/host/launch.h"
#include "tests/hardware/gpu.h"
#include "tests/hardware/images.h"
#include "tests/hardware/rig_cubin.h"

enum { MODULES = 4096, SHOWN = 6, MOST_BYTES = 128 << 20, LINES_PER_KERNEL = 4, MOST_FAULTS = 30, SMALL_MODULE = 40 };

bool __real_rp_launch_kernel(struct rp_device *, struct program *, const struct rp_launch_config *,
                             struct rp_launch_result *, struct rp_error *);
struct module *__real_module_load_bytes(const char *, const void *, size_t, uint64_t, struct rp_error *);
struct module *__real_ptx_load_text(const char *, const char *, uint64_t, uint64_t, struct rp_error *);

/* ---- the bytes of modules ---------------------------------------------------------------------------------------- */

static struct source {
    const struct module *module;
    uint64_t identity;
    char *bytes; /* a 0 behind them */
    size_t size;
} sources[MODULES];
static unsigned next_source;

static void keep_source(const struct module *m, const void *bytes, size_t size)
{
    struct source *s = &sources[next_source++ % MODULES];
    if (!m || !getenv("GPU_RESULTS"))
        return;
    free(s->bytes);
    *s = (struct source){m, m->identity, malloc(size + 1), size};
    memcpy(s->bytes, bytes, size);
    s->bytes[size] = 0;
}

static const struct source *source_of(const struct program *p)
{
    for (unsigned i = 0; i < MODULES; i++) {
        const struct source *s = &sources[(next_source - 1 - i) % MODULES];
        const struct module *m = s->bytes ? s->module : NULL;
        if (m && m->identity == s->identity && p >= m->programs && p < m->programs + m->program_count)
            return s;
    }
    return NULL;
}

struct module *__wrap_module_load_bytes(const char *path, const void *bytes, size_t size, uint64_t base,
                                        struct rp_error *err);
struct module *__wrap_module_load_bytes(const char *path, const void *bytes, size_t size, uint64_t base,
                                        struct rp_error *err)
{
    struct module *m = __real_module_load_bytes(path, bytes, size, base, err);
    keep_source(m, bytes, size);
    return m;
}

struct module *__wrap_ptx_load_text(const char *name, const char *text, uint64_t size, uint64_t base,
                                    struct rp_error *err);
struct module *__wrap_ptx_load_text(const char *name, const char *text, uint64_t size, uint64_t base,
                                    struct rp_error *err)
{
    struct module *m = __real_ptx_load_text(name, text, size, base, err);
    keep_source(m, text, size);
    return m;
}

/* ---- what is found ----------------------------------------------------------------------------------------------- */

static FILE *found;
static struct {
    uint64_t launches, words, differ, engine_fails, refused, faults, left_out;
} totals;

static void end(void)
{
    fprintf(found,
            "TOTAL launches %" PRIu64 " words %" PRIu64 " differ %" PRIu64 " engine-fails %" PRIu64 " refused %" PRIu64
            " faults %" PRIu64 " left-out %" PRIu64 "\n",
            totals.launches, totals.words, totals.differ, totals.engine_fails, totals.refused, totals.faults,
            totals.left_out);
    fclose(found);
}

static bool judged(void)
{
    const char *folder = getenv("GPU_RESULTS"), *why;
    char path[1024];
    if (found || !folder)
        return found;
    snprintf(path, sizeof path, "%s/found.%d", folder, (int)getpid());
    if (!(found = fopen(path, "w"))) {
        perror(path);
        exit(1);
    }
    setvbuf(found, NULL, _IOLBF, 0);
    atexit(end);
    const char *gpu = gpu_open(&why);
    if (!gpu) {
        fprintf(found, "NO GPU %s\n", why);
        exit(1);
    }
    fprintf(found, "GPU %s, program %s\n", gpu, program_invocation_short_name);
    return true;
}

static uint64_t hash_of(const char *text, size_t n)
{
    uint64_t h = 0xcbf29ce484222325ull;
    for (size_t i = 0; i < n; i++)
        h = (h ^ (unsigned char)text[i]) * 0x100000001b3ull;
    return h;
}

static bool in_my_part(uint64_t hash)
{
    unsigned i, n;
    const char *part = getenv("GPU_PART");
    return !part || sscanf(part, "%u/%u", &i, &n) != 2 || !n || hash % n == i % n;
}

/* ---- kernels ----------------------------------------------------------------------------------------------------- */

#define ENTRY ".visible .entry "

/* The PTX of one kernel: what stands before the first kernel, and from this kernel to the next. NULL: it has another
 * form. */
static char *one_kernel(const char *text, const char *name)
{
    const char *first = strstr(text, ENTRY), *at = first;
    size_t n = strlen(name);
    while (at && (strncmp(at + strlen(ENTRY), name, n) || !strchr(" (\n", at[strlen(ENTRY) + n])))
        at = strstr(at + 1, ENTRY);
    if (!at)
        return NULL;
    const char *next = strstr(at + 1, ENTRY);
    size_t head = (size_t)(first - text), length = next ? (size_t)(next - at) : strlen(at);
    char *kernel = malloc(head + length + 1);
    memcpy(kernel, text, head);
    memcpy(kernel + head, at, length);
    kernel[head + length] = 0;
    return kernel;
}

struct subject {
    const char *name;
    const struct source *source;
    char *code; /* what the GPU loads; freed */
    uint64_t hash;   /* of the kernel */
    uint64_t module; /* which module the GPU loads */
    bool is_ptx;
};

static bool subject_of(struct subject *s, const struct program *p)
{
    s->source = source_of(p);
    if (!s->source)
        return false;
    const struct module *m = s->source->module;
    s->name = p->name;
    s->is_ptx = !m->machine_code;
    if (s->is_ptx) {
        s->code = one_kernel(s->source->bytes, p->name);
        s->hash = s->module = s->code ? hash_of(s->code, strlen(s->code)) : m->identity;
        if (!s->code || m->program_count <= SMALL_MODULE) { /* its kernels may share variables and functions */
            free(s->code);
            s->code = strdup(s->source->bytes);
            s->module = strstr(s->code, ".global .") ? m->identity : hash_of(s->code, strlen(s->code));
        }
        return true;
    }
    if (!m->target || m->target->sm != 90)
        return false;
    s->hash = hash_of(s->source->bytes, s->source->size) + hash_of(p->name, strlen(p->name));
    s->module = m->identity;
    if (is_rig_cubin(s->source->bytes, s->source->size))
        return (s->code = rig_cubin(p));
    s->code = malloc(s->source->size);
    memcpy(s->code, s->source->bytes, s->source->size);
    return true;
}

static void keep_kernel(const struct subject *s)
{
    char path[1024];
    snprintf(path, sizeof path, "%s/kernel-%016" PRIx64 ".ptx", getenv("GPU_RESULTS"), s->hash);
    FILE *f = s->is_ptx ? fopen(path, "w") : NULL;
    char *text = f ? one_kernel(s->source->bytes, s->name) : NULL;
    if (f) {
        fputs(text ? text : s->code, f);
        fclose(f);
    }
    free(text);
}

/* ---- memory ------------------------------------------------------------------------------------------------------ */

enum { BUFFERS = 16384 };
struct buffer {
    uint64_t base, size;
    uint8_t *host;
};
/* What the device holds: its range of addresses before a launch, and what the GPU leaves there. */
struct memory_image {
    struct buffer buffers[BUFFERS];
    unsigned count;
    uint64_t base, bytes;
    uint8_t *before, *gpu; /* MOST_BYTES + 8 each */
};

static bool take_image(struct memory_image *image, const struct rp_device *d)
{
    const struct memory *m = &d->memory;
    const struct allocation *a = memory_from(m, 0);
    image->count = 0;
    image->base = a ? a->base : 0;
    image->bytes = 0;
    if (!image->before) {
        image->before = calloc(1, MOST_BYTES + 8);
        image->gpu = calloc(1, MOST_BYTES + 8);
    }
    for (; a; a = memory_from(m, a->base + 1)) {
        uint64_t at = a->base - image->base;
        if (a->kind != ALLOCATION_BUFFER || images_hold(d, a->base))
            continue;
        if (!image->count)
            image->base = a->base, at = 0;
        if (image->count == BUFFERS || at + a->size > MOST_BYTES)
            return false;
        image->buffers[image->count++] = (struct buffer){a->base, a->size, a->host};
        memcpy(image->before + at, a->host, a->size);
        image->bytes = (at + a->size + 7) & ~7ull;
    }
    return true;
}

/* Adds `by` to the words that point from `from` on into the image. */
static void move_pointers(const struct memory_image *image, uint8_t *bytes, size_t size, uint64_t from, int64_t by)
{
    for (size_t i = 0; by && i + 8 <= size; i += 8) {
        uint64_t v;
        memcpy(&v, bytes + i, 8);
        if (v - from < image->bytes)
            v += (uint64_t)by, memcpy(bytes + i, &v, 8);
    }
}

static bool upload(struct memory_image *image)
{
    if (!image->bytes)
        return true;
    if (!gpu_map(image->base, image->bytes))
        return false;
    memcpy(image->gpu, image->before, image->bytes);
    move_pointers(image, image->gpu, image->bytes, image->base, gpu_moved());
    return gpu_write(image->base, image->gpu, image->bytes);
}

static bool download(struct memory_image *image)
{
    if (!image->bytes)
        return true;
    bool ok = gpu_read(image->base, image->gpu, image->bytes);
    move_pointers(image, image->gpu, image->bytes, image->base + (uint64_t)gpu_moved(), -gpu_moved());
    return ok;
}

/* ---- comparison -------------------------------------------------------------------------------------------------- */

/* How two words differ. */
enum difference { SAME, BOTH_NAN, NEAR_SINGLE, OTHER, DIFFERENCES };
static const char *const difference_names[DIFFERENCES] = {"same", "nan", "near", "other"};

static bool nan_half(uint32_t v) { return (v & 0x7fff) > 0x7c00; }
static bool nan_brain(uint32_t v) { return (v & 0x7fff) > 0x7f80; }
static bool nan_single(uint32_t v) { return (v & 0x7fffffff) > 0x7f800000; }
static bool nan_double(uint64_t v) { return (v & INT64_MAX) > 0x7ff0000000000000; }

static bool nan_pair(uint32_t x, uint32_t y, bool is_nan(uint32_t))
{
    bool low = (x & 0xffff) == (y & 0xffff) || (is_nan(x) && is_nan(y));
    bool high = x >> 16 == y >> 16 || (is_nan(x >> 16) && is_nan(y >> 16));
    return low && high;
}

static enum difference difference(const uint8_t *engine, const uint8_t *gpu, size_t at, size_t size)
{
    uint32_t x = 0, y = 0;
    uint64_t p = 0, q = 0;
    memcpy(&x, engine + at, size - at < 4 ? size - at : 4);
    memcpy(&y, gpu + at, size - at < 4 ? size - at : 4);
    if (x == y)
        return SAME;
    memcpy(&p, engine + (at & ~7ul), 8);
    memcpy(&q, gpu + (at & ~7ul), 8);
    if ((nan_single(x) && nan_single(y)) || (nan_double(p) && nan_double(q)) || nan_pair(x, y, nan_half) ||
        nan_pair(x, y, nan_brain))
        return BOTH_NAN;
    return (x ^ y) >> 31 == 0 && (x - y + 8 <= 16) ? NEAR_SINGLE : OTHER;
}

static unsigned lines_of(uint64_t hash)
{
    static struct {
        uint64_t hash;
        unsigned lines;
    } seen[1 << 14];
    unsigned i = hash % (1 << 14);
    if (seen[i].hash != hash)
        seen[i].hash = hash, seen[i].lines = 0;
    return seen[i].lines++;
}

/* GPU_DUMP names the buffer of which all words are kept that are not 0, as both have them. */
static void dump(const struct subject *s, const struct memory_image *image)
{
    static FILE *values;
    char path[1024];
    const char *which = getenv("GPU_DUMP");
    unsigned b = which ? (unsigned)atoi(which) : image->count;
    if (b >= image->count)
        return;
    snprintf(path, sizeof path, "%s/values.%d", getenv("GPU_RESULTS"), (int)getpid());
    if (!values && !(values = fopen(path, "w")))
        return;
    const struct buffer *buffer = &image->buffers[b];
    for (unsigned side = 0; side < 2; side++) {
        const uint8_t *from = side ? image->gpu + (buffer->base - image->base) : buffer->host;
        size_t count = buffer->size / 4;
        fprintf(values, "%s %016" PRIx64 " %s", s->name, s->hash, side ? "gpu" : "engine");
        for (size_t i = 0; i < count; i++) {
            uint32_t v;
            memcpy(&v, from + 4 * i, 4);
            if (v)
                fprintf(values, " %zx:%x", i, v);
        }
        fputc('\n', values);
    }
    fflush(values);
}

/* A number that grows with the float, of 32 bits or of 16. */
static int64_t place(uint32_t bits, bool half)
{
    uint32_t sign = half ? 0x8000 : 0x80000000, magnitude = bits & (sign - 1);
    return bits & sign ? -(int64_t)magnitude : (int64_t)magnitude;
}

/* GPU_DIFFERENCES names the buffer of floats of which the distance of the GPU's from the engine's is kept, in units in the
 * last place: a signed byte each; -128: it is greater, and the GPU's four bytes follow. Two NaNs are the same. Kernels that
 * begin with h have 16 bits in each word. */
static void keep_differences(const struct subject *s, const struct memory_image *image)
{
    char path[1024];
    const char *which = getenv("GPU_DIFFERENCES");
    unsigned b = which ? (unsigned)atoi(which) : image->count;
    if (b >= image->count)
        return;
    snprintf(path, sizeof path, "%s/differences.%s", getenv("GPU_RESULTS"), s->name);
    FILE *f = fopen(path, "w");
    const struct buffer *buffer = &image->buffers[b];
    const uint8_t *from = image->gpu + (buffer->base - image->base);
    bool half = *s->name == 'h';
    for (size_t i = 0; f && i < buffer->size; i += 4) {
        uint32_t x, y;
        memcpy(&x, buffer->host + i, 4);
        memcpy(&y, from + i, 4);
        bool nans = half ? nan_half(x) && nan_half(y) && !strstr(s->name, "bf16") : nan_single(x) && nan_single(y);
        int64_t d = nans ? 0 : place(y, half) - place(x, half);
        bool far = d < -127 || d > 127 || (x != y && !d && !nans);
        fputc(far ? 128 : (int)(d & 255), f);
        if (far)
            fwrite(&y, 4, 1, f);
    }
    if (f)
        fclose(f);
}

static void report(const struct subject *s, const struct memory_image *image)
{
    uint64_t count[DIFFERENCES] = {0};
    char shown[SHOWN * 80] = "";
    unsigned shown_count = 0;
    size_t n = 0;
    for (unsigned b = 0; b < image->count; b++) {
        const struct buffer *buffer = &image->buffers[b];
        const uint8_t *before = image->before + (buffer->base - image->base), *gpu = image->gpu + (buffer->base - image->base);
        for (size_t at = 0; at < buffer->size; at += 4) {
            enum difference d = difference(buffer->host, gpu, at, buffer->size);
            count[d]++;
            bool show = d && shown_count < SHOWN && (d != NEAR_SINGLE || count[d] < 3) && (d != BOTH_NAN || count[d] < 3);
            if (!show)
                continue;
            uint32_t x = 0, y = 0, was = 0;
            memcpy(&x, buffer->host + at, 4);
            memcpy(&y, gpu + at, 4);
            memcpy(&was, before + at, 4);
            n += (size_t)snprintf(shown + n, sizeof shown - n, " [%u+%#zx] %08x engine %08x gpu %08x;", b, at, was, x, y);
            shown_count++;
        }
    }
    totals.words += count[SAME] + count[BOTH_NAN] + count[NEAR_SINGLE] + count[OTHER];
    if (!shown_count)
        return;
    totals.differ++;
    if (lines_of(s->hash) >= LINES_PER_KERNEL)
        return;
    keep_kernel(s);
    fprintf(found, "DIFFERS %s %016" PRIx64 " %s", s->is_ptx ? "ptx" : "sass", s->hash, s->name);
    for (unsigned d = 1; d < DIFFERENCES; d++)
        fprintf(found, " %s %" PRIu64, difference_names[d], count[d]);
    fprintf(found, " of %" PRIu64 ":%s\n", count[SAME] + count[BOTH_NAN] + count[NEAR_SINGLE] + count[OTHER], shown);
}

static void report_images(struct rp_device *d, const struct subject *s)
{
    uint64_t texels = 0, differ = images_differ(d, &texels);
    totals.words += texels;
    if (differ && lines_of(s->hash + 2) < LINES_PER_KERNEL) {
        totals.differ++;
        keep_kernel(s);
        fprintf(found, "DIFFERS ptx %016" PRIx64 " %s texels %" PRIu64 " of %" PRIu64 "\n", s->hash, s->name, differ, texels);
    }
}

/* ---- launches ---------------------------------------------------------------------------------------------------- */

static void complain(const struct subject *s, const char *what, const char *why)
{
    if (lines_of(s->hash + 1))
        return;
    keep_kernel(s);
    fprintf(found, "%s %s %016" PRIx64 " %s: ", what, s->is_ptx ? "ptx" : "sass", s->hash, s->name);
    for (; *why; why++)
        fputc(*why == '\n' ? ' ' : *why, found);
    fputc('\n', found);
}

static void repeat(struct rp_device *d, const struct subject *s, const struct program *p, const struct rp_launch_config *c,
                   struct memory_image *image)
{
    const char *why = "memory";
    uint8_t params[8192] = {0};
    void *kernel = gpu_kernel(s->module, s->name, s->code, &why);
    struct gpu_launch l = {.dynamic_shared = c->dynamic_shared, .params = params, .parameter_bytes = p->parameter_bytes};
    if (!kernel || p->parameter_bytes > sizeof params) {
        totals.refused++;
        complain(s, "REFUSED", why);
        return;
    }
    memcpy(l.grid, c->grid, sizeof l.grid);
    memcpy(l.block, c->block, sizeof l.block);
    memcpy(l.cluster, c->cluster, sizeof l.cluster);
    if (!upload(image)) {
        totals.refused++;
        complain(s, "REFUSED", "no memory");
        return;
    }
    if (p->parameter_bytes)
        memcpy(params, c->params, p->parameter_bytes);
    move_pointers(image, params, sizeof params, image->base, gpu_moved());
    if ((why = images_place(d, params, p->parameter_bytes))) {
        totals.refused++;
        complain(s, "REFUSED", why);
        return;
    }
    enum gpu_status status = gpu_launch(kernel, &l, &why);
    if (status == GPU_FINE && download(image)) {
        totals.launches++;
        dump(s, image);
        keep_differences(s, image);
        report_images(d, s);
        report(s, image);
        return;
    }
    status == GPU_REFUSED ? totals.refused++ : totals.faults++;
    complain(s, status == GPU_REFUSED ? "REFUSED" : status == GPU_HANGS ? "HANGS" : "FAULT", why);
}

bool __wrap_rp_launch_kernel(struct rp_device *d, struct program *p, const struct rp_launch_config *c,
                             struct rp_launch_result *r, struct rp_error *err);
bool __wrap_rp_launch_kernel(struct rp_device *d, struct program *p, const struct rp_launch_config *c,
                             struct rp_launch_result *r, struct rp_error *err)
{
    static struct memory_image image;
    struct subject s = {0};
    if (!judged() || !subject_of(&s, p))
        return __real_rp_launch_kernel(d, p, c, r, err);
    if (!in_my_part(s.hash) || c->workspace || p->narrow || totals.faults > MOST_FAULTS) {
        totals.left_out++;
        free(s.code);
        return __real_rp_launch_kernel(d, p, c, r, err);
    }
    bool taken = take_image(&image, d) && images_take(d);
    bool ok = __real_rp_launch_kernel(d, p, c, r, err);
    if (!ok)
        totals.engine_fails++;
    else if (!taken)
        totals.left_out++;
    else
        repeat(d, &s, p, c, &image);
    images_drop();
    free(s.code);
    return ok;
}
