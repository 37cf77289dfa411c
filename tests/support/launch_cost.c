#include "tests/support/launch_cost.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "frontend/host/launch.h"

static const char module_text[] = ".version 6.0\n"
                                  ".target sm_60\n"
                                  ".address_size 64\n"
                                  ".visible .entry empty() { ret; }\n"
                                  ".visible .entry stores(.param .u64 to)\n"
                                  "{\n"
                                  "    .reg .b32 %r<5>;\n"
                                  "    .reg .b64 %rd<4>;\n"
                                  "    ld.param.u64 %rd1, [to];\n"
                                  "    mov.u32 %r1, %ctaid.x;\n"
                                  "    mov.u32 %r2, %ntid.x;\n"
                                  "    mov.u32 %r3, %tid.x;\n"
                                  "    mad.lo.u32 %r4, %r1, %r2, %r3;\n"
                                  "    mul.wide.u32 %rd2, %r4, 4;\n"
                                  "    add.u64 %rd3, %rd1, %rd2;\n"
                                  "    st.global.u32 [%rd3], %r4;\n"
                                  "    ret;\n"
                                  "}\n";

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return 1e6 * (double)t.tv_sec + 1e-3 * (double)t.tv_nsec;
}

static bool open_writer(const struct launch_cost *c, struct rp_writer **writer, struct rp_error *err)
{
    static const struct rp_writer_options scratch = {.scratch = true};
    static const struct rp_provenance nothing = {0};
    *writer = c->recorded ? rp_writer_open("/tmp/reprise-launches", &nothing, &scratch, err) : NULL;
    return *writer || !c->recorded;
}

static bool launch_all(const struct launch_cost *c, struct rp_device *device, struct program *p,
                       struct rp_launch_config *config, double *microseconds, struct rp_error *err)
{
    struct rp_launch_result result;
    double start = 0;
    bool ok = true;
    for (uint32_t i = 0; i <= c->launches && ok; i++) {
        if (i == 1)
            start = now();
        ok = rp_launch_kernel(device, p, config, &result, err);
    }
    *microseconds = (now() - start) / c->launches;
    return ok;
}

static bool measure(const struct launch_cost *c, struct rp_device *device, struct module *m, double *microseconds,
                    double *freeing, struct rp_error *err)
{
    uint64_t to = c->buffer ? rp_alloc(device, c->buffer, "to", err) : 0;
    uint64_t *others = calloc(c->allocations + 1, sizeof *others);
    struct rp_launch_config config = {
        .grid = {c->blocks, 1, 1}, .block = {32, 1, 1}, .params = &to, .threads = c->threads};
    bool ok = others && (to || !c->buffer);
    for (uint32_t i = 0; ok && i < c->allocations; i++)
        ok = (others[i] = rp_alloc(device, 64, "other", err)) != 0;
    struct program *p = ok ? module_find(m, c->buffer ? "stores" : "empty", err) : NULL;
    ok = p && open_writer(c, &config.writer, err) && launch_all(c, device, p, &config, microseconds, err);
    double start = now();
    for (uint32_t i = 0; ok && i < c->allocations; i++)
        ok = rp_free(device, others[i], err);
    *freeing = c->allocations ? (now() - start) / c->allocations : 0;
    rp_writer_abandon(config.writer);
    free(others);
    return ok;
}

bool launch_cost(const struct launch_cost *c, double *microseconds, double *freeing, struct rp_error *err)
{
    struct rp_device *device = rp_device_new(err);
    struct module *m = device ? ptx_load_text("launches.ptx", module_text, strlen(module_text), 0, err) : NULL;
    bool ok = m && rp_device_adopt(device, m, err) && measure(c, device, m, microseconds, freeing, err);
    rp_device_free(device);
    return ok;
}
