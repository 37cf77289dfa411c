#include "tests/hardware/gpu.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static void *driver;
static CUcontext context;
static bool hangs;
static char message[4096];

/* ---- the driver -------------------------------------------------------------------------------------------------- */

void *gpu_function(const char *name)
{
    void *function = dlsym(driver, name);
    if (function)
        return function;
    fprintf(stderr, "libcuda.so.1 has no %s\n", name);
    exit(1);
}

const char *gpu_message(const char *what, int result)
{
    const char *text = "an unknown error";
    (void)GPU(cuGetErrorString, (CUresult)result, &text);
    snprintf(message, sizeof message, "%s: %s (%d)", what, text, result);
    return message;
}

const char *gpu_open(const char **why)
{
    static char line[256];
    char name[128];
    int version, kilohertz = 0, result;
    *why = message;
    if (context)
        return line;
    if (!(driver = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL))) {
        snprintf(message, sizeof message, "%s", dlerror());
        return NULL;
    }
    if ((result = GPU(cuInit, 0)) || (result = GPU(cuDeviceGetName, name, sizeof name, 0)) ||
        (result = GPU(cuDriverGetVersion, &version)) || (result = GPU(cuCtxCreate_v2, &context, 0, 0))) {
        gpu_message("opening the GPU", result);
        return NULL;
    }
    (void)GPU(cuDeviceGetAttribute, &kilohertz, CU_DEVICE_ATTRIBUTE_CLOCK_RATE, 0);
    snprintf(line, sizeof line, "%s, driver for CUDA %d.%d, %d MHz", name, version / 1000, version % 1000 / 10,
             kilohertz / 1000);
    return line;
}

/* ---- modules ----------------------------------------------------------------------------------------------------- */

enum { KEPT = 512 };
static struct kept {
    uint64_t identity;
    CUmodule module;
} kept[KEPT];
static unsigned kept_count;

static void unload_all(void)
{
    for (unsigned i = 0; i < kept_count; i++)
        (void)GPU(cuModuleUnload, kept[i].module);
    kept_count = 0;
}

static CUmodule load(uint64_t identity, const void *bytes)
{
    static char log[2048];
    CUjit_option options[] = {CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES};
    void *values[] = {log, (void *)(uintptr_t)sizeof log};
    for (unsigned i = 0; i < kept_count; i++)
        if (kept[i].identity == identity)
            return kept[i].module;
    if (kept_count == KEPT)
        unload_all();
    struct kept *k = &kept[kept_count];
    *log = 0;
    k->identity = identity;
    int result = GPU(cuModuleLoadDataEx, &k->module, bytes, 2, options, values);
    if (result) {
        gpu_message("loading it", result);
        size_t n = strlen(message);
        snprintf(message + n, sizeof message - n, " %s", log);
        return NULL;
    }
    kept_count++;
    return k->module;
}

CUfunction gpu_kernel(uint64_t identity, const char *name, const void *bytes, const char **why)
{
    CUfunction function = NULL;
    CUmodule module = load(identity, bytes);
    *why = message;
    if (!module)
        return NULL;
    int result = GPU(cuModuleGetFunction, &function, module, name);
    if (result)
        gpu_message(name, result);
    return result ? NULL : function;
}

/* ---- launches ---------------------------------------------------------------------------------------------------- */

enum { HANG_SECONDS = 10, PORTABLE_SHARED = 48 * 1024 };

/* After a fault the old context takes no calls any more. */
static void begin_again(void)
{
    kept_count = 0;
    gpu_memory_lost();
    (void)GPU(cuCtxDestroy_v2, context);
    hangs = GPU(cuCtxCreate_v2, &context, 0, 0) != 0;
}

static double seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static enum gpu_status wait_for_end(void)
{
    int result;
    double start = seconds();
    while ((result = GPU(cuStreamQuery, NULL)) == CUDA_ERROR_NOT_READY)
        if (seconds() - start > HANG_SECONDS) {
            hangs = true;
            gpu_message("the kernel does not end", result);
            return GPU_HANGS;
        }
    if (!result)
        return GPU_FINE;
    gpu_message("the kernel", result);
    begin_again();
    return GPU_FAULT;
}

enum gpu_status gpu_launch(CUfunction kernel, const struct gpu_launch *l, const char **why)
{
    enum { BUFFER = 1, SIZE = 2 };
    size_t size = l->parameter_bytes;
    void *extra[] = {(void *)BUFFER, (void *)(uintptr_t)l->params, (void *)SIZE, &size, NULL};
    const uint32_t *g = l->grid, *b = l->block, *c = l->cluster;
    CUlaunchAttribute cluster = {.id = CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION, .value.clusterDim = {c[0], c[1], c[2]}};
    const CUlaunchConfig config = {g[0], g[1], g[2], b[0], b[1], b[2], l->dynamic_shared, NULL, &cluster, c[0] != 0};
    *why = message;
    if (hangs) {
        snprintf(message, sizeof message, "an earlier kernel does not end, or left no context");
        return GPU_HANGS;
    }
    if (l->dynamic_shared > PORTABLE_SHARED)
        (void)GPU(cuFuncSetAttribute, kernel, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, (int)l->dynamic_shared);
    if (c[0])
        (void)GPU(cuFuncSetAttribute, kernel, CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED, 1);
    int result = GPU(cuLaunchKernelEx, &config, kernel, NULL, size ? extra : NULL);
    if (!result)
        return wait_for_end();
    gpu_message("the launch", result);
    return GPU_REFUSED;
}
