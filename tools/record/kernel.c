#include "tools/record/kernel.h"

#include <stdlib.h>
#include <string.h>

static const struct argument_type types[] = {
    [ARG_I32] = {"i32", 4, true, false, true, false},       [ARG_U32] = {"u32", 4, true, false, true, false},
    [ARG_I64] = {"i64", 8, true, false, false, false},      [ARG_U64] = {"u64", 8, true, false, false, false},
    [ARG_F32] = {"f32", 4, false, true, false, false},      [ARG_F64] = {"f64", 8, false, true, false, false},
    [ARG_BYTES] = {"bytes", 0, true, true, false, false},   [ARG_BUFFER] = {"buf", 8, true, false, false, true},
    [ARG_STRUCT] = {"struct", 0, true, true, false, false}, [ARG_TEXTURE] = {"tex", 8, true, false, false, false},
    [ARG_SURFACE] = {"surf", 8, true, false, false, false}, [ARG_TENSOR] = {"tensor", 0, true, true, false, false},
};

static void put_bytes(const struct plan_argument *a, uint8_t *to)
{
    for (const char *digits = a->hex; *digits; digits += 2) {
        char byte[3] = {digits[0], digits[1], 0};
        *to++ = (uint8_t)strtoul(byte, NULL, 16);
    }
}

static uint64_t value_of(const struct plan *plan, const struct plan_argument *a)
{
    switch (a->kind) {
    case ARG_BUFFER: return plan->buffers[a->buffer].address;
    case ARG_TEXTURE: return plan->images[a->buffer].texture;
    case ARG_SURFACE: return plan->images[a->buffer].surface;
    default: return a->bits;
    }
}

/* Writes the first `size` bytes of an argument's value; a parameter may be narrower than a 32-bit integer. */
static void put(const struct plan *plan, const struct plan_argument *a, size_t size, uint8_t *to)
{
    uint64_t bits = value_of(plan, a);
    if (a->kind == ARG_BYTES)
        put_bytes(a, to);
    else if (a->kind == ARG_TENSOR)
        memcpy(to, &plan->tensors[a->buffer].map, sizeof(struct tensor_map));
    else if (a->kind != ARG_STRUCT)
        memcpy(to, &bits, size);
    for (uint32_t f = 0; f < a->field_count; f++)
        put(plan, &a->fields[f].value, a->fields[f].value.bytes, to + a->fields[f].offset);
}

static bool check_alignment(const struct program *p, uint32_t i, const struct plan_argument *a, struct rp_error *err)
{
    const struct parameter *param = &p->parameters[i];
    return (param->align % a->align == 0 && param->offset % a->align == 0) ||
           rp_fail(err, RP_USAGE,
                   "argument %u is a structure whose alignment is %u, but that of parameter '%s' of kernel '%s' is %u",
                   i, a->align, param->name, p->name, param->align);
}

bool kernel_check_arguments(const struct program *p, const struct plan_launch *l, struct rp_error *err)
{
    if (!kernel_check_count(p, l->arg_count, err))
        return false;
    for (uint32_t i = 0; i < l->arg_count; i++) {
        const struct plan_argument *a = &l->args[i];
        struct argument_type type = types[a->kind];
        type.bytes = a->bytes;
        int64_t value = a->kind == ARG_I32 ? (int32_t)(uint32_t)a->bits : (int64_t)a->bits;
        if (!kernel_check_argument(p, i, &type, value, err))
            return false;
        if (a->kind == ARG_STRUCT && !check_alignment(p, i, a, err))
            return false;
    }
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
    for (uint32_t i = 0; i < l->arg_count; i++)
        put(plan, &l->args[i], p->parameters[i].size, block + p->parameters[i].offset);
    return block;
}
