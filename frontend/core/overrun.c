#include "frontend/core/overrun.h"

#include <string.h>

#include "frontend/core/observe.h"
#include "tracefmt/error.h"
#include "tracefmt/plural.h"

/* Reports the fault without setting it in the block. */
static void report(struct warp_state *s, const struct uop *u, const struct fault *f)
{
    struct block *b = s->w.block;
    const struct overruns *o = b->grid->overruns;
    uint8_t *reported = b->program->overran;
    struct rp_error err = {0};
    if (!o->report || (reported && reported[u->index]))
        return;
    struct fault before = b->fault;
    b->fault = *f;
    fault_report(b, &err);
    b->fault = before;
    if (reported)
        reported[u->index] = 1;
    o->report(o->data, err.text);
}

static enum overrun go(struct warp_state *s, const struct uop *u, struct fault *f)
{
    struct observer *o = s->w.block->observer;
    if (o &&
        !o->calls->host_call(o)) /* whether it is reported, and what the memory holds, depends on the order of blocks */
        return OVERRUN_STOP;
    f->kind = RP_FAULT_BOUNDS;
    f->instruction = u->index;
    f->warp = s->w.id;
    f->access = u->memory->operand.kind;
    report(s, u, f);
    return OVERRUN_GO;
}

enum overrun overrun_shared(struct warp_state *s, const struct uop *u, unsigned lane, uint64_t at, uint64_t bytes)
{
    const struct grid *g = s->w.block->grid;
    const struct extents *e = &g->shared;
    const struct extent *last = e->last.size || !e->count ? &e->last : &e->at[e->count - 1];
    uint64_t end = last->base + last->size;
    if (!g->overruns || at < last->base || at + bytes > end + e->slack || at + bytes < at)
        return OVERRUN_FAULT;
    struct fault f = {.lane = lane, .address = at, .size = (uint32_t)bytes, .space = RP_SPACE_SHARED};
    extents_describe(e, at, rp_space_name(RP_SPACE_SHARED), g->total_shared, f.detail, sizeof f.detail);
    return go(s, u, &f);
}

enum overrun overrun_parameter(struct warp_state *s, const struct uop *u, unsigned lane, uint64_t at, uint64_t bytes)
{
    const struct grid *g = s->w.block->grid;
    uint64_t size = g->program->parameter_bytes, room = size + granule_rest(size, PARAMETER_GRANULE);
    if (!g->overruns || bytes > room || at > room - bytes)
        return OVERRUN_FAULT;
    struct fault f = {.lane = lane, .address = at, .size = (uint32_t)bytes, .space = RP_SPACE_PARAM};
    snprintf(f.detail, sizeof f.detail, "there %s %llu byte%s of parameters", size == 1 ? "is" : "are",
             (unsigned long long)size, rp_plural(size));
    return go(s, u, &f);
}

enum overrun overrun_global(struct warp_state *s, const struct uop *u, unsigned lane, uint64_t at, uint64_t bytes,
                            struct allocation **a)
{
    const struct grid *g = s->w.block->grid;
    struct allocation *near = g->overruns ? memory_below(g->memory, at) : NULL;
    if (!near || !(near->devices >> g->device & 1) || bytes > near->size + near->slack ||
        at - near->base > near->size + near->slack - bytes)
        return OVERRUN_FAULT;
    struct fault f = {.lane = lane, .address = at, .size = (uint32_t)bytes, .space = RP_SPACE_GLOBAL};
    memory_describe(g->memory, g->device, at, f.detail, sizeof f.detail);
    *a = near;
    return go(s, u, &f);
}
