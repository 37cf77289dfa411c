/* Complex numbers as pairs, for host and device. */
#ifndef REPRISE_CUDA_COMPLEX_H
#define REPRISE_CUDA_COMPLEX_H
#pragma GCC system_header

#include <reprise/cuda.h>

typedef float2 cuFloatComplex, cuComplex;
typedef double2 cuDoubleComplex;
#define REPRISE_COMPLEX(C, T, end, make, root)                                                                         \
    REPRISE_BOTH C make(T x, T y) { return {x, y}; }                                                                   \
    REPRISE_BOTH T cuCreal##end(C a) { return a.x; }                                                                   \
    REPRISE_BOTH T cuCimag##end(C a) { return a.y; }                                                                   \
    REPRISE_BOTH C cuConj##end(C a) { return {a.x, -a.y}; }                                                            \
    REPRISE_BOTH C cuCadd##end(C a, C b) { return {a.x + b.x, a.y + b.y}; }                                            \
    REPRISE_BOTH C cuCsub##end(C a, C b) { return {a.x - b.x, a.y - b.y}; }                                            \
    REPRISE_BOTH C cuCmul##end(C a, C b) { return {a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x}; }                    \
    REPRISE_BOTH C cuCfma##end(C a, C b, C c) { return cuCadd##end(cuCmul##end(a, b), c); }                            \
    REPRISE_BOTH C cuCdiv##end(C a, C b)                                                                               \
    {                                                                                                                  \
        T s = 1 / (max(b.x, -b.x) + max(b.y, -b.y)), ax = a.x * s, ay = a.y * s, bx = b.x * s, by = b.y * s;           \
        s = 1 / (bx * bx + by * by);                                                                                   \
        return {(ax * bx + ay * by) * s, (ay * bx - ax * by) * s};                                                     \
    }                                                                                                                  \
    REPRISE_BOTH T cuCabs##end(C a)                                                                                    \
    {                                                                                                                  \
        T x = max(a.x, -a.x), y = max(a.y, -a.y), most = max(x, y), least = min(x, y), r = least / most;               \
        return most == 0 || most > (sizeof(T) == 4 ? 3.402823466e38 : 1.79769313486231570e308)                         \
                   ? most + least                                                                                      \
                   : most * root(1 + r * r);                                                                           \
    }
REPRISE_COMPLEX(cuFloatComplex, float, f, make_cuFloatComplex, __nvvm_sqrt_rn_f)
REPRISE_COMPLEX(cuDoubleComplex, double, , make_cuDoubleComplex, __nvvm_sqrt_rn_d)
#undef REPRISE_COMPLEX
REPRISE_BOTH cuComplex make_cuComplex(float x, float y) { return {x, y}; }
REPRISE_BOTH cuDoubleComplex cuComplexFloatToDouble(cuFloatComplex a) { return {a.x, a.y}; }
REPRISE_BOTH cuFloatComplex cuComplexDoubleToFloat(cuDoubleComplex a) { return {(float)a.x, (float)a.y}; }

#endif
