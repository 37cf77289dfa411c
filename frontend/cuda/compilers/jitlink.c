/* Stands before libnvJitLink.so.13 or .12, NVIDIA's linker of LTO IR, and passes everything on to it; but where a
 * program links LTO IR into a cubin (Numba does), it gets the linked PTX instead, which can be executed for every
 * target. Loaded before the program under the same soname, so that whoever looks for the library finds this one. The
 * real one is looked for in CUDA_PATH, CUDA_HOME, the wheels of the Python that runs, and /usr/local/cuda. */
#include <dlfcn.h>
#include <glob.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { ERROR_INTERNAL = 6 }; /* NVJITLINK_ERROR_INTERNAL */

#define NAME "libnvJitLink.so.1[32]" /* the functions of both are the same */

static void *real;

static bool try(const char *pattern)
{
    glob_t found;
    if (!glob(pattern, 0, NULL, &found)) {
        for (size_t i = found.gl_pathc; i && !real; i--) /* the newest is the last */
            real = dlopen(found.gl_pathv[i - 1], RTLD_NOW | RTLD_LOCAL);
        globfree(&found);
    }
    return real;
}

static bool try_in(const char *folder, const char *below)
{
    char pattern[4200];
    if (!folder || snprintf(pattern, sizeof pattern, "%s/%s", folder, below) >= (int)sizeof pattern)
        return false;
    return try(pattern);
}

/* The folder of the interpreter as it was called, which a virtual environment has in its bin. */
static bool try_python(void)
{
    char command[4096] = "";
    FILE *f = fopen("/proc/self/cmdline", "r");
    if (f) {
        size_t length = fread(command, 1, sizeof command - 1, f);
        command[length] = 0;
        fclose(f);
    }
    char *slash = strrchr(command, '/');
    if (slash)
        *slash = 0;
    return slash && (try_in(command, "../lib/python3*/site-packages/nvidia/*/lib/" NAME));
}

static void find(void)
{
    if (try_in(getenv("VIRTUAL_ENV"), "lib/python3*/site-packages/nvidia/*/lib/" NAME) || try_python() ||
        try_in(getenv("CUDA_PATH"), "lib64/" NAME) || try_in(getenv("CUDA_HOME"), "lib64/" NAME) ||
        try("/usr/local/cuda/lib64/" NAME))
        return;
    fputs("reprise: NVIDIA's libnvJitLink was not found; set CUDA_PATH to the folder that has it in lib64\n", stderr);
}

static void *function(const char *name)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, find);
    return real ? dlsym(real, name) : NULL;
}

/* ---- options ----------------------------------------------------------------------------------------------------- */

/* Handles that were made to link LTO IR. */
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static void *linking[256];

static void note(void *from, void *to)
{
    pthread_mutex_lock(&mutex);
    for (size_t i = 0; i < sizeof linking / sizeof *linking; i++)
        if (linking[i] == from) {
            linking[i] = to;
            break;
        }
    pthread_mutex_unlock(&mutex);
}

static bool links_lto(void *handle)
{
    bool found = false;
    pthread_mutex_lock(&mutex);
    for (size_t i = 0; i < sizeof linking / sizeof *linking; i++)
        found |= handle && linking[i] == handle;
    pthread_mutex_unlock(&mutex);
    return found;
}

int nvJitLinkCreate(void **handle, uint32_t count, const char **options)
{
    int (*create)(void **, uint32_t, const char **) = function("nvJitLinkCreate");
    const char **more = malloc((count + 1) * sizeof *more);
    bool lto = false, ptx = false;
    int result = ERROR_INTERNAL;
    for (uint32_t i = 0; more && i < count; i++) {
        more[i] = options[i];
        lto |= !strcmp(options[i], "-lto");
        ptx |= !strcmp(options[i], "-ptx");
    }
    if (more && create) {
        more[count] = "-ptx";
        result = create(handle, count + (lto && !ptx), more);
        if (!result && lto && !ptx)
            note(NULL, *handle);
    }
    free(more);
    return result;
}

int nvJitLinkDestroy(void **handle)
{
    int (*destroy)(void **) = function("nvJitLinkDestroy");
    if (handle && links_lto(*handle))
        note(*handle, NULL);
    return destroy ? destroy(handle) : ERROR_INTERNAL;
}

int nvJitLinkGetLinkedCubinSize(void *handle, size_t *size)
{
    int (*get)(void *, size_t *) =
        function(links_lto(handle) ? "nvJitLinkGetLinkedPtxSize" : "nvJitLinkGetLinkedCubinSize");
    return get ? get(handle, size) : ERROR_INTERNAL;
}

int nvJitLinkGetLinkedCubin(void *handle, void *cubin)
{
    int (*get)(void *, void *) = function(links_lto(handle) ? "nvJitLinkGetLinkedPtx" : "nvJitLinkGetLinkedCubin");
    return get ? get(handle, cubin) : ERROR_INTERNAL;
}

/* ---- passed on --------------------------------------------------------------------------------------------------- */

#define PASS(name, params, types, args)                                                                                \
    int name params;                                                                                                   \
    int name params                                                                                                    \
    {                                                                                                                  \
        int(*f) types = function(#name);                                                                               \
        return f ? f args : ERROR_INTERNAL;                                                                            \
    }
PASS(nvJitLinkAddData, (void *h, int type, const void *data, size_t size, const char *name),
     (void *, int, const void *, size_t, const char *), (h, type, data, size, name))
PASS(nvJitLinkAddFile, (void *h, int type, const char *path), (void *, int, const char *), (h, type, path))
PASS(nvJitLinkComplete, (void *h), (void *), (h))
PASS(nvJitLinkGetLinkedPtxSize, (void *h, size_t *size), (void *, size_t *), (h, size))
PASS(nvJitLinkGetLinkedPtx, (void *h, char *ptx), (void *, char *), (h, ptx))
PASS(nvJitLinkGetErrorLogSize, (void *h, size_t *size), (void *, size_t *), (h, size))
PASS(nvJitLinkGetErrorLog, (void *h, char *log), (void *, char *), (h, log))
PASS(nvJitLinkGetInfoLogSize, (void *h, size_t *size), (void *, size_t *), (h, size))
PASS(nvJitLinkGetInfoLog, (void *h, char *log), (void *, char *), (h, log))
PASS(nvJitLinkVersion, (unsigned *major, unsigned *minor), (unsigned *, unsigned *), (major, minor))

/* What NVIDIA's header calls, by its version. */
#define ALIAS(name) __attribute__((alias(#name))) __typeof__(name) __##name##_13_0;
ALIAS(nvJitLinkCreate)
ALIAS(nvJitLinkDestroy)
ALIAS(nvJitLinkAddData)
ALIAS(nvJitLinkAddFile)
ALIAS(nvJitLinkComplete)
ALIAS(nvJitLinkGetLinkedCubinSize)
ALIAS(nvJitLinkGetLinkedCubin)
ALIAS(nvJitLinkGetLinkedPtxSize)
ALIAS(nvJitLinkGetLinkedPtx)
ALIAS(nvJitLinkGetErrorLogSize)
ALIAS(nvJitLinkGetErrorLog)
ALIAS(nvJitLinkGetInfoLogSize)
ALIAS(nvJitLinkGetInfoLog)
