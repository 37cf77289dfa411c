/* Machine code of sm_70 to sm_90 to operations: what the lower_*.c files share. What machine code of other generations
 * has, too, is in frontend/isa/sass/lower.h.
 *
 * Instructions of the uniform datapath are lowered by the functions of their like on the vector datapath (UIADD3 by
 * that of IADD3): sources, predicates and results say by the row which register file they are of, and all operations of
 * such a row are for the warp (sass_build.uniform). Instructions that take a value from the lanes (R2UR, VOTEU, S2UR,
 * REDUX) compute in the active lanes and broadcast the result. */
#ifndef REPRISE_FRONTEND_ISA_SASS7X_LOWER_H
#define REPRISE_FRONTEND_ISA_SASS7X_LOWER_H

#include "frontend/isa/sass/lower.h"
#include "frontend/isa/sass7x/table.h"

extern const struct sass_family sass7x_family;

/* Where fields lie in the words of most instructions. */
enum { AT_RD = 16, AT_RA = 24, AT_RB = 32, AT_RC = 64, AT_PD = 81, AT_PD2 = 84, AT_PC = 87 };

/* Whether the second source is a uniform register, or whatever else bit 91 says of the row. */
static inline bool has_uniform_source(const struct sass_lowering *l) { return bit(l, 91); }

/* ---- operands (lower_operand.c) ---- */
/* Rd, or URd of uniform rows, for the results of 32-bit operations. */
struct operand sass7x_result(struct sass_lowering *);
/* Emits a lane operation with Rd, or URd, as its destination. */
void sass7x_to_result(struct sass_lowering *, struct operation);
/* The mask of the lanes that execute the instruction, in each of them. */
struct operand sass7x_active_lanes(struct sass_lowering *);
/* Spreads a 64-bit temporary over Rd and the register after it, or URd and so on. */
void sass7x_write_64(struct sass_lowering *, struct operand value);
/* Predicate field with its negation at bit at + 3, as a predicate of its own. */
struct operand sass7x_predicate(struct sass_lowering *, unsigned at);
/* Sets p of an operation to the field, with its negation at bit at + 3. */
void sass7x_set_p(struct sass_lowering *, struct operation *, unsigned at);
/* Writes the temporary predicates to Pd and Pd2, the one that may be the guard last. */
void sass7x_write_predicates(struct sass_lowering *, struct operand first, struct operand second);
/* Refuses the instruction if a predicate of the row is another than PT. */
void sass7x_refuse_predicates(struct sass_lowering *);
/* Sets combine [74:2], p at [87:3] and destinations of a *SETP. */
void sass7x_set_predicates(struct sass_lowering *, struct operation *);
/* In all lanes of URd the value that the first executed lane has; of a predicate likewise to UPd at field `at`. */
void sass7x_broadcast(struct sass_lowering *, struct operand value);
void sass7x_broadcast_to(struct sass_lowering *, unsigned n, struct operand value); /* UR<n> */
struct operand sass7x_of_first_lane(struct sass_lowering *, struct operand value);  /* the same in a temporary */
void sass7x_broadcast_predicate(struct sass_lowering *, unsigned at, struct operand value);
/* {high, low}, each 32 bits. */
struct operand sass7x_pack(struct sass_lowering *, struct operand low, struct operand high);
/* The two words of a 64-bit value, in temporaries. */
void sass7x_split(struct sass_lowering *, struct operand value, struct operand words[2]);

/* What the driver leaves in constant bank 0 below the parameters. */
struct operand sass7x_launch_word(struct sass_build *, uint32_t offset);

/* ---- memory operands ---- */
/* Sets address, its width and offset from the row's address number n; extended: 64 bits (lower_address.c). */
void sass7x_set_address(struct sass_lowering *, struct operation *, unsigned n, bool extended);
/* On sm_90 an address of shared memory has the block's rank in its cluster from bit 24 on, and 64-bit addresses of
 * shared memory have SHARED_HIGH above it. These give the offset in the shared window (32 bits), or the generic
 * address, of frontend/operation/address_map.h; on other targets the address itself. */
enum { SHARED_HIGH = 1 };
struct operand sass7x_shared_offset(struct sass_lowering *, struct operand at);
struct operand sass7x_generic_address(struct sass_lowering *, struct operand at);
/* A predicate that is true in the lowest of the lanes that execute the instruction, and in no other lane, for
 * sass_emit_where: accesses of the uniform datapath are made once (lower_cluster.c). */
struct operand sass7x_first_lane(struct sass_lowering *);
/* An access without its address. Sizes in their encoding at bit 73: U8 S8 U16 S16 32 64 128, and on sm_70 and 75 U.128,
 * which asks for the same bytes (lower_memory.c). */
struct operation sass7x_load_or_store(struct sass_lowering *, enum rp_space, bool store);
/* Strength and scope; eviction priority in L1 (lower_memory.c). */
void sass7x_set_order(struct sass_lowering *, struct rp_memory_operand *);
void sass7x_set_hint(struct sass_lowering *, struct rp_memory_operand *);

/* ---- barrier objects ---- */
/* A lane's arrival at an object of sm_75 to sm_89, whose previous value goes to Rd and the register after it; flags:
 * UF_... (lower_atomic.c). */
void sass7x_arrive(struct sass_lowering *, unsigned d, uint64_t flags);
/* An access to an object of sm_90 without arrivals and bytes; its address is missing (lower_object.c). */
struct operation sass7x_object_access(struct sass_lowering *, enum rp_object_operation, enum rp_order);

/* ---- semantics: the row's name chooses ---- */
extern const struct sass_meaning sass7x_integer[], sass7x_logic[], sass7x_float[], sass7x_half[], sass7x_double[],
    sass7x_convert[], sass7x_move[], sass7x_memory[], sass7x_atomic[], sass7x_async[], sass7x_object[], sass7x_bulk[],
    sass7x_cluster[], sass7x_flow[], sass7x_tensor[], sass7x_texture[]; /* each ends in a NULL name */

/* ---- what sass7x_family points at ---- */
void sass7x_describe(const struct sass_lowering *, struct rp_instruction *);
void sass7x_end_runtime(struct sass_build *);

#endif
