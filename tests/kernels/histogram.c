/* Cases of histogram.cu; size: bytes. */
#include "tests/support/kernel_case.h"

#define BINS 256

enum { IN, COUNTS };

static void launch(struct kernel_session *s, const char *kernel)
{
    uint8_t *in = session_scratch(s, s->size);
    uint64_t state = 5;
    for (uint32_t i = 0; i < s->size; i++)
        in[i] = (uint8_t)(random_below(&state, 200) * random_below(&state, 200) >> 8);
    session_data(s, "in", in, s->size);
    session_zeros(s, "bins", BINS * sizeof(uint32_t));
    session_launch(s, kernel, DIM(4), DIM(128), 0);
    arg_buffer(s, IN);
    arg_buffer(s, COUNTS);
    arg_i32(s, (int32_t)s->size);
}

static void setup_global(struct kernel_session *s) { launch(s, "histogram_global"); }
static void setup_shared(struct kernel_session *s) { launch(s, "histogram_shared"); }

static void check(struct kernel_session *s)
{
    const uint8_t *in = session_before(s, IN);
    uint32_t counts[BINS] = {0};
    for (uint32_t i = 0; i < s->size; i++)
        counts[in[i]]++;
    expect_equal(s, COUNTS, VALUE_U32, counts, 0, BINS);
}

const struct kernel_case case_histogram_global = {"histogram_global", "histogram", 2000, 1 << 22, setup_global, check};
const struct kernel_case case_histogram_shared = {"histogram_shared", "histogram", 2000, 1 << 22, setup_shared, check};
