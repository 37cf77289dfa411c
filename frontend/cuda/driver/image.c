#include "frontend/cuda/driver/image.h"

#include <elf.h>
#include <stdlib.h>
#include <string.h>

#include "frontend/cuda/driver/readable.h"
#include "frontend/loader/device_runtime.h"
#include "frontend/loader/isa.h"
#include "frontend/loader/ptxas.h"
#include "frontend/module/cubin.h"

#define WRAPPER_MAGIC 0x466243b1u
#define FATBIN_MAGIC 0xba55ed50u

/* Version 2, for a program of relocatable device code (nvcc -rdc=true): `data` is nvlink's output, machine code only;
 * `objects` are the fat binaries that it was linked from, terminated by NULL. */
struct wrapper {
    uint32_t magic, version;
    const void *data;
    const void *const *objects;
};
struct fatbin_header {
    uint32_t magic;
    uint16_t version, header_bytes;
    uint64_t bytes;
};

/* An image as it is given: `most` bytes at most, a file's size or what can be read there. */
struct given {
    const char *name;
    const void *bytes;
    size_t most;
    struct rp_error *err;
};

static CUresult damaged(const struct given *g, const char *what)
{
    rp_fail(g->err, RP_BAD_INPUT, "%s: damaged: %s beyond the image's end", g->name, what);
    return CUDA_ERROR_INVALID_IMAGE;
}

/* Extends *end to at + size. False: that is beyond the image. */
static bool reach(const struct given *g, uint64_t at, uint64_t size, uint64_t *end)
{
    if (at > g->most || size > g->most - at)
        return false;
    *end = at + size > *end ? at + size : *end;
    return true;
}

/* The size up to the end of everything that its headers refer to. */
static CUresult elf_bytes(const struct given *g, size_t *size)
{
    Elf64_Ehdr h;
    uint64_t end = sizeof h;
    if (g->most < sizeof h)
        return damaged(g, "the header reaches");
    memcpy(&h, g->bytes, sizeof h);
    if (h.e_ident[EI_CLASS] != ELFCLASS64) {
        rp_fail(g->err, RP_BAD_INPUT, "%s: no cubin for 64-bit programs", g->name);
        return CUDA_ERROR_INVALID_IMAGE;
    }
    if (!reach(g, h.e_shoff, (uint64_t)h.e_shnum * h.e_shentsize, &end) ||
        !reach(g, h.e_phoff, (uint64_t)h.e_phnum * h.e_phentsize, &end))
        return damaged(g, "a table of the header lies");
    for (unsigned i = 0; i < h.e_shnum && h.e_shentsize >= sizeof(Elf64_Shdr); i++) {
        Elf64_Shdr s;
        memcpy(&s, (const uint8_t *)g->bytes + h.e_shoff + (uint64_t)i * h.e_shentsize, sizeof s);
        if (s.sh_type != SHT_NOBITS && s.sh_type != SHT_NULL && !reach(g, s.sh_offset, s.sh_size, &end))
            return damaged(g, "a section lies");
    }
    *size = end;
    return CUDA_SUCCESS;
}

static unsigned capability(void) { return (unsigned)figures()->capability; }

static bool preferred_is(const char *what)
{
    const char *prefer = session_value(SESSION_PREFER);
    return prefer && !strcmp(prefer, what);
}

/* Whether PTX goes before this device's machine code: as the session says, else by the order of the ISAs. */
static bool prefers_ptx(void)
{
    const struct isa *code = isa_of_sm(capability());
    return preferred_is("ptx") || (!preferred_is("sass") && (!code || isa_rank(&isa_ptx) < isa_rank(code)));
}

static bool better(const struct fatbin_entry *e, const struct fatbin_entry *than)
{
    if (!than || e->kind == than->kind)
        return !than || e->arch > than->arch;
    return (e->kind == FATBIN_PTX) == prefers_ptx();
}

/* Of machine code for this device and PTX, what is preferred, and the newest of it that the device supports. If there
 * is only PTX for later devices, which NVIDIA would refuse, the oldest. */
