#include <dlfcn.h>
#include <glob.h>
#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "frontend/loader/ptxas.h"

#define MOST 16

static const char *found[MOST + 1];
static size_t count;

static void try(const char *path)
{
    struct stat st;
    char whole[PATH_MAX];
    if (count == MOST || stat(path, &st) || !S_ISREG(st.st_mode) || access(path, X_OK) || !realpath(path, whole))
        return;
    for (size_t i = 0; i < count; i++)
        if (!strcmp(found[i], whole))
            return;
    found[count] = strdup(whole);
    count += found[count] != NULL;
}

/* Tries the files of a pattern below a folder, the newest name first. */
static void try_below(const char *folder, const char *pattern)
{
    char whole[2 * PATH_MAX];
    glob_t files;
    if (!folder || !*folder)
        return;
    snprintf(whole, sizeof whole, "%s/%s", folder, pattern);
    if (glob(whole, 0, NULL, &files))
        return;
    for (size_t i = files.gl_pathc; i; i--)
        try(files.gl_pathv[i - 1]);
    globfree(&files);
}

/* Calls try_below for each folder of PATH; `above`: for the folder that holds it, if it holds python3. */
static void try_path(const char *pattern, bool above)
{
    char folder[PATH_MAX], python[PATH_MAX + 16];
    for (const char *at = getenv("PATH"); at && *at; at += strspn(at, ":")) {
        int length = (int)strcspn(at, ":");
        snprintf(folder, sizeof folder, "%.*s", length, at);
        at += length;
        snprintf(python, sizeof python, "%s/python3", folder);
        if (above && access(python, X_OK))
            continue;
        strncat(folder, above ? "/.." : "", sizeof folder - strlen(folder) - 1);
        try_below(folder, pattern);
    }
}

/* The folder above that of this process's program, as it was called: of a virtual environment's Python, that of the
 * environment. */
static void own_prefix(char prefix[PATH_MAX])
{
    FILE *f = fopen("/proc/self/cmdline", "r");
    size_t length = f ? fread(prefix, 1, PATH_MAX - 4, f) : 0;
    if (f)
        fclose(f);
    prefix[length] = 0;
    char *slash = strrchr(prefix, '/');
    strcpy(slash ? slash : prefix, slash ? "/.." : "");
}

static void try_packages(const char *file)
{
    static const char *const folders[] = {"lib/python3*/site-packages", "lib/python3*/dist-packages",
                                          "lib/python3/dist-packages"};
    char prefix[PATH_MAX], pattern[256];
    own_prefix(prefix);
    for (size_t i = 0; i < sizeof folders / sizeof *folders; i++) {
        snprintf(pattern, sizeof pattern, "%s/%s", folders[i], file);
        try_below(getenv("VIRTUAL_ENV"), pattern);
        try_below(getenv("CONDA_PREFIX"), pattern);
        try_below(prefix, pattern);
        try_path(pattern, true);
    }
    snprintf(pattern, sizeof pattern, ".local/lib/python3*/site-packages/%s", file);
    try_below(getenv("HOME"), pattern);
}

/* The toolchain lies in the build folder, as the program does; libraries lie in a folder within it. */
static void try_toolchain(void)
{
    Dl_info from;
    char path[PATH_MAX], self[PATH_MAX];
    bool known = dladdr(found, &from) && from.dli_fname && strchr(from.dli_fname, '/');
    if (!realpath(known ? from.dli_fname : "/proc/self/exe", path))
        return;
    *strrchr(path, '/') = 0;
    snprintf(self, sizeof self, "%s", path);
    try_below(self, "toolchain/*/ptxas");
    try_below(self, "../toolchain/*/ptxas");
}

static void find(void)
{
    const char *given = getenv("REPRISE_PTXAS");
    if (given && *given) {
        try(given);
        return;
    }
    try_path("ptxas", false);
    try_below(getenv("CUDA_HOME"), "bin/ptxas");
    try_below(getenv("CUDA_PATH"), "bin/ptxas");
    try("/usr/local/cuda/bin/ptxas");
    try_packages("nvidia/*/bin/ptxas");
    try_packages("triton/backends/nvidia/bin/ptxas");
    try_packages("triton/third_party/cuda/bin/ptxas");
    try_toolchain();
}

const char *const *ptxas_found(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, find);
    return found;
}
