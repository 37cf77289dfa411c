/* Calls that leave the device: printing, assertions, the device heap; launches are in device_call.c. Arguments and
 * results are where those of other calls are (uop.h). */
#include <string.h>

#include "frontend/core/access.h"
#include "frontend/core/device_call.h"
#include "frontend/core/observe.h"
#include "frontend/core/print.h"
#include "frontend/operation/flags.h"

uint8_t *local_at(struct warp_state *s, unsigned lane, uint64_t offset, size_t bytes)
{
    struct block *b = s->w.block;
    const struct grid *g = b->grid;
    if (g->local_bytes < bytes || offset > g->local_bytes - bytes)
        return NULL;
    return b->local + (s->w.id * RP_WARP_LANES + lane) * g->local_stride + offset;
}

static const uint8_t *within(const uint8_t *base, uint64_t size, uint64_t offset, size_t bytes)
{
    return size >= bytes && offset <= size - bytes ? base + offset : NULL;
}

static const uint8_t *in_extents(const uint8_t *base, const struct extents *e, uint64_t offset, size_t bytes)
{
    return extents_cover(e, offset, bytes) ? base + offset : NULL;
}

bool read_generic(struct warp_state *s, unsigned lane, uint64_t address, void *to, size_t bytes)
{
    const struct block *b = s->w.block;
    const struct grid *g = b->grid;
    const uint8_t *from;
    if (address - SHARED_WINDOW < SHARED_WINDOW_SIZE) {
        from = in_extents(b->shared, &g->shared, address - SHARED_WINDOW, bytes);
    } else if (address - LOCAL_WINDOW < LOCAL_WINDOW_SIZE) {
        from = local_at(s, lane, address - LOCAL_WINDOW, bytes);
    } else if (address - CONST_WINDOW < CONST_WINDOW_SIZE) {
        from = in_extents(g->consts, &g->constants, address - CONST_WINDOW, bytes);
    } else if (address - PARAM_WINDOW < PARAM_WINDOW_SIZE) {
        from = within(g->params, b->program->parameter_bytes, address - PARAM_WINDOW, bytes);
    } else {
        const struct allocation *a = memory_find(g->memory, address);
        from = a ? within(a->host, a->size, address - a->base, bytes) : NULL;
    }
    if (!from)
        return false;
    memcpy(to, from, bytes);
    return true;
}

uint64_t call_argument(struct warp_state *s, const struct uop *u, unsigned lane, uint32_t offset, unsigned bytes)
{
    uint64_t value = 0;
    const uint8_t *at = local_at(s, lane, (uint64_t)s->w.frame + u->control->frame_bytes + offset, bytes);
    if (at)
        memcpy(&value, at, bytes);
    else
        block_fault(s, u, RP_FAULT_STACK, lane, "the stack of %u bytes per thread is exhausted",
                    s->w.block->grid->local_bytes);
    return value;
}

void call_result(struct warp_state *s, const struct uop *u, unsigned lane, uint32_t offset, uint64_t value,
                 unsigned bytes)
{
    uint64_t from = (uint64_t)s->w.frame + u->control->frame_bytes + offset;
    uint8_t *at = local_at(s, lane, from, bytes);
    if (!at)
        return; /* a fault was reported when the arguments were read */
    struct observer *o = s->w.block->observer;
    if (o)
        o->calls->bytes(o, s, u, RP_SPACE_LOCAL, NULL, lane, from, bytes, true);
    memcpy(at, &value, bytes);
    if (from + bytes > s->w.block->local_high)
        s->w.block->local_high = from + bytes;
}

static void call_printf(struct warp_state *s, const struct uop *u, unsigned lane)
{
    uint64_t format = call_argument(s, u, lane, 8, 8), args = call_argument(s, u, lane, 16, 8);
    if (s->w.block->faulted)
        return;
    call_result(s, u, lane, 0, (uint32_t)print_formatted(s, lane, format, args), 4);
}

