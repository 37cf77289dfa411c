/* The content of a trace: the static tables (kernels, instructions, launches) as C structs, shared by writer and
 * reader.
 *
 * A trace describes what happened and where, never when. It is the only thing that passes from frontend to replay, so
 * every fact that a timing model may need is here, in terms of no particular ISA: a unit class, registers, memory
 * operands. docs/trace-format.md describes the bytes; this header describes the meaning. */
#ifndef REPRISE_TRACEFMT_TRACE_H
#define REPRISE_TRACEFMT_TRACE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define RP_WARP_LANES 32

typedef uint32_t rp_lanemask; /* bit l is lane l */

/* The number of lanes in the mask. Without a popcount instruction, compilers call a function for the built-in, which
 * takes longer than this. */
static inline unsigned rp_lane_count(rp_lanemask m)
{
#if defined __POPCNT__ || defined __aarch64__
    return (unsigned)__builtin_popcount(m);
#else
    m -= m >> 1 & 0x55555555u;
    m = (m & 0x33333333u) + (m >> 2 & 0x33333333u);
    return ((m + (m >> 4)) & 0x0f0f0f0fu) * 0x01010101u >> 24;
#endif
}

/* ---- static instructions -------------------------------------------------------------------------------------- */

/* The functional-unit class of an instruction: X(identifier, name in files, meaning). The order is the wire encoding:
 * append only. A machine file maps each class to a unit; memory instructions are mapped by the space they access. */
#define RP_CLASSES(X)                                                                                                  \
    X(NOP, "nop", "no operation, and instructions whose only effect is a hint")                                        \
    X(MOVE, "move", "register moves, selects, and reads of special registers by move")                                 \
    X(INT, "int", "integer and logic: add, compare, shift, bit field, conversion between integers")                    \
    X(INT_MUL, "int-mul", "integer multiply and multiply-add")                                                         \
    X(INT_DIV, "int-div", "integer divide and remainder")                                                              \
    X(FP16, "fp16", "half-precision arithmetic, scalar or packed")                                                     \
    X(FP32, "fp32", "single-precision add, multiply, fma, min, max, compare")                                          \
    X(FP32_DIV, "fp32-div", "IEEE single-precision divide, reciprocal, square root")                                   \
    X(FP64, "fp64", "double-precision add, multiply, fma, min, max, compare")                                          \
    X(FP64_DIV, "fp64-div", "IEEE double-precision divide, reciprocal, square root")                                   \
    X(SFU, "sfu", "approximate transcendental functions, reciprocal and roots")                                        \
    X(CONVERT, "convert", "conversions with a floating-point side, none of it 64 bits wide")                           \
    X(CONVERT64, "convert64", "conversions with a 64-bit floating-point side")                                         \
    X(SHUFFLE, "shuffle", "exchange between lanes through the data crossbar")                                          \
    X(VOTE, "vote", "warp-wide votes, matches and reductions")                                                         \
    X(CONTROL, "control", "branches, calls, returns, exits, reconvergence")                                            \
    X(BARRIER, "barrier", "block barriers; see struct rp_barrier")                                                     \
    X(FENCE, "fence", "memory fences")                                                                                 \
    X(MEMORY, "memory", "loads, stores, atomics; see struct rp_memory_operand")                                        \
    X(TEXTURE, "texture", "texture and surface accesses")                                                              \
    X(TENSOR, "tensor", "matrix multiply-accumulate")                                                                  \
    X(ASYNC, "async", "asynchronous copies and their completion")                                                      \
    X(UNIFORM, "uniform", "the uniform datapath of Turing and later")

enum rp_class {
#define X(id, name, help) RP_CLASS_##id,
    RP_CLASSES(X)
#undef X
        RP_CLASS_COUNT
};

