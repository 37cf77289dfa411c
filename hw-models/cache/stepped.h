/* Caches that are stepped: the second interface of a cache model (`stepped` of struct cache_model), for engines whose
 * hierarchy moves cycle by cycle.
 *
 * look_up() of cache.h takes every request that comes, but for want of an MSHR, and its finding says all at once: what
 * goes on, and what is written back. A stepped cache cannot say so much when the request comes:
 * - What is behind decides a look-up. The queue of misses there has a bound: where it has no room (`room`) a request
 *   that would send something is refused, while one that hits is taken in the same cycle.
 * - Requests wait within. One for a sector that is on its way waits with the others for that sector, as many as the
 *   cache has room for, and ready() hands them out one after the other, when the engine has room for them.
 * - So nothing here says when a request is answered: that is the cycle in which ready() is called.
 *
 * Lines have STEPPED_LINE bytes in four sectors of 32. A line has a number (address / STEPPED_LINE within the cache),
 * a set in which the engine says it lies, and sectors 0..3. Requests are pointers of the engine's, never looked into.
 */
#ifndef REPRISE_HW_MODELS_CACHE_STEPPED_H
#define REPRISE_HW_MODELS_CACHE_STEPPED_H

#include "hw-models/cache/cache.h"

#define STEPPED_LINE 128

enum sector_find {
    SECTOR_HIT,    /* read: there; write: its sector was there or dirty */
    SECTOR_MERGED, /* read: on its way; the request waits for it */
    SECTOR_MISS,   /* read: to be fetched now, and the request waits; write: taken */
    SECTOR_REFUSED /* nothing was changed */
};

struct sector_victim { /* the line that was replaced */
    uint64_t line;
    uint32_t owner;   /* 0: none */
    bool replaced;    /* false: none was */
    uint32_t sectors; /* how many of it are dirty and must be written back */
};

struct stepped_cache {
    /* Requests that may wait to go on: misses, and writes of a cache that writes through. The engine keeps them. */
    uint32_t (*misses)(const int64_t *options);
    /* A cache with the shape's sets and ways, which need not be those of the options (a slice, or an L1 whose size
     * launches change); it writes back if the shape says so, else through. mshrs: sectors on their way. NULL: out of
     * memory. */
    void *(*open)(const int64_t *options, const struct cache_shape *, uint32_t mshrs);
    void (*close)(void *cache); /* NULL: nothing */
    /* All lines go, and there are so many ways now, at most those of open(). What is on its way arrives, and is not
     * kept. */
    void (*clear)(void *cache, uint32_t ways);
    /* room: what is behind takes what a miss sends. An atomic reads, and leaves its sector dirty. */
    enum sector_find (*read)(void *cache, uint64_t line, uint32_t set, unsigned sector, uint64_t now, bool room,
                             bool atomic, void *request, struct sector_victim *);
    /* bytes: a bit for each of the sector's that are written. */
    enum sector_find (*write)(void *cache, uint64_t line, uint32_t set, unsigned sector, uint32_t bytes, uint64_t now,
                              bool room, struct sector_victim *);
    /* Whose the line is, if it is there and has no owner yet: a number of the engine's, not 0. */
    void (*own)(void *cache, uint64_t line, uint32_t owner);
    /* What was fetched has come. */
    void (*fill)(void *cache, uint64_t line, unsigned sector, bool atomic);
    /* The next request whose sector has come, in the order of fills; NULL: none. */
    void *(*ready)(void *cache);
    bool (*has_ready)(const void *cache);
    /* Another number after each call that changed something: while it stays, what was refused will be again. */
    uint64_t (*changes)(const void *cache);
    /* The sector is there, as if it had been read. */
    void (*preload)(void *cache, uint64_t line, uint32_t set, unsigned sector, uint64_t now);
};

#endif
