/* A calendar queue: events by cycle; within a cycle by kind, then by key; equal keys in the order in which they were
 * added. The next CALENDAR_DAYS cycles have a list for each kind, in a ring. Most events of a kind are added in order;
 * a list of others is sorted when its turn comes. Later events are in a heap.
 */
#ifndef REPRISE_REPLAY_MEMORY_CALENDAR_H
#define REPRISE_REPLAY_MEMORY_CALENDAR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define CALENDAR_DAYS 1024u /* a power of two, a multiple of 64 */
#define CALENDAR_KINDS 8u
#define CALENDAR_NEVER UINT64_MAX

struct event {
    struct event *next;
    uint64_t cycle, key;
    uint8_t kind; /* below CALENDAR_KINDS */
    uint8_t what; /* for the caller */
};

struct calendar_day {
    struct event *last[CALENDAR_KINDS]; /* of a ring of events by kind: the next one is the first; NULL: none */
    uint16_t used, unsorted;            /* kinds with events, and kinds whose events are not sorted yet; a bit each */
};

struct calendar {
    uint64_t today;                    /* the present cycle: all earlier events have been taken */
    size_t count;                      /* events of the days */
    uint64_t used[CALENDAR_DAYS / 64]; /* days with events, a bit each */
    struct calendar_day days[CALENDAR_DAYS];
    struct event **later; /* a heap */
    size_t later_count, later_room;
};

/* Adds an event at `cycle`, which is today or later. False: out of memory. */
bool calendar_add(struct calendar *, struct event *, uint64_t cycle);
/* The cycle of the first event; CALENDAR_NEVER: there is none. */
uint64_t calendar_next(const struct calendar *);
/* Takes the first event, if its cycle is `until` or earlier; else NULL. */
struct event *calendar_take(struct calendar *, uint64_t until);
/* Sets today; the calendar is empty. */
void calendar_reset(struct calendar *, uint64_t today);
/* Frees what it holds. It is empty then, at cycle 0, and may be used again. */
void calendar_end(struct calendar *);

#endif
