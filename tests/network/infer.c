#include "infer.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tools/host/reprise.h"

enum { TILE = 16, SOFTMAX_THREADS = 64 };

/* A batch in one precision; every array is of floats or of doubles. */
struct batch {
    bool wide;
    size_t real; /* bytes */
    uint32_t images;
    void *weights[LAYERS], *bias[LAYERS];
    void *expected[STAGES], *got[STAGES];
};

static void batch_free(struct batch *b)
{
    for (int l = 0; l < LAYERS; l++) {
        free(b->weights[l]);
        free(b->bias[l]);
    }
    for (int s = 0; s < STAGES; s++) {
        free(b->expected[s]);
        free(b->got[s]);
    }
}

static void *reals(const struct batch *b, const float *from, size_t count)
{
    void *to = malloc(count * b->real);
    float *narrow = to;
    double *wide = to;
    for (size_t i = 0; to && i < count; i++) {
        if (b->wide)
            wide[i] = (double)from[i];
        else
            narrow[i] = from[i];
    }
    return to;
}

static bool batch_fill(struct batch *b, const struct model *m, const struct dataset *d)
{
    bool ok = true;
    for (int l = 0; l < LAYERS; l++) {
        b->weights[l] = reals(b, m->weights[l], (size_t)width[l] * width[l + 1]);
        b->bias[l] = reals(b, m->bias[l], width[l + 1]);
        ok = ok && b->weights[l] && b->bias[l];
    }
    for (uint32_t s = 0; s < STAGES; s++) {
        b->expected[s] = calloc((size_t)b->images * stage_width(s), b->real);
        b->got[s] = calloc((size_t)b->images * stage_width(s), b->real);
        ok = ok && b->expected[s] && b->got[s];
    }
    if (!ok)
        return false;
    if (b->wide)
        forward_f64(m, d->pixels, b->images, (double *const *)b->expected);
    else
        forward_f32(m, d->pixels, b->images, (float *const *)b->expected);
    memcpy(b->got[0], b->expected[0], (size_t)b->images * PIXELS * b->real);
    return true;
}

static size_t stage_bytes(const struct batch *b, uint32_t stage)
{
    return (size_t)b->images * stage_width(stage) * b->real;
}

static struct reprise_launch dense(const struct batch *b, uint32_t l)
{
    uint32_t in = width[l], out = width[l + 1];
    return (struct reprise_launch){
        .kernel = b->wide ? "dense_f64" : "dense_f32",
        .grid = {(out + TILE - 1) / TILE, (b->images + TILE - 1) / TILE},
        .block = {TILE, TILE},
        .args = {reprise_in(b->got[l], stage_bytes(b, l)), reprise_in(b->weights[l], (size_t)in * out * b->real),
                 reprise_in(b->bias[l], out * b->real), reprise_out(b->got[l + 1], stage_bytes(b, l + 1)),
                 reprise_u32(b->images), reprise_u32(in), reprise_u32(out), reprise_i32(l + 1 < LAYERS)}};
}

static struct reprise_launch softmax(const struct batch *b)
{
    return (struct reprise_launch){.kernel = b->wide ? "softmax_f64" : "softmax_f32",
                                   .grid = {(b->images + SOFTMAX_THREADS - 1) / SOFTMAX_THREADS},
                                   .block = {SOFTMAX_THREADS},
                                   .args = {reprise_in(b->got[LAYERS], stage_bytes(b, LAYERS)),
                                            reprise_out(b->got[LAYERS + 1], stage_bytes(b, LAYERS + 1)),
                                            reprise_u32(b->images), reprise_u32(CLASSES)}};
}

static bool run(const struct inference *how, const struct batch *b, struct comparison *c, struct rp_error *err)
{
    struct reprise_options options = {.module = how->module, .machine = how->machine, .trace = how->trace};
    struct reprise *gpu = reprise_open(&options, err);
    bool ok = gpu;
    for (uint32_t l = 0; ok && l <= LAYERS; l++) {
        struct reprise_launch launch = l < LAYERS ? dense(b, l) : softmax(b);
        struct reprise_result result;
        ok = reprise_run(gpu, &launch, &result, err);
        c->cycles[l] = result.cycles;
        c->total_cycles += result.cycles;
        c->microseconds += result.microseconds;
    }
    return reprise_close(gpu, ok ? err : NULL) && ok;
}

static double probability(const struct batch *b, const void *of, size_t i)
{
    return b->wide ? ((const double *)of)[i] : (double)((const float *)of)[i];
}

static uint32_t class_of(const struct batch *b, const void *probabilities, uint32_t image)
{
    uint32_t best = 0;
    for (uint32_t c = 1; c < CLASSES; c++)
        if (probability(b, probabilities, image * CLASSES + c) > probability(b, probabilities, image * CLASSES + best))
            best = c;
    return best;
}

static void compare(const struct batch *b, const struct dataset *d, struct comparison *c)
{
    for (uint32_t s = 1; s <= LAYERS; s++)
        for (size_t i = 0; i < stage_bytes(b, s); i += b->real)
            c->different += memcmp((char *)b->got[s] + i, (char *)b->expected[s] + i, b->real) != 0;
    const void *got = b->got[LAYERS + 1], *expected = b->expected[LAYERS + 1];
    for (uint32_t image = 0; image < b->images; image++) {
        uint32_t class = class_of(b, got, image);
        c->same_class += class == class_of(b, expected, image);
        c->right += class == d->labels[image];
    }
    for (size_t i = 0; i < (size_t)b->images * CLASSES; i++) {
        double by = fabs(probability(b, got, i) - probability(b, expected, i));
        if (!(by <= c->difference)) /* a NaN is a difference, too */
            c->difference = by;
    }
}

bool infer(const struct inference *how, const struct model *m, const struct dataset *d, struct comparison *c,
           struct rp_error *err)
{
    struct batch b = {.wide = how->wide, .real = how->wide ? sizeof(double) : sizeof(float), .images = d->count};
    *c = (struct comparison){.images = d->count};
    bool ok = (batch_fill(&b, m, d) || rp_fail(err, RP_SYSTEM, "out of memory for %u images", d->count)) &&
              run(how, &b, c, err);
    if (ok)
        compare(&b, d, c);
    batch_free(&b);
    return ok;
}
