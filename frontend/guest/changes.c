#include "frontend/guest/changes.h"

#include <string.h>

static uint8_t *guest_stack_row(const struct guest_group *g, uint32_t row)
{
    return g->stacks.host + (size_t)row * RP_WARP_LANES * sizeof(uint32_t);
}

static bool guest_remember_row(struct guest_group *g, uint32_t row)
{
    struct guest_changes *c = g->changes;
    for (uint32_t i = c->count; i-- > 0;)
        if (c->row[i] == row)
            return true;
    if (c->count == GUEST_CHANGED_ROWS)
        return false;
    c->row[c->count] = row;
    memcpy(c->old[c->count++], guest_stack_row(g, row), sizeof c->old[0]);
    return true;
}

bool guest_remember_change(struct guest_group *g, unsigned lane, uint32_t address, uint32_t bytes)
{
    const struct guest_stacks *s = &g->stacks;
    const uint32_t offset = address - (s->low - s->down[lane]);
    if (offset >= s->bytes || bytes > s->bytes - offset)
        return false;
    bool fits = true;
    for (uint32_t row = offset / 4; row <= (offset + bytes - 1) / 4 && fits; row++)
        fits = guest_remember_row(g, row);
    return fits;
}

lanemask guest_changed(const struct guest_group *g, lanemask lanes)
{
    const struct guest_changes *c = g->changes;
    const guest_compare_fn differ = SIMD_SELECT(guest_compare)(CMP_NE);
    lanemask changed = 0;
    for (uint32_t i = 0; i < c->count; i++)
        changed |= differ((const uint32_t *)guest_stack_row(g, c->row[i]), c->old[i]);
    return changed & lanes;
}

void guest_end_changes(struct guest_group *g)
{
    g->stored |= guest_changed(g, ~(lanemask)0) != 0;
    g->changes->count = 0;
}
