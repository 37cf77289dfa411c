/* Fat binaries, kernels and variables that constructors of a program register before main. Nothing is loaded then; a
 * module is loaded when something in it is first used. Host functions and host variables represent their counterparts
 * in modules; a table finds them by address. */
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "frontend/cuda/abi/internal.h"
#include "frontend/cuda/runtime/runtime.h"

/* What a kernel or variable is on a device. */
struct found {
    unsigned generation; /* the generation in which the following was looked up */
    CUfunction function;
    CUdeviceptr address;
    size_t bytes;
};

struct entry {
    const void *key; /* the address in the program */
    struct module *module;
    const char *name;
    void **managed;      /* for managed variables: the pointer through which the program accesses it */
    struct found *found; /* of each device; NULL: not looked up yet */
};

/* A module on a device. */
struct loaded {
    CUmodule handle;
    unsigned generation;
};

struct module {
    const void *wrapper; /* in section .nvFatBinSegment; the driver understands it (driver/image.h) */
    struct loaded on[DEVICES_MOST];
    struct entry **entries;
    size_t count;
};

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static unsigned generations[DEVICES_MOST]; /* counts calls of cudaDeviceReset */

/* ---- the table: open addressing, at most half full --------------------------------------------------------------- */

static struct entry **slots, deleted;
static size_t slot_count, used;

static size_t slot_of(const void *key)
{
    return (size_t)(((uintptr_t)key >> 3) * UINT64_C(0x9e3779b97f4a7c15) >> 20) & (slot_count - 1);
}

static struct entry *find(const void *key)
{
    for (size_t i = slot_count ? slot_of(key) : 0; slot_count && slots[i]; i = (i + 1) & (slot_count - 1))
        if (slots[i]->key == key && slots[i] != &deleted)
            return slots[i];
    return NULL;
}

static void put(const void *key, struct entry *e)
{
    size_t i = slot_of(key);
    while (slots[i])
        i = (i + 1) & (slot_count - 1);
    slots[i] = e;
    used++;
}

static bool grow(void)
{
    size_t old_count = slot_count;
    struct entry **old = slots, **new = calloc(old_count ? 2 * old_count : 256, sizeof *new);
    if (!new)
        return false;
    slots = new;
    slot_count = old_count ? 2 * old_count : 256;
    used = 0;
    for (size_t i = 0; i < old_count; i++)
        if (old[i] && old[i] != &deleted)
            put(old[i]->key, old[i]);
    free(old);
    return true;
}

static void drop(const struct entry *e)
{
    for (size_t i = slot_of(e->key); slots[i]; i = (i + 1) & (slot_count - 1))
        if (slots[i] == e)
            slots[i] = &deleted;
}

/* ---- registration ------------------------------------------------------------------------------------------------ */

void **__cudaRegisterFatBinary(void *wrapper)
{
    struct module *m = calloc(1, sizeof *m);
    if (m)
        m->wrapper = wrapper;
    return (void **)m;
}

void __cudaRegisterFatBinaryEnd(void **module) { (void)module; }

static void add(void **module, const void *key, const char *name, void **managed)
{
    struct module *m = (struct module *)module;
    struct entry *e = m ? calloc(1, sizeof *e) : NULL;
    pthread_mutex_lock(&mutex);
    struct entry **entries = e ? realloc(m->entries, (m->count + 1) * sizeof(void *)) : NULL;
    if (entries)
        m->entries = entries;
    if (!entries || (2 * (used + 1) > slot_count && !grow()))
        free(e); /* using an unregistered function is an error */
    else {
        *e = (struct entry){.key = key, .module = m, .name = name, .managed = managed};
        m->entries[m->count++] = e;
        put(key, e);
    }
    pthread_mutex_unlock(&mutex);
}

void __cudaRegisterFunction(void **module, const char *host, char *device, const char *name, int threads, void *tid,
                            void *bid, void *block, void *grid, int *warp)
{
    (void)device, (void)threads, (void)tid, (void)bid, (void)block, (void)grid, (void)warp;
    add(module, host, name, NULL);
}

void __cudaRegisterVar(void **module, char *host, char *device, const char *name, int external, size_t bytes,
                       int constant, int global)
{
    (void)device, (void)external, (void)bytes, (void)constant, (void)global;
    add(module, host, name, NULL);
}

void __cudaRegisterManagedVar(void **module, void **host, char *device, const char *name, int external, size_t bytes,
                              int constant, int global)
{
    (void)device, (void)external, (void)bytes, (void)constant, (void)global;
    add(module, host, name, host);
}

void __cudaRegisterHostVar(void **module, const char *device, char *host, size_t bytes)
{
    (void)module, (void)device, (void)host, (void)bytes;
    not_supported(__func__);
}

#if CUDART_MAJOR == 11
void __cudaRegisterTexture(void **module, const void *host, const void **device, const char *name, int dimensions,
                           int normalised, int external)
{
    (void)module, (void)host, (void)device, (void)name, (void)dimensions, (void)normalised, (void)external;
    not_supported(__func__);
}

void __cudaRegisterSurface(void **module, const void *host, const void **device, const char *name, int dimensions,
                           int external)
{
    (void)module, (void)host, (void)device, (void)name, (void)dimensions, (void)external;
    not_supported(__func__);
}
#else
void __cudaRegisterUnifiedTable(void **module, void *table)
{
    (void)module, (void)table;
    not_supported(__func__);
}
#endif

