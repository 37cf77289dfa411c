/* Cases of stream.cu; size: words. */
#include "tests/support/kernel_case.h"

#define THREADS 256

static void setup_copy(struct kernel_session *s)
{
    session_i32(s, "in", s->size, 4, INT32_MIN, INT32_MAX);
    session_zeros(s, "out", s->size * sizeof(int32_t));
    session_launch(s, "stream_copy", DIM((s->size + THREADS - 1) / THREADS), DIM(THREADS), 0);
    arg_buffer(s, 0);
    arg_buffer(s, 1);
    arg_i32(s, (int32_t)s->size);
}

static void check_copy(struct kernel_session *s) { expect_equal(s, 1, VALUE_I32, session_before(s, 0), 0, s->size); }

static void setup_gather(struct kernel_session *s)
{
    session_i32(s, "index", s->size, 7, 0, (int32_t)s->size - 1);
    session_i32(s, "in", s->size, 4, INT32_MIN, INT32_MAX);
    session_zeros(s, "out", s->size * sizeof(int32_t));
    session_launch(s, "stream_gather", DIM((s->size + THREADS - 1) / THREADS), DIM(THREADS), 0);
    arg_buffer(s, 0);
    arg_buffer(s, 1);
    arg_buffer(s, 2);
    arg_i32(s, (int32_t)s->size);
}

static void check_gather(struct kernel_session *s)
{
    const int32_t *index = session_before(s, 0), *in = session_before(s, 1);
    int32_t *out = session_scratch(s, s->size * sizeof *out);
    for (size_t i = 0; i < s->size; i++)
        out[i] = in[index[i]];
    expect_equal(s, 2, VALUE_I32, out, 0, s->size);
}

const struct kernel_case case_stream_copy = {"stream_copy", "stream", 3000, 1 << 24, setup_copy, check_copy};
const struct kernel_case case_stream_gather = {"stream_gather", "stream", 3000, 1 << 24, setup_gather, check_gather};
