#include "frontend/core/extents.h"

#include <inttypes.h>
#include <stdio.h>

#include "tracefmt/plural.h"

const struct extent *extents_search(const struct extents *e, uint64_t address)
{
    uint32_t low = 0, high = e->count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (e->at[middle].base <= address)
            low = middle + 1;
        else
            high = middle;
    }
    return low ? &e->at[low - 1] : NULL;
}

bool extents_cover(const struct extents *e, uint64_t address, uint64_t bytes)
{
    const struct extent *in = extents_find(e, address);
    return in && extent_covers(in, address, address, bytes);
}

/* The named extents nearest to the address: the one below or around it, and the one above. NULL: there is none, or it
 * has no name. */
static void neighbours(const struct extents *e, uint64_t address, const struct extent **below,
                       const struct extent **above)
{
    *below = *above = NULL;
    for (uint32_t i = 0; i <= e->count; i++) {
        const struct extent *x = i < e->count ? &e->at[i] : &e->last;
        if (!x->size && !x->name)
            continue;
        if (x->base <= address)
            *below = x;
        else if (!*above)
            *above = x;
    }
    *below = *below && (*below)->name ? *below : NULL;
    *above = *above && (*above)->name ? *above : NULL;
}

void extents_describe(const struct extents *e, uint64_t address, const char *space, uint64_t all, char *text,
                      size_t size)
{
    const uint64_t near = UINT64_C(1) << 20;
    const struct extent *below, *above;
    neighbours(e, address, &below, &above);
    uint64_t past = below ? address - below->base : UINT64_MAX, before = above ? above->base - address : UINT64_MAX;
    if (below && past < below->size)
        snprintf(text, size, "at byte %" PRIu64 " of %s (%" PRIu64 " byte%s)", past, below->name, below->size,
                 rp_plural(below->size));
    else if (below && past - below->size <= before && past - below->size < near)
        snprintf(text, size, "%" PRIu64 " byte%s past the end of %s (%" PRIu64 " byte%s)", past - below->size,
                 rp_plural(past - below->size), below->name, below->size, rp_plural(below->size));
    else if (above && before < near)
        snprintf(text, size, "%" PRIu64 " byte%s before %s (%" PRIu64 " byte%s)", before, rp_plural(before),
                 above->name, above->size, rp_plural(above->size));
    else
        snprintf(text, size, "there %s %" PRIu64 " byte%s of %s memory", all == 1 ? "is" : "are", all, rp_plural(all),
                 space);
}

static uint64_t align_up(uint64_t at, uint64_t align) { return (at + align - 1) & ~(align - 1); }

uint64_t extent_place(struct extent_layout *l, uint64_t size, uint64_t align)
{
    l->dense = align_up(l->dense, align);
    l->shift = align_up(l->shift, align);
    uint64_t at = l->dense + l->shift;
    l->dense += size;
    l->shift += VARIABLE_GAP;
    return at;
}

void extents_fill_parts(const struct extent *at, uint32_t count, uint64_t end, uint16_t *parts)
{
    uint32_t i = 0;
    for (uint64_t part = 0; part <= end / VARIABLE_GAP; part++) {
        while (i + 1 < count && at[i + 1].base < (part + 1) * VARIABLE_GAP)
            i++;
        parts[part] = (uint16_t)i;
    }
}
