/* Lowers machine code to operations: what all generations share, and what each provides in its struct sass_family.
 *
 * sass_lower goes through a kernel's instructions. For each it finds the row, the sources, and the family's function
 * for the row's semantic. That function emits operations (build.h) and notes registers, memory operand and barrier.
 * Errors jump to *escape with the value 1; running out of memory jumps there with ARENA_FULL. */
#ifndef REPRISE_FRONTEND_ISA_SASS_LOWER_H
#define REPRISE_FRONTEND_ISA_SASS_LOWER_H

#include "frontend/isa/sass/build.h"
#include "frontend/isa/sass/disasm.h"
#include "tracefmt/error.h"

struct sass_source {
    const struct sass_item *item;
    bool negated, absolute, inverted;
};

typedef VECTOR(struct rp_memory_operand) memory_operands;

struct sass_lowering {
    struct sass_build b; /* first */
    struct rp_error *err;
    jmp_buf *escape;
    const char *path;
    const struct cubin *cubin;
    unsigned arch;
    uint32_t stack;                         /* initial stack pointer: local bytes per thread */
    uint32_t *start;                        /* first operation of each instruction */
    uint32_t *everywhere, everywhere_count; /* the targets of indirect branches */

    /* the current instruction */
    struct isa_word word;
    const struct sass_row *row;
    uint32_t address;
    bool plus_one;          /* .PO */
    struct operand outside; /* a predicate that an addition of addresses also writes; absent: it writes none */
    struct sass_source source[4];
    unsigned source_count;
    memory_operands memory;
    struct rp_barrier barrier;
    struct rp_async async;
};

typedef void (*sass_semantic)(struct sass_lowering *);
struct sass_meaning {
    const char *name;
    sass_semantic lower;
};

/* A generation. */
struct sass_family {
    const struct sass_table *table;
    /* The instructions that execute, by semantic: lists that end with a NULL name; NULL follows the last list. */
    const struct sass_meaning *const *meanings;
    uint32_t (*parameters)(unsigned sm); /* where they begin in constant bank 0 */
    /* The word that the driver puts at an offset of bank 0 below the parameters. */
    struct operand (*launch_word)(struct sass_build *, uint32_t offset);
    /* Emits the return to the caller of a function of the runtime. */
    void (*end_runtime)(struct sass_build *);
    /* Completes the current static instruction: flags except for the guard's, class, fence, and the barriers that it
     * waits for. */
    void (*describe)(const struct sass_lowering *, struct rp_instruction *);
};

/* ---- errors: do not return ---- */
_Noreturn void sass_not_covered(struct sass_lowering *, const char *what);
_Noreturn void sass_damaged(struct sass_lowering *, const char *what); /* code that no compiler makes */

/* ---- fields ---- */
static inline unsigned bits(const struct sass_lowering *l, unsigned at, unsigned width)
{
    return (unsigned)sass_field(l->word, SASS_BITS((uint8_t)at, (uint8_t)width));
}
static inline bool bit(const struct sass_lowering *l, unsigned at) { return sass_bit(l->word, at); }

struct operand read_predicate(struct sass_lowering *, unsigned at); /* field at bit `at` */
struct operand written_predicate(struct sass_lowering *, unsigned at);
struct operand sass_guard(struct sass_lowering *, bool *negated);
bool sass_is_guarded(const struct sass_lowering *); /* by a predicate other than PT */
enum compare float_compare(unsigned code);
enum compare int_compare(unsigned code);
enum rounding sass_rounding(unsigned code);

/* ---- sources (sources.c): the row's registers that have an operand slot, constants and immediates, in order ---- */
void sass_find_sources(struct sass_lowering *);
/* Source i without its modifiers (raw), or with them. */
struct operand source_raw(struct sass_lowering *, unsigned i);
struct operand source_int(struct sass_lowering *, unsigned i); /* applies |x|, then ~ and - */
struct operand source_f32(struct sass_lowering *, unsigned i);
struct operand source_f64(struct sass_lowering *, unsigned i);
struct operand source_64(struct sass_lowering *, unsigned i);
bool source_immediate(const struct sass_lowering *, unsigned i, uint64_t *value);

/* Sets the predicate, which the instruction's first operation has set under the guard, to false where the guard does
 * not hold (transfer.c). */
void sass_limit_to_guard(struct sass_lowering *, struct operand condition);

/* ---- transfers of control (transfer.c); targets are numbers of instructions until the end of lowering ---- */
/* Emits it for the lanes in which the guard and the condition hold. `condition`: a temporary that the instruction's
 * first operation has set under the guard; it is overwritten. */
