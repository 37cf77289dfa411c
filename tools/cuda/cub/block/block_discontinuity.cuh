/* cub::BlockDiscontinuity and cub::BlockAdjacentDifference: of neighbours in a block. */
#ifndef REPRISE_CUB_BLOCK_DISCONTINUITY_CUH
#define REPRISE_CUB_BLOCK_DISCONTINUITY_CUH
#pragma GCC system_header

#include <cub/util/common.cuh>

namespace cub
{
struct Equality {
    template <class T> REPRISE_MEMBER bool operator()(const T &a, const T &b) const { return a == b; }
};
struct Inequality {
    template <class T> REPRISE_MEMBER bool operator()(const T &a, const T &b) const { return a != b; }
};

/* The neighbours of each thread's items, in shared memory. */
template <class T, int X, int Y, int Z> class reprise_neighbours
{
    static const int threads = X * Y * Z;

  protected:
    struct Storage {
        T first[threads], last[threads];
    };
    Storage &storage;
    __device__ __forceinline__ static Storage &own()
    {
        static __shared__ Storage storage;
        return storage;
    }
    __device__ __forceinline__ reprise_neighbours(Storage &s) : storage(s) {}
    __device__ __forceinline__ static int thread() { return (int)reprise_thread<X, Y, Z>(); }
    __device__ __forceinline__ static bool is_first() { return thread() == 0; }
    __device__ __forceinline__ static bool is_last() { return thread() == threads - 1; }
    template <int N> __device__ __forceinline__ void put(const T (&items)[N])
    {
        storage.first[thread()] = items[0];
        storage.last[thread()] = items[N - 1];
        __syncthreads();
    }
    __device__ __forceinline__ T before() const { return storage.last[is_first() ? 0 : thread() - 1]; }
    __device__ __forceinline__ T after() const { return storage.first[is_last() ? thread() : thread() + 1]; }
};

template <class T, int X, int Y = 1, int Z = 1, int = 0> class BlockDiscontinuity : reprise_neighbours<T, X, Y, Z>
{
    typedef reprise_neighbours<T, X, Y, Z> base;

  public:
    struct TempStorage : base::Storage {
    };
    __device__ __forceinline__ BlockDiscontinuity() : base(base::own()) {}
    __device__ __forceinline__ BlockDiscontinuity(TempStorage &s) : base(s) {}
    /* The first item of the block is a head. */
    template <int N, class Flag, class Op>
    __device__ __forceinline__ void FlagHeads(Flag (&flags)[N], T (&items)[N], Op op)
    {
        base::put(items);
        flags[0] = base::is_first() || op(base::before(), items[0]);
#pragma unroll
        for (int i = 1; i < N; i++)
            flags[i] = op(items[i - 1], items[i]);
    }
    template <int N, class Flag, class Op>
    __device__ __forceinline__ void FlagHeads(Flag (&flags)[N], T (&items)[N], Op op, T before)
    {
        FlagHeads(flags, items, op);
        if (base::is_first())
            flags[0] = op(before, items[0]);
    }
    /* The last item of the block is a tail. */
    template <int N, class Flag, class Op>
    __device__ __forceinline__ void FlagTails(Flag (&flags)[N], T (&items)[N], Op op)
    {
        base::put(items);
#pragma unroll
        for (int i = 0; i < N - 1; i++)
            flags[i] = op(items[i], items[i + 1]);
        flags[N - 1] = base::is_last() || op(items[N - 1], base::after());
    }
    template <int N, class Flag, class Op>
    __device__ __forceinline__ void FlagTails(Flag (&flags)[N], T (&items)[N], Op op, T after)
    {
        FlagTails(flags, items, op);
        if (base::is_last())
            flags[N - 1] = op(items[N - 1], after);
    }
};

template <class T, int X, int Y = 1, int Z = 1, int = 0> class BlockAdjacentDifference : reprise_neighbours<T, X, Y, Z>
{
    typedef reprise_neighbours<T, X, Y, Z> base;

  public:
    struct TempStorage : base::Storage {
    };
    __device__ __forceinline__ BlockAdjacentDifference() : base(base::own()) {}
    __device__ __forceinline__ BlockAdjacentDifference(TempStorage &s) : base(s) {}
    /* The first item of the block stays as it is. */
    template <int N, class To, class Op>
    __device__ __forceinline__ void SubtractLeft(T (&items)[N], To (&out)[N], Op op)
    {
        base::put(items);
        T before = base::before();
#pragma unroll
        for (int i = N - 1; i > 0; i--)
            out[i] = op(items[i], items[i - 1]);
        if (base::is_first())
            out[0] = items[0];
        else
            out[0] = op(items[0], before);
    }
    template <int N, class To, class Op>
    __device__ __forceinline__ void SubtractLeft(T (&items)[N], To (&out)[N], Op op, T before)
    {
        T first = items[0];
        SubtractLeft(items, out, op);
        if (base::is_first())
            out[0] = op(first, before);
    }
    /* The last item of the block stays as it is. */
    template <int N, class To, class Op>
    __device__ __forceinline__ void SubtractRight(T (&items)[N], To (&out)[N], Op op)
    {
        base::put(items);
        T after = base::after();
#pragma unroll
        for (int i = 0; i < N - 1; i++)
            out[i] = op(items[i], items[i + 1]);
        if (base::is_last())
            out[N - 1] = items[N - 1];
        else
            out[N - 1] = op(items[N - 1], after);
    }
};
} // namespace cub

#endif
