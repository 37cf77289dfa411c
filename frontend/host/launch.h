/* Launches: each runs one kernel on a device and records it if asked.
 *
 * A launch is begun, driven until it is done, and ended. Several may be open at once, of one device or several, and may
 * be driven in turns, so that blocks of one may wait for what another stores. A launch whose blocks do not depend on
 * their order is done after one drive: no other launch comes in between, and its blocks run on several threads.
 *
 * The trace has launches in the order in which they were begun; result and trace depend on the order of calls, never on
 * the number of threads. */
#ifndef REPRISE_FRONTEND_HOST_LAUNCH_H
#define REPRISE_FRONTEND_HOST_LAUNCH_H

#include <stdio.h>

#include "frontend/core/fault.h"
#include "frontend/host/device.h"
#include "tracefmt/writer.h"

struct overruns;
struct rp_check;

#define RP_WORKSPACE_BYTES 16

struct rp_launch_config {
    uint32_t grid[3], block[3];
    /* Blocks of a cluster in each dimension, which divide the grid's; 0, 0, 0: what the kernel requires
     * (.reqnctapercluster), or a block alone. */
    uint32_t cluster[3];
    uint32_t dynamic_shared;
    uint32_t stream;       /* in the trace; 0: the default stream */
    const void *params;    /* the parameter block, program->parameter_bytes long; copied */
    unsigned threads;      /* host threads, 0: one per CPU. Result and trace do not depend on it */
    uint64_t limit;        /* warp instructions a single warp may execute before it counts as endless, 0: default */
    uint32_t stack_bytes;  /* local memory per thread, 0: what the kernel needs, 16 KiB with recursion */
    uint32_t shared_limit; /* shared memory that a block may have, 0: 48 KiB, what every device gives */
    /* Device memory of RP_WORKSPACE_BYTES, zeroed by the caller, for the barrier across the grid of a cooperative
     * launch, all of whose blocks run side by side; 0: the launch is none. */
    uint64_t workspace;
    const struct overruns
        *overruns;            /* as on a device a little more is there than was asked for (overrun.h); NULL: not */
    struct rp_writer *writer; /* NULL: run only */
    struct rp_check *check;   /* NULL: bounds and alignment only (frontend/check/check.h); the launches of one end one
                                 after the other */
    void (*progress)(void *, uint64_t blocks_done, uint64_t blocks, uint64_t warp_instructions);
    void *progress_data;
    const _Atomic bool *interrupted; /* set by another thread: the launch ends with a fault; NULL: never */
    FILE *output;                    /* where the kernel prints to; NULL: stdout */
};

struct rp_launch_result {
    uint64_t warp_instructions, thread_instructions;
    enum rp_fault_kind fault; /* with a fault, ending fails with status RP_KERNEL, and the text is the report */
    uint32_t fault_block[3], fault_thread[3];
    uint64_t fault_address;
    uint32_t fault_instruction;
};

struct rp_running; /* a launch that is open */

/* Checks the configuration and adds the kernel (once) and the launch to the writer. NULL: err says why. */
struct rp_running *rp_launch_begin(struct rp_device *, struct program *, const struct rp_launch_config *,
                                   struct rp_error *);

enum rp_launch_state {
    RP_LAUNCH_RUNS,  /* there is more to do */
    RP_LAUNCH_WAITS, /* its blocks repeat the same steps and will for ever, unless somebody else changes memory */
    RP_LAUNCH_DONE,  /* nothing is left to do: it is complete, or it failed */
};
/* Runs some of the launch. */
enum rp_launch_state rp_launch_drive(struct rp_running *);

/* Drives the launch until it is done, ends its entry in the trace and frees it, in every case. That it waits is a fault
 * now: livelock. False: err says why, and result is filled as far as the launch came. */
bool rp_launch_end(struct rp_running *, struct rp_launch_result *, struct rp_error *);

/* Begins and ends a launch. */
bool rp_launch_kernel(struct rp_device *, struct program *, const struct rp_launch_config *, struct rp_launch_result *,
                      struct rp_error *);

#endif
