#include "frontend/core/stack.h"

#include <stdlib.h>
#include <string.h>

#include "frontend/core/lanes/lanes.h"
#include "frontend/operation/flags.h"

/* What lanes had allocated before their function, entered by the call `call`, allocated anything. */
struct mark {
    uint32_t call;
    lanemask lanes;
    uint32_t taken[RP_WARP_LANES];
};
struct stack {
    uint32_t taken[RP_WARP_LANES]; /* bytes */
    uint32_t count, capacity;
    struct mark *marks;
};

void stack_clear(struct warp_state *s)
{
    if (!s->stack)
        return;
    memset(s->stack->taken, 0, sizeof s->stack->taken);
    s->stack->count = 0;
}

void stack_free(struct warp_state *s)
{
    if (s->stack)
        free(s->stack->marks);
    free(s->stack);
    s->stack = NULL;
}

uint32_t stack_room(const struct warp_state *s)
{
    uint32_t most = 0, room = s->w.block->grid->local_bytes;
    if (!s->stack)
        return room;
    FOR_LANES(l, s->w.active)
    most = s->stack->taken[l] > most ? s->stack->taken[l] : most;
    return s->w.local_bytes - most < room ? s->w.local_bytes - most : room;
}

uint64_t stack_fingerprint(const struct warp_state *s, uint64_t hash, uint64_t (*mix)(uint64_t, uint64_t))
{
    for (unsigned l = 0; s->stack && l < RP_WARP_LANES; l++)
        hash = mix(hash, s->stack->taken[l]);
    return hash;
}

/* ---- calls ------------------------------------------------------------------------------------------------------- */

static void drop_empty(struct stack *k)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < k->count; i++)
        if (k->marks[i].lanes)
            k->marks[kept++] = k->marks[i];
    k->count = kept;
}

void stack_return(struct warp_state *s, lanemask lanes)
{
    struct stack *k = s->stack;
    for (uint32_t i = 0; k && i < k->count; i++) {
        struct mark *m = &k->marks[i];
        if (m->call != s->call)
            continue;
        FOR_LANES(l, m->lanes & lanes)
        k->taken[l] = m->taken[l];
        m->lanes &= ~lanes;
    }
    if (k)
        drop_empty(k);
}

void stack_exit(struct warp_state *s, lanemask lanes)
{
    for (uint32_t i = 0; s->stack && i < s->stack->count; i++)
        s->stack->marks[i].lanes &= ~lanes;
    if (s->stack)
        drop_empty(s->stack);
}

/* Saves what these lanes have allocated, unless that has been done for the current function. False: out of memory. */
static bool mark(struct warp_state *s, lanemask lanes)
{
    struct stack *k = s->stack;
    for (uint32_t i = 0; i < k->count; i++)
        lanes &= k->marks[i].call == s->call ? ~k->marks[i].lanes : ~(lanemask)0;
    if (!s->call || !lanes)
        return true;
    if (k->count == k->capacity) {
        uint32_t capacity = 2 * k->capacity + 4;
        struct mark *grown = realloc(k->marks, capacity * sizeof *grown);
        if (!grown)
            return false;
        k->marks = grown;
        k->capacity = capacity;
    }
    struct mark *m = &k->marks[k->count++];
    m->call = s->call;
    m->lanes = lanes;
    memcpy(m->taken, k->taken, sizeof m->taken);
    return true;
}

/* ---- operations -------------------------------------------------------------------------------------------------- */

static bool is_wide(const struct uop *u) { return lane_element_bytes((enum lane_type)u->type) == 8; }

static void write_address(struct warp_state *s, const struct uop *u, unsigned lane, uint64_t address)
{
    uint8_t *d = operand_at(&s->w, u->d);
    unsigned bytes = is_wide(u) ? 8 : 4;
    if (!is_sink(u->d))
        memcpy(d + bytes * lane, &address, bytes);
}

static void allocate(struct warp_state *s, const struct uop *u, unsigned lane, uint64_t bytes)
{
    struct stack *k = s->stack;
    uint64_t low = (uint64_t)s->w.frame + lane_u64(&s->w, u->b, lane), have = s->w.local_bytes - k->taken[lane];
    uint64_t at = bytes > have ? 0 : (have - bytes) & ~((UINT64_C(1) << u->mode) - 1);
    if (bytes > have || at < low) {
        block_fault(s, u, RP_FAULT_STACK, lane, "%llu bytes: the stack of %u bytes per thread is exhausted",
                    (unsigned long long)bytes, s->w.block->grid->local_bytes);
        return;
    }
    k->taken[lane] = (uint32_t)(s->w.local_bytes - at);
    write_address(s, u, lane, at);
}

static void restore(struct warp_state *s, const struct uop *u, unsigned lane, uint64_t address)
{
    uint32_t all = s->w.local_bytes;
    if (address > all || all - address > s->stack->taken[lane])
        block_fault(s, u, RP_FAULT_STACK, lane, "0x%llx is no address that a stacksave has given",
                    (unsigned long long)address);
    else
        s->stack->taken[lane] = (uint32_t)(all - address);
}

void stack_change(struct warp_state *s, const struct uop *u, lanemask executed)
{
    if (!s->stack)
        s->stack = calloc(1, sizeof *s->stack);
    if (!s->stack || (u->op == STACK_ALLOCATE && !mark(s, executed))) {
        block_no_memory(s->w.block);
        return;
    }
    FOR_LANES(l, executed)
    {
        uint64_t value = is_wide(u) ? lane_u64(&s->w, u->a, l) : lane_u32(&s->w, u->a, l);
        if (u->op == STACK_SAVE)
            write_address(s, u, l, s->w.local_bytes - s->stack->taken[l]);
        else if (u->op == STACK_RESTORE)
            restore(s, u, l, value);
        else
            allocate(s, u, l, value);
    }
}
