/* Kernels whose lanes reach the barriers of a function by different calls, or not all of them. Where lanes meet again
 * PTX does not say; so the PTX must leave the words that its machine code for sm_62, by ptxas, leaves. */
#ifndef REPRISE_TESTS_SUPPORT_DIVERGENT_CALLS_H
#define REPRISE_TESTS_SUPPORT_DIVERGENT_CALLS_H

#include <stdint.h>

enum { DIVERGENT_CALLS = 4, DIVERGENT_CALL_THREADS = 128 };
struct divergent_call {
    const char *name, *ptx;                /* module without its header; kernel k(.param .u64 out), one block */
    uint32_t (*expected)(uint32_t thread); /* word that the thread leaves in out */
};
extern const struct divergent_call divergent_calls[DIVERGENT_CALLS];

#endif
