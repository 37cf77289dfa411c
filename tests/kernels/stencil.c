/* Case of stencil.cu; size: the grid's width; its height is three quarters of it. */
#include <string.h>

#include "tests/support/kernel_case.h"

#define STEPS 3

static uint32_t height(struct kernel_session *s) { return s->size * 3 / 4; }

static void setup(struct kernel_session *s)
{
    uint32_t w = s->size, h = height(s);
    session_f32(s, "even", (size_t)w * h, 6);
    session_zeros(s, "odd", (size_t)w * h * sizeof(float));
    for (int step = 0; step < STEPS; step++) {
        session_launch(s, "stencil", DIM((w + 15) / 16, (h + 15) / 16), DIM(16, 16), 0);
        arg_buffer(s, step % 2);
        arg_buffer(s, 1 - step % 2);
        arg_i32(s, (int32_t)w);
        arg_i32(s, (int32_t)h);
    }
}

static void step_on_cpu(const float *in, float *out, int w, int h)
{
    for (int y = 0; y < h; y++)
        for (int x = 0; x < w; x++) {
            float above = in[(y > 0 ? y - 1 : 0) * w + x], below = in[(y < h - 1 ? y + 1 : h - 1) * w + x];
            float left = in[y * w + (x > 0 ? x - 1 : 0)], right = in[y * w + (x < w - 1 ? x + 1 : w - 1)];
            out[y * w + x] = 0.5f * in[y * w + x] + 0.125f * (above + below + left + right);
        }
}

static void check(struct kernel_session *s)
{
    size_t cells = (size_t)s->size * height(s);
    float *grid[2] = {session_scratch(s, cells * sizeof(float)), session_scratch(s, cells * sizeof(float))};
    memcpy(grid[0], session_before(s, 0), cells * sizeof(float));
    for (int step = 0; step < STEPS; step++)
        step_on_cpu(grid[step % 2], grid[1 - step % 2], (int)s->size, (int)height(s));
    for (int i = 0; i < 2; i++)
        expect_equal(s, i, VALUE_F32, grid[i], 0, cells);
}

const struct kernel_case case_stencil = {"stencil", "stencil", 50, 1024, setup, check};
