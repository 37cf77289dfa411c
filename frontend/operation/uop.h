/* The one internal form of operations, in two layouts: as decoders write it, and as the engine runs it.
 *
 * Every ISA decodes into operations (struct operation), plain records with a field for everything that any kind needs.
 * Before a program runs for the first time each operation becomes a uop (struct uop): 64 bytes, one cache line, with
 * what the warp loop and the lane handlers read each time. The other fields are in a descriptor of its kind. The engine
 * runs only uops. Operation i becomes uop i, so branch targets are indices of either. Uops are reordered only within a
 * straight line (schedule.h).
 *
 * An operation of kind UOP_LANE computes something for each lane from registers to registers: its handler is a loop
 * over 32 lanes. The engine itself executes all other kinds (memory, control flow, barriers). A decoder fills in what
 * the instruction means (op, types, modifiers, operands); operation_bind() chooses the handler. A decoder never names a
 * handler, and the core never sees an opcode's spelling.
 *
 * Registers are laid out [register][lane]: an operand is the address of 32 consecutive elements, 64-byte aligned.
 * Elements of 8- and 16-bit types have 2 bytes; all others have the type's own size. A result of an 8-bit type is
 * zero-extended (B8, U8) or sign-extended (S8) to its element; of an 8-bit source only the low byte is read. Operands
 * have the width of `type` (or `stype` where the op says so) unless the op says otherwise. 128-bit registers are two
 * 64-bit arrays, low half first. A predicate is one 32-bit word, bit l for lane l (4-byte aligned). Immediates are
 * constant arrays with all elements equal, in the program's area of constants. A warp's registers live in a window of
 * its register stack; a call moves the window up. */
#ifndef REPRISE_FRONTEND_OPERATION_UOP_H
#define REPRISE_FRONTEND_OPERATION_UOP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tracefmt/trace.h"

typedef rp_lanemask lanemask;

/* An operand is absent (at == 0), a constant (its offset in the program's area of constants), or a register
 * (OPERAND_WINDOW + its offset in the window). The area of constants begins with CONSTANTS_START zero bytes, so an
 * absent source reads as zeros. An absent destination drops the result (a sink). */
struct operand {
    uint32_t at;
};
#define OPERAND_WINDOW 0x80000000u
#define OPERAND_REGISTER(offset) ((struct operand){OPERAND_WINDOW + (uint32_t)(offset)})
#define OPERAND_CONSTANT(offset) ((struct operand){(uint32_t)(offset)})
#define OPERAND_NONE ((struct operand){0})
#define CONSTANTS_START 512
static inline bool is_register(struct operand o) { return o.at >= OPERAND_WINDOW; }
static inline bool is_sink(struct operand o) { return !o.at; }
static inline uint32_t register_offset(struct operand o) { return o.at - OPERAND_WINDOW; }

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

/* Directed rounding: N, Z, M, P to floating point (PTX .rn .rz .rm .rp); with INTEGER set they round to an integral
 * value (.rni ...). NA: to nearest, ties away (.rna). */
enum rounding { ROUND_DEFAULT, ROUND_N, ROUND_Z, ROUND_M, ROUND_P, ROUND_NA, ROUND_INTEGER = 8 };
/* Comparisons, PTX ISA "Comparisons": the U forms are true when an operand is NaN. LO LS HI HS are unsigned. */
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