/* Register names are packed into 32 bits: file (4 bits), count-1 (4 bits), index (24 bits). `count` consecutive
 * registers starting at `index` form the operand. PTX registers are virtual, one index each whatever their width; SASS
 * registers have 32 bits, so a 64-bit operand there has count 2. */
enum rp_register_file {
    RP_FILE_GENERAL,
    RP_FILE_PREDICATE,
    RP_FILE_UNIFORM,
    RP_FILE_UNIFORM_PREDICATE,
    RP_FILE_CARRY,
    RP_FILE_COUNT
};
typedef uint32_t rp_register;
#define RP_REGISTER(file, index, count) ((uint32_t)(file) << 28 | (uint32_t)((count)-1) << 24 | (uint32_t)(index))
#define RP_REGISTER_LIMIT 16 /* registers of one name; a longer operand has several names */
static inline unsigned rp_register_file(rp_register r) { return r >> 28; }
static inline unsigned rp_register_count(rp_register r) { return (r >> 24 & 15) + 1; }
static inline unsigned rp_register_index(rp_register r) { return r & 0xffffff; }
/* The register that reads as zero and discards writes (SASS: RZ), in traces that name it at all, such as those imported
 * from Accel-Sim. Nothing ever waits for it. */
#define RP_REGISTER_ZERO RP_REGISTER(RP_FILE_GENERAL, 0xffffff, 1)
/* How many of the operand's registers an instruction may have to wait for. */
static inline unsigned rp_register_waits(rp_register r) { return r == RP_REGISTER_ZERO ? 0 : rp_register_count(r); }

#define RP_SPACES(X)                                                                                                   \
    X(NONE, "none")                                                                                                    \
    X(GLOBAL, "global")                                                                                                \
    X(SHARED, "shared")                                                                                                \
    X(LOCAL, "local")                                                                                                  \
    X(CONST, "const")                                                                                                  \
    X(PARAM, "param")                                                                                                  \
    X(GENERIC, "generic") X(TEXTURE, "texture") X(SURFACE, "surface") X(SHARED_CLUSTER, "shared-cluster")
enum rp_space {
#define X(id, name) RP_SPACE_##id,
    RP_SPACES(X)
#undef X
        RP_SPACE_COUNT
};

enum rp_access_kind {
    RP_ACCESS_LOAD,
    RP_ACCESS_STORE,
    RP_ACCESS_ATOMIC,
    RP_ACCESS_REDUCTION,
    RP_ACCESS_PREFETCH,
    RP_ACCESS_BULK_LOAD,  /* the source of a bulk copy: bytes from each lane's address on, as many as the aux value says
                           */
    RP_ACCESS_BULK_STORE, /* the destination of a bulk copy */
    RP_ACCESS_OBJECT,     /* a barrier object (PTX: mbarrier) at this address; see RP_OBJECT_AUX */
    RP_ACCESS_KIND_COUNT
};
enum rp_scope { RP_SCOPE_NONE, RP_SCOPE_CTA, RP_SCOPE_CLUSTER, RP_SCOPE_GPU, RP_SCOPE_SYSTEM };
enum rp_order {
    RP_ORDER_WEAK,
    RP_ORDER_VOLATILE,
    RP_ORDER_RELAXED,
    RP_ORDER_ACQUIRE,
    RP_ORDER_RELEASE,
    RP_ORDER_ACQ_REL,
    RP_ORDER_SC,
    RP_ORDER_MMIO
};
/* PTX ISA, "Cache Operators": ld .ca .cg .cs .lu .cv, st .wb .cg .cs .wt; NC is ld.global.nc */
enum rp_cache_op {
    RP_CACHE_DEFAULT,
    RP_CACHE_CA,
    RP_CACHE_CG,
    RP_CACHE_CS,
    RP_CACHE_LU,
    RP_CACHE_CV,
    RP_CACHE_WB,
    RP_CACHE_WT,
    RP_CACHE_NC
};
/* PTX ISA, "Cache Eviction Priority Hints": how long to keep the line in L1 or L2; NO_ALLOCATE: not at all in L1 */
enum rp_eviction { RP_EVICT_NORMAL, RP_EVICT_FIRST, RP_EVICT_LAST, RP_EVICT_UNCHANGED, RP_EVICT_NO_ALLOCATE };
enum rp_atomic {
    RP_ATOMIC_NONE,
    RP_ATOMIC_ADD,
    RP_ATOMIC_MIN,
    RP_ATOMIC_MAX,
    RP_ATOMIC_INC,
    RP_ATOMIC_DEC,
    RP_ATOMIC_AND,
    RP_ATOMIC_OR,
    RP_ATOMIC_XOR,
    RP_ATOMIC_EXCH,
    RP_ATOMIC_CAS
};
enum rp_value { RP_VALUE_BITS, RP_VALUE_UNSIGNED, RP_VALUE_SIGNED, RP_VALUE_FLOAT };

