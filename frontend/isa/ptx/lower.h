/* Lowers instructions to operations (frontend/operation/uop.h), function by function, for one kernel and everything
 * that it may call.
 *
 * While a function is being lowered, its operations name registers by number: first those of the source, then
 * temporaries. Branches name blocks of the control-flow graph. When the function is complete, registers get their slots
 * (allocate.h), and branches get the operations at which their blocks begin. */
#ifndef REPRISE_FRONTEND_ISA_PTX_LOWER_H
#define REPRISE_FRONTEND_ISA_PTX_LOWER_H

#include "frontend/core/program.h"
#include "frontend/isa/ptx/ast.h"
#include "frontend/isa/ptx/cfg.h"
#include "frontend/module/constants.h"

/* A function of the program. */
struct lowered {
    struct ptx_function *function;
    uint32_t entry, end; /* operations */
    uint32_t window_bytes;
    uint32_t pressure;                   /* the most 32-bit registers that are live at once */
    bool calls_indirectly, takes_memory; /* alloca */
    VECTOR(uint32_t) calls;              /* indices into lowering.functions */
};

struct lowering {
    struct ptx_source *src;
    struct arena *arena;
    struct ptx_unit *unit;
    struct module *module;
    VECTOR(struct lowered) functions;
    uint32_t *function_index; /* by function number: index in functions + 1 */
    VECTOR(struct operation) operations;
    VECTOR(struct rp_instruction) instructions;
    VECTOR(struct rp_live) live;                    /* by instruction */
    VECTOR(const struct ptx_instruction *) sources; /* by instruction */
    struct constants constants;
    unsigned order;
    uint32_t general_registers, predicate_registers; /* of the trace, so far */

    /* the function at hand */
    struct lowered *current;
    struct ptx_function *function;
    struct cfg cfg;
    VECTOR(uint8_t) element; /* by register: bytes per lane, 0 a predicate */
    uint32_t *trace_number;  /* by register of the source: its number in the trace, plus 1 */
    uint32_t *use_count;     /* by register of the source: how often it is read */
    uint8_t *policies;       /* NULL, or by register of the source: cache_policy.c */

    /* the current instruction */
    const struct ptx_instruction *in;
    uint32_t index;
    bool started; /* it has an operation */
    VECTOR(struct rp_memory_operand) memory;
    struct rp_barrier barrier;
    struct rp_async async;
};

/* Reports that the current instruction, or `what` in it, is not covered yet. Does not return. */
void not_covered(struct lowering *, uint32_t at, const char *what) __attribute__((noreturn));
/* Reports an error unless `have` (NULL: none) is at least sm_`sm`, which the instruction needs. */
void need_target(struct lowering *, const struct target *have, unsigned sm);

/* ---- operands (lower_operand.c) */
struct operand constant(struct lowering *, uint64_t bits, unsigned size);
struct operand temporary(struct lowering *, enum ptx_type type);
/* Bytes per lane of a type's elements in registers. */
unsigned element_bytes(enum ptx_type type);
/* The value of a source operand with the width of `type`, truncated if its register is wider. */
struct operand source(struct lowering *, const struct ptx_operand *, enum ptx_type type);
struct operand predicate_source(struct lowering *, const struct ptx_operand *, uint8_t *flip);
struct operand register_operand(uint32_t reg);
enum ptx_type register_type(const struct lowering *, const struct ptx_operand *);
/* Emits d = special register a if one operation can do it. False: it cannot, and nothing was emitted. */
bool emit_special(struct lowering *, const struct ptx_operand *d, const struct ptx_operand *a, enum ptx_type type);
/* Where to write a result of `type` for the operand: its register, or a temporary for a sink or a wider register. */
struct operand destination(struct lowering *, const struct ptx_operand *, enum ptx_type type);
/* To be called after the operation that wrote destination(): if the register is wider, extends the result to it. */
void finish_destination(struct lowering *, const struct ptx_operand *, enum ptx_type type, struct operand result);
/* Appends an operation of the current instruction. Fills in guard, index and UF_FIRST. */
struct operation *emit(struct lowering *, struct operation);
/* Copies between integer registers of different width: extends by zeros or sign, or truncates. */
void emit_resize(struct lowering *, struct operand to, enum ptx_type to_type, struct operand from,
                 enum ptx_type from_type);
/* Computes `op` of both into a temporary, and returns it. */
struct operand lane_result(struct lowering *, uint8_t op, enum ptx_type, struct operand a, struct operand b);
/* The address of a variable in its own space. Sets *in_frame if the frame base is to be added. */
uint64_t variable_address(struct lowering *, struct ptx_variable *, uint32_t at, uint8_t *space, bool *in_frame);

/* The eviction priority in L2 that the instruction's cache policy asks for, as far as it is known: enum rp_eviction
 * (cache_policy.c). */
