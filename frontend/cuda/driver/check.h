/* Checks of the host's use of memory and of the API, and --check for kernels. What is wrong becomes a finding
 * (findings.h), with the stack of the call. */
#ifndef REPRISE_FRONTEND_CUDA_DRIVER_CHECK_H
#define REPRISE_FRONTEND_CUDA_DRIVER_CHECK_H

#include "frontend/check/finding.h"
#include "frontend/cuda/driver/driver.h"

/* Reads which checks are requested. */
bool check_open(struct rp_error *);
/* Whether any is. */
bool check_any(void);
/* Whether --check memory is. */
bool check_memory(void);
/* Adds what is known of a new finding: the stack of its launch, and of what allocated and freed its memory. */
void check_complete(struct rp_finding *);

/* ---- memory ------------------------------------------------------------------------------------------------------ */

/* To be called when a buffer has been made; when it is about to be freed. */
void check_made(struct buffer *);
void check_freed(struct buffer *);
/* To be called when a call that frees fails because all calls do: the buffer is no leak. */
void check_given_back(CUdeviceptr);
/* The host uses the memory at this address in a wrong way, in the program's current call. */
void check_misused(uint64_t address, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* To be called when the host reads rows of device memory: reports uninitialised bytes. */
void check_host_reads(CUdeviceptr, size_t bytes, size_t pitch, size_t rows);
/* With --check leak: reports buffers and arrays of a context (NULL: of all contexts) that were not freed. */
void check_leaks(CUcontext);

/* ---- arrays: check_arrays.c -------------------------------------------------------------------------------------- */

/* An array has been made, mipmapped or not; it is about to be freed; a call that frees it fails because all calls do.
 */
void check_array_made(const void *handle, bool mipmapped, CUcontext, uint64_t bytes);
void check_array_freed(const void *handle);
void check_array_given_back(const void *handle);
/* The program's current call uses what is no array: a finding if it was freed. `how`: "freed" or "used". */
void check_array_misused(const void *handle, const char *how);
/* Reports the arrays of a context that were not freed: their number, and their bytes are added. */
unsigned check_array_leaks(CUcontext, uint64_t *bytes);

/* ---- launches ---------------------------------------------------------------------------------------------------- */

/* Before a launch: the checks that it runs under. NULL: none. */
struct rp_check *check_launch(CUfunction);
/* After it: reports what was found. */
void check_launched(void);
/* An instruction has ended a launch. */
void check_fault(const struct rp_launch_result *, const char *text);
/* Whether the last fault was a misuse of synchronisation, which is a finding: calls that return it are none. A GPU may
 * hang there, or notice nothing. */
bool check_said_sync(void);
/* An access that a GPU does not notice. */
void check_overrun(const char *text);

/* ---- calls ------------------------------------------------------------------------------------------------------- */

/* With --check api: the program's current call of the driver API fails, unless another library of ours makes it. To be
 * called with the lock held. Returns its argument. */
CUresult check_call(CUresult);
/* The end of a process that does not run destructors; exits: not by exec, which may fail. */
void check_end(bool exits);

#endif
