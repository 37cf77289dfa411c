/* Groups of threads that work together, for clang; CUDA C++ Programming Guide, "Cooperative Groups". */
#ifndef REPRISE_COOPERATIVE_GROUPS_H
#define REPRISE_COOPERATIVE_GROUPS_H
#pragma GCC system_header

#include <reprise/cuda.h>

#define REPRISE_IN_GROUP __device__ __attribute__((nodebug)) __forceinline__
namespace cooperative_groups
{
namespace details
{
REPRISE_FN unsigned lane()
{
    unsigned lane;
    asm("mov.u32 %0, %%laneid;" : "=r"(lane));
    return lane;
}
REPRISE_FN unsigned lanes_below()
{
    unsigned mask;
    asm("mov.u32 %0, %%lanemask_lt;" : "=r"(mask));
    return mask;
}
REPRISE_FN unsigned rank_in(dim3 index, dim3 size) { return (index.z * size.y + index.y) * size.x + index.x; }

/* A value of any size from another lane, in words. */
template <class T, class Shuffle> REPRISE_FN T exchange(const T &v, Shuffle shuffle)
{
    union words {
        T value;
        unsigned word[(sizeof(T) + 3) / 4];
        REPRISE_IN_GROUP words() {}
    } u;
#pragma unroll
    for (unsigned i = 0; i < sizeof u.word / 4; i++)
        u.word[i] = 0;
    __builtin_memcpy(u.word, &v, sizeof v);
#pragma unroll
    for (unsigned i = 0; i < sizeof u.word / 4; i++)
        u.word[i] = shuffle(u.word[i]);
    T to;
    __builtin_memcpy(&to, u.word, sizeof to);
    return to;
}
} // namespace details

/* ---- a block ----------------------------------------------------------------------------------------------------- */

/* What tiles of several warps exchange in. */
template <unsigned threads = 1024> struct block_tile_memory {
    unsigned long long words[threads];
};
class thread_block
{
  public:
    unsigned long long *exchange = nullptr; /* a word for each thread, if the program gave a block_tile_memory */
    REPRISE_IN_GROUP static void sync() { __syncthreads(); }
    REPRISE_IN_GROUP static unsigned thread_rank() { return details::rank_in(threadIdx, blockDim); }
    REPRISE_IN_GROUP static unsigned size() { return blockDim.x * blockDim.y * blockDim.z; }
    REPRISE_IN_GROUP static unsigned num_threads() { return size(); }
    REPRISE_IN_GROUP static dim3 group_index() { return blockIdx; }
    REPRISE_IN_GROUP static dim3 thread_index() { return threadIdx; }
    REPRISE_IN_GROUP static dim3 group_dim() { return blockDim; }
    REPRISE_IN_GROUP static dim3 dim_threads() { return blockDim; }
    struct arrival_token {
    };
    REPRISE_IN_GROUP static arrival_token barrier_arrive() { return {}; }
    REPRISE_IN_GROUP static void barrier_wait(arrival_token) { __syncthreads(); }
};
REPRISE_FN thread_block this_thread_block() { return {}; }
template <unsigned threads> REPRISE_FN thread_block this_thread_block(block_tile_memory<threads> &memory)
{
    thread_block block;
    block.exchange = memory.words;
    return block;
}

/* ---- a grid of a cooperative launch ------------------------------------------------------------------------------ */

namespace details
{
/* The first word of the workspace that a cooperative launch gets: its address is in two registers that PTX reserves
 * for this. The first block adds what makes the sum of all additions flip the highest bit. */
REPRISE_FN void sync_grid(unsigned long long workspace, unsigned blocks, bool first)
{
    volatile unsigned *arrived = (volatile unsigned *)(workspace + 4);
    __syncthreads();
    if (thread_block::thread_rank() == 0) {
        unsigned add = first ? 0x80000000u - (blocks - 1) : 1;
        __threadfence();
        unsigned old = atomicAdd((unsigned *)arrived, add);
        while (((old ^ *arrived) & 0x80000000u) == 0)
            ;
        __threadfence();
    }
    __syncthreads();
}
REPRISE_FN unsigned long long grid_workspace()
{
    unsigned low, high;
    asm("mov.u32 %0, %%envreg2;" : "=r"(low));
    asm("mov.u32 %0, %%envreg1;" : "=r"(high));
    return (unsigned long long)high << 32 | low;
}
} // namespace details

class grid_group
{
  public:
    REPRISE_IN_GROUP bool is_valid() const { return details::grid_workspace() != 0; }
    REPRISE_IN_GROUP void sync() const
    {
        details::sync_grid(details::grid_workspace(), (unsigned)num_blocks(), block_rank() == 0);
    }
    REPRISE_IN_GROUP static unsigned long long num_blocks()
    {
        return (unsigned long long)gridDim.x * gridDim.y * gridDim.z;
    }
    REPRISE_IN_GROUP static unsigned long long block_rank() { return details::rank_in(blockIdx, gridDim); }
    REPRISE_IN_GROUP static unsigned long long num_threads() { return num_blocks() * thread_block::size(); }
    REPRISE_IN_GROUP static unsigned long long size() { return num_threads(); }
    REPRISE_IN_GROUP static unsigned long long thread_rank()
    {
        return block_rank() * thread_block::size() + thread_block::thread_rank();
    }
    REPRISE_IN_GROUP static dim3 block_index() { return blockIdx; }
    REPRISE_IN_GROUP static dim3 dim_blocks() { return gridDim; }
    REPRISE_IN_GROUP static dim3 group_dim() { return gridDim; }
};
REPRISE_FN grid_group this_grid() { return {}; }

/* ---- lanes of a warp --------------------------------------------------------------------------------------------- */

namespace details
{
/* What groups of lanes share: Group has mask(), size(), thread_rank(), and lane_of(rank). */
template <class Group> class lanes_of
{
    REPRISE_IN_GROUP const Group &self() const { return *static_cast<const Group *>(this); }

  public:
    REPRISE_IN_GROUP void sync() const { __syncwarp(self().mask()); }
    REPRISE_IN_GROUP unsigned num_threads() const { return self().size(); }
    REPRISE_IN_GROUP int any(int p) const { return __any_sync(self().mask(), p); }
    REPRISE_IN_GROUP int all(int p) const { return __all_sync(self().mask(), p); }
    REPRISE_IN_GROUP unsigned ballot(int p) const { return self().packed(__ballot_sync(self().mask(), p)); }
#if __CUDA_ARCH__ >= 700
    template <class T> REPRISE_IN_GROUP unsigned match_any(T v) const
    {
        return self().packed(__match_any_sync(self().mask(), v));
    }
    template <class T> REPRISE_IN_GROUP unsigned match_all(T v, int &all) const
    {
        return self().packed(__match_all_sync(self().mask(), v, &all));
    }
#endif
    template <class T> REPRISE_IN_GROUP T shfl(T v, int rank) const
    {
        unsigned mask = self().mask(), from = self().lane_of((unsigned)rank);
        return exchange(v, [=](unsigned w) { return __shfl_sync(mask, w, (int)from); });
    }
    template <class T> REPRISE_IN_GROUP T shfl_up(T v, unsigned by) const
    {
        unsigned rank = self().thread_rank();
        return shfl(v, (int)(rank >= by ? rank - by : rank));
    }
    template <class T> REPRISE_IN_GROUP T shfl_down(T v, unsigned by) const
    {
        unsigned rank = self().thread_rank();
        return shfl(v, (int)(rank + by < self().size() ? rank + by : rank));
    }
};
} // namespace details

template <unsigned Size, class Parent = void, bool several_warps = (Size > 32)>
class thread_block_tile : public details::lanes_of<thread_block_tile<Size, Parent>>
{
    static_assert(Size >= 1 && Size <= 32 && (Size & (Size - 1)) == 0, "a tile of 1 to 32 threads, a power of two");

