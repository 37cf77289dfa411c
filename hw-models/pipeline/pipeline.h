/* How an SM carries its instructions out.
 *
 * direct: the timing of an instruction is decided in the cycle in which it issues (docs/timing-model.md).
 * staged: an instruction moves through stages, cycle by cycle - fetch, issue latch, operand collector, unit, write-back
 * - and memory through caches, a crossbar and DRAM banks that are stepped as well (docs/accelsim.md). What happens to
 * it depends on what comes behind it.
 * one-at-a-time: a sub-core executes one instruction to its end before it begins the next (replay/processors).
 */
#ifndef REPRISE_HW_MODELS_PIPELINE_H
#define REPRISE_HW_MODELS_PIPELINE_H

#include "hw-models/model.h"

struct pipeline_model {
    struct model model;
    bool staged, one_at_a_time;
};
extern const struct pipeline_model pipeline_direct, pipeline_staged, pipeline_one_at_a_time;

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
    X(RESULT_BUSES, "result_buses", "results", 0, 64, 8, "that units of an SM may end with in a cycle; 0: any number") \
    X(SHARED_LATENCY, "shared_latency", "cycles", 1, 1000, 30, "stages of a load from shared memory")                  \
    X(L1_LATENCY, "l1_latency", "cycles", 1, 1000, 32, "from the coalescer to the look-up in L1")                      \
    X(L1_BANKS, "l1_banks", "banks", 1, 16, 4, "of L1, each with a queue of its own; neighbouring sectors")            \
    X(L1_SETS, "l1_sets", "sets", 1, 4096, 4, "of L1")                                                                 \
    X(L1_BYTES, "l1_bytes", "bytes", 4096, 1 << 20, 96 << 10, "of L1 and shared memory together")                      \
    X(L1_SHARED_SMALL, "l1_shared_small", "bytes", 0, 1 << 20, 32 << 10,                                               \
      "of shared memory where the resident blocks need no more")                                                       \
    X(L1_SHARED_LARGE, "l1_shared_large", "bytes", 0, 1 << 20, 64 << 10, "of shared memory where they do")             \
    X(L1_MSHRS, "l1_mshrs", "sectors", 1, 65536, 256, "under way to L1")                                               \
    X(L1_MERGES, "l1_merges", "requests", 1, 65536, 32, "for a sector under way to L1")                                \
    X(L1_QUEUE, "l1_queue", "requests", 2, 65536, 16, "between L1 and the crossbar")                                   \
    X(L1_DIRTY, "l1_dirty", "percent", 0, 100, 25, "of lines written before one of them may be replaced")              \
    X(REPLIES, "replies", "packets", 1, 65536, 2, "between an SM and its load/store unit")                             \
    X(EJECTION, "ejection", "packets", 1, 65536, 32, "that an SM takes from the crossbar ahead")                       \
    X(CROSSBAR_BUFFER, "crossbar_buffer", "packets", 1, 65536, 512, "of each port, in and out")                        \
    X(CHANNELS, "channels", "channels", 1, 64, 12, "of device memory")                                                 \
    X(CHANNEL_BYTES, "channel_bytes", "bytes", 256, 65536, 256, "neighbouring ones of a channel, a power of two")      \
    X(CHANNEL_SLICES, "channel_slices", "slices", 1, 2, 2, "of L2 at a channel")                                       \
    X(L2_SETS, "l2_sets", "sets", 64, 64, 64, "of a slice of L2, hashed")                                              \
    X(L2_WAYS, "l2_ways", "ways", 1, 64, 16, "of a slice of L2")                                                       \
    X(L2_MSHRS, "l2_mshrs", "sectors", 1, 65536, 192, "under way to a slice of L2")                                    \
    X(L2_MERGES, "l2_merges", "requests", 1, 65536, 4, "for a sector under way to L2")                                 \
    X(L2_QUEUE, "l2_queue", "requests", 2, 65536, 32, "of misses of a slice")                                          \
    X(L2_LATENCY, "l2_latency", "cycles", 0, 100000, 194, "from the crossbar to the queue of a slice")                 \
    X(SLICE_QUEUES, "slice_queues", "packets", 8, 65536, 64, "in each queue of a slice")                               \
    X(CORE_KHZ, "core_khz", "kHz", 1, 100000000, 1365000, "clock of SMs, crossbar and L2")                             \
    X(DRAM_KHZ, "dram_khz", "kHz", 1, 100000000, 3500500, "clock of device memory")                                    \
    X(DRAM_LATENCY, "dram_latency", "cycles", 0, 100000, 96, "of the core, from L2 to a channel's scheduler")          \
    X(DRAM_QUEUE, "dram_queue", "requests", 1, 65536, 64, "among which a channel's scheduler chooses")                 \
    X(DRAM_RETURNS, "dram_returns", "requests", 1, 65536, 192, "from a channel back to L2")                            \
    X(DRAM_BANKS, "dram_banks", "banks", 16, 16, 16, "of a channel")                                                   \
    X(DRAM_GROUPS, "dram_groups", "groups", 1, 16, 4, "of banks")                                                      \
    X(T_CCD, "t_ccd", "DRAM cycles", 0, 10000, 4, "between two column commands")                                       \
    X(T_CCDL, "t_ccdl", "DRAM cycles", 0, 10000, 6, "the same within a group")                                         \
    X(T_RRD, "t_rrd", "DRAM cycles", 0, 10000, 12, "between the opening of two rows")                                  \
    X(T_RCD, "t_rcd", "DRAM cycles", 0, 10000, 24, "from the opening of a row to its first read")                      \
    X(T_RAS, "t_ras", "DRAM cycles", 0, 10000, 55, "a row stays open at least")                                        \
    X(T_RP, "t_rp", "DRAM cycles", 0, 10000, 24, "to close a row")                                                     \
    X(T_RC, "t_rc", "DRAM cycles", 0, 10000, 78, "between two openings in a bank")                                     \
    X(T_CL, "t_cl", "DRAM cycles", 1, 10000, 24, "from a read to its data")                                            \
    X(T_WL, "t_wl", "DRAM cycles", 1, 10000, 8, "from a write to its data")                                            \
    X(T_CDLR, "t_cdlr", "DRAM cycles", 0, 10000, 10, "from written data to a read")                                    \
    X(T_WR, "t_wr", "DRAM cycles", 0, 10000, 24, "from written data to the closing of the row")                        \
    X(T_BURST, "t_burst", "DRAM cycles", 1, 10000, 4, "that a sector takes of the data bus")                           \
    X(T_RTPL, "t_rtpl", "DRAM cycles", 0, 10000, 4, "from a read to the closing of a row of its group")                \
    X(COPY_BITS, "copy_bits", "bits", 1, 64, 64,                                                                       \
      "of addresses of the host's copies that reach L2; Accel-Sim keeps 32 (a defect)")

/* Switches for what Accel-Sim does and hardware does not: X(id, key, help). */
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
