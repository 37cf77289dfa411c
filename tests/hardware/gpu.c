#include "tests/hardware/gpu.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

typedef int result;
typedef uint64_t address;
enum { HANG_SECONDS = 5, PAGE = 2 << 20, LEAST_BYTES = 64 << 20 };
enum { NOT_READY = 600 };

/* From cuda.h: the types of what is called. */
struct location {
    int type, id;
};
struct allocation_properties {
    int type, handles;
    struct location location;
    void *win32;
    struct {
        unsigned char compression, rdma;
        unsigned short usage;
        unsigned char reserved[4];
    } flags;
};
struct access {
    struct location location;
    int flags;
};
union attribute_value {
    char pad[64];
    struct {
        unsigned x, y, z;
    } cluster;
};
struct attribute {
    int id;
    char pad[4];
    union attribute_value value;
};
struct launch_config {
    unsigned grid[3], block[3], shared;
    void *stream;
    struct attribute *attributes;
    unsigned count;
};
enum { ATTRIBUTE_CLUSTER = 4, MAX_DYNAMIC_SHARED = 8, NON_PORTABLE_CLUSTER = 14, STORED_PINNED = 1, ON_DEVICE = 1, READ_WRITE = 3 };

#define EACH_CALL(X)                                                                                                   \
    X(cuInit, (unsigned))                                                                                              \
    X(cuDeviceGet, (int *, int))                                                                                       \
    X(cuDeviceGetName, (char *, int, int))                                                                             \
    X(cuDriverGetVersion, (int *))                                                                                     \
    X(cuDeviceGetAttribute, (int *, int, int))                                                                         \
    X(cuCtxCreate_v2, (void **, unsigned, int))                                                                        \
    X(cuCtxDestroy_v2, (void *))                                                                                       \
    X(cuModuleLoadDataEx, (void **, const void *, unsigned, int *, void **))                                           \
    X(cuModuleGetFunction, (void **, void *, const char *))                                                            \
    X(cuModuleUnload, (void *))                                                                                        \
    X(cuFuncSetAttribute, (void *, int, int))                                                                          \
    X(cuMemAddressReserve, (address *, size_t, size_t, address, unsigned long long))                                   \
    X(cuMemAddressFree, (address, size_t))                                                                             \
    X(cuMemCreate, (unsigned long long *, size_t, const struct allocation_properties *, unsigned long long))           \
    X(cuMemMap, (address, size_t, size_t, unsigned long long, unsigned long long))                                     \
    X(cuMemSetAccess, (address, size_t, const struct access *, size_t))                                                \
    X(cuMemUnmap, (address, size_t))                                                                                   \
    X(cuMemRelease, (unsigned long long))                                                                              \
    X(cuMemAlloc_v2, (address *, size_t))                                                                              \
    X(cuMemFree_v2, (address))                                                                                         \
    X(cuMemcpyHtoD_v2, (address, const void *, size_t))                                                                \
    X(cuMemcpyDtoH_v2, (void *, address, size_t))                                                                      \
    X(cuLaunchKernelEx, (const struct launch_config *, void *, void **, void **))                                      \
    X(cuStreamQuery, (void *))                                                                                         \
    X(cuGetErrorString, (result, const char **))
#define DECLARE(name, parameters) static result(*name) parameters;
EACH_CALL(DECLARE)

static void *context;
static bool hung;
static char message[4096];

/* ---- the driver -------------------------------------------------------------------------------------------------- */

static void *driver;

const char *gpu_say(const char *what, result r)
{
    const char *text = "unknown";
    cuGetErrorString(r, &text);
    snprintf(message, sizeof message, "%s: %s (%d)", what, text, r);
    return message;
}