/* The aux values of an OBJECT operand.
 *
 * First value: the phase at which the lanes arrive or for which they ask, counted from 0 at the object's
 * initialisation, and whether they wait until that phase is over. A loop that polls the object appears as one
 * execution, which waits: how often the loop went around is no property of the program.
 *
 * Second value, signed: by how many bytes the execution changes what the phase still waits for, summed over its lanes.
 * The bytes that a bulk copy completes at its object are those of the copy itself.
 *
 * Third value, if the operand names an operation: how many arrive, summed over the lanes; for RP_OBJECT_INIT, how many
 * arrivals each phase waits for.
 *
 * Lanes that wait for different phases make separate executions; so do lanes that arrive at different objects in
 * different ways. */
#define RP_OBJECT_AUX(phase, waits) ((uint64_t)(phase) << 1 | ((waits) != 0))
static inline uint64_t rp_object_phase(uint64_t aux) { return aux >> 1; }
static inline bool rp_object_waits(uint64_t aux) { return aux & 1; }

/* The operation on a barrier object. The order is the wire encoding: append only. */
#define RP_OBJECT_OPERATIONS(X)                                                                                        \
    X(UNKNOWN, "unknown", "not told")                                                                                  \
    X(INIT, "init", "it is made, with phase 0")                                                                        \
    X(INVALIDATE, "invalidate", "it is an object no more")                                                             \
    X(ARRIVE, "arrive", "threads arrive, and perhaps expect bytes")                                                    \
    X(DROP, "drop", "threads arrive, and are not expected in later phases")                                            \
    X(BYTES, "bytes", "bytes are expected, or have come")                                                              \
    X(TEST, "test", "is the phase over? With `waits`: until it is")                                                    \
    X(ARRIVE_BEHIND, "arrive-behind", "threads arrive when their copies of RP_ASYNC_COPY are complete")                \
    X(ADD_BEHIND, "add-behind", "the same, and the phase waits for as many arrivals more")
enum rp_object_operation {
#define X(id, name, help) RP_OBJECT_##id,
    RP_OBJECT_OPERATIONS(X)
#undef X
        RP_OBJECT_OPERATION_COUNT
};

/* The aux value of one side of a bulk copy. Low 32 bits: bytes per lane. High 32 bits: the blocks of a cluster, a bit
 * per rank, if the copy writes to the same offset in several of them (PTX: multicast). Such a copy completes at an
 * object in each of these blocks; the second aux value of the object's operand then applies to each. */
#define RP_BULK_AUX(bytes, blocks) ((uint64_t)(bytes) | (uint64_t)(blocks) << 32)
static inline uint64_t rp_bulk_bytes(uint64_t aux) { return aux & UINT32_MAX; }
static inline uint32_t rp_bulk_blocks(uint64_t aux) { return (uint32_t)(aux >> 32); }

