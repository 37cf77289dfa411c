/* Cases of kmeans.cu; size: points, in blocks of at most 256. */
#include <math.h>

#include "tests/support/kernel_case.h"

#define CLUSTERS 5
#define FEATURES 4
#define BLOCK 256

static void setup(struct kernel_session *s)
{
    session_f32(s, "points", (size_t)s->size * FEATURES, 51);
    session_f32(s, "centres", CLUSTERS * FEATURES, 52);
    session_zeros(s, "nearest", s->size * sizeof(int32_t));
    session_launch(s, "kmeans", DIM((s->size + BLOCK - 1) / BLOCK), DIM(BLOCK), 0);
    arg_buffer(s, 0);
    arg_buffer(s, 1);
    arg_buffer(s, 2);
    arg_i32(s, (int32_t)s->size);
}

static void check(struct kernel_session *s)
{
    const float *points = session_before(s, 0), *centres = session_before(s, 1);
    int32_t *nearest = session_scratch(s, s->size * sizeof *nearest);
    for (uint32_t i = 0; points && centres && i < s->size; i++) {
        float least = INFINITY;
        for (int32_t c = 0; c < CLUSTERS; c++) {
            float distance = 0;
            for (uint32_t f = 0; f < FEATURES; f++) {
                float d = points[f * s->size + i] - centres[(uint32_t)c * FEATURES + f];
                distance = fmaf(d, d, distance);
            }
            if (distance < least) {
                least = distance;
                nearest[i] = c;
            }
        }
    }
    expect_equal(s, 2, VALUE_I32, nearest, 0, s->size);
}

const struct kernel_case case_kmeans = {"kmeans", "kmeans", 300, 1 << 18, setup, check};