static void assert_text(struct warp_state *s, const struct uop *u, unsigned lane, uint32_t offset, char *text,
                        size_t size)
{
    if (!read_string(s, lane, call_argument(s, u, lane, offset, 8), text, size))
        strcpy(text, "?");
}

static void call_assert(struct warp_state *s, const struct uop *u, unsigned lane, lanemask executed)
{
    struct failed_assertion a = {.lanes = executed, .line = (uint32_t)call_argument(s, u, lane, 16, 4)};
    assert_text(s, u, lane, 0, a.condition, sizeof a.condition);
    assert_text(s, u, lane, 8, a.file, sizeof a.file);
    assert_text(s, u, lane, 24, a.function, sizeof a.function);
    if (s->w.block->faulted)
        return;
    block_fault(s, u, RP_FAULT_ASSERT, lane, "%s:%u: %s: assertion '%s'", a.file, a.line, a.function, a.condition);
    s->w.block->fault.assertion = a;
}

/* Returns 0 when the heap is exhausted, as CUDA does. */
static void call_malloc(struct warp_state *s, const struct uop *u, unsigned lane)
{
    struct grid *g = s->w.block->grid;
    uint64_t size = call_argument(s, u, lane, 8, 8), address = 0;
    if (size && size <= *g->heap_left) {
        struct allocation *a = memory_allocate(g->memory, size, "device heap", ALLOCATION_HEAP);
        if (a) {
            *g->heap_left -= size;
            address = a->base;
        }
    }
    call_result(s, u, lane, 0, address, sizeof address);
}

static void call_free(struct warp_state *s, const struct uop *u, unsigned lane)
{
    struct grid *g = s->w.block->grid;
    uint64_t address = call_argument(s, u, lane, 0, 8);
    if (!address || s->w.block->faulted)
        return;
    struct allocation *a = memory_find(g->memory, address);
    if (!a || a->kind != ALLOCATION_HEAP || a->base != address) {
        const struct heap_freed *freed = memory_was_freed(g->memory, address);
        block_fault(s, u, RP_FAULT_FREE, lane, "free of 0x%llx, which %s", (unsigned long long)address,
                    freed && freed->base == address ? "was freed before" : "malloc never gave");
        return;
    }
    *g->heap_left += a->size;
    memory_free(g->memory, a);
}

/* ---- where the call was -------------------------------------------------------------------------------------------
 */

/* The instruction before an address. */
static uint32_t instruction_before(const struct rp_kernel *k, uint64_t address)
{
    uint32_t low = 0, high = k->instruction_count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (k->instructions[middle].pc < address)
            low = middle + 1;
        else
            high = middle;
    }
    return low ? low - 1 : 0;
}

/* The instruction that called. Machine code calls a function of the runtime, which makes the host call. */
static uint32_t caller(const struct warp_state *s, const struct uop *u, unsigned lane)
{
    const struct rp_kernel *k = &s->w.block->program->kernel;
    if (is_register(u->a))
        return instruction_before(k, lane_u32(&s->w, u->a, lane));
    for (uint32_t i = s->join; i; i = s->joins[i].outer)
        if (s->joins[i].kind == JOIN_TOKEN && s->joins[i].token == TOKEN_RETURN && s->joins[i].pc->index)
            return s->joins[i].pc->index - 1;
    return u->index;
}

void host_call(struct warp_state *s, const struct uop *u, lanemask executed)
{
    struct block *b = s->w.block;
    if (b->observer && !b->observer->calls->host_call(b->observer))
        return;
    b->changes++;
    b->calls++;
    FOR_LANES(l, executed)
    {
        switch (u->mode) {
        case HOST_VPRINTF: call_printf(s, u, l); break;
        case HOST_ASSERTFAIL: call_assert(s, u, l, executed); break;
        case HOST_MALLOC: call_malloc(s, u, l); break;
        case HOST_FREE: call_free(s, u, l); break;
        default: device_call(s, u, l); break;
        }
        if (b->faulted) {
            b->fault.instruction = caller(s, u, l);
            return;
        }
    }
}
