/* The chip's side of the memory system: the far ends of the SMs' ports, L2 in slices, device memory in channels. */
#ifndef REPRISE_REPLAY_MEMORY_CHIP_H
#define REPRISE_REPLAY_MEMORY_CHIP_H

#include "hw-models/dram/fixed.h"
#include "replay/memory/calendar.h"
#include "replay/memory/sm_memory.h"
#include "replay/memory/translation.h"

/* The kinds of events, in the order in which those of one cycle are processed. Arrivals and departures are ordered by
 * their requests alone. */
enum chip_event {
    CHIP_RELEASE,         /* a fetch of a slice is complete: its MSHR entry is free, the next request may start */
    CHIP_ADVANCE_CHANNEL, /* the model of a channel is to be called */
    CHIP_ROOM_IN_CHANNEL, /* slices that the channel refused may offer again */
    CHIP_ROOM_IN_SLICE,   /* SMs that the slice refused may offer again */
    CHIP_SEND,            /* the link of a slice is free for the next reply */
    CHIP_START,           /* a slice's port is free */
    CHIP_REPLY,           /* the data of a reply is there, to be sent to its SM */
    CHIP_ARRIVE,          /* a request arrives from its SM */
    CHIP_LEAVE,           /* a request or a write-back leaves its slice */
};
/* A departure is among the events of another kind: those of its request, which are arrivals nearly always. */
_Static_assert(CHIP_LEAVE == CALENDAR_KINDS, "the calendar has a list for each of the other kinds");

/* What the calendar and most events touch is in the first of its lines of the host's caches. */
struct chip_request {
    _Alignas(POOL_ALIGNMENT) struct pool_item item;
    struct event event;           /* in the calendar */
    struct chip_request *next;    /* in a queue, or among the waiters of a fetch */
    struct chip_request *waiters; /* requests that wait for its fetch */
    /* In a queue: from which it may start. Of a waiter: its response, unless that of the fetch is later. */
    uint64_t cycle;
    struct request_sectors of; /* of a write-back: `address` alone */
    uint32_t name, count;      /* name: given by the SM, NO_ID: no reply; count: sectors for device memory */
    uint16_t sm, slice;
    uint8_t kind, repeats, hint;
    uint8_t original_kind;                /* the kind with which it arrived, and that of its reply: enum cache_kind */
    uint8_t level;                        /* enum response_level, of a reply that waits for its link */
    uint8_t fetched;                      /* sectors that L2 keeps, a bit each */
    bool crossed;                         /* has passed the link of its GPC */
    bool translated;                      /* the translation of its address is there */
    const struct memory_touches *touches; /* NULL; else it is no request: its slice sees these */
    void *place[REQUEST_SECTORS];         /* in L2, of the sectors that it keeps */
};

struct request_queue {
    struct chip_request *first, *last;
};

struct slice {
    struct level level;
    struct event start, room; /* in the calendar while `starts` and `makes_room` are set */
    bool starts, makes_room;
    struct request_queue queue, out; /* queue: wait for the port; out: refused by a channel */
    uint64_t waiting, started_at, started, outstanding;
    struct request_queue replies; /* wait for the slice's link to the SMs */
    struct event send;
    bool sends;
    uint64_t replying;          /* number of replies that wait */
    uint64_t in_free, out_free; /* cycles of the links' clock in which the links from and to SMs are free */
    struct slice *next_refused; /* the next one that the same channel refused */
    uint32_t index;
    uint32_t refused_first, refused_last; /* SMs, linked by chip_port.next_refused */
};

struct channel {
    void *state;
    struct fixed *fixed; /* state, if the model is `fixed` */
    struct event room;
    bool makes_room;
    uint64_t advance_at; /* the cycle of the next call of its model; CHIP_ADVANCE_CHANNEL in other cycles is void */
    struct slice *refused_first, *refused_last;
    struct dram_counts counts;
    uint32_t index;                         /* with a listener */
    struct dram_listener listener;          /* of its model, */
    const struct memory_listener *to;       /* which reports to this one */
    uint64_t counters[MODEL_MOST_COUNTERS]; /* the model's, of all launches; until they are moved */
};

/* The links of a GPC. Times are bytes that a link could have moved since cycle 0 of its clock: cycle × bytes in a
 * cycle.
 */
struct gpc_links {
    uint64_t out_free, in_free; /* from when they are free */
};

/* The far end of an SM's port. */
struct chip_port {
    struct request_queue waiting; /* requests that have arrived and that no slice has taken */
    uint64_t link_free;           /* the cycle of the links' clock in which the SM's link for replies is free */
    uint32_t next_refused;
    uint32_t gpc;         /* of the SM */
    struct outbox box;    /* requests that the chip has taken from the SM and not processed */
    struct inbox replies; /* replies and credits for the SM */
};

struct timed_touches {
    const struct memory_touches *touches;
    uint64_t cycle;
};

/* An SM, and the arrival of its first request. */
struct chip_sender {
    uint64_t arrival;
    uint32_t sm;
};

struct memory_system {
    struct memory_layout layout;
    struct machine_part divided_l1; /* by memory_system_divide_l1(), if l1_bytes is not 0 */
    int64_t l1_bytes;
    struct sm_memory *sms;
    struct slice *slices;
    struct channel *channels;
    struct chip_port *ports;
    struct gpc_links *gpcs;
    struct translation translation;
    struct calendar calendar;
    struct pool requests;
    /* Calls of memory_system_touch_at() in the launch, with cycles of the clock below. `asked` of them were made,
     * `taken` are known to the chip, `touched` are done or in the queues of slices. */
    struct timed_touches touches[MEMORY_MOST_TOUCHES];
    unsigned asked, taken, touched;
    uint64_t clock; /* cycles of earlier launches */
    uint64_t next;  /* the next event on the chip, apart from requests that are still to be taken */
    bool short_cuts;
    bool on_arrival;             /* slices look requests up when they arrive: no queue of the chip is bounded */
    bool analytic;               /* without events, see chip_is_analytic() */
    struct chip_sender *senders; /* [SMs]: working memory of chip_analytic.c */
    struct memory_listener listener;
    bool failed;
};

/* Sends a reply for these sectors, or a credit with the name NO_ID, to the SM. */
static inline void chip_reply(struct memory_system *m, uint32_t sm, uint32_t name, uint8_t sectors, uint64_t response)
{
    struct inbox *box = &m->ports[sm].replies;
    box->sectors += (unsigned)__builtin_popcount(sectors);
    if (box->count < box->room || inbox_grow(box))
        box->items[box->count++] = (struct reply){name, sectors, response};
    else
        m->failed = true;
}

/* chip_analytic.c: whether requests can be computed to their ends one after the other; and memory_system_serve() for
 * that case, in cycles of the memory system's clock. */
bool chip_is_analytic(const struct memory_system *);
uint64_t chip_analytic_serve(struct memory_system *, uint64_t now);

#endif
