/* Caches: what one level holds, and what a look-up of a request finds.
 *
 * The memory system (replay/memory) sends requests to a level, models its ports and its queues, and looks up each
 * request when the request starts. Look-ups come in the order of their starts. A look-up finds the sector or not, and
 * makes room for it. The cache then serves the request, or the request goes on to the next level. A sector that was
 * fetched is there from the cycle that filled() names. Until then it is in flight: later look-ups find it under the
 * name of the request that fetches it.
 *
 * A cache with released() may refuse a look-up, and depends on when its fetches end. So each look-up is made in the
 * cycle of its start. released() is called in the cycle after the sector arrived, before the look-ups of that cycle.
 */
#ifndef REPRISE_HW_MODELS_CACHE_H
#define REPRISE_HW_MODELS_CACHE_H

#include "hw-models/model.h"
#include "hw-models/replacement/replacement.h"

enum cache_kind {
    CACHE_READ,
    CACHE_WRITE,
    CACHE_ATOMIC, /* read, modify and write: done by the first level that writes back */
};

/* The layout of a cache, and its times. All 0: the cache keeps nothing. */
struct cache_shape {
    uint64_t sets, ways, line, sector; /* sets × ways lines; bytes */
    uint64_t latency;         /* from the start of a look-up until it is served, or goes on to the next level */
    uint64_t interval;        /* between the starts of two look-ups of a bank */
    uint64_t banks;           /* ports: neighbouring sectors belong to neighbouring banks */
    uint64_t atomic_interval; /* added to it for each lane of an atomic beyond the first at one address */
    bool back;                /* writes stay until their line is replaced, and atomics are done here; else both go on */
};

#define CACHE_NO_FETCH UINT32_MAX
#define CACHE_ALL_BYTES UINT32_MAX
#define CACHE_MOST_BANKS 16u

/* The hints of a request for L1 and L2, in one byte. */
#define CACHE_HINTS(l1, l2) ((uint8_t)((l1) | (l2) << 2))
#define CACHE_HINT_OF_L1(hints) ((uint8_t)((hints)&3))
#define CACHE_HINT_OF_L2(hints) ((uint8_t)((hints) >> 2))

struct cache_look_up {
    uint64_t address; /* of the transaction */
    uint64_t cycle;   /* in which the look-up ends: its start + latency */
    enum cache_kind kind;
    uint32_t fetch;     /* the name of the fetch, if there is one: below 2^32 - 1, unique while in flight */
    bool may_not_fetch; /* no MSHR entry is free: a request that would fetch is refused */
    bool around;  /* a read that nobody asks for: the first request that finds its sector in flight counts as a miss */
    uint8_t hint; /* enum cache_hint */
    uint32_t bytes; /* of a write: the 32nds of the sector that it covers, a bit each from the lowest address */
};

struct cache_finding {
    bool refused;  /* nothing was changed: look the same request up again later */
    bool reads;    /* not served: the request goes on as a read, whatever it is */
    bool hit;      /* for statistics: the sector was there, or in flight for another request; false: it keeps nothing */
    bool served;   /* the request ends at this level */
    bool fetches;  /* not served: the cache expects filled() with the name of the fetch, */
    void *place;   /* and with this pointer */
    uint32_t from; /* served: when this fetch of an earlier request arrives; CACHE_NO_FETCH: at `cycle` */
    uint64_t cycle;
    uint64_t victim;  /* the address of a dirty line that was replaced, */
    uint32_t written; /* and the sectors to write back, a bit each from the lowest address; 0: none */
};

struct stepped_cache;

struct cache_model {
    struct model model;
    bool keeps; /* false: has no lines at all; its hits and misses are not counted */
    void (*reset)(void *state, const int64_t *options);
    /* Before the first look-up: fills the cache with these bytes in order, as far as there is room. */
    void (*preload)(void *state, uint64_t address, uint64_t size);
    void (*shape)(const int64_t *options, struct cache_shape *);
    /* Looks the request up, and makes room for its sector. */
    void (*look_up)(void *state, const struct cache_look_up *, struct cache_finding *);
    /* The sector of this fetch arrives at `cycle`; `place` is that of its finding. Ignored if the line was replaced. */
    void (*filled)(void *state, void *place, uint32_t fetch, uint64_t cycle);
    /* NULL, or: the fetched sector is there, and its MSHR entry is free. The finding may name a line to write back
     * (victim, written). */
    void (*released)(void *state, void *place, struct cache_finding *);
    /* NULL, or: the cache is stepped (stepped.h). Engines that step no caches refuse it. The others use only shape()
     * of the functions above. */
    const struct stepped_cache *stepped;
};

extern const struct cache_model cache_none, cache_direct_mapped, cache_sectored, cache_staged;

#endif
