/* Caches that are stepped: the second interface of a cache model (`stepped` of struct cache_model), for engines that
 * simulate the hierarchy cycle by cycle.
 *
 * look_up() of cache.h returns the whole outcome of a request at once. In a stepped cache the outcome depends on what
 * happens around it:
 * - Back-pressure decides a look-up. The miss queue of the cache is bounded. While it has no room (`room`), the cache
 *   refuses a request that would send something, and accepts one that hits.
 * - Requests wait in the MSHR entries of their sectors, a bounded number in each. ready() returns one at a time, when
 *   the engine has room for it.
 * - So no call returns the cycle of a response: a request is done when ready() returns it.
 *
 * Lines have STEPPED_LINE bytes in four sectors of 32 bytes. The engine names a line by its number (address /
 * STEPPED_LINE within the cache), and says in which set it lies; sectors are 0..3. Requests are pointers of the
 * engine's, which the cache never dereferences. Only the order of times (`now`) counts; they
 * never decrease.
 */
#ifndef REPRISE_HW_MODELS_CACHE_STEPPED_H
#define REPRISE_HW_MODELS_CACHE_STEPPED_H

#include "hw-models/cache/cache.h"

#define STEPPED_LINE 128

enum sector_find {
    SECTOR_HIT,    /* read: there; write: its sector was there or dirty */
    SECTOR_MERGED, /* read: in flight; the request waits for it */
    SECTOR_MISS,   /* read: to be fetched now, and the request waits; write: taken */
    SECTOR_REFUSED /* nothing was changed */
};

struct sector_victim { /* the line that was replaced */
    uint64_t line;
    uint32_t owner;   /* 0: none */
    bool replaced;    /* false: none was */
    uint32_t sectors; /* how many of its sectors are dirty and must be written back */
};

struct stepped_cache {
    /* Size of the miss queue, which the engine keeps: for misses, and for all writes of a cache that writes through. */
    uint32_t (*misses)(const int64_t *options);
    /* A cache with the shape's sets and ways, which may differ from those of the options (an L1 whose size depends on
     * the launch); it writes back if shape.back, else through. mshrs: sectors in flight. NULL: out of memory. */
    void *(*open)(const int64_t *options, const struct cache_shape *, uint32_t mshrs);
    void (*close)(void *cache); /* NULL: does nothing */
    /* Drops all lines, and sets the number of ways, at most that of open(). Fetches in flight still arrive; the cache
     * does not keep their data. */
    void (*clear)(void *cache, uint32_t ways);
    /* room: the miss queue has room for a miss. An atomic reads, and leaves its sector dirty. */
    enum sector_find (*read)(void *cache, uint64_t line, uint32_t set, unsigned sector, uint64_t now, bool room,
                             bool atomic, void *request, struct sector_victim *);
    /* bytes: a bit for each byte of the sector that is written. */
    enum sector_find (*write)(void *cache, uint64_t line, uint32_t set, unsigned sector, uint32_t bytes, uint64_t now,
                              bool room, struct sector_victim *);
    /* Sets the owner of a line that is there and has none yet: a number of the engine's, not 0. */
    void (*own)(void *cache, uint64_t line, uint32_t owner);
    /* A fetched sector arrives. */
    void (*fill)(void *cache, uint64_t line, unsigned sector, bool atomic);
    /* The next request whose sector has arrived, in the order of fills; NULL: none. */
    void *(*ready)(void *cache);
    bool (*has_ready)(const void *cache);
    /* Changes whenever the state does. While it is the same, a request that was refused is refused again. */
    uint64_t (*changes)(const void *cache);
    /* Puts a sector there, as if it had been read. */
    void (*preload)(void *cache, uint64_t line, uint32_t set, unsigned sector, uint64_t now);
};

#endif
