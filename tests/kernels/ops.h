/* One expression per row, compiled twice from the same text: by clang for the device, by the host's C compiler for the
 * expected result. Each works on three operands a, b, c of its type and stays within what C defines for all values:
 * shift amounts are masked, divisors are not zero, conversions are in range. The rotation's amount is more than masked:
 * clang 14 drops a mask there and then shifts by the register's width or more.
 *
 * The types are u8 s8 u16 s16 u32 s32 u64 s64 f32 f64 (ops.cu and ops.c define them). */
#ifndef REPRISE_TESTS_KERNELS_OPS_H
#define REPRISE_TESTS_KERNELS_OPS_H

#define OPS_UNSIGNED(X, T, BITS)                                                                                       \
    X(T, (T)(a + b))                                                                                                   \
    X(T, (T)(a - b))                                                                                                   \
    X(T, (T)((u64)a * b))                                                                                              \
    X(T, (T)((u64)a * b + c))                                                                                          \
    X(T, (T)(a / (T)(b | 1)))                                                                                          \
    X(T, (T)(a % (T)(b | 1)))                                                                                          \
    X(T, (T)(a / (T)((b & 15) + 1)))                                                                                   \
    X(T, (T)(a & b))                                                                                                   \
    X(T, (T)(a | b))                                                                                                   \
    X(T, (T)(a ^ b))                                                                                                   \
    X(T, (T)~a)                                                                                                        \
    X(T, (T)(0 - a))                                                                                                   \
    X(T, (T)((a & ~b) ^ c))                                                                                            \
    X(T, (T)((u64)a << (b & (BITS - 1))))                                                                              \
    X(T, (T)(a >> (b & (BITS - 1))))                                                                                   \
    X(T, (T)((u64)a << ((b & (BITS / 2 - 1)) + 1) | (u64)a >> (BITS - 1 - (b & (BITS / 2 - 1)))))                      \
    X(T, (T)(a < b))                                                                                                   \
    X(T, (T)(a <= b))                                                                                                  \
    X(T, (T)(a > b ? a : b))                                                                                           \
    X(T, (T)(a < b ? a : b))                                                                                           \
    X(T, (T)(a == b ? c : a != c))                                                                                     \
    X(T, (T)((a < b && b < c) || a > c))                                                                               \
    X(T, (T)((u8)a + (u16)b * (u32)(u8)c))                                                                             \
    X(T, (T)((u64)(s8)a + (u64)(s16)b + (u64)(s32)c))                                                                  \
    X(T, (T)((a >> 3 & 31) | (b << 5 & 96)))                                                                           \
    X(T, (T)__builtin_popcountll(a))                                                                                   \
    X(T, (T)__builtin_clzll((u64)a | 1))                                                                               \
    X(T, (T)__builtin_ctzll((u64)a | (u64)1 << 40))                                                                    \
    X(T, (T)__builtin_bswap32((u32)a))                                                                                 \
    X(T, (T)((f32)a * 0.5f))                                                                                           \
    X(T, (T)((f64)a * 0.25))                                                                                           \
    X(T, (T)(s32)((f32)(s32)(a & 0xffff) / ((f32)(b & 255) + 0.5f)))

#define OPS_SIGNED(X, T, U, LOWEST, BITS)                                                                              \
    X(T, (T)((U)a + (U)b))                                                                                             \
    X(T, (T)((U)a - (U)b))                                                                                             \
    X(T, (T)((u64)a * (u64)b))                                                                                         \
    X(T, (T)((u64)a * (u64)b - (u64)c))                                                                                \
    X(T, (T)(a == LOWEST ? b : a / (T)(b | 1)))                                                                        \
    X(T, (T)(a == LOWEST ? b : a % (T)(b | 1)))                                                                        \
    X(T, (T)(a / (T)((b & 15) + 1)))                                                                                   \
    X(T, (T)(a % 10))                                                                                                  \
    X(T, (T)(a >> (b & (BITS - 1))))                                                                                   \
    X(T, (T)(a < 0 ? (U)0 - (U)a : (U)a))                                                                              \
    X(T, (T)(a < b))                                                                                                   \
    X(T, (T)(a >= b))                                                                                                  \
    X(T, (T)(a > b ? a : b))                                                                                           \
    X(T, (T)(a < b ? a : b))                                                                                           \
    X(T, (T)(a <= b ? c : a > c))                                                                                      \
    X(T, (T)((u64)((s64)a >> 7) ^ (u64)(s64)b << 3))                                                                   \
    X(T, (T)(s8)a)                                                                                                     \
    X(T, (T)(s16)(U)((U)a * (U)3))                                                                                     \
    X(T, (T)(s64)(f32)(s32)(s16)a)                                                                                     \
    X(T, (T)((f64)(s32)a * 0.125))                                                                                     \
    X(T, (T)(s64)((f32)(a % 1000) * (f32)(b % 1000) * 0.001f))

