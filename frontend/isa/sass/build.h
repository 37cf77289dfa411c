/* Helpers that turn machine code of every generation into operations: registers and predicates, pairs of registers,
 * constants and constant banks, the functions of the device's runtime.
 *
 * A warp's window holds predicates P0..P6 and UP0..UP6 (a mask each), the results of BAR.RED, temporaries, the
 * convergence barriers B0..B15, the 63 uniform registers, and the 255 32-bit registers, 32 lanes each. All lanes of a
 * uniform register or predicate are equal. An operation on 64 bits works on temporaries: PACK fills them from register
 * pairs, UNPACK spreads them to pairs. As sources RZ and PT are constants. As a destination RZ is a place that nothing
 * reads, and PT is absent.
 *
 * All operations of an instruction have its guard. So if a destination may be the guard, the last operation writes it.
 *
 * Emitting an operation or naming a register changes the current instruction. So no two calls that do either are in one
 * argument list or initialiser: C leaves their order open, and the trace would depend on the compiler. */
#ifndef REPRISE_FRONTEND_ISA_SASS_BUILD_H
#define REPRISE_FRONTEND_ISA_SASS_BUILD_H

#include "frontend/core/program.h"
#include "frontend/module/arena.h"
#include "frontend/module/constants.h"
#include "frontend/module/cubin.h"

/* RETURN_ADDRESS: of calls from sm_70 on */
enum { STACK_POINTER = 1, RETURN_ADDRESS = 20, RZ = 255, URZ = 63, PT = 7, TEMPORARIES = 48 };

/* The addresses of the functions of the device's runtime: function i is at RUNTIME_BASE + i times the bytes of an
 * instruction; first those of enum host_call, then those that fetch from textures with gradients (gradients.c), then
 * the one that sets a condition of a graph, then from sm_70 on those of grid-wide barriers (grid_barrier.c). Any
 * unknown symbol gets the first address after them. Arguments of a call are in registers, from R4 on; those of host
 * calls are copied to local memory above the stack. */
enum { RUNTIME_BASE = 0x7fff0000, RUNTIME_FRAME = 64, HOST_FUNCTIONS = HOST_FREE + 1, GRADIENT_FUNCTIONS = 8 };
enum runtime_function {
    SET_CONDITION = HOST_FUNCTIONS + GRADIENT_FUNCTIONS,
    GRID_HANDLE,
    GRID_SYNC,
    GRID_ARRIVE, /* from here on: steps of GRID_SYNC, which nothing calls */
    GRID_POLL,
    GRID_AGAIN,
    GRID_MEET,
    GRID_LEAVE,
    RUNTIME_FUNCTIONS
};

typedef VECTOR(rp_register) register_list;

/* The offset of each constant bank in the module's const image; CUBIN_UNKNOWN: the kernel has no such bank. */
struct sass_banks {
    uint32_t at[32];
};

/* Words of constant bank 0 that hold handles of the module's texture and surface references. */
struct sass_reference_word {
    uint32_t offset;
    uint64_t address; /* of the reference, which holds the handle */
};

struct sass_family; /* lower.h */

struct sass_build {
    const struct sass_family *family;
    struct arena *arena;
    const struct cubin_kernel *kernel;
    const struct sass_banks *banks;
    unsigned sm;
    uint32_t parameters; /* where they begin in constant bank 0 */
    VECTOR(struct sass_reference_word) references;
    uint32_t count;     /* instructions, without padding at the end */
    uint32_t functions; /* of the runtime, up to the last kind that the file calls */
    bool calls_runtime;
    uint32_t shared_behind; /* program.shared_behind: the code uses it */
    bool asks_of_images;    /* program.asks_of_images */
    unsigned order;         /* enum order_reason */
    VECTOR(struct operation) operations;
    struct constants constants;
    VECTOR(struct rp_instruction) instructions;

    /* the current instruction */
    uint32_t index, temporaries;
    bool started;
    /* While set, new operations belong to the previous instruction. A test of a barrier object must be the first
     * operation of its instruction, because it may wait; what computes its operands comes before it in this way. */
    bool early;
    bool uniform; /* lane operations are for the warp (UF_UNIFORM) */
    register_list dst, src;
};

