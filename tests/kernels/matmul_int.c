/* Cases of matmul_int.cu and gemm.cu; size: rows and columns of the square matrices. */
#include "tests/support/kernel_case.h"

enum { A, B, C };

static void inputs(struct kernel_session *s)
{
    size_t n = (size_t)s->size * s->size;
    session_i32(s, "a", n, 1, -1000, 1000);
    session_i32(s, "b", n, 2, -1000, 1000);
}

static void arguments(struct kernel_session *s)
{
    for (int i = A; i <= C; i++)
        arg_buffer(s, i);
    arg_i32(s, (int32_t)s->size);
}

static int64_t product(struct kernel_session *s, size_t row, size_t col)
{
    const int32_t *a = session_before(s, A), *b = session_before(s, B);
    int64_t sum = 0;
    for (size_t k = 0; k < s->size; k++)
        sum += (int64_t)a[row * s->size + k] * b[k * s->size + col];
    return sum;
}

static void setup_matmul(struct kernel_session *s)
{
    inputs(s);
    session_zeros(s, "c", (size_t)s->size * s->size * sizeof(int32_t));
    session_launch(s, "matmul_int", DIM(1), DIM(s->size, s->size), 0);
    arguments(s);
}

static void check_matmul(struct kernel_session *s)
{
    size_t n = s->size;
    int32_t *c = session_scratch(s, n * n * sizeof *c);
    for (size_t i = 0; i < n * n; i++)
        c[i] = (int32_t)product(s, i / n, i % n);
    expect_equal(s, C, VALUE_I32, c, 0, n * n);
}

static void setup_gemm(struct kernel_session *s)
{
    inputs(s);
    session_zeros(s, "c", (size_t)s->size * s->size * sizeof(int64_t));
    session_launch(s, "gemm", DIM(s->size / 8, s->size / 8), DIM(8, 8), 0);
    arguments(s);
}

static void setup_gemm_unrolled(struct kernel_session *s)
{
    inputs(s);
    session_zeros(s, "c", (size_t)s->size * s->size * sizeof(int64_t));
    session_launch(s, "gemm_unrolled", DIM(s->size / 8, s->size / 8), DIM(8, 8), 0);
    for (int i = A; i <= C; i++)
        arg_buffer(s, i);
}

static void check_gemm(struct kernel_session *s)
{
    size_t n = s->size;
    int64_t *c = session_scratch(s, n * n * sizeof *c);
    for (size_t i = 0; i < n * n; i++)
        c[i] = product(s, i / n, i % n);
    expect_equal(s, C, VALUE_I64, c, 0, n * n);
}

const struct kernel_case case_matmul_int = {"matmul_int", "matmul_int", 11, 16, setup_matmul, check_matmul};
const struct kernel_case case_gemm = {"gemm", "gemm", 32, 256, setup_gemm, check_gemm};
/* Its size is N of gemm.cu. */
const struct kernel_case case_gemm_unrolled = {"gemm_unrolled", "gemm", 32, 32, setup_gemm_unrolled, check_gemm};
