#include "tests/hardware/found.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tests/hardware/gpu.h"

enum { SHOWN = 6, SHOWN_TEXT = 96, LINES_PER_KERNEL = 4, PATH = 1024 };

/* ---- what is found ----------------------------------------------------------------------------------------------- */

static FILE *found;
struct found_totals found_totals;

static void end(void)
{
    fprintf(found,
            "TOTAL launches %" PRIu64 " words %" PRIu64 " differ %" PRIu64 " engine-fails %" PRIu64 " refused %" PRIu64
            " faults %" PRIu64 " left-out %" PRIu64 "\n",
            found_totals.launches, found_totals.words, found_totals.differ, found_totals.engine_fails,
            found_totals.refused, found_totals.faults, found_totals.left_out);
    fclose(found);
}

bool found_begin(void)
{
    const char *folder = getenv("GPU_RESULTS"), *why;
    char path[PATH];
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

static const char *kind_of(const struct subject *s) { return s->ptx ? "ptx" : "sass"; }

static void keep_kernel(const struct subject *s)
{
    char path[PATH], *text = subject_text(s);
    snprintf(path, sizeof path, "%s/kernel-%016" PRIx64 ".ptx", getenv("GPU_RESULTS"), s->hash);
    FILE *f = text ? fopen(path, "w") : NULL;
    if (f) {
        fputs(text, f);
        fclose(f);
    }
    free(text);
}

/* ---- words that differ ------------------------------------------------------------------------------------------- */

enum difference { SAME, BOTH_NAN, NEAR_SINGLE, OTHER, DIFFERENCES };
static const char *const difference_names[DIFFERENCES] = {"same", "nan", "near", "other"};
enum { NEAR_UNITS = 8 };

static bool nan_half(uint32_t v) { return (v & 0x7fff) > 0x7c00; }
static bool nan_brain(uint32_t v) { return (v & 0x7fff) > 0x7f80; }
static bool nan_single(uint32_t v) { return (v & 0x7fffffff) > 0x7f800000; }
static bool nan_double(uint64_t v) { return (v & INT64_MAX) > 0x7ff0000000000000; }

/* A number that grows with the float, of 32 bits or of 16. */
static int64_t place(uint32_t bits, bool half)
{
    uint32_t sign = half ? 0x8000 : 0x80000000, magnitude = bits & (sign - 1);
    return bits & sign ? -(int64_t)magnitude : (int64_t)magnitude;
}

static bool nans_of_16_bits(uint32_t x, uint32_t y, bool is_nan(uint32_t))
{
    bool low = (x & 0xffff) == (y & 0xffff) || (is_nan(x) && is_nan(y));
    bool high = x >> 16 == y >> 16 || (is_nan(x >> 16) && is_nan(y >> 16));
    return low && high;
}

/* Reads a word from a buffer. Bytes beyond its end read as 0. */
static uint64_t word_at(const uint8_t *bytes, size_t at, size_t width, size_t size)
{
    uint64_t v = 0;
    memcpy(&v, bytes + at, size - at < width ? size - at : width);
    return v;
}

static enum difference difference(const uint8_t *engine, const uint8_t *gpu, size_t at, size_t size)
{
    uint32_t x = (uint32_t)word_at(engine, at, 4, size), y = (uint32_t)word_at(gpu, at, 4, size);
    if (x == y)
        return SAME;
    bool doubles = nan_double(word_at(engine, at & ~7ul, 8, size)) && nan_double(word_at(gpu, at & ~7ul, 8, size));
    if (doubles || (nan_single(x) && nan_single(y)) || nans_of_16_bits(x, y, nan_half) ||
        nans_of_16_bits(x, y, nan_brain))
        return BOTH_NAN;
    return llabs(place(x, false) - place(y, false)) <= NEAR_UNITS ? NEAR_SINGLE : OTHER;
}

/* ---- on request, whole buffers ----------------------------------------------------------------------------------- */

static const uint8_t *gpu_side(const struct memory_image *image, const struct image_buffer *b)
{
    return image->gpu + (b->base - image->base);
}

/* The buffer whose number an environment variable has; NULL: none. */
static const struct image_buffer *requested(const struct memory_image *image, const char *variable)
{
    const char *number = getenv(variable);
    unsigned long b = number ? strtoul(number, NULL, 10) : IMAGE_BUFFERS;
    return b < image->count ? &image->buffers[b] : NULL;
}

static void print_values(FILE *f, const struct subject *s, const char *side, const uint8_t *from, size_t size)
{
    const char *label = getenv("GPU_LABEL"); /* set by programs whose kernels all have one name */
    fprintf(f, "%s %016" PRIx64 " %s", label ? label : s->name, s->hash, side);
    for (size_t i = 0; i < size / 4; i++) {
        uint32_t v = (uint32_t)word_at(from, 4 * i, 4, size);
        if (v)
            fprintf(f, " %zx:%x", i, v);
    }
    fputc('\n', f);
}

/* GPU_VALUES: all words that are not 0, of both. */
static void keep_values(const struct subject *s, const struct memory_image *image)
{
    static FILE *f;
    char path[PATH];
    const struct image_buffer *b = requested(image, "GPU_VALUES");
    snprintf(path, sizeof path, "%s/values.%d", getenv("GPU_RESULTS"), (int)getpid());
    if (!b || (!f && !(f = fopen(path, "w"))))
        return;
    print_values(f, s, "engine", b->host, b->size);
    print_values(f, s, "gpu", gpu_side(image, b), b->size);
    fflush(f);
}

/* GPU_DISTANCES: of floats, how many units in the last place the GPU's lie above the engine's, a signed byte each;
 * -128: it does not fit, and the GPU's four bytes follow. Two NaNs are the same. Kernels whose names begin with h leave
 * 16 bits in each word. */
static void keep_distances(const struct subject *s, const struct memory_image *image)
{
    char path[PATH];
    const struct image_buffer *b = requested(image, "GPU_DISTANCES");
    snprintf(path, sizeof path, "%s/distances.%s", getenv("GPU_RESULTS"), s->name);
    FILE *f = b ? fopen(path, "w") : NULL;
    bool half = *s->name == 'h', (*is_nan)(uint32_t) = !half                     ? nan_single
                                                       : strstr(s->name, "bf16") ? nan_brain
                                                                                 : nan_half;
    for (size_t i = 0; f && i < b->size; i += 4) {
        uint32_t x = (uint32_t)word_at(b->host, i, 4, b->size),
                 y = (uint32_t)word_at(gpu_side(image, b), i, 4, b->size);
        int64_t d = is_nan(x) && is_nan(y) ? 0 : place(y, half) - place(x, half);
        bool far = llabs(d) > 127 || (!d && x != y && !is_nan(x));
        fputc(far ? 128 : (int)(d & 255), f);
        if (far)
            fwrite(&y, 4, 1, f);
    }
    if (f)
        fclose(f);
}

/* ---- memory ------------------------------------------------------------------------------------------------------ */

/* How many lines a kernel had before. */
static unsigned lines_of(uint64_t hash)
{
    enum { SLOTS = 1 << 14 };
    static struct {
        uint64_t hash;
        unsigned lines;
    } seen[SLOTS];
    unsigned i = hash % SLOTS;
    if (seen[i].hash != hash)
        seen[i].hash = hash, seen[i].lines = 0;
    return seen[i].lines++;
}

struct count {
    uint64_t words[DIFFERENCES];
    unsigned shown;
    size_t length;
    char text[SHOWN * SHOWN_TEXT];
};

/* The first words are shown; of NaNs and of near ones two. */
static void count_buffer(struct count *c, const struct memory_image *image, unsigned number)
{
    const struct image_buffer *b = &image->buffers[number];
    const uint8_t *before = image->before + (b->base - image->base), *gpu = gpu_side(image, b);
    for (size_t at = 0; at < b->size; at += 4) {
        enum difference d = difference(b->host, gpu, at, b->size);
        c->words[d]++;
        if (d == SAME || c->shown == SHOWN || (d != OTHER && c->words[d] > 2))
            continue;
        c->shown++;
        c->length +=
            (size_t)snprintf(c->text + c->length, sizeof c->text - c->length, " [%u+%#zx] %08x engine %08x gpu %08x;",
                             number, at, (uint32_t)word_at(before, at, 4, b->size),
                             (uint32_t)word_at(b->host, at, 4, b->size), (uint32_t)word_at(gpu, at, 4, b->size));
    }
}

void found_memory(const struct subject *s, const struct memory_image *image)
{
    static struct count c;
    uint64_t all = 0;
    c = (struct count){.shown = 0};
    keep_values(s, image);
    keep_distances(s, image);
    for (unsigned b = 0; b < image->count; b++)
        count_buffer(&c, image, b);
    for (unsigned d = 0; d < DIFFERENCES; d++)
        all += c.words[d];
    found_totals.words += all;
    found_totals.differ += c.words[SAME] != all;
    if (c.words[SAME] == all || lines_of(s->hash) >= LINES_PER_KERNEL)
        return;
    keep_kernel(s);
    fprintf(found, "DIFFERS %s %016" PRIx64 " %s", kind_of(s), s->hash, s->name);
    for (unsigned d = BOTH_NAN; d < DIFFERENCES; d++)
        fprintf(found, " %s %" PRIu64, difference_names[d], c.words[d]);
    fprintf(found, " of %" PRIu64 ":%s\n", all, c.text);
}

void found_texels(const struct subject *s, uint64_t differ, uint64_t of)
{
    found_totals.words += of;
    found_totals.differ += differ != 0;
    if (!differ || lines_of(s->hash + 2) >= LINES_PER_KERNEL)
        return;
    keep_kernel(s);
    fprintf(found, "DIFFERS %s %016" PRIx64 " %s texels %" PRIu64 " of %" PRIu64 "\n", kind_of(s), s->hash, s->name,
            differ, of);
}

void found_trouble(const struct subject *s, enum gpu_status status, const char *why)
{
    static const char *const names[] = {"UNREAD", "REFUSED", "FAULT", "HANGS"};
    status == GPU_REFUSED ? found_totals.refused++ : found_totals.faults++;
    if (lines_of(s->hash + 1))
        return;
    keep_kernel(s);
    fprintf(found, "%s %s %016" PRIx64 " %s: ", names[status], kind_of(s), s->hash, s->name);
    for (; *why; why++)
        fputc(*why == '\n' ? ' ' : *why, found);
    fputc('\n', found);
}
