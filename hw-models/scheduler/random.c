/* A random ready warp, to search for schedules that no other policy makes. Work-conserving. `greed` is the probability
 * that the warp that issued last goes on if it is ready, so that some schedules have bursts and others interleave
 * warps. The generator is splitmix64 (Steele, Lea, Flood 2014). It advances once for each issue, so cycles without an
 * issue change nothing. */
#include "hw-models/scheduler/scheduler.h"

enum { SEED, GREED };
static const struct model_option options_of[] = {
    [SEED] = {"seed", OPTION_INTEGER, "", 0, INT64_MAX, 1, NULL, "of the generator"},
    [GREED] = {"greed", OPTION_INTEGER, "per cent", 0, 100, 0, NULL,
               "how often the warp that issued last goes on if it is ready"},
};

struct random {
    uint64_t generator, greed, last;
};

static size_t state_size(const int64_t *options)
{
    (void)options;
    return sizeof(struct random);
}

static void reset(void *state, const int64_t *options)
{
    *(struct random *)state = (struct random){(uint64_t)options[SEED], (uint64_t)options[GREED], 0};
}

static void nothing(void *state, unsigned slot)
{
    (void)state;
    (void)slot;
}

static uint64_t next_number(struct random *r)
{
    uint64_t z = r->generator += 0x9e3779b97f4a7c15ull;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9ull;
    z = (z ^ z >> 27) * 0x94d049bb133111ebull;
    return z ^ z >> 31;
}

static int pick(void *state, uint64_t ready)
{
    struct random *r = state;
    uint64_t number = next_number(r);
    if (!(ready & r->last) || number >> 32 >= (r->greed << 32) / 100) {
        uint64_t skip = (number & 0xffffffff) * (uint64_t)__builtin_popcountll(ready) >> 32;
        uint64_t left = ready;
        for (; skip; skip--)
            left &= left - 1;
        r->last = left & -left;
    }
    return __builtin_ctzll(r->last);
}

const struct scheduler_model scheduler_random = {
    .model = {.name = "random",
              .help = "any warp that is ready, sampled from the random stream of a seed",
              .options = options_of,
              .option_count = MODEL_COUNT_OF(options_of),
              .state_size = state_size},
    .conserving = true,
    .reset = reset,
    .start = nothing,
    .wait = nothing,
    .end = nothing,
    .pick = pick,
};
