/* Machine code of sm_50 to sm_62 to operations: private to the lower_*.c files and load.c.
 *
 * A warp's window holds predicates P0..P6 (a mask each), what BAR.RED left, temporaries, and the 255 32-bit registers,
 * 32 lanes each. An operation on 64 bits works on temporaries that PACK and UNPACK fill from and spread to register
 * pairs. RZ and PT are constants as sources; as destinations a place that nobody reads, and no place.
 *
 * All operations of an instruction have its guard, so a destination that may be the guard is written by the last of
 * them.
 */
#ifndef REPRISE_FRONTEND_ISA_SASS5X_LOWER_H
#define REPRISE_FRONTEND_ISA_SASS5X_LOWER_H

#include "frontend/core/program.h"
#include "frontend/isa/sass5x/table.h"
#include "frontend/loader/arena.h"
#include "frontend/loader/constants.h"
#include "frontend/loader/cubin.h"
#include "tracefmt/error.h"

enum { RZ = 255, PT = 7, TEMPORARIES = 48, LAUNCH_PARAMETERS = 0x140 };

/* Where code sees the functions of the device's runtime: function i at RUNTIME_BASE + 8 * i, in the order of enum
 * host_call. A symbol that is none of them is at the first address beyond. Calls of them go through registers (R4 on);
 * local memory above the stack passes them on. */
enum { RUNTIME_BASE = 0x7fff0000, RUNTIME_FUNCTIONS = HOST_FREE + 1, RUNTIME_FRAME = 64 };

struct sass_source {
    const struct sass_item *item;
    bool negated, absolute, inverted;
};

typedef VECTOR(rp_register) register_list;

/* Where constant banks lie in the module's const image; CUBIN_UNKNOWN: the kernel has no such bank. */
struct sass_banks {
    uint32_t at[32];
};

struct sass_lowering {
    struct arena *arena;
    struct rp_error *err;
    jmp_buf *escape;
    const char *path;
    const struct cubin *cubin;
    const struct cubin_kernel *kernel;
    const struct sass_banks *banks;
    enum sass_arch arch;
    uint32_t count; /* instructions, without padding at the end */
    uint32_t stack; /* initial stack pointer: local bytes per thread */
    bool calls_runtime;
    unsigned order; /* enum order_reason */
    VECTOR(struct operation) operations;
    struct constants constants;
    VECTOR(struct rp_instruction) instructions;
    uint32_t *start;                        /* first operation of each instruction */
    uint32_t *everywhere, everywhere_count; /* the targets of indirect branches */

    /* the instruction at hand */
    uint64_t word;
    const struct sass_row *row;
    uint32_t address, index, temporaries;
    bool started, plus_one;
    struct operand outside; /* predicate of LEA */
    struct sass_source source[4];
    unsigned source_count;
    register_list dst, src;
    struct rp_memory_operand memory;
    bool has_memory;
    struct rp_barrier barrier;
};

/* Emitting an operation or naming a register changes the instruction at hand, so no two calls that do either stand in
 * one argument list or initialiser: C leaves their order open, and the trace would depend on the compiler. */

/* ---- errors: do not return ---- */
_Noreturn void sass_not_covered(struct sass_lowering *, const char *what);

/* ---- operands ---- */
static inline unsigned bits(const struct sass_lowering *l, unsigned at, unsigned width)
{
    return (unsigned)sass_field(l->word, (struct sass_bits){(uint8_t)at, (uint8_t)width});
}
static inline bool bit(const struct sass_lowering *l, unsigned at) { return sass_bit(l->word, at); }

void find_sources(struct sass_lowering *);
struct operand constant32(struct sass_lowering *, uint32_t);
struct operand constant64(struct sass_lowering *, uint64_t);
struct operand sass_temporary(struct sass_lowering *); /* 64 bits wide */
struct operand read_register(struct sass_lowering *, unsigned);
struct operand read_pair(struct sass_lowering *, unsigned);
/* `count` registers from n on, as the elements of a list; also noted as sources or destinations. */
struct operand *register_list_at(struct sass_lowering *, unsigned n, unsigned count, bool write);
struct operand written(struct sass_lowering *, unsigned);           /* for the results of 32-bit operations */
void write_pair(struct sass_lowering *, unsigned, struct operand);  /* spreads a 64-bit temporary */
struct operand read_predicate(struct sass_lowering *, unsigned at); /* field at bit `at` */
struct operand written_predicate(struct sass_lowering *, unsigned at);
struct operand hidden_result(bool predicate); /* of BAR.RED, for B2R */
struct operand bank_word(struct sass_lowering *, unsigned bank, uint32_t offset);

