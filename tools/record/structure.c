/* A structure by value, laid out field by field as in C: each field is at the next multiple of its own size ("bytes":
 * at the next offset), and the size of the whole is a multiple of the widest field. "at=OFFSET" skips bytes: fields
 * that are left out, or padding before or after a nested structure. */
#include <stdlib.h>
#include <string.h>

#include "tools/lib/number.h"
#include "tools/record/plan.h"

#define LARGEST_STRUCT                                                                                                 \
    32764 /* bytes of parameters that a kernel can have (CUDA C++ Programming Guide, sm_70 and later) */

struct reader {
    struct plan_argument *to;
    uint32_t end; /* of the fields so far */
    bool placed;  /* at= came last */
    buffer_fn buffer;
    void *data;
};

/* Passes the number of the field to the caller's function; a field is no structure. */
static bool field_buffer(void *data, const char *text, int field, size_t *buffer, struct rp_error *err)
{
    const struct reader *r = data;
    (void)field;
    return r->buffer(r->data, text, (int)r->to->field_count - 1, buffer, err);
}

static uint32_t round_up(uint32_t n, uint32_t to) { return (n + to - 1) / to * to; }

static bool move(struct reader *r, const char *text, struct rp_error *err)
{
    uint64_t offset;
    if (!read_number(text, LARGEST_STRUCT, "at", &offset, err))
        return false;
    if (offset < r->end)
        return rp_fail(err, RP_USAGE, "at=%s: the fields before it end at offset %u", text, r->end);
    r->end = (uint32_t)offset;
    return r->placed = true;
}

static bool add_field(struct reader *r, const char *text, struct rp_error *err)
{
    struct plan_argument *a = r->to;
    if (!strncmp(text, "struct=", 7))
        return rp_fail(err, RP_USAGE,
                       "a structure's fields are values and buffers; write those of one within it in "
                       "its place, after at=OFFSET");
    struct plan_field *fields = realloc(a->fields, (a->field_count + 1) * sizeof *fields);
    if (!fields)
        return rp_fail(err, RP_SYSTEM, "out of memory");
    a->fields = fields;
    struct plan_field *f = &fields[a->field_count++];
    *f = (struct plan_field){0};
    if (!read_argument(text, &f->value, field_buffer, r, err))
        return false;
    f->offset = round_up(r->end, f->value.align);
    if (r->placed && f->offset != r->end)
        return rp_fail(err, RP_USAGE, "'%s' cannot stand at offset %u; its alignment is %u", text, r->end,
                       f->value.align);
    r->placed = false;
    r->end = f->offset + f->value.bytes;
    a->align = f->value.align > a->align ? f->value.align : a->align;
    return r->end <= LARGEST_STRUCT ||
           rp_fail(err, RP_USAGE, "a structure of %u bytes or more; the most is %d", r->end, LARGEST_STRUCT);
}

bool read_struct(const char *text, struct plan_argument *a, buffer_fn buffer, void *data, struct rp_error *err)
{
    struct reader r = {.to = a, .buffer = buffer, .data = data};
    char *copy = plan_copy(text), *rest = copy, *part;
    bool ok = true;
    a->align = 1;
    while (ok && (part = strsep(&rest, ",")))
        ok = !strncmp(part, "at=", 3) ? move(&r, part + 3, err) : add_field(&r, part, err);
    free(copy);
    a->bytes = round_up(r.end, a->align);
    return ok;
}