/* Begins instruction `index`. */
void sass_build_begin(struct sass_build *, uint32_t index);

/* ---- what the lowering knows (lower.c) ---- */
/* The guard of the current instruction, a register or a constant. */
struct operand sass_build_guard(struct sass_build *, bool *negated);
/* Begins an instruction without a guard, one of those that follow the code. */
void sass_build_begin_runtime(struct sass_build *, uint32_t instruction);
_Noreturn void sass_build_not_covered(struct sass_build *, const char *what);
_Noreturn void sass_build_damaged(struct sass_build *, const char *what);

/* ---- operands (build.c) ---- */
struct operand constant32(struct sass_build *, uint32_t);
struct operand constant64(struct sass_build *, uint64_t);
struct operand sass_temporary(struct sass_build *); /* 64 bits wide */
struct operand read_register(struct sass_build *, unsigned);
struct operand read_pair(struct sass_build *, unsigned);
/* `count` registers from n on as the elements of a list. Notes them as sources or destinations. */
struct operand *register_list_at(struct sass_build *, unsigned n, unsigned count, bool write);
struct operand written(struct sass_build *, unsigned);          /* for the results of 32-bit operations */
void write_pair(struct sass_build *, unsigned, struct operand); /* spreads a 64-bit temporary */
struct operand sass_pack(struct sass_build *, struct operand pair[2]);
struct operand predicate_register(struct sass_build *, unsigned n); /* as a source */
struct operand written_predicate_register(struct sass_build *, unsigned n);
struct operand false_predicate(void);                         /* @!PT: nobody writes it */
struct operand hidden_result(bool predicate);                 /* of BAR.RED, for B2R */
struct operand read_uniform(struct sass_build *, unsigned n); /* as read_register and so on */
struct operand read_uniform_pair(struct sass_build *, unsigned n);
struct operand written_uniform(struct sass_build *, unsigned n);
struct operand uniform_predicate(struct sass_build *, unsigned n);
struct operand written_uniform_predicate(struct sass_build *, unsigned n);
struct operand convergence_barrier(unsigned n); /* the mask of lanes that meet, 32 bits in each lane */
struct operand link_register(bool high);        /* the words of Rpc, which code uses as any other register */
/* Notes a register among the sources or destinations of the instruction at hand, once. */
void note_register(struct sass_build *, register_list *, rp_register);

/* ---- constant banks (banks.c) ---- */
struct operand bank_word(struct sass_build *, unsigned bank, uint32_t offset);
/* The reference whose handle this word of bank 0 holds; NULL: none. */
const struct sass_reference_word *reference_word(const struct sass_build *, uint32_t offset);
struct operand special_register(struct sass_build *, enum special);

/* ---- operations (build.c) ---- */
void sass_emit(struct sass_build *, struct operation);
/* Emits it under another guard than the instruction's. Not for the first operation of an instruction. */
void sass_emit_where(struct sass_build *, struct operation, struct operand guard, bool negated);
/* d = op(a, b); without c */
struct operand lane2(struct sass_build *, enum lane_op, enum lane_type, struct operand x, struct operand y);
void move32(struct sass_build *, struct operand d, struct operand a);

/* ---- the device's runtime (runtime.c) ---- */
/* How many functions of the runtime a file needs that calls this symbol. */
uint32_t sass_runtime_functions(const struct sass_family *, const char *symbol);
uint64_t sass_runtime_address(const struct sass_family *, const char *symbol);
/* The number of the instruction that stands for a function of the runtime. These follow the last instruction of the
 * code. */
uint32_t sass_runtime_function(struct sass_build *, uint32_t function);
void sass_lower_runtime(struct sass_build *);
/* A function or step from GRID_HANDLE on, and what the trace says of it (grid_barrier.c). */
void sass_lower_grid_barrier(struct sass_build *, uint32_t step, struct rp_instruction *);

/* ---- the runtime's fetches (gradients.c) ---- */
/* The number of the fetch that the symbol names. False: it names none. */
bool gradient_function(const char *symbol, uint32_t *n);
const char *gradient_function_name(uint32_t n);
void lower_gradient_function(struct sass_build *, uint32_t n);

#endif
