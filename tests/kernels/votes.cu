/* Warp votes, shuffles of all modes, lane masks, and atomics of every kind on shared and global memory. */
#include "cuda_min.cuh"

KERNEL votes(const int *in, unsigned *out)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x, v = in[i];
    unsigned *mine = out + 8 * i;
    mine[0] = __ballot_sync(~0u, v & 1);
    mine[1] = __any_sync(~0u, v % 50 == 0) + 2 * __all_sync(~0u, v >= 3);
    mine[2] = __nvvm_vote_ballot(v & 2);
    mine[3] = __shfl_sync(~0u, v, v & 31);
    mine[4] = __shfl_up_sync(~0u, v, 3) ^ __shfl_down_sync(~0u, v, 5);
    mine[5] = __nvvm_shfl_sync_bfly_i32(~0u, v, 9, 0x181f);
    mine[6] = __nvvm_read_ptx_sreg_lanemask_lt() & mine[0];
    mine[7] = 0;
    if (v & 4) {
        unsigned here;
        asm volatile("{ .reg .pred p; setp.ne.u32 p, %1, 0; vote.ballot.b32 %0, p; }" : "=r"(here) : "r"(v & 8));
        mine[7] = here;
    }
}

/* cells[0..9] of the block's own and of all blocks', results of ten operations that do not depend on order. */
KERNEL atomics(const int *in, int *shared_cells, int *cells, unsigned long long *wide)
{
    __shared__ int mine[10];
    int x = threadIdx.x, v = in[blockIdx.x * blockDim.x + x];
    int start[10] = {0, 1000, -1000, 0, 0, -1, 0, 0, 0, 0};
    if (x < 10)
        mine[x] = start[x];
    __syncthreads();
    for (int round = 0; round < 2; round++) {
        int *c = round ? cells : mine;
        atomicAdd(&c[0], v);
        atomicMin(&c[1], v);
        atomicMax(&c[2], v);
        atomicInc((unsigned *)&c[3], 6);
        atomicDec((unsigned *)&c[4], 10);
        atomicAnd(&c[5], v | 0xff00);
        atomicOr(&c[6], 1 << (v & 15));
        atomicXor(&c[7], v);
        atomicMax((unsigned *)&c[8], (unsigned)v);
        for (int old = c[9], seen; (seen = atomicCAS(&c[9], old, old + (v & 3))) != old;)
            old = seen;
    }
    atomicAdd(wide, (unsigned long long)v << 20);
    __syncthreads();
    if (x < 10)
        shared_cells[blockIdx.x * 10 + x] = mine[x];
}
