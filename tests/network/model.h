/* The network: 784 inputs, layers of 128, 64 and 10 neurons, ReLU behind all but the last, softmax at the end. */
#ifndef REPRISE_TESTS_NETWORK_MODEL_H
#define REPRISE_TESTS_NETWORK_MODEL_H

#include "dataset.h"

enum { LAYERS = 3, WIDEST = PIXELS };
static const uint32_t width[LAYERS + 1] = {PIXELS, 128, 64, CLASSES};

struct model {
    float *weights[LAYERS]; /* [input][neuron] */
    float *bias[LAYERS];
};

/* Stochastic gradient descent on the cross entropy, an image at a time in a shuffled order, the rate divided by
 * 1 + epoch. The same arguments give the same weights. Calls `epoch_done` after each epoch with its mean loss. */
bool model_train(struct model *, const struct dataset *, uint32_t epochs, void (*epoch_done)(uint32_t, double),
                 struct rp_error *);
void model_free(struct model *);

/* ---- on the CPU, the answer that kernels are compared with ------------------------------------------------------- */

/* What each layer gives for a batch of images: values[0] the pixels as 0 to 1, values[1..3] the layers' outputs, and
 * values[4] the probabilities; each [image][neuron] in single or double precision. */
enum { STAGES = LAYERS + 2 };
static inline uint32_t stage_width(uint32_t stage) { return stage > LAYERS ? CLASSES : width[stage]; }
void forward_f32(const struct model *, const uint8_t *pixels, uint32_t images, float *const values[STAGES]);
void forward_f64(const struct model *, const uint8_t *pixels, uint32_t images, double *const values[STAGES]);

#endif
