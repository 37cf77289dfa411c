/* The parts of plan_simulate: the memory system as docs/timing-model.md describes it, cycle by cycle, with every
 * request looked at in every cycle. Nothing is known before it happens, but when a sector will come that device memory
 * fetches. */
#ifndef REPRISE_TESTS_MEMORY_SIMULATE_H
#define REPRISE_TESTS_MEMORY_SIMULATE_H

#include "tests/support/replacement_oracle.h"
#include "tests/unit/memory/plan.h"

#define MOST 4096
#define MOST_WAYS 16
#define MOST_SECTORS 4
#define MOST_ACCESSES 1024
#define MOST_SMS 64
#define MOST_PARTS 64 /* slices, channels, GPCs */
#define NOT_THERE UINT64_MAX
#define RELEASED (UINT64_MAX - 1) /* of a fill: its MSHR is free */
#define ANY UINT64_MAX

enum where {
    NOWHERE,
    LSU,
    L1_QUEUE,
    PORT,
    WIRE,
    FAR_END,
    SLICE_QUEUE,
    SLICE,
    REFUSED,
    MEMORY,
    REPLY,       /* its data is at L2 */
    REPLY_QUEUE, /* waits for the slice's link */
    FETCH_OF_ANOTHER,
    IN_PACKET, /* another sector of its packet is in a queue for it */
    DONE
};

/* A request for one sector. Neighbouring sectors of a line may travel as one packet: its first request, the lead, is in
 * queues and has what is said of the packet; the others are IN_PACKET. */
struct request {
    enum where where;
    unsigned sm, l1, access, of; /* of: the request whose fetch it waits for */
    uint64_t address, ready, key,
        back;          /* ready: event in `where`; key: order on the chip; back: when its data is at L2 */
    uint64_t order;    /* in the LSU */
    uint64_t sequence; /* among those that left its SM */
    unsigned kind, asks, repeats, sectors, hint;
    uint32_t bytes;
    bool beside, posted, fetches, l2_fetches, served, in_l1, crossed, translated; /* in_l1: waits for a fetch of L1 */
    bool around;                                                                  /* fetched by l2.fill */
    unsigned ahead[8], ahead_count;                                               /* write-backs that leave before it */
    unsigned lead; /* of its packet, or of the last that it was in */
    unsigned member[MOST_SECTORS],
        in_packet; /* of a lead: its packet by address, itself among them, and their number */
};

struct sector {
    uint64_t there; /* from this cycle on; NOT_THERE: absent, or under way */
    int fetch;      /* by this request, -1 */
    bool dirty;
    uint32_t bytes;  /* `sectored`: 32nds that are here */
    bool awaited;    /* `sectored`: asked for, and its MSHR not free yet */
    unsigned merged; /* requests for it */
};
struct cache_line {
    uint64_t tag;
    struct oracle_way way;
    struct sector sector[8];
};
/* With allocation on fill: a sector that was asked for, by a request. */
struct asked {
    bool is, dirty;
    uint64_t address;
    unsigned merged, hint;
    uint64_t there;
    bool known;
};

/* A clock: its cycle n begins at n / own, as the core's cycle c begins at c / core. */
struct tempo {
    int64_t own, core;
};

struct cache {
    const struct memory_level *level;
    struct tempo tempo; /* of `free` and the level's times */
    struct cache_line line[4096];
    struct asked asked[MOST]; /* by request */
    int64_t ways, merges;     /* of `sectored`; ways 0: it is not */
    bool on_fill;             /* it makes room when a sector comes, not when it is asked for */
    enum { MISS_AROUND, MISS_VALIDATE, MISS_FETCH } write_miss; /* as the names of its option */
    struct oracle oracle;
    uint64_t free[16], started_at, started, outstanding, hits, misses;
    uint64_t in_free, out_free, replying;      /* links of a slice */
    unsigned refused[MOST_SMS], refused_count; /* of a slice */
};