uint8_t cache_policy_of(struct lowering *);

/* ---- memory operations (lower_memory.c) */
/* The trace's description of an access to `elements` elements of the type; space and order follow from the
 * modifiers. */
struct rp_memory_operand memory_operand(const struct ptx_instruction *, uint8_t kind, enum ptx_type, uint32_t elements);
/* Sets address, space and offset of a memory operation whose memory operand is set. */
void set_address(struct lowering *, struct operation *, const struct ptx_operand *address);
/* The address that set_address() gave it as 64 bits, with its offset. The operation must not be relative to a frame. */
struct operand whole_address(struct lowering *, const struct operation *);
/* The lane type of `bytes` bytes per element in which registers hold values of `type`. */
uint8_t register_form(enum ptx_type type, unsigned bytes);
/* Bytes per element of the registers that hold the values; 0: they differ in width. */
unsigned common_width(const struct lowering *, const struct ptx_operand *values, uint32_t count);
/* Emits the operation as the next memory operand of the instruction. */
struct operation *finish_access(struct lowering *, struct operation *);

/* ---- instructions */
void lower_lanes(struct lowering *, uint32_t extra_flags); /* lower_lanes.c */
void lower_move(struct lowering *);
void lower_move_vector(struct lowering *);
void lower_convert(struct lowering *);
void lower_video(struct lowering *);      /* lower_video.c */
void lower_video_simd(struct lowering *); /* lower_video_simd.c */
void lower_cvta(struct lowering *);       /* lower_address.c */
void lower_isspacep(struct lowering *);
void lower_cluster(struct lowering *);
void lower_object(struct lowering *); /* lower_object.c */
void lower_object_wait(struct lowering *);
void lower_bulk(struct lowering *);
void lower_tensor(struct lowering *);
void lower_map_field(struct lowering *); /* lower_tensor_map.c */
void lower_map_copy(struct lowering *);
/* For st.async and red.async: the bytes have arrived, and the object waits for them no more. */
void lower_completion(struct lowering *);
void lower_pending_count(struct lowering *);
void lower_cluster_barrier(struct lowering *); /* lower_control.c */
void lower_load(struct lowering *);            /* lower_memory.c */
void lower_store(struct lowering *);
void lower_atomic(struct lowering *);
void lower_copy(struct lowering *);
void lower_prefetch(struct lowering *);
void lower_texture(struct lowering *); /* lower_texture.c */
void lower_image_query(struct lowering *);
void lower_surface_load(struct lowering *);
void lower_surface_store(struct lowering *);
void lower_surface_reduce(struct lowering *);
void lower_branch(struct lowering *); /* lower_control.c */
void lower_branch_table(struct lowering *);
void lower_call(struct lowering *);
void lower_stack(struct lowering *);
void lower_return(struct lowering *);
void lower_barrier(struct lowering *);
void lower_warp_barrier(struct lowering *);
void lower_mma(struct lowering *);   /* lower_matrix.c */
void lower_wgmma(struct lowering *); /* lower_wgmma.c */
void lower_warpgroup(struct lowering *);
void lower_wmma_load(struct lowering *);
void lower_wmma_store(struct lowering *);
void lower_ldmatrix(struct lowering *);
void lower_stmatrix(struct lowering *);
void lower_movmatrix(struct lowering *);
void lower_plain(struct lowering *, enum uop_kind kind);

/* Adds the static instruction of the current instruction to the trace's table (describe.c). */
void describe(struct lowering *);
/* Adds the inlined calls of all instructions. To be called once all instructions are described. */
void describe_inlined(struct lowering *, struct rp_kernel *);
void describe_files(struct lowering *, struct rp_kernel *);
/* The source text of an instruction on one line. Blanks and comments become one blank. */
const char *instruction_text(struct lowering *, const struct ptx_instruction *);

/* Finds all functions that the kernel may call, and lays out the shared variables that they name: first the static
 * ones, then the dynamic array (reach.c). */
struct reach {
    VECTOR(struct ptx_function *) functions; /* the kernel first, others in the order in which they are found */
    struct extent_layout shared;             /* dense: bytes without gaps; with a dynamic array, its offset */
    VECTOR(struct extent) variables;         /* the static ones */
    uint16_t *parts;                         /* see struct extents */
    uint64_t dynamic;                        /* where dynamic shared memory begins */
    bool names_dynamic;                      /* there is a dynamic array */
};
void find_reach(struct ptx_unit *, struct ptx_function *entry, uint32_t program_number, struct reach *);

/* Lowers one kernel. Reports errors by ptx_error. */
void ptx_lower(struct ptx_unit *, struct module *, struct ptx_function *entry, uint32_t program_number,
               struct program *);

#endif
