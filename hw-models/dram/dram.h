/* Device memory: when a request to it is answered. */
#ifndef REPRISE_HW_MODELS_DRAM_H
#define REPRISE_HW_MODELS_DRAM_H

#include "hw-models/model.h"

struct dram_request {
    uint64_t address; /* within the channel */
    uint32_t sectors; /* 1, or what a line writes back */
    uint32_t name;    /* of a request that is answered later */
    bool write;
};

enum dram_answer {
    DRAM_DONE,    /* `cycle`: its data is back at the requester, or its write is done */
    DRAM_PENDING, /* advance() will say, `cycle`: when to call it next */
    DRAM_FULL     /* not taken. `cycle`: when there is room, DRAM_UNKNOWN: advance() will say */
};
#define DRAM_UNKNOWN UINT64_MAX

struct dram_done {
    uint32_t name;
    uint64_t cycle; /* the one at hand or a later one */
};
#define DRAM_MOST_DONE 64u

/* Commands of a channel to its banks. A refresh closes all rows; that is no precharge of its own. */
enum dram_command_kind { DRAM_ACTIVATE, DRAM_PRECHARGE, DRAM_READ, DRAM_WRITE, DRAM_REFRESH };

/* Gets each command when it is scheduled, in the order of their core cycles. */
struct dram_listener {
    void (*command)(void *data, enum dram_command_kind, uint32_t bank, uint64_t row, uint64_t cycle);
    void *data;
};

struct stepped_dram;

struct dram_model {
    struct model model;
    void (*reset)(void *state, const int64_t *options);
    /* One channel. Cycles never go back from call to call; within a cycle advance() comes first. */
    enum dram_answer (*offer)(void *state, const struct dram_request *, uint64_t now, uint64_t *cycle);
    /* NULL if no answer is ever late. Writes the requests whose end is known now, up to DRAM_MOST_DONE, and sets *room
     * if a request that was refused would be taken now. Returns the next cycle in which to call it, DRAM_UNKNOWN: none
     * before the next offer. */
    uint64_t (*advance)(void *state, uint64_t now, struct dram_done *, uint32_t *count, bool *room);
    /* An answer given in cycle c is for c + ahead() or later. */
    uint64_t (*ahead)(const int64_t *options);
    bool (*may_refuse)(const int64_t *options);
    /* Every request is done at its arrival + ahead(), whatever else there is. */
    bool (*is_fixed)(const int64_t *options);
    /* NULL: the model has no commands. Reports them to the listener from now on; NULL: to nobody, as after reset(). */
    void (*listen)(void *state, const struct dram_listener *);
    /* NULL, or: the channels are stepped (stepped.h). Engines that step no channels refuse it, and offer() and
     * advance() are not used. */
    const struct stepped_dram *stepped;
};

extern const struct dram_model dram_ideal, dram_fixed, dram_bandwidth, dram_banked, dram_staged;

#endif
