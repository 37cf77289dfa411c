/* What goes wrong with memory on the host's side, and what --check looks for in kernels. Reports say where in the
 * program the call was made. */
#ifndef REPRISE_FRONTEND_CUDA_DRIVER_CHECK_H
#define REPRISE_FRONTEND_CUDA_DRIVER_CHECK_H

#include "frontend/cuda/driver/driver.h"

/* Reads which checks are wanted. */
bool check_open(struct rp_error *);
/* Says one line, and where the program made the call that is being answered. */
void say_with_stack(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* A buffer has been made, or is about to go. */
void check_made(struct buffer *);
void check_freed(struct buffer *);
/* Says if an address was freed memory's: true, with where it was allocated and freed, if that is known. */
bool check_was_freed(uint64_t address);
/* The host reads rows of memory of the device: says if nobody has written some of it, for the first copies of the
 * program. */
void check_host_reads(CUdeviceptr, size_t bytes, size_t pitch, size_t rows);
/* Says what the checks of kernels have found since they were asked last. */
void check_tell_findings(void);
/* Whether accesses of the last launch were left out since they were bad: what was wrong with the first. Says if it was
 * to memory that has been freed. */
bool check_left_out(enum rp_fault_kind *);
/* An instruction ended a launch, as has been said: says the lines of its source, where they can be read. */
void check_fault(const struct program *, uint32_t instruction, const char *text);
/* With --check memory: says which buffers of a context, NULL: of all, nobody has freed. */
void check_leaks(CUcontext);

#endif
