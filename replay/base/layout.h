/* A machine's memory hierarchy: its levels, the number of instances of each, and their limits. Derived from the machine
 * in one place, for the memory system, for the staged engine and for analyses (tools/wcet).
 */
#ifndef REPRISE_REPLAY_BASE_LAYOUT_H
#define REPRISE_REPLAY_BASE_LAYOUT_H

#include "hw-models/cache/set-hash.h"
#include "replay/base/clock.h"
#include "replay/base/divisor.h"
#include "replay/base/machine.h"

/* How addresses are spread over slices or channels. Consecutive chunks of `interleave` bytes go to parts 0, 1, ...,
 * count - 1, 0, .... With a hash, chunk n goes to part hash(n). If `count` is no power of two, the chunks of round n go
 * to hash(n << bits) + 0, hash(n << bits) + 1, ... modulo count, with the bits of the next power. `interleave` is a
 * power of two, 1 << shift. */
struct memory_parts {
    uint32_t count;
    unsigned shift;
    uint64_t interleave;
    struct divisor per_round; /* count */
    struct set_hash hash;
};

struct memory_level {
    const struct cache_model *model;
    const struct machine_part *part;
    struct cache_shape shape;  /* of the whole level; of L2: of a slice */
    struct clock_domain clock; /* its times are cycles of this clock */
    bool keeps;
    bool tracks;           /* depends on when fetches end: has MSHRs, or a model with `released` */
    uint64_t queue, mshrs; /* MEMORY_ANY: unbounded */
};
#define MEMORY_ANY UINT64_MAX
#define REQUEST_SECTORS 4u /* the most of a request */

struct memory_layout {
    const struct machine *machine;
    uint32_t sms, subcores, l1_subcores, l1_count; /* l1_count: per SM */
    uint32_t icache_subcores, icache_count;        /* per SM */
    struct memory_level l1, l2;
    struct memory_parts slices, channels;
    /* Where L2 and device memory are stepped, each slice belongs to a channel. `channels` selects the channel of an
     * address, and this the slice within the channel. Only the count of `slices` holds there. */
    struct memory_parts channel_slices;
    struct machine_part slice; /* the L2 model with the options of a slice */
    const struct dram_model *dram;
    struct interconnect_shape interconnect;
    struct clock_domain links;      /* of the interconnect */
    struct clock_domain dram_clock; /* of device memory that is stepped; else the core's */
    bool translates;                /* requests that leave an SM need a translation */
    uint64_t walkers, walk;         /* walkers: MEMORY_ANY: unbounded; walk: cycles */
    uint64_t fill;                  /* bytes around a sector that L2 fetches with it; those of a sector: none */
    /* A request is for some of `request_sectors` neighbouring sectors of 1 << sector_shift bytes, which lie in a line,
     * a slice and a channel; the first is aligned to all of them. */
    uint32_t request_sectors;
    unsigned sector_shift;
    /* With flits, by enum cache_kind and number of sectors: those of a request on the SM's link and on the slice's, and
     * of its reply. */
    uint64_t departure[3][REQUEST_SECTORS + 1], packet[3][REQUEST_SECTORS + 1], reply[3][REQUEST_SECTORS + 1];
    /* Bytes of a request and of its reply, which the links of GPCs count. */
    uint64_t request_bytes[3][REQUEST_SECTORS + 1], reply_bytes[3][REQUEST_SECTORS + 1];
    uint64_t lsu_queue, port_queue; /* MEMORY_ANY: unbounded */
    uint64_t port_width;            /* 0: unbounded */
    uint64_t port_latency;
    bool sm_unbounded;   /* no queue within an SM is ever full */
    bool chip_unbounded; /* no queue of the chip is ever full */
    bool immediate;      /* no cache keeps data and nothing is ever busy: an access takes `delay` */
    bool orders_blocks;  /* an SM has at most one L1 that keeps data */
    uint64_t delay;
    /* A response or a credit that the chip sends in cycle c reaches its SM at c + lookahead or later. */
    uint64_t lookahead;
};

/* State of a model for these options, 64-byte aligned and zeroed; NULL when out of memory. Freed by free(). */
void *machine_part_state(const struct machine_part *);

void memory_layout_of(const struct machine *, struct memory_layout *);

static inline bool memory_parts_are_power(const struct memory_parts *p) { return !(p->count & (p->count - 1)); }
/* What a hash adds to the parts of a round. It is linear: the hash of a chunk is this, exclusive-ored with the chunk's
 * lowest bits. */
static inline uint32_t memory_round_hash(const struct memory_parts *p, uint64_t round)
{
    return p->hash.kind ? set_hash(&p->hash, round << p->hash.bits) : 0;
}
static inline uint32_t memory_part_of(const struct memory_parts *p, uint64_t address)
{
    if (p->count == 1)
        return 0;
    uint64_t number = address >> p->shift, round = divide(number, &p->per_round);
    uint32_t part = (uint32_t)(number - round * p->count);
    if (!p->hash.kind)
        return part;
    uint32_t hash = memory_round_hash(p, round);
    return memory_parts_are_power(p) ? part ^ hash : (part + hash) % p->count;
}
/* The address within its part; memory_global() is the inverse. */
static inline uint64_t memory_local(const struct memory_parts *p, uint64_t address)
{
    return p->count == 1 ? address
                         : divide(address >> p->shift, &p->per_round) << p->shift | (address & (p->interleave - 1));
}
static inline uint64_t memory_global(const struct memory_parts *p, uint32_t part, uint64_t local)
{
    if (p->count == 1)
        return local;
    uint64_t round = local >> p->shift;
    uint32_t hash = memory_round_hash(p, round) % p->count;
    part = !hash ? part : memory_parts_are_power(p) ? part ^ hash : (part + p->count - hash) % p->count;
    return (round * p->count + part) << p->shift | (local & (p->interleave - 1));
}

#endif
