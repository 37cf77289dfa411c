/* A real GPU beside the engine: linked into a test's program with --wrap, it repeats each launch of the test on the GPU
 * with the same code, parameters and device memory, and compares what both leave, bit for bit.
 *
 * Machine code for sm_90 is repeated as it is, PTX as the driver compiles it. Left out are launches
 * that fail in the engine, and those that need what only the engine has (grid barriers, host memory).
 *
 * GPU_RESULTS is the folder for what is found (found.h); without it nothing is repeated. GPU_PART=I/N repeats the I-th
 * of N parts of the kernels. After too many faults the rest is left out. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "frontend/host/internal.h"
#include "frontend/host/launch.h"
#include "tests/hardware/found.h"
#include "tests/hardware/gpu.h"
#include "tests/hardware/images.h"

enum { MOST_FAULTS = 30, PARAMETERS = 8192 };

/* What --wrap calls the functions: the linker puts __wrap_NAME in the place of NAME, which is __real_NAME. */
typedef bool launch_fn(struct rp_device *, struct program *, const struct rp_launch_config *, struct rp_launch_result *,
                       struct rp_error *);
typedef struct module *load_fn(const char *, const void *, size_t, uint64_t, struct rp_error *);
typedef struct module *load_text_fn(const char *, const char *, uint64_t, uint64_t, struct rp_error *);
launch_fn __real_rp_launch_kernel, __wrap_rp_launch_kernel;
load_fn __real_module_load_bytes, __wrap_module_load_bytes;
load_text_fn __real_ptx_load_text, __wrap_ptx_load_text;

/* ---- modules ----------------------------------------------------------------------------------------------------- */

struct module *__wrap_module_load_bytes(const char *path, const void *bytes, size_t size, uint64_t base,
                                        struct rp_error *err)
{
    struct module *m = __real_module_load_bytes(path, bytes, size, base, err);
    subject_keep(m, bytes, size);
    return m;
}

struct module *__wrap_ptx_load_text(const char *name, const char *text, uint64_t size, uint64_t base,
                                    struct rp_error *err)
{
    struct module *m = __real_ptx_load_text(name, text, size, base, err);
    subject_keep(m, text, size);
    return m;
}

/* ---- launches ---------------------------------------------------------------------------------------------------- */

static bool in_my_part(uint64_t hash)
{
    unsigned i, n;
    const char *part = getenv("GPU_PART");
    return !part || sscanf(part, "%u/%u", &i, &n) != 2 || !n || hash % n == i % n;
}

/* Brings memory, parameters and images to the GPU. NULL, or why that cannot be. */
static const char *prepare(struct rp_device *d, const struct program *p, const struct rp_launch_config *c,
                           struct memory_image *image, uint8_t params[PARAMETERS])
{
    if (p->parameter_bytes > PARAMETERS)
        return "too many parameters";
    if (!memory_image_upload(image))
        return "no memory";
    if (p->parameter_bytes)
        memcpy(params, c->params, p->parameter_bytes);
    memory_image_move(image, params, PARAMETERS);
    return images_place(d, params, p->parameter_bytes);
}

static void compare(struct rp_device *d, const struct subject *s, const struct memory_image *image)
{
    uint64_t texels = 0, differ = images_differ(d, &texels);
    found_totals.launches++;
    found_texels(s, differ, texels);
    found_memory(s, image);
}

static void repeat(struct rp_device *d, const struct subject *s, const struct program *p,
                   const struct rp_launch_config *c, struct memory_image *image)
{
    static uint8_t params[PARAMETERS];
    const char *why;
    struct gpu_launch l = {
        .dynamic_shared = c->dynamic_shared, .params = params, .parameter_bytes = p->parameter_bytes};
    memcpy(l.grid, c->grid, sizeof l.grid);
    memcpy(l.block, c->block, sizeof l.block);
    memcpy(l.cluster, c->cluster, sizeof l.cluster);
    CUfunction kernel = gpu_kernel(s->module, s->name, s->code, &why);
    if (kernel)
        why = prepare(d, p, c, image, params);
    enum gpu_status status = kernel && !why ? gpu_launch(kernel, &l, &why) : GPU_REFUSED;
    if (status == GPU_FINE && memory_image_download(image))
        compare(d, s, image);
    else
        found_trouble(s, status, why);
}

bool __wrap_rp_launch_kernel(struct rp_device *d, struct program *p, const struct rp_launch_config *c,
                             struct rp_launch_result *r, struct rp_error *err)
{
    static struct memory_image image;
    struct subject s = {0};
    if (!found_begin())
        return __real_rp_launch_kernel(d, p, c, r, err);
    if (!subject_find(&s, p) || !in_my_part(s.hash) || c->workspace || p->narrow || found_totals.faults > MOST_FAULTS) {
        found_totals.left_out++;
        subject_free(&s);
        return __real_rp_launch_kernel(d, p, c, r, err);
    }
    bool taken = memory_image_take(&image, d) && images_take(d);
    bool ok = __real_rp_launch_kernel(d, p, c, r, err);
    if (!ok)
        found_totals.engine_fails++;
    else if (!taken)
        found_totals.left_out++;
    else
        repeat(d, &s, p, c, &image);
    images_drop();
    subject_free(&s);
    return ok;
}