/* Source i as it stands (raw), or with its modifiers. */
struct operand source_raw(struct sass_lowering *, unsigned i);
struct operand source_int(struct sass_lowering *, unsigned i); /* ~ and - applied, after |x| */
struct operand source_f32(struct sass_lowering *, unsigned i);
struct operand source_f64(struct sass_lowering *, unsigned i);
struct operand source_64(struct sass_lowering *, unsigned i);
bool source_immediate(const struct sass_lowering *, unsigned i, uint64_t *value);

/* ---- operations ---- */
void sass_begin(struct sass_lowering *, uint32_t instruction);
void sass_emit(struct sass_lowering *, struct operation);
/* The same under another guard than the instruction's. Not for the first operation of an instruction. */
void sass_emit_where(struct sass_lowering *, struct operation, struct operand guard, bool negated);
struct operand sass_guard(struct sass_lowering *, bool *negated);
/* d = op(a, b); without c */
struct operand lane2(struct sass_lowering *, enum lane_op, enum lane_type, struct operand a, struct operand b);
void move32(struct sass_lowering *, struct operand d, struct operand a);
/* With .CC (bit 47): condition codes of a result that is no sum. */
void set_codes(struct sass_lowering *, struct operand value);
/* With .CC at bit `at`: condition codes of a floating-point result (T_F32 or T_F64). Zero and sign say how it compares
 * with 0, so that -0 is zero and has no sign, and NaN, which the tests NUM, NAN and those with U ask for, is both; no
 * carry, no overflow. ptxas itself writes only F2F.F32.F32 RZ.CC, 1, for a lower word that is not zero. */
void set_float_codes(struct sass_lowering *, unsigned at, enum lane_type, struct operand value);
/* Two predicates at the usual places of a *SETP, the one that may be the guard last. */
void write_predicates(struct sass_lowering *, struct operand first, struct operand second);
/* *SET: Rd and the condition codes = what the comparison `u` says, as all ones or as 1.0f. */
void sass_set(struct sass_lowering *, struct operation u, bool as_float);
/* .FMZ: where either factor is zero both become zero, so that their product is, infinities and NaN included. */
void sass_zero_factors(struct sass_lowering *, struct operand *a, struct operand *b);
/* Sets combine, p and destinations of a *SETP at their usual places. */
void set_predicates(struct sass_lowering *, struct operation *, unsigned combine_at);
enum compare float_compare(unsigned code);
enum compare int_compare(unsigned code);
enum rounding sass_rounding(unsigned code);

/* ---- semantics: the row's name chooses ---- */
typedef void (*sass_semantic)(struct sass_lowering *);
struct sass_meaning {
    const char *name;
    sass_semantic lower;
};
extern const struct sass_meaning sass_integer[], sass_float[], sass_move[], sass_convert[], sass_memory[], sass_flow[],
    sass_video[], sass_half[]; /* each ends in a NULL name */
/* Whether a row has a semantic function; what of its fields' values that covers is the function's matter. */
bool sass_is_executed(const struct sass_row *);

/* ---- the device's runtime ---- */
uint64_t sass_runtime_address(const char *symbol);
/* The number of the instruction that stands for a function; after the last instruction of the code. */
uint32_t sass_runtime_function(struct sass_lowering *, uint32_t function);
void sass_lower_runtime(struct sass_lowering *);

/* ---- programs ---- */
/* Fills in *p, whose name is set. Jumps to *escape with 1 after an error. */
void sass_lower(struct sass_lowering *, struct program *p);
void sass_describe(struct sass_lowering *); /* adds the instruction at hand to the static table */

#endif
