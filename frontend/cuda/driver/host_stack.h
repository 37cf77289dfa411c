/* The program's call stack, for reports. */
#ifndef REPRISE_FRONTEND_CUDA_DRIVER_HOST_STACK_H
#define REPRISE_FRONTEND_CUDA_DRIVER_HOST_STACK_H

#include <stdint.h>

#include "frontend/check/finding.h"

#define HOST_STACK_FRAMES 24

struct host_stack {
    int count;
    void *at[HOST_STACK_FRAMES]; /* return addresses, innermost first */
};
/* Captures the caller's stack. */
void host_stack_take(struct host_stack *);
/* A number that equal stacks have in common. */
uint64_t host_stack_key(const struct host_stack *);
/* Appends the stack to the finding: a frame for each function of the program itself, innermost first, with file and
 * line if binutils' addr2line finds them. `what`: as in struct rp_stack. */
void host_stack_add(struct rp_finding *, const char *what, const struct host_stack *);
/* The function of our libraries that the program has called. *runtime: it is of libcudart. NULL: unknown. */
const char *host_stack_call(const struct host_stack *, bool *runtime);

#endif
