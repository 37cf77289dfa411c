/* Accesses beyond what was asked for, but within what a device has there: it gives out device memory by 512 bytes,
 * shared memory by 256 and parameters by 4 (CUDA occupancy calculator; observed). Where a grid has `overruns` they are
 * reported, once for each instruction of a program, and made; else they are faults. */
#ifndef REPRISE_FRONTEND_CORE_OVERRUN_H
#define REPRISE_FRONTEND_CORE_OVERRUN_H

#include "frontend/core/engine.h"

#define DEVICE_GRANULE 512u
#define SHARED_GRANULE 256u
#define PARAMETER_GRANULE 4u

struct overruns {
    void (*tell)(void *data, const char *text); /* the report, one line; NULL: nobody wants to know */
    void *data;
};

/* What an access is to do that does not lie within bounds. */
enum overrun {
    OVERRUN_FAULT, /* no device has memory there */
    OVERRUN_STOP,  /* it must not be made: this run of the grid is given up, as others run blocks at the same time */
    OVERRUN_GO     /* it is made; observers do not hear of it */
};
enum overrun overrun_shared(struct warp_state *, const struct uop *, unsigned lane, uint64_t at, uint64_t bytes);
enum overrun overrun_parameter(struct warp_state *, const struct uop *, unsigned lane, uint64_t at, uint64_t bytes);
/* *a: the allocation that the bytes begin in or behind. */
enum overrun overrun_global(struct warp_state *, const struct uop *, unsigned lane, uint64_t at, uint64_t bytes,
                            struct allocation **a);

/* Bytes behind `size` up to the next multiple of `granule`. */
static inline uint32_t granule_rest(uint64_t size, uint32_t granule) { return (uint32_t)(-size % granule); }

#endif
