/* The pipeline `staged`: an instruction moves through stages, cycle by cycle (fetch, issue latch, operand collector,
 * unit, write-back), and memory through caches, a crossbar and DRAM banks that are stepped as well (docs/accelsim.md).
 */
#ifndef REPRISE_REPLAY_ENGINES_STAGED_OPTIONS_H
#define REPRISE_REPLAY_ENGINES_STAGED_OPTIONS_H

#include "hw-models/model.h"

extern const struct model pipeline_staged;

/* Options of `staged`: X(id, key, unit, least, most, initial, help). */
#define STAGED_OPTIONS(X)                                                                                              \
    X(LAUNCH_LATENCY, "launch_latency", "cycles", 0, 1000000, 0, "from the begin of a launch to its first block")      \
    X(BLOCK_RATE, "block_rate", "blocks", 0, 64, 1,                                                                    \
      "that an SM gets in a cycle; 0: as many as fit, before the next SM")                                             \
    X(FETCHES, "fetches", "warps", 0, 64, 4, "for which an SM fetches in a cycle; 0: all, at once")                    \
    X(BUFFER, "buffer", "instructions", 1, 8, 2, "of a warp that are fetched together, when none is left")             \
    X(COLLECTORS, "collectors", "", 0, 16, 2, "operand collectors of a sub-core; 0: registers are read in no time")    \
    X(REGISTER_BANKS, "register_banks", "banks", 0, 16, 2, "of a sub-core's register file; 0: no conflicts")           \
    X(REGISTER_STEPS, "register_steps", "", 1, 8, 2, "reads of a register bank in a cycle")                            \
    X(REUSE_CACHE, "reuse_cache", "", 0, 1, 0,                                                                         \
      "1: what machine code marks .reuse is kept for the warp's next instruction, which reads it from no bank")        \
    X(RESULT_BUSES, "result_buses", "results", 0, 64, 8, "that units of an SM may end with in a cycle; 0: any number") \
    X(SHARED_LATENCY, "shared_latency", "cycles", 1, 1000, 30, "stages of a load from shared memory")                  \
    X(REPLIES, "replies", "packets", 1, 65536, 2, "between an SM and its load/store unit")                             \
    X(EJECTION, "ejection", "packets", 1, 65536, 32, "that an SM takes from the crossbar ahead")                       \
    X(CROSSBAR_BUFFER, "crossbar_buffer", "packets", 1, 65536, 512, "of each port, in and out")                        \
    X(COPY_BITS, "copy_bits", "bits", 1, 64, 64,                                                                       \
      "of addresses of the host's copies that reach L2; Accel-Sim keeps 32 (a defect)")

/* Switches for behaviour of Accel-Sim that hardware does not have: X(id, key, help). */
#define STAGED_DEFECTS(X)                                                                                              \
    X(FIRST_REGISTER, "defects.first_register",                                                                        \
      "the scoreboard knows four sources and one destination, general registers, the first of several")                \
    X(LOWEST_COLLECTOR, "defects.lowest_collector",                                                                    \
      "of collectors that are ready for a unit the lowest goes, not that with the oldest instruction")                 \
    X(STUCK_KIND, "defects.stuck_kind",                                                                                \
      "where the oldest instruction for a unit finds no collector, those of other sub-cores wait, too")                \
    X(LONG_MARKS, "defects.long_marks",                                                                                \
      "a register that a load wrote counts as waiting for memory until an instruction of a unit writes it")            \
    X(ONE_BARRIER, "defects.one_barrier", "every barrier is that of the whole block")                                  \
    X(FENCES, "defects.fences",                                                                                        \
      "a fence of any scope waits for registers only, and empties L1; else beyond the block it waits for stores")

enum {
#define X(id, ...) STAGED_##id,
    STAGED_OPTIONS(X) STAGED_DEFECTS(X)
#undef X
        STAGED_OPTION_COUNT
};

#endif