static struct fatbin_entry *choose(const struct fatbin *fat, bool ptx_only)
{
    struct fatbin_entry *best = NULL, *newer = NULL;
    for (uint32_t i = 0; i < fat->count; i++) {
        struct fatbin_entry *e = &fat->entries[i];
        bool ptx = e->kind == FATBIN_PTX, code = !ptx_only && isa_sm_runs(capability(), e->arch) && isa_of_sm(e->arch);
        if (ptx && e->arch > capability())
            newer = !newer || e->arch < newer->arch ? e : newer;
        else if ((ptx || code) && better(e, best))
            best = e;
    }
    return best ? best : newer;
}

/* Each once, though there may be code for sm_90 and for sm_90a, which is called the same. */
static void list_entries(const struct fatbin *fat, char *text, size_t size)
{
    size_t used = 0;
    *text = 0;
    for (uint32_t i = 0; i < fat->count && used < size; i++) {
        bool again = false;
        for (uint32_t k = 0; k < i; k++)
            again |= fat->entries[k].kind == fat->entries[i].kind && fat->entries[k].arch == fat->entries[i].arch;
        if (again)
            continue;
        used += (size_t)snprintf(text + used, size - used, "%s%s%u", i ? ", " : "",
                                 fat->entries[i].kind == FATBIN_PTX ? "compute_" : "sm_", fat->entries[i].arch);
    }
}

static size_t fat_bytes(const void *fat)
{
    struct fatbin_header header;
    memcpy(&header, fat, sizeof header);
    return header.header_bytes + header.bytes;
}

static CUresult fat_size(const struct given *g, size_t *size)
{
    if (g->most < sizeof(struct fatbin_header))
        return damaged(g, "the header of a fat binary reaches");
    *size = fat_bytes(g->bytes);
    return *size <= g->most && *size >= sizeof(struct fatbin_header) ? CUDA_SUCCESS
                                                                     : damaged(g, "a fat binary reaches");
}

static bool is_fat(const void *bytes) { return !memcmp(bytes, &(uint32_t){FATBIN_MAGIC}, 4); }

static CUresult unpacking_failed(const struct rp_error *err)
{
    return err->status == RP_SYSTEM ? CUDA_ERROR_OUT_OF_MEMORY : CUDA_ERROR_INVALID_IMAGE;
}

/* Whether the text is PTX of NVIDIA's device runtime, with which nvcc links every program of relocatable code, by the
 * source's name in names of its own. It is for the newest devices alone. */
static bool is_runtime(const uint8_t *text, size_t size)
{
    static const char source[] = "_cuda_device_runtime_";
    return memmem(text, size, source, sizeof source - 1);
}

/* Whether the PTX so far declares a function that the device runtime may define. */
static bool wants_runtime(const struct ptx_pieces *p)
{
    static const char begins[] = ".extern .func";
    const char *end = p->text + p->size;
    for (const char *at = p->text; at && (at = memmem(at, (size_t)(end - at), begins, sizeof begins - 1));) {
        const char *line_end = memchr(at, '\n', (size_t)(end - at));
        if (memmem(at, (size_t)((line_end ? line_end : end) - at), "cuda", strlen("cuda")))
            return true;
        at += sizeof begins - 1;
    }
    return false;
}

/* Adds the PTX of one object: the device runtime's, or that of all others. Passes over an object without PTX. */
static CUresult add_object(const char *name, const void *object, bool runtime, struct image *image,
                           struct rp_error *err)
{
    struct fatbin *fat = fatbin_load(name, object, fat_bytes(object), err);
    if (!fat)
        return CUDA_ERROR_INVALID_IMAGE;
    struct fatbin_entry *e = choose(fat, true);
    bool ok = !e || fatbin_unpack(fat, e, err);
    if (ok && e && is_runtime(e->bytes, e->size) == runtime && !pieces_add(&image->linked, e->bytes, e->size))
        ok = rp_fail(err, RP_SYSTEM, "out of memory for %s", name);
    fatbin_free(fat);
    return ok ? CUDA_SUCCESS : unpacking_failed(err);
}

