/* One transaction for every aligned segment that some lane touches, in the order in which lanes, from the lowest, first
 * touch them. Pascal's unit is the 32-byte sector (CUDA C++ Programming Guide, compute capability 6.x). */
#include "hw-models/coalescer/coalescer.h"

enum { SIZE };
static const struct model_option options_of[] = {
    [SIZE] = {"size", OPTION_INTEGER, "bytes", COALESCER_FINEST, 4096, 32, NULL, "size of a segment, a power of two"},
};

static size_t state_size(const int64_t *options)
{
    (void)options;
    return 0;
}

static const char *check(const int64_t *options)
{
    return options[SIZE] & (options[SIZE] - 1) ? "size must be a power of two" : NULL;
}

static uint64_t period(const int64_t *options) { return (uint64_t)options[SIZE]; }

/* The segments of the access so far. any[segment number % 256]: whether one of them has this remainder; if not, no
 * search is needed. */
struct seen {
    uint64_t *out;
    uint32_t count;
    bool any[256];
};

static inline void see(struct seen *s, uint64_t segment, unsigned shift)
{
    bool *any = &s->any[(uint8_t)(segment >> shift)];
    if (*any)
        for (uint32_t i = s->count; i-- > 0;)
            if (s->out[i] == segment)
                return;
    *any = true;
    s->out[s->count++] = segment;
}

static uint32_t coalesce(const int64_t *options, const struct coalescer_access *access, uint64_t *out)
{
    uint64_t size = (uint64_t)options[SIZE];
    uint64_t width = access->width < COALESCER_WIDEST ? access->width : COALESCER_WIDEST, more = width ? width - 1 : 0;
    unsigned shift = (unsigned)__builtin_ctzll(size);
    struct seen seen = {.out = out};
    for (uint32_t lanes = access->mask; lanes; lanes &= lanes - 1) {
        uint64_t address = access->address[__builtin_ctz(lanes)], first = address & -size;
        see(&seen, first, shift);
        for (uint64_t span = address - first + more, at = size; at <= span; at += size)
            see(&seen, first + at, shift);
    }
    return seen.count;
}

const struct coalescer_model coalescer_segments = {
    .model = {.name = "segments",
              .help = "one transaction per aligned segment that a lane touches",
              .options = options_of,
              .option_count = MODEL_COUNT_OF(options_of),
              .state_size = state_size,
              .check = check},
    .period = period,
    .coalesce = coalesce,
};
