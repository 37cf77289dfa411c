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

static uint32_t add(uint64_t *out, uint32_t count, uint64_t segment)
{
    for (uint32_t i = count; i-- > 0;)
        if (out[i] == segment)
            return count;
    out[count] = segment;
    return count + 1;
}

static uint32_t coalesce(const int64_t *options, const struct coalescer_access *access, uint64_t *out)
{
    uint64_t size = (uint64_t)options[SIZE];
    uint64_t width = access->width < COALESCER_WIDEST ? access->width : COALESCER_WIDEST;
    uint32_t count = 0;
    for (uint32_t lane = 0; lane < COALESCER_LANES; lane++) {
        if (!(access->mask >> lane & 1))
            continue;
        uint64_t first = access->address[lane] & -size;
        uint64_t span = access->address[lane] - first + (width ? width : 1);
        for (uint64_t at = 0; at < span; at += size)
            count = add(out, count, first + at);
    }
    return count;
}

const struct coalescer_model coalescer_segments = {{.name = "segments",
                                                    .help = "one transaction per aligned segment that a lane touches",
                                                    .options = options_of,
                                                    .option_count = MODEL_COUNT_OF(options_of),
                                                    .state_size = state_size,
                                                    .check = check},
                                                   period,
                                                   coalesce};
