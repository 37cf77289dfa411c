/* Where in the program a call came from, for reports. */
#ifndef REPRISE_FRONTEND_CUDA_DRIVER_HOST_STACK_H
#define REPRISE_FRONTEND_CUDA_DRIVER_HOST_STACK_H

#define HOST_STACK_FRAMES 24

struct host_stack {
    int count;
    void *at[HOST_STACK_FRAMES]; /* return addresses, the innermost first */
};
/* The caller's. */
void host_stack_take(struct host_stack *);
/* Says a line for each function of the program itself, innermost first, with file and line where addr2line of the
 * binutils knows them. */
void host_stack_say(const struct host_stack *);

#endif
