#include "tests/support/matrix_rate.h"

#include <time.h>

#include "frontend/host/launch.h"

enum { TILE = 64, THREADS = 128 };

/* 1, 2 or 3 as f16, and what it stands for. */
static uint16_t half_at(uint64_t i) { return (uint16_t[]){0x3c00, 0x4000, 0x4200}[i % 3]; }
static float number_at(uint64_t i) { return (float)(i % 3 + 1); }

static bool correct(const float *c, unsigned size, struct rp_error *err)
{
    for (unsigned r = 0; r < size; r += 37)
        for (unsigned x = 0; x < size; x += 41) {
            float sum = 0; /* exact: small whole numbers */
            for (unsigned i = 0; i < size; i++)
                sum += number_at((uint64_t)r * size + i) * number_at((uint64_t)i * size + x);
            if (c[r * size + x] != sum)
                return rp_fail(err, RP_KERNEL, "C[%u][%u] is %g, not %g", r, x, (double)c[r * size + x], (double)sum);
        }
    return true;
}

static double processor_time(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static bool measure(struct rp_device *device, const char *module, struct rp_writer *writer, unsigned size, double *rate,
                    struct rp_error *err)
{
    struct module *m = rp_device_load(device, module, err);
    struct program *p = m ? module_find(m, "tiled", err) : NULL;
    if (!p)
        return false;
    struct {
        uint64_t a, b, c;
        uint32_t n, k;
    } params = {.n = size, .k = size};
    const uint64_t count = (uint64_t)size * size;
    if (!(params.a = rp_alloc(device, 2 * count, "a", err)) || !(params.b = rp_alloc(device, 2 * count, "b", err)) ||
        !(params.c = rp_alloc(device, 4 * count, "c", err)))
        return false;
    uint16_t *a = rp_host(device, params.a, 2 * count), *b = rp_host(device, params.b, 2 * count);
    for (uint64_t i = 0; i < count; i++)
        a[i] = b[i] = half_at(i);
    const struct rp_launch_config config = {.grid = {size / TILE, size / TILE, 1},
                                            .block = {THREADS, 1, 1},
                                            .params = &params,
                                            .threads = 1,
                                            .writer = writer};
    struct rp_launch_result result;
    double before = processor_time();
    if (!rp_launch_kernel(device, p, &config, &result, err))
        return false;
    *rate = (double)count * size / (processor_time() - before);
    return correct(rp_host(device, params.c, 4 * count), size, err);
}

bool matrix_rate(const char *module, unsigned size, const char *trace, double *rate, struct rp_error *err)
{
    struct rp_writer *writer = NULL;
    struct rp_device *device = rp_device_new(err);
    if (!device)
        return false;
    bool ok =
        !trace || (writer = rp_writer_open(trace, &(struct rp_provenance){0}, &(struct rp_writer_options){0}, err));
    ok = ok && measure(device, module, writer, size, rate, err);
    if (writer && ok)
        ok = rp_writer_close(writer, err);
    else if (writer)
        rp_writer_abandon(writer);
    rp_device_free(device);
    return ok;
}
