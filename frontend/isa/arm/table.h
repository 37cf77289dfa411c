/* ARMv7-A without floating point, in both encodings, as two tables: a row for each instruction of A32 (a32.def) and of
 * T32 (t32.def), from which decoders and disassembler come. "ARM Architecture Reference Manual, ARMv7-A and ARMv7-R
 * edition", DDI 0406C, chapters A5 (A32), A6 (T32) and A8; hereafter "the manual".
 *
 * Both tables decode into one structure, so whatever executes instructions does not ask which table they came from. */
#ifndef REPRISE_FRONTEND_ISA_ARM_TABLE_H
#define REPRISE_FRONTEND_ISA_ARM_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum arm_operation {
    /* data processing, in the order of the manual's opcodes (A5.2.1), and ORN, which only T32 has */
    ARM_AND,
    ARM_EOR,
    ARM_SUB,
    ARM_RSB,
    ARM_ADD,
    ARM_ADC,
    ARM_SBC,
    ARM_RSC,
    ARM_TST,
    ARM_TEQ,
    ARM_CMP,
    ARM_CMN,
    ARM_ORR,
    ARM_MOV,
    ARM_BIC,
    ARM_MVN,
    ARM_ORN,
    ARM_ADR, /* d = pc, aligned to 4, plus the operand */
    ARM_MOVT,
    /* computing from up to three values: see operations.h */
    ARM_MUL,
    ARM_MLA,
    ARM_MLS,
    ARM_UMULL,
    ARM_UMLAL,
    ARM_UMAAL,
    ARM_SMULL,
    ARM_SMLAL,
    ARM_SMULXY, /* `imm` of those with halves: 1 top half of n, 2 top half of m */
    ARM_SMLAXY,
    ARM_SMLALXY,
    ARM_SMULW,
    ARM_SMLAW,
    ARM_SMUAD, /* `imm`: 1 halves of m exchanged */
    ARM_SMLAD,
    ARM_SMUSD,
    ARM_SMLSD,
    ARM_SMLALD,
    ARM_SMLSLD,
    ARM_SMMUL, /* `imm`: 1 rounded */
    ARM_SMMLA,
    ARM_SMMLS,
    ARM_USAD8,
    ARM_USADA8,
    ARM_SDIV,
    ARM_UDIV,
    ARM_QADD,
    ARM_QSUB,
    ARM_QDADD,
    ARM_QDSUB,
    ARM_SSAT, /* `imm`: bits of the result */
    ARM_USAT,
    ARM_SSAT16,
    ARM_USAT16,
    ARM_PARALLEL, /* `imm`: enum arm_parallel and the operation, ARM_PARALLEL_OPERATION */
    ARM_SEL,
    ARM_PKHBT,
    ARM_PKHTB,
    ARM_SXTB,
    ARM_SXTH,
    ARM_SXTB16,
    ARM_UXTB,
    ARM_UXTH,
    ARM_UXTB16,
    ARM_SXTAB,
    ARM_SXTAH,
    ARM_SXTAB16,
    ARM_UXTAB,
    ARM_UXTAH,
    ARM_UXTAB16,
    ARM_REV,
    ARM_REV16,
    ARM_REVSH,
    ARM_RBIT,
    ARM_CLZ,
    ARM_BFI, /* `imm` of bit fields: first bit and width, ARM_FIELD */
    ARM_BFC,
    ARM_SBFX,
    ARM_UBFX,
    /* memory; of one or two registers */
    ARM_LDR,
    ARM_LDRB,
    ARM_LDRH,
    ARM_LDRSB,
    ARM_LDRSH,
    ARM_LDRD,
    ARM_STR,
    ARM_STRB,
    ARM_STRH,
    ARM_STRD,
    ARM_LDM,
    ARM_STM,
    ARM_LDREX,
    ARM_LDREXB,
    ARM_LDREXH,
    ARM_LDREXD,
    ARM_STREX,
    ARM_STREXB,
    ARM_STREXH,
    ARM_STREXD,
    ARM_CLREX,
    /* control */
    ARM_B,
    ARM_BL,
    ARM_BLX, /* to the other instruction set, by distance */
    ARM_BX,
    ARM_BLX_REGISTER,
    ARM_CBZ,
    ARM_CBNZ,
    ARM_TBB,
    ARM_TBH,
    ARM_SVC,
    ARM_BKPT,
    ARM_UDF,
    /* the rest */
    ARM_IT,
    ARM_NOP,
    ARM_BARRIER,
    ARM_MRS,
    ARM_MSR,
    ARM_THREAD_ID, /* mrc p15, TPIDRURO */
    ARM_FLOAT,
};

/* What an instruction does, for its unit and for whoever executes it. */
enum arm_class {
    ARM_CLASS_DATA,     /* ARM_AND to ARM_MOVT: d = n, operand */
    ARM_CLASS_COMPUTE,  /* d = n, m, a, imm */
    ARM_CLASS_LONG,     /* d:a = n, m: a product of 64 bits, a its lower word */
    ARM_CLASS_LOAD,     /* d (and a) from memory at n and the operand */
    ARM_CLASS_STORE,    /* d (and a) to memory */
    ARM_CLASS_MULTIPLE, /* the registers of the list `imm` */
    ARM_CLASS_EXCLUSIVE,
    ARM_CLASS_CONTROL,
    ARM_CLASS_STATUS, /* registers of state */
    ARM_CLASS_NOTHING,
    ARM_CLASS_REFUSED, /* floating point and vectors */
};

