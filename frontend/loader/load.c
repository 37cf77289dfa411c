/* Telling the kinds of modules apart: frontend/core/program.h, module_load_bytes. */
#include <elf.h>
#include <stdlib.h>
#include <string.h>

#include "frontend/loader/cubin.h"
#include "frontend/loader/fatbin.h"
#include "frontend/loader/module.h"

enum { OLDEST_SM = 50, NEWEST_SM = 62 }; /* whose machine code is executed */

/* Machine code before PTX, and of each kind the newest. A device would take machine code of its own generation only. */
static const struct fatbin_entry *choose(const struct fatbin *fat, uint32_t part)
{
    const struct fatbin_entry *best = NULL;
    for (uint32_t i = 0; i < fat->count; i++) {
        const struct fatbin_entry *e = &fat->entries[i];
        bool runs = e->kind == FATBIN_PTX || (e->arch >= OLDEST_SM && e->arch <= NEWEST_SM);
        if (e->part == part && runs &&
            (!best || e->kind > best->kind || (e->kind == best->kind && e->arch > best->arch)))
            best = e;
    }
    return best;
}

static struct module *load_entry(const char *path, const struct fatbin_entry *e, uint64_t base, struct rp_error *err)
{
    return e->kind == FATBIN_PTX ? ptx_load_text(path, (const char *)e->bytes, e->size, base, err)
                                 : cubin_module(path, e->bytes, e->size, base, err);
}

/* Of the parts loaded so far the one with kernels is kept, and there may be only one of these. */
static bool keep(struct module **found, struct module *m, const char *path, struct rp_error *err)
{
    if (!*found || !(*found)->program_count) {
        module_free(*found);
        *found = m;
        return true;
    }
    bool ok =
        !m->program_count ||
        rp_fail(err, RP_BAD_INPUT,
                "%.200s: kernels of several source files, as '%.100s' and '%.100s'; a module is one of them: take "
                "an object file instead",
                path, (*found)->programs[0].name, m->programs[0].name);
    module_free(m);
    return ok;
}

static struct module *load_parts(const char *path, const struct fatbin *fat, uint64_t base, struct rp_error *err)
{
    struct module *found = NULL;
    for (uint32_t part = 0; part < fat->part_count; part++) {
        const struct fatbin_entry *e = choose(fat, part);
        if (!e)
            continue;
        struct module *m = load_entry(path, e, base, err);
        if (!m || !keep(&found, m, path, err)) {
            module_free(found);
            return NULL;
        }
    }
    if (!found)
        rp_fail(err, RP_BAD_INPUT, "%.200s: the fat binary holds neither PTX nor machine code for sm_%d to sm_%d", path,
                OLDEST_SM, NEWEST_SM);
    return found;
}

static struct module *load_fatbin(const char *path, const void *bytes, size_t size, uint64_t base, struct rp_error *err)
{
    struct fatbin *fat = fatbin_load(path, bytes, size, err);
    struct module *m = fat ? load_parts(path, fat, base, err) : NULL;
    fatbin_free(fat);
    return m;
}

/* The PTX loader wants a NUL behind the text. */
static struct module *load_text(const char *path, const void *bytes, size_t size, uint64_t base, struct rp_error *err)
{
    char *text = malloc(size + 1);
    if (!text) {
        rp_fail(err, RP_SYSTEM, "%.200s: out of memory", path);
        return NULL;
    }
    if (size)
        memcpy(text, bytes, size);
    text[size] = 0;
    struct module *m = ptx_load_text(path, text, size, base, err);
    free(text);
    return m;
}

/* Text may end in a NUL, as that of a compiler in the same process does. The first bytes of an ELF file are none. */
static bool is_text(const char *bytes, size_t size)
{
    const char *nul = memchr(bytes, 0, size);
    return (!nul || nul == bytes + size - 1) && *bytes != ELFMAG0;
}

struct module *module_load_bytes(const char *path, const void *bytes, size_t size, uint64_t base, struct rp_error *err)
{
    if (fatbin_is(bytes, size))
        return load_fatbin(path, bytes, size, base, err);
    if (cubin_is(bytes, size))
        return cubin_module(path, bytes, size, base, err);
    if (size && is_text(bytes, size))
        return load_text(path, bytes, size, base, err);
    rp_fail(err, RP_BAD_INPUT, "%.200s: %s; a module is PTX, a cubin, a fat binary, or a program with one", path,
            !size ? "empty"
            : size >= SELFMAG && !memcmp(bytes, ELFMAG, SELFMAG)
                ? "an ELF file, but not for an NVIDIA GPU, and no fat binary in it"
                : "neither text nor a binary of these kinds");
    return NULL;
}
