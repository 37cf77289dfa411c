/* The one internal operation form. Every ISA decodes into uops; the engine runs nothing else.
 *
 * A uop of kind UOP_LANE computes something for each lane from registers to registers: its handler is a loop over 32
 * lanes. All other kinds are carried out by the engine itself (memory, control flow, barriers). A decoder fills in what
 * the instruction means (op, types, modifiers, operands); uop_bind() chooses the handler. A decoder never names a
 * handler, and the core never sees an opcode's spelling.
 *
 * Registers are laid out [register][lane]: an operand is the address of 32 consecutive elements, 64-byte aligned.
 * Elements have 2 bytes for 8- and 16-bit types, else the type's own size; a result of an 8-bit type is zero- (B8, U8)
 * or sign-extended (S8) to its element, and of an 8-bit source only the low byte counts. Operands have the width of
 * `type` (or `stype` where the op says so) unless the op says otherwise; 128-bit registers are two 64-bit arrays,
 * low half first. A predicate is one 32-bit word, bit l for lane l (4-byte aligned). Immediates are constant arrays
 * with all elements equal, owned by the program. A warp's registers live in a window of its register stack; a call
 * moves the window up.
 */
#ifndef REPRISE_FRONTEND_CORE_UOP_H
#define REPRISE_FRONTEND_CORE_UOP_H

#include <stdbool.h>
#include <stdint.h>

#include "tracefmt/trace.h"

typedef rp_lanemask lanemask;

/* Address = (window & keep) + at: a register has keep = ~0 and at = offset in the window; a constant has keep = 0 and
 * at = its address. */
struct operand {
    uintptr_t keep, at;
};
#define OPERAND_REGISTER(offset) ((struct operand){~(uintptr_t)0, (uintptr_t)(offset)})
#define OPERAND_CONSTANT(pointer) ((struct operand){0, (uintptr_t)(pointer)})
static inline void *operand_at(const uint8_t *window, struct operand o)
{
    return (void *)(((uintptr_t)window & o.keep) + o.at);
}

/* Element types. */
enum lane_type {
    T_NONE,
    T_PRED,
    T_B8,
    T_U8,
    T_S8,
    T_B16,
    T_U16,
    T_S16,
    T_B32,
    T_U32,
    T_S32,
    T_B64,
    T_U64,
    T_S64,
    T_B128,
    T_F16,
    T_F16X2,
    T_BF16,
    T_BF16X2,
    T_F32,
    T_F64,
    T_TF32,
    T_E4M3X2,
    T_E5M2X2,
    T_U16X2,
    T_S16X2,
    T_COUNT
};
unsigned lane_type_bits(enum lane_type t); /* 1 for T_PRED */

/* Directed rounding: N, Z, M, P to floating point (PTX .rn .rz .rm .rp); the same letters with INTEGER set round to an
 * integral value (.rni ...). NA: to nearest, ties away (.rna). */
enum rounding { ROUND_DEFAULT, ROUND_N, ROUND_Z, ROUND_M, ROUND_P, ROUND_NA, ROUND_INTEGER = 8 };
/* Comparisons, PTX ISA "Comparisons": the U forms are true when an operand is NaN. LO LS HI HS are the unsigned ones.
 */
enum compare {
    CMP_EQ,
    CMP_NE,
    CMP_LT,
    CMP_LE,
    CMP_GT,
    CMP_GE,
    CMP_LO,
    CMP_LS,
    CMP_HI,
    CMP_HS,
    CMP_EQU,
    CMP_NEU,
    CMP_LTU,
    CMP_LEU,
    CMP_GTU,
    CMP_GEU,
    CMP_NUM,
    CMP_NAN,
    CMP_TRUE,
    CMP_FALSE
};
enum combine { COMBINE_NONE, COMBINE_AND, COMBINE_OR, COMBINE_XOR };

