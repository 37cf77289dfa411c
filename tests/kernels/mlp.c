/* Cases of mlp.cu: PasTiS's network of three dense layers; size: input vectors. Each layer of the test is a tenth as
 * wide unless there are as many vectors as in the benchmark. */
#include "tests/support/kernel_case.h"

#define LAYERS 3
#define BENCH_SIZE 16

static const uint32_t *widths(struct kernel_session *s)
{
    static const uint32_t whole[LAYERS + 1] = {784, 128, 64, 10}, tenth[LAYERS + 1] = {78, 40, 33, 10};
    return s->size >= BENCH_SIZE ? whole : tenth;
}

/* Buffers: x of layer 0, then for each layer its weights, its bias and its y. */
static int x_of(int layer) { return 3 * layer; }

static void network(struct kernel_session *s, const char *kernel, size_t real,
                    int (*values)(struct kernel_session *, const char *, size_t, uint64_t))
{
    const uint32_t *w = widths(s);
    values(s, "x", (size_t)s->size * w[0], 61);
    for (int l = 0; l < LAYERS; l++) {
        int weights = values(s, "weights", (size_t)w[l] * w[l + 1], 62 + (uint64_t)l);
        int bias = values(s, "bias", w[l + 1], 72 + (uint64_t)l);
        int y = session_zeros(s, "y", (size_t)s->size * w[l + 1] * real);
        session_launch(s, kernel, DIM((w[l + 1] + 31) / 32, s->size), DIM(32), 0);
        arg_buffer(s, weights);
        arg_buffer(s, bias);
        arg_buffer(s, x_of(l));
        arg_buffer(s, y);
        arg_i32(s, (int32_t)w[l]);
        arg_i32(s, (int32_t)w[l + 1]);
    }
}

static void setup_f32(struct kernel_session *s) { network(s, "dense_f32", sizeof(float), session_f32); }
static void setup_f64(struct kernel_session *s) { network(s, "dense_f64", sizeof(double), session_f64); }

/* The layers' outputs in turn: each is the input of the next, also here. */
#define CHECK(name, real, kind)                                                                                        \
    static void name(struct kernel_session *s)                                                                         \
    {                                                                                                                  \
        const uint32_t *width = widths(s);                                                                             \
        const real *x = session_before(s, x_of(0));                                                                    \
        for (int l = 0; l < LAYERS; l++) {                                                                             \
            const real *w = session_before(s, x_of(l) + 1), *bias = session_before(s, x_of(l) + 2);                    \
            uint32_t in = width[l], out = width[l + 1];                                                                \
            real *y = session_scratch(s, (size_t)s->size * out * sizeof *y);                                           \
            for (uint32_t v = 0; v < s->size; v++)                                                                     \
                for (uint32_t neuron = 0; neuron < out; neuron++) {                                                    \
                    real sum = bias[neuron];                                                                           \
                    for (uint32_t i = 0; i < in; i++)                                                                  \
                        sum = sum + w[i * out + neuron] * x[v * in + i];                                               \
                    y[v * out + neuron] = sum > 0 ? sum : 0;                                                           \
                }                                                                                                      \
            expect_equal(s, x_of(l + 1), kind, y, 0, (size_t)s->size *out);                                            \
            x = y;                                                                                                     \
        }                                                                                                              \
    }
CHECK(check_f32, float, VALUE_F32)
CHECK(check_f64, double, VALUE_F64)

const struct kernel_case case_mlp_f32 = {"mlp_f32", "mlp", 2, BENCH_SIZE, setup_f32, check_f32};
const struct kernel_case case_mlp_f64 = {"mlp_f64", "mlp", 2, BENCH_SIZE, setup_f64, check_f64};
