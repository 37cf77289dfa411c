/* Case of double_math.cu; size: arguments. */
#include <math.h>

#include "tests/kernels/double_math.h"
#include "tests/support/kernel_case.h"

static void setup(struct kernel_session *s)
{
    double *in = session_scratch(s, s->size * sizeof *in);
    for (uint32_t i = 0; i < s->size; i++)
        in[i] = ((double)i - s->size / 2.0) * 12.5 / s->size;
    session_data(s, "in", in, s->size * sizeof *in);
    session_zeros(s, "out", 4 * s->size * sizeof *in);
    session_launch(s, "double_math", DIM((s->size + 63) / 64), DIM(64), 0);
    arg_buffer(s, 0);
    arg_buffer(s, 1);
    arg_i32(s, (int32_t)s->size);
}

static bool near(double a, double b) { return fabs(a - b) <= 1e-10 * (1 + fabs(b)); }

/* Equal to the same functions compiled for the CPU, and these agree with the C library's. */
static void check(struct kernel_session *s)
{
    const double *in = session_before(s, 0);
    double *out = session_scratch(s, 4 * s->size * sizeof *out);
    for (uint32_t i = 0; i < s->size; i++) {
        double x = in[i];
        out[4 * i] = dm_exp(x);
        out[4 * i + 1] = dm_sqrt(fabs(x));
        out[4 * i + 2] = dm_sin(x);
        out[4 * i + 3] = sqrt(x * x + 1.0) / (x - 0.3);
        if (!near(out[4 * i], exp(x)) || !near(out[4 * i + 1], sqrt(fabs(x))) || !near(out[4 * i + 2], sin(x)))
            session_fail(s, "double_math.h is wrong at %g", x);
    }
    expect_equal(s, 1, VALUE_F64, out, 0, 4 * s->size);
}

const struct kernel_case case_double_math = {"double_math", "double_math", 150, 4096, setup, check};
