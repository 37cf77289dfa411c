/* IA-32 without floating point and vectors, as one table: a row for each instruction (rows.def, float.def), from which
 * decoder and disassembler come. "Intel 64 and IA-32 Architectures Software Developer's Manual", volume 2, appendix A
 * has the opcode maps; hereafter "the manual".
 *
 * An instruction has prefixes, an opcode of one to three bytes and, if its operands ask for them, a ModRM byte, a SIB
 * byte, a displacement and immediates: at most 15 bytes, which may begin anywhere. */
#ifndef REPRISE_FRONTEND_ISA_IA32_TABLE_H
#define REPRISE_FRONTEND_ISA_IA32_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum ia32_operation {
    /* two operands and flags, in the order of the manual's opcodes; CMP and TEST keep only the flags */
    IA32_ADD,
    IA32_OR,
    IA32_ADC,
    IA32_SBB,
    IA32_AND,
    IA32_SUB,
    IA32_XOR,
    IA32_CMP,
    IA32_TEST,
    IA32_INC,
    IA32_DEC,
    IA32_NEG,
    IA32_NOT,
    /* shifts, in the order of ModRM's field */
    IA32_ROL,
    IA32_ROR,
    IA32_RCL,
    IA32_RCR,
    IA32_SHL,
    IA32_SHR,
    IA32_SAR,
    IA32_SHLD,
    IA32_SHRD,
    /* computing */
    IA32_MUL,
    IA32_IMUL,
    IA32_DIV,
    IA32_IDIV,
    IA32_MULTIPLY, /* IMUL of two or three operands */
    IA32_BT,
    IA32_BTS,
    IA32_BTR,
    IA32_BTC,
    IA32_BSF,
    IA32_BSR,
    IA32_TZCNT,
    IA32_BSWAP,
    IA32_EXTEND_A, /* AX = AL, EAX = AX: CBW, CWDE */
    IA32_EXTEND_D, /* DX, EDX = the sign of AX, EAX: CWD, CDQ */
    IA32_SET,
    /* moving */
    IA32_MOV,
    IA32_MOVZX,
    IA32_MOVSX,
    IA32_CMOV,
    IA32_LEA,
    IA32_XCHG,
    IA32_XADD,
    IA32_CMPXCHG,
    IA32_CMPXCHG8B,
    IA32_XLAT,
    IA32_PUSH,
    IA32_POP,
    IA32_PUSHA,
    IA32_POPA,
    IA32_PUSHF,
    IA32_POPF,
    IA32_ENTER,
    IA32_LEAVE,
    /* strings */
    IA32_MOVS,
    IA32_CMPS,
    IA32_STOS,
    IA32_LODS,
    IA32_SCAS,
    /* flags */
    IA32_CLC,
    IA32_STC,
    IA32_CMC,
    IA32_CLD,
    IA32_STD,
    IA32_LAHF,
    IA32_SAHF,
    /* control */
    IA32_JCC,
    IA32_JMP,
    IA32_JMP_TO, /* an address in the operand */
    IA32_CALL,
    IA32_CALL_TO,
    IA32_RET,
    IA32_LOOP,
    IA32_LOOPE,
    IA32_LOOPNE,
    IA32_JECXZ,
    IA32_INT,
    /* the rest */
    IA32_NOP,
    IA32_FENCE,
    IA32_REFUSED, /* what guests may not have; its syntax says why */
};

/* The registers' numbers; of 8 bits 4 to 7 are AH, CH, DH, BH. */
enum ia32_register {
    IA32_EAX,
    IA32_ECX,
    IA32_EDX,
    IA32_EBX,
    IA32_ESP,
    IA32_EBP,
    IA32_ESI,
    IA32_EDI,
    IA32_NOWHERE, /* no register */
};

enum ia32_segment { IA32_ES, IA32_CS, IA32_SS, IA32_DS, IA32_FS, IA32_GS, IA32_NO_SEGMENT };

/* Instructions with the prefixes VEX or EVEX have this bit and the opcode that they have without: the prefix says which
 * of 0f, 0f38 and 0f3a belong to it. The manual, 2.3 and 2.7. */
#define IA32_VEX 0x1000000u

/* Bits of prefixes. */
enum ia32_prefix {
    IA32_OPERAND_SIZE = 1, /* 66 */
    IA32_ADDRESS_SIZE = 2, /* 67 */
    IA32_LOCK = 4,         /* f0 */
    IA32_REPNE = 8,        /* f2 */
    IA32_REP = 16,         /* f3 */
};