/* One memory operand. A texture access has one operand per texel that its filter reads: each holds the addresses of one
 * texel per lane, and together they are the footprint; a lane that needs fewer texels repeats one of its own. Other
 * instructions may have several operands, too (an asynchronous copy reads one space and writes another). Each operand
 * has its own addresses in every dynamic execution, in this order. */
struct rp_memory_operand {
    uint8_t space;    /* enum rp_space; GENERIC addresses are resolved by the launch's windows */
    uint8_t kind;     /* enum rp_access_kind */
    uint8_t scope;    /* enum rp_scope */
    uint8_t order;    /* enum rp_order */
    uint8_t cache_op; /* enum rp_cache_op */
    uint8_t atomic;   /* enum rp_atomic */
    uint8_t value;    /* enum rp_value: the type of an element */
    uint8_t elements; /* elements per lane: 1, 2, 4 or 8 for vectors */
    uint32_t width;   /* bytes per lane, all elements together */
    uint32_t object;  /* enum rp_object_operation, for kind OBJECT */
    uint8_t evict_l1; /* enum rp_eviction */
    uint8_t evict_l2; /* likewise, without NO_ALLOCATE */
};
/* The number of aux values of an operand in one execution; the values of an instruction's operands follow one another
 * in order. */
static inline unsigned rp_operand_aux_count(const struct rp_memory_operand *o)
{
    if (o->kind == RP_ACCESS_OBJECT)
        return o->object == RP_OBJECT_UNKNOWN ? 2 : 3;
    return o->kind == RP_ACCESS_BULK_LOAD || o->kind == RP_ACCESS_BULK_STORE ? 1 : 0;
}

/* Asynchronous work: its warp goes on and waits for it later. Each thread collects what it starts in groups: a `commit`
 * closes the group of everything that it has started since the previous commit. Each kind of work has groups of its
 * own. */
enum rp_async_kind {
    RP_ASYNC_NONE,
    RP_ASYNC_COPY,  /* copies of a few bytes per thread (PTX: cp.async) */
    RP_ASYNC_BULK,  /* bulk copies (cp.async.bulk) */
    RP_ASYNC_TENSOR /* matrix multiply-accumulate (wgmma.mma_async) */
};
enum rp_async_role {
    RP_ASYNC_START,     /* starts work that belongs to a group; with `pending` 1 it also closes the group */
    RP_ASYNC_SIGNAL,    /* starts work that completes at barrier objects and belongs to no group */
    RP_ASYNC_COMMIT,    /* closes a group */
    RP_ASYNC_WAIT,      /* waits until at most `pending` of the thread's most recently closed groups are incomplete */
    RP_ASYNC_WAIT_READ, /* likewise, until they have read their sources */
    RP_ASYNC_WAIT_ALL   /* waits for everything that the thread has started */
};
struct rp_async {
    uint8_t kind; /* enum rp_async_kind */
    uint8_t role; /* enum rp_async_role */
    uint32_t pending;
};

/* The barrier of a cluster has no id and no count: lanes arrive, and later wait until all lanes of the cluster that
 * have not exited have arrived. A wait follows the arrival that it belongs to.
 * The barrier of a launch is barrier 0 of each block, without a count, and opens for all blocks at once: when all lanes
 * of the launch that have not exited wait at it. Such launches of several blocks are cooperative. */
enum rp_barrier_kind {
    RP_BARRIER_NONE,
    RP_BARRIER_SYNC,
    RP_BARRIER_ARRIVE,
    RP_BARRIER_REDUCE,
    RP_BARRIER_WARP_SYNC,
    RP_BARRIER_CLUSTER_ARRIVE,
    RP_BARRIER_CLUSTER_WAIT,
    RP_BARRIER_LAUNCH,
    RP_BARRIER_KIND_COUNT
};
struct rp_barrier {
    uint8_t kind;  /* enum rp_barrier_kind */
    int32_t id;    /* 0..15; -1: in a register, recorded per execution as aux */
    int32_t count; /* threads expected; 0: the whole block; -1: in a register, recorded per execution as aux */
};
/* The aux value of a barrier whose id or count is in a register: the id in the low 16 bits, the count (0: the whole
 * block) above. */
