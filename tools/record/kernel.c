#include "tools/record/kernel.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

/* ---- names ------------------------------------------------------------------------------------------------------- */

/* The plain identifier of a mangled name, the last one of a nested name; 0: not a mangled function. */
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
    return module_find(m, found ? found : name, err);
}

/* ---- arguments --------------------------------------------------------------------------------------------------- */

static const struct {
    const char *form;
    uint32_t bytes;
    bool is_float;
} kinds[] = {
    [ARG_I32] = {"i32", 4, false},    [ARG_U32] = {"u32", 4, false},    [ARG_I64] = {"i64", 8, false},
    [ARG_U64] = {"u64", 8, false},    [ARG_F32] = {"f32", 4, true},     [ARG_F64] = {"f64", 8, true},
    [ARG_BYTES] = {"bytes", 0, true}, [ARG_BUFFER] = {"buf", 8, false},
};

static uint32_t size_of(const struct plan_argument *a)
{
    return a->kind == ARG_BYTES ? (uint32_t)(strlen(a->hex) / 2) : kinds[a->kind].bytes;
}

/* Into `to`, which has room for the parameter's size. */
static void put_bytes(const struct plan_argument *a, uint8_t *to)
{
    for (const char *digits = a->hex; *digits; digits += 2) {
        char byte[3] = {digits[0], digits[1], 0};
        *to++ = (uint8_t)strtoul(byte, NULL, 16);
    }
}

/* 32-bit arguments serve narrower integers if their value fits. */
static bool narrow_fits(const struct plan_argument *a, uint32_t size)
{
    if (size >= 4 || size == 3 || (a->kind != ARG_I32 && a->kind != ARG_U32))
        return false;
    int64_t value = a->kind == ARG_I32 ? (int32_t)(uint32_t)a->bits : (int64_t)a->bits;
    return value >= -(INT64_C(1) << (8 * size - 1)) && value < INT64_C(1) << 8 * size;
}

static bool check_argument(const struct program *p, uint32_t i, const struct plan_argument *a, struct rp_error *err)
{
    const struct parameter *param = &p->parameters[i];
    const char *form = kinds[a->kind].form;
    if (param->size != size_of(a) && !narrow_fits(a, param->size))
        return rp_fail(err, RP_USAGE, "argument %u (%s) is %u bytes, but parameter '%s' of kernel '%s' has %u", i, form,
                       size_of(a), param->name, p->name, param->size);
    if (param->is_float && !kinds[a->kind].is_float)
        return rp_fail(err, RP_USAGE,
                       "argument %u is %s, but parameter '%s' of kernel '%s' is floating point: write %s=", i, form,
                       param->name, p->name, param->size == 4 ? "f32" : "f64");
    return true;
}

bool kernel_check_arguments(const struct program *p, const struct plan_launch *l, struct rp_error *err)
{
    if (l->arg_count != p->parameter_count)
        return rp_fail(err, RP_USAGE, "kernel '%s' has %u parameters, but %u arguments are given", p->name,
                       p->parameter_count, l->arg_count);
    for (uint32_t i = 0; i < l->arg_count; i++)
        if (!check_argument(p, i, &l->args[i], err))
            return false;
    return true;
}

void *kernel_parameters(const struct program *p, const struct plan *plan, const struct plan_launch *l,
                        struct rp_error *err)
{
    uint8_t *block = calloc(1, p->parameter_bytes + 1);
    if (!block) {
        rp_fail(err, RP_SYSTEM, "out of memory");
        return NULL;
    }
    for (uint32_t i = 0; i < l->arg_count; i++) {
        const struct plan_argument *a = &l->args[i];
        uint64_t bits = a->kind == ARG_BUFFER ? plan->buffers[a->buffer].address : a->bits;
        if (a->kind == ARG_BYTES)
            put_bytes(a, block + p->parameters[i].offset);
        else
            memcpy(block + p->parameters[i].offset, &bits, p->parameters[i].size);
    }
    return block;
}
