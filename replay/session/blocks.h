/* What the files of sampling within a launch share: blocks.c decides and plans, windows.c replays, estimates.c computes
 * what the replays tell.
 */
#ifndef REPRISE_REPLAY_SESSION_BLOCKS_H
#define REPRISE_REPLAY_SESSION_BLOCKS_H

#include "replay/session/interval.h"
#include "replay/session/session.h"

#define FEW_SMS 8u
#define MOST_PART 0.6        /* of the launch, in the lead and all attempts */
#define LEAST_DEVIATION 0.25 /* of the rates of windows, as a part of the error that is allowed */
#define MOST_WINDOWS 60u     /* the same; less than MEMORY_MOST_TOUCHES */

/* A point of a launch: the mean of the placements of a wave's blocks. */
struct point {
    double cycle, before; /* before: warp instructions of the launch's blocks before the block that is placed */
};

/* Blocks that are replayed: first .. end - 1. What is measured is from one wave's placement to another's, which begin
 * with blocks `from` and `to`. */
struct window {
    uint64_t first, end, from, to; /* all are a multiple of a wave apart, as blocks may be placed a wave at a time */
    struct point began, ended;     /* the two waves */
    double rate;                   /* cycles per warp instruction between them */
    double apart;                  /* how far blocks of a wave are apart there; spread_of */
    struct memory_touches touches; /* of the blocks that are passed over behind it */
};

/* The blocks that a replay has placed, in their order. */
struct placements {
    uint64_t count, room;
    uint64_t *cycle;
    uint64_t *before; /* [room + 1]: warp instructions of the blocks before */
};

struct sampling {
    struct worker *worker;
    const struct launch_unit *unit;
    uint32_t launch;
    uint64_t blocks, wave, waves; /* waves: whole ones before the last, which may be smaller */
    uint64_t measured;            /* waves of a window */
    unsigned least_windows;       /* of an attempt, besides the lead */
    double period;                /* of the refresh, in cycles; 0: there is none */
    uint64_t phases;              /* of the period, in which waves begin; 0: there is none */
    uint64_t walk, new_pages;     /* cycles of a walk of page tables; waves that come to a new page */
    double wave_cycles;           /* in the lead */
    double together;              /* the rate of the lead in which blocks had not come apart; 0: they had */
    double error, confidence;
    struct window window[MOST_WINDOWS + 1]; /* the first is the lead */
    unsigned windows, now;                  /* besides the lead; the one whose blocks are placed now */
    uint64_t first;                         /* its first block, as a placement */
    struct placements placed;
    struct replay_launch lead, all; /* what the replay of the lead alone, and that of all windows, counted */
    double lead_instructions;
    uint64_t replayed;          /* warp instructions, in all replays of some of the blocks */
    bool stable, whole, failed; /* whole: the replay of the lead is that of the launch */
    struct rp_error *err;
};

static inline const struct session *session_of(const struct sampling *s) { return s->worker->session; }
static inline bool has_few_sms(const struct sampling *s) { return session_of(s)->machine->sms <= FEW_SMS; }
static inline double instructions_before(const struct sampling *s, uint64_t block)
{
    return rp_trace_instructions_before(session_of(s)->trace, s->launch, block);
}

/* ---- windows.c --------------------------------------------------------------------------------------------------- */

/* How long windows are: at least so many waves, and with a period about a whole number of them. */
void sampling_set_measured(struct sampling *, double waves);
/* Whether so many windows, besides what was replayed, are at most this part of the launch. Sets them. `replayed`: warp
 * instructions. */
bool sampling_set_windows(struct sampling *, unsigned windows, double replayed, double part);
/* Replays the lead, up to where waves are stable, or the whole launch where they are not. False: s->err says why. */
bool sampling_run_lead(struct sampling *);
/* Replays all blocks, where what some of them tell does not count. False: s->err says why. */
bool sampling_run_whole(struct sampling *);
/* Replays the windows that are set. False: s->err says why. */
bool sampling_run_windows(struct sampling *);
/* Free what the replays have left. */
void sampling_forget_touches(struct sampling *);
void sampling_forget_placements(struct placements *);

/* ---- estimates.c ------------------------------------------------------------------------------------------------- */

/* The rates of the windows besides the lead. */
struct running sampling_rates(const struct sampling *);
/* Half the width of the interval of their mean. */
double sampling_chance(const struct sampling *, const struct running *rates);
/* The difference between the lead and the windows that chance does not explain; 0: there is none. */
double sampling_lead_apart(const struct sampling *, const struct running *rates);
/* Whether the windows show blocks on the way to where they are spread evenly. */
bool sampling_comes_apart(const struct sampling *);
/* By how much the rate may change behind all windows, as a part of it. */
double sampling_unseen_change(const struct sampling *, const struct running *rates);
/* Cycles of the launch; *half: half the width of their interval. */
double sampling_cycles(const struct sampling *, double *half);
/* Whether the interval is as narrow as was asked for. */
bool sampling_is_narrow(const struct sampling *);
/* Fills in the launch's statistics, and how far each may be off. */
void sampling_estimate(const struct sampling *, struct finished *);

#endif
