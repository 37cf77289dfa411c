/* Every fetch hits: assumption 4 of ECRTS 2025, and the setting of GPGPU-Sim's tested configurations
 * (-gpgpu_perfect_inst_const_cache 1). */
#include "hw-models/instruction-cache/instruction-cache.h"

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

static void fetch(void *state, unsigned subcore, uint64_t address, uint64_t cycle,
                  struct instruction_cache_reply *reply)
{
    (void)state;
    (void)subcore;
    (void)address;
    *reply = (struct instruction_cache_reply){true, cycle};
}

const struct instruction_cache_model instruction_cache_perfect = {
    .model = {.name = "perfect", .help = "everything is always at hand", .state_size = state_size},
    .reset = reset,
    .fetch = fetch,
};
