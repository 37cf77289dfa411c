/* Checks of the host's use of memory, and --check for kernels. Reports say where in the program the call was made. */
#ifndef REPRISE_FRONTEND_CUDA_DRIVER_CHECK_H
#define REPRISE_FRONTEND_CUDA_DRIVER_CHECK_H

#include "frontend/cuda/driver/driver.h"

/* Reads which checks are requested. */
bool check_open(struct rp_error *);
/* Prints one line, and the stack of the program's current call. */
void say_with_stack(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* To be called when a buffer has been made; when it is about to be freed. */
void check_made(struct buffer *);
void check_freed(struct buffer *);
/* True: the address was in freed memory; reports where that was allocated and freed, if known. */
bool check_was_freed(uint64_t address);
/* To be called when the host reads rows of device memory: reports uninitialised bytes, for the first copies of the
 * program. */
void check_host_reads(CUdeviceptr, size_t bytes, size_t pitch, size_t rows);
/* Prints the findings of the kernels' checks since the last call. */
void check_report_findings(void);
/* Whether bad accesses of the last launch were left out; the kind of fault of the first. Reports if it was to freed
 * memory. */
bool check_left_out(enum rp_fault_kind *);
/* To be called after the report of an instruction that ended a launch: prints its source lines, if they can be read. */
void check_fault(const struct program *, uint32_t instruction, const char *text);
/* With --check memory: reports buffers of a context (NULL: of all contexts) that were not freed. */
void check_leaks(CUcontext);

#endif
