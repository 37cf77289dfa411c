/* Threads that wait for one another in ways that PTX leaves undefined. */
#include <stdio.h>

#include "frontend/check/inside.h"
#include "frontend/core/flags.h"

static void report(struct checked_block *cb, const struct block *b, uint32_t instruction, uint32_t thread,
                   const char *detail)
{
    check_report(cb->check, b,
                 (struct rp_finding){.kind = RP_CHECK_SYNC,
                                     .space = RP_SPACE_NONE,
                                     .here = check_place(b, instruction, thread, RP_ACCESS_KIND_COUNT)},
                 detail);
}

/* PTX ISA, "barrier": "all threads in the warp must execute the same barrier instruction" if it is .aligned. */
static void part_at_barrier(struct checked_block *cb, struct warp_state *s, const struct uop *u, lanemask lanes)
{
    char detail[200];
    lanemask others = s->w.live & ~lanes;
    if (!(u->flags & UF_ALIGNED) || !others)
        return;
    snprintf(detail, sizeof detail,
             "an aligned barrier is reached by lanes 0x%08x of the warp, while lanes 0x%08x are elsewhere", lanes,
             others);
    report(cb, s->w.block, u->index, s->w.id * RP_WARP_LANES + (unsigned)__builtin_ctz(lanes), detail);
}

/* The lane whose value a lane of shfl gets; itself where the source is out of range. PTX ISA, "shfl.sync". */
static unsigned shuffle_source(const struct warp *w, const struct uop *u, unsigned lane)
{
    uint32_t b = lane_u32(w, u->b, lane) & 31, c = lane_u32(w, u->c, lane);
    uint32_t segment = c >> 8 & 31, first = lane & segment, last = first | (c & 31 & ~segment);
    int32_t j;
    switch ((enum shfl_mode)u->mode) {
    case SHFL_UP: j = (int32_t)lane - (int32_t)b; break;
    case SHFL_DOWN: j = (int32_t)(lane + b); break;
    case SHFL_BFLY: j = (int32_t)(lane ^ b); break;
    default: j = (int32_t)(first | (b & ~segment)); break;
    }
    bool fits = u->mode == SHFL_UP ? j >= (int32_t)last : j <= (int32_t)last;
    return fits ? (unsigned)j : lane;
}

static void shuffle(struct checked_block *cb, struct warp_state *s, const struct uop *u, lanemask lanes)
{
    char detail[160];
    FOR_LANES(l, lanes)
    {
        unsigned from = shuffle_source(&s->w, u, l);
        if (lanes >> from & 1)
            continue;
        snprintf(detail, sizeof detail, "lane %u reads from lane %u, which takes no part: its value is undefined", l,
                 from);
        report(cb, s->w.block, u->index, s->w.id * RP_WARP_LANES + l, detail);
        return;
    }
}

void sync_event(struct checked_block *cb, struct warp_state *s, enum block_event event, const struct uop *u,
                lanemask lanes)
{
    if (event == EVENT_PART)
        part_at_barrier(cb, s, u, lanes);
    if (event == EVENT_COLLECTIVE && u->op == OP_SHFL && u->fn)
        shuffle(cb, s, u, lanes);
}

void sync_block_end(struct checked_block *cb, struct block *b)
{
    char detail[120];
    for (uint32_t id = 0; id < NAMED_BARRIERS; id++) {
        const struct barrier *bar = &b->barriers[id];
        if (!(b->barriers_in_use >> id & 1))
            continue;
        snprintf(detail, sizeof detail, "the block ends, and barrier %u has %u of %u threads", id,
                 bar->arrived + bar->part, bar->expected);
        report(cb, b, bar->instruction, bar->thread, detail);
    }
}
