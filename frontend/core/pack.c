/* Packs operations into uops of 64 bytes, and into a descriptor if an operation needs more. */
#include <string.h>

#include "frontend/operation/flags.h"

static uint32_t count_elements(const struct operation *o)
{
    uint32_t count = 0;
    for (unsigned n = 0; n < UOP_LISTS; n++)
        count += o->lists[n].count;
    return count;
}

static bool keeps_imm(const struct operation *o)
{
    return o->kind == UOP_MEMORY || o->op == OP_FRAME || o->op == OP_GUEST;
}
static bool keeps_detail(const struct operation *o)
{
    return o->op == OP_VIDEO || o->op == OP_XMAD || o->op == OP_MMA || o->op == OP_WGMMA;
}

static bool is_lane(const struct operation *o) { return o->kind == UOP_LANE || o->kind == UOP_CLOCK; }

static bool needs_lane_descriptor(const struct operation *o)
{
    return o->pd2.at || count_elements(o) || (o->imm != (uint8_t)o->imm && !keeps_imm(o));
}

size_t uop_descriptor_bytes(const struct operation *o)
{
    size_t elements = sizeof(struct operand) * count_elements(o), bytes = 0;
    switch (o->kind) {
    case UOP_LANE:
    case UOP_CLOCK: bytes = needs_lane_descriptor(o) ? sizeof(struct lane_descriptor) + elements : 0; break;
    case UOP_MEMORY: bytes = sizeof(struct memory_descriptor) + elements; break;
    case UOP_BRANCH_TABLE:
    case UOP_CALL:
    case UOP_HOST_CALL: bytes = sizeof(struct control_descriptor); break;
    case UOP_BARRIER: bytes = sizeof(struct rp_barrier); break;
    default: break;
    }
    return (bytes + 7) / 8 * 8;
}

static const struct lane_descriptor *lane_descriptor(struct lane_descriptor *d, const struct operation *o)
{
    uint32_t at = 0;
    d->imm = o->imm;
    d->pd2 = o->pd2;
    for (unsigned n = 0; n < UOP_LISTS; n++) {
        for (uint32_t i = 0; i < o->lists[n].count; i++)
            d->elements[at++] = o->lists[n].at[i];
        d->list_end[n] = (uint16_t)at;
    }
    return d;
}

static const struct memory_descriptor *memory_descriptor(struct memory_descriptor *d, const struct operation *o)
{
    *d = (struct memory_descriptor){.operand = o->memory,
                                    .access = o->access,
                                    .dtype = o->dtype,
                                    .frame_relative = o->frame_relative,
                                    .count = o->lists[0].count};
    uint32_t at = 0;
    for (unsigned n = 0; n < 2; n++)
        for (uint32_t i = 0; i < o->lists[n].count; i++)
            d->elements[at++] = o->lists[n].at[i];
    return d;
}

static const struct control_descriptor *control_descriptor(struct control_descriptor *d, const struct operation *o)
{
    *d = (struct control_descriptor){o->table, o->table_count, o->window_bytes, o->frame_bytes};
    return d;
}

static const struct rp_barrier *barrier_descriptor(struct rp_barrier *d, const struct operation *o)
{
    *d = o->barrier;
    return d;
}

/* What the uop's eight bytes of choice hold. */
static void pack_rest(struct uop *u, const struct operation *o)
{
    switch (o->kind) {
    case UOP_BRANCH:
    case UOP_BRANCH_TABLE:
    case UOP_CALL:
    case UOP_PUSH:
        u->target = o->target;
        u->reconverge = o->reconverge;
        return;
    case UOP_MEMORY: u->imm = o->imm; return;
    default: break;
    }
    if (is_lane(o) && keeps_imm(o)) {
        u->imm = o->imm;
    } else if (is_lane(o) && keeps_detail(o)) {
        memcpy(u->detail, o->detail, sizeof u->detail);
    } else {
        u->p = o->p;
        u->pd = o->pd;
    }
}

static void pack_descriptor(struct uop *u, const struct operation *o, void *descriptor)
{
    switch (o->kind) {
    case UOP_MEMORY: u->memory = memory_descriptor(descriptor, o); break;
    case UOP_BRANCH_TABLE:
    case UOP_CALL:
    case UOP_HOST_CALL: u->control = control_descriptor(descriptor, o); break;
    case UOP_BARRIER: u->barrier = barrier_descriptor(descriptor, o); break;
    default: u->lane = is_lane(o) && needs_lane_descriptor(o) ? lane_descriptor(descriptor, o) : NULL; break;
    }
}

void uop_pack(struct uop *u, const struct operation *o, void *descriptor)
{
    *u = (struct uop){.fn = o->fn,
                      .flags = o->flags,
                      .d = o->d,
                      .a = o->a,
                      .b = o->b,
                      .c = o->c,
                      .guard = o->guard,
                      .index = o->index};
    u->kind = o->kind, u->op = o->op, u->type = o->type, u->stype = o->stype;
    u->rounding = o->rounding, u->compare = o->compare, u->combine = o->combine, u->mode = (uint8_t)o->imm;
    u->flags |= is_register(o->guard) ? UF_GUARDED : 0;
    u->flags |= o->guard_flip ? UF_GUARD_NEGATED : 0;
    u->flags |= o->p_flip ? UF_P_NEGATED : 0;
    pack_rest(u, o);
    pack_descriptor(u, o, descriptor);
}
