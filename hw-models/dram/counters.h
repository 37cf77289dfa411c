/* What models of device memory count alike: rows of their counters (hw-models/model.h). A model has the first ones, as
 * far as it knows them, and behind them its own. The counts are those of one channel. */
#ifndef REPRISE_HW_MODELS_DRAM_COUNTERS_H
#define REPRISE_HW_MODELS_DRAM_COUNTERS_H

enum {
    DRAM_READS, /* DRAM_READS + write: for a request */
    DRAM_WRITES,
    DRAM_TRANSFERS, /* how many rows DRAM_TRANSFER_ROWS has */
    DRAM_ACTIVATES = DRAM_TRANSFERS,
    DRAM_PRECHARGES,
    DRAM_ROW_HITS,
    DRAM_COMMANDS, /* how many DRAM_COMMAND_ROWS has */
};

#define DRAM_TRANSFER_ROWS                                                                                             \
    [DRAM_READS] = {"reads", "sectors", "sectors read"}, [DRAM_WRITES] = {"writes", "sectors",                         \
                                                                          "sectors written, write-backs included"}
#define DRAM_COMMAND_ROWS                                                                                              \
    DRAM_TRANSFER_ROWS, [DRAM_ACTIVATES] = {"activates", "commands", "rows opened"},                                   \
                        [DRAM_PRECHARGES] = {"precharges", "rows", "rows closed, by a command or by a refresh"},       \
                        [DRAM_ROW_HITS] = {"row_hits", "sectors",                                                      \
                                           "sectors read or written in a row that an earlier sector had opened"}

#endif
