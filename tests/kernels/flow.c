/* Case of flow.cu; size: threads. */
#include "tests/kernels/flow.h"
#include "tests/support/kernel_case.h"

#define ADD_ONE(f) +1
enum { FUNCTIONS = 0 FLOWS(ADD_ONE) };

static void setup(struct kernel_session *s)
{
    session_i32(s, "in", s->size, 121, 0, 1 << 20);
    session_zeros(s, "out", FUNCTIONS * s->size * sizeof(uint32_t));
    session_launch(s, "flow", DIM((s->size + 63) / 64), DIM(64), 0);
    arg_buffer(s, 0);
    arg_buffer(s, 1);
    arg_i32(s, (int32_t)s->size);
}

static void check(struct kernel_session *s)
{
    const uint32_t *in = session_before(s, 0);
    uint32_t *const all = session_scratch(s, FUNCTIONS * s->size * sizeof *all), *out = all;
#define EVALUATE(f)                                                                                                    \
    for (uint32_t i = 0; i < s->size; i++)                                                                             \
        *out++ = f(in[i]);
    FLOWS(EVALUATE)
    expect_equal(s, 1, VALUE_U32, all, 0, FUNCTIONS * s->size);
}

const struct kernel_case case_flow = {"flow", "flow", 500, 1 << 16, setup, check};
