/* Caches: one level, seen from the side of its requests.
 *
 * A request carries the address of one transaction and the cycle in which it arrives. The cache answers at once with
 * what will come of it: either it serves the request itself, or the request goes on to the next level. When a read
 * goes on and its data is to be kept, the engine reports by fill() when it will be there; later requests for it hit and
 * wait for that cycle. Requests are made in the order in which their instructions issue, which need not be the order
 * of their cycles; a port serves them in the order of the calls.
 */
#ifndef REPRISE_HW_MODELS_CACHE_H
#define REPRISE_HW_MODELS_CACHE_H

#include "hw-models/model.h"

enum cache_kind {
    CACHE_READ,
    CACHE_WRITE,
    CACHE_ATOMIC, /* read, changed and written in one place: done by the first level that keeps writes to itself */
};

struct cache_request {
    uint64_t address; /* of the transaction */
    uint64_t cycle;   /* of its arrival */
    enum cache_kind kind;
};

struct cache_reply {
    bool hit;        /* for statistics: the line was there, or on its way. A level that keeps nothing never hits */
    bool served;     /* this level is the last that the request sees: done at `cycle` */
    bool fill;       /* not served: tell the cache by fill() when the answer is there */
    bool write_back; /* a dirty line had to go: a write of `victim` leaves for the next level at `cycle` */
    uint64_t cycle;  /* served: the data, or a write's acknowledgement, is there; else: the request leaves */
    uint64_t victim;
};

/* How a cache is laid out, and its times. A cache that keeps nothing is all zeroes. */
struct cache_shape {
    uint64_t sets, ways, line, sector; /* sets × ways lines; bytes */
    uint64_t latency;                  /* from the start of a look-up to its answer, or to its leaving */
    uint64_t interval;                 /* between the starts of two look-ups */
    uint64_t atomic_interval;          /* the same added for each lane of an atomic beyond the first at one address */
    bool back; /* writes stay until their line is replaced, and atomics are done here; else both go on */
};

#define CACHE_NO_FETCH UINT32_MAX

struct cache_look_up {
    uint64_t address; /* of the transaction */
    uint64_t cycle;   /* in which the look-up is over: its start + latency */
    enum cache_kind kind;
    uint32_t fetch; /* the name of what it fetches, should it fetch something: below 2^32 - 1, unique while under way */
};

struct cache_finding {
    bool hit;      /* for statistics: the sector was there, or on its way. A level that keeps nothing never hits */
    bool served;   /* this level is the last that the request sees */
    bool fetches;  /* not served: the cache waits for filled() under the name given */
    uint32_t from; /* served: when this fetch, of an earlier request, is there; CACHE_NO_FETCH: at `cycle` */
    uint64_t cycle;
    uint64_t victim;  /* a dirty line that had to go: its address, */
    uint32_t written; /* and its sectors to be written back, a bit each from the lowest address; 0: none */
};

struct cache_model {
    struct model model;
    bool keeps; /* false: has no lines at all; its hits and misses are not counted */
    void (*reset)(void *state, const int64_t *options);
    void (*access)(void *state, const struct cache_request *, struct cache_reply *);
    /* What was asked for at `address` arrives at `cycle`. Called at most once after a reply with fill, before the next
     * access. */
    void (*fill)(void *state, uint64_t address, uint64_t cycle);
    /* Before the first access: the cache holds these bytes, one after the other, as far as there is room for them. */
    void (*preload)(void *state, uint64_t address, uint64_t size);

    void (*shape)(const int64_t *options, struct cache_shape *);
    /* Whether such a request would ask for a sector that is neither there nor on its way. Changes nothing. */
    bool (*fetches)(const void *state, enum cache_kind, uint64_t address);
    /* Looks the request up, and makes room for what it brings. */
    void (*look_up)(void *state, const struct cache_look_up *, struct cache_finding *);
    /* What a look-up fetched under this name arrives at `cycle`. Ignored if its line has been replaced. */
    void (*filled)(void *state, uint64_t address, uint32_t fetch, uint64_t cycle);
};

/* The options of `direct-mapped`, for analyses of what it does. */
enum {
    CACHE_OPTION_SIZE,
    CACHE_OPTION_LINE,
    CACHE_OPTION_SECTOR,
    CACHE_OPTION_LATENCY,
    CACHE_OPTION_INTERVAL,
    CACHE_OPTION_WRITE,
    CACHE_OPTION_ATOMIC_INTERVAL
};
enum { CACHE_THROUGH, CACHE_BACK }; /* of `write` */

extern const struct cache_model cache_none, cache_direct_mapped;

#endif