/* Products of the full width, and arithmetic wider than a register: carries. 64-bit operands only. */
#define OPS_WIDE(X)                                                                                                    \
    X(u64, (u64)((u128)a * b >> 64))                                                                                   \
    X(u64, (u64)((s128)(s64)a * (s64)b >> 64))                                                                         \
    X(u64, (u64)((((u128)a << 64 | b) + ((u128)b << 64 | c)) >> 64))                                                   \
    X(u64, (u64)((((u128)a << 64 | b) - ((u128)c << 64 | a)) >> 64))                                                   \
    X(u64, (u64)((((u128)a << 64 | b) >> (c & 127))))                                                                  \
    X(u64, (u64)((((u128)a << 64 | b) << (c & 127)) >> 64))                                                            \
    X(u64, (u64)(((u128)a * b + c) >> 17))                                                                             \
    X(u64, (u64)(u32)a *(u32)b)                                                                                        \
    X(u64, (u64)((s64)(s32)a * (s32)b) + c)                                                                            \
    X(u64, ((u128)a << 64 | b) < ((u128)c << 64 | a))

#define OPS_FLOAT(X, T, FMA)                                                                                           \
    X(T, a + b)                                                                                                        \
    X(T, a - b)                                                                                                        \
    X(T, a *b)                                                                                                         \
    X(T, a *b + c)                                                                                                     \
    X(T, FMA(a, b, c))                                                                                                 \
    X(T, FMA(-a, b, -c))                                                                                               \
    X(T, a / b)                                                                                                        \
    X(T, 1 / b)                                                                                                        \
    X(T, -a)                                                                                                           \
    X(T, a < b ? a : b)                                                                                                \
    X(T, a >= b ? c : a)                                                                                               \
    X(T, (a < b) + 2 * (a <= b) + 4 * (a == b) + 8 * (a != b) + 16 * (a > b) + 32 * (a >= b))                          \
    X(T, !(a < b) + 2 * !(a <= b) + 4 * !(a > b) + 8 * !(a >= b) + 16 * (a != a))                                      \
    X(T, (T)(s32)(a > -1e9f && a < 1e9f ? a : 3))                                                                      \
    X(T, (T)(u32)(a > 0 && a < 4e9f ? a : 3))                                                                          \
    X(T, (T)(s64)(a > -9e18f && a < 9e18f ? a : 3))                                                                    \
    X(T, (T)(u64)(a > 0 && a < 1.8e19f ? a : 3))                                                                       \
    X(T, (T)(s8)(a > -128 && a < 127 ? a : 3))                                                                         \
    X(T, (T)(f32)a)                                                                                                    \
    X(T, (T)((f64)a * (f64)b))                                                                                         \
    X(T, __builtin_copysign(a, b))                                                                                     \
    X(T, __builtin_fabs(a) + __builtin_fabs(b))                                                                        \
    X(T, __builtin_trunc(a))                                                                                           \
    X(T, __builtin_floor(a))                                                                                           \
    X(T, __builtin_ceil(a))

/* The kernels: X(kernel, operand type, rows). */
#define OPS_KERNELS(X)                                                                                                 \
    X(ops_u8, u8, OPS_UNSIGNED(OPS_ROW, u8, 8))                                                                        \
    X(ops_s8, s8, OPS_SIGNED(OPS_ROW, s8, u8, (-128), 8))                                                              \
    X(ops_u16, u16, OPS_UNSIGNED(OPS_ROW, u16, 16))                                                                    \
    X(ops_s16, s16, OPS_SIGNED(OPS_ROW, s16, u16, (-32768), 16))                                                       \
    X(ops_u32, u32, OPS_UNSIGNED(OPS_ROW, u32, 32))                                                                    \
    X(ops_s32, s32, OPS_SIGNED(OPS_ROW, s32, u32, (-2147483647 - 1), 32))                                              \
    X(ops_u64, u64, OPS_UNSIGNED(OPS_ROW, u64, 64))                                                                    \
    X(ops_s64, s64, OPS_SIGNED(OPS_ROW, s64, u64, (-9223372036854775807 - 1), 64))                                     \
    X(ops_wide, u64, OPS_WIDE(OPS_ROW))                                                                                \
    X(ops_f32, f32, OPS_FLOAT(OPS_ROW, f32, __builtin_fmaf))                                                           \
    X(ops_f64, f64, OPS_FLOAT(OPS_ROW, f64, __builtin_fma))

typedef unsigned char u8;
typedef signed char s8;
typedef unsigned short u16;
typedef short s16;
typedef unsigned u32;
typedef int s32;
typedef unsigned long long u64;
typedef long long s64;
typedef float f32;
typedef double f64;
typedef unsigned __int128 u128;
typedef __int128 s128;

#endif
