/* What is still to happen, by cycle. Of one cycle, by kind, then by who, then by number: so the order does not depend
 * on when events were added. */
#ifndef REPRISE_REPLAY_ENGINES_CORES_AGENDA_H
#define REPRISE_REPLAY_ENGINES_CORES_AGENDA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The order of events of one cycle. */
enum event_kind {
    EVENT_FILL,       /* a line from device memory reaches its bank; who: the bank, what: the miss */
    EVENT_ADVANCE,    /* a channel's model is to be called; who: the channel */
    EVENT_READ,       /* a read reaches its channel; who: the channel, what: the miss */
    EVENT_WRITE,      /* a write reaches its channel; who: the channel, what: the line's number */
    EVENT_WRITE_BACK, /* a core's dirty line reaches its bank; who: the core, what: the number of its line */
    EVENT_REQUEST,    /* a core's request reaches its bank; who: the core */
    EVENT_CORE,       /* a core goes on; who: the core */
};

struct event {
    uint64_t cycle;
    uint64_t order; /* kind, who, number */
    uint32_t what;
};

#define EVENT_WHO_BITS 12
#define EVENT_NUMBER_BITS 48
static inline uint64_t event_order(enum event_kind kind, uint32_t who, uint64_t number)
{
    return (uint64_t)kind << (EVENT_WHO_BITS + EVENT_NUMBER_BITS) | (uint64_t)who << EVENT_NUMBER_BITS |
           (number & ((UINT64_C(1) << EVENT_NUMBER_BITS) - 1));
}
static inline enum event_kind event_kind(const struct event *e)
{
    return (enum event_kind)(e->order >> (EVENT_WHO_BITS + EVENT_NUMBER_BITS));
}
static inline uint32_t event_who(const struct event *e)
{
    return (uint32_t)(e->order >> EVENT_NUMBER_BITS) & ((1u << EVENT_WHO_BITS) - 1);
}
static inline bool event_before(const struct event *a, const struct event *b)
{
    return a->cycle != b->cycle ? a->cycle < b->cycle : a->order < b->order;
}

/* A heap; all zero: empty. */
struct agenda {
    struct event *events; /* [0] is the first */
    size_t count, room;
};

/* False: out of memory. */
bool agenda_add(struct agenda *, struct event);
/* The first event, which is taken off; the agenda must not be empty. */
struct event agenda_take(struct agenda *);
void agenda_free(struct agenda *);

#endif
