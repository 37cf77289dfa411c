#include "tools/record/tensors.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static const char *const elements[TENSOR_ELEMENTS] = {"u8",  "u16", "u32",  "i32",     "u64",  "i64",     "f16",
                                                      "f32", "f64", "bf16", "f32-ftz", "tf32", "tf32-ftz"};

bool tensor_element_named(const char *name, unsigned *element)
{
    for (*element = 0; name && *element < TENSOR_ELEMENTS; (*element)++)
        if (!strcmp(elements[*element], name))
            return true;
    return false;
}

/* Without given strides, rows have no gaps. */
static void settle_strides(struct plan_tensor *t)
{
    for (unsigned d = 0; !t->strided && d + 1 < t->rank; d++)
        t->stride[d] = d ? t->stride[d - 1] * t->size[d] : t->size[0] * tensor_element_bytes(t->element);
}

/* The bytes from the first element to the end of the last; UINT64_MAX: more than memory can hold. */
static uint64_t extent(const struct plan_tensor *t)
{
    unsigned __int128 end = (unsigned __int128)t->size[0] * tensor_element_bytes(t->element);
    for (unsigned d = 1; d < t->rank; d++)
        end += (unsigned __int128)(t->size[d] - 1) * t->stride[d - 1];
    return end > UINT64_MAX ? UINT64_MAX : (uint64_t)end;
}

bool tensor_make(const struct plan *p, struct plan_tensor *t, struct rp_error *err)
{
    const struct plan_buffer *b = &p->buffers[t->buffer];
    struct rp_error why;
    settle_strides(t);
    const struct rp_tensor_map_config c = {.element = t->element,
                                           .rank = t->rank,
                                           .address = b->address,
                                           .sizes = t->size,
                                           .strides = t->stride,
                                           .box = t->box,
                                           .steps = t->step,
                                           .swizzle = t->swizzle,
                                           .fill = t->fill};
    if (!rp_tensor_map_encode(&t->map, &c, &why))
        return rp_fail(err, RP_USAGE, "tensor '%s': %s", t->name, why.text);
    return extent(t) <= b->bytes ||
           rp_fail(err, RP_USAGE, "tensor '%s' takes %" PRIu64 " bytes, but buffer '%s' has %" PRIu64, t->name,
                   extent(t), b->name, b->bytes);
}

char *tensor_describe(const struct plan *p, const struct plan_tensor *t)
{
    char *text = NULL;
    size_t bytes;
    FILE *to = open_memstream(&text, &bytes);
    if (!to)
        return NULL;
    fprintf(to, "buf=%s %s swizzle=%u fill=%u", p->buffers[t->buffer].name, elements[t->element], t->swizzle, t->fill);
    for (unsigned d = 0; d < t->rank; d++)
        fprintf(to, " %" PRIu64 ":%" PRIu64 ":%u:%u", t->size[d], d ? t->stride[d - 1] : 0, t->box[d], t->step[d]);
    return fclose(to) ? NULL : text;
}