/* 64 flags; those from UF_ENGINE on belong to the engine (flags.h). */
#define UOP_FLAG(n) (UINT64_C(1) << (n))
#define UF_FTZ UOP_FLAG(0)    /* flush subnormal inputs and results to sign-preserving zero (f32) */
#define UF_SAT UOP_FLAG(1)    /* clamp: floats to [0,1] (NaN to +0), integers to their type's range */
#define UF_APPROX UOP_FLAG(2) /* the approximate form (div, rcp, sqrt, ...) */
#define UF_FULL UOP_FLAG(3)   /* div.full */
#define UF_CARRY_IN UOP_FLAG(4)
#define UF_CARRY_OUT UOP_FLAG(5)
#define UF_HI UOP_FLAG(6)      /* upper half of a product */
#define UF_WIDE UOP_FLAG(7)    /* product twice as wide as its factors */
#define UF_NAN UOP_FLAG(8)     /* min/max propagate NaN */
#define UF_XORSIGN UOP_FLAG(9) /* min/max.xorsign.abs */
#define UF_ABS UOP_FLAG(10)
#define UF_RELU UOP_FLAG(11)
#define UF_WRAP UOP_FLAG(12)     /* shf.wrap, bmsk.wrap; else clamp */
#define UF_LEFT UOP_FLAG(13)     /* shf.l; else right */
#define UF_SHIFTAMT UOP_FLAG(14) /* bfind.shiftamt */
#define UF_NEGATE_A UOP_FLAG(15) /* SASS: source modifiers */
#define UF_NEGATE_B UOP_FLAG(16)
#define UF_NEGATE_C UOP_FLAG(17)
#define UF_ABS_A UOP_FLAG(18)
#define UF_ABS_B UOP_FLAG(19)
#define UF_UNI UOP_FLAG(20)
#define UF_FIRST UOP_FLAG(21) /* first uop of its instruction; an instruction may consist of several */
#define UF_SAT_FINITE UOP_FLAG(22)
#define UF_PLUS_ONE UOP_FLAG(23) /* SASS .PO: the sum plus one */
/* of memory uops: addresses are not recorded, because they are constants in the instruction */
#define UF_SILENT UOP_FLAG(24)
/* for shfl, set by the engine: a lane that reads from a lane outside its group gets 0 */
#define UF_MEMBERS UOP_FLAG(25)
/* all lanes of the warp take part or none; they wait for one another, and a lane that has exited is a fault */
#define UF_WHOLE_WARP UOP_FLAG(26)
/* of a test of a barrier object: suspends its thread, for a limited time */
#define UF_SUSPENDS UOP_FLAG(27)
/* of a barrier: all lanes of the warp must arrive by the same instruction */
#define UF_ALIGNED UOP_FLAG(28)
/* for bulk copies and operations on their barrier objects: the last element of lists[1] is a mask of blocks; the
 * operation applies at the same offset in each of these blocks of the cluster */
#define UF_MULTICAST UOP_FLAG(29)
/* of fma: the result is 0 if an operand is the NaN with which a tensor map fills */
#define UF_OOB UOP_FLAG(30)
/* of a lane operation: executed for all 32 lanes if for any, as registers of the warp are written */
#define UF_UNIFORM UOP_FLAG(31)
/* of a warp barrier: lanes that their mask does not name go on; where all wait, some go ahead (collective.c) */
#define UF_CONVERGENCE UOP_FLAG(32)
#define UF_BEHIND_COPIES UOP_FLAG(33) /* of OP_ARRIVE: the lane's asynchronous copies are complete first */
/* of a warp barrier: its lanes go on together, with their own b in d; of a branch: back from there (collective.c) */
#define UF_GATHER UOP_FLAG(34)
#define UF_ENGINE 48

