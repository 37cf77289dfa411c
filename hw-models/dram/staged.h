/* The options of Accel-Sim's stepped device memory. They have identifiers for code that makes machines of Accel-Sim's
 * configurations. */
#ifndef REPRISE_HW_MODELS_DRAM_STAGED_H
#define REPRISE_HW_MODELS_DRAM_STAGED_H

/* X(id, key, unit, least, most, initial, help). The values of a GDDR6 chip in Accel-Sim's RTX 2060. */
#define STAGED_DRAM_OPTIONS(X)                                                                                         \
    X(LATENCY, "latency", "cycles", 0, 100000, 96, "of the core, from L2 to a channel's scheduler")                    \
    X(QUEUE, "queue", "requests", 1, 65536, 64, "among which a channel's scheduler chooses")                           \
    X(RETURNS, "returns", "requests", 1, 65536, 192, "from a channel back to L2")                                      \
    X(BANKS, "banks", "banks", 16, 16, 16, "of a channel")                                                             \
    X(GROUPS, "groups", "groups", 1, 16, 4, "of banks")                                                                \
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
    X(T_RTPL, "t_rtpl", "DRAM cycles", 0, 10000, 4, "from a read to the closing of a row of its group")

enum {
    STAGED_DRAM_CLOCK,     /* OPTION_FRACTION */
    STAGED_DRAM_SCHEDULER, /* OPTION_CHOICE: 0 fr-fcfs, 1 fcfs */
#define X(id, ...) STAGED_DRAM_##id,
    STAGED_DRAM_OPTIONS(X)
#undef X
};

#endif