/* Collects the PTX of a program's objects, to be linked in place of nvlink's output; the device runtime's only where
 * the others want it, for the highest architecture of all counts. */
static CUresult collect_pieces(const char *name, const void *const *objects, struct image *image, struct rp_error *err)
{
    CUresult r = CUDA_SUCCESS;
    for (const void *const *o = objects; !r && *o; o++)
        if (is_fat(*o))
            r = add_object(name, *o, false, image, err);
    bool runtime = !r && wants_runtime(&image->linked);
    for (const void *const *o = objects; runtime && !r && *o; o++)
        if (is_fat(*o))
            r = add_object(name, *o, true, image, err);
    return r;
}

/* has: the architectures that the image has code for. */
static CUresult nothing_runs(const char *name, const char *has, struct rp_error *err)
{
    char known[128];
    isa_ranges(known, sizeof known);
    rp_fail(
        err, RP_BAD_INPUT, "%s: a device of capability %u.%u can run nothing of it; it has %s. %s and PTX run here: %s",
        name, capability() / 10, capability() % 10, *has ? has : "nothing", known,
        "choose a device that runs its code (reprise run --device; 'reprise machine list' has their capabilities), or "
        "build it with PTX (nvcc -gencode arch=compute_75,code=compute_75)");
    return CUDA_ERROR_NO_BINARY_FOR_GPU;
}

static CUresult nothing_of_fat_runs(const char *name, const struct fatbin *fat, struct rp_error *err)
{
    char has[400];
    list_entries(fat, has, sizeof has);
    return nothing_runs(name, has, err);
}

/* objects: of a program that nvlink linked, or NULL. */
static CUresult choose_of_fat(const struct given *g, const void *const *objects, struct image *image)
{
    const char *name = g->name;
    struct rp_error *err = g->err;
    CUresult fits = fat_size(g, &image->size);
    if (fits)
        return fits;
    image->fat = fatbin_load(name, image->bytes, image->size, err);
    if (!image->fat)
        return CUDA_ERROR_INVALID_IMAGE;
    struct fatbin_entry *e = choose(image->fat, false);
    bool pieces = objects && (!e || prefers_ptx());
    image->objects = objects;
    CUresult r = pieces ? collect_pieces(name, objects, image, err) : CUDA_SUCCESS;
    if (r)
        return r;
    if (!e && !image->linked.size)
        return nothing_of_fat_runs(name, image->fat, err);
    if (image->linked.size) {
        image->bytes = image->linked.text;
        image->size = image->linked.size;
        return CUDA_SUCCESS;
    }
    if (!fatbin_unpack(image->fat, e, err))
        return unpacking_failed(err);
    image->bytes = e->bytes;
    image->size = e->size;
    return CUDA_SUCCESS;
}

/* A cubin by itself: of an architecture whose code this device runs, as on a GPU. */
static CUresult choose_cubin(const struct given *g, struct image *image)
{
    CUresult r = elf_bytes(g, &image->size);
    unsigned sm = r ? 0 : cubin_sm(image->bytes, image->size);
    if (!sm || (isa_of_sm(sm) && isa_sm_runs(capability(), sm)))
        return r;
    char text[128];
    if (isa_of_sm(sm)) {
        snprintf(text, sizeof text, "sm_%u", sm);
        return nothing_runs(g->name, text, g->err);
    }
    isa_ranges(text, sizeof text);
    rp_fail(g->err, RP_BAD_INPUT, "%s: machine code for sm_%u; %s can be executed, or PTX", g->name, sm, text);
    return CUDA_ERROR_NO_BINARY_FOR_GPU;
}

/* A text in memory ends with a NUL. */
static CUresult choose_text(const struct given *g, bool sized, struct image *image)
{
    image->size = strnlen(image->bytes, g->most);
    return sized || image->size < g->most ? CUDA_SUCCESS : damaged(g, "text goes on");
}

