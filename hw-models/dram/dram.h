/* Device memory: when a request is done. */
#ifndef REPRISE_HW_MODELS_DRAM_H
#define REPRISE_HW_MODELS_DRAM_H

#include "hw-models/model.h"

struct dram_request {
    uint64_t address; /* within the channel */
    uint32_t sectors; /* 1, or the sectors that a line writes back */
    uint32_t name;    /* advance() reports the end of the request under this name */
    bool write;
};

enum dram_status {
    DRAM_DONE,    /* `cycle`: the data reaches the requester, or the write is done */
    DRAM_PENDING, /* advance() will report the end. `cycle`: when to call it next */
    DRAM_FULL     /* not taken. `cycle`: when there is room; DRAM_UNKNOWN: advance() will report it */
};
#define DRAM_UNKNOWN UINT64_MAX

struct dram_done {
    uint32_t name;
    uint64_t cycle; /* of its end: `now` or later */
};
#define DRAM_MOST_DONE 64u

/* Commands of a channel to its banks. A refresh closes all rows, without a DRAM_PRECHARGE. */
enum dram_command_kind { DRAM_ACTIVATE, DRAM_PRECHARGE, DRAM_READ, DRAM_WRITE, DRAM_REFRESH };

/* Receives the commands when they are scheduled, in the order of their core cycles. */
struct dram_listener {
    void (*command)(void *data, enum dram_command_kind, uint32_t bank, uint64_t row, uint64_t cycle);
    void *data;
};

struct stepped_dram;

struct dram_model {
    struct model model;
    void (*reset)(void *state, const int64_t *options);
    /* Sends a request to the channel. Cycles never decrease from call to call; in one cycle advance() comes first. */
    enum dram_status (*offer)(void *state, const struct dram_request *, uint64_t now, uint64_t *cycle);
    /* NULL: offer() never returns DRAM_PENDING. Writes the requests whose end is now known, at most DRAM_MOST_DONE.
     * Sets *room if a request that was refused would now be taken. Returns the cycle of the next call; DRAM_UNKNOWN:
     * none before the next offer(). */
    uint64_t (*advance)(void *state, uint64_t now, struct dram_done *, uint32_t *count, bool *room);
    /* A response that becomes known in cycle c is due in c + ahead() or later. */
    uint64_t (*ahead)(const int64_t *options);
    bool (*may_refuse)(const int64_t *options);
    /* NULL, or the core cycles after which what happens by time alone (a refresh) comes again; 0: nothing does. */
    double (*period)(const int64_t *options);
    /* Every request is done at its arrival + ahead(), whatever else is in flight. */
    bool (*is_fixed)(const int64_t *options);
    /* NULL: the model has no commands, or is stepped. From now on the listener receives them; NULL: nobody does, as
     * after reset(). */
    void (*listen)(void *state, const struct dram_listener *);
    /* NULL, or: the channels are stepped (stepped.h). Engines that step no channels refuse it. The others do
     * not use offer() and advance(). */
    const struct stepped_dram *stepped;
};

extern const struct dram_model dram_ideal, dram_fixed, dram_bandwidth, dram_banked, dram_staged;

#endif
