/* The inside of a session. */
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
    struct rp_launch_config defaults; /* what all launches share */
    struct rp_writer *writer;         /* of the trace; NULL: none is wanted */
    struct machine *machine;          /* NULL: no cycles are wanted */
    struct memory_system *caches;     /* of a machine that keeps its caches between launches, else NULL */
    struct mirror *mirrors;
    size_t mirror_count, mirror_capacity;
    const struct program **timed; /* with caches, no writer: the kernels launched so far, by their first launch */
    uint32_t timed_count;
    uint32_t launches;      /* recorded in writer so far */
    struct statistics last; /* of the last launch, with a machine */
    bool dead;              /* a kernel misbehaved */
};

/* ---- memory.c: the program's memory on the device ---------------------------------------------------------------- */

/* What a launch may give memory by: its arguments, then its pointers within them. */
enum { MEMORIES = REPRISE_ARGS + REPRISE_POINTERS };

/* Gives all memory of the launch addresses, and the device what the kernel is to find. */
bool memory_send(struct reprise *, const struct reprise_launch *, uint64_t address[MEMORIES], struct rp_error *);
/* Brings back what the kernel left there, or nothing if it fails. */
bool memory_fetch(struct reprise *, const struct reprise_launch *, const uint64_t address[MEMORIES], struct rp_error *);

/* ---- timing.c ---------------------------------------------------------------------------------------------------- */

bool timing_open(struct reprise *, const struct reprise_options *, struct rp_error *);
void timing_close(struct reprise *);
/* Replays launch `launch` of what the writer holds, which is one of this kernel. */
bool timing_replay(struct reprise *, const struct program *, struct rp_writer *, uint32_t launch,
                   struct reprise_result *, struct rp_error *);

#endif
