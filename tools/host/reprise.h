/* Running CUDA kernels from a C or C++ program, on the program's own memory.
 *
 * A session holds one module: PTX, a cubin for sm_50 to sm_90, or a fat binary. A launch names a kernel, its grid and
 * block, and one argument for each of its parameters: numbers, and pointers into the program's memory with the size of
 * what they point to. When reprise_run returns, results are in place. If the session's options say so, launches are
 * recorded into a trace, the same that `reprise record` writes, and timed on a machine, with the same cycles as
 * `reprise replay`.
 *
 *     struct rp_error err;
 *     struct reprise_options options = {.module = "matmul.ptx", .trace = "mm.wtr", .machine = "jetson-tx2"};
 *     struct reprise *gpu = reprise_open(&options, &err);
 *     struct reprise_launch matmul = {.kernel = "matmul", .grid = {8, 8}, .block = {16, 16},
 *                                     .args = {reprise_in(a, sizeof a), reprise_in(b, sizeof b),
 *                                              reprise_out(c, sizeof c), reprise_i32(128)}};
 *     struct reprise_result result;
 *     bool ok = gpu && reprise_run(gpu, &matmul, &result, &err);
 *     ok = reprise_close(gpu, ok ? &err : NULL) && ok;
 *
 * docs/host-api.md has the whole program. Fields of structs that are zero have their defaults.
 *
 * Errors. Functions return false or NULL and fill *err, which may be NULL: a line of text (for errors in PTX with its
 * source line below) and a status, which is the exit status of the command line: RP_USAGE (arguments that do not
 * fit the kernel, a machine that is not there), RP_BAD_INPUT (a module that cannot be loaded), RP_KERNEL (the kernel
 * misbehaved: the text says which instruction, thread and address), RP_SYSTEM (no memory, no space). Nothing is printed
 * and the program is not ended.
 *
 * Threads. Nothing is shared between sessions: each may be used from one thread at a time, several at once from
 * several. Results, trace and cycles depend neither on that nor on options.threads.
 */
#ifndef REPRISE_H
#define REPRISE_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "tracefmt/error.h"

