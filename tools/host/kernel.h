/* Finds a kernel by name, and checks arguments against its parameters. */
#ifndef REPRISE_TOOLS_HOST_KERNEL_H
#define REPRISE_TOOLS_HOST_KERNEL_H

#include "frontend/core/program.h"
#include "tracefmt/error.h"

/* Finds a kernel by its name in the module or, if only one kernel has it, by its name in the source: "matmul" finds
 * _Z6matmulPKiS0_Pii (Itanium C++ ABI, "Name mangling": length and identifier). NULL: the only kernel. */
struct program *kernel_find(struct module *, const char *name, struct rp_error *);

/* The type of an argument, from the command line or from a program. */
struct argument_type {
    const char *form; /* "i32": for messages */
    size_t bytes;
    bool may_be_integer, may_be_float;
    bool narrows; /* a 32-bit integer: also serves narrower parameters that hold its value */
    bool address; /* of 8 bytes, or of 4 for a kernel whose addresses have 32 bits */
};

/* Errors are RP_USAGE. */
bool kernel_check_count(const struct program *, uint32_t arguments, struct rp_error *);
/* `value`: that of the argument, if its type narrows. */
bool kernel_check_argument(const struct program *, uint32_t index, const struct argument_type *, int64_t value,
                           struct rp_error *);

#endif