static bool find_calls(void)
{
    driver = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
    if (!driver) {
        snprintf(message, sizeof message, "%s", dlerror());
        return false;
    }
#define FIND(name, parameters)                                                                                         \
    *(void **)&name = dlsym(driver, #name);                                                                            \
    if (!name) {                                                                                                       \
        snprintf(message, sizeof message, "libcuda.so.1 has no %s", #name);                                            \
        return false;                                                                                                  \
    }
    EACH_CALL(FIND)
    return true;
}

void *gpu_call(const char *name)
{
    void *call = dlsym(driver, name);
    if (call)
        return call;
    fprintf(stderr, "libcuda.so.1 has no %s\n", name);
    exit(1);
}

const char *gpu_open(const char **why)
{
    static char line[256];
    char name[128];
    int version, clock = 0;
    result r;
    *why = message;
    if (context)
        return line;
    if (!find_calls())
        return NULL;
    if ((r = cuInit(0)) || (r = cuDeviceGetName(name, sizeof name, 0)) || (r = cuDriverGetVersion(&version)) ||
        (r = cuCtxCreate_v2(&context, 0, 0))) {
        gpu_say("opening the GPU", r);
        return NULL;
    }
    cuDeviceGetAttribute(&clock, 13, 0);
    snprintf(line, sizeof line, "%s, CUDA driver %d.%d, %d MHz", name, version / 1000, version % 1000 / 10, clock / 1000);
    return line;
}

/* ---- modules ----------------------------------------------------------------------------------------------------- */

enum { KEPT = 512 };
static struct kept {
    uint64_t identity;
    void *module;
} kept[KEPT];
static unsigned kept_count;

static void forget(void)
{
    for (unsigned i = 0; i < kept_count; i++)
        cuModuleUnload(kept[i].module);
    kept_count = 0;
}

static void *load(uint64_t identity, const void *module)
{
    static char log[2048];
    int options[] = {5, 6}; /* CU_JIT_ERROR_LOG_BUFFER, _SIZE_BYTES */
    void *values[] = {log, (void *)(uintptr_t)sizeof log};
    for (unsigned i = 0; i < kept_count; i++)
        if (kept[i].identity == identity)
            return kept[i].module;
    if (kept_count == KEPT)
        forget();
    struct kept *k = &kept[kept_count];
    *log = 0;
    k->identity = identity;
    result r = cuModuleLoadDataEx(&k->module, module, 2, options, values);
    if (r) {
        gpu_say("load", r);
        size_t n = strlen(message);
        snprintf(message + n, sizeof message - n, " %s", log);
        return NULL;
    }
    kept_count++;
    return k->module;
}

void *gpu_kernel(uint64_t identity, const char *name, const void *bytes, const char **why)
{
    void *function = NULL, *module = load(identity, bytes);
    result r = module ? cuModuleGetFunction(&function, module, name) : 1;
    *why = message;
    if (module && r)
        gpu_say(name, r);
    return r ? NULL : function;
}

/* ---- memory ------------------------------------------------------------------------------------------------------ */

static struct {
    uint64_t base, bytes; /* of the engine */
    address at;           /* of the GPU; 0: none */
    unsigned long long handle;
    bool fixed;
} memory;

static void unmap(void)
{
    if (memory.at && memory.fixed) {
        cuMemUnmap(memory.at, memory.bytes);
        cuMemRelease(memory.handle);
        cuMemAddressFree(memory.at, memory.bytes);
    } else if (memory.at) {
        cuMemFree_v2(memory.at);
    }
    memory.at = 0;
}

/* At the engine's own addresses. */
static bool map_fixed(void)
{
    const struct allocation_properties p = {.type = STORED_PINNED, .location = {ON_DEVICE, 0}};
    const struct access a = {{ON_DEVICE, 0}, READ_WRITE};
    address at = 0;
    if (cuMemAddressReserve(&at, memory.bytes, PAGE, memory.base, 0))
        return false;
    if (at == memory.base && !cuMemCreate(&memory.handle, memory.bytes, &p, 0)) {
        if (!cuMemMap(at, memory.bytes, 0, memory.handle, 0)) {
            if (!cuMemSetAccess(at, memory.bytes, &a, 1)) {
                memory.at = at;
                return memory.fixed = true;
            }
            cuMemUnmap(at, memory.bytes);
        }
        cuMemRelease(memory.handle);
    }
    cuMemAddressFree(at, memory.bytes);
    return false;
}

bool gpu_map(uint64_t base, uint64_t bytes)
{
    if (memory.at && memory.base <= base && base - memory.base + bytes <= memory.bytes)
        return true;
    unmap();
    memory.base = base / PAGE * PAGE;
    bytes += base - memory.base;
    memory.bytes = (bytes < LEAST_BYTES ? LEAST_BYTES : (bytes + PAGE - 1) / PAGE * PAGE);
    memory.fixed = false;
    return map_fixed() || !cuMemAlloc_v2(&memory.at, memory.bytes);
}

int64_t gpu_moved(void) { return (int64_t)(memory.at - memory.base); }
bool gpu_write(uint64_t to, const void *from, size_t bytes)
{
    return !bytes || !cuMemcpyHtoD_v2(to + (address)gpu_moved(), from, bytes);
}
bool gpu_read(uint64_t from, void *to, size_t bytes)
{
    return !bytes || !cuMemcpyDtoH_v2(to, from + (address)gpu_moved(), bytes);
}

/* ---- launches ---------------------------------------------------------------------------------------------------- */

/* After a fault the old context takes no calls any more. */
static void begin_again(void)
{
    kept_count = 0;
    memory.at = 0;
    cuCtxDestroy_v2(context);
    hung = cuCtxCreate_v2(&context, 0, 0) != 0;
}

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

enum gpu_status gpu_launch(void *kernel, const struct gpu_launch *l, const char **why)
{
    size_t size = l->parameter_bytes;
    void *extra[] = {(void *)1, (void *)(uintptr_t)l->params, (void *)2, &size, NULL};
    struct attribute cluster = {.id = ATTRIBUTE_CLUSTER};
    struct launch_config c = {.shared = l->dynamic_shared, .attributes = &cluster, .count = l->cluster[0] != 0};
    *why = message;
    if (hung)
        return gpu_say("an earlier kernel hangs", 0), GPU_HANGS;
    memcpy(c.grid, l->grid, sizeof c.grid);
    memcpy(c.block, l->block, sizeof c.block);
    memcpy(&cluster.value, l->cluster, sizeof l->cluster);
    if (l->dynamic_shared > 48 * 1024)
        cuFuncSetAttribute(kernel, MAX_DYNAMIC_SHARED, (int)l->dynamic_shared);
    if (l->cluster[0])
        cuFuncSetAttribute(kernel, NON_PORTABLE_CLUSTER, 1);
    result r = cuLaunchKernelEx(&c, kernel, NULL, size ? extra : NULL);
    if (r)
        return gpu_say("launch", r), GPU_REFUSED;
    double start = now();
    while ((r = cuStreamQuery(NULL)) == NOT_READY)
        if (now() - start > HANG_SECONDS) {
            hung = true;
            return gpu_say("the kernel does not end", r), GPU_HANGS;
        }
    if (!r)
        return GPU_FINE;
    gpu_say("the kernel", r);
    begin_again();
    return GPU_FAULT;
}
