#include "tools/host/kernel.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tools/ui/nearest.h"

#include "tracefmt/plural.h"

/* ---- names ------------------------------------------------------------------------------------------------------- */

/* Finds the identifier in a mangled name; in a nested name the last one. Returns its length; 0: the name is no mangled
 * function. */
static size_t plain_name(const char *mangled, const char **plain)
{
    if (strncmp(mangled, "_Z", 2))
        return 0;
    const char *at = mangled + 2;
    bool nested = *at == 'N';
    at += nested;
    size_t length = 0;
    while (isdigit((unsigned char)*at)) {
        char *end;
        unsigned long n = strtoul(at, &end, 10);
        if (n > strlen(end))
            return 0;
        *plain = end;
        length = n;
        at = end + n;
        if (!nested)
            break;
    }
    return length;
}

/* The name of a kernel, in the module or in the source, that is nearest to `name`; NULL: none is near. */
static const char *similar_kernel(const struct module *m, const char *name, char word[128])
{
    const char *best = NULL;
    for (uint32_t i = 0; !best && i < m->program_count; i++) {
        const char *whole = m->programs[i].name, *plain = "";
        size_t length = plain_name(whole, &plain);
        snprintf(word, 128, "%.*s", (int)(length < 100 ? length : 100), plain);
        const char *both[] = {whole, word};
        best = nearest_name(name, both, length ? 2 : 1);
    }
    return best;
}

struct program *kernel_find(struct module *m, const char *name, struct rp_error *err)
{
    const char *found = NULL;
    uint32_t matches = 0;
    for (uint32_t i = 0; name && i < m->program_count; i++) {
        const char *candidate = m->programs[i].name, *plain = "";
        if (!strcmp(candidate, name))
            return module_find(m, name, err);
        size_t length = plain_name(candidate, &plain);
        if (length != strlen(name) || strncmp(plain, name, length))
            continue;
        found = candidate;
        matches++;
    }
    if (matches > 1) {
        rp_fail(err, RP_USAGE, "%u kernels of %s are called '%s'; give the whole name, such as %s", matches,
                m->file_name, name, found);
        return NULL;
    }
    char word[128];
    const char *near = name && !found ? similar_kernel(m, name, word) : NULL;
    if (near) {
        rp_fail(err, RP_BAD_INPUT, "%s has no kernel '%.100s'; did you mean '%s'?", m->path, name, near);
        return NULL;
    }
    return module_find(m, found ? found : name, err);
}

/* ---- arguments --------------------------------------------------------------------------------------------------- */

bool kernel_check_count(const struct program *p, uint32_t arguments, struct rp_error *err)
{
    return arguments == p->parameter_count ||
           rp_fail(err, RP_USAGE, "kernel '%s' has %u parameter%s, but %u argument%s given", p->name,
                   p->parameter_count, rp_plural(p->parameter_count), arguments, arguments == 1 ? " is" : "s are");
}

static bool narrow_fits(const struct argument_type *type, int64_t value, uint32_t size)
{
    if (size >= 4 || size == 3 || !type->narrows)
        return false;
    return value >= -(INT64_C(1) << (8 * size - 1)) && value < INT64_C(1) << 8 * size;
}

bool kernel_check_argument(const struct program *p, uint32_t i, const struct argument_type *type, int64_t value,
                           struct rp_error *err)
{
    const struct parameter *param = &p->parameters[i];
    size_t bytes = type->address && p->narrow ? 4 : type->bytes;
    if (param->size != bytes && !narrow_fits(type, value, param->size))
        return rp_fail(err, RP_USAGE, "argument %u (%s) is %zu bytes, but parameter '%s' of kernel '%s' has %u", i,
                       type->form, bytes, param->name, p->name, param->size);
    if (param->is_float && !type->may_be_float)
        return rp_fail(err, RP_USAGE, "argument %u is %s, but parameter '%s' of kernel '%s' is floating point: give %s",
                       i, type->form, param->name, p->name, param->size == 4 ? "f32" : "f64");
    if (param->is_integer && !type->may_be_integer)
        return rp_fail(err, RP_USAGE, "argument %u is %s, but parameter '%s' of kernel '%s' is an integer: give %s", i,
                       type->form, param->name, p->name, param->size == 4 ? "i32 or u32" : "i64 or u64");
    return true;
}
