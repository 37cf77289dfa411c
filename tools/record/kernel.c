#include "tools/record/kernel.h"

#include <stdlib.h>
#include <string.h>

static const struct argument_type types[] = {
    [ARG_I32] = {"i32", 4, false, true},     [ARG_U32] = {"u32", 4, false, true},
    [ARG_I64] = {"i64", 8, false, false},    [ARG_U64] = {"u64", 8, false, false},
    [ARG_F32] = {"f32", 4, true, false},     [ARG_F64] = {"f64", 8, true, false},
    [ARG_BYTES] = {"bytes", 0, true, false}, [ARG_BUFFER] = {"buf", 8, false, false},
};

/* Into `to`, which has room for the parameter's size. */
static void put_bytes(const struct plan_argument *a, uint8_t *to)
{
    for (const char *digits = a->hex; *digits; digits += 2) {
        char byte[3] = {digits[0], digits[1], 0};
        *to++ = (uint8_t)strtoul(byte, NULL, 16);
    }
}

bool kernel_check_arguments(const struct program *p, const struct plan_launch *l, struct rp_error *err)
{
    if (!kernel_check_count(p, l->arg_count, err))
        return false;
    for (uint32_t i = 0; i < l->arg_count; i++) {
        const struct plan_argument *a = &l->args[i];
        struct argument_type type = types[a->kind];
        if (a->kind == ARG_BYTES)
            type.bytes = strlen(a->hex) / 2;
        int64_t value = a->kind == ARG_I32 ? (int32_t)(uint32_t)a->bits : (int64_t)a->bits;
        if (!kernel_check_argument(p, i, &type, value, err))
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