enum uop_flag {
    UF_FTZ = 1 << 0,    /* flush subnormal inputs and results to sign-preserving zero (f32) */
    UF_SAT = 1 << 1,    /* clamp: floats to [0,1] (NaN to +0), integers to their type's range */
    UF_APPROX = 1 << 2, /* the approximate form (div, rcp, sqrt, ...) */
    UF_FULL = 1 << 3,   /* div.full */
    UF_CARRY_IN = 1 << 4,
    UF_CARRY_OUT = 1 << 5,
    UF_HI = 1 << 6,      /* upper half of a product */
    UF_WIDE = 1 << 7,    /* product twice as wide as its factors */
    UF_NAN = 1 << 8,     /* min/max propagate NaN */
    UF_XORSIGN = 1 << 9, /* min/max.xorsign.abs */
    UF_ABS = 1 << 10,
    UF_RELU = 1 << 11,
    UF_WRAP = 1 << 12,     /* shf.wrap, bmsk.wrap; else clamp */
    UF_LEFT = 1 << 13,     /* shf.l; else right */
    UF_SHIFTAMT = 1 << 14, /* bfind.shiftamt */
    UF_NEGATE_A = 1 << 15,
    UF_NEGATE_B = 1 << 16,
    UF_NEGATE_C = 1 << 17, /* source modifiers of SASS */
    UF_ABS_A = 1 << 18,
    UF_ABS_B = 1 << 19,
    UF_UNI = 1 << 20,
    UF_FIRST = 1 << 21, /* first uop of its instruction: an instruction may need several */
    UF_SAT_FINITE = 1 << 22,
    UF_PLUS_ONE = 1 << 23, /* SASS .PO: the sum plus one */
    UF_MEMBERS = 1 << 29,  /* of shfl, by the engine: what a lane reads from one that takes no part is 0 */
    UF_SILENT = 1 << 28,   /* a memory uop whose addresses are not recorded: constants that an instruction names */
};

enum uop_kind {
    UOP_LANE,   /* fn(warp, uop, executed) for executed != 0 */
    UOP_MEMORY, /* load, store, atomic, reduction, prefetch */
    UOP_BRANCH, /* lanes executed go to target; reconverge: index of the immediate post-dominator's RECONVERGE uop */
    UOP_BRANCH_TABLE, /* brx.idx: a holds the index, table its targets */
    UOP_RECONVERGE,   /* pseudo uop, no instruction: pops the divergence stack if its top waits here */
    UOP_CALL,         /* target: entry of the callee; UOP_NOWHERE: indirect, a (T_U64) holds a function's address */
    UOP_RETURN,
    UOP_EXIT,
    UOP_BARRIER,
    UOP_FENCE,
    UOP_HOST_CALL, /* imm is an enum host_call; arguments and result are in local memory, see below */
    UOP_TRAP,      /* trap: the launch fails; brkpt likewise */
    /* The hardware's stack of divergence and calls (PasTiS, III.A). A push enters the active lanes with `target`, where
     * they go on together once all of them have popped; imm is an enum stack_token. A pop takes its lanes off the
     * current path, and off all that was pushed above the topmost entry of its token. A divergent UOP_BRANCH with no
     * reconvergence point leaves the other side on the same stack. */
    UOP_PUSH,
    UOP_POP,
    UOP_CLOCK, /* a UOP_LANE that reads the clock; the engine makes it of an OP_SPECIAL, no decoder does */
};
#define UOP_NOWHERE UINT32_MAX
/* What an entry of the hardware's stack waits for: SYNC, BRK, CONT or RET. */
enum stack_token { TOKEN_NONE, TOKEN_SYNC, TOKEN_BREAK, TOKEN_CONTINUE, TOKEN_RETURN };
/* A call's arguments and results lie in local memory from the warp's frame + the caller's frame_bytes on: results
 * first, then parameters, each at its natural alignment. A host call finds them there too, at these offsets:
 *
 *     int vprintf(const char *format, void *args): result 0 (4 bytes), format 8, args 16
 *     void __assertfail(message, file, unsigned line, function, size_t char_size): 0, 8, 16 (4 bytes), 24, 32
 *     void *malloc(size_t size): result 0, size 8
 *     void free(void *): 0
 *
 * The address of a function is FUNCTION_STEP × its number in the module, counted from 1. The table of an indirect
 * UOP_CALL has at [number] the function's first uop, or UOP_NOWHERE if it is not part of this program. */
#define FUNCTION_STEP 16
enum host_call { HOST_VPRINTF, HOST_ASSERTFAIL, HOST_MALLOC, HOST_FREE };

/* What a UOP_LANE computes. Operands: d and d2 destinations, a b c sources, p a predicate source (combined or selected
 * by), pd and pd2 predicate destinations. `type` is the operation's type, `stype` the source's where it differs. */
