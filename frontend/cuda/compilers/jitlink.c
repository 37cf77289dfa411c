/* A wrapper around libnvJitLink.so.13 or .12, NVIDIA's linker of LTO IR. It passes all calls on, with two exceptions:
 * where a program links LTO IR into a cubin (Numba does), it gets the linked PTX instead, which can be executed for
 * every target; where it links a single piece of PTX, it gets that piece. Mixed inputs become machine code, because
 * NVIDIA's linker makes PTX of LTO IR only. The wrapper is loaded before the program under the same soname, so every
 * search for the library finds it. It looks for the real library in the wheels of the running Python, CUDA_PATH,
 * CUDA_HOME, and /usr/local/cuda. */
#include <dlfcn.h>
#include <glob.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { ERROR_INTERNAL = 6, ERROR_UNSUPPORTED_ARCH = 17 }; /* NVJITLINK_ERROR_... */

#define NAME "libnvJitLink.so.1[32]" /* both versions have the same functions */

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

/* Tries the packages beside those that the process has loaded: /proc/self/maps names the files of a Python, however it
 * was called. Where packages of several Pythons are loaded, the first counts. In a Conda environment the library is in
 * the folder lib of the environment, three above the packages. */
static bool try_loaded(void)
{
    static const char *const folders[] = {"/site-packages/", "/dist-packages/"};
    char line[4400];
    FILE *f = fopen("/proc/self/maps", "r");
    while (f && !real && fgets(line, sizeof line, f))
        for (size_t i = 0; !real && i < sizeof folders / sizeof *folders; i++) {
            char *path = strchr(line, '/'), *packages = path ? strstr(path, folders[i]) : NULL;
            if (!packages)
                continue;
            packages[strlen(folders[i]) - 1] = 0;
            if (!try_in(path, "nvidia/*/lib/" NAME))
                try_in(path, "../../" NAME);
        }
    if (f)
        fclose(f);
    return real;
}

/* Tries the folder of the interpreter as it was called, which is the bin of a virtual environment. */
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
    if (try_in(getenv("VIRTUAL_ENV"), "lib/python3*/site-packages/nvidia/*/lib/" NAME) || try_loaded() ||
        try_python() || try_in(getenv("CUDA_PATH"), "lib64/" NAME) || try_in(getenv("CUDA_HOME"), "lib64/" NAME) ||
        try("/usr/local/cuda/lib64/" NAME))
        return;
    fputs("reprise: NVIDIA's libnvJitLink was not found; set CUDA_PATH to the folder that has it in lib64\n", stderr);
}

/* Says which library refused an architecture: one of CUDA 13 knows none below sm_75. */
static void say_refused(const void *in_library)
{
    Dl_info where;
    fprintf(
        stderr,
        "reprise: %s does not know the architecture of the device; choose another with --device, or set CUDA_PATH to "
        "an older CUDA\n",
        dladdr(in_library, &where) ? where.dli_fname : "libnvJitLink");
}

static void *function(const char *name)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, find);
    return real ? dlsym(real, name) : NULL;
}

/* ---- links ------------------------------------------------------------------------------------------------------- */

/* nvJitLinkInputType */
enum { INPUT_PTX = 2, INPUT_LTOIR = 3, INPUT_LIBRARY = 6 };

/* The state of a handle. The caller knows it by NVIDIA's handle, which makes machine code. LTO IR also goes to a second
 * handle, which makes PTX. */
struct link {
    void *handle;     /* NULL: free */
    void *ptx_handle; /* NULL: the caller asked for PTX itself, or there is no LTO IR */
    char *ptx;        /* the single PTX input, or NULL */
    size_t ptx_size;
    unsigned inputs, others; /* number of inputs: LTO IR; of other kinds, of which no PTX can be made */
    unsigned ptx_inputs;
};
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static struct link links[256];

/* Finds a handle's link under the lock; afterwards the thread that uses the handle owns it. */
static struct link *link_of(const void *handle)
{
    struct link *found = NULL;
    pthread_mutex_lock(&mutex);
    for (size_t i = 0; i < sizeof links / sizeof *links && !found; i++)
        if (links[i].handle == handle)
            found = &links[i];
    pthread_mutex_unlock(&mutex);
    return found;
}

static void begin_link(void *handle, void *ptx_handle)
{
    pthread_mutex_lock(&mutex);
    for (size_t i = 0; i < sizeof links / sizeof *links; i++)
        if (!links[i].handle) {
            links[i] = (struct link){.handle = handle, .ptx_handle = ptx_handle};
            break;
        }
    pthread_mutex_unlock(&mutex);
}

/* Whether the result is PTX made of LTO IR only. */
static bool takes_lto(const struct link *l) { return l && l->ptx_handle && l->inputs && !l->others && !l->ptx_inputs; }
/* Whether the result is the PTX that was the only input. */
static bool takes_input(const struct link *l) { return l && l->ptx && l->ptx_inputs == 1 && !l->inputs && !l->others; }

