#include "frontend/host/context.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

struct rp_context *rp_context_new(struct rp_error *err)
{
    struct rp_context *c = calloc(1, sizeof *c);
    if (!c) {
        rp_fail(err, RP_SYSTEM, "out of memory for a context");
        return NULL;
    }
    memory_init(&c->memory);
    return c;
}

void rp_context_free(struct rp_context *c)
{
    if (!c)
        return;
    memory_clear(&c->memory);
    if (c->module)
        module_free(c->module);
    free(c->globals);
    free(c->consts);
    free(c);
}

static uint8_t *copy_image(const uint8_t *image, uint64_t size)
{
    uint8_t *copy = aligned_alloc(64, (size + 127) / 64 * 64);
    if (!copy)
        return NULL;
    memset(copy, 0, (size + 127) / 64 * 64);
    if (size)
        memcpy(copy, image, size);
    return copy;
}

/* Each .global variable is an allocation of its own, so that an access past its end is caught. */
static bool place_variables(struct rp_context *c, const struct module *m, struct rp_error *err)
{
    for (uint32_t i = 0; i < m->variable_count; i++) {
        const struct module_variable *v = &m->variables[i];
        if (v->is_const || !v->size)
            continue;
        uint64_t offset = v->address - module_base(m);
        if (offset > m->global_size || v->size > m->global_size - offset ||
            !memory_place(&c->memory, v->address, v->size, c->globals + offset, v->name, ALLOCATION_VARIABLE))
            return rp_fail(err, RP_SYSTEM, "no memory for variable '%s' of %s", v->name, m->file_name);
    }
    return true;
}

bool rp_context_adopt(struct rp_context *c, struct module *m, struct rp_error *err)
{
    if (c->module) {
        module_free(m);
        return rp_fail(err, RP_USAGE, "a context holds one module; it has %s", c->module->file_name);
    }
    c->module = m;
    if (m->narrow && !c->memory.count)
        c->memory.next = HEAP_BASE_32;
    c->globals = copy_image(m->global_image, m->global_size);
    c->consts = copy_image(m->const_image, m->const_size);
    if (!c->globals || !c->consts)
        return rp_fail(err, RP_SYSTEM, "no memory for the variables of %s", m->file_name);
    return place_variables(c, m, err);
}

struct module *rp_context_load(struct rp_context *c, const char *path, struct rp_error *err)
{
    struct module *m = module_load(path, err);
    return m && rp_context_adopt(c, m, err) ? m : NULL;
}

uint64_t rp_alloc(struct rp_context *c, uint64_t bytes, const char *name, struct rp_error *err)
{
    struct allocation *a = memory_allocate(&c->memory, bytes, name, ALLOCATION_BUFFER);
    if (a)
        return a->base;
    rp_fail(err, RP_SYSTEM, "no memory for %s, a buffer of %" PRIu64 " bytes", name ? name : "a buffer", bytes);
    return 0;
}

bool rp_free(struct rp_context *c, uint64_t address, struct rp_error *err)
{
    struct allocation *a = memory_from(&c->memory, address);
    if (!a || a->base != address || a->kind != ALLOCATION_BUFFER)
        return rp_fail(err, RP_USAGE, "0x%" PRIx64 " is not the beginning of a buffer", address);
    memory_free(&c->memory, a);
    memory_reclaim(&c->memory);
    return true;
}

void *rp_host(struct rp_context *c, uint64_t address, uint64_t bytes)
{
    struct allocation *a = memory_find(&c->memory, address);
    if (!a || bytes > a->size - (address - a->base))
        return NULL;
    a->initialised = true;
    return a->host + (address - a->base);
}

void *rp_variable(struct rp_context *c, const char *name, uint64_t *bytes)
{
    for (uint32_t i = 0; c->module && i < c->module->variable_count; i++) {
        const struct module_variable *v = &c->module->variables[i];
        if (strcmp(v->name, name))
            continue;
        *bytes = v->size;
        if (!v->is_const)
            return rp_host(c, v->address, v->size);
        uint64_t offset = v->address - CONST_WINDOW, all = c->module->const_size;
        return offset <= all && v->size <= all - offset ? c->consts + offset : NULL;
    }
    return NULL;
}