  public:
    static const unsigned tile_size = Size;
    thread_block_tile() = default;
    template <class Other> REPRISE_IN_GROUP thread_block_tile(const thread_block_tile<Size, Other> &) {}
    REPRISE_IN_GROUP static unsigned first_lane() { return details::lane() & ~(Size - 1); }
    REPRISE_IN_GROUP static unsigned mask() { return (Size == 32 ? ~0u : (1u << (Size & 31)) - 1) << first_lane(); }
    REPRISE_IN_GROUP static unsigned packed(unsigned lanes) { return (lanes & mask()) >> first_lane(); }
    REPRISE_IN_GROUP static unsigned lane_of(unsigned rank) { return first_lane() + (rank & (Size - 1)); }
    REPRISE_IN_GROUP static constexpr unsigned size() { return Size; }
    REPRISE_IN_GROUP static constexpr unsigned num_threads() { return Size; }
    REPRISE_IN_GROUP static unsigned thread_rank() { return details::lane() & (Size - 1); }
    REPRISE_IN_GROUP static unsigned meta_group_rank() { return thread_block::thread_rank() / Size; }
    REPRISE_IN_GROUP static unsigned meta_group_size() { return (thread_block::size() + Size - 1) / Size; }
    /* As instructions of this kind exchange within a tile, one of them is enough. */
    template <class T> REPRISE_IN_GROUP T shfl(T v, int rank) const
    {
        return details::exchange(v, [=](unsigned w) { return __shfl_sync(mask(), w, rank, (int)Size); });
    }
    template <class T> REPRISE_IN_GROUP T shfl_up(T v, unsigned by) const
    {
        return details::exchange(v, [=](unsigned w) { return __shfl_up_sync(mask(), w, by, (int)Size); });
    }
    template <class T> REPRISE_IN_GROUP T shfl_down(T v, unsigned by) const
    {
        return details::exchange(v, [=](unsigned w) { return __shfl_down_sync(mask(), w, by, (int)Size); });
    }
    template <class T> REPRISE_IN_GROUP T shfl_xor(T v, unsigned by) const
    {
        return details::exchange(v, [=](unsigned w) { return __shfl_xor_sync(mask(), w, (int)by, (int)Size); });
    }
};

/* Several warps, which wait at a barrier of their own and exchange values of up to 8 bytes in shared memory. */
template <unsigned Size, class Parent> class thread_block_tile<Size, Parent, true>
{
    static_assert(Size <= 1024 && (Size & (Size - 1)) == 0, "a tile of a power of two of threads");
    unsigned long long *words;

  public:
    static const unsigned tile_size = Size;
    REPRISE_IN_GROUP explicit thread_block_tile(const thread_block &b)
        : words(b.exchange + thread_block::thread_rank() / Size * Size)
    {
    }
    REPRISE_IN_GROUP static constexpr unsigned size() { return Size; }
    REPRISE_IN_GROUP static constexpr unsigned num_threads() { return Size; }
    REPRISE_IN_GROUP static unsigned thread_rank() { return thread_block::thread_rank() & (Size - 1); }
    REPRISE_IN_GROUP static unsigned meta_group_rank() { return thread_block::thread_rank() / Size; }
    REPRISE_IN_GROUP static unsigned meta_group_size() { return (thread_block::size() + Size - 1) / Size; }
    REPRISE_IN_GROUP static void sync()
    {
        asm volatile("barrier.sync %0, %1;" ::"r"(15 - meta_group_rank() % 16), "r"(Size) : "memory");
    }
    template <class T> REPRISE_IN_GROUP T shfl(T v, int rank) const
    {
        static_assert(sizeof(T) <= 8, "tiles of several warps exchange up to 8 bytes");
        T to;
        __builtin_memcpy(words + thread_rank(), &v, sizeof v);
        sync();
        __builtin_memcpy(&to, words + (rank & (int)(Size - 1)), sizeof to);
        sync();
        return to;
    }
    template <class T> REPRISE_IN_GROUP T shfl_up(T v, unsigned by) const
    {
        unsigned rank = thread_rank();
        return shfl(v, (int)(rank >= by ? rank - by : rank));
    }
    template <class T> REPRISE_IN_GROUP T shfl_down(T v, unsigned by) const
    {
        unsigned rank = thread_rank();
        return shfl(v, (int)(rank + by < Size ? rank + by : rank));
    }
    template <class T> REPRISE_IN_GROUP T shfl_xor(T v, unsigned by) const
    {
        return shfl(v, (int)(thread_rank() ^ by));
    }
    REPRISE_IN_GROUP int any(int p) const
    {
        p = p != 0;
        for (unsigned by = 1; by < Size; by *= 2)
            p |= shfl_xor(p, by); /* all take part */
        return p;
    }
    REPRISE_IN_GROUP int all(int p) const { return !any(!p); }
};

class coalesced_group : public details::lanes_of<coalesced_group>
{
    unsigned lanes;