int nvJitLinkCreate(void **handle, uint32_t count, const char **options)
{
    int (*create)(void **, uint32_t, const char **) = function("nvJitLinkCreate");
    bool lto = false, ptx = false;
    for (uint32_t i = 0; i < count; i++) {
        lto |= !strcmp(options[i], "-lto");
        ptx |= !strcmp(options[i], "-ptx");
    }
    int result = create ? create(handle, count, options) : ERROR_INTERNAL;
    if (result == ERROR_UNSUPPORTED_ARCH)
        say_refused((const void *)(uintptr_t)create);
    if (result || ptx)
        return result;
    const char **more = malloc((count + 1) * sizeof *more);
    void *second = NULL;
    if (more && lto) {
        memcpy(more, options, count * sizeof *more);
        more[count] = "-ptx";
        if (create(&second, count + 1, more))
            second = NULL;
    }
    free(more);
    begin_link(*handle, second);
    return result;
}

int nvJitLinkDestroy(void **handle)
{
    int (*destroy)(void **) = function("nvJitLinkDestroy");
    struct link *l = handle && *handle ? link_of(*handle) : NULL;
    if (l) {
        if (l->ptx_handle && destroy)
            destroy(&l->ptx_handle);
        free(l->ptx);
        pthread_mutex_lock(&mutex);
        *l = (struct link){0};
        pthread_mutex_unlock(&mutex);
    }
    return destroy ? destroy(handle) : ERROR_INTERNAL;
}

static void keep_ptx(struct link *l, const void *data, size_t size)
{
    l->ptx_inputs++;
    if (!l->ptx && (l->ptx = malloc(size + 1))) {
        memcpy(l->ptx, data, size);
        l->ptx[size] = 0;
        l->ptx_size = strlen(l->ptx) + 1;
    }
}

/* The driver itself adds the functions of NVIDIA's device runtime that PTX calls. */
static bool is_device_runtime(const char *name) { return name && strstr(name, "cudadevrt"); }

int nvJitLinkAddData(void *handle, int type, const void *data, size_t size, const char *name)
{
    int (*add)(void *, int, const void *, size_t, const char *) = function("nvJitLinkAddData");
    struct link *l = link_of(handle);
    int result = add ? add(handle, type, data, size, name) : ERROR_INTERNAL;
    if (result || !l)
        return result;
    if (type == INPUT_LTOIR && l->ptx_handle && !add(l->ptx_handle, type, data, size, name))
        l->inputs++;
    else if (type == INPUT_PTX)
        keep_ptx(l, data, size);
    else if (!is_device_runtime(name))
        l->others++;
    return result;
}

int nvJitLinkAddFile(void *handle, int type, const char *path)
{
    int (*add)(void *, int, const char *) = function("nvJitLinkAddFile");
    struct link *l = link_of(handle);
    int result = add ? add(handle, type, path) : ERROR_INTERNAL;
    if (!result && l) {
        if (type == INPUT_LTOIR && l->ptx_handle && !add(l->ptx_handle, type, path))
            l->inputs++;
        else if (!is_device_runtime(path))
            l->others++;
    }
    return result;
}

int nvJitLinkComplete(void *handle)
{
    int (*complete)(void *) = function("nvJitLinkComplete");
    const struct link *l = link_of(handle);
    return complete ? complete(takes_lto(l) ? l->ptx_handle : handle) : ERROR_INTERNAL;
}

int nvJitLinkGetLinkedCubinSize(void *handle, size_t *size)
{
    const struct link *l = link_of(handle);
    int (*get)(void *, size_t *) = function(takes_lto(l) ? "nvJitLinkGetLinkedPtxSize" : "nvJitLinkGetLinkedCubinSize");
    if (takes_input(l)) {
        *size = l->ptx_size;
        return 0;
    }
    return get ? get(takes_lto(l) ? l->ptx_handle : handle, size) : ERROR_INTERNAL;
}

int nvJitLinkGetLinkedCubin(void *handle, void *cubin)
{
    const struct link *l = link_of(handle);
    int (*get)(void *, void *) = function(takes_lto(l) ? "nvJitLinkGetLinkedPtx" : "nvJitLinkGetLinkedCubin");
    if (takes_input(l)) {
        memcpy(cubin, l->ptx, l->ptx_size);
        return 0;
    }
    return get ? get(takes_lto(l) ? l->ptx_handle : handle, cubin) : ERROR_INTERNAL;
}

/* The logs of the handle that made the result. */
#define LOG(name, type)                                                                                                \
    int name(void *handle, type *to)                                                                                   \
    {                                                                                                                  \
        int (*get)(void *, type *) = function(#name);                                                                  \
        const struct link *l = link_of(handle);                                                                        \
        return get ? get(takes_lto(l) ? l->ptx_handle : handle, to) : ERROR_INTERNAL;                                  \
    }
LOG(nvJitLinkGetErrorLogSize, size_t)
LOG(nvJitLinkGetErrorLog, char)
LOG(nvJitLinkGetInfoLogSize, size_t)
LOG(nvJitLinkGetInfoLog, char)

/* ---- passed on --------------------------------------------------------------------------------------------------- */

#define PASS(name, params, types, args)                                                                                \
    int name params;                                                                                                   \
    int name params                                                                                                    \
    {                                                                                                                  \
        int(*f) types = function(#name);                                                                               \
        return f ? f args : ERROR_INTERNAL;                                                                            \
    }
PASS(nvJitLinkGetLinkedPtxSize, (void *h, size_t *size), (void *, size_t *), (h, size))
PASS(nvJitLinkGetLinkedPtx, (void *h, char *ptx), (void *, char *), (h, ptx))
PASS(nvJitLinkVersion, (unsigned *major, unsigned *minor), (unsigned *, unsigned *), (major, minor))

/* The names that NVIDIA's header uses, with its version. */
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
