/* Statistics: one table names, explains and prints them all.
 *
 * Those of the memory system's components are in replay/base/memory_counts.h, those of cores in
 * replay/base/core_counts.h. A machine has the statistics of its kind only.
 *
 * All are sums of integers over a launch, so that totals over launches are sums, too. Ratios are computed when they are
 * printed. docs/statistics.md comes from this table.
 *
 * Every sub-core cycle of a launch is exactly one of: issue (an instruction issued), a stall, or idle (no resident
 * warp). A stall is a run of cycles without issue while warps are resident. It ends when a warp issues. All of its
 * cycles are charged to the condition that this warp waited for in the last of them: the one that was met last. A stall
 * that ends because the last resident block ends is "drain".
 */
#ifndef REPRISE_REPLAY_BASE_STATISTICS_H
#define REPRISE_REPLAY_BASE_STATISTICS_H

#include <stdint.h>

#include "replay/base/core_counts.h"
#include "replay/base/machine.h"
#include "replay/base/memory_counts.h"

/* Order is precedence: of several conditions that kept a warp waiting, the first counts. */
#define STALLS(X)                                                                                                      \
    X(DISPATCH, "dispatch", "its block was not there yet, or still in its dispatch latency")                           \
    X(BARRIER, "barrier", "it was at a barrier")                                                                       \
    X(FETCH, "fetch", "its instruction had not come from the instruction cache yet")                                   \
    X(FENCE, "fence", "it was at a fence and its memory operations were not complete")                                 \
    X(ASYNC, "async", "it waited for a phase of a barrier object, or for groups of asynchronous work")                 \
    X(CONTROL, "control", "it had issued a control instruction less than control_interval cycles before")              \
    X(CONTROL_WORD, "control-word", "the stall count of its last instruction's control word had not run down")         \
    X(MEMORY, "memory", "a register was pending on a load or atomic outside shared memory")                            \
    X(SHARED, "shared", "a register was pending on shared memory")                                                     \
    X(SCOREBOARD, "scoreboard", "a register was pending on an instruction that is no memory access")                   \
    X(OPERANDS, "operands", "a register was still to be read by an earlier instruction (control words only)")          \
    X(BANKS, "register-banks",                                                                                         \
      "instructions before it at its unit were in all operand collectors and still read registers (staged only)")      \
    X(COLLECTOR, "collector",                                                                                          \
      "the instruction before it at its unit waited for an operand collector for another reason (staged only)")        \
    X(RESULT_BUS, "result-bus",                                                                                        \
      "its unit waited for a result bus, or for a cycle in which it ends alone (staged only)")                         \
    X(UNIT, "unit", "its unit was busy, or took no more")                                                              \
    X(SCHEDULER, "scheduler", "it was ready, but the scheduler held the sub-core for another warp")                    \
    X(DRAIN, "drain", "all warps had ended and waited for the end of their block")

enum stall {
#define X(id, name, help) STALL_##id,
    STALLS(X)
#undef X
        STALL_COUNT
};