enum uop_kind {
    UOP_LANE,   /* fn(warp, uop, executed) for executed != 0 */
    UOP_MEMORY, /* load, store, atomic, reduction, prefetch */
    UOP_BRANCH, /* lanes executed go to target; reconverge: index of the immediate post-dominator's RECONVERGE uop */
    UOP_BRANCH_TABLE, /* brx.idx: a holds the index, table its targets */
    UOP_RECONVERGE,   /* pseudo operation without an instruction: reconverges lanes if the innermost join is here */
    UOP_CALL,         /* target: entry of the callee; UOP_NOWHERE: indirect, a (T_U64) holds a function's address */
    UOP_RETURN,
    UOP_EXIT,
    UOP_BARRIER,
    UOP_FENCE,
    UOP_GROUP, /* closes a group of asynchronous work, or waits for groups: struct rp_async of its instruction */
    UOP_ORDER, /* the active lanes have met here, as the compiler has shown: does nothing, and orders their accesses */
    /* imm is an enum host_call; arguments and result are in local memory, see below. a: the address at which the caller
     * goes on, where a function of the runtime stands between them; absent: the stack below has it, or this is the call
     * itself */
    UOP_HOST_CALL,
    UOP_TRAP, /* trap: the launch fails; brkpt likewise */
    /* op: enum stack_op; type: T_U32 or T_U64, of d and a. Addresses are of local memory (stack.h). */
    UOP_STACK,
    /* The hardware's stack of divergence and calls (PasTiS, III.A). UOP_PUSH pushes an entry with the active lanes and
     * `target`: they continue there together once all of them have popped. imm is an enum stack_token. UOP_POP removes
     * its lanes from the current path and from every entry above the topmost one with its token. A divergent UOP_BRANCH
     * without a reconvergence point pushes its other side on the same stack. */
    UOP_PUSH,
    UOP_POP,
    UOP_BREAK,       /* the executed lanes leave the mask in register a, in all lanes that have the same mask there */
    UOP_UNIFORM,     /* a UOP_LANE with UF_UNIFORM; made by the engine */
    UOP_CLOCK,       /* a UOP_LANE that reads the clock; the engine, never a decoder, makes it from an OP_SPECIAL */
    UOP_OBJECT_WAIT, /* a UOP_MEMORY that tests a barrier object, where independent threads wait; made by the engine */
    UOP_STRONG,      /* a UOP_MEMORY that polls or publishes in a program that polls (engine.h); made by the engine */
    UOP_SHUFFLE,     /* a UOP_LANE: a shuffle of independent threads that waits for nobody; made by the engine */
    UOP_COLLECTIVE,  /* a UOP_LANE or warp barrier where independent threads wait; made by the engine */
};
#define UOP_NOWHERE UINT32_MAX
enum stack_op {
    STACK_SAVE,    /* d = address of the allocated memory's beginning */
    STACK_RESTORE, /* frees everything below a */
    STACK_ALLOCATE /* d = a bytes at a multiple of 1 << imm; b (T_U64): the bytes of the function's frame */
};
/* The instructions that an entry of the hardware's stack waits for: SYNC, BRK, CONT or RET. */
enum stack_token { TOKEN_NONE, TOKEN_SYNC, TOKEN_BREAK, TOKEN_CONTINUE, TOKEN_RETURN };
/* A call's arguments and results are in local memory, from the warp's frame + the caller's frame_bytes on: results
 * first, then parameters, each at its natural alignment. The same holds for host calls, with these offsets:
 *
 *     int vprintf(const char *format, void *args): result 0 (4 bytes), format 8, args 16
 *     void __assertfail(message, file, unsigned line, function, size_t char_size): 0, 8, 16 (4 bytes), 24, 32
 *     void *malloc(size_t size): result 0, size 8
 *     void free(void *): 0
 *
 * and of launches by kernels (frontend/core/device_call.h):
 *
 *     void *parameters(void (*kernel)(), dim3 grid, dim3 block, unsigned shared): result 0, 8, 16, 28, 40 (4 bytes)
 *     int launch(void *parameters, stream), system_launch: result 0 (4 bytes), 8, 16
 *     int last_error(), take_error(): result 0 (4 bytes)
 *     int set_error(int error): result 0 (4 bytes), error 4 (4 bytes)
 *     (uint64_t value, int error) ask(unsigned what, of, with, more): 0, 8 (4 bytes), 12 (4 bytes), 16, 24, 32
 *
 * The address of a function is FUNCTION_STEP × its number in the module, counted from 1. In the table of an indirect
 * UOP_CALL, [number] is the function's first uop, or UOP_NOWHERE if the function is not part of this program. */
#define FUNCTION_STEP 16
#define HOST_CALL_BYTES 48 /* the most that arguments and result take after the caller's frame */
enum host_call {
    HOST_VPRINTF,
    HOST_ASSERTFAIL,
    HOST_MALLOC,
    HOST_FREE,
    HOST_PARAMETERS,
    HOST_LAUNCH,
    HOST_SYSTEM_LAUNCH,
    HOST_LAST_ERROR,
    HOST_TAKE_ERROR,
    HOST_SET_ERROR,
    HOST_ASK
};

