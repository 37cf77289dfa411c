/* Launches: each runs one kernel on a device and records it if asked.
 *
 * A launch is begun, driven until it is done, and ended. Several launches may be open at once, on one device or
 * several, and may be driven in turns, so that blocks of one may wait for a store of another. A launch whose blocks do
 * not depend on their order is done after one drive: no other launch interleaves with it, and its blocks run on several
 * threads.
 *
 * A kernel may launch kernels, its children (CUDA C++ Programming Guide, "CUDA Dynamic Parallelism"). They are a part
 * of its launch: they run after its blocks, one after another in the order in which they were asked for, each with its
 * own children after it. Tail launches come after all other children. Each is a launch of its own in the trace, in the
 * stream of its parent.
 *
 * The trace has launches in the order in which they began. Result and trace depend on the order of calls, never on the
 * number of threads. */
#ifndef REPRISE_FRONTEND_HOST_LAUNCH_H
#define REPRISE_FRONTEND_HOST_LAUNCH_H

#include <stdio.h>

#include "frontend/core/fault.h"
#include "frontend/host/device.h"
#include "frontend/operation/tensor_sums.h"
#include "tracefmt/writer.h"

struct device_asked;
struct overruns;
struct rp_check;

#define RP_WORKSPACE_BYTES 16

struct rp_launch_config {
    uint32_t grid[3], block[3];
    /* Blocks per cluster in each dimension, which must divide the grid's; 0, 0, 0: what the kernel requires
     * (.reqnctapercluster), or no clusters. */
    uint32_t cluster[3];
    uint32_t dynamic_shared;
    uint32_t device;       /* whose kernel it is (rp_set_owner) */
    uint32_t stream;       /* in the trace; 0: the default stream of the device */
    const void *params;    /* the parameter block, program->parameter_bytes long; copied */
    unsigned threads;      /* host threads; 0: one per CPU. Result and trace do not depend on it */
    uint64_t limit;        /* the most warp instructions of a warp, a guard against endless loops; 0: the default */
    enum tensor_sums sums; /* of matrix instructions */
    uint32_t stack_bytes;  /* local memory per thread; 0: what the kernel needs, 16 KiB with recursion */
    uint32_t shared_limit; /* the most shared memory of a block; 0: 48 KiB, which every device provides */
    /* Device memory of RP_WORKSPACE_BYTES, zeroed by the caller, for the grid barrier of a cooperative launch, whose
     * blocks all run concurrently; 0: not a cooperative launch. */
    uint64_t workspace;
    const struct overruns
        *overruns; /* a little more memory is accessible than was requested, as on a device (overrun.h); NULL: no */
    struct rp_writer *writer; /* NULL: run without recording */
    struct rp_check *check;   /* NULL: check only bounds and alignment (frontend/check/check.h); launches that share
                                 checks end one after another */
    struct rp_check *sample;  /* without checks: what may look at the first block (check_sample_begin); NULL: nothing */
    void (*progress)(void *, uint64_t blocks_done, uint64_t blocks, uint64_t warp_instructions);
    void *progress_data;
    const _Atomic bool *interrupted; /* set by another thread: the launch ends with a fault; NULL: never */
    FILE *output;                    /* where the kernel's printf writes; NULL: stdout */
    /* Says what kernels ask about their device (frontend/core/device_call.h): returns an enum device_error.
     * `kernel`: the one that the question is about, or NULL. NULL: nothing is known. */
    uint32_t (*ask)(const struct device_asked *, struct program *kernel, uint64_t *value);
    /* A launch that is known to leave memory as it is does not run (repeats.h). Of all launches of a device or of none;
     * not with a writer or checks. */
    bool spare_repeats;
};

/* Whether a GPU that has so many registers for a block takes such blocks of the kernel. Those of machine code are
 * known; PTX has an estimate, which fits. RP_USAGE: it does not, as no GPU does that has too few
 * (cudaErrorLaunchOutOfResources). */
bool rp_registers_fit(const struct program *, const uint32_t block[3], uint64_t most, struct rp_error *);

struct rp_launch_result {
    uint64_t warp_instructions, thread_instructions; /* of the launches that it made, too */
    uint64_t children;                               /* the launches that it made, and those that these made */
    bool spared;                                     /* it did not run, because it would have left memory as it is */
    uint64_t nanoseconds;                            /* of a launch that was spared: what it took when it ran */
    enum rp_fault_kind
        fault; /* on a fault, ending the launch fails with status RP_KERNEL, and the error's text is the report */
    struct program *program; /* the kernel that ran; after a failure, the one that failed */
    uint32_t shape[3];       /* threads of its blocks */
    uint32_t fault_block[3], fault_thread[3];
    uint64_t fault_address;
    uint32_t fault_size; /* bytes of a bad access; 0: the fault is no access */
    uint8_t fault_space, fault_access;
    uint32_t fault_instruction;
    struct callers fault_callers;
    struct failed_assertion assertion;
};

/* Sets a finding's place and address to those of the fault that ended a launch, and its kind, if that is SYNC.
 * Its text is the report of the fault. */
struct rp_finding;
void rp_finding_fault(struct rp_finding *, const struct rp_launch_result *);

struct rp_running; /* a launch that is open */

/* Checks the configuration, and adds the kernel (once) and the launch to the writer. NULL: err says why. */
struct rp_running *rp_launch_begin(struct rp_device *, struct program *, const struct rp_launch_config *,
                                   struct rp_error *);

enum rp_launch_state {
    RP_LAUNCH_RUNS,  /* there is more to do */
    RP_LAUNCH_WAITS, /* its blocks repeat the same steps, and will for ever unless somebody else changes memory */
    RP_LAUNCH_DONE,  /* nothing is left to do: it completed or failed */
};
/* Runs a part of the launch. */
enum rp_launch_state rp_launch_drive(struct rp_running *);

/* Of a launch that waits: whether it reads global memory, so that a store of somebody else may end its wait. *memory: a
 * checksum of what it reads; while that stays the same, the launch need not be driven. */
bool rp_launch_listens(const struct rp_running *, uint64_t *memory);

/* Drives the launch until it is done, ends its entry in the trace and frees it, also on failure. A launch that still
 * waits has a fault: livelock. False: err says why; result covers what was executed. */
bool rp_launch_end(struct rp_running *, struct rp_launch_result *, struct rp_error *);

/* Begins and ends a launch. */
bool rp_launch_kernel(struct rp_device *, struct program *, const struct rp_launch_config *, struct rp_launch_result *,
                      struct rp_error *);

#endif
