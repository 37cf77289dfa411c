/* The chip's side of the memory system: what comes from the SMs' ports, L2 in slices, device memory in channels. */
#ifndef REPRISE_REPLAY_MEMORY_CHIP_H
#define REPRISE_REPLAY_MEMORY_CHIP_H

#include "hw-models/dram/fixed.h"
#include "replay/memory/calendar.h"
#include "replay/memory/sm_memory.h"
#include "replay/memory/translation.h"

/* What an event is, in the order in which those of a cycle happen; requests arrive and leave by their order alone. */
enum chip_event {
    CHIP_RELEASE,         /* what a slice fetched has come: one that waits for that may start */
    CHIP_ADVANCE_CHANNEL, /* its model wants to be called */
    CHIP_ROOM_IN_CHANNEL, /* a refused slice may offer again */
    CHIP_ROOM_IN_SLICE,   /* a refused SM may offer again */
    CHIP_SEND,            /* the link of a slice is free for the next reply */
    CHIP_START,           /* a slice's port is free */
    CHIP_REPLY,           /* its data is there, to be sent to its SM */
    CHIP_ARRIVE,          /* a request comes from its SM */
    CHIP_LEAVE,           /* a request, or a write-back, leaves its slice */
};

struct chip_request {
    struct pool_item item;
    struct event event;        /* in the calendar */
    struct chip_request *next; /* in a queue, or among those that wait for the same fetch */
    struct chip_request *waiters;
    uint64_t address, cycle; /* cycle: in a queue, from which it may start; of a waiter: the answer, if what it waits
                                for comes before */
    void *place;             /* in L2, of what it fetches */
    uint32_t name, sectors;  /* name: the SM's, NOBODY: no reply */
    uint32_t bytes;
    uint16_t sm, slice;
    uint8_t kind, repeats, hint;
    uint8_t asks;  /* what it came as: its reply's enum cache_kind */
    uint8_t level; /* enum answer_level, of a reply that waits for its link */
    bool fetches;
    bool translated; /* its address is that of L2 and device memory */
};

struct request_queue {
    struct chip_request *first, *last;
};

struct slice {
    struct level level;
    struct event start, room; /* in the calendar while `starts`, `makes_room` */
    bool starts, makes_room;
    struct request_queue queue, out; /* wait for the port; refused by a channel */
    uint64_t waiting, started_at, started, outstanding;
    struct request_queue replies; /* wait for the link to SMs */
    struct event send;
    bool sends;
    uint64_t replying;          /* replies that wait */
    uint64_t in_free, out_free; /* the links' cycles in which those from and to SMs are free */
    struct slice *next_refused; /* by the same channel */
    uint32_t index;
    uint32_t refused_first, refused_last; /* SMs, linked by chip_port.next_refused */
};

struct channel {
    void *state;
    struct fixed *fixed; /* state, if the model is `fixed` */
    struct event room;
    bool makes_room;
    uint64_t advance_at; /* when its model is called next; events for later cycles do nothing */
    struct slice *refused_first, *refused_last;
    struct dram_counts counts;
    uint64_t counters[MODEL_MOST_COUNTERS]; /* the model's, of all launches; until they are moved */
};

/* The far end of an SM's port. */
struct chip_port {
    struct request_queue waiting; /* have arrived and not been taken */
    uint64_t link_free;           /* the same of the SM's link for replies */
    uint32_t next_refused;
    struct outbox box; /* what the chip has taken from the SM, and not looked at */
    struct inbox told; /* what the SM is to hear */
};

/* An SM, and when the first of what it has sent arrives. */
struct chip_sender {
    uint64_t arrival;
    uint32_t sm;
};

struct memory_system {
    struct memory_layout layout;
    struct machine_part divided_l1; /* what memory_system_divide_l1() made of the machine's, if l1_bytes are not 0 */
    int64_t l1_bytes;
    struct sm_memory *sms;
    struct slice *slices;
    struct channel *channels;
    struct chip_port *ports;
    struct translation translation;
    struct calendar calendar;
    struct pool requests;
    uint64_t clock; /* cycles of earlier launches */
    uint64_t next;  /* in which something happens on the chip but for what it has yet to take */
    bool short_cuts;
    bool at_once;                /* slices look requests up when they arrive: nothing on the chip refuses */
    bool straight;               /* no events at all, see chip_is_straight() */
    struct chip_sender *senders; /* [SMs]: room for straight.c */
    bool failed;
};

static inline void chip_tell(struct memory_system *m, uint32_t sm, uint32_t name, uint64_t answer)
{
    struct inbox *told = &m->ports[sm].told;
    if (told->count < told->room || inbox_grow(told))
        told->items[told->count++] = (struct reply){name, answer};
    else
        m->failed = true;
}

/* straight.c: whether each request can be followed to its end by itself; and what memory_system_serve() then does,
 * with cycles on the memory system's clock. */
bool chip_is_straight(const struct memory_system *);
uint64_t chip_straight_serve(struct memory_system *, uint64_t now);

#endif
