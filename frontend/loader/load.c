/* Finds the kind of a module and loads it: frontend/core/program.h, module_load_bytes. */
#include <ar.h>
#include <elf.h>
#include <string.h>

#include "frontend/loader/device_runtime.h"
#include "frontend/loader/isa.h"
#include "frontend/module/cubin.h"
#include "frontend/module/fatbin.h"
#include "frontend/module/module.h"

/* The error for a cubin that no ISA covers. */
static struct module *refuse_code(const char *path, const void *bytes, size_t size, struct rp_error *err)
{
    unsigned sm = cubin_sm(bytes, size);
    if (sm)
        isa_of_code(path, sm, err);
    else
        cubin_free(cubin_load(path, bytes, size, err));
    return NULL;
}

/* Links PTX with the functions of the device runtime that it calls. */
static struct module *load_linked(const struct isa *isa, const char *path, const void *bytes, size_t size,
                                  uint64_t base, struct rp_error *err)
{
    struct ptx_pieces runtime = {0}, all = {0};
    bool ok = device_runtime(bytes, size, &runtime);
    if (runtime.size) {
        ok = ok && pieces_add(&all, bytes, size) && pieces_add(&all, runtime.text, runtime.size);
        bytes = all.text;
        size = all.size;
    }
    struct module *m = NULL;
    if (ok)
        m = isa->load(isa, path, bytes, size, base, err);
    else
        rp_fail(err, RP_SYSTEM, "%.200s: out of memory", path);
    pieces_free(&runtime);
    pieces_free(&all);
    return m;
}

/* The code of an entry, which may be of another architecture than the entry says. */
static struct module *load_entry(const char *path, const struct fatbin_entry *e, uint64_t base, struct rp_error *err)
{
    const struct isa *isa = e->kind == FATBIN_PTX ? &isa_ptx : isa_of_module(e->bytes, e->size);
    return isa ? load_linked(isa, path, e->bytes, e->size, base, err) : refuse_code(path, e->bytes, e->size, err);
}

static const struct isa *isa_of_entry(const struct fatbin_entry *e)
{
    return e->kind == FATBIN_PTX ? &isa_ptx : isa_of_sm(e->arch);
}

/* Chooses machine code before PTX, and the newest entry of each ISA. A device would take machine code of its own
 * generation only. */
static struct fatbin_entry *choose(const struct fatbin *fat, uint32_t part)
{
    struct fatbin_entry *best = NULL;
    for (uint32_t i = 0; i < fat->count; i++) {
        struct fatbin_entry *e = &fat->entries[i];
        const struct isa *isa = isa_of_entry(e);
        if (e->part != part || !isa)
            continue;
        unsigned rank = isa_rank(isa), least = best ? isa_rank(isa_of_entry(best)) : 0;
        if (!best || rank < least || (rank == least && e->arch > best->arch))
            best = e;
    }
    return best;
}

/* Keeps the one module that has kernels among the parts loaded so far; a second one is an error. */
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
        struct fatbin_entry *e = choose(fat, part);
        if (!e)
            continue;
        struct module *m = fatbin_unpack(fat, e, err) ? load_entry(path, e, base, err) : NULL;
        if (!m || !keep(&found, m, path, err)) {
            module_free(found);
            return NULL;
        }
    }
    if (found)
        return found;
    char known[128];
    isa_ranges(known, sizeof known);
    if (fat->link_time && !fat->count)
        rp_fail(err, RP_BAD_INPUT, "%.200s: the fat binary holds " FATBIN_LINK_TIME, path);
    else
        rp_fail(err, RP_BAD_INPUT, "%.200s: the fat binary holds neither PTX nor machine code for %s", path, known);
    return NULL;
}

static struct module *load_fatbin(const char *path, const void *bytes, size_t size, uint64_t base, struct rp_error *err)
{
    struct fatbin *fat = fatbin_load(path, bytes, size, err);
    struct module *m = fat ? load_parts(path, fat, base, err) : NULL;
    fatbin_free(fat);
    return m;
}

struct module *module_load_bytes(const char *path, const void *bytes, size_t size, uint64_t base, struct rp_error *err)
{
    if (fatbin_is(bytes, size))
        return load_fatbin(path, bytes, size, base, err);
    const struct isa *isa = isa_of_module(bytes, size);
    if (isa)
        return load_linked(isa, path, bytes, size, base, err);
    if (cubin_is(bytes, size))
        return refuse_code(path, bytes, size, err);
    static const char thin[] = "!<thin>\n"; /* GNU ar, "ar --thin" */
    rp_fail(err, RP_BAD_INPUT,
            "%.200s: %s; a module is CUDA source (.cu), PTX, a cubin, a fat binary, or a program with one", path,
            !size ? "empty"
            : size >= SARMAG && !memcmp(bytes, ARMAG, SARMAG)
                ? "a static library; take its objects out with 'ar x', or link them"
            : size >= SARMAG && !memcmp(bytes, thin, SARMAG)
                ? "a thin static library, which only names its objects; give one of them: 'ar t' lists them"
            : size >= SELFMAG && !memcmp(bytes, ELFMAG, SELFMAG)
                ? "an ELF file, but not for an NVIDIA GPU, and no fat binary in it"
                : "neither text nor a binary of these kinds");
    return NULL;
}
