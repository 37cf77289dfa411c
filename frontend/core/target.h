/* The targets for which a module can be compiled (PTX ISA, "PTX Module Directives: .target"), in one table. */
#ifndef REPRISE_FRONTEND_CORE_TARGET_H
#define REPRISE_FRONTEND_CORE_TARGET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tracefmt/error.h"

/* From sm_70 on the threads of a warp are scheduled independently (CUDA C Programming Guide, "Independent Thread
 * Scheduling"): lanes that wait let the other lanes of their warp run. On earlier targets a warp runs one path at a
 * time. */
#define INDEPENDENT_THREADS 70

struct target {
    const char *name; /* sm_90a; suffix a: features of this architecture only; f: of its family */
    uint16_t sm;      /* 90 */
    bool independent_threads;
};

/* The target with this name. NULL: there is none. */
const struct target *target_find(const char *name, size_t length);
/* The target with this number and no suffix, as machine code names it. NULL: there is none. */
const struct target *target_of_sm(unsigned sm);
/* The target with a name that the user gave. On failure RP_USAGE, with a list of the targets. */
const struct target *target_named(const char *name, struct rp_error *);
/* The most warps that an SM of this target holds (CUDA C++ Programming Guide, "Technical Specifications per Compute
 * Capability"). ptxas 12.9 replaces %nwarpid by the same numbers. NULL stands for an unknown target. */
uint32_t target_warps(const struct target *);
/* An SM has so many registers (every GPU since 2014) in four sub-cores; a warp takes a multiple of 256, a block's warps
 * a multiple of four (NVIDIA's occupancy calculator). */
#define SM_REGISTERS 65536u
/* The most 32-bit registers of a thread, at most 255, with which `blocks` blocks of so many threads fit on an SM
 * together; of more blocks than an SM has warps for, one. */
uint32_t registers_that_fit(uint64_t threads, uint32_t blocks);
/* The registers that a block of so many threads takes, with so many of a thread. */
uint64_t registers_of_block(uint64_t threads, uint32_t each);
/* Lists all targets, "sm_50, sm_52, ...", as far as they fit. */
void target_list(char *text, size_t size);

#endif
