/* Collectives that one mask enters in several arms of a branch: all lanes of the mask take part, wherever they come from.
 * tests/cli/assemble.sh holds machine code to the PTX and to what it computes. One block of 32 threads. */
#include <cuda_runtime.h>

#define KERNEL extern "C" __global__ void
#define ALL 0xffffffffu

KERNEL shuffles(int *o)
{
    int t = threadIdx.x;
    if (t < 16)
        o[t] = __shfl_sync(ALL, t, 20);
    else
        o[t] = __shfl_sync(ALL, t + 1000, 3);
}

KERNEL ballots(int *o)
{
    int t = threadIdx.x;
    switch (t & 3) {
    case 0: o[t] = __ballot_sync(ALL, t & 4); break;
    case 1: o[t] = __ballot_sync(ALL, t & 8); break;
    default: o[t] = __ballot_sync(ALL, t & 16);
    }
}

KERNEL matches(int *o)
{
    int t = threadIdx.x;
    if (t % 3 == 0)
        o[t] = __match_any_sync(ALL, t & 6);
    else
        o[t] = __match_any_sync(ALL, (t >> 1) & 6);
}

KERNEL loops(int *o)
{
    int t = threadIdx.x, v = t;
    for (int i = 0; i < 4; i++) {
        if ((t + i) & 1)
            v += __shfl_xor_sync(ALL, v, 1);
        else
            v = 3 * v - __shfl_xor_sync(ALL, v, 1);
    }
    o[t] = v;
}

/* Lanes 0 to 7 and the others, each in two arms; lanes of the others exit before. */
KERNEL masks(int *o)
{
    int t = threadIdx.x;
    unsigned m = t < 8 ? 0xff : 0xffffff00u;
    if (t == 9 || t == 30)
        return;
    if (t < 4)
        o[t] = __shfl_sync(m, t, 6);
    else if (t < 8)
        o[t] = __shfl_sync(m, t * 10, 1);
    else if (t & 1)
        o[t] = __ballot_sync(m, t > 20);
    else
        o[t] = __ballot_sync(m, t > 10);
}

/* In a branch within a branch of a loop whose lanes leave at different times. */
KERNEL nested(int *o)
{
    int t = threadIdx.x, v = t;
    for (int i = 0; i < 8; i++) {
        unsigned m = __ballot_sync(ALL, v % 3 != 2);
        if (v % 3 != 2) {
            if (v & 1) {
                if (v & 4)
                    v += __popc(__ballot_sync(m, v & 2)) + __shfl_sync(m, v, __ffs(m) - 1);
                else
                    v += 2 * __popc(__ballot_sync(m, v & 8)) + __shfl_sync(m, v + 1, __ffs(m) - 1);
            } else {
                v += 3 * __popc(__ballot_sync(m, v & 16)) + __shfl_sync(m, 2 * v, __ffs(m) - 1);
            }
        } else {
            v = v * 5 + i;
        }
    }
    o[t] = v;
}
