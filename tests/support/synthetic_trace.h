/* Random but valid traces, made without running any kernel: for tests of the trace format and of replay.
 *
 * Everything follows from the options: the same options give the same kernel, the same stories and the same file. A
 * kernel is a row of phases; each warp loops through a phase's straight code a few times, at random under all its
 * lanes or under two complementary masks one after the other; between phases, all warps of a block meet at a barrier.
 * The last instruction is an exit. Registers, memory operands, masks and addresses are random within what is valid:
 * shared accesses stay within the kernel's static shared memory, addresses are aligned to the access's width, generic
 * ones lie in the shared window or in global memory.
 */
#ifndef REPRISE_TESTS_SYNTHETIC_TRACE_H
#define REPRISE_TESTS_SYNTHETIC_TRACE_H

#include "tracefmt/writer.h"

struct synthetic_options {
    uint64_t seed;
    uint32_t launches, blocks; /* 0: 1 launch, 4 blocks each */
    uint32_t threads;          /* per block, 1..1024; 0: 64. Need not fill its last warp */
    uint32_t phases;           /* 0: 3 */
    uint32_t phase_length;     /* static instructions per phase, at least 2; 0: 12 */
    uint32_t iterations;       /* of a phase's loop at most; 0: 6 */
    /* of 100 instructions of a phase's body; what is left computes */
    uint32_t memory_percent;  /* loads, stores, atomics */
    uint32_t guard_percent;   /* run under a predicate */
    uint32_t diverge_percent; /* of 100 iterations, those that run once for each of two complementary masks */
    uint32_t random_percent;  /* of 100 memory accesses, those with unrelated addresses per lane; others are affine */
    bool barriers;            /* between phases */
    bool several_operands;    /* some memory instructions have two memory operands, some vectors */
    bool aux;                 /* some instructions have aux values */
    bool objects;             /* some have several; some operands are barrier objects or sides of bulk copies */
    bool inlined;             /* instructions are in the bodies of inlined calls */
    bool control_words;       /* instructions have random scheduling control bits */
    bool clusters;            /* blocks run in clusters, and reach each other's shared memory */
    bool meets;               /* most barriers are the launch's, which is cooperative */
    bool scattered;           /* chunks are coded for addresses that follow no pattern (writer.h) */
    bool shared_only;         /* memory operands are in shared memory, none elsewhere */
    uint32_t streams; /* more than 1: launches of different sizes, in so many streams, with dependencies and events */
    uint32_t chunk_bytes; /* finish a chunk after this many bytes, also within a block; 0: one chunk per 8 blocks */
};

/* Options that vary everything with the seed, small enough that thousands of traces are no matter. */
struct synthetic_options synthetic_random_options(uint64_t seed);

struct synthetic_trace;
struct synthetic_trace *synthetic_new(const struct synthetic_options *);
void synthetic_free(struct synthetic_trace *);
const struct rp_kernel *synthetic_kernel(const struct synthetic_trace *);
const struct rp_launch *synthetic_launch(const struct synthetic_trace *, uint32_t launch);

/* One step as it was generated: what a reader must find. address[operand][lane], valid for lanes in executed. */
#define SYNTHETIC_OPERANDS 2
#define SYNTHETIC_AUX 4
struct synthetic_step {
    uint32_t index;
    rp_lanemask active, executed;
    uint64_t aux[SYNTHETIC_AUX];
    uint64_t address[SYNTHETIC_OPERANDS][RP_WARP_LANES];
};
/* Calls step for each instruction of the warp in order. */
void synthetic_warp(const struct synthetic_trace *, uint32_t launch, uint64_t block, uint32_t warp,
                    void (*step)(void *, const struct synthetic_step *), void *);

/* Writes the whole trace. */
bool synthetic_write(const struct synthetic_trace *, const char *path, struct rp_error *);
/* The above in one. */
bool synthetic_trace_write(const char *path, const struct synthetic_options *, struct rp_error *);

/* splitmix64 (Steele, Lea, Flood 2014): the generator behind all this, for tests that need one of their own. */
uint64_t synthetic_random(uint64_t *state);

#endif
