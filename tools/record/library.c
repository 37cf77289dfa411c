#include "tools/record/library.h"

#include <stdlib.h>
#include <string.h>

#include "frontend/module/cubin.h"
#include "frontend/module/fatbin.h"
#include "frontend/module/module.h"
#include "tools/lib/archive.h"
#include "tools/lib/names.h"

struct member {
    char *name, *bytes;
    size_t size;
};
struct library {
    struct member *members; /* those that can be loaded and have kernels */
    size_t member_count;
    char **kernels; /* each name once */
    size_t *owner;  /* the first member that has it */
    size_t kernel_count;
    struct rp_error first; /* why the first of the others cannot be loaded, if `failed` */
    bool failed;
};

static void release(struct library *l)
{
    for (size_t i = 0; i < l->member_count; i++) {
        free(l->members[i].name);
        free(l->members[i].bytes);
    }
    for (size_t i = 0; i < l->kernel_count; i++)
        free(l->kernels[i]);
    free(l->members);
    free(l->kernels);
    free(l->owner);
}

/* ---- members ------------------------------------------------------------------------------------------------------
 */

static bool add_kernel(struct library *l, const char *name)
{
    for (size_t i = 0; i < l->kernel_count; i++)
        if (!strcmp(l->kernels[i], name))
            return true;
    char **kernels = realloc(l->kernels, (l->kernel_count + 1) * sizeof *kernels);
    l->kernels = kernels ? kernels : l->kernels;
    size_t *owner = realloc(l->owner, (l->kernel_count + 1) * sizeof *owner);
    l->owner = owner ? owner : l->owner;
    if (!kernels || !owner || !(l->kernels[l->kernel_count] = strdup(name)))
        return false;
    l->owner[l->kernel_count++] = l->member_count - 1;
    return true;
}

static bool keep(struct library *l, const char *name, const uint8_t *bytes, size_t size, const struct module *m)
{
    struct member *members = realloc(l->members, (l->member_count + 1) * sizeof *members);
    if (!members)
        return false;
    l->members = members;
    struct member *here = &l->members[l->member_count++];
    *here = (struct member){strdup(name), malloc(size + 1), size};
    if (!here->name || !here->bytes)
        return false;
    memcpy(here->bytes, bytes, size);
    here->bytes[size] = 0;
    for (uint32_t i = 0; i < m->program_count; i++)
        if (!add_kernel(l, m->programs[i].name))
            return false;
    return true;
}

/* Members without code for GPUs are no concern of anybody; one that cannot be loaded is if its kernels are missed. */
static bool add_member(void *data, const char *name, const uint8_t *bytes, size_t size, struct rp_error *err)
{
    struct library *l = data;
    struct rp_error why;
    if (!fatbin_is(bytes, size) && !cubin_is(bytes, size))
        return true;
    struct module *m = module_load_bytes(name, bytes, size, 0, &why);
    if (!m && why.status == RP_SYSTEM)
        return rp_fail(err, why.status, "%s", why.text);
    if (!m && !l->failed) {
        l->failed = true;
        l->first = why;
    }
    bool ok = !m || !m->program_count || keep(l, name, bytes, size, m);
    module_free(m);
    return ok || rp_fail(err, RP_SYSTEM, "%s: out of memory", name);
}

/* ---- the choice ---------------------------------------------------------------------------------------------------
 */

static bool find_owner(const struct plan *p, const struct library *l, const char *kernel, size_t *owner,
                       struct rp_error *err)
{
    const char *chosen = choose_kernel(p->module, (const char *const *)l->kernels, l->kernel_count, kernel, err);
    for (size_t i = 0; chosen && i < l->kernel_count; i++)
        if (!strcmp(l->kernels[i], chosen))
            *owner = l->owner[i];
    if (!chosen && kernel && l->failed) {
        struct rp_error there = *err;
        rp_fail(err, there.status, "%.600s; and %.400s", there.text, l->first.text);
    }
    return chosen;
}

static bool choose_member(const struct plan *p, const struct library *l, size_t *member, struct rp_error *err)
{
    if (!l->kernel_count && l->failed)
        return rp_fail(err, l->first.status, "%s", l->first.text);
    if (!l->kernel_count)
        return rp_fail(err, RP_BAD_INPUT, "%s: no member of this static library has a kernel", p->module);
    for (size_t i = 0; i < p->launch_count; i++) {
        size_t owner = 0;
        if (!find_owner(p, l, p->launches[i].kernel, &owner, err))
            return false;
        if (i && owner != *member)
            return rp_fail(err, RP_BAD_INPUT,
                           "%s and %s have kernels of these launches, and a module is one of them: link the objects "
                           "(nvcc -rdc=true -dlink), or record a program",
                           l->members[*member].name, l->members[owner].name);
        *member = owner;
    }
    return true;
}

bool library_choose(const struct plan *p, char **bytes, size_t *size, struct rp_error *err)
{
    struct library l = {0};
    size_t member = 0;
    if (!archive_is((const uint8_t *)*bytes, *size))
        return true;
    bool ok = archive_visit(p->module, (const uint8_t *)*bytes, *size, add_member, &l, err) &&
              choose_member(p, &l, &member, err);
    if (ok) {
        free(*bytes);
        *bytes = l.members[member].bytes;
        *size = l.members[member].size;
        l.members[member].bytes = NULL;
    }
    release(&l);
    return ok;
}