#define RP_BARRIER_AUX(id, count) ((uint64_t)(id) | (uint64_t)(count) << 16)

enum rp_instruction_flag {
    RP_GUARDED = 1 << 0, /* runs under a predicate: every execution records its own mask */
    RP_GUARD_NEGATED = 1 << 1,
    RP_BRANCH = 1 << 2, /* may change the pc */
    RP_CALL = 1 << 3,
    RP_RETURN = 1 << 4,
    RP_EXIT = 1 << 5,           /* ends its lanes */
    RP_HAS_AUX = 1 << 6,        /* every execution with a non-empty mask records 64-bit aux values: rp_aux_count */
    RP_UNIFORM_BRANCH = 1 << 7, /* the compiler promises that all lanes agree (.uni) */
};

struct rp_instruction {
    uint64_t pc;        /* byte address within the kernel; for PTX, which has none, 8 × index */
    const uint8_t *raw; /* encoding as found in the binary; none for PTX */
    uint32_t raw_size;
    uint64_t control;   /* scheduling control bits of the instruction, see RP_CONTROL_; 0: none */
    const char *text;   /* disassembly or source text, one line */
    uint8_t unit_class; /* enum rp_class */
    uint16_t flags;     /* enum rp_instruction_flag */
    rp_register guard;  /* valid with RP_GUARDED; also listed among the sources */
    uint32_t dst_count, src_count, memory_count;
    const rp_register *dst, *src;
    uint32_t slots; /* machine code only: see rp_source_slots */
    const struct rp_memory_operand *memory;
    struct rp_barrier barrier;
    uint8_t fence_scope; /* enum rp_scope, for RP_CLASS_FENCE */
    uint32_t file, line; /* source location: index into rp_kernel.files, line from 1; line 0: unknown */
    uint32_t
        inlined; /* the inlined call to whose body the instruction belongs: index into rp_kernel.inlined + 1; 0: none */
    uint8_t aux_count; /* with RP_HAS_AUX, values per execution; 0 and 1: one */
    struct rp_async async;
};
/* The operand slots through which the instruction reads a source, a bit each, in the order of the reuse flags of the
 * control bits; 0: none or unknown. */
static inline unsigned rp_source_slots(const struct rp_instruction *in, unsigned source)
{
    return source < 8 ? in->slots >> 4 * source & 15 : 0;
}
static inline unsigned rp_aux_count(const struct rp_instruction *in)
{
    return !(in->flags & RP_HAS_AUX) ? 0 : in->aux_count ? in->aux_count : 1;
}

/* Scheduling control bits, 21 as Maxwell and Pascal encode them (facts: Jia et al., arXiv:1804.06826, 2.1; the fields'
 * meaning was checked against NVIDIA's disassembler), and above them fields from the instruction word of DEPBAR, which
 * waits for barriers:
 *
 *    0..3   stall: cycles until the warp's next issue       11..16  wait: barriers that must be clear to issue
 *    4      1: do not yield; with stall 0: first of a pair  17..20  reuse of operands
 *    5..7   barrier set until the result is written         21      count: waits also until at most
 *    8..10  barrier set until the operands are read         25..30    this many signals are outstanding of
 *           (0..5, others: none)                            22..24    this barrier
 *                                                           31..36  barriers that must be clear, too
 */
