/* Warp schedulers: which of a sub-core's ready warps issues in this cycle.
 *
 * A sub-core holds up to 64 warps in numbered slots. It calls the scheduler when a warp takes a slot, waits at a
 * barrier, and ends. The scheduler picks one of the ready warps, which it gets as a mask of slots. A warp is ready when
 * it is not at a barrier, its next instruction's registers are free, and the instruction's unit accepts it.
 *
 * A scheduler must be skip-safe: its state changes only when another function is called or when pick() returns a slot.
 * Until then pick() returns the same for the same mask. So an engine need not call it in cycles in which nothing has
 * changed.
 *
 * schedulers.def lists the models. The help of each says what it does.
 */
#ifndef REPRISE_HW_MODELS_SCHEDULER_H
#define REPRISE_HW_MODELS_SCHEDULER_H

#include "hw-models/model.h"

#define SCHEDULER_SLOTS 64

/* Events of L1. Slots are those of the sub-core; lines are given by their number. */
struct scheduler_feedback {
    /* L1 replaced a line that a load or store of the slot's warp had brought in. */
    void (*replaced)(void *state, unsigned slot, uint64_t line);
    /* A load of the slot's warp missed in L1. `now`: the cycle, counting only those in which the SM has warps. */
    void (*missed)(void *state, unsigned slot, uint64_t line, uint64_t now);
    /* The slots whose loads from L1 are held back in this cycle: pick() does not get them. A sub-core that holds back a
     * ready slot calls this again in the next cycle. `ready`: the slots that could issue. */
    uint64_t (*held)(const void *state, uint64_t ready, uint64_t now);
};

struct scheduler_model {
    struct model model;
    bool conserving;  /* work-conserving: some ready warp issues in every cycle, so pick() never returns -1 */
    bool takes_turns; /* warps that stay ready issue in turns, so that warps that are alike advance alike */
    void (*reset)(void *state, const int64_t *options);
    /* A warp takes the slot. Warps start in the order of their age: the first to start is the oldest. */
    void (*start)(void *state, unsigned slot);
    /* The warp in the slot issued a barrier instruction at which it now waits. */
    void (*wait)(void *state, unsigned slot);
    /* The warp has no more instructions. Its slot is empty until the next start. */
    void (*end)(void *state, unsigned slot);
    /* The slot that issues now: a bit of `ready`, which is not 0; or -1 to issue nothing. */
    int (*pick)(void *state, uint64_t ready);
    /* NULL, or: the sub-core has this many slots. Pipelines that call observe() call it once, after reset. */
    void (*limit)(void *state, unsigned slots);
    /* NULL, or: the slots that are empty, or whose warps wait at a barrier, for an atomic, or for a register that a
     * load from global or local memory writes. Some pipelines call it in every cycle before pick(), others never. */
    void (*observe)(void *state, uint64_t waits);
    /* NULL, or receives the events of L1, in pipelines that report them. */
    const struct scheduler_feedback *feedback;
};

/* For schedulers that use ages: which slots are older than which. */
struct scheduler_ages {
    uint64_t present, older[SCHEDULER_SLOTS]; /* older[s]: slots whose warps started before that of s */
};

static inline void scheduler_ages_start(struct scheduler_ages *a, unsigned slot)
{
    a->older[slot] = a->present;
    a->present |= 1ull << slot;
}

static inline void scheduler_ages_end(struct scheduler_ages *a, unsigned slot)
{
    a->present &= ~(1ull << slot);
    for (unsigned s = 0; s < SCHEDULER_SLOTS; s++)
        a->older[s] &= a->present;
}

/* The oldest of the slots in `mask`, which is not 0. */
static inline int scheduler_ages_oldest(const struct scheduler_ages *a, uint64_t mask)
{
    int slot = __builtin_ctzll(mask);
    for (uint64_t older; (older = mask & a->older[slot]);)
        slot = __builtin_ctzll(older);
    return slot;
}

/* The youngest of the slots in `mask`, which is not 0. */
static inline int scheduler_ages_youngest(const struct scheduler_ages *a, uint64_t mask)
{
    int youngest = __builtin_ctzll(mask);
    for (uint64_t rest = mask; rest; rest &= rest - 1) {
        int slot = __builtin_ctzll(rest);
        if (a->older[slot] >> youngest & 1)
            youngest = slot;
    }
    return youngest;
}

#endif
