/* CUDA programs under reprise run, record and env: their options, and the environment that makes an unmodified program
 * find our libraries, and these what was asked for. */
#ifndef REPRISE_TOOLS_PROGRAM_H
#define REPRISE_TOOLS_PROGRAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tools/lib/command.h"
#include "tools/replaying/replaying.h"

enum program_key {
    PROGRAM_OUTPUT = 'o',
    PROGRAM_THREADS = 't',
    PROGRAM_QUIET = 'q',
    PROGRAM_SET = 's',
    PROGRAM_DEVICE = 512,
    PROGRAM_KERNELS,
    PROGRAM_LAUNCHES,
    PROGRAM_FIRST,
    PROGRAM_NVTX,
    PROGRAM_PREFER,
    PROGRAM_STRICT,
    PROGRAM_PROFILER,
    PROGRAM_LIMIT,
    PROGRAM_MAX_SIZE,
    PROGRAM_CHECK,
    PROGRAM_FINDINGS,
    PROGRAM_END
};

#define ROWS_PROGRAM                                                                                                   \
    {"device", PROGRAM_DEVICE, "MACHINE",                                                                              \
     "Machine whose name, capability, SMs and memory the program sees: a name or a file (capability 6.1 for CUDA 12, " \
     "7.5 for 13)"},                                                                                                   \
        {"set", PROGRAM_SET, "KEY=VALUE",                                                                              \
         "Change an option of that machine, such as device.memory=32G; may be repeated"},                              \
        {"prefer", PROGRAM_PREFER, "ptx|sass",                                                                         \
         "What to run where a module has both, and what compilers at run time are told to make"},                      \
        {"findings", PROGRAM_FINDINGS, "FILE",                                                                         \
         "With --check, write what is found as JSON, when the program ends; %p is the number of the process"},         \
    {                                                                                                                  \
        "strict", PROGRAM_STRICT, NULL, "Stop at the first access out of bounds, also where a GPU would go on"         \
    }
#define ROWS_FILTERS                                                                                                   \
    {"kernels", PROGRAM_KERNELS, "REGEX",                                                                              \
     "Record only kernels whose name in the source this extended regular expression finds; the others run, too"},      \
        {"launches", PROGRAM_LAUNCHES, "LIST", "Record only launches of these numbers, from 0: 3,10..19,30.."},        \
        {"first", PROGRAM_FIRST, "N", "Record only the first N launches of each kernel"},                              \
        {"nvtx", PROGRAM_NVTX, "REGEX", "Record only what is launched within NVTX ranges whose name this finds"},      \
        {"profiler", PROGRAM_PROFILER, NULL, "Record only between cudaProfilerStart and cudaProfilerStop"},            \
    {                                                                                                                  \
        "max-size", PROGRAM_MAX_SIZE, "BYTES", "Record no more launches once the trace has this size"                  \
    }

struct program_options {
    const char *output;         /* of record; NULL: nothing is recorded */
    struct machine_args device; /* without a machine: the library's own figures */
    const char *kernels, *launches, *nvtx, *prefer, *check, *findings;
    unsigned long long first, max_size, limit; /* 0: all, or the usual one */
    unsigned threads;
    bool strict, profiler, quiet;
};

/* Takes an option; RP_USAGE if it is none for programs, or its value is wrong. */
bool program_take(struct program_options *, int key, char *argument, struct rp_error *);

/* Variables that the program is started with; a value of NULL takes one away. */
struct variable {
    char *name, *value;
};
struct environment {
    struct variable list[64];
    size_t count;
};
/* command: what is started, for the trace; NULL: it is not known. */
bool program_environment(const struct program_options *, char *const *command, struct environment *, struct rp_error *);
void environment_free(struct environment *);

/* The figures of a machine for REPRISE_DEVICE, for free(); NULL when out of memory. */
char *program_figures(const struct machine *);
/* 10 x major + minor; 0: the machine says none. */
unsigned program_capability(const struct machine *);

/* Lets a process wait for the end of this one, which is about to become the program. It completes what is left of
 * traces begun since `started` (ns since 1970) whose processes were killed. Without it, where the system does not let
 * it be, a killed process leaves its trace under the temporary name. */
void keeper_start(const struct program_options *, uint64_t started);

/* Becomes the program: returns only with an error, and the status to exit with, as env(1) does. */
int program_start(const struct program_options *, char **command);

/* Runs reprise run or record for what stands behind "--", which is argv[end]. */
int program_run(const struct command *, int argc, char **argv, int end);
/* Where "--" stands in argv; 0: nowhere. */
int program_separator(int argc, char **argv);

#endif
