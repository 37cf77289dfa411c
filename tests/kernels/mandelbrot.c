/* Case of mandelbrot.cu; size: the picture's width; its height is three quarters of it. */
#include "tests/support/kernel_case.h"

#define LIMIT 100

static void setup(struct kernel_session *s)
{
    uint32_t w = s->size, h = w * 3 / 4;
    session_zeros(s, "out", (size_t)w * h * sizeof(int32_t));
    session_launch(s, "mandelbrot", DIM((w + 15) / 16, (h + 7) / 8), DIM(16, 8), 0);
    arg_buffer(s, 0);
    arg_i32(s, (int32_t)w);
    arg_i32(s, (int32_t)h);
    arg_i32(s, LIMIT);
}

static int32_t iterations(float cx, float cy)
{
    float x = 0, y = 0;
    int32_t i = 0;
    for (; i < LIMIT && x * x + y * y <= 4.0f; i++) {
        float next = x * x - y * y + cx;
        y = 2.0f * x * y + cy;
        x = next;
    }
    return i;
}

static void check(struct kernel_session *s)
{
    uint32_t w = s->size, h = w * 3 / 4;
    int32_t *out = session_scratch(s, (size_t)w * h * sizeof *out);
    for (uint32_t y = 0; y < h; y++)
        for (uint32_t x = 0; x < w; x++)
            out[y * w + x] = iterations((float)x * 3.0f / (float)w - 2.25f, (float)y * 2.5f / (float)h - 1.25f);
    expect_equal(s, 0, VALUE_I32, out, 0, (size_t)w * h);
}

const struct kernel_case case_mandelbrot = {"mandelbrot", "mandelbrot", 40, 1024, setup, check};