#ifdef __cplusplus
extern "C" {
#endif
#ifdef __GNUC__
#pragma GCC visibility push(default) /* what libreprise.so exports */
#endif

enum { REPRISE_ARGS = 64, REPRISE_POINTERS = 32, REPRISE_SETTINGS = 32 };

/* ---- sessions ---------------------------------------------------------------------------------------------------- */

struct reprise_options {
    const char *module;  /* file with the module */
    const void *image;   /* or the module in memory; may be freed once the session is open */
    size_t image_bytes;  /* of PTX: the length of the text */
    const char *trace;   /* file for the trace of all launches; NULL: none. It is complete when the session is closed */
    const char *machine; /* to time launches on: a name or a machine file; NULL: no timing */
    const char *set[REPRISE_SETTINGS]; /* changes to the machine: "scheduler=lrr", "l1=none", ... */
    unsigned threads;                  /* host threads that execute; 0: one per CPU */
    uint64_t limit;                    /* instructions a warp may execute before it counts as endless; 0: 2^32 */
    uint32_t stack;        /* bytes of local memory per thread; 0: what the kernel needs, 16384 with recursion */
    uint32_t shared_limit; /* bytes of shared memory that a block may have; 0: 49152 */
    FILE *output;          /* for what kernels print; NULL: stdout */
};

struct reprise;

struct reprise *reprise_open(const struct reprise_options *, struct rp_error *);

/* Completes the trace and frees the session in any case. If a kernel misbehaved, the trace is kept up to that point.
 * NULL is allowed. */
bool reprise_close(struct reprise *, struct rp_error *);

/* ---- arguments --------------------------------------------------------------------------------------------------- */

enum reprise_kind {
    REPRISE_NONE, /* ends the list */
    REPRISE_IN,
    REPRISE_OUT,
    REPRISE_INOUT,
    REPRISE_I32,
    REPRISE_U32,
    REPRISE_I64,
    REPRISE_U64,
    REPRISE_F32,
    REPRISE_F64,
    REPRISE_VALUE
};

/* Made by the functions below. */
struct reprise_arg {
    enum reprise_kind kind;
    void *pointer; /* IN, OUT, INOUT, VALUE */
    size_t bytes;
    union {
        int32_t i32;
        uint32_t u32;
        int64_t i64;
        uint64_t u64;
        float f32;
        double f64;
    } value;
};

/* The kernel gets the address of a copy of [pointer, pointer + bytes), and an access outside of it is an error.
 *   in the kernel reads the program's content; what it writes is dropped
 *   out the kernel reads zeros; all of it is copied back
 *   inout the kernel reads the program's content; all of it is copied back
 * Arguments of one launch that overlap share memory for the kernel, too. The same range has the same device
 * address in every launch of a session, so that caches see the same buffer. */
static inline struct reprise_arg reprise_memory(enum reprise_kind kind, void *pointer, size_t bytes)
{
    struct reprise_arg a;
    a.kind = kind;
    a.pointer = pointer;
    a.bytes = bytes;
    a.value.u64 = 0;
    return a;
}
static inline struct reprise_arg reprise_in(const void *pointer, size_t bytes)
{
    return reprise_memory(REPRISE_IN, (void *)pointer, bytes);
}
static inline struct reprise_arg reprise_out(void *pointer, size_t bytes)
{
    return reprise_memory(REPRISE_OUT, pointer, bytes);
}
static inline struct reprise_arg reprise_inout(void *pointer, size_t bytes)
{
    return reprise_memory(REPRISE_INOUT, pointer, bytes);
}
/* A parameter of any other type, such as a struct passed by value, by its bytes. `size` must be that of the parameter,
 * and the bytes must stay valid until the launch. Pointers in them are only numbers to the kernel, except those that
 * the launch lists (struct reprise_pointer). */
static inline struct reprise_arg reprise_value(const void *bytes, size_t size)
{
    return reprise_memory(REPRISE_VALUE, (void *)bytes, size);
}

/* Numbers. The 32-bit integers also serve narrower parameters that hold their value, and a null pointer is
 * reprise_u64(0). */
#define REPRISE_NUMBER(name, type, KIND)                                                                               \
    static inline struct reprise_arg reprise_##name(type value)                                                        \
    {                                                                                                                  \
        struct reprise_arg a = reprise_memory(KIND, NULL, sizeof value);                                               \
        a.value.name = value;                                                                                          \
        return a;                                                                                                      \
    }
REPRISE_NUMBER(i32, int32_t, REPRISE_I32)
REPRISE_NUMBER(u32, uint32_t, REPRISE_U32)
REPRISE_NUMBER(i64, int64_t, REPRISE_I64)
REPRISE_NUMBER(u64, uint64_t, REPRISE_U64)
REPRISE_NUMBER(f32, float, REPRISE_F32)
REPRISE_NUMBER(f64, double, REPRISE_F64)
#undef REPRISE_NUMBER

/* ---- tensor maps ------------------------------------------------------------------------------------------------- */

/* Memory as a tensor from which a kernel copies boxes (PTX: cp.async.bulk.tensor), with the values of the CUDA driver
 * API, "Tensor Map Object Management". Dimension 0 is the innermost one. */
struct reprise_tensor {
    unsigned element;    /* CUtensorMapDataType: 0 u8, 1 u16, 2 u32, 3 s32, 4 u64, 5 s64, 6 f16, 7 f32, 8 f64, 9 bf16,
                          * 10 f32 with subnormals as 0, 11 tf32, 12 tf32 with subnormals as 0 */
    unsigned rank;       /* 1 to 5 */
    uint64_t sizes[5];   /* elements */
    uint64_t strides[4]; /* bytes, of dimensions 1 and higher: multiples of 16 */
    uint32_t box[5];     /* elements that a copy spans, 1 to 256; of dimension 0 a multiple of 16 bytes */
    uint32_t steps[5];   /* each n-th element is copied, n up to 8; 0 is 1 */
    unsigned swizzle;    /* CUtensorMapSwizzle: 0 none, 1 of 32 bytes, 2 of 64, 3 of 128 */
    unsigned fill;       /* the value of elements outside of the tensor: 0 zero, 1 NaN */
};

/* Makes the map, which a kernel takes as a parameter by value (reprise_value with all of it) or in memory. A launch
 * sets the tensor's address in it: .pointers[i] = {argument, REPRISE_TENSOR_ADDRESS, reprise_inout(tensor, bytes)}.
 * False: a value is not valid; err says which. */
#define REPRISE_TENSOR_MAP 128
#define REPRISE_TENSOR_ADDRESS 8
bool reprise_tensor_map(uint8_t map[REPRISE_TENSOR_MAP], const struct reprise_tensor *, struct rp_error *);

/* ---- launches ---------------------------------------------------------------------------------------------------- */

/* A pointer within an argument by value: at this offset the kernel reads the device address of its copy of `memory`.
 * The program's bytes there are ignored. */
struct reprise_pointer {
    uint32_t argument;         /* from 0, made by reprise_value */
    uint32_t offset;           /* offsetof(struct ..., member) */
    struct reprise_arg memory; /* made by reprise_in, reprise_out or reprise_inout */
};

struct reprise_launch {
    const char *kernel; /* its name in the module or, where that is unique, in the source; NULL: the only kernel */
    uint32_t grid[3], block[3];            /* blocks, and threads in a block; an extent of 0 is 1 */
    uint32_t cluster[3];                   /* blocks in a cluster; all 0: what the kernel requires, or a block alone */
    uint32_t shared;                       /* bytes of dynamic shared memory per block */
    uint32_t stream;                       /* of the trace, see below; 0: the default stream */
    struct reprise_arg args[REPRISE_ARGS]; /* one per parameter, in order */
    struct reprise_pointer pointers[REPRISE_POINTERS]; /* within the args; those of kind REPRISE_NONE are ignored */
};

/* Results of a launch. Without a machine all but the first two are 0; docs/statistics.md defines them. */
struct reprise_result {
    uint64_t warp_instructions, thread_instructions;
    uint64_t cycles;
    double microseconds;                  /* cycles at the machine's clock */
    double ipc;                           /* warp instructions per cycle */
    double occupancy;                     /* resident warps divided by those that fit, 0 to 1 */
    uint64_t global_loads, global_stores; /* transactions */
    uint64_t l1_hits, l1_misses, l2_hits, l2_misses, dram_accesses;
    uint64_t shared_conflicts; /* transactions that bank conflicts added */
};

/* Runs the kernel. result may be NULL. On failure the program's memory is unchanged. After a kernel has misbehaved the
 * session can only be closed. */
bool reprise_run(struct reprise *, const struct reprise_launch *, struct reprise_result *, struct rp_error *);

/* Write or read a whole variable of the module, in global or constant memory: cudaMemcpyToSymbol and
 * cudaMemcpyFromSymbol. `variable`: the name in the module; `bytes` must be the variable's size. */
bool reprise_write(struct reprise *, const char *variable, const void *from, size_t bytes, struct rp_error *);
bool reprise_read(struct reprise *, const char *variable, void *to, size_t bytes, struct rp_error *);

/* ---- order in the trace -------------------------------------------------------------------------------------------
 */

/* A launch is complete when reprise_run returns. The trace records the order of a program that uses a GPU
 * asynchronously: the launch and the copies of its memory are in launch.stream, a number of the program's choice. Work
 * of other streams does not wait for them unless the program says so. As in CUDA, the default stream waits for all
 * others and they for it, and the host waits for the copies of the default stream. reprise_write and reprise_read are
 * in the default stream. */

/* cudaStreamCreateWithFlags, before the stream is used: a non_blocking stream and the default stream do not wait for
 * each other. Other streams need no creation. */
bool reprise_create_stream(struct reprise *, uint32_t stream, bool non_blocking, struct rp_error *);
/* cudaEventRecord: the event, a number of the program's choice, occurs when all earlier work of the stream is done. */
bool reprise_record_event(struct reprise *, uint32_t event, uint32_t stream, struct rp_error *);
/* cudaStreamWaitEvent: later work of the stream waits for the event. */
bool reprise_wait_event(struct reprise *, uint32_t stream, uint32_t event, struct rp_error *);
/* cudaDeviceSynchronize and cudaStreamSynchronize: all later work waits for all streams, or for one. */
bool reprise_synchronise(struct reprise *, struct rp_error *);
bool reprise_synchronise_stream(struct reprise *, uint32_t stream, struct rp_error *);

/* A statistic of the last launch by its name: "issue.stall.memory", "units.alu.busy", ... */
bool reprise_statistic(const struct reprise *, const char *name, uint64_t *value, struct rp_error *);

/* ---- guests --------------------------------------------------------------------------------------------------------
 */

/* A program on simulated cores, one instruction at a time, so that a cache, a network or another timing model of the
 * caller's can be driven by what cores do (docs/guests.md says what a guest is).
 *
 *     static void access(void *data, const struct reprise_guest_access *a) { ... }
 *
 *     struct reprise_guest_options options = {.file = "mm.elf", .cores = 64};
 *     struct reprise_guest *guest = reprise_guest_open(&options, &err);
 *     reprise_guest_accesses(guest, access, &cache);
 *     while (reprise_guest_running(guest) && reprise_guest_step(guest, 1, &err))
 *         ;
 *     reprise_guest_close(guest);
 *
 * docs/examples/coupling.c is a whole program. Groups of 32 cores take turns, an instruction each, in the order of
 * their numbers; cores of a group that are at the same instruction execute it together, the lowest number first. That
 * order is always the same, so a program whose cores race runs always in the same way; it is not that of `reprise
 * record`, which lets groups run ahead. Functions do not print; what the program writes goes to `output`. */

struct reprise_guest_options {
    const char *file; /* a static ELF executable of an instruction set that docs/guests.md lists */
    unsigned cores;   /* 1 to 4096; 0: 32 */
    uint32_t stack;   /* bytes of each core's stack, a multiple of 4096; 0: 65536 */
    FILE *output;     /* for what the program writes to 1, which is not closed; NULL: stdout. To 2: stderr */
};

struct reprise_guest;

/* Loads the program; no core has executed anything. NULL: RP_USAGE or RP_BAD_INPUT, with what is wrong of the options
 * or the file. The caller closes it. */
struct reprise_guest *reprise_guest_open(const struct reprise_guest_options *, struct rp_error *);
void reprise_guest_close(struct reprise_guest *); /* NULL is allowed */

/* Every core that runs executes `count` instructions, or fewer where it ends or comes to the barrier. A core at the
 * barrier executes nothing until all others are there or have ended. False: RP_KERNEL, a core misbehaved: the text says
 * which one, where and how; only registers, status and close work from then on. Without cores that run it does nothing.
 */
bool reprise_guest_step(struct reprise_guest *, uint64_t count, struct rp_error *);

/* How many cores have not ended. */
unsigned reprise_guest_running(const struct reprise_guest *);
/* The program's exit status: the first of a core that is not 0; 0 while all is well. */
int reprise_guest_status(const struct reprise_guest *);

struct reprise_guest_registers {
    uint32_t pc;            /* the address of its next instruction; ARM: bit 0 is 1 in T32 */
    uint32_t registers[32]; /* as its instruction set numbers them; those beyond are 0 */
    uint32_t count;         /* how many it has */
    uint64_t retired;       /* instructions executed */
    bool at_barrier, ended;
};
/* What a core has between two steps. False: RP_USAGE, there is no such core. */
bool reprise_guest_registers(const struct reprise_guest *, unsigned core, struct reprise_guest_registers *,
                             struct rp_error *);

enum reprise_guest_kind { REPRISE_GUEST_FETCH, REPRISE_GUEST_LOAD, REPRISE_GUEST_STORE };
struct reprise_guest_access {
    unsigned core;
    enum reprise_guest_kind kind; /* an atomic instruction loads, then stores */
    uint32_t address, bytes;      /* of a fetch: the instruction's */
    uint32_t pc;                  /* the address of the instruction */
};
/* From now on the function is called for each access, in the order in which they happen: the fetch of an instruction
 * comes before its loads and stores. The access is valid during the call, which must not step or close the guest. NULL:
 * for none, as in the beginning. */
void reprise_guest_accesses(struct reprise_guest *, void (*access)(void *data, const struct reprise_guest_access *),
                            void *data);

#ifdef __GNUC__
#pragma GCC visibility pop
#endif
#ifdef __cplusplus
}
#endif

#endif
