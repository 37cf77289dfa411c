/* Shuffles, votes, matches and reductions of a warp; CUDA C++ Programming Guide, "Warp Vote Functions" and what
 * follows. */
#ifndef REPRISE_CUDA_WARP_H
#define REPRISE_CUDA_WARP_H
#pragma GCC system_header

#include "language.h"

/* Inline PTX, as clang has builtins for these only if it is given a version of PTX. The last operand but one is the
 * clamp and segment mask of PTX ISA, "shfl.sync". */

#define REPRISE_SHUFFLE(name, mode, T, c, constraint, Lane)                                                            \
    REPRISE_FN T name(unsigned mask, T v, Lane lane, int width = 32)                                                   \
    {                                                                                                                  \
        T to;                                                                                                          \
        asm volatile("shfl.sync." mode ".b32 %0, %1, %2, %3, %4;"                                                      \
                     : "=" constraint(to)                                                                              \
                     : constraint(v), "r"(lane), "r"((32 - width) << 8 | c), "r"(mask));                               \
        return to;                                                                                                     \
    }
#define REPRISE_SHUFFLES(T, constraint)                                                                                \
    REPRISE_SHUFFLE(__shfl_sync, "idx", T, 31, constraint, int)                                                        \
    REPRISE_SHUFFLE(__shfl_up_sync, "up", T, 0, constraint, unsigned)                                                  \
    REPRISE_SHUFFLE(__shfl_down_sync, "down", T, 31, constraint, unsigned)                                             \
    REPRISE_SHUFFLE(__shfl_xor_sync, "bfly", T, 31, constraint, int)
REPRISE_SHUFFLES(int, "r")
REPRISE_SHUFFLES(unsigned, "r")
REPRISE_SHUFFLES(float, "f")
#undef REPRISE_SHUFFLES
#undef REPRISE_SHUFFLE
/* 64 bits, in two halves. */
#define REPRISE_SHUFFLE(name, T, Lane)                                                                                 \
    REPRISE_FN T name(unsigned mask, T v, Lane lane, int width = 32)                                                   \
    {                                                                                                                  \
        union {                                                                                                        \
            T whole;                                                                                                   \
            unsigned half[2];                                                                                          \
        } u = {v};                                                                                                     \
        u.half[0] = name(mask, u.half[0], lane, width);                                                                \
        u.half[1] = name(mask, u.half[1], lane, width);                                                                \
        return u.whole;                                                                                                \
    }
#define REPRISE_SHUFFLES(T)                                                                                            \
    REPRISE_SHUFFLE(__shfl_sync, T, int)                                                                               \
    REPRISE_SHUFFLE(__shfl_up_sync, T, unsigned)                                                                       \
    REPRISE_SHUFFLE(__shfl_down_sync, T, unsigned)                                                                     \
    REPRISE_SHUFFLE(__shfl_xor_sync, T, int)
REPRISE_SHUFFLES(long)
REPRISE_SHUFFLES(unsigned long)
REPRISE_SHUFFLES(long long)
REPRISE_SHUFFLES(unsigned long long)
REPRISE_SHUFFLES(double)
#undef REPRISE_SHUFFLES
#undef REPRISE_SHUFFLE
#define REPRISE_VOTE(name, mode)                                                                                       \
    REPRISE_FN int name(unsigned mask, int p)                                                                          \
    {                                                                                                                  \
        int to;                                                                                                        \
        asm volatile("{ .reg .pred p, q; setp.ne.u32 p, %1, 0; vote.sync." mode                                        \
                     ".pred q, p, %2; selp.s32 %0, 1, 0, q; }"                                                         \
                     : "=r"(to)                                                                                        \
                     : "r"(p), "r"(mask));                                                                             \
        return to;                                                                                                     \
    }
REPRISE_VOTE(__all_sync, "all")
REPRISE_VOTE(__any_sync, "any")
REPRISE_VOTE(__uni_sync, "uni")
#undef REPRISE_VOTE
REPRISE_FN unsigned __ballot_sync(unsigned mask, int p)
{
    unsigned to;
    asm volatile("{ .reg .pred p; setp.ne.u32 p, %1, 0; vote.sync.ballot.b32 %0, p, %2; }"
                 : "=r"(to)
                 : "r"(p), "r"(mask));
    return to;
}
REPRISE_FN unsigned __activemask()
{
    unsigned to;
    asm volatile("activemask.b32 %0;" : "=r"(to));
    return to;
}

#if __CUDA_ARCH__ >= 700
#define REPRISE_MATCH(T, bits, constraint)                                                                             \
    REPRISE_FN unsigned __match_any_sync(unsigned mask, T v)                                                           \
    {                                                                                                                  \
        unsigned to;                                                                                                   \
        asm volatile("match.any.sync." bits " %0, %1, %2;" : "=r"(to) : constraint(v), "r"(mask));                     \
        return to;                                                                                                     \
    }                                                                                                                  \
    REPRISE_FN unsigned __match_all_sync(unsigned mask, T v, int *all)                                                 \
    {                                                                                                                  \
        unsigned to;                                                                                                   \
        asm volatile("{ .reg .pred p; match.all.sync." bits " %0|p, %2, %3; selp.s32 %1, 1, 0, p; }"                   \
                     : "=r"(to), "=r"(*all)                                                                            \
                     : constraint(v), "r"(mask));                                                                      \
        return to;                                                                                                     \
    }
REPRISE_MATCH(int, "b32", "r")
REPRISE_MATCH(unsigned, "b32", "r")
REPRISE_MATCH(float, "b32", "f")
REPRISE_MATCH(long, "b64", "l")
REPRISE_MATCH(unsigned long, "b64", "l")
REPRISE_MATCH(long long, "b64", "l")
REPRISE_MATCH(unsigned long long, "b64", "l")
REPRISE_MATCH(double, "b64", "d")
#undef REPRISE_MATCH
#endif
#if __CUDA_ARCH__ >= 800
#define REPRISE_REDUCE(name, T, op)                                                                                    \
    REPRISE_FN T __reduce_##name##_sync(unsigned mask, T v)                                                            \
    {                                                                                                                  \
        T to;                                                                                                          \
        asm volatile("redux.sync." op " %0, %1, %2;" : "=r"(to) : "r"(v), "r"(mask));                                  \
        return to;                                                                                                     \
    }
REPRISE_REDUCE(add, int, "add.s32")
REPRISE_REDUCE(add, unsigned, "add.u32")
REPRISE_REDUCE(min, int, "min.s32")
REPRISE_REDUCE(min, unsigned, "min.u32")
REPRISE_REDUCE(max, int, "max.s32")
REPRISE_REDUCE(max, unsigned, "max.u32")
REPRISE_REDUCE(and, unsigned, "and.b32")
REPRISE_REDUCE(or, unsigned, "or.b32")
REPRISE_REDUCE(xor, unsigned, "xor.b32")
#undef REPRISE_REDUCE
#endif

#endif
