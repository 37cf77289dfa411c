/* Micro-benchmarks of a GPU: each kernel asks one question. All kernels have the same parameters; a case launches one
   with n and with 2 n rounds, so that what the difference has in common (launch, first touch, last result) cancels: a
   step is the difference, divided by the operations in it. Warps write the clock of their SM before and after, so that
   a step is known with and without a profiler.

   micro [-r ROUNDS] [-f] [-b] [GROUP...]: runs the cases of all or these groups, ROUNDS times each, and prints a line
   of CSV for each launch. -f: where caches are to be empty, writes other memory first; else the profiler or the replay
   empties them. -b: only the cases that are kept as traces. */
#pragma once
#include <cuda_runtime.h>
#include <stdint.h>

/* n: rounds; a, b: what the case says; clocks: two for each warp, begin and end, or NULL. */
#define ARGUMENTS char *memory, unsigned n, unsigned a, unsigned b, long long *clocks
typedef void micro_kernel(ARGUMENTS);

#define BEGIN                                                                                                          \
    __syncthreads();                                                                                                   \
    const long long begin = clock64();
#define END                                                                                                            \
    const long long end = clock64();                                                                                   \
    if (clocks && threadIdx.x % 32 == 0) {                                                                             \
        long long *own = clocks + 2 * (blockIdx.x * ((blockDim.x + 31) / 32) + threadIdx.x / 32);                      \
        own[0] = begin;                                                                                                \
        own[1] = end;                                                                                                  \
    }

/* n rounds of `times` times the same. */
#define REPEAT(times, ...)                                                                                             \
    _Pragma("unroll 1") for (unsigned i = 0; i < n; i++)                                                               \
    {                                                                                                                  \
        _Pragma("unroll") for (int j = 0; j < (times); j++) { __VA_ARGS__ }                                            \
    }

struct micro_case {
    const char *group, *name;
    micro_kernel *kernel;
    unsigned blocks, threads, shared;
    unsigned n, a, b;
    double operations; /* of a warp in a round; or bytes of the grid in a round, as the name of the case says */
    unsigned cluster;  /* blocks of a cluster, 0: none */
    int once;          /* with n rounds alone, not with 2 n */
    int unclocked;     /* too many warps for their clocks: cycles come from a profiler */
    int cold;          /* with empty caches */
    int grows;         /* twice the blocks instead of 2 n rounds */
};

/* What follows is measured alone (1), or also kept as a trace (0): traces are to be few and small. With -b only the
 * latter run. */
void micro_extra(int extra);
/* Launches with n and 2 n rounds, and prints what came out. */
void micro_run(const struct micro_case *c);
/* Device memory that cases share, of at least this size. */
char *micro_memory(size_t bytes);
/* A launch that only prepares memory; it is not printed. */
void micro_prepare(micro_kernel *kernel, unsigned blocks, unsigned threads, char *memory, unsigned n, unsigned a,
                   unsigned b);
void micro_check(cudaError_t status, const char *what);

void micro_arithmetic(void);
void micro_tensor(void);
void micro_shared(void);
void micro_memory_cases(void);
void micro_atomics(void);
void micro_launches(void);
void micro_cold(void);
void micro_hopper(void);
void micro_wgmma(void);
void micro_large_launches(void);
void micro_copies(void);
void micro_large(void);
void micro_tlb(void);
void micro_occupancy(void);
void micro_queue(void);
void micro_code(void);
