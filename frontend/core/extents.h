/* The parts of a flat space (shared or constant memory) that belong to variables: an access lies in one of them or is
 * out of bounds. Loaders that lay variables out themselves leave gaps between them, so that running over into a
 * neighbour is detected, too. */
#ifndef REPRISE_FRONTEND_CORE_EXTENTS_H
#define REPRISE_FRONTEND_CORE_EXTENTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The least size of a gap in bytes. Variables move by multiples of it, so that every word keeps the bank, and every
 * element the offset in its cache line, of a layout without gaps. */
#define VARIABLE_GAP 512u

struct extent {
    uint64_t base, size; /* bytes in its space */
    const char *name;    /* NULL: unknown */
    bool is_system;      /* shared memory that is reserved for the system */
};

/* Ascending and disjoint; `last` follows them, and a launch decides its size. */
struct extents {
    const struct extent *at;
    uint32_t count;
    const uint16_t
        *parts; /* by address / VARIABLE_GAP up to `last`: the extent there or before it. NULL: there are no gaps */
    struct extent last;
    uint32_t slack; /* accessible bytes behind the last extent that is not empty (overrun.h) */
};

/* Bytes from the space's start to the end of the last extent, with the slack. */
static inline uint64_t extents_end(const struct extents *e) { return e->last.base + e->last.size + e->slack; }
/* The extent that begins at the address or is the nearest before it. NULL: there is none. */
const struct extent *extents_search(const struct extents *, uint64_t address);
static inline const struct extent *extents_find(const struct extents *e, uint64_t address)
{
    if (address >= e->last.base)
        return &e->last;
    return e->parts ? &e->at[e->parts[address / VARIABLE_GAP]] : extents_search(e, address);
}
/* Whether accesses of `bytes` at all addresses in [low, high] lie in this extent; low <= high. */
static inline bool extent_covers(const struct extent *e, uint64_t low, uint64_t high, uint64_t bytes)
{
    return low >= e->base && e->size >= bytes && high - e->base <= e->size - bytes;
}
/* Whether an access lies in one of the extents. */
bool extents_cover(const struct extents *, uint64_t address, uint64_t bytes);
/* "4 bytes past the end of tile (4096 bytes)": describes an address outside of all extents. `space` and `all` describe
 * the whole space if no named extent is near: "there are 64 bytes of shared memory". */
void extents_describe(const struct extents *, uint64_t address, const char *space, uint64_t all, char *text,
                      size_t size);

/* A layout under construction: where variables would lie without gaps, and by how much gaps have moved the next one. */
struct extent_layout {
    uint64_t dense, shift;
};
/* The address of the next variable; `align` is a power of two. */
uint64_t extent_place(struct extent_layout *, uint64_t size, uint64_t align);
/* Fills in `parts` for extents laid out this way, whose `last` begins at `end`: end / VARIABLE_GAP + 1 numbers. No part
 * holds bytes of two extents, because gaps are as long as parts. */
void extents_fill_parts(const struct extent *at, uint32_t count, uint64_t end, uint16_t *parts);

#endif
