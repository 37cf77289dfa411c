/* Lanes that wait for one another, as CUDA has it from sm_70 on. tests/cli/warp.sh records them for sm_75, where they
 * end with the results that the CPU computes, and for sm_62, where most of them cannot. 64 threads in each block, but
 * for `hand_off`: 32. */
#include <cuda_runtime.h>

#define KERNEL extern "C" __global__ void

/* [0]: the lock, [1]: how often it was taken, [2 + i]: thread i's turn. */
KERNEL lock_per_lane(int *cells)
{
    while (atomicCAS(&cells[0], 0, 1))
        ;
    __threadfence();
    int turn = ((volatile int *)cells)[1];
    ((volatile int *)cells)[1] = turn + 1;
    cells[2 + blockIdx.x * blockDim.x + threadIdx.x] = turn;
    __threadfence();
    atomicExch(&cells[0], 0);
}

/* Lane 31 begins, lane 0 is the last; each adds to what it was handed. [0]: whose turn it is, [1]: what is handed on.
 */
KERNEL hand_off(int *cells)
{
    volatile int *shared = cells;
    int lane = 31 - (int)threadIdx.x;
    while (shared[0] != lane)
        ;
    shared[1] = 3 * shared[1] + lane;
    cells[2 + threadIdx.x] = shared[1];
    __threadfence();
    shared[0] = lane + 1;
}

/* Lanes of both arms meet at the barriers of their arms, twice. */
KERNEL sync_across_arms(int *out)
{
    __shared__ volatile int cells[64];
    int i = threadIdx.x;
    if (i & 1) {
        cells[i] = 100 * i;
        __syncwarp();
        out[i] = cells[i ^ 1];
        __syncwarp();
        cells[i] = 7 * i;
    } else {
        cells[i] = 10 * i;
        __syncwarp();
        out[i] = cells[i ^ 1];
        __syncwarp();
        cells[i] = 9 * i;
    }
    __syncwarp();
    out[64 + i] = cells[i ^ 1];
}

/* Tiles of 4, 8 and 16 lanes: one instruction, several masks. */
KERNEL tiles(const int *in, int *out)
{
    int i = threadIdx.x, lane = i & 31, v = in[i];
    for (int n = 0; n < 3; n++) {
        int size = 4 << n;
        unsigned mask = ((1u << size) - 1) << (lane & -size);
        int sum = v;
        for (int d = size / 2; d; d /= 2)
            sum += __shfl_xor_sync(mask, sum, d, size);
        out[8 * i + 2 * n] = sum;
        out[8 * i + 2 * n + 1] = (int)__ballot_sync(mask, v & 1);
    }
    unsigned half = lane & 16 ? 0xffff0000u : 0xffffu;
    out[8 * i + 6] = __any_sync(half, v == in[40]) + 2 * __all_sync(half, v >= 0);
    out[8 * i + 7] = (int)__shfl_sync(half, (long long)v << 32 | v, 3, 16);
}

/* Both arms arrive at barrier 1, lane by lane, and read what the other warp and the other arm have stored. */
KERNEL barrier_in_two_arms(int *out)
{
    __shared__ volatile int cells[64];
    int i = threadIdx.x;
    if (i % 3 == 0) {
        cells[i] = 5 * i + 1;
        asm volatile("barrier.sync 1, 64;" ::: "memory");
        out[i] = cells[63 - i];
    } else {
        cells[i] = 11 * i + 2;
        asm volatile("barrier.sync 1, 64;" ::: "memory");
        out[i] = cells[63 - i] + 1;
    }
}

#if __CUDA_ARCH__ >= 700
/* Lanes of a tile of 8 that hold the same value, in 32 and 64 bits. */
KERNEL match_under_tiles(const int *in, int *out)
{
    int i = threadIdx.x, v = in[i] & 3, all = 0;
    unsigned mask = 0xffu << (i & 24);
    out[4 * i] = (int)__match_any_sync(mask, v);
    out[4 * i + 1] = (int)__match_any_sync(mask, (long long)v << 40);
    out[4 * i + 2] = (int)__match_all_sync(mask, i & 8 ? 5 : v, &all);
    out[4 * i + 3] = all;
}
#endif
#if __CUDA_ARCH__ >= 800
KERNEL reduce_under_tiles(const int *in, int *out)
{
    int i = threadIdx.x, v = in[i];
    unsigned mask = 0xffu << (i & 24), u = (unsigned)v;
    out[8 * i] = __reduce_add_sync(mask, v);
    out[8 * i + 1] = __reduce_min_sync(mask, v);
    out[8 * i + 2] = __reduce_max_sync(mask, v);
    out[8 * i + 3] = (int)__reduce_and_sync(mask, u);
    out[8 * i + 4] = (int)__reduce_or_sync(mask, u);
    out[8 * i + 5] = (int)__reduce_xor_sync(mask, u);
    out[8 * i + 6] = (int)__reduce_min_sync(mask, u);
    out[8 * i + 7] = (int)__reduce_max_sync(mask, u);
}
#endif