struct sim {
    struct memory_layout l;
    const struct plan *plan;
    struct outcome *out;
    struct request r[MOST];
    unsigned count;
    struct cache *l1, *l2; /* [sm × l1_count + l1], [slice] */
    uint64_t order, *sequence, *places, (*credit)[MOST], *credits, *held;
    uint64_t left_at[MOST_SMS], left[MOST_SMS];
    uint64_t arrival[MOST_ACCESSES];
    uint64_t latest[MOST_SMS];                                           /* of an SM's accesses, the last arrival */
    unsigned queue[MOST_SMS][MOST], queued[MOST_SMS];                    /* LSU: accesses, by arrival */
    unsigned refused[MOST_PARTS][MOST_PARTS], refused_count[MOST_PARTS]; /* slices, of a channel */
    uint64_t dram_free[MOST_PARTS], dram_started[MOST_PARTS][MOST];
    unsigned dram_count[MOST_PARTS];
    int64_t dram_latency, dram_interval, dram_queue;
    uint64_t fills[MOST], fill_cache[MOST], fill_request[MOST];
    struct tempo links; /* of link_free, reply_link_free, in_free and out_free */
    uint64_t link_free[MOST_SMS], reply_link_free[MOST_SMS];
    uint64_t gpc_out[MOST_PARTS], gpc_in[MOST_PARTS]; /* bytes × cycles from which links of GPCs are free */
    unsigned fill_count;
    uint64_t l2_release[MOST];
    struct plan_translation translation;
};

/* The first own cycle from the core's on; the core's in which an own one begins; the core's first from an own one on.
 */
static inline uint64_t tempo_from(struct tempo t, uint64_t core)
{
    __int128 n = (__int128)core * t.own / t.core;
    return (uint64_t)(n + (n * t.core < (__int128)core * t.own));
}
static inline uint64_t tempo_in(struct tempo t, uint64_t own) { return (uint64_t)((__int128)own * t.core / t.own); }
static inline uint64_t tempo_after(struct tempo t, uint64_t own)
{
    uint64_t core = tempo_in(t, own);
    return core + ((__int128)core * t.own < (__int128)own * t.core);
}

static inline uint64_t max(uint64_t a, uint64_t b) { return a > b ? a : b; }

unsigned simulate_add(struct sim *, struct request); /* its number; it is a packet of its own */
/* Makes these requests a packet. The lead's state and place in queues are the caller's to set. Returns its lead. */
unsigned simulate_pack(struct sim *, const unsigned *member, unsigned count);
/* The next place in a queue. Up to 8 may be put behind it. */
static inline uint64_t simulate_order(struct sim *s) { return s->order += 8; }
/* Where a request, or what becomes of some of its sectors, is among those of one cycle: behind its SM's earlier ones,
 * with places for what it causes. */
uint64_t simulate_key(const struct sim *, unsigned sm, uint64_t sequence, unsigned lead);
/* The transaction is served at `cycle`. */
void simulate_end(struct sim *, struct request *, uint64_t cycle);

/* simulate_cache.c: what a look-up finds, of any kind of cache. `id` is the request's number. */
struct found {
    bool hit, served, fetches, refused, reads;
    int from;
    uint64_t cycle, victim, written;
    uint64_t end; /* of the look-up; cycle: of the answer */
};
struct found cache_look_up(struct sim *, struct cache *, unsigned id, const struct request *, uint64_t address,
                           uint64_t now);
/* The same of a `sectored` one in this cycle of the core, without its port and its counts. */
struct found cache_look_up_beside(struct sim *, struct cache *, unsigned id, const struct request *, uint64_t address,
                                  uint64_t cycle);
bool cache_reads(const struct cache *, unsigned kind);
bool cache_absent(struct cache *, uint64_t address);
uint64_t *cache_port(struct cache *, uint64_t address); /* the cycle of its tempo from which it is free */
void cache_arrived(struct cache *, unsigned id, uint64_t address, uint64_t cycle);
struct found cache_released(struct cache *, unsigned id, uint64_t address);
/* Those that found the sector on its way. */
void simulate_wake(struct sim *, unsigned id, uint64_t cycle, bool on_chip);

/* simulate_sm.c, simulate_chip.c: what happens in one cycle. */
void simulate_sm(struct sim *, unsigned sm, uint64_t now);
void simulate_chip(struct sim *, uint64_t now);

#endif
