/* Accesses beyond the requested size, but within what a device provides: it allocates device memory in units of 512
 * bytes, shared memory of 256 and parameters of 4 (CUDA occupancy calculator; observed). If a grid has `overruns`,
 * these accesses are made and reported once per instruction of a program; otherwise they are faults. */
#ifndef REPRISE_FRONTEND_CORE_OVERRUN_H
#define REPRISE_FRONTEND_CORE_OVERRUN_H

#include "frontend/core/engine.h"

#define DEVICE_GRANULE 512u
#define SHARED_GRANULE 256u
#define PARAMETER_GRANULE 4u

struct overruns {
    void (*report)(void *data, const char *text); /* receives the report, one line; NULL: reports are not wanted */
    void *data;
};

/* How to treat an access that is out of bounds. */
enum overrun {
    OVERRUN_FAULT, /* no device has memory there */
    OVERRUN_STOP,  /* the access must not be made: this attempt to run the grid is abandoned, because other threads run
                      blocks at the same time */
    OVERRUN_GO     /* make the access; observers do not see it */
};
enum overrun overrun_shared(struct warp_state *, const struct uop *, unsigned lane, uint64_t at, uint64_t bytes);
enum overrun overrun_parameter(struct warp_state *, const struct uop *, unsigned lane, uint64_t at, uint64_t bytes);
/* *a: the allocation in which the bytes begin, or which they follow. */
enum overrun overrun_global(struct warp_state *, const struct uop *, unsigned lane, uint64_t at, uint64_t bytes,
                            struct allocation **a);

/* The bytes from `size` to the next multiple of `granule`. */
static inline uint32_t granule_rest(uint64_t size, uint32_t granule) { return (uint32_t)(-size % granule); }

#endif
