/* Machine code of sm_50 to sm_62 to operations: private to the lower_*.c files and load.c.
 *
 * Registers, constants and the rest that machine code of other generations has, too, are in frontend/isa/sass. */
#ifndef REPRISE_FRONTEND_ISA_SASS5X_LOWER_H
#define REPRISE_FRONTEND_ISA_SASS5X_LOWER_H

#include "frontend/isa/sass/build.h"
#include "frontend/isa/sass5x/table.h"
#include "tracefmt/error.h"

enum { REFERENCE_STEP = 64 };

struct sass_source {
    const struct sass_item *item;
    bool negated, absolute, inverted;
};

struct sass_lowering {
    struct sass_build b; /* first */
    struct rp_error *err;
    jmp_buf *escape;
    const char *path;
    const struct cubin *cubin;
    const struct module *module;
    uint64_t references; /* address of its first reference; the next is REFERENCE_STEP further */
    enum sass_arch arch;
    uint32_t stack;                         /* initial stack pointer: local bytes per thread */
    uint32_t *start;                        /* first operation of each instruction */
    uint32_t *everywhere, everywhere_count; /* the targets of indirect branches */

    /* the instruction at hand */
    uint64_t word;
    const struct sass_row *row;
    uint32_t address;
    bool plus_one;
    struct operand outside; /* predicate of LEA */
    struct sass_source source[4];
    unsigned source_count;
    struct rp_memory_operand memory;
    uint32_t memory_count; /* operands, all alike */
    struct rp_barrier barrier;
};
extern const struct sass_family sass5x_family;

/* ---- errors: do not return ---- */
_Noreturn void sass_not_covered(struct sass_lowering *, const char *what);

/* ---- operands ---- */
static inline unsigned bits(const struct sass_lowering *l, unsigned at, unsigned width)
{
    return (unsigned)sass_field(l->word, (struct sass_bits){(uint8_t)at, (uint8_t)width});
}
static inline bool bit(const struct sass_lowering *l, unsigned at) { return sass_bit(l->word, at); }

void find_sources(struct sass_lowering *);
struct operand read_predicate(struct sass_lowering *, unsigned at); /* field at bit `at` */
struct operand written_predicate(struct sass_lowering *, unsigned at);

/* Source i as it stands (raw), or with its modifiers. */
struct operand source_raw(struct sass_lowering *, unsigned i);
struct operand source_int(struct sass_lowering *, unsigned i); /* ~ and - applied, after |x| */
struct operand source_f32(struct sass_lowering *, unsigned i);
struct operand source_f64(struct sass_lowering *, unsigned i);
struct operand source_64(struct sass_lowering *, unsigned i);
bool source_immediate(const struct sass_lowering *, unsigned i, uint64_t *value);

/* ---- operations ---- */
void sass_begin(struct sass_lowering *, uint32_t instruction);
struct operand sass_guard(struct sass_lowering *, bool *negated);
/* What the driver leaves in constant bank 0 below the parameters. */
struct operand sass5x_launch_word(struct sass_build *, uint32_t offset);
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

/* ---- accesses (lower_memory.c) ---- */
/* Emits it, as the instruction's only memory operand. */
void sass_access(struct sass_lowering *, struct operation *);
/* Types and width of a size as loads and stores encode it. */
void sass_set_size(struct sass_lowering *, struct operation *, unsigned size);
/* Emits a load or store of the registers from Rd on. */
void sass_move_data(struct sass_lowering *, struct operation *);
void sass_set_load_cache(struct sass_lowering *, struct operation *, unsigned at);
void sass_set_store_cache(struct sass_lowering *, struct operation *, unsigned at);
struct operation sass_atomic(struct sass_lowering *, enum rp_space, enum rp_atomic, enum lane_type);

/* ---- semantics: the row's name chooses ---- */
typedef void (*sass_semantic)(struct sass_lowering *);
struct sass_meaning {
    const char *name;
    sass_semantic lower;
};
extern const struct sass_meaning sass_integer[], sass_float[], sass_move[], sass_convert[], sass_memory[], sass_flow[],
    sass_video[], sass_half[], sass_texture[]; /* each ends in a NULL name */
/* Whether a row has a semantic function; what of its fields' values that covers is the function's matter. */
bool sass_is_executed(const struct sass_row *);

/* ---- programs ---- */
/* Fills in *p, whose name is set. Jumps to *escape with 1 after an error. */
void sass_lower(struct sass_lowering *, struct program *p);
void sass_describe(struct sass_lowering *); /* adds the instruction at hand to the static table */
/* Live registers per instruction, while targets of operations are still numbers of instructions. NULL: the file does
 * not say where an instruction goes that pops the stack or branches through a register. */
const struct rp_live *sass5x_live(struct sass_lowering *);

#endif
