/* The options of Accel-Sim's stepped caches. They have identifiers for code that makes machines of Accel-Sim's
 * configurations. */
#ifndef REPRISE_HW_MODELS_CACHE_STAGED_H
#define REPRISE_HW_MODELS_CACHE_STAGED_H

#include <stdint.h>

/* X(id, key, unit, least, most, initial, help) */
#define STAGED_CACHE_OPTIONS(X)                                                                                        \
    X(SIZE, "size", "bytes", 128, INT64_C(1) << 32, 32768,                                                             \
      "capacity, of L2 all slices together: in each a multiple of 128 bytes times sets")                               \
    X(SETS, "sets", "sets", 1, 4096, 4, "places that a line may have; L2: 64 in a slice, hashed")                      \
    X(LATENCY, "latency", "cycles", 0, 100000, 32,                                                                     \
      "L1: from the coalescer to the look-up; L2: from the crossbar to it")                                            \
    X(BANKS, "banks", "banks", 1, 16, 1, "each with a queue of its own; neighbouring sectors; L2: 1 in a slice")       \
    X(MERGES, "merges", "requests", 1, 65536, 32, "for a sector that is under way")                                    \
    X(MISSES, "misses", "requests", 2, 65536, 16, "that wait to go on: misses, and writes of L1")                      \
    X(DIRTY, "dirty", "percent", 0, 100, 0, "of lines written before one of them may be replaced")

enum {
#define X(id, ...) STAGED_CACHE_##id,
    STAGED_CACHE_OPTIONS(X)
#undef X
        STAGED_CACHE_REPLACEMENT,
};

#endif
