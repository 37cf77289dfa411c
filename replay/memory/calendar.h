/* A calendar queue: events by cycle and, within a cycle, by key; equal keys in the order in which they were added. The
 * next CALENDAR_DAYS cycles have a list each, in a ring; a list is sorted when its turn comes. Later events are in a
 * heap.
 */
#ifndef REPRISE_REPLAY_MEMORY_CALENDAR_H
#define REPRISE_REPLAY_MEMORY_CALENDAR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define CALENDAR_DAYS 1024u /* a power of two, a multiple of 64 */
#define CALENDAR_NEVER UINT64_MAX

struct event {
    struct event *next;
    uint64_t cycle, key;
    uint8_t what; /* for the caller */
};

struct calendar {
    uint64_t today; /* the present cycle: all earlier events have been taken */
    size_t count;   /* events in the ring */
    uint64_t used[CALENDAR_DAYS / 64];
    struct event *first[CALENDAR_DAYS], *last[CALENDAR_DAYS];
    uint64_t unsorted[CALENDAR_DAYS / 64]; /* days whose list is not sorted yet, a bit each */
    struct event **later;                  /* a heap */
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
void calendar_end(struct calendar *);

#endif