/* What a UOP_LANE computes. Operands: d destination, a b c sources, p a predicate source (to combine with, or to select
 * by), pd and pd2 predicate destinations, `list` lists[0]. `type` is the operation's type, `stype` the source's where
 * it differs. imm is a mode of 0 to 255, except for OP_FRAME and OP_GUEST. */
enum lane_op {
    OP_MOV,     /* d = a; type T_PRED too */
    OP_SPECIAL, /* d = special register imm (enum special) */
    OP_FRAME,   /* d = local address: warp's frame base + imm */
    OP_PACK,    /* d = {list[0], list[1], ...}: elements of stype, lowest first */
    OP_UNPACK,  /* {list...} = a; nothing is a sink ('_') */
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
    OP_VOTE, /* imm: enum vote_mode; p source; pd, or d for ballot; list[0] membermask if there is one */
    OP_MATCH, /* imm 0: any, 1: all; d, pd; a value; b membermask */
    OP_REDUX, /* imm: enum rp_atomic; a value; b membermask */
    OP_ACTIVEMASK,
    OP_ELECT, /* d the elected lane's number, pd true in that lane; b membermask */
    OP_SLEEP, /* lets time pass: a in nanoseconds, the longest of the lanes'; type T_U32 */
    /* Maxwell and Pascal only. With UF_CARRY_IN and _OUT they read and write all four condition codes of the warp. */
    OP_SUM3,      /* d = (a << imm) + b + c, each negated by UF_NEGATE_A.._C (with UF_CARRY_IN: inverted); UF_PLUS_ONE;
                   * pd = the sum, as an address, lies outside of the shared window. With UF_CARRY_IN the sum is the
                   * upper word of the address; the last sum with UF_CARRY_OUT is its lower word. */
    OP_XMAD,      /* 16 x 16 bits multiplied and added; detail: the fields of struct xmad_mode, see sass.simd.c */
    OP_COMPARE_X, /* a and b are the upper halves of 64-bit numbers; the difference of the lower halves has set the
                   * condition codes. pd = compare(a, b) combine p, pd2 = not compare(a, b) combine p; type T_U32 or
                   * T_S32 */
    OP_MINMAX_X,  /* d = minimum (where p holds) or maximum of a and b, words of long numbers; with UF_CARRY_IN the
                   * condition codes hold the decision of the higher words, if any; type T_U32 or T_S32 */
    OP_FLAGS,   /* a is the result of a logic operation. pd = (a is 0) with CMP_EQ, else (a is not 0). With UF_CARRY_OUT
                 * sets the condition codes. With UF_CARRY_IN a is the last word of a long number */
    OP_GET_CC,  /* d = condition codes as a number: zero 1, sign 2, carry 4, overflow 8 */
    OP_SET_CC,  /* condition codes = the bits of a, where b has a 1 */
    OP_TEST_CC, /* pd = condition code test imm (0..31, as encoded) */
    OP_FCHK,    /* pd = a / b needs the slow path of a division */
    /* Volta and later only. */
    OP_ADD3, /* d = a + b + c, each negated by UF_NEGATE_A.._C (with UF_CARRY_IN: inverted). With UF_CARRY_IN plus 1 for
              * each of p and the predicate in `list`. pd: the sum is 2^32 or more; pd2: 2 × 2^32 or more */
    OP_COMPARE_LONG, /* a and b are the upper words of long numbers, `list` a predicate: the comparison of the lower
                      * words. pd = compare(a, b) combine p, pd2 = not compare(a, b) combine p; type T_U32 or T_S32 */
    OP_SIN_TURNS,    /* sine of a times 2 pi */
    OP_COS_TURNS,
    OP_PREDICATE_TABLE,    /* d = bit 4a + 2b + c of imm; all are predicates */
    OP_GATHER_PREDICATES,  /* bit n of d = predicate list[n], the other bits 0 */
    OP_SCATTER_PREDICATES, /* predicate list[n] = bit n of a, where bit n of b is 1 */
    OP_BROADCAST,          /* d = a of the first executed lane, in all 32 lanes; of T_PRED: pd = p */
    OP_VIDEO,              /* vadd, vsub, ..., scalar video instructions; details in `detail` */
    /* Matrices (lanes/matrix.h): fragments are lists of registers; `detail` describes their content. */
    OP_MMA,   /* lists[0] = lists[1] × lists[2] + lists[3]; a: metadata of a sparse left side */
    OP_WGMMA, /* lists[0] = A × B, plus lists[3] where predicate c holds; A: lists[1], or at descriptor a; B: at b;
               * lists[2]: metadata of a sparse A */
    OP_MATRIX_LOAD,  /* lists[0], a register for each matrix of 8 x 8 = the rows in lists[1], four words in each lane */
    OP_MATRIX_STORE, /* the reverse: lists[0], four words in each lane = the rows of the matrices in lists[1] */
    OP_MATRIX_TRANSPOSE, /* d = a transposed: 8 x 8 elements of 16 bits */
    /* for a UOP_MEMORY of kind BULK_LOAD: copies b (T_U32) bytes from a to c (T_U64), an address of shared or device
     * memory; with UF_MULTICAST to all blocks of the mask lists[1]. `combine` is an enum rp_atomic on elements of
     * `type`: the copy reduces into its destination. */
    OP_COPY_TO_SHARED,
    OP_COPY_TO_GLOBAL,
    /* for a UOP_MEMORY of kind BULK_LOAD or BULK_STORE: copies a box of a tensor. c: address of the tensor map; b:
     * address of the box in the shared window (both T_U64). lists[1]: the coordinates, then with UF_MULTICAST the mask
     * of blocks. d (T_U64): the number of bytes of the box. The operation of kind BULK_STORE only records the
     * destination. */
    OP_TENSOR_TO_SHARED,
    OP_TENSOR_TO_GLOBAL,
    /* for a UOP_MEMORY of kind OBJECT (object.h): b arrivals (INIT: expected in each phase), c bytes, d the object's
     * previous value. STATE and PARITY test a phase, which b gives by a state or a parity (dtype: T_U32 or T_U64); d is
     * 1 if the phase is over */
    OP_OBJECT,
    OP_OBJECT_STATE,
    OP_OBJECT_PARITY,
    /* for a UOP_MEMORY of kind ATOMIC on 64 bits: b arrivals at a barrier object as sm_75 to sm_89 have it in plain
     * memory. The lower word is 2^30 less the arrivals of each phase. The upper word counts up to 2^31 in its lower 31
     * bits, with the phase above them; then it begins again, less the arrivals of each phase. */
    OP_ARRIVE,
    /* for a UOP_MEMORY in the spaces TEXTURE and SURFACE (image.h): a is a handle (stype: T_U32 or T_U64), or the
     * address of a reference that holds one; addresses are greater than any handle. imm: struct fetch or struct
     * surface_access, or enum image_query; lists[1]: 32 bits each. */
    OP_TEXTURE, /* lists[0], four words or sinks = texels at lists[1]: layer, coordinates, level or both gradients,
                   offsets, as struct fetch says; b: the handle of a separate sampler */
    OP_SURFACE, /* loads, stores and reductions like UOP_MEMORY, at lists[1]: layer, coordinates */
    OP_SURFACE_TEXEL, /* likewise for elements in their own format: lists[0], up to four words */
    OP_IMAGE_QUERY, /* d (T_U32) = imm, an enum image_query, of level b (0 if there is none). Of a texture or a surface,
                       as the space says; of either in the generic space */
    OP_GUEST,       /* what an instruction set of guests computes by a handler of its own, which it has chosen; imm is a
                       parameter */
    OP_COUNT
};
/* Whether lists[0] of a UOP_LANE is written, not read. */
static inline bool lane_op_writes_list(unsigned op)
{
    return op == OP_UNPACK || op == OP_SCATTER_PREDICATES || (op >= OP_MMA && op <= OP_MATRIX_STORE);
}
/* Barriers 0 to 15 can be named by programs; one more is the cluster's (cluster.h), which traces do not contain. */
#define CLUSTER_BARRIER 16
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
    SR_LOCAL_BYTES, /* bytes of local memory per thread: the start of a stack that grows down */
    /* clusters, x, y and z each: the block's index in its cluster, the cluster's size, the cluster's index in the grid,
     * and the number of clusters; then the block's rank and the number of blocks in its cluster */
    SR_CLUSTER_CTAID_X,
    SR_CLUSTER_CTAID_Y,
    SR_CLUSTER_CTAID_Z,
    SR_CLUSTER_NCTAID_X,
    SR_CLUSTER_NCTAID_Y,
    SR_CLUSTER_NCTAID_Z,
    SR_CLUSTERID_X,
    SR_CLUSTERID_Y,
    SR_CLUSTERID_Z,
    SR_NCLUSTERID_X,
    SR_NCLUSTERID_Y,
    SR_NCLUSTERID_Z,
    SR_CLUSTER_RANK,
    SR_CLUSTER_BLOCKS,
    SR_CLUSTER_EXPLICIT, /* 1 if the launch or the kernel says how many blocks a cluster has */
    /* the offset that mapa adds to an address, and the mask of the address bits that it keeps (cluster.h) */
    SR_CLUSTER_SHARED,
    SR_CLUSTER_MASK,
    SR_PM,
    /* the address of a cooperative launch's workspace (launch.h) */
    SR_WORKSPACE_HIGH,
    SR_WORKSPACE_LOW,
    SR_COUNT
};

