/* Shared memory with 32 banks of 4-byte words, as the CUDA C++ Programming Guide describes it for compute capability
 * 5.0 and later: a pass serves one word of each bank, to all lanes that access the word. An access of up to 32 bits is
 * one part for the whole warp. One of 64 bits has a part for each half of the warp, one of 128 bits for each quarter;
 * parts without lanes do not count.
 *
 * With pairs = 1 a part has twice as many lanes if each active lane n of the warp has the address of lane n ^ 1, or
 * each that of lane n ^ 2, where that one is active: NVIDIA's G. Smith says so of 64- and 128-bit loads of compute
 * capability 7.0 to 7.5, whose registers come back packed
 * (forums.developer.nvidia.com/t/unexpected-shared-memory-bank-conflict/77228). Stores in which lanes share addresses
 * are rare, and go the same way here.
 *
 *     transactions = sum over parts of (the most different words that the part accesses in one bank)
 *     turns        = for an atomic, the most lanes that have one address, less one; else 0
 *     duration     = latency + conflict * (transactions - 1) + atomic_interval * turns
 *     occupancy    = the greater of interval * transactions and least, + atomic_interval * turns
 *                    + atomic_start if it is an atomic
 *
 * least: micro-benchmarks of an RTX 5000 Ada (Aadityahv/throwaway-repo-one, GitHub, 2026) find max(2, transactions)
 * cycles, where an A100's and an H100's are the transactions.
 *
 * atomic_interval: Jia et al., arXiv:1804.06826, Table 4.2, have one address cost a warp 15, 17, 19, 30, 46, 78 cycles
 * on a P100 where 1, 2, 4, 8, 16, 32 lanes contend for it, 2 for each further lane.
 * atomic_start: the same on a V100 are 6, 7, 11, 18, 24, 66 cycles. With an interval of 2 and a start of 5 they are 6,
 * 8, 12, 20, 36, 68. These are reductions, which return nothing: how much later an atomic's result comes is not
 * published.
 */
#include <stdbool.h>

#include "hw-models/shared-memory/conflicts.h"

enum { LATENCY, CONFLICT, INTERVAL, LEAST, PAIRS, ATOMIC_INTERVAL, ATOMIC_START };
static const struct model_option options_of[] = {
    [LATENCY] = {"latency", OPTION_INTEGER, "cycles", 0, 10000, 24, NULL, "of an access that is one pass"},
    [CONFLICT] = {"conflict", OPTION_INTEGER, "cycles", 0, 64, 1, NULL, "by which each further pass is later"},
    [INTERVAL] = {"interval", OPTION_INTEGER, "cycles", 0, 64, 1, NULL,
                  "time for which a pass occupies the SM's shared memory"},
    [LEAST] = {"least", OPTION_INTEGER, "cycles", 0, 64, 0, NULL,
               "time for which an access occupies it at least, however few its passes"},
    [PAIRS] = {"pairs", OPTION_INTEGER, "", 0, 1, 0, NULL,
               "1: 64- and 128-bit accesses have half as many parts where lanes share addresses in pairs"},
    [ATOMIC_INTERVAL] = {"atomic_interval", OPTION_INTEGER, "cycles", 0, 64, 0, NULL,
                         "time that each further lane of an atomic at one address takes"},
    [ATOMIC_START] = {"atomic_start", OPTION_INTEGER, "cycles", 0, 64, 0, NULL,
                      "time for which an atomic occupies it besides, whatever its lanes"},
};

static size_t state_size(const int64_t *options)
{
    (void)options;
    return 0;
}

/* Whether each active lane has the address of the lane whose number differs in this bit, where that one is active. */
static bool in_pairs(const struct shared_memory_access *a, uint32_t bit)
{
    for (uint32_t lane = 0; lane < SHARED_MEMORY_LANES; lane++) {
        uint32_t other = lane ^ bit;
        if ((a->mask >> lane & 1) && (a->mask >> other & 1) && a->address[lane] != a->address[other])
            return false;
    }
    return true;
}

static uint32_t part_count(const int64_t *options, const struct shared_memory_access *a)
{
    uint32_t parts = a->width <= 4 ? 1 : a->width <= 8 ? 2 : 4;
    return options[PAIRS] && parts > 1 && (in_pairs(a, 1) || in_pairs(a, 2)) ? parts / 2 : parts;
}

static void cost(const int64_t *options, const struct shared_memory_access *access, struct shared_memory_cost *out)
{
    uint32_t parts = part_count(options, access), lanes = SHARED_MEMORY_LANES / parts;
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
    if (!access->atomic)
        return;
    out->occupancy += (uint32_t)options[ATOMIC_START];
    if (!options[ATOMIC_INTERVAL])
        return;
    uint32_t turns = (shared_memory_same(access) - 1) * (uint32_t)options[ATOMIC_INTERVAL];
    out->duration += turns;
    out->occupancy += turns;
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
