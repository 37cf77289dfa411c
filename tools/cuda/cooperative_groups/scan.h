/* Prefix sums of groups of lanes; CUDA C++ Programming Guide, "Cooperative Groups", "inclusive_scan". */
#ifndef REPRISE_COOPERATIVE_GROUPS_SCAN_H
#define REPRISE_COOPERATIVE_GROUPS_SCAN_H
#pragma GCC system_header

#include <cooperative_groups/reduce.h>

namespace cooperative_groups
{
template <class Group, class T, class Op> REPRISE_FN T inclusive_scan(const Group &g, T v, Op op)
{
    unsigned rank = g.thread_rank(), size = g.size();
    for (unsigned by = 1; by < size; by *= 2) {
        T other = g.shfl_up(v, by);
        if (rank >= by)
            v = op(other, v);
    }
    return v;
}
template <class Group, class T> REPRISE_FN T inclusive_scan(const Group &g, T v)
{
    return inclusive_scan(g, v, plus<T>());
}
template <class Group, class T, class Op> REPRISE_FN T exclusive_scan(const Group &g, T v, Op op)
{
    T before = g.shfl_up(inclusive_scan(g, v, op), 1);
    return g.thread_rank() ? before : T();
}
template <class Group, class T> REPRISE_FN T exclusive_scan(const Group &g, T v)
{
    return exclusive_scan(g, v, plus<T>());
}
} // namespace cooperative_groups

#endif
