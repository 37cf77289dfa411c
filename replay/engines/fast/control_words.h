/* Control words in the fast engine: the barriers of a warp. */
#ifndef REPRISE_REPLAY_ENGINES_FAST_CONTROL_WORDS_H
#define REPRISE_REPLAY_ENGINES_FAST_CONTROL_WORDS_H

#include "replay/engines/fast/fast.h"

struct fast_signal {
    uint64_t release; /* the first cycle in which the barrier has it */
    uint8_t kind;     /* enum stall */
    uint8_t level;    /* enum response_level, of memory whose response is known */
    uint32_t record;  /* of the instruction that sends it; while there is one, release is UNKNOWN */
};

struct fast_barrier_signals {
    struct fast_signal *items; /* at least those that are outstanding */
    uint32_t count, capacity;
    uint64_t latest; /* release */
};

/* An instruction whose signal has no known cycle: its own end is not known, or the end of an earlier one with a result
 * of the same unit and kind. */
struct fast_record {
    uint64_t done;     /* UNKNOWN, or its end as a scoreboard entry */
    uint64_t returned; /* the last result before its own, as far as it is known; a scoreboard entry */
    uint32_t number;
    uint8_t unit, producer,
        barrier; /* producer: without level; barrier: at least RP_CONTROL_BARRIERS without a signal */
    bool writes; /* it has a result */
};

struct fast_signals {
    struct fast_barrier_signals barrier[RP_CONTROL_BARRIERS];
    uint64_t returned[MACHINE_UNITS][PRODUCERS]; /* the last result of a unit and kind, as a scoreboard entry */
    struct fast_record *records;                 /* in the order of issue */
    uint32_t record_count, record_capacity, numbers;
};

/* The cycle from which the barriers that the warp's next instruction waits for allow it to issue; any cycle up to `now`
 * if they do already. */
uint64_t fast_awaited(const struct fast_sm *, const struct fast_warp *);
/* The stall reason if these barriers held the instruction back until now, else STALL_COUNT. *level: the level of the
 * response, if it was memory. */
enum stall fast_awaited_reason(const struct fast_sm *, const struct fast_warp *, enum response_level *level);
/* Carries out the control word of the issuing instruction. done: UNKNOWN for the access sm->token. */
bool fast_apply_control_word(struct fast_sm *, struct fast_subcore *, struct fast_warp *, uint64_t dispatched,
                             uint64_t done, struct rp_error *);

/* The end of the instruction of this record is known, as a scoreboard entry. */
void fast_resolve(struct fast_warp *, uint32_t record, uint64_t entry);

/* Empties the lists, for another warp; their memory is kept. */
void fast_signals_clear(struct fast_signals *);
void fast_signals_free(struct fast_signals *);

#endif
