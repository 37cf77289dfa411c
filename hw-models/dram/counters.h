/* Counters that several models of device memory have: rows (hw-models/model.h). A model has the first of them, as many
 * as it can count, and then its own. They count for one channel. */
#ifndef REPRISE_HW_MODELS_DRAM_COUNTERS_H
#define REPRISE_HW_MODELS_DRAM_COUNTERS_H

/* X(id, name, unit, help). */
#define DRAM_TRANSFER_COUNTERS(X)                                                                                      \
    X(READS, "reads", "sectors", "sectors read from device memory")                                                    \
    X(WRITES, "writes", "sectors", "sectors written to device memory, write-backs included")
#define DRAM_COMMAND_COUNTERS(X)                                                                                       \
    DRAM_TRANSFER_COUNTERS(X)                                                                                          \
    X(ACTIVATES, "activates", "commands", "rows of device memory that were opened")                                    \
    X(PRECHARGES, "precharges", "rows", "rows of device memory that were closed, by a command or by a refresh")        \
    X(ROW_HITS, "row_hits", "sectors", "sectors read or written in a row that was opened for an earlier sector")

enum {
#define X(id, ...) DRAM_##id,
    DRAM_COMMAND_COUNTERS(X)
#undef X
        DRAM_COMMANDS,
    DRAM_TRANSFERS = DRAM_WRITES + 1, /* the counter of a request is DRAM_READS + write */
};
#define DRAM_COUNTER_ROW(id, ...) [DRAM_##id] = {__VA_ARGS__},

#endif
