/* The lives of instructions, as Konata shows them, put in order while the replay goes on.
 *
 * They are added in the order in which they end. A part is what happens in a few cycles: issues, dispatches, ends. It
 * is handed on, and its memory used again, once all is known of these cycles: every issue is LIVES_AHEAD cycles or more
 * behind the latest one, and each instruction that issued there has ended. So memory follows from how many instructions
 * issue within LIVES_AHEAD cycles and from how long they take, not from the length of the replay. */
#ifndef REPRISE_TOOLS_TIMELINE_LIVES_H
#define REPRISE_TOOLS_TIMELINE_LIVES_H

#include <stdbool.h>
#include <stddef.h>

#include "tools/timeline/sorting.h"

/* Cycles by which a later event may be earlier: most_ahead of the observer (replay/base/observer.h). With more, more
 * lives wait; with fewer, the replay goes from SM to SM more often. */
#define LIVES_AHEAD 4096u

/* Of a part: so few that its lives are in a processor's caches, and have numbers in sort_keyed(). */
#define LIVES_CYCLES_BITS 5
#define LIVES_CYCLES (1u << LIVES_CYCLES_BITS)

/* An instruction. */
struct life {
    uint64_t issue;          /* life_issue(): lives are in the order of these */
    uint64_t warp;           /* the block's number times the warps of a block, plus the warp's in its block */
    uint32_t dispatch, done; /* cycles behind the issue */
    uint32_t launch;
    uint32_t index; /* the instruction's, in its kernel */
};
_Static_assert(sizeof(struct life) == 32, "half a cache line");

/* What happens in cycles begin .. begin + LIVES_CYCLES - 1. Lives have numbers, from 0 on, in the order of their
 * issues: by cycles, in one cycle by sub-cores, and the second of a pair after the first. Entries from[c] .. from[c +
 * 1] - 1 of a list are of cycle begin + c. */
struct lives_part {
    uint64_t begin, first; /* first: the number of the first life in `issues` */
    const struct life *const *issues;
    const uint64_t *dispatches, *ends; /* numbers; dispatches: of lives that are dispatched after their issue */
    uint32_t issues_from[LIVES_CYCLES + 1], dispatches_from[LIVES_CYCLES + 1], ends_from[LIVES_CYCLES + 1];
};

/* A list of a part, in pieces that are used again. */
struct lives_piece;
struct lives_list {
    struct lives_piece *first, *last;
    uint32_t count;
};

/* A part that waits. Dispatches and ends are numbers of lives, and cycles of the part below them. */
struct lives_waiting {
    struct lives_list issues, dispatches, ends;
    uint64_t open; /* instructions that have issued and not ended */
};

/* A dispatch or an end beyond the parts that wait. */
struct lives_far {
    uint64_t cycle, number;
    bool ends;
};

struct lives {
    uint64_t subcores; /* of the machine */
    void (*part)(void *, const struct lives_part *);
    void *data;
    uint64_t count;   /* of lives in parts that were handed on: the number of the next one */
    bool starved;     /* memory ran out: something is missing */
    bool out_of_turn; /* an issue came too late: the engine is not as observer.h says */
    /* parts that wait, by the number of the part (cycle / LIVES_CYCLES) modulo `room` */
    struct lives_waiting *waiting;
    uint64_t room, next,
        newest;             /* room: a power of two; next: the next part to hand on; newest: has the latest issue */
    uint64_t entries, open; /* in all of them */
    struct lives_far *far;  /* in no order */
    uint64_t far_count, far_room; /* of elements */
    uint64_t far_first;           /* the first part that has one of them; UINT64_MAX: none */
    struct lives_piece *free, *all;
    uint64_t pieces; /* that were allocated */
    /* for the part that is put in order */
    const struct life **unsorted, **issues;
    uint64_t *keys, *spare, *dispatches, *ends;
    uint32_t issue_room, dispatch_room, end_room;
};

/* part: gets the parts, in order, during the calls below. Close it after a failure, too. */
bool lives_open(struct lives *, uint64_t subcores, void (*part)(void *, const struct lives_part *), void *data);
void lives_close(struct lives *);

/* A cycle, a sub-core of the machine, and whether it is the second of a pair, which issues in the cycle of the first.
 */
static inline uint64_t life_issue(const struct lives *l, uint64_t cycle, uint64_t subcore, bool second)
{
    return (cycle * l->subcores + subcore) * 2 + second;
}
/* What is in it. subcores: of the machine. */
static inline uint64_t life_cycle(const struct life *l, uint64_t subcores) { return l->issue / 2 / subcores; }
static inline uint64_t life_subcore(const struct life *l, uint64_t subcores) { return l->issue / 2 % subcores; }

/* An instruction issues. One of the next two follows, or it never ends. */
void lives_begin(struct lives *, uint64_t cycle);
/* It ends. cycle, here and below: of its issue. Returns where its life is to be written before the next call; NULL: it
 * is not kept, as `starved` or `out_of_turn` says. */
struct life *lives_add(struct lives *, uint64_t cycle);
/* It is of no interest, or never ends. */
void lives_drop(struct lives *, uint64_t cycle);
/* The replay is over: hands on what there is. */
void lives_finish(struct lives *);

#endif
