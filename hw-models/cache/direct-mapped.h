/* The cache model `direct-mapped` inline, for engines that look up every transaction of a trace: a call would be too
 * slow. hw-models/cache/direct-mapped.c describes the model.
 */
#ifndef REPRISE_HW_MODELS_DIRECT_MAPPED_H
#define REPRISE_HW_MODELS_DIRECT_MAPPED_H

#include "hw-models/cache/cache.h"

#define DIRECT_MAPPED_FETCHED_BY (1ull << 63) /* | the name of the fetch in flight */

struct direct_mapped_line {
    uint64_t tag;       /* line address + 1; 0: empty */
    uint8_t there;      /* sectors that are there or in flight, a bit each */
    uint8_t dirty;      /* sectors, a bit each */
    uint64_t arrival[]; /* [sectors of a line], valid for the sectors in `there`: a cycle, or DIRECT_MAPPED_FETCHED_BY |
                           a fetch */
};

struct direct_mapped {
    uint64_t lines, line_bytes, sector_bytes;
    uint64_t index_mask;                            /* lines - 1 if their number is a power of two, else 0 */
    uint64_t inverse;                               /* 2^64 / lines, rounded up */
    unsigned line_shift, sector_shift, sector_mask; /* sector_mask: sectors of a line - 1 */
    size_t stride;                                  /* bytes from one line to the next */
    bool back;
    _Alignas(8) char line[];
};

static inline uint64_t direct_mapped_tag(const struct direct_mapped *c, uint64_t address)
{
    return (address >> c->line_shift) + 1;
}

/* number % lines is the integer part of (the fraction of number / lines) * lines. This is exact for numbers of 32 bits,
 * as `inverse` has 64 (Lemire, Kaser, Kurz, "Faster remainder by direct computation", 2019). */
static inline struct direct_mapped_line *direct_mapped_line_in(char *lines, const struct direct_mapped *c,
                                                               uint64_t address)
{
    uint64_t number = address >> c->line_shift, place;
    if (c->index_mask)
        place = number & c->index_mask;
    else if (number <= UINT32_MAX)
        place = (uint64_t)((unsigned __int128)(number * c->inverse) * c->lines >> 64);
    else
        place = number % c->lines;
    return (struct direct_mapped_line *)(lines + place * c->stride);
}

static inline struct direct_mapped_line *direct_mapped_line(struct direct_mapped *c, uint64_t address)
{
    return direct_mapped_line_in(c->line, c, address);
}

/* The number of a sector in its line. */
static inline unsigned direct_mapped_sector(const struct direct_mapped *c, uint64_t address)
{
    return (unsigned)(address >> c->sector_shift) & c->sector_mask;
}

static inline bool direct_mapped_reads(const struct direct_mapped *c, enum cache_kind kind)
{
    return kind == CACHE_READ || (kind == CACHE_ATOMIC && c->back);
}

/* Replaces the line unless it has this tag. */
static inline __attribute__((always_inline)) void direct_mapped_make_room(const struct direct_mapped *c,
                                                                          struct direct_mapped_line *line, uint64_t tag,
                                                                          struct cache_finding *finding)
{
    if (line->tag == tag)
        return;
    if (line->dirty) {
        finding->victim = (line->tag - 1) << c->line_shift;
        finding->written = line->dirty;
    }
    line->tag = tag;
    line->there = line->dirty = 0;
}

/* A read, or an atomic that is done at this level. */
static inline __attribute__((always_inline)) void direct_mapped_read(const struct direct_mapped *c,
                                                                     struct direct_mapped_line *line, uint64_t tag,
                                                                     const struct cache_look_up *r,
                                                                     struct cache_finding *finding)
{
    unsigned sector = direct_mapped_sector(c, r->address);
    uint8_t bit = (uint8_t)(1u << sector);
    if (r->may_not_fetch && (line->tag != tag || !(line->there & bit))) {
        finding->refused = true;
        return;
    }
    direct_mapped_make_room(c, line, tag, finding);
    if (r->kind != CACHE_READ)
        line->dirty |= bit;
    if (!(line->there & bit)) {
        line->there |= bit;
        line->arrival[sector] = DIRECT_MAPPED_FETCHED_BY | r->fetch;
        finding->fetches = true;
        finding->place = &line->arrival[sector];
        return;
    }
    finding->hit = finding->served = true;
    uint64_t arrival = line->arrival[sector];
    if (arrival & DIRECT_MAPPED_FETCHED_BY)
        finding->from = (uint32_t)arrival;
    else if (arrival > r->cycle)
        finding->cycle = arrival;
}

/* A write, or an atomic that goes on to the next level. */
struct cache_finding direct_mapped_write(const struct direct_mapped *, struct direct_mapped_line *, uint64_t tag,
                                         struct cache_look_up);

/* Request and finding are passed by value, so that compilers keep them in registers. */
static inline __attribute__((always_inline)) struct cache_finding direct_mapped_look_up(struct direct_mapped *c,
                                                                                        struct cache_look_up r)
{
    struct direct_mapped_line *line = direct_mapped_line(c, r.address);
    uint64_t tag = direct_mapped_tag(c, r.address);
    if (!direct_mapped_reads(c, r.kind))
        return direct_mapped_write(c, line, tag, r);
    struct cache_finding finding = {.from = CACHE_NO_FETCH, .cycle = r.cycle};
    direct_mapped_read(c, line, tag, &r, &finding);
    return finding;
}

/* The same for a read that replaces no dirty line. Returns a pointer to the cycle in which the sector arrives, or to
 * DIRECT_MAPPED_FETCHED_BY | its fetch: of an earlier request if *hit, else `fetch`. NULL: the read would replace a
 * dirty line, and nothing was changed. `c` may be the caller's copy of the cache, which compilers keep in registers. */
static inline __attribute__((always_inline)) uint64_t *
direct_mapped_read_clean(char *lines, const struct direct_mapped *c, uint64_t address, uint32_t fetch, bool *hit)
{
    struct direct_mapped_line *line = direct_mapped_line_in(lines, c, address);
    uint64_t tag = direct_mapped_tag(c, address);
    unsigned sector = direct_mapped_sector(c, address), there = line->there;
    if (line->tag != tag) {
        if (line->dirty)
            return NULL;
        line->tag = tag;
        there = 0;
    }
    *hit = there >> sector & 1;
    if (!*hit) {
        line->there = (uint8_t)(there | 1u << sector);
        line->arrival[sector] = DIRECT_MAPPED_FETCHED_BY | fetch;
    }
    return &line->arrival[sector];
}

/* Safe if the line was replaced, too: then the sector is absent and its arrival has no meaning, or another fetch brings
 * it. */
static inline void direct_mapped_filled(uint64_t *place, uint32_t fetch, uint64_t cycle)
{
    if (*place == (DIRECT_MAPPED_FETCHED_BY | fetch))
        *place = cycle;
}

#endif
