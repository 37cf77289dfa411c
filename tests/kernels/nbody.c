/* Cases of nbody.cu; size: bodies, a multiple of 64. */
#include <math.h>

#include "tests/support/kernel_case.h"

#define SOFTENING 0.01f

struct body {
    float x, y, z, mass;
};

static void launch(struct kernel_session *s, const char *kernel)
{
    session_f32(s, "all", 4 * (size_t)s->size, 41);
    session_zeros(s, "out", 3 * (size_t)s->size * sizeof(float));
    session_launch(s, kernel, DIM(s->size / 64), DIM(64), 0);
    arg_buffer(s, 0);
    arg_buffer(s, 1);
    arg_i32(s, (int32_t)s->size);
}

static void setup(struct kernel_session *s) { launch(s, "nbody"); }
static void setup_fast(struct kernel_session *s) { launch(s, "nbody_fast"); }

static void check(struct kernel_session *s)
{
    const struct body *all = session_before(s, 0);
    float *out = session_scratch(s, 3 * (size_t)s->size * sizeof *out);
    for (uint32_t i = 0; i < s->size; i++)
        for (uint32_t j = 0; j < s->size; j++) {
            float dx = all[j].x - all[i].x, dy = all[j].y - all[i].y, dz = all[j].z - all[i].z;
            float inverse = 1.0f / sqrtf(fmaf(dx, dx, fmaf(dy, dy, fmaf(dz, dz, SOFTENING))));
            float f = all[j].mass * inverse * inverse * inverse;
            out[3 * i] = fmaf(f, dx, out[3 * i]);
            out[3 * i + 1] = fmaf(f, dy, out[3 * i + 1]);
            out[3 * i + 2] = fmaf(f, dz, out[3 * i + 2]);
        }
    expect_equal(s, 1, VALUE_F32, out, 0, 3 * (size_t)s->size);
}

/* With the approximate reciprocal square root (relative error at most 2^-22.9, PTX ISA "rsqrt"): each of the n terms
 * of a sum is off by at most 3 * 2^-22.9 from its cube, and by 8 roundings of 2^-24 (r2 is within 5 of them, which the
 * power -1.5 makes 7.5 at most; three products; the difference's own), and each of the n additions rounds the sum so
 * far, which is at most the sum of the terms' magnitudes. */
static void check_fast(struct kernel_session *s)
{
    const struct body *all = session_before(s, 0);
    const float *out = session_after(s, 1);
    double relative = 3 * 0x1p-22 + (16 + (double)s->size) * 0x1p-24;
    for (uint32_t i = 0; i < s->size; i++) {
        double sum[3] = {0}, size[3] = {0};
        for (uint32_t j = 0; j < s->size; j++) {
            double d[3] = {(double)all[j].x - all[i].x, (double)all[j].y - all[i].y, (double)all[j].z - all[i].z};
            double r2 = d[0] * d[0] + d[1] * d[1] + d[2] * d[2] + (double)SOFTENING;
            for (int k = 0; k < 3; k++) {
                sum[k] += all[j].mass * d[k] / (r2 * sqrt(r2));
                size[k] += fabs(all[j].mass * d[k] / (r2 * sqrt(r2)));
            }
        }
        for (int k = 0; k < 3; k++)
            if (!(fabs(out[3 * i + k] - sum[k]) <= relative * size[k]))
                session_fail(s, "out[%u] is %.9g, not within %.3g of %.9g", 3 * i + k, (double)out[3 * i + k],
                             relative * size[k], sum[k]);
    }
}

const struct kernel_case case_nbody = {"nbody", "nbody", 128, 2048, setup, check};
const struct kernel_case case_nbody_fast = {"nbody_fast", "nbody", 128, 2048, setup_fast, check_fast};