void sass_transfer_where(struct sass_lowering *, struct operand condition, struct operation);
/* Makes such a condition false in the lanes that the guard keeps out. */
void sass_limit_to_guard(struct sass_lowering *, struct operand condition);
/* A branch to the byte address in a register of 32 bits, of code or of a function of the runtime. */
struct operation sass_indirect(struct sass_lowering *, struct operand at);
/* The same for an address that is known. */
struct operation sass_jump(struct sass_lowering *, int64_t address);
/* The instruction at a byte address; that of a bundle's control word means the one after it. */
uint32_t sass_instruction_at(struct sass_lowering *, int64_t address);

/* ---- arithmetic (arithmetic.c) ---- */
/* Emits a lane operation into a temporary. */
struct operand sass_value_of(struct sass_lowering *, struct operation);
/* .FMZ: where either factor is zero both become zero, so that their product is, infinities and NaN included. */
void sass_zero_factors(struct sass_lowering *, struct operand *a, struct operand *b);
/* d = a * b * 2^exponent, rounded once; u has a, b, d, rounding and flags. */
void sass_scaled_product(struct sass_lowering *, struct operation u, int exponent);
/* d = the minimum of a and b where the predicate at bit predicate_at holds (negated by the bit above it), else the
 * maximum; u has type, a, b, d and flags. */
void sass_extreme(struct sass_lowering *, struct operation u, unsigned predicate_at);
/* d = a sum of sources 0 and 1 in which each lane of a quad has its own signs, two bits, lane 0's the highest: +a+b,
 * -a+b, +a-b, +b. So NVIDIA's disassembler names them (PP NP PN ZP), and only so does what ptxas makes of tex.grad.cube
 * sample at x, x + dx, x + dy and x + dx + dy: ZPPPZPPP of dx and x, then ZPZPPPPP of dy and that sum. */
void sass_swizzled_sum(struct sass_lowering *, struct operation u, unsigned swizzle_at);
/* Reciprocal or reciprocal root of a double whose upper word is given, to 20 bits: its upper word. */
void sass_upper_function(struct sass_lowering *, enum lane_op, struct operand upper, struct operand d);
/* A half of a word, as an element of 16 bits, and a word of two of these. */
struct operand sass_half_of(struct sass_lowering *, struct operand word, bool upper);
void sass_store_halves(struct sass_lowering *, struct operand d, struct operand low, struct operand high);
/* Bits of a word, extended to 32. */
struct operand sass_part_of(struct sass_lowering *, struct operand word, bool is_signed, unsigned at, unsigned width);
/* Half of source i as an f16 or bf16, with the source's modifiers. */
struct operand sass_small_float(struct sass_lowering *, unsigned i, bool upper);
/* Stores a number of any type in register d, and the one after it if it has 64 bits; fewer than 32 are extended by
 * the type's sign. Returns it, an integer extended. */
struct operand sass_store_number(struct sass_lowering *, unsigned d, enum lane_type, struct operand value);

/* An instruction that does nothing here: hints, and waits of the hardware. */
void sass_lower_nothing(struct sass_lowering *);

/* ---- memory operands (memory.c) ---- */
/* Emits it, as the instruction's next memory operand. */
void sass_access(struct sass_lowering *, struct operation *);
/* The same where only the lanes of a predicate make the access (build.h, sass_emit_where). */
void sass_access_where(struct sass_lowering *, struct operation *, struct operand guard);
/* Adds `count` equal memory operands. */
void sass_add_operands(struct sass_lowering *, struct rp_memory_operand, uint32_t count);
/* Emits a load or store whose data are in register n, or in the registers from n on. */
void sass_move_data(struct sass_lowering *, struct operation *, unsigned n);
/* Operations of atomics in the order of their encoding: enum rp_atomic. */
enum { SASS_ATOMICS = 9 };
extern const uint8_t sass_atomics[SASS_ATOMICS];
struct operation sass_atomic(struct sass_lowering *, enum rp_space, enum rp_atomic, enum lane_type);
/* Register n, or the two or four from it on, by the width of the access. */
struct operand sass_atomic_value(struct sass_lowering *, const struct operation *, unsigned n);
/* Emit the atomic: with the old value into Rd, unless that is RZ; or with 1 where it swapped, else 0, as .CAST and
 * .CAST.SPIN do. */
void sass_return_old(struct sass_lowering *, struct operation *, unsigned d);
void sass_return_success(struct sass_lowering *, struct operation *, unsigned d);

/* ---- programs ---- */
void sass_begin(struct sass_lowering *, uint32_t instruction);
sass_semantic sass_find_meaning(const struct sass_family *, const struct sass_row *); /* NULL: it does not execute */
/* Fills in *p, whose name is set. */
void sass_lower(struct sass_lowering *, struct program *p);
void sass_describe(struct sass_lowering *); /* adds the current instruction to the static table */
/* Live registers per instruction (flow.c). To be called while targets of operations are still numbers of instructions.
 * NULL: unknown, because the file does not list the targets of an instruction that pops the stack or branches through a
 * register. */
const struct rp_live *sass_find_live(struct sass_lowering *);

#endif
