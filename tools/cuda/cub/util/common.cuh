/* What the parts of CUB that are here share; CUB's documentation, "CUB API Reference". */
#ifndef REPRISE_CUB_COMMON_CUH
#define REPRISE_CUB_COMMON_CUH
#pragma GCC system_header

#include <reprise/cuda.h>
#if __has_include(<algorithm>)
#include <algorithm>
#endif

#define CUB_PTX_WARP_THREADS 32
#define CubDebugExit(call) call
#define CubDebug(call) call
namespace cuda
{
#define REPRISE_OPERATOR(name, of_two)                                                                                 \
    template <class T = void> struct name {                                                                            \
        REPRISE_MEMBER T operator()(const T &a, const T &b) const { return of_two; }                                   \
    };                                                                                                                 \
    template <> struct name<void> {                                                                                    \
        template <class T> REPRISE_MEMBER T operator()(const T &a, const T &b) const { return of_two; }                \
    };
REPRISE_OPERATOR(minimum, b < a ? b : a)
REPRISE_OPERATOR(maximum, a < b ? b : a)
namespace std
{
REPRISE_OPERATOR(plus, a + b)
}
#undef REPRISE_OPERATOR
} // namespace cuda

namespace cub
{
struct NullType {
};
#define REPRISE_OPERATOR(name, of_two)                                                                                 \
    struct name {                                                                                                      \
        template <class T> REPRISE_MEMBER T operator()(const T &a, const T &b) const { return of_two; }                \
    };
REPRISE_OPERATOR(Sum, a + b)
REPRISE_OPERATOR(Difference, a - b)
REPRISE_OPERATOR(Min, b < a ? b : a)
REPRISE_OPERATOR(Max, a < b ? b : a)
#undef REPRISE_OPERATOR
template <class Key, class Value> struct KeyValuePair {
    Key key;
    Value value;
};
struct ArgMax {
    template <class K, class V>
    REPRISE_MEMBER KeyValuePair<K, V> operator()(const KeyValuePair<K, V> &a, const KeyValuePair<K, V> &b) const
    {
        return b.value > a.value || (a.value == b.value && b.key < a.key) ? b : a;
    }
};
struct ArgMin {
    template <class K, class V>
    REPRISE_MEMBER KeyValuePair<K, V> operator()(const KeyValuePair<K, V> &a, const KeyValuePair<K, V> &b) const
    {
        return b.value < a.value || (a.value == b.value && b.key < a.key) ? b : a;
    }
};

REPRISE_FN unsigned LaneId()
{
    unsigned lane;
    asm("mov.u32 %0, %%laneid;" : "=r"(lane));
    return lane;
}
template <class T> REPRISE_MEMBER T DivideAndRoundUp(T a, T b) { return (a + b - 1) / b; }

/* Where a thread is in a block of the given size. */
template <int X, int Y, int Z> REPRISE_FN unsigned reprise_thread()
{
    return Z == 1 && Y == 1 ? threadIdx.x : (threadIdx.z * Y + threadIdx.y) * X + threadIdx.x;
}

/* A value of any size from another lane of a part of `width` lanes, in words. */
template <class T, class Shuffle> REPRISE_FN T reprise_words(const T &v, Shuffle shuffle)
{
    unsigned word[(sizeof(T) + 3) / 4] = {};
    __builtin_memcpy(word, &v, sizeof v);
#pragma unroll
    for (unsigned i = 0; i < sizeof word / 4; i++)
        word[i] = shuffle(word[i]);
    T to;
    __builtin_memcpy(&to, word, sizeof to);
    return to;
}
template <class T> REPRISE_FN T reprise_lane_up(const T &v, unsigned by, int width, unsigned mask)
{
    return reprise_words(v, [=](unsigned w) { return __shfl_up_sync(mask, w, by, width); });
}
template <class T> REPRISE_FN T reprise_lane_down(const T &v, unsigned by, int width, unsigned mask)
{
    return reprise_words(v, [=](unsigned w) { return __shfl_down_sync(mask, w, by, width); });
}
template <class T> REPRISE_FN T reprise_lane(const T &v, int lane, int width, unsigned mask)
{
    return reprise_words(v, [=](unsigned w) { return __shfl_sync(mask, w, lane, width); });
}
} // namespace cub

#endif
