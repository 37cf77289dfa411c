#include "tools/record/images.h"

#include <inttypes.h>

static struct rp_array_box whole(const struct rp_array_config *a)
{
    return (struct rp_array_box){.width = (uint64_t)a->width * rp_element_bytes(a->element),
                                 .height = a->height ? a->height : 1,
                                 .depth = a->depth ? a->depth : 1};
}

static bool check_size(const struct plan *p, const struct plan_image *m, struct rp_error *err)
{
    const struct plan_buffer *b = &p->buffers[m->buffer];
    const struct rp_array_box box = whole(&m->array);
    const uint64_t bytes = box.width * box.height * box.depth;
    return bytes == b->bytes ||
           rp_fail(err, RP_USAGE, "image '%s' takes %" PRIu64 " bytes, but buffer '%s' has %" PRIu64, m->name, bytes,
                   b->name, b->bytes);
}

static bool make_array(const struct plan *p, struct plan_image *m, struct rp_device *d, struct rp_error *err)
{
    const struct plan_buffer *b = &p->buffers[m->buffer];
    const struct rp_array_box box = whole(&m->array);
    m->made = rp_array_new(d, &m->array, m->name, err);
    if (!m->made || !rp_array_write(d, m->made, &box, rp_host_read(d, b->address, b->bytes), box.width,
                                    box.width * box.height, err))
        return false;
    m->surface = rp_surface_new(d, m->made, err);
    return m->surface != 0;
}

bool image_make(const struct plan *p, struct plan_image *m, struct rp_device *d, const struct module *module,
                struct rp_error *err)
{
    const struct plan_buffer *b = &p->buffers[m->buffer];
    if (!check_size(p, m, err) || (!m->linear && !make_array(p, m, d, err)))
        return false;
    struct rp_resource r = {.array = m->made};
    if (m->linear)
        r = (struct rp_resource){
            .kind = RP_RESOURCE_LINEAR, .address = b->address, .bytes = b->bytes, .element = m->array.element};
    m->texture = rp_texture_new(d, &r, &m->sampler, NULL, err);
    return m->texture && (!m->reference || rp_reference_bind(d, module, m->reference, m->texture, err));
}

bool image_read_back(const struct plan *p, const struct plan_image *m, struct rp_device *d, struct rp_error *err)
{
    const struct plan_buffer *b = &p->buffers[m->buffer];
    const struct rp_array_box box = whole(&m->array);
    return m->linear ||
           rp_array_read(d, m->made, &box, rp_host(d, b->address, b->bytes), box.width, box.width * box.height, err);
}
