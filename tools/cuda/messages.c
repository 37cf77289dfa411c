#include "tools/cuda/messages.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* How headers of NVIDIA's libraries begin; a folder ends in a slash. */
static const struct library {
    const char *begin, *name;
} libraries[] = {
    {"cublas", "cuBLAS"},
    {"cufft", "cuFFT"},
    {"curand", "cuRAND"},
    {"cusparse", "cuSPARSE"},
    {"cusolver", "cuSOLVER"},
    {"cudnn", "cuDNN"},
    {"cutensor", "cuTENSOR"},
    {"cutlass/", "CUTLASS"},
    {"cute/", "CUTLASS"},
    {"cub/", "CUB"},
    {"thrust/", "Thrust"},
    {"cuda/", "libcu++"},
    {"nv/", "libcu++"},
    {"nccl.h", "NCCL"},
    {"npp", "NPP"},
    {"nvrtc.h", "NVRTC"},
    {"nvml.h", "NVML"},
    {"nvjpeg.h", "nvJPEG"},
    {"nvJitLink.h", "nvJitLink"},
    {"nvToolsExt.h", "NVTX"},
    {"nvtx3/", "NVTX"},
    {"cuda", "CUDA"},
    {"crt/", "CUDA"},
};
#define LIBRARIES (sizeof libraries / sizeof *libraries)

static const struct library *library_of(const char *name)
{
    for (size_t i = 0; i < LIBRARIES; i++)
        if (strncmp(name, libraries[i].begin, strlen(libraries[i].begin)) == 0)
            return &libraries[i];
    return NULL;
}

/* Whether a folder, the first `length` characters of a path, has the toolkit's headers. */
static bool is_toolkit(const char *path, size_t length)
{
    char name[4200];
    return length < 4096 && snprintf(name, sizeof name, "%.*s/cuda_runtime_api.h", (int)length, path) > 0 &&
           !access(name, R_OK);
}

/* The name by which a program includes a header of NVIDIA's that clang opened; NULL: it is none. */
static const char *nvidia_header(const char *path)
{
    for (const char *slash = strchr(path, '/'); slash; slash = strchr(slash + 1, '/')) {
        const struct library *l = library_of(slash + 1);
        size_t n = l ? strlen(l->begin) : 0;
        bool folder = n && l->begin[n - 1] == '/';
        if (l && (is_toolkit(path, (size_t)(slash - path)) ||
                  (folder && (!strcmp(l->name, "Thrust") || !strcmp(l->name, "CUB")))))
            return slash + 1;
    }
    return NULL;
}

static bool refuse_header(const char *source, const char *name, struct rp_error *err)
{
    const struct library *l = library_of(name);
    return rp_fail(err, RP_BAD_INPUT,
                   "%s includes <%.200s> (%s), which reprise has no header for: compile the program with nvcc and give "
                   "it behind --, as in 'reprise run -- ./app', or make PTX with 'nvcc -ptx' and give that",
                   source, name, l ? l->name : "CUDA");
}

/* The name in "...: 'NAME' file not found", copied into `name`. */
static bool header_not_found(const char *line, char name[256])
{
    const char *from = strstr(line, "fatal error: '"), *to = from ? strstr(from, "' file not found") : NULL;
    if (!to)
        return false;
    from += strlen("fatal error: '");
    return snprintf(name, 256, "%.*s", (int)(to - from), from) > 0;
}

/* The path of a header that clang opened, in a line of dots, a blank and the path. */
static char *opened(char *line)
{
    size_t dots = strspn(line, ".");
    if (!dots || line[dots] != ' ')
        return NULL;
    line[strcspn(line, "\n")] = 0;
    return line + dots + 1;
}

bool cuda_messages(FILE *said, const char *source, const char *headers, bool compiled, struct rp_error *err)
{
    char *line = NULL, missing[256] = "";
    size_t room = 0, folder = strlen(headers);
    bool fine = true, nested = false;
    rewind(said);
    while (fine && getline(&line, &room, said) > 0) {
        const char *path = opened(line), *name = NULL;
        if (path && strncmp(path, headers, folder) != 0)
            name = nvidia_header(path);
        else if (!path && header_not_found(line, missing) && library_of(missing))
            name = missing;
        if (name)
            fine = refuse_header(source, name, err);
        nested |= strstr(line, "error: reference to __global__ function") != NULL;
    }
    rewind(said);
    while (fine && getline(&line, &room, said) > 0)
        if (!opened(line))
            fputs(line, stderr);
    free(line);
    if (!fine || compiled)
        return fine;
    return rp_fail(err, RP_BAD_INPUT, "%s: clang did not compile it%s", source,
                   *missing ? ". Say where its headers are with --clang-flags -IFOLDER"
                   : nested ? ". Its kernels launch kernels (dynamic parallelism), which nvcc compiles, not clang"
                            : "");
}
