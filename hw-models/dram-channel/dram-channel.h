/* A channel of device memory: banks with open rows, first-ready first-come-first-served (Rixner et al., "Memory Access
 * Scheduling", ISCA 2000) or plain first-come-first-served, the usual timing parameters, no refresh. Stepped in cycles
 * of its own clock. Rules: docs/accelsim.md; Accel-Sim's dram.cc was read for them. */
#ifndef REPRISE_HW_MODELS_DRAM_CHANNEL_H
#define REPRISE_HW_MODELS_DRAM_CHANNEL_H

#include <stdbool.h>
#include <stdint.h>

#include "hw-models/dram/counters.h"

struct dram_timing {
    uint32_t banks, groups, queue, returns; /* at most 64 banks; requests to choose among; answers that wait */
    uint32_t ccd, ccdl, rrd, rcd, ras, rp, rc, cl, wl, cdlr, wr, burst, rtpl;
    bool fcfs; /* requests reach their banks in the order in which they came, each when its bank has none at hand */
};

struct dram_command {
    void *request; /* the caller's */
    uint32_t bank, row, sectors;
    bool write;
};

struct dram_channel;
struct dram_channel *dram_channel_new(const struct dram_timing *);
void dram_channel_free(struct dram_channel *);
bool dram_channel_full(const struct dram_channel *);
/* When it is not full; looked at from the next cycle on. False: out of memory. */
bool dram_channel_push(struct dram_channel *, const struct dram_command *);
/* The oldest answered read that waits, NULL: none. */
void *dram_channel_answer(const struct dram_channel *);
void dram_channel_take(struct dram_channel *); /* takes it */
/* What it has counted, [DRAM_COMMANDS]; may be set to 0. */
uint64_t *dram_channel_counts(struct dram_channel *);
/* A cycle of its clock, later than those before; cycles in which nothing can happen may be left out. A write that has
 * ended in it is returned. */
void *dram_channel_cycle(struct dram_channel *, uint64_t now);
/* The first cycle after the last one in which something may happen if nothing is pushed or taken; UINT64_MAX: none. */
uint64_t dram_channel_next(const struct dram_channel *);

#endif
