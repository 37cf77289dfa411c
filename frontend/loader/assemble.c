#include "frontend/loader/assemble.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "frontend/loader/isa.h"
#include "frontend/loader/ptxas.h"
#include "frontend/module/cubin.h"
#include "frontend/module/fatbin.h"

struct wanted {
    const char *path, *name; /* name: of the architecture, perhaps with a letter behind its number */
    unsigned sm;
    size_t *size; /* of the result */
};

/* The number of an architecture whose machine code can be executed; 0: it is none. Of these, sm_90 alone has features
 * of its own, as sm_90a (PTX ISA, ".target"). */
static unsigned architecture_of(const char *name)
{
    enum { WITH_FEATURES = 90 };
    unsigned sm = !strncmp(name, "sm_", 3) ? (unsigned)strtoul(name + 3, NULL, 10) : 0;
    char plain[16], own[16];
    snprintf(plain, sizeof plain, "sm_%u", sm);
    snprintf(own, sizeof own, "sm_%ua", sm);
    bool is_one = !strcmp(name, plain) || (sm == WITH_FEATURES && !strcmp(name, own));
    return is_one && isa_of_sm(sm) ? sm : 0;
}

bool module_can_assemble(const char *sm, struct rp_error *err)
{
    char known[256];
    if (architecture_of(sm))
        return true;
    isa_architectures(known, sizeof known);
    return rp_fail(err, RP_USAGE, "--assemble %s: no such architecture; there are %s, sm_90a", sm, known);
}

static uint8_t *copy(const void *bytes, size_t size, const struct wanted *w, struct rp_error *err)
{
    uint8_t *code = malloc(size);
    if (code)
        memcpy(code, bytes, *w->size = size);
    else
        rp_fail(err, RP_SYSTEM, "out of memory for %s", w->path);
    return code;
}

static uint8_t *of_ptx(const void *text, size_t size, const struct wanted *w, struct rp_error *err)
{
    uint8_t *code;
    return ptxas_assemble(w->path, text, size, w->name, &code, w->size, err) == PTXAS_MADE ? code : NULL;
}

static uint8_t *of_cubin(const void *bytes, size_t size, const struct wanted *w, struct rp_error *err)
{
    unsigned sm = cubin_sm(bytes, size);
    if (isa_sm_runs(w->sm, sm))
        return copy(bytes, size, w, err);
    rp_fail(err, RP_BAD_INPUT, "%s: it is machine code for sm_%u already, which %s does not run", w->path, sm, w->name);
    return NULL;
}

/* ---- fat binaries ------------------------------------------------------------------------------------------------ */

static bool has_kernels(const struct fatbin_entry *e)
{
    return e->kind == FATBIN_PTX ? memmem(e->bytes, e->size, ".entry", 6) : memmem(e->bytes, e->size, ".text.", 6);
}

static bool fits(const struct fatbin_entry *e, const struct wanted *w)
{
    return e->kind == FATBIN_PTX ? e->arch <= w->sm : isa_sm_runs(w->sm, e->arch);
}

static bool unpack(struct fatbin *fat, const struct wanted *w, struct rp_error *err)
{
    bool ok = true;
    for (uint32_t i = 0; i < fat->count && ok; i++)
        ok = !fits(&fat->entries[i], w) || fatbin_unpack(fat, &fat->entries[i], err);
    return ok;
}

/* The entry of this part: machine code before PTX, and the newest of either that the architecture takes. */
static const struct fatbin_entry *choose(const struct fatbin *fat, uint32_t part, const struct wanted *w)
{
    const struct fatbin_entry *best = NULL;
    for (uint32_t i = 0; i < fat->count; i++) {
        const struct fatbin_entry *e = &fat->entries[i];
        if (e->part != part || !fits(e, w) || !has_kernels(e))
            continue;
        if (!best || (best->kind == e->kind ? e->arch > best->arch : e->kind != FATBIN_PTX))
            best = e;
    }
    return best;
}

static const struct fatbin_entry *choose_part(const struct fatbin *fat, const struct wanted *w, struct rp_error *err)
{
    const struct fatbin_entry *found = NULL;
    for (uint32_t part = 0; part < fat->part_count; part++) {
        const struct fatbin_entry *e = choose(fat, part, w);
        if (e && found) {
            rp_fail(err, RP_BAD_INPUT,
                    "%s: kernels of several source files; a module is one of them: take an object file instead",
                    w->path);
            return NULL;
        }
        found = e ? e : found;
    }
    if (!found && fat->link_time && !fat->count)
        rp_fail(err, RP_BAD_INPUT, "%s: the fat binary holds " FATBIN_LINK_TIME, w->path);
    else if (!found)
        rp_fail(err, RP_BAD_INPUT, "%s: the fat binary holds no kernel as machine code or PTX for %s", w->path,
                w->name);
    return found;
}

static uint8_t *of_fatbin(const void *bytes, size_t size, const struct wanted *w, struct rp_error *err)
{
    struct fatbin *fat = fatbin_load(w->path, bytes, size, err);
    const struct fatbin_entry *e = fat && unpack(fat, w, err) ? choose_part(fat, w, err) : NULL;
    uint8_t *code = !e                      ? NULL
                    : e->kind == FATBIN_PTX ? of_ptx(e->bytes, e->size, w, err)
                                            : copy(e->bytes, e->size, w, err);
    fatbin_free(fat);
    return code;
}

uint8_t *module_assemble(const char *path, const void *bytes, size_t size, const char *sm, size_t *code_size,
                         struct rp_error *err)
{
    struct wanted w = {.path = path, .name = sm, .sm = architecture_of(sm), .size = code_size};
    if (!module_can_assemble(sm, err))
        return NULL;
    if (fatbin_is(bytes, size))
        return of_fatbin(bytes, size, &w, err);
    if (cubin_is(bytes, size))
        return of_cubin(bytes, size, &w, err);
    if (isa_of_module(bytes, size) == &isa_ptx)
        return of_ptx(bytes, size, &w, err);
    rp_fail(err, RP_BAD_INPUT, "%s: neither PTX nor a fat binary; --assemble wants one", path);
    return NULL;
}
