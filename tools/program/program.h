/* CUDA programs under reprise run, record and env: their options, and the environment that makes an unmodified program
 * load our libraries and tells these the options. */
#ifndef REPRISE_TOOLS_PROGRAM_H
#define REPRISE_TOOLS_PROGRAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tools/findings/options.h"
#include "tools/lib/command.h"
#include "tools/replaying/replaying.h"

enum program_key {
    PROGRAM_OUTPUT = 'o',
    PROGRAM_THREADS = 't',
    PROGRAM_QUIET = 'q',
    PROGRAM_SET = 's',
    PROGRAM_DEVICE = 512,
    PROGRAM_DEVICES,
    PROGRAM_KERNELS,
    PROGRAM_LAUNCHES,
    PROGRAM_FIRST,
    PROGRAM_NVTX,
    PROGRAM_PREFER,
    PROGRAM_STRICT,
    PROGRAM_STATS,
    PROGRAM_EVERY_LAUNCH,
    PROGRAM_PROFILER,
    PROGRAM_LIMIT,
    PROGRAM_TENSOR_SUMS,
    PROGRAM_MAX_SIZE,
    PROGRAM_CHECK,
    PROGRAM_SCHEDULE,
    PROGRAM_LOG_FILE,
    PROGRAM_END
};

#define ROWS_PROGRAM                                                                                                   \
    {"device", PROGRAM_DEVICE, "MACHINE",                                                                              \
     "Machine whose name, capability, SMs and memory the program sees: a name or a file (capability 6.1, or "          \
     "what the program's compilers need)"},                                                                            \
        {"devices", PROGRAM_DEVICES, "N",                                                                              \
         "How many such devices the program sees, 1 to 16 (1); each can access the others' memory"},                   \
        {"set", PROGRAM_SET, "KEY=VALUE",                                                                              \
         "Change an option of that machine, such as device.memory=32G; may be repeated"},                              \
        {"prefer", PROGRAM_PREFER, "ptx|sass",                                                                         \
         "What to run where a module has both, and what compilers at run time are told to make; sass: machine code "   \
         "is made of PTX, too, by NVIDIA's ptxas (see --assemble)"},                                                   \
        {"stats", PROGRAM_STATS, NULL,                                                                                 \
         "Say at the end where the time went: kernels, checks, copies, compilation, the program itself"},              \
        {"log-file", PROGRAM_LOG_FILE, "FILE", "Write messages about the program to FILE (standard error)"},           \
    {                                                                                                                  \
        "strict", PROGRAM_STRICT, NULL, "Stop at the first access out of bounds, also where a GPU would go on"         \
    }
#define ROW_EVERY_LAUNCH                                                                                               \
    {                                                                                                                  \
        "every-launch", PROGRAM_EVERY_LAUNCH, NULL,                                                                    \
            "Run also launches that are known to leave memory as it is, as the same one did before"                    \
    }
#define ROWS_CHOICE                                                                                                    \
    {"kernels", PROGRAM_KERNELS, "REGEX",                                                                              \
     "Record and check only kernels whose name in the source this extended regular expression finds; the others run, " \
     "too"},                                                                                                           \
    {                                                                                                                  \
        "launches", PROGRAM_LAUNCHES, "LIST", "Record and check only launches of these numbers, from 0: 3,10..19,30.." \
    }
#define ROWS_FILTERS                                                                                                   \
    ROWS_CHOICE, {"first", PROGRAM_FIRST, "N", "Record only the first N launches of each kernel"},                     \
        {"nvtx", PROGRAM_NVTX, "REGEX", "Record only what is launched within NVTX ranges whose name this finds"},      \
        {"profiler", PROGRAM_PROFILER, NULL, "Record only between cudaProfilerStart and cudaProfilerStop"},            \
    {                                                                                                                  \
        "max-size", PROGRAM_MAX_SIZE, "BYTES", "Record no more launches once the trace has this size"                  \
    }

struct program_options {
    const char *output;         /* of reprise record; NULL: no trace is recorded */
    struct machine_args device; /* without a machine: the library's default device */
    const char *kernels, *launches, *nvtx, *prefer, *log_file, *sums;
    const char *check;    /* what is in check_list; NULL: nothing */
    char check_list[200]; /* all --check, with commas */
    struct finding_options findings;
    const char *log_folder, *rules; /* of a supervised program: where it logs findings, its suppressions; or NULL */
    unsigned long long first, max_size, limit; /* 0: no limit, or the default */
    unsigned devices;                          /* 0: one */
    unsigned threads;
    bool strict, profiler, quiet, stats, every_launch, schedule;
};

/* Takes an option of a command that has these rows. RP_USAGE: it is no option of programs, or its value is wrong. */
bool program_take(struct program_options *, const struct option_row *, int key, char *argument, struct rp_error *);

/* Variables of the program's environment; a value of NULL removes one. */
struct variable {
    char *name, *value;
};
struct environment {
    struct variable list[64];
    size_t count;
};
/* Checks that the program's process may write the files of the options, and that they are not the same ones. */
bool program_check_files(const struct program_options *, struct rp_error *);
/* command: the program and its arguments, for the trace; NULL: not known. */
bool program_environment(const struct program_options *, char *const *command, struct environment *, struct rp_error *);
void environment_free(struct environment *);

/* Whether the file is a CUDA program that is linked statically as a whole, so that no library of ours can be loaded. */
bool program_is_static(const char *path);
/* The first such program that processes with logs in the folder have started (frontend/cuda/driver/passed_on.c); the
 * caller frees it. NULL: none. */
char *program_static_child(const char *folder);
/* Whether execvp(3) will find the program, and where: `path` has PATH_MAX bytes. */
bool program_find(const char *name, char *path);

/* The figures of a machine for REPRISE_DEVICE, which the caller frees; NULL: out of memory. */
char *program_figures(const struct machine *);
/* The compute capability, 10 x major + minor; 0: the machine names none. */
unsigned program_capability(const struct machine *);

/* Starts a process that waits for the end of this one, which is about to become the program. It then completes the
 * traces begun since `started` (ns since 1970) whose processes were killed. If the system does not allow it, the trace
 * of a killed process keeps its temporary name. */
void keeper_start(const struct program_options *, uint64_t started);

/* Becomes the program. Returns only after an error, with the exit status, which is that of env(1). */
int program_become(const struct program_options *, char **command);
/* Runs the program in a process of its own, and reports what is found in it (supervise.c). Returns the exit status; if
 * a signal ended the program, it ends this process. */
int program_supervise(const struct program_options *, char **command, const struct finding_rules *);

/* Waits some time for the processes that come from this one, and for those that have logs in the folder (outlive.c). */
enum outliving {
    OUTLIVES_NONE,
    OUTLIVES,           /* some process runs on that has not used CUDA */
    OUTLIVES_WITH_CUDA, /* *process does, and has */
};
enum outliving program_outlived_by(const char *folder, long *process);

/* Runs reprise run or record for the command after "--", which is argv[end]. */
int program_run(const struct command *, int argc, char **argv, int end);
/* The index of "--" in argv; 0: there is none. */
int program_separator(int argc, char **argv);

#endif
