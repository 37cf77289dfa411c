#include "tests/support/texture_cost.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "frontend/host/launch.h"
#include "frontend/host/texture.h"

/* Each thread adds STEPS values of a row, from its own column on. So rows have STEPS columns more than threads. Columns
 * are clamped for loads, too, as the texture does it. */
enum { SIDE = 512, STEPS = 64, COLUMNS = SIDE + STEPS, THREADS = 128 };
#define ENTRY(name, before, in_loop)                                                                                   \
    ".visible .entry " name "(.param .u64 from, .param .u64 to)\n{\n"                                                  \
    ".reg .pred %p;\n.reg .b32 %r<8>;\n.reg .b64 %rd<5>;\n.reg .f32 %f<8>;\n"                                          \
    "ld.param.u64 %rd1, [from];\nld.param.u64 %rd2, [to];\n"                                                           \
    "mov.u32 %r1, %ctaid.x;\nmov.u32 %r2, %ntid.x;\nmov.u32 %r3, %tid.x;\nmad.lo.u32 %r4, %r1, %r2, %r3;\n"            \
    "mov.u32 %r5, %ctaid.y;\nmad.lo.u32 %r7, %r5, 512, %r4;\nmul.wide.u32 %rd3, %r7, 4;\nadd.u64 %rd2, %rd2, %rd3;\n"  \
    "mov.f32 %f1, 0f00000000;\nmov.u32 %r6, 0;\n" before "loop:\n" in_loop                                             \
    "add.f32 %f1, %f1, %f2;\nadd.u32 %r6, %r6, 1;\nsetp.lt.u32 %p, %r6, 64;\n@%p bra loop;\n"                          \
    "st.global.f32 [%rd2], %f1;\nret;\n}\n"
static const char text[] = ".version 7.0\n.target sm_75\n.address_size 64\n" ENTRY(
    "load", "mul.lo.u32 %r1, %r5, 576;\n",
    "add.u32 %r2, %r4, %r6;\nmin.u32 %r2, %r2, 575;\nadd.u32 %r2, %r2, %r1;\n"
    "mul.wide.u32 %rd4, %r2, 4;\nadd.u64 %rd4, %rd1, %rd4;\nld.global.f32 %f2, [%rd4];\n")
    ENTRY("fetch",
          "cvt.rn.f32.u32 %f3, %r4;\nadd.f32 %f3, %f3, 0f3F000000;\n"
          "cvt.rn.f32.u32 %f4, %r5;\nadd.f32 %f4, %f4, 0f3F000000;\n",
          "tex.2d.v4.f32.f32 {%f2, %f5, %f6, %f7}, [%rd1, {%f3, %f4}];\nadd.f32 %f3, %f3, 0f3F800000;\n");

static double processor_time(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

/* One launch. */
struct side {
    struct program *program;
    struct {
        uint64_t from, to;
    } params;
};

static uint64_t make_texture(struct rp_device *d, const float *values, bool linear, struct rp_error *err)
{
    const struct rp_array_config config = {
        .element = {.kind = RP_ELEMENT_FLOAT, .bits = 32, .channels = 1}, .width = COLUMNS, .height = SIDE};
    const struct rp_array_box all = {.width = COLUMNS * sizeof *values, .height = SIDE, .depth = 1};
    const struct rp_sampler sampler = {.filter = linear ? RP_FILTER_LINEAR : RP_FILTER_POINT};
    struct rp_array *array = rp_array_new(d, &config, "a", err);
    if (!array || !rp_array_write(d, array, &all, values, all.width, 0, err))
        return 0;
    return rp_texture_new(d, &(struct rp_resource){.kind = RP_RESOURCE_ARRAY, .array = array}, &sampler, NULL, err);
}

static bool make_sides(struct rp_device *d, bool linear, struct side sides[2], struct rp_error *err)
{
    const uint64_t in = (uint64_t)COLUMNS * SIDE * sizeof(float), out = (uint64_t)SIDE * SIDE * sizeof(float);
    struct module *m = rp_device_load_bytes(d, "texture_cost.ptx", text, sizeof text - 1, err);
    uint64_t buffer = m ? rp_alloc(d, in, "a", err) : 0;
    if (!buffer)
        return false;
    float *values = rp_host(d, buffer, in);
    for (uint64_t i = 0; i < in / sizeof *values; i++)
        values[i] = (float)(i % 97);
    sides[0].params.from = buffer;
    sides[1].params.from = make_texture(d, values, linear, err);
    for (unsigned i = 0; i < 2; i++)
        if (!sides[i].params.from || !(sides[i].params.to = rp_alloc(d, out, "sums", err)) ||
            !(sides[i].program = module_find(m, i ? "fetch" : "load", err)))
            return false;
    return true;
}

static bool run_side(struct rp_device *d, const struct side *s, double *seconds, struct rp_error *err)
{
    const struct rp_launch_config config = {
        .grid = {SIDE / THREADS, SIDE, 1}, .block = {THREADS, 1, 1}, .params = &s->params, .threads = 1};
    struct rp_launch_result result;
    double before = processor_time();
    if (!rp_launch_kernel(d, s->program, &config, &result, err))
        return false;
    *seconds = processor_time() - before;
    return true;
}

static bool measure(struct rp_device *d, bool linear, unsigned runs, double *times, struct rp_error *err)
{
    struct side sides[2];
    double best[2] = {0, 0};
    if (!make_sides(d, linear, sides, err))
        return false;
    for (unsigned i = 0; i < 2 * runs; i++) {
        double seconds;
        if (!run_side(d, &sides[i % 2], &seconds, err))
            return false;
        best[i % 2] = i < 2 || seconds < best[i % 2] ? seconds : best[i % 2];
    }
    const uint64_t out = (uint64_t)SIDE * SIDE * sizeof(float);
    if (memcmp(rp_host(d, sides[0].params.to, out), rp_host(d, sides[1].params.to, out), out))
        return rp_fail(err, RP_KERNEL, "sums of fetches differ from those of loads");
    *times = best[1] / best[0];
    return true;
}

bool texture_cost(bool linear, unsigned runs, double *times, struct rp_error *err)
{
    struct rp_device *d = rp_device_new(err);
    bool ok = d && measure(d, linear, runs, times, err);
    if (d)
        rp_device_free(d);
    return ok;
}
