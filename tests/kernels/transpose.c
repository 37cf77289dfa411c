/* Cases of transpose.cu; size: rows and columns, a multiple of 32. */
#include "tests/support/kernel_case.h"

enum { IN, OUT };

static void launch(struct kernel_session *s, const char *kernel)
{
    size_t n = s->size;
    session_i32(s, "in", n * n, 4, INT32_MIN, INT32_MAX);
    session_zeros(s, "out", n * n * sizeof(int32_t));
    session_launch(s, kernel, DIM(s->size / 32, s->size / 32), DIM(32, 8), 0);
    arg_buffer(s, IN);
    arg_buffer(s, OUT);
    arg_i32(s, (int32_t)s->size);
}

static void setup_conflicts(struct kernel_session *s) { launch(s, "transpose_conflicts"); }
static void setup_padded(struct kernel_session *s) { launch(s, "transpose_padded"); }

static void check(struct kernel_session *s)
{
    size_t n = s->size;
    const int32_t *in = session_before(s, IN);
    int32_t *out = session_scratch(s, n * n * sizeof *out);
    for (size_t i = 0; i < n * n; i++)
        out[i] = in[i % n * n + i / n];
    expect_equal(s, OUT, VALUE_I32, out, 0, n * n);
}

const struct kernel_case case_transpose_conflicts = {"transpose_conflicts", "transpose", 64, 1024,
                                                     setup_conflicts,       check};
const struct kernel_case case_transpose_padded = {"transpose_padded", "transpose", 64, 1024, setup_padded, check};
