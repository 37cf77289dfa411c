/* The capability of the default device: what the program's compilers can make code for. CUDA 13 knows no device below
 * 7.5 (NVRTC User Guide, "Supported Compile Options"), and Triton is made for 8.0 and later. */
#include <elf.h>
#include <link.h>
#include <string.h>

#include "frontend/cuda/driver/driver.h"

static const char *base_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

static bool is_cuda_13(const char *library)
{
    return !strcmp(library, "libnvrtc.so.13") || !strcmp(library, "libnvJitLink.so.13");
}

/* Whether the object is, or needs, a compiler of CUDA 13. Our own libnvJitLink.so.13 is in every process, so that only
 * what needs it counts. */
static bool uses_cuda_13(const struct link_map *map)
{
    const char *names = NULL;
    for (const ElfW(Dyn) *d = map->l_ld; d->d_tag != DT_NULL; d++)
        if (d->d_tag == DT_STRTAB)
            names = (const char *)d->d_un.d_ptr;
    for (const ElfW(Dyn) *d = map->l_ld; names && d->d_tag != DT_NULL; d++)
        if (d->d_tag == DT_NEEDED && is_cuda_13(names + d->d_un.d_val))
            return true;
    return !strcmp(base_name(map->l_name), "libnvrtc.so.13");
}

unsigned clients_capability(void)
{
    unsigned capability = driver.newest >= 13000 ? 75 : 61;
    for (const struct link_map *map = _r_debug.r_map; map; map = map->l_next)
        if (!strcmp(base_name(map->l_name), "libtriton.so"))
            return 80;
        else if (uses_cuda_13(map))
            capability = 75;
    return capability;
}