#define RP_CONTROL_BARRIERS 6
#define RP_CONTROL_COUNT(barrier, most) (1ull << 21 | (uint64_t)(barrier) << 22 | (uint64_t)(most) << 25)
#define RP_CONTROL_ALSO_WAIT(mask) ((uint64_t)(mask) << 31)
static inline unsigned rp_control_stall(uint64_t c) { return c & 15; }
static inline bool rp_control_yields(uint64_t c) { return !(c >> 4 & 1); }
static inline bool rp_control_pairs(uint64_t c) { return (c & 31) == 16; }
static inline unsigned rp_control_reuse(uint64_t c) { return c >> 17 & 15; }
static inline unsigned rp_control_write_barrier(uint64_t c) { return c >> 5 & 7; }
static inline unsigned rp_control_read_barrier(uint64_t c) { return c >> 8 & 7; }
static inline unsigned rp_control_wait(uint64_t c) { return (c >> 11 | c >> 31) & 63; }
static inline bool rp_control_counts(uint64_t c) { return c >> 21 & 1; }
static inline unsigned rp_control_counted_barrier(uint64_t c) { return c >> 22 & 7; }
static inline unsigned rp_control_count(uint64_t c) { return c >> 25 & 63; }

/* A call that the compiler replaced by the function's body. The source location of an instruction is a chain: its own
 * file and line, which lie in the function of its inlined call; the location of that call; and so on outwards to the
 * kernel itself. Of a guest's instruction it is one call, of its function, from a line that is not known. */
struct rp_inlined_call {
    const char *function;
    uint32_t file, line; /* source location of the call, as in rp_instruction; line 0: not known */
    uint32_t inlined;    /* the call to whose body this location belongs: index + 1 of an earlier call; 0: none */
};

/* The number of registers that hold a live value at an instruction: values that it or a later instruction may still
 * read when it begins, and those that it writes. 32-bit registers, so a 64-bit value counts twice; predicates are
 * counted separately. */
struct rp_live {
    uint16_t registers, predicates;
    uint16_t after; /* registers whose value a later instruction may still read */
};

struct rp_kernel {
    const char *name; /* as in the module (mangled) */
    const char *isa;  /* "ptx", "sm_62", ... */
    uint32_t instruction_count;
    const struct rp_instruction *instructions;
    uint32_t file_count;
    const char *const *files;
    uint32_t inlined_count;
    const struct rp_inlined_call *inlined;
    const struct rp_live *live; /* per instruction; NULL: unknown. For PTX: virtual registers */
    uint32_t registers;         /* 32-bit registers per thread, for occupancy; PTX: an estimate by liveness */
    uint32_t static_shared;     /* bytes per block */
    uint32_t local_bytes;       /* bytes per thread */
    uint32_t max_threads;       /* .maxntid as a total, 0: not given */
    uint32_t module;            /* index into the trace's modules + 1; 0: unknown */
    uint64_t identity;          /* unique among all kernels that the process ever had; 0: none */
};

/* ---- launches -------------------------------------------------------------------------------------------------- */

struct rp_allocation {
    uint64_t base, size; /* bytes, in the global space */
    const char *name;    /* "arg0", a module variable's name, ... */
    bool initialised;    /* the host wrote it before this launch */
    uint32_t device;     /* that has it; where the launch itself lists it: the launch's */
};

/* The most devices of a trace. */
#define RP_DEVICES_MOST 64

/* Launches of one stream run one after another, in their order in the trace. A stream belongs to a device; each device
 * has a default stream. A launch of another stream may run at the
 * same time, but not before the end of the launches that it depends on: those are earlier ones, so there are no cycles.
 */
