/* The contract of lane handlers, and helpers for code that needs the same semantics elsewhere.
 *
 * A handler executes what the PTX ISA says (chapter "Instruction Set") in every lane of `executed`. The resulting bits
 * are the same at every vector width and on every CPU. Other lanes keep their values. A destination may overlap a
 * source in any way: every handler reads all of its sources before it writes. If the ISA leaves a result open, it is:
 *
 *   f32 NaN results        0x7fffffff (CUDA C Programming Guide, "Floating-Point Standard"); f16, bf16: 0x7fff
 *   f64 NaN results        0xfff8000000000000 (same place)
 *   abs, neg, copysign, mov, selp   change or copy bits, NaN payloads included
 *   x / 0, x % 0           all ones at every width, signed or not, as NVIDIA's division sequences give
 *   INT_MIN / -1           INT_MIN; INT_MIN % -1: 0
 *   NaN to integer         0 from f16 or f32 to at most 32 bits, else 1 << (bits - 1) (PTX ISA, cvt)
 *   ftz                    flushes results that are subnormal after rounding; for rcp, before (ptxas's sequence)
 *   sat                    -0 becomes +0
 *   inactive source lane   shfl reads what the register holds there
 *   %smid %nsmid %gridid %pm   0, 1, 0, 0
 *   %envreg1, %envreg2     the workspace of a cooperative launch; other %envreg: 0
 *   %clock, %globaltimer   instructions that the warp has executed, plus nanoseconds that it has slept
 *
 * Approximate functions are computed in double precision and rounded once. sqrt, rcp and div are the correctly rounded
 * functions, which are within every bound. approx.simd.c lists the bounds of the PTX ISA, and the largest errors that
 * tests/unit/lanes finds. */
#ifndef REPRISE_FRONTEND_CORE_LANES_H
#define REPRISE_FRONTEND_CORE_LANES_H

#include "frontend/operation/uop.h"

#define F32_NAN 0x7fffffffu
#define F64_NAN 0xfff8000000000000ull

/* OP_VIDEO: the scalar video instructions (PTX ISA "Scalar Video Instructions"). `type` is the type of d (T_U32,
 * T_S32). The type of a is T_S32 if detail[VIDEO_FLAGS] has VIDEO_SIGNED_A, else T_U32; likewise for b. There is a
 * third operand c if `second` is not VIDEO_NONE, if d has a selector, and for vmad. UF_SAT saturates. UF_WRAP:
 * vshl.wrap, vshr.wrap; without it shifts clamp. UF_NEGATE_A, _B, _C: vmad with -a, -b, -c. vset takes u->compare. */
enum video_detail { VIDEO_OP, VIDEO_SECOND, VIDEO_SELECT_D, VIDEO_SELECT_A, VIDEO_SELECT_B, VIDEO_FLAGS, VIDEO_SCALE };
enum video_op { VADD, VSUB, VABSDIFF, VMIN, VMAX, VSHL, VSHR, VMAD, VSET, VAVRG /* rounded away from zero */ };
enum video_second { VIDEO_NONE, VIDEO_ADD, VIDEO_MIN, VIDEO_MAX };
enum video_select { VIDEO_WORD, VIDEO_B0, VIDEO_B1, VIDEO_B2, VIDEO_B3, VIDEO_H0, VIDEO_H1 };
enum video_flag { VIDEO_SIGNED_A = 1, VIDEO_SIGNED_B = 2, VIDEO_PLUS_ONE = 4 /* vmad.po; in SASS also VADD */ };
/* detail[VIDEO_SCALE]: 0, or for vmad.shr7 and vmad.shr15 7 or 15 */

/* One atomic operation on one value. Returns the new content of the memory that held `old`. b is the operand; a cas
 * compares with b and stores c. Values are in the low bits; higher bits are ignored and returned as 0. In a pair of f16
 * or bf16 each half is updated by itself. inc: old >= b ? 0 : old + 1; dec: old == 0 || old > b ? b : old - 1 (PTX ISA,
 * atom). Floating-point add rounds to nearest. In shared memory it keeps subnormals (atomic_apply). In global memory an
 * f32 add flushes subnormal inputs and results to zero of the same sign (atomic_apply_global). */
uint64_t atomic_apply(enum rp_atomic op, enum lane_type type, uint64_t old, uint64_t b, uint64_t c);
uint64_t atomic_apply_global(enum rp_atomic op, enum lane_type type, uint64_t old, uint64_t b, uint64_t c);
/* Whether there is such an operation. */
bool atomic_exists(enum rp_atomic op, enum lane_type type);

bool lane_is_signed(enum lane_type);
bool lane_is_float(enum lane_type);
/* Bytes of one lane's element in a register: 2, 4 or 8. A 128-bit register is two arrays of elements of 8 bytes. 0 for
 * predicates. */
unsigned lane_element_bytes(enum lane_type);

#endif
