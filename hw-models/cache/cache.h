/* Caches: what one level holds, and what it makes of a request.
 *
 * The memory system (replay/memory) sends requests to a level, keeps its ports and its queues, and looks each one up at
 * its start. The cache says what it finds and makes room: whether it serves the request itself, and when, or it goes on
 * to the next level. What it fetches is there when filled() says so; until then look-ups find the sector on its way,
 * under the name of the request that fetches it. Look-ups come in the order of their starts.
 *
 * A cache with released() may refuse a look-up, and minds when its fetches end: each look-up is made in the cycle of
 * its start, and released() is called in the cycle after the arrival of what was fetched, before the look-ups of that
 * cycle.
 */
#ifndef REPRISE_HW_MODELS_CACHE_H
#define REPRISE_HW_MODELS_CACHE_H

#include "hw-models/model.h"
#include "hw-models/replacement/replacement.h"

enum cache_kind {
    CACHE_READ,
    CACHE_WRITE,
    CACHE_ATOMIC, /* read, changed and written in one place: done by the first level that keeps writes to itself */
};

/* How a cache is laid out, and its times. A cache that keeps nothing is all zeroes. */
struct cache_shape {
    uint64_t sets, ways, line, sector; /* sets × ways lines; bytes */
    uint64_t latency;                  /* from the start of a look-up to its answer, or to its leaving */
    uint64_t interval;                 /* between the starts of two look-ups of a bank */
    uint64_t banks;                    /* ports: neighbouring sectors belong to neighbouring banks */
    uint64_t atomic_interval;          /* the same added for each lane of an atomic beyond the first at one address */
    bool back; /* writes stay until their line is replaced, and atomics are done here; else both go on */
};

#define CACHE_NO_FETCH UINT32_MAX
#define CACHE_ALL_BYTES UINT32_MAX
#define CACHE_MOST_BANKS 16u

/* Of a request that meets L1 and L2: a hint for each. */
#define CACHE_HINTS(l1, l2) ((uint8_t)((l1) | (l2) << 2))
#define CACHE_HINT_OF_L1(hints) ((uint8_t)((hints)&3))
#define CACHE_HINT_OF_L2(hints) ((uint8_t)((hints) >> 2))

struct cache_look_up {
    uint64_t address; /* of the transaction */
    uint64_t cycle;   /* in which the look-up is over: its start + latency */
    enum cache_kind kind;
    uint32_t fetch; /* the name of what it fetches, should it fetch something: below 2^32 - 1, unique while under way */
    bool may_not_fetch; /* no MSHR is free: what would fetch is refused */
    uint8_t hint;       /* enum cache_hint */
    uint32_t bytes;     /* of a write: which 32nds of the sector it covers, from the lowest address */
};

struct cache_finding {
    bool refused;  /* nothing was done: the same request is to be looked up again later */
    bool reads;    /* not served: what goes on is a read, whatever the request is */
    bool hit;      /* for statistics: the sector was there, or on its way. A level that keeps nothing never hits */
    bool served;   /* this level is the last that the request sees */
    bool fetches;  /* not served: the cache waits for filled() under the name given, */
    void *place;   /* at this place */
    uint32_t from; /* served: when this fetch, of an earlier request, is there; CACHE_NO_FETCH: at `cycle` */
    uint64_t cycle;
    uint64_t victim;  /* a dirty line that had to go: its address, */
    uint32_t written; /* and its sectors to be written back, a bit each from the lowest address; 0: none */
};

struct stepped_cache;

struct cache_model {
    struct model model;
    bool keeps; /* false: has no lines at all; its hits and misses are not counted */
    void (*reset)(void *state, const int64_t *options);
    /* Before the first look-up: the cache holds these bytes, one after the other, as far as there is room for them. */
    void (*preload)(void *state, uint64_t address, uint64_t size);
    void (*shape)(const int64_t *options, struct cache_shape *);
    /* Looks the request up, and makes room for what it brings. */
    void (*look_up)(void *state, const struct cache_look_up *, struct cache_finding *);
    /* What a look-up fetched under this name for this place arrives at `cycle`. Ignored if its line has been replaced.
     */
    void (*filled)(void *state, void *place, uint32_t fetch, uint64_t cycle);
    /* NULL, or: what was fetched for this place is there, and its MSHR is free. May have to write a line back for it
     * (victim, written). */
    void (*released)(void *state, void *place, struct cache_finding *);
    /* NULL, or: the cache is stepped (stepped.h). Engines that step no caches refuse it, and of the functions above
     * only shape() is used. */
    const struct stepped_cache *stepped;
};

extern const struct cache_model cache_none, cache_direct_mapped, cache_sectored, cache_staged;

#endif
