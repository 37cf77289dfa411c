/* What models of device memory count alike: rows of their counters (hw-models/model.h). A model has the first ones, as
 * far as it knows them, and behind them its own. The counts are those of one channel. */
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
    DRAM_TRANSFERS = DRAM_WRITES + 1, /* DRAM_READS + write: of a request */
};
#define DRAM_COUNTER_ROW(id, ...) [DRAM_##id] = {__VA_ARGS__},

#endif
