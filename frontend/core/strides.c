/* A forward pass over each straight line: which register a slot holds the stride of, until something writes it. */
#include "frontend/core/strides.h"

#include <stdlib.h>
#include <string.h>

#include "frontend/core/access.h"
#include "frontend/core/operands.h"
#include "frontend/operation/flags.h"

struct slot {
    struct operand address; /* absent: the slot is free */
    uint8_t stype;
    uint32_t first; /* the uop that computes the stride */
};

struct slots {
    struct slot at[STRIDE_SLOTS];
    uint32_t next; /* to be replaced */
};

static void forget_all(struct slots *s) { memset(s, 0, sizeof *s); }

/* Something writes `bytes` bytes at operand `o`. */
static void forget_written(struct slots *s, struct operand o, uint32_t bytes)
{
    if (!is_register(o))
        return;
    uint64_t begin = register_offset(o), end = begin + bytes;
    for (uint32_t i = 0; i < STRIDE_SLOTS; i++) {
        struct slot *slot = &s->at[i];
        if (!slot->address.at)
            continue;
        uint64_t from = register_offset(slot->address), to = from + (slot->stype == T_U64 ? 8 : 4) * RP_WARP_LANES;
        if (begin < to && from < end)
            slot->address = OPERAND_NONE;
    }
}

/* Registers in lists count as written, though some are only read. */
static void forget_results(struct slots *s, const struct operation *o)
{
    uint32_t bytes = operation_width(o);
    forget_written(s, o->d, bytes);
    for (unsigned n = 0; n < UOP_LISTS; n++)
        for (uint32_t i = 0; i < o->lists[n].count; i++)
            forget_written(s, o->lists[n].at[i], bytes);
}

static void use_slot(struct program *p, struct slots *s, uint32_t n)
{
    struct uop *u = &p->uops[n];
    struct slot *slot = s->at;
    while (slot < s->at + STRIDE_SLOTS && (slot->address.at != u->a.at || slot->stype != u->stype))
        slot++;
    if (slot < s->at + STRIDE_SLOTS) {
        u->flags |= UF_KNOWN_STRIDE;
        p->uops[slot->first].flags |= UF_KEEP_STRIDE;
        u->mode = (uint8_t)(slot - s->at);
        u->fn = access_with_stride(u, &p->uops[slot->first]);
        return;
    }
    if (u->flags & UF_GUARDED) /* it may not execute */
        return;
    s->at[s->next] = (struct slot){u->a, u->stype, n};
    u->mode = (uint8_t)s->next;
    s->next = (s->next + 1) % STRIDE_SLOTS;
}

static bool is_straight(const struct uop *u)
{
    return u->kind == UOP_LANE || u->kind == UOP_MEMORY || u->kind == UOP_UNIFORM || u->kind == UOP_CLOCK ||
           u->kind == UOP_SHUFFLE;
}

/* Joins loads that stand one behind the other, two by two. */
static void join_loads(struct program *p)
{
    for (uint32_t i = 0; i + 1 < p->uop_count; i++)
        if (p->uops[i].kind == UOP_MEMORY && p->uops[i + 1].kind == UOP_MEMORY)
            i += access_join(&p->uops[i], &p->uops[i + 1]);
}

bool strides_mark(struct program *p)
{
    struct slots s;
    uint8_t *entered = program_entries(p);
    if (!entered)
        return false;
    forget_all(&s);
    for (uint32_t i = 0; i < p->uop_count; i++) {
        struct uop *u = &p->uops[i];
        if (entered[i] || !is_straight(u)) {
            forget_all(&s);
            if (!is_straight(u))
                continue;
        }
        if (u->kind == UOP_MEMORY && access_has_stride(u))
            use_slot(p, &s, i);
        forget_results(&s, &p->operations[i]);
    }
    free(entered);
    join_loads(p);
    return true;
}
