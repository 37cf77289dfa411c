/* Control words in the fast engine: the barriers of a warp. */
#ifndef REPRISE_REPLAY_FAST_CONTROL_WORDS_H
#define REPRISE_REPLAY_FAST_CONTROL_WORDS_H

#include "replay/fast/fast.h"

struct fast_signal {
    uint64_t release; /* the first cycle in which it is there */
    uint8_t kind;     /* enum stall */
};

struct fast_barrier_signals {
    struct fast_signal *items; /* at least those that are outstanding */
    uint32_t count, capacity;
    uint64_t latest; /* release */
};

struct fast_signals {
    struct fast_barrier_signals barrier[RP_CONTROL_BARRIERS];
    uint64_t returned[MACHINE_UNITS][PRODUCERS]; /* when the last result of a unit and kind is written */
};

/* The cycle from which the barriers let the warp's next instruction go, as far as it is after now. */
uint64_t fast_awaited(const struct fast_sm *, const struct fast_warp *);
/* What they held up until now, STALL_COUNT: nothing. */
enum stall fast_awaited_reason(const struct fast_sm *, const struct fast_warp *);
/* Carries out the control word of the instruction that is being issued. */
bool fast_obey(struct fast_sm *, struct fast_subcore *, struct fast_warp *, uint64_t dispatched, uint64_t done,
               struct rp_error *);

/* For another warp; the lists keep their room. */
void fast_signals_clear(struct fast_signals *);
void fast_signals_free(struct fast_signals *);

#endif