enum lane_op {
    OP_MOV,     /* d = a; type T_PRED too */
    OP_SPECIAL, /* d = special register imm (enum special) */
    OP_FRAME,   /* d = local address: warp's frame base + imm */
    OP_PACK,    /* d = {list[0], list[1], ...}: elements of stype, lowest first, list_count of them */
    OP_UNPACK,  /* {list...} = a; an entry with keep == 0 and at == 0 is a sink ('_') */
    OP_ADD,
    OP_SUB,
    OP_MUL, /* low half, UF_HI or UF_WIDE (d twice as wide) */
    OP_MAD, /* a × b + c; with UF_WIDE c and d twice as wide */
    OP_MUL24,
    OP_MAD24,
    OP_SAD, /* d = c + |a - b| */
    OP_DIV,
    OP_REM,
    OP_ABS,
    OP_NEG,
    OP_MIN,
    OP_MAX,
    OP_MIN3,
    OP_MAX3,
    OP_POPC, /* d (32 bits), a (type); CLZ and BFIND likewise */
    OP_CLZ,
    OP_BFIND,
    OP_FNS, /* a mask, b base, c offset */
    OP_BREV,
    OP_BFE, /* b position, c length, both 32 bits */
    OP_BFI, /* d = a inserted into b at position c, list[0] bits (c and list[0] 32 bits) */
    OP_SZEXT,
    OP_BMSK,
    OP_DP4A, /* type is a's (T_U32 or T_S32), stype b's; c and d are signed if either is */
    OP_DP2A, /* likewise; UF_HI takes b's upper half */
    OP_AND,
    OP_OR,
    OP_XOR,
    OP_NOT,
    OP_CNOT,
    OP_LOP3 /* table in imm; with combine: pd = (d != 0) combine p */,
    OP_SHL, /* b (32 bits): the amount */
    OP_SHR,
    OP_SHF,      /* {b, a} shifted by c, PTX operand order */
    OP_PRMT,     /* imm: enum prmt_mode */
    OP_TESTP,    /* pd = class test, imm: enum testp */
    OP_COPYSIGN, /* d = magnitude of b with the sign of a */
    OP_FMA,
    OP_RCP,
    OP_SQRT,
    OP_RSQRT,
    OP_SIN,
    OP_COS,
    OP_LG2,
    OP_EX2,
    OP_TANH,
    OP_SET,  /* d = compare(a, b) combined with p: all ones or 1.0 by `type`; stype compared */
    OP_SETP, /* pd = compare(a, b) combine p; pd2 = not compare(a, b) combine p */
    OP_SELP, /* d = p ? a : b */
    OP_SLCT, /* d = c >= 0 ? a : b; stype is c's */
    OP_CVT,  /* d (type) = a (stype) */
    OP_CVT_PACK,
    OP_SHFL, /* d = a of another lane, b lane or delta, c clamp, imm: enum shfl_mode, pd in range, list[0] membermask */
    OP_VOTE, /* imm: enum vote_mode; p source; pd, or d for ballot; list[0] membermask if list_count */
    OP_MATCH, /* imm 0: any, 1: all; d, pd; a value; b membermask */
    OP_REDUX, /* imm: enum rp_atomic; a value; b membermask */
    OP_ACTIVEMASK,
    OP_ELECT, /* d the elected lane's number, pd true in that lane; b membermask */
    /* Maxwell and Pascal only. They read and write all four condition codes of the warp with UF_CARRY_IN and _OUT. */
    OP_SUM3,      /* d = (a << imm) + b + c, each negated by UF_NEGATE_A.._C (with UF_CARRY_IN: inverted); UF_PLUS_ONE;
                   * pd = the address that the sum is, with UF_CARRY_IN the upper word of one whose lower word
                   * was the last sum with UF_CARRY_OUT, lies outside of the shared window */
    OP_XMAD,      /* 16 x 16 bits multiplied and added; detail: struct xmad_mode's fields, see sass.simd.c */
    OP_COMPARE_X, /* pd = compare(a, b) combine p, pd2 its complement: of 64-bit numbers whose lower halves' difference
                   * set the condition codes; type T_U32 or T_S32 */
    OP_MINMAX_X,  /* d = minimum (p) or maximum of a and b, words of long numbers: with UF_CARRY_IN a decision that the
                   * higher words left in the condition codes stands; type T_U32 or T_S32 */
    OP_FLAGS,   /* of the result a of a logic operation: with UF_CARRY_OUT condition codes; pd = a is (CMP_EQ) or is not
                 * 0,   with UF_CARRY_IN as the last word of a long number */
    OP_GET_CC,  /* d = condition codes as a number: zero 1, sign 2, carry 4, overflow 8 */
    OP_SET_CC,  /* condition codes = the bits of a where b has a bit */
    OP_TEST_CC, /* pd = condition code test imm (0..31, as encoded) */
    OP_FCHK,    /* pd = a / b needs the slow path of a division */
    OP_VIDEO,   /* vadd, vsub, ..., scalar video instructions; details in `detail` */
    OP_COUNT
};
enum barrier_reduction { BARRIER_POPC, BARRIER_AND, BARRIER_OR };
enum prmt_mode { PRMT_DEFAULT, PRMT_F4E, PRMT_B4E, PRMT_RC8, PRMT_ECL, PRMT_ECR, PRMT_RC16 };
enum testp { TESTP_FINITE, TESTP_INFINITE, TESTP_NUMBER, TESTP_NOTANUMBER, TESTP_NORMAL, TESTP_SUBNORMAL };
enum shfl_mode { SHFL_UP, SHFL_DOWN, SHFL_BFLY, SHFL_IDX };
enum vote_mode { VOTE_ALL, VOTE_ANY, VOTE_UNI, VOTE_BALLOT };
enum special {
    SR_TID_X,
    SR_TID_Y,
    SR_TID_Z,
    SR_NTID_X,
    SR_NTID_Y,
    SR_NTID_Z,
    SR_CTAID_X,
    SR_CTAID_Y,
    SR_CTAID_Z,
    SR_NCTAID_X,
    SR_NCTAID_Y,
    SR_NCTAID_Z,
    SR_LANEID,
    SR_WARPID,
    SR_NWARPID,
    SR_SMID,
    SR_NSMID,
    SR_GRIDID,
    SR_LANEMASK_EQ,
    SR_LANEMASK_LE,
    SR_LANEMASK_LT,
    SR_LANEMASK_GE,
    SR_LANEMASK_GT,
    SR_CLOCK,
    SR_CLOCK_HI,
    SR_CLOCK64,
    SR_GLOBALTIMER,
    SR_GLOBALTIMER_LO,
    SR_GLOBALTIMER_HI,
    SR_DYNAMIC_SMEM_SIZE,
    SR_TOTAL_SMEM_SIZE,
    SR_LOCAL_BYTES, /* of local memory per thread: where a stack that grows down begins */
    SR_PM,
    SR_ENVREG,
    SR_COUNT
};

