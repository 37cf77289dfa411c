/* Cases of vector_add.cu; size: elements. */
#include "tests/support/kernel_case.h"

enum { A, B, C };

static void setup(struct kernel_session *s)
{
    session_f32(s, "a", s->size, 1);
    session_f32(s, "b", s->size, 2);
    session_zeros(s, "c", s->size * sizeof(float));
    session_launch(s, "vector_add", DIM((s->size + 127) / 128), DIM(128), 0);
    for (int i = A; i <= C; i++)
        arg_buffer(s, i);
    arg_i32(s, (int32_t)s->size);
}

static void check(struct kernel_session *s)
{
    const float *a = session_before(s, A), *b = session_before(s, B);
    float *c = session_scratch(s, s->size * sizeof *c);
    for (uint32_t i = 0; i < s->size; i++)
        c[i] = a[i] + b[i];
    expect_equal(s, C, VALUE_F32, c, 0, s->size);
}

const struct kernel_case case_vector_add = {"vector_add", "vector_add", 1000, 1 << 22, setup, check};
