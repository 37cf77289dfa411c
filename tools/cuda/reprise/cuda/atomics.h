/* Atomic functions of device code, with their scopes; CUDA C++ Programming Guide, "Atomic Functions". */
#ifndef REPRISE_CUDA_ATOMICS_H
#define REPRISE_CUDA_ATOMICS_H
#pragma GCC system_header

#include "language.h"

REPRISE_FN int atomicAdd(int *p, int v) { return __nvvm_atom_add_gen_i(p, v); }
REPRISE_FN unsigned atomicAdd(unsigned *p, unsigned v) { return (unsigned)__nvvm_atom_add_gen_i((int *)p, (int)v); }
REPRISE_FN unsigned long long atomicAdd(unsigned long long *p, unsigned long long v)
{
    return (unsigned long long)__nvvm_atom_add_gen_ll((long long *)p, (long long)v);
}
REPRISE_FN float atomicAdd(float *p, float v) { return __nvvm_atom_add_gen_f(p, v); }
#if __CUDA_ARCH__ >= 600
REPRISE_FN double atomicAdd(double *p, double v) { return __nvvm_atom_add_gen_d(p, v); }
#endif
REPRISE_FN int atomicSub(int *p, int v) { return __nvvm_atom_add_gen_i(p, -v); }
REPRISE_FN unsigned atomicSub(unsigned *p, unsigned v) { return (unsigned)__nvvm_atom_add_gen_i((int *)p, -(int)v); }
REPRISE_FN unsigned atomicInc(unsigned *p, unsigned v) { return __nvvm_atom_inc_gen_ui(p, v); }
REPRISE_FN unsigned atomicDec(unsigned *p, unsigned v) { return __nvvm_atom_dec_gen_ui(p, v); }
#define REPRISE_ATOMIC(name, T, as, to)                                                                                \
    REPRISE_FN T atomic##name(T *p, T v) { return (T)__nvvm_atom_##to((as *)p, (as)v); }
#define REPRISE_ATOMICS(T, as, i, ui)                                                                                  \
    REPRISE_ATOMIC(Max, T, T, max_gen_##ui)                                                                            \
    REPRISE_ATOMIC(Min, T, T, min_gen_##ui)                                                                            \
    REPRISE_ATOMIC(And, T, as, and_gen_##i)                                                                            \
    REPRISE_ATOMIC(Or, T, as, or_gen_##i)                                                                              \
    REPRISE_ATOMIC(Xor, T, as, xor_gen_##i)                                                                            \
    REPRISE_ATOMIC(Exch, T, as, xchg_gen_##i)                                                                          \
    REPRISE_FN T atomicCAS(T *p, T old, T v) { return (T)__nvvm_atom_cas_gen_##i((as *)p, (as)old, (as)v); }
REPRISE_ATOMICS(int, int, i, i)
REPRISE_ATOMICS(unsigned, int, i, ui)
REPRISE_ATOMICS(long long, long long, ll, ll)
REPRISE_ATOMICS(unsigned long long, long long, ll, ull)
#undef REPRISE_ATOMICS
#undef REPRISE_ATOMIC
REPRISE_FN float atomicExch(float *p, float v)
{
    return __nvvm_bitcast_i2f(__nvvm_atom_xchg_gen_i((int *)p, __nvvm_bitcast_f2i(v)));
}
#if __CUDA_ARCH__ >= 600
/* The scopes of atomicAdd_block, atomicAdd_system and so on. */
#define REPRISE_IN_SCOPE(name, scope, suffix, op, T, type, constraint)                                                 \
    REPRISE_FN T atomic##name##_##suffix(T *p, T v)                                                                    \
    {                                                                                                                  \
        T old;                                                                                                         \
        asm volatile("atom." scope "." op "." type " %0, [%1], %2;"                                                    \
                     : "=" constraint(old)                                                                             \
                     : "l"(p), constraint(v)                                                                           \
                     : "memory");                                                                                      \
        return old;                                                                                                    \
    }
#define REPRISE_SCOPED(name, op, T, type, constraint)                                                                  \
    REPRISE_IN_SCOPE(name, "cta", block, op, T, type, constraint)                                                      \
    REPRISE_IN_SCOPE(name, "sys", system, op, T, type, constraint)
#define REPRISE_SCOPES(T, bits, type, add, constraint)                                                                 \
    REPRISE_SCOPED(Add, "add", T, add, constraint)                                                                     \
    REPRISE_SCOPED(Min, "min", T, type, constraint)                                                                    \
    REPRISE_SCOPED(Max, "max", T, type, constraint)                                                                    \
    REPRISE_SCOPED(And, "and", T, bits, constraint)                                                                    \
    REPRISE_SCOPED(Or, "or", T, bits, constraint)                                                                      \
    REPRISE_SCOPED(Xor, "xor", T, bits, constraint)                                                                    \
    REPRISE_SCOPED(Exch, "exch", T, bits, constraint)
REPRISE_SCOPES(int, "b32", "s32", "s32", "r")
REPRISE_SCOPES(unsigned, "b32", "u32", "u32", "r")
REPRISE_SCOPES(unsigned long long, "b64", "u64", "u64", "l")
REPRISE_SCOPED(Inc, "inc", unsigned, "u32", "r")
REPRISE_SCOPED(Dec, "dec", unsigned, "u32", "r")
REPRISE_SCOPED(Add, "add", float, "f32", "f")
REPRISE_SCOPED(Add, "add", double, "f64", "d")
#undef REPRISE_SCOPES
#undef REPRISE_SCOPED
#undef REPRISE_IN_SCOPE
#define REPRISE_SCOPED_CAS(scope, suffix, T, bits, constraint)                                                         \
    REPRISE_FN T atomicCAS_##suffix(T *p, T expected, T v)                                                             \
    {                                                                                                                  \
        T old;                                                                                                         \
        asm volatile("atom." scope ".cas." bits " %0, [%1], %2, %3;"                                                   \
                     : "=" constraint(old)                                                                             \
                     : "l"(p), constraint(expected), constraint(v)                                                     \
                     : "memory");                                                                                      \
        return old;                                                                                                    \
    }
REPRISE_SCOPED_CAS("cta", block, int, "b32", "r")
REPRISE_SCOPED_CAS("cta", block, unsigned, "b32", "r")
REPRISE_SCOPED_CAS("cta", block, unsigned long long, "b64", "l")
REPRISE_SCOPED_CAS("sys", system, int, "b32", "r")
REPRISE_SCOPED_CAS("sys", system, unsigned, "b32", "r")
REPRISE_SCOPED_CAS("sys", system, unsigned long long, "b64", "l")
#undef REPRISE_SCOPED_CAS
#endif

#endif
