/* Memory that answers in the cycle in which it is asked. */
#include "hw-models/dram/dram.h"

static size_t state_size(const int64_t *options)
{
    (void)options;
    return 0;
}

static void reset(void *state, const int64_t *options)
{
    (void)state;
    (void)options;
}

static uint64_t access(void *state, uint64_t address, bool write, uint64_t cycle)
{
    (void)state;
    (void)address;
    (void)write;
    return cycle;
}

const struct dram_model dram_ideal = {
    {.name = "ideal", .help = "answers at once", .state_size = state_size}, reset, access};