void __cudaUnregisterFatBinary(void **module)
{
    struct module *m = (struct module *)module;
    if (!m)
        return;
    pthread_mutex_lock(&mutex);
    for (size_t i = 0; i < m->count; i++) {
        drop(m->entries[i]);
        free(m->entries[i]->found);
        free(m->entries[i]);
    }
    for (int d = 0; d < DEVICES_MOST; d++)
        if (m->on[d].handle && m->on[d].generation == generations[d])
            cuModuleUnload(m->on[d].handle);
    pthread_mutex_unlock(&mutex);
    free(m->entries);
    free(m);
}

/* ---- use --------------------------------------------------------------------------------------------------------- */

/* What the entry is on the device. */
static CUresult found_on(struct entry *e, int device, struct found **f)
{
    int count = 0;
    CUresult result = e->found ? CUDA_SUCCESS : cuDeviceGetCount(&count);
    if (result)
        return result;
    if (!e->found)
        e->found = calloc((size_t)count, sizeof *e->found);
    if (!e->found)
        return CUDA_ERROR_OUT_OF_MEMORY;
    *f = &e->found[device];
    if ((*f)->generation != generations[device] + 1)
        **f = (struct found){0};
    return CUDA_SUCCESS;
}

static CUresult look_up_variable(struct entry *e, int device)
{
    struct found *f;
    CUresult result = found_on(e, device, &f);
    if (result || f->generation)
        return result;
    result = cuModuleGetGlobal_v2(&f->address, &f->bytes, e->module->on[device].handle, e->name);
    if (!result)
        f->generation = generations[device] + 1;
    return result;
}

/* A module that is loaded on a further device has its __managed__ variables there once more, and the host's name means
 * these. Says so the first time. */
static void warn_of_managed(const struct module *m, const struct entry *e, int device)
{
    static bool said;
    bool elsewhere = false;
    for (int d = 0; d < DEVICES_MOST; d++)
        elsewhere |= d != device && m->on[d].handle && m->on[d].generation == generations[d];
    if (elsewhere && !said)
        fprintf(
            stderr,
            "reprise: the __managed__ variable '%s' is not one for all devices: each has its own, and the host uses "
            "that of the device that was first used last; memory of cudaMallocManaged is one for all\n",
            e->name);
    said |= elsewhere;
}

/* Loads the module on the device of the current context. */
static CUresult load(struct module *m, int device)
{
    struct loaded *l = &m->on[device];
    if (l->handle && l->generation == generations[device])
        return CUDA_SUCCESS;
    CUresult result = cuModuleLoadData(&l->handle, m->wrapper);
    if (result) {
        l->handle = NULL;
        return result;
    }
    l->generation = generations[device];
    for (size_t i = 0; i < m->count; i++) {
        struct entry *e = m->entries[i];
        if (!e->managed || look_up_variable(e, device))
            continue;
        *e->managed = (void *)e->found[device].address;
        warn_of_managed(m, e, device);
    }
    return CUDA_SUCCESS;
}

char __cudaInitModule(void **module)
{
    struct module *m = (struct module *)module;
    if (!m || !ready())
        return 0;
    pthread_mutex_lock(&mutex);
    CUresult result = load(m, context_device());
    pthread_mutex_unlock(&mutex);
    return !done(result);
}

static CUresult look_up_function(struct entry *e, int device)
{
    struct found *f;
    CUresult result = found_on(e, device, &f);
    if (result || f->function || (result = load(e->module, device)))
        return result;
    result = cuModuleGetFunction(&f->function, e->module->on[device].handle, e->name);
    if (!result)
        f->generation = generations[device] + 1;
    return result == CUDA_ERROR_NOT_FOUND ? (CUresult)cudaErrorInvalidDeviceFunction : result;
}

/* An address that was not registered may be a handle of the driver. */
static CUresult driver_function(const void *function, CUfunction *handle)
{
    int threads;
    *handle = (CUfunction)function;
    if (!function || cuFuncGetAttribute(&threads, CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK, *handle))
        return (CUresult)cudaErrorInvalidDeviceFunction;
    return CUDA_SUCCESS;
}

bool function_of(const void *function, CUfunction *handle)
{
    if (!ready())
        return false;
    int device = context_device();
    pthread_mutex_lock(&mutex);
    struct entry *e = find(function);
    CUresult result = CUDA_SUCCESS;
    if (e && !(result = look_up_function(e, device)))
        *handle = e->found[device].function;
    pthread_mutex_unlock(&mutex);
    return !done(e ? result : driver_function(function, handle));
}

static bool is_function(const struct entry *e, CUfunction function)
{
    int count = 0;
    cuDeviceGetCount(&count);
    for (int d = 0; e->found && d < count; d++)
        if (e->found[d].function == function && e->found[d].generation == generations[d] + 1)
            return true;
    return false;
}

void *host_function_of(CUfunction function)
{
    const void *host = function;
    pthread_mutex_lock(&mutex);
    for (size_t i = 0; i < slot_count; i++)
        if (slots[i] && slots[i] != &deleted && is_function(slots[i], function))
            host = slots[i]->key;
    pthread_mutex_unlock(&mutex);
    return (void *)host;
}

bool symbol_of(const void *symbol, CUdeviceptr *address, size_t *bytes)
{
    if (!ready())
        return false;
    int device = context_device();
    pthread_mutex_lock(&mutex);
    struct entry *e = find(symbol);
    CUresult result = (CUresult)cudaErrorInvalidSymbol;
    if (e && !(result = load(e->module, device)) && look_up_variable(e, device))
        result = (CUresult)cudaErrorInvalidSymbol;
    if (!result) {
        *address = e->found[device].address;
        *bytes = e->found[device].bytes;
    }
    pthread_mutex_unlock(&mutex);
    return !done(result);
}

void forget_modules(int device)
{
    pthread_mutex_lock(&mutex);
    generations[device]++;
    pthread_mutex_unlock(&mutex);
}