  public:
    REPRISE_IN_GROUP explicit coalesced_group(unsigned lanes) : lanes(lanes) {}
    REPRISE_IN_GROUP unsigned mask() const { return lanes; }
    REPRISE_IN_GROUP unsigned size() const { return (unsigned)__popc(lanes); }
    REPRISE_IN_GROUP unsigned thread_rank() const { return (unsigned)__popc(lanes & details::lanes_below()); }
    REPRISE_IN_GROUP unsigned meta_group_rank() const { return 0; }
    REPRISE_IN_GROUP unsigned meta_group_size() const { return 1; }
    /* The lane with so many lanes of the group below it. */
    REPRISE_IN_GROUP unsigned lane_of(unsigned rank) const
    {
        unsigned rest = lanes;
        if (lanes == ~0u)
            return rank;
        for (unsigned i = 0; i < rank && rest; i++)
            rest &= rest - 1;
        return (unsigned)__ffs((int)rest) - 1;
    }
    REPRISE_IN_GROUP unsigned packed(unsigned of) const
    {
        unsigned to = 0, n = 0;
        if (lanes == ~0u)
            return of;
        for (unsigned rest = lanes; rest; rest &= rest - 1, n++)
            to |= (of >> (__ffs((int)rest) - 1) & 1) << n;
        return to;
    }
};
REPRISE_FN coalesced_group coalesced_threads() { return coalesced_group(__activemask()); }

/* ---- any group --------------------------------------------------------------------------------------------------- */

class thread_group
{
    unsigned lanes; /* 0: the block */

