/* Cases of matmul.cu and sgemm.cu; size: rows and columns of the square matrices. */
#include <math.h>

#include "tests/support/kernel_case.h"

enum { A, B, C };

static void buffers(struct kernel_session *s)
{
    size_t n = (size_t)s->size * s->size;
    session_f32(s, "a", n, 1);
    session_f32(s, "b", n, 2);
    session_zeros(s, "c", n * sizeof(float));
}

static void launch(struct kernel_session *s, const char *kernel, uint32_t tile)
{
    buffers(s);
    session_launch(s, kernel, DIM(s->size / tile, s->size / tile), DIM(tile, tile), 0);
    for (int i = A; i <= C; i++)
        arg_buffer(s, i);
    arg_i32(s, (int32_t)s->size);
}

static void setup_matmul(struct kernel_session *s) { launch(s, "matmul", 16); }

static void setup_naive(struct kernel_session *s)
{
    launch(s, "sgemm_naive", 32);
    arg_i32(s, (int32_t)s->size);
}

static void setup_double(struct kernel_session *s)
{
    launch(s, "sgemm_double", 32);
    arg_i32(s, (int32_t)s->size);
}

/* Every element's products are added in the order of k, whatever the tile. */
static void check(struct kernel_session *s)
{
    const float *a = session_before(s, A), *b = session_before(s, B);
    size_t n = s->size;
    float *c = session_scratch(s, n * n * sizeof *c);
    for (size_t row = 0; row < n; row++)
        for (size_t k = 0; k < n; k++)
            for (size_t col = 0; col < n; col++)
                c[row * n + col] = fmaf(a[row * n + k], b[k * n + col], c[row * n + col]);
    expect_equal(s, C, VALUE_F32, c, 0, n * n);
}

const struct kernel_case case_matmul = {"matmul", "matmul", 48, 256, setup_matmul, check};
const struct kernel_case case_sgemm_naive = {"sgemm_naive", "sgemm", 64, 256, setup_naive, check};
const struct kernel_case case_sgemm_double = {"sgemm_double", "sgemm", 64, 256, setup_double, check};