struct rp_launch {
    uint32_t kernel; /* index into the trace's kernels */
    uint32_t device; /* that runs it, below RP_DEVICES_MOST */
    uint32_t stream; /* 0: the default stream of the device */
    uint32_t parent; /* 1 + the launch whose kernel asked for it; 0: the host did */
    uint32_t dependency_count;
    const uint32_t *dependencies; /* launches, ascending */
    uint32_t grid[3], block[3];
    /* Blocks per cluster in each dimension, which divide the grid's; all 0 or all 1: no clusters. The blocks of a
     * cluster run concurrently; block (x, y, z) of it has rank x + cluster[0] × (y + cluster[1] × z). */
    uint32_t cluster[3];
    /* In clusters of several blocks, the shared memory of the block of rank r is visible to all blocks of its cluster
     * at offset cluster_shared + r × cluster_step of the shared space, in addition to the offset where each block has
     * its own. */
    uint64_t cluster_shared, cluster_step;
    /* A cooperative launch: its blocks may wait for one another, so a GPU runs it only if all of them are resident at
     * once. */
    bool cooperative;
    uint32_t dynamic_shared; /* bytes per block, beyond the kernel's static_shared */
    /* Windows of the generic space: an address in [base, base + size) is at offset address - base of the named space.
     */
    uint64_t shared_window, shared_window_size;
    uint64_t local_window, local_window_size;
    uint64_t const_window, const_window_size;
    uint64_t param_window, param_window_size;
    uint32_t param_size;
    const uint8_t *params; /* the parameter block as the kernel saw it */
    /* All allocations; none if host operations list them (then rp_trace_allocations, reader.h, computes the list). */
    uint32_t allocation_count;
    const struct rp_allocation *allocations;
};
static inline uint64_t rp_launch_blocks(const struct rp_launch *l)
{
    return (uint64_t)l->grid[0] * l->grid[1] * l->grid[2];
}
/* The most blocks of a cluster: H100 allows 16, and a bulk copy names them by bits. */
#define RP_CLUSTER_MOST 32
/* Blocks per cluster; 1: no clusters. */
static inline uint32_t rp_launch_cluster(const struct rp_launch *l)
{
    return l->cluster[0] ? l->cluster[0] * l->cluster[1] * l->cluster[2] : 1;
}
static inline uint32_t rp_launch_threads(const struct rp_launch *l) { return l->block[0] * l->block[1] * l->block[2]; }
static inline uint32_t rp_launch_warps(const struct rp_launch *l)
{
    return (rp_launch_threads(l) + RP_WARP_LANES - 1) / RP_WARP_LANES;
}

enum rp_outcome { RP_OUTCOME_COMPLETE, RP_OUTCOME_FAULT };
struct rp_launch_end {
    uint8_t outcome;   /* enum rp_outcome */
    const char *fault; /* the report, for RP_OUTCOME_FAULT */
};

/* ---- the host --------------------------------------------------------------------------------------------------- */

/* A module of code that contains kernels. */
struct rp_module {
    const char *name;   /* file name without its directory */
    const char *sha256; /* 64 hex digits; "" if unknown */
    const char *isa;    /* "ptx", "sass" */
    const char *target; /* "sm_62" */
    uint64_t identity;  /* as for a kernel; not in the file */
};

/* Operations of the host, in order with the launches: X(identifier, name in files, meaning). The order is the wire
 * encoding: append only. */
#define RP_HOST_KINDS(X)                                                                                               \
    X(ALLOCATE, "allocate", "size bytes at address come to life")                                                      \
    X(FREE, "free", "the allocation at address ends")                                                                  \
    X(COPY, "copy", "size bytes from source to address, in the direction told")                                        \
    X(SET, "set", "size bytes at address get one value")                                                               \
    X(SYNCHRONISE, "synchronise", "the host waits for all work of all streams of the device")                          \
    X(SYNCHRONISE_STREAM, "synchronise-stream", "the host waits for the stream")                                       \
    X(SYNCHRONISE_EVENT, "synchronise-event", "the host waits for the event")                                          \
    X(RECORD_EVENT, "record-event", "the event takes place when the stream has done all before it")                    \
    X(WAIT_EVENT, "wait-event", "what comes later in the stream waits for the event")                                  \
    X(CREATE_STREAM, "create-stream",                                                                                  \
      "the stream begins; a non-blocking one and the default stream do not wait for "                                  \
      "each other")