  public:
    REPRISE_IN_GROUP thread_group(const thread_block &) : lanes(0) {}
    REPRISE_IN_GROUP thread_group(const coalesced_group &g) : lanes(g.mask()) {}
    template <unsigned Size, class P>
    REPRISE_IN_GROUP thread_group(const thread_block_tile<Size, P> &t) : lanes(t.mask())
    {
    }
    REPRISE_IN_GROUP void sync() const
    {
        if (lanes)
            __syncwarp(lanes);
        else
            __syncthreads();
    }
    REPRISE_IN_GROUP unsigned size() const { return lanes ? (unsigned)__popc(lanes) : thread_block::size(); }
    REPRISE_IN_GROUP unsigned num_threads() const { return size(); }
    REPRISE_IN_GROUP unsigned thread_rank() const
    {
        return lanes ? (unsigned)__popc(lanes & details::lanes_below()) : thread_block::thread_rank();
    }
};

template <unsigned Size, class Parent> REPRISE_FN thread_block_tile<Size, Parent> tiled_partition(const Parent &parent)
{
    if constexpr (Size > 32)
        return thread_block_tile<Size, Parent>(parent);
    else
        return {};
}
REPRISE_FN thread_group tiled_partition(const thread_group &, unsigned size)
{
    unsigned first = details::lane() & ~(size - 1);
    return coalesced_group((size == 32 ? ~0u : (1u << size) - 1) << first);
}
#if __CUDA_ARCH__ >= 700
template <class Group, class T> REPRISE_FN coalesced_group labeled_partition(const Group &g, T label)
{
    return coalesced_group(__match_any_sync(g.mask(), label));
}
template <class Group> REPRISE_FN coalesced_group binary_partition(const Group &g, bool p)
{
    unsigned with = __ballot_sync(g.mask(), p);
    return coalesced_group(p ? with : g.mask() & ~with);
}
#endif
template <class Group> REPRISE_FN void sync(const Group &g) { g.sync(); }
template <class Group> REPRISE_FN unsigned thread_rank(const Group &g) { return (unsigned)g.thread_rank(); }
template <class Group> REPRISE_FN unsigned group_size(const Group &g) { return (unsigned)g.size(); }

/* One thread of the group runs f. */
template <class Group, class F> REPRISE_FN void invoke_one(const Group &g, F &&f)
{
    if (g.thread_rank() == 0)
        f();
}
} // namespace cooperative_groups

#endif
