/* Warp schedulers: which of a sub-core's ready warps issues in this cycle.
 *
 * A sub-core holds up to 64 warps in numbered slots. The scheduler hears when a warp takes a slot, waits at a barrier,
 * and ends; and it is asked to pick among the warps that are ready, given as a mask of slots. A warp is ready when it
 * is not at a barrier, its next instruction's registers are free, and the instruction's unit accepts it.
 *
 * A scheduler must be skip-safe: it changes its state only when told something or when its pick is not -1, and answers
 * the same question the same way until then. So an engine need not ask in cycles in which nothing has changed.
 *
 * Each model says in its help what it does; hw-models/set/models.c lists them.
 */
#ifndef REPRISE_HW_MODELS_SCHEDULER_H
#define REPRISE_HW_MODELS_SCHEDULER_H

#include "hw-models/model.h"

#define SCHEDULER_SLOTS 64

/* What L1 tells a scheduler. Slots are of the scheduler's sub-core, lines by their number. */
struct scheduler_feedback {
    /* L1 replaced a line that a load or store of the slot's warp had brought in. */
    void (*replaced)(void *state, unsigned slot, uint64_t line);
    /* A load of the slot's warp did not find its sector in L1. `now`: the cycle, of those in which the SM has warps. */
    void (*missed)(void *state, unsigned slot, uint64_t line, uint64_t now);
    /* The slots whose loads from L1 are held back in this cycle: those are not offered to pick. A sub-core that holds
     * a ready one back asks again in the next cycle. `ready`: those that could issue. */
    uint64_t (*held)(const void *state, uint64_t ready, uint64_t now);
};

struct scheduler_model {
    struct model model;
    bool conserving; /* work-conserving: some ready warp issues in every cycle, so pick never answers -1 */
    void (*reset)(void *state, const int64_t *options);
    /* A warp takes the slot. Warps start in the order of their age: the first to start is the oldest. */
    void (*start)(void *state, unsigned slot);
    /* The warp in the slot issued a barrier instruction at which it now waits. */
    void (*wait)(void *state, unsigned slot);
    /* The warp has no more instructions. Its slot is empty until the next start. */
    void (*end)(void *state, unsigned slot);
    /* The slot that issues now: a bit of `ready`, which is not 0; or -1 to issue nothing. */
    int (*pick)(void *state, uint64_t ready);
    /* NULL, or: the sub-core has this many slots; told once, after reset. By pipelines that tell who waits. */
    void (*limit)(void *state, unsigned slots);
    /* NULL, or: the slots that are empty, or whose warps wait at a barrier, for an atomic, or for a register that a
     * load from global or local memory writes. Told in every cycle, before the pick, by such pipelines alone. */
    void (*observe)(void *state, uint64_t waits);
    /* NULL, or: it hears of L1. By pipelines that tell it. */
    const struct scheduler_feedback *feedback;
};

#define SCHEDULER(name) extern const struct scheduler_model scheduler_##name;
#include "hw-models/scheduler/schedulers.def"
#undef SCHEDULER

/* For schedulers that go by age: who is older than whom. */
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

#endif
