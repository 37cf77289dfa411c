/* Which blocks are on which SM, and which of their instructions are in flight: puts the end of an instruction together
 * with its issue. For observers (replay/base/observer.h). */
#ifndef REPRISE_TOOLS_TIMELINE_FLIGHTS_H
#define REPRISE_TOOLS_TIMELINE_FLIGHTS_H

#include "replay/base/observer.h"
#include "tracefmt/reader.h"

/* An instruction that has issued. */
struct flight {
    uint64_t number, issue;     /* as in struct observed_issue; issue: the cycle */
    uint32_t initiation, index; /* the same */
    uint32_t row;               /* the lowest that no other instruction of its warp had at its issue; 0 without rows */
    uint16_t warp;
    uint8_t unit, subcore : 7, second : 1;
};

struct flight_row {
    uint64_t free;  /* the cycle from which on another instruction may have it; UINT64_MAX: not known yet */
    uint32_t track; /* the listener's; 0 at first */
};

struct flight_warp {
    struct flight *list; /* in no order */
    uint32_t count, room, row_count;
    struct flight_row *rows;
};

/* A place for a block on an SM: the lowest that is free. Its warps' rows stay for the next block. */
struct flight_slot {
    bool taken;
    uint32_t launch;
    uint64_t block, since; /* since: the cycle in which the block was placed */
    uint32_t track;        /* the listener's; 0 at first */
    const void *labels;    /* the listener's, of the block's kernel; NULL when it is placed */
    uint32_t warps, warp_room;
    struct flight_warp *warp;
};

struct flight_sm {
    struct flight_slot *slots;
    uint32_t slot_count;
    uint32_t guess[64]; /* slot of a block, by the block's number; it may be another's */
};

struct flights {
    const struct rp_trace *trace;
    bool rows; /* instructions have rows */
    struct flight_sm *sms;
    uint32_t sm_count;
    /* The last instruction that has issued, if it has not ended: most ends come at once, and need no list. */
    struct flight_slot *last_slot;
    struct flight last, ended; /* ended: what flights_end returned, if it was not the last */
    bool starved;              /* memory ran out: something was not noted */
};

/* rows: whether instructions get rows, which takes time. */
bool flights_open(struct flights *, const struct rp_trace *, const struct machine *, bool rows, struct rp_error *);
void flights_close(struct flights *);

/* The block gets a slot; NULL: memory ran out. */
struct flight_slot *flights_place(struct flights *, const struct observed_block *);
/* The slot of a block that is there; else NULL. */
struct flight_slot *flights_find(const struct flights *, uint32_t sm, uint32_t launch, uint64_t block);
/* The block is gone. What its warps still have in flight never ends. */
void flights_leave(struct flights *, struct flight_slot *);

/* Notes the instruction, if its block is there. */
void flights_issue(struct flights *, const struct observed_issue *);
/* The instruction ends: returns its flight, up to the next call, and writes the place of its block. NULL: its issue was
 * not noted. */
const struct flight *flights_end(struct flights *, const struct observed_done *, struct flight_slot **);

#endif