/* What else a row says. */
enum ia32_row_flag {
    IA32_LOCKABLE = 1,   /* may have the prefix LOCK where its first operand is in memory */
    IA32_STRING = 2,     /* may be repeated by REP */
    IA32_CONDITION = 4,  /* the lowest four bits of the opcode are a condition */
    IA32_SUFFIX = 8,     /* the name always says the size */
    IA32_NO_SUFFIX = 16, /* it never does, but for 16 bits */
    IA32_STACK = 32,     /* it pushes or pops */
    IA32_INTEL = 64,     /* operands are printed in the manual's order */
};

/* `operands`: two letters each, in the manual's order, which is that of appendix A.2:
 *   E register or memory of ModRM, M memory, R register, B register 3, G register of ModRM, Z register of the opcode, A
 * accumulator, C register CL, I immediate, J target of a branch, O memory at an address in the code, X and Y what ESI
 * and EDI point to, 1 the number 1 b byte, w word, v word or doubleword by the prefix 66, d doubleword, q quadword, s
 * byte with a sign */
struct ia32_row {
    const char *name;
    uint32_t opcode, mask; /* 0f is the byte before the last of what begins with it, 0f38 and 0f3a are two before */
    int8_t digit;          /* bits 3 to 5 of ModRM; -1: any */
    uint8_t prefix;        /* enum ia32_prefix that belongs to the opcode; 0: none */
    const char *operands;
    uint8_t operation;
    uint8_t flags;   /* enum ia32_row_flag */
    const char *why; /* of IA32_REFUSED: "floating point" */
};
extern const struct ia32_row ia32_rows[];
extern const unsigned ia32_row_count;

enum ia32_operand_kind { IA32_NO_OPERAND, IA32_REGISTER, IA32_MEMORY, IA32_IMMEDIATE, IA32_TARGET };
struct ia32_operand {
    uint8_t kind, bytes, number; /* number: of a register */
};
#define IA32_OPERANDS 3

struct ia32_instruction {
    const struct ia32_row *row;
    uint32_t displacement, immediate; /* immediate: with its sign; of a target the distance behind the instruction */
    struct ia32_operand operand[IA32_OPERANDS]; /* in the manual's order */
    uint8_t length;
    uint8_t bytes; /* of the operation: 1, 2 or 4 */
    uint8_t base, index, scale;
    uint8_t segment;            /* of a prefix */
    uint8_t prefixes;           /* enum ia32_prefix */
    uint8_t spare;              /* prefixes that say nothing, which are printed in front */
    uint8_t condition;          /* the lowest four bits of the opcode */
    bool sib, has_displacement; /* whether the address has a SIB byte, a displacement */
};

/* False: the bytes are no instruction, or go on behind `available`. */
bool ia32_decode(const uint8_t *bytes, uint32_t available, struct ia32_instruction *);
/* The instruction at address `pc` as text, as binutils spells it: "addl $0x1,-0x4(%ebp)". */
void ia32_print(const struct ia32_instruction *, uint32_t pc, char *text, size_t size);

/* The operand in memory; NULL: there is none. Strings have theirs in ESI and EDI. */
static inline const struct ia32_operand *ia32_memory(const struct ia32_instruction *i)
{
    for (unsigned n = 0; n < IA32_OPERANDS; n++)
        if (i->operand[n].kind == IA32_MEMORY)
            return &i->operand[n];
    return NULL;
}
/* Whether it is repeated until ECX is 0. */
static inline bool ia32_repeats(const struct ia32_instruction *i)
{
    return i->row->flags & IA32_STRING && i->prefixes & (IA32_REP | IA32_REPNE);
}
/* Whether it changes its operand in memory in one step: by LOCK, and always XCHG. */
static inline bool ia32_is_atomic(const struct ia32_instruction *i)
{
    return i->prefixes & IA32_LOCK || (i->row->operation == IA32_XCHG && ia32_memory(i));
}
/* Bits of an address that count. */
static inline uint32_t ia32_address_mask(const struct ia32_instruction *i)
{
    return i->prefixes & IA32_ADDRESS_SIZE ? 0xffff : UINT32_MAX;
}
/* Where a branch by distance goes. */
static inline uint32_t ia32_target(const struct ia32_instruction *i, uint32_t pc)
{
    return pc + i->length + i->immediate;
}

#endif
