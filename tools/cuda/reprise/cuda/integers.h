/* Integer intrinsics, and loads and stores with hints; CUDA Math API, "Integer Intrinsics". */
#ifndef REPRISE_CUDA_INTEGERS_H
#define REPRISE_CUDA_INTEGERS_H
#pragma GCC system_header

#include "language.h"

REPRISE_FN int __popc(unsigned v) { return __builtin_popcount(v); }
REPRISE_FN int __popcll(unsigned long long v) { return __builtin_popcountll(v); }
REPRISE_FN int __clz(int v) { return v ? __builtin_clz((unsigned)v) : 32; }
REPRISE_FN int __clzll(long long v) { return v ? __builtin_clzll((unsigned long long)v) : 64; }
REPRISE_FN int __ffs(int v) { return __builtin_ffs(v); }
REPRISE_FN int __ffsll(long long v) { return __builtin_ffsll(v); }
REPRISE_FN unsigned __brev(unsigned v) { return __builtin_bitreverse32(v); }
REPRISE_FN unsigned long long __brevll(unsigned long long v) { return __builtin_bitreverse64(v); }
REPRISE_FN unsigned __byte_perm(unsigned a, unsigned b, unsigned s) { return __nvvm_prmt(a, b, s); }
/* T NAME(T a, T b[, T c]) as one instruction. */
#define REPRISE_ASM2(name, T, B, instruction, constraint)                                                              \
    REPRISE_FN T name(B a, B b)                                                                                        \
    {                                                                                                                  \
        T to;                                                                                                          \
        asm(instruction " %0, %1, %2;" : "=" constraint(to) : constraint(a), constraint(b));                           \
        return to;                                                                                                     \
    }
#define REPRISE_ASM3(name, T, A, C, instruction)                                                                       \
    REPRISE_FN T name(A a, A b, C c)                                                                                   \
    {                                                                                                                  \
        T to;                                                                                                          \
        asm(instruction " %0, %1, %2, %3;" : "=r"(to) : "r"(a), "r"(b), "r"(c));                                       \
        return to;                                                                                                     \
    }
REPRISE_ASM2(__mul24, int, int, "mul24.lo.s32", "r")
REPRISE_ASM2(__umul24, unsigned, unsigned, "mul24.lo.u32", "r")
REPRISE_ASM2(__mulhi, int, int, "mul.hi.s32", "r")
REPRISE_ASM2(__umulhi, unsigned, unsigned, "mul.hi.u32", "r")
REPRISE_ASM2(__mul64hi, long long, long long, "mul.hi.s64", "l")
REPRISE_ASM2(__umul64hi, unsigned long long, unsigned long long, "mul.hi.u64", "l")
REPRISE_ASM3(__sad, unsigned, int, unsigned, "sad.s32")
REPRISE_ASM3(__usad, unsigned, unsigned, unsigned, "sad.u32")
#define REPRISE_FUNNEL(name, shift)                                                                                    \
    REPRISE_FN unsigned name(unsigned low, unsigned high, unsigned n)                                                  \
    {                                                                                                                  \
        unsigned to;                                                                                                   \
        asm(shift " %0, %1, %2, %3;" : "=r"(to) : "r"(low), "r"(high), "r"(n));                                        \
        return to;                                                                                                     \
    }
REPRISE_FUNNEL(__funnelshift_l, "shf.l.wrap.b32")
REPRISE_FUNNEL(__funnelshift_lc, "shf.l.clamp.b32")
REPRISE_FUNNEL(__funnelshift_r, "shf.r.wrap.b32")
REPRISE_FUNNEL(__funnelshift_rc, "shf.r.clamp.b32")
#if __CUDA_ARCH__ >= 610
REPRISE_ASM3(__dp4a, int, int, int, "dp4a.s32.s32")
REPRISE_ASM3(__dp4a, unsigned, unsigned, unsigned, "dp4a.u32.u32")
REPRISE_ASM3(__dp2a_lo, int, int, int, "dp2a.lo.s32.s32")
REPRISE_ASM3(__dp2a_hi, int, int, int, "dp2a.hi.s32.s32")
REPRISE_ASM3(__dp2a_lo, unsigned, unsigned, unsigned, "dp2a.lo.u32.u32")
REPRISE_ASM3(__dp2a_hi, unsigned, unsigned, unsigned, "dp2a.hi.u32.u32")
#endif
REPRISE_FN int __hadd(int a, int b) { return (int)(((long long)a + b) >> 1); }
REPRISE_FN int __rhadd(int a, int b) { return (int)(((long long)a + b + 1) >> 1); }
REPRISE_FN unsigned __uhadd(unsigned a, unsigned b) { return (unsigned)(((unsigned long long)a + b) >> 1); }
REPRISE_FN unsigned __urhadd(unsigned a, unsigned b) { return (unsigned)(((unsigned long long)a + b + 1) >> 1); }
/* Loads and stores with a cache hint, which is ignored. */
template <class T> REPRISE_FN T __ldg(const T *p) { return *p; }
template <class T> REPRISE_FN T __ldca(const T *p) { return *p; }
template <class T> REPRISE_FN T __ldcg(const T *p) { return *p; }
template <class T> REPRISE_FN T __ldcs(const T *p) { return *p; }
template <class T> REPRISE_FN T __ldlu(const T *p) { return *p; }
template <class T> REPRISE_FN T __ldcv(const T *p) { return *(const volatile T *)p; }
template <class T> REPRISE_FN void __stwb(T *p, T v) { *p = v; }
template <class T> REPRISE_FN void __stcg(T *p, T v) { *p = v; }
template <class T> REPRISE_FN void __stcs(T *p, T v) { *p = v; }
template <class T> REPRISE_FN void __stwt(T *p, T v) { *p = v; }
#undef REPRISE_ASM2
#undef REPRISE_ASM3
#undef REPRISE_FUNNEL

#endif
