/* Case of scan.cu; size: elements, at most 1,024 blocks of 256. */
#include "tests/support/kernel_case.h"

#define BLOCK 256

enum { IN, OUT, TOTALS };

static void setup(struct kernel_session *s)
{
    uint32_t blocks = (s->size + BLOCK - 1) / BLOCK;
    session_i32(s, "in", s->size, 3, 0, INT32_MAX);
    session_zeros(s, "out", s->size * sizeof(uint32_t));
    session_zeros(s, "totals", blocks * sizeof(uint32_t));
    session_launch(s, "scan_blocks", DIM(blocks), DIM(BLOCK), 0);
    for (int i = IN; i <= TOTALS; i++)
        arg_buffer(s, i);
    arg_i32(s, (int32_t)s->size);
    session_launch(s, "scan_totals", DIM(1), DIM((blocks + 31) / 32 * 32), 0);
    arg_buffer(s, TOTALS);
    arg_i32(s, (int32_t)blocks);
    session_launch(s, "scan_add", DIM(blocks), DIM(BLOCK), 0);
    arg_buffer(s, OUT);
    arg_buffer(s, TOTALS);
    arg_i32(s, (int32_t)s->size);
}

static void check(struct kernel_session *s)
{
    const uint32_t *in = session_before(s, IN);
    uint32_t *out = session_scratch(s, s->size * sizeof *out), sum = 0;
    for (uint32_t i = 0; i < s->size; i++)
        out[i] = sum += in[i];
    expect_equal(s, OUT, VALUE_U32, out, 0, s->size);
}

const struct kernel_case case_scan = {"scan", "scan", 1500, 1 << 18, setup, check};
