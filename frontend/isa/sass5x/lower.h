/* Lowers machine code of sm_50 to sm_62 to operations: what the lower_*.c files share. frontend/isa/sass/lower.h has
 * what all generations share. */
#ifndef REPRISE_FRONTEND_ISA_SASS5X_LOWER_H
#define REPRISE_FRONTEND_ISA_SASS5X_LOWER_H

#include "frontend/isa/sass/lower.h"
#include "frontend/isa/sass5x/table.h"

extern const struct sass_family sass5x_family;

/* ---- operations ---- */
/* A word that the driver stores in constant bank 0 below the parameters. */
struct operand sass5x_launch_word(struct sass_build *, uint32_t offset);
/* With .CC (bit 47), sets the condition codes for a result that is no sum. */
void set_codes(struct sass_lowering *, struct operand value);
/* With .CC at bit `at`, sets the condition codes for a floating-point result (T_F32 or T_F64). Zero and sign compare it
 * with 0, so -0 is zero and has no sign. A NaN has both, which is what the tests NUM, NAN and those with U check. Carry
 * and overflow are clear. ptxas itself writes only F2F.F32.F32 RZ.CC, 1, to test whether a lower word is not zero. */
void set_float_codes(struct sass_lowering *, unsigned at, enum lane_type, struct operand value);
/* Writes two predicates at the usual places of a *SETP. The one that may be the guard is written last. */
void write_predicates(struct sass_lowering *, struct operand first, struct operand second);
/* *SET: writes the result of the comparison `u` to Rd, as all ones or as 1.0f, and to the condition codes. */
void sass_set(struct sass_lowering *, struct operation u, bool as_float);
/* Sets combine, p and destinations of a *SETP, which are at their usual places. */
void set_predicates(struct sass_lowering *, struct operation *, unsigned combine_at);

/* ---- accesses (lower_memory.c) ---- */
/* Types and width of a size as loads and stores encode it. */
void sass_set_size(struct sass_lowering *, struct operation *, unsigned size);
void sass_set_load_cache(struct sass_lowering *, struct operation *, unsigned at);
void sass_set_store_cache(struct sass_lowering *, struct operation *, unsigned at);

/* ---- semantics: the row's name chooses ---- */
extern const struct sass_meaning sass_integer[], sass_float[], sass_move[], sass_convert[], sass_memory[], sass_flow[],
    sass_video[], sass_half[], sass_texture[]; /* each list ends with a NULL name */

/* ---- what sass5x_family points at ---- */
void sass5x_describe(const struct sass_lowering *, struct rp_instruction *);

#endif