struct warp;
struct uop;
typedef void (*uop_fn)(struct warp *, const struct uop *, lanemask executed);
struct lane_addresses; /* frontend/core/access.h */
typedef void (*lane_addresses_fn)(struct lane_addresses *, const void *reg, int64_t offset, lanemask);
typedef void (*element_fn)(void *reg, uint8_t *host, const struct lane_addresses *, lanemask);

struct uop {
    uop_fn fn;            /* UOP_LANE: chosen by uop_bind */
    struct operand guard; /* a predicate; constant all-ones when there is no guard */
    lanemask guard_flip;  /* ~0 for a negated guard */
    uint32_t flags;       /* enum uop_flag */
    struct operand d, a, b, c;
    uint8_t kind, op, type, stype, rounding, compare, combine, p_flip; /* p_flip: 1 when p is negated */
    uint32_t index;                                                    /* static instruction this belongs to */
    uint32_t target, reconverge;                                       /* uop indices: branch, call */
    int64_t imm;                   /* see the op; memory: offset added to the address */
    struct operand p, pd, pd2, d2; /* pd/pd2: keep == 0 and at == 0 is a sink */
    struct operand *list;          /* vector elements, table targets, ... */
    uint32_t *table;               /* UOP_BRANCH_TABLE: uop indices */
    uint32_t list_count, table_count;
    /* UOP_MEMORY. a: address (stype: T_U32 or T_U64 its width; a.keep == 0 && a.at == 0: imm alone is the address);
     * d or list: loaded or stored elements, each of `type`; register elements are of width dtype (>= type: zero- or
     * sign-extended on load, truncated on store); atomics: b operand, c second operand of cas, d old value or sink. */
    struct rp_memory_operand memory;
    uint8_t dtype;
    lane_addresses_fn addresses; /* chosen by the engine: computes the lanes' addresses, */
    element_fn element;          /* and moves one element per lane */
    bool frame_relative; /* local variable or function parameter (memory.space LOCAL): the frame base is added */
    /* UOP_CALL: the caller's, how far register window and frame move up. frame_bytes also at the first uop of a
     * function, so that a call finds out whether the callee has room. */
    uint32_t window_bytes, frame_bytes;
    /* UOP_BARRIER: ids and counts in static form; a: id, b: count when in registers (memory.. unused).
     * RP_BARRIER_REDUCE: p (p_flip) is the source, imm an enum barrier_reduction, the result goes to d (u32, popc) or
     * pd. RP_BARRIER_WARP_SYNC: a is the membermask, no block barrier. */
    struct rp_barrier barrier;
    uint8_t detail[8]; /* OP_VIDEO and others: selectors, defined beside the op's handler */
};

/* Chooses u->fn for a UOP_LANE at the CPU's best vector width. False: there is no handler for this combination; the
 * caller names the instruction in its error. */
bool uop_bind(struct uop *u);

#endif