/* X(field, name, unit, definition). */
#define STATISTICS(X)                                                                                                  \
    X(cycles, "cycles", "cycles",                                                                                      \
      "from the launch's first cycle to the end of its last block: the last result is written in the cycle before")    \
    X(blocks, "blocks", "blocks", "blocks replayed")                                                                   \
    X(warps, "warps", "warps", "warps replayed")                                                                       \
    X(warp_instructions, "warp_instructions", "instructions",                                                          \
      "instructions executed by warps, as in the trace, exits that take no issue slot included")                       \
    X(thread_instructions, "thread_instructions", "instructions",                                                      \
      "the same for threads: lanes whose guard was true, summed over warp instructions")                               \
    X(issue_cycles, "issue.issued", "sub-core cycles", "sub-core cycles in which an instruction issued")               \
    X(dual_issues, "issue.dual", "instructions",                                                                       \
      "instructions that issued in the same cycle as the one before them in their warp")                               \
    X(idle_cycles, "issue.idle", "sub-core cycles", "sub-core cycles without a resident warp")                         \
    X(shared_load_transactions, "shared.load_transactions", "transactions", "of loads from shared memory")             \
    X(shared_store_transactions, "shared.store_transactions", "transactions", "of stores to shared memory")            \
    X(shared_atomic_transactions, "shared.atomic_transactions", "transactions",                                        \
      "of atomics and reductions on shared memory")                                                                    \
    X(shared_conflicts, "shared.conflicts", "transactions", "transactions that bank conflicts added")                  \
    X(global_load_transactions, "global.load_transactions", "transactions",                                            \
      "of loads and prefetches from global and local memory, after coalescing")                                        \
    X(global_store_transactions, "global.store_transactions", "transactions",                                          \
      "of stores to global and local memory, after coalescing")                                                        \
    X(global_atomic_transactions, "global.atomic_transactions", "transactions",                                        \
      "of atomics and reductions on global memory, after coalescing")                                                  \
    X(sampled_l1, "drawn.l1_accesses", "accesses",                                                                     \
      "with L1 as the sampled level, where memory = stochastic (an atomic has two samples)")                           \
    X(sampled_l2, "drawn.l2_accesses", "accesses", "with L2 as the sampled level")                                     \
    X(sampled_dram, "drawn.dram_accesses", "accesses", "with DRAM as the sampled level")                               \
    X(sampled_l1_cycles, "drawn.l1_cycles", "cycles",                                                                  \
      "sampled cost of the accesses whose sampled level is L1, summed")                                                \
    X(sampled_l2_cycles, "drawn.l2_cycles", "cycles",                                                                  \
      "sampled cost of the accesses whose sampled level is L2, summed")                                                \
    X(sampled_dram_cycles, "drawn.dram_cycles", "cycles",                                                              \
      "sampled cost of the accesses whose sampled level is DRAM, summed")                                              \
    X(warp_cycles, "occupancy.warp_cycles", "warp cycles",                                                             \
      "for each warp the cycles from its block's placement to its own last result, summed")                            \
    X(sm_cycles, "occupancy.sm_cycles", "SM cycles", "cycles in which an SM had a resident block, summed over SMs")

struct statistics {
#define X(field, ...) uint64_t field;
    STATISTICS(X)
#undef X
    struct core_counts cores;           /* of machines of kind `cores` */
    struct memory_counts memory;        /* "COMPONENT.FIELD"; of kind `cores`: those of L2 and device memory */
    uint64_t stall[STALL_COUNT];        /* sub-core cycles, "issue.stall.NAME" */
    uint64_t unit_stall[MACHINE_UNITS]; /* the part of stall[STALL_UNIT] of each unit: "issue.stall.unit.NAME" */
    uint64_t unit_busy[MACHINE_UNITS];  /* cycles of initiation, summed over the instances, "units.NAME.busy" */
};

/* A struct statistics is an array of so many counts. */
#define STATISTICS_WORDS (sizeof(struct statistics) / sizeof(uint64_t))

void statistics_add(struct statistics *to, const struct statistics *);

/* Visits the rows of the tables of cores and of the memory system, and the counters of all models of device memory,
 * each name once. */
void statistics_each_count(void (*visit)(void *, const char *name, const char *unit, const char *definition), void *);
/* Visits all integer statistics of the machine in table order, names with dots. */
void statistics_each(const struct machine *, const struct statistics *,
                     void (*visit)(void *, const char *name, uint64_t value), void *);
/* Visits those that belong to the launch alone even if it overlaps others. */
void statistics_each_own(const struct machine *, const struct statistics *,
                         void (*visit)(void *, const char *name, uint64_t value), void *);
/* NULL, or the first statistic in which the two differ, with both values, in static storage of the thread. */
const char *statistics_difference(const struct machine *, const struct statistics *, const struct statistics *);

/* The name behind "issue.stall.": "memory", "unit". */
const char *statistics_stall_name(enum stall);
/* The name of the stall with the most cycles, as behind "issue.stall.": "memory", "unit.lsu", "none". */
#define STALL_NAME 40
const char *statistics_main_stall(const struct machine *, const struct statistics *, char name[STALL_NAME]);

/* The cycles at the machine's clock, in microseconds. */
double statistics_us(const struct machine *, const struct statistics *);
double statistics_ipc(const struct statistics *); /* issued instructions per cycle */
/* Resident warps / warp limit; of kind `cores`: cores that have not ended / cores. 0..1. */
double statistics_occupancy(const struct machine *, const struct statistics *);
/* Of kind `cores`: how many times as long one core would take for the same instructions, each with the time that it
 * took: cycles of cores that executed or waited for memory / cycles. */
double statistics_speed_up(const struct statistics *);

#endif
