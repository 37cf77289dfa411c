/* Reductions of groups of lanes; CUDA C++ Programming Guide, "Cooperative Groups", "reduce". */
#ifndef REPRISE_COOPERATIVE_GROUPS_REDUCE_H
#define REPRISE_COOPERATIVE_GROUPS_REDUCE_H
#pragma GCC system_header

#include <cooperative_groups.h>

namespace cooperative_groups
{
#define REPRISE_OPERATOR(name, of_two)                                                                                 \
    template <class T = void> struct name {                                                                            \
        REPRISE_IN_GROUP T operator()(T a, T b) const { return of_two; }                                               \
    };                                                                                                                 \
    template <> struct name<void> {                                                                                    \
        template <class T> REPRISE_IN_GROUP T operator()(T a, T b) const { return of_two; }                            \
    };
REPRISE_OPERATOR(plus, a + b)
REPRISE_OPERATOR(less, b < a ? b : a)
REPRISE_OPERATOR(greater, a < b ? b : a)
REPRISE_OPERATOR(bit_and, a &b)
REPRISE_OPERATOR(bit_or, a | b)
REPRISE_OPERATOR(bit_xor, a ^ b)
#undef REPRISE_OPERATOR

/* In a tile by shuffles of the other half; else over ranks. Each thread has the result. */
template <unsigned Size, class P, class T, class Op>
REPRISE_FN T reduce(const thread_block_tile<Size, P> &g, T v, Op op)
{
#pragma unroll
    for (unsigned half = Size / 2; half; half /= 2)
        v = op(v, g.shfl_xor(v, half));
    return v;
}
template <class T, class Op> REPRISE_FN T reduce(const coalesced_group &g, T v, Op op)
{
    unsigned rank = g.thread_rank(), size = g.size();
    for (unsigned by = 1; by < size; by *= 2) {
        T other = g.shfl_down(v, by);
        if (rank + by < size)
            v = op(v, other);
    }
    return g.shfl(v, 0);
}
} // namespace cooperative_groups

#endif
