/* Cases of memory_kinds.cu; size: blocks. */
#include "tests/support/kernel_case.h"

#define THREADS 64

enum { IN, OUT };

static uint32_t threads(struct kernel_session *s) { return s->size * THREADS; }

static void launch(struct kernel_session *s, const char *kernel, size_t out_bytes, uint32_t shared)
{
    session_i32(s, "in", threads(s), 91, -1000, 1000);
    session_zeros(s, "out", out_bytes);
    session_launch(s, kernel, DIM(s->size), DIM(THREADS), shared);
    arg_buffer(s, IN);
    arg_buffer(s, OUT);
}

/* ---- dynamic shared memory --------------------------------------------------------------------------------------- */

static void setup_shared(struct kernel_session *s)
{
    launch(s, "dynamic_shared", threads(s) * sizeof(int32_t), THREADS * (sizeof(int32_t) + sizeof(int64_t)));
}

static void check_shared(struct kernel_session *s)
{
    const int32_t *in = session_before(s, IN);
    int32_t *out = session_scratch(s, threads(s) * sizeof *out);
    for (uint32_t i = 0; i < threads(s); i++) {
        const int32_t *block = in + i / THREADS * THREADS;
        out[i] = block[THREADS - 1 - i % THREADS] + block[(i + 1) % THREADS];
    }
    expect_equal(s, OUT, VALUE_I32, out, 0, threads(s));
}

/* ---- constant memory --------------------------------------------------------------------------------------------- */

static void setup_constant(struct kernel_session *s) { launch(s, "constant_tables", threads(s) * sizeof(double), 0); }

static void check_constant(struct kernel_session *s)
{
    static const double weights[4] = {0.5, -0.25, 0x1p-40, 3.0};
    static const uint8_t codes[8] = {3, 1, 4, 1, 5, 9, 2, 6};
    const int32_t *in = session_before(s, IN);
    double *out = session_scratch(s, threads(s) * sizeof *out);
    for (uint32_t i = 0; i < threads(s); i++) {
        int32_t v = in[i] & 15;
        out[i] = v * v * weights[v & 3] + codes[v & 7] + 25;
    }
    expect_equal(s, OUT, VALUE_F64, out, 0, threads(s));
}

/* ---- module variables -------------------------------------------------------------------------------------------- */

static void setup_variables(struct kernel_session *s)
{
    int out = session_zeros(s, "out", 5 * sizeof(int32_t));
    session_launch(s, "module_variables", DIM(s->size), DIM(THREADS), 0);
    arg_buffer(s, out);
    session_launch(s, "module_variables_read", DIM(1), DIM(4), 0);
    arg_buffer(s, out);
}

static void check_variables(struct kernel_session *s)
{
    int32_t out[5] = {3, 10, 20 + (int32_t)threads(s), 30, 40};
    for (uint32_t i = 0; i < threads(s); i++)
        out[1 + i % 4] += (int32_t)i;
    expect_equal(s, 0, VALUE_I32, out, 0, 5);
}

/* ---- generic pointers -------------------------------------------------------------------------------------------- */

static void setup_generic(struct kernel_session *s) { launch(s, "generic_pointers", threads(s) * sizeof(int32_t), 0); }

static int32_t element(const int32_t *in, uint32_t i, int32_t j)
{
    uint32_t x = i % THREADS;
    switch (i / 3 % 4) {
    case 0: return in[i % 32 + (uint32_t)j];
    case 1: return 2 * in[i - x + x % 32 + (uint32_t)j];
    case 2: return (int32_t)i * j - 3;
    default: return (int32_t)((x % 8 + (uint32_t)j) * (x % 8 + (uint32_t)j));
    }
}

static void check_generic(struct kernel_session *s)
{
    const int32_t *in = session_before(s, IN);
    int32_t *out = session_scratch(s, threads(s) * sizeof *out);
    for (uint32_t i = 0; i < threads(s); i++) {
        int32_t sum = 0, near = in[i] * 2, own = (int32_t)(i * (i % 8)) - 3;
        for (int32_t j = 0; j < 8; j++)
            sum += element(in, i, j);
        out[i] = sum + (i % 2 ? own : near);
    }
    expect_equal(s, OUT, VALUE_I32, out, 0, threads(s));
}

const struct kernel_case case_dynamic_shared = {"dynamic_shared", "memory_kinds", 3, 64, setup_shared, check_shared};
const struct kernel_case case_constant_tables = {"constant_tables", "memory_kinds", 3, 64,
                                                 setup_constant,    check_constant};
const struct kernel_case case_module_variables = {"module_variables", "memory_kinds", 3, 64,
                                                  setup_variables,    check_variables};
const struct kernel_case case_generic_pointers = {"generic_pointers", "memory_kinds", 3, 64,
                                                  setup_generic,      check_generic};