/* ---- as decoders write it ---- */

struct warp;
struct uop;
typedef void (*uop_fn)(struct warp *, const struct uop *, lanemask executed);

/* A vector operand: count registers or constants. */
struct operand_list {
    struct operand *at;
    uint32_t count;
};
#define UOP_LISTS 4 /* as many as the matrix instructions have: D, A, B, C */

struct operation {
    uop_fn fn;            /* UOP_LANE: chosen by operation_bind */
    struct operand guard; /* a predicate; nothing: every lane */
    lanemask guard_flip;  /* ~0 for a negated guard */
    uint64_t flags;       /* UF_... */
    struct operand d, a, b, c;
    uint8_t kind, op, type, stype, rounding, compare, combine, p_flip; /* p_flip: 1 when p is negated */
    uint32_t index;              /* the static instruction to which this operation belongs */
    uint32_t target, reconverge; /* branch, call: numbers of operations */
    int64_t imm;                 /* see the op; memory: offset added to the address; FRAME: the variable's offset */
    struct operand p, pd, pd2;
    struct operand_list
        lists[UOP_LISTS]; /* lane_op_writes_list() and loads write lists[0]; otherwise all lists are read */
    uint32_t *table;      /* UOP_BRANCH_TABLE, indirect UOP_CALL: numbers of operations, or UOP_NOWHERE */
    uint32_t table_count;
    /* UOP_MEMORY. a: address (stype: T_U32 or T_U64 its width; absent: imm alone is the address). d or lists[0]: loaded
     * or stored elements, each of `type`; register elements have the width of dtype (>= type: zero- or sign-extended on
     * load, truncated on store). Atomics: b operand, c second operand of cas, d old value or sink; with several
     * elements lists[1] holds the operands and lists[0] the old values or sinks. A load of device memory with operand b
     * reads only b bytes (T_U32, per lane) of the width and sets the rest to 0; its elements are words. An instruction
     * with several memory operands has an operation for each; `access` is the index of the operand that this one
     * records. */
    struct rp_memory_operand memory;
    uint8_t access;
    uint8_t dtype;
    bool frame_relative; /* local variable or function parameter (memory.space LOCAL): the frame base is added */
    /* UOP_CALL: the caller's values: how far the register window and the frame move up. The first operation of a
     * function has the function's frame_bytes, so that a call can check whether the callee has room. */
    uint32_t window_bytes, frame_bytes;
    /* UOP_BARRIER: ids and counts in static form; a: id, b: count when in registers (memory.. unused).
     * RP_BARRIER_REDUCE: p (p_flip) is the source, imm an enum barrier_reduction, the result goes to d (u32, popc) or
     * pd. RP_BARRIER_WARP_SYNC: a is the membermask, no block barrier. */
    struct rp_barrier barrier;
    uint8_t detail[8]; /* selectors of OP_VIDEO, OP_XMAD and OP_MMA, defined beside the op's handler */
};

