/* Cases of sgemm_warps.cu; size: k, a multiple of 32. */
#include <math.h>

#include "tests/support/kernel_case.h"

#define TILE 32
enum { A, B, C };

static void setup(struct kernel_session *s, const char *kernel, uint32_t rows)
{
    session_f32(s, "a", (size_t)TILE * s->size, 1);
    session_f32(s, "b", (size_t)TILE * s->size, 2);
    session_zeros(s, "c", TILE * TILE * sizeof(float));
    session_launch(s, kernel, DIM(1), DIM(TILE, rows), 0);
    for (int i = A; i <= C; i++)
        arg_buffer(s, i);
    arg_i32(s, (int32_t)s->size);
}

static void check(struct kernel_session *s)
{
    const float *a = session_before(s, A), *b = session_before(s, B);
    float c[TILE * TILE] = {0};
    for (size_t row = 0; row < TILE; row++)
        for (size_t k = 0; k < s->size; k++)
            for (size_t col = 0; col < TILE; col++)
                c[row * TILE + col] = fmaf(a[row * s->size + k], b[k * TILE + col], c[row * TILE + col]);
    expect_equal(s, C, VALUE_F32, c, 0, TILE * TILE);
}

#define SIZES(kind, rows)                                                                                              \
    static void setup_##kind##_##rows(struct kernel_session *s) { setup(s, #kind "_" #rows, rows); }                   \
    const struct kernel_case case_sgemm_##kind##_##rows = {"sgemm_" #kind "_" #rows, "sgemm_warps", 64, 1024,          \
                                                           setup_##kind##_##rows,    check};
SIZES(naive, 4)
SIZES(naive, 8)
SIZES(naive, 16)
SIZES(naive, 32)
SIZES(double, 4)
SIZES(double, 8)
SIZES(double, 16)
SIZES(double, 32)