enum rp_host_kind {
#define X(id, name, help) RP_HOST_##id,
    RP_HOST_KINDS(X)
#undef X
        RP_HOST_KIND_COUNT
};
/* Whether the host waits until a copy or memset is done. In files that do not say, it waits in the default stream only.
 */
enum rp_host_waits { RP_WAITS_IN_DEFAULT_STREAM, RP_WAITS, RP_WAITS_NOT };
enum rp_copy_direction { RP_COPY_TO_DEVICE, RP_COPY_TO_HOST, RP_COPY_ON_DEVICE, RP_COPY_ON_HOST };

struct rp_host_operation {
    uint8_t kind;             /* enum rp_host_kind */
    uint8_t direction;        /* enum rp_copy_direction, of COPY */
    uint8_t waits;            /* enum rp_host_waits, of COPY and SET */
    bool initialised;         /* for ALLOCATE: the content is defined from the start */
    bool managed;             /* for ALLOCATE: memory of the host, which needs no copies */
    bool non_blocking;        /* for CREATE_STREAM */
    uint32_t launch;          /* number of launches that began before it; the writer sets this */
    uint32_t stream, event;   /* stream 0: the default stream of the device; event: if the kind has one */
    uint32_t device;          /* that has the stream, or the allocation */
    uint32_t to, from;        /* of a copy: the devices of its sides that are device memory */
    uint64_t address, source; /* in the global space; 0 for a side of a copy that is host memory */
    uint64_t size;            /* bytes */
    const char *name;         /* for ALLOCATE: "arg0", a module variable's name, ... */
};

static inline bool rp_host_waits(const struct rp_host_operation *o)
{
    return o->waits == RP_WAITS_IN_DEFAULT_STREAM ? !o->stream : o->waits == RP_WAITS;
}

/* ---- provenance ------------------------------------------------------------------------------------------------ */

struct rp_option {
    const char *key, *value;
};
struct rp_provenance {
    const char *tool;          /* "reprise 1.2.3" */
    const char *module_name;   /* file name without its directory */
    const char *module_sha256; /* 64 hex digits */
    uint32_t option_count;
    const struct rp_option
        *options; /* what determines the content: arguments, geometry, limits; not output name or threads */
};

/* ---- what a warp did --------------------------------------------------------------------------------------------- */

/* A run: `length` static instructions with consecutive indices from `start`, executed in order under the active mask
 * `active` (the lanes on this path, before any guard). */
struct rp_run {
    uint32_t start, length;
    rp_lanemask active;
};

/* The addresses of one memory operand in one execution: lane l of pattern->mask accesses base + offset[l]
 * (rp_pattern_offsets, reader.h). base is the address of the lowest lane in the mask, whose offset is 0. */
enum rp_pattern_kind {
    RP_PATTERN_GENERAL,
    RP_PATTERN_UNIFORM /* all offsets 0 */,
    RP_PATTERN_AFFINE /* offset[l] = (l - lowest) × stride */
};
struct rp_pattern {
    rp_lanemask mask;
    uint8_t kind;   /* enum rp_pattern_kind */
    uint8_t width;  /* GENERAL: bytes per offset, the least of 1, 2, 4 and 8 that fits all; else 0 */
    int64_t stride; /* AFFINE only */
    uint64_t hash;  /* of mask and offsets: equal patterns have equal hashes, in all chunks */
    const void
        *offset; /* GENERAL: the offset of each lane in the mask, lowest lane first: signed integers of `width` bytes */
};
/* The number of bytes at `offset`. Two patterns are equal if mask, kind, stride, width and these bytes are. */
static inline unsigned rp_pattern_bytes(const struct rp_pattern *p) { return p->width * rp_lane_count(p->mask); }

const char *rp_class_name(enum rp_class c);
const char *rp_space_name(enum rp_space s);
const char *rp_object_operation_name(enum rp_object_operation o);
const char *rp_host_kind_name(enum rp_host_kind k);
const char *rp_copy_direction_name(enum rp_copy_direction d);

#endif
