/* What the files that translate IA-32 into uops share. */
#ifndef REPRISE_FRONTEND_ISA_IA32_UOPS_H
#define REPRISE_FRONTEND_ISA_IA32_UOPS_H

#include "frontend/isa/ia32/describe.h"
#include "frontend/isa/ia32/lanes.h"

/* ADDRESS: of the operand in memory; VALUE: what was loaded; OTHER: the other operand; RESULT */
enum { ADDRESS_TEMPORARY, VALUE_TEMPORARY, OTHER_TEMPORARY, RESULT_TEMPORARY };
#define ESP GUEST_REGISTER(IA32_ESP)
#define EBP GUEST_REGISTER(IA32_EBP)

/* What is known of the flags behind an instruction: they are those of a - b; or ZF and SF are those of a, and where it
 * is logical, CF and OF are 0. Where it is narrow, a and b have less than 32 bits and zeros above them. */
enum ia32_known { IA32_NOTHING_KNOWN, IA32_DIFFERENCE, IA32_RESULT };
struct ia32_fact {
    enum ia32_known known;
    bool narrow, logical;
    struct operand a, b;
};

struct ia32_translation {
    struct guest_build *build;
    const struct ia32_instruction *i;
    struct ia32_fact *fact;  /* for whoever comes to the next instruction from this one; kept in build->state */
    struct ia32_fact before; /* of the instruction before */
    struct operand guard;
    struct operand address; /* the operand in memory lies at address + displacement */
    int64_t displacement;
    struct ia32_accesses accesses;
    unsigned live; /* of the flags that the instruction writes */
};

/* ---- uops.c: what translations consist of ----------------------------------------------------------------------- */

/* Adds an operation of the instruction at hand, with its guard. */
void ia32_emit(struct ia32_translation *, struct operation);
struct operation ia32_operation(uop_fn, struct operand d, struct operand a, struct operand b, int64_t imm);
void ia32_lane(struct ia32_translation *, enum ia32_lane, struct operand d, struct operand a, struct operand b,
               int64_t imm);
void ia32_move(struct ia32_translation *, struct operand d, struct operand a);
/* d = a + distance, of 32 bits, without flags */
void ia32_add(struct ia32_translation *, struct operand d, struct operand a, uint32_t distance);
struct operand ia32_constant(const struct ia32_translation *, uint32_t value);
unsigned ia32_bits(const struct ia32_translation *); /* of the operation */
/* imm of an operation that sets those flags that are live. */
int64_t ia32_wants(const struct ia32_translation *);

/* An access of so many bytes at address + displacement; d: what is loaded, or stored. ia32_emit_access also tells the
 * trace of it. */
struct operation ia32_access(struct ia32_translation *, uint8_t kind, unsigned bytes, struct operand address,
                             int64_t displacement, struct operand d);
void ia32_emit_access(struct ia32_translation *, struct operation);
void ia32_load(struct ia32_translation *, struct operand d, struct operand address, int64_t displacement,
               unsigned bytes);
void ia32_store(struct ia32_translation *, struct operand value, struct operand address, int64_t displacement,
                unsigned bytes);
/* ESP moves as far, behind the access by it that was emitted last, which has 2 or 4 bytes and does not load it. */
void ia32_move_stack(struct ia32_translation *, uint32_t distance);
/* Sets t->address and t->displacement. */
void ia32_find_address(struct ia32_translation *);
int64_t ia32_address_imm(const struct ia32_instruction *, uint32_t displacement); /* of IA32_LANE_ADDRESS */

/* Register n of 32 bits; nothing: there is none. */
struct operand ia32_whole(unsigned n);
/* A register of 8 to 32 bits, or operand n: what lies above its bits may be anything. A temporary holds it where no
 * register does. */
struct operand ia32_register(struct ia32_translation *, unsigned n, unsigned bytes, unsigned temporary);
struct operand ia32_source(struct ia32_translation *, unsigned n, unsigned temporary);
/* The first two operands, in temporaries that differ. */
struct operand ia32_first(struct ia32_translation *);
struct operand ia32_second(struct ia32_translation *);
unsigned ia32_temporary(const struct ia32_translation *, unsigned n);
/* Where a result is computed; ia32_finish then puts it where it belongs. */
struct operand ia32_destination(const struct ia32_operand *);
void ia32_finish(struct ia32_translation *, const struct ia32_operand *, struct operand value);
/* A register of 8 to 32 bits = value. */
void ia32_insert(struct ia32_translation *, unsigned n, unsigned bytes, struct operand value);

/* ---- branch.c: what is known of flags, and transfers of control -------------------------------------------------- */

/* Says what the flags will be behind the instruction, and finds those that must be computed: t->live. */
void ia32_know(struct ia32_translation *, struct ia32_fact);
void ia32_know_result(struct ia32_translation *, struct operand result, bool logical);
/* Whether the instruction behind is a branch that compares what is known. */
bool ia32_is_compared(const struct ia32_translation *);
/* From here on uops are guarded by the instruction's condition. */
void ia32_test_condition(struct ia32_translation *);
struct operation ia32_branch_to(uint32_t target);
void ia32_control_uops(struct ia32_translation *);

/* ---- compute.c --------------------------------------------------------------------------------------------------- */

/* IA32_ADD to IA32_NOT and the like, of lanes.h. */
void ia32_compute(struct ia32_translation *, unsigned operation, struct operand d, struct operand a, struct operand b,
                  bool sets);
/* An atomic operation on the first operand, of which VALUE_TEMPORARY gets the old value. */
struct operation ia32_atomic(struct ia32_translation *, uint8_t atomic, struct operand b);
void ia32_computing_uops(struct ia32_translation *);

/* ---- move.c ------------------------------------------------------------------------------------------------------ */

void ia32_set_uops(struct ia32_translation *);
void ia32_push(struct ia32_translation *, struct operand value, unsigned bytes);
void ia32_moving_uops(struct ia32_translation *);
/* ESI, EDI and ECX as the prefix 67 lets them be: of 32 bits or 16. */
int64_t ia32_address_bits(const struct ia32_translation *);
struct operand ia32_index(struct ia32_translation *, unsigned n, unsigned temporary);
void ia32_count_down(struct ia32_translation *);
/* Goes to the target where ECX is 0, or is not. */
void ia32_branch_by_count(struct ia32_translation *, unsigned compare, uint32_t target);
void ia32_string_uops(struct ia32_translation *);
void ia32_flag_uops(struct ia32_translation *);

#endif