static CUresult choose_bytes(const char *name, const void *bytes, size_t size, struct image *image,
                             struct rp_error *err)
{
    struct wrapper wrapper = {0};
    struct given g = {name, bytes, size ? size : readable_from(bytes), err};
    *image = (struct image){.bytes = bytes};
    if (g.most >= sizeof wrapper && !memcmp(bytes, &(uint32_t){WRAPPER_MAGIC}, 4)) {
        memcpy(&wrapper, bytes, sizeof wrapper);
        image->bytes = g.bytes = wrapper.data;
        g.most = readable_from(wrapper.data);
    }
    if (g.most < SELFMAG) /* a file may hold no more than a byte */
        return size ? choose_text(&g, true, image) : damaged(&g, "it lies");
    if (is_fat(image->bytes))
        return choose_of_fat(&g, wrapper.version == 2 ? wrapper.objects : NULL, image);
    return memcmp(image->bytes, ELFMAG, SELFMAG) ? choose_text(&g, size, image) : choose_cubin(&g, image);
}

CUresult image_choose(const char *name, const void *given, size_t size, struct image *image, struct rp_error *err)
{
    CUresult r = choose_bytes(name, given, size, image, err);
    struct ptx_pieces runtime = {0};
    bool ok = r || device_runtime(image->bytes, image->size, &runtime);
    if (runtime.size) {
        ok = ok && (image->linked.size || pieces_add(&image->linked, image->bytes, image->size)) &&
             pieces_add(&image->linked, runtime.text, runtime.size);
        image->bytes = image->linked.text;
        image->size = image->linked.size;
    }
    pieces_free(&runtime);
    return ok ? r : CUDA_ERROR_OUT_OF_MEMORY;
}

static CUresult assemble(const char *name, struct image *image, struct rp_error *err)
{
    static bool reported;
    char sm[16];
    size_t size;
    snprintf(sm, sizeof sm, "sm_%u", capability());
    enum ptxas_result r = ptxas_assemble(name, image->bytes, image->size, sm, &image->assembled, &size, err);
    if (r == PTXAS_REFUSED)
        return CUDA_ERROR_INVALID_PTX;
    if (r == PTXAS_MADE) {
        image->bytes = image->assembled;
        image->size = size;
        return CUDA_SUCCESS;
    }
    if (!reported && !ptxas_stopped()) {
        reported = true;
        say("%s; the PTX is run", err->text);
    }
    if (r == PTXAS_FAILED)
        record_lacks(err->text);
    return CUDA_SUCCESS;
}

static void say_unknown_code(const char *name)
{
    static bool reported;
    bool scheduled = session_value(SESSION_SCHEDULE);
    char known[128];
    isa_ranges(known, sizeof known);
    if (!reported)
        say("%s: machine code for sm_%u cannot be executed, %s can; the PTX is run%s. --device h100 has machine code "
            "of sm_90 instead%s",
            name, capability(), known, scheduled ? " in the order of --schedule" : "",
            scheduled ? "" : "; --schedule orders PTX as an assembler would");
    reported = true;
}

CUresult image_assemble(const char *name, struct image *image, struct rp_error *err)
{
    bool ptx = image->size > 4 && memcmp(image->bytes, ELFMAG, SELFMAG);
    if (!ptx || !preferred_is("sass"))
        return CUDA_SUCCESS;
    if (isa_of_sm(capability()))
        return assemble(name, image, err);
    say_unknown_code(name);
    return CUDA_SUCCESS;
}

bool image_has_ptx(const char *name, const struct image *image)
{
    struct rp_error err;
    struct image other = {0};
    struct fatbin_entry *e = image->fat ? choose(image->fat, true) : NULL;
    if (image->assembled || (e && e->arch <= capability()))
        return true;
    bool has = image->objects && !collect_pieces(name, image->objects, &other, &err) && other.linked.size;
    pieces_free(&other.linked);
    return has;
}

void image_free(struct image *image)
{
    free(image->assembled);
    fatbin_free(image->fat);
    pieces_free(&image->linked);
}
