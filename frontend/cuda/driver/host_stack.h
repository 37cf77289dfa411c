/* The program's call stack, for reports. */
#ifndef REPRISE_FRONTEND_CUDA_DRIVER_HOST_STACK_H
#define REPRISE_FRONTEND_CUDA_DRIVER_HOST_STACK_H

#define HOST_STACK_FRAMES 24

struct host_stack {
    int count;
    void *at[HOST_STACK_FRAMES]; /* return addresses, innermost first */
};
/* Captures the caller's stack. */
void host_stack_take(struct host_stack *);
/* Prints a line for each function of the program itself, innermost first, with file and line if binutils' addr2line
 * finds them. */
void host_stack_say(const struct host_stack *);

#endif
