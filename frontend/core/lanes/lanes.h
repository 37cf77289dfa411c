/* What the lane handlers promise, and helpers for those who need the same semantics elsewhere.
 *
 * Handlers do to every executed lane exactly what the PTX ISA says (chapter "Instruction Set"), at every vector width
 * and on every CPU the same bits. Lanes outside `executed` keep their value. A destination may lie anywhere over a
 * source: every handler reads all of its sources before it writes. Where the ISA leaves a result open:
 *
 *   f32 NaN results        0x7fffffff (CUDA C Programming Guide, "Floating-Point Standard"); f16, bf16: 0x7fff
 *   f64 NaN results        0xfff8000000000000 (same place)
 *   abs, neg, copysign, mov, selp   change or copy bits, NaN payloads included
 *   x / 0, x % 0           all ones at every width, signed or not, as NVIDIA's division sequences give
 *   INT_MIN / -1           INT_MIN; INT_MIN % -1: 0
 *   NaN to integer         0 from f16 or f32 to at most 32 bits, else 1 << (bits - 1) (PTX ISA, cvt)
 *   ftz                    a result is flushed when it is subnormal after rounding; of rcp, before (ptxas's sequence)
 *   sat                    -0 becomes +0
 *   inactive source lane   shfl reads what the register holds there
 *   %smid %nsmid %gridid %pm   0, 1, 0, 0; %envreg: 1 and 2 the workspace of a cooperative launch, else 0; %globaltimer
 * counts like %clock
 *
 * Approximate functions are computed in double precision and rounded once; sqrt, rcp and div are simply the correctly
 * rounded ones, which is within every bound. Bounds of the PTX ISA, and the largest error that tests/unit/lanes finds:
 * see approx.simd.c. */
#ifndef REPRISE_FRONTEND_CORE_LANES_H
#define REPRISE_FRONTEND_CORE_LANES_H

#include "frontend/operation/uop.h"

#define F32_NAN 0x7fffffffu
#define F64_NAN 0xfff8000000000000ull

/* OP_VIDEO: the scalar video instructions (PTX ISA "Scalar Video Instructions"). type is d's (T_U32, T_S32), a's type
 * is T_S32 when VIDEO_SIGNED_A is in detail[VIDEO_FLAGS], else T_U32; b likewise. c is the third operand where `second`
 * is not VIDEO_NONE or d has a selector, and of vmad. UF_SAT saturates, UF_WRAP: vshl.wrap, vshr.wrap, else clamp;
 * UF_NEGATE_A, _B, _C: vmad with -a, -b, -c; vset takes u->compare. */
enum video_detail { VIDEO_OP, VIDEO_SECOND, VIDEO_SELECT_D, VIDEO_SELECT_A, VIDEO_SELECT_B, VIDEO_FLAGS, VIDEO_SCALE };
enum video_op { VADD, VSUB, VABSDIFF, VMIN, VMAX, VSHL, VSHR, VMAD, VSET, VAVRG /* rounded away from zero */ };
enum video_second { VIDEO_NONE, VIDEO_ADD, VIDEO_MIN, VIDEO_MAX };
enum video_select { VIDEO_WORD, VIDEO_B0, VIDEO_B1, VIDEO_B2, VIDEO_B3, VIDEO_H0, VIDEO_H1 };
enum video_flag { VIDEO_SIGNED_A = 1, VIDEO_SIGNED_B = 2, VIDEO_PLUS_ONE = 4 /* vmad.po; SASS: of VADD too */ };
/* detail[VIDEO_SCALE]: 0, 7 or 15, of vmad.shr7 and vmad.shr15 */

/* One atomic operation on one value: the new content of the memory that held `old`. b is the operand, c the new value
 * of a cas (b what it expects). Values lie in the low bits; of a type narrower than 64 bits the rest is ignored and
 * comes back as 0; of a pair of f16 or bf16 each half is by itself. inc: old >= b ? 0 : old + 1; dec: old == 0 || old >
 * b ? b : old - 1 (PTX ISA, atom). Floating-point add rounds to nearest; in shared memory it keeps subnormals
 * (atomic_apply), on global memory f32 flushes subnormal inputs and results to zero of the same sign
 * (atomic_apply_global). */
uint64_t atomic_apply(enum rp_atomic op, enum lane_type type, uint64_t old, uint64_t b, uint64_t c);
uint64_t atomic_apply_global(enum rp_atomic op, enum lane_type type, uint64_t old, uint64_t b, uint64_t c);
/* Whether there is such an operation. */
bool atomic_exists(enum rp_atomic op, enum lane_type type);

bool lane_is_signed(enum lane_type);
bool lane_is_float(enum lane_type);
/* Bytes of one lane's element in a register: 2, 4, 8 (128-bit registers: 8, twice over). 0 for predicates. */
unsigned lane_element_bytes(enum lane_type);

#endif
