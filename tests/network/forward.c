/* Inference as one would write it for a CPU: a neuron is its bias and then its products, in the order of the inputs. */
#include <math.h>

#include "model.h"

#define FORWARD(name, real, exponential)                                                                               \
    static void name##_dense(const struct model *m, int l, uint32_t images, const real *x, real *y)                    \
    {                                                                                                                  \
        uint32_t in = width[l], out = width[l + 1];                                                                    \
        for (uint32_t image = 0; image < images; image++)                                                              \
            for (uint32_t neuron = 0; neuron < out; neuron++) {                                                        \
                real sum = (real)m->bias[l][neuron];                                                                   \
                for (uint32_t i = 0; i < in; i++)                                                                      \
                    sum = sum + x[(size_t)image * in + i] * (real)m->weights[l][(size_t)i * out + neuron];             \
                y[(size_t)image * out + neuron] = l + 1 < LAYERS && sum < 0 ? 0 : sum;                                 \
            }                                                                                                          \
    }                                                                                                                  \
    static void name##_softmax(uint32_t images, const real *x, real *p)                                                \
    {                                                                                                                  \
        for (uint32_t image = 0; image < images; image++, x += CLASSES, p += CLASSES) {                                \
            real most = x[0], sum = 0;                                                                                 \
            for (int c = 0; c < CLASSES; c++)                                                                          \
                most = x[c] > most ? x[c] : most;                                                                      \
            for (int c = 0; c < CLASSES; c++)                                                                          \
                sum += p[c] = exponential(x[c] - most);                                                                \
            for (int c = 0; c < CLASSES; c++)                                                                          \
                p[c] /= sum;                                                                                           \
        }                                                                                                              \
    }                                                                                                                  \
    void name(const struct model *m, const uint8_t *pixels, uint32_t images, real *const values[STAGES])               \
    {                                                                                                                  \
        for (size_t i = 0; i < (size_t)images * PIXELS; i++)                                                           \
            values[0][i] = (real)pixels[i] / 255;                                                                      \
        for (int l = 0; l < LAYERS; l++)                                                                               \
            name##_dense(m, l, images, values[l], values[l + 1]);                                                      \
        name##_softmax(images, values[LAYERS], values[LAYERS + 1]);                                                    \
    }

FORWARD(forward_f32, float, expf)
FORWARD(forward_f64, double, exp)