/* Chooses fn for a UOP_LANE at the CPU's best vector width. False: there is no handler for this combination; the caller
 * names the instruction in its error. */
bool operation_bind(struct operation *);

/* ---- as the engine runs it ---- */

struct lane_addresses; /* frontend/core/access.h */
typedef void (*lane_addresses_fn)(struct lane_addresses *, const void *reg, int64_t offset, lanemask);
typedef void (*element_fn)(void *reg, uint8_t *host, const struct lane_addresses *, lanemask);

/* Descriptors: fields that only some operations of a kind need, as in struct operation. */
struct lane_descriptor {
    int64_t imm; /* its low byte is the mode */
    struct operand pd2;
    uint16_t list_end[UOP_LISTS]; /* list n: elements from list_end[n - 1] (list 0: from 0) to list_end[n] */
    struct operand elements[];
};
struct memory_descriptor {
    lane_addresses_fn addresses; /* chosen by the engine: computes the lanes' addresses */
    element_fn element;          /* chosen by the engine: moves one element per lane */
    struct rp_memory_operand operand;
    uint8_t access, dtype;
    bool frame_relative;
    uint32_t count;            /* elements in lists[0] */
    struct operand elements[]; /* of lists[0], then of lists[1] */
};
struct control_descriptor { /* branch tables, calls, host calls */
    uint32_t *table;
    uint32_t table_count;
    uint32_t window_bytes, frame_bytes;
};