/* Shifts of the operand, A8.4. */
enum arm_shift { ARM_LSL, ARM_LSR, ARM_ASR, ARM_ROR, ARM_RRX };

/* The second operand of data processing, and the offset of memory accesses. */
enum arm_operand {
    ARM_NO_OPERAND,
    ARM_IMMEDIATE,  /* imm */
    ARM_REGISTER,   /* m, shifted by the constant `amount` */
    ARM_SHIFTED_BY, /* m, shifted by the lowest byte of register a */
};

enum arm_flags {
    ARM_SETS = 1, /* sets N Z C V */
    ARM_UP = 2,   /* the offset is added, not subtracted */
    ARM_PRE = 4,  /* the offset counts before the access */
    ARM_WRITES_BACK = 8,
    ARM_THUMB = 16,
    ARM_IN_IT = 32,   /* in an IT block, from which the condition comes */
    ARM_ROTATED = 64, /* the immediate is rotated: C becomes its highest bit */
};

#define ARM_SP 13
#define ARM_LR 14
#define ARM_PC 15
#define ARM_ALWAYS 14 /* of conditions */

/* Variants of parallel additions, A8.2: signed, saturating, halved; and of unsigned numbers. */
enum arm_parallel { ARM_SIGNED = 1, ARM_Q, ARM_SH, ARM_UNSIGNED = 5, ARM_UQ, ARM_UH };
enum arm_parallel_operation { ARM_ADD16, ARM_ASX, ARM_SAX, ARM_SUB16, ARM_ADD8, ARM_SUB8 = 7 };
#define ARM_PARALLEL_OPERATION(variant, operation) ((variant) << 3 | (operation))
#define ARM_FIELD(first, width) ((first) | (width) << 8)

struct arm_row {
    const char *name;
    uint32_t mask, value;
    const char *fields; /* a letter for each: decode.c */
    const char *syntax; /* %d: print.c */
    uint8_t operation, class;
};
extern const struct arm_row arm_a32_rows[], arm_t32_rows[];
extern const unsigned arm_a32_row_count, arm_t32_row_count;

struct arm_instruction {
    const struct arm_row *row;
    uint32_t imm;       /* operand, parameter, list of registers, or distance from pc of a branch */
    uint8_t length;     /* bytes: 2 or 4 */
    uint8_t cond;       /* A8.3; ARM_ALWAYS; never 15 */
    uint8_t d, n, m, a; /* ARM_NOWHERE: there is none */
    uint8_t operand;    /* enum arm_operand */
    uint8_t shift, amount;
    uint8_t flags; /* enum arm_flags */
};
#define ARM_NOWHERE 16

/* The instructions of an IT block that are still to come: as the manual's ITSTATE (A2.5.2). 0: none. */
static inline uint8_t arm_it_next(uint8_t it) { return it & 7 ? (uint8_t)((it & 0xe0) | (it << 1 & 0x1f)) : 0; }

/* Bytes of the T32 instruction that begins with this half. */
unsigned arm_t32_length(uint16_t first_half);
/* False: the word is no instruction that guests may have. */
bool arm_decode_a32(uint32_t word, struct arm_instruction *);
/* word: the first half above the second one; of a short instruction only the lower half counts. it: state before it. */
bool arm_decode_t32(uint32_t word, uint8_t it, struct arm_instruction *);
/* The instruction at address `pc` as text, as binutils spells it: "addeq r0, r1, r2, lsl #2". */
void arm_print(const struct arm_instruction *, uint32_t pc, char *text, size_t size);

/* What reading r15 gives. */
static inline uint32_t arm_pc_value(const struct arm_instruction *i, uint32_t pc)
{
    return pc + (i->flags & ARM_THUMB ? 4 : 8);
}

/* LDM and STM access their words from this address on, A8.8.57: n, or as many words below. */
static inline uint32_t arm_list_address(const struct arm_instruction *i, uint32_t n)
{
    const uint32_t bytes = 4 * (uint32_t)__builtin_popcount(i->imm);
    const uint32_t low = i->flags & ARM_UP ? n : n - bytes;
    return low + (!(i->flags & ARM_PRE) == !(i->flags & ARM_UP) ? 4 : 0);
}
/* Words of the next access, when so many remain: a trace has accesses of 1, 2, 4 or 8 elements. */
static inline unsigned arm_list_part(unsigned remaining)
{
    return remaining >= 8 ? 8 : remaining >= 4 ? 4 : remaining >= 2 ? 2 : 1;
}

/* The bits of the status register that MSR writes: fields "f" (N Z C V Q) and "s" (GE). */
static inline uint32_t arm_status_mask(unsigned fields)
{
    return (fields & 8 ? 0xf8000000u : 0) | (fields & 4 ? 0x000f0000u : 0);
}

#endif
