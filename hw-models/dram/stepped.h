/* Device memory that is stepped: the second interface of a DRAM model (`stepped` of struct dram_model), for engines
 * that simulate the hierarchy cycle by cycle.
 *
 * offer() and advance() of dram.h say when a request is done as soon as that is known, and assume that the requester
 * takes its data then. A stepped channel cannot: its responses wait in a queue with a limit until the engine takes
 * them. While the queue is full, the data bus stands still, and so do the banks behind it. So the cycle of a response
 * depends on what the engine does later. The channel has a clock of its own: no time here is in cycles of the core.
 */
#ifndef REPRISE_HW_MODELS_DRAM_STEPPED_H
#define REPRISE_HW_MODELS_DRAM_STEPPED_H

#include <stdbool.h>
#include <stdint.h>

struct dram_command {
    void *request;    /* the engine's; the channel never dereferences it */
    uint64_t address; /* within the channel */
    uint32_t sectors;
    bool write;
};

/* One channel. A request reaches it ahead() cycles of the core (dram.h) after it left L2. */
struct stepped_dram {
    int64_t (*clock)(const int64_t *options); /* MHz, an OPTION_FRACTION (hw-models/model.h) */
    /* Requests that may be at a channel: those that wait for it, and those whose responses wait. */
    uint64_t (*holds)(const int64_t *options);
    void *(*open)(const int64_t *options); /* NULL: out of memory */
    void (*close)(void *channel);          /* NULL: does nothing */
    bool (*full)(const void *channel);
    /* Only when it is not full. The channel looks at the request from the next cycle on. False: out of memory. */
    bool (*push)(void *channel, const struct dram_command *);
    /* The oldest read that is done and waits; NULL: none. */
    void *(*response)(const void *channel);
    void (*take)(void *channel); /* takes it */
    /* Steps one cycle of its clock, later than those before; cycles in which nothing can happen may be left out.
     * Returns a write that is done in it, or NULL. */
    void *(*cycle)(void *channel, uint64_t now);
    /* The first cycle after the last one in which something may happen if nothing is pushed or taken; UINT64_MAX:
     * none. */
    uint64_t (*next)(const void *channel);
};

#endif
