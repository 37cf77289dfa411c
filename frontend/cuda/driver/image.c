#include "frontend/cuda/driver/image.h"

#include <elf.h>
#include <string.h>

#include "frontend/loader/cubin.h"
#include "frontend/loader/isa.h"

#define WRAPPER_MAGIC 0x466243b1u
#define FATBIN_MAGIC 0xba55ed50u

struct wrapper {
    uint32_t magic, version;
    const void *data;
    void *more;
};
struct fatbin_header {
    uint32_t magic;
    uint16_t version, header_bytes;
    uint64_t bytes;
};

/* To the end of what its headers name. */
static size_t elf_bytes(const void *image)
{
    const Elf64_Ehdr *h = image;
    const uint8_t *at = image;
    uint64_t end = h->e_shoff + (uint64_t)h->e_shnum * h->e_shentsize;
    uint64_t programs = h->e_phoff + (uint64_t)h->e_phnum * h->e_phentsize;
    end = programs > end ? programs : end;
    for (unsigned i = 0; i < h->e_shnum; i++) {
        const Elf64_Shdr *s = (const void *)(at + h->e_shoff + (uint64_t)i * h->e_shentsize);
        uint64_t to = s->sh_type == SHT_NOBITS ? 0 : s->sh_offset + s->sh_size;
        end = to > end ? to : end;
    }
    return end;
}

static unsigned capability(void) { return (unsigned)figures()->capability; }

/* CUDA C++ Programming Guide, "Binary Compatibility": machine code runs on devices of its major version with the same
 * minor version or a later one. */
static bool suits(unsigned sm) { return sm / 10 == capability() / 10 && sm <= capability(); }

static bool better(const struct fatbin_entry *e, const struct fatbin_entry *than, bool prefer_ptx)
{
    if (!than || e->kind == than->kind)
        return !than || e->arch > than->arch;
    return (e->kind == FATBIN_PTX) == prefer_ptx;
}

/* Machine code for this device that can be executed; else PTX, of what the device may have the newest, or the oldest of
 * what is too new for it: NVIDIA would refuse that. */
static const struct fatbin_entry *choose(const struct fatbin *fat)
{
    const char *prefer = session_value(SESSION_PREFER);
    bool prefer_ptx = prefer && !strcmp(prefer, "ptx");
    const struct fatbin_entry *best = NULL, *newer = NULL;
    for (uint32_t i = 0; i < fat->count; i++) {
        const struct fatbin_entry *e = &fat->entries[i];
        if (e->kind == FATBIN_PTX && e->arch > capability())
            newer = !newer || e->arch < newer->arch ? e : newer;
        else if ((e->kind == FATBIN_PTX || (suits(e->arch) && isa_of_sm(e->arch))) && better(e, best, prefer_ptx))
            best = e;
    }
    return best ? best : newer;
}

static void list_entries(const struct fatbin *fat, char *text, size_t size)
{
    size_t used = 0;
    *text = 0;
    for (uint32_t i = 0; i < fat->count && used < size; i++)
        used += (size_t)snprintf(text + used, size - used, "%s%s%u", i ? ", " : "",
                                 fat->entries[i].kind == FATBIN_PTX ? "compute_" : "sm_", fat->entries[i].arch);
}

static CUresult choose_of_fat(const char *name, struct image *image, struct rp_error *err)
{
    image->fat = fatbin_load(name, image->bytes, image->size, err);
    if (!image->fat)
        return CUDA_ERROR_INVALID_IMAGE;
    const struct fatbin_entry *e = choose(image->fat);
    if (!e) {
        char has[400];
        list_entries(image->fat, has, sizeof has);
        rp_fail(err, RP_BAD_INPUT, "%s: a device of capability %u.%u can run nothing of it; it has %s", name,
                capability() / 10, capability() % 10, *has ? has : "nothing");
        return CUDA_ERROR_NO_BINARY_FOR_GPU;
    }
    image->bytes = e->bytes;
    image->size = e->size;
    return CUDA_SUCCESS;
}

CUresult image_choose(const char *name, const void *given, struct image *image, struct rp_error *err)
{
    struct wrapper wrapper;
    struct fatbin_header header;
    *image = (struct image){.bytes = given};
    if (!memcmp(given, &(uint32_t){WRAPPER_MAGIC}, 4)) {
        memcpy(&wrapper, given, sizeof wrapper);
        image->bytes = wrapper.data;
    }
    if (!memcmp(image->bytes, &(uint32_t){FATBIN_MAGIC}, 4)) {
        memcpy(&header, image->bytes, sizeof header);
        image->size = header.header_bytes + header.bytes;
        return choose_of_fat(name, image, err);
    }
    if (memcmp(image->bytes, ELFMAG, SELFMAG)) {
        image->size = strlen(image->bytes);
        return CUDA_SUCCESS;
    }
    image->size = elf_bytes(image->bytes);
    unsigned sm = cubin_sm(image->bytes, image->size);
    if (!sm || isa_of_sm(sm))
        return CUDA_SUCCESS;
    char known[128];
    isa_ranges(known, sizeof known);
    rp_fail(err, RP_BAD_INPUT, "%s: machine code for sm_%u; %s can be executed, or PTX", name, sm, known);
    return CUDA_ERROR_NO_BINARY_FOR_GPU;
}

void image_free(struct image *image) { fatbin_free(image->fat); }
