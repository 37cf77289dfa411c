/* How `reprise run`, `record` and `env` control the libraries in a CUDA program's process: environment variables, all
 * of them optional. Without any, libcuda.so.1 runs kernels and records nothing. With an invalid value, cuInit fails
 * with CUDA_ERROR_INVALID_VALUE and one message on standard error.
 *
 * The command line reads the machine file; the library gets plain figures, in REPRISE_DEVICE. */
#ifndef REPRISE_FRONTEND_CUDA_SESSION_H
#define REPRISE_FRONTEND_CUDA_SESSION_H

#include <stdbool.h>
#include <stdint.h>

#include "frontend/cuda/abi/internal.h"
#include "tracefmt/error.h"

/* X(identifier, variable, meaning) */
#define SESSION_VARIABLES(X)                                                                                           \
    X(TRACE, "REPRISE_TRACE", "the trace to write; %p is the number of the process. Unset: nothing is recorded")       \
    X(DEVICE, "REPRISE_DEVICE", "figures of the device: KEY=VALUE;KEY=VALUE, keys as in DEVICE_FIGURES")               \
    X(DEVICES, "REPRISE_DEVICES", "how many such devices there are, 1 to 16; one if unset")                            \
    X(KERNELS, "REPRISE_KERNELS", "record kernels whose demangled name this extended regular expression finds")        \
    X(LAUNCHES, "REPRISE_LAUNCHES", "record launches of these numbers, counted from 0 over all: 3,10..19,30..")        \
    X(FIRST, "REPRISE_FIRST", "record the first N launches of each kernel")                                            \
    X(NVTX, "REPRISE_NVTX", "record within NVTX ranges whose name this extended regular expression finds")             \
    X(PROFILER, "REPRISE_PROFILER", "1: record between cuProfilerStart and cuProfilerStop alone")                      \
    X(MAX_SIZE, "REPRISE_MAX_SIZE", "stop recording once the trace has so many bytes")                                 \
    X(CHECK, "REPRISE_CHECK", "checks as of reprise record --check: init,race,...")                                    \
    X(FINDINGS, "REPRISE_FINDINGS", "folder for what the checks find: a log for each process, for the command line")   \
    X(SUPPRESSIONS, "REPRISE_SUPPRESSIONS", "file of findings that are not reported: frontend/check/suppressions.h")   \
    X(PRINT_LIMIT, "REPRISE_PRINT_LIMIT", "the most findings of a process; 0: no limit")                               \
    X(THREADS, "REPRISE_THREADS", "threads of the host that run a kernel; 0: one per CPU")                             \
    X(STRICT, "REPRISE_STRICT", "1: an access beyond the exact bounds is an error also where a GPU would go on")       \
    X(PREFER, "REPRISE_PREFER", "sass or ptx: what to run of a module; sass: ptxas makes it where there is none")      \
    X(SCHEDULE, "REPRISE_SCHEDULE", "1: PTX runs in the order that an optimising assembler would choose")              \
    X(EVERY_LAUNCH, "REPRISE_EVERY_LAUNCH", "1: run also launches that are known to leave memory as it is")            \
    X(PROGRESS, "REPRISE_PROGRESS", "seconds of a launch before a line about its progress, in place of 10")            \
    X(STATS, "REPRISE_STATS", "1: say at the end where the time went")                                                 \
    X(QUIET, "REPRISE_QUIET", "1: do not say what was recorded")                                                       \
    X(LOG, "REPRISE_LOG", "file for messages; standard error if unset")                                                \
    X(STARTED, "REPRISE_STARTED",                                                                                      \
      "when the command began, in ns since 1970: a trace that is newer is not overwritten")                            \
    X(PROGRAM, "REPRISE_PROGRAM", "number of the process that the command line has started")                           \
    X(ALONE, "REPRISE_ALONE", "1: programs that are started with it get nothing of ours")                              \
    X(COMMAND, "REPRISE_COMMAND", "the program's command line, for the trace")                                         \
    X(LIMIT, "REPRISE_LIMIT", "warp instructions of one warp after which a kernel counts as endless")                  \
    X(TENSOR_SUMS, "REPRISE_TENSOR_SUMS", "how tensor cores add up: exact, sm_70, sm_80, sm_89 or sm_90")

enum session_variable {
#define X(id, variable, meaning) SESSION_##id,
    SESSION_VARIABLES(X)
#undef X
        SESSION_VARIABLE_COUNT
};
static const char *const session_variable_names[] = {
#define X(id, variable, meaning) variable,
    SESSION_VARIABLES(X)
#undef X
};

/* Figures of a device: X(field, default, meaning). The key is the field's name. A default of 0 means that the value
 * follows from the capability (device_figures_complete). */
#define DEVICE_FIGURES(X)                                                                                              \
    X(capability, 0, "compute capability, 10 x major + minor: 61. 0: as the program's compilers need")                 \
    X(sms, 28, "streaming multiprocessors")                                                                            \
    X(clock_khz, 1480000, "clock of the SMs")                                                                          \
    X(memory_bytes, 8589934592, "device memory")                                                                       \
    X(memory_clock_khz, 5505000, "clock of the memory")                                                                \
    X(memory_bus_bits, 256, "width of the memory's bus")                                                               \
    X(l2_bytes, 2097152, "level-2 cache")                                                                              \
    X(threads_per_sm, 0, "resident threads of an SM")                                                                  \
    X(blocks_per_sm, 0, "resident blocks of an SM")                                                                    \
    X(registers_per_sm, 65536, "32-bit registers of an SM")                                                            \
    X(shared_per_sm, 0, "bytes of shared memory of an SM")                                                             \
    X(shared_per_block, 49152, "bytes of shared memory that any block may have")                                       \
    X(shared_optin, 0, "bytes that a block may have if its kernel asks for it")

struct device_figures {
    char name[256]; /* key: name, cut to what cudaDeviceProp has room for; the default is "Reprise sm_61" and so on */
#define X(field, value, meaning) uint64_t field;
    DEVICE_FIGURES(X)
#undef X
};

/* Reads REPRISE_DEVICE on top of the defaults; text may be NULL or "". Figures that follow from the capability stay 0
 * until device_figures_complete. */
bool device_figures_parse(const char *text, struct device_figures *, struct rp_error *);
/* Sets the figures that are still 0. capability: the one to report if the figures name none. */
void device_figures_complete(struct device_figures *, unsigned capability);

#endif
