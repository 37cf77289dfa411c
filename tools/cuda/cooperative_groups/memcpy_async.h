/* Copies by all threads of a group; CUDA C++ Programming Guide, "Cooperative Groups", "memcpy_async". Copied at once: a
 * wait is a barrier. */
#ifndef REPRISE_COOPERATIVE_GROUPS_MEMCPY_ASYNC_H
#define REPRISE_COOPERATIVE_GROUPS_MEMCPY_ASYNC_H
#pragma GCC system_header

#include <cooperative_groups.h>

namespace cooperative_groups
{
template <class Group, class T> REPRISE_FN void memcpy_async(const Group &g, T *to, const T *from, size_t bytes)
{
    unsigned char *d = (unsigned char *)to;
    const unsigned char *s = (const unsigned char *)from;
    size_t step = 1;
    if ((((size_t)d | (size_t)s | bytes) & 15) == 0)
        step = 16;
    else if ((((size_t)d | (size_t)s | bytes) & 3) == 0)
        step = 4;
    for (size_t i = g.thread_rank() * step; i < bytes; i += g.size() * step)
        if (step == 16)
            *(uint4 *)(d + i) = *(const uint4 *)(s + i);
        else if (step == 4)
            *(unsigned *)(d + i) = *(const unsigned *)(s + i);
        else
            d[i] = s[i];
}
template <class Group> REPRISE_FN void wait(const Group &g) { g.sync(); }
template <unsigned stages, class Group> REPRISE_FN void wait_prior(const Group &g) { g.sync(); }
} // namespace cooperative_groups

#endif
