/* Cases of calls.cu and local_array.cu; size: blocks. */
#include <stdlib.h>
#include <string.h>

#include "tests/support/kernel_case.h"

#define THREADS 64

static uint32_t threads(struct kernel_session *s) { return s->size * THREADS; }

static void launch(struct kernel_session *s, const char *kernel, size_t bytes_per_thread)
{
    int out = session_zeros(s, "out", threads(s) * bytes_per_thread);
    session_launch(s, kernel, DIM(s->size), DIM(THREADS), 0);
    arg_buffer(s, out);
}

/* ---- recursion --------------------------------------------------------------------------------------------------- */

static int32_t ackermann(int32_t m, int32_t n)
{
    if (m == 0)
        return n + 1;
    return ackermann(m - 1, n == 0 ? 1 : ackermann(m, n - 1));
}

static void setup_recursive(struct kernel_session *s) { launch(s, "calls_recursive", 2 * sizeof(int32_t)); }

/* even(n) multiplies by 3 at every odd number on the way down to 0: n / 2 times for even n, and not at all comes to 0.
 */
static void check_recursive(struct kernel_session *s)
{
    int32_t *out = session_scratch(s, 2 * threads(s) * sizeof *out);
    for (uint32_t i = 0; i < threads(s); i++) {
        out[2 * i] = ackermann((int32_t)(i % 3), (int32_t)(i % 5));
        out[2 * i + 1] = i % 13 % 2 == 0;
        for (uint32_t k = 0; k < i % 13 / 2; k++)
            out[2 * i + 1] *= 3;
    }
    expect_equal(s, 0, VALUE_I32, out, 0, 2 * threads(s));
}

/* ---- results through memory -------------------------------------------------------------------------------------- */

static void setup_struct(struct kernel_session *s) { launch(s, "calls_struct", 3 * sizeof(int64_t)); }

static void check_struct(struct kernel_session *s)
{
    int64_t *out = session_scratch(s, 3 * threads(s) * sizeof *out);
    for (uint32_t i = 0; i < threads(s); i++) {
        int64_t n = i + 1, *sum = &out[3 * i], *steps = sum + 1, *most = sum + 2;
        for (*sum = *most = n; n != 1; ++*steps) {
            n = n % 2 ? 3 * n + 1 : n / 2;
            *sum += n;
            *most = n > *most ? n : *most;
        }
    }
    expect_equal(s, 0, VALUE_I64, out, 0, 3 * threads(s));
}

/* ---- through pointers -------------------------------------------------------------------------------------------- */

static void setup_indirect(struct kernel_session *s) { launch(s, "calls_indirect", sizeof(int32_t)); }

static int32_t choose(uint32_t which, int32_t v) { return which == 0 ? 2 * v : which == 1 ? v * v : -v; }

static void check_indirect(struct kernel_session *s)
{
    int32_t *out = session_scratch(s, threads(s) * sizeof *out);
    for (uint32_t i = 0; i < threads(s); i++)
        out[i] = choose(i % 3, (int32_t)i) + choose(i / 8 % 3, (int32_t)i + 1);
    expect_equal(s, 0, VALUE_I32, out, 0, threads(s));
}

/* ---- local arrays ------------------------------------------------------------------------------------------------ */

#define PER_THREAD 24

static void setup_array(struct kernel_session *s)
{
    int in = session_i32(s, "in", threads(s) * PER_THREAD, 81, -500, 500);
    int out = session_zeros(s, "out", threads(s) * PER_THREAD * sizeof(int32_t));
    session_launch(s, "local_array", DIM(s->size), DIM(THREADS), 0);
    arg_buffer(s, in);
    arg_buffer(s, out);
}

static int by_value(const void *a, const void *b)
{
    int32_t x = *(const int32_t *)a, y = *(const int32_t *)b;
    return (x > y) - (x < y);
}

static void check_array(struct kernel_session *s)
{
    int32_t *out = session_scratch(s, threads(s) * PER_THREAD * sizeof *out);
    memcpy(out, session_before(s, 0), threads(s) * PER_THREAD * sizeof *out);
    for (uint32_t i = 0; i < threads(s); i++)
        qsort(out + i * PER_THREAD, PER_THREAD, sizeof *out, by_value);
    expect_equal(s, 1, VALUE_I32, out, 0, threads(s) * PER_THREAD);
}

const struct kernel_case case_calls_recursive = {"calls_recursive", "calls", 2, 64, setup_recursive, check_recursive};
const struct kernel_case case_calls_struct = {"calls_struct", "calls", 2, 64, setup_struct, check_struct};
const struct kernel_case case_calls_indirect = {"calls_indirect", "calls", 2, 64, setup_indirect, check_indirect};
const struct kernel_case case_local_array = {"local_array", "local_array", 2, 64, setup_array, check_array};
