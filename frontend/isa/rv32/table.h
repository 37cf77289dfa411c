/* RV32IMAC as one table: a row for each instruction, from which decoder and disassembler come; and what is refused by
 * its name (refused.def).
 *
 * An instruction has 16 or 32 bits, in little-endian halves; the two lowest bits are 11 in those of 32. A compressed
 * instruction decodes into the operation of the long one that it stands for. */
#ifndef REPRISE_FRONTEND_ISA_RV32_TABLE_H
#define REPRISE_FRONTEND_ISA_RV32_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum rv32_operation {
    RV32_LUI,
    RV32_AUIPC,
    RV32_JAL,
    RV32_JALR,
    RV32_BEQ,
    RV32_BNE,
    RV32_BLT,
    RV32_BGE,
    RV32_BLTU,
    RV32_BGEU,
    RV32_LB,
    RV32_LH,
    RV32_LW,
    RV32_LBU,
    RV32_LHU,
    RV32_SB,
    RV32_SH,
    RV32_SW,
    RV32_ADDI,
    RV32_SLTI,
    RV32_SLTIU,
    RV32_XORI,
    RV32_ORI,
    RV32_ANDI,
    RV32_SLLI,
    RV32_SRLI,
    RV32_SRAI,
    RV32_ADD,
    RV32_SUB,
    RV32_SLL,
    RV32_SLT,
    RV32_SLTU,
    RV32_XOR,
    RV32_SRL,
    RV32_SRA,
    RV32_OR,
    RV32_AND,
    RV32_FENCE,
    RV32_ECALL,
    RV32_EBREAK,
    RV32_MUL,
    RV32_MULH,
    RV32_MULHSU,
    RV32_MULHU,
    RV32_DIV,
    RV32_DIVU,
    RV32_REM,
    RV32_REMU,
    RV32_LR,
    RV32_SC,
    RV32_AMOSWAP,
    RV32_AMOADD,
    RV32_AMOXOR,
    RV32_AMOAND,
    RV32_AMOOR,
    RV32_AMOMIN,
    RV32_AMOMAX,
    RV32_AMOMINU,
    RV32_AMOMAXU,
    RV32_REFUSED,
};

/* What an instruction does, for its unit and for statistics. */
enum rv32_class {
    RV32_CLASS_INT,
    RV32_CLASS_MUL,
    RV32_CLASS_DIV,
    RV32_CLASS_LOAD,
    RV32_CLASS_STORE,
    RV32_CLASS_ATOMIC,
    RV32_CLASS_CONTROL,
    RV32_CLASS_FENCE,
    RV32_CLASS_REFUSED, /* what guests may not have */
};

/* Where the operands are, and how they print. */
enum rv32_format {
    RV32_FORMAT_NONE,
    RV32_FORMAT_R,      /* rd, rs1, rs2 */
    RV32_FORMAT_I,      /* rd, rs1, imm */
    RV32_FORMAT_SHIFT,  /* rd, rs1, shift amount */
    RV32_FORMAT_LOAD,   /* rd, imm(rs1) */
    RV32_FORMAT_STORE,  /* rs2, imm(rs1) */
    RV32_FORMAT_B,      /* rs1, rs2, target */
    RV32_FORMAT_U,      /* rd, upper 20 bits */
    RV32_FORMAT_J,      /* rd, target */
    RV32_FORMAT_JALR,   /* rd, imm(rs1) */
    RV32_FORMAT_FENCE,  /* predecessors, successors */
    RV32_FORMAT_LR,     /* rd, (rs1) */
    RV32_FORMAT_AMO,    /* rd, rs2, (rs1) */
    RV32_FORMAT_FLOAT,  /* of what is refused: floating point, */
    RV32_FORMAT_SYSTEM, /* and the rest */
    /* compressed */
    RV32_FORMAT_CIW,    /* rd', sp, imm, which is not 0 */
    RV32_FORMAT_CL,     /* rd', imm(rs1') */
    RV32_FORMAT_CS,     /* rs2', imm(rs1') */
    RV32_FORMAT_CI,     /* rd, imm */
    RV32_FORMAT_CLI,    /* rd, imm; rs1 is zero */
    RV32_FORMAT_CI16SP, /* sp, imm, which is not 0 */
    RV32_FORMAT_CLUI,   /* rd, which is not sp, imm, which is not 0 */
    RV32_FORMAT_CSHIFT, /* rd', shift amount */
    RV32_FORMAT_CSLLI,  /* rd, shift amount */
    RV32_FORMAT_CANDI,  /* rd', imm */
    RV32_FORMAT_CA,     /* rd', rs2' */
    RV32_FORMAT_CJ,     /* target; rd is zero */
    RV32_FORMAT_CJAL,   /* target; rd is ra */
    RV32_FORMAT_CB,     /* rs1', target; rs2 is zero */
    RV32_FORMAT_CLWSP,  /* rd, which is not zero, imm(sp) */
    RV32_FORMAT_CSWSP,  /* rs2, imm(sp) */
    RV32_FORMAT_CJR,    /* rs1, which is not zero; rd is zero */
    RV32_FORMAT_CJALR,  /* rs1, which is not zero; rd is ra */
    RV32_FORMAT_CMV,    /* rd, rs2, which is not zero; rs1 is zero */
    RV32_FORMAT_CADD,   /* rd, rs2, which is not zero; rs1 is rd */
};

struct rv32_row {
    const char *name;
    uint32_t mask, value;
    uint8_t format, operation, class;
};

extern const struct rv32_row rv32_rows[];
extern const unsigned rv32_row_count;
/* Of x0 to x31 in the standard calling convention: "zero", "ra", "sp" ... */
extern const char *const rv32_register_names[32];

struct rv32_instruction {
    const struct rv32_row *row;
    uint8_t length;       /* bytes: 2 or 4 */
    uint8_t rd, rs1, rs2; /* 0 where there is none */
    uint8_t ordering;     /* of A: .aq 2, .rl 1 */
    int32_t imm;          /* sign-extended; of U the upper 20 bits in place; of branches and jumps the distance */
};

/* Bytes of the instruction that begins with this half (figure 1.1 of the manual): 2, 4, 6 or 8. RV32IMAC has no
 * instruction of more than 4. A longer one than 8 counts as 8. */
unsigned rv32_length(uint16_t first_half);
/* False: the word is no instruction of RV32IMAC. `word`: for an instruction of 16 bits only its lower half counts. */
bool rv32_decode(uint32_t word, struct rv32_instruction *);
/* The instruction at address `pc` as text, as the manual spells it: "addi a0,a1,-4", "beq a0,zero,10078". */
void rv32_print(const struct rv32_instruction *, uint32_t pc, char *text, size_t size);

#endif
