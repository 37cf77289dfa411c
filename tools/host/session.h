/* The internals of a session. */
#ifndef REPRISE_TOOLS_HOST_SESSION_H
#define REPRISE_TOOLS_HOST_SESSION_H

#include "frontend/host/launch.h"
#include "replay/base/statistics.h"
#include "replay/memory/memory_system.h"
#include "tools/host/reprise.h"

/* A range of the program's memory and its copy on the device. Ranges do not overlap. */
struct mirror {
    uint8_t *host;
    size_t bytes;
    uint64_t address;
};

struct reprise {
    struct rp_device *device;
    struct module *module;
    struct rp_launch_config defaults; /* the same for all launches */
    struct rp_writer *writer;         /* of the trace; NULL: none is recorded */
    struct machine *machine;          /* NULL: launches are not timed */
    struct memory_system *caches;     /* of a machine that keeps its caches between launches; else NULL */
    struct mirror *mirrors;
    size_t mirror_count, mirror_capacity;
    const struct program *
        *timed; /* with caches and without writer: the kernels so far, in the order of their first launches */
    uint32_t timed_count;
    uint32_t launches;      /* recorded by `writer` so far */
    struct statistics last; /* of the last launch, with a machine */
    bool dead;              /* a kernel misbehaved */
};

/* ---- memory.c: the program's memory on the device ---------------------------------------------------------------- */

/* The pieces of memory of a launch: by argument, then by pointer within arguments. */
enum { MEMORIES = REPRISE_ARGS + REPRISE_POINTERS };

/* Allocates all memory of the launch on the device, and copies the kernel's inputs there. */
bool memory_send(struct reprise *, const struct reprise_launch *, uint64_t address[MEMORIES], struct rp_error *);
/* Copies the kernel's outputs back; nothing if it fails. */
bool memory_fetch(struct reprise *, const struct reprise_launch *, const uint64_t address[MEMORIES], struct rp_error *);

/* ---- timing.c ---------------------------------------------------------------------------------------------------- */

bool timing_open(struct reprise *, const struct reprise_options *, struct rp_error *);
void timing_close(struct reprise *);
/* Replays launch `launch` of the writer's trace, a launch of this kernel. */
bool timing_replay(struct reprise *, const struct program *, struct rp_writer *, uint32_t launch,
                   struct reprise_result *, struct rp_error *);

#endif
