/* A fixed latency, and a fixed interval between the starts of two requests (the bandwidth). */
#include "hw-models/dram/dram.h"

enum { LATENCY, INTERVAL };
static const struct model_option options_of[] = {
    [LATENCY] = {"latency", OPTION_INTEGER, "cycles", 0, 1000000, 200, NULL,
                 "from the start of a request to its answer"},
    [INTERVAL] = {"interval", OPTION_INTEGER, "cycles", 0, 100000, 0, NULL,
                  "between the starts of two requests; 0: no limit to the bandwidth"},
};

struct fixed {
    uint64_t latency, interval, free;
};

static size_t state_size(const int64_t *options)
{
    (void)options;
    return sizeof(struct fixed);
}

static void reset(void *state, const int64_t *options)
{
    *(struct fixed *)state = (struct fixed){(uint64_t)options[LATENCY], (uint64_t)options[INTERVAL], 0};
}

static uint64_t access(void *state, uint64_t address, bool write, uint64_t cycle)
{
    struct fixed *f = state;
    (void)address;
    (void)write;
    if (!f->interval)
        return cycle + f->latency;
    uint64_t start = cycle > f->free ? cycle : f->free;
    f->free = start + f->interval;
    return start + f->latency;
}

const struct dram_model dram_fixed = {
    {.name = "fixed",
     .help = "fixed latency, fixed bandwidth",
     .options = options_of,
     .option_count = MODEL_COUNT_OF(options_of),
     .state_size = state_size},
    reset,
    access,
};
