#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "model.h"

#define SEED 2022
#define RATE 0.01f

static uint64_t splitmix64(uint64_t *state)
{
    uint64_t z = *state += 0x9e3779b97f4a7c15u;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return z ^ z >> 31;
}

/* He et al., "Delving Deep into Rectifiers" (2015), eq. 10: variance 2/inputs; here uniform. */
static bool initialise(struct model *m, uint64_t *random)
{
    for (int l = 0; l < LAYERS; l++) {
        size_t count = (size_t)width[l] * width[l + 1];
        m->weights[l] = malloc(count * sizeof *m->weights[l]);
        m->bias[l] = calloc(width[l + 1], sizeof *m->bias[l]);
        if (!m->weights[l] || !m->bias[l])
            return false;
        float most = sqrtf(6 / (float)width[l]);
        for (size_t i = 0; i < count; i++)
            m->weights[l][i] = ((float)(splitmix64(random) >> 40) * 0x1p-23f - 1) * most;
    }
    return true;
}

void model_free(struct model *m)
{
    for (int l = 0; l < LAYERS; l++) {
        free(m->weights[l]);
        free(m->bias[l]);
    }
    *m = (struct model){0};
}

struct activations {
    float value[LAYERS + 1][WIDEST];
    float error[LAYERS + 1][WIDEST]; /* derivative of the loss by the sums of layer l - 1 */
};

static void layer_forward(const struct model *m, int l, const float *x, float *y)
{
    uint32_t out = width[l + 1];
    memcpy(y, m->bias[l], out * sizeof *y);
    for (uint32_t i = 0; i < width[l]; i++) {
        if (x[i] == 0) /* half of the pixels */
            continue;
        const float *w = m->weights[l] + (size_t)i * out;
        for (uint32_t o = 0; o < out; o++)
            y[o] += x[i] * w[o];
    }
    if (l + 1 < LAYERS)
        for (uint32_t o = 0; o < out; o++)
            y[o] = y[o] > 0 ? y[o] : 0;
}

/* The loss; the error of the last layer is probability - wanted. */
static float last_error(const float *x, uint8_t label, float *error)
{
    float most = x[0], sum = 0;
    for (int c = 1; c < CLASSES; c++)
        most = x[c] > most ? x[c] : most;
    for (int c = 0; c < CLASSES; c++)
        sum += error[c] = expf(x[c] - most);
    for (int c = 0; c < CLASSES; c++)
        error[c] = error[c] / sum - (c == label);
    return logf(sum) - (x[label] - most);
}

/* Hands the error down and takes a step against the gradient. */
static void layer_backward(struct model *m, int l, struct activations *a, float rate)
{
    uint32_t out = width[l + 1];
    const float *error = a->error[l + 1], *x = a->value[l];
    for (uint32_t i = 0; i < width[l]; i++) {
        if (x[i] == 0) { /* a pixel without light, or a neuron below its threshold: no gradient either way */
            a->error[l][i] = 0;
            continue;
        }
        float *w = m->weights[l] + (size_t)i * out, sum = 0, step = rate * x[i];
        for (uint32_t o = 0; l && o < out; o++)
            sum += w[o] * error[o];
        a->error[l][i] = sum;
        for (uint32_t o = 0; o < out; o++)
            w[o] -= step * error[o];
    }
    for (uint32_t o = 0; o < out; o++)
        m->bias[l][o] -= rate * error[o];
}

static float learn(struct model *m, const uint8_t *pixels, uint8_t label, struct activations *a, float rate)
{
    for (int i = 0; i < PIXELS; i++)
        a->value[0][i] = (float)pixels[i] / 255;
    for (int l = 0; l < LAYERS; l++)
        layer_forward(m, l, a->value[l], a->value[l + 1]);
    float loss = last_error(a->value[LAYERS], label, a->error[LAYERS]);
    for (int l = LAYERS; l-- > 0;)
        layer_backward(m, l, a, rate);
    return loss;
}

static void shuffle(uint32_t *order, uint32_t count, uint64_t *random)
{
    for (uint32_t i = count; i > 1; i--) {
        uint32_t j = (uint32_t)(splitmix64(random) % i), kept = order[i - 1];
        order[i - 1] = order[j];
        order[j] = kept;
    }
}

bool model_train(struct model *m, const struct dataset *d, uint32_t epochs, void (*epoch_done)(uint32_t, double),
                 struct rp_error *err)
{
    uint64_t random = SEED;
    struct activations *a = malloc(sizeof *a);
    uint32_t *order = malloc((d->count + 1) * sizeof *order);
    *m = (struct model){0};
    bool ok = a && order && initialise(m, &random);
    for (uint32_t i = 0; ok && i < d->count; i++)
        order[i] = i;
    for (uint32_t epoch = 0; ok && epoch < epochs; epoch++) {
        double loss = 0;
        shuffle(order, d->count, &random);
        for (uint32_t i = 0; i < d->count; i++)
            loss += (double)learn(m, d->pixels + (size_t)order[i] * PIXELS, d->labels[order[i]], a,
                                  RATE / (float)(1 + epoch));
        epoch_done(epoch, loss / d->count);
    }
    free(a);
    free(order);
    if (!ok)
        model_free(m);
    return ok || rp_fail(err, RP_SYSTEM, "out of memory for the network");
}
