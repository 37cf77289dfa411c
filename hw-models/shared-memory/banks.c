/* Shared memory with 32 banks of 4-byte words, as the CUDA C++ Programming Guide describes it for compute capability
 * 5.0 and later: a pass serves one word of each bank, to all lanes that access the word. An access of up to 32 bits is
 * one part for the whole warp. One of 64 bits has a part for each half of the warp, one of 128 bits for each quarter;
 * parts without lanes do not count.
 *
 *     transactions = sum over parts of (the most different words that the part accesses in one bank)
 *     duration     = latency + conflict * (transactions - 1)
 *     occupancy    = the greater of interval * transactions and least
 *
 * least: micro-benchmarks of an RTX 5000 Ada (Aadityahv/throwaway-repo-one, GitHub, 2026) find max(2, transactions)
 * cycles, where an A100's and an H100's are the transactions.
 */
#include "hw-models/shared-memory/conflicts.h"

enum { LATENCY, CONFLICT, INTERVAL, LEAST };
static const struct model_option options_of[] = {
    [LATENCY] = {"latency", OPTION_INTEGER, "cycles", 0, 10000, 24, NULL, "of an access that is one pass"},
    [CONFLICT] = {"conflict", OPTION_INTEGER, "cycles", 0, 64, 1, NULL, "by which each further pass is later"},
    [INTERVAL] = {"interval", OPTION_INTEGER, "cycles", 0, 64, 1, NULL,
                  "time for which a pass occupies the SM's shared memory"},
    [LEAST] = {"least", OPTION_INTEGER, "cycles", 0, 64, 0, NULL,
               "time for which an access occupies it at least, however few its passes"},
};

static size_t state_size(const int64_t *options)
{
    (void)options;
    return 0;
}

static void cost(const int64_t *options, const struct shared_memory_access *access, struct shared_memory_cost *out)
{
    uint32_t parts = access->width <= 4 ? 1 : access->width <= 8 ? 2 : 4, lanes = SHARED_MEMORY_LANES / parts;
    uint32_t passes = 0, least = 0;
    for (uint32_t part = 0; part < parts; part++) {
        uint32_t words = shared_memory_words(access, part * lanes, lanes);
        passes += words;
        least += words > 0;
    }
    out->transactions = passes;
    out->conflicts = passes - least;
    out->duration = (uint32_t)options[LATENCY] + (passes - 1) * (uint32_t)options[CONFLICT];
    out->occupancy = passes * (uint32_t)options[INTERVAL];
    if (out->occupancy < (uint32_t)options[LEAST])
        out->occupancy = (uint32_t)options[LEAST];
}

const struct shared_memory_model shared_memory_banks = {
    .model = {.name = "banks",
              .help = "32 banks, a word of each in a pass; 64- and 128-bit accesses by halves and quarters of a warp",
              .options = options_of,
              .option_count = MODEL_COUNT_OF(options_of),
              .state_size = state_size},
    .period = SHARED_MEMORY_BANKS * SHARED_MEMORY_WORD,
    .cost = cost,
};
