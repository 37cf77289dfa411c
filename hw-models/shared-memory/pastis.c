/* Shared memory of a Pascal GPU as PasTiS measured it on a Jetson TX2 (Adalbert et al., ERTS 2022, section III.B).
 *
 * 32 banks of 4-byte words. The lanes of a warp form pools: one of 32 lanes for accesses of up to 32 bits, two of 16
 * for 64 bits, four of 8 for 128 bits. conflict(pool, bank) is the number of different words that lanes of the pool
 * access in the bank, less one (lanes that access the same word share it), and 0 where there is none.
 *
 *     nTrans = sum over pools of (1 + max over banks of conflict)
 *     dur    = 22 + base + 2 * sum over pools of max over banks of conflict,  base = 1, 8, 16 for 32, 64, 128 bits
 *
 * A pool counts for one transaction even when all of its lanes are inactive (Table I, Table II). Accesses of 8 and 16
 * bits, which the paper does not mention, count as 32 bits wide.
 */
#include "hw-models/shared-memory/conflicts.h"

enum { INTERVAL };
static const struct model_option options_of[] = {
    [INTERVAL] = {"interval", OPTION_INTEGER, "cycles", 0, 64, 1, NULL,
                  "time for which a transaction occupies the SM's shared memory"},
};

static size_t state_size(const int64_t *options)
{
    (void)options;
    return 0;
}

/* max over banks of conflict(pool, bank) */
static uint32_t pool_conflicts(const struct shared_memory_access *a, uint32_t first, uint32_t lanes)
{
    uint32_t words = shared_memory_words(a, first, lanes);
    return words ? words - 1 : 0;
}

static void cost(const int64_t *options, const struct shared_memory_access *access, struct shared_memory_cost *out)
{
    uint32_t pools = access->width <= 4 ? 1 : access->width <= 8 ? 2 : 4;
    uint32_t base = pools == 1 ? 1 : pools == 2 ? 8 : 16;
    uint32_t lanes = SHARED_MEMORY_LANES / pools, conflicts = 0;
    for (uint32_t pool = 0; pool < pools; pool++)
        conflicts += pool_conflicts(access, pool * lanes, lanes);
    out->transactions = pools + conflicts;
    out->conflicts = conflicts;
    out->duration = 22 + base + 2 * conflicts;
    out->occupancy = out->transactions * (uint32_t)options[INTERVAL];
}

const struct shared_memory_model shared_memory_pastis = {
    .model = {.name = "pastis",
              .help = "32 banks, pools of 32, 16 or 8 lanes, transactions and duration as measured by PasTiS",
              .options = options_of,
              .option_count = MODEL_COUNT_OF(options_of),
              .state_size = state_size},
    .period = SHARED_MEMORY_BANKS * SHARED_MEMORY_WORD,
    .cost = cost,
};
