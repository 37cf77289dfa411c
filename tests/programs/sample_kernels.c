/* Draws kernels from the fat binaries of a library, and lowers them.
 *
 *   sample_kernels LIBRARY FOLDER COUNT SEED ARCH...        ARCH: 75 for sm_75
 *
 * Draws COUNT kernels per architecture, about as many from each image. FOLDER/sm_75.bin gets their code, one behind the
 * other, for disassemblers. Prints a line for every kernel that cannot be lowered, with the reason, and one per
 * architecture:
 *   refused sm_75 NAME: reason
 *   sm_75: N kernels of M images, B bytes of code, R refused
 * Exit status: 0 the kernels were drawn, 2 they could not be. */
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "frontend/core/program.h"
#include "frontend/module/cubin.h"
#include "frontend/module/fatbin.h"

struct sample {
    const char *file, *folder;
    unsigned arch;
    uint32_t wanted, images, kernels, refused;
    uint64_t code_bytes, random;
    FILE *code;
};

/* Knuth, The Art of Computer Programming, 3.3.4, MMIX's generator; its upper bits. */
static uint32_t draw(struct sample *s, uint32_t below)
{
    s->random = s->random * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)((s->random >> 32) * below >> 32);
}

static void lower(struct sample *s, struct module *m, const char *name)
{
    struct rp_error err;
    if (module_find(m, name, &err))
        return;
    s->refused++;
    printf("refused sm_%u %s: %s\n", s->arch, name, err.text);
}

/* Draws up to `count` of the image's kernels: each one that is left is as likely as the others. */
static bool draw_of_image(struct sample *s, const struct cubin *c, struct module *m, uint32_t count)
{
    uint32_t left = m->program_count;
    s->images++;
    for (uint32_t k = 0; k < c->kernel_count && count; k++) {
        const struct cubin_kernel *kernel = &c->kernels[k];
        if (!kernel->entry || draw(s, left--) >= count)
            continue;
        count--;
        s->kernels++;
        s->code_bytes += kernel->code.size;
        if (fwrite(kernel->code.at, 1, kernel->code.size, s->code) != kernel->code.size)
            return false;
        lower(s, m, kernel->name);
    }
    return true;
}

static bool draw_of_entry(struct sample *s, const struct fatbin *fat, struct fatbin_entry *e, uint32_t count,
                          struct rp_error *err)
{
    if (!fatbin_unpack(fat, e, err))
        return false;
    struct cubin *c = cubin_load(s->file, e->bytes, e->size, err);
    struct module *m = c ? module_load_bytes(s->file, e->bytes, e->size, 0, err) : NULL;
    bool ok = m && (draw_of_image(s, c, m, count) || rp_fail(err, RP_SYSTEM, "%s: cannot write", s->folder));
    module_free(m);
    cubin_free(c);
    free(e->bytes);
    e->bytes = NULL;
    return ok;
}

static bool draw_of_architecture(struct sample *s, struct fatbin *fat, struct rp_error *err)
{
    char path[4096];
    uint32_t left = 0;
    snprintf(path, sizeof path, "%s/sm_%u.bin", s->folder, s->arch);
    s->code = fopen(path, "wb");
    if (!s->code)
        return rp_fail(err, RP_SYSTEM, "%s: cannot write", path);
    for (uint32_t i = 0; i < fat->count; i++)
        left += fat->entries[i].kind == FATBIN_CUBIN && fat->entries[i].arch == s->arch;
    bool ok = true;
    for (uint32_t i = 0; i < fat->count && ok && s->kernels < s->wanted; i++) {
        struct fatbin_entry *e = &fat->entries[i];
        if (e->kind != FATBIN_CUBIN || e->arch != s->arch)
            continue;
        uint32_t missing = s->wanted - s->kernels, count = missing / left + (draw(s, left) < missing % left);
        ok = !count || draw_of_entry(s, fat, e, count, err);
        left--;
    }
    if (fclose(s->code) && ok)
        ok = rp_fail(err, RP_SYSTEM, "%s: cannot write", path);
    if (ok)
        printf("sm_%u: %" PRIu32 " kernels of %" PRIu32 " images, %" PRIu64 " bytes of code, %" PRIu32 " refused\n",
               s->arch, s->kernels, s->images, s->code_bytes, s->refused);
    return ok;
}

static const void *map_file(const char *path, size_t *size)
{
    struct stat about;
    int fd = open(path, O_RDONLY);
    void *bytes = MAP_FAILED;
    if (fd >= 0 && !fstat(fd, &about) && about.st_size > 0)
        bytes = mmap(NULL, *size = (size_t)about.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
    if (fd >= 0)
        close(fd);
    return bytes == MAP_FAILED ? NULL : bytes;
}

int main(int argc, char **argv)
{
    struct rp_error err;
    size_t size;
    if (argc < 6) {
        fprintf(stderr, "usage: sample_kernels LIBRARY FOLDER COUNT SEED ARCH...\n");
        return 2;
    }
    const void *bytes = map_file(argv[1], &size);
    struct fatbin *fat = bytes ? fatbin_load(argv[1], bytes, size, &err) : NULL;
    if (!bytes)
        rp_fail(&err, RP_SYSTEM, "%s: cannot be read", argv[1]);
    bool ok = fat;
    for (int i = 5; i < argc && ok; i++) {
        struct sample s = {.file = argv[1],
                           .folder = argv[2],
                           .arch = (unsigned)strtoul(argv[i], NULL, 10),
                           .wanted = (uint32_t)strtoul(argv[3], NULL, 10),
                           .random = strtoull(argv[4], NULL, 10)};
        ok = draw_of_architecture(&s, fat, &err);
    }
    if (!ok)
        fprintf(stderr, "sample_kernels: %s\n", err.text);
    fatbin_free(fat);
    if (bytes)
        munmap((void *)(uintptr_t)bytes, size);
    return ok ? 0 : 2;
}
