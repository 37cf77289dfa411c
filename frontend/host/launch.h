/* Running kernels: a context holds device memory and loaded modules; a launch runs one kernel and records it if asked.
 */
#ifndef REPRISE_FRONTEND_HOST_LAUNCH_H
#define REPRISE_FRONTEND_HOST_LAUNCH_H

#include <stdio.h>

#include "frontend/core/fault.h"
#include "frontend/core/program.h"
#include "tracefmt/error.h"
#include "tracefmt/writer.h"

struct rp_context;

struct rp_context *rp_context_new(struct rp_error *);
void rp_context_free(struct rp_context *);

/* Loads a module (its variables get memory and their initial values). The context owns it. One module per context. */
struct module *rp_context_load(struct rp_context *, const char *path, struct rp_error *);
/* The same with a module that was loaded otherwise; the context owns it, also after a failure. */
bool rp_context_adopt(struct rp_context *, struct module *, struct rp_error *);

/* Device memory: zeroed, 512-byte aligned, with a gap after it that belongs to nobody. The same calls give the same
 * addresses every time. `name` is for reports and the trace. 0 on failure. */
uint64_t rp_alloc(struct rp_context *, uint64_t bytes, const char *name, struct rp_error *);
bool rp_free(struct rp_context *, uint64_t address, struct rp_error *);
/* The host's view of device memory [address, address+bytes), or NULL if that is not inside one allocation. */
void *rp_host(struct rp_context *, uint64_t address, uint64_t bytes);

/* The host's view of a variable of the module, in global or constant memory, while no kernel runs; NULL: there is none
 * of that name. */
void *rp_variable(struct rp_context *, const char *name, uint64_t *bytes);

struct rp_launch_config {
    uint32_t grid[3], block[3];
    uint32_t dynamic_shared;
    const void *params;       /* the parameter block, program->parameter_bytes long */
    unsigned threads;         /* host threads, 0: one per CPU. Result and trace do not depend on it */
    uint64_t limit;           /* warp instructions a single warp may execute before it counts as endless, 0: default */
    uint32_t stack_bytes;     /* local memory per thread, 0: what the kernel needs, 16 KiB with recursion */
    uint32_t shared_limit;    /* shared memory that a block may have, 0: 48 KiB, what every device gives */
    struct rp_writer *writer; /* NULL: run only */
    void (*progress)(void *, uint64_t blocks_done, uint64_t blocks, uint64_t warp_instructions);
    void *progress_data;
    FILE *output; /* where the kernel prints to; NULL: stdout */
};

struct rp_launch_result {
    uint64_t warp_instructions, thread_instructions;
    enum rp_fault_kind fault; /* with a fault, rp_launch returns false, status RP_KERNEL, and the text is the report */
    uint32_t fault_block[3], fault_thread[3];
    uint64_t fault_address;
    uint32_t fault_instruction;
};

/* Adds the kernel to the writer (once), records the launch, and ends it, also after a fault. */
bool rp_launch_kernel(struct rp_context *, struct program *, const struct rp_launch_config *, struct rp_launch_result *,
                      struct rp_error *);

#endif
