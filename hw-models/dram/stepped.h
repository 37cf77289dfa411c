/* Device memory that is stepped: the second interface of a DRAM model (`stepped` of struct dram_model), for engines
 * whose hierarchy moves cycle by cycle.
 *
 * offer() and advance() of dram.h say when a request is done as soon as that is known, which is before its data is
 * back; whoever asked is there to take it. A stepped channel cannot know so early: its answers wait in a queue with a
 * bound until the engine takes them, and where that is full the data bus stands still, and so do the banks behind it.
 * Its cycles are those of its own clock, which the engine steps among its other clocks; so no time here is in cycles
 * of the core.
 */
#ifndef REPRISE_HW_MODELS_DRAM_STEPPED_H
#define REPRISE_HW_MODELS_DRAM_STEPPED_H

#include <stdbool.h>
#include <stdint.h>

struct dram_command {
    void *request;    /* the engine's, never looked into */
    uint64_t address; /* within the channel */
    uint32_t sectors;
    bool write;
};

/* One channel. A request reaches it ahead() cycles of the core (dram.h) after it left L2. */
struct stepped_dram {
    int64_t (*clock)(const int64_t *options); /* MHz, a fraction (hw-models/model.h) */
    /* Requests that L2 may have at a channel: that wait for it, or whose answers wait. */
    uint64_t (*holds)(const int64_t *options);
    void *(*open)(const int64_t *options); /* NULL: out of memory */
    void (*close)(void *channel);          /* NULL: nothing */
    bool (*full)(const void *channel);
    /* When it is not full; looked at from the next cycle on. False: out of memory. */
    bool (*push)(void *channel, const struct dram_command *);
    /* The oldest read that is done and waits, NULL: none. */
    void *(*answer)(const void *channel);
    void (*take)(void *channel); /* takes it */
    /* A cycle of its clock, later than those before; cycles in which nothing can happen may be left out. Returns a
     * write that has ended in it, or NULL. */
    void *(*cycle)(void *channel, uint64_t now);
    /* The first cycle after the last one in which something may happen if nothing is pushed or taken; UINT64_MAX:
     * none. */
    uint64_t (*next)(const void *channel);
};

#endif
