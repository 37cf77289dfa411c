/* Vector types and dim3, on host and device; CUDA C++ Programming Guide, "Built-in Vector Types". */
#ifndef REPRISE_CUDA_VECTORS_H
#define REPRISE_CUDA_VECTORS_H
#pragma GCC system_header

#include "language.h"

/* clang-format off */
#define REPRISE_VECTORS(T, name, size)                                                                                 \
    struct name##1 { T x; };                                                                                           \
    struct __attribute__((aligned(2 * size))) name##2 { T x, y; };                                                     \
    struct name##3 { T x, y, z; };                                                                                     \
    struct __attribute__((aligned(4 * size > 16 ? 16 : 4 * size))) name##4 { T x, y, z, w; };                          \
    REPRISE_BOTH name##1 make_##name##1(T x) { return {x}; }                                                           \
    REPRISE_BOTH name##2 make_##name##2(T x, T y) { return {x, y}; }                                                   \
    REPRISE_BOTH name##3 make_##name##3(T x, T y, T z) { return {x, y, z}; }                                           \
    REPRISE_BOTH name##4 make_##name##4(T x, T y, T z, T w) { return {x, y, z, w}; }
/* clang-format on */
REPRISE_VECTORS(signed char, char, 1)
REPRISE_VECTORS(unsigned char, uchar, 1)
REPRISE_VECTORS(short, short, 2)
REPRISE_VECTORS(unsigned short, ushort, 2)
REPRISE_VECTORS(int, int, 4)
REPRISE_VECTORS(unsigned, uint, 4)
REPRISE_VECTORS(long, long, 8)
REPRISE_VECTORS(unsigned long, ulong, 8)
REPRISE_VECTORS(long long, longlong, 8)
REPRISE_VECTORS(unsigned long long, ulonglong, 8)
REPRISE_VECTORS(float, float, 4)
REPRISE_VECTORS(double, double, 8)
#undef REPRISE_VECTORS

struct dim3 {
    unsigned x, y, z;
    __host__ __device__ constexpr dim3(unsigned x = 1, unsigned y = 1, unsigned z = 1) : x(x), y(y), z(z) {}
    __host__ __device__ constexpr dim3(uint3 v) : x(v.x), y(v.y), z(v.z) {}
    __host__ __device__ constexpr operator uint3() const { return {x, y, z}; }
};

#endif
