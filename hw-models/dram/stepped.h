/* Device memory that is stepped: the second interface of a DRAM model (`stepped` of struct dram_model), for engines
 * that simulate the hierarchy cycle by cycle.
 *
 * offer() and advance() of dram.h report the end of a request as soon as it is known, and assume that the requester
 * takes the data then. The responses of a stepped channel wait in a bounded queue until the engine takes them. While
 * the queue is full, the data bus stands still, and so do the banks. So the cycle of a response depends on what the
 * engine does later. The channel has a clock of its own: no time here is in core cycles.
 */
#ifndef REPRISE_HW_MODELS_DRAM_STEPPED_H
#define REPRISE_HW_MODELS_DRAM_STEPPED_H

#include <stdbool.h>
#include <stdint.h>

struct dram_listener; /* dram.h */

struct dram_command {
    void *request;    /* the engine's; the channel never dereferences it */
    uint64_t address; /* within the channel */
    uint32_t sectors;
    bool write;
};

/* One channel. A request reaches it ahead() cycles of the core (dram.h) after it left L2. */
struct stepped_dram {
    int64_t (*clock)(const int64_t *options); /* MHz, an OPTION_FRACTION (hw-models/model.h) */
    /* How many requests a channel can hold: requests that wait, and requests whose responses wait. */
    uint64_t (*holds)(const int64_t *options);
    void *(*open)(const int64_t *options); /* NULL: out of memory */
    void (*close)(void *channel);          /* NULL: does nothing */
    bool (*full)(const void *channel);
    /* Only while not full. The channel considers the request from its next cycle on. False: out of memory. */
    bool (*push)(void *channel, const struct dram_command *);
    /* The oldest read that is done and waits; NULL: none. */
    void *(*response)(const void *channel);
    void (*take)(void *channel); /* removes that read */
    /* Steps cycle `now` of the channel's clock, later than those before. Cycles in which nothing can happen may be left
     * out. Returns the write that is done in this cycle, or NULL. */
    void *(*cycle)(void *channel, uint64_t now);
    /* The first cycle after the last one in which something may happen if nothing is pushed or taken; UINT64_MAX:
     * none. */
    uint64_t (*next)(const void *channel);
    /* NULL: the model has no commands. From now on the listener receives them when they issue, in cycle() and in cycles
     * of the channel's clock; NULL: nobody does, as after open(). */
    void (*listen)(void *channel, const struct dram_listener *);
};

#endif
