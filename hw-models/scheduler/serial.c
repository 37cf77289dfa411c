/* One warp after the other, as in PasTiS (Adalbert et al., ERTS 2022, section IV.C): "a warp is simulated until its
 * completion or until it reaches a synchronization barrier, at which point another warp is elected". A warp that stalls
 * keeps the sub-core. The oldest ready warp is elected. */
#include "hw-models/scheduler/scheduler.h"

struct serial {
    struct scheduler_ages ages;
    uint64_t current; /* the elected slot, as a mask; 0: none */
};

static size_t state_size(const int64_t *options)
{
    (void)options;
    return sizeof(struct serial);
}

static void reset(void *state, const int64_t *options)
{
    (void)options;
    *(struct serial *)state = (struct serial){0};
}

static void start(void *state, unsigned slot) { scheduler_ages_start(&((struct serial *)state)->ages, slot); }

static void wait(void *state, unsigned slot) { ((struct serial *)state)->current &= ~(1ull << slot); }

static void end(void *state, unsigned slot)
{
    struct serial *serial = state;
    scheduler_ages_end(&serial->ages, slot);
    serial->current &= ~(1ull << slot);
}

static int pick(void *state, uint64_t ready)
{
    struct serial *serial = state;
    if (serial->current)
        return ready & serial->current ? __builtin_ctzll(serial->current) : -1;
    int slot = scheduler_ages_oldest(&serial->ages, ready);
    serial->current = 1ull << slot;
    return slot;
}

const struct scheduler_model scheduler_serial = {
    .model = {.name = "serial",
              .help = "a warp runs until it ends or waits at a barrier (PasTiS)",
              .state_size = state_size},
    .reset = reset,
    .start = start,
    .wait = wait,
    .end = end,
    .pick = pick,
};
