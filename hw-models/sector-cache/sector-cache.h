/* A cache of lines with four sectors whose look-ups may fail for want of a line, an MSHR or room behind: what it reads
 * is reserved when it is asked for (allocation on miss), and what a write brings is kept without a fetch, so that a
 * sector may be written in part. Rules: docs/accelsim.md; Accel-Sim's gpu-cache.cc was read for them.
 *
 * It stores the requests that wait for a sector as pointers of the caller's.
 */
#ifndef REPRISE_HW_MODELS_SECTOR_CACHE_H
#define REPRISE_HW_MODELS_SECTOR_CACHE_H

#include "hw-models/replacement/replacement.h"

struct sector_cache;

struct sector_cache_shape {
    uint32_t sets, ways;    /* lines of 128 bytes */
    uint32_t mshrs, merges; /* sectors under way; requests of each */
    uint32_t dirty_percent; /* of lines dirty before a dirty one may be replaced */
    bool back;              /* a dirty line that is replaced is written back */
    int64_t replacement;    /* the value of option `replacement` */
};

enum sector_find {
    SECTOR_HIT,    /* read: there; write: its sector was there or dirty */
    SECTOR_MERGED, /* read: under way; the request waits for it */
    SECTOR_MISS,   /* read: to be asked for now, and the request waits; write: taken */
    SECTOR_REFUSED /* nothing was changed */
};

struct sector_victim { /* what had to go */
    uint64_t line;
    uint32_t owner;   /* 0: none */
    bool replaced;    /* a line had to */
    uint32_t sectors; /* how many of it are dirty and must be written back */
};

struct sector_cache *sector_cache_new(const struct sector_cache_shape *);
void sector_cache_free(struct sector_cache *);
/* All lines go, with other ways; what is under way arrives and is not kept. */
void sector_cache_clear(struct sector_cache *, uint32_t ways);

/* `line` is the number of the line (address / 128 within this cache), `set` where it belongs, `sector` 0..3. `room`:
 * whether what is behind takes what a miss sends. Atomics read, and leave their sector dirty. */
enum sector_find sector_cache_read(struct sector_cache *, uint64_t line, uint32_t set, unsigned sector, uint64_t now,
                                   bool room, bool atomic, void *request, struct sector_victim *);
enum sector_find sector_cache_write(struct sector_cache *, uint64_t line, uint32_t set, unsigned sector, uint32_t bytes,
                                    uint64_t now, bool room, struct sector_victim *);
/* Whose the line is, if it is there and has no owner yet: a number of the caller's, not 0. */
void sector_cache_own(struct sector_cache *, uint64_t line, uint32_t owner);
/* What was asked for has come. */
void sector_cache_fill(struct sector_cache *, uint64_t line, unsigned sector, bool atomic);
/* The next request whose sector has come, in the order of fills; NULL: none. */
void *sector_cache_ready(struct sector_cache *);
bool sector_cache_has_ready(const struct sector_cache *);
/* Another number after each call that changed something: while it stays, what was refused will be again. */
uint64_t sector_cache_changes(const struct sector_cache *);
/* The sector is there, as if it had been read. */
void sector_cache_preload(struct sector_cache *, uint64_t line, uint32_t set, unsigned sector, uint64_t now);

#endif