struct uop {
    uop_fn fn; /* UOP_LANE, UOP_MEMORY */
    union {
        const struct lane_descriptor *lane; /* NULL: no pd2, no lists; imm is the mode */
        const struct memory_descriptor *memory;
        const struct control_descriptor *control;
        const struct rp_barrier *barrier;
    };
    uint64_t flags;
    union {
        int64_t imm; /* UOP_MEMORY, OP_FRAME, OP_GUEST */
        struct {
            uint32_t target, reconverge; /* UOP_BRANCH, UOP_BRANCH_TABLE, UOP_CALL, UOP_PUSH */
        };
        uint8_t detail[8]; /* OP_VIDEO, OP_XMAD, OP_MMA */
        uint64_t equal_b; /* operand b, which is the same constant in all lanes, of operations that prepare.c chooses */
        struct {
            struct operand p, pd; /* all others */
        };
    };
    struct operand d, a, b, c, guard;
    uint32_t index;
    uint8_t kind, op, type, stype, rounding, compare, combine;
    uint8_t mode; /* the low byte of imm */
};
_Static_assert(sizeof(struct uop) == 64, "a uop is one cache line");

/* The bytes of an operation's descriptor, a multiple of 8; 0: it needs none. */
size_t uop_descriptor_bytes(const struct operation *);
/* Makes the uop of an operation, with its descriptor at `descriptor`. The uop refers to the operation's branch table.
 */
void uop_pack(struct uop *, const struct operation *, void *descriptor);

/* The elements of a uop's list n; their number. */
static inline const struct operand *list_elements(const struct lane_descriptor *d, unsigned n)
{
    return d->elements + (n ? d->list_end[n - 1] : 0);
}
static inline uint32_t list_count(const struct lane_descriptor *d, unsigned n)
{
    return d->list_end[n] - (n ? d->list_end[n - 1] : 0u);
}

#endif
